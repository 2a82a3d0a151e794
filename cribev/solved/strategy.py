"""The whole strategy of the play: how often an expert lays which card, wherever a play can stand.

Public nodes. The tree is public: a node holds for every hand of both players. It is a state of the
count (`play_states`), whether who waits has said go, who moves, and how many cards each has left.
At the root pone moves, and nothing is laid. After a card the other moves; but after a go the same
player goes on until 31. After a go the other moves, and the second go ends the count. A go is a
child only where some rank does not fit. The tree ends where one player has no cards or each has
one: all is forced from there, or one player lays the rest in the order that pegs most.

The bytes. There is one byte for each entry, in depth-first order from the root. At a node its own
table comes first, then the subtrees of the ranks that fit, the lowest first, then that of the go.
Entries are chances in sixteenths. ``N(cards)`` is how many holdings of so many cards there are, as
`GameSize.holdings` lists them. The table of a node whose mover has

- three cards or more: ``(fits, N(cards - 1))``. At ``[rank, rest]`` stands how often a holding of
  that rank and that rest lays the rank. For each holding with a rank that fits they add up to 16.
- two cards: a byte for each two ranks ``a < b`` that both fit, by a and then b: how often a is
  laid. Two of a rank, or one that fits, leave no choice, and nothing is stored.
- one card: nothing.

How many bytes stand below a node depends only on its state, its go and the cards left. So the place
of every table follows from the sizes of what stands before it. The whole game has 58,442,526 bytes.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.errors import CardError, RecordError, TableError
from cribev.solved.keeps import GameSize
from cribev.solved.play_states import PlayStates

Integers: TypeAlias = int | NDArray[np.int64]

PARTS = 16
"""Chances are stored in so many parts of one."""


class PublicNode(NamedTuple):
    """Where a play stands for all to see; of many nodes, int64 arrays that broadcast."""

    state: Integers
    """Row of `PlayStates`; -1 after a rank that did not fit, and then the rest means nothing."""
    go: Integers
    """1 if who waits has said go."""
    dealer_moves: Integers
    """1 if the dealer is to move, 0 if pone is."""
    mover_left: Integers
    """How many cards who moves has left."""
    other_left: Integers
    place: Integers
    """Where its table begins in the bytes; where nothing is stored it means nothing."""


class Strategy:
    """The strategy of both players, and its lookup.

    Ranks are places in ``size.ranks``, which in the whole game are the ranks 0..12. Holdings are
    numbered as in `GameSize.holdings`.

    Parameters
    ----------
    size
        The game it is of.
    states
        Its states, as `play_states.tabulate_states` returns them.
    cells
        The bytes, uint8 ``(n,)``; they may be mapped from a file, and are not changed.

    Raises
    ------
    TableError
        If these are not as many bytes as the game has entries.

    Examples
    --------
    >>> from cribev.solved.play_states import tabulate_states
    >>> size = GameSize((4, 9), 3)  # three cards each, all fives and tens
    >>> states = tabulate_states(size.ranks)
    >>> cells = np.full(count_entries(size, states), 8, dtype=np.uint8)  # evenly
    >>> strategy = Strategy(size, states, cells)
    >>> answer = strategy.node([1])  # a ten is led
    >>> answer.dealer_moves, answer.mover_left, answer.other_left
    (1, 3, 2)
    >>> strategy.choices(answer, [0, 1, 1]).tolist()
    [0.5, 0.5]
    """

    def __init__(self, size: GameSize, states: PlayStates, cells: NDArray[np.uint8]) -> None:
        self.size, self.states, self.cells = size, states, cells
        self.fits = states.fits
        self._places = _tabulate_places(size, states)
        entries = int(self._places[size.kept, size.kept, 0, 0, -1])
        if cells.dtype != np.uint8 or cells.shape != (entries,):
            raise TableError(
                f"a strategy of {cells.dtype} {cells.shape}: expected uint8 ({entries},)"
            )
        # A game without a choice has no bytes, but a lookup reads one for entries it passes over.
        self._read = np.asarray(cells) if entries else np.zeros(1, dtype=np.uint8)

    def __repr__(self) -> str:
        return f"<Strategy of {len(self.size.ranks)} ranks, {self.size.kept} cards each>"

    @property
    def root(self) -> PublicNode:
        """The node before the lead."""
        return PublicNode(0, 0, 0, self.size.kept, self.size.kept, 0)

    def after_card(self, node: PublicNode, rank: Integers) -> PublicNode:
        """Return the node after who moves has laid a rank; arrays broadcast.

        Where the rank does not fit, the state is -1.
        """
        state: Any = self.states.next_state[node.state, rank].astype(np.int64)
        again = node.go * (state != 0)
        left, other = node.mover_left - 1, node.other_left
        ahead = self._places[node.mover_left, node.other_left, node.go, node.state, rank]
        return _plain(
            state,
            again,
            node.dealer_moves ^ (1 - again),
            again * left + (1 - again) * other,
            again * other + (1 - again) * left,
            node.place + ahead.astype(np.int64),
        )

    def after_go(self, node: PublicNode) -> PublicNode:
        """Return the node after who moves has said go, where some rank does not fit."""
        go = node.go
        ahead = self._places[node.mover_left, node.other_left, go, node.state, -2]
        return _plain(
            node.state * (1 - go),
            1 - go,
            1 - node.dealer_moves,
            node.other_left,
            node.mover_left,
            node.place + ahead.astype(np.int64),
        )

    def node(self, laid: Iterable[int | None]) -> PublicNode:
        """Return the node where a public history has led.

        Parameters
        ----------
        laid
            The ranks laid in turn, and None for a go. Goes may be left out where the next rank
            would pass 31, but not where it fits and the player to move has no such card. A player
            whose cards are all laid says go by that, and may say it again while the other waits.

        Returns
        -------
        A `PublicNode` of integers. A player without cards does not move: the other goes on.

        Raises
        ------
        CardError
            If one of them is no rank of the game.
        RecordError
            If a go is said where every rank fits, or more cards are laid than there are.
        """
        node, ranks, last_of_count = self.root, len(self.size.ranks), False
        for rank in laid:
            if rank is None and last_of_count:
                last_of_count = False
                continue
            if not node.mover_left:
                raise RecordError("the play goes on where no cards are left")
            if rank is None:
                if self.fits[node.state] == ranks:
                    raise RecordError("a go is said where every card fits")
                node = self._with_cards(self.after_go(node))
                continue
            if not 0 <= rank < ranks:
                raise CardError(f"{rank} is not a rank: expected 0 to {ranks - 1}")
            while rank >= self.fits[node.state]:
                node = self._with_cards(self.after_go(node))
            node = self.after_card(node, rank)
            last_of_count = bool(node.go and not node.mover_left)
            node = self._with_cards(node)
        return node

    def policy(self, node: PublicNode) -> Floats:
        """Return how often each rank is laid at one node, ``(fits, N(cards - 1))``.

        At ``[rank, rest]`` stands the chance for the holding of that rank and that rest: 1 where it
        is forced. A player left alone has no table, see `choices`.
        """
        table: Floats = self.policies(node)[: self.fits[node.state]].astype(np.float64)
        return table

    def policies(self, nodes: PublicNode) -> NDArray[np.float32]:
        """Return `policy` of many nodes, float32 ``(..., R, N(cards - 1))``.

        All movers have the same number of cards left. Ranks that do not fit have 0.
        """
        held = np.unique(nodes.mover_left)
        if len(held) != 1 or not 0 < held[0] <= self.size.kept:
            raise TableError(f"movers with {held.tolist()} cards left: expected one number")
        cards, ranks = int(held[0]), len(self.size.ranks)
        parts: NDArray[np.float32]
        state, place = np.broadcast_arrays(nodes.state, nodes.place)
        fits = self.fits[state]
        if cards == 1:
            parts = PARTS * (np.arange(ranks) < fits[..., None])[..., None].astype(np.float32)
        elif cards == 2:
            entry, sign, base = (part[fits] for part in _pair_rules(ranks))
            parts = self._entries(entry + place[..., None, None]) * sign + base
        else:
            below = self.size.holding_count(cards - 1)
            entry = place[..., None] + np.arange(ranks * below)
            parts = self._entries(entry).astype(np.float32)
            parts = parts.reshape(*state.shape, ranks, below)
            parts[np.arange(ranks) >= fits[..., None]] = 0
        parts /= PARTS
        return parts

    def choices(self, node: PublicNode, held: Sequence[int]) -> Floats:
        """Return how often each rank is laid from one holding, ``(R,)``.

        Parameters
        ----------
        node
            Where the play stands.
        held
            The ranks that who moves has left, in any order.

        Returns
        -------
        Chances that sum to one; all are 0 if no card fits, and a go is all there is to say. A
        player left alone lays the rest in the order that pegs most, of equal ones the lowest card.

        Raises
        ------
        CardError
            If these are not as many ranks of the game as who moves has left.
        """
        ranks, cards = len(self.size.ranks), sorted(int(rank) for rank in held)
        if len(cards) != node.mover_left or not all(0 <= rank < ranks for rank in cards):
            raise CardError(f"{cards} is not {node.mover_left} ranks from 0 to {ranks - 1}")
        chances = np.zeros(ranks)
        fitting = sorted({rank for rank in cards if rank < self.fits[node.state]})
        if len(fitting) < 2:
            chances[fitting] = 1
        elif not node.other_left:
            chances[self._best_alone(int(node.state), tuple(cards))[1]] = 1
        else:
            policy = self.policies(node)
            for rank in fitting:
                rest = list(cards)
                rest.remove(rank)
                chances[rank] = policy[rank, self.size.holding_numbers(np.array(rest))]
        return chances

    def _entries(self, places: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Read bytes; what is padding may lie beyond the last."""
        return self._read[np.minimum(places, len(self._read) - 1)]

    def _with_cards(self, node: PublicNode) -> PublicNode:
        """Let a player who has no cards left say go, if the other has some."""
        return self.after_go(node) if not node.mover_left and node.other_left else node

    def _best_alone(self, state: int, held: tuple[int, ...]) -> tuple[int, int]:
        """Return the most points of a player left alone, the go apart, and the card to begin."""
        fitting = [rank for rank in held if rank < self.fits[state]]
        if not fitting:
            return (1 + self._best_alone(0, held)[0], -1) if held else (state != 0, -1)
        found = []
        for rank in dict.fromkeys(fitting):
            rest = list(held)
            rest.remove(rank)
            after = int(self.states.next_state[state, rank])
            points = int(self.states.points[state, rank])
            found.append((points + self._best_alone(after, tuple(rest))[0], rank))
        return max(found, key=lambda one: (one[0], -one[1]))


