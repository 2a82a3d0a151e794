"""The tables of a review in a terminal: its deals, its cards and its leaks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from textwrap import fill
from typing import Any, TypeAlias

import pandas as pd
from rich.console import Console, JustifyMethod, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.advice.verdicts import FORCED
from cribev.game import render
from cribev.game.words import WINS, format_chance, format_points, format_worth, printable
from cribev.grades import grading as grades
from cribev.grades.totals import NEAR_END_WORDS, RATE_WORDS, Totals
from cribev.leaks.groups import LEAKS_NOTE, leak_cells, leak_headings, mendable
from cribev.records.record import deal_order
from cribev.rows.names import PLAY_COLUMNS

Cell: TypeAlias = str | Text
Named: TypeAlias = tuple[str, Iterable[Cell]]  # what stands in a row beside a player's name
_Row: TypeAlias = Mapping[Any, Any]

_LEFT = ("player", "of", "lost per", "group")  # columns of words
TONES = {
    "best": "green",
    "close": "",
    "inaccuracy": "yellow",
    "mistake": "magenta",
    "blunder": "bold red",
    FORCED: "dim",
}


def player_table(console: Console, headings: Iterable[str], rows: Iterable[Named]) -> Table:
    """Make a table of cells with the player before them, who is named once."""
    columns: list[tuple[str, JustifyMethod]]
    names = "player", *headings
    columns = [(_folded(name), "left" if name in _LEFT else "right") for name in names]
    listed, before = render.table(console, *columns), None
    # A long name is folded, so that no figure is cut off.
    listed.columns[0].no_wrap, listed.columns[0].overflow = False, "fold"
    for column in listed.columns[1:]:
        column.no_wrap = column.header != "group"
    for name, cells in rows:
        texts = (Text(cell) if isinstance(cell, str) else cell for cell in cells)
        listed.add_row(Text(printable(name) if name != before else ""), *texts)
        before = name
    return listed


def _folded(heading: str) -> str:
    """Part a heading into lines, so that a table fits a screen."""
    return fill(heading, 8, break_long_words=False)


def tally_cell(number: int, verdict: str) -> Text:
    """Write how many decisions have a verdict."""
    return Text(str(number), style=TONES[verdict] if number else "dim")


RATE_HEADINGS = ["lost per", "number", "lost", "±", *grades.BASELINE_PLAY]


def rate_cells(rate: Totals, unit: str) -> list[str]:
    """Write what a kind of choice lost in the unit it is judged by, and others would have."""
    loss, write = "loss_mean", partial(format_points, digits=3)
    kind: str = RATE_WORDS.get(rate["decision"]) or rate["decision"]
    if rate["judged_by"] == "win":
        loss, write = f"win_{loss}", partial(format_worth, digits=2, staked=unit != WINS)
        kind += NEAR_END_WORDS
    names = [loss, f"{loss}_se", *(f"{who}_{loss}" for who in grades.BASELINE_PLAY)]
    return [kind, str(rate["decisions"]), *(write(rate[name]) for name in names)]


def play_cells(player: Totals) -> Iterator[Cell]:
    """Write what luck and errors in the play came to, and the accuracy."""
    for name in PLAY_COLUMNS:
        yield total_cell(player, name, format_points(player[name], sign=name == "play_luck"))
    yield format_points(player["accuracy"], 1)


def total_cell(player: Totals, name: str, written: str = "", deals: str = "") -> Text:
    """Write a total, and of how many deals if they are not all."""
    known = player[deals or f"{name}_deals"]
    if not known:
        return Text("-", style="dim")
    text = Text(written or format_points(player[name], sign=True))
    if known != player["decisions"]:
        text.append(f" of {known}", style="dim")
    return text


def deal_ledger(decisions: pd.DataFrame) -> render.Drawn:
    """Draw each deal's result, parted into losses and luck, of `Review.decisions`."""
    return render.Drawn(partial(_deal_ledger, decisions))


