"""Files of rows, read in chunks: CSV with its bad rows, JSON Lines and Parquet."""

import csv
import glob
import gzip
import io
import json
import re
import sys
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import accumulate, chain, islice, repeat
from os import PathLike, fspath
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NamedTuple, Self, cast

from cribev.errors import CribevError, quote
from cribev.game.cards import parse_some_suits
from cribev.rows.columns import RowErrors, arrow_with, as_values
from cribev.rows.headings import PLAIN, Headings, named_columns, names_known, require_headings
from cribev.rows.lines import (
    DELIMITERS,
    STANDARD_STREAM,
    complete_lines,
    delimited_lines,
    format_of,
    has_suffix,
    is_url,
    json_line,
    open_url,
)
from cribev.system.cache import import_optional

CHUNK_ROWS = 1 << 16
"""Rows at a time: enough that the cost of a chunk hardly counts, in some tens of megabytes."""

HEAD = 1 << 12  # bytes by which a format is known
STANDARD_INPUT = "standard input"
LINES = "lines"  # of cards alone, a hand in each

_BYTES = 1 << 21  # of text at a time
_ROW_BYTES = 1 << 10  # of Parquet; if rows have more, fewer are read at a time
_FEW_ROWS = 1 << 8
_LOOSE_WIDTH = 1000  # columns: short rows of a small file would fill any memory
_QUOTED = re.compile(r'"[^"]*"')
_BREAK = re.compile(r"\r\n|\r|\n")
_NUMBER_OF_ROWS = re.compile(r"\s*[0-9]+[ \t]*(?:\r\n|\r|\n)")  # in a first line
_FOREIGN = "not UTF-8 text"
# Python's own messages are for programmers; a JSON error has a class of its own.
_BEYOND = {RecursionError: "it is nested too deeply", ValueError: "a number has too many digits"}

FileLike = str | PathLike[str] | IO[bytes]
"""A path, a URL, ``-``, or an open file."""


class Chunk(NamedTuple):
    """Some rows of a table."""

    names: list[Any]
    columns: list[Any]
    """Each a list or tuple of values, an Arrow array, or a column of pandas."""
    size: int
    place: Callable[[int], str]
    """The place of a row of the chunk, counted from 0, in its table: ``line 7``."""
    text: Callable[[int], str]  # a row's own text
    bad: Mapping[int, CribevError] = MappingProxyType({})
    """Rows that do not fit the table; their values are fillers."""
    source: str = ""  # the name of the file
    part_read: float | None = None  # how much of the files has been read, 0 to 1, if that is known
    metadata: dict[bytes, bytes] | None = None

    def select(self, places: Sequence[int]) -> list[Any]:
        """Return some of the columns."""
        return [self.columns[place] for place in places]

    def require(self, errors: Mapping[int, CribevError]) -> None:
        """Raise the error of the first bad row, with its place, if there are errors."""
        for row in sorted(errors)[:1]:
            where = f"{self.source!r} {self.place(row)}" if self.source else self.place(row)
            raise type(errors[row])(f"{where}: {errors[row]}") from errors[row]


class Input(NamedTuple):
    """A file that is open for reading: text is decompressed and UTF-8."""

    name: str
    stream: io.BufferedReader
    part_read: Callable[[], float | None] = lambda: None


class _Begun(io.BufferedReader):
    """A stream that can be peeked at, and does not close what it reads."""

    def close(self) -> None:
        """Leave it open."""


def begun(stream: IO[bytes]) -> io.BufferedReader:
    """Return a stream from its beginning, which can be peeked at."""
    return _Begun(cast("io.RawIOBase", stream), HEAD)


_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"  # how a stream begins


def unzipped(stream: IO[bytes], name: str) -> io.BufferedReader:
    """Return a stream as plain text, if it is compressed or UTF-16 by its beginning or name."""
    plain: Any = begun(stream)
    head = plain.peek(4)
    if head.startswith(_GZIP) or name.lower().endswith(".gz"):
        plain = gzip.GzipFile(fileobj=plain)
        head = plain.peek(2)
    if head.startswith(_ZSTANDARD):
        arrow = import_optional("pyarrow", "parquet")
        plain = arrow.CompressedInputStream(arrow.PythonFile(plain), "zstd")
    elif head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):  # as spreadsheets write "Unicode text"
        try:
            plain = io.BytesIO(plain.read().decode("utf-16").encode())
        except UnicodeError as error:
            raise CribevError(f"{name!r} is not UTF-16 text, as it begins") from error
    return begun(plain)


