"""The exact values of the discards of deals, deal by deal, on several cores."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import starmap
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.classes.ranking import DiscardValues
from cribev.game.cards import Cards, unseen
from cribev.game.roles import Role, role_of
from cribev.game.score import Score
from cribev.opponents.opponents import Opponent
from cribev.system.processes import check_workers, process_pool
from cribev.values.counts import deal_outcomes
from cribev.wins.exact import win_chances

_Found = TypeVar("_Found")


class ValuesGivenStarter(NamedTuple):
    """The values of the discards of N deals, by every hand and crib that can follow."""

    discards: DiscardValues  # all 15 of each deal
    crib_given_starter: Floats
    """Average crib once the starter is known, ``(N, 15)``, NaN if it is not."""


def exact_values(
    deals: Cards,
    dealer: NDArray[np.bool_],
    opponent: Opponent,
    *,
    starters: NDArray[np.integer] | None = None,
    scores: NDArray[np.integer] | None = None,
    workers: int = 1,
    report: Callable[[int], object] | None = None,
) -> ValuesGivenStarter:
    """Average hands and cribs of deals ``(N, 6)``, starters and points below 0 if not known."""
    check_workers(workers)
    number = len(deals)
    whole = ValuesGivenStarter(
        DiscardValues.blank((number, 15), play=opponent.counts_play, win=scores is not None),
        np.empty((number, 15)),
    )
    roles = list(map(role_of, dealer))
    cut = np.full(number, -1) if starters is None else starters
    own_scores: list[list[int] | None] = [None] * number if scores is None else scores.tolist()
    tasks = zip(deals, roles, cut.tolist(), own_scores, strict=True)
    value = partial(_value_deal, opponent)
    workers = min(workers, number)
    for role in sorted(set(roles)) if workers > 1 else ():
        # Fill the cache, so that not every worker counts.
        opponent.discards.weights(deals[roles.index(role)], role)
    with mapped(value, tasks, workers) as results:
        for row, (values, crib_cut) in enumerate(results):
            whole.discards.put(row, values)
            whole.crib_given_starter[row] = crib_cut
            if report is not None:
                report(1)
    return whole


@contextmanager
def mapped(
    value: Callable[..., _Found], tasks: Iterable[tuple[Any, ...]], workers: int
) -> Iterator[Iterator[_Found]]:
    """Yield the results of tasks, in order, computed here or by several processes."""
    if workers < 2:
        yield starmap(value, tasks)
        return
    with process_pool(value, tasks, workers=workers) as results:
        yield results


def _value_deal(
    opponent: Opponent, deal: Cards, role: Role, starter: int, score: list[int] | None
) -> tuple[DiscardValues, Floats | float]:
    outcomes = deal_outcomes(deal, role, opponent)
    cut: Floats | float = float("nan")
    if starter >= 0:
        cut = outcomes.cribs.mean_by_starter[:, np.searchsorted(unseen(deal), starter)]
    values = DiscardValues.of(
        outcomes.hand_mean,
        outcomes.cribs.mean,
        role,
        None if outcomes.play is None else outcomes.play.net,
    )
    if score is not None and min(score) >= 0:
        before = Score.of(score[0], score[1], role)
        chances = win_chances(tuple(deal.tolist()), role, before, opponent)
        values = values.with_outcomes(chances.outcomes)
    return values, cut
