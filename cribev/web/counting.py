"""The pages of the counting drill: a hand, what it counts, and what was missed."""

from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cribev.errors import CribevError
from cribev.game.cards import format_cards
from cribev.game.show import MAX_HAND, Show
from cribev.practice.counting import (
    count_progress,
    count_result,
    count_verdict,
    counts_of,
    parse_count,
)
from cribev.practice.problems import new_seed
from cribev.practice.session import TEN
from cribev.practice.store import StoredCount, StoreError
from cribev.web.forms import parse_form, parse_query, reject_repeated
from cribev.web.pages import card_faces, line_pieces, render
from cribev.web.practice import COUNTING, SessionAddress, local_store, parse_address

_TONES = {"right": "best", "missed": "blunder", "too many": "mistake"}


@lru_cache(64)
def dealt_counts(seed: int) -> tuple[Show, ...]:
    """Deal the hands of a drill."""
    return tuple(islice(counts_of(seed), TEN))


def count_page(address: SessionAddress, *, error: str = "") -> str:
    """Draw a hand to count, what it counts, or the summary."""
    assert address.selection.seed is not None
    shows, at = dealt_counts(address.selection.seed), address.at
    counted = [
        StoredCount.of(show, int(points), session=address.name, number=number)
        for number, (show, points) in enumerate(zip(shows, address.answers, strict=False), 1)
    ]
    verdicts = [count_verdict(one.show, one.counted) for one in counted]
    values: dict[str, Any] = {
        "here": "practice",
        "address": address,
        "most": MAX_HAND,
        "error": error,
        "last_error": local_store().last_error,
        "graded": [_TONES[verdict] for verdict in verdicts],
        "progress": count_progress(counted),
        "rows": list(zip(counted, verdicts, strict=True)),
        "show": shows[at - 1] if at <= TEN else None,
        "result": None,
    }
    if at <= TEN:
        values["hand"] = card_faces(format_cards(shows[at - 1].hand))
        (values["starter"],) = card_faces(format_cards(shows[at - 1].cut))
    if at <= len(counted):
        values["result"] = line_pieces(count_result(shows[at - 1], counted[at - 1].counted))
        values["combinations"] = [
            (format_cards(one.cards), one.kind, one.points) for one in shows[at - 1].combinations
        ]
    return render("practice_count.html", values)


async def _show_count(request: Request) -> Response:
    given = parse_query(request, "seed", "done", "at", "session")
    address = parse_address(given or {"seed": str(new_seed())}, counting=True)
    if not given:
        return RedirectResponse(address.started, 303)
    queue = request.app.state.queues.practice
    return HTMLResponse(await queue.run_for(request, count_page, address))


async def _post_count(request: Request) -> Response:
    parse_query(request)
    texts, _ = await parse_form(request)
    given = reject_repeated([(name, value) for name, every in texts.items() for value in every])
    points = given.pop("points", "")
    address = parse_address(given, counting=True)
    number = len(address.answers) + 1
    if number > TEN:
        raise CribevError("all hands of this drill are counted")

    def count() -> SessionAddress:
        """Save a hand as it is counted, and return where it says what it counts."""
        assert address.selection.seed is not None
        show, counted = dealt_counts(address.selection.seed)[number - 1], parse_count(points)
        with suppress(StoreError):
            row = StoredCount.of(show, counted, session=address.name, number=number)
            local_store().save(row)
        return address._replace(answers=(*address.answers, f"{counted:02}"))

    queue = request.app.state.queues.practice
    try:
        answered: SessionAddress = await queue.run_for(request, count)
    except CribevError as error:
        page = count_page(address._replace(at=number), error=str(error))
        return HTMLResponse(page, 400)
    return RedirectResponse(answered.to(number), 303)


ROUTES = [Route(COUNTING, _show_count), Route(COUNTING, _post_count, methods=["POST"])]
