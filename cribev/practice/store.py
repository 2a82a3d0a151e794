"""The throws of every session, saved in a database in the user's data folder.

Each throw is one short transaction, so two programs can write at once and nothing that was saved
is lost if one of them is killed. A file that is another program's, damaged or of a newer format is
left as it is, and reading leaves out rows that cannot be right.
"""

import os
import re
import sqlite3
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

import pandas as pd

from cribev import __version__
from cribev.errors import CribevError, quote
from cribev.files.folders import user_folder
from cribev.game.cards import DECK_SIZE, format_cards
from cribev.game.integers import parse_integer
from cribev.game.roles import ROLES, Role
from cribev.game.score_notation import WINNING_SCORE
from cribev.practice.hands import Hand
from cribev.practice.throws import Throw
from cribev.reviews.wording import pluralize
from cribev.solved.solution import load

FILE = "practice.sqlite3"
"""The name of the database in the data folder."""

DEALT, HARD, AGAIN = "dealt", "hard", "again"
"""What kind of hand it was: any hand, one of the hard ones, or one that came back."""

HEADINGS = {DEALT: "Hands as dealt", HARD: "Hard hands"}
"""Headings of progress, by kind."""

SESSION_NAME = re.compile(r"[0-9a-f]{1,32}")

_APPLICATION = int.from_bytes(b"crib")
_VERSION = 2  # in 1, the column session was called run
_MAX_PENDING = 1000
_CARDS = {card: number for number, card in enumerate(format_cards(range(DECK_SIZE)).split())}
_KEY = "session, number, role, cards"
_TABLE = f"""\
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
    UNIQUE ({_KEY})
)
"""
_REASONS = {
    sqlite3.SQLITE_BUSY: "another program has locked it",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened, or its folder is read-only",
}


class StoreError(CribevError):
    """Throws that cannot be saved, or cannot be read back."""


class StoredThrow(NamedTuple):
    """A throw as a row of the store; points are as in `cribev.reviews.review.Review`."""

    session: str
    """A name that the throws of one session share."""
    at: str
    """When, in UTC."""
    kind: str
    """`DEALT`, `HARD` or `AGAIN`."""
    role: Role
    cards: str
    opponent_cards: str
    opponent_discard: str
    starter: str
    seed: str | None
    number: int | None
    discard: str
    best_discard: str
    expected: float
    best_expected: float
    ev_loss: float
    rank: int
    margin: float
    deal_luck: float
    starter_luck: float
    crib_swing: float
    result: float
    solution: str
    """The checksums of the solved game that valued it, the dealer's and pone's."""
    version: str
    """The version of the package."""

    @property
    def hand(self) -> Hand:
        """The hand it was thrown from."""
        return Hand(
            role=self.role,
            cards=tuple(_numbers(self.cards)),
            opponent_cards=tuple(_numbers(self.opponent_cards)),
            opponent_discard=tuple(_numbers(self.opponent_discard)),
            starter=_CARDS[self.starter],
            seed=None if self.seed is None else int(self.seed),
            number=self.number,
        )


_KINDS = tuple(StoredThrow.__annotations__.values())


def new_session_name() -> str:
    """Draw a name for a session."""
    return token_hex(8)


def stored_throw(thrown: Throw, decision: pd.Series, *, session: str, kind: str) -> StoredThrow:
    """Make the row of a throw; ``decision`` is its row of `cribev.practice.throws.grade_throws`."""
    hand, checksums = thrown.hand, load(play=True).checksums
    of_review: dict[str, Any] = {
        name: value.item() if hasattr(value := decision[name], "item") else value
        for name in StoredThrow._fields
        if name in decision and name not in ("seed", "number")
    }
    return StoredThrow(
        session=session,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        kind=kind,
        opponent_cards=format_cards(hand.opponent_cards),
        seed=None if hand.seed is None else str(hand.seed),
        number=hand.number,
        solution="".join(f"{checksums[role]:08x}" for role in ROLES),
        version=__version__,
        **of_review,
    )


def store_path() -> Path | None:
    """Return where throws are saved: in ``CRIBEV_DATA_DIR``, or the user's data folder, if any."""
    from platformdirs import user_data_dir

    folder = user_folder("CRIBEV_DATA_DIR", user_data_dir)
    return folder and folder / FILE


