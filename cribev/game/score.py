"""Scores: the points of both players, and what they mean for a game.

Between modules, points go by role; people write their own points first. `int` refuses more than
4,300 digits with its own error, and accepts signs, blanks, underscores and digits of other scripts.
So whole numbers typed by users are read by `parse_integer`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError, quote
from cribev.game.cards import JACK, is_whole, rank_of, ranks_of
from cribev.game.roles import Role, role_of

WINNING_SCORE = 121  # the points that win a game
SKUNK_LINES = 91, 61
"""A loser below the first line is skunked, below the second double-skunked."""

HEELS = 2  # the dealer's points for a jack that is cut
UNKNOWN = -1  # stands for a card, or for points, that are not known
MAX_SCORE_BEFORE = WINNING_SCORE - 1  # the most points a player can have before a deal
NEAR_END = 31
"""A game is near its end where a player needs at most this many points. Nine tenths of what
weighing the score can win is won there (`benchmarks/README.md`)."""

SCORE_TEXT = re.compile(
    r"([0-9]{1,3})(?:\.0*+)?\s*+(\*?)\s*+(?:(?:[-:/\u2010-\u2015\u2212]|to\b)\s*+|(?<=\s))"
    r"([0-9]{1,3})(?:\.0*+)?\s*+(\*?)"
)
"""95-110, 95:110, 95/110, 95 to 110 or 95 110, with any dash; a star is at the dealer's points.

Blanks are never given back, or a text of many blanks takes a time quadratic in them."""


def is_score(text: str) -> bool:
    """Return whether a text is written as a score."""
    return SCORE_TEXT.fullmatch(text.strip()) is not None


def read_points(text: str) -> tuple[tuple[int, int], bool | None] | None:
    """Return the points in a text, and whether the first are the dealer's; None if it is no score.

    Without a star nobody knows whose they are: the second is None.
    """
    written = SCORE_TEXT.fullmatch(text.strip())
    if written is None or (written[2] and written[4]):
        return None
    starred = bool(written[2] or written[4])
    return (int(written[1]), int(written[3])), bool(written[2]) if starred else None


def heels(starter: int | None) -> int:
    """Return the dealer's points for the card cut: two for a jack."""
    return HEELS if starter is not None and starter >= 0 and rank_of(starter) == JACK else 0


def heels_of(starters: NDArray[Any]) -> NDArray[np.int64]:
    """Return what `heels` does for many cards 0..51 or `UNKNOWN`, of any shape."""
    return np.where(ranks_of(starters) == JACK, HEELS, 0)


def skunks(points: Any) -> Any:
    """Return how many of `SKUNK_LINES` a loser's points fall short of, for one or for many."""
    return sum(points < line for line in SKUNK_LINES)


def near_end(points: NDArray[Any], needed: int = NEAR_END) -> NDArray[np.bool_]:
    """Mark the scores, ``(N, 2)``, at which a player needs at most that many points."""
    near: NDArray[np.bool_] = points.max(axis=1, initial=UNKNOWN) >= WINNING_SCORE - needed
    return near


