"""The walk down the public tree of the play, all holdings of both at once, compiled.

A node is known by the state of the count, who moves, whether who waits has said go, and how many
cards each has left. Children are visited in one fixed order: the ranks that fit, then the go. So
the choices of all nodes lie in one long table in the order they are met, and need no address.

The walk is made for one player. Coming down, *reach* is how likely each holding is to have come
here by its own choices; going up, *value* is what each of his holdings can expect, weighted by how
likely the other's cards and choices are. What is done at a node is in `play_choice`; nearly all
nodes are those where who moves has two cards left and the other one, and they are done at a stroke.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cribev.solving.play_choice import (
    LANES,
    NEVER,
    RESPOND,
    ROWS,
    UPDATE,
    best_of_two,
    chosen,
    chosen_of_two,
    updated,
    updated_of_two,
)
from cribev.solving.tree import Tables

DEPTH = 24
"""Nodes on the way to an end are fewer."""


class Beliefs(NamedTuple):
    """How likely the other's keep is for each keep of a player, in three arrangements."""

    blocks: NDArray[np.float32]
    """By what each has laid but one (own first), then other's card, own card."""
    by_own: NDArray[np.float32]
    """Own keep, other's keep."""
    by_other: NDArray[np.float32]
    """Other's keep, own keep."""


class Choices(NamedTuple):
    """The tables of choices; each as it is, and as rows of a vector."""

    regrets: NDArray[np.float32]
    sums: NDArray[np.float32]
    regret_rows: NDArray[np.float32]
    sum_rows: NDArray[np.float32]


class Work(NamedTuple):
    """Room for a walk, by depth."""

    own: NDArray[np.float32]
    """Reach of the player's holdings."""
    other: NDArray[np.float32]
    value: NDArray[np.float32]
    totals: NDArray[np.float32]
    counts: NDArray[np.float32]
    chances: NDArray[np.float32]
    """How often each choice is made."""
    gains: NDArray[np.float32]
    """Value of each choice."""
    chance: NDArray[np.float32]
    """The same for two cards left, rank by rank."""
    gain: NDArray[np.float32]
    reach: NDArray[np.float32]
    turned: NDArray[np.float32]
    at: NDArray[np.int64]
    """Where in the tables of choices the walk stands, one number."""


def new_work(tables: Tables) -> Work:
    """Make room for a walk."""
    ranks, widest = tables.next.shape[1], int(tables.width[-1])
    rows = np.zeros((5, DEPTH, widest), dtype=np.float32)
    choices = np.zeros((2, DEPTH, ranks * int(tables.width[-2])), dtype=np.float32)
    squares = np.zeros((4, LANES, LANES), dtype=np.float32)
    return Work(
        rows[0], rows[1], rows[2], rows[3], rows[4], choices[0], choices[1],
        squares[0], squares[1], squares[2], squares[3], np.zeros(1, dtype=np.int64),
    )  # fmt: skip


@njit(nogil=True)
def count_choices(tables, state, mine, said, own, other):
    """Count the choices below a node, in the order of `walk`."""
    if own == 0 or other == 0 or (own == 1 and other == 1):
        return 0
    cards = own if mine else other
    below_own, below_other = (own - 1, other) if mine else (own, other - 1)
    fits = tables.fits[state]
    total = 0
    if cards >= 2:
        total += fits * tables.width[cards - 1]
    for rank in range(fits):
        after = np.int64(tables.next[state, rank])
        stays = mine if said and after != 0 else not mine
        total += count_choices(tables, after, stays, said and after != 0, below_own, below_other)
    if fits < tables.next.shape[1]:
        total += count_choices(tables, 0 if said else state, not mine, not said, own, other)
    return total


@njit(nogil=True, fastmath=True, error_model="numpy")
def _one_each(value, at, weights, row, blocks, block, forced, turn, state, pegged):
    """Add to ``value[at]`` what a card is worth when each has one, the other's ``weights[row]``."""
    for own in range(LANES):
        total = np.float32(0)
        for other in range(ROWS):
            cell = other * LANES + own
            total += weights[row, other] * (
                blocks[block, cell] * (pegged + forced[turn, state, cell])
            )
        value[at, own] += total


