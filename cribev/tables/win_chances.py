"""Tables of chances to win from each score, and of par.

By default, they use the shipped solution whose discards count the play. If a solution is for the
show alone, what needs the play raises TableError.
"""

from __future__ import annotations

from typing import overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from rich.text import Text

from cribev.classes.canonical import Floats
from cribev.errors import CribevError, TableError, quote
from cribev.game.cards import is_masked
from cribev.game.outcomes import SHOWN_SKUNKS, Outcomes
from cribev.game.roles import Role, as_role, opposite_role, role_words
from cribev.game.score import MAX_SCORE_BEFORE, WINNING_SCORE, Score, ScoreLike, as_score
from cribev.game.stakes import WIN_STAKES, Stakes, StakesLike
from cribev.solution.solution import Solution, load
from cribev.solution.win_table import Par, WinTable
from cribev.tables.listing import Cell, Listing

_STEPS = (5, 10)  # points between the scores of a chart, on a wide terminal and on another


def win_table_of(solution: Solution | None = None) -> WinTable:
    """Return the win table of a solution."""
    table = (solution or load(play=True)).win_table
    if table is None:
        raise TableError("the solution is for the show alone: the race to 121 is not in it")
    return table


@overload
def win_probability(
    score: ScoreLike, *, role: str | None = None, solution: Solution | None = None
) -> float: ...
@overload
def win_probability(*, dealer: int, pone: int, solution: Solution | None = None) -> float: ...
@overload
def win_probability(
    *, dealer: ArrayLike, pone: ArrayLike, solution: Solution | None = None
) -> Floats: ...
def win_probability(
    score: ScoreLike | None = None,
    *,
    role: str | None = None,
    dealer: ArrayLike | None = None,
    pone: ArrayLike | None = None,
    solution: Solution | None = None,
) -> float | Floats:
    """Return how likely you win a game to 121 from a score before the deal, or the dealer does.

    Both discard and play like experts: for points, or to win near the end of a game. Otherwise, the
    other player wins. The chance is estimated from ten million deals, with a standard error of less
    than 0.0006. Where `WinTable.to_win` says so, it comes from discards and play solved for this
    score, or for nearby scores, and may be 0.01 off.

    Parameters
    ----------
    score
        Your points before the deal and the opponent's, each 0..120, such as ``"95-110"`` or
        ``(95, 110)``: the chance is then yours.
    role
        ``"dealer"`` or ``"pone"``: what you are in the next deal; None if a star in the score says
        who deals, as ``"95*-110"``.
    dealer, pone
        Instead of a score, points 0..120, whole numbers or arrays of them of any shapes that
        broadcast: ``(n,)`` and ``(n,)``, or ``(n, 1)`` and ``(m,)`` for a table ``(n, m)``. Masked
        arrays are refused. The chance is then the dealer's.
    solution
        The solved game; the shipped one if none is given.

    Returns
    -------
    A probability, or float64 of the broadcast shape.

    Raises
    ------
    CribevError
        If the score or the role is invalid; if points are not whole numbers from 0 to 120 or are
        masked, or shapes do not broadcast; or if there is not either a score or both points.
    TableError
        If the solution is for the show alone.

    Examples
    --------
    >>> round(win_probability("0-0", role="dealer"), 2)
    0.56
    >>> round(win_probability((83, 90), role="pone"), 2), round(win_probability("83-90*"), 2)
    (0.24, 0.24)
    >>> win_probability(dealer=[100, 115], pone=[100, 115]).round(1)
    array([0.8, 0.3])
    >>> win_probability(dealer=[[100], [115]], pone=[90, 100, 110]).shape
    (2, 3)
    >>> win_probability(dealer=121, pone=60)
    Traceback (most recent call last):
    cribev.errors.CribevError: dealer's score 121 is not a whole number from 0 to 120
    """
    if score is not None and dealer is None and pone is None:
        whose = as_role(Score.role_by_star(score, role))
        points = Score.read(score, whose).seen_by(whose)
        return float(win_table_of(solution).wins_as(whose)[points])
    if score is not None or role is not None or dealer is None or pone is None:
        raise CribevError("expected either a score and a role, or the points of dealer and of pone")
    scores = _scores("dealer", dealer), _scores("pone", pone)
    try:
        rows, columns = np.broadcast_arrays(*scores)
    except ValueError as error:
        raise CribevError(
            f"scores of shapes {scores[0].shape} and {scores[1].shape} do not broadcast"
        ) from error
    win: Floats = win_table_of(solution).win[rows, columns]
    return win if win.ndim else float(win)


