"""The play as a game tree: its rules in tables, public nodes, and what is forced at the ends.

States are those of `PlayStates`. *Holdings* are multisets of ranks, numbered in the order of
``combinations_with_replacement``. A *node* is public: it holds for every holding of both
players. Where each player has one card left, all is forced. Where one has none, the other plays the
rest in the order that pegs most. So the tree ends there for the solver. Rows over holdings are
padded to multiples of 16 floats, the width of a vector.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cribev.solution.tree import (
    GameSize,
    left_alone,
    numbers_with_card,
    one_card_each,
    tabulate_places,
    tabulate_states,
)

LANES, ROWS = 16, 13
"""A square of one card by another, for any `GameSize`: loops of known length are far faster."""

DEPTH = 24  # more nodes than any path through the tree has

# Nothing is allocated, so references need no counting (`_nrt`): on millions of nodes, counting
# references to arrays takes as long as all the rest.
_OPTIONS: Any = {
    "nogil": True,
    "fastmath": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "_nrt": False,
}
compiled: Any = njit(**_OPTIONS)  # compile what Python calls and what allocates nothing
helper: Any = njit(**(_OPTIONS | {"no_cpython_wrapper": True}))
"""Compile what only compiled functions call."""


class PlayTables(NamedTuple):
    """What compiled functions look up; ``R`` ranks, ``S`` states, ``W`` padded holdings."""

    next_state: NDArray[np.int32]
    """State after a rank, ``(S, R)``; 0, where all begins, after 31; -1 if it does not fit."""
    points: NDArray[np.int8]  # points for it, ``(S, R)``
    fits: NDArray[np.int64]  # how many ranks fit, always the lowest, ``(S,)``
    lowest: NDArray[np.int64]  # lowest rank of each holding, by cards, ``(kept + 1, W)``
    add_card: NDArray[np.int32]
    """Holding of so many cards from a rank and a holding of one fewer, ``(kept + 1, R, W)``."""
    keep_of: NDArray[np.int32]
    """Keep from cards left, the holding played and the holding left, ``(kept + 1, played, W)``."""
    width: NDArray[np.int64]
    """Padded holdings of so many cards, at least one of them padding, ``(kept + 1,)``."""
    forced_net: NDArray[np.int8]
    """Net points when each has one card, ``(4, S, 13 * 16)``: by 2 if the player moves, plus 1 if
    who waits has said go; state; the other's rank, then the player's."""
    forced_own: NDArray[np.int8]
    forced_other: NDArray[np.int8]
    alone_net: NDArray[np.int8]
    """Net points of a player who plays the rest alone, by state and holding from `alone_start`."""
    alone_own: NDArray[np.int8]
    alone_other: NDArray[np.int8]
    alone_start: NDArray[np.int64]
    """Where the holdings of so many cards start in the rows above, ``(kept + 1,)``."""
    cells: NDArray[np.int64]
    """Cells of the information sets from a node down, ``(kept + 1, kept + 1, 2, S)``: by the cards
    that who moves and who waits have left, the go and the state."""


class Node(NamedTuple):
    """A public node, seen by one of the players; int64 each."""

    state: int
    own_turn: int  # 1 if the player moves, 0 if the other does
    go: int  # 1 if who waits has said go
    own_left: int  # how many cards the player has left
    other_left: int
    own_played: int  # holding of the cards the player has played
    other_played: int
    own_points: int
    other_points: int
    depth: int
    own_row: int  # row of the scratch buffers with the reach of the player's holdings
    other_row: int


@helper
def after_card(tables, node, rank):
    """Return the node after who moves has played a rank that fits: a place in the ranks, int64."""
    state = np.int64(tables.next_state[node.state, rank])
    points = np.int64(tables.points[node.state, rank])
    again = np.int64(node.go == 1 and state != 0)
    if node.own_turn:
        cards = tables.lowest.shape[0] - node.own_left
        played = np.int64(tables.add_card[cards, rank, node.own_played])
        return Node(
            state, again, again, node.own_left - 1, node.other_left, played, node.other_played,
            node.own_points + points, node.other_points,
            node.depth + 1, node.depth + 1, node.other_row,
        )  # fmt: skip
    cards = tables.lowest.shape[0] - node.other_left
    played = np.int64(tables.add_card[cards, rank, node.other_played])
    return Node(
        state, 1 - again, again, node.own_left, node.other_left - 1, node.own_played, played,
        node.own_points, node.other_points + points,
        node.depth + 1, node.own_row, node.depth + 1,
    )  # fmt: skip


@helper
def after_go(node):
    """Return the node after who moves has said go: the second go ends the count, for a point."""
    state = np.int64(0) if node.go else node.state
    if node.own_turn:
        return Node(
            state, 0, 1 - node.go, node.own_left, node.other_left,
            node.own_played, node.other_played, node.own_points + node.go, node.other_points,
            node.depth + 1, node.depth + 1, node.other_row,
        )  # fmt: skip
    return Node(
        state, 1, 1 - node.go, node.own_left, node.other_left, node.own_played, node.other_played,
        node.own_points, node.other_points + node.go,
        node.depth + 1, node.own_row, node.depth + 1,
    )  # fmt: skip


@cache
def tabulate_play(size: GameSize) -> PlayTables:
    """Tabulate the play (seconds)."""
    states = tabulate_states(size.ranks)
    next_state, points = states
    ranks, kept = len(size.ranks), size.kept
    counts = [size.holding_count(cards) for cards in range(kept + 1)]
    width = np.array([-(-(count + 1) // LANES) * LANES for count in counts], dtype=np.int64)
    holdings = [size.holdings(cards) for cards in range(kept + 1)]
    widest = int(width[kept - 1])

    lowest = np.full((kept + 1, int(width[kept])), ranks, dtype=np.int64)
    add_card = np.zeros((kept + 1, ranks, widest), dtype=np.int32)
    keep_of = np.full((kept + 1, counts[kept - 1], widest), counts[kept], dtype=np.int32)
    for cards in range(1, kept + 1):
        lowest[cards, : counts[cards]] = holdings[cards][:, 0]
        add_card[cards] = counts[cards]  # the padding
        add_card[cards, :, : counts[cards - 1]] = numbers_with_card(size, cards)
    for left in range(1, kept):
        both = np.empty((counts[kept - left], counts[left], kept), dtype=np.int64)
        both[..., :left], both[..., left:] = holdings[left], holdings[kept - left][:, None]
        keeps = size.holding_numbers(np.sort(both, axis=-1))
        keep_of[left, : len(keeps), : counts[left]] = keeps

    every = np.arange(len(next_state))
    forced: NDArray[np.int8] = np.zeros((2, 4, len(every), ROWS, LANES), dtype=np.int8)
    other, own = np.ogrid[:ranks, :ranks]
    for go in range(2):
        moves, waits = (
            one_card_each(states, every[:, None, None], np.array(go), *cards)
            for cards in ((own, other), (other, own))
        )
        forced[:, 2 + go, :, :ranks, :ranks] = moves.mover, moves.waiter
        forced[:, go, :, :ranks, :ranks] = waits.waiter, waits.mover
    forced = forced.reshape(2, 4, len(every), -1)
    starts = np.concatenate([[0, 0, 0], np.cumsum(width[2:kept])]).astype(np.int64)[: kept + 1]
    alone = np.zeros((2, len(every), int(width[2:kept].sum())), dtype=np.int8)
    for cards in range(2, kept):
        most = left_alone(states, every[:, None], holdings[cards][None])
        alone[:, :, starts[cards] : starts[cards] + counts[cards]] = most.mover, most.waiter
    # No cards and one leave no choice, and need no cells.
    tables = states.fits * np.concatenate([[0, 0], width[1:kept]])[:, None]
    cells = tabulate_places(states, tables)[..., -1].astype(np.int64)
    return PlayTables(
        next_state, points, states.fits, lowest, add_card, keep_of, width,
        forced[0] - forced[1], forced[0], forced[1], alone[0] - alone[1], alone[0], alone[1],
        starts, cells,
    )  # fmt: skip


@compiled
def count_cells(tables, node):
    """Count the cells of the information sets from a node down, in the order of the walk."""
    if node.own_turn:
        return tables.cells[node.own_left, node.other_left, node.go, node.state]
    return tables.cells[node.other_left, node.own_left, node.go, node.state]
