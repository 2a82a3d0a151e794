"""Records of played games in files: tables in every format, and PGN."""

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from difflib import get_close_matches
from functools import partial
from io import BytesIO
from itertools import chain, count
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any
from warnings import warn

import pandas as pd

from cribev.errors import CribevError, RecordError, quote
from cribev.records.cells import ALL_COLUMNS, KNOWN, check_names, split_rows
from cribev.records.games import NO_DEAL, Skip, skipping, whole_or_good
from cribev.records.pgn import BEGINS_PGN, parse_pgn
from cribev.records.record import as_record
from cribev.rows.columns import as_text, as_values
from cribev.rows.files import (
    CHUNK_ROWS,
    HEAD,
    STANDARD_INPUT,
    Chunk,
    Input,
    begun,
    list_files,
    open_input,
    read_chunks,
    table_format,
    unzipped,
)
from cribev.rows.headings import PLAIN, Headings, normalised_header
from cribev.rows.lines import STANDARD_STREAM, format_of, has_suffix
from cribev.system.bars import tqdm

_MOST = 1 << 28  # bytes of games, which are parsed in one piece; a zipped file may hold any number
_MOST_SENT = 1 << 22  # bytes of games from somebody who is not trusted
_TOLD = 5  # files that are named where they are left out
_warn = partial(warn, stacklevel=3)  # in who called what reads records


def read_record(source: str | PathLike[str]) -> pd.DataFrame:
    """Read a table of discards from a file, without checking its contents.

    The format is found from the contents, and otherwise from the name. Games in PGN have to follow
    the rules, because they imply points that no column holds.

    Parameters
    ----------
    source
        A file that ``cribev batch`` reads: CSV, TSV, one JSON object a line, or Parquet (which
        needs pyarrow); or games in PGN. Text may be compressed (.gz, .zst); ``-`` is standard
        input. Or a folder, in which other kinds of files are left out with a warning, or a pattern
        such as ``games/*.pgn``: the files then make one table.

    Returns
    -------
    The table; from CSV and TSV, every value is the text in the file. Empty rows are left out.

    Raises
    ------
    RecordError
        If the file is of another kind, cannot be read, is not what its name says, or if a game in
        PGN is against the rules (the error names game, deal and card).

    Examples
    --------
    >>> read_record("game.xls")
    Traceback (most recent call last):
    cribev.errors.RecordError: cannot read 'game.xls': No such file or directory
    """
    return read_records([source])


def _read_file(name: str, *, skip: Skip | None, headings: Headings) -> pd.DataFrame:
    with _named_errors(name), open_input(name) as file:
        return _read(file.stream, name, skip=skip, headings=headings)


def _path(source: object) -> str:
    name = fspath(source) if isinstance(source, str | PathLike) else None
    if not isinstance(name, str) or not name:
        shown = source if isinstance(source, str) else repr(source)
        raise RecordError(f"expected the path of a record, got {quote(shown)}")
    return name


def read_records(
    sources: Sequence[str | PathLike[str]],
    *,
    names: Mapping[str, str] | None = None,
    skip: Skip | None = None,
    tell: Callable[[str], object] = _warn,
    headings: Headings = PLAIN,
) -> pd.DataFrame:
    """Read several files as one table; if two games have one name, add the names of their files.

    A source may also be a folder or a pattern such as ``games/*.pgn``. Files of a folder that are
    not records are left out, and `tell` is called with a line that names them. `names` maps other
    names of players to theirs; `headings` says what columns mean. Raises `RecordError`, with the
    name of the file, if a file cannot be read, is impossible or is given twice. With `skip`, that
    is called with the error, and the other files, or the other games of the file, are read.
    """
    files = list[str]()
    for source in map(_path, sources):
        records, left = record_files(source)
        files += records
        if left:
            named = ", ".join(quote(Path(name).name) for name in left[:_TOLD])
            named += f" and {len(left) - _TOLD:,} more" if len(left) > _TOLD else ""
            tell(f"left out of {_shown(source)}: {named}; give a file by name to read it")
    if len(files) > 1:
        headings = headings._replace(some=True)
    bar = tqdm(files, desc="reading", unit=" files", disable=None if len(files) > 1 else True)
    return _read_together(
        ((name, partial(_read_file, name, skip=skip, headings=headings)) for name in bar),
        len(files),
        names=names or {},
        skip=skip,
    )


