"""Games in progress, and finished games.

The database has one row for each game, with its seed and moves, written after each move. To load a
game, its moves are replayed, so games continue after a restart. A game that cannot be written
continues in memory, and is written with the next move. A row that cannot be read is left unchanged.
"""

import json
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from secrets import token_urlsafe
from sqlite3 import Connection
from statistics import fmean
from threading import Lock, RLock
from typing import Any, NamedTuple

from cribev.app.games.clock import LATEST_DAYS, day_seed, today
from cribev.app.games.database import (
    MOST_KEPT,
    Database,
    StoreError,
    database_path,
    require_room,
)
from cribev.app.games.errors import GameError, TurnError
from cribev.app.games.game import PLAYER, Game, Move, draw_seed
from cribev.app.games.levels import Level, answer_moves
from cribev.errors import CribevError, quote


class Result(NamedTuple):
    """The result of one game."""

    level: str
    won: bool
    resigned: bool
    score: tuple[int, int]  # the player's points first


def duplicate_text(results: Iterable[tuple[Result, tuple[int, int]]]) -> str:
    """Describe games beside those of an expert with the same cards; empty without any."""
    played = list(results)
    if not played:
        return ""
    if len(played) == 1:
        ((own, expert),) = played
        won = "resigned at" if own.resigned else "won" if own.won else "lost"
        does = "won" if expert[0] > expert[1] else "lost"
        return (
            f"You {won} {own.score[0]}–{own.score[1]}, and the expert with your cards {does} "
            f"{expert[0]}–{expert[1]}"
        )
    wins = [sum(one.won for one, _ in played), sum(own > theirs for _, (own, theirs) in played)]
    text = f"You won {wins[0]} of {len(played)}, and the expert {wins[1]} with your cards"
    if not (ended := [one.score[0] - expert[0] for one, expert in played if not one.resigned]):
        return text
    where = "ahead" if fmean(ended) > 0 else "behind"
    return f"{text}; on average you are {abs(fmean(ended)):.1f} points {where}"


_FORMAT = 1
_IN_MEMORY = 500  # games in the database, and as many that could not be written
_NAME = re.compile(r"[A-Za-z0-9_-]{16}")
_DAMAGE = KeyError, TypeError, ValueError, OverflowError  # what strange values raise
_MOVED_ON = "the game has moved on meanwhile: look at it again"
_GAMES = """CREATE TABLE IF NOT EXISTS games (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, program INTEGER NOT NULL,
    may_go INTEGER NOT NULL, to_review INTEGER NOT NULL, text TEXT NOT NULL)"""
_RESULTS = """CREATE TABLE IF NOT EXISTS results (
    name TEXT PRIMARY KEY, level TEXT, won INTEGER, resigned INTEGER,
    own INTEGER, theirs INTEGER, expert_own INTEGER, expert_theirs INTEGER)"""
_DEFINITIONS = _GAMES, _RESULTS
"""Games, the latest touched last, and their results, which outlive the games.

`program` and `may_go` are those of earlier versions, in which programs played: no page lists them.
"""


