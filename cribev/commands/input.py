"""Cards given to a command: as arguments, on standard input, or at random."""

import argparse
import sys
from collections.abc import Iterator
from io import BufferedReader
from typing import cast

from cribev.commands.arguments import natural
from cribev.errors import CardError, CribevError
from cribev.files.lines import complete_lines
from cribev.game.cards import Cards, parse_hand, random_hands

_CHUNK = 1 << 20  # bytes of standard input at a time
_BLANKS = " \t\r\n,\ufeff"  # what may stand around a hand


def add_random_options(command: argparse.ArgumentParser) -> None:
    """Add the options that deal cards at random."""
    command.add_argument("--random", action="store_true", help="deal the cards at random")
    command.add_argument("--seed", type=natural, metavar="N", help="deal the same cards every time")


def check_seed_option(arguments: argparse.Namespace) -> None:
    """Hold the seed to what it goes with.

    Raises
    ------
    CribevError
        If there is a seed but nothing is dealt at random.
    """
    if arguments.seed is not None and not arguments.random:
        raise CribevError("--seed goes with --random")


def cards_from_arguments(
    arguments: argparse.Namespace, *, count: int, suitless: bool = False
) -> Cards:
    """Take the cards given as arguments, or at random; if so asked, without suits too.

    Raises
    ------
    CribevError
        If they are not so many different cards.
    """
    if arguments.random:
        if arguments.cards:
            raise CribevError(f"{' '.join(arguments.cards)!r} given, and --random too: choose one")
        hand: Cards = random_hands(1, cards=count, seed=arguments.seed)[0]
        return hand
    check_seed_option(arguments)
    return parse_hand(" ".join(arguments.cards), count=count, suitless=suitless)


def hands_from_input(*, count: int, suitless: bool = False) -> Iterator[Cards]:
    """Take hands from standard input as they come, one a line; blank lines are passed over.

    On a terminal it asks for each, says what is wrong with it, and ends at an empty line.

    Raises
    ------
    CribevError
        If a line is not so many different cards, or there is none.
    """
    if sys.stdin.isatty():
        yield from _asked_hands(count=count, suitless=suitless)
        return
    hands = 0
    for number, text in numbered_lines():
        try:
            cards = parse_hand(text, count=count, suitless=suitless)
        except CardError as error:
            raise CribevError(f"line {number}: {error}") from error
        hands += 1
        yield cards
    if not hands:
        raise CribevError(f"no cards on standard input: expected {count} a line")


def _asked_hands(*, count: int, suitless: bool) -> Iterator[Cards]:
    asked = f"{count} cards, or nothing to end: "
    while text := prompt(asked).strip(_BLANKS):
        try:
            cards = parse_hand(text, count=count, suitless=suitless)
        except CardError as error:
            print(error, file=sys.stderr)
        else:
            yield cards
            print(file=sys.stderr)


def prompt(question: str) -> str:
    """Ask on a terminal, and return the line that is typed; empty at the end of the input."""
    sys.stdout.flush()
    print(question, end="", file=sys.stderr, flush=True)
    answer = sys.stdin.buffer.readline().decode("utf-8", "replace")
    if not answer:  # the end of the input leaves the question's line open
        print(file=sys.stderr)
    return answer


def numbered_lines() -> Iterator[tuple[int, str]]:
    """Yield the lines of standard input that are not blank, with their numbers, as they come."""
    number = 0
    for block in input_lines():
        for line in block.decode("utf-8", "replace").splitlines():
            number += 1
            if text := line.strip(_BLANKS):
                yield number, text


def input_lines() -> Iterator[bytes]:
    """Yield what has come in on standard input so far, cut at the end of a line."""
    return complete_lines(_read)


def _read() -> bytes:
    try:
        return cast(BufferedReader, sys.stdin.buffer).read1(_CHUNK)
    except OSError as error:
        raise CribevError(f"cannot read standard input: {error.strerror}") from error
