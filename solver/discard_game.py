"""The discard game solved by iterated best responses, and how likely keeps are to face each other.

From uniform discarding, a dozen rounds settle all but some six thousand of the 40,717,040 deals of
both roles. In these few the players are nearly indifferent, and their answers go round in a cycle
of two rounds, as in matching pennies. What is shipped is the point of that cycle where least is
left to gain: to pone 1.2e-8 points a deal, to the dealer nothing, as the class tables count it.
"""

from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import TypeAlias

import numpy as np

from cribev.classes import class_tables
from cribev.classes.canonical import (
    CLASSES,
    DEALS,
    RANK_PAIRS,
    Floats,
    Policy,
    canonical_deals,
    deals_of_classes,
    discard_rank_pairs,
    keep_entries,
    suited_keeps,
)
from cribev.classes.crib_averages import uniform_cribs
from cribev.classes.ranking import net_points
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.solution import solution, solved_play
from solver.discards import average_cribs, discard_frequencies
from solver.policies import policy_loss, reference_losses
from solver.provenance import NOT_CONVERGED, Provenance, ResponseRound
from solver.storage import policy_checksum


def keep_frequencies(policy: Policy) -> solved_play.KeepFrequencies:
    """Count what a policy keeps of each class, and how often that is of one suit."""
    canonical = canonical_deals()
    rows, keeps, of = keep_entries(policy[canonical.classes, canonical.patterns])
    deals = canonical.deals[rows] / of
    flushes = deals * suited_keeps()[canonical.patterns[rows], keeps]
    cells, of_class = canonical.classes[rows] * 15 + keeps, deals_of_classes()[:, None]

    def often(weights: Floats) -> Floats:
        frequencies = np.bincount(cells, weights, CLASSES * 15).reshape(CLASSES, 15)
        return solved_play.average_same_ranks(frequencies / of_class)

    return solved_play.KeepFrequencies(often(deals), often(flushes))


def mixed_frequencies(
    first: solved_play.KeepFrequencies, second: solved_play.KeepFrequencies, share: float
) -> solved_play.KeepFrequencies:
    """Keep by another so often, and else by one."""
    return solved_play.KeepFrequencies(
        *((1 - share) * a + share * b for a, b in zip(first, second, strict=True))
    )


BestResponses: TypeAlias = tuple[dict[Role, class_tables.CribAverages], list[ResponseRound], int]
"""The averages each role's policy is the best response to; the rounds; `Provenance.cycle`."""


def solve_discards(
    report: Callable[[ResponseRound], None] | None = None,
    *,
    rounds: int = 60,
    net_pegging: Mapping[Role, Floats] | None = None,
    start: Mapping[Role, class_tables.CribAverages] | None = None,
) -> tuple[solution.Solution, Provenance]:
    """Let roles respond in turn until all comes again, with net points of the play or without."""
    cribs, history, cycle = iterate_best_responses(
        report, rounds=rounds, net_pegging=net_pegging, start=start
    )
    averages: dict[Role, solution.ShowAverages] = {}
    pairs: dict[Role, solution.RankPairAverages] = {}
    for role in ROLES:
        averages[role], pairs[role] = _summary(cribs[role], role)
    policies = {role: class_tables.best_response(cribs[role], role=role) for role in ROLES}
    actual = {
        role: average_cribs(discard_frequencies(policies[opposite_role(role)]))._replace(
            play=cribs[role].play
        )
        for role in ROLES
    }
    left = {role: policy_loss(policies[role], actual[role], role=role) for role in ROLES}
    solved = solution.Solution(
        cribs=cribs,
        actual_cribs=actual,
        exploitability={role: left[role].points for role in ROLES},
        averages=averages,
        pairs=pairs,
        checksums={role: policy_checksum(policies[role]) for role in ROLES},
    )
    return solved, Provenance(
        improvable_deals={role: left[role].deals for role in ROLES},
        history=history,
        cycle=cycle,
        losses={
            role: reference_losses(
                cribs[role],
                role=role,
                show=None if cribs[role].play is None else solution.load().cribs[role],
            )
            for role in ROLES
        },
    )


