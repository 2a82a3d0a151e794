"""The address of a session of practice: which hands or spots, and what was done in them."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

from starlette.exceptions import HTTPException

from cribev.errors import CribevError, quote
from cribev.game.cards import format_cards
from cribev.game.index_tables import DISCARDS
from cribev.game.integers import MAX_DIGITS, parse_integer
from cribev.game.roles import as_role
from cribev.practice.hands import Hand
from cribev.practice.lays import lay
from cribev.practice.session import LaySession, Selection, ThrowSession, parse_quiz_score
from cribev.practice.spots import SPOT_KINDS, Spot, check_kinds
from cribev.practice.store import Store, StoreError, store_path
from cribev.practice.stored import SESSION_NAME, StoredLay, StoredThrow, new_session_name
from cribev.practice.throws import parse_discard, throw
from cribev.web.forms import parse_flag, reject_unknown

HANDS = 10
"""Hands of a session."""

# Version 0.2 wrote run for session, and unkept beside throws that could not be saved.
PARAMETERS = (
    *("seed", "hard", "role", "score", "play", "cards", "hands", "spots", "thrown", "laid"),
    *("at", "session", "run", "unkept"),
)

_WAIT = 0.5  # seconds for another program's lock, while a thread that answers pages is held
_THROWN = re.compile(r"(?:[1-6][1-6])*")
_HAND = re.compile(r"((?:[2-9TJQKA][CDHS]){6})([dp])(?:[0-9]{1,3}-[0-9]{1,3})?")
_LAID = re.compile("[1-4]*")
_SPOT = re.compile("[0-9a-f]{12}")


_Problem = TypeVar("_Problem", bound=Hand | Spot)


class SessionAddress(NamedTuple):
    """What an address says: which problems, what was done in them, and which one to show."""

    selection: Selection
    tokens: tuple[str, ...]
    """Those that come back, as `hand_token` or `spot_token` names them; empty if a seed deals."""
    answers: tuple[str, ...]
    """The places of the two cards of each throw, as ``"56"``, or of each card laid in its hand."""
    at: int
    """The number of the problem to show, from 1; one more than there are for the summary."""
    name: str
    """The name of the session in the store."""

    @property
    def play(self) -> bool:
        """Whether the problems are spots."""
        return self.selection.play

    @property
    def number(self) -> int:
        """How many problems there are."""
        return len(self.tokens) or HANDS

    @property
    def shared(self) -> str:
        """The address of the same problems, nothing done; empty for those that come back."""
        return "" if self.tokens else f"/practice?{urlencode(self._problems())}"

    def to(self, at: int) -> str:
        """Return the address of a problem, or of the summary, with all that was done."""
        done = {self._done: "".join(self.answers), "at": str(at), "session": self.name}
        return f"/practice?{urlencode(self._problems() | done)}"

    def fields(self) -> dict[str, str]:
        """Return what a form sends along with an answer."""
        return {**self._problems(), self._done: "".join(self.answers), "session": self.name}

    @property
    def _done(self) -> str:
        return "laid" if self.play else "thrown"

    def _problems(self) -> dict[str, str]:
        if not self.tokens:
            return selection_parameters(self.selection)
        return {"spots" if self.play else "hands": ".".join(self.tokens)}


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

    >>> found = parse_address({"seed": "7", "thrown": "5612", "session": "a"})
    >>> found.at, found.to(2), found.shared
    (3, '/practice?seed=7&thrown=5612&at=2&session=a', '/practice?seed=7')
    >>> parse_address({"seed": "7", "thrown": "57"})
    Traceback (most recent call last):
    cribev.errors.CribevError: thrown='57': expected two places, 1 to 6, for each hand, as 56
    """
    reject_unknown(given, *PARAMETERS)
    play = parse_flag(given, "play") or bool(given.get("spots"))
    back, done, token = ("spots", "laid", _SPOT) if play else ("hands", "thrown", _HAND)
    for other in {"hands", "thrown", "spots", "laid"} - {back, done}:
        if given.get(other):
            raise CribevError(f"{other}={quote(given[other])} goes with play={int(not play)}")
    tokens = tuple(given.get(back, "").split(".")) if given.get(back) else ()
    if len(tokens) > HANDS or not all(map(token.fullmatch, tokens)):
        what = "positions" if play else "hands"
        raise CribevError(f"{back}={quote(given[back])}: these are no {what} that come back")
    places = given.get(done, "")
    answers = tuple(places) if play else _parse_throws(places)
    if play and not _LAID.fullmatch(places):
        raise CribevError(f"laid={quote(places)}: expected a place, 1 to 4, for each card")
    name = given.get("session") or given.get("run") or new_session_name()
    if not SESSION_NAME.fullmatch(name):
        raise CribevError(f"session={quote(name)}: this is no session")
    selection = Selection(play=play) if tokens else _parse_selection(given, play=play)
    found = SessionAddress(selection, tokens, answers, len(answers) + 1, name)
    if len(answers) > found.number:
        what, of = ("cards", "spots") if play else ("throws", "hands")
        raise CribevError(f"{len(answers)} {what} are more than the session's {found.number} {of}")
    text = given.get("at") or str(found.at)
    if (at := parse_integer(text, least=1, most=found.at)) is None:
        raise CribevError(f"at={quote(text)}: expected a whole number from 1 to {found.at}")
    return found._replace(at=at)


