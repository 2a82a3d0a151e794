"""Turn games into records: games played here, and those of other programs."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, product
from typing import TypeAlias

import numpy as np
import pandas as pd

from cribev.errors import CardError, CribevError, RecordError, quote
from cribev.game.cards import (
    SUITLESS_OFFSET,
    card_order,
    format_card,
    format_cards,
    parse_some_suits,
    take_card,
)
from cribev.game.deal import Deal, GameRecord, Held
from cribev.game.play import CARDS_KEPT, Play
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.game.score import UNKNOWN, WINNING_SCORE, Score, heels
from cribev.game.score_texts import format_scores
from cribev.game.scorer import score_hands
from cribev.records.cells import ALL_COLUMNS, RESULT
from cribev.records.record import Record, as_record
from cribev.rows.columns import as_text
from cribev.rows.names import FINAL_SCORE

CellTexts: TypeAlias = Mapping[tuple[int, str], Mapping[str, str]]
"""Cells of a table that are kept as they are, by deal and role."""

Skip: TypeAlias = Callable[[RecordError], object]
"""Called with what is wrong with a game that is left out."""


@contextmanager
def skipping(skip: Skip | None) -> Iterator[None]:
    """Call `skip` with a `RecordError` instead of raising it, if it is given."""
    try:
        yield
    except RecordError as error:
        if skip is None:
            raise
        skip(error)


def whole_or_good(
    whole: Callable[[], pd.DataFrame],
    games: Sequence[Callable[[], pd.DataFrame]],
    skip: Skip | None,
) -> pd.DataFrame:
    """Make a table of all parts; if one is bad and there is `skip`, of the good parts."""
    try:
        return whole()
    except RecordError:
        good = list[pd.DataFrame]()
        for game in games if skip is not None and len(games) > 1 else ():
            with skipping(skip):
                good.append(game())
        if not good:
            raise
    return pd.concat(good, ignore_index=True)


def games_table(
    games: Iterable[GameRecord],
    cells: Sequence[CellTexts] = (),
    *,
    most: int | None = None,
    skip: Skip | None = None,
) -> pd.DataFrame:
    """Write games as the table of a record, one row for each discard, the dealer's before pone's.

    It has the first score of each game, if known, and the `cells` of each game. The last play of a
    game is left out if it stops before the game is over. After more than `most` rows, no other game
    is added. Raises `RecordError`, which names game and deal, if a game is against the rules, or
    has the wrong winner. If given, `skip` is called with it instead, and the game is left out.
    """
    rows_of_games, size = dict[str, list[_Row]](), 0
    for number, game in enumerate(games):
        with skipping(skip):
            if game.name in rows_of_games:
                raise RecordError(f"two games are named {quote(game.name)}")
            rows_of_games[game.name] = _rows(game, cells[number] if cells else {})
            size += len(rows_of_games[game.name])
        if most is not None and size > most:
            break
    tables = [partial(_table, rows) for rows in rows_of_games.values() if rows]
    return whole_or_good(lambda: _table(chain(*rows_of_games.values())), tables, skip)


NO_DEAL = "there is no deal with a discard"

_Row: TypeAlias = tuple[GameRecord, Deal, dict[str, str]]
"""The cells of a discard, and where it was made."""


def _rows(game: GameRecord, cells: CellTexts) -> list[_Row]:
    left = dict(cells)
    rows = [
        (game, deal, _row(game, deal, role) | dict(left.pop((deal.number, role), {})))
        for deal, role in _seats(game)
    ]
    for unknown, whose in left:
        raise RecordError(f"{place_of(game.name, unknown)}: there is no hand of the {whose}")
    return rows


def _table(rows: Iterable[_Row]) -> pd.DataFrame:
    every = list(rows)
    if not every:
        raise RecordError(NO_DEAL)
    frame = pd.DataFrame([row for _, _, row in every], dtype=object).fillna("")
    known = [name for name in ALL_COLUMNS if name in frame]
    seats = enumerate(every)
    last = {index: (game, deal) for index, (game, deal, _) in seats if deal is game.deals[-1]}
    return _checked(frame[[*known, *(name for name in frame if name not in known)]], last)


def place_of(game: str, deal: int | str) -> str:
    """Say which deal an error is about."""
    return f"game {quote(game)}, deal {deal}"


def _seats(game: GameRecord) -> Iterator[tuple[Deal, Role]]:
    """List the seats whose six cards and discard are known."""
    for deal, role in product(game.deals, ROLES):
        if all(deal.held(role)):
            yield deal, role


def _row(game: GameRecord, deal: Deal, role: Role) -> dict[str, str]:
    own, other = deal.held(role), deal.held(opposite_role(role))
    player = [game.role(deal.number, player) for player in (0, 1)].index(role)
    row = {
        "game": game.name,
        "deal": str(deal.number),
        "player": game.players[player],
        "role": role,
        "cards": format_cards(own.dealt),
        "discard": format_cards(own.discard),
        "starter": "" if deal.starter is None else format_card(deal.starter),
        "opponent_discard": format_cards(other.discard),
        "play": deal.play.full_text,
    }
    first, whose = next(_seats(game))
    if deal is first and role == whose and deal.score is not None:
        points = np.array([deal.score.seen_by(role)])
        (row["score"],) = format_scores(points, np.array([role == "dealer"]))
    return row


def _checked(frame: pd.DataFrame, last: Mapping[int, tuple[GameRecord, Deal]]) -> pd.DataFrame:
    """Leave out unfinished plays of games not over; check winners against the cards."""
    short = {
        row: deal.play for row, (_, deal) in last.items() if deal.play.steps and not deal.play.over
    }
    checked = frame.assign(play=frame["play"].mask(frame.index.isin(list(short)), ""))
    record = as_record(checked)
    if ended := [row for row, play in short.items() if _ends_game(record, row, play)]:
        checked.loc[ended, "play"] = frame.loc[ended, "play"]
        record = as_record(checked)
    for row, (game, deal) in last.items():
        after = record.scores_after[row].tolist()
        if game.winner is None:
            continue
        if (name := str(checked["player"][row])) not in game.players:
            place = place_of(game.name, deal.number)
            raise RecordError(f"{place}, column 'player', {quote(name)}: who is not in the game")
        player = game.players.index(name)
        if WINNING_SCORE not in after:
            checked[FINAL_SCORE] = checked.get(FINAL_SCORE, pd.Series("", checked.index))
            checked.loc[row, FINAL_SCORE] = "0-1" if game.winner else "1-0"
            continue
        winner = player if after[0] == WINNING_SCORE else 1 - player
        if winner != game.winner:
            raise RecordError(
                f"{place_of(game.name, deal.number)}: by the cards {game.players[winner]} wins, "
                f"and the file says {game.players[game.winner]}"
            )
    return checked


def contradicted_results(record: Record) -> list[str]:
    """Say where the result of a game, as 121-95 or 1-0, is not the score of its deals."""
    if FINAL_SCORE not in record.frame:
        return []
    games, notes = record.frame["game"], dict[str, str]()
    stated = map(as_text, record.frame[FINAL_SCORE])
    last = record.frame["deal"] == record.frame.groupby("game")["deal"].transform("max")
    last &= (record.scores_after != UNKNOWN).all(axis=1)
    after = dict(zip(games[last], record.scores_after[last].tolist(), strict=True))
    for game, text in zip(games, stated, strict=True):
        result, score = RESULT.fullmatch(text), after.get(game)
        if result is None or score is None:
            continue
        said = sorted(min(int(points), WINNING_SCORE) for points in result.groups())
        won = said == [0, 1] and WINNING_SCORE in score
        if said != sorted(score) and not won:
            notes[game] = (
                f"game {game}: the result is {quote(text)}, and by its deals the score is "
                f"{score[0]}-{score[1]}"
            )
    return [*notes.values()]


def _ends_game(record: Record, row: int, play: Play) -> bool:
    """Return whether a game ends in the play of a row."""
    deal = record.deal(row)
    if WINNING_SCORE in record.scores_after[row]:
        return True
    return deal.score is not None and deal.score.plus(play.points, starter=deal.starter).over


def told_cards(place: str, column: str, text: str, count: int) -> list[int]:
    """Read cards; `RecordError` names the deal, the column and the text."""
    try:
        return [*parse_some_suits(text, count=count)]
    except CardError as error:
        raise RecordError(f"{place}, column {column!r}, {quote(text)}: {error}") from None


def held_of(place: str, cards: Collection[int], discard: Collection[int]) -> Held:
    """Read six cards, and the two of them that are discarded."""
    kept = [*cards]
    if not all(take_card(kept, card) for card in discard) or len(kept) != CARDS_KEPT:
        ordered: list[int] = sorted(cards, key=card_order)
        why = f"not two of the six cards {format_cards(ordered)}"
        raise RecordError(f"{place}, column 'discard', {quote(format_cards(discard))}: {why}")
    return Held(kept, discard)


def deal_of(number: int, held: Mapping[Role, Held], starter: int | None, *, starts: bool) -> Deal:
    """Make a deal from what a file says; at the start of a game, nobody has any points."""
    pone, dealer = (held.get(role, Held()) for role in ROLES[::-1])
    return Deal(pone, dealer, starter, score=Score(0, 0) if starts else None, number=number)


def with_play(place: str, deal: Deal, text: str) -> Deal:
    """Return a deal with its play, if one is written."""
    if not text:
        return deal
    try:
        return deal.with_play(text)
    except CribevError as error:
        raise RecordError(f"{place}, column 'play', {quote(text)}: {error}") from None


def check_points(
    place: str,
    deal: Deal,
    *,
    hands: Mapping[Role, int | None],
    crib: int | None,
    starter: int | None,
    pegged: Mapping[Role, int] | None,
    last: bool = False,
) -> None:
    """Check the counts in a file against the cards; the `last` deal may be unfinished."""
    if deal.starter is not None:
        cut = format_card(deal.starter)
        counts = [(f"the starter {cut}", heels(deal.starter), starter)]
        for role in ROLES:
            kept = deal.held(role).kept
            hand = f"the hand {format_cards(kept)} with {cut}"
            counts.append((hand, _count(kept, deal.starter), hands.get(role)))
        counts.append((f"the crib with {cut}", _count(deal.crib, deal.starter, crib=True), crib))
        for what, counted, told in counts:
            if told is not None and counted not in (UNKNOWN, told):
                raise RecordError(f"{place}: {what} counts {counted}, and the file says {told}")
    for role, points in (pegged or {}).items():
        by_play = deal.play.points[role]
        if points != by_play and not (last and points == by_play - _pegged_last(deal.play, role)):
            why = f"by the play it is {by_play}"
            raise RecordError(f"{place}, column 'pegged', '{points}': {why}")


def _pegged_last(play: Play, role: Role) -> int:
    """Count what a player pegs for the last card, or for a go after it."""
    last = max((last for last, step in enumerate(play.steps) if step.card is not None), default=0)
    pegs = [peg for step in play.steps[last:] for peg in step.pegs if peg.kind in ("go", "last")]
    return sum(peg.points for peg in pegs if peg.role == role)


def _count(cards: Sequence[int], starter: int, *, crib: bool = False) -> int:
    """Count a hand or a crib; `UNKNOWN` unless it has four cards, and all have suits."""
    if len(cards) != CARDS_KEPT or max(*cards, starter) >= SUITLESS_OFFSET:
        return UNKNOWN
    return int(score_hands(np.array([cards]), np.array([starter]), crib=crib)[0])
