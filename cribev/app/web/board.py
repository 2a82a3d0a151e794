"""The pages of a game at a real board: enter each card and each count with a tap."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from cribev.app.games.board import ADVICE, BoardGame, StoredBoard, local_boards
from cribev.app.games.course import happened
from cribev.app.games.database import StoreError
from cribev.app.games.errors import TurnError
from cribev.app.games.records import BOARD_PLAYERS, board_table
from cribev.app.practice.store import save_decisions
from cribev.app.web import forms
from cribev.app.web.kept_reviews import StoredReview
from cribev.app.web.pages import place_laid, render
from cribev.app.web.play import BOARD, NO_STORE, board_address, hint_context, history_name, pegs_at
from cribev.app.web.practice import local_store
from cribev.app.web.review import begin_review, recall
from cribev.errors import CribevError, quote
from cribev.game.cards import format_cards, parse_card_text
from cribev.game.roles import as_role, opposite_role
from cribev.game.score import Score, heels
from cribev.game.words import parse_integer
from cribev.grades.summary import result_text
from cribev.records.record import as_record


def board_page(name: str, at: int | None = None, *, error: str = "", typed: str = "") -> str:
    """Draw a game as it stands, or as it stood after some of its entries."""
    stored = local_boards().find(name)
    number = len(stored.entries)
    at = number if at is None else min(at, number)
    game = stored.game(at)
    asks, deal = game.asks, game.deal
    position = game.position(0) if asks not in ("hand", "over") and len(game.known) >= 4 else None
    role = game.role(0)
    shows = stored.advice and position is not None and asks in ("discard", "card")
    values = {
        "here": "ask",
        "address": board_address(name),
        "step": board_address(name, at),
        "at": at,
        "before": board_address(name, _before(stored, at)) if at else "",
        "latest": board_address(name) if at < number else "",
        "stored": stored,
        "board": BOARD,
        "table": {
            "score": game.score,
            "pegs": pegs_at([stored.score, *(event.score for event in game.events)]),
        },
        "game": game,
        "asks": asks,
        "dealer": role == "dealer",
        "deal": deal,
        "left": position.left if position else deal.left(role),
        "theirs": deal.play.left[opposite_role(role)] if deal.starter is not None else 0,
        "heels": heels(deal.starter),
        "laid": place_laid(deal.play, role),
        "free": game.free,
        "show": game.to_count if asks == "count" else None,
        "hint": hint_context(position, stored.stakes) if shows and position else None,
        "ended": "" if game.winner is None else f"You {result_text(*game.score)}",
        "events": [(n, one) for n, one in enumerate(game.events) if one.deal == deal.number],
        "news": game.news,
        "happened": happened,
        "error": error,
        "typed": typed,
    }
    return render("board.html", values)


def _before(stored: StoredBoard, at: int) -> int:
    """Return how many entries there were before the last, and what was looked at for it."""
    at -= 1
    while at and stored.entries[at - 1] == ADVICE:
        at -= 1
    return at


def _begin(asked: forms.Asked) -> Response:
    """Begin a game, with the first deal as far as it is known."""
    given = {name: text for name, text in forms.fields_once(asked.texts).items() if text.strip()}
    forms.reject_unknown(given, "role", "score", "own", "theirs", "stakes", "advice", *_FIRST)
    role = as_role(given.get("role", "dealer"))
    text = given.get("score", f"{given.get('own', 0)}-{given.get('theirs', 0)}")
    score = Score.read(text, role).seen_by(role)
    stakes, advice = forms.parse_stakes(given, scored=True), forms.parse_flag(given, "advice")
    entries = [ADVICE] * (advice and "discard" in given)
    first = [format_cards(parse_card_text(given[name])) for name in _FIRST if name in given]
    entries = [*first[:1], *entries, *first[1:]]
    return forms.see_other(
        board_address(local_boards().begin(role, score, stakes, advice=advice, entries=entries))
    )


_FIRST = ("cards", "discard")


async def _show(request: Request) -> Response:
    given = forms.parse_query(request, "at")
    at = parse_integer(given["at"]) if "at" in given else None
    if "at" in given and at is None:
        raise CribevError(f"at={quote(given['at'])}: expected a whole number")
    queues, name = request.app.state.queues, request.path_params["name"]
    stored = await queues.practice.run_for(request, local_boards().find, name)
    # Advice near the end takes longer than others who tap should wait.
    queue = queues.scored if stored.advice else queues.practice
    page = await queue.run_for(request, partial(board_page, name, at))
    return HTMLResponse(page, headers=NO_STORE)


def _enter(asked: forms.Asked) -> Response:
    """Take an entry after those that the page showed; what came after is replaced by it."""
    given, name = forms.fields_once(asked.texts), asked.name
    forms.reject_unknown(given, "at", "entry", "advice")
    stored, boards = local_boards().find(name), local_boards()
    if "advice" in given:
        shown = replace(stored, advice=forms.parse_flag(given, "advice"))
        boards.save(name, shown, over=shown.game().asks == "over")
        return forms.see_other(board_address(name))
    at = parse_integer(given.get("at", ""))
    if at is None or at > len(stored.entries):
        raise TurnError("the game has moved on meanwhile: look at it again")
    entry = given.get("entry", "")
    game = stored.game(at)
    try:
        game = _entered(stored, game, entry)
    except CribevError as error:
        text = " ".join(str(error).split())
        page = board_page(name, at, error=text, typed=entry)
        return HTMLResponse(page, 422, headers=NO_STORE)
    entries = tuple(game.entries)
    if stored.entries[: len(entries)] != entries:  # else it is entered as it was
        boards.save(name, replace(stored, entries=entries), over=game.asks == "over")
    return forms.see_other(board_address(name, len(entries)))


def _entered(stored: StoredBoard, game: BoardGame, entry: str) -> BoardGame:
    """Return a game with one entry more; a card that is chosen is put back."""
    if entry in format_cards(game.chosen).split():
        return replace(stored, entries=game.without(entry)).game()
    if stored.advice and game.decides and game.decides not in game.hints:
        game.enter(ADVICE)
    game.enter(entry)
    return game


def _forget(asked: forms.Asked) -> Response:
    local_boards().forget(asked.name)
    return forms.see_other("/play#board")


def _recorded(name: str) -> tuple[StoredBoard, BoardGame]:
    """Find a game whose first deal is over."""
    stored = local_boards().find(name)
    game = stored.game()
    if not game.record.deals:
        raise TurnError("the first deal goes on: it can be reviewed once it is over")
    return stored, game


def _download(asked: forms.Asked) -> Response:
    table = board_table(_recorded(asked.name)[1])
    headers = {"Content-Disposition": 'attachment; filename="game.csv"'} | NO_STORE
    text = table.to_csv(index=False, lineterminator="\n")
    return Response(text, media_type="text/csv", headers=headers)


async def _review(request: Request) -> Response:
    """Lead to the review of a game, begun if need be."""
    forms.parse_query(request)
    name = request.path_params["name"]
    stored, game = await request.app.state.queues.practice.run_for(request, _recorded, name)
    record, source = as_record(board_table(game)), f"board {name} {len(game.entries)}"
    key, state = await recall(request, source), request.app.state
    if done := state.reviews.get(key):
        await state.queues.practice.run_for(request, _practise, done)  # once, as it is the same
    else:
        begin = partial(begin_review, request, record, "game.csv", source=source, then=_practise)
        key = begin(stakes=stored.stakes, learner=_YOU, session=history_name(name))
    return forms.see_other(f"/review/{key}")


def _practise(drawn: StoredReview) -> None:
    """Keep what the player of a reviewed game chose for practice."""
    with suppress(StoreError):
        save_decisions(local_store(), drawn.rows[_YOU])


_YOU = BOARD_PLAYERS[0]

ROUTES = [
    forms.route("/board", _begin, queue="practice", posts=True),
    Route("/board/{name}", _show),
    forms.route("/board/{name}", _enter, queue="practice", posts=True),
    forms.route("/board/{name}/game.csv", _download, queue="practice"),
    Route("/board/{name}/review", _review),
    forms.route("/board/{name}/forget", _forget, queue="practice", posts=True),
]
