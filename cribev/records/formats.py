"""The record of a played game in a file, also as other programs write it.

A replay of cribbager (https://cribbager.org) is JSON: who did what, event by event. A history of
OpenSpiel's game ``cribbage`` is every action of a game as a whole number: a card is 13 times its
suit plus its rank; a discard of the cards a and b is 52 + 52 a + b; 2756 is a pass, which a player
says at every turn without a card that fits, until both have said it.
"""

import gzip
import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from io import BufferedReader, BytesIO, RawIOBase
from itertools import chain, count
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any, cast
from warnings import warn

import pandas as pd

from cribev.batch.stream import list_files
from cribev.errors import CardError, CribevError, RecordError, quote
from cribev.game.cards import (
    DECK_SIZE,
    PIP_VALUES,
    RANKS,
    format_card,
    format_cards,
    parse_cards,
    rank_of,
)
from cribev.game.deal import Deal, GameRecord, Held, distinct_players
from cribev.game.play import CARDS_KEPT, LIMIT
from cribev.game.roles import ROLES, Role, opposite_role, role_of
from cribev.game.score import WINNING_SCORE
from cribev.game.words import pluralize
from cribev.records.games import (
    NO_DEAL,
    Skip,
    check_points,
    deal_of,
    games_table,
    held_of,
    place_of,
    skipping,
    whole_or_good,
    with_play,
)
from cribev.records.pgn import BEGINS_PGN, parse_pgn
from cribev.records.record import ALL_COLUMNS, as_record, check_names, split_rows
from cribev.rows.columns import as_text, as_values
from cribev.rows.files import Source, normalised_header
from cribev.rows.lines import STANDARD_STREAM, format_of
from cribev.system.bars import tqdm

_ROWS = 1 << 16  # at a time
_HEAD = 1 << 12  # bytes by which a format is known
_MOST = 1 << 28  # bytes of games, which are parsed in one piece; a zipped file may hold any number
_MOST_SENT = 1 << 22  # bytes of games from somebody who is not trusted
_TOLD = 5  # files that are named where they are left out
_warn = partial(warn, stacklevel=3)  # in who called what reads records
_PARQUET, _ZIPPED = b"PAR1", b"\x1f\x8b"


