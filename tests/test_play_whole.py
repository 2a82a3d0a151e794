"""The whole game, solved for a few rounds: what is shipped lies where it must."""

from typing import NamedTuple

import numpy as np
import pytest

from benchmarks.play_deals import average_points
from benchmarks.win_playouts import best_two, played_out, situations
from cribev import advise
from cribev.opponents.players import ExpertOpponent
from cribev.solution.solution import load
from cribev.solving.discards import KeepDistributions
from cribev.solving.solver import PlaySolver, adopt, rounded
from cribev.solving.worth import best_responses, expected_points, exploitability

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("solved")]


class Short(NamedTuple):
    """Strategies of a short solve, and what keeps they are for."""

    solver: PlaySolver
    policies: dict


@pytest.fixture(scope="module")
def short():
    policies = load(play=True).policies()
    solver = PlaySolver(KeepDistributions(load(play=True).play.keep_frequencies).beliefs)
    for _ in range(8):
        solver.round()
    return Short(solver, policies)


def test_a_short_solve_brackets_what_is_shipped_and_plays_by_the_rules(short):
    play, solver = load(play=True).play, short.solver
    pone, dealer = best_responses(solver)
    own, opponent = play.averages("pone")
    # No strategy of the dealer's holds pone to less than the game's value, and so the other way.
    slack = play.exploitability
    assert -(dealer @ solver.keeps.marginal["dealer"]) - slack <= own - opponent
    assert own - opponent <= pone @ solver.keeps.marginal["pone"] + slack
    assert exploitability(solver) < 0.3
    strategy, rng = rounded(solver), np.random.default_rng(5)
    adopt(solver, strategy)
    points = expected_points(solver)
    for role, mean, error in average_points(strategy, play.keep_frequencies, 60_000, rng):
        share, faces = solver.keeps.marginal[role], solver.keeps.conditional[role]
        expected = share @ (faces * points[role][0]).sum(axis=1)
        assert abs(mean - expected) < 4 * error


def test_a_discard_wins_as_often_as_deals_played_out_by_the_rules(short):
    """With strategies of their own, so that nothing rests on those that were played before."""
    solution, strategy = load(play=True), rounded(short.solver)
    adopt(short.solver, strategy)
    play = solution.play._replace(load_strategy=lambda: strategy)
    opponent = ExpertOpponent(solution._replace(play=play))
    throws = [(deal, *throw) for deal in situations(5, seed=3) for throw in best_two(deal)]
    number = 25_000
    rng = np.random.default_rng(6)
    found = played_out(strategy, short.policies, solution.win_table, throws, number, rng)
    for (situation, discard, _), ends in zip(throws, found, strict=True):
        deal, role, score = situation
        table = advise(deal, role=role, score=score, opponent=opponent).table
        win = table.set_index("discard")["win"][discard]
        assert abs(win - ends.win.mean()) < 0.01 + 3 * ends.win.std() / number**0.5


def test_deals_played_by_lookups_come_to_the_averages_shipped():
    play, rng = load(play=True).play, np.random.default_rng(17)
    for role, mean, error in average_points(play.strategy, play.keep_frequencies, 20_000, rng):
        assert abs(mean - play.averages(role)[0]) < 4 * error
        assert error < 0.02
