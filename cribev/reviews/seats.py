"""A record's rows with types: what each says of one player's seat in one deal."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.classes.canonical import Index
from cribev.errors import CribevError
from cribev.game.cards import Cards, format_cards
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.play_notation import PlayNotation, parse_play
from cribev.game.score import parse_points
from cribev.reviews.cells import Cells
from cribev.rows.columns import PEGGED_COLUMNS, parse_roles

_MAX_PEGGED = 60  # two double pairs royal are 40, and nothing brings half as much again
_MAX_DEALS = 2**53  # beyond it not every whole number is a float


class Seats(NamedTuple):
    """The seats of a record, each cell read on its own, `UNKNOWN` where it is empty.

    Scores are not among them: whose points have the star is clear once the roles are checked.

    Columns of N rows rather than N objects: without plays and scores, a hundred thousand rows are
    checked in a second.
    """

    game: Index
    """Which game, in the order of their first rows."""
    number: NDArray[np.int64]
    """Which deal of it."""
    player: Index
    dealer: NDArray[np.bool_]
    deals: Cards
    """Six cards ascending, ``(N, 6)``."""
    keeps: Index
    """Which of the 15 keeps."""
    starters: NDArray[np.int64]
    opponent_discards: NDArray[np.int64]
    """``(N, 2)``."""
    pegged: NDArray[np.int64]
    """The player's points in the play and the opponent's, ``(N, 2)``."""
    plays: dict[int, PlayNotation]
    """By row, of those that have one."""

    @property
    def kept(self) -> Cards:
        """The four cards kept, ``(N, 4)``."""
        return np.take_along_axis(self.deals, KEEPS[self.keeps], axis=1)

    @property
    def discards(self) -> Cards:
        """The two cards thrown, ``(N, 2)``."""
        return np.take_along_axis(self.deals, DISCARDS[self.keeps], axis=1)


def read_seats(cells: Cells) -> Seats:
    """Read the cells of a record; refuse one that cannot be read."""
    number = _deal_numbers(cells)
    game, player = _names(cells, "game"), _names(cells, "player")
    dealer, errors = parse_roles(cells.texts["role"])
    cells.require("role", dealer, dict.fromkeys(errors, "expected dealer or pone"))
    deals = cells.cards("cards", 6).astype(np.uint8)
    return Seats(
        game,
        number,
        player,
        dealer,
        deals,
        _keeps(cells, deals),
        cells.cards("starter", 1)[:, 0],
        cells.cards("opponent_discard", 2),
        np.stack([_pegged(cells, column) for column in PEGGED_COLUMNS], axis=1),
        _plays(cells),
    )


def _deal_numbers(cells: Cells) -> NDArray[np.int64]:
    texts = pd.Series(cells.texts["deal"], dtype=object)
    numbers = pd.to_numeric(texts, errors="coerce").to_numpy(np.float64)
    good = (numbers >= 1) & (numbers < _MAX_DEALS)
    whole = np.where(good, numbers, 0).astype(np.int64)
    cells.refuse(~good | (whole != numbers), "deal", "not a whole number from 1 up")
    return whole


def _names(cells: Cells, column: str) -> Index:
    names = np.array(cells.texts[column], dtype=object)
    cells.refuse(names == "", column, "empty")
    return pd.factorize(names)[0]


def _keeps(cells: Cells, deals: Cards) -> Index:
    found = (deals[:, DISCARDS] == cells.cards("discard", 2)[:, None, :]).all(axis=2)
    cells.refuse(
        ~found.any(axis=1),
        "discard",
        lambda row: f"not two of the six cards {format_cards(deals[row])}",
    )
    keeps: Index = found.argmax(axis=1)
    return keeps


def _pegged(cells: Cells, column: str) -> NDArray[np.int64]:
    texts = cells.texts[column]
    return cells.require(column, *parse_points(texts, "points pegged", most=_MAX_PEGGED))


def _plays(cells: Cells) -> dict[int, PlayNotation]:
    read: dict[str, PlayNotation] = {}  # both rows of a deal mostly say the same
    plays = {}
    for row, text in enumerate(cells.texts["play"]):
        if text.strip():
            if text not in read:
                try:
                    read[text] = parse_play(text)
                except CribevError as error:
                    cells.fail(row, "play", str(error))
            plays[row] = read[text]
    return plays
