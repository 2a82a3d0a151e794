"""Points that can be shown: by the player's hand, the opponent's given a discard, and the crib."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import (
    RANK_PAIRS,
    Floats,
    Index,
    class_ways,
    crib_points,
    discard_rank_pairs,
    rank_pair_numbers,
)
from cribev.classes.class_tables import all_suitings
from cribev.game.cards import JACK, SUITLESS_OFFSET, Cards, unseen
from cribev.game.index_tables import DISCARDS, KEEPS, UNSEEN_PAIRS, Points, rank_point_table
from cribev.game.roles import Role
from cribev.opponents.opponents import Opponent
from cribev.solution.solved_play import KeepFrequencies
from cribev.solution.strategy import (
    RANK_KEEPS,
    GameSize,
    keep_rank_counts,
    kept_points,
    rank_keep_numbers,
)

SHOW_BINS = 30  # numbers of points a hand or a crib can have

_A_SUIT, _ANOTHER_SUIT = 1 / 4, 1 / 3  # of a card, and of one that is not of the starter's suit
_JACKS = (RANK_PAIRS == JACK).sum(axis=1)
_FLUSHES = 4 / 4**4  # of all ways to take one card of each of four ranks


class HandPoints(NamedTuple):
    """Distributions of the points of keeps, each keep as often as there are numbers of them."""

    keep: Index  # number, or place among those asked for, ``(m,)``
    points: Index
    chance: Floats

    def pmf(self) -> Floats:
        """Return the distribution of each keep's points, ``(1820, 30)``."""
        cells = self.keep * SHOW_BINS + self.points
        counts = np.bincount(cells, self.chance, RANK_KEEPS * SHOW_BINS).astype(np.float64)
        return counts.reshape(RANK_KEEPS, SHOW_BINS)


def opponent_keeps(
    dead_ranks: NDArray[np.int64], frequencies: KeepFrequencies
) -> tuple[Floats, Floats]:
    """Count ways to keep and discard, ``(1820, 91)``, and flushes among keeps, ``(1820,)``."""
    ways, keeps = class_ways(dead_ranks)[:, None], rank_keep_numbers()
    cells = (keeps * len(RANK_PAIRS) + discard_rank_pairs()).ravel()
    ways_of_keeps = np.bincount(
        cells, (ways * frequencies.share).ravel(), RANK_KEEPS * len(RANK_PAIRS)
    )
    pairs = ways_of_keeps.astype(np.float64).reshape(RANK_KEEPS, -1)
    kept = pairs.sum(axis=1)
    suited = np.bincount(keeps.ravel(), (ways * frequencies.flush).ravel(), RANK_KEEPS)
    return pairs, np.divide(suited, kept, out=np.zeros(RANK_KEEPS), where=kept > 0)


def hand_suits(left: NDArray[np.bool_], rank: int, flush: Floats) -> Floats:
    """Return how likely keeps have nobs, a flush, and one of the starter's suit, ``(4, 3, 1820)``.

    By the suit of a starter of a rank. ``left`` are the cards that may be in it or be cut, by rank
    and suit, ``(13, 4)``; ``flush`` is how often each keep is of one suit if all cards are left,
    ``(1820,)``.
    """
    number, (keeps, ranks) = left.sum(axis=1), _unpaired()
    number[rank] -= 1
    chances = np.zeros((4, 3, RANK_KEEPS))
    if rank != JACK:
        nobs = left[JACK] / np.maximum(number[JACK], 1)
        np.multiply.outer(nobs, keep_rank_counts()[:, JACK], out=chances[:, 0])
    of_suit = left[ranks].all(axis=0).T / np.maximum(number[ranks].prod(axis=0), 1)
    cut = of_suit * (ranks == rank).any(axis=0)  # with the starter in it
    total = of_suit.sum(axis=0) - cut
    chances[:, 1, keeps] = np.minimum(flush[keeps] * total / _FLUSHES, 1)
    suited = (of_suit - cut) / np.maximum(total, np.finfo(float).tiny)
    chances[:, 2, keeps] = chances[:, 1, keeps] * suited
    return chances


