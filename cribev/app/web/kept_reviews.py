"""Reviews made by the page: in memory, and in the database, where they outlive the server.

An unfinished review is stored as the question it answers, so that the next server makes it.
"""

import asyncio
import json
import zlib
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import cribev
from cribev.advice.options import Options
from cribev.advice.question import Question
from cribev.app.games.database import MOST_KEPT, Database, StoreError, database_path, require_room
from cribev.errors import CribevError
from cribev.reviews.findings import Mistake
from cribev.reviews.page import Tile

_CACHE_SIZE = 12


class StoredReview(NamedTuple):
    """A review whose pages can be asked for."""

    key: str
    pages: dict[str, bytes]  # by name, empty for the first; compressed
    players: dict[str, list[dict[str, Any]]]
    """The mistakes of each player, in the order of the record, as `list_mistakes` has them."""
    tiles: Mapping[str, list[Tile]] = MappingProxyType({})  # the figures of each player
    summary: str = ""  # the sentence about the learner
    end: str = ""  # what the learner studies at the end of a game, and its chart, as HTML
    opponent: str = "expert"  # whom it is against, as an address names it

    @classmethod
    def from_text(cls, key: str, pages: dict[str, bytes], text: str) -> "StoredReview":
        """Read what `to_text` wrote; `CribevError` or `ValueError` if it is something else."""
        stored = json.loads(text)
        players = {name: list(map(_read_mistake, every)) for name, every in stored["players"]}
        tiles = {name: [Tile(*tile) for tile in every] for name, every in stored["tiles"]}
        said = stored["summary"], stored["end"], stored["opponent"]
        return cls(key, pages, players, tiles, *said)

    def to_text(self) -> str:
        """Write all but the pages."""
        stored = {
            "players": [
                (name, list(map(_written_mistake, every))) for name, every in self.players.items()
            ],
            "tiles": [*self.tiles.items()],
            "summary": self.summary,
            "end": self.end,
            "opponent": self.opponent,
        }
        return json.dumps(stored, default=lambda value: value.item())

    def page(self, name: str) -> bytes | None:
        """Return a page, if there is one of that name; that of `SAVED` needs nothing else."""
        return zlib.decompress(self.pages[name]) if name in self.pages else None


@dataclass
class PendingReview:
    """A review that is being made."""

    name: str
    work: "asyncio.Task[None]" = field(init=False)
    look: "asyncio.Task[None]" = field(init=False)  # at what is there first
    graded: tuple[int, int] = 0, 0  # how many discards and hands played, and of how many
    first: str = ""  # the discards by points and the score sheet, as HTML, once they are there

    def progress(self, done: int, number: int) -> None:
        """Record the progress."""
        self.graded = done, number


class ReviewCache:
    """The latest reviews, by keys that nobody guesses; older ones make room."""

    def __init__(self) -> None:
        self._stored: OrderedDict[str, StoredReview] = OrderedDict()
        self.pending: dict[str, PendingReview] = {}
        """Those that are being made, and those that could not be made."""
        self.of_sources: dict[str, str] = {}
        """The keys of reviews by their sources: games played or recorded here, records brought."""

    def __contains__(self, key: object) -> bool:
        return key in self._stored or key in self.pending

    def begin(self, key: str, pending: PendingReview) -> None:
        """Record that a review is being made; drop those that failed long ago."""
        done = [old for old, begun in self.pending.items() if begun.work.done()]
        for old in done[:-_CACHE_SIZE]:
            del self.pending[old]
        self.pending[key] = pending
        self.of_sources = {name: own for name, own in self.of_sources.items() if own in self}

    def put(self, stored: StoredReview) -> None:
        """Store a review."""
        self.pending.pop(stored.key, None)
        self._stored[stored.key] = stored
        self._stored.move_to_end(stored.key)
        while len(self._stored) > _CACHE_SIZE:
            self._stored.popitem(last=False)

    def forget(self, key: str) -> None:
        """Forget a review."""
        self._stored.pop(key, None)
        self.pending.pop(key, None)

    def get(self, key: str) -> StoredReview | None:
        """Return a review, if it is still there."""
        if key in self._stored:
            self._stored.move_to_end(key)
        return self._stored.get(key)


