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
mostly of those rounds, and say nothing of later errors. `forget_below` drops them once the averages
are good; with the cap the rounds to come learn them from trembles.

The first two cards are numpy: tables ``(n, ranks, rests)`` of the rank played and the rest held,
``n`` being 1 for pone's lead and a lead each for dealer's answer. Below each lead and answer stands
a tree of its own, and threads walk them side by side.

Rounded as they are shipped, and back, the average strategies stand in the order of one walk down
the public tree. But the solver pads its rows and writes two cards left as the card played and the
card kept, both ways round; a `Strategy` has one byte for each pair (`cribev.solution.strategy`).

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

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.game.roles import ROLES, Role
from cribev.solution.strategy import (
    PARTS,
    GameSize,
    PlayStates,
    PublicNode,
    Strategy,
    count_entries,
)
from cribev.values.keeps import KeepBeliefs
from solver import play_tree

PONE, DEALER = 0, 1
RARE = 0.01
"""A card played less often than this, of all holdings that come to the node, is an error."""


@play_tree.helper
def choose(context, node):
    """Write how often each holding plays each rank this round; return the node's first cell."""
    start = play_tree.match_regrets(context, node, context.sets.regrets)
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


@play_tree.helper
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
            if scratch.totals[holding] > play_tree.ZERO:
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


@play_tree.helper
def choose_two(context, fits, row):
    """Do what `choose` does for two cards left: write ``scratch.policy_of_two[:fits]``."""
    sets, policy = context.sets, context.scratch.policy_of_two
    average, cap, whole = context.scratch.average_of_two, context.cap, np.float32(1)
    if cap > 0:
        play_tree.match_two(context, fits, sets.sum_rows[row : row + fits])
        for rank in range(fits):
            for left in range(play_tree.LANES):
                average[rank, left] = policy[rank, left]
    play_tree.match_two(context, fits, sets.regret_rows[row : row + fits])
    if cap > 0:
        for rank in range(fits):
            for left in range(play_tree.LANES):
                highest = cap * average[rank, left]
                lowest = whole - cap * (whole - average[rank, left])
                policy[rank, left] = max(min(policy[rank, left], highest), lowest)
    for rank in range(fits):
        for left in range(fits):
            if left != rank:
                policy[rank, left] += context.tremble * (np.float32(0.5) - policy[rank, left])


@play_tree.helper
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


@play_tree.helper
def _update_two(context, node, row):
    """Do what `_update` does for two cards left, cells from ``16 * row``, and write the value."""
    tables, sets, scratch = context.tables, context.sets, context.scratch
    policy, gain, transposed = scratch.policy_of_two, scratch.value_of_two, scratch.transposed
    ranks, fits = tables.next_state.shape[1], tables.fits[node.state]
    for rank in range(fits):
        for card in range(play_tree.LANES):
            holding = tables.add_card[2, rank, card]
            scratch.reach_of_two[rank, card] = scratch.own_reach[node.own_row, holding]
    for rank in range(fits):
        for left in range(fits):
            transposed[rank, left] = policy[left, rank] * gain[left, rank]
        for left in range(fits, play_tree.LANES):
            transposed[rank, left] = 0
        transposed[rank, rank] = 0
    for rank in range(fits):
        for left in range(play_tree.LANES):
            both = policy[rank, left] * gain[rank, left] + transposed[rank, left]
            regret = sets.regret_rows[row + rank, left] + gain[rank, left] - both
            sets.regret_rows[row + rank, left] = max(regret, np.float32(0))
            sets.sum_rows[row + rank, left] += (
                context.weight * scratch.reach_of_two[rank, left] * policy[rank, left]
            )
            transposed[rank, left] = both
        for left in range(rank, ranks):
            scratch.value[node.depth, tables.add_card[2, rank, left]] = transposed[rank, left]


@play_tree.helper
def _add_choice(context, node, rank):
    """Take the value of a rank played, from one deeper, and add it as often as it is played."""
    tables, scratch, depth = context.tables, context.scratch, node.depth
    below = tables.width[node.own_left - 1]
    for left in range(below):
        holding, choice = tables.add_card[node.own_left, rank, left], rank * below + left
        gain = scratch.value[depth + 1, left]
        scratch.choice_value[depth, choice] = gain
        scratch.value[depth, holding] += scratch.policy[depth, choice] * gain


