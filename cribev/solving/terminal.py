"""How the play ends once nothing is left to decide, compiled."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

_LANES = 16
_ROWS = 13  # whatever the deck: a loop of known length is compiled to a fifth of the time


@njit(nogil=True)
def forced(
    following: NDArray[np.int32], points: NDArray[np.int8]
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Tabulate points of both when each has one card left.

    Returns
    -------
    Points of one player and of the other, each int8 ``(4, S, 13 * 16)``: the first axis is
    2 if the first is to move, plus 1 if the one who waits has said go; the last is the other's
    rank, then his own.
    """
    size, ranks = following.shape
    own = np.zeros((4, size, _ROWS * _LANES), dtype=np.int8)
    other = np.zeros((4, size, _ROWS * _LANES), dtype=np.int8)
    for state in range(size):
        for said in range(2):
            for x in range(ranks):
                for y in range(ranks):
                    first, second = _one_each(state, said, x, y, following, points)
                    own[2 + said, state, y * _LANES + x] = first
                    other[2 + said, state, y * _LANES + x] = second
                    own[said, state, x * _LANES + y] = second
                    other[said, state, x * _LANES + y] = first
    return own, other


@njit(nogil=True)
def _one_each(state, said, x, y, following, points):
    """Points of who moves with rank x left, and of the other with y."""
    after = following[state, x]
    if after >= 0:
        gained = points[state, x]
        if after == 0:  # 31: the other leads his card, the last
            return gained, 1
        if said or following[after, y] < 0:  # a go; the other leads his card, the last
            return gained + 1, 1
        last = following[after, y]
        return gained, points[after, y] + (last != 0)
    if said:  # a go for him, who laid last; the other leads and he has the last card
        return 1 + points[following[0, y], x] + 1, 0
    after = following[state, y]
    if after >= 0:  # the other lays on, and he leads his card, the last
        return 1, points[state, y] + (after != 0)
    # A go for the other, who laid last; he leads and the other has the last card.
    return 0, 1 + points[following[0, x], y] + 1


@njit(nogil=True)
def alone(
    holdings: NDArray[np.int64], following: NDArray[np.int32], points: NDArray[np.int8]
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Tabulate what one pegs who lays his cards after the other has laid his last.

    Returns
    -------
    The most points he can make, and the other's for a go, each int8 ``(S, n)``.
    """
    own = np.zeros((len(following), len(holdings)), dtype=np.int8)
    other = np.zeros((len(following), len(holdings)), dtype=np.int8)
    for state in range(len(following)):
        for at in range(len(holdings)):
            start = state
            if state != 0 and following[state, holdings[at, 0]] < 0:
                other[state, at] = 1
                start = 0
            own[state, at] = most_alone(start, False, 0, holdings[at], following, points)
    return own, other


@njit(nogil=True)
def most_alone(state, mine, used, held, following, points):
    """Find the most points of one alone: if he laid the last card, cards used, a bit each."""
    best, left = -1, 0
    for at in range(len(held)):
        if used >> at & 1:
            continue
        left += 1
        after = following[state, held[at]]
        if after >= 0:
            gained = points[state, held[at]] + most_alone(
                after, True, used | 1 << at, held, following, points
            )
            best = max(best, gained)
    if best >= 0:
        return best
    go = 1 if state != 0 and mine else 0
    return go + most_alone(0, mine, used, held, following, points) if left else go
