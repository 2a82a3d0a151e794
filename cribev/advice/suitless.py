"""Which two of six ranks to discard, where no suits are known: averages over all suits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any

import numpy as np

from cribev.advice import reasons
from cribev.advice.decisions import Options, given_position, six_cards
from cribev.advice.discards import Advice, DiscardAdvice, advise, pegging_columns, valid_score
from cribev.advice.wins import suitless_win_chances
from cribev.choice import DiscardValues, net_points, tied_best
from cribev.classes.canonical import Floats, class_numbers, classify_deals, discard_rank_pairs
from cribev.classes.class_tables import ClassTables, all_suitings, suit_averaged_values
from cribev.errors import CardError, TableError, quote
from cribev.game.cards import (
    SUITLESS_OFFSET,
    Cards,
    CardsLike,
    format_card,
    format_ranks,
    parse_suitless,
)
from cribev.game.deal import Held, Position
from cribev.game.index_tables import DISCARDS
from cribev.game.score import Role, StakesLike, as_role
from cribev.opponents import players
from cribev.rows.pairs import crib_table as read_crib_table
from cribev.solution.solution import ExpectedPegging


@dataclass(frozen=True, eq=False, repr=False)
class SuitlessAdvice(DiscardAdvice):
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
        A row for each two ranks that can go, best first: columns as in `cribev.Advice`, averages
        alone; ``expected_min`` and ``expected_max``, with the suits that are worst and best for it;
        and ``often_best``, in how many of the deals it is the best by points, or equal to it.
        Points throughout, of the class tables; without the columns of the play where it does not
        count, and of wins without a score.
    choices, best
        The rows of the table, and the first of them.
    """

    @property
    def ranks(self) -> Cards:
        """The six ranks 0..12, uint8 ``(6,)``, ascending."""
        return np.array(self.position.left_ranks, dtype=np.uint8)

    def beside(self, versus: CardsLike | None) -> reasons.SuitlessExplanation | None:
        """Set a discard beside the best, if there is one."""
        return None if versus is None else self.explain(versus)

    def explain(
        self, discard: CardsLike | None = None, *, versus: CardsLike | None = None
    ) -> reasons.SuitlessExplanation:
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
        chosen, other = self._compared(discard, versus)
        return reasons.SuitlessExplanation(
            chosen, other, reasons.PlayExplanation.of(chosen, self.play_name)
        )


def advise_ranks(
    ranks: str | Sequence[str] | Position,
    *,
    role: Role | None = None,
    opponent: players.OpponentLike = "expert",
    crib_table: str | PathLike[str] | None = None,
    play: bool = True,
    score: tuple[int, int] | str | None = None,
    stakes: StakesLike | None = None,
) -> SuitlessAdvice:
    """Work out what each discard of six cards is worth whose suits are not known.

    Parameters
    ----------
    ranks
        Six ranks, as text or one by one; or a `Position` of six or its text, which says role and
        score.
    role, opponent, crib_table, play, score, stakes
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
    position = given_position(ranks, role=role, score=score)
    if position is not None:
        role, score = position.role, position.score
        ranks = [format_card(card) for card in six_cards(position, suits=False)]
    role = as_role(role)
    if not isinstance(ranks, Iterable):
        raise CardError(f"expected six ranks without suits, got {quote(repr(ranks))}")
    text = ranks if isinstance(ranks, str) else " ".join(map(str, ranks))
    six = parse_suitless(text)
    if six is None:
        raise CardError(f"expected six ranks without suits, got {quote(text)}")
    thrower = players.as_opponent(opponent, play=play)
    before, played_for = valid_score(score, stakes, role, thrower, crib_table)
    means, each = _suit_averages(six, role, thrower, crib_table)
    of_class = class_numbers(list(six[:, None]))[0]
    _, first, pair = np.unique(
        discard_rank_pairs()[of_class], return_index=True, return_inverse=True
    )
    same = [np.flatnonzero(pair == number) for number in range(len(first))]
    best = tied_best(each)
    pegging = thrower.counted_pegging(role)
    if pegging is not None:
        pegging = ExpectedPegging(*(table[of_class][first] for table in pegging))
    chances = None if before is None else suitless_win_chances(six, first, role, before, thrower)
    columns = {
        "hand_mean": means.hand[first],
        "crib_mean": means.crib[first],
        **pegging_columns(pegging),
        **({} if chances is None else played_for.columns(chances.outcomes)),
        "expected": means.expected[first],
        "expected_min": np.array([each[:, keeps].min() for keeps in same]),
        "expected_max": np.array([each[:, keeps].max() for keeps in same]),
        "often_best": np.array([best[:, keeps].any(axis=1).mean() for keeps in same]),
    }
    asked = Position(role, Held.of(six + np.uint8(SUITLESS_OFFSET)), score=before)
    return SuitlessAdvice(
        Options.of_discards(asked, columns, first, played_for),
        thrower,
        None if crib_table is None else fspath(crib_table),
        deals=len(each),
    )


def _suit_averages(
    six: Cards, role: Role, opponent: players.Opponent, crib_table: str | PathLike[str] | None
) -> tuple[DiscardValues, Floats]:
    """Average deals of six ranks, ``(15,)``, and say what they are worth in each, ``(n, 15)``."""
    valuation = ClassTables(opponent.crib_averages(role), role)
    means = suit_averaged_values(valuation, class_numbers(list(six[:, None]))).take(0)
    if np.isnan(means.crib).any():
        ranks = format_ranks(six)
        raise TableError(f"{opponent.name!r} gives nothing to throw with {ranks} in sight")
    each = valuation.values(*classify_deals(all_suitings(six))).expected
    if crib_table is None:
        return means, each
    crib = read_crib_table(crib_table)[role][tuple(six[DISCARDS].T)]
    change = net_points(np.zeros(15), crib - means.crib, role)
    return replace(means, crib=crib, expected=means.expected + change), each + change


def answer(position: Position, **options: Any) -> Advice | SuitlessAdvice:
    """Advise on a position of six cards, all with suits or all without."""
    suitless = max(position.held.dealt) >= SUITLESS_OFFSET
    return advise_ranks(position, **options) if suitless else advise(position, **options)
