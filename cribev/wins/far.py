"""Chances to win of many deals far from the end of a game, by an expansion.

If both players need more than one deal brings, the chance to win is a smooth function of the points
of both. It is computed for each starter: exactly in the player's own hand, over the cribs that the
usual discards make with this one, by whole points of what else differs from the usual deal, and to
third order in the rest [1]_. The rest is what is pegged, the opponent's hand given these cards,
and how far the crib is from the usual one. How far it varies is known beside this class and keep
(`MiddleEnds`), or only on average (`FarEnds`), which does if both need 76 points or more.

References
----------
.. [1] The delta method: G. W. Oehlert, A Note on the Delta Method. The American Statistician 46,
   1992.
"""

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
from cribev.game.outcomes import Outcomes
from cribev.game.roles import Role
from cribev.game.score import WINNING_SCORE, Score
from cribev.game.scorer import score_card_arrays
from cribev.opponents.opponents import Opponent
from cribev.solution.solved_play import ExpectedPegging
from cribev.solution.strategy import keep_rank_counts, kept_points, rank_keep_numbers
from cribev.solution.win_table import WinTable
from cribev.wins.endings import DealEnds
from cribev.wins.moments import FLUSH_POINTS, MOMENTS, moments_of_classes
from cribev.wins.near import class_deals, unseen_columns
from cribev.wins.pmfs import SHOW_BINS, crib_rank_points

_BELOW = 12  # nobody makes this many points less than usual

_MANY_CLASSES = 1 << 10  # beside more, hands are averaged beside all at once

_DEALS_AT_ONCE = 8  # so that what is looked up for them stays in cache

_SIDE = _BELOW + WINNING_SCORE + 2 * SHOW_BINS - 1  # points that are tabulated, of either player


