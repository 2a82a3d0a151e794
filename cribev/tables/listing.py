"""A table that a terminal, a pipe and a notebook show alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pandas as pd
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.text import Text

from cribev.game import render

_WIDE = 104

Cell: TypeAlias = str | Text | float | tuple[str, float]
"""Text; a part of a bar, from 0 to 1; or text and its shade on a heat map, from 0 to 1."""


@dataclass(frozen=True, eq=False)
class Listing(render.Displayable):
    """A table to look at, and the rows it shows."""

    title: str
    columns: Sequence[str]  # their headings; text stands left under no heading too, figures right
    rows: Sequence[Sequence[Cell]]
    table: pd.DataFrame  # every number in full
    notes: Sequence[str] = ()
    colour_note: str = ""  # what is said of colours where there are any
    left: int = 1  # how many columns stand left
    narrow: Listing | None = None
    """The table shown instead if there are fewer than `_WIDE` columns of text."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.narrow is not None and options.max_width < _WIDE:
            yield from self.narrow.__rich_console__(console, options)
            return
        yield Text(self.title, style="bold")
        for note in (*self.notes, self.colour_note if console.color_system else ""):
            if note:
                yield Text(note, style="dim")
        columns: list[tuple[str, JustifyMethod]] = [
            (name, "right" if name and index >= self.left else "left")
            for index, name in enumerate(self.columns)
        ]
        listed = render.table(console, *columns)

        def drawn(cell: Cell) -> str | Text:
            if isinstance(cell, tuple):
                return render.heat(console, *cell)
            return cell if isinstance(cell, str | Text) else render.bar(console, cell, width=30)

        for row in self.rows:
            listed.add_row(*map(drawn, row))
        if self.rows:
            yield listed
