"""Standard input: hands and lines as they come, and answers typed at a terminal."""

import sys
from collections.abc import Iterator
from io import BufferedReader
from typing import cast

from cribev.errors import CardError, CribevError
from cribev.game.cards import Cards, parse_hand
from cribev.rows.lines import complete_lines

_CHUNK = 1 << 20  # bytes of standard input at a time
_BLANKS = " \t\r\n,\ufeff"  # what may stand around a hand


def hands_from_input(*, count: int, suitless: bool = False) -> Iterator[Cards]:
    """Yield the hands on standard input, one a line; a terminal is asked for each.

    A bad line ends it with `CribevError`. On a terminal it says what is wrong, and an empty line
    ends it.
    """
    if sys.stdin.isatty():
        yield from _asked_hands(count=count, suitless=suitless)
        return
    number = 0
    for number, text in numbered_lines():
        try:
            cards = parse_hand(text, count=count, suitless=suitless)
        except CardError as error:
            raise CribevError(f"line {number}: {error}") from error
        yield cards
    if not number:
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
    """Yield each line of standard input that is not blank, with its number."""
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
