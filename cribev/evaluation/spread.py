"""The spread of hands and cribs: the least and the most of both, and squares of hands, exactly.

The standard deviations of cribs are by ranks, and of suits have only nobs of the jacks discarded.

The least and the most of fifteens, pairs and runs depend on the ranks dealt and kept. They are
tabulated by class and keep, with the ranks that bring the most. Suits add to that. Let R be the
most that ranks alone can bring. Nobs adds one to R if some outcome that brings R can have nobs;
otherwise, nobs brings no more than R. The most with a flush depends on the unseen ranks of its
suit.

A starter of some suits, of a kept jack or of a flush, adds to a hand, always the same. So the
squares are those by ranks, and what these starters add.

The least has neither nobs nor a fifth card of a flush: for some rank that brings the least, a card
of another suit is always unseen. But if four jacks are kept, one of them always makes nobs.

A set of cards is a number whose bit n is card n. A set of ranks has the bits of their clubs, so
``ranks * suits``, where suits are four bits, is the set of all cards of these ranks and suits.
"""

from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes import canonical
from cribev.classes.canonical import Floats, Index
from cribev.evaluation.plan import DealBatch, by_role
from cribev.evaluation.suitings import Suitings
from cribev.game.cards import JACK, SUITLESS_OFFSET, Cards
from cribev.game.index_tables import DISCARDS, KEEPS, Points, rank_point_table, read_only
from cribev.game.roles import Role
from cribev.opponents.opponents import Opponent

_Sets: TypeAlias = NDArray[np.uint64]
_Found: TypeAlias = tuple[Points, NDArray[Any], Index]

_BLOCK = 1 << 13  # deals at a time, so that what is worked out stays in cache
_NO_VARIANCE = 1e-9  # of a hand that every starter makes alike, as four aces
_HANDS = 1 << 7  # of which some cards lack suits, at a time: each can be a thousand deals
_FLUSH, _NOBS = np.uint8(4), np.uint8(1)
_CARDS = read_only(np.uint64(1) << np.arange(64, dtype=np.uint64))
_CLUBS, _SUITS = np.bitwise_or.reduce(_CARDS[:52:4]), np.bitwise_or.reduce(_CARDS[:4])
_JACKS = _SUITS * _CARDS[4 * JACK]
_OTHERS = 13 ** np.arange(2, 5)  # of three ranks beside two discarded, in `rank_point_table`


class Spread(NamedTuple):
    """The points that can follow a keep and its discard, uint8 ``(N,)``."""

    hand_min: Points
    hand_max: Points
    crib_min: Points
    crib_max: Points


class _Most(NamedTuple):
    """The ranks that bring the most by ranks alone, as sets."""

    starters: _Sets  # that make the most of the hand
    crib: _Sets  # the ranks of all that makes the most of the crib
    beside_jack: _Sets  # those of what has a jack, without it


class _RankTables(NamedTuple):
    """The points that ranks bring, by class and keep: ``(n,)`` for n classes times keeps."""

    points: NDArray[np.uint32]  # the four of `Spread`, a byte each
    most: _Sets  # the three of `_Most`, each a bit further up
    sums: NDArray[np.uint16]  # of the hand with a starter of each rank
    squares: NDArray[np.uint16]  # the sum of the hand's squares, over all starters


def spread_of_keeps(
    deals: DealBatch, keeps: NDArray[np.integer], hand_mean: Floats, opponent: Opponent
) -> dict[str, NDArray[Any]]:
    """Return the four of `Spread`, ``hand_sd`` and ``crib_sd`` of one keep of each deal, ``(N,)``.

    Cards without suits can be of any.
    """
    ends, squares, places = _followed(deals.columns, keeps)
    crib_sd = np.empty(len(keeps))
    for role, rows in by_role(deals.dealer):
        crib_sd[rows] = crib_deviations(opponent, role).take(places[rows])
    return {**ends._asdict(), "hand_sd": hand_deviations(squares, hand_mean), "crib_sd": crib_sd}


def hand_deviations(squares: NDArray[Any], hand_mean: Floats) -> Floats:
    """Return standard deviations of hands, whose squares sum to `squares` over all starters."""
    variances = squares / canonical.STARTERS - hand_mean**2
    return np.asarray(np.sqrt(np.where(variances > _NO_VARIANCE, variances, 0.0)))