@play_tree.compiled
def traverse(context, node):
    """Walk down from a node, update its regrets and sums, and write ``scratch.value[depth]``."""
    tables, scratch = context.tables, context.scratch
    if play_tree.end_walk(context, node):
        return
    fits = tables.fits[node.state]
    if play_tree.is_last_choice(node):
        row = play_tree.take_row(context, node)
        if node.own_turn:
            play_tree.value_two(context, node)
            choose_two(context, fits, row)
            _update_two(context, node, row)
        else:
            choose_two(context, fits, row)
            play_tree.value_against_two(context, node)
    else:
        start = choose(context, node)
        for holding in range(tables.width[node.own_left]):
            scratch.value[node.depth, holding] = 0
        for rank in range(fits):
            play_tree.reach_after_card(context, node, rank)
            traverse(context, play_tree.after_card(tables, node, rank))
            if node.own_turn:
                _add_choice(context, node, rank)
            else:
                play_tree.add_child(context, node)
        if node.own_turn and node.own_left >= 2:
            _update(context, node, start)
    if fits < tables.next_state.shape[1]:
        play_tree.reach_after_go(context, node)
        traverse(context, play_tree.after_go(node))
        play_tree.take_go(context, node)


@play_tree.helper
def _mass(context, node, shares, pone):
    """Return how often a player's own choices come to a node, by `shares` of keeps, ``(2, W)``."""
    tables, scratch = context.tables, context.scratch
    cards, played = node.other_left, node.other_played
    reach, row, share = scratch.other_reach, node.other_row, shares[DEALER]
    if pone:
        cards, played = node.own_left, node.own_played
        reach, row, share = scratch.own_reach, node.own_row, shares[PONE]
    if cards == 0:
        return reach[row, 0] * share[played]
    total = np.float32(0)
    for holding in range(tables.width[cards]):
        total += reach[row, holding] * share[tables.keep_of[cards, played, holding]]
    return total


@play_tree.compiled
def forget_all(context, node):
    """Zero regrets and sums from a node down."""
    first = context.scratch.cursor[0]
    end = first + play_tree.count_cells(context.tables, node)
    context.sets.regrets[first:end] = 0
    context.sets.sums[first:end] = 0
    context.scratch.cursor[0] = end


@play_tree.compiled
def forget_below(context, node, shares, rare):
    """Zero regrets and sums below each card played in less than ``rare`` of the times it fits."""
    tables = context.tables
    own, other = node.own_left, node.other_left
    if own == 0 or other == 0 or (own == 1 and other == 1):
        return
    fits, pone = tables.fits[node.state], node.own_turn
    play_tree.match_averages(context, node)
    goes = np.float32(0)
    if fits < tables.next_state.shape[1]:
        play_tree.reach_after_go(context, node)
        goes = _mass(context, play_tree.after_go(node), shares, pone)
    fitting = _mass(context, node, shares, pone) - goes
    for rank in range(fits):
        after = play_tree.after_card(tables, node, rank)
        play_tree.reach_after_card(context, node, rank)
        if _mass(context, after, shares, pone) < rare * fitting:
            forget_all(context, after)
        else:
            forget_below(context, after, shares, rare)
    if fits < tables.next_state.shape[1]:
        play_tree.reach_after_go(context, node)
        forget_below(context, play_tree.after_go(node), shares, rare)


TREMBLE = 0.001  # how often a player plays any rank that fits instead of what it chose

CAP = 5.0
"""A good `PlaySolver.cap`: tremors of a regret stay small, and what gains grows within rounds."""

_STATE = ["regrets", "sums", "lead_regrets", "lead_sums", "answer_regrets", "answer_sums"]
_COUNTS = ["rounds", "averaged", "cap"]
_Buffers = TypeVar("_Buffers")


