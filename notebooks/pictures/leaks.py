"""Pictures of leaks: how often rules hold, and what players lose by."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter

from pictures.look import DEALER, FAINT, FIRST, INK, PONE, SECOND


def rules_held(subjects: Mapping[str, Mapping[str, float]]) -> None:
    """Draw how often rules of thumb hold, by what they are about, a panel for each subject."""
    high = 0.24 * max(map(len, subjects.values())) + 0.8
    figure, panels = plt.subplots(
        1, len(subjects), figsize=(6.2 * len(subjects), high), sharex=True
    )
    for axes, (title, rules), tone in zip(panels, subjects.items(), (DEALER, PONE), strict=False):
        places = np.arange(len(rules))
        axes.barh(places, list(rules.values()), color=tone)
        for place, held in zip(places, rules.values(), strict=True):
            axes.text(held + 0.01, place, f"{held:.0%}", va="center", fontsize=8)
        axes.set_yticks(places, list(rules), fontsize=8.5)
        axes.tick_params(length=0)
        axes.set(title=title, xlim=(0, 1.08))
        axes.axvline(0.5, color=FAINT, zorder=0)
        axes.xaxis.set_major_formatter(PercentFormatter(1))
    plt.show()
    plt.close(figure)


def leaks_beside(leaks: Mapping[str, pd.DataFrame], *, title: str) -> None:
    """Draw what players lose each time in some groups, with standard errors, side by side.

    Each frame has ``loss_mean`` and ``loss_mean_se`` by the words of a group.
    """
    groups = list(dict.fromkeys(words for frame in leaks.values() for words in frame.index))[::-1]
    figure, axes = plt.subplots(figsize=(7.5, 0.36 * len(groups) + 0.9))
    for number, ((name, frame), tone) in enumerate(
        zip(leaks.items(), (FIRST, SECOND), strict=False)
    ):
        shown = frame.reindex(groups)
        places = np.arange(len(groups)) + 0.18 - 0.36 * number
        axes.barh(places, shown["loss_mean"], 0.34, color=tone, label=name)
        axes.errorbar(
            shown["loss_mean"], places, xerr=shown["loss_mean_se"], fmt="none", ecolor=INK,
            elinewidth=0.8,
        )  # fmt: skip
    axes.set_yticks(np.arange(len(groups)), groups, fontsize=8.5)
    axes.tick_params(length=0)
    axes.set(title=title, xlabel="points lost each time", xlim=(0, None))
    axes.legend(frameon=False, loc="lower right")
    plt.show()
    plt.close(figure)
