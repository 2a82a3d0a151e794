"""Every deal by number, and what its value depends on: ranks, and which cards share a suit.

All 20,358,520 deals are numbered in colexicographic order. The ranks of a deal are one of 18,395
*classes*. Suits matter only by which cards share one: a *pattern*, one of 187 ways to group the six
sorted cards into at most four suits. Class and pattern together, the *canonical deal*, decide the
value of every keep, so a sum over all deals is a sum over canonical deals.

A *policy* says what is kept from each canonical deal: a set of equally frequent keeps. A set is a
number of 15 bits, bit k for keep k. A policy is a uint16 array ``(18395, 187)`` of sets, 0 where no
deal has this class and pattern. If two keeps differ only by the names of suits, a set holds both or
neither.
"""

from functools import cache
from itertools import combinations_with_replacement, pairwise, product
from math import comb
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cribev.classes.ranking import tied_best
from cribev.errors import CardError
from cribev.game.cards import DECK_SIZE, Cards, as_card_numbers, format_cards
from cribev.game.index_tables import DISCARDS, KEEPS, rank_point_table, read_only

Columns: TypeAlias = list[Cards]
DEALS = comb(DECK_SIZE, 6)
_SORTING_NETWORK = (
    *((0, 5), (1, 3), (2, 4), (1, 2), (3, 4), (0, 3)),
    *((2, 5), (0, 1), (2, 3), (4, 5), (1, 2), (3, 4)),
)


