"""The pages of practice: a problem, the verdict on an answer, a session's summary, and progress.

The address of a session says which problems it has, and what was chosen in them.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from cribev.advice.reasons import lesson
from cribev.app.games.clock import FIRST_DAY, LATEST_DAYS, numbered_day, today
from cribev.app.games.database import StoreError, database_path
from cribev.app.games.errors import GameError
from cribev.app.games.store import daily_name, duplicate_text, local_games
from cribev.app.practice import problems, progress, store
from cribev.app.practice import session as sessions
from cribev.app.practice.mending import last_week, mending
from cribev.app.web import forms
from cribev.app.web.ask import question_address
from cribev.app.web.pages import place_laid, render
from cribev.errors import CardError, CribevError, quote
from cribev.game.cards import format_cards
from cribev.game.roles import as_role
from cribev.game.words import MAX_DIGITS, format_percent, parse_integer
from cribev.leaks.groups import GROUPS, is_of_cards, practised_group
from cribev.reviews import charts

PARAMETERS = (
    *("seed", "hard", "role", "score", "play", "cards", "leak", "again"),
    *("day", "done", "at", "session"),
)

_WAIT = 0.5  # seconds for another program's lock, while a thread that answers pages is held
_ANSWERS = {
    "discard": (re.compile(r"([1-6])(?!\1)[1-6]"), 2, "two places, 1 to 6, for each hand, as 56"),
    "card": (re.compile("[1-4]"), 1, "a place, 1 to 4, for each card"),
}
_TOKEN = re.compile("[0-9a-f]{12}")


class SessionAddress(NamedTuple):
    """What an address says: which problems, what was chosen in them, and which one to show."""

    selection: sessions.Selection
    tokens: tuple[str, ...]
    """Those that come back, as `problem_token` names them; empty if a seed deals."""
    answers: tuple[str, ...]
    """The places of what was chosen among the cards: of each discard two, as ``"56"``."""
    at: int  # the number of the problem to show, from 1; one more than there are for the summary
    name: str  # the name of the session in the store

    @property
    def number(self) -> int:
        """How many problems there are."""
        return sessions.TEN if self.selection.seed is not None else len(self.tokens)

    @property
    def started(self) -> str:
        """The address of the same problems, nothing done."""
        return f"/practice?{urlencode(self._problems())}"

    @property
    def shared(self) -> str:
        """The address that gives others these problems; empty for problems that come back."""
        return "" if self.tokens else _TODAY if self.selection.daily else self.started

    def to(self, at: int) -> str:
        """Return the address of a problem, or of the summary, with all that was done."""
        done = {"done": "".join(self.answers), "at": str(at), "session": self.name}
        return f"/practice?{urlencode(self._problems() | done)}"

    def fields(self) -> dict[str, str]:
        """Return what a form sends along with an answer."""
        return {**self._problems(), "done": "".join(self.answers), "session": self.name}

    def _problems(self) -> dict[str, str]:
        again = {"again": ".".join(self.tokens)} if self.tokens else {}
        return selection_parameters(self.selection) | again


def selection_parameters(selection: sessions.Selection) -> dict[str, str]:
    """Return the parameters that ask for the problems of a seed, or without one for such ones."""
    if selection.daily:
        return {"day": str(numbered_day(selection.seed))}
    found = {
        "seed": "" if selection.seed is None else str(selection.seed),
        "play": "1" * selection.play,
        "cards": " ".join(selection.cards),
        "hard": "1" * selection.hard,
        "role": selection.role or "",
        "score": selection.score_text,
        "leak": selection.leak,
    }
    return {name: value for name, value in found.items() if value}


def parse_address(given: Mapping[str, str]) -> SessionAddress:
    """Read what an address or a form says; `CribevError` if it is wrong."""
    forms.reject_unknown(given, *PARAMETERS)
    group = practised_group(given["leak"]) if given.get("leak") else None
    play = is_of_cards(group.name) if group else forms.parse_flag(given, "play")
    tokens = tuple(given["again"].split(".")) if given.get("again") else ()
    if len(tokens) > sessions.TEN or not all(map(_TOKEN.fullmatch, tokens)):
        raise CribevError(f"again={quote(given['again'])}: expected problems that come back")
    name = given.get("session") or store.new_session_name()
    if not store.SESSION_NAME.fullmatch(name):
        raise CribevError(f"session={quote(name)}: unknown session")
    if tokens and "seed" not in given:
        selection = sessions.Selection(play=play, leak=given.get("leak", ""))
    else:
        selection = _parse_selection(given, play=play)
    if tokens and selection.daily:
        raise CribevError(f"again={quote(given['again'])}: the ten of a day are the same for all")
    selection = selection._replace(again=len(tokens))
    answers = _parse_answers(given.get("done", ""), selection)
    found = SessionAddress(selection, tokens, answers, len(answers) + 1, name)
    if len(answers) > found.number:
        raise CribevError(
            f"{len(answers)} answers are more than the session's {found.number} {selection.thing}s"
        )
    text = given.get("at") or str(found.at)
    if (at := parse_integer(text, least=1, most=found.at)) is None:
        raise CribevError(f"at={quote(text)}: expected a whole number from 1 to {found.at}")
    return found._replace(at=at)


def _parse_answers(done: str, selection: sessions.Selection) -> tuple[str, ...]:
    answers, at = list[str](), 0
    while at < len(done):
        kind = "discard" if selection.is_discard(len(answers)) else "card"
        pattern, size, expected = _ANSWERS[kind]
        answers.append(done[at : at + size])
        at += size
        if not pattern.fullmatch(answers[-1]):
            raise CribevError(f"done={quote(done)}: expected {expected}")
    return tuple(answers)


def _parse_selection(given: Mapping[str, str], *, play: bool) -> sessions.Selection:
    if text := given.get("day"):
        with suppress(ValueError):  # a day that has not come yet is none either
            if FIRST_DAY <= (day := date.fromisoformat(text)) <= today():
                return sessions.Selection.of_day(day)
        raise CribevError(f"day={quote(text)}: expected a day from {FIRST_DAY} to {today()}")
    text = given.get("seed", "").strip()
    if (seed := parse_integer(text)) is None:
        raise CribevError(
            f"seed={quote(text)}: expected a whole number from 0 up, of at most {MAX_DIGITS} digits"
        )
    role = as_role(given["role"]) if given.get("role") else None
    if leak := given.get("leak"):
        return sessions.Selection.of_leak(seed, leak, role)
    kinds = tuple(given.get("cards", "").split()) if play else ()
    problems.check_kinds(kinds, role)
    cards = tuple(kind for kind in problems.CARD_KINDS if kind in kinds)
    score = sessions.parse_quiz_score(given["score"]) if given.get("score") and not play else None
    hard = forms.parse_flag(given, "hard") and score is None
    return sessions.Selection(seed, hard, role, play, cards, score)


def problem_token(problem: problems.Problem) -> str:
    """Name a problem that comes back, by what the player knows."""
    return sha256(str(problem.position).encode()).hexdigest()[:12]


def session_at(address: SessionAddress) -> sessions.Session:
    """Return the session at an address, answered as it says, unsaved; or `HTTPException` 404."""
    dealt: Sequence[problems.Problem]
    kept, selection = local_store(), address.selection
    if not address.tokens:
        dealt = sessions.dealt_problems(selection)
    else:
        stored = {problem_token(one.problem): one.problem for one in kept.read()}
        if not stored.keys() >= {*address.tokens}:
            what = "positions" if selection.play else "hands"
            raise HTTPException(404, f"these {what} are in your history no longer")
        dealt = [stored[token] for token in address.tokens]
        if selection.seed is not None:
            dealt += sessions.dealt_problems(selection)[: address.number - len(dealt)]
        if any(one.is_discard == selection.play for one in dealt):
            raise CribevError(f"these are not {selection.thing}s: play={int(not selection.play)}")
    session = sessions.Session(selection, dealt, len(dealt), store=kept, name=address.name)
    for number, places in enumerate(address.answers, 1):
        problem = session.problem(number)
        cards = [problem.held.kept[int(place) - 1] for place in places]
        session.answers.append(sessions.grade_answer(problem, cards))
    return session


def places_text(problem: problems.Problem, chosen: Sequence[int]) -> str:
    """Write the places of what was chosen among the cards, from 1."""
    return "".join(str(problem.held.kept.index(card) + 1) for card in chosen)


def local_store() -> store.Store:
    """Return the store of the user whose server this is."""
    return _store_at(database_path())


_store_at = lru_cache(1)(partial(store.Store, wait=_WAIT))


def saving_notes(session: sessions.Session, numbers: Sequence[int]) -> dict[str, Any]:
    """Say which answers of a session are not in the store, and where another one counts."""
    assert session.store is not None
    noun, before = {
        "hand": ("discard", "From hand {} you discarded {}"),
        "card": ("card", "In position {} you played {}"),
        "problem": ("answer", "In problem {} you chose {}"),
    }[session.selection.thing]
    try:
        stored = session.stored()
    except StoreError as error:
        return {"notes": [f"{noun.capitalize()}s are not saved: {error}."], "last_error": True}
    answered = {number: session.answers[number - 1] for number in numbers}
    notes, last_error = [], session.store.last_error
    if missing := sum(one.problem not in stored for one in answered.values()):
        many = len(answered) > 1
        what = f"{missing} of {len(answered)} {noun}s are" if many else f"This {noun} is"
        notes.append(f"{what} not in your history{last_error and ': '}{last_error}.")
    for number, one in answered.items():
        first = stored[one.problem].chosen if one.problem in stored else None
        if first not in (None, format_cards(one.decision.chosen)):
            notes.append(f"{before.format(number, first)} before: that {noun} counts.")
    return {"notes": notes, "last_error": last_error}


_TODAY = "/practice/today"
_HIDDEN = 0.005  # chances below it are not drawn


def today_context(stored: Sequence[store.StoredDecision] | None = None) -> dict[str, Any]:
    """Say how far today's ten are, and with all that is stored how those of the last days went."""
    day, rows = today(), list[store.StoredDecision]()
    ten = sessions.Selection.of_day(day)
    with suppress(StoreError):
        rows = local_store().read(str(ten.seed)) if stored is None else [*stored]
    days, daily = progress.daily_progress(rows), [*local_games().daily()]
    found = {
        "words": f"{day.day} {day:%B}",
        "answered": sum(one.session == str(ten.seed) for one in rows),
        "of": sessions.TEN,
        "hand": format_cards(sessions.dealt_problems(ten)[0].held.kept),
        "done": days.days[0] if days and days.days[0].day == str(day) else None,
        "verdicts": dict(zip(sessions.SQUARES.values(), sessions.SQUARES, strict=True)),
        "days": days if stored else None,
        "graph": _days_graph(days) if stored and days else None,
        "game": f"/play/{daily_name(day)}",
        "begun": False,
        "over": "",
        "latest": LATEST_DAYS,
        "games": duplicate_text(daily) if len(daily) > 1 else "",
    }
    with suppress(GameError):
        one = local_games().find(daily_name(day))
        found["begun"] = True
        if one.game.winner is not None and (one.seen or one.game.resigned):
            waits = "it is over, and the expert is to play your cards"
            found["over"] = duplicate_text(daily[:1]) if one.expert else waits
    return found


