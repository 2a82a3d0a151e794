"""The play as a public tree, and what a strategy of it is.

Holdings. Which ranks a player can hold is numbered, and which of them each keep of a class keeps.

States of a count. What the points of the cards to come can depend on: the count, and the last cards
laid as far as a run or a pair may still use them.

Public nodes. The tree is public: a node holds for every hand of both players. It is a state of the
count (`PlayStates`), whether who waits has said go, who moves, and how many cards each has left.
At the root pone moves, and nothing is laid. After a card the other moves; but after a go the same
player goes on until 31. After a go the other moves, and the second go ends the count. A go is a
child only where some rank does not fit. The tree ends where one player has no cards or each has
one: all is forced from there, or one player lays the rest in the order that pegs most.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import comb
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats, Index, class_ranks
from cribev.errors import CardError, RecordError
from cribev.game.cards import PIP_VALUES
from cribev.game.index_tables import KEEPS, rank_point_table, read_only
from cribev.game.play import LIMIT, points_for_last_card


class GameSize(NamedTuple):
    """The ranks in play and how many cards are kept: the whole game, or a small one for proofs."""

    ranks: tuple[int, ...] = tuple(range(13))
    """Ranks 0..12, ascending."""
    kept: int = 4

    def holdings(self, cards: int) -> NDArray[np.int64]:
        """List what so many cards can be, ``(n, cards)`` places in `ranks`, not to be written."""
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
        numbers: NDArray[np.int64] = self.holding_count(cards) - 1 - after
        return numbers

    def holding_count(self, cards: int) -> int:
        """Count the holdings of so many cards."""
        return comb(len(self.ranks) + cards - 1, cards)


@cache
def _holdings(ranks: int, cards: int) -> NDArray[np.int64]:
    every = list(combinations_with_replacement(range(ranks), cards))
    return read_only(np.array(every, dtype=np.int64).reshape(len(every), cards))


@cache
def numbers_with_card(size: GameSize, cards: int) -> Index:
    """Return the number of a holding of so many cards by a card and the rest, ``(R, N(rest))``."""
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


RANK_KEEPS = GameSize().holding_count(4)
"""The 1,820 multisets of ranks that can be kept."""


@cache
def rank_keep_numbers() -> Index:
    """Return which ranks each keep of each class keeps, numbered as `holdings`, ``(18395, 15)``."""
    places = 13 ** np.arange(4)[::-1]
    numbers = np.full(13**4, -1, dtype=np.intp)
    numbers[GameSize().holdings(4) @ places] = np.arange(RANK_KEEPS)
    return read_only(numbers[class_ranks()[:, KEEPS].astype(np.intp) @ places])


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
    """State after a rank, ``(S, R)``; 0, where nothing is laid, after 31; -1 if it does not fit."""
    points: NDArray[np.int8]
    """Points for it, the go and the last card apart, ``(S, R)``."""

    @property
    def fits(self) -> NDArray[np.int64]:
        """How many ranks fit, always the lowest, ``(S,)``."""
        fits: NDArray[np.int64] = (self.next_state >= 0).sum(axis=1)
        return fits


def tabulate_states(ranks: Sequence[int]) -> PlayStates:
    """Tabulate the states of a count, those with the same future as one: 22,498, some 5 seconds."""
    rows: dict[tuple[tuple[int, int], ...], int] = {(): 0}
    known: dict[tuple[int, tuple[int, ...]], int] = {}

    def number(count: int, laid: tuple[int, ...]) -> int:
        key = count, _in_play(count, laid, ranks)
        if key not in known:
            row = []
            for rank in ranks:
                after, cards = count + PIP_VALUES[rank], (*key[1], rank)
                if after > LIMIT:  # a fifth of a rank fits: nobody has it, and it costs no more
                    row.append((-1, 0))
                    continue
                gained = sum(points for _, points, _ in points_for_last_card(cards, after))
                row.append((0 if after == LIMIT else number(after, cards), gained))
            known[key] = rows.setdefault(tuple(row), len(rows))
        return known[key]

    number(0, ())
    *others, first = list(rows)[1:]
    table = np.array([first, *others])
    return PlayStates(table[..., 0].astype(np.int32), table[..., 1].astype(np.int8))


def _in_play(count: int, laid: tuple[int, ...], ranks: Sequence[int]) -> tuple[int, ...]:
    """Drop the cards that no pair or run to come can use."""
    alike = 1
    while alike < len(laid) and laid[-1 - alike] == laid[-1]:
        alike += 1
    if alike > 1:
        return laid[-min(alike, 4) :]
    keep = min(1, len(laid))
    for length in range(2, len(laid) + 1):
        cards = laid[-length:]
        if len(set(cards)) < length:
            break
        low, high = min(cards), max(cards)
        missing = set(range(low, high)) - set(cards)
        beside = [PIP_VALUES[rank] for rank in (low - 1, high + 1) if rank in ranks]
        needed = (
            sum(PIP_VALUES[rank] for rank in missing) if missing else min(beside, default=LIMIT)
        )
        if missing <= set(ranks) and count + needed <= LIMIT:
            keep = length
    return laid[len(laid) - keep :]


Integers: TypeAlias = int | NDArray[np.int64]


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
    """Where a strategy finds what it does here; at an end of the tree it means nothing."""


class PlayStrategy(ABC):
    """How a player lays cards: at every public node, what each holding does.

    Ranks are places in ``size.ranks``, which in the whole game are the ranks 0..12. Holdings are
    numbered as in `GameSize.holdings`.
    """

    name: str
    """Who plays so, in headings."""

    def __init__(self, size: GameSize, states: PlayStates) -> None:
        self.size, self.states, self.fits = size, states, states.fits

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.name}>"

    @abstractmethod
    def policies(self, nodes: PublicNode) -> NDArray[np.floating[Any]]:
        """Return how often each rank is laid at many nodes, ``(..., R, N(cards - 1))``.

        All movers have the same number of cards left. At ``[..., rank, rest]`` stands the chance
        for the holding of that rank and that rest: 1 where it is forced, 0 where the rank does not
        fit.
        """

    def chances_of_rests(self, nodes: PublicNode, rests: Index) -> NDArray[np.floating[Any]]:
        """Return how often a holding at each node lays each rank, ``(n, R)``, as `policies` has it.

        ``rests`` are the numbers of what is left after each rank, ``(n, R)``, of any where the rank
        is not held, which then means nothing.
        """
        found: NDArray[np.floating[Any]] = np.take_along_axis(
            self.policies(nodes), rests[..., None], axis=2
        )[..., 0]
        return found

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
        return _plain(
            state,
            again,
            node.dealer_moves ^ (1 - again),
            again * left + (1 - again) * other,
            again * other + (1 - again) * left,
            node.place,
        )

    def after_go(self, node: PublicNode) -> PublicNode:
        """Return the node after who moves has said go, where some rank does not fit."""
        go = node.go
        return _plain(
            node.state * (1 - go),
            1 - go,
            1 - node.dealer_moves,
            node.other_left,
            node.mover_left,
            node.place,
        )

    def node(self, laid: Iterable[int | None]) -> PublicNode:
        """Return the node where a public history has led: ranks in turn, and None for a go.

        Goes may be left out where the next rank would pass 31, but not where it fits and the player
        to move has no such card. A player whose cards are all laid says go by that, and may say it
        again while the other waits. CardError if one is no rank of the game; RecordError if a go is
        said where every rank fits, or more cards are laid than there are.
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
        """Return `policies` of one node, of the ranks that fit: ``(fits, N(cards - 1))``.

        A player left alone has no table, see `choices`.
        """
        table: Floats = self.policies(node)[: self.fits[node.state]].astype(np.float64)
        return table

    def choices(self, node: PublicNode, held: Sequence[int]) -> Floats:
        """Return how often each rank is laid from one holding, ranks in any order: ``(R,)``.

        Chances sum to one; all are 0 if no card fits, and a go is all there is to say. A player
        left alone lays the rest in the order that pegs most, of equal ones the lowest card.
        CardError if these are not as many ranks of the game as who moves has left.
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


def _plain(*fields: Any) -> PublicNode:
    """Make a node of Python's integers, or of arrays."""
    if all(np.ndim(field) == 0 for field in fields):
        return PublicNode(*map(int, fields))
    return PublicNode(*fields)
