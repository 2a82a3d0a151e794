"""The record of a played game in a file."""

from os import PathLike, fspath
from typing import Any

import pandas as pd

from cribev.errors import CribevError, RecordError, quote
from cribev.files.columns import as_values
from cribev.files.sources import Chunk, Source
from cribev.reviews.cells import NEEDED, PERHAPS

_ROWS = 1 << 16  # at a time


def read_record(source: str | PathLike[str]) -> pd.DataFrame:
    """Read a table of discards from a file, without looking at what it says.

    Parameters
    ----------
    source
        A file as ``cribev batch`` reads it: CSV, TSV, one JSON object a line (these also with
        ``.gz``) or Parquet, which needs pyarrow; ``-`` is CSV on standard input.

    Returns
    -------
    The table; from CSV and TSV every value as the text that stands there. Rows with nothing in
    them are left out.

    Raises
    ------
    RecordError
        If the file is of another kind, cannot be read, or is not what its name says.

    Examples
    --------
    >>> read_record("game.xls")
    Traceback (most recent call last):
    cribev.errors.RecordError: what format is 'game.xls'? expected .csv, .tsv, .jsonl, .parquet
    (text also with .gz), or the format's name
    """
    try:
        name = fspath(source)
        with Source(name, known=NEEDED + PERHAPS, loose=True) as read:
            frames = [_frame(read, chunk) for chunk in read.chunks(_ROWS)]
    except TypeError as error:
        raise RecordError(f"expected the path of a record, got {quote(repr(source))}") from error
    except CribevError as error:
        raise RecordError(str(error)) from error
    return pd.concat(frames, ignore_index=True).infer_objects()


def _frame(read: Source, chunk: Chunk) -> pd.DataFrame:
    for row, error in sorted(chunk.bad.items()):
        raise RecordError(f"{read.name!r} {chunk.place(row)}: {error}")
    columns: dict[str, Any] = {}
    for key, column in zip(chunk.names, chunk.columns, strict=True):
        name = key.encode("utf-8", "backslashreplace").decode()  # JSON has half a surrogate pair
        if name in columns:
            raise RecordError(f"the record has the column {quote(name)} twice")
        try:
            columns[name] = as_values(column)
        except CribevError as error:
            raise RecordError(f"{read.name!r}, column {quote(name)}: {error}") from error
    frame = pd.DataFrame(columns, dtype=object)
    return frame[~frame.isin(["", None]).all(axis=1)]
