"""The order in which points are pegged in the play, for any keep against any other.

Both players follow the expert's strategy; or one is fallible, and the other plays the best
response. Neither strategy depends on the score, which only decides where a play is cut short. So
every keep of one role is played against every keep of the other once, and each order in which
points are pegged is stored with its chance. This tells at every score who is out first. Orders that
less than one in a hundred plays between two keeps take are left out: 0.02% of all plays, and up to
1.7% of those between two keeps.

The orders are stored in the cache folder by the keeps of each role (about 40 MB, or 60 MB against a
fallible opponent), so that those of one keep lie together, and are memory-mapped from there.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats, Index
from cribev.errors import TableError
from cribev.game.cards import RANKS, RanksLike, keep_ranks
from cribev.game.roles import Role, opposite_role
from cribev.opponents.opponents import Opponent
from cribev.solution.solved_play import POINT_BINS
from cribev.solution.strategy import RANK_KEEPS, GameSize, PlayStrategy, Strategy
from cribev.system.blas import one_blas_thread
from cribev.system.cache import one_at_a_time, read_mapped_arrays, write_mapped_arrays
from cribev.values.holdings import Belief, kept_by_chance
from cribev.values.keeps import keeps_faced
from cribev.values.pegging import Ends, EndValue, Packing, PlayTree, keeps_of
from cribev.values.replies import replies
from cribev.wins.exact import solved_play

CACHE_VERSION = 2
"""Of the files in the cache, and of how they are made; those of another are not read."""

_LEAST = 0.01  # of the plays between two keeps, an order that is noted
_PARTS = 2**16 - 1  # chances are stored as multiples of 1 / 65535
_FEW = 200  # keeps, which take ten seconds to walk
_KEEPS_AT_ONCE = 16  # more take more memory, and no less time
# An order is a number: what each card pegs but the last of all, who played it, what is forced then.
_CARDS, _BITS = 8, 5
_PACKING = Packing(_BITS, _BITS)
_MOST = (1 << _BITS) - 1
_WHO = _BITS * (_CARDS - 1)
_FORCED = _WHO + _CARDS - 1


class Ways(NamedTuple):
    """The ways in which plays of a keep against others can go, those against each together."""

    opponent: Index  # which of the opponent's keeps asked for it is against, ``(ways,)``
    order: Index  # which of the orders, ``(ways,)``
    chance: NDArray[np.float32]  # how likely, given the keeps, ``(ways,)``


class PegOrders(NamedTuple):
    """The order in which points fall in the play between any keep of a role and any other."""

    steps: NDArray[np.uint8]
    """Points pegged after each step of each order, by the player and the opponent, ``(orders, 2,
    n)``."""
    start: NDArray[np.int32]
    """The first way between each two keeps, by those of the player, and the number of all."""
    order: NDArray[np.uint16]  # which of the orders each way takes, ``(ways,)``
    chance: NDArray[np.uint16]
    """Chances of each way between its keeps, in parts of 65,535, ``(ways,)``."""

    def ways(self, own: int, opponent: Index) -> Ways:
        """List the ways between a keep of the player and each of the opponent's, in that order."""
        cell = own * RANK_KEEPS + opponent
        start = self.start.take(cell).astype(np.intp)
        number = self.start.take(cell + 1) - start
        against = np.repeat(np.arange(len(cell)), number)
        index = (start - number.cumsum() + number).take(against)
        index += np.arange(len(index))
        chance = self.chance.take(index).astype(np.float32)
        chance /= _PARTS
        return Ways(against, self.order.take(index).astype(np.intp), chance)

    def turned(self) -> "PegOrders":
        """Return the same orders by the keeps of the opponent."""
        number = np.diff(self.start).reshape(RANK_KEEPS, RANK_KEEPS).T.ravel()
        start = np.concatenate([[0], number.cumsum()]).astype(np.int32)
        moved = self.start[:-1].reshape(RANK_KEEPS, RANK_KEEPS).T.ravel() - start[:-1]
        index = np.repeat(moved, number) + np.arange(start[-1])
        steps = np.ascontiguousarray(self.steps[:, ::-1])
        return PegOrders(steps, start, self.order[index], self.chance[index])


def peg_orders(opponent: Opponent, role: Role, keeps: Index) -> PegOrders:
    """Return the orders of the play of a role with some keeps, ascending, at least.

    They are those of all keeps, from the cache, or made with a progress bar; but of a few alone
    where all were never made.
    """
    few = tuple(keeps.tolist()) if len(keeps) < _FEW else ()
    if opponent.is_replied_to:
        return _orders_of(opponent, role, few)
    strategy, _ = solved_play(opponent)
    if not isinstance(strategy, Strategy):
        raise TableError(f"{strategy.name!r} has no strategy that is stored: nobody knows its play")
    return _orders_of(strategy, role, few)


