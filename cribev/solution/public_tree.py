"""The play as a public tree, and what a strategy of it is.

Public nodes. The tree is public: a node holds for every hand of both players. It is a state of the
count (`play_states`), whether who waits has said go, who moves, and how many cards each has left.
At the root pone moves, and nothing is laid. After a card the other moves; but after a go the same
player goes on until 31. After a go the other moves, and the second go ends the count. A go is a
child only where some rank does not fit. The tree ends where one player has no cards or each has
one: all is forced from there, or one player lays the rest in the order that pegs most.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.errors import CardError, RecordError
from cribev.solution.keeps import GameSize
from cribev.solution.play_states import PlayStates

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

    @abstractmethod
    def policies(self, nodes: PublicNode) -> NDArray[np.floating[Any]]:
        """Return how often each rank is laid at many nodes, ``(..., R, N(cards - 1))``.

        All movers have the same number of cards left. At ``[..., rank, rest]`` stands the chance
        for the holding of that rank and that rest: 1 where it is forced, 0 where the rank does not
        fit.
        """

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
        """Return `policies` of one node, of the ranks that fit: ``(fits, N(cards - 1))``.

        A player left alone has no table, see `choices`.
        """
        table: Floats = self.policies(node)[: self.fits[node.state]].astype(np.float64)
        return table

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
