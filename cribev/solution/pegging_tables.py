"""Tables derived from the solved play: what keeps peg, how pone leads, what the dealer answers.

Without a solution they are of the shipped one; one for the show alone is refused with TableError.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.classes.canonical import Floats
from cribev.errors import CardError, TableError, quote
from cribev.game import render
from cribev.game.cards import RANKS
from cribev.game.play import parse_ranks
from cribev.game.play_notation import RanksLike
from cribev.game.roles import Role, as_role
from cribev.solution.keeps import GameSize
from cribev.solution.play import POINT_BINS, PeggingStatistics, SolvedPlay
from cribev.solution.solution import Solution, load

_ROWS_SHOWN = 8  # keeps at each end of the list
_MIN_SHARE = 1e-4  # of all deals: keeps seen less often are not shown there


def play_of(solution: Solution | None = None) -> SolvedPlay:
    """Return the play of a solution.

    >>> play_of().exploitability < 0.01
    True
    """
    play = (solution or load(play=True)).play
    if play is None:
        raise TableError("the solution is for the show alone: the play is not in it")
    return play


def keep_names() -> list[str]:
    """Name the 1,820 multisets of ranks that can be kept, in their order.

    >>> keep_names()[:3], len(keep_names())
    (['AAAA', 'AAA2', 'AAA3'], 1820)
    """
    return list(_keep_names())


@cache
def _keep_names() -> tuple[str, ...]:
    return tuple("".join(RANKS[rank] for rank in row) for row in GameSize().holdings(4).tolist())


def play_by_keep(role: Role, *, solution: Solution | None = None) -> pd.DataFrame:
    """Tabulate what each keep of a role pegs when two experts play.

    There are 1,820 rows: ``keep, role``; ``share``, of all deals; ``play_own`` and
    ``play_opponent``, points on average, ``play_mean`` the first less the second, and ``play_sd``
    its standard deviation.

    >>> table = play_by_keep("pone").set_index("keep")
    >>> bool(table["play_mean"]["A234"] > table["play_mean"]["TJQK"])
    True
    """
    keeps = play_of(solution).statistics[role]
    return pd.DataFrame(
        {
            "keep": keep_names(),
            "role": role,
            "share": keeps.share,
            "play_own": keeps.own,
            "play_opponent": keeps.opponent,
            "play_mean": keeps.own - keeps.opponent,
            "play_sd": _deviation(keeps.joint_pmf),
        }
    )


def play_of_keep(keep: RanksLike, *, role: Role, solution: Solution | None = None) -> pd.DataFrame:
    """Return the row of `play_by_keep` for one keep; raise CardError if it is not four cards.

    >>> play_of_keep("9 5 2 5", role="dealer")["keep"].item()
    '2559'
    """
    table = play_by_keep(role, solution=solution)
    return table[table["keep"] == _keep_name(keep)]


def first_cards(*, answer: bool = False, solution: Solution | None = None) -> pd.DataFrame:
    """Tabulate how pone leads from each keep, or with ``answer`` what the dealer answers.

    These are averages over all deals with the keep, whatever was thrown with it.

    There is a row for each card that can be laid: ``keep, lead``, of answers also ``answer``;
    ``share``, how often an expert lays it; ``play_mean``, the player's net points in the whole play
    if all that follows is best. Leads that a keep never meets are left out.

    >>> leads = first_cards().query("keep == '4566'")
    >>> leads.loc[leads["share"].idxmax(), "lead"]
    '6'
    """
    return _laid_first(play_of(solution).statistics["dealer" if answer else "pone"], slice(None))


def _laid_first(keeps: PeggingStatistics, rows: slice) -> pd.DataFrame:
    """Tabulate the first cards of some keeps: a lead, or a lead and its answer."""
    worth, share = keeps.first_card_value[rows], keeps.first_card[rows]
    held = np.nonzero(np.isfinite(worth))
    names, ranks = np.array(_keep_names()[rows]), np.array(list(RANKS))
    columns: dict[str, Any] = {"keep": names[held[0]]}
    for name, laid in zip(("lead", "answer"), held[1:], strict=False):
        columns[name] = ranks[laid]
    return pd.DataFrame(columns | {"share": share[held], "play_mean": worth[held]})


@dataclass(frozen=True, eq=False, repr=False)
class PlayValues(render.Displayable):
    """What one keep pegs between two experts, whatever was thrown with it.

    Attributes
    ----------
    keep
        Its ranks, ``5TJQ``.
    role
        Who keeps it.
    share
        How often it is kept, of all deals.
    play_own, play_opponent
        Points each pegs on average.
    play_sd
        Standard deviation of the first less the second.
    chances
        How often the player pegs so many points (rows) and the opponent so many (columns).
    first
        Pone's leads or dealer's answers, as `first_cards`.
    """

    keep: str
    role: Role
    share: float
    play_own: float
    play_opponent: float
    play_sd: float
    chances: pd.DataFrame
    first: pd.DataFrame

    @property
    def play_mean(self) -> float:
        """The player's points less the opponent's, on average."""
        return self.play_own - self.play_opponent

    def __repr__(self) -> str:
        return f"play_values({self.keep!r}, role={self.role!r})"

    def to_dict(self) -> dict[str, Any]:
        """Return the values as plain numbers, ready for JSON.

        >>> list(play_values("5TJQ", role="pone").to_dict())[:5]
        ['keep', 'role', 'share', 'play_own', 'play_opponent']
        """
        return {
            "keep": self.keep,
            "role": self.role,
            "share": self.share,
            "play_own": self.play_own,
            "play_opponent": self.play_opponent,
            "play_mean": self.play_mean,
            "play_sd": self.play_sd,
            "chances": [
                {"own": own, "opponent": opponent, "chance": chance}
                for own, row in zip(
                    self.chances.index, self.chances.to_numpy().tolist(), strict=True
                )
                for opponent, chance in enumerate(row)
                if chance
            ],
            "first": self.first.to_dict(orient="records"),
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(
            f"{self.keep} as {self.role}: pegs {self.play_own:.2f}, the opponent "
            f"{self.play_opponent:.2f}: {self.play_mean:+.2f} on average, standard deviation "
            f"{self.play_sd:.2f}",
            style="bold",
        )
        yield Text(f"kept in {self.share:.2%} of all deals")
        cards = [name for name in ("lead", "answer") if name in self.first]
        listed = render.table(
            console, *((name, "left") for name in cards), ("share", "right"), ("play_mean", "right")
        )
        for row in self.first.itertuples(index=False):
            shown = [getattr(row, name) for name in cards]
            listed.add_row(*shown, f"{row.share:.0%}", f"{row.play_mean:+.2f}")
        yield listed


def play_values(keep: RanksLike, *, role: str, solution: Solution | None = None) -> PlayValues:
    """Return what four kept cards peg between two experts.

    Parameters
    ----------
    keep
        Four cards, as text or ranks 0..12; suits do not matter.
    role
        ``"dealer"`` or ``"pone"``.
    solution
        The solved game; the shipped one if none is given.

    Raises
    ------
    CardError
        If they are not four cards.
    CribevError
        If the role is neither.
    TableError
        If the solution is for the show alone.

    Examples
    --------
    >>> values = play_values("A 2 3 4", role="dealer")
    >>> values, 3.5 < values.play_own < 4.5
    (play_values('A234', role='dealer'), True)
    """
    whose, name = as_role(role), _keep_name(keep)
    at = _keep_names().index(name)
    keeps = play_of(solution).statistics[whose]
    return PlayValues(
        keep=name,
        role=whose,
        share=float(keeps.share[at]),
        play_own=float(keeps.own[at]),
        play_opponent=float(keeps.opponent[at]),
        play_sd=float(_deviation(keeps.joint_pmf[at : at + 1])[0]),
        chances=pd.DataFrame(keeps.joint_pmf[at]).rename_axis(index="own", columns="opponent"),
        first=_laid_first(keeps, slice(at, at + 1)),
    )


def _keep_name(keep: RanksLike) -> str:
    ranks = sorted(parse_ranks(keep))
    if len(ranks) != 4:
        shown = quote(keep if isinstance(keep, str) else repr(keep))
        raise CardError(f"expected 4 cards, got {len(ranks) or 'none'} in {shown}")
    return "".join(RANKS[rank] for rank in ranks)


@dataclass(frozen=True, eq=False)
class KeepRows(render.Displayable):
    """What a keep pegs as dealer and as pone, or as one of them."""

    frame: pd.DataFrame

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(f"points pegged with {self.frame['keep'].iloc[0]}", style="bold")
        listed = render.table(
            console, ("role", "left"), ("kept", "right"), ("own", "right"),
            ("opponent", "right"), ("net", "right"), ("sd", "right"),
        )  # fmt: skip
        for row in self.frame.itertuples(index=False):
            listed.add_row(
                str(row.role), f"{row.share:.2%}", f"{row.play_own:.2f}",
                f"{row.play_opponent:.2f}", f"{row.play_mean:+.2f}", f"{row.play_sd:.2f}",
            )  # fmt: skip
        yield listed


@dataclass(frozen=True, eq=False)
class KeepList(render.Displayable):
    """The keeps of a role that peg most and least, of those that are kept now and then."""

    frame: pd.DataFrame

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        role = str(self.frame["role"].iloc[0])
        share = self.frame["share"]
        means = (self.frame[["play_own", "play_opponent"]].mul(share, axis=0)).sum()
        yield Text(
            f"points pegged as {role}: own {means['play_own']:.2f}, opponent's "
            f"{means['play_opponent']:.2f} on average",
            style="bold",
        )
        common = self.frame[share > _MIN_SHARE].sort_values("play_mean", ascending=False)
        listed = render.table(
            console, ("keep", "left"), ("kept", "right"),
            ("own", "right"), ("opponent", "right"), ("net", "right"),
        )  # fmt: skip
        for at, rows in enumerate((common.head(_ROWS_SHOWN), common.tail(_ROWS_SHOWN))):
            if at:
                listed.add_row("…")
            for row in rows.itertuples(index=False):
                listed.add_row(
                    str(row.keep), f"{row.share:.2%}", f"{row.play_own:.2f}",
                    f"{row.play_opponent:.2f}", f"{row.play_mean:+.2f}",
                )  # fmt: skip
        yield listed


@dataclass(frozen=True, eq=False)
class LeadList(render.Displayable):
    """How often each rank is led; or what is answered to each lead."""

    solution: Solution | None = None
    answer: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.answer:
            yield from self._answers(console)
            return
        keeps = play_of(self.solution).statistics["pone"]
        led = keeps.share @ keeps.first_card
        holds = keeps.share @ np.isfinite(keeps.first_card_value)
        yield Text("how often pone leads each rank, on average over all deals", style="bold")
        listed = render.table(
            console, ("lead", "left"), ("of all deals", "right"), ("if held", "right"), ("", "left")
        )
        for rank in range(13):
            bar = render.bar(console, led[rank] / led.max(), width=30)
            held = f"{led[rank] / holds[rank]:.0%}"
            listed.add_row(RANKS[rank], f"{led[rank]:.1%}", held, bar)
        yield listed

    def _answers(self, console: Console) -> RenderResult:
        keeps = play_of(self.solution).statistics["dealer"]
        yield Text(
            "how often the dealer answers with each rank, in % of all deals that hold it",
            style="bold",
        )
        listed = render.table(console, ("lead", "left"), *((rank, "right") for rank in RANKS))
        share = keeps.share[:, None, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            often: Floats = (share * keeps.first_card).sum(axis=0) / (
                share * np.isfinite(keeps.first_card_value)
            ).sum(axis=0)
        for rank in range(13):
            cells = ["" if np.isnan(cell) else f"{100 * cell:.0f}" for cell in often[rank]]
            listed.add_row(RANKS[rank], *cells)
        yield listed


def _deviation(chances: Floats) -> Floats:
    net = np.arange(POINT_BINS)[:, None] - np.arange(POINT_BINS)
    chances = chances.reshape(len(chances), -1)
    mean, square = chances @ net.ravel(), chances @ (net**2).ravel()
    deviation: Floats = np.sqrt(np.maximum(square - mean**2, 0))
    return deviation