def _days_graph(found: progress.Days) -> dict[str, Any]:
    days = found.days[::-1]
    lost = [day.lost for day in days]
    graph = charts.progress(
        lost, [1] * len(days), [day.day for day in days], most=max(lost), moving=found.ratings[::-1]
    )
    return graph | {"what": "Points"}


def start_page() -> str:
    """Draw the page from which a session begins, with how others went."""
    kept, damaged, stored = local_store(), list[str](), list[store.StoredDecision]()
    with suppress(StoreError):
        if kept.last_error:
            kept.save()  # what could not be saved before
    last_error = kept.last_error
    try:
        stored = kept.read(warn=damaged.append)
    except StoreError as error:
        last_error = str(error)
    kinds = ([one for one in stored if one.is_discard == of] for of in (True, False))
    parts = [progress.progress_of(rows) for rows in kinds if rows]
    values = {
        "here": "practice",
        "today": today_context(stored),
        "hands": sessions.TEN,
        "kinds": problems.CARD_KINDS,
        "drilled": [
            one for one in GROUPS if not one.endswith("-for-points") and one != "card-to-win"
        ],
        "last_error": last_error,
        "pending": kept.pending,
        "damaged": damaged,
        "unreviewed": len(local_games().unreviewed()),
        "parts": [(found, _charts(found)) for found in parts],
        "mending": mending(kept, stored),
        "week": last_week(kept, stored),
    }
    return render("practice.html", values)


