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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError, quote
from cribev.files import written_whole

FORMATS = ("csv", "tsv", "jsonl", "parquet")
STANDARD = "-"
"""Standard input or output in place of a file."""

_SUFFIXES = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_BYTES = 1 << 20  # of text at a time
_LONGEST_FIELD = 1 << 24
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
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    if not suffixes or suffixes[-1] not in _SUFFIXES:
        raise CribevError(
            f"what format is {quote(path)}? expected .csv, .tsv, .jsonl, .parquet "
            "(text also with .gz), or the format's name"
        )
    return _SUFFIXES[suffixes[-1]]


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
                self._raw = self._opened.enter_context(Path(path).open("rb"))
                self._size = Path(path).stat().st_size
            except OSError as error:
                raise CribevError(f"cannot read {quote(path)}: {error.strerror}") from error
        self._zipped = path.lower().endswith(".gz")

    def __enter__(self) -> "Source":
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
            raise CribevError(f"cannot read {quote(self.name)}: {reason}") from error

    def _text(self) -> Iterator[str]:
        """Read whole lines, as they are, with their ends."""
        stream: Any = gzip.GzipFile(fileobj=self._raw) if self._zipped else self._raw
        rest, lines = b"", 0
        first = True
        while True:
            block = stream.read(_BYTES)
            self._read = self._raw.tell() if self._size else 0
            whole, end, tail = block.rpartition(b"\n")
            if block and not end:
                rest += tail
                continue
            text = rest + whole + end
            rest = tail
            try:
                decoded = text.decode("utf-8-sig" if first else "utf-8")
            except UnicodeDecodeError as error:
                line = lines + text.count(b"\n", 0, error.start) + 1
                raise CribevError(f"{quote(self.name)} line {line}: not UTF-8 text") from error
            first = False
            lines += text.count(b"\n")
            yield from io.StringIO(decoded, newline="")
            if not block:
                return

    def _delimited(self, rows: int) -> Iterator[Chunk]:
        csv.field_size_limit(_LONGEST_FIELD)
        delimiter = _DELIMITERS[self.form]
        reader = csv.reader(self._text(), delimiter=delimiter, strict=True)
        try:
            names = next(filter(None, reader), None)
            if names is None:
                raise CribevError(f"{quote(self.name)} is empty: expected a line of column names")
            done = reader.line_num
            some = False
            while block := list(islice(reader, rows)):
                yield _delimited_chunk(names, block, done, reader.line_num, delimiter)
                done, some = reader.line_num, True
            if not some:
                yield _delimited_chunk(names, [], done, done, delimiter)
        except csv.Error as error:
            raise CribevError(f"{quote(self.name)} line {reader.line_num}: {error}") from error

    def _json_lines(self, rows: int) -> Iterator[Chunk]:
        names: list[str] = []
        numbered = ((at, line) for at, line in enumerate(self._text(), 1) if line.strip())
        while block := list(islice(numbered, rows)):
            chunk = _json_chunk(names, block)
            names = chunk.names
            yield chunk
        if not names:
            raise CribevError(f"{quote(self.name)} is empty: expected a JSON object in each line")

    def _parquet(self, rows: int) -> Iterator[Chunk]:
        arrow, parquet = extra("pyarrow", "parquet"), extra("pyarrow.parquet", "parquet")
        whole = self._raw if self._size else io.BytesIO(self._raw.read())  # it starts at its end
        try:
            with parquet.ParquetFile(whole) as file:
                names = list(file.schema_arrow.names)
                total, done = file.metadata.num_rows, 0
                if not total:
                    yield _arrow_chunk(names, file.schema_arrow.empty_table(), 0)
                for batch in file.iter_batches(batch_size=rows):
                    yield _arrow_chunk(names, batch, done)
                    done += batch.num_rows
                    self._read = done * self._size // total
        except arrow.ArrowException as error:
            reason = str(error).splitlines()[0]
            raise CribevError(f"cannot read {quote(self.name)} as Parquet: {reason}") from error


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
        return _delimited_text([rows[row]], delimiter).rstrip("\n")

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
            bad[at] = CribevError(f"not JSON: {error}")
            row = {}
        else:
            if not isinstance(row, dict) or not row:
                bad[at] = CribevError("expected a JSON object")
                row = {}
            names = names or list(row)
            if at not in bad and row.keys() != set(names):
                bad[at] = CribevError(
                    f"expected the keys {quote(', '.join(names))}, got {quote(', '.join(row))}"
                )
                row = {}
        rows.append(row)
    if not names:
        raise CribevError(f"line {lines[0][0]}: {bad[0]}")
    columns: list[Any] = [[row.get(name) for row in rows] for name in names]
    return Chunk(
        names, columns, len(rows), lambda row: f"line {lines[row][0]}",
        lambda row: lines[row][1].rstrip("\r\n"), bad,
    )  # fmt: skip


