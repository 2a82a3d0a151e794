"""Two players in duplicate games: every deal is played twice, with seats exchanged.

    python -m benchmarks.match mine.py [SECOND] [--games 1000] [--seed N] [--format json]

A player is a level, ``beginner`` to ``expert``; ``solved``, who plays as the solution does at every
score; ``random``; or your own, a class with two methods:

    class Player:
        def discard(self, deal, role, score):  # six card numbers; "dealer" or "pone"; (own, other)
            return deal[:2]
        def play(self, position):  # all the player knows, as `cribev.advise_play` takes it
            return position.legal[0]

Name its file, ``mine.py``, another class in it, ``mine.py:Bold``, or one of a module,
``bots.greedy:Bot``. A card's number is 4 * rank + suit, suits C D H S; text such as "2H 8D" will do
as well. Your player is imported, and runs with all of your rights. What it prints goes to standard
error.

Points a deal are those of whole deals, of which both games of a pair have as many. Those of hands
and cribs, heels among them, are what discards decide. A standard error takes a pair of games for
one observation.
"""

import json
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from secrets import randbelow
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from benchmarks.arguments import Parser
from cribev.advice.players import Level
from cribev.app.games.game import Game
from cribev.errors import CribevError, quote
from cribev.game.deal import distinct_players
from cribev.game.index_tables import DISCARDS
from cribev.game.words import printable
from cribev.opponents.habits import LEVELS

DRAWN_SEEDS = 2**53  # no program finds one of these by trying, and JSON has them exactly
BUILT_IN = (*LEVELS, "solved", "random")

_LONGEST = 300  # characters of what an error says


class PlayerError(CribevError):
    """A player that cannot be imported, breaks the rules or raises something."""


def describe(error):
    r"""Say in one line what the code of somebody else raised, cut short where it is long."""
    try:
        said = str(error)
    except BaseException:  # it is somebody else's, too
        said = "and what it says cannot be told"
    name = type(error).__name__
    text = " ".join(f"{name}: {said}".split()) if said.strip() else name
    return text if text.isprintable() and len(text) <= _LONGEST else quote(text, most=_LONGEST)


class Solved(Level):
    """Discards and plays as the shipped solution does, and pays no heed to the score."""

    def __init__(self, seed=None):
        super().__init__("expert", seed)

    def discard(self, deal, *, role, **_):
        """Discard as at the start of a game."""
        return super().discard(deal, role=role, score=(0, 0))

    def play(self, position):
        """Play what brings the most points."""
        return super().play(replace(position, score=None))


class RandomPlayer:
    """Discards any two cards, and plays any card that fits, each as often."""

    def __init__(self, seed=None):
        self._generator = np.random.default_rng(seed)

    def discard(self, deal, **_):
        """Discard any two cards."""
        return deal[DISCARDS[self._generator.integers(len(DISCARDS))]]

    def play(self, position):
        """Play any card that fits."""
        return position.legal[self._generator.integers(len(position.legal))]


class Result(NamedTuple):
    """How two players did against each other."""

    players: tuple
    seed: int
    winners: np.ndarray
    """Who won each game, 0 or 1, by pair: ``(pairs, 2)``."""
    skunks: np.ndarray
    """Games that each won by one skunk or more, and by two: ``(2, 2)``."""
    points: np.ndarray
    """In the deals that both games of a pair have, by player, of hands and cribs, and of the play:
    ``(pairs, 2, 2)``."""
    deals: np.ndarray
    """How many deals these are, each played twice: ``(pairs,)``."""

    def parts(self):
        """List part, first, second, difference and its standard error, None for a single pair."""
        halves = (self.winners == 0).mean(axis=1)
        rows = [("games", np.column_stack([halves, 1 - halves]), np.ones_like(halves))]
        for name, columns in (("points", [0, 1]), ("hands and cribs", [0]), ("play", [1])):
            rows.append((name, self.points[..., columns].sum(axis=2), 2 * self.deals))
        for name, both, number in rows:
            first, second = (both.sum(axis=0) / number.sum()).tolist()
            apart = both[:, 0] - both[:, 1] - (first - second) * number
            error, pairs = None, len(apart)
            if pairs > 1:
                error = float((apart @ apart / (pairs - 1) / pairs) ** 0.5 / number.mean())
            yield name, first, second, first - second, error

    def to_dict(self):
        """Return plain values, ready for JSON."""
        names = ("part", "first", "second", "difference", "standard_error")
        return {
            "players": list(self.players),
            "games": self.winners.size,
            "deals": int(self.deals.sum()),
            "seed": self.seed,
            "won": [int((self.winners == player).sum()) for player in (0, 1)],
            "skunks": self.skunks[:, 0].tolist(),
            "double_skunks": self.skunks[:, 1].tolist(),
            "parts": [dict(zip(names, part, strict=True)) for part in self.parts()],
        }

    def __str__(self):
        player, rival = map(printable, self.players)
        told = self.to_dict()
        (won, lost), games = told["won"], told["games"]
        lines = [
            f"{player} wins {won:,} of {games:,} games, {rival} {lost:,}",
            f"by a skunk {told['skunks']}, by two {told['double_skunks']}",
            f"{'a game, or points a deal':24}{player:>16}{rival:>16}      difference",
        ]
        for name, first, second, difference, error in self.parts():
            margin = "" if error is None else f" ± {error:.3f}"
            lines.append(f"{name:24}{first:16.3f}{second:16.3f}{difference:+16.3f}{margin}")
        return "\n".join([*lines, f"seed {self.seed}: {told['deals']:,} deals, each played twice"])


