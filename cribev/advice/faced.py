"""What a player faces before the cut: how the opponent's hand and the crib go with each starter."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from cribev.advice.belief import opponent_keeps
from cribev.advice.outcomes import DealOutcomes
from cribev.advice.show_pmf import (
    crib_pmf,
    hand_pmf,
    suitless_crib_pmf,
    suitless_hand_pmf,
    suitless_keep_points,
)
from cribev.classes.canonical import RANK_PAIRS, Floats, Index, rank_pair_numbers
from cribev.classes.suit_averages import all_suitings
from cribev.game.cards import JACK, Cards, unseen
from cribev.game.index_tables import DISCARDS, KEEPS, UNSEEN_PAIRS
from cribev.game.roles import Role
from cribev.opponents.models import Opponent
from cribev.solution.keeps import keep_rank_counts


class Faced:
    """What the opponent may keep, throw and show beside six cards.

    Discards are as likely as the opponent's weights say; the keeps that go with them are as likely
    as the opponent's keep frequencies say.

    Attributes
    ----------
    left
        The cards unseen, by rank and suit, ``(13, 4)``.
    keeps
        The keeps there may be, numbers, ``(n,)``.
    chance
        How likely each goes with each pair of ranks thrown and each rank cut, ``(13, n, 91)``.
    kept
        The same for whatever is thrown, ``(13, n)``.
    """

    def __init__(self, deal: Cards, role: Role, opponent: Opponent) -> None:
        unseen_cards = np.ones(52, dtype=bool)
        unseen_cards[deal] = False
        self.left = unseen_cards.reshape(13, 4)
        number = self.left.sum(axis=1)
        ways, self._flush = opponent_keeps(4 - number, opponent.keep_frequencies(role))
        ranks = (unseen(deal) >> 2)[UNSEEN_PAIRS]
        pairs = rank_pair_numbers()[ranks[:, 0], ranks[:, 1]]
        thrown = np.bincount(pairs, opponent.weights(deal, role).sum(axis=1), len(RANK_PAIRS))
        # A pair that these frequencies never throw goes with what is kept beside any other.
        never = ~ways.any(axis=0)
        ways[:, never] = ways.sum(axis=1, keepdims=True)
        ways *= thrown / np.maximum(ways.sum(axis=0), np.finfo(float).tiny)
        self.keeps = np.flatnonzero(ways.any(axis=1))
        counts = keep_rank_counts()[self.keeps].T
        in_pairs = (np.arange(13)[:, None, None] == RANK_PAIRS).sum(axis=2)
        rest = number[:, None, None] - counts[:, :, None] - in_pairs[:, None]
        chance = ways[self.keeps] * np.maximum(rest, 0)
        self.chance: Floats = chance / chance.sum()
        self.kept: Floats = self.chance.sum(axis=2)
        self._hands = dict[tuple[float, ...], tuple[Index, Index, Floats]]()

    def hands(self, starters: tuple[int, ...]) -> tuple[Index, Index, Floats]:
        """List which of the keeps may make how many points with starters of a rank, and how likely.

        The arrays are ``(m,)``, by keep.
        """
        if starters not in self._hands:
            self._hands[starters] = self._list(hand_pmf(self.left, starters, self._flush))
        return self._hands[starters]

    def suitless_hands(self, rank: int, jack: float) -> tuple[Index, Index, Floats]:
        """List the same where your cards have no suits, as for `suitless_hand_pmf`."""
        if (rank, jack) not in self._hands:
            self._hands[rank, jack] = self._list(suitless_hand_pmf(rank, self._flush, jack))
        return self._hands[rank, jack]

    def _list(self, pmf: Floats) -> tuple[Index, Index, Floats]:
        pmf = pmf[self.keeps]
        row, points = np.nonzero(pmf)
        return row, points, pmf[row, points]


class Cut(NamedTuple):
    """Starters of a rank, with what suits can add to the player's hand, and all that follows."""

    rank: int
    own: list[tuple[int, float]]
    """Points of the player's hand, and how often of all starters of the rank it makes them."""
    crib: Floats
    """How likely the crib makes so many points, by the pair thrown, ``(91, 30)``."""
    shown: tuple[Index, Index, Floats]
    """What the opponent's hand makes, as `Faced.hands`."""


class SuitedDeal:
    """Six cards with suits: all 15 discards."""

    def __init__(self, outcomes: DealOutcomes, role: Role, opponent: Opponent) -> None:
        self.outcomes, self.faced = outcomes, Faced(outcomes.deal, role, opponent)
        self.keeps = np.sort(outcomes.deal[KEEPS] >> 2)

    def cuts(self, discard: int, starters: list[int]) -> Iterator[Cut]:
        """Go over the starters of these ranks by what they make of the player's hand."""
        deal, faced = self.outcomes.deal, self.faced
        rest, own_points = unseen(deal), self.outcomes.hands[discard]
        for points in np.unique(own_points).tolist():
            for rank in starters:
                cut = tuple(rest[(own_points == points) & (rest >> 2 == rank)].tolist())
                if cut:
                    share = len(cut) / int(faced.left[rank].sum())
                    crib = crib_pmf(faced.left, deal[DISCARDS[discard]], cut)
                    yield Cut(rank, [(points, share)], crib, faced.hands(cut))


class SuitlessDeal:
    """Six ranks, and some of the discards: each card has any suit."""

    def __init__(self, ranks: Cards, discards: Index, role: Role, opponent: Opponent) -> None:
        # What the opponent throws hardly goes by your suits: any deal of these ranks tells it.
        deals = all_suitings(ranks)
        self.faced = Faced(deals[len(deals) // 2], role, opponent)
        self.keeps, self.discards = ranks[KEEPS[discards]], ranks[DISCARDS[discards]]

    def cuts(self, discard: int, starters: list[int]) -> Iterator[Cut]:
        """Go over these ranks of starters, and whether they make nobs of a jack that is kept."""
        keep, thrown = self.keeps[discard], self.discards[discard]
        for rank in starters:
            jacks = 0 if rank == JACK else int((keep == JACK).sum())
            for nobs, share in ((True, jacks / 4), (False, 1 - jacks / 4)):
                if not share:
                    continue
                jack = 0.0 if nobs or rank == JACK else 1 / (4 - jacks)
                own = suitless_keep_points(keep, rank, nobs=nobs)
                yield Cut(
                    rank,
                    [(points, share * chance) for points, chance in own],
                    suitless_crib_pmf(thrown, rank, jack),
                    self.faced.suitless_hands(rank, jack),
                )
