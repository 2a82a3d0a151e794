"""The record of a played game: read, checked, and completed."""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.classes.canonical import Index
from cribev.errors import RecordError, quote
from cribev.game.cards import Cards
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import ROLES
from cribev.game.score import UNKNOWN, format_scores, format_scores_after
from cribev.reviews.cells import Cells, format_card_rows
from cribev.reviews.deals import Ints, PairedDeals, known_points, pair_seats
from cribev.reviews.plays import check_plays, check_whole, laid_texts, pegged_points
from cribev.reviews.scores import infer_scores
from cribev.reviews.seats import Seats, read_seats
from cribev.rows.columns import PEGGED_COLUMNS

RECORD_TEMPLATE = """\
game,deal,player,role,cards,discard,starter,opponent_discard,pegged,opponent_pegged,play,score
1,1,Ann,dealer,5H 5D JS QC 2H 8D,2H 8D,4C,9S KD,3,2,7 5 3 5 A J 8 Q,0*-0
"""
"""A record of one row in CSV, to be replaced."""


class Record(NamedTuple):
    """A record that holds together, a row for each discard."""

    frame: pd.DataFrame
    """The table, cards and scores in one notation, each row completed by its paired row."""
    deals: Cards
    """Six cards ascending, uint8 ``(N, 6)``."""
    keeps: Index
    """Which of the 15 keeps, ``(N,)``."""
    starters: Ints
    """Card numbers, `UNKNOWN` where missing, ``(N,)``."""
    opponent_discards: Ints
    """What the opponent threw, in the same way, ``(N, 2)``."""
    dealer: NDArray[np.bool_]
    """Whether the row's player deals, ``(N,)``."""
    pegged: Ints
    """Points in the play, the player's and the opponent's, in the same way, ``(N, 2)``."""
    scores: Ints
    """Points in the game before the deal, in the same way, ``(N, 2)``."""
    scores_after: Ints
    """Points in the game after the deal, in the same way, ``(N, 2)``."""
    notes: tuple[str, ...] = ()
    """Where the score does not move as the cards count."""

    def rows_of(self, player: str) -> Index:
        """Find the rows of a player; `RecordError` if there are none."""
        rows = np.flatnonzero((self.frame["player"] == player).to_numpy())
        if not rows.size:
            there = quote(", ".join(self.frame["player"].unique()))
            raise RecordError(f"no player {quote(player)} in the record: there is {there}")
        return rows

    def take(self, rows: Index) -> "Record":
        """Return some of the rows."""
        frame, *columns, notes = cast("tuple[Any, ...]", self)
        taken = frame.iloc[rows].reset_index(drop=True)
        return Record._make([taken, *(column[rows] for column in columns), notes])

    def without_scores(self) -> "Record":
        """Return it as if no score was known."""
        unknown = np.full_like(self.scores, UNKNOWN)
        return self._replace(scores=unknown, scores_after=unknown)


def as_record(frame: pd.DataFrame) -> Record:
    """Check a table of discards, as `cribev.review` takes it, and complete its rows.

    A `RecordError` names game, deal, column and text of what cannot be.

    >>> from io import StringIO
    >>> frame = pd.read_csv(StringIO(RECORD_TEMPLATE))
    >>> as_record(frame).keeps.tolist()
    [12]
    >>> as_record(frame.assign(discard="2H 9D"))
    Traceback (most recent call last):
    cribev.errors.RecordError: game '1', deal 1, column 'discard', '2H 9D': not two of the six cards
    2H 5D 5H 8D JS QC
    """
    cells = Cells(frame)
    seats = read_seats(cells)
    deals = pair_seats(seats, cells)
    plays = check_plays(seats, deals, cells)
    deals = deals._replace(pegged=pegged_points(seats, deals, plays, cells))
    before, after, notes = infer_scores(deals, plays, cells)
    deals = deals._replace(before=before, after=after)
    check_whole(seats, deals, plays, cells)
    laid = laid_texts(seats, deals, plays)
    return _completed_record(cells, seats, deals, laid, tuple(notes))


def show_points(record: Record) -> tuple[Ints, Ints]:
    """Count the hand and the crib of each row, two arrays ``(N,)``, `UNKNOWN` where not known."""
    kept, thrown = (
        np.take_along_axis(record.deals, table[record.keeps], axis=1).astype(np.int64)
        for table in (KEEPS, DISCARDS)
    )
    cribs = np.concatenate([thrown, record.opponent_discards], axis=1)
    return known_points(kept, record.starters), known_points(cribs, record.starters, crib=True)


def _completed_record(
    cells: Cells,
    seats: Seats,
    deals: PairedDeals,
    laid: Mapping[int, str],
    notes: tuple[str, ...],
) -> Record:
    """Write a record out again, row by row."""
    starters = deals.starters[deals.of_rows]
    opponent_discards = deals.by_row(deals.discards)[:, 1]
    pegged, scores, after = map(deals.by_row, (deals.pegged, deals.before, deals.after))
    columns = {
        "game": cells.texts["game"],
        "deal": seats.number,
        "player": cells.texts["player"],
        "role": np.where(seats.dealer, *ROLES),
        "cards": format_card_rows(seats.deals),
        "discard": format_card_rows(seats.discards),
        "starter": format_card_rows(starters[:, None]),
        "opponent_discard": format_card_rows(opponent_discards),
        **{
            column: pd.arrays.IntegerArray(points.copy(), points == UNKNOWN)
            for column, points in zip(PEGGED_COLUMNS, pegged.T, strict=True)
        },
        "play": [laid.get(deal, "") for deal in deals.of_rows.tolist()],
        "score": format_scores(scores, seats.dealer),
        "score_after": format_scores_after(after),
    }
    others = cells.frame.drop(columns=list(columns), errors="ignore")
    return Record(
        pd.concat([pd.DataFrame(columns), others], axis=1),
        seats.deals,
        seats.keeps,
        starters,
        opponent_discards,
        seats.dealer,
        pegged,
        scores,
        after,
        notes,
    )