class Score(NamedTuple("_Points", [("pone", int), ("dealer", int)])):
    """The points of both players before a deal, or now, by role; a player with 121 has won.

    >>> score = Score.read("95-110", "pone")
    >>> score, score.text("pone"), score.text("dealer"), str(score)
    (Score(pone=95, dealer=110), '95-110', '110-95', '95-110*')
    >>> score.needed, score.is_near(20)
    ({'dealer': 11, 'pone': 26}, True)
    >>> Score.read("95-121", "pone")
    Traceback (most recent call last):
    cribev.errors.CribevError: invalid score '95-121': expected your points and the opponent's,
    each from 0 to 120, as 95-110; with 121 the game is won
    >>> Score(pone=95, dealer=122)
    Traceback (most recent call last):
    cribev.errors.CribevError: invalid score '(95, 122)': expected pone's points and the dealer's,
    each from 0 to 121
    """

    __slots__ = ()

    def __new__(cls, pone: int, dealer: int) -> Self:
        """Return a score; `CribevError` unless both have 0 to 121 points."""
        if not (is_whole(pone) and is_whole(dealer) and max(pone, dealer) <= WINNING_SCORE):
            raise CribevError(
                f"invalid score {quote(repr((pone, dealer)))}: expected pone's points and the "
                f"dealer's, each from 0 to {WINNING_SCORE}"
            )
        return super().__new__(cls, int(pone), int(dealer))

    @classmethod
    def _make(cls, points: Iterable[Any]) -> Self:  # type: ignore[override]  # as typeshed has it
        return cls(*points)  # so that `_replace` checks too

    @classmethod
    def of(cls, own: int, opponent: int, role: Role) -> Score:
        """Take the points of the player of a role, and the opponent's."""
        return cls(own, opponent) if role == "pone" else cls(opponent, own)

    @classmethod
    def read(cls, score: object, role: Role) -> Score:
        """Take the player's points and the opponent's: numbers, text, or a score."""
        return score if isinstance(score, cls) else cls.of(*as_score(score, role), role)

    @staticmethod
    def role_by_star(score: object, role: str | None = None) -> str | None:
        """Return the role; or, where it is None, that of the player by the star of a text.

        >>> Score.role_by_star("119*-113"), Score.role_by_star("119-113*")
        ('dealer', 'pone')
        """
        if role is None and isinstance(score, str) and (written := read_points(score)):
            _, first_deals = written
            return None if first_deals is None else role_of(first_deals)
        return role

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
        """The points that each needs to win."""
        return {"dealer": WINNING_SCORE - self.dealer, "pone": WINNING_SCORE - self.pone}

    def needs(self, role: Role) -> tuple[int, int]:
        """Return how many points the player of a role needs to win, and the opponent."""
        own, opponents = self.seen_by(role)
        return WINNING_SCORE - own, WINNING_SCORE - opponents

    def is_near(self, needed: int) -> bool:
        """Return whether a player needs at most a number of points."""
        return max(self) >= WINNING_SCORE - needed

    @property
    def over(self) -> bool:
        """Whether somebody has won."""
        return max(self) >= WINNING_SCORE

    def plus(
        self, points: Mapping[Role, int] | None = None, *, starter: int | None = None
    ) -> Score:
        """Return the score after points of both, and the dealer's for the card cut, up to 121."""
        gained = points or {"pone": 0, "dealer": 0}
        dealer = self.dealer + gained["dealer"] + heels(starter)
        return Score(*(min(total, WINNING_SCORE) for total in (self.pone + gained["pone"], dealer)))


ScoreLike: TypeAlias = str | tuple[int, int] | Score
"""The player's points and the opponent's as people give them, or points by role."""


def as_score(score: object, role: Role | None = None) -> tuple[int, int]:
    """Take the points of two players, numbers or text; with a role check a star."""
    shown = score if isinstance(score, str) else repr(score)
    points: tuple[Any, ...] = ()
    written = read_points(score) if isinstance(score, str) else None
    if written is not None:
        points, first_deals = written
        if role and (wrong := misplaced_star(first_deals, dealer=role == "dealer")):
            raise CribevError(f"{quote(shown)}: {wrong}")
    elif isinstance(score, tuple | list | np.ndarray):
        points = tuple(score)
    if len(points) != 2 or not all(map(is_whole, points)) or max(points) > MAX_SCORE_BEFORE:
        raise CribevError(
            f"invalid score {quote(shown)}: expected your points and the opponent's, "
            f"each from 0 to {MAX_SCORE_BEFORE}, as 95-110"
            + (f"; with {WINNING_SCORE} the game is won" if written is not None else "")
        )
    return int(points[0]), int(points[1])


def misplaced_star(first_deals: bool | None, *, dealer: bool) -> str:
    """Say what is wrong with a score whose star is at pone's points."""
    if first_deals is None or first_deals == dealer:
        return ""
    whose = "opponent" if dealer else "player"
    return f"the star is at the points of the {whose}, who is pone: expected it at the dealer's"
