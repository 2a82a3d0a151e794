"""What each level of opponent loses a deal, by our own grades: ``loses`` in `LEVELS`.

``python -m benchmarks.levels [DEALS]`` lets each level play deals from 0-0 with itself. It prints
what was lost, as a review grades it, and what the level loses on average in these positions, which
has less luck in it.
"""

from dataclasses import replace

import numpy as np
from tqdm import trange

from benchmarks.arguments import run
from cribev.advice.answers import answer
from cribev.advice.decisions import Decision
from cribev.advice.players import Level
from cribev.advice.question import Question
from cribev.app.games.game import Game
from cribev.app.games.levels import decide
from cribev.opponents.habits import LEVELS

SEED = 1000


def losses(name, deals, *, seed=SEED):
    """Return what a level lost, and loses on average, ``(deals, 2, 2)``: discards, then cards.

    Points of a player, the mean of both.
    """
    lost = np.zeros((deals, 2, 2))
    for number in trange(deals, desc=name, leave=False, disable=None):
        game = Game(seed + number, dealer=number % 2, play_out=True)
        players = [Level(name, [seed, number, player]) for player in (0, 1)]
        while game.deal.number == 1 and game.phase in ("discard", "play"):
            turn = next(player for player in (0, 1) if game.to_do(player) in ("discard", "play"))
            position = replace(game.position(turn), score=None)
            move = decide(players[turn], game, turn)
            if len(position.legal_ranks) > 1:
                options = answer(Question(position)).options
                loss = Decision.of(options, move.cards).loss
                average = players[turn].chances(options) @ options.losses
                lost[number, :, int(position.to_do != "discard")] += np.array([loss, average]) / 2
            game.make(move)
    return lost


def main(deals=2000):
    """Print a row for each level."""
    print(f"points lost a deal, {deals:,} deals   discards   cards   both, on average   said")
    for name, habits in LEVELS.items():
        measured = losses(name, deals)
        lost, (discards, cards) = measured[:, 0].sum(axis=1), measured[:, 1].mean(axis=0)
        error = lost.std(ddof=1) / deals**0.5
        print(
            f"{name:12} {lost.mean():6.3f} ± {error:.3f} {discards:18.3f} {cards:7.3f} "
            f"{discards + cards:18.3f} {habits.loses:6.2f}"
        )


if __name__ == "__main__":
    run(main)
