"""The play as a game tree: its rules in tables, public nodes, and the steps of a walk down and up.

States are those of `PlayStates`. *Holdings* are multisets of ranks, numbered in the order of
``combinations_with_replacement``. A *node* is public: it holds for every holding of both
players. Where each player has one card left, all is forced. Where one has none, the other plays the
rest in the order that pegs most. So the tree ends there for the solver. Rows over holdings are
padded to multiples of 16 floats, the width of a vector.

A walk goes with all holdings of both players at once. Going down, the *reach* of a holding is how
likely its player's own choices are to come here with it. Coming up, its *value* is what it can
expect, weighted by how likely the other's cards and choices are.

Children are visited in one fixed order: the ranks that fit, then the go. So the information sets of
all nodes lie in one long table in the order of the walk, and need no address. Nearly all nodes are
those where who moves has two cards left and the other one. They are done without going deeper.

Where wins count and not points, a history is over as soon as somebody is out.
Pone's chance after the play depends on the points of both and on both keeps. By keeps it is nearly
a product: a sum of few terms, each a factor of pone's keep times one of the dealer's. So each
player has a row of factors for each keep and each two numbers of points pegged. Pone's value is the
chance to win, the dealer's is pone's less: together they are nothing, as points are.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.solution.strategy import (
    GameSize,
    left_alone,
    numbers_with_card,
    one_card_each,
    tabulate_places,
)
from solver.storage import tabulate_states

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

    numbers = np.arange(len(next_state))
    forced: NDArray[np.int8] = np.zeros((2, 4, len(numbers), ROWS, LANES), dtype=np.int8)
    other, own = np.ogrid[:ranks, :ranks]
    for go in range(2):
        moves, waits = (
            one_card_each(states, numbers[:, None, None], np.array(go), *cards)
            for cards in ((own, other), (other, own))
        )
        forced[:, 2 + go, :, :ranks, :ranks] = moves.mover, moves.waiter
        forced[:, go, :, :ranks, :ranks] = waits.waiter, waits.mover
    forced = forced.reshape(2, 4, len(numbers), -1)
    starts = np.concatenate([[0, 0, 0], np.cumsum(width[2:kept])]).astype(np.int64)[: kept + 1]
    alone = np.zeros((2, len(numbers), int(width[2:kept].sum())), dtype=np.int8)
    for cards in range(2, kept):
        most = left_alone(states, numbers[:, None], holdings[cards][None])
        alone[:, :, starts[cards] : starts[cards] + counts[cards]] = most.mover, most.waiter
    # No cards and one leave no choice, and need no cells.
    tables = states.fits * np.concatenate([[0, 0], width[1:kept]])[:, None]
    cells = tabulate_places(states, tables).whole.astype(np.int64)
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


TERMS = 2  # terms of the sum of products

_MOST_KINDS = 64  # more pairs of points than the last card of each makes at any state


class WinEnds(NamedTuple):
    """What the ends of a play are worth to a player."""

    own_need: np.int64
    """Points the player needs from the start of the play; 0 where points count, not wins."""
    other_need: np.int64
    own_out: np.float32  # what it is worth if the player is out first, in the play
    other_out: np.float32
    kind: NDArray[np.uint8]
    """Which of the state's pairs of points the last cards make, as `PlayTables.forced_own`."""
    pairs: NDArray[np.int8]
    """Those pairs, the player's points first, each at most the need, ``(4, S, kinds, 2)``."""
    kinds: NDArray[np.uint8]  # how many there are, ``(4, S)``
    own_factors: NDArray[np.float32]
    """By the cards the player has played, all but the last, points pegged by both, term and last
    card: ``(played, cells, TERMS, 16)``. Of the other's points there are ``other_need + 1``
    columns, and more than a need count as the need."""
    other_factors: NDArray[np.float32]
    """By the cards the other has played, likewise; the player's points are the rows here too."""
    own_keeps: NDArray[np.float32]  # the factors by the player's keep, ``(W, cells, TERMS)``
    other_keeps: NDArray[np.float32]


