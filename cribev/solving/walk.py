"""The steps of a walk down the public tree, with all holdings of both players at once.

Going down, the *reach* of a holding is how likely its player's own choices are to come here with
it. Coming up, its *value* is what it can expect, weighted by how likely the other's cards and
choices are.

Children are visited in one fixed order: the ranks that fit, then the go. So the information sets of
all nodes lie in one long table in the order of the walk, and need no address. Nearly all nodes are
those where who moves has two cards left and the other one. They are done without going deeper.

`solver` learns on such a walk, `values` says what strategies are worth.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.solving.ends import WinEnds, add_forced_wins, alone_wins, is_won, won_value
from cribev.solving.tree import DEPTH, LANES, ROWS, PlayTables, after_card, count_cells, helper

ZERO = np.float32(1e-30)
"""Weights that add up to less say nothing."""


class Beliefs(NamedTuple):
    """How likely each keep of the other is for each keep of a player, in three arrangements."""

    blocks: NDArray[np.float32]
    """``(played * played, 13 * 16)``: by the holdings of all cards but one, the player's first; the
    other's last card; the player's."""
    by_own: NDArray[np.float32]
    """Own keep, other's keep, ``(W, W)``."""
    by_other: NDArray[np.float32]
    """Other's keep, own keep, ``(W, W)``."""


class InformationSets(NamedTuple):
    """A cell for each node with a choice, rank and holding left after it, float32."""

    regrets: NDArray[np.float32]
    """Positive regrets, ``(cells,)``."""
    sums: NDArray[np.float32]
    """Weighted sums of strategies, ``(cells,)``."""
    regret_rows: NDArray[np.float32]
    """`regrets` as ``(cells / 16, 16)``."""
    sum_rows: NDArray[np.float32]


class Scratch(NamedTuple):
    """Buffers of a walk, float32."""

    own_reach: NDArray[np.float32]
    """By depth and holding, ``(DEPTH, W)``."""
    other_reach: NDArray[np.float32]
    value: NDArray[np.float32]
    """By depth and holding of the player, ``(DEPTH, W)``."""
    policy: NDArray[np.float32]
    """How often each choice is made, by depth and cell, ``(DEPTH, R * W')``."""
    choice_value: NDArray[np.float32]
    """What each choice is worth, as `policy`."""
    totals: NDArray[np.float32]
    """Sum over the choices of a holding, ``(W,)``."""
    counts: NDArray[np.float32]
    above: NDArray[np.float32]
    """How much of a holding's choices is above the cap, ``(W,)``."""
    average: NDArray[np.float32]
    """How often each choice was made on average, ``(R * W',)``."""
    policy_of_two: NDArray[np.float32]
    """For two cards left, by the card played and the card kept, ``(16, 16)``; so are the next."""
    value_of_two: NDArray[np.float32]
    reach_of_two: NDArray[np.float32]
    transposed: NDArray[np.float32]
    average_of_two: NDArray[np.float32]
    cursor: NDArray[np.int64]
    """The next cell of the information sets, ``(1,)``."""


class Context(NamedTuple):
    """What every step of a walk can see."""

    tables: PlayTables
    beliefs: Beliefs
    sets: InformationSets
    scratch: Scratch
    weight: np.float32
    """Of this round in the average strategy."""
    tremble: np.float32
    """How often a holding plays any card that fits, evenly, instead of what it chose."""
    cap: np.float32
    """How many times as often as on average a card may be played; 0 if as often as regrets say."""
    ends: WinEnds
    """What the ends are worth, unless points count."""


def new_scratch(tables: PlayTables) -> Scratch:
    """Allocate the buffers of a walk."""
    widest, cells = int(tables.width[-1]), tables.next_state.shape[1] * int(tables.width[-2])

    def zeros(*shape: int) -> NDArray[np.float32]:
        return np.zeros(shape, dtype=np.float32)

    return Scratch(
        zeros(DEPTH, widest), zeros(DEPTH, widest), zeros(DEPTH, widest),
        zeros(DEPTH, cells), zeros(DEPTH, cells), zeros(widest), zeros(widest), zeros(widest),
        zeros(cells),
        zeros(LANES, LANES), zeros(LANES, LANES), zeros(LANES, LANES), zeros(LANES, LANES),
        zeros(LANES, LANES), np.zeros(1, dtype=np.int64),
    )  # fmt: skip


