"""Files of rows, written some rows at a time; each appears whole or not at all."""

import gzip
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError, quote
from cribev.rows.columns import as_values, is_arrow
from cribev.rows.lines import (
    DELIMITERS,
    STANDARD_STREAM,
    delimited_line,
    format_of,
    format_table,
    json_line,
)
from cribev.system.cache import import_optional
from cribev.system.files import AtomicWrites

_BYTES = 1 << 22  # of text at a time


class Sink:
    """Writes rows to a stream of bytes in one of `FORMATS`, some at a time.

    Parquet keeps a dictionary for the columns of `few_values`, which have few different values.
    """

    def __init__(self, stream: IO[bytes], form: str, few_values: Collection[str] = ()) -> None:
        self._stream, self._form, self._few_values = stream, form, set(few_values)
        self._begun = False
        self._rows = 1 << 10  # at a time as text; soon as many as make a few megabytes
        self._parquet: Any = None

    def write(
        self, names: Sequence[str], own: Sequence[Any], added: Mapping[str, NDArray[Any]]
    ) -> None:
        """Write rows: columns of values or Arrow arrays, and after them columns of our own.

        `added` holds ASCII text, points, or averages, which delimited text gives to six decimals
        and the other formats in full. Raises `CribevError` if the format cannot hold them.
        """
        names = [*names, *added]
        if self._form not in DELIMITERS and len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise CribevError(f"two columns {quote(twice)}: {self._form} has one of each name")
        if self._form == "parquet":
            self._write_parquet(names, own, added)
            return
        if self._form in DELIMITERS and not self._begun:
            self._write_lines([delimited_line(names, DELIMITERS[self._form])])
            self._begun = True
        columns = [*own, *added.values()]
        start = 0
        while start < len(columns[0]):
            part = slice(start, start + self._rows)
            start += self._rows
            written = self._write_lines(
                self._lines(names, [column[part] for column in columns], len(own))
            )
            self._rows = min(max(self._rows * _BYTES // written, 1), 2 * self._rows)

    def _write_lines(self, lines: list[str]) -> int:
        # Half a surrogate pair, from JSON, is written as it stood there.
        text = ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace")
        self._stream.write(text)
        return len(text)

    def _lines(self, names: list[str], columns: list[Any], owned: int) -> list[str]:
        values = [as_values(column) for column in columns[:owned]]
        added = columns[owned:]
        if self._form == "jsonl":
            values += [
                (column.astype(str) if column.dtype.kind == "S" else column).tolist()
                for column in added
            ]
            rows = zip(*values, strict=True)
            return [json_line(dict(zip(names, row, strict=True))) for row in rows]
        delimiter = DELIMITERS[self._form]
        parts = [_delimited_lines(values, delimiter)] if values else []
        if added:
            parts.append(format_table(added, delimiter=delimiter))
        return list(map(delimiter.join, zip(*parts, strict=True))) if len(parts) > 1 else parts[0]

    def close(self) -> None:
        """Finish what is written."""
        if self._parquet is not None:
            self._parquet.close()

    def _write_parquet(
        self, names: Sequence[str], own: Sequence[Any], added: Mapping[str, NDArray[Any]]
    ) -> None:
        arrow, parquet = (
            import_optional("pyarrow", "parquet"),
            import_optional("pyarrow.parquet", "parquet"),
        )
        try:
            table = arrow.Table.from_arrays(
                [_as_arrow(arrow, column) for column in [*own, *added.values()]], names=list(names)
            )
            if self._parquet is None:
                kept = {name for name, type_ in zip(names, table.schema.types, strict=True)
                        if arrow.types.is_dictionary(type_)}  # fmt: skip
                self._parquet = parquet.ParquetWriter(
                    self._stream,
                    table.schema,
                    use_dictionary=[*kept | self._few_values & set(names)],
                )
            # A dictionary that is given up is written out, and more than 2 GB fit in no column.
            step = _BYTES * 16 // max(sum(map(_written_out, table.columns)), 1)
            for start in range(0, max(table.num_rows, 1), max(step, 1)):
                part = table.slice(start, max(step, 1))
                self._parquet.write_table(part.cast(self._parquet.schema))
        except (arrow.ArrowException, OverflowError, UnicodeEncodeError) as error:
            raise CribevError(f"cannot write as Parquet: {str(error).splitlines()[0]}") from error


@contextmanager
def open_sink(
    path: str,
    form: str | None = None,
    *,
    few_values: Collection[str] = (),
    force: bool = False,
    outputs: AtomicWrites | None = None,
) -> Iterator[Sink]:
    """Open a file for rows that takes its name only when all is written; ``-`` is standard output.

    Without `form` the suffix gives the format. `force` replaces a file that is there. With
    `outputs` the file appears together with others.

    >>> with open_sink("-", "csv") as sink:
    ...     sink.write(["cards"], [["5H 6H"]], {})
    cards
    5H 6H
    """
    form = format_of(path, form)
    if form == "parquet":
        import_optional("pyarrow.parquet", "parquet")
    with ExitStack() as opened:
        stream: Any
        if path == STANDARD_STREAM:
            sys.stdout.flush()
            stream = getattr(sys.stdout, "buffer", None) or _Encoded(sys.stdout)
        else:
            stream = (outputs or opened.enter_context(AtomicWrites())).open(Path(path), force=force)
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
    """A stream of text, such as a notebook's, that takes bytes."""

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


def _written_out(column: Any) -> int:
    """Return the bytes a row takes of a column with a dictionary, on average; else 0."""
    dictionary = getattr(column.chunk(0), "dictionary", None) if column.num_chunks else None
    return 0 if dictionary is None else int(dictionary.nbytes) // max(len(dictionary), 1)


def _as_arrow(arrow: Any, column: Any) -> Any:
    if is_arrow(column):
        return column
    if isinstance(column, np.ndarray) and column.dtype.kind == "S":
        width = column.dtype.itemsize
        letters = np.ascontiguousarray(column).view(np.uint8)
        if not letters[width - 1 :: width].all():  # some are shorter, as those without suits
            return arrow.array(column.astype(str))
        ends = np.arange(0, (len(column) + 1) * width, width, dtype=np.int32)
        return arrow.StringArray.from_buffers(
            len(column), arrow.py_buffer(ends), arrow.py_buffer(letters)
        )
    if isinstance(column, tuple):  # of a text format
        return arrow.array(column, type=arrow.string())
    if isinstance(column, np.ndarray):
        return arrow.array(column, from_pandas=True)  # what is not known is null
    return arrow.array(column)
