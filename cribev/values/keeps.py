"""Chances that two keeps face each other, and the points they then peg, by class.

A player dealt class H keeps the ranks k with frequency K[H, k]; the opponent is dealt class X in
M[H, X] = ∏ C(4 - h_r, x_r) of C(46, 6) ways. So pone's keep k and dealer's k' face each other in

    Σ_H n(H) K[H, k] Σ_X M[H, X] K'[X, k'] / (C(52, 6) C(46, 6))

of all deals, exact but for suits. Keeps are numbered as in `cribev.solution.strategy`.
"""

from collections.abc import Mapping, Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from cribev.classes.canonical import CLASSES, STARTERS, Floats, deals_of_classes
from cribev.classes.crib_averages import sum_over_opponents
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.opponents.opponents import Opponent
from cribev.solution.solution import shipped_keep_frequencies
from cribev.solution.solved_play import KeepFrequencies, PeggingStatistics
from cribev.solution.strategy import RANK_KEEPS, kept_points, rank_keep_numbers

_NONE = np.zeros(0)
MIN_KEEP_PROBABILITY = 1e-9  # of any four cards, so that every keep has a distribution


def rank_keep_frequencies(frequencies: KeepFrequencies) -> Floats:
    """Return how often each class keeps each set of ranks: ``(18395, 1820)``, rows sum to one."""
    cells = np.arange(CLASSES)[:, None] * RANK_KEEPS + rank_keep_numbers()
    often = np.bincount(cells.ravel(), frequencies.share.ravel(), CLASSES * RANK_KEEPS)
    return often.astype(np.float64).reshape(CLASSES, RANK_KEEPS)


class KeepBeliefs(NamedTuple):
    """Chances that keeps face each other, by role and number of `GameSize.holdings`."""

    marginal: Mapping[Role, Floats]  # how often each keep is kept, ``(n,)``
    conditional: Mapping[Role, Floats]
    """For each keep, what the opponent keeps, ``(n, n)``; rows sum to one."""


class KeepDistributions:
    """The share of deals that keep each keep, and the keeps it faces even so: `beliefs`."""

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
            mixed = (keeps[role] + MIN_KEEP_PROBABILITY * any_keep) * deals[:, None]
            joint = mixed.T @ self._opponents[role]
            conditional[role] = joint / joint.sum(axis=1, keepdims=True)
        self.beliefs = KeepBeliefs(marginal, conditional)

    def expected(self, points: Floats, *, role: Role) -> Floats:
        """Average points by own and opponent's keep, ``(1820, 1820)``, to ``(18395, 15)``."""
        means = self._opponents[role] @ points.T
        return np.take_along_axis(means, rank_keep_numbers(), axis=1)


def keeps_faced(opponent: Opponent, role: Role, keeps: Sequence[int]) -> Floats:
    """Return how likely each of some keeps faces each other, ``(n, 1820)``; rows sum to one.

    You keep like an expert. It is `KeepBeliefs.conditional` for a few keeps, in less time.
    """
    even = np.full((CLASSES, 15), 1 / 15)
    own, any_keep = (
        rank_keep_frequencies(kept)[:, list(keeps)]
        for kept in (shipped_keep_frequencies(role), KeepFrequencies(even, np.zeros_like(even)))
    )
    # As many deals have H beside X as X beside H.
    beside = sum_over_opponents(own + MIN_KEEP_PROBABILITY * any_keep) * deals_of_classes()[:, None]
    joint = beside.T @ rank_keep_frequencies(opponent.discards.keeps(role))
    chances: Floats = joint / joint.sum(axis=1, keepdims=True)
    return chances


def pegging_statistics(
    keeps: KeepDistributions,
    role: Role,
    points: tuple[Floats, Floats],
    joint_pmf: Floats,
    first: tuple[Floats, Floats] = (_NONE, _NONE),
) -> PeggingStatistics:
    """Put together what keeps of a role peg, by the points against each keep, ``(1820, 1820)``."""
    hand = kept_points().mean(axis=1)
    faced, share = keeps.beliefs.conditional[role], keeps.beliefs.marginal[role]
    own, opponent = ((faced * table).sum(axis=1) for table in points)
    with_hand = [(faced * hand * table).sum(axis=1) for table in points]
    both = np.stack([own, opponent], axis=1)
    covariance = np.stack(with_hand, axis=1) - both * (faced @ hand)[:, None]
    return PeggingStatistics(share, own, opponent, joint_pmf, covariance, *first)
