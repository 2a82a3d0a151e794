"""Stakes: what each way that a game may end is worth."""

from __future__ import annotations

from dataclasses import dataclass
from operator import mul
from typing import TypeAlias, cast

from cribev.errors import CribevError, unknown
from cribev.game.outcomes import Chance, Goal, Outcomes
from cribev.game.score import NEAR_END, SKUNK_LINES, WINNING_SCORE, Score
from cribev.game.words import WINS

_WORTHS = {
    "win": Outcomes[float](1, 1, 1, 0, 0, 0),
    "acc": Outcomes[float](3, 3, 2, 0, 0, 0),
    "games": Outcomes[float](3, 2, 1, -1, -2, -3),
}
"""Each way a game may end: `acc` are the game points of the American Cribbage Congress."""


@dataclass(frozen=True)
class Stakes:
    """The stakes of a game, by name, in any case: the worth of each way it may end.

    >>> ends = Outcomes(0.0, 0.125, 0.375, 0.25, 0.25, 0.0)
    >>> Stakes("ACC").value(ends), Stakes("games").value(ends)  # less the opponent's
    (1.125, -0.125)
    >>> Stakes("5")
    Traceback (most recent call last):
    cribev.errors.CribevError: unknown stakes '5': expected win, acc or games
    """

    name: str = "win"

    def __post_init__(self) -> None:
        text = str(self.name)
        object.__setattr__(self, "name", text.strip().lower())
        if self.name not in _WORTHS:
            raise CribevError(unknown("stakes", text, _WORTHS))

    @classmethod
    def read(cls, stakes: StakesLike | None) -> Stakes:
        """Take stakes, or their name; to win if None."""
        if stakes is None:
            return WIN_STAKES
        return stakes if isinstance(stakes, Stakes) else cls(stakes)

    @property
    def worth(self) -> Outcomes[float]:
        """The worth of each way a game may end."""
        return _WORTHS[self.name]

    def value(self, outcomes: Outcomes[Chance]) -> Chance:
        """Turn outcomes into what they are worth on average."""
        return cast(Chance, sum(map(mul, self.worth, outcomes)))

    @property
    def goal(self) -> Goal | None:
        """The function from outcomes to their worth; None where wins say all."""
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
        worth = self.worth
        won = {"win": worth.won, "skunk": worth.won_by_one, "double_skunk": worth.won_by_two}
        return {"name": self.name, **won, "less_opponents": self.less_opponents}

    @property
    def unit(self) -> str:
        """The unit that is won, in a word or two."""
        return {"win": WINS, "acc": "game points", "games": "games"}[self.name]

    @property
    def aim(self) -> str:
        """The measure that compares choices: chances to win, or their worth."""
        return "chances to win" if self == WIN_STAKES else self.unit

    @property
    def swing(self) -> float:
        """The worth of a win beyond that of a loss, if nobody is skunked."""
        return self.worth.won - self.worth.lost

    @property
    def near_end(self) -> int:
        """Near the end of a game, a choice is judged by how the game may end.

        `NEAR_END` points from the end; where skunks count, from the line that saves from one.
        """
        return NEAR_END if self == WIN_STAKES else NEAR_END + WINNING_SCORE - SKUNK_LINES[0]

    def decide(self, score: Score | None) -> bool:
        """Return whether choices are judged by how the game may end, at a score before the deal."""
        return score is not None and score.is_near(self.near_end)

    @property
    def text(self) -> str:
        """Say what each way to win is worth."""
        worth = self.worth
        worths = [f"{worth.won:g} for a win", f"{worth.won_by_one:g} for a skunk"]
        if self.counts_doubles:
            worths.append(f"{worth.won_by_two:g} for a double skunk")
        if self.less_opponents:
            worths.append("less the opponent's")
        return f"{self.name}: {', '.join(worths)}"

    def columns(self, outcomes: Outcomes[Chance] | None) -> dict[str, Chance]:
        """Name outcomes and what they are worth, as tables and JSON do; nothing if None."""
        if outcomes is None:
            return {}
        return {**outcomes.to_dict(), "value": self.value(outcomes)}


StakesLike: TypeAlias = str | Stakes
"""Stakes, or their name."""

WIN_STAKES = Stakes()
"""The stakes of a game unless somebody says otherwise: to win it."""
