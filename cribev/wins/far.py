"""Chances to win of many deals, by an expansion, if both players need 32 points or more.

The chance to win is then a smooth function of the points of both. It is computed for each starter,
by whole points of the player's own hand and over the cribs that the usual discards make with this
one. For the rest, it is replaced by the polynomial of third degree that fits it best where both
make what is usual. So it depends on the second and third moments of what differs: what is pegged
with this keep, the opponent's hand given these cards, and how the crib differs.

Moments by keep and by pair discarded come from the play with the keep. How far they change with
both at once, and with the starter, takes minutes to compute; `solver.moments` did so against an
expert. The result is shipped, and serves against every opponent.
"""

from functools import cached_property
from importlib.resources import files
from math import comb

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from cribev.classes import canonical
from cribev.classes.canonical import (
    RANK_PAIRS,
    STARTERS,
    Floats,
    Index,
    class_counts,
    discard_rank_pairs,
)
from cribev.classes.crib_averages import sum_over_opponents
from cribev.classes.ranking import DiscardValues
from cribev.errors import TableError
from cribev.game import roles, score
from cribev.game.cards import JACK, Cards
from cribev.game.index_tables import KEEPS
from cribev.game.roles import Role
from cribev.game.score import WINNING_SCORE, Score
from cribev.game.scorer import score_card_arrays
from cribev.opponents.opponents import Opponent
from cribev.solution.solved_play import ExpectedPegging
from cribev.solution.strategy import keep_rank_counts, kept_points, rank_keep_numbers
from cribev.solution.win_table import DealEnds, WinTable
from cribev.wins.hands import SHOW_BINS, crib_rank_points
from cribev.wins.near import class_deals, unseen_columns

MOMENTS = (2, 0), (0, 2), (1, 1), (3, 0), (2, 1), (1, 2), (0, 3)
"""Powers of what the player, and the opponent, makes beyond the average."""

SHIPPED = files("cribev") / "data" / "moments.npz"

FLUSH_POINTS = 4 + 9 / 46  # with a starter of the suit it is five

_BELOW = 12  # nobody makes this many points less than usual

_FLUSH_WAYS = comb(STARTERS, 4) * 4 * comb(13, 4) / comb(52, 4)  # that are left on average

_MANY_CLASSES = 1 << 10  # beside more, hands are averaged beside all at once, in as long

_DEALS_AT_ONCE = 8  # so that what is looked up for them stays in cache

_SIDE = WINNING_SCORE + 2 * SHOW_BINS - 1  # points that are tabulated, of either player

_DEGREE = 3  # of the polynomial

_POWERS = (0, 0), (1, 0), (0, 1), *MOMENTS
"""The powers of both players' points in it."""