def _arrow_chunk(names: list[str], batch: Any, before: int) -> Chunk:
    def text(row: int) -> str:
        return json.dumps(batch.slice(row, 1).to_pylist()[0], default=str)

    return Chunk(
        names, batch.columns, batch.num_rows, lambda row: f"row {before + row + 1}", text, {}
    )


def is_arrow(column: object) -> bool:
    """Tell whether a column is an Arrow array.

    >>> is_arrow(["5H"])
    False
    """
    return type(column).__module__.split(".")[0] == "pyarrow"


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

    def write(self, names: Sequence[str], columns: Sequence[Any]) -> None:
        """Write rows: columns of values, Arrow arrays, or numpy arrays (bytes are ASCII text)."""
        if self._form == "parquet":
            self._write_parquet(names, columns)
            return
        values = [_as_values(column) for column in columns]
        if self._form == "jsonl":
            encode = json.JSONEncoder(default=str, ensure_ascii=False).encode
            rows = zip(*values, strict=True)
            text = "".join(encode(dict(zip(names, row, strict=True))) + "\n" for row in rows)
        else:
            head = [] if self._begun else [names]
            delimiter = _DELIMITERS[self._form]
            text = _delimited_text(chain(head, zip(*values, strict=True)), delimiter)
        self._begun = True
        self._stream.write(text.encode("utf-8", "surrogatepass"))

    def close(self) -> None:
        """Finish what is written."""
        if self._parquet is not None:
            self._parquet.close()

    def _write_parquet(self, names: Sequence[str], columns: Sequence[Any]) -> None:
        arrow, parquet = extra("pyarrow", "parquet"), extra("pyarrow.parquet", "parquet")
        try:
            table = arrow.Table.from_arrays(
                [_as_arrow(arrow, column) for column in columns], names=list(names)
            )
            if self._parquet is None:
                self._parquet = parquet.ParquetWriter(self._stream, table.schema)
            self._parquet.write_table(table.cast(self._parquet.schema))
        except arrow.ArrowException as error:
            raise CribevError(f"cannot write as Parquet: {str(error).splitlines()[0]}") from error


@contextmanager
def opened_sink(path: str, form: str | None = None) -> Iterator[Sink]:
    """Open a file for rows that takes its name only when all is written.

    Parameters
    ----------
    path
        The file; ``-`` is standard output. A device is written as it is.
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
    ...     sink.write(["cards"], [["5H 6H"]])
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
        elif Path(path).exists() and not Path(path).is_file():
            stream = opened.enter_context(Path(path).open("wb"))
        else:
            stream = opened.enter_context(written_whole(Path(path).resolve()))
        if path.lower().endswith(".gz"):
            stream = opened.enter_context(
                gzip.GzipFile(filename="", fileobj=stream, mode="wb", compresslevel=6, mtime=0)
            )
        sink = Sink(stream, form)
        yield sink
        sink.close()


class _Encoded:
    """A stream of text, such as a notebook's, to write bytes to."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: bytes) -> int:
        return self._stream.write(text.decode("utf-8", "replace"))


def _delimited_text(rows: Iterable[Iterable[Any]], delimiter: str) -> str:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def _as_values(column: Any) -> Any:
    if isinstance(column, np.ndarray):
        return (column.astype(str) if column.dtype.kind == "S" else column).tolist()
    return column.to_pylist() if is_arrow(column) else column


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
