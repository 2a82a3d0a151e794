"""The counts of hands and cribs, where all their cards are known, or only the ranks."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.game.cards import SUITLESS_OFFSET
from cribev.game.score import UNKNOWN
from cribev.game.scorer import score_hands, suited_points

Ints: TypeAlias = NDArray[np.int64]


def known_points(cards: Ints, starters: Ints, *, crib: bool = False) -> Ints:
    """Count hands or cribs ``(…, 4)`` with their starters, `UNKNOWN` where a card or suit is."""
    known = ((cards != UNKNOWN) & (cards < SUITLESS_OFFSET)).all(axis=-1)
    known &= (starters != UNKNOWN) & (starters < SUITLESS_OFFSET)
    points = np.full(known.shape, UNKNOWN, dtype=np.int64)
    cut = np.broadcast_to(starters, known.shape)
    points[known] = score_hands(cards[known], cut[known], crib=crib)
    return points


def nearest_points(hands: Sequence[Sequence[int]], counted: int) -> list[int] | None:
    """Count hands that lack suits, so that they come as near to a count as suits allow.

    Each hand is four cards and the starter; the second of two is the crib of the first. None if a
    card is not known.
    """
    if any(UNKNOWN in hand for hand in hands):
        return None
    possible = [
        _possible_points((*sorted(cards), starter), crib=number == 1)
        for number, (*cards, starter) in enumerate(hands)
    ]
    return list(min(product(*possible), key=lambda points: abs(sum(points) - counted)))


@lru_cache(1 << 15)  # ranks alone soon come again: there are 1,820 hands and 13 starters
def _possible_points(cards: tuple[int, ...], *, crib: bool) -> tuple[int, ...]:
    """List what four cards and a starter can count, ascending, with all suits they can have."""
    return tuple(np.unique(suited_points(cards, crib=crib)).tolist())
