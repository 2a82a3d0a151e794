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
from cribev.web import api, ask, looks, practice_pages, review_pages
from cribev.web.guard import Guard, for_programs
from cribev.web.lanes import Busy, Lane, Lanes
from cribev.web.reviews import Shelf

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
            Route("/static/{name}", looks.static),
            *ask.ROUTES,
            *review_pages.ROUTES,
            *practice_pages.ROUTES,
            *api.ROUTES,
        ],
        exception_handlers={
            CribevError: _bad,
            HTTPException: _refused,
            Busy: _busy,
            Exception: _broken,
        },
    )
    app.state.lanes = Lanes(
        Lane(threads=min(4, os.cpu_count() or 1), room=_WAITING),
        Lane(threads=1, room=_SCORED_WAITING),
        Lane(threads=1, room=_REVIEWS_WAITING),
    )
    app.state.shelf = Shelf()
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
    if for_programs(request.url.path):
        answer: Response = JSONResponse({"error": text}, status)
    else:
        answer = looks.said(title, text, status)
    if isinstance(headers, dict):
        answer.headers.update(headers)
    return answer
