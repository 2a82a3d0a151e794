"""The record of a played game: a row for each discard, held to the rules."""

from collections.abc import Callable
from typing import NamedTuple, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.errors import RecordError, quote
from cribev.files.deal_columns import parse_roles
from cribev.files.lines import format_hands, parse_lines
from cribev.files.sources import spelt
from cribev.game.cards import Cards, format_cards
from cribev.game.indices import DISCARDS
from cribev.game.roles import ROLES

NEEDED = ("game", "deal", "player", "role", "cards", "discard")
"""The columns every record has."""

PERHAPS = ("starter", "opponent_discard")
"""The columns it has where they are known."""

TEMPLATE = """\
game,deal,player,role,cards,discard,starter,opponent_discard
1,1,Ann,dealer,5H 5D JS QC 2H 8D,2H 8D,4C,9S KD
"""
"""A record of one row in CSV, to be replaced."""

UNKNOWN = -1
"""Stands for a card that is not known."""

_MOST_DEALS = 2**53  # beyond it not every whole number is a float


class Record(NamedTuple):
    """A record that holds together, as a table and as arrays, a row for each discard."""

    frame: pd.DataFrame
    """The table as given, cards written in one form, each row completed by its fellow."""
    deals: Cards
    """The six cards of each row ascending, uint8 ``(N, 6)``."""
    keeps: NDArray[np.intp]
    """Which of the 15 keeps each row kept, ``(N,)``."""
    starters: NDArray[np.int64]
    """Card numbers, `UNKNOWN` where missing, ``(N,)``."""
    theirs: NDArray[np.int64]
    """What the opponent threw, `UNKNOWN` where missing, ``(N, 2)``."""
    dealer: NDArray[np.bool_]
    """Whether the row's player was dealer, ``(N,)``."""

    def rows_of(self, player: str) -> NDArray[np.intp]:
        """Find the rows of a player.

        Raises
        ------
        RecordError
            If there is no such player.
        """
        rows = np.flatnonzero((self.frame["player"] == player).to_numpy())
        if not rows.size:
            there = quote(", ".join(self.frame["player"].unique()))
            raise RecordError(f"no player {quote(player)} in the record: there is {there}")
        return rows

    def of(self, rows: NDArray[np.intp]) -> "Record":
        """Return some of the rows."""
        return Record(
            self.frame.iloc[rows].reset_index(drop=True),
            self.deals[rows],
            self.keeps[rows],
            self.starters[rows],
            self.theirs[rows],
            self.dealer[rows],
        )


def as_record(frame: pd.DataFrame) -> Record:
    """Check a table of discards and complete each row from across the table.

    Parameters
    ----------
    frame
        A row for each discard: ``game``, ``deal`` (a whole number from 1 up), ``player``, ``role``
        (dealer or pone), ``cards`` (six), ``discard`` (two of them), and where known ``starter``
        and ``opponent_discard``. Cards are text as `cribev.parse_cards` reads it, or lists of such
        texts. The two rows of one game and deal complete each other. Other columns are kept. Names
        of columns may be in capitals, and have blanks around them or for ``_``.

    Raises
    ------
    RecordError
        If a column is missing or a row cannot be; it names game, deal, column and text.

    Examples
    --------
    >>> from io import StringIO
    >>> frame = pd.read_csv(StringIO(TEMPLATE))
    >>> as_record(frame).keeps.tolist()
    [12]
    >>> as_record(frame.assign(discard="2H 9D"))
    Traceback (most recent call last):
    cribev.errors.RecordError: game '1', deal 1, column 'discard', '2H 9D': not two of the six cards
    2H 5D 5H 8D JS QC
    """
    return _Checked(frame).record()


