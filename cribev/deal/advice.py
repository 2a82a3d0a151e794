"""One deal: which two cards go to the crib, and why."""

from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.text import Text

from cribev.deal.crib import MAX_POINTS, CribScores, crib_scores
from cribev.deal.explanation import Explanation, Rival
from cribev.deal.hand import hand_scores
from cribev.errors import CardError
from cribev.files.pair_tables import crib_averages
from cribev.game import render
from cribev.game.cards import Cards, CardsLike, as_cards, format_cards, unseen
from cribev.game.indices import DISCARDS, KEEPS, Points
from cribev.game.roles import Role, as_role, crib_sign
from cribev.game.show import Show, explain
from cribev.opponents.models import Opponent, as_opponent

CLOSE = 0.05
"""Within this many points of the best, a discard is marked as a near-tie."""

_ROOM_FOR_SPREAD = 76  # columns of a terminal, for sd and range too
EQUAL = 1e-9
"""Discards that differ by no more points than this are equal, and share a rank."""


def ranks_of(expected: NDArray[np.float64]) -> NDArray[np.int64]:
    """Rank discards: one more than the number of those that are better, and not equal.

    Parameters
    ----------
    expected
        Points, ``(..., 15)``.

    Examples
    --------
    >>> ranks_of(np.array([3.0, 5.0, 5.0 - 1e-12, 4.0])).tolist()
    [4, 1, 1, 3]
    """
    better = expected[..., None, :] > expected[..., None] + EQUAL
    ranks: NDArray[np.int64] = 1 + better.sum(axis=-1)
    return ranks


class Choice(NamedTuple):
    """One of the 15 discards: a row of `Advice.table`."""

    rank: int
    discard: str
    keep: str
    hand_mean: float
    hand_min: int
    hand_max: int
    hand_sd: float
    crib_mean: float
    crib_min: int
    crib_max: int
    crib_sd: float
    expected: float


