"""What follows a rare card, learned anew.

Early rounds lay cards that later rounds lay only by trembles. Regrets below such a card are mostly
of those rounds, and say nothing of who errs later. `forget_off_path` drops them once the averages
are good. With `PlaySolver.cap` the rounds to come learn them from trembles.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.game.roles import ROLES
from cribev.solving.play_solver import PONE, PlaySolver
from cribev.solving.tree import PlayTables, after_card, after_go, compiled, count_cells, helper
from cribev.solving.walk import (
    InformationSets,
    Scratch,
    match_averages,
    new_scratch,
    reach_after_card,
    reach_after_go,
)

RARE = 0.01
"""A card laid less often than this, of all holdings that come to the node, is an error."""


class OffPathContext(NamedTuple):
    """What every step of the walk can see; the player is pone, the other the dealer."""

    tables: PlayTables
    sets: InformationSets
    scratch: Scratch
    pone_share: NDArray[np.float32]
    """How often each keep is kept, ``(W,)``."""
    dealer_share: NDArray[np.float32]


@helper
def _mass(context, node, pone):
    """Return how often one player's own choices come to a node, over all its keeps."""
    tables, scratch = context.tables, context.scratch
    cards, laid = node.other_left, node.other_laid
    reach, row, share = scratch.other_reach, node.other_row, context.dealer_share
    if pone:
        cards, laid = node.own_left, node.own_laid
        reach, row, share = scratch.own_reach, node.own_row, context.pone_share
    if cards == 0:
        return reach[row, 0] * share[laid]
    total = np.float32(0)
    for holding in range(tables.width[cards]):
        total += reach[row, holding] * share[tables.keep_of[cards, laid, holding]]
    return total


@compiled
def forget_all(context, node):
    """Zero regrets and sums from a node down."""
    sets, first = context.sets, context.scratch.cursor[0]
    end = first + count_cells(context.tables, node)
    for cell in range(first, end):
        sets.regrets[cell] = 0
        sets.sums[cell] = 0
    context.scratch.cursor[0] = end


@compiled
def forget_below(context, node, rare):
    """Zero regrets and sums below each card laid in less than ``rare`` of the times it fits."""
    tables = context.tables
    own, other = node.own_left, node.other_left
    if own == 0 or other == 0 or (own == 1 and other == 1):
        return
    fits, pone = tables.fits[node.state], node.own_turn
    match_averages(context, node)
    goes = np.float32(0)
    if fits < tables.next_state.shape[1]:
        reach_after_go(context, node)
        goes = _mass(context, after_go(node), pone)
    fitting = _mass(context, node, pone) - goes
    for rank in range(fits):
        after = after_card(tables, node, rank)
        reach_after_card(context, node, rank)
        if _mass(context, after, pone) < rare * fitting:
            forget_all(context, after)
        else:
            forget_below(context, after, rare)
    if fits < tables.next_state.shape[1]:
        reach_after_go(context, node)
        forget_below(context, after_go(node), rare)


def forget_off_path(solver: PlaySolver, *, rare: float = RARE) -> None:
    """Forget regrets and averages below every card that the averages lay rarely (10 seconds)."""
    marginal, policies = solver.keeps.marginal, solver.average_first_cards()
    shares = np.zeros((2, int(solver.tables.width[solver.size.kept])), dtype=np.float32)
    for player, role in enumerate(ROLES[::-1]):
        shares[player, : len(marginal[role])] = marginal[role]
    led, answered = (
        (policy * marginal[role][solver.keep_of]).sum(axis=2)
        for policy, role in zip(policies, ROLES[::-1], strict=True)
    )
    rare_lead, rare_answer = led[0] < rare, answered < rare
    for sums in (solver.answer_regrets, solver.answer_sums):
        sums[rare_lead] = 0

    def visit(scratch: Scratch, lead: int, answer: int) -> None:
        node = solver.enter(scratch, PONE, (lead, answer), policies)
        context = OffPathContext(solver.tables, solver.sets, scratch, shares[0], shares[1])
        if rare_lead[lead] or rare_answer[lead, answer]:
            forget_all(context, node)
        else:
            forget_below(context, node, np.float32(rare))

    solver.each_root(lambda: new_scratch(solver.tables), visit)
