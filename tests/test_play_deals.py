"""The shipped strategy, looked up card by card and counted by the rules, pegs what it should."""

import numpy as np
import pytest

from benchmarks.play_deals import average_points
from cribev.solved.solution import load


def test_deals_played_by_lookups_come_to_the_averages_shipped():
    solution, rng = load(play=True), np.random.default_rng(17)
    if solution.play.strategy is None:
        pytest.skip("no strategy is shipped")
    policies = solution.policies()
    for role, mean, error in average_points(solution.play.strategy, policies, 20_000, rng):
        assert abs(mean - solution.play.averages(role)[0]) < 4 * error
        assert error < 0.02
