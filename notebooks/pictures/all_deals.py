"""Pictures of all deals at once, and of the solved game."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from cribev.classes.canonical import rank_pair_numbers
from cribev.game.cards import RANKS
from cribev.game.roles import ROLES, Role
from pictures.look import DEALER, FAINT, INK, PONE


def rank_pairs(
    axes: Axes, values: np.ndarray, *, title: str, spread: float | None = None, form: str = "{:.1f}"
) -> None:
    """Draw a number for each pair of ranks as a triangle of coloured squares.

    ``values`` is ``(13, 13)``, symmetric, NaN where there is nothing to show. With ``spread``,
    for differences, the colours run from -spread to spread through white.
    """
    shown = np.where(np.tri(13, dtype=bool), values, np.nan)
    scale = (
        {"cmap": "YlGnBu"} if spread is None else {"cmap": "RdBu", "vmin": -spread, "vmax": spread}
    )
    image = axes.imshow(shown, **scale)
    for (row, column), value in np.ndenumerate(shown):
        if np.isfinite(value):
            red, green, blue, _ = image.cmap(image.norm(value))
            dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.55
            axes.text(
                column, row, form.format(value),
                ha="center", va="center", fontsize=7, color="white" if dark else INK,
            )  # fmt: skip
    axes.set_title(title)
    axes.set_xticks(range(13), list(RANKS))
    axes.set_yticks(range(13), list(RANKS))
    axes.tick_params(length=0)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.spines[:].set_visible(False)


_SEVERITY = ("#e6eaec", "#f3dfb8", "#e0a458", "#c8553d", "#7a2318")


def rank_pairs_by_role(
    values: Mapping[Role, np.ndarray],
    *,
    titles: Mapping[Role, str],
    spread: float | None = None,
    form: str = "{:.1f}",
) -> None:
    """Draw a number for each pair of ranks, the dealer's on the left and pone's on the right.

    ``values`` has 91 numbers for each role, in the order of
    `cribev.classes.canonical.RANK_PAIRS`; otherwise as `rank_pairs`.
    """
    _, sides = plt.subplots(1, 2, figsize=(10.4, 5.3))
    for axes, role in zip(sides, ROLES, strict=True):
        rank_pairs(
            axes, values[role][rank_pair_numbers()], title=titles[role], spread=spread, form=form
        )


def by_number_held(panels: Mapping[str, np.ndarray], *, spread: float) -> None:
    """Draw how much more or less deals are worth by how many cards of each rank they hold.

    ``panels`` has, by title, differences in points for each rank and zero to four cards,
    ``(13, 5)``; the colours run from -spread to spread through white.
    """
    _, grid = plt.subplots(2, 2, figsize=(10.4, 4.9))
    for axes, (title, values) in zip(grid.flat, panels.items(), strict=True):
        axes.imshow(values.T, cmap="RdBu", vmin=-spread, vmax=spread, aspect="auto")
        for (rank, held), value in np.ndenumerate(values):
            axes.text(
                rank, held, _signed(value), ha="center", va="center",
                fontsize=7, color="white" if abs(value) > 0.65 * spread else INK,
            )  # fmt: skip
        axes.set(title=title, ylabel="cards held")
        axes.set_xticks(range(13), list(RANKS))
        axes.set_yticks(range(5), ["none", "1", "2", "3", "4"])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)


def rounds_of_solving(rounds: pd.DataFrame, *, titles: tuple[str, str]) -> None:
    """Draw how many deals each round of best responses changed, and what it gained.

    The frame has the columns ``number``, ``role``, ``changed`` and ``gain``.
    """
    _, sides = plt.subplots(1, 2, figsize=(10.4, 4.2))
    for axes, column, title in zip(sides, ("changed", "gain"), titles, strict=True):
        for role, colour, shift in (("dealer", DEALER, 1), ("pone", PONE, -1)):
            rows = rounds[rounds["role"] == role]
            axes.plot(rows["number"], rows[column], "o-", color=colour, markersize=4.5)
            named = rows.iloc[3]
            axes.annotate(
                role, (named["number"], named[column]), xytext=(8 * shift, 5 * shift),
                textcoords="offset points", color=colour, weight="bold",
                ha="left" if shift > 0 else "right", va="bottom" if shift > 0 else "top",
            )  # fmt: skip
        axes.set(title=title, yscale="log", xlabel="round")
        axes.set_xticks(range(1, int(rounds["number"].max()) + 1))
        axes.grid(axis="y", color=FAINT, linewidth=0.6)
        axes.minorticks_off()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    sides[0].yaxis.set_major_formatter("{x:,.0f}")
    sides[1].yaxis.set_major_formatter(lambda value, _: f"{value:.8f}".rstrip("0"))


def crib_ranges(spreads: Mapping[Role, pd.DataFrame], *, titles: Mapping[Role, str]) -> None:
    """Draw the range of the average crib of each pair around its number in a table.

    Each frame has a row for each pair of ranks and the columns ``least``, ``low``, ``high``,
    ``most`` and ``table``.
    """
    tallest = max(len(frame) for frame in spreads.values())
    _, sides = plt.subplots(1, 2, figsize=(10.4, 0.3 * tallest + 1.2))
    width = 1.06 * max(frame["most"].max() - frame["least"].min() for frame in spreads.values())
    for axes, role, colour in zip(sides, ROLES, (DEALER, PONE), strict=True):
        frame, rows = spreads[role], np.arange(len(spreads[role]))
        middle = (frame["most"].max() + frame["least"].min()) / 2
        axes.hlines(rows, frame["least"], frame["most"], color=colour, linewidth=1, alpha=0.55)
        axes.hlines(rows, frame["low"], frame["high"], color=colour, linewidth=7, alpha=0.55)
        axes.plot(frame["table"], rows, "|", color=INK, markersize=11, markeredgewidth=1.8)
        axes.set(title=titles[role], xlabel="average crib, points", ylim=(len(frame) - 0.4, -0.6))
        axes.set_xlim(middle - width / 2, middle + width / 2)
        axes.set_yticks(rows, frame.index)
        axes.grid(axis="x", color=FAINT, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)


def removal(
    changes: Mapping[Role, pd.DataFrame], *, titles: Mapping[Role, str], spread: float
) -> None:
    """Draw what keeping a card of each rank does to the crib, for pairs of ranks discarded.

    Each frame has a row for each pair and a column for each rank, in points; NaN is white.
    """
    _, sides = plt.subplots(1, 2, figsize=(10.4, 5.2))
    for axes, role in zip(sides, ROLES, strict=True):
        frame = changes[role]
        axes.imshow(frame, cmap="RdBu", vmin=-spread, vmax=spread)
        for (row, column), value in np.ndenumerate(frame.to_numpy()):
            if abs(value) >= 0.095:
                axes.text(
                    column, row, _signed(value), ha="center", va="center",
                    fontsize=7, color="white" if abs(value) > 0.65 * spread else INK,
                )  # fmt: skip
        axes.set(title=titles[role], xlabel="card kept", ylabel="discarded")
        axes.set_xticks(range(frame.shape[1]), frame.columns)
        axes.set_yticks(range(len(frame)), frame.index)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)


def costs(points: pd.DataFrame, *, title: str) -> None:
    """Draw what each way to discard costs, a row each, with a bar for the dealer and for pone.

    ``points`` has the columns ``dealer`` and ``pone``.
    """
    _, axes = plt.subplots(figsize=(8.5, 0.62 * len(points) + 0.9))
    rows = np.arange(len(points))
    for role, colour, shift in (("dealer", DEALER, -0.19), ("pone", PONE, 0.19)):
        bars = axes.barh(rows + shift, points[role], height=0.36, color=colour)
        axes.bar_label(bars, fmt="{:.2f}", padding=4, fontsize=9)
    for role, colour, shift in (("dealer", DEALER, -0.19), ("pone", PONE, 0.19)):
        axes.annotate(
            f"as {role}", (points[role].iloc[-1], len(points) - 1 + shift), xytext=(34, 0),
            textcoords="offset points", va="center", color=colour, weight="bold",
        )  # fmt: skip
    axes.set(title=title, xticks=[], ylim=(len(points) - 0.5, -0.5))
    axes.set_yticks(rows, points.index)
    axes.margins(x=0.12)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _signed(value: float) -> str:
    """Write a difference to a tenth; zero has no sign."""
    return f"{value:+.1f}".replace("-", "−") if abs(value) >= 0.05 else "0"


def differences(off: Mapping[Role, np.ndarray], *, title: str) -> None:
    """Draw how far numbers are off, in hundredths of a point, as a histogram for each role."""
    most = max(np.abs(values).max() for values in off.values())
    _, axes = plt.subplots(figsize=(8.5, 3))
    for role, colour in zip(ROLES, (DEALER, PONE), strict=True):
        axes.hist(
            100 * off[role], bins=np.linspace(-100 * most, 100 * most, 41),
            histtype="step", linewidth=2, color=colour, label=role,
        )  # fmt: skip
    axes.set(title=title, xlabel="hundredths of a point", ylabel="discards")
    axes.legend(frameon=False)