def _parse_throws(places: str) -> tuple[str, ...]:
    thrown = tuple(places[at : at + 2] for at in range(0, len(places), 2))
    if not _THROWN.fullmatch(places) or any(one[0] == one[-1] for one in thrown):
        raise CribevError(
            f"thrown={quote(places)}: expected two places, 1 to 6, for each hand, as 56"
        )
    return thrown


def _parse_selection(given: Mapping[str, str], *, play: bool) -> Selection:
    text = given.get("seed", "").strip()
    if (seed := parse_integer(text)) is None:
        raise CribevError(
            f"seed={quote(text)}: expected a whole number from 0 up, of at most {MAX_DIGITS} digits"
        )
    role = as_role(given["role"]) if given.get("role") else None
    kinds = tuple(given.get("cards", "").split()) if play else ()
    check_kinds(kinds, role)
    cards = tuple(kind for kind in SPOT_KINDS if kind in kinds)
    score = parse_quiz_score(given["score"]) if given.get("score") and not play else None
    return Selection(seed, parse_flag(given, "hard") and score is None, role, play, cards, score)


def hand_token(hand: Hand) -> str:
    """Name a hand that comes back, by its cards, its role and its score.

    >>> from cribev.practice.hands import hands_of
    >>> hand_token(next(hands_of(7, score=(103, 104))))
    'AH2S3S9HTDJCd103-104'
    """
    score = "" if hand.score is None else "-".join(map(str, hand.score))
    return format_cards(hand.cards).replace(" ", "") + hand.role[0] + score


def spot_token(spot: Spot) -> str:
    """Name a spot that comes back, by all that is known in it.

    >>> len(spot_token(Spot("pone", (2, 7, 11, 34), (37, 40), 24, (), ())))
    12
    """
    known = "|".join(map(str, (spot.role, spot.hand, spot.discard, spot.starter, spot.laid)))
    return sha256(known.encode()).hexdigest()[:12]


def stored_address(name: str, throws: Sequence[StoredThrow]) -> str:
    """Return the address of the summary of a session in the store."""
    hands = [one.hand for one in throws]
    thrown = tuple(
        places_text(parse_discard(one.discard, hand.deal))
        for one, hand in zip(throws, hands, strict=True)
    )
    address = SessionAddress(Selection(), tuple(map(hand_token, hands)), thrown, 0, name)
    return address.to(address.number + 1)