def colex_rank(*cards: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return colexicographic ranks of sets of cards, given an array for each place, ascending."""
    return sum(
        (binomials()[size].take(card) for size, card in enumerate(cards, start=1)),
        start=np.zeros(1, dtype=np.int64),
    )


@cache
def binomials() -> NDArray[np.int64]:
    """Tabulate C(n, k): row k, column n."""
    return np.array([[comb(n, k) for n in range(DECK_SIZE + 1)] for k in range(7)])


def as_deals(deals: ArrayLike) -> Cards:
    """Check an array of deals, card numbers ``(N, 6)``; repeated cards are not detected here."""
    deals = as_card_numbers(deals)
    if deals.ndim != 2 or deals.shape[1] != 6:
        raise CardError(f"deals have shape (N, 6), not {deals.shape}")
    return deals


def sorted_columns(deals: Cards) -> Columns:
    """Sort the distinct cards of each deal, ``(N, 6)``, and return a column for each position."""
    columns = list(np.ascontiguousarray(deals.T))
    for low, high in _SORTING_NETWORK:
        two = columns[low], columns[high]
        columns[low], columns[high] = np.minimum(*two), np.maximum(*two)
    for first, second in pairwise(columns):
        if (first == second).any():
            row = int((first == second).argmax())
            card = format_cards([int(first[row])])
            raise CardError(f"{card} comes twice in {format_cards(deals[row])}")
    return columns


Policy: TypeAlias = NDArray[np.uint16]
Floats: TypeAlias = NDArray[np.float64]
Index: TypeAlias = NDArray[np.intp]
CLASSES = 18_395
PATTERNS = 187
CANONICAL_DEALS = 1_857_856
STARTERS = DECK_SIZE - 6
RANK_PAIRS = np.array(list(combinations_with_replacement(range(13), 2)))
"""The 91 pairs of ranks two cards can have, ``(91, 2)``."""


class CanonicalDeals(NamedTuple):
    """All deals that differ beyond the names of suits, by class, then by pattern; 17 MB in all."""

    classes: NDArray[np.int32]  # ``(n,)``, as the next two
    patterns: NDArray[np.int32]
    deals: NDArray[np.int32]  # how many deals are alike
    examples: Cards  # one of them, ascending, uint8 ``(n, 6)``


@cache
def class_ranks() -> Cards:
    """List the ranks of each class, ascending, in colexicographic order: uint8 ``(18395, 6)``."""
    ranks = np.array(list(combinations_with_replacement(range(13), 6)), dtype=np.uint8)
    ranks = ranks[np.lexsort(ranks.T)]
    return read_only(ranks[(ranks[:, :2] < ranks[:, 4:]).all(axis=1)])  # never five of a rank


@cache
def class_counts() -> NDArray[np.int64]:
    """Count the cards of each rank in each class: int64 ``(18395, 13)``."""
    return read_only((class_ranks()[:, :, None] == np.arange(13)).sum(axis=1))


def class_ways(elsewhere: NDArray[np.int64]) -> Floats:
    """Count the ways to deal each class, ``(18395,)``, beside cards gone by rank, ``(13,)``."""
    choose = np.array([[comb(n, k) for k in range(7)] for n in range(5)], dtype=float)
    ways = np.ones(CLASSES)
    for left, counts in zip(4 - elsewhere, class_counts().T, strict=True):
        ways *= choose[left].take(counts)
    return ways


@cache
def discard_rank_pairs() -> Index:
    """Tabulate discards by class and keep, as rows of `RANK_PAIRS`: intp ``(18395, 15)``."""
    discarded = class_ranks()[:, DISCARDS].astype(np.intp)
    return read_only(rank_pair_numbers()[discarded[..., 0], discarded[..., 1]])


@cache
def rank_pair_numbers() -> Index:
    """Tabulate which of `RANK_PAIRS` two ranks are, in either order: intp ``(13, 13)``."""
    numbers = np.empty((13, 13), dtype=np.intp)
    low, high = RANK_PAIRS.T
    numbers[low, high] = numbers[high, low] = np.arange(len(RANK_PAIRS))
    return read_only(numbers)


def classify_deals(deals: ArrayLike) -> tuple[Index, Index]:
    """Classify deals by their ranks and by the pattern of their suits.

    Parameters
    ----------
    deals
        Card numbers 0..51, ``(N, 6)``, in any order within a deal.

    Returns
    -------
    The class of each deal, 0..18394: deals of the same ranks are one class; and the pattern of its
    suits, 0..186. Both are intp ``(N,)``. Deals of the same class and pattern differ in the names
    of suits alone, so that any discard is worth as much.

    Raises
    ------
    CardError
        If they are not deals of six different cards.

    Examples
    --------
    >>> classes, patterns = classify_deals([[16, 17, 42, 46, 4, 28], [18, 19, 40, 44, 6, 30]])
    >>> bool(classes[0] == classes[1]), bool(patterns[0] == patterns[1])
    (True, True)
    """
    return classify_columns(sorted_columns(as_deals(deals)))


@cache
def deals_of_classes() -> Floats:
    """Count the deals of each class in a whole deck, ``(18395,)``."""
    return class_ways(np.zeros(13, dtype=np.int64))


@cache
def canonical_deals() -> CanonicalDeals:
    """List every canonical deal."""
    ways, suits = suit_ways(), _suits_of_patterns()
    classes, patterns = np.nonzero(ways[rank_kinds()])
    kinds = rank_kinds()[classes]
    examples = class_ranks()[classes] << np.uint8(2) | suits[kinds, patterns]
    return CanonicalDeals(
        classes.astype(np.int32), patterns.astype(np.int32),
        ways[kinds, patterns].astype(np.int32), examples,
    )  # fmt: skip


def canonical_rows(classes: Index, patterns: Index) -> Index:
    """Return the rows in which `canonical_deals` has deals."""
    firsts, places = _canonical_places()
    return firsts.take(classes) + places.take(rank_kinds().take(classes) * PATTERNS + patterns)


@cache
def _canonical_places() -> tuple[Index, Index]:
    """Return the first row of each class, and the place of each pattern after it, by kind."""
    places = np.cumsum(suit_ways() > 0, axis=1)
    numbers = places[:, -1][rank_kinds()]
    return np.cumsum(numbers) - numbers, places - 1


@cache
def crib_points() -> Floats:
    """Tabulate the points of two rank pairs and a starter, float64 ``(91, 91, 13)``."""
    pairs = RANK_PAIRS @ [13, 1]
    four = (pairs * 169)[:, None] + pairs
    return read_only(rank_point_table()[four[:, :, None] * 13 + np.arange(13)].astype(np.float64))


@cache
def rank_kinds() -> Index:
    """Return for each class which cards have the rank of the one before, a bit each."""
    same = class_ranks()[:, 1:] == class_ranks()[:, :-1]
    return read_only(same.astype(np.intp) @ (1 << np.arange(5)))


@cache
def suit_ways() -> NDArray[np.int64]:
    """Count the deals of each pattern that a class of each kind has, ``(32, 187)``."""
    of_pattern = pattern_numbers()[:, None] == np.arange(PATTERNS)
    return read_only(_can_be_dealt().astype(np.int64) @ of_pattern)


@cache
def _suits_of_patterns() -> Cards:
    """Tabulate suits of each pattern that a class of each kind can have, ``(32, 187, 6)``."""
    suits = np.zeros((32, PATTERNS, 6), dtype=np.uint8)
    for kind, numbers in enumerate(map(np.flatnonzero, _can_be_dealt())):
        suits[kind, pattern_numbers()[numbers]] = numbers[:, None] >> 2 * np.arange(6) & 3
    return suits


def _can_be_dealt() -> NDArray[np.bool_]:
    """Tell which suits of six sorted cards, numbered as in `pattern_numbers`, a kind can have."""
    suits = np.arange(4**6)[:, None] >> 2 * np.arange(6) & 3
    ascends = (suits[:, 1:] > suits[:, :-1]) @ (1 << np.arange(5))
    return np.asarray(np.arange(32)[:, None] & ~ascends == 0)  # cards of a rank are by their suits


def best_keep_sets(values: Floats, *, unit: float = 1.0) -> Policy:
    """Return the sets of keeps that tie for the best, uint16 ``(n,)``, of values ``(n, 15)``."""
    best = np.zeros((len(values), 16), dtype=bool)
    best[:, :15] = tied_best(values, unit=unit)
    packed = np.packbits(best, axis=1, bitorder="little")
    return packed.view("<u2").ravel().astype(np.uint16, copy=False)


def keep_entries(sets: Policy) -> tuple[Index, Index, NDArray[np.int64]]:
    """Expand sets of keeps, ``(n,)``: the row of the set, the keep, and the size of the set."""
    of_bytes = np.ascontiguousarray(sets, dtype="<u2").view(np.uint8)
    rows, keeps = np.divmod(np.flatnonzero(np.unpackbits(of_bytes, bitorder="little")), 16)
    return rows, keeps, np.bincount(rows, minlength=len(sets))[rows]


def pattern_suit_counts() -> NDArray[np.int64]:
    """Count, for each card of each pattern, the deal's cards of its suit: int64 ``(187, 6)``."""
    suits = pattern_suits()
    return np.asarray((suits[:, :, None] == suits[:, None, :]).sum(axis=2))


@cache
def suited_keeps() -> NDArray[np.bool_]:
    """Return which keeps of each pattern are of one suit, ``(187, 15)``."""
    suits = pattern_suits()[:, KEEPS]
    return read_only((suits == suits[..., :1]).all(axis=2))


@cache
def pattern_suits() -> Cards:
    """List the suits of each pattern, numbered as they appear: uint8 ``(187, 6)``."""
    suits_of_six = np.indices((4,) * 6, dtype=np.uint8).reshape(6, -1).T
    before = np.maximum.accumulate(suits_of_six, axis=1)
    as_they_appear = (suits_of_six[:, 0] == 0) & (suits_of_six[:, 1:] <= before[:, :-1] + 1).all(
        axis=1
    )
    return read_only(suits_of_six[as_they_appear])


@cache
def pattern_numbers() -> Index:
    """Tabulate patterns by the suits of six sorted cards, with the lowest card in bits 0 and 1."""
    suits_of_six = np.indices((4,) * 6).reshape(6, -1).T
    first = (suits_of_six[:, :, None] == suits_of_six[:, None, :]).argmax(axis=2)
    numbers = np.empty(4**6, dtype=np.intp)
    address = suits_of_six @ 4 ** np.arange(6)
    # Two rows have the same pattern if each card's suit first appears at the same card.
    patterns = pattern_suits()
    firsts = (patterns[:, :, None] == patterns[:, None, :]).argmax(axis=2) @ 6 ** np.arange(6)
    order = np.argsort(firsts)
    numbers[address] = order[np.searchsorted(firsts, first @ 6 ** np.arange(6), sorter=order)]
    return numbers


@cache
def _class_addresses() -> tuple[Index, Index, Index]:
    """Return tables that sum to a class: for three low ranks, three high ranks, and the sum.

    Ascending ranks r0..r5 become distinct numbers r0, r1 + 1 … r5 + 5, whose colexicographic
    number is a sum of binomials, so it splits into a part for each half.
    """
    ranks = np.array(list(product(range(13), repeat=3)))
    low, high = (
        sum(
            binomials()[place + 1][ranks[:, place - first] + place]
            for place in range(first, first + 3)
        )
        for first in (0, 3)
    )
    compact = np.full(comb(18, 6), -1, dtype=np.intp)
    halves = class_ranks().astype(np.intp).reshape(-1, 2, 3) @ [169, 13, 1]
    compact[np.asarray(low)[halves[:, 0]] + np.asarray(high)[halves[:, 1]]] = np.arange(CLASSES)
    return np.asarray(low, dtype=np.intp), np.asarray(high, dtype=np.intp), compact


def class_numbers(ranks: Columns) -> Index:
    """Return the classes of deals, intp ``(N,)``, given six columns of ascending ranks."""
    a, b, c, d, e, f = ranks
    low, high, compact = _class_addresses()
    thirteen = np.uint16(13)
    return compact.take(
        low.take((a * thirteen + b) * thirteen + c) + high.take((d * thirteen + e) * thirteen + f)
    )


def classify_columns(columns: Columns) -> tuple[Index, Index]:
    """Return the class and pattern of deals, given six ascending columns of cards."""
    ranks = [column >> np.uint8(2) for column in columns]
    a, b, c, d, e, f = (column & 3 for column in columns)
    code = (d | e << 2 | f << 4).astype(np.uint16) << 6
    code |= a | b << 2 | c << 4
    return class_numbers(ranks), pattern_numbers().take(code)
