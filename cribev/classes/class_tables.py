"""What every keep is worth, for all deals at once.

Values are compared in 46ths of a point. There the average hand and nobs are whole numbers, and
average cribs are rounded to a grid of 2**-26 (0.3 billionths of a point), so that sums are exact:
keeps that differ only by the names of suits tie exactly. `cribev.choice` decides which keep is
best; a policy keeps all that tie with it, each as often.

Deals known by their ranks alone are averaged over all the suits they can have. Six ranks can be
dealt in up to 4,096 ways, all as likely. What suits add to a keep depends on the pattern of the
suits and on where the jacks are, so it is averaged over the patterns, weighted by how many of the
deals have each. Which patterns there are, and how often, depends only on which of the six sorted
cards have the rank of the one before: 29 kinds of deal.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, groupby, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.choice import BestKeep, DiscardValues, best_by_points, net_points
from cribev.classes.canonical import (
    CLASSES,
    PATTERNS,
    STARTERS,
    Floats,
    Index,
    Policy,
    best_keep_sets,
    canonical_deals,
    class_counts,
    class_ranks,
    discard_rank_pairs,
    pattern_numbers,
    pattern_suit_counts,
    pattern_suits,
    suited_discards,
    suited_keeps,
)
from cribev.game.cards import JACK, Cards
from cribev.game.index_tables import DISCARDS, KEEPS, rank_point_table
from cribev.game.roles import Role

GRID = 2.0**-26
"""Average cribs are multiples of this many 46ths of a point."""

_BLOCK = 1 << 13  # deals at a time: their 16 values each stay in cache


class CribAverages(NamedTuple):
    """What each discard brings in the crib, for all classes, against one policy."""

    ranks: Floats
    """Fifteens, pairs and runs by class and keep, in 46ths of a point, ``(18395, 15)``."""
    flush: Floats
    """A suited discard's crib flush by the deal's cards of that suit, in 46ths, ``(7,)``."""
    jacks: Floats
    """How many jacks the opponent throws on average, by class, ``(18395,)``."""
    nobs: Floats
    """How often such a jack makes nobs, by the deal's cards of its suit, ``(7,)``."""
    play: Floats | None = None
    """Points of the play less the opponent's, by class and keep, in 46ths on the grid,
    ``(18395, 15)``; None where the play does not count."""


class SuitTables(NamedTuple):
    """What suits add to the 15 keeps, by row: where the jacks are, and the pattern."""

    kept_nobs: NDArray[np.int64]
    """Nobs of the kept jacks in 46ths, ``(rows, 15)``."""
    thrown_nobs: NDArray[np.int64]
    """The same of the thrown jacks."""
    hand_flush: NDArray[np.int64]
    """The flush of the keep in 46ths, ``(rows, 15)``."""
    suited: NDArray[np.int64]
    """The deal's cards of the suit of a suited discard, else 0, ``(rows, 15)``."""
    unseen_jacks: Floats
    """Of the unseen jacks, which part has n cards of its suit in the deal, ``(rows, 7)``."""
    thrown_jacks: NDArray[np.int64]
    """Jacks thrown that have n cards of their suit in the deal, ``(rows, 15, 7)``."""


@cache
def hand_sums() -> NDArray[np.int64]:
    """Sum the fifteens, pairs and runs of each keep of each class over all starters.

    int64 ``(18395, 15)``: in 46ths, what ranks bring on average.

    >>> float(hand_sums()[0, 0] / 46)  # four aces, from A A A A 2 2
    12.0
    """
    kept = class_ranks()[:, KEEPS].astype(np.int64)
    base = ((kept[..., 0] * 13 + kept[..., 1]) * 13 + kept[..., 2]) * 13 + kept[..., 3]
    sums = np.zeros(base.shape, dtype=np.int64)
    for starter in range(13):
        unseen = 4 - class_counts()[:, starter, None]
        sums += unseen * rank_point_table()[base * 13 + starter]
    sums.flags.writeable = False
    return sums


