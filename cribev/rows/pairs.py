"""Tables by pair of ranks and role, read from CSV: average cribs, or discard frequencies."""

import math
from functools import cache
from importlib import resources
from os import PathLike, fspath
from pathlib import Path
from typing import IO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError, TableError, quote
from cribev.game.cards import RANKS, parse_rank
from cribev.game.roles import ROLES, Role
from cribev.rows.files import Input, begun, read_chunks
from cribev.rows.headings import missing_column
from cribev.system.files import require_regular

PairTable: TypeAlias = dict[Role, NDArray[np.float64]]
"""For each role a symmetric ``(13, 13)`` array, NaN where nothing is given."""


def read_pair_table(path: str | PathLike[str], *, known: str) -> PairTable:
    """Read a CSV file of frequencies, ``rank1,rank2,dealer_pct,pone_pct``."""
    name = fspath(path)
    try:
        require_regular(path)
        with Path(path).open("rb") as file:
            return _pair_table(file, name=name, suffix="_pct", most=math.inf)
    except OSError as error:
        reason = getattr(error, "strerror", None) or error
        wanted = f"neither {known} nor a file that can be read"
        raise TableError(f"{name!r} is {wanted}: {reason}") from error
    except TableError:
        raise
    except CribevError as error:
        raise TableError(str(error)) from error


def _pair_table(file: IO[bytes], *, name: str, suffix: str = "", most: float) -> PairTable:
    """Read such a file; an error gives its name, the line and the reason."""
    columns = {role: role + suffix for role in ROLES}
    table = {role: np.full((13, 13), np.nan) for role in ROLES}
    seen: dict[tuple[int, int], str] = {}
    needed = ["rank1", "rank2", *columns.values()]
    for chunk in read_chunks([Input(name, begun(file))], "csv", known=needed):
        for column in needed:
            if column not in chunk.names:
                raise TableError(f"{name!r}: {missing_column(column, chunk.names)}")
            if chunk.names.count(column) > 1:
                raise TableError(f"{name!r}: two columns {column!r}")
        chunk.require(chunk.bad)
        own = chunk.select([chunk.names.index(column) for column in needed])
        for row, (*ranks, dealer, pone) in enumerate(zip(*own, strict=True)):
            place = chunk.place(row)
            where = f"{name!r} {place}"
            low, high = sorted(_rank(rank.strip(), where) for rank in ranks)
            if (low, high) in seen:
                pair = f"the pair {RANKS[low]},{RANKS[high]}"
                raise TableError(f"{where}: {pair} stands in {seen[low, high]} already")
            seen[low, high] = place
            for role, text in zip(columns, (dealer, pone), strict=True):
                value = _value(text, where, most=most)
                table[role][low, high] = table[role][high, low] = value
    if not seen:
        raise TableError(f"{name!r} has no rows")
    for values in table.values():
        values.flags.writeable = False
    return table


def _rank(text: str, where: str) -> int:
    if (rank := parse_rank(text)) is None:
        raise TableError(f"{where}: invalid rank {quote(text)}: expected {' '.join(RANKS)}")
    return rank


def _value(text: str, where: str, *, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and 0 <= value <= most):
        wanted = "a number from 0 up" if math.isinf(most) else f"a number from 0 to {most:g}"
        raise TableError(f"{where}: {quote(text)} is not {wanted}")
    return value


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
    """Return a published table, one of `PUBLISHED_CRIBS`; its file names the source."""
    with _FILES[name].open("rb") as file:
        return _pair_table(file, name=name, most=_MOST)
