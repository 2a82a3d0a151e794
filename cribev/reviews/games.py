"""Games made into records: those that were played here, and those of other programs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from cribev.errors import CribevError, RecordError, quote
from cribev.game.cards import format_card, format_cards, parse_cards
from cribev.game.index_tables import KEEPS
from cribev.game.play import Play
from cribev.game.roles import Role, role_of
from cribev.game.score import (
    UNKNOWN,
    WINNING_SCORE,
    heels,
)
from cribev.reviews.record import ALL_COLUMNS, Record, as_record, show_points
from cribev.rows.columns import (
    PEGGED_COLUMNS,
)

if TYPE_CHECKING:
    from cribev.games.game import Game

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
