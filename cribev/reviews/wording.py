"""Verdicts on discards and cards, and how figures are written."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cribev.choice import TIE_TOLERANCE

VERDICTS = ("best", "close", "inaccuracy", "mistake", "blunder")
"""From the best down."""

FORCED = "forced"
"""In place of a verdict, where only one rank fits."""

COSTLY = VERDICTS[2:]
"""Those worth another look."""


class VerdictBands(NamedTuple):
    """The least loss of an inaccuracy, a mistake and a blunder: by default of a discard, in points.

    There is no standard in cribbage. These are modelled on the bands of backgammon and chess
    programs, spread over what cribbage discards cost. A smaller loss is close; a tie with the best
    is best.
    """

    inaccuracy: float = 0.3
    mistake: float = 0.6
    blunder: float = 1.2

    def verdicts(self, loss: ArrayLike, tied: ArrayLike) -> NDArray[np.str_]:
        """Name choices by their loss and by whether they tie with the best, each ``(N,)``.

        >>> VerdictBands().verdicts([0.0, 0.1, 0.3, 2.0], [True, False, False, False]).tolist()
        ['best', 'close', 'inaccuracy', 'blunder']
        """
        level = np.searchsorted(np.array(self) - TIE_TOLERANCE, np.asarray(loss), side="right")
        return np.array(VERDICTS)[np.where(tied, 0, level + 1)]


DEFAULT_BANDS = VerdictBands()

CARD_BANDS = VerdictBands(0.1, 0.3, 0.8)
"""The same for a card laid: a choice in the play is about a smaller part of the points."""

WIN_BANDS = VerdictBands(0.025, 0.05, 0.1)
"""The same for both near the end of a game, in chances to win."""

NEAR_END = 31
"""A game is near its end where a player needs at most this many points. Nine tenths of what
weighing the score can win is won there (`benchmarks/README.md`)."""


def with_article(verdict: str) -> str:
    """Put an article before a verdict that takes one.

    >>> with_article("inaccuracy"), with_article("close")
    ('an inaccuracy', 'close')
    """
    if verdict not in COSTLY:
        return verdict
    return f"{'an' if verdict[0] in 'aeiou' else 'a'} {verdict}"


def format_points(value: float, digits: int = 2, *, sign: bool = False) -> str:
    """Write points, rounded once and never as -0; empty for NaN.

    >>> format_points(-103.20500113, sign=True), format_points(-0.001), format_points(float("nan"))
    ('-103.21', '0.00', '')
    """
    if np.isnan(value):
        return ""
    return f"{round(float(value), digits) + 0.0:{'+' if sign else ''}.{digits}f}"


def true_minus(text: str) -> str:
    """Write a hyphen before a number as a minus.

    >>> true_minus("hand 8.00 - crib 4.50")
    'hand 8.00 − crib 4.50'
    """
    return text.replace("-", "−")


def format_percent(value: float, digits: int = 1, *, sign: bool = False) -> str:
    """Write a chance, or a difference of chances, in percent; empty for NaN.

    >>> format_percent(0.0312), format_percent(-0.5, sign=True), format_percent(float("nan"))
    ('3.1%', '-50.0%', '')
    """
    text = format_points(100 * value, digits, sign=sign)
    return text and f"{text}%"


def format_win_total(value: float, games: int, *, sign: bool = False) -> str:
    """Write a sum of chances: in percent of one game, or as a number of games.

    >>> format_win_total(0.124, 1), format_win_total(1.24, 8, sign=True)
    ('12.4%', '+1.24')
    """
    return format_percent(value, sign=sign) if games == 1 else format_points(value, sign=sign)


def format_games_lost(value: float) -> str:
    """Write chances to win that were lost, with their unit.

    >>> format_games_lost(0.147), format_games_lost(1.474)
    ('14.7% of a game', '1.47 games')
    """
    return f"{format_percent(value)} of a game" if value < 1 else f"{format_points(value)} games"


def pluralize(number: int, thing: str) -> str:
    """Write a number of things.

    >>> pluralize(1, "game"), pluralize(2000, "discard")
    ('1 game', '2,000 discards')
    """
    return f"{number:,} {thing}{'s' if number != 1 else ''}"


def join_words(parts: list[str], last: str) -> str:
    """Join words, with ``last`` before the last one.

    >>> join_words(["a", "b", "c"], "or"), join_words(["a"], "or")
    ('a, b or c', 'a')
    """
    *most, end = parts
    return f"{', '.join(most)} {last} {end}" if most else end
