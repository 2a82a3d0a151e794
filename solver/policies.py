"""Ways to discard over all deals, and what they lose compared with the solved one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from cribev.classes import canonical, class_tables
from cribev.classes.canonical import Floats, Policy
from cribev.classes.class_tables import CribAverages
from cribev.classes.crib_averages import uniform_cribs
from cribev.classes.ranking import net_points, tied_best
from cribev.game.roles import Role
from cribev.rows.pairs import PUBLISHED_CRIBS, published_cribs
from solver.provenance import COUNTED_GAIN, PolicyLoss

ANY_KEEP = (1 << 15) - 1  # the set of all 15 keeps


def policy_loss(policy: Policy, cribs: CribAverages, *, role: Role) -> PolicyLoss:
    """Average what a policy loses against the best, over all deals."""
    dealt = canonical.canonical_deals()
    points, changed = 0.0, 0.0
    for block, values in class_tables.comparison_values(cribs, role=role):
        rows, keeps, of = canonical.keep_entries(
            policy[dealt.classes[block], dealt.patterns[block]]
        )
        losses = (values.max(axis=1)[rows] - values[rows, keeps]) / canonical.STARTERS
        losses[tied_best(values, unit=canonical.STARTERS)[rows, keeps]] = 0
        deals = dealt.deals[block][rows] / of
        points += float(losses @ deals)
        changed += float((losses > COUNTED_GAIN) @ deals)
    return PolicyLoss(points / canonical.DEALS, round(changed))


def static_policy(crib: Floats, *, role: Role) -> Policy:
    """Return the policy for average hands and a table of average cribs, ``(13, 13)``."""
    dealt = canonical.canonical_deals()
    policy = np.zeros((canonical.CLASSES, canonical.PATTERNS), dtype=np.uint16)
    by_pair = crib[tuple(canonical.RANK_PAIRS.T)]
    for block, values in class_tables.canonical_values(uniform_cribs(), role=role):
        classes = dealt.classes[block]
        static = net_points(values.hand, by_pair[canonical.discard_rank_pairs()[classes]], role)
        policy[classes, dealt.patterns[block]] = canonical.best_keep_sets(static)
    return policy


def reference_losses(
    cribs: CribAverages, *, role: Role, show: CribAverages | None = None
) -> dict[str, PolicyLoss]:
    """Average what well-known ways, and the expert for ``show``, lose."""
    shape = canonical.CLASSES, canonical.PATTERNS
    ways: dict[str, Callable[[], Policy]] = {
        "random": lambda: np.full(shape, ANY_KEEP, dtype=np.uint16),
        "hand": lambda: static_policy(np.zeros((13, 13)), role=role),
    }
    for name in PUBLISHED_CRIBS:
        ways[name] = partial(static_policy, published_cribs(name)[role], role=role)
    ways["uniform"] = lambda: class_tables.best_response(uniform_cribs(), role=role)
    if show is not None:
        ways["show"] = lambda: class_tables.best_response(show, role=role)
    return {name: policy_loss(policy(), cribs, role=role) for name, policy in ways.items()}
