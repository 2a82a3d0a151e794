"""Card numbers and card text.

A card is a ``uint8`` 0..51, ``4 * rank + suit``: ranks ace-low 0..12, suits clubs, diamonds,
hearts, spades 0..3. Sorting cards sorts ranks; ``card >> 2`` is the rank, ``card & 3`` the suit.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from numbers import Integral
from operator import index
from typing import Any, SupportsIndex, SupportsInt, TypeAlias, TypeGuard, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cribev.errors import CardError, CribevError, RecordError, quote

Cards: TypeAlias = NDArray[np.uint8]
CardsLike: TypeAlias = str | Sequence[str | int] | NDArray[Any]
"""A few cards: text, a sequence of texts, or card numbers."""
RanksLike: TypeAlias = str | Iterable[int | str]
"""Cards by rank: text or texts, with suits or without, or ranks 0..12."""
CardArray: TypeAlias = NDArray[Any] | Sequence[Any]
"""Card numbers in an array of any shape, or in nested sequences."""

RANKS = "A23456789TJQK"
SUITS = "CDHS"
SUIT_SYMBOLS = "♣♦♥♠"
DECK_SIZE = 52
JACK = RANKS.index("J")
PIP_VALUES = tuple(min(rank, 10) for rank in range(1, 14))
"""The pips of each rank, which count in the play and in fifteens."""

SUITLESS_OFFSET = 64  # added to ranks without suits, so that none is a card number
TEN_CARD = SUITLESS_OFFSET + len(RANKS)
"""A ten, jack, queen or king, written x: cards of which not even the rank is known."""

_BLOCK = 1 << 14  # hands drawn at a time, so that their decks stay in cache
_NAMES = tuple(rank + suit for rank in RANKS for suit in SUITS)
_SYMBOL_NAMES = tuple(
    ("10" if rank == "T" else rank) + symbol for rank in RANKS for symbol in SUIT_SYMBOLS
)

_SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
_RANK_WORDS = (
    *("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king"),
)
_NUMBER_NAMES = {5: "five", 6: "six", 7: "seven", 8: "eight"}
_RANK_OF = {text: rank for rank, text in enumerate(RANKS)} | {"1": RANKS.index("A")}
_RANK_OF |= {str(number): number - 1 for number in range(10, 14)}
_RANK_OF |= {word.upper(): rank for rank, word in enumerate(_RANK_WORDS)}
_SUIT_OF = {
    text: suit for texts in (SUITS, SUIT_SYMBOLS, "♧♢♡♤") for suit, text in enumerate(texts)
}
_SUIT_OF |= {name.upper()[:end]: at for at, name in enumerate(_SUIT_NAMES) for end in (None, -1)}
_WORD, _RANK = "|".join(_RANK_WORDS), "10|[A1-9TJQK]"
SUIT_TEXT, _SUIT_WORD = "[CDHS♣♦♥♠♧♢♡♤]", "(?:club|diamond|heart|spade)s?"
_BETWEEN = (  # some editors begin a file with the last but one
    r"[\s,;+/|()\[\]{}'\"“”„‘’«»\u2010-\u2015\u2212\ufeff-]"
)
# A suit symbol that was pasted as an emoji has its style, \ufe0f, after it. Blanks are never given
# back, or a text of many takes a time quadratic in them.
_SUITED = (
    rf"(?ai:(?:({_WORD}|{_RANK}|1[123])[\s_-]*+(?:of[\s_-]*+({_SUIT_WORD}|{SUIT_TEXT})|({_SUIT_WORD}))"
    rf"|(?!{_WORD})({_RANK}|1[123])({SUIT_TEXT})|({_RANK})[\s-]++({SUIT_TEXT})(?![a-z0-9])"
    rf"|({SUIT_TEXT})\ufe0f?[\s-]*+({_RANK}))\ufe0f?)"
)
_BARE = f"(?ai:{_WORD}|{_RANK})"
CARD_TEXT = re.sub(r"\((?!\?)", "(?:", rf"(?:{_SUITED}|{_BARE})")
"""A pattern of one card, with its suit or without."""
_PIECES = re.compile(
    rf"{_SUITED}|(?P<rank>{_BARE})(?={_BARE}|(?ai:{SUIT_TEXT})|{_BETWEEN}|$)|{_BETWEEN}+"
    rf"|(?P<ten>[xX](?=[xX]|{_BETWEEN}|$))|(?P<bad>.)",
    re.DOTALL,
)
_WORDS = re.compile(f"{_BETWEEN}*((?:(?!{_BETWEEN}).)*)", re.DOTALL)
_A_CARD = "a rank and a suit, like 5H"
_PAIRED = re.compile(
    r"""\(\s*['"]?(1[0-3]|[1-9TJQKA])['"]?\s*,\s*['"]([CDHS♣♦♥♠])['"]\s*\)""", re.IGNORECASE
)
"""A card as programs print it: ``(5, "D")``."""
_OTHER_COURTS = {"V": "J", "D": "Q", "R": "K", "B": "J"}  # of French and German cards
_OTHER_COURT = re.compile(r"(?<![^\W_])([VDRB])(?=\ufe0f?[♣♦♥♠♧♢♡♤])", re.IGNORECASE)


def _read_pieces(text: str, *, suits: bool, ten_cards: bool = False) -> list[int]:
    """Read cards; if a suit is missing, a card is its rank plus `SUITLESS_OFFSET`.

    With `ten_cards`, x is a `TEN_CARD`.
    """
    if not isinstance(text, str):
        raise CardError(f"expected cards as text, got {quote(repr(text))}")
    text = _PAIRED.sub(lambda card: _in_letters(*card.groups()), text)
    text = _OTHER_COURT.sub(lambda rank: _OTHER_COURTS[rank[1].upper()], text)
    cards = list[int]()
    for match in _PIECES.finditer(text):
        if match["ten"] and ten_cards:
            cards.append(TEN_CARD)
        elif match["bad"] or match["ten"] or (suits and match["rank"]):
            expected = _A_CARD if suits else f"{_A_CARD}, or a rank alone, like 5"
            word = word_at(text, match.start())
            if re.fullmatch("[0-9]{1,2}", word) and 13 < int(word) < DECK_SIZE:
                expected += f"; of a card's number say which, {' or '.join(NUMBERINGS)}"
            if match["ten"]:
                expected += "; x, any ten-card, is read by advise alone"
            raise CardError(f"invalid card {quote(word)}: expected {expected}")
        elif match["rank"]:
            cards.append(_RANK_OF[match["rank"].upper()] + SUITLESS_OFFSET)
        elif words := [part.upper() for part in match.groups() if part]:
            suit, rank = sorted(words, key=_RANK_OF.__contains__)
            if rank == "1":
                name = SUITS[_SUIT_OF[suit]]
                raise CardError(
                    f"{quote(match[0])} in {quote(text)} may be the ace or the ten: "
                    f"write A{name} or 10{name}"
                )
            cards.append(4 * _RANK_OF[rank] + _SUIT_OF[suit])
    return cards


def _in_letters(rank: object, suit: object) -> str:
    """Write a card given by a rank and a suit; a rank of 1 is an ace, without doubt."""
    return f"{'A' if str(rank) == '1' else rank}{suit}"


NUMBERINGS = ("rank-major", "suit-major")
"""The numbers 0 to 51 of cards: as 4 · rank + suit, which is ours, or as 13 · suit + rank."""

_NUMBER = re.compile(r"(?<![\w.])-?[0-9]++(?:\.0)?(?![\w.])")


def numbers_as_text(text: str, numbering: str) -> str:
    """Write the card numbers in a text as cards, by one of `NUMBERINGS`.

    >>> numbers_as_text("[18, 17 | 43]", "rank-major"), numbers_as_text("17 4 23", "suit-major")
    ('[5H, 5D | JS]', '5D 5C JD')
    """
    require_numbering(numbering)

    def named(number: re.Match[str]) -> str:
        text = number[0].removesuffix(".0")
        if len(text) > 2 or not 0 <= (card := int(text)) < DECK_SIZE:
            return f"#{text}"  # which is no card
        return _NAMES[card if numbering == NUMBERINGS[0] else card % 13 * 4 + card // 13]

    return _NUMBER.sub(named, text)


def require_numbering(numbering: object) -> None:
    """Raise CribevError unless it is None or one of `NUMBERINGS`."""
    if numbering not in (None, *NUMBERINGS):
        shown = quote(numbering) if isinstance(numbering, str) else repr(numbering)
        raise CribevError(f"numbers={shown}: expected {' or '.join(NUMBERINGS)}")


def word_at(text: str, place: int) -> str:
    """Return the word at a place in a text."""
    return next(word[1] for word in _WORDS.finditer(text) if word.end() > place)


def parse_card_text(text: str, *, count: int | None = None) -> Cards:
    """Read cards from one text, as `cribev.parse_cards` does.

    >>> format_cards(parse_card_text("5h5djsqc2h8d"))
    '5H 5D JS QC 2H 8D'
    >>> parse_card_text("5H 6D", count=6)
    Traceback (most recent call last):
    cribev.errors.CardError: expected 6 cards, got 2 in '5H 6D'
    """
    cards = _read_pieces(text, suits=True)
    require_distinct(cards, text)
    require_count(len(cards), count, text)
    return np.array(cards, dtype=np.uint8)


def rank_of(card: int) -> int:
    """Return the rank 0..12 of a card 0..51, or of one without a suit."""
    return card >> 2 if card < SUITLESS_OFFSET else card - SUITLESS_OFFSET


def ranks_of(cards: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return the ranks 0..12 of cards 0..51, or of those without a suit, of any shape."""
    ranks = np.where(cards < SUITLESS_OFFSET, cards >> 2, cards - SUITLESS_OFFSET)
    return ranks.astype(np.intp)


def sort_by_rank(hands: Cards) -> Cards:
    """Sort hands ``(N, n)`` in which cards may lack suits, each as `card_order` does."""
    bare = hands >= SUITLESS_OFFSET
    order = (8 * ranks_of(hands) + np.where(bare, 4, hands & 3)).argsort(axis=-1, kind="stable")
    return np.take_along_axis(hands, order, axis=-1)


def card_order(card: int) -> tuple[int, int]:
    """Return a key that sorts cards by rank, if some lack suits."""
    return rank_of(card), card


def check_deck(ranks: Iterable[int], why: str = ": a deck has four") -> None:
    """Refuse more than four cards of a rank."""
    for rank, number in Counter(ranks).items():
        if number > 4 and rank < len(RANKS):
            many = _NUMBER_NAMES.get(number, str(number))
            raise RecordError(f"there are {many} {RANKS[rank]}s{why}")


def format_card(card: int) -> str:
    """Write one card, or only its rank if its suit is not known, or x for a `TEN_CARD`."""
    if card == TEN_CARD:
        return "x"
    return RANKS[card - SUITLESS_OFFSET] if card >= SUITLESS_OFFSET else _NAMES[card]


def card_face(card: int) -> dict[str, Any]:
    """Return how a card is drawn and read aloud, with its suit or without."""
    rank, suit = RANKS[rank_of(card)], card & 3 if card < SUITLESS_OFFSET else None
    drawn = "10" if rank == "T" else rank
    name = drawn if drawn.isdecimal() else _RANK_WORDS[rank_of(card)]
    return {
        "rank": drawn,
        "suit": "" if suit is None else SUIT_SYMBOLS[suit],
        "red": suit in (1, 2),
        "name": name if suit is None else f"{name} of {_SUIT_NAMES[suit]}",
    }


def parse_some_suits(
    text: str, *, count: int | None = None, ten_cards: bool = False
) -> tuple[int, ...]:
    """Read cards, any of which may lack its suit: it is then `SUITLESS_OFFSET` + rank.

    With `ten_cards`, x is a `TEN_CARD`.
    """
    cards = _read_pieces(text, suits=False, ten_cards=ten_cards)
    if count is not None:
        require_distinct([card for card in cards if card < SUITLESS_OFFSET], text)
        require_count(len(cards), count, text)
    return tuple(cards)


def cards_meant(asked: str, held: Sequence[int]) -> tuple[int, ...]:
    """Read two of the cards held, ascending; a rank alone is enough if only one card fits.

    A card that is not held is returned as read.

    >>> cards_meant("2-jh", [43, 42, 4, 16])
    (4, 42)
    >>> cards_meant("J 2", [43, 42, 4, 16])
    Traceback (most recent call last):
    cribev.errors.CardError: 'J' in 'J 2' may be JS or JH: write its suit
    """
    wanted = parse_some_suits(asked, count=2, ten_cards=TEN_CARD in held)
    chosen = [card for card in wanted if card < SUITLESS_OFFSET]
    left = [card for card in held if card not in chosen]
    for card, number in Counter(wanted).items():
        same = [other for other in left if rank_of(other) == rank_of(card)]
        if card >= SUITLESS_OFFSET:
            if number < len(same) and {*same} != {card}:
                names = " or ".join(map(format_card, same))
                raise CardError(
                    f"{quote(format_card(card))} in {quote(asked)} may be {names}: write its suit"
                )
            chosen += same[:number] if number <= len(same) else [card] * number
    return tuple(sorted(chosen, key=card_order))


def take_card(cards: list[int], card: int) -> bool:
    """Remove a card, by rank if a suit is not known; return whether it was there."""
    same = card
    if card not in cards:
        alike = (
            c for c in cards if max(c, card) >= SUITLESS_OFFSET and rank_of(c) == rank_of(card)
        )
        if (same := next(alike, -1)) < 0:
            return False
    cards.remove(same)
    return True


def parse_rank(text: str) -> int | None:
    """Read a rank 0..12; None if the text is not one."""
    return _RANK_OF.get(text.upper())


def parse_hand(text: str, *, count: int, suitless: bool = False) -> Cards:
    """Read one hand; if `suitless`, any card may lack its suit: a rank plus `SUITLESS_OFFSET`."""
    if not suitless:
        return parse_card_text(text, count=count)
    cards = parse_some_suits(text, count=count)
    if max(Counter(map(rank_of, cards)).values()) > 4:
        raise CardError(f"more than four of a rank in {quote(text)}")
    hand = np.array(cards, dtype=np.uint8)
    return hand if hand.max() < SUITLESS_OFFSET else sort_by_rank(hand)


def format_ranks(ranks: Iterable[SupportsInt]) -> str:
    """Write ranks 0..12 as text, separated by blanks."""
    return " ".join(RANKS[int(rank)] for rank in ranks)


@overload
def format_cards(cards: NDArray[np.integer], *, symbols: bool = ...) -> Any: ...
@overload
def format_cards(cards: Iterable[SupportsIndex], *, symbols: bool = ...) -> str: ...
@overload
def format_cards(cards: Iterable[Iterable[SupportsIndex]], *, symbols: bool = ...) -> list[str]: ...
def format_cards(cards: Any, *, symbols: bool = False) -> str | list[str]:
    """Write cards as text, rank then suit, separated by blanks.

    Parameters
    ----------
    cards
        Card numbers 0..51: some cards, ``(n,)``, or many hands, ``(N, n)``. Some cards may lack
        suits, ranks 0..12 plus `SUITLESS_OFFSET`.
    symbols
        Write suits as ``♣♦♥♠`` and a ten as 10, as on cards, and not as typed.

    Returns
    -------
    One text; for many hands, a list of N texts.

    Raises
    ------
    CardError
        If a number is not a card, or the array has more than two dimensions.

    Examples
    --------
    >>> format_cards([18, 39, 0])
    '5H TS AC'
    >>> format_cards([18, 39, 0], symbols=True)
    '5♥ 10♠ A♣'
    >>> format_cards(random_hands(2, cards=4, seed=7))
    ['2S JH TH JD', '5D JS 8H 2D']
    >>> format_cards([52])
    Traceback (most recent call last):
    cribev.errors.CardError: invalid card number 52: expected 0 to 51
    """
    names = _SYMBOL_NAMES if symbols else _NAMES
    try:
        many = np.ndim(cards) > 1
        numbers = cards if many else [index(card) for card in cards]
    except (TypeError, ValueError, np.ma.MaskError) as error:
        raise CardError(f"expected card numbers 0 to 51, got {quote(repr(cards))}") from error
    if not many:
        bare = range(SUITLESS_OFFSET, SUITLESS_OFFSET + len(RANKS))
        as_card_numbers([0 if card in bare else card for card in numbers])
        named = (names[card] if card < DECK_SIZE else RANKS[rank_of(card)] for card in numbers)
        return " ".join("10" if symbols and name == "T" else name for name in named)
    hands = as_card_numbers(numbers)
    if hands.ndim > 2:
        raise CardError(f"expected hands of shape (N, n), got an array of shape {hands.shape}")
    return [" ".join([names[card] for card in hand]) for hand in hands.tolist()]


def as_cards(cards: CardsLike, *, count: int | None = None) -> Cards:
    """Read cards from text, texts or numbers 0..51, as uint8 ``(n,)``; or raise `CardError`."""
    if isinstance(cards, str):
        return parse_card_text(cards, count=count)
    if isinstance(cards, np.ndarray) and cards.dtype.kind in "UTO":
        cards = cards.ravel().tolist()
    if isinstance(cards, Sequence) and cards and all(isinstance(card, str) for card in cards):
        return parse_card_text(" ".join(map(str, cards)), count=count)
    numbers = as_card_numbers(cards)
    if numbers.ndim != 1:
        raise CardError(f"expected one row of card numbers, got an array of shape {numbers.shape}")
    listed = numbers.tolist()
    require_distinct(listed, format_cards(listed))
    require_count(len(listed), count, format_cards(listed))
    return numbers


def read_hand(
    cards: CardsLike | int, count: int | None, *, ten_cards: bool = False
) -> tuple[int, ...]:
    """Read `count` cards, or any number, from text or numbers; a card may lack its suit.

    With `ten_cards`, x in a text is a `TEN_CARD`.
    """
    listed: Any = [cards] if isinstance(cards, int | np.integer) else cards
    pairs: Any = [listed] if _is_pair(listed) else listed
    if isinstance(pairs, tuple | list) and pairs and all(map(_is_pair, pairs)):
        for rank, suit in pairs:
            if not 0 < rank <= len(RANKS):
                raise CardError(f"invalid card {quote(f'{rank}{suit}')}: expected {_A_CARD}")
        listed = " ".join(_in_letters(*pair) for pair in pairs)
    if (
        isinstance(listed, tuple | list)
        and listed
        and all(isinstance(cell, str) for cell in listed)
    ):
        listed = " ".join(map(str, listed))
    if isinstance(listed, str):
        read = parse_some_suits(listed, ten_cards=ten_cards)
        suited = [card for card in read if card < SUITLESS_OFFSET]
        require_distinct(suited, listed, ": which card is the other?")
        require_count(len(read), count, listed)
        return read
    if isinstance(listed, tuple | list) and any(
        isinstance(card, int) and card >= DECK_SIZE for card in listed
    ):
        known = {*range(DECK_SIZE), *range(SUITLESS_OFFSET, SUITLESS_OFFSET + len(RANKS))}
        numbers = [card for card in listed if isinstance(card, int) and card in known]
        if len(numbers) == len(listed) == (count or len(listed)):
            return tuple(numbers)
    return tuple(as_cards(listed, count=count).tolist())


def _is_pair(card: object) -> bool:
    """Return whether a card is a rank as a number and a suit as text."""
    return isinstance(card, tuple | list) and [type(value) for value in card] == [int, str]


def parse_ranks(hand: RanksLike) -> list[int]:
    """Read ranks from text, with suits or without, or take them as numbers 0..12."""
    if not isinstance(hand, str):
        if not isinstance(hand, Iterable):
            raise CardError(f"invalid cards {quote(repr(hand))}: expected text, or ranks 0 to 12")
        ranks = list(hand)
        if ranks and all(isinstance(rank, str) for rank in ranks):
            return parse_ranks(" ".join(map(str, ranks)))
        for rank in ranks:
            number = isinstance(rank, Integral) and not isinstance(rank, bool)
            if not (number and 0 <= int(rank) < len(RANKS)):
                raise CardError(f"invalid rank {quote(repr(rank))}: expected 0 to 12")
        return [int(rank) for rank in ranks]
    cards = parse_some_suits(hand)
    require_distinct([card for card in cards if card < SUITLESS_OFFSET], hand)
    return [rank_of(card) for card in cards]


def keep_ranks(keep: RanksLike) -> list[int]:
    """Read the four cards of a keep as ranks, ascending; `CardError` if they are invalid."""
    ranks = sorted(parse_ranks(keep))
    require_count(len(ranks), 4, keep if isinstance(keep, str) else repr(keep))
    return ranks


def as_card_numbers(cards: ArrayLike) -> Cards:
    """Return an array of any shape as uint8; `CardError` unless all are integers 0..51."""
    numbers = as_integers(cards)
    if numbers.size and (numbers.max() >= DECK_SIZE or numbers.min() < 0):
        bad = numbers[(numbers < 0) | (numbers >= DECK_SIZE)].flat[0]
        raise CardError(f"invalid card number {bad}: expected 0 to 51")
    return numbers.astype(np.uint8, copy=False)


def as_integers(cards: ArrayLike) -> NDArray[np.integer]:
    """Return an array of any shape; `CardError` if it does not hold integers."""
    try:
        numbers = np.asarray(cards)
    except ValueError as error:
        raise CardError(f"expected an array of card numbers: {error}") from error
    if numbers.size and numbers.dtype.kind not in "ui":
        what = quote(repr(cards)) if numbers.dtype.kind == "O" else f"{numbers.dtype} values"
        raise CardError(f"card numbers are integers 0 to 51, not {what}")
    if is_masked(cards):
        raise CardError("some cards of the array are masked: expected all to be known")
    return numbers


def is_masked(values: object) -> bool:
    """Return whether some values of an array, or of a list of arrays, are masked."""
    if "numpy.ma" not in sys.modules:  # it loads slowly, and there is no such array yet
        return False
    arrays = values if isinstance(values, list | tuple) else [values]
    return any(isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array) for array in arrays)


def unseen(cards: Cards) -> Cards:
    """Return the cards of the deck that are not among these, ascending."""
    return np.delete(np.arange(DECK_SIZE, dtype=np.uint8), cards)


def random_hands(number: int, *, cards: int = 6, seed: int | None = None) -> Cards:
    """Draw hands, each from a full deck, all equally likely.

    Parameters
    ----------
    number
        How many hands.
    cards
        Cards in a hand.
    seed
        The same seed gives the same hands on every platform and numpy; None draws new ones.

    Returns
    -------
    uint8 array ``(number, cards)``, in the order drawn.

    Raises
    ------
    CardError
        If a hand of that many cards cannot be drawn.
    CribevError
        If the seed is not a whole number from 0 up.

    Examples
    --------
    >>> format_cards(random_hands(1, seed=7)[0])
    '2S JH TH JD AS 2H'
    """
    if not (is_whole(number) and is_whole(cards) and cards <= DECK_SIZE):
        raise CardError(f"cannot draw {number!r} hands of {cards!r} cards from a deck of 52")
    if seed is not None and not is_whole(seed):
        raise CribevError(f"invalid seed {quote(repr(seed))}: expected a whole number from 0 up")
    # Raw PCG64 output is fixed for ever; Generator methods may change between numpy releases.
    source = np.random.PCG64(seed)
    hands = np.empty((number, cards), dtype=np.uint8)
    for start in range(0, number, _BLOCK):
        block = hands[start : start + _BLOCK]
        block[:] = draw_hands(source, *block.shape)
    return hands


def draw_hands(source: np.random.PCG64, number: int, cards: int = 6) -> Cards:
    """Draw the next hands from a source, each from a full deck, as `random_hands` does."""
    raw = source.random_raw((number, cards))
    deck = np.tile(np.arange(DECK_SIZE, dtype=np.uint8), (number, 1))
    row = np.arange(number)
    for drawn in range(cards):  # the first steps of a Fisher-Yates shuffle, all hands at once
        pick = drawn + (raw[:, drawn] % np.uint64(DECK_SIZE - drawn)).astype(np.intp)
        deck[row, drawn], deck[row, pick] = deck[row, pick], deck[row, drawn]
    return deck[:, :cards]


def is_whole(value: object) -> TypeGuard[int | np.integer[Any]]:
    """Return whether a value is a whole number from 0 on, of Python or numpy."""
    return isinstance(value, int | np.integer) and type(value) is not bool and bool(value >= 0)


def require_distinct(cards: list[int], text: str, question: str = "") -> None:
    """Refuse a card that comes twice, and ask what was meant."""
    if len({*cards}) < len(cards):
        twice = next(card for card, number in Counter(cards).items() if number > 1)
        raise CardError(f"{_NAMES[twice]} comes twice in {quote(text)}{question}")


def require_count(number: int, count: int | None, text: str, question: str = "") -> None:
    """Refuse a wrong number of cards, if one is expected, and ask what was meant."""
    if count is not None and number != count:
        many = f"{count} card{'s' * (count != 1)}"
        raise CardError(f"expected {many}, got {number or 'none'} in {quote(text)}{question}")