def _written_mistake(mistake: Mapping[str, Any]) -> dict[str, Any]:
    """Write a mistake as JSON has it: its decision by what each choice is worth."""
    decision, choice = mistake["decision"], mistake["choice"]
    if decision is None:
        return {**mistake}
    options, values = decision.options, decision.options.value_against_any
    return {
        **mistake,
        "decision": {
            "question": str(options.question),
            "columns": {name: column.tolist() for name, column in options.columns.items()},
            "value_against_any": None if values is None else values.tolist(),
            "choices": options.choices,
            "own": [decision.chosen, decision.row, decision.card, decision.lost],
        },
        "choice": choice and {**choice, "options": None},
    }


def _read_mistake(stored: dict[str, Any]) -> dict[str, Any]:
    """Read what `_written_mistake` wrote."""
    kept, choice = stored["decision"], stored["choice"]
    if kept is None:
        return stored
    options = Options(
        Question.read(kept["question"]),
        tuple(map(tuple, kept["choices"])),
        {name: np.array(column) for name, column in kept["columns"].items()},
        None if kept["value_against_any"] is None else np.array(kept["value_against_any"]),
    )
    chosen, row, card, lost = kept["own"]
    decision = Mistake(options, tuple(chosen), row, card, lost)
    return {
        **stored,
        "decision": decision,
        "choice": choice and {**choice, "options": options.rows},
    }


class KeptReview(NamedTuple):
    """A review in the list of those that are kept."""

    key: str
    at: str  # when it was begun, in UTC
    name: str  # of the file
    number: int  # of decisions
    done: bool
    damaged: bool = False


_MOST_DONE = 300  # reviews whose pages are kept; those before are made again
_REVIEWS = """CREATE TABLE IF NOT EXISTS reviews (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, source TEXT NOT NULL, at TEXT NOT NULL,
    name TEXT NOT NULL, number INTEGER NOT NULL, question TEXT NOT NULL, found TEXT)"""
_PAGES = """CREATE TABLE IF NOT EXISTS review_pages (
    key TEXT NOT NULL, name TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (key, name))"""