class FarEnds:
    """The chances to win of a role far from the end; TableError if the solution is without play."""

    def __init__(self, opponent: Opponent, role: Role) -> None:
        solution, pegging = opponent.solved_game(), opponent.counted_pegging(role)
        if solution.play is None or solution.win_table is None or pegging is None:
            raise TableError("the solution is for the show alone: nobody wins by it")
        self._role, self._pegging = role, pegging
        self.hands = faced = _OpponentHands(
            opponent, role, solution.play.expected_pegging[roles.opposite_role(role)]
        )
        keeps, ways = (
            solution.play.statistics[role],
            crib_rank_points().reshape(-1, len(RANK_PAIRS)),
        )
        cribs = np.stack([np.bincount(points, faced.thrown, SHOW_BINS) for points in ways])
        # The distribution of the crib by own pair and starter.
        cribs = cribs.reshape(len(RANK_PAIRS), 13, -1) / faced.thrown.sum()
        self._cribs = cribs.astype(np.float32)
        self._crib_by_starter = cribs @ np.arange(SHOW_BINS)
        pmf = keeps.joint_pmf / keeps.joint_pmf.sum(axis=(1, 2), keepdims=True, dtype=np.float64)
        points = np.arange(pmf.shape[1])
        own, other = (pmf.sum(axis=axis) for axis in (2, 1))
        own_usual, other_usual = keeps.share @ own, keeps.share @ other
        from_own, from_other = (points - (each @ points)[..., None] for each in (own, other))
        self._moments = np.stack(
            [np.einsum("kij,ki,kj->k", pmf, from_own**i, from_other**j) for i, j in MOMENTS]
        )
        from_own, from_other = (points - each @ points for each in (own_usual, other_usual))
        usual = [(own_usual @ from_own**i) * (other_usual @ from_other**j) for i, j in MOMENTS]
        self._usual_pegs = np.array(usual)
        self._moments -= self._usual_pegs[:, None]
        # What differs from starter to starter is taken as it is, and not as a variance.
        with_own, with_other = keeps.hand_covariance.T
        self._moments[1:3] += 2 * with_other, with_own
        """`MOMENTS` of what both make by the keep, beyond the usual ones, ``(7, 1820)``."""
        others = np.stack([np.convolve(other_usual, pmf) for pmf in faced.pmf], axis=1)
        self._usual = own_usual @ points, np.arange(len(others)) @ others
        with_hand, with_own, with_other = faced.with_crib
        none = np.zeros(len(cribs))
        if role == "dealer":
            of_crib = 2 * with_own, none, with_hand + with_other
        else:
            of_crib = none, 2 * (with_hand + with_other), with_own
        self._crib_moments = np.stack(of_crib)
        """What the crib adds to the first three by the pair thrown, ``(3, 91)``."""
        self._hand_variance = _variance(faced.pmf)
        self._tables = _ends_of_deals(solution.win_table, role)
        self._smooth = own_usual, others
        self._terms = dict[int, NDArray[np.float32]]()

    def tables(self) -> dict[str, Floats]:
        """Return by name the tables of a simpler expansion, with an average crib and hands.

        ``ends``: how likely the player wins by what both have made, ``(211, 182)``, with hand and
        crib as usual still to come, but for the own hand; ``cribs``: the distribution of a crib's
        points, ``(30, 91)``; ``by_starter``: the average crib, ``(91, 13)``; ``of_keep`` and
        ``of_pair``: moments, ``(3, 1820)`` and ``(3, 91)``, in points; ``usual``: what both make
        usually, ``(2,)``; ``hands``: the opponent's hand by starter and class, ``(13, 18395)``.
        """
        own_usual, others = self._smooth
        own, other = self._usual
        # The variances here leave out what differs from starter to starter.
        starters = np.array([[0.0], [other.var()], [0.0]])
        cribs = np.zeros_like(self._crib_moments)
        cribs[int(self._role == "pone")] = self._crib_by_starter.var(axis=1)
        smooth = _averaged(self._tables[0], own_usual, 0)
        return {
            "ends": _averaged(smooth, others.mean(axis=1), 1),
            "cribs": self._cribs.mean(axis=1).T,
            "by_starter": self._crib_by_starter,
            "of_keep": self._moments[:3] - starters,
            "of_pair": self._crib_moments - cribs,
            "usual": np.array([own, other.mean()]),
            "hands": self.hands.moments(np.arange(canonical.CLASSES))[0].T,
        }

    def _expanded(self, part: int) -> NDArray[np.float32]:
        """Return one outcome and its derivatives, ``(13 * _SIDE * _SIDE, 30, 10)``.

        By the starter and the points of both, whoever has the crib last, and by the crib's points,
        with the own hand and the crib counted and the rest as usual.
        """
        own_usual, others = self._smooth
        value = _averaged(self._tables[part], own_usual, 0)
        value = np.moveaxis(_averaged(value, others, 1), -1, 0)
        value = value[:, : _SIDE - _BELOW, : _SIDE - _BELOW]
        # Who makes fewer points than usual is as if the score had been below nought.
        below = (0, 0), (_BELOW, 0), (_BELOW, 0)
        value = np.pad(value, below, "reflect", reflect_type="odd")
        if self._role == "dealer":
            value = value.swapaxes(1, 2)
        own, other = (2, 1) if self._role == "dealer" else (1, 2)
        by_own, by_other = np.gradient(value, axis=(own, other))
        twice, both, other_twice = (
            _second(value, own),
            np.gradient(by_own, axis=other),
            _second(value, other),
        )
        terms = [value, by_own, by_other, twice / 2, both, other_twice / 2]
        terms += [np.gradient(twice, axis=own) / 6, np.gradient(twice, axis=other) / 2]
        terms += [np.gradient(other_twice, axis=own) / 2, np.gradient(other_twice, axis=other) / 6]
        found = np.stack(terms, axis=-1).astype(np.float32).reshape(-1, len(terms))
        return sliding_window_view(found, SHOW_BINS, axis=0).swapaxes(1, 2)

    def ends(
        self,
        columns: Cards,
        classes: Index,
        scores: NDArray[np.integer],
        values: DiscardValues,
        *,
        skunks: bool,
    ) -> Outcomes[Floats]:
        """Return how likely games end how, ``(n, 15)`` each."""
        starters, kept = unseen_columns(columns), columns[KEEPS].transpose(1, 2, 0)[..., None]
        ranks = np.arange(13)
        by_rank = (starters[..., None] >> 2 == ranks).astype(np.float32)
        left = by_rank.sum(axis=1)
        pairs = discard_rank_pairs()[classes]
        usual = (self._crib_by_starter[pairs] @ left[..., None])[..., 0] / STARTERS
        crib = (values.crib - usual)[..., None] + score.HEELS * (ranks == JACK)
        hand, hand_variance = self.hands.moments(classes)
        # Starters of a rank make nearly the same.
        shown = score_card_arrays((*kept, starters[:, None]), crib=False).astype(np.float32)
        shown, squares = (
            (power @ by_rank) / np.maximum(left, 1)[:, None] for power in (shown, shown**2)
        )
        own = (self._pegging.own[classes] - self._usual[0])[..., None] + shown
        other = self._pegging.opponent[classes][..., None] + (hand - self._usual[1])[:, None]
        if self._role == "dealer":
            own = own + crib
        else:
            other = other + crib
        # Whole points are looked up; the rest is less than one.
        own_whole, other_whole = np.rint(own).astype(np.intp), np.rint(other).astype(np.intp)
        own, other = own - own_whole, other - other_whole
        own_whole += scores[:, :1, None] + _BELOW
        other_whole += scores[:, 1:, None] + _BELOW
        first, last = own_whole, other_whole
        if self._role == "dealer":
            first, last = last, first
        at = (ranks * _SIDE + first) * _SIDE + last
        own_variance, other_variance, covariance, *third = self._beyond(classes)[..., None]
        own_variance = own_variance + (squares - shown**2)
        other_variance = other_variance + (hand_variance - self._hand_variance)[:, None]
        factors = [
            np.ones_like(own), own, other,
            own_variance + own**2, covariance + own * other, other_variance + other**2,
            third[0] + own * (3 * own_variance + own**2),
            third[1] + 2 * own * covariance + other * (own_variance + own**2),
            third[2] + 2 * other * covariance + own * (other_variance + other**2),
            third[3] + other * (3 * other_variance + other**2),
        ]  # fmt: skip
        weights = np.stack(factors, axis=-1).astype(np.float32)
        weights *= (left / STARTERS)[:, None, :, None]
        found = np.empty((len(self._tables) if skunks else 1, *pairs.shape))
        for part, ends in enumerate(found):
            if part not in self._terms:
                self._terms[part] = self._expanded(part)
            for start in range(0, len(classes), _DEALS_AT_ONCE):
                some = slice(start, start + _DEALS_AT_ONCE)
                terms = self._cribs[pairs[some], :, None] @ self._terms[part][at[some]]
                ends[some] = np.vecdot(
                    terms.reshape(*terms.shape[:2], -1), weights[some].reshape(*terms.shape[:2], -1)
                )
        return Outcomes.of_nested(*np.clip(found, 0, 1))  # an expansion has no bounds of its own

    def _beyond(self, classes: Index) -> Floats:
        """Return `MOMENTS` beyond the usual ones, by keep, ``(7, n, 15)``."""
        keeps, pairs = rank_keep_numbers()[classes], discard_rank_pairs()[classes]
        found = self._moments[:, keeps]
        found[:3] += self._crib_moments[:, pairs]
        return found