class Store:
    """The throws in a file. Each call opens it for a moment, and raises `StoreError` if it cannot.

    A throw that cannot be saved is tried again with the next one; `trouble` says why.
    """

    def __init__(self, path: Path | None, *, wait: float = 5.0) -> None:
        """Use a file, of `store_path`; ``wait`` seconds for another program's lock."""
        self._path, self._wait = path, wait
        self.trouble = ""
        self._pending: dict[StoredThrow, None] = {}

    @property
    def path(self) -> Path:
        """The file."""
        if self._path is None:
            raise StoreError("there is no home folder: name a folder in CRIBEV_DATA_DIR")
        return self._path

    @property
    def pending(self) -> int:
        """How many throws could not be saved so far."""
        return len(self._pending)

    def save(self, *throws: StoredThrow) -> None:
        """Save throws, and those that are pending: all or none.

        Of a hand that is thrown twice in a session, the first throw stays.
        """
        self._pending |= dict.fromkeys(throws)
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
        if not _is_there(self.path):
            return []
        where, names = ("", ()) if session is None else (" WHERE session = ?", (session,))
        with self._opened("rw", "DEFERRED") as database:
            if not (version := _version(database, self.path)):
                return []
            columns = ", ".join(StoredThrow._fields)
            if version == 1:
                columns, where = (text.replace("session", "run") for text in (columns, where))
            database.text_factory = lambda text: text.decode("utf-8", "replace")
            rows = database.execute(f"SELECT {columns} FROM throws{where} ORDER BY id", names)
            found = [StoredThrow(*row) for row in rows]
        good = [one for one in found if _is_sound(one)]
        if tell is not None and (damaged := len(found) - len(good)):
            are = "is" if damaged == 1 else "are"
            throws = pluralize(len(found), "throw")
            tell(f"{_named(self.path)}: {damaged:,} of {throws} {are} damaged, left out")
        return good

    def remove(self, session: str, hand: Hand) -> None:
        """Remove what a session threw from a hand."""
        for one in list(self._pending):
            if (one.session, one.hand) == (session, hand):
                self._pending.pop(one, None)
        if not _is_there(self.path):
            return
        key = (session, hand.number, hand.role, format_cards(hand.cards))
        with self._opened("rw") as database:
            if _made_current(database, self.path):
                database.execute(f"DELETE FROM throws WHERE ({_KEY}) IS (?, ?, ?, ?)", key)

    def clear(self) -> int:
        """Delete all throws, and return how many."""
        self._pending.clear()
        if not _is_there(self.path):
            return 0
        with self._opened("rw") as database:
            if not _version(database, self.path):
                return 0
            database.execute("PRAGMA secure_delete = ON")
            deleted = database.execute("DELETE FROM throws").rowcount
            database.commit()
            with suppress(sqlite3.Error):  # what was there is overwritten already
                database.execute("VACUUM")
            return deleted

    def _write(self, throws: Sequence[StoredThrow]) -> None:
        _is_there(self.path)
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot write {_named(self.path)}: {error.strerror}") from error
        marks = ", ".join("?" * len(StoredThrow._fields))
        with self._opened("rwc") as database:
            if not _made_current(database, self.path):
                database.execute(_TABLE)
                database.execute(f"PRAGMA application_id = {_APPLICATION}")
                database.execute(f"PRAGMA user_version = {_VERSION}")
            database.executemany(
                f"INSERT INTO throws ({', '.join(StoredThrow._fields)}) VALUES ({marks}) "
                f"ON CONFLICT ({_KEY}) DO NOTHING",
                throws,
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


def _is_sound(one: Any) -> bool:
    """Tell whether a row can be right: others may have written anything there."""
    cards, opponent, threw, starter, discard, best = map(_numbers, (*one[4:8], *one[10:12]))
    points = [one[column] for column, kind in enumerate(_KINDS) if kind is float]
    return (
        (len(cards), len(opponent), len(starter)) == (6, 6, 1)
        and len({*cards, *opponent, *starter}) == 13
        and cards == sorted(cards)
        and all(len(two) == 2 == len({*two}) for two in (threw, discard, best))
        and {*discard, *best} <= {*cards}
        and {*threw} <= {*opponent}
        and all(isinstance(value, float) and abs(value) <= WINNING_SCORE for value in points)
        and one.ev_loss >= 0 <= one.margin
        and isinstance(one.rank, int)
        and 1 <= one.rank <= 15
        and one.role in ROLES
        and one.kind in (DEALT, HARD, AGAIN)
        and (one.number is None or (isinstance(one.number, int) and one.number > 0))
        and (one.kind == AGAIN if one.seed is None else parse_integer(str(one.seed)) is not None)
        and _is_time(one.at)
        and all(isinstance(text, str) for text in (one.session, one.solution, one.version))
        and SESSION_NAME.fullmatch(one.session) is not None
    )


def _numbers(text: object) -> list[int]:
    """Read cards as they are stored; none if they are not cards."""
    cards = text.split(" ") if isinstance(text, str) else []
    return [_CARDS[card] for card in cards] if _CARDS.keys() >= {*cards} else []


def _is_time(at: object) -> bool:
    try:
        then = datetime.fromisoformat(at) if isinstance(at, str) else None
        return then is not None and then.tzinfo is not None and bool(then.astimezone())
    except (ValueError, OverflowError, OSError):
        return False


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
    """Bring the table of an older format up to date; return whether there is a table."""
    version = _version(database, path)
    if version == 1:
        database.execute("ALTER TABLE throws RENAME COLUMN run TO session")
        database.execute(f"PRAGMA user_version = {_VERSION}")
    return version > 0


def _named(path: Path) -> str:
    return quote(str(path), most=300)
