"""Columns between reading and writing.

A column is what its format gives: a sequence of Python values, or an Arrow array where it comes
from Parquet.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError
from cribev.files.extras import extra


def is_arrow(column: object) -> bool:
    """Tell whether a column is an Arrow array.

    >>> is_arrow(["5H"])
    False
    """
    return type(column).__module__.split(".")[0] == "pyarrow"


def as_values(column: Any) -> Sequence[Any]:
    """Take a column as Python values.

    Raises
    ------
    CribevError
        If an Arrow column holds what Python has no value for.

    Examples
    --------
    >>> as_values(["5H"])
    ['5H']
    """
    try:
        values: Sequence[Any] = column.to_pylist() if is_arrow(column) else column
    except (OverflowError, ValueError) as error:  # a date after the year 9999, say
        raise CribevError(f"cannot take {column.type} as text: {error}") from error
    return values


def take_rows(column: Any, rows: NDArray[np.intp]) -> Any:
    """Pick rows of a column.

    >>> take_rows(["a", "b"], np.array([1, 1]))
    ['b', 'b']
    """
    if is_arrow(column):
        return column.take(extra("pyarrow", "parquet").array(rows))
    return type(column)(column[row] for row in rows.tolist())
