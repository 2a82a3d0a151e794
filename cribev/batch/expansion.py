"""Chances to win for many deals, where both players need more than one deal brings.

There the chance is a smooth function of the points that both make. It is taken starter by starter:
exactly in the player's own hand and by whole points of what else differs from the usual deal, and
to second order in the rest [1]_. That is what is pegged, the crib, and the opponent's hand beside
these cards.

References
----------
.. [1] The delta method: G. W. Oehlert, A Note on the Delta Method. The American Statistician 46,
   1992.
"""

from functools import cache, lru_cache
from math import comb

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from cribev.advice.wins import SHOW_BINS, end_chances
from cribev.choice import DiscardValues
from cribev.classes.canonical import (
    CLASSES,
    RANK_PAIRS,
    Floats,
    Index,
    class_counts,
    discard_rank_pairs,
)
from cribev.errors import TableError
from cribev.game.cards import JACK, Cards
from cribev.game.index_tables import KEEPS, rank_point_table
from cribev.game.roles import Role, opposite_role
from cribev.game.score import HEELS, WINNING_SCORE
from cribev.game.scoring import score_card_arrays
from cribev.opponents.discarders import Opponent
from cribev.solution.statistics import ExpectedPegging
from cribev.solution.tree import keep_rank_counts, kept_points, rank_keep_numbers

_BELOW = 12  # no one makes so many points less than usual
_FLUSH_POINTS = 4 + 9 / 46  # with a starter of the suit it is five
_CLASSES_AT_ONCE = 64


@lru_cache(maxsize=4)
def win_expansion(opponent: Opponent, role: Role) -> "WinExpansion":
    """Return the expansion for a role against an opponent, worked out once."""
    return WinExpansion(opponent, role)


