"""The values of every keep, for all deals at once.

Values are compared in 46ths of a point. In this unit, the average hand and nobs are whole numbers,
and average cribs are rounded to a grid of 2**-26 (0.3 billionths of a point). So sums are exact,
and keeps that differ only by the names of suits tie exactly. `cribev.classes.ranking` decides which
keep is best; a policy keeps all that tie with it, equally often.

Deals known only by their ranks are averaged over all suits they can have. Six ranks can be dealt in
up to 4,096 equally likely ways. What suits add to a keep depends on the pattern of the suits and on
where the jacks are, so it is averaged over the patterns, weighted by their numbers of deals. These
depend only on which of the six sorted cards repeat the rank before: 29 kinds of deal.
"""

from collections.abc import Iterator
from functools import cache, cached_property
from itertools import combinations, groupby, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes import canonical
from cribev.classes.canonical import Floats, Index, Policy
from cribev.classes.ranking import BestKeep, DiscardValues, best_by_points, net_points
from cribev.game.cards import JACK, SUITLESS_OFFSET, Cards, rank_of
from cribev.game.index_tables import DISCARDS, KEEPS, rank_point_table, read_only
from cribev.game.roles import Role

GRID = 2.0**-26  # average cribs are multiples of this many 46ths of a point

_BLOCK = 1 << 13  # deals at a time: their 16 values each stay in cache


class CribAverages(NamedTuple):
    """The average crib of each discard of every class against one policy."""

    ranks: Floats
    """Fifteens, pairs and runs by class and keep, in 46ths of a point, ``(18395, 15)``."""
    flush: Floats
    """The average crib flush of a suited discard by the deal's cards of it, in 46ths, ``(7,)``."""
    jacks: Floats  # how many jacks the opponent discards on average, by class, ``(18395,)``
    nobs: Floats  # how often such a jack makes nobs, by the deal's cards of its suit, ``(7,)``
    play: Floats | None = None
    """Points of the play less the opponent's, by class and keep, in 46ths on the grid,
    ``(18395, 15)``; None where the play does not count."""


class SuitTables(NamedTuple):
    """The points that suits add to the 15 keeps, by row: where the jacks are, and the pattern."""

    kept_nobs: NDArray[np.int64]  # nobs of the kept jacks in 46ths, ``(rows, 15)``
    discarded_nobs: NDArray[np.int64]  # nobs of the discarded jacks in 46ths, ``(rows, 15)``
    hand_flush: NDArray[np.int64]  # the flush of the keep in 46ths, ``(rows, 15)``
    suited: NDArray[np.int64]
    """The deal's cards of the suit of a suited discard, else 0, ``(rows, 15)``."""
    unseen_jacks: Floats
    """The share of the unseen jacks with n cards of their suit in the deal, ``(rows, 7)``."""


@cache
def hand_sums() -> NDArray[np.int64]:
    """Sum fifteens, pairs and runs of each keep over all starters, in 46ths, ``(18395, 15)``."""
    kept = canonical.class_ranks()[:, KEEPS].astype(np.int64)
    base = ((kept[..., 0] * 13 + kept[..., 1]) * 13 + kept[..., 2]) * 13 + kept[..., 3]
    sums = np.zeros(base.shape, dtype=np.int64)
    for starter in range(13):
        unseen = 4 - canonical.class_counts()[:, starter, None]
        sums += unseen * rank_point_table()[base * 13 + starter]
    return read_only(sums)


def points_to_grid(points: Floats) -> Floats:
    """Convert points to 46ths, rounded to the grid."""
    return np.rint(points * (canonical.STARTERS / GRID)) * GRID


def best_response(cribs: CribAverages, *, role: Role) -> Policy:
    """Return the policy of a role that is best against an opponent with these average cribs."""
    deals = canonical.canonical_deals()
    policy = np.zeros((canonical.CLASSES, canonical.PATTERNS), dtype=np.uint16)
    for block, values in comparison_values(cribs, role=role):
        sets = canonical.best_keep_sets(values, unit=canonical.STARTERS)
        policy[deals.classes[block], deals.patterns[block]] = sets
    return policy


