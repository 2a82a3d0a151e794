"""A player's games: in one sentence who won, how, and by what; and by opponent."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from cribev.game.score import UNKNOWN, WINNING_SCORE, skunks
from cribev.game.words import (
    MANY_GAMES,
    WINS,
    format_points,
    format_win_total,
    join_words,
    pluralize,
    printable,
)
from cribev.grades.grading import GIVEN_UP, WIN_CHANGE
from cribev.grades.totals import CUT_LUCK, CUT_SD, Totals
from cribev.opponents.habits import HABITS
from cribev.records.record import Record
from cribev.rows.names import CUT_COLUMNS, OPPONENT_COLUMNS, WIN_PLAY_COLUMN

_WON = ("", ", a skunk", ", a double skunk")
_LOST = ("", ", skunked", ", double skunked")
_LOSSES = {"win": ("win_loss", "win_play_lost"), "points": ("loss", "play_lost")}
_CHANGES = {"win": WIN_CHANGE, "points": "result"}
_GIVEN_UP = [step.name for step in GIVEN_UP]
_POINT_A_DEAL = 0.43
"""Standard deviations of a game's result that a point a deal is worth. By the win table, a point is
worth 0.0195 of a game between equals, over some 9 deals; so `people`, who lose 0.7 points a deal,
lose 61.8 games of a hundred to an expert, where playouts say 61.7, `benchmarks.people`."""


def result_text(own: int, opponent: int) -> str:
    """Say who won and how, of the last score: ``lost 75–121, skunked``; empty if nobody has.

    >>> result_text(75, 121), result_text(121, 60), result_text(80, 90)
    ('lost 75–121, skunked', 'won 121–60, a double skunk', '')
    """
    if WINNING_SCORE not in (own, opponent):
        return ""
    won, behind = own == WINNING_SCORE, skunks(min(own, opponent))
    return f"{'won' if won else 'lost'} {own}–{opponent}{(_WON if won else _LOST)[behind]}"


def lost_in_all(totals: Totals, unit: str) -> float:
    """Add up what discards and cards lost in a row of totals, in ``"win"`` or ``"points"``.

    In points, only decisions that points decide count.
    """
    discards, cards = _LOSSES[unit]
    played = totals[cards] if totals.get(f"{cards}_deals") else 0.0
    return float(totals[discards] + played)


def games_lost(loss: float, level: str = "club") -> float:
    """Return the games of a hundred that these points in each deal lose to a level.

    Both play on average as they are measured, and a game's result is taken as normal.

    >>> round(games_lost(0.15), 1)
    2.5
    """
    ahead, win = HABITS[level].loses, NormalDist().cdf
    return 100 * (win(_POINT_A_DEAL * ahead) - win(_POINT_A_DEAL * (ahead - loss)))


def skill_text(player: str, rate: Totals, later: str) -> str:
    """Say what a player loses a deal, by a row of error rates, and when the next leak is certain.

    >>> rate = {"decision": "deal", "loss_mean": 0.15, "loss_mean_se": 0.02}
    >>> skill_text("You", rate, "9 more games until the second leak is certain")
    'You lose 0.15 ± 0.02 points a deal, some 2 games of a hundred against club; 9 more games until
    the second leak is certain.'
    """
    games = round(games_lost(rate["loss_mean"]))
    cost = f"some {pluralize(games, 'game')}" if games else "less than one game"
    loss, error = (format_points(rate[name]) for name in ("loss_mean", "loss_mean_se"))
    by = "" if rate["decision"] == "deal" else " by discards"
    told = f"{player} {'lose' if player == 'You' else 'loses'} {loss} ± {error} points a deal{by}"
    return f"{told}, {cost} of a hundred against club{f'; {later}' * bool(later)}."


def summary_text(
    totals: Totals,
    opponents: Sequence[Totals],
    scores: Iterable[Sequence[int]],
    worth: str = WINS,
    *,
    miscounts: float = 0.0,
    unknown: bool = False,
) -> str:
    """Say in one sentence how a player's games ended, and what made the result.

    Takes a row of `Review.players`, the rows of `Review.games` for the opponents in these games
    (none if one is not known), and the last score of each game, the player's points first. All is
    in chances to win, or what they are ``worth`` in another unit, if known for every deal; else in
    points. The player's errors, the opponent's and the cards add up to the result, as printed.
    In chances to win, ``miscounts`` are what wrong counts cost; if some are ``unknown``, they stay
    with the cards, as do the opponent's errors where these are not known.
    """
    last = [tuple(map(int, score)) for score in scores]
    unit = "win" if _knows(totals, "win") else "points"
    lost = lost_in_all(totals, unit)
    write: Callable[..., str] = format_points
    of, digits = " points", 2
    if unit == "win":
        of, digits = f" {win_unit(len(last), worth)}", 2 if len(last) >= MANY_GAMES else 3
        write = partial(format_win_total, games=len(last), unit=worth)
    parts = [f"errors cost {f'{write(lost)}{of}' if round(lost, digits) else 'nothing'}"]
    if unit == "points" and totals.get("by_wins"):
        near = {"discards": float(totals["win_loss_mean"]) * totals["by_wins"]}
        if played := float(np.nan_to_num(totals.get(WIN_PLAY_COLUMN, 0.0))):
            near["cards"] = played
        wins = [f"{name} {format_win_total(lost, len(last), worth)}" for name, lost in near.items()]
        of_games = win_unit(len(last), worth)
        parts[0] += f" where points decide, {join_words(wins, 'and')} {of_games} near the end"
    if not _knows(totals, unit):
        return f"{totals['player']} {_ended(totals, last)}: {parts[0]}."
    change = round(float(totals[_CHANGES[unit]]), digits)
    cards = change + round(lost, digits)
    given_up = sum(float(np.nan_to_num(totals.get(name, 0.0))) for name in _GIVEN_UP)
    if unit == "points" and round(given_up, digits):
        cards += round(given_up, digits)
        parts.append(f"points given up to win {write(given_up)}")
    if unit == "win" and round(miscounts, digits):
        cards += round(miscounts, digits)
        parts.append(_gain_text("miscounts", -miscounts, write))
    causes = ["the cards"] + ["miscounts"] * (unknown and unit == "win")
    if opponents and all(_knows(others, unit) for others in opponents):
        errors = round(sum(lost_in_all(others, unit) for others in opponents), digits)
        cards -= errors
        parts.append(_gain_text("the opponent’s errors", errors, write))
    else:
        causes.append("the opponent’s errors")
    parts.append(_gain_text(join_words(causes, "and"), cards, write))
    parts[-1] += f"; {write(change, sign=True)} in all"
    return f"{totals['player']} {_ended(totals, last)}: {', '.join(parts)}."


def _gain_text(cause: str, gain: float, write: Callable[..., str]) -> str:
    """Say what something brought a player, or cost."""
    return f"{cause} {'cost' if gain < 0 else 'brought'} {write(abs(gain))}"


def _knows(totals: Totals, unit: str) -> bool:
    """Return whether the result of every deal is known."""
    return bool(totals[f"{_CHANGES[unit]}_deals"] == totals["decisions"])


def win_unit(games: int, unit: str) -> str:
    """Name the unit of wins in a number of games: ``of the game``."""
    if unit != WINS:
        return unit
    if games == 1:
        return "of the game"
    return "of one game" if games < MANY_GAMES else "games"


def _ended(totals: Totals, last: Sequence[Sequence[int]]) -> str:
    """Say how games ended, as far as it is known."""
    ends = [end for end in (result_text(own, opponent) for own, opponent in last) if end]
    if not ends:
        if len(last) > 1 or UNKNOWN in last[0]:
            return f"discarded {pluralize(totals['decisions'], 'hand')}"
        return f"reached {last[0][0]}–{last[0][1]} after {pluralize(totals['decisions'], 'deal')}"
    if len(last) == 1:
        return ends[0]
    won, by_skunk = (sum(word in end for end in ends) for word in ("won", ", a "))
    games = f"{pluralize(len(ends), 'game')}{' known to the end' * (len(ends) < len(last))}"
    return f"won {won} of {games}{f', {by_skunk} by a skunk' * bool(by_skunk)}"


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
