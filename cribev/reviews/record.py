"""The record of a played game: read, held to the rules, and completed.

Each cell is read on its own, the rows of a deal are set across from each other, plays are held to
the rules and the cards, and scores are inferred where the cards allow it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile
from operator import gt
from typing import Any, NamedTuple, NoReturn, TypeAlias, TypeVar, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.choice import join_words
from cribev.classes.canonical import Index
from cribev.errors import CribevError, RecordError, quote
from cribev.game.cards import SUITLESS_OFFSET, Cards, format_cards
from cribev.game.deal import Deal, Held
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.play import Play
from cribev.game.roles import ROLES, role_of
from cribev.game.score import (
    UNKNOWN,
    WINNING_SCORE,
    Score,
    format_scores,
    format_scores_after,
    heels,
    heels_of,
    parse_points,
    parse_scores,
    parse_scores_after,
)
from cribev.game.scoring import score_hands
from cribev.rows.columns import (
    PEGGED_COLUMNS,
    RECORD_COLUMNS,
    REQUIRED_COLUMNS,
    SCORE_COLUMNS,
    as_text,
    parse_roles,
)
from cribev.rows.files import normalised_header
from cribev.rows.lines import format_hands, parse_lines

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

    def deal(self, at: int) -> Deal:
        """Return the cards of a deal, as far as they are known."""
        dealer, pone = (
            Held.of(*(cards if UNKNOWN not in cards else () for cards in (kept, discard)))
            for kept, discard in zip(
                self.kept[at].tolist(), self.discards[at].tolist(), strict=True
            )
        )
        starter = int(self.starters[at])
        return Deal(pone, dealer, None if starter == UNKNOWN else starter)

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


def check_plays(seats: Seats, deals: PairedDeals, cells: Cells) -> dict[int, Play]:
    """Read every play, by its deal; refuse one written in two ways, or against rules or cards."""
    plays: dict[int, Play] = {}
    read: dict[int, str] = {}
    for row, text in seats.plays.items():
        deal = int(deals.of_rows[row])
        if read.setdefault(deal, text) == text and deal in plays:
            continue
        try:
            play = deals.deal(deal).with_play(text).play
        except CribevError as error:
            cells.fail(row, "play", str(error))
        other = plays.setdefault(deal, play)
        if other.history != play.history:
            cells.fail(row, "play", f"the other player's row has {other.ranks_text}")
        if _suits_missing(play) < _suits_missing(other):
            plays[deal] = play
    return plays


def _suits_missing(play: Play) -> int:
    return sum(card >= SUITLESS_OFFSET for card in play.laid)


def pegged_points(
    seats: Seats, deals: PairedDeals, plays: Mapping[int, Play], cells: Cells
) -> Ints:
    """Return what both sides pegged ``(D, 2)``, by the play where there is one.

    A row may leave out points that fall after the game is over.
    """
    pegged = deals.pegged.copy()
    for deal, play in plays.items():
        points = pegged[deal] = list(play.points.values())
        least = _least_pegged(play, deals.before[deal].tolist(), int(deals.starters[deal]))
        for side, row in enumerate(deals.rows[deal].tolist()):
            sides = (side, 1 - side) if row >= 0 else ()
            for at, of in enumerate(sides):
                recorded = seats.pegged[row, at]
                if recorded != UNKNOWN and not least[of] <= recorded <= points[of]:
                    cells.fail(row, PEGGED_COLUMNS[at], f"by the play it is {points[of]}")
    return pegged


def _least_pegged(play: Play, before: Sequence[int], starter: int) -> list[int]:
    """Return the least each side may say it pegs: points after the game is over, or not."""
    points = list(play.points.values())
    if UNKNOWN in before:
        last_go = takewhile(lambda step: step.card is None, reversed(play.steps))
        of_go = [one for step in last_go for one in step.pegs]
        return [
            pegged - sum(one.points for one in of_go if one.role == role)
            for pegged, role in zip(points, ROLES, strict=True)
        ]
    needed = Score(before[1], before[0]).plus(starter=starter).needed.values()
    out = [pegged >= need for pegged, need in zip(points, needed, strict=True)]
    if not any(out):
        return points
    return [max(need, 0) if won else 0 for need, won in zip(needed, out, strict=True)]


def check_whole(seats: Seats, deals: PairedDeals, plays: Mapping[int, Play], cells: Cells) -> None:
    """Refuse a play that stops before all cards are laid, unless the game ends in it."""
    last = np.append(deals.game[1:] != deals.game[:-1], True)
    score = deals.before + deals.pegged
    score[:, 0] += heels_of(deals.starters)
    score = np.where(deals.before == UNKNOWN, deals.after, score)
    ended = (score >= WINNING_SCORE).any(axis=1) & last
    for row in seats.plays:
        deal = int(deals.of_rows[row])
        if not plays[deal].over and not ended[deal]:
            why = "the play ends before all cards are laid: expected the last go if there is"
            cells.fail(row, "play", f"{why} one, or a score by which the game ends in it")


BothPoints: TypeAlias = tuple[int, int]
"""Points of the dealer and of pone."""
Count: TypeAlias = tuple[int, int | None]
"""Who counts, 0 the dealer and 1 pone, and how many points, None if it is not known."""

_DEALER, _PONE = 0, 1


class InferredScores(NamedTuple):
    """The scores of both sides ``(D, 2)``, `UNKNOWN` where they are not known."""

    before: Ints
    """Before the deal."""
    after: Ints
    """After it; who has 121 has won."""
    notes: list[str]
    """Deals in which the score does not move as the cards count."""


@dataclass
class _Deal:
    """A deal and the score before and after it."""

    at: int
    """Which of the record's deals."""
    game: str
    number: int
    rows: list[int]
    before: BothPoints | None
    after: BothPoints | None

    def follows(self, other: "_Deal") -> bool:
        return self.number == other.number + 1

    @property
    def name(self) -> str:
        return f"game {self.game}, deal {self.number}"

    @property
    def over(self) -> bool:
        return self.after is not None and WINNING_SCORE in self.after


