"""Games against each opponent."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from cribev.game.score import UNKNOWN, WINNING_SCORE
from cribev.game.words import format_points, printable
from cribev.grades.summary import lost_in_all
from cribev.grades.totals import Totals
from cribev.records.record import Record
from cribev.rows.names import OPPONENT_COLUMNS


def games_by_player(games: pd.DataFrame, record: Record) -> list[dict[str, Any]]:
    """List games as plain values: a row for each game and player.

    Takes `Review.games`. Each row has the ``game``, the ``player``, the ``opponent``, empty if not
    recorded; the last ``score``, the player's points first; the number of ``deals``; and points
    ``lost`` in a deal, where points decide. A score that is not known is None.
    """
    last = record.frame.groupby(["game", "player"], sort=False)["deal"].idxmax()
    rows = list[dict[str, Any]]()
    for one in games.to_dict(orient="records"):
        row, deals = last[one["game"], one["player"]], int(one["decisions"])
        score = record.scores_after[row].tolist()
        rows.append(
            {
                **{name: str(one[name]) for name in ("game", "player")},
                "opponent": str(record.opponents[row]),
                "score": None if UNKNOWN in score else score,
                "deals": deals,
                "lost": lost_in_all(one, "points") / deals,
            }
        )
    return rows


def tabulate_opponents(games: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Add up games, rows of `games_by_player`, by player and opponent: `OPPONENT_COLUMNS`."""
    frame = pd.DataFrame(games, columns=["player", "opponent", "score", "deals", "lost"])
    known = [one or (np.nan, np.nan) for one in frame["score"]]
    scores = pd.DataFrame(known, columns=["own", "theirs"], dtype=np.float64)
    lead = (scores["own"] - scores["theirs"]).where(scores.max(axis=1) == WINNING_SCORE)
    columns = {
        "games": 1,
        "won": (lead > 0).where(lead.notna()),
        "lost": (lead < 0).where(lead.notna()),
        "ahead": lead,
        "deals": frame["deals"],
        "lost_a_deal": frame["lost"] * frame["deals"],
    }
    by = [frame["player"], frame["opponent"]]
    grouped = pd.DataFrame(columns, index=frame.index).groupby(by, sort=False)
    found = grouped.sum(min_count=1).astype({"games": int, "won": "Int64", "lost": "Int64"})
    found["ahead"], found["ahead_se"] = grouped["ahead"].mean(), grouped["ahead"].sem()
    found["lost_a_deal"] /= found["deals"]
    return found.reset_index()[[*OPPONENT_COLUMNS]]


OPPONENT_HEADINGS = ["against", "games", "won–lost", "points ahead", "±", "lost a deal"]


def opponent_cells(row: Totals) -> list[str]:
    """Write what a row of `tabulate_opponents` says, below `OPPONENT_HEADINGS`."""
    return [
        printable(row["opponent"]) or "?",
        str(row["games"]),
        "" if np.isnan(row["ahead"]) else f"{row['won']}–{row['lost']}",
        format_points(row["ahead"], 1, sign=True),
        format_points(row["ahead_se"], 1),
        format_points(row["lost_a_deal"]),
    ]
