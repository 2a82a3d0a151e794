"""The page of games at a real board, which the browser records by itself."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from cribev.app.web import forms
from cribev.app.web.pages import render


async def _board(request: Request) -> Response:
    forms.parse_query(request)
    return HTMLResponse(render("board.html", {"here": "board"}))


ROUTES = [Route("/board", _board)]