@contextmanager
def named_errors(name: str) -> Iterator[None]:
    """Raise an error of the system as a `CribevError` with the name of the file."""
    try:
        yield
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        raise CribevError(f"cannot read {quote(name, most=300)}: {reason}") from error


def require_stream(source: object) -> None:
    """Raise CribevError if a source that is no path cannot be read as bytes."""
    if not hasattr(source, "readinto"):
        raise CribevError(f"expected a path or a file open as bytes, got {quote(repr(source))}")


@contextmanager
def open_input(source: FileLike) -> Iterator[Input]:
    """Open a file of rows, a URL, or ``-``, standard input."""
    with ExitStack() as opened:
        if not isinstance(source, str | PathLike):
            require_stream(source)
            name = str(getattr(source, "name", "the open file"))
            yield Input(name, unzipped(source, name))
            return
        path, size = fspath(source), 0
        name = STANDARD_INPUT if path == STANDARD_STREAM else path
        with named_errors(name):
            if "\0" in path:
                raise OSError("embedded null byte")
            raw = sys.stdin.buffer
            if path != STANDARD_STREAM:
                raw = opened.enter_context(
                    open_url(path) if is_url(path) else Path(path).open("rb")  # noqa: SIM115  (the stack closes it)
                )
            if path != STANDARD_STREAM and not is_url(path):
                size = Path(path).stat().st_size
            stream = unzipped(raw, path)
        yield Input(name, stream, lambda: min(raw.tell() / size, 1.0) if size else None)


def read_chunks(
    sources: Sequence[FileLike | Input],
    form: str | None = None,
    *,
    rows: int = CHUNK_ROWS,
    known: Sequence[str] = ("cards",),
    loose: bool = False,
    headings: Headings = PLAIN,
) -> Generator[Chunk, None, None]:
    """Read files with the same columns as one, in chunks of rows; the first chunk may be empty.

    CSV may have semicolons or tabs instead of commas, as written by spreadsheets; columns are
    called as in `known`, as `normalised_header` does. If `loose`, rows may lack their last values,
    JSON objects some keys, and blanks may precede a quoted value.
    """
    names, first = list[str](), ""
    for number, source in enumerate(sources):
        with ExitStack() as opened:
            file = source if isinstance(source, Input) else opened.enter_context(open_input(source))
            for chunk in _Reader(file, form, known, loose=loose, headings=headings).chunks(rows):
                names, first = names or chunk.names, first or chunk.source
                if sorted(chunk.names) != sorted(names):
                    others, firsts = (quote(", ".join(each)) for each in (chunk.names, names))
                    raise CribevError(
                        f"{chunk.source!r} has the columns {others}, and {first!r} {firsts}: "
                        "expected the same in all files"
                    )
                if chunk.names != names:  # in another order
                    own = chunk.select([*map(chunk.names.index, names)])
                    chunk = chunk._replace(names=names, columns=own)
                share = file.part_read() if chunk.part_read is None else chunk.part_read
                whole = None if share is None else (number + share) / len(sources)
                yield chunk._replace(part_read=whole)


def table_format(
    head: bytes,
    known: Collection[str],
    headings: Headings,
    *,
    needed: Callable[[set[str]], bool] = bool,
) -> tuple[str | None, str]:
    """Find the format of a table by how it begins, None if it is none; and return its text.

    `needed` tells whether the columns that are known in the first line make it a table.
    """
    if head.startswith(b"PAR1"):
        return "parquet", ""
    text = head.decode("utf-8-sig", "replace").lstrip()
    while text.startswith("#") and not needed(names_known(text, known, headings)):
        text = text.partition("\n")[2].lstrip()
    if re.match(r"\{|\[\s*\{", text):
        return "jsonl", text
    return "csv" if needed(names_known(text, known, headings)) else None, text


