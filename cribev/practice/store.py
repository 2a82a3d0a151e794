"""Every throw, kept at once in a database in the user's data folder.

A throw is one short transaction, so that two can write at once and an end in the middle leaves all
that was thrown before. A file that is not ours, is damaged or of a newer version is never touched,
nor is a row that cannot be: what is read goes on without it.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
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
"""The name of the file in the data folder."""

DEALT, HARD, AGAIN = "dealt", "hard", "again"
"""Where a hand came from: any hand, one of the hard, or one that came back."""

RUN = re.compile(r"[0-9a-f]{1,32}")
"""What a run is named."""

_APPLICATION = int.from_bytes(b"crib")
_VERSION = 1
_SECONDS = 5.0  # to wait for another who writes
_CARDS = {card: at for at, card in enumerate(format_cards(range(DECK_SIZE)).split())}
_ONCE = "run, number, role, cards"
_TABLE = f"""\
CREATE TABLE throws (
    id INTEGER PRIMARY KEY,
    run TEXT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,
    role TEXT NOT NULL, cards TEXT NOT NULL, opponent_cards TEXT NOT NULL,
    opponent_discard TEXT NOT NULL, starter TEXT NOT NULL, seed TEXT, number INTEGER,
    discard TEXT NOT NULL, best_discard TEXT NOT NULL,
    expected REAL NOT NULL, best_expected REAL NOT NULL, ev_loss REAL NOT NULL,
    rank INTEGER NOT NULL, margin REAL NOT NULL,
    deal_luck REAL NOT NULL, starter_luck REAL NOT NULL, crib_swing REAL NOT NULL,
    result REAL NOT NULL,
    solution TEXT NOT NULL, version TEXT NOT NULL,
    UNIQUE ({_ONCE})
)
"""


class StoreError(CribevError):
    """Throws that cannot be kept, or those kept that cannot be read."""


class StoredThrow(NamedTuple):
    """A throw as it is kept; what it came to is as in `cribev.reviews.review.Review`, in points."""

    run: str
    """What the throws of one run have in common."""
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
        """The hand that was thrown from."""
        return Hand(
            self.role, self.cards, self.opponent_cards, self.opponent_discard, self.starter,
            None if self.seed is None else int(self.seed), self.number,
        )  # fmt: skip


_RESULTS = (
    *("best_discard", "expected", "best_expected", "ev_loss", "rank", "margin"),
    *("deal_luck", "starter_luck", "crib_swing", "result"),
)


def new_run() -> str:
    """Name a run.

    >>> new_run() != new_run()
    True
    """
    return token_hex(8)


def kept_of(thrown: Throw, decision: pd.Series, *, run: str, kind: str) -> StoredThrow:
    """Put together what is kept of a throw.

    Parameters
    ----------
    thrown, decision
        The throw, and its row among `cribev.practice.throws.decided`.
    run
        As from `new_run`.
    kind
        `DEALT`, `HARD` or `AGAIN`.
    """
    hand = thrown.hand
    results: dict[str, Any] = {
        name: value.item() if hasattr(value := decision[name], "item") else value
        for name in _RESULTS
    }
    checksums = load(play=True).checksums
    return StoredThrow(
        run=run,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        kind=kind,
        role=hand.role,
        cards=hand.cards,
        opponent_cards=hand.opponent_cards,
        opponent_discard=hand.opponent_discard,
        starter=hand.starter,
        seed=None if hand.seed is None else str(hand.seed),
        number=hand.number,
        discard=thrown.discard,
        **results,
        solution="".join(f"{checksums[role]:08x}" for role in ROLES),
        version=__version__,
    )


def file_of() -> Path:
    """Return where throws are kept: in ``CRIBEV_DATA_DIR``, or the user's data folder.

    Raises
    ------
    KeepError
        If there is no such folder, for a user without a home.
    """
    from platformdirs import user_data_dir

    folder = user_folder("CRIBEV_DATA_DIR", user_data_dir)
    if folder is None:
        raise StoreError("there is no home to keep throws in: CRIBEV_DATA_DIR can name a folder")
    return folder / FILE


def keep(throws: Sequence[StoredThrow]) -> None:
    """Keep throws, all of them or none; one of a hand that was thrown in the same run is left out.

    Raises
    ------
    KeepError
        If they cannot be kept.
    """
    path = file_of()
    _is_missing(path)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot write {_named(path)}: {error.strerror}") from error
    marks = ", ".join("?" * len(StoredThrow._fields))
    with _opened(path, "rwc") as database, _transaction(database):
        if not _ours(database, path):
            database.execute(_TABLE)
            database.execute(f"PRAGMA application_id = {_APPLICATION}")
            database.execute(f"PRAGMA user_version = {_VERSION}")
        database.executemany(
            f"INSERT INTO throws ({', '.join(StoredThrow._fields)}) VALUES ({marks}) "
            f"ON CONFLICT ({_ONCE}) DO NOTHING",
            throws,
        )


def all_kept(tell: Callable[[str], object] | None = None) -> list[StoredThrow]:
    """Return all that was kept, the first thrown first, but for rows that cannot be.

    Parameters
    ----------
    tell
        Is told in a line how many rows cannot be, if there are any.

    Raises
    ------
    KeepError
        If it cannot be read.
    """
    path = file_of()
    if _is_missing(path):
        return []
    with _opened(path, "rw") as database:
        if not _ours(database, path):
            return []
        database.text_factory = lambda text: text.decode("utf-8", "replace")
        rows = database.execute(f"SELECT {', '.join(StoredThrow._fields)} FROM throws ORDER BY id")
        found = [StoredThrow(*row) for row in rows]
    good = [one for one in found if _is_sound(one)]
    if tell is not None and (damaged := len(found) - len(good)):
        are = "is" if damaged == 1 else "are"
        tell(
            f"{_named(path)}: {damaged:,} of {pluralize(len(found), 'throw')} {are} damaged, "
            "left out"
        )
    return good


def delete_all() -> int:
    """Delete all that was kept, and return how many throws that were.

    Raises
    ------
    KeepError
        If it cannot be deleted.
    """
    path = file_of()
    if _is_missing(path):
        return 0
    with _opened(path, "rw") as database:
        if not _ours(database, path):
            return 0
        database.execute("PRAGMA secure_delete = ON")
        with _transaction(database):
            deleted = database.execute("DELETE FROM throws").rowcount
        with suppress(sqlite3.Error):  # what was there is overwritten already
            database.execute("VACUUM")
        return deleted


def _is_sound(one: Any) -> bool:
    """Tell whether a row can be: the database holds whatever somebody wrote there."""
    cards, theirs, starter, threw, discard, best = map(
        _numbers,
        [
            *(one.cards, one.opponent_cards, one.starter),
            *(one.opponent_discard, one.discard, one.best_discard),
        ],
    )
    points = [
        *(one.expected, one.best_expected, one.ev_loss, one.margin),
        *(one.deal_luck, one.starter_luck, one.crib_swing, one.result),
    ]
    return (
        (len(cards), len(theirs), len(starter)) == (6, 6, 1)
        and len({*cards, *theirs, *starter}) == 13
        and cards == sorted(cards)
        and all(len(thrown) == 2 == len({*thrown}) for thrown in (threw, discard, best))
        and {*discard, *best} <= {*cards}
        and {*threw} <= {*theirs}
        and all(isinstance(value, float) and abs(value) <= WINNING_SCORE for value in points)
        and one.ev_loss >= 0 <= one.margin
        and isinstance(one.rank, int)
        and 1 <= one.rank <= 15
        and one.role in ROLES
        and one.kind in (DEALT, HARD, AGAIN)
        and (one.number is None or (isinstance(one.number, int) and one.number > 0))
        and (_is_seed(one.seed) if one.seed is not None else one.kind == AGAIN)
        and _is_time(one.at)
        and all(isinstance(text, str) for text in (one.run, one.solution, one.version))
        and RUN.fullmatch(one.run) is not None
    )


def _numbers(text: object) -> list[int]:
    """Read cards as they are kept; none if they are not."""
    cards = text.split(" ") if isinstance(text, str) else []
    return [_CARDS[card] for card in cards] if _CARDS.keys() >= {*cards} else []


def _is_seed(seed: object) -> bool:
    if not isinstance(seed, str):
        return False
    return parse_integer(seed) is not None


def _is_time(at: object) -> bool:
    try:
        then = datetime.fromisoformat(at) if isinstance(at, str) else None
        return then is not None and then.tzinfo is not None and bool(then.astimezone())
    except (ValueError, OverflowError, OSError):
        return False


def _is_missing(path: Path) -> bool:
    try:
        folder = next(folder for folder in path.parents if folder.exists())
        if not folder.is_dir():
            raise StoreError(f"{_named(folder)} is no folder")
        return not path.exists()
    except OSError as error:
        raise StoreError(f"cannot read {_named(path)}: {error.strerror}") from error


@contextmanager
def _opened(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Open the database for a moment, and say in a line what is wrong with it."""
    try:
        if path.exists() and not path.is_file():  # a pipe would have us wait
            raise StoreError(f"{_named(path)} is no file")
        database = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode={mode}",
            uri=True, timeout=_SECONDS, isolation_level=None,
        )  # fmt: skip
        try:
            yield database
        finally:
            database.close()
    except (sqlite3.Error, OSError, ValueError) as error:
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"{_named(path)}: {error}") from error


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.rollback()
        raise
    database.execute("COMMIT")


def _ours(database: sqlite3.Connection, path: Path) -> bool:
    """Tell whether throws are kept here already, or nothing at all is.

    Raises
    ------
    KeepError
        If it is something else.
    """
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
            "it is left as it is"
        )
    return True


def _named(path: Path) -> str:
    return quote(str(path), most=300)
