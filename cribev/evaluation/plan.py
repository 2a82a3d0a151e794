"""The values of the discards of many deals: each deal goes to the evaluator that suits it.

Points come from the class tables, all at once, or are counted exactly, one by one. Chances to win
come from the tables and `wins.near` or `wins.far`. Deals without suits are valued by ranks alone.
`plan_evaluation` decides, once, which deals go where.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes import canonical
from cribev.classes.class_tables import ClassTables, suit_averaged_values
from cribev.classes.ranking import DiscardValues
from cribev.errors import CribevError, TableError
from cribev.evaluation.exact import ValuesGivenStarter, exact_values, mapped
from cribev.evaluation.suitings import Suitings
from cribev.game import score
from cribev.game.cards import SUITLESS_OFFSET, Cards, format_card, sort_by_rank
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.outcomes import Goal, Outcomes, sum_to_one
from cribev.game.roles import Role, role_of
from cribev.game.score import WINNING_SCORE
from cribev.opponents.opponents import Opponent
from cribev.solution.strategy import rank_keep_numbers
from cribev.wins.exact import suitless_win_chances
from cribev.wins.far import FarEnds
from cribev.wins.near import NearEnds
from cribev.wins.orders import peg_orders

Report: TypeAlias = Callable[[int], object] | None
"""Called with the number of slow deals done since the last call."""


FAR_NEED = 32
"""If both players need at least this many points, chances to win are those of `wins.far`."""

BLENDED_NEED = 27
"""From this many points on, the chances to win of `wins.near` are blended with them, whose share
grows with the square of the points, so that no step is larger than a thousandth. Chances of skunks
are not, since the expansion is further off there."""

MANY = 32
"""If at least this many deals are nearer to the end, `wins.near` looks them up. Preparing it takes
as long as counting about this many one by one, and minutes the first time against an opponent with
habits."""

CLOSE_NEED = 20
"""If both need at most this many points, deals against a fallible opponent are counted one by one,
however many there are: the tables respond for points, and are off by up to 0.07 of a game."""

_DEALS_AT_ONCE = 1 << 7
_TASKS_EACH = 2  # at least this many deals each: a process takes two seconds to start
_PLAYED_OUT = 4  # patterns of suits of which the game is worked out exactly
_SUITLESS_EACH = 16  # deals without suits that are worth a process

_NESTED = 5  # chances that `Outcomes.of_nested` takes

BLOCK = 1 << 13  # deals at a time, so that what is gathered stays in cache


class DealBatch(NamedTuple):
    """N deals, sorted, and what is known about each."""

    columns: Cards
    """Card numbers, uint8 ``(6, N)``, each deal ascending; a card without its suit is its rank plus
    `SUITLESS_OFFSET`, after those with suits."""
    dealer: NDArray[np.bool_]  # whether the crib is the player's, ``(N,)``
    scores: NDArray[np.int64] | None = None
    """Points before the deal, the player's and the opponent's, ``(N, 2)``, `UNKNOWN` if they are
    not known; None if the chances to win do not matter."""
    goal: Goal | None = None
    """The value of each end of a game, if that is more than wins; then skunks count."""

    @classmethod
    def of(
        cls,
        cards: Cards,
        dealer: NDArray[np.bool_],
        scores: NDArray[np.int64] | None = None,
        goal: Goal | None = None,
        *,
        rows: Any = slice(None),
    ) -> "DealBatch":
        """Sort some of the deals, uint8 ``(N, 6)``; `CardError` for a card twice."""
        cards, dealer = cards[rows], dealer[rows]
        scores = None if scores is None else scores[rows]
        columns = np.empty((cards.shape[1], len(cards)), np.uint8)
        bare = (cards >= SUITLESS_OFFSET).any(axis=1)
        if bare.any():
            columns[:, bare] = sort_by_rank(cards[bare]).T
            columns[:, ~bare] = canonical.sorted_columns(cards[~bare])
        else:
            for start in range(0, len(cards), BLOCK):
                block = slice(start, start + BLOCK)
                ordered = canonical.sorted_columns(cards[block])
                for whole, column in zip(columns, ordered, strict=True):
                    whole[block] = column
        return cls(columns, dealer, scores, goal)

    def take(self, rows: Any) -> "DealBatch":
        """Return some of the deals."""
        scores = None if self.scores is None else self.scores[rows]
        return DealBatch(self.columns[:, rows], self.dealer[rows], scores, self.goal)

    def weigh(self, values: DiscardValues) -> DiscardValues:
        """Add what the ends of the games are worth, unless only wins count."""
        if values.outcomes is None or self.goal is None:
            return values
        return replace(values, worth=self.goal(values.outcomes))


Evaluator: TypeAlias = Callable[..., DiscardValues]
"""Called with deals and the opponent, `best` and `report`: values all 15 discards of each deal,
``(N, 15)``, or only the best, ``(N,)``; TableError if the opponent has nothing to discard."""


def class_table_values(
    deals: DealBatch, opponent: Opponent, *, best: bool = False, **_: Report
) -> DiscardValues:
    """Value discards by class and pattern, if the opponent has class tables."""
    whole = _blank(deals, opponent, best=best)
    value = ClassTables.best if best else ClassTables.values
    for start in range(0, max(len(deals.dealer), 1), BLOCK):
        block = slice(start, start + BLOCK)
        classes, patterns = canonical.classify_columns(list(deals.columns[:, block]))
        for role, rows in by_role(deals.dealer[block]):
            values = value(class_tables(opponent, role), classes[rows], patterns[rows])
            whole.take(block).put(rows, values)
    return require_cribs(whole, deals, opponent)


def exact_batch_values(
    deals: DealBatch,
    opponent: Opponent,
    *,
    starters: NDArray[np.integer] | None = None,
    workers: int = 1,
    report: Report = None,
) -> ValuesGivenStarter:
    """Value discards by all that can follow, and by the starter, or `UNKNOWN`, ``(N,)``."""
    counted = exact_values(
        np.ascontiguousarray(deals.columns.T), deals.dealer, opponent,
        starters=starters, scores=deals.scores, workers=workers, report=report,
    )  # fmt: skip
    values = deals.weigh(counted.discards)
    return counted._replace(discards=require_cribs(values, deals, opponent))


def approximate_values(
    deals: DealBatch,
    opponent: Opponent,
    *,
    best: bool = False,
    report: Report = None,
    workers: int = 1,
) -> DiscardValues:
    """Value discards by the class tables, and chances to win, to about 0.0005."""
    near = _needed(deals) < FAR_NEED
    if near.any():  # so that not every worker walks the play
        keeps = rank_keep_numbers()[canonical.classify_columns(list(deals.columns[:, near]))[0]]
        for role, rows in by_role(deals.dealer[near]):
            peg_orders(opponent, role, np.unique(keeps[rows]))
    tasks, value = list(zip(_parts(deals), strict=True)), partial(_with_wins, opponent)
    with mapped(value, tasks, min(workers, len(tasks) // _TASKS_EACH)) as results:
        return _put_together(results, deals, opponent, best, report)


def _needed(deals: DealBatch) -> NDArray[np.int64]:
    """Return how many points the nearer player needs in each deal, ``(N,)``."""
    if deals.scores is None:
        raise CribevError("chances to win need the score before each deal")
    needed: NDArray[np.int64] = WINNING_SCORE - deals.scores.max(axis=1)
    return needed


def _parts(deals: DealBatch) -> Iterator[DealBatch]:
    """Split deals into parts that take no more than a second or two."""
    for start in range(0, len(deals.dealer), _DEALS_AT_ONCE):
        yield deals.take(slice(start, start + _DEALS_AT_ONCE))


def _put_together(
    blocks: Iterable[DiscardValues],
    deals: DealBatch,
    opponent: Opponent,
    best: bool,
    report: Report,
) -> DiscardValues:
    whole = _blank(deals, opponent, best=best, win=deals.scores is not None)
    start = 0
    for values in blocks:
        number = len(values.expected)
        whole.put(slice(start, start + number), values.of_best() if best else values)
        start += number
        if report is not None:
            report(number)
    return whole


QuickMethod: TypeAlias = Callable[[Opponent, Role], NearEnds | FarEnds]


def quick_ends(
    method: QuickMethod, opponent: Opponent, deals: DealBatch, values: DiscardValues
) -> canonical.Floats:
    """Return how games end by one quick method, as `NearEnds.ends` does, for both roles."""
    assert deals.scores is not None
    skunks = deals.goal is not None
    classes, _ = canonical.classify_columns(list(deals.columns))
    ends = np.empty((_NESTED if skunks else 1, *values.expected.shape))
    for role, rows in by_role(deals.dealer):
        asked = deals.columns[:, rows], classes[rows], deals.scores[rows], values.take(rows)
        ends[:, rows] = _prepared(method, opponent, role).ends(*asked, skunks=skunks)
    return ends


@lru_cache(maxsize=8)
def _prepared(method: QuickMethod, opponent: Opponent, role: Role) -> NearEnds | FarEnds:
    return method(opponent, role)


def _with_wins(opponent: Opponent, deals: DealBatch) -> DiscardValues:
    """Value discards by class tables, and chances to win by the methods for their scores."""
    values, needed = class_table_values(deals, opponent), _needed(deals)
    shares = np.zeros((1 if deals.goal is None else _NESTED, len(needed)))
    shares[0] = np.clip((needed - BLENDED_NEED + 1) / (FAR_NEED - BLENDED_NEED + 1), 0, 1) ** 2
    shares[1:] = needed >= FAR_NEED
    nested = np.zeros((*shares.shape, len(KEEPS)))
    for method, weights in ((NearEnds, 1 - shares), (FarEnds, shares)):
        rows = np.flatnonzero(weights.any(axis=0))
        if len(rows):
            ends = quick_ends(method, opponent, deals.take(rows), values.take(rows))
            nested[:, rows] += weights[:, rows, None] * ends
    return deals.weigh(values.with_outcomes(Outcomes.of_nested(*nested)))


def _suitless_outcomes(
    opponent: Opponent, ranks: Cards, before: score.Score, role: Role
) -> Outcomes[canonical.Floats]:
    """Work out how games may end with each of the 15 discards of six ranks, ``(15,)`` each."""
    _, first, which = np.unique(ranks[DISCARDS], axis=0, return_index=True, return_inverse=True)
    chances = suitless_win_chances(ranks, first, role, before, opponent).outcomes
    return Outcomes(*(of_discards[which.ravel()] for of_discards in chances))


def _suitless_values(
    deals: DealBatch,
    opponent: Opponent,
    *,
    best: bool = False,
    report: Report = None,
    workers: int = 1,
) -> DiscardValues:
    """Value discards by ranks alone, averaged over the suits that the deals can have."""
    whole = _blank(deals, opponent, best=False)
    classes = canonical.class_numbers(list(deals.columns - np.uint8(SUITLESS_OFFSET)))
    for role, rows in by_role(deals.dealer):
        whole.put(rows, suit_averaged_values(class_tables(opponent, role), classes[rows]))
    whole = require_cribs(whole, deals, opponent)
    if deals.scores is not None:
        ends = np.full((len(Outcomes._fields), len(deals.dealer), len(KEEPS)), np.nan)
        rows = np.flatnonzero((deals.scores != score.UNKNOWN).all(axis=1))
        roles_of = [role_of(dealer) for dealer in deals.dealer[rows]]
        scores = [
            score.Score.of(own, other, role)
            for (own, other), role in zip(deals.scores[rows].tolist(), roles_of, strict=True)
        ]
        ranks = deals.columns[:, rows].T - np.uint8(SUITLESS_OFFSET)
        tasks = list(zip(ranks, scores, roles_of, strict=True))
        value = partial(_suitless_outcomes, opponent)
        with mapped(value, tasks, min(workers, len(tasks) // _SUITLESS_EACH)) as results:
            for row, outcomes in zip(rows.tolist(), results, strict=True):
                ends[:, row] = outcomes
                if report is not None:
                    report(1)
        whole = deals.weigh(whole.with_outcomes(Outcomes(*ends)))
    return whole.of_best() if best else whole


def _any_suits_values(
    deals: DealBatch, opponent: Opponent, *, best: bool = False, report: Report = None
) -> DiscardValues:
    """Value discards of hands in which some cards have suits, averaged over all deals."""
    values = (_averaged(hands, opponent) for hands in _parts(deals))
    return _put_together(values, deals, opponent, best, report)


def _averaged(hands: DealBatch, opponent: Opponent) -> DiscardValues:
    suitings = Suitings.of(np.ascontiguousarray(hands.columns.T))
    of_deals = DealBatch.of(suitings.deals, hands.dealer[suitings.rows])
    averages = suitings.values(plan_evaluation(of_deals, opponent).values(), hands.dealer)
    if hands.scores is None:
        return averages
    return hands.weigh(averages.with_outcomes(any_suits_outcomes(suitings, hands, opponent)))


def any_suits_outcomes(
    suitings: Suitings, hands: DealBatch, opponent: Opponent
) -> Outcomes[canonical.Floats]:
    """Average how games may end with the discards of hands, ``(N, 15)``, NaN without a score.

    Chances are approximate, but exact if the hands have few patterns of suits.
    """
    assert hands.scores is not None
    _, patterns = canonical.classify_deals(suitings.deals)
    forms = np.stack([suitings.rows, patterns])
    _, first, form_of = np.unique(forms, axis=1, return_index=True, return_inverse=True)
    rows = suitings.rows[first]
    batch = DealBatch.of(suitings.deals[first], hands.dealer[rows], hands.scores[rows], hands.goal)
    few = len(first) <= _PLAYED_OUT
    ends = plan_evaluation(batch, opponent, exact=few, many=0).values().outcomes
    assert ends is not None
    averages = [suitings.average(chances[form_of.ravel()]) for chances in ends]
    return Outcomes(*sum_to_one(np.stack(averages)))


@dataclass(frozen=True)
class EvaluationPlan:
    """The evaluator of each deal, against one opponent."""

    deals: DealBatch
    opponent: Opponent
    parts: list[tuple[Evaluator, Any]]
    """Each evaluator and the rows it values; together they are all rows, once."""
    reported: int  # how many deals are reported: those counted one by one, and those with a score
    win_methods: NDArray[np.bytes_] | None
    """The method of the chances to win, ``exact`` or ``approximate``, or empty if the score is not
    known, ``(N,)``; None without scores."""

    def values(self, report: Report = None, *, best: bool = False) -> DiscardValues:
        """Value all 15 discards of each deal, ``(N, 15)``, or only the best, ``(N,)``."""
        scored = self.deals.scores is not None
        if len(self.parts) == 1 and not scored:
            return self.parts[0][0](self.deals, self.opponent, best=best, report=report)
        whole = _blank(self.deals, self.opponent, best=best, win=scored)
        for value, rows in self.parts:
            whole.put(rows, value(self.deals.take(rows), self.opponent, best=best, report=report))
        return whole


def plan_evaluation(
    deals: DealBatch, opponent: Opponent, *, exact: bool = False, workers: int = 1, many: int = MANY
) -> EvaluationPlan:
    """Plan which evaluator values which deals.

    Deals without suits go by ranks. Deals in which some cards have suits go by all deals they can
    be. All others are counted one by one if `exact`. Otherwise, only those with a score are, unless
    the opponent is an expert or has habits. Chances to win are then approximate if both players
    need at least `FAR_NEED` points, or if at least `many` deals are nearer to the end. Against an
    opponent with habits, those within `CLOSE_NEED` are counted unless `many` is 0.
    """

    def counted_one_by_one(
        deals: DealBatch, opponent: Opponent, *, best: bool, report: Report
    ) -> DiscardValues:
        values = exact_batch_values(deals, opponent, workers=workers, report=report).discards
        return values.of_best() if best else values

    bare = deals.columns >= SUITLESS_OFFSET
    suited, suitless = np.asarray(~bare.any(axis=0)), np.asarray(bare.all(axis=0))
    mixed = ~suited & ~suitless
    counted, far, near, has_score = np.full((4, len(suitless)), fill_value=False)
    counted |= exact
    if deals.scores is not None:
        has_score |= (deals.scores != score.UNKNOWN).all(axis=1)
        # The play of another, who keeps other cards, is not what the tables have.
        if opponent.is_replied_to or opponent.is_expert:
            far |= has_score & (_needed(deals) >= FAR_NEED)
            near |= has_score & ~far & suited
            if opponent.is_replied_to and many:
                near &= (deals.scores < WINNING_SCORE - CLOSE_NEED).any(axis=1)
            near &= near.sum() >= many
        counted |= has_score & ~far & ~near
    counted &= suited
    far &= suited & ~counted
    near &= suited & ~counted
    evaluators: list[tuple[Evaluator, NDArray[np.bool_]]] = [
        (partial(_suitless_values, workers=workers), suitless),
        (_any_suits_values, mixed),
        (counted_one_by_one, counted),
        (approximate_values, far),
        (partial(approximate_values, workers=workers), near),
        (class_table_values, suited & ~counted & ~far & ~near),
    ]
    methods_used: list[tuple[Evaluator, Any]] = [
        (evaluator, slice(None) if rows.all() else rows)
        for evaluator, rows in evaluators
        if rows.any()
    ]
    # Even where there is no deal, an evaluator says if it cannot value against the opponent.
    methods_used = methods_used or [
        (counted_one_by_one if exact else class_table_values, slice(None))
    ]
    methods, averaged = None, mixed | suitless & has_score
    if deals.scores is not None:
        methods = np.select(
            [far | near | (has_score & ~suited), counted & has_score],
            [b"approximate", b"exact"],
            b"",
        )
    reported = int((counted | averaged | far | near).sum())
    return EvaluationPlan(deals, opponent, methods_used, reported, methods)


def deal_text(deal: Cards) -> str:
    """Write a deal, each card with or without its suit."""
    return " ".join(map(format_card, deal.tolist()))


def require_cribs(values: DiscardValues, deals: DealBatch, opponent: Opponent) -> DiscardValues:
    """Check that the opponent has something to discard against each deal, else name the first."""
    unknown = np.isnan(values.crib)
    if unknown.any():
        row = int(unknown.reshape(len(unknown), -1).any(axis=1).argmax())
        seen = deal_text(deals.columns[:, row])
        raise TableError(f"{opponent.name!r} gives nothing to discard with {seen} in sight")
    return values


def _blank(deals: DealBatch, opponent: Opponent, *, best: bool, win: bool = False) -> DiscardValues:
    """Make values to fill, of the best discard of each deal, ``(N,)``, or of all, ``(N, 15)``."""
    shape = (len(deals.dealer),) if best else (len(deals.dealer), len(KEEPS))
    return DiscardValues.blank(
        shape, play=opponent.counts_play, win=win, worth=deals.goal is not None
    )


def by_role(dealer: NDArray[np.bool_]) -> list[tuple[Role, Any]]:
    """List the roles that come, each with the rows of its deals."""
    if dealer.all() or not dealer.any():
        return [("dealer" if dealer.all() else "pone", slice(None))]
    return [("dealer", np.flatnonzero(dealer)), ("pone", np.flatnonzero(~dealer))]


@lru_cache(maxsize=2)  # both roles of an opponent
def class_tables(opponent: Opponent, role: Role) -> ClassTables:
    """Return the tables of what keeps are worth against an opponent."""
    return ClassTables(opponent.crib_averages(role), role)
