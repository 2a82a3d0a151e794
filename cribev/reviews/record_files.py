"""The record of a played game in a file."""

import gzip
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from io import BufferedIOBase, BufferedReader, BytesIO, RawIOBase
from os import PathLike, fspath
from typing import Any, BinaryIO

import pandas as pd

from cribev.errors import CribevError, RecordError, quote
from cribev.reviews.cells import ALL_COLUMNS
from cribev.reviews.cribbager import is_replay, parse_replays
from cribev.reviews.imported_games import ImportedGame, imported_table
from cribev.reviews.openspiel import is_history, parse_histories
from cribev.reviews.pgn import is_pgn, parse_pgn
from cribev.rows.columns import as_values
from cribev.rows.lines import DELIMITERS, STANDARD_STREAM, format_of
from cribev.rows.read import Chunk, Source

_ROWS = 1 << 16  # at a time
_HEAD = 1 << 12  # bytes by which a format is known
_MOST = 1 << 28  # bytes of games, which are parsed in one piece; a zipped file may hold any number


def read_record(source: str | PathLike[str]) -> pd.DataFrame:
    """Read a table of discards from a file, without checking what it says.

    Games of other programs have to keep the rules, for they tell points that no column holds.

    Parameters
    ----------
    source
        A file as ``cribev batch`` reads it: CSV, TSV, one JSON object a line or Parquet, which
        needs pyarrow. Or games that another program wrote: PGN, which ``.pgn`` says, or else by
        their content, replays of cribbager (JSON) and histories of OpenSpiel (whole numbers).
        Text may have ``.gz``; ``-`` is standard input, CSV or by its content.

    Returns
    -------
    The table; from CSV and TSV every value as the text that stands there. Rows with nothing in
    them are left out.

    Raises
    ------
    RecordError
        If the file is of another kind, cannot be read, is not what its name says, or if a game of
        another program is against the rules: with game, deal and card.

    Examples
    --------
    >>> read_record("game.xls")
    Traceback (most recent call last):
    cribev.errors.RecordError: cannot read 'game.xls': No such file or directory
    """
    try:
        name = fspath(source)
        content, raw = _content_unless_table(name)
        if content is not None:
            return _table_of_games(name, content)
        with Source(name, raw=raw, known=ALL_COLUMNS, loose=True) as read:
            return _read_chunks(read)
    except TypeError as error:
        raise RecordError(f"expected the path of a record, got {quote(repr(source))}") from error
    except CribevError as error:
        raise RecordError(str(error)) from error


def record_from_bytes(content: bytes, name: str, *, most: int | None = None) -> pd.DataFrame:
    r"""Read the record in a file's content, CSV, TSV or JSONL as the file's name says.

    After more than `most` rows it reads no further.

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
            return _read_chunks(read, most=most)
    except CribevError as error:
        raise RecordError(str(error)) from error


class _Resumed(RawIOBase):
    """A stream whose first bytes were read already."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._parts = [BytesIO(head), rest]

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what comes next, first of the bytes that were read."""
        for part in self._parts:
            if content := part.read(len(buffer)):
                buffer[: len(content)] = content
                return len(content)
        return 0


def _content_unless_table(name: str) -> tuple[bytes | None, BinaryIO | None]:
    """Return what stands in a file of games; or if it is a table None, and the stream if begun."""
    if name != STANDARD_STREAM:
        with suppress(CribevError):
            format_of(name)
            return None, None
    if not isinstance(name, str):
        raise TypeError(name)
    try:
        if name == STANDARD_STREAM:
            stream = sys.stdin.buffer
            head = stream.read(_HEAD)
            if _parser_of(name, head) is None:
                return None, BufferedReader(_Resumed(head, stream))
            return _whole(head, stream), None
        with (gzip.open if _is_zipped(name) else open)(name, "rb") as file:
            content: bytes = file.read(_HEAD)
            return _whole(content, file) if _parser_of(name, content) else content, None
    except (OSError, EOFError, ValueError, zlib.error) as error:  # a byte 0 in a name, say
        reason = getattr(error, "strerror", None) or error
        raise RecordError(f"cannot read {name!r}: {reason}") from error


def _whole(head: bytes, rest: BufferedIOBase | BinaryIO) -> bytes:
    """Read on after the first bytes; ValueError if that is too much."""
    content = head + rest.read(_MOST + 1)
    if len(content) > _MOST:
        raise ValueError(f"it holds more than {_MOST >> 20} MiB of text: part its games")
    return content


def _table_of_games(name: str, content: bytes) -> pd.DataFrame:
    """Read games that another program wrote."""
    shown = "standard input" if name == STANDARD_STREAM else name
    parse = _parser_of(name, content[:_HEAD])
    if parse is None:
        raise RecordError(
            f"what format is {name!r}? expected .csv, .tsv, .jsonl, .parquet or .pgn (text also "
            "with .gz), a replay of cribbager, or a history of OpenSpiel"
        )
    try:
        return imported_table(parse(content.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RecordError(f"{shown!r} line {line}: not UTF-8 text") from error
    except RecordError as error:
        raise RecordError(f"{shown!r}: {error}") from error


def _parser_of(name: str, head: bytes) -> Callable[[str], list[ImportedGame]] | None:
    """Choose by the suffix, or else by how the text begins."""
    if name.lower().removesuffix(".gz").endswith(".pgn"):
        return parse_pgn
    text = head.decode("utf-8-sig", "replace")
    kinds = ((is_pgn, parse_pgn), (is_replay, parse_replays), (is_history, parse_histories))
    return next((parse for fits, parse in kinds if fits(text)), None)


def _is_zipped(name: str) -> bool:
    return name.lower().endswith(".gz")


def _read_chunks(read: Source, *, most: int | None = None) -> pd.DataFrame:
    frames, size = [], 0
    for chunk in read.chunks(_ROWS if most is None else most + 1):
        frames.append(_chunk_frame(read, chunk))
        size += len(frames[-1])
        if most is not None and size > most:
            break
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
