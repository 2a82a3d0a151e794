"""Rows, hands and numbers as lines of text; formats of files of rows, and files at URLs."""

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, overload

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CardError, CribevError, quote
from cribev.game import cards
from cribev.game.cards import RANKS, SUITLESS_OFFSET, SUITS, Cards
from cribev.system.cache import import_optional
from cribev.system.files import exists_already

MAX_LINE_BYTES = 1 << 24  # longer lines are refused

_SUIT, _BLANK, _END, _BAD = 16, 32, 33, 34  # codes of bytes; ranks are 0..12, suits follow _SUIT
_CODES = np.full(256, _BAD, dtype=np.uint8)
for _first, _letters in ((0, RANKS), (_SUIT, SUITS)):
    for _code, _letter in enumerate(_letters, start=_first):
        _CODES[[ord(_letter), ord(_letter.lower())]] = _code
_CODES[list(b" \t\r,-")] = _BLANK
_CODES[ord("\n")] = _END


def complete_lines(read: Callable[[], bytes], *, of: str = "") -> Iterator[bytes]:
    """Yield what `read` returns, split at ends of lines, none above `MAX_LINE_BYTES`."""
    begun: list[bytes] = []
    size = lines = 0
    while block := read():
        whole, end, tail = block.rpartition(b"\n")
        if end:
            text = b"".join([*begun, whole, end])
            yield text
            lines += text.count(b"\n")
            begun, size = [], 0
        begun.append(tail)
        size += len(tail)
        if size > MAX_LINE_BYTES:
            raise CribevError(f"{of}line {lines + 1}: longer than {MAX_LINE_BYTES:,} bytes")
    if size:
        yield b"".join(begun)


def parse_lines(
    text: bytes, *, count: int, suitless: bool = False
) -> tuple[Cards, dict[int, CardError]]:
    """Read a hand from each line: uint8 ``(lines, count)``, zeros if bad; and errors by line."""
    if not text.endswith(b"\n"):
        text += b"\n" if text else b""
    plain = text
    if not text.isascii():  # every ten and suit is spelt with one byte
        for symbol, letter in zip(cards.SUIT_SYMBOLS, SUITS, strict=True):
            plain = plain.replace(symbol.encode(), letter.encode())
    codes = _CODES[np.frombuffer(plain.replace(b"10", b"T"), dtype=np.uint8)]
    if (even := _even_lines(codes, count)) is not None:
        full: Any = slice(None)
        first, second = even
        hands = np.zeros((len(first), count), dtype=np.uint8)
        good = np.ones(len(first), dtype=bool)
    else:
        places = np.flatnonzero(codes != _BLANK)  # where something stands, line ends included
        marks = codes[places]
        ends = np.flatnonzero(marks == _END)
        starts = np.concatenate(([0], ends[:-1] + 1)) if ends.size else ends
        hands = np.zeros((ends.size, count), dtype=np.uint8)
        full = np.flatnonzero(ends - starts == 2 * count)
        letters = starts[full, None] + np.arange(2 * count)
        first, second = marks[letters[:, ::2]], marks[letters[:, 1::2]]
        good = (np.diff(places[letters])[:, ::2] == 1).all(axis=1)
    rank, suit = np.minimum(first, second), np.maximum(first, second) - np.uint8(_SUIT)
    numbers = rank * np.uint8(4) + suit
    # A rank below 13 and, wrapping below _SUIT, a suit below 4: one of each, side by side.
    a_card = (rank < len(RANKS)) & (suit < len(SUITS))
    held = np.zeros(len(numbers), dtype=np.uint64)
    for column in range(count):
        good &= a_card[:, column]
        held |= np.uint64(1) << numbers[:, column]
    good &= np.bitwise_count(held) == count
    numbers[~good] = 0
    hands[full] = numbers
    doubtful = np.ones(len(hands), dtype=bool)
    doubtful[full] = ~good
    if suitless and even is None:
        short = np.flatnonzero(ends - starts == count)
        ranks = np.sort(marks[starts[short, None] + np.arange(count)], axis=1)
        right = ranks[:, -1] < len(RANKS)
        if count > 4:
            right &= (ranks[:, 4:] != ranks[:, :-4]).all(axis=1)
        hands[short[right]] = ranks[right] + np.uint8(SUITLESS_OFFSET)
        doubtful[short[right]] = False
    return hands, _read_one_by_one(text, hands, doubtful, suitless=suitless)


