"""The best response to a strategy of the play: what it pegs with your keeps, or with all keeps.

The response knows your keep, and weighs every keep that the opponent may hold. It is computed on
the tree of `cribev.values.pegging`, stored by the play so far and by the cards you have left, and
can then be played like any strategy.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cribev.classes.canonical import Floats, Index
from cribev.game.cards import Cards
from cribev.game.index_tables import KEEPS
from cribev.game.roles import Role
from cribev.opponents.opponents import Opponent
from cribev.solution.solved_play import ExpectedPegging
from cribev.solution.strategy import (
    GO,
    Integers,
    PlayStrategy,
    PublicNode,
    numbers_with_card,
    numbers_without_card,
)
from cribev.values.holdings import Belief, kept_by_chance
from cribev.values.pegging import PlayTree

MOVE_BITS, _HELD_BITS = 4, 11  # of a number for a card or a go, and for the cards left
_KEEPS_AT_ONCE = 16  # more take more memory, and no less time
GONE = (1 << MOVE_BITS) - 1  # of a go


class _NotingTree(PlayTree):
    """A tree that stores which card is best wherever the player can play one."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._asked, self._noted = list[tuple[Any, Index]](), list[tuple[Index, Index]]()
        super().__init__(*arguments, **options)

    def _expand(self, kind: Any, groups: Any, below: Any) -> Any:
        group = super()._expand(kind, groups, below)
        if kind.own_turn and len(group.rows):
            places = np.concatenate([nodes.places[:, 1] for nodes, _ in groups])
            held = np.concatenate([nodes.own for nodes, _ in groups])
            self._asked.append((group, places << _HELD_BITS | held))
        return group

    def _note(self, nodes: Any, played: Index, goes: Index, ranks: Index) -> None:
        places = nodes.places[:, 1] << MOVE_BITS | played + 1
        for go in range(goes.max(initial=0)):
            places = np.where(goes > go, places << MOVE_BITS | GONE, places)
        chosen = goes >= 0
        self._noted.append(((places << _HELD_BITS | nodes.own)[chosen], ranks[chosen]))

    def noted(self) -> tuple[Index, Index]:
        """Return where cards were played, ascending, and which, ``(n,)`` each."""
        for group, key in self._asked:
            best = np.lexsort((group.ranks, -self._end.objective(group.played), group.rows))
            rows, first = np.unique(group.rows[best], return_index=True)
            self._noted.append((key[rows], group.ranks[best[first]]))
        keys, ranks = map(np.concatenate, zip(*self._noted, strict=True))
        order = keys.argsort()
        return keys[order], ranks[order]


class BestReply(PlayStrategy):
    """The best response of hands, ranks ``(hands, 4)``, to a strategy, from the lead on.

    The belief gives the chances of the opponent's keeps, in one row for all hands, or a row each.
    After a play that the response and the strategy cannot reach, the lowest card is played.
    """

    def __init__(
        self, hands: Sequence[Sequence[int]] | Index, role: Role, chance: Floats, to: PlayStrategy
    ) -> None:
        super().__init__(to.size, to.states)
        self.name = f"the best reply to {to.name}"
        belief = Belief(to.size.kept, chance, 0, explained=True)
        tree = _NotingTree([], role, hands, belief, opponent=to, noting=self)
        self._keys, self._ranks = tree.noted()
        self.points = tree.values
        """The average points that each hand pegs, and its opponent, ``(hands, 2)``."""

    def place_after(self, node: PublicNode, move: Integers) -> Integers:
        """Return the cards played so far."""
        return (node.place << MOVE_BITS) + (move - GO - 1) % (1 << MOVE_BITS)

    def policies(self, nodes: PublicNode) -> Floats:
        """Look up what every holding plays."""
        cards = int(np.ravel(nodes.mover_left)[0])
        rests = numbers_without_card(self.size, cards)
        flat = [np.broadcast_to(column, np.shape(nodes.state + nodes.place)) for column in nodes]
        likely = np.zeros((*flat[0].shape, len(rests), len(self.size.ranks)))
        for index in np.ndindex(flat[0].shape):
            node = PublicNode(*(np.broadcast_to(column[index], len(rests)) for column in flat))
            likely[index] = self.chances_of_rests(node, rests)
        numbers = numbers_with_card(self.size, cards)
        return likely[..., numbers, np.arange(len(self.size.ranks))[:, None]]

    def chances_of_rests(self, nodes: PublicNode, rests: Index) -> Floats:
        """Look up what holdings play."""
        cards = int(np.ravel(nodes.mover_left)[0])
        rows, lowest = np.arange(len(rests)), (rests >= 0).argmax(axis=1)
        held = numbers_with_card(self.size, cards)[lowest, rests[rows, lowest]]
        keys = np.asarray(nodes.place) << _HELD_BITS | held
        index = np.minimum(self._keys.searchsorted(keys), len(self._keys) - 1)
        played = np.where(self._keys[index] == keys, self._ranks[index], lowest)
        chances = np.zeros(rests.shape)
        chances[rows, played] = 1
        return chances


def replies(
    person: Opponent, role: Role, faced: Floats, keeps: Sequence[int]
) -> Iterator[tuple[Sequence[int], Index, BestReply]]:
    """Yield some of the keeps at a time, their ranks, ``(n, 4)``, and how they reply.

    ``faced`` is how likely each faces each other, rows of one, ``(keeps, 1820)``.
    """
    strategy = person.play.strategy()
    for start in range(0, len(keeps), _KEEPS_AT_ONCE):
        block = slice(start, start + _KEEPS_AT_ONCE)
        hands = strategy.size.holdings(strategy.size.kept)[list(keeps[block])]
        yield keeps[block], hands, BestReply(hands, role, faced[block], strategy)


def reply_pegging(deal: Cards, role: Role, person: Opponent) -> ExpectedPegging:
    """Return what each keep of a sorted deal pegs by its best response, ``(15,)`` for each."""
    dead = np.bincount(deal >> 2, minlength=13)
    chance = kept_by_chance(dead, person.discards.keeps(role))
    keeps, keep_of = np.unique(np.sort((deal >> 2)[KEEPS], axis=1), axis=0, return_inverse=True)
    belief = Belief(keeps.shape[1], chance, 0, explained=True)
    tree = PlayTree([], role, keeps, belief, opponent=person.play.strategy())
    return ExpectedPegging(*tree.values[keep_of.ravel()].T)
