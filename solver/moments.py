"""Compute how moments of the points of a deal change with keep and discard, for the package.

    python -m solver.moments

It takes a minute. The play between two keeps is looked up (`cribev.wins.orders`). The opponent
keeps four cards and discards two as often as beside no cards, times the share of the ways to deal
each that are left. Hand and crib are taken from what they usually are with a starter, since that
much is known beforehand.
"""

from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import (
    CLASSES,
    RANK_PAIRS,
    Floats,
    Index,
    class_counts,
    deals_of_classes,
    discard_rank_pairs,
)
from cribev.game.cards import JACK
from cribev.game.index_tables import KEEPS
from cribev.game.roles import ROLES, Role
from cribev.opponents.opponents import Opponent, Solved
from cribev.solution.strategy import RANK_KEEPS, keep_rank_counts, kept_points, rank_keep_numbers
from cribev.system.blas import one_blas_thread
from cribev.system.files import atomic_write
from cribev.wins.far import FLUSH_POINTS, MOMENTS, SHIPPED, FarEnds
from cribev.wins.hands import crib_rank_points
from cribev.wins.near import PAIR_RANKS, class_deals
from cribev.wins.orders import peg_orders

_POWERS = 4  # from the power of nought, which is one
_PARTS = 8  # products of a factor of the keep and one of the pair, which add up to a change
_FILLS = 25  # rounds in which the cells that no class has take the values that fit the others
_STEPS = 127  # that the factors of keeps are stored in, in one byte


def moment_arrays() -> dict[str, Any]:
    """Return the arrays of the file, by name."""
    expert, arrays = Opponent.of(Solved()), dict[str, Any]()
    for role in ROLES:
        faced = Faced(expert, role)
        keeps, pairs = _factors(_changes(faced.all_moments(), FarEnds(expert, role)))
        arrays |= {
            f"{role}_keeps": keeps,
            f"{role}_pairs": pairs,
            f"{role}_by_starter": faced.by_starter.astype(np.float16),
        }
    return arrays


def _changes(moments: Floats, far: FarEnds) -> Floats:
    """Take moments by class, ``(7, 18395, 15)``, from those by keep and by pair discarded.

    Return the rest, by keep and pair, ``(7, 1820, 91)``, NaN where no class has both.
    """
    changes = np.full((len(MOMENTS), RANK_KEEPS, len(RANK_PAIRS)), np.nan)
    changes[:, rank_keep_numbers(), discard_rank_pairs()] = moments
    return changes - far.of_keep[..., None] - far.of_pair[:, None]


