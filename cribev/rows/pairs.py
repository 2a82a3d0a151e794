"""A number for each pair of ranks and each role, read from CSV: average cribs, or how often."""

import csv
import math
from collections.abc import Iterable, Iterator
from functools import cache, partial
from importlib import resources
from itertools import combinations_with_replacement
from os import PathLike, fspath
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError, TableError, quote
from cribev.game.cards import RANKS, parse_rank
from cribev.game.score import ROLES, Role
from cribev.rows.lines import MAX_LINE_BYTES

PairTable: TypeAlias = dict[Role, NDArray[np.float64]]
"""For each role a symmetric ``(13, 13)`` array, NaN where nothing is given."""


def read_pair_table(
    path: str | PathLike[str], *, suffix: str = "", most: float = math.inf, known: str
) -> PairTable:
    """Read a CSV file of ``rank1,rank2``, ``dealer`` and ``pone``, and a `suffix` on these."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            lines = iter(partial(file.readline, MAX_LINE_BYTES), "")
            return pair_table(lines, name=fspath(path), suffix=suffix, most=most)
    except UnicodeDecodeError as error:
        raise TableError(f"{fspath(path)!r} is not a CSV file in UTF-8") from error
    except CribevError:
        raise
    except (OSError, ValueError) as error:  # the latter at a byte 0, say
        reason = getattr(error, "strerror", None) or error
        raise TableError(
            f"{fspath(path)!r} is neither {known} nor a file that can be read: {reason}"
        ) from error
    except csv.Error as error:
        raise TableError(f"{fspath(path)!r} is not a CSV file: {error}") from error


def pair_table(lines: Iterable[str], *, name: str, suffix: str = "", most: float) -> PairTable:
    """Read the lines of such a file; a `TableError` gives its name, the line and what is wrong."""
    columns = {role: role + suffix for role in ROLES}
    table = {role: np.full((13, 13), np.nan) for role in ROLES}
    seen: dict[tuple[int, int], int] = {}
    rows = _rows(lines, name=name, needed=["rank1", "rank2", *columns.values()])
    for line, row in rows:
        low, high = sorted(_rank(row[column], name, line) for column in ("rank1", "rank2"))
        if (low, high) in seen:
            raise TableError(
                f"{name!r} line {line}: the pair {RANKS[low]},{RANKS[high]} "
                f"stands in line {seen[low, high]} already"
            )
        seen[low, high] = line
        for role, column in columns.items():
            table[role][low, high] = table[role][high, low] = _value(
                row[column], name, line, most=most
            )
    if not seen:
        raise TableError(f"{name!r} has no rows")
    for values in table.values():
        values.flags.writeable = False
    return table


def _rows(
    lines: Iterable[str], *, name: str, needed: list[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each row's line number, and its values by column."""
    reader = csv.reader("\n" if line.startswith("#") else line for line in lines)
    header: list[str] | None = None
    for fields in reader:
        cells = [cell.strip() for cell in fields]
        if not any(cells):
            continue
        if header is None:
            header = [cell.lower() for cell in cells]
            for column in needed:
                if header.count(column) > 1:
                    raise TableError(f"{name!r} line {reader.line_num}: two columns {column!r}")
            if missing := [column for column in needed if column not in header]:
                raise TableError(
                    f"{name!r} line {reader.line_num}: no column {missing[0]!r}: "
                    f"expected {','.join(needed)}, got {quote(','.join(fields))}"
                )
        elif len(cells) != len(header):
            raise TableError(
                f"{name!r} line {reader.line_num}: "
                f"expected {len(header)} values, got {len(cells)}: {quote(','.join(fields))}"
            )
        else:
            yield reader.line_num, dict(zip(header, cells, strict=True))


def _rank(text: str, name: str, line: int) -> int:
    rank = parse_rank(text)
    if rank is None:
        raise TableError(
            f"{name!r} line {line}: {quote(text)} is not a rank: expected {' '.join(RANKS)}"
        )
    return rank


def _value(text: str, name: str, line: int, *, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and 0 <= value <= most):
        wanted = "a number from 0 up" if math.isinf(most) else f"a number from 0 to {most:g}"
        raise TableError(f"{name!r} line {line}: {quote(text)} is not {wanted}")
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


def crib_table(source: str | PathLike[str]) -> PairTable:
    """Return a published table by its name, or that of a file with all 91 pairs of ranks."""
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
