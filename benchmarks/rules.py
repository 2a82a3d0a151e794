"""How often rules of thumb hold: figures of `cribev.leaks.groups`.

    python -m benchmarks.rules [DEALS]

A million random deals, half as dealer: of those in which a discard of the group and another one can
be chosen, how often the best is one of the group, and how much it is worth more than the best of
the others. Of the turns in a million deals of two experts in which a card of the group and another
one can be played, how often they play one of the group. Of fewer deals, where both have 91
points or more and are at most ten apart: how often a discard that is best by points wins most, or a
thousandth of a game less.
"""

from collections import Counter

import numpy as np

from benchmarks.arguments import run
from benchmarks.play_deals import dealt_keeps, draw
from cribev.advice.names import as_opponent
from cribev.classes.ranking import tied_best
from cribev.evaluation.plan import DealBatch, plan_evaluation
from cribev.game.cards import PIP_VALUES, random_hands
from cribev.leaks.groups import KINDS, Turns, card_groups, discard_groups
from cribev.solution.solution import load
from cribev.solution.strategy import PublicNode

_AT_ONCE = 20_000
_PIPS = np.array(PIP_VALUES)


def discards_measured(deals, seed=1):
    """Count, by group: deals with a choice, those in which the group is best, and its lead."""
    opponent, counts = as_opponent("expert"), Counter()
    for start in range(0, deals, _AT_ONCE):
        number = min(_AT_ONCE, deals - start)
        six = np.sort(random_hands(number, cards=6, seed=seed + start), axis=1)
        dealer = np.arange(number) % 2 == 0
        values = plan_evaluation(DealBatch.of(six, dealer), opponent).values()
        to_win = np.zeros(number, dtype=bool)
        by_keep = [
            discard_groups(six, dealer, np.full(number, keep), values, to_win) for keep in range(15)
        ]
        best = tied_best(values.expected)
        for kind in KINDS:
            if kind.decision != "discard":
                continue
            codes = np.stack([codes_of_keep[kind.name] for codes_of_keep in by_keep], axis=1)
            for code, group in enumerate(kind.groups):
                inside = codes == code
                free = inside.any(axis=1) & ~inside.all(axis=1)
                if kind.name == "weighed":  # which depends on what is best: how often it comes up
                    free = np.ones(number, dtype=bool)
                    counts[group.name, "best"] += int(inside.any(axis=1).sum())
                else:
                    counts[group.name, "best"] += int((best & inside)[free].any(axis=1).sum())
                    two = [
                        np.where(codes_of_keep, values.expected, -np.inf)
                        for codes_of_keep in (inside, ~inside)
                    ]
                    lead = two[0].max(axis=1) - two[1].max(axis=1)
                    counts[group.name, "lead"] += float(lead[free].sum())
                counts[group.name, "of"] += int(free.sum())
    return counts


def wins_measured(deals, seed=1):
    """Count deals near the end, and those in which the best by points is as good as any."""
    rng = np.random.default_rng(seed)
    six = np.sort(random_hands(deals, cards=6, seed=seed), axis=1)
    own = 120 - rng.integers(0, 30, deals)
    scores = np.stack([own, np.clip(own + rng.integers(-10, 11, deals), 91, 120)], axis=1)
    batch = DealBatch.of(six, np.arange(deals) % 2 == 0, scores)
    values = plan_evaluation(batch, as_opponent("expert")).values()
    by_points = np.where(tied_best(values.expected), values.win, 0).max(axis=1)
    alike = by_points > values.win.max(axis=1) - 0.001
    return Counter({("discard-to-win", "best"): int(alike.sum()), ("discard-to-win", "of"): deals})


def cards_measured(deals, seed=1):
    """Count, by group: turns with a choice, and how often experts play one of the group."""
    play, counts = load(play=True).play, Counter()
    rng = np.random.default_rng(seed)
    for start in range(0, deals, _AT_ONCE):
        keeps = dealt_keeps(play.keep_frequencies, min(_AT_ONCE, deals - start), rng)
        for turns, moving, plays in _turns(play.strategy, keeps["pone"], keeps["dealer"], rng):
            _count_turns(turns, moving, plays, counts)
    return counts