def records_from_bytes(
    files: Sequence[tuple[str, bytes]], *, most: int, skip: Skip | None = None
) -> pd.DataFrame:
    """Read untrusted files, by name, as `read_records` does.

    Together they may have `most` rows, or a few more, and 4 MiB of text; Parquet fills memory.
    """
    size = rows = 0

    def read(name: str, content: bytes) -> pd.DataFrame:
        nonlocal size, rows
        with _named_errors(name):
            text = _whole(unzipped(BytesIO(content), name), _MOST_SENT, before=size)
            size += len(text)
            table = _read(BytesIO(text), name, most=max(most - rows, 0), skip=skip)
        rows += len(table)
        return table

    sources = ((name, partial(read, name, content)) for name, content in files)
    return _read_together(sources, len(files), names={}, skip=skip)


def _read_together(
    files: Iterable[tuple[str, Callable[[], pd.DataFrame]]],
    number: int,
    *,
    names: Mapping[str, str],
    skip: Skip | None,
) -> pd.DataFrame:
    """Read a number of files, by name, as one table."""
    frames, players = dict[str, pd.DataFrame](), dict[str, None]()
    for name, read in files:
        with skipping(skip):
            if name in frames:
                raise RecordError(f"{_shown(name)} is given twice")
            frame = _renamed(read(), names, players)
            alone = number == 1 and skip is None
            frames[name] = frame if alone else good_games(frame, skip, name=name)
    for other in names.keys() - players.keys() if frames else ():
        there = quote(", ".join(players))
        raise RecordError(f"no player {quote(other)} in the record: there is {there}")
    if len(frames) == number == 1:
        return frames.popitem()[1]
    if not frames:
        none = f"none of {number:,} files could be read: expected one at least"
        raise RecordError(none if number else "there is no file: expected the record of games")
    games = Counter(game for frame in frames.values() for game in frame["game"].unique())
    stems = Counter(Path(name).stem for name in frames)
    clash = {
        name: any(games[game] > 1 for game in frame["game"].unique())
        for name, frame in frames.items()
    }
    taken = set[Any]()
    for name, frame in frames.items():
        if not clash[name]:
            taken |= {*frame["game"]}
    for name, frame in frames.items():
        file = _utf8(Path(name).stem if stems[Path(name).stem] == 1 else name)
        if clash[name]:
            own = frame["game"].unique()
            new = {game: _free(file if len(own) == 1 else f"{file} {game}", taken) for game in own}
            frame["game"] = frame["game"].map(new)
    whole = pd.concat(frames.values(), ignore_index=True).astype(object)
    return whole.where(whole.notna(), "")


def _free(name: str, taken: set[str]) -> str:
    """Return a name that is not taken yet, with a number if needed, and take it."""
    numbered = (f"{name} ({number})" for number in count(2))
    free = next(candidate for candidate in chain([name], numbered) if candidate not in taken)
    taken.add(free)
    return free


def record_files(source: str) -> tuple[list[str], list[str]]:
    """List the files of a source, or the source itself; and a folder's files without records."""
    try:
        files = [source] if source == STANDARD_STREAM else list_files(source)
    except CribevError:
        files = [source]
    if source in files or not Path(source).is_dir():
        return files, []
    left = {name for name in files if not _may_be_record(name)}
    others = {str(path) for path in Path(source).iterdir() if not path.name.startswith(".")}
    records = [name for name in files if name not in left] or [source]
    return records, sorted(left | (others - {*files}))


