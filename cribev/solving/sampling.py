"""Plays drawn from the average strategies, many at once, compiled.

All plays that share what was laid go down the public tree together, and each draws its next card.
They stop where nothing is left to decide.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cribev.solving.cfr import PlaySolver
from cribev.solving.play_walk import count_choices


def sample_plays(
    solver: PlaySolver,
    pone: NDArray[np.integer],
    dealer: NDArray[np.integer],
    generator: np.random.Generator,
) -> NDArray[np.int8]:
    """Draw how many plays go, card by card.

    Parameters
    ----------
    solver
        With the average strategies.
    pone, dealer
        Keeps, numbers of `play_tables.Deck.holdings`, ``(n,)`` each.
    generator
        Of chance.

    Returns
    -------
    Places of the ranks in the deck in the order they are laid, int8 ``(n, 2 * kept)``; -1 from
    where each has one card left, or one none.
    """
    kept, ranks = solver.deck.kept, len(solver.deck.ranks)
    held = np.stack([pone, dealer]).astype(np.int64)
    laid = np.full((len(pone), 2 * kept), -1, dtype=np.int8)
    fewer = np.full((kept + 1, solver.deck.many(kept), ranks), -1, dtype=np.int64)
    for cards in range(1, kept + 1):
        for rank in range(ranks):
            below = np.arange(solver.deck.many(cards - 1))
            fewer[cards, solver.tables.plus[cards, rank, below], rank] = below
    leads, answers = solver.average_first_cards()
    for at, table in enumerate((leads, answers)):
        chances = table[pone, 0] if at == 0 else table[dealer, laid[:, 0]]
        under = np.cumsum(chances, axis=1) > generator.random(len(pone))[:, None]
        last = np.where(chances > 0, np.arange(ranks), 0).max(axis=1)  # where rounding leaves none
        laid[:, at] = np.where(under.any(axis=1), under.argmax(axis=1), last)
        held[at] = fewer[kept, held[at], laid[:, at]]
    order = np.lexsort((laid[:, 1], laid[:, 0]))
    first = laid[order, :2].astype(np.int64) @ [ranks, 1]
    edges = np.searchsorted(first, np.arange(ranks**2 + 1))
    stands = np.zeros(1, dtype=np.int64)
    for job in range(ranks**2):
        lead, answer = divmod(job, ranks)
        stands[0] = solver.starts[lead, answer]
        plays = order[edges[job] : edges[job + 1]]
        if len(plays):
            _draw(
                solver.tables, solver.sums, fewer, held, laid, plays,
                generator.random((len(plays), 2 * kept)), stands,
                solver.state_after(lead, answer), True, False, kept - 1, kept - 1, 2,
                np.arange(len(plays)),
            )  # fmt: skip
    return laid


@njit(nogil=True)
def _draw(
    tables, sums, fewer, held, laid, plays, chance, at,
    state, leads, said, pones, dealers, done, here,
):  # fmt: skip
    """Go on from a node with the plays that are ``here``."""
    if pones == 0 or dealers == 0 or (pones == 1 and dealers == 1):
        return
    cards, who = (pones, 0) if leads else (dealers, 1)
    ranks, fits, below = tables.next.shape[1], tables.fits[state], tables.width[cards - 1]
    start = at[0]
    if cards >= 2:
        at[0] += fits * below
    picks = np.full(len(here), -1, dtype=np.int64)
    for one in range(len(here)):
        holding = held[who, plays[here[one]]]
        total, options = 0.0, 0
        for rank in range(fits):
            left = fewer[cards, holding, rank]
            if left >= 0:
                options += 1
                if cards >= 2:
                    total += sums[start + rank * below + left]
        if not options:
            continue
        wanted, so_far = chance[here[one], done], 0.0
        for rank in range(fits):
            left = fewer[cards, holding, rank]
            if left < 0:
                continue
            weighed = total > 1e-30
            part = sums[start + rank * below + left] / total if weighed else 1 / options
            so_far += part
            if part > 0:
                picks[one] = rank
                if so_far > wanted:
                    break
    own, other = (pones - 1, dealers) if leads else (pones, dealers - 1)
    for rank in range(fits):
        after = np.int64(tables.next[state, rank])
        stays = said and after != 0
        next_leads = leads if stays else not leads
        chosen = here[picks == rank]
        if not len(chosen):
            at[0] += count_choices(tables, after, next_leads, stays, own, other)
            continue
        for one in chosen:
            play = plays[one]
            held[who, play] = fewer[cards, held[who, play], rank]
            laid[play, done] = rank
        _draw(
            tables, sums, fewer, held, laid, plays, chance, at,
            after, next_leads, stays, own, other, done + 1, chosen,
        )  # fmt: skip
    if fits == ranks:
        return
    goes = here[picks < 0]
    after = np.int64(0) if said else state
    if not len(goes):
        at[0] += count_choices(tables, after, not leads, not said, pones, dealers)
        return
    _draw(
        tables, sums, fewer, held, laid, plays, chance, at,
        after, not leads, not said, pones, dealers, done, goes,
    )  # fmt: skip
