"""What day it is, and the number that everybody shares on that day."""

import os
from contextlib import suppress
from datetime import date
from hashlib import blake2b

from cribev.errors import CribevError, quote

DAY_VARIABLE = "CRIBEV_TODAY"

FIRST_DAY = date(2000, 1, 1)  # days before it exist, too, and their seeds have eight digits

_DAY_BITS = 130  # 2**130 has 40 digits, and a seed that is typed at most 39

LATEST_DAYS = 30  # how many of the last days are shown


def today() -> date:
    """Return the day it is here, or the one in ``CRIBEV_TODAY``, as 2026-11-23."""
    if not (given := os.environ.get(DAY_VARIABLE, "")):
        return date.today()
    with suppress(ValueError):
        if (day := date.fromisoformat(given)) >= FIRST_DAY:
            return day
    expected = f"expected a day from {FIRST_DAY} on, as 2026-11-23"
    raise CribevError(f"{DAY_VARIABLE}={quote(given)}: {expected}")


def day_seed(day: date, what: str) -> int:
    """Return what deals the cards of a day for one use: more digits than a seed that is typed.

    >>> day_seed(date(2026, 11, 23), "game") > 10**39
    True
    """
    key = blake2b(f"{day}".encode(), key=what.encode(), digest_size=16, person=b"cribev day")
    return 1 << _DAY_BITS | int.from_bytes(key.digest(), "big")


def numbered_day(number: int | str | None) -> date | None:
    """Return the day of a number; None if it is that of none."""
    text = str(number)
    with suppress(ValueError):
        if len(text) == 8 and text.isascii() and text.isdigit():
            return date(int(text[:4]), int(text[4:6]), int(text[6:]))
    return None
