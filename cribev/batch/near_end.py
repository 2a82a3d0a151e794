"""Chances to win of many deals near the end of a game, some hundred deals a second on two cores.

How the play goes between any two keeps is looked up (`cribev.advice.orders`), and cut short by what
both need. Each way of it is worth the chance to win after it, averaged over the player's hand and
the crib, starter by starter. The opponent's nobs and flushes are hands of their own, by how often
suits that nobody sees make them. The crib goes by the ranks thrown, about its average of all that
can follow; what a keep of the opponent's says of it moves it further from there, or less.

All is an average of chances by what does not depend on the score: a point more is never worse.
"""

from functools import cache, lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from cribev.advice.orders import Ways, peg_orders
from cribev.advice.wins import end_outcomes, skunk_lines, solved_play
from cribev.choice import DiscardValues
from cribev.classes.canonical import RANK_PAIRS, Floats, Index, class_counts, discard_rank_pairs
from cribev.game.cards import JACK, Cards
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.score import WINNING_SCORE, Role, Score, skunks
from cribev.game.scoring import score_card_arrays
from cribev.opponents.players import Opponent
from cribev.solution.pmfs import SHOW_BINS, crib_rank_points
from cribev.solution.solution import POINT_BINS
from cribev.solution.tree import (
    RANK_KEEPS,
    GameSize,
    keep_rank_counts,
    kept_points,
    rank_keep_numbers,
)
from cribev.system.processes import one_blas_thread

_BINS = SHOW_BINS
_MOST_PEGS = 18  # of one player in one play; who pegs more is as if it was so many
_HARDLY = 4e-6  # how likely a hand is that is left out
_DIGITS = 7  # beyond them stands what rounding leaves
_CLASSES_AT_ONCE = 32
_FLUSH_WAYS = 64  # of four ranks, the suits there are to each flush
_HOLDINGS = GameSize().holdings(4)
_PAIR_RANKS = (RANK_PAIRS[:, :, None] == np.arange(13)).sum(axis=1).astype(np.float32)


@lru_cache(maxsize=4)
def near_chances(opponent: Opponent, role: Role) -> "NearEnd":
    """Return the chances to win of a role against an opponent near the end, prepared once."""
    return NearEnd(opponent, role)


class _Beside(NamedTuple):
    """What can follow by discard, starter and points, with the likely hands, ``(h,)``."""

    starter: Floats  # how likely each rank is cut, ``(13,)``
    hand: NDArray[np.float32]  # how likely the player's hand has so many points, ``(15, 13, 30)``
    crib: NDArray[np.float32]
    """How likely the crib has, and what a point more on average adds, ``(2, 15, 13, 30)``."""
    kept: Index  # the opponent's keep in each hand, ``(h,)``
    chance: NDArray[np.float32]  # how likely each hand goes with each starter, ``(13, h)``
    made: Index  # what it makes, ``(13, h)``
    above: NDArray[np.float32]
    """How much more the crib has beside a keep than otherwise, ``(13, 15 * 1820)``."""