@dataclass(frozen=True)
class StoredGame:
    """A game, how it began, and its result."""

    game: Game
    dealer: int | None  # who was to deal first; None if they cut for it
    seed_given: bool  # whether the seed was asked for, so that telling it tells nothing
    at: str  # when it began, in UTC
    level: str = "expert"  # of the opponent, a name or habits, as `Level` takes them
    seen: bool = False  # whether its player has counted the last hands, and seen the result
    accuracy: str = ""
    """What its review says, once that is made and the decisions are in the history."""
    expert: tuple[int, int] | None = None
    """Of the game of a day that is over, the score of an expert with the player's cards."""
    parted: str = ""  # where that expert first chose otherwise, in words
    written: str = ""  # what the database has, as far as is known; empty if it has nothing
    error: str = ""  # why it could not be written as it stands; empty if it was

    @property
    def opponent(self) -> str:
        """The opponent's name, as pages and records have it."""
        title = Level(self.level).title
        return title if self.level.startswith("{") else title.capitalize()

    def to_dict(self) -> dict[str, Any]:
        """Return what the database has."""
        return {
            "format": _FORMAT,
            "at": self.at,
            "seed": self.game.seed,
            "seed_given": self.seed_given,
            "dealer": self.dealer,
            "level": self.level,
            "reviewable": self.game.reviewable,
            "won": None if self.game.winner is None else self.game.winner == PLAYER,
            "resigned": self.game.resigned,
            "score": list(self.game.score),
            "seen": self.seen,
            "accuracy": self.accuracy,
            "expert": self.expert,
            "parted": self.parted,
            "moves": [str(move) for move in self.game.moves],
        }

    @classmethod
    def from_text(cls, text: str) -> "StoredGame":
        """Replay a game from the database; `CribevError` if it is damaged."""
        try:
            found: Any = json.loads(text)
            if found["format"] != _FORMAT:
                raise CribevError(f"it has format {found['format']!r}, and {_FORMAT} is known")
            datetime.fromisoformat(found["at"]).astimezone()  # as it is shown
            game = _replayed(found)
            return cls(
                game,
                found["dealer"],
                found["seed_given"] is True,
                found["at"],
                Level(found.get("level", "expert")).name,
                seen=found.get("seen", True) is True,
                accuracy=str(found.get("accuracy", "")),
                expert=_as_score(found.get("expert")),
                parted=str(found.get("parted", "")),
                written=text,
            )
        except (*_DAMAGE, RecursionError) as error:
            if isinstance(error, CribevError):
                raise
            raise CribevError("it is damaged, or no game") from error


