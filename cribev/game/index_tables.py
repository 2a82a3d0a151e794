"""Every precomputed index table, and the one place that knows fifteens, pairs and runs of hands."""

from functools import cache
from itertools import combinations, combinations_with_replacement, permutations
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from cribev.game.cards import PIP_VALUES

Points: TypeAlias = NDArray[np.uint8]
RankKind: TypeAlias = Literal["fifteen", "pair", "run"]
_Table = TypeVar("_Table")


def read_only(table: _Table) -> _Table:
    """Keep what is made once, an array or a tuple or dict of them, from being written to."""
    if isinstance(table, np.ndarray):
        table.flags.writeable = False
    elif isinstance(table, tuple | dict):
        for array in table.values() if isinstance(table, dict) else table:
            read_only(array)
    return table


KEEPS = read_only(np.array(list(combinations(range(6), 4))))
"""The 15 keeps of a deal, ``(15, 4)`` positions, in the order used everywhere."""

DISCARDS = read_only(np.array([[i for i in range(6) if i not in keep] for keep in KEEPS.tolist()]))
"""The discard that goes with each keep, ``(15, 2)`` positions."""

UNSEEN_PAIRS = read_only(np.array(list(combinations(range(46), 2))))
"""The 1,035 pairs of the 46 unseen cards, ``(1035, 2)`` positions."""

PAIR_HAS = read_only((UNSEEN_PAIRS[:, :, None] == np.arange(46)).any(axis=1))
"""Whether each pair of unseen cards has each unseen card in it, ``(1035, 46)``."""

PAIRS_BY_STARTER = read_only(np.nonzero(~PAIR_HAS.T)[1].reshape(46, 990))
"""For each of the 46 starters the pairs that can be discarded beside it, ``(46, 990)``."""

RANK_KINDS = ("fifteen", "pair", "run")


class Combinations(NamedTuple):
    """The subsets of one size, and which of them score one kind of points."""

    kind: RankKind
    points: int
    subsets: NDArray[np.int64]  # positions, ``(m, size)``
    scores: NDArray[np.bool_]  # ``(..., m)``


def rank_combinations(ranks: NDArray[np.integer]) -> list[Combinations]:
    """Find fifteens, pairs and runs, of full length only, of ranks 0..12, ``(..., n)``."""
    combinations_found = []
    places = range(ranks.shape[-1])
    present = np.bitwise_or.reduce(2 << ranks.astype(np.int64), axis=-1)[..., None]
    for size in range(2, len(places) + 1):
        subsets = np.array(list(combinations(places, size)))
        held = ranks[..., subsets].astype(np.int64)
        combinations_found.append(
            Combinations("fifteen", 2, subsets, np.take(PIP_VALUES, held).sum(axis=-1) == 15)
        )
        if size == 2:
            combinations_found.append(
                Combinations("pair", 2, subsets, held[..., 0] == held[..., 1])
            )
        else:
            in_order = np.sort(held, axis=-1)
            consecutive = (np.diff(in_order, axis=-1) == 1).all(axis=-1)
            longer = (present >> in_order[..., 0] | present >> in_order[..., -1] + 2) & 1 == 1
            combinations_found.append(Combinations("run", size, subsets, consecutive & ~longer))
    return combinations_found


def rank_points(ranks: NDArray[np.integer]) -> NDArray[np.int64]:
    """Count fifteens, pairs and runs of ranks 0..12, ``(..., n)``: ``(...)``."""
    return sum(
        (c.scores.sum(axis=-1) * c.points for c in rank_combinations(ranks)),
        start=np.zeros(ranks.shape[:-1], dtype=np.int64),
    )


@cache
def rank_kind_table() -> Points:
    """Tabulate points of fifteens, pairs and runs of five ranks, by base 13, ``(13**5, 3)``."""
    multisets = np.array(list(combinations_with_replacement(range(13), 5)))
    table = np.empty((*(13,) * 5, len(RANK_KINDS)), dtype=np.uint8)
    points = np.zeros((len(multisets), len(RANK_KINDS)), dtype=np.uint8)
    for every in rank_combinations(multisets):
        points[:, RANK_KINDS.index(every.kind)] += (every.scores.sum(-1) * every.points).astype(
            np.uint8
        )
    for order in permutations(range(5)):
        table[tuple(multisets[:, order].T)] = points
    return read_only(table.reshape(-1, len(RANK_KINDS)))


@cache
def rank_point_table() -> Points:
    """Tabulate `rank_points` of five ranks in any order, by base 13, uint8 ``(13**5,)``."""
    return read_only(rank_kind_table().sum(axis=1, dtype=np.uint8))
