"""How often an expert keeps each four of six given cards, mixed as the solved play expects it.

The policy of a solution keeps what is best. But the play is solved for frequencies by ranks, in
which discards of nearly the same value are mixed (`solution.play.KeepFrequencies`), and it is
against these that nobody gains. So where the policy keeps some ranks more often than they say, a
part of those deals keeps other ranks instead: those that it keeps too seldom. Four cards of one
suit stay together.
"""

from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from cribev.choice import tied_best
from cribev.classes.canonical import (
    PATTERNS,
    STARTERS,
    Floats,
    class_ranks,
    classify_deals,
    pattern_numbers,
    suited_keeps,
)
from cribev.classes.class_tables import ClassTables
from cribev.game.cards import CardsLike, as_cards
from cribev.game.roles import Role
from cribev.solution.keeps import rank_keep_numbers
from cribev.solution.solution import load, shipped_keep_frequencies

_CLASSES_HELD = 1024  # some 25 MB


def keep_chances(deal: CardsLike, *, role: Role) -> Floats:
    """Return how often an expert keeps each of the 15 keeps of a deal, ``(15,)``.

    The keeps are those of the sorted cards. Over the deals of a class, keeps that are not of one
    suit come as often, by their ranks, as in `cribev.solution.solution.shipped_keep_frequencies`.

    >>> keep_chances("2H 5D 5H 8D JS QC", role="dealer").argmax().item()
    12
    """
    classes, patterns = classify_deals(np.sort(as_cards(deal, count=6))[None])
    chances: Floats = chances_of_class(int(classes[0]), role)[patterns[0]]
    return chances


@lru_cache(_CLASSES_HELD)
def chances_of_class(number: int, role: Role) -> Floats:
    """Return `keep_chances` of a class by pattern, ``(187, 15)``; 0 where no deal has the pattern.

    >>> float(chances_of_class(0, "pone").sum())  # A A A A 2 2: the deuces in two suits or more
    6.0
    """
    deals = deals_by_pattern(number)
    patterns = np.flatnonzero(deals)
    weights = deals[patterns] / deals.sum()
    values = _tables(role).compared(np.full(len(patterns), number), patterns)[:, :15]
    best = tied_best(values, unit=STARTERS)
    pure = best / best.sum(axis=1, keepdims=True)
    suited = suited_keeps()[patterns]
    plain = np.where(suited, 0, pure)

    # Keeps of the same ranks are a group: the play cannot tell them apart.
    _, group_of = np.unique(rank_keep_numbers()[number], return_inverse=True)
    groups = group_of[:, None] == np.arange(group_of.max() + 1)
    frequencies = shipped_keep_frequencies(role)
    wanted = (frequencies.share[number] - frequencies.flush[number]) @ groups
    kept = weights @ plain @ groups
    surplus, missing = np.maximum(kept - wanted, 0), np.maximum(wanted - kept, 0)
    leaves = np.divide(surplus, kept, out=np.zeros_like(kept), where=kept > 0)
    moved = plain * leaves[group_of]

    # Of a group that is missing, each deal takes what its suits make best.
    fit = np.where(suited, -np.inf, values)
    best_fit = np.stack([fit[:, group].max(axis=1) for group in groups.T], axis=1)[:, group_of]
    first = np.isfinite(fit) & (fit >= best_fit)
    taken = first * (missing / np.maximum(1, first @ groups))[:, group_of]
    total = taken.sum(axis=1, keepdims=True)
    chances = np.zeros((PATTERNS, 15))
    chances[patterns] = pure + np.where(
        total > 0, taken / np.maximum(total, 1e-300) * moved.sum(axis=1, keepdims=True) - moved, 0
    )
    chances.flags.writeable = False
    return chances


def deals_by_pattern(number: int) -> NDArray[np.int64]:
    """Count the deals of a class that have each pattern, ``(187,)``.

    >>> deals_by_pattern(0).sum().item()  # A A A A 2 2
    6
    """
    ranks = class_ranks()[number]
    suits = _suits()
    alike = ranks[1:] == ranks[:-1]
    possible = ((suits[:, 1:] > suits[:, :-1]) | ~alike).all(axis=1)
    patterns = pattern_numbers()[suits[possible] @ 4 ** np.arange(6)]
    counts: NDArray[np.int64] = np.bincount(patterns, minlength=PATTERNS)
    return counts


@cache
def _suits() -> NDArray[np.int64]:
    """List every suit that six cards can have, ``(4096, 6)``."""
    every: NDArray[np.int64] = np.indices((4,) * 6).reshape(6, -1).T
    return every


@cache
def _tables(role: Role) -> ClassTables:
    return ClassTables(load(play=True).cribs[role], role)
