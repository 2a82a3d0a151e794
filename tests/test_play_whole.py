"""The whole game, solved for a few rounds: what is shipped lies where it must."""

import numpy as np
import pytest

from benchmarks.play_deals import compare
from cribev.solved.solution import load
from cribev.solving.meetings import Meetings
from cribev.solving.play_solver import Keeps, PlaySolver


@pytest.mark.slow
def test_a_short_solve_brackets_what_is_shipped_and_plays_by_the_rules():
    solution = load(play=True)
    policies = solution.policies()
    meetings = Meetings(policies)
    solver = PlaySolver(Keeps(*meetings.kept_and_faces()))
    for _ in range(8):
        solver.round()
    pone, dealer = solver.best_responses()
    own, opponent = solution.play.averages("pone")
    # No strategy of the dealer's holds pone to less than the game's value, and so the other way.
    slack = solution.play.exploitability
    assert -(dealer @ solver.keeps.dealer) - slack <= own - opponent
    assert own - opponent <= pone @ solver.keeps.pone + slack
    assert solver.exploitability() < 0.3
    deals = 60_000
    for _, mean, error, expected in compare(solver, policies, deals, np.random.default_rng(5)):
        assert abs(mean - expected) < 4 * error
