"""The discards and keeps of a solution's expert: from the deck, from unseen cards, from six.

From the deck. A policy ignores the names of suits, so it is enough to count one pair for each of
169 *kinds*: two ranks, in one suit or in two. Kinds are numbered ``13 * rank + rank``, with the
lower rank first for two suits and the higher first for one. The pair that stands for a kind is of
clubs, or of clubs and diamonds with the lower rank of clubs.

A hand counts as many *parts* as make the share of each of its equal keeps a whole number.

From unseen cards. The opponent holds one of 9,366,819 hands. There is no need to list them. Of the
hands of the whole deck that discard a pair and keep a card x, let N(S) be those that also keep the
cards S. By inclusion and exclusion over the player's six cards, those that keep none of them are

    N() - Σ N(s) + Σ N(s, t) - Σ N(s, t, u),

because three cards are kept beside x. `DiscardCounts` has all but the last sum, which is over the
303,600 hands of three of the player's cards and three others. Hands are counted in parts here too,
so nothing is rounded before the end.

From six cards. The policy of a solution keeps what is best. But the play is solved for frequencies
by ranks, which mix discards of nearly the same value (`KeepFrequencies`), and nobody gains against
these. So if the policy keeps some ranks more often than these frequencies, some of the deals keep
other ranks instead, which it keeps too seldom. Four cards of one suit stay together.
"""

from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement, permutations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes import canonical
from cribev.classes.canonical import Floats, Index, Policy
from cribev.classes.class_tables import ClassTables, best_response, pattern_shares
from cribev.classes.ranking import tied_best
from cribev.errors import TableError
from cribev.game.cards import DECK_SIZE, Cards, CardsLike, as_cards, unseen
from cribev.game.index_tables import DISCARDS, KEEPS, PAIR_HAS, UNSEEN_PAIRS, read_only
from cribev.game.roles import Role
from cribev.solution.solution import Solution, load, shipped_keep_frequencies
from cribev.solution.strategy import rank_keep_numbers
from cribev.system.cache import Arrays, read_cached_arrays, read_shipped_arrays, write_cached_arrays

KIND_COUNT = 13 * 13
_BLOCK = 1 << 16  # canonical deals at a time


class DiscardCounts(NamedTuple):
    """The discards and keeps of a policy, in parts of a hand."""

    parts: NDArray[np.int64]  # how many parts a hand has, ``()``
    sets: Policy  # the different sets of keeps of the policy, ``(n,)``
    set_of_canonical: NDArray[np.unsignedinteger[Any]]
    """The place of each canonical deal among them, ``(18395 * 187,)``."""
    with_one: NDArray[np.int64]
    """Hands that discard a pair and keep a given card, by kind and card, ``(169, 52)``."""
    with_two: NDArray[np.int64]
    """The same with two given cards, by kind and their number, ``(169, 1326)``."""
    with_three: NDArray[np.unsignedinteger[Any]]
    """The same with three given cards, by kind and their number, ``(169, 22100)``."""


