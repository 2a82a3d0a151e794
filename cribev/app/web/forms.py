"""Request parameters and form fields: each must be known, and given only once."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import parse_qsl, unquote
from urllib.parse import quote as url_quote

from python_multipart.multipart import parse_options_header
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from cribev.advice.names import OPPONENTS, as_opponent
from cribev.advice.question import Question, read_card, read_discards
from cribev.errors import CribevError, quote, unknown
from cribev.game import words

OPPONENT_HELP = (
    f"whom you play, one of {', '.join(OPPONENTS)}, by default the expert, or the JSON of a file "
    "of habits"
)
"""The meaning of the parameter."""

SCORE_HELP = {
    "score": "the score before the deal, yours first, a star at the dealer's: ranks by wins",
    "stakes": "what the game is played for, with a score: win, acc or games",
}

QUESTION_PARAMETERS = "position", "cards", "role", "score", "opponent", "stakes", "show_only"

MAX_FILES = 100  # files of a form
CHOOSE_TWO = "choose two of the six cards"  # what to do after discarding fewer or more
_LONGEST_NAME = 80
_YEAR = 365 * 24 * 3600  # seconds
_ADDED = ("utm_", "fbclid", "gclid", "msclkid", "igsh", "mc_")  # by sites that pass links on

logging.getLogger("python_multipart").addHandler(logging.NullHandler())  # the answer says it


def parse_query(request: Request, *names: str) -> dict[str, str]:
    """Read the parameters of an address; `CribevError` at an unknown or a repeated one."""
    query = reject_repeated(request.query_params.multi_items())
    reject_unknown(query, *names)
    return query


class UploadedFile(NamedTuple):
    """A file that was sent."""

    name: str
    content: bytes


_Texts: TypeAlias = dict[str, list[str]]
_Files: TypeAlias = dict[str, list[UploadedFile]]


async def parse_form(request: Request) -> tuple[_Texts, _Files]:
    """Read the texts and the files of a form; `HTTPException` if it is not well formed."""
    _, options = parse_options_header(request.headers.get("content-type"))
    charset = options.get(b"charset", b"utf-8").decode("latin-1")
    if charset.lower() not in ("utf-8", "utf8"):  # decoding punycode takes quadratic time
        raise HTTPException(415, f"charset={quote(charset)}: expected utf-8")
    texts, files = _Texts(), _Files()
    async with request.form(max_files=MAX_FILES) as form:
        for name, value in form.multi_items():
            if isinstance(value, str):
                texts.setdefault(name, []).append(value)
            else:
                name_given = (value.filename or "")[-_LONGEST_NAME:]
                files.setdefault(name, []).append(UploadedFile(name_given, await value.read()))
    return texts, files


class Asked(NamedTuple):
    """The texts and files of a request."""

    request: Request
    query: dict[str, str]  # the parameters of its address
    texts: _Texts  # the fields of its form

    @property
    def name(self) -> str:
        """The name in the address."""
        return str(self.request.path_params["name"])


def route(path: str, work: Callable[[Asked], Response], *names: str, posts: bool = False) -> Route:
    """Return a route that answers from ``known`` parameters or a form, in the short queue."""

    async def answer(request: Request) -> Response:
        query = parse_query(request, *names)
        texts, _ = await parse_form(request) if posts else ({}, {})
        queue = request.app.state.short_work
        answered: Response = await queue.run_for(request, work, Asked(request, query, texts))
        return answered

    return Route(path, answer, methods=["POST"] if posts else ["GET"])


def see_other(address: str) -> Response:
    """Redirect to an address, also after a form."""
    return RedirectResponse(address, 303)


def remember(answer: Response, name: str, value: str) -> None:
    """Have the browser keep a choice for a year; a cookie holds few characters, so it is quoted."""
    answer.set_cookie(name, url_quote(value), max_age=_YEAR, httponly=True, samesite="strict")


def remembered(request: Request, name: str) -> str:
    """Return the choice that the browser kept, or nothing."""
    return unquote(request.cookies.get(name, ""))


def reject_repeated(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return parameters by name; `CribevError` if one is repeated."""
    query: dict[str, str] = {}
    for name, value in pairs:
        if name in query:
            raise CribevError(f"{quote(name)} is given more than once")
        query[name] = value
    return query


def fields_once(texts: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the fields of a form by name; `CribevError` if one is repeated."""
    return reject_repeated([(name, value) for name, every in texts.items() for value in every])


def reject_unknown(query: Iterable[str], *names: str) -> None:
    """Raise `CribevError` at a parameter that means nothing, unless other sites add it."""
    for name in query:
        if name not in names and not name.startswith(_ADDED):
            raise CribevError(unknown("parameter", name, names))


def parse_opponent(query: Mapping[str, str]) -> str:
    """Read the opponent: a name, or habits as JSON."""
    if query.get("opponent", "").lstrip().startswith("{"):
        return as_opponent(query["opponent"]).text
    return parse_choice(query, "opponent", OPPONENTS, "expert")


def named_opponent(query: Mapping[str, str]) -> str | None:
    """Read the opponent of a question; None if none is given beside its text.

    A text says it by the same names: it must not name a file of this machine.
    """
    text = query.get("position", "") or query.get("cards", "")
    parse_opponent(dict(parse_qsl(text.partition("?")[2])))
    return parse_opponent(query) if query.get("opponent", "").strip() else None


LISTED = tuple(name for name in OPPONENTS if name not in ("greedy", "uniform"))
"""Opponents in a form; an address may name the others."""


def chosen_against(query: Mapping[str, str]) -> dict[str, Any]:
    """Return what a form says of the stakes and the opponent that an address names."""
    chosen = {"stakes": query.get("stakes", ""), "opponents": LISTED}
    with suppress(CribevError):
        opponent = as_opponent(parse_opponent(query))
        if opponent.is_replied_to:
            return {**chosen, "opponent": opponent.text, "opponent_name": opponent.name}
    name = query.get("opponent") or "expert"
    return {**chosen, "opponent": name, "opponent_name": "" if name in LISTED else name}


def _position(query: Mapping[str, str]) -> str:
    """Return the position, or the cards, that are asked about."""
    position, cards = query.get("position", "").strip(), query.get("cards", "").strip()
    if position and cards:
        raise CribevError("'position' is given, and 'cards' besides")
    return position or cards


def asked_card(query: Mapping[str, str]) -> Question:
    """Read which card to play is asked for."""
    return read_card(
        _position(query),
        role=query.get("role"),
        played=query.get("played"),
        discard=query.get("discard"),
        starter=query.get("starter"),
        score=query.get("score"),
        stakes=query.get("stakes"),
        opponent=named_opponent(query),
    )


def asked_discards(query: Mapping[str, str]) -> list[Question]:
    """Read which discards are asked for: one for each role if none is given."""
    return read_discards(
        _position(query),
        role=query.get("role", "").strip() or None,
        opponent=named_opponent(query),
        score=query.get("score", "").strip() or None,
        stakes=query.get("stakes", "").strip() or None,
        play=not parse_flag(query, "show_only"),
    )


def parse_flag(query: Mapping[str, str], name: str) -> bool:
    """Read a parameter that is on or off; off if it is not given."""
    return words.as_flag(query.get(name, ""), name)


def parse_choice(
    query: Mapping[str, str], name: str, choices: tuple[str, ...], default: str
) -> str:
    """Read a parameter that is one of a few words."""
    text = query.get(name, "").strip().lower() or default
    if text not in choices and text != default:
        raise CribevError(unknown(name.replace("_", " "), query[name], choices))
    return text
