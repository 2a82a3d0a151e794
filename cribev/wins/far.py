"""Chances to win of many deals far from the end of a game, by an expansion.

If both players need more than one deal brings, the chance to win is a smooth function of the points
of both. It is computed for each starter: exactly in the player's own hand, over the cribs that the
usual discards make with this one, by whole points of what else differs from the usual deal, and to
second order in the rest [1]_. The rest is what is pegged, the opponent's hand given these cards,
and how far the crib is from the usual one.

References
----------
.. [1] The delta method: G. W. Oehlert, A Note on the Delta Method. The American Statistician 46,
   1992.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from cribev.classes import canonical
from cribev.classes.canonical import RANK_PAIRS, Floats, Index, class_counts, discard_rank_pairs
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
from cribev.system.blas import one_blas_thread
from cribev.wins.endings import DealEnds
from cribev.wins.near import class_deals, unseen_columns
from cribev.wins.pmfs import SHOW_BINS, crib_rank_points

_BELOW = 12  # nobody makes this many points less than usual

_FLUSH_POINTS = 4 + 9 / 46  # with a starter of the suit it is five

_CLASSES_AT_ONCE = 32

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
        pmf = keeps.joint_pmf.astype(np.float64)
        points = np.arange(pmf.shape[1])
        own, other = (pmf.sum(axis=axis) for axis in (2, 1))
        own_usual, other_usual = keeps.share @ own, keeps.share @ other
        own_variance = _variance(own) - _variance(own_usual)
        other_variance = _variance(other) - _variance(other_usual)
        both = points @ pmf @ points - (own @ points) * (other @ points)
        # What differs from starter to starter is taken as it is, and not as a variance.
        with_own, with_other = keeps.hand_covariance.T
        other_variance += 2 * with_other
        self._moments = np.stack([own_variance, other_variance, both + with_own])
        """Variances and covariance of what both make by the keep, beyond the usual ones,
        ``(3, 1820)``."""
        others = np.stack([np.convolve(other_usual, pmf) for pmf in faced.pmf], axis=1)
        self._usual = own_usual @ points, np.arange(len(others)) @ others
        with_hand, with_own, with_other = faced.with_crib
        none = np.zeros(len(cribs))
        if role == "dealer":
            of_crib = 2 * with_own, none, with_hand + with_other
        else:
            of_crib = none, 2 * (with_hand + with_other), with_own
        self._crib_moments = np.stack(of_crib)
        """What the crib adds to these moments by the pair thrown, ``(3, 91)``."""
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
            "of_keep": self._moments - starters,
            "of_pair": self._crib_moments - cribs,
            "usual": np.array([own, other.mean()]),
            "hands": self.hands.moments(np.arange(canonical.CLASSES))[0].T,
        }

    def _expanded(self, part: int) -> NDArray[np.float32]:
        """Return one outcome and its derivatives, ``(13 * _SIDE * _SIDE, 6)``.

        By the starter and the points of both, with the own hand and the crib counted and the rest
        as usual.
        """
        own_usual, others = self._smooth
        value = _averaged(self._tables[part], own_usual, 0)
        value = np.moveaxis(_averaged(value, others, 1), -1, 0)
        value = value[:, : _SIDE - _BELOW, : _SIDE - _BELOW]
        # Who makes fewer points than usual is as if the score had been below nought.
        below = (0, 0), (_BELOW, 0), (_BELOW, 0)
        value = np.pad(value, below, "reflect", reflect_type="odd")
        by_own, by_other = np.gradient(value, axis=(1, 2))
        by_both, by_other_twice = np.gradient(by_other, axis=(1, 2))
        by_own_twice = np.gradient(by_own, axis=1)
        terms = [value, by_own, by_other, by_own_twice / 2, by_other_twice / 2, by_both]
        return np.stack(terms, axis=-1).astype(np.float32).reshape(-1, len(terms))

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
        starters = unseen_columns(columns)
        ranks = (starters >> 2).astype(np.intp)
        keeps, pairs = rank_keep_numbers()[classes], discard_rank_pairs()[classes]
        usual = self._crib_by_starter[pairs[..., None], ranks[:, None]].mean(axis=2)
        crib = (values.crib - usual)[..., None] + score.HEELS * (ranks[:, None] == JACK)
        hand, hand_variance = np.take_along_axis(self.hands.moments(classes), ranks[None], axis=2)
        own = self._pegging.own[classes][..., None] - self._usual[0]
        other = self._pegging.opponent[classes][..., None] + hand[:, None]
        other -= self._usual[1][ranks][:, None]
        if self._role == "dealer":
            own = own + crib
        else:
            other = other + crib
        own, other = np.broadcast_arrays(own, other)
        kept = columns[KEEPS].transpose(1, 2, 0)[..., None]
        hands = score_card_arrays((*kept, starters[:, None]), crib=False)
        # Whole points are looked up; the rest is less than one.
        own_whole, other_whole = np.rint(own).astype(np.intp), np.rint(other).astype(np.intp)
        own, other = own - own_whole, other - other_whole
        at = (ranks[:, None] * _SIDE + scores[:, :1, None] + hands + own_whole + _BELOW) * _SIDE
        at += scores[:, 1:, None] + other_whole + _BELOW
        at = at[..., None] + np.arange(SHOW_BINS) * (_SIDE if self._role == "dealer" else 1)
        cribs = self._cribs[pairs[..., None], ranks[:, None], None]
        moments = self._moments[:, keeps] + self._crib_moments[:, pairs]
        own_variance, other_variance, covariance = moments[..., None]
        other_variance = other_variance + (hand_variance - self._hand_variance[ranks])[:, None]
        found = np.empty((len(self._tables) if skunks else 1, *pairs.shape))
        for part, ends in enumerate(found):
            if part not in self._terms:
                self._terms[part] = self._expanded(part)
            terms = (cribs @ self._terms[part].take(at, axis=0))[..., 0, :]
            value, by_own, by_other, by_own_twice, by_other_twice, by_both = np.moveaxis(
                terms, -1, 0
            )
            ends[:] = (
                value
                + by_own * own
                + by_other * other
                + by_own_twice * (own_variance + own**2)
                + by_other_twice * (other_variance + other**2)
                + by_both * (covariance + own * other)
            ).mean(axis=2)
        return Outcomes.of_nested(*np.clip(found, 0, 1))  # an expansion has no bounds of its own


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


@one_blas_thread()
def prepare_tables(ends: Sequence[FarEnds]) -> None:
    """Compute what several tables share, which takes longest: the ways to deal hands.

    The moments are within 0.0002.
    """
    _note_moments([one.hands for one in ends], np.arange(canonical.CLASSES), np.float32)


class _OpponentHands:
    """What the opponent's hand shows, and what is discarded from it."""

    def __init__(self, opponent: Opponent, role: Role, pegging: ExpectedPegging) -> None:
        share, flush = opponent.keep_frequencies(role)
        numbers, counts = rank_keep_numbers(), class_counts()
        made = kept_points()[numbers]
        points, squares = (np.einsum("ck,ckr->cr", share, made**power) for power in (1, 2))
        squares += 2 * _FLUSH_POINTS * np.einsum("ck,ckr->cr", flush, made)
        squares += _FLUSH_POINTS**2 * flush.sum(axis=1, keepdims=True)
        points += _FLUSH_POINTS * flush.sum(axis=1, keepdims=True)
        # Of a jack's three other suits and its own, one makes nobs, unless a jack is cut.
        jacks = share * keep_rank_counts()[numbers, JACK] / 4
        with_nobs = np.einsum("ck,ckr->cr", jacks, 2 * made + 1)
        squares += with_nobs * (np.arange(13) != JACK)
        points += jacks.sum(axis=1, keepdims=True) * (np.arange(13) != JACK)
        # Of a rank there are as many starters as neither player holds.
        both = np.hstack([points, squares])
        self.of_class = np.hstack([both, np.tile(counts, 2) * both, counts])
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
        _note_moments([self], wanted)
        return self._moments[:, classes]

    def note_moments(self, classes: Index, ways: Floats, found: Floats) -> None:
        """Note moments beside some classes, by the ways to deal the rest and sums over them.

        They are ``(n, 1)`` and, of each column of ``of_class``, ``(n, 65)``.
        """
        left = 4 - class_counts()[classes]
        parts = np.hsplit(found, 5)
        number = np.maximum(left * ways - parts[4], 1e-9)
        mean, square = ((left * parts[at] - parts[2 + at]) / number for at in (0, 1))
        self._moments[:, classes] = mean, square - mean**2


def _note_moments(
    hands: Sequence[_OpponentHands],
    classes: Index,
    dtype: type[np.floating[Any]] = np.float64,
) -> None:
    sums = [one.of_class.astype(dtype, copy=False) for one in hands]
    for start in range(0, len(classes), _CLASSES_AT_ONCE):
        some = classes[start : start + _CLASSES_AT_ONCE]
        ways = class_deals(class_counts()[some]).astype(dtype, copy=False)
        number = ways.sum(axis=1, keepdims=True, dtype=np.float64)
        for one, of_class in zip(hands, sums, strict=True):
            one.note_moments(some, number, (ways @ of_class).astype(np.float64, copy=False))


def _averaged(values: Floats, pmf: Floats, axis: int) -> Floats:
    """Average values over a pmf of steps along one axis or several, from each position on."""
    return sliding_window_view(values, len(pmf), axis=axis) @ pmf


def _variance(pmf: Floats) -> Floats:
    """Return the variance of points, by pmfs ``(..., m)``."""
    points = np.arange(pmf.shape[-1])
    return pmf @ points**2 - (pmf @ points) ** 2
