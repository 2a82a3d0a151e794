"""Games that are under way, and those that are over, and how a player does against each level.

A small file each, in the data folder, holds the seed and the moves, and is written whole after each
move; a game is played again from it. So a game goes on after a restart. What cannot be written goes
on in memory, and is tried again with the next move; what cannot be read is left as it is.
"""

import json
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from math import sqrt
from pathlib import Path
from secrets import token_urlsafe
from statistics import fmean, stdev
from threading import Lock
from typing import Any, NamedTuple

from cribev.app.games.game import Game, Move, draw_seed
from cribev.app.games.levels import Level, answer_moves
from cribev.app.games.players import PLAYER
from cribev.errors import CribevError, GameError, TurnError, quote
from cribev.game.score import SKUNK_LINES
from cribev.game.stakes import WIN_STAKES, Stakes, StakesLike
from cribev.opponents.habits import LEVELS
from cribev.system.cache import data_folder
from cribev.system.clock import LATEST_DAYS, day_seed, today
from cribev.system.files import atomic_write, locked, make_folder


class Result(NamedTuple):
    """What came of one game."""

    level: str
    won: bool
    resigned: bool
    score: tuple[int, int]  # the player's points first


class Standing(NamedTuple):
    """How a player does against a level; an error is a standard error."""

    level: str
    games: int
    won: float  # the share of the games
    won_error: float
    margin: float | None  # points ahead, on average; games given up do not count
    margin_error: float | None  # None of fewer than two
    skunks: int  # games won by a skunk
    skunked: int


def duplicate_text(results: Iterable[tuple[Result, tuple[int, int]]]) -> str:
    """Say how games went beside an expert with the same cards; empty without any."""
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


def standings(results: Iterable[Result]) -> list[Standing]:
    """Add results up by level, the weakest first.

    The error of a share is that of two games more won and two more lost (Agresti and Coull 1998),
    so that a few games in a row do not seem certain.

    >>> games = (Result("club", True, False, (121, 80)), Result("club", False, False, (99, 121)))
    >>> (found,) = standings(games)
    >>> found.won, round(found.won_error, 2), found.margin, found.skunks, found.skunked
    (0.5, 0.2, 9.5, 1, 0)
    """
    played = list(results)
    found = []
    for level in LEVELS:
        games = [one for one in played if one.level == level]
        if not games:
            continue
        wins, number = sum(one.won for one in games), len(games)
        near = (wins + 2) / (number + 4)
        ended = [one for one in games if not one.resigned]
        margins = [one.score[0] - one.score[1] for one in ended]
        margin = fmean(margins) if margins else None
        margin_error = stdev(margins) / sqrt(len(margins)) if len(margins) > 1 else None
        skunks = [one.won for one in ended if min(one.score) < SKUNK_LINES[0]]
        share_error = sqrt(near * (1 - near) / (number + 4))
        parts = share_error, margin, margin_error, skunks.count(True), skunks.count(False)
        found.append(Standing(level, number, wins / number, *parts))
    return found


FOLDER = "games"  # the name of the folder in the data folder
MAX_GAMES = 5000  # games that are kept; with one more, that which was longest untouched goes

_FORMAT = 1
_MAX_BYTES = 1 << 18  # a long game has some 10,000
_IN_MEMORY = 500  # of those that are in files
_NAME = re.compile(r"[A-Za-z0-9_-]{16}")
_LOCK = ".lock"
_DAMAGE = KeyError, TypeError, ValueError, OverflowError  # what strange values of a file raise
_MOVED_ON = "the game has moved on meanwhile: look at it again"


