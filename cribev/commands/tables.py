"""``cribev tables``: tables of the solved game."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cribev.commands import options
from cribev.errors import CribevError, quote, unknown
from cribev.game.roles import ROLES, Role
from cribev.game.stakes import Stakes
from cribev.rows.pairs import PUBLISHED_CRIBS

if TYPE_CHECKING:
    from cribev.solution.solution import Solution
    from cribev.tables.listing import Listing

_EXAMPLES = """\
examples:
  cribev tables crib --role dealer
  cribev tables crib --format csv > cribs.csv
  cribev tables crib --compare hessel --show-only
  cribev tables play --role dealer
  cribev tables play 2559
  cribev tables play 2559 --opponent people
  cribev tables win
  cribev tables win --format csv > win.csv
  cribev tables win 95-110
  cribev tables win 110-95 --role pone
  cribev tables win --opponent people
  cribev tables par --stakes acc
  cribev tables hands

A score has the dealer's points first; with --role pone those of pone; or a star
says who deals: 95-110*.
"""

_TABLES = {
    "crib": "the average crib for each pair discarded; as CSV, how often it is, too",
    "play": "what each keep pegs, or one: cribev tables play 2559",
    "win": "the chance to win from every score, or from one: cribev tables win 95-110",
    "par": "which score of yours is even, for each of the opponent's, beside Colvert's holes",
    "hands": "how often a hand has each number of points, and is of each kind",
}
_WITH_PLAY = ("play", "win", "par")


def _add_arguments(tables: options.Parser) -> None:
    every = "; ".join(f"{name}: {shows}" for name, shows in _TABLES.items())
    tables.add(f"what {'|'.join(_TABLES)}", every, nargs="?")
    tables.add(
        "cards KEEP|SCORE", "play: the four cards kept; win: a score before the deal", nargs="*",
    )  # fmt: skip
    tables.add_argument("--role", choices=ROLES, help="whose tables (default: both)")
    tables.add(
        "--opponent NAME|FILE", "play, win and par: whom you play, such as people, and "
        "reply to as well as can be; expert (default)", default="expert",
    )  # fmt: skip
    options.add_stakes(tables, "win and par")
    options.add_show_only(tables)
    compare = "crib: show the difference from a published table"
    tables.add_argument("--compare", choices=PUBLISHED_CRIBS, help=compare)
    options.add_format(tables, "a chart to look at (default), or every number in full")


def _tables(arguments: argparse.Namespace) -> None:
    named = [name for name in ("role", "compare", "stakes") if getattr(arguments, name)]
    if arguments.what is None and (named or not arguments.play):
        option = named[0] if named else "show-only"
        raise CribevError(f"--{option} goes with a table: expected {', '.join(_TABLES)} before it")
    if arguments.what is not None:
        _check(arguments)
        options.print_listings(arguments.format, _listings(arguments))
    elif arguments.format == "table":
        print("\n".join(f"cribev tables {name:9}  {shows}" for name, shows in _TABLES.items()))
    elif arguments.format == "json":
        options.print_json([{"table": name, "shows": shows} for name, shows in _TABLES.items()])
    else:
        raise CribevError(f"expected a table to write as CSV: {', '.join(_TABLES)}")


def _check(arguments: argparse.Namespace) -> None:
    what = arguments.what
    if what not in _TABLES:
        raise CribevError(unknown("table", what, _TABLES))
    if arguments.compare and what != "crib":
        raise CribevError(f"--compare goes with tables crib, not {what}")
    if arguments.stakes is not None and what not in ("win", "par"):
        raise CribevError(f"--stakes goes with tables win and par, not {what}")
    if arguments.opponent != "expert" and what not in _WITH_PLAY:
        raise CribevError(f"--opponent goes with tables {', '.join(_WITH_PLAY)}, not {what}")
    if not arguments.play and what in (*_WITH_PLAY, "hands"):
        raise CribevError(f"--show-only leaves out the play: tables {what} shows it")
    if arguments.cards and what not in ("play", "win"):
        word = quote(arguments.cards[0])
        raise CribevError(f"{word} is one word too many for cribev tables {what}")


def _listings(arguments: argparse.Namespace) -> list["Listing"]:
    from cribev.solution.solution import load
    from cribev.tables import crib_tables, hands, play_values, win_chances

    what, words = arguments.what, " ".join(arguments.cards) if arguments.cards else None
    opponent = arguments.opponent
    roles: Sequence[Role] = [arguments.role] if arguments.role else ROLES
    played: dict[str, Any] = {"stakes": Stakes.read(arguments.stakes)}
    if what in ("win", "par"):
        played |= {"opponent": opponent, "solution": _game_against(opponent)}
    if what == "win":
        if words is None:
            return [win_chances.win_chart(arguments.role or "dealer", **played)]
        return [win_chances.win_chance(words, arguments.role, **played)]
    if what == "par":
        return [win_chances.par_listing(role, **played) for role in roles]
    if what == "hands":
        return [hands.hands_listing(roles)]
    if what == "play" and words is not None:
        from cribev.advice.names import as_opponent
        from cribev.wins.orders import pegs_first

        across = as_opponent(opponent)
        first = {role: pegs_first(words, role, opponent=across) for role in roles}
        return [play_values.keep_listing(words, pegs_first=first, opponent=opponent)]
    if what == "play":
        return [play_values.keeps_listing(role, opponent=opponent) for role in roles]
    solution = load(play=arguments.play)
    return [crib_tables.crib_chart(role, arguments.compare, solution) for role in roles]


def _game_against(opponent: str) -> "Solution":
    from cribev.advice.names import OPPONENTS, as_opponent

    known = OPPONENTS[:-1]  # all but uniform
    if opponent.lower() not in known:
        raise CribevError(unknown("opponent with a win table", opponent, known))
    return as_opponent(opponent).play.game()


TABLES = options.Command(_EXAMPLES, _add_arguments, _tables)