def count_entries(size: GameSize, states: PlayStates) -> int:
    """Count the bytes of a whole strategy."""
    return int(subtree_sizes(size, states)[size.kept, size.kept, 0, 0])


def subtree_sizes(size: GameSize, states: PlayStates) -> NDArray[np.int32]:
    """Count the bytes from a node down, ``(kept + 1, kept + 1, 2, S)``.

    They are by the cards that who moves and who waits have left, the go and the state.
    """
    return _tabulate_places(size, states)[..., -1]


def _tabulate_places(size: GameSize, states: PlayStates) -> NDArray[np.int32]:
    """Count the bytes of a node before each child, ``(kept + 1, kept + 1, 2, S, R + 2)``.

    The last axis has the ranks, then the go, then the end of the subtree; the others are those of
    `subtree_sizes`.
    """
    kept, (number, ranks) = size.kept, states.next_state.shape
    after, fits = states.next_state, states.fits
    partial_go = fits < ranks
    places = np.zeros((kept + 1, kept + 1, 2, number, ranks + 2), dtype=np.int32)
    whole = np.zeros((kept + 1, kept + 1, 2, number), dtype=np.int32)
    for total in range(3, 2 * kept + 1):
        movers = range(max(1, total - kept), min(kept, total - 1) + 1)
        for cards in movers:
            other = total - cards
            table = _table_sizes(size, fits, cards)
            for go in range(2):
                child = whole[other, cards - 1, 0][after]
                if go:
                    child = np.where(after == 0, child, whole[cards - 1, other, 1][after])
                child[after < 0] = 0
                here = places[cards, other, go]
                here[:, 0] = table
                np.cumsum(child, axis=1, out=here[:, 1 : ranks + 1])
                here[:, 1 : ranks + 1] += table[:, None]
                whole[cards, other, go] = here[:, ranks]
        for go in (1, 0):  # the second go leads to nothing laid, where no go can be said
            for cards in movers:
                below = whole[total - cards, cards]
                child = np.broadcast_to(below[0, 0], number) if go else below[1]
                whole[cards, total - cards, go] += np.where(partial_go, child, 0)
    places[..., -1] = whole
    return places


