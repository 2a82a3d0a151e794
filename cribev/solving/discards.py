"""Two experts, solved: each throws what is best against the other, over all deals.

From uniform throwing, a dozen rounds of best responses settle all but some six thousand of the
40,717,040 deals of both roles. These few, nearly indifferent, chase one another in a circle of two
rounds, as in matching pennies. What is shipped is the point of that circle where least is left to
gain: to pone 1.2e-8 points a deal, to the dealer nothing, as the class tables count it.
"""

from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from cribev.choice import net_points
from cribev.classes.canonical import (
    RANK_PAIRS,
    Floats,
    Policy,
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
from cribev.solved.play import SolvedPlay
from cribev.solved.policies import PolicyLoss, policy_checksum, policy_loss, reference_losses
from cribev.solved.solution import (
    NOT_CONVERGED,
    RankPairAverages,
    ResponseRound,
    ShowAverages,
    Solution,
    load,
)


class Settled(NamedTuple):
    """Where best responses lead: the average cribs met, how it came about, and how it ends."""

    cribs: dict[Role, CribAverages]
    history: list[ResponseRound]
    cycle: int


def solve_discards(
    report: Callable[[ResponseRound], None] | None = None,
    *,
    rounds: int = 60,
    play: SolvedPlay | None = None,
    start: Mapping[Role, CribAverages] | None = None,
) -> Solution:
    """Let the roles respond best to each other in turn until nothing moves, or all comes again.

    Parameters
    ----------
    report
        Called twice a round, once for each role, to show progress.
    rounds
        Give up after this many.
    play
        The solved play, if it counts; else discards are for the show alone.
    start
        Average cribs to begin with; of uniform throwing if not given.

    Returns
    -------
    What the roles come to. If it is not a fixed point, what is left to gain is in
    `Solution.exploitability` and `Solution.changes`, and `Solution.cycle` says how many rounds
    bring the same policies back; it is then the point of that circle with least left to gain.

    Examples
    --------
    >>> from cribev.solved.solution import load  # what it came to, for it takes a minute
    >>> load().rounds, load().cycle
    (14, 2)
    """
    worth = None if play is None else {role: play.expected_pegging[role].net for role in ROLES}
    settled = iterate_best_responses(report, rounds=rounds, worth=worth, start=start)
    return _solution(settled)._replace(play=play)


def iterate_best_responses(
    report: Callable[[ResponseRound], None] | None = None,
    *,
    rounds: int = 60,
    worth: Mapping[Role, Floats] | None = None,
    start: Mapping[Role, CribAverages] | None = None,
    enough: int = 0,
) -> Settled:
    """Do what `solve_discards` does, but for the summary.

    Parameters
    ----------
    report, rounds, start
        As for `solve_discards`.
    worth
        Net points of the play by class and keep, ``(18395, 15)`` for each role, if they count.
    enough
        Stop as soon as no more deals than this change in a round, of both roles together.

    Examples
    --------
    >>> len(iterate_best_responses(rounds=1).history)
    2
    """
    play = {role: None if worth is None else points_to_grid(worth[role]) for role in ROLES}
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
            met = average_cribs(discard_frequencies(policies[opposite_role(role)]))
            cribs[role] = met._replace(play=play[role])
            loss = policy_loss(policies[role], cribs[role], role=role)
            policies[role] = best_response(cribs[role], role=role)
            changed += loss.deals
            # The other role has just responded, so before this step only this one could gain.
            candidates.append((loss.points, before))
            history.append(ResponseRound(number, role, loss.deals, loss.points))
            if report is not None:
                report(history[-1])
        if changed <= enough:
            return Settled(cribs, history, 0)
        digest = blake2b(policies["dealer"].tobytes() + policies["pone"].tobytes()).digest()
        if digest in seen:
            cycle = number - seen[digest]
            least = min(candidates[-2 * cycle :], key=lambda candidate: candidate[0])
            return Settled(least[1], history, cycle)
        seen[digest] = number
    least = min(candidates[-len(candidates) // 2 :], key=lambda candidate: candidate[0])
    return Settled(least[1], history, NOT_CONVERGED)


def play_once_more(solution: Solution) -> dict[Role, PolicyLoss]:
    """Let each role respond to the other's policy as the solution has it, and see what it gains."""
    policies = solution.policies()
    met = _met(policies, {role: solution.cribs[role].play for role in ROLES})
    return _left_to_gain(policies, met)


def _met(
    policies: dict[Role, Policy], play: Mapping[Role, Floats | None]
) -> dict[Role, CribAverages]:
    return {
        role: average_cribs(discard_frequencies(policies[opposite_role(role)]))._replace(
            play=play[role]
        )
        for role in ROLES
    }


def _left_to_gain(
    policies: dict[Role, Policy], met: Mapping[Role, CribAverages]
) -> dict[Role, PolicyLoss]:
    return {role: policy_loss(policies[role], met[role], role=role) for role in ROLES}


def _solution(settled: Settled) -> Solution:
    cribs, history, cycle = settled
    averages: dict[Role, ShowAverages] = {}
    pairs: dict[Role, RankPairAverages] = {}
    for role in ROLES:
        averages[role], pairs[role] = _summary(cribs[role], role)
    policies = {role: best_response(cribs[role], role=role) for role in ROLES}
    met = _met(policies, {role: cribs[role].play for role in ROLES})
    left = _left_to_gain(policies, met)
    return Solution(
        cribs=dict(cribs),
        actual_cribs=met,
        exploitability={role: left[role].points for role in ROLES},
        changes={role: left[role].deals for role in ROLES},
        history=history,
        cycle=cycle,
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


def _summary(cribs: CribAverages, role: Role) -> tuple[ShowAverages, RankPairAverages]:
    """Average the best responses of a role over all deals, and by rank pair thrown."""
    forms, policy = canonical_deals(), best_response(cribs, role=role)
    size = 2 * len(RANK_PAIRS)
    hand = crib = 0.0
    thrown, crib_thrown, held, crib_held = (np.zeros(size) for _ in range(4))
    for part, values in canonical_values(cribs, role=role):
        classes, patterns, deals, _ = (array[part] for array in forms)
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
