"""The pages of practice: hands to throw, verdicts, the summary of a session, and progress."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Any
from urllib.parse import urlencode

import pandas as pd
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cribev.choice import VERDICTS, format_points
from cribev.errors import CardError, CribevError
from cribev.game.cards import format_cards
from cribev.practice.baselines import nearest_baselines
from cribev.practice.hands import new_seed
from cribev.practice.progress import (
    HEADINGS,
    Progress,
    hands_to_repeat,
    local_time,
    progress_of,
    spots_to_repeat,
    stored_decisions,
    stored_record,
)
from cribev.practice.session import Selection, ThrowSession
from cribev.practice.spots import SPOT_KINDS
from cribev.practice.store import StoreError
from cribev.practice.stored import AGAIN, DEALT, GAME, HARD, SCORED, Stored, StoredLay, StoredThrow
from cribev.practice.summary import luck_decomposition, summarize
from cribev.practice.throws import Throw, grade_throws, parse_discard, value_ahead
from cribev.practice.verdicts import verdict_of
from cribev.reviews import charts
from cribev.reviews.wording import format_games_lost, format_percent
from cribev.web.forms import CHOOSE_TWO, parse_flag, parse_form, parse_query, reject_repeated
from cribev.web.pages import card_faces, render
from cribev.web.practice_cards import SQUARES, card_page, lay_from_form, line_context
from cribev.web.practice_sessions import (
    HANDS,
    PARAMETERS,
    SessionAddress,
    hand_token,
    local_store,
    parse_address,
    places_text,
    saving_notes,
    selection_parameters,
    session_at,
    spot_token,
    stored_address,
    stored_card_address,
)

_MAX_LATEST = 10


def start_page() -> str:
    """Draw the page from which a session begins, with how others went."""
    store, damaged = local_store(), list[str]()
    parts: list[Progress] = []
    latest = []
    with suppress(StoreError):
        if store.trouble:
            store.save()  # what could not be saved before
    trouble = store.trouble
    try:
        stored, lays = store.read(tell=damaged.append), store.read_lays(tell=damaged.append)
        parts = [progress_of(rows) for rows in (stored, lays) if rows]
        latest = _latest([*stored, *lays])
    except StoreError as error:
        trouble = str(error)
    values = {
        "here": "practice",
        "hands": HANDS,
        "kinds": SPOT_KINDS,
        "trouble": trouble,
        "pending": store.pending,
        "damaged": damaged,
        "parts": [(found, _charts(found)) for found in parts],
        "latest": latest,
    }
    return render("practice.html", values)


def _charts(found: Progress) -> dict[str, dict[str, Any]]:
    """Draw the progress of each kind; chances to win are in percent."""
    drawings = {}
    for kind, periods in found.periods.items():
        unit = 100 if kind == SCORED else 1
        drawing = charts.progress(
            [unit * one.lost_mean for one in periods],
            [one.decisions for one in periods],
            [local_time(one.first)[:10] for one in periods],
            most=unit * found.most(kind),
        )
        what = "Percent of games" if kind == SCORED else "Points"
        drawings[HEADINGS[found.thing][kind]] = drawing | {"what": what}
    return drawings


def _latest(stored: Sequence[Stored]) -> list[dict[str, Any]]:
    """List the latest sessions, the last first, with addresses of their summary and problems."""
    sessions: dict[tuple[str, type], list[Any]] = {}
    for one in stored:
        sessions.setdefault((one.session, type(one)), []).append(one)
    found = []
    for (name, kind), rows in sorted(sessions.items(), key=lambda item: item[1][0].at):
        cards = kind is StoredLay
        leads = stored_card_address if cards else stored_address
        dealt = rows[0].kind in (DEALT, HARD)
        found.append(
            {
                "at": local_time(rows[0].at),
                "thing": "card" if cards else "hand",
                "number": len(rows),
                "kind": {DEALT: "", HARD: " hard", SCORED: " at a score", AGAIN: " again",
                         GAME: " in a game"}[rows[0].kind],
                "lost": sum(one.ev_loss for one in rows),
                "parts": None if cards else luck_decomposition(stored_decisions(rows)),
                "again": _repeat_first_address(rows) if dealt and not cards else "",
                "seed": rows[0].seed,
                "address": leads(name, rows) if len(rows) <= HANDS else "",
            }
        )  # fmt: skip
    return found[: -_MAX_LATEST - 1 : -1]


def _repeat_first_address(throws: Sequence[StoredThrow]) -> str:
    """Return the address of the hands that some throws are the first of."""
    first, roles = throws[0], {one.role for one in throws}
    # In turn, the first is the dealer's.
    one_role = len(roles) == 1 and (len(throws) > 1 or "pone" in roles)
    selection = Selection(first.hand.seed, first.kind == HARD, first.role if one_role else None)
    return f"/practice?{urlencode(selection_parameters(selection))}"


def new_address(given: Mapping[str, str]) -> str:
    """Return the address of the hands of a seed, drawn if none is given."""
    seed = given.get("seed", "").strip() or str(new_seed())
    return parse_address({**given, "seed": seed}).shared


def repeat_address() -> str:
    """Return the address of the hands that come back, the costliest first; the start if none."""
    tokens = list(map(hand_token, hands_to_repeat(local_store().read())[:HANDS]))
    return f"/practice?{urlencode({'hands': '.'.join(tokens)})}" if tokens else "/practice"


def repeat_card_address() -> str:
    """Return the address of the spots that come back, in the same way."""
    tokens = list(map(spot_token, spots_to_repeat(local_store().read_lays())[:HANDS]))
    return f"/practice?{urlencode({'spots': '.'.join(tokens)})}" if tokens else "/practice"


def session_page(address: SessionAddress, *, error: str = "", chosen: tuple[str, ...] = ()) -> str:
    """Draw what an address shows: a hand to throw, a throw judged, or the summary."""
    session = session_at(address)
    if address.at > session.number:
        return _summary(address, session)
    hand = session.problem(address.at)
    graded = grade_throws(session.answers) if session.answers else None
    values: dict[str, Any] = {
        "here": "practice",
        "address": address,
        "hand": hand,
        "cards": card_faces(format_cards(hand.cards)),
        "chosen": chosen,
        "error": error,
        "verdict": None,
        "so_far": _lost_so_far(graded),
        "graded": [] if graded is None else graded["verdict"].tolist(),
        "over": address.at == session.number,
    }
    if address.at <= len(session.answers):
        values |= _verdict_context(session.answers[address.at - 1])
        values |= _notes(session, [address.at])
    else:
        value_ahead(hand)  # while the player thinks: at a score it takes a second
    return render("practice_hand.html", values)


def _lost_so_far(graded: pd.DataFrame | None) -> str:
    """Say what is lost, in points and in chances to win."""
    if graded is None:
        return ""
    if "win_loss" not in graded:
        return format_points(graded["ev_loss"].sum())
    by_points = graded["ev_loss"][graded["win_loss"].isna()]
    lost = [format_points(by_points.sum())] if len(by_points) else []
    lost.append(format_games_lost(graded["win_loss"].sum()))
    return " and ".join(lost)


def throw_from_form(given: Mapping[str, list[str]]) -> tuple[str, str]:
    """Throw the two cards chosen in a form, and save the throw.

    Returns the address of its verdict; or nothing, and the hand once more with what is wrong.
    """
    chosen = given.get("throw", [])
    pairs = [
        (name, value)
        for name, values in given.items()
        for value in values
        if name not in ("throw", "lay")
    ]
    address = parse_address(reject_repeated(pairs))
    if address.play:
        return lay_from_form(address, given.get("lay", []))
    session = session_at(address)
    if session.over:
        raise CribevError("all hands of this session are thrown")
    try:
        keep = parse_discard(" ".join(chosen), session.next_problem.deal)
    except CardError:
        return "", session_page(address, error=CHOOSE_TWO, chosen=tuple(chosen))
    session.answer(keep)
    address = address._replace(answers=(*address.answers, places_text(keep)))
    return address.to(len(address.answers)), ""


def _verdict_context(one: Throw) -> dict[str, Any]:
    found, discard = verdict_of(one), format_cards(one.discard)
    best = "best_discard" if one.hand.score is None else "win_discard"
    asked = {
        "cards": format_cards(one.hand.cards).replace(" ", ""),
        "role": one.hand.role,
        "mine": discard.replace(" ", ""),
        **({} if one.hand.score is None else {"score": "{}-{}".format(*one.hand.score)}),
    }
    return {
        "verdict": found.verdict,
        "chosen": tuple(discard.split()),
        "best": str(found.decision[best]).split(),
        "cost": line_context(found.cost),
        "why": line_context(found.why),
        "luck": line_context(found.luck),
        "ask": f"/ask?{urlencode(asked)}",
    }


def _notes(session: ThrowSession, numbers: Sequence[int]) -> dict[str, Any]:
    answers = {number: session.answers[number - 1] for number in numbers}
    thrown = {number: (one.hand, format_cards(one.discard)) for number, one in answers.items()}
    return saving_notes(
        session, thrown, attrgetter("discard"), noun="throw", before="From hand {} you threw {}"
    )


def _summary(address: SessionAddress, session: ThrowSession) -> str:
    found = summarize(session.answers)
    decisions = found.review.decisions
    rows = [
        {
            "number": number,
            "role": one.hand.role,
            "cards": format_cards(one.hand.cards),
            "thrown": format_cards(one.discard),
            "best": str(
                decisions["best_discard" if one.hand.score is None else "win_discard"].iloc[
                    number - 1
                ]
            ),
            "verdict": decisions["verdict"].iloc[number - 1],
            "loss": format_points(decisions["ev_loss"].iloc[number - 1])
            if one.hand.score is None
            else format_percent(decisions["win_loss"].iloc[number - 1]),
            "score": "" if one.hand.score is None else "{}-{}".format(*one.hand.score),
        }
        for number, one in enumerate(session.answers, 1)
    ]
    back = 0
    with suppress(StoreError):  # the notes say what is wrong
        back = len(hands_to_repeat(local_store().read()))
    others = selection_parameters(address.selection._replace(seed=None))
    values = {
        "here": "practice",
        "address": address,
        "found": found,
        "rows": rows,
        "baselines": nearest_baselines(found.lost_mean, found.baselines),
        "verdicts": VERDICTS,
        "squares": "".join(SQUARES[row["verdict"]] for row in rows),
        "back": back,
        "hands": HANDS,
        "more": f"/practice/new?{urlencode(others)}",
        **_notes(session, [row["number"] for row in rows]),
    }
    return render("practice_summary.html", values)


async def _show_session(request: Request) -> Response:
    given = parse_query(request, *PARAMETERS)
    queue = request.app.state.queues.practice
    if not given.keys() & {*PARAMETERS}:
        return HTMLResponse(await queue.run_for(request, start_page))
    address = parse_address(given)
    page = card_page if address.play else session_page
    return HTMLResponse(await queue.run_for(request, page, address))


async def _post_throw(request: Request) -> Response:
    parse_query(request)
    given, _ = await parse_form(request)
    queue = request.app.state.queues.practice
    address, page = await queue.run_for(request, throw_from_form, given)
    return RedirectResponse(address, 303) if address else HTMLResponse(page, 400)


async def _new_session(request: Request) -> Response:
    given = parse_query(request, "hard", "role", "seed", "play", "cards", "score")
    return RedirectResponse(new_address(given), 303)


async def _repeat_session(request: Request) -> Response:
    play = parse_flag(parse_query(request, "play"), "play")
    queue = request.app.state.queues.practice
    address = repeat_card_address if play else repeat_address
    return RedirectResponse(await queue.run_for(request, address), 303)


async def _export_throws(request: Request) -> Response:
    parse_query(request)
    stored = await request.app.state.queues.practice.run_for(request, local_store().read)
    if not stored:
        raise CribevError("no throws are saved yet")
    return Response(
        stored_record(stored).to_csv(index=False, lineterminator="\n"),
        media_type="text/csv",
        headers={"Content-Disposition": 'attachment; filename="throws.csv"'},
    )


ROUTES = [
    Route("/practice", _show_session),
    Route("/practice", _post_throw, methods=["POST"]),
    Route("/practice/new", _new_session),
    Route("/practice/again", _repeat_session),
    Route("/practice/throws.csv", _export_throws),
]
