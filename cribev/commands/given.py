"""Cards given to a command: as arguments, on standard input, or at random."""

import argparse
import sys
from collections.abc import Iterator
from typing import BinaryIO

from cribev.commands.arguments import natural
from cribev.errors import CribevError
from cribev.game.cards import Cards, parse_cards, random_hands

_CHUNK = 1 << 20  # bytes of standard input at a time


def add_random(command: argparse.ArgumentParser) -> None:
    """Add the options that deal cards at random."""
    command.add_argument("--random", action="store_true", help="deal the cards at random")
    command.add_argument("--seed", type=natural, metavar="N", help="deal the same cards every time")


def check_seed(arguments: argparse.Namespace) -> None:
    """Hold the seed to what it goes with.

    Raises
    ------
    CribevError
        If there is a seed but nothing is dealt at random.
    """
    if arguments.seed is not None and not arguments.random:
        raise CribevError("--seed goes with --random")


def given_cards(arguments: argparse.Namespace, *, count: int) -> Cards:
    """Take the cards given as arguments, on standard input, or at random.

    Raises
    ------
    CribevError
        If there are none, or they are not so many different cards.
    """
    if arguments.random:
        if arguments.cards:
            raise CribevError(f"{' '.join(arguments.cards)!r} given, and --random too: choose one")
        hand: Cards = random_hands(1, cards=count, seed=arguments.seed)[0]
        return hand
    check_seed(arguments)
    if not arguments.cards:
        raise CribevError(f"no cards: give {count}, or --random")
    text = " ".join(arguments.cards)
    if arguments.cards == ["-"]:
        text = b"".join(whole_lines(sys.stdin.buffer)).decode("utf-8", "replace").strip()
    return parse_cards(text, count=count)


def whole_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield what has come in so far, cut at the end of a line."""
    rest = b""
    while chunk := _read(stream):
        lines, ended, tail = chunk.rpartition(b"\n")
        if ended:
            yield rest + lines + ended
            rest = tail
        else:
            rest += tail
    if rest:
        yield rest


def _read(stream: BinaryIO) -> bytes:
    try:
        chunk: bytes = stream.read1(_CHUNK)  # type: ignore[attr-defined]  # BinaryIO lacks it
    except OSError as error:
        raise CribevError(f"cannot read standard input: {error.strerror}") from error
    return chunk
