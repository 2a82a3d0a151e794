"""Files of rows, read and written in chunks; output appears complete or not at all."""

import csv
import gzip
import io
import json
import re
import sys
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError, quote
from cribev.game.cards import parse_some_suits
from cribev.rows.columns import arrow_with, as_printable_values, as_text, as_values, is_arrow
from cribev.rows.headings import Headings, named_columns, names_known, require_headings
from cribev.rows.lines import (
    DELIMITERS,
    STANDARD_STREAM,
    complete_lines,
    delimited_line,
    format_of,
    format_table,
    has_suffix,
    json_line,
)
from cribev.system.cache import import_optional
from cribev.system.files import AtomicWrites

_BYTES = 1 << 21  # of text at a time
_ARROW_BYTES = 1 << 26
_FEW_ROWS = 1 << 8
_LOOSE_WIDTH = 1000  # columns: short rows of a small file would fill any memory
_QUOTE = '"'
_QUOTED = re.compile(r'"[^"]*"')
_BREAK = re.compile(r"\r\n|\r|\n")
_FOREIGN = "not UTF-8 text"
# What Python says of these is for programmers; a JSON error has a class of its own.
_BEYOND = {RecursionError: "it is nested too deeply", ValueError: "a number has too many digits"}


class Chunk(NamedTuple):
    """Some rows of a table."""

    names: list[str]
    columns: list[Any]
    size: int
    place: Callable[[int], str]
    """Where a row of the chunk, counted from 0, is in the file: ``line 7``."""
    text: Callable[[int], str]  # a row's own text
    bad: dict[int, CribevError]  # rows that do not fit the table; their values are fillers
    source: str = ""  # the name of the file


