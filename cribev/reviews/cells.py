"""The columns of a record as text."""

from collections.abc import Callable, Mapping
from typing import NoReturn, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.errors import RecordError, quote
from cribev.game.score import UNKNOWN
from cribev.rows.columns import RECORD_COLUMNS, REQUIRED_COLUMNS, SCORE_COLUMNS, as_text
from cribev.rows.lines import format_hands, parse_lines
from cribev.rows.read import normalised_header

ALL_COLUMNS = (*RECORD_COLUMNS, *SCORE_COLUMNS)
"""The columns a record can have."""

USUAL_NAMES = {"game": "1", "player": "Me"}
"""What the one game and the one player are called in a record that does not name them."""

_Values = TypeVar("_Values")


class Cells:
    """The text of every cell, empty where a column is missing; refuses cells by their place."""

    def __init__(self, frame: pd.DataFrame) -> None:
        frame = _with_names(frame)
        _check_columns(frame)
        self.frame = frame.reset_index(drop=True)
        self.texts = {
            column: [as_text(value) for value in self.frame[column].tolist()]
            if column in frame
            else [""] * len(frame)
            for column in ALL_COLUMNS
        }
        for column, usual in USUAL_NAMES.items():
            names = [text.strip() for text in self.texts[column]]
            self.texts[column] = names if any(names) else [usual] * len(names)

    def cards(self, column: str, count: int) -> NDArray[np.int64]:
        """Read a column of cards, ``(N, count)`` ascending, `UNKNOWN` where nothing is written."""
        texts = self.texts[column]
        given = np.array(
            [column in REQUIRED_COLUMNS or bool(text.strip(" ,\t\r\n")) for text in texts],
            dtype=bool,
        )
        rows = np.flatnonzero(given)
        lines = "".join(texts[row].replace("\n", " ") + "\n" for row in rows)
        cards, errors = parse_lines(lines.encode("utf-8", "replace"), count=count)
        if errors:
            at = min(errors)
            self.fail(int(rows[at]), column, str(errors[at]))
        read = np.full((len(texts), count), UNKNOWN, dtype=np.int64)
        read[rows] = np.sort(cards, axis=1)
        return read

    def require(self, column: str, values: _Values, errors: Mapping[int, object]) -> _Values:
        """Return the values read from a column, if there are no errors."""
        if errors:
            row = min(errors)
            self.fail(row, column, str(errors[row]))
        return values

    def refuse(self, bad: NDArray[np.bool_], column: str, why: str | Callable[[int], str]) -> None:
        """Refuse the first bad row, if there is one."""
        if bad.any():
            row = int(bad.argmax())
            self.fail(row, column, why if isinstance(why, str) else why(row))

    def fail(self, row: int, column: str, why: str) -> NoReturn:
        """Refuse a cell: name its game, deal, column and text."""
        shown = quote(self.texts[column][row])
        game, deal = quote(self.texts["game"][row]), self.texts["deal"][row]
        number = deal if deal.isascii() and deal.isdecimal() and len(deal) < 20 else quote(deal)
        raise RecordError(f"game {game}, deal {number}, column {column!r}, {shown}: {why}")


def format_card_rows(cards: NDArray[np.integer]) -> list[str]:
    """Write rows of cards, ``(N, n)``; empty where one is `UNKNOWN`.

    >>> format_card_rows(np.array([[18, 39], [UNKNOWN, UNKNOWN]]))
    ['5H TS', '']
    """
    known = (cards != UNKNOWN).all(axis=1)
    texts = format_hands(np.where(known[:, None], cards, 0).astype(np.uint8)).astype(str)
    written: list[str] = np.where(known, texts, "").tolist()
    return written


def _with_names(frame: pd.DataFrame) -> pd.DataFrame:
    if frame.columns.nlevels > 1:
        raise RecordError(f"expected a name for each column, got {quote(str(frame.columns[0]))}")
    every: list[object] = list(frame.columns)
    names = [name for name in every if isinstance(name, str)]
    normalised = normalised_header(names, ALL_COLUMNS)
    return frame.rename(columns=dict(zip(names, normalised, strict=True)))


def _check_columns(frame: pd.DataFrame) -> None:
    if frame.empty:
        raise RecordError("the record has no rows")
    for column in REQUIRED_COLUMNS:
        if column not in frame.columns:
            raise RecordError(
                f"no column {column!r} in the record: it has "
                f"{quote(', '.join(map(str, frame.columns)), most=200)}, "
                f"and needs {', '.join(REQUIRED_COLUMNS)}"
            )
    if frame.columns.has_duplicates:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise RecordError(f"the record has the column {quote(str(twice))} twice")
