"""Hands that were counted wrong: whose they were, what was there, and what that cost."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from cribev.game.outcomes import Goal
from cribev.game.roles import opposite_role, role_of
from cribev.game.score import UNKNOWN
from cribev.game.show import Show, explain
from cribev.grades import grading as grades
from cribev.records.record import Record
from cribev.records.tally import tally_deals
from cribev.solution.win_table import WinTable


class Miscount(NamedTuple):
    """A hand, and the crib of a dealer, for which a player got too few points or gave too many."""

    row: int  # the row of `Review.decisions` whose player it cost
    lost: float  # chances to win, or what the game is played for
    own: bool  # whether the hand is that player's
    said: int  # the points it was counted for, with the crib
    there: int  # the points that were there; where suits lack, the nearest that can have been
    shows: tuple[Show, ...]

    @property
    def counted_text(self) -> str:
        """The hand or crib that was counted, and its owner, in words."""
        whose = "" if self.own else "opponent's "
        what = " and ".join("crib" if show.crib else "hand" for show in self.shows)
        return f"{whose}{what} counted for {self.said}: {self.there} were there"


def tabulate_miscounts(record: Record, goal: Goal, table: WinTable | None) -> pd.DataFrame:
    """Return what was lost where the score does not match the cards, one row for each seat.

    ``row`` of the record; ``points``, how much more the cards would have brought, minus the
    opponent's; and ``win``, what that cost, in what the game is played for.
    """
    if table is None:
        return pd.DataFrame({"row": [], "points": [], "win": []})
    counted, after = record.counted, record.scores_after
    rows = np.flatnonzero((counted != UNKNOWN).all(axis=1))
    won = [
        goal(grades.outcomes_at_scores(score[rows], ~record.dealer[rows], table))
        for score in (counted, after)
    ]
    more = (counted - after)[rows]
    points = more[:, 0] - more[:, 1]
    return pd.DataFrame({"row": rows, "points": points, "win": won[0] - won[1]})


def list_miscounts(record: Record, miscounts: pd.DataFrame) -> Iterator[Miscount]:
    """List those of `tabulate_miscounts` that cost a player something, if it is known by whom."""
    costly = miscounts[miscounts["win"] > 0]
    seats = zip(*(record.frame[name] for name in ("game", "deal", "role")), strict=True)
    row_of = {seat: row for row, seat in enumerate(seats)}
    tallies = tally_deals(record) if len(costly) else []
    for number, cost in zip(costly["row"].astype(int), costly["win"], strict=True):
        role, tally = role_of(record.dealer[number]), tallies[number]
        own = (tally[role].other or 0) < 0
        whose = role if own else opposite_role(role)
        there = row_of.get((*record.frame[["game", "deal"]].iloc[number], whose))
        if not tally[whose].other or there is None:
            continue
        deal = record.deal(there)
        shows = [explain(deal.held(whose).kept, deal.starter)]
        if whose == "dealer":
            theirs = record.opponent_discards[there].tolist()
            shows.append(explain([*deal.dealer.discard, *theirs], deal.starter, crib=True))
        points = tally[whose].hand + tally[whose].crib
        said = points + (tally[whose].other or 0)
        yield Miscount(number, float(cost), own, said, points, tuple(shows))
