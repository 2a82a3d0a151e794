"""Points that can be shown: by the player's hand, the opponent's given a discard, and the crib."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from cribev.classes.canonical import RANK_PAIRS, Floats, Index, rank_pair_numbers
from cribev.classes.class_tables import all_suitings
from cribev.game.cards import JACK, SUITLESS_OFFSET, Cards, unseen
from cribev.game.index_tables import DISCARDS, KEEPS, UNSEEN_PAIRS, Points
from cribev.game.roles import Role
from cribev.opponents.opponents import Opponent
from cribev.solution.strategy import keep_rank_counts
from cribev.values.holdings import opponent_keeps
from cribev.wins.pmfs import (
    SHOW_BINS,
    HandPoints,
    crib_pmf,
    crib_suits,
    hand_points,
    hand_suits,
    suitless_crib_pmf,
    suitless_hand_suits,
    suitless_keep_points,
)

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
