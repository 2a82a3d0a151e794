"""Tables of rows in files: read and written some rows at a time, in the formats people have.

Between reading and writing a column is what its format gives: a sequence of Python values, or an
Arrow array where it comes from Parquet.
"""

import csv
import gzip
import io
import json
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError, quote
from cribev.files import written_whole
from cribev.lines import format_table

FORMATS = ("csv", "tsv", "jsonl", "parquet")
STANDARD = "-"
"""Standard input or output in place of a file."""

_SUFFIXES = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_BYTES = 1 << 21  # of text at a time
_FEW_VALUES = {"role", "best_discard", "discard", "rank", "hand_mean"}
_QUOTE = '"'
_BREAK = re.compile(r"\r\n|\r|\n")


class Chunk(NamedTuple):
    """Some rows of a table."""

    names: list[str]
    columns: list[Any]
    size: int
    place: Callable[[int], str]
    """Where a row, counted from 0 in the chunk, stands in the file: ``line 7``."""
    text: Callable[[int], str]
    """A row's own text."""
    bad: dict[int, CribevError]
    """Rows that are no rows of the table; their values are fillers."""


def format_of(path: str, given: str | None = None) -> str:
    """Tell the format of a file by what is given or by its suffix.

    Raises
    ------
    CribevError
        If neither says.

    Examples
    --------
    >>> format_of("deals.csv.gz"), format_of("-", "jsonl")
    ('csv', 'jsonl')
    >>> format_of("deals.xls")
    Traceback (most recent call last):
    cribev.errors.CribevError: what format is 'deals.xls'? expected .csv, .tsv, .jsonl, .parquet
    (text also with .gz), or the format's name
    """
    if given is not None:
        return given
    suffixes = ["", *(suffix.lower() for suffix in Path(path).suffixes)]
    zipped = suffixes[-1] == ".gz"
    form = _SUFFIXES.get(suffixes[-1 - zipped])
    if form is None or (zipped and form == "parquet"):
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


class Source:
    """A file of rows, open for reading.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.
    form
        One of `FORMATS`; if None, the suffix says it.
    """

    def __init__(self, path: str, form: str | None = None) -> None:
        self.name = "standard input" if path == STANDARD else path
        self.form = format_of(path, form)
        self._opened = ExitStack()
        self._read, self._size = 0, 0
        self._raw: IO[bytes]
        if path == STANDARD:
            self._raw = sys.stdin.buffer
            self._size = 0
        else:
            try:
                self._raw = self._opened.enter_context(Path(path).open("rb"))  # noqa: SIM115
                self._size = Path(path).stat().st_size
            except OSError as error:
                raise CribevError(f"cannot read {path!r}: {error.strerror}") from error
        self._zipped = path.lower().endswith(".gz")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def share_read(self) -> float | None:
        """Tell how much of the file has been read, 0 to 1, or None if there is no telling."""
        return min(self._read / self._size, 1.0) if self._size else None

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """Read some rows at a time; the first chunk comes even where there are none.

        Raises
        ------
        CribevError
            If the file is not of its format.
        """
        try:
            if self.form == "parquet":
                yield from self._parquet(rows)
            elif self.form == "jsonl":
                yield from self._json_lines(rows)
            else:
                yield from self._delimited(rows)
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise CribevError(f"cannot read {self.name!r}: {reason}") from error

    def _blocks(self) -> Iterator[str]:
        """Read text, as it is, cut at the end of a line."""
        stream: Any = gzip.GzipFile(fileobj=self._raw) if self._zipped else self._raw
        rest, lines, encoding = b"", 0, "utf-8-sig"
        while block := stream.read(_BYTES):
            self._read = self._raw.tell() if self._size else 0
            whole, end, tail = block.rpartition(b"\n")
            if end:
                yield self._decoded(rest + whole + end, lines, encoding)
                lines, rest, encoding = lines + whole.count(b"\n") + 1, tail, "utf-8"
            else:
                rest += tail
        if rest:
            yield self._decoded(rest, lines, encoding)

    def _decoded(self, text: bytes, lines: int, encoding: str) -> str:
        try:
            return text.decode(encoding)
        except UnicodeDecodeError as error:
            line = lines + text.count(b"\n", 0, error.start) + 1
            raise CribevError(f"{self.name!r} line {line}: not UTF-8 text") from error

    def _delimited(self, rows: int) -> Iterator[Chunk]:
        delimiter, blocks = _DELIMITERS[self.form], self._blocks()
        names: list[str] = []
        line, rest, size = 0, "", 0
        for text in blocks:
            rest = text
            if not names:
                head, _, body = text.partition("\n")
                head = head.rstrip("\r")
                if not head or _QUOTE in head or "\r" in head:
                    break
                names, line, rest = head.split(delimiter), 1, body
            lines = _plain_lines(rest, delimiter, len(names))
            if lines is None:
                break
            for start in range(0, len(lines), rows):
                chunk = _plain_chunk(names, lines[start : start + rows], line, delimiter)
                line, size = line + chunk.size, size + chunk.size
                yield chunk
            rest = ""
        # From the first line on that is no plain row, a reader takes row after row.
        every = chain.from_iterable(map(_lines, chain([rest], blocks)))
        reader = csv.reader(every, delimiter=delimiter, strict=True)
        try:
            names = names or next(filter(None, reader), [])
            if not names:
                raise CribevError(f"{self.name!r} is empty: expected a line of column names")
            done = reader.line_num
            while (block := list(islice(reader, rows))) or not size:
                yield _delimited_chunk(names, block, line + done, line + reader.line_num, delimiter)
                done, size = reader.line_num, size + len(block) + 1
        except csv.Error as error:
            where = line + reader.line_num
            raise CribevError(f"{self.name!r} line {where}: {error}") from error

    def _json_lines(self, rows: int) -> Iterator[Chunk]:
        names: list[str] = []
        lines = chain.from_iterable(map(_lines, self._blocks()))
        numbered = ((at, line) for at, line in enumerate(lines, 1) if line.strip())
        while block := list(islice(numbered, rows)):
            chunk = _json_chunk(names, block)
            names = chunk.names
            if not names:
                raise CribevError(f"{self.name!r} {chunk.place(0)}: {chunk.bad[0]}")
            yield chunk
        if not names:
            raise CribevError(f"{self.name!r} is empty: expected a JSON object in each line")

    def _parquet(self, rows: int) -> Iterator[Chunk]:
        arrow, parquet = extra("pyarrow", "parquet"), extra("pyarrow.parquet", "parquet")
        whole = self._raw if self._size else io.BytesIO(self._raw.read())  # it starts at its end
        try:
            with parquet.ParquetFile(whole) as file:
                names = list(file.schema_arrow.names)
                total, done = file.metadata.num_rows, 0
                if not total:
                    none = arrow.RecordBatch.from_pylist([], schema=file.schema_arrow)
                    yield _arrow_chunk(names, none, 0)
                for batch in file.iter_batches(batch_size=rows):
                    yield _arrow_chunk(names, batch, done)
                    done += batch.num_rows
                    self._read = done * self._size // total
        except arrow.ArrowException as error:
            reason = str(error).splitlines()[0]
            raise CribevError(f"cannot read {self.name!r} as Parquet: {reason}") from error