class MiddleEnds(FarEnds):
    """The same, more closely, since it is known how far points vary beside each class and keep."""

    def __init__(self, opponent: Opponent, role: Role) -> None:
        super().__init__(opponent, role)
        usual = self._usual_pegs.astype(np.float32)
        self._by_class = moments_of_classes(opponent, role) - usual[:, None, None]
        self.hands.moments(np.arange(canonical.CLASSES))

    def _beyond(self, classes: Index) -> Floats:
        return self._by_class[:, classes].astype(np.float64)


def _second(values: Floats, axis: int) -> Floats:
    """Return second differences along an axis, none at its ends."""
    found = np.zeros_like(values)
    inner = np.diff(values, n=2, axis=axis)
    np.moveaxis(found, axis, 0)[1:-1] = np.moveaxis(inner, axis, 0)
    return found


def _ends_of_deals(win_table: WinTable, role: Role) -> Floats:
    """Tabulate how games may end by the points of both after a deal: `DealEnds.nested`."""
    made = (2 * WINNING_SCORE,) * 2
    ends = DealEnds.of(win_table, role, Score(0, 0), made)
    found = ends.nested(role)
    # Here, where hardly anybody is out, who is out by pone's hand is as if all had been counted.
    points = np.arange(made[0])
    for at, line in enumerate(score.SKUNK_LINES):
        if role == "pone":
            found[1 + at] += ends.by_pone * (points < line)
        else:
            found[3 + at] += ends.by_pone * (points < line)[:, None]
    return found