def points_to_grid(points: Floats) -> Floats:
    """Turn points into 46ths on the grid.

    >>> float(points_to_grid(np.array([0.5]))[0])
    23.0
    """
    steps: Floats = np.rint(points * (STARTERS / GRID)) * GRID
    return steps


def best_response(cribs: CribAverages, *, role: Role) -> Policy:
    """Return the policy of a role that is best against an opponent with these average cribs.

    >>> from cribev.classes.crib_averages import uniform_cribs
    >>> best_response(uniform_cribs(), role="pone").shape
    (18395, 187)
    """
    every = canonical_deals()
    policy = np.zeros((CLASSES, PATTERNS), dtype=np.uint16)
    for part, values in comparison_values(cribs, role=role):
        policy[every.classes[part], every.patterns[part]] = best_keep_sets(values, unit=STARTERS)
    return policy


def comparison_values(cribs: CribAverages, *, role: Role) -> Iterator[tuple[slice, Floats]]:
    """Yield some canonical deals at a time, and the values by which their keeps compare.

    Values ``(n, 15)`` are expected points in exact 46ths, but for the opponent's jacks, which are
    the same for all keeps of a deal.

    >>> from cribev.classes.crib_averages import uniform_cribs
    >>> part, values = next(comparison_values(uniform_cribs(), role="pone"))
    >>> part.start, values.shape
    (0, (8192, 15))
    """
    every, tables = canonical_deals(), ClassTables(cribs, role)
    for start in range(0, len(every.deals), _BLOCK):
        part = slice(start, start + _BLOCK)
        yield part, tables.compared(every.classes[part], every.patterns[part])[:, :15]


def canonical_values(cribs: CribAverages, *, role: Role) -> Iterator[tuple[slice, DiscardValues]]:
    """Yield some canonical deals at a time, and the values of all their discards.

    >>> from cribev.classes.crib_averages import uniform_cribs
    >>> part, values = next(canonical_values(uniform_cribs(), role="pone"))
    >>> part.start, values.expected.shape
    (0, (65536, 15))
    """
    every, tables = canonical_deals(), ClassTables(cribs, role)
    step = 1 << 16
    for start in range(0, len(every.deals), step):
        part = slice(start, start + step)
        yield part, tables.values(every.classes[part], every.patterns[part])


