"""The pictures of a review's page: where lines, bars and dots come to stand."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cribev.classes.canonical import Floats
from cribev.reviews.decomposition import known_components
from cribev.reviews.wording import VerdictBands, format_percent, format_points

WIDE, HIGH = 400, 220
"""The units pictures are drawn in, near a phone's pixels."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 8, 10, 32
_BAND_WORDS = 68  # room at the right for the names of the bands
_LINE = 14  # the height of a line of text
_STRIP_WIDE, _STRIP_LEFT, _STRIP_RIGHT, _STRIP_ROW = 360, 70, 62, 20
_STRIP_SHOWS = 3.2  # points behind the best, at least


@dataclass(frozen=True)
class Axis:
    """Where values come to stand in a picture."""

    low: float
    high: float
    near: float
    far: float

    def at(self, value: float) -> float:
        """Place a value."""
        part = (value - self.low) / (self.high - self.low)
        return round(self.near + part * (self.far - self.near), 2)

    def ticks(self, *, most: int = 6, least: float = 0.0) -> list[float]:
        """Choose round values, a few of them."""
        rough = max((self.high - self.low) / most, least, 1e-9)
        power = 10.0 ** np.floor(np.log10(rough))
        step = next(n * power for n in (1, 2, 5, 10) if n * power >= rough * (1 - 1e-9))
        first, last = np.ceil(self.low / step - 1e-9), np.floor(self.high / step + 1e-9)
        return [float(round(n * step, 6)) + 0.0 for n in np.arange(first, last + 1)]


def ledger(decisions: pd.DataFrame) -> dict[str, Any]:
    """Draw running totals over the deals: luck, what was lost, swings, the result.

    What is not known of a deal adds nothing; what is known of none has no line. What was lost is
    drawn downward, as it is taken away, and written as it is everywhere.

    Parameters
    ----------
    decisions
        Those of one player, in order.
    """
    parts: dict[str, tuple[str, int, pd.DataFrame]] = {}
    steps = known_components(decisions)
    for kind in dict.fromkeys(step.kind for step in steps):
        own = [step for step in steps if step.kind == kind and decisions[step.name].notna().any()]
        if own:
            known = decisions[[step.name for step in own]]
            words = [step.words + _of(known[step.name]) for step in own]
            parts[kind] = " and ".join(words), own[0].sign, known
    if decisions["result"].notna().any():
        parts["result"] = "result" + _of(decisions["result"]), 1, decisions[["result"]]
    running = {
        kind: np.concatenate([[0.0], sign * known.sum(axis=1).cumsum()])
        for kind, (_, sign, known) in parts.items()
    }
    low = min(float(line.min()) for line in running.values())
    high = max(float(line.max()) for line in running.values())
    room = max(high - low, 1.0) * 0.06
    up = Axis(low - room, high + room, HIGH - _BOTTOM, _TOP)
    across = Axis(0, max(len(decisions), 1), _LEFT, WIDE - _RIGHT)
    return {
        **_box(WIDE - _RIGHT),
        "lines": [
            {
                "kind": kind,
                "words": parts[kind][0],
                "path": " ".join(_path(line, across, up)),
                "end": format_points(parts[kind][1] * line[-1], sign=kind != "lost"),
            }
            for kind, line in running.items()
        ],
        "zero": up.at(0),
        "up": [(up.at(value), f"{value:g}") for value in up.ticks()],
        "across": _deal_ticks(across, len(decisions), middle=False),
    }


def losses(decisions: Sequence[dict[str, Any]], bands: VerdictBands) -> dict[str, Any]:
    """Draw a bar for what each deal's discard lost, beside the names of the bands.

    Parameters
    ----------
    decisions
        Those of one player, in order.
    bands
        What the verdicts mean.
    """
    most = max([bands.blunder, *(decision["ev_loss"] for decision in decisions)])
    up = Axis(0, most * 1.05, HIGH - _BOTTOM, _TOP)
    across = Axis(0, max(len(decisions), 1), _LEFT, WIDE - _BAND_WORDS)
    step = (across.far - across.near) / max(len(decisions), 1)
    bars = [
        {
            "x": round(across.at(at) + step * 0.1, 2),
            "y": up.at(decision["ev_loss"]),
            "wide": round(step * 0.8, 2),
            "high": round(up.at(0) - up.at(decision["ev_loss"]), 2),
            "decision": decision,
        }
        for at, decision in enumerate(decisions)
    ]
    lines = [up.at(value) for value in bands]
    return {
        **_box(WIDE - _BAND_WORDS),
        "bars": bars,
        "zero": up.at(0),
        "bands": list(zip(lines, _apart(lines, _LINE), bands._fields, strict=True)),
        "up": [(up.at(value), f"{value:g}") for value in up.ticks()],
        "across": _deal_ticks(across, len(decisions), middle=True),
    }


