"""Roles, scores and stakes: who owns the crib, who has which points, what a game is played for.

Points are by role between modules; people write them with their own first. `int` refuses more than
4,300 digits with an error of its own, and takes signs, blanks, underscores and digits of other
scripts. Whatever a user types as a whole number is read by `parse_integer`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Literal, NamedTuple, Self, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError, quote
from cribev.game.cards import JACK, rank_of

Role: TypeAlias = Literal["dealer", "pone"]
ROLES: tuple[Role, Role] = ("dealer", "pone")


_PONE = re.compile(r"non[- ]?dealer", re.IGNORECASE)  # what some call pone


def as_role(text: object) -> Role:
    """Take the word for a role, in any case and with blanks around it."""
    for role in ROLES:
        if isinstance(text, str) and text.strip().lower() == role:
            return role
    if isinstance(text, str) and _PONE.fullmatch(text.strip()):
        return "pone"
    shown = quote(text) if isinstance(text, str) else quote(repr(text))
    raise CribevError(f"{shown} is not a role: expected 'dealer' or 'pone'")


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


WINNING_SCORE = 121  # the points that win a game
SKUNK_LINES = 91, 61
"""Who loses with fewer points than the first is skunked, with fewer than the second twice."""

HEELS = 2  # the dealer's points for a jack that is cut
ANY_POINTS = "?"  # stands in a score for points that run from 0 to 120
UNKNOWN = -1  # stands for a card, or for points, that are not known
MAX_SCORE_BEFORE = WINNING_SCORE - 1  # the most points a player can have before a deal
NEAR_END = 31
"""A game is near its end where a player needs at most this many points. Nine tenths of what
weighing the score can win is won there (`benchmarks/README.md`)."""

_POINTS = re.compile(r"([0-9]{1,3})(?:\.0*)?")
_SCORE = re.compile(
    r"([0-9]{1,3})\s*+(\*?)\s*+(?:[-:/\u2010-\u2015\u2212]\s*+|(?<=\s))([0-9]{1,3})\s*+(\*?)"
)
"""95-110, 95:110, 95/110 or 95 110, with any dash, and a star at the dealer's points.

Blanks are never given back, or a text of many blanks takes a time quadratic in them."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATES = (
    re.compile(r"([0-9]{1,2})([-./])([0-9]{1,2})\2(?:[0-9]{4}|[0-9]{2})"),
    re.compile(r"[0-9]{4}()-([0-9]{1,2})-([0-9]{1,2})(?:[T ][0-9:.]+)?"),
    re.compile(r"()([0-9]{1,2})[-./ ]+([a-z]{3,9})\.?(?:[-./ ]+[0-9]{2,4})?", re.IGNORECASE),
    re.compile(r"()([a-z]{3,9})\.?[-./ ]+([0-9]{1,4})", re.IGNORECASE),
)
"""What spreadsheets make of 4-10: 4/10/2026, 2026-04-10, 10-Apr, Apr-10."""
_IS_DATE = "a date, which a spreadsheet has made of a score"


def parse_points(
    texts: Sequence[str], what: str, *, most: int
) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Read a column of points: ``(N,)``, `UNKNOWN` where it is empty or bad; errors by row."""

    def read(_row: int, text: str) -> tuple[int] | str:
        found = _POINTS.fullmatch(text)
        if found and int(found[1]) <= most:
            return (int(found[1]),)
        return f"expected {what}, a whole number from 0 to {most}"

    points, errors = _read(texts, 1, read)
    return points[:, 0], errors


def _date_points(text: str) -> tuple[int, int] | None:
    """Return the two numbers of a date, as a score may have had them; None if it is no date."""
    for pattern in _DATES:
        if found := pattern.fullmatch(text):
            parts = [part for part in found.groups() if part.strip("-./")]
            months = {part: part[:3].lower() for part in parts if part.isalpha()}
            if all(month in _MONTHS for month in months.values()):
                first, second = (
                    _MONTHS.index(months[part]) + 1 if part in months else int(part)
                    for part in parts
                )
                return first, second
    return None


def is_score(text: str) -> bool:
    """Tell whether a text is written as a score."""
    return _SCORE.fullmatch(text.strip()) is not None


def parse_scores(
    texts: Sequence[str], dealer: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Read scores before many deals, such as ``109-108*``; the star may be left out.

    `dealer` says whether the player deals, ``(N,)``. Returns the player's points and the
    opponent's, ``(N, 2)``, `UNKNOWN` where the text is empty or bad; and errors by row.
    """

    def read(row: int, text: str) -> tuple[int, int] | str:
        found = _SCORE.fullmatch(text)
        if not found or (found[2] and found[4]):
            if date := _date_points(text):
                either = format_scores(np.array([date, date[::-1]]), dealer[[row, row]])
                return f"{_IS_DATE}: write {' or '.join(either)}, which stay text"
            return "expected a score, the player's first, a star at the dealer's: 109-108*"
        points = int(found[1]), int(found[3])
        if max(points) > MAX_SCORE_BEFORE:
            return f"nobody has more than {MAX_SCORE_BEFORE} points before a deal"
        return _misplaced(found, dealer=bool(dealer[row])) or points

    return _read(texts, 2, read)


