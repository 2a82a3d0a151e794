"""Columns that are read and written: one name means the same everywhere.

Between reading and writing, a column is a sequence of Python values, an Arrow array (Parquet), or a
column of pandas. Deals, roles and scores are read a whole column at a time; only bad values are
read row by row.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CardError, CribevError, quote
from cribev.game import roles, score_texts
from cribev.game.cards import (
    DECK_SIZE,
    SUITLESS_OFFSET,
    Cards,
    as_cards,
    cards_meant,
    format_card,
    format_cards,
    parse_hand,
)
from cribev.game.roles import ROLES
from cribev.game.score import MAX_SCORE_BEFORE, UNKNOWN, Score
from cribev.rows.lines import parse_lines
from cribev.system.cache import import_optional


def arrow_with(module: str) -> tuple[Any, Any]:
    """Import pyarrow, and a part of it."""
    return import_optional("pyarrow", "parquet"), import_optional(f"pyarrow.{module}", "parquet")


def is_arrow(column: object) -> bool:
    """Return whether a column is an Arrow array."""
    return type(column).__module__.split(".")[0] == "pyarrow"


def as_values(column: Any) -> Sequence[Any]:
    """Return a column as Python values; bytes of text that are not UTF-8 are escaped.

    `CribevError` for Arrow values that Python lacks.
    """
    values: Sequence[Any]
    if not is_arrow(column):
        if getattr(getattr(column, "dtype", None), "kind", "") == "S":
            column = column.astype(str)
        values = column.tolist() if hasattr(column, "tolist") else column
        return values
    kinds = import_optional("pyarrow", "parquet").types
    if kinds.is_dictionary(column.type):  # whose long texts are not copied
        own = [*as_values(column.dictionary), None]
        return [own[place] for place in column.indices.fill_null(len(own) - 1).to_pylist()]
    try:
        values = column.to_pylist()
    except (OverflowError, ValueError) as error:  # a date after the year 9999, say
        if not (kinds.is_string(column.type) or kinds.is_large_string(column.type)):
            raise CribevError(f"cannot take {column.type} as text: {error}") from error
        binary = "binary" if kinds.is_string(column.type) else "large_binary"
        values = [
            value if value is None else value.decode("utf-8", "backslashreplace")
            for value in column.view(binary).to_pylist()
        ]
    return values


def take_rows(column: Any, rows: NDArray[np.intp]) -> Any:
    """Pick rows of a column."""
    if not is_arrow(column):
        return type(column)(map(column.__getitem__, rows.tolist()))
    arrow = import_optional("pyarrow", "parquet")
    try:
        return column.take(arrow.array(rows))
    except arrow.ArrowNotImplementedError:  # of views of text and what holds them
        values = as_values(column)
        return arrow.array([values[row] for row in rows.tolist()], type=column.type)


def is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, or the NA of pandas."""
    return value is None or type(value).__name__ == "NAType" or value != value


def as_text(value: object) -> str:
    """Write any value as text: empty if it is missing, the cards of a list side by side."""
    if isinstance(value, str):
        # Half a surrogate pair, from JSON, fits in no column of text.
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list | tuple | np.ndarray):
        return " ".join(map(as_text, value))
    if is_missing(value):
        return ""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))  # a column of whole numbers with gaps comes as floats
    return str(value)


_LONGEST = 1 << 12  # letters of a text that may be cards; many longer ones would fill memory

RowErrors: TypeAlias = dict[int, CribevError]  # what is wrong with each bad row, counted from 0


def parse_deals(columns: Sequence[Any], size: int = 6) -> tuple[Cards, RowErrors]:
    """Read deals from one column or six: uint8 ``(N, 6)``, zeros if bad; and errors by row."""
    count = size // len(columns)
    parsed = []
    errors: RowErrors = {}
    for column in columns:
        hands, bad = parse_hands(column, count, numbers=True)
        parsed.append(hands)
        errors = {**bad, **errors}
    deals: Cards = np.concatenate(parsed, axis=1)
    if len(columns) > 1:
        held = np.bitwise_or.reduce(np.uint64(1) << deals % SUITLESS_OFFSET, axis=1)
        doubtful = (np.bitwise_count(held) < size) | (deals >= SUITLESS_OFFSET).any(axis=1)
        for row in (row for row in np.flatnonzero(doubtful).tolist() if row not in errors):
            text = " ".join(map(format_card, deals[row].tolist()))
            try:
                deals[row] = parse_hand(text, count=size, suitless=True)
            except CardError as error:
                errors[row] = error
                deals[row] = 0
    return deals, errors


