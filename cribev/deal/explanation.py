"""Why a discard is worth what it is: what is sure, what helps, what it comes to."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.deal.play_explanation import PlayExplanation
from cribev.deal.score_effect import OutcomeProbabilities, wins_text
from cribev.game import render
from cribev.game.cards import RANKS, as_cards
from cribev.game.roles import Role
from cribev.game.show import Show

_BARS = 30  # columns for bars
_HELPFUL = 6  # rows of starters
_SHOWN = 0.0005  # chances below it round to 0.0 % and are left out at both ends of the picture


class Alternative(NamedTuple):
    """Another discard, and by how much a discard is ahead of it, in points."""

    discard: str
    is_best: bool
    hand: float
    crib: float
    play: float | None
    """None where the play does not count."""
    expected: float
    win: float | None = None
    """How much more often the game is won, if there is a score."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def optional_difference(one: float | None, another: float | None) -> float | None:
    """Take one from another, where there are such.

    >>> optional_difference(0.5, 0.25), optional_difference(None, None)
    (0.25, None)
    """
    return None if one is None or another is None else one - another


def difference_text(hand: float, crib: float, role: Role, play: float | None = None) -> str:
    """Say how much more one discard has than another in hand, crib and play, in points.

    >>> difference_text(0.3, -0.271, "pone")
    "0.30 more in hand, 0.27 less in the opponent's crib"
    >>> difference_text(0.3, 0, "dealer", 0.733)
    '0.30 more in hand, 0.73 more in the play'
    """
    whose = "your crib" if role == "dealer" else "the opponent's crib"
    parts = [(hand, "hand"), (crib, whose)]
    if play is not None:
        parts.append((play, "the play"))
    said = [
        f"{abs(gain):.2f} {'more' if gain > 0 else 'less'} in {place}"
        for gain, place in parts
        if round(gain, 2)
    ]
    same = "hand and crib" if play is None else "hand, crib and play"
    return ", ".join(said) or f"the same in {same}"


def better_text(gain: float) -> str:
    """Say how much better or worse something is, in points.

    >>> better_text(-0.423), better_text(0.001)
    ('0.42 worse', '0.00 better')
    """
    return f"{abs(gain):.2f} {'worse' if gain < 0 else 'better'}"


