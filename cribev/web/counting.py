"""The pages of the counting drill: a hand, what it counts, and what was missed.

The address of a drill says which seed deals the hands, and what they were counted for.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cribev.errors import CribevError, quote
from cribev.game.cards import format_card, format_cards
from cribev.game.score import parse_integer
from cribev.game.show import MAX_HAND, Show
from cribev.practice.counting import Counted, count_progress, counts_of, parse_count
from cribev.practice.problems import new_seed
from cribev.practice.session import TEN
from cribev.practice.store import SESSION_NAME, StoreError, new_session_name
from cribev.web.forms import parse_form, parse_query, reject_repeated, reject_unknown
from cribev.web.pages import card_faces, line_pieces, render
from cribev.web.practice import local_store

COUNT_PARAMETERS = ("seed", "done", "at", "session")
_DONE = re.compile(r"(?:[01][0-9]|2[0-9])*")
_SQUARES = {"right": "best", "missed": "blunder", "too many": "mistake"}


class CountAddress(NamedTuple):
    """What an address says: the seed, what was counted, and the number of the hand to show."""

    seed: int
    counted: tuple[int, ...]
    at: int
    name: str

    def to(self, at: int) -> str:
        """Return the address of a hand, or of the summary."""
        return f"/practice/count?{urlencode({**self.fields(), 'at': str(at)})}"

    def fields(self) -> dict[str, str]:
        """Return what a form sends along."""
        done = "".join(f"{points:02}" for points in self.counted)
        return {"seed": str(self.seed), "done": done, "session": self.name}


@lru_cache(64)
def dealt_counts(seed: int) -> tuple[Show, ...]:
    """Deal the hands of a drill."""
    return tuple(islice(counts_of(seed), TEN))


def parse_count_address(given: Mapping[str, str]) -> CountAddress:
    """Read what an address or a form says; `CribevError` if it is wrong."""
    reject_unknown(given, *COUNT_PARAMETERS)
    seed, done = parse_integer(given.get("seed", "")), given.get("done", "")
    name = given.get("session") or new_session_name()
    if seed is None:
        raise CribevError(f"seed={quote(given.get('seed', ''))}: expected a whole number from 0 up")
    if not _DONE.fullmatch(done) or len(done) > 2 * TEN:
        raise CribevError(f"done={quote(done)}: expected two digits for each hand, as 08")
    if not SESSION_NAME.fullmatch(name):
        raise CribevError(f"session={quote(name)}: this is no session")
    counted = tuple(int(done[at : at + 2]) for at in range(0, len(done), 2))
    text, most = given.get("at") or str(len(counted) + 1), len(counted) + 1
    if (at := parse_integer(text, least=1, most=most)) is None:
        raise CribevError(f"at={quote(text)}: expected a whole number from 1 to {most}")
    return CountAddress(seed, counted, at, name)


def count_page(address: CountAddress, *, error: str = "") -> str:
    """Draw a hand to count, what it counts, or the summary."""
    shows, at = dealt_counts(address.seed), address.at
    counted = [*map(Counted, shows, address.counted)]
    values: dict[str, Any] = {
        "here": "practice",
        "address": address,
        "number": TEN,
        "most": MAX_HAND,
        "error": error,
        "last_error": local_store().last_error,
        "graded": [_SQUARES[one.verdict] for one in counted],
        "hand": None,
        "found": None,
        "progress": count_progress(counted) if counted else None,
        "rows": [(one, format_cards(one.show.hand), _starter(one.show)) for one in counted],
    }
    if at <= TEN:
        show = shows[at - 1]
        values |= {"crib": show.crib, "hand": card_faces(format_cards(show.hand))}
        values["starter"] = card_faces(_starter(show))[0]
    if at <= len(counted):
        found = counted[at - 1]
        values |= {"found": found, "result": line_pieces(found.result)}
        values["combinations"] = [
            (format_cards(one.cards), one.kind, one.points) for one in found.show.combinations
        ]
    return render("practice_count.html", values)


def _starter(show: Show) -> str:
    return "" if show.starter is None else format_card(show.starter)


def count_from_form(given: Mapping[str, str]) -> tuple[str, str]:
    """Count a hand as a form says, and save it; the address of what is said, or the page again."""
    address = parse_count_address({name: given[name] for name in given if name != "points"})
    at = len(address.counted)
    if at >= TEN:
        raise CribevError("all hands of this drill are counted")
    try:
        points = parse_count(given.get("points", ""))
    except CribevError as error:
        return "", count_page(address._replace(at=at + 1), error=str(error))
    found = Counted(dealt_counts(address.seed)[at], points)
    with suppress(StoreError):
        local_store().save(found.stored(session=address.name, number=at + 1))
    return address._replace(counted=(*address.counted, points)).to(at + 1), ""


async def _show_count(request: Request) -> Response:
    given = parse_query(request, *COUNT_PARAMETERS)
    if not given:
        seed = {"seed": str(new_seed())}
        return RedirectResponse(f"/practice/count?{urlencode(seed)}", 303)
    address = parse_count_address(given)
    return HTMLResponse(
        await request.app.state.queues.practice.run_for(request, count_page, address)
    )


async def _post_count(request: Request) -> Response:
    parse_query(request)
    texts, _ = await parse_form(request)
    given = reject_repeated([(name, value) for name, every in texts.items() for value in every])
    queue = request.app.state.queues.practice
    address, page = await queue.run_for(request, count_from_form, given)
    return RedirectResponse(address, 303) if address else HTMLResponse(page, 400)


ROUTES = [
    Route("/practice/count", _show_count),
    Route("/practice/count", _post_count, methods=["POST"]),
]