@lru_cache(maxsize=2)
def _orders_of(player: Strategy | Opponent, role: Role, few: tuple[int, ...]) -> PegOrders:
    """Return the stored orders of a role; else those of the other role turned, or walked ones."""
    if orders := _stored(player, role):
        return orders
    # Two experts play alike whoever asks; the best response of one role is its own.
    other = None
    if isinstance(player, Strategy):
        other = _stored(player, opposite_role(role))
    if few and other is None:
        return walked(player, role, few)
    with one_at_a_time("orders.lock", doing="walking the play"):
        if orders := _stored(player, role):
            return orders
        if other is None and isinstance(player, Strategy):  # stored in the meantime
            other = _stored(player, opposite_role(role))
        orders = walked(player, role) if other is None else other.turned()
        write_mapped_arrays(_name(player, role), orders)
    return orders


def _name(player: Strategy | Opponent, role: Role) -> str:
    """Name the files of the orders of a role, by all that they depend on."""
    if isinstance(player, Opponent):
        return f"replies_{role}-{player.play.checksum}-{CACHE_VERSION}"
    return f"orders_{role}-{crc32(np.asarray(player.cells).data):08x}-{CACHE_VERSION}"


def _stored(player: Strategy | Opponent, role: Role) -> PegOrders | None:
    """Map the orders of a role from the cache; None if they are not there."""

    def read(arrays: list[NDArray[Any]]) -> PegOrders:
        steps, start, order, chance = arrays
        ways = int(start[-1])
        if start.shape != (RANK_KEEPS**2 + 1,) or {len(order), len(chance)} != {ways}:
            raise ValueError(f"orders of {start.shape} pairs of keeps")
        return PegOrders(steps, start, order, chance)

    return read_mapped_arrays(_name(player, role), read)


@one_blas_thread()
def walked(
    player: Strategy | Opponent, role: Role, own_keeps: Sequence[int] = range(RANK_KEEPS)
) -> PegOrders:
    """Walk keeps of a role, ascending, against every keep: by a strategy, or as one replies."""
    from cribev.system.bars import tqdm

    blocks: Iterable[tuple[Sequence[int], Index, PlayStrategy]]
    if isinstance(player, Opponent):
        strategy = player.play.strategy()
        blocks = replies(player, role, keeps_faced(player, role, own_keeps), own_keeps)
    else:
        strategy = player
        starts = range(0, len(own_keeps), _KEEPS_AT_ONCE)
        cut = (own_keeps[start : start + _KEEPS_AT_ONCE] for start in starts)
        holdings = player.size.holdings(player.size.kept)
        blocks = ((keeps, holdings[list(keeps)], player) for keeps in cut)
    size, often = strategy.size, np.zeros((RANK_KEEPS, RANK_KEEPS), dtype=np.int64)
    any_keep = Belief(size.kept, np.ones(RANK_KEEPS), 0, explained=True)
    plays, codes = list[tuple[Index, Floats]](), list[Index]()
    doing = f"walking the play of {role}" if strategy is not player else "walking the play"
    with tqdm(
        total=len(own_keeps), desc=doing, unit=" keeps", leave=False, disable=None, delay=1
    ) as bar:
        for keeps, hands, own in blocks:
            tally = _OrderTally(size)
            _ = PlayTree([], role, hands, any_keep, opponent=strategy, own=own, end=tally)
            pair, code, chance = tally.ways()
            number = np.bincount(pair, minlength=len(hands) * RANK_KEEPS)
            often[list(keeps)] = number.reshape(-1, RANK_KEEPS)
            plays.append((code, chance))
            codes.append(np.unique(code))
            bar.update(len(hands))
    distinct = np.unique(np.concatenate(codes))
    steps, order_of = _merged(_decoded(distinct))
    return PegOrders(
        steps,
        np.concatenate([[0], often.cumsum()]).astype(np.int32),
        np.concatenate([order_of[distinct.searchsorted(code)] for code, _ in plays]).astype(
            np.uint16
        ),
        np.concatenate([np.rint(chance * _PARTS) for _, chance in plays]).astype(np.uint16),
    )


class _OrderTally(EndValue):
    """The end of a play is noted: the keeps, who pegged what in which order, and how likely."""

    packing = _PACKING

    def __init__(self, size: GameSize) -> None:
        self._size, self._noted = size, list[tuple[Index, Index, Floats]]()

    def value(self, ends: Ends) -> Floats:
        """Note the ends; they are worth nothing."""
        row, column = np.nonzero(ends.weights)
        keep = keeps_of(self._size, ends.left)[ends.played[row, 0], column]
        pair = ends.hand[row, 0] * self._size.holding_count(self._size.kept) + keep
        own, other, own_first = (
            np.broadcast_to(code, ends.weights.shape)[row, column].astype(np.int64)
            for code in (ends.own, ends.opponent, ends.own_first)
        )
        self._noted.append((pair, _encoded(own, other, own_first), ends.weights[row, column]))
        return np.zeros((len(ends.weights), self.parts))

    def ways(self) -> tuple[Index, Index, Floats]:
        """Return pairs of keeps, the first hand's first, the order and its chance, ``(ways,)``."""
        pair, code, chance = map(np.concatenate, zip(*self._noted, strict=True))
        codes, order = np.unique(code, return_inverse=True)
        cells, way = np.unique(pair * len(codes) + order, return_inverse=True)
        chance = np.bincount(way, chance)
        often = chance >= _LEAST
        (pair, order), chance = np.divmod(cells[often], len(codes)), chance[often]
        return pair, codes[order], chance / np.bincount(pair, chance)[pair]