def infer_scores(deals: PairedDeals, plays: Mapping[int, Play], cells: Cells) -> InferredScores:
    """Infer the scores of each game from deal to deal.

    A score that is written stands, for people miscount. Otherwise the score after a deal is that
    before the next; or else what heels, play, hands and crib add to the score before, in the order
    they count, if all are known and no later score contradicts it.
    """
    before, after = deals.before.copy(), deals.after.copy()
    notes: list[str] = []
    if (before == UNKNOWN).all() and (after == UNKNOWN).all():
        return InferredScores(before, after, notes)
    counts = _Counts(deals, plays)
    for _, group in groupby(_score_deals(deals, cells), key=lambda deal: deal.game):
        game = list(group)
        _check(game, cells)
        _link_deals(game, cells)
        notes += _count(game, counts)
        for deal in game:
            for scores, score in ((before, deal.before), (after, deal.after)):
                if score is not None:
                    scores[deal.at] = score
    return InferredScores(before, after, notes)


def _score_deals(deals: PairedDeals, cells: Cells) -> Iterator[_Deal]:
    columns = (deals.number, deals.rows, deals.before, deals.after)
    for at, (number, rows, *scores) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        before, after = (None if UNKNOWN in score else tuple(score) for score in scores)
        yield _Deal(at, cells.texts["game"][max(rows)], number, rows, before, after)


def _count(game: list[_Deal], counts: "_Counts") -> list[str]:
    """Count on where no score is written; return where counts and scores differ."""
    notes = []
    for at, (deal, most) in enumerate(zip(game, _most_after(game), strict=True)):
        if at and deal.before is None and deal.follows(game[at - 1]):
            deal.before = _swapped(game[at - 1].after)
        if deal.before is None:
            continue
        if deal.after is not None:
            notes += counts.differing(deal)
            continue
        deal.after = _add_events(deal.before, counts.events(deal))
        if deal.after is not None and any(map(gt, deal.after, most)):
            why = "by the cards it is the last, and there are more"
            if not deal.over:
                why = f"by the cards it is {_score_text(deal.after)}, and a later score is less"
            notes.append(f"{deal.name}: {why}")
            deal.after = None
    return notes


def _swapped(score: BothPoints | None) -> BothPoints | None:
    """See a score as the next deal has it, unless the game is over."""
    return None if score is None or WINNING_SCORE in score else (score[1], score[0])


def _link_deals(deals: list[_Deal], cells: Cells) -> None:
    """Have the score after each deal be that before the next."""
    for deal, following in pairwise(deals):
        if not following.follows(deal) or following.before is None:
            continue
        across = (following.before[1], following.before[0])
        if deal.after is not None and deal.after != across and not deal.over:
            _refuse(cells, deal, "score_after", "the next deal has another score")
        if not deal.over:
            deal.after = across


def _check(deals: list[_Deal], cells: Cells) -> None:
    """Hold the scores of a game to what can be."""
    least = (0, 0)
    for at, deal in enumerate(deals):
        if at:
            if deals[at - 1].over:
                _refuse(cells, deal, "deal", "the game was over with the deal before")
            if (deal.number - deals[at - 1].number) % 2:
                least = (least[1], least[0])
        for column, score in (("score", deal.before), ("score_after", deal.after)):
            if score is None:
                continue
            if score[0] < least[0] or score[1] < least[1]:
                _refuse(cells, deal, column, "less than before: a score does not fall")
            least = score


def _most_after(deals: list[_Deal]) -> list[BothPoints]:
    """Return the most each can have after each deal, by the scores written later."""
    found: list[BothPoints] = []
    most: BothPoints = (WINNING_SCORE, WINNING_SCORE)
    for at in reversed(range(len(deals))):
        found.append(most)
        deal = deals[at]
        most = deal.before or deal.after or most
        most = min(most[0], WINNING_SCORE - 1), min(most[1], WINNING_SCORE - 1)
        if at and (deal.number - deals[at - 1].number) % 2:
            most = most[1], most[0]
    return found[::-1]