def points_count() -> WinEnds:
    """Return ends that are worth points."""
    nought, empty = np.float32(0), np.zeros((1, 1, TERMS, LANES), dtype=np.float32)
    # Contiguous as those of `wins_count`: of another type, all would be compiled once more.
    by_keep = np.zeros((1, 1, TERMS), dtype=np.float32)
    kinds = (
        np.zeros((1, 1, 1), np.uint8), np.zeros((1, 1, 1, 2), np.int8), np.zeros((1, 1), np.uint8)
    )  # fmt: skip
    return WinEnds(np.int64(0), np.int64(0), nought, nought, *kinds, empty, empty, by_keep, by_keep)


def wins_count(needs: tuple[int, int], wins: Floats, tables: PlayTables) -> tuple[WinEnds, WinEnds]:
    """Return ends for pone and dealer of these needs, by factors ``(2, n, need, need, TERMS)``."""
    width, last_cards = int(tables.width[-1]), tables.keep_of[1, :, :LANES]
    players = []
    for player in range(2):
        own, other = needs if player == 0 else needs[::-1]
        factors = np.zeros((2, width, own + 1, other + 1, TERMS), dtype=np.float32)
        own_wins = wins if player == 0 else wins[::-1].swapaxes(2, 3)
        factors[:, : wins.shape[1], :own, :other] = own_wins
        own_out, other_out = np.float32(1 - player), np.float32(-player)
        factors[0] *= own_out + other_out
        factors[0, :, own, :, 0], factors[0, :, :own, other, 0] = own_out, other_out
        factors[1, :, own, :, 0] = factors[1, :, :own, other, 0] = 1
        by_keep = factors.reshape(2, width, -1, TERMS)
        played = [
            np.ascontiguousarray(own_wins[last_cards].transpose(0, 2, 3, 1)) for own_wins in by_keep
        ]
        kinds = _forced_kinds(tables, (own, other))
        players.append(
            WinEnds(np.int64(own), np.int64(other), own_out, other_out, *kinds, *played, *by_keep)
        )
    return players[0], players[1]


def _forced_kinds(
    tables: PlayTables, needs: tuple[int, int]
) -> tuple[NDArray[np.uint8], NDArray[np.int8], NDArray[np.uint8]]:
    """List the pairs of points of each state: `WinEnds.kind` and what follows it."""
    shape = tables.forced_own.shape
    kind = np.zeros(shape, dtype=np.uint8)
    pairs = np.zeros((*shape[:2], _MOST_KINDS, 2), dtype=np.int8)
    number = np.zeros(shape[:2], dtype=np.uint8)
    _fill_kinds(tables, needs, kind, pairs, number)
    return kind, pairs, number


@compiled
def _fill_kinds(tables, needs, kind, pairs, number):
    """Write what `_forced_kinds` returns."""
    ranks = tables.next_state.shape[1]
    for turn in range(kind.shape[0]):
        for state in range(kind.shape[1]):
            for other in range(ranks):
                for own in range(ranks):
                    cell, place = other * LANES + own, 0
                    first = min(needs[0], np.int64(tables.forced_own[turn, state, cell]))
                    second = min(needs[1], np.int64(tables.forced_other[turn, state, cell]))
                    while place < number[turn, state] and (
                        pairs[turn, state, place, 0] != first
                        or pairs[turn, state, place, 1] != second
                    ):
                        place += 1
                    if place == number[turn, state]:
                        pairs[turn, state, place, 0], pairs[turn, state, place, 1] = first, second
                        number[turn, state] += 1
                    kind[turn, state, cell] = place


@helper
def is_won(ends, node):
    """Return whether somebody is out."""
    return ends.own_need > 0 and (
        node.own_points >= ends.own_need or node.other_points >= ends.other_need
    )


@helper
def keep_held(tables, left, played, holding):
    """Return the keep of cards played and left."""
    return np.int64(tables.keep_of[left, played, holding]) if left else np.int64(played)