def heels(starter: int | None) -> int:
    """Return the dealer's points for the card cut: two for a jack."""
    return HEELS if starter is not None and starter >= 0 and rank_of(starter) == JACK else 0


def heels_of(starters: NDArray[Any]) -> NDArray[np.int64]:
    """Return what `heels` does for many cards 0..51 or `UNKNOWN`, of any shape."""
    return np.where(starters >> 2 == JACK, HEELS, 0)


def skunks(points: int) -> int:
    """Return behind how many of `SKUNK_LINES` a loser with so many points is."""
    return sum(points < line for line in SKUNK_LINES)


def near_end(points: NDArray[Any], needed: int = NEAR_END) -> NDArray[np.bool_]:
    """Mark the scores ``(N, 2)`` at which a player needs at most so many points."""
    near: NDArray[np.bool_] = points.max(axis=1, initial=UNKNOWN) >= WINNING_SCORE - needed
    return near


class Score(NamedTuple):
    """The points of both players before a deal, or now, by role.

    >>> score = Score.read("95-110", "pone")
    >>> score, score.text("pone"), score.text("dealer"), str(score)
    (Score(pone=95, dealer=110), '95-110', '110-95', '95-110*')
    >>> score.needed, score.is_near(20)
    ({'dealer': 11, 'pone': 26}, True)
    >>> Score.read("95-121", "pone")
    Traceback (most recent call last):
    cribev.errors.CribevError: '95-121' is not a score: expected your points and the opponent's,
    each from 0 to 120, as 95-110
    """

    pone: int
    dealer: int

    @classmethod
    def of(cls, own: int, opponent: int, role: Role) -> Score:
        """Take the points of the player of a role, and the opponent's."""
        return cls(own, opponent) if role == "pone" else cls(opponent, own)

    @classmethod
    def read(cls, score: object, role: Role) -> Score:
        """Take the player's points and the opponent's: numbers, text, or a score."""
        return score if isinstance(score, cls) else cls.of(*as_score(score, role), role)

    def seen_by(self, role: Role) -> tuple[int, int]:
        """Return the points of the player of a role, and the opponent's."""
        return (self.pone, self.dealer) if role == "pone" else (self.dealer, self.pone)

    def text(self, role: Role) -> str:
        """Write the points of the player of a role, then the opponent's."""
        own, opponents = self.seen_by(role)
        return f"{own}-{opponents}"

    def __str__(self) -> str:
        return f"{self.pone}-{self.dealer}*"

    @property
    def needed(self) -> dict[Role, int]:
        """How many points each needs to win."""
        return {"dealer": WINNING_SCORE - self.dealer, "pone": WINNING_SCORE - self.pone}

    def needs(self, role: Role) -> tuple[int, int]:
        """Return how many points the player of a role needs to win, and the opponent."""
        own, opponents = self.seen_by(role)
        return WINNING_SCORE - own, WINNING_SCORE - opponents

    def is_near(self, needed: int) -> bool:
        """Tell whether a player needs at most so many points."""
        return max(self) >= WINNING_SCORE - needed

    @property
    def over(self) -> bool:
        """Whether somebody has won."""
        return max(self) >= WINNING_SCORE

    def plus(
        self, points: Mapping[Role, int] | None = None, *, starter: int | None = None
    ) -> Score:
        """Return the score after points of both, and the dealer's for the card cut."""
        gained = points or {"pone": 0, "dealer": 0}
        return Score(self.pone + gained["pone"], self.dealer + gained["dealer"] + heels(starter))


def as_score(score: object, role: Role | None = None) -> tuple[int, int]:
    """Take the points of two players, numbers or text; with a role check a star."""
    parts = list(score) if isinstance(score, tuple | list | np.ndarray) else []
    quoted = quote(score if isinstance(score, str) else repr(score))
    found = _SCORE.fullmatch(score.strip()) if isinstance(score, str) else None
    if found and not (found[2] and found[4]):
        wrong = role and _misplaced(found, dealer=role == "dealer")
        if wrong:
            raise CribevError(f"{quoted}: {wrong}")
        parts = [int(found[1]), int(found[3])]
    whole = (isinstance(one, int | np.integer) and not isinstance(one, bool) for one in parts)
    if len(parts) != 2 or not all(whole) or not 0 <= min(parts) <= max(parts) <= MAX_SCORE_BEFORE:
        raise CribevError(
            f"{quoted} is not a score: expected your points and the opponent's, "
            f"each from 0 to {MAX_SCORE_BEFORE}, as 95-110"
        )
    return int(parts[0]), int(parts[1])