def played_hand_suits(
    left: NDArray[np.bool_], starter: int, played: list[int], flush: Floats
) -> Floats:
    """Return how likely keeps of which some cards lie there have nobs, and a flush, ``(3, 1820)``.

    First comes how likely they have nobs if they are no flush; then a flush, and one of the
    starter's suit. ``left`` are the cards not seen, ``(13, 4)``; ``played`` those of the keep whose
    suits were seen, so that keeps without their ranks mean nothing. ``flush`` is how often each
    keep is of one suit if all cards are left, ``(1820,)``.
    """
    (rank, suit), (keeps, ranks) = divmod(starter, 4), _unpaired()
    of_suit = left / np.maximum(left.sum(axis=1, keepdims=True), 1)  # by rank and suit, of a card
    seen = np.bincount([card >> 2 for card in played], minlength=len(left))
    jacks = (keep_rank_counts()[:, JACK] - seen[JACK]) * of_suit[JACK, suit]
    jacks = np.ones_like(jacks) if 4 * JACK + suit in played else np.maximum(jacks, 0)
    for card in played:
        of_suit[card >> 2] = np.arange(4) == card & 3
    alike = of_suit[ranks].prod(axis=0).T  # how likely all are of each suit, by chance
    total = alike.sum(axis=0)
    chances = np.zeros((3, RANK_KEEPS))
    # An opponent keeps a flush more or less often than other cards of the same ranks.
    suited, others = flush[keeps] / _FLUSHES * total, (1 - flush[keeps]) / (1 - _FLUSHES)
    weight = suited + others * (1 - total)
    chances[1, keeps] = np.divide(suited, weight, out=np.zeros_like(weight), where=weight > 0)
    chances[2, keeps] = chances[1, keeps] * alike[suit] / np.maximum(total, np.finfo(float).tiny)
    if rank != JACK:
        chances[0] = jacks
        has_jack = (ranks == JACK).any(axis=0)
        others_with_jack = np.maximum(jacks[keeps] - alike[suit] * has_jack, 0)
        chances[0, keeps] = np.divide(
            others_with_jack, 1 - total, out=np.zeros_like(others_with_jack), where=total < 1
        )
    return chances


def suitless_hand_suits(rank: int, flush: Floats, jack: float) -> Floats:
    """Return how likely keeps have nobs, a flush, and one of the starter's suit, ``(3, 1820)``.

    By the rank of the starter alone; ``jack`` is how likely a jack elsewhere has its suit.
    """
    counts, (keeps, _) = keep_rank_counts(), _unpaired()
    chances = np.zeros((3, RANK_KEEPS))
    chances[0], chances[1:, keeps] = counts[:, JACK] * jack, flush[keeps]
    chances[2] *= np.where(counts[:, JACK] > 0, jack, _A_SUIT) * (counts[:, rank] == 0)
    return chances


def hand_points(rank: int, suits: Floats, keeps: Index) -> HandPoints:
    """List what keeps make with a rank of starters, by the suits of `hand_suits`."""
    base, (nobs, flushes, suited) = kept_points()[keeps, rank], suits[:, keeps]
    has_jack = keep_rank_counts()[keeps, JACK] > 0
    columns = [
        (places := np.flatnonzero(chance), base[places] + gained[places], chance[places])
        for gained, chance in (
            (np.zeros_like(base), (1 - flushes) * (1 - nobs)),
            (np.ones_like(base), (1 - flushes) * nobs),
            (np.full_like(base, 4), flushes - suited),
            (5 + has_jack, suited),
        )
    ]
    keep, points, likely = map(np.concatenate, zip(*columns, strict=True))
    return HandPoints(keep, np.minimum(points, SHOW_BINS - 1), likely)


@cache
def _unpaired() -> tuple[Index, Index]:
    """List the keeps of four ranks, ``(715,)``, and these, ``(4, 715)``."""
    keeps = np.flatnonzero(keep_rank_counts().max(axis=1) == 1)
    return keeps, GameSize().holdings(4)[keeps].T


