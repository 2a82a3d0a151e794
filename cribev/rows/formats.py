"""The formats of files of rows."""

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cribev.errors import CribevError

FORMATS = ("csv", "tsv", "jsonl", "parquet")
STANDARD_STREAM = "-"
"""Standard input or output in place of a file."""

DELIMITERS = {"csv": ",", "tsv": "\t"}
"""What stands between values in the formats that are delimited text."""

_SUFFIXES = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip


def format_of(path: str, given: str | None = None) -> str:
    """Return the format of a file: the one given, or that of its suffix; CSV for ``-``.

    >>> format_of("deals.csv.gz"), format_of("-"), format_of("-", "jsonl")
    ('csv', 'csv', 'jsonl')
    >>> format_of("deals.xls")
    Traceback (most recent call last):
    cribev.errors.CribevError: what format is 'deals.xls'? expected .csv, .tsv, .jsonl, .parquet
    (text also with .gz), or the format's name
    """
    suffixes = ["", *(suffix.lower() for suffix in Path(path).suffixes)]
    zipped = suffixes[-1] == ".gz"
    form = given or ("csv" if path == STANDARD_STREAM else _SUFFIXES.get(suffixes[-1 - zipped]))
    if form not in FORMATS or (zipped and form == "parquet"):
        raise CribevError(
            f"what format is {path!r}? expected .csv, .tsv, .jsonl, .parquet "
            "(text also with .gz), or the format's name"
        )
    return form


def json_line(row: Mapping[str, Any]) -> str:
    """Write a row as a line of JSON, without its end; numbers that are not finite are null.

    >>> json_line({"cards": "5H", "x": [float("nan"), 1.5]})
    '{"cards": "5H", "x": [null, 1.5]}'
    """
    try:
        return _encode(row)
    except ValueError:
        return _encode(_finite(row))


def delimited_line(row: Iterable[Any], delimiter: str) -> str:
    """Write a row as delimited text, quoted where it must be, without the end of the line.

    >>> delimited_line(["5H 6H", "5H,6H", 7], ",")
    '5H 6H,"5H,6H",7'
    """
    buffer = io.StringIO(newline="")
    # This end makes the writer quote values with either kind of line break.
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n").writerow(row)
    return buffer.getvalue()[:-2]


_encode = json.JSONEncoder(default=str, ensure_ascii=False, allow_nan=False).encode


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