class _OpponentHands:
    """What the opponent's hand shows, and what is discarded from it."""

    def __init__(self, opponent: Opponent, role: Role, pegging: ExpectedPegging) -> None:
        share, flush = opponent.keep_frequencies(role)
        numbers, counts = rank_keep_numbers(), class_counts()
        made = kept_points()[numbers]
        points, squares = (np.einsum("ck,ckr->cr", share, made**power) for power in (1, 2))
        squares += 2 * FLUSH_POINTS * np.einsum("ck,ckr->cr", flush, made)
        squares += FLUSH_POINTS**2 * flush.sum(axis=1, keepdims=True)
        points += FLUSH_POINTS * flush.sum(axis=1, keepdims=True)
        # Of a jack's three other suits and its own, one makes nobs, unless a jack is cut.
        jacks = share * keep_rank_counts()[numbers, JACK] / 4
        with_nobs = np.einsum("ck,ckr->cr", jacks, 2 * made + 1)
        squares += with_nobs * (np.arange(13) != JACK)
        points += jacks.sum(axis=1, keepdims=True) * (np.arange(13) != JACK)
        # Of a rank there are as many starters as neither player holds.
        both = np.hstack([points, squares])
        self._of_class = np.hstack([both, np.tile(counts, 2) * both, counts])
        self._moments = np.full((2, canonical.CLASSES, 13), np.nan)
        often = class_deals(np.zeros((1, 13), dtype=np.intp))[0]
        often = share * (often / often.sum())[:, None]
        pairs = discard_rank_pairs().ravel()
        thrown = np.bincount(pairs, often.ravel(), len(RANK_PAIRS))
        self.thrown: Floats = thrown.astype(np.float64)
        """How often each pair of ranks is thrown, ``(91,)``."""
        self.pmf = np.empty((13, SHOW_BINS))
        """The distribution of the usual hand by the starter's rank, ``(13, 30)``."""
        for rank in range(13):
            cut = often * (4 - counts[:, rank, None]) / 46
            # Five of a rank make more.
            made = np.minimum(kept_points()[numbers, rank], SHOW_BINS - 1)
            pmf = np.bincount(made.ravel(), cut.ravel(), SHOW_BINS)
            self.pmf[rank] = pmf / pmf.sum()
        # What goes with a crib goes with the pair that the opponent throws to it.
        crib, with_hand = crib_rank_points(), np.zeros(len(RANK_PAIRS))
        for rank in range(13):
            hand = kept_points()[numbers, rank]
            part = (often * (hand - (often * hand).sum())).ravel()
            with_hand += crib[:, rank] @ np.bincount(pairs, part, len(RANK_PAIRS)) / 13
        with_pegs = []
        for pegged in (pegging.opponent, pegging.own):
            part = (often * (pegged - (often * pegged).sum())).ravel()
            with_pegs.append(crib.mean(axis=1) @ np.bincount(pairs, part, len(RANK_PAIRS)))
        self.with_crib = with_hand, *with_pegs
        """The covariance of hand, the player's pegs and the opponent's with the crib, ``(91,)``."""

    def moments(self, classes: Index) -> Floats:
        """Return mean and variance of the hand beside each class, by starter, ``(2, n, 13)``."""
        wanted = np.unique(classes)
        wanted = wanted[np.isnan(self._moments[0, wanted, 0])]
        if len(wanted) > _MANY_CLASSES:
            ways, sums = (
                np.full((canonical.CLASSES, 1), comb(46, 6)),
                sum_over_opponents(self._of_class),
            )
            self._note_moments(np.arange(canonical.CLASSES), ways, sums)
        elif len(wanted):
            ways = class_deals(class_counts()[wanted])
            self._note_moments(wanted, ways.sum(axis=1, keepdims=True), ways @ self._of_class)
        return self._moments[:, classes]

    def _note_moments(self, classes: Index, ways: Floats, sums: Floats) -> None:
        """Note moments by the ways to deal the rest, ``(n, 1)``, and the sums, ``(n, 65)``."""
        left = 4 - class_counts()[classes]
        parts = np.hsplit(sums, 5)
        number = np.maximum(left * ways - parts[4], 1e-9)
        mean, square = ((left * parts[at] - parts[2 + at]) / number for at in (0, 1))
        self._moments[:, classes] = mean, square - mean**2


def _averaged(values: Floats, pmf: Floats, axis: int) -> Floats:
    """Average values over a pmf of steps along one axis or several, from each position on."""
    return sliding_window_view(values, len(pmf), axis=axis) @ pmf


def _variance(pmf: Floats) -> Floats:
    """Return the variance of points, by pmfs ``(..., m)``."""
    points = np.arange(pmf.shape[-1])
    return pmf @ points**2 - (pmf @ points) ** 2
