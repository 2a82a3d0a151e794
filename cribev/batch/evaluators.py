"""What the discards of many deals are worth: each deal goes to the evaluator that suits it.

By the class tables, all at once; counted one by one, exactly; far from the end of a game by the
tables and an expansion of the chances to win; or by ranks alone, where a deal has no suits.
`plan_evaluation` decides, once, which deals go where.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.advice.exact import ValuesGivenStarter, exact_values
from cribev.batch.expansion import win_expansion
from cribev.choice import DiscardValues
from cribev.classes.canonical import class_numbers, classify_columns, sorted_columns
from cribev.classes.class_tables import ClassTables, suit_averaged_values
from cribev.errors import CribevError, TableError
from cribev.game.cards import SUITLESS_OFFSET, Cards, format_cards, format_ranks
from cribev.game.index_tables import KEEPS
from cribev.game.roles import Role
from cribev.game.score import UNKNOWN, WINNING_SCORE
from cribev.opponents.discarders import ExpertOpponent, Opponent

Report: TypeAlias = Callable[[int], object] | None
"""Called with the number of deals done since it was last called, of those that take time."""

FAR_NEED = 32
"""Points that both players must still need for chances to win that are not counted one by one."""

_EXPANSION_BLOCK = 1 << 7

BLOCK = 1 << 13
"""Deals at a time, so that what is gathered stays in cache."""


class DealBatch(NamedTuple):
    """N deals, sorted, and what is known of each."""

    columns: Cards
    """Card numbers, uint8 ``(6, N)``, each deal ascending; without suits, ranks and
    `SUITLESS_OFFSET`."""
    dealer: NDArray[np.bool_]
    """Whether the crib is the player's, ``(N,)``."""
    scores: NDArray[np.int64] | None = None
    """Points before the deal, the player's and the opponent's, ``(N, 2)``, `UNKNOWN` where they are
    not known; None if the chances to win do not matter."""

    @classmethod
    def of(
        cls, cards: Cards, dealer: NDArray[np.bool_], scores: NDArray[np.int64] | None = None
    ) -> "DealBatch":
        """Sort deals, uint8 ``(N, 6)``; those without suits are ascending already.

        `CardError` if a card comes twice in a deal.
        """
        columns = np.empty((6, len(cards)), np.uint8)
        suitless = cards[:, 0] >= SUITLESS_OFFSET
        if suitless.any():
            columns[:, suitless] = cards[suitless].T
            columns[:, ~suitless] = sorted_columns(cards[~suitless])
        else:
            for start in range(0, len(cards), BLOCK):
                part = slice(start, start + BLOCK)
                for whole, column in zip(columns, sorted_columns(cards[part]), strict=True):
                    whole[part] = column
        return cls(columns, dealer, scores)

    @property
    def suitless(self) -> NDArray[np.bool_]:
        """Which deals are without suits, ``(N,)``."""
        without: NDArray[np.bool_] = self.columns[0] >= SUITLESS_OFFSET
        return without

    def take(self, rows: Any) -> "DealBatch":
        """Return some of the deals."""
        scores = None if self.scores is None else self.scores[rows]
        return DealBatch(self.columns[:, rows], self.dealer[rows], scores)


Evaluator: TypeAlias = Callable[..., DiscardValues]
"""Called with deals and the opponent, `best` and `report`: values all 15 discards of each deal,
``(N, 15)``, or only the best, ``(N,)``; TableError if the opponent has nothing to throw."""


def class_table_values(
    deals: DealBatch, opponent: Opponent, *, best: bool = False, **_: Report
) -> DiscardValues:
    """Value discards by rank class and suit pattern, millions of deals a second, unreported.

    Average hands are exact. Average cribs are those of the cards' ranks and suit pattern, within
    some hundredths of a point: the most that was found, 0.034, is of ``4S 5S 6S 7S 8S 9S`` as pone,
    the worst of all deals of one suit, against the expert of the show. CribevError if there are no
    class tables for the opponent.
    """
    found = DiscardValues.blank(_shape(deals, best=best), play=opponent.counts_play)
    value = ClassTables.best if best else ClassTables.values
    for start in range(0, max(len(deals.dealer), 1), BLOCK):
        part = slice(start, start + BLOCK)
        classes, patterns = classify_columns(list(deals.columns[:, part]))
        for role, rows in _by_role(deals.dealer[part]):
            values = value(_class_tables(opponent, role), classes[rows], patterns[rows])
            found.take(part).put(rows, values)
    return _require_cribs(found, deals, opponent)


