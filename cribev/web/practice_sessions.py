"""A run of practice as its address has it: which hands, and what was thrown from them."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.exceptions import HTTPException

from cribev.errors import CribevError, quote
from cribev.game.cards import format_cards
from cribev.game.integers import MAX_DIGITS, parse_integer
from cribev.game.roles import Role, as_role
from cribev.practice.hands import Hand, hands_of
from cribev.practice.store import AGAIN, DEALT, HARD, RUN, StoredThrow, all_kept
from cribev.practice.throws import Question, Throw, question_of, read_discard, throw
from cribev.web.parameters import parse_flag, reject_unknown

HANDS = 10
"""Hands of a run."""

PARAMETERS = ("seed", "hard", "role", "hands", "thrown", "at", "run", "unkept")

_THROWN = re.compile(r"(?:[1-6][1-6])*")
_NUMBER = re.compile(r"[1-9][0-9]?")
_HAND = re.compile(r"((?:[2-9TJQKA][CDHS]){6})([dp])")


class Run(NamedTuple):
    """Which hands are thrown, and what was thrown so far; with `at`, what is looked at."""

    seed: int | None
    hard: bool
    role: Role | None
    tokens: tuple[str, ...]
    """Hands that came back, as `token_of` names them; none where a seed deals."""
    thrown: tuple[str, ...]
    """The places of the two cards of each throw, as ``"56"``."""
    at: int
    """Number of the hand that is looked at, from 1; one more than there are for the summary."""
    run: str
    """What the throws have in common where they are kept."""
    unkept: bool = False
    """Whether a throw could not be kept."""

    @property
    def number(self) -> int:
        """How many hands there are."""
        return len(self.tokens) if self.seed is None else HANDS

    @property
    def kind(self) -> str:
        """What kind of hands these are, for those who keep throws."""
        return AGAIN if self.seed is None else HARD if self.hard else DEALT

    @property
    def shared(self) -> str:
        """The address of the same hands, nothing thrown; empty for hands that came back."""
        return "" if self.seed is None else f"/practice?{urlencode(self._hands())}"

    def address(self, *, at: int) -> str:
        """Return the address of a hand, or of the summary, with all that was thrown."""
        more = {"thrown": "".join(self.thrown), "at": str(at), "run": self.run}
        if self.unkept:
            more["unkept"] = "1"
        return f"/practice?{urlencode(self._hands() | more)}"

    def fields(self) -> dict[str, str]:
        """Return what a form sends along with a throw."""
        return self._hands() | {"thrown": "".join(self.thrown), "run": self.run}

    def _hands(self) -> dict[str, str]:
        if self.seed is None:
            return {"hands": ".".join(self.tokens)}
        found = {"seed": str(self.seed)}
        if self.hard:
            found["hard"] = "1"
        return found if self.role is None else found | {"role": self.role}


def run_in(given: Mapping[str, str], *, new: str) -> Run:
    """Read a run from the parameters of an address or the fields of a form.

    Parameters
    ----------
    given
        The parameters.
    new
        The name of the run, if it has none yet.

    Raises
    ------
    CribevError
        If it is none.

    Examples
    --------
    >>> run = run_in({"seed": "7", "thrown": "5612"}, new="a")
    >>> run.at, run.address(at=2), run.shared
    (3, '/practice?seed=7&thrown=5612&at=2&run=a', '/practice?seed=7')
    >>> run_in({"seed": "7", "thrown": "57"}, new="a")
    Traceback (most recent call last):
    cribev.errors.CribevError: thrown='57': expected two places, 1 to 6, for each hand, as 56
    """
    reject_unknown(given, *PARAMETERS)
    tokens = tuple(given.get("hands", "").split(".")) if given.get("hands") else ()
    text = given.get("seed", "").strip()
    if not tokens and parse_integer(text) is None:
        raise CribevError(
            f"seed={quote(text)}: expected a whole number from 0 up, of at most {MAX_DIGITS} digits"
        )
    if len(tokens) > HANDS or not all(map(_HAND.fullmatch, tokens)):
        raise CribevError(f"hands={quote(given['hands'])}: these are no hands that came back")
    places = given.get("thrown", "")
    thrown = tuple(places[at : at + 2] for at in range(0, len(places), 2))
    if not _THROWN.fullmatch(places) or any(one[0] == one[-1] for one in thrown):
        raise CribevError(
            f"thrown={quote(places)}: expected two places, 1 to 6, for each hand, as 56"
        )
    found = Run(
        seed=None if tokens else int(text),
        hard=parse_flag(given, "hard"),
        role=as_role(given["role"]) if given.get("role") else None,
        tokens=tokens,
        thrown=thrown,
        at=0,
        run=given.get("run") or new,
        unkept=parse_flag(given, "unkept"),
    )
    if not RUN.fullmatch(found.run):
        raise CribevError(f"run={quote(found.run)}: this is no run")
    if len(thrown) > found.number:
        raise CribevError(f"{len(thrown)} throws are more than the {found.number} hands of the run")
    at = given.get("at") or str(len(thrown) + 1)
    if not _NUMBER.fullmatch(at) or int(at) > len(thrown) + 1:
        raise CribevError(f"at={quote(at)}: expected a hand up to number {len(thrown) + 1}")
    return found._replace(at=int(at))


def token_of(hand: Hand) -> str:
    """Name a hand that came back, by its cards and its role."""
    return hand.cards.replace(" ", "") + hand.role[0]


def past(name: str, throws: Sequence[StoredThrow]) -> str:
    """Return the address of what a run that was kept came to.

    Parameters
    ----------
    name
        The name of the run.
    throws
        What was thrown in it.
    """
    run = Run(
        seed=None,
        hard=False,
        role=None,
        tokens=tuple(token_of(one.hand) for one in throws),
        thrown=tuple(places_of(one.hand, one.discard.split()) for one in throws),
        at=0,
        run=name,
    )
    return run.address(at=run.number + 1)


def hands_in(run: Run) -> Sequence[Hand]:
    """Return the hands of a run.

    Raises
    ------
    HTTPException
        404 if one that came back is not among those that were kept.
    """
    if run.seed is not None:
        return _dealt(run.seed, run.hard, run.role)
    kept = {token_of(one.hand): one.hand for one in all_kept()}
    try:
        return [kept[token] for token in run.tokens]
    except KeyError:
        raise HTTPException(404, "these hands are kept no longer") from None


def throws_in(run: Run, hands: Sequence[Hand]) -> list[Throw]:
    """Return what was thrown so far."""
    return [thrown_from(hand, places) for hand, places in zip(hands, run.thrown, strict=False)]


def thrown_from(hand: Hand, places: str) -> Throw:
    """Throw two cards of a hand by their places."""
    return throw(question(hand), read_discard(places, hand.deal))


def places_of(hand: Hand, cards: Sequence[str]) -> str:
    """Find the places of two cards of a hand.

    Raises
    ------
    CardError
        If they are not two of its cards.

    Examples
    --------
    >>> places_of(Hand("pone", "2H 5D 5H 8D JS QC", "", "", ""), ["qc", "JS"])
    '56'
    """
    thrown = read_discard(" ".join(cards), hand.deal)
    own = hand.cards.split()
    return "".join(str(own.index(card) + 1) for card in format_cards(thrown).split())


@lru_cache(256)
def _dealt(seed: int, hard: bool, role: Role | None) -> tuple[Hand, ...]:
    return tuple(islice(hands_of(seed, role=role, hard=hard), HANDS))


@lru_cache(4096)
def question(hand: Hand) -> Question:
    """Work out what a hand's discards are worth, once for all its pages."""
    return question_of(hand)
