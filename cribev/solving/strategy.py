"""The average strategies rounded as they are shipped, and back.

Both forms stand in the order of one walk down the public tree. But the solver pads its rows and
writes two cards left as the card played and the card kept, both ways round; a `Strategy` has one
byte for each pair (see `cribev.solution.tree`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.solution import tree
from cribev.solving.solver import PONE, PlaySolver
from cribev.solving.tree import PlayTables, after_card, after_go, compiled, helper
from cribev.solving.walk import ZERO


class RoundingContext(NamedTuple):
    """What every step of the walk can see."""

    tables: PlayTables
    choices: NDArray[np.int64]
    """Cells of the ranks a holding can play, ascending, -1 where there is no further choice,
    ``(kept + 1, n, kept)``: by cards, holding and choice, the rank times all rests, plus the rest.
    """
    counts: NDArray[np.int64]  # holdings of so many cards, without padding, ``(kept + 1,)``
    sums: NDArray[np.float32]  # as `InformationSets.sums`
    cells: NDArray[np.uint8]  # as `Strategy.cells`
    shares: NDArray[np.float64]  # A buffer for the choices of a holding, ``(kept,)``
    to_solver: int  # 1 if `cells` are written to `sums`, 0 if `sums` are rounded to `cells`
    cursor: NDArray[np.int64]  # the next of `sums` and of `cells`, ``(2,)``


@helper
def _round_table(context, weights, start, below, node, place):
    """Round the weights, rows ``below`` apart from ``start``, of a node ``(cards left, ranks)``."""
    shares, (cards, fits) = context.shares, node
    rests = context.counts[cards - 1]
    for holding in range(context.counts[cards]):
        number, total, choices = 0, 0.0, context.choices[cards, holding]
        for choice in range(cards):
            rank = choices[choice] // rests
            if 0 <= rank < fits:
                shares[choice] = weights[start + rank * (below - rests) + choices[choice]]
                total += shares[choice]
                number += 1
        given = 0
        for choice in range(number):  # what fits is the lowest ranks, so the first choices
            share = tree.PARTS * shares[choice] / total if total > ZERO else tree.PARTS / number
            whole = np.int64(share)
            shares[choice] = share - whole
            context.cells[place + choices[choice]] = whole
            given += whole
        while number and given < tree.PARTS:
            largest = 0
            for choice in range(1, number):
                if shares[choice] > shares[largest]:
                    largest = choice
            shares[largest] = -1
            context.cells[place + choices[largest]] += 1
            given += 1


@helper
def _round_pairs(context, weights, start, below, fits, place):
    """Round the weights of a node with two cards left."""
    for low in range(fits):
        for high in range(low + 1, fits):
            share = 0.5
            total = weights[start + low * below + high] + weights[start + high * below + low]
            if total > ZERO:
                share = weights[start + low * below + high] / total
            context.cells[place] = np.int64(tree.PARTS * share + 0.5)
            place += 1


@helper
def _adopt_table(context, weights, start, below, node, place):
    """Write the cells of a node with three cards left or more to its weights."""
    cards, fits = node
    rests = context.counts[cards - 1]
    for rank in range(fits):
        for rest in range(rests):
            weights[start + rank * below + rest] = context.cells[place + rank * rests + rest]


@helper
def _adopt_pairs(context, weights, start, below, fits, place):
    """Write the cells of a node with two cards left to its weights, by card played and kept."""
    for low in range(fits):
        for high in range(low, context.counts[1]):
            weights[start + low * below + high] = tree.PARTS
            if low < high < fits:
                weights[start + low * below + high] = context.cells[place]
                weights[start + high * below + low] = tree.PARTS - context.cells[place]
                place += 1


@compiled
def _convert(context, weights, start, below, node, place):
    """Round or adopt one node; return the place of the next."""
    cards, fits = node
    if cards == 2:
        if context.to_solver:
            _adopt_pairs(context, weights, start, below, fits, place)
        else:
            _round_pairs(context, weights, start, below, fits, place)
        return place + fits * (fits - 1) // 2
    if context.to_solver:
        _adopt_table(context, weights, start, below, node, place)
    else:
        _round_table(context, weights, start, below, node, place)
    return place + fits * context.counts[cards - 1]


@compiled
def _convert_below(context, node):
    """Walk down from a node, and round or adopt every table on the way."""
    tables, own, other = context.tables, node.own_left, node.other_left
    if own == 0 or other == 0 or (own == 1 and other == 1):
        return
    cards, fits = own if node.own_turn else other, tables.fits[node.state]
    if cards >= 2:
        below, start = tables.width[cards - 1], context.cursor[0]
        context.cursor[0] += fits * below
        context.cursor[1] = _convert(
            context, context.sums, start, below, (cards, fits), context.cursor[1]
        )
    for rank in range(fits):
        _convert_below(context, after_card(tables, node, rank))
    if fits < tables.next_state.shape[1]:
        _convert_below(context, after_go(node))


def rounded(solver: PlaySolver) -> tree.Strategy:
    """Round the average strategies to the parts a `Strategy` has, by largest remainders."""
    states = tree.PlayStates(solver.tables.next_state, solver.tables.points)
    cells = np.zeros(tree.count_entries(solver.size, states), dtype=np.uint8)
    strategy = tree.Strategy(solver.size, states, cells)
    _convert_all(solver, strategy, cells, to_solver=False)
    return strategy


def adopt(solver: PlaySolver, strategy: tree.Strategy) -> None:
    """Let a strategy be the solver's averages, so that it is the strategy that is valued."""
    for sums in (solver.sums, solver.lead_sums, solver.answer_sums):
        sums[:] = 0
    cells = np.array(strategy.cells)  # they may be mapped from a file, and not to be written
    _convert_all(solver, strategy, cells, to_solver=True)


