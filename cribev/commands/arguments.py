"""What the commands' arguments have in common."""

import argparse
import os
from typing import NoReturn

from cribev.errors import CribevError, quote
from cribev.game.integers import MAX_DIGITS, parse_integer
from cribev.game.roles import ROLES

FORMULAS = """Beware of spreadsheets: they take
text that begins with = + - or @ for a formula."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong.

        Raises
        ------
        CribevError
            Always.
        """
        raise CribevError(message)


def add_command(
    commands: "argparse._SubParsersAction[Parser]", name: str, purpose: str, examples: str
) -> Parser:
    """Add a command with its help."""
    return commands.add_parser(
        name,
        help=purpose,
        description=f"{purpose[0].upper()}{purpose[1:]}.",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_roles(command: argparse.ArgumentParser) -> None:
    """Add an option for each role, of which one can be given."""
    role = command.add_mutually_exclusive_group()
    for name, whose in zip(ROLES, ("yours", "the opponent's"), strict=True):
        role.add_argument(
            f"--{name}", dest="role", action="store_const", const=name, help=f"the crib is {whose}"
        )


def add_opponent(command: argparse.ArgumentParser) -> None:
    """Add the option that says who throws the other two cards."""
    command.add_argument(
        "--opponent", default="expert", metavar="expert|uniform|FILE",
        help="who throws the other two cards: an expert (default); any two cards alike; "
        "or a CSV file of how often each pair of ranks is thrown "
        "(rank1,rank2,dealer_pct,pone_pct); the play is that of experts, whoever throws",
    )  # fmt: skip


def add_show_only(command: argparse.ArgumentParser) -> None:
    """Add the option that leaves the play out."""
    command.add_argument(
        "--show-only", dest="play", action="store_false",
        help="leave out the play: hand and crib alone, against an expert who throws for them alone",
    )  # fmt: skip


def cpu_count() -> int:
    """Count the processors this command may use.

    >>> cpu_count() > 0
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def positive(text: str) -> int:
    """Read a whole number from 1 up.

    >>> positive("15")
    15
    """
    return _whole(text, least=1)


def natural(text: str) -> int:
    """Read a whole number from 0 up.

    >>> natural("0")
    0
    """
    return _whole(text, least=0)


def _whole(text: str, *, least: int) -> int:
    number = parse_integer(text, least=least)
    if number is None and text.isdecimal() and len(text) > MAX_DIGITS:
        raise argparse.ArgumentTypeError(
            f"{quote(text)} has {len(text):,} digits: expected at most {MAX_DIGITS}"
        )
    if number is None:
        raise argparse.ArgumentTypeError(f"{quote(text)} is not a whole number from {least} up")
    return number
