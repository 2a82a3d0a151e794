"""The record of a played game in a file."""

from contextlib import suppress
from io import BytesIO
from os import PathLike, fspath
from typing import Any

import pandas as pd

from cribev.errors import CribevError, RecordError, quote
from cribev.files.columns import as_values
from cribev.files.formats import DELIMITERS, format_of
from cribev.files.sources import Chunk, Source
from cribev.reviews.cells import ALL_COLUMNS

_ROWS = 1 << 16  # at a time


def read_record(source: str | PathLike[str]) -> pd.DataFrame:
    """Read a table of discards from a file, without checking what it says.

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
        with Source(name, known=ALL_COLUMNS, loose=True) as read:
            return _read_chunks(read)
    except TypeError as error:
        raise RecordError(f"expected the path of a record, got {quote(repr(source))}") from error
    except CribevError as error:
        raise RecordError(str(error)) from error


def record_from_bytes(content: bytes, name: str) -> pd.DataFrame:
    r"""Read the record in a file's content, CSV, TSV or JSONL as the file's name says.

    >>> record_from_bytes(b"game,deal\n1,7\n", "game.csv")["deal"].tolist()
    ['7']
    >>> record_from_bytes(b"", "game.parquet")
    Traceback (most recent call last):
    cribev.errors.RecordError: what format is 'game.parquet'? expected .csv, .tsv, .jsonl
    """
    form = None
    with suppress(CribevError):
        form = format_of(name)
    if form not in (*DELIMITERS, "jsonl") or name.lower().endswith(".gz"):
        raise RecordError(f"what format is {quote(name)}? expected .csv, .tsv, .jsonl")
    try:
        with Source(name, raw=BytesIO(content), known=ALL_COLUMNS, loose=True) as read:
            return _read_chunks(read)
    except CribevError as error:
        raise RecordError(str(error)) from error


def _read_chunks(read: Source) -> pd.DataFrame:
    frames = [_chunk_frame(read, chunk) for chunk in read.chunks(_ROWS)]
    return pd.concat(frames, ignore_index=True).infer_objects()


def _chunk_frame(read: Source, chunk: Chunk) -> pd.DataFrame:
    for row, error in sorted(chunk.bad.items()):
        raise RecordError(f"{read.name!r} {chunk.place(row)}: {error}")
    columns: dict[str, Any] = {}
    for key, column in zip(chunk.names, chunk.columns, strict=True):
        name = _utf8(key)
        if name in columns:
            raise RecordError(f"the record has the column {quote(name)} twice")
        try:
            columns[name] = [_utf8(value) for value in as_values(column)]
        except CribevError as error:
            raise RecordError(f"{read.name!r}, column {quote(name)}: {error}") from error
    frame = pd.DataFrame(columns, dtype=object)
    return frame[~frame.isin(["", None]).all(axis=1)]


def _utf8(value: Any) -> Any:
    """Spell out half a surrogate pair: JSON allows it, UTF-8 does not."""
    if not isinstance(value, str) or value.isascii():
        return value
    return value.encode("utf-8", "backslashreplace").decode()