def _refuse(cells: Cells, deal: _Deal, column: str, why: str) -> None:
    """Refuse a cell of a deal, in the row where something is written."""
    rows = sorted(row for row in deal.rows if row >= 0)
    cells.fail(
        next((row for row in rows if cells.texts[column][row].strip()), rows[0]), column, why
    )


class _Counts:
    """What heels, plays, hands and cribs count."""

    def __init__(self, deals: PairedDeals, plays: Mapping[int, Play]) -> None:
        self._starters, self._pegged = deals.starters.tolist(), deals.pegged.tolist()
        self._hands = known_points(deals.kept, deals.starters[:, None]).tolist()
        cribs = deals.discards.reshape(-1, 4)
        self._cribs = known_points(cribs, deals.starters, crib=True).tolist()
        self._plays = plays

    def events(self, deal: _Deal) -> list[Count]:
        """List who counts what, in turn."""
        starter, hands = self._starters[deal.at], self._hands[deal.at]
        counts = [
            (_DEALER, UNKNOWN if starter == UNKNOWN else heels(starter)),
            *self._play(deal, heels(starter)),
            (_PONE, hands[_PONE]),
            (_DEALER, hands[_DEALER]),
            (_DEALER, self._cribs[deal.at]),
        ]
        return [(side, None if points == UNKNOWN else points) for side, points in counts]

    def _play(self, deal: _Deal, cut: int) -> Iterator[tuple[int, int]]:
        points = self._pegged[deal.at]
        out = [
            deal.before is not None
            and points[side] != UNKNOWN
            and deal.before[side] + cut * (side == _DEALER) + points[side] >= WINNING_SCORE
            for side in (_DEALER, _PONE)
        ]
        if deal.at in self._plays and all(out):
            for step in self._plays[deal.at].steps:
                for one in step.pegs:
                    yield ROLES.index(one.role), one.points
            return
        # Whoever is out had the last point; if both are, nobody knows who came first.
        for side in (_PONE, _DEALER) if out[_DEALER] else (_DEALER, _PONE):
            yield side, UNKNOWN if all(out) else points[side]

    def differing(self, deal: _Deal) -> list[str]:
        """Say where the score differs from the cards' count."""
        assert deal.before is not None
        assert deal.after is not None
        events = self.events(deal)
        texts = []
        counted = _add_events(deal.before, events)
        if deal.over or (counted is not None and WINNING_SCORE in counted):
            if counted is not None and _winner(counted) != _winner(deal.after):
                texts.append(f"by the cards it is {_score_text(counted)}")
        else:
            for side, role in enumerate(ROLES):
                own = [points for who, points in events if who == side]
                moved = deal.after[side] - deal.before[side]
                known = [points for points in own if points is not None]
                if len(known) == len(own) and sum(known) != moved:
                    texts.append(f"{role} scores {moved}, and {sum(known)} by the cards")
        return [f"{deal.name}: {join_words(texts, 'and')}"] if texts else []


def _add_events(before: BothPoints, events: list[Count]) -> BothPoints | None:
    """Count on from a score until somebody has 121, or something is not known.

    >>> _add_events((110, 100), [(0, 2), (1, 25), (0, 12)]), _add_events((0, 0), [(0, None)])
    ((112, 121), None)
    """
    score = list(before)
    for side, points in events:
        if points is None:
            return None
        score[side] += points
        if score[side] >= WINNING_SCORE:
            score[side] = WINNING_SCORE
            break
    return score[0], score[1]


def _winner(score: BothPoints) -> int | None:
    return score.index(WINNING_SCORE) if WINNING_SCORE in score else None


def _score_text(score: BothPoints) -> str:
    return f"{score[0]}*-{score[1]}"


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
    plays: NDArray[np.object_]
    """The `Play`, without cards where it is not recorded, ``(N,)``."""
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

    def deal(self, row: int) -> Deal:
        """Return the deal of a row, as far as that row tells it."""
        keep, role = self.keeps[row], role_of(self.dealer[row])
        own = Held.of(*(self.deals[row, places[keep]].tolist() for places in (KEEPS, DISCARDS)))
        starter, (points, opponents) = int(self.starters[row]), self.scores[row].tolist()
        return Deal(
            pone=own if role == "pone" else Held(),
            dealer=own if role == "dealer" else Held(),
            starter=None if starter == UNKNOWN else starter,
            play=self.plays[row],
            score=None if UNKNOWN in (points, opponents) else Score.of(points, opponents, role),
            number=int(self.frame["deal"].iloc[row]),
        )

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
    return _completed_record(cells, seats, deals, plays, tuple(notes))


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
    plays: Mapping[int, Play],
    notes: tuple[str, ...],
) -> Record:
    """Write a record out again, row by row."""
    starters = deals.starters[deals.of_rows]
    opponent_discards = deals.by_row(deals.discards)[:, 1]
    pegged, scores, after = map(deals.by_row, (deals.pegged, deals.before, deals.after))
    laid = np.full(len(starters), Play(), dtype=object)
    for row, deal in enumerate(deals.of_rows.tolist()):
        laid[row] = plays.get(deal, laid[row])
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
        "play": [play.full_text for play in laid],
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
        laid,
        notes,
    )
