"""Chances to win of many deals near the end of a game, about 80 a second on each core.

The play between any two keeps is looked up (`cribev.wins.orders`), and cut short when one player
has enough. Each course of the play is worth the chance to win after it, averaged over the player's
hand and the crib, starter by starter. The opponent's nobs and flushes are separate hands, weighted
by the suits that are unseen. The distribution of the crib depends on the ranks discarded, and the
opponent's keep shifts its average.

The weights do not depend on the score, so one more point is never worse.
"""

from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from cribev.classes.canonical import RANK_PAIRS, Floats, Index, class_counts, discard_rank_pairs
from cribev.classes.ranking import DiscardValues
from cribev.game.cards import JACK, Cards
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import Role
from cribev.game.score import WINNING_SCORE, Score
from cribev.game.score import skunks as lines_short
from cribev.game.scorer import score_card_arrays
from cribev.opponents.opponents import Opponent
from cribev.solution.solved_play import POINT_BINS
from cribev.solution.strategy import RANK_KEEPS, keep_rank_counts, kept_points, rank_keep_numbers
from cribev.solution.win_table import DealEnds, skunk_lines
from cribev.system.blas import one_blas_thread
from cribev.wins.exact import solved_play
from cribev.wins.hands import SHOW_BINS, crib_rank_points
from cribev.wins.orders import PegOrders, Ways, peg_orders

_RARELY = 1e-4  # how likely a player pegs more than is told apart
_HARDLY = 4e-6  # how likely a hand is that is left out
_DIGITS = 7  # beyond them stands what rounding leaves
_CLASSES_AT_ONCE = 32
_FLUSH_WAYS = 64  # of four ranks, the suits there are to each flush
PAIR_RANKS = (RANK_PAIRS[:, :, None] == np.arange(13)).sum(axis=1).astype(np.float32)


class _WeighedWays(NamedTuple):
    """The ways of the play of a keep, the same at every score."""

    ways: Ways
    weight: NDArray[np.complex64]
    """Chances of each way with starters of ranks, imaginary by how many points more in the crib,
    ``(ranks, ways)``."""
    most: Index  # that each player pegs, the player first; more is rare, ``(2,)``


class _DealChances(NamedTuple):
    """All that can follow by discard, starter and points, with the likely hands, ``(h,)``."""

    starter: Floats  # how likely each rank is cut, ``(13,)``
    hand: NDArray[np.float32]  # distribution of the player's hand, ``(15, 13, 30)``
    crib: NDArray[np.float32]
    """The distribution of the crib, and the addition of a point more on average, ``(2, 15, 13,
    30)``."""
    kept: Index  # the opponent's keep in each hand, ``(h,)``
    made: Index  # what it makes, ``(13, h)``
    chance: NDArray[np.complex64]
    """Chances of each hand with each starter, imaginary by crib points, ``(13, h)``.

    Complex, since both parts are gathered and added at the same cells: in one pass, not two."""
    likely: NDArray[np.float32]  # how likely each hand is, ``(h,)``
    above: NDArray[np.float32]
    """Crib points beside each keep, by starter and the player's keep, ``(13, keeps, 1820)``."""
    weighed_ways: dict[int, _WeighedWays]  # by keep


class _PlayEnds(NamedTuple):
    """The value of the ends of the play with some starters."""

    score: Score  # after the cut
    ranks: list[int]  # of the starters
    values: NDArray[np.complex64]  # by part, discard and starter, ``(parts, 15, ranks, cells)``
    order: Index  # where each order of the play ends among the cells, ``(orders,)``
    made: Index  # and how much further with what a hand makes, by starter, ``(ranks, h)``