class ReviewStore:
    """Reviews in the database of games and reviews."""

    def __init__(self, path: Path | None) -> None:
        """Use a database, of `database_path`."""
        self._database = Database(path)

    def begin(self, key: str, number: int, question: Mapping[str, Any]) -> None:
        """Keep the question of a review with its number of decisions, in place of its source's."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        source, name = question["source"], question["name"]
        with self._database.writing(_REVIEWS, _PAGES) as database:
            database.execute("DELETE FROM reviews WHERE source = ? OR key = ?", [source, key])
            require_room(database, "reviews", "reviews", most=MOST_KEPT)
            database.execute(
                "INSERT INTO reviews (key, source, at, name, number, question) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                [key, source, now, name, number, _sealed(json.dumps(question))],
            )

    def finish(self, stored: StoredReview) -> None:
        """Store what a review found, unless its question was removed."""
        done = "SELECT id FROM reviews WHERE found IS NOT NULL ORDER BY id DESC"
        old = f"{done} LIMIT -1 OFFSET {_MOST_DONE - 1}"
        with self._database.writing(_REVIEWS, _PAGES) as database:
            database.execute(f"UPDATE reviews SET found = NULL WHERE id IN ({old})")
            command = "UPDATE reviews SET found = ? WHERE key = ?"
            text = f"{cribev.__version__} {_sealed(stored.to_text())}"
            if database.execute(command, [text, stored.key]).rowcount:
                database.executemany(
                    "INSERT OR REPLACE INTO review_pages VALUES (?, ?, ?)",
                    [(stored.key, name, page) for name, page in stored.pages.items()],
                )
            keys = "SELECT key FROM reviews WHERE found IS NOT NULL"
            database.execute(f"DELETE FROM review_pages WHERE key NOT IN ({keys})")

    def find(self, key: str) -> StoredReview | None:
        """Return a finished review of this version; None if it must be made."""
        with suppress(StoreError), self._database.reading("review_pages") as database:
            if not database:
                return None
            query = "SELECT found FROM reviews WHERE key = ?"
            (text,) = database.execute(query, [key]).fetchone() or (None,)
            version, _, stored = str(text).partition(" ")
            if version != cribev.__version__:
                return None
            query = "SELECT name, content FROM review_pages WHERE key = ?"
            pages = dict(database.execute(query, [key]).fetchall())
            with suppress(TypeError, ValueError, zlib.error):
                if all(map(zlib.decompress, pages.values())) and "" in pages:
                    return StoredReview.from_text(key, pages, _unsealed(stored))
        return None  # what is damaged is made again

    def _first(self, query: str, value: str) -> Any:
        """Return the first row that a query finds; None without one, or if it cannot be read."""
        with suppress(StoreError), self._database.reading("reviews") as database:
            return database.execute(query, [value]).fetchone() if database else None
        return None

    def question(self, key: str) -> dict[str, Any] | None:
        """Return what a review is to answer; None if it is not kept, CribevError if damaged."""
        row = self._first("SELECT question FROM reviews WHERE key = ?", key)
        try:
            return None if row is None else _as_question(row[0])
        except ValueError as error:
            raise CribevError("this review is damaged, and cannot be read") from error

    def key_of(self, source: str) -> str:
        """Return the key of the review of a source; empty if there is none."""
        row = self._first("SELECT key FROM reviews WHERE source = ?", source)
        return str(row[0]) if row else ""

    def listed(self, most: int) -> list[KeptReview]:
        """List the latest reviews of records that were brought, the latest first."""
        with suppress(StoreError), self._database.reading("reviews") as database:
            query = (
                "SELECT key, at, name, number, found IS NOT NULL, question FROM reviews "
                "WHERE source LIKE 'record %' ORDER BY id DESC LIMIT ?"
            )
            rows = database.execute(query, [most]).fetchall() if database else []
            return [_listed(*row) for row in rows]
        return []

    def forget(self, key: str) -> None:
        """Remove a review and its record; `StoreError` if that fails."""
        with self._database.writing(_REVIEWS, _PAGES) as database:
            for table in ("reviews", "review_pages"):
                database.execute(f"DELETE FROM {table} WHERE key = ?", [key])


def _sealed(text: str) -> str:
    """Write a text with a checksum, by which damage is known."""
    return f"{zlib.crc32(text.encode()):08x} {text}"


def _unsealed(sealed: object) -> str:
    """Return a text that was sealed; ValueError if it is damaged."""
    text = sealed[9:] if isinstance(sealed, str) else ""
    if _sealed(text) != sealed:
        raise ValueError("damaged")
    return text


def _as_question(sealed: object) -> dict[str, Any]:
    """Read the question of a review; ValueError if it is damaged."""
    question: dict[str, Any] = json.loads(_unsealed(sealed))
    if not question.keys() >= {"source", "name", "player", "csv", "shown"}:
        raise ValueError("damaged")
    return question


def _listed(
    key: object, begun: object, name: object, number: object, done: object, question: object
) -> KeptReview:
    """Return a row of the list; one that is damaged has its name, as far as that is known."""
    try:
        _as_question(question)
        datetime.fromisoformat(str(begun)).astimezone()
        return KeptReview(str(key), str(begun), str(name), int(str(number)), bool(done))
    except (ValueError, OverflowError):
        return KeptReview(str(key), "", str(name), 0, False, damaged=True)


def local_reviews() -> ReviewStore:
    """Return the reviews in the data folder of the user."""
    return _reviews_at(database_path())


@lru_cache(1)
def _reviews_at(path: Path | None) -> ReviewStore:
    return ReviewStore(path)
