"""The look the notebooks share, and the pictures that more than one of them draws."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.offsetbox import AnnotationBbox, HPacker, TextArea
from matplotlib.patches import FancyBboxPatch
from matplotlib.ticker import MultipleLocator, NullLocator

from cribev import Advice, Review, format_cards
from cribev.cards import RANKS, SUIT_SYMBOLS, CardsLike, as_cards, unseen
from cribev.classes import rank_pair_numbers
from cribev.opponents import Opponent
from cribev.roles import ROLES, Role
from cribev.tables import KEEPS, UNSEEN_PAIRS

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


# Cards, and the pictures of one deal


SUIT_COLOURS = (INK, "#c2251f", "#c2251f", INK)
"""Clubs, diamonds, hearts, spades."""

FIRST, SECOND = "#7d6b91", "#e0a458"
"""Two discards, or two players, side by side."""


def faces(cards: CardsLike) -> list[tuple[str, str]]:
    """Return each card as a player writes it, 10♥, and the colour of its suit."""
    return [
        (("10" if rank == "T" else rank) + suit, SUIT_COLOURS[SUIT_SYMBOLS.index(suit)])
        for rank, suit in format_cards(as_cards(cards), symbols=True).split()
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
    at: tuple[float, float],
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

    ``at`` is in the coordinates ``across`` names, ``offset`` in points from there; ``align`` says
    which point of the text comes to stand there, (0, 0) its lower left.
    """
    pieces = [(before, tone)] * bool(before) + faces(cards) + [(after, INK)] * bool(after)
    style = {"fontsize": size, "fontweight": "bold" if bold else "normal"}
    written = HPacker(
        children=[TextArea(text, textprops={"color": ink, **style}) for text, ink in pieces],
        pad=0, sep=size / 3.5, align="baseline",
    )  # fmt: skip
    axes.add_artist(
        AnnotationBbox(
            written, at, xybox=offset, xycoords=across, boxcoords="offset points",
            box_alignment=align, frameon=False, pad=0, annotation_clip=False,
        )
    )  # fmt: skip


def draw_cards(
    axes: Axes, deal: CardsLike, *, discard: CardsLike | None = None, at: float = 0.0
) -> None:
    """Draw cards side by side, those discarded pushed down and pale, their feet at ``at``."""
    thrown = set(as_cards(discard).tolist()) if discard is not None else set()
    for place, card in enumerate(np.sort(as_cards(deal)).tolist()):
        ((text, tone),) = faces([card])
        out = card in thrown
        low = at - 0.45 * out
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
    """Make room to draw in, of squares, without an axis."""
    axes.set(xlim=across, ylim=up, aspect="equal")
    axes.axis("off")


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
    for (row, column), points in np.ndenumerate(scores):
        axes.text(
            left[column] + 0.5, row, str(points), ha="center", va="center", fontsize=7.5,
            color="white" if image.norm(points) > 0.6 else INK,
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


def apart(values: Sequence[float], least: float) -> np.ndarray:
    """Move labels, given by where they belong, as little as keeps them ``least`` from the next."""
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
        middle + least * (at - (many - 1) / 2) for middle, many in groups for at in range(int(many))
    ]
    return places


