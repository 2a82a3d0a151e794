"""What is lost after an error, against plain Python that walks every two hands."""

from collections import defaultdict
from io import BytesIO

import numpy as np
import play_oracle
import pytest
from best_reply_oracle import worth
from linear_programme import solve_by_linear_programme
from test_play_solver import Averages, dealt, hands, short_solve

from benchmarks import error_losses
from benchmarks.error_losses import best_response_gains, every_error, sample_errors
from benchmarks.exploitability import gains_in_words
from cribev.solution.strategy import read_strategy
from solver.play_solver import CAP, TREMBLE, adopt, forget_off_path, rounded
from solver.storage import store_strategy
from solver.worth import best_responses, expected_points, exploitability


def options(table):
    return play_oracle.options(table) or [None]


def follow(history, pair, averages):
    """The table after a history, and how likely each hand's part of it is; so if it trembles."""
    table, reach = play_oracle.start(*pair), np.ones((2, 2))
    for at, rank in enumerate(history):
        fits = options(table)
        if rank not in fits:
            return None, np.zeros((2, 2))
        chance = averages.chances(history[:at], table[0][table[1]], fits)[fits.index(rank)]
        reach[:, table[1]] *= chance, chance * (1 - TREMBLE) + TREMBLE / len(fits)
        table, _ = play_oracle.move(table, rank)
    return table, reach


def loss_by_hand(solver, played):
    """Return how often an error is made after some cards, and what the other loses by it."""
    averages, every = Averages(solver), hands(solver.size)
    joint = solver.keeps.marginal["pone"][:, None] * solver.keeps.conditional["pone"]
    made, came, lost, weights = 0.0, 0.0, 0.0, 0.0
    facing = defaultdict(list)
    for pone, dealer in np.argwhere(joint > 0).tolist():
        table, (reach, _) = follow(played[:-1], (every[pone], every[dealer]), averages)
        came += joint[pone, dealer] * reach.prod()
        after, (reach, trembling) = follow(played, (every[pone], every[dealer]), averages)
        if after is None:
            continue
        player = 1 - table[1]
        made += joint[pone, dealer] * reach.prod()
        weight = joint[pone, dealer] * reach[player] * trembling[1 - player]
        facing[(pone, dealer)[player]].append((weight, after))
        weights += weight
    for tables in facing.values():
        best, usual = (
            np.subtract(*worth(dict(enumerate(tables)), played, player, averages.chances, own))
            for own in (None, averages.chances)
        )
        lost += best - usual
    return made / came, lost / weights


@pytest.mark.parametrize(
    ("name", "made"),
    [("three of four", {2, 3}), ("three in a row", {1, 2, 3}), ("four of three", {1, 3, 4, 5})],
)
def test_losses_are_those_of_all_hands_played_out(name, made, monkeypatch):
    monkeypatch.setattr(error_losses, "RARE", 0.15)
    solver = short_solve(name, 30)
    ranks = [rank + 1 for rank in solver.size.ranks]
    errors = every_error(solver)
    cards = {error.card: error for error in errors}
    assert made <= set(cards)
    for error in [*cards.values(), *errors[:: max(1, len(errors) // 5)]]:
        played = tuple(None if at is None else ranks[at] for at in error.played)
        rate, loss = loss_by_hand(solver, played)
        assert error.rate == pytest.approx(rate, abs=1e-6)
        assert error.rate < 0.15
        assert error.loss == pytest.approx(loss, abs=1e-4)
    assert max(error.loss for error in errors) > 0.01


def test_errors_sampled_are_among_all_there_are():
    solver = short_solve("four of three", 40)
    every = set(every_error(solver))
    sampled = sample_errors(solver, number=150, seed=3)
    assert len(sampled) == 150
    assert set(sampled) <= every
    assert len(set(sampled)) > len(every) / 4
    assert sampled == sample_errors(solver, number=150, seed=3)
    assert sample_errors(short_solve("two of four", 300), number=5, seed=3) == []


def solved_off_the_path(name):
    """Solve in the steps in which the whole game is solved."""
    solver = short_solve(name, 60)
    forget_off_path(solver)
    solver.cap = CAP
    for rounds in (60, 200):
        solver.restart_averages()
        for _ in range(rounds):
            solver.round()
    return solver


@pytest.mark.parametrize("name", ["three of four", "three in a row"])
def test_what_is_solved_answers_every_error(name):
    errors = every_error(solved_off_the_path(name), tremble=0)  # the averages tremble themselves
    assert len(errors) >= 4
    assert max(error.loss for error in errors) < 0.008


@pytest.mark.parametrize("name", ["three in a row", "four of two", "four of neighbours"])
def test_stored_losses_are_exact_for_every_error(name):
    """In games where nobody errs on purpose in less than one of 256 cases: that rounds to never."""
    solver, again = solved_off_the_path(name), short_solve(name, 0)
    with BytesIO() as file:
        store_strategy(rounded(solver), file)
        file.seek(0)
        with np.load(file) as arrays:
            adopt(again, read_strategy(arrays))
    value = solve_by_linear_programme(hands(solver.size), dealt(solver.size))
    pone, dealer = best_responses(again)
    share = again.keeps.marginal
    assert value - 1e-6 <= share["pone"] @ pone <= value + 0.002
    assert -value - 1e-6 <= share["dealer"] @ dealer <= -value + 0.002
    errors = every_error(again)
    assert len(errors) >= 3
    assert max(error.loss for error in errors) < 0.001


def test_gains_equal_best_response_minus_expected_points():
    solver = short_solve("four of three", 10)
    pone, dealer = best_responses(solver)
    own, opponent = expected_points(solver)["pone"]
    value = (solver.keeps.conditional["pone"] * (own - opponent)).sum(axis=1)
    gains = best_response_gains(solver)
    share = solver.keeps.marginal
    assert gains["pone"] == pytest.approx(share["pone"] @ (pone - value), abs=1e-5)
    expected = share["dealer"] @ dealer + share["pone"] @ value
    assert gains["dealer"] == pytest.approx(expected, abs=1e-5)
    assert min(gains.values()) > 1e-4
    both = exploitability(solver)
    assert sum(gains.values()) == pytest.approx(both, abs=1e-6)
    assert f"both together{both:8.4f}" in gains_in_words(solver)
