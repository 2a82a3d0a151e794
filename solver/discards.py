"""How often a policy makes each discard, and the average crib against it, with what suits add.

`cribev.classes.crib_averages` has what ranks bring. Suits enter by their averages: over the suits
of each class, and over ranks where the opponent discards two cards of one suit (a crib flush) or a
jack (nobs).
"""

from itertools import product
from math import comb
from typing import NamedTuple

import numpy as np

from cribev.classes import canonical
from cribev.classes.canonical import Floats, Policy
from cribev.classes.class_tables import CribAverages, suit_rows, suit_tables
from cribev.classes.crib_averages import average_rank_cribs, round_to_grid
from cribev.game.cards import JACK
from cribev.game.index_tables import DISCARDS

_PAIRS = len(canonical.RANK_PAIRS)


class DiscardFrequencies(NamedTuple):
    """How often a policy makes each discard, over all deals."""

    ranks: (
        Floats  # how often a class discards a rank pair, ``(18395, 91)``, each row summing to one
    )
    suited: Floats  # deals that discard two of one suit, by their cards of that suit, ``(7,)``
    jacks: Floats  # jacks discarded, by the deal's cards of the jack's suit, ``(7,)``


def discard_frequencies(policy: Policy) -> DiscardFrequencies:
    """Count how often a policy, uint16 ``(18395, 187)``, makes each discard."""
    dealt = canonical.canonical_deals()
    rows = suit_rows(dealt.classes, dealt.patterns)
    suits = suit_tables()
    size = len(suits.suited)
    which, keeps, sizes = canonical.keep_entries(policy[dealt.classes, dealt.patterns])
    classes, deals = dealt.classes[which], dealt.deals[which] / sizes
    cells = classes * _PAIRS + canonical.discard_rank_pairs()[classes, keeps]
    ranks = np.bincount(cells, deals, canonical.CLASSES * _PAIRS).astype(np.float64)
    counts = np.bincount(rows[which] * 15 + keeps, deals, size * 15)
    by_row = counts.astype(np.float64).reshape(size, 15)
    by_class = ranks.reshape(canonical.CLASSES, _PAIRS)
    suited = np.bincount(suits.suited.ravel(), by_row.ravel(), 7).astype(np.float64)
    suited[0] = 0
    discarded = DISCARDS[keeps]
    of_suit = canonical.pattern_suit_counts()[dealt.patterns[which][:, None], discarded]
    is_jack = canonical.class_ranks()[classes[:, None], discarded] == JACK
    weights = (is_jack * deals[:, None]).ravel()
    jacks = np.bincount(of_suit.ravel(), weights, 7).astype(np.float64)
    return DiscardFrequencies(by_class / by_class.sum(axis=1, keepdims=True), suited, jacks)


def average_cribs(discarded: DiscardFrequencies) -> CribAverages:
    """Average the crib of every class and discard against an opponent with these frequencies."""
    flush, nobs = round_to_grid(_flush(discarded.suited)), _nobs(discarded.jacks)
    return average_rank_cribs(discarded.ranks)._replace(flush=flush, nobs=nobs)


def _flush(suited: Floats) -> Floats:
    """Average the crib flush of a suited discard, in 46ths, by the deal's cards of that suit."""
    values = np.zeros(7)
    for own, held in product(range(2, 7), range(2, 7)):
        share = suited[held] / 4 / (comb(13, held) * comb(39, 6 - held))
        hands = comb(13 - own, held) * comb(33 + own, 6 - held)
        values[own] += 5 * share * hands * (13 - own - held) / 40
    return values * (canonical.STARTERS / comb(canonical.STARTERS, 6))


def _nobs(jacks: Floats) -> Floats:
    """Return how often a jack from the opponent matches the starter, by your cards of its suit."""
    values = np.zeros(7)
    for own in range(7):  # never the jack itself, so at most 12 can be others of the suit
        shares = np.array(
            [
                jacks[held]
                / (comb(12, held - 1) * comb(39, 6 - held))
                * comb(12 - own, held - 1)
                * comb(33 + own, 6 - held)
                for held in range(1, 7)
            ]
        )
        values[own] = shares @ (13 - own - np.arange(1, 7)) / 40 / max(shares.sum(), 1e-300)
    return values
