"""How likely the dealer wins a game to 121, from every score before the deal.

Without a solution it is the shipped one; one for the show alone is refused with TableError.
"""

from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.classes.canonical import Floats
from cribev.errors import CribevError, TableError, quote
from cribev.game import render
from cribev.game.cards import is_masked
from cribev.game.score import MAX_SCORE_BEFORE, WINNING_SCORE, as_score
from cribev.solution.solution import Solution, load
from cribev.solution.win_table import WinTable

_STEPS = (5, 10)  # points between the scores of a chart, on a wide terminal and on another
_WIDE = 104


def win_table_of(solution: Solution | None = None) -> WinTable:
    """Return the win table of a solution.

    >>> table = win_table_of()
    >>> table.deals, bool(table.to_win[120, 120]), bool(table.to_win[60, 60])
    (10000000, True, False)
    """
    table = (solution or load(play=True)).win_table
    if table is None:
        raise TableError("the solution is for the show alone: the race to 121 is not in it")
    return table


@overload
def win_probability(*, dealer: int, pone: int, solution: Solution | None = None) -> float: ...
@overload
def win_probability(
    *, dealer: ArrayLike, pone: ArrayLike, solution: Solution | None = None
) -> Floats: ...
def win_probability(
    *, dealer: ArrayLike, pone: ArrayLike, solution: Solution | None = None
) -> float | Floats:
    """Return how likely the dealer wins a game to 121 from a score before the deal.

    Both discard and play as experts: for points, and for the last points of a game to win; pone
    wins otherwise. It is estimated from ten million deals, with a standard error of less than
    0.0006. Where `WinTable.to_win` says so, it is from discards and play solved for the score too,
    or for scores beside it, and may be 0.01 off.

    Parameters
    ----------
    dealer, pone
        Scores 0..120, whole numbers or arrays of them of any shapes that broadcast: ``(n,)`` and
        ``(n,)``, or ``(n, 1)`` and ``(m,)`` for a table ``(n, m)``. Masked arrays are refused.
    solution
        The solved game; the shipped one if none is given.

    Returns
    -------
    A probability, or float64 of the broadcast shape.

    Raises
    ------
    CribevError
        If a score is not a whole number from 0 to 120 or is masked, or shapes do not broadcast.
    TableError
        If the solution is for the show alone.

    Examples
    --------
    >>> round(win_probability(dealer=0, pone=0), 2)
    0.56
    >>> win_probability(dealer=[100, 115], pone=[100, 115]).round(1)
    array([0.8, 0.3])
    >>> win_probability(dealer=[[100], [115]], pone=[90, 100, 110]).shape
    (2, 3)
    >>> win_probability(dealer=121, pone=60)
    Traceback (most recent call last):
    cribev.errors.CribevError: dealer's score 121 is not a whole number from 0 to 120
    """
    scores = _scores("dealer", dealer), _scores("pone", pone)
    try:
        rows, columns = np.broadcast_arrays(*scores)
    except ValueError as error:
        raise CribevError(
            f"scores of shapes {scores[0].shape} and {scores[1].shape} do not broadcast"
        ) from error
    win: Floats = win_table_of(solution).win[rows, columns]
    return win if win.ndim else float(win)


def _scores(whose: str, given: ArrayLike) -> NDArray[np.intp]:
    shown = quote(given if isinstance(given, str) else repr(given))
    expected = f"is not a whole number from 0 to {MAX_SCORE_BEFORE}"
    if is_masked(given):
        raise CribevError(f"{whose}'s scores have masked values: leave those out")
    try:
        scores = np.asarray(given)
    except ValueError as error:
        raise CribevError(f"{whose}'s score {shown} {expected}") from error
    if scores.size and scores.dtype.kind not in "ui":
        raise CribevError(f"{whose}'s score {shown} {expected}")
    wrong = (scores < 0) | (scores > MAX_SCORE_BEFORE)
    if wrong.any():
        raise CribevError(f"{whose}'s score {scores[wrong].flat[0]} {expected}")
    return scores.astype(np.intp)


