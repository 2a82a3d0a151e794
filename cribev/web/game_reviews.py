"""A game that is over: its review, its record, and what is kept of it for the history."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256

import pandas as pd
from starlette.requests import Request

from cribev.advice.cards import play_advice
from cribev.game.roles import opposite_role
from cribev.games.game import Game
from cribev.games.players import EXPERT, PLAYER, GreedyPlayer, answer_moves, decide
from cribev.practice.games import save_game
from cribev.practice.hands import Hand
from cribev.practice.lays import Lay
from cribev.practice.spots import Spot
from cribev.practice.store import StoreError
from cribev.reviews.page import Tile
from cribev.reviews.pgn import format_pgn
from cribev.reviews.played_games import game_table
from cribev.reviews.record import Record, as_record
from cribev.reviews.review import Review
from cribev.solution.solution import shipped_strategy
from cribev.web.practice_sessions import local_store
from cribev.web.review_pages import begin_review
from cribev.web.stored_reviews import (
    PendingReview,
    StoredReview,
    draw_review,
    draw_reviewed,
    review_fitting,
)
from cribev.web.work_queue import QueueFull

_YOU, _OPPONENT = "You", "Expert"
_FILE = "game.csv"
_EXAMPLE_SEED = 3
_FIGURES = ("accuracy", "ev_loss", "play_lost", "luck")


def game_csv(game: Game) -> str:
    """Write a game that is over as a record in CSV."""
    text: str = game_table(game, players=(_YOU, _OPPONENT)).to_csv(index=False, lineterminator="\n")
    return text


def game_pgn(game: Game) -> str:
    """Write a game that is over as PGN."""
    return format_pgn(as_record(game_table(game, players=(_YOU, _OPPONENT))))


@cache
def example_record() -> Record:
    """Return the record of a game that a greedy player lost to the expert.

    >>> sorted({*example_record().frame["player"]})
    ['Expert', 'Greedy']
    """
    game, greedy = Game(_EXAMPLE_SEED, dealer=EXPERT), GreedyPlayer()
    while game.winner is None:
        answer_moves(game)
        if game.phase == "next":
            game.next_deal(PLAYER)
        elif game.winner is None:
            game.make(decide(greedy, game.view(PLAYER)))
    return as_record(game_table(game, players=("Greedy", _OPPONENT)))


def example_key(request: Request) -> str:
    """Return the key of the review of `example_record`, begun if it is not there."""
    reviews = request.app.state.reviews
    key: str = reviews.of_games.get("", "")
    if key not in reviews:
        record = example_record()
        make = partial(draw_review, record, "example.csv")
        key = reviews.of_games[""] = begin_review(request, record, "example.csv", make)
    return key


def is_reviewable(game: Game) -> bool:
    """Tell whether a game is over, and something was done in it that can be graded."""
    return game.winner is not None and any(deal.starter is not None for deal in game.deals)


def review_key(request: Request, name: str, game: Game) -> str:
    """Return the key of the review of a game, which is begun if it is not there.

    Raises `QueueFull` if too many wait.
    """
    reviews = request.app.state.reviews
    key: str = reviews.of_games.get(name, "")
    if key in reviews:
        return key
    record = as_record(game_table(game, players=(_YOU, _OPPONENT)))

    def make(key: str) -> StoredReview:
        found = review_fitting(record)
        drawn = draw_reviewed(found, record, _FILE, key)
        with suppress(StoreError):  # the store tries again with what comes next
            keep_game(name, game, found)
        return drawn

    key = begin_review(request, record, _FILE, make)
    reviews.of_games[name] = key
    return key


def review_figures(request: Request, name: str, game: Game) -> tuple[list[Tile], bool]:
    """Return the first figures of a game's review, and whether they are still to come."""
    if not is_reviewable(game):
        return [], False
    reviews = request.app.state.reviews
    try:
        key = review_key(request, name, game)
    except QueueFull:
        return [], False
    stored: StoredReview | None = reviews.get(key)
    if stored is None:
        pending: PendingReview | None = reviews.pending.get(key)
        return [], pending is None or not pending.work.done()  # none: it was stored just now
    return [tile for tile in stored.tiles[_YOU] if tile.name in _FIGURES], False


def keep_game(name: str, game: Game, found: Review) -> None:
    """Save what the player threw and laid, and what it lost, for the history; hints apart.

    Raises `StoreError` if it cannot be saved. Saved twice, a game is in the store once.
    """
    save_game(
        local_store(),
        throws=_throws(game, found),
        lays=_lays(game),
        name=history_name(name),
    )


def history_name(name: str) -> str:
    """Return the name under which the history has a game, which does not tell the game's own."""
    return sha256(name.encode()).hexdigest()[:16]


def _throws(game: Game, found: Review) -> Iterator[tuple[Hand, pd.Series]]:
    rows, record = found.decisions[found.decisions["player"] == _YOU], game.record
    deals = {deal.number: deal for deal in game.deals}
    for _, row in rows.iterrows():
        deal = deals[int(row["deal"])]
        if (deal.number, PLAYER, -1) in game.hints or deal.starter is None:
            continue
        role = record.role(deal.number, PLAYER)
        other = deal.held(opposite_role(role))
        near = row.get("judged_by") == "win" and deal.score is not None
        score = deal.score.seen_by(role) if near and deal.score else None
        six, starter = deal.held(role).dealt, deal.starter
        hand = Hand(role, six, other.dealt, other.discard, starter, number=deal.number, score=score)
        yield hand, row


def _lays(game: Game) -> Iterator[Lay]:
    """List the cards that the player chose among several; hints apart."""
    for deal in game.deals:
        role, cut = game.record.role(deal.number, PLAYER), deal.starter
        if cut is None:
            continue
        near = deal.score is not None and deal.score.near_end
        score = deal.score.seen_by(role) if near and deal.score else None
        for position, chosen in deal.decisions(role):
            number, held = len(position.play.laid), deal.held(role)
            hinted = (deal.number, PLAYER, number) in game.hints
            if position.to_do != "card" or hinted or len(position.legal_ranks) < 2:
                continue
            spot = Spot(
                role,
                held.kept,
                held.discard,
                cut,
                tuple(step.card for step in position.play.steps),
                deal.held(opposite_role(role)).kept,
                number=deal.number,
            )
            advice = play_advice(spot.position, shipped_strategy(), score=score)
            yield Lay(spot, chosen[0], advice)
