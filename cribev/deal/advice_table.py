"""How an advice looks: the best few discards in a table, under what they answer."""

from collections import Counter
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.choice import NEAR_TIE, near_ties
from cribev.deal.outcomes import Choice
from cribev.deal.score_effect import (
    CLOSE_WINS,
    close_wins,
    needs_text,
    percent,
    score_effect,
    score_effect_text,
)
from cribev.game import render
from cribev.game.cards import Cards, as_cards
from cribev.game.roles import Role

_ROOM_FOR_SPREAD = 76  # columns of a terminal, for sd and range too
_GAP = "  "  # between mean, sd and range; one column less where the play has some
_ROOM_FOR_WINS = 8  # of how often it wins, and how much less often than the best
_ROOM_FOR_PLAY = 4  # more columns, of what the play takes and the gaps leave


class ExpectedSum(Protocol):
    """What an expected average is made of, in points."""

    @property
    def hand_mean(self) -> float:
        """Average hand."""

    @property
    def crib_mean(self) -> float:
        """Average crib."""

    @property
    def play_mean(self) -> float | None:
        """What the play brings, if it counts."""

    @property
    def expected(self) -> float:
        """All together."""


@dataclass(frozen=True, eq=False)
class AdviceTable(render.Displayable):
    """The best few of the 15 discards, under what they answer."""

    deal: Cards
    role: Role
    opponent: str
    crib_table: str | None
    choices: list[Choice]
    """All 15, the best first."""
    rows: int
    """How many to show."""
    score: tuple[int, int] | None = None
    """The player's points and the opponent's, if wins count."""

    def marks(self) -> list[str]:
        """Mark each row: ``=`` where its rank is shared, ``~`` where it is close to the best.

        With a score ``~`` is close to what wins most, and ``.`` to what is best by points.
        """
        often = Counter(choice.rank for choice in self.choices)
        points = np.array([choice.expected for choice in self.choices])
        near, by_points = near_ties(points).tolist(), [False] * len(points)
        if self.score is not None:
            by_points = (points + NEAR_TIE >= points.max()).tolist()
            near = close_wins([choice.win or 0 for choice in self.choices])
        return [
            "=" * (often[choice.rank] > 1) + "~" * close + "." * also
            for choice, close, also in zip(self.choices, near, by_points, strict=True)
        ]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        whose = "your crib" if self.role == "dealer" else "the opponent's crib"
        best = self.choices[0]
        yield Text.assemble(render.styled_cards(console, self.deal), f" as {self.role} ({whose})")
        yield Text(f"opponent: {render.printable(self.opponent)}" + self._table_note(), style="dim")
        if self.score is not None:
            own, opponents = self.score
            yield Text(f"score {own}-{opponents}: {needs_text(self.score, self.role)}")
        wins = "" if best.win is None else f"wins {percent(best.win)}, "
        yield Text.assemble(
            ("Discard ", "bold green"),
            render.styled_cards(console, as_cards(best.discard)),
            (" and keep ", "bold green"),
            render.styled_cards(console, as_cards(best.keep)),
            (
                f": {wins}{sum_text(best, self.role)} on average",
                "bold green",
            ),
        )
        if self.score is not None:
            at = score_effect(self.choices)
            discard = render.styled_cards(console, as_cards(at.by_points)).plain
            yield Text(score_effect_text(at, discard), style="bold" if at.changes else "dim")
        yield Text()
        marks = self.marks()[: self.rows]
        played, scored = best.play_mean is not None, best.win is not None
        room = options.max_width - played * _ROOM_FOR_PLAY - scored * _ROOM_FOR_WINS
        gap = None if room < _ROOM_FOR_SPREAD else " " if played else _GAP
        listed = render.table(
            console, ("", "left"), ("discard", "left"), ("keep", "left"),
            *((("wins", "right"), ("fewer", "right")) if scored else ()),
            ("expected", "right"), *(() if scored else (("behind", "right"),)),
            *((_heading(console, part, gap), "right") for part in ("hand", "crib")),
            *((("play", "right"),) if played else ()),
        )  # fmt: skip
        for choice, mark in zip(self.choices[: self.rows], marks, strict=True):
            hand = choice.hand_mean, choice.hand_sd, choice.hand_min, choice.hand_max
            crib = choice.crib_mean, choice.crib_sd, choice.crib_min, choice.crib_max
            listed.add_row(
                f"{choice.rank}{mark}",
                render.styled_cards(console, as_cards(choice.discard)),
                render.styled_cards(console, as_cards(choice.keep)),
                *_wins(choice, best),
                f"{choice.expected:.2f}",
                *([] if scored else [_behind(choice, best)]),
                _with_spread(gap, *hand),
                _with_spread(gap, *crib),
                *([] if choice.play_mean is None else [f"{choice.play_mean:+.2f}"]),
                style="bold" if choice.rank == 1 else "",
            )
        yield listed
        close = f"within {NEAR_TIE} of the best"
        notes = {"=": "= equal", "~": f"~ {close}"}
        if scored:
            notes["~"] = f"~ within {percent(CLOSE_WINS)} of the most wins"
            notes["."] = f". {close} by points"
        if used := [note for mark, note in notes.items() if mark in "".join(marks)]:
            yield Text("   ".join(used), style="dim")

    def _table_note(self) -> str:
        table = f", crib averages: {render.printable(self.crib_table)}" if self.crib_table else ""
        others = self.opponent != "expert" and self.choices[0].play_mean is not None
        return f"{table}, the play that of experts" if others else table


def _behind(choice: Choice, best: Choice) -> str:
    return f"{best.expected - choice.expected:.2f}" if choice.rank > 1 else ""


def _wins(choice: Choice, best: Choice) -> list[str]:
    if choice.win is None or best.win is None:
        return []
    fewer = f"{100 * (best.win - choice.win):.1f}" if choice.rank > 1 else ""
    return [percent(choice.win), fewer]


def sum_text(choice: ExpectedSum, role: Role) -> str:
    """Write out how an expected average comes about, as ``hand 8.00 - crib 4.50 = 3.50``."""
    said = f"hand {choice.hand_mean:.2f} {'+' if role == 'dealer' else '-'} "
    said += f"crib {choice.crib_mean:.2f}"
    if choice.play_mean is not None:
        said += f" {'-' if choice.play_mean < 0 else '+'} play {abs(choice.play_mean):.2f}"
    return f"{said} = {choice.expected:.2f}"


def _heading(console: Console, part: str, gap: str | None) -> str:
    if gap is None:
        return part
    named = gap.join([" mean", " sd", "range"])
    return f"{render.ruled_heading(console, part, width=len(named))}\n{named}"


def _with_spread(gap: str | None, mean: float, sd: float, least: int, most: int) -> str:
    if gap is None:
        return f"{mean:.2f}"
    return gap.join([f"{mean:5.2f}", f"{sd:3.1f}", f"{f'{least}-{most}':>5}"])
