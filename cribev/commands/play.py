"""``cribev play``: which card to lay now."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from cribev.commands.options import TO_WIN_HELP, Command, add_roles, expert_to_win
from cribev.errors import CribevError
from cribev.game.score import heels

if TYPE_CHECKING:
    from cribev.game.deal import Position

_COLUMNS = ("rank", "card", "expected", "own", "opponent", "behind", "share", "win")

_EXAMPLES = """\
examples:
  cribev play 4H 5C JD JS --pone --threw 9C KD --starter 7H
  cribev play 4H 5C JD JS --pone --threw 9C KD --starter 7H --laid "J 5" --explain
  cribev play 5 J Q K --dealer --laid 4
  cribev play 4H 5C JD JS --pone --threw 9C KD --starter 7H --score 103-104
  cribev play 4 4 9 Q --pone --opponent greedy
  cribev play A 2 5 T --dealer --laid "5 T 9 5 go" --format json
  cribev play pone:4H5CJDJS/9CKD:7H:J5@103-104

Give the four cards you kept, laid or not. Your discard and the starter make the
answer better, but it can do without them. Suits count only for --score.
Or give all you know as one text: cribev help position.

columns of --format csv and json, points from here to the end of the play:
  rank              1 for the best; equal cards share a rank
  card              the rank of the card you can lay
  expected          what you peg less what your opponent pegs
  own, opponent     what each pegs
  behind            how many points less than the best
  share             how often an expert lays it, of 1
  win               with --score: your chance to win the game, of 1
Without a card that fits, you must say go: the list is empty.
"""


def _add_arguments(play: argparse.ArgumentParser) -> None:
    play.add_argument(
        "cards", nargs="*", metavar="CARD", help="the four cards you kept; or a position as text"
    )
    add_roles(play)
    play.add_argument(
        "--laid", nargs="+", metavar="CARD",
        help="the cards as they fell, pone's first, as cribev peg reads them, with go where a "
        "player could not lay: \"J 5 J 2 go\"",
    )  # fmt: skip
    play.add_argument("--threw", nargs="+", metavar="CARD", help="the two cards you discarded")
    play.add_argument("--starter", metavar="CARD", help="the card cut")
    play.add_argument(
        "--score", metavar="YOURS-THEIRS",
        help="the score before the deal, your points first: ranks cards by the chance to win the "
        f"game. {TO_WIN_HELP}",
    )  # fmt: skip
    play.add_argument(
        "--opponent", default="expert", metavar="expert|greedy|uniform",
        help="how your opponent plays: expert (default); greedy, the most points at once and else "
        "the highest card; uniform, any card that fits",
    )  # fmt: skip
    play.add_argument(
        "--explain", action="store_true",
        help="what your opponent may hold now, and what can follow each card",
    )  # fmt: skip
    play.add_argument(
        "--format", choices=["table", "csv", "json"], default="table",
        help="a table to read (default), or every number in full",
    )  # fmt: skip


def _play(arguments: argparse.Namespace) -> int:
    if arguments.explain and arguments.format == "csv":
        raise CribevError("--explain goes with --format table or json, not csv")
    from cribev.advice.cards import play_advice, require_suits
    from cribev.game import render
    from cribev.game.cards import format_ranks
    from cribev.opponents.players import as_play_strategy
    from cribev.solution.solution import shipped_strategy

    position = _position(arguments)
    strategy = as_play_strategy(arguments.opponent)
    if position.to_do == "card" and not position.legal:
        if arguments.format == "json":
            found = {**position.to_dict(), "opponent": strategy.name, "cards": []}
            print(json.dumps(found, indent=2))
        elif arguments.format == "csv":
            print(",".join(_COLUMNS[: None if position.score else -1]))
        else:
            left, count = format_ranks(position.left_ranks), position.play.count
            print(f"Say go: none of your cards ({left}) fits a count of {count}.")
        return 0
    to_win = None
    if position.score is not None and strategy is shipped_strategy():
        position.require_card()
        require_suits(position)  # or there is nothing to solve
        score = position.score.seen_by(position.role)
        expert = expert_to_win(score, position.role, heels=heels(position.starter) > 0)
        to_win = None if expert is None else expert.at
    advice = play_advice(position, strategy, to_win=to_win)
    if arguments.format == "json":
        why = {"explanation": advice.explain().to_dict()} if arguments.explain else {}
        print(json.dumps(advice.to_dict() | why, indent=2))
    elif arguments.format == "csv":
        print(advice.table.to_csv(index=False, lineterminator="\n"), end="")
    else:
        render.show(advice)
        if arguments.explain:
            render.show(advice.explain())
    return 0


def _position(arguments: argparse.Namespace) -> "Position":
    """Read what is known: one text, or cards and options."""
    from cribev.advice.decisions import given_position
    from cribev.game.deal import Position

    text = " ".join(arguments.cards)
    known: dict[str, Any] = {
        name: " ".join(getattr(arguments, name) or ()) or None for name in ("laid", "threw")
    }
    known |= {name: getattr(arguments, name) for name in ("starter", "score")}
    position = given_position(text, role=arguments.role, **known)
    if position is not None:
        return position
    if arguments.role is None:
        raise CribevError("whose crib is it? Expected --dealer, or --pone, who leads")
    laid, threw = known.pop("laid") or "", known.pop("threw")
    return Position.read(text, role=arguments.role, laid=laid, discard=threw, **known)


COMMAND = Command("play", "say which card to lay now, and why", _EXAMPLES, _add_arguments, _play)