def _misplaced(found: re.Match[str], *, dealer: bool) -> str:
    """Say what is wrong with a score whose star is at pone's points."""
    if not found[4 if dealer else 2]:
        return ""
    whose = "opponent" if dealer else "player"
    return f"the star is at the points of the {whose}, who is pone: expected it at the dealer's"


def format_scores(scores: NDArray[np.int64], dealer: NDArray[np.bool_] | None = None) -> list[str]:
    """Write scores ``(N, 2)``, a star at the dealer's if `dealer` says who; unknown are empty."""
    stars = [("", "")] * len(scores)
    if dealer is not None:
        stars = [("*", "") if own else ("", "*") for own in dealer.tolist()]
    return [
        f"{own}{star}-{opponent}{other}" if own != UNKNOWN else ""
        for (own, opponent), (star, other) in zip(scores.tolist(), stars, strict=True)
    ]


def parse_scores_after(texts: Sequence[str]) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Read scores after many deals, as `parse_scores` reads those before."""

    def read(_row: int, text: str) -> tuple[int, int] | str:
        found = _SCORE.fullmatch(text)
        if found and not (found[2] or found[4]):
            low, high = sorted(points := (int(found[1]), int(found[3])))
            if low < WINNING_SCORE and high <= WINNING_SCORE:
                return points
        if found is None and _date_points(text):
            return f"{_IS_DATE}: make the column text, then write 121-108"
        return "expected a score, the player's first, at most one of them 121: 121-108"

    return _read(texts, 2, read)


def _read(
    texts: Sequence[str], columns: int, read: Callable[[int, str], tuple[int, ...] | str]
) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Read each text that is not empty: `read` returns points, or what is wrong."""
    points = np.full((len(texts), columns), UNKNOWN, dtype=np.int64)
    errors = {}
    for row, text in enumerate(texts):
        if written := text.strip():
            found = read(row, written)
            if isinstance(found, str):
                errors[row] = found
            else:
                points[row] = found
    return points, errors


MAX_DIGITS = 39
"""Seeds, and other whole numbers that are given as text, have no more digits than this."""


def parse_integer(text: str, *, least: int = 0, most: int | None = None) -> int | None:
    """Read a whole number in ASCII digits; None if it is none, too long, or out of range."""
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        return None
    number = int(text)
    return number if number >= least and (most is None or number <= most) else None


Chance = TypeVar("Chance", bound=Any)  # a number, or an array of them
OUTCOME_COLUMNS = ("win", "skunk", "double_skunk", "lose", "skunked", "double_skunked")
"""How the parts are named in tables and JSON."""

SCORED_COLUMNS = (*OUTCOME_COLUMNS, "value")  # the same, and what they are worth by the stakes
SHOWN_SKUNKS = 0.005  # tables to look at tell of skunks where one is likelier than this


class Outcomes(NamedTuple, Generic[Chance]):
    """How likely a game ends how, from 0 to 1, as a player sees it.

    >>> found = Outcomes(0.6, 0.2, 0.05, 0.1, 0.0)
    >>> found.lose, found.turned.skunked
    (0.4, 0.2)
    """

    win: Chance  # the player wins
    skunk: Chance
    """The player wins, and the opponent has fewer than 91 points by then; part of `win`."""
    double_skunk: Chance  # the player wins, and the opponent has fewer than 61; part of `skunk`
    skunked: Chance  # the opponent wins, and the player has fewer than 91 points by then
    double_skunked: Chance  # the opponent wins, and the player has fewer than 61; part of `skunked`

    @property
    def lose(self) -> Chance:
        """The opponent wins."""
        return cast(Chance, 1 - self.win)

    @property
    def turned(self) -> Self:
        """The same as the opponent sees it."""
        return type(self)(
            self.lose, self.skunked, self.double_skunked, self.skunk, self.double_skunk
        )

    def to_dict(self) -> dict[str, Chance]:
        """Name the parts, as tables and JSON do."""
        return {name: getattr(self, name) for name in OUTCOME_COLUMNS}


