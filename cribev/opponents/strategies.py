"""Strategies of the play besides the expert's, and how likely choices are by their values.

For every public node, a strategy says how often each holding plays each rank that fits. All share
two rules: a last card is played as soon as it fits, and a player left alone plays the rest in the
order that pegs most.
"""

from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.game.cards import PIP_VALUES
from cribev.game.index_tables import read_only
from cribev.opponents.habits import Habits
from cribev.solution.strategy import GameSize, PlayStates, PlayStrategy, PublicNode

SHARP = 1e-6  # a temperature at which only what is best is chosen
_LONG_ODDS = 60.0  # the logarithm of odds beyond which a choice is never made


def quantal_chances(
    values: Floats, temperature: float = 1.0, copies: Floats | float = 1.0
) -> Floats:
    """Return how likely each choice is along the last axis, by how many copies it has.

    >>> quantal_chances(np.array([1.0, 0.0, -np.inf]), 0.5).round(3)
    array([0.881, 0.119, 0.   ])
    """
    ahead = values - values.max(axis=-1, keepdims=True)
    weights = copies * np.exp(ahead / max(temperature, SHARP))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def quantal_odds(ahead: Floats | float) -> NDArray[np.float32]:
    """Return the odds of a choice against another by how far it is ahead, in temperatures."""
    return np.asarray(np.exp(np.minimum(ahead, _LONG_ODDS)), dtype=np.float32)


class GreedyPlay(PlayStrategy):
    """Play what pegs most at once, ignoring goes; of equal cards the highest that fits."""

    name, by_count = "greedy", True

    def policies(self, nodes: PublicNode) -> Floats:
        """Play the rank with the highest key: points first, then rank."""
        ranks, state = len(self.size.ranks), np.asarray(nodes.state)
        key = self.states.points[state] * np.int64(ranks) + np.arange(ranks)
        key[self.states.next_state[state] < 0] = -1
        rest = self.size.holdings(_cards_left(nodes) - 1)
        best_of_rest = key[..., rest].max(axis=-1, initial=-1)
        played = (key[..., :, None] >= best_of_rest[..., None, :]) & (key >= 0)[..., None]
        return np.asarray(played, dtype=np.float64)


class UniformPlay(PlayStrategy):
    """Play any card that fits, equally often: of 5 5 J, a five twice as often as the jack."""

    name, by_count = "uniform", True

    def policies(self, nodes: PublicNode) -> Floats:
        """Count the cards that fit, and those of each rank."""
        return any_card(self.fits[nodes.state], self.size, _cards_left(nodes))


class HabitsPlay(PlayStrategy):
    """Play by quantal response to what habits see of each card, and of a lead, if it is paired."""

    by_count = True

    def __init__(self, size: GameSize, states: PlayStates, habits: Habits, *, name: str) -> None:
        super().__init__(size, states)
        self.habits, self.name = habits, name
        features, scale = seen_of_cards(size, states), max(habits.cards, SHARP)
        seen = features.points + habits.high * features.pips - habits.ace * features.aces
        self._seen = np.where(states.next_state < 0, _NEVER, seen / scale)
        self._feared = (habits.danger or 0) / scale * features.reply
        sooner = quantal_odds(habits.pairs / scale)
        self._lead_odds = np.where(_paired(size), sooner, _held(size, size.kept))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(HabitsPlay, name=self.name), (self.size, self.states, self.habits)

    def policies(self, nodes: PublicNode) -> Floats:
        """Play each rank by its odds against the other ranks that fit, at any temperature."""
        cards, other = _cards_left(nodes), int(np.ravel(nodes.other_left)[0])
        places, place_of = np.unique(
            np.add(np.multiply(2, nodes.state), nodes.go), return_inverse=True
        )  # fmt: skip
        state, go = np.divmod(places, 2)
        replies = np.where(go == 1, 0, other)[:, None]  # how many cards may answer
        seen = self._seen[state] - replies * self._feared[state]
        # Against itself each rank has odds of one, so no holding's total vanishes.
        odds = quantal_odds(seen[:, None] - seen[:, :, None])
        held = self._lead_odds if cards == other == self.size.kept else _held(self.size, cards)
        total = np.empty((len(state), *held.shape[::2]), dtype=np.float32)
        for rank, marks in enumerate(held):
            np.matmul(odds[:, rank], marks, out=total[:, rank])
        fits = np.arange(len(held)) < self.fits[state][:, None]
        own = held[range(len(held)), range(len(held))]
        chances = np.divide(fits[..., None] * own, total, out=total)
        return np.asarray(chances[place_of.reshape(np.shape(nodes.state + nodes.go))])


class SeenOfCards(NamedTuple):
    """Features of cards that habits see, by state of the count and rank, ``(S, R)`` or ``(R,)``."""

    points: Floats  # what it pegs at once
    reply: Floats  # what one card would peg on it on average, were it any
    pips: Floats
    aces: Floats  # 1 for an ace


def seen_of_cards(size: GameSize, states: PlayStates) -> SeenOfCards:
    """Tabulate what habits see of each card."""
    points, after, ranks = states.points.astype(float), states.next_state, np.array(size.ranks)
    reply = np.where(after < 0, 0, points[np.maximum(after, 0)].mean(axis=2))
    return SeenOfCards(
        points, reply, np.array(PIP_VALUES)[ranks].astype(float), (ranks == 0).astype(float)
    )


_NEVER = -1e30  # what a rank that does not fit seems worth


@cache
def _held(size: GameSize, cards: int) -> NDArray[np.float32]:
    """Mark the ranks of each holding of a size, by a rank and the rest, ``(R, R, N(rest))``."""
    rest, ranks = size.holdings(cards - 1), np.arange(len(size.ranks))
    others = (rest == ranks[:, None, None]).any(axis=2)
    return read_only((others | np.eye(len(ranks), dtype=bool)[..., None]).astype(np.float32))


@cache
def _paired(size: GameSize) -> NDArray[np.bool_]:
    """Mark the ranks that are held twice before the lead, as `_held` marks them."""
    rest, ranks = size.holdings(size.kept - 1), np.arange(len(size.ranks))
    number = (rest == ranks[:, None, None]).sum(axis=2) + np.eye(len(ranks), dtype=int)[..., None]
    return read_only(number > 1)


def _cards_left(nodes: PublicNode) -> int:
    return int(np.ravel(nodes.mover_left)[0])


def any_card(fits: Any, size: GameSize, cards: int) -> Floats:
    """Play all cards that fit equally often: ``(..., R, N(cards - 1))``, of ranks that fit."""
    ranks = np.arange(len(size.ranks))
    rest = size.holdings(cards - 1)
    same = 1 + (rest == ranks[:, None, None]).sum(axis=-1)
    fitting = 1 + (rest < np.asarray(fits)[..., None, None]).sum(axis=-1)
    chance = same / fitting[..., None, :]
    return np.where((ranks < np.asarray(fits)[..., None])[..., None], chance, 0.0)
