"""What you threw and laid in every session, saved in a database in the user's data folder.

Each decision is one short transaction, so two programs can write at once and nothing that was saved
is lost if one of them is killed. A file that is another program's, damaged or of a newer format is
left as it is, and reading leaves out rows that cannot be right.
"""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from cribev.errors import CribevError, quote
from cribev.game.cards import format_cards
from cribev.practice.hands import Hand
from cribev.practice.spots import Spot
from cribev.practice.stored import Stored, StoredLay, StoredThrow, is_sound_lay, is_sound_throw
from cribev.reviews.wording import pluralize
from cribev.system.cache import user_folder

FILE = "practice.sqlite3"
"""The name of the database in the data folder."""

_APPLICATION = int.from_bytes(b"crib")
_VERSION = 3  # in 1, the column session was called run; 1 and 2 had neither scores nor lays
_MAX_PENDING = 1000
_SCORED = {"score": "TEXT", "win": "REAL", "best_win": "REAL", "win_discard": "TEXT",
           "win_loss": "REAL"}  # fmt: skip
_THROWS = f"""\
CREATE TABLE throws (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,
    role TEXT NOT NULL, cards TEXT NOT NULL, opponent_cards TEXT NOT NULL,
    opponent_discard TEXT NOT NULL, starter TEXT NOT NULL, seed TEXT, number INTEGER,
    discard TEXT NOT NULL, best_discard TEXT NOT NULL,
    expected REAL NOT NULL, best_expected REAL NOT NULL, ev_loss REAL NOT NULL,
    rank INTEGER NOT NULL, margin REAL NOT NULL,
    deal_luck REAL NOT NULL, starter_luck REAL NOT NULL, crib_swing REAL NOT NULL,
    result REAL NOT NULL,
    solution TEXT NOT NULL, version TEXT NOT NULL,
    {", ".join(f"{name} {kind}" for name, kind in _SCORED.items())},
    UNIQUE (session, number, role, cards)
)
"""
_LAYS = """\
CREATE TABLE lays (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,
    role TEXT NOT NULL, hand TEXT NOT NULL, discard TEXT NOT NULL, starter TEXT NOT NULL,
    laid TEXT NOT NULL, opponent_hand TEXT NOT NULL, seed TEXT, number INTEGER,
    card TEXT NOT NULL, best_card TEXT NOT NULL,
    expected REAL NOT NULL, best_expected REAL NOT NULL, ev_loss REAL NOT NULL,
    rank INTEGER NOT NULL, win_loss REAL,
    solution TEXT NOT NULL, version TEXT NOT NULL,
    UNIQUE (session, number, role, hand, laid)
)
"""
_REASONS = {
    sqlite3.SQLITE_BUSY: "another program has locked it",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened, or its folder is read-only",
}


class StoreError(CribevError):
    """Decisions that cannot be saved, or cannot be read back."""


class _Table(NamedTuple):
    """Where rows of one type are."""

    name: str
    row: type[StoredThrow] | type[StoredLay]
    key: tuple[str, ...]
    thing: str
    """What a row is, for people."""

    def key_of(self, one: Any) -> tuple[object, ...]:
        """Return what tells a row from the others of its session."""
        return tuple(getattr(one, name) for name in self.key)


_TABLES = (
    _Table("throws", StoredThrow, ("session", "number", "role", "cards"), "throw"),
    _Table("lays", StoredLay, ("session", "number", "role", "hand", "laid"), "card"),
)


def store_path() -> Path | None:
    """Return where practice is saved: in ``CRIBEV_DATA_DIR``, or the user's data folder, if any."""
    from platformdirs import user_data_dir

    folder = user_folder("CRIBEV_DATA_DIR", user_data_dir)
    return folder and folder / FILE


