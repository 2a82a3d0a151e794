"""The record of a played game: read, checked, and completed; and games made into records."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.classes.canonical import Index
from cribev.errors import CribevError, RecordError, quote
from cribev.game.cards import Cards, format_card, format_cards, parse_cards
from cribev.game.deal import Deal, Held
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.play import Play
from cribev.game.roles import ROLES, Role, role_of
from cribev.game.score import (
    UNKNOWN,
    WINNING_SCORE,
    Score,
    format_scores,
    format_scores_after,
    heels,
)
from cribev.reviews.scores import check_plays, check_whole, infer_scores, pegged_points
from cribev.reviews.seats import (
    ALL_COLUMNS,
    Cells,
    Ints,
    PairedDeals,
    Seats,
    format_card_rows,
    known_points,
    pair_seats,
    read_seats,
)
from cribev.rows.columns import PEGGED_COLUMNS

if TYPE_CHECKING:
    from cribev.games.game import Game

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


_STARTS = {"dealer": "0*-0", "pone": "0-0*"}
"""The score before the first deal."""


class ImportedDeal(NamedTuple):
    """A deal as text; players are 0 and 1, and what is not told is empty or None."""

    number: int
    dealer: int
    hands: tuple[str, str]
    """Six cards of each player; a player without them gets no row."""
    discards: tuple[str, str]
    starter: str = ""
    play: str = ""
    """As `cribev.peg` reads it; counts and points may follow the cards, and are checked."""
    pegged: tuple[int, int] | None = None
    """What the file says each pegs in all."""
    hand_points: tuple[int | None, int | None] = (None, None)
    """What it says the hands count."""
    crib_points: int | None = None
    heels: int | None = None

    def role(self, player: int) -> Role:
        """Return the role of a player."""
        return role_of(player == self.dealer)


class ImportedGame(NamedTuple):
    """A game that another program tells."""

    name: str
    players: tuple[str, str]
    deals: Sequence[ImportedDeal]
    winner: int | None = None
    """The player of whom the file says so."""
    cells: Mapping[tuple[int, str], Mapping[str, str]] | None = None
    """Cells that stand for themselves, by deal and role; without them a game starts at 0-0."""


class _Row(NamedTuple):
    """Where a row of the table comes from."""

    game: ImportedGame
    deal: ImportedDeal
    player: int

    @property
    def last(self) -> bool:
        return self.deal is self.game.deals[-1]

    @property
    def place(self) -> str:
        return f"game {quote(self.game.name)}, deal {self.deal.number}"


def imported_table(games: Sequence[ImportedGame]) -> pd.DataFrame:
    """Write games as the table of a record, whose rows and points agree with the rules.

    The last play of a game is left out if it breaks off before the game is over. Raises
    `RecordError`, which names game and deal.

    >>> deal = ImportedDeal(1, 0, ("5H 5D JS QC 2H 8D", ""), ("2H 8D", "9S KD"), "4C")
    >>> imported_table([ImportedGame("7", ("Ann", ""), [deal])])["score"].tolist()
    ['0*-0']
    >>> imported_table([ImportedGame("7", ("Ann", ""), [deal._replace(hand_points=(9, None))])])
    Traceback (most recent call last):
    cribev.errors.RecordError: game '7', deal 1: the hand 5D 5H JS QC with 4C counts 10, and the
    file says 9
    """
    rows, table = list[_Row](), list[dict[str, str]]()
    names = set[str]()
    for game in games:
        if game.name in names:
            raise RecordError(f"two games are named {quote(game.name)}")
        names.add(game.name)
        for row, cells in _rows(game):
            rows.append(row)
            table.append(cells)
    if not rows:
        raise RecordError("there is no deal with a discard")
    every = list(dict.fromkeys(column for cells in table for column in cells))
    columns = [*(name for name in ALL_COLUMNS if name in every)]
    columns += [name for name in every if name not in columns]
    texts = [[cells.get(column, "") for column in columns] for cells in table]
    frame = _without_unfinished(pd.DataFrame(texts, columns=columns, dtype=object), rows)
    _check_points(as_record(frame), rows)
    return frame


def distinct_players(first: str, second: str) -> tuple[str, str]:
    """Tell players of one name apart.

    >>> distinct_players("Ann", "Ben"), distinct_players("bot", "bot")
    (('Ann', 'Ben'), ('bot 1', 'bot 2'))
    """
    return (first, second) if first != second else (f"{first} 1", f"{second} 2")


def _rows(game: ImportedGame) -> Iterator[tuple[_Row, dict[str, str]]]:
    """Write the rows of a game, the dealer's first in each deal."""
    cells = {place: dict(own) for place, own in (game.cells or {}).items()}
    begins = game.cells is None and bool(game.deals) and game.deals[0].number == 1
    for deal in game.deals:
        for player in (deal.dealer, 1 - deal.dealer):
            if not deal.hands[player]:
                continue
            row, role = _Row(game, deal, player), deal.role(player)
            written = {
                "game": game.name,
                "deal": str(deal.number),
                "player": game.players[player],
                "role": role,
                "cards": deal.hands[player],
                "discard": deal.discards[player],
                "starter": deal.starter,
                "opponent_discard": deal.discards[1 - player],
                "play": deal.play,
            }
            # At the end of a game the last points are counted, or they are not.
            if deal.pegged is not None and not row.last:
                both = deal.pegged[player], deal.pegged[1 - player]
                written |= dict(zip(PEGGED_COLUMNS, map(str, both), strict=True))
            if begins:
                written["score"] = _STARTS[role]
                begins = False
            yield row, written | cells.pop((deal.number, role), {})
    for number, whose in cells:
        raise RecordError(
            f"game {quote(game.name)}, deal {number}: there is no hand of the {whose}"
        )