class FarEnds:
    """The chances to win of a role far from the end; TableError if the solution is without play."""

    def __init__(self, opponent: Opponent, role: Role) -> None:
        solution, pegging = opponent.play.game(), opponent.pegging(role)
        if solution.play is None or solution.win_table is None or pegging is None:
            raise TableError("the solution is for the show alone: nobody wins by it")
        self._role, self._pegging = role, pegging
        theirs = solution.play.expected_pegging[roles.opposite_role(role)]
        self.hands = faced = _OpponentHands(opponent, role, theirs)
        keeps = solution.play.statistics[role]
        ways = crib_rank_points().reshape(-1, len(RANK_PAIRS))
        cribs = np.stack([np.bincount(points, faced.discarded, SHOW_BINS) for points in ways])
        # The distribution of the crib by own pair and starter.
        cribs = cribs.reshape(len(RANK_PAIRS), 13, -1) / faced.discarded.sum()
        self._cribs = cribs.astype(np.float32)
        self._crib_by_starter = cribs @ np.arange(SHOW_BINS)
        pmf = keeps.joint_pmf / keeps.joint_pmf.sum(axis=(1, 2), keepdims=True, dtype=np.float64)
        moments = _peg_moments(pmf)
        # Differences from starter to starter are looked up, and must not count as variance too.
        with_own, with_other = keeps.hand_covariance.T
        moments[1:3] += 2 * with_other, with_own
        self.of_keep = moments
        """`MOMENTS` of what both make by the keep, ``(7, 1820)``."""
        with_hand, with_own, with_other = faced.with_crib
        self.of_pair = np.zeros((len(MOMENTS), len(cribs)))
        """The addition of the crib to them by the pair discarded, ``(7, 91)``; 0 from the fourth
        on."""
        if role == "dealer":
            self.of_pair[[0, 2]] = 2 * with_own, with_hand + with_other
        else:
            self.of_pair[[1, 2]] = 2 * (with_hand + with_other), with_own
        self._tables = _ends_of_deals(solution.win_table, role)
        self._usual = usual = np.tensordot(keeps.share, pmf, axes=1)
        """The usual distribution of what both peg, ``(32, 32)``."""
        self._usual_moments = _peg_moments(usual[None])
        points = np.arange(len(usual))
        self._usual_pegs = usual.sum(axis=1) @ points, usual.sum(axis=0) @ points
        hand = faced.pmf.mean(axis=0)
        self._usual_hand = _hand_moments(hand)
        self._third_by_starter = _hand_moments(faced.pmf)[2] - self._usual_hand[2]
        both = np.zeros((len(usual), usual.shape[1] + SHOW_BINS - 1))
        for shown, chance in enumerate(hand):
            both[:, shown : shown + usual.shape[1]] += chance * usual
        self._terms = _terms(both)
        self._windows = dict[int, NDArray[np.float32]]()

    def _looked_up(self, outcome: int) -> NDArray[np.float32]:
        """Return the `_terms` of one outcome, ``(192, 163, 300)``: ten for each point of the crib.

        By the points of both, whoever has the crib last, with what is usual still to come.
        """
        ends = self._tables[outcome]
        spectrum = np.fft.rfft2(ends) * np.fft.rfft2(self._terms, ends.shape).conj()
        value = np.fft.irfft2(spectrum, ends.shape)[:, :_SIDE, :_SIDE]
        # A player who makes fewer points than usual may come from a score below 0.
        below = (0, 0), (_BELOW, 0), (_BELOW, 0)
        value = np.pad(value, below, "reflect", reflect_type="odd")
        value = value.transpose((2, 1, 0) if self._role == "dealer" else (1, 2, 0))
        flat = value.reshape(len(value), -1).astype(np.float32)
        return sliding_window_view(flat, SHOW_BINS * len(_POWERS), axis=1)[:, :: len(_POWERS)]

    def ends(
        self,
        columns: Cards,
        classes: Index,
        scores: NDArray[np.integer],
        values: DiscardValues,
        *,
        skunks: bool,
    ) -> Floats:
        """Return how likely games end how, as `NearEnds.ends` does."""
        starters, kept = unseen_columns(columns), columns[KEEPS].transpose(1, 2, 0)[..., None]
        ranks = np.arange(13)
        by_rank = (starters[..., None] >> 2 == ranks).astype(np.float32)
        left = by_rank.sum(axis=1)
        pairs = discard_rank_pairs()[classes]
        usual = (self._crib_by_starter[pairs] @ left[..., None])[..., 0] / STARTERS
        crib = (values.crib - usual)[..., None] + score.HEELS * (ranks == JACK)
        hand, hand_variance = self.hands.moments(classes)
        hand = hand + self.hands.of_suits(starters, left)[:, None]
        # Starters of a rank make nearly the same.
        shown = score_card_arrays((*kept, starters[:, None]), crib=False).astype(np.float32)
        shown, squares = (
            (power @ by_rank) / np.maximum(left, 1)[:, None] for power in (shown, shown**2)
        )
        own = (self._pegging.own[classes] - self._usual_pegs[0])[..., None]
        other = (self._pegging.opponent[classes] - self._usual_pegs[1])[..., None]
        hand_mean = (hand * left).sum(axis=1)[:, None, None] / STARTERS
        other = other + hand_mean - self._usual_hand[0]
        # The points that the starter adds are looked up as whole points; the rest is less than one.
        own_more, other_more = shown, hand[:, None] - hand_mean
        if self._role == "dealer":
            own_more = own_more + crib
        else:
            other_more = other_more + crib
        own_whole, other_whole = (np.rint(more).astype(np.intp) for more in (own_more, other_more))
        own, other = own + own_more - own_whole, other + other_more - other_whole
        own_whole += scores[:, :1, None] + _BELOW
        other_whole = other_whole + scores[:, 1:, None] + _BELOW
        moments = self._moments[:, rank_keep_numbers()[classes], pairs][..., None]
        moments = moments + self._changes_by_starter[:, pairs]
        own_variance, other_variance, covariance, *third = moments
        own_variance = own_variance + (squares - shown**2)
        other_variance = other_variance + (hand_variance - self._usual_hand[1])[:, None]
        third[3] = third[3] + self._third_by_starter
        factors = [
            np.ones_like(own), own, other,
            own_variance + own**2, other_variance + other**2, covariance + own * other,
            third[0] + own * (3 * own_variance + own**2),
            third[1] + 2 * own * covariance + other * (own_variance + own**2),
            third[2] + 2 * other * covariance + own * (other_variance + other**2),
            third[3] + other * (3 * other_variance + other**2),
        ]  # fmt: skip
        first, last = own_whole, other_whole  # whoever has the crib comes last
        if self._role == "dealer":
            first, last = last, first
        weights = np.stack(factors, axis=-1) * (left / STARTERS)[:, None, :, None]
        weights = weights.astype(np.float32).reshape(*pairs.shape, -1)
        chances = np.empty((len(self._tables) if skunks else 1, *pairs.shape))
        for outcome, ends in enumerate(chances):
            if outcome not in self._windows:
                self._windows[outcome] = self._looked_up(outcome)
            for start in range(0, len(classes), _DEALS_AT_ONCE):
                block = slice(start, start + _DEALS_AT_ONCE)
                terms = self._windows[outcome][first[block], last[block]]
                terms = terms.reshape(*terms.shape[:-1], SHOW_BINS, -1)
                terms = self._cribs[pairs[block]][..., None, :] @ terms
                ends[block] = np.vecdot(terms.reshape(weights[block].shape), weights[block])
        return np.clip(chances, 0, 1)  # an expansion has no bounds of its own

    @cached_property
    def _moments(self) -> NDArray[np.float32]:
        """`MOMENTS` beyond the usual ones, by keep and pair discarded, ``(7, 1820, 91)``."""
        of_keep = (self.of_keep - self._usual_moments)[..., None]
        apart: NDArray[np.float32] = (of_keep + self.of_pair[:, None]).astype(np.float32)
        return apart + self._shipped("keeps") @ self._shipped("pairs")

    @cached_property
    def _changes_by_starter(self) -> NDArray[np.float32]:
        """The addition of a rank of starters to `MOMENTS` by the pair discarded, ``(7, 91, 13)``.

        With fives to be cut, more goes with hand and crib at once than with others.
        """
        return self._shipped("by_starter")

    def _shipped(self, name: str) -> NDArray[np.float32]:
        """Read one of the arrays of `solver.moments`."""
        with SHIPPED.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
            return np.asarray(arrays[f"{self._role}_{name}"], dtype=np.float32)