def _factors(changes: Floats) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Return the products that fit changes best, ``(7, 1820, 8)`` and ``(7, 8, 91)``."""
    met = ~np.isnan(changes)
    fitted = np.zeros_like(changes)
    for _ in range(_FILLS):
        of_keep, sizes, of_pair = np.linalg.svd(np.where(met, changes, fitted), full_matrices=False)
        of_keep = of_keep[..., :_PARTS] * sizes[:, None, :_PARTS]
        fitted = of_keep @ of_pair[:, :_PARTS]
    step = abs(of_keep).max(axis=1) / _STEPS
    keeps = np.rint(of_keep / step[:, None]).astype(np.int8)
    return keeps, (of_pair[:, :_PARTS] * step[..., None]).astype(np.float16)


class Faced:
    """What the opponent of a role keeps and discards, and what hands and cribs are with that."""

    def __init__(self, opponent: Opponent, role: Role) -> None:
        self._opponent, self._role, counts = opponent, role, keep_rank_counts()
        share, flush = opponent.discards.keeps(role)
        often = deals_of_classes()[:, None] / deals_of_classes().sum()
        cells = rank_keep_numbers() * len(RANK_PAIRS) + discard_rank_pairs()
        size = RANK_KEEPS * len(RANK_PAIRS)
        joint = np.bincount(cells.ravel(), (often * share).ravel(), size)
        joint = joint.reshape(RANK_KEEPS, -1)
        kept, discarded = joint.sum(axis=1), joint.sum(axis=0)
        suited = np.bincount(rank_keep_numbers().ravel(), (often * flush).ravel(), RANK_KEEPS)
        hand = kept_points() + FLUSH_POINTS * (suited / np.maximum(kept, 1e-12))[:, None]
        hand += counts[:, JACK, None] / 4 * (np.arange(13) != JACK)
        left = 4 - counts
        hand -= (kept @ (left * hand)) / (kept @ left)
        hands = hand ** np.arange(_POWERS)[:, None, None]
        self._hands: Floats = (left * hands).sum(axis=2) / left.sum(axis=1)
        """Powers of the hand by keep, averaged over starters, ``(4, 1820)``."""
        left = 4 - PAIR_RANKS
        crib = crib_rank_points().astype(np.float64)
        crib -= ((left.T * crib) @ discarded / (discarded @ left))[..., None]
        cribs = crib ** np.arange(_POWERS)[:, None, None, None]
        by_pair = (cribs * left.T).sum(axis=2) / left.sum(axis=1)
        self._cribs = by_pair.astype(np.float32)
        """Powers of the crib by the player's pair and the opponent's, ``(4, 91, 91)``."""
        whole = np.zeros((1, 13), dtype=np.intp)
        ways = class_deals(whole, cards=4).T * class_deals(whole, cards=2)
        self._joint = (joint / ways).T.astype(np.float32, order="C")
        """How often one way to deal each pair and keep is discarded and kept, ``(91, 1820)``."""
        # Hand and crib with the same starter, beyond what averages over starters have together.
        together, by_starter = list[Floats](), list[Floats]()
        cut = (discarded @ left - kept @ counts) / 46
        for in_hand, in_crib in ((1, 1), (2, 1), (1, 2)):
            power = hands[in_hand]
            often = (left * (joint.T @ power) - joint.T @ (counts * power)) / 46
            both = np.einsum("dst,ts->ds", cribs[in_crib], often)
            on_average = both.sum(axis=1)
            together.append(on_average - by_pair[in_crib] @ (self._hands[in_hand] @ joint))
            by_starter.append(both / cut - on_average[:, None])
        of_crib, of_hand = (
            _central((powers @ weights).reshape(_POWERS, 1, -1))[:, 0]
            for powers, weights in ((by_pair, discarded), (self._hands, kept))
        )
        none = np.zeros(len(RANK_PAIRS))
        second, hand_twice, crib_twice = together
        if role == "dealer":
            apart = -of_crib[2], none, second, -of_crib[3], crib_twice, hand_twice, -of_hand[3]
        else:
            third = 3 * (hand_twice + crib_twice) - of_crib[3] - of_hand[3]
            apart = none, 2 * second - of_crib[2], none, none, none, none, third
        self._apart = np.stack(np.broadcast_arrays(*apart))
        """What is added to moments by the pair, ``(7, 91)``."""
        second, hand_twice, crib_twice = by_starter
        self.by_starter = np.zeros((len(MOMENTS), *second.shape))
        """What each rank of starters adds to moments by the pair, ``(7, 91, 13)``."""
        if role == "dealer":
            self.by_starter[[2, 4, 5]] = second, crib_twice, hand_twice
        else:
            self.by_starter[[1, 6]] = 2 * second, 3 * (hand_twice + crib_twice)

    @one_blas_thread()
    def all_moments(self) -> Floats:
        """Return `MOMENTS` by class and keep, ``(7, 18395, 15)``.

        They are central, in points² and points³, of what is pegged, the opponent's hand and the
        crib, less those of a hand and a crib that go with nothing. The second of the hand depends
        on the class, the third and those of the crib are the usual ones.
        """
        keeps, all_keeps = rank_keep_numbers().ravel(), np.arange(RANK_KEEPS)
        orders = peg_orders(self._opponent, self._role, all_keeps)
        own, other = (
            pegged[:, -1].astype(np.float64) for pegged in orders.steps.transpose(1, 0, 2)
        )
        powers = [(i, j) for i, j in product(range(_POWERS), repeat=2) if i + j < _POWERS]
        pegged = {(i, j): own**i * other**j for i, j in powers}
        by_cell = np.empty((len(MOMENTS), CLASSES * len(KEEPS)))
        cells_of = np.split(keeps.argsort(kind="stable"), np.bincount(keeps).cumsum()[:-1])
        for keep, cells in enumerate(cells_of):
            ways = orders.ways(keep, all_keeps)
            points = np.zeros((_POWERS, _POWERS, RANK_KEEPS))
            for power, products in pegged.items():
                chances = ways.chance * products[ways.order]
                points[power] = np.bincount(ways.opponent, chances, RANK_KEEPS)
            pairs = discard_rank_pairs().ravel()[cells]
            _, first, same = np.unique(pairs, return_index=True, return_inverse=True)
            by_cell[:, cells] = self.moments(points, cells[first])[:, same]
        return by_cell.reshape(len(MOMENTS), CLASSES, len(KEEPS))

    def moments(self, points: Floats, cells: Index) -> Floats:
        """Return `MOMENTS` of some cells of classes and keeps, ``(7, n)``.

        ``points`` are average products of powers of what both peg by the opponent's keep, ``(4, 4,
        1820)``.
        """
        held, pairs = class_counts()[cells // len(KEEPS)], discard_rank_pairs().ravel()[cells]
        points = _added(points.swapaxes(0, 1), self._hands[:, None])
        if self._role == "dealer":
            points = points.swapaxes(0, 1)  # whoever has the crib comes first
        flat = points.reshape(-1, RANK_KEEPS).T.astype(np.float32)
        kept, discarded = (class_deals(held, cards=cards).astype(np.float32) for cards in (4, 2))
        weights = np.stack(
            [kept * ((discarded * crib) @ self._joint) for crib in self._cribs[:, pairs]]
        )
        total = weights[0].sum(axis=1, dtype=np.float64)
        sums = (weights @ flat).astype(np.float64) / total[:, None]
        sums = np.moveaxis(sums.reshape(_POWERS, len(cells), _POWERS, _POWERS), 1, 3)
        raw = np.stack(
            [sum(comb(i, k) * sums[k, i - k] for k in range(i + 1)) for i in range(_POWERS)]
        )
        central = _central(_central(raw).swapaxes(0, 1))
        if self._role == "dealer":
            central = central.swapaxes(0, 1)
        changes = np.stack([central[powers] for powers in MOMENTS]) + self._apart[:, pairs]
        hand, square = (weights[0] @ self._hands[1:3].T.astype(np.float32)).T / total
        changes[1] -= square - hand**2
        return np.asarray(changes)


def _added(first: Floats, second: Floats) -> Floats:
    """Return powers of sums, by those of what is added, ``(4, ...)`` each."""
    return np.stack(
        [sum(comb(i, k) * first[k] * second[i - k] for k in range(i + 1)) for i in range(_POWERS)]
    )


def _central(powers: Floats) -> Floats:
    """Take the average of the first from averages of products of powers, ``(4, m, n)``."""
    return _added(powers, (-powers[1, 0]) ** np.arange(_POWERS)[:, None, None])


def main() -> None:
    """Write the file."""
    with atomic_write(Path(str(SHIPPED)), force=True) as opened:
        np.savez_compressed(opened, **moment_arrays())


if __name__ == "__main__":
    main()
