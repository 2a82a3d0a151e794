"""``cribev match``: two programs play each other."""

import argparse
import sys
from contextlib import redirect_stdout
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cribev.commands.options import Command, add_format, natural, positive, print_result
from cribev.errors import CribevError, PlayerError, describe, quote

if TYPE_CHECKING:
    from cribev.games.players import Player

_BUILT_IN = ("expert", "greedy", "random")

_EXAMPLES = """\
examples:
  cribev match mine.py
  cribev match mine.py --games 200 --against greedy --seed 7
  cribev match mine.py --against yours.py --format json
  cribev match greedy --against random --games 100

A program is a file of Python with a class Player:

  class Player:
      def discard(self, deal, role, score):   # six card numbers; "dealer" or
          return deal[:2]                      # "pone"; (yours, theirs)
      def lay(self, position):                 # what you know, as advise_play
          return position.legal[0]             # takes it; the cards that fit

A card's number is 4 * rank + suit, suits C D H S; a rank is 0, the ace, to 12, the
king. Answer with such numbers or with text, "2H 8D" and "J". position also has
role, held (kept and discard), left (those not laid), starter, score (before the
deal) and play: its count, laid, on_table, history (the ranks laid, None for a go).
str(position) is the text that `cribev help position` tells of.

It runs as any program of yours does, with all your rights: match only files you
trust. It never hears of cards it would not see at a table. Built in are expert,
who throws and lays as in the solved game; greedy, who takes what counts now;
and random.

Every deal is played twice with seats exchanged. rows of --format csv and json,
first is your program:
  games             share of games won
  points            points a deal, of whole deals
  hands and cribs   points of these, heels among them: what discards decide
  play              points of the play
The standard error of a difference takes a pair of games as one observation.
"""


def _add_arguments(match: argparse.ArgumentParser) -> None:
    match.add_argument(
        "player", metavar="FILE|expert|greedy|random",
        help="your program, or one that is built in",
    )  # fmt: skip
    match.add_argument(
        "--against", default="expert", metavar="FILE|expert|greedy|random",
        help="who plays against it (default: expert)",
    )  # fmt: skip
    match.add_argument(
        "--games", type=positive, default=1000, metavar="N",
        help="how many games, an even number (default: 1000)",
    )  # fmt: skip
    match.add_argument(
        "--seed", type=natural, metavar="N",
        help="deal the same cards every time, and draw the same choices of those built in",
    )  # fmt: skip
    add_format(match, "a table to read (default), or every number in full")


def _match(arguments: argparse.Namespace) -> int:
    if arguments.games % 2:
        raise CribevError(
            f"--games {arguments.games}: every deal is played twice, so expected an even number"
        )
    from secrets import randbelow

    from cribev.games.match import match

    seed = randbelow(10**6) if arguments.seed is None else arguments.seed
    with redirect_stdout(sys.stderr):  # what a program prints is no data
        players = [
            load_player(text, seed=[seed, at])
            for at, text in enumerate((arguments.player, arguments.against))
        ]
        names = _name(arguments.player), _name(arguments.against)
        result = match(players[0], players[1], games=arguments.games, seed=seed, names=names)
    print_result(
        arguments.format, table=lambda: [result], csv=lambda: result.table, plain=result.to_dict
    )
    return 0


def load_player(text: str, *, seed: list[int]) -> "Player":
    """Make a player by name, or by the class ``Player`` of a file, whose code runs.

    Raises `PlayerError` if there is no such file or class, or it cannot be made.

    >>> load_player("mine", seed=[7])
    Traceback (most recent call last):
    cribev.errors.PlayerError: 'mine' is no player: expected expert, greedy, random or a file of
    Python
    """
    from cribev.games.players import Expert, GreedyPlayer, RandomPlayer

    if text in _BUILT_IN:
        by_name: dict[str, Player] = {
            "expert": Expert(seed),
            "greedy": GreedyPlayer(),
            "random": RandomPlayer(seed),
        }
        return by_name[text]
    path = Path(text)
    if not path.is_file():
        raise PlayerError(
            f"{quote(text)} is no player: expected {', '.join(_BUILT_IN)} or a file of Python"
        )
    name = f"cribev_player_{path.stem}_{abs(hash(path.resolve())):x}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PlayerError(f"{quote(text)} is no player: expected a file of Python, mine.py")
    module = module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look for it
    sys.path.insert(0, str(path.resolve().parent))  # for what stands beside it
    try:
        spec.loader.exec_module(module)
        if not isinstance(found := getattr(module, "Player", None), type):
            raise PlayerError(f"there is no class Player in {quote(text)}")
        player: Any = found()
    except PlayerError:
        raise
    except (Exception, SystemExit) as error:
        raise PlayerError(f"cannot load {quote(text)}: {describe(error)}") from error
    for method in ("discard(deal, role, score)", "lay(position)"):
        if not callable(getattr(player, method.partition("(")[0], None)):
            raise PlayerError(f"the class Player in {quote(text)} has no method {method}")
    made: Player = player
    return made


def _name(text: str) -> str:
    return text if text in _BUILT_IN else Path(text).stem


MATCH = Command(
    "match", "let your program play the expert, or another", _EXAMPLES, _add_arguments, _match
)
