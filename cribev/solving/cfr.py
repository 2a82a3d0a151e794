"""The play solved by CFR+, all holdings of both players at once.

Each round, pone and then dealer `walk` down the public tree and up. Each choice is made in
proportion to its positive regret (regret matching [1]_). Regrets are kept at zero or above, and the
players update in turn (CFR+ [2]_). The average strategy weighs round t by t².

Hands tremble [3]_: a part `TREMBLE` of each choice is made evenly among the ranks that fit, as in
behaviorally constrained games [4]_. So every history is reached, and the solver learns what an
error costs. Trembles cost the players some 0.002 points a deal together. Rounding takes most of
them away again.

In single rounds the regret of a bad card flickers up, and the card is played a thousand times as
often as by trembles. What follows would be learned from these rounds alone. So where
`PlaySolver.cap` is set, no card is played more than so many times as often as on average so far.

Early rounds play cards that later rounds play only by trembles. Regrets below such a card are
mostly of those rounds, and say nothing of who errs later. `forget_below` drops them once the
averages are good; with the cap the rounds to come learn them from trembles.

References
----------
.. [1] M. Zinkevich, M. Johanson, M. Bowling, C. Piccione: Regret Minimization in Games with
   Incomplete Information. Advances in Neural Information Processing Systems 20, 2007.
.. [2] O. Tammelin: Solving Large Imperfect Information Games Using CFR+. 2014,
   https://arxiv.org/abs/1407.5042
.. [3] R. Selten: Reexamination of the Perfectness Concept for Equilibrium Points in Extensive
   Games. International Journal of Game Theory 4, 1975.
.. [4] G. Farina, C. Kroer, T. Sandholm: Regret Minimization in Behaviorally-Constrained Zero-Sum
   Games. International Conference on Machine Learning, 2017.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    ZERO,
    InformationSets,
    Scratch,
    add_child,
    alone_value,
    end_early,
    forced_value,
    is_last_choice,
    match_averages,
    match_regrets,
    match_two,
    reach_after_card,
    reach_after_go,
    take_go,
    take_row,
    value_against_two,
    value_two,
)

RARE = 0.01
"""A card played less often than this, of all holdings that come to the node, is an error."""


@helper
def choose(context, node):
    """Write how often each holding plays each rank this round; return the node's first cell."""
    start = match_regrets(context, node, context.sets.regrets)
    cards = node.own_left if node.own_turn else node.other_left
    if cards == 1:
        return start
    tables, scratch, depth = context.tables, context.scratch, node.depth
    fits, below = tables.fits[node.state], tables.width[cards - 1]
    if context.cap > 0:
        _cap(context, node, start)
    for rank in range(fits):
        for left in range(below):
            choice = rank * below + left
            even = np.float32(1) / scratch.counts[tables.add_card[cards, rank, left]]
            chance = scratch.policy[depth, choice]
            scratch.policy[depth, choice] = chance + context.tremble * (even - chance)
    return start


@helper
def _cap(context, node, start):
    """Play no rank too often: what is above the cap goes to all, as often as on average."""
    tables, sets, scratch, depth = context.tables, context.sets, context.scratch, node.depth
    cards = node.own_left if node.own_turn else node.other_left
    fits, below = tables.fits[node.state], tables.width[cards - 1]
    for holding in range(tables.width[cards]):
        scratch.totals[holding] = 0
        scratch.above[holding] = 0
    for rank in range(fits):
        for left in range(below):
            holding = tables.add_card[cards, rank, left]
            scratch.totals[holding] += sets.sums[start + rank * below + left]
    for rank in range(fits):
        for left in range(below):
            choice, holding = rank * below + left, tables.add_card[cards, rank, left]
            if scratch.totals[holding] > ZERO:
                average = sets.sums[start + choice] / scratch.totals[holding]
            else:
                average = np.float32(1) / scratch.counts[holding]
            scratch.average[choice] = average
            above = max(scratch.policy[depth, choice] - context.cap * average, np.float32(0))
            scratch.policy[depth, choice] -= above
            scratch.above[holding] += above
    for rank in range(fits):
        for left in range(below):
            choice, holding = rank * below + left, tables.add_card[cards, rank, left]
            scratch.policy[depth, choice] += scratch.above[holding] * scratch.average[choice]


@helper
def choose_two(context, fits, row):
    """Do what `choose` does for two cards left, whose cells begin at ``16 * row``.

    Writes ``scratch.policy_of_two[:fits]``.
    """
    sets, policy = context.sets, context.scratch.policy_of_two
    average, cap, one = context.scratch.average_of_two, context.cap, np.float32(1)
    if cap > 0:
        match_two(context, fits, sets.sum_rows[row : row + fits])
        for rank in range(fits):
            for left in range(LANES):
                average[rank, left] = policy[rank, left]
    match_two(context, fits, sets.regret_rows[row : row + fits])
    if cap > 0:
        for rank in range(fits):
            for left in range(LANES):
                highest = cap * average[rank, left]
                lowest = one - cap * (one - average[rank, left])
                policy[rank, left] = max(min(policy[rank, left], highest), lowest)
    for rank in range(fits):
        for left in range(fits):
            if left != rank:
                policy[rank, left] += context.tremble * (np.float32(0.5) - policy[rank, left])