def discard_counts(policy: Policy) -> DiscardCounts:
    """Count what a policy, ``(18395, 187)``, discards; TableError if names of suits matter."""
    deals_of_all, triples = canonical.canonical_deals(), comb(DECK_SIZE, 3)
    sets, set_of_canonical = np.unique(policy, return_inverse=True)
    parts = np.lcm.reduce(np.bitwise_count(sets[sets > 0]).astype(np.int64))
    with_three = np.zeros(KIND_COUNT * triples, dtype=np.int64)
    for start in range(0, len(deals_of_all.deals), _BLOCK):
        block = slice(start, start + _BLOCK)
        deals = deals_of_all.examples[block]
        rows, keeps, sizes = canonical.keep_entries(
            policy[deals_of_all.classes[block], deals_of_all.patterns[block]]
        )
        discards, held = (deals[rows[:, None], places[keeps]] for places in (DISCARDS, KEEPS))
        weights = deals_of_all.deals[block][rows] * (parts // sizes)
        first, second = discards.T.astype(np.intp)
        kinds = pair_kinds()[0][first, second] * triples
        # Each deal stands for all its suit permutations: it counts in those that make its discard
        # stand for its kind.
        for permuted, stands in zip(suit_permutations(), _stands_for_kind(), strict=True):
            standing = np.flatnonzero(stands[first, second])
            a, b, c, d = np.sort(permuted[held[standing]], axis=1).T.astype(np.intp)
            kind, weight = kinds[standing], weights[standing]
            for three in ((a, b, c), (a, b, d), (a, c, d), (b, c, d)):
                np.add.at(with_three, kind + canonical.colex_rank(*three), weight)
    with_three, left = np.divmod(with_three.reshape(KIND_COUNT, -1), len(suit_permutations()))
    if left.any():
        raise TableError("expected a policy that does not know the names of suits")
    with_two = _with_one_less(with_three, 3)
    return DiscardCounts(
        parts,
        sets,
        set_of_canonical.ravel().astype(np.min_scalar_type(len(sets))),
        _with_one_less(with_two, 2),
        with_two,
        with_three.astype(np.min_scalar_type(with_three.max())),
    )


def _with_one_less(counts: NDArray[np.int64], cards: int) -> NDArray[np.int64]:
    """Count by one card less: each hand has it with each of the others that it keeps."""
    subsets = np.indices((DECK_SIZE,) * cards).reshape(cards, -1)
    subsets = subsets[:, (np.diff(subsets, axis=0) > 0).all(axis=0)]
    subsets = subsets[:, np.argsort(canonical.colex_rank(*subsets))]
    others = (np.delete(subsets, without, axis=0) for without in range(cards))
    less = np.concatenate([canonical.colex_rank(*subset) for subset in others])
    sums = np.stack([np.bincount(less, np.tile(of_kind, cards)) for of_kind in counts])
    return sums.astype(np.int64) // (5 - cards)


@cache
def suit_permutations() -> Cards:
    """Tabulate the cards after every permutation of the suits, uint8 ``(24, 52)``."""
    cards = np.arange(DECK_SIZE)
    suits = np.array(list(permutations(range(4))))
    return read_only((cards & ~3 | suits[:, cards & 3]).astype(np.uint8))


@cache
def pair_kinds() -> tuple[Index, Index]:
    """Return numbers of the kinds of pairs, and permutations to each kind's pair, ``(52, 52)``."""
    low, high = np.indices((DECK_SIZE, DECK_SIZE))
    suited = (low & 3) == (high & 3)
    low, high = low >> 2, high >> 2
    return np.where(suited, high * 13 + low, low * 13 + high), _stands_for_kind().argmax(axis=0)


@cache
def _stands_for_kind() -> NDArray[np.bool_]:
    """Mark the permutations that turn two cards into the pair for a kind, ``(24, 52, 52)``."""
    suits = suit_permutations() & 3
    low, high = suits[:, :, None], suits[:, None, :]
    ranks = np.arange(DECK_SIZE) >> 2
    of_two = np.where(ranks[:, None] == ranks, low + high == 1, (low == 0) & (high == 1))
    return read_only(np.where(low == high, low == 0, of_two))


UNSEEN = 46
_TWO_OWN = np.array(list(combinations(range(6), 2))).T
_THREE_OWN = np.array(list(combinations(range(6), 3)))
_STEPS = np.arange(3)[:, None]
_THREE_RANKS = np.array(list(combinations_with_replacement(range(13), 3)), dtype=np.uint8)
_THREE_RANKS = _THREE_RANKS[np.lexsort(_THREE_RANKS.T)].T  # in the order of their numbers


def exact_weights(deal: CardsLike, counts: DiscardCounts) -> NDArray[np.float64]:
    """Count the opponent's hands that discard each pair and leave each starter, given six cards.

    float64 ``(1035, 46)``: for each pair of the ascending unseen cards, and each of them as
    starter, how many of the 9,366,819 hands discard that pair and do not contain that starter. A
    hand with several equal keeps counts in part for each of them. The column of each starter sums
    to C(45, 6) = 8,145,060.
    """
    own = np.sort(as_cards(deal, count=6))
    rest = unseen(own)
    held = _with_none_to_two(own, rest, counts)
    held.reshape(-1)[_unseen_triples()[1]] -= _with_three(own, rest, counts)
    held[PAIR_HAS] = 0
    # A hand keeps four cards, so it was counted for four of the starters.
    left = held.sum(axis=1, keepdims=True) // 4 - held
    left[PAIR_HAS] = 0
    return np.asarray(left / counts.parts)


def _with_none_to_two(own: Cards, rest: Cards, counts: DiscardCounts) -> NDArray[np.int64]:
    """Look up N() - Σ N(s) + Σ N(s, t) for each discard and card kept, ``(1035, 46)``."""
    pairs = tuple(rest[UNSEEN_PAIRS.T])
    kinds, suits = (table[pairs] for table in pair_kinds())
    six = suit_permutations()[:, own].T.astype(np.intp)[..., None]  # (6, 24, 1)
    other = suit_permutations()[:, rest].astype(np.intp)  # (24, 46)
    row = kinds[:, None] * counts.with_one.shape[1]
    held: NDArray[np.int64] = counts.with_one.reshape(-1).take(row + other.take(suits, axis=0))
    row = kinds[:, None] * counts.with_two.shape[1]
    for two in canonical.colex_rank(*_sort_columns(six, other)):
        held -= counts.with_two.reshape(-1).take(row + two.take(suits, axis=0))
    row = kinds[:, None] * counts.with_three.shape[1]
    for three in canonical.colex_rank(*_sort_columns(*six[_TWO_OWN], other)):
        held += counts.with_three.reshape(-1).take(row + three.take(suits, axis=0))
    return held


def _with_three(own: Cards, rest: Cards, counts: DiscardCounts) -> NDArray[np.int32]:
    """Count hands of three own and three other cards that discard two others, ``(15180, 3)``."""
    (others, _), (_, keeps) = _unseen_triples(), _merging()
    three = own[_THREE_OWN]
    # All that matters of another card but its rank: how many own cards are below it, and its suit.
    # Of three others the former stand in bits 6 to 11, the suits in bits 0 to 5, the first highest.
    codes = (three[:, :, None] < rest).sum(axis=1) << 6 | (rest & 3)
    columns = np.broadcast_arrays(*(three >> 2).T[..., None], *_THREE_RANKS[:, None])
    classes = canonical.class_numbers(list(np.sort(columns, axis=0)))  # (20, 455)
    ranks = canonical.colex_rank(*((rest >> 2)[others].astype(np.intp) + _STEPS))
    # For each set of keeps and way to merge the share of each discard, and a fourth column: numpy
    # takes rows of sixteen bytes as fast as numbers.
    shares = np.zeros((len(counts.sets) * 64, 4), dtype=np.int32)
    share = counts.parts // np.maximum(np.bitwise_count(counts.sets), 1)
    discarded = counts.sets[:, None, None] >> keeps & 1
    shares[:, :3] = (discarded * share[:, None, None]).reshape(-1, 3)
    totals = np.zeros((len(ranks), 4), dtype=np.int32)
    for code, pattern, of_ranks in zip(codes, _patterns(three & 3), classes, strict=True):
        first, second, third = others
        coded = (code << 4).take(first) + (code << 2).take(second) + code.take(third)
        number = pattern.take(coded) + (of_ranks * canonical.PATTERNS).take(ranks)
        which = (counts.set_of_canonical.take(number).astype(np.intp) << 6) + (coded >> 6)
        totals += shares.take(which, axis=0)
    return totals[:, :3]


def _patterns(suits: Cards) -> Index:
    """Find the pattern of three own cards and three others by their codes, ``(20, 4096)``."""
    own, others = np.split(2 * _merging()[0], 2)
    codes = (suits[:, :, None].astype(np.intp) << own).sum(axis=1)  # (20, 64)
    of_others = np.indices((4, 4, 4)).reshape(3, 1, 64) << others[..., None]
    patterns = canonical.pattern_numbers().take(codes[..., None] + of_others.sum(axis=0))
    return np.reshape(patterns, (len(suits), -1))


@cache
def _unseen_triples() -> tuple[Index, Index]:
    """List three of the 46 unseen cards, ``(3, 15180)``, and where `_with_three` has them."""
    cards = np.array(list(combinations(range(UNSEEN), 3))).T
    pairs = np.zeros((UNSEEN, UNSEEN), dtype=np.intp)
    pairs[tuple(UNSEEN_PAIRS.T)] = np.arange(len(UNSEEN_PAIRS))
    a, b, c = cards
    places = [pairs[a, b] * UNSEEN + c, pairs[a, c] * UNSEEN + b, pairs[b, c] * UNSEEN + a]
    return cards, np.stack(places, axis=1)


@cache
def _merging() -> tuple[Index, Index]:
    """Merge three own cards and three others, both ascending, into a sorted hand, in 64 ways.

    A way is numbered by how many own cards are below each of the others, two bits each, the lowest
    card first; numbers that do not ascend stand for none. Returns the places of the own cards and
    of the others in the hand, ``(6, 64)``; and the keeps that discard the first two of the others,
    first and third, the last two, ``(64, 3)``.
    """
    below = np.indices((4, 4, 4)).reshape(3, 64)
    others = np.minimum(below + _STEPS, 5)
    free = (np.arange(6)[:, None, None] != others).all(axis=1)
    own = np.argsort(~free, axis=0, kind="stable")[:3]
    keep_of = np.zeros((6, 6), dtype=np.intp)
    keep_of[tuple(DISCARDS.T)] = np.arange(15)
    a, b, c = others
    keeps = np.stack([keep_of[a, b], keep_of[a, c], keep_of[b, c]], axis=1)
    return np.concatenate([own, others]), keeps


def _sort_columns(*cards: Index) -> list[Index]:
    """Sort arrays of cards place by place."""
    columns = list(cards)
    for last in range(len(columns) - 1, 0, -1):
        for place in range(last):
            low, high = columns[place : place + 2]
            columns[place : place + 2] = np.minimum(low, high), np.maximum(low, high)
    return columns


CACHE_FORMAT = 3
"""Version of the file in the cache; other versions are neither read nor touched."""


@cache
def expert_counts(solution: Solution, role: Role) -> DiscardCounts:
    """Return what the expert of a role discards from the whole deck.

    The counts of the shipped solution are shipped. Those of another take two seconds once, and are
    then read from the cache, 13 MB for each role.
    """
    name = counts_name(solution, role)

    def read(stored: Arrays) -> DiscardCounts:
        return DiscardCounts(**{name: stored[name] for name in DiscardCounts._fields})

    counts = read_cached_arrays(name, read)
    if counts is None:
        counts = read_shipped_arrays(name, read)
        if counts is None:
            counts = discard_counts(best_response(solution.cribs[role], role=role))
        write_cached_arrays(name, counts._asdict(), packed=False)
    return counts


def counts_name(solution: Solution, role: Role) -> str:
    """Name the counts of a role, by the checksum of its policy."""
    return f"expert-{role}-{solution.checksums[role]:08x}-{CACHE_FORMAT}.npz"


_CLASSES_HELD = 1024  # some 25 MB


def keep_chances(deal: CardsLike, *, role: Role) -> Floats:
    """Return how often an expert keeps each keep of a sorted deal, ``(15,)``."""
    classes, patterns = canonical.classify_deals(np.sort(as_cards(deal, count=6))[None])
    return np.asarray(chances_of_class(int(classes[0]), role)[patterns[0]])


@lru_cache(_CLASSES_HELD)
def chances_of_class(number: int, role: Role) -> Floats:
    """Return `keep_chances` of a class by pattern, ``(187, 15)``; 0 where no deal has it."""
    shares = pattern_shares(number)
    patterns = np.flatnonzero(shares)
    weights = shares[patterns]
    values = _tables(role).compared(np.full(len(patterns), number), patterns)[:, :15]
    best = tied_best(values, unit=canonical.STARTERS)
    pure = best / best.sum(axis=1, keepdims=True)
    suited = canonical.suited_keeps()[patterns]
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
    chances = np.zeros((canonical.PATTERNS, 15))
    chances[patterns] = pure + np.where(
        total > 0, taken / np.maximum(total, 1e-300) * moved.sum(axis=1, keepdims=True) - moved, 0
    )
    return read_only(chances)


@cache
def _tables(role: Role) -> ClassTables:
    return ClassTables(load(play=True).cribs[role], role)
