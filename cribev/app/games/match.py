"""Two players measured in duplicate games: every deal is played twice, with seats exchanged."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan, sqrt
from os import PathLike
from pathlib import Path
from secrets import randbelow
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.app.games.errors import MoveError, PlayerError
from cribev.app.games.game import Game
from cribev.app.games.players import Player, decide
from cribev.app.games.records import game_table
from cribev.classes.canonical import Floats
from cribev.errors import CribevError, describe, quote
from cribev.game import render
from cribev.game.deal import distinct_players
from cribev.game.words import format_chance, printable
from cribev.system.files import AtomicWrites

PARTS = ("games", "points", "hands and cribs", "play")  # the rows of the table of a match
DRAWN_SEEDS = 2**53
"""Seeds that are drawn are below: no program finds one by trying, and JSON has them exactly."""

_SHOWN = ("starter", "hand", "crib")


@dataclass(frozen=True, eq=False, repr=False)
class MatchResult(render.Displayable):
    """How two players did against each other."""

    players: tuple[str, str]  # their names
    games: int  # that they played, half of them at each end of the deals
    seed: int  # what dealt the cards
    won: tuple[int, int]  # games won by each
    skunks: NDArray[np.int64]
    """Of these, by player, games in which the other had fewer than 91 points, and fewer than 61:
    ``(2, 2)``."""
    points: NDArray[np.int64]
    """By pair of games, player, and part (hands and cribs, play): points in the deals that both
    games of the pair have, ``(pairs, 2, 2)``."""
    deals: NDArray[np.int64]  # how many deals these are, ``(pairs,)``; each was played twice
    halves: Floats  # what the first player won of each pair: 0, a half or 1, ``(pairs,)``

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each of `PARTS`: ``part``; ``first`` and ``second``; ``difference``.

        They are the share of games won, then points a deal. ``standard_error`` takes a pair of
        games for one observation.
        """
        share = float(self.halves.mean())
        rows = [(share, 1 - share, 2 * share - 1, 2 * _standard_error(self.halves - share))]
        for part in (self.points.sum(axis=2), self.points[..., 0], self.points[..., 1]):
            played = 2 * self.deals.sum()
            first, second = (float(part[:, player].sum() / played) for player in (0, 1))
            net = part[:, 0] - part[:, 1] - (first - second) * 2 * self.deals
            error = _standard_error(net / (2 * self.deals.mean()))
            rows.append((first, second, first - second, error))
        columns = ["first", "second", "difference", "standard_error"]
        table = pd.DataFrame(rows, columns=columns)
        table.insert(0, "part", PARTS)
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values, ready for JSON; an error that is not known is null."""
        known = self.table.astype(object).where(self.table.notna(), None)
        return {
            "players": list(self.players),
            "games": self.games,
            "deals": int(self.deals.sum()),
            "seed": self.seed,
            "won": list(self.won),
            "skunks": self.skunks[:, 0].tolist(),
            "double_skunks": self.skunks[:, 1].tolist(),
            "parts": known.to_dict(orient="records"),
        }

    @property
    def headline(self) -> str:
        """Who won how many games, and points a deal, in one sentence."""
        games, points = self.table.iloc[0], self.table.iloc[1]
        name = printable(self.players[0])
        error = games["standard_error"]
        margin = "" if np.isnan(error) else f" ± {error / 2:.1%}"
        return (
            f"{name} wins {self.won[0]:,} of {self.games:,} games "
            f"({format_chance(games['first'])}{margin}), "
            f"{_signed(points['difference'], points['standard_error'])} points a deal."
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self.headline, style="bold")
        listed = render.table(
            console, ("points a deal", "left"),
            *((printable(name), "right") for name in self.players),
            ("difference", "right"),
        )  # fmt: skip
        numbers = self.table.drop(columns="part").to_numpy(dtype=np.float64)[1:].tolist()
        parts = ("all", *PARTS[2:])
        for part, (first, second, difference, error) in zip(parts, numbers, strict=True):
            listed.add_row(part, f"{first:.2f}", f"{second:.2f}", _signed(difference, error))
        yield listed
        if self.skunks.any():
            won = [
                f"{printable(name)} {once:,}{f', {twice:,} of them double' if twice else ''}"
                for name, (once, twice) in zip(self.players, self.skunks.tolist(), strict=True)
            ]
            yield Text(f"won by a skunk: {'; '.join(won)}")
        yield Text(
            f"seed {self.seed}: {self.deals.sum():,} deals, each played at both ends; "
            "± one standard error",
            style="dim",
        )

    def __repr__(self) -> str:
        return f"<{self.headline}>"


def match(
    a: Player,
    b: Player,
    *,
    games: int = 1000,
    seed: int | None = None,
    names: tuple[str, str] | None = None,
    record: str | PathLike[str] | None = None,
) -> MatchResult:
    """Let two players play games to 121, every deal twice with seats exchanged.

    What luck deals to one in a game it deals to the other in the next. The deal in which a game is
    won is played to its end, so that points a deal are those of whole deals; of a pair of games
    those deals count that both have. Points are parted into those of hands and cribs, heels among
    them, which the discards decide, and those of the play.

    Parameters
    ----------
    a, b
        The players, see `cribev.app.games.players.Player`.
    games
        How many games, an even number: half of them at each end.
    seed
        Deals the same cards every time, on every platform; drawn if None. The players have seeds of
        their own.
    names
        What to call them; otherwise their attribute ``name``, or the name of their class; with a
        number each if they are the same.
    record
        A folder that gets each game as it ends, as `cribev.review` reads it: ``1.csv`` and on. It
        is made if need be, and holds no such file.

    Returns
    -------
    A `MatchResult`.

    Raises
    ------
    PlayerError
        If a player breaks the rules, or raises something: with its name, the game and the deal.
    CribevError
        If one of them is not a player, the number of games is not even or below 2, the seed or the
        names are invalid, or the folder cannot be written to.

    Examples
    --------
    >>> from cribev.app.games.players import GreedyPlayer, RandomPlayer
    >>> match(GreedyPlayer(), RandomPlayer(seed=1), games=6, seed=3).won
    (6, 0)
    >>> match(GreedyPlayer(), GreedyPlayer(), games=7)
    Traceback (most recent call last):
    cribev.errors.CribevError: 7 games: every deal is played twice, so expected an even number
    from 2 up
    """
    from cribev.system.bars import tqdm

    given, drawn = games, randbelow(DRAWN_SEEDS) if seed is None else _whole(seed)
    if (games := _whole(games)) < 1 or games % 2:
        raise CribevError(
            f"{quote(str(given), most=20)[1:-1]} games: every deal is played twice, so expected an "
            "even number from 2 up"
        )
    if drawn < 0:
        raise CribevError(f"invalid seed {quote(repr(seed))}: expected a whole number from 0 up")
    for player in (a, b):
        methods = [getattr(player, name, None) for name in ("discard", "lay")]
        if isinstance(player, type) or not all(map(callable, methods)):
            raise CribevError(
                f"invalid player {quote(repr(player))}: expected an object with methods "
                "discard and lay"
            )
    match (_name_of(a), _name_of(b)) if names is None else names:
        case [str(first), str(second)]:
            called = distinct_players(first, second)
        case _:
            raise CribevError(f"invalid names {quote(str(names))}: expected two texts")
    if record is not None:
        _prepare(Path(record), games)
    winners, deals, points = list[int](), list[int](), list[NDArray[np.int64]]()
    skunked = np.zeros((2, 2), np.int64)
    with tqdm(total=games, unit=" games", leave=False, disable=None) as bar:
        for pair in range(games // 2):
            words = np.random.SeedSequence([drawn, pair]).generate_state(1, np.uint64)
            both = list[NDArray[np.int64]]()
            for dealer in (0, 1):
                game = _played((a, b), called, int(words[0]), dealer, 2 * pair + dealer + 1)
                winners.append(game.winner or 0)
                if record is not None:
                    _keep(game, called, 2 * pair + dealer + 1, Path(record))
                skunked[winners[-1], : game.skunks] += 1
                both.append(_points_by_deal(game))
                bar.update()
            deals.append(min(map(len, both)))
            points.append(np.sum([part[: deals[-1]].sum(axis=0) for part in both], axis=0))
    won = winners.count(0), winners.count(1)
    halves = (np.array(winners).reshape(-1, 2) == 0).mean(axis=1)
    parts = np.array(points), np.array(deals), halves
    return MatchResult(called, games, drawn, won, skunked, *parts)


def _prepare(folder: Path, games: int) -> None:
    """Make a folder for games; `CribevError` if that fails, or if it has such a file."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        shown = quote(str(folder))
        raise CribevError(f"{shown}: expected a folder for the games: {error.strerror}") from None
    for number in range(1, games + 1):
        if (there := _kept_at(folder, number)).exists():
            raise CribevError(f"{there.name!r} is in the folder already: expected another")


