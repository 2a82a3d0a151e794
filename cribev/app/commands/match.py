"""``cribev match``: two programs play each other."""

import argparse
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from cribev.app.games.errors import PlayerError
from cribev.commands import options
from cribev.errors import quote

if TYPE_CHECKING:
    from cribev.app.games.players import Player

_LEVELS = ("beginner", "casual", "club", "greedy", "strong")
_BUILT_IN = (*_LEVELS, "expert", "racing", "random")

_EXAMPLES = """\
examples:
  cribev match mine.py
  cribev match mine.py greedy --games 200 --seed 7
  cribev match mine.py yours.py:Bold --format json
  cribev match club greedy --games 100
  cribev match club greedy --games 20 --record games/

A program is a class: Player of a file of Python, or another that you name, as in
mine.py:Bold, or of a module, as in bots.greedy:Bot:

  class Player:
      def discard(self, deal, role, score):   # six card numbers; "dealer" or
          return deal[:2]                      # "pone"; (yours, theirs)
      def lay(self, position):                 # what you know, as advise_play
          return position.legal[0]             # takes it; the cards that fit

A card's number is 4 * rank + suit, suits C D H S; a rank is 0, the ace, to 12, the
king. Answer with such numbers or with text, "2H 8D" and "J". position also has
role, held (kept and discard), left (those not played), starter, score (before the
deal) and play: its count, laid, on_table, history (the ranks played, None for a go).
str(position) is the text that `cribev help position` tells of.

It is imported and runs in this process, with all your rights: match only programs you
trust. What it prints goes to standard error, and what it raises is told in a line. It
never hears of cards it would not see at a table. In Python, match(mine, Expert()) does
the same.
Built in are expert, who discards and plays as in the solved game; racing, an expert who
does what wins most where a player needs 31 points or fewer; beginner, casual, club and
strong, who make mistakes as people do, the beginner most; greedy, who takes what counts
now; and random.

Every deal is played twice with seats exchanged. rows of --format csv and json,
first is your program:
  games             share of games won
  points            points a deal, of whole deals
  hands and cribs   points of these, heels among them: what discards decide
  play              points of the play
The standard error of a difference takes a pair of games as one observation.
"""


def _add_arguments(match: options.Parser) -> None:
    match.add(
        "player FILE|MODULE:NAME|NAME",
        f"your program, or one that is built in: {', '.join(_BUILT_IN)}",
    )
    match.add(
        "second FILE|MODULE:NAME|NAME",
        "who plays against it (default: expert)",
        nargs="?",
        default="expert",
    )
    match.add(
        "--games N", "how many games, an even number (default: 1000); club against greedy plays "
        "one a second", type=options.positive, default=1000,
    )  # fmt: skip
    match.add(
        "--seed N", "deal the same cards every time, and draw the same choices of those built in",
        type=options.whole,
    )  # fmt: skip
    match.add(
        "--record DIR", "keep the games in a folder, a file each, as cribev review reads them"
    )
    options.add_format(match, "a table to read (default), or every number in full")


def _match(arguments: argparse.Namespace) -> None:
    names = [arguments.player, arguments.second]
    from secrets import randbelow

    from cribev.app.games.match import DRAWN_SEEDS, match
    from cribev.app.games.programs import program_name

    seed = randbelow(DRAWN_SEEDS) if arguments.seed is None else arguments.seed
    one, other = map(program_name, names)
    with redirect_stdout(sys.stderr):  # what a program prints is not a result
        player, across = (_player(name, [seed, at]) for at, name in enumerate(names))
        result = match(
            player, across, games=arguments.games, seed=seed, names=(one, other),
            record=arguments.record,
        )  # fmt: skip
    options.print_result(
        arguments.format, lambda: [result], csv=lambda: result.table, plain=result.to_dict
    )


def _player(text: str, seed: list[int]) -> "Player":
    """Make a player by name, or of a program; `PlayerError` if it cannot be made."""
    from cribev.app.games.levels import Level
    from cribev.app.games.players import Expert, RacingExpert, RandomPlayer
    from cribev.app.games.programs import load_player

    if text in _BUILT_IN:
        by_name: dict[str, Player] = {
            "expert": Expert(seed),
            "racing": RacingExpert(seed),
            "random": RandomPlayer(seed),
            **{name: Level(name, seed) for name in _LEVELS},
        }
        return by_name[text]
    if ":" in text or text.endswith(".py"):
        return load_player(text)
    raise PlayerError(
        f"invalid player {quote(text)}: expected {', '.join(_BUILT_IN)}, a file, mine.py, or "
        "module:name"
    )


MATCH = options.Command(_EXAMPLES, _add_arguments, _match)
