"""The play as a public tree, and strategies for it.

Holdings. The sets of ranks that a player can hold are numbered; each keep of a class has a number.

States of a count. All that the points of later cards can depend on: the count, and the last cards
played, as far as a run or a pair may still use them.

Public nodes. The tree is public: a node is the same for all hands of both players. It is a state of
the count (`PlayStates`), whether the waiting player has said go, who moves, and how many cards each
has left. At the root, pone moves and no card is played. After a card the other player moves, unless
that player has said go: then the same player continues until 31. After a go the other player moves,
and the second go ends the count. A go is a child only if some rank does not fit. The tree ends
where each player has one card, and all is forced, or where one player has none, and the other plays
the rest in the order that pegs most.

The whole strategy. How often an expert plays each card at every node: one byte for each entry, in
depth-first order from the root. A node's own table comes first, then the subtrees of the ranks that
fit, lowest first, then the subtree of the go. Entries are chances in parts of 128. ``N(cards)`` is
the number of holdings of that many cards, as `GameSize.holdings` lists them. If the mover has

- three cards or more, the table is ``(fits, N(cards - 1))``. ``[rank, rest]`` is how often a
  holding of that rank and that rest plays the rank. For each holding that fits they add up to 128.
- two cards, it has a byte for each two ranks ``a < b`` that both fit, by a and then b: how often a
  is played. A pair, or only one rank that fits, leaves no choice, and nothing is stored.
- one card, it is empty.

The number of bytes below a node depends only on its state, its go and the cards left. So the place
of every table follows from the sizes of all before it. The whole game has 58,442,526 bytes.

In the file of a solution it is packed, and takes a moment to unpack.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import comb
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from cribev.classes.canonical import Floats, Index, class_ranks
from cribev.errors import TableError
from cribev.game.alike import Value
from cribev.game.index_tables import KEEPS, rank_point_table, read_only
from cribev.system.cache import unpacked


class GameSize(NamedTuple):
    """The ranks in use and how many cards are kept: the whole game, or a small one for proofs."""

    ranks: tuple[int, ...] = tuple(range(13))  # ranks 0..12, ascending
    kept: int = 4

    def holdings(self, cards: int) -> NDArray[np.int64]:
        """List the holdings of a number of cards, ``(n, cards)`` places in `ranks`, read-only."""
        return _holdings(len(self.ranks), cards)

    def holding_numbers(self, holdings: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Return the numbers, ``(...)``, of holdings, ``(..., cards)`` with places ascending."""
        cards, ranks = holdings.shape[-1], len(self.ranks)
        later = np.array(
            [[comb(higher + n, n + 1) for n in range(cards)] for higher in range(ranks)],
            dtype=np.int64,
        ).reshape(ranks, cards)
        # Later stand those that are alike up to a card and higher there, whatever comes after it.
        after = later[ranks - 1 - holdings, np.arange(cards)[::-1]].sum(axis=-1)
        return np.asarray(self.holding_count(cards) - 1 - after)

    def holding_count(self, cards: int) -> int:
        """Count the holdings of a number of cards."""
        return comb(len(self.ranks) + cards - 1, cards)


@cache
def _holdings(ranks: int, cards: int) -> NDArray[np.int64]:
    holdings = list(combinations_with_replacement(range(ranks), cards))
    return read_only(np.array(holdings, dtype=np.int64).reshape(len(holdings), cards))


@cache
def numbers_with_card(size: GameSize, cards: int) -> Index:
    """Return the number of a holding by a card of it and the rest, ``(R, N(rest))``."""
    rest, ranks = size.holdings(cards - 1), len(size.ranks)
    both = np.empty((ranks, len(rest), cards), dtype=np.int64)
    both[..., 0], both[..., 1:] = np.arange(ranks)[:, None], rest
    return read_only(size.holding_numbers(np.sort(both, axis=-1)))


@cache
def numbers_without_card(size: GameSize, cards: int) -> Index:
    """Return the number of what is left after a card, ``(N(cards), R)``; -1 if it is not held."""
    whole = numbers_with_card(size, cards)
    left = np.full((size.holding_count(cards), len(size.ranks)), -1)
    left[whole, np.arange(len(size.ranks))[:, None]] = np.arange(whole.shape[1])
    return read_only(left)


