"""The command line's JSON, at addresses."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from cribev.advice.discards import answer
from cribev.errors import CribevError, quote
from cribev.game.cards import parse_hand
from cribev.game.integers import parse_integer
from cribev.game.roles import ROLES, as_role
from cribev.game.scoring import parse_hand_and_starter, score_to_dict
from cribev.game.show import explain
from cribev.reviews.record import RECORD_TEMPLATE
from cribev.rows.columns import COLUMN_DESCRIPTIONS
from cribev.rows.pairs import PUBLISHED_CRIBS
from cribev.web.games_api import GAME_CALLS, GAME_FIELDS, example_game
from cribev.web.parameters import (
    OPPONENTS,
    parse_choice,
    parse_flag,
    parse_query,
)
from cribev.web.stored_reviews import REVIEW_PARAMETERS, review_json
from cribev.web.templating import render

ADVICE_PARAMETERS = {
    "cards": "six cards, 5H5DJSQC2H8D, or six ranks without suits, 258-9JK",
    "role": "dealer or pone; without it the answer is a list of both",
    "opponent": "who discards the other two cards: expert (default) or uniform",
    "crib_table": f"average cribs as published: {', '.join(PUBLISHED_CRIBS)}",
    "show_only": "1 leaves out the play",
    "score": "the game before the deal, yours first, 95-110: ranks discards by chance to win",
    "top": "how many discards, the best first",
    "explain": "1 says why the best is best",
    "versus": "two cards to set beside the best",
}
"""The parameters of an advice."""

SCORE_PARAMETERS = {
    "cards": "four cards and the starter, or four before the cut",
    "crib": "1 counts it as a crib",
    "explain": "1 lists every combination",
}
"""The parameters of a count."""

_EXAMPLES = (
    (
        "advice",
        "GET",
        ADVICE_PARAMETERS,
        {"cards": "5H5DJSQC2H8D", "role": "dealer", "score": "115-110", "top": "1"},
    ),
    ("score", "GET", SCORE_PARAMETERS, {"cards": "5C6D7DQH6H"}),
    ("review", "POST", REVIEW_PARAMETERS, {"fast": "1"}),
)


def advice_json(given: Mapping[str, str]) -> Any:
    """Answer as ``cribev advise --format json`` does; `CribevError` if there is no answer.

    >>> found = advice_json({"cards": "5H 5D JS QC 2H 8D", "role": "dealer", "top": "1"})
    >>> found["discards"][0]["discard"]
    ['2H', '8D']
    """
    deal = parse_hand(given.get("cards", ""), count=6, suitless=True)
    roles = [as_role(given["role"])] if "role" in given else ROLES
    found = [
        answer(
            deal,
            role,
            versus=given.get("versus") or None,
            opponent=parse_choice(given, "opponent", OPPONENTS, "expert"),
            crib_table=parse_choice(given, "crib_table", tuple(PUBLISHED_CRIBS), "") or None,
            play=not parse_flag(given, "show_only"),
            score=given.get("score") or None,
        ).to_dict(top=_top(given.get("top", "15")), explain=parse_flag(given, "explain"))
        for role in roles
    ]
    return found if len(found) > 1 else found[0]


def score_json(given: Mapping[str, str]) -> Any:
    """Answer as ``cribev score --format json`` does; `CribevError` if there is no answer.

    >>> score_json({"cards": "5C 6D 7D QH 6H"})["points"]
    10
    """
    cards = parse_hand_and_starter(given.get("cards", ""))
    crib = parse_flag(given, "crib")
    if not parse_flag(given, "explain"):
        return score_to_dict(cards, crib=crib)
    return explain(cards[:4], int(cards[4]) if len(cards) == 5 else None, crib=crib).to_dict()


def _top(text: str) -> int:
    top = parse_integer(text, least=1, most=15)
    if top is None:
        raise CribevError(f"top={quote(text)}: expected a whole number from 1 to 15")
    return top


def _as_json(value: Any) -> Response:
    return Response(json.dumps(value, allow_nan=False), media_type="application/json")


async def _advice(request: Request) -> Response:
    given = parse_query(request, *ADVICE_PARAMETERS)
    queue = request.app.state.queues.for_question(given)
    found: Response = await queue.run_for(request, lambda: _as_json(advice_json(given)))
    return found


async def _score(request: Request) -> Response:
    return _as_json(score_json(parse_query(request, *SCORE_PARAMETERS)))


async def _review(request: Request) -> Response:
    given = parse_query(request, *REVIEW_PARAMETERS)
    kind = request.headers.get("content-type", "")
    content = await request.body()
    queue = request.app.state.queues.long
    found: Response = await queue.run_for(
        request, lambda: _as_json(review_json(given, content, kind=kind))
    )
    return found


async def _show_documentation(request: Request) -> Response:
    parse_query(request)
    page: str = await request.app.state.queues.short.run_for(request, _documentation)
    return HTMLResponse(page)


@cache
def _documentation() -> str:
    answers = {
        "advice": advice_json(_EXAMPLES[0][3]),
        "score": score_json(_EXAMPLES[1][3]),
        "review": review_json(_EXAMPLES[2][3], RECORD_TEMPLATE.encode()),
    }
    rows = {"advice": "discards", "review": "decisions"}
    addresses = [
        {
            "name": name,
            "method": method,
            "parameters": parameters,
            "asked": f"/api/{name}?{urlencode(example)}",
            "answer": json.dumps(answers[name], indent=2),
            "rows": rows.get(name, ""),
            "fields": {
                field: COLUMN_DESCRIPTIONS[field]
                for row in answers[name].get(rows.get(name), [])[:1]
                for field in row
                if field in COLUMN_DESCRIPTIONS
            },
        }
        for name, method, parameters, example in _EXAMPLES
    ]
    values = {
        "here": "api",
        "addresses": addresses,
        "record": RECORD_TEMPLATE,
        "game_calls": GAME_CALLS,
        "game_fields": GAME_FIELDS,
        "game": json.dumps(example_game(), indent=2),
    }
    return render("api.html", values)


ROUTES = [
    Route("/api", _show_documentation),
    Route("/api/advice", _advice),
    Route("/api/score", _score),
    Route("/api/review", _review, methods=["POST"]),
]
