"""How often an expert plays each card: looked up in the solution, nothing is worked out."""

from dataclasses import dataclass

import pandas as pd
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.advice.position import LaidLike, PlayPosition, read_position
from cribev.game import render
from cribev.game.cards import RANKS, CardsLike, format_ranks
from cribev.solution.solution import shipped_strategy

_BAR = 30


@dataclass(frozen=True, eq=False, repr=False)
class ExpertShares(render.Displayable):
    """How often an expert plays each card of a position, knowing only the keep and what was laid.

    Attributes
    ----------
    position
        The cards kept, and those laid.
    table
        A row for each rank that can be laid, the lowest first: ``card`` and ``share``, which sum to
        one.
    """

    position: PlayPosition
    table: pd.DataFrame

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        position = self.position
        laid = " ".join("go" if rank is None else RANKS[rank] for rank in position.history)
        does = f"after {laid} an expert plays" if laid else "an expert leads"
        kept = f"{format_ranks(position.hand)} as {position.role}"
        yield Text(f"{kept}: {does}", style="bold")
        listed = render.table(console, ("card", "left"), ("share", "right"), ("", "left"))
        for card, share in zip(self.table["card"], self.table["share"], strict=True):
            listed.add_row(card, f"{share:.1%}", render.bar(console, share, width=_BAR))
        yield listed


def expert_shares(keep: CardsLike, *, role: str, laid: LaidLike = ()) -> ExpertShares:
    """Look up how often an expert plays each card.

    Parameters
    ----------
    keep
        The four cards kept, laid or not, as text or card numbers; suits may be left out.
    role
        ``"dealer"`` or ``"pone"``.
    laid
        The cards as they fell, in any notation that `cribev.peg` reads, goes included.

    Returns
    -------
    An `ExpertShares`.

    Raises
    ------
    CardError
        If these are not four cards, or no play.
    RecordError
        If cards are laid that cannot be, it is the opponent's turn, or no card fits.
    TableError
        If the strategy cannot be read.

    Examples
    --------
    >>> expert_shares("5 J Q K", role="dealer", laid="4 J")
    Traceback (most recent call last):
    cribev.errors.RecordError: it is your opponent's turn at a count of 14: expected the card laid
    next, or go
    """
    position = read_position(keep, role=role, laid=laid)
    position.check_can_lay()
    strategy = shipped_strategy()
    share = strategy.choices(strategy.node(position.history), position.left)
    cards = [RANKS[rank] for rank in position.legal]
    return ExpertShares(position, pd.DataFrame({"card": cards, "share": share[position.legal]}))
