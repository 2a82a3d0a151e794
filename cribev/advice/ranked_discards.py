"""What advice with and without suits has in common: discards, best first, and how they look."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.text import Text

from cribev.advice.choices import Choice, SuitlessChoice, sum_text
from cribev.advice.score_effect import needs_text, score_effect
from cribev.choice import format_chance, mark_notes, tie_marks
from cribev.classes.canonical import Index
from cribev.game import render
from cribev.game.cards import Cards, as_cards, format_cards, format_ranks
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import Role, crib_owner
from cribev.opponents.models import Goal
from cribev.solution.play import ExpectedPegging

_ROOM_FOR_SPREAD = 76  # columns of a terminal, for sd and range too
_ROOM_FOR_WINS = 8  # of how often it wins, and how much less often than the best
_ROOM_FOR_PLAY = 4  # more columns, of what the play takes and the gaps leave

_Row = TypeVar("_Row", Choice, SuitlessChoice)
_Column: TypeAlias = tuple[str, JustifyMethod, list[Any]]


@dataclass(frozen=True, eq=False, repr=False)
class RankedDiscards(render.Displayable, Generic[_Row]):
    """The discards of six cards or ranks, best first.

    `deals` is how many deals the cards can be, 1 with suits; `order` the place of each discard in
    the order of the keeps, and `columns` the numbers of `table`, arrays in this order.
    """

    deal: Cards
    deals: int
    role: Role
    opponent: str
    play_name: str | None
    crib_table: str | None
    score: tuple[int, int] | None
    plays_for: Goal
    order: Index
    columns: Mapping[str, NDArray[Any]]

    has_suits: ClassVar[bool] = True
    _row: ClassVar[Any]

    @property
    def cards(self) -> str:
        """The six cards as text."""
        return self._text(self.deal)

    def _text(self, cards: Cards) -> str:
        return format_cards(cards) if self.has_suits else format_ranks(cards)

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each discard, best first."""
        return pd.DataFrame({"rank": self.columns["rank"], **self._texts, **self.columns})

    @cached_property
    def choices(self) -> list[_Row]:
        """The rows of the table."""
        fields: dict[str, list[Any]] = dict.fromkeys(self._row._fields, [None] * len(self.order))
        fields |= self._texts | {name: column.tolist() for name, column in self.columns.items()}
        return [self._row(*values) for values in zip(*fields.values(), strict=True)]

    @property
    def _texts(self) -> dict[str, list[str]]:
        return {
            name: [self._text(self.deal[positions[keep]]) for keep in self.order]
            for name, positions in (("discard", DISCARDS), ("keep", KEEPS))
        }

    @property
    def best(self) -> _Row:
        """The first row of the table."""
        return self.choices[0]

    def alternative_to(self, chosen: _Row) -> _Row | None:
        """Find the best discard; or, for the best, the next that is not its equal."""
        return next((one for one in self.choices if (one.rank == 1) != (chosen.rank == 1)), None)

    def top(self, number: int) -> "AdviceTable":
        """Show only the best few discards.

        >>> from cribev import advise
        >>> len(str(advise("5H 5D JS QC 2H 8D", role="dealer").top(2)).splitlines())
        8
        """
        return AdviceTable(self, number)

    def _asked(self) -> dict[str, Any]:
        asked = {"role": self.role, "opponent": self.opponent, "crib_table": self.crib_table}
        if self.score is None:
            return asked
        effect = score_effect(self.choices).to_dict()
        goal = {"opponent_plays_for": self.plays_for}
        return {**asked, "score": list(self.score), **goal, "at_the_score": effect}

    def _discards(self, top: int | None) -> dict[str, Any]:
        return {"discards": [choice.to_dict() for choice in self.choices[:top]]}

    def __repr__(self) -> str:
        more = f", crib_table={self.crib_table!r}" if self.crib_table else ""
        more += ", play=False" if self.play_name is None else ""
        more += f", score={self.score}" if self.score else ""
        return (
            f"{'advise' if self.has_suits else 'advise_ranks'}({self.cards!r}, role={self.role!r}, "
            f"opponent={self.opponent!r}{more})"
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.top(len(self.order))


@dataclass(frozen=True, eq=False)
class AdviceTable(render.Displayable):
    """The best few discards in a table, under what they answer."""

    advice: RankedDiscards[Any]
    rows: int

    @property
    def marks(self) -> list[str]:
        """A mark for each row, as `tie_marks`."""
        columns = self.advice.columns
        return tie_marks(columns["rank"], columns["expected"], columns.get("win"))

    def mark_notes(self, marks: list[str]) -> list[str]:
        """Say what these marks mean."""
        return mark_notes(marks, scored=self.advice.score is not None)

    @property
    def wins(self) -> list[tuple[str, str]]:
        """How often each row wins, and how much less than the best; equals are written alike."""
        ranks, wins = (self.advice.columns[name].tolist() for name in ("rank", "win"))
        texts: dict[int, tuple[str, str]] = {}
        for rank, win in zip(ranks, wins, strict=True):
            lost = f"{100 * (wins[0] - win):.1f}" if rank > 1 else ""
            texts.setdefault(rank, (format_chance(win), lost))
        return [texts[rank] for rank in ranks]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        advice = self.advice
        first, scored = advice.order[0], advice.score is not None
        any_suits = "" if advice.has_suits else f", any suits: {advice.deals:,} deals"
        whose = f" as {advice.role} ({crib_owner(advice.role)}){any_suits}"
        yield Text.assemble(self._styled(console, advice.deal), whose)
        yield Text(f"opponent: {render.printable(advice.opponent)}{self._sources()}", style="dim")
        if advice.score is not None:
            own, opponents = advice.score
            to_win = ", and plays to win" if advice.plays_for == "wins" else ""
            needs = needs_text(advice.score, advice.role)
            yield Text(f"score {own}-{opponents}: {needs}{to_win}")
        wins = f"wins {self.wins[0][0]}, " if scored else ""
        yield Text.assemble(
            ("Discard ", "bold green"),
            self._styled(console, advice.deal[DISCARDS[first]]),
            (" and keep ", "bold green"),
            self._styled(console, advice.deal[KEEPS[first]]),
            (f": {wins}{sum_text(advice.best, advice.role)} on average", "bold green"),
        )
        if scored:
            effect = score_effect(advice.choices)
            best = effect.by_points
            if advice.has_suits:
                best = render.styled_cards(console, as_cards(best)).plain
            yield Text(effect.text(best), style="bold" if effect.changes else "dim")
        yield Text()
        marks = self.marks
        listed = self._columns(console, options.max_width, marks)
        table = render.table(console, *((heading, justify) for heading, justify, _ in listed))
        cells = zip(*(texts for *_, texts in listed), strict=True)
        for rank, row, _ in zip(advice.columns["rank"], cells, range(self.rows), strict=False):
            table.add_row(*row, style="bold" if rank == 1 else "")
        yield table
        if notes := self.mark_notes(marks[: self.rows]):
            yield Text("   ".join(notes), style="dim")
        if not advice.has_suits:
            yield Text(
                "flushes and nobs depend on suits: they count as often as they occur", style="dim"
            )

    def _styled(self, console: Console, cards: Cards) -> Text:
        if self.advice.has_suits:
            return render.styled_cards(console, cards)
        return Text(format_ranks(cards))

    def _sources(self) -> str:
        """Say who plays, if not who discards, and where average cribs are from."""
        advice = self.advice
        plays = advice.play_name if advice.play_name != advice.opponent else None
        named = (("play", plays), ("crib averages", advice.crib_table))
        return "".join(f", {what}: {render.printable(name)}" for what, name in named if name)

    def _columns(self, console: Console, width: int, marks: list[str]) -> list[_Column]:
        """List headings, how they stand, and what is in the rows."""
        advice, columns = self.advice, self.advice.columns
        played, scored = "play_mean" in columns, advice.score is not None
        room = width - played * _ROOM_FOR_PLAY - scored * _ROOM_FOR_WINS
        gap = (" " if played else "  ") if room >= _ROOM_FOR_SPREAD else None
        ranks = columns["rank"].tolist()
        listed: list[_Column] = [
            ("", "left", [f"{rank}{mark}" for rank, mark in zip(ranks, marks, strict=True)])
        ]
        for heading, positions in (("discard", DISCARDS), ("keep", KEEPS)):
            cards = advice.deal[positions[advice.order]]
            listed.append((heading, "left", [self._styled(console, row) for row in cards]))
        if scored:
            wins, lost = map(list, zip(*self.wins, strict=True))
            listed += [("wins", "right", wins), ("wins\nlost", "right", lost)]
        expected = columns["expected"]
        listed.append(("expected", "right", _format_all(expected)))
        if not scored:
            behind = zip(ranks, _format_all(expected[0] - expected), strict=True)
            listed.append(("behind", "right", ["" if rank == 1 else text for rank, text in behind]))
        listed += [self._part(console, part, gap) for part in ("hand", "crib")]
        if played:
            listed.append(("play", "right", _format_all(columns["play_mean"], "+.2f")))
        if not advice.has_suits:
            ends = (_format_all(columns[f"expected_{end}"]) for end in ("min", "max"))
            listed.append(("by suits", "right", list(map(" to ".join, zip(*ends, strict=True)))))
            if not scored:
                listed.append(("best in", "right", _format_all(columns["often_best"], ".0%")))
        return listed

    def _part(self, console: Console, part: str, gap: str | None) -> _Column:
        """Write the hand or the crib: its average, and where there is room its spread."""
        columns = self.advice.columns
        mean = columns[f"{part}_mean"]
        if gap is None or f"{part}_sd" not in columns:
            return part, "right", _format_all(mean)
        heading = gap.join([" mean", " sd", "range"])
        spread = (columns[f"{part}_{name}"] for name in ("sd", "min", "max"))
        cells = [
            gap.join([f"{value:5.2f}", f"{sd:3.1f}", f"{f'{least}-{most}':>5}"])
            for value, sd, least, most in zip(mean, *spread, strict=True)
        ]
        ruled = render.ruled_heading(console, part, width=len(heading))
        return f"{ruled}\n{heading}", "right", cells


def _format_all(values: NDArray[np.float64], form: str = ".2f") -> list[str]:
    return [format(value, form) for value in values.tolist()]


def pegging_columns(pegging: ExpectedPegging | None) -> dict[str, NDArray[np.float64]]:
    """Name what is pegged on average, if the play counts.

    >>> list(pegging_columns(ExpectedPegging(np.ones(15), np.ones(15))))
    ['play_own', 'play_opponent', 'play_mean']
    """
    if pegging is None:
        return {}
    own, opponent = pegging
    return {"play_own": own, "play_opponent": opponent, "play_mean": own - opponent}
