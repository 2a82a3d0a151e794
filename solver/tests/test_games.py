"""Games against fallible opponents, solved over deals: as playing each deal from every score."""

import numpy as np
import pytest

from cribev.game.roles import ROLES, opposite_role
from cribev.game.score import WINNING_SCORE
from solver.games import OutcomeCounts, count_outcomes, solve_against


def expected_ends(deals, role, scores, known):
    """Outcomes for you of a race of deals equally likely, by playing each from every score."""
    if (role, scores) not in known:
        totals = np.zeros(6)
        for events in deals[role]:
            now = list(scores)
            for gained in events:
                now[gained < 0] += abs(gained)
                if max(now) >= WINNING_SCORE:
                    behind = sum(min(now) < line for line in (91, 61))
                    totals[2 - behind if now[0] > now[1] else 3 + behind] += 1
                    break
            else:
                totals += expected_ends(deals, opposite_role(role), tuple(now), known)
        known[role, scores] = totals / len(deals[role])
    return known[role, scores]


def test_race_is_that_of_deals_one_by_one():
    rng = np.random.default_rng(9)
    deals = {role: rng.integers(-12, 15, (12, 4)).astype(np.int8) for role in ROLES}
    counts = {
        role: OutcomeCounts(*(one[None] for one in count_outcomes(some)))
        for role, some in deals.items()
    }
    doubled = {
        role: OutcomeCounts(*(np.repeat(t, 2, axis=0) for t in c)) for role, c in counts.items()
    }
    table = solve_against(doubled)
    listed, known = {role: some.tolist() for role, some in deals.items()}, {}
    for role in ROLES:
        for scores in ((40, 55), (70, 50), (88, 90), (57, 95), (119, 118)):
            wanted = expected_ends(listed, role, scores, known)
            found = [part[scores] for part in table.outcomes_as(role)]
            assert found == pytest.approx(wanted, abs=1e-9)
    assert table.standard_error.max() == 0  # both blocks are the same