def _lines(text: str) -> Iterator[str]:
    return io.StringIO(text, newline="")


def _plain_lines(text: str, delimiter: str, width: int) -> list[str] | None:
    """Cut text into lines if each is a row without quotes; None if one is not."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if not text.endswith("\n"):
        text += "\n" * bool(text)
    if _QUOTE in text or "\r" in text or (width == 1 and ("\n\n" in text or text[:1] == "\n")):
        return None
    letters = np.frombuffer(text.encode(), dtype=np.uint8)
    marks = letters[(letters == ord(delimiter)) | (letters == ord("\n"))] == ord("\n")
    # The last mark of each row, and no other, ends the line.
    if marks.size % width or not (marks.reshape(-1, width) == _last_of(width)).all():
        return None
    return text.split("\n")[:-1]


def _last_of(width: int) -> NDArray[np.bool_]:
    last: NDArray[np.bool_] = np.arange(width) == width - 1
    return last


def _plain_chunk(names: list[str], lines: list[str], before: int, delimiter: str) -> Chunk:
    values = delimiter.join(lines).split(delimiter)
    columns = [tuple(values[at :: len(names)]) for at in range(len(names))]
    return Chunk(
        names, columns, len(lines), lambda row: f"line {before + row + 1}", lines.__getitem__, {}
    )


def _delimited_chunk(
    names: list[str], rows: list[list[str]], before: int, after: int, delimiter: str
) -> Chunk:
    lines: Sequence[int] = range(before + 1, before + 1 + len(rows))
    widths = set(map(len, rows))
    if after - before != len(rows) or 0 in widths:  # line breaks within quotes, or blank lines
        lines = list(accumulate(map(_height, rows[:-1]), initial=before + 1))
        full = [at for at, row in enumerate(rows) if row]
        rows, lines = [rows[at] for at in full], [lines[at] for at in full]
    bad: dict[int, CribevError] = {}
    own = rows
    if widths - {0, len(names)}:
        bad = {
            at: CribevError(f"expected {len(names)} values, got {len(row)}")
            for at, row in enumerate(rows)
            if len(row) != len(names)
        }
        own = [[""] * len(names) if at in bad else row for at, row in enumerate(rows)]

    def text(row: int) -> str:
        return delimited_line(rows[row], delimiter)

    columns: list[Any] = list(zip(*own, strict=True)) if rows else [() for _ in names]
    return Chunk(names, columns, len(rows), lambda row: f"line {lines[row]}", text, bad)


def _height(row: list[str]) -> int:
    """Count the lines that a row takes: more than one where a line breaks within quotes."""
    return 1 + sum(len(_BREAK.findall(value)) for value in row)


def _json_chunk(names: list[str], lines: list[tuple[int, str]]) -> Chunk:
    bad: dict[int, CribevError] = {}
    rows: list[dict[str, Any]] = []
    for at, (_, line) in enumerate(lines):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            bad[at] = CribevError(f"{quote(line.strip())} is not JSON: {error}")
            row = {}
        else:
            if not isinstance(row, dict) or not row:
                bad[at] = CribevError(f"expected a JSON object, got {quote(line.strip())}")
                row = {}
            names = names or list(row)
            if at not in bad and row.keys() != set(names):
                bad[at] = CribevError(
                    f"expected the keys {quote(', '.join(names))}, got {quote(', '.join(row))}"
                )
                row = {}
        rows.append(row)
    columns: list[Any] = [[row.get(name) for row in rows] for name in names]
    return Chunk(
        names, columns, len(rows), lambda row: f"line {lines[row][0]}",
        lambda row: lines[row][1].rstrip("\r\n"), bad,
    )  # fmt: skip


def _arrow_chunk(names: list[str], batch: Any, before: int) -> Chunk:
    def text(row: int) -> str:
        values = [_values(column.slice(row, 1))[0] for column in columns]
        return json.dumps(dict(zip(names, values, strict=True)), default=str)

    arrow = extra("pyarrow", "parquet")
    columns = [  # rows of a column of views cannot be picked
        column.cast(arrow.string()) if arrow.types.is_string_view(column.type) else column
        for column in batch.columns
    ]
    return Chunk(names, columns, batch.num_rows, lambda row: f"row {before + row + 1}", text, {})


def is_arrow(column: object) -> bool:
    """Tell whether a column is an Arrow array.

    >>> is_arrow(["5H"])
    False
    """
    return type(column).__module__.split(".")[0] == "pyarrow"


def _values(column: Any) -> Sequence[Any]:
    """Take a column as Python values."""
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


class Sink:
    """Where rows are written, some at a time.

    Parameters
    ----------
    stream
        Open for writing bytes.
    form
        One of `FORMATS`.
    """

    def __init__(self, stream: IO[bytes], form: str) -> None:
        self._stream, self._form = stream, form
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
        if self._form not in _DELIMITERS and len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise CribevError(f"two columns {quote(twice)}: {self._form} has one of each name")
        if self._form == "parquet":
            self._write_parquet(names, own, added)
            return
        values = [_values(column) for column in own]
        if self._form == "jsonl":
            encode = json.JSONEncoder(default=str, ensure_ascii=False).encode
            values += [
                (column.astype(str) if column.dtype.kind == "S" else column).tolist()
                for column in added.values()
            ]
            rows = zip(*values, strict=True)
            lines = [encode(dict(zip(names, row, strict=True))) for row in rows]
        else:
            delimiter = _DELIMITERS[self._form]
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
                # A dictionary of values pays where few of them are different.
                self._parquet = parquet.ParquetWriter(
                    self._stream, table.schema, use_dictionary=[*_FEW_VALUES & set(names)]
                )
            self._parquet.write_table(table.cast(self._parquet.schema))
        except (arrow.ArrowException, OverflowError, UnicodeEncodeError) as error:
            raise CribevError(f"cannot write as Parquet: {str(error).splitlines()[0]}") from error


@contextmanager
def opened_sink(path: str, form: str | None = None) -> Iterator[Sink]:
    """Open a file for rows that takes its name only when all is written.

    Parameters
    ----------
    path
        The file; ``-`` is standard output.
    form
        One of `FORMATS`; if None, the suffix says it.

    Raises
    ------
    CribevError
        If the format is not known, or needs what is not installed.
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
            stream = opened.enter_context(written_whole(Path(path)))
        if path.lower().endswith(".gz"):
            stream = opened.enter_context(
                gzip.GzipFile(filename="", fileobj=stream, mode="wb", compresslevel=6, mtime=0)
            )
        sink = Sink(stream, form)
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


def delimited_line(row: Iterable[Any], delimiter: str) -> str:
    """Write a row as delimited text, quoted where it must be, without the end of the line.

    >>> delimited_line(["5H 6H", "5H,6H", 7], ",")
    '5H 6H,"5H,6H",7'
    """
    buffer = io.StringIO(newline="")
    # This end makes the writer quote values with either kind of line break.
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n").writerow(row)
    return buffer.getvalue()[:-2]


def _delimited_lines(columns: Sequence[Any], delimiter: str) -> list[str]:
    """Write columns of values as delimited lines without their ends."""
    rows = list(zip(*columns, strict=True))
    with suppress(TypeError):  # not all are texts
        lines = list(map(delimiter.join, rows))
        text = "".join(lines)
        plain = len(columns) > 1 or all(lines)
        plain &= text.count(delimiter) == len(rows) * (len(columns) - 1)
        if plain and not any(letter in text for letter in (_QUOTE, "\r", "\n")):
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
