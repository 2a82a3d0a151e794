"""Deals played card by card by the solved strategies, by the rules and not the solver's tables.

    python -m benchmarks.play_deals CHECKPOINT [DEALS]

takes the strategies from a checkpoint of ``cribev solve``, deals, throws by the policies that go
with them, plays a million deals by `cribev.game.play_rules`, and compares the averages with the
solver's.
"""

import sys
from itertools import permutations
from pathlib import Path

import numpy as np

from cribev.classes.canonical import classify_deals
from cribev.classes.class_tables import best_response
from cribev.game.cards import PIP_VALUES
from cribev.game.play_rules import LIMIT, PlayState
from cribev.game.roles import ROLES
from cribev.solved.keeps import GameSize, rank_keep_numbers
from cribev.solving.alternating import AlternatingSolver
from cribev.solving.evaluation import expected_points
from cribev.solving.keep_distributions import KeepDistributions
from cribev.solving.sampling import sample_plays


def play_out(play, order):
    """Lay the first card in an order that fits, or say go, to the end."""
    while not play.over:
        room = LIMIT - play.count
        fits = [r for r in order if r in play.hands[play.turn] and PIP_VALUES[r] <= room]
        if fits:
            play.lay(fits[0])
        else:
            play.go()


def played(hands, laid, ranks=range(13)):
    """Points of both by the rules, from sampled cards; a player left alone pegs all there is."""
    play = PlayState(hands)
    for at in laid:
        if at < 0:
            break
        while not play.can_lay():
            play.go()
        play.lay(ranks[at])
    left = [*play.hands["pone"], *play.hands["dealer"]]
    if min(play.left.values()) or len(left) < 2:
        play_out(play, left)
        return play.points
    alone = max(play.left, key=play.left.get)
    ends = []
    for order in set(permutations(left)):
        ends.append(play.copy())
        play_out(ends[-1], list(order))
    return max(ends, key=lambda end: end.points[alone]).points


def dealt_keeps(policies, deals, rng):
    """Numbers of the keeps of pone and dealer, each dealt six cards of one deck."""
    cards = rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (deals, 1)), axis=1)[:, :12]
    keeps = {}
    for role, own in (("pone", cards[:, :6]), ("dealer", cards[:, 6:])):
        classes, patterns = classify_deals(own)
        sets = policies[role][classes, patterns].astype(np.int64)
        often = (sets[:, None] >> np.arange(15) & 1) * rng.random((deals, 15))
        keeps[role] = rank_keep_numbers()[classes, often.argmax(axis=1)]
    return keeps


def compare(solver, policies, deals, rng):
    """Yield averages by the rules, their standard errors, and the solver's averages, by role."""
    keeps = dealt_keeps(policies, deals, rng)
    laid = sample_plays(solver, keeps["pone"], keeps["dealer"], rng)
    held = GameSize().holdings(4).tolist()
    points = np.empty((deals, 2))
    for at, (pone, dealer, cards) in enumerate(
        zip(keeps["pone"].tolist(), keeps["dealer"].tolist(), laid.tolist(), strict=True)
    ):
        pegged = played({"pone": held[pone], "dealer": held[dealer]}, cards)
        points[at] = pegged["pone"], pegged["dealer"]
    own = expected_points(solver)
    for column, role in enumerate(("pone", "dealer")):
        share, faces = solver.keeps.marginal[role], solver.keeps.conditional[role]
        expected = float(share @ (faces * own[role][0]).sum(axis=1))
        yield role, points[:, column].mean(), points[:, column].std() / deals**0.5, expected


def main(file, deals=1_000_000):
    """Print the comparison."""
    turns = AlternatingSolver(print)
    turns.resume(Path(file))
    policies = {role: best_response(turns.cribs[role], role=role) for role in ROLES}
    solver = turns.solver(KeepDistributions(policies))
    for role, mean, error, expected in compare(solver, policies, deals, np.random.default_rng(1)):
        print(
            f"{role}: {mean:.4f} ± {error:.4f} in {deals:,} deals by the rules, "
            f"{expected:.4f} by the solver: {(mean - expected) / error:+.2f} standard errors"
        )


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