def wins(decisions: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Draw how likely a game is won, before each deal, after each discard, and after the last.

    Parameters
    ----------
    decisions
        Some of one player's of one game, in order.

    Returns
    -------
    None where the score is not known of any, or the chances were not asked for.
    """
    if all(np.isnan(decision.get("win_before", np.nan)) for decision in decisions):
        return None
    up = Axis(0, 1, HIGH - _BOTTOM, _TOP)
    across = Axis(0, len(decisions), _LEFT, WIDE - _RIGHT)
    values: list[tuple[float, float]] = []
    for at, decision in enumerate(decisions):
        values += [(at, decision["win_before"]), (at + 0.5, decision["win"])]
    values.append((len(decisions), decisions[-1]["win_after"]))
    lines: list[list[tuple[float, float]]] = [[]]
    for where, value in values:
        if not np.isnan(value):
            lines[-1].append((across.at(where), up.at(value)))
        elif lines[-1]:
            lines.append([])
    return {
        **_box(WIDE - _RIGHT),
        "lines": [" ".join(_moves(line)) for line in lines if line],
        "areas": [
            f"{' '.join(_moves(line))} L{line[-1][0]} {up.at(0)} L{line[0][0]} {up.at(0)}Z"
            for line in lines
            if len(line) > 1
        ],
        "dots": [
            {"x": across.at(at + 0.5), "y": up.at(decision["win"]), "decision": decision}
            for at, decision in enumerate(decisions)
            if not np.isnan(decision["win"])
        ],
        "from": format_percent(values[0][1]),
        "to": format_percent(values[-1][1]),
        "zero": up.at(0.5),
        "up": [(up.at(part), f"{part:.0%}") for part in (0, 0.25, 0.5, 0.75, 1)],
        "across": [
            (across.at(value - 0.5), decisions[int(value) - 1]["deal"])
            for value in across.ticks(most=8, least=1.0)
            if value >= 1
        ],
    }


def strip(
    decisions: Sequence[dict[str, Any]], behind: Floats, *, contested: float
) -> dict[str, Any]:
    """Draw all 15 discards of some decisions by how far they are behind the best.

    Parameters
    ----------
    decisions
        Some of one player's, in order.
    behind
        Points behind the best of each discard, ``(N, 15)``.
    contested
        The greatest margin of a contested decision, in points.
    """
    most = max([_STRIP_SHOWS, *(decision["ev_loss"] * 1.02 for decision in decisions)])
    across = Axis(0, most, _STRIP_LEFT, _STRIP_WIDE - _STRIP_RIGHT)
    top = _LINE + 2
    bottom = top + _STRIP_ROW * len(decisions)
    return {
        "wide": _STRIP_WIDE,
        "left": _STRIP_LEFT,
        "right": _STRIP_WIDE - _STRIP_RIGHT,
        "top": top,
        "bottom": bottom,
        "high": bottom + 2 * _LINE + 4,
        "contested": round(across.at(contested) - across.at(0), 2),
        "across": [(across.at(value), f"{value:g}") for value in across.ticks(most=5)],
        "rows": [
            {
                "y": top + _STRIP_ROW * (at + 0.5),
                "dots": sorted({across.at(points) for points in own.tolist() if points <= most}),
                "thrown": across.at(decision["ev_loss"]),
                "decision": decision,
            }
            for at, (decision, own) in enumerate(zip(decisions, behind, strict=True))
        ],
    }


def _of(values: pd.Series) -> str:
    """Say of how many deals something is known, if not of all."""
    known = values.notna().sum()
    return "" if known == len(values) else f" ({known} of {len(values)})"


def _box(right: float) -> dict[str, float]:
    return {"left": _LEFT, "right": right, "top": _TOP, "bottom": HIGH - _BOTTOM}


def _moves(points: Iterable[tuple[float, float]]) -> Iterator[str]:
    for at, (x, y) in enumerate(points):
        yield f"{'L' if at else 'M'}{x} {y}"


def _path(line: Iterable[float], across: Axis, up: Axis) -> Iterator[str]:
    return _moves((across.at(at), up.at(value)) for at, value in enumerate(line))


def _deal_ticks(across: Axis, deals: int, *, middle: bool) -> list[tuple[float, int]]:
    return [
        (across.at(value - 0.5 if middle else value), int(value))
        for value in across.ticks(most=8, least=1.0)
        if (0 if not middle else 1) <= value <= deals
    ]


def _apart(heights: Sequence[float], least: float) -> list[float]:
    """Move words that run upward apart, so that none covers another.

    >>> _apart([100.0, 95.0, 50.0], 12)
    [100.0, 88.0, 50.0]
    """
    moved: list[float] = []
    for height in heights:
        moved.append(min(height, moved[-1] - least) if moved else height)
    return moved