@dataclass(frozen=True, eq=False, repr=False)
class Advice(render.Look):
    """What each of the 15 discards of a deal is worth.

    Attributes
    ----------
    deal
        The six cards, uint8 ``(6,)``, ascending.
    role
        ``"dealer"`` (the crib is yours) or ``"pone"``.
    opponent
        The name of who throws the other two cards.
    crib_table
        The name of the published table `crib_mean` comes from, or None where it is computed.
    table
        A row for each discard, best first, columns as in `Choice`. Points throughout; ``expected``
        is the average hand plus (as dealer) or minus (as pone) the average crib. Equal discards
        share a rank and stand in the order of the keeps.
    starters
        The 46 cards that can be cut, uint8 ``(46,)``, ascending.
    hand_scores
        Points of each keep with each starter, uint8 ``(15, 46)``, in the order of
        ``itertools.combinations(deal, 4)``.
    crib_scores
        What each discard's crib can come to, discards in the same order.
    """

    deal: Cards
    role: Role
    opponent: str
    crib_table: str | None
    table: pd.DataFrame
    starters: Cards
    hand_scores: Points
    crib_scores: CribScores

    @property
    def choices(self) -> list[Choice]:
        """The rows of the table."""
        return [Choice(*row) for row in self.table.itertuples(index=False, name=None)]

    @property
    def best(self) -> Choice:
        """The first row of the table.

        >>> advise("5H 5D JS QC 2H 8D", role="dealer").best.discard
        '2H 8D'
        """
        return self.choices[0]

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
        chance = self.crib_scores.chance[at]
        sign = crib_sign(self.role)
        hand = np.repeat(self.hand_scores[at].astype(np.int64), MAX_POINTS + 1)
        crib = np.tile(np.arange(MAX_POINTS + 1), len(self.starters))
        lowest = -MAX_POINTS if sign < 0 else 0
        length = 2 * MAX_POINTS + 1
        by_hand = np.bincount(self.hand_scores[at] - np.int64(lowest), minlength=length)
        parts = {
            "hand": by_hand / len(self.starters),
            "crib": np.bincount(crib - lowest, chance.ravel(), minlength=length),
            "total": np.bincount(hand + sign * crib - lowest, chance.ravel(), minlength=length),
        }
        frame = pd.DataFrame(parts, index=pd.RangeIndex(lowest, lowest + length, name="points"))
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
        starter is cut), ``expected`` (hand and crib, signed as everywhere) and ``gain`` over the
        average starter.

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
        hand = self.hand_scores[at].astype(np.int64)
        crib = self.crib_scores.mean_by_starter[at]
        expected = hand + crib_sign(self.role) * crib
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

    def explain(self, discard: CardsLike | None = None) -> Explanation:
        """Say why a discard is worth what it is.

        Parameters
        ----------
        discard
            Two of the six cards; the best discard if None.

        Raises
        ------
        CardError
            If they are not two cards of the deal.

        Examples
        --------
        >>> why = advise("5H 5D JS QC 2H 8D", role="dealer").explain()
        >>> why.rival.discard, round(why.rival.expected, 2)
        ('JS QC', 2.52)
        """
        choices = self.choices
        thrown = format_cards(self.deal[DISCARDS[self._index(discard)]])
        chosen = next(one for one in choices if one.discard == thrown)
        # The best discard is compared with the next that is not its equal, others with the best.
        rival = next((one for one in choices if (one.rank == 1) != (chosen.rank == 1)), None)
        return Explanation(
            discard=chosen.discard,
            role=self.role,
            locked_in=self.locked_in(discard),
            hand_min=chosen.hand_min,
            rival=rival
            and Rival(
                discard=rival.discard,
                is_best=rival.rank == 1,
                hand=chosen.hand_mean - rival.hand_mean,
                crib=chosen.crib_mean - rival.crib_mean,
                expected=chosen.expected - rival.expected,
            ),
            starters=self.by_starter(discard),
            distribution=self.distribution(discard),
            note=f"below, cribs are those of the {render.name(self.opponent)} opponent: "
            f"{render.name(self.crib_table)} gives averages only"
            if self.crib_table
            else "",
        )

    def __repr__(self) -> str:
        table = f", crib_table={self.crib_table!r}" if self.crib_table else ""
        return (
            f"advise({format_cards(self.deal)!r}, role={self.role!r}, "
            f"opponent={self.opponent!r}{table})"
        )

    def top(self, number: int) -> "AdviceTable":
        """Show only the best few discards.

        >>> len(str(advise("5H 5D JS QC 2H 8D", role="dealer").top(2)).splitlines())
        7
        """
        return AdviceTable(self, number)

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
        return {
            "deal": format_cards(self.deal).split(),
            "role": self.role,
            "opponent": self.opponent,
            "crib_table": self.crib_table,
            "discards": [
                choice._asdict() | {"discard": choice.discard.split(), "keep": choice.keep.split()}
                for choice in self.choices[:top]
            ],
        }

    def _index(self, discard: CardsLike | None) -> int:
        """Find the place of a discard in the order of the keeps."""
        cards = as_cards(self.best.discard if discard is None else discard, count=2)
        found = np.flatnonzero((self.deal[DISCARDS] == np.sort(cards)).all(axis=1))
        if not found.size:
            raise CardError(
                f"{format_cards(cards)} are not two of the cards dealt: {format_cards(self.deal)}"
            )
        return int(found[0])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield AdviceTable(self, len(self.table))


@dataclass(frozen=True, eq=False)
class AdviceTable(render.Look):
    """The best few rows of an advice, under what they answer."""

    advice: Advice
    rows: int

    def _marks(self) -> list[str]:
        """Mark each row: ``=`` where its rank is shared, ``~`` where it is close to the best."""
        ranks, expected = self.advice.table["rank"], self.advice.table["expected"]
        shared = ranks.duplicated(keep=False)
        close = (expected.max() - expected <= CLOSE) & (ranks > 1)
        return ["=" * equal + "~" * near for equal, near in zip(shared, close, strict=True)]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        whose = "your crib" if self.advice.role == "dealer" else "the opponent's crib"
        best = self.advice.best
        yield Text.assemble(
            render.cards(console, self.advice.deal), f" as {self.advice.role} ({whose})"
        )
        yield Text(
            f"opponent: {render.name(self.advice.opponent)}" + self._table_note(), style="dim"
        )
        yield Text.assemble(
            ("Discard ", "bold green"),
            render.cards(console, as_cards(best.discard)),
            (" and keep ", "bold green"),
            render.cards(console, as_cards(best.keep)),
            (
                f": hand {best.hand_mean:.2f} {'+' if self.advice.role == 'dealer' else '-'} crib ",
                "bold green",
            ),
            (f"{best.crib_mean:.2f} = {best.expected:.2f} on average", "bold green"),
        )
        yield Text()
        marks = self._marks()[: self.rows]
        spread = options.max_width >= _ROOM_FOR_SPREAD
        hand_and_crib: list[tuple[str, JustifyMethod]] = [
            (heading, "right")
            for part in ("hand", "crib")
            for heading in ([part, "sd", "range"] if spread else [part])
        ]
        listed = render.table(
            console, ("", "left"), ("discard", "left"), ("keep", "left"),
            ("expected", "right"), ("behind", "right"), *hand_and_crib,
        )  # fmt: skip
        for choice, mark in zip(self.advice.choices[: self.rows], marks, strict=True):
            hand = [f"{choice.hand_mean:.2f}"]
            crib = [f"{choice.crib_mean:.2f}"]
            if spread:
                hand += [f"{choice.hand_sd:.1f}", f"{choice.hand_min}-{choice.hand_max}"]
                crib += [f"{choice.crib_sd:.1f}", f"{choice.crib_min}-{choice.crib_max}"]
            listed.add_row(
                f"{choice.rank}{mark}",
                render.cards(console, as_cards(choice.discard)),
                render.cards(console, as_cards(choice.keep)),
                f"{choice.expected:.2f}",
                f"{best.expected - choice.expected:.2f}" if choice.rank > 1 else "",
                *hand,
                *crib,
                style="bold" if choice.rank == 1 else "",
            )
        yield listed
        notes = {"=": "= equal", "~": f"~ within {CLOSE} of the best"}
        if used := [note for mark, note in notes.items() if mark in "".join(marks)]:
            yield Text("   ".join(used), style="dim")

    def _table_note(self) -> str:
        return (
            f", crib averages: {render.name(self.advice.crib_table)}"
            if self.advice.crib_table
            else ""
        )


