"""How a deal ends the game by the points that both make of it."""

from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats, Index
from cribev.classes.ranking import DiscardValues
from cribev.game.cards import Cards
from cribev.game.roles import Role, opposite_role
from cribev.game.score import MAX_SCORE_BEFORE, SKUNK_LINES, WINNING_SCORE, Score
from cribev.solution.win_table import WinTable


class GameEnds(Protocol):
    """How games may end with each of 15 discards, of many deals of one role against one opponent.

    There are three ways to work it out: `cribev.evaluation.exact.ExactEnds`,
    `cribev.wins.near.NearEnds` and `cribev.wins.far.FarEnds`.
    """

    def ends(
        self,
        columns: Cards,
        classes: Index,
        scores: NDArray[np.integer],
        values: DiscardValues,
        parts: int,
    ) -> Floats:
        """Return how likely games end how, so many of the `Outcomes`, ``(parts, n, 15)``.

        `columns` are cards, each deal ascending, ``(6, n)``; `classes` their numbers; `scores` the
        points of the player and of the opponent, ``(n, 2)``; `values` what the discards are worth
        in points.
        """
        ...


Lines: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""How many points the player, and the opponent, are behind each of `SKUNK_LINES`."""


def skunk_lines(score: Score, role: Role) -> Lines:
    """Tell how far both are behind the lines, 0 or less if they are not."""
    own, other = (tuple(line - points for line in SKUNK_LINES) for points in score.seen_by(role))
    return own, other


def end_chances(win_table: WinTable, role: Role, score: Score, made: tuple[int, int]) -> Floats:
    """Tell how a deal ends by the points each makes of it, if nobody is out before the show.

    `made` is how many numbers of points to tabulate from 0 up. Returns how likely the player wins,
    whether the player gets out, and whether the opponent does, ``(3, own, other)``.
    """
    needs = score.needs(role)
    own, other = np.ogrid[: made[0], : made[1]]
    left, other_left = np.broadcast_arrays(needs[0] - own, needs[1] - other)
    # Pone's hand counts first; then all that the dealer has.
    out = left <= 0 if role == "pone" else (left <= 0) & (other_left > 0)
    beaten = other_left <= 0 if role == "dealer" else (other_left <= 0) & (left > 0)
    now, other_now = (
        np.clip(WINNING_SCORE - need, 0, WINNING_SCORE - 1) for need in (left, other_left)
    )
    later = win_table.win[now, other_now] if role == "pone" else 1 - win_table.win[other_now, now]
    win = np.where(out, 1.0, np.where(beaten, 0.0, later))
    return np.stack([win, out, beaten]).astype(np.float64)


def end_outcomes(win_table: WinTable, role: Role, score: Score, made: tuple[int, int]) -> Floats:
    """Tell how deals end, ``(5, own, other)``, as `Outcomes`, but for skunks by pone's hand."""
    win, out, beaten = end_chances(win_table, role, score, made)
    (own, other), points = score.seen_by(role), np.ogrid[: made[0], : made[1]]
    total = own + points[0], other + points[1]
    now = tuple(np.minimum(some, MAX_SCORE_BEFORE) for some in total)
    found = [win]
    for at, part in enumerate(win_table.outcomes_as(opposite_role(role))[1:]):
        later, line = np.where(out + beaten > 0, 0.0, part[now]), SKUNK_LINES[at % 2]
        if role == "dealer" and at < 2:
            later += out * (total[1] < line)
        if role == "pone" and at >= 2:
            later += beaten * (total[0] < line)
        found.append(later)
    return np.stack(found)