def _scores(whose: str, points: ArrayLike) -> NDArray[np.intp]:
    shown = quote(points if isinstance(points, str) else repr(points))
    expected = f"is not a whole number from 0 to {MAX_SCORE_BEFORE}"
    if is_masked(points):
        raise CribevError(f"{whose}'s scores have masked values: leave those out")
    try:
        scores = np.asarray(points)
    except ValueError as error:
        raise CribevError(f"{whose}'s score {shown} {expected}") from error
    if scores.size and scores.dtype.kind not in "ui":
        raise CribevError(f"{whose}'s score {shown} {expected}")
    wrong = (scores < 0) | (scores > MAX_SCORE_BEFORE)
    if wrong.any():
        raise CribevError(f"{whose}'s score {scores[wrong].flat[0]} {expected}")
    return scores.astype(np.intp)


def win_probability_table(
    *, role: Role = "dealer", solution: Solution | None = None
) -> pd.DataFrame:
    """Tabulate the dealer's chance to win, its error, and which scores are solved to win.

    Against a fallible opponent, who deals matters: `role` is yours.
    """
    dealer, pone = np.indices((WINNING_SCORE, WINNING_SCORE))
    table = win_table_of(solution)
    return pd.DataFrame(
        {
            "dealer_score": dealer.ravel(),
            "pone_score": pone.ravel(),
            **{
                f"{name}_dealer": chance.ravel()
                for name, chance in table.dealer_outcomes(role).to_dict().items()
                if name != "lose"
            },
            "error": table.standard_error.ravel(),
            "to_win": table.to_win.ravel(),
        }
    )


def win_chance(
    score: str,
    role: Role | None = None,
    *,
    stakes: Stakes = WIN_STAKES,
    opponent: str = "expert",
    solution: Solution | None = None,
) -> Listing:
    """Look up one score: the role's points come first, or else the dealer's, or as a star says."""
    whose = as_role(Score.role_by_star(score, role) or "dealer")
    other = opposite_role(whose)
    try:
        as_score(score)
    except CribevError:
        first = role or "dealer"
        raise CribevError(
            f"invalid score {quote(score)}: expected {role_words(first)}'s points and "
            f"{role_words(opposite_role(first))}'s, each from 0 to {MAX_SCORE_BEFORE}, as 95-110"
        ) from None
    pone, dealer = points = Score.read(score, whose)
    own, opponents = place = points.seen_by(whose)
    wins = win_table_of(solution)
    par, winner = wins.par(points, whose, stakes.value), role_words(whose)
    ends = Outcomes(*(chances[place] for chances in wins.outcomes_as(whose)))
    table = win_probability_table(role=whose, solution=solution)
    table = table.iloc[[dealer * WINNING_SCORE + pone]]
    known = {name: pd.array([value], dtype="Int64") for name, value in par.to_dict().items()}
    table = table.assign(role=whose, **known)
    worth = ""
    if stakes.goal:
        table = table.assign(value=stakes.value(ends))
        worth = f"Worth {stakes.value(ends):.3f} to {winner}, {stakes.text}."
    error, to_win = (table.iloc[0][name] for name in ("error", "to_win"))
    both_to_win = f"if both play to win; about {error:.1%} off"
    sure = both_to_win if to_win else f"standard error {error:.3%}"
    title = f"{whose} {own}, {other} {opponents} before the deal: "
    title += f"{winner} wins {ends.win:.1%}, {sure}"
    sides = ("skunks", ends.skunk), ("is skunked", ends.skunked)
    told_of = [f"{does} {often:.1%}" for does, often in sides if often > SHOWN_SKUNKS]
    skunks = f"Of all games {winner} {' and '.join(told_of)}." if told_of else ""
    told = role is not None or "*" in score
    note = "the dealer's points stand first: with --role pone, pone's" if not told else ""
    return Listing(title, (), (), table, [par.text, worth, skunks, _against(opponent), note])


def _against(opponent: str) -> str:
    return "" if opponent == "expert" else f"opponent: {opponent}"


COLVERT_HOLES = {26: 18, 52: 44, 78: 70, 104: 96}
"""Points from which the dealer is still first to 121 by averages, by pone's points before the deal,
if both make 26 in two deals: 18 and four times 26 are 122. DeLynn Colvert, tips 11 to 16
(http://www.cribbage.org/tips/colvert11.asp)."""