def _peg_moments(pmf: Floats) -> Floats:
    """Return `MOMENTS` of distributions ``(n, 32, 32)``, ``(7, n)``."""
    points = np.arange(pmf.shape[-1])
    own, other = (points - (pmf.sum(axis=axis) @ points)[:, None] for axis in (2, 1))
    return np.stack([np.einsum("kij,ki,kj->k", pmf, own**i, other**j) for i, j in MOMENTS])


def _hand_moments(pmf: Floats) -> Floats:
    """Return mean, variance and third moment of points, by pmfs ``(..., m)``, ``(3, ...)``."""
    points = np.arange(pmf.shape[-1])
    mean = pmf @ points
    return np.stack([mean, *((pmf * (points - mean[..., None]) ** n).sum(axis=-1) for n in (2, 3))])


def _terms(pmf: Floats) -> Floats:
    """Return weights of points that make a function's values its terms, ``(10, own, other)``.

    The terms are what `_POWERS` of points are worth: of the polynomial that fits the function best
    where both make points as often as in ``pmf``, the average derivatives over the factorials.
    """
    from_mean = [
        np.arange(pmf.shape[axis]) - pmf.sum(axis=1 - axis) @ np.arange(pmf.shape[axis])
        for axis in (0, 1)
    ]
    own, other = (distances ** np.arange(2 * _DEGREE + 1)[:, None] for distances in from_mean)
    moments = own @ pmf @ other.T
    powers = np.stack([np.outer(own[i], other[j]) for i, j in _POWERS])
    square = [[moments[i + k, j + m] for k, m in _POWERS] for i, j in _POWERS]
    slopes = [
        [comb(k, i) * comb(m, j) * moments[k - i, m - j] if k >= i and m >= j else 0.0
         for k, m in _POWERS]
        for i, j in _POWERS
    ]  # fmt: skip
    return np.tensordot(np.linalg.solve(square, np.transpose(slopes)).T, powers, axes=1) * pmf


