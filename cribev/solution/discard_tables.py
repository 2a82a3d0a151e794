"""Tables derived from the solved discards: cribs and throws by rank pair, losses of policies.

Without a solution they are of the shipped one whose discards weigh the play.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.classes.canonical import RANK_PAIRS
from cribev.classes.enumeration import DEALS
from cribev.game import render
from cribev.game.cards import RANKS
from cribev.game.roles import ROLES, Role
from cribev.rows.pairs import PUBLISHED_CRIBS, published_cribs
from cribev.solution.solution import Solution, load, losses_against

POLICY_NAMES = {
    "random": "any two cards",
    "hand": "for the best hand alone",
    "show": "as an expert for hand and crib alone",
    "uniform": "what is best against any two cards",
    **{
        name: f"by {name.capitalize()}'s published table of average cribs"
        for name in PUBLISHED_CRIBS
    },
}

_FULL = 0.5  # points: differences of so much or more have the full colour


def thrown_pairs(role: Role, *, solution: Solution | None = None) -> pd.DataFrame:
    """Tabulate what an expert throws, and the average crib it makes.

    There are 169 rows, for each pair of ranks unsuited and suited: ``role, rank1, rank2, suited``;
    ``thrown``, the share of all deals that throw it; ``crib_mean``, the average crib in points over
    the deals that throw it (missing where none does); ``crib_mean_held``, the same over all deals
    that hold it, whatever they throw.

    >>> pairs = thrown_pairs("dealer", solution=load()).query("rank1 == '5' and rank2 == '5'")
    >>> float(pairs["crib_mean"].iloc[0].round(2))
    8.92
    """
    pairs = (solution or load(play=True)).pairs[role]
    low, high = RANK_PAIRS.T
    frames = [
        pd.DataFrame(
            {
                "role": role,
                "rank1": [RANKS[rank] for rank in low],
                "rank2": [RANKS[rank] for rank in high],
                "suited": bool(suited),
                "thrown": pairs.thrown[:, suited],
                "crib_mean": pairs.crib_when_thrown[:, suited],
                "crib_mean_held": pairs.crib_when_held[:, suited],
            }
        )
        for suited in (0, 1)
    ]
    frames[1] = frames[1][low < high]
    return pd.concat(frames, ignore_index=True)


def compared_cribs(role: Role, name: str, *, solution: Solution | None = None) -> pd.DataFrame:
    """Compare the expert's average cribs with one of `PUBLISHED_CRIBS`.

    There are 91 rows, for each pair of ranks, suited and unsuited together: ``role, rank1, rank2,
    thrown, crib_mean, published`` and ``difference``, the expert's less the published, in points.

    >>> table = compared_cribs("dealer", "hessel", solution=load())
    >>> bool(table["difference"].abs().median() < 0.02)
    True
    """
    pairs = (solution or load(play=True)).pairs[role]
    low, high = RANK_PAIRS.T
    thrown = pairs.thrown.sum(axis=1)
    total = np.nansum(pairs.thrown * pairs.crib_when_thrown, axis=1)
    crib = np.divide(total, thrown, out=np.full(len(thrown), np.nan), where=thrown > 0)
    published = published_cribs(name)[role][low, high]
    return pd.DataFrame(
        {
            "role": role,
            "rank1": [RANKS[rank] for rank in low],
            "rank2": [RANKS[rank] for rank in high],
            "thrown": thrown,
            "crib_mean": crib,
            "published": published,
            "difference": crib - published,
        }
    )


def policy_losses(*, solution: Solution | None = None) -> pd.DataFrame:
    """Tabulate what ways to discard lose against an expert, over all 20,358,520 deals.

    There is a row for each policy and role: ``policy, role, loss`` (points per deal), ``deals``
    (the share of deals in which it throws something worse), least loss first.

    >>> losses = policy_losses(solution=load())
    >>> losses.query("role == 'pone'")["policy"].tolist()
    ['hessel', 'schell', 'colvert', 'uniform', 'rasmussen', 'hand', 'random']
    """
    rows = [
        {"policy": name, "role": role, "loss": loss.points, "deals": loss.deals / DEALS}
        for role in ROLES
        for name, loss in losses_against(solution or load(play=True), role).items()
    ]
    frame = pd.DataFrame(rows)
    order = frame.groupby("policy")["loss"].transform("sum")
    return frame.iloc[np.lexsort((frame["role"], order))].reset_index(drop=True)


@dataclass(frozen=True, eq=False)
class PairChart(render.Displayable):
    """A 13 × 13 chart of rank pairs."""

    title: str
    cells: NDArray[np.float64]
    """Values, ``(13, 13)``, NaN where there is none: pairs of two suits above the diagonal, of one
    suit below it. Differences stand above it only."""
    signed: bool = False
    """Whether values are differences in points, coloured from zero both ways."""
    note: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self.title, style="bold")
        if self.note:
            yield Text(self.note, style="dim")
        if not self.signed:
            yield Text("different suits above the diagonal, the same suit below", style="dim")
        elif console.color_system:
            yield Text(f"colours are full at {_FULL} points", style="dim")
        chart = render.table(console, ("", "left"), *((rank, "right") for rank in RANKS))
        shades = self._shades()
        for rank, values, row in zip(RANKS, self.cells, shades, strict=True):
            chart.add_row(
                Text(rank, style="bold"),
                *(
                    render.heat(console, self._written(value), shade)
                    if np.isfinite(value)
                    else Text("")
                    for value, shade in zip(values, row, strict=True)
                ),
            )
        yield chart

    def _shades(self) -> NDArray[np.float64]:
        """Place each value between 0, cold, and 1, hot: differences by size, others by rank."""
        if self.signed:
            return np.clip(self.cells / (2 * _FULL) + 0.5, 0, 1)
        shown = self.cells[np.isfinite(self.cells)]
        return np.searchsorted(np.sort(shown), self.cells) / max(len(shown) - 1, 1)

    def _written(self, value: float) -> str:
        value = round(value, 2) + 0.0  # no minus before nothing
        return f"{value:{'+' if self.signed and value else ''}.2f}"


def crib_chart(role: Role, *, solution: Solution | None = None) -> PairChart:
    """Chart the average crib of what an expert throws, in points.

    >>> print(str(crib_chart("dealer")).splitlines()[0])
    average crib by what the dealer throws, points
    """
    title = f"average crib by what the {role} throws, points"
    cells = _cells(thrown_pairs(role, solution=solution), "crib_mean")
    return PairChart(title, cells, note=_note(solution))


def frequency_chart(role: Role, *, solution: Solution | None = None) -> PairChart:
    """Chart how often an expert throws each pair, in percent of deals.

    >>> print(str(frequency_chart("pone")).splitlines()[0])
    how often the pone throws each pair, percent
    """
    title = f"how often the {role} throws each pair, percent"
    cells = 100 * _cells(thrown_pairs(role, solution=solution), "thrown")
    return PairChart(title, cells, note=_note(solution))


def comparison_chart(role: Role, name: str, *, solution: Solution | None = None) -> PairChart:
    """Chart the expert's average cribs less those of a published table, in points.

    >>> print(str(comparison_chart("pone", "hessel")).splitlines()[0])
    average crib by what the pone throws, points: the expert's less Hessel's
    """
    frame = compared_cribs(role, name, solution=solution).assign(suited=False)
    title = (
        f"average crib by what the {role} throws, points: the expert's less {name.capitalize()}'s"
    )
    return PairChart(title, _cells(frame, "difference"), signed=True, note=_note(solution))


@dataclass(frozen=True, eq=False)
class PolicyList(render.Displayable):
    """What ways to discard lose against an expert, as a list."""

    frame: pd.DataFrame
    play: bool = True
    """Whether the play counts, or the show alone."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        counted = ", hand, crib and play" if self.play else ""
        yield Text(
            f"points lost per deal against an expert{counted}, over all 20,358,520 deals",
            style="bold",
        )
        listed = render.table(
            console, ("throw", "left"),
            ("as dealer", "right"), ("deals", "right"), ("as pone", "right"), ("deals", "right"),
        )  # fmt: skip
        for name, rows in self.frame.groupby("policy", sort=False):
            by_role = rows.set_index("role")
            figures = [
                figure
                for role in ROLES
                for figure in (f"{by_role['loss'][role]:.4f}", f"{by_role['deals'][role]:.0%}")
            ]
            listed.add_row(POLICY_NAMES[str(name)], *figures)
        yield listed


def _note(solution: Solution | None) -> str:
    """Say what the experts of a solution weigh."""
    if (solution or load(play=True)).play is None:
        return ""
    return "both throw as experts who weigh hand, crib and play"


def _cells(frame: pd.DataFrame, column: str) -> NDArray[np.float64]:
    cells = np.full((13, 13), np.nan)
    low, high = (frame[rank].map(RANKS.index).to_numpy() for rank in ("rank1", "rank2"))
    suited = frame["suited"].to_numpy()
    cells[np.where(suited, high, low), np.where(suited, low, high)] = frame[column].to_numpy()
    return cells
