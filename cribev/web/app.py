"""Every page, by its address."""

import os
from collections.abc import Collection
from concurrent.futures import Future
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from cribev.errors import CribevError, GameError, MoveError, TurnError
from cribev.web import api, ask, pages, play, practice_pages, review
from cribev.web.guard import Guard, is_api_path
from cribev.web.review import ReviewCache
from cribev.web.work_queue import Preparing, QueueFull, WorkQueue, WorkQueues

_MESSAGES = {
    404: ("Not found", "there is no such page"),
    405: ("Not possible", "this address does not take that"),
}


def make_app(*, names: Collection[str] = (), prepared: "Future[None] | None" = None) -> ASGIApp:
    """Put all pages together.

    Takes names of the server besides its address, and what is done once its tables are there;
    without it they are there already.
    """
    app = Starlette(
        routes=[
            Route("/static/{name}", pages.static_file),
            *play.ROUTES,
            *ask.ROUTES,
            *review.ROUTES,
            *practice_pages.ROUTES,
            *api.ROUTES,
        ],
        exception_handlers={
            CribevError: _bad,
            MoveError: _against_the_rules,
            TurnError: _against_the_rules,
            GameError: _no_game,
            HTTPException: _refused,
            QueueFull: _busy,
            Preparing: _preparing,
            Exception: _broken,
        },
    )
    app.state.queues = WorkQueues(
        short=WorkQueue(threads=min(4, os.cpu_count() or 1), capacity=200),
        scored=WorkQueue(threads=1, capacity=60),
        long=WorkQueue(threads=1, capacity=8),
        practice=WorkQueue(threads=2, capacity=60),
        games=WorkQueue(threads=2, capacity=200),
    )
    app.state.reviews = ReviewCache()
    if prepared is None:
        prepared = Future()
        prepared.set_result(None)
    app.state.prepared = prepared
    return Guard(app, names=names)


def _bad(request: Request, error: Exception) -> Response:
    return _say(request, "Not possible", " ".join(str(error).split()), 400)


def _against_the_rules(request: Request, error: Exception) -> Response:
    status = 409 if isinstance(error, TurnError) else 422
    return _say(request, "Not possible", " ".join(str(error).split()), status)


def _no_game(request: Request, error: Exception) -> Response:
    return _say(request, "Not found", " ".join(str(error).split()), 404)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    title, text = _MESSAGES.get(error.status_code, ("Not possible", error.detail))
    if error.detail != HTTPStatus(error.status_code).phrase:
        text = error.detail
    return _say(request, title, text, error.status_code, error.headers)


def _busy(request: Request, _: Exception) -> Response:
    text = "too many ask at once: try again in a moment"
    return _say(request, "One moment", text, 503, {"Retry-After": "2"})


def _preparing(request: Request, _: Exception) -> Response:
    text = (
        "The tables that every answer needs are being worked out. This happens once and takes "
        "some ten seconds; the answer then comes by itself."
    )
    return _say(request, "One moment", text, 503, {"Retry-After": "2", "Refresh": "2"})


def _broken(request: Request, _: Exception) -> Response:
    text = "something broke here: the terminal of cribev serve says what"
    return _say(request, "Not possible", text, 500)


def _say(request: Request, title: str, text: str, status: int, headers: object = None) -> Response:
    if is_api_path(request.url.path):
        answer: Response = JSONResponse({"error": text}, status)
    else:
        answer = pages.message_page(title, text, status)
    if isinstance(headers, dict):
        answer.headers.update(headers)
    return answer