def hand_and_crib(advices: Sequence[Advice], *, title: str, named: int = 4) -> None:
    """Draw the 15 discards by average crib and average hand, a panel for each advice.

    The best few are named, with how far they are behind. The line goes through the best: whatever
    lay on it would be worth as much.
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
            "As dealer: the crib is added" if dealer else "As pone: the crib is taken off",
            color=tone, fontsize=10,
        )  # fmt: skip
        axes.set(xlim=across, ylim=up, aspect="equal", xlabel="average crib, points")
        axes.xaxis.set_major_locator(MultipleLocator(1))
        axes.yaxis.set_major_locator(MultipleLocator(1))
    np.atleast_1d(panels)[0].set_ylabel("average hand, points")
    figure.suptitle(title, x=0.01, ha="left", weight="bold")


def rivals(advice: Advice, discards: Sequence[str], *, title: str) -> None:
    """Draw how likely each number of points is for two discards: hand, crib and both together.

    What has less than a chance in a thousand is left out.
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

    ``advices`` gives for each opponent's name one advice a role. Discards that are somewhere the
    best have a colour, others that are near it everywhere are grey.
    """
    names = list(advices)
    roles = len(advices[names[0]])
    figure, panels = plt.subplots(
        1, roles, figsize=(5.4 * roles, 0.55 * len(names) + 1.6), sharey=True
    )
    for panel, axes in enumerate(np.atleast_1d(panels)):
        columns = [advices[name][panel] for name in names]
        worth = pd.DataFrame({at: one.table.set_index("discard")["expected"]
                              for at, one in enumerate(columns)})  # fmt: skip
        behind = worth.max() - worth
        behind = behind[behind.max(axis=1) < most].sort_values(0)
        winners = list(dict.fromkeys(one.best.discard for one in columns))
        tones = dict(zip(winners, (FIRST, SECOND, "#6b8f71"), strict=False))
        places = apart(behind[0].tolist(), most / 8)
        for (discard, short), place in zip(behind.iterrows(), places, strict=True):
            tone = tones.get(str(discard), "#b4b9c0")
            axes.plot(short, range(len(names)), "o-", color=tone, linewidth=1.2, markersize=7)
            write_cards(axes, discard, (place, -0.35), align=(0.5, 0), size=8.5)
        for row, one in enumerate(columns):
            write_cards(
                axes, one.best.discard, (1.03, row), across=("axes fraction", "data"), bold=True,
                after=f"by {-one.table['expected'].diff().iloc[1]:.2f}",
            )  # fmt: skip
        role = columns[0].role
        axes.set_title(f"As {role}", color=DEALER if role == "dealer" else PONE, fontsize=10, pad=8)
        axes.set(xlim=(most, -0.06), ylim=(len(names) - 0.6, -0.7), xlabel="points behind the best")
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0)
        axes.axvline(0, ymax=0.9, color=FAINT, linewidth=1, zorder=0)
        axes.spines["left"].set_visible(False)
    figure.suptitle(title, x=0.01, ha="left", weight="bold")


def thrown_ranks(opponent: Opponent, deal: CardsLike, role: Role) -> np.ndarray:
    """Return how many of 100 cards the opponent throws beside a deal are of each rank, (13,)."""
    six = np.sort(as_cards(deal, count=6))
    weight = opponent.weights(six, role).sum(axis=1)
    ranks = (unseen(six) >> 2)[UNSEEN_PAIRS]
    count = np.bincount(ranks.ravel(), np.repeat(weight, 2), minlength=13)
    return 100 * count / count.sum()


def ranks_thrown(shares: dict[str, np.ndarray], *, title: str) -> None:
    """Draw how often each rank is thrown, a line of dots for each opponent, named at its side."""
    _, axes = plt.subplots(figsize=(9, 3.6))
    tones = dict(zip(shares, (PONE, DEALER, "#8b9199"), strict=False))
    heights = apart([share[12] for share in shares.values()], 0.9)
    for (name, share), height in zip(shares.items(), heights, strict=True):
        axes.plot(range(13), share, "o-", color=tones[name], linewidth=1, markersize=6)
        axes.text(12.3, height, name, va="center", color=tones[name])
    axes.set_xticks(range(13), ["10" if rank == "T" else rank for rank in RANKS])
    axes.set(ylim=(0, None), ylabel="of 100 cards thrown", xlim=(-0.4, 12.2))
    axes.set_title(title)


# A game reviewed

LUCK, CUT, SWING, LOST, RESULT = "#7d6b91", "#b3a6c4", "#e0a458", "#222831", "#8b9199"
"""The deal, the starter, the swing of the crib, what was lost, and what it came to."""

_PARTS = {
    "deal_luck": ("deal luck", LUCK),
    "ev_loss": ("lost by discarding", LOST),
    "starter_luck": ("starter luck", CUT),
    "crib_swing": ("crib swing", SWING),
}


def ledger(game: Review, *, title: str) -> None:
    """Draw each player's books: what each part adds to or takes from the result, step by step."""
    players = game.players
    figure, panels = plt.subplots(1, len(players), figsize=(4.9 * len(players), 3.9), sharey=True)
    lows, highs = [0.0], [0.0]
    for axes, (_, player) in zip(np.atleast_1d(panels), players.iterrows(), strict=True):
        steps = [-player[part] if part == "ev_loss" else player[part] for part in _PARTS]
        level = np.concatenate([[0.0], np.cumsum(steps)])
        tones = [tone for _, tone in _PARTS.values()]
        axes.bar(range(4), steps, bottom=level[:4], color=tones, width=0.7)
        axes.bar(4, player["result"], color=RESULT, width=0.7)
        for at, height in enumerate([*level[1:4], player["result"]]):
            axes.plot([at + 0.35, at + 0.65], [height, height], color=RESULT, linewidth=0.8)
        for at, step in enumerate([*steps, player["result"]]):
            high = max(level[at], level[at + 1]) if at < 4 else max(step, 0.0)
            axes.annotate(
                points(step, sign=True), (at, high), xytext=(0, 3), textcoords="offset points",
                ha="center", weight="bold" if at == 4 else "normal",
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
    """Draw what each deal brought each player: its parts as bars, its result as a diamond."""
    names = game.players["player"]
    figure, panels = plt.subplots(len(names), 1, figsize=(9, 2.8 * len(names) + 0.4), sharey=True)
    for axes, name in zip(np.atleast_1d(panels), names, strict=True):
        own = game.decisions[game.decisions["player"] == name]
        at = own["deal"].to_numpy()
        heights = {True: np.zeros(len(own)), False: np.zeros(len(own))}
        for part, (label, tone) in _PARTS.items():
            step = own[part].to_numpy() * (-1 if part == "ev_loss" else 1)
            for up, height in heights.items():
                side = np.where((step > 0) == up, step, 0.0)
                axes.bar(at, side, bottom=height, color=tone, width=0.62, label=label if up else "")
                height += side
        axes.plot(
            at, own["result"], "D", color="white", markeredgecolor=INK, markersize=6,
            linestyle="none", label="result",
        )  # fmt: skip
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.set_title(name, fontsize=10)
        axes.set_ylabel("points")
        axes.set_xticks(at)
        axes.tick_params(axis="x", length=0, labelbottom=True)
        for label, role in zip(axes.get_xticklabels(), own["role"], strict=True):
            label.set_color(DEALER if role == "dealer" else PONE)
        axes.set_xticklabels(
            [f"{deal}\n{role}" for deal, role in zip(at, own["role"], strict=True)]
        )
        axes.spines["bottom"].set_visible(False)
    handles, labels = np.atleast_1d(panels)[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=5, frameon=False)
    figure.suptitle(title, x=0.01, ha="left", weight="bold")


def running(game: Review, *, title: str) -> None:
    """Draw each player's result, and what discards alone took from it, from deal to deal."""
    _, axes = plt.subplots(figsize=(9, 3.9))
    ends = []
    for name, tone in zip(game.players["player"], (FIRST, SECOND), strict=False):
        own = game.decisions[game.decisions["player"] == name].sort_values("deal")
        deals = [0, *own["deal"]]
        for label, steps, style in (
            ("result", own["result"], "-"),
            ("lost by discarding", -own["ev_loss"], ":"),
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
    """Draw the discard that was thrown, the cards given away pushed down, beside a better one.

    If none is better, it stands beside the next best.
    """
    decision, options = game.decisions.iloc[row], game.options(row)
    thrown = options[options["thrown"]].iloc[0]
    other = options[(options["rank"] == 1) != (thrown["rank"] == 1)].iloc[0]
    if thrown["rank"] == 1:
        word, said = "next best", f"{points(other['behind'])} points ahead of the next"
    else:
        word, said = "best", f"{points(thrown['behind'])} points lost"
    _, axes = plt.subplots(figsize=(9, 2.9))
    bare(axes, (-1.7, 14.2), (-0.6, 4.2))
    sign = "+" if decision["role"] == "dealer" else "−"
    columns = (
        ("hand_mean", "hand", ""),
        ("crib_mean", "crib", sign),
        ("expected", "together", "="),
    )
    for option, at, label in ((thrown, 2.55, "thrown"), (other, 0.15, word)):
        draw_cards(axes, decision["cards"], discard=option["discard"], at=at)
        axes.text(-0.25, at + 0.7, label, ha="right", va="center", fontsize=11)
        for place, (column, _, before) in enumerate(columns):
            axes.text(
                8.2 + 2.3 * place, at + 0.7, f"{before} {points(option[column])}",
                ha="center", va="center", fontsize=13, weight="bold" if before == "=" else "normal",
            )  # fmt: skip
    for place, (_, name, _) in enumerate(columns):
        axes.text(8.3 + 2.3 * place, 4.05, name, ha="center", fontsize=9)
    axes.set_title(f"{decision['player']}, deal {decision['deal']}, {decision['role']}: {said}")


def decisions(game: Review, *, title: str, most: float = 3.2) -> None:
    """Draw all 15 discards of every decision by how far they are behind the best.

    What was thrown is marked, and spelt out at the side; decisions whose second discard stands in
    the shaded strip are contested.
    """
    table = game.decisions
    order = sorted(range(len(table)), key=lambda at: (table["player"][at], table["deal"][at]))
    breaks = table["player"].iloc[order].ne(table["player"].iloc[order].shift()).cumsum().to_numpy()
    heights = np.arange(len(order)) + 0.9 * (breaks - 1)
    _, axes = plt.subplots(figsize=(10.5, 0.33 * heights[-1] + 1.6))
    axes.axvspan(0, game.contested, color="#f3ead9", zorder=0, linewidth=0)
    for row, height in zip(order, heights, strict=True):
        decision, options = table.iloc[row], game.options(row)
        tone = DEALER if decision["role"] == "dealer" else PONE
        behind = options["behind"][options["behind"] <= most]
        axes.plot(behind, [height] * len(behind), "o", color="#b4b9c0", markersize=4)
        axes.plot(decision["ev_loss"], height, "o", color=tone, markersize=9)
        write_cards(axes, decision["cards"], (-0.12, height), align=(1, 0.5))
        axes.text(-1.75, height, f"{decision['deal']} {decision['role']}", va="center", color=tone)
        lost = points(decision["ev_loss"])
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
    axes.text(game.contested / 2, -0.85, "contested", ha="center", va="center", fontsize=9)
    axes.text(most + 0.08, -0.85, "thrown", va="center", fontsize=9)
    axes.set(xlim=(-0.06, most), ylim=(heights[-1] + 0.7, -1.3), xlabel="points behind the best")
    axes.yaxis.set_visible(False)
    axes.spines["left"].set_visible(False)
    axes.text(-1.75, -1.9, title, weight="bold", fontsize=12)


def standing(rows: pd.DataFrame, *, title: str) -> None:
    """Draw what players and simple ways to discard lose a deal, least at the top.

    ``rows`` has a name as index, ``here``, the mean loss in these deals, ``error``, its standard
    error for players, and ``always``, that over all deals there are, for the others.
    """
    shown = rows.sort_values("here", kind="stable")
    _, axes = plt.subplots(figsize=(9, 0.45 * len(shown) + 1.3))
    for at, (_, row) in enumerate(shown.iterrows()):
        player = np.isfinite(row["error"])
        tone = FIRST if player else "#8b9199"
        if player:
            ends = max(row["here"] - row["error"], 0), row["here"] + row["error"]
            axes.plot(ends, [at, at], color=tone, linewidth=2)
        else:
            axes.plot(row["always"], at, "D", color="white", markeredgecolor=tone, markersize=7)
        axes.plot(row["here"], at, "o", color=tone, markersize=8)
    axes.set_yticks(range(len(shown)), shown.index)
    widest = shown.iloc[at := int((shown["always"] - shown["here"]).abs().fillna(0).argmax())]
    for column, said in (("here", "in these deals"), ("always", "in all deals")):
        axes.annotate(
            said, (widest[column], at), xytext=(0, 8), textcoords="offset points",
            ha="center", fontsize=9,
        )  # fmt: skip
    for label, error in zip(axes.get_yticklabels(), shown["error"], strict=True):
        label.set_fontweight("bold" if np.isfinite(error) else "normal")
    axes.tick_params(axis="y", length=0)
    axes.set(xlim=(-0.01, None), ylim=(len(shown) - 0.5, -0.5), xlabel="points lost a deal")
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_title(title)


# ---- all deals at once, and the game solved ----

_SEVERITY = ("#e6eaec", "#f3dfb8", "#e0a458", "#c8553d", "#7a2318")


def rank_pairs_by_role(
    values: Mapping[Role, np.ndarray],
    *,
    titles: Mapping[Role, str],
    spread: float | None = None,
    form: str = "{:.1f}",
) -> None:
    """Draw a number for each pair of ranks, the dealer's on the left and pone's on the right.

    ``values`` holds 91 numbers for each role, in the order of `cribev.classes.RANK_PAIRS`;
    the rest is as in `rank_pairs`.
    """
    _, sides = plt.subplots(1, 2, figsize=(10.4, 5.3))
    for axes, role in zip(sides, ROLES, strict=True):
        rank_pairs(
            axes, values[role][rank_pair_numbers()], title=titles[role], spread=spread, form=form
        )


def loss_bands(shares: Mapping[Role, pd.DataFrame], *, titles: Mapping[Role, str]) -> None:
    """Draw how the deals of each way to discard divide by what it loses in them.

    ``shares`` has, for each role, a row for each way to discard and a column for each band, in
    order, as shares of all deals; a row sums to one.
    """
    rows = [len(shares[role]) for role in ROLES]
    figure, sides = plt.subplots(
        2, 1, figsize=(9, 0.33 * sum(rows) + 1.5), height_ratios=rows, sharex=True
    )
    for axes, role in zip(sides, ROLES, strict=True):
        table = shares[role]
        left = np.zeros(len(table))
        for band, colour in zip(table, _SEVERITY, strict=True):
            widths = table[band].to_numpy()
            axes.barh(table.index, widths, left=left, color=colour, height=0.75)
            for row, (start, width) in enumerate(zip(left, widths, strict=True)):
                if width >= 0.03:
                    axes.text(
                        start + width / 2, row, f"{width:.0%}", ha="center", va="center",
                        fontsize=8, color="white" if colour in _SEVERITY[3:] else INK,
                    )  # fmt: skip
            left += widths
        axes.set(title=titles[role], xlim=(0, 1), ylim=(len(table) - 0.5, -0.5), xticks=[])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    figure.legend(
        [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in _SEVERITY],
        list(shares[ROLES[0]]),
        loc="outside upper right", ncols=5, frameon=False, handlelength=1, columnspacing=1.2,
        fontsize=9,
    )  # fmt: skip


def loss_tails(
    losses: Mapping[Role, Mapping[str, np.ndarray]],
    shares: np.ndarray,
    *,
    colours: Mapping[str, str],
    titles: Mapping[Role, str],
) -> None:
    """Draw in how many deals a way to discard loses so much or more, both on log axes.

    ``losses`` gives points for each kind of deal, ``shares`` its share of all deals. ``colours``
    names the lines to be drawn, from the right to the left.
    """
    _, sides = plt.subplots(1, 2, figsize=(10.4, 4.6), sharey=True)
    points = np.geomspace(0.01, 25, 300)
    for axes, role in zip(sides, ROLES, strict=True):
        for place, (name, colour) in enumerate(colours.items()):
            counts, _ = np.histogram(losses[role][name], bins=[*points, np.inf], weights=shares)
            at_least = counts[::-1].cumsum()[::-1]
            seen = at_least > 1e-7
            axes.plot(points[seen], at_least[seen], color=colour, linewidth=1.8)
            axes.text(
                0.03, 0.36 - 0.07 * place, name, transform=axes.transAxes, color=colour,
                weight="bold",
            )  # fmt: skip
        axes.set(title=titles[role], xscale="log", yscale="log", xlim=(0.01, 25), ylim=(6e-7, 1.3))
        axes.set_xlabel("points lost, or more")
        axes.set_xticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
        axes.grid(color=FAINT, linewidth=0.6)
        axes.minorticks_off()
        axes.tick_params(length=0, pad=6)
        axes.spines[:].set_visible(False)
    in_words = ["every deal", *(f"1 in {10**power:,}" for power in range(1, 7))]
    sides[0].set_yticks([10.0**-power for power in range(7)], in_words)


def by_number_held(panels: Mapping[str, np.ndarray], *, spread: float) -> None:
    """Draw how much more or less deals are worth by how many cards of each rank they hold.

    ``panels`` gives for each title a difference in points for each rank and none to four cards,
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


def rounds_of_solving(first: pd.DataFrame, last: pd.DataFrame, *, titles: tuple[str, str]) -> None:
    """Draw how many deals changed and what was gained in rounds of best play against best.

    Each frame has the columns ``number``, ``role``, ``changed`` and ``gain``; between the first
    rounds and the last a dotted line stands for those that are left out.
    """
    _, sides = plt.subplots(1, 2, figsize=(10.4, 4.2))
    for axes, column, title in zip(sides, ("changed", "gain"), titles, strict=True):
        for role, colour in zip(ROLES, (DEALER, PONE), strict=True):
            begun, ended = (frame[frame["role"] == role] for frame in (first, last))
            for rows in (begun, ended):
                axes.plot(rows["number"], rows[column], "o-", color=colour, markersize=4.5)
            gap = pd.concat([begun.tail(1), ended.head(1)])
            axes.plot(gap["number"], gap[column], ":", color=colour)
        for role, colour, shift in (("dealer", DEALER, 1), ("pone", PONE, -1)):
            end = first[first["role"] == role].iloc[-1]
            axes.annotate(
                role, (end["number"], end[column]), xytext=(8 * shift, 5 * shift),
                textcoords="offset points", color=colour, weight="bold",
                ha="left" if shift > 0 else "right", va="bottom" if shift > 0 else "top",
            )  # fmt: skip
        axes.set(title=title, yscale="log", xlabel="round")
        axes.set_xticks(range(1, int(last["number"].max()) + 1))
        axes.grid(axis="y", color=FAINT, linewidth=0.6)
        axes.minorticks_off()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    sides[0].yaxis.set_major_formatter("{x:,.0f}")
    sides[1].yaxis.set_major_formatter(lambda value, _: f"{value:.8f}".rstrip("0"))


def crib_ranges(spreads: Mapping[Role, pd.DataFrame], *, titles: Mapping[Role, str]) -> None:
    """Draw how far the average crib of each pair ranges about its number in a table.

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
    """Draw what a kept card of each rank does to the crib, for pairs of ranks thrown.

    Each frame has a row for each pair and a column for each rank, in points; NaN is left white.
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
        axes.set(title=titles[role], xlabel="card kept", ylabel="thrown")
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
    """Write a difference to a tenth; nought has no sign."""
    return f"{value:+.1f}".replace("-", "−") if abs(value) >= 0.05 else "0"
