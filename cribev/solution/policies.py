"""What a way to discard loses against the best, over all deals."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple
from zlib import crc32

import numpy as np

from cribev.choice import net_points, tied_best
from cribev.classes.canonical import (
    ANY_KEEP,
    CLASSES,
    PATTERNS,
    RANK_PAIRS,
    STARTERS,
    Floats,
    Policy,
    best_keep_sets,
    canonical_deals,
    discard_rank_pairs,
    keep_entries,
)
from cribev.classes.class_tables import (
    CribAverages,
    best_response,
    canonical_values,
    comparison_values,
)
from cribev.classes.enumeration import DEALS
from cribev.classes.frequency_cribs import uniform_cribs
from cribev.game.roles import Role
from cribev.rows.pairs import PUBLISHED_CRIBS, published_cribs

COUNTED_GAIN = 1e-6
"""A deal counts as changed where switching gains more points than this."""


class PolicyLoss(NamedTuple):
    """What a policy costs against an expert."""

    points: float
    """Points per deal, over all deals."""
    deals: int
    """Deals in which it costs more than `COUNTED_GAIN`, on average where several are kept."""


def policy_loss(policy: Policy, cribs: CribAverages, *, role: Role) -> PolicyLoss:
    """Average what a policy loses against the best, over all deals.

    The policy is sets of keeps, uint16 ``(18395, 187)``, each keep of a set as often as the others.
    ``cribs`` are the average cribs against the opponent.

    >>> from cribev.classes.class_tables import best_response
    >>> policy = best_response(uniform_cribs(), role="dealer")
    >>> policy_loss(policy, uniform_cribs(), role="dealer")
    PolicyLoss(points=0.0, deals=0)
    """
    canonical = canonical_deals()
    points, changed = 0.0, 0.0
    for part, values in comparison_values(cribs, role=role):
        rows, keeps, of = keep_entries(policy[canonical.classes[part], canonical.patterns[part]])
        losses = (values.max(axis=1)[rows] - values[rows, keeps]) / STARTERS
        losses[tied_best(values, unit=STARTERS)[rows, keeps]] = 0
        deals = canonical.deals[part][rows] / of
        points += float(losses @ deals)
        changed += float((losses > COUNTED_GAIN) @ deals)
    return PolicyLoss(points / DEALS, round(changed))


def static_policy(crib: Floats, *, role: Role) -> Policy:
    """Return the policy that throws by average hand and a table of average cribs, ``(13, 13)``.

    The table, in points by the two ranks thrown, ignores the cards kept.

    >>> static_policy(np.zeros((13, 13)), role="pone").shape
    (18395, 187)
    """
    canonical = canonical_deals()
    policy = np.zeros((CLASSES, PATTERNS), dtype=np.uint16)
    by_pair = crib[tuple(RANK_PAIRS.T)]
    for part, values in canonical_values(uniform_cribs(), role=role):
        classes, patterns = canonical.classes[part], canonical.patterns[part]
        static = net_points(values.hand, by_pair[discard_rank_pairs()[classes]], role)
        policy[classes, patterns] = best_keep_sets(static)
    return policy


def reference_losses(
    cribs: CribAverages,
    *,
    role: Role,
    show: CribAverages | None = None,
    known: Mapping[str, PolicyLoss] | None = None,
) -> dict[str, PolicyLoss]:
    """Average what well-known ways to discard lose against an expert, over all deals.

    ``random`` throws any two cards, ``hand`` keeps the best hand whatever the crib, ``uniform``
    throws best against an opponent who throws any two cards, and a published table by its average
    cribs. All ignore the play; so does ``show``, the expert at hand and crib.

    ``cribs`` are average cribs against the expert, ``show`` those against the expert at hand and
    crib, if the play counts. Losses ``known`` are not worked out again.

    >>> from cribev.solution.solution import load
    >>> shipped = load()
    >>> list(reference_losses(shipped.cribs["pone"], role="pone", known=shipped.losses["pone"]))
    ['random', 'hand', 'colvert', 'hessel', 'rasmussen', 'schell', 'uniform']
    """
    ways: dict[str, Callable[[], Policy]] = {
        "random": lambda: np.full((CLASSES, PATTERNS), ANY_KEEP, dtype=np.uint16),
        "hand": lambda: static_policy(np.zeros((13, 13)), role=role),
    }
    for name in PUBLISHED_CRIBS:
        ways[name] = partial(static_policy, published_cribs(name)[role], role=role)
    ways["uniform"] = lambda: best_response(uniform_cribs(), role=role)
    if show is not None:
        ways["show"] = lambda: best_response(show, role=role)
    known = known or {}
    return {
        name: known[name] if name in known else policy_loss(policy(), cribs, role=role)
        for name, policy in ways.items()
    }


def policy_checksum(policy: Policy) -> int:
    """Return a checksum of a policy, the same on every platform.

    >>> policy_checksum(np.full((CLASSES, PATTERNS), ANY_KEEP, dtype=np.uint16))
    2903194728
    """
    return crc32(policy.astype("<u2").tobytes())