def _ends_of_deals(win_table: WinTable, role: Role) -> Floats:
    """Tabulate how games may end by the points of both after a deal: `DealEnds.nested`."""
    shape = (2 * WINNING_SCORE,) * 2
    ends = DealEnds.of(win_table, role, Score(0, 0), shape)
    chances = ends.nested(role)
    # Here, where hardly anybody is out, who is out by pone's hand is as if all had been counted.
    points = np.arange(shape[0])
    first, of_dealer = (1, points) if role == "pone" else (3, points[:, None])
    for outcome, line in enumerate(score.SKUNK_LINES, start=first):
        chances[outcome] += ends.by_pone * (of_dealer < line)
    return chances


class _OpponentHands:
    """The opponent's hand, and the discards that it leaves."""

    def __init__(self, opponent: Opponent, role: Role, pegging: ExpectedPegging) -> None:
        share, flush = opponent.discards.keeps(role)
        numbers, counts = rank_keep_numbers(), class_counts()
        hands = kept_points()[numbers]
        points, squares = (np.einsum("ck,ckr->cr", share, hands**power) for power in (1, 2))
        squares += 2 * FLUSH_POINTS * np.einsum("ck,ckr->cr", flush, hands)
        squares += FLUSH_POINTS**2 * flush.sum(axis=1, keepdims=True)
        points += FLUSH_POINTS * flush.sum(axis=1, keepdims=True)
        # Of a jack's three other suits and its own, one makes nobs, unless a jack is cut.
        jacks = share * keep_rank_counts()[numbers, JACK] / 4
        with_nobs = np.einsum("ck,ckr->cr", jacks, 2 * hands + 1)
        squares += with_nobs * (np.arange(13) != JACK)
        points += jacks.sum(axis=1, keepdims=True) * (np.arange(13) != JACK)
        # Of a rank there are as many starters as neither player holds.
        both = np.hstack([points, squares])
        self._of_class = np.hstack([both, np.tile(counts, 2) * both, counts])
        self._moments = np.full((2, canonical.CLASSES, 13), np.nan)
        often = class_deals(np.zeros((1, 13), dtype=np.intp))[0]
        often = share * (often / often.sum())[:, None]
        pairs = discard_rank_pairs().ravel()
        discarded = np.bincount(pairs, often.ravel(), len(RANK_PAIRS))
        self.discarded: Floats = discarded.astype(np.float64)
        """The share of deals that discard each pair of ranks, ``(91,)``."""
        self._jacks = (often * keep_rank_counts()[numbers, JACK]).sum()
        self._flushes = often.sum(axis=1) @ flush.sum(axis=1)
        self.pmf = np.empty((13, SHOW_BINS))
        """The distribution of the usual hand by the starter's rank, ``(13, 30)``."""
        for rank in range(13):
            cut = often * (4 - counts[:, rank, None]) / 46
            # Five of a rank make more.
            hands = np.minimum(kept_points()[numbers, rank], SHOW_BINS - 1)
            pmf = np.bincount(hands.ravel(), cut.ravel(), SHOW_BINS)
            self.pmf[rank] = pmf / pmf.sum()
        # The hands beside a crib depend on the pair that the opponent discards to it.
        crib, with_hand = crib_rank_points(), np.zeros(len(RANK_PAIRS))
        for rank in range(13):
            hand = kept_points()[numbers, rank]
            deviations = (often * (hand - (often * hand).sum())).ravel()
            with_hand += crib[:, rank] @ np.bincount(pairs, deviations, len(RANK_PAIRS)) / 13
        with_pegs = []
        for pegged in (pegging.opponent, pegging.own):
            deviations = (often * (pegged - (often * pegged).sum())).ravel()
            with_pegs.append(crib.mean(axis=1) @ np.bincount(pairs, deviations, len(RANK_PAIRS)))
        self.with_crib = with_hand, *with_pegs
        """The covariance of hand, the player's pegs and the opponent's with the crib, ``(91,)``."""

    def of_suits(self, starters: Cards, left: Floats) -> Floats:
        """Return what the suits of n deals add to the average hand, ``(n,)``.

        ``starters`` are the cards unseen, ``left`` how many of each rank: nobs and flushes are as
        likely as jacks and suits are among them.
        """
        unseen = np.zeros((len(starters), 52), dtype=bool)
        np.put_along_axis(unseen, starters.astype(np.intp), True, axis=1)
        suits, jacks = unseen.reshape(-1, 13, 4).sum(axis=1), unseen[:, 4 * JACK : 4 * JACK + 4]
        of_suit = suits - 1 - (STARTERS - left[:, JACK, None]) / 4  # beyond the average
        nobs = self._jacks * (jacks * of_suit).sum(axis=1) / (4 * STARTERS)
        ways = (suits * (suits - 1) * (suits - 2) * (suits - 3)).sum(axis=1) / 24
        return np.asarray(nobs + FLUSH_POINTS * self._flushes * (ways / _FLUSH_WAYS - 1))

    def moments(self, classes: Index) -> Floats:
        """Return mean and variance of the hand beside each class, by starter, ``(2, n, 13)``."""
        wanted = np.unique(classes)
        has_moments = ~np.isnan(self._moments[0, :, 0])
        wanted = wanted[~has_moments[wanted]]
        if len(wanted) and has_moments.sum() + len(wanted) > _MANY_CLASSES:
            classes_of_all = np.arange(canonical.CLASSES)
            ways = np.full((len(classes_of_all), 1), comb(STARTERS, 6))
            self._note_moments(classes_of_all, ways, sum_over_opponents(self._of_class))
        elif len(wanted):
            ways = class_deals(class_counts()[wanted])
            self._note_moments(wanted, ways.sum(axis=1, keepdims=True), ways @ self._of_class)
        return self._moments[:, classes]

    def _note_moments(self, classes: Index, ways: Floats, sums: Floats) -> None:
        """Note moments by the ways to deal the rest, ``(n, 1)``, and the sums, ``(n, 65)``."""
        left = 4 - class_counts()[classes]
        columns = np.hsplit(sums, 5)
        number = np.maximum(left * ways - columns[4], 1e-9)
        mean, square = ((left * columns[power] - columns[2 + power]) / number for power in (0, 1))
        self._moments[:, classes] = mean, square - mean**2