class PegChances(EndValue):
    """The end of a play is worth points, and says how likely each number of them is.

    The parts are as for `EndValue`; then how likely the player pegs first, and how likely each
    pegs each number of points, `POINT_BINS` for the player and as many for the opponent.
    """

    packing, parts = _PACKING, 3 + 2 * POINT_BINS

    def value(self, ends: Ends) -> Floats:
        """Sum them over the opponent's cards."""
        codes = [column.astype(np.int64, copy=False) for column in (ends.own, ends.opponent)]
        points, (own, other) = list(map(_PACKING.total, codes)), map(_low, codes)
        own_first = (own < other) | (own == other) & ends.own_first
        columns: list[Floats] = [column.astype(np.float64) for column in (*points, own_first)]
        sums = [np.einsum("nm,nm->n", ends.weights, column) for column in columns]
        rows, bins = np.arange(len(ends.weights))[:, None], len(ends.weights) * POINT_BINS
        for column in points:
            cell = rows * POINT_BINS + np.minimum(column, POINT_BINS - 1)
            cell, weights = np.broadcast_arrays(cell, ends.weights)
            sums += [*np.bincount(cell.ravel(), weights.ravel(), bins).reshape(-1, POINT_BINS).T]
        return np.stack(sums, axis=1)


def pegs_first(keep: RanksLike, role: Role, *, opponent: Opponent) -> float:
    """Return how likely you peg first who keep four cards, as an expert, against an opponent.

    You play as an expert does; against an opponent with habits, by the best response. It is an
    average over all deals with the keep, whatever the discard. `CardError` if they are not four
    cards.

    >>> from cribev.opponents.opponents import Solved
    >>> round(pegs_first("2559", "pone", opponent=Opponent.of(Solved())), 2)
    0.31
    """
    ranks, strategy = keep_ranks(keep), opponent.play.strategy()
    kept = kept_by_chance(np.bincount(ranks, minlength=len(RANKS)), opponent.discards.keeps(role))
    belief = Belief(len(ranks), kept / kept.sum(), 0, explained=True)
    end, own = PegChances(), None if opponent.is_replied_to else strategy
    tree = PlayTree([], role, ranks, belief, opponent=strategy, own=own, end=end)
    return float(tree.value[2])


def _low(codes: Index) -> Index:
    """Return a number that is lower the sooner a player pegs: what is forced comes last."""
    cards = _PACKING.chosen(codes)
    forced = np.where(_PACKING.forced(codes), 1 << _BITS * _CARDS, np.iinfo(np.int64).max)
    return np.where(cards, cards & -cards, forced)


def _encoded(own: Index, other: Index, own_first: Index) -> Index:
    """Write in one number what `_OrderTally` notes of both: a card pegs for who played it alone."""
    code: Index = _PACKING.chosen(own) + _PACKING.chosen(other)
    for card in range(_CARDS - 1):
        code += (_PACKING.of_card(other, card) > 0).astype(np.int64) << _WHO + card
    code += _PACKING.forced(own) << _FORCED
    code += _PACKING.forced(other) << _FORCED + _BITS
    code += own_first << _FORCED + 2 * _BITS
    return code


def _decoded(code: Index) -> NDArray[np.uint8]:
    """Return what both have pegged after each card, and after what is forced, ``(n, 2, 9)``."""
    cards = np.arange(_CARDS - 1)
    points, by_other = code[:, None] >> _BITS * cards & _MOST, code[:, None] >> _WHO + cards & 1
    forced = [code >> _FORCED + _BITS * who & _MOST for who in (0, 1)]
    own_first = code >> _FORCED + 2 * _BITS & 1
    steps = np.zeros((len(code), 2, _CARDS + 1), dtype=np.int64)
    for who, first in enumerate((own_first, 1 - own_first)):
        steps[:, who, :-2] = points * (by_other == who)
        steps[:, who, -2], steps[:, who, -1] = forced[who] * first, forced[who] * (1 - first)
    return steps.cumsum(axis=2).astype(np.uint8)


def _merged(steps: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], Index]:
    """Make one step of what a player pegs before the other does; tell what became of each order."""
    numbers = dict[tuple[tuple[int, int], ...], int]()
    number_of = np.empty(len(steps), dtype=np.intp)
    pegs = np.diff(steps.astype(np.int64), axis=2, prepend=0).transpose(0, 2, 1)
    for row, order in enumerate(pegs.tolist()):
        by_turns = groupby(filter(any, order), key=lambda step: step[0] > 0)
        turns = (np.sum(list(turn), axis=0).tolist() for _, turn in by_turns)
        number_of[row] = numbers.setdefault(tuple(map(tuple, turns)), len(numbers))
    merged = np.zeros((len(numbers), max(map(len, numbers)), 2), dtype=np.int64)
    for row, order in enumerate(numbers):
        merged[row, : len(order)] = np.reshape(order, (-1, 2))
    return merged.cumsum(axis=1).transpose(0, 2, 1).astype(np.uint8), number_of
