"""The pages of play: a game against a level, from the cut for deal to its review and record."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import islice
from typing import Any
from urllib.parse import urlencode

import pandas as pd
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from cribev.advice.cards import PlayAdvice
from cribev.advice.decisions import Decision
from cribev.advice.players import PLAYED, Level
from cribev.app.games.course import happened
from cribev.app.games.database import StoreError
from cribev.app.games.game import EXPERT, MAX_SEED, PLAYER, Game, GameError, MoveError, TurnError
from cribev.app.games.levels import NEWCOMER, advised, answer_moves, decide
from cribev.app.games.records import game_table
from cribev.app.games.store import StoredGame, local_games
from cribev.app.web import forms
from cribev.app.web.guard import QueueFull
from cribev.app.web.kept_reviews import PendingReview, StoredReview, local_reviews
from cribev.app.web.pages import (
    MAX_HAND,
    local_time,
    missed_line,
    page_headline,
    place_played,
    render,
)
from cribev.app.web.review import begin_review, recall
from cribev.errors import CribevError, quote
from cribev.game import score
from cribev.game.cards import format_cards
from cribev.game.deal import Position
from cribev.game.roles import ROLES, opposite_role
from cribev.game.words import format_chance, format_points, parse_integer, true_minus
from cribev.grades.summary import result_text
from cribev.records.pgn import format_pgn
from cribev.records.record import Record, as_record

_LANE = 60  # holes of a lane, out or back


def hole_at(player: int, points: int) -> tuple[float, float]:
    """Return where a peg of the player (0) or the opponent (1) stands, in units of the board."""
    if points >= score.WINNING_SCORE:
        return 26, 42
    if points <= 0:
        return 26, (28, 14)[player]
    out = points <= _LANE
    step = (points if out else 2 * _LANE + 1 - points) - 1
    return 46 + 10 * step + 4 * (step // 5), ((28, 14) if out else (56, 70))[player]


_HOLES = [hole_at(player, hole) for player in (0, 1) for hole in range(score.WINNING_SCORE + 1)]
_HOLES += [(12, 28), (12, 14)]

BOARD: Mapping[str, Any] = {
    "wide": 714,
    "high": 84,
    "holes": "".join(f"M{x} {y}h0" for x, y in dict.fromkeys(_HOLES)),
    "marks": [
        {"x": hole_at(0, hole)[0] + 7, "out": hole, "back": 2 * _LANE - hole}
        for hole in (15, 30, 45)
    ],
    "skunks": [{"x": hole_at(0, line)[0] + 7, "line": line} for line in score.SKUNK_LINES],
}
"""The board before a peg is in it."""


def _result(game: Game) -> str:
    own, other = game.score
    resigned = game.resigned and game.winner != PLAYER
    return f"resigned at {own}–{other}" if resigned else result_text(own, other)


def pegs_at(scores: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """Place two pegs a player, the present score in front of the one before, the player's first."""
    pegs = []
    for player in (0, 1):
        now = scores[-1][player]
        before = max((both[player] for both in scores if both[player] < now), default=None)
        back = (12, hole_at(player, 0)[1]) if before is None else hole_at(player, before)
        for front, (x, y) in ((False, back), (True, hole_at(player, now))):
            pegs.append({"player": player, "front": front, "x": x, "y": y})
    return pegs


