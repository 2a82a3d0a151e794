"""How far what both players make in a deal varies, beside each class and keep.

The play between two keeps is looked up (`cribev.wins.orders`). The opponent keeps four cards and
throws two as often as beside no cards, times the share of the ways to deal each that are left. Hand
and crib are taken from what they usually are with a starter, since that much is known beforehand.
"""

from itertools import product
from math import comb
from zlib import crc32

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
from cribev.game.roles import Role
from cribev.opponents.opponents import Opponent
from cribev.solution.strategy import RANK_KEEPS, keep_rank_counts, kept_points, rank_keep_numbers
from cribev.system.blas import one_blas_thread
from cribev.system.cache import Arrays, one_at_a_time, read_cached_arrays, write_cached_arrays
from cribev.wins.near import PAIR_RANKS, class_deals
from cribev.wins.orders import PegOrders, peg_orders
from cribev.wins.pmfs import crib_rank_points

MOMENTS = (2, 0), (0, 2), (1, 1), (3, 0), (2, 1), (1, 2), (0, 3)
"""Powers of what the player, and the opponent, makes beyond the average."""

FLUSH_POINTS = 4 + 9 / 46  # with a starter of the suit it is five

_VERSION = 1  # of how moments are worked out and kept
_CACHED = 8  # roles and opponents
_POWERS = 4  # from the power of nought, which is one


def moments_of_classes(opponent: Opponent, role: Role) -> NDArray[np.float32]:
    """Return `MOMENTS` by class and keep, ``(7, 18395, 15)``; made once, and kept.

    They are central, in points² and points³, of what is pegged, the opponent's hand and the crib,
    less those of a hand and a crib that go with nothing. The second of the hand depends on the
    class, the third and those of the crib are the usual ones.
    """
    orders = peg_orders(opponent, role, np.arange(RANK_KEEPS))
    known = 0
    for part in (opponent.discards.keeps(role).share, orders.order, orders.chance):
        known = crc32(np.ascontiguousarray(part).data, known)
    name = f"moments-{role}-{known:08x}-{_VERSION}.npz"

    def read(stored: Arrays) -> NDArray[np.float32]:
        if stored["moments"].shape != (len(MOMENTS), CLASSES, len(KEEPS)):
            raise ValueError("moments of another shape")
        return stored["moments"]

    with one_at_a_time("moments.lock", doing="working out how points vary"):
        found = read_cached_arrays(name, read)
        if found is None:
            found = _worked_out(opponent, role, orders)
            write_cached_arrays(name, {"moments": found}, packed=False, most=_CACHED)
    return found


def moments_by_starter(opponent: Opponent, role: Role) -> Floats:
    """Return what a rank of starters adds to `MOMENTS` by the pair thrown, ``(7, 91, 13)``.

    With fives to be cut, more goes with hand and crib at once than with others.
    """
    return _Faced(opponent, role).by_starter


@one_blas_thread()
def _worked_out(opponent: Opponent, role: Role, orders: PegOrders) -> NDArray[np.float32]:
    from cribev.system.bars import tqdm

    faced = _Faced(opponent, role)
    own, other = (pegged[:, -1].astype(np.float64) for pegged in orders.seen_by(role))
    pegged = [(i, j, own**i * other**j) for i, j in product(range(_POWERS), repeat=2) if i + j < 4]
    found = np.empty((len(MOMENTS), CLASSES, len(KEEPS)), dtype=np.float32)
    keeps, every = rank_keep_numbers().ravel(), np.arange(RANK_KEEPS)
    by_keep = np.split(keeps.argsort(kind="stable"), np.bincount(keeps).cumsum()[:-1])
    for keep, cells in enumerate(
        tqdm(by_keep, desc="how points vary", unit=" keeps", leave=False, disable=None, delay=1)
    ):
        ways = orders.ways(role, keep, every)
        points = np.zeros((_POWERS, _POWERS, RANK_KEEPS))
        for i, j, each in pegged:
            points[i, j] = np.bincount(ways.opponent, ways.chance * each[ways.order], RANK_KEEPS)
        _, first, same = np.unique(
            discard_rank_pairs().ravel()[cells], return_index=True, return_inverse=True
        )
        moments = faced.moments(points, cells[first])
        found.reshape(len(MOMENTS), -1)[:, cells] = moments[:, same]
    return found


