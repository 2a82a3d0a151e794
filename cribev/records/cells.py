"""The cells of a record's rows, each read on its own, and the counts of hands and cribs."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, NoReturn, TypeAlias, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.classes.canonical import Index
from cribev.errors import RecordError, quote
from cribev.game.cards import SUITLESS_OFFSET, Cards, format_cards, sort_by_rank
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import ROLES
from cribev.game.score import UNKNOWN
from cribev.game.scorer import score_hands, suited_points
from cribev.rows.columns import as_text
from cribev.rows.headings import Headings, column_meant, named_columns, normalised_header
from cribev.rows.lines import format_hands, parse_lines
from cribev.rows.names import FINAL_SCORE, RECORD_COLUMNS, REQUIRED_COLUMNS, SCORE_COLUMNS

ALL_COLUMNS = (*RECORD_COLUMNS, *SCORE_COLUMNS)  # the columns a record can have
KNOWN = (*ALL_COLUMNS, "keep")  # and what may stand for its cards

RESULT = re.compile(r"\s*([0-9]{1,3})\s*[-–:]\s*([0-9]{1,3})\s*")
"""The result of a game, as 121-95 or 1-0."""

USUAL_NAMES = {"game": "1", "player": "Me"}
"""The names of the one game and the one player in a record that does not name them."""

_Values = TypeVar("_Values")


class Cells:
    """The text of every cell, empty if a column is missing; errors name the cell's place."""

    def __init__(self, frame: pd.DataFrame) -> None:
        frame = _with_names(frame)
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
        roles = list(map(str.strip, self.texts["role"]))
        deals = [role == name for role, name in zip(roles, self.texts["player"], strict=True)]
        if any(deals) and {*roles}.isdisjoint(ROLES):  # the name of who deals
            self.texts["role"] = ["dealer" if own else "pone" for own in deals]

    def cards(self, column: str, count: int) -> NDArray[np.int64]:
        """Read a column of cards, ``(N, count)`` ascending, `UNKNOWN` where a cell is empty."""
        texts = self.texts[column]
        is_required = column in REQUIRED_COLUMNS
        rows = np.flatnonzero([is_required or bool(text.strip(" ,\t\r\n")) for text in texts])
        lines = "".join(texts[row].replace("\n", " ") + "\n" for row in rows)
        text = lines.encode("utf-8", "replace")
        cards, errors = parse_lines(text, count=count, suitless=True)
        self.require(column, cards, {int(rows[place]): error for place, error in errors.items()})
        read = np.full((len(texts), count), UNKNOWN, dtype=np.int64)
        read[rows] = sort_by_rank(cards)
        return read

    def require(self, column: str, values: _Values, errors: Mapping[int, object]) -> _Values:
        """Return the values read from a column, if there are no errors."""
        if errors:
            row = min(errors)
            self.fail(row, column, str(errors[row]))
        return values

    def refuse(
        self, bad: NDArray[np.bool_], column: str, why: str, cards: NDArray[Any] | None = None
    ) -> None:
        """Refuse the first bad row, if any; name its `cards`, ``(N, n)``, after the reason."""
        if bad.any():
            row = int(bad.argmax())
            self.fail(row, column, why if cards is None else f"{why} {format_cards(cards[row])}")

    def fail(self, row: int, column: str, why: str) -> NoReturn:
        """Refuse a cell: name its game, deal, column and text."""
        shown = quote(self.texts[column][row])
        game, deal = quote(self.texts["game"][row]), self.texts["deal"][row]
        number = deal if deal.isascii() and deal.isdecimal() and len(deal) < 20 else quote(deal)
        raise RecordError(f"game {game}, deal {number}, column {column!r}, {shown}: {why}")


def format_card_rows(cards: NDArray[np.integer]) -> list[str]:
    """Write rows of cards, ``(N, n)``; empty where one is `UNKNOWN`."""
    known = (cards != UNKNOWN).all(axis=1)
    texts = format_hands(np.where(known[:, None], cards, 0).astype(np.uint8)).astype(str)
    written: list[str] = np.where(known, texts, "").tolist()
    return written


def split_deals(deals: Cards, keeps: Index) -> tuple[Cards, Cards]:
    """Split deals ``(N, 6)`` into the cards kept ``(N, 4)`` and discarded ``(N, 2)``."""
    kept, discarded = (
        np.take_along_axis(deals, table[keeps], axis=1) for table in (KEEPS, DISCARDS)
    )
    return kept, discarded


