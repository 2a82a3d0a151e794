"""Chances to win from each score, the score at which a game is even, and the ends of deals."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats, Index
from cribev.game.index_tables import read_only
from cribev.game.outcomes import Goal, Outcomes, wins_of
from cribev.game.roles import Role, opposite_role
from cribev.game.score import MAX_SCORE_BEFORE, SKUNK_LINES, WINNING_SCORE, Score, skunks
from cribev.solution.solved_play import PROBABILITY_PARTS
from cribev.system.cache import Arrays

ERROR_PARTS = 1e6  # errors are stored in millionths

_NOWHERE = read_only(np.zeros((WINNING_SCORE, WINNING_SCORE), dtype=np.bool_))


class Par(NamedTuple):
    """The score at which a game is even, for given points of the opponent's."""

    role: Role  # the player's role in the next deal
    own: int  # the player's points
    opponent: int  # the opponent's
    win: float  # how likely the player wins
    lead: float  # what the game is worth to the player less what it is worth to the opponent
    even: int | None
    """The points of the player's own with which the game is worth most nearly as much to both; None
    where it is worth more to the player at 0, or to the opponent at 120."""

    @property
    def ahead(self) -> int | None:
        """The points that the player is ahead of that, below 0 behind."""
        return None if self.even is None else self.own - self.even

    @property
    def words(self) -> str:
        """Say where the player stands: ``21 points ahead of par (62)``."""
        return self._place + ("" if self.even is None else f" ({self.even})")

    @property
    def _place(self) -> str:
        ahead = self.ahead
        if ahead == 0:
            return "at par"
        side = "ahead of" if self.lead > 0 else "behind"
        points = f"{abs(ahead)} point{'s' * (abs(ahead) > 1)} " if ahead else ""
        return f"{points}{side} par"

    @property
    def text(self) -> str:
        """Say where the player stands, and what would be even."""
        even = "below 0" if self.lead > 0 else "beyond 120"
        even = even if self.even is None else str(self.even)
        told = f"{even} is even" if self.ahead == 0 else f"even would be {even}"
        return f"You are {self._place}: {told} as {self.role}."

    def to_dict(self) -> dict[str, Any]:
        """Return what is even and how far ahead the player is, ready for JSON."""
        return {"even": self.even, "ahead": self.ahead}


class WinTable(NamedTuple):
    """Chances to win from each score: between two experts, or of you against a fallible opponent.

    Experts play for points, and the last points of a game to win. Against a fallible opponent, both
    play for points.
    """

    outcomes: Outcomes[Floats]
    """The chances of each end of the game for the dealer, by your score and pone's before the deal,
    ``(121, 121)`` each."""
    standard_error: Floats
    """``(121, 121)``; of what is solved to win, what is left to gain counts as an error too, and
    what interpolation misses."""
    deals: int  # how many deals it is from
    to_win: NDArray[np.bool_] = _NOWHERE
    """The scores at which discards and play to win count, solved there or for scores beside,
    ``(121, 121)``."""
    pone_outcomes: Outcomes[Floats] | None = None
    """The same if you are pone, by your score and the dealer's; None between equals."""

    @property
    def win(self) -> Floats:
        """The chances that the dealer wins, by dealer's and pone's score, ``(121, 121)``."""
        return self.outcomes.win

    def outcomes_as(self, role: Role) -> Outcomes[Floats]:
        """Return how the game may end for the player of a role, by own and the opponent's score."""
        if role == "dealer":
            return self.outcomes
        return self.pone_outcomes or Outcomes(*(chances.T for chances in self.outcomes.turned))

    def dealer_outcomes(self, role: Role) -> Outcomes[Floats]:
        """Return how the game may end as the dealer sees it, by dealer's and pone's score.

        You have the role; between equals it is the same for both.
        """
        seen = self.outcomes_as(role)
        return seen if role == "dealer" else Outcomes(*(chances.T for chances in seen.turned))

    def wins_as(self, role: Role) -> Floats:
        """Return how likely the player of a role wins, by own and by the opponent's score."""
        if role == "pone" and self.pone_outcomes is None:
            return 1 - self.win.T
        return self.outcomes_as(role).win

    def par(self, score: Score, role: Role, goal: Goal = wins_of) -> Par:
        """Say what is even at a score, as the player of a role sees it."""
        own, opponents = score.seen_by(role)
        ends = Outcomes(*(chances[:, opponents] for chances in self.outcomes_as(role)))
        leads = goal(ends) - goal(ends.turned)
        even = int(abs(leads).argmin()) if leads[0] <= 0 <= leads[-1] else None
        return Par(role, own, opponents, float(ends.win[own]), float(leads[own]), even)


def win_table_from_arrays(arrays: Arrays) -> WinTable:
    """Read a win table; raise KeyError or ValueError if it is not there."""
    shape = WINNING_SCORE, WINNING_SCORE
    error = arrays["win_table_standard_error"] / ERROR_PARTS
    if error.shape != shape:
        raise ValueError(f"a win table of shape {error.shape}")
    to_win = np.unpackbits(arrays["win_table_to_win"], count=error.size).reshape(shape) == 1
    pone = _outcomes(arrays, "pone_") if "pone_win_table_win" in arrays else None
    deals = int(arrays["win_table_deals"])
    return WinTable(_outcomes(arrays, ""), error, deals, to_win, pone)


def _outcomes(arrays: Arrays, prefix: str) -> Outcomes[Floats]:
    win = arrays[f"{prefix}win_table_win"].astype(np.int64)
    skunks = arrays[f"{prefix}win_table_skunks"].astype(np.int64)
    tables = np.concatenate([win.reshape(1, *win.shape[-2:]), skunks])
    if tables.shape != (5, WINNING_SCORE, WINNING_SCORE):
        raise ValueError(f"outcomes of shape {tables.shape}")
    win, skunk, twice, skunked, lost_twice = tables
    won = twice, skunk - twice, win - skunk
    lost = PROBABILITY_PARTS - win - skunked, skunked - lost_twice, lost_twice
    return Outcomes(*(chances / PROBABILITY_PARTS for chances in (*won, *lost)))


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
