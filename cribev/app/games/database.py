"""The database in the user's data folder, where games and reviews are stored.

Each call opens the file for one short transaction and closes it. So several programs can write at
once, and nothing saved is lost if one of them is killed. A file that is damaged, has another format
or belongs to another program is left unchanged.
"""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from cribev.errors import CribevError, quote
from cribev.system.cache import data_folder

FILE = "cribev.sqlite3"

_APPLICATION = int.from_bytes(b"crib")
_VERSION = 1  # a table that is added needs no other
_DAMAGED = "it is damaged, or of another program; move it away to begin anew"
_REASONS = {
    sqlite3.SQLITE_BUSY: "another program has locked it",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened, or its folder is read-only",
}


class StoreError(CribevError):
    """Games or reviews that cannot be saved, or cannot be read back."""


def database_path() -> Path | None:
    """Return where games and reviews are kept, in the data folder, if there is any."""
    folder = data_folder()
    return folder and folder / FILE


class Database:
    """A file that each call opens; who has waited for a lock waits no more until it is free."""

    def __init__(self, path: Path | None, *, wait: float = 5.0) -> None:
        """Use a file, of `database_path`; ``wait`` seconds for another program's lock."""
        self._path, self._wait, self._locked = path, wait, False

    @property
    def path(self) -> Path:
        """The file."""
        if self._path is None:
            raise StoreError("there is no home folder: name a folder in CRIBEV_DATA_DIR")
        return self._path

    @property
    def name(self) -> str:
        """The path of the file, quoted."""
        return _named(self.path)

    def is_there(self) -> bool:
        """Return whether the file exists; `StoreError` if it is not a file or cannot be made."""
        place = self.path
        try:
            for place in (self.path, *self.path.parents):
                with suppress(FileNotFoundError, NotADirectoryError):
                    place.lstat()
                    break
            mode = place.stat().st_mode
        except OSError as error:
            target = Path(os.path.realpath(self.path))
            if isinstance(error, FileNotFoundError) and target.parent.is_dir():
                return False  # a link to where the file can be made
            if place.is_symlink():
                raise StoreError(f"{_named(place)} is a link that leads nowhere") from error
            raise StoreError(f"cannot read {self.name}: {error.strerror}") from error
        if place != self.path and not stat.S_ISDIR(mode):
            raise StoreError(f"{_named(place)} is not a folder")
        if place == self.path and not stat.S_ISREG(mode):  # opening a pipe would wait for ever
            raise StoreError(f"{self.name} is not a file")
        return place == self.path

    @contextmanager
    def reading(self, table: str) -> Iterator[sqlite3.Connection | None]:
        """Open the file to read; None while that table is not in it."""
        if not self.is_there():
            yield None
            return
        with self._opened("rw", "DEFERRED") as database:
            query = "SELECT 1 FROM sqlite_master WHERE name = ?"
            version = _is_made(database, self.path) and database.execute(query, [table]).fetchone()
            yield database if version else None

    @contextmanager
    def writing(self, *definitions: str) -> Iterator[sqlite3.Connection]:
        """Open the file to write, with what these definitions make."""
        self.is_there()
        try:
            self.path.parent.mkdir(0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot write {self.name}: {error.strerror}") from error
        with self._opened("rwc", "IMMEDIATE") as database:
            if not _is_made(database, self.path):
                database.execute(f"PRAGMA application_id = {_APPLICATION}")
                database.execute(f"PRAGMA user_version = {_VERSION}")
            for definition in definitions:
                database.execute(definition)
            yield database

    @contextmanager
    def _opened(self, mode: str, begin: str) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction."""
        uri = f"{Path(os.path.realpath(self.path)).as_uri()}?mode={mode}"
        wait = 0.0 if self._locked else self._wait
        try:
            database = sqlite3.connect(uri, uri=True, timeout=wait, isolation_level=None)
            with closing(database), database:
                database.text_factory = lambda text: text.decode("utf-8", "replace")
                database.execute(f"BEGIN {begin}")
                yield database
            self._locked = False
        except (sqlite3.Error, OSError) as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            self._locked = code == sqlite3.SQLITE_BUSY
            raise StoreError(f"{self.name}: {_REASONS.get(code, error)}") from error


MOST_KEPT = 20_000
"""Games or reviews that are kept of a person. None is removed but by who made it."""


def require_room(database: sqlite3.Connection, table: str, what: str, *, most: int) -> None:
    """Raise `StoreError` if a table has no room for another row."""
    ((number,),) = database.execute(f"SELECT count(*) FROM {table}")
    if number >= most:
        raise StoreError(
            f"{number:,} {what} are kept, and no more: remove one that you do not need"
        )


def _is_made(database: sqlite3.Connection, path: Path) -> bool:
    """Return whether there is a table, or an empty file, within a transaction; or StoreError."""
    ((application,),) = database.execute("PRAGMA application_id")
    ((version,),) = database.execute("PRAGMA user_version")
    ((things,),) = database.execute("SELECT count(*) FROM sqlite_master")
    if not (application or version or things):
        return False
    if application != _APPLICATION:
        raise StoreError(f"{_named(path)} is another program's database, and left as it is")
    if version != _VERSION:
        raise StoreError(
            f"{_named(path)} has format {version}, and this version of cribev knows {_VERSION}: "
            "it is left as it is; move it away to begin anew"
        )
    return True


def _named(path: Path) -> str:
    return quote(str(path), most=300)