def _table_sizes(size: GameSize, fits: NDArray[np.int64], cards: int) -> NDArray[np.int64]:
    """Count the bytes of a node's own table, by state."""
    if cards > 2:
        return fits * size.holding_count(cards - 1)
    return fits * (fits - 1) // 2 if cards == 2 else np.zeros_like(fits)


@cache
def _pair_rules(ranks: int) -> tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.float32]]:
    """For two cards, by the ranks that fit, the card laid and the card kept: which entry to read.

    A chance is ``base + sign * entry``, in parts.
    """
    fits, laid, kept = np.ogrid[: ranks + 1, :ranks, :ranks]
    low, high = np.minimum(laid, kept), np.maximum(laid, kept)
    choice = (laid != kept) & (high < fits)
    entry = np.where(choice, low * (2 * fits - low - 1) // 2 + high - low - 1, 0)
    sign = np.where(choice, np.where(laid < kept, 1, -1), 0).astype(np.int8)
    base = np.where((laid < fits) & ~(choice & (laid < kept)), PARTS, 0).astype(np.float32)
    return entry, sign, base


def _plain(*fields: Any) -> PublicNode:
    """Make a node of Python's integers, or of arrays."""
    if all(np.ndim(field) == 0 for field in fields):
        return PublicNode(*map(int, fields))
    return PublicNode(*fields)