def parse_hands(column: Any, count: int, *, numbers: bool = False) -> tuple[Cards, RowErrors]:
    """Read a column of hands: uint8 ``(N, count)``, zeros where bad; and errors by row."""
    if (lines := _arrow_lines(column)) is not None:
        hands, wrong = parse_lines(lines, count=count, suitless=True)
        return hands, {**wrong}
    texts, no_text = texts_of_cards(as_values(column), count, numbers=numbers)
    text = "\n".join(texts)
    if text.count("\n") >= max(len(texts), 1):  # a line break is as good as a blank
        text = "\n".join([text.replace("\n", " ") for text in texts])
    text += "\n" * bool(len(texts))
    hands, bad = parse_lines(text.encode("utf-8", "replace"), count=count, suitless=True)
    return hands, {**bad, **no_text}


def _arrow_lines(column: Any) -> bytes | None:
    """Join the texts of Arrow, also in a column of pandas, into lines; None for other columns."""
    if not is_arrow(column):
        if getattr(getattr(column, "dtype", None), "storage", "") != "pyarrow":
            return None
        column = import_optional("pyarrow", "parquet").array(column)
    arrow, compute = arrow_with("compute")
    texts = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    kinds = arrow.types
    if not (kinds.is_string(texts.type) or kinds.is_large_string(texts.type)) or texts.null_count:
        return None
    if not 0 < texts.nbytes < 1 << 31:
        return None
    if not len(texts) or compute.max(compute.binary_length(texts)).as_py() > _LONGEST:
        return None
    ends = arrow.array([0, len(texts)], arrow.int32())
    whole = arrow.ListArray.from_arrays(ends, texts.cast(arrow.string()))
    lines = bytes(compute.binary_join(whole, "\n")[0].as_buffer()) + b"\n"
    return lines if lines.count(b"\n") == len(texts) else None


def arrow_texts(texts: NDArray[np.bytes_]) -> Any:
    """Return ASCII texts ``(N,)`` as an Arrow array."""
    arrow = import_optional("pyarrow", "parquet")
    width = texts.dtype.itemsize
    letters = np.ascontiguousarray(texts).view(np.uint8)
    if not letters[width - 1 :: width].all():  # some are shorter, as those without suits
        return arrow.array(texts.astype(str))
    ends = np.arange(0, (len(texts) + 1) * width, width, dtype=np.int32)
    buffers = arrow.py_buffer(ends), arrow.py_buffer(letters)
    return arrow.StringArray.from_buffers(len(texts), *buffers)


_DEALS = dict.fromkeys(("1", "yes", "true", "player", "me", "mine"), "dealer")
_DEALS |= dict.fromkeys(("0", "no", "false", "opponent", "them", "theirs"), "pone")


def parse_roles(values: Any) -> tuple[NDArray[np.bool_], RowErrors]:
    """Read a column of roles: whether each is the dealer, and what is wrong with the bad rows."""
    if hasattr(values, "eq"):  # of pandas
        dealer, pone = (values.eq(role).to_numpy(bool, na_value=False) for role in ROLES)
        if (dealer | pone).all():
            return dealer, {}
    values = as_values(values)
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
                said = as_text(value).strip().lower()
                named = value if said or isinstance(value, str) else None
                words[row] = _DEALS.get(said) or roles.as_role(named)
            except CribevError as error:
                errors[row] = error
    return np.fromiter(map("dealer".__eq__, words), dtype=bool, count=len(words)), errors


def parse_stars(scores: Any) -> tuple[NDArray[np.bool_], RowErrors]:
    """Tell by the stars of a column of scores whether each row is the dealer's; errors by row."""
    texts = list(map(as_text, as_values(scores)))
    roles = [Score.role_by_star(text) for text in texts]
    return np.array([role == "dealer" for role in roles], dtype=bool), {
        row: CribevError(
            f"column {SCORE!r}, {quote(texts[row])}: expected a star at the dealer's, as "
            "119*-113, or a column 'role'"
        )
        for row, role in enumerate(roles)
        if role is None
    }


def parse_answers(name: str, column: Any, deals: Cards) -> tuple[Cards, RowErrors]:
    """Read two cards of each deal ``(N, 6)``: ``(N, 2)``, zeros where empty or bad; and errors."""
    pairs, errors = np.zeros((len(deals), 2), np.uint8), RowErrors()
    for row, (text, deal) in enumerate(zip(map(as_text, as_values(column)), deals, strict=True)):
        if text.strip():
            try:
                pair = cards_meant(text, deal.tolist())
            except CardError as error:
                errors[row] = CribevError(f"column {name!r}: {error}")
                continue
            if Counter(pair) <= Counter(deal.tolist()):
                pairs[row] = pair
            else:
                of_deal = f"expected two of {' '.join(map(format_card, deal.tolist()))}"
                errors[row] = CribevError(f"column {name!r}, {quote(text)}: {of_deal}")
    return pairs, errors