def win_probability_table(*, solution: Solution | None = None) -> pd.DataFrame:
    """Tabulate how likely the dealer wins, how far off that may be, and where it is solved to win.

    There are 14,641 rows ``dealer_score, pone_score, win_dealer, error, to_win``.

    >>> table = win_probability_table()
    >>> table.query("dealer_score == pone_score == 70")["win_dealer"].round(1).tolist()
    [0.6]
    >>> bool(table.query("not to_win")["error"].max() < 0.0006)
    True
    """
    dealer, pone = np.indices((WINNING_SCORE, WINNING_SCORE))
    table = win_table_of(solution)
    columns: dict[str, Any] = {
        "dealer_score": dealer.ravel(),
        "pone_score": pone.ravel(),
        "win_dealer": table.win.ravel(),
        "error": table.standard_error.ravel(),
        "to_win": table.to_win.ravel(),
    }
    return pd.DataFrame(columns)


@dataclass(frozen=True, eq=False)
class WinChance(render.Displayable):
    """How likely the dealer wins from one score before the deal."""

    dealer_score: int
    pone_score: int
    win_table: WinTable

    @property
    def table(self) -> pd.DataFrame:
        """The row of `win_probability_table`.

        >>> win_chance("95-110").table.columns.tolist()
        ['dealer_score', 'pone_score', 'win_dealer', 'error', 'to_win']
        """
        at, table = (self.dealer_score, self.pone_score), self.win_table
        columns = {
            "dealer_score": at[0], "pone_score": at[1], "win_dealer": table.win[at],
            "error": table.standard_error[at], "to_win": table.to_win[at],
        }  # fmt: skip
        return pd.DataFrame(columns, index=[0])

    @property
    def _error(self) -> str:
        at = self.dealer_score, self.pone_score
        error = self.win_table.standard_error[at]
        if self.win_table.to_win[at]:
            return f"if both play to win; about {error:.1%} off"
        return f"standard error {error:.3%}"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        at = self.dealer_score, self.pone_score
        yield Text(
            f"dealer {at[0]}, pone {at[1]} before the deal: the dealer wins "
            f"{self.win_table.win[at]:.1%}, {self._error}"
        )


def win_chance(score: str, *, solution: Solution | None = None) -> WinChance:
    """Look one score up: the dealer's points first, or a star where the dealer's are.

    >>> print(win_chance("85-81*"))
    dealer 81, pone 85 before the deal: the dealer wins 44.6%, standard error 0.036%
    >>> win_chance("95-121")
    Traceback (most recent call last):
    cribev.errors.CribevError: '95-121' is not a score: expected the dealer's points and pone's,
    each from 0 to 120, as 95-110
    """
    try:
        first, second = as_score(score)
    except CribevError:
        raise CribevError(
            f"{quote(score)} is not a score: expected the dealer's points and pone's, "
            f"each from 0 to {MAX_SCORE_BEFORE}, as 95-110"
        ) from None
    scores = (second, first) if score.strip().endswith("*") else (first, second)
    return WinChance(*scores, win_table_of(solution))


@dataclass(frozen=True, eq=False)
class WinChart(render.Displayable):
    """How likely the dealer wins, in percent, at some of the scores."""

    table: WinTable

    @property
    def _sampling_error(self) -> float:
        return float(np.where(self.table.to_win, 0, self.table.standard_error).max())

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text("how likely the dealer wins from a score before the deal, percent", style="bold")
        yield Text(
            f"rows dealer's score, columns pone's; {self.table.deals:,} deals, standard error at "
            f"most {100 * self._sampling_error:.2f}",
            style="dim",
        )
        step = _STEPS[0] if options.max_width >= _WIDE else _STEPS[1]
        scores = range(0, WINNING_SCORE, step)
        chart = render.table(console, ("", "right"), *((f"{score}", "right") for score in scores))
        for dealer in scores:
            cells = (float(self.table.win[dealer, pone]) for pone in scores)
            chart.add_row(
                Text(f"{dealer}", style="bold"),
                *(render.heat(console, f"{100 * cell:3.0f}", cell) for cell in cells),
            )
        yield chart
