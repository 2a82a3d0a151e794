"""Which two of six cards, or of six ranks, to discard: the answer, best first, and how it looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from typing import Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.text import Text

from cribev.advice.choices import Alternative, Choice, SuitlessChoice, sum_text
from cribev.advice.decisions import given_position, six_cards
from cribev.advice.outcomes import MAX_POINTS, CribScores, deal_outcomes
from cribev.advice.reasons import (
    Explanation,
    OutcomeProbabilities,
    PlayExplanation,
    distribution_to_dict,
    grouped_starters,
    needs_text,
    score_effect,
    styled_discard,
)
from cribev.advice.wins import (
    Chances,
    lead_win_chances,
    suitless_win_chances,
    valid_score,
    win_chances,
)
from cribev.choice import format_chance, mark_notes, net_points, ranking, tie_marks, tied_best
from cribev.classes.canonical import (
    Floats,
    Index,
    class_numbers,
    classify_deals,
    discard_rank_pairs,
)
from cribev.classes.class_tables import ClassTables, all_suitings, suit_averaged_values
from cribev.errors import CardError, TableError, quote
from cribev.game import render
from cribev.game.cards import (
    SUITLESS_OFFSET,
    Cards,
    CardsLike,
    as_cards,
    format_cards,
    format_ranks,
    parse_some_suits,
    parse_suitless,
    unseen,
)
from cribev.game.deal import Held, Position
from cribev.game.index_tables import DISCARDS, KEEPS, Points
from cribev.game.roles import Role, as_role, crib_owner
from cribev.game.score import Score
from cribev.game.show import Show, explain
from cribev.opponents.discarders import Objective, Opponent, OpponentLike, as_opponent
from cribev.rows.pairs import crib_table as read_crib_table
from cribev.solution.statistics import ExpectedPegging

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
    plays_for: Objective
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

    def top(self, number: int) -> AdviceTable:
        """Show only the best few discards.

        >>> from cribev import advise
        >>> len(str(advise("5H 5D JS QC 2H 8D", role="dealer").top(2)).splitlines())
        8
        """
        return AdviceTable(self, number)

    @property
    def position(self) -> Position:
        """What was asked about."""
        held = Held.of(parse_some_suits(self.cards))
        score = None if self.score is None else Score.of(*self.score, self.role)
        return Position(self.role, held, score=score)

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


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(render.Displayable):
    """A discard beside another of the same deal.

    Attributes
    ----------
    role
        Whose discards they are.
    choice, other
        What each is worth: rows of the advice's table.
    starters
        What each of the 46 starters makes of them: ``starter``; ``hand``, ``crib_mean`` and
        ``expected`` of the discard, ``other_hand``, ``other_crib_mean`` and ``other_expected`` of
        the other; and ``gain``, by how much the discard is ahead, the greatest first. In points.
    distribution
        How likely each total is: columns ``total`` and ``other_total``, index ``points``.
    """

    role: Role
    choice: Choice
    other: Choice
    starters: pd.DataFrame
    distribution: pd.DataFrame

    @property
    def starters_ahead(self) -> int | None:
        """After how many starters the discard is ahead; None if it is after all or none."""
        ahead = int((self.starters["gain"] > 0).sum())
        return ahead if 0 < ahead < len(self.starters) else None

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, ready for JSON.

        Examples
        --------
        >>> from cribev import advise
        >>> found = advise("5H 5D JS QC 2H 8D", role="dealer").compare("JS QC").to_dict()
        >>> list(found), found["other"]["discard"]
        (['choice', 'other', 'starters', 'distribution'], ['2H', '8D'])
        """
        return {
            "choice": self.choice.to_dict(),
            "other": self.other.to_dict(),
            "starters": self.starters.to_dict(orient="records"),
            "distribution": distribution_to_dict(self.distribution),
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rival = Alternative.of(self.other, self.choice)
        yield Text()
        yield Text.assemble(
            styled_discard(console, self.choice.discard),
            f" is {rival.better} than ",
            styled_discard(console, self.other.discard),
            ", the best discard" if rival.is_best else "",
        )
        yield Text(rival.parts(self.role) + (f"; {rival.wins}" if rival.wins else ""))
        if self.starters_ahead is not None:
            most, gain = next(grouped_starters(self.starters.query("gain > 0")))
            yield Text.assemble(
                f"ahead after {self.starters_ahead} of the 46 starters, most after ",
                render.styled_cards(console, most),
                f" ({gain:+.2f})",
            )


@dataclass(frozen=True, eq=False, repr=False)
class Advice(RankedDiscards[Choice]):
    """What each of the 15 discards of a deal is worth.

    Attributes
    ----------
    deal
        The six cards as numbers, uint8 ``(6,)``, ascending; `cards` are the same as text, and
        `starters` the 46 others, uint8 ``(46,)``, any of which can be cut.
    role
        ``"dealer"`` (the crib is yours) or ``"pone"``.
    opponent, play_name
        The names of who throws the other two cards, and of who plays; None for the show alone.
    crib_table
        The name of the published table `crib_mean` comes from, or None where it is computed.
    table
        A row for each discard, best first, columns as in `Choice`. Points throughout; ``expected``
        is the average hand plus (as dealer) or minus (as pone) the average crib, plus the play if
        it counts. Equal discards share a rank and stand in the order of the keeps.
    choices, best
        The rows of the table, and the first of them.
    hand_scores
        Points of each keep with each starter, uint8 ``(15, 46)``, in the order of
        ``itertools.combinations(deal, 4)``.
    crib_scores
        What each discard's crib can score, discards in the same order.
    play
        What each keep pegs on average, in the same order, ``(15,)`` for both players; None where
        the show alone is valued.
    score
        Your points before the deal and the opponent's, if the table is by chances to win.
    plays_for
        What the opponent discards and plays for at the score: ``"points"``, or ``"wins"``.
    chances
        How the game may end with each discard, in the same order, ``(15,)`` each; None without a
        score.
    order
        The place in that order of each row of the table, ``(15,)``.
    thrower
        Who throws the other two cards; `explain` needs it at a score.
    """

    hand_scores: Points
    crib_scores: CribScores
    play: ExpectedPegging | None = None
    chances: Chances | None = None
    thrower: Opponent | None = None

    _row: ClassVar[Any] = Choice

    @property
    def starters(self) -> Cards:
        """The 46 cards that can be cut, uint8 ``(46,)``, ascending."""
        return unseen(self.deal)

    def distribution(self, discard: CardsLike | None = None) -> pd.DataFrame:
        """Return how likely each number of points is, for hand, crib and both together.

        Parameters
        ----------
        discard
            Two of the six cards; the best discard if None.

        Returns
        -------
        Probabilities: columns ``hand``, ``crib`` and ``total``, index ``points``. The total is
        hand plus crib as dealer, hand minus crib as pone, for one and the same starter.

        Raises
        ------
        CardError
            If they are not two cards of the deal.

        Examples
        --------
        >>> chances = advise("5H 5D JS QC 2H 8D", role="pone").distribution()
        >>> int(chances["hand"].idxmax()), int(chances.index[0])
        (10, -6)
        """
        at = self._index(discard)
        hand = self.hand_scores[at].astype(np.int64)
        chance = self.crib_scores.chance[at]
        total = net_points(hand[:, None], np.arange(MAX_POINTS + 1), self.role)
        points = np.arange(min(total.min(), 0), 2 * MAX_POINTS + 1)
        size, first = len(points), points[0]
        crib = np.arange(MAX_POINTS + 1) - first
        parts = {
            "hand": np.bincount(hand - first, minlength=size) / len(hand),
            "crib": np.bincount(crib, chance.sum(axis=0), minlength=size),
            "total": np.bincount((total - first).ravel(), chance.ravel(), minlength=size),
        }
        frame = pd.DataFrame(parts, index=pd.RangeIndex(first, first + size, name="points"))
        possible = np.flatnonzero(frame.to_numpy().any(axis=1))
        return frame.iloc[possible[0] : possible[-1] + 1]

    def by_starter(self, discard: CardsLike | None = None) -> pd.DataFrame:
        """Return what each starter makes of a discard, the most helpful first.

        Parameters
        ----------
        discard
            Two of the six cards; the best discard if None.

        Returns
        -------
        46 rows: ``starter``, ``hand`` (points), ``crib_mean`` (points on average, once this
        starter is cut), ``expected`` (hand and crib, signed as everywhere, and the play, which no
        starter changes here) and ``gain`` over the average starter.

        Raises
        ------
        CardError
            If they are not two cards of the deal.

        Examples
        --------
        >>> advise("5H 5D JS QC 2H 8D", role="dealer").by_starter()["starter"].iloc[0]
        '5S'
        """
        at = self._index(discard)
        hand, crib = self.hand_scores[at].astype(np.int64), self.crib_scores.mean_by_starter[at]
        play = None if self.play is None else self.play.net[at]
        expected = net_points(hand, crib, self.role, play)
        frame = pd.DataFrame(
            {
                "starter": format_cards(self.starters).split(),
                "hand": hand,
                "crib_mean": crib,
                "expected": expected,
                "gain": expected - expected.mean(),
            }
        )
        return frame.sort_values("gain", ascending=False, kind="stable", ignore_index=True)

    def locked_in(self, discard: CardsLike | None = None) -> Show:
        """Count what the keep of a discard scores whatever is cut.

        Raises
        ------
        CardError
            If they are not two cards of the deal.

        Examples
        --------
        >>> advise("5H 5D JS QC 2H 8D", role="dealer").locked_in().total
        10
        """
        return explain(self.deal[KEEPS[self._index(discard)]])

    def explain(
        self, discard: CardsLike | None = None, *, versus: CardsLike | None = None
    ) -> Explanation:
        """Say why a discard is worth what it is.

        Parameters
        ----------
        discard
            Two of the six cards; the best discard if None.
        versus
            Another two, to compare it with, total by total. If None, the best discard; or, for the
            best, the next that is not its equal.

        Raises
        ------
        CardError
            If they are not two cards of the deal.

        Examples
        --------
        >>> why = advise("5H 5D JS QC 2H 8D", role="dealer").explain()
        >>> why.rival.discard, round(why.rival.expected, 2)
        ('JS QC', 1.65)
        """
        chosen, at = self._choice(discard), self._index(discard)
        rival = self.alternative_to(chosen) if versus is None else self._choice(versus)
        ends = None
        if self.chances is not None:
            ends = OutcomeProbabilities(*(float(part[at]) for part in self.chances))
        leads = None
        if self.score is not None and self.thrower is not None and self.role == "pone":
            own_points = self.hand_scores[at]
            leads = lead_win_chances(self.deal, at, own_points, self.score, self.thrower)
        note = (
            f"below, cribs are those of the {render.printable(self.opponent)} opponent: "
            f"{render.printable(self.crib_table)} gives averages only"
            if self.crib_table
            else ""
        )
        return Explanation(
            discard=chosen.discard,
            role=self.role,
            locked_in=self.locked_in(discard),
            hand_min=chosen.hand_min,
            rival=rival and Alternative.of(rival, chosen),
            starters=self.by_starter(discard),
            distribution=self.distribution(discard),
            rival_distribution=None if versus is None else self.distribution(versus),
            note=note,
            play=PlayExplanation.of(chosen, self.choices, self.role, self.play_name, leads),
            ends=ends,
        )

    def compare(self, discard: CardsLike, other: CardsLike | None = None) -> Comparison:
        """Set a discard, such as your own, beside another.

        Parameters
        ----------
        discard
            Two of the six cards.
        other
            Another two. If None, the best discard; or, for the best, the next that is not its
            equal.

        Raises
        ------
        CardError
            If they are not two cards of the deal.

        Examples
        --------
        >>> found = advise("AH 2C 7D 9S JH QC", role="dealer").compare("7D 9S")
        >>> found.other.discard, round(found.other.expected - found.choice.expected, 2)
        ('JH QC', 0.81)
        """
        chosen = self._choice(discard)
        beside = self._choice(other) if other is not None else self.alternative_to(chosen)
        beside = beside or self.best
        starters, others = (
            self.by_starter(one.discard).drop(columns="gain").set_index("starter")
            for one in (chosen, beside)
        )
        both = starters.join(others.add_prefix("other_")).reset_index()
        both["gain"] = both["expected"] - both["other_expected"]
        totals = {
            "total": self.distribution(chosen.discard)["total"],
            "other_total": self.distribution(beside.discard)["total"],
        }
        return Comparison(
            role=self.role,
            choice=chosen,
            other=beside,
            starters=both.sort_values("gain", ascending=False, kind="stable", ignore_index=True),
            distribution=pd.DataFrame(totals).fillna(0).rename_axis("points"),
        )

    def to_dict(self, *, top: int | None = None) -> dict[str, Any]:
        """Return the advice as plain values at full precision, ready for JSON.

        Parameters
        ----------
        top
            Only the best few discards; all 15 if None.

        Examples
        --------
        >>> len(advise("5H 5D JS QC 2H 8D", role="dealer").to_dict()["discards"])
        15
        """
        told = {"position": str(self.position), "deal": self.cards.split()}
        return {**told, **self._asked(), **self._discards(top)}

    def _choice(self, discard: CardsLike | None) -> Choice:
        at = self._index(discard)
        return self.choices[int(np.flatnonzero(self.order == at)[0])]

    def _index(self, discard: CardsLike | None) -> int:
        """Find the place of a discard in the order of the keeps."""
        if discard is None:
            return int(self.order[0])
        cards = as_cards(discard, count=2)
        found = np.flatnonzero((self.deal[DISCARDS] == np.sort(cards)).all(axis=1))
        if not found.size:
            raise CardError(f"{format_cards(cards)} are not two of the cards dealt: {self.cards}")
        return int(found[0])


def advise(
    deal: CardsLike | Position,
    *,
    role: Role | None = None,
    opponent: OpponentLike = "expert",
    crib_table: str | PathLike[str] | None = None,
    play: bool = True,
    score: tuple[int, int] | str | None = None,
) -> Advice:
    """Work out what each of the 15 discards of six cards is worth.

    Parameters
    ----------
    deal
        Six cards, as text or card numbers; or a `Position` of six cards or its text, which says
        role and score.
    role
        ``"dealer"`` (the crib is yours) or ``"pone"``.
    opponent
        Who throws the other two cards: ``"expert"``, who throws what is best against you;
        ``"uniform"``, who throws any two alike; a CSV file of how often each pair of ranks is
        thrown (``rank1,rank2,dealer_pct,pone_pct``); or an `cribev.opponents.discarders.Opponent`.
    crib_table
        Average cribs to use in place of the computed ones: ``"hessel"``, ``"schell"``,
        ``"colvert"``, ``"rasmussen"`` or a CSV file (``rank1,rank2,dealer,pone``). Only
        ``crib_mean`` and ``expected`` come from it; the spread of the crib and the distributions
        stay those of the opponent. Not with a score.
    play
        Count what the play brings, as two experts play whoever throws; if False, hand and crib
        alone count, and the expert throws for them alone.
    score
        Your points before the deal and the opponent's, each 0..120, such as ``(95, 110)`` or
        ``"95-110"``. The table then has a column ``win``, how likely the discard wins the game, and
        is ranked by it. Heels, the play, pone's hand, the dealer's hand and the crib count in this
        order, and the game goes on from the score they leave (`cribev.win_probability`). The
        opponent discards, and both play, for points; or to win, against an opponent whom
        `cribev.solve_score` returns for this score. The other columns are by points in any case.

    Returns
    -------
    An `Advice`, in points throughout.

    Raises
    ------
    CardError
        If they are not six different cards.
    TableError
        If the opponent or the crib table cannot be read.
    CribevError
        If the role is no role or the score no score, or a score is given for the show alone,
        or with average cribs, which do not say who wins.

    Examples
    --------
    >>> advice = advise("5H 5D JS QC 2H 8D", role="dealer")
    >>> advice.best.discard, round(advice.best.expected, 1)
    ('2H 8D', 17.2)
    >>> at_score = advise("5H 5D JS QC 2H 8D", role="dealer", score=(95, 110))
    >>> at_score.best.discard, round(at_score.best.win, 2)
    ('2H 8D', 0.24)
    >>> best = advise("5H 5D JS QC 2H 8D", role="dealer", play=False).best  # hand and crib alone
    >>> best.discard, round(best.expected, 2)
    ('2H 8D', 16.09)
    >>> advise("dealer:5H5DJSQC2H8D@95-110").best.discard
    '2H 8D'
    >>> advise("5H 5D JS QC 2H", role="dealer")
    Traceback (most recent call last):
    cribev.errors.CardError: expected 6 cards, got 5 in '5H 5D JS QC 2H'
    """
    position = given_position(deal, role=role, score=score)
    if position is not None:
        held, role = six_cards(position), position.role
        deal = [int(card) for card in held]
        score = None if position.score is None else position.score.seen_by(role)
    assert not isinstance(deal, Position)
    role = as_role(role)
    six = np.sort(as_cards(deal, count=6))
    thrower = as_opponent(opponent, play=play)
    points = valid_score(score, role, thrower, averages=crib_table is not None)
    outcomes = deal_outcomes(six, role, thrower)
    hands, cribs, crib_mean = outcomes.hands, outcomes.cribs, outcomes.cribs.mean
    if crib_table is not None:
        crib_mean = read_crib_table(crib_table)[role][tuple((six[DISCARDS] >> 2).T)]
    play_columns = pegging_columns(outcomes.play)
    expected = net_points(outcomes.hand_mean, crib_mean, role, play_columns.get("play_mean"))
    chances = None
    if points is not None:
        chances = win_chances(outcomes, role, points, thrower)
    rank, order = ranking(expected, None if chances is None else chances.win)
    columns = {
        "rank": rank,
        "hand_mean": outcomes.hand_mean,
        "hand_min": hands.min(axis=1).astype(np.int64),
        "hand_max": hands.max(axis=1).astype(np.int64),
        "hand_sd": hands.std(axis=1),
        "crib_mean": crib_mean,
        "crib_min": cribs.min,
        "crib_max": cribs.max,
        "crib_sd": cribs.sd,
        **play_columns,
        **({} if chances is None else {"win": chances.win}),
        "expected": expected,
    }
    return Advice(
        deal=six,
        deals=1,
        role=role,
        opponent=thrower.name,
        play_name=thrower.play_name if thrower.counts_play else None,
        crib_table=None if crib_table is None else fspath(crib_table),
        score=points,
        plays_for=thrower.plays_for,
        order=order,
        columns={name: values[order] for name, values in columns.items()},
        hand_scores=hands,
        crib_scores=cribs,
        play=outcomes.play,
        chances=chances,
        thrower=thrower,
    )


@dataclass(frozen=True, eq=False, repr=False)
class SuitlessAdvice(RankedDiscards[SuitlessChoice]):
    """What each discard of six ranks is worth, averaged over the suits they can have.

    Attributes
    ----------
    ranks
        The six ranks 0..12, uint8 ``(6,)``, ascending; `cards` are the same as text.
    deals
        How many deals have these ranks; each counts alike.
    role, opponent, play_name, crib_table, score, plays_for
        As in `cribev.Advice`.
    table
        A row for each two ranks that can go, best first, columns as in `SuitlessChoice`. Points
        throughout, of the class tables; without the columns of the play where it does not count,
        and of wins without a score.
    choices, best
        The rows of the table, and the first of them.
    """

    has_suits: ClassVar[bool] = False
    _row: ClassVar[Any] = SuitlessChoice

    @property
    def ranks(self) -> Cards:
        """The six ranks 0..12, uint8 ``(6,)``, ascending."""
        return self.deal

    def to_dict(self, *, top: int | None = None) -> dict[str, Any]:
        """Return the advice as plain values at full precision, ready for JSON.

        Parameters
        ----------
        top
            Only the best few discards; all if None.
        """
        told = {"position": str(self.position), "ranks": self.cards.split()}
        return {**told, **self._asked(), "deals": self.deals, **self._discards(top)}

    def explain(
        self, discard: str | None = None, *, versus: str | None = None
    ) -> SuitlessExplanation:
        """Say why a discard is worth what it is.

        Parameters
        ----------
        discard
            Two of the six ranks; the best discard if None.
        versus
            Another two, to compare it with. If None, the best discard; or, for the best, the next.

        Raises
        ------
        CardError
            If they are not two of the ranks.

        Examples
        --------
        >>> why = advise_ranks("5 5 J Q 2 8", role="dealer", play=False).explain("J Q")
        >>> why.other.discard, round(why.other.expected - why.choice.expected, 2)
        ('2 8', 2.53)
        """
        chosen = self._choice(discard)
        other = self._choice(versus) if versus is not None else self.alternative_to(chosen)
        play = PlayExplanation.of(chosen, self.choices, self.role, self.play_name)
        return SuitlessExplanation(self.role, chosen, other, play)

    def _choice(self, discard: str | None) -> SuitlessChoice:
        if discard is None:
            return self.best
        ranks = parse_suitless(discard, count=2)
        if ranks is not None:
            for choice in self.choices:
                if choice.discard == format_ranks(ranks):
                    return choice
        raise CardError(f"{quote(discard)} are not two of the ranks {self.cards}")


@dataclass(frozen=True, eq=False)
class SuitlessExplanation(render.Displayable):
    """Why a discard without suits is worth what it is.

    Attributes
    ----------
    role
        Whose discard it is.
    choice, other
        It, and what it is compared with, None if there is nothing.
    play
        What the play does, if it counts.
    """

    role: Role
    choice: SuitlessChoice
    other: SuitlessChoice | None
    play: PlayExplanation | None

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, ready for JSON."""
        found: dict[str, Any] = {
            "discard": self.choice.discard.split(),
            "other": self.other and self.other.to_dict(),
        }
        return found if self.play is None else found | {"play": self.play.to_dict()}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text()
        if self.other is not None:
            rival = Alternative.of(self.other, self.choice)
            both = f"{self.choice.discard} against {self.other.discard}"
            more = f"; {rival.wins}" if rival.wins else ""
            yield Text(f"{both}: {rival.parts(self.role)}, {rival.better}{more}")
        if self.play is not None:
            yield self.play


def advise_ranks(
    ranks: str | Sequence[str],
    *,
    role: Role,
    opponent: OpponentLike = "expert",
    crib_table: str | PathLike[str] | None = None,
    play: bool = True,
    score: tuple[int, int] | str | None = None,
) -> SuitlessAdvice:
    """Work out what each discard of six cards is worth whose suits are not known.

    Parameters
    ----------
    ranks
        Six ranks, as text or one by one.
    role, opponent, crib_table, play, score
        As for `cribev.advise`.

    Returns
    -------
    A `SuitlessAdvice`: averages over all deals of these ranks, each alike, by the class tables.
    Chances to win are within 0.001 of the average.

    Raises
    ------
    CardError
        If they are not six ranks, or five are the same.
    TableError
        If the opponent or the crib table cannot be read, or the opponent has nothing to throw.
    CribevError
        If the role is no role, or the opponent cannot be averaged over all deals, or the score is
        none, or goes with what else is asked as little as in `cribev.advise`.

    Examples
    --------
    >>> advice = advise_ranks("5 5 J Q 2 8", role="dealer", play=False)
    >>> advice.best.discard, round(advice.best.expected, 2), advice.deals
    ('2 8', 16.07, 1536)
    >>> round(advise_ranks("5 5 J Q 2 8", role="dealer", score=(95, 110)).best.win, 2)
    0.23
    >>> advise_ranks("5H 5 J Q 2 8", role="dealer")
    Traceback (most recent call last):
    cribev.errors.CardError: expected six ranks without suits, got '5H 5 J Q 2 8'
    """
    role = as_role(role)
    text = ranks if isinstance(ranks, str) else " ".join(map(str, ranks))
    six = parse_suitless(text)
    if six is None:
        raise CardError(f"expected six ranks without suits, got {quote(text)}")
    thrower = as_opponent(opponent, play=play)
    points = valid_score(score, role, thrower, averages=crib_table is not None)
    found = _suit_averages(six, role, thrower, crib_table)
    of_class = class_numbers(list(six[:, None]))[0]
    _, first, pair = np.unique(
        discard_rank_pairs()[of_class], return_index=True, return_inverse=True
    )
    same = [np.flatnonzero(pair == number) for number in range(len(first))]
    best = tied_best(found.each)
    pegging = thrower.counted_pegging(role)
    if pegging is not None:
        pegging = ExpectedPegging(*(table[of_class][first] for table in pegging))
    wins = {}
    if points is not None:
        wins = {"win": suitless_win_chances(six, first, role, points, thrower).win}
    rank, order = ranking(found.expected[first], wins.get("win"))
    columns = {
        "rank": rank,
        "hand_mean": found.hand[first],
        "crib_mean": found.crib[first],
        **pegging_columns(pegging),
        **wins,
        "expected": found.expected[first],
        "expected_min": np.array([found.each[:, keeps].min() for keeps in same]),
        "expected_max": np.array([found.each[:, keeps].max() for keeps in same]),
        "often_best": np.array([best[:, keeps].any(axis=1).mean() for keeps in same]),
    }
    return SuitlessAdvice(
        deal=six,
        deals=len(found.each),
        role=role,
        opponent=thrower.name,
        play_name=thrower.play_name if thrower.counts_play else None,
        crib_table=None if crib_table is None else fspath(crib_table),
        score=points,
        plays_for=thrower.plays_for,
        order=first[order],
        columns={name: values[order] for name, values in columns.items()},
    )


class _SuitAverages(NamedTuple):
    """What discards are worth over all deals of six ranks, in points, ``(15,)``."""

    hand: Floats
    crib: Floats
    expected: Floats
    each: Floats
    """What they are worth in each of the deals, ``(n, 15)``."""


def _suit_averages(
    six: Cards, role: Role, opponent: Opponent, crib_table: str | PathLike[str] | None
) -> _SuitAverages:
    """Average by the class tables, cribs by a published table if one is given."""
    valuation = ClassTables(opponent.crib_averages(role), role)
    means = suit_averaged_values(valuation, class_numbers(list(six[:, None])))
    crib, expected = means.crib[0], means.expected[0]
    if np.isnan(crib).any():
        ranks = format_ranks(six)
        raise TableError(f"{opponent.name!r} gives nothing to throw with {ranks} in sight")
    each = valuation.values(*classify_deals(all_suitings(six))).expected
    if crib_table is not None:
        computed, crib = crib, read_crib_table(crib_table)[role][tuple(six[DISCARDS].T)]
        change = net_points(np.zeros(15), crib - computed, role)
        expected, each = expected + change, each + change
    return _SuitAverages(means.hand[0], crib, expected, each)


class Answer(NamedTuple):
    """An advice, and a throw set beside the best."""

    advice: Advice | SuitlessAdvice
    comparison: Comparison | SuitlessExplanation | None

    def beside(self, versus: str | None) -> Answer:
        """Set a throw of two of the six cards beside the best, if there is one."""
        if versus is None:
            return Answer(self.advice, None)
        if isinstance(self.advice, Advice):
            return Answer(self.advice, self.advice.compare(versus))
        return Answer(self.advice, self.advice.explain(versus))

    def to_dict(self, *, top: int | None = None, explain: bool = False) -> dict[str, Any]:
        """Return it as plain values, ready for JSON: all discards or the best few, and why."""
        found = self.advice.to_dict(top=top)
        if self.comparison:
            found["comparison"] = self.comparison.to_dict()
        if explain:
            found["explanation"] = self.advice.explain().to_dict()
        return found


def answer(deal: Cards, role: Role, *, versus: str | None = None, **options: Any) -> Answer:
    """Answer which two cards to discard.

    The cards are as `cribev.game.cards.parse_hand` reads them, with suits or without; `versus`, two
    of them, is set beside the best; options and errors are those of `cribev.advise`.

    >>> from cribev.game.cards import parse_hand
    >>> deal = parse_hand("5 5 J Q 2 8", count=6, suitless=True)
    >>> answer(deal, "dealer", play=False).to_dict(top=1)["discards"][0]["discard"]
    ['2', '8']
    """
    if deal[0] >= SUITLESS_OFFSET:
        ranks = format_ranks(deal - SUITLESS_OFFSET)
        return Answer(advise_ranks(ranks, role=role, **options), None).beside(versus)
    return Answer(advise(deal, role=role, **options), None).beside(versus)