class NearEnd:
    """The chances to win of a role near the end; TableError if the solution is without play."""

    def __init__(self, opponent: Opponent, role: Role) -> None:
        strategy, win_table = solved_play(opponent)
        self._role: Role = role
        side = WINNING_SCORE + 2 * SHOW_BINS + POINT_BINS
        ends = end_outcomes(win_table, role, Score(0, 0), (side, side))
        self._ends = ends.astype(np.float32)
        """How the game may end after the play, by `Outcomes` and the points of both, pone's hand
        apart, ``(5, 213, 213)``."""
        self._orders = peg_orders(strategy)
        own, other = self._orders.seen_by(role)
        self._own, self._other = own.astype(np.intp), other.astype(np.intp)
        self._counts = keep_rank_counts().astype(np.float32)
        share, flush = opponent.keep_frequencies(role)
        self._classes, place = np.nonzero(share)
        self._share = share[self._classes, place]
        keep = rank_keep_numbers()[self._classes, place]
        self._cell = keep * len(RANK_PAIRS) + discard_rank_pairs()[self._classes, place]
        often = class_deals(np.zeros((1, 13), dtype=np.intp))[0]
        kept = np.bincount(keep, often[self._classes] * self._share, RANK_KEEPS)
        suited = np.bincount(rank_keep_numbers().ravel(), (often[:, None] * flush).ravel())
        paired = (keep_rank_counts() > 1).any(axis=1)
        self._flush = np.where(paired, 0, suited / np.maximum(kept, 1))
        points = kept_points().T
        # Plain, with nobs, and flushes: of starters of a rank one or two in four are of the suit.
        flushes = points + 4 + (np.arange(13) % 4 == 0)[:, None]
        self._made = np.minimum(np.concatenate([points, points + 1, flushes], axis=1), _BINS - 1)

    @one_blas_thread()
    def ends(
        self,
        columns: Cards,
        classes: Index,
        scores: NDArray[np.integer],
        values: DiscardValues,
        parts: int,
    ) -> Floats:
        """Work out how games may end, of what `WinExpansion.ends` takes, ``(parts, n, 15)``."""
        starters, kept = unseen_columns(columns), columns[KEEPS].transpose(1, 2, 0)[..., None]
        hands = score_card_arrays((*kept, starters[:, None]), crib=False)
        found = np.zeros((parts, len(classes), len(KEEPS)))
        for start in range(0, len(classes), _CLASSES_AT_ONCE):
            ways = class_deals(class_counts()[classes[start : start + _CLASSES_AT_ONCE]])
            for row, of_class in enumerate(ways, start):
                beside = self._beside(
                    columns[:, row], classes[row], starters[row], hands[row], values.crib[row],
                    of_class,
                )  # fmt: skip
                own, other = scores[row].tolist()
                score = Score.of(own, other, self._role)
                # Who has passed a line is behind it no more.
                lines = 0 if parts == 1 else skunks(min(score))
                some = [0, *(1 + at for at in range(lines)), *(3 + at for at in range(lines))]
                keeps = rank_keep_numbers()[classes[row]]
                found[some, row] = self._ends_of(beside, keeps, score, some)
        return found

    def _beside(
        self,
        deal: Cards,
        number: int,
        starters: Cards,
        hands: NDArray[np.uint8],
        crib_means: Floats,
        ways: Floats,
    ) -> _Beside:
        """Work out what can follow a deal of a class: 46 starters, and hands ``(15, 46)``."""
        left = np.bincount(starters >> 2, minlength=13).astype(np.float32)
        # What the opponent keeps, throws and leaves to be cut, by ranks.
        size = RANK_KEEPS * len(RANK_PAIRS)
        joint = np.bincount(self._cell, ways[self._classes] * self._share, size)
        joint = (joint / (joint.sum() * 40)).astype(np.float32).reshape(RANK_KEEPS, -1)
        counts = self._counts
        kept = joint.sum(axis=1) * (left[:, None] - counts.T) - _PAIR_RANKS.T @ joint.T
        thrown = joint.sum(axis=0) * (left[:, None] - _PAIR_RANKS.T) - counts.T @ joint
        kept, thrown = np.maximum(kept, 0), np.maximum(thrown, 0)
        starter = np.maximum(kept.sum(axis=1), np.finfo(np.float32).tiny)
        nobs, flush, crib_nobs, crib_flush = self._suits(starters, deal)
        pairs = discard_rank_pairs()[number]
        crib = self._cribs(pairs, thrown, crib_nobs, crib_flush, starter, crib_means)
        shape = len(KEEPS), 13, _BINS
        cell = (np.arange(15)[:, None] * 13 + (starters >> 2)) * _BINS + hands
        often = np.bincount(cell.ravel(), minlength=np.prod(shape)).reshape(shape)
        hand = (often / np.maximum(left, 1)[:, None]).astype(np.float32)
        # By how much a keep has the crib above what it is with the starter.
        fits = np.maximum(left[:, None] - _PAIR_RANKS.T, 0)
        points = crib_rank_points()[pairs].transpose(1, 0, 2) * fits[:, None]
        above = (points.reshape(-1, len(RANK_PAIRS)).astype(np.float32) @ joint.T).reshape(
            13, 15, RANK_KEEPS
        )
        above /= np.maximum(fits @ joint.T, np.finfo(np.float32).tiny)[:, None]
        above -= np.einsum("rdk,rk->rd", above, kept / starter[:, None])[..., None]
        chance = np.concatenate([kept * (1 - nobs - flush), kept * nobs, kept * flush], axis=1)
        likely = np.flatnonzero(chance.sum(axis=0) > _HARDLY)
        chance = chance[:, likely]
        chance *= (starter / np.maximum(chance.sum(axis=1), np.finfo(np.float32).tiny))[:, None]
        return _Beside(
            starter.astype(np.float64), hand, crib, likely % RANK_KEEPS, chance.astype(np.float32),
            self._made[:, likely], above.reshape(13, -1),
        )  # fmt: skip

    def _cribs(
        self,
        pairs: Index,
        thrown: Floats,
        nobs: Floats,
        flush: Floats,
        starter: Floats,
        means: Floats,
    ) -> NDArray[np.float32]:
        """Tell how likely cribs make so many points, tilted to their means: `_Beside.crib`."""
        points, shape = np.arange(_BINS), (len(KEEPS), 13, _BINS)
        cell = np.arange(15 * 13).reshape(15, 13, 1) * _BINS + crib_rank_points()[pairs]
        found = np.zeros(np.prod(shape) + 5)
        for more, share in ((0, 1 - nobs - flush), (1, nobs), (5, flush)):
            some = np.minimum(cell + more, cell - cell % _BINS + _BINS - 1)
            found += np.bincount(some.ravel(), (share * thrown).ravel(), len(found))
        crib = _shares(found[:-5].reshape(shape))
        mean = crib @ points
        tilt = (means - mean @ starter) / ((crib @ points**2 - mean**2) @ starter)
        crib = _shares(np.maximum(crib * (1 + tilt[:, None, None] * (points - mean[..., None])), 0))
        from_mean = points - (crib @ points)[..., None]
        moved = crib * from_mean
        moved /= np.maximum((moved * from_mean).sum(axis=2, keepdims=True), 1e-3)
        return np.stack([crib, moved]).astype(np.float32)

    def _ends_of(self, beside: _Beside, keeps: Index, score: Score, parts: list[int]) -> Floats:
        """Work out how likely each discard ends the game how, by parts, ``(parts, 15)``."""
        ways = self._orders.ways(self._role, keeps, beside.kept)
        hands, found, pair = len(beside.kept), np.zeros((len(parts), len(keeps))), ways.pair
        hand = np.tile(np.arange(hands), len(keeps)).take(pair)
        of_discard = np.repeat(np.arange(len(keeps)), hands).take(pair)
        # Real is how likely, imaginary by how many points more in the crib.
        weight, both = (
            np.empty(len(pair), np.complex64),
            np.empty((len(keeps), hands), np.complex64),
        )
        chance, at, base = np.repeat(ways.chance, 2), *np.empty((2, len(pair)), dtype=np.intp)
        for jack in (None, 4 * JACK):
            cut = np.flatnonzero(beside.hand.any(axis=(0, 2)))  # who holds a rank whole cuts none
            ranks = [rank for rank in cut.tolist() if (rank == JACK) == (jack is not None)]
            if not ranks:
                continue
            now = score.plus(starter=jack)
            needs = now.needs(self._role)
            if min(needs) <= 0:
                out = needs[0] <= 0
                behind = [line > 0 for line in skunk_lines(now, self._role)[out]]
                ended = [out, *(out and one for one in behind)]
                ended += [not out and one for one in behind]
                share = beside.starter[ranks].sum()
                found += share * np.array(ended, dtype=np.float64)[parts, None]
                continue
            rows, across = min(needs[0], _MOST_PEGS), min(needs[1], _MOST_PEGS) + _BINS
            crib, made = beside.crib[:, :, ranks], beside.hand[:, ranks]
            every = self._values(now, rows, across, crib, made, parts)
            self._cells(now, rows, across, parts).take(ways.order, out=base, mode="clip")
            base += of_discard * every[0][0].size
            # The distribution is the same for whatever part of the outcomes.
            often = np.zeros(every[0].shape, dtype=np.complex64)
            for rank in ranks:
                beside.made[rank].take(hand, out=at, mode="clip")
                np.add(at, base, out=at)
                above = beside.above[rank].reshape(len(keeps), -1)
                both.real = beside.chance[rank]
                both.imag = beside.chance[rank] * above.take(beside.kept, axis=1, mode="clip")
                both.ravel().take(pair, out=weight, mode="clip")
                weight.view(np.float32)[:] *= chance
                np.add.at(often.ravel(), at, weight)
                base += often[0, 0].size
            for row, table in zip(found, every, strict=True):
                shares = np.vecdot(often.view(np.float32), table.view(np.float32))
                row += shares.sum(axis=1, dtype=np.float64)
            if self._role == "pone" and len(parts) > 1:
                found[1 : 1 + len(parts) // 2] += self._out_by_hand(
                    now, rows, made, ways, beside.chance[ranks], len(parts) // 2
                )
        return np.clip(found.round(_DIGITS) + 0.0, 0, 1)

    def _out_by_hand(
        self,
        score: Score,
        rows: int,
        hand: NDArray[np.float32],
        ways: Ways,
        chance: NDArray[np.float32],
        lines: int,
    ) -> Floats:
        """Tell how likely pone's own hand skunks, the dealer not having shown, ``(lines, 15)``."""
        out, beaten = self._decided(score)
        pegged, width = np.minimum(self._own[:, -1], rows), rows + 1
        at_least = hand[..., ::-1].cumsum(axis=2)[..., ::-1]
        at_least = np.concatenate([at_least, np.zeros_like(at_least[..., :1])], axis=2)
        need = score.needs(self._role)[0] - np.arange(width)
        cell = ways.pair * width + pegged.take(ways.order)
        found = np.empty((lines, len(hand)))
        for row, line in zip(found, skunk_lines(score, self._role)[1], strict=False):
            still = ~(out | beaten) & (self._other[:, -1] < line)
            size = len(hand) * chance.shape[1] * width
            open_still = np.bincount(cell, ways.chance * still.take(ways.order), size)
            by_pegs = chance @ open_still.reshape(len(hand), -1, width)
            row[:] = (by_pegs * at_least[..., np.clip(need, 0, _BINS)]).sum(axis=(1, 2))
        return found

    def _values(
        self,
        score: Score,
        rows: int,
        across: int,
        crib: NDArray[np.float32],
        hand: NDArray[np.float32],
        parts: list[int],
    ) -> NDArray[np.complex64]:
        """Tabulate outcomes after the play, and, imaginary, what a point more in the crib adds.

        By part, own pegs, and the opponent's with the hand: ``(parts, 15, starters, rows *
        across)``. There is one row more than is pegged, then those of who is out with the opponent
        behind none, one, two lines, then of who is beaten in the same way.
        """
        needs = score.needs(self._role)
        most = int(np.flatnonzero(hand.sum(axis=(0, 1))).max())
        # Who needs no more is out, whatever is beyond.
        high, wide = min(rows + 1 + most, needs[0] + 1), min(across, needs[1] + 1)
        dealer = self._role == "dealer"
        reach = (high + _BINS - 1, wide) if dealer else (high, wide + _BINS - 1)
        start = score.seen_by(self._role)
        ends = self._ends[parts, start[0] : start[0] + reach[0], start[1] : start[1] + reach[1]]
        windows = sliding_window_view(ends, _BINS, axis=1 if dealer else 2)
        by_crib = crib.reshape(-1, _BINS) @ windows.reshape(len(parts), -1, _BINS).mT
        by_crib = by_crib.reshape(len(parts), 2, -1, high, wide)
        # By own pegs and all points: how likely the hand brings it from these to those, or further.
        by_pegs = np.pad(hand.reshape(-1, _BINS), ((0, 0), (rows, max(high - _BINS, 0))))
        by_pegs = sliding_window_view(by_pegs, high, axis=1)[:, rows::-1].copy()
        by_pegs[..., -1] += hand.reshape(-1, 1, _BINS).sum(axis=2) - by_pegs.sum(axis=2)
        levels = (len(parts) + 1) // 2
        value = np.zeros(
            (len(parts), len(by_pegs), rows + 1 + 2 * levels, across), dtype=np.complex64
        )
        for table, part, with_crib in zip(value, parts, by_crib, strict=True):
            after = table[:, : rows + 1, :wide]
            after.real, after.imag = by_pegs @ with_crib
            table[..., wide:] = table[..., wide - 1 : wide]
            if dealer and part > 2:  # out by pone's hand, with the dealer's pegs alone
                behind = np.arange(rows + 1) < skunk_lines(score, self._role)[0][part - 3]
                table[:, : rows + 1][:, behind, needs[1] :] = 1
            at_least = (part - 1) % 2 + 1 if part else 0
            first = rows + 1 + levels * (part > 2)
            table[:, first + at_least : first + levels] = 1
        return value.reshape(len(parts), *hand.shape[:2], -1)

    def _cells(self, score: Score, rows: int, across: int, parts: list[int]) -> Index:
        """Tell where each order of the play ends among `_values` of a discard and starter."""
        own, other = self._own[:, -1], self._other[:, -1]
        cells = np.minimum(own, rows) * across + np.minimum(other, across - _BINS)
        out, beaten = self._decided(score)
        levels, every = (len(parts) + 1) // 2, np.arange(len(own))
        for at, (some, pegged, others) in enumerate(
            ((out, self._own, self._other), (beaten, self._other, self._own))
        ):
            then = others[every, (pegged >= score.needs(self._role)[at]).argmax(axis=1)]
            lines = skunk_lines(score, self._role)[1 - at][: levels - 1]
            behind = sum((then < line).astype(np.intp) for line in lines)
            cells = np.where(some, (rows + 1 + levels * at + behind) * across, cells)
        return cells

    def _decided(self, score: Score) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Mark the orders in which the player, or the opponent, is out first."""
        needs, own, other = score.needs(self._role), self._own[:, -1], self._other[:, -1]
        out, beaten = own >= needs[0], other >= needs[1]
        both = np.flatnonzero(out & beaten)
        first, then = (
            (pegged[both] >= need).argmax(axis=1)
            for pegged, need in zip((self._own, self._other), needs, strict=True)
        )
        out[both], beaten[both] = first < then, then < first
        return out, beaten

    def _suits(self, starters: Cards, deal: Cards) -> tuple[Floats, Floats, Floats, Floats]:
        """Tell how likely nobs and flushes are of keeps, and of cribs, by starter."""
        left = (np.bincount(starters, minlength=52) > 0).reshape(13, 4)
        of_suit = left / np.maximum(left.sum(axis=1, keepdims=True), 1)
        nobs = of_suit @ of_suit[JACK]
        ways, thrown = of_suit.take(_HOLDINGS.T, axis=0).prod(axis=0).sum(axis=1), deal[DISCARDS]
        own = sum(of_suit[:, thrown[:, one] & 3] * (thrown[:, one] >> 2 == JACK) for one in (0, 1))
        own[JACK] = nobs[JACK] = 0
        crib_nobs = np.minimum(own.T[..., None] + np.outer(nobs, _PAIR_RANKS[:, JACK]), 1)
        suit, (low, high) = thrown[:, 0] & 3, RANK_PAIRS.T
        suited = np.where((suit == thrown[:, 1] & 3)[:, None], of_suit.T[suit], 0)
        both = (of_suit[low] * of_suit[high]).T * (low < high)
        flush = np.minimum(self._flush * ways * _FLUSH_WAYS, 1)
        nobs = np.minimum(np.outer(nobs, keep_rank_counts()[:, JACK]), 1 - flush)
        return nobs, flush, crib_nobs, suited[..., None] * both[suit][:, None]


def _shares(weights: Floats) -> Floats:
    """Make weights of points add up to one."""
    found: Floats = weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-12)
    return found


def class_deals(held: Index) -> Floats:
    """Count the ways to deal the opponent each class beside cards by rank, ``(n, 18395)``."""
    logs = _log_binomials()
    chosen = (held[:, :, None] == np.arange(5)).reshape(len(held), -1)
    ways: Floats = np.exp(chosen.astype(np.float64) @ logs)
    return ways


@cache
def _log_binomials() -> Floats:
    """Logarithms of the ways to deal a class's cards of a rank, some gone, ``(13 * 5, 18395)``."""
    ways = np.array([[comb(n, k) for k in range(5)] for n in range(4, -1, -1)], dtype=np.float64)
    logs = np.where(ways > 0, np.log(np.maximum(ways, 1)), -1e3)
    return np.concatenate([logs[:, counts] for counts in class_counts().T])


def unseen_columns(columns: Cards) -> Cards:
    """List the 46 cards unseen beside each of n deals, uint8 ``(n, 46)``."""
    number = columns.shape[1]
    left = np.ones((number, 52), dtype=bool)
    left[np.arange(number), columns] = False
    return np.nonzero(left)[1].astype(np.uint8).reshape(number, -1)
