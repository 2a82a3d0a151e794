"""Who plays: strategies of the play besides the expert's, by which a best response can be taken.

Each says for every public node how often each holding lays each rank that fits. Two things all do
alike: one card left is laid where it fits, and a player left alone lays the rest in the order that
pegs most.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cribev.classes.canonical import Floats
from cribev.errors import CribevError, describe, quote
from cribev.game.cards import SUITLESS_OFFSET, rank_of
from cribev.game.play import Play
from cribev.game.roles import Role, role_of
from cribev.opponents.discarders import ToWin
from cribev.solution.solution import shipped_strategy
from cribev.solution.tree import (
    GameSize,
    Integers,
    PlayStates,
    PlayStrategy,
    PublicNode,
    numbers_with_card,
)


class GreedyPlay(PlayStrategy):
    """Lay what makes the most points at once, and of equals the highest card that fits.

    Points for a go or the last card do not count: nobody knows of them yet.
    """

    name = "greedy"

    def policies(self, nodes: PublicNode) -> Floats:
        """Lay the rank of the highest key: points first, then rank."""
        ranks = len(self.size.ranks)
        state = np.asarray(nodes.state)
        key = self.states.points[state] * np.int64(ranks) + np.arange(ranks)
        key[self.states.next_state[state] < 0] = -1
        rest = self.size.holdings(_cards_left(nodes) - 1)
        best_of_rest = key[..., rest].max(axis=-1, initial=-1)
        laid = (key[..., :, None] >= best_of_rest[..., None, :]) & (key >= 0)[..., None]
        chances: Floats = laid.astype(np.float64)
        return chances


class UniformPlay(PlayStrategy):
    """Lay any card that fits, each as often: of 5 5 J a five twice as often as the jack."""

    name = "uniform"

    def policies(self, nodes: PublicNode) -> Floats:
        """Count the cards that fit, and those of each rank."""
        return _any_card(self.fits[nodes.state], self.size, _cards_left(nodes))


@dataclass(frozen=True, eq=False)
class PublicPlay:
    """What a function that plays is told: all that both players see, and what may be held."""

    role: Role
    """Who is to lay a card."""
    laid: tuple[int | None, ...]
    """The ranks laid since the lead, 0..12, and None for each go."""
    on_table: tuple[int, ...]
    """The ranks laid since the count began."""
    count: int
    left: int
    """How many cards the player has left."""
    other_left: int
    holdings: NDArray[np.int64]
    """What these can be, ranks 0..12 ascending, ``(n, left)``."""


PlayFunction: TypeAlias = Callable[[PublicPlay], ArrayLike]
"""Returns how often each holding lays each rank, ``(n, 13)``: weights of 0 or more. Only ranks that
are held and fit count; a holding with no weight on any lays each card that fits as often."""


class LockedPlay(PlayStrategy):
    """Play as a function says, whatever it is: a locked node, as poker solvers have it.

    The function is called once for each public node that can be reached, see `PlayFunction`.

    >>> from cribev.solution.tree import tabulate_states
    >>> size = GameSize((4, 9), 2)
    >>> def lowest(play):
    ...     weights = np.zeros((len(play.holdings), 13))
    ...     weights[np.arange(len(weights)), play.holdings[:, 0]] = 1
    ...     return weights
    >>> strategy = LockedPlay(size, tabulate_states(size.ranks), lowest)
    >>> strategy.choices(strategy.node([1]), [0, 1]).tolist()
    [1.0, 0.0]
    """

    def __init__(
        self, size: GameSize, states: PlayStates, function: PlayFunction, *, name: str = "locked"
    ) -> None:
        super().__init__(size, states)
        self.function, self.name = function, name

    # The place of a node is what was laid on the way: four bits each, of which 0 stands for none.

    def after_card(self, node: PublicNode, rank: Integers) -> PublicNode:
        """Return the node after a card, and how it came about."""
        return super().after_card(node, rank)._replace(place=node.place * 16 + rank + 1)

    def after_go(self, node: PublicNode) -> PublicNode:
        """Return the node after a go, and how it came about."""
        return super().after_go(node)._replace(place=node.place * 16 + 15)

    def policies(self, nodes: PublicNode) -> Floats:
        """Ask the function node by node; `CribevError` if it raises, or returns no such weights."""
        cards = _cards_left(nodes)
        if cards == 1:
            return _any_card(self.fits[nodes.state], self.size, cards)
        parts = np.broadcast_arrays(*nodes)
        flat = [PublicNode(*map(int, one)) for one in zip(*(p.ravel() for p in parts), strict=True)]
        of_nodes = np.stack([self._ask(node) for node in flat])
        return of_nodes.reshape(*parts[0].shape, *of_nodes.shape[1:])

    def _ask(self, node: PublicNode) -> Floats:
        cards, ranks = int(node.mover_left), np.array(self.size.ranks)
        holdings, laid = self.size.holdings(cards), self._laid(int(node.place))
        moves = (None if rank is None else rank + SUITLESS_OFFSET for rank in laid)
        table = Play.of(moves, cards=self.size.kept)
        on_table = tuple(map(rank_of, table.on_table))
        play = PublicPlay(
            role_of(bool(node.dealer_moves)), laid, on_table, table.count, cards,
            int(node.other_left), ranks[holdings],
        )  # fmt: skip
        try:
            weights = np.asarray(self.function(play), dtype=np.float64)
        except Exception as error:
            raise CribevError(f"{self.name!r} raised {describe(error)} after {laid}") from error
        expected = len(holdings), 13
        if weights.shape != expected or not (np.isfinite(weights) & (weights >= 0)).all():
            raise CribevError(
                f"{self.name!r} returns {weights.dtype} {weights.shape} after {laid}: expected "
                f"weights of 0 or more, {expected}"
            )
        held = (holdings[:, :, None] == np.arange(len(ranks))).sum(axis=1)
        held[:, int(self.fits[node.state]) :] = 0
        weights = weights[:, ranks] * (held > 0)
        weights = np.where(weights.any(axis=1, keepdims=True), weights, held)
        chances = weights / np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        by_rank: Floats = np.take_along_axis(chances.T, numbers_with_card(self.size, cards), axis=1)
        return by_rank

    def _laid(self, place: int) -> tuple[int | None, ...]:
        laid: list[int | None] = []
        while place:
            place, move = divmod(place, 16)
            laid.append(None if move == 15 else self.size.ranks[move - 1])
        return tuple(laid[::-1])


PlayStrategyLike: TypeAlias = str | PlayFunction | PlayStrategy
"""What is taken for one who plays: a name, a function, or a strategy."""


def as_play_strategy(opponent: PlayStrategyLike) -> PlayStrategy:
    """Take one who plays the whole game by name, as a function, or as it is.

    Names are ``"expert"``, ``"greedy"``, ``"uniform"`` and ``"to-win"``, who by points plays as the
    expert. CribevError if it is none of these.
    """
    given: object = opponent
    if isinstance(opponent, PlayStrategy):
        return opponent
    expert = shipped_strategy()
    if callable(opponent):
        name = getattr(opponent, "__name__", "locked")
        return LockedPlay(expert.size, expert.states, opponent, name=name)
    known: dict[str, PlayStrategy] = {
        strategy.name: strategy
        for strategy in (
            expert, GreedyPlay(expert.size, expert.states), UniformPlay(expert.size, expert.states)
        )
    }  # fmt: skip
    known[ToWin.name] = _to_win_by_points()
    name = given.strip().lower() if isinstance(given, str) else ""
    if name not in known:
        shown = quote(given) if isinstance(given, str) else quote(repr(given))
        names = ", ".join(map(repr, known))
        raise CribevError(f"{shown} is no player: expected {names} or a function")
    return known[name]


@cache
def _to_win_by_points() -> PlayStrategy:
    """Return who plays to win near the end, far from it: the expert."""
    found = copy(shipped_strategy())
    found.name = ToWin.name
    return found


def _cards_left(nodes: PublicNode) -> int:
    return int(np.ravel(nodes.mover_left)[0])


def _any_card(fits: Any, size: GameSize, cards: int) -> Floats:
    """Lay each card that fits as often: ``(..., R, N(cards - 1))``, of the ranks that fit."""
    ranks = np.arange(len(size.ranks))
    rest = size.holdings(cards - 1)
    same = 1 + (rest == ranks[:, None, None]).sum(axis=-1)
    fitting = 1 + (rest < np.asarray(fits)[..., None, None]).sum(axis=-1)
    chance = same / fitting[..., None, :]
    found: Floats = np.where((ranks < np.asarray(fits)[..., None])[..., None], chance, 0.0)
    return found