class NearEnds:
    """The chances to win of a role near the end; TableError if the solution is without play."""

    def __init__(self, opponent: Opponent, role: Role) -> None:
        _, win_table = solved_play(opponent)
        self._role: Role = role
        side = WINNING_SCORE + 2 * SHOW_BINS + POINT_BINS
        ends = DealEnds.of(win_table, role, Score(0, 0), (side, side)).nested(role)
        self._ends = ends.astype(np.float32)
        """Chances of each end of the game after the play, by the points of both, ``(5, 213, 213)``:
        won, by a skunk, by two, and lost by a skunk, by two, as far as pone's hand does not
        skunk."""
        self._opponent = opponent
        self._orders: PegOrders | None = None
        self._counts = keep_rank_counts().astype(np.float32)
        share, flush = opponent.discards.keeps(role)
        # The class follows from the keep and the pair discarded.
        keeps, size = rank_keep_numbers(), RANK_KEEPS * len(RANK_PAIRS)
        cell = keeps * len(RANK_PAIRS) + discard_rank_pairs()
        self._class = np.zeros(size, dtype=np.intp)
        self._class[cell] = np.arange(len(cell))[:, None]
        self._share = np.bincount(cell.ravel(), share.ravel(), size).astype(np.float32)
        often = class_deals(np.zeros((1, 13), dtype=np.intp))[0]
        kept = np.bincount(keeps.ravel(), (often[:, None] * share).ravel(), RANK_KEEPS)
        suited = np.bincount(keeps.ravel(), (often[:, None] * flush).ravel())
        paired = (keep_rank_counts() > 1).any(axis=1)
        self._flush = np.where(paired, 0, suited / np.maximum(kept, 1)).astype(np.float32)
        points = kept_points().T
        # Plain, with nobs, and flushes: of starters of a rank one or two in four are of the suit.
        flushes = points + 4 + (np.arange(13) % 4 == 0)[:, None]
        hands = np.concatenate([points, points + 1, flushes], axis=1)
        self._made = np.minimum(hands, SHOW_BINS - 1)

    @one_blas_thread()
    def ends(
        self,
        columns: Cards,
        classes: Index,
        scores: NDArray[np.integer],
        values: DiscardValues,
        *,
        skunks: bool,
    ) -> Floats:
        """Return how likely games end how, as `Outcomes.of_nested` takes it, ``(5, n, 15)``.

        Without `skunks` there are chances to win alone, ``(1, n, 15)``.

        `columns` are cards, each deal ascending, ``(6, n)``; `classes` their numbers; `scores` the
        points of the player and of the opponent, ``(n, 2)``; `values` what the discards are worth
        in points.
        """
        self._look_up(np.unique(rank_keep_numbers()[classes]))
        starters, kept = unseen_columns(columns), columns[KEEPS].transpose(1, 2, 0)[..., None]
        hands = score_card_arrays((*kept, starters[:, None]), crib=False)
        whole = np.zeros((len(self._ends) if skunks else 1, len(classes), len(KEEPS)))
        for start in range(0, len(classes), _CLASSES_AT_ONCE):
            ways = class_deals(class_counts()[classes[start : start + _CLASSES_AT_ONCE]])
            for row, of_class in enumerate(ways, start):
                deal = columns[:, row]
                if row == start or not np.array_equal(deal, columns[:, row - 1]):
                    chances = self._deal_chances(
                        deal, classes[row], starters[row], hands[row], values.crib[row], of_class
                    )
                own, other = scores[row].tolist()
                score = Score.of(own, other, self._role)
                # Past a line, a player cannot be skunked.
                lines = lines_short(min(score)) if skunks else 0
                outcomes = [0, *range(1, 1 + lines), *range(3, 3 + lines)]
                keeps = rank_keep_numbers()[classes[row]]
                whole[outcomes, row] = self._ends_of(chances, keeps, score, outcomes)
        return whole

    def _look_up(self, keeps: Index) -> None:
        """Look up how the play of some keeps goes."""
        orders = peg_orders(self._opponent, self._role, keeps)
        if orders is self._orders:
            return
        self._orders = orders
        own, other = orders.steps[:, 0], orders.steps[:, 1]
        self._own, self._other = (pegged.T.astype(np.intp, order="C") for pegged in (own, other))
        points = np.arange(orders.steps.max() + 2)[:, None, None]
        self._reached = [(pegged < points).sum(axis=2, dtype=np.int8) for pegged in (own, other)]
        """By points: after how many steps of each order a player has them, ``(p, orders)``."""

    def _deal_chances(
        self,
        deal: Cards,
        number: int,
        starters: Cards,
        hands: NDArray[np.uint8],
        crib_means: Floats,
        ways: Floats,
    ) -> _DealChances:
        """Work out what can follow a deal of a class: 46 starters, and hands ``(15, 46)``."""
        left = np.bincount(starters >> 2, minlength=13).astype(np.float32)
        # The opponent's keeps and discards, and the ranks left to be cut.
        joint = ways.astype(np.float32).take(self._class) * self._share
        joint = joint.reshape(RANK_KEEPS, -1) / (joint.sum() * 40)
        counts, share = self._counts, joint.sum(axis=1)
        beside_pair = left[:, None] * share - (joint @ PAIR_RANKS).T
        kept = np.maximum(beside_pair - share * counts.T, 0)
        discarded = joint.sum(axis=0) * (left[:, None] - PAIR_RANKS.T) - counts.T @ joint
        starter = np.maximum(kept.sum(axis=1, dtype=np.float64), np.finfo(np.float32).tiny)
        starter /= starter.sum()  # what is sure comes to one, to the last digit told
        nobs, flush, crib_nobs, crib_flush = self._suits(starters, deal)
        pairs = discard_rank_pairs()[number]
        crib = self._cribs(
            pairs, np.maximum(discarded, 0), crib_nobs, crib_flush, starter, crib_means
        )
        shape = len(KEEPS), 13, SHOW_BINS
        cell = (np.arange(15)[:, None] * 13 + (starters >> 2)) * SHOW_BINS + hands
        often = np.bincount(cell.ravel(), minlength=np.prod(shape)).reshape(shape)
        hand = (often / np.maximum(left, 1)[:, None]).astype(np.float32)
        # By how much a keep has the crib above what it is with the starter.
        _, first, same = np.unique(
            rank_keep_numbers()[number], return_index=True, return_inverse=True
        )
        points = crib_rank_points()[pairs[first]].transpose(1, 0, 2).astype(np.float32)
        points *= (left[:, None] - PAIR_RANKS.T)[:, None]
        above = (points.reshape(-1, len(RANK_PAIRS)) @ joint.T).reshape(13, -1, RANK_KEEPS)
        by_points = 1 / np.maximum(beside_pair, np.finfo(np.float32).tiny)
        mean = above @ (kept * by_points / starter[:, None]).astype(np.float32)[..., None]
        crib[0] -= mean[:, same].transpose(1, 0, 2) * crib[1]
        chance = np.concatenate([kept * (1 - nobs - flush), kept * nobs, kept * flush], axis=1)
        likely = np.flatnonzero(chance.sum(axis=0) > _HARDLY)
        chance, kept_by = chance[:, likely], likely % RANK_KEEPS
        whole = np.maximum(chance.sum(axis=1, dtype=np.float64), np.finfo(np.float32).tiny)
        chance *= (starter / whole).astype(np.float32)[:, None]
        return _DealChances(
            starter, hand, crib, kept_by, self._made[:, likely],
            (chance + 1j * chance * by_points[:, kept_by]).astype(np.complex64),
            chance.sum(axis=0), above, {},
        )  # fmt: skip

    def _cribs(
        self,
        pairs: Index,
        discarded: Floats,
        nobs: Floats,
        flush: Floats,
        starter: Floats,
        means: Floats,
    ) -> NDArray[np.float32]:
        """Return distributions of cribs, tilted to their means: `_DealChances.crib`."""
        points, shape = np.arange(SHOW_BINS), (len(KEEPS), 13, SHOW_BINS)
        cell = np.arange(15 * 13).reshape(15, 13, 1) * SHOW_BINS + crib_rank_points()[pairs]
        counts = np.zeros(np.prod(shape) + 5)
        for more, share in ((0, 1 - nobs - flush), (1, nobs), (5, flush)):
            counts += np.bincount((cell + more).ravel(), (share * discarded).ravel(), len(counts))
        crib = _shares(counts[:-5].reshape(shape))
        mean = crib @ points
        tilt = (means - mean @ starter) / ((crib @ points**2 - mean**2) @ starter)
        crib = _shares(np.maximum(crib * (1 + tilt[:, None, None] * (points - mean[..., None])), 0))
        from_mean = points - (crib @ points)[..., None]
        moved = crib * from_mean
        moved /= np.maximum((moved * from_mean).sum(axis=2, keepdims=True), 1e-3)
        return np.stack([crib, moved]).astype(np.float32)

    def _ends_of(
        self, chances: _DealChances, keeps: Index, score: Score, outcomes: list[int]
    ) -> Floats:
        """Work out how likely each discard ends the game how, by parts, ``(parts, 15)``."""
        total, play_ends = np.zeros((len(outcomes), len(keeps))), list[_PlayEnds]()
        cut = np.flatnonzero(chances.hand[0].any(axis=1)).tolist()  # a rank held whole is not cut
        cut.sort(key=JACK.__eq__)
        numbered = enumerate(np.unique(keeps).tolist())
        played = {keep: self._weighed_ways(chances, place, keep, cut) for place, keep in numbered}
        most = np.max([weighed.most for weighed in played.values()], axis=0)
        for jack in (None, 4 * JACK):
            ranks = [rank for rank in cut if (rank == JACK) == (jack is not None)]
            now = score.plus(starter=jack)
            needs = now.needs(self._role)
            if min(needs) <= 0:
                out = needs[0] <= 0
                behind = [line > 0 for line in skunk_lines(now, self._role)[out]]
                ended = [out, *(out and is_skunk for is_skunk in behind)]
                ended += [not out and is_skunk for is_skunk in behind]
                share = chances.starter[ranks].sum()
                total += share * np.array(ended, dtype=np.float64)[outcomes, None]
            elif ranks:
                play_ends.append(self._play_ends(now, ranks, chances, outcomes, most))
        lines = len(outcomes) // 2 if self._role == "pone" else 0
        for keep, weighed in played.items():
            discards, (ways, weights, _) = np.flatnonzero(keeps == keep), weighed
            for after in play_ends:
                weight = weights[-1:] if after.ranks == [JACK] else weights[: len(after.ranks)]
                cell = after.made.take(ways.opponent, axis=1)
                cell += after.order.take(ways.order)
                # The distribution is the same for whatever part of the outcomes.
                often = np.zeros(after.values.shape[2:], dtype=np.complex64)
                np.add.at(often.ravel(), cell.ravel(), weight.ravel())
                for discard in discards:
                    values = after.values[:, discard].view(np.float32)
                    shares = np.vecdot(often.view(np.float32), values)
                    total[:, discard] += shares.sum(axis=1, dtype=np.float64)
                if lines:
                    total[1 : 1 + lines, discards] += self._out_by_hand(
                        after, chances, discards, weighed
                    )
        return np.clip(total.round(_DIGITS) + 0.0, 0, 1)

    def _weighed_ways(
        self, chances: _DealChances, place: int, keep: int, ranks: list[int]
    ) -> _WeighedWays:
        """Return the ways of the play of a keep, weighed with starters of ranks."""
        if (weighed := chances.weighed_ways.get(keep)) is None:
            assert self._orders is not None
            ways = self._orders.ways(keep, chances.kept)
            hands = chances.chance[ranks]
            often = chances.likely.take(ways.opponent) * ways.chance
            pegged = (points[-1].take(ways.order) for points in (self._own, self._other))
            most = [np.bincount(reached, often)[::-1].cumsum()[::-1] for reached in pegged]
            hands.imag *= chances.above[ranks, place].take(chances.kept, axis=1)
            weight = hands.take(ways.opponent, axis=1)
            weight.view(np.float32)[:] *= np.repeat(ways.chance, 2)
            last = np.array([np.flatnonzero(least > _RARELY)[-1] for least in most])
            weighed = chances.weighed_ways[keep] = _WeighedWays(ways, weight, last)
        return weighed

    def _out_by_hand(
        self, after: _PlayEnds, chances: _DealChances, discards: Index, weighed: _WeighedWays
    ) -> Floats:
        """Return how likely pone's own hand skunks, the dealer not having shown, ``(lines, n)``."""
        hand, chance = chances.hand[discards][:, after.ranks], chances.chance.real[after.ranks]
        need, (out, beaten) = after.score.needs(self._role)[0], self._needed(after.score)
        ways, width = weighed.ways, min(need, int(weighed.most[0])) + 1
        cell = ways.opponent * width + np.minimum(self._own[-1], width - 1).take(ways.order)
        at_least = np.pad(hand[..., ::-1].cumsum(axis=2)[..., ::-1], ((0, 0), (0, 0), (0, 1)))
        at_least = at_least[..., np.clip(need - np.arange(width), 0, SHOW_BINS)]
        ended = np.empty((len(after.values) // 2, len(hand)))
        for row, line in zip(ended, skunk_lines(after.score, self._role)[1], strict=False):
            still = (out == beaten) & (self._other[-1] < line)
            size = chance.shape[1] * width
            open_still = np.bincount(cell, ways.chance * still.take(ways.order), size)
            by_pegs = chance @ open_still.reshape(-1, width)
            row[:] = (by_pegs * at_least).sum(axis=(1, 2))
        return ended

    def _play_ends(
        self,
        score: Score,
        ranks: list[int],
        chances: _DealChances,
        outcomes: list[int],
        most_pegged: Index,
    ) -> _PlayEnds:
        """Tabulate outcomes after the play, and, imaginary, what a point more in the crib adds.

        Cells are by own pegs, one row more than is pegged, and the opponent's with the hand; then
        come rows of who is out with the opponent behind none, one, two lines, or is beaten so.
        """
        needs = score.needs(self._role)
        rows, across = np.minimum(needs, most_pegged).tolist()
        across += SHOW_BINS
        crib, hand = chances.crib[:, :, ranks], chances.hand[:, ranks]
        most = int(np.flatnonzero(hand.sum(axis=(0, 1))).max())
        # A player who needs no more is out: points beyond do not matter.
        high, wide = min(rows + 1 + most, needs[0] + 1), min(across, needs[1] + 1)
        dealer = self._role == "dealer"
        reach = (high + SHOW_BINS - 1, wide) if dealer else (high, wide + SHOW_BINS - 1)
        start = score.seen_by(self._role)
        ends = self._ends[outcomes, start[0] : start[0] + reach[0], start[1] : start[1] + reach[1]]
        windows = sliding_window_view(ends, SHOW_BINS, axis=1 if dealer else 2)
        by_crib = crib.reshape(-1, SHOW_BINS) @ windows.reshape(len(outcomes), -1, SHOW_BINS).mT
        by_crib = by_crib.reshape(len(outcomes), 2, -1, high, wide)
        # By own pegs and all points: how likely the hand brings it from these to those, or further.
        by_pegs = np.pad(hand.reshape(-1, SHOW_BINS), ((0, 0), (rows, max(high - SHOW_BINS, 0))))
        by_pegs = sliding_window_view(by_pegs, high, axis=1)[:, rows::-1].copy()
        by_pegs[..., -1] += hand.reshape(-1, 1, SHOW_BINS).sum(axis=2) - by_pegs.sum(axis=2)
        levels = (len(outcomes) + 1) // 2
        shape = len(outcomes), len(by_pegs), rows + 1 + 2 * levels, across
        value = np.zeros(shape, dtype=np.complex64)
        for table, outcome, with_crib in zip(value, outcomes, by_crib, strict=True):
            after = table[:, : rows + 1, :wide]
            after.real, after.imag = by_pegs @ with_crib
            table[..., wide:] = table[..., wide - 1 : wide]
            if dealer and outcome > 2:  # out by pone's hand, with the dealer's pegs alone
                behind = np.arange(rows + 1) < skunk_lines(score, self._role)[0][outcome - 3]
                table[:, : rows + 1][:, behind, needs[1] :] = 1
            at_least = (outcome - 1) % 2 + 1 if outcome else 0
            first = rows + 1 + levels * (outcome > 2)
            table[:, first + at_least : first + levels] = 1
        values = value.reshape(len(outcomes), *hand.shape[:2], -1)
        further = chances.made[ranks] + np.arange(len(ranks))[:, None] * values.shape[-1]
        return _PlayEnds(score, ranks, values, self._cells(score, rows, across, outcomes), further)

    def _cells(self, score: Score, rows: int, across: int, outcomes: list[int]) -> Index:
        """Return where each order of the play ends among the cells of a discard and starter."""
        own, other = self._own[-1], self._other[-1]
        cells: Index = np.minimum(own, rows) * across + np.minimum(other, across - SHOW_BINS)
        levels, orders, steps = (len(outcomes) + 1) // 2, np.arange(len(own)), self._needed(score)
        for player, others in enumerate((self._other, self._own)):
            lines = skunk_lines(score, self._role)[1 - player][: levels - 1]
            step, before = steps[player], steps[1 - player]
            behind = sum(
                (others[np.minimum(step, len(others) - 1), orders] < line).astype(np.intp)
                for line in lines
            )
            cells = np.where(step < before, (rows + 1 + levels * player + behind) * across, cells)
        return cells

    def _needed(self, score: Score) -> list[Index]:
        """Tell after how many steps of each order both have what they need, ``(orders,)``."""
        most = len(self._reached[0]) - 1
        needs = score.needs(self._role)
        return [steps[min(need, most)] for steps, need in zip(self._reached, needs, strict=True)]

    def _suits(self, starters: Cards, deal: Cards) -> tuple[Floats, Floats, Floats, Floats]:
        """Return how likely nobs and flushes are of keeps, and of cribs, by starter."""
        left = (np.bincount(starters, minlength=52) > 0).reshape(13, 4)
        of_suit = (left / np.maximum(left.sum(axis=1, keepdims=True), 1)).astype(np.float32)
        nobs = of_suit @ of_suit[JACK]
        ways, discards = np.exp(self._counts @ np.log(of_suit + 1e-9)).sum(axis=1), deal[DISCARDS]
        own = sum(
            of_suit[:, discards[:, place] & 3] * (discards[:, place] >> 2 == JACK)
            for place in (0, 1)
        )
        own[JACK] = nobs[JACK] = 0
        crib_nobs = np.minimum(own.T[..., None] + np.outer(nobs, PAIR_RANKS[:, JACK]), 1)
        suit, (low, high) = discards[:, 0] & 3, RANK_PAIRS.T
        suited = np.where((suit == discards[:, 1] & 3)[:, None], of_suit.T[suit], 0)
        both = (of_suit[low] * of_suit[high]).T * (low < high)
        flush = np.minimum(self._flush * ways * _FLUSH_WAYS, 1)
        nobs = np.minimum(np.outer(nobs, self._counts[:, JACK]), 1 - flush)
        return nobs, flush, crib_nobs, suited[..., None] * both[suit][:, None]


def _shares(weights: Floats) -> Floats:
    """Make weights of points add up to one."""
    shares: Floats = weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-12)
    return shares


def class_deals(held: Index, *, cards: int = 6) -> Floats:
    """Count the ways to deal the opponent each class beside cards by rank, ``(n, 18395)``.

    With `cards` 4 or 2, each keep, ``(n, 1820)``, or each pair of ranks, ``(n, 91)``.
    """
    chosen = (held[:, :, None] == np.arange(5)).reshape(len(held), -1)
    ways: Floats = np.exp(chosen.astype(np.float64) @ _log_binomials(cards))
    return ways


@cache
def _log_binomials(cards: int) -> Floats:
    """Logarithms of the ways to deal cards of a rank, some gone, ``(13 * 5, m)``."""
    ways = np.array([[comb(n, k) for k in range(5)] for n in range(4, -1, -1)], dtype=np.float64)
    logs = np.where(ways > 0, np.log(np.maximum(ways, 1)), -1e3)
    counts = {6: class_counts(), 4: keep_rank_counts(), 2: PAIR_RANKS.astype(np.intp)}[cards]
    return np.concatenate([logs[:, of_rank] for of_rank in counts.T])


def unseen_columns(columns: Cards) -> Cards:
    """List the 46 cards unseen beside each of n deals, uint8 ``(n, 46)``."""
    number = columns.shape[1]
    left = np.ones((number, 52), dtype=bool)
    left[np.arange(number), columns] = False
    return np.nonzero(left)[1].astype(np.uint8).reshape(number, -1)
