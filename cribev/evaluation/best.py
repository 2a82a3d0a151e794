"""The best discard of each of many deals, and all that can follow it.

Deals that go by class tables alone are worth the same where class and pattern are the same, so a
record of 32 bytes answers for each canonical deal, of which there are 1,857,856. All records are
worked out once as many deals were asked for; from then on, an answer is a lookup. So no run takes
much more than twice as long as it would have taken with the better of both ways.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribev.classes import canonical
from cribev.classes.canonical import Index
from cribev.classes.ranking import BestKeep, DiscardValues
from cribev.evaluation.plan import (
    BLOCK,
    DealBatch,
    EvaluationPlan,
    Report,
    by_role,
    class_table_values,
    class_tables,
    require_cribs,
)
from cribev.evaluation.spread import (
    Spread,
    crib_deviations,
    hand_deviations,
    spread_of_cards,
    spread_of_keeps,
)
from cribev.game.cards import Cards
from cribev.game.index_tables import KEEPS
from cribev.game.roles import Role
from cribev.opponents.opponents import Opponent

_RECORD = np.dtype(
    {
        "names": ["hand", "crib", "margin", *Spread._fields, "squares", "keep"],
        "formats": ["f8", "f8", "f8", "u1", "u1", "u1", "u1", "u2", "u1"],
        "itemsize": 32,  # numpy gathers records of this size fastest
    }
)
"""Average hand and crib, the margin in points, the four of `Spread`, the sum of the squares of the
hand over all starters, and the keep."""


def best_and_spread(
    plan: EvaluationPlan, *, report: Report = None
) -> tuple[DiscardValues, dict[str, NDArray[Any]]]:
    """Return the values of the best discard of each deal, ``(N,)``, and its `spread_of_keeps`."""
    if plan.deals.scores is None and [value for value, _ in plan.parts] == [class_table_values]:
        return _by_classes(plan.deals, plan.opponent)
    best = plan.values(report, best=True)
    return best, spread_of_keeps(plan.deals, best.best.keep, best.hand, plan.opponent)


def _by_classes(
    deals: DealBatch, opponent: Opponent
) -> tuple[DiscardValues, dict[str, NDArray[Any]]]:
    number = len(deals.dealer)
    values = DiscardValues.blank((number,), play=opponent.counts_play)
    spread: dict[str, NDArray[Any]] = {name: np.empty(number, np.uint8) for name in Spread._fields}
    spread |= {name: np.empty(number) for name in ("hand_sd", "crib_sd")}
    for role, rows in by_role(deals.dealer):
        _best_records(opponent, role).expect(len(deals.dealer[rows]))
    for start in range(0, max(number, 1), BLOCK):
        block = slice(start, start + BLOCK)
        columns = deals.columns[:, block]
        classes, patterns = canonical.classify_columns(list(columns))
        for role, rows in by_role(deals.dealer[block]):
            best = _best_records(opponent, role)
            records = best.take(columns[:, rows], classes[rows], patterns[rows])
            places = classes[rows] * len(KEEPS) + records["keep"]
            hand, chosen = records["hand"], BestKeep(records["keep"], records["margin"])
            play = class_tables(opponent, role).play_of_keeps(places)
            found = DiscardValues.of(hand, records["crib"], role, play, chosen=chosen)
            values.take(block).put(rows, found)
            for name in Spread._fields:
                spread[name][block][rows] = records[name]
            spread["hand_sd"][block][rows] = hand_deviations(records["squares"], hand)
            spread["crib_sd"][block][rows] = crib_deviations(opponent, role).take(places)
    return require_cribs(values, deals, opponent), spread


class _BestRecords:
    """Records of the best discards, `_RECORD`, against one opponent in one role."""

    def __init__(self, opponent: Opponent, role: Role) -> None:
        self._tables = class_tables(opponent, role)
        self._expected = 0
        self._of_all: NDArray[np.void] | None = None

    def expect(self, number: int) -> None:
        """Count deals that are about to be asked for; of many, work out all records."""
        self._expected += number
        if self._of_all is None and self._expected >= canonical.CANONICAL_DEALS:
            every = canonical.canonical_deals()
            of_all = np.empty(len(every.deals), _RECORD)
            for start in range(0, len(of_all), BLOCK):
                block = slice(start, start + BLOCK)
                classes, patterns = (
                    numbers[block].astype(np.intp) for numbers in (every.classes, every.patterns)
                )
                deals = np.ascontiguousarray(every.examples[block].T)
                of_all[block] = self._computed(deals, classes, patterns)
            self._of_all = of_all

    def take(self, deals: Cards, classes: Index, patterns: Index) -> NDArray[np.void]:
        """Return the records of deals with suits, uint8 ``(6, n)``: ``(n,)``."""
        if self._of_all is None:
            return self._computed(deals, classes, patterns)
        return self._of_all.take(canonical.canonical_rows(classes, patterns))

    def _computed(self, deals: Cards, classes: Index, patterns: Index) -> NDArray[np.void]:
        best = self._tables.best(classes, patterns)
        keep, margin = best.best
        points, squares, _ = spread_of_cards(deals, keep)
        records = np.empty(len(keep), _RECORD)
        for name, column in (("hand", best.hand), ("crib", best.crib), ("margin", margin)):
            records[name] = column
        for name, column in zip(Spread._fields, points.T, strict=True):
            records[name] = column
        records["squares"], records["keep"] = squares, keep
        return records


@lru_cache(maxsize=2)  # both roles of an opponent, 60 MB each
def _best_records(opponent: Opponent, role: Role) -> _BestRecords:
    return _BestRecords(opponent, role)
