"""The race to 121 in plain Python: deals point by point, and who gets there first."""

from functools import cache

from oracle import DECK, points
from play_oracle import is_over, move, options, start

GAME = 121
PONE, DEALER = 0, 1


def played(pone, dealer, choose):
    """Play ranks 1..13 out: what is played until there is no choice left, and (who, points) in
    turn.

    `choose` picks of the ranks that can be played. Who is alone makes as much as can be.
    """
    table, played, events = start(pone, dealer), [], []
    while not is_over(table):
        left = [len(hand) for hand in table[0]]
        rank = None
        if min(left) == 0 and max(left) > 1:
            events += most_alone(table)
            break
        if ranks := options(table):
            rank = ranks[0]
            if max(left) > 1:
                rank = choose(ranks)
                played.append(rank)
        table, gains = move(table, rank)
        events += [(who, gained) for who, gained in enumerate(gains) if gained]
    return played, merged(events)


def most_alone(table):
    """Return what a player alone pegs, the rest in the best order, as (who, points) in turn."""
    return max(alone(table), key=lambda end: sum(gained for _, gained in end[1:]))


def alone(table):
    """All ways one can play the rest: the other's point for a go first, if only for nought."""
    across = 0 if not table[0][0] else 1
    ends = []

    def go_on(table, events):
        if is_over(table):
            other = sum(gained for who, gained in events if who == across)
            ends.append([(across, other), *(event for event in events if event[0] != across)])
            return
        for rank in options(table) or [None]:
            after, gains = move(table, rank)
            go_on(after, [*events, *((who, gained) for who, gained in enumerate(gains) if gained)])

    go_on(table, [])
    return ends


def merged(events):
    """Let what one makes in a row be one event: nobody comes between."""
    joined = []
    for who, gained in events:
        if joined and joined[-1][0] == who:
            joined[-1] = who, joined[-1][1] + gained
        elif gained:
            joined.append((who, gained))
    return joined


def whole_deal(pone, dealer, crib, starter, play):
    """A deal from heels to crib, cards as texts, as (who, points) in turn."""
    heels = 2 if starter[0] == "J" else 0
    shown = [
        (PONE, points(pone, starter)),
        (DEALER, points(dealer, starter)),
        (DEALER, points(crib, starter, crib=True)),
    ]
    return merged([(DEALER, heels), *play, *shown])


def text(card):
    return DECK[card]


def who_is_first(events, needs):
    """Say who first makes the points needed, pone's and dealer's; None if neither does."""
    return ending(events, *(GAME - need for need in needs))[0]


def race(deals):
    """Return how likely the dealer wins, by dealer's and pone's score, if deals come at random."""
    ends = endings(deals)
    return lambda dealer, pone: ends(dealer, pone)[0]


def ending(events, pone, dealer):
    """Say who is out first from a score, and the score then; None where nobody is."""
    score = [pone, dealer]
    for who, gained in events:
        score[who] += gained
        if score[who] >= GAME:
            return who, tuple(score)
    return None, tuple(score)


def endings(deals):
    """Return how the game ends, by dealer's and pone's score, if these deals come at random.

    The dealer wins, by a skunk, by two; is skunked, and twice.
    """

    @cache
    def as_dealer(dealer, pone):
        total = [0.0] * 5
        for events in deals:
            winner, (pone_then, dealer_then) = ending(events, pone, dealer)
            if winner is None:
                win, skunk, double, skunked, doubled = as_dealer(pone_then, dealer_then)
                outcome = (1 - win, skunked, doubled, skunk, double)
            elif winner == DEALER:
                outcome = (1, pone_then < 91, pone_then < 61, 0, 0)
            else:
                outcome = (0, 0, 0, dealer_then < 91, dealer_then < 61)
            total = [chance + more for chance, more in zip(total, outcome, strict=True)]
        return tuple(chance / len(deals) for chance in total)

    return as_dealer
