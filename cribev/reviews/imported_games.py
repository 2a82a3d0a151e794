"""Games as other programs write them: made rows of a record, and held to the rules."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from cribev.errors import CribevError, RecordError, quote
from cribev.game.cards import JACK, format_cards, parse_cards
from cribev.game.index_tables import KEEPS
from cribev.game.play_notation import CARDS_LAID, parse_play
from cribev.game.play_notation import peg_steps as peg
from cribev.game.roles import ROLES, Role, opposite_role, role_of
from cribev.game.score import HEELS, UNKNOWN, WINNING_SCORE
from cribev.reviews.cells import ALL_COLUMNS
from cribev.reviews.records import Record, as_record, show_points
from cribev.rows.columns import PEGGED_COLUMNS

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
    short = [at for at, row in enumerate(rows) if row.last and _breaks_off(row.deal.play)]
    if not short:
        return frame
    found = frame.assign(play=frame["play"].mask(frame.index.isin(short), ""))
    record = as_record(found)
    ended = [at for at in short if _ends_game(record, at, rows[at])]
    found.loc[ended, "play"] = frame.loc[ended, "play"]
    return found


def _breaks_off(play: str) -> bool:
    try:
        return 0 < len(parse_play(play).ranks) < CARDS_LAID
    except CribevError:
        return False


def _ends_game(record: Record, at: int, row: _Row) -> bool:
    """Tell whether a game ends in the play of a row; True if it is against the rules."""
    deal, hands = row.deal, dict[str, list[int]]()
    for player in (0, 1):
        if deal.hands[player]:
            kept = set(parse_cards(deal.hands[player]).tolist())
            kept -= set(parse_cards(deal.discards[player]).tolist())
            hands[deal.role(player)] = sorted(card >> 2 for card in kept)
    try:
        play = peg(parse_play(deal.play), **(hands if len(hands) == 2 else {}))
    except CribevError:
        return True  # for who reads the table to say what is wrong
    if WINNING_SCORE in record.scores_after[at]:
        return True
    before, role = record.scores[at].tolist(), deal.role(row.player)
    if UNKNOWN in before:
        return False
    score = dict(zip((role, opposite_role(role)), before, strict=True))
    score["dealer"] += HEELS * (record.starters[at] >> 2 == JACK)
    return any(score[side] + play.points[side] >= WINNING_SCORE for side in ROLES)


def _check_points(record: Record, rows: Sequence[_Row]) -> None:
    """Hold the points of hands, cribs and starters, and the winners, to the cards."""
    hands, cribs = (points.tolist() for points in show_points(record))
    for at, row in enumerate(rows):
        deal, card = row.deal, int(record.starters[at])
        starter = format_cards([card]) if card != UNKNOWN else ""
        kept = format_cards(record.deals[at][KEEPS[record.keeps[at]]])
        heels = HEELS * (card >> 2 == JACK)
        for what, counted, told in (
            (f"the hand {kept} with {starter}", hands[at], deal.hand_points[row.player]),
            (f"the crib with {starter}", cribs[at], deal.crib_points),
            (f"the starter {starter}", heels if starter else UNKNOWN, deal.heels),
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