def _is_hand(text: str) -> bool:
    """Return whether the first line of a text, or that after a number of rows, is cards alone."""
    with suppress(CribevError):
        return len(parse_some_suits(_BREAK.split(_NUMBER_OF_ROWS.sub("", text), maxsplit=1)[0])) > 1
    return False


class _Reader:
    """A table in a file, read once."""

    def __init__(
        self,
        file: Input,
        form: str | None,
        known: Sequence[str],
        *,
        loose: bool,
        headings: Headings,
    ) -> None:
        self._file, self._name, self._known, self._loose = file, file.name, known, loose
        self._headings = headings
        self._foreign = False  # some of the text read so far is not UTF-8
        if form is None and not has_suffix(file.name):
            with named_errors(file.name):
                form, text = table_format(file.stream.peek(HEAD), known, headings)
            if form is None and _is_hand(text):
                form = LINES
            elif form is None and file.name == STANDARD_INPUT:
                form = "csv"
        try:
            self._form = form if form == LINES else format_of(file.name, form)
        except CribevError as error:
            raise CribevError(
                f"{error}; a file of any name has names of columns in its first line, such as "
                f"{known[0]}, or JSON objects, or cards in each line"
            ) from error

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """Read rows in chunks; the first chunk comes even if there are no rows."""
        read = {"parquet": self._parquet, "jsonl": self._json_lines}.get(self._form, self._text)
        with named_errors(self._name):
            for chunk in read(rows):
                require_headings(chunk.names, repr(self._name))
                absent = self._headings.columns.keys() - {*chunk.names}
                if absent and not self._headings.some:
                    there = quote(", ".join(chunk.names), most=200)
                    said = f"{self._name!r}: no column {min(absent)!r} for --columns"
                    raise CribevError(f"{said}: there are {there}")
                names, columns = named_columns(
                    chunk.names, chunk.columns, self._known, self._headings
                )
                yield chunk._replace(names=names, columns=columns, source=self._name)

    def _texts(self) -> Iterator[str]:
        """Read blocks of whole lines."""
        read, encoding = partial(self._file.stream.read, _BYTES), "utf-8-sig"
        for text in complete_lines(read, of=f"{self._name!r} "):
            try:
                yield text.decode(encoding)
            except UnicodeDecodeError:  # the rows with such bytes are bad, and no others
                self._foreign = True
                yield text.decode(encoding, "surrogateescape")
            encoding = "utf-8"

    def _text(self, rows: int) -> Iterator[Chunk]:
        """Read delimited text."""
        texts = self._texts()
        first, number, empty = next(texts, ""), 0, True
        while first.startswith("#") and not names_known(first, self._known, self._headings):
            first, number = first.partition("\n")[2], number + 1
        alone = self._form == LINES
        if alone and (told := _NUMBER_OF_ROWS.match(first)):
            first, number = first[told.end() :], number + 1
        delimiter = "\x1f" if alone else _delimiter(first, DELIMITERS[self._form])
        lines = _Lines(chain([first], texts), number)
        parse = partial(csv.reader, delimiter=delimiter, strict=True, skipinitialspace=self._loose)
        try:
            names = [self._known[0]] if alone else self._names(next(filter(None, parse(lines)), []))
        except csv.Error as error:
            raise CribevError(f"{self._name!r} line {lines.number}: {_reason(error)}") from error
        if not names:
            raise CribevError(f"{self._name!r} is empty: expected a line of column names")
        while True:
            before, held = lines.number, lines.take(rows)
            plain = not (alone or self._loose or self._foreign)
            if plain and (columns := _split(held, len(names), delimiter)):
                chunk = _line_chunk(names, columns, held, before)
            else:  # a reader takes row after row
                lines.give_back(held)
                block = list(islice(self._rows(parse(lines), lines, len(names)), rows))
                chunk = _text_chunk(names, block, before, lines.number, delimiter)
            if chunk.size or empty:
                yield chunk
            if not (held or chunk.size):
                return
            empty = empty and not chunk.size

    def _rows(self, reader: Any, lines: "_Lines", width: int) -> Iterator[list[str]]:
        """Read row after row; a line that cannot be read is a bad row, and the next goes on."""
        while True:
            lines.held.clear()
            try:
                row = next(reader, None)
            except csv.Error as error:
                line, *others = lines.held
                lines.give_back(others)
                yield _BadRow(_reason(error), line)
                continue
            if row is None:
                return
            if self._foreign and (text := "".join(lines.held)) != _spelt_out(text):
                row = _BadRow(_FOREIGN, text)
            elif row and row[0].startswith("#") and (len(row) != width or self._form == LINES):
                row = []  # a comment
            elif self._loose:
                row = row + [""] * (width - len(row)) if any(row) else []
            yield row

    def _names(self, head: list[str]) -> list[str]:
        names = [name.strip() for name in head]
        if self._foreign and names != list(map(_spelt_out, names)):
            raise CribevError(f"{self._name!r} line 1: {_FOREIGN}")
        if self._loose:
            _check_width(names)
        return names

    def _json_lines(self, rows: int) -> Iterator[Chunk]:
        texts = self._texts()
        head, array = list(islice(texts, 3)), None
        texts = chain(head, texts)
        if head and re.match(r"\s*\[\s*\{", head[0]):  # one array of all rows
            array = _from_json("".join(texts), self._name)
        elif len(head) < 3:  # a small file: a block, and a last line without its end
            array = self._only_array("".join(head))
        if array is not None:
            lines: Iterator[str] = iter([json.dumps(row) for row in array])
        else:
            blocks = (io.StringIO(text, newline="") for text in texts)
            lines = chain.from_iterable(blocks)
        numbered = (
            (number, line)
            for number, line in enumerate(lines, 1)
            if line.strip() and not line.startswith("#")
        )
        names, ahead = list[str](), list[tuple[int, str]]()
        for number, line in numbered:  # until a line gives the names
            ahead.append((number, line))
            with suppress(CribevError):
                names = [*_json_row(line)]
                break
        if ahead and not names:
            chunk = _json_chunk([], ahead[:1], loose=False)._replace(source=self._name)
            chunk.require(chunk.bad)
        if not names:
            raise CribevError(f"{self._name!r} is empty: expected a JSON object in each line")
        every = chain(ahead, numbered)
        while block := list(islice(every, rows)):
            yield _json_chunk(names, block, loose=self._loose)

    def _only_array(self, text: str) -> list[Any] | None:
        """Return the rows of an object that holds nothing else, as ``{"hands": [{…}, {…}]}``."""
        if re.match(r'\s*\{\s*"[^"]*"\s*:\s*\[\s*\{', text):
            with suppress(CribevError, ValueError):
                ((name, rows),) = _from_json(text).items()
                return rows if name not in self._known else None
        return None

    def _parquet(self, rows: int) -> Iterator[Chunk]:
        arrow, parquet = arrow_with("parquet")
        # Parquet is read from its end, and a pipe has none.
        stream = self._file.stream
        whole = stream if stream.seekable() else io.BytesIO(stream.read())
        try:
            with parquet.ParquetFile(whole) as file:
                schema, done = file.schema_arrow, 0
                total = file.metadata.num_rows
                if total:  # the first rows tell how many take some tens of megabytes
                    few = next(file.iter_batches(batch_size=_FEW_ROWS))
                    rows = max(rows * _ROW_BYTES // max(few.nbytes // len(few), _ROW_BYTES), 1)
                else:
                    yield _arrow_chunk(arrow.RecordBatch.from_pylist([], schema=schema), 0, 1.0)
                for groups in _neighbours(file.metadata, rows):
                    for batch in file.iter_batches(batch_size=rows, row_groups=groups):
                        yield _arrow_chunk(batch, done, (done + len(batch)) / total)
                        done += len(batch)
        except arrow.ArrowException as error:
            reason = str(error).splitlines()[0]
            raise CribevError(f"cannot read {self._name!r} as Parquet: {reason}") from error


class _Lines:
    """Lines of text, of which some can be given back and read again."""

    def __init__(self, texts: Iterator[str], number: int) -> None:
        self._texts, self._lines, self._next = texts, list[str](), 0
        self.number = number  # how many were read
        self.held: list[str] = []  # those of the row that is read now

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        self.held += (lines := self.take(1))
        if not lines:
            raise StopIteration
        return lines[0]

    def take(self, most: int) -> list[str]:
        """Return the next lines, as far as they have been read from the file; some if any."""
        while self._next == len(self._lines) and (text := next(self._texts, None)) is not None:
            self._lines, self._next = [*io.StringIO(text, newline="")], 0
        lines = self._lines[self._next : self._next + most]
        self._next, self.number = self._next + len(lines), self.number + len(lines)
        return lines

    def give_back(self, lines: Sequence[str]) -> None:
        """Let the last lines come again."""
        self._lines, self._next = [*lines, *self._lines[self._next :]], 0
        self.number -= len(lines)


class _BadRow(list[str]):
    """A line that is not a row of a table, as a row with only its text."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__([_spelt_out(text).rstrip("\r\n")])
        self.reason = reason


def _reason(error: csv.Error) -> str:
    said = str(error).replace("\t", "tab")
    if said == "unexpected end of data":
        return "a quotation mark is not closed"
    if said.startswith("field larger"):
        return f"a value of more than {csv.field_size_limit():,} characters: is a quote not closed?"
    return said


def _spelt_out(text: str) -> str:
    """Escape the bytes of a text that are not UTF-8."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _neighbours(metadata: Any, rows: int) -> Iterator[list[int]]:
    """Group row groups up to a number of rows: one reader of all would keep all it read."""
    groups: list[int] = []
    size = 0
    for group in range(metadata.num_row_groups):
        groups.append(group)
        size += metadata.row_group(group).num_rows
        if size >= rows or group == metadata.num_row_groups - 1:
            yield groups
            groups, size = [], 0


def _delimiter(text: str, usual: str) -> str:
    """Find what separates values, from the first line."""
    head = _QUOTED.sub("", _BREAK.split(text.lstrip("\r\n"), maxsplit=1)[0])
    if usual != "," or "," in head:
        return usual
    return max(usual, ";", "\t", key=head.count)


def _check_width(names: list[str]) -> None:
    if len(names) > _LOOSE_WIDTH:
        width = f"{len(names):,} columns, of which the first is {quote(names[0])}"
        raise CribevError(f"{width}: expected at most {_LOOSE_WIDTH:,}")


def _split(lines: list[str], width: int, delimiter: str) -> list[Any] | None:
    """Split lines into columns if each is a row without quotes; else return None."""
    text = "".join(lines).replace("\r\n", "\n").removesuffix("\n")
    if '"' in text or "\r" in text or {*map(str.count, lines, repeat(delimiter))} != {width - 1}:
        return None
    values = text.replace("\n", delimiter).split(delimiter)
    columns = [tuple(values[place::width]) for place in range(width)]
    return None if width == 1 and "" in columns[0] else columns


def _line_chunk(names: list[str], columns: list[Any], lines: list[str], before: int) -> Chunk:
    return Chunk(
        names, columns, len(lines), lambda row: f"line {before + row + 1}",
        lambda row: lines[row].rstrip("\r\n"),
    )  # fmt: skip


def _text_chunk(
    names: list[str], rows: list[list[str]], before: int, after: int, delimiter: str
) -> Chunk:
    lines: Sequence[int] = range(before + 1, before + 1 + len(rows))
    if after - before != len(rows) or not all(rows):  # line breaks within quotes, or blank lines
        heights = (1 + sum(len(_BREAK.findall(value)) for value in row) for row in rows[:-1])
        lines = list(accumulate(heights, initial=before + 1))
        full = [index for index, row in enumerate(rows) if row]
        rows, lines = [rows[index] for index in full], [lines[index] for index in full]
    bad: RowErrors = {}
    own = rows
    if not ({*map(len, rows)} <= {len(names)} and {*map(type, rows)} <= {list}):
        for number, row in enumerate(rows):
            if isinstance(row, _BadRow):
                bad[number] = CribevError(row.reason)
            elif len(row) != len(names):
                bad[number] = CribevError(f"expected {len(names)} values, got {len(row)}")
        own = [[""] * len(names) if number in bad else row for number, row in enumerate(rows)]

    def text(number: int) -> str:
        row = rows[number]
        own = [[value] for value in row]
        return row[0] if isinstance(row, _BadRow) else delimited_lines(own, delimiter)[0]

    columns: list[Any] = list(zip(*own, strict=True)) if rows else [() for _ in names]
    return Chunk(names, columns, len(rows), lambda row: f"line {lines[row]}", text, bad)


def _json_chunk(names: list[str], lines: list[tuple[int, str]], *, loose: bool) -> Chunk:
    bad: RowErrors = {}
    rows: list[dict[str, Any]] = []
    for number, (_, line) in enumerate(lines):
        try:
            rows.append(_json_row(line, [] if loose else names))
        except CribevError as error:
            rows.append({})
            bad[number] = error
    if loose:
        names = list(dict.fromkeys(chain(names, *rows)))
        _check_width(names)
    return Chunk(
        names, [[row.get(name) for row in rows] for name in names], len(rows),
        lambda row: f"line {lines[row][0]}",
        lambda row: _spelt_out(lines[row][1]).rstrip("\r\n"), bad,
    )  # fmt: skip


def _from_json(text: str, name: str = "") -> Any:
    """Read JSON; `CribevError` with the name of the file, or else the text, if it is not."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except CribevError:
        raise
    except (ValueError, RecursionError) as error:
        shown = repr(name) if name else quote(text.strip())
        raise CribevError(f"{shown} is not JSON: {_BEYOND.get(type(error), error)}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a JSON object; `CribevError` if a key comes twice."""
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise CribevError(f"the key {quote(twice)} comes twice")
    return row


def _json_row(line: str, names: Sequence[str] = ()) -> dict[str, Any]:
    if _spelt_out(line) != line:
        raise CribevError(_FOREIGN)
    row = _from_json(line)
    if not isinstance(row, dict) or not row:
        raise CribevError(f"expected a JSON object, got {quote(line.strip())}")
    if names and row.keys() != set(names):
        expected, got = quote(", ".join(names)), quote(", ".join(row))
        raise CribevError(f"expected the keys {expected}, got {got}")
    return row


def _arrow_chunk(batch: Any, before: int, part_read: float) -> Chunk:
    names, columns = batch.schema.names, batch.columns

    def text(row: int) -> str:
        values = [as_values(column.slice(row, 1))[0] for column in columns]
        return json_line(dict(zip(names, values, strict=True)))

    return Chunk(
        names, columns, batch.num_rows, lambda row: f"row {before + row + 1}", text,
        part_read=part_read, metadata=batch.schema.metadata,
    )  # fmt: skip


def input_files(source: str) -> list[str]:
    """List the files of a folder, or that match a pattern; else what is named itself."""
    path = Path(source)
    if source == STANDARD_STREAM or is_url(source):
        return [source]
    several = path.is_dir() or (glob.has_magic(source) and not path.exists())
    return list_files(source) if several else [source]


def list_files(pattern: str) -> list[str]:
    """List the files of a folder, or those that match a pattern."""
    path = Path(pattern)
    try:
        if path.is_file():  # by its name, whatever letters that has
            return [pattern]
        if path.is_dir():
            names = [str(file) for file in path.iterdir() if not file.name.startswith(".")]
        else:
            names = [*_matching(pattern)]
    except (OSError, ValueError) as error:  # a byte 0 is a ValueError
        shown = quote(pattern, most=300)
        raise CribevError(f"cannot read {shown}: {getattr(error, 'strerror', error)}") from error
    if sources := sorted(name for name in names if Path(name).is_file()):
        return sources
    raise CribevError(f"no files match {quote(pattern)}")


def _matching(pattern: str) -> Iterator[str]:
    """List what matches a pattern, ``**`` for any folders but links, which may lead in a circle."""
    path = Path(pattern, "*") if pattern.endswith("**") else Path(pattern)
    for match in Path(path.anchor).glob(str(path.relative_to(path.anchor))):
        if not any(folder.startswith(".") for folder in {*match.parts} - {*path.parts}):
            yield str(match)