def _charts(found: progress.Progress) -> dict[str, dict[str, Any]]:
    drawings = {}
    for kind, periods in found.periods.items():
        unit = 100 if kind == store.SCORED else 1
        drawing = charts.progress(
            [unit * one.lost_mean for one in periods],
            [one.counted for one in periods],
            [progress.local_time(one.first)[:10] for one in periods],
            most=unit * found.most(kind),
            errors=[one.lost_se and unit * one.lost_se for one in periods],
            luck=[one.luck_mean for one in periods],
        )
        what = "Percent of games" if kind == store.SCORED else "Points"
        drawings[progress.HEADINGS[found.thing][kind]] = drawing | {"what": what}
    return drawings


def _new(given: Mapping[str, str]) -> Response:
    seed = given.get("seed", "").strip() or str(problems.new_seed())
    return forms.see_other(parse_address({**given, "seed": seed}).shared)


def _go_on_today(_: forms.Asked) -> Response:
    """Lead to today's ten, as far as they are answered; done, to their summary."""
    session = sessions.daily_session(local_store())
    answers = tuple(places_text(one.problem, one.decision.chosen) for one in session.answers)
    address = SessionAddress(session.selection, (), answers, 0, session.name)
    return forms.see_other(address.to(len(answers) + 1))


def _repeat(asked: forms.Asked) -> Response:
    """Lead to what comes back, the costliest first; else to the start.

    Those of a leak are followed by new ones, so that there are ten.
    """
    play, leak = forms.parse_flag(asked.given, "play"), asked.given.get("leak", "")
    play = is_of_cards(practised_group(leak).name) if leak else play
    back = progress.coming_back(local_store().read(), play=play, leak=leak)[: sessions.TEN]
    selection = sessions.Selection(play=play, leak=leak)
    if leak:
        with suppress(*([CribevError] if back else [])):  # of some kinds no new ones are dealt
            selection = sessions.Selection.of_leak(problems.new_seed(), leak, None)
    elif not back:
        return forms.see_other("/practice")
    tokens = tuple(map(problem_token, back))
    return forms.see_other(SessionAddress(selection, tokens, (), 1, "").started)


