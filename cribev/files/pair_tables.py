"""A number for each pair of ranks and each role, read from CSV."""

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

from cribev.errors import TableError, quote
from cribev.files.lines import LONGEST_LINE
from cribev.game.cards import RANKS, parse_rank
from cribev.game.roles import ROLES, Role

PairTable: TypeAlias = dict[Role, NDArray[np.float64]]
"""For each role a symmetric ``(13, 13)`` array, NaN where nothing is given."""

PUBLISHED_CRIBS = ("colvert", "hessel", "rasmussen", "schell")
"""The published tables of average cribs that come with the package."""

_MOST = 29.0  # points in a crib


def read_pair_table(
    path: str | PathLike[str], *, suffix: str = "", most: float = math.inf, known: str
) -> PairTable:
    """Read a CSV file with a row for each pair of ranks.

    Parameters
    ----------
    path
        A file with columns ``rank1,rank2,dealer,pone`` in any order, perhaps among others, pairs
        in either order and at most once. Blank lines and lines that begin with ``#`` are passed
        over.
    suffix
        What follows ``dealer`` and ``pone`` in the names of the columns.
    most
        The greatest value there can be.
    known
        What could have been given instead of a file, for the message where there is none.

    Raises
    ------
    TableError
        If the file cannot be read, or with the line and what is wrong there.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            lines = iter(partial(file.readline, LONGEST_LINE), "")
            return _pair_table(lines, name=fspath(path), suffix=suffix, most=most)
    except OSError as error:
        raise TableError(
            f"{fspath(path)!r} is neither {known} nor a file that can be read: {error.strerror}"
        ) from error
    except UnicodeDecodeError as error:
        raise TableError(f"{fspath(path)!r} is not a CSV file in UTF-8") from error
    except csv.Error as error:
        raise TableError(f"{fspath(path)!r} is not a CSV file: {error}") from error


COMBINATIONS = np.where(np.eye(13, dtype=bool), 6, 16)
"""How many pairs of cards have each pair of ranks, ``(13, 13)``."""


def scaled(often: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale how often each pair of ranks is thrown, in any unit, so that the commonest has 1.

    Examples
    --------
    >>> scaled(np.array([[2.0, 4.0], [4.0, np.nan]])).tolist()
    [[0.5, 1.0], [1.0, 0.0]]
    """
    often = np.nan_to_num(often)
    parts: NDArray[np.float64] = often / max(often.max(), np.finfo(float).smallest_subnormal)
    return parts


@cache
def published_cribs(name: str) -> PairTable:
    """Return a published table of average cribs, in points, by the two ranks thrown.

    Parameters
    ----------
    name
        One of `PUBLISHED_CRIBS`; the sources stand in the files, ``cribev/data/crib_*.csv``.

    Examples
    --------
    >>> float(published_cribs("schell")["dealer"][4, 4])
    8.79
    """
    file = resources.files("cribev") / "data" / f"crib_{name}.csv"
    return _pair_table(file.read_text(encoding="utf-8").splitlines(), name=name, most=_MOST)


def crib_averages(source: str | PathLike[str]) -> PairTable:
    """Return average cribs by published table or from a file that gives all 91 pairs.

    Raises
    ------
    TableError
        If it is neither, or a pair of ranks is missing.

    Examples
    --------
    >>> crib_averages("shell")
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


def _pair_table(lines: Iterable[str], *, name: str, suffix: str = "", most: float) -> PairTable:
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
    """Yield line number and row by column; comments count as lines but say nothing."""
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