def table_context(game: Game, number: int, counted: int | None, *, counts: bool) -> dict[str, Any]:
    """Gather what ``game.html`` shows to the player, and nothing that the player may not see."""
    position, hands = game.position(PLAYER), game.shown
    to_do: str = game.to_do(PLAYER)
    number = min(number, len(hands) + 1)
    events = [*game.events]
    show: dict[str, Any] | None = None
    if to_do in ("next", "over") and not number and not game.resigned:
        to_do, events = "played", events[: _played_out(game)]
    elif to_do in ("next", "over") and 0 < number <= len(hands):
        # Earlier events, and the hands of this deal that were counted.
        ends = [
            index
            for index, event in enumerate(events)
            if event.deal == game.deal.number and event.show
        ]
        ends.append(len(events) - sum(event.kind in ("win", "resign") for event in events))
        own, last_show = hands[number - 1].player == PLAYER, hands[number - 1].show
        assert last_show is not None
        counted = counted if own and counts else None
        asks = own and counts and counted is None
        events = events[: ends[number - asks]]
        show = {
            "own": own,
            "crib": last_show.crib,
            "cards": last_show.hand,
            "combinations": [] if asks else last_show.combinations,
            "spoken": "" if asks else last_show.spoken,
            "total": 0 if asks else last_show.total,
            "asks": asks,
            "counted": counted,
            "missed": [] if counted is None else missed_line(last_show, counted),
            "number": number,
            "last": number == len(hands),
        }  # fmt: skip
    scores = [(0, 0), *(event.score for event in events)]
    return {
        "to_do": "show" if show else to_do,
        "number": game.deal.number,
        "dealer": position.role == "dealer",
        "score": scores[-1],
        "pegs": pegs_at(scores),
        "position": position,
        "legal": game.legal(PLAYER),
        "backs": len(game.deal.left(opposite_role(position.role))),
        "crib": len(game.deal.crib),
        "heels": score.heels(position.starter),
        "played": place_played(position.play, position.role),
        "show": show,
        "result": not hands,
        "won": game.winner == PLAYER if to_do == "over" and not show else None,
        "resigned": game.resigned,
        "ended": _result(game) if game.winner is not None else "",
        "log": [*enumerate(events)],
    }


def _played_out(game: Game) -> int:
    """Return how many events there are before the hands of the deal are counted, or won by."""
    kinds = ("hand", "crib", "win", "resign")
    number = game.deal.number
    ended = (
        index
        for index, event in enumerate(game.events)
        if event.deal == number and event.kind in kinds
    )
    return next(ended, len(game.events))


_YOU = "You"


def _table(stored: StoredGame) -> pd.DataFrame:
    opponent = f"{stored.opponent} in games" if stored.opponent == _YOU else stored.opponent
    return game_table(stored.game, players=(_YOU, opponent))


@cache
def example_record() -> Record:
    """Return the record of a game that a greedy player lost to the expert."""
    game, greedy = Game(3, dealer=EXPERT), Level("greedy")
    while game.winner is None:
        answer_moves(game)
        if game.phase == "next":
            game.next_deal(PLAYER)
        elif game.winner is None:
            game.make(decide(greedy, game, PLAYER))
    return as_record(game_table(game, players=("Greedy", "Expert")))


def _source(name: str) -> str:
    """Return the source of the review of a game."""
    return f"game {name}"


def _noting(name: str) -> Callable[[StoredReview], None]:
    """Return a function that stores what the review of a game says."""

    def note(drawn: StoredReview) -> None:
        tiles = drawn.tiles[_YOU]
        accuracy = next((tile.value for tile in tiles if tile.name == "accuracy"), "–")
        with suppress(StoreError, GameError, TurnError):
            local_games().note(name, accuracy=accuracy)

    return note


def review_key(request: Request, name: str, stored: StoredGame) -> str:
    """Return the key of the review of a game, begun if need be and noted of it; or `QueueFull`."""
    reviews = request.app.state.reviews
    key: str = reviews.of_sources.get(_source(name), "")
    if key in reviews:
        return key
    record, source = as_record(_table(stored)), _source(name)
    return begin_review(
        request, record, "game.csv", source=source, then=_noting(name), learner=_YOU
    )


def review_figures(
    request: Request, name: str, stored: StoredGame
) -> tuple[StoredReview | None, PendingReview | str]:
    """Return the review of a game, or how far it is, or that there is none."""
    if not stored.game.reviewable:
        return None, ""
    reviews = request.app.state.reviews
    try:
        key = review_key(request, name, stored)
    except QueueFull:
        return None, "later"
    pending: PendingReview | None = reviews.pending.get(key)
    return reviews.get(key), "" if pending is None or pending.work.done() else pending


_COUNTS = "cribev_counts"
NO_STORE = {"Cache-Control": "private, no-store"}
_MOST_LISTED = 12


def counts_own(request: Request) -> bool:
    """Return whether the player counts the own hands, which the browser keeps."""
    return forms.remembered(request, _COUNTS) == "me"


def _keep_counts(answer: Response, counts: bool) -> None:
    forms.remember(answer, _COUNTS, "me" if counts else "page")