@helper
def won_value(context, node):
    """Write the value of holdings where somebody is out."""
    tables, ends, scratch = context.tables, context.ends, context.scratch
    worth = ends.own_out if node.own_points >= ends.own_need else ends.other_out
    number = tables.width[node.own_left]
    for holding in range(number):
        scratch.value[node.depth, holding] = 0
    if worth == 0:
        return
    for other in range(tables.width[node.other_left]):
        weight = worth * scratch.other_reach[node.other_row, other]
        if weight == 0:
            continue
        row = context.beliefs.by_other[keep_held(tables, node.other_left, node.other_played, other)]
        for holding in range(number):
            keep = keep_held(tables, node.own_left, node.own_played, holding)
            scratch.value[node.depth, holding] += weight * row[keep]


@helper
def win_cell(ends, own_points, other_points):
    """Return where the factors of an end stand; in the last cell both are out."""
    own, other = min(own_points, ends.own_need), min(other_points, ends.other_need)
    return own * (ends.other_need + 1) + other


@helper
def add_forced_wins(context, node, values, row, weights, place):
    """Do what `walk` does for points where each player has one card left."""
    tables, ends, blocks = context.tables, context.ends, context.beliefs.blocks
    block = node.own_played * tables.keep_of.shape[1] + node.other_played
    if is_won(ends, node):
        worth = ends.own_out if node.own_points >= ends.own_need else ends.other_out
        if worth != 0:
            for own in range(LANES):
                total = np.float32(0)
                for other in range(ROWS):
                    total += weights[place, other] * blocks[block, other * LANES + own]
                values[row, own] += worth * total
        return
    turn, state = 2 * node.own_turn + node.go, node.state
    last, weighed = (ends.own_need + 1) * (ends.other_need + 1) - 1, context.scratch.totals
    for kind in range(ends.kinds[turn, state]):
        at_end = win_cell(
            ends,
            node.own_points + ends.pairs[turn, state, kind, 0],
            node.other_points + ends.pairs[turn, state, kind, 1],
        )
        if at_end == last:
            _add_both_out(context, node, values, row, weights, place, kind)
            continue
        # Where one is out there is one term, and for one of the players that is nothing.
        terms = TERMS
        if at_end >= last - ends.other_need or at_end % (ends.other_need + 1) == ends.other_need:
            terms = 1
            if ends.own_factors[0, at_end, 0, 0] == 0:
                continue
        for term in range(terms):
            for other in range(ROWS):
                weighed[other] = (
                    weights[place, other]
                    * ends.other_factors[node.other_played, at_end, term, other]
                )
            for own in range(LANES):
                total = np.float32(0)
                for other in range(ROWS):
                    cell = other * LANES + own
                    is_kind = np.float32(ends.kind[turn, state, cell] == kind)
                    total += weighed[other] * (blocks[block, cell] * is_kind)
                values[row, own] += total * ends.own_factors[node.own_played, at_end, term, own]


@helper
def _add_both_out(context, node, values, row, weights, place, kind):
    """Add the value of last cards by which both are out: for who is out first."""
    tables, ends, blocks = context.tables, context.ends, context.beliefs.blocks
    block = node.own_played * tables.keep_of.shape[1] + node.other_played
    turn, state, fits = 2 * node.own_turn + node.go, node.state, tables.fits[node.state]
    for own in range(LANES):
        for other in range(ROWS):
            cell = other * LANES + own
            if ends.kind[turn, state, cell] == kind:
                # Who is to move pegs first, unless the card does not fit.
                own_first = own < fits if node.own_turn else other >= fits
                worth = ends.own_out if own_first else ends.other_out
                values[row, own] += weights[place, other] * blocks[block, cell] * worth


