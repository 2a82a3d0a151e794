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


def crib_owner(role: Role) -> str:
    """Say whose crib it is."""
    return "your crib" if role == "dealer" else "the opponent's crib"


def role_words(role: Role) -> str:
    """Return a role as a sentence has it."""
    return "the dealer" if role == "dealer" else "pone"