class PlaySolver:
    """The play with given keeps, and two strategies that get better by rounds."""

    def __init__(
        self, keeps: KeepBeliefs, *, size: GameSize | None = None, threads: int = 2
    ) -> None:
        self.size = size or GameSize()
        self.tables = play_tree.tabulate_play(self.size)
        self.threads = threads
        ranks, kept = len(self.size.ranks), self.size.kept
        self.rests = self.size.holding_count(kept - 1)
        self.keep_of = self.tables.add_card[kept][:, : self.rests].astype(np.intp)  # rank, rest
        cells = np.array(
            [
                [play_tree.count_cells(self.tables, self.root(PONE, x, y)) for y in range(ranks)]
                for x in range(ranks)
            ]
        )
        self.starts = np.concatenate([[0], np.cumsum(cells.ravel())])[:-1].reshape(cells.shape)
        self._order = np.argsort(-cells.ravel(), kind="stable").tolist()
        self.cap = 0.0  # see `Context.cap`
        self._cells = max(int(cells.sum()), play_tree.LANES)
        self.restart()
        self.ends: tuple[play_tree.WinEnds, play_tree.WinEnds] = (
            play_tree.points_count(),
            play_tree.points_count(),
        )
        """What the ends are worth to pone and to the dealer; points, unless it is set."""
        self.set_keeps(keeps)

    def set_keeps(self, keeps: KeepBeliefs) -> None:
        """Change how likely keeps face each other; the strategies stay as they are."""
        self.keeps = keeps
        self.beliefs = [self._beliefs(keeps.conditional[role]) for role in ("pone", "dealer")]

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the strategies as arrays, not copied."""
        counts = {name: np.array(getattr(self, name)) for name in _COUNTS}
        return {**counts, **{name: getattr(self, name) for name in _STATE}}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Take over what `state` returned; raise ValueError if it is of another game."""
        for name in _STATE:
            if state[name].shape != getattr(self, name).shape:
                raise ValueError(f"{name} of shape {state[name].shape}")
            getattr(self, name)[:] = state[name]
        self.rounds, self.averaged = (int(state[name]) for name in ("rounds", "averaged"))
        self.cap = float(state["cap"])

    def round(self) -> dict[Role, Floats]:
        """Let pone, then dealer, improve; return what keeps were worth before, ``(n,)``."""
        self.rounds += 1
        self.averaged += 1
        worth: dict[Role, Floats] = {}
        for player in (PONE, DEALER):
            leads = self._choose(self.lead_regrets, self.lead_sums)
            answers = self._choose(self.answer_regrets, self.answer_sums)
            values = self.walk(player, leads, answers, traverse)
            if player == PONE:  # how likely the dealer's answers are is in the values
                gains = values.sum(axis=1)[None]
                worth["pone"] = self._update(gains, leads, self.lead_regrets, self.lead_sums)
            else:
                worth["dealer"] = self._update(
                    values, answers, self.answer_regrets, self.answer_sums
                )
        return worth

    def restart_averages(self) -> None:
        """Forget the averages, so that early rounds no longer count; regrets stay."""
        self.averaged = 0
        for sums in (self.sums, self.lead_sums, self.answer_sums):
            sums[:] = 0

    def restart(self) -> None:
        """Forget regrets and averages: fresh memory, and none of it for what is never visited."""
        self.rounds = 0
        self.averaged = 0
        """Rounds in the averages."""
        self.regrets, self.sums = (np.zeros(self._cells, dtype=np.float32) for _ in range(2))
        self.sets = play_tree.InformationSets(
            self.regrets, self.sums,
            self.regrets.reshape(-1, play_tree.LANES), self.sums.reshape(-1, play_tree.LANES),
        )  # fmt: skip
        ranks = len(self.keep_of)
        self.lead_regrets, self.lead_sums = np.zeros((2, 1, ranks, self.rests))
        self.answer_regrets, self.answer_sums = np.zeros((2, ranks, ranks, self.rests))

    def _choose(self, regrets: Floats, sums: Floats) -> Floats:
        """Do for first cards what `choose` does for those after them."""
        policy, even = self.normalized(regrets), self.normalized(np.zeros_like(sums))
        if self.cap > 0:
            average = self.normalized(sums)
            policy = np.minimum(policy, self.cap * average)
            above = np.ones((len(policy), self.size.holding_count(self.size.kept)))
            for rank, keeps in enumerate(self.keep_of):
                above[:, keeps] -= policy[:, rank]
            policy = policy + above[:, self.keep_of] * average
        return policy + TREMBLE * (even - policy)

    def _update(self, gains: Floats, policy: Floats, regrets: Floats, sums: Floats) -> Floats:
        """Do for a first card what `traverse` does for those after it; return values by keep."""
        value = self._add_by_keep(policy * gains)
        np.maximum(regrets + gains - value[:, self.keep_of], 0, out=regrets)
        sums += self.averaged**2 * policy
        by_keep: Floats = value.sum(axis=0)
        return by_keep

    def _add_by_keep(self, table: Floats) -> Floats:
        """Add up by keep, ``(n, keeps)``, what is by rank and rest."""
        total = np.zeros((len(table), self.size.holding_count(self.size.kept)))
        for rank, keeps in enumerate(self.keep_of):
            total[:, keeps] += table[:, rank]
        return total

    def average_first_cards(self) -> tuple[Floats, Floats]:
        """Return how often each lead and answer is made on average, ``(n, ranks, rests)`` each."""
        return self.normalized(self.lead_sums), self.normalized(self.answer_sums)

    def normalized(self, weights: Floats) -> Floats:
        """Return how often each first card is played by weights ``(n, ranks, rests)``."""
        total = self._add_by_keep(weights)
        number = np.bincount(self.keep_of.ravel(), minlength=total.shape[1])
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(
                total[:, self.keep_of] > 0,
                weights / total[:, self.keep_of],
                1 / number[self.keep_of],
            )

    def root(self, player: int, lead: int, answer: int) -> play_tree.Node:
        """Return the node after a lead and an answer, as a player sees it."""
        state = int(self.tables.next_state[0, lead])
        points = int(self.tables.points[state, answer])
        state = int(self.tables.next_state[state, answer])
        left = self.size.kept - 1
        if player == PONE:
            return play_tree.Node(state, 1, 0, left, left, lead, answer, 0, points, 0, 0, 0)
        return play_tree.Node(state, 0, 0, left, left, answer, lead, points, 0, 0, 0, 0)

    def enter(
        self,
        scratch: play_tree.Scratch,
        player: int,
        first: tuple[int, int],
        policies: tuple[Floats, Floats],
    ) -> play_tree.Node:
        """Prepare a walk below a lead and an answer: the reach of both, and where its cells are."""
        lead, answer = first
        leads, answers = policies[0][0, lead], policies[1][lead, answer]
        own, other = (leads, answers) if player == PONE else (answers, leads)
        scratch.own_reach[0, : self.rests] = own
        scratch.other_reach[0, : self.rests] = other
        scratch.cursor[0] = self.starts[lead, answer]
        return self.root(player, lead, answer)

    def context(self, player: int, scratch: play_tree.Scratch) -> play_tree.Context:
        """Return what every step of a player's walk can see."""
        return play_tree.Context(
            self.tables, self.beliefs[player], self.sets, scratch, np.float32(self.averaged**2),
            np.float32(TREMBLE), np.float32(self.cap), self.ends[player],
        )  # fmt: skip

    def each_root(
        self, new: Callable[[], _Buffers], visit: Callable[[_Buffers, int, int], None]
    ) -> list[_Buffers]:
        """Visit every lead and answer on threads, the largest first; return their buffers."""
        of_threads = [new() for _ in range(self.threads)]
        free: SimpleQueue[_Buffers] = SimpleQueue()
        for buffers in of_threads:
            free.put(buffers)

        def visit_one(number: int) -> None:
            buffers = free.get()
            try:
                visit(buffers, *divmod(number, len(self.keep_of)))
            finally:  # or the threads that are left would wait for ever
                free.put(buffers)

        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(visit_one, self._order))
        return of_threads

    def _beliefs(self, conditional: Floats) -> play_tree.Beliefs:
        width, ranks = int(self.tables.width[self.size.kept]), len(self.keep_of)
        by_own = np.zeros((width, width), dtype=np.float32)
        by_own[: len(conditional), : len(conditional)] = conditional
        keeps = self.keep_of.T  # rest, rank
        blocks = np.zeros(
            (self.rests, self.rests, play_tree.ROWS, play_tree.LANES), dtype=np.float32
        )
        for played in range(self.rests):
            blocks[played, :, :ranks, :ranks] = by_own[keeps[played], keeps[:, :, None]]
        return play_tree.Beliefs(
            blocks.reshape(self.rests**2, -1), by_own, np.ascontiguousarray(by_own.T)
        )

    def walk(
        self,
        player: int,
        leads: Floats,
        answers: Floats,
        step: Callable[[play_tree.Context, play_tree.Node], None],
    ) -> Floats:
        """Walk the tree for a player; return values by lead, answer and rest."""
        values = np.zeros((len(self.keep_of), len(self.keep_of), self.rests))

        def visit(scratch: play_tree.Scratch, lead: int, answer: int) -> None:
            node = self.enter(scratch, player, (lead, answer), (leads, answers))
            step(self.context(player, scratch), node)
            values[lead, answer] = scratch.value[0, : self.rests]

        self.each_root(lambda: play_tree.new_scratch(self.tables), visit)
        return values