@cache
def lowest_ranks(size: GameSize) -> list[Index]:
    """Return the lowest rank of each holding by cards; of none it is beyond all ranks."""
    none = np.full(1, len(size.ranks))
    return [none, *(size.holdings(cards)[:, 0] for cards in range(1, size.kept + 1))]


RANK_KEEPS = GameSize().holding_count(4)  # the 1,820 multisets of ranks that can be kept


@cache
def rank_keep_numbers() -> Index:
    """Return which ranks each keep of each class keeps, numbered as `holdings`, ``(18395, 15)``."""
    return read_only(GameSize().holding_numbers(class_ranks()[:, KEEPS].astype(np.intp)))


@cache
def keep_rank_counts() -> Index:
    """Count the cards of each rank in each of the 1,820 keeps, ``(1820, 13)``."""
    return read_only((GameSize().holdings(4)[:, :, None] == np.arange(13)).sum(axis=1))


@cache
def kept_points() -> Index:
    """Count the ranks of each keep with a starter of each rank: intp ``(1820, 13)``."""
    places = 13 ** np.arange(4, 0, -1)
    five = (GameSize().holdings(4) @ places)[:, None] + np.arange(13)
    return read_only(rank_point_table()[five].astype(np.intp))


class PlayStates(NamedTuple):
    """The rules of a count in tables; ``S`` states by ``R`` ranks."""

    next_state: NDArray[np.int32]
    """State after a rank, ``(S, R)``; 0, with nothing played, after 31; -1 if it does not fit."""
    points: NDArray[np.int8]  # points for it, the go and the last card apart, ``(S, R)``

    @property
    def fits(self) -> NDArray[np.int64]:
        """The number of ranks that fit, always the lowest, ``(S,)``."""
        return np.asarray((self.next_state >= 0).sum(axis=1))


class ForcedPoints(NamedTuple):
    """Points of what is forced, arrays of one shape."""

    mover: NDArray[np.int64]  # points of who moves, or of who has cards left
    waiter: NDArray[np.int64]
    mover_first: NDArray[np.bool_]  # whether those of who moves come first, where both peg


def one_card_each(
    states: PlayStates, state: Index, go: Index, mover: Index, waiter: Index
) -> ForcedPoints:
    """Play out where each has one card, by the ranks' places; all arrays broadcast."""
    next_state, points = states.next_state, states.points
    after, gained = next_state[state, mover], points[state, mover]
    # The waiting player plays on that card, if it fits.
    follows, followed = next_state[after, waiter], points[after, waiter]
    goes = (go == 1) | (follows < 0)
    # If the mover cannot play, the waiting player plays first, if that fits.
    instead, first = next_state[state, waiter], points[state, waiter]
    # If neither can, a new count begins, and the first of its two cards pegs nothing.
    mover_last = 1 + points[next_state[0, waiter], mover]
    waiter_last = 1 + points[next_state[0, mover], waiter]
    fits = after >= 0
    of_mover = np.where(
        fits, gained + (goes & (after != 0)), np.where(go == 1, 1 + mover_last, instead >= 0)
    )
    of_waiter = np.where(
        fits,
        np.where((after == 0) | goes, 1, followed + (follows != 0)),
        np.where(go == 1, 0, np.where(instead >= 0, first + (instead != 0), 1 + waiter_last)),
    )
    return ForcedPoints(of_mover, of_waiter, np.broadcast_to(fits | (go == 1), of_mover.shape))


def left_alone(
    states: PlayStates, state: NDArray[Any], held: Index, *, played_last: bool = False
) -> ForcedPoints:
    """Let a player alone play places ``(..., cards)``, ascending, from ``state`` to peg most."""
    other = np.zeros(np.broadcast_shapes(state.shape, held.shape[:-1]), dtype=np.bool_)
    if held.shape[-1] and not played_last:
        other |= states.next_state[state, held[..., 0]] < 0
    most = _most_alone(states, np.broadcast_to(state, other.shape), held, played_last)
    return ForcedPoints(most.astype(np.int64), other.astype(np.int64), ~other)


