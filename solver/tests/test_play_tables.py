"""The tables of the play, against plays played at random by the rules."""

from itertools import permutations

import numpy as np

from benchmarks.play_deals import play_out
from benchmarks.table import Table
from cribev.solution.strategy import GameSize
from solver.play_tree import tabulate_play


def test_forced_ends_are_played_out_by_the_rules():
    """From plays played at random, when each has one card left or one has none."""
    deck = GameSize((0, 3, 4, 6, 9, 12), 4)
    found = tabulate_play(deck)
    every = (deck.holdings(n).tolist() for n in range(5))
    holdings = [{tuple(row): at for at, row in enumerate(rows)} for rows in every]
    rng, seen = np.random.default_rng(3), set()
    for _ in range(300):
        cards = (rng.permutation(24)[:8] // 4).tolist()
        play = Table({"pone": [deck.ranks[c] for c in cards[:4]],
                     "dealer": [deck.ranks[c] for c in cards[4:]]})  # fmt: skip
        state, said = 0, False
        while min(play.left.values()) > 0 and sum(play.left.values()) > 2:
            if play.can_play():
                rank = int(rng.choice([r for r in play.hands[play.turn] if fits(play, r)]))
                play.play(rank)
                state = int(found.next_state[state, deck.ranks.index(rank)])
                if play.count == 0:  # also where a player without cards says go
                    state = 0
                said = said and state != 0
            else:
                play.go()
                state, said = (0, False) if play.count == 0 else (state, True)
        before, left = dict(play.points), {r: list(h) for r, h in play.hands.items()}
        if min(play.left.values()):
            mover, other = (play.turn, "pone" if play.turn == "dealer" else "dealer")
            mine, theirs = (deck.ranks.index(left[role][0]) for role in (mover, other))
            cell = 2 + said, state, theirs * 16 + mine
            expected = {mover: found.forced_own[cell], other: found.forced_other[cell]}
            play_out(play, left[mover] + left[other])
            assert {role: play.points[role] - before[role] for role in expected} == expected
        else:
            alone = max(left, key=lambda role: len(left[role]))
            other = "pone" if alone == "dealer" else "dealer"
            held = tuple(sorted(deck.ranks.index(rank) for rank in left[alone]))
            at = state, found.alone_start[len(held)] + holdings[len(held)][held]
            ends = set()
            for order in permutations(left[alone]):
                copy = play.copy()
                play_out(copy, list(order))
                ends.add((copy.points[alone] - before[alone], copy.points[other] - before[other]))
            assert max(ends) == (found.alone_own[at], found.alone_other[at])
        seen.add((min(map(len, left.values())), sum(map(len, left.values()))))
    assert {(1, 2), (0, 2)} <= seen


def fits(play, rank):
    return play.count + min(rank + 1, 10) <= 31