@overload
def parse_cards(text: str, *, count: int | None = ..., numbers: str | None = ...) -> Cards: ...
@overload
def parse_cards(text: Iterable[str], *, count: int, numbers: str | None = ...) -> Cards: ...
def parse_cards(
    text: str | Iterable[str], *, count: int | None = None, numbers: str | None = None
) -> Cards:
    """Read cards from text, or from many texts at once.

    Parameters
    ----------
    text
        Cards as rank and suit in either order, ``T`` or ``10`` for a ten, suits as letters or
        symbols, in any case, with blanks, commas, dashes or nothing between; or a list or column of
        such texts.
    count
        The number of cards there must be; any number if None, for a single text only.
    numbers
        If the text has card numbers 0 to 51, how they are numbered: ``"rank-major"``, 4 times the
        rank (the ace 0) plus the suit (clubs 0), or ``"suit-major"``, 13 times the suit plus the
        rank.

    Returns
    -------
    uint8 array ``(n,)``, in the order of the text; for many texts ``(N, count)``.

    Raises
    ------
    CardError
        If a piece is not a card, a card comes twice, or the count is wrong. The error is about the
        first bad text, and gives its place.

    Examples
    --------
    >>> parse_cards("5H 10h,t♦ h3")
    array([18, 38, 37, 10], dtype=uint8)
    >>> parse_cards(["5H 6D", "as kc"], count=2)
    array([[18, 21],
           [ 3, 48]], dtype=uint8)
    >>> parse_cards("30 43", numbers="suit-major")  # the fives of hearts and spades
    array([18, 19], dtype=uint8)
    >>> parse_cards(["5H 6D", "5H 5H"], count=2)
    Traceback (most recent call last):
    cribev.errors.CardError: row 1: 5H comes twice in '5H 5H'
    """
    cards.require_numbering(numbers)
    if isinstance(text, str) and numbers is not None:
        text = cards.numbers_as_text(text, numbers)
    if isinstance(text, str | bytes) or not isinstance(text, Iterable):
        return cards.parse_card_text(text, count=count)
    texts = [*text]
    if count is None:
        raise CardError("how many cards does each text have? give count=6, say")
    for row, hand in enumerate(texts):
        if not isinstance(hand, str):
            raise CardError(f"row {row}: expected cards as text, got {quote(repr(hand))}")
    lines = "\n".join(hand.replace("\n", " ") for hand in texts) + "\n" * bool(texts)
    if numbers is not None:
        lines = cards.numbers_as_text(lines, numbers)
    hands, errors = parse_lines(lines.encode("utf-8", "replace"), count=count)
    if errors:
        raise CardError(f"row {min(errors)}: {errors[min(errors)]}")
    return hands


def _even_lines(codes: NDArray[np.uint8], count: int) -> tuple[Cards, Cards] | None:
    """Split text with two letters and one blank per card into letters; None for other text."""
    if codes.size % (3 * count):
        return None
    first, second, after = np.moveaxis(codes.reshape(-1, count, 3), 2, 0)
    even = (after[:, :-1] == _BLANK).all() and (after[:, -1] == _END).all()
    return (first, second) if even and (np.maximum(first, second) < _BLANK).all() else None


def _read_one_by_one(
    text: bytes, hands: Cards, doubtful: NDArray[np.bool_], **how: bool
) -> dict[int, CardError]:
    """Reread the lines that the fast pass could not read, and fill in the valid ones."""
    errors: dict[int, CardError] = {}
    lines = text.split(b"\n") if doubtful.any() else []
    for number in np.flatnonzero(doubtful).tolist():
        line = lines[number].decode("utf-8", "replace").strip("\r")
        try:
            hands[number] = cards.parse_hand(line, count=hands.shape[1], **how)
        except CardError as error:
            errors[number] = error
    return errors


def format_numbers(numbers: NDArray[np.uint8]) -> bytes:
    """Write one number per line."""
    texts = np.array([f"{number}\n" for number in range(256)], dtype="S4")
    letters = texts[numbers].view(np.uint8)
    return bytes(letters[letters != 0].tobytes())


def format_hands(hands: Cards) -> NDArray[np.bytes_]:
    """Write cards, uint8 ``(N, count)``, as ASCII texts of at most 3 count - 1 bytes, ``(N,)``.

    A card without its suit, a rank plus `SUITLESS_OFFSET`, is its rank.
    """
    width = 3 * hands.shape[1]
    letters = _NAMES_AND_BLANK.take(hands).view(np.uint8).reshape(len(hands), 4 * hands.shape[1])
    kept = np.flatnonzero(np.arange(4 * hands.shape[1]) % 4 < 3)[:-1]
    letters = np.ascontiguousarray(letters[:, kept])
    bare = hands >= SUITLESS_OFFSET
    if bare.any():
        letters[bare[:, -1], -1] = 0  # the blank after a last rank
        rows = np.flatnonzero(bare.any(axis=1))
        order = (letters[rows] == 0).argsort(axis=1, kind="stable")
        letters[rows] = np.take_along_axis(letters[rows], order, axis=1)
    return letters.view(f"S{width - 1}").reshape(len(hands))


_PADDED = np.zeros(SUITLESS_OFFSET + len(RANKS), dtype="S4")
_PADDED[: cards.DECK_SIZE] = [f"{cards.format_card(card)}  " for card in range(cards.DECK_SIZE)]
_PADDED[SUITLESS_OFFSET:] = [f"{rank} " for rank in RANKS]
_NAMES_AND_BLANK = _PADDED.view(np.uint32)  # of cards, in four bytes each