@helper
def match_regrets(context, node, weights):
    """Write how often each holding plays each rank: in proportion to weights, float32 ``(cells,)``.

    Writes ``scratch.policy[depth]``, evenly where all weights of a holding are zero; takes the
    node's cells, and returns the first of them.
    """
    tables, scratch = context.tables, context.scratch
    cards = node.own_left if node.own_turn else node.other_left
    fits, below = tables.fits[node.state], tables.width[cards - 1]
    start = scratch.cursor[0]
    if cards == 1:
        for cell in range(fits * below):
            scratch.policy[node.depth, cell] = 1
        return start
    scratch.cursor[0] += fits * below
    for holding in range(tables.width[cards]):
        scratch.totals[holding] = 0
        scratch.counts[holding] = 0
    for rank in range(fits):
        for left in range(below):
            holding = tables.add_card[cards, rank, left]
            scratch.totals[holding] += weights[start + rank * below + left]
            scratch.counts[holding] += 1
    for rank in range(fits):
        for left in range(below):
            holding = tables.add_card[cards, rank, left]
            total = scratch.totals[holding]
            if total > ZERO:
                chance = weights[start + rank * below + left] / total
            else:
                chance = np.float32(1) / scratch.counts[holding]
            scratch.policy[node.depth, rank * below + left] = chance
    return start


@helper
def match_two(context, fits, rows):
    """Do what `match_regrets` does for two cards left, from ``(fits, 16)``: `policy_of_two`."""
    policy, transposed = context.scratch.policy_of_two, context.scratch.transposed
    for rank in range(fits):
        for left in range(LANES):
            policy[rank, left] = rows[rank, left]
    for rank in range(fits):
        for left in range(fits):
            transposed[rank, left] = policy[left, rank]
        for left in range(fits, LANES):
            transposed[rank, left] = 0
    for rank in range(fits):
        for left in range(LANES):
            total = policy[rank, left] + transposed[rank, left]
            share = policy[rank, left] / total if total > ZERO else np.float32(0.5)
            policy[rank, left] = share if left < fits else np.float32(1)
        policy[rank, rank] = 1


@helper
def _add_forced(context, node, values, row, weights, at):
    """Add values of last cards to ``values[row]``, against the other's by ``weights[at]``."""
    if context.ends.own_need:
        add_forced_wins(context, node, values, row, weights, at)
        return
    forced, blocks = context.tables.forced_net, context.beliefs.blocks
    block = node.own_played * context.tables.keep_of.shape[1] + node.other_played
    turn, state = 2 * node.own_turn + node.go, node.state
    net = np.float32(node.own_points - node.other_points)
    for own in range(LANES):
        total = np.float32(0)
        for other in range(ROWS):
            cell = other * LANES + own
            total += weights[at, other] * (blocks[block, cell] * (net + forced[turn, state, cell]))
        values[row, own] += total


@helper
def forced_value(context, node):
    """Write the value of holdings where each player has one card left."""
    scratch = context.scratch
    for card in range(LANES):
        scratch.value[node.depth, card] = 0
    _add_forced(context, node, scratch.value, node.depth, scratch.other_reach, node.other_row)


@helper
def alone_value(context, node):
    """Write the value of holdings where one of the players has no cards left."""
    tables, beliefs, scratch = context.tables, context.beliefs, context.scratch
    net = np.float32(node.own_points - node.other_points)
    if node.own_left:
        first = tables.alone_start[node.own_left]
        weight = scratch.other_reach[node.other_row, 0]
        for holding in range(tables.width[node.own_left]):
            keep = tables.keep_of[node.own_left, node.own_played, holding]
            worth = net + tables.alone_net[node.state, first + holding]
            if context.ends.own_need:
                worth = alone_wins(context, node, holding)
            scratch.value[node.depth, holding] = (
                weight * beliefs.by_other[node.other_played, keep] * worth
            )
    else:
        first = tables.alone_start[node.other_left]
        total = np.float32(0)
        for holding in range(tables.width[node.other_left]):
            keep = tables.keep_of[node.other_left, node.other_played, holding]
            worth = net - tables.alone_net[node.state, first + holding]
            if context.ends.own_need:
                worth = alone_wins(context, node, holding)
            total += (
                scratch.other_reach[node.other_row, holding]
                * beliefs.by_own[node.own_played, keep]
                * worth
            )
        scratch.value[node.depth, 0] = total


@helper
def is_last_choice(node):
    """Whether who moves has two cards left and the other one."""
    cards = node.own_left if node.own_turn else node.other_left
    return cards == 2 and node.own_left + node.other_left == 3


