"""The pages of play: a game against the expert, from the cut for deal to its review and record."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cribev.advice.cards import play_advice
from cribev.advice.discards import advise
from cribev.choice import format_chance
from cribev.errors import CribevError, GameError, MoveError, TurnError, quote
from cribev.game.cards import RANKS, as_cards, format_cards
from cribev.game.integers import parse_integer
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.games.game import Game
from cribev.games.players import EXPERT, PLAYER, GreedyPlayer, answer_moves, decide
from cribev.practice.problems import Problem
from cribev.practice.progress import local_time
from cribev.practice.session import save_game
from cribev.practice.store import StoreError
from cribev.reviews.games import game_table
from cribev.reviews.page import Tile
from cribev.reviews.pgn import format_pgn
from cribev.reviews.record import Record, as_record
from cribev.reviews.review import Review
from cribev.solution.solution import shipped_strategy
from cribev.web.api import local_games
from cribev.web.forms import (
    CHOOSE_TWO,
    parse_choice,
    parse_form,
    parse_query,
    reject_repeated,
    reject_unknown,
)
from cribev.web.pages import page_headline, render
from cribev.web.practice_sessions import local_store
from cribev.web.review import (
    PendingReview,
    StoredReview,
    begin_review,
    draw_review,
    draw_reviewed,
    review_fitting,
)
from cribev.web.table import table_context
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
            game.make(decide(greedy, game, PLAYER))
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
    """Save what the player chose, and what it lost, for the history; hints apart.

    Raises `StoreError` if it cannot be saved. Saved twice, a game is in the store once.
    """
    save_game(local_store(), _decisions(game, found), name=history_name(name))


def history_name(name: str) -> str:
    """Return the name under which the history has a game, which does not tell the game's own."""
    return sha256(name.encode()).hexdigest()[:16]


def _decisions(game: Game, found: Review) -> Iterator[tuple[Problem, Mapping[str, Any]]]:
    """List what the player chose, and what the review says of it; hints apart."""
    rows = found.decisions[found.decisions["player"] == _YOU]
    discards = dict(zip(rows["deal"], rows.to_dict("records"), strict=True))
    for deal in game.deals:
        role = game.record.role(deal.number, PLAYER)
        for position, chosen in deal.decisions(role):
            of_card = position.to_do == "card"
            number = len(position.play.laid) if of_card else -1
            if (deal.number, PLAYER, number) in game.hints or deal.starter is None:
                continue
            row = _graded_card(found, deal.number, number) if of_card else discards.get(deal.number)
            if row is None:
                continue
            score = deal.score if row.get("judged_by") == "win" else None
            known = replace(deal, play=position.play, score=score)
            problem = Problem.of(role, position.held, deal.held(opposite_role(role)), known)
            yield problem, row | ({"card": format_cards(chosen)} if of_card else {})


def _graded_card(found: Review, deal: int, laid: int) -> dict[str, Any] | None:
    """Return what the review says of the player's card after so many; None without a choice."""
    graded, frame = found.graded, found.graded.frame
    here = (frame["deal"] == deal) & (frame["number"] == laid + 1) & (frame["player"] == _YOU)
    for at in np.flatnonzero(here):
        row: dict[str, Any] = {str(name): cell for name, cell in frame.iloc[at].items()}
        valued = graded.valued[at]
        if valued is None:
            continue
        by_win = row["judged_by"] == "win"
        options = valued.options if by_win else valued.options.by_points
        best = sorted(RANKS.index(one.card) for one in options.rows if one.rank == 1)
        return row | {
            "best_card": " ".join(RANKS[rank] for rank in best),
            "ev_loss": row["loss"],
            "rank": options.option(row["card"]).rank,
        }
    return None


_COUNTS, _GAMES = "cribev_counts", "cribev_games"
_PRIVATE = {"Cache-Control": "private, no-store"}
_MAX_SEED = 2**63 - 1
_MOST_HINTS = 4
_MOST_LISTED = 12