def read_record(source: str | PathLike[str]) -> pd.DataFrame:
    """Read a table of discards from a file, without checking what it says.

    What stands in the file tells its format, and its name only where that does not. Games of other
    programs have to keep the rules, for they tell points that no column holds.

    Parameters
    ----------
    source
        A file as ``cribev batch`` reads it: CSV, TSV, one JSON object a line or Parquet, which
        needs pyarrow. Or games that another program wrote: PGN, replays of cribbager (JSON) and
        histories of OpenSpiel (whole numbers). Text may be zipped by gzip; ``-`` is standard input.
        Or a folder, whose files of other kinds are left out with a warning, or a pattern such as
        ``games/*.pgn``: the files are one table then.

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
    return read_records([source])


def _read_file(name: str, *, skip: Skip | None = None) -> pd.DataFrame:
    with _named_errors(name):
        if name == STANDARD_STREAM:
            return _read(_unzipped(sys.stdin.buffer, name), name, skip=skip)
        if "\0" in name:
            raise OSError("embedded null byte")
        with Path(name).open("rb") as file:
            return _read(_unzipped(file, name), name, skip=skip)


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
) -> pd.DataFrame:
    """Read several files as one table; a game of a name that another file has gets its file's, too.

    A source may be a pattern such as ``games/*.pgn`` or a folder, too. What of a folder's files is
    no record is left out, and `tell` is called with a line that names it. `names` says of players
    what else they are called, by what. Raises `RecordError` if a file cannot be read or cannot be,
    with its name, or is given twice; with `skip`, it is called with the error, and the other files
    are read, and of a file the other games.
    """
    files = list[str]()
    for source in map(_path, sources):
        found, left = record_files(source)
        files += found
        if left:
            named = ", ".join(quote(Path(name).name) for name in left[:_TOLD])
            named += f" and {len(left) - _TOLD:,} more" * (len(left) > _TOLD)
            tell(f"left out of {_shown(source)}: {named}; give a file by name to read it")
    bar = tqdm(files, desc="reading", unit=" files", disable=None if len(files) > 1 else True)
    return _read_together(
        ((name, partial(_read_file, name, skip=skip)) for name in bar),
        len(files),
        names=names or {},
        skip=skip,
    )


def records_from_bytes(
    files: Sequence[tuple[str, bytes]], *, most: int, skip: Skip | None = None
) -> pd.DataFrame:
    """Read files by name that nobody trusts, as `read_records` does.

    In all they may have `most` rows, or a few more, and 4 MiB of text; Parquet fills memory.
    """
    size = rows = 0

    def read(name: str, content: bytes) -> pd.DataFrame:
        nonlocal size, rows
        with _named_errors(name):
            text = _whole(_unzipped(BytesIO(content), name), _MOST_SENT, before=size)
            size += len(text)
            found = _read(BytesIO(text), name, most=max(most - rows, 0), skip=skip)
        rows += len(found)
        return found

    given = ((name, partial(read, name, content)) for name, content in files)
    return _read_together(given, len(files), names={}, skip=skip)


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
            frames[name] = frame if alone else _checked(frame, name, skip)
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
    taken = {game for name, frame in frames.items() if not clash[name] for game in frame["game"]}
    for name, frame in frames.items():
        file = _utf8(Path(name).stem if stems[Path(name).stem] == 1 else name)
        if clash[name]:
            own = frame["game"].unique()
            new = {game: _free(file if len(own) == 1 else f"{file} {game}", taken) for game in own}
            frame["game"] = frame["game"].map(new)
    whole = pd.concat(frames.values(), ignore_index=True).astype(object)
    return whole.where(whole.notna(), "")


def _free(name: str, taken: set[str]) -> str:
    """Return a name that is not taken yet, with a number if it must be, and take it."""
    numbered = (f"{name} ({number})" for number in count(2))
    free = next(one for one in chain([name], numbered) if one not in taken)
    taken.add(free)
    return free


def record_files(source: str) -> tuple[list[str], list[str]]:
    """List the files of a source, itself if there is none; and what is no record in a folder."""
    try:
        files = [source] if source == STANDARD_STREAM else list_files(source)
    except CribevError:
        files = [source]
    if source in files or not Path(source).is_dir():
        return files, []
    left = [name for name in files if not _may_be_record(name)]
    known = {*files}
    others = (str(one) for one in Path(source).iterdir() if not one.name.startswith("."))
    records = [name for name in files if name not in {*left}] or [source]
    return records, sorted([*left, *(name for name in others if name not in known)])


def _may_be_record(name: str) -> bool:
    """Tell whether a file is of a kind that is read; what is damaged is told when it is."""
    with suppress(OSError, EOFError, zlib.error), Path(name).open("rb") as file:
        try:
            _format_in(_begun(_unzipped(file, name))[0], name)
        except RecordError:
            return False
    return True


def _checked(frame: pd.DataFrame, name: str, skip: Skip | None) -> pd.DataFrame:
    """Check a record; with `skip`, leave out the games that cannot be, if others can."""

    def checked(rows: pd.DataFrame) -> pd.DataFrame:
        with _named_errors(name):
            return as_record(rows).frame

    games = _column(frame, "game")
    parts = [] if games is None else [rows for _, rows in frame.groupby(games, sort=False)]
    return whole_or_good(partial(checked, frame), [partial(checked, rows) for rows in parts], skip)


def _column(frame: pd.DataFrame, name: str) -> Any:
    """Return how a column of a record is named in a table; None if it has none."""
    known = normalised_header([str(own) for own in frame], ALL_COLUMNS)
    return frame.columns[known.index(name)] if name in known else None


def _renamed(
    frame: pd.DataFrame, names: Mapping[str, str], players: dict[str, None]
) -> pd.DataFrame:
    """Give players the names they are meant by, and note what they are called."""
    if not names or (at := _column(frame, "player")) is None:
        return frame
    called = [as_text(name).strip() for name in frame[at]]
    players |= dict.fromkeys(called)
    return frame.assign(**{at: [as_text(names.get(name, name)) for name in called]})


def misspelt_columns(record: pd.DataFrame) -> dict[str, str]:
    """Return columns that mean nothing to a review, and which each is likely to be meant for."""
    names = [str(name) for name in split_rows(record)]
    known = normalised_header(names, ALL_COLUMNS)
    free = [name for name in ALL_COLUMNS if name not in known]
    pairs = (
        (name, "_".join(name.split()).casefold())
        for name, meant in zip(names, known, strict=True)
        if meant not in ALL_COLUMNS
    )
    near = {name: get_close_matches(own, free, 1, 0.8) for name, own in pairs}
    return {name: found[0] for name, found in near.items() if found}


class _Begun(BufferedReader):
    """A stream whose beginning can be looked at, and which leaves open what it reads."""

    def close(self) -> None:
        """Leave it open."""


def _read(
    stream: IO[bytes], name: str, *, most: int | None = None, skip: Skip | None = None
) -> pd.DataFrame:
    """Read the record in a stream, all of it or `most` rows and a few more."""
    skipped = list[RecordError]()

    def tell() -> None:
        for error in skipped:
            with skipping(skip), _named_errors(name):
                raise error

    try:
        frame = _parsed(stream, name, most, skipped.append if skip else None)
    except RecordError as error:
        last = skipped.pop() if skipped and str(error) == NO_DEAL else error
        tell()
        raise last from error
    tell()
    return frame


def _parsed(stream: IO[bytes], name: str, most: int | None, skipped: Skip | None) -> pd.DataFrame:
    """Read the record in a stream, by its format."""
    head, stream = _begun(stream)
    found = _format_in(head, name)
    if not isinstance(found, str):
        content = _whole(stream, _MOST)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise RecordError(f"line {line}: not UTF-8 text") from error
        return found(text, most=most, skip=skipped)
    if found == "parquet" and most is not None:
        raise RecordError(f"{quote(name)} is Parquet: cribev review takes it, this only text")
    with Source(name, found, raw=stream, known=ALL_COLUMNS, loose=True) as read:
        return _read_chunks(read, most=most, skip=skipped)


def _unzipped(stream: IO[bytes], name: str) -> IO[bytes]:
    head, stream = _begun(stream)
    if head.startswith(_ZIPPED) or name.lower().endswith(".gz"):
        return cast(IO[bytes], gzip.GzipFile(fileobj=stream))
    return stream


@contextmanager
def _named_errors(name: str) -> Iterator[None]:
    """Raise what is wrong with a file as a `RecordError` that names it."""
    try:
        yield
    except CribevError as error:
        said = str(error)
        named = _shown(name) in said or quote(name) in said
        raise RecordError(said if named else f"{_shown(name)}: {said}") from error
    except IsADirectoryError as error:  # one with a record is read file by file
        raise RecordError(f"there is no record of games in {_shown(name)}") from error
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise RecordError(f"cannot read {_shown(name)}: {reason}") from error


def _begun(stream: IO[bytes]) -> tuple[bytes, IO[bytes]]:
    """Return how a stream begins, and the stream from its beginning."""
    begun = _Begun(cast("RawIOBase", stream), _HEAD)
    return begun.peek(_HEAD), begun


def _shown(name: str) -> str:
    return repr("standard input" if name == STANDARD_STREAM else name)


def _whole(stream: IO[bytes], most: int, *, before: int = 0) -> bytes:
    """Read a stream to its end, if that and what came before it is not too much."""
    content = stream.read(most - before + 1)
    if len(content) + before > most:
        others = " with the files before it" * bool(before)
        raise RecordError(f"it holds more than {most >> 20} MiB of text{others}: part its games")
    return content


def _format_in(head: bytes, name: str) -> str | Callable[..., pd.DataFrame]:
    """Tell by how a file begins, or else by its name, a table's format or what parses the text."""
    if head.startswith(_PARQUET):
        return "parquet"
    form = None
    with suppress(CribevError):
        form = format_of(name)
    text = head.decode("utf-8-sig", "replace").lstrip()
    line = re.split(r"[\r\n]", text, maxsplit=1)[0]
    if BEGINS_PGN.match(text):
        return parse_pgn
    if _REPLAY.match(text):
        if _is_row(line) or (form == "jsonl" and '"events"' not in text):
            return "jsonl"
        return partial(_parse_games, parse_replays)
    if _HISTORY.fullmatch(text):
        return partial(_parse_games, parse_histories)
    names = normalised_header(re.split("[,;\t]", line.replace('"', "")), ALL_COLUMNS)
    if {"cards", "discard"} <= set(names):
        return "tsv" if form == "tsv" and "\t" in line else "csv"
    if form is not None:
        return form
    if name.lower().removesuffix(".gz").endswith(".pgn"):
        return parse_pgn
    raise RecordError(
        f"what format is {_shown(name)}? expected .csv, .tsv, .jsonl, .parquet or .pgn (text also "
        "with .gz), a replay of cribbager, or a history of OpenSpiel"
    )


def _parse_games(
    parse: Callable[..., Iterator[GameRecord]], text: str, *, most: int | None, skip: Skip | None
) -> pd.DataFrame:
    return games_table(parse(text, skip=skip), most=most, skip=skip)


def _is_row(line: str) -> bool:
    """Tell whether a line is a row of a record as JSON, and not a replay."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "events" not in value


def _read_chunks(read: Source, *, most: int | None, skip: Skip | None) -> pd.DataFrame:
    frames = list[pd.DataFrame]()
    for chunk in read.chunks(_ROWS if most is None else most + 1):
        for row, bad in sorted(chunk.bad.items()):
            with skipping(skip):
                raise RecordError(f"{read.name!r} {chunk.place(row)}: {bad}")
        columns: dict[str, Any] = {}
        for key, column in zip(chunk.names, chunk.columns, strict=True):
            name = _utf8(key)
            if name in columns:
                raise RecordError(f"the record has the column {quote(name)} twice")
            try:
                columns[name] = [_utf8(value) for value in as_values(column)]
            except CribevError as error:
                raise RecordError(f"{read.name!r}, column {quote(name)}: {error}") from error
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


_BETWEEN = re.compile(r"[\s,\[\]]*")  # games, in a list or not
_REPLAY = re.compile(r"\s*[\[\s]*\{")


def parse_replays(text: str, *, skip: Skip | None = None) -> Iterator[GameRecord]:
    """Read replays: one, a list, or one after another; or RecordError with game and deal."""
    for number, replay in enumerate(_replays(text, skip), 1):
        name = replay.get("game_id") if isinstance(replay, dict) else None
        name = str(name) if isinstance(name, str | int) and name != "" else str(number)
        with skipping(skip):
            if not isinstance(replay, dict) or not isinstance(replay.get("events"), list):
                why = "expected a replay of cribbager, with events"
                raise RecordError(f"game {quote(name)}: {why}")
            yield _game(name, replay)


class _Uncounted(str):
    """A text whose lines are not counted: an error of JSON would count those before it, each."""

    def count(self, *_: object) -> int:
        """Return none."""
        return 0


def _replays(given: str, skip: Skip | None) -> Iterator[Any]:
    decoder, text, at, games, unclosed = json.JSONDecoder(), _Uncounted(given), 0, 0, 0
    line, counted = 1, 0  # the line of the place up to which lines are counted
    while between := _BETWEEN.match(text, at):
        unclosed += between[0].count("[") - between[0].count("]")
        if (at := between.end()) == len(text):
            break
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            wrong = error.pos if isinstance(error, json.JSONDecodeError) else at
            if wrong > counted:
                line, counted = line + _lines_within(given, counted, wrong), wrong
            indent = text[text.rfind("\n", 0, at) + 1 : at]
            goes_on = text.find(f"\n{indent if indent.isspace() else ''}{{", at)
            at, unclosed = (goes_on, unclosed) if goes_on >= 0 else (len(text), 0)
            with skipping(skip):
                why = _no_json(error, line)
                raise RecordError(f"{why}, after {pluralize(games, 'game')}") from error
        else:
            games += 1
            yield value
    if unclosed:
        with skipping(skip):
            raise RecordError(f"not JSON: a list is not closed, after {pluralize(games, 'game')}")


def _lines_within(text: str, start: int, end: int) -> int:
    return text.count("\n", start, end)


def _no_json(error: Exception, line: int) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: line {line}, column {error.colno}: {error.msg}"
    deep = isinstance(error, RecursionError)
    why = "it is nested too deeply" if deep else "a number is too long"
    return f"not JSON that can be read: {why}"


def _game(name: str, replay: Mapping[str, Any]) -> GameRecord:
    target = replay.get("target", WINNING_SCORE)
    if target != WINNING_SCORE:
        raise RecordError(
            f"game {quote(name)}: played to {quote(str(target))}, expected {WINNING_SCORE}"
        )
    winner = replay.get("winner")
    if winner == -1:  # nobody, so far
        winner = None
    if winner is not None and (type(winner) is not int or winner not in (0, 1)):
        raise RecordError(
            f"game {quote(name)}: 'winner' is {quote(repr(winner))}: expected 0 or 1, or null"
        )
    deals, cut, won = list[list[_Event]](), None, False
    for number, fields in enumerate(replay["events"], 1):
        event = _Event(name, max(len(deals), 1), number, fields)
        if event.kind == "hand_dealt":
            if won:
                raise event.error("the game has been won before")
            deals.append([_Event(name, len(deals) + 1, number, fields)])
        elif event.kind == "cut_for_deal":
            cut = event.field("dealer")
        elif event.kind == "game_won":
            if (seat := event.seat()) != winner and winner is not None:
                raise event.error(f"seat {seat} wins, and before that seat {winner} has won")
            winner, won = seat, True
        elif event.kind in _KINDS:
            if not deals:
                raise event.error("no hand is dealt yet")
            deals[-1].append(event)
    first = deals[0][0].seat("dealer") if deals else 0
    if deals and cut in (0, 1) and cut != first:
        raise deals[0][0].error(f"seat {first} deals, and seat {cut} has cut the lower card")
    played = tuple(
        _deal(number, events, (first + number - 1) % 2, last=number == len(deals))
        for number, events in enumerate(deals, 1)
    )
    return GameRecord(_players(replay), played, first, winner, name)


def _players(replay: Mapping[str, Any]) -> tuple[str, str]:
    seats = replay.get("seats")
    names = [
        (str(seat.get("name") or "").strip() if isinstance(seat, dict) else "") or f"Seat {at}"
        for at, seat in enumerate(seats if isinstance(seats, list) else [])
    ]
    first, second, *_ = chain(names, ("Seat 0", "Seat 1")[len(names) :], ("",))
    return distinct_players(first, second)


class _Event:
    """An event, whose fields may be anything JSON has."""

    def __init__(self, game: str, deal: int, number: int, fields: Any) -> None:
        self.deal = place_of(game, deal)
        self._number = number
        self._fields = fields if isinstance(fields, dict) else {}
        kind = self._fields.get("type")
        self.kind = kind if isinstance(kind, str) else ""

    def seat(self, field: str = "seat") -> int:
        return self._one_of(field, (0, 1), "0 or 1")

    def points(self, field: str = "points") -> int:
        return self._one_of(field, range(1000), "points", missing=0)

    def cards(self, value: Any, count: int) -> list[int]:
        texts = value if isinstance(value, list) else []
        try:
            cards: list[int] = parse_cards(" ".join(map(str, texts)), count=count).tolist()
        except CardError as error:
            raise self.error(str(error)) from error
        return cards

    def check_shown(self, cards: set[int], starter: int | None) -> None:
        """Hold the cards that are shown, if they are told, to those that are there."""
        if (told := self.field("cards")) is None or len(cards) != CARDS_KEPT:
            return
        with_starter = isinstance(told, list) and len(told) > CARDS_KEPT
        shown = set(self.cards(told, CARDS_KEPT + with_starter))
        if shown - {starter} != cards:
            raise self.error(
                f"shows {format_cards(sorted(shown))}, not {format_cards(sorted(cards))}"
            )

    def field(self, name: str) -> Any:
        return self._fields.get(name)

    def error(self, why: str) -> RecordError:
        return RecordError(f"{self.deal}, event {self._number}, {self.kind}: {why}")

    def _one_of(
        self, field: str, known: tuple[int, ...] | range, what: str, missing: int | None = None
    ) -> int:
        value = self._fields.get(field, missing)
        if not isinstance(value, int) or isinstance(value, bool) or value not in known:
            raise self.error(f"{field!r} is {quote(repr(value))}: expected {what}")
        return value


_ONCE = ("discarded", "starter_cut", "hand_shown", "crib_shown")  # of a seat in a deal
_KINDS = (*_ONCE, "card_played", "go")


def _deal(number: int, events: list[_Event], dealer: int, *, last: bool) -> Deal:
    """Read a deal; a seat without a discard has no hand."""
    dealt, *others = events
    if dealt.seat("dealer") != dealer:
        raise dealt.error(f"seat {1 - dealer} deals, and the deal goes in turn")
    both = dealt.field("hands")
    both = both if isinstance(both, list) and len(both) == 2 else [None, None]
    hands = [dealt.cards(hand, 6) for hand in both]
    roles: list[Role] = [role_of(seat == dealer) for seat in (0, 1)]
    discards, shown, pegged = dict[int, list[int]](), dict[Role, int](), dict.fromkeys(ROLES, 0)
    starter, heels, crib = None, None, None
    laid, seen = list[str](), set[tuple[str, int]]()
    for event in others:
        seat = event.seat() if event.kind not in ("starter_cut", "crib_shown") else dealer
        if event.kind in _ONCE and (event.kind, seat) in seen:
            raise event.error("comes twice in the deal")
        seen.add((event.kind, seat))
        if event.kind == "discarded":
            discards[seat] = event.cards(event.field("cards"), 2)
        elif event.kind == "starter_cut":
            ((starter,), heels) = event.cards([event.field("card")], 1), event.points()
        elif event.kind == "hand_shown":
            shown[roles[seat]] = event.points("total")
            event.check_shown(set(hands[seat]).difference(discards.get(seat, ())), starter)
        elif event.kind == "crib_shown":
            if event.field("seat") not in (None, dealer):
                raise event.error(f"seat {1 - dealer} shows it, and seat {dealer} deals")
            crib = event.points("total")
            event.check_shown(set(chain.from_iterable(discards.values())), starter)
        else:
            pegged[roles[seat]] += event.points()
        if event.kind == "card_played":
            (card,) = event.cards([event.field("card")], 1)
            if card not in hands[seat]:
                raise event.error(
                    f"seat {seat} plays {format_card(card)}, and was dealt "
                    f"{format_cards(hands[seat])}"
                )
            laid.append(f"{format_card(card)} ({event.points('count')}-{event.points()})")
    held = {
        roles[seat]: held_of(dealt.deal, hands[seat], discard) for seat, discard in discards.items()
    }
    deal = deal_of(number, held, starter, starts=number == 1)
    deal = with_play(dealt.deal, deal, " ".join(laid))
    told = pegged if deal.play.over or len(held) == 2 else None
    ends = last and others[-1:] != [] and others[-1].kind == "card_played"
    check_points(dealt.deal, deal, hands=shown, crib=crib, starter=heels, pegged=told, last=ends)
    return deal


_PASS = DECK_SIZE + DECK_SIZE * DECK_SIZE
_PLAYERS = ("Player 0", "Player 1")
_BRACKETED = re.compile(r"[\[(][^\[\]()]*[\])]|[^\[\](),;\s][^\[\]()]*")  # or what is outside
_BETWEEN_ACTIONS = re.compile(r"[\s,;]+")
_HISTORY = re.compile(r"[\s,;\[\]()]*\d[\s\d,;\[\]()]*", re.ASCII)
_DEALT = 12


def parse_histories(text: str, *, skip: Skip | None = None) -> Iterator[GameRecord]:
    """Read histories, in brackets or one a line; `RecordError` names game, deal and action."""
    histories = [one[0] for one in _BRACKETED.finditer(text)]
    bracketed = any(one.endswith(("]", ")")) for one in histories)
    if not bracketed:
        histories = text.splitlines()
        if all(len(_BETWEEN_ACTIONS.split(line.strip())) <= _DEALT for line in histories):
            histories = [text]  # a number or a few on each line
    for number, line in enumerate(filter(lambda one: one.strip(" ,;\t\r\n"), histories), 1):
        actions = _Actions(str(number), line.strip("[]()"))
        with skipping(skip):
            if bracketed and not line.endswith(("]", ")")):
                where = f"game {quote(str(number))}, {quote(line.strip())}"
                raise RecordError(f"{where}: expected brackets around it, as around the others")
            yield GameRecord(_PLAYERS, tuple(_deals(actions)), name=actions.game)


class _Actions:
    """The actions of a history, taken one after the other."""

    def __init__(self, game: str, text: str) -> None:
        self.game, self.deal, self._at = game, 1, 0
        self._texts = _BETWEEN_ACTIONS.split(text.strip(" ,;\t\r\n"))

    @property
    def left(self) -> int:
        return len(self._texts) - self._at

    def next(self) -> int | None:
        """Return the action that comes next, if there is one, without taking it."""
        if not self.left:
            return None
        text = self._texts[self._at]
        if not (text.isascii() and text.isdecimal() and len(text) < 9):
            raise self.error("is not an action: expected a whole number", at=self._at)
        return int(text)

    def take(self, least: int, most: int, what: str) -> int:
        """Take an action; `RecordError` unless it is from `least` to `most`."""
        action = self.next()
        assert action is not None
        self._at += 1
        if not least <= action <= most:
            raise self.error(f"is not {what}: expected {least} to {most}")
        return action

    def card(self) -> int:
        """Take a card, as this package numbers cards."""
        return _card(self.take(0, DECK_SIZE - 1, "a card"))

    def discard(self) -> list[int]:
        """Take a discard, as two cards."""
        both = divmod(self.take(DECK_SIZE, _PASS - 1, "a discard") - DECK_SIZE, DECK_SIZE)
        return [_card(card) for card in both]

    def error(self, why: str, *, at: int | None = None) -> RecordError:
        """Make an error about the action taken last."""
        at = self._at - 1 if at is None else at
        place = f"game {quote(self.game)}, deal {self.deal}, action {at + 1}"
        return RecordError(f"{place}, {quote(self._texts[at])}: {why}")


def _card(number: int) -> int:
    suit, rank = divmod(number, len(RANKS))
    return 4 * rank + suit


def _deals(actions: _Actions) -> Iterator[Deal]:
    while actions.left > _DEALT:
        cards = [actions.card() for _ in range(_DEALT)]
        dealer = (actions.deal - 1) % 2
        held = dict[Role, Held]()
        for seat, hand in enumerate((cards[:6], cards[6:])):
            if actions.left:
                discard = actions.discard()
                if len(set(discard)) < 2 or not set(discard) <= set(hand):
                    raise actions.error(
                        f"discards {format_cards(discard)}, not two of {format_cards(hand)}"
                    )
                held[role_of(seat == dealer)] = Held.of(hand).of_deal(discard)
        starter = actions.card() if actions.left else None
        deal = deal_of(actions.deal, held, starter, starts=actions.deal == 1)
        yield _played(actions, deal, dealer)
        actions.deal += 1


def _played(actions: _Actions, deal: Deal, dealer: int) -> Deal:
    """Take the play of a deal: the players act in turn, up to the passes after the last card."""
    turn: Role = "pone"
    count = passes = 0  # the passes since a card: two of them end the count
    while actions.left and (not deal.play.over or (count and actions.next() == _PASS)):
        name, left = _PLAYERS[dealer if turn == "dealer" else 1 - dealer], deal.left(turn)
        fits = [card for card in left if count + PIP_VALUES[rank_of(card)] <= LIMIT]
        if actions.next() == _PASS:
            actions.take(_PASS, _PASS, "a pass")
            if fits:
                raise actions.error(
                    f"{name} passes at a count of {count}, and {format_card(fits[0])} fits"
                )
            passes += 1
        else:
            card, passes = actions.card(), 0
            if card not in left:
                holds = format_cards(left) or "nothing"
                raise actions.error(f"{name} plays {format_card(card)}, and holds {holds}")
            count += PIP_VALUES[rank_of(card)]
            if card not in fits or deal.play.turn != turn:
                raise actions.error(f"{format_card(card)} brings the count to {count}")
            deal = replace(deal, play=deal.play.lay(card))
            left_of = {role: deal.left(role) for role in ROLES}
            deal = replace(deal, play=deal.play.go_while_stuck(left_of))
        if count == LIMIT or passes == 2:
            count = passes = 0
        turn = opposite_role(turn)
    return deal