def crib_suits(left: NDArray[np.bool_], discards: Cards, starter: int) -> Floats:
    """Return how likely cribs of discards ``(n, 2)`` have nobs, a flush, both: ``(3, n, 91)``."""
    (rank, suit), (low, high) = divmod(starter, 4), RANK_PAIRS.T
    beside = left.copy()
    beside[rank, suit] = False
    number = beside.sum(axis=1)
    nobs, flush, both = chances = np.zeros((3, len(discards), len(RANK_PAIRS)))
    if rank != JACK:
        if beside[JACK, suit]:
            nobs += _JACKS / number[JACK]
        nobs[(discards == 4 * JACK + suit).any(axis=1)] = 1
    of_suit = beside[:, suit] / np.maximum(number, 1)
    suited = (discards & 3 == suit).all(axis=1)
    flush[suited] = np.where(low < high, of_suit[low] * of_suit[high], 0)
    both[:] = np.where(nobs > 0, flush, 0)  # of a flush a jack discarded makes nobs
    return chances


def crib_pmf(discards: Cards, rank: Index, suits: Floats) -> Floats:
    """Return how likely cribs of discards ``(n, 2)`` make points, by pair, ``(n, 91, 30)``.

    Each has its rank of starters, ``(n,)``; ``suits`` are averages of `crib_suits`, ``(3, n, 91)``.
    """
    pairs = rank_pair_numbers()[tuple((discards >> 2).T)]
    return _crib_pmf(crib_rank_points()[pairs, rank], *suits)


def suitless_crib_pmf(discard: Cards, rank: int, jack: float) -> Floats:
    """Return how likely the crib of two ranks makes points, over your suits, ``(91, 30)``."""
    ranks = np.stack(np.broadcast_arrays(*discard.astype(np.intp), *RANK_PAIRS.T, rank), axis=1)
    cards = np.sort(ranks, axis=1)
    differ = (cards[:, 1:] != cards[:, :-1]).all(axis=1)
    is_jack = ranks[:, :4] == JACK
    flush = differ * np.where(is_jack, jack, _A_SUIT).prod(axis=1)
    pair = rank_pair_numbers()[tuple(discard)]
    nobs, both = jack * is_jack.sum(axis=1), flush * is_jack.any(axis=1)
    return _crib_pmf(crib_rank_points()[pair, rank], nobs, flush, both)


def suitless_keep_points(keep: Cards, rank: int, *, nobs: bool) -> list[tuple[int, float]]:
    """List the points of a keep of four ranks with a starter's, and how likely each is by suits."""
    base = int(rank_point_table()[np.append(keep, rank) @ 13 ** np.arange(4, -1, -1)]) + nobs
    if len(np.unique(keep)) < len(keep):
        return [(base, 1.0)]
    # The chances that each card is of the starter's suit, and of a certain other.
    suited, other = np.full((2, 4), _A_SUIT)
    if rank != JACK:
        suited[keep == JACK], other[keep == JACK] = (1, 0) if nobs else (0, _ANOTHER_SUIT)
    suited[keep == rank], other[keep == rank] = 0, _ANOTHER_SUIT
    five, four = float(suited.prod()), float(3 * other.prod())
    points = ((base, 1 - four - five), (base + 4, four), (base + 5, five))
    return [(total, chance) for total, chance in points if chance]


@cache
def crib_rank_points() -> Index:
    """Count cribs by the ranks of own pair, starter and the opponent's pair, ``(91, 13, 91)``."""
    points = np.minimum(crib_points(), SHOW_BINS - 1).swapaxes(1, 2)
    return points.astype(np.intp, order="C")


def _crib_pmf(base: Index, nobs: Floats, flush: Floats, both: Floats) -> Floats:
    """Put together how likely nobs, a flush and both at once are, ``(..., 91)``."""
    likely = np.zeros((base.size, SHOW_BINS))
    for gained, chance in (
        (0, 1 - nobs - flush + both), (1, nobs - both), (5, flush - both), (6, both),
    ):  # fmt: skip
        row = np.flatnonzero(chance)
        points = np.minimum(base.ravel()[row] + gained, SHOW_BINS - 1)
        likely[row, points] += chance.ravel()[row]
    return likely.reshape(*base.shape, SHOW_BINS)


