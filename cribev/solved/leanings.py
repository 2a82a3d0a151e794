"""How what a keep pegs leans on what the opponent keeps.

`PeggingStatistics.joint_pmf` is an average over all the opponent may keep. But an opponent
with tens and fives pegs otherwise than one with deuces and treys, and the same cards make the hand
and say what was thrown. So chances are taken to be a plane over a few signs s_j of that keep k':

    P(p, q | k, k') ≈ P(p, q | k) + Σ_j (s_j(k') - m_j(k)) B_j(p, q | k)

with m_j(k) the mean of a sign over what keep k faces, and B the regression on the signs, by least
squares over what it faces. Its terms average to nothing, so what `chances` says stays as it is.
Which player is first to a need leans likewise.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.game.index_tables import rank_point_table
from cribev.game.roles import Role
from cribev.solved.keeps import RANK_KEEPS, GameSize
from cribev.solved.win_table import only_player_reaches

SIGNS = 19
"""Signs of a keep, in the order of `signs`."""

POINTS = 16
"""More points lean as one less than this do, and no need is as much; they are rare."""

_HANDS = (3, 5, 7, 9, 12)  # where another bin of mean hands begins, in points
_MEAN, _COEFFICIENT, _COMPONENT = 2.0**-9, 2.0**-4, 2.0**-14  # the grids they are stored on


class Leanings(NamedTuple):
    """How the chances of a role lean on what the opponent keeps.

    How keep ``k`` leans on sign ``j`` is ``np.tensordot(coefficients[k, j], chances, 1)``.
    """

    means: Floats
    """The signs of what each keep faces, on average, ``(1820, 19)``."""
    coefficients: Floats
    """How much of each component there is by keep and sign, ``(1820, 19, r)``."""
    chances: Floats
    """The components: chances that the player pegs so much and the opponent so much,
    ``(r, 32, 32)``; each sums to nought."""
    first_to: Floats
    """The same of `PeggingStatistics.first_passage`, ``(r, 32, 32)``."""


@cache
def signs() -> Floats:
    """List the signs by which an opponent's keep tells what will be pegged: ``(1820, 19)``.

    How many cards it has of each rank from ace to queen (kings follow from the rest), whether its
    mean hand over the 13 ranks of starters, flushes and nobs aside, is from 3, 5, 7, 9, or 12
    points up to the next of these, whether there is a pair, and whether there are three of a rank.
    What a card does in the play it mostly does by itself; pairs and hands say what goes beyond.
    Read-only.

    Examples
    --------
    >>> from itertools import combinations_with_replacement
    >>> keep = list(combinations_with_replacement("A23456789TJQK", 4)).index(tuple("55JK"))
    >>> signs()[keep, :12].astype(int).tolist(), signs()[keep, 12:].astype(int).tolist()
    ([0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 1, 1, 0])
    """
    holdings = GameSize().holdings(4)
    counts = (holdings[:, :, None] == np.arange(13)).sum(axis=1)
    five = (holdings @ 13 ** np.arange(4, 0, -1))[:, None] + np.arange(13)
    bins = np.digitize(rank_point_table()[five].mean(axis=1), _HANDS)
    found: Floats = np.column_stack(
        [
            counts[:, :12],
            bins[:, None] == np.arange(1, len(_HANDS) + 1),
            (counts >= 2).any(axis=1),
            (counts >= 3).any(axis=1),
        ]
    ).astype(np.float64)
    found.flags.writeable = False
    return found


def from_sums(within: Floats, first: Floats, *, most: int) -> tuple[Floats, Floats]:
    """Make components of what decides races.

    Parameters
    ----------
    within
        How the chance leans that both peg no more than so much, ``(r, m, m)``; that is how
        components are stored, for then they sum to nought however they are rounded.
    first
        How it leans who is first, by needs, ``(r, m, m)``; needs as large as m go by `within`.
    most
        To how many points and needs components are to go.

    Returns
    -------
    `Leanings.chances` and `Leanings.first_to`.

    Examples
    --------
    >>> within = np.array([[[-0.25, -0.25], [0, 0]]])  # a player pegs oftener, the opponent not
    >>> chances, first_to = from_sums(within, -within[:, ::-1, ::-1], most=3)
    >>> chances[0].tolist()
    [[-0.25, 0.0, 0.0], [0.25, 0.0, 0.0], [0.0, 0.0, 0.0]]
    >>> first_to[0].tolist()
    [[0.0, 0.0, 0.0], [0.25, 0.25, 0.25], [0.0, 0.0, 0.0]]
    """
    number, cut = within.shape[:2]
    chances = np.zeros((number, most, most))
    chances[:, :cut, :cut] = np.diff(np.diff(within, axis=1, prepend=0), axis=2, prepend=0)
    first_to = only_player_reaches(chances)
    first_to[:, :cut, :cut] = first
    first_to[:, 0] = 0  # who needs nothing is there
    return chances, first_to


def packed_leanings(leanings: Leanings, role: Role) -> dict[str, NDArray[Any]]:
    """Make arrays to be stored, of components no part of whose sums is above 1.

    Examples
    --------
    >>> parts = from_sums(np.full((1, 16, 16), [[-0.25]] * 15 + [[0]]), np.zeros(16), most=32)
    >>> whole = Leanings(np.ones((1820, 19)), np.ones((1820, 19, 1)), *parts)
    >>> read = leanings_of(packed_leanings(whole, "pone"), "pone", most=32)
    >>> all((a == b).all() for a, b in zip(read, whole))
    True
    """
    within = leanings.chances.cumsum(axis=1).cumsum(axis=2)[:, :POINTS, :POINTS]
    return {
        f"{_name(role)}_means": _planes(leanings.means, _MEAN),
        f"{_name(role)}_coefficients": _planes(leanings.coefficients, _COEFFICIENT),
        f"{_name(role)}_within": _in_steps(within, _COMPONENT),
        f"{_name(role)}_first": _in_steps(leanings.first_to[:, :POINTS, :POINTS], _COMPONENT),
    }


def leanings_of(stored: Mapping[str, NDArray[Any]], role: Role, *, most: int) -> Leanings:
    """Read one role's `Leanings` from stored arrays.

    Parameters
    ----------
    stored
        The arrays.
    role
        Whose.
    most
        To how many points and needs components are to go, zeros at the end.

    Raises
    ------
    KeyError
        If it is not there.
    ValueError
        If a table has another shape.
    """
    within, first = (stored[f"{_name(role)}_{part}"] for part in ("within", "first"))
    number = len(within)
    if {within.shape, first.shape} != {(number, POINTS, POINTS)}:
        raise ValueError(f"components of shape {within.shape}")
    return Leanings(
        _steps(stored[f"{_name(role)}_means"], (RANK_KEEPS, SIGNS)) * _MEAN,
        _steps(stored[f"{_name(role)}_coefficients"], (RANK_KEEPS, SIGNS, number)) * _COEFFICIENT,
        *from_sums(within * _COMPONENT, first * _COMPONENT, most=most),
    )


def _name(role: Role) -> str:
    return f"play_{role}_leaning"


def _in_steps(values: Floats, step: float) -> NDArray[np.int16]:
    steps = np.rint(values / step)
    if abs(steps).max() >= 2**15:
        raise ValueError(f"two bytes do not hold {values.max()} in steps of {step}")
    return steps.astype("<i2")


def _planes(values: Floats, step: float) -> NDArray[np.uint8]:
    """Low bytes, then high bytes, the last axis first: what is alike stands together."""
    turned = np.moveaxis(_in_steps(values, step), -1, 0).copy()
    return turned.reshape(-1, 1).view(np.uint8).T.copy()


def _steps(planes: NDArray[np.uint8], shape: tuple[int, ...]) -> Floats:
    if planes.shape != (2, np.prod(shape)) or planes.dtype != np.uint8:
        raise ValueError(f"leanings of shape {planes.shape}")
    turned = planes.T.copy().view("<i2").reshape(shape[-1], *shape[:-1])
    return np.moveaxis(turned, 0, -1).astype(np.float64, order="C")