def _followed(deals: Cards, keeps: NDArray[np.integer]) -> tuple[Spread, Floats, Index]:
    """Find the least and the most that can follow keeps, sums of squares of hands, and places."""
    points = np.empty((len(Spread._fields), len(keeps)), dtype=np.uint8)
    squares, places = np.empty(len(keeps)), np.empty(len(keeps), dtype=np.intp)
    bare = deals >= SUITLESS_OFFSET
    for rows, ends, step in (
        (~bare.any(axis=0), spread_of_cards, _BLOCK),
        (bare.all(axis=0), _of_ranks, _BLOCK),
        (bare.any(axis=0) & ~bare.all(axis=0), _of_both, _HANDS),
    ):
        chosen = None if rows.all() else np.flatnonzero(rows)
        for start in range(0, len(keeps) if chosen is None else len(chosen), step):
            block: Any = slice(start, start + step)
            block = block if chosen is None else chosen[block]
            of_block, squares[block], places[block] = ends(deals[:, block], keeps[block])
            points[:, block] = of_block.T
    return Spread(*points), squares, places


@lru_cache(maxsize=4)  # both roles of two opponents
def crib_deviations(opponent: Opponent, role: Role) -> Floats:
    """Return standard deviations of cribs, to some hundredths of a point, as `_places` has them."""
    jacks = (canonical.class_ranks()[:, DISCARDS] == JACK).sum(axis=2)
    unseen = 12 * (1 - 5 / 51)  # of a jack's suit, on average
    nobs = jacks * unseen / canonical.STARTERS
    return read_only(np.sqrt(opponent.discards.crib_variances(role) + nobs * (1 - nobs)).ravel())


def spread_of_cards(deals: Cards, keeps: NDArray[np.integer]) -> _Found:
    """Find the four of `Spread` for deals with suits, ``(n, 4)``, squares and places."""
    tables, place = _rank_tables(), _places(deals >> np.uint8(2), keeps)
    points, most = _by_ranks(tables, place)
    discarded = _chosen(deals, DISCARDS, keeps)
    in_crib, seen = (np.bitwise_or.reduce(_CARDS.take(cards)) for cards in (discarded, deals))
    kept, unseen = seen ^ in_crib, ~seen
    jacks = _jack_suits(kept)
    points[:, 1] += most.starters * jacks & unseen != 0
    nobs = most.crib * _jack_suits(in_crib) | most.beside_jack * _jack_suits(unseen)
    points[:, 3] += nobs & unseen != 0

    suits = kept.copy()
    for shift in (32, 16, 8, 4):
        suits |= suits >> np.uint64(shift)
    suits &= _SUITS
    flush = suits & (suits - np.uint64(1)) == 0
    changed = np.flatnonzero(flush)
    cards = _chosen(deals[:, changed], KEEPS, keeps[changed])
    points[changed, 0] += _FLUSH
    points[changed, 1] = _most_of_hand_flush(cards >> np.uint8(2), unseen[changed], cards[0] & 3)

    squares = tables.squares.take(place).astype(np.int32)
    changed = np.flatnonzero(flush | (jacks > 0))
    squares[changed] += _suit_squares(
        deals[:, changed], keeps[changed], tables.sums.take(place[changed]).astype(np.int32),
        np.where(flush, suits, jacks)[changed], flush[changed], jacks[changed] > 0,
    )  # fmt: skip

    changed = np.flatnonzero((discarded[0] ^ discarded[-1]) & 3 == 0)
    cards = discarded[:, changed]
    flush = _most_of_crib_flush(cards >> np.uint8(2), unseen[changed], cards[0] & 3)
    points[changed, 3] = np.maximum(points[changed, 3], flush)
    return points, squares, place


