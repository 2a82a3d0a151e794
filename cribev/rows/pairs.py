"""Tables by pair of ranks and role, read from CSV: average cribs, or discard frequencies."""

import csv
import math
from collections.abc import Iterable, Iterator
from functools import cache, partial
from importlib import resources
from os import PathLike, fspath
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.errors import TableError, quote
from cribev.game.cards import RANKS, parse_rank
from cribev.game.roles import ROLES, Role
from cribev.system.files import require_regular

PairTable: TypeAlias = dict[Role, NDArray[np.float64]]
"""For each role a symmetric ``(13, 13)`` array, NaN where nothing is given."""

_LONGEST = 1 << 20  # characters of a line that are read in one piece


def read_pair_table(path: str | PathLike[str], *, known: str) -> PairTable:
    """Read a CSV file of frequencies, ``rank1,rank2,dealer_pct,pone_pct``."""
    try:
        require_regular(path)
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            lines = iter(partial(file.readline, _LONGEST), "")
            return pair_table(lines, name=fspath(path), suffix="_pct", most=math.inf)
    except UnicodeDecodeError as error:
        raise TableError(f"{fspath(path)!r} is not a CSV file in UTF-8") from error
    except OSError as error:
        reason = getattr(error, "strerror", None) or error
        wanted = f"neither {known} nor a file that can be read"
        raise TableError(f"{fspath(path)!r} is {wanted}: {reason}") from error
    except csv.Error as error:
        raise TableError(f"{fspath(path)!r} is not a CSV file: {error}") from error


def pair_table(lines: Iterable[str], *, name: str, suffix: str = "", most: float) -> PairTable:
    """Read the lines of such a file; a `TableError` gives its name, the line and the reason."""
    columns = {role: role + suffix for role in ROLES}
    table = {role: np.full((13, 13), np.nan) for role in ROLES}
    seen: dict[tuple[int, int], int] = {}
    rows = _rows(lines, name=name, needed=["rank1", "rank2", *columns.values()])
    for line, row in rows:
        where = f"{name!r} line {line}"
        low, high = sorted(_rank(row[column], where) for column in ("rank1", "rank2"))
        if (low, high) in seen:
            pair = f"the pair {RANKS[low]},{RANKS[high]}"
            raise TableError(f"{where}: {pair} stands in line {seen[low, high]} already")
        seen[low, high] = line
        for role, column in columns.items():
            value = _value(row[column], where, most=most)
            table[role][low, high] = table[role][high, low] = value
    if not seen:
        raise TableError(f"{name!r} has no rows")
    for values in table.values():
        values.flags.writeable = False
    return table


def _rows(
    lines: Iterable[str], *, name: str, needed: list[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    reader = csv.reader("\n" if line.startswith("#") else line for line in lines)
    header: list[str] | None = None
    for fields in reader:
        cells = [cell.strip() for cell in fields]
        where, got = f"{name!r} line {reader.line_num}", quote(",".join(fields))
        if not any(cells):
            continue
        if header is None:
            header = [cell.lower() for cell in cells]
            for column in needed:
                if header.count(column) > 1:
                    raise TableError(f"{where}: two columns {column!r}")
            for column in needed:
                if column not in header:
                    expected = f"expected {','.join(needed)}, got {got}"
                    raise TableError(f"{where}: no column {column!r}: {expected}")
        elif len(cells) != len(header):
            raise TableError(f"{where}: expected {len(header)} values, got {len(cells)}: {got}")
        else:
            yield reader.line_num, dict(zip(header, cells, strict=True))


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
    lines = _FILES[name].read_text(encoding="utf-8").splitlines()
    return pair_table(lines, name=name, most=_MOST)
