"""How far the quick chances to win are from those worked out deal by deal.

    python -m benchmarks.win_errors [DEALS] [SEED] [--opponent people]

deals so many hands in each range of the points that the nearer player needs, to dealer and pone in
turn, and values all 15 discards of each three times: by the quick methods for near the end and far
from it, and exactly. It prints the root mean square of the differences and the largest, of
chances to win and of those to skunk or be skunked, and how long a deal takes.
"""

from time import perf_counter

import numpy as np

from benchmarks.arguments import run
from cribev.advice.names import as_opponent
from cribev.evaluation.plan import (
    FAR_NEED,
    DealBatch,
    class_table_values,
    exact_batch_values,
    quick_ends,
)
from cribev.game.cards import random_hands
from cribev.game.roles import ROLES
from cribev.game.score import WINNING_SCORE
from cribev.game.stakes import Stakes
from cribev.wins.far import FarEnds
from cribev.wins.near import NearEnds

DEALS = 100
SEED = 46
FURTHER = 40  # points more than the nearer player that the other needs at most
RANGES = ((1, 10), (11, FAR_NEED - 1), (FAR_NEED, 50), (51, 75), (76, 90), (91, 121))


def dealt(number, seed, least, most):
    """Deals at scores at which the nearer player needs so many points, for stakes with skunks."""
    rng = np.random.default_rng([seed, least])
    near = rng.integers(least, most + 1, number)
    far = rng.integers(near, np.minimum(near + FURTHER, WINNING_SCORE) + 1)
    own_first = rng.random(number) < 0.5
    needs = np.where(own_first, (near, far), (far, near)).T
    dealer = np.arange(number) % len(ROLES) == 0
    cards = random_hands(number, seed=1000 * seed + most)
    return DealBatch.of(cards, dealer, WINNING_SCORE - needs, Stakes.read("games").goal)


def exact_ends(batch, opponent):
    """Return how likely a game is won, and by a skunk, by two, and is lost by a skunk, by two."""
    ends = exact_batch_values(batch, opponent).discards.outcomes.to_dict()
    del ends["lose"]
    return np.stack([*ends.values()])


def approximate_ends(method, batch, opponent):
    """The same, by one of the quick methods, `NearEnds` or `FarEnds`."""
    return quick_ends(method, opponent, batch, class_table_values(batch, opponent))


def main(deals=DEALS, seed=SEED, *, opponent="expert"):
    """Print a row for each range and quick method."""
    opponent = as_opponent(opponent)
    print("needs    method  deals  wins: rms, most  skunks: rms, most  ms a deal")
    for least, most in RANGES:
        batch = dealt(deals, seed, least, most)
        exact = exact_ends(batch, opponent)
        methods = {"near": NearEnds} | ({"far": FarEnds} if least >= FAR_NEED else {})
        for name, method in methods.items():
            approximate_ends(method, batch.take(slice(2)), opponent)  # what is prepared once
            start = perf_counter()
            off = approximate_ends(method, batch, opponent) - exact
            took = 1000 * (perf_counter() - start) / deals
            told = [f"{np.sqrt(np.mean(differences**2)):.4f}, {abs(differences).max():.4f}"
                    for differences in (off[:1], off[1:])]  # fmt: skip
            print(
                f"{least:>3}–{most:<3}  {name:6}  {deals:>5}  {told[0]}    {told[1]}  {took:>8.1f}"
            )


if __name__ == "__main__":
    run(main)
