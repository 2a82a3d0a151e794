"""Arrow columns of deals and roles, read without a Python value for each."""

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribev.files.deal_columns import RowErrors, no_texts, parse_roles
from cribev.files.extras import extra
from cribev.game.roles import ROLES


def arrow_lines(column: Any) -> tuple[bytes, RowErrors]:
    r"""Join an Arrow column of texts into lines, and say which rows are no text.

    Examples
    --------
    >>> import pyarrow
    >>> arrow_lines(pyarrow.array(["5H 6H", "7H"]))
    (b'5H 6H\n7H\n', {})
    """
    arrow, compute = extra("pyarrow", "parquet"), extra("pyarrow.compute", "parquet")
    kinds = arrow.types
    if kinds.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not (kinds.is_string(column.type) or kinds.is_large_string(column.type)):
        values = column.to_pylist()
        return b"\n" * len(values), no_texts(enumerate(values)) if values else {}
    errors: RowErrors = {}
    if column.null_count:
        missing = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
        errors = no_texts((row, None) for row in missing.tolist())
        column = column.fill_null("")
    text = column.cast(arrow.string())
    whole = arrow.ListArray.from_arrays(arrow.array([0, len(text)], arrow.int32()), text)
    joined: bytes = compute.binary_join(whole, "\n")[0].as_buffer().to_pybytes()
    if joined.count(b"\n") >= max(len(text), 1):
        text = compute.replace_substring(text, "\n", " ")
        whole = arrow.ListArray.from_arrays(arrow.array([0, len(text)], arrow.int32()), text)
        joined = compute.binary_join(whole, "\n")[0].as_buffer().to_pybytes()
    return joined + b"\n" * bool(len(text)), errors


def arrow_roles(column: Any) -> tuple[NDArray[np.bool_], RowErrors]:
    """Read an Arrow column of roles, as `deal_columns.parse_roles` reads others.

    Examples
    --------
    >>> import pyarrow
    >>> arrow_roles(pyarrow.array(["dealer", "pone"]))[0].tolist()
    [True, False]
    """
    arrow, compute = extra("pyarrow", "parquet"), extra("pyarrow.compute", "parquet")
    with suppress(arrow.ArrowException):  # not a column of texts
        dealer, pone = (
            compute.fill_null(compute.equal(column, role), False).to_numpy(zero_copy_only=False)
            for role in ROLES
        )
        if (dealer | pone).all():
            return dealer, {}
    return parse_roles(column.to_pylist())
