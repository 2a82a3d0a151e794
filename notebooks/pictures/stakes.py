"""Pictures of scores: how games end, what a point is worth, and what is even."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm, Normalize
from matplotlib.ticker import FuncFormatter, PercentFormatter
from numpy.typing import NDArray

from cribev.game.score import SKUNK_LINES
from pictures.look import DEALER, FAINT, INK, PONE

_TONES = {"dealer": DEALER, "pone": PONE}


def score_maps(maps: Mapping[str, NDArray[np.float64]], *, whose: str) -> None:
    """Draw chances by score, each ``(121, 121)``, own points up and the opponent's across."""
    figure, panels = plt.subplots(1, len(maps), figsize=(4.1 * len(maps), 4.3), sharey=True)
    for axes, (title, chances) in zip(panels, maps.items(), strict=True):
        drawn = axes.imshow(chances, origin="lower", cmap="YlGnBu", norm=Normalize(0, 1))
        _frame(axes, title, whose)
    figure.colorbar(drawn, ax=list(panels), shrink=0.75, format=PercentFormatter(1))
    plt.show()
    plt.close(figure)


def exchange_maps(maps: Mapping[str, NDArray[np.float64]], *, whose: str) -> None:
    """Draw what a point of the opponent's is worth in points of your own, by score."""
    figure, panels = plt.subplots(1, len(maps), figsize=(4.1 * len(maps), 4.3), sharey=True)
    for axes, (title, ratio) in zip(panels, maps.items(), strict=True):
        drawn = axes.imshow(ratio, origin="lower", cmap="PuOr", norm=LogNorm(1 / 8, 8))
        axes.set_facecolor("#eceef0")
        _frame(axes, title, whose)
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    bar = figure.colorbar(drawn, ax=list(panels), shrink=0.75, ticks=2.0 ** np.arange(-3, 4))
    bar.ax.yaxis.set_major_formatter(plain)
    bar.ax.minorticks_off()
    plt.show()
    plt.close(figure)


def _frame(axes: plt.Axes, title: str, whose: str) -> None:
    axes.set(title=title, xlabel="your opponent's points", xticks=range(0, 121, 30))
    axes.set(yticks=range(0, 121, 30))
    for line in SKUNK_LINES:
        axes.axhline(line, color=INK, linewidth=0.5, linestyle=":")
        axes.axvline(line, color=INK, linewidth=0.5, linestyle=":")
    if axes.get_subplotspec().is_first_col():
        axes.set_ylabel(f"your points, as {whose}")


def par_lines(even: Mapping[str, Sequence[int | None]], holes: Mapping[int, int]) -> None:
    """Draw how far behind you are even, by role, and where Colvert's holes lie."""
    figure, axes = plt.subplots(figsize=(8, 3.4))
    for role, own in even.items():
        opponents = np.arange(len(own))
        behind = np.array([np.nan if score is None else score for score in own]) - opponents
        axes.plot(opponents, behind, color=_TONES[role], label=f"as {role}")
    axes.scatter(
        list(holes), [own - other for other, own in holes.items()], color=INK, zorder=3, s=24,
        label="Colvert's holes, as dealer",
    )  # fmt: skip
    axes.axhline(0, color=FAINT, zorder=0)
    axes.set(
        title="Even is behind as dealer, and ahead as pone", ylabel="your points less theirs",
        xlabel="your opponent's points", xticks=range(0, 121, 10),
    )  # fmt: skip
    axes.legend(frameon=False, ncols=3)
    plt.show()
    plt.close(figure)
