"""The pages of the counting drill: a hand, what it counts, and what was missed."""

from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Any

from starlette.responses import HTMLResponse, Response

from cribev.errors import CribevError
from cribev.game.show import MAX_HAND, Show
from cribev.games.game import parse_count
from cribev.practice.counting import (
    count_progress,
    count_result,
    count_verdict,
    counts_of,
)
from cribev.practice.problems import new_seed
from cribev.practice.session import TEN
from cribev.practice.store import StoredCount, StoreError
from cribev.web.forms import Asked, fields_once, route, see_other
from cribev.web.pages import render
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
    if at <= len(counted):
        values["result"] = count_result(shows[at - 1], counted[at - 1].counted)
    return render("practice_count.html", values)


def _show_count(asked: Asked) -> Response:
    address = parse_address(asked.given or {"seed": str(new_seed())}, counting=True)
    return HTMLResponse(count_page(address)) if asked.given else see_other(address.started)


def _count(asked: Asked) -> Response:
    """Save a hand as it is counted, and lead to what it counts; or say what is wrong."""
    given = fields_once(asked.texts)
    points = given.pop("points", "")
    address = parse_address(given, counting=True)
    number = len(address.answers) + 1
    if number > TEN:
        raise CribevError("all hands of this drill are counted")
    assert address.selection.seed is not None
    try:
        counted = parse_count(points)
    except CribevError as error:
        return HTMLResponse(count_page(address._replace(at=number), error=str(error)), 400)
    show = dealt_counts(address.selection.seed)[number - 1]
    with suppress(StoreError):
        local_store().save(StoredCount.of(show, counted, session=address.name, number=number))
    return see_other(address._replace(answers=(*address.answers, f"{counted:02}")).to(number))


ROUTES = [
    route(COUNTING, _show_count, "seed", "done", "at", "session", queue="practice"),
    route(COUNTING, _count, queue="practice", posts=True),
]
