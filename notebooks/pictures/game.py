"""Pictures of a reviewed game."""

import matplotlib.pyplot as plt
import numpy as np

from cribev import Review
from pictures.look import (
    DEALER,
    FIRST,
    INK,
    PONE,
    SECOND,
    apart,
    bare,
    draw_cards,
    points,
    write_cards,
)

LUCK, CUT, SWING, LOST, RESULT = "#7d6b91", "#b3a6c4", "#e0a458", "#222831", "#8b9199"
"""Colours of the deal, the starter, the crib swing, what was lost, and the result."""

_PARTS = {
    "deal_luck": ("deal luck", LUCK),
    "loss": ("lost by discarding", LOST),
    "starter_luck": ("starter luck", CUT),
    "crib_swing": ("crib swing", SWING),
}

CONTESTED = 0.5  # points by which the best discard is ahead of the second, at most


def ledger(game: Review, *, title: str) -> None:
    """Draw what each part adds to a player's result or takes from it, step by step."""
    players = game.players
    figure, panels = plt.subplots(1, len(players), figsize=(4.9 * len(players), 3.9), sharey=True)
    lows, highs = [0.0], [0.0]
    for axes, (_, player) in zip(np.atleast_1d(panels), players.iterrows(), strict=True):
        steps = [-player[part] if part == "loss" else player[part] for part in _PARTS]
        level = np.concatenate([[0.0], np.cumsum(steps)])
        tones = [tone for _, tone in _PARTS.values()]
        axes.bar(range(4), steps, bottom=level[:4], color=tones, width=0.7)
        axes.bar(4, player["result"], color=RESULT, width=0.7)
        for column, height in enumerate([*level[1:4], player["result"]]):
            axes.plot([column + 0.35, column + 0.65], [height, height], color=RESULT, linewidth=0.8)
        for column, step in enumerate([*steps, player["result"]]):
            high = max(level[column], level[column + 1]) if column < 4 else max(step, 0.0)
            axes.annotate(
                points(step, sign=True), (column, high), xytext=(0, 3), textcoords="offset points",
                ha="center", weight="bold" if column == 4 else "normal",
            )  # fmt: skip
        axes.axhline(0, color=INK, linewidth=0.8)
        names = [name.replace(" ", "\n") for name, _ in _PARTS.values()]
        axes.set_xticks(range(5), [*names[:1], "lost", *names[2:], "result"])
        axes.tick_params(axis="x", length=0)
        axes.spines["bottom"].set_visible(False)
        axes.set_title(player["player"], fontsize=10)
        lows, highs = [*lows, level.min()], [*highs, level.max()]
    np.atleast_1d(panels)[0].set_ylim(min(lows) - 1, max(highs) + 2)
    np.atleast_1d(panels)[0].set_ylabel("points, against the average of the role")
    figure.suptitle(title, x=0.01, ha="left", weight="bold")


def deal_by_deal(game: Review, *, title: str) -> None:
    """Draw the result of each deal for each player: its parts as bars, the result as a diamond."""
    names = game.players["player"]
    figure, panels = plt.subplots(len(names), 1, figsize=(9, 2.8 * len(names) + 0.4), sharey=True)
    for axes, name in zip(np.atleast_1d(panels), names, strict=True):
        own = game.decisions[game.decisions["player"] == name]
        deals = own["deal"].to_numpy()
        heights = {True: np.zeros(len(own)), False: np.zeros(len(own))}
        for part, (label, tone) in _PARTS.items():
            step = own[part].to_numpy() * (-1 if part == "loss" else 1)
            for up, height in heights.items():
                side = np.where((step > 0) == up, step, 0.0)
                axes.bar(
                    deals, side, bottom=height, color=tone, width=0.62, label=label if up else ""
                )
                height += side
        axes.plot(
            deals, own["result"], "D", color="white", markeredgecolor=INK, markersize=6,
            linestyle="none", label="result",
        )  # fmt: skip
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.set_title(name, fontsize=10)
        axes.set_ylabel("points")
        axes.set_xticks(deals)
        axes.tick_params(axis="x", length=0, labelbottom=True)
        for label, role in zip(axes.get_xticklabels(), own["role"], strict=True):
            label.set_color(DEALER if role == "dealer" else PONE)
        axes.set_xticklabels(
            [f"{deal}\n{role}" for deal, role in zip(deals, own["role"], strict=True)]
        )
        axes.spines["bottom"].set_visible(False)
    handles, labels = np.atleast_1d(panels)[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=5, frameon=False)
    figure.suptitle(title, x=0.01, ha="left", weight="bold")


