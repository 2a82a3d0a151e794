"""What is gained by all that a player knows: the best reply to the expert, less the expert itself.

    python -m benchmarks.best_reply [DEALS [PLAYED]]

deals hands to both roles, throws as experts do, and cuts. For each of 1,000 deals a role it works
out, both exactly, what the best reply to the expert's strategy is worth with all the player knows,
and what the expert's own strategy is: the difference is what is gained. The strategy knows the
cards a player has left; the reply knows the keep, the discard and the starter too. Some thousand
deals are then played out by the rules, card by card, once with each of the two against the same
hand, and what is pegged is compared with what was worked out.
"""

import sys
from typing import NamedTuple

import numpy as np

from cribev.classes.canonical import classify_deals
from cribev.game.cards import RANKS
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.play_rules import PlayState
from cribev.game.roles import ROLES, opposite_role
from cribev.play.advice import play_advice
from cribev.play.belief import believe
from cribev.play.evaluation import PlayTree
from cribev.play.position import PlayPosition, read_position
from cribev.solved.solution import load, shipped_keep_frequencies, shipped_strategy

DEALS, PLAYED = 1000, 2000


class Dealt(NamedTuple):
    """A deal after the cut, as one player sees it, and what the opponent keeps."""

    position: PlayPosition
    keep: list
    """Card numbers."""
    discard: list
    starter: int
    opponent: list
    """The ranks that the opponent keeps."""


def dealt(role, number, rng):
    """Deal and throw by the shipped policies, equal keeps at random."""
    policies = load(play=True).policies()
    cards = rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (number, 1)), axis=1)[:, :13]
    hands = {role: np.sort(cards[:, :6]), opposite_role(role): np.sort(cards[:, 6:12])}
    kept = {}
    for who, own in hands.items():
        sets = policies[who][classify_deals(own)].astype(np.int64)
        kept[who] = ((sets[:, None] >> np.arange(15) & 1) * rng.random((number, 15))).argmax(axis=1)
    for at in range(number):
        own, keep = hands[role][at], kept[role][at]
        other = opposite_role(role)
        hand, thrown, starter = own[KEEPS[keep]], own[DISCARDS[keep]], int(cards[at, 12])
        ranks = [tuple((part >> 2).tolist()) for part in (hand, thrown)]
        position = PlayPosition(role, ranks[0], (), ranks[1], starter >> 2)
        opponent = hands[other][at][KEEPS[kept[other][at]]] >> 2
        yield Dealt(position, hand.tolist(), thrown.tolist(), starter, opponent.tolist())


def worth(deal, *, own=None):
    """Net points of the best reply to the expert, or of a strategy of one's own."""
    role = deal.position.role
    expert, frequencies = shipped_strategy(), shipped_keep_frequencies(opposite_role(role))
    belief = believe(deal.position, frequencies, expert)
    tree = PlayTree([], role, deal.position.hand, belief, opponent=expert, own=own)
    return float(tree.value[0] - tree.value[1])


def played_out(deal, rng, *, best):
    """Net points of one play by the rules, the opponent's cards drawn from the strategy."""
    role, expert = deal.position.role, shipped_strategy()
    play, history = PlayState({role: deal.position.hand, opposite_role(role): deal.opponent}), []
    while not play.over:
        rank, legal = None, play.legal
        drawn = rng.random()  # one for each step, so that both plays draw alike while they can
        if len(legal) == 1:
            rank = legal[0]
        elif legal and play.turn == role and best:
            known = {"discard": deal.discard, "starter": deal.starter}
            advice = play_advice(read_position(deal.keep, role=role, laid=history, **known), expert)
            rank = RANKS.index(advice.best.card)
        elif legal:
            chances = expert.choices(expert.node(history), play.hands[play.turn])
            rank = int(np.searchsorted(np.cumsum(chances), drawn * chances.sum(), side="right"))
        history.append(rank)
        _ = play.go() if rank is None else play.lay(rank)
    return play.points[role] - play.points[opposite_role(role)]


def mean(values):
    """A mean and its standard error, as text."""
    values = np.asarray(values)
    return f"{values.mean():+.4f} ± {values.std(ddof=1) / len(values) ** 0.5:.4f}"


def main(deals=DEALS, played=PLAYED, seed=22):
    """Print what is gained by role."""
    for role in ROLES:
        rng = np.random.default_rng([seed, ROLES.index(role)])
        best, own, by_rules = [], [], []
        for at, deal in enumerate(dealt(role, max(deals, played), rng)):
            if at < deals:
                best.append(worth(deal))
                own.append(worth(deal, own=shipped_strategy()))
            if at < played:
                pair = [
                    played_out(deal, np.random.default_rng([seed, at]), best=better)
                    for better in (True, False)
                ]
                by_rules.append(pair)
        gained = np.subtract(best, own)
        print(f"{role}: {deals:,} deals")
        print(f"  best reply {mean(best)}, expert {mean(own)}, gained {mean(gained)}")
        if played:
            reply, expert = np.transpose(by_rules)
            print(f"  {played:,} played out: best reply {mean(reply)}, expert {mean(expert)}, ")
            print(f"  gained {mean(reply - expert)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
