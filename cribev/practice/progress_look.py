"""How progress looks on a terminal."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.game import render
from cribev.practice.progress import Period, Progress, local_time
from cribev.practice.session_look import verdict_counts
from cribev.practice.store import DEALT, HARD
from cribev.reviews.wording import format_points, pluralize

_BARS = 30  # columns for bars
_NARROW = 50  # columns: a narrower terminal has the day alone
_HEADS = {DEALT: "Hands as dealt", HARD: "Hard hands"}


@dataclass(frozen=True, eq=False)
class ProgressChart(render.Displayable):
    """Points lost a hand over time, and how that compares."""

    progress: Progress

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        found = self.progress
        hands, sessions = pluralize(found.hands, "hand"), pluralize(found.sessions, "session")
        counts = verdict_counts(found.verdicts)
        yield Text.assemble((f"{hands} in {sessions}: ", "bold"), counts)
        yield Text(
            f"{format_points(found.lost)} points lost, {format_points(found.lost_mean, 3)} a hand"
        )
        for kind, periods in found.periods.items():
            yield Text()
            yield Text(_HEADS[kind], style="bold")
            yield _chart(console, options, periods, found.most or 1.0)
        if found.standing:
            yield Text()
            yield Text(f"Of hands as dealt, each the first time, you {found.standing}")
        if found.waiting:
            yield Text()
            yield Text(f"{pluralize(found.waiting, 'hand')} to throw again: cribev quiz --again")


def _chart(
    console: Console, options: ConsoleOptions, periods: Sequence[Period], most: float
) -> Table:
    """Draw a bar for each period; ``most`` points a hand fill the width."""
    chart = render.table(
        console, ("since", "left"), ("hands", "right"), ("lost a hand", "right"), ("", "left")
    )
    narrow = options.max_width < _NARROW
    width = max(8, min(_BARS, options.max_width - (30 if narrow else 36)))
    for one in periods:
        chart.add_row(
            local_time(one.first)[: 10 if narrow else None],
            str(one.hands),
            format_points(one.lost_mean),
            render.bar(console, one.lost_mean / most, width=width),
        )
    return chart