def exact_batch_values(
    deals: DealBatch,
    opponent: Opponent,
    *,
    starters: NDArray[np.integer] | None = None,
    workers: int = 1,
    report: Report = None,
) -> ValuesGivenStarter:
    """Value all discards by every hand and crib that can follow, as `cribev.advise` has them.

    The crib is valued once the starter is known too, which is `UNKNOWN` where it is not, ``(N,)``.
    """
    found = exact_values(
        np.ascontiguousarray(deals.columns.T), deals.dealer, opponent,
        starters=starters, scores=deals.scores, workers=workers, report=report,
    )  # fmt: skip
    return found._replace(discards=_require_cribs(found.discards, deals, opponent))


def expansion_values(
    deals: DealBatch, opponent: Opponent, *, best: bool = False, report: Report = None
) -> DiscardValues:
    """Value discards by the class tables, and chances to win where both players need much.

    Chances are within about 0.001 (root mean square) of those counted one by one.
    """
    if deals.scores is None:
        raise CribevError("chances to win need the score before each deal")
    found = DiscardValues.blank(_shape(deals, best=best), play=opponent.counts_play, win=True)
    for start in range(0, len(deals.dealer), _EXPANSION_BLOCK):
        part = slice(start, start + _EXPANSION_BLOCK)
        some, scores = deals.take(part), deals.scores[part]
        values = class_table_values(some, opponent)
        classes, _ = classify_columns(list(some.columns))
        wins = np.empty(values.expected.shape)
        for role, rows in _by_role(some.dealer):
            wins[rows] = win_expansion(opponent, role).wins(
                some.columns[:, rows], classes[rows], scores[rows], values.take(rows)
            )
        values = replace(values, win=wins)
        found.put(part, values.of_best() if best else values)
        if report is not None:
            report(len(some.dealer))
    return found


def _suitless_values(
    deals: DealBatch, opponent: Opponent, *, best: bool = False, **_: Report
) -> DiscardValues:
    """Value discards by ranks alone, averaged over the suits that the deals can have."""
    found = DiscardValues.blank((len(deals.dealer), len(KEEPS)), play=opponent.counts_play)
    classes = class_numbers(list(deals.columns - np.uint8(SUITLESS_OFFSET)))
    for role, rows in _by_role(deals.dealer):
        found.put(rows, suit_averaged_values(_class_tables(opponent, role), classes[rows]))
    found = _require_cribs(found, deals, opponent)
    return found.of_best() if best else found


@dataclass(frozen=True)
class EvaluationPlan:
    """Which evaluator values which deals, against one opponent."""

    deals: DealBatch
    opponent: Opponent
    parts: list[tuple[Evaluator, Any]]
    """Each evaluator and the rows it values; together they are all rows, once."""
    reported: int
    """How many deals are reported: those counted one by one, and those far from the end."""
    win_methods: NDArray[np.bytes_] | None
    """How chances to win are worked out, ``exact`` or ``approximate``, or nothing where the score
    is not known, ``(N,)``; None without scores."""

    def values(self, report: Report = None, *, best: bool = False) -> DiscardValues:
        """Value all 15 discards of each deal, ``(N, 15)``, or the best alone, ``(N,)``."""
        scored = self.deals.scores is not None
        if len(self.parts) == 1 and not scored:
            return self.parts[0][0](self.deals, self.opponent, best=best, report=report)
        shape, play = _shape(self.deals, best=best), self.opponent.counts_play
        found = DiscardValues.blank(shape, play=play, win=scored)
        for value, rows in self.parts:
            found.put(rows, value(self.deals.take(rows), self.opponent, best=best, report=report))
        return found


