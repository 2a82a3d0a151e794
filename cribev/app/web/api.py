"""The HTTP API: the JSON of the command line."""

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from cribev.advice.cards import card_answer
from cribev.advice.discards import advise_discard
from cribev.app.web import forms
from cribev.app.web.pages import render
from cribev.app.web.review import REVIEW_PARAMETERS, review_json
from cribev.errors import CribevError, quote
from cribev.game.show import count_to_dict
from cribev.game.words import parse_integer
from cribev.records.record import RECORD_TEMPLATE
from cribev.rows.names import COLUMN_DESCRIPTIONS

ADVICE_PARAMETERS = {
    "cards": "six cards, 5H5DJSQC2H8D, or six ranks without suits, 258-9JK, x any ten-card",
    "position": "cards, role and score as one text, dealer:5H5DJSQC2H8D@95-110, in place of them",
    "role": "dealer or pone; without it, or a star in the score, the answer is a list of both",
    "opponent": forms.OPPONENT_HELP,
    "show_only": "1 leaves out the play",
    **forms.SCORE_HELP,
    "top": "how many discards, the best first",
    "explain": "1 says why the best is best",
    "versus": "two cards to set beside the best",
}
"""The parameters of an advice."""

CARD_PARAMETERS = {
    "cards": "the four cards you kept, 4H5CJDJS, or their ranks, played or not",
    "position": "all that is known as one text, pone:4H5CJDJS/9CKD:7H:J5, in place of them",
    "role": "dealer or pone; a star in the score says it too",
    "played": "the cards as they fell, pone's first, with go: J 5",
    "discard": "the two cards you discarded",
    "starter": "the card cut",
    **forms.SCORE_HELP,
    "opponent": forms.OPPONENT_HELP,
    "explain": "1 says what your opponent may hold, and what can follow each card",
    "distribution": "1 says who pegs first, and how likely each number of pegged points is",
}
"""The parameters of a card to play."""

SCORE_PARAMETERS = {
    "cards": "four cards and the starter; or another number as they are, up to 12",
    "crib": "1 counts it as a crib",
    "explain": "1 lists every combination",
    "cuts": "1 counts four cards, or the first four of six, over every starter",
}
"""The parameters of a count."""


_advised = lru_cache(64)(advise_discard)  # a row that is opened asks about the same cards again


def advice_json(query: Mapping[str, str]) -> Any:
    """Answer as ``cribev advise --format json`` does; `CribevError` if there is no answer."""
    if (top := parse_integer(query.get("top", "15"), least=1, most=15)) is None:
        raise CribevError(f"top={quote(query['top'])}: expected a whole number from 1 to 15")
    versus, explain = query.get("versus") or None, forms.parse_flag(query, "explain")
    answers = map(_advised, forms.asked_discards(query))
    answers_as_json = [
        advice.to_dict(top=top, versus=versus, explain=explain) for advice in answers
    ]
    return answers_as_json if len(answers_as_json) > 1 else answers_as_json[0]


def card_json(query: Mapping[str, str]) -> Any:
    """Answer as ``cribev play --format json`` does; `CribevError` if there is no answer."""
    return card_answer(
        forms.asked_card(query),
        explain=forms.parse_flag(query, "explain"),
        distribution=forms.parse_flag(query, "distribution"),
    )


def score_json(query: Mapping[str, str]) -> Any:
    """Answer as ``cribev score --format json`` does; `CribevError` if there is no answer."""
    crib, explained, cuts = (forms.parse_flag(query, name) for name in ("crib", "explain", "cuts"))
    return count_to_dict(query.get("cards", ""), crib=crib, explained=explained, over_cuts=cuts)


def _as_json(value: Any) -> Response:
    return Response(json.dumps(value, allow_nan=False), media_type="application/json")


async def _score(request: Request) -> Response:
    return _as_json(score_json(forms.parse_query(request, *SCORE_PARAMETERS)))


async def _review(request: Request) -> Response:
    query = forms.parse_query(request, *REVIEW_PARAMETERS)
    sent: bytes | list[forms.UploadedFile]
    if request.headers.get("content-type", "").startswith("multipart/"):
        texts, files = await forms.parse_form(request)
        forms.reject_unknown([*texts, *files], "record")
        sent = files.get("record", [])
    else:
        sent = await request.body()
    queue = request.app.state.long_work
    response: Response = await queue.run_for(request, lambda: _as_json(review_json(query, sent)))
    return response


@cache
def _documentation() -> str:
    advice = {"cards": "5H5DJSQC2H8D", "role": "dealer", "score": "115-110", "top": "1"}
    card = {
        "cards": "4H5CJDJS",
        "role": "pone",
        "discard": "9CKD",
        "starter": "7H",
        "played": "J 5",
    }
    score, fast = {"cards": "5C6D7DQH6H"}, {"fast": "1"}
    reviewed = review_json(fast, RECORD_TEMPLATE.encode())
    addresses = []
    for name, method, parameters, example, answered, rows in (
        ("advice", "GET", ADVICE_PARAMETERS, advice, advice_json(advice), "discards"),
        ("play", "GET", CARD_PARAMETERS, card, card_json(card), "cards"),
        ("score", "GET", SCORE_PARAMETERS, score, score_json(score), ""),
        ("review", "POST", REVIEW_PARAMETERS, fast, reviewed, "decisions"),
    ):
        row = answered[rows][0] if rows else {}
        addresses.append(
            {
                "name": name,
                "method": method,
                "parameters": parameters,
                "asked": f"/api/{name}?{urlencode(example)}",
                "answer": json.dumps(answered, indent=2),
                "rows": rows,
                "fields": {
                    field: COLUMN_DESCRIPTIONS[field]
                    for field in row
                    if field in COLUMN_DESCRIPTIONS
                },
            }
        )
    values = {"here": "api", "addresses": addresses, "record": RECORD_TEMPLATE}
    return render("api.html", values)


ROUTES = [
    forms.route("/api", lambda _: HTMLResponse(_documentation())),
    forms.route(
        "/api/advice", lambda asked: _as_json(advice_json(asked.query)), *ADVICE_PARAMETERS
    ),
    forms.route("/api/play", lambda asked: _as_json(card_json(asked.query)), *CARD_PARAMETERS),
    Route("/api/score", _score),
    Route("/api/review", _review, methods=["POST"]),
]