@dataclass
class StoredGame:
    """A game, how it began, and what came of it."""

    game: Game
    dealer: int | None  # who was to deal first; None if they cut for it
    seed_given: bool  # whether the seed was asked for, so that telling it tells nothing
    at: str  # when it began, in UTC
    level: str = "expert"  # of the opponent, a name in `LEVELS`
    stakes: Stakes = WIN_STAKES  # what it is played for
    program: bool = False  # whether a program plays it, so that no page lists it
    seen: bool = False  # whether its player has counted the last hands, and seen the result
    accuracy: str = ""
    """What its review says, once that is made and the decisions are in the history."""
    expert: tuple[int, int] | None = None
    """Of the game of a day that is over, the score of an expert with the player's cards."""
    written: str = ""  # what its file has, as far as is known; empty if there is none
    error: str = ""  # why it could not be written as it stands; empty if it was
    lock: Lock = field(default_factory=Lock, repr=False)

    def to_text(self) -> str:
        """Write it as a file has it."""
        found = {
            "format": _FORMAT,
            "at": self.at,
            "seed": self.game.seed,
            "seed_given": self.seed_given,
            "dealer": self.dealer,
            "level": self.level,
            "stakes": self.stakes.name,
            "muggins": self.game.muggins is not None,
            "program": self.program,
            "reviewable": self.game.reviewable,
            "won": None if self.game.winner is None else self.game.winner == PLAYER,
            "resigned": self.game.resigned,
            "score": list(self.game.score),
            "seen": self.seen,
            "accuracy": self.accuracy,
            "expert": self.expert,
            "moves": [str(move) for move in self.game.moves],
        }
        return json.dumps(found, indent=0) + "\n"

    @classmethod
    def from_text(cls, text: str) -> "StoredGame":
        """Play again what a file has; `CribevError` if that cannot be."""
        try:
            found: Any = json.loads(text)
            if found["format"] != _FORMAT:
                raise CribevError(f"it has format {found['format']!r}, and {_FORMAT} is known")
            datetime.fromisoformat(found["at"]).astimezone()  # as it is shown
            moves = [Move.parse(str(move)) for move in found["moves"]]
            muggins = PLAYER if found.get("muggins") is True else None
            game = Game.replay(found["seed"], moves, dealer=found["dealer"], muggins=muggins)
            return cls(
                game,
                found["dealer"],
                found["seed_given"] is True,
                found["at"],
                Level(found.get("level", "expert")).name,
                Stakes.read(found.get("stakes", WIN_STAKES)),
                program=found.get("program") is True,
                seen=found.get("seen", True) is True,
                accuracy=str(found.get("accuracy", "")),
                expert=_as_score(found.get("expert")),
                written=text,
            )
        except (*_DAMAGE, RecursionError) as error:
            if isinstance(error, CribevError):
                raise
            raise CribevError("it is damaged, or no game") from error