def lobby_page(query: Mapping[str, str], *, counts: bool, error: str = "") -> str:
    """Draw the page on which a game begins, or goes on, with the latest games."""
    listed = [*islice(local_games().played(), _MOST_LISTED)]
    latest = [(name, game) for name, game in listed if isinstance(game, StoredGame)]
    games = sorted(latest, key=lambda named: named[1].started, reverse=True)
    values = {
        "here": "play",
        "going": [(name, game) for name, game in games if not _is_over(game)],
        "over": [(name, game) for name, game in games if _is_over(game)],
        "damaged": [(name, told) for name, told in listed if isinstance(told, GameError)],
        "local_time": local_time,
        "seed_address": _seed_address,
        "result": _result,
        # The hands of the deal may still be counted.
        "score": lambda game: game.events[_played_out(game) - 1].score,
        "seed": query.get("seed", ""),
        "first": query.get("first", ""),
        "levels": {name: Level(name) for name in PLAYED},
        "level": query.get("level") or (latest[0][1].level if latest else NEWCOMER),
        "counts": counts,
        "error": error,
    }
    return render("play.html", values)


def _is_over(stored: StoredGame) -> bool:
    """Return whether a game is over, and its player knows how it ended."""
    return stored.game.winner is not None and (stored.seen or stored.game.resigned)


def _seed_address(stored: StoredGame, *, same: bool) -> str:
    """Return the address that deals the same cards, from this end or from the other."""
    game, level = stored.game, stored.level
    first = "dealer" if (game.first_dealer == PLAYER) == same else "pone"
    asked = {"seed": str(game.seed), "first": first, "level": level}
    return f"/play?{urlencode(asked)}"


def game_page(
    name: str,
    show: tuple[int, int | None] = (0, None),
    *,
    counts: bool,
    reviewed: StoredReview | None = None,
    pending: PendingReview | str = "",
    error: str = "",
    chosen: Sequence[str] = (),
    line: bool = False,
) -> str:
    """Draw a game for its player, with `review_figures` and a deal's best ``line`` once over."""
    stored = local_games().find(name)
    game = stored.game
    table = table_context(game, *show, counts=counts)
    if table["won"] is not None:
        with suppress(TurnError, StoreError):
            local_games().note(name, seen=True)
    number, line = game.deal.number, line and game.phase in ("next", "over")
    told = ("hand", "crib") if table["show"] else ()  # one after another, each once
    acts = [
        index
        for index, event in table["log"]
        if event.kind in told or (event.player == PLAYER and event.kind in ("play", "discard"))
    ]
    since = acts[-1] if acts else 0
    values = {
        "here": "play",
        "address": f"/play/{name}",
        "stored": stored,
        "words": Level(stored.level).habits.words or "Plays by habits found in games.",
        "table": table,
        "board": BOARD,
        "position": table["position"],
        "happened": happened,
        "moves": len(game.moves),
        "counts": counts,
        "error": error,
        "chosen": chosen,
        "news": [event for _, event in table["log"][since:] if event.deal == number],
        "hint": hint_context(table["position"]) if game.is_hinted(PLAYER) else None,
        "hints": sum(whose == PLAYER for _, whose, _ in game.hints),
        "shown": show,
        "best_line": best_line(game) if line else None,
        "reviewed": reviewed,
        "tiles": reviewed.tiles[_YOU] if reviewed else [],
        "pending": pending,
        "seed_address": partial(_seed_address, stored),  # for the end: the seed tells the cards
    }
    return render("game.html", values)


def _parse_show(query: Mapping[str, str]) -> tuple[int, int | None]:
    """Read which hand of the show is counted, 0 before the first, and what it was counted for."""
    texts = query.get("show", "0"), query.get("counted", "")
    number = parse_integer(texts[0], most=9)
    counted = parse_integer(texts[1], most=MAX_HAND) if texts[1] else None
    if number is None or (texts[1] and counted is None):
        what = "counted" if number is not None else "show"
        raise CribevError(f"{what}={quote(query[what])}: expected a whole number")
    return number, counted


