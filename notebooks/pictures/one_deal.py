"""Pictures of one deal: keeps, discards, and what opponents discard."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import MultipleLocator

from cribev import Advice, format_cards
from cribev.game.cards import RANKS, CardsLike, as_cards, unseen
from cribev.game.index_tables import KEEPS, UNSEEN_PAIRS
from cribev.game.roles import Role
from cribev.opponents.opponents import Discards
from pictures.look import (
    DEALER,
    FAINT,
    FIRST,
    INK,
    PONE,
    SECOND,
    apart,
    bare,
    draw_cards,
    faces,
    points,
    write_cards,
)


def hand(deal: CardsLike) -> None:
    """Draw a hand of cards."""
    number = len(as_cards(deal))
    _, axes = plt.subplots(figsize=(0.62 * number, 0.9))
    bare(axes, (-0.1, number * 1.12), (-0.1, 1.5))
    draw_cards(axes, deal)


def every_starter(advice: Advice, *, title: str) -> None:
    """Draw what each keep scores with each starter: keeps down, best first, starters across."""
    keeps = [format_cards(advice.deal[places]) for places in KEEPS]
    scores = advice.hand_scores[order := np.argsort(-advice.hand_scores.mean(axis=1))]
    ranks = advice.starters >> 2
    gap = 0.45  # between the ranks
    left = np.arange(len(ranks)) + gap * ranks
    edges = np.unique(np.concatenate([left, left + 1]))
    shown = np.full((len(scores), len(edges) - 1), np.nan)
    shown[:, np.searchsorted(edges, left)] = scores
    _, axes = plt.subplots(figsize=(11.5, 4.9))
    image = axes.pcolormesh(
        edges, np.arange(len(scores) + 1) - 0.5, shown,
        cmap="YlGnBu", vmin=0, vmax=max(10, scores.max()), edgecolor="white", linewidth=0.5,
    )  # fmt: skip
    for (row, column), score in np.ndenumerate(scores):
        axes.text(
            left[column] + 0.5, row, str(score), ha="center", va="center", fontsize=7.5,
            color="white" if image.norm(score) > 0.6 else INK,
        )  # fmt: skip
    for row, keep in enumerate(order):
        write_cards(axes, keeps[keep], (left[0], row), align=(1, 0.5), offset=(-8, 0))
        axes.text(left[-1] + 1.6, row, f"{scores[row].mean():.2f}", va="center", fontsize=9)
    for column, card in enumerate(advice.starters):
        ((text, tone),) = faces([card])
        axes.text(left[column] + 0.5, len(scores) - 0.1, text[-1], color=tone, ha="center")
    for rank in np.unique(ranks):
        middle = left[ranks == rank].mean() + 0.5
        axes.text(
            middle, len(scores) + 0.9, RANKS[rank].replace("T", "10"), ha="center", weight="bold"
        )
    axes.text(left[-1] + 1.6, -0.85, "average", fontsize=9)
    axes.text(left[0], -0.85, "keep", fontsize=9, ha="right")
    axes.set(xlim=(left[0], left[-1] + 1), ylim=(len(scores) + 1, -0.5))
    axes.set_title(title, pad=18)
    axes.axis("off")


def hand_and_crib(advices: Sequence[Advice], *, title: str, named: int = 4) -> None:
    """Draw the 15 discards by average crib and average hand, a panel for each advice.

    The best few are named, with how far they are behind. The line goes through the best: points
    on it are worth as much.
    """
    cribs = np.concatenate([advice.table["crib_mean"] for advice in advices])
    hands = np.concatenate([advice.table["hand_mean"] for advice in advices])
    across = cribs.min() - 0.4, cribs.max() + 0.4
    up = hands.min() - 0.4, hands.max() + 0.7
    figure, panels = plt.subplots(1, len(advices), figsize=(5.2 * len(advices), 4.3), sharey=True)
    for axes, advice in zip(np.atleast_1d(panels), advices, strict=True):
        dealer = advice.role == "dealer"
        tone = DEALER if dealer else PONE
        best, choices = advice.best, advice.choices
        axes.axline((best.crib_mean, best.hand_mean), slope=-1 if dealer else 1, color=tone, lw=1)
        first, *others = choices[:named]
        heights = apart([one.hand_mean + one.crib_mean / 1000 for one in choices[:named]], 0.36)
        for choice, height in zip(
            choices[:named], heights + up[1] - 0.2 - heights.max(), strict=True
        ):
            behind = best.expected - choice.expected
            axes.annotate(
                "", (choice.crib_mean, choice.hand_mean), xytext=(across[1] + 0.12, height),
                arrowprops={"arrowstyle": "-", "color": "#b4b9c0", "lw": 0.8, "shrinkB": 4},
                annotation_clip=False,
            )  # fmt: skip
            write_cards(
                axes, choice.discard, (across[1] + 0.18, height), bold=choice is first,
                after=points(choice.expected) if choice is first else f"{behind:.2f} behind",
            )  # fmt: skip
        for shown, shade in ((choices[named:], "#b4b9c0"), (others, tone), ([first], tone)):
            axes.plot(
                [choice.crib_mean for choice in shown], [choice.hand_mean for choice in shown],
                "o", color=shade, markersize=9 if shown == [first] else 6,
            )  # fmt: skip
        axes.set_title(
            "As dealer: the crib is added" if dealer else "As pone: the crib is subtracted",
            color=tone, fontsize=10,
        )  # fmt: skip
        axes.set(xlim=across, ylim=up, aspect="equal", xlabel="average crib, points")
        axes.xaxis.set_major_locator(MultipleLocator(1))
        axes.yaxis.set_major_locator(MultipleLocator(1))
    np.atleast_1d(panels)[0].set_ylabel("average hand, points")
    figure.suptitle(title, x=0.01, ha="left", weight="bold")


def rivals(advice: Advice, discards: Sequence[str], *, title: str) -> None:
    """Draw how likely each number of points is for two discards: hand, crib and both together.

    Chances below one in a thousand are left out.
    """
    chances = [100 * advice.distribution(discard) for discard in discards]
    worth = advice.table.set_index("discard")
    both = "Hand plus crib" if advice.role == "dealer" else "Hand minus crib"
    parts = (("Hand", "hand", "hand_mean"), ("Crib", "crib", "crib_mean"),
             (both, "total", "expected"))  # fmt: skip
    figure, panels = plt.subplots(3, 1, figsize=(9, 6.2))
    panels[1].sharex(panels[0])
    for axes, (name, column, mean) in zip(panels, parts, strict=True):
        top = 1.3 * max(chance[column].max() for chance in chances)
        averages = [worth[mean][discard] for discard in discards]
        for place, (chance, tone) in enumerate(zip(chances, (FIRST, SECOND), strict=True)):
            likely = chance[column][chance[column] > 0.1]
            axes.bar(likely.index + 0.4 * (place - 0.5), likely, width=0.38, color=tone)
            axes.plot([averages[place]] * 2, [0, top * 0.86], color=tone, linewidth=1.5)
            to_left = averages[place] < averages[1 - place] + 1e-9 * place
            write_cards(
                axes, discards[place], (averages[place], top * 0.93), before="■", tone=tone,
                after=f"average {points(averages[place])}",
                align=(float(to_left), 0.5), offset=(-4 if to_left else 4, 0),
            )  # fmt: skip
        axes.set(ylim=(0, top), ylabel="chance, %")
        axes.set_title(name, fontsize=10)
        axes.xaxis.set_major_locator(MultipleLocator(2))
    panels[-1].set_xlabel("points")
    figure.suptitle(title, x=0.01, ha="left", weight="bold")


def by_opponent(advices: dict[str, Sequence[Advice]], *, title: str, most: float = 0.75) -> None:
    """Draw how far each discard is behind the best, a row for each opponent, a panel for each role.

    ``advices`` has one advice for each role by the opponent's name. Discards that are best against
    some opponent have a colour; others near the best are grey.
    """
    names = list(advices)
    roles = len(advices[names[0]])
    figure, panels = plt.subplots(
        1, roles, figsize=(5.4 * roles, 0.55 * len(names) + 1.6), sharey=True
    )
    for panel, axes in enumerate(np.atleast_1d(panels)):
        columns = [advices[name][panel] for name in names]
        worth = pd.DataFrame({number: advice.table.set_index("discard")["expected"]
                              for number, advice in enumerate(columns)})  # fmt: skip
        behind = worth.max() - worth
        behind = behind[behind.max(axis=1) < most].sort_values(0)
        winners = list(dict.fromkeys(advice.best.discard for advice in columns))
        tones = dict(zip(winners, (FIRST, SECOND, "#6b8f71"), strict=False))
        places = apart(behind[0].tolist(), most / 8)
        for (discard, short), place in zip(behind.iterrows(), places, strict=True):
            tone = tones.get(str(discard), "#b4b9c0")
            axes.plot(short, range(len(names)), "o-", color=tone, linewidth=1.2, markersize=7)
            write_cards(axes, discard, (place, -0.35), align=(0.5, 0), size=8.5)
        for row, advice in enumerate(columns):
            write_cards(
                axes, advice.best.discard, (1.03, row), across=("axes fraction", "data"), bold=True,
                after=f"by {-advice.table['expected'].diff().iloc[1]:.2f}",
            )  # fmt: skip
        role = columns[0].role
        axes.set_title(f"As {role}", color=DEALER if role == "dealer" else PONE, fontsize=10, pad=8)
        axes.set(xlim=(most, -0.06), ylim=(len(names) - 0.6, -0.7), xlabel="points behind the best")
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0)
        axes.axvline(0, ymax=0.9, color=FAINT, linewidth=1, zorder=0)
        axes.spines["left"].set_visible(False)
    figure.suptitle(title, x=0.01, ha="left", weight="bold")


def discarded_ranks(opponent: Discards, deal: CardsLike, role: Role) -> np.ndarray:
    """Count each rank among 100 cards that the opponent discards, given your deal: ``(13,)``."""
    six = np.sort(as_cards(deal, count=6))
    weight = opponent.weights(six, role).sum(axis=1)
    ranks = (unseen(six) >> 2)[UNSEEN_PAIRS]
    count = np.bincount(ranks.ravel(), np.repeat(weight, 2), minlength=13)
    return 100 * count / count.sum()


def ranks_discarded(shares: dict[str, np.ndarray], *, title: str) -> None:
    """Draw how often each rank is discarded, a line of dots for each opponent, named at its end."""
    _, axes = plt.subplots(figsize=(9, 3.6))
    tones = dict(zip(shares, (PONE, DEALER, "#8b9199"), strict=False))
    heights = apart([share[12] for share in shares.values()], 0.9)
    for (name, share), height in zip(shares.items(), heights, strict=True):
        axes.plot(range(13), share, "o-", color=tones[name], linewidth=1, markersize=6)
        axes.text(12.3, height, name, va="center", color=tones[name])
    axes.set_xticks(range(13), ["10" if rank == "T" else rank for rank in RANKS])
    axes.set(ylim=(0, None), ylabel="of 100 cards discarded", xlim=(-0.4, 12.2))
    axes.set_title(title)
