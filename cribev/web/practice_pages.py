"""The pages of practice: hands to throw, what each throw cost, a run's score, and how it went."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cribev.errors import CardError, CribevError
from cribev.game.cards import format_cards
from cribev.game.roles import as_role
from cribev.practice.baselines import between
from cribev.practice.hands import new_seed
from cribev.practice.progress import (
    Period,
    Progress,
    decisions_kept,
    local,
    progress_of,
    record_kept,
    waiting,
)
from cribev.practice.store import (
    AGAIN,
    HARD,
    StoredThrow,
    StoreError,
    all_kept,
    keep,
    kept_of,
    new_run,
)
from cribev.practice.summary import luck_decomposition, summarize
from cribev.practice.throws import Throw, decided
from cribev.practice.verdicts import Line, verdict_of
from cribev.reviews import charts
from cribev.reviews.wording import VERDICTS
from cribev.web.answer_page import card_faces
from cribev.web.deal_form import CHOOSE_TWO
from cribev.web.parameters import parse_flag, parse_form, parse_query, reject_repeated
from cribev.web.practice_sessions import (
    HANDS,
    PARAMETERS,
    Run,
    hands_in,
    past,
    places_of,
    question,
    run_in,
    thrown_from,
    throws_in,
    token_of,
)
from cribev.web.templating import render

_LATEST = 10
_HEADS = {"dealt": "Hands as dealt", "hard": "Hard hands"}


def start() -> str:
    """Draw the page from which a run begins, with what was kept of others."""
    found: Progress | None = None
    trouble, latest = "", []
    damaged: list[str] = []
    try:
        if kept := all_kept(damaged.append):
            found, latest = progress_of(kept), _latest(kept)
    except StoreError as error:
        trouble = " ".join(str(error).split())
    values = {
        "here": "practice",
        "hands": HANDS,
        "trouble": trouble,
        "damaged": damaged,
        "found": found,
        "latest": latest,
        "pictures": {}
        if found is None
        else {_HEADS[kind]: _progress_chart(some) for kind, some in found.periods.items()},
    }
    return render("practice.html", values)


def _progress_chart(periods: Sequence[Period]) -> dict[str, Any]:
    return charts.progress(
        [one.lost_mean for one in periods],
        [one.hands for one in periods],
        [local(one.first)[:10] for one in periods],
    )


def _latest(kept: Sequence[StoredThrow]) -> list[dict[str, Any]]:
    """List the latest runs, the last first, with what is needed to look at them or throw again."""
    runs: dict[str, list[StoredThrow]] = {}
    for one in kept:
        runs.setdefault(one.run, []).append(one)
    listed = []
    for name, throws in list(runs.items())[: -_LATEST - 1 : -1]:
        books = luck_decomposition(decisions_kept(throws))
        listed.append(
            {
                "at": local(throws[0].at),
                "kind": throws[0].kind,
                "books": books,
                "again": _same(throws) if throws[0].kind != AGAIN else "",
                "seed": throws[0].seed,
                "address": past(name, throws) if len(throws) <= HANDS else "",
            }
        )
    return listed


def _same(throws: Sequence[StoredThrow]) -> str:
    """Return the address of the hands that some throws are the first of."""
    roles = {one.role for one in throws}
    asked = {"seed": str(throws[0].seed)}
    if throws[0].kind == HARD:
        asked["hard"] = "1"
    if len(roles) == 1 and (len(throws) > 1 or "pone" in roles):  # in turn, the first is dealer
        asked["role"] = roles.pop()
    return f"/practice?{urlencode(asked)}"


def new(given: Mapping[str, str]) -> str:
    """Draw a seed, and return the address of its hands.

    Raises
    ------
    CribevError
        If something else is asked for.
    """
    seed = given.get("seed", "").strip() or str(new_seed())
    asked = {"seed": seed}
    if parse_flag(given, "hard"):
        asked["hard"] = "1"
    if given.get("role"):
        asked["role"] = as_role(given["role"])
    return run_in(asked, new=new_run()).shared


def again() -> str:
    """Return the address of the hands that come back, those that lost most; the start if none."""
    hands = waiting(all_kept())[:HANDS]
    if not hands:
        return "/practice"
    return f"/practice?{urlencode({'hands': '.'.join(map(token_of, hands))})}"


def shown(run: Run, *, error: str = "", chosen: tuple[str, ...] = ()) -> str:
    """Draw what a run's address looks at: a hand to throw, a throw judged, or what it came to."""
    hands = hands_in(run)
    throws = throws_in(run, hands)
    if run.at > run.number:
        return _summary(run, throws)
    values: dict[str, Any] = {
        "here": "practice",
        "run": run,
        "hand": hands[run.at - 1],
        "cards": [
            {**face, "text": text, "place": place}
            for place, (face, text) in enumerate(
                zip(
                    card_faces(hands[run.at - 1].cards),
                    hands[run.at - 1].cards.split(),
                    strict=True,
                ),
                1,
            )
        ],
        "fields": run.fields(),
        "chosen": chosen,
        "error": error,
        "verdict": None,
        "so_far": _lost(throws),
        "over": run.at == run.number,
        "next": run.address(at=run.at + 1),
    }
    if run.at <= len(throws):
        values |= _judged(throws[run.at - 1])
    else:
        question(hands[run.at - 1])  # worked out while the player thinks
    return render("practice_hand.html", values)


