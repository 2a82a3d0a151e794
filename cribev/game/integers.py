"""Whole numbers read from text of any length.

`int` refuses more than 4,300 digits with an error of its own, and takes signs, blanks, underscores
and digits of other scripts. Whatever a user types as a number is read here.
"""

MAX_DIGITS = 39
"""Seeds, and other whole numbers that are given as text, have no more digits than this."""


def parse_integer(text: str, *, least: int = 0, most: int | None = None) -> int | None:
    """Read a whole number in ASCII digits; None if it is none, too long, or out of range.

    >>> parse_integer("15"), parse_integer("-3"), parse_integer("16", most=15)
    (15, None, None)
    >>> parse_integer("1" * 5000) is None
    True
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        return None
    number = int(text)
    return number if number >= least and (most is None or number <= most) else None