def _suit_squares(
    deals: Cards,
    keeps: NDArray[np.integer],
    sums: NDArray[np.int32],
    suits: _Sets,
    flush: NDArray[np.bool_],
    jack: NDArray[np.bool_],
) -> NDArray[np.int32]:
    """Sum what suits add to the squares of hands: `suits` are those of which a starter adds."""
    ranks = deals >> np.uint8(2)
    # Of each suit there is a starter of each rank, but for the cards that are held.
    held = rank_point_table().take(_hand_bases(_chosen(ranks, KEEPS, keeps)) + ranks)
    of_suits = (suits.astype(np.uint8) >> (deals & np.uint8(3))) & np.uint8(1)
    number = np.bitwise_count(suits).astype(np.int32)
    starters = 13 * number - of_suits.sum(axis=0, dtype=np.int32)
    of_starters = number * sums - (held * of_suits).sum(axis=0, dtype=np.int32)
    more = 1 + flush * jack.astype(np.int32)
    whole = 4 * sums - held.sum(axis=0, dtype=np.int32) + more * starters  # without a flush's four
    added: NDArray[np.int32] = 2 * more * of_starters + more**2 * starters
    added += flush * (8 * whole + 16 * canonical.STARTERS)
    return added


def _of_ranks(cards: Cards, keeps: NDArray[np.integer]) -> _Found:
    """Find what `spread_of_cards` does for deals without suits: for the most, clubs serve."""
    ranks = cards - np.uint8(SUITLESS_OFFSET)
    tables, place = _rank_tables(), _places(ranks, keeps)
    points, most = _by_ranks(tables, place)
    kept, discarded = (_chosen(ranks, places, keeps) for places in (KEEPS, DISCARDS))
    jack = [(ranks_of_part == JACK).any(axis=0) for ranks_of_part in (kept, discarded)]
    points[:, 1] += jack[0] & (most.starters & ~_JACKS != 0)
    points[:, 3] += jack[1] & (most.crib & ~_JACKS != 0) | (most.beside_jack != 0)
    gone = [
        _CARDS.take(4 * rank) * (rank == last)
        for rank, last in zip(ranks[:-3], ranks[3:], strict=True)
    ]
    unseen = (_CLUBS & ~np.bitwise_or.reduce(gone)) * _SUITS
    clubs = np.zeros(len(keeps), dtype=np.uint8)
    for column, ranks_of_part, flush in (
        (1, kept, _most_of_hand_flush),
        (3, discarded, _most_of_crib_flush),
    ):
        left = unseen & ~np.bitwise_or.reduce(_CARDS.take(4 * ranks_of_part))
        can = (ranks_of_part[1:] != ranks_of_part[:-1]).all(axis=0)
        points[:, column] = np.maximum(points[:, column], can * flush(ranks_of_part, left, clubs))
    return points, _suitless_squares().take(place), place


def _of_both(hands: Cards, keeps: NDArray[np.integer]) -> _Found:
    """Find what `spread_of_cards` does for hands of which some cards have suits."""
    suitings = Suitings.of(np.ascontiguousarray(hands.T))
    alike = suitings.alike[np.arange(len(keeps)), keeps]
    deals, places = np.nonzero(alike[suitings.rows])
    ends, squares, own_places = spread_of_cards(
        suitings.deals[deals].T, suitings.keeps[deals, places]
    )
    starts = np.searchsorted(suitings.rows[deals], np.arange(len(keeps)))
    of_hands = (extreme.reduceat(ends, starts) for extreme in (np.minimum, np.maximum))
    means = np.add.reduceat(squares, starts) / np.diff(starts, append=len(squares))
    return np.where(np.arange(4) % 2, *reversed([*of_hands])), means, own_places[starts]


def _places(ranks: Cards, keeps: NDArray[np.integer]) -> Index:
    """Return where `_RankTables` has the keeps of deals by ascending ranks."""
    places: Index = canonical.class_numbers(list(ranks)) * len(KEEPS) + keeps
    return places


def _by_ranks(tables: _RankTables, place: Index) -> tuple[Points, _Most]:
    """Look up what ranks bring: the four of `Spread`, ``(n, 4)``, and of what the most is made."""
    most = tables.most.take(place)
    sets = (most >> np.uint64(shift) & _CLUBS for shift in range(3))
    return tables.points.take(place).view(np.uint8).reshape(-1, 4), _Most(*sets)


def _chosen(cards: Cards, places: Index, keeps: NDArray[np.integer]) -> Cards:
    """Take the cards of deals, ``(6, n)``, that are kept or discarded with keeps, ``(k, n)``."""
    number = len(keeps)
    columns = np.arange(number)
    chosen = [place.take(keeps) + columns for place in places.T * number]
    return cards.ravel().take(np.stack(chosen))


