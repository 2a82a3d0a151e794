"""The address of a session of practice: which hands, and what was thrown from them."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.exceptions import HTTPException

from cribev.errors import CribevError, quote
from cribev.game.cards import format_cards
from cribev.game.index_tables import DISCARDS
from cribev.game.integers import MAX_DIGITS, parse_integer
from cribev.game.roles import as_role
from cribev.practice.hands import Hand
from cribev.practice.session import Selection, ThrowSession
from cribev.practice.store import SESSION_NAME, Store, StoredThrow, new_session_name, store_path
from cribev.practice.throws import parse_discard, throw
from cribev.web.parameters import parse_flag, reject_unknown

HANDS = 10
"""Hands of a session."""

# Version 0.2 wrote run for session, and unkept beside throws that could not be saved.
PARAMETERS = ("seed", "hard", "role", "hands", "thrown", "at", "session", "run", "unkept")

_WAIT = 0.5  # seconds for another program's lock, while a thread that answers pages is held
_THROWN = re.compile(r"(?:[1-6][1-6])*")
_HAND = re.compile(r"((?:[2-9TJQKA][CDHS]){6})([dp])")


class SessionAddress(NamedTuple):
    """What an address says: which hands, what was thrown from them, and which hand to show."""

    selection: Selection
    tokens: tuple[str, ...]
    """The hands that come back, as `hand_token` names them; empty if a seed deals."""
    thrown: tuple[str, ...]
    """The places of the two cards of each throw, as ``"56"``."""
    at: int
    """The number of the hand to show, from 1; one more than there are for the summary."""
    name: str
    """The name of the session in the store."""

    @property
    def number(self) -> int:
        """How many hands there are."""
        return len(self.tokens) or HANDS

    @property
    def shared(self) -> str:
        """The address of the same hands, nothing thrown; empty for hands that come back."""
        return "" if self.tokens else f"/practice?{urlencode(self._hands())}"

    def to(self, at: int) -> str:
        """Return the address of a hand, or of the summary, with all that was thrown."""
        thrown = {"thrown": "".join(self.thrown), "at": str(at), "session": self.name}
        return f"/practice?{urlencode(self._hands() | thrown)}"

    def fields(self) -> dict[str, str]:
        """Return what a form sends along with a throw."""
        return {**self._hands(), "thrown": "".join(self.thrown), "session": self.name}

    def _hands(self) -> dict[str, str]:
        return (
            {"hands": ".".join(self.tokens)}
            if self.tokens
            else selection_parameters(self.selection)
        )


def selection_parameters(selection: Selection) -> dict[str, str]:
    """Return the parameters that ask for the hands of a seed, or without one for such hands."""
    seed, hard, role = selection[:3]
    found = {"seed": "" if seed is None else str(seed), "hard": "1" * hard, "role": role or ""}
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
    tokens = tuple(given.get("hands", "").split(".")) if given.get("hands") else ()
    if len(tokens) > HANDS or not all(map(_HAND.fullmatch, tokens)):
        raise CribevError(f"hands={quote(given['hands'])}: these are no hands that come back")
    places = given.get("thrown", "")
    thrown = tuple(places[at : at + 2] for at in range(0, len(places), 2))
    if not _THROWN.fullmatch(places) or any(one[0] == one[-1] for one in thrown):
        raise CribevError(
            f"thrown={quote(places)}: expected two places, 1 to 6, for each hand, as 56"
        )
    name = given.get("session") or given.get("run") or new_session_name()
    if not SESSION_NAME.fullmatch(name):
        raise CribevError(f"session={quote(name)}: this is no session")
    selection = Selection() if tokens else _parse_selection(given)
    found = SessionAddress(selection, tokens, thrown, len(thrown) + 1, name)
    if len(thrown) > found.number:
        raise CribevError(f"{len(thrown)} throws are more than the session's {found.number} hands")
    text = given.get("at") or str(found.at)
    if (at := parse_integer(text, least=1, most=found.at)) is None:
        raise CribevError(f"at={quote(text)}: expected a hand up to number {found.at}")
    return found._replace(at=at)


def _parse_selection(given: Mapping[str, str]) -> Selection:
    text = given.get("seed", "").strip()
    if (seed := parse_integer(text)) is None:
        raise CribevError(
            f"seed={quote(text)}: expected a whole number from 0 up, of at most {MAX_DIGITS} digits"
        )
    role = as_role(given["role"]) if given.get("role") else None
    return Selection(seed, parse_flag(given, "hard"), role)


def hand_token(hand: Hand) -> str:
    """Name a hand that comes back, by its cards and its role."""
    return format_cards(hand.cards).replace(" ", "") + hand.role[0]


def stored_address(name: str, throws: Sequence[StoredThrow]) -> str:
    """Return the address of the summary of a session in the store."""
    hands = [one.hand for one in throws]
    thrown = tuple(
        places_text(parse_discard(one.discard, hand.deal))
        for one, hand in zip(throws, hands, strict=True)
    )
    address = SessionAddress(Selection(), tuple(map(hand_token, hands)), thrown, 0, name)
    return address.to(address.number + 1)


def session_at(address: SessionAddress) -> ThrowSession:
    """Return the session at an address, thrown again as far as the address says; nothing is saved.

    `HTTPException` 404 if a hand that comes back is in the store no longer.
    """
    if not address.tokens:
        hands = _dealt(address.selection)
    else:
        stored = {hand_token(one.hand): one.hand for one in local_store().read()}
        if not stored.keys() >= {*address.tokens}:
            raise HTTPException(404, "these hands are in your history no longer")
        hands = tuple(stored[token] for token in address.tokens)
    session = ThrowSession(
        address.selection, hands, len(hands), store=local_store(), name=address.name
    )
    session.answers.extend(map(throw, hands, address.thrown))
    return session


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
def _dealt(selection: Selection) -> tuple[Hand, ...]:
    return tuple(islice(selection.hands(), HANDS))
