"""Columns between reading and writing: sequences of Python values, or Arrow arrays from Parquet."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.errors import CribevError
from cribev.system.optional import import_optional


def is_arrow(column: object) -> bool:
    """Tell whether a column is an Arrow array."""
    return type(column).__module__.split(".")[0] == "pyarrow"


def as_values(column: Any) -> Sequence[Any]:
    """Take a column as Python values; `CribevError` if Arrow holds what Python has no value for."""
    try:
        values: Sequence[Any] = column.to_pylist() if is_arrow(column) else column
    except (OverflowError, ValueError) as error:  # a date after the year 9999, say
        raise CribevError(f"cannot take {column.type} as text: {error}") from error
    return values


def as_printable_values(column: Any) -> Sequence[Any]:
    r"""Take a column as Python values; bytes of a text that are not UTF-8 are spelled out.

    >>> import pyarrow
    >>> print(*as_printable_values(pyarrow.array([b"p\xffne"]).view("string")))
    p\xffne
    """
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
    """Pick rows of a column.

    >>> take_rows(["a", "b"], np.array([1, 1]))
    ['b', 'b']
    """
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


def as_text(value: object) -> str:
    """Write any value as text: nothing where it is missing, the cards of a list side by side.

    >>> as_text("95-110"), as_text(95.0), as_text(None), as_text(["5H", "6H"])
    ('95-110', '95', '', '5H 6H')
    """
    if isinstance(value, str):
        # Half a surrogate pair, from JSON, fits in no column of text.
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list | tuple | np.ndarray):
        return " ".join(str(one) for one in value)
    if value is None or value is pd.NA or value != value:
        return ""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))  # a column of whole numbers with gaps comes as floats
    return str(value)
