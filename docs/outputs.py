"""Update outputs and figures in README, the guides, the benchmarks' page and the served pages."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from benchmarks import report
from cribev.solution.solution import load
from docs.figures import filled

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEMPLATES = sorted((ROOT / "cribev" / "app" / "web" / "templates").glob("*.html"))
BENCHMARKS = ROOT / "benchmarks" / "README.md"
RESULTS = ROOT / "benchmarks" / "results.json"

_CONSOLE = re.compile(r"(?<=^```console\n)(.*?)(?=^```)", re.MULTILINE | re.DOTALL)
_REPORT = re.compile(r"(?<=^```text\n)(.*?)(?=^```)", re.MULTILINE | re.DOTALL)


def remake(*, check):
    """Write all again; or, to check, only list those that would change."""
    stale = []
    made_by = dict.fromkeys(PAGES, remade) | dict.fromkeys(TEMPLATES, with_figures)
    made_by[BENCHMARKS] = remade_report
    for file, make in made_by.items():
        before = file.read_text(encoding="utf-8")
        after = make(before)
        if before != after:
            stale.append(f"{file.relative_to(ROOT)} is out of date")
        if not check:
            file.write_text(after, encoding="utf-8")
    return stale


def remade(text):
    """Update the outputs of commands and the figures in a text."""
    text = _CONSOLE.sub(lambda block: "".join(map(answered, commands(block[1]))), text)
    return with_figures(text)


def with_figures(text):
    """Update the figures in a text from the results of the benchmarks."""
    return filled(text, known_figures())


def known_figures():
    """Name the figures that are filled in."""
    return figures(json.loads(RESULTS.read_text(encoding="utf-8"))) | gains()


def remade_report(text):
    """Update the report of the benchmark and the figures in a text."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    return with_figures(_REPORT.sub(lambda _: report.text(results), text, count=1))


def commands(block):
    """List the commands of a console block."""
    return re.findall(r"^\$ (.*)", block, flags=re.MULTILINE)


def parsed(command):
    """Part a command into its arguments and what it is given to read."""
    program, *arguments = shlex.split(command)
    stdin = b""
    if program == "echo":
        end = arguments.index("|")
        stdin = " ".join(arguments[:end]).encode()
        program, *arguments = arguments[end + 1 :]
    if program != "cribev":
        raise ValueError(f"{program!r} is not cribev")
    return arguments, stdin


def answered(command):
    """Run a command and return it with its output."""
    arguments, stdin = parsed(command)
    done = subprocess.run(
        [sys.executable, "-m", "cribev", *arguments],
        input=stdin, capture_output=True, check=True, cwd=ROOT, timeout=60,
        env={**os.environ, "PYTHONUTF8": "1"},
    )  # fmt: skip
    return f"$ {command}\n{done.stdout.decode().rstrip()}\n"


def gains():
    """Name what an opponent can gain against the solved game, in points a deal.

    The gain of one who forgets is stored with the solution; that of one who uses all they know is
    measured by `benchmarks.best_reply`, whose output is on the benchmarks' page.
    """
    page = BENCHMARKS.read_text(encoding="utf-8")
    measured = re.findall(
        r"^(dealer|pone)\n  points worked out.*\n    best reply.* gained \+(\S+) ±",
        page,
        re.MULTILINE,
    )
    solution = load(play=True)
    left = solution.play.exploitability + sum(solution.exploitability.values())
    return {"left to gain": f"{left:.3f}"} | {
        f"reply gains as {role}": f"{float(gain):.2f}" for role, gain in measured
    }


def figures(results):
    """Name the figures of speed that a text can use, from the results of the benchmark."""
    rows = {
        (section["title"], row["who"]): row
        for section in results["speed"]
        for row in section["rows"]
    }

    def rate(*row):
        return f"{rows[row]['rate'] / 1e6:.3g} million"

    def each(*row):
        return f"{rows[row]['seconds'] * 1e3:.0f} ms"

    def seconds(*row):
        return f"{rows[row]['seconds']:.1f} s"

    files, reviews = "Best discards, files, whole processes", "Reviews, whole processes"
    a_discard = 1e3 / rows[reviews, "304, exactly"]["rate"]
    near_end = rows["Rows near the end of a game, whole processes", "1,200, review --fast"]
    command = "cribev advise AH 2C 7D 9S JH QC --dealer"
    return {
        "a command": seconds("Whole processes", command),
        "hands scored": rate("Scoring hands", "cribev"),
        "one deal": each("One deal, hands and cribs, exact expert", "cribev"),
        "deals in arrays": rate("Best discards, arrays, one core", "100,000"),
        "deals looked up": rate("Best discards, arrays, one core", "1,000,000"),
        "rows of Parquet": rate(files, "parquet, 10,000,000"),
        "a discard reviewed": f"{a_discard:.0f} ms",
        "a game at scores": seconds(reviews, "26, at the score, every card too"),
        "discards in a fast review": seconds(reviews, "100,320, --fast"),
        "rows near the end": f"{near_end['rate']:.0f}",
        "memory": f"{rows[files, 'parquet, 10,000,000']['peak_mib']:.0f} MiB",
    }
