"""What is forced at the ends of a play, and what the end is worth.

Where each player has one card left, no one has a choice. Where one has none, the other lays the
rest in the order that pegs most. So `cribev.solving` has it, and nothing else is solved.
"""

from functools import cache
from itertools import permutations
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats, Index
from cribev.solution.keeps import GameSize, numbers_with_card
from cribev.solution.play_states import PlayStates

_UNHEARD_OF = 99  # more points than anyone pegs


class Ends(NamedTuple):
    """Ends of the play, by how the play went and the opponent's last cards, ``(n, m)`` each."""

    weights: Floats
    """How likely it is."""
    own: NDArray[np.integer]
    """Points the player has pegged."""
    opponent: NDArray[np.integer]
    own_first: NDArray[np.bool_]
    """Whether, of the last points that both have pegged, the player's came first."""
    laid: Index
    """The number of the holding of what the opponent laid before, ``(n, 1)``."""
    left: int
    """How many cards the opponent's last are: ``m`` holdings, as `GameSize.holdings` lists them."""


class EndValue(Protocol):
    """What the end of a play is worth to the player: points, or something made of them."""

    parts: int
    """How many numbers an end is worth."""

    def settle(self, ends: Ends) -> Floats:
        """Sum what ends are worth over the opponent's cards, weighted, ``(n, parts)``."""

    def is_over(self, own: Index, opponent: Index) -> NDArray[np.bool_] | None:
        """Tell which plays end at once with so many points, ``(n,)``; None if none ever does."""

    def goal(self, values: Floats) -> Floats:
        """Return what the player wants most of, ``(...)`` of ``(..., parts)``."""


class PeggedPoints:
    """The end is worth what was pegged: own points, and the opponent's."""

    parts = 2

    def settle(self, ends: Ends) -> Floats:
        """Sum own points and the opponent's."""
        return np.stack(
            [np.einsum("nm,nm->n", ends.weights, part) for part in (ends.own, ends.opponent)],
            axis=-1,
        )

    def is_over(self, own: Index, opponent: Index) -> None:
        """Play on."""

    def goal(self, values: Floats) -> Floats:
        """Return own points less the opponent's."""
        net: Floats = values[..., 0] - values[..., 1]
        return net


@cache
def keeps_of(size: GameSize, left: int) -> Index:
    """Return the number of a keep by what of it is laid and left, ``(N(laid), N(left))``."""
    numbers = np.arange(size.holding_count(size.kept - left))[:, None]
    numbers = np.repeat(numbers, size.holding_count(left), axis=1)
    for at, rank in enumerate(size.holdings(left).T):
        numbers = numbers_with_card(size, size.kept - left + at + 1)[rank, numbers]
    return numbers


class ForcedPoints(NamedTuple):
    """Points of what is forced, arrays of one shape."""

    mover: NDArray[np.int64]
    """Points of who moves, or of who has cards left."""
    waiter: NDArray[np.int64]
    mover_first: NDArray[np.bool_]
    """Whether those of who moves come first, where both peg."""


def one_card_each(
    states: PlayStates, state: Index, go: Index, mover: Index, waiter: Index
) -> ForcedPoints:
    """Play out where each has one card, by the ranks' places; all arrays broadcast."""
    next_state, points = states.next_state, states.points
    after, gained = next_state[state, mover], points[state, mover]
    # Who waits lays on that card, if it fits.
    follows, followed = next_state[after, waiter], points[after, waiter]
    goes = (go == 1) | (follows < 0)
    # Who moves cannot lay: who waits lays first, if that fits.
    instead, first = next_state[state, waiter], points[state, waiter]
    # Nobody can: a new count, and the first of its two cards pegs nothing.
    mover_last, waiter_last = (
        1 + points[next_state[0, waiter], mover],
        1 + points[next_state[0, mover], waiter],
    )
    fits = after >= 0
    of_mover = np.where(
        fits,
        gained + (goes & (after != 0)),
        np.where(go == 1, 1 + mover_last, instead >= 0),
    )
    of_waiter = np.where(
        fits,
        np.where((after == 0) | goes, 1, followed + (follows != 0)),
        np.where(go == 1, 0, np.where(instead >= 0, first + (instead != 0), 1 + waiter_last)),
    )
    shape = of_mover.shape
    return ForcedPoints(of_mover, of_waiter, np.broadcast_to(fits | (go == 1), shape))


def left_alone(
    states: PlayStates, state: Index, held: Index, *, laid_last: bool = False
) -> ForcedPoints:
    """Let a player alone lay the rest in the order that pegs most.

    Parameters
    ----------
    states
        The rules of a count.
    state
        Where the play stands, ``(...)``.
    held
        The ranks' places that the player has left, ascending, ``(..., cards)``.
    laid_last
        Whether the player has laid the last card. If not, the other pegs a go first where no card
        fits.
    """
    next_state, points = states.next_state, states.points
    now: Index
    state, first = np.broadcast_arrays(state, held[..., 0] if held.shape[-1] else state)
    other = np.zeros(state.shape, dtype=np.int64)
    if not laid_last and held.shape[-1]:
        other = ((state != 0) & (next_state[state, first] < 0)).astype(np.int64)
    best = np.full(state.shape, -1, dtype=np.int64)
    for order in permutations(range(held.shape[-1])):
        total, now, last = np.zeros_like(best), state, laid_last
        for at, card in enumerate(order):
            rank, lowest = held[..., card], held[..., min(order[at:])]
            after = next_state[now, rank]
            # Where the card does not fit the count ends, but not if a lower one fits.
            illegal = (after < 0) & (next_state[now, lowest] >= 0)
            total = total + ((after < 0) & last) - _UNHEARD_OF * illegal
            now = np.where(after < 0, 0, now)
            total, now, last = (
                total + points[now, rank],
                next_state[now, rank].astype(np.int64),
                True,
            )
        best = np.maximum(best, total + ((now != 0) & last))
    return ForcedPoints(best, other, other == 0)
