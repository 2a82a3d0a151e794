"""Why a discard is worth what it is: what is sure, what helps, what it comes to."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.game import render
from cribev.game.cards import RANKS, as_cards
from cribev.game.roles import Role
from cribev.game.show import Show

_SHOWN = 0.0005  # chances below it round to 0.0 % and are left out at both ends of the picture


class Rival(NamedTuple):
    """Another discard, and by how much a discard is ahead of it, in points."""

    discard: str
    is_best: bool
    hand: float
    crib: float
    expected: float


def difference(hand: float, crib: float, role: Role) -> str:
    """Say how much more one discard has than another in hand and crib, in points.

    >>> difference(0.3, -0.271, "pone")
    "0.30 more in hand, 0.27 less in the opponent's crib"
    """
    whose = "your crib" if role == "dealer" else "the opponent's crib"
    said = [
        f"{abs(gain):.2f} {'more' if gain > 0 else 'less'} in {place}"
        for gain, place in ((round(hand, 2), "hand"), (round(crib, 2), whose))
        if gain
    ]
    return ", ".join(said) or "the same in hand and crib"


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(render.Look):
    """Why a discard is worth what it is.

    Attributes
    ----------
    discard
        The two cards.
    role
        Whose discard it is.
    locked_in
        What the keep scores before the cut.
    hand_min
        The fewest points of the hand, whatever is cut.
    rival
        The best discard, or for the best the next that is not its equal; None where all are equal.
    starters
        What each starter makes of it, as `cribev.deal.advice.Advice.by_starter`.
    distribution
        How likely each number of points is, as `cribev.deal.advice.Advice.distribution`.
    note
        What to know of starters and distribution, if anything.
    """

    discard: str
    role: Role
    locked_in: Show
    hand_min: int
    rival: Rival | None
    starters: pd.DataFrame
    distribution: pd.DataFrame
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, ready for JSON.

        Examples
        --------
        >>> from cribev import advise
        >>> why = advise("5H 5D JS QC 2H 8D", role="dealer").explain().to_dict()
        >>> list(why), why["locked_in"]["points"]
        (['discard', 'hand_min', 'rival', 'note', 'locked_in', 'starters', 'distribution'], 10)
        """
        return {
            "discard": self.discard.split(),
            "hand_min": self.hand_min,
            "rival": self.rival and self.rival._asdict(),
            "note": self.note,
            "locked_in": self.locked_in.to_dict(),
            "starters": self.starters.to_dict(orient="records"),
            "distribution": {
                part: {str(points): chance for points, chance in chances.items() if chance}
                for part, chances in self.distribution.items()
            },
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text()
        yield Text.assemble(
            ("Locked in ", "bold"),
            render.cards(console, self.locked_in.hand),
            f" = {self.locked_in.total}: {self.locked_in.spoken}",
        )
        yield Text(f"at least {self.hand_min} in hand whatever is cut")
        yield self._against_the_rival(console)
        yield Text()
        if self.note:
            yield Text(self.note, style="dim")
        yield Text("Starters that help most", style="bold")
        yield self._helpful_starters(console)
        yield Text()
        yield Text(f"Hand {'plus' if self.role == 'dealer' else 'minus'} crib", style="bold")
        yield self._picture(console)

    def _against_the_rival(self, console: Console) -> Text:
        if self.rival is None:
            return Text("every discard comes to the same")
        return Text.assemble(
            ("Against the best, " if self.rival.is_best else "Rather than ", "bold"),
            render.cards(console, as_cards(self.rival.discard)),
            f": {difference(self.rival.hand, self.rival.crib, self.role)}, "
            f"{abs(self.rival.expected):.2f} {'better' if self.rival.expected > 0 else 'worse'}",
        )

    def _helpful_starters(self, console: Console) -> Table:
        # Suits that come to the same stand in one row.
        alike = self.starters.assign(
            rank=self.starters["starter"].str[0].map(RANKS.index),
            crib=self.starters["crib_mean"].round(2),
        )
        groups = (
            alike.groupby(["rank", "hand", "crib"], as_index=False)
            .agg(cards=("starter", " ".join), gain=("gain", "mean"))
            .query("gain > 0")
            .sort_values("gain", ascending=False, kind="stable")
            .head(6)
        )
        listed = render.table(
            console, ("starter", "left"), ("hand", "right"), ("crib", "right"), ("gain", "right")
        )
        for cards, hand, crib, gain in groups[["cards", "hand", "crib", "gain"]].to_numpy():
            held = render.cards(console, np.sort(as_cards(cards)))
            listed.add_row(held, str(hand), f"{crib:.2f}", f"{gain:+.2f}")
        return listed

    def _picture(self, console: Console) -> Table:
        chances = self.distribution["total"]
        chance, points = chances.to_numpy(), chances.index.to_numpy()
        at_least = chance[::-1].cumsum()[::-1]
        listed = render.table(
            console, ("points", "right"), ("chance", "right"), ("at least", "right"), ("", "left")
        )
        likely = np.flatnonzero(chance >= _SHOWN)
        for at in range(likely[0], likely[-1] + 1):
            listed.add_row(
                str(points[at]),
                f"{chance[at]:.1%}",
                f"{at_least[at]:.1%}",
                render.bar(console, chance[at] / chance.max(), width=30),
            )
        return listed
