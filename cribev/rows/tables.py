"""Tables of other libraries, as pandas has them."""

from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from cribev.errors import CribevError
from cribev.system.cache import import_optional


def from_arrow(table: Any) -> Any:
    """Return a table with the Arrow interface as a DataFrame, and a column as a list.

    All else is returned as it is. CribevError if the table cannot be taken.
    """
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
