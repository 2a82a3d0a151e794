"""The record of a played game in a file."""

import json
import sys
import warnings
from contextlib import ExitStack
from os import PathLike, fspath
from pathlib import Path
from typing import IO

import pandas as pd

from cribev.errors import RecordError, quote
from cribev.files.extras import extra
from cribev.files.formats import STANDARD
from cribev.reviews.records import NEEDED, PERHAPS


def read_record(source: str | PathLike[str]) -> pd.DataFrame:
    """Read a table of discards from a file, without looking at what it says.

    Parameters
    ----------
    source
        A CSV file (``.csv``), one JSON object a line (``.jsonl``, ``.ndjson``) or Parquet
        (``.parquet``, which needs pyarrow); ``-`` is CSV on standard input.

    Returns
    -------
    The table; from CSV every value as the text that stands there.

    Raises
    ------
    RecordError
        If the file is of another kind, cannot be read, or is not what its name says.
    CribevError
        If pyarrow is needed and not there.

    Examples
    --------
    >>> read_record("game.xls")
    Traceback (most recent call last):
    cribev.errors.RecordError: 'game.xls' is no record: expected a file named .csv, .jsonl,
    .ndjson or .parquet
    """
    name = fspath(source)
    kind = ".csv" if name == STANDARD else Path(name).suffix.lower()
    if kind not in _READERS:
        *most, last = _READERS
        raise RecordError(
            f"{_named(name)} is no record: expected a file named {', '.join(most)} or {last}"
        )
    try:
        with ExitStack() as opened:
            if name == STANDARD:
                return _read_csv(sys.stdin.buffer, name)
            return _READERS[kind](opened.enter_context(Path(name).open("rb")), name)
    except OSError as error:
        # Those that read Parquet put no reason apart.
        reason = error.strerror or str(error).partition("\n")[0]
        raise RecordError(f"cannot read {_named(name)}: {reason}") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{_named(name)} is not text in UTF-8") from error


def _named(name: str) -> str:
    return "standard input" if name == STANDARD else quote(name, most=200)


def _read_csv(file: IO[bytes], name: str) -> pd.DataFrame:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a row that is too long is no mere warning
            frame = pd.read_csv(
                file,
                dtype=str,
                keep_default_na=False,
                index_col=False,
                skipinitialspace=True,
                encoding="utf-8-sig",
            )
    except UnicodeDecodeError:
        raise
    except (ValueError, pd.errors.ParserWarning) as error:
        reason = " ".join(str(error).split())
        raise RecordError(f"{_named(name)} is not a CSV file: {reason}") from error
    for column in NEEDED + PERHAPS:
        if f"{column}.1" in frame:  # what pandas calls a second one
            raise RecordError(f"the record has the column {column!r} twice")
    return frame


def _read_json_lines(file: IO[bytes], name: str) -> pd.DataFrame:
    rows = []
    for number, line in enumerate(file.read().decode("utf-8-sig").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise RecordError(
                f"{_named(name)}, line {number}: {quote(line.strip())} is not a JSON object"
            )
        rows.append(row)
    return pd.DataFrame(rows, dtype=object)


def _read_parquet(file: IO[bytes], name: str) -> pd.DataFrame:
    extra("pyarrow", "parquet")
    try:
        return pd.read_parquet(file, engine="pyarrow")
    except OSError:
        raise
    except ValueError as error:
        reason = str(error).partition("\n")[0]
        raise RecordError(f"{_named(name)} is not a Parquet file: {reason}") from error


_READERS = {
    ".csv": _read_csv,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".parquet": _read_parquet,
}
