"""How what a keep pegs leans on what the opponent keeps.

`KeepPlay.chances` is an average over all the opponent may keep. But who keeps tens and fives pegs
otherwise than who keeps deuces and treys, and it is the same cards that make his hand, and that say
what he throws. So chances are taken to be a plane over a few signs s_j of his keep k':

    P(p, q | k, k') ≈ P(p, q | k) + Σ_j (s_j(k') - m_j(k)) B_j(p, q | k)

with m_j(k) the mean of a sign over what keep k faces, and B the regression on the signs, by least
squares over what it faces. Its terms average to nothing, so what `chances` says stays as it is.
Who is first to his need leans likewise.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from cribev.classes.forms import Floats
from cribev.game.indices import rank_point_table
from cribev.solved.keeps import Deck

SIGNS = 19
"""Signs of a keep, in the order of `signs`."""

_HANDS = (3, 5, 7, 9, 12)  # where another bin of mean hands begins, in points


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
    """The same of `KeepPlay.first_to`, ``(r, 32, 32)``."""


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
    holdings = Deck().holdings(4)
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
