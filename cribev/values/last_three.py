"""The value of a play once the players have three cards left together, by state of the count.

A player who knows their own cards then has at most one choice. So the value is the best of two sums
over what the opponent may have left. Apart from the chances of what that is, these do not depend on
the play so far, so many nodes of a tree share a table.
"""

from typing import NamedTuple

import numpy as np

from cribev.classes.canonical import Floats, Index
from cribev.solution.strategy import (
    PlayStrategy,
    PublicNode,
    left_alone,
    lowest_ranks,
    numbers_with_card,
    one_card_each,
)

_NO_GO = np.array(0)


class LastThree(NamedTuple):
    """The values of ``n`` nodes by the opponent's holding, of ``m``, with each of ``c`` choices.

    The choices are the lower and the higher of two cards, or one.
    """

    own: Floats  # points of the player, ``(n, c, m)``
    opponent: Floats  # points of the opponent, ``(n, c, m)``
    goes: Index  # how many goes are said before the choice, ``(n,)``; -1 if there is none


def two_against_one(
    strategy: PlayStrategy, state: Index, go: Index, cards: Index, *, own_turn: bool
) -> LastThree:
    """Tabulate what two cards, by their number, are worth against one."""
    states, size = strategy.states, strategy.size
    held, card = size.holdings(2)[cards], np.arange(len(size.ranks))
    own, opponent = np.zeros((2, len(state), 2, len(card)))
    goes, fits = np.full(len(state), -1), states.next_state[state[:, None], held] >= 0
    if own_turn:
        playing = np.flatnonzero(fits.any(axis=1))
        before, goes[playing] = state[playing, None], 0
        after, points = (table[before, held[playing]].astype(np.int64) for table in states)
        after, rest = np.maximum(after, 0)[..., None], held[playing, ::-1, None]
        # An opponent who has said go still cannot play: it is as if they said it now.
        forced = one_card_each(states, after, _NO_GO, card, rest)
        own[playing], opponent[playing] = points[..., None] + forced.waiter, forced.mover
        for table in (own, opponent):  # a higher card that does not fit is not a choice
            table[playing, 1] = np.where(
                fits[playing, 1, None], table[playing, 1], table[playing, 0]
            )
        goers = np.ones((len(state) - len(playing), len(card)), dtype=bool)
        stuck = np.flatnonzero(~fits.any(axis=1))
    else:
        plays = states.next_state[state] >= 0
        rows, ranks = np.nonzero(plays)
        before = states.next_state[state[rows], ranks].astype(np.int64)
        alone = left_alone(states, before, held[rows])
        own[rows, :, ranks] = alone.mover[:, None]
        opponent[rows, :, ranks] = (states.points[state[rows], ranks] + alone.waiter)[:, None]
        stuck = np.flatnonzero(~plays.all(axis=1))
        goers = ~plays[stuck]
    if len(stuck):
        again = 1 - go[stuck]
        after_go = two_against_one(
            strategy, state[stuck] * again, again, cards[stuck], own_turn=not own_turn
        )
        _add(after_go, own, opponent, stuck, goers[:, None], go[stuck] * (2 * own_turn - 1))
        goes[stuck] = np.where(after_go.goes < 0, -1, after_go.goes + 1)
    return LastThree(own, opponent, goes)


def one_against_two(
    strategy: PlayStrategy, state: Index, go: Index, cards: Index, *, own_turn: bool
) -> LastThree:
    """Tabulate what a card is worth against two, played by a strategy that goes by the count."""
    states, size = strategy.states, strategy.size
    card, both = np.arange(len(size.ranks)), size.holdings(2)
    own, opponent = np.zeros((2, len(state), 1, len(both)))
    if own_turn:
        after = states.next_state[state, cards].astype(np.int64)
        stuck, playing = np.flatnonzero(after < 0), np.flatnonzero(after >= 0)
        alone = left_alone(states, after[playing, None], both[None])
        own[playing, 0] = states.points[state[playing], cards[playing], None] + alone.waiter
        opponent[playing, 0] = alone.mover
        goers = np.ones((len(stuck), len(both)), dtype=bool)
    else:
        likely = strategy.policies(PublicNode(state, go, 0, 2, 1, 0))
        after = np.maximum(states.next_state[state].astype(np.int64), 0)[..., None]
        forced = one_card_each(states, after, _NO_GO, cards[:, None, None], card)
        own_points = likely * forced.mover
        opponent_points = likely * (states.points[state][..., None] + forced.waiter)
        for rank, numbers in enumerate(numbers_with_card(size, 2)):
            own[:, 0, numbers] += own_points[:, rank]
            opponent[:, 0, numbers] += opponent_points[:, rank]
        goers = lowest_ranks(size)[2] >= strategy.fits[state][:, None]
        stuck = np.flatnonzero(goers.any(axis=1))
        goers = goers[stuck]
    if len(stuck):
        again = 1 - go[stuck]
        after_go = one_against_two(
            strategy, state[stuck] * again, again, cards[stuck], own_turn=not own_turn
        )
        _add(after_go, own, opponent, stuck, goers[:, None], go[stuck] * (2 * own_turn - 1))
    return LastThree(own, opponent, np.full(len(state), -1))


def _add(
    after_go: LastThree, own: Floats, opponent: Floats, rows: Index, goers: Index, point: Index
) -> None:
    """Add what follows a go where it is said; its point is 1 for the player, -1 for the other."""
    point = point[:, None, None]
    own[rows] += (after_go.own + (point > 0)) * goers
    opponent[rows] += (after_go.opponent + (point < 0)) * goers
