"""The last points of a game, where experts discard and peg to win, and the table they lead to.

The win table comes from deals between experts who count points. At a score where both need few, it
is solved who wins if both discard and peg to win. Scores only rise, so the highest are solved
first, and a score begins with the discards of those next to it.

The table is made of what that gains the dealer, beside the same deal by points: gains change little
from score to score, so that some are solved, and those between are interpolated. They go into all
the scores before.

A deal in which a jack is cut is played from a score at which the dealer has two points more.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cribev.classes.canonical import Floats
from cribev.errors import TableError
from cribev.game.roles import ROLES, Role
from cribev.game.score import HEELS, WINNING_SCORE
from cribev.solution.play import KeepFrequencies, any_suits
from cribev.solution.solution import DAMAGE
from cribev.solution.win_table import WinTable
from cribev.solving.playouts import DealtCounts
from cribev.solving.race import (
    OutcomeCounts,
    WinGains,
    before_cut,
    chance_after_deal,
    no_gains,
    solve_race,
    solve_win_table,
)
from cribev.solving.score_solver import ScoreSolution, ScoreSolver
from cribev.system.files import atomic_write

_FEW = range(1, 7)
NEEDS_SOLVED = (
    *product(_FEW, (*_FEW, 8)),
    *product((2, 4, 6), (12, 18)),
    *product((8, 12), (*_FEW, 8, 12)),
    *product((12,), (18, 25)),
    *product((18,), (1, 2, 3, 4, 6, 8, 12, 18, 25)),
    *product((25,), (4, 8, 12, 18, 25)),
)
"""What pone and the dealer need where the play is solved to win: closest where most is gained."""

_NOTHING_GAINED = 31
"""Who needs so much is far enough from the end for points to be what wins."""

_INTERPOLATED = 0.04  # how far off a part is between solved ones, along pone's needs
_SMALL = 1e-3  # what is at stake where the game is decided: little is gained there
_JACK_CUT = 1 / 13  # how often a jack is cut
_CHANCES = ScoreSolution._fields[:3]
_Needs = tuple[int, int]  # pone's and the dealer's


def solve_last_points(
    dealt: DealtCounts,
    frequencies: Mapping[Role, KeepFrequencies],
    *,
    report: Callable[[str], None],
    stop: Callable[[], bool] = lambda: False,
    checkpoint: Path | None = None,
    needs_solved: Iterable[_Needs] = NEEDS_SOLVED,
    threads: int = 2,
) -> WinTable:
    """Solve the scores from which pone and the dealer need so much, and the table with that.

    What is solved is written to the ``checkpoint`` after each score, and what stands there is not
    solved again. When ``stop`` says so, raise KeyboardInterrupt once a score is done.
    """
    counts, solver = before_cut(*dealt), ScoreSolver(frequencies, threads=threads)
    summed = [OutcomeCounts(*(table.sum(axis=0) for table in some)) for some in (*dealt, counts)]
    found = load_scores(checkpoint) if checkpoint and checkpoint.exists() else {}
    gains: dict[_Needs, _Gain] = {}
    for needs in sorted(needs_solved, key=sum):
        win = solve_race(counts, _gains_table(gains))
        anew = needs not in found
        if anew:
            found[needs] = solver.solve(needs, win, _kept_nearby(found, needs))
        gains[needs] = _gain(found[needs], summed, needs, win, gains)
        if anew:
            if checkpoint:
                save_scores(found, checkpoint)
            report(
                f"{WINNING_SCORE - needs[1]}-{WINNING_SCORE - needs[0]}: discards and play to win, "
                f"the dealer wins {found[needs].win:.4f} if no jack is cut, error "
                f"{found[needs].error:.4f}"
            )
            if stop():
                raise KeyboardInterrupt
    return solve_win_table(counts, _gains_table(gains))


class _Gain(NamedTuple):
    """What is gained at a score, as in `WinGains`."""

    part: float
    error: float
    jack: float
    """How much likelier the dealer wins if a jack is cut and the dealer needs so much after it."""


def _gain(
    solution: ScoreSolution,
    summed: Iterable[OutcomeCounts],
    needs: _Needs,
    win: Floats,
    gains: Mapping[_Needs, _Gain],
) -> _Gain:
    """Compare a solution with points, by counts of deals without a jack, with one, and of all."""
    no_jack, jack, whole = (chance_after_deal(*counts, needs, win) for counts in summed)
    gained, after_jack = solution.win - no_jack, 0.0
    pone, dealer = needs
    if dealer > HEELS:  # else a jack wins at once
        before = gains.get((pone, dealer - HEELS))
        after_jack = gained if before is None else before.jack
    gained = (1 - _JACK_CUT) * gained + _JACK_CUT * after_jack
    stake = max(whole * (1 - whole), _SMALL)
    return _Gain(gained / stake, solution.error / stake, solution.win_after_heels - jack)


def _gains_table(gains: Mapping[_Needs, _Gain]) -> WinGains:
    """Interpolate what is gained."""
    table = no_gains()
    if not gains:
        return table
    part, error = (
        _between({needs: getattr(gain, name) for needs, gain in gains.items()})
        for name in ("part", "error")
    )
    apart = _INTERPOLATED * _between(dict.fromkeys(gains, 1.0))
    apart[tuple(np.transpose(list(gains)) - 1)] = 0
    score = WINNING_SCORE - np.arange(1, _NOTHING_GAINED)
    scores = score, score[:, None]
    table.part[scores], table.error[scores] = part, np.hypot(error, apart)
    table.known[scores] = True
    return table


def _between(known: Mapping[_Needs, float]) -> Floats:
    """Interpolate between solved scores, and to nothing where a player needs 31, ``(30, 30)``.

    By what pone needs, from 1, and the dealer. Along pone's needs it changes least, so these are
    the first to go by; and the last, for what is beyond all that is solved.
    """
    table = np.full((_NOTHING_GAINED, _NOTHING_GAINED), np.nan)
    table[tuple(np.transpose(list(known)) - 1)] = list(known.values())
    for column in table.T:
        _fill(column)
    for row in table:
        if np.isfinite(row).any():
            row[-1] = 0
            _fill(row)
    table[-1] = 0
    for column in table.T:
        _fill(column)
    return table[:-1, :-1]


def _fill(line: Floats) -> None:
    """Put in what is missing, but for what is beyond the last known."""
    known = np.flatnonzero(np.isfinite(line))
    if known.size:
        line[: known[-1]] = np.interp(np.arange(known[-1]), known, line[known])


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
    except DAMAGE as error:
        reason = "it is damaged, or of another kind"
        raise TableError(f"cannot read the solved scores {file}: {reason}") from error


def _kept_nearby(
    found: Mapping[_Needs, ScoreSolution], needs: _Needs
) -> dict[Role, KeepFrequencies] | None:
    """Average what is kept at the solved scores next to this one, where either needs less."""
    less = [
        max(
            (one for one in found if one[role] < needs[role] and one[1 - role] == needs[1 - role]),
            default=None,
        )
        for role in range(2)
    ]
    near = [found[one] for one in less if one is not None]
    if not near:
        return None
    return {
        role: reduce(
            lambda one, other: mixed_frequencies(one, other, 1 / len(near)),
            [solution.frequencies[role] for solution in near],
        )
        for role in ROLES
    }


def mixed_frequencies(
    one: KeepFrequencies, another: KeepFrequencies, part: float
) -> KeepFrequencies:
    """Keep by another so often, and else by one."""
    return KeepFrequencies(*((1 - part) * a + part * b for a, b in zip(one, another, strict=True)))
