"""Files of rows, written some rows at a time; each appears whole or not at all."""

import gzip
import json
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError, quote
from cribev.files.columns import as_values, is_arrow
from cribev.files.extras import extra
from cribev.files.formats import DELIMITERS, STANDARD, delimited_line, format_of
from cribev.files.lines import format_table
from cribev.files.whole import Outputs


class Sink:
    """Where rows are written, some at a time.

    Parameters
    ----------
    stream
        Open for writing bytes.
    form
        One of `FORMATS`.
    few_values
        Columns that have few different values, for which Parquet keeps a dictionary.
    """

    def __init__(self, stream: IO[bytes], form: str, few_values: Collection[str] = ()) -> None:
        self._stream, self._form, self._few_values = stream, form, set(few_values)
        self._begun = False
        self._parquet: Any = None

    def write(
        self, names: Sequence[str], own: Sequence[Any], added: Mapping[str, NDArray[Any]]
    ) -> None:
        """Write rows.

        Parameters
        ----------
        names, own
            Columns of values, or Arrow arrays.
        added
            Columns by name to stand after them: ASCII text, points, or averages, which text with
            delimiters gives to six decimals and the other formats in full.

        Raises
        ------
        CribevError
            If the format cannot hold them.
        """
        names = [*names, *added]
        if self._form not in DELIMITERS and len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise CribevError(f"two columns {quote(twice)}: {self._form} has one of each name")
        if self._form == "parquet":
            self._write_parquet(names, own, added)
            return
        values = [as_values(column) for column in own]
        if self._form == "jsonl":
            encode = json.JSONEncoder(default=str, ensure_ascii=False).encode
            values += [
                (column.astype(str) if column.dtype.kind == "S" else column).tolist()
                for column in added.values()
            ]
            rows = zip(*values, strict=True)
            lines = [encode(dict(zip(names, row, strict=True))) for row in rows]
        else:
            delimiter = DELIMITERS[self._form]
            lines = [] if self._begun else [delimited_line(names, delimiter)]
            parts = [_delimited_lines(values, delimiter)] if values else []
            if added:
                parts.append(format_table(list(added.values()), delimiter=delimiter))
            lines += map(delimiter.join, zip(*parts, strict=True)) if len(parts) > 1 else parts[0]
        self._begun = True
        text = "\n".join(lines) + "\n" * bool(lines)
        # Half a surrogate pair, from JSON, is written as it stood there.
        self._stream.write(text.encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """Finish what is written."""
        if self._parquet is not None:
            self._parquet.close()

    def _write_parquet(
        self, names: Sequence[str], own: Sequence[Any], added: Mapping[str, NDArray[Any]]
    ) -> None:
        arrow, parquet = extra("pyarrow", "parquet"), extra("pyarrow.parquet", "parquet")
        try:
            table = arrow.Table.from_arrays(
                [_as_arrow(arrow, column) for column in [*own, *added.values()]], names=list(names)
            )
            if self._parquet is None:
                self._parquet = parquet.ParquetWriter(
                    self._stream, table.schema, use_dictionary=[*self._few_values & set(names)]
                )
            self._parquet.write_table(table.cast(self._parquet.schema))
        except (arrow.ArrowException, OverflowError, UnicodeEncodeError) as error:
            raise CribevError(f"cannot write as Parquet: {str(error).splitlines()[0]}") from error


@contextmanager
def opened_sink(
    path: str,
    form: str | None = None,
    *,
    few_values: Collection[str] = (),
    force: bool = False,
    outputs: Outputs | None = None,
) -> Iterator[Sink]:
    """Open a file for rows that takes its name only when all is written.

    Parameters
    ----------
    path
        The file; ``-`` is standard output.
    form
        One of `FORMATS`; if None, the suffix says it.
    few_values
        As in `Sink`.
    force
        Replace a file that is there.
    outputs
        The files to appear with, where there are others.

    Raises
    ------
    CribevError
        If the format is not known, or needs what is not installed; or a file is there.
    OSError
        If it cannot be written.

    Examples
    --------
    >>> with opened_sink("-", "csv") as sink:
    ...     sink.write(["cards"], [["5H 6H"]], {})
    cards
    5H 6H
    """
    form = format_of(path, form)
    if form == "parquet":
        extra("pyarrow.parquet", "parquet")
    with ExitStack() as opened:
        stream: Any
        if path == STANDARD:
            sys.stdout.flush()
            stream = getattr(sys.stdout, "buffer", None) or _Encoded(sys.stdout)
        else:
            stream = (outputs or opened.enter_context(Outputs())).open(Path(path), force=force)
        if path.lower().endswith(".gz"):
            stream = opened.enter_context(
                gzip.GzipFile(filename="", fileobj=stream, mode="wb", compresslevel=6, mtime=0)
            )
        sink = Sink(stream, form, few_values)
        try:
            yield sink
        finally:
            sink.close()


class _Encoded:
    """A stream of text, such as a notebook's, to write bytes to."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: bytes) -> int:
        return self._stream.write(text.decode("utf-8", "replace"))


def _delimited_lines(columns: Sequence[Any], delimiter: str) -> list[str]:
    """Write columns of values as delimited lines without their ends."""
    rows = list(zip(*columns, strict=True))
    with suppress(TypeError):  # not all are texts
        lines = list(map(delimiter.join, rows))
        text = "".join(lines)
        plain = len(columns) > 1 or all(lines)
        plain &= text.count(delimiter) == len(rows) * (len(columns) - 1)
        if plain and not any(letter in text for letter in ('"', "\r", "\n")):
            return lines
    return [delimited_line(row, delimiter) for row in rows]


def _as_arrow(arrow: Any, column: Any) -> Any:
    if is_arrow(column):
        return column
    if isinstance(column, np.ndarray) and column.dtype.kind == "S":
        width = column.dtype.itemsize
        ends = np.arange(0, (len(column) + 1) * width, width, dtype=np.int32)
        return arrow.StringArray.from_buffers(
            len(column), arrow.py_buffer(ends), arrow.py_buffer(np.ascontiguousarray(column))
        )
    if isinstance(column, tuple):  # of a text format
        return arrow.array(column, type=arrow.string())
    return arrow.array(column)
