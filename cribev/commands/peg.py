"""``cribev peg``: a play card by card, and what each card pegs."""

import argparse

from cribev.commands.options import Command, add_format, print_result

_EXAMPLES = """\
examples:
  cribev peg 2 5 5 7 6 6
  cribev peg "2 5 5 (12-2) 7 6 (25-3) 6 (31-4)"
  cribev peg T T 9 go A go 4 5
  cribev peg T T 9 A 4 5 --pone "T 9 A 5" --dealer "T K 4 3"

A ten is T or 10. A number in brackets, (15), or with its points, 15-2, is a
count: a 10 that stands alone is a card.
"""


def _add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "cards", nargs="+", metavar="CARD",
        help="cards as they are laid, pone's first; go where a player cannot lay and the other "
        "goes on; / where the count starts again although a card would fit; a count and points "
        "(15-2) may follow a card, and are checked",
    )  # fmt: skip
    for role in ("pone", "dealer"):
        command.add_argument(
            f"--{role}",
            metavar="CARDS",
            help=f"the cards {role} keeps; with both hands you can leave goes out",
        )
    add_format(command, "text to read (default), or JSON", "text", "json")


def _peg(arguments: argparse.Namespace) -> int:
    from cribev.game.play import peg

    play = peg(" ".join(arguments.cards), pone=arguments.pone, dealer=arguments.dealer)
    print_result(arguments.format, table=lambda: [play], plain=play.to_dict, indent=None)
    return 0


COMMAND = Command(
    "peg", "show who pegs what in the play, card by card", _EXAMPLES, _add_arguments, _peg
)