async def _lobby(request: Request) -> Response:
    query = forms.parse_query(request, "seed", "first", "level")
    forms.parse_choice(query, "first", ROLES, "")
    _parse_level(query, "")
    draw = partial(lobby_page, query, counts=counts_own(request))
    page = await request.app.state.short_work.run(draw)  # needs no tables
    return HTMLResponse(page, headers=NO_STORE)


def _parse_level(query: Mapping[str, str], default: str) -> str:
    """Read whom to play: the name of a level, people, or habits as JSON."""
    if (text := query.get("level", "")).startswith("{"):
        return Level(text).name
    return forms.parse_choice(query, "level", PLAYED, default)


def _new_game(asked: forms.Asked) -> Response:
    fields = forms.fields_once(asked.texts)
    forms.reject_unknown(fields, "seed", "first", "count", "level")
    level = _parse_level(fields, NEWCOMER)
    counts = forms.parse_choice(fields, "count", ("page", "me"), "page") == "me"
    first = forms.parse_choice(fields, "first", ROLES, "")
    text = fields.get("seed", "").strip()
    seed = parse_integer(text, most=MAX_SEED - 1) if text else None
    if text and seed is None:
        error = f"seed={quote(text)}: expected a whole number from 0 up, below 2**129"
        return HTMLResponse(lobby_page(fields, counts=counts, error=error), 400)
    dealer = {"": None, "dealer": PLAYER, "pone": 1 - PLAYER}[first]
    answer = _begun(local_games().create(seed=seed, dealer=dealer, level=level))
    _keep_counts(answer, counts)
    return answer


def _begun(name: str) -> Response:
    """Let the opponent begin a game, if it does, and lead to it."""
    local_games().move(name, lambda _: None)
    return forms.see_other(f"/play/{name}")


async def _show_game(request: Request) -> Response:
    query = forms.parse_query(request, "show", "counted", "line", "chosen")
    show, line = _parse_show(query), forms.parse_flag(query, "line")
    name, queue = request.path_params["name"], request.app.state.short_work
    stored: StoredGame = await queue.run_for(request, local_games().find, name)
    if stored.game.reviewable:
        await recall(request, _source(name))
    reviewed, pending = review_figures(request, name, stored)
    shown: dict[str, Any] = {"counts": counts_own(request), "line": line, "reviewed": reviewed}
    shown |= {"chosen": query.get("chosen", "").split(), "pending": pending}
    page: str = await queue.run_for(request, partial(game_page, name, show, **shown))
    return HTMLResponse(page, headers=NO_STORE)


def _finished(name: str) -> StoredGame:
    """Find a game that is over: its record has the cards of both."""
    stored = local_games().find(name)
    if stored.game.winner is None:
        raise TurnError("the game goes on: it can be reviewed once it is over")
    if not stored.game.reviewable:
        raise TurnError("the game was given up before the first cut: nothing of it can be reviewed")
    return stored


async def _review(request: Request) -> Response:
    forms.parse_query(request)
    name = request.path_params["name"]
    stored = await request.app.state.short_work.run_for(request, _finished, name)
    await recall(request, _source(name))
    return forms.see_other(f"/review/{review_key(request, name, stored)}")


async def _example(request: Request) -> Response:
    """Lead to the review of an example, begun if need be."""
    forms.parse_query(request)
    record = await request.app.state.short_work.run_for(request, example_record)
    reviews = request.app.state.reviews
    if (key := reviews.of_sources.get("example", "")) not in reviews:
        key = begin_review(request, record, "example.csv", source="example")
    return forms.see_other(f"/review/{key}")


def _download(asked: forms.Asked) -> Response:
    stored, kind = _finished(asked.name), asked.request.path_params["kind"]
    if kind not in _RECORDS:
        raise HTTPException(404)
    media, write = _RECORDS[kind]
    name = {"Content-Disposition": f'attachment; filename="game.{kind}"'}
    return Response(write(_table(stored)), media_type=media, headers=NO_STORE | name)


_RECORDS: Mapping[str, tuple[str, Callable[[pd.DataFrame], str]]] = {
    "csv": ("text/csv", lambda table: table.to_csv(index=False, lineterminator="\n")),
    "pgn": ("application/x-chess-pgn", lambda table: format_pgn(as_record(table))),
}


