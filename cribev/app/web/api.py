"""The HTTP API: the JSON of the command line, and games between a program and a level."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from cribev.advice.cards import card_answer
from cribev.advice.discards import advise_discard
from cribev.advice.question import read_card
from cribev.app.games.clock import day_seed, today
from cribev.app.games.errors import MoveError, TurnError
from cribev.app.games.game import MAX_SEED, Game
from cribev.app.games.levels import duplicate_score
from cribev.app.games.players import EXPERT, PLAYER
from cribev.app.games.store import StoredGame, local_games
from cribev.app.web import forms
from cribev.app.web.pages import render
from cribev.app.web.review import REVIEW_PARAMETERS, review_json
from cribev.errors import CribevError, quote
from cribev.game.cards import format_cards
from cribev.game.show import count_to_dict
from cribev.game.words import parse_integer
from cribev.opponents.habits import LEVELS
from cribev.records.record import RECORD_TEMPLATE
from cribev.rows.names import COLUMN_DESCRIPTIONS

ADVICE_PARAMETERS = {
    "cards": "six cards, 5H5DJSQC2H8D, or six ranks without suits, 258-9JK",
    "position": "cards, role and score as one text, dealer:5H5DJSQC2H8D@95-110, in place of them",
    "role": "dealer or pone; without it, or a star in the score, the answer is a list of both",
    "opponent": forms.OPPONENT_HELP,
    "show_only": "1 leaves out the play",
    "score": "the score before the deal, yours first, a star at the dealer's: ranks by wins",
    "stakes": "what the game is played for, with a score: win, acc, games, or numbers as 1,2",
    "top": "how many discards, the best first",
    "explain": "1 says why the best is best",
    "versus": "two cards to set beside the best",
    "players": "3 or 4, who have five cards; what is for two alone is left out then",
    "crib": "whose crib it is, mine, partner or theirs, in place of the role",
}
"""The parameters of an advice."""

CARD_PARAMETERS = {
    "cards": "the four cards you kept, 4H5CJDJS, or their ranks, played or not",
    "position": "all that is known as one text, pone:4H5CJDJS/9CKD:7H:J5, in place of them",
    "role": "dealer or pone; a star in the score says it too",
    "laid": "the cards as they fell, pone's first, with go: J 5",
    "threw": "the two cards you discarded",
    "starter": "the card cut",
    "score": "the score before the deal, yours first, a star at the dealer's: ranks by wins",
    "stakes": "what the game is played for, with a score: win, acc, games, or numbers as 1,2",
    "opponent": forms.OPPONENT_HELP,
    "explain": "1 says what your opponent may hold, and what can follow each card",
    "distribution": "1 says who pegs first, and how likely each number of pegged points is",
}
"""The parameters of a card to play."""

SCORE_PARAMETERS = {
    "cards": "four cards and the starter, or four before the cut",
    "crib": "1 counts it as a crib",
    "explain": "1 lists every combination",
    "cuts": "1 counts four cards, or the first four of six, over every starter",
}
"""The parameters of a count."""


def advice_json(given: Mapping[str, str]) -> Any:
    """Answer as ``cribev advise --format json`` does; `CribevError` if there is no answer."""
    if (top := parse_integer(given.get("top", "15"), least=1, most=15)) is None:
        raise CribevError(f"top={quote(given['top'])}: expected a whole number from 1 to 15")
    versus, explain = given.get("versus") or None, forms.parse_flag(given, "explain")
    answers = map(advise_discard, forms.asked_discards(given))
    found = [one.to_dict(top=top, versus=versus, explain=explain) for one in answers]
    return found if len(found) > 1 else found[0]


def card_json(given: Mapping[str, str]) -> Any:
    """Answer as ``cribev play --format json`` does; `CribevError` if there is no answer."""
    text = given.get("position", "").strip()
    if text and given.get("cards"):
        raise CribevError("'position' is given, and 'cards' besides")
    question = read_card(
        text or given.get("cards", ""),
        role=given.get("role"),
        laid=given.get("laid"),
        discard=given.get("threw"),
        starter=given.get("starter"),
        score=given.get("score"),
        stakes=given.get("stakes"),
        opponent=forms.parse_opponent(given),
    )
    return card_answer(
        question,
        explain=forms.parse_flag(given, "explain"),
        distribution=forms.parse_flag(given, "distribution"),
    )


def score_json(given: Mapping[str, str]) -> Any:
    """Answer as ``cribev score --format json`` does; `CribevError` if there is no answer."""
    crib, explained, cuts = (forms.parse_flag(given, name) for name in ("crib", "explain", "cuts"))
    return count_to_dict(given.get("cards", ""), crib=crib, explained=explained, over_cuts=cuts)


def _as_json(value: Any, status: int = 200) -> Response:
    return Response(json.dumps(value, allow_nan=False), status, media_type="application/json")


async def _score(request: Request) -> Response:
    return _as_json(score_json(forms.parse_query(request, *SCORE_PARAMETERS)))


async def _review(request: Request) -> Response:
    given = forms.parse_query(request, *REVIEW_PARAMETERS)
    sent: bytes | list[forms.UploadedFile]
    if request.headers.get("content-type", "").startswith("multipart/"):
        texts, files = await forms.parse_form(request)
        forms.reject_unknown([*texts, *files], "record")
        sent = files.get("record", [])
    else:
        sent = await request.body()
    queue = request.app.state.queues.long
    found: Response = await queue.run_for(request, lambda: _as_json(review_json(given, sent)))
    return found


@cache
def _documentation() -> str:
    advice = {"cards": "5H5DJSQC2H8D", "role": "dealer", "score": "115-110", "top": "1"}
    card = {"cards": "4H5CJDJS", "role": "pone", "threw": "9CKD", "starter": "7H", "laid": "J 5"}
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
    values = {
        "here": "api",
        "addresses": addresses,
        "record": RECORD_TEMPLATE,
        "levels": LEVELS,
        "game": json.dumps(example_game(), indent=2),
    }
    return render("api.html", values)


_Work: TypeAlias = Callable[[Request, Mapping[str, Any]], dict[str, Any]]
_DEALERS = {"you": PLAYER, "opponent": EXPERT, "expert": EXPERT}


def game_json(name: str, stored: StoredGame) -> dict[str, Any]:
    """Return the state of a game as the player sees it."""
    game = stored.game
    number = game.deal.number
    begun = 0 if number == 1 else number  # the cut for the deal comes before it
    events = [event.to_dict(PLAYER) for event in game.events if event.deal >= begun]
    told = stored.seed_given or game.phase == "over"
    return {
        "id": name,
        "level": stored.level,
        "stakes": stored.stakes.name,
        "moves": len(game.moves),
        "seed": game.seed if told else None,
        **game.to_dict(PLAYER),
        "events": events,
        "unsaved": stored.error or None,
    }


def example_game() -> dict[str, Any]:
    """Return the state of a game in which a card is to be played."""
    game = Game(7, dealer=PLAYER)
    game.discard(PLAYER, "3H KC")
    game.discard(1 - PLAYER, "3C 9H")
    game.lay(1 - PLAYER, "4D")
    return game_json("3mUYQm1Kk0q2mZ8_", StoredGame(game, PLAYER, True, ""))


def begin_game(_: Request, given: Mapping[str, Any]) -> dict[str, Any]:
    """Begin a game; `CribevError` if the seed, the dealer or the level is invalid."""
    forms.reject_unknown(given, "seed", "dealer", "level", "muggins", "stakes", "today")
    muggins = _field(given, "muggins", bool, "true or false")
    if _field(given, "today", bool, "true or false"):
        if len(given) > 1:
            raise CribevError("today is the same game for everybody: expected nothing beside it")
        name = local_games().create(seed=day_seed(today(), "programs"), program=True)
        return game_json(name, local_games().find(name))
    seed, dealer = given.get("seed"), given.get("dealer")
    level = _field(given, "level", str, "a name, as 'club'")
    if isinstance(seed, str):
        seed = parse_integer(seed) if seed.strip() else None
        if seed is None and given["seed"].strip():
            raise CribevError(f"seed={quote(given['seed'])}: expected a whole number from 0 up")
    if seed is not None and (type(seed) is not int or not 0 <= seed < MAX_SEED):
        shown = quote(json.dumps(seed))
        raise CribevError(f"seed={shown}: expected a whole number from 0 up, below 2**129")
    if dealer is not None and (not isinstance(dealer, str) or dealer not in _DEALERS):
        shown = quote(json.dumps(dealer))
        raise CribevError(f"dealer={shown}: expected 'you' or 'opponent'")
    first = None if dealer is None else _DEALERS[dealer]
    store, known = local_games(), {} if level is None else {"level": level}
    name = store.create(
        seed=seed, dealer=first, stakes=given.get("stakes"), program=True, muggins=bool(muggins),
        **known,
    )  # fmt: skip
    return game_json(name, store.find(name))


def _discard(game: Game, given: Mapping[str, Any]) -> None:
    cards = given.get("cards")
    texts = [cards] if isinstance(cards, str) else cards
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise CribevError('expected two cards: {"cards": ["5H", "9C"]}')
    game.discard(PLAYER, " ".join(texts))


def play_card(game: Game, given: Mapping[str, Any]) -> None:
    """Play the card that a request names; a go only where it was said by itself."""
    card = given.get("card")
    if not isinstance(card, str):
        raise CribevError('expected a card: {"card": "5H"}')
    if card.strip().lower() != "go":
        game.lay(PLAYER, card)
    elif fits := game.legal(PLAYER):
        raise MoveError(f"you cannot say go: expected one of {format_cards(fits)}")
    else:
        own = [step for step in game.deal.play.steps if step.role == game.role(PLAYER)]
        if not own or own[-1].card is not None:
            raise TurnError("you cannot say go now")


def _count(game: Game, given: Mapping[str, Any]) -> None:
    points = given.get("points")
    if type(points) is not int:
        raise CribevError('expected points: {"points": 8}')
    game.count(PLAYER, points)


async def _body(request: Request) -> dict[str, Any]:
    """Read the JSON of a request; none is an empty one."""
    content = await request.body()
    try:
        found = json.loads(content.decode()) if content.strip() else {}
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        shown = quote(content.decode(errors="replace").strip())
        raise CribevError(f"{shown} is not a JSON object")
    return found


def _field(given: Mapping[str, Any], name: str, kind: type, expected: str) -> Any:
    """Read a field of the request's body; None if it is missing."""
    value = given.get(name)
    if value is not None and type(value) is not kind:
        raise CribevError(f"{name}={quote(json.dumps(value))}: expected {expected}")
    return value


