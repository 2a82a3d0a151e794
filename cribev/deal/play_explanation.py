"""What the play does to a discard: points pegged, what to lead, what the show alone would say."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.choice import TIE_TOLERANCE, net_points, tied_best
from cribev.errors import CribevError
from cribev.game import render
from cribev.game.cards import as_cards, parse_suitless
from cribev.game.roles import Role
from cribev.solved.pegging_tables import play_values


class ShowBest(NamedTuple):
    """What would be best for hand and crib alone, and how far ahead of what is, in points."""

    discard: str
    ahead: float


class Averages(NamedTuple):
    """What a discard comes to on average, in points."""

    discard: str
    hand_mean: float
    crib_mean: float


@dataclass(frozen=True, eq=False, repr=False)
class PlayExplanation(render.Displayable):
    """What the play does to a discard.

    Attributes
    ----------
    own, opponent
        Points the player and the opponent peg on average.
    leads
        As pone, what an expert leads from the keep, as `lead_table`; None as dealer.
    at_the_show
        What would be best for hand and crib alone, if that is another discard than the best.
    """

    own: float
    opponent: float
    leads: pd.DataFrame | None
    at_the_show: ShowBest | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        found: dict[str, Any] = {"own": self.own, "opponent": self.opponent}
        if self.leads is not None:
            found["leads"] = self.leads.to_dict(orient="records")
        return found | {"at_the_show": self.at_the_show and self.at_the_show._asdict()}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.at_the_show is not None:
            yield Text.assemble(
                "for hand and crib alone the best would be ",
                discard_text(console, self.at_the_show.discard),
                f", by {self.at_the_show.ahead:.2f}",
            )
        yield Text.assemble(
            ("In the play ", "bold"),
            f"you peg {self.own:.2f} and the opponent {self.opponent:.2f}, if both are experts: "
            f"{self.own - self.opponent:+.2f}",
        )
        if self.leads is None:
            return
        yield Text()
        listed = render.table(console, ("lead", "left"), ("experts", "right"), ("play", "right"))
        for lead, share, worth in self.leads.itertuples(index=False):
            listed.add_row(lead, f"{share:.0%}", f"{worth:+.2f}")
        yield listed


def discard_text(console: Console, discard: str) -> Text:
    """Write a discard, with or without suits.

    >>> discard_text(Console(), "5 J").plain
    '5 J'
    """
    if parse_suitless(discard, count=2) is not None:
        return Text(discard)
    return render.styled_cards(console, as_cards(discard))


def lead_table(ranks: Sequence[int], role: Role) -> pd.DataFrame:
    """Tabulate what an expert pone leads from a keep, the best first.

    Parameters
    ----------
    ranks
        The four ranks kept, 0..12.
    role
        Whose keep it is.

    Returns
    -------
    A row for each rank: ``lead``; ``share``, how often an expert leads it; ``play_mean``, his
    points in the play less the opponent's after it, over all hands that keep these ranks.

    Raises
    ------
    CribevError
        As dealer, who does not lead.

    Examples
    --------
    >>> lead_table([3, 4, 5, 5], "pone")["lead"].tolist()[0]
    '6'
    """
    if role != "pone":
        raise CribevError("the dealer does not lead: expected an advice for pone")
    leads = play_values(ranks, role=role).first[["lead", "share", "play_mean"]]
    return leads.sort_values("play_mean", ascending=False, kind="stable", ignore_index=True)


def show_best(discards: Sequence[Averages], role: Role) -> ShowBest | None:
    """Say what would be best for hand and crib alone, if that is not the first of the discards.

    >>> show_best([Averages("2 8", 9, 3), Averages("5 J", 9, 4)], "dealer")
    ShowBest(discard='5 J', ahead=1.0)
    """
    values = np.array([net_points(one.hand_mean, one.crib_mean, role) for one in discards])
    ahead = float(values.max() - values[0])
    if ahead <= TIE_TOLERANCE:
        return None
    return ShowBest(discards[int(tied_best(values).argmax())].discard, ahead)