@helper
def alone_wins(context, node, holding):
    """Return what a holding is worth of the player who has cards left, the other having none."""
    tables, ends = context.tables, context.ends
    left = max(node.own_left, node.other_left)
    index = tables.alone_start[left] + holding
    gained, conceded = tables.alone_own[node.state, index], tables.alone_other[node.state, index]
    if node.own_left == 0:
        gained, conceded = conceded, gained
    cell = win_cell(ends, node.own_points + gained, node.other_points + conceded)
    if cell == (ends.own_need + 1) * (ends.other_need + 1) - 1:
        # Who has none left may have a go first.
        return ends.own_out if node.own_left == 0 else ends.other_out
    own = keep_held(tables, node.own_left, node.own_played, holding)
    other = keep_held(tables, node.other_left, node.other_played, holding)
    total = np.float32(0)
    for term in range(TERMS):
        total += ends.own_keeps[own, cell, term] * ends.other_keeps[other, cell, term]
    return total


ZERO = np.float32(1e-30)  # weights that add up to less say nothing


class Beliefs(NamedTuple):
    """How likely each keep of the other is for each keep of a player, in three arrangements."""

    blocks: NDArray[np.float32]
    """``(played * played, 13 * 16)``: by the holdings of all cards but one, the player's first; the
    other's last card; the player's."""
    by_own: NDArray[np.float32]  # own keep, other's keep, ``(W, W)``
    by_other: NDArray[np.float32]  # other's keep, own keep, ``(W, W)``


class InformationSets(NamedTuple):
    """A cell for each node with a choice, rank and holding left after it, float32."""

    regrets: NDArray[np.float32]  # positive regrets, ``(cells,)``
    sums: NDArray[np.float32]  # weighted sums of strategies, ``(cells,)``
    regret_rows: NDArray[np.float32]  # `regrets` as ``(cells / 16, 16)``
    sum_rows: NDArray[np.float32]


class Scratch(NamedTuple):
    """Buffers of a walk, float32."""

    own_reach: NDArray[np.float32]  # by depth and holding, ``(DEPTH, W)``
    other_reach: NDArray[np.float32]
    value: NDArray[np.float32]  # by depth and holding of the player, ``(DEPTH, W)``
    policy: NDArray[np.float32]
    """How often each choice is made, by depth and cell, ``(DEPTH, R * W')``."""
    choice_value: NDArray[np.float32]  # what each choice is worth, as `policy`
    totals: NDArray[np.float32]  # sum over the choices of a holding, ``(W,)``
    counts: NDArray[np.float32]
    above: NDArray[np.float32]  # how much of a holding's choices is above the cap, ``(W,)``
    average: NDArray[np.float32]  # how often each choice was made on average, ``(R * W',)``
    policy_of_two: NDArray[np.float32]
    """For two cards left, by the card played and the card kept, ``(16, 16)``; so are the next."""
    value_of_two: NDArray[np.float32]
    reach_of_two: NDArray[np.float32]
    transposed: NDArray[np.float32]
    average_of_two: NDArray[np.float32]
    cursor: NDArray[np.int64]  # the next cell of the information sets, ``(1,)``


class Context(NamedTuple):
    """What every step of a walk can see."""

    tables: PlayTables
    beliefs: Beliefs
    sets: InformationSets
    scratch: Scratch
    weight: np.float32  # of this round in the average strategy
    tremble: np.float32
    """How often a holding plays any card that fits, evenly, instead of what it chose."""
    cap: np.float32
    """How many times as often as on average a card may be played; 0 if as often as regrets say."""
    ends: WinEnds  # what the ends are worth, unless points count


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
    """Write policies by weights, float32 ``(cells,)``, evenly where all are zero."""
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
def _add_forced(context, node, values, row, weights, place):
    """Add values of last cards to ``values[row]``, against the other's by ``weights[at]``."""
    if context.ends.own_need:
        add_forced_wins(context, node, values, row, weights, place)
        return
    forced, blocks = context.tables.forced_net, context.beliefs.blocks
    block = node.own_played * context.tables.keep_of.shape[1] + node.other_played
    turn, state = 2 * node.own_turn + node.go, node.state
    net = np.float32(node.own_points - node.other_points)
    for own in range(LANES):
        total = np.float32(0)
        for other in range(ROWS):
            cell = other * LANES + own
            total += weights[place, other] * (
                blocks[block, cell] * (net + forced[turn, state, cell])
            )
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
    """Return whether who moves has two cards left and the other one."""
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
