"""Hand, crib and play become one number, and of 15 such numbers one is best: decided here, once.

Whatever compares discards asks this module, so that no two answers about the same numbers differ.
Discards within `TIE_TOLERANCE` of each other are equal: they share a rank, and the first of the
best, in the order of the keeps, is chosen. At a score the chances to win go before points.
"""

from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cribev.game.roles import Role, crib_sign

TIE_TOLERANCE = 1e-9
"""Discards that differ by no more points than this are equal: it covers rounding."""

NEAR_TIE = 0.05
"""Within this many points of the best, a discard that is not its equal is a near-tie."""

_Points = TypeVar("_Points", float, NDArray[Any])


class BestKeep(NamedTuple):
    """The best of many times 15 discards, each ``(...)``."""

    keep: NDArray[np.intp]
    """The first, in the order of the keeps, of those that are equal to the greatest."""
    margin: NDArray[np.float64]
    """How much more the greatest is than the second, 0 where they are equal."""


def net_points(
    hand: _Points, crib: _Points, role: Role | NDArray[np.bool_], play: _Points | None = None
) -> _Points:
    """Put hand, crib and play together: what they bring the player more than the opponent.

    Parameters
    ----------
    hand, crib
        Points, or their averages, or sums of them, in any unit and shape.
    role
        Whose hand it is; or for many, whether the crib is theirs, of the leading shape of `hand`.
    play
        The player's points in the play less the opponent's, if the play counts.

    Returns
    -------
    Hand plus crib as dealer, hand minus crib as pone, plus play.

    Examples
    --------
    >>> net_points(6.5, 4.0, "pone")
    2.5
    >>> hand, crib = np.array([[6.5, 5.0], [6.5, 5.0]]), np.array([[4.0, 4.5], [4.0, 4.5]])
    >>> net_points(hand, crib, np.array([True, False])).tolist()
    [[10.5, 9.5], [2.5, 0.5]]
    """
    sign: Any
    if isinstance(role, str):
        sign = crib_sign(role)
    else:
        sign = np.where(role, crib_sign("dealer"), crib_sign("pone"))
        sign = sign.reshape(sign.shape + (1,) * (np.ndim(hand) - sign.ndim))
    shown: _Points = hand + sign * crib
    return shown if play is None else shown + play


def best_by_points(values: NDArray[np.float64], *, unit: float = 1.0) -> BestKeep:
    """Find the best of many times 15 discards.

    Parameters
    ----------
    values
        What each discard is worth, ``(..., 15)``, in the order of the keeps; there may be more
        columns, of minus infinity.
    unit
        How many of their units make a point.

    Returns
    -------
    Keeps, and margins in the unit of the values.

    Examples
    --------
    >>> best_by_points(np.array([[3.0, 5.0 - 1e-12, 5.0], [5.5, 2.0, 4.0]]))
    Best(keep=array([1, 0]), margin=array([0. , 1.5]))
    """
    columns = values.shape[-1]
    # Written to and put right again: a copy would cost as much as the rest.
    table = np.require(values, np.float64, ["C", "W"]).reshape(-1, columns)
    flat, first = table.reshape(-1), np.arange(len(table)) * columns
    keep = table.argmax(axis=1)
    best = first + keep
    greatest = flat.take(best)
    flat[best] = -np.inf
    second = flat.take(first + table.argmax(axis=1))  # faster than max
    flat[best] = greatest
    margin = greatest - second
    tied = np.flatnonzero(margin <= TIE_TOLERANCE * unit)
    keep[tied] = tied_best(table[tied], unit=unit).argmax(axis=1)
    margin[tied] = 0
    shape = values.shape[:-1]
    return BestKeep(keep.reshape(shape), margin.reshape(shape))


def tied_best(values: NDArray[np.float64], *, unit: float = 1.0) -> NDArray[np.bool_]:
    """Tell which discards are equal to the best.

    Parameters
    ----------
    values
        What each discard is worth, ``(..., 15)``.
    unit
        How many of their units make a point.

    Examples
    --------
    >>> tied_best(np.array([3.0, 5.0, 5.0 - 1e-12, 4.0])).tolist()
    [False, True, True, False]
    """
    equal: NDArray[np.bool_] = values + TIE_TOLERANCE * unit >= values.max(axis=-1, keepdims=True)
    return equal