def _jack_suits(cards: _Sets) -> _Sets:
    """Tell of which suits there are jacks, four bits."""
    suits: _Sets = (cards & _JACKS) >> np.uint64(4 * JACK)
    return suits


def _hand_bases(kept: Cards) -> Index:
    """Return where `rank_point_table` has keeps by their ranks, ``(4, n)``, before the starter."""
    bases: Index = 13 ** np.arange(1, 5) @ kept.astype(np.intp)
    return bases


def _most_of_hand_flush(kept: Cards, unseen: _Sets, suit: Cards) -> Points:
    """Find the most of four cards of one suit, by their ranks ``(4, n)``: uint8 ``(n,)``."""
    base, jack = _hand_bases(kept), (kept == JACK).any(axis=0)
    of_suit = unseen >> suit.astype(np.uint64)
    most = np.zeros(len(suit), dtype=np.uint8)
    for rank in range(13):
        suits = _SUITS * _CARDS[4 * rank]
        points = rank_point_table().take(base + rank) + _FLUSH
        points += (of_suit & _CARDS[4 * rank] != 0) * (_NOBS + jack)
        np.maximum(most, points * (unseen & suits != 0), out=most)
    return most


def _most_of_crib_flush(discarded: Cards, unseen: _Sets, suit: Cards) -> Points:
    """Find the most of a crib flush, by the ranks discarded, ``(2, n)``: uint8 ``(n,)``."""
    ranks = unseen >> suit.astype(np.uint64) & _CLUBS
    for shift, mask in _CLOSER:
        ranks = (ranks | ranks >> shift) & mask
    most: Points = _crib_flushes()[[1, 13] @ discarded.astype(np.intp), ranks]
    return most


