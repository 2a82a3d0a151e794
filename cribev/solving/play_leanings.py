"""How what keeps peg leans on what the other keeps: regression on its signs, and few components."""

from typing import NamedTuple

import numpy as np

from cribev.classes.canonical import Floats
from cribev.game.roles import ROLES, Role
from cribev.solved.leanings import POINTS, Leanings, from_sums, signs
from cribev.solved.play import POINT_BINS
from cribev.solving.evaluation import peg_sums
from cribev.solving.play_solver import PlaySolver

COMPONENTS = 12
"""They leave a fortieth of what the signs tell, less than the signs do not tell."""

_RIDGE = 0.01  # of a sign's usual variance: where a keep leaves it less, it leans less
_RARE = 1e-3  # of deals, spread over all keeps, so that those never kept count for a little


class Regression(NamedTuple):
    """What a keep pegs by the signs of what it faces, by least squares."""

    means: Floats
    """Signs of what a keep faces, on average, ``(n, s)``."""
    spread: Floats
    """Their covariance, and a little more so that none is nought, ``(n, s, s)``."""
    chances: Floats
    """By how much more of a sign makes it likelier to peg so much and the other so much,
    ``(n, s, m, m)``."""
    first_to: Floats
    """The same of being first to a need while the other needs so much."""


def leanings(solver: PlaySolver) -> dict[Role, Leanings]:
    """Tell how chances lean on the signs of what the other keeps, in the whole game, by role."""
    every = np.column_stack([np.ones(len(signs())), signs()])
    sums, keeps = peg_sums(solver, every, most=POINTS), solver.keeps
    found: dict[Role, Leanings] = {}
    for role in ROLES:
        slopes = regression(*sums[role], by=signs(), faces=keeps.conditional[role])
        found[role] = reduced(slopes, share=keeps.marginal[role], most=POINT_BINS)
    return found


def regression(pegs: Floats, first: Floats, *, by: Floats, faces: Floats) -> Regression:
    """Regress what keeps peg on the signs of what they face.

    Parameters
    ----------
    pegs, first
        From `peg_sums` of a column of ones and these signs, ``(n, m, m, 1 + s)``.
    by
        The signs of every keep, ``(n, s)``.
    faces
        What each keep faces, rows of one, ``(n, n)``.
    """
    total = pegs[..., 0].sum(axis=(1, 2))
    means = pegs[..., 1:].sum(axis=(1, 2)) / total[:, None]
    mean, products = faces @ by, (by[:, :, None] * by[:, None, :]).reshape(len(by), -1)
    spread = (faces @ products).reshape(*mean.shape, -1) - mean[:, :, None] * mean[:, None, :]
    spread += _RIDGE * np.diag(spread.diagonal(axis1=1, axis2=2).mean(axis=0))
    slopes = []
    for table in (pegs, first):
        flat = (table / total[:, None, None, None]).reshape(len(table), -1, table.shape[3])
        together = np.moveaxis(flat[..., 1:], 2, 1) - means[:, :, None] * flat[:, None, :, 0]
        slopes.append(np.linalg.solve(spread, together).reshape(*means.shape, *table.shape[1:3]))
    return Regression(means, spread, *slopes)


def reduced(
    found: Regression, *, share: Floats, most: int, components: int = COMPONENTS
) -> Leanings:
    """Say it in few components: those that leave least of what decides races, over all deals.

    Parameters
    ----------
    found
        The regression.
    share
        How often each keep is kept, ``(n,)``.
    most
        To how many points and needs the components are to go, zeros at the end.
    components
        How many.
    """
    keeps, number, cut = found.chances.shape[:3]
    # What decides a race is a sum of chances: that neither makes the need, and that one is first.
    within = found.chances.cumsum(axis=2).cumsum(axis=3)
    decides = np.stack([within, found.first_to], 2).reshape(keeps, number, -1)
    # In these rows squares are by how much that varies with what a keep faces.
    varies = np.swapaxes(np.linalg.cholesky(found.spread), 1, 2) @ decides
    varies *= np.sqrt(share + _RARE / keeps)[:, None, None]
    varies = varies.reshape(-1, decides.shape[2])
    _, axes = np.linalg.eigh(varies.T @ varies)
    largest = axes[:, ::-1][:, :components]
    parts = np.moveaxis(largest.T.reshape(components, 2, cut, cut), 1, 0)
    return Leanings(found.means, decides @ largest, *from_sums(*parts, most=most))
