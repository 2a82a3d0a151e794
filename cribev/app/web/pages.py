"""Templates of pages, and the static files they load."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment

from cribev.advice.decisions import Line
from cribev.game import cards
from cribev.game.deal import Position
from cribev.game.play import Play
from cribev.game.roles import Role
from cribev.game.show import Kind, Show
from cribev.game.words import format_games_lost, true_minus
from cribev.reviews.page import page_environment

PAGES = (
    ("ask", "/ask", "Ask"),
    ("board", "/board", "Board"),
    ("review", "/review", "Review"),
    ("play", "/play", "Play"),
)
"""The links at the top of each page: a name, an address, a word."""

_STATIC = {
    "web.css": (
        "text/css",
        "reviews/templates/review.css app/web/static/web.css app/web/static/play.css",
    ),
    "web.js": (
        "text/javascript",
        " ".join(
            f"app/web/static/{name}.js" for name in ("cribbage", "answer", "recorder", "ask", "web")
        ),
    ),
    "board.css": ("text/css", "app/web/static/board.css"),
    "board.js": ("text/javascript", "app/web/static/board.js"),
    "icon.svg": ("image/svg+xml", "app/web/static/icon.svg"),
}
"""Each file with its type and the files it is made of."""


def card_faces(shown: str | int | Iterable[int]) -> list[dict[str, Any]]:
    """Return how cards, as text or numbers, look and are read aloud; any may lack its suit."""
    if isinstance(shown, str):
        shown = cards.parse_some_suits(shown)
    numbers = [shown] if isinstance(shown, int) else map(int, shown)
    return [
        cards.card_face(card) | {"card": card, "text": cards.format_card(card)} for card in numbers
    ]


def place_played(play: Play, role: Role) -> list[dict[str, Any]]:
    """Place the cards played for a role, each with its count; a go is under the card before it."""
    placed: list[dict[str, Any]] = []
    for step in play.steps:
        own, points = step.role == role, sum(peg.points for peg in step.pegs)
        if step.card is not None:
            (face,) = card_faces(step.card)
            notes = [str(step.count)] + ([f"+{points}"] if points > 0 else [])
            placed.append({"face": face, "own": own, "past": True, "notes": notes})
        elif placed:
            notes = placed[-1]["notes"]
            notes[:] = [note for note in notes if note != "go"]
            notes.append(f"go +{points}" if points else "go")
    for one_placed in placed[len(placed) - len(play.on_table) :] if play.on_table else ():
        one_placed["past"] = False
    return placed


def ask_address(position: Position | str, **more: str) -> str:
    """Return the link to the answer about a position.

    >>> ask_address("dealer:5H5DJSQC2H8D", mine="2H8D")
    '/ask?position=dealer:5H5DJSQC2H8D&mine=2H8D'
    """
    return "/ask?" + urlencode({"position": str(position)} | more, safe=":/@,")


def local_time(moment: str) -> str:
    """Write a time in UTC as local time, to the minute."""
    return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M}"


def page_headline(text: str) -> str:
    """Write what to play as pages do: with a true minus, 10 for a ten, and no full stop."""
    return re.sub(r"\bT\b", "10", true_minus(text.rstrip(".")))


@cache
def web_environment(*packages: str) -> Environment:
    """Return an environment for the templates of the pages; those of packages come first."""
    environment = page_environment(*packages, "cribev.app.web")
    environment.filters["games_lost"] = format_games_lost
    environment.filters["card_faces"] = card_faces
    environment.globals["ask_address"] = ask_address
    environment.globals["asks_at"] = "/ask"
    environment.globals["home"] = "/"
    environment.globals["shared"] = False  # whether others can open these pages
    environment.globals["named"] = ""  # the address by which others reach these, if there is one
    environment.globals["opponents"] = []  # among which the form lets one choose
    environment.globals["pages"] = PAGES
    environment.globals["version"] = {
        name: tag[1:9] for name, (_, tag, _) in static_files().items()
    }
    return environment


def render(template: str, values: Mapping[str, Any]) -> str:
    """Draw a page, with everything from outside escaped."""
    text: str = web_environment().get_template(template).render(values)
    return text


@cache
def static_files() -> dict[str, tuple[str, str, bytes]]:
    """Return each file that pages load: its type, its tag, and what is in it."""
    contents = {}
    for name, (kind, paths) in _STATIC.items():
        content = b"\n".join(files("cribev").joinpath(path).read_bytes() for path in paths.split())
        contents[name] = kind, f'"{sha256(content).hexdigest()[:16]}"', content
    return contents


MAX_HAND = 29  # the most that a hand counts


def count_result(show: Show, counted: int) -> Line:
    """Describe what a hand counts, beside your count."""
    if counted == show.total:
        return [f"{counted} it is: {show.spoken}"]
    if counted > show.total:
        return [f"counted {counted}, {counted - show.total} too many: {show.spoken}"]
    ways = missed_line(show, counted)
    return [f"counted {counted}, missed {show.total - counted}{': ' if ways else ''}", *ways]


_MOST_WAYS = 2  # to have missed something that are named


def missed_line(show: Show, counted: int) -> Line:
    """Suggest what was missed, unless too many combinations fit."""
    line, ways = list[str | tuple[int, ...]](), show.missed(counted)
    for index, way in enumerate(ways if len(ways) <= _MOST_WAYS else ()):
        line += [", or "] if index > 0 else []
        for after, (kind, number) in enumerate(Counter(way).items()):
            line += ([" and "] if after > 0 else []) + _combinations(show, kind, number)
    return line


def _combinations(show: Show, kind: Kind, number: int) -> Line:
    """Name combinations of a kind, with their cards if there are no others."""
    alike = [combination for combination in show.combinations if combination.kind == kind]
    plural = {"flush": "flushes", "nobs": "nobs"}.get(kind, f"{kind}s")
    if number < len(alike):
        return [f"a {kind}" if number == 1 else f"{number} {plural}"]
    name = kind if number == 1 else plural
    line: Line = [f"{name} " if kind == "nobs" else f"the {name} "]
    for index, combination in enumerate(alike):
        line += ([", "] if index > 0 else []) + [combination.cards]
    return line
