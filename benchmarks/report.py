"""The results as a text of tables."""

from rich.console import Console

from cribev.game import render

_UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def text(results):
    """Write the results of `benchmarks.field.measure`, with machine and versions."""
    sections = [_speed(measured) for measured in results["speed"]]
    sections.append(_errors(results["errors"]))
    sections.append(_footnote(results))
    return "\n\n".join(sections) + "\n"


def _speed(section):
    rows, unit = section["rows"], section["unit"]
    columns = {
        section["title"]: [row["who"] for row in rows],
        f"{unit}/s": [_rate(row["rate"]) for row in rows],
        "time": [_time(row["seconds"]) for row in rows],
        "each": [_time(1 / row["rate"]) for row in rows],
    }
    if all(row["work"] == 1 for row in rows):
        del columns["each"]
    if unit == "runs":
        del columns["runs/s"]
    if any("times_ours" in row for row in rows):
        columns["cribev is"] = [_ratio(row.get("times_ours")) for row in rows]
    if any("a_further_one" in row for row in rows):
        further = [row.get("a_further_one") for row in rows]
        columns["each further"] = [_time(seconds) if seconds else "" for seconds in further]
    if any("peak_mib" in row for row in rows):
        columns["peak memory"] = [f"{row['peak_mib']:,.0f} MiB" for row in rows]
    return _table(columns)


def _errors(results):
    rows = []
    for who, wrong in results["wrong"].items():
        rows.append((who, *(sum(kinds.values()) for kinds in wrong.values())))
        rows += [
            (f"  {kind}", *(kinds.get(kind, 0) for kinds in wrong.values()))
            for kind in sorted({kind for kinds in wrong.values() for kind in kinds})
        ]
    whos, hands, cribs = zip(*rows, strict=True)
    return _table(
        {
            f"Counted otherwise than tests/oracle.py, of {results['of']:,}": whos,
            "as hands": [f"{number:,}" for number in hands],
            "as cribs": [f"{number:,}" for number in cribs],
        }
    )


def _footnote(results):
    slower = []
    for section in results["speed"]:
        faster = [
            f"{row['who']} {_ratio(row['times_ours']).split()[0]} x"
            for row in section["rows"]
            if row.get("times_ours", 1) < 1
        ]
        if faster:
            slower.append(f"  {section['title']}: {', '.join(faster)}")
    return "\n".join(
        [
            "Faster than cribev:",
            *(slower or ["  none of these"]),
            *(f"Not measured: {who}" for who in results["missing"]),
            results["machine"],
            results["versions"],
            results["command"],
        ]
    )


def _table(columns):
    console = Console(force_terminal=False)  # the same text on every output
    heads = [(head, "right" if place else "left") for place, head in enumerate(columns)]
    table = render.table(console, *heads)
    for row in zip(*columns.values(), strict=True):
        table.add_row(*row)
    return render.to_text(table)


def _rate(number):
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def _ratio(times):
    if times is None:
        return ""
    return f"{_rate(times)} x faster" if times >= 1 else f"{1 / times:.1f} x slower"


def _time(seconds):
    size, unit = next((pair for pair in _UNITS if seconds >= pair[0]), _UNITS[-1])
    return f"{seconds / size:.3g} {unit}"
