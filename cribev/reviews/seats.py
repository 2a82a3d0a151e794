"""A record's rows: their cells as text, what each says with types, and the deals they make."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, NoReturn, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.classes.canonical import Index
from cribev.errors import RecordError, quote
from cribev.game.cards import Cards, format_cards
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.score import UNKNOWN, parse_points, parse_scores, parse_scores_after
from cribev.game.scoring import score_hands
from cribev.rows.columns import (
    PEGGED_COLUMNS,
    RECORD_COLUMNS,
    REQUIRED_COLUMNS,
    SCORE_COLUMNS,
    as_text,
    parse_roles,
)
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
    plays: dict[int, str]
    """As they are written, by row, of those that have one."""

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
        {row: text for row, text in enumerate(cells.texts["play"]) if text.strip()},
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


Ints = NDArray[np.int64]


class PairedDeals(NamedTuple):
    """D deals by game and number, the dealer before pone: sides 0 and 1 of ``(D, 2)``.

    What one seat does not know the other completes; else it is `UNKNOWN`.
    """

    game: Index
    number: Ints
    rows: Index
    """The row of each seat, -1 where it is not recorded, ``(D, 2)``."""
    of_rows: Index
    """The deal of each row, ``(N,)``."""
    kept: Ints
    """``(D, 2, 4)``."""
    discards: Ints
    """``(D, 2, 2)``."""
    starters: Ints
    pegged: Ints
    """Points in the play, ``(D, 2)``; what the seats wrote, where no play says it."""
    before: Ints
    """Points in the game before the deal, ``(D, 2)``."""
    after: Ints
    """Points in the game after the deal, ``(D, 2)``."""

    def by_row(self, values: Ints) -> Ints:
        """Turn both sides' values ``(D, 2, …)`` to each row's own and opponent's ``(N, 2, …)``."""
        turned = values[self.of_rows]
        pone = self.rows[self.of_rows, 1] == np.arange(len(turned))
        turned[pone] = turned[pone, ::-1]
        return turned


def pair_seats(seats: Seats, cells: Cells) -> PairedDeals:
    """Set the seats of each deal across from each other; refuse what does not fit together."""
    _check_rows(seats, cells)
    order = np.lexsort((seats.number, seats.game))
    keys = np.stack([seats.game[order], seats.number[order]])
    same = (keys[:, 1:] == keys[:, :-1]).all(axis=0)
    third = np.zeros(len(order), dtype=bool)
    third[order[2:]] = same[1:] & same[:-1]
    cells.refuse(third, "player", "a third row for this deal")
    paired = np.full(len(order), -1, dtype=np.intp)
    first, second = order[:-1][same], order[1:][same]
    paired[first], paired[second] = second, first
    _check_paired(seats, paired, cells)
    _check_turns(seats, cells)
    starts = np.concatenate([[True], ~same])
    of_rows = np.empty(len(order), dtype=np.intp)
    of_rows[order] = np.cumsum(starts) - 1
    rows = np.full((int(starts.sum()), 2), -1, dtype=np.intp)
    rows[of_rows, np.where(seats.dealer, 0, 1)] = np.arange(len(order))
    discards, recorded = (
        _of_seats(rows, cards) for cards in (seats.discards, seats.opponent_discards)
    )
    played = np.zeros((len(rows), 1), dtype=bool)
    played[of_rows[list(seats.plays)]] = True
    scores = parse_scores(cells.texts["score"], seats.dealer)
    scores_after = parse_scores_after(cells.texts["score_after"])
    game, number = keys[:, starts]
    pegged, before, after = (
        _agreed(points, paired, rows, columns, cells)
        for points, columns in (
            (np.where(played[of_rows], UNKNOWN, seats.pegged), PEGGED_COLUMNS),
            (cells.require("score", *scores), ("score", "score")),
            (cells.require("score_after", *scores_after), ("score_after", "score_after")),
        )
    )
    return PairedDeals(
        game,
        number,
        rows,
        of_rows,
        kept=_of_seats(rows, seats.kept),
        discards=np.where(discards == UNKNOWN, recorded[:, ::-1], discards),
        starters=_of_seats(rows, seats.starters).max(axis=1),
        pegged=pegged,
        before=before,
        after=after,
    )


def _of_seats(rows: Index, values: NDArray[np.integer]) -> Ints:
    """Return the values of both seats ``(D, 2, …)``, `UNKNOWN` where there is no row."""
    found = values[rows].astype(np.int64)
    found[rows < 0] = UNKNOWN
    return found


