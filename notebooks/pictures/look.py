"""The style the notebooks share: colours, cards and labels."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.offsetbox import AnnotationBbox, HPacker, TextArea
from matplotlib.patches import FancyBboxPatch

from cribev import format_cards
from cribev.game.cards import SUIT_SYMBOLS, CardsLike, as_cards

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

SUIT_COLOURS = (INK, "#c2251f", "#c2251f", INK)
"""Clubs, diamonds, hearts, spades."""

FIRST, SECOND = "#7d6b91", "#e0a458"
"""Two discards, or two players, side by side."""


def faces(cards: CardsLike) -> list[tuple[str, str]]:
    """Return each card as players write it, 10♥, and the colour of its suit."""
    return [
        (card, SUIT_COLOURS[SUIT_SYMBOLS.index(card[-1])])
        for card in format_cards(as_cards(cards), symbols=True).split()
    ]


def points(value: float, *, sign: bool = False) -> str:
    """Write points to two decimals, with a true minus, and a plus if a sign is wanted."""
    return f"{round(value, 2) + 0.0:{'+' if sign else ''}.2f}".replace("-", "−")


def spelt(cards: CardsLike) -> str:
    """Write cards as plain text, 10♥ 5♣.

    >>> spelt("5C TH")
    '5♣ 10♥'
    """
    return " ".join(text for text, _ in faces(cards))


def write_cards(
    axes: Axes,
    cards: CardsLike,
    point: tuple[float, float],
    *,
    before: str = "",
    after: str = "",
    align: tuple[float, float] = (0.0, 0.5),
    offset: tuple[float, float] = (0.0, 0.0),
    across: str | tuple[str, str] = "data",
    size: float = 9.0,
    bold: bool = False,
    tone: str = INK,
) -> None:
    """Write cards in the colours of their suits, with words before (in a tone) and after them.

    ``point`` is in the coordinates that ``across`` names, ``offset`` in points from there;
    ``align`` is the point of the text that stands there, (0, 0) its lower left.
    """
    pieces = [(before, tone)] * bool(before) + faces(cards) + [(after, INK)] * bool(after)
    style = {"fontsize": size, "fontweight": "bold" if bold else "normal"}
    written = HPacker(
        children=[TextArea(text, textprops={"color": ink, **style}) for text, ink in pieces],
        pad=0, sep=size / 3.5, align="baseline",
    )  # fmt: skip
    axes.add_artist(
        AnnotationBbox(
            written, point, xybox=offset, xycoords=across, boxcoords="offset points",
            box_alignment=align, frameon=False, pad=0, annotation_clip=False,
        )
    )  # fmt: skip


def draw_cards(
    axes: Axes, deal: CardsLike, *, discard: CardsLike | None = None, base: float = 0.0
) -> None:
    """Draw cards side by side, from height ``base`` up, the discarded ones lower and pale."""
    discarded = set(as_cards(discard).tolist()) if discard is not None else set()
    for place, card in enumerate(np.sort(as_cards(deal)).tolist()):
        ((text, tone),) = faces([card])
        out = card in discarded
        low = base - 0.45 * out
        axes.add_patch(
            FancyBboxPatch(
                (place * 1.12 + 0.08, low + 0.08), 0.84, 1.24, boxstyle="round,pad=0.08",
                facecolor="#f1f2f4" if out else "white", edgecolor="#9aa1a9", linewidth=1,
            )
        )  # fmt: skip
        for line, height, size in ((text[:-1], 0.97, 15), (text[-1], 0.42, 17)):
            axes.text(
                place * 1.12 + 0.5, low + height, line,
                ha="center", va="center", fontsize=size, color=tone, alpha=0.65 if out else 1,
            )  # fmt: skip


def bare(axes: Axes, across: tuple[float, float], up: tuple[float, float]) -> None:
    """Hide the axes and give both the same scale."""
    axes.set(xlim=across, ylim=up, aspect="equal")
    axes.axis("off")


def apart(values: Sequence[float], least: float) -> np.ndarray:
    """Move labels as little as keeps them ``least`` apart, given the places they belong to."""
    order = np.argsort(values, kind="stable")
    groups: list[list[float]] = []  # labels that touch: their middle and how many
    for value in np.asarray(values, dtype=float)[order]:
        groups.append([value, 1])
        while len(groups) > 1:
            (below, few), (above, more) = groups[-2:]
            if above - below >= least * (few + more) / 2:
                break
            groups[-2:] = [[(below * few + above * more) / (few + more), few + more]]
    places = np.empty(len(order))
    places[order] = [
        middle + least * (number - (many - 1) / 2)
        for middle, many in groups
        for number in range(int(many))
    ]
    return places
