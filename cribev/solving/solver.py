"""A solver of the play: two strategies that get better by rounds of `cfr`.

The first two cards are numpy: tables ``(n, ranks, rests)`` of the rank played and the rest held,
``n`` being 1 for pone's lead and a lead each for dealer's answer. Below each lead and answer stands
a tree of its own, and threads walk them side by side.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.game.roles import ROLES, Role
from cribev.solution.tree import GameSize
from cribev.solving.cfr import RARE, OffPathContext, forget_all, forget_below, traverse
from cribev.solving.discards import KeepBeliefs
from cribev.solving.ends import WinEnds, points_count
from cribev.solving.tree import (
    LANES,
    ROWS,
    Node,
    count_cells,
    tabulate_play,
)
from cribev.solving.walk import (
    Beliefs,
    Context,
    InformationSets,
    Scratch,
    new_scratch,
)

PONE, DEALER = 0, 1
TREMBLE = 0.001
"""How often a player plays any rank that fits instead of what it chose."""

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
        self.tables = tabulate_play(self.size)
        self.threads = threads
        ranks, kept = len(self.size.ranks), self.size.kept
        self.rests = self.size.holding_count(kept - 1)
        self.keep_of = self.tables.add_card[kept][:, : self.rests].astype(np.intp)  # rank, rest
        cells = np.array(
            [
                [count_cells(self.tables, self.root(PONE, x, y)) for y in range(ranks)]
                for x in range(ranks)
            ]
        )
        self.starts = np.concatenate([[0], np.cumsum(cells.ravel())])[:-1].reshape(cells.shape)
        self._order = np.argsort(-cells.ravel(), kind="stable").tolist()
        self.cap = 0.0
        """As `Context.cap`."""
        self._cells = max(int(cells.sum()), LANES)
        self.restart()
        self.ends: tuple[WinEnds, WinEnds] = points_count(), points_count()
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
        """Let pone, then dealer, improve on the other; return what their keeps were worth.

        That is by the choices of this round, before both improve, ``(n,)``.
        """
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
        self.sets = InformationSets(
            self.regrets, self.sums,
            self.regrets.reshape(-1, LANES), self.sums.reshape(-1, LANES),
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
        chosen: Floats = policy + TREMBLE * (even - policy)
        return chosen

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

    def root(self, player: int, lead: int, answer: int) -> Node:
        """Return the node after a lead and an answer, as a player sees it."""
        state = int(self.tables.next_state[0, lead])
        points = int(self.tables.points[state, answer])
        state = int(self.tables.next_state[state, answer])
        left = self.size.kept - 1
        if player == PONE:
            return Node(state, 1, 0, left, left, lead, answer, 0, points, 0, 0, 0)
        return Node(state, 0, 0, left, left, answer, lead, points, 0, 0, 0, 0)

    def enter(
        self, scratch: Scratch, player: int, first: tuple[int, int], policies: tuple[Floats, Floats]
    ) -> Node:
        """Prepare a walk below a lead and an answer: the reach of both, and where its cells are."""
        lead, answer = first
        leads, answers = policies[0][0, lead], policies[1][lead, answer]
        own, other = (leads, answers) if player == PONE else (answers, leads)
        scratch.own_reach[0, : self.rests] = own
        scratch.other_reach[0, : self.rests] = other
        scratch.cursor[0] = self.starts[lead, answer]
        return self.root(player, lead, answer)

    def context(self, player: int, scratch: Scratch) -> Context:
        """Return what every step of a player's walk can see."""
        return Context(
            self.tables, self.beliefs[player], self.sets, scratch, np.float32(self.averaged**2),
            np.float32(TREMBLE), np.float32(self.cap), self.ends[player],
        )  # fmt: skip

    def each_root(
        self, new: Callable[[], _Buffers], visit: Callable[[_Buffers, int, int], None]
    ) -> list[_Buffers]:
        """Visit every lead and answer on several threads, the largest first.

        Each thread has buffers of its own; return those of all threads.
        """
        every = [new() for _ in range(self.threads)]
        free: SimpleQueue[_Buffers] = SimpleQueue()
        for buffers in every:
            free.put(buffers)

        def visit_one(number: int) -> None:
            buffers = free.get()
            try:
                visit(buffers, *divmod(number, len(self.keep_of)))
            finally:  # or the threads that are left would wait for ever
                free.put(buffers)

        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(visit_one, self._order))
        return every

    def walk(
        self, player: int, leads: Floats, answers: Floats, step: Callable[[Context, Node], None]
    ) -> Floats:
        """Walk the whole tree for a player; return its values, ``(ranks, ranks, rests)``.

        They are by lead, answer and what the player holds beside its own of the two.
        """
        values = np.zeros((len(self.keep_of), len(self.keep_of), self.rests))

        def visit(scratch: Scratch, lead: int, answer: int) -> None:
            node = self.enter(scratch, player, (lead, answer), (leads, answers))
            step(self.context(player, scratch), node)
            values[lead, answer] = scratch.value[0, : self.rests]

        self.each_root(lambda: new_scratch(self.tables), visit)
        return values

    def _beliefs(self, conditional: Floats) -> Beliefs:
        width, ranks = int(self.tables.width[self.size.kept]), len(self.keep_of)
        by_own = np.zeros((width, width), dtype=np.float32)
        by_own[: len(conditional), : len(conditional)] = conditional
        keeps = self.keep_of.T  # rest, rank
        blocks = np.zeros((self.rests, self.rests, ROWS, LANES), dtype=np.float32)
        for played in range(self.rests):
            blocks[played, :, :ranks, :ranks] = by_own[keeps[played], keeps[:, :, None]]
        return Beliefs(blocks.reshape(self.rests**2, -1), by_own, np.ascontiguousarray(by_own.T))


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

    def visit(scratch: Scratch, lead: int, answer: int) -> None:
        node = solver.enter(scratch, PONE, (lead, answer), policies)
        context = OffPathContext(solver.tables, solver.sets, scratch, shares[0], shares[1])
        if rare_lead[lead] or rare_answer[lead, answer]:
            forget_all(context, node)
        else:
            forget_below(context, node, np.float32(rare))

    solver.each_root(lambda: new_scratch(solver.tables), visit)
