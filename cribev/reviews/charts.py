"""The charts of pages: where lines, bars, dots and labels go."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from cribev.classes.canonical import Floats
from cribev.game.words import format_chance, format_points
from cribev.grades.grading import COMPONENTS, PLAY_PARTS, PLAY_SWING, Component

WIDE, HIGH = 400, 220  # the units that charts of a review are drawn in, near a phone's pixels

_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 8, 10, 32
_LINE = 14  # the height of a line of text
_STRIP_LEFT, _STRIP_RIGHT, _STRIP_ROW = 70, 62, 20
_STRIP_SHOWS = 3.2  # points behind the best, at least
_NARROW, _LOW = 360, 150  # of a chart beside others
_DISCARD_AT, _LAST_CARD = 0.25, 9  # where in a deal its choices stand; one more than cards played
_MOST_GAMES = 20  # that are drawn
_MAX_BAR = 34  # of a bar with the gap around it


class Axis(NamedTuple):
    """A scale: values from `low` to `high` stand between `near` and `far`."""

    low: float
    high: float
    near: float
    far: float

    def at(self, value: float) -> float:
        """Place a value."""
        return round(float(self.near + (value - self.low) * self.unit), 2)

    @property
    def unit(self) -> float:
        """The length of one."""
        return (self.far - self.near) / (self.high - self.low)

    def ticks(self, *, most: int = 6, least: float = 0.0) -> list[float]:
        """Choose round values, a few of them."""
        rough = max((self.high - self.low) / most, least, 1e-9)
        power = 10.0 ** np.floor(np.log10(rough))
        step = next(n * power for n in (1, 2, 5, 10) if n * power >= rough * (1 - 1e-9))
        first, last = np.ceil(self.low / step - 1e-9), np.floor(self.high / step + 1e-9)
        return [float(round(n * step, 6)) + 0.0 for n in np.arange(first, last + 1)]

    def bar(self, up: "Axis", place: float, value: float, **more: Any) -> dict[str, Any]:
        """Draw a bar around a place of this axis, up to a value of the other."""
        high = round(up.at(0) - up.at(value), 2)
        x, wide = self.at(place - 0.4), round(0.8 * self.unit, 2)
        return {"x": x, "y": up.at(value), "wide": wide, "high": high, **more}


def ledger(decisions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Draw running totals over a player's deals: luck, what was lost, swings, the result."""
    graded = any(decision["choices"] for decision in decisions)
    steps = [*COMPONENTS[:-1], *PLAY_PARTS] if graded else COMPONENTS
    steps_of_kinds = {
        kind: [step for step in steps if step.kind == kind]
        for kind in dict.fromkeys(step.kind for step in COMPONENTS)
    } | {"result": [Component("result", "result", "swing")]}
    lines = list[dict[str, Any]]()
    for kind, own_steps in steps_of_kinds.items():
        values = {
            step: np.array([_gain(decision, step.name) for decision in decisions], dtype=np.float64)
            for step in own_steps
        }
        if known := [step for step in own_steps if not np.isnan(values[step]).all()]:
            words = " and ".join(step.words + _known_of(values[step]) for step in known)
            if graded and kind == "lost":
                words = f"lost by discards and cards{_known_of(values[known[-1]])}"
            elif graded and kind == "swing":
                words += ", the opponent’s errors in them"
            each = np.nansum([values[step] for step in known], axis=0)
            totals = [0.0, *(known[0].sign * each.cumsum()).tolist()]
            end = format_points(known[0].sign * totals[-1], sign=kind != "lost")
            lines.append({"kind": kind, "words": words, "end": end, "totals": totals})
    low = min(min(line["totals"]) for line in lines)
    high = max(max(line["totals"]) for line in lines)
    room = max(high - low, 1.0) * 0.06
    up = Axis(low - room, high + room, HIGH - _BOTTOM, _TOP)
    across = Axis(0, max(len(decisions), 1), _LEFT, WIDE - _RIGHT)
    for line in lines:
        line["path"] = _path(
            (across.at(index), up.at(total)) for index, total in enumerate(line["totals"])
        )
    return {
        **_frame(across, up, zero=0),
        "lines": lines,
        "across": [(across.at(value), int(value)) for value in across.ticks(most=8, least=1.0)],
    }


def _gain(decision: dict[str, Any], name: str) -> float:
    """Return a part of a result; play that nobody grades is luck as a whole."""
    value: float = decision.get(name, np.nan)
    return _gain(decision, PLAY_SWING.name) if name == "play_luck" and np.isnan(value) else value