def stored_card_address(name: str, lays: Sequence[StoredLay]) -> str:
    """Return the address of the summary of a session of cards in the store."""
    spots = [one.spot for one in lays]
    laid = tuple(str(one.hand.split().index(one.card) + 1) for one in lays)
    tokens = tuple(map(spot_token, spots))
    address = SessionAddress(Selection(play=True), tokens, laid, 0, name)
    return address.to(address.number + 1)


def session_at(address: SessionAddress) -> ThrowSession:
    """Return the session at an address, thrown again as far as the address says; nothing is saved.

    `HTTPException` 404 if a hand that comes back is in the store no longer.
    """
    hands: Sequence[Hand]
    if not address.tokens:
        hands = _dealt_hands(address.selection)
    else:
        stored = {hand_token(one.hand): one.hand for one in local_store().read()}
        hands = _coming_back(address, stored)
    store = local_store()
    session = ThrowSession(address.selection, hands, len(hands), store=store, name=address.name)
    session.answers.extend(map(throw, hands, address.answers))
    return session


def card_session_at(address: SessionAddress) -> LaySession:
    """Return a session of cards, in the same way."""
    spots: Sequence[Spot]
    if not address.tokens:
        spots = _dealt_spots(address.selection)
    else:
        stored = {spot_token(one.spot): one.spot for one in local_store().read_lays()}
        spots = _coming_back(address, stored)
    store = local_store()
    session = LaySession(address.selection, spots, len(spots), store=store, name=address.name)
    for spot, place in zip(spots, address.answers, strict=False):
        session.answers.append(lay(spot, spot.hand[int(place) - 1]))
    return session


def _coming_back(address: SessionAddress, stored: Mapping[str, _Problem]) -> list[_Problem]:
    if not stored.keys() >= {*address.tokens}:
        what = "positions" if address.play else "hands"
        raise HTTPException(404, f"these {what} are in your history no longer")
    return [stored[token] for token in address.tokens]


def places_text(keep: int) -> str:
    """Write the places of the two cards that are thrown with a keep.

    >>> places_text(0)
    '56'
    """
    return "".join(str(place + 1) for place in DISCARDS[keep])


def local_store() -> Store:
    """Return the store of the user whose server this is."""
    return _store_at(store_path())


@lru_cache(1)
def _store_at(path: Path | None) -> Store:
    return Store(path, wait=_WAIT)


@lru_cache(256)
def _dealt_hands(selection: Selection) -> tuple[Hand, ...]:
    return tuple(islice(selection.hands(), HANDS))


@lru_cache(256)
def _dealt_spots(selection: Selection) -> tuple[Spot, ...]:
    return tuple(islice(selection.spots(), HANDS))


def saving_notes(
    session: ThrowSession | LaySession,
    answered: Mapping[int, tuple[Hand | Spot, str]],
    text_of: Callable[[Any], str],
    *,
    noun: str,
    before: str,
) -> dict[str, Any]:
    """Say which answers are not in the store, and where another one counts.

    Parameters
    ----------
    session
        A session with a store.
    answered
        By number, what was asked and the answer as text.
    text_of
        How the answer of a row of the store is written.
    noun
        What an answer is called.
    before
        What is said where another answer counts: a format for its number and text.
    """
    assert session.store is not None
    try:
        stored: Mapping[Any, Any] = session.stored()
    except StoreError as error:
        return {"notes": [f"{noun.capitalize()}s are not saved: {error}."], "trouble": True}
    notes, trouble = [], session.store.trouble
    if missing := sum(problem not in stored for problem, _ in answered.values()):
        many = len(answered) > 1
        what = f"{missing} of {len(answered)} {noun}s are" if many else f"This {noun} is"
        notes.append(f"{what} not in your history{trouble and ': '}{trouble}.")
    for number, (problem, answer) in answered.items():
        if problem in stored and (first := text_of(stored[problem])) != answer:
            notes.append(f"{before.format(number, first)} before: that {noun} counts.")
    return {"notes": notes, "trouble": trouble}
