"""How a game may end, and stakes: what each way to win it is worth."""

from __future__ import annotations

import re
from typing import Any, Generic, NamedTuple, Self, TypeAlias, TypeVar, cast

from cribev.errors import CribevError, quote
from cribev.game.score import NEAR_END, SKUNK_LINES, WINNING_SCORE, Score

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
        """These outcomes as the opponent sees them."""
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
        """Take stakes by name, or two or three numbers, as text or one by one; a win if None."""
        if given is None:
            return WIN_STAKES
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


def stakes_at(given: object, *, scored: bool) -> Stakes:
    """Read stakes; `CribevError` if they are for more than a win where no score is known."""
    stakes = Stakes.read(given)
    if stakes != WIN_STAKES and not scored:
        text = quote(given if isinstance(given, str) else stakes.name)
        raise CribevError(f"stakes {text} need a score: without one nobody is skunked")
    return stakes
