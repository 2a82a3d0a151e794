"""All 20,358,520 deals and their numbers, in colexicographic order."""

from functools import cache
from itertools import combinations, pairwise
from math import comb
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cribev.errors import CardError
from cribev.game.cards import DECK_SIZE, Cards, as_card_numbers, format_cards

Columns: TypeAlias = list[Cards]
DEALS = comb(DECK_SIZE, 6)
_SORTING_NETWORK = (
    *((0, 5), (1, 3), (2, 4), (1, 2), (3, 4), (0, 3)),
    *((2, 5), (0, 1), (2, 3), (4, 5), (1, 2), (3, 4)),
)


def colex_rank(*cards: NDArray[np.integer]) -> NDArray[np.int64]:
    """Rank sets of cards in colexicographic order: ascending numbers, an array for each place.

    >>> [colex_rank(*np.array(cards)).item() for cards in ([0, 1, 2], [49, 50, 51], [50, 51])]
    [0, 22099, 1325]
    """
    return sum(
        (binomials()[size].take(card) for size, card in enumerate(cards, start=1)),
        start=np.zeros(1, dtype=np.int64),
    )


def unrank_deals(numbers: NDArray[np.integer]) -> Cards:
    """Return the deals of numbers 0..20,358,519, ``(N,)``: uint8 ``(N, 6)``, each ascending.

    >>> unrank_deals(np.array([7, 20358519])).tolist()
    [[0, 1, 2, 3, 4, 7], [46, 47, 48, 49, 50, 51]]
    """
    high = np.searchsorted(_first_numbers(), numbers, side="right") - 1
    low = numbers - _first_numbers()[high]
    return np.concatenate([_triples()[:, low], _triples()[:, high]]).T


@cache
def binomials() -> NDArray[np.int64]:
    """Tabulate C(n, k): row k, column n."""
    return np.array([[comb(n, k) for n in range(DECK_SIZE + 1)] for k in range(7)])


def as_deals(deals: ArrayLike) -> Cards:
    """Check that an array holds deals, card numbers ``(N, 6)``, but not yet that they differ.

    >>> as_deals([[5, 4, 3, 2, 1, 0]]).dtype.name
    'uint8'
    """
    deals = as_card_numbers(deals)
    if deals.ndim != 2 or deals.shape[1] != 6:
        raise CardError(f"deals have shape (N, 6), not {deals.shape}")
    return deals


def sorted_columns(deals: Cards) -> Columns:
    """Sort the cards of each deal, ``(N, 6)``, into a column a position; they must differ."""
    columns = list(np.ascontiguousarray(deals.T))
    for low, high in _SORTING_NETWORK:
        columns[low], columns[high] = (
            np.minimum(columns[low], columns[high]),
            np.maximum(columns[low], columns[high]),
        )
    for first, second in pairwise(columns):
        if (first == second).any():
            at = int((first == second).argmax())
            raise CardError(
                f"{format_cards([int(first[at])])} comes twice in {format_cards(deals[at])}"
            )
    return columns


@cache
def _triples() -> Cards:
    """Three ascending cards in colexicographic order, uint8 ``(3, 22100)``."""
    triples = np.array(list(combinations(range(DECK_SIZE), 3)), dtype=np.uint8).T
    return np.ascontiguousarray(triples[:, np.lexsort(triples)])


@cache
def _first_numbers() -> NDArray[np.int64]:
    """For each three high cards, the number of the first deal that has them."""
    # The low three are any below the lowest of the high three, which gives C(d, 3) deals.
    return np.concatenate([[0], np.cumsum(binomials()[3][_triples()[0]])])


def unrank_columns(start: int, stop: int) -> Columns:
    """Return the deals of a range of numbers, a column a position.

    >>> [column.tolist() for column in unrank_columns(0, 2)]
    [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4], [5, 6]]
    """
    firsts = _first_numbers()
    begin = int(np.searchsorted(firsts, start, side="right")) - 1
    end = int(np.searchsorted(firsts, stop, side="left"))
    edges = np.clip(firsts[begin : end + 1], start, stop)
    lengths = np.diff(edges)
    low = np.arange(start, stop) - np.repeat(firsts[begin:end], lengths)
    return [
        *(column[low] for column in _triples()),
        *(np.repeat(column[begin:end], lengths) for column in _triples()),
    ]
