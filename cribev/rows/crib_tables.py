"""Tables of average cribs by the two ranks thrown: published ones, and your own files."""

from functools import cache
from importlib import resources
from itertools import combinations_with_replacement
from os import PathLike, fspath

import numpy as np

from cribev.errors import TableError, quote
from cribev.game.cards import RANKS
from cribev.game.roles import ROLES
from cribev.rows.pair_tables import PairTable, pair_table, read_pair_table

_FILES = {
    file.name.removeprefix("crib_").removesuffix(".csv"): file
    for file in (resources.files("cribev") / "data").iterdir()
    if file.name.startswith("crib_") and file.name.endswith(".csv")
}

PUBLISHED_CRIBS = tuple(sorted(_FILES))
"""The published tables of average cribs that come with the package, ``cribev/data/crib_*.csv``."""

_MOST = 29.0  # points in a crib


@cache
def published_cribs(name: str) -> PairTable:
    """Return a published table, one of `PUBLISHED_CRIBS`; its file names the source.

    >>> float(published_cribs("schell")["dealer"][4, 4])
    8.79
    """
    lines = _FILES[name].read_text(encoding="utf-8").splitlines()
    return pair_table(lines, name=name, most=_MOST)


def crib_table(source: str | PathLike[str]) -> PairTable:
    """Return a published table by its name, or that of a file with all 91 pairs of ranks.

    >>> crib_table("shell")
    Traceback (most recent call last):
    cribev.errors.TableError: 'shell' is neither a published crib table (colvert, hessel,
    rasmussen, schell) nor a file that can be read: No such file or directory
    """
    if not isinstance(source, str | PathLike):
        raise TableError(
            f"{quote(repr(source))} is no crib table: expected a published one's name "
            f"({', '.join(PUBLISHED_CRIBS)}) or a CSV file"
        )
    if (name := fspath(source).lower()) in PUBLISHED_CRIBS:
        return published_cribs(name)
    table = read_pair_table(
        source, most=_MOST, known=f"a published crib table ({', '.join(PUBLISHED_CRIBS)})"
    )
    for role in ROLES:
        for low, high in combinations_with_replacement(range(13), 2):
            if np.isnan(table[role][low, high]):
                raise TableError(
                    f"{fspath(source)!r} has no {role} value for {RANKS[low]},{RANKS[high]}: "
                    "a crib table gives all 91 pairs of ranks"
                )
    return table
