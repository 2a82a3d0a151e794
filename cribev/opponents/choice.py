"""Quantal response: choices with chances as ``exp(value / temperature)``, of discards and cards."""

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats

SHARP = 1e-6  # a temperature at which only what is best is chosen
_LONG_ODDS = 60.0  # the logarithm of odds beyond which a choice is never made


def quantal_chances(
    values: Floats, temperature: float = 1.0, copies: Floats | float = 1.0
) -> Floats:
    """Return how likely each choice is along the last axis, by how many copies it has.

    >>> quantal_chances(np.array([1.0, 0.0, -np.inf]), 0.5).round(3)
    array([0.881, 0.119, 0.   ])
    """
    ahead = values - values.max(axis=-1, keepdims=True)
    weights = copies * np.exp(ahead / max(temperature, SHARP))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def quantal_odds(ahead: Floats | float) -> NDArray[np.float32]:
    """Return the odds of a choice against another by how far it is ahead, in temperatures."""
    return np.asarray(np.exp(np.minimum(ahead, _LONG_ODDS)), dtype=np.float32)