def _agreed(
    points: Ints, paired: Index, rows: Index, columns: tuple[str, str], cells: Cells
) -> Ints:
    """Return both sides' points ``(D, 2)`` from each row's own and opponent's ``(N, 2)``."""
    across = np.where(paired[:, None] >= 0, points[paired, ::-1], UNKNOWN)
    differ = (points != UNKNOWN) & (across != UNKNOWN) & (points != across)
    for column, bad in zip(columns, differ.T, strict=True):
        cells.refuse(bad, column, "the other player's row has it otherwise")
    complete = np.where(points == UNKNOWN, across, points)
    dealer, pone = rows.T
    return np.where(dealer[:, None] >= 0, complete[dealer], complete[pone, ::-1])


def _check_rows(seats: Seats, cells: Cells) -> None:
    """Refuse a card that is twice in one row."""
    starters = seats.starters[:, None]
    for column, cards in (("starter", starters), ("opponent_discard", seats.opponent_discards)):
        cells.refuse(
            _share_card(cards, seats.deals),
            column,
            lambda row: f"among the player's own cards {format_cards(seats.deals[row])}",
        )
    bad = _share_card(starters, seats.opponent_discards)
    cells.refuse(bad, "starter", "the opponent threw it to the crib")


def _check_paired(seats: Seats, paired: Index, cells: Cells) -> None:
    """Refuse two rows of one deal that contradict each other."""
    has, starters = paired >= 0, seats.starters
    refuse = cells.refuse
    same_player = has & (seats.player == seats.player[paired])
    refuse(
        same_player,
        "player",
        "two rows of one deal are of one player: two players need the column 'player', and several "
        "games the column 'game'",
    )
    same_role = has & (seats.dealer == seats.dealer[paired])
    refuse(same_role, "role", "both players: a deal has one dealer and one pone")
    across, discards = seats.deals[paired], seats.discards[paired]
    refuse(
        has & _share_card(seats.deals, across),
        "cards",
        lambda row: f"some are the other player's too, who has {format_cards(across[row])}",
    )
    refuse(
        has & _share_card(starters[:, None], across),
        "starter",
        lambda row: f"among the other player's cards {format_cards(across[row])}",
    )
    known = has & (starters != UNKNOWN) & (starters[paired] != UNKNOWN)
    refuse(
        known & (starters != starters[paired]),
        "starter",
        lambda row: f"the other player's row has {format_cards(starters[paired[[row]]])}",
    )
    known = has & (seats.opponent_discards[:, 0] != UNKNOWN)
    refuse(
        known & (seats.opponent_discards != discards).any(axis=1),
        "opponent_discard",
        lambda row: f"the other player's row has {format_cards(discards[row])}",
    )


def _check_turns(seats: Seats, cells: Cells) -> None:
    """Hold each game to two players, who deal in turn."""
    game, player = seats.game, seats.player
    first = np.unique(game, return_index=True)[1][game]
    others = np.flatnonzero(player != player[first])
    games, at = np.unique(game[others], return_index=True)
    opponent = np.full(int(game.max()) + 1, -1)
    opponent[games] = player[others[at]]
    third = (player != player[first]) & (player != opponent[game])
    cells.refuse(third, "player", "a third player in this game")
    # Whoever sits first deals either all odd deals or all even ones.
    turn = seats.dealer ^ (seats.number % 2 == 1) ^ (player != player[first])
    why = "the deal goes in turn, and by the game's first row it is the other"
    cells.refuse(turn != turn[first], "role", why)


def _share_card(cards: NDArray[np.integer], others: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Tell in which rows a known card is among the others."""
    same = (cards[:, :, None] == others[:, None, :]) & (cards[:, :, None] != UNKNOWN)
    found: NDArray[np.bool_] = same.any(axis=(1, 2))
    return found


def known_points(cards: Ints, starters: Ints, *, crib: bool = False) -> Ints:
    """Count hands or cribs ``(…, 4)`` with their starters, `UNKNOWN` where a card is.

    >>> known_points(np.array([[18, 39, 43, 47], [-1, -1, -1, -1]]), np.array([16, 17])).tolist()
    [17, -1]
    """
    known = (cards != UNKNOWN).all(axis=-1) & (starters != UNKNOWN)
    points = np.full(known.shape, UNKNOWN, dtype=np.int64)
    cut = np.broadcast_to(starters, known.shape)
    points[known] = score_hands(cards[known], cut[known], crib=crib)
    return points
