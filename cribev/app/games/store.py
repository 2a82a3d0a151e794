"""Games in progress, and finished games.

The database has one row for each game, with its seed and moves, written after each move. To load a
game, its moves are replayed, so games continue after a restart. A move that cannot be written is
refused. A row that cannot be read is left unchanged.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from cribev.advice.players import Level
from cribev.app.games.database import MOST_KEPT, Database, StoreError, database_path, require_room
from cribev.app.games.game import Game, GameError, Move, TurnError, draw_seed
from cribev.app.games.levels import answer_moves
from cribev.errors import CribevError, quote

_CACHED = 500  # replayed games
_NAME = re.compile(r"[A-Za-z0-9_-]{16}")
_MOVED_ON = "the game has moved on meanwhile: look at it again"
_GAMES = """CREATE TABLE IF NOT EXISTS games (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, text TEXT NOT NULL)"""
"""Games, the latest touched last."""


@dataclass(frozen=True)
class StoredGame:
    """A game, how it began, and its result."""

    game: Game
    dealer: int | None  # who was to deal first; None if they cut for it
    seed_given: bool  # whether the seed was asked for, so that telling it tells nothing
    started: str  # when it began, in UTC
    level: str = "expert"  # of the opponent, a name or habits, as `Level` takes them
    seen: bool = False  # whether its player has counted the last hands, and seen the result
    accuracy: str = ""  # what its review says, once that is made

    @property
    def opponent(self) -> str:
        """The opponent's name, as pages and records have it."""
        title = Level(self.level).title
        return title if self.level.startswith("{") else title.capitalize()

    def to_text(self) -> str:
        """Return what the database has."""
        moves = [str(move) for move in self.game.moves]
        names = ("started", "seed_given", "dealer", "level", "seen", "accuracy")
        told = {name: getattr(self, name) for name in names}
        return json.dumps({"seed": self.game.seed, **told, "moves": moves})

    @classmethod
    def from_text(cls, text: str) -> "StoredGame":
        """Replay a game from the database; `CribevError` if it is damaged."""
        try:
            values: Any = json.loads(text)
            datetime.fromisoformat(values["started"]).astimezone()  # as it is shown
            moves = [Move.parse(str(move)) for move in values["moves"]]
            return cls(
                Game.replay(values["seed"], moves, dealer=values["dealer"]),
                values["dealer"],
                values["seed_given"] is True,
                values["started"],
                Level(values["level"]).name,
                seen=values["seen"] is True,
                accuracy=str(values["accuracy"]),
            )
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            if isinstance(error, CribevError):
                raise
            raise CribevError("it is damaged, or no game") from error


_replayed = lru_cache(_CACHED)(StoredGame.from_text)


class GameStore:
    """Games by secret names, for threads and processes; late moves are refused."""

    def __init__(self, path: Path | None, *, most: int = MOST_KEPT) -> None:
        """Use a database, of `database_path`."""
        self._database, self._most = Database(path), most

    def create(
        self, *, seed: int | None = None, dealer: int | None = None, level: str = "expert"
    ) -> str:
        """Begin a game, by a seed or a secret one, and return its name; or CribevError."""
        game = Game(draw_seed() if seed is None else seed, dealer=dealer)
        started = datetime.now(UTC).isoformat(timespec="seconds")
        stored = StoredGame(game, dealer, seed is not None, started, Level(level).name)
        name = token_urlsafe(12)
        with self._database.writing(_GAMES) as database:
            require_room(database, "games", "games", most=self._most)
            database.execute(
                "INSERT INTO games (name, text) VALUES (?, ?)", [name, stored.to_text()]
            )
        return name

    def find(self, name: str) -> StoredGame:
        """Return a copy of a game; `GameError` if there is none, or it is damaged."""
        return _copied(self._text(name), name)

    @contextmanager
    def playing(self, name: str, *, moves: int | None = None) -> Iterator[Game]:
        """Lend a game to move in, and save it if nothing is raised; `TurnError` if it is late."""
        text = self._text(name)
        stored = _copied(text, name)
        before = len(stored.game.moves)
        if moves is not None and moves != before:
            raise TurnError(_MOVED_ON)
        yield stored.game
        if len(stored.game.moves) > before:
            self._save(name, text, stored)

    def move(self, name: str, move: Callable[[Game], object], *, moves: int | None = None) -> None:
        """Make a move of the player's, and let the opponent answer, as in `playing`."""
        level = self.find(name).level
        with self.playing(name, moves=moves) as game:
            move(game)
            answer_moves(game, level)

    def forget(self, name: str) -> None:
        """Remove a game; `GameError` if there is none, `StoreError` if that fails."""
        self._text(name)
        with self._database.writing(_GAMES) as database:
            database.execute("DELETE FROM games WHERE name = ?", [name])

    def note(self, name: str, **noted: bool | str) -> None:
        """Store once that a result was ``seen``, or what a review found; `StoreError`."""
        text = self._text(name)
        stored = _copied(text, name)
        changes: dict[str, Any] = {key: value for key, value in noted.items() if value}
        if any(getattr(stored, key) != value for key, value in changes.items()):
            self._save(name, text, replace(stored, **changes))

    def played(self) -> Iterator[tuple[str, StoredGame | GameError]]:
        """List the games, the latest changed first; for a damaged one, what is wrong with it."""
        names = list[str]()
        with suppress(StoreError), self._database.reading("games") as database:
            rows = database.execute("SELECT name FROM games ORDER BY id DESC") if database else ()
            names = [name for (name,) in rows]
        for name in names:
            try:
                yield name, self.find(name)
            except GameError as damaged:
                yield name, damaged
            except StoreError:
                return

    def _text(self, name: str) -> str:
        """Return the row of a game; `GameError` if there is none."""
        if _NAME.fullmatch(name):
            with self._database.reading("games") as database:
                query = "SELECT text FROM games WHERE name = ?"
                row = database.execute(query, [name]).fetchone() if database else None
                if row is not None:
                    return str(row[0])
        raise GameError(f"there is no game {quote(name)}")

    def _save(self, name: str, text: str, stored: StoredGame) -> None:
        """Replace the row of a game; `TurnError` if another thread or process was first."""
        with self._database.writing(_GAMES) as database:
            rows = database.execute(
                "DELETE FROM games WHERE name = ? AND text = ?", [name, text]
            ).rowcount
            if not rows:
                raise TurnError(_MOVED_ON)
            database.execute(  # as the latest
                "INSERT INTO games (name, text) VALUES (?, ?)", [name, stored.to_text()]
            )


def _copied(text: str, name: str) -> StoredGame:
    """Return a copy of the game in a row; `GameError` if it is damaged."""
    try:
        stored = _replayed(text)
    except CribevError as error:
        raise GameError(f"the game {quote(name)} cannot be read: {error}") from error
    return replace(stored, game=stored.game.copy())


def local_games() -> GameStore:
    """Return the games in the data folder of the user."""
    return _games_at(database_path())


_games_at = lru_cache(1)(GameStore)