class Stakes(NamedTuple):
    """What a game is played for: what each way to win is worth.

    >>> Stakes.read("acc").value(Outcomes(0.5, 0.1, 0.0, 0.2, 0.0))
    1.1
    >>> Stakes.read("1,2").value(Outcomes(0.5, 0.25, 0.0, 0.0, 0.0))  # less the opponent's
    0.25
    >>> Stakes.read("3,2")
    Traceback (most recent call last):
    cribev.errors.CribevError: '3,2': a skunk is worth no less than a win; expected stakes: win,
    acc, games, or what a win, a skunk and a double skunk are worth, as 1,2 or 1,2,4
    """

    name: str
    win: float
    skunk: float
    double_skunk: float
    less_opponents: bool  # whether what the opponent wins counts with a minus

    @classmethod
    def read(cls, given: object) -> Stakes:
        """Take stakes by name, or two or three numbers, as text or one by one."""
        if isinstance(given, cls):
            return given
        text = ",".join(map(str, given)) if isinstance(given, tuple | list) else given
        for stakes in NAMED_STAKES:
            if isinstance(text, str) and text.strip().lower() == stakes.name:
                return stakes
        reason, parts = "", []
        if isinstance(text, str):
            parts = [part.strip() for part in text.replace("/", ",").split(",")]
        if parts and all(map(_NUMBER.fullmatch, parts)):
            worth = [float(part) for part in parts]
            if worth[0] == 0:
                reason = "a win is worth something; "
            elif sorted(worth) != worth:
                more, less = ("skunk", "win") if worth[1] < worth[0] else ("double skunk", "skunk")
                reason = f"a {more} is worth no less than a {less}; "
            elif 2 <= len(worth) <= 3:
                return cls(",".join(parts), worth[0], worth[1], worth[-1], less_opponents=True)
        quoted = quote(given if isinstance(given, str) else repr(given))
        raise CribevError(
            f"{quoted}: {reason}expected stakes: win, acc, games, or what a win, a skunk and a "
            "double skunk are worth, as 1,2 or 1,2,4"
        )

    def value(self, outcomes: Outcomes[Chance]) -> Chance:
        """Turn outcomes into what they are worth on average."""
        value = self._won(outcomes)
        return cast(Chance, value - self._won(outcomes.turned)) if self.less_opponents else value

    def _won(self, outcomes: Outcomes[Chance]) -> Chance:
        win, skunk, double = outcomes[:3]
        skunks = (self.skunk - self.win) * skunk + (self.double_skunk - self.skunk) * double
        return cast(Chance, self.win * win + skunks)

    @property
    def counts_doubles(self) -> bool:
        """Whether a double skunk is worth more than a skunk."""
        return self.double_skunk > self.skunk

    @property
    def unit(self) -> str:
        """What is won, in a word or two."""
        return {"win": "wins", "acc": "game points", "games": "games"}.get(self.name, "stakes")

    @property
    def aim(self) -> str:
        """What choices are compared by: chances to win, or what they are worth."""
        return "chances to win" if self == WIN_STAKES else self.unit

    @property
    def swing(self) -> float:
        """How much more a win is worth than a loss, if nobody is skunked."""
        return self.win * (1 + self.less_opponents)

    @property
    def near_end(self) -> int:
        """Where a player needs at most so many points, a choice is judged by how the game may end.

        `NEAR_END` points from the end; where skunks count, from the line that saves from one.
        """
        return NEAR_END if self == WIN_STAKES else NEAR_END + WINNING_SCORE - SKUNK_LINES[0]

    def decide(self, score: Score | None) -> bool:
        """Tell whether choices are judged by how the game may end, at a score before the deal."""
        return score is not None and score.is_near(self.near_end)

    @property
    def text(self) -> str:
        """Say what each way to win is worth."""
        parts = [f"{self.win:g} for a win", f"{self.skunk:g} for a skunk"]
        if self.counts_doubles:
            parts.append(f"{self.double_skunk:g} for a double skunk")
        parts += ["less the opponent's"] * self.less_opponents
        name = f"{self.name}: " if self in NAMED_STAKES else ""
        return name + ", ".join(parts)

    def columns(self, outcomes: Outcomes[Chance]) -> dict[str, Chance]:
        """Name outcomes and what they are worth, as tables and JSON do."""
        return {**outcomes.to_dict(), "value": self.value(outcomes)}


StakesLike: TypeAlias = str | Stakes | tuple[float, ...]
"""Stakes by name or as numbers, see `Stakes.read`."""

_NUMBER = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})?")

WIN_STAKES = Stakes("win", 1, 1, 1, less_opponents=False)
"""What a game is played for unless somebody says otherwise: to win it."""

NAMED_STAKES = (
    WIN_STAKES,
    Stakes("acc", 2, 3, 3, less_opponents=False),
    Stakes("games", 1, 2, 3, less_opponents=True),
)
"""Stakes with a name: `acc` are the game points of the American Cribbage Congress."""


def stakes_at(given: object, score: object) -> Stakes:
    """Read stakes; `CribevError` if they are given without a score."""
    if given is None:
        return WIN_STAKES
    stakes = Stakes.read(given)
    if score is None:
        text = quote(given if isinstance(given, str) else stakes.name)
        raise CribevError(f"stakes {text} take a score: without one nobody is skunked")
    return stakes
