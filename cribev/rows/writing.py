"""Rows written to files, in every format."""

import gzip
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from os import PathLike, fspath
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError, quote
from cribev.rows.columns import arrow_texts, arrow_with, as_text, as_values, is_arrow
from cribev.rows.lines import (
    DELIMITERS,
    STANDARD_STREAM,
    delimited_lines,
    format_of,
    format_table,
    is_url,
    json_line,
    open_url,
)
from cribev.system.cache import import_optional
from cribev.system.files import AtomicWrites

_BYTES = 1 << 22  # of text at a time


class Sink:
    """Writes rows to a stream in one of `FORMATS`."""

    def __init__(self, stream: IO[bytes], form: str, few_values: Collection[str] = ()) -> None:
        self._stream, self._form, self._few_values = stream, form, {*few_values}
        self._begun = False
        self._rows = 1 << 10  # at a time as text; soon as many as make a few megabytes
        self._parquet: Any = None

    def write(
        self,
        names: Sequence[str],
        columns: Sequence[Any],
        metadata: Mapping[Any, Any] | None = None,
    ) -> None:
        """Write columns of values, which may be Arrow arrays and arrays.

        Arrays hold ASCII text, points, or averages, which delimited text has to six decimals.
        Parquet keeps the metadata of the first rows.
        """
        if self._form not in DELIMITERS and len({*names}) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise CribevError(f"two columns {quote(twice)}: {self._form} has one of each name")
        if self._form == "parquet":
            self._write_parquet(names, columns, metadata)
            return
        if self._form in DELIMITERS and not self._begun:
            self._write_text(delimited_lines([[name] for name in names], DELIMITERS[self._form]))
            self._begun = True
        start = 0
        while start < len(columns[0]):
            block = slice(start, start + self._rows)
            start += self._rows
            written = self._write_text(self._text(names, [column[block] for column in columns]))
            self._rows = min(max(self._rows * _BYTES // written, 1), 2 * self._rows)

    def _write_text(self, text: bytes | Iterable[str]) -> int:
        if not isinstance(text, bytes):
            # Half a surrogate pair, from JSON, is written as it stood there.
            text = ("\n".join(text) + "\n").encode("utf-8", "backslashreplace")
        self._stream.write(text)
        return len(text)

    def _text(self, names: Sequence[str], columns: Sequence[Any]) -> bytes | Iterable[str]:
        if self._form == "jsonl":
            rows = zip(*map(as_values, columns), strict=True)
            return [json_line(dict(zip(names, row, strict=True))) for row in rows]
        delimiter = DELIMITERS[self._form]
        columns_of_cells = list[bytes | list[str]]()
        pairs = ((_as_plain(column), column) for column in columns)
        for plain, group in groupby(pairs, lambda pair: pair[0] is not None):
            arrays, own = zip(*group, strict=True)
            columns_of_cells.append(
                format_table(arrays, delimiter=delimiter)
                if plain
                else delimited_lines([*map(_cells, own)], delimiter)
            )
        if len(columns_of_cells) == 1:
            return columns_of_cells[0]
        lines = (
            cells.decode().split("\n")[:-1] if isinstance(cells, bytes) else cells
            for cells in columns_of_cells
        )
        return map(delimiter.join, zip(*lines, strict=True))

    def _write_parquet(
        self, names: Sequence[str], columns: Sequence[Any], metadata: Mapping[Any, Any] | None
    ) -> None:
        arrow, parquet = arrow_with("parquet")
        try:
            own = [*map(_as_arrow, columns)]
            table = arrow.Table.from_arrays(own, names=list(names), metadata=metadata)
            if self._parquet is None:
                kept = {name for name, column in zip(names, own, strict=True)
                        if arrow.types.is_dictionary(column.type)}  # fmt: skip
                self._parquet = parquet.ParquetWriter(
                    self._stream, table.schema, use_dictionary=[*kept | self._few_values & {*names}]
                )
            # A dictionary that is given up is written out, and more than 2 GB fit in no column.
            step = max(_BYTES * 16 // max(sum(map(_written_out, own)), 1), 1)
            for start in range(0, max(table.num_rows, 1), step):
                block = table.slice(start, step)
                self._parquet.write_table(block.cast(self._parquet.schema))
        except (arrow.ArrowException, OverflowError, UnicodeEncodeError) as error:
            raise CribevError(f"cannot write as Parquet: {str(error).splitlines()[0]}") from error

    def close(self) -> None:
        """Finish what is written."""
        if self._parquet is not None:
            self._parquet.close()


@contextmanager
def open_sink(
    target: str | PathLike[str] | IO[bytes],
    form: str | None = None,
    *,
    few_values: Collection[str] = (),
    force: bool = False,
    outputs: AtomicWrites | None = None,
) -> Iterator[Sink]:
    """Open a file for rows, a URL, or ``-``; a file appears whole, with `outputs`.

    `force` replaces one that is there; columns of `few_values` keep a dictionary in Parquet.
    """
    path = fspath(target) if isinstance(target, str | PathLike) else ""
    form = format_of(path or STANDARD_STREAM, form)
    if form == "parquet":
        import_optional("pyarrow.parquet", "parquet")
    with ExitStack() as opened:
        stream: Any = target
        if path == STANDARD_STREAM:
            sys.stdout.flush()
            stream = getattr(sys.stdout, "buffer", None)
            if stream is None:  # text alone, such as a notebook's
                stream = SimpleNamespace(
                    write=lambda text: sys.stdout.write(text.decode("utf-8", "replace"))
                )
        elif is_url(path):
            stream = opened.enter_context(open_url(path, "wb", force=force))
        elif path:
            stream = (outputs or opened.enter_context(AtomicWrites())).open(Path(path), force=force)
        if path.lower().endswith(".gz"):
            stream = opened.enter_context(
                gzip.GzipFile(filename="", fileobj=stream, mode="wb", compresslevel=6, mtime=0)
            )
        elif path.lower().endswith(".zst"):
            arrow = import_optional("pyarrow", "parquet")
            file = arrow.PythonFile(stream, "w")
            stream = opened.enter_context(arrow.CompressedOutputStream(file, "zstd"))
        sink = Sink(stream, form, few_values)
        try:
            yield sink
        finally:
            sink.close()


def _cells(column: Any) -> Sequence[Any]:
    """Return a column as values; the cards of a list stand side by side."""
    values = as_values(column)
    if list not in {*map(type, values)}:
        return values
    return [as_text(value) if isinstance(value, list) else value for value in values]


_WIDE = 64  # letters of a text that is written beside others in a table of bytes
_MARKS = np.isin(np.arange(256), [*b'"\r\n\t,'])  # bytes that need quotes


def _as_plain(column: Any) -> NDArray[Any] | None:
    """Return a column as an array that needs no quotes; None if it is something else."""
    if getattr(getattr(column, "dtype", None), "kind", "O") in "iufSb":
        return np.asarray(column)
    values = as_values(column)
    try:
        if "\0" in "".join(values) or max(map(len, values), default=0) > _WIDE:
            return None
        texts = np.array(values, dtype="S")
    except TypeError:
        return None
    except UnicodeEncodeError:
        texts = np.array([value.encode("utf-8", "backslashreplace") for value in values])
    letters = texts.view(np.uint8)
    return None if _MARKS[letters].any() else texts


def _written_out(column: Any) -> int:
    """Return the average bytes per row of a column with a dictionary; else 0."""
    dictionary = getattr(column, "dictionary", None)
    return 0 if dictionary is None else int(dictionary.nbytes) // max(len(dictionary), 1)


def _as_arrow(column: Any) -> Any:
    if is_arrow(column):
        return column
    arrow = import_optional("pyarrow", "parquet")
    if isinstance(column, tuple):  # of a text format
        return arrow.array(column, type=arrow.string())
    if not hasattr(column, "dtype"):
        return arrow.array(column)
    if column.dtype.kind == "S":
        return arrow_texts(column)
    whole = column.astype(np.int64) if column.dtype.kind in "ui" else column
    return arrow.array(whole, from_pandas=True)  # what is not known is null
