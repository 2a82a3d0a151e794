"""The look the notebooks share, and the pictures that more than one of them draws."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from cribev.cards import RANKS

DEALER, PONE = "#1f6f8b", "#c8553d"
INK, FAINT = "#222831", "#d7dade"

plt.rcParams.update(
    {
        "figure.dpi": 110,
        "figure.facecolor": "white",
        "figure.constrained_layout.use": True,
        "font.size": 10,
        "axes.edgecolor": FAINT,
        "axes.labelcolor": INK,
        "axes.titlelocation": "left",
        "axes.titleweight": "bold",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": plt.cycler(color=[DEALER, PONE, "#e0a458", "#6b8f71", "#7d6b91"]),
        "text.color": INK,
        "xtick.color": INK,
        "ytick.color": INK,
    }
)


def rank_pairs(
    axes: Axes, values: np.ndarray, *, title: str, spread: float | None = None, form: str = "{:.1f}"
) -> None:
    """Draw a number for each pair of ranks as a triangle of coloured squares.

    ``values`` is (13, 13), symmetric, NaN where there is nothing to show. With ``spread`` the
    colours run from -spread to spread through white, for differences.
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
