"""How a player does against each level, over the games that are stored."""

from collections.abc import Iterable
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from cribev.game.score import SKUNK_LINES
from cribev.games.levels import LEVELS


class Result(NamedTuple):
    """What came of one game."""

    level: str
    won: bool
    resigned: bool
    score: tuple[int, int]  # the player's points first


class Standing(NamedTuple):
    """How a player does against a level; an error is a standard error."""

    level: str
    games: int
    won: float  # the share of the games
    won_error: float
    margin: float | None  # points ahead, on average; games given up do not count
    margin_error: float | None  # None of fewer than two
    skunks: int  # games won by a skunk
    skunked: int


def duplicate_text(results: Iterable[tuple[Result, tuple[int, int]]]) -> str:
    """Say how games went beside an expert with the same cards; empty without any."""
    played = list(results)
    if not played:
        return ""
    if len(played) == 1:
        ((own, expert),) = played
        won = "resigned at" if own.resigned else "won" if own.won else "lost"
        does = "won" if expert[0] > expert[1] else "lost"
        return (
            f"You {won} {own.score[0]}–{own.score[1]}, and the expert with your cards {does} "
            f"{expert[0]}–{expert[1]}"
        )
    wins = [sum(one.won for one, _ in played), sum(own > theirs for _, (own, theirs) in played)]
    ended = [(one.score[0], expert[0]) for one, expert in played if not one.resigned]
    ahead = fmean(own - expert for own, expert in ended) if ended else 0.0
    where = f"; on average you are {abs(ahead):.1f} points {'ahead' if ahead > 0 else 'behind'}"
    return f"You won {wins[0]} of {len(played)}, and the expert {wins[1]} with your cards" + (
        where if ended else ""
    )


def standings(results: Iterable[Result]) -> list[Standing]:
    """Add results up by level, the weakest first.

    The error of a share is that of two games more won and two more lost (Agresti and Coull 1998),
    so that a few games in a row do not seem certain.

    >>> games = (Result("club", True, False, (121, 80)), Result("club", False, False, (99, 121)))
    >>> (found,) = standings(games)
    >>> found.won, round(found.won_error, 2), found.margin, found.skunks, found.skunked
    (0.5, 0.2, 9.5, 1, 0)
    """
    played = list(results)
    found = []
    for level in LEVELS:
        games = [one for one in played if one.level == level]
        if not games:
            continue
        wins, number = sum(one.won for one in games), len(games)
        near = (wins + 2) / (number + 4)
        ended = [one for one in games if not one.resigned]
        margins = [one.score[0] - one.score[1] for one in ended]
        skunks = [one.won for one in ended if min(one.score) < SKUNK_LINES[0]]
        found.append(
            Standing(
                level,
                number,
                wins / number,
                sqrt(near * (1 - near) / (number + 4)),
                fmean(margins) if margins else None,
                stdev(margins) / sqrt(len(margins)) if len(margins) > 1 else None,
                sum(skunks),
                len(skunks) - sum(skunks),
            )
        )
    return found
