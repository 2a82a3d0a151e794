"""The last points of a game, where experts discard and peg to win, and the table they lead to.

The win table comes from deals between experts who count points. At a score where both need few, it
is solved who wins if both discard and peg to win. Scores only rise, so the highest are solved
first, and a score begins with the discards of those next to it. What comes out goes into all the
scores before.

A deal in which a jack is cut is played from a score at which the dealer has two points more.
"""

from collections.abc import Callable, Mapping
from functools import reduce
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from cribev.errors import TableError
from cribev.files.atomic import atomic_write
from cribev.game.roles import ROLES, Role
from cribev.game.score_notation import HEELS, WINNING_SCORE
from cribev.solved.play import KeepFrequencies
from cribev.solved.win_table import WinTable
from cribev.solving.race import OutcomeCounts, nothing_solved, solve_win_table
from cribev.solving.score_solver import ScoreSolution, ScoreSolver, any_suits

MOST_NEEDED = 5
"""The play is solved to win where neither player needs more."""

_JACKS = 1 / 13  # how often a jack is cut
_CHANCES = ScoreSolution._fields[:3]


def solve_last_points(
    counts: OutcomeCounts,
    frequencies: Mapping[Role, KeepFrequencies],
    *,
    report: Callable[[str], None],
    stop: Callable[[], bool] = lambda: False,
    checkpoint: Path | None = None,
    most: int = MOST_NEEDED,
    threads: int = 2,
) -> WinTable:
    """Solve every score from which neither needs more than ``most``, and the table with that.

    What is solved is written to the ``checkpoint`` after each score, and what stands there is not
    solved again. When ``stop`` says so, raise KeyboardInterrupt once a score is done.
    """
    solver, solved = ScoreSolver(frequencies, threads=threads), nothing_solved()
    found = load_scores(checkpoint) if checkpoint and checkpoint.exists() else {}
    for total in range(2, 2 * most + 1):
        win = solve_win_table(counts, solved).win
        for pone in range(max(1, total - most), min(most, total - 1) + 1):
            needs = pone, total - pone
            score = WINNING_SCORE - needs[1], WINNING_SCORE - pone
            anew = needs not in found
            if anew:
                found[needs] = solver.solve(needs, win, _kept_nearby(found, needs))
            solved.win[score], solved.error[score] = _with_heels(found, needs)
            if anew:
                if checkpoint:
                    save_scores(found, checkpoint)
                report(
                    f"{score[0]}-{score[1]}: discards and play to win, the dealer wins "
                    f"{solved.win[score]:.4f}, error {solved.error[score]:.4f}"
                )
                if stop():
                    raise KeyboardInterrupt
    return solve_win_table(counts, solved)


def save_scores(found: Mapping[tuple[int, int], ScoreSolution], file: Path) -> None:
    """Write what was solved by needs, whole or not at all; `load_scores` reads it."""
    arrays: dict[str, Any] = {"needs": np.array(list(found), dtype=np.int64)}
    for name in _CHANCES:
        arrays[name] = np.array([getattr(solution, name) for solution in found.values()])
    for role in ROLES:
        shares = [solution.frequencies[role].share for solution in found.values()]
        arrays[f"{role}_share"] = np.array(shares, dtype=np.float32)
    with atomic_write(file) as opened:
        np.savez(opened, **arrays)


def load_scores(file: Path) -> dict[tuple[int, int], ScoreSolution]:
    """Read what `save_scores` wrote; TableError if it cannot be read."""
    try:
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        needs, found = arrays["needs"].tolist(), {}
        for at, (pone, dealer) in enumerate(needs):
            chances = [float(arrays[name][at]) for name in _CHANCES]
            shares = {role: arrays[f"{role}_share"][at].astype(np.float64) for role in ROLES}
            kept = {role: any_suits(share) for role, share in shares.items()}
            found[pone, dealer] = ScoreSolution(chances[0], chances[1], chances[2], kept)
        return found
    except (OSError, ValueError, LookupError, EOFError, BadZipFile) as error:
        reason = "it is damaged, or of another kind"
        raise TableError(f"cannot read the solved scores {file}: {reason}") from error


def _kept_nearby(
    found: Mapping[tuple[int, int], ScoreSolution], needs: tuple[int, int]
) -> dict[Role, KeepFrequencies] | None:
    """Average what is kept where either needs a point less."""
    pone, dealer = needs
    near = [found[some] for some in ((pone - 1, dealer), (pone, dealer - 1)) if some in found]
    if not near:
        return None
    return {
        role: reduce(
            lambda one, other: mixed_frequencies(one, other, 1 / len(near)),
            [solution.frequencies[role] for solution in near],
        )
        for role in ROLES
    }


def _with_heels(
    found: Mapping[tuple[int, int], ScoreSolution], needs: tuple[int, int]
) -> tuple[float, float]:
    """Return how likely the dealer wins before the cut, and the error."""
    pone, dealer = needs
    win, error = 1.0, 0.0
    if dealer > HEELS:
        after = found[pone, dealer - HEELS]
        win, error = after.win_after_heels, after.error
    here = found[needs]
    return (
        (1 - _JACKS) * here.win + _JACKS * win,
        (1 - _JACKS) * here.error + _JACKS * error,
    )


def mixed_frequencies(
    one: KeepFrequencies, another: KeepFrequencies, part: float
) -> KeepFrequencies:
    """Keep by another so often, and else by one."""
    return KeepFrequencies(*((1 - part) * a + part * b for a, b in zip(one, another, strict=True)))
