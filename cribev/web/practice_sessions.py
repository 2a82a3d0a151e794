"""The address of a session of practice: which problems, and what was chosen in them."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.exceptions import HTTPException

from cribev.errors import CribevError, quote
from cribev.game.cards import format_cards, parse_cards
from cribev.game.integers import MAX_DIGITS, parse_integer
from cribev.game.roles import as_role
from cribev.practice.answers import grade_answer
from cribev.practice.problems import CARD_KINDS, Problem, check_kinds
from cribev.practice.session import Selection, Session, parse_quiz_score
from cribev.practice.store import (
    SESSION_NAME,
    Store,
    StoredDecision,
    StoreError,
    new_session_name,
    store_path,
)
from cribev.web.forms import parse_flag, reject_unknown

HANDS = 10
"""Problems of a session."""

PARAMETERS = (
    *("seed", "hard", "role", "score", "play", "cards", "again"),
    *("done", "at", "session"),
)

_WAIT = 0.5  # seconds for another program's lock, while a thread that answers pages is held
_DISCARDED = re.compile(r"(?:[1-6][1-6])*")
_LAID = re.compile("[1-4]*")
_TOKEN = re.compile("[0-9a-f]{12}")


class SessionAddress(NamedTuple):
    """What an address says: which problems, what was chosen in them, and which one to show."""

    selection: Selection
    tokens: tuple[str, ...]
    """Those that come back, as `problem_token` names them; empty if a seed deals."""
    answers: tuple[str, ...]
    """The places of what was chosen among the cards: of each discard two, as ``"56"``."""
    at: int
    """The number of the problem to show, from 1; one more than there are for the summary."""
    name: str
    """The name of the session in the store."""

    @property
    def number(self) -> int:
        """How many problems there are."""
        return len(self.tokens) or HANDS

    @property
    def started(self) -> str:
        """The address of the same problems, nothing done."""
        return f"/practice?{urlencode(self._problems())}"

    @property
    def shared(self) -> str:
        """The same for others; empty for problems that come back."""
        return "" if self.tokens else self.started

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


def selection_parameters(selection: Selection) -> dict[str, str]:
    """Return the parameters that ask for the problems of a seed, or without one for such ones."""
    found = {
        "seed": "" if selection.seed is None else str(selection.seed),
        "play": "1" * selection.play,
        "cards": " ".join(selection.cards),
        "hard": "1" * selection.hard,
        "role": selection.role or "",
        "score": selection.score_text,
    }
    return {name: value for name, value in found.items() if value}


def parse_address(given: Mapping[str, str]) -> SessionAddress:
    """Read the parameters of an address or the fields of a form; `CribevError` if they are wrong.

    >>> found = parse_address({"seed": "7", "done": "5612", "session": "a"})
    >>> found.at, found.to(2), found.shared
    (3, '/practice?seed=7&done=5612&at=2&session=a', '/practice?seed=7')
    >>> parse_address({"seed": "7", "done": "57"})
    Traceback (most recent call last):
    cribev.errors.CribevError: done='57': expected two places, 1 to 6, for each hand, as 56
    """
    reject_unknown(given, *PARAMETERS)
    play = parse_flag(given, "play")
    tokens = tuple(given["again"].split(".")) if given.get("again") else ()
    if len(tokens) > HANDS or not all(map(_TOKEN.fullmatch, tokens)):
        raise CribevError(f"again={quote(given['again'])}: these are no problems that come back")
    answers = _parse_answers(given.get("done", ""), play=play)
    name = given.get("session") or new_session_name()
    if not SESSION_NAME.fullmatch(name):
        raise CribevError(f"session={quote(name)}: this is no session")
    selection = Selection(play=play) if tokens else _parse_selection(given, play=play)
    found = SessionAddress(selection, tokens, answers, len(answers) + 1, name)
    if len(answers) > found.number:
        raise CribevError(
            f"{len(answers)} answers are more than the session's {found.number} {selection.thing}s"
        )
    text = given.get("at") or str(found.at)
    if (at := parse_integer(text, least=1, most=found.at)) is None:
        raise CribevError(f"at={quote(text)}: expected a whole number from 1 to {found.at}")
    return found._replace(at=at)


def _parse_answers(done: str, *, play: bool) -> tuple[str, ...]:
    if play:
        if not _LAID.fullmatch(done):
            raise CribevError(f"done={quote(done)}: expected a place, 1 to 4, for each card")
        return tuple(done)
    pairs = tuple(done[at : at + 2] for at in range(0, len(done), 2))
    if not _DISCARDED.fullmatch(done) or any(one[0] == one[-1] for one in pairs):
        raise CribevError(f"done={quote(done)}: expected two places, 1 to 6, for each hand, as 56")
    return pairs


def _parse_selection(given: Mapping[str, str], *, play: bool) -> Selection:
    text = given.get("seed", "").strip()
    if (seed := parse_integer(text)) is None:
        raise CribevError(
            f"seed={quote(text)}: expected a whole number from 0 up, of at most {MAX_DIGITS} digits"
        )
    role = as_role(given["role"]) if given.get("role") else None
    kinds = tuple(given.get("cards", "").split()) if play else ()
    check_kinds(kinds, role)
    cards = tuple(kind for kind in CARD_KINDS if kind in kinds)
    score = parse_quiz_score(given["score"]) if given.get("score") and not play else None
    return Selection(seed, parse_flag(given, "hard") and score is None, role, play, cards, score)


def problem_token(problem: Problem) -> str:
    """Name a problem that comes back, by what the player knows."""
    return sha256(str(problem.position).encode()).hexdigest()[:12]


def stored_address(name: str, stored: Sequence[StoredDecision]) -> str:
    """Return the address of the summary of a session in the store."""
    problems = [one.problem for one in stored]
    answers = tuple(
        places_text(problem, parse_cards(one.chosen).tolist())
        for problem, one in zip(problems, stored, strict=True)
    )
    selection = Selection(play=not stored[0].is_discard)
    address = SessionAddress(selection, tuple(map(problem_token, problems)), answers, 0, name)
    return address.to(address.number + 1)


def session_at(address: SessionAddress) -> Session:
    """Return the session at an address, answered again as far as it says; nothing is saved.

    `HTTPException` 404 if a problem that comes back is in the store no longer.
    """
    problems: Sequence[Problem]
    store, selection = local_store(), address.selection
    if not address.tokens:
        problems = _dealt(selection)
    else:
        stored = {problem_token(one.problem): one.problem for one in store.read()}
        if not stored.keys() >= {*address.tokens}:
            what = "positions" if selection.play else "hands"
            raise HTTPException(404, f"these {what} are in your history no longer")
        problems = [stored[token] for token in address.tokens]
        if any(one.is_discard == selection.play for one in problems):
            raise CribevError(f"these are not {selection.thing}s: play={int(not selection.play)}")
    session = Session(selection, problems, len(problems), store=store, name=address.name)
    for problem, places in zip(problems, address.answers, strict=False):
        cards = [problem.held.kept[int(place) - 1] for place in places]
        session.answers.append(grade_answer(problem, cards))
    return session


def places_text(problem: Problem, chosen: Sequence[int]) -> str:
    """Write the places of what was chosen among the cards, from 1."""
    return "".join(str(problem.held.kept.index(card) + 1) for card in chosen)


def local_store() -> Store:
    """Return the store of the user whose server this is."""
    return _store_at(store_path())


@lru_cache(1)
def _store_at(path: Path | None) -> Store:
    return Store(path, wait=_WAIT)


@lru_cache(256)
def _dealt(selection: Selection) -> tuple[Problem, ...]:
    return tuple(islice(selection.problems(), HANDS))


def saving_notes(session: Session, numbers: Sequence[int]) -> dict[str, Any]:
    """Say which answers of a session are not in the store, and where another one counts."""
    assert session.store is not None
    noun, before = "throw", "From hand {} you threw {}"
    if session.selection.play:
        noun, before = "card", "In position {} you laid {}"
    try:
        stored = session.stored()
    except StoreError as error:
        return {"notes": [f"{noun.capitalize()}s are not saved: {error}."], "trouble": True}
    answered = {number: session.answers[number - 1] for number in numbers}
    notes, trouble = [], session.store.trouble
    if missing := sum(one.problem not in stored for one in answered.values()):
        many = len(answered) > 1
        what = f"{missing} of {len(answered)} {noun}s are" if many else f"This {noun} is"
        notes.append(f"{what} not in your history{trouble and ': '}{trouble}.")
    for number, one in answered.items():
        first = stored[one.problem].chosen if one.problem in stored else None
        if first not in (None, format_cards(one.decision.chosen)):
            notes.append(f"{before.format(number, first)} before: that {noun} counts.")
    return {"notes": notes, "trouble": trouble}