def plan_evaluation(
    deals: DealBatch, opponent: Opponent, *, exact: bool = False, workers: int = 1
) -> EvaluationPlan:
    """Plan which evaluator values which deals.

    Those without suits go by their ranks; all others are counted one by one if `exact`. Else those
    with a score are, unless both players need 32 points or more and the opponent is an expert:
    then chances to win are approximate. Where the score is not known, the class tables do.

    >>> from cribev import parse_cards
    >>> from cribev.opponents.discarders import ExpertOpponent
    >>> cards, scores = parse_cards("5H 5D JS QC 2H 8D").reshape(1, 6), np.array([[95, 110]])
    >>> plan = plan_evaluation(DealBatch.of(cards, np.array([True]), scores), ExpertOpponent())
    >>> plan.reported, float(plan.values().win.max().round(2))
    (1, 0.24)
    """

    def counted_one_by_one(
        deals: DealBatch, opponent: Opponent, *, best: bool, report: Report
    ) -> DiscardValues:
        found = exact_batch_values(deals, opponent, workers=workers, report=report).discards
        return found.of_best() if best else found

    suitless = deals.suitless
    counted, far, known = np.full((3, len(suitless)), fill_value=False)
    counted |= exact
    if deals.scores is not None:
        known |= (deals.scores != UNKNOWN).all(axis=1)
        # The play of another, who keeps other cards, is not what the tables have.
        if isinstance(opponent, ExpertOpponent):
            far |= known & (deals.scores <= WINNING_SCORE - FAR_NEED).all(axis=1)
        counted |= known & ~far
    counted &= ~suitless
    far &= ~suitless & ~counted
    evaluators: list[tuple[Evaluator, NDArray[np.bool_]]] = [
        (_suitless_values, suitless),
        (counted_one_by_one, counted),
        (expansion_values, far),
        (class_table_values, ~suitless & ~counted & ~far),
    ]
    parts: list[tuple[Evaluator, Any]] = [
        (evaluator, slice(None) if rows.all() else rows)
        for evaluator, rows in evaluators
        if rows.any()
    ]
    # Even where there is no deal, an evaluator says if it cannot value against the opponent.
    parts = parts or [(counted_one_by_one if exact else class_table_values, slice(None))]
    methods = None
    if deals.scores is not None:
        methods = np.select([far, counted & known], [b"approximate", b"exact"], b"")
    return EvaluationPlan(deals, opponent, parts, int((counted | far).sum()), methods)


def deal_text(deal: Cards) -> str:
    """Write a deal, with suits or without."""
    return (
        format_ranks(deal - SUITLESS_OFFSET) if deal[0] >= SUITLESS_OFFSET else format_cards(deal)
    )


def _require_cribs(values: DiscardValues, deals: DealBatch, opponent: Opponent) -> DiscardValues:
    """Check that the opponent has something to throw beside each deal, else name the first."""
    unknown = np.isnan(values.crib)
    if unknown.any():
        row = int(unknown.reshape(len(unknown), -1).any(axis=1).argmax())
        raise TableError(
            f"{opponent.name!r} gives nothing to throw with {deal_text(deals.columns[:, row])} "
            "in sight"
        )
    return values


def _shape(deals: DealBatch, *, best: bool) -> tuple[int, ...]:
    return (len(deals.dealer),) if best else (len(deals.dealer), len(KEEPS))


def _by_role(dealer: NDArray[np.bool_]) -> list[tuple[Role, Any]]:
    """Give each role that occurs with its rows."""
    if dealer.all():
        return [("dealer", slice(None))]
    if not dealer.any():
        return [("pone", slice(None))]
    return [("dealer", np.flatnonzero(dealer)), ("pone", np.flatnonzero(~dealer))]


@lru_cache(maxsize=4)
def _class_tables(opponent: Opponent, role: Role) -> ClassTables:
    return ClassTables(opponent.crib_averages(role), role)