def par(
    score: ScoreLike,
    *,
    role: str | None = None,
    stakes: StakesLike | None = None,
    solution: Solution | None = None,
) -> Par:
    """Say which score of yours would make the game even, and how far you are ahead of it.

    Parameters
    ----------
    score
        Your points before the deal and the opponent's, each 0..120, such as ``(83, 64)`` or
        ``"83-64"``.
    role
        ``"dealer"`` or ``"pone"``: what you are in the next deal; None if a star in the score says
        who deals.
    stakes
        What the game is played for, as for `cribev.advise`.
    solution
        The solved game; the shipped one if none is given.

    Returns
    -------
    A `Par`: ``even``, the points with which your chance to win is nearest to one half, or the game
    worth most nearly as much to both by the stakes; ``ahead``, how many more you have; ``win``,
    your chance; ``text``, which says it. ``even`` and ``ahead`` are None where no score is even:
    you win more at 0, or less at 120.

    Raises
    ------
    CribevError
        If the score, the role or the stakes are invalid.
    TableError
        If the solution is for the show alone.

    Examples
    --------
    >>> par("83-64", role="dealer").text
    'You are 21 points ahead of par: even would be 62 as dealer.'
    >>> par((100, 108), role="pone").ahead, par("100-108*").ahead
    (-10, -10)
    """
    player = as_role(Score.role_by_star(score, role))
    return win_table_of(solution).par(Score.read(score, player), player, Stakes.read(stakes).value)


def par_listing(
    role: Role,
    *,
    stakes: Stakes = WIN_STAKES,
    opponent: str = "expert",
    solution: Solution | None = None,
) -> Listing:
    """List which score is even as a role, for each of the opponent's, beside `COLVERT_HOLES`."""
    wins = win_table_of(solution)
    scores = [Score.of(0, other, role) for other in range(WINNING_SCORE)]
    pars = [wins.par(score, role, stakes.value) for score in scores]
    even, chances = [par.even for par in pars], wins.wins_as(role)
    holes = COLVERT_HOLES if role == "dealer" else {}
    table = pd.DataFrame(
        {
            "role": role,
            "opponent_score": range(WINNING_SCORE),
            "even": pd.array(even, dtype="Int64"),
            "win": [
                np.nan if own is None else chances[own, other] for other, own in enumerate(even)
            ],
            "colvert": pd.array(list(map(holes.get, range(WINNING_SCORE))), dtype="Int64"),
        }
    )
    rows: list[list[Cell]] = [
        [Text(f"{tens:3}", style="bold"), *("-" if own is None else str(own) for own in row)]
        for tens, row in (
            (first, even[first : first + 10]) for first in range(0, WINNING_SCORE, 10)
        )
    ]
    notes = [f"rows and columns are {role_words(opposite_role(role))}'s score: tens and ones"]
    notes += [f"stakes {stakes.text}"] if stakes.goal else []
    notes.append(_against(opponent))
    if None in even:
        notes.append("- where no score is even")
    if holes:
        ours = ", ".join("-" if even[other] is None else str(even[other]) for other in holes)
        others, theirs = (", ".join(map(str, row)) for row in (holes, holes.values()))
        notes.append(f"Colvert's holes, with pone at {others}: {theirs}; even here: {ours}")
    title = f"which score is even before the deal as {role}"
    return Listing(title, ("", *map(str, range(10))), rows, table, notes)


def win_chart(
    role: Role = "dealer",
    *,
    stakes: Stakes = WIN_STAKES,
    opponent: str = "expert",
    solution: Solution | None = None,
) -> Listing:
    """Chart how likely a role wins, in percent, or what a game is worth, at some of the scores."""
    wins, narrow = win_table_of(solution), None
    table = win_probability_table(role=role, solution=solution)
    error = 100 * float(np.where(wins.to_win, 0, wins.standard_error).max())
    whose = role_words(role)
    notes = [f"rows {whose}'s score, columns {role_words(opposite_role(role))}'s; "]
    notes[0] += f"{wins.deals:,} deals, standard error at most {error:.2f}"
    notes.append(_against(opponent))
    title, form = f"how likely {whose} wins from a score before the deal, percent", "3.0f"
    worth, shades = 100 * wins.wins_as(role), wins.wins_as(role)
    if stakes.goal:
        title, form = f"what the game is worth to {whose} from a score before the deal", "5.2f"
        worth = stakes.value(wins.outcomes_as(role))
        table["value"] = (worth if role == "dealer" else worth.T).ravel()
        notes.append(f"stakes {stakes.text}")
        most, least = stakes.worth.won_by_two, stakes.worth.lost_by_two
        shades = (worth - least) / (most - least)
    for step in reversed(_STEPS):
        scores = range(0, WINNING_SCORE, step)
        rows: list[list[Cell]] = []
        for own in scores:
            rows.append([Text(f"{own:3}", style="bold")])
            shown = zip(worth[own, ::step].tolist(), shades[own, ::step].tolist(), strict=True)
            rows[-1].extend((f"{number:{form}}", shade) for number, shade in shown)
        narrow = Listing(title, ("", *map(str, scores)), rows, table, notes, narrow=narrow)
    assert narrow is not None
    return narrow
