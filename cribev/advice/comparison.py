"""Two discards of one deal side by side: what each brings, and which starters are for which."""

from dataclasses import dataclass
from typing import Any

import pandas as pd
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.advice.choices import Alternative, Choice
from cribev.advice.reasons import distribution_to_dict, grouped_starters, styled_discard
from cribev.game import render
from cribev.game.roles import Role


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(render.Displayable):
    """A discard beside another of the same deal.

    Attributes
    ----------
    role
        Whose discards they are.
    choice, other
        What each is worth: rows of the advice's table.
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

    @property
    def starters_ahead(self) -> int | None:
        """After how many starters the discard is ahead; None if it is after all or none."""
        ahead = int((self.starters["gain"] > 0).sum())
        return ahead if 0 < ahead < len(self.starters) else None

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
        rival = Alternative.of(self.other, self.choice)
        yield Text()
        yield Text.assemble(
            styled_discard(console, self.choice.discard),
            f" is {rival.better} than ",
            styled_discard(console, self.other.discard),
            ", the best discard" if rival.is_best else "",
        )
        yield Text(rival.parts(self.role) + (f"; {rival.wins}" if rival.wins else ""))
        if self.starters_ahead is not None:
            most, gain = next(grouped_starters(self.starters.query("gain > 0")))
            yield Text.assemble(
                f"ahead after {self.starters_ahead} of the 46 starters, most after ",
                render.styled_cards(console, most),
                f" ({gain:+.2f})",
            )
