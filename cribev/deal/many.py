"""Many deals, each valued as one deal is, on several cores."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.deal.outcomes import deal_outcomes
from cribev.game.cards import Cards, unseen
from cribev.game.roles import Role, role_of
from cribev.opponents.models import Opponent
from cribev.workers import check_workers, process_pool


class Means(NamedTuple):
    """What the 15 discards of each of N deals come to on average, in points."""

    hand: Floats
    """Average hand, ``(N, 15)``, in the order of ``indices.KEEPS``."""
    crib: Floats
    """Average crib, ``(N, 15)``."""
    crib_cut: Floats
    """Average crib of the discard thrown once the starter is known, ``(N,)``, else NaN."""
    win: Floats | None = None
    """Chances to win the game, ``(N, 15)``, NaN where the score is not known; with scores."""


def exact_means(
    deals: Cards,
    dealer: NDArray[np.bool_],
    opponent: Opponent,
    *,
    keeps: NDArray[np.integer] | None = None,
    starters: NDArray[np.integer] | None = None,
    scores: NDArray[np.integer] | None = None,
    workers: int = 1,
    report: Callable[[int], object] | None = None,
) -> Means:
    """Average every hand and every crib that can follow each discard of many deals.

    Parameters
    ----------
    deals
        Card numbers, uint8 ``(N, 6)``, each deal ascending.
    dealer
        Whether the crib is the player's, ``(N,)``.
    opponent
        Who throws the other two cards.
    keeps
        What was kept of each deal, 0..14, ``(N,)``, if the starters matter.
    starters
        What was cut, card numbers, below 0 where it is not known, ``(N,)``.
    scores
        The player's points before the deal and the opponent's, below 0 where they are not known,
        ``(N, 2)``, if the chances to win matter; the play then counts in them.
    workers
        How many processes share the work. With more than one, a script that calls this keeps its
        own doings under ``if __name__ == "__main__"``, as `multiprocessing` has it.
    report
        Called with the number of deals done since it was last called, to show progress.

    Raises
    ------
    CribevError
        If `workers` is no number of processes, or one of them ends before its time.
    TableError
        If the opponent has nothing to throw beside a deal.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> from cribev.opponents.models import as_opponent
    >>> deals = parse_cards("2H 5D 5H 8D JS QC").reshape(1, 6)
    >>> means = exact_means(deals, np.array([True]), as_opponent("uniform"))
    >>> means.hand.shape, float(means.hand.max().round(2))
    ((1, 15), 12.7)
    """
    check_workers(workers)
    number = len(deals)
    if keeps is None or starters is None:
        keeps, starters = np.zeros(number, np.intp), np.full(number, -1)
    win = None if scores is None else np.empty((number, 15))
    means = Means(np.empty((number, 15)), np.empty((number, 15)), np.empty(number), win)
    roles = list(map(role_of, dealer))
    value = partial(_one, opponent)
    at: list[list[int] | None] = [None] * number if scores is None else scores.tolist()
    todo = (deals, roles, keeps.tolist(), starters.tolist(), at)
    with ExitStack() as stack:
        results: Iterator[tuple[Floats, Floats, float, Floats | None]]
        if (workers := min(workers, number)) > 1:
            for role in sorted(set(roles)):  # what he counts once is not counted by every worker
                opponent.weights(deals[roles.index(role)], role)
            tasks = zip(*todo, strict=True)
            results = stack.enter_context(process_pool(value, tasks, workers=workers))
        else:
            results = map(value, *todo)
        for row, (hand, crib, cut, wins) in enumerate(results):
            means.hand[row], means.crib[row], means.crib_cut[row] = hand, crib, cut
            if win is not None:
                win[row] = np.nan if wins is None else wins
            if report is not None:
                report(1)
    return means


def _one(
    opponent: Opponent, deal: Cards, role: Role, keep: int, starter: int, score: list[int] | None
) -> tuple[Floats, Floats, float, Floats | None]:
    at = None if score is None or min(score) < 0 else (score[0], score[1])
    found = deal_outcomes(deal, role, opponent, score=at)
    cut = float("nan")
    if starter >= 0:
        cut = float(found.cribs.mean_by_starter[keep, np.searchsorted(unseen(deal), starter)])
    chances = found.chances
    return found.hand_mean, found.cribs.mean, cut, None if chances is None else chances.win
