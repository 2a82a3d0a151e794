"""The pages of a review: bring a game, see it, step through its mistakes."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cribev.errors import CardError, CribevError
from cribev.web.answer_page import answer_context, card_faces
from cribev.web.ask_page import Question, answer_question, parse_question
from cribev.web.deal_form import (
    CHOOSE_TWO,
    COLUMNS,
    LABELS,
    MOST_DEALS,
    ROWS,
    TypedGame,
    UploadedFile,
    parse_deal_form,
    parse_multipart,
    with_form_labels,
)
from cribev.web.parameters import parse_form, read_body, reject_unknown
from cribev.web.stored_reviews import StoredReview, review_upload
from cribev.web.templating import render

_SHORT = 80


async def _bring(request: Request) -> Response:
    await read_body(request)
    reject_unknown(request.query_params)
    return _form(TypedGame("1", "Me", "dealer", []))


async def _brought(request: Request) -> Response:
    body = await read_body(request)
    reject_unknown(request.query_params)
    kind = request.headers.get("content-type", "")
    typed = TypedGame("1", "Me", "dealer", [])
    try:
        if kind.partition(";")[0].strip().lower() == "multipart/form-data":
            file = next(iter(parse_multipart(body, kind).get("record", [])), None)
            if not isinstance(file, UploadedFile) or not file.name:
                raise CribevError("no file was chosen")
        else:
            given = parse_form(body)
            typed = parse_deal_form(given)
            if "more" in given:
                return _form(typed, rows=min(MOST_DEALS, len(typed.rows) + 6))
            if "save" in given:
                return Response(
                    typed.to_csv(),
                    media_type="text/csv",
                    headers={"Content-Disposition": 'attachment; filename="game.csv"'},
                )
            if not any(any(row.values()) for row in typed.rows):
                raise CribevError("no deal was typed: six cards and the two thrown are needed")
            file = UploadedFile("game.csv", typed.to_csv().encode())
        kept: StoredReview = await request.app.state.queues.long.run_for(
            request, review_upload, file.content, file.name[-_SHORT:]
        )
    except CribevError as error:
        told = " ".join(str(error).split())
        return _form(typed, error=with_form_labels(told) if typed.rows else told)
    request.app.state.review_cache.put(kept)
    return RedirectResponse(f"/review/{kept.key}", 303)


def _form(typed: TypedGame, *, rows: int = 0, error: str = "") -> Response:
    rows = max(rows, len(typed.rows), ROWS)
    lines = [
        {
            "deal": at + 1,
            "role": typed.role(at + 1),
            **dict.fromkeys(COLUMNS, ""),
            **(typed.rows[at] if at < len(typed.rows) else {}),
        }
        for at in range(rows)
    ]
    values = {
        "here": "review", "typed": typed, "rows": lines, "labels": LABELS, "error": error,
        "most": MOST_DEALS,
    }  # fmt: skip
    return HTMLResponse(render("review_form.html", values), 400 if error else 200)


async def _shown(request: Request) -> Response:
    await read_body(request)
    reject_unknown(request.query_params)
    return HTMLResponse(_kept(request).page, headers={"Cache-Control": "private, no-cache"})


async def _stepped(request: Request) -> Response:
    await read_body(request)
    reject_unknown(request.query_params, "throw", "thrown")
    kept = _kept(request)
    at, number = request.path_params["player"], request.path_params["number"]
    players = list(kept.players)
    if not 1 <= at <= len(players) or not 1 <= number <= len(kept.players[players[at - 1]]):
        raise HTTPException(404)
    thrown = request.query_params.getlist("throw")
    mistake = kept.players[players[at - 1]][number - 1]
    asked = "thrown" in request.query_params or bool(thrown)
    queue = request.app.state.queues.for_question({"score": mistake.judged_at if asked else ""})
    page: str = await queue.run_for(request, _step, kept, at, number, thrown if asked else None)
    return HTMLResponse(page)


def _step(kept: StoredReview, at: int, number: int, thrown: list[str] | None) -> str:
    """Draw a mistake as it was at the table, and once two cards are thrown the answer."""
    player = list(kept.players)[at - 1]
    mistakes = kept.players[player]
    mistake = mistakes[number - 1]
    here = f"/review/{kept.key}/{at}"
    error, found, question = "", None, None
    if thrown is not None:
        try:
            if len(thrown) != 2:
                raise CardError(CHOOSE_TWO)
            given = {"cards": mistake.cards, "role": mistake.role, "mine": " ".join(thrown)}
            given["score"] = mistake.judged_at
            question = parse_question(given)
            found = answer_context(answer_question(question), question.parameters(), question.mine)
        except CribevError as problem:
            error = " ".join(str(problem).split())
    values: dict[str, Any] = {
        "here": "review",
        "mistake": mistake,
        "cards": [{**face, "text": text} for face, text in _with_text(mistake.cards)],
        "thrown": card_faces(mistake.thrown),
        "chosen": thrown or (),
        "same": question is not None and question.mine == mistake.thrown,
        "number": number,
        "numbers": len(mistakes),
        "page": f"/review/{kept.key}",
        "previous": f"{here}/{number - 1}" if number > 1 else "",
        "next": f"{here}/{number + 1}" if number < len(mistakes) else "",
        "error": error,
        "found": found,
        "address": question.address if isinstance(question, Question) else "",
    }
    return render("mistake.html", values)


def _with_text(cards: str) -> list[tuple[dict[str, Any], str]]:
    return list(zip(card_faces(cards), cards.split(), strict=True))


def _kept(request: Request) -> StoredReview:
    kept: StoredReview | None = request.app.state.review_cache.get(request.path_params["key"])
    if kept is None:
        raise HTTPException(404, "this review is kept no longer: bring the game again")
    return kept


ROUTES = [
    Route("/review", _bring),
    Route("/review", _brought, methods=["POST"]),
    Route("/review/{key}", _shown),
    Route("/review/{key}/{player:int}/{number:int}", _stepped),
]