def _with_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Give columns their known names; refuse a table that lacks required columns."""
    if frame.columns.nlevels > 1:
        raise RecordError(f"expected a name for each column, got {quote(str(frame.columns[0]))}")
    every: list[object] = list(frame.columns)
    names = [name for name in every if isinstance(name, str)]
    normalised = normalised_header(names, KNOWN)
    meant = [name for name in names if normalised_header([name], ["discard"]) == ["discard"]]
    if len(meant) > 1:
        both = " and ".join(map(quote, meant[:2]))
        raise RecordError(f"the columns {both} mean the same: expected one of them")
    for place, name in enumerate(normalised_header(names, [FINAL_SCORE])):
        # A review adds a result too, which is a number.
        if name == FINAL_SCORE and any(map(RESULT.fullmatch, map(as_text, frame[names[place]]))):
            normalised[place] = name
    frame = split_rows(frame.rename(columns=dict(zip(names, normalised, strict=True))))
    frame = _with_cards(frame)
    if frame.empty:
        raise RecordError("the record has no rows")
    for column in REQUIRED_COLUMNS:
        if column not in frame.columns:
            raise RecordError(
                f"no column {column!r} in the record: it has "
                f"{quote(', '.join(map(str, frame.columns)), most=200)}, "
                f"and needs {', '.join(REQUIRED_COLUMNS)}"
                f"{column_meant(column, list(map(str, frame.columns)))}"
            )
    if frame.columns.has_duplicates:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise RecordError(f"the record has the column {quote(str(twice))} twice")
    return frame


def check_names(names: Sequence[str]) -> None:
    """Check the columns of a table by name, before its rows are read."""
    _with_names(pd.DataFrame([[""] * len(names)], columns=list(names)))


def _with_cards(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the six cards to a table of those kept and discarded."""
    if "cards" in frame or not {"keep", "discard"} <= {*frame}:
        return frame
    texts = [frame[name].map(as_text) for name in ("keep", "discard")]
    return frame.assign(cards=texts[0] + " " + texts[1]).drop(columns="keep")


_BOTH = ("p1_", "p2_"), ("player1_", "player2_"), ("pone_", "dealer_")
"""The beginnings of columns if one row holds both players of a deal."""


def split_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Split rows with both players into one for each; other tables stay as they are."""
    lower = {str(name).lower().replace(" ", "_"): name for name in frame.columns}
    for both in _BOTH:
        own = [[name for name in lower if name.startswith(each)] for each in both]
        if "cards" in frame or not all(own):
            continue
        shared = frame.drop(columns=[lower[name] for names in own for name in names])
        sides = []
        for prefix, names in zip(both, own, strict=True):
            own_names = [name.removeprefix(prefix) for name in names]
            own_values = [frame[lower[name]].tolist() for name in names]
            meant = named_columns(own_names, own_values, KNOWN, Headings())
            side = pd.DataFrame(dict(zip(*meant, strict=True)), index=frame.index, dtype=object)
            side = _with_cards(side.rename(columns={"name": "player"}))
            if missing := [name for name in ("cards", "discard") if name not in side]:
                raise RecordError(
                    f"no column {prefix + missing[0]!r} in the record, which has both players in "
                    f"a row: it has {quote(', '.join(map(str, frame.columns)), most=200)}"
                )
            sides.append(side)
        first = pd.to_numeric(shared.get("deal", pd.Series(1, shared.index)), "coerce") % 2 == 1
        for place, (prefix, side) in enumerate(zip(both, sides, strict=True)):
            if prefix in _BOTH[-1] and "role" not in side:
                side.insert(0, "role", prefix[:-1])
            if "player" not in side:
                of_first = first == bool(place)
                by_role = np.where(of_first, "first dealer", "first pone").tolist()
                side.insert(0, "player", by_role if prefix in _BOTH[-1] else prefix[:-1])
            if "role" not in side and "role" in shared:
                named, known = shared["role"].astype(str).str.strip(), [prefix[:-1], prefix[-2:-1]]
                side["role"] = np.where(named.isin(known) | (named == side["player"]), *ROLES)
        scores = [side["score"].astype(str) for side in sides if "score" in side]
        is_plain = [score.str.fullmatch(r"\s*\d+(\.0)?").all() for score in scores]
        if len(scores) == 2 and all(is_plain):
            points = [score.astype(float).astype(int).astype(str) for score in scores]
            for side, theirs, others in zip(sides, points, points[::-1], strict=True):
                side["score"] = theirs + "-" + others
        shared = shared.drop(columns="role", errors="ignore")
        tables = [pd.concat([shared, side], axis=1) for side in sides]
        return pd.concat(tables).sort_index(kind="stable").reset_index(drop=True)
    return frame


Ints: TypeAlias = NDArray[np.int64]


def known_points(cards: Ints, starters: Ints, *, crib: bool = False) -> Ints:
    """Count hands or cribs ``(…, 4)`` with their starters, `UNKNOWN` where a card or suit is."""
    known = ((cards != UNKNOWN) & (cards < SUITLESS_OFFSET)).all(axis=-1)
    known &= (starters != UNKNOWN) & (starters < SUITLESS_OFFSET)
    points = np.full(known.shape, UNKNOWN, dtype=np.int64)
    cut = np.broadcast_to(starters, known.shape)
    points[known] = score_hands(cards[known], cut[known], crib=crib)
    return points


def nearest_points(hands: Sequence[Sequence[int]], counted: int) -> list[int] | None:
    """Count hands that lack suits, so that they come as near to a count as suits allow.

    Each hand is four cards and the starter; the second of two is the crib of the first. None if a
    card is not known.
    """
    if any(UNKNOWN in hand for hand in hands):
        return None
    possible = [
        _possible_points((*sorted(cards), starter), crib=number == 1)
        for number, (*cards, starter) in enumerate(hands)
    ]
    return list(min(product(*possible), key=lambda points: abs(sum(points) - counted)))


@lru_cache(1 << 15)  # ranks alone soon come again: there are 1,820 hands and 13 starters
def _possible_points(cards: tuple[int, ...], *, crib: bool) -> tuple[int, ...]:
    """List what four cards and a starter can count, ascending, with all suits they can have."""
    return tuple(np.unique(suited_points(cards, crib=crib)).tolist())
