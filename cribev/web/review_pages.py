"""The pages of a review: bring a game, see it, step through its mistakes."""

import asyncio
from collections.abc import Callable
from functools import partial
from secrets import token_urlsafe
from time import monotonic
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cribev.errors import CardError, CribevError, quote
from cribev.reviews.record import RECORD_TEMPLATE, Record
from cribev.web.ask import answer_context, answer_question, parse_question, position_address
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
from cribev.web.stored_reviews import (
    CardMistake,
    Mistake,
    PendingReview,
    StoredReview,
    draw_review,
    read_upload,
)
from cribev.web.templating import render
from cribev.web.work_queue import QueueFull

PATIENCE = 0.5
"""Seconds that a page waits for a review before it says that one is being made."""

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
        name = file.name[-_LONGEST_NAME:]
        queue = request.app.state.queues.short
        record: Record = await queue.run_for(request, read_upload, file.content, name)
    except CribevError as error:
        message = " ".join(str(error).split())
        return _form_page(typed, error=with_form_labels(message) if typed.rows else message)
    key = begin_review(request, record, name, partial(draw_review, record, name))
    return RedirectResponse(f"/review/{key}", 303)


def begin_review(
    request: Request, record: Record, name: str, make: Callable[[str], StoredReview]
) -> str:
    """Let a review be made, given its key, in the queue of long work; return the key at once.

    Raises `QueueFull` if too many wait.
    """
    state, key = request.app.state, token_urlsafe(12)
    if state.queues.long.full:
        raise QueueFull

    async def work() -> None:
        if not state.prepared.done():
            await asyncio.shield(asyncio.wrap_future(state.prepared))
        state.reviews.put(await state.queues.long.run(make, key))

    task = asyncio.ensure_future(work())
    state.reviews.begin(key, PendingReview(name, len(record.frame), task, monotonic()))
    return key


async def _wait_for(request: Request, key: str) -> Response | None:
    """Wait a little for a review; if it is not there then, say how long it has taken."""
    pending: PendingReview | None = request.app.state.reviews.pending.get(key)
    if pending is None:
        return None
    await asyncio.wait({pending.work}, timeout=PATIENCE)
    if pending.work.done():
        if (error := pending.work.exception()) is None:
            return None
        if not isinstance(error, CribevError):
            raise error
        return _form_page(_EMPTY_FORM, error=" ".join(str(error).split()))
    values = {"here": "review", "pending": pending, "seconds": int(monotonic() - pending.begun)}
    return HTMLResponse(render("reviewing.html", values), headers={"Refresh": "1"})


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
    if waiting := await _wait_for(request, request.path_params["key"]):
        return waiting
    page = _stored(request).page(request.path_params.get("part", ""))
    if page is None:
        raise HTTPException(404)
    return HTMLResponse(page, headers={"Cache-Control": "private, no-cache"})


async def _show_mistake(request: Request) -> Response:
    reject_unknown(request.query_params, "throw", "thrown", "card")
    if waiting := await _wait_for(request, request.path_params["key"]):
        return waiting
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
    error, found, address, own = "", None, "", ""
    if thrown is not None:
        try:
            if len(thrown) != 2:
                raise CardError(CHOOSE_TWO)
            given = {"cards": mistake.cards, "role": mistake.role, "mine": " ".join(thrown)}
            given["score"] = mistake.judged_at
            position, own = parse_question(given)
            found = answer_context(answer_question(position, own), position, own)
            address = position_address(position, own)
        except CribevError as problem:
            error = " ".join(str(problem).split())
    values: dict[str, Any] = {
        **_steps(stored, at, number),
        "mistake": mistake,
        "chosen": thrown or (),
        "same": own == mistake.thrown,
        "error": error,
        "found": found,
        "address": address,
    }
    return render("mistake.html", values)


async def _template(request: Request) -> Response:
    """Answer with a record to fill in."""
    parse_query(request)
    name = 'attachment; filename="record.csv"'
    return Response(RECORD_TEMPLATE, media_type="text/csv", headers={"Content-Disposition": name})


def _stored(request: Request) -> StoredReview:
    stored: StoredReview | None = request.app.state.reviews.get(request.path_params["key"])
    if stored is None:
        raise HTTPException(404, "this review is gone: bring the game again")
    return stored


ROUTES = [
    Route("/review", _show_form),
    Route("/review", _upload_game, methods=["POST"]),
    Route("/review/template.csv", _template),
    Route("/review/{key}", _show_review),
    Route("/review/{key}/{part}", _show_review),
    Route("/review/{key}/{player:int}/{number:int}", _show_mistake),
]
