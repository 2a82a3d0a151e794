"""The scorer: points of any number of hands or cribs at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CardError, quote
from cribev.game.cards import (
    CARD_TEXT,
    SUITLESS_OFFSET,
    CardArray,
    Cards,
    CardsLike,
    as_card_numbers,
    as_cards,
    as_integers,
    check_deck,
    format_card,
    format_cards,
    rank_of,
    ranks_of,
    read_hand,
)
from cribev.game.index_tables import Points, rank_kind_table, rank_point_table, rank_points
from cribev.game.words import pluralize

FiveCards: TypeAlias = tuple[Cards, Cards, Cards, Cards, Cards]

_BLOCK = 1 << 16  # hands at a time: the widest temporary, 8 bytes a hand, stays in a 512 KiB cache

_MOST_COUNTED = 12  # cards: more have thousands of combinations

_CALLED_STARTER = re.compile(
    rf"\b(?:cut|starter|turn[ -]?up)\b\s*+:?\s*+({CARD_TEXT})", re.IGNORECASE
)
_PLAIN_WORD = re.compile(r"\bhand\b\s*+:?", re.IGNORECASE)

(_JACK_OF_CLUBS,) = as_cards("JC")
_4, _5, _13 = np.uint8(4), np.uint8(5), np.uint8(13)  # numpy scalars keep bytes bytes


def score_hands(keeps: CardArray, starters: CardArray | int, *, crib: bool = False) -> Points:
    """Score many hands of four cards with their starters.

    Parameters
    ----------
    keeps
        Card numbers, ``(..., 4)``.
    starters
        Card numbers, ``(...)``, broadcast against the hands.
    crib
        Count as cribs: a flush needs the starter too.

    Returns
    -------
    Points, uint8, in the broadcast shape. The cards of a hand are assumed to be distinct.

    Raises
    ------
    CardError
        If the last axis of `keeps` is not four, a number is not 0..51, or the shapes do not
        broadcast.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> keeps = parse_cards("5C 5S JH JC 5H 6H 7H 8H").reshape(2, 4)
    >>> score_hands(keeps, parse_cards("JS 9S"))
    array([20, 13], dtype=uint8)
    >>> score_hands(keeps, parse_cards("JS 9S"), crib=True)
    array([20,  9], dtype=uint8)
    """
    keeps, starters = as_integers(keeps), as_integers(starters)
    if keeps.ndim == 0 or keeps.shape[-1] != 4:
        raise CardError(f"keeps have shape (..., 4), not {keeps.shape}")
    try:
        np.broadcast_shapes(keeps.shape[:-1], starters.shape)
    except ValueError:
        shapes = f"keeps {keeps.shape} and starters {starters.shape}"
        raise CardError(f"{shapes} do not go together: expected a starter for each keep") from None
    return score_card_arrays((*np.moveaxis(keeps, -1, 0), starters), crib=crib, check=True)


def points_by_kind(columns: FiveCards, *, crib: bool) -> NDArray[np.int64]:
    """Split the points of hands into fifteens, pairs, runs, flush and nobs, ``(..., 5)``."""
    *four, starter = np.broadcast_arrays(*columns)
    place = np.zeros(starter.shape, dtype=np.intp)
    for column in (*four, starter):
        place = place * 13 + (column >> 2)
    points = np.zeros((*starter.shape, 5), dtype=np.int64)
    points[..., :3] = rank_kind_table()[place]
    nobs = (starter & 3) + _JACK_OF_CLUBS
    points[..., 4] = sum((column == nobs).astype(np.int64) for column in four)
    points[..., 3] = score_card_arrays(columns, crib=crib) - points.sum(axis=-1)
    return points


def score_card_arrays(columns: FiveCards, *, crib: bool, check: bool = False) -> Points:
    """Score hands given as uint8 arrays for each card, starter last, which broadcast.

    With `check`, they may hold any integers, and `CardError` says which is not a card.
    """
    shape = np.broadcast_shapes(*(column.shape for column in columns))
    size = int(np.prod(shape))
    if size <= _BLOCK:
        return _score_block(columns, crib=crib, check=check)
    points = np.empty(shape, dtype=np.uint8)
    axis = int(np.argmax(shape))
    step = max(1, _BLOCK * shape[axis] // size)
    padded = [
        column.reshape((1,) * (len(shape) - column.ndim) + column.shape) for column in columns
    ]
    for start in range(0, shape[axis], step):
        block = (slice(None),) * axis + (slice(start, start + step),)
        a, b, c, d, starters = (
            column if column.shape[axis] == 1 else column[block] for column in padded
        )
        points[block] = _score_block((a, b, c, d, starters), crib=crib, check=check)
    return points


def score(hand: CardsLike, starter: CardsLike | int | None = None, *, crib: bool = False) -> int:
    """Score one hand, with its starter or before the cut.

    Parameters
    ----------
    hand
        Four cards, as text or card numbers; or five, the starter last; or without a starter any
        other number. A card may lack its suit.
    starter
        One card, as text or a card number; None before the cut, or if it is the fifth.
    crib
        Count as a crib: a flush needs the starter too.

    Returns
    -------
    Points. If a suit is missing, or there are not four cards or five, they do not include flush
    and nobs.

    Raises
    ------
    CardError
        If a card comes twice, or there are not four with a starter.

    Examples
    --------
    >>> score("5C 6D 7D QH", "6H"), score("5C 6D 7D QH 6H"), score("5 4 5 6 5 5")
    (10, 10, 40)
    >>> score("5H 6H 7H 8H"), score("5H 6H 7H 8H", crib=True), score("10 4 4 4 3")
    (10, 6, 8)
    """
    held, cut = as_hand_and_starter(hand, starter)
    suited = max(*held, cut or 0) < SUITLESS_OFFSET
    if suited and cut is not None:
        return int(score_card_arrays((*held, cut), crib=crib))
    cards = held if cut is None else np.append(held, cut)
    flush = flush_points(held, None, crib=crib) if suited else 0
    return int(rank_points(ranks_of(cards))) + flush


def as_hand(hand: CardsLike) -> Cards:
    """Read four cards and the starter, uint8 ``(5,)``, or another number without a starter.

    The starter is the last card; or the one called so; or, if there is a bar, the single card on
    one side of it.
    """
    called = 0
    if isinstance(hand, str):
        hand, called = _CALLED_STARTER.subn(r"|\1|", hand)
        hand = _PLAIN_WORD.sub(" ", hand).strip(" |,;")
    if isinstance(hand, str) and hand.count("|") == 1:
        first, last = hand.split("|")
        hand = f"{last} {first}" if len(read_hand(first, None)) == 1 else hand
    cards = np.array(read_hand(hand, None), dtype=np.uint8)
    if not 0 < len(cards) <= _MOST_COUNTED or (called and len(cards) != 5):
        raise CardError(
            f"expected four cards and the starter, or up to {_MOST_COUNTED} cards, got "
            f"{len(cards) or 'none'} in {quote(hand if isinstance(hand, str) else repr(hand))}"
        )
    check_deck(ranks_of(cards).tolist())
    return cards


def score_to_dict(cards: Cards, *, crib: bool = False) -> dict[str, Any]:
    """Score cards read by `as_hand` as plain values, ready for JSON."""
    names = [format_card(card) for card in cards.tolist()]
    hand, starter = (names[:4], names[4]) if len(names) == 5 else (names, None)
    return {
        "hand": hand,
        "starter": starter,
        "crib": crib,
        "points": score(cards.tolist(), crib=crib),
        **(suit_points(cards, crib=crib)._asdict() if _lacks_suits(cards) else {}),
    }


def score_text(cards: Cards, *, crib: bool = False) -> str:
    """Say the points of cards read by `as_hand`, and what is not counted in them.

    >>> score_text(as_hand("5C 6D 7D")), score_text(as_hand("5C 6D 7D QH"))
    ('3 for fifteens, pairs and runs of 3 cards', '5 before the cut')
    """
    if _lacks_suits(cards):
        return suit_points(cards, crib=crib).text
    points = score(cards.tolist(), crib=crib)
    if len(cards) not in (4, 5):
        return f"{points} for fifteens, pairs and runs of {pluralize(len(cards), 'card')}"
    return f"{points} before the cut" if len(cards) == 4 else str(points)


def _lacks_suits(cards: Cards) -> bool:
    """Return whether suits that are missing can add points: of four cards, or five."""
    return len(cards) in (4, 5) and bool(cards.max() >= SUITLESS_OFFSET)


class SuitPoints(NamedTuple):
    """The points of a hand in which some suits are not known."""

    points: int  # without flush and nobs
    suits_add: float  # what flush and nobs add on average, over all suits that can be
    suits_add_most: int

    @property
    def text(self) -> str:
        """The points, and what suits can add."""
        adds = f"which add {self.suits_add:.2f} on average, {self.suits_add_most} at most"
        return f"{self.points} without flush and nobs{f', {adds}' * (self.suits_add_most > 0)}"


def suit_points(cards: Cards, *, crib: bool = False) -> SuitPoints:
    """Count four cards, or five, of which some suits are not known, and what suits can add.

    >>> suit_points(as_hand("2 3 4 J 5C")).suits_add_most
    6
    """
    base = int(rank_points(ranks_of(cards)))
    added = suited_points(cards.tolist(), crib=crib) - base
    return SuitPoints(base, float(added.mean()), int(added.max()))


def suited_points(cards: Sequence[int], *, crib: bool = False) -> NDArray[np.int64]:
    """Count four cards, and the starter if it is cut, with all suits that they can have.

    >>> np.unique(suited_points([68, 68, 74, 75, 67]))  # 5 5 J Q with a 4
    array([10, 11])
    """
    ranks = [rank_of(card) for card in cards]
    may = [
        [card] if card < SUITLESS_OFFSET else range(4 * rank, 4 * rank + 4)
        for card, rank in zip(cards, ranks, strict=True)
    ]
    suited = [dealt for dealt in product(*may) if len({*dealt}) == len(dealt)]
    hands = np.array(suited, dtype=np.uint8)
    if len(cards) == 4:
        flushes = [flush_points(hand, None, crib=crib) for hand in hands]
        return int(rank_points(np.array(ranks))) + np.array(flushes)
    return score_hands(hands[:, :4], hands[:, 4], crib=crib).astype(np.int64)


def count_hands(cards: Cards, *, crib: bool = False) -> Points:
    """Score hands with their starters, ``(N, 5)``; without flush and nobs if a suit is missing.

    A card without a suit is its rank plus `SUITLESS_OFFSET`.
    """
    bare = np.asarray((cards >= SUITLESS_OFFSET).any(axis=1))
    suited = np.where(bare[:, None], np.uint8(0), cards)
    points = score_hands(suited[:, :4], suited[:, 4], crib=crib)
    points[bare] = rank_point_table()[ranks_of(cards[bare]) @ 13 ** np.arange(4, -1, -1)]
    return points


def flush_points(hand: Cards, starter: np.uint8 | None, *, crib: bool) -> int:
    """Count the flush of a hand, with its starter or before the cut: 0, 4 or 5 points."""
    suits = hand & 3
    if len(hand) != 4 or (suits != suits[0]).any():
        return 0
    if starter is not None and starter & 3 == suits[0]:
        return 5
    return 0 if crib else 4


def as_hand_and_starter(
    hand: CardsLike, starter: CardsLike | int | None = None
) -> tuple[Cards, np.uint8 | None]:
    """Read a hand, and the starter if any, which may be the fifth card, as `score` does."""
    if starter is None:
        cards = as_hand(hand)
        return (cards[:4], cards[4]) if len(cards) == 5 else (cards, None)
    held = np.array(read_hand(hand, 4), dtype=np.uint8)
    if isinstance(starter, bool | np.bool_):
        raise CardError(f"invalid card {quote(repr(starter))}: expected one, as 5H or its number")
    cut_card: CardsLike = [int(starter)] if isinstance(starter, int | np.integer) else starter
    cut = np.uint8(read_hand(cut_card, 1)[0])
    if cut in held and cut < SUITLESS_OFFSET:
        raise CardError(f"the starter {format_cards([cut])} is in the hand {format_cards(held)}")
    check_deck(ranks_of(np.append(held, cut)).tolist())
    return held, cut


def _score_block(columns: FiveCards, *, crib: bool, check: bool) -> Points:
    each = [np.asarray(column, order="C") for column in columns]
    if check:  # here they are in cache: over a slice of columns a check takes longer than the rest
        each = [as_card_numbers(column) for column in each]
    a, b, c, d, starters = each
    # The narrowest type that holds each part: 13**2 ranks fit in a byte, 13**3 in two.
    high = (a >> 2) * _13 + (b >> 2)
    low = np.multiply((c >> 2) * _13 + (d >> 2), 13, dtype=np.uint16) + (starters >> 2)
    points: Points = rank_point_table()[np.multiply(high, 13**3, dtype=np.intp) + low]

    flush = ((a ^ b) | (a ^ c) | (a ^ d)) & 3 == 0
    flush_of_five = flush & ((a ^ starters) & 3 == 0)
    if crib:
        points += flush_of_five * _5
    else:
        points += flush * _4
        points += flush_of_five

    nobs = (starters & 3) + _JACK_OF_CLUBS
    points += (a == nobs) | (b == nobs) | (c == nobs) | (d == nobs)
    return points
