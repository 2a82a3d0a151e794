"""The average strategies rounded, as they are shipped, and from there back to the solver.

Both stand in the order of one walk down the public tree, but otherwise apart: the solver pads its
rows and writes two cards left as the card laid and the card kept, both ways round; a `Strategy`
has one byte for each pair (see `cribev.solution.strategy`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.solution.play_states import PlayStates
from cribev.solution.public_tree import PublicNode
from cribev.solution.strategy import PARTS, Strategy, count_entries
from cribev.solving.play_solver import PONE, PlaySolver
from cribev.solving.tree import PlayTables, after_card, after_go, compiled, helper
from cribev.solving.walk import ZERO


class LaidAndRest(NamedTuple):
    """The ranks a holding can lay and what is left after each, int64 ``(kept + 1, n, kept)``.

    They stand by cards, holding and choice, ranks ascending; -1 where there is no further choice.
    """

    rank: NDArray[np.int64]
    rest: NDArray[np.int64]


class RoundingContext(NamedTuple):
    """What every step of the walk can see."""

    tables: PlayTables
    choices: LaidAndRest
    counts: NDArray[np.int64]
    """Holdings of so many cards, without padding, ``(kept + 1,)``."""
    sums: NDArray[np.float32]
    """As `InformationSets.sums`."""
    cells: NDArray[np.uint8]
    """As `Strategy.cells`."""
    shares: NDArray[np.float64]
    """A buffer for the choices of a holding, ``(kept,)``."""
    to_solver: int
    """1 if `cells` are written to `sums`, 0 if `sums` are rounded to `cells`."""
    cursor: NDArray[np.int64]
    """The next of `sums` and of `cells`, ``(2,)``."""


@helper
def _round_table(context, weights, start, below, node, place):
    """Round the weights of a node with three cards left or more.

    ``weights`` stand from ``start`` by rank and rest, rows ``below`` apart; ``node`` is how many
    cards the mover has left and how many ranks fit.
    """
    choices, shares = context.choices, context.shares
    cards, fits = node
    rests = context.counts[cards - 1]
    for holding in range(context.counts[cards]):
        number, total = 0, 0.0
        for choice in range(cards):
            rank = choices.rank[cards, holding, choice]
            if 0 <= rank < fits:
                shares[choice] = weights[
                    start + rank * below + choices.rest[cards, holding, choice]
                ]
                total += shares[choice]
                number += 1
        given = 0
        for choice in range(number):  # what fits is the lowest ranks, so the first choices
            share = PARTS * shares[choice] / total if total > ZERO else PARTS / number
            whole = np.int64(share)
            shares[choice] = share - whole
            rank, rest = choices.rank[cards, holding, choice], choices.rest[cards, holding, choice]
            context.cells[place + rank * rests + rest] = whole
            given += whole
        while number and given < PARTS:
            largest = 0
            for choice in range(1, number):
                if shares[choice] > shares[largest]:
                    largest = choice
            shares[largest] = -1
            rank, rest = (
                choices.rank[cards, holding, largest],
                choices.rest[cards, holding, largest],
            )
            context.cells[place + rank * rests + rest] += 1
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
            context.cells[place] = np.int64(PARTS * share + 0.5)
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
    """Write the cells of a node with two cards left to its weights, by card laid and card kept."""
    for low in range(fits):
        for high in range(low, context.counts[1]):
            weights[start + low * below + high] = PARTS
            if low < high < fits:
                weights[start + low * below + high] = context.cells[place]
                weights[start + high * below + low] = PARTS - context.cells[place]
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


def rounded(solver: PlaySolver) -> Strategy:
    """Round the average strategies to the parts a `Strategy` has, in a few seconds.

    The parts of one holding add up: each has its whole parts, and what is missing goes to the
    largest remainders. A holding that was never reached lays what fits evenly.
    """
    states = PlayStates(solver.tables.next_state, solver.tables.points)
    cells = np.zeros(count_entries(solver.size, states), dtype=np.uint8)
    strategy = Strategy(solver.size, states, cells)
    _convert_all(solver, strategy, cells, to_solver=False)
    return strategy


def adopt(solver: PlaySolver, strategy: Strategy) -> None:
    """Let a strategy be the solver's averages, so that `evaluation` is of the strategy."""
    for sums in (solver.sums, solver.lead_sums, solver.answer_sums):
        sums[:] = 0
    cells = np.array(strategy.cells)  # they may be mapped from a file, and not to be written
    _convert_all(solver, strategy, cells, to_solver=True)


def _convert_all(
    solver: PlaySolver, strategy: Strategy, cells: NDArray[np.uint8], *, to_solver: bool
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

    def first(weights: Floats, node: PublicNode) -> None:
        _convert(new(), weights.reshape(-1), 0, solver.rests, (size.kept, ranks), node.place)

    def below(context: RoundingContext, lead: int, answer: int) -> None:
        node = strategy.after_card(strategy.after_card(strategy.root, lead), answer)
        context.cursor[:] = solver.starts[lead, answer], node.place
        _convert_below(context, solver.root(PONE, lead, answer))

    first(solver.lead_sums, strategy.root)
    for lead in range(ranks):
        first(solver.answer_sums[lead], strategy.after_card(strategy.root, lead))
    solver.each_root(new, below)


def _tabulate_choices(solver: PlaySolver) -> LaidAndRest:
    kept, ranks = solver.size.kept, len(solver.size.ranks)
    rank, rest = np.full((2, kept + 1, solver.size.holding_count(kept), kept), -1, dtype=np.int64)
    for cards in range(1, kept + 1):
        rests = np.arange(solver.size.holding_count(cards - 1))
        for laid in range(ranks):
            holdings = solver.tables.add_card[cards, laid, rests]
            choice = (rank[cards, holdings] >= 0).sum(axis=1)
            rank[cards, holdings, choice] = laid
            rest[cards, holdings, choice] = rests
    return LaidAndRest(rank, rest)
