"""Games against each opponent, and what decided them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from cribev.game.score import UNKNOWN, WINNING_SCORE
from cribev.game.words import format_points, printable
from cribev.grades.summary import lost_in_all
from cribev.grades.totals import CUT_LUCK, CUT_SD, Totals
from cribev.records.record import Record
from cribev.rows.names import CUT_COLUMNS, OPPONENT_COLUMNS


def games_by_player(games: pd.DataFrame, record: Record) -> list[dict[str, Any]]:
    """List games as plain values: a row for each game and player.

    Takes `Review.games`. Each row has the ``game``, the ``player``, the ``opponent``, empty if not
    recorded; the last ``score``, the player's points first; the number of ``deals``; points
    ``lost`` in a deal, where points decide; ``cut_luck`` and ``cut_sd``. None for what is not known
    of every deal.
    """
    last = record.frame.groupby(["game", "player"], sort=False)["deal"].idxmax()
    rows = list[dict[str, Any]]()
    for game in games.to_dict(orient="records"):
        row, deals = last[game["game"], game["player"]], int(game["decisions"])
        score = record.scores_after[row].tolist()
        known = game[f"{CUT_LUCK}_deals"] == deals
        rows.append(
            {
                **{name: str(game[name]) for name in ("game", "player")},
                "opponent": str(record.opponents[row]),
                "score": None if UNKNOWN in score else score,
                "deals": deals,
                "lost": lost_in_all(game, "points") / deals,
                **{name: float(game[name]) if known else None for name in CUT_COLUMNS},
            }
        )
    return rows


def tabulate_opponents(games: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Add up games, rows of `games_by_player`, by player and opponent: `OPPONENT_COLUMNS`."""
    frame = pd.DataFrame(
        games, columns=["player", "opponent", "score", "deals", "lost", *CUT_COLUMNS]
    )
    known = [score or (np.nan, np.nan) for score in frame["score"]]
    scores = pd.DataFrame(known, columns=["own", "theirs"], dtype=np.float64)
    lead = (scores["own"] - scores["theirs"]).where(scores.max(axis=1) == WINNING_SCORE)
    luck, sd = (frame[name].astype(np.float64) for name in CUT_COLUMNS)
    counted = lead.notna() & luck.notna()
    columns = {
        "games": 1,
        "won": (lead > 0).where(lead.notna()),
        "lost": (lead < 0).where(lead.notna()),
        "ahead": lead,
        "deals": frame["deals"],
        "lost_a_deal": frame["lost"] * frame["deals"],
        CUT_LUCK: luck,
        CUT_SD: sd**2,
        "cut_games": counted,
        "cut_decided": counted & ((lead > 0) != (lead > luck)),
    }
    by = [frame["player"], frame["opponent"]]
    grouped = pd.DataFrame(columns, index=frame.index).groupby(by, sort=False)
    table = grouped.sum(min_count=1).astype({"games": int, "won": "Int64", "lost": "Int64"})
    table["ahead"], table["ahead_se"] = grouped["ahead"].mean(), grouped["ahead"].sem()
    table["lost_a_deal"] /= table["deals"]
    table[CUT_SD] **= 0.5
    return table.reset_index()[[*OPPONENT_COLUMNS]]


OPPONENT_HEADINGS = [
    *("against", "games", "won–lost", "points ahead", "±", "lost a deal"),
    *("luck of cuts", "±", "it decided"),
]
OPPONENT_NOTE = (
    "Luck of cuts: hands, crib and heels less their average over all cards that could have come,\n"
    "± one standard deviation. It decided a game if it was more than the winner's lead."
)


def opponent_cells(row: Totals) -> list[str]:
    """Write what a row of `tabulate_opponents` says, below `OPPONENT_HEADINGS`."""
    return [
        printable(row["opponent"]) or "?",
        str(row["games"]),
        "" if np.isnan(row["ahead"]) else f"{row['won']}–{row['lost']}",
        format_points(row["ahead"], 1, sign=True),
        format_points(row["ahead_se"], 1),
        format_points(row["lost_a_deal"]),
        format_points(row[CUT_LUCK], 1, sign=True),
        format_points(row[CUT_SD], 1),
        f"{row['cut_decided']} of {row['cut_games']}" if row["cut_games"] else "",
    ]
