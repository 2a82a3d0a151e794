"""The rounded strategy, looked up history by history, against the solver's averages."""

from math import floor

import numpy as np
import play_oracle
import pytest
from test_play_solver import SMALL, Averages, beliefs, dealt

from cribev.solution.strategy import PARTS
from cribev.solution.tree import GameSize
from cribev.solving.solver import PlaySolver
from cribev.solving.strategy import adopt, rounded
from cribev.solving.values import exploitability

SIZES = SMALL | {
    "four of three": GameSize((0, 3, 10), 4),
    "four of two": GameSize((4, 9), 4),
    "four of neighbours": GameSize((6, 7), 4),
}


def short_solve(name, rounds=5):
    """A solver of its own after a few rounds: many holdings are never reached."""
    solver = PlaySolver(beliefs(dealt(SIZES[name])), size=SIZES[name], threads=2)
    for _ in range(rounds):
        solver.round()
    return solver


def choices(solver):
    """Yield every history that leaves a choice, by places of ranks, with each hand's options."""
    averages, deck = Averages(solver), solver.size
    for history in [(), *((rank,) for rank in averages.ranks), *averages.starts]:
        count, left, turn, alone = 0, [deck.kept, deck.kept], 0, False
        for rank in history:  # what a player who does not look into the tree makes of it
            if rank is None:
                count, turn, alone = 0 if alone else count, 1 - turn, not alone
                continue
            count, left[turn] = count + play_oracle.pips(rank), left[turn] - 1
            stays = alone and count < 31
            turn, alone, count = turn if stays else 1 - turn, stays, count % 31
        places = [None if rank is None else averages.ranks.index(rank) for rank in history]
        for row in deck.holdings(left[turn]).tolist():
            hand = tuple(averages.ranks[at] for at in row)
            fits = sorted({rank for rank in hand if count + play_oracle.pips(rank) <= 31})
            if fits:
                chances = averages.chances(history, hand, fits)
                yield places, row, [averages.ranks.index(rank) for rank in fits], chances


@pytest.mark.parametrize("name", SIZES)
def test_lookups_are_the_averages_rounded(name):
    solver = short_solve(name)
    strategy, deck = rounded(solver), solver.size
    numbers = [
        {tuple(row): at for at, row in enumerate(deck.holdings(n).tolist())} for n in range(5)
    ]
    shares = 0
    for places, row, options, chances in choices(solver):
        node = strategy.node(places)
        found = [strategy.choices(node, row)[rank].item() * PARTS for rank in options]
        table = strategy.policy(node)
        for rank, share in zip(options, found, strict=True):
            rest = list(row)
            rest.remove(rank)
            assert table[rank, numbers[len(rest)][tuple(rest)]] * PARTS == pytest.approx(share)
        assert found == pytest.approx(np.round(found), abs=1e-4)
        found = [round(share) for share in found]
        assert sum(found) == PARTS
        exact = [float(chance) * PARTS for chance in chances]
        pairs = list(zip(exact, found, strict=True))
        assert all(abs(e - f) < 1 for e, f in pairs)
        rounded_up = min((e - floor(e) for e, f in pairs if f > e), default=1)
        assert rounded_up >= max((e - floor(e) for e, f in pairs if f <= e), default=0) - 1e-4
        shares += sum(0 < share < PARTS for share in found)
    assert shares > 0 or name == "three of two"


@pytest.mark.parametrize("name", SIZES)
def test_what_is_adopted_is_played_and_rounds_to_itself(name):
    solver, other = short_solve(name), short_solve(name, rounds=1)
    strategy = rounded(solver)
    adopt(other, strategy)
    for places, row, options, chances in choices(other):
        expected = strategy.choices(strategy.node(places), row)[options]
        assert [float(chance) for chance in chances] == pytest.approx(expected, abs=1e-7)
    assert (rounded(other).cells == strategy.cells).all()
    adopt(solver, strategy)
    assert exploitability(solver) == exploitability(other)


def test_what_was_never_reached_is_even_and_the_lowest_rank_has_the_remainder():
    strategy = rounded(short_solve("three of four", rounds=0))
    third, odd = divmod(PARTS, 3)
    thirds = [third + (odd > place) for place in range(3)]
    assert set(np.unique(strategy.cells)) == {*thirds, PARTS // 2, PARTS}
    assert (strategy.choices(strategy.root, [0, 1, 3])[[0, 1, 3]] * PARTS).tolist() == thirds
