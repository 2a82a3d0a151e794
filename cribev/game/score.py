"""Scores: the points of both players, and what they mean for a game.

Between modules, points go by role; people write their own points first. `int` refuses more than
4,300 digits with its own error, and accepts signs, blanks, underscores and digits of other scripts.
So whole numbers typed by users are read by `parse_integer`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError, quote
from cribev.game.cards import JACK, rank_of, ranks_of
from cribev.game.roles import Role

WINNING_SCORE = 121  # the points that win a game
SKUNK_LINES = 91, 61
"""Who loses with fewer points than the first is skunked, with fewer than the second twice."""

HEELS = 2  # the dealer's points for a jack that is cut
UNKNOWN = -1  # stands for a card, or for points, that are not known
MAX_SCORE_BEFORE = WINNING_SCORE - 1  # the most points a player can have before a deal
NEAR_END = 31
"""A game is near its end where a player needs at most this many points. Nine tenths of what
weighing the score can win is won there (`benchmarks/README.md`)."""

SCORE_TEXT = re.compile(
    r"([0-9]{1,3})(?:\.0*+)?\s*+(\*?)\s*+(?:[-:/\u2010-\u2015\u2212]\s*+|(?<=\s))"
    r"([0-9]{1,3})(?:\.0*+)?\s*+(\*?)"
)
"""95-110, 95:110, 95/110 or 95 110, with any dash, and a star at the dealer's points; 95.0 is 95.

Blanks are never given back, or a text of many blanks takes a time quadratic in them."""


def is_score(text: str) -> bool:
    """Return whether a text is written as a score."""
    return SCORE_TEXT.fullmatch(text.strip()) is not None


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


class Score(NamedTuple):
    """The points of both players before a deal, or now, by role.

    >>> score = Score.read("95-110", "pone")
    >>> score, score.text("pone"), score.text("dealer"), str(score)
    (Score(pone=95, dealer=110), '95-110', '110-95', '95-110*')
    >>> score.needed, score.is_near(20)
    ({'dealer': 11, 'pone': 26}, True)
    >>> Score.read("95-121", "pone")
    Traceback (most recent call last):
    cribev.errors.CribevError: invalid score '95-121': expected your points and the opponent's,
    each from 0 to 120, as 95-110; with 121 the game is won
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

    @staticmethod
    def role_by_star(score: object, role: str | None = None) -> str | None:
        """Return the role; or, where it is None, that of the player by the star of a text.

        >>> Score.role_by_star("119*-113"), Score.role_by_star("119-113*")
        ('dealer', 'pone')
        """
        if role is None and isinstance(score, str) and score.count("*") == 1:
            return "dealer" if re.match(r"\s*[0-9?]+(?:\.0*)?\s*\*", score) else "pone"
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
        """How many points each needs to win."""
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
        """Return the score after points of both, and the dealer's for the card cut."""
        gained = points or {"pone": 0, "dealer": 0}
        return Score(self.pone + gained["pone"], self.dealer + gained["dealer"] + heels(starter))


ScoreLike: TypeAlias = str | tuple[int, int] | Score
"""The player's points and the opponent's as people give them, or points by role."""


def as_score(score: object, role: Role | None = None) -> tuple[int, int]:
    """Take the points of two players, numbers or text; with a role check a star."""
    parts = list(score) if isinstance(score, tuple | list | np.ndarray) else []
    quoted = quote(score if isinstance(score, str) else repr(score))
    found = SCORE_TEXT.fullmatch(score.strip()) if isinstance(score, str) else None
    if found and not (found[2] and found[4]):
        wrong = role and misplaced_star(found, dealer=role == "dealer")
        if wrong:
            raise CribevError(f"{quoted}: {wrong}")
        parts = [int(found[1]), int(found[3])]
    whole = (isinstance(one, int | np.integer) and not isinstance(one, bool) for one in parts)
    if len(parts) != 2 or not all(whole) or not 0 <= min(parts) <= max(parts) <= MAX_SCORE_BEFORE:
        raise CribevError(
            f"invalid score {quoted}: expected your points and the opponent's, "
            f"each from 0 to {MAX_SCORE_BEFORE}, as 95-110"
            + (f"; with {WINNING_SCORE} the game is won" if found is not None else "")
        )
    return int(parts[0]), int(parts[1])


def misplaced_star(found: re.Match[str], *, dealer: bool) -> str:
    """Say what is wrong with a score whose star is at pone's points."""
    if not found[4 if dealer else 2]:
        return ""
    whose = "opponent" if dealer else "player"
    return f"the star is at the points of the {whose}, who is pone: expected it at the dealer's"