def _may_be_record(name: str) -> bool:
    """Return whether a file is of a kind that is read; damage is reported when it is read."""
    with suppress(CribevError, OSError, EOFError, zlib.error), Path(name).open("rb") as file:
        try:
            _format_in(unzipped(file, name).peek(HEAD), name)
        except RecordError:
            return False
    return True


def good_games(frame: pd.DataFrame, skip: Skip | None, *, name: str = "") -> pd.DataFrame:
    """Check a record; with `skip`, leave out impossible games, if others are good."""

    def checked(rows: pd.DataFrame) -> pd.DataFrame:
        with _named_errors(name) if name else nullcontext():
            return as_record(rows).frame

    games = _column(frame, "game")
    games_apart = [] if games is None else [rows for _, rows in frame.groupby(games, sort=False)]
    return whole_or_good(
        partial(checked, frame), [partial(checked, rows) for rows in games_apart], skip
    )


def game_type(frame: pd.DataFrame) -> Any:
    """Return the dtype of the games of a table if all are whole numbers; else None."""
    name = _column(frame, "game")
    games = pd.Series() if name is None else frame[name]
    whole = pd.api.types.is_integer_dtype(games) and games.notna().all()
    return games.dtype if whole else None


def _column(frame: pd.DataFrame, name: str) -> Any:
    """Return the name of a record's column in a table; None if there is no such column."""
    known = normalised_header([str(own) for own in frame], ALL_COLUMNS)
    return frame.columns[known.index(name)] if name in known else None


def _renamed(
    frame: pd.DataFrame, names: Mapping[str, str], players: dict[str, None]
) -> pd.DataFrame:
    """Replace other names of players by theirs, and note the names that occur."""
    if not names or (place := _column(frame, "player")) is None:
        return frame
    called = [as_text(name).strip() for name in frame[place]]
    players |= dict.fromkeys(called)
    return frame.assign(**{place: [as_text(names.get(name, name)) for name in called]})


def misspelt_columns(record: pd.DataFrame) -> dict[str, str]:
    """Return columns that a review does not know, and the likely meaning of each."""
    names = [str(name) for name in split_rows(record)]
    known = normalised_header(names, ALL_COLUMNS)
    free = [name for name in ALL_COLUMNS if name not in known]
    pairs = (
        (name, "_".join(name.split()).casefold())
        for name, meant in zip(names, known, strict=True)
        if meant not in ALL_COLUMNS
    )
    near = {name: get_close_matches(own, free, 1, 0.8) for name, own in pairs}
    return {name: known_names[0] for name, known_names in near.items() if known_names}


def _read(
    stream: IO[bytes],
    name: str,
    *,
    most: int | None = None,
    skip: Skip | None = None,
    headings: Headings = PLAIN,
) -> pd.DataFrame:
    """Read the record in a stream, all of it or `most` rows and a few more."""
    skipped = list[RecordError]()

    def tell() -> None:
        for error in skipped:
            with skipping(skip), _named_errors(name):
                raise error

    try:
        frame = _parsed(stream, name, most, skipped.append if skip else None, headings)
    except RecordError as error:
        last = skipped.pop() if skipped and str(error) == NO_DEAL else error
        tell()
        raise last from error
    tell()
    return frame


def _parsed(
    stream: IO[bytes], name: str, most: int | None, skipped: Skip | None, headings: Headings
) -> pd.DataFrame:
    """Read the record in a stream, by its format."""
    stream = begun(stream)
    kind = _format_in(stream.peek(HEAD), name, headings)
    if not isinstance(kind, str):
        content = _whole(stream, _MOST)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise RecordError(f"line {line}: not UTF-8 text") from error
        return kind(text, most=most, skip=skipped)
    if kind == "parquet" and most is not None:
        raise RecordError(f"{quote(name)} is Parquet: cribev review takes it, this only text")
    chunks = read_chunks(
        [Input(STANDARD_INPUT if name == STANDARD_STREAM else name, stream)], kind,
        rows=CHUNK_ROWS if most is None else most + 1, known=KNOWN, loose=True,
        headings=headings,
    )  # fmt: skip
    with closing(chunks):
        return _of_chunks(chunks, most=most, skip=skipped)