def distribution_to_dict(chances: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Return chances as plain values: for each column those that are not 0, by points."""
    return {
        str(part): {str(points): chance for points, chance in of_part.items() if chance}
        for part, of_part in chances.items()
    }


def grouped_starters(starters: pd.DataFrame, parts: list[str]) -> Iterator[tuple[Any, ...]]:
    """List the starters that help most, those of a rank in one row where they come to the same.

    Parameters
    ----------
    starters
        Columns ``starter``, ``gain`` and the parts.
    parts
        Columns that are the same, to two decimals, for starters in one row.

    Yields
    ------
    Cards, uint8, ascending; the parts; the mean gain. At most six, all with a gain.
    """
    alike: dict[tuple[Any, ...], list[tuple[str, float]]] = {}
    values = [starters[part].round(2).tolist() for part in parts]
    for card, gain, *made in zip(starters["starter"], starters["gain"], *values, strict=True):
        alike.setdefault((RANKS.index(card[0]), *made), []).append((card, gain))
    found = [
        (as_cards([card for card, _ in group]), *made, fmean(gain for _, gain in group))
        for (_, *made), group in sorted(alike.items())
    ]
    helpful = sorted((row for row in found if row[-1] > 0), key=lambda row: -row[-1])
    for cards, *rest in helpful[:_HELPFUL]:
        yield np.sort(cards), *rest


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(render.Displayable):
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
        What it is compared with: the best discard, or for the best the next that is not its equal,
        unless another was asked for; None where all are equal.
    starters
        What each starter makes of it, as `cribev.deal.advice.Advice.by_starter`.
    distribution
        How likely each number of points is, as `cribev.deal.advice.Advice.distribution`.
    rival_distribution
        The same of the rival, where it was asked for.
    note
        What to know of starters and distribution, if anything.
    play
        What the play does, if it counts.
    ends
        How the game may end, if there is a score.
    """

    discard: str
    role: Role
    locked_in: Show
    hand_min: int
    rival: Alternative | None
    starters: pd.DataFrame
    distribution: pd.DataFrame
    rival_distribution: pd.DataFrame | None = None
    note: str = ""
    play: PlayExplanation | None = None
    ends: OutcomeProbabilities | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, ready for JSON.

        Examples
        --------
        >>> from cribev import advise
        >>> why = advise("5H 5D JS QC 2H 8D", role="dealer").explain().to_dict()
        >>> why["locked_in"]["points"], round(why["distribution"]["hand"]["21"], 2)
        (10, 0.02)
        """
        return {
            "discard": self.discard.split(),
            "hand_min": self.hand_min,
            "rival": self.rival and self.rival.to_dict(),
            **({} if self.play is None else {"play": self.play.to_dict()}),
            **({} if self.ends is None else {"ends": self.ends._asdict()}),
            "note": self.note,
            "locked_in": self.locked_in.to_dict(),
            "starters": self.starters.to_dict(orient="records"),
            "distribution": distribution_to_dict(self.distribution),
            "rival_distribution": None
            if self.rival_distribution is None
            else distribution_to_dict(self.rival_distribution),
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text()
        yield Text.assemble(
            ("Locked in ", "bold"),
            render.styled_cards(console, self.locked_in.hand),
            f" = {self.locked_in.total}: {self.locked_in.spoken}",
        )
        yield Text(f"at least {self.hand_min} in hand whatever is cut")
        yield self._against_the_rival(console)
        if self.ends is not None:
            yield self.ends.text()
        if self.play is not None:
            yield self.play
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
            alike = "comes to the same" if self.ends is None else "wins as often"
            return Text(f"every discard {alike}")
        return Text.assemble(
            ("Against the best, " if self.rival.is_best else "Rather than ", "bold"),
            render.styled_cards(console, as_cards(self.rival.discard)),
            f": {difference_text(self.rival.hand, self.rival.crib, self.role, self.rival.play)}, ",
            better_text(self.rival.expected),
            "" if self.rival.win is None else f"; {wins_text(self.rival.win)}",
        )

    def _helpful_starters(self, console: Console) -> Table:
        listed = render.table(
            console, ("starter", "left"), ("hand", "right"), ("crib", "right"), ("gain", "right")
        )
        for cards, hand, crib, gain in grouped_starters(self.starters, ["hand", "crib_mean"]):
            listed.add_row(
                render.styled_cards(console, cards), str(hand), f"{crib:.2f}", f"{gain:+.2f}"
            )
        return listed

    def _picture(self, console: Console) -> Table:
        chances = {self.discard: self.distribution["total"]}
        if self.rival is not None and self.rival_distribution is not None:
            chances[self.rival.discard] = self.rival_distribution["total"]
        shown = pd.DataFrame(chances).fillna(0)
        likely = np.flatnonzero((shown >= _SHOWN).any(axis=1))
        at_least = shown[::-1].cumsum()[::-1]
        columns: list[tuple[str, JustifyMethod]] = [("points", "right")]
        for discard in shown:
            heading = str(discard) if len(chances) > 1 else ""
            columns += [("chance", "right"), ("at least", "right"), (heading, "left")]
        listed = render.table(console, *columns)
        for at in range(likely[0], likely[-1] + 1):
            row = [Text(str(shown.index[at]))]
            for discard in shown:
                chance = shown[discard].iloc[at]
                part = chance / shown.to_numpy().max()
                row += [
                    Text(f"{chance:.1%}"),
                    Text(f"{at_least[discard].iloc[at]:.1%}"),
                    render.bar(console, part, width=_BARS // len(chances)),
                ]
            listed.add_row(*row)
        return listed