class WinExpansion:
    """The chances to win of a role against an opponent, far from the end.

    TableError if the opponent's solution is without the play and the win table.
    """

    def __init__(self, opponent: Opponent, role: Role) -> None:
        solution, pegging = opponent.solved_game(), opponent.counted_pegging(role)
        if solution.play is None or solution.win_table is None or pegging is None:
            raise TableError("the solution is for the show alone: nobody wins by it")
        self._role, self._pegging = role, pegging
        self._hands = faced = _OpponentHands(
            opponent, role, solution.play.expected_pegging[opposite_role(role)]
        )
        keeps, cribs = solution.play.statistics[role], _crib_pmfs(faced.thrown)
        self._crib_by_starter = cribs @ np.arange(SHOW_BINS)
        points = np.arange(keeps.joint_pmf.shape[1])
        own, other = (keeps.joint_pmf.sum(axis=axis) for axis in (2, 1))
        own_usual, other_usual = keeps.share @ own, keeps.share @ other
        own_variance, other_variance = (
            _variance(pmf) - _variance(keeps.share @ pmf) for pmf in (own, other)
        )
        both = points @ keeps.joint_pmf @ points - (own @ points) * (other @ points)
        # What differs from starter to starter is taken as it is, and not as a variance.
        with_own, with_other = keeps.hand_covariance.T
        other_variance += 2 * with_other - faced.between_starters
        self._moments = np.stack([own_variance, other_variance, both + with_own])
        """Variances and covariance of what both make by the keep, ``(3, 1820)``."""
        other_usual = np.convolve(other_usual, faced.pmf)
        self._usual = own_usual @ points, other_usual @ np.arange(len(other_usual))
        with_hand, with_own, with_other = faced.with_crib
        between, none = self._crib_by_starter.var(axis=1), np.zeros(len(cribs))
        own_axis = role == "dealer"
        if own_axis:
            of_crib = 2 * with_own - between, none, with_hand + with_other
        else:
            of_crib = none, 2 * (with_hand + with_other) - between, with_own
        self._crib_moments = np.stack(of_crib)
        """The same by the pair thrown, to be added, ``(3, 91)``."""
        side = 2 * WINNING_SCORE
        value = end_chances(solution.win_table, role, (WINNING_SCORE,) * 2, (side, side))[0]
        value = _averaged(_averaged(value, own_usual, 0), other_usual, 1)
        value = np.moveaxis(_averaged(value, cribs.mean(axis=1).T, 0 if own_axis else 1), -1, 0)
        value = value[:, :WINNING_SCORE, :WINNING_SCORE]
        # Who makes fewer points than usual is as if the score had been below nought.
        below = (0, 0), (_BELOW, 0), (_BELOW, 0)
        value = np.pad(value, below, "reflect", reflect_type="odd")
        by_own, by_other = np.gradient(value, axis=(1, 2))
        by_both, by_other_twice = np.gradient(by_other, axis=(1, 2))
        by_own_twice = np.gradient(by_own, axis=1)
        self._terms = np.stack(
            [value, by_own, by_other, by_own_twice / 2, by_other_twice / 2, by_both]
        ).astype(np.float32)
        """The chance and its derivatives by the pair thrown and the points of both, the player's
        own hand counted and the rest as usual, ``(6, 91, 133, 133)``."""

    def wins(
        self,
        columns: Cards,
        classes: Index,
        scores: NDArray[np.integer],
        values: DiscardValues,
    ) -> Floats:
        """Work out how likely each discard wins, ``(n, 15)``.

        Parameters
        ----------
        columns
            Card numbers, uint8 ``(6, n)``, each deal ascending.
        classes
            Their classes, ``(n,)``.
        scores
            The player's points and the opponent's before the deal, ``(n, 2)``.
        values
            What the discards are worth in points, ``(n, 15)``.
        """
        starters = _unseen(columns)
        ranks = starters >> 2
        keeps, pairs = rank_keep_numbers()[classes], discard_rank_pairs()[classes]
        crib = self._crib_by_starter[pairs[..., None], ranks[:, None]]
        crib += (values.crib - crib.mean(axis=2))[..., None]
        crib += HEELS * (ranks[:, None] == JACK)
        own, other = self._pegging.own[classes], self._pegging.opponent[classes]
        hand = np.take_along_axis(self._hands.means(classes), ranks, axis=1)
        own, other = own[..., None], other[..., None] + hand[:, None]
        crib -= self._crib_by_starter.mean(axis=1)[pairs][..., None]
        if self._role == "dealer":
            own = own + crib
        else:
            other = other + crib
        own, other = np.broadcast_arrays(own - self._usual[0], other - self._usual[1])
        kept = columns[KEEPS].transpose(1, 2, 0)[..., None]
        hands = score_card_arrays((*kept, starters[:, None]), crib=False)
        # Whole points are looked up; the rest is less than one.
        own_whole, other_whole = np.rint(own).astype(np.intp), np.rint(other).astype(np.intp)
        own, other = own - own_whole, other - other_whole
        value, by_own, by_other, by_own_twice, by_other_twice, by_both = self._terms[
            :,
            pairs[..., None],
            scores[:, :1, None] + hands + own_whole + _BELOW,
            scores[:, 1:, None] + other_whole + _BELOW,
        ]
        moments = self._moments[:, keeps] + self._crib_moments[:, pairs]
        own_variance, other_variance, covariance = moments[..., None]
        win: Floats = (
            value
            + by_own * own
            + by_other * other
            + by_own_twice * (own_variance + own**2)
            + by_other_twice * (other_variance + other**2)
            + by_both * (covariance + own * other)
        ).mean(axis=2)
        chances: Floats = np.clip(win, 0, 1)
        return chances


