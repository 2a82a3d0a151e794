"""What the discards of deals are worth exactly, deal by deal, on several cores."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import NamedTuple

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


class ValuesGivenStarter(NamedTuple):
    """What the discards of N deals are worth, by every hand and crib that can follow."""

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
    found = ValuesGivenStarter(
        DiscardValues.blank((number, 15), play=opponent.counts_play, win=scores is not None),
        np.empty((number, 15)),
    )
    roles = list(map(role_of, dealer))
    cut = np.full(number, -1) if starters is None else starters
    at: list[list[int] | None] = [None] * number if scores is None else scores.tolist()
    tasks = zip(deals, roles, cut.tolist(), at, strict=True)
    value = partial(_value_deal, opponent)
    with ExitStack() as stack:
        results: Iterator[tuple[DiscardValues, Floats | float]]
        if (workers := min(workers, number)) > 1:
            for role in sorted(set(roles)):  # fill the cache, so that not every worker counts
                opponent.discards.weights(deals[roles.index(role)], role)
            results = stack.enter_context(process_pool(value, tasks, workers=workers))
        else:
            results = (value(*task) for task in tasks)
        for row, (values, crib_cut) in enumerate(results):
            found.discards.put(row, values)
            found.crib_given_starter[row] = crib_cut
            if report is not None:
                report(1)
    return found


def _value_deal(
    opponent: Opponent, deal: Cards, role: Role, starter: int, score: list[int] | None
) -> tuple[DiscardValues, Floats | float]:
    at = None if score is None or min(score) < 0 else Score.of(score[0], score[1], role)
    found = deal_outcomes(deal, role, opponent)
    cut: Floats | float = float("nan")
    if starter >= 0:
        cut = found.cribs.mean_by_starter[:, np.searchsorted(unseen(deal), starter)]
    values = DiscardValues.of(
        found.hand_mean, found.cribs.mean, role, None if found.play is None else found.play.net
    )
    if at is not None:
        chances = win_chances(deal, role, at, opponent)
        values = values.with_outcomes(chances.outcomes)
    return values, cut