def format_table(columns: Sequence[NDArray[Any]], *, delimiter: str) -> bytes:
    """Write columns of bytes, flags, integers 0..999, or floats below 1000, ``(N,)``, as lines."""
    columns_of_codes: list[NDArray[np.uint32]] = []
    for number, column in enumerate(columns, 1):
        end = "\n" if number == len(columns) else delimiter
        integers, last = _with_end(end)
        if column.dtype.kind in "Sb":
            text = np.where(column, b"True", b"False") if column.dtype.kind == "b" else column
            width = text.dtype.itemsize // 4 * 4 + 4
            texts = text.astype(f"S{width}").view(np.uint8).reshape(-1, width)
            texts[:, -1] = ord(end)
            columns_of_codes.append(texts.view(np.uint32))
            continue
        if column.dtype.kind != "f":
            columns_of_codes.append(integers.take(column))
            continue
        unknown = np.isnan(column)
        filled = np.where(unknown, 0.0, column) if unknown.any() else column
        millionths = np.rint(np.abs(filled) * 1e6).astype(np.uint32)
        thousandths = millionths // _THOUSAND
        whole = thousandths // _THOUSAND
        signed = whole + _THOUSAND * ((filled < 0) & (millionths > 0))
        digits = thousandths - whole * _THOUSAND, millionths - thousandths * _THOUSAND
        for table, places in zip((_WHOLE, _POINT, last), (signed, *digits), strict=True):
            if filled is not column:
                places[unknown] = len(table) - 1
            columns_of_codes.append(table.take(places))
    letters: bytes = np.column_stack(columns_of_codes).tobytes()
    return letters.translate(None, b"\0")


@cache
def _with_end(end: str) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Tabulate whole numbers, and three last digits or none, with what follows them."""
    last = [*(f"{number:03}{end}" for number in range(1000)), end]
    return _packed(f"{number}{end}" for number in range(1000)), _packed(last)


def _packed(texts: Iterable[str]) -> NDArray[np.uint32]:
    """Write texts in four bytes each."""
    return np.array([*texts], dtype="S4").view(np.uint32)


_THOUSAND = np.uint32(1000)
_WHOLE = _packed([*(f"{sign}{number}" for sign in ("", "-") for number in range(1000)), ""])
_POINT = _packed([*(f".{number:03}" for number in range(1000)), ""])

FORMATS = ("csv", "tsv", "jsonl", "parquet")
STANDARD_STREAM = "-"  # standard input or output in place of a file

DELIMITERS = {"csv": ",", "tsv": "\t"}
"""The separator of values in the formats of delimited text."""

_SUFFIXES = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip


def has_suffix(path: str) -> bool:
    """Return whether the name of a file says its format, as that of standard input does."""
    with suppress(CribevError):
        return bool(format_of(path))
    return False


def format_of(path: str, asked: str | None = None) -> str:
    """Return the format of a file: the given one, or that of its suffix; CSV for ``-``."""
    suffixes = ["", *(suffix.lower() for suffix in Path(path).suffixes)]
    zipped = suffixes[-1] in (".gz", ".zst")
    form = asked or ("csv" if path == STANDARD_STREAM else _SUFFIXES.get(suffixes[-1 - zipped]))
    if form not in FORMATS or (zipped and form == "parquet"):
        raise CribevError(
            f"what format is {path!r}? expected .csv, .tsv, .jsonl, .parquet "
            "(text also with .gz or .zst), or the format's name"
        )
    return form


def json_line(row: Mapping[str, Any]) -> str:
    """Write a row as a line of JSON, without its end; numbers that are not finite are null."""
    try:
        return _encode(row)
    except ValueError:
        return _encode(_finite(row))


def delimited_lines(columns: Sequence[Sequence[Any]], delimiter: str) -> list[str]:
    """Write columns as lines of delimited text, quoted where needed, without the ends of lines."""
    lines = list[str]()
    # This end makes the writer quote values with either kind of line break.
    file: Any = SimpleNamespace(write=lines.append)
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\r\n")
    writer.writerows(zip(*columns, strict=True))
    return [line[:-2] for line in lines]


_encode = json.JSONEncoder(default=str, ensure_ascii=False, allow_nan=False).encode


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def is_url(path: object) -> bool:
    """Return whether this is a URL, such as ``s3://bucket/deals.csv``."""
    return isinstance(path, str) and bool(re.match(r"[a-z][a-z0-9+.]+://", path))


@contextmanager
def open_url(url: str, mode: str = "rb", *, force: bool = False) -> Iterator[IO[bytes]]:
    """Open a URL; what is written appears when it is complete, and replaces others by `force`."""
    fsspec = import_optional("fsspec", "urls")
    try:
        system, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:  # fsspec says what it lacks
        raise CribevError(f"cannot open {quote(url, most=300)}: {error}") from error
    with ExitStack() as opened:
        if mode == "wb":
            if not force and system.exists(path):
                raise exists_already(url)
            opened.enter_context(system.transaction)
        yield opened.enter_context(system.open(path, mode))
