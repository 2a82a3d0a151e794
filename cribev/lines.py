"""Hands as lines of text, by the million."""

import numpy as np
from numpy.typing import NDArray

from cribev.cards import DECK_SIZE, RANKS, SUIT_SYMBOLS, SUITS, Cards, format_cards, parse_cards
from cribev.errors import CardError

_SUIT, _BLANK, _END, _BAD = 16, 32, 33, 34  # codes of bytes; ranks are 0..12, suits follow _SUIT


def _byte_codes() -> NDArray[np.uint8]:
    codes = np.full(256, _BAD, dtype=np.uint8)
    for first, letters in ((0, RANKS), (_SUIT, SUITS)):
        for code, letter in enumerate(letters, start=first):
            codes[[ord(letter), ord(letter.lower())]] = code
    codes[list(b" \t\r,")] = _BLANK
    codes[ord("\n")] = _END
    return codes


_CODES = _byte_codes()


def parse_lines(text: bytes, *, count: int) -> tuple[Cards, dict[int, CardError]]:
    r"""Read a hand from each line, in one pass over the bytes.

    Parameters
    ----------
    text
        Lines in UTF-8, each with cards as `cribev.parse_cards` reads them.
    count
        How many cards each line must have.

    Returns
    -------
    cards
        uint8 ``(lines, count)``; zeros where a line is bad.
    errors
        For each bad line, counted from 0, what is wrong with it.

    Examples
    --------
    >>> cards, errors = parse_lines(b"5H 10d\nah,\n", count=2)
    >>> cards.tolist()
    [[18, 37], [0, 0]]
    >>> errors
    {1: CardError("expected 2 cards, got 1 in 'ah,'")}
    """
    if not text.endswith(b"\n"):
        text += b"\n" if text else b""
    codes = _CODES[np.frombuffer(_plain_letters(text), dtype=np.uint8)]
    at = np.flatnonzero(codes != _BLANK)  # where something stands, line ends included
    marks = codes[at]
    ends = np.flatnonzero(marks == _END)
    starts = np.concatenate(([0], ends[:-1] + 1)) if ends.size else ends
    hands = np.zeros((ends.size, count), dtype=np.uint8)
    full = np.flatnonzero(ends - starts == 2 * count)
    letters = starts[full, None] + np.arange(2 * count)
    first, second = marks[letters[:, ::2]], marks[letters[:, 1::2]]
    rank, suit = np.minimum(first, second), np.maximum(first, second) - np.uint8(_SUIT)
    cards = rank * np.uint8(4) + suit
    # A rank below 13 and, wrapping below _SUIT, a suit below 4: one of each, side by side.
    good = ((rank < len(RANKS)) & (suit < len(SUITS))).all(axis=1)
    good &= (np.diff(at[letters])[:, ::2] == 1).all(axis=1)
    held = np.bitwise_or.reduce(np.uint64(1) << cards, axis=1)
    good &= np.bitwise_count(held) == count
    hands[full[good]] = cards[good]
    doubtful = np.ones(ends.size, dtype=bool)
    doubtful[full[good]] = False
    return hands, _read_one_by_one(text, hands, doubtful)


def _plain_letters(text: bytes) -> bytes:
    """Spell every ten and suit with one byte."""
    if not text.isascii():
        for symbol, letter in zip(SUIT_SYMBOLS, SUITS, strict=True):
            text = text.replace(symbol.encode(), letter.encode())
    return text.replace(b"10", b"T")


def _read_one_by_one(
    text: bytes, hands: Cards, doubtful: NDArray[np.bool_]
) -> dict[int, CardError]:
    """Give the lines that the quick pass did not take a second reading; fill in the good ones."""
    errors: dict[int, CardError] = {}
    if not doubtful.any():
        return errors
    lines = text.split(b"\n")
    for number in np.flatnonzero(doubtful).tolist():
        line = lines[number].decode("utf-8", "replace").strip("\r")
        try:
            hands[number] = parse_cards(line, count=hands.shape[1])
        except CardError as error:
            errors[number] = error
    return errors


def format_numbers(numbers: NDArray[np.uint8]) -> bytes:
    r"""Write a number a line.

    >>> format_numbers(np.array([0, 29, 7], dtype=np.uint8))
    b'0\n29\n7\n'
    """
    texts = np.array([f"{number}\n" for number in range(256)], dtype="S4")
    letters = texts[numbers].view(np.uint8)
    return bytes(letters[letters != 0].tobytes())


def format_hands(hands: Cards) -> NDArray[np.bytes_]:
    """Write many hands of as many cards each, as `cribev.format_cards` writes one.

    Parameters
    ----------
    hands
        Card numbers, uint8 ``(N, count)``.

    Returns
    -------
    ASCII text, ``(N,)``, of 3 count - 1 bytes each.

    Examples
    --------
    >>> format_hands(np.array([[18, 37], [0, 51]], dtype=np.uint8))
    array([b'5H TD', b'AC KS'], dtype='|S5')
    """
    width = 3 * hands.shape[1]
    letters = _NAMES_AND_BLANK.take(hands).view(np.uint8).reshape(len(hands), 4 * hands.shape[1])
    kept = np.flatnonzero(np.arange(4 * hands.shape[1]) % 4 < 3)[:-1]
    return np.ascontiguousarray(letters[:, kept]).view(f"S{width - 1}").reshape(len(hands))


_NAMES_AND_BLANK = np.array(
    [format_cards([card]) + "  " for card in range(DECK_SIZE)], dtype="S4"
).view(np.uint32)
