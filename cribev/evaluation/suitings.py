"""Hands in which some cards lack suits: the deals they can be, and averages over these."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats, Index
from cribev.classes.class_tables import all_suitings
from cribev.classes.ranking import DiscardValues, alike_discards, without_repeats
from cribev.game.cards import SUITLESS_OFFSET, Cards, ranks_of
from cribev.game.index_tables import KEEPS


class Suitings(NamedTuple):
    """All deals that N hands can be, each as likely as another of the same hand."""

    held: Cards
    """The hands, ranks ascending and cards with suits before those without, ``(N, 6)``."""
    deals: Cards  # ascending, uint8 ``(M, 6)``, those of a hand side by side
    rows: Index  # which hand each deal can be, ascending, ``(M,)``
    keeps: Index
    """The keep of each deal that has the cards of each keep of its hand, ``(M, 15)``."""

    @classmethod
    def of(cls, held: Cards) -> "Suitings":
        """List the deals of hands, ordered as `cribev.game.cards.sort_by_rank` orders them."""
        ranks, bare = ranks_of(held), held >= SUITLESS_OFFSET
        same = ranks[:, :, None] == ranks[:, None]
        # Suits that are known matter where another card of the rank lacks its own.
        suits = np.where((same & bare[:, None]).any(axis=2) & ~bare, held & 3, 0)
        steps = np.cumsum(np.diff(ranks, axis=1, prepend=ranks[:, :1]) > 0, axis=1)
        shapes = np.where(bare, SUITLESS_OFFSET + steps, 4 * steps + suits).astype(np.uint8)
        distinct, shape_of = np.unique(shapes, axis=0, return_inverse=True)
        deals, rows = list[Cards](), list[Index]()
        for number, shape in enumerate(distinct):
            hands_of_shape = np.flatnonzero(shape_of.ravel() == number)
            suit = _suits_of(shape.tobytes())
            cards = np.where(
                bare[hands_of_shape][:, None],
                4 * ranks[hands_of_shape][:, None] + suit,
                held[hands_of_shape][:, None],
            )
            deals.append(cards.reshape(-1, held.shape[1]).astype(np.uint8))
            rows.append(np.repeat(hands_of_shape, len(suit)))
        places, row_of = np.concatenate(deals), np.concatenate(rows)
        order = row_of.argsort(kind="stable")
        places, row_of = places[order], row_of[order]
        order = places.argsort(axis=1)
        bits = (1 << order.argsort(axis=1))[:, KEEPS].sum(axis=2)
        number_of = np.zeros(1 << held.shape[1], dtype=np.intp)
        number_of[(1 << KEEPS).sum(axis=1)] = np.arange(len(KEEPS))
        return cls(held, np.take_along_axis(places, order, axis=1), row_of, number_of[bits])

    @property
    def alike(self) -> NDArray[np.bool_]:
        """Return which discards of each hand are of the same cards, ``(N, 15, 15)``."""
        return alike_discards(self.held)

    def by_hand(self, of_deals: Floats) -> Floats:
        """Bring values of the keeps of each deal, ``(M, 15)``, into the order of the hand's."""
        return np.take_along_axis(of_deals, self.keeps, axis=1)

    def average(self, of_deals: Floats) -> Floats:
        """Average values of the keeps of each deal, ``(M, 15)``, over each hand's: ``(N, 15)``.

        Keeps of the same cards have the average of them all.
        """
        alike, number = self.alike, np.bincount(self.rows, minlength=len(self.held))
        starts = np.concatenate([[0], number.cumsum()[:-1]])
        means = np.add.reduceat(self.by_hand(of_deals), starts) / number[:, None]
        averaged: Floats = np.einsum("ni,nij->nj", means, alike / alike.sum(axis=1, keepdims=True))
        return averaged

    def values(self, of_deals: DiscardValues, dealer: NDArray[np.bool_]) -> DiscardValues:
        """Average what the keeps of each deal are worth in points; `dealer` is of hands, ``(N,)``.

        Repeats of another discard are minus infinity.
        """
        hand, crib = map(self.average, (of_deals.hand, of_deals.crib))
        play = None if of_deals.play is None else self.average(of_deals.play)
        averages = DiscardValues.of(hand, crib, dealer, play)
        return replace(averages, expected=without_repeats(averages.expected, self.held))


@lru_cache(maxsize=1 << 12)
def _suits_of(shape: bytes) -> Cards:
    """List the suits that the cards of a hand can have, uint8 ``(n, 6)``."""
    return all_suitings(np.frombuffer(shape, np.uint8)) & np.uint8(3)
