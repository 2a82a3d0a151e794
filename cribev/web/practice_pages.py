"""The pages of practice: a problem, the verdict on an answer, a session's summary, and progress."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cribev.advice.decisions import Line
from cribev.choice import VERDICTS, format_games_lost, format_percent, format_points, true_minus
from cribev.errors import CardError, CribevError
from cribev.game.cards import format_cards
from cribev.practice.answers import GradedAnswer, value_ahead
from cribev.practice.problems import CARD_KINDS, Problem, card_advice, new_seed
from cribev.practice.progress import (
    HEADINGS,
    Progress,
    local_time,
    progress_of,
    stored_discards,
    stored_record,
    to_repeat,
)
from cribev.practice.session import Selection, Session
from cribev.practice.store import AGAIN, DEALT, GAME, HARD, SCORED, StoredDecision, StoreError
from cribev.practice.summary import luck_decomposition, summarize
from cribev.reviews import charts
from cribev.web.forms import CHOOSE_TWO, parse_flag, parse_form, parse_query, reject_repeated
from cribev.web.pages import card_faces, render
from cribev.web.practice_sessions import (
    HANDS,
    PARAMETERS,
    SessionAddress,
    local_store,
    parse_address,
    places_text,
    problem_token,
    saving_notes,
    selection_parameters,
    session_at,
    stored_address,
)

_MAX_LATEST = 10
_SQUARES = dict(zip(VERDICTS, "🟩⬜🟨🟧🟥", strict=True))  # in a result to share
_HIDDEN = 0.005  # chances below it are not drawn


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
        stored = store.read(warn=damaged.append)
        kinds = ([one for one in stored if one.is_discard == of] for of in (True, False))
        parts = [progress_of(rows) for rows in kinds if rows]
        latest = _latest(stored)
    except StoreError as error:
        trouble = str(error)
    values = {
        "here": "practice",
        "hands": HANDS,
        "kinds": CARD_KINDS,
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


def _latest(stored: Sequence[StoredDecision]) -> list[dict[str, Any]]:
    """List the latest sessions, the last first, with addresses of their summary and problems."""
    sessions: dict[tuple[str, bool], list[StoredDecision]] = {}
    for one in sorted(stored, key=lambda one: not one.is_discard):
        sessions.setdefault((one.session, one.is_discard), []).append(one)
    found = []
    for (name, discards), rows in sorted(sessions.items(), key=lambda item: item[1][0].at):
        dealt = discards and rows[0].kind in (DEALT, HARD)
        found.append(
            {
                "at": local_time(rows[0].at),
                "thing": "hand" if discards else "card",
                "number": len(rows),
                "kind": {DEALT: "", HARD: " hard", SCORED: " at a score", AGAIN: " again",
                         GAME: " in a game"}[rows[0].kind],
                "lost": sum(one.ev_loss for one in rows),
                "parts": luck_decomposition(stored_discards(rows)) if discards else None,
                "again": _repeat_first_address(rows) if dealt else "",
                "seed": rows[0].seed,
                "address": stored_address(name, rows) if len(rows) <= HANDS else "",
            }
        )  # fmt: skip
    return found[: -_MAX_LATEST - 1 : -1]


def _repeat_first_address(discards: Sequence[StoredDecision]) -> str:
    """Return the address of the hands that some discards are the first of."""
    first, roles = discards[0].problem, {one.problem.role for one in discards}
    # In turn, the first is the dealer's.
    one_role = len(roles) == 1 and (len(discards) > 1 or "pone" in roles)
    hard = discards[0].kind == HARD
    selection = Selection(first.seed, hard, first.role if one_role else None)
    return f"/practice?{urlencode(selection_parameters(selection))}"


def new_address(given: Mapping[str, str]) -> str:
    """Return the address of the problems of a seed, drawn if none is given."""
    seed = given.get("seed", "").strip() or str(new_seed())
    return parse_address({**given, "seed": seed}).shared


def repeat_address(play: bool) -> str:
    """Return the address of the problems that come back, the costliest first; the start if none."""
    if not (back := _coming_back(play)):
        return "/practice"
    tokens = tuple(map(problem_token, back[:HANDS]))
    return SessionAddress(Selection(play=play), tokens, (), 1, "").started


def _coming_back(play: bool) -> list[Problem]:
    return to_repeat([one for one in local_store().read() if one.is_discard != play])


def session_page(address: SessionAddress, *, error: str = "", chosen: tuple[str, ...] = ()) -> str:
    """Draw what an address shows: a problem, an answer judged, or the summary."""
    session = session_at(address)
    if address.at > session.number:
        return _summary(address, session)
    problem, position = session.problem(address.at), session.problem(address.at).position
    cards = position.left
    values: dict[str, Any] = {
        "here": "practice",
        "address": address,
        "problem": problem,
        "position": position,
        "thing": problem.thing,
        "score": None if position.score is None else position.score.seen_by(problem.role),
        "laid": _laid_context(problem),
        "cards": [
            face | {"fits": card in position.legal}
            for card, face in zip(cards, card_faces(format_cards(cards)), strict=True)
        ],
        "discard": format_cards(problem.held.discard),
        "starter": format_cards([problem.starter]),
        "chosen": chosen,
        "error": error,
        "verdict": None,
        "so_far": _lost_so_far(session.answers),
        "graded": [one.decision.verdict for one in session.answers],
        "over": address.at == session.number,
    }
    if address.at <= len(session.answers):
        values |= _verdict_context(session.answers[address.at - 1])
        values |= saving_notes(session, [address.at])
    elif problem.is_discard:
        value_ahead(problem)  # while the player thinks: at a score it takes a second
    else:
        card_advice(position)  # so that the verdict comes at once
    return render("practice_problem.html", values)


def _laid_context(problem: Problem) -> list[dict[str, Any]]:
    """List the cards and goes as they fell: whose, the card, the count, and points by whom."""
    found = []
    for step in problem.deal.play.steps:
        if step.silent:
            continue
        pegs = {
            whose: sum(peg.points for peg in step.pegs if (peg.role == problem.role) == mine)
            for whose, mine in (("you", True), ("they", False))
        }
        face = None if step.card is None else card_faces(format_cards([step.card]))[0]
        own = step.role == problem.role
        found.append({"own": own, "face": face, "count": step.count, "pegs": pegs})
    return found


def _lost_so_far(answers: Sequence[GradedAnswer]) -> str:
    """Say what is lost, in points and in chances to win."""
    by_points = [one.decision.loss for one in answers if not one.decision.by_wins]
    by_wins = [one.decision.win_loss or 0.0 for one in answers if one.decision.by_wins]
    lost = [format_points(sum(by_points))] if by_points else []
    return " and ".join(lost + ([format_games_lost(sum(by_wins))] if by_wins else []))


def answer_from_form(given: Mapping[str, list[str]]) -> tuple[str, str]:
    """Answer with the cards chosen in a form, and save the answer.

    Returns the address of its verdict; or nothing, and the problem once more with what is wrong.
    """
    pairs = [
        (name, value)
        for name, values in given.items()
        for value in values
        if name not in ("throw", "lay")
    ]
    address = parse_address(reject_repeated(pairs))
    session, play = session_at(address), address.selection.play
    chosen = given.get("lay" if play else "throw", [])
    if session.over:
        done = "cards of this session are laid" if play else "hands of this session are thrown"
        raise CribevError(f"all {done}")
    problem = session.next_problem
    try:
        if play and len(chosen) != 1:
            raise CardError("choose one of your cards")
        cards = problem.parse(" ".join(chosen))
    except CardError as error:
        wrong = str(error) if play else CHOOSE_TWO
        return "", session_page(address, error=wrong, chosen=tuple(chosen))
    session.answer(cards)
    address = address._replace(answers=(*address.answers, places_text(problem, cards)))
    return address.to(len(address.answers)), ""


def _verdict_context(one: GradedAnswer) -> dict[str, Any]:
    problem, decision = one.problem, one.decision
    chosen = format_cards(decision.chosen)
    lines = {"cost": decision.cost, "why": decision.why, "luck": one.luck}
    found = {
        "verdict": decision.verdict,
        "chosen": tuple(chosen.split()),
        "best": _best_cards(one).split(),
        **{name: _line_context(line) for name, line in lines.items()},
    }
    if problem.is_discard:
        asked = {
            "cards": format_cards(problem.held.kept).replace(" ", ""),
            "role": problem.role,
            "mine": chosen.replace(" ", ""),
            **({"score": problem.score_text} if problem.score_text else {}),
        }
        return found | {"ask": f"/ask?{urlencode(asked)}"}
    held = card_advice(problem.position).range
    ranks = held.ranks.to_dict(orient="records")
    most = max(rank["chance"] for rank in ranks) or 1.0
    shown = [rank for rank in ranks if rank["chance"] >= _HIDDEN]
    bars = [{**rank, "part": rank["chance"] / most} for rank in shown]
    return found | {"choices": decision.judged.rows, "held": {"left": held.left, "ranks": bars}}


def _best_cards(one: GradedAnswer) -> str:
    """Write the best discard, or all the cards that are best to lay."""
    decision = one.decision
    if one.problem.is_discard:
        return str(decision.best.discard)
    best = {row.cards[0] >> 2 for row in decision.judged.rows if row.rank == 1}
    return format_cards([card for card in decision.position.legal if card >> 2 in best])


def _line_context(line: Line) -> list[dict[str, Any]]:
    """Take a line of a verdict apart, for a template."""
    return [
        {"text": true_minus(piece), "cards": ""}
        if isinstance(piece, str)
        else {"text": "", "cards": format_cards(piece)}
        for piece in line
    ]


def _summary(address: SessionAddress, session: Session) -> str:
    found, play = summarize(session.answers), address.selection.play
    rows: list[dict[str, Any]] = [
        {
            "number": number,
            "which": CARD_KINDS[one.problem.kind] if play else one.problem.role,
            "score": one.problem.score_text,
            "cards": format_cards(one.problem.position.left),
            "chosen": format_cards(one.decision.chosen),
            "best": _best_cards(one)[: 2 if play else None],
            "loss": format_percent(one.decision.win_loss or 0.0)
            if one.decision.by_wins
            else format_points(one.decision.loss),
            "verdict": one.decision.verdict,
        }
        for number, one in enumerate(session.answers, 1)
    ]
    back = 0
    with suppress(StoreError):  # the notes say what is wrong
        back = len(_coming_back(play))
    others = selection_parameters(address.selection._replace(seed=None))
    values = {
        "here": "practice",
        "address": address,
        "found": found,
        "thing": found.thing,
        "rows": rows,
        "lost": format_games_lost(found.win_lost)
        if found.all_scored and found.win_lost is not None
        else format_points(found.lost),
        "verdicts": VERDICTS,
        "squares": "".join(_SQUARES[row["verdict"]] for row in rows),
        "back": back,
        "hands": HANDS,
        "more": f"/practice/new?{urlencode(others)}",
        **saving_notes(session, [row["number"] for row in rows]),
    }
    return render("practice_summary.html", values)


async def _show_session(request: Request) -> Response:
    given = parse_query(request, *PARAMETERS)
    queue = request.app.state.queues.practice
    if not given.keys() & {*PARAMETERS}:
        return HTMLResponse(await queue.run_for(request, start_page))
    address = parse_address(given)
    return HTMLResponse(await queue.run_for(request, session_page, address))


async def _post_answer(request: Request) -> Response:
    parse_query(request)
    given, _ = await parse_form(request)
    queue = request.app.state.queues.practice
    address, page = await queue.run_for(request, answer_from_form, given)
    return RedirectResponse(address, 303) if address else HTMLResponse(page, 400)


async def _new_session(request: Request) -> Response:
    given = parse_query(request, "hard", "role", "seed", "play", "cards", "score")
    return RedirectResponse(new_address(given), 303)


async def _repeat_session(request: Request) -> Response:
    play = parse_flag(parse_query(request, "play"), "play")
    queue = request.app.state.queues.practice
    return RedirectResponse(await queue.run_for(request, repeat_address, play), 303)


async def _export_throws(request: Request) -> Response:
    parse_query(request)
    found = await request.app.state.queues.practice.run_for(request, local_store().read)
    stored = [one for one in found if one.is_discard]
    if not stored:
        raise CribevError("no throws are saved yet")
    return Response(
        stored_record(stored).to_csv(index=False, lineterminator="\n"),
        media_type="text/csv",
        headers={"Content-Disposition": 'attachment; filename="throws.csv"'},
    )


ROUTES = [
    Route("/practice", _show_session),
    Route("/practice", _post_answer, methods=["POST"]),
    Route("/practice/new", _new_session),
    Route("/practice/again", _repeat_session),
    Route("/practice/throws.csv", _export_throws),
]