class _Faced:
    """What the opponent of a role keeps and throws, and what hands and cribs are with that."""

    def __init__(self, opponent: Opponent, role: Role) -> None:
        self._role, counts = role, keep_rank_counts()
        share, flush = opponent.discards.keeps(role)
        often = deals_of_classes()[:, None] / deals_of_classes().sum()
        cells = rank_keep_numbers() * len(RANK_PAIRS) + discard_rank_pairs()
        size = RANK_KEEPS * len(RANK_PAIRS)
        joint = np.bincount(cells.ravel(), (often * share).ravel(), size)
        joint = joint.reshape(RANK_KEEPS, -1)
        kept, thrown = joint.sum(axis=1), joint.sum(axis=0)
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
        crib -= ((left.T * crib) @ thrown / (thrown @ left))[..., None]
        cribs = crib ** np.arange(_POWERS)[:, None, None, None]
        by_pair = (cribs * left.T).sum(axis=2) / left.sum(axis=1)
        self._cribs = by_pair.astype(np.float32)
        """Powers of the crib by the player's pair and the opponent's, ``(4, 91, 91)``."""
        whole = np.zeros((1, 13), dtype=np.intp)
        ways = class_deals(whole, cards=4).T * class_deals(whole, cards=2)
        self._joint = (joint / ways).T.astype(np.float32, order="C")
        """How often one way to deal each pair and keep is thrown and kept, ``(91, 1820)``."""
        # Hand and crib with the same starter, beyond what averages over starters have together.
        together, by_starter = list[Floats](), list[Floats]()
        cut = (thrown @ left - kept @ counts) / 46
        for in_hand, in_crib in ((1, 1), (2, 1), (1, 2)):
            power = hands[in_hand]
            often = (left * (joint.T @ power) - joint.T @ (counts * power)) / 46
            both = np.einsum("dst,ts->ds", cribs[in_crib], often)
            on_average = both.sum(axis=1)
            together.append(on_average - by_pair[in_crib] @ (self._hands[in_hand] @ joint))
            by_starter.append(both / cut - on_average[:, None])
        of_crib, of_hand = (
            _central((powers @ weights).reshape(_POWERS, 1, -1))[:, 0]
            for powers, weights in ((by_pair, thrown), (self._hands, kept))
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
        """And what each rank of starters adds to that, ``(7, 91, 13)``."""
        if role == "dealer":
            self.by_starter[[2, 4, 5]] = second, crib_twice, hand_twice
        else:
            self.by_starter[[1, 6]] = 2 * second, 3 * (hand_twice + crib_twice)

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
        kept, thrown = (class_deals(held, cards=cards).astype(np.float32) for cards in (4, 2))
        weights = np.stack(
            [kept * ((thrown * crib) @ self._joint) for crib in self._cribs[:, pairs]]
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
        found = np.stack([central[powers] for powers in MOMENTS]) + self._apart[:, pairs]
        hand, square = (weights[0] @ self._hands[1:3].T.astype(np.float32)).T / total
        found[1] -= square - hand**2
        return np.asarray(found)


def _added(first: Floats, second: Floats) -> Floats:
    """Return powers of sums, by those of what is added, ``(4, ...)`` each."""
    return np.stack(
        [sum(comb(i, k) * first[k] * second[i - k] for k in range(i + 1)) for i in range(_POWERS)]
    )


def _central(powers: Floats) -> Floats:
    """Take the average of the first from averages of products of powers, ``(4, m, n)``."""
    return _added(powers, (-powers[1, 0]) ** np.arange(_POWERS)[:, None, None])