class TableRequest(NamedTuple):
    """Who asks for a game: the settings that a browser keeps."""

    counts: bool
    """Whether the player counts the own hands."""
    names: tuple[str, ...]
    """The latest games, the last first. Names are secret: whoever knows one can play on."""

    @classmethod
    def of(cls, request: Request) -> "TableRequest":
        """Read them from the cookies."""
        names = request.cookies.get(_GAMES, "").split(".")
        return cls(request.cookies.get(_COUNTS) == "me", tuple(names[:_MOST_LISTED]))

    def keep(self, answer: Response) -> None:
        """Write them to the cookies."""
        values = {
            _COUNTS: "me" if self.counts else "page",
            _GAMES: ".".join(filter(None, self.names)),
        }
        for name, value in values.items():
            answer.set_cookie(name, value, max_age=31_536_000, httponly=True, samesite="strict")

    def with_game(self, name: str) -> "TableRequest":
        """Return the same with one more game."""
        return self._replace(
            names=(name, *(one for one in self.names if one != name))[:_MOST_LISTED]
        )


def lobby_page(given: Mapping[str, str], asked: TableRequest, *, error: str = "") -> str:
    """Draw the page on which a game begins, or goes on."""
    store, going, over = local_games(), [], []
    for name in asked.names:
        try:
            one = store.find(name)
        except GameError:  # the oldest make room, or are deleted
            continue
        game = one.game
        row = {
            "address": f"/play/{name}",
            "score": game.score,
            "deal": game.deal.number,
            "at": local_time(one.at),
            "won": game.winner == PLAYER,
        }
        if game.winner is None:
            going.append(row)
        else:
            over.append(row | {"seed": game.seed, "again": _seed_address(game, same=True)})
    values = {
        "here": "play",
        "going": going,
        "over": over,
        "seed": given.get("seed", ""),
        "first": given.get("first", ""),
        "counts": asked.counts,
        "error": error,
        "trouble": store.trouble,
    }
    return render("play.html", values)


def _seed_address(game: Game, *, same: bool) -> str:
    """Return the address that deals the same cards, from this end or from the other."""
    first: Role = "dealer" if (game.first_dealer == PLAYER) == same else "pone"
    return f"/play?{urlencode({'seed': str(game.seed), 'first': first})}"


def game_page(
    name: str,
    asked: TableRequest,
    show: tuple[int, int | None] = (1, None),
    *,
    figures: Sequence[Tile] = (),
    pending: bool = False,
    error: str = "",
    chosen: tuple[str, ...] = (),
) -> str:
    """Draw a game as its player sees it; of one that is over, with the figures of its review.

    They may be ``pending``. ``show`` says which hand is counted, and what the player said.
    """
    game = local_games().find(name).game
    table = table_context(game, *show, counts=asked.counts)
    number = game.deal.number
    acts = [at for at, one in enumerate(game.events) if one.kind in ("lay", "discard")]
    since = max((at for at in acts if game.events[at].player == PLAYER), default=0)
    values = {
        "here": "play",
        "address": f"/play/{name}",
        "table": table,
        "moves": len(game.moves),
        "counts": asked.counts,
        "error": error,
        "chosen": chosen,
        "news": [line for line in table["log"][since:] if line["deal"] == number],
        "hint": _hint(game) if game.is_hinted(PLAYER) else None,
        "figures": figures,
        "pending": pending,
        "reviewable": is_reviewable(game),
        # The seed tells the cards: nobody hears of it before the end.
        "shared": None
        if game.winner is None
        else {"same": _seed_address(game, same=True), "other": _seed_address(game, same=False)},
    }
    return render("game.html", values)