class ClassTables:
    """The tables that value keeps for one role: a row for the class and a row for the suits."""

    def __init__(self, cribs: CribAverages, role: Role) -> None:
        suits = suit_tables()
        self.role: Role = role
        self.hand_of_class = hand_sums()
        self.crib_of_class = cribs.ranks
        self.play_of_class = None if cribs.play is None else cribs.play / STARTERS
        self.hand_of_suits = suits.kept_nobs + suits.hand_flush
        self.crib_of_suits = suits.thrown_nobs + cribs.flush[suits.suited]
        self.jacks_of_class = cribs.jacks
        self.nobs_of_suits = suits.unseen_jacks @ cribs.nobs
        # numpy finds the greatest of 16 values in a third of the time it takes for 15.
        self.compared_of_class = np.full((CLASSES, 16), -np.inf)
        self.compared_of_class[:, :15] = net_points(
            self.hand_of_class, self.crib_of_class, role, cribs.play
        )
        self.compared_of_suits = np.zeros((len(self.hand_of_suits), 16))
        self.compared_of_suits[:, :15] = net_points(self.hand_of_suits, self.crib_of_suits, role)

    def compared(self, classes: Index, patterns: Index) -> Floats:
        """Return what the keeps compare by, ``(n, 16)``, as `comparison_values` has it."""
        values = self.compared_of_class.take(classes, axis=0)
        values += self.compared_of_suits.take(suit_rows(classes, patterns), axis=0)
        return values

    def values(self, classes: Index, patterns: Index) -> DiscardValues:
        """Value all 15 discards of canonical deals, ``(n, 15)``.

        >>> from cribev.classes.crib_averages import uniform_cribs
        >>> from cribev.classes.canonical import classify_deals
        >>> of_deals = classify_deals([[48, 44, 43, 18, 17, 16]])
        >>> tables = ClassTables(uniform_cribs(), "dealer")
        >>> tables.values(*of_deals).hand.round(2).max().item()
        16.39
        """
        rows = suit_rows(classes, patterns)
        hand = (self.hand_of_class[classes] + self.hand_of_suits[rows]) / STARTERS
        crib = (self.crib_of_class[classes] + self.crib_of_suits[rows]) / STARTERS
        crib += (self.jacks_of_class[classes] * self.nobs_of_suits[rows])[:, None]
        play = None if self.play_of_class is None else self.play_of_class[classes]
        return DiscardValues.of(hand, crib, self.role, play)

    def best(self, classes: Index, patterns: Index) -> DiscardValues:
        """Value the best discard of canonical deals alone, ``(n,)``, without the other 14."""
        keep, margin = best_by_points(self.compared(classes, patterns), unit=STARTERS)
        rows = suit_rows(classes, patterns)
        of_class, of_suits = classes * 15 + keep, rows * 15 + keep
        hand = (self.hand_of_class.take(of_class) + self.hand_of_suits.take(of_suits)) / STARTERS
        crib = (self.crib_of_class.take(of_class) + self.crib_of_suits.take(of_suits)) / STARTERS
        crib += self.jacks_of_class.take(classes) * self.nobs_of_suits.take(rows)
        play = None if self.play_of_class is None else self.play_of_class.take(of_class)
        chosen = BestKeep(keep.astype(np.uint8), margin / STARTERS)
        return DiscardValues.of(hand, crib, self.role, play, chosen=chosen)


@cache
def suit_tables() -> SuitTables:
    """Tabulate what suits add; `suit_rows` finds the row.

    >>> suit_tables().suited.shape  # 19 sets of places for jacks, 187 patterns
    (3553, 15)
    """
    suits, counts, flush = pattern_suits(), pattern_suit_counts(), suited_keeps()
    masks = np.unique(_jack_masks())
    jacks = masks[:, None] >> np.arange(6) & 1  # (masks, 6): which positions are jacks
    matching = 13 - counts  # starters of each card's suit, (187, 6)
    nobs = jacks[:, None, :] * matching  # (masks, 187, 6)
    flush_sum = flush * (4 * STARTERS + matching[:, KEEPS[:, 0]])
    rows = len(masks) * PATTERNS

    by_suit = (suits[:, :, None] == np.arange(4)).sum(axis=1)  # (187, 4)
    unseen = ~((suits[:, :, None] == np.arange(4)) & (jacks[:, None, :, None] == 1)).any(axis=2)
    of_count = by_suit[:, :, None] == np.arange(7)  # (187, 4, 7)
    unseen_jacks = (unseen[..., None] & of_count).sum(axis=2)  # (masks, 187, 7)
    of_card = (counts[:, :, None] == np.arange(7))[:, DISCARDS].astype(np.int64)
    share = unseen_jacks / np.maximum(unseen.sum(axis=2), 1)[..., None]
    return SuitTables(
        kept_nobs=nobs[:, :, KEEPS].sum(axis=3).reshape(rows, 15),
        thrown_nobs=nobs[:, :, DISCARDS].sum(axis=3).reshape(rows, 15),
        hand_flush=np.tile(flush_sum, (len(masks), 1)),
        suited=np.tile(suited_discards(), (len(masks), 1)),
        unseen_jacks=share.reshape(rows, 7),
        thrown_jacks=np.einsum("mkd,pkdn->mpkn", jacks[:, DISCARDS], of_card).reshape(rows, 15, 7),
    )


def suit_rows(classes: Index, patterns: Index) -> Index:
    """Find the rows of `suit_tables` for canonical deals.

    >>> suit_rows(np.array([0]), np.array([186])).tolist()
    [186]
    """
    return _first_suit_rows().take(classes) + patterns