def thrown(given: Mapping[str, list[str]]) -> tuple[str, str]:
    """Judge and keep a throw.

    Parameters
    ----------
    given
        The fields of the form.

    Returns
    -------
    The address of its verdict; or nothing, and the hand once more with what is wrong.

    Raises
    ------
    CribevError
        If there is no such run.
    """
    chosen = given.get("throw", [])
    pairs = [(name, value) for name, values in given.items() for value in values if name != "throw"]
    run = run_in(reject_repeated(pairs), new=new_run())
    if len(run.thrown) >= run.number:
        raise CribevError("all hands of this run are thrown")
    hand = hands_in(run)[len(run.thrown)]
    try:
        places = places_of(hand, chosen)
    except CardError:
        return "", shown(run, error=CHOOSE_TWO, chosen=tuple(chosen))
    one = thrown_from(hand, places)
    try:
        keep([kept_of(one, verdict_of(one).decision, run=run.run, kind=run.kind)])
    except StoreError:
        run = run._replace(unkept=True)
    run = run._replace(thrown=(*run.thrown, places))
    return run.address(at=len(run.thrown)), ""


def _judged(one: Throw) -> dict[str, Any]:
    found = verdict_of(one)
    decision = found.decision
    asked = {"cards": one.hand.cards.replace(" ", ""), "role": one.hand.role}
    return {
        "verdict": found.verdict,
        "chosen": tuple(one.discard.split()),
        "best": str(decision["best_discard"]).split(),
        "cost": _pieces(found.cost),
        "why": _pieces(found.why),
        "luck": _pieces(found.luck),
        "ask": f"/?{urlencode(asked | {'mine': one.discard.replace(' ', '')})}",
    }


def _summary(run: Run, throws: list[Throw]) -> str:
    found = summarize(throws)
    decisions = found.review.decisions
    rows = [
        {
            "number": at,
            "role": one.hand.role,
            "cards": card_faces(one.hand.cards),
            "thrown": card_faces(one.discard),
            "best": card_faces(str(decisions["best_discard"].iloc[at - 1])),
            "verdict": decisions["verdict"].iloc[at - 1],
            "loss": float(decisions["ev_loss"].iloc[at - 1]),
            "address": run.address(at=at),
        }
        for at, one in enumerate(throws, 1)
    ]
    back = 0
    try:
        back = len(waiting(all_kept()))
    except StoreError:
        run = run._replace(unkept=True)
    values = {
        "here": "practice",
        "run": run,
        "found": found,
        "rows": rows,
        "between": between(found.lost_mean, found.rivals),
        "verdicts": VERDICTS,
        "back": back,
        "hands": HANDS,
        "more": f"/practice/new?{urlencode(_like(run))}",
    }
    return render("practice_summary.html", values)


def _like(run: Run) -> dict[str, str]:
    found = {"hard": "1"} if run.hard else {}
    return found | ({"role": run.role} if run.role else {})


def _lost(throws: list[Throw]) -> float:
    return float(decided(throws)["ev_loss"].sum()) if throws else 0.0


def _pieces(line: Line) -> list[dict[str, Any]]:
    return [
        {"text": piece.replace(" - ", " − ").replace("-", "−"), "cards": []}
        if isinstance(piece, str)
        else {"text": "", "cards": card_faces(format_cards(piece))}
        for piece in line
    ]


async def _looked(request: Request) -> Response:
    given = parse_query(request, *PARAMETERS)
    queue = request.app.state.queues.short
    if not given.keys() & {*PARAMETERS}:
        return HTMLResponse(await queue.run_for(request, start))
    run = run_in(given, new=new_run())
    return HTMLResponse(await queue.run_for(request, shown, run))


async def _thrown(request: Request) -> Response:
    parse_query(request)
    given, _ = await parse_form(request)
    queue = request.app.state.queues.short
    address, page = await queue.run_for(request, thrown, given)
    return RedirectResponse(address, 303) if address else HTMLResponse(page, 400)


async def _new(request: Request) -> Response:
    return RedirectResponse(new(parse_query(request, "hard", "role", "seed")), 303)


async def _again(request: Request) -> Response:
    parse_query(request)
    return RedirectResponse(await request.app.state.queues.short.run_for(request, again), 303)


async def _exported(request: Request) -> Response:
    parse_query(request)
    kept = await request.app.state.queues.short.run_for(request, all_kept)
    if not kept:
        raise CribevError("nothing is kept yet")
    return Response(
        record_kept(kept).to_csv(index=False, lineterminator="\n"),
        media_type="text/csv",
        headers={"Content-Disposition": 'attachment; filename="throws.csv"'},
    )


ROUTES = [
    Route("/practice", _looked),
    Route("/practice", _thrown, methods=["POST"]),
    Route("/practice/new", _new),
    Route("/practice/again", _again),
    Route("/practice/throws.csv", _exported),
]
