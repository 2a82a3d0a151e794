"""What an opponent who follows a strategy throws, counted over every hand he can hold."""

from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from cribev.cards import DECK_SIZE, CardsLike, as_cards, unseen
from cribev.errors import TableError
from cribev.tables import DISCARDS

DEALS = comb(DECK_SIZE, 6)
UNSEEN = DECK_SIZE - 6

_BLOCK = 1 << 17  # hands at a time: enough to make clearing and adding the counts cheap


def exact_weights(deal: CardsLike, strategy: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Count the opponent's hands that throw each pair and leave each starter.

    Parameters
    ----------
    deal
        The six cards of the player who asks.
    strategy
        The opponent's keep number, 0..14, for every deal in colexicographic order, uint8
        ``(20358520,)``. It may be a memory map.

    Returns
    -------
    float64 ``(1035, 46)``: for each pair, in the order of ``itertools.combinations`` of the
    ascending unseen cards, and each unseen card as starter, how many of the 9,366,819 hands the
    opponent can hold throw that pair and do not contain that starter. Each starter's column sums to
    C(45, 6) = 8,145,060.

    Raises
    ------
    CardError
        If the deal is not six different cards.
    TableError
        If the strategy is not of all deals, or holds anything but keep numbers.

    Examples
    --------
    >>> strategy = np.zeros(20358520, dtype=np.uint8)  # always keep the four lowest cards
    >>> weights = exact_weights("5H 5D JS QC 2H 8D", strategy)
    >>> weights.shape, float(weights[:, 0].sum())
    ((1035, 46), 8145060.0)
    >>> weights[-1, :2].tolist()  # the red kings and four of the 43 cards below, not AC, AD
    [123410.0, 123410.0]
    """
    own = as_cards(deal, count=6)
    if strategy.shape != (DEALS,):
        raise TableError(f"a strategy has {DEALS:,} keeps, one a deal, not shape {strategy.shape}")
    cards = unseen(own)
    low = _low_cards()
    binomials = np.array([[comb(card, k) for card in cards.tolist()] for k in range(7)])
    # The hands with the same highest card are the start of one list of the five others, and the
    # deals with that highest card lie together, so one list of numbers serves all of them.
    numbers = sum(binomials[at + 1][low[at]] for at in range(5))
    thrown = np.zeros((UNSEEN, UNSEEN * UNSEEN), dtype=np.int64)  # by highest card and pair
    held = np.zeros(UNSEEN**3, dtype=np.int64)  # by pair and one of the five others

    row = np.arange(_BLOCK)
    places = np.ascontiguousarray(DISCARDS.T) * _BLOCK
    hands = np.empty((6, _BLOCK), dtype=np.intp)
    for highest in range(5, UNSEEN):
        deals = strategy[binomials[6][highest] :]
        hands[5] = highest
        size = comb(highest, 5)
        for start in range(0, size, _BLOCK):
            part = slice(start, min(start + _BLOCK, size))
            here = row[: part.stop - start]
            keeps = deals.take(np.asarray(numbers)[part])
            hands[:5, : len(here)] = low[:, part]
            try:
                first, second = (hands.take(place.take(keeps) + here) for place in places)
            except IndexError:
                raise TableError(f"keep {keeps.max()} in a strategy: expected 0 to 14") from None
            pair = first * UNSEEN + second
            thrown[highest] += np.bincount(pair, minlength=UNSEEN**2)
            pair *= UNSEEN
            for column in low:
                np.add(pair, column[part], out=second)
                held += np.bincount(second, minlength=UNSEEN**3)
    # A pair's own cards are held in every hand that throws it, so they come out as no starter.
    inside = held.reshape(UNSEEN**2, UNSEEN) + thrown.T
    weights: NDArray[np.float64] = (thrown.sum(axis=0)[:, None] - inside).astype(np.float64)
    lower, upper = np.triu_indices(UNSEEN, 1)
    return weights.take(lower * UNSEEN + upper, axis=0)


@cache
def _low_cards() -> NDArray[np.intp]:
    """Five of 45 positions ascending, in colexicographic order, intp ``(5, 1221759)``."""
    columns = np.arange(UNSEEN - 1)[None]
    for size in range(2, 6):
        # Under each highest position come the smaller combinations of the positions below it.
        tops = range(size - 1, UNSEEN - 1)
        columns = np.concatenate(
            [np.insert(columns[:, : comb(top, size - 1)], size - 1, top, axis=0) for top in tops],
            axis=1,
        )
    return np.ascontiguousarray(columns)