def _count_turns(turns, fits, plays, counts):
    """Add up one turn of many plays: which ranks could be played ``(n, 13)``, and which was."""
    to_win = np.zeros(len(plays), dtype=bool)
    codes = np.full(fits.shape, -1)
    kind = next(grouping for grouping in KINDS if grouping.name == "situation")
    for rank in range(13):
        of_rank = card_groups(turns, np.full(len(plays), rank), to_win)[kind.name]
        codes[:, rank] = np.where(fits[:, rank], of_rank, -1)
    played = codes[np.arange(len(plays)), plays]
    for code, group in enumerate(kind.groups):
        inside = (codes == code).any(axis=1) & ((codes >= 0) & (codes != code)).any(axis=1)
        counts[group.name, "of"] += int(inside.sum())
        counts[group.name, "best"] += int((played[inside] == code).sum())


def _turns(strategy, pone, dealer, rng):
    """Play as `play_deals.looked_up`, and yield each turn in which two ranks fit or more."""
    play_columns, kept, ranks = len(pone), strategy.size.kept, 13
    holdings = strategy.size.holdings(kept)
    held = np.stack([holdings[pone], holdings[dealer]], axis=1)
    table, count = np.full((play_columns, 2 * kept), -1), np.zeros(play_columns, dtype=np.int64)
    nodes = PublicNode(*(np.full(play_columns, field) for field in strategy.root))
    while True:
        mover, other = nodes.mover_left.copy(), nodes.other_left.copy()
        goes_on = (np.minimum(mover, other) > 0) & (np.maximum(mover, other) > 1)
        if not goes_on.any():
            return
        for cards in range(1, kept + 1):
            moving = np.flatnonzero(goes_on & (mover == cards))
            if not len(moving):
                continue
            here = PublicNode(*(field[moving] for field in nodes))
            own = held[moving, here.dealer_moves]
            card = draw(strategy, here, own[:, :cards], rng)
            rank = own[np.arange(len(moving)), np.minimum(card, cards - 1)]
            plays = card < cards
            left = (own[:, :, None] == np.arange(ranks)).sum(axis=1)
            fits = (left > 0) & (count[moving, None] + _PIPS <= 31)
            choice = plays & (fits.sum(axis=1) > 1)
            turns = Turns(
                here.dealer_moves == 1,
                2 * kept - mover[moving] - other[moving],
                count[moving],
                table[moving],
                left,
                other[moving],
                here.go == 1,
            )
            yield Turns(*(column[choice] for column in turns)), fits[choice], rank[choice]
            after, gone = strategy.after_card(here, rank), strategy.after_go(here)
            for field, by_card, by_go in zip(nodes, after, gone, strict=True):
                field[moving] = np.where(plays, by_card, by_go)
            new = count[moving] + np.where(plays, _PIPS[rank], 0)
            ends = (new == 31) | (~plays & (here.go == 1))
            shifted = np.concatenate([table[moving, 1:], rank[:, None]], axis=1)
            table[moving] = np.where(
                ends[:, None], -1, np.where(plays[:, None], shifted, table[moving])
            )
            count[moving] = np.where(ends, 0, new)
            played = np.flatnonzero(plays)
            own[played, card[played]] = ranks
            held[moving, here.dealer_moves] = np.sort(own, axis=1)


def main(deals=1_000_000):
    """Print the figures."""
    for measured, of in ((wins_measured, 500), (discards_measured, 1), (cards_measured, 1)):
        counts = measured(deals // of)
        for name in dict.fromkeys(name for name, _ in counts):
            of = counts[name, "of"]
            lead = f", {counts[name, 'lead'] / of:+.2f} points" if counts[name, "lead"] else ""
            share = counts[name, "best"] / of if of else float("nan")
            print(f"{name}: {share:.3f} of {of:,}{lead}", flush=True)


if __name__ == "__main__":
    run(main)
