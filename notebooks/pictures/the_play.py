"""Pictures of the play, solved."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from cribev.game.cards import RANKS
from cribev.game.roles import ROLES
from pictures.look import DEALER, FAINT, INK, PONE

_TONES = {"dealer": DEALER, "pone": PONE}


def keeps_beside_people(both: pd.DataFrame, *, title: str) -> None:
    """Draw what keeps are worth between experts against what they are worth between people.

    ``both`` has the columns ``keep, role, expert, people``, in net points.
    """
    figure, axes = plt.subplots(figsize=(6.2, 5))
    low, high = both[["expert", "people"]].min().min() - 0.2, both["people"].max() + 0.5
    axes.plot([low, high], [low, high], color=FAINT, zorder=0)
    for role in ROLES:
        own = both[both["role"] == role]
        axes.scatter(own["people"], own["expert"], s=22, color=_TONES[role], label=role)
        far = own.assign(away=(own["expert"] - own["people"]).abs()).nlargest(4, "away")
        for keep in far.itertuples():
            axes.annotate(
                "-".join(keep.keep), (keep.people, keep.expert), fontsize=7.5, color=INK,
                xytext=(5, -3), textcoords="offset points",
            )  # fmt: skip
    axes.set(xlabel="between people", ylabel="between experts", title=title)
    axes.legend(frameon=False, loc="upper left")
    plt.show()
    plt.close(figure)


def pegged_beside_people(people: np.ndarray, models: Mapping[str, np.ndarray]) -> None:
    """Draw what models peg against what people peg, points of one keep and player each."""
    figure, panels = plt.subplots(1, len(models), figsize=(8, 4), sharex=True, sharey=True)
    ends = [people.min() - 0.2, people.max() + 0.2]
    for axes, (name, pegged) in zip(panels, models.items(), strict=True):
        axes.plot(ends, ends, color=FAINT, zorder=0)
        for role, places in (("pone", [0, 3]), ("dealer", [1, 2])):
            axes.scatter(
                people[:, places], pegged[:, places], s=14, color=_TONES[role], label=f"by {role}"
            )  # fmt: skip
        off = np.sqrt(((pegged - people) ** 2).mean())
        axes.set(title=f"{name}: {off:.2f} off", xlabel="points people peg")
    panels[0].set(ylabel="points the model pegs")
    panels[0].legend(frameon=False, loc="upper left")
    plt.show()
    plt.close(figure)


def by_rank(
    values: Mapping[str, Sequence[float]], *, title: str, label: str, signed: bool = False
) -> None:
    """Draw a bar for each rank and name, those of a rank side by side."""
    figure, axes = plt.subplots(figsize=(8, 3))
    width = 0.8 / len(values)
    tones = _TONES if set(values) == set(_TONES) else {}
    for number, (name, row) in enumerate(values.items()):
        places = np.arange(13) + (number - (len(values) - 1) / 2) * width
        axes.bar(places, row, width, label=name, color=tones.get(name))
    axes.set_xticks(range(13), list(RANKS))
    axes.tick_params(length=0)
    if signed:
        axes.axhline(0, color=INK, linewidth=0.8)
    axes.set(title=title, ylabel=label)
    axes.legend(frameon=False, ncols=len(values))
    plt.show()
    plt.close(figure)
