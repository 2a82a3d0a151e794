"""``cribev score``: hands counted, one or millions."""

import argparse
import json
import sys

from cribev.commands.options import (
    Command,
    add_format,
    add_random,
    check_seed,
    given_cards,
    input_lines,
    print_result,
)
from cribev.errors import CribevError
from cribev.game.cards import Cards, format_cards
from cribev.game.scoring import parse_hand_and_starter, score, score_hands, score_to_dict
from cribev.rows.lines import format_numbers, parse_lines

_EXAMPLES = """\
examples:
  cribev score 5C 6D 7D QH 6H
  cribev score "5C 6D 7D QH 6H" --explain
  cribev score 5C 6D 7D QH
  cribev score 5H 6H 7H 8H 9S --crib
  cribev score < hands.txt > points.txt
"""


def _add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "cards", nargs="*", metavar="CARD",
        help="four cards and the starter, or four before the cut; if you give none, or -, it reads "
        "hands of five from standard input, one per line, and prints a number for each",
    )  # fmt: skip
    command.add_argument("--crib", action="store_true", help="count as a crib")
    command.add_argument("--explain", action="store_true", help="list every combination")
    add_random(command)
    add_format(command, "text to read (default), or JSON", "text", "json")


def _score(arguments: argparse.Namespace) -> int:
    if not arguments.random and arguments.cards in ([], ["-"]):
        check_seed(arguments)
        if not arguments.cards and sys.stdin.isatty():
            raise CribevError(
                "no cards: give four and the starter (cribev score 5C 6D 7D QH 6H), "
                "or hands on standard input, one a line"
            )
        return _score_lines(arguments)
    if arguments.random:
        cards = given_cards(arguments, count=5)
    else:
        check_seed(arguments)
        cards = parse_hand_and_starter(" ".join(arguments.cards))
    if arguments.format == "json" or arguments.explain:
        _print_score(cards, arguments)
        return 0
    points = score(cards[:4], _starter(cards), crib=arguments.crib)
    if arguments.random:
        print(f"{format_cards(cards)} = {points}")
    else:
        print(points if len(cards) == 5 else f"{points} before the cut")
    return 0


def _starter(cards: Cards) -> int | None:
    return int(cards[4]) if len(cards) == 5 else None


def _print_score(cards: Cards, arguments: argparse.Namespace) -> None:
    """Print one count at more length than a number."""
    if arguments.explain:
        from cribev.game.show import explain

        show = explain(cards[:4], _starter(cards), crib=arguments.crib)
        print_result(arguments.format, table=lambda: [show], plain=show.to_dict, indent=None)
    else:
        print(json.dumps(score_to_dict(cards, crib=arguments.crib)))


def _score_lines(arguments: argparse.Namespace) -> int:
    """Score a hand a line from standard input; stop at the first bad line."""
    done = 0
    for block in input_lines():
        cards, errors = parse_lines(block, count=5)
        good = cards[: min(errors, default=len(cards))]
        if arguments.format == "json" or arguments.explain:
            for hand in good:
                _print_score(hand, arguments)
        else:
            points = score_hands(good[:, :4], good[:, 4], crib=arguments.crib)
            sys.stdout.flush()
            sys.stdout.buffer.write(format_numbers(points))
        sys.stdout.flush()
        if errors:
            line, error = next(iter(errors.items()))
            raise CribevError(f"line {done + line + 1}: {error}")
        done += len(cards)
    return 0


COMMAND = Command(
    "score", "count a hand of four cards and a starter", _EXAMPLES, _add_arguments, _score
)
