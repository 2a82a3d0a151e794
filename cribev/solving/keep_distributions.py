"""What policies keep, and how likely each two keeps are to face each other.

A player dealt class H keeps the ranks k with frequency K[H, k]; the opponent is dealt class X in
M[H, X] = ∏ C(4 - h_r, x_r) of C(46, 6) ways. So pone's keep k and dealer's k' face each other in

    Σ_H n(H) K[H, k] Σ_X M[H, X] K'[X, k'] / (C(52, 6) C(46, 6))

of all deals, exact but for suits. Keeps are numbered as in `cribev.solution.keeps`.
"""

from collections.abc import Mapping
from math import comb
from typing import NamedTuple

import numpy as np

from cribev.classes.canonical import (
    CLASSES,
    STARTERS,
    Floats,
    Policy,
    canonical_deals,
    deals_of_classes,
    keep_entries,
    suited_keeps,
)
from cribev.classes.crib_averages import sum_over_opponents
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.solution.keeps import RANK_KEEPS, rank_keep_numbers
from cribev.solution.play import KeepFrequencies
from cribev.solution.quantization import average_same_ranks

_TREMBLE = 1e-9  # how often any four cards are kept instead, so that every keep has a distribution


def rank_keep_frequencies(frequencies: KeepFrequencies) -> Floats:
    """Say how often each class keeps which ranks: ``(18395, 1820)``, rows sum to one.

    >>> any_keep = KeepFrequencies(np.full((CLASSES, 15), 1 / 15), np.zeros((CLASSES, 15)))
    >>> float(rank_keep_frequencies(any_keep)[0, 0])  # of A A A A 2 2 all four aces
    0.06666666666666667
    """
    cells = np.arange(CLASSES)[:, None] * RANK_KEEPS + rank_keep_numbers()
    often = np.bincount(cells.ravel(), frequencies.share.ravel(), CLASSES * RANK_KEEPS)
    return often.astype(np.float64).reshape(CLASSES, RANK_KEEPS)


def keep_frequencies(policy: Policy) -> KeepFrequencies:
    """Count what a policy keeps of each class, and how often that is of one suit.

    >>> from cribev.solution.solution import load
    >>> found = keep_frequencies(load().policies()["pone"])
    >>> bool((found.flush <= found.share).all()), float(found.share[0].max())
    (True, 1.0)
    """
    canonical = canonical_deals()
    rows, keeps, of = keep_entries(policy[canonical.classes, canonical.patterns])
    deals = canonical.deals[rows] / of
    flushes = deals * suited_keeps()[canonical.patterns[rows], keeps]
    cells, of_class = canonical.classes[rows] * 15 + keeps, deals_of_classes()[:, None]

    def often(weights: Floats) -> Floats:
        found = np.bincount(cells, weights, CLASSES * 15).reshape(CLASSES, 15)
        return average_same_ranks(found / of_class)

    return KeepFrequencies(often(deals), often(flushes))


def mean_frequencies(one: KeepFrequencies, another: KeepFrequencies) -> KeepFrequencies:
    """Keep by one half the time, and by the other half the time."""
    return KeepFrequencies((one.share + another.share) / 2, (one.flush + another.flush) / 2)


class KeepBeliefs(NamedTuple):
    """How likely keeps are to face each other, by role and number of `GameSize.holdings`."""

    marginal: Mapping[Role, Floats]
    """How often each keep is kept, ``(n,)``."""
    conditional: Mapping[Role, Floats]
    """For each keep, what the opponent keeps, rows of one, ``(n, n)``."""


class KeepDistributions:
    """How often each keep is kept, and which keeps it faces, when two players meet.

    They are in `beliefs`. A keep that is never kept faces what it would if it were kept once in a
    while.
    """

    def __init__(self, frequencies: Mapping[Role, KeepFrequencies]) -> None:
        """Work them out from what each role keeps."""
        deals, total = deals_of_classes(), comb(52, 6)
        keeps = {role: rank_keep_frequencies(frequencies[role]) for role in ROLES}
        self._opponents = {
            role: sum_over_opponents(keeps[opposite_role(role)]) / comb(STARTERS, 6)
            for role in ROLES
        }
        even = np.full((CLASSES, 15), 1 / 15)
        any_keep = rank_keep_frequencies(KeepFrequencies(even, np.zeros_like(even)))
        marginal: dict[Role, Floats] = {}
        conditional: dict[Role, Floats] = {}
        for role in ROLES:
            marginal[role] = deals @ keeps[role] / total
            mixed = (keeps[role] + _TREMBLE * any_keep) * deals[:, None]
            joint = mixed.T @ self._opponents[role]
            conditional[role] = joint / joint.sum(axis=1, keepdims=True)
        self.beliefs = KeepBeliefs(marginal, conditional)

    def expected(self, points: Floats, *, role: Role) -> Floats:
        """Average points by own and opponent's keep, ``(1820, 1820)``, to ``(18395, 15)``."""
        means = self._opponents[role] @ points.T
        return np.take_along_axis(means, rank_keep_numbers(), axis=1)