@contextmanager
def _named_errors(name: str) -> Iterator[None]:
    """Raise what is wrong with a file as a `RecordError` that names it."""
    try:
        yield
    except CribevError as error:
        if isinstance(error.__cause__, IsADirectoryError):  # one with a record is read file by file
            raise RecordError(f"there is no record of games in {_shown(name)}") from error
        said = str(error)
        named = _shown(name) in said or quote(name) in said
        raise RecordError(said if named else f"{_shown(name)}: {said}") from error
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise RecordError(f"cannot read {_shown(name)}: {reason}") from error


def _shown(name: str) -> str:
    return quote("standard input" if name == STANDARD_STREAM else name, most=300)


def _whole(stream: IO[bytes], most: int, *, before: int = 0) -> bytes:
    """Read a stream to its end, if that and what came before it is not too much."""
    content = stream.read(most - before + 1)
    if len(content) + before > most:
        others = " with the files before it" if before else ""
        raise RecordError(f"it holds more than {most >> 20} MiB of text{others}: part its games")
    return content


def _format_in(
    head: bytes, name: str, headings: Headings = PLAIN
) -> str | Callable[..., pd.DataFrame]:
    """Find the format of a table, or a text's parser, by how a file begins, or by its name."""
    kind, text = table_format(
        head, KNOWN, headings,
        needed=lambda names: "discard" in names and not names.isdisjoint(("cards", "keep")),
    )  # fmt: skip
    if BEGINS_PGN.match(text):
        return parse_pgn
    form = format_of(name) if has_suffix(name) else None
    if kind == "csv" and form == "tsv" and "\t" in text.partition("\n")[0]:
        return "tsv"
    if kind or form:
        return str(kind or form)
    if name.lower().removesuffix(".gz").removesuffix(".zst").endswith(".pgn"):
        return parse_pgn
    raise RecordError(
        f"what format is {_shown(name)}? expected .csv, .tsv, .jsonl, .parquet or .pgn (text also "
        "with .gz), or by any name a first line with the columns deal, role, cards and discard, "
        "JSON objects, or PGN"
    )


def _of_chunks(chunks: Iterable[Chunk], *, most: int | None, skip: Skip | None) -> pd.DataFrame:
    frames = list[pd.DataFrame]()
    for chunk in chunks:
        for row, bad in sorted(chunk.bad.items()):
            with skipping(skip):
                raise RecordError(f"{chunk.source!r} {chunk.place(row)}: {bad}")
        columns: dict[str, Any] = {}
        for key, column in zip(chunk.names, chunk.columns, strict=True):
            name = _utf8(key)
            if name in columns:
                raise RecordError(f"the record has the column {quote(name)} twice")
            try:
                columns[name] = [_utf8(value) for value in as_values(column)]
            except CribevError as error:
                raise RecordError(f"{chunk.source!r}, column {quote(name)}: {error}") from error
        if not frames:
            check_names([*columns])
        frame = pd.DataFrame(columns, dtype=object).drop(index=list(chunk.bad))
        frames.append(frame[~frame.isin(["", None]).all(axis=1)])
        if most is not None and sum(map(len, frames)) > most:
            break
    return pd.concat(frames, ignore_index=True).infer_objects()


def _utf8(value: Any) -> Any:
    """Spell out half a surrogate pair: JSON allows it, UTF-8 does not."""
    if not isinstance(value, str) or value.isascii():
        return value
    return value.encode("utf-8", "backslashreplace").decode()
