"""One sentence on a player's games: who won and how, what errors cost, and what luck did."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from cribev.game.score import UNKNOWN, WINNING_SCORE, skunks
from cribev.game.words import (
    MANY_GAMES,
    WINS,
    format_points,
    format_win_total,
    join_words,
    pluralize,
)
from cribev.grades.grading import GIVEN_UP, WIN_CHANGE
from cribev.grades.totals import Totals

_WON = ("", ", a skunk", ", a double skunk")
_LOST = ("", ", skunked", ", double skunked")
_LOSSES = {"win": ("win_loss", "win_play_lost"), "points": ("loss", "play_lost")}
_CHANGES = {"win": WIN_CHANGE, "points": "result"}
_GIVEN_UP = [step.name for step in GIVEN_UP]


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
    laid = totals[cards] if totals.get(f"{cards}_deals") else 0.0
    return float(totals[discards] + laid)


def summary_text(
    totals: Totals,
    opponents: Sequence[Totals],
    scores: Iterable[Sequence[int]],
    worth: str = WINS,
    *,
    miscounts: float = 0.0,
    unknown: bool = False,
) -> str:
    """Say in one sentence how a player's games ended, what errors cost, and what luck did.

    Takes a row of `Review.players`, the rows of `Review.games` for the opponents in these games
    (none if one is not known), and the last score of each game, the player's points first. All is
    in chances to win, or what they are ``worth`` in another unit, if known for every deal; else in
    points. In chances to win, ``miscounts`` are what wrong counts cost; if some are ``unknown``,
    they are part of luck. Luck includes what the opponent's errors brought, which the sentence says
    if known.
    """
    last = [tuple(map(int, score)) for score in scores]
    unit = "win" if _knows(totals, "win") else "points"
    lost = lost_in_all(totals, unit)
    write: Callable[[float], str] = format_points
    of = " points"
    if unit == "win":
        of = f" {win_unit(len(last), worth)}"
        write = partial(format_win_total, games=len(last), unit=worth)
    parts = [f"errors cost {f'{write(lost)}{of}' if round(lost, 3) else 'nothing'}"]
    if unit == "points" and totals.get("by_wins"):
        near = float(totals["win_loss_mean"]) * totals["by_wins"]
        wins = format_win_total(near, len(last), worth)
        parts[0] += (
            f" where points decide, discards {wins} {win_unit(len(last), worth)} near the end"
        )
    if _knows(totals, unit):
        luck = float(totals[_CHANGES[unit]]) + lost
        if unit == "points":
            luck += sum(float(np.nan_to_num(totals.get(name, 0.0))) for name in _GIVEN_UP)
        if unit == "win" and round(miscounts, 3):
            luck += miscounts
            does = "cost" if miscounts > 0 else "brought"
            parts.append(f"miscounts {does} {write(abs(miscounts))}")
        errors = sum(lost_in_all(one, unit) for one in opponents if _knows(one, unit))
        told = bool(opponents) and all(_knows(one, unit) for one in opponents)
        causes = ["luck"]
        causes += ["miscounts"] * (unknown and unit == "win")
        causes += ["the opponent’s errors"] if not told else []
        what = join_words(causes, "and")
        text = f"{what} {'brought' if luck > 0 else 'cost'} {write(abs(luck))}"
        if told and round(errors, 3):
            if luck > 0:
                text += f", the opponent’s errors of {write(errors)} included"
            else:
                text += f", though the opponent gave back {write(errors)}"
        parts.append(text)
    return f"{totals['player']} {_ended(totals, last)}: {', '.join(parts)}."


def _knows(totals: Totals, unit: str) -> bool:
    """Return whether the result of every deal is known."""
    return bool(totals.get(f"{_CHANGES[unit]}_deals", 0) == totals["decisions"])


def win_unit(games: int, unit: str) -> str:
    """Name the unit of wins in a number of games: ``of the game``."""
    if unit != WINS:
        return unit
    return "of the game" if games == 1 else "of one game" if games < MANY_GAMES else "games"


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
