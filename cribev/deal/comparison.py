"""Two discards of one deal side by side: what each brings, and which starters are for which."""

from dataclasses import dataclass
from typing import Any

import pandas as pd
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.deal.explanation import (
    better_text,
    difference_text,
    distribution_to_dict,
    grouped_starters,
    optional_difference,
)
from cribev.deal.outcomes import Choice
from cribev.deal.score_effect import wins_text
from cribev.game import render
from cribev.game.cards import as_cards
from cribev.game.roles import Role


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(render.Displayable):
    """A discard beside another of the same deal.

    Attributes
    ----------
    role
        Whose discards they are.
    choice, other
        What each comes to.
    starters
        What each of the 46 starters makes of them: ``starter``; ``hand``, ``crib_mean`` and
        ``expected`` of the discard, ``other_hand``, ``other_crib_mean`` and ``other_expected`` of
        the other; and ``gain``, by how much the discard is ahead, the greatest first. In points.
    distribution
        How likely each total is: columns ``total`` and ``other_total``, index ``points``.
    """

    role: Role
    choice: Choice
    other: Choice
    starters: pd.DataFrame
    distribution: pd.DataFrame

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, ready for JSON.

        Examples
        --------
        >>> from cribev import advise
        >>> found = advise("5H 5D JS QC 2H 8D", role="dealer").compare("JS QC").to_dict()
        >>> list(found), found["other"]["discard"]
        (['choice', 'other', 'starters', 'distribution'], ['2H', '8D'])
        """
        return {
            "choice": self.choice.to_dict(),
            "other": self.other.to_dict(),
            "starters": self.starters.to_dict(orient="records"),
            "distribution": distribution_to_dict(self.distribution),
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        hand = self.choice.hand_mean - self.other.hand_mean
        crib = self.choice.crib_mean - self.other.crib_mean
        play = optional_difference(self.choice.play_mean, self.other.play_mean)
        expected = self.choice.expected - self.other.expected
        wins = optional_difference(self.choice.win, self.other.win)
        gain = self.starters["gain"]
        yield Text()
        yield Text.assemble(
            render.styled_cards(console, as_cards(self.choice.discard)),
            f" is {better_text(expected)} than ",
            render.styled_cards(console, as_cards(self.other.discard)),
            ", the best discard" if self.other.rank == 1 else "",
        )
        yield Text(difference_text(hand, crib, self.role, play))
        if wins is not None:
            yield Text(wins_text(wins))
        yield Text(f"ahead after {(gain > 0).sum()} of the {len(gain)} starters")
        if (gain > 0).any():
            yield self._starters_for_it(console)

    def _starters_for_it(self, console: Console) -> Table:
        parts = ["hand", "crib_mean", "other_hand", "other_crib_mean"]
        headings = [
            render.ruled_heading(
                console, render.styled_cards(console, as_cards(discard)).plain, width=11
            )
            + "\nhand   crib"
            for discard in (self.choice.discard, self.other.discard)
        ]
        listed = render.table(
            console, ("starter", "left"), *((heading, "right") for heading in headings),
            ("ahead", "right"),
        )  # fmt: skip
        for cards, hand, crib, other_hand, other_crib, gain in grouped_starters(
            self.starters, parts
        ):
            listed.add_row(
                render.styled_cards(console, cards),
                f"{hand:4}  {crib:5.2f}",
                f"{other_hand:4}  {other_crib:5.2f}",
                f"{gain:+.2f}",
            )
        return listed
