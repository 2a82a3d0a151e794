"""The end of a play worth chances to win: a history is over as soon as somebody is out.

Pone's chance after the play depends on the points of both and on both keeps. By keeps it is nearly
a product: a sum of few terms, each a factor of pone's keep times one of the dealer's. So each
player has a row of factors for each keep and each two numbers of points pegged. Pone's value is the
chance to win, the dealer's is pone's less: together they are nothing, as points are.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.solving.tree import LANES, ROWS, PlayTables, compiled, helper

TERMS = 2
"""Terms of the sum of products."""

_MOST_KINDS = 64  # more pairs of points than the last card of each makes at any state


class WinEnds(NamedTuple):
    """What the ends of a play are worth to a player."""

    own_need: np.int64
    """Points the player needs from the start of the play; 0 where points count, not wins."""
    other_need: np.int64
    own_out: np.float32
    """What it is worth if the player is out first, in the play."""
    other_out: np.float32
    kind: NDArray[np.uint8]
    """Which of the state's pairs of points the last cards make, as `PlayTables.forced_own`."""
    pairs: NDArray[np.int8]
    """Those pairs, the player's points first, each at most the need, ``(4, S, kinds, 2)``."""
    kinds: NDArray[np.uint8]
    """How many there are, ``(4, S)``."""
    own_factors: NDArray[np.float32]
    """By the cards the player has played, all but the last, points pegged by both, term and last
    card: ``(played, cells, TERMS, 16)``. Of the other's points there are ``other_need + 1``
    columns, and more than a need count as the need."""
    other_factors: NDArray[np.float32]
    """By the cards the other has played, likewise; the player's points are the rows here too."""
    own_keeps: NDArray[np.float32]
    """The factors by the player's keep, ``(W, cells, TERMS)``."""
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
    """Return the ends for pone and for the dealer, who need so much from the start of the play.

    ``wins`` is how likely pone wins by points pegged, by the factors of pone's keeps and the
    dealer's: ``(2, n, pone's need, dealer's need, TERMS)``.
    """
    width, last_cards = int(tables.width[-1]), tables.keep_of[1, :, :LANES]
    players = []
    for player in range(2):
        own, other = needs if player == 0 else needs[::-1]
        factors = np.zeros((2, width, own + 1, other + 1, TERMS), dtype=np.float32)
        some = wins if player == 0 else wins[::-1].swapaxes(2, 3)
        factors[:, : wins.shape[1], :own, :other] = some
        own_out, other_out = np.float32(1 - player), np.float32(-player)
        factors[0] *= own_out + other_out
        factors[0, :, own, :, 0], factors[0, :, :own, other, 0] = own_out, other_out
        factors[1, :, own, :, 0] = factors[1, :, :own, other, 0] = 1
        by_keep = factors.reshape(2, width, -1, TERMS)
        played = [np.ascontiguousarray(some[last_cards].transpose(0, 2, 3, 1)) for some in by_keep]
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
                    cell, at = other * LANES + own, 0
                    first = min(needs[0], np.int64(tables.forced_own[turn, state, cell]))
                    second = min(needs[1], np.int64(tables.forced_other[turn, state, cell]))
                    while at < number[turn, state] and (
                        pairs[turn, state, at, 0] != first or pairs[turn, state, at, 1] != second
                    ):
                        at += 1
                    if at == number[turn, state]:
                        pairs[turn, state, at, 0], pairs[turn, state, at, 1] = first, second
                        number[turn, state] += 1
                    kind[turn, state, cell] = at


@helper
def is_won(ends, node):
    """Whether somebody is out."""
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
def add_forced_wins(context, node, values, row, weights, at):
    """Do what `walk` does for points where each player has one card left."""
    tables, ends, blocks = context.tables, context.ends, context.beliefs.blocks
    block = node.own_played * tables.keep_of.shape[1] + node.other_played
    if is_won(ends, node):
        worth = ends.own_out if node.own_points >= ends.own_need else ends.other_out
        if worth != 0:
            for own in range(LANES):
                total = np.float32(0)
                for other in range(ROWS):
                    total += weights[at, other] * blocks[block, other * LANES + own]
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
            _add_both_out(context, node, values, row, weights, at, kind)
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
                    weights[at, other] * ends.other_factors[node.other_played, at_end, term, other]
                )
            for own in range(LANES):
                total = np.float32(0)
                for other in range(ROWS):
                    cell = other * LANES + own
                    is_kind = np.float32(ends.kind[turn, state, cell] == kind)
                    total += weighed[other] * (blocks[block, cell] * is_kind)
                values[row, own] += total * ends.own_factors[node.own_played, at_end, term, own]


@helper
def _add_both_out(context, node, values, row, weights, at, kind):
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
                values[row, own] += weights[at, other] * blocks[block, cell] * worth


@helper
def alone_wins(context, node, holding):
    """Return what a holding is worth of the player who has cards left, the other having none."""
    tables, ends = context.tables, context.ends
    left = max(node.own_left, node.other_left)
    at = tables.alone_start[left] + holding
    gained, given = tables.alone_own[node.state, at], tables.alone_other[node.state, at]
    if node.own_left == 0:
        gained, given = given, gained
    cell = win_cell(ends, node.own_points + gained, node.other_points + given)
    if cell == (ends.own_need + 1) * (ends.other_need + 1) - 1:
        # Who has none left may have a go first.
        return ends.own_out if node.own_left == 0 else ends.other_out
    own = keep_held(tables, node.own_left, node.own_played, holding)
    other = keep_held(tables, node.other_left, node.other_played, holding)
    total = np.float32(0)
    for term in range(TERMS):
        total += ends.own_keeps[own, cell, term] * ends.other_keeps[other, cell, term]
    return total
