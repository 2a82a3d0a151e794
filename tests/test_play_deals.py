"""The shipped strategy, looked up card by card and counted by the rules, pegs what it should."""

import numpy as np

from benchmarks.play_deals import average_points
from cribev.solution.solution import load


def test_deals_played_by_lookups_come_to_the_averages_shipped():
    play, rng = load(play=True).play, np.random.default_rng(17)
    for role, mean, error in average_points(play.strategy, play.keep_frequencies, 20_000, rng):
        assert abs(mean - play.averages(role)[0]) < 4 * error
        assert error < 0.02
