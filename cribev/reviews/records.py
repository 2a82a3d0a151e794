"""The record of a played game: a row for each discard, held to the rules."""

from itertools import takewhile
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.errors import CribevError, RecordError, quote
from cribev.files.deal_columns import parse_roles
from cribev.game.cards import JACK, Cards, format_cards
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.play_notation import Pegging
from cribev.game.roles import ROLES, role_of
from cribev.game.score_notation import (
    UNKNOWN,
    WINNING_SCORE,
    format_scores,
    format_scores_after,
    parse_points,
    parse_scores,
    parse_scores_after,
)
from cribev.reviews.cells import PEGGED_COLUMNS, Cells, format_card_rows
from cribev.reviews.played import check_suits, parse_play
from cribev.reviews.scores import Rows, infer_scores

RECORD_TEMPLATE = """\
game,deal,player,role,cards,discard,starter,opponent_discard,pegged,opponent_pegged
1,1,Ann,dealer,5H 5D JS QC 2H 8D,2H 8D,4C,9S KD,3,2
"""
"""A record of one row in CSV, to be replaced."""

_MOST_PEGGED = 60  # two double pairs royal are 40, and nothing brings half as much again
_BESIDE = (*["was thrown to the crib"] * 2, "is the starter", *["was thrown to the crib"] * 2)
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
    pegged: NDArray[np.int64]
    """Points in the play, the player's and the opponent's, `UNKNOWN` where missing, ``(N, 2)``."""
    scores: NDArray[np.int64]
    """Points in the game before the deal, in the same way, ``(N, 2)``."""
    after: NDArray[np.int64]
    """Points in the game after the deal, in the same way, ``(N, 2)``."""
    notes: tuple[str, ...] = ()
    """Where the score does not move as the cards count."""

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
            self.pegged[rows],
            self.scores[rows],
            self.after[rows],
            self.notes,
        )


def as_record(frame: pd.DataFrame) -> Record:
    """Check a table of discards and complete each row from across the table.

    Parameters
    ----------
    frame
        A row for each discard: ``game``, ``deal`` (a whole number from 1 up), ``player``, ``role``
        (dealer or pone), ``cards`` (six), ``discard`` (two of them), and where known ``starter``,
        ``opponent_discard``, ``pegged`` and ``opponent_pegged`` (points in the play), or ``play``
        (the cards as they fell, as `cribev.peg` reads them, of which these follow) and ``score``
        (before the deal, the player's points first, a star at the dealer's: ``109-108*``), and
        ``score_after`` (``121-108``), which follows where it can. Cards are text as
        `cribev.parse_cards` reads it, or lists of such texts. The two rows of one game and
        deal complete each other. Other columns are kept. Names of columns may be in
        capitals, and have blanks around them or for ``_``.

    Raises
    ------
    RecordError
        If a column is missing or a row cannot be; it names game, deal, column and text.

    Examples
    --------
    >>> from io import StringIO
    >>> frame = pd.read_csv(StringIO(RECORD_TEMPLATE))
    >>> as_record(frame).keeps.tolist()
    [12]
    >>> as_record(frame.assign(discard="2H 9D"))
    Traceback (most recent call last):
    cribev.errors.RecordError: game '1', deal 1, column 'discard', '2H 9D': not two of the six cards
    2H 5D 5H 8D JS QC
    """
    return _Checked(frame).record()


