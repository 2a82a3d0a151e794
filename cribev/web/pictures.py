"""Bars, chances and starters as drawings: where everything stands."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.choice import TIE_TOLERANCE
from cribev.game.cards import RANKS, SUITS, parse_cards
from cribev.practice.progress import Period, local

WIDE = 360
"""Width of a drawing: a phone's, so that its words are as large as others."""

_SHOWN = 0.0005  # of a chance
_HIGH, _TOP, _FOOT, _SIDE = 150, 8, 22, 4
_STEPS = 4  # shades of a gain or loss, each
_CELL_WIDE, _CELL_HIGH, _HEAD = 25, 24, 16
_LINES = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)  # points between the lines of progress
_WIDEST = 34  # of a bar of progress and what is around it
_LEFT = (WIDE + _HEAD - 13 * _CELL_WIDE) // 2
_ORDER = "SHDC"  # as in the deck on the page


class Bar(NamedTuple):
    """A part of a bar, in per cent of its width."""

    part: str
    x: float
    wide: float


class Scale(NamedTuple):
    """Where points stand in a bar."""

    least: float
    most: float

    def at(self, points: float) -> float:
        """Place a number of points, in per cent of the width.

        >>> Scale(-5, 15).at(5)
        50.0
        """
        return round(100 * (points - self.least) / (self.most - self.least), 2)


def scale_of(rows: Sequence[dict[str, float]]) -> Scale:
    """Find what the bars of some discards have room in.

    >>> scale_of([{"hand": 12.0, "crib": -4.0, "play": 0.5}, {"hand": 8.0, "crib": -5.0}])
    Scale(least=-5.0, most=12.5)
    """
    ends = [
        [sum(value for value in row.values() if value * sign > 0) for row in rows]
        for sign in (-1, 1)
    ]
    least, most = min(ends[0]), max(ends[1])
    return Scale(least, most if most > least else least + 1)


def bars(parts: dict[str, float], scale: Scale) -> list[Bar]:
    """Draw what a discard is made of: what it brings to the right of nothing, what it costs left.

    >>> bars({"hand": 10.0, "crib": -5.0}, Scale(-5, 15))
    [Bar(part='hand', x=25.0, wide=50.0), Bar(part='crib', x=0.0, wide=25.0)]
    """
    drawn, right, left = [], 0.0, 0.0
    for part, value in parts.items():
        if value >= 0:
            start, right = right, right + value
        else:
            start = left = left + value
        x = scale.at(start)
        wide = round(100 * abs(value) / (scale.most - scale.least), 2)
        drawn.append(Bar(part, x, wide))
    return drawn


def chances(best: pd.Series, mine: pd.Series | None) -> dict[str, Any]:
    """Draw how likely each total is, and beside it that of another discard.

    Parameters
    ----------
    best, mine
        Chances by points.

    Returns
    -------
    Where bars, steps and labels stand.

    Examples
    --------
    >>> found = chances(pd.Series([0.5, 0.25, 0.25], index=[3, 4, 5]), None)
    >>> found["bars"][0]["points"], found["mean"]["points"]
    (3, 3.75)
    """
    both = pd.DataFrame({"best": best} | ({} if mine is None else {"mine": mine})).fillna(0)
    likely = np.flatnonzero((both >= _SHOWN).any(axis=1))
    shown = both.iloc[likely[0] : likely[-1] + 1]
    points = shown.index.to_numpy()
    likely_best = shown["best"].tolist()
    at_least = both["best"].to_numpy()[::-1].cumsum()[::-1][likely[0] :].tolist()
    step = (WIDE - 2 * _SIDE) / len(points)
    most = float(shown.to_numpy().max())
    bottom = _HIGH - _FOOT

    def height(chance: float) -> float:
        return round(float((bottom - _TOP) * chance / most), 2)

    def place(value: float) -> float:
        return round(float(_SIDE + step * (value - points[0] + 0.5)), 2)

    path = ""
    if mine is not None:
        path = f"M{_SIDE} {bottom}" + "".join(
            f"V{bottom - height(chance):.2f}H{_SIDE + step * (at + 1):.2f}"
            for at, chance in enumerate(shown["mine"])
        )
        path += f"V{bottom}"
    every = 5 if len(points) > 12 else 1
    mean = float((best * best.index.to_numpy()).sum())
    return {
        "high": _HIGH,
        "wide": WIDE,
        "bottom": bottom,
        "top": _TOP,
        "bars": [
            {
                "points": int(one),
                "chance": likely_best[at],
                "at_least": at_least[at],
                "x": round(_SIDE + step * at + step * 0.1, 2),
                "y": round(bottom - height(likely_best[at]), 2),
                "wide": round(step * 0.8, 2),
                "high": height(likely_best[at]),
            }
            for at, one in enumerate(points.tolist())
        ],
        "path": path,
        "ticks": [
            {"x": place(one), "points": int(one)} for one in points.tolist() if one % every == 0
        ],
        "mean": {"x": place(mean), "points": mean},
    }