def _show_duplicate(request: Request, _: Mapping[str, Any]) -> dict[str, Any]:
    """Return the score of a game that is over, and that of an expert with the player's cards.

    The expert meets the same opponent, of the same level.
    """
    stored = local_games().find(request.path_params["name"])
    game = stored.game
    if game.phase != "over":
        raise TurnError("the game goes on: an expert plays your cards once it is over")
    expert = list(duplicate_score(game.seed, game.first_dealer, stored.level, stored.stakes))
    return {"score": list(game.score), "won": game.winner == PLAYER, "expert": expert}


def _show(request: Request, _: Mapping[str, Any]) -> dict[str, Any]:
    name = request.path_params["name"]
    return game_json(name, local_games().find(name))


def _mover(move: Callable[[Game, Mapping[str, Any]], None], *known: str) -> _Work:
    """Answer a request that moves in a game by ``known`` fields, and let the opponent answer."""

    def work(request: Request, given: Mapping[str, Any]) -> dict[str, Any]:
        forms.reject_unknown(given, *known, "moves")
        name, moves = request.path_params["name"], _field(given, "moves", int, "a whole number")
        local_games().move(name, lambda game: move(game, given), moves=moves)
        return _show(request, {})

    return work


def _game_route(path: str, work: _Work, method: str = "POST", *, queue: str = "games") -> Route:
    """Answer at an address of games, by the JSON that is sent."""

    async def answer(request: Request) -> Response:
        forms.parse_query(request)
        given = await _body(request)
        chosen = getattr(request.app.state.queues, queue)
        moved = chosen.run_for(request, work, request, given)
        found = await (moved if method == "GET" else forms.in_step(moved))
        answered = _as_json(found, 201 if work is begin_game else 200)
        answered.headers["Cache-Control"] = "no-store"
        return answered

    return Route(f"/api/games{path}", answer, methods=[method])


ROUTES = [
    forms.route("/api", lambda _: HTMLResponse(_documentation()), queue="short"),
    forms.route(
        "/api/advice",
        lambda asked: _as_json(advice_json(asked.given)),
        *ADVICE_PARAMETERS,
        queue="question",
    ),
    forms.route(
        "/api/play",
        lambda asked: _as_json(card_json(asked.given)),
        *CARD_PARAMETERS,
        queue="question",
    ),
    Route("/api/score", _score),
    Route("/api/review", _review, methods=["POST"]),
    _game_route("", begin_game),
    _game_route("/{name}", _show, "GET"),
    # It plays a whole game, which holds up no move.
    _game_route("/{name}/duplicate", _show_duplicate, "GET", queue="duplicates"),
    _game_route("/{name}/discard", _mover(_discard, "cards")),
    _game_route("/{name}/play", _mover(play_card, "card")),
    _game_route("/{name}/count", _mover(_count, "points")),
    _game_route("/{name}/next", _mover(lambda game, _: game.next_deal(PLAYER))),
]