def forget_off_path(solver: PlaySolver, *, rare: float = RARE) -> None:
    """Forget regrets and averages below every card that the averages play rarely (10 seconds)."""
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

    def visit(scratch: play_tree.Scratch, lead: int, answer: int) -> None:
        node = solver.enter(scratch, PONE, (lead, answer), policies)
        context = solver.context(PONE, scratch)
        if rare_lead[lead] or rare_answer[lead, answer]:
            forget_all(context, node)
        else:
            forget_below(context, node, shares, np.float32(rare))

    solver.each_root(lambda: play_tree.new_scratch(solver.tables), visit)


def by_keep(solver: PlaySolver, table: Floats, nothing: float) -> Floats:
    """Turn ``(n, ranks, rests)`` to ``(keeps, n, ranks)``, ``nothing`` where a rank lacks."""
    keeps = np.full((solver.size.holding_count(solver.size.kept), *table.shape[:2]), nothing)
    for rank, numbers in enumerate(solver.keep_of):
        keeps[numbers, :, rank] = table[:, rank].T
    return keeps


class RoundingContext(NamedTuple):
    """What every step of the walk can see."""

    tables: play_tree.PlayTables
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


@play_tree.helper
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
        assigned = 0
        for choice in range(number):  # what fits is the lowest ranks, so the first choices
            share = PARTS * shares[choice] / total if total > play_tree.ZERO else PARTS / number
            whole = np.int64(share)
            shares[choice] = share - whole
            context.cells[place + choices[choice]] = whole
            assigned += whole
        while number and assigned < PARTS:
            largest = 0
            for choice in range(1, number):
                if shares[choice] > shares[largest]:
                    largest = choice
            shares[largest] = -1
            context.cells[place + choices[largest]] += 1
            assigned += 1


