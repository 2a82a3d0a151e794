"""What two keeps peg against each other on average, nearly: a few components tell most of it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.forms import Floats
from cribev.game.roles import ROLES, Role, other

COMPONENTS = 24
"""How many are kept; of the variance beyond the averages of both keeps three quarters."""

_LEAST = 1e-5  # how often a keep counts as kept at least
_STEPS = 127


class Pairs(NamedTuple):
    """Points pegged by two keeps beyond what pone's pegs on average: ``left @ right.T``."""

    left: Mapping[Role, Floats]
    """By who pegs them, components of pone's keep, ``(1820, n)``."""
    right: Mapping[Role, Floats]
    """… of dealer's keep."""

    def pegged(self, keeps: NDArray[np.intp], role: Role) -> Floats:
        """Average what some keeps peg against every other, up to a constant for each keep.

        Parameters
        ----------
        keeps
            Numbers of keeps, ``(n,)``.
        role
            Whose keeps they are.

        Returns
        -------
        The player's points and the opponent's, ``(2, n, 1820)``.
        """
        sides = (self.left, self.right) if role == "pone" else (self.right, self.left)
        own, others = sides
        return np.stack([own[who][keeps] @ others[who].T for who in (role, other(role))])


def pairs_of(points: Mapping[Role, Floats], faces: Floats, share: Mapping[Role, Floats]) -> Pairs:
    """Find the components of what two keeps peg.

    Parameters
    ----------
    points
        What pone pegs and what the dealer does, by pone's keep and the dealer's, ``(n, n)``.
    faces
        What each keep of pone's faces, rows of one, ``(n, n)``.
    share
        How often a keep is kept, by role.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> both = rng.random((30, 2)) @ rng.random((2, 40))
    >>> often = {"pone": np.ones(30) / 30, "dealer": np.ones(40) / 40}
    >>> faces = np.full((30, 40), 1 / 40)
    >>> pairs = pairs_of({"pone": both, "dealer": both}, faces, often)
    >>> beyond = pairs.left["pone"] @ pairs.right["pone"].T
    >>> bool(np.allclose(beyond, both - both.mean(axis=1, keepdims=True)))
    True
    """
    weights = {role: np.sqrt(share[role] + _LEAST) for role in ROLES}
    left, right = {}, {}
    for role in ROLES:
        beyond = points[role] - (faces * points[role]).sum(axis=1, keepdims=True)
        u, size, v = np.linalg.svd(
            weights["pone"][:, None] * beyond * weights["dealer"], full_matrices=False
        )
        root = np.sqrt(size[:COMPONENTS])
        left[role] = u[:, :COMPONENTS] * root / weights["pone"][:, None]
        right[role] = v[:COMPONENTS].T * root / weights["dealer"][:, None]
    return Pairs(left, right)


def packed_pairs(pairs: Pairs) -> dict[str, NDArray[Any]]:
    """Make arrays to be stored: a byte for each component, and how much it counts for each keep.

    Examples
    --------
    >>> table = {role: np.random.default_rng(2).normal(size=(1820, 24)) for role in ROLES}
    >>> read = unpacked_pairs(packed_pairs(Pairs(table, table)))
    >>> bool(abs(read.left["pone"] - table["pone"]).max() < 0.02)
    True
    """
    arrays: dict[str, NDArray[Any]] = {}
    for name, sides in pairs._asdict().items():
        for role in ROLES:
            scale = abs(sides[role]).max(axis=1) / _STEPS
            steps = np.rint(sides[role] / np.where(scale > 0, scale, 1)[:, None])
            arrays[f"play_pairs_{name}_{role}"] = steps.astype(np.int8)
            arrays[f"play_pairs_{name}_{role}_scale"] = scale.astype("<f4")
    return arrays


def unpacked_pairs(stored: Mapping[str, NDArray[Any]]) -> Pairs | None:
    """Read what `packed_pairs` made, or nothing where nothing of it was stored.

    Raises
    ------
    ValueError
        If a table has another shape.
    """
    if f"play_pairs_left_{ROLES[0]}" not in stored:
        return None
    sides: dict[str, dict[Role, Floats]] = {"left": {}, "right": {}}
    for name, side in sides.items():
        for role in ROLES:
            steps = stored[f"play_pairs_{name}_{role}"]
            scale = stored[f"play_pairs_{name}_{role}_scale"].astype(np.float64)
            if steps.ndim != 2 or scale.shape != steps.shape[:1]:
                raise ValueError(f"pairs of shape {steps.shape}")
            side[role] = steps * scale[:, None]
    return Pairs(sides["left"], sides["right"])