@njit(nogil=True, fastmath=True, error_model="numpy")
def _alone(tables, beliefs, work, state, own, other, pegged, depth, other_at, laid, laid_other):
    """Write what holdings are worth when one of the two has no cards left."""
    if own:
        first = tables.alone_at[own]
        weight = work.other[other_at, 0]
        for holding in range(tables.width[own]):
            keep = tables.joined[own, laid, holding]
            work.value[depth, holding] = (
                weight
                * beliefs.by_other[laid_other, keep]
                * (pegged + tables.alone[state, first + holding])
            )
    else:
        first = tables.alone_at[other]
        total = np.float32(0)
        for holding in range(tables.width[other]):
            keep = tables.joined[other, laid_other, holding]
            total += (
                work.other[other_at, holding]
                * beliefs.by_own[laid, keep]
                * (pegged - tables.alone[state, first + holding])
            )
        work.value[depth, 0] = total


@njit(nogil=True, fastmath=True, error_model="numpy")
def _two_left(
    tables, beliefs, choices, work, mode, weight,
    state, mine, said, pegged, depth, own_at, other_at, laid, laid_other,
):  # fmt: skip
    """Do a node where who moves has two cards and the other one, but for the go."""
    ranks, fits, kept = tables.next.shape[1], tables.fits[state], tables.low.shape[0] - 1
    many = tables.joined.shape[1]
    row = work.at[0] // LANES
    work.at[0] += fits * LANES
    for padding in range(ranks * (ranks + 1) // 2, tables.width[2]):
        work.value[depth, padding] = 0
    if mine:
        for rank in range(fits):
            for card in range(LANES):
                work.gain[rank, card] = 0
            after = np.int64(tables.next[state, rank])
            block = tables.plus[kept - 1, rank, laid] * many + laid_other
            turn = 3 if said and after != 0 else 0
            _one_each(
                work.gain, rank, work.other, other_at, beliefs.blocks, block, tables.forced,
                turn, after, pegged + tables.points[state, rank],
            )  # fmt: skip
        if mode == RESPOND:
            best_of_two(fits, ranks, work.gain, work.value, depth, tables.plus)
            return
        chosen_of_two(choices.regret_rows, row, fits, work.chance, work.turned)
        for rank in range(fits):
            for card in range(LANES):
                work.reach[rank, card] = work.own[own_at, tables.plus[2, rank, card]]
        updated_of_two(
            choices.regret_rows, choices.sum_rows, weight, row, fits, ranks,
            work.chance, work.gain, work.turned, work.reach, work.value, depth, tables.plus,
        )  # fmt: skip
        return
    table = choices.regret_rows if mode == UPDATE else choices.sum_rows
    chosen_of_two(table, row, fits, work.chance, work.turned)
    for card in range(LANES):
        work.value[depth, card] = 0
    for rank in range(fits):
        for card in range(LANES):
            holding = tables.plus[2, rank, card]
            work.reach[rank, card] = work.other[other_at, holding] * work.chance[rank, card]
        after = np.int64(tables.next[state, rank])
        block = laid * many + tables.plus[kept - 1, rank, laid_other]
        turn = 1 if said and after != 0 else 2
        _one_each(
            work.value, depth, work.reach, rank, beliefs.blocks, block, tables.forced,
            turn, after, pegged - tables.points[state, rank],
        )  # fmt: skip


@njit(nogil=True, fastmath=True, error_model="numpy")
def walk(
    tables, beliefs, choices, work, mode, weight,
    state, mine, said, own, other, pegged, depth, own_at, other_at, laid, laid_other,
):  # fmt: skip
    """Walk down from a node, and write the value of the player's holdings at its depth.

    Parameters
    ----------
    tables, beliefs, choices, work
        The game, what the player believes, the tables of choices, and room.
    mode, weight
        `UPDATE` with the weight of this round in the averages, or `RESPOND`.
    state, mine, said
        The state, whether the player moves, whether who waits has said go.
    own, other
        Cards left to the player and to the other.
    pegged
        Net points so far.
    depth, own_at, other_at
        Where in ``work`` this node writes, and where the reach of each stands.
    laid, laid_other
        Holding of the cards each has laid.
    """
    if own == 1 and other == 1:
        for card in range(LANES):
            work.value[depth, card] = 0
        _one_each(
            work.value, depth, work.other, other_at, beliefs.blocks,
            laid * tables.joined.shape[1] + laid_other, tables.forced,
            2 * mine + said, state, pegged,
        )  # fmt: skip
        return
    if own == 0 or other == 0:
        _alone(
            tables, beliefs, work, state, own, other, pegged, depth, other_at, laid, laid_other,
        )  # fmt: skip
        return
    ranks, fits, kept = tables.next.shape[1], tables.fits[state], tables.low.shape[0] - 1
    cards = own if mine else other
    width = tables.width[own]
    if own + other == 3 and cards == 2:
        _two_left(
            tables, beliefs, choices, work, mode, weight,
            state, mine, said, pegged, depth, own_at, other_at, laid, laid_other,
        )  # fmt: skip
    else:
        below, held = tables.width[cards - 1], tables.width[cards]
        start = work.at[0]
        if cards >= 2:
            work.at[0] += fits * below
            if mode == UPDATE:
                chosen(choices.regrets, start, fits, tables.plus, cards, held, below,
                       work.chances, depth, work.totals, work.counts)  # fmt: skip
            elif not mine:
                chosen(choices.sums, start, fits, tables.plus, cards, held, below,
                       work.chances, depth, work.totals, work.counts)  # fmt: skip
        else:
            for choice in range(fits * below):
                work.chances[depth, choice] = 1
        worst = NEVER if mine and mode == RESPOND else np.float32(0)
        for holding in range(width):
            work.value[depth, holding] = worst
        for rank in range(fits):
            after = np.int64(tables.next[state, rank])
            stays = said and after != 0
            if mine:
                for left in range(below):
                    work.own[depth + 1, left] = (
                        work.own[own_at, tables.plus[cards, rank, left]]
                        * work.chances[depth, rank * below + left]
                    )
                walk(
                    tables, beliefs, choices, work, mode, weight,
                    after, stays, stays, own - 1, other, pegged + tables.points[state, rank],
                    depth + 1, depth + 1, other_at,
                    np.int64(tables.plus[kept - own + 1, rank, laid]), laid_other,
                )  # fmt: skip
                for left in range(below):
                    holding = tables.plus[cards, rank, left]
                    gain = work.value[depth + 1, left]
                    if mode == RESPOND:
                        work.value[depth, holding] = max(work.value[depth, holding], gain)
                    else:
                        choice = rank * below + left
                        work.gains[depth, choice] = gain
                        work.value[depth, holding] += work.chances[depth, choice] * gain
            else:
                for left in range(below):
                    work.other[depth + 1, left] = (
                        work.other[other_at, tables.plus[cards, rank, left]]
                        * work.chances[depth, rank * below + left]
                    )
                walk(
                    tables, beliefs, choices, work, mode, weight,
                    after, not stays, stays, own, other - 1, pegged - tables.points[state, rank],
                    depth + 1, own_at, depth + 1,
                    laid, np.int64(tables.plus[kept - other + 1, rank, laid_other]),
                )  # fmt: skip
                for holding in range(width):
                    work.value[depth, holding] += work.value[depth + 1, holding]
        if mine and mode == UPDATE and cards >= 2:
            updated(choices.regrets, choices.sums, weight, start, fits, tables.plus, cards, below,
                    work.chances, work.gains, depth, work.value, work.own, own_at)  # fmt: skip
    if fits == ranks:
        return
    # A go is public: only holdings without a card that fits take this branch.
    own_below, other_below = own_at, other_at
    last = np.float32(0)
    if mine:
        own_below = depth + 1
        last = np.float32(said)
        for holding in range(width):
            goes = tables.low[cards, holding] >= fits
            work.own[depth + 1, holding] = work.own[own_at, holding] if goes else 0
    else:
        other_below = depth + 1
        last = -np.float32(said)
        for holding in range(tables.width[cards]):
            goes = tables.low[cards, holding] >= fits
            work.other[depth + 1, holding] = work.other[other_at, holding] if goes else 0
    walk(
        tables, beliefs, choices, work, mode, weight,
        np.int64(0) if said else state, not mine, not said, own, other, pegged + last,
        depth + 1, own_below, other_below, laid, laid_other,
    )  # fmt: skip
    for holding in range(width):
        if not mine:
            work.value[depth, holding] += work.value[depth + 1, holding]
        elif tables.low[cards, holding] >= fits:
            work.value[depth, holding] = work.value[depth + 1, holding]
