"""The notebook: games by opponent, and the habits of people you know."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from functools import partial
from io import StringIO
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from cribev.app.practice.progress import local_time
from cribev.app.web import forms
from cribev.app.web.guard import QueueFull
from cribev.app.web.kept_reviews import PendingReview, local_reviews
from cribev.app.web.pages import render
from cribev.errors import CribevError, quote
from cribev.game.score import WINNING_SCORE
from cribev.game.words import format_points, true_minus
from cribev.grades import notebook as book
from cribev.opponents.people import Person
from cribev.records.record import Record, as_record
from cribev.reviews import charts, fits
from cribev.reviews.review import review

YOU = "You"  # the player of games that are played here
_MOST_DEALS = 400  # of somebody whose habits are to be found, the latest


def notebook_page(me: str, opponent: str, *, pending: PendingReview | None, error: str = "") -> str:
    """Draw the games of a player, "You" among them, by opponent, and those against one."""
    kept = local_reviews()
    games, people = kept.notebook(), kept.people()
    names = Counter(one["player"] for one in games if YOU not in (one["player"], one["opponent"]))
    me = me if me in names or not names else names.most_common(1)[0][0]
    own = [
        one | {"player": YOU, "day": one["at"][:10]}
        for one in games
        if one["player"] == YOU or (one["player"] == me and one["opponent"] != YOU)
    ]
    rows = book.tabulate_notebook(own).to_dict(orient="records")
    against = [one for one in own if opponent and one["opponent"] == opponent]
    decisions = sum(one["deals"] for one in games if one["player"] == opponent)
    values = {
        "here": "notebook",
        "me": me,
        "names": list(names),
        "notebook_headings": book.NOTEBOOK_HEADINGS,
        "notebook_note": book.NOTEBOOK_NOTE,
        "rows": [[true_minus(cell) for cell in book.notebook_cells(one)] for one in rows],
        "opponent": opponent,
        "games": [_listed(one) for one in against[::-1]],
        "graph": charts.games(against, "day"),
        "may_fit": decisions >= fits.LEAST_DECISIONS,
        "decisions": decisions,
        "least": fits.LEAST_DECISIONS,
        "person": people.get(opponent),
        "people": [one for name, (one, _) in people.items() if name != opponent],
        "query": lambda person: urlencode({"opponent": person.text}),
        "pending": pending,
        "error": error,
    }
    return render("notebook.html", values)


def _listed(game: Mapping[str, Any]) -> list[str]:
    """Write a game below the headings of the page."""
    score: list[int] = game["score"] or []
    won = game.get("won")
    if WINNING_SCORE in score:
        won = score[0] == WINNING_SCORE
    luck = [np.nan if game[name] is None else game[name] for name in ("cut_luck", "cut_sd")]
    cells = [
        local_time(game["at"]),
        "–".join(map(str, score)) or "–",
        "" if won is None else "won" if won else "lost",
        format_points(game["lost"]),
        *(format_points(one, 1, sign=one is luck[0]) for one in luck),
    ]
    return [true_minus(cell) for cell in cells]


async def _show(request: Request) -> Response:
    given = forms.parse_query(request, "me", "with")
    me = given.get("me", forms.remembered(request, "me")).strip()
    opponent, reviews = given.get("with", ""), request.app.state.reviews
    pending: PendingReview | None = reviews.pending.get(_work(opponent))
    error = ""
    if pending is not None and pending.work.done():
        found = pending.work.exception()
        if found is not None and not isinstance(found, CribevError):
            raise found
        error, pending = " ".join(str(found or "").split()), None
        reviews.forget(_work(opponent))
    draw = partial(notebook_page, me, opponent, pending=pending, error=error)
    answer = HTMLResponse(await request.app.state.queues.short.run_for(request, draw))
    if pending is not None:
        answer.headers["Refresh"] = "1"
    if "me" in given:
        forms.remember(answer, "me", me)
    return answer


def _work(player: str) -> str:
    """Name the work of finding somebody's habits."""
    return f"habits {player}"


def _decided_by(player: str) -> Record:
    """Return the latest deals of a player in all records that are kept, each game once."""
    frames = []
    for number, csv in enumerate(local_reviews().records_of(player)):
        frame = pd.read_csv(StringIO(csv), dtype=str, keep_default_na=False)
        frame["game"] = f"{number} " + frame["game"]
        frames.append(frame)
    if not frames:
        raise CribevError(f"there is no game of {quote(player)} here")
    frame = pd.concat(frames, ignore_index=True)
    frame = frame[~frame.duplicated(["player", "role", "cards", "discard", "starter"])]
    record = as_record(frame.fillna("").reset_index(drop=True))
    return record.take(record.rows_of(player)[-_MOST_DEALS:]).without_scores()


async def _find_habits(request: Request) -> Response:
    """Find somebody's habits from their decisions, and keep them."""
    texts, _ = await forms.parse_form(request)
    player = forms.fields_once(texts).get("player", "")
    reviews, queue = request.app.state.reviews, request.app.state.queues.long
    if queue.full:
        raise QueueFull
    pending = PendingReview(player)

    def find() -> None:
        found = review(_decided_by(player), progress=pending.progress)
        fitted = fits.fit_habits(found, player)
        local_reviews().keep_person(
            Person(player, fitted.person.habits), f"{player}{fitted.told[0]}. {fitted.told[1]}"
        )

    if _work(player) not in reviews:
        pending.work = asyncio.ensure_future(queue.run(find))
        reviews.begin(_work(player), pending)
    return forms.see_other(f"/notebook?{urlencode({'with': player})}")


async def _bring_person(request: Request) -> Response:
    """Keep the habits of a file, or forget somebody's."""
    texts, files = await forms.parse_form(request)
    forms.reject_unknown([*texts, *files], "habits", "forget")
    run = request.app.state.queues.short.run
    if "forget" in texts:
        await run(local_reviews().forget_person, forms.fields_once(texts)["forget"])
        return forms.see_other("/notebook#people")
    sent = [file for file in files.get("habits", ()) if file.name]
    if len(sent) != 1:
        raise CribevError("no file was chosen: expected one of habits, from cribev review --fit")
    text = sent[0].content.decode("utf-8-sig", "replace").strip()
    if not text.startswith("{"):
        raise CribevError(f"{quote(sent[0].name)} has no habits: expected a file of them, in JSON")
    person = forms.parse_opponent({"opponent": text})
    assert isinstance(person, Person)
    await run(local_reviews().keep_person, person)
    return forms.see_other(f"/notebook?{urlencode({'with': person.name})}")


ROUTES = [
    Route("/notebook", _show),
    Route("/notebook/habits", _find_habits, methods=["POST"]),
    Route("/notebook/people", _bring_person, methods=["POST"]),
]
