"""Cribbage in plain Python, written from the rules and sharing nothing with the package.

Cards are texts such as ``5H``. Slow on purpose: it only has to be right and easy to check.
"""

from collections import Counter
from itertools import combinations
from math import prod

RANKS = "A23456789TJQK"
DECK = [rank + suit for rank in RANKS for suit in "CDHS"]


def points(hand, starter=None, *, crib=False):
    """Count four cards with their starter, or before the cut."""
    cards = [*hand, starter] if starter else list(hand)
    pips = [min(RANKS.index(card[0]) + 1, 10) for card in cards]
    ranks = Counter(RANKS.index(card[0]) for card in cards)

    fifteens = 2 * sum(
        sum(chosen) == 15 for size in range(2, len(pips) + 1) for chosen in combinations(pips, size)
    )
    pairs = sum(many * (many - 1) for many in ranks.values())

    # A run is a stretch of neighbouring ranks; each way to pick one card a rank is one run.
    runs = 0
    for first in range(13):
        if first in ranks and first - 1 not in ranks:
            last = first
            while last + 1 in ranks:
                last += 1
            length = last - first + 1
            if length >= 3:
                runs += length * prod(ranks[rank] for rank in range(first, last + 1))

    suits = {card[1] for card in hand}
    flush = 0
    if len(suits) == 1:
        if starter and starter[1] in suits:
            flush = 5
        elif not crib:
            flush = 4

    nobs = int(bool(starter) and "J" + starter[1] in hand)
    return fifteens + pairs + runs + flush + nobs


def rest(cards):
    """The cards that are not in sight."""
    return [card for card in DECK if card not in cards]


def crib_mean(deal, discard, weight=lambda _pair, _starter: 1):
    """The average crib of a discard over every pair discarded and every starter left."""
    total = weights = 0
    unseen = rest(deal)
    for pair in combinations(unseen, 2):
        for starter in unseen:
            if starter not in pair:
                share = weight(pair, starter)
                total += share * points([*discard, *pair], starter, crib=True)
                weights += share
    return total / weights