_IN_PAIRS = (np.arange(13)[:, None, None] == RANK_PAIRS).sum(axis=2)  # cards of a rank, by pair


class OpponentHands:
    """The cards that the opponent may keep, discard and show, given six cards.

    Discards are as likely as the opponent's weights say; the keeps that go with them are as likely
    as the opponent's keep frequencies say. `left` are the cards unseen, by rank and suit,
    ``(13, 4)``; `keeps` the keeps there may be, numbers, ``(n,)``; `kept` how likely each goes with
    each rank cut, ``(13, n)``.
    """

    def __init__(self, deal: Cards, role: Role, opponent: Opponent) -> None:
        unseen_cards = np.ones(52, dtype=bool)
        unseen_cards[deal] = False
        self.left = unseen_cards.reshape(13, 4)
        number = self.left.sum(axis=1)
        ways, self._flush = opponent_keeps(4 - number, opponent.discards.keeps(role))
        ranks = (unseen(deal) >> 2)[UNSEEN_PAIRS]
        pairs = rank_pair_numbers()[ranks[:, 0], ranks[:, 1]]
        weights = opponent.discards.weights(deal, role).sum(axis=1)
        discarded = np.bincount(pairs, weights, len(RANK_PAIRS))
        # A pair that these frequencies never discard goes with what is kept beside any other.
        never = ~ways.any(axis=0)
        ways[:, never] = ways.sum(axis=1, keepdims=True)
        ways *= discarded / np.maximum(ways.sum(axis=0), np.finfo(float).tiny)
        self.keeps = np.flatnonzero(ways.any(axis=1))
        self._ways = ways[self.keeps].T / (ways.sum() * 40)
        self._rest = number[:, None] - keep_rank_counts()[self.keeps].T
        # Of the cards of a rank some are discarded.
        self._with_rank = [np.flatnonzero(_IN_PAIRS[rank]) for rank in range(13)]
        self._discarded = [
            self._ways[pairs_with] * np.minimum(_IN_PAIRS[rank, pairs_with, None], self._rest[rank])
            for rank, pairs_with in enumerate(self._with_rank)
        ]
        gone = [chances.sum(axis=0) for chances in self._discarded]
        self.kept = self._ways.sum(axis=0) * self._rest - gone
        total = self.kept.sum()
        for chances in (self._ways, self.kept, *self._discarded):
            chances /= total
        self._shown = dict[tuple[float, ...], HandPoints]()
        self._suits = dict[int, Floats]()

    def with_cribs(self, cribs: Sequence[tuple[int, Floats]]) -> list[Floats]:
        """Return how likely each keep goes with a rank cut and a crib, by all these in one product.

        Of each, rank and chances of the crib by the pair discarded, ``(91, m)``; ``(m, n)`` each.
        """
        chances = np.concatenate([crib.T for _, crib in cribs]) @ self._ways
        by_crib = np.split(chances, np.cumsum([crib.shape[1] for _, crib in cribs])[:-1])
        for (rank, crib), likely in zip(cribs, by_crib, strict=True):
            likely *= self._rest[rank]
            likely -= crib[self._with_rank[rank]].T @ self._discarded[rank]
        return by_crib

    def shown(self, starters: tuple[int, ...]) -> HandPoints:
        """List keeps, by position, and their points with starters of a rank."""
        if starters not in self._shown:
            rank = starters[0] >> 2
            if rank not in self._suits:
                self._suits[rank] = hand_suits(self.left, rank, self._flush)
            suits = self._suits[rank][[starter & 3 for starter in starters]].mean(axis=0)
            self._shown[starters] = hand_points(rank, suits, self.keeps)
        return self._shown[starters]

    def suitless_shown(self, rank: int, jack: float) -> HandPoints:
        """List keeps and their points where your cards have no suits; see `suitless_hand_suits`."""
        if (rank, jack) not in self._shown:
            suits = suitless_hand_suits(rank, self._flush, jack)
            self._shown[rank, jack] = hand_points(rank, suits, self.keeps)
        return self._shown[rank, jack]