class GameStore:
    """Games by secret names, for threads and processes; late moves are refused."""

    def __init__(self, path: Path | None, *, most: int = MOST_KEPT) -> None:
        """Use a database, of `database_path`."""
        self._database, self._most = Database(path), most
        self._games: OrderedDict[str, StoredGame] = OrderedDict()
        self._lock, self._saving = RLock(), Lock()
        self.last_error = ""
        """Why the last move could not be written; empty if it was."""

    def create(
        self,
        *,
        seed: int | None = None,
        dealer: int | None = None,
        level: str = "expert",
        name: str = "",
    ) -> str:
        """Begin a game, by a seed or a secret one, and return its name; or CribevError."""
        drawn = draw_seed() if seed is None else seed
        at = datetime.now(UTC).isoformat(timespec="seconds")
        level = Level(level).name
        game = Game(drawn, dealer=dealer)
        name = name or token_urlsafe(12)
        self._save(name, StoredGame(game, dealer, seed is not None, at, level))
        return name

    def create_daily(self) -> str:
        """Begin today's game, if it is not begun, and return its name: there is one a day.

        A game of today that cannot be read is set aside.
        """
        name = daily_name(day := today())
        with suppress(GameError):
            self._stored(name)
            return name
        with suppress(StoreError), self._database.writing(*_DEFINITIONS) as database:
            aside = "UPDATE OR REPLACE games SET name = ?, to_review = 0 WHERE name = ?"
            database.execute(aside, [f"{name}.damaged", name])
        with suppress(TurnError):  # another process has begun it just now
            self.create(seed=day_seed(day, "game"), name=name)
        return name

    def daily(self) -> Iterator[tuple[Result, tuple[int, int]]]:
        """List the games of the last days that are over, with an expert's score, the latest first.

        Each is one of the last `LATEST_DAYS`, and its player has seen the result.
        """
        found = self._results()
        for before in range(LATEST_DAYS):
            result, expert = found.get(daily_name(today() - timedelta(before)), (None, None))
            if result and expert:
                yield result, expert

    def find(self, name: str) -> StoredGame:
        """Return a copy of a game; `GameError` if there is none, or it is damaged."""
        stored = self._stored(name)
        return replace(stored, game=stored.game.copy())

    @contextmanager
    def playing(self, name: str, *, moves: int | None = None) -> Iterator[Game]:
        """Lend a game to move in, and save it if nothing is raised; `TurnError` if it is late."""
        stored = self._stored(name)
        if moves is not None and moves != len(stored.game.moves):
            raise TurnError(_MOVED_ON)
        game = stored.game.copy()
        yield game
        if len(game.moves) > len(stored.game.moves):
            self._save(name, stored, game=game)

    def move(self, name: str, move: Callable[[Game], object], *, moves: int | None = None) -> None:
        """Make a move of the player's, and let the opponent answer, as in `playing`."""
        stored = self._stored(name)
        with self.playing(name, moves=moves) as game:
            move(game)
            answer_moves(game, stored.level)

    def forget(self, name: str) -> None:
        """Remove a game; `GameError` if there is none, `StoreError` if that fails."""
        self._stored(name)
        with self._saving, self._database.writing(*_DEFINITIONS) as database:
            for table in ("games", "results"):
                database.execute(f"DELETE FROM {table} WHERE name = ?", [name])
        with self._lock:
            self._games.pop(name, None)

    def note(self, name: str, **noted: bool | str | tuple[int, int] | None) -> None:
        """Store once that a result was ``seen``, or what a review found."""
        stored = self._stored(name)
        new: dict[str, Any] = {key: value for key, value in noted.items() if value}
        if any(getattr(stored, key) != value for key, value in new.items()):
            try:
                self._save(name, stored, **new)
            except TurnError:  # what another has written meanwhile stays
                self._save(name, self._stored(name), **new)

    def played(self) -> Iterator[tuple[str, StoredGame]]:
        """List the games, the latest changed first, without damaged ones."""
        query = "SELECT name FROM games WHERE NOT program ORDER BY id DESC"
        names = [name for name, _ in self._unsaved()][::-1]
        for name in dict.fromkeys(names + [name for (name,) in self._listed(query)]):
            with suppress(GameError):
                yield name, self.find(name)

    def unreviewed(self) -> list[str]:
        """List the games of `played` that can be reviewed and are not."""
        unsaved = dict(self._unsaved())
        query = "SELECT name FROM games WHERE to_review ORDER BY id DESC"
        waiting = [name for name, one in unsaved.items() if _is_to_review(one.to_dict())]
        return waiting + [name for (name,) in self._listed(query) if name not in unsaved]

    def _results(self) -> dict[str, tuple[Result, tuple[int, int] | None]]:
        """Return the results of games, and the expert's score in daily ones, by name."""
        found = dict[str, tuple[Result, tuple[int, int] | None]]()
        for name, level, won, resigned, own, theirs, *expert in self._listed(
            "SELECT * FROM results ORDER BY rowid DESC"
        ):
            with suppress(*_DAMAGE):
                result = Result(level, won == 1, resigned == 1, (int(own), int(theirs)))
                found[name] = result, None if None in expert else _as_score(expert)
        for name, one in self._unsaved():
            if unsaved := _result_in(one.to_dict()):
                found[name] = unsaved, one.expert
        return found

    def _unsaved(self) -> list[tuple[str, StoredGame]]:
        """List the games whose last state could not be written."""
        with self._lock:
            return [(name, one) for name, one in self._games.items() if one.error]

    def _listed(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of the database; none if it cannot be read."""
        with suppress(StoreError):
            return self._read(query)
        return []

    def _read(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        """Return the rows of the database, or raise `StoreError`."""
        with self._database.reading("results") as database:  # made after the other
            return database.execute(query, values).fetchall() if database else []

    def _stored(self, name: str) -> StoredGame:
        """Return a game with what other processes have written."""
        if not _NAME.fullmatch(name):
            raise GameError(f"there is no game {quote(name)}")
        with self._lock:
            before = kept = self._games.get(name)
        try:
            for (text,) in self._read("SELECT text FROM games WHERE name = ?", name):
                if kept is None or kept.written != text:
                    kept = _joined(kept, StoredGame.from_text(text))
        except CribevError as error:
            if kept is None:
                raise GameError(f"the game {quote(name)} cannot be read: {error}") from error
        if kept is None:
            raise GameError(f"there is no game {quote(name)}")
        with self._lock:
            if self._games.get(name) is before:  # or else another thread has moved on
                self._keep(name, kept)
        return kept

    def _keep(self, name: str, stored: StoredGame) -> None:
        """Cache a game in memory, with only some of those in the database."""
        with self._lock:
            self._games[name] = stored
            self._games.move_to_end(name)
            saved = [other for other, one in self._games.items() if not one.error]
            for other in saved[:-_IN_MEMORY]:
                del self._games[other]

    def _save(self, name: str, stored: StoredGame, **changes: Any) -> None:
        """Change a game and write it; `TurnError` if another thread or process was first."""
        changed = replace(stored, error="", **changes)
        found = changed.to_dict()
        text = json.dumps(found)
        with self._saving:
            with self._lock:
                kept = self._games.get(name)
            if kept is not None and kept.error and kept is not stored:
                raise TurnError(_MOVED_ON)
            try:
                with self._database.writing(*_DEFINITIONS) as database:
                    query = "SELECT text FROM games WHERE name = ?"
                    old = database.execute(query, [name]).fetchone()
                    if old is not None and old[0] != stored.written:
                        raise TurnError(_MOVED_ON)
                    if old is None:
                        require_room(database, "games WHERE NOT program", "games", most=self._most)
                    _write(database, name, found, text)
                changed = replace(changed, written=text)
            except StoreError as error:
                changed = replace(changed, error=str(error))
                if kept is None and len(self._unsaved()) >= _IN_MEMORY:
                    full = f"{_IN_MEMORY} games could not be written, and no more are kept"
                    raise CribevError(f"{full}: {error}") from error
            self._keep(name, changed)
            self.last_error = changed.error


def _replayed(found: Mapping[str, Any]) -> Game:
    """Play a stored game again.

    In those of earlier versions at muggins, hands now count all they have: moves after a win that
    comes sooner by that are left out.
    """
    if found.get("muggins") is not True:
        moves = [Move.parse(str(move)) for move in found["moves"]]
        return Game.replay(found["seed"], moves, dealer=found["dealer"])
    game = Game(found["seed"], dealer=found["dealer"])
    for text in map(str, found["moves"]):
        if game.winner is None and text.split()[1:2] != ["count"]:
            game.make(Move.parse(text))
    return game


def _joined(kept: StoredGame | None, found: StoredGame) -> StoredGame:
    """Return the rows of the database, with later states that could not be written."""
    theirs = found.game.moves
    if kept is None or not kept.error or kept.game.moves[: len(theirs)] != theirs:
        return found
    return replace(
        kept,
        written=found.written,
        seen=kept.seen or found.seen,
        accuracy=found.accuracy or kept.accuracy,
        expert=found.expert or kept.expert,
        parted=found.parted or kept.parted,
    )


def _write(database: Connection, name: str, found: Mapping[str, Any], text: str) -> None:
    """Write a game and its result."""
    database.execute(
        "INSERT OR REPLACE INTO games (name, program, may_go, to_review, text) "
        "VALUES (?, 0, 0, ?, ?)",
        [name, _is_to_review(found), text],
    )
    if result := _result_in(found):
        expert = _as_score(found.get("expert")) or (None, None)
        database.execute(
            "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [name, result.level, result.won, result.resigned, *result.score, *expert],
        )


def _is_to_review(found: Mapping[str, Any]) -> bool:
    """Return whether a game can be reviewed, and its review is not noted."""
    return bool(found["reviewable"]) and not found.get("accuracy")


def daily_name(day: date) -> str:
    """Return the name of the game of a day."""
    return f"day-{day}--"


def day_of_game(name: str) -> date | None:
    """Return the day of the daily game with this name; None for other games."""
    with suppress(ValueError):
        if daily_name(day := date.fromisoformat(name[4:14])) == name:
            return day
    return None


def _result_in(found: Mapping[str, Any]) -> Result | None:
    """Read the result of a finished game that its player has seen."""
    if found["won"] is None or not (found["seen"] is True or found["resigned"] is True):
        return None
    own, theirs = map(int, found["score"])
    won, resigned = found["won"] is True, found["resigned"] is True
    return Result(str(found["level"]), won, resigned, (own, theirs))


def _as_score(found: Any) -> tuple[int, int] | None:
    """Read a stored score; None if it is damaged."""
    if not isinstance(found, list | tuple):
        return None
    own, theirs = (int(points) for points in found)
    return own, theirs


def local_games() -> GameStore:
    """Return the games in the data folder of the user."""
    return _games_at(database_path())


_games_at = lru_cache(1)(GameStore)