def match(first, second, *, games=1000, seed=None, names=None):
    """Let two players play games to 121; `PlayerError` tells what either does wrong.

    The deal in which a game is won is played to its end. ``games`` is an even number, half of them
    at each end; the seed, drawn if None, deals the same cards every time.
    """
    if type(games) is not int or games < 2 or games % 2:
        raise CribevError(
            f"{quote(str(games), most=20)[1:-1]} games: every deal is played twice, so expected an "
            "even number from 2 up"
        )
    seed = randbelow(DRAWN_SEEDS) if seed is None else seed
    players = first, second
    called = distinct_players(*(names or (type(player).__name__ for player in players)))
    winners, skunked, deals, points = [], np.zeros((2, 2), int), [], []
    for pair in tqdm(range(games // 2), unit=" pairs", leave=False, disable=None):
        words = np.random.SeedSequence([seed, pair]).generate_state(1, np.uint64)
        both = []
        for dealer in (0, 1):
            game = played(players, called, int(words[0]), dealer, 2 * pair + dealer + 1)
            winners.append(game.winner)
            skunked[game.winner, : game.skunks] += 1
            both.append(points_by_deal(game))
        deals.append(min(map(len, both)))
        points.append(
            np.sum([game_points[: deals[-1]].sum(axis=0) for game_points in both], axis=0)
        )
    return Result(
        called, seed, np.reshape(winners, (-1, 2)), skunked, np.array(points), np.array(deals)
    )


def played(players, names, seed, dealer, number):
    """Play one game, its last deal to the end."""
    game = Game(seed, dealer=dealer, play_out=True)
    while game.phase != "over":
        if game.phase == "next":
            game.next_deal(0)
            continue
        player = next(seat for seat in (0, 1) if game.to_do(seat) in ("discard", "play"))
        doing = game.phase
        place = f"{printable(names[player])}, game {number}, deal {game.deal.number}, {doing}"
        try:
            move = asked(players[player], game, player)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise PlayerError(f"{place} raised {describe(error)}") from error
        try:
            getattr(game, doing)(player, move)
        except CribevError as error:
            raise PlayerError(f"{place}: {error}") from error
    return game


def asked(player, game, number):
    """Ask a player what to do, told its own position alone."""
    position = game.position(number)
    if game.phase == "discard":
        deal = np.array(position.held.dealt, dtype=np.uint8)
        score = game.score[number], game.score[1 - number]
        return player.discard(deal, role=position.role, score=score)
    rank = player.play(position)
    return int(rank) if isinstance(rank, np.integer) else rank


def points_by_deal(game):
    """Add up the points of a game: by deal, player, and part, ``(deals, 2, 2)``."""
    points = np.zeros((len(game.deals), 2, 2), int)
    for event in game.events:
        if event.scorer is not None:
            column = int(event.kind not in ("starter", "hand", "crib"))
            points[event.deal - 1, event.scorer, column] += event.points
    return points


def make_player(text, seed=None):
    """Return a player by name, file or module, and what to call it; or `PlayerError`."""
    if text in BUILT_IN:
        built_in = {"solved": Solved, "random": RandomPlayer}.get(text)
        return built_in(seed) if built_in else Level(text, seed), text
    where, _, name = text.rpartition(":")
    if not where or not name.isidentifier():
        where, name = text, ""  # drives have colons too
    if not name and not where.endswith(".py"):
        raise PlayerError(
            f"invalid player {quote(text)}: expected {', '.join(BUILT_IN)}, a file, mine.py, or "
            "module:name"
        )
    try:
        loaded = getattr(module_of(where), name or "Player", None)
        player = loaded() if isinstance(loaded, type) else loaded
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PlayerError(f"cannot load {quote(text)}: it raised {describe(error)}") from error
    for method in ("discard", "play"):
        if not callable(getattr(player, method, None)):
            raise PlayerError(f"cannot load {quote(text)}: {name or 'Player'} has no {method}")
    return player, name or Path(where).stem


def module_of(where):
    """Import a file of Python, or a module by name."""
    if not where.endswith(".py"):
        sys.path.insert(0, str(Path.cwd()))
        return import_module(where)
    file = Path(where).resolve()
    spec = spec_from_file_location(f"cribev_player_{file.stem}", file)
    sys.path.insert(0, str(file.parent))  # for what stands beside it
    module = sys.modules[spec.name] = module_from_spec(spec)  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


def main(arguments):
    """Let two players play, and print how they did; status 2 if one of them cannot."""
    parser = Parser(sys.modules[__name__])
    parser.add_argument("player", help=f"a file, module:name, or {', '.join(BUILT_IN)}")
    parser.add_argument("second", nargs="?", default="expert", help="(default: expert)")
    parser.add_argument("--games", type=int, default=1000, help="an even number (default: 1000)")
    parser.add_argument("--seed", type=int, help="of the cards and of what is built in")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    asked = parser.parse_args(arguments)
    seed = randbelow(DRAWN_SEEDS) if asked.seed is None else asked.seed
    try:
        with redirect_stdout(sys.stderr):  # what a player prints is not a result
            loaded = [
                make_player(text, [seed, place])
                for place, text in enumerate((asked.player, asked.second))
            ]
            players, names = zip(*loaded, strict=True)
            result = match(*players, games=asked.games, seed=seed, names=names)
    except CribevError as error:
        print(f"match: error: {error}", file=sys.stderr)
        return 2
    print(json.dumps(result.to_dict(), indent=1) if asked.format == "json" else result)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