class Source:
    """A file of rows, open for reading; ``-`` is standard input.

    `raw` is already open, and not compressed. CSV may have semicolons or tabs instead of commas, as
    written by spreadsheets. `normalised_header` recognises the columns of `known`. If `loose`, rows
    may lack their last values, JSON objects some keys, and blanks may precede a quoted value.
    """

    def __init__(
        self,
        path: str,
        form: str | None = None,
        *,
        known: Sequence[str] = ("cards",),
        loose: bool = False,
        raw: IO[bytes] | None = None,
        headings: Headings | None = None,
    ) -> None:
        self._known, self._loose, self._headings = known, loose, headings or Headings()
        self.name = "standard input" if path == STANDARD_STREAM else path
        self._opened = ExitStack()
        self._read, self._size = 0, 0
        self._foreign = False  # some of the text read so far is not UTF-8
        self._raw: IO[bytes]
        if raw is not None:
            self._raw = raw
        elif path == STANDARD_STREAM:
            self._raw = sys.stdin.buffer
        else:
            try:
                self._raw = self._opened.enter_context(Path(path).open("rb"))  # noqa: SIM115  (closed with it)
                self._size = Path(path).stat().st_size
            except (OSError, ValueError) as error:  # the latter at a byte 0
                reason = getattr(error, "strerror", None) or error
                raise CribevError(f"cannot read {quote(path, most=300)}: {reason}") from error
        self._unzips = raw is None
        if form is None and not has_suffix(path):
            self._raw, self._unzips = begun(unzipped(begun(self._raw), path)), False
            form, text = table_format(self._raw.peek(HEAD), known, self._headings)
            if form is None and _is_hand(text):
                form = LINES
        try:
            self.form = form if form == LINES else format_of(path, form)
        except CribevError as error:
            self.close()
            raise CribevError(
                f"{error}; a file of any name has names of columns in its first line, such as "
                f"{known[0]}, or JSON objects, or cards in each line"
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._opened.close()

    def fraction_read(self) -> float | None:
        """Return how much of the file has been read, 0 to 1; None if its size is unknown."""
        return min(self._read / self._size, 1.0) if self._size else None

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """Read rows in chunks; the first chunk comes even if there are no rows."""
        read = {"parquet": self._parquet, "jsonl": self._json_lines}.get(self.form, self._delimited)
        try:
            for chunk in read(rows):
                require_headings(chunk.names, repr(self.name))
                known = self._known, self._headings
                absent = self._headings.columns.keys() - {*chunk.names}
                if absent and not self._headings.some:
                    there = quote(", ".join(chunk.names), most=200)
                    said = f"{self.name!r}: no column {min(absent)!r} for --columns"
                    raise CribevError(f"{said}: there are {there}")
                names, columns = named_columns(chunk.names, chunk.columns, *known)
                yield chunk._replace(names=names, columns=columns, source=self.name)
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
            raise CribevError(f"cannot read {self.name!r}: {reason}") from error

    def _blocks(self) -> Iterator[str]:
        stream: Any = unzipped(self._raw, self.name) if self._unzips else self._raw

        def read() -> bytes:
            block: bytes = stream.read(_BYTES)
            self._read = self._raw.tell() if self._size else 0
            return block

        encoding = "utf-8-sig"
        for text in complete_lines(read, of=f"{self.name!r} "):
            try:
                yield text.decode(encoding)
            except UnicodeDecodeError:  # the rows with such bytes are bad, and no others
                self._foreign = True
                yield text.decode(encoding, "surrogateescape")
            encoding = "utf-8"

    def _delimited(self, rows: int) -> Iterator[Chunk]:
        blocks = self._blocks()
        first, line, rest, size = next(blocks, ""), 0, "", 0
        while first.startswith("#") and not names_known(first, self._known, self._headings):
            first, line = first.partition("\n")[2], line + 1
        alone = self.form == LINES
        delimiter = "\x1f" if alone else _delimiter(first, DELIMITERS[self.form])
        blocks, names = chain([first], blocks), [self._known[0]] if alone else []
        for text in blocks:
            rest = text
            if not names:
                head, _, body = text.partition("\n")
                head = head.rstrip("\r")
                if not head or _QUOTE in head or "\r" in head:
                    break
                names, line, rest = self._names(head.split(delimiter)), line + 1, body
            lines = None if self._foreign else _plain_lines(rest, delimiter, len(names))
            if lines is None:
                break
            for start in range(0, len(lines), rows):
                chunk = _plain_chunk(names, lines[start : start + rows], line, delimiter)
                line, size = line + chunk.size, size + chunk.size
                yield chunk
            rest = ""
        # From the first line that is not a plain row, a reader takes row after row.
        texts = (io.StringIO(text, newline="") for text in chain([rest], blocks))
        every = _Lines(chain.from_iterable(texts), line)
        reader = csv.reader(every, delimiter=delimiter, strict=True, skipinitialspace=self._loose)
        try:
            names = names or self._names(next(filter(None, reader), []))
        except csv.Error as error:
            raise CribevError(f"{self.name!r} line {every.number}: {_reason(error)}") from error
        if not names:
            raise CribevError(f"{self.name!r} is empty: expected a line of column names")
        while True:
            done = every.number
            block = list(islice(self._rows(reader, every, len(names)), rows))
            if block or not size:
                yield _delimited_chunk(names, block, done, every.number, delimiter)
            size += len(block)
            if len(block) < rows:
                return

    def _rows(self, reader: Any, lines: "_Lines", width: int) -> Iterator[list[str]]:
        """Read row after row; a line that cannot be read is a bad row, and the next goes on."""
        while True:
            lines.held.clear()
            try:
                row = next(reader, None)
            except csv.Error as error:
                yield _BadRow(_reason(error), lines.give_back())
                continue
            if row is None:
                return
            if self._foreign and (text := "".join(lines.held)) != _spelt_out(text):
                row = _BadRow(_FOREIGN, text)
            elif row and row[0].startswith("#") and (len(row) != width or self.form == LINES):
                row = []  # a comment
            elif self._loose:
                row = row + [""] * (width - len(row)) if any(row) else []
            yield row

    def _names(self, head: list[str]) -> list[str]:
        names = [name.strip() for name in head]
        if self._foreign and names != list(map(_spelt_out, names)):
            raise CribevError(f"{self.name!r} line 1: {_FOREIGN}")
        if self._loose:
            _check_width(names)
        return names

    def _json_lines(self, rows: int) -> Iterator[Chunk]:
        names: list[str] = []
        waiting: list[tuple[int, str]] = []  # until a line gives the names
        blocks = self._blocks()
        if re.match(r"\s*\[\s*\{", first := next(blocks, "")):  # one array of all rows
            array = _from_json(first + "".join(blocks), self.name)
            lines = iter([json.dumps(row) for row in array])
        else:
            texts = (io.StringIO(text, newline="") for text in chain([first], blocks))
            lines = chain.from_iterable(texts)
        numbered = (
            (at, line)
            for at, line in enumerate(lines, 1)
            if line.strip() and not line.startswith("#")
        )
        while block := list(islice(numbered, rows)):
            known = [] if self._loose else names
            chunk = _json_chunk(known, block, loose=self._loose)
            if not chunk.names:
                waiting += block
                continue
            if waiting:
                chunk, waiting = _json_chunk(known, waiting + block, loose=self._loose), []
            names = chunk.names
            yield chunk
        if waiting:
            chunk = _json_chunk([], waiting[:1], loose=self._loose)
            raise CribevError(f"{self.name!r} {chunk.place(0)}: {chunk.bad[0]}")
        if not names:
            raise CribevError(f"{self.name!r} is empty: expected a JSON object in each line")

    def _parquet(self, rows: int) -> Iterator[Chunk]:
        arrow, parquet = arrow_with("parquet")
        # Parquet is read from its end, and a pipe has none.
        whole = self._raw if self._size else io.BytesIO(self._raw.read())
        try:
            with parquet.ParquetFile(whole) as file:
                names = list(file.schema_arrow.names)
                total, done = file.metadata.num_rows, 0
                if total:  # the first rows tell how many take some tens of megabytes
                    few = next(file.iter_batches(batch_size=_FEW_ROWS))
                    rows = min(rows, max(_ARROW_BYTES * few.num_rows // max(few.nbytes, 1), 1))
                else:
                    none = arrow.RecordBatch.from_pylist([], schema=file.schema_arrow)
                    yield _arrow_chunk(names, none, 0)
                for groups in _neighbours(file.metadata, rows):
                    for batch in file.iter_batches(batch_size=rows, row_groups=groups):
                        yield _arrow_chunk(names, batch, done)
                        done += batch.num_rows
                        self._read = done * self._size // total
        except arrow.ArrowException as error:
            reason = str(error).splitlines()[0]
            raise CribevError(f"cannot read {self.name!r} as Parquet: {reason}") from error


class Sources:
    """Several files of rows with the same columns, read as one."""

    def __init__(self, paths: Sequence[str], opened: Callable[[str], Source]) -> None:
        self._paths, self._opened, self._done = paths, opened, 0
        self._reading: Source | None = None

    def close(self) -> None:
        """Close the file that is read."""
        if self._reading is not None:
            self._reading.close()

    def fraction_read(self) -> float:
        """Return how much of the files has been read, 0 to 1, as far as their sizes are known."""
        part = None if self._reading is None else self._reading.fraction_read()
        return (self._done + (part or 0.0)) / len(self._paths)

    def chunks(self, rows: int) -> Iterator[Chunk]:
        """Read rows in chunks, one file after the other."""
        names, first = list[str](), ""
        for path in self._paths:
            with self._opened(path) as self._reading:
                for chunk in self._reading.chunks(rows):
                    names, first = names or chunk.names, first or chunk.source
                    if sorted(chunk.names) != sorted(names):
                        others, firsts = (quote(", ".join(each)) for each in (chunk.names, names))
                        raise CribevError(
                            f"{chunk.source!r} has the columns {others}, and {first!r} {firsts}: "
                            "expected the same in all files"
                        )
                    if chunk.names != names:  # in another order
                        order = list(map(chunk.names.index, names))
                        own = [chunk.columns[index] for index in order]
                        chunk = chunk._replace(names=names, columns=own)
                    yield chunk
            self._done, self._reading = self._done + 1, None


HEAD = 1 << 12  # bytes by which a format is known
LINES = "lines"  # of cards alone, a hand in each
_PARQUET = b"PAR1"


class _Begun(io.BufferedReader):
    """A stream that can be peeked at, and does not close what it reads."""

    def close(self) -> None:
        """Leave it open."""


def begun(stream: IO[bytes]) -> io.BufferedReader:
    """Return a stream from its beginning, which can be peeked at."""
    return _Begun(cast("io.RawIOBase", stream), HEAD)


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
    if head.startswith(_PARQUET):
        return "parquet", ""
    text = head.decode("utf-8-sig", "replace").lstrip()
    while text.startswith("#") and not needed(names_known(text, known, headings)):
        text = text.partition("\n")[2].lstrip()
    if re.match(r"\{|\[\s*\{", text):
        return "jsonl", text
    return "csv" if needed(names_known(text, known, headings)) else None, text


def _is_hand(text: str) -> bool:
    """Return whether the first line of a text is cards alone."""
    with suppress(CribevError):
        return len(parse_some_suits(_BREAK.split(text, maxsplit=1)[0])) > 1
    return False


_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"  # how a stream begins


def unzipped(stream: IO[bytes], name: str) -> IO[bytes]:
    """Return a stream, decompressed if the name of the file or its beginning says so."""
    begun: Any = stream if hasattr(stream, "peek") else io.BufferedReader(cast(Any, stream))
    head = begun.peek(4)
    if head.startswith(_GZIP) or name.lower().endswith(".gz"):
        begun = gzip.GzipFile(fileobj=begun)
        head = begun.peek(2)
    if head.startswith(_ZSTANDARD):
        arrow = import_optional("pyarrow", "parquet")
        return cast(IO[bytes], arrow.CompressedInputStream(arrow.PythonFile(begun), "zstd"))
    if head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):  # as spreadsheets write "Unicode text"
        try:
            return io.BytesIO(begun.read().decode("utf-16").encode())
        except UnicodeError as error:
            raise CribevError(f"{name!r} is not UTF-16 text, as it begins") from error
    return cast(IO[bytes], begun)


class _Lines:
    """Lines of text, in which those after the first line of a row can be read again."""

    def __init__(self, lines: Iterator[str], number: int) -> None:
        self._lines, self._again = lines, deque[str]()
        self.number = number  # how many were read
        self.held: list[str] = []  # those of the row that is read now

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else next(self._lines)
        self.held.append(line)
        self.number += 1
        return line

    def give_back(self) -> str:
        """Return the first line of the row; those after it come again."""
        first, *others = self.held
        self._again.extendleft(reversed(others))
        self.number -= len(others)
        return first


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
        given = f"{len(names):,} columns, of which the first is {quote(names[0])}"
        raise CribevError(f"{given}: expected at most {_LOOSE_WIDTH:,}")


def _plain_lines(text: str, delimiter: str, width: int) -> list[str] | None:
    """Split text into lines if each is a row without quotes; else return None."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if not text.endswith("\n"):
        text += "\n" if text else ""
    if _QUOTE in text or "\r" in text or (width == 1 and ("\n\n" in text or text[:1] == "\n")):
        return None
    letters = np.frombuffer(text.encode(), dtype=np.uint8)
    marks = letters[(letters == ord(delimiter)) | (letters == ord("\n"))] == ord("\n")
    if marks.size % width:
        return None
    ends = marks.reshape(-1, width)  # only the last mark of a row ends its line
    return text.split("\n")[:-1] if ends[:, -1].all() and not ends[:, :-1].any() else None


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
    if after - before != len(rows) or not all(rows):  # line breaks within quotes, or blank lines
        heights = (1 + sum(len(_BREAK.findall(value)) for value in row) for row in rows[:-1])
        lines = list(accumulate(heights, initial=before + 1))
        full = [at for at, row in enumerate(rows) if row]
        rows, lines = [rows[at] for at in full], [lines[at] for at in full]
    bad: dict[int, CribevError] = {}
    for at, row in enumerate(rows):
        if isinstance(row, _BadRow):
            bad[at] = CribevError(row.reason)
        elif len(row) != len(names):
            bad[at] = CribevError(f"expected {len(names)} values, got {len(row)}")
    own = [[""] * len(names) if at in bad else row for at, row in enumerate(rows)] if bad else rows

    def text(row: int) -> str:
        found = rows[row]
        return found[0] if isinstance(found, _BadRow) else delimited_line(found, delimiter)

    columns: list[Any] = list(zip(*own, strict=True)) if rows else [() for _ in names]
    return Chunk(names, columns, len(rows), lambda row: f"line {lines[row]}", text, bad)


def _json_chunk(names: list[str], lines: list[tuple[int, str]], *, loose: bool) -> Chunk:
    bad: dict[int, CribevError] = {}
    rows: list[dict[str, Any]] = []
    for at, (_, line) in enumerate(lines):
        try:
            rows.append(_json_row(line, [] if loose else names))
        except CribevError as error:
            rows.append({})
            bad[at] = error
        names = names or list(rows[-1])
    if loose:
        names = list(dict.fromkeys(chain(names, *rows)))
        _check_width(names)
    columns: list[Any] = [[row.get(name) for row in rows] for name in names]
    return Chunk(
        names, columns, len(rows), lambda row: f"line {lines[row][0]}",
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
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise CribevError(f"the key {quote(twice)} comes twice")
    return found


def _json_row(line: str, names: list[str]) -> dict[str, Any]:
    if _spelt_out(line) != line:
        raise CribevError(_FOREIGN)
    row = _from_json(line)
    if not isinstance(row, dict) or not row:
        raise CribevError(f"expected a JSON object, got {quote(line.strip())}")
    if names and row.keys() != set(names):
        expected, got = quote(", ".join(names)), quote(", ".join(row))
        raise CribevError(f"expected the keys {expected}, got {got}")
    return row


def _arrow_chunk(names: list[str], batch: Any, before: int) -> Chunk:
    def text(row: int) -> str:
        values = [as_printable_values(column.slice(row, 1))[0] for column in columns]
        return json_line(dict(zip(names, values, strict=True)))

    arrow = import_optional("pyarrow", "parquet")
    columns = [  # pyarrow can do little with a column of views
        column.cast(arrow.string()) if arrow.types.is_string_view(column.type) else column
        for column in batch.columns
    ]
    return Chunk(names, columns, batch.num_rows, lambda row: f"row {before + row + 1}", text, {})


_WRITTEN_BYTES = 1 << 22  # of text at a time


class Sink:
    """Writes rows to a stream in one of `FORMATS`; columns of `few_values` keep a dictionary."""

    def __init__(self, stream: IO[bytes], form: str, few_values: Collection[str] = ()) -> None:
        self._stream, self._form, self._few_values = stream, form, set(few_values)
        self._begun = False
        self._rows = 1 << 10  # at a time as text; soon as many as make a few megabytes
        self._parquet: Any = None
        self._metadata = dict[str, str]()

    def keep_metadata(self, told: Mapping[str, str]) -> None:
        """Store facts about all rows in Parquet's metadata, as JSON under ``cribev``."""
        self._metadata = {"cribev": json.dumps(dict(told))}

    def write(
        self, names: Sequence[str], own: Sequence[Any], added: Mapping[str, NDArray[Any]]
    ) -> None:
        """Write rows: columns of values or Arrow arrays, followed by our own `added` columns.

        These hold ASCII text, points, or averages, which delimited text has to six decimals.
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
            self._rows = min(max(self._rows * _WRITTEN_BYTES // written, 1), 2 * self._rows)

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
        arrow, parquet = arrow_with("parquet")
        try:
            table = arrow.Table.from_arrays(
                [_as_arrow(arrow, column) for column in [*own, *added.values()]], names=list(names)
            )
            if self._parquet is None:
                kept = {name for name, type_ in zip(names, table.schema.types, strict=True)
                        if arrow.types.is_dictionary(type_)}  # fmt: skip
                kept_with = (table.schema.metadata or {}) | self._metadata
                self._parquet = parquet.ParquetWriter(
                    self._stream,
                    table.schema.with_metadata(kept_with),
                    use_dictionary=[*kept | self._few_values & set(names)],
                )
            # A dictionary that is given up is written out, and more than 2 GB fit in no column.
            step = _WRITTEN_BYTES * 16 // max(sum(map(_written_out, table.columns)), 1)
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
    """Open a file for rows, or ``-``, to appear complete, with `outputs`; `force` replaces."""
    form = format_of(path, form)
    if path.lower().endswith(".zst"):
        raise CribevError(f"cannot write {path!r}: .zst is read alone; name it .gz")
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
    """A text stream, such as a notebook's, that accepts bytes."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: bytes) -> int:
        return self._stream.write(text.decode("utf-8", "replace"))


def _delimited_lines(columns: Sequence[Any], delimiter: str) -> list[str]:
    rows = list(zip(*columns, strict=True))
    with suppress(TypeError):  # not all are texts
        lines = list(map(delimiter.join, rows))
        text = "".join(lines)
        plain = text.count(delimiter) == len(rows) * (len(columns) - 1)
        if plain and not any(letter in text for letter in ('"', "\r", "\n")):
            return lines
    return [
        delimited_line(
            [as_text(value) if isinstance(value, list) else value for value in row], delimiter
        )
        for row in rows
    ]


def _written_out(column: Any) -> int:
    """Return the average bytes per row of a column with a dictionary; else 0."""
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