def comparison_values(cribs: CribAverages, *, role: Role) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of canonical deals, and what their keeps compare by, in 46ths, ``(n, 15)``."""
    deals, tables = canonical.canonical_deals(), ClassTables(cribs, role)
    for start in range(0, len(deals.deals), _BLOCK):
        block = slice(start, start + _BLOCK)
        yield block, tables.compared(deals.classes[block], deals.patterns[block])[:, :15]


def canonical_values(cribs: CribAverages, *, role: Role) -> Iterator[tuple[slice, DiscardValues]]:
    """Yield blocks of canonical deals and the values of all their discards."""
    deals, tables = canonical.canonical_deals(), ClassTables(cribs, role)
    step = 1 << 16
    for start in range(0, len(deals.deals), step):
        block = slice(start, start + step)
        yield block, tables.values(deals.classes[block], deals.patterns[block])


class ClassTables:
    """Tables of the value of keeps for one role: one row for the class, one for the suits."""

    def __init__(self, cribs: CribAverages, role: Role) -> None:
        suits = suit_tables()
        self.role: Role = role
        self.crib_of_class = cribs.ranks
        self.play_of_class = cribs.play
        self.hand_of_suits = suits.kept_nobs + suits.hand_flush
        self.discarded_nobs = suits.discarded_nobs
        self.crib_flush = cribs.flush[suits.suited]
        self.crib_of_suits = self.discarded_nobs + self.crib_flush
        self.jacks_of_class = cribs.jacks
        self.nobs_of_suits = suits.unseen_jacks @ cribs.nobs

    @cached_property
    def _compared_parts(self) -> tuple[Floats, Floats]:
        """Return what the keeps compare by, from the class and from the suits, ``(…, 16)``."""
        # numpy finds the greatest of 16 values in a third of the time it takes for 15.
        of_class = np.full((canonical.CLASSES, 16), -np.inf)
        hand_and_crib = hand_sums(), self.crib_of_class
        of_class[:, :15] = net_points(*hand_and_crib, self.role, self.play_of_class)
        of_suits = np.zeros((len(self.hand_of_suits), 16))
        of_suits[:, :15] = net_points(self.hand_of_suits, self.crib_of_suits, self.role)
        return of_class, of_suits

    def compared(self, classes: NDArray[np.integer], patterns: NDArray[np.integer]) -> Floats:
        """Return what the keeps compare by, ``(n, 16)``, as `comparison_values` has it."""
        of_class, of_suits = self._compared_parts
        values = of_class.take(classes, axis=0)
        values += of_suits.take(suit_rows(classes, patterns), axis=0)
        return values

    def play(self, classes: NDArray[np.integer]) -> Floats | None:
        """Return the points of the play, ``(n, 15)``; None where it does not count."""
        play = self.play_of_class
        return None if play is None else play[classes] / canonical.STARTERS

    def play_of_keeps(self, places: Index) -> Floats | None:
        """Return the points of the play of keeps, ``class * 15 + keep``, as `play` has them."""
        play = self.play_of_class
        return None if play is None else play.take(places) / canonical.STARTERS

    def values(self, classes: NDArray[np.integer], patterns: NDArray[np.integer]) -> DiscardValues:
        """Value all 15 discards of canonical deals, ``(n, 15)``."""
        rows = suit_rows(classes, patterns)
        hand = (hand_sums()[classes] + self.hand_of_suits[rows]) / canonical.STARTERS
        crib = (self.crib_of_class[classes] + self.crib_of_suits[rows]) / canonical.STARTERS
        crib += (self.jacks_of_class[classes] * self.nobs_of_suits[rows])[:, None]
        return DiscardValues.of(hand, crib, self.role, self.play(classes))

    def crib_parts(self, classes: NDArray[np.integer], patterns: NDArray[np.integer]) -> Floats:
        """Split the average cribs of canonical deals: ranks, flush and nobs, ``(3, n, 15)``."""
        rows = suit_rows(classes, patterns)
        ranks, flush = self.crib_of_class[classes], self.crib_flush[rows]
        averages = np.stack([ranks, flush, self.discarded_nobs[rows]]) / canonical.STARTERS
        averages[2] += (self.jacks_of_class[classes] * self.nobs_of_suits[rows])[:, None]
        return averages

    def best(self, classes: NDArray[np.integer], patterns: NDArray[np.integer]) -> DiscardValues:
        """Value only the best discard of canonical deals, ``(n,)``."""
        keep, margin = best_by_points(self.compared(classes, patterns), unit=canonical.STARTERS)
        rows = suit_rows(classes, patterns)
        of_class, of_suits = classes * 15 + keep, rows * 15 + keep
        hand = hand_sums().take(of_class) + self.hand_of_suits.take(of_suits)
        crib = self.crib_of_class.take(of_class) + self.crib_of_suits.take(of_suits)
        hand, crib = hand / canonical.STARTERS, crib / canonical.STARTERS
        crib += self.jacks_of_class.take(classes) * self.nobs_of_suits.take(rows)
        chosen = BestKeep(keep.astype(np.uint8), margin / canonical.STARTERS)
        return DiscardValues.of(hand, crib, self.role, self.play_of_keeps(of_class), chosen=chosen)


@cache
def suit_tables() -> SuitTables:
    """Tabulate what suits add; `suit_rows` returns the row of a deal."""
    suits, counts = canonical.pattern_suits(), canonical.pattern_suit_counts()
    masks = np.unique(_jack_masks())
    jacks = masks[:, None] >> np.arange(6) & 1  # (masks, 6): which positions are jacks
    matching = 13 - counts  # starters of each card's suit, (187, 6)
    nobs = jacks[:, None, :] * matching  # (masks, 187, 6)
    flush_sum = canonical.suited_keeps() * (4 * canonical.STARTERS + matching[:, KEEPS[:, 0]])
    discarded_suits = suits[:, DISCARDS]
    suited = np.where(
        discarded_suits[..., 0] == discarded_suits[..., 1], counts[:, DISCARDS[:, 0]], 0
    )  # (187, 15)
    rows = len(masks) * canonical.PATTERNS

    by_suit = (suits[:, :, None] == np.arange(4)).sum(axis=1)  # (187, 4)
    unseen = ~((suits[:, :, None] == np.arange(4)) & (jacks[:, None, :, None] == 1)).any(axis=2)
    of_count = by_suit[:, :, None] == np.arange(7)  # (187, 4, 7)
    unseen_jacks = (unseen[..., None] & of_count).sum(axis=2)  # (masks, 187, 7)
    share = unseen_jacks / np.maximum(unseen.sum(axis=2), 1)[..., None]
    return SuitTables(
        kept_nobs=nobs[:, :, KEEPS].sum(axis=3).reshape(rows, 15),
        discarded_nobs=nobs[:, :, DISCARDS].sum(axis=3).reshape(rows, 15),
        hand_flush=np.tile(flush_sum, (len(masks), 1)),
        suited=np.tile(suited, (len(masks), 1)),
        unseen_jacks=share.reshape(rows, 7),
    )


def suit_rows(classes: NDArray[np.integer], patterns: NDArray[np.integer]) -> Index:
    """Return the rows of `suit_tables` for canonical deals."""
    return _first_suit_rows().take(classes) + patterns


def _jack_masks() -> NDArray[np.int64]:
    return np.asarray((canonical.class_ranks() == JACK) @ (1 << np.arange(6)))


@cache
def _first_suit_rows() -> Index:
    """Return the row of `suit_tables` for each class with the first pattern."""
    return np.unique(_jack_masks(), return_inverse=True)[1].astype(np.intp) * canonical.PATTERNS


def all_suitings(cards: Cards) -> Cards:
    """List all deals that cards can be, uint8 ``(6,)``: at most 4,096, uint8 ``(n, 6)``.

    Cards are by rank, those with suits before those of the rank without, which are the rank plus
    `SUITLESS_OFFSET`; so they stand in each deal.
    """
    choices = []
    for rank, same in groupby(cards.tolist(), rank_of):
        of_rank = [*same]
        with_suits = tuple(card for card in of_rank if card < SUITLESS_OFFSET)
        left = [card for card in range(4 * rank, 4 * rank + 4) if card not in with_suits]
        choices.append(
            [with_suits + more for more in combinations(left, len(of_rank) - len(with_suits))]
        )
    return np.array([sum(choice, ()) for choice in product(*choices)], dtype=np.uint8)


def suit_averaged_values(tables: ClassTables, classes: Index) -> DiscardValues:
    """Value discards of classes, ``(N, 15)``; of equal ranks, only the first is not a repeat."""
    # Few places of equal ranks and of jacks stand for all classes.
    first_rows = suit_rows(classes, np.zeros_like(classes))
    places = np.column_stack([canonical.rank_kinds()[classes], first_rows])
    kinds, example, which = np.unique(places, axis=0, return_index=True, return_inverse=True)
    which = which.ravel()
    weights = pattern_weights()[kinds[:, 0]]
    rows = kinds[:, 1, None] + np.arange(canonical.PATTERNS)
    pairs = canonical.discard_rank_pairs()[classes[example]]
    alike = pairs[:, :, None] == pairs[:, None, :]
    # Of two pairs the lower cards share a suit more often than any two: all such discards count.
    hand_suits, crib_suits = (
        np.einsum("nij,np,npj->ni", alike, weights, table[rows], optimize=True) / alike.sum(axis=2)
        for table in (tables.hand_of_suits, tables.crib_of_suits)
    )
    nobs = np.einsum("np,np->n", weights, tables.nobs_of_suits[rows])
    hand = (hand_sums()[classes] + hand_suits[which]) / canonical.STARTERS
    crib = (tables.crib_of_class[classes] + crib_suits[which]) / canonical.STARTERS
    crib += (tables.jacks_of_class[classes] * nobs[which])[:, None]
    values = DiscardValues.of(hand, crib, tables.role, tables.play(classes))
    values.expected[(alike.argmax(axis=2) != np.arange(15))[which]] = -np.inf
    return values


def pattern_shares(number: int) -> Floats:
    """Return the frequency of each pattern among the deals of a class, ``(187,)``."""
    return np.asarray(pattern_weights()[canonical.rank_kinds()[number]])


@cache
def pattern_weights() -> Floats:
    """Return how often each pattern comes among the deals of each kind, ``(32, 187)``."""
    ways = canonical.suit_ways()
    return np.asarray(ways / np.maximum(ways.sum(axis=1, keepdims=True), 1))
