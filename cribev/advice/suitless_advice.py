"""One deal known by its ranks alone, as printed analyses have it."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, ClassVar, NamedTuple

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.advice.choices import Alternative, SuitlessChoice
from cribev.advice.deal_wins import suitless_win_chances, valid_score
from cribev.advice.ranked_discards import RankedDiscards, pegging_columns
from cribev.advice.reasons import PlayExplanation
from cribev.choice import net_points, ranking, tied_best
from cribev.classes.canonical import Floats, class_numbers, classify_deals, discard_rank_pairs
from cribev.classes.class_tables import ClassTables
from cribev.classes.suit_averages import all_suitings, suit_averaged_values
from cribev.errors import CardError, TableError, quote
from cribev.game import render
from cribev.game.cards import Cards, format_ranks, parse_suitless
from cribev.game.index_tables import DISCARDS
from cribev.game.roles import Role, as_role
from cribev.opponents.models import Opponent, OpponentLike, as_opponent
from cribev.rows.pairs import crib_table as read_crib_table
from cribev.solution.play import ExpectedPegging


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
        ranks, deals = self.cards.split(), self.deals
        return {"ranks": ranks, **self._asked(), "deals": deals, **self._discards(top)}

    def explain(
        self, discard: str | None = None, *, versus: str | None = None
    ) -> "SuitlessExplanation":
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
    pegging = thrower.pegging(role)
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
