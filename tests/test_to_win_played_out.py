"""Experts who play to win against those who count points: whole deals, by the rules."""

from functools import lru_cache

import numpy as np
import pytest

from benchmarks.duplicate_games import Dealt, ending
from cribev.classes.canonical import classify_deals
from cribev.game.cards import JACK
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.score import ROLES, Score
from cribev.opponents.players import ExpertOpponent, ExpertToWin

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("solved")]

SCORE, DEALS = 120, 1000  # where whoever pegs first wins, more hangs on it than anywhere


class Player:
    """Discards and lays cards as the solved game of an opponent has it."""

    def __init__(self, opponent):
        play = opponent.solved_game().play
        self.kept = {role: play.keep_frequencies[role].share for role in ROLES}

        @lru_cache(maxsize=50_000)
        def choices(history, left):
            chances = play.strategy.choices(play.strategy.node(history), left)
            return [(rank, float(chances[rank])) for rank in np.flatnonzero(chances).tolist()]

        self.choices = choices

    def keep(self, hand, role, draw):
        share = np.cumsum(self.kept[role][int(classify_deals(hand[None])[0][0])])
        return min(int((share < draw * share[-1]).sum()), len(KEEPS) - 1)

    def __call__(self, steps, play):
        return self.choices(tuple(step.rank for step in steps), tuple(play.hands[play.turn]))


def test_who_plays_to_win_wins_more_and_as_often_as_solved(who_pegs_first):
    """Each has a lower bound against everybody; so who counts points cannot do better."""
    *_, found, strategy = who_pegs_first
    score = Score(SCORE, SCORE)
    to_win = ExpertToWin(score=score, strategy=strategy, kept=found.frequencies).at_score(score)
    by_points, by_wins = Player(ExpertOpponent()), Player(to_win)
    rng, won = np.random.default_rng(7), []
    while len(won) < DEALS:
        cards, draws = rng.permutation(52).astype(np.uint8), rng.random(2)
        if cards[12] >> 2 == JACK:
            continue
        hands = {role: np.sort(cards[6 * at : 6 * at + 6]) for at, role in enumerate(ROLES)}
        row = []
        for dealer in (by_points, by_wins):
            for pone in (by_points, by_wins):
                players = {"dealer": dealer, "pone": pone}
                keeps = {
                    role: players[role].keep(hands[role], role, draw)
                    for role, draw in zip(ROLES, draws, strict=True)
                }
                dealt = Dealt(
                    {role: hands[role][KEEPS[keep]] for role, keep in keeps.items()},
                    {role: hands[role][DISCARDS[keep]] for role, keep in keeps.items()},
                    int(cards[12]),
                    dict.fromkeys(ROLES, SCORE),
                )
                row.append(ending(dealt, players).win)
        won.append(row)
    points, pone_to_win, dealer_to_win, both = np.array(won).T
    for more, less in ((dealer_to_win, points), (points, pone_to_win), (both, pone_to_win)):
        gained = more - less
        assert gained.mean() > 5 * gained.std() / DEALS**0.5
    # Near the middle of the bounds of the solution, without heels.
    assert both.mean() == pytest.approx(0.6145, abs=0.008 + 3 * both.std() / DEALS**0.5)