def running(game: Review, *, title: str) -> None:
    """Draw the running result of each player, and what discards alone cost."""
    _, axes = plt.subplots(figsize=(9, 3.9))
    ends = []
    for name, tone in zip(game.players["player"], (FIRST, SECOND), strict=False):
        own = game.decisions[game.decisions["player"] == name].sort_values("deal")
        deals = [0, *own["deal"]]
        for label, steps, style in (
            ("result", own["result"], "-"),
            ("lost by discarding", -own["loss"], ":"),
        ):
            line = np.concatenate([[0.0], steps.cumsum()])
            axes.plot(deals, line, style, color=tone, linewidth=2, marker="o", markersize=4)
            ends.append((line[-1], f"{name}, {label} {points(line[-1], sign=True)}"))
    heights = apart([end for end, _ in ends], 0.055 * np.ptp(axes.get_ylim()))
    for (_, text), height in zip(ends, heights, strict=True):
        axes.text(deals[-1] + 0.15, height, text, va="center")
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set(xlabel="deal", ylabel="points so far", xlim=(0, deals[-1] + 0.1))
    axes.set_xticks(deals)
    axes.set_title(title)


def two_choices(game: Review, row: int) -> None:
    """Draw the discard discarded beside the best one, or the next best if it is the best.

    The cards discarded are drawn lower.
    """
    decision, options = game.decisions.iloc[row], game.options(row)
    discarded = options[options["discarded"]].iloc[0]
    other = options[(options["rank"] == 1) != (discarded["rank"] == 1)].iloc[0]
    if discarded["rank"] == 1:
        word, said = "next best", f"{points(other['behind'])} points ahead of the next"
    else:
        word, said = "best", f"{points(discarded['behind'])} points lost"
    _, axes = plt.subplots(figsize=(9, 2.9))
    bare(axes, (-1.7, 14.2), (-0.6, 4.2))
    sign = "+" if decision["role"] == "dealer" else "−"
    columns = (
        ("hand_mean", "hand", ""),
        ("crib_mean", "crib", sign),
        ("expected", "together", "="),
    )
    for option, base, label in ((discarded, 2.55, "discarded"), (other, 0.15, word)):
        draw_cards(axes, decision["cards"], discard=option["discard"], base=base)
        axes.text(-0.25, base + 0.7, label, ha="right", va="center", fontsize=11)
        for place, (column, _, before) in enumerate(columns):
            axes.text(
                8.2 + 2.3 * place, base + 0.7, f"{before} {points(option[column])}",
                ha="center", va="center", fontsize=13, weight="bold" if before == "=" else "normal",
            )  # fmt: skip
    for place, (_, name, _) in enumerate(columns):
        axes.text(8.3 + 2.3 * place, 4.05, name, ha="center", fontsize=9)
    axes.set_title(f"{decision['player']}, deal {decision['deal']}, {decision['role']}: {said}")


def decisions(game: Review, *, title: str, most: float = 3.2) -> None:
    """Draw all 15 discards of every decision by how far they are behind the best.

    The discard that was chosen is marked, and written at the side; decisions whose second is in the
    shaded strip are contested.
    """
    table = game.decisions
    order = sorted(
        range(len(table)), key=lambda number: (table["player"][number], table["deal"][number])
    )
    breaks = table["player"].iloc[order].ne(table["player"].iloc[order].shift()).cumsum().to_numpy()
    heights = np.arange(len(order)) + 0.9 * (breaks - 1)
    _, axes = plt.subplots(figsize=(10.5, 0.33 * heights[-1] + 1.6))
    axes.axvspan(0, CONTESTED, color="#f3ead9", zorder=0, linewidth=0)
    for row, height in zip(order, heights, strict=True):
        decision, options = table.iloc[row], game.options(row)
        tone = DEALER if decision["role"] == "dealer" else PONE
        behind = options["behind"][options["behind"] <= most]
        axes.plot(behind, [height] * len(behind), "o", color="#b4b9c0", markersize=4)
        axes.plot(decision["loss"], height, "o", color=tone, markersize=9)
        write_cards(axes, decision["cards"], (-0.12, height), align=(1, 0.5))
        axes.text(-1.75, height, f"{decision['deal']} {decision['role']}", va="center", color=tone)
        lost = points(decision["loss"])
        words = (
            decision["verdict"]
            if decision["verdict"] == "best"
            else f"{decision['verdict']}, {lost}"
        )
        write_cards(axes, decision["discard"], (most + 0.08, height), after=words)
    for group in np.unique(breaks):
        first = heights[breaks == group][0]
        name = table["player"][order[int(np.argmax(breaks == group))]]
        axes.text(-1.75, first - 0.85, name, weight="bold", va="center")
    axes.text(CONTESTED / 2, -0.85, "contested", ha="center", va="center", fontsize=9)
    axes.text(most + 0.08, -0.85, "discarded", va="center", fontsize=9)
    axes.set(xlim=(-0.06, most), ylim=(heights[-1] + 0.7, -1.3), xlabel="points behind the best")
    axes.yaxis.set_visible(False)
    axes.spines["left"].set_visible(False)
    axes.text(-1.75, -1.9, title, weight="bold", fontsize=12)
