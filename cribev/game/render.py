"""The look of cards, chances, tables and bars: in a terminal, in a pipe, in a notebook.

Every result is a `Displayable`: it describes itself once, for `rich` to print. A terminal gets
colours and suit symbols, a pipe plain text, and a notebook what a terminal shows, as HTML.
"""

import io
import re
import sys
from collections.abc import Callable, Iterable
from functools import partial
from operator import index
from typing import IO, SupportsIndex

from rich import box
from rich.cells import cell_len
from rich.color import Color
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderableType, RenderResult
from rich.style import Style
from rich.table import Table
from rich.text import Text

from cribev.game.alike import Value
from cribev.game.cards import SUIT_SYMBOLS, SUITLESS_OFFSET, format_card, format_cards

_WIDE = 1000  # for a pipe: never fold a line
_NARROW = 50
_NAME = 6  # characters of a folded name that stay in a line
_RED = SUIT_SYMBOLS[1:3]
_COLD, _PALE, _HOT = (49, 84, 150), (240, 240, 240), (186, 60, 50)
_LADDER = (25, 68, 110, 153, 255, 224, 217, 167, 124)  # the same way in the 256 colours there are


class Displayable(Value):
    """A result with a ``__rich_console__``, from which its plain text and its HTML are made."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        raise NotImplementedError

    def __str__(self) -> str:
        return to_text(self)

    def _repr_html_(self) -> str:
        return to_html(self)


class Drawn(Displayable):
    """A result drawn by a function of the console."""

    def __init__(self, draw: Callable[[Console], RenderResult]) -> None:
        self._draw = draw

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        return self._draw(console)


def styled_cards(console: Console, numbers: Iterable[SupportsIndex]) -> Text:
    """Write cards: suit symbols with red suits on a terminal, letters elsewhere."""
    symbols = _draws(console)
    texts = (
        shown_ranks(console, format_card(card))
        if card >= SUITLESS_OFFSET
        else format_cards([card], symbols=symbols)
        for card in map(index, numbers)
    )
    text = Text(" ".join(texts), no_wrap=True)
    text.highlight_regex(rf"(10|\w)[{_RED}]", "bright_red")
    return text


def shown_ranks(console: Console, text: str) -> str:
    """Write a ten as 10 where cards have their symbols, as there; as T elsewhere."""
    return re.sub(r"\bT\b", "10", text) if _draws(console) else text


def bar(console: Console, share: float, *, width: int) -> Text:
    """Draw a bar that fills a part (0 to 1) of its width."""
    if not _draws(console):
        return Text("#" * round(share * width))
    eighths = round(share * width * 8)
    return Text(("█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8]).rstrip(), style="cyan")


def heat(console: Console, text: str, shade: float) -> Text:
    """Colour a cell of a heat map in the colours there are; shades go from 0, cold, to 1, hot."""
    if console.color_system in (None, "standard", "windows"):
        # Few colours: the ends stand out, the middle is plain.
        strong = "bold " if abs(shade - 0.5) > 0.4 else ""
        ends = (shade < 0.3, "bright_blue"), (shade > 0.7, "bright_red"), (True, "none")
        return Text(text, style=strong + next(colour for reached, colour in ends if reached))
    if console.color_system == "256":
        colour = Color.from_ansi(_LADDER[round(shade * (len(_LADDER) - 1))])
    else:
        below, above = (_COLD, _PALE) if shade < 0.5 else (_PALE, _HOT)
        along = shade * 2 % 1 if shade < 1 else 1
        colour = Color.from_rgb(*(a + (b - a) * along for a, b in zip(below, above, strict=True)))
    red, green, blue = colour.get_truecolor()
    ink = "black" if 0.3 * red + 0.6 * green + 0.1 * blue > 110 else "bright_white"
    return Text(text, style=Style(color=ink, bgcolor=colour))


def ruled_heading(console: Console, text: str, *, width: int) -> str:
    """Put a heading in the middle of a rule, above the columns it heads."""
    return f" {text} ".center(width, "─" if _draws(console) else "-")


def table(console: Console, *columns: tuple[str, JustifyMethod]) -> Table:
    """Start a table by the heading and justification of each column; a terminal rules its head."""
    drawn = Table(
        box=box.SIMPLE_HEAD if console.is_terminal else None,
        show_edge=False,
        pad_edge=False,
        padding=(0, 0 if console.is_terminal else 2, 0, 0),
    )
    for heading, justify in columns:
        drawn.add_column(heading, justify=justify, no_wrap=True)
    return drawn


def show(result: RenderableType, *, least: int = _NARROW, file: IO[str] | None = None) -> None:
    """Print to standard output or a file: plain unless on a terminal, with no figure cut."""
    out = Console(highlight=False, emoji=False, file=file)
    if out.is_terminal:
        out.width = max(out.width, least)
        wide = Drawn(partial(_unfolded, result)) if isinstance(result, Displayable) else result
        out.print(wide, crop=False)
    else:
        (file or sys.stdout).write(f"{to_text(result)}\n")


def _unfolded(result: Displayable, console: Console) -> RenderResult:
    """Draw a result with tables as wide as they need; all else folds in the terminal."""
    for renderable in result.__rich_console__(console, console.options):
        if isinstance(renderable, Table):
            width = console.measure(renderable, options=console.options.update(width=_WIDE)).maximum
            folding = [column.cells for column in renderable.columns if not column.no_wrap]
            lengths = [max(cell_len(str(cell)) for cell in cells) for cells in folding]
            least = width - sum(max(length - _NAME, 0) for length in lengths)
            options = console.options.update(width=max(console.width, least))
            yield from console.render(renderable, options)
        else:
            yield renderable


def to_text(result: RenderableType) -> str:
    """Render to plain text without colour or trailing blanks."""
    file = io.StringIO()
    Console(
        file=file, width=_WIDE, highlight=False, emoji=False,
        force_terminal=False, force_jupyter=False, color_system=None,
    ).print(result)  # fmt: skip
    return "\n".join(line.rstrip() for line in file.getvalue().rstrip().split("\n"))


def to_html(result: RenderableType) -> str:
    """Render to HTML as a terminal shows it; every character is escaped that must be."""
    out = Console(
        file=io.StringIO(), width=_WIDE, highlight=False, emoji=False, record=True,
        force_terminal=True, force_jupyter=False, color_system="truecolor", legacy_windows=False,
    )  # fmt: skip
    out.print(result)
    return out.export_html(
        inline_styles=True,
        code_format='<pre style="font-family:monospace;line-height:1.25">{code}</pre>',
    )


def _draws(console: Console) -> bool:
    return console.is_terminal and console.encoding.startswith("utf")
