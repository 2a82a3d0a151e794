"""The ways in which a deal ends the game, by the points of both players."""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats, Index
from cribev.game.outcomes import Outcomes
from cribev.game.roles import Role, opposite_role
from cribev.game.score import MAX_SCORE_BEFORE, SKUNK_LINES, WINNING_SCORE, Score, skunks
from cribev.solution.win_table import WinTable

Lines: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Distances in points of the player, and of the opponent, behind each of `SKUNK_LINES`."""

WON, LOST = (2, 1, 0), (3, 4, 5)
"""The places in `Outcomes` of a win and of a loss, with the loser behind none, one or two lines."""


def skunk_lines(score: Score, role: Role) -> Lines:
    """Return how far both are behind the lines, 0 or less if they are not."""
    own, other = (tuple(line - points for line in SKUNK_LINES) for points in score.seen_by(role))
    return own, other


def lines_behind(points: Index, lines: tuple[int, ...]) -> Index:
    """Count the skunk lines that a player has not passed, by points made and distances before."""
    behind = np.zeros_like(points)
    for line in lines:
        behind += points < line
    return behind


class DealEnds(NamedTuple):
    """The ends of deals by the points that both players make, if nobody is out before the show."""

    now: Floats
    """Chances of each end of the game with the deal, as `Outcomes`, ``(6, own, other)``, but for
    games that pone's hand ends: by how much the dealer had before it, those end in a skunk."""
    later: Floats  # and how likely after it, likewise
    by_pone: NDArray[np.bool_]  # whether pone is out by the hand, ``(own, other)``

    @classmethod
    def of(cls, win_table: WinTable, role: Role, score: Score, most: tuple[int, int]) -> "DealEnds":
        """Tabulate them by the points, from 0 up, that both players make at a score."""
        starts = score.seen_by(role)
        ranges = (slice(start, start + n) for start, n in zip(starts, most, strict=True))
        points = np.ogrid[tuple(ranges)]
        own, other = (np.minimum(scores, MAX_SCORE_BEFORE) for scores in points)
        pone, dealer = points if role == "pone" else points[::-1]
        by_pone = np.broadcast_to(pone >= WINNING_SCORE, most)
        by_dealer = ~by_pone & (dealer >= WINNING_SCORE)
        over = Outcomes.over(role == "dealer", skunks(pone))
        outcomes = win_table.outcomes_as(opposite_role(role))
        later = [np.where(by_pone | by_dealer, 0.0, chances[own, other]) for chances in outcomes]
        return cls(np.stack([chances * by_dealer for chances in over]), np.stack(later), by_pone)

    def nested(self, role: Role) -> Floats:
        """Return how likely the game is won, and of that by skunks, and lost by them, now or later.

        ``(5, own, other)``, as `Outcomes.of_nested` takes them; but for skunks by pone's hand.
        """
        both = Outcomes(*(self.now + self.later))
        skunks = both.skunk, both.double_skunk, both.skunked, both.double_skunked
        return np.stack([self.win(role), *skunks])

    def win(self, role: Role) -> Floats:
        """Return how likely the player of a role wins, now or later, ``(own, other)``."""
        chances: Floats = self.now[:3].sum(axis=0) + self.later[:3].sum(axis=0)
        return chances + self.by_pone if role == "pone" else chances