class StarterGroup(NamedTuple):
    """Starters of a rank that suits make worth the same to the player's hand."""

    rank: int
    own: list[tuple[int, float]]
    """Points of the player's hand, and their share of all starters of the rank."""
    crib: Floats  # distribution of the crib by the pair discarded, ``(91, 30)``
    shown: HandPoints  # what the opponent's hand makes, by its place among the keeps


class SuitedDeal:
    """Six cards with suits, ascending, and the points of each keep with each starter."""

    def __init__(self, deal: Cards, points: Points, role: Role, opponent: Opponent) -> None:
        self.deal, self.points = deal, points
        self.opponent = OpponentHands(deal, role, opponent)
        self.keeps = np.sort(deal[KEEPS] >> 2)
        self._starters = unseen(deal)
        # The chances of what suits add to cribs, by discard and starter, ``(15, 46, 3 * 91)``.
        left, discards = self.opponent.left, deal[DISCARDS]
        suits = [crib_suits(left, discards, starter) for starter in self._starters.tolist()]
        self._of_suits = np.stack(suits).transpose(2, 0, 1, 3).reshape(15, len(suits), -1)

    def starter_groups(self, discard: int, ranks: Sequence[int]) -> Iterator[StarterGroup]:
        """Split the starters of each of some ranks by what they make of the player's hand."""
        among = np.bincount(ranks, minlength=13)[self._starters >> 2] > 0
        starters = self._starters[among].astype(np.intp)
        codes = (starters >> 2) * SHOW_BINS + self.points[discard, among]
        codes, group = np.unique(codes, return_inverse=True)
        rank, points_made = np.divmod(codes, SHOW_BINS)
        members = group == np.arange(len(codes))[:, None]
        number = members.sum(axis=1)
        suits = (members / number[:, None]) @ self._of_suits[discard, among]
        suits = suits.reshape(len(codes), 3, -1).swapaxes(0, 1)
        cribs = crib_pmf(self.deal[DISCARDS[[discard]]], rank, suits)
        shares = number / np.bincount(starters >> 2)[rank]
        own = zip(points_made.tolist(), shares.tolist(), strict=True)
        for of_rank, own_starters, points, crib in zip(
            rank.tolist(), members, own, cribs, strict=True
        ):
            shown = self.opponent.shown(tuple(starters[own_starters].tolist()))
            yield StarterGroup(of_rank, [points], crib, shown)


class SuitlessDeal:
    """Six ranks, and some of the discards: each card has any suit."""

    def __init__(self, ranks: Cards, discards: Index, role: Role, opponent: Opponent) -> None:
        # The opponent's discards hardly depend on your suits: any deal of these ranks will do.
        deals = all_suitings(ranks + np.uint8(SUITLESS_OFFSET))
        self.opponent = OpponentHands(deals[len(deals) // 2], role, opponent)
        self.keeps, self.discards = ranks[KEEPS[discards]], ranks[DISCARDS[discards]]

    def starter_groups(self, discard: int, ranks: Sequence[int]) -> Iterator[StarterGroup]:
        """Split the starters of each of some ranks by whether they make nobs of a jack kept."""
        keep, discarded = self.keeps[discard], self.discards[discard]
        of_keep = int((keep == JACK).sum())
        for rank, nobs in product(ranks, (True, False)):
            jacks = 0 if rank == JACK else of_keep
            if not (often := jacks / 4 if nobs else 1 - jacks / 4):
                continue
            jack = 0.0 if nobs or rank == JACK else 1 / (4 - jacks)
            own = suitless_keep_points(keep, rank, nobs=nobs)
            yield StarterGroup(
                rank,
                [(points, often * chance) for points, chance in own],
                suitless_crib_pmf(discarded, rank, jack),
                self.opponent.suitless_shown(rank, jack),
            )
