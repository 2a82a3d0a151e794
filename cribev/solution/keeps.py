"""Which ranks a player can keep, numbered, and which of them each keep of a class keeps."""

from functools import cache
from itertools import combinations_with_replacement
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Index, class_ranks
from cribev.game.index_tables import KEEPS, rank_point_table


class GameSize(NamedTuple):
    """The ranks in play and how many cards are kept: the whole game, or a small one for proofs."""

    ranks: tuple[int, ...] = tuple(range(13))
    """Ranks 0..12, ascending."""
    kept: int = 4

    def holdings(self, cards: int) -> NDArray[np.int64]:
        """List what so many cards can be, ``(n, cards)`` places in `ranks`.

        >>> len(GameSize().holdings(4)), GameSize().holdings(2)[:3].tolist()
        (1820, [[0, 0], [0, 1], [0, 2]])
        """
        every = list(combinations_with_replacement(range(len(self.ranks)), cards))
        return np.array(every, dtype=np.int64).reshape(len(every), cards)

    def holding_numbers(self, holdings: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Return the numbers, ``(...)``, of holdings, ``(..., cards)`` with places ascending.

        >>> GameSize().holding_numbers(np.array([[0, 0, 0], [4, 4, 9]])).tolist()
        [0, 295]
        """
        cards, ranks = holdings.shape[-1], len(self.ranks)
        later = np.array(
            [[comb(higher + n, n + 1) for n in range(cards)] for higher in range(ranks)],
            dtype=np.int64,
        ).reshape(ranks, cards)
        # Later stand those that are alike up to a card and higher there, whatever comes after it.
        after = later[ranks - 1 - holdings, np.arange(cards)[::-1]].sum(axis=-1)
        numbers: NDArray[np.int64] = self.holding_count(cards) - 1 - after
        return numbers

    def holding_count(self, cards: int) -> int:
        """Count the holdings of so many cards.

        >>> [GameSize().holding_count(cards) for cards in range(5)]
        [1, 13, 91, 455, 1820]
        """
        return comb(len(self.ranks) + cards - 1, cards)


@cache
def numbers_with_card(size: GameSize, cards: int) -> Index:
    """Return the number of a holding of so many cards by one card and the rest, ``(R, N(rest))``.

    >>> numbers_with_card(GameSize((4, 9)), 2).tolist()  # 5 5, 5 T; 5 T, T T
    [[0, 1], [1, 2]]
    """
    rest, ranks = size.holdings(cards - 1), len(size.ranks)
    both = np.empty((ranks, len(rest), cards), dtype=np.int64)
    both[..., 0], both[..., 1:] = np.arange(ranks)[:, None], rest
    numbers: Index = size.holding_numbers(np.sort(both, axis=-1))
    numbers.flags.writeable = False
    return numbers


@cache
def numbers_without_card(size: GameSize, cards: int) -> Index:
    """Return the number of what is left after a card, ``(N(cards), R)``; -1 if it is not held.

    >>> numbers_without_card(GameSize((4, 9)), 2).tolist()
    [[0, -1], [1, 0], [-1, 1]]
    """
    whole = numbers_with_card(size, cards)
    left = np.full((size.holding_count(cards), len(size.ranks)), -1)
    left[whole, np.arange(len(size.ranks))[:, None]] = np.arange(whole.shape[1])
    left.flags.writeable = False
    return left


RANK_KEEPS = GameSize().holding_count(4)
"""The 1,820 multisets of ranks that can be kept."""


@cache
def rank_keep_numbers() -> Index:
    """Return which ranks each keep of each class keeps, by number of `GameSize.holdings`.

    The array is ``(18395, 15)``.

    >>> numbers = rank_keep_numbers()
    >>> numbers[0, 0].item(), GameSize().holdings(4)[numbers[-1, 0]].tolist()
    (0, [11, 11, 12, 12])
    """
    places = 13 ** np.arange(4)[::-1]
    numbers = np.full(13**4, -1, dtype=np.intp)
    numbers[GameSize().holdings(4) @ places] = np.arange(RANK_KEEPS)
    found: Index = numbers[class_ranks()[:, KEEPS].astype(np.intp) @ places]
    found.flags.writeable = False
    return found


@cache
def keep_rank_counts() -> Index:
    """Count the cards of each rank in each of the 1,820 keeps, ``(1820, 13)``."""
    counts: Index = (GameSize().holdings(4)[:, :, None] == np.arange(13)).sum(axis=1)
    counts.flags.writeable = False
    return counts


@cache
def kept_points() -> Index:
    """Count the ranks of each keep with a starter of each rank: intp ``(1820, 13)``.

    >>> int(kept_points()[0, 1])  # four aces and a deuce
    12
    """
    places = 13 ** np.arange(4, 0, -1)
    five = (GameSize().holdings(4) @ places)[:, None] + np.arange(13)
    points: Index = rank_point_table()[five].astype(np.intp)
    return points
