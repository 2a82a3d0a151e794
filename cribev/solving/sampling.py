"""Plays sampled from the average strategies, many at once.

All plays in which the same was laid go down the public tree together, and each samples its next
card. They stop where nothing is left to decide.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cribev.solving.evaluation import by_keep
from cribev.solving.play_solver import PONE, PlaySolver
from cribev.solving.tree import PlayTables, after_card, after_go, count_cells
from cribev.solving.walk import ZERO


class SamplingContext(NamedTuple):
    """What every step can see; the player is pone, the other the dealer."""

    tables: PlayTables
    sums: NDArray[np.float32]
    """Weights of the average strategies, as `InformationSets.sums`."""
    remove_card: NDArray[np.int64]
    """Holding left by cards, holding and rank laid, ``(kept + 1, n, R)``; -1 if it is not there."""
    held: NDArray[np.int64]
    """What pone and dealer hold, ``(2, plays)``."""
    laid: NDArray[np.int8]
    """What is returned, ``(plays, 2 * kept)``."""
    random: NDArray[np.float64]
    """Uniform numbers, ``(plays below a lead and answer, 2 * kept)``."""
    cursor: NDArray[np.int64]
    """The next cell of the information sets, ``(1,)``."""


def sample_plays(
    solver: PlaySolver,
    pone: NDArray[np.integer],
    dealer: NDArray[np.integer],
    generator: np.random.Generator,
) -> NDArray[np.int8]:
    """Sample how plays go, card by card, from keeps by number, ``(n,)`` each.

    Returns places of the ranks in `GameSize.ranks`, in the order they are laid, int8
    ``(n, 2 * kept)``; -1 from where each has one card left, or one none.
    """
    kept, ranks = solver.size.kept, len(solver.size.ranks)
    held = np.stack([pone, dealer]).astype(np.int64)
    laid = np.full((len(pone), 2 * kept), -1, dtype=np.int8)
    remove = np.full((kept + 1, solver.size.holding_count(kept), ranks), -1, dtype=np.int64)
    for cards in range(1, kept + 1):
        below = np.arange(solver.size.holding_count(cards - 1))
        for rank in range(ranks):
            remove[cards, solver.tables.add_card[cards, rank, below], rank] = below
    leads, answers = (by_keep(solver, table, 0.0) for table in solver.average_first_cards())
    for player in range(2):
        chances = answers[dealer, laid[:, 0]] if player else leads[pone, 0]
        under = np.cumsum(chances, axis=1) > generator.random(len(pone))[:, None]
        last = np.where(chances > 0, np.arange(ranks), 0).max(axis=1)  # where rounding leaves none
        laid[:, player] = np.where(under.any(axis=1), under.argmax(axis=1), last)
        held[player] = remove[kept, held[player], laid[:, player]]
    order = np.lexsort((laid[:, 1], laid[:, 0]))
    first = laid[order, :2].astype(np.int64) @ [ranks, 1]
    edges = np.searchsorted(first, np.arange(ranks**2 + 1))
    for number in range(ranks**2):
        plays = order[edges[number] : edges[number + 1]]
        if len(plays):
            lead, answer = divmod(number, ranks)
            context = SamplingContext(
                solver.tables, solver.sums, remove, held[:, plays], laid[plays],
                generator.random((len(plays), 2 * kept)), np.array([solver.starts[lead, answer]]),
            )  # fmt: skip
            _sample(context, solver.root(PONE, lead, answer), np.arange(len(plays)))
            laid[plays] = context.laid
    return laid


@njit(nogil=True)
def _sample(context, node, plays):
    """Go on from a node with ``plays``, int64 ``(m,)``."""
    tables, held, own, other = context.tables, context.held, node.own_left, node.other_left
    if own == 0 or other == 0 or (own == 1 and other == 1):
        return
    cards, player = (own, 0) if node.own_turn else (other, 1)
    laid_before = context.laid.shape[1] - own - other
    picks = _sample_ranks(context, node, plays, cards, held[player], context.random[:, laid_before])
    fits = tables.fits[node.state]
    for rank in range(fits):
        after, chosen = after_card(tables, node, rank), plays[picks == rank]
        if not len(chosen):
            context.cursor[0] += count_cells(tables, after)
            continue
        for play in chosen:
            held[player, play] = context.remove_card[cards, held[player, play], rank]
            context.laid[play, laid_before] = rank
        _sample(context, after, chosen)
    if fits < tables.next_state.shape[1]:
        after, go = after_go(node), plays[picks < 0]
        if len(go):
            _sample(context, after, go)
        else:
            context.cursor[0] += count_cells(tables, after)


@njit(nogil=True)
def _sample_ranks(context, node, plays, cards, held, random):
    """Return the rank each play lays, int64 ``(m,)``; -1 where none fits."""
    fits, below = context.tables.fits[node.state], context.tables.width[cards - 1]
    start = context.cursor[0]
    if cards >= 2:
        context.cursor[0] += fits * below
    picks = np.full(len(plays), -1, dtype=np.int64)
    for at in range(len(plays)):
        remove = context.remove_card[cards, held[plays[at]]]
        total, options = 0.0, 0
        for rank in range(fits):
            if remove[rank] >= 0:
                options += 1
                if cards >= 2:
                    total += context.sums[start + rank * below + remove[rank]]
        wanted, so_far = random[plays[at]], 0.0
        for rank in range(fits):
            if remove[rank] < 0:
                continue
            part = 1 / options
            if total > ZERO:
                part = context.sums[start + rank * below + remove[rank]] / total
            so_far += part
            if part > 0:
                picks[at] = rank
                if so_far > wanted:
                    break
    return picks