@helper
def _update(context, node, start):
    """Add what each choice would have gained to its regret, and how often it was made to sums."""
    tables, sets, scratch, depth = context.tables, context.sets, context.scratch, node.depth
    below = tables.width[node.own_left - 1]
    for rank in range(tables.fits[node.state]):
        for left in range(below):
            holding = tables.add_card[node.own_left, rank, left]
            cell, choice = start + rank * below + left, rank * below + left
            regret = (
                sets.regrets[cell]
                + scratch.choice_value[depth, choice]
                - scratch.value[depth, holding]
            )
            sets.regrets[cell] = max(regret, np.float32(0))
            sets.sums[cell] += (
                context.weight
                * scratch.own_reach[node.own_row, holding]
                * scratch.policy[depth, choice]
            )


@helper
def _update_two(context, node, row):
    """Do what `_update` does for two cards left, cells from ``16 * row``, and write the value."""
    tables, sets, scratch = context.tables, context.sets, context.scratch
    policy, gain, transposed = scratch.policy_of_two, scratch.value_of_two, scratch.transposed
    ranks, fits = tables.next_state.shape[1], tables.fits[node.state]
    for rank in range(fits):
        for card in range(LANES):
            holding = tables.add_card[2, rank, card]
            scratch.reach_of_two[rank, card] = scratch.own_reach[node.own_row, holding]
    for rank in range(fits):
        for left in range(fits):
            transposed[rank, left] = policy[left, rank] * gain[left, rank]
        for left in range(fits, LANES):
            transposed[rank, left] = 0
        transposed[rank, rank] = 0
    for rank in range(fits):
        for left in range(LANES):
            both = policy[rank, left] * gain[rank, left] + transposed[rank, left]
            regret = sets.regret_rows[row + rank, left] + gain[rank, left] - both
            sets.regret_rows[row + rank, left] = max(regret, np.float32(0))
            sets.sum_rows[row + rank, left] += (
                context.weight * scratch.reach_of_two[rank, left] * policy[rank, left]
            )
            transposed[rank, left] = both
        for left in range(rank, ranks):
            scratch.value[node.depth, tables.add_card[2, rank, left]] = transposed[rank, left]


@helper
def _add_choice(context, node, rank):
    """Take the value of a rank played, from one deeper, and add it as often as it is played."""
    tables, scratch, depth = context.tables, context.scratch, node.depth
    below = tables.width[node.own_left - 1]
    for left in range(below):
        holding, choice = tables.add_card[node.own_left, rank, left], rank * below + left
        gain = scratch.value[depth + 1, left]
        scratch.choice_value[depth, choice] = gain
        scratch.value[depth, holding] += scratch.policy[depth, choice] * gain


@compiled
def traverse(context, node):
    """Walk down from a node, update its regrets and sums, and write ``scratch.value[depth]``."""
    tables, scratch = context.tables, context.scratch
    if end_early(context, node):
        return
    if node.own_left == 1 and node.other_left == 1:
        forced_value(context, node)
        return
    if node.own_left == 0 or node.other_left == 0:
        alone_value(context, node)
        return
    fits = tables.fits[node.state]
    if is_last_choice(node):
        row = take_row(context, node)
        if node.own_turn:
            value_two(context, node)
            choose_two(context, fits, row)
            _update_two(context, node, row)
        else:
            choose_two(context, fits, row)
            value_against_two(context, node)
    else:
        start = choose(context, node)
        for holding in range(tables.width[node.own_left]):
            scratch.value[node.depth, holding] = 0
        for rank in range(fits):
            reach_after_card(context, node, rank)
            traverse(context, after_card(tables, node, rank))
            if node.own_turn:
                _add_choice(context, node, rank)
            else:
                add_child(context, node)
        if node.own_turn and node.own_left >= 2:
            _update(context, node, start)
    if fits < tables.next_state.shape[1]:
        reach_after_go(context, node)
        traverse(context, after_go(node))
        take_go(context, node)


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
    cards, played = node.other_left, node.other_played
    reach, row, share = scratch.other_reach, node.other_row, context.dealer_share
    if pone:
        cards, played = node.own_left, node.own_played
        reach, row, share = scratch.own_reach, node.own_row, context.pone_share
    if cards == 0:
        return reach[row, 0] * share[played]
    total = np.float32(0)
    for holding in range(tables.width[cards]):
        total += reach[row, holding] * share[tables.keep_of[cards, played, holding]]
    return total


@compiled
def forget_all(context, node):
    """Zero regrets and sums from a node down."""
    first = context.scratch.cursor[0]
    end = first + count_cells(context.tables, node)
    context.sets.regrets[first:end] = 0
    context.sets.sums[first:end] = 0
    context.scratch.cursor[0] = end


@compiled
def forget_below(context, node, rare):
    """Zero regrets and sums below each card played in less than ``rare`` of the times it fits."""
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