def iterate_best_responses(
    report: Callable[[ResponseRound], None] | None = None,
    *,
    rounds: int = 60,
    net_pegging: Mapping[Role, Floats] | None = None,
    start: Mapping[Role, class_tables.CribAverages] | None = None,
    max_changed: int = 0,
) -> BestResponses:
    """Do what `solve_discards` does until at most ``max_changed`` deals of both roles change."""
    play = {
        role: None if net_pegging is None else class_tables.points_to_grid(net_pegging[role])
        for role in ROLES
    }
    cribs = {
        role: (start[role] if start else uniform_cribs())._replace(play=play[role])
        for role in ROLES
    }
    policies = {role: class_tables.best_response(cribs[role], role=role) for role in ROLES}
    history: list[ResponseRound] = []
    seen: dict[bytes, int] = {}
    candidates: list[tuple[float, dict[Role, class_tables.CribAverages]]] = []
    for number in range(1, rounds + 1):
        changed = 0
        for role in ROLES:
            before = dict(cribs)
            discarded = discard_frequencies(policies[opposite_role(role)])
            cribs[role] = average_cribs(discarded)._replace(play=play[role])
            loss = policy_loss(policies[role], cribs[role], role=role)
            policies[role] = class_tables.best_response(cribs[role], role=role)
            changed += loss.deals
            # The other role has just responded, so before this step only this one could gain.
            candidates.append((loss.points, before))
            history.append(ResponseRound(number, role, loss.deals, loss.points))
            if report is not None:
                report(history[-1])
        if changed <= max_changed:
            return cribs, history, 0
        digest = blake2b(policies["dealer"].tobytes() + policies["pone"].tobytes()).digest()
        if digest in seen:
            cycle = number - seen[digest]
            least = min(candidates[-2 * cycle :], key=lambda candidate: candidate[0])
            return least[1], history, cycle
        seen[digest] = number
    least = min(candidates[-len(candidates) // 2 :], key=lambda candidate: candidate[0])
    return least[1], history, NOT_CONVERGED


def _summary(
    cribs: class_tables.CribAverages, role: Role
) -> tuple[solution.ShowAverages, solution.RankPairAverages]:
    """Average the best responses of a role over all deals, and by rank pair discarded."""
    canonical, policy = canonical_deals(), class_tables.best_response(cribs, role=role)
    size = 2 * len(RANK_PAIRS)
    hand = crib = 0.0
    discarded, crib_discarded, held, crib_held = (np.zeros(size) for _ in range(4))
    for block, values in class_tables.canonical_values(cribs, role=role):
        classes, patterns, deals = (array[block] for array in canonical[:3])
        rows, keeps, of = keep_entries(policy[classes, patterns])
        cells = discard_rank_pairs()[classes] * 2 + (
            class_tables.suit_tables().suited[class_tables.suit_rows(classes, patterns)] > 0
        )
        weights = np.broadcast_to(deals[:, None], cells.shape)
        held += np.bincount(cells.ravel(), weights.ravel(), size)
        crib_held += np.bincount(cells.ravel(), (values.crib * weights).ravel(), size)
        own, shared = cells[rows, keeps], deals[rows] / of
        best_crib = values.crib[rows, keeps] * shared
        discarded += np.bincount(own, shared, size)
        crib_discarded += np.bincount(own, best_crib, size)
        hand += float(values.hand[rows, keeps] @ shared)
        crib += float(best_crib.sum())
    hand, crib = hand / DEALS, crib / DEALS
    with np.errstate(invalid="ignore"):
        tables = (discarded / DEALS, crib_discarded / discarded, crib_held / held)
    return (
        solution.ShowAverages(hand, crib, net_points(hand, crib, role)),
        solution.RankPairAverages(*(table.reshape(-1, 2) for table in tables)),
    )