def starters(cards: Sequence[str], gains: NDArray[np.float64]) -> dict[str, Any]:
    """Draw what each starter adds, as a deck with the own cards missing.

    Parameters
    ----------
    cards, gains
        The starters and what each is over the average one, in points.

    Returns
    -------
    Where cells and labels stand, each cell with its shade from -4 to 4.

    Examples
    --------
    >>> found = starters(["5H", "KD"], np.array([2.0, -1.0]))
    >>> [cell["shade"] for cell in found["cells"]]
    [4, -2]
    """
    most = max(float(np.abs(gains).max()), 0.01)
    cells = []
    for text, gain in zip(cards, gains.tolist(), strict=True):
        card = int(parse_cards(text)[0])
        row = _ORDER.index(SUITS[card & 3])
        cells.append(
            {
                "card": card,
                "gain": gain,
                "shade": round(_STEPS * gain / most),
                "x": _LEFT + _CELL_WIDE * (card >> 2),
                "y": _HEAD + _CELL_HIGH * row,
            }
        )
    return {
        "wide": WIDE,
        "high": _HEAD + 4 * _CELL_HIGH + 2,
        "cell_wide": _CELL_WIDE - 2,
        "cell_high": _CELL_HIGH - 2,
        "cells": cells,
        "ranks": [
            {"x": _LEFT + _CELL_WIDE * (at + 0.5) - 1, "text": "10" if rank == "T" else rank}
            for at, rank in enumerate(RANKS)
        ],
        "suits": [
            {"y": _HEAD + _CELL_HIGH * at + 16, "suit": SUITS.index(suit)}
            for at, suit in enumerate(_ORDER)
        ],
    }


def progress(periods: Sequence[Period]) -> dict[str, Any]:
    """Draw what was lost a hand over time, a bar for each stretch, as high as it lost.

    Parameters
    ----------
    periods
        One or more, the first first.

    Returns
    -------
    Where bars, lines and labels stand.

    Examples
    --------
    >>> found = progress([Period("2026-11-21T18:00:00+00:00", "", 10, 5.0, 0.1)])
    >>> found["bars"][0]["day"], found["bars"][0]["lost"], found["lines"][-1]["points"]
    ('2026-11-21', 0.5, 0.5)
    """
    most = max(one.lost_mean for one in periods)
    each = next((size for size in _LINES if most <= 4 * size), _LINES[-1])
    top = max(each, np.ceil(most / each - TIE_TOLERANCE) * each)
    left, bottom = 2 * _FOOT, _HIGH - _FOOT
    step = min((WIDE - left - _SIDE) / len(periods), _WIDEST)

    first, last = (local(one.first)[:10] for one in (periods[0], periods[-1]))

    def height(points: float) -> float:
        return round(float((bottom - _TOP) * points / top), 2)

    return {
        "high": _HIGH,
        "wide": WIDE,
        "left": left,
        "bottom": bottom,
        "bars": [
            {
                "x": round(left + step * (at + 0.1), 2),
                "y": round(bottom - height(one.lost_mean), 2),
                "wide": round(step * 0.8, 2),
                "high": height(one.lost_mean),
                "lost": one.lost_mean,
                "hands": one.hands,
                "day": local(one.first)[:10],
            }
            for at, one in enumerate(periods)
        ],
        "lines": [
            {"y": round(bottom - height(points), 2), "points": float(points)}
            for points in np.arange(0, top + each / 2, each).round(2)
        ],
        "first": first,
        "last": last if last != first else "",
        "end": round(left + step * len(periods), 2),
    }