def _move(asked: forms.Asked) -> Response:
    """Make the move of a form; an illegal one is reported beside the game."""
    name, what, texts = asked.name, asked.request.path_params["what"], asked.texts
    counts, games = counts_own(asked.request), local_games()
    if what == "counting":
        answer = forms.see_other(f"/play/{name}")
        _keep_counts(answer, not counts)
        return answer
    if what in ("rematch", "swap"):
        stored = games.find(name)
        if stored.game.winner is None:
            raise TurnError("the game goes on")
        seed = stored.game.seed if what == "swap" else None
        dealer = 1 - stored.game.first_dealer
        return _begun(games.create(seed=seed, dealer=dealer, level=stored.level))
    if what == "forget":
        games.forget(name)
        local_reviews().forget(local_reviews().key_of(_source(name)))
        return forms.see_other("/play")
    cards, moves = texts.get("card", []), texts.get("at", [""])[0]

    def act(game: Game) -> None:
        if what == "discard" and len(cards) != 2:
            raise MoveError(forms.CHOOSE_TWO)
        _MOVES[what](game, " ".join(cards))

    if what not in _MOVES:
        raise HTTPException(404)
    try:
        games.move(name, act, moves=parse_integer(moves) if moves else None)
    except MoveError as error:
        status = 409 if isinstance(error, TurnError) else 422
        page = game_page(name, counts=counts, error=" ".join(str(error).split()), chosen=cards)
        return HTMLResponse(page, status, headers=NO_STORE)
    query = "?show=9" if what == "resign" else ""
    if what == "hint" and cards:
        query = f"?{urlencode({'chosen': ' '.join(cards)})}"
    return forms.see_other(f"/play/{name}{query}")


_MOVES: Mapping[str, Callable[[Game, str], None]] = {
    "discard": lambda game, cards: game.discard(PLAYER, cards),
    "play": lambda game, cards: game.play(PLAYER, cards),
    "next": lambda game, _: game.next_deal(PLAYER),
    "resign": lambda game, _: game.resign(PLAYER),
    "hint": lambda game, _: game.hint(PLAYER),
}

_MOST_HINTS = 4


def hint_context(position: Position) -> dict[str, Any]:
    """Advise in a position: near the end by chances to win, else by points."""
    advice = advised(position)
    options, legal = advice.options, format_cards(advice.position.legal).split()
    headline = "discard " + format_cards(options.best.cards, symbols=True)
    note = advice.against_people
    if isinstance(advice, PlayAdvice):
        note = f"{advice.against_errors} {note}".strip()
        headline = page_headline(advice.headline[0].lower() + advice.headline[1:])
    rows = list[dict[str, Any]]()
    for option in options.rows[:_MOST_HINTS]:
        if options.is_discard:
            shown = option.discard.split()
        else:
            shown = [card for card in legal if card[0] == option.card]
        worth = (
            format_points(option.expected, sign=True)
            if option.win is None
            else format_chance(option.win)
        )
        rows.append({"cards": shown, "worth": true_minus(worth), "is_best": option.rank == 1})
    best = rows[0]["cards"]
    if not options.is_discard:
        best = {card for row in rows if row["is_best"] for card in row["cards"]}
    return {
        "headline": headline,
        "note": note,
        "is_discard": options.is_discard,
        "unit": "points" if options.win is None else "chances to win",
        "rows": rows,
        "best": best,
        "worth": {card: row["worth"] for row in rows for card in row["cards"]},
    }


def best_line(game: Game) -> list[Decision]:
    """List the player's choices in the last deal, each with what advice says of it."""
    role, line = game.record.role(game.deal.number, PLAYER), list[Decision]()
    for position, chosen in game.deal.decisions(role):
        if position.to_do == "discard" or len(position.legal_ranks) > 1:
            line.append(Decision.of(advised(position).options, list(chosen)))
    return line


ROUTES = [
    Route("/review/example", _example),
    Route("/play", _lobby),
    forms.route("/play", _new_game, posts=True),
    Route("/play/{name}", _show_game),
    Route("/play/{name}/review", _review),
    forms.route("/play/{name}/game.{kind}", _download),
    forms.route("/play/{name}/{what}", _move, posts=True),
]