class _Checked(Cells):
    """A record on its way through the checks."""

    def __init__(self, frame: pd.DataFrame) -> None:
        super().__init__(frame)
        self.number = self._deal_numbers()
        self.game = self._names("game")
        self.player = self._names("player")
        self.dealer = self._dealers()
        self.deals = np.sort(self.cards("cards", 6), axis=1).astype(np.uint8)
        self.keeps = self._keeps()
        self.starters = self.cards("starter", 1)[:, 0]
        self.theirs = np.sort(self.cards("opponent_discard", 2), axis=1)
        self.pegged = np.stack(
            [
                self.good(
                    column, *parse_points(self.texts[column], "points pegged", most=_MOST_PEGGED)
                )
                for column in PEGGED_COLUMNS
            ],
            axis=1,
        )

    def record(self) -> Record:
        self._check_rows()
        paired = self._paired_rows()
        self._check_paired(paired)
        self._check_dealers()
        self.scores = self.good("score", *parse_scores(self.texts["score"], self.dealer))
        self.after = self.good("score_after", *parse_scores_after(self.texts["score_after"]))
        has = paired >= 0
        thrown = self._thrown()
        theirs = np.where(has[:, None], thrown[paired], self.theirs)
        starters = np.where(has & (self.starters == UNKNOWN), self.starters[paired], self.starters)
        plays = self._plays(paired, starters, theirs)
        self._complete_points(paired)
        columns = {
            "game": self.texts["game"],
            "deal": self.number,
            "player": self.texts["player"],
            "role": np.where(self.dealer, *ROLES),
            "cards": format_card_rows(self.deals),
            "discard": format_card_rows(thrown),
            "starter": format_card_rows(starters[:, None]),
            "opponent_discard": format_card_rows(theirs),
            **{
                column: pd.arrays.IntegerArray(points.copy(), points == UNKNOWN)
                for column, points in zip(PEGGED_COLUMNS, self.pegged.T, strict=True)
            },
            "play": plays,
        }
        before, after, notes = infer_scores(
            Rows(
                self.texts["game"],
                self.number.tolist(),
                self.dealer,
                self.deals,
                self.keeps,
                starters,
                theirs,
                self.pegged,
                plays,
                self.scores,
                self.after,
            ),
            self,
        )
        self._check_ends(starters, before, after)
        columns |= {
            "score": format_scores(before, self.dealer),
            "score_after": format_scores_after(after),
        }
        others = self.frame.drop(columns=list(columns), errors="ignore")
        return Record(
            frame=pd.concat([pd.DataFrame(columns), others], axis=1),
            deals=self.deals,
            keeps=self.keeps,
            starters=starters,
            theirs=theirs,
            dealer=self.dealer,
            pegged=self.pegged,
            scores=before,
            after=after,
            notes=tuple(notes),
        )

    def _deal_numbers(self) -> NDArray[np.int64]:
        numbers = pd.to_numeric(
            pd.Series(self.texts["deal"], dtype=object), errors="coerce"
        ).to_numpy(np.float64)
        good = (numbers >= 1) & (numbers < _MOST_DEALS)
        whole = np.where(good, numbers, 0).astype(np.int64)
        self.refuse(~good | (whole != numbers), "deal", "not a whole number from 1 up")
        return whole

    def _names(self, column: str) -> NDArray[np.intp]:
        texts = self.texts[column] = [text.strip() for text in self.texts[column]]
        self.refuse(np.array([not text for text in texts]), column, "empty")
        return pd.factorize(np.array(texts, dtype=object))[0]

    def _dealers(self) -> NDArray[np.bool_]:
        dealer, errors = parse_roles(self.texts["role"])
        return self.good("role", dealer, dict.fromkeys(errors, "expected dealer or pone"))

    def _keeps(self) -> NDArray[np.intp]:
        thrown = np.sort(self.cards("discard", 2), axis=1)
        found = (self.deals[:, DISCARDS] == thrown[:, None, :]).all(axis=2)
        self.refuse(
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
            self.refuse(
                self._among(cards, self.deals.astype(np.int64)),
                column,
                lambda row: f"among the player's own cards {format_cards(self.deals[row])}",
            )
        self.refuse(
            self._among(self.starters[:, None], self.theirs),
            "starter",
            "the opponent threw it to the crib",
        )

    def _paired_rows(self) -> NDArray[np.intp]:
        """Find the other row of each row's game and deal, or -1."""
        order = np.lexsort((self.number, self.game))
        key = np.stack([self.game[order], self.number[order]])
        same = (key[:, 1:] == key[:, :-1]).all(axis=0)
        third = np.zeros(len(order), dtype=bool)
        third[order[2:]] = same[1:] & same[:-1]
        self.refuse(third, "player", "a third row for this deal")
        paired = np.full(len(order), -1, dtype=np.intp)
        first, second = order[:-1][same], order[1:][same]
        paired[first], paired[second] = second, first
        return paired

    def _check_paired(self, paired: NDArray[np.intp]) -> None:
        has = paired >= 0
        self.refuse(
            has & (self.player == self.player[paired]),
            "player", "two rows of one deal are of one player",
        )  # fmt: skip
        self.refuse(
            has & (self.dealer == self.dealer[paired]),
            "role", "both players: a deal has one dealer and one pone",
        )  # fmt: skip
        own = self.deals.astype(np.int64)
        self.refuse(
            has & self._among(own, own[paired]),
            "cards",
            lambda row: (
                "some are the other player's too, who has " + format_cards(self.deals[paired[row]])
            ),
        )
        self.refuse(
            has & self._among(self.starters[:, None], own[paired]),
            "starter",
            lambda row: "among the other player's cards " + format_cards(self.deals[paired[row]]),
        )
        known = (self.starters != UNKNOWN) & (self.starters[paired] != UNKNOWN)
        self.refuse(
            has & known & (self.starters != self.starters[paired]),
            "starter",
            lambda row: (
                "the other player's row has " + format_cards(self.starters[paired[row]].reshape(1))
            ),
        )
        thrown = self._thrown()[paired]
        self.refuse(
            has & (self.theirs[:, 0] != UNKNOWN) & (self.theirs != thrown).any(axis=1),
            "opponent_discard",
            lambda row: "the other player's row has " + format_cards(thrown[row]),
        )

    def _plays(
        self, paired: NDArray[np.intp], starters: NDArray[np.int64], theirs: NDArray[np.int64]
    ) -> list[str]:
        """Hold every play to the rules and the cards, and take from it what was pegged."""
        cards = np.take_along_axis(self.deals, KEEPS[self.keeps], axis=1)
        kept = cards >> 2
        others = np.concatenate([self._thrown(), starters[:, None], theirs], axis=1)
        texts = self.texts["play"]
        plays: dict[int, Pegging] = {}
        for row in np.flatnonzero([text.strip() != "" for text in texts]).tolist():
            across = int(paired[row])
            if across in plays and texts[across] == texts[row]:
                play = plays[across]
            else:
                try:
                    play = parse_play(
                        texts[row],
                        dealer=bool(self.dealer[row]),
                        own=kept[row].tolist(),
                        theirs=kept[across].tolist() if across >= 0 else None,
                        seen=(others[row][others[row] != UNKNOWN] >> 2).tolist(),
                    )
                    sides = (row, across)[: 1 + (across >= 0)]
                    check_suits(
                        texts[row],
                        play,
                        kept={role_of(self.dealer[one]): cards[one].tolist() for one in sides},
                        gone=dict(zip(others[row].tolist(), _BESIDE, strict=True)),
                    )
                except CribevError as error:
                    self.fail(row, "play", str(error))
            if plays.get(across, play) != play:
                self.fail(row, "play", f"the other player's row has {plays[across].laid}")
            plays[row] = play
            least = self._least(row, across, play, starters)
            for at, dealer in enumerate((self.dealer[row], not self.dealer[row])):
                points, told = play.points[role_of(dealer)], self.pegged[row, at]
                if told != UNKNOWN and not least[at] <= told <= points:
                    self.fail(row, PEGGED_COLUMNS[at], f"by the play it is {points}")
                self.pegged[row, at] = points
        self.broken_off = [row for row, play in plays.items() if not play.over]
        told = {int(paired[row]): play for row, play in plays.items()} | plays
        return [told[row].laid if row in told else "" for row in range(len(texts))]

    def _least(
        self, row: int, across: int, play: Pegging, starters: NDArray[np.int64]
    ) -> list[int]:
        """Tell how few points each may be said to peg: what falls after a game is over, or not."""
        roles = role_of(self.dealer[row]), role_of(not self.dealer[row])
        points = [play.points[role] for role in roles]
        score = self.scores[row]
        if across >= 0 and score[0] == UNKNOWN:
            score = self.scores[across, ::-1]
        if score[0] == UNKNOWN:
            last_go = takewhile(lambda step: step.rank is None, reversed(play.steps))
            of_go = [one for step in last_go for one in step.pegs]
            return [
                pegged - sum(one.points for one in of_go if one.role == role)
                for pegged, role in zip(points, roles, strict=True)
            ]
        heels = 2 * (starters[row] >> 2 == JACK)
        needs = [
            int(WINNING_SCORE - before - heels * (role == "dealer"))
            for before, role in zip(score, roles, strict=True)
        ]
        out = [pegged >= need for pegged, need in zip(points, needs, strict=True)]
        if not any(out):
            return points
        return [max(need, 0) if won else 0 for need, won in zip(needs, out, strict=True)]

    def _check_ends(
        self, starters: NDArray[np.int64], before: NDArray[np.int64], after: NDArray[np.int64]
    ) -> None:
        """Hold plays that stop before all cards are laid to games that end with them."""
        last = pd.Series(self.number).groupby(self.game).transform("max").to_numpy()
        deals = np.stack([self.dealer, ~self.dealer], axis=1)
        heels = 2 * (deals & (starters >> 2 == JACK)[:, None])
        score = np.where(before == UNKNOWN, after, before + heels + self.pegged)
        ended = (score >= WINNING_SCORE).any(axis=1) & (self.number == last)
        for row in self.broken_off:
            if not ended[row]:
                why = "the play ends before all cards are laid: expected the last go if there is"
                self.fail(row, "play", f"{why} one, or a score by which the game ends in it")

    def _complete_points(self, paired: NDArray[np.intp]) -> None:
        """Complete what was pegged and the score from the other row, where it stands reversed."""
        for columns, points in (
            (PEGGED_COLUMNS, self.pegged),
            (("score",) * 2, self.scores),
            (("score_after",) * 2, self.after),
        ):
            across = np.where(paired[:, None] >= 0, points[paired, ::-1], UNKNOWN)
            differ = (points != UNKNOWN) & (across != UNKNOWN) & (points != across)
            for column, bad in zip(columns, differ.T, strict=True):
                written = np.array([text.strip() != "" for text in self.texts[column]])
                self.refuse(bad & written, column, "the other player's row has it otherwise")
            np.copyto(points, across, where=points == UNKNOWN)

    def _check_dealers(self) -> None:
        """Hold each game to two players, who deal in turn."""
        pairs = pd.DataFrame({"game": self.game, "player": self.player})
        seat = pairs.drop_duplicates().groupby("game").cumcount()
        seats = pairs.merge(pairs.drop_duplicates().assign(seat=seat), how="left")
        seated = seats["seat"].to_numpy()
        self.refuse(seated > 1, "player", "a third player in this game")
        # Whoever sits first deals either all odd deals or all even ones.
        turn = pd.Series(self.dealer ^ (self.number % 2 == 1) ^ (seated == 1))
        agreed = turn.groupby(self.game).transform("first").to_numpy(dtype=bool)
        self.refuse(
            turn.to_numpy() != agreed,
            "role", "the deal goes in turn, and by the game's first row it is the other",
        )  # fmt: skip

    @staticmethod
    def _among(cards: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell in which rows a known card is among the others."""
        same = (cards[:, :, None] == others[:, None, :]) & (cards[:, :, None] != UNKNOWN)
        found: NDArray[np.bool_] = same.any(axis=(1, 2))
        return found