class _OpponentHands:
    """What the opponent's hand shows, and what goes to the crib with it."""

    def __init__(self, opponent: Opponent, role: Role, pegging: ExpectedPegging) -> None:
        share, flush = opponent.keep_frequencies(role)
        numbers, counts = rank_keep_numbers(), class_counts()
        points = np.einsum("ck,ckr->cr", share, kept_points()[numbers])
        points += _FLUSH_POINTS * flush.sum(axis=1, keepdims=True)
        # Of a jack's three other suits and its own, one makes nobs, unless a jack is cut.
        jacks = (share * keep_rank_counts()[numbers, JACK]).sum(axis=1, keepdims=True)
        points += jacks / 4 * (np.arange(13) != JACK)
        # Of a rank there are as many starters as neither player holds.
        self._of_class = np.column_stack([points, counts * points, counts])
        self._means = np.full((CLASSES, 13), np.nan)
        often = _ways(np.zeros((1, 13), dtype=np.intp))[0]
        often = share * (often / often.sum())[:, None]
        pairs = discard_rank_pairs().ravel()
        thrown = np.bincount(pairs, often.ravel(), len(RANK_PAIRS))
        self.thrown: Floats = thrown.astype(np.float64)
        """How often each pair of ranks is thrown, ``(91,)``."""
        self.pmf = np.zeros(SHOW_BINS)
        by_starter = np.empty(13)
        for rank in range(13):
            cut = often * (4 - counts[:, rank, None]) / 46
            # Five of a rank make more.
            made = np.minimum(kept_points()[numbers, rank], SHOW_BINS - 1)
            pmf = np.bincount(made.ravel(), cut.ravel(), SHOW_BINS)
            by_starter[rank] = pmf @ np.arange(SHOW_BINS) / pmf.sum()
            self.pmf += pmf
        self.between_starters = float(by_starter.var())
        """The variance of the average hand by the starter."""
        # What goes with a crib goes with the pair that the opponent throws to it.
        crib, with_hand = _crib_points(), np.zeros(len(RANK_PAIRS))
        for rank in range(13):
            hand = kept_points()[numbers, rank]
            part = (often * (hand - (often * hand).sum())).ravel()
            with_hand += crib[:, rank] @ np.bincount(pairs, part, len(RANK_PAIRS)) / 13
        of_pegs = [
            (often * (part - (often * part).sum())).ravel()
            for part in (pegging.opponent, pegging.own)
        ]
        with_pegs = [
            crib.mean(axis=1) @ np.bincount(pairs, part, len(RANK_PAIRS)) for part in of_pegs
        ]
        self.with_crib = with_hand, *with_pegs
        """The covariance of hand, the player's pegs and the opponent's with the crib, ``(91,)``."""

    def means(self, classes: Index) -> Floats:
        """Average the hand in points beside the cards of each class, by starter, ``(n, 13)``."""
        wanted = np.unique(classes)
        wanted = wanted[np.isnan(self._means[wanted, 0])]
        for start in range(0, len(wanted), _CLASSES_AT_ONCE):
            some = wanted[start : start + _CLASSES_AT_ONCE]
            left, ways = 4 - class_counts()[some], _ways(class_counts()[some])
            points, points_held, held = np.split(ways @ self._of_class, 3, axis=1)
            number = left * ways.sum(axis=1, keepdims=True) - held
            self._means[some] = (left * points - points_held) / np.maximum(number, 1e-9)
        means: Floats = self._means[classes]
        return means


def _ways(held: Index) -> Floats:
    """Count the ways to deal the opponent each class beside cards by rank, ``(n, 18395)``."""
    logs = _log_binomials()
    chosen = (held[:, :, None] == np.arange(5)).reshape(len(held), -1)
    ways: Floats = np.exp(chosen.astype(np.float64) @ logs)
    return ways


@cache
def _log_binomials() -> Floats:
    """Logarithms of the ways to take what a class has of a rank, ``(13 * 5, 18395)``.

    They are by rank and how many cards of it are gone; what cannot be is so small that it vanishes.
    """
    ways = np.array([[comb(n, k) for k in range(5)] for n in range(4, -1, -1)], dtype=np.float64)
    logs = np.where(ways > 0, np.log(np.maximum(ways, 1)), -1e3)
    return np.concatenate([logs[:, counts] for counts in class_counts().T])


def _crib_pmfs(thrown: Floats) -> Floats:
    """Tell how likely a crib makes so many points, by own pair and starter, ``(91, 13, 30)``.

    What the opponent throws is as likely as ever.
    """
    points = _crib_points()
    rows = points.reshape(-1, len(thrown))
    pmfs = np.stack([np.bincount(row, thrown, SHOW_BINS) for row in rows])
    found: Floats = pmfs.reshape(*points.shape[:2], SHOW_BINS) / thrown.sum()
    return found


@cache
def _crib_points() -> Index:
    """Count cribs by the ranks of own pair, starter and the opponent's pair, ``(91, 13, 91)``."""
    low, high = RANK_PAIRS.T
    own, other = (low * 13**a + high * 13**b for a, b in ((1, 2), (3, 4)))
    ranks = own[:, None, None] + np.arange(13)[:, None] + other
    points: Index = np.minimum(rank_point_table()[ranks], SHOW_BINS - 1).astype(np.intp)
    return points


def _averaged(values: Floats, pmf: Floats, axis: int) -> Floats:
    """Average the values from each place on over a pmf of steps along an axis.

    Of several pmfs, ``(m, k)``, there is one more axis, the last.
    """
    averaged: Floats = sliding_window_view(values, len(pmf), axis=axis) @ pmf
    return averaged


def _variance(pmf: Floats) -> Floats:
    """Return the variance of points, by pmfs ``(..., m)``."""
    points = np.arange(pmf.shape[-1])
    variance: Floats = pmf @ points**2 - (pmf @ points) ** 2
    return variance


def _unseen(columns: Cards) -> Cards:
    """List the 46 cards unseen beside each of n deals, uint8 ``(n, 46)``."""
    number = columns.shape[1]
    left = np.ones((number, 52), dtype=bool)
    left[np.arange(number), columns] = False
    return np.nonzero(left)[1].astype(np.uint8).reshape(number, -1)