class GameStore:
    """Games by secret names, for threads and processes; who moves late in one is refused."""

    def __init__(self, folder: Path | None, *, most: int = MAX_GAMES) -> None:
        self._folder, self._most = folder, most
        self._games: OrderedDict[str, StoredGame] = OrderedDict()
        self._lock = Lock()
        self.last_error = ""
        """Why the last move could not be written; empty if it was."""

    def create(
        self,
        *,
        seed: int | None = None,
        dealer: int | None = None,
        level: str = "expert",
        stakes: StakesLike = WIN_STAKES,
        program: bool = False,
        muggins: bool = False,
        name: str = "",
    ) -> str:
        """Begin a game, by a seed or a secret one, and return its name; or CribevError."""
        drawn = draw_seed() if seed is None else seed
        at = datetime.now(UTC).isoformat(timespec="seconds")
        game = Game(drawn, dealer=dealer, muggins=PLAYER if muggins else None)
        level = Level(level).name
        played_for = Stakes.read(stakes)
        stored = StoredGame(game, dealer, seed is not None, at, level, played_for, program)
        name = name or token_urlsafe(12)
        with suppress(OSError):
            files = list(self._folder.glob("*.json")) if self._folder else []
            if len(files) >= self._most:  # make room for one game more
                ages = sorted((path.stat().st_mtime, path) for path in files)
                for _, path in ages[: len(files) - self._most + 1]:
                    path.unlink(missing_ok=True)
        self._save(name, stored)
        self._keep(name, stored)
        return name

    def create_daily(self) -> str:
        """Begin today's game, if it is not begun, and return its name: there is one a day.

        A game of today that cannot be read is set aside.
        """
        name = daily_name(day := today())
        with suppress(GameError):
            self._stored(name)
            return name
        if (path := self._path(name)) is not None:
            with suppress(OSError):
                path.replace(path.with_suffix(".damaged"))
        with suppress(TurnError):  # another process has begun it just now
            self.create(seed=day_seed(day), name=name)
        return name

    def daily(self) -> Iterator[tuple[Result, tuple[int, int]]]:
        """List the games of the last days that are over, with an expert's score, the latest first.

        Each is one of the last `LATEST_DAYS`, and its player has seen the result.
        """
        for before in range(LATEST_DAYS):
            found = self._peek(daily_name(today() - timedelta(before)))
            with suppress(*_DAMAGE):
                result, expert = _result_in(found), _as_score(found["expert"])
                if result and expert:
                    yield result, expert

    def find(self, name: str) -> StoredGame:
        """Return a game as it stands, a copy; `GameError` if there is none, or it is damaged."""
        with self._current(name) as stored:
            return replace(stored, game=stored.game.copy())

    @contextmanager
    def playing(self, name: str, *, moves: int | None = None) -> Iterator[Game]:
        """Give a game to move in, and keep it if all is well; TurnError if it has moved on."""
        with self._current(name) as stored:
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
            answer_moves(game, stored.level, stakes=stored.stakes)

    def note(self, name: str, **noted: bool | str | tuple[int, int] | None) -> None:
        """Note once that a result was ``seen``, or the ``accuracy`` and ``expert`` of a review."""
        with self._current(name) as stored:
            new = {key: value for key, value in noted.items() if value}
            if any(getattr(stored, key) != value for key, value in new.items()):
                self._save(name, stored, **new)

    def played(self) -> Iterator[tuple[str, StoredGame]]:
        """List the games that no program plays, the latest touched first; damaged ones are left."""
        for name, _ in self._listed():
            with suppress(GameError):
                yield name, self.find(name)

    def results(self) -> Iterator[Result]:
        """List what came of the games of `played` whose player has seen the result."""
        for _, found in self._listed():
            with suppress(*_DAMAGE):
                if result := _result_in(found):
                    yield result

    def unreviewed(self) -> list[str]:
        """List the games of `played` that can be reviewed, and whose review is not noted."""
        every = self._listed()
        return [name for name, one in every if one.get("reviewable") and not one.get("accuracy")]

    def _listed(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """List what the files of the games of `played` have."""
        with self._lock:
            names = [name for name, one in self._games.items() if not one.written][::-1]
        ages = list[tuple[float, str]]()
        for path in self._folder.glob("*.json") if self._folder else ():
            with suppress(OSError):  # another process has removed it
                ages.append((path.stat().st_mtime, path.stem))
        names += [name for _, name in sorted(ages, reverse=True) if _NAME.fullmatch(name)]
        for name in names:
            if not (found := self._peek(name)).get("program"):
                yield name, found

    def _peek(self, name: str) -> dict[str, Any]:
        """Read what a file has without playing the game again; empty if that cannot be."""
        with self._lock:
            kept = self._games.get(name)
        text = self._read(name) if kept is None or not kept.error else kept.to_text()
        with suppress(ValueError, RecursionError):
            found = json.loads(text or "")
            return found if isinstance(found, dict) else {}
        return {}

    def _path(self, name: str) -> Path | None:
        return None if self._folder is None else self._folder / f"{name}.json"

    def _keep(self, name: str, stored: StoredGame) -> StoredGame:
        """Keep a game in memory, unless another thread was quicker, and return that which is."""
        with self._lock:
            kept = self._games.setdefault(name, stored)
            self._games.move_to_end(name)
            # What is in no file is lost with its place here.
            saved = [other for other, one in self._games.items() if not one.error]
            for other in saved[: max(0, len(saved) - _IN_MEMORY)]:
                del self._games[other]
            while len(self._games) > max(self._most, _IN_MEMORY):
                self._games.popitem(last=False)
            return kept

    def _stored(self, name: str) -> StoredGame:
        if not _NAME.fullmatch(name):
            raise GameError(f"there is no game {quote(name)}")
        with self._lock:
            if (stored := self._games.get(name)) is not None:
                self._games.move_to_end(name)
                return stored
        text = self._read(name)
        if text is None:
            raise GameError(f"there is no game {quote(name)}")
        try:
            return self._keep(name, StoredGame.from_text(text))
        except CribevError as error:
            raise GameError(f"the game {quote(name)} cannot be read: {error}") from error

    @contextmanager
    def _current(self, name: str) -> Iterator[StoredGame]:
        """Give a game to one thread, with what another process has written; here it may go on."""
        stored = self._stored(name)
        with stored.lock:
            text = self._read(name) if stored.written else None
            if text is not None and text != stored.written:
                stored.written = text
                with suppress(CribevError):
                    found = StoredGame.from_text(text)
                    theirs = found.game.moves
                    if not stored.error or stored.game.moves[: len(theirs)] != theirs:
                        stored.game, stored.error = found.game, ""
                    stored.seen |= found.seen
                    stored.accuracy = found.accuracy or stored.accuracy
                    stored.expert = found.expert or stored.expert
            yield stored

    def _read(self, name: str) -> str | None:
        path = self._path(name)
        with suppress(OSError, UnicodeDecodeError):
            if path is not None and path.is_file() and path.stat().st_size <= _MAX_BYTES:
                return path.read_text(encoding="utf-8")
        return None

    def _save(self, name: str, stored: StoredGame, **changes: Any) -> None:
        """Change a game and write it; TurnError if another process was first."""
        path, text = self._path(name), replace(stored, **changes).to_text()
        error = "there is no home folder: name a folder in CRIBEV_DATA_DIR"
        if path is not None:
            try:
                make_folder(path.parent, mode=0o700)
                with locked(path.parent / _LOCK):
                    if self._read(name) not in (None, stored.written):
                        raise TurnError(_MOVED_ON)
                    with atomic_write(path) as opened:
                        opened.write(text.encode())
                stored.written, error = text, ""
            except OSError as problem:
                error = f"cannot write {quote(str(path), most=300)}: {problem.strerror or problem}"
        for attribute, value in changes.items():
            setattr(stored, attribute, value)
        stored.error = self.last_error = error


def daily_name(day: date) -> str:
    """Return the name of the game of a day."""
    return f"day-{day}--"


def day_of_game(name: str) -> date | None:
    """Return the day whose game has this name; None if it is that of none."""
    with suppress(ValueError):
        if daily_name(day := date.fromisoformat(name[4:14])) == name:
            return day
    return None


def _result_in(found: Mapping[str, Any]) -> Result | None:
    """Read what came of a game that is over, and whose player has seen the result."""
    if found["won"] is None or not (found["seen"] is True or found["resigned"] is True):
        return None
    own, theirs = map(int, found["score"])
    won, resigned = found["won"] is True, found["resigned"] is True
    return Result(str(found["level"]), won, resigned, (own, theirs))


def _as_score(found: Any) -> tuple[int, int] | None:
    """Read a score that was noted; None if it is none."""
    if not isinstance(found, list | tuple):
        return None
    own, theirs = (int(points) for points in found)
    return own, theirs


def local_games() -> GameStore:
    """Return the games in the data folder of the user."""
    folder = data_folder()
    return _games_in(folder and folder / FOLDER)


@lru_cache(1)
def _games_in(folder: Path | None) -> GameStore:
    return GameStore(folder)
