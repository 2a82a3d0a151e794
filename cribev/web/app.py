"""Every page there is, by its address."""

import os
from collections.abc import Collection
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from cribev.errors import CribevError
from cribev.web import api, ask_page, practice_pages, review_pages, templating
from cribev.web.guard import Guard, is_api_path
from cribev.web.stored_reviews import ReviewCache
from cribev.web.work_queue import QueueFull, WorkQueue, WorkQueues

_WAITING = 200
_SCORED_WAITING = 60
_REVIEWS_WAITING = 8
_SAID = {
    404: ("Not here", "there is no such page"),
    405: ("Not so", "this address does not take that"),
}


def make_app(*, names: Collection[str] = ()) -> ASGIApp:
    """Put all pages together.

    Parameters
    ----------
    names
        What the server may be called, besides the address it is reached by.

    Examples
    --------
    >>> type(make_app(names=["localhost"])).__name__
    'Guard'
    """
    app = Starlette(
        routes=[
            Route("/static/{name}", templating.static_file),
            *ask_page.ROUTES,
            *review_pages.ROUTES,
            *practice_pages.ROUTES,
            *api.ROUTES,
        ],
        exception_handlers={
            CribevError: _bad,
            HTTPException: _refused,
            QueueFull: _busy,
            Exception: _broken,
        },
    )
    app.state.queues = WorkQueues(
        WorkQueue(threads=min(4, os.cpu_count() or 1), capacity=_WAITING),
        WorkQueue(threads=1, capacity=_SCORED_WAITING),
        WorkQueue(threads=1, capacity=_REVIEWS_WAITING),
    )
    app.state.review_cache = ReviewCache()
    return Guard(app, names=names)


def _bad(request: Request, error: Exception) -> Response:
    return _told(request, "Not so", " ".join(str(error).split()), 400)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    title, text = _SAID.get(error.status_code, ("Not so", error.detail))
    if error.detail != HTTPStatus(error.status_code).phrase:
        text = error.detail
    return _told(request, title, text, error.status_code, error.headers)


def _busy(request: Request, _: Exception) -> Response:
    text = "too many ask at once: try again in a moment"
    return _told(request, "A moment", text, 503, {"Retry-After": "2"})


def _broken(request: Request, _: Exception) -> Response:
    return _told(request, "Not so", "something broke here: whoever runs this can read what", 500)


def _told(request: Request, title: str, text: str, status: int, headers: object = None) -> Response:
    if is_api_path(request.url.path):
        answer: Response = JSONResponse({"error": text}, status)
    else:
        answer = templating.message_page(title, text, status)
    if isinstance(headers, dict):
        answer.headers.update(headers)
    return answer
