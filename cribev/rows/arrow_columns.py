"""Arrow columns of deals and roles, read without a Python value for each row."""

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CardError
from cribev.game.roles import ROLES
from cribev.rows.columns import as_printable_values, as_values
from cribev.rows.deal_columns import RowErrors, not_text_errors, parse_roles
from cribev.system.optional import import_optional

_LONGEST = 1 << 12  # bytes of a text that may be cards; many longer ones would fill no column


def arrow_lines(column: Any) -> tuple[bytes, RowErrors]:
    """Join an Arrow column of texts into lines, and say which rows are no text."""
    arrow, compute = _arrow()
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
        values = as_values(column)
        return b"\n" * len(values), not_text_errors(enumerate(values)) if values else {}
    if column.null_count:
        missing = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
        errors = not_text_errors((row, None) for row in missing.tolist())
        column = column.fill_null("")
    lengths = sizes.fill_null(0).to_numpy(zero_copy_only=False)
    for row in np.flatnonzero(lengths > _LONGEST).tolist():
        errors[row] = CardError(f"expected cards, got a text of {lengths[row]:,} bytes")
    text = column.cast(arrow.string())
    whole = arrow.ListArray.from_arrays(arrow.array([0, len(text)], arrow.int32()), text)
    joined: bytes = compute.binary_join(whole, "\n")[0].as_buffer().to_pybytes()
    if joined.count(b"\n") >= max(len(text), 1):
        text = compute.replace_substring(text, "\n", " ")
        whole = arrow.ListArray.from_arrays(arrow.array([0, len(text)], arrow.int32()), text)
        joined = compute.binary_join(whole, "\n")[0].as_buffer().to_pybytes()
    return joined + b"\n" * bool(len(text)), errors


def arrow_roles(column: Any) -> tuple[NDArray[np.bool_], RowErrors]:
    """Read an Arrow column of roles, as `deal_columns.parse_roles` reads others."""
    arrow, compute = _arrow()
    with suppress(arrow.ArrowException):  # not a column of texts
        dealer, pone = (
            compute.fill_null(compute.equal(column, role), False).to_numpy(zero_copy_only=False)
            for role in ROLES
        )
        if (dealer | pone).all():
            return dealer, {}
    return parse_roles(as_printable_values(column))


def _arrow() -> tuple[Any, Any]:
    return import_optional("pyarrow", "parquet"), import_optional("pyarrow.compute", "parquet")


def _is_text(kinds: Any, kind: Any) -> bool:
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind))


def _shortened(compute: Any, texts: Any) -> tuple[Any, Any]:
    """Empty the texts that are too long, and give the length of each."""
    sizes = compute.binary_length(texts)
    return compute.if_else(compute.greater(sizes, _LONGEST), "", texts), sizes
