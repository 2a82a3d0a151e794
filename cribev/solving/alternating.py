"""Discards and play solved in turn: each on what the other has come to, until neither moves.

The discards respond to the worth of the play, the play to the keeps the discards lead to. The
regrets of the play are kept from turn to turn, and its averages, which count late rounds most. Some
deals go round in circles, as in matching pennies: the play goes by the keeps of turns on average.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats, canonical_deals
from cribev.classes.class_tables import CribAverages, best_response
from cribev.classes.enumeration import DEALS
from cribev.errors import TableError
from cribev.files.atomic import atomic_write
from cribev.game.roles import ROLES, Role
from cribev.solved.play import ExpectedPegging, PeggingStatistics, SolvedPlay, on_pegging_grid
from cribev.solved.solution import Solution
from cribev.solving.cfr import KeepBeliefs, PlaySolver
from cribev.solving.discards import iterate_best_responses, solve_discards
from cribev.solving.keep_distributions import KeepDistributions, keep_frequencies
from cribev.solving.play_leanings import leanings
from cribev.solving.playouts import DEALS as RACE_DEALS
from cribev.solving.playouts import estimate_win_table

GOAL = 0.005
"""Points a deal that may be left to gain in the play, and by how much its worth may still move."""

CHECKPOINT_FORMAT = 1
"""Of a checkpoint; another is refused."""

STRETCH = 6
"""Rounds between looks at what is left to gain, and between checkpoints."""

_SETTLED = 20_000  # deals that may still change between turns: one in two thousand
_DISCARDS = 12  # rounds of discards between turns; there is no end where they go in circles
_FIRST_GOAL, _SECOND_GOAL = 0.1, 0.05
_FINER = 4  # the play is solved to this part of what its worth moved by

Worths: TypeAlias = dict[Role, ExpectedPegging]


class Stretch(NamedTuple):
    """How far it has come."""

    turn: int
    rounds: int
    """Rounds of the play, of all turns."""
    exploitability: float
    """Points a deal both could gain by other play."""


class AlternatingSolver:
    """Discards and play in turn.

    Parameters
    ----------
    report
        Told what was done, to show progress.
    goal
        Points a deal that may be left to gain in the play.
    checkpoint
        Where to leave all after each stretch, if anywhere.
    threads
        How many walk at once.
    race_deals
        How many deals the race to 121 is solved from.
    """

    def __init__(
        self,
        report: Callable[[str], None],
        *,
        goal: float = GOAL,
        checkpoint: Path | None = None,
        threads: int | None = None,
        race_deals: int = RACE_DEALS,
    ) -> None:
        self.report, self.goal, self.checkpoint = report, goal, checkpoint
        self.race_deals = race_deals
        self.threads = threads or os.cpu_count() or 1
        self.turn = 0
        self.moved: list[float] = []
        self.worth: Worths | None = None
        self.cribs: dict[Role, CribAverages] | None = None
        self._solver: PlaySolver | None = None
        self._meetings: KeepDistributions | None = None
        self._stored: dict[str, NDArray[Any]] = {}

    def run(
        self, *, rounds: int | None = None, stop: Callable[[], bool] = lambda: False
    ) -> Solution:
        """Solve until neither moves, or so many rounds of the play are done.

        Raises
        ------
        KeyboardInterrupt
            When asked to stop, once the round is done and the checkpoint written.
        OSError
            If the checkpoint cannot be written.
        """
        if self.cribs is None:
            self._settle(None)
        while True:
            meetings = self._meetings = self._meet(self._meetings)
            solver, done = self.solver(meetings), False
            while not done:
                left = self._stretch(solver, rounds, stop)
                done = left <= self._turn_goal() or (rounds is not None and solver.rounds >= rounds)
            before, self.worth = self.worth, self._worth(solver, meetings)
            if before is not None:
                self.moved.append(moved_by(before, self.worth))
                self.report(f"turn {self.turn}: the play's worth moved by {self.moved[-1]:.4f}")
            self.turn += 1
            settled = bool(self.moved) and self.moved[-1] <= GOAL and left <= self.goal
            if settled or (rounds is not None and solver.rounds >= rounds):
                return self._solution(rounds, stop)
            self._settle({role: self.worth[role].net for role in ROLES})

    def solver(self, meetings: KeepDistributions) -> PlaySolver:
        """Return the solver of the play, on the keeps as they now meet."""
        keeps = KeepBeliefs(*meetings.kept_and_faces())
        if self._solver is None:
            self._solver = PlaySolver(keeps, threads=self.threads)
            if self._stored:
                self._solver.restore(self._stored)
                self._stored = {}
        else:
            self._solver.set_keeps(keeps)
        return self._solver

    def _meet(self, before: KeepDistributions | None = None) -> KeepDistributions:
        assert self.cribs is not None
        policies = {role: best_response(self.cribs[role], role=role) for role in ROLES}
        return KeepDistributions(policies, before=before)

    def _settle(self, net: Mapping[Role, Floats] | None) -> None:
        settled = iterate_best_responses(
            worth=net, start=self.cribs, enough=_SETTLED, rounds=_DISCARDS
        )
        self.cribs = settled.cribs
        last = settled.history[-1]
        self.report(
            f"turn {self.turn}: discards, {last.number} rounds, {last.changed:,} of {DEALS:,} "
            "deals changed in the last"
        )

    def _turn_goal(self) -> float:
        if self.turn < 2:
            return max(self.goal, (_FIRST_GOAL, _SECOND_GOAL)[self.turn])
        return min(_SECOND_GOAL, max(self.goal, self.moved[-1] / _FINER))

    def _stretch(self, solver: PlaySolver, rounds: int | None, stop: Callable[[], bool]) -> float:
        stopped = False
        for _ in range(STRETCH):
            if rounds is not None and solver.rounds >= rounds:
                break
            solver.round()
            if stopped := stop():
                break
        if not stopped:
            left = solver.exploitability()
            self.report(
                f"turn {self.turn}: {solver.rounds} rounds of the play, both together could gain "
                f"{left:.4f} points a deal"
            )
        if self.checkpoint is not None:
            self.save(self.checkpoint)
        if stopped:
            raise KeyboardInterrupt
        return left

    def _worth(self, solver: PlaySolver, meetings: KeepDistributions) -> Worths:
        points = solver.pegs()
        worth: Worths = {}
        for role in ROLES:
            own, opponent = (
                on_pegging_grid(meetings.worth(table, role=role)) for table in points[role]
            )
            worth[role] = ExpectedPegging(own, opponent)
        return worth

    def _solution(self, rounds: int | None, stop: Callable[[], bool]) -> Solution:
        """Sum up: the discards once more to the end, and the play on what they then keep."""
        assert self.worth is not None
        play = SolvedPlay(self.worth, {}, None, 0.0, 0, self.moved)
        solution = solve_discards(play=play, start=self.cribs)
        self.cribs = dict(solution.cribs)
        meetings = self._meet()
        solver = self.solver(meetings)
        left = solver.exploitability()
        while left > self.goal and (rounds is None or solver.rounds < rounds):
            left = self._stretch(solver, rounds, stop)
        points, chances, lean = solver.pegs(), solver.peg_chances(), leanings(solver)
        first = solver.first_cards()
        keeps: dict[Role, PeggingStatistics] = {}
        for role in ROLES:
            faces, (own, opponent) = meetings.faces[role], points[role]
            keeps[role] = PeggingStatistics(
                meetings.kept[role],
                (faces * own).sum(axis=1),
                (faces * opponent).sum(axis=1),
                *chances[role],
                *first[role],
                lean[role],
            )
        policies = solution.policies()
        keeping = {role: keep_frequencies(policies[role]) for role in ROLES}
        self.report(f"both together could gain {left:.4f} points a deal by other play")
        play = play._replace(
            statistics=keeps, keep_frequencies=keeping, exploitability=left, rounds=solver.rounds
        )
        race = estimate_win_table(solver, policies, deals=self.race_deals)
        self.report(
            f"the race to 121, from {race.deals:,} deals: first dealer wins {race.win[0, 0]:.4f}, "
            f"standard errors up to {race.error.max():.2g}"
        )
        return solution._replace(play=play, win_table=race)

    def save(self, file: Path) -> None:
        """Write all that is needed to go on, whole or not at all (1.5 GB)."""
        assert self._solver is not None
        assert self.cribs is not None
        arrays: dict[str, Any] = {
            "checkpoint": np.array(CHECKPOINT_FORMAT),
            "turn": np.array(self.turn),
            "moved": np.array(self.moved, dtype=np.float64),
            **self._solver.state(),
        }
        for role in ROLES:
            cribs = self.cribs[role]
            arrays |= {
                f"{role}_{name}": table
                for name, table in cribs._asdict().items()
                if table is not None
            }
            if self.worth is not None:
                arrays |= {f"{role}_worth_{n}": t for n, t in self.worth[role]._asdict().items()}
        with atomic_write(file) as opened:
            np.savez(opened, **arrays)

    def resume(self, file: Path) -> None:
        """Go on from what `save` wrote.

        Raises
        ------
        TableError
            If the file is missing, damaged, or of another version.
        """
        try:
            with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
                if "checkpoint" not in stored:
                    raise TableError(f"{file} is not a checkpoint of cribev solve")
                if int(stored["checkpoint"]) != CHECKPOINT_FORMAT:
                    raise TableError(
                        f"{file} has version {int(stored['checkpoint'])}, "
                        f"this one goes on from {CHECKPOINT_FORMAT}"
                    )
                self._read({name: stored[name] for name in stored.files})
        except TableError:
            raise
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            raise TableError(
                f"cannot read the checkpoint {file}: {reason or 'it is damaged, or none'}"
            ) from error

    def _read(self, stored: dict[str, NDArray[Any]]) -> None:
        self.turn, self.moved = int(stored["turn"]), stored["moved"].tolist()
        self.cribs = {
            role: CribAverages(
                stored[f"{role}_ranks"],
                stored[f"{role}_flush"],
                stored[f"{role}_jacks"],
                stored[f"{role}_nobs"],
                stored.get(f"{role}_play"),
            )
            for role in ROLES
        }
        if f"{ROLES[0]}_worth_own" in stored:
            self.worth = {
                role: ExpectedPegging(
                    *(stored[f"{role}_worth_{name}"] for name in ExpectedPegging._fields)
                )
                for role in ROLES
            }
        self._stored = stored


def moved_by(before: Worths, after: Worths) -> float:
    """By how much the worth of a class and keep moved: root mean square over deals and roles.

    Examples
    --------
    >>> from cribev.classes.canonical import CLASSES
    >>> flat = ExpectedPegging(np.zeros((CLASSES, 15)), np.zeros((CLASSES, 15)))
    >>> higher = ExpectedPegging(flat.own + 0.5, flat.opponent)
    >>> round(moved_by(dict.fromkeys(ROLES, flat), dict.fromkeys(ROLES, higher)), 9)
    0.5
    """
    forms = canonical_deals()
    deals = np.bincount(forms.classes, forms.deals) / forms.deals.sum()
    squares = [deals @ ((after[role].net - before[role].net) ** 2).mean(axis=1) for role in ROLES]
    return float(np.sqrt(np.mean(squares)))