def _hint(game: Game) -> dict[str, Any]:
    """Say what to do now: by chances to win where somebody is near the end, else by points."""
    position = game.position(PLAYER)
    near = position.score is not None and position.score.near_end
    if not near:
        position = replace(position, score=None)
    rows: list[tuple[str, float | None, float]]
    if position.to_do == "discard":
        found = advise(position)
        rows = [(one.discard, one.win, one.expected) for one in found.choices[:_MOST_HINTS]]
        headline = f"throw {format_cards(as_cards(found.best.discard), symbols=True)}"
    else:
        advice = play_advice(position, shipped_strategy())
        legal = format_cards(position.legal).split()
        rows = [
            (" ".join(card for card in legal if card[0] == one.card), one.win, one.expected)
            for one in advice.choices
        ]
        headline = page_headline(advice.headline[0].lower() + advice.headline[1:])
    best = max(expected for _, _, expected in rows)
    return {
        "headline": headline,
        "what": "throw" if position.to_do == "discard" else "lay",
        "wins": near,
        "rows": [
            {
                "cards": cards,
                "win": "" if win is None else format_chance(win),
                "expected": expected,
                "behind": best - expected,
            }
            for cards, win, expected in rows
        ],
    }


def _parse_show(given: Mapping[str, str]) -> tuple[int, int | None]:
    """Read which hand of the show is counted, from 1, and what the player counted it for."""
    texts = given.get("show", "1"), given.get("counted", "")
    number = parse_integer(texts[0], least=1, most=9)
    counted = parse_integer(texts[1], most=29) if texts[1] else None
    if number is None or (texts[1] and counted is None):
        what = "counted" if number is not None else "show"
        raise CribevError(f"{what}={quote(given[what])}: expected a whole number")
    return number, counted


async def _lobby(request: Request) -> Response:
    given = parse_query(request, "seed", "first")
    parse_choice(given, "first", ROLES, "")
    asked, queue = TableRequest.of(request), request.app.state.queues.games
    page = await queue.run(lobby_page, given, asked)  # needs no tables
    return HTMLResponse(page, headers=_PRIVATE)


async def _new_game(request: Request) -> Response:
    parse_query(request)
    texts, _ = await parse_form(request)
    pairs = [(name, value) for name, values in texts.items() for value in values]
    given = reject_repeated(pairs)
    reject_unknown(given, "seed", "first", "count")
    counts = parse_choice(given, "count", ("page", "me"), "page") == "me"
    asked = TableRequest.of(request)._replace(counts=counts)
    first = parse_choice(given, "first", ROLES, "")
    text = given.get("seed", "").strip()
    seed = parse_integer(text, most=_MAX_SEED) if text else None
    if text and seed is None:
        error = f"seed={quote(text)}: expected a whole number from 0 up, below 2**63"
        return HTMLResponse(lobby_page(given, asked, error=error), 400)
    dealer = {"": None, "dealer": PLAYER, "pone": 1 - PLAYER}[first]
    return await _begun(request, asked, seed, dealer)


async def _begun(
    request: Request, asked: TableRequest, seed: int | None, dealer: int | None
) -> Response:
    """Begin a game, and lead to it."""

    def begin() -> str:
        name = local_games().create(seed=seed, dealer=dealer)
        with local_games().playing(name) as game:
            answer_moves(game)
        return name

    name = await request.app.state.queues.games.run_for(request, begin)
    answer = RedirectResponse(f"/play/{name}", 303)
    asked.with_game(name).keep(answer)
    return answer


async def _show_game(request: Request) -> Response:
    show = _parse_show(parse_query(request, "show", "counted"))
    asked, name = TableRequest.of(request), request.path_params["name"]
    queue = request.app.state.queues.games
    game: Game = await queue.run_for(request, lambda: local_games().find(name).game)
    figures, pending = review_figures(request, name, game)
    page: str = await queue.run_for(
        request, lambda: game_page(name, asked, show, figures=figures, pending=pending)
    )
    answer = HTMLResponse(page, headers=_PRIVATE)
    if name not in asked.names:  # a game begun elsewhere
        asked.with_game(name).keep(answer)
    return answer