_CLOSER = [
    (np.uint64(3 * n), np.uint64(sum((1 << 2 * n) - 1 << 8 * n * at for at in range(8 // n))))
    for n in (1, 2, 4, 8)
]
"""The shifts that bring every fourth bit of 64 next to the one before."""


@cache
def _rank_tables() -> _RankTables:
    """Tabulate what ranks bring at least and at most."""
    hand, starters, sums, squares = _hand_ends()
    crib, brought = _crib_ends()
    points = np.concatenate([hand, crib], axis=2).view(np.uint32)
    return _RankTables(points.ravel(), (starters | brought).ravel(), sums.ravel(), squares.ravel())


def _hand_ends() -> tuple[Points, _Sets, NDArray[np.uint16], NDArray[np.uint16]]:
    """Find the least and the most of keeps, ``(n, 15, 2)``, the starters of the most, and sums.

    Those are `sums` and `squares` of `_RankTables`, ``(n, 15)``.
    """
    kept, counts = canonical.class_ranks()[:, KEEPS].astype(np.intp), canonical.class_counts()
    base = kept @ 13 ** np.arange(1, 5)
    least, most = np.full(base.shape, 255, np.uint8), np.zeros(base.shape, np.uint8)
    starters, sums, squares = (np.zeros(base.shape, kind) for kind in ("u8", "u2", "u2"))
    for rank in range(13):
        points, gone = rank_point_table().take(base + rank), counts[:, rank, None] == 4
        sums += points
        squares += (4 - counts[:, [rank]]).astype(np.uint16) * points * points
        np.minimum(least, points, out=least, where=~gone)
        points *= ~gone
        club = _CARDS[4 * rank]
        starters = np.where(points > most, club, starters | club * (points == most))
        np.maximum(most, points, out=most)
    least += (kept == JACK).all(axis=2)
    return np.stack([least, most], axis=2), starters, sums, squares


@cache
def _suitless_squares() -> Floats:
    """Sum average squares of hands of any suits over the starters, in the places of `_places`."""
    kept, counts = canonical.class_ranks()[:, KEEPS].astype(np.intp), canonical.class_counts()
    squares, base = np.zeros(kept.shape[:2]), kept @ 13 ** np.arange(1, 5)
    jacks, flush = (kept == JACK).sum(axis=2), (kept[..., 1:] > kept[..., :-1]).all(axis=2) / 64
    for rank in range(13):
        points = rank_point_table().take(base + rank).astype(np.float64)
        # A starter of the flush's suit makes five, and nobs with its jack.
        nobs, fifth = jacks / 4 * (rank != JACK), flush / 4 * (kept != rank).all(axis=2)
        more = (
            2 * points * (4 * flush + fifth + nobs) + 16 * flush + (9 + 10 * jacks) * fifth + nobs
        )
        squares += (4 - counts[:, [rank]]) * (points**2 + more)
    return read_only(squares.ravel())


def _crib_ends() -> tuple[Points, _Sets]:
    """Find the least and the most of cribs, ``(n, 15, 2)``, and all that makes the most.

    That is the last two of `_Most`, in their places.
    """
    counts = canonical.class_counts()
    outcomes = np.array(list(combinations_with_replacement(range(13), 3)))
    # A rank is short if more of it is held than leaves what is needed: a bit for rank and number.
    needed = (outcomes[:, :, None] == np.arange(13)).sum(axis=1)
    numbers, bits = np.arange(1, 5)[:, None], _CARDS[:52].reshape(4, 13)
    needs = np.where(needed[:, None] == numbers, bits, 0).sum(axis=(1, 2))
    lacks = np.where(counts[:, None] > 4 - numbers, bits, 0).sum(axis=(1, 2))
    sets = np.bitwise_or.reduce(_CARDS[4 * outcomes], axis=1)
    beside = np.where(sets & _JACKS, sets & ~_JACKS, 0)
    brings = sets << np.uint64(1) | beside << np.uint64(2)

    discarded = (canonical.class_ranks()[:, DISCARDS].astype(np.intp) @ [1, 13]).ravel()
    order = discarded.argsort(kind="stable")
    alike, starts = np.unique(discarded[order], return_index=True)
    ends, brought = np.zeros((len(discarded), 2), np.uint8), np.zeros(len(discarded), np.uint64)
    for number, places in zip(alike.tolist(), np.split(order, starts[1:]), strict=True):
        points = rank_point_table()[number + outcomes @ _OTHERS]
        lacking, ascending = lacks[places // len(DISCARDS)], points.argsort(kind="stable")
        left = np.arange(len(places))
        for outcome in ascending.tolist():
            can = lacking[left] & needs[outcome] == 0
            ends[places[left[can]], 0] = points[outcome]
            left = left[~can]
            if not len(left):
                break
        most, bringing = np.zeros((2, len(places)), np.uint64)
        left, level = np.arange(len(places)), points.max()
        for outcome in ascending[::-1].tolist():
            if points[outcome] < level:  # what can be had of the level before is known
                left, level = left[most[left] == 0], points[outcome]
                if not len(left):
                    break
            can = left[lacking[left] & needs[outcome] == 0]
            most[can] = level
            bringing[can] |= brings[outcome]
        ends[places, 1], brought[places] = most, bringing
    return ends.reshape(-1, len(DISCARDS), 2), brought.reshape(-1, len(DISCARDS))


@cache
def _crib_flushes() -> Points:
    """Tabulate the most of a crib flush, by ranks discarded and unseen ranks, ``(169, 8192)``."""
    outcomes = np.array(list(combinations(range(13), 3)))
    discarded = np.indices((13, 13)).reshape(2, -1).T[:, ::-1]
    jack = (outcomes == JACK).any(axis=1) | (discarded == JACK).any(axis=1)[:, None]
    points = rank_point_table()[(discarded @ [1, 13])[:, None] + outcomes @ _OTHERS]
    # With a jack among the five there is nobs too: another of what comes can be the starter.
    points += _FLUSH + _NOBS + jack
    twice = (discarded[:, 1:] == discarded[:, :-1]).any(axis=1)
    most = np.zeros((len(discarded), 1 << 13), dtype=np.uint8)
    most[:, (1 << outcomes).sum(axis=1)] = np.where(twice[:, None], 0, points)
    by_bits = most.reshape(len(discarded), *(2,) * 13)
    for axis in range(1, 14):  # with one rank more there is at least as much to score
        without, having = np.moveaxis(by_bits, axis, 0)
        np.maximum(without, having, out=having)
    return most