def _choices(decision: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """List a discard and the cards after it as marks: ``decision``, ``choice``, and place."""
    yield {"decision": decision, "choice": decision, "part": _DISCARD_AT}
    for card in decision["choices"]:
        place = _DISCARD_AT + (1 - _DISCARD_AT) * card["number"] / _LAST_CARD
        yield {"decision": decision, "choice": card, "part": place}


def wins(
    decisions: Sequence[dict[str, Any]], unit: str, worths: Sequence[float]
) -> dict[str, Any] | None:
    """Draw how likely a player wins a game, and what that is worth; None without scores.

    ``worths`` are those of the ways that a game can end, in the ``unit``.
    """
    if all(np.isnan(decision["win_before"]) for decision in decisions):
        return None
    staked = "value" in decisions[0]
    up = Axis(0, 1, HIGH - _BOTTOM, _TOP)
    across = Axis(0, len(decisions), _LEFT, WIDE - (_LEFT if staked else _RIGHT))
    lines = _game_lines(decisions, "win", across, up)
    worth = up._replace(low=min(worths), high=max(worths))
    values = _game_lines(decisions, "value", across, worth) if staked else []
    bottom = up.at(0)
    return {
        **_frame(across, up, zero=0.5),
        "lines": [_path(line) for line in lines],
        "values": [_path(line) for line in values],
        "unit": unit,
        "beside": [(worth.at(value), f"{value:g}") for value in worth.ticks()] if staked else [],
        "areas": [
            f"{_path([*line, (line[-1][0], bottom), (line[0][0], bottom)])}Z"
            for line in lines
            if len(line) > 1
        ],
        "dots": [
            mark | {"x": across.at(place), "y": up.at(mark["choice"]["win"])}
            for place, mark in _marks(decisions, "win")
        ],
        "from": format_chance(decisions[0]["win_before"]),
        "to": format_chance(decisions[-1]["win_after"]),
        "up": [(up.at(chance), f"{chance:.0%}") for chance in (0, 0.25, 0.5, 0.75, 1)],
        "across": [
            (across.at(number - 0.5), decisions[int(number) - 1]["deal"])
            for number in across.ticks(most=8, least=1.0)
            if number >= 1
        ],
    }


def _marks(
    decisions: Sequence[dict[str, Any]], name: str
) -> Iterator[tuple[float, dict[str, Any]]]:
    """List the choices of which a chance is known, each after its place along the game."""
    for index, decision in enumerate(decisions):
        for mark in _choices(decision):
            if not np.isnan(mark["choice"].get(name, np.nan)):
                yield index + mark["part"], mark


def _game_lines(
    decisions: Sequence[dict[str, Any]], name: str, across: Axis, up: Axis
) -> list[list[tuple[float, float]]]:
    """Draw how chances run over a game, or what they are worth, broken where they are not known."""
    points = list[tuple[float, float]]()
    points += [(index, decision[f"{name}_before"]) for index, decision in enumerate(decisions)]
    points.append((len(decisions), decisions[-1][f"{name}_after"]))
    points += [(place, mark["choice"][name]) for place, mark in _marks(decisions, name)]
    runs = groupby(sorted(points), key=lambda point: np.isnan(point[1]))
    known = (run for unknown, run in runs if not unknown)
    return [[(across.at(index), up.at(value)) for index, value in run] for run in known]


def strip(decisions: Sequence[dict[str, Any]], behind: Floats) -> dict[str, Any]:
    """Draw all 15 discards by how far they are behind the best, ``(N, 15)`` by row."""
    most = max([_STRIP_SHOWS, *(decision["loss"] * 1.02 for decision in decisions)])
    across = Axis(0, most, _STRIP_LEFT, _NARROW - _STRIP_RIGHT)
    top = _LINE + 2
    bottom = top + _STRIP_ROW * len(decisions)
    rows = []
    for index, decision in enumerate(decisions):
        shown = [points for points in behind[decision["row"]].tolist() if points <= most]
        rows.append(
            {
                "y": top + _STRIP_ROW * (index + 0.5),
                "dots": sorted({across.at(points) for points in shown}),
                "discarded": across.at(decision["loss"]),
                "decision": decision,
            }
        )
    return {
        "wide": _NARROW,
        "left": across.near,
        "right": across.far,
        "top": top,
        "bottom": bottom,
        "high": bottom + 2 * _LINE + 4,
        "across": [(across.at(value), f"{value:g}") for value in across.ticks(most=5)],
        "rows": rows,
    }


def games(games: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Draw points lost a deal in the latest games, rows of `games_by_player`; None of one alone."""
    latest = games[-_MOST_GAMES:]
    if len(latest) < 2:
        return None
    left, bottom = 44, _LOW - 22
    wide = min(_NARROW - left - 4, _MAX_BAR * len(latest))
    across = Axis(-0.5, len(latest) - 0.5, left, left + wide)
    up = Axis(0, max(0.2, *(game["lost"] for game in latest)), bottom, 8)
    bars = []
    for index, game in enumerate(latest):
        lost, name = game["lost"], game["game"]
        bars.append(across.bar(up, index, lost, lost=lost, hands=game["deals"], day=name))
    first, last = latest[0]["game"], latest[-1]["game"]
    return {
        "wide": _NARROW,
        "high": _LOW,
        "left": left,
        "bottom": bottom,
        "bars": bars,
        "lines": [{"y": up.at(points), "points": points} for points in up.ticks(most=5)],
        "first": first,
        "last": last if last != first else "",
        "end": across.far,
    }


def _known_of(values: Floats) -> str:
    """Say of how many deals something is known, if not of all."""
    known = np.count_nonzero(~np.isnan(values))
    return "" if known == len(values) else f" ({known} of {len(values)})"


def _frame(across: Axis, up: Axis, *, zero: float) -> dict[str, Any]:
    """Draw what is around a chart of a review: its box, its zero line, its labels at the left."""
    return {
        "left": across.near,
        "right": across.far,
        "top": _TOP,
        "bottom": HIGH - _BOTTOM,
        "zero": up.at(zero),
        "up": [(up.at(value), f"{value:g}") for value in up.ticks()],
    }


def _path(points: Iterable[tuple[float, float]]) -> str:
    """Draw a line."""
    return " ".join(f"{'L' if index else 'M'}{x} {y}" for index, (x, y) in enumerate(points))