def _most_alone(
    states: PlayStates, state: NDArray[Any], held: Index, played_last: bool
) -> NDArray[np.int8]:
    """Return the most points of a player left alone; the last card of a count adds one."""
    ended: NDArray[np.int8] = ((state != 0) & played_last).astype(np.int8)
    if not held.shape[-1]:
        return ended
    most: NDArray[np.int8] = np.full(state.shape, -1, dtype=np.int8)
    for place in range(held.shape[-1]):
        rank = held[..., place]
        after, rest = states.next_state[state, rank], np.delete(held, place, axis=-1)
        then = states.points[state, rank] + _most_alone(states, np.maximum(after, 0), rest, True)
        most = np.maximum(most, np.where(after < 0, -1, then))
    stuck = most < 0
    if stuck.any():
        cards = np.broadcast_to(held, (*state.shape, held.shape[-1]))[stuck]
        anew = _most_alone(states, np.zeros_like(state[stuck]), cards, played_last)
        most[stuck] = ended[stuck] + anew
    return most


Integers: TypeAlias = int | NDArray[np.int64]


class PublicNode(NamedTuple):
    """The public state of a play; for many nodes, int64 arrays that broadcast."""

    state: Integers
    """Row of `PlayStates`; -1 after a rank that did not fit, and then the rest means nothing."""
    go: Integers  # 1 if who waits has said go
    dealer_moves: Integers  # 1 if the dealer is to move, 0 if pone is
    mover_left: Integers  # how many cards who moves has left
    other_left: Integers
    place: Integers
    """The place at which a strategy looks up this node; at an end of the tree it means nothing."""


class PlayStrategy(Value, ABC):
    """A way to play ranks, by places in ``size.ranks``, at every public node and holding."""

    name: str  # who plays so, in headings
    by_count = False  # whether chances go by the state of the count alone, and by what is left

    def __init__(self, size: GameSize, states: PlayStates) -> None:
        self.size, self.states, self.fits = size, read_only(states), read_only(states.fits)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.name}>"

    @abstractmethod
    def policies(self, nodes: PublicNode) -> NDArray[np.floating[Any]]:
        """Return how often ranks are played at nodes, by rank and rest, ``(..., R, N(rest))``."""

    def chances_of_rests(self, nodes: PublicNode, rests: Index) -> NDArray[np.floating[Any]]:
        """Return how often holdings play each rank at nodes, ``(n, R)``.

        ``rests`` are the numbers of what is left after each rank, ``(n, R)``; -1 if it is not held.
        """
        held = np.maximum(rests, 0)[..., None]
        return np.take_along_axis(self.policies(nodes), held, axis=2)[..., 0] * (rests >= 0)

    @property
    def root(self) -> PublicNode:
        """The node before the lead."""
        return PublicNode(0, 0, 0, self.size.kept, self.size.kept, 0)

    def after_card(self, node: PublicNode, rank: Integers) -> PublicNode:
        """Return the node after a rank, by arrays that broadcast; state -1 where none fits."""
        state: Any = self.states.next_state[node.state, rank].astype(np.int64)
        again = node.go * (state != 0)
        left, other = node.mover_left - 1, node.other_left
        mover, waiter = again * left + (1 - again) * other, again * other + (1 - again) * left
        place = self.place_after(node, rank)
        return _plain(state, again, node.dealer_moves ^ (1 - again), mover, waiter, place)

    def after_go(self, node: PublicNode) -> PublicNode:
        """Return the node after the mover has said go, if some rank does not fit."""
        stays, dealer = 1 - node.go, 1 - node.dealer_moves
        left = node.other_left, node.mover_left
        return _plain(node.state * stays, stays, dealer, *left, self.place_after(node, GO))

    def place_after(self, node: PublicNode, _move: Integers) -> Integers:
        """Return the place of the node after a rank, or after `GO`."""
        return node.place

    def node(self, played: Iterable[int | None]) -> PublicNode:
        """Return the node after a public history: ranks in order, and None for a go.

        Goes may be left out where the next rank would pass 31, but not where it fits and the player
        to move has no such card. A player without cards says go automatically, and may say it again
        while the other waits. The history must follow the rules, like that of a `Play`.
        """
        node, last_of_count = self.root, False
        for rank in played:
            if rank is None and last_of_count:
                last_of_count = False
                continue
            if rank is None:
                node = self._with_cards(self.after_go(node))
                continue
            while rank >= self.fits[node.state]:
                node = self._with_cards(self.after_go(node))
            node = self.after_card(node, rank)
            last_of_count = bool(node.go and not node.mover_left)
            node = self._with_cards(node)
        return node

    def choices(self, node: PublicNode, held: Sequence[int]) -> Floats:
        """Return how often each rank is played from one holding, ``(R,)``, all 0 for a go."""
        number = self.size.holding_numbers(np.sort(np.array(held)))
        rests = numbers_without_card(self.size, len(held))[number]
        fitting = np.flatnonzero(rests[: self.fits[node.state]] >= 0)
        chances = np.zeros(len(self.size.ranks))
        chances[fitting] = 1 if len(fitting) < 2 else self.played(node)[fitting, rests[fitting]]
        return chances

    def played(self, node: PublicNode) -> NDArray[np.floating[Any]]:
        """Do what `policies` does for one node, also where the other has no cards left."""
        if node.other_left:
            return self.policies(node)
        size, cards, ranks = self.size, int(node.mover_left), np.arange(len(self.size.ranks))
        after = self.states.next_state[node.state, :, None]
        rest = size.holdings(cards - 1)[None]
        later = left_alone(self.states, np.maximum(after, 0), rest, played_last=True).mover
        points = np.where(after < 0, -1, self.states.points[node.state, :, None] + later)
        numbers = numbers_with_card(size, cards)
        most = np.full(size.holding_count(cards), -1)
        np.maximum.at(most, numbers, points)
        best = (points == most[numbers]) & (after >= 0)
        lowest = np.full_like(most, len(ranks))
        np.minimum.at(lowest, numbers[best], np.nonzero(best)[0])
        return np.equal(lowest[numbers], ranks[:, None]).astype(np.float64)

    def _with_cards(self, node: PublicNode) -> PublicNode:
        """Let a player who has no cards left say go, if the other has some."""
        return self.after_go(node) if not node.mover_left and node.other_left else node


