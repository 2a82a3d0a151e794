"""What can follow a card: what the opponent lays on it, for how much, and what you lay then."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cribev.advice.belief import Belief, reply_chances
from cribev.advice.endings import left_alone
from cribev.advice.position import PlayPosition
from cribev.classes.canonical import Floats
from cribev.game.cards import RANKS
from cribev.game.play import Peg, PegKind
from cribev.game.play_rules import PlayState
from cribev.solution.keeps import numbers_with_card
from cribev.solution.public_tree import PlayStrategy

_NEVER = 1e-12  # what is less likely is what rounding leaves

GO = "go"
"""In place of a card, where none fits."""


class Reply(NamedTuple):
    """What the opponent does next."""

    card: str
    """The rank of the card laid, or ``"go"``."""
    chance: float
    kinds: tuple[PegKind, ...]
    """What the opponent pegs for."""
    points: int
    """How much that is, to the opponent."""
    answer: str | None
    """What you lay best then, or ``"go"``; None where you have no cards left."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return self._asdict() | {"kinds": list(self.kinds)}


class CardReplies(NamedTuple):
    """What can follow one of your cards."""

    card: str
    replies: tuple[Reply, ...]
    """By rank, the go last. None where it is not the opponent's turn: you go on, or all is laid."""
    then: str | None
    """What you lay best next if the opponent has said go or has no cards left; else None."""

    def chance(self, kind: PegKind) -> float:
        """Tell how likely the reply pegs for a pair, a fifteen, a run …."""
        return sum((reply.chance for reply in self.replies if kind in reply.kinds), 0.0)

    @property
    def go(self) -> float:
        """How likely the opponent has to say go."""
        return sum((reply.chance for reply in self.replies if reply.card == GO), 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {
            "card": self.card,
            "paired": self.chance("pair"),
            "fifteen": self.chance("fifteen"),
            "thirty_one": self.chance("thirty-one"),
            "run": self.chance("run"),
            "go": self.go,
            "replies": [reply.to_dict() for reply in self.replies],
            "then": self.then,
        }


def replies_to(
    position: PlayPosition,
    rank: int,
    belief: Belief,
    strategy: PlayStrategy,
    best_cards: Mapping[tuple[int | None, ...], int],
) -> CardReplies:
    """List what can follow a rank, 0..12, that the player lays in a position.

    `best_cards` tells what the player lays best after that, as `PlayTree.best_cards`.
    """
    left, history = [*position.left], [*position.history, rank]
    left.remove(rank)
    state = position.state.copy()
    _ = state.lay(rank)
    _skip_silent_goes(state)

    def answer(after: PlayState, *moves: int | None) -> str | None:
        """Say what the player does after moves that follow the history."""
        if not left or after.turn != position.role:
            return GO if left else None
        fitting = {*left} & {*after.legal}
        if len(fitting) < 2:
            return RANKS[fitting.pop()] if fitting else GO
        best = best_cards.get((rank, *moves))
        if best is None:  # left alone
            node = strategy.node([*history, *moves])
            best = int(strategy.choices(node, left).argmax())
        return RANKS[best]

    if state.over or state.turn == position.role:
        return CardReplies(RANKS[rank], (), None if state.over else answer(state))
    chances = (
        reply_chances(history, belief, strategy) if left else _laid_alone(history, belief, strategy)
    )
    found = []
    for card in [*np.flatnonzero(chances > _NEVER).tolist(), None]:
        chance = 1 - float(chances.sum()) if card is None else float(chances[card])
        if chance < _NEVER:
            continue
        after = state.copy()
        pegs = after.go() if card is None else after.lay(card)
        _skip_silent_goes(after)
        theirs = [peg for peg in pegs if peg.role != position.role]
        found.append(_reply(card, chance, theirs, answer(after, card)))
    return CardReplies(RANKS[rank], tuple(found), None)


def _reply(card: int | None, chance: float, pegs: Sequence[Peg], answer: str | None) -> Reply:
    name = GO if card is None else RANKS[card]
    points = sum(peg.points for peg in pegs)
    return Reply(name, chance, tuple(peg.kind for peg in pegs), points, answer)


def _skip_silent_goes(state: PlayState) -> None:
    """Let a player without cards say go."""
    while not state.over and not state.left[state.turn]:
        _ = state.go()


def _laid_alone(history: Sequence[int | None], belief: Belief, strategy: PlayStrategy) -> Floats:
    """Tell how likely the opponent, left alone, lays each rank next, ``(R,)``.

    The rest is laid in the order that pegs most, of equal ones the lowest card first.
    """
    size, states, cards = strategy.size, strategy.states, belief.left
    state = strategy.node(history).state
    ranks = np.arange(len(size.ranks))
    numbers, rest = numbers_with_card(size, cards), size.holdings(cards - 1)
    most = left_alone(states, np.array(state), size.holdings(cards)).mover
    after = states.next_state[state, ranks].astype(np.int64)
    alone = left_alone(states, np.maximum(after, 0)[:, None], rest[None], laid_last=True)
    points = states.points[state, ranks].astype(np.int64)[:, None] + alone.mover
    best = (after >= 0)[:, None] & (points == most[numbers])
    lowest = np.full(len(most), len(ranks))
    np.minimum.at(lowest, numbers[best], np.nonzero(best)[0])
    laid = lowest[numbers] == ranks[:, None]
    chances: Floats = (belief.chance[numbers] * laid).sum(axis=1)
    return chances
