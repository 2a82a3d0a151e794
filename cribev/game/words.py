"""Numbers and chances, read and written the same everywhere.

`int` refuses more than 4,300 digits with its own error, and accepts signs, blanks, underscores and
digits of other scripts. So whole numbers typed by users are read by `parse_integer`.
"""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import ArrayLike

from cribev.errors import CribevError, quote
from cribev.game.roles import Role, crib_owner

MAX_DIGITS = 39
"""Seeds, and other whole numbers that are given as text, have no more digits than this."""


def parse_integer(text: str, *, least: int = 0, most: int | None = None) -> int | None:
    """Read a whole number in ASCII digits; None if it is none, too long, or out of range."""
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        return None
    number = int(text)
    return number if number >= least and (most is None or number <= most) else None


def printable(text: str) -> str:
    """Show a name from outside as it is, unless it would disturb a terminal."""
    return text if text.isprintable() else repr(text)


_YES, _NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


def as_flag(text: str, name: str) -> bool:
    """Read whether something is on or off; `CribevError` if the text says neither."""
    if (said := text.strip().lower()) not in _YES + _NO:
        raise CribevError(f"{name}={quote(text)}: expected 1 or 0")
    return said in _YES


def require_flags(**flags: object) -> None:
    """Refuse an option that is neither True nor False: any text but an empty one would be True."""
    for name, flag in flags.items():
        if not isinstance(flag, bool | np.bool_):
            shown = quote(flag if isinstance(flag, str) else repr(flag))
            raise CribevError(f"{name}={shown}: expected True or False")


_FEW_POINTS = 5  # rows of a table of how likely somebody pegs that many points or more

_CERTAIN = 1e-9  # a chance that differs from 0 or 1 by less is one of them: it covers rounding

MIN_SHOWN_CHANCE = 0.0005
"""Chances below it round to nothing: lists and the ends of charts leave them out."""


def format_chance(chance: float | None) -> str:
    """Write a chance in percent for a table: 100.0% and 0.0% are certain; empty if not known."""
    if chance is None or math.isnan(chance):
        return ""
    if _CERTAIN < chance < MIN_SHOWN_CHANCE:
        return "<0.1%"
    if _CERTAIN < 1 - chance < MIN_SHOWN_CHANCE:
        return ">99.9%"
    return f"{100 * chance:.1f}%"


def say_chance(chance: float | None) -> str:
    """Write a chance in percent for a sentence, as `format_chance`.

    >>> say_chance(0.61), say_chance(0.0004)
    ('61.0%', 'under 0.1%')
    """
    return format_chance(chance).replace("<", "under ").replace(">", "over ")


def at_least_text(chances: ArrayLike) -> str:
    """Say how likely a few points or more are pegged, from the chance of each number from 0 up."""
    at_least = np.cumsum(np.asarray(chances)[::-1])[::-1][1 : 1 + _FEW_POINTS]
    return ", ".join(f"{points}: {chance:.0%}" for points, chance in enumerate(at_least, 1))


def wins_text(gain: float, other: str | None = None) -> str:
    """Say how much more or less often a game is won, and than with what other choice."""
    even = round(1000 * abs(gain)) == 0
    more = f"{say_chance(abs(gain))} {'more' if gain > 0 else 'fewer'}"
    text, than = ("as many wins", "as") if even else (f"{more} wins", "than")
    return text if other is None else f"{text} {than} {other}"


def difference_text(hand: float, crib: float, role: Role, play: float | None = None) -> str:
    """Say how much more one discard has than another in hand, crib and play, in points."""
    differences = [(hand, "hand"), (crib, crib_owner(role))]
    if play is not None:
        differences.append((play, "the play"))
    texts = [
        f"{abs(gain):.2f} {'more' if gain > 0 else 'less'} in {place}"
        for gain, place in differences
        if round(gain, 2)
    ]
    same = "hand and crib" if play is None else "hand, crib and play"
    return ", ".join(texts) or f"the same in {same}"


def format_points(value: float, digits: int = 2, *, sign: bool = False) -> str:
    """Write points, rounded once and never as -0; empty for NaN."""
    if np.isnan(value):
        return ""
    return f"{round(float(value), digits) + 0.0:{'+' if sign else ''}.{digits}f}"


def true_minus(text: str) -> str:
    """Write a minus that is typed as a hyphen as one; hyphens inside words stay.

    >>> true_minus("ten-cards cost -0.5, hand - crib")
    'ten-cards cost −0.5, hand − crib'
    """
    return re.sub(r"(?<!\w)-|-(?!\w)", "−", text)


def format_percent(value: float, digits: int = 1, *, sign: bool = False) -> str:
    """Write a chance, or a difference of chances, in percent; empty for NaN."""
    text = format_points(100 * value, digits, sign=sign)
    return text and f"{text}%"


WINS = "wins"  # the unit of chances to win; others are of what these are worth


def format_worth(value: float, digits: int = 1, *, staked: bool, sign: bool = False) -> str:
    """Write a chance in percent, or what it is worth in another unit to three decimals."""
    if staked:
        return format_points(value, 3, sign=sign)
    return format_percent(value, digits, sign=sign)


MANY_GAMES = 10  # from this many games on losses are in games; below, in percent of one


def format_win_total(value: float, games: int, unit: str = WINS, *, sign: bool = False) -> str:
    """Write a sum of chances: in percent of one game, or as a number of games if there are many."""
    if games >= MANY_GAMES:
        return format_points(value, sign=sign)
    return format_worth(value, staked=unit != WINS, sign=sign)


def format_games_lost(value: float, unit: str = WINS) -> str:
    """Write chances to win that were lost, or what they were worth, with their unit."""
    if unit != WINS:
        return f"{format_points(value, 3)} {unit}"
    return f"{format_percent(value)} of a game" if value < 1 else f"{format_points(value)} games"


def pluralize(number: int, thing: str) -> str:
    """Write a number of things."""
    return f"{number:,} {thing}{'s' if number != 1 else ''}"


def join_words(words: list[str], last: str) -> str:
    """Join words, with ``last`` before the last one."""
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end


def one_of(ranks: list[str]) -> str:
    """Write ranks with an article: ``a 7``, ``an A, 5 or J``."""
    return f"{'an' if ranks[0] in 'A8' else 'a'} {join_words(ranks, 'or')}"