def _plain(*fields: Any) -> PublicNode:
    """Make a node of Python's integers, or of arrays."""
    if all(np.ndim(field) == 0 for field in fields):
        return PublicNode(*map(int, fields))
    return PublicNode(*fields)


GO = -2  # in place of a rank, as in the places of a strategy
PARTS = 128  # chances are stored as multiples of 1 / 128, exact in binary


class Strategy(PlayStrategy):
    """The strategy of both players in bytes ``(n,)``; TableError if they do not fit."""

    name = "expert"
    source: Callable[[], PlayStrategy] | None = None
    """A function that returns this one in any process, where it need not be sent there."""

    def __init__(self, size: GameSize, states: PlayStates, cells: NDArray[np.uint8]) -> None:
        super().__init__(size, states)
        self.cells = cells
        self._places = tabulate_places(states, _table_sizes(size, states.fits))
        entries = int(self._places.whole[size.kept, size.kept, 0, 0])
        if cells.dtype != np.uint8 or cells.shape != (entries,):
            raise TableError(
                f"a strategy of {cells.dtype} {cells.shape}: expected uint8 ({entries},)"
            )
        # A game without a choice has no bytes, but a lookup reads one for entries it passes over.
        self._read = np.asarray(cells) if entries else np.zeros(1, dtype=np.uint8)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.source is not None:
            return self.source, ()
        return Strategy, (self.size, self.states, self.cells)

    def __repr__(self) -> str:
        return f"<Strategy of {len(self.size.ranks)} ranks, {self.size.kept} cards each>"

    def place_after(self, node: PublicNode, move: Integers) -> Integers:
        """Return where the table of the node after a rank begins, or after `GO`."""
        row = self._places.start[node.mover_left, node.other_left, node.go]
        ahead = self._places.ahead[row + self._places.row[node.state], move]
        place: Integers = node.place + ahead.astype(np.int64)
        return place

    def policies(self, nodes: PublicNode) -> NDArray[np.float32]:
        """Look many nodes up, float32."""
        cards, ranks = int(np.ravel(nodes.mover_left)[0]), len(self.size.ranks)
        chances: NDArray[np.float32]
        state, place = np.broadcast_arrays(nodes.state, nodes.place)
        if place.ndim == 1 and cards > 2:  # long tables: of several hands' nodes many are the same
            same = place.astype(np.int64) * len(self.fits) + state
            _, first, node_of = np.unique(same, return_index=True, return_inverse=True)
            if len(first) < len(place):
                distinct = PublicNode(state[first], 0, 0, cards, nodes.other_left, place[first])
                return self.policies(distinct)[node_of]
        fits = self.fits[state]
        if cards == 1:
            chances = PARTS * (np.arange(ranks) < fits[..., None])[..., None].astype(np.float32)
        elif cards == 2:
            entry, sign, base = (rule[fits] for rule in _pair_rules(ranks))
            chances = self._entries(entry + place[..., None, None]) * sign + base
        else:
            below = self.size.holding_count(cards - 1)
            entry = place[..., None] + np.arange(ranks * below)
            chances = self._entries(entry).astype(np.float32)
            chances = chances.reshape(*state.shape, ranks, below)
            chances[np.arange(ranks) >= fits[..., None]] = 0
        chances /= PARTS
        return chances

    def chances_of_rests(self, nodes: PublicNode, rests: Index) -> NDArray[np.float32]:
        """Look up no more than what is asked for."""
        cards, ranks = int(np.ravel(nodes.mover_left)[0]), len(self.size.ranks)
        if cards == 1:
            return super().chances_of_rests(nodes, rests).astype(np.float32)
        rests, held = np.maximum(rests, 0), rests >= 0
        state, place = np.broadcast_arrays(nodes.state, nodes.place)
        fits, played = self.fits[state][..., None], np.arange(ranks)
        if cards == 2:
            entry, sign, base = (rule[fits, played, rests] for rule in _pair_rules(ranks))
            chances = self._entries(entry + place[..., None]) * sign + base
        else:
            entry = played * self.size.holding_count(cards - 1) + rests
            chances = np.where(played < fits, self._entries(place[..., None] + entry), 0)
        return np.asarray(chances * held / np.float32(PARTS), dtype=np.float32)

    def _entries(self, places: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Read bytes; what is padding may lie beyond the last."""
        return self._read[np.minimum(places, len(self._read) - 1)]


def count_entries(size: GameSize, states: PlayStates) -> int:
    """Count the bytes of a whole strategy."""
    places = tabulate_places(states, _table_sizes(size, states.fits))
    return int(places.whole[size.kept, size.kept, 0, 0])


def _table_sizes(size: GameSize, fits: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the bytes of a node's own table, ``(kept + 1, S)``."""
    none, pairs = np.zeros_like(fits), fits * (fits - 1) // 2
    more = [fits * size.holding_count(cards - 1) for cards in range(3, size.kept + 1)]
    return np.stack([none, none, pairs, *more])[: size.kept + 1]


class Places(NamedTuple):
    """Distances between a node and each child, by the numbers of cards left, go and state."""

    start: Index  # where rows begin, ``(K, K, 2)``: the cards of who is to move, the other's, go
    row: Index  # and the row of each state from there, ``(S,)``
    ahead: NDArray[np.int32]  # what stands before each rank, go and the end, ``(rows, R + 2)``
    whole: NDArray[np.int32]  # and before the end, ``(K, K, 2, S)``


def tabulate_places(states: PlayStates, tables: NDArray[np.int64]) -> Places:
    """Count what stands between a node and each child.

    States that take more cards than were played have no rows of their own.
    """
    kept, (number, ranks) = len(tables) - 1, states.next_state.shape
    played_before = _played_before(states)
    order = played_before.argsort(kind="stable")
    start = np.full((kept + 1, kept + 1, 2), -1)
    whole = np.zeros((*start.shape, number), np.intp)
    rows, tables_ahead = 0, list[Index]()
    for total in range(3, 2 * kept + 1):
        movers = range(max(1, total - kept), min(kept, total - 1) + 1)
        reachable = order[: np.count_nonzero(played_before <= 2 * kept - total)]
        after, partial_go = states.next_state[reachable], states.fits[reachable] < ranks
        ahead = np.empty((len(movers), 2, len(reachable), ranks + 2), np.intp)
        for mover, cards in enumerate(movers):
            other = total - cards
            for go in range(2):
                child = whole[other, cards - 1, 0][after]
                if go:
                    child = np.where(after == 0, child, whole[cards - 1, other, 1][after])
                child[after < 0] = 0
                of_mover, start[cards, other, go] = ahead[mover, go], rows
                of_mover[:, 0] = tables[cards, reachable]
                of_mover[:, 1:-1] = tables[cards, reachable, None] + child.cumsum(axis=1)
                whole[cards, other, go, reachable] = of_mover[:, -2]
                rows += len(reachable)
        for go in (1, 0):  # the second go leads to nothing played, where no go can be said
            for mover, cards in enumerate(movers):
                below = whole[total - cards, cards]
                child = np.where(partial_go, below[0, 0] if go else below[1, reachable], 0)
                whole[cards, total - cards, go, reachable] += child
                ahead[mover, go, :, -1] = whole[cards, total - cards, go, reachable]
        tables_ahead.append(ahead.reshape(-1, ranks + 2))
    row = np.empty(number, np.intp)
    row[order] = np.arange(number)
    start[start < 0] = rows  # nothing stands there, whatever the state
    tables_ahead.append(np.zeros((number, ranks + 2), np.intp))
    return Places(start, row, np.concatenate(tables_ahead).astype(np.int32), whole.astype(np.int32))


def _played_before(states: PlayStates) -> NDArray[np.int64]:
    """Count the cards since the count began of which each state is made, at least."""
    number = np.full(len(states.next_state), -1)
    reached, cards = np.zeros(1, dtype=np.intp), 0
    while len(reached):
        number[reached] = cards
        after = states.next_state[reached]
        reached, cards = np.unique(after[after >= 0]), cards + 1
        reached = reached[number[reached] < 0]
    return number


@cache
def _pair_rules(ranks: int) -> tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.float32]]:
    """For two cards, by ranks that fit, played and kept: a chance is ``base + sign * entry``."""
    fits, played, kept = np.ogrid[: ranks + 1, :ranks, :ranks]
    low, high = np.minimum(played, kept), np.maximum(played, kept)
    choice = (played != kept) & (high < fits)
    entry = np.where(choice, low * (2 * fits - low - 1) // 2 + high - low - 1, 0)
    sign = np.where(choice, np.where(played < kept, 1, -1), 0).astype(np.int8)
    base = np.where((played < fits) & ~(choice & (played < kept)), PARTS, 0).astype(np.float32)
    return entry, sign, base


CELLS = "strategy_cells"
"""The name of the bytes. They are a member of their own without a header, so that they can be
mapped, and packed by LZMA, which makes them a quarter smaller than what numpy packs by."""


def has_strategy(arrays: NpzFile) -> bool:
    """Whether a strategy was stored."""
    return CELLS in arrays


def read_strategy(arrays: NpzFile) -> Strategy:
    """Read the strategy in a file; raise what `zipfile` does, KeyError or ValueError."""
    ranks, kept, parts, next_state, points = (
        arrays[f"strategy_{name}"] for name in ("ranks", "kept", "parts", "next_state", "points")
    )
    if (
        arrays.zip is None
        or parts != PARTS
        or next_state.shape != points.shape
        or next_state.shape[1:] != ranks.shape
        or next_state.min() < -1
        or next_state.max() >= len(next_state)
    ):
        raise ValueError(f"a strategy of parts {parts} and states {next_state.shape}")
    size = GameSize(tuple(ranks.tolist()), int(kept))
    cells = unpacked(arrays.zip, CELLS, doing="unpacking the strategy of the play")
    try:
        return Strategy(size, PlayStates(next_state.astype(np.int32), points), cells)
    except TableError as error:
        raise ValueError(str(error)) from error
