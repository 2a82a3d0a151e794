"""The play solved to win, against a linear programme, and what the show is worth by keeps."""

import numpy as np
import play_oracle
import pytest
from test_play_solver import SMALL, beliefs, dealt, hands

from cribev.solving.ends import TERMS, wins_count
from cribev.solving.solver import PlaySolver
from cribev.solving.values import best_response_gains, best_responses, exploitability, wins_by_keep


def chance_factors(deck, needs):
    """Chances to win that rise with one's points, and lean on both keeps, as factors."""
    rng, count = np.random.default_rng(7), deck.holding_count(deck.kept)
    pone, dealer = np.ogrid[: needs[0], : needs[1]]
    factors = np.zeros((2, count, *needs, TERMS))
    factors[0, ..., 0], factors[1, ..., 0] = 0.5 + 0.3 * (pone / needs[0] - dealer / needs[1]), 1
    factors[..., 1] = rng.uniform(-0.4, 0.4, (2, count, 1, 1))
    return factors


def worth_of(factors, needs):
    def worth(p, d, pone, dealer, over):
        if pone >= needs[0]:  # one card pegs for one player: nobody else is out with it
            return 1.0
        if dealer >= needs[1]:
            return 0.0
        return factors[0, p, pone, dealer] @ factors[1, d, pone, dealer] if over else None

    return worth


def solved_to_win(deck, needs, factors, rounds):
    solver = PlaySolver(beliefs(dealt(deck)), size=deck, threads=1)
    solver.ends = wins_count(needs, factors, solver.tables)
    for _ in range(rounds):
        solver.round()
    return solver


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("two of four", (1, 1)),
        ("two of four", (3, 2)),
        ("three of four", (2, 3)),
        ("three of four", (9, 2)),
        ("three in a row", (5, 4)),
        ("three of two", (2, 20)),
    ],
)
def test_small_games_to_win_against_a_linear_programme(name, needs):
    deck, together = SMALL[name], dealt(SMALL[name])
    factors = chance_factors(deck, needs)
    solver = solved_to_win(deck, needs, factors, 200)
    worth = worth_of(factors, needs)
    value = play_oracle.solve_by_linear_programme(hands(deck), together, worth)
    pone, dealer = best_responses(solver)
    highest = pone @ solver.keeps.marginal["pone"]
    lowest = -(dealer @ solver.keeps.marginal["dealer"])
    # A tremble costs the one something, the other gains it.
    assert lowest - 0.002 <= value <= highest + 0.002
    assert 0 <= exploitability(solver) < 0.004
    assert highest - best_response_gains(solver)["pone"] == pytest.approx(value, abs=0.002)
    found = wins_by_keep(solver)
    assert (found.wins * together).sum() == pytest.approx(value, abs=0.002)
    for role in ("pone", "dealer"):
        assert found.pegged[role].shape == (deck.holding_count(deck.kept), *needs)
        assert (found.pegged[role].sum(axis=(1, 2)) < 1 + 1e-6).all()
    both = [
        solver.keeps.marginal[role] @ found.pegged[role].sum(axis=(1, 2))
        for role in ("pone", "dealer")
    ]
    assert both[0] == pytest.approx(both[1], abs=1e-5)
