"""The page of games at a real board, which the browser records by itself."""

import json
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from cribev.app.games.database import Database, StoreError, database_path
from cribev.app.web import forms
from cribev.app.web.pages import render


def _kept() -> list[list[str]]:
    """List the games that earlier versions kept here: the name and the text of each."""
    with suppress(StoreError), Database(database_path()).reading("boards") as database:
        if database is not None:
            return [*map(list, database.execute("SELECT name, text FROM boards ORDER BY id"))]
    return []


async def _board(request: Request) -> Response:
    forms.parse_query(request)
    kept = await request.app.state.queues.short.run_for(request, _kept)
    return HTMLResponse(render("board.html", {"here": "board", "kept": json.dumps(kept)}))


ROUTES = [Route("/board", _board)]