def _convert_all(
    solver: PlaySolver, strategy: tree.Strategy, cells: NDArray[np.uint8], *, to_solver: bool
) -> None:
    """Round the whole tree to ``cells``, which a strategy places, or write them to the sums."""
    size, ranks = solver.size, len(solver.size.ranks)
    choices = _tabulate_choices(solver)
    counts = np.array([size.holding_count(cards) for cards in range(size.kept + 1)])

    def new() -> RoundingContext:
        return RoundingContext(
            solver.tables, choices, counts, solver.sums, cells,
            np.zeros(size.kept), int(to_solver), np.zeros(2, dtype=np.int64),
        )  # fmt: skip

    def first(weights: Floats, node: tree.PublicNode) -> None:
        _convert(new(), weights.reshape(-1), 0, solver.rests, (size.kept, ranks), node.place)

    def below(context: RoundingContext, lead: int, answer: int) -> None:
        node = strategy.after_card(strategy.after_card(strategy.root, lead), answer)
        context.cursor[:] = solver.starts[lead, answer], node.place
        _convert_below(context, solver.root(PONE, lead, answer))

    first(solver.lead_sums, strategy.root)
    for lead in range(ranks):
        first(solver.answer_sums[lead], strategy.after_card(strategy.root, lead))
    solver.each_root(new, below)


def _tabulate_choices(solver: PlaySolver) -> NDArray[np.int64]:
    """Return `RoundingContext.choices`."""
    kept, every = solver.size.kept, solver.size.holding_count(solver.size.kept)
    choices = np.full((kept + 1, every, kept), -1, dtype=np.int64)
    for cards in range(1, kept + 1):
        rests = np.arange(solver.size.holding_count(cards - 1))
        for rank in range(len(solver.size.ranks)):
            holdings = solver.tables.add_card[cards, rank, rests]
            choice = (choices[cards, holdings] >= 0).sum(axis=1)
            choices[cards, holdings, choice] = rank * len(rests) + rests
    return choices
