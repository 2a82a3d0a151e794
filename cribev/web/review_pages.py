"""The pages of a review: bring a game, see it, step through its mistakes."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cribev.errors import CardError, CribevError, quote
from cribev.web.answer_page import answer_context
from cribev.web.ask_page import Question, answer_question, parse_question
from cribev.web.deal_form import (
    CHOOSE_TWO,
    COLUMNS,
    EMPTY_ROWS,
    LABELS,
    MAX_DEALS,
    TypedGame,
    parse_deal_form,
    with_form_labels,
)
from cribev.web.parameters import UploadedFile, parse_form, parse_query, reject_unknown
from cribev.web.stored_reviews import CardMistake, Mistake, StoredReview, review_upload
from cribev.web.templating import render

_LONGEST_NAME = 80
_EMPTY_FORM = TypedGame("1", "Me", "dealer", [])


async def _show_form(request: Request) -> Response:
    parse_query(request)
    return _form_page(_EMPTY_FORM)


async def _upload_game(request: Request) -> Response:
    parse_query(request)
    texts, files = await parse_form(request)
    typed = _EMPTY_FORM
    try:
        if "record" in files or "record" in texts:
            file = files.get("record")
            if file is None or not file.name:
                raise CribevError("no file was chosen")
        else:
            typed = parse_deal_form(texts)
            if "more" in texts:
                return _form_page(typed, rows=min(MAX_DEALS, len(typed.rows) + 6))
            if "save" in texts:
                return Response(
                    typed.to_csv(),
                    media_type="text/csv",
                    headers={"Content-Disposition": 'attachment; filename="game.csv"'},
                )
            if not any(any(row.values()) for row in typed.rows):
                raise CribevError("no deal was typed: six cards and your discard are needed")
            file = UploadedFile("game.csv", typed.to_csv().encode())
        stored: StoredReview = await request.app.state.queues.long.run_for(
            request, review_upload, file.content, file.name[-_LONGEST_NAME:]
        )
    except CribevError as error:
        message = " ".join(str(error).split())
        return _form_page(typed, error=with_form_labels(message) if typed.rows else message)
    request.app.state.reviews.put(stored)
    return RedirectResponse(f"/review/{stored.key}", 303)


def _form_page(typed: TypedGame, *, rows: int = 0, error: str = "") -> Response:
    rows = max(rows, len(typed.rows), EMPTY_ROWS)
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
        "most": MAX_DEALS,
    }  # fmt: skip
    return HTMLResponse(render("review_form.html", values), 400 if error else 200)


async def _show_review(request: Request) -> Response:
    parse_query(request)
    page = _stored(request).page(request.path_params.get("part", ""))
    if page is None:
        raise HTTPException(404)
    return HTMLResponse(page, headers={"Cache-Control": "private, no-cache"})


async def _show_mistake(request: Request) -> Response:
    reject_unknown(request.query_params, "throw", "thrown", "card")
    stored = _stored(request)
    at, number = request.path_params["player"], request.path_params["number"]
    players = list(stored.players)
    if not 1 <= at <= len(players) or not 1 <= number <= len(stored.players[players[at - 1]]):
        raise HTTPException(404)
    thrown = request.query_params.getlist("throw")
    mistake = stored.players[players[at - 1]][number - 1]
    if isinstance(mistake, CardMistake):
        card = request.query_params.get("card")
        return HTMLResponse(_card_mistake_page(stored, at, number, mistake, card))
    asked = "thrown" in request.query_params or bool(thrown)
    queue = request.app.state.queues.for_question({"score": mistake.judged_at if asked else ""})
    page: str = await queue.run_for(
        request, _mistake_page, stored, at, number, mistake, thrown if asked else None
    )
    return HTMLResponse(page)


def _card_mistake_page(
    stored: StoredReview, at: int, number: int, mistake: CardMistake, card: str | None
) -> str:
    """Draw a play as it was at the table, and once a card is laid the answer."""
    wrong = card is not None and card not in mistake.fits
    fits = " ".join(mistake.fits)
    values = {
        **_steps(stored, at, number),
        "mistake": mistake,
        "chosen": None if wrong else card,
        "error": f"{quote(card or '')} cannot be laid here: expected one of {fits}" * wrong,
        "graded": True,
    }
    return render("mistake_card.html", values)


def _steps(stored: StoredReview, at: int, number: int) -> dict[str, Any]:
    """Lead from a mistake to those beside it."""
    numbers, here = len(list(stored.players.values())[at - 1]), f"/review/{stored.key}/{at}"
    return {
        "here": "review",
        "number": number,
        "numbers": numbers,
        "page": f"/review/{stored.key}",
        "previous": f"{here}/{number - 1}" if number > 1 else "",
        "next": f"{here}/{number + 1}" if number < numbers else "",
    }


def _mistake_page(
    stored: StoredReview, at: int, number: int, mistake: Mistake, thrown: list[str] | None
) -> str:
    """Draw a mistake as it was at the table, and once two cards are thrown the answer."""
    error, found, question = "", None, None
    if thrown is not None:
        try:
            if len(thrown) != 2:
                raise CardError(CHOOSE_TWO)
            given = {"cards": mistake.cards, "role": mistake.role, "mine": " ".join(thrown)}
            given["score"] = mistake.judged_at
            question = parse_question(given)
            found = answer_context(
                answer_question(question), question.parameters(), question.discard
            )
        except CribevError as problem:
            error = " ".join(str(problem).split())
    values: dict[str, Any] = {
        **_steps(stored, at, number),
        "mistake": mistake,
        "chosen": thrown or (),
        "same": question is not None and question.discard == mistake.thrown,
        "error": error,
        "found": found,
        "address": question.address if isinstance(question, Question) else "",
    }
    return render("mistake.html", values)


def _stored(request: Request) -> StoredReview:
    stored: StoredReview | None = request.app.state.reviews.get(request.path_params["key"])
    if stored is None:
        raise HTTPException(404, "this review is gone: bring the game again")
    return stored


ROUTES = [
    Route("/review", _show_form),
    Route("/review", _upload_game, methods=["POST"]),
    Route("/review/{key}", _show_review),
    Route("/review/{key}/{part}", _show_review),
    Route("/review/{key}/{player:int}/{number:int}", _show_mistake),
]
