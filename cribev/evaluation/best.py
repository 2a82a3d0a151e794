"""The best discard of each of many deals, and all that can follow it.

Deals that go by class tables alone are worth the same where class and pattern are the same, so a
record of 32 bytes answers for each canonical deal, of which there are 1,857,856. All records are
worked out once as many deals were asked for in large arrays; from then on, an answer is a lookup.
So no run takes much more than twice as long as it would have taken with the better of both ways.
"""

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribev.classes import canonical
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
from cribev.game.index_tables import KEEPS
from cribev.game.roles import Role
from cribev.opponents.opponents import Opponent

_LARGE = 1 << 18
"""Fewer deals at once are not counted: a file comes in chunks, and its memory stays flat."""

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
    deals, opponent = plan.deals, plan.opponent
    if deals.scores is None and [value for value, _ in plan.parts] == [class_table_values]:
        tables = [
            _best_records(opponent, role).of_many(len(deals.dealer[rows]))
            for role, rows in by_role(deals.dealer)
        ]
        if all(records is not None for records in tables):
            return _looked_up(deals, opponent)
    best = plan.values(report, best=True)
    return best, spread_of_keeps(deals, best.best.keep, best.hand, opponent)


def _looked_up(
    deals: DealBatch, opponent: Opponent
) -> tuple[DiscardValues, dict[str, NDArray[Any]]]:
    """Do what `best_and_spread` does, by the records of all canonical deals."""
    number = len(deals.dealer)
    values = DiscardValues.blank((number,), play=opponent.counts_play)
    spread: dict[str, NDArray[Any]] = {name: np.empty(number, np.uint8) for name in Spread._fields}
    spread |= {name: np.empty(number) for name in ("hand_sd", "crib_sd")}
    for start in range(0, number, BLOCK):
        block = slice(start, start + BLOCK)
        classes, patterns = canonical.classify_columns(list(deals.columns[:, block]))
        places = canonical.canonical_rows(classes, patterns)
        for role, rows in by_role(deals.dealer[block]):
            records = _best_records(opponent, role).of_all.take(places[rows])
            keeps = classes[rows] * len(KEEPS) + records["keep"]
            hand, chosen = records["hand"], BestKeep(records["keep"], records["margin"])
            play = class_tables(opponent, role).play_of_keeps(keeps)
            best = DiscardValues.of(hand, records["crib"], role, play, chosen=chosen)
            values.take(block).put(rows, best)
            for name in Spread._fields:
                spread[name][block][rows] = records[name]
            spread["hand_sd"][block][rows] = hand_deviations(records["squares"], hand)
            spread["crib_sd"][block][rows] = crib_deviations(opponent, role).take(keeps)
    return require_cribs(values, deals, opponent), spread


class _BestRecords:
    """Records of the best discards, `_RECORD`, against one opponent in one role."""

    def __init__(self, opponent: Opponent, role: Role) -> None:
        self._opponent, self._role = opponent, role
        self._asked = 0

    def of_many(self, number: int) -> NDArray[np.void] | None:
        """Return all records once as many deals were asked for, `number` of them now, else None."""
        self._asked += number if number >= _LARGE else 0
        return self.of_all if self._asked >= canonical.CANONICAL_DEALS else None

    @cached_property
    def of_all(self) -> NDArray[np.void]:
        """The records of all canonical deals."""
        canonical_deals = canonical.canonical_deals()
        tables = class_tables(self._opponent, self._role)
        of_all = np.empty(len(canonical_deals.deals), _RECORD)
        for start in range(0, len(of_all), BLOCK):
            block = slice(start, start + BLOCK)
            best = tables.best(canonical_deals.classes[block], canonical_deals.patterns[block])
            keep, margin = best.best
            deals = np.ascontiguousarray(canonical_deals.examples[block].T)
            points, squares, _ = spread_of_cards(deals, keep)
            columns = (best.hand, best.crib, margin, *points.T, squares, keep)
            for name, column in zip(_RECORD.names or (), columns, strict=True):
                of_all[name][block] = column
        return of_all


@lru_cache(maxsize=2)  # both roles of an opponent, 60 MB each
def _best_records(opponent: Opponent, role: Role) -> _BestRecords:
    return _BestRecords(opponent, role)
