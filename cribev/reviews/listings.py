"""A review deal by deal and card by card, on a terminal."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.choice import format_chance, format_points
from cribev.game import render
from cribev.reviews.decomposition import (
    PLAY_PARTS,
    PLAY_SWING,
    component_formula,
    known_components,
    known_win_components,
)
from cribev.reviews.terminal import TONES
from cribev.reviews.wording import format_percent

_Row: TypeAlias = Mapping[Any, Any]


@dataclass(frozen=True, eq=False, repr=False)
class DealLedger(render.Displayable):
    """Each deal's result, parted into losses and luck.

    Attributes
    ----------
    decisions
        As `Review.decisions` has them.
    """

    decisions: pd.DataFrame

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        known, rows = known_components(self.decisions), _by_deal(self.decisions)
        parted = PLAY_SWING in known and PLAY_PARTS[0].name in self.decisions
        steps = [*known, *PLAY_PARTS] if parted else known
        signed = {step.name: step.kind != "lost" for step in steps} | {"result": True}
        yield Text("Deal by deal, in points", style="bold")
        points = [
            [format_points(row[name], sign=sign) for name, sign in signed.items()] for row in rows
        ]
        yield _listed(console, rows, [*(step.words for step in steps), "result"], points)
        yield Text(component_formula(known), style="dim")
        if parted:
            yield Text(component_formula(PLAY_PARTS, of=PLAY_SWING.words), style="dim")
        wins = known_win_components(self.decisions)
        if not wins:
            return
        yield Text()
        yield Text("Deal by deal, in chances to win", style="bold")
        yield _listed(
            console, rows, ["score", "before", *(step.words for step in wins), "after"],
            [
                [
                    row["score"],
                    format_chance(row["win_before"]),
                    *(format_percent(row[step.name], sign=step.kind != "lost") for step in wins),
                    format_chance(row["win_after"]),
                ]
                for row in rows
            ],
        )  # fmt: skip
        yield Text(component_formula(wins, of="after - before"), style="dim")


@dataclass(frozen=True, eq=False, repr=False)
class CardList(render.Displayable):
    """Every card as it fell, with what it lost, the best card and the verdict.

    Attributes
    ----------
    cards
        As `Review.cards` has them.
    """

    cards: pd.DataFrame

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wins, rows = "win_loss" in self.cards, self.cards.to_dict(orient="records")
        yield Text("Card by card", style="bold")
        if not rows:
            yield Text("No card is graded: the play is not recorded.")
            return
        headings = ["count", "card", "pegs", "lost", *(["to win"] * wins), "best", "experts"]
        cells = [_card_cells(row, wins=wins) for row in rows]
        yield _listed(console, rows, [*headings, "verdict"], cells)
        note = "Count: before the card. Experts: how often they lay it, by cards kept and laid."
        yield Text(note, style="dim")


def _card_cells(row: _Row, *, wins: bool) -> list[str | Text]:
    by_win = wins and row["judged_by"] == "win"
    chosen = row["choices"] > 1
    return [
        str(row["count"]),
        row["card"],
        str(row["points"] or ""),
        format_points(row["loss"]),
        *([format_percent(row["win_loss"])] if wins else []),
        row["win_best" if by_win else "best"] if chosen else "",
        f"{row['share']:.0%}" if chosen else "",
        Text(row["verdict"], style=TONES[row["verdict"]]),
    ]


def _by_deal(decisions: pd.DataFrame) -> Sequence[_Row]:
    """List the rows by game, in the order of the record, and deal."""
    order = np.lexsort((decisions["deal"], pd.factorize(decisions["game"])[0]))
    rows: Sequence[_Row] = decisions.iloc[order].to_dict(orient="records")
    return rows


def _listed(
    console: Console,
    rows: Sequence[_Row],
    headings: Iterable[str],
    cells: Iterable[Iterable[str | Text]],
) -> Table:
    """Make a table of cells, the game, deal, player and role before them; deals stand apart."""
    where: list[tuple[str, JustifyMethod]]
    where = [("game", "left"), ("deal", "right"), ("player", "left"), ("role", "left")]
    folded: list[tuple[str, JustifyMethod]]
    folded = [(name.replace(" ", "\n", 1), "right") for name in headings]  # to fit a screen
    made = render.table(console, *where, *folded)
    before: tuple[Any, ...] | None = None
    for row, own in zip(rows, cells, strict=True):
        deal = row["game"], row["deal"]
        names = [render.printable(str(name)) if deal != before else "" for name in deal]
        made.add_row(*map(Text, names), Text(render.printable(row["player"])), row["role"], *own)
        before = deal
    return made