def texts_of_cards(
    values: Sequence[Any], count: int, *, numbers: bool = False
) -> tuple[Sequence[str], RowErrors]:
    """Write cards, in text or lists, as text, and say what is wrong with bad rows, then empty.

    With `numbers`, a single card may be one from 0 to 51.
    """
    errors: RowErrors = {}
    if not {*map(type, values)} <= {str}:
        texts = [""] * len(values)
        for row, value in enumerate(values):
            try:
                texts[row] = _card_text(value, count, numbers)
            except CardError as error:
                errors[row] = error
        values = texts
    if max(map(len, values), default=0) > _LONGEST:
        long = {row: len(value) for row, value in enumerate(values) if len(value) > _LONGEST}
        errors |= {
            row: CardError(f"expected cards, got a text of {size:,} characters")
            for row, size in long.items()
        }
        values = ["" if row in long else value for row, value in enumerate(values)]
    return values, errors


def _card_text(value: Any, count: int, numbers: bool) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes) or not hasattr(value, "__len__"):
        if numbers and count == 1 and type(value) is int and 0 <= value < DECK_SIZE:
            return format_card(value)
        if is_missing(value):
            raise CardError("cards are missing")
        raise CardError(f"expected cards as text, got {quote(repr(value))}")
    try:
        text: str = format_cards(as_cards(value, count=count))
    except CardError as error:
        if any(map(is_missing, np.array(value, dtype=object).ravel().tolist())):
            raise CardError(f"a card is missing in {quote(repr(value))}") from error
        raise
    return text


SCORE = "score"
OPPONENT_SCORE = "opponent_score"


def holds_score(values: Iterable[Any]) -> bool:
    """Return whether any value of a column is a score of both players, or a date made of one."""
    return any(score_texts.is_meant(as_text(value)) for value in values)


def no_score_note(values: Iterable[Any]) -> str | None:
    """Say, from its first value, that a column `SCORE` holds no score; None if it is empty."""
    if first := next(filter(None, (as_text(value).strip() for value in values)), ""):
        none = "no row has a score such as 95-110, so rows are decided by points"
        return f"column {SCORE!r}, {quote(first)}: {none}"
    return None


def parse_score_columns(
    own: Any, opponent: Any, dealer: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], RowErrors]:
    """Read both players' points ``(N, 2)`` from one column or two; and errors by row."""
    texts = list(map(as_text, as_values(own)))
    if opponent is None:
        scores, wrong = score_texts.parse_scores(texts, dealer)
        return scores, _named(SCORE, texts, wrong)
    errors: RowErrors = {}
    columns = {SCORE: texts, OPPONENT_SCORE: list(map(as_text, as_values(opponent)))}
    points = []
    for name, column in columns.items():
        scores_read, wrong = score_texts.parse_points(
            column, "points before the deal", most=MAX_SCORE_BEFORE
        )
        points.append(scores_read)
        errors = _named(name, column, wrong) | errors
    scores = np.stack(points, axis=1)
    known = scores != UNKNOWN
    for row in np.flatnonzero(known[:, 0] != known[:, 1]).tolist():
        there, empty = list(columns) if known[row, 0] else list(columns)[::-1]
        why = f"nothing in {empty!r} beside it: expected both or neither"
        errors = _named(there, columns[there], {row: why}) | errors
        scores[row] = UNKNOWN
    return scores, errors


def _named(column: str, texts: Sequence[str], wrong: dict[int, str]) -> RowErrors:
    return {
        row: CribevError(f"column {column!r}, {quote(texts[row])}: {why}")
        for row, why in wrong.items()
    }


def from_arrow(table: Any) -> Any:
    """Return a table with the Arrow interface as a DataFrame, and a column as a list.

    All else is returned as it is. CribevError if the table cannot be taken.
    """
    import pandas as pd

    if isinstance(table, pd.DataFrame | pd.Series) or not hasattr(table, "__arrow_c_stream__"):
        return table
    arrow = import_optional("pyarrow", "parquet")
    try:
        whole = arrow.table(table)
        nested = np.array([arrow.types.is_nested(kind) for kind in whole.schema.types])
        frame = whole.select(np.flatnonzero(~nested).tolist()).to_pandas()
        for place in np.flatnonzero(nested).tolist():  # polars has lists that pandas does not take
            frame.insert(place, whole.column_names[place], whole[place].to_pylist())
    except (arrow.ArrowException, TypeError) as error:
        with suppress(arrow.ArrowException, TypeError):  # a column, such as a polars Series
            return arrow.chunked_array(table).to_pylist()
        raise CribevError(f"cannot take a table from Arrow: {error}") from error
    return frame
