"""Programs that score a hand: cribev, plain Python, packages from PyPI, and our C.

Hands are first put into the form that each takes; then it is timed.
"""

import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from itertools import combinations
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.compiled import compiled
from cribev import format_cards, score_hands

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from oracle import points as oracle_points

ORACLE = "plain Python, tests/oracle.py"


class Scorer(NamedTuple):
    """A way to score hands.

    `prepare` takes card numbers, ``(N, 5)`` with the starter last; `score` takes its result and
    whether to count cribs. Scoring `number` hands takes some tenths of a second.
    """

    name: str
    number: int
    prepare: Callable[[np.ndarray], Any]
    score: Callable[[Any, bool], Any]


def scorers():
    """List those that are installed, cribev first."""
    installed = [
        Scorer("cribev", 1_000_000, _arrays, lambda of, crib: score_hands(*of, crib=crib)),
        Scorer(ORACLE, 5_000, _texts, _each(_count_as_oracle)),
        Scorer("plain Python, subset tables", 10_000, _tuples, _each(count_by_subsets)),
    ]
    for package, make in {"cribbage": _cribbage, "cribbage-scorer": _cribbage_scorer}.items():
        try:
            installed.append(make(f"{package} {version(package)}, from PyPI"))
        except PackageNotFoundError:
            continue
    if library := compiled():
        installed += [
            Scorer("our C, counting", 1_000_000, np.ascontiguousarray, _crib_word(library.count)),
            Scorer("our C, table", 1_000_000, np.ascontiguousarray, _crib_word(library.look_up)),
        ]
    return installed


_SUBSETS = {
    size: [itemgetter(*chosen) for chosen in combinations(range(5), size)] for size in range(2, 6)
}
_PIPS = [min(rank + 1, 10) for rank in range(13)]
_RUNS = {tuple(range(start, start + size)) for size in (3, 4, 5) for start in range(14 - size)}


def count_by_subsets(hand, crib):
    """Score by tables of subsets, as the package fills its own table, but without numpy."""
    ranks = sorted([card >> 2 for card in hand])
    pips = [_PIPS[rank] for rank in ranks]
    points = 0
    for subsets in _SUBSETS.values():
        for chosen in subsets:
            if sum(chosen(pips)) == 15:
                points += 2
    for chosen in _SUBSETS[2]:
        first, second = chosen(ranks)
        if first == second:
            points += 2
    for size in (5, 4, 3):
        runs = [chosen(ranks) for chosen in _SUBSETS[size]]
        if number := sum([run in _RUNS for run in runs]):
            points += size * number
            break
    suits = {card & 3 for card in hand[:4]}
    if len(suits) == 1:
        if hand[4] & 3 in suits:
            points += 5
        elif not crib:
            points += 4
    return points + (40 + (hand[4] & 3) in hand[:4])


def _cribbage(name):
    from cribbage.card import Card
    from cribbage.score import score_hand

    def prepare(hands):  # its cards are in order of suit, then rank
        cards = [Card(13 * (number & 3) + (number >> 2)) for number in range(52)]
        return [([cards[card] for card in hand[:4]], cards[hand[4]]) for hand in hands.tolist()]

    return Scorer(name, 4_000, prepare, _each(lambda hand, _: score_hand(*hand)))


def _cribbage_scorer(name):
    from cribbage_scorer.cribbage_scorer import show_calc_score

    def prepare(hands):
        cards = [((number >> 2) + 1, "CDHS"[number & 3]) for number in range(52)]
        return [([cards[card] for card in hand[:4]], cards[hand[4]]) for hand in hands.tolist()]

    def count(hand, crib):
        held, starter = hand
        return show_calc_score(starter, held, crib)[0]

    return Scorer(name, 4_000, prepare, _each(count))


def _count_as_oracle(hand, crib):
    return oracle_points(hand[:4], hand[4], crib=crib)


def _each(count):
    return lambda hands, crib: [count(hand, crib) for hand in hands]


def _crib_word(function):
    return lambda hands, crib: function(hands, crib=crib)


def _arrays(hands):
    return np.ascontiguousarray(hands[:, :4]), hands[:, 4].copy()


def _tuples(hands):
    return list(map(tuple, hands.tolist()))


def _texts(hands):
    return [format_cards(hand).split() for hand in hands.tolist()]
