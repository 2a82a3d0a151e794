"""The race to 121 in plain Python: deals point by point, and who gets there first."""

from functools import cache

from oracle import DECK, points
from play_oracle import is_over, move, options, start

GAME = 121
PONE, DEALER = 0, 1


def played(pone, dealer, choose):
    """Play ranks 1..13 out: what is laid until there is no choice left, and (who, points) in turn.

    `choose` picks of the ranks that can be laid. Who is alone makes as much as he can.
    """
    table, laid, events = start(pone, dealer), [], []
    while not is_over(table):
        left = [len(hand) for hand in table[0]]
        rank = None
        if min(left) == 0 and max(left) > 1:
            events += max(alone(table), key=lambda end: sum(gained for _, gained in end[1:]))
            break
        if ranks := options(table):
            rank = ranks[0]
            if max(left) > 1:
                rank = choose(ranks)
                laid.append(rank)
        table, gains = move(table, rank)
        events += [(who, gained) for who, gained in enumerate(gains) if gained]
    return laid, merged(events)


def alone(table):
    """All ways one can lay the rest: the other's point for a go first, if only for nought."""
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
    """Who first makes his need, pone's and dealer's; None if neither does."""
    made = [0, 0]
    for who, gained in events:
        made[who] += gained
        if made[who] >= needs[who]:
            return who
    return None


def race(deals):
    """How likely the dealer wins, by dealer's and pone's score, if these deals come at random."""

    @cache
    def dealer_wins(dealer, pone):
        total = 0.0
        for events in deals:
            first = who_is_first(events, (GAME - pone, GAME - dealer))
            if first is None:
                made = [sum(gained for who, gained in events if who == one) for one in (0, 1)]
                total += 1 - dealer_wins(pone + made[PONE], dealer + made[DEALER])
            else:
                total += first == DEALER
        return total / len(deals)

    return dealer_wins
