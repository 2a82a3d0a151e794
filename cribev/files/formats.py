"""The formats of files of rows.

Between reading and writing a column is what its format gives: a sequence of Python values, or an
Arrow array where it comes from Parquet.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError

FORMATS = ("csv", "tsv", "jsonl", "parquet")
STANDARD = "-"
"""Standard input or output in place of a file."""

DELIMITERS = {"csv": ",", "tsv": "\t"}
"""What stands between values in the formats that are delimited text."""

_SUFFIXES = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip


def format_of(path: str, given: str | None = None) -> str:
    """Tell the format of a file by what is given or by its suffix; that of standard streams is CSV.

    Raises
    ------
    CribevError
        If neither says.

    Examples
    --------
    >>> format_of("deals.csv.gz"), format_of("-"), format_of("-", "jsonl")
    ('csv', 'csv', 'jsonl')
    >>> format_of("deals.xls")
    Traceback (most recent call last):
    cribev.errors.CribevError: what format is 'deals.xls'? expected .csv, .tsv, .jsonl, .parquet
    (text also with .gz), or the format's name
    """
    suffixes = ["", *(suffix.lower() for suffix in Path(path).suffixes)]
    zipped = suffixes[-1] == ".gz"
    form = given or ("csv" if path == STANDARD else _SUFFIXES.get(suffixes[-1 - zipped]))
    if form not in FORMATS or (zipped and form == "parquet"):
        raise CribevError(
            f"what format is {path!r}? expected .csv, .tsv, .jsonl, .parquet "
            "(text also with .gz), or the format's name"
        )
    return form


def extra(module: str, name: str) -> Any:
    """Load a library that is there only if asked for.

    Raises
    ------
    CribevError
        If it is not there, saying what to install.

    Examples
    --------
    >>> extra("no_such_library", "parquet")
    Traceback (most recent call last):
    cribev.errors.CribevError: this needs no_such_library: pip install "cribev[parquet]"
    """
    try:
        return import_module(module)
    except ImportError as error:
        wanted = module.split(".")[0]
        raise CribevError(f'this needs {wanted}: pip install "cribev[{name}]"') from error


def is_arrow(column: object) -> bool:
    """Tell whether a column is an Arrow array.

    >>> is_arrow(["5H"])
    False
    """
    return type(column).__module__.split(".")[0] == "pyarrow"


def as_values(column: Any) -> Sequence[Any]:
    """Take a column as Python values.

    Raises
    ------
    CribevError
        If an Arrow column holds what Python has no value for.

    Examples
    --------
    >>> as_values(["5H"])
    ['5H']
    """
    try:
        values: Sequence[Any] = column.to_pylist() if is_arrow(column) else column
    except (OverflowError, ValueError) as error:  # a date after the year 9999, say
        raise CribevError(f"cannot write {column.type} as text: {error}") from error
    return values


def take_rows(column: Any, rows: NDArray[np.intp]) -> Any:
    """Pick rows of a column.

    >>> take_rows(["a", "b"], np.array([1, 1]))
    ['b', 'b']
    """
    if is_arrow(column):
        return column.take(extra("pyarrow", "parquet").array(rows))
    return type(column)(column[row] for row in rows.tolist())


def delimited_line(row: Iterable[Any], delimiter: str) -> str:
    """Write a row as delimited text, quoted where it must be, without the end of the line.

    >>> delimited_line(["5H 6H", "5H,6H", 7], ",")
    '5H 6H,"5H,6H",7'
    """
    buffer = io.StringIO(newline="")
    # This end makes the writer quote values with either kind of line break.
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n").writerow(row)
    return buffer.getvalue()[:-2]