def _jack_masks() -> NDArray[np.int64]:
    masks: NDArray[np.int64] = (class_ranks() == JACK) @ (1 << np.arange(6))
    return masks


@cache
def _first_suit_rows() -> Index:
    """For each class, the row of its jacks and the first pattern."""
    return np.unique(_jack_masks(), return_inverse=True)[1].astype(np.intp) * PATTERNS


def all_suitings(ranks: Cards) -> Cards:
    """List all deals of six ascending ranks, uint8 ``(6,)``: at most 4,096, uint8 ``(n, 6)``.

    >>> all_suitings(np.array([0, 0, 0, 0, 1, 1])).tolist()[0]
    [0, 1, 2, 3, 4, 5]
    """
    parts = [
        [tuple(4 * rank + suit for suit in suits) for suits in combinations(range(4), len([*same]))]
        for rank, same in groupby(ranks.tolist())
    ]
    return np.array([sum(choice, ()) for choice in product(*parts)], dtype=np.uint8)


def suit_averaged_values(tables: ClassTables, classes: Index) -> DiscardValues:
    """Value all 15 discards of classes, averaged over all deals of each, ``(N, 15)``.

    Discards of the same ranks are averaged too, and all but the first marked as repeated.

    >>> from cribev.classes.crib_averages import uniform_cribs
    >>> four_aces = suit_averaged_values(ClassTables(uniform_cribs(), "pone"), np.array([0]))
    >>> four_aces.hand[0, 0].item(), np.isfinite(four_aces.expected).sum().item()
    (12.0, 3)
    """
    # Few places of equal ranks and of jacks stand for all classes.
    first_rows = suit_rows(classes, np.zeros_like(classes))
    places = np.column_stack([_kinds()[classes], first_rows])
    kinds, example, which = np.unique(places, axis=0, return_index=True, return_inverse=True)
    which = which.ravel()
    weights = _pattern_weights()[kinds[:, 0]]
    rows = kinds[:, 1, None] + np.arange(PATTERNS)
    pairs = discard_rank_pairs()[classes[example]]
    alike = pairs[:, :, None] == pairs[:, None, :]
    # Of two pairs the lower cards share a suit more often than any two: all such discards count.
    hand_suits, crib_suits = (
        np.einsum("nij,np,npj->ni", alike, weights, table[rows], optimize=True) / alike.sum(axis=2)
        for table in (tables.hand_of_suits, tables.crib_of_suits)
    )
    nobs = np.einsum("np,np->n", weights, tables.nobs_of_suits[rows])
    hand = (tables.hand_of_class[classes] + hand_suits[which]) / STARTERS
    crib = (tables.crib_of_class[classes] + crib_suits[which]) / STARTERS
    crib += (tables.jacks_of_class[classes] * nobs[which])[:, None]
    play = None if tables.play_of_class is None else tables.play_of_class[classes]
    values = DiscardValues.of(hand, crib, tables.role, play)
    values.expected[(alike.argmax(axis=2) != np.arange(15))[which]] = -np.inf
    return values


@cache
def _kinds() -> Index:
    """Tell for each class which cards have the rank of the one before, a bit each."""
    same = class_ranks()[:, 1:] == class_ranks()[:, :-1]
    kinds: Index = same.astype(np.intp) @ (1 << np.arange(5))
    return kinds


@cache
def _pattern_weights() -> Floats:
    """Tell how often each pattern comes among the deals of each kind, ``(32, 187)``."""
    weights = np.zeros((32, PATTERNS))
    for kind in np.unique(_kinds()):
        steps: NDArray[np.int64] = 1 - (kind >> np.arange(5) & 1)
        ranks = np.concatenate([[0], np.cumsum(steps)]).astype(np.uint8)
        suits = all_suitings(ranks).astype(np.intp) & 3
        counts = np.bincount(pattern_numbers()[suits @ 4 ** np.arange(6)], minlength=PATTERNS)
        weights[kind] = counts / counts.sum()
    return weights
