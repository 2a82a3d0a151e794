"""The notation of the play: text split into cards, goes, and counts with points."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from cribev.errors import CardError, quote
from cribev.game.cards import (
    CARD_TEXT,
    SUIT_TEXT,
    SUITLESS_OFFSET,
    parse_ranks,
    parse_some_suits,
    word_at,
)

_NUMBER = "[0-9]{1,9}"  # longer ones are no part of a play
_NOTE = rf"{_NUMBER}\s*(?:-|for)\s*{_NUMBER}|(?:1[1-9]|2[0-9]|3[01])/[0-9]{{1,2}}"
_TOKEN = re.compile(
    rf"""(?P<note>[(\[]\s*(?:{_NOTE}|{_NUMBER})\s*[)\]]|{_NOTE})
    |(?P<name>(?<![^\W_])[^\W\d_][^\W_]++\s*+:)
    |(?P<go>go(?:\s*(?:-|for)\s*1)?|[(\[]go[)\]]|pass(?![^\W_]))
    |(?P<end>[/|])
    |(?P<card>(?!(?<=[0-9])1(?!0)|1(?:[4-9]|[1-3](?![\s_-]*of|{SUIT_TEXT}))){CARD_TEXT})
    |[\s,;.!?"'“”„‘’«»]+|[()\[\]{{}}]
    |(?P<bad>\S+)""",
    re.IGNORECASE | re.VERBOSE,
)
_MOVE = rf"(?:{CARD_TEXT}|go|pass)"
_DASHED = re.compile(
    rf"(?<![^\s,;\[\"'(])(?>{_MOVE})(?:-(?>{_MOVE}))++(?![^\s,;.!?\])\"'])", re.IGNORECASE
)  # atomic, or a long play that fails at its end takes for ever
RENEGE = "!!"  # after a go where a card fits, or after that card
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))
_EXPECTED = (
    "expected ranks (A 2 3 4 5 6 7 8 9 T J Q K), go, / where the count starts again, "
    "and counts with points such as 15-2"
)


class Piece(NamedTuple):
    """A card, a go, the end of a count, or a count with points."""

    text: str
    at: int  # its first character, counted from 1; 0 if it comes from no text
    card: int | None = None
    """A card played, plus `SUITLESS_OFFSET` and by rank where its suit is not written."""
    note: tuple[int, int | None] | None = None  # count, and points if they are written
    renege: bool = False  # whether `RENEGE` follows


def read_pieces(played: str | Iterable[int | str | None]) -> Iterator[Piece]:
    """Take text apart, or cards as texts or as ranks 0..12, and None for a go."""
    if not isinstance(played, str | Iterable):
        raise CardError(
            f"invalid play {quote(repr(played))}: expected text, or ranks and None for go"
        )
    if not isinstance(played, str):
        moves = list(played)
        words = ["go" if move is None else move for move in moves if isinstance(move, str | None)]
        if len(words) < len(moves):
            ranks = iter(parse_ranks([move for move in moves if move is not None]))
            for move in moves:
                go = move is None
                yield Piece("go", 0) if go else Piece("", 0, next(ranks) + SUITLESS_OFFSET)
            return
        played = " ".join(words)
    text = _DASHED.sub(_blank_dashes, played.translate(_DASHES))
    for token in _TOKEN.finditer(text):
        piece = Piece(token[0], token.start() + 1, renege=text.startswith(RENEGE, token.end()))
        if token["bad"]:
            word = quote(word_at(text, token.start()))
            raise CardError(f"{word} is not part of a play: {_EXPECTED}")
        if name := token["name"]:
            raise CardError(
                f"{quote(name)}, character {piece.at}, is a name: expected the cards alone, as "
                "they fell, pone's first"
            )
        if token["card"]:
            yield piece._replace(card=parse_some_suits(token[0])[0])
        elif token["note"]:
            count, *points = map(int, re.findall("[0-9]+", token["note"]))
            yield piece._replace(note=(count, points[0] if points else None))
        elif token["go"] or token["end"]:
            yield piece._replace(text="go") if token["go"] else piece


def _blank_dashes(match: re.Match[str]) -> str:
    """Make the dashes between cards blanks, but where two numbers can be a count and points."""
    word = match[0]
    numbers = match.start() and re.fullmatch("[0-9]+-[0-9]+", word)
    return word if numbers else word.replace("-", " ")
