"""Columns of deals and roles as text; only what is wrong in them is read row by row."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CardError, CribevError, quote
from cribev.game.cards import SUITLESS_OFFSET, Cards, format_cards, format_ranks, parse_suitless
from cribev.game.roles import ROLES, as_role
from cribev.rows.lines import parse_lines

RowErrors: TypeAlias = dict[int, CribevError]
"""What is wrong with each bad row, counted from 0."""


def parse_deals(columns: Sequence[Sequence[Any]]) -> tuple[Cards, RowErrors]:
    """Read deals from a column of six cards, or from six columns of one card.

    Returns uint8 ``(N, 6)``, zeros where a row is bad, ranks plus `SUITLESS_OFFSET` where there are
    no suits; and what is wrong with the bad rows.

    >>> deals, errors = parse_deals([["5H 5D JS QC 2H 8D", "5H", None]])
    >>> deals[0].tolist(), sorted(errors)
    ([18, 17, 43, 44, 6, 29], [1, 2])
    >>> errors[2]
    CardError("expected cards as text, got 'None'")
    """
    return parse_joined_deals([_joined(column) for column in columns])


def parse_joined_deals(columns: Sequence[tuple[bytes, RowErrors]]) -> tuple[Cards, RowErrors]:
    """Read deals from columns given as lines of text, each with its rows that are no text."""
    count = 6 // len(columns)
    parsed = []
    errors: RowErrors = {}
    for text, no_text in columns:
        numbers, bad = parse_lines(text, count=count, suitless=True)
        parsed.append(numbers)
        errors = {**bad, **no_text, **errors}
    deals: Cards = np.concatenate(parsed, axis=1)
    if len(columns) > 1:
        held = np.bitwise_or.reduce(np.uint64(1) << deals % SUITLESS_OFFSET, axis=1)
        doubtful = (np.bitwise_count(held) < 6) | (deals >= SUITLESS_OFFSET).any(axis=1)
        for row in np.flatnonzero(doubtful).tolist():
            if row in errors:
                continue
            try:
                deals[row] = _one_deal(deals[row])
            except CardError as error:
                errors[row] = error
                deals[row] = 0
    return deals, errors


def _one_deal(cards: Cards) -> Cards:
    """Check six cards that stood in six columns: all different, all with suits or all without."""
    suitless = cards >= SUITLESS_OFFSET
    if not suitless.any():
        raise CardError(f"a card comes twice in {format_cards(cards)}")
    if not suitless.all():
        with_suits, without = cards[~suitless], cards[suitless] - SUITLESS_OFFSET
        raise CardError(
            f"{format_cards(with_suits)} with suits and {format_ranks(without)} without: "
            "expected all or none"
        )
    ranks = parse_suitless(format_ranks(cards - SUITLESS_OFFSET))
    assert ranks is not None
    return ranks + np.uint8(SUITLESS_OFFSET)


def parse_roles(values: Sequence[Any]) -> tuple[NDArray[np.bool_], RowErrors]:
    """Read a column of roles: whether each is the dealer, and what is wrong with the bad rows.

    >>> dealer, errors = parse_roles(["dealer", "pone", "eldest"])
    >>> dealer.tolist(), errors
    ([True, False, False], {2: CribevError("'eldest' is not a role: expected 'dealer' or 'pone'")})
    """
    try:
        plain = set(values) <= set(ROLES)
    except TypeError:  # a list, say, which no set takes
        plain = False
    words = values
    errors: RowErrors = {}
    if not plain:
        words = [""] * len(values)
        for row, value in enumerate(values):
            try:
                words[row] = as_role(value)
            except CribevError as error:
                errors[row] = error
    return np.fromiter(map("dealer".__eq__, words), dtype=bool, count=len(words)), errors


def not_text_errors(values: Iterable[tuple[int, Any]]) -> RowErrors:
    """Say what is wrong with each row whose cards are no text."""
    return {
        row: CardError(f"expected cards as text, got {quote(repr(value))}")
        for row, value in values
        if not isinstance(value, str)
    }


def _joined(values: Sequence[Any]) -> tuple[bytes, RowErrors]:
    """Write a column of texts as lines."""
    errors: RowErrors = {}
    try:
        text = "\n".join(values)
    except TypeError:
        errors = not_text_errors(enumerate(values))
        values = ["" if row in errors else value for row, value in enumerate(values)]
        text = "\n".join(values)
    if text.count("\n") >= max(len(values), 1):  # a line break is as good as a blank
        text = "\n".join([value.replace("\n", " ") for value in values])
    return (text + "\n" * bool(len(values))).encode("utf-8", "replace"), errors
