"""The words of a review: what a discard is called, and how figures are written."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cribev.choice import TIE_TOLERANCE

VERDICTS = ("best", "close", "inaccuracy", "mistake", "blunder")
"""From the best discard down."""

COSTLY = VERDICTS[2:]
"""Those that are worth looking at again."""


class VerdictBands(NamedTuple):
    """From how many points of expected average lost a discard is called what.

    There is no standard in cribbage; these are modelled on the bands in which backgammon and chess
    programs sort errors, spread over what cribbage discards cost. Anything less than an inaccuracy
    is close, a tie with the best is best.
    """

    inaccuracy: float = 0.3
    mistake: float = 0.6
    blunder: float = 1.2

    def verdicts(self, loss: ArrayLike, tied: ArrayLike) -> NDArray[np.str_]:
        """Say what discards are called.

        Parameters
        ----------
        loss
            Points lost against the best, ``(N,)``.
        tied
            Whether they are as good as the best, ``(N,)``.

        Examples
        --------
        >>> VerdictBands().verdicts([0.0, 0.1, 0.3, 2.0], [True, False, False, False]).tolist()
        ['best', 'close', 'inaccuracy', 'blunder']
        """
        level = np.searchsorted(np.array(self) - TIE_TOLERANCE, np.asarray(loss), side="right")
        return np.array(VERDICTS)[np.where(tied, 0, level + 1)]


DEFAULT_BANDS = VerdictBands()

WIN_BANDS = VerdictBands(0.025, 0.05, 0.1)
"""From what part of a game lost a discard is called what, near the end of the game."""

NEAR_END = 31
"""A game is near its end where a player needs no more points than this: nine tenths of what can be
won by weighing the score is won there (`benchmarks/README.md`)."""


def with_article(verdict: str) -> str:
    """Say a verdict as part of a sentence.

    >>> with_article("inaccuracy"), with_article("close")
    ('an inaccuracy', 'close')
    """
    if verdict not in COSTLY:
        return verdict
    return f"{'an' if verdict[0] in 'aeiou' else 'a'} {verdict}"


def format_points(value: float, digits: int = 2, *, sign: bool = False) -> str:
    """Write points, rounded once, with no minus before nothing; empty where they are not known.

    >>> format_points(-103.20500113, sign=True), format_points(-0.001), format_points(float("nan"))
    ('-103.21', '0.00', '')
    """
    if np.isnan(value):
        return ""
    return f"{round(float(value), digits) + 0.0:{'+' if sign else ''}.{digits}f}"


def format_percent(value: float, *, sign: bool = False) -> str:
    """Write a chance, or a difference of chances, in percent; empty where it is not known.

    >>> format_percent(0.0312), format_percent(-0.5, sign=True), format_percent(float("nan"))
    ('3.1%', '-50.0%', '')
    """
    text = format_points(100 * value, 1, sign=sign)
    return text and f"{text}%"


def format_win_total(value: float, games: int, *, sign: bool = False) -> str:
    """Write a sum of chances: in percent of the one game, or as a number of games.

    >>> format_win_total(0.124, 1), format_win_total(1.24, 8, sign=True)
    ('12.4%', '+1.24')
    """
    return format_percent(value, sign=sign) if games == 1 else format_points(value, sign=sign)


def pluralize(number: int, thing: str) -> str:
    """Count things.

    >>> pluralize(1, "game"), pluralize(2000, "discard")
    ('1 game', '2,000 discards')
    """
    return f"{number:,} {thing}{'s' if number != 1 else ''}"


def join_words(parts: list[str], last: str) -> str:
    """Write a list with a word before its last part.

    >>> join_words(["a", "b", "c"], "or"), join_words(["a"], "or")
    ('a, b or c', 'a')
    """
    *most, end = parts
    return f"{', '.join(most)} {last} {end}" if most else end