@play_tree.helper
def _round_pairs(context, weights, start, below, fits, place):
    """Round the weights of a node with two cards left."""
    for low in range(fits):
        for high in range(low + 1, fits):
            share = 0.5
            total = weights[start + low * below + high] + weights[start + high * below + low]
            if total > play_tree.ZERO:
                share = weights[start + low * below + high] / total
            context.cells[place] = np.int64(PARTS * share + 0.5)
            place += 1


@play_tree.helper
def _adopt_table(context, weights, start, below, node, place):
    """Write the cells of a node with three cards left or more to its weights."""
    cards, fits = node
    rests = context.counts[cards - 1]
    for rank in range(fits):
        for rest in range(rests):
            weights[start + rank * below + rest] = context.cells[place + rank * rests + rest]


@play_tree.helper
def _adopt_pairs(context, weights, start, below, fits, place):
    """Write the cells of a node with two cards left to its weights, by card played and kept."""
    for low in range(fits):
        for high in range(low, context.counts[1]):
            weights[start + low * below + high] = PARTS
            if low < high < fits:
                weights[start + low * below + high] = context.cells[place]
                weights[start + high * below + low] = PARTS - context.cells[place]
                place += 1


@play_tree.compiled
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


@play_tree.compiled
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
        _convert_below(context, play_tree.after_card(tables, node, rank))
    if fits < tables.next_state.shape[1]:
        _convert_below(context, play_tree.after_go(node))


def rounded(solver: PlaySolver) -> Strategy:
    """Round the average strategies to the parts a `Strategy` has, by largest remainders."""
    states = PlayStates(solver.tables.next_state, solver.tables.points)
    cells = np.zeros(count_entries(solver.size, states), dtype=np.uint8)
    strategy = Strategy(solver.size, states, cells)
    _convert_all(solver, strategy, cells, to_solver=False)
    return strategy


def adopt(solver: PlaySolver, strategy: Strategy) -> None:
    """Let a strategy be the solver's averages, so that it is the strategy that is valued."""
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


def _tabulate_choices(solver: PlaySolver) -> NDArray[np.int64]:
    """Return `RoundingContext.choices`."""
    kept, holding_number = solver.size.kept, solver.size.holding_count(solver.size.kept)
    choices = np.full((kept + 1, holding_number, kept), -1, dtype=np.int64)
    for cards in range(1, kept + 1):
        rests = np.arange(solver.size.holding_count(cards - 1))
        for rank in range(len(solver.size.ranks)):
            holdings = solver.tables.add_card[cards, rank, rests]
            choice = (choices[cards, holdings] >= 0).sum(axis=1)
            choices[cards, holdings, choice] = rank * len(rests) + rests
    return choices