class _Checked:
    """A record on its way through the checks."""

    def __init__(self, frame: pd.DataFrame) -> None:
        frame = _with_names(frame)
        _check_columns(frame)
        self.frame = frame.reset_index(drop=True)
        self.texts = {
            column: [_as_text(value) for value in self.frame[column].tolist()]
            if column in frame
            else [""] * len(frame)
            for column in NEEDED + PERHAPS
        }
        self.number = self._deal_numbers()
        self.game = self._names("game")
        self.player = self._names("player")
        self.dealer = self._dealers()
        self.deals = np.sort(self._cards("cards", 6), axis=1).astype(np.uint8)
        self.keeps = self._keeps()
        self.starters = self._cards("starter", 1)[:, 0]
        self.theirs = np.sort(self._cards("opponent_discard", 2), axis=1)

    def record(self) -> Record:
        self._check_rows()
        fellow = self._fellows()
        self._check_fellows(fellow)
        self._check_dealers()
        has = fellow >= 0
        thrown = self._thrown()
        theirs = np.where(has[:, None], thrown[fellow], self.theirs)
        starters = np.where(has & (self.starters == UNKNOWN), self.starters[fellow], self.starters)
        columns = {
            "game": self.texts["game"],
            "deal": self.number,
            "player": self.texts["player"],
            "role": np.where(self.dealer, *ROLES),
            "cards": cards_text(self.deals),
            "discard": cards_text(thrown),
            "starter": cards_text(starters[:, None]),
            "opponent_discard": cards_text(theirs),
        }
        others = self.frame.drop(columns=list(columns), errors="ignore")
        return Record(
            frame=pd.concat([pd.DataFrame(columns), others], axis=1),
            deals=self.deals,
            keeps=self.keeps,
            starters=starters,
            theirs=theirs,
            dealer=self.dealer,
        )

    def _deal_numbers(self) -> NDArray[np.int64]:
        numbers = pd.to_numeric(
            pd.Series(self.texts["deal"], dtype=object), errors="coerce"
        ).to_numpy(np.float64)
        good = (numbers >= 1) & (numbers < _MOST_DEALS)
        whole = np.where(good, numbers, 0).astype(np.int64)
        self._refuse(~good | (whole != numbers), "deal", "not a whole number from 1 up")
        return whole

    def _names(self, column: str) -> NDArray[np.intp]:
        texts = self.texts[column] = [text.strip() for text in self.texts[column]]
        self._refuse(np.array([not text for text in texts]), column, "empty")
        return pd.factorize(np.array(texts, dtype=object))[0]

    def _dealers(self) -> NDArray[np.bool_]:
        dealer, errors = parse_roles(self.texts["role"])
        if errors:
            self._fail(min(errors), "role", "expected dealer or pone")
        return dealer

    def _cards(self, column: str, count: int) -> NDArray[np.int64]:
        """Read the cards of a column, `UNKNOWN` where a column may be empty and is."""
        texts = self.texts[column]
        given = np.array(
            [column in NEEDED or bool(text.strip(" ,\t\r\n")) for text in texts], dtype=bool
        )
        rows = np.flatnonzero(given)
        lines = "".join(texts[row].replace("\n", " ") + "\n" for row in rows)
        cards, errors = parse_lines(lines.encode("utf-8", "replace"), count=count)
        if errors:
            at = min(errors)
            self._fail(int(rows[at]), column, str(errors[at]))
        read = np.full((len(texts), count), UNKNOWN, dtype=np.int64)
        read[rows] = cards
        return read

    def _keeps(self) -> NDArray[np.intp]:
        thrown = np.sort(self._cards("discard", 2), axis=1)
        found = (self.deals[:, DISCARDS] == thrown[:, None, :]).all(axis=2)
        self._refuse(
            ~found.any(axis=1),
            "discard",
            lambda row: f"not two of the six cards {format_cards(self.deals[row])}",
        )
        keeps: NDArray[np.intp] = found.argmax(axis=1)
        return keeps

    def _thrown(self) -> Cards:
        return np.take_along_axis(self.deals, DISCARDS[self.keeps], axis=1)

    def _check_rows(self) -> None:
        for column, cards in (
            ("starter", self.starters[:, None]),
            ("opponent_discard", self.theirs),
        ):
            self._refuse(
                self._among(cards, self.deals.astype(np.int64)),
                column,
                lambda row: f"among the player's own cards {format_cards(self.deals[row])}",
            )
        self._refuse(
            self._among(self.starters[:, None], self.theirs),
            "starter",
            "the opponent threw it to the crib",
        )

    def _fellows(self) -> NDArray[np.intp]:
        """Find the other row of each row's game and deal, or -1."""
        order = np.lexsort((self.number, self.game))
        key = np.stack([self.game[order], self.number[order]])
        same = (key[:, 1:] == key[:, :-1]).all(axis=0)
        third = np.zeros(len(order), dtype=bool)
        third[order[2:]] = same[1:] & same[:-1]
        self._refuse(third, "player", "a third row for this deal")
        fellow = np.full(len(order), -1, dtype=np.intp)
        first, second = order[:-1][same], order[1:][same]
        fellow[first], fellow[second] = second, first
        return fellow

    def _check_fellows(self, fellow: NDArray[np.intp]) -> None:
        has = fellow >= 0
        self._refuse(
            has & (self.player == self.player[fellow]),
            "player", "two rows of one deal are of one player",
        )  # fmt: skip
        self._refuse(
            has & (self.dealer == self.dealer[fellow]),
            "role", "both players: a deal has one dealer and one pone",
        )  # fmt: skip
        own = self.deals.astype(np.int64)
        self._refuse(
            has & self._among(own, own[fellow]),
            "cards",
            lambda row: (
                "some are the other player's too, who has " + format_cards(self.deals[fellow[row]])
            ),
        )
        self._refuse(
            has & self._among(self.starters[:, None], own[fellow]),
            "starter",
            lambda row: "among the other player's cards " + format_cards(self.deals[fellow[row]]),
        )
        known = (self.starters != UNKNOWN) & (self.starters[fellow] != UNKNOWN)
        self._refuse(
            has & known & (self.starters != self.starters[fellow]),
            "starter",
            lambda row: (
                "the other player's row has " + format_cards(self.starters[fellow[row]].reshape(1))
            ),
        )
        thrown = self._thrown()[fellow]
        self._refuse(
            has & (self.theirs[:, 0] != UNKNOWN) & (self.theirs != thrown).any(axis=1),
            "opponent_discard",
            lambda row: "the other player's row has " + format_cards(thrown[row]),
        )

    def _check_dealers(self) -> None:
        """Hold each game to two players, who deal in turn."""
        pairs = pd.DataFrame({"game": self.game, "player": self.player})
        seat = pairs.drop_duplicates().groupby("game").cumcount()
        seats = pairs.merge(pairs.drop_duplicates().assign(seat=seat), how="left")
        seated = seats["seat"].to_numpy()
        self._refuse(seated > 1, "player", "a third player in this game")
        # Whoever sits first deals either all odd deals or all even ones.
        turn = pd.Series(self.dealer ^ (self.number % 2 == 1) ^ (seated == 1))
        agreed = turn.groupby(self.game).transform("first").to_numpy(dtype=bool)
        self._refuse(
            turn.to_numpy() != agreed,
            "role", "the deal goes in turn, and by the game's first row it is the other",
        )  # fmt: skip

    @staticmethod
    def _among(cards: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell in which rows a known card is among the others."""
        same = (cards[:, :, None] == others[:, None, :]) & (cards[:, :, None] != UNKNOWN)
        found: NDArray[np.bool_] = same.any(axis=(1, 2))
        return found

    def _refuse(self, bad: NDArray[np.bool_], column: str, why: str | Callable[[int], str]) -> None:
        if bad.any():
            row = int(bad.argmax())
            self._fail(row, column, why if isinstance(why, str) else why(row))

    def _fail(self, row: int, column: str, why: str) -> NoReturn:
        shown = quote(self.texts[column][row])
        game, deal = quote(self.texts["game"][row]), self.texts["deal"][row]
        number = deal if deal.isascii() and deal.isdecimal() else quote(deal)
        raise RecordError(f"game {game}, deal {number}, column {column!r}, {shown}: {why}")


def _with_names(frame: pd.DataFrame) -> pd.DataFrame:
    if frame.columns.nlevels > 1:
        raise RecordError(f"expected a name for each column, got {quote(str(frame.columns[0]))}")
    every: list[object] = list(frame.columns)
    names = [name for name in every if isinstance(name, str)]
    meant = dict(zip(names, spelt(names, NEEDED + PERHAPS), strict=True))
    return frame.rename(columns=meant)


def _check_columns(frame: pd.DataFrame) -> None:
    if frame.empty:
        raise RecordError("the record has no rows")
    for column in NEEDED:
        if column not in frame.columns:
            raise RecordError(
                f"no column {column!r} in the record: it has "
                f"{quote(', '.join(map(str, frame.columns)), most=200)}, "
                f"and needs {', '.join(NEEDED)}"
            )
    if frame.columns.has_duplicates:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise RecordError(f"the record has the column {quote(str(twice))} twice")


def _as_text(value: object) -> str:
    """Write a value as text: nothing where it is missing, cards in a list beside each other."""
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


def cards_text(cards: NDArray[np.integer]) -> list[str]:
    """Write the cards of many rows, nothing where they are not known.

    Parameters
    ----------
    cards
        Card numbers or `UNKNOWN`, ``(N, n)``.

    Examples
    --------
    >>> cards_text(np.array([[18, 39], [UNKNOWN, UNKNOWN]]))
    ['5H TS', '']
    """
    known = (cards != UNKNOWN).all(axis=1)
    texts = format_hands(np.where(known[:, None], cards, 0).astype(np.uint8)).astype(str)
    written: list[str] = np.where(known, texts, "").tolist()
    return written
