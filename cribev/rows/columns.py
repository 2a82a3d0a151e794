"""Columns that are read and written: one name means the same everywhere.

Between reading and writing, a column is a sequence of Python values, or an Arrow array (Parquet).
Deals, roles and scores are read a whole column at a time; only bad values are read row by row.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CardError, CribevError, quote
from cribev.game import roles, score_texts
from cribev.game.cards import SUITLESS_OFFSET, Cards, format_card, parse_hand
from cribev.game.roles import ROLES
from cribev.game.score import MAX_SCORE_BEFORE, UNKNOWN, Score
from cribev.rows.lines import parse_lines
from cribev.system.cache import import_optional


def arrow_with(part: str) -> tuple[Any, Any]:
    """Import pyarrow, and a part of it."""
    return import_optional("pyarrow", "parquet"), import_optional(f"pyarrow.{part}", "parquet")


def is_arrow(column: object) -> bool:
    """Return whether a column is an Arrow array."""
    return type(column).__module__.split(".")[0] == "pyarrow"


def as_values(column: Any) -> Sequence[Any]:
    """Return a column as Python values; `CribevError` for Arrow values that Python lacks."""
    try:
        values: Sequence[Any] = column.to_pylist() if is_arrow(column) else column
    except (OverflowError, ValueError) as error:  # a date after the year 9999, say
        raise CribevError(f"cannot take {column.type} as text: {error}") from error
    return values


def as_printable_values(column: Any) -> Sequence[Any]:
    """Return a column as Python values; bytes of text that are not UTF-8 are escaped."""
    try:
        return as_values(column)
    except CribevError:
        kinds = import_optional("pyarrow", "parquet").types
        if kinds.is_dictionary(column.type):
            column = column.dictionary_decode()
        if not (kinds.is_string(column.type) or kinds.is_large_string(column.type)):
            raise
        binary = "binary" if kinds.is_string(column.type) else "large_binary"
        return [
            value if value is None else value.decode("utf-8", "backslashreplace")
            for value in column.view(binary).to_pylist()
        ]


def take_rows(column: Any, rows: NDArray[np.intp]) -> Any:
    """Pick rows of a column."""
    if not is_arrow(column):
        return type(column)(column[row] for row in rows.tolist())
    arrow = import_optional("pyarrow", "parquet")
    try:
        return column.take(arrow.array(rows))
    except arrow.ArrowNotImplementedError:  # of views of text and what holds them
        values = as_values(column)
        return arrow.array([values[row] for row in rows.tolist()], type=column.type)


def byte_size(column: Any) -> int:
    """Count the bytes that picked rows of an Arrow column take; 0 for other columns."""
    if not is_arrow(column):
        return 0
    dictionary = getattr(column, "indices", None)
    return int((column if dictionary is None else dictionary).nbytes)


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


RowErrors: TypeAlias = dict[int, CribevError]  # what is wrong with each bad row, counted from 0


def parse_deals(columns: Sequence[Any], size: int = 6) -> tuple[Cards, RowErrors]:
    """Read deals from one column or six: uint8 ``(N, 6)``, zeros if bad; and errors by row."""
    count = size // len(columns)
    parsed = []
    errors: RowErrors = {}
    for column in columns:
        numbers, bad = parse_hands(column, count)
        parsed.append(numbers)
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


def parse_hands(column: Any, count: int) -> tuple[Cards, RowErrors]:
    """Read a column of hands: uint8 ``(N, count)``, zeros where bad; and errors by row."""
    text, no_text = _arrow_lines(column) if is_arrow(column) else _joined(column)
    numbers, bad = parse_lines(text, count=count, suitless=True)
    return numbers, {**bad, **no_text}


_DEALS = {"1": "dealer", "yes": "dealer", "true": "dealer"}
_DEALS |= {"0": "pone", "no": "pone", "false": "pone"}


def parse_roles(values: Any) -> tuple[NDArray[np.bool_], RowErrors]:
    """Read a column of roles: whether each is the dealer, and what is wrong with the bad rows."""
    if is_arrow(values):
        arrow, compute = arrow_with("compute")
        with suppress(arrow.ArrowException):  # not a column of texts
            dealer, pone = (
                compute.fill_null(compute.equal(values, role), False).to_numpy(zero_copy_only=False)
                for role in ROLES
            )
            if (dealer | pone).all():
                return dealer, {}
        values = as_printable_values(values)
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
    texts = list(map(as_text, as_printable_values(scores)))
    found = [Score.role_by_star(text) for text in texts]
    return np.array([role == "dealer" for role in found], dtype=bool), {
        row: CribevError(
            f"column {SCORE!r}, {quote(texts[row])}: expected a star at the dealer's, as "
            "119*-113, or a column 'role'"
        )
        for row, role in enumerate(found)
        if role is None
    }


def not_text_errors(values: Iterable[tuple[int, Any]]) -> RowErrors:
    """Say what is wrong with each row whose cards are not text."""
    return {
        row: CardError(
            "cards are missing"
            if is_missing(value)
            else f"expected cards as text, got {quote(repr(value))}"
        )
        for row, value in values
        if not isinstance(value, str)
    }


def _joined(values: Sequence[Any]) -> tuple[bytes, RowErrors]:
    errors: RowErrors = {}
    try:
        text = "\n".join(values)
    except TypeError:
        values = [as_text(one) if isinstance(one, list) else one for one in values]
        errors = not_text_errors(enumerate(values))
        values = ["" if row in errors else value for row, value in enumerate(values)]
        text = "\n".join(values)
    if text.count("\n") >= max(len(values), 1):  # a line break is as good as a blank
        text = "\n".join([value.replace("\n", " ") for value in values])
    return (text + ("\n" if len(values) else "")).encode("utf-8", "replace"), errors


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
    texts = list(map(as_text, as_printable_values(own)))
    if opponent is None:
        scores, wrong = score_texts.parse_scores(texts, dealer)
        return scores, _named(SCORE, texts, wrong)
    errors: RowErrors = {}
    columns = {SCORE: texts, OPPONENT_SCORE: list(map(as_text, as_printable_values(opponent)))}
    points = []
    for name, column in columns.items():
        found, wrong = score_texts.parse_points(
            column, "points before the deal", most=MAX_SCORE_BEFORE
        )
        points.append(found)
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


_LONGEST = 1 << 12  # bytes of a text that may be cards; many longer ones would fill no column


def _arrow_lines(column: Any) -> tuple[bytes, RowErrors]:
    """Join an Arrow column of texts into lines, and say which rows are not text."""
    arrow, compute = arrow_with("compute")
    kinds = arrow.types
    errors: RowErrors = {}
    if kinds.is_dictionary(column.type) and _is_text(kinds, column.type.value_type):
        texts, sizes = _shortened(compute, column.dictionary)
        at = column.indices
        column = arrow.DictionaryArray.from_arrays(at, texts).dictionary_decode()
        sizes = sizes.take(at)
    elif _is_text(kinds, column.type):
        column, sizes = _shortened(compute, column)
    else:
        return _joined(as_values(column))
    if column.null_count:
        missing = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
        errors = not_text_errors((row, None) for row in missing.tolist())
        column = column.fill_null("")
    lengths = sizes.fill_null(0).to_numpy(zero_copy_only=False)
    for row in np.flatnonzero(lengths > _LONGEST).tolist():
        errors[row] = CardError(f"expected cards, got a text of {lengths[row]:,} bytes")

    def joined(texts: Any) -> bytes:
        whole = arrow.ListArray.from_arrays(arrow.array([0, len(texts)], arrow.int32()), texts)
        return bytes(compute.binary_join(whole, "\n")[0].as_buffer())

    text = column.cast(arrow.string())
    lines = joined(text)
    if lines.count(b"\n") >= max(len(text), 1):
        lines = joined(compute.replace_substring(text, "\n", " "))
    return lines + b"\n" * bool(len(text)), errors


def _is_text(kinds: Any, kind: Any) -> bool:
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind))


def _shortened(compute: Any, texts: Any) -> tuple[Any, Any]:
    """Empty the texts that are too long, and give the length of each."""
    sizes = compute.binary_length(texts)
    return compute.if_else(compute.greater(sizes, _LONGEST), "", texts), sizes
