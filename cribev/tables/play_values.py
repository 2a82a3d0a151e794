"""The points that keeps peg, and the leads, between two experts or against a fallible opponent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console, ConsoleOptions, RenderResult

from cribev.advice.names import OpponentLike, as_opponent
from cribev.classes.canonical import Floats
from cribev.errors import TableError
from cribev.game import render
from cribev.game.cards import RANKS, RanksLike, keep_ranks
from cribev.game.roles import Role, as_role, role_words
from cribev.game.words import at_least_text, printable
from cribev.solution.solution import Solution, load
from cribev.solution.solved_play import POINT_BINS, PeggingStatistics, SolvedPlay
from cribev.solution.strategy import GameSize
from cribev.tables.listing import Listing

_FEW_POINTS = 5  # rows of the table of how likely somebody pegs that many points or more

_ROWS_SHOWN = 8  # keeps at each end of the list

_MIN_SHARE = 1e-4  # of all deals: keeps seen less often are not shown there


def play_of(solution: Solution | None = None) -> SolvedPlay:
    """Return the play of a solution."""
    play = (solution or load(play=True)).play
    if play is None:
        raise TableError("the solution is for the show alone: the play is not in it")
    return play


@cache
def keep_names() -> tuple[str, ...]:
    """Name the 1,820 multisets of ranks that can be kept, in their order."""
    return tuple("".join(RANKS[rank] for rank in row) for row in GameSize().holdings(4).tolist())


def _keeps_against(opponent: OpponentLike, role: Role) -> PeggingStatistics:
    """Return what keeps of a role peg against an opponent."""
    return play_of(as_opponent(opponent).play.game()).statistics[role]


def play_by_keep(role: Role, *, opponent: OpponentLike = "expert") -> pd.DataFrame:
    """Tabulate what each keep of a role pegs, 1,820 rows with how often an expert keeps it."""
    keeps = _keeps_against(opponent, role)
    return pd.DataFrame(
        {
            "keep": list(keep_names()),
            "role": role,
            "share": keeps.share,
            "play_own": keeps.own,
            "play_opponent": keeps.opponent,
            "play_mean": keeps.own - keeps.opponent,
            "play_sd": _deviation(keeps.joint_pmf),
        }
    )


def first_cards(*, answer: bool = False) -> pd.DataFrame:
    """Tabulate how pone leads from each keep, or with ``answer`` what the dealer answers.

    One row for each card that can be played, as averages over all deals with the keep: ``keep,
    lead``, for answers also ``answer``; ``share``, how often an expert plays it; ``play_mean``, the
    player's net points in the whole play, if the rest is best. Leads never met are left out.
    """
    return _played_first(play_of().statistics["dealer" if answer else "pone"], slice(None))


def _played_first(keeps: PeggingStatistics, rows: slice) -> pd.DataFrame:
    """Tabulate the first cards of some keeps: a lead, or a lead and its answer."""
    if not keeps.first_card.size:  # nothing is known of them against a fallible opponent
        return pd.DataFrame({"share": [], "play_mean": []})
    worth, share = keeps.first_card_value[rows], keeps.first_card[rows]
    held = np.nonzero(np.isfinite(worth))
    names, ranks = np.array(keep_names()[rows]), np.array(list(RANKS))
    columns: dict[str, Any] = {"keep": names[held[0]]}
    for name, played in zip(("lead", "answer"), held[1:], strict=False):
        columns[name] = ranks[played]
    return pd.DataFrame(columns | {"share": share[held], "play_mean": worth[held]})


@dataclass(frozen=True, eq=False, repr=False)
class PlayValues(render.Displayable):
    """The points that a keep pegs, between experts or against a fallible opponent."""

    keep: str  # its ranks, ``5TJQ``
    role: Role  # whose keep it is
    share: float  # of all deals, in which it is kept
    play_own: float  # points that the player pegs on average
    play_opponent: float  # and the opponent
    play_sd: float  # standard deviation of the first minus the second
    chances: pd.DataFrame
    """The joint distribution of points pegged by the player (rows) and the opponent (columns)."""
    first: pd.DataFrame
    """Pone's leads or dealer's answers, as `first_cards`; none against a fallible opponent."""
    opponent: str = "expert"  # or the name of one to whom you play the best response
    is_expert: bool = True  # whatever the names of others

    @property
    def play_mean(self) -> float:
        """The player's points minus the opponent's, on average."""
        return self.play_own - self.play_opponent

    @property
    def at_least(self) -> pd.DataFrame:
        """Chances that the player (``own``) and the ``opponent`` peg at least ``points``.

        There is one row for each number, from one point up to the most that one of them pegs.
        """
        both = self.chances.to_numpy()
        own, other = (both.sum(axis=axis)[::-1].cumsum()[::-1] for axis in (1, 0))
        points = np.arange(1, 1 + np.flatnonzero((own > 0) | (other > 0))[-1])
        return pd.DataFrame({"points": points, "own": own[points], "opponent": other[points]})

    def __repr__(self) -> str:
        more = "" if self.is_expert else f", opponent={self.opponent!r}"
        return f"play_values({self.keep!r}, role={self.role!r}{more})"

    def to_dict(self) -> dict[str, Any]:
        """Return the values as plain numbers, ready for JSON."""
        named = ("keep", "role", "opponent", "share", "play_own", "play_opponent", "play_mean")
        chances = [
            {"own": own, "opponent": opponent, "chance": chance}
            for own, row in enumerate(self.chances.to_numpy().tolist())
            for opponent, chance in enumerate(row)
            if chance
        ]
        return {
            **{name: getattr(self, name) for name in (*named, "play_sd")},
            "chances": chances,
            "at_least": self.at_least.to_dict(orient="records"),
            "first": self.first.to_dict(orient="records"),
        }

    @property
    def _at_least_notes(self) -> list[str]:
        """Say how likely each player pegs a few points or more."""
        pmfs = (self.chances.to_numpy().sum(axis=axis) for axis in (1, 0))
        players = role_words(self.role), "the opponent"
        return [
            f"{who} pegs at least {at_least_text(pmf.tolist())}"
            for who, pmf in zip(players, pmfs, strict=True)
        ]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        title = (
            f"{self.keep} as {self.role}{_against(self.opponent, self.is_expert)}: pegs "
            f"{self.play_own:.2f}, the opponent {self.play_opponent:.2f}: {self.play_mean:+.2f} on "
            f"average, standard deviation {self.play_sd:.2f}"
        )
        cards = [name for name in ("lead", "answer") if name in self.first]
        rows = [
            [*(getattr(row, name) for name in cards), f"{row.share:.0%}", f"{row.play_mean:+.2f}"]
            for row in self.first.itertuples(index=False)
        ]
        notes = [f"kept in {self.share:.2%} of all deals", *self._at_least_notes]
        columns = (*cards, "share", "play_mean")
        listing = Listing(title, columns, rows, self.first, notes, left=len(cards))
        yield from listing.__rich_console__(console, options)


def play_values(keep: RanksLike, *, role: str, opponent: OpponentLike = "expert") -> PlayValues:
    """Return what four kept cards peg between two experts, or against a fallible opponent.

    Parameters
    ----------
    keep
        Four cards, as text or ranks 0..12; suits do not matter.
    role
        ``"dealer"`` or ``"pone"``.
    opponent
        Your opponent, as for `cribev.advise`: an expert, and you play like one too; or one with
        habits, to whom you play the best response.

    Raises
    ------
    CardError
        If they are not four cards.
    CribevError
        If the role is invalid.
    TableError
        If the solution is for the show alone.

    Examples
    --------
    >>> values = play_values("A 2 3 4", role="dealer")
    >>> values, 3.5 < values.play_own < 4.5
    (play_values('A234', role='dealer'), True)
    """
    whose, name = as_role(role), "".join(RANKS[rank] for rank in keep_ranks(keep))
    index = keep_names().index(name)
    across = as_opponent(opponent)
    keeps = _keeps_against(across, whose)
    chances = pd.DataFrame(keeps.joint_pmf[index], dtype=float)
    return PlayValues(
        keep=name,
        role=whose,
        share=float(keeps.share[index]),
        play_own=float(keeps.own[index]),
        play_opponent=float(keeps.opponent[index]),
        play_sd=float(_deviation(keeps.joint_pmf[index : index + 1])[0]),
        chances=chances.rename_axis(index="own", columns="opponent"),
        first=_played_first(keeps, slice(index, index + 1)),
        opponent=across.name,
        is_expert=across.is_expert,
    )


def keep_listing(
    keep: RanksLike, *, pegs_first: Mapping[Role, float], opponent: OpponentLike = "expert"
) -> Listing:
    """List what a keep pegs, by the roles for which it is known how often it pegs first."""
    across = as_opponent(opponent)
    by_role = {role: play_values(keep, role=role, opponent=across) for role in pegs_first}
    name = next(iter(by_role.values())).keep
    pegged = pd.concat([play_by_keep(role, opponent=across) for role in by_role], ignore_index=True)
    table = pegged[pegged["keep"] == name].reset_index(drop=True)
    listed = table.itertuples(index=False)
    rows = [[str(row.role), *_pegged(row), f"{row.play_sd:.2f}"] for row in listed]
    notes = []
    for index, (role, values) in enumerate(by_role.items()):
        notes += [*values._at_least_notes, f"{role_words(role)} pegs first {pegs_first[role]:.0%}"]
        table.loc[index, "pegs_first"] = pegs_first[role]
        for points, own, other in values.at_least.head(_FEW_POINTS).itertuples(index=False):
            table.loc[index, [f"own_{points}", f"opponent_{points}"]] = own, other
    columns = ("role", "kept", "own", "opponent", "net", "sd")
    title = f"points pegged with {name}{_against(across.name, across.is_expert)}"
    return Listing(title, columns, rows, table, notes)


def _against(name: str, is_expert: bool) -> str:
    return "" if is_expert else f" against {printable(name)}"


def keeps_listing(role: Role, *, opponent: OpponentLike = "expert") -> Listing:
    """List the keeps of a role that peg most and least, among those that are kept at times."""
    across = as_opponent(opponent)
    table = play_by_keep(role, opponent=across)
    share = table["share"]
    means = (table[["play_own", "play_opponent"]].mul(share, axis=0)).sum()
    common = table[share > _MIN_SHARE].sort_values("play_mean", ascending=False)
    listed = [[str(row.keep), *_pegged(row)] for row in common.itertuples(index=False)]
    own, theirs = (means[f"play_{who}"] for who in ("own", "opponent"))
    title = f"points pegged as {role}{_against(across.name, across.is_expert)}: own {own:.2f}, "
    title += f"opponent's {theirs:.2f} on average"
    columns = ("keep", "kept", "own", "opponent", "net")
    rows = [*listed[:_ROWS_SHOWN], ["…"], *listed[-_ROWS_SHOWN:]]
    return Listing(title, columns, rows, table)


def _pegged(row: Any) -> list[str]:
    """Write a keep's row of `play_by_keep`."""
    return [
        f"{row.share:.2%}", f"{row.play_own:.2f}", f"{row.play_opponent:.2f}",
        f"{row.play_mean:+.2f}",
    ]  # fmt: skip


def _deviation(chances: Floats) -> Floats:
    net = np.arange(POINT_BINS)[:, None] - np.arange(POINT_BINS)
    chances = chances.reshape(len(chances), -1)
    mean, square = chances @ net.ravel(), chances @ (net**2).ravel()
    return np.asarray(np.sqrt(np.maximum(square - mean**2, 0)))
