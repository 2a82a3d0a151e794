"""Roles: who deals, whose crib it is, and what the crib is worth to each player."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

import numpy as np

from cribev.errors import CribevError, quote

Role: TypeAlias = Literal["dealer", "pone"]

ROLES: tuple[Role, Role] = ("dealer", "pone")

_PONE = re.compile(r"non[- ]?dealer", re.IGNORECASE)  # what some call pone


def as_role(text: object) -> Role:
    """Take the word for a role, in any case and with blanks around it."""
    if text is None:
        raise CribevError("whose crib is it? Expected a role: dealer or pone")
    for role in ROLES:
        if isinstance(text, str) and text.strip().lower() == role:
            return role
    if isinstance(text, str) and _PONE.fullmatch(text.strip()):
        return "pone"
    shown = quote(text) if isinstance(text, str) else quote(repr(text))
    raise CribevError(f"invalid role {shown}: expected 'dealer' or 'pone'")


def role_of(dealer: bool | np.bool_) -> Role:
    """Return the role of a player who deals, or does not."""
    return "dealer" if dealer else "pone"


def opposite_role(role: Role) -> Role:
    """Return the role across the table."""
    return "pone" if role == "dealer" else "dealer"


def crib_sign(role: Role) -> int:
    """Return what a point in the crib is worth to a role: 1 to the dealer, -1 to pone."""
    return 1 if role == "dealer" else -1


def crib_owner(role: Role, players: int = 2, crib: str | None = None) -> str:
    """Say whose crib it is."""
    if crib == "partner":
        return "your partner's crib"
    theirs = "the opponent's crib" if players == 2 else "your opponents' crib"
    return "your crib" if role == "dealer" else theirs


def role_words(role: Role) -> str:
    """Return a role as a sentence has it."""
    return "the dealer" if role == "dealer" else "pone"


CRIBS = ("mine", "partner", "theirs")
"""Whose crib it is; a partner sits across where four play, and crib points count for both."""


def role_of_crib(crib: str | None, role: Role | None, players: int = 2) -> Role | None:
    """Take whose crib it is as a role: a partner's counts as your own; None where nobody says it.

    >>> role_of_crib("partner", None, 4), role_of_crib("theirs", None), role_of_crib(None, "pone")
    ('dealer', 'pone', 'pone')
    >>> role_of_crib("partner", None, 3)
    Traceback (most recent call last):
    cribev.errors.CribevError: 'partner': three players have no partners: expected mine or theirs
    """
    cards_dealt(players)
    if crib is None:
        return role
    whose = str(crib).strip().lower()
    if whose not in CRIBS:
        raise CribevError(f"{quote(str(crib))} is nobody's crib: expected {', '.join(CRIBS)}")
    if whose == "partner" and players < 4:
        number = "two" if players == 2 else "three"
        raise CribevError(
            f"{quote(whose)}: {number} players have no partners: expected mine or theirs"
        )
    found: Role = "pone" if whose == "theirs" else "dealer"
    if role not in (None, found):
        raise CribevError(f"the crib is {whose}, and {role!r} says otherwise: choose one")
    return found


def cards_dealt(players: int) -> int:
    """Return how many cards each player is dealt: six of two players, five of three or four."""
    if isinstance(players, bool) or players not in (2, 3, 4):
        raise CribevError(f"{quote(str(players))} players: expected 2, 3 or 4")
    return 6 if players == 2 else 5


def require_two_players(players: int, **given: object) -> None:
    """Refuse what is worked out for two players alone, where it is given for more."""
    for name, value in given.items():
        if players > 2 and value:
            raise CribevError(
                f"{name.replace('_', ' ')} is for two players: where {players} play, hand and crib "
                "are counted against any cards"
            )