def advise(
    deal: CardsLike,
    *,
    role: Role,
    opponent: str | PathLike[str] | Opponent = "expert",
    crib_table: str | PathLike[str] | None = None,
) -> Advice:
    """Work out what each of the 15 discards of six cards is worth.

    Parameters
    ----------
    deal
        Six cards, as text or card numbers.
    role
        ``"dealer"`` (the crib is yours) or ``"pone"``.
    opponent
        Who throws the other two cards: ``"expert"``, who throws what is best against you;
        ``"uniform"``, who throws any two alike; a CSV file of how often each pair of ranks is
        thrown (``rank1,rank2,dealer_pct,pone_pct``); or an `cribev.opponents.models.Opponent`.
    crib_table
        Average cribs to use in place of the computed ones: ``"hessel"``, ``"schell"``,
        ``"colvert"``, ``"rasmussen"`` or a CSV file (``rank1,rank2,dealer,pone``). Only
        ``crib_mean`` and ``expected`` come from it; the spread of the crib and the distributions
        stay those of the opponent.

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
        If the role is no role.

    Examples
    --------
    >>> advice = advise("5H 5D JS QC 2H 8D", role="dealer")
    >>> advice.best.discard, round(advice.best.expected, 2)
    ('2H 8D', 16.09)
    >>> advise("5H 5D JS QC 2H", role="dealer")
    Traceback (most recent call last):
    cribev.errors.CardError: expected 6 cards, got 5 in '5H 5D JS QC 2H'
    """
    role = as_role(role)
    six = np.sort(as_cards(deal, count=6))
    thrower = as_opponent(opponent)
    hands = hand_scores(six)
    cribs = crib_scores(six, thrower.weights(six, role))
    crib_mean = cribs.mean
    if crib_table is not None:
        crib_mean = crib_averages(crib_table)[role][tuple((six[DISCARDS] >> 2).T)]
    return Advice(
        deal=six,
        role=role,
        opponent=thrower.name,
        crib_table=None if crib_table is None else fspath(crib_table),
        table=_table(six, role, hands, cribs, crib_mean),
        starters=unseen(six),
        hand_scores=hands,
        crib_scores=cribs,
    )


def _table(
    deal: Cards,
    role: Role,
    hands: Points,
    cribs: CribScores,
    crib_mean: NDArray[np.float64],
) -> pd.DataFrame:
    hand_mean = hands.mean(axis=1)
    expected = hand_mean + crib_sign(role) * crib_mean
    frame = pd.DataFrame(
        {
            "rank": ranks_of(expected),
            "discard": [format_cards(deal[positions]) for positions in DISCARDS],
            "keep": [format_cards(deal[positions]) for positions in KEEPS],
            "hand_mean": hand_mean,
            "hand_min": hands.min(axis=1).astype(np.int64),
            "hand_max": hands.max(axis=1).astype(np.int64),
            "hand_sd": hands.std(axis=1),
            "crib_mean": crib_mean,
            "crib_min": cribs.lowest,
            "crib_max": cribs.highest,
            "crib_sd": cribs.sd,
            "expected": expected,
        },
        columns=Choice._fields,
    )
    return frame.sort_values("rank", kind="stable", ignore_index=True)
