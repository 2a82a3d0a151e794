"""What both average strategies of a play to win are worth, keep by keep.

They are walked once by pone's view. Besides chances to win by both keeps, it is counted how often
each keep comes to the show with which points pegged: there the crib still decides.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.game.roles import Role
from cribev.solving.play_solver import PONE, PlaySolver
from cribev.solving.tree import (
    LANES,
    PlayTables,
    after_card,
    after_go,
    compiled,
    count_cells,
    helper,
)
from cribev.solving.walk import (
    InformationSets,
    Scratch,
    match_averages,
    new_scratch,
    reach_after_card,
    reach_after_go,
)
from cribev.solving.win_ends import WinEnds, is_won, keep_held, win_cell

_MIN_CHANCE = np.float32(1e-9)


class WinTotals(NamedTuple):
    """What is added up."""

    wins: NDArray[np.float32]
    """How often pone wins, by both keeps, ``(W, W)``."""
    pegged: NDArray[np.float64]
    """How often each keep comes to the show by the ends' cell, pone's and the dealer's, ``(2, W,
    cells)``."""


class WinContext(NamedTuple):
    """What every step of the walk can see; the player is pone, the other the dealer."""

    tables: PlayTables
    sets: InformationSets
    scratch: Scratch
    ends: WinEnds
    totals: WinTotals
    dealer_given_pone: NDArray[np.float32]
    """How likely the dealer has each keep by pone's, ``(W, W)``."""
    pone_given_dealer: NDArray[np.float32]


@helper
def _add_end(context, keeps, cell, chance, first):
    """Add an end in which both are in a cell; if both are out, pone was ``first`` or not."""
    ends, totals = context.ends, context.totals
    pone, dealer = keeps
    columns = ends.other_need + 1
    if cell // columns == ends.own_need:
        if first or cell % columns < ends.other_need:
            totals.wins[pone, dealer] += chance
        return
    if cell % columns == ends.other_need:
        return
    total = np.float32(0)
    for term in range(ends.own_keeps.shape[2]):
        total += ends.own_keeps[pone, cell, term] * ends.other_keeps[dealer, cell, term]
    totals.wins[pone, dealer] += chance * total
    totals.pegged[0, pone, cell] += chance * context.dealer_given_pone[pone, dealer]
    totals.pegged[1, dealer, cell] += chance * context.pone_given_dealer[dealer, pone]


@helper
def _add_all(context, node):
    """Add a node where all is forced, or somebody is out."""
    tables, scratch, ends = context.tables, context.scratch, context.ends
    left, state = max(node.own_left, node.other_left), node.state
    won, fits = is_won(ends, node), tables.fits[node.state]
    one_each = node.own_left == 1 and node.other_left == 1
    for own in range(tables.width[node.own_left]):
        reach = scratch.own_reach[node.own_row, own]
        if reach <= _MIN_CHANCE:
            continue
        pone = keep_held(tables, node.own_left, node.own_laid, own)
        for other in range(tables.width[node.other_left]):
            chance = reach * scratch.other_reach[node.other_row, other]
            if chance <= _MIN_CHANCE:
                continue
            dealer = keep_held(tables, node.other_left, node.other_laid, other)
            gained, given, first = np.int64(0), np.int64(0), node.own_points >= ends.own_need
            if not won and one_each:
                turn, at = 2 * node.own_turn + node.go, other * LANES + own
                gained = np.int64(tables.forced_own[turn, state, at])
                given = np.int64(tables.forced_other[turn, state, at])
                # Who is to move pegs first, unless the card does not fit.
                first = own < fits if node.own_turn else other >= fits
            elif not won:
                at = tables.alone_start[left] + max(own, other)
                gained = np.int64(tables.alone_own[state, at])
                given = np.int64(tables.alone_other[state, at])
                first = node.own_left == 0  # who has none left may have a go first
                if node.own_left == 0:
                    gained, given = given, gained
            cell = win_cell(ends, node.own_points + gained, node.other_points + given)
            _add_end(context, (pone, dealer), cell, chance, first)


@compiled
def evaluate_wins(context, node):
    """Walk down from a node by both average strategies, and add to `WinTotals`."""
    tables = context.tables
    if is_won(context.ends, node):
        _add_all(context, node)
        context.scratch.cursor[0] += count_cells(tables, node)
        return
    own, other = node.own_left, node.other_left
    if own == 0 or other == 0 or (own == 1 and other == 1):
        _add_all(context, node)
        return
    fits = tables.fits[node.state]
    match_averages(context, node)
    for rank in range(fits):
        reach_after_card(context, node, rank)
        evaluate_wins(context, after_card(tables, node, rank))
    if fits < tables.next_state.shape[1]:
        reach_after_go(context, node)
        evaluate_wins(context, after_go(node))


class WinsByKeep(NamedTuple):
    """What two average strategies are worth in chances to win."""

    wins: Floats
    """How likely pone wins, by pone's keep and the dealer's, ``(n, n)``."""
    pegged: dict[Role, Floats]
    """How likely a keep comes to the show with so many points pegged by pone and the dealer,
    ``(n, pone's need, dealer's need)``."""


def wins_by_keep(solver: PlaySolver) -> WinsByKeep:
    """Evaluate the averages of a solver whose ends are worth wins."""
    count, width = solver.size.holding_count(solver.size.kept), int(solver.tables.width[-1])
    ends, policies = solver.ends[PONE], solver.average_first_cards()
    needs = int(ends.own_need), int(ends.other_need)
    cells = (needs[0] + 1) * (needs[1] + 1)
    given = [beliefs.by_own for beliefs in solver.beliefs]

    def new() -> tuple[Scratch, WinTotals]:
        return new_scratch(solver.tables), WinTotals(
            np.zeros((width, width), np.float32), np.zeros((2, width, cells))
        )

    def visit(buffers: tuple[Scratch, WinTotals], lead: int, answer: int) -> None:
        node = solver.enter(buffers[0], PONE, (lead, answer), policies)
        evaluate_wins(
            WinContext(solver.tables, solver.sets, buffers[0], ends, buffers[1], *given), node
        )

    every = [totals for _, totals in solver.each_root(new, visit)]
    wins = np.sum([totals.wins for totals in every], axis=0)[:count, :count]
    pegged = np.sum([totals.pegged for totals in every], axis=0)[:, :count]
    by_points = pegged.reshape(2, count, needs[0] + 1, needs[1] + 1)[..., :-1, :-1]
    return WinsByKeep(wins.astype(np.float64), {"pone": by_points[0], "dealer": by_points[1]})
