"""Deals played card by card by the shipped strategy: by the rules, and by lookups alone.

    python -m benchmarks.play_deals [DEALS]

deals a million times, keeps as often as the experts shipped, looks up every card in the shipped
strategy, counts by `cribev.game.play`, and compares the averages with those shipped.
"""

from itertools import permutations

import numpy as np

from benchmarks.arguments import run
from benchmarks.table import Table
from cribev.classes.canonical import classify_deals
from cribev.game.cards import PIP_VALUES
from cribev.game.play import LIMIT
from cribev.solution.solution import load
from cribev.solution.strategy import PublicNode, rank_keep_numbers

_AT_ONCE = 20_000


def play_out(play, order):
    """Play the first card in an order that fits, or say go, to the end."""
    while not play.over:
        room = LIMIT - play.count
        fits = [r for r in order if r in play.hands[play.turn] and PIP_VALUES[r] <= room]
        if fits:
            play.play(fits[0])
        else:
            play.go()


def played(hands, played, ranks=range(13)):
    """Points of both by the rules, from sampled cards; a player left alone pegs all there is."""
    play = Table(hands)
    for place in played:
        if place < 0:
            break
        while not play.can_play():
            play.go()
        play.play(ranks[place])
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


def dealt_keeps(frequencies, deals, rng):
    """Numbers of the keeps of pone and dealer, each dealt six cards of one deck."""
    cards = rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (deals, 1)), axis=1)[:, :12]
    keeps = {}
    for role, own in (("pone", cards[:, :6]), ("dealer", cards[:, 6:])):
        classes, _ = classify_deals(own)
        under = frequencies[role].share[classes].cumsum(axis=1)
        wanted = rng.random((deals, 1)) * under[:, -1:]
        keeps[role] = rank_keep_numbers()[classes, (under <= wanted).sum(axis=1)]
    return keeps


def looked_up(strategy, pone, dealer, rng):
    """Cards of many plays side by side, drawn from lookups: places of ranks, int8 (n, 2 * kept).

    Keeps are numbers of `GameSize.holdings`. It is -1 from where each has one card or one none.
    """
    entries, kept, ranks = len(pone), strategy.size.kept, len(strategy.size.ranks)
    holdings = strategy.size.holdings(kept)
    held = np.stack([holdings[pone], holdings[dealer]], axis=1)  # what is played becomes `ranks`
    played = np.full((entries, 2 * kept), -1, dtype=np.int8)
    nodes = PublicNode(*(np.full(entries, field) for field in strategy.root))
    while True:
        mover, other = nodes.mover_left.copy(), nodes.other_left.copy()
        goes_on = (np.minimum(mover, other) > 0) & (np.maximum(mover, other) > 1)
        if not goes_on.any():
            return played
        for cards in range(1, kept + 1):
            moving = np.flatnonzero(goes_on & (mover == cards))
            if not len(moving):
                continue
            here = PublicNode(*(field[moving] for field in nodes))
            own = held[moving, here.dealer_moves]
            card = draw(strategy, here, own[:, :cards], rng)
            plays = np.flatnonzero(card < cards)
            rank = own[np.arange(len(moving)), np.minimum(card, cards - 1)]
            after, gone = strategy.after_card(here, rank), strategy.after_go(here)
            for field, by_card, by_go in zip(nodes, after, gone, strict=True):
                field[moving] = np.where(card < cards, by_card, by_go)
            played[moving[plays], 2 * kept - (mover + other)[moving[plays]]] = rank[plays]
            own[plays, card[plays]] = ranks
            held[moving, here.dealer_moves] = np.sort(own, axis=1)


def draw(strategy, nodes, held, rng):
    """Return the place of the card each hand plays, ranks ascending, or ``cards`` if none fits."""
    cards, fits = held.shape[1], strategy.fits[nodes.state]
    unique, of = np.unique(np.stack([nodes.state, nodes.place]), axis=1, return_inverse=True)
    state, place = unique
    policies = strategy.policies(PublicNode(state, 0, 0, np.int64(cards), 1, place))
    chances = np.zeros(held.shape)
    for card in range(cards):
        rest = strategy.size.holding_numbers(np.delete(held, card, axis=1))
        new = (held[:, card] < fits) & ~(card and held[:, card] == held[:, card - 1])
        chances[:, card] = np.where(new, policies[of, held[:, card], rest], 0)
    under = chances.cumsum(axis=1)
    wanted = rng.random(len(held)) * under[:, -1]
    return np.where(held[:, 0] < fits, (under <= wanted[:, None]).sum(axis=1), cards)


def average_points(strategy, frequencies, deals, rng):
    """Yield points by the rules and their standard errors, by role."""
    held, points = strategy.size.holdings(strategy.size.kept), np.empty((deals, 2))
    for start in range(0, deals, _AT_ONCE):
        keeps = dealt_keeps(frequencies, min(_AT_ONCE, deals - start), rng)
        cards = looked_up(strategy, keeps["pone"], keeps["dealer"], rng).tolist()
        pone, dealer = (held[keeps[role]].tolist() for role in ("pone", "dealer"))
        for number, hands in enumerate(zip(pone, dealer, cards, strict=True), start):
            pegged = played({"pone": hands[0], "dealer": hands[1]}, hands[2])
            points[number] = pegged["pone"], pegged["dealer"]
    for column, role in enumerate(("pone", "dealer")):
        yield role, points[:, column].mean(), points[:, column].std() / deals**0.5


def main(deals=1_000_000):
    """Print the comparison."""
    play = load(play=True).play
    rng = np.random.default_rng(1)
    for role, mean, error in average_points(play.strategy, play.keep_frequencies, deals, rng):
        expected, _ = play.averages(role)
        print(
            f"{role}: {mean:.4f} ± {error:.4f} in {deals:,} deals by the rules, "
            f"{expected:.4f} shipped: {(mean - expected) / error:+.2f} standard errors"
        )


if __name__ == "__main__":
    run(main)
