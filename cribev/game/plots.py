"""Plots of discards, of reviews and of pairs of ranks, by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError, quote
from cribev.game.cards import RANKS, SUIT_SYMBOLS, SUITS
from cribev.system.cache import import_optional

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_COLOURS = {"hand": "#1f6f8b", "crib": "#c8553d"}
_PALE = "#b4b9c0"


def _in_signs(cards: str) -> str:
    """Write cards with the signs of suits, and ten as 10."""
    return cards.translate(str.maketrans(SUITS, SUIT_SYMBOLS)).replace("T", "10")


def _subplots(*shape: int, **options: Any) -> Any:
    plt: Any = import_optional("matplotlib.pyplot", "plot")
    return plt.subplots(*shape, layout="constrained", **options)


def plot_discards(table: pd.DataFrame, *, cards: str, role: str) -> NDArray[Any]:
    """Plot an `Advice.table`: hand and crib of each discard, the best on top, on two axes.

    A dot is the average, a thick line reaches one standard deviation to each side, and a thin one
    from the least to the most.
    """
    figure, panels = _subplots(1, 2, sharey=True, figsize=(8, 0.8 + 0.3 * len(table)))
    rows = np.arange(len(table))
    for axes, (name, colour) in zip(panels, _COLOURS.items(), strict=True):
        mean = table[f"{name}_mean"]
        if f"{name}_min" in table:
            deviation = table[f"{name}_sd"]
            axes.hlines(rows, table[f"{name}_min"], table[f"{name}_max"], color=_PALE, lw=1)
            axes.hlines(rows, mean - deviation, mean + deviation, color=colour, alpha=0.35, lw=5)
        axes.plot(mean, rows, "o", color=colour)
        axes.set_xlabel(f"{name}, points")
        axes.set_xlim(left=0)
        axes.grid(axis="x", alpha=0.3)
        axes.spines[["top", "right", "left"]].set_visible(False)
    labels = [
        f"{_in_signs(discard)}   {expected:+.2f}"
        for discard, expected in zip(table["discard"], table["expected"], strict=True)
    ]
    panels[0].set_yticks(rows, labels)
    panels[0].invert_yaxis()
    figure.suptitle(f"{_in_signs(cards)}, as {role}")
    return np.asarray(panels)


def plot_losses(decisions: pd.DataFrame, *, unit: str) -> NDArray[Any]:
    """Plot what each player of a review has lost so far, in the column `unit`.

    A dot stands at each decision that was not the best. Above it, where a single game has scores,
    runs the chance of the first player to win.
    """
    first = decisions["player"].iloc[0]
    own = decisions[(decisions["player"] == first) & decisions["win_before"].notna()]
    single = len(set(decisions["game"])) == 1 and len(own) > 0
    _, panels = _subplots(1 + single, 1, squeeze=False, figsize=(8, 3 + 2.5 * single))
    if single:
        axes = panels[0, 0]
        deals = [*own["deal"], own["deal"].iloc[-1] + 1]
        axes.plot(deals, [*own["win_before"], own["win_after"].iloc[-1]], color=_COLOURS["hand"])
        axes.axhline(0.5, color=_PALE, lw=0.8)
        axes.set(ylim=(0, 1), ylabel=f"{first} wins", xlabel="before the deal")
        axes.yaxis.set_major_formatter(lambda chance, _: f"{chance:.0%}")
    axes = panels[-1, 0]
    points = unit == "loss"
    form = ".2f" if points else ".1%"
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:{form}}")
    for name, rows in decisions.groupby("player", sort=False):
        lost = rows[unit].fillna(0)
        running, number = lost.cumsum().to_numpy(), np.arange(1, len(rows) + 1)
        label = f"{name}, {running[-1]:{form}}"
        (line,) = axes.step(number, running, where="post", label=label)
        missed = lost.to_numpy() > 0
        axes.plot(number[missed], running[missed], "o", color=line.get_color(), markersize=4)
    axes.set(xlabel="discards", ylabel="lost so far, " + ("points" if points else "of a game"))
    axes.legend(frameon=False)
    for axes in panels[:, 0]:
        axes.spines[["top", "right"]].set_visible(False)
    return np.asarray(panels[:, 0])


def plot_pairs(
    values: pd.Series | NDArray[Any], *, title: str = "", axes: Axes | None = None
) -> Axes:
    """Return the axes on which a number for each pair of ranks is drawn, as a triangle of squares.

    Parameters
    ----------
    values
        A Series by pairs of ranks, as ``"5 T"``; or an array ``(13, 13)``, of which the rows give
        the higher rank, in the order of ``A23456789TJQK``. Pairs that are missing, or NaN, stay
        empty.
    title
        The title of the axes.
    axes
        Axes of matplotlib to draw on; new ones if left out.

    Raises
    ------
    CribevError
        If the values are neither; or if matplotlib is missing, with what to install.

    Examples
    --------
    >>> from cribev import evaluate, random_hands
    >>> every = evaluate(random_hands(100, seed=1), role="dealer", every_discard=True)
    >>> cribs = every.groupby("discard_ranks", observed=True)["crib_mean"].mean()
    >>> plot_pairs(cribs, title="average crib").get_title()
    'average crib'
    """
    cells = _cells(values)
    cells[np.triu_indices(13, 1)] = np.nan
    if axes is None:
        _, axes = _subplots(figsize=(6, 5.4))
    assert axes is not None
    image = axes.imshow(cells, cmap="YlGnBu")
    low, high = image.get_clim()
    for (row, column), value in np.ndenumerate(cells):
        if np.isfinite(value):
            colour = "white" if value > (low + high) / 2 else "black"
            axes.text(
                column, row, f"{value:.1f}", ha="center", va="center", fontsize=7, color=colour
            )
    axes.set_title(title)
    axes.set_xticks(range(13), list(RANKS))
    axes.set_yticks(range(13), list(RANKS))
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return axes


def _cells(values: Any) -> NDArray[np.float64]:
    """Return the numbers of pairs of ranks, NaN where there is none, ``(13, 13)``."""
    if not hasattr(values, "items"):
        cells = _numbers(values)
        if cells.shape != (13, 13):
            raise CribevError(f"expected an array of shape (13, 13), not {cells.shape}")
        return cells
    cells = np.full((13, 13), np.nan)
    for pair, value in values.items():
        ranks = [RANKS.find(rank) for rank in str(pair).upper().replace("10", "T").split()]
        if len(ranks) != 2 or min(ranks) < 0:
            raise CribevError(f"invalid pair of ranks {quote(str(pair))}: expected two, as '5 T'")
        if not np.isnan(cells[max(ranks), min(ranks)]):
            raise CribevError(f"the pair of ranks {quote(str(pair))} comes twice")
        cells[max(ranks), min(ranks)] = _numbers(value)
    return cells


def _numbers(values: Any) -> NDArray[np.float64]:
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CribevError(f"expected numbers, got {quote(repr(values))}") from error
    if np.isinf(numbers).any():
        raise CribevError(f"expected finite numbers, got {quote(repr(values))}")
    return numbers