def _without_unfinished(frame: pd.DataFrame, rows: Sequence[_Row]) -> pd.DataFrame:
    """Leave out plays that break off in games that are not over."""
    plays = {at: _read_play(row.deal) for at, row in enumerate(rows) if row.last}
    short = {at: play for at, play in plays.items() if play.steps and not play.over}
    if not short:
        return frame
    found = frame.assign(play=frame["play"].mask(frame.index.isin(list(short)), ""))
    record = as_record(found)
    ended = [at for at, play in short.items() if _ends_game(record, at, play)]
    found.loc[ended, "play"] = frame.loc[ended, "play"]
    return found


def _read_play(deal: ImportedDeal) -> Play:
    """Read a play; none of it if it is against the rules, for who reads the table to say so."""
    try:
        hands: dict[Role, list[int]] = {
            deal.role(player): np.setdiff1d(parse_cards(hand), parse_cards(discard)).tolist()
            for player, (hand, discard) in enumerate(zip(deal.hands, deal.discards, strict=True))
            if hand
        }
        return Play.parse(deal.play, hands if len(hands) == 2 else {})
    except CribevError:
        return Play()


def _ends_game(record: Record, at: int, play: Play) -> bool:
    """Tell whether a game ends in the play of a row."""
    deal = record.deal(at)
    if WINNING_SCORE in record.scores_after[at]:
        return True
    return deal.score is not None and deal.score.plus(play.points, starter=deal.starter).over


def _check_points(record: Record, rows: Sequence[_Row]) -> None:
    """Hold the points of hands, cribs and starters, and the winners, to the cards."""
    hands, cribs = (points.tolist() for points in show_points(record))
    for at, row in enumerate(rows):
        deal, card = row.deal, int(record.starters[at])
        starter = format_cards([card]) if card != UNKNOWN else ""
        kept = format_cards(record.deals[at][KEEPS[record.keeps[at]]])
        for what, counted, told in (
            (f"the hand {kept} with {starter}", hands[at], deal.hand_points[row.player]),
            (f"the crib with {starter}", cribs[at], deal.crib_points),
            (f"the starter {starter}", heels(card) if starter else UNKNOWN, deal.heels),
        ):
            if told is not None and counted not in (UNKNOWN, told):
                raise RecordError(f"{row.place}: {what} counts {counted}, and the file says {told}")
        after = record.scores_after[at].tolist()
        if row.last and row.game.winner is not None and WINNING_SCORE in after:
            winner = row.player if after[0] == WINNING_SCORE else 1 - row.player
            if winner != row.game.winner:
                players = row.game.players
                raise RecordError(
                    f"{row.place}: by the cards {players[winner]} wins, and the file says "
                    f"{players[row.game.winner]}"
                )


HINTS = "hints"
"""The column that says where a player asked what to do."""


def game_table(
    game: "Game", *, players: tuple[str, str] = ("You", "Expert"), name: str = "1"
) -> pd.DataFrame:
    """Write a game as the table of a record, a row for each discard, as `cribev.review` takes it.

    It tells the cards of both, so it is for a game that is over. In each deal the first player's
    row is first, whoever deals, so that a review begins with that player. A deal that ends before
    both have thrown is left out. Where a player asked for hints, there is a column ``hints``:
    "discard", and the numbers of the cards asked about, counted from 1 over all that are laid in
    the deal.

    Raises `RecordError` if nobody has thrown, or both players have one name.

    >>> from cribev.games.game import Game
    >>> game = Game(7, dealer=0)
    >>> game.discard(0, "3H KC")
    >>> game.discard(1, "3C 9H")
    >>> game.hint(1)
    >>> game.resign(1)
    >>> table = game_table(game)
    >>> table["cards"].tolist(), table["hints"].tolist()
    (['3H 5C 6S 8H 8S KC', '3C 4D 6D 7C 7H 9H'], ['', '1'])
    """
    record = game.record
    deals = [deal for deal in record.deals if deal.starter is not None]
    imported = []
    for deal in deals:
        held = [deal.held(record.role(deal.number, player)) for player in (0, 1)]
        imported.append(
            ImportedDeal(
                number=deal.number,
                dealer=record.dealer(deal.number),
                hands=(format_cards(held[0].dealt), format_cards(held[1].dealt)),
                discards=(format_cards(held[0].discard), format_cards(held[1].discard)),
                starter=format_card(deal.starter or 0),
                play=deal.play.full_text,
            )
        )
    table = imported_table([ImportedGame(name, players, imported, record.winner)])
    if any(number == deal.number for deal in deals for number, _, _ in game.hints):
        table[HINTS] = [
            _hints(game, deal.number, player)
            for deal in deals
            for player in (record.dealer(deal.number), 1 - record.dealer(deal.number))
        ]
    leads = table["player"].to_numpy()[::2] == players[0]
    pairs = np.arange(len(table)).reshape(-1, 2)
    order = np.where(leads[:, None], pairs, pairs[:, ::-1]).ravel()
    return table.iloc[order].reset_index(drop=True)


def _hints(game: "Game", number: int, player: int) -> str:
    """Write where a player asked in a deal."""
    asked = [laid for deal, whose, laid in game.hints if (deal, whose) == (number, player)]
    return " ".join("discard" if laid < 0 else str(laid + 1) for laid in asked)