async def _finished(request: Request) -> Game:
    """Find a game that is over: its record has the cards of both."""
    parse_query(request)
    name = request.path_params["name"]
    game: Game = await request.app.state.queues.games.run_for(
        request, lambda: local_games().find(name).game
    )
    if not is_reviewable(game):
        raise TurnError("the game goes on: it can be reviewed once it is over")
    return game


async def _review(request: Request) -> Response:
    game = await _finished(request)
    key = review_key(request, request.path_params["name"], game)
    return RedirectResponse(f"/review/{key}", 303)


async def _example(request: Request) -> Response:
    """Lead to the review of an example."""
    parse_query(request)
    await request.app.state.queues.games.run_for(request, example_record)
    return RedirectResponse(f"/review/{example_key(request)}", 303)


async def _download(request: Request) -> Response:
    game, kind = await _finished(request), request.path_params["kind"]
    if kind not in _RECORDS:
        raise HTTPException(404)
    media, write = _RECORDS[kind]
    name = {"Content-Disposition": f'attachment; filename="game.{kind}"'}
    return Response(write(game), media_type=media, headers=_PRIVATE | name)


_RECORDS = {"csv": ("text/csv", game_csv), "pgn": ("application/x-chess-pgn", game_pgn)}


async def _move(request: Request) -> Response:
    """Do what a form says; what is against the rules is told beside the game as it stands."""
    parse_query(request)
    texts, _ = await parse_form(request)
    name, what = request.path_params["name"], request.path_params["what"]
    asked, queue = TableRequest.of(request), request.app.state.queues.games
    if what == "counting":
        answer = RedirectResponse(f"/play/{name}", 303)
        asked._replace(counts=not asked.counts).keep(answer)
        return answer
    if what == "rematch":
        dealer = await queue.run_for(request, _other_dealer, name)
        return await _begun(request, asked, None, dealer)
    if what not in _MOVES:
        raise HTTPException(404)
    cards, at = texts.get("card", []), texts.get("at", [""])[0]
    try:
        moves = parse_integer(at) if at else None
        await queue.run_for(request, _make_move, name, what, cards, moves)
    except MoveError as error:
        status = 409 if isinstance(error, TurnError) else 422
        text, chosen = " ".join(str(error).split()), tuple(cards)
        page: str = await queue.run_for(
            request, lambda: game_page(name, asked, error=text, chosen=chosen)
        )
        return HTMLResponse(page, status, headers=_PRIVATE)
    return RedirectResponse(f"/play/{name}" + "?show=9" * (what == "resign"), 303)


def _make_move(name: str, what: str, cards: Sequence[str], moves: int | None) -> None:
    """Move in a game, and let the expert answer; `MoveError` if it is against the rules."""
    with local_games().playing(name, moves=moves) as game:
        if what == "discard" and len(cards) != 2:
            raise MoveError(CHOOSE_TWO)
        _MOVES[what](game, " ".join(cards))
        answer_moves(game)


_MOVES: Mapping[str, Callable[[Game, str], None]] = {
    "discard": lambda game, cards: game.discard(PLAYER, cards),
    "lay": lambda game, cards: game.lay(PLAYER, cards),
    "next": lambda game, _: game.next_deal(PLAYER),
    "resign": lambda game, _: game.resign(PLAYER),
    "hint": lambda game, _: game.hint(PLAYER),
}


def _other_dealer(name: str) -> int:
    """Return who deals first in a rematch: the other of the two."""
    return 1 - local_games().find(name).game.first_dealer


ROUTES = [
    Route("/review/example", _example),
    Route("/play", _lobby),
    Route("/play", _new_game, methods=["POST"]),
    Route("/play/{name}", _show_game),
    Route("/play/{name}/review", _review),
    Route("/play/{name}/game.{kind}", _download),
    Route("/play/{name}/{what}", _move, methods=["POST"]),
]
