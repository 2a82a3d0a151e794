"""The discard game solved by iterated best responses, over all deals.

From uniform throwing, a dozen rounds settle all but some six thousand of the 40,717,040 deals of
both roles. In these few the players are nearly indifferent, and their answers go round in a cycle
of two rounds, as in matching pennies. What is shipped is the point of that cycle where least is
left to gain: to pone 1.2e-8 points a deal, to the dealer nothing, as the class tables count it.
"""

from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from cribev.choice import net_points
from cribev.classes.canonical import (
    RANK_PAIRS,
    Floats,
    canonical_deals,
    discard_rank_pairs,
    keep_entries,
)
from cribev.classes.class_tables import (
    CribAverages,
    best_response,
    canonical_values,
    points_to_grid,
    suit_rows,
    suit_tables,
)
from cribev.classes.crib_averages import average_cribs, discard_frequencies
from cribev.classes.enumeration import DEALS
from cribev.classes.frequency_cribs import uniform_cribs
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.solution.policies import policy_checksum, policy_loss, reference_losses
from cribev.solution.solution import (
    NOT_CONVERGED,
    RankPairAverages,
    ResponseRound,
    ShowAverages,
    Solution,
    load,
)


class BestResponses(NamedTuple):
    """Where best responses lead."""

    cribs: dict[Role, CribAverages]
    """The averages each role's policy is the best response to."""
    history: list[ResponseRound]
    cycle: int
    """As `Solution.cycle`."""


def solve_discards(
    report: Callable[[ResponseRound], None] | None = None,
    *,
    rounds: int = 60,
    net_pegging: Mapping[Role, Floats] | None = None,
    start: Mapping[Role, CribAverages] | None = None,
) -> Solution:
    """Let the roles respond best to each other in turn until nothing changes, or all comes again.

    ``report`` is called after each response. ``net_pegging`` is net points of the play by class and
    keep, ``(18395, 15)``, if they count; ``start`` average cribs other than of uniform throwing.
    The solution is without the play. Where there is no fixed point, `Solution.exploitability` says
    what is left to gain.
    """
    found = iterate_best_responses(report, rounds=rounds, net_pegging=net_pegging, start=start)
    cribs = found.cribs
    averages: dict[Role, ShowAverages] = {}
    pairs: dict[Role, RankPairAverages] = {}
    for role in ROLES:
        averages[role], pairs[role] = _summary(cribs[role], role)
    policies = {role: best_response(cribs[role], role=role) for role in ROLES}
    actual = {
        role: average_cribs(discard_frequencies(policies[opposite_role(role)]))._replace(
            play=cribs[role].play
        )
        for role in ROLES
    }
    left = {role: policy_loss(policies[role], actual[role], role=role) for role in ROLES}
    return Solution(
        cribs=cribs,
        actual_cribs=actual,
        exploitability={role: left[role].points for role in ROLES},
        improvable_deals={role: left[role].deals for role in ROLES},
        history=found.history,
        cycle=found.cycle,
        averages=averages,
        pairs=pairs,
        losses={
            role: reference_losses(
                cribs[role],
                role=role,
                show=None if cribs[role].play is None else load().cribs[role],
            )
            for role in ROLES
        },
        checksums={role: policy_checksum(policies[role]) for role in ROLES},
    )


def iterate_best_responses(
    report: Callable[[ResponseRound], None] | None = None,
    *,
    rounds: int = 60,
    net_pegging: Mapping[Role, Floats] | None = None,
    start: Mapping[Role, CribAverages] | None = None,
    max_changed: int = 0,
) -> BestResponses:
    """Do what `solve_discards` does, but for the summary.

    It stops once at most ``max_changed`` deals of both roles together change in a round.

    >>> len(iterate_best_responses(rounds=1).history)
    2
    """
    play = {
        role: None if net_pegging is None else points_to_grid(net_pegging[role]) for role in ROLES
    }
    cribs = {
        role: (start[role] if start else uniform_cribs())._replace(play=play[role])
        for role in ROLES
    }
    policies = {role: best_response(cribs[role], role=role) for role in ROLES}
    history: list[ResponseRound] = []
    seen: dict[bytes, int] = {}
    candidates: list[tuple[float, dict[Role, CribAverages]]] = []
    for number in range(1, rounds + 1):
        changed = 0
        for role in ROLES:
            before = dict(cribs)
            thrown = discard_frequencies(policies[opposite_role(role)])
            cribs[role] = average_cribs(thrown)._replace(play=play[role])
            loss = policy_loss(policies[role], cribs[role], role=role)
            policies[role] = best_response(cribs[role], role=role)
            changed += loss.deals
            # The other role has just responded, so before this step only this one could gain.
            candidates.append((loss.points, before))
            history.append(ResponseRound(number, role, loss.deals, loss.points))
            if report is not None:
                report(history[-1])
        if changed <= max_changed:
            return BestResponses(cribs, history, 0)
        digest = blake2b(policies["dealer"].tobytes() + policies["pone"].tobytes()).digest()
        if digest in seen:
            cycle = number - seen[digest]
            least = min(candidates[-2 * cycle :], key=lambda candidate: candidate[0])
            return BestResponses(least[1], history, cycle)
        seen[digest] = number
    least = min(candidates[-len(candidates) // 2 :], key=lambda candidate: candidate[0])
    return BestResponses(least[1], history, NOT_CONVERGED)


def _summary(cribs: CribAverages, role: Role) -> tuple[ShowAverages, RankPairAverages]:
    """Average the best responses of a role over all deals, and by rank pair thrown."""
    canonical, policy = canonical_deals(), best_response(cribs, role=role)
    size = 2 * len(RANK_PAIRS)
    hand = crib = 0.0
    thrown, crib_thrown, held, crib_held = (np.zeros(size) for _ in range(4))
    for part, values in canonical_values(cribs, role=role):
        classes, patterns, deals, _ = (array[part] for array in canonical)
        rows, keeps, of = keep_entries(policy[classes, patterns])
        cells = discard_rank_pairs()[classes] * 2 + (
            suit_tables().suited[suit_rows(classes, patterns)] > 0
        )
        weights = np.broadcast_to(deals[:, None], cells.shape)
        held += np.bincount(cells.ravel(), weights.ravel(), size)
        crib_held += np.bincount(cells.ravel(), (values.crib * weights).ravel(), size)
        own, shared = cells[rows, keeps], deals[rows] / of
        best_crib = values.crib[rows, keeps] * shared
        thrown += np.bincount(own, shared, size)
        crib_thrown += np.bincount(own, best_crib, size)
        hand += float(values.hand[rows, keeps] @ shared)
        crib += float(best_crib.sum())
    hand, crib = hand / DEALS, crib / DEALS
    with np.errstate(invalid="ignore"):
        tables = (thrown / DEALS, crib_thrown / thrown, crib_held / held)
    return (
        ShowAverages(hand, crib, net_points(hand, crib, role)),
        RankPairAverages(*(table.reshape(-1, 2) for table in tables)),
    )
