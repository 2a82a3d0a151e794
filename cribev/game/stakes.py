"""Stakes: what each way that a game may end is worth."""

from __future__ import annotations

from operator import mul
from typing import NamedTuple, TypeAlias, cast

from cribev.errors import CribevError, quote, unknown
from cribev.game.outcomes import Chance, Goal, Outcomes
from cribev.game.score import NEAR_END, SKUNK_LINES, WINNING_SCORE, Score


class Stakes(NamedTuple):
    """What a game is played for: what each way it may end is worth.

    >>> ends = Outcomes(0.0, 0.125, 0.375, 0.25, 0.25, 0.0)
    >>> Stakes.read("acc").value(ends), Stakes.read("games").value(ends)  # less the opponent's
    (1.125, -0.125)
    """

    name: str
    worth: Outcomes[float]

    @classmethod
    def of(
        cls, name: str, win: float, skunk: float, double_skunk: float, *, less_opponents: bool
    ) -> Stakes:
        """Return what each way to win is worth, less the opponent's, or whatever the opponent's."""
        won, sign = (double_skunk, skunk, win), -1 if less_opponents else 0
        return cls(name, Outcomes(*won, *(sign * worth for worth in reversed(won))))

    @classmethod
    def read(cls, given: object) -> Stakes:
        """Take stakes by name, or as given; a win if None."""
        if given is None:
            return WIN_STAKES
        if isinstance(given, cls):
            return given
        for stakes in NAMED_STAKES:
            if isinstance(given, str) and given.strip().lower() == stakes.name:
                return stakes
        text = given if isinstance(given, str) else repr(given)
        raise CribevError(unknown("stakes", text, [stakes.name for stakes in NAMED_STAKES]))

    def value(self, outcomes: Outcomes[Chance]) -> Chance:
        """Turn outcomes into what they are worth on average."""
        return cast(Chance, sum(map(mul, self.worth, outcomes)))

    @property
    def goal(self) -> Goal | None:
        """What turns outcomes into what they are worth; None where wins say all."""
        return None if self == WIN_STAKES else self.value

    @property
    def less_opponents(self) -> bool:
        """Whether what the opponent wins counts with a minus."""
        return self.worth.lost < 0

    @property
    def counts_doubles(self) -> bool:
        """Whether a double skunk is worth more than a skunk."""
        return self.worth.won_by_two > self.worth.won_by_one

    def to_dict(self) -> dict[str, str | float | bool]:
        """Return what each way to win is worth, ready for JSON."""
        double_skunk, skunk, win, *_ = self.worth
        won = {"win": win, "skunk": skunk, "double_skunk": double_skunk}
        return {"name": self.name, **won, "less_opponents": self.less_opponents}

    @property
    def unit(self) -> str:
        """What is won, in a word or two."""
        return {"win": "wins", "acc": "game points", "games": "games"}[self.name]

    @property
    def aim(self) -> str:
        """What choices are compared by: chances to win, or what they are worth."""
        return "chances to win" if self == WIN_STAKES else self.unit

    @property
    def swing(self) -> float:
        """How much more a win is worth than a loss, if nobody is skunked."""
        return self.worth.won - self.worth.lost

    @property
    def near_end(self) -> int:
        """Where a player needs few points, a choice is judged by how the game may end.

        `NEAR_END` points from the end; where skunks count, from the line that saves from one.
        """
        return NEAR_END if self == WIN_STAKES else NEAR_END + WINNING_SCORE - SKUNK_LINES[0]

    def decide(self, score: Score | None) -> bool:
        """Return whether choices are judged by how the game may end, at a score before the deal."""
        return score is not None and score.is_near(self.near_end)

    @property
    def text(self) -> str:
        """Say what each way to win is worth."""
        double_skunk, skunk, win, *_ = self.worth
        parts = [f"{win:g} for a win", f"{skunk:g} for a skunk"]
        if self.counts_doubles:
            parts.append(f"{double_skunk:g} for a double skunk")
        if self.less_opponents:
            parts.append("less the opponent's")
        return f"{self.name}: {', '.join(parts)}"

    def columns(self, outcomes: Outcomes[Chance] | None) -> dict[str, Chance]:
        """Name outcomes and what they are worth, as tables and JSON do; nothing if None."""
        if outcomes is None:
            return {}
        return {**outcomes.to_dict(), "value": self.value(outcomes)}


StakesLike: TypeAlias = str | Stakes
"""Stakes, or their name."""

WIN_STAKES = Stakes.of("win", 1, 1, 1, less_opponents=False)
"""What a game is played for unless somebody says otherwise: to win it."""

NAMED_STAKES = (
    WIN_STAKES,
    Stakes.of("acc", 2, 3, 3, less_opponents=False),
    Stakes.of("games", 1, 2, 3, less_opponents=True),
)
"""Stakes with a name: `acc` are the game points of the American Cribbage Congress."""


def stakes_at(given: object, *, scored: bool) -> Stakes:
    """Read stakes; `CribevError` if they are for more than a win where no score is known."""
    stakes = Stakes.read(given)
    if stakes != WIN_STAKES and not scored:
        text = quote(given if isinstance(given, str) else stakes.name)
        raise CribevError(f"stakes {text} need a score: without one nobody is skunked")
    return stakes
