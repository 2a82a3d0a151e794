"""What a request brings: parameters and bodies, held to a measure."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from cribev.errors import CribevError, quote

LONGEST_BODY = 2 << 20
"""Bytes beyond which a body is refused."""
SLOWEST = 20
"""Seconds without anything of a body after which it is given up."""

OPPONENTS = ("expert", "uniform")
"""Those who are no files: nobody may have this machine's files read."""

_YES = ("1", "true", "yes", "on")
_NO = ("", "0", "false", "no", "off")


async def read_body(request: Request) -> bytes:
    """Read what is sent.

    Raises
    ------
    HTTPException
        413 if it is too long, 408 if nothing more of it comes.
    """
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(SLOWEST) as wait:
            async for part in request.stream():
                wait.reschedule(asyncio.get_running_loop().time() + SLOWEST)
                parts.append(part)
                size += len(part)
                if size > LONGEST_BODY:
                    raise HTTPException(413, f"at most {LONGEST_BODY >> 20} MiB can be sent")
    except TimeoutError:
        raise HTTPException(408, f"nothing came for {SLOWEST} seconds") from None
    return b"".join(parts)


_ADDED = ("utm_", "fbclid", "gclid", "msclkid", "igsh", "mc_")  # by who passes a link on


def reject_repeated(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Take parameters by their names, none of which may be there twice.

    Raises
    ------
    CribevError
        If one is.

    Examples
    --------
    >>> reject_repeated([("cards", "5H"), ("role", "pone")])
    {'cards': '5H', 'role': 'pone'}
    >>> reject_repeated([("cards", "5H"), ("cards", "6H")])
    Traceback (most recent call last):
    cribev.errors.CribevError: 'cards' is given more than once
    """
    given: dict[str, str] = {}
    for name, value in pairs:
        if name in given:
            raise CribevError(f"{quote(name)} is given more than once")
        given[name] = value
    return given


def reject_unknown(given: Iterable[str], *known: str) -> None:
    """Refuse parameters that mean nothing, but for those that others put to an address.

    Raises
    ------
    CribevError
        If there is one.

    Examples
    --------
    >>> reject_unknown({"card": "5H"}, "cards", "role")
    Traceback (most recent call last):
    cribev.errors.CribevError: no such parameter: 'card'; expected cards, role
    """
    for name in given:
        if name not in known and not name.startswith(_ADDED):
            expected = ", ".join(known) or "none"
            raise CribevError(f"no such parameter: {quote(name)}; expected {expected}")


def parse_flag(given: Mapping[str, str], name: str) -> bool:
    """Take a parameter that is on or off; off if it is not given.

    Raises
    ------
    CribevError
        If it is neither.

    Examples
    --------
    >>> parse_flag({"explain": "1"}, "explain"), parse_flag({}, "explain")
    (True, False)
    >>> parse_flag({"explain": "please"}, "explain")
    Traceback (most recent call last):
    cribev.errors.CribevError: explain='please': expected 1 or 0
    """
    text = given.get(name, "").strip().lower()
    if text not in _YES + _NO:
        raise CribevError(f"{name}={quote(given[name])}: expected 1 or 0")
    return text in _YES


def parse_choice(
    given: Mapping[str, str], name: str, choices: tuple[str, ...], default: str
) -> str:
    """Take a parameter that is one of a few words.

    Raises
    ------
    CribevError
        If it is none of them.

    Examples
    --------
    >>> parse_choice({"opponent": "/etc/passwd"}, "opponent", ("expert", "uniform"), "expert")
    Traceback (most recent call last):
    cribev.errors.CribevError: opponent='/etc/passwd': expected expert, uniform
    """
    text = given.get(name, "").strip().lower() or default
    if text not in choices and text != default:
        raise CribevError(f"{name}={quote(given[name])}: expected {', '.join(choices)}")
    return text


def parse_form(body: bytes) -> dict[str, list[str]]:
    """Read the fields of a form as browsers send it, ``application/x-www-form-urlencoded``.

    >>> parse_form(b"cards=5H+5D&cards=&role=pone")
    {'cards': ['5H 5D', ''], 'role': ['pone']}
    """
    found: dict[str, list[str]] = {}
    for name, value in parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True):
        found.setdefault(name, []).append(value)
    return found