def session_page(address: SessionAddress, *, error: str = "", chosen: tuple[str, ...] = ()) -> str:
    """Draw what an address shows: a problem, an answer judged, or the summary."""
    session = session_at(address)
    selection = session.selection
    values: dict[str, Any] = {
        "here": "practice",
        "address": address,
        "session": session,
        "thing": selection.thing,
        "day": numbered_day(selection.seed) if selection.daily else None,
        "counts": session.counts,
        "lost": sessions.lost_text(session.answers),
        "ask": _ask_address,
        "best_cards": _best_cards,
    }
    if address.at > session.number:
        return render("practice_summary.html", values | _summary(address, session))
    problem, position = session.problem(address.at), session.problem(address.at).position
    values |= {
        "problem": problem,
        "position": position,
        "laid": place_laid(problem.deal.play, problem.role),
        "chosen": chosen,
        "error": error,
        "one": None,
    }
    if address.at <= len(session.answers):
        values |= _verdict_context(session.answers[address.at - 1])
        values |= saving_notes(session, [address.at])
    elif problem.is_discard:
        # While the player thinks: at a score it takes a second.
        sessions.value_ahead(problem)
    else:
        problem.card_advice()  # so that the verdict comes at once
    return render("practice_problem.html", values)


def _answer(asked: forms.Asked) -> Response:
    """Save an answer from a form, and lead to it; or show the problem with what is wrong."""
    given = {name: asked.texts.pop(name, []) for name in ("throw", "lay")}
    address = parse_address(forms.fields_once(asked.texts))
    session = session_at(address)
    if not sessions.may_judge(session):
        return forms.see_other(_TODAY)
    if session.over:
        done = {
            "hand": "hands of this session are answered",
            "card": "positions of this session are answered",
        }
        raise CribevError(f"all {done.get(session.selection.thing, 'ten are answered')}")
    problem = session.next_problem
    play = not problem.is_discard
    chosen = given["lay" if play else "throw"]
    day = numbered_day(address.selection.seed)
    if session.counts and day and not sessions.counts_still(day):
        raise CribevError(f"the ten of {day} count no more: today's are at {_TODAY}")
    try:
        if play and len(chosen) != 1:
            raise CardError("choose one of your cards")
        cards = problem.parse(" ".join(chosen))
    except CardError as error:
        wrong = str(error) if play else forms.CHOOSE_TWO
        return HTMLResponse(session_page(address, error=wrong, chosen=tuple(chosen)), 400)
    session.answer(cards)
    address = address._replace(answers=(*address.answers, places_text(problem, cards)))
    return forms.see_other(address.to(len(address.answers)))


