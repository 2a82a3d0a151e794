"""How practice looks on a terminal: hands, verdicts, the summary of a session, and progress."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.game import render
from cribev.practice.baselines import nearest_baselines
from cribev.practice.hands import Hand
from cribev.practice.progress import HEADINGS, Period, Progress, local_time
from cribev.practice.session import Selection
from cribev.practice.store import SCORED
from cribev.practice.summary import SessionSummary
from cribev.practice.verdicts import Line, Verdict, role_text
from cribev.reviews.terminal import TONES
from cribev.reviews.wording import format_percent, format_points, pluralize

_BARS = 30  # columns for bars
_NARROW = 50  # columns: a narrower terminal has the day alone


@dataclass(frozen=True, eq=False)
class HandPrompt(render.Displayable):
    """A hand to throw from; with ``numbered``, the places of its cards stand above them."""

    hand: Hand
    number: int
    of: int
    numbered: bool

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        cards = render.styled_cards(console, self.hand.deal)
        head = Text(f"{self.number} of {self.of}", style="bold" if self.numbered else "")
        head.append(f", {role_text(self.hand)}", style="none")
        if not self.numbered:
            yield Text.assemble(head, ": ", cards)
            return
        yield head
        yield Text("  " + "  ".join(f"{place:<2}" for place in range(1, 7)).rstrip(), style="dim")
        yield Text.assemble("  ", Text("  ").join(cards.split(" ")))


@dataclass(frozen=True, eq=False)
class VerdictText(render.Displayable):
    """What to say of a throw."""

    verdict: Verdict

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        first = _drawn(console, self.verdict.cost)
        first.highlight_words([self.verdict.verdict], TONES[self.verdict.verdict])
        yield first
        yield _drawn(console, self.verdict.why)
        luck = _drawn(console, self.verdict.luck)
        luck.style = "dim"
        yield luck


@dataclass(frozen=True, eq=False)
class SummaryText(render.Displayable):
    """What a session adds up to."""

    summary: SessionSummary
    selection: Selection

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        found, parts = self.summary, self.summary.parts
        head = Text(f"{pluralize(parts.hands, 'hand')}{self.selection}: ", style="bold")
        yield Text.assemble(head, verdict_counts(found.verdicts))
        yield Text(
            f"lost {format_points(parts.lost)} points, {format_points(found.lost_mean)} a hand; "
            f"{nearest_baselines(found.lost_mean, found.baselines)}"
        )
        yield Text(
            f"points {format_points(parts.points)} = par {format_points(parts.par)} "
            f"- lost {format_points(parts.lost)} + luck {format_points(parts.luck)}"
        )


@dataclass(frozen=True, eq=False)
class ProgressChart(render.Displayable):
    """Points lost over time, errors, and how that compares."""

    progress: Progress

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        found, thing = self.progress, self.progress.thing
        decisions, sessions = (
            pluralize(found.decisions, thing),
            pluralize(found.sessions, "session"),
        )
        counts = verdict_counts(found.verdicts)
        yield Text.assemble((f"{decisions} in {sessions}: ", "bold"), counts)
        yield Text(
            f"{format_points(found.lost)} points lost, {format_points(found.lost_mean, 3)} a "
            f"{thing}; errors in {found.error_rate:.0%}"
        )
        for kind, periods in found.periods.items():
            yield Text()
            yield Text(HEADINGS[thing][kind], style="bold")
            yield _chart(console, options, found, kind, periods)
        if found.standing:
            yield Text()
            yield Text(f"On hands as dealt, the first time you had each, you {found.standing}")
        if found.waiting:
            waiting = pluralize(found.waiting, thing)
            does, option = ("throw", "") if thing == "hand" else ("lay", "--play ")
            yield Text()
            yield Text(f"{waiting} to {does} again: cribev quiz {option}--again")


def verdict_counts(verdicts: Mapping[str, int]) -> Text:
    """Write how many throws have each verdict.

    >>> verdict_counts({"best": 6, "close": 0, "blunder": 1}).plain
    'best 6, blunder 1'
    """
    return Text(", ").join(
        Text(f"{verdict} {number}", style=TONES[verdict])
        for verdict, number in verdicts.items()
        if number
    )


def _chart(
    console: Console,
    options: ConsoleOptions,
    progress: Progress,
    kind: str,
    periods: Sequence[Period],
) -> Table:
    """Draw a bar for each period; what is lost most in one fills the width."""
    thing = progress.thing
    chart = render.table(
        console, ("since", "left"), (f"{thing}s", "right"), ("errors", "right"),
        (f"lost a {thing}", "right"), ("", "left"),
    )  # fmt: skip
    narrow = options.max_width < _NARROW
    width = max(8, min(_BARS, options.max_width - (38 if narrow else 44)))
    most = progress.most(kind) or 1.0
    for one in periods:
        lost = format_percent if kind == SCORED else format_points
        chart.add_row(
            local_time(one.first)[: 10 if narrow else None],
            str(one.decisions),
            f"{one.error_rate:.0%}",
            lost(one.lost_mean),
            render.bar(console, one.lost_mean / most, width=width),
        )
    return chart


def _drawn(console: Console, line: Line) -> Text:
    return Text.assemble(
        *(
            piece if isinstance(piece, str) else render.styled_cards(console, piece)
            for piece in line
        )
    )