def competition_ranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Rank discards: one more than the number of those that are better, and not equal.

    Parameters
    ----------
    values
        Points, ``(..., 15)``.

    Examples
    --------
    >>> competition_ranks(np.array([3.0, 5.0, 5.0 - 1e-12, 4.0])).tolist()
    [4, 1, 1, 3]
    """
    # Keep by keep, each of many deals beside the next: numpy is slow on rows as short as 15.
    by_keep = np.ascontiguousarray(np.moveaxis(values, -1, 0))
    with_equals = by_keep + TIE_TOLERANCE
    ranks = np.ones(by_keep.shape, dtype=np.int8)
    for better in by_keep:
        ranks += better > with_equals
    return np.moveaxis(ranks, 0, -1).astype(np.int64)


def best_first(ranks: NDArray[np.int64]) -> NDArray[np.intp]:
    """Put discards in order, the best first, equals in the order of the keeps.

    Parameters
    ----------
    ranks
        As from `competition_ranks`, ``(..., 15)``.

    Examples
    --------
    >>> best_first(np.array([4, 1, 1, 3])).tolist()
    [1, 2, 3, 0]
    """
    order: NDArray[np.intp] = ranks.argsort(axis=-1, kind="stable")
    return order


class Ranking(NamedTuple):
    """How many times 15 discards stand to each other, each ``(..., 15)``."""

    rank: NDArray[np.int64]
    """One more than the number of those that are better, in the order of the keeps."""
    order: NDArray[np.intp]
    """The keeps, the best first."""


def ranking(expected: NDArray[np.float64], win: NDArray[np.float64] | None = None) -> Ranking:
    """Put discards in their places: by the chances to win, where there are some, else by points.

    Those that win alike share a rank, and stand in the order of points; and what is equal in both,
    in the order of the keeps.

    Parameters
    ----------
    expected
        Points, ``(..., 15)``.
    win
        Chances, ``(..., 15)``, NaN for deals whose score is not known; None if none is.

    Examples
    --------
    >>> ranking(np.array([3.0, 5.0, 4.0]), np.array([0.5, 0.4, 0.5]))
    Places(rank=array([1, 3, 1]), order=array([2, 0, 1]))
    """
    ranks = competition_ranks(expected)
    if win is None:
        return Ranking(ranks, best_first(ranks))
    known = np.isfinite(win).all(axis=-1, keepdims=True)
    by_wins = competition_ranks(np.where(known, win, 0.0))
    return Ranking(
        np.where(known, by_wins, ranks), best_first(by_wins * (ranks.shape[-1] + 1) + ranks)
    )


def best_by_wins(expected: NDArray[np.float64], win: NDArray[np.float64]) -> BestKeep:
    """Find the best of many times 15 discards by the chances to win.

    Parameters
    ----------
    expected, win
        As in `ranking`.

    Returns
    -------
    Keeps, and how many points more than any other they bring: below 0 where another brings more.

    Examples
    --------
    >>> best_by_wins(np.array([[3.0, 5.0, 4.0]]), np.array([[0.5, 0.4, 0.5]]))
    Best(keep=array([2]), margin=array([-1.]))
    """
    keep = ranking(expected, win).order[..., 0]
    at = keep[..., None]
    others = expected.copy()
    np.put_along_axis(others, at, -np.inf, axis=-1)
    margin = np.take_along_axis(expected, at, axis=-1)[..., 0] - others.max(axis=-1)
    return BestKeep(keep, np.where(np.abs(margin) <= TIE_TOLERANCE, 0.0, margin))


def near_ties(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which discards are worth nearly as much as the best, and are not its equals.

    Parameters
    ----------
    values
        Points, ``(..., 15)``.

    Examples
    --------
    >>> near_ties(np.array([3.0, 5.0, 5.0 - 1e-12, 4.99])).tolist()
    [False, False, False, True]
    """
    near: NDArray[np.bool_] = values + NEAR_TIE >= values.max(axis=-1, keepdims=True)
    return near & ~tied_best(values)