def _kept_at(folder: Path, number: int) -> Path:
    return folder / f"{number}.csv"


def _keep(game: Game, players: tuple[str, str], number: int, folder: Path) -> None:
    """Write a game as a record."""
    table = game_table(game, players=players).assign(game=str(number))
    text = table.to_csv(index=False, lineterminator="\n")
    with AtomicWrites() as outputs:
        outputs.open(_kept_at(folder, number), force=False).write(text.encode())


def _whole(value: object) -> int:
    """Read a whole number, also numpy's; -1 for anything else."""
    return int(value) if isinstance(value, int | np.integer) and type(value) is not bool else -1


def _played(
    players: Sequence[Player], names: Sequence[str], seed: int, dealer: int, number: int
) -> Game:
    """Play one game, its last deal to the end."""
    game = Game(seed, dealer=dealer, play_out=True)
    while game.phase != "over":
        if game.phase == "next":
            game.next_deal(0)
            continue
        player = next(one for one in (0, 1) if game.to_do(one) in ("discard", "play"))
        place = f"{printable(names[player])}, game {number}, deal {game.deal.number}"
        doing = "discard" if game.phase == "discard" else "lay"
        try:
            game.make(decide(players[player], game, player))
        except MoveError as error:
            raise PlayerError(f"{place}, {doing}: {error}") from error
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise PlayerError(f"{place}, {doing} raised {describe(error)}") from error
    return game


def _points_by_deal(game: Game) -> NDArray[np.int64]:
    """Add up the points of a game: by deal, player, and part, ``(deals, 2, 2)``."""
    points = np.zeros((len(game.deals), 2, 2), np.int64)
    for event in game.events:
        if event.scorer is not None:
            points[event.deal - 1, event.scorer, int(event.kind not in _SHOWN)] += event.points
    return points


def _name_of(player: Player) -> str:
    name = getattr(player, "name", None)
    return name if isinstance(name, str) else type(player).__name__


def _standard_error(deviations: Floats) -> float:
    """Return the standard error of a mean from deviations of independent pairs; NaN for one."""
    number = len(deviations)
    return sqrt(deviations @ deviations / (number - 1) / number) if number > 1 else nan


def _signed(difference: float, error: float) -> str:
    margin = "" if np.isnan(error) else f" ± {error:.2f}"
    return f"{difference:+.2f}{margin}"
