"""Discards and play solved by alternating optimisation, until neither changes.

The discards respond to the expected pegging, the play to the keeps the discards lead to. The play
keeps its regrets from turn to turn; averages begin anew. Some deals go round in cycles, as in
matching pennies, so what is kept is a mean over the turns, in which the last count most.

When little changes, the play learns anew what follows rare cards, and is rounded to
what is shipped. All else follows from that: the expected pegging, and the discards that respond to
it. What experts keep stays that mean: two discards of nearly the same value are mixed.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import DEALS, Floats, deals_of_classes
from cribev.classes.class_tables import CribAverages, best_response
from cribev.game.roles import ROLES, Role
from cribev.solution.solution import Solution
from cribev.solution.solved_play import (
    ExpectedPegging,
    KeepFrequencies,
    PeggingStatistics,
    SolvedPlay,
)
from cribev.system.cache import open_arrays
from cribev.system.files import atomic_write
from cribev.system.processes import cpu_count
from cribev.values.keeps import KeepDistributions, pegging_statistics
from solver.discard_game import (
    iterate_best_responses,
    keep_frequencies,
    mixed_frequencies,
    solve_discards,
)
from solver.last_points import solve_last_points
from solver.play_solver import CAP, PlaySolver, adopt, forget_off_path, rounded
from solver.provenance import Provenance
from solver.race import WIN_TABLE_DEALS, DealtCounts, before_cut, play_deals_out, solve_win_table
from solver.storage import on_pegging_grid
from solver.worth import expected_points, exploitability, first_card_values, joint_pmfs

CHECKPOINT_FORMAT = 5  # version of a checkpoint; a file of another version is refused

_GOAL = 0.005  # points a deal that may be left to gain in the play
_BATCH = 6  # rounds of the play between looks at what is left to gain, and between checkpoints
_MAX_CHANGED = 20_000  # deals that may still change between turns: one in two thousand
_MAX_CHANGE = 0.01  # what net points may still change by between turns, root mean square
_DISCARD_ROUNDS = 12  # rounds of discards between turns; where they cycle there is no end
_FIRST_GOALS = (0.1, 0.05)  # what may be left to gain after the first turns
_OFF_PATH_ROUNDS = 42  # rounds that learn what follows rare cards; they are not averaged
_LAST_ROUNDS = 42  # rounds that are averaged, at least, in the strategy that is rounded
_TURNS, _OFF_PATH, _LAST = range(3)  # stages: a checkpoint goes on in the one it was left in
_GOAL_DIVISOR = 4  # the play is solved to this part of what its net points changed by

_TABLES: dict[str, Any] = {
    "cribs": CribAverages,
    "pegging": ExpectedPegging,
    "frequencies": KeepFrequencies,
}  # by role, in a checkpoint

PeggingByRole: TypeAlias = dict[Role, ExpectedPegging]


class AlternatingSolver:
    """Discards and play in turn; ``checkpoint`` keeps what is done, ``report`` is told of it."""

    def __init__(
        self,
        report: Callable[[str], None],
        *,
        checkpoint: Path | None = None,
        win_table_deals: int = WIN_TABLE_DEALS,
    ) -> None:
        self.report, self.checkpoint = report, checkpoint
        self.win_table_deals = win_table_deals
        self.turn = 0
        self.stage = _TURNS
        self.frequencies: dict[Role, KeepFrequencies] = {}
        self.rms_changes: list[float] = []
        self.pegging: PeggingByRole | None = None
        self.cribs: dict[Role, CribAverages] | None = None
        self._solver: PlaySolver | None = None
        self._distributions: KeepDistributions | None = None  # of these frequencies
        self._stored: dict[str, NDArray[Any]] = {}
        self._most_rounds: int | None = None
        self._stop: Callable[[], bool] = lambda: False

    def run(
        self, *, rounds: int | None = None, stop: Callable[[], bool] = lambda: False
    ) -> tuple[Solution, Provenance]:
        """Solve until neither changes, ``rounds`` are over, or ``stop`` says so."""
        self._most_rounds, self._stop = rounds, stop
        if self.cribs is None and self._scores:
            self._scores.unlink(missing_ok=True)  # of another run
        if self.stage == _TURNS:
            self._settle()
            self.stage = _OFF_PATH
        solved = self._solution()
        for file in filter(None, (self.checkpoint, self._scores)):
            file.unlink(missing_ok=True)
        return solved

    @property
    def _scores(self) -> Path | None:
        """The file of the scores solved to win that belongs to the checkpoint."""
        file = self.checkpoint
        return file and file.with_name(f"{file.name}.scores")

    def _settle(self) -> None:
        """Take turns until neither discards nor play change."""
        if self.cribs is None:
            self._solve_discards(None)
        while True:
            keeps = self._keeps()
            solver = self.solver(keeps)
            left = self._solve_play(solver, self._turn_goal())
            net_pegging = self._note_pegging(solver, keeps)
            if self.rms_changes:
                self.report(
                    f"turn {self.turn}: expected pegging changed by {self.rms_changes[-1]:.4f}"
                )
            self.turn += 1
            settled = bool(self.rms_changes) and self.rms_changes[-1] <= _MAX_CHANGE
            if (settled and left <= _GOAL) or self._is_over(solver):
                return
            self._solve_discards(net_pegging)

    def solver(self, keeps: KeepDistributions) -> PlaySolver:
        """Return the solver of the play, with these keeps."""
        if self._solver is None:
            self._solver = PlaySolver(keeps.beliefs, threads=cpu_count())
            if self._stored:
                self._solver.restore(self._stored)
                self._stored = {}
        else:
            self._solver.set_keeps(keeps.beliefs)
            self._solver.restart_averages()
        return self._solver

    def _keeps(self) -> KeepDistributions:
        """Mix what the discards keep with what was kept before."""
        assert self.cribs is not None
        for role in ROLES:
            frequencies = keep_frequencies(best_response(self.cribs[role], role=role))
            before = self.frequencies.get(role, frequencies)
            self.frequencies[role] = mixed_frequencies(before, frequencies, 1 / 2)
        self._distributions = KeepDistributions(self.frequencies)
        return self._distributions

    def _note_pegging(self, solver: PlaySolver, keeps: KeepDistributions) -> dict[Role, Floats]:
        """Work out the expected pegging, and by how much it has changed; return net points."""
        points, before = expected_points(solver), self.pegging
        self.pegging = {
            role: ExpectedPegging(
                *(on_pegging_grid(keeps.expected(table, role=role)) for table in points[role])
            )
            for role in ROLES
        }
        if before is not None:
            self.rms_changes.append(rms_change(before, self.pegging))
        return {role: self.pegging[role].net for role in ROLES}

    def _is_over(self, solver: PlaySolver) -> bool:
        return self._most_rounds is not None and solver.rounds >= self._most_rounds

    def _solve_discards(self, net_pegging: Mapping[Role, Floats] | None) -> None:
        self.cribs, history, _ = iterate_best_responses(
            rounds=_DISCARD_ROUNDS,
            net_pegging=net_pegging,
            start=self.cribs,
            max_changed=_MAX_CHANGED,
        )
        last = history[-1]
        self.report(
            f"turn {self.turn}: discards, {last.number} rounds, {last.changed:,} of {DEALS:,} "
            "deals changed in the last"
        )

    def _turn_goal(self) -> float:
        if self.turn < len(_FIRST_GOALS):
            return max(_GOAL, _FIRST_GOALS[self.turn])
        return min(_FIRST_GOALS[-1], max(_GOAL, self.rms_changes[-1] / _GOAL_DIVISOR))

    def _solve_play(self, solver: PlaySolver, goal: float) -> float:
        """Solve the play until so little is left to gain, and return what is."""
        while True:
            self._play_rounds(solver, _BATCH)
            left = exploitability(solver)
            self.report(
                f"turn {self.turn}: {solver.rounds} rounds of the play, both together could gain "
                f"{left:.4f} points a deal"
            )
            if left <= goal or self._is_over(solver):
                return left

    def _play_rounds(self, solver: PlaySolver, number: int) -> None:
        for done in range(1, number + 1):
            if self._is_over(solver):
                break
            solver.round()
            stopped = self._stop()
            if self.checkpoint is not None and (stopped or done % _BATCH == 0):
                self.save(self.checkpoint)
            if stopped:
                raise KeyboardInterrupt

    def _solution(self) -> tuple[Solution, Provenance]:
        """Derive all that is shipped: first by points, then the last points of a game to win."""
        solution, provenance, dealt = self._by_points()
        if self._solver is not None and self._is_over(self._solver):
            return solution, provenance
        self._solver = None  # another takes as much memory
        table = solve_last_points(
            dealt,
            self.frequencies,
            report=self.report,
            stop=self._stop,
            checkpoint=self._scores,
            threads=cpu_count(),
        )
        return solution._replace(win_table=table), provenance

    def _by_points(self) -> tuple[Solution, Provenance, DealtCounts]:
        """Solve the play off the path too, round it, and derive all else from that."""
        keeps = self._distributions or KeepDistributions(self.frequencies)
        solver = self._solver or self.solver(keeps)
        if self.stage == _OFF_PATH and not self._is_over(solver):
            forget_off_path(solver)
            solver.cap = CAP
            self._play_rounds(solver, _OFF_PATH_ROUNDS)
            if not self._is_over(solver):
                solver.restart_averages()
                self.stage = _LAST
        self._play_rounds(solver, _LAST_ROUNDS - _BATCH - solver.averaged)
        self._solve_play(solver, _GOAL)
        strategy = rounded(solver)
        adopt(solver, strategy)
        left = exploitability(solver)
        net_pegging = self._note_pegging(solver, keeps)
        assert self.pegging is not None
        self.report(
            f"rounded, both together could gain {left:.4f} points a deal; expected pegging changed "
            f"by {self.rms_changes[-1]:.4f}"
        )
        solution, provenance = solve_discards(net_pegging=net_pegging, start=self.cribs)
        policies = solution.policies()
        play = SolvedPlay(
            self.pegging,
            _statistics(solver, keeps),
            self.frequencies,
            exploitability=left,
            rounds=solver.rounds,
            rms_changes=self.rms_changes,
            load_strategy=lambda: strategy,
        )
        dealt = play_deals_out(strategy, policies, deals=self.win_table_deals)
        table = solve_win_table(before_cut(*dealt))
        self.report(
            f"the race to 121, from {table.deals:,} deals: first dealer wins "
            f"{table.win[0, 0]:.4f}, standard errors up to {table.standard_error.max():.2g}"
        )
        return solution._replace(play=play, win_table=table), provenance, dealt

    def save(self, file: Path) -> None:
        """Write all that `resume` needs, whole or not at all (1.2 GB)."""
        assert self._solver is not None
        assert self.cribs is not None
        arrays: dict[str, Any] = {
            "checkpoint": np.array(CHECKPOINT_FORMAT),
            "turn": np.array(self.turn),
            "stage": np.array(self.stage),
            "rms_changes": np.array(self.rms_changes, dtype=np.float64),
            **self._solver.state(),
        }
        for table in _TABLES:
            for role, tables in (getattr(self, table) or {}).items():
                fields = tables._asdict().items()
                arrays |= {f"{role}_{table}_{n}": t for n, t in fields if t is not None}
        with atomic_write(file) as opened:
            np.savez(opened, **arrays)

    def resume(self, file: Path) -> None:
        """Go on from what `save` wrote; TableError if it is missing, damaged or outdated."""
        version = "checkpoint", CHECKPOINT_FORMAT
        with open_arrays(
            file, "the checkpoint", version=version, remedy="solve without --resume"
        ) as arrays:
            stored = {name: arrays[name] for name in arrays.files}
            self.turn, self.rms_changes = int(stored["turn"]), stored["rms_changes"].tolist()
            self.stage = int(stored["stage"])
            for table, kind in _TABLES.items():
                starts = {role: f"{role}_{table}_" for role in ROLES}
                restored = {
                    role: {n: stored[start + n] for n in kind._fields if start + n in stored}
                    for role, start in starts.items()
                }
                if any(restored.values()):
                    setattr(
                        self, table, {role: kind(**tables) for role, tables in restored.items()}
                    )
            self._stored = stored


def _statistics(solver: PlaySolver, keeps: KeepDistributions) -> dict[Role, PeggingStatistics]:
    points, pmfs, first = expected_points(solver), joint_pmfs(solver), first_card_values(solver)
    return {
        role: pegging_statistics(keeps, role, points[role], pmfs[role], first[role])
        for role in ROLES
    }


def rms_change(before: PeggingByRole, after: PeggingByRole) -> float:
    """Return by how much net points by class and keep changed, over all deals and both roles."""
    deals = deals_of_classes() / DEALS
    squares = [deals @ ((after[role].net - before[role].net) ** 2).mean(axis=1) for role in ROLES]
    return float(np.sqrt(np.mean(squares)))