def _take_back(asked: forms.Asked) -> Response:
    """Take the last answer back, unless it counts, and lead to its problem."""
    address = parse_address(forms.fields_once(asked.texts))
    session = session_at(address)
    if not sessions.may_judge(session):
        return forms.see_other(_TODAY)
    if session.counts or not session.answers:
        raise CribevError(sessions.STANDS if session.counts else "nothing is answered yet")
    session.take_back()
    return forms.see_other(address._replace(answers=address.answers[:-1]).to(len(address.answers)))


def _verdict_context(one: sessions.GradedAnswer) -> dict[str, Any]:
    decision = one.decision
    found = {
        "one": one,
        "chosen": format_cards(decision.chosen).split(),
        "lesson": lesson(decision),
    }
    if one.problem.is_discard:
        return found
    held = one.problem.card_advice().range
    ranks = held.ranks.to_dict(orient="records")
    shown = [rank for rank in ranks if rank["chance"] >= _HIDDEN]
    most = max((rank["chance"] for rank in shown), default=1.0)
    return found | {"left": held.left, "held": shown, "most": most}


def _ask_address(one: sessions.GradedAnswer) -> str:
    question = one.decision.options.question
    own = format_cards(one.decision.chosen) if one.problem.is_discard else ""
    return question_address(question, own)


def _best_cards(one: sessions.GradedAnswer) -> str:
    """Write the best discard, or all the cards that are best to lay."""
    decision = one.decision
    if one.problem.is_discard:
        return str(decision.best.discard)
    best = {row.cards[0] >> 2 for row in decision.judged.rows if row.rank == 1}
    return format_cards([card for card in decision.position.legal if card >> 2 in best])


def _summary(address: SessionAddress, session: sessions.Session) -> dict[str, Any]:
    parts, selection = sessions.summaries(session.answers), address.selection
    back, days = 0, None
    with suppress(StoreError):  # the notes say what is wrong
        if selection.daily:
            days = progress.daily_progress(local_store().read())
        else:
            back = len(progress.coming_back(local_store().read(), play=selection.play))
    others = selection_parameters(selection._replace(seed=None, daily=False))
    return {
        "parts": parts,
        "days": days,
        "kinds": problems.CARD_KINDS,
        "percent": format_percent,
        "result": sessions.result_line(selection, session.answers) if address.shared else "",
        "back": back,
        "hands": sessions.TEN,
        "more": f"/practice/new?{urlencode(others)}",
        **saving_notes(session, range(1, len(session.answers) + 1)),
    }


def _show_session(asked: forms.Asked) -> Response:
    if not asked.given.keys() & {*PARAMETERS}:
        return HTMLResponse(start_page())
    address = parse_address(asked.given)
    if not sessions.may_judge(session_at(address)):
        return forms.see_other(_TODAY)
    return HTMLResponse(session_page(address))


_NEW = "hard", "role", "seed", "play", "cards", "score", "leak"

ROUTES = [
    forms.route("/practice", _show_session, *PARAMETERS),
    forms.route("/practice", _answer, posts=True),
    forms.route("/practice/back", _take_back, posts=True),
    forms.route("/practice/new", lambda asked: _new(asked.given), *_NEW),
    forms.route(_TODAY, _go_on_today),
    forms.route("/practice/again", _repeat, "play", "leak"),
]