@helper
def take_row(context, node):
    """Take the cells of a node with two cards left; return the first as a row of 16."""
    row = context.scratch.cursor[0] // LANES
    context.scratch.cursor[0] += context.tables.fits[node.state] * LANES
    return row


@helper
def match_averages(context, node):
    """Write how often each rank is played on average to ``policy[depth]``; take the cells."""
    sets, scratch, fits = context.sets, context.scratch, context.tables.fits[node.state]
    if (node.own_left if node.own_turn else node.other_left) == 2:
        row = take_row(context, node)
        match_two(context, fits, sets.sum_rows[row : row + fits])
        for rank in range(fits):
            for left in range(LANES):
                scratch.policy[node.depth, rank * LANES + left] = scratch.policy_of_two[rank, left]
    else:
        match_regrets(context, node, sets.sums)


@helper
def value_two(context, node):
    """Write what choices are worth with two cards left against one: ``value_of_two[:fits]``."""
    tables, scratch = context.tables, context.scratch
    ranks = tables.next_state.shape[1]
    for padding in range(ranks * (ranks + 1) // 2, tables.width[2]):
        scratch.value[node.depth, padding] = 0
    for rank in range(tables.fits[node.state]):
        for card in range(LANES):
            scratch.value_of_two[rank, card] = 0
        after = after_card(tables, node, rank)
        _add_forced(context, after, scratch.value_of_two, rank, scratch.other_reach, node.other_row)


@helper
def value_against_two(context, node):
    """Write the player's value where the other has two cards left: `Scratch.policy_of_two`."""
    tables, scratch = context.tables, context.scratch
    fits = tables.fits[node.state]
    for card in range(LANES):
        scratch.value[node.depth, card] = 0
    for rank in range(fits):
        for card in range(LANES):
            holding = tables.add_card[2, rank, card]
            scratch.reach_of_two[rank, card] = (
                scratch.other_reach[node.other_row, holding] * scratch.policy_of_two[rank, card]
            )
        after = after_card(tables, node, rank)
        _add_forced(context, after, scratch.value, node.depth, scratch.reach_of_two, rank)


@helper
def reach_after_card(context, node, rank):
    """Write the reach of who moves after a rank, by what is left: a row one deeper."""
    tables, scratch = context.tables, context.scratch
    cards, reach, row = node.other_left, scratch.other_reach, node.other_row
    if node.own_turn:
        cards, reach, row = node.own_left, scratch.own_reach, node.own_row
    below = tables.width[cards - 1]
    for left in range(below):
        reach[node.depth + 1, left] = (
            reach[row, tables.add_card[cards, rank, left]]
            * scratch.policy[node.depth, rank * below + left]
        )


@helper
def reach_after_go(context, node):
    """Write the reach of who moves after a go: only of holdings without a card that fits."""
    tables, scratch = context.tables, context.scratch
    cards, reach, row = node.other_left, scratch.other_reach, node.other_row
    if node.own_turn:
        cards, reach, row = node.own_left, scratch.own_reach, node.own_row
    fits = tables.fits[node.state]
    for holding in range(tables.width[cards]):
        goes = tables.lowest[cards, holding] >= fits
        reach[node.depth + 1, holding] = reach[row, holding] if goes else 0


@helper
def add_child(context, node):
    """Add the value of the node one deeper, where the other moves."""
    scratch = context.scratch
    for holding in range(context.tables.width[node.own_left]):
        scratch.value[node.depth, holding] += scratch.value[node.depth + 1, holding]


@helper
def take_go(context, node):
    """Take the value after a go: of holdings that have to say it, or of all if the other does."""
    tables, scratch, depth = context.tables, context.scratch, node.depth
    if not node.own_turn:
        add_child(context, node)
        return
    fits = tables.fits[node.state]
    for holding in range(tables.width[node.own_left]):
        if tables.lowest[node.own_left, holding] >= fits:
            scratch.value[depth, holding] = scratch.value[depth + 1, holding]


@helper
def end_walk(context, node):
    """Write the value of a node where somebody is out or all is forced; tell whether it is."""
    if is_won(context.ends, node):
        won_value(context, node)
        context.scratch.cursor[0] += count_cells(context.tables, node)
        return True
    if node.own_left == 1 and node.other_left == 1:
        forced_value(context, node)
        return True
    if node.own_left == 0 or node.other_left == 0:
        alone_value(context, node)
        return True
    return False