def _deal_ledger(decisions: pd.DataFrame, console: Console) -> RenderResult:
    steps = grades.known_components(decisions)
    rows = decisions.iloc[deal_order(decisions)].to_dict(orient="records")
    if grades.PLAY_SWING in steps and grades.PLAY_PARTS[0].name in decisions:
        steps = [*steps[:-1], *grades.PLAY_PARTS]
    signed = {step.name: step.kind != "lost" for step in steps} | {"result": True}
    yield Text("Deal by deal, in points", style="bold")
    points = [
        [format_points(row[name], sign=sign) for name, sign in signed.items()] for row in rows
    ]
    headings = [*(step.words for step in steps), "result"]
    yield _listed(console, rows, headings, points)
    yield Text(f"{grades.component_formula(steps)}; * marks the dealer", style="dim")
    wins = grades.known_win_components(decisions)
    if not wins:
        return
    staked = "value_before" in decisions
    measure, write = ("value", format_points) if staked else ("win", format_chance)
    changes = {step.name: step.kind != "lost" for step in wins}
    yield Text()
    unit = "what is played for" if staked else "chances to win"
    yield Text(f"Deal by deal, in {unit}", style="bold")
    worth = partial(format_worth, staked=staked)
    chances = [
        [
            row["score"] or row["win_unknown"],
            write(row[f"{measure}_before"]),
            *(worth(row[name], sign=sign) for name, sign in changes.items()),
            write(row[f"{measure}_after"]) or row["win_unknown"] * bool(row["score"]),
        ]
        for row in rows
    ]
    headings = ["score", "before", *(step.words for step in wins), "after"]
    yield _listed(console, rows, headings, chances)
    yield Text(grades.component_formula(wins, of="after - before"), style="dim")


def card_list(cards: pd.DataFrame) -> render.Drawn:
    """Draw every card of `Review.cards` as it fell, with its loss, the best card and verdict."""
    return render.Drawn(partial(_card_list, cards))


def _card_list(cards: pd.DataFrame, console: Console) -> RenderResult:
    rows = cards.to_dict(orient="records")
    wins = bool(cards["win_loss"].notna().any())
    yield Text("Card by card", style="bold")
    if not rows:
        yield Text("No card is graded: the play is not recorded.")
        return
    unit = "worth" if "value" in cards else "to win"
    headings = ["count", "card", "pegs", "lost", *([unit] * wins), "best", "experts"]
    cells = [_card_cells(row, wins=wins) for row in rows]
    yield _listed(console, rows, [*headings, "verdict"], cells)
    note = "Count: before the card. Experts: how often they play it, by cards kept and played."
    yield Text(f"* marks the dealer. {note}", style="dim")


def leak_list(leaks: pd.DataFrame, unit: str) -> render.Drawn:
    """Draw what can be mended of `Review.leaks`, with what it lost."""
    return render.Drawn(partial(_leak_list, leaks, unit))


def _leak_list(leaks: pd.DataFrame, unit: str, console: Console) -> RenderResult:
    yield Text("Leaks: what to mend first, then the costliest", style="bold")
    rows = mendable(leaks).to_dict(orient="records")
    if not rows:
        yield Text("No kind of decision that you can mend has been met often enough.")
        return
    cells = ((row["player"], leak_cells(row, unit)) for row in rows)
    yield player_table(console, leak_headings(leaks, unit), cells)
    yield Text(LEAKS_NOTE, style="dim")


def _card_cells(row: _Row, *, wins: bool) -> list[str | Text]:
    by_win = wins and row["judged_by"] == "win"
    chosen, best = row["choices"] > 1, row["win_card" if by_win else "best_card"]
    if by_win and best != row["best_card"]:
        best += " to win"
    return [
        str(row["count"]),
        row["card"],
        str(row["points"] or ""),
        format_points(row["loss"]),
        *([format_worth(row["win_loss"], staked="value" in row)] if wins else []),
        best if chosen else "",
        f"{row['share']:.0%}" if chosen else "",
        Text(row["verdict"], style=TONES[row["verdict"]]),
    ]


def _listed(
    console: Console,
    rows: Sequence[_Row],
    headings: Iterable[str],
    cells: Iterable[Iterable[str | Text]],
) -> Table:
    """Make a table of cells, the game, deal and player before them, a star at the dealer's name."""
    folded: list[tuple[str, JustifyMethod]] = [(_folded(name), "right") for name in headings]
    table = render.table(console, ("game", "left"), ("deal", "right"), ("player", "left"), *folded)
    before: tuple[Any, ...] | None = None
    for row, own in zip(rows, cells, strict=True):
        deal = row["game"], row["deal"]
        names = [printable(str(name)) if deal != before else "" for name in deal]
        player = printable(row["player"]) + "*" * (row["role"] == "dealer")
        table.add_row(*map(Text, [*names, player]), *own)
        before = deal
    return table
