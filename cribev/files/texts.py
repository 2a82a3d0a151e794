"""Values of any kind as text."""

import numpy as np
import pandas as pd


def as_text(value: object) -> str:
    """Write a value as text: nothing where it is missing, cards in a list beside each other.

    Examples
    --------
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