class Store:
    """Throws and lays in a file. Each call opens it for a moment; `StoreError` if it cannot.

    What cannot be saved is tried again with the next decision; `trouble` says why.
    """

    def __init__(self, path: Path | None, *, wait: float = 5.0) -> None:
        """Use a file, of `store_path`; ``wait`` seconds for another program's lock."""
        self._path, self._wait = path, wait
        self.trouble = ""
        self._pending: dict[Stored, None] = {}

    @property
    def path(self) -> Path:
        """The file."""
        if self._path is None:
            raise StoreError("there is no home folder: name a folder in CRIBEV_DATA_DIR")
        return self._path

    @property
    def pending(self) -> int:
        """How many decisions could not be saved so far."""
        return len(self._pending)

    def save(self, *rows: Stored) -> None:
        """Save throws and lays, and those that are pending: all or none.

        Of a hand or a spot that comes twice in a session, the first decision stays.
        """
        self._pending |= dict.fromkeys(rows)
        for one in list(self._pending)[:-_MAX_PENDING]:
            self._pending.pop(one, None)
        pending = list(self._pending)
        try:
            self._write(pending)
        except StoreError as error:
            self.trouble = str(error)
            raise
        self.trouble = ""
        for one in pending:
            self._pending.pop(one, None)

    def read(
        self, session: str | None = None, tell: Callable[[str], object] | None = None
    ) -> list[StoredThrow]:
        """Return all throws, or those of a session, the oldest first.

        Rows that cannot be right are left out; ``tell`` is called with a line that says how many.
        """
        return self._read(_TABLES[0], is_sound_throw, session, tell)

    def read_lays(
        self, session: str | None = None, tell: Callable[[str], object] | None = None
    ) -> list[StoredLay]:
        """Return all lays, or those of a session, in the same way."""
        return self._read(_TABLES[1], is_sound_lay, session, tell)

    def remove(self, session: str, what: Hand | Spot) -> None:
        """Remove what a session threw from a hand, or laid in a spot."""
        table = _TABLES[isinstance(what, Spot)]
        cards: tuple[str, ...]
        if isinstance(what, Hand):
            cards = (format_cards(what.cards),)
        else:
            cards = format_cards(what.hand), what.laid_text
        key = (session, what.number, what.role, *cards)
        for one in list(self._pending):
            if isinstance(one, table.row) and table.key_of(one) == key:
                self._pending.pop(one, None)
        if not _is_there(self.path):
            return
        marks = ", ".join("?" * len(key))
        with self._opened("rw") as database:
            if _made_current(database, self.path):
                database.execute(
                    f"DELETE FROM {table.name} WHERE ({', '.join(table.key)}) IS ({marks})", key
                )

    def clear(self) -> int:
        """Delete all throws and lays, and return how many."""
        self._pending.clear()
        if not _is_there(self.path):
            return 0
        with self._opened("rw") as database:
            if not (version := _version(database, self.path)):
                return 0
            tables = _TABLES if version > 2 else _TABLES[:1]
            database.execute("PRAGMA secure_delete = ON")
            deleted = sum(database.execute(f"DELETE FROM {one.name}").rowcount for one in tables)
            database.commit()
            with suppress(sqlite3.Error):  # what was there is overwritten already
                database.execute("VACUUM")
            return deleted

    def _read(
        self,
        table: _Table,
        is_sound: Callable[[Any], bool],
        session: str | None,
        tell: Callable[[str], object] | None,
    ) -> list[Any]:
        if not _is_there(self.path):
            return []
        where, names = ("", ()) if session is None else (" WHERE session = ?", (session,))
        with self._opened("rw", "DEFERRED") as database:
            version = _version(database, self.path)
            if not version or (version < 3 and table.row is StoredLay):
                return []
            columns = ", ".join(
                f"NULL AS {name}" if version < 3 and name in _SCORED else name
                for name in table.row._fields
            )
            if version == 1:
                columns, where = (text.replace("session", "run") for text in (columns, where))
            database.text_factory = lambda text: text.decode("utf-8", "replace")
            rows = database.execute(f"SELECT {columns} FROM {table.name}{where} ORDER BY id", names)
            found = [table.row(*row) for row in rows]
        good = [one for one in found if is_sound(one)]
        if tell is not None and (damaged := len(found) - len(good)):
            are = "is" if damaged == 1 else "are"
            every = pluralize(len(found), table.thing)
            tell(f"{_named(self.path)}: {damaged:,} of {every} {are} damaged, left out")
        return good

    def _write(self, rows: Sequence[Stored]) -> None:
        _is_there(self.path)
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot write {_named(self.path)}: {error.strerror}") from error
        with self._opened("rwc") as database:
            if not _made_current(database, self.path):
                database.execute(_THROWS)
                database.execute(_LAYS)
                database.execute(f"PRAGMA application_id = {_APPLICATION}")
                database.execute(f"PRAGMA user_version = {_VERSION}")
            for table in _TABLES:
                columns, marks = table.row._fields, ", ".join("?" * len(table.row._fields))
                database.executemany(
                    f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({marks}) "
                    f"ON CONFLICT ({', '.join(table.key)}) DO NOTHING",
                    [one for one in rows if isinstance(one, table.row)],
                )

    @contextmanager
    def _opened(self, mode: str, begin: str = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction."""
        wait = 0.0 if self.trouble else self._wait  # a program that has waited once waits no more
        uri = f"{Path(os.path.realpath(self.path)).as_uri()}?mode={mode}"
        try:
            database = sqlite3.connect(uri, uri=True, timeout=wait, isolation_level=None)
            with closing(database), database:
                database.execute(f"BEGIN {begin}")
                yield database
        except (sqlite3.Error, OSError) as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            raise StoreError(f"{_named(self.path)}: {_REASONS.get(code, error)}") from error


def _is_there(path: Path) -> bool:
    """Tell whether the file is there; `StoreError` if it is none, or none can be made there."""
    place = path
    try:
        for place in (path, *path.parents):
            with suppress(FileNotFoundError, NotADirectoryError):
                place.lstat()
                break
        mode = place.stat().st_mode
    except OSError as error:
        target = Path(os.path.realpath(path))
        if isinstance(error, FileNotFoundError) and target.parent.is_dir():
            return False  # a link to where the file can be made
        if place.is_symlink():
            raise StoreError(f"{_named(place)} is a link that leads nowhere") from error
        raise StoreError(f"cannot read {_named(path)}: {error.strerror}") from error
    if place != path and not stat.S_ISDIR(mode):
        raise StoreError(f"{_named(place)} is no folder")
    if place == path and not stat.S_ISREG(mode):  # opening a pipe would wait for ever
        raise StoreError(f"{_named(path)} is no file")
    return place == path


def _version(database: sqlite3.Connection, path: Path) -> int:
    """Return the number of the file's format, 0 if it is empty; call it in a transaction.

    `StoreError` if it is another program's database, or a newer version's.
    """
    ((application,),) = database.execute("PRAGMA application_id")
    ((version,),) = database.execute("PRAGMA user_version")
    ((things,),) = database.execute("SELECT count(*) FROM sqlite_master")
    if not (application or version or things):
        return 0
    if application != _APPLICATION:
        raise StoreError(f"{_named(path)} is another program's database, and left as it is")
    if not 1 <= version <= _VERSION:
        raise StoreError(
            f"{_named(path)} has format {version}, and this version of cribev knows {_VERSION}: "
            "it is left as it is"
        )
    return int(version)


def _made_current(database: sqlite3.Connection, path: Path) -> bool:
    """Bring the tables of an older format up to date; return whether there are any."""
    version = _version(database, path)
    if version == 1:
        database.execute("ALTER TABLE throws RENAME COLUMN run TO session")
    if 0 < version < 3:
        for name, kind in _SCORED.items():
            database.execute(f"ALTER TABLE throws ADD COLUMN {name} {kind}")
        database.execute(_LAYS)
        database.execute(f"PRAGMA user_version = {_VERSION}")
    return version > 0


def _named(path: Path) -> str:
    return quote(str(path), most=300)
