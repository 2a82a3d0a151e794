"""How practice looks on a terminal: hands, verdicts, the summary of a session, and progress."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.choice import format_points
from cribev.game import render
from cribev.game.roles import ROLES
from cribev.practice.baselines import nearest_baselines
from cribev.practice.hands import Hand
from cribev.practice.progress import HEADINGS, Period, Progress, local_time
from cribev.practice.session import Selection
from cribev.practice.spots import SPOT_KINDS, Spot
from cribev.practice.stored import SCORED
from cribev.practice.summary import LaySummary, SessionSummary
from cribev.practice.verdicts import Line, Verdict, role_text
from cribev.reviews.terminal import TONES
from cribev.reviews.wording import format_games_lost, format_percent, pluralize

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
        at = "" if self.hand.score is None else ", score {}-{}".format(*self.hand.score)
        head.append(f", {role_text(self.hand)}{at}", style="none")
        if not self.numbered:
            yield Text.assemble(head, ": ", cards)
            return
        yield head
        yield Text("  " + "  ".join(f"{place:<2}" for place in range(1, 7)).rstrip(), style="dim")
        yield Text.assemble("  ", Text("  ").join(cards.split(" ")))


@dataclass(frozen=True, eq=False)
class SpotPrompt(render.Displayable):
    """A spot to lay a card in; with ``numbered``, as it looks on the table."""

    spot: Spot
    number: int
    of: int
    numbered: bool

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        spot, count = self.spot, self.spot.position.state.count
        what = f"{SPOT_KINDS[spot.kind]}, {role_text(spot)}"
        threw, starter = (
            render.styled_cards(console, cards) for cards in (spot.discard, [spot.starter])
        )
        left = render.styled_cards(console, spot.left)
        if not self.numbered:
            laid = f", laid {spot.laid_text}, count {count}" if spot.laid else ""
            yield Text.assemble(
                f"{self.number} of {self.of}, {what}: ", left, ", threw ", threw, ", starter ",
                starter, laid,
            )  # fmt: skip
            return
        yield Text.assemble((f"{self.number} of {self.of}", "bold"), f", {what}")
        yield Text.assemble(("  starter ", "dim"), starter, ("   you threw ", "dim"), threw)
        if spot.laid:
            yield _laid_table(console, spot)
        yield Text()
        fits = {*spot.legal}
        places = [str(place) if card in fits else "" for place, card in enumerate(spot.left, 1)]
        yield Text("  " + "  ".join(f"{place:<2}" for place in places).rstrip(), style="dim")
        hand = left.split(" ")
        for card, text in zip(spot.left, hand, strict=True):
            text.stylize("bold" if card in fits else "dim")
        yield Text.assemble("  ", Text("  ").join(hand))


def _laid_table(console: Console, spot: Spot) -> Table:
    """Lay the cards out as they fell, your opponent's above yours, the count below."""
    # A step that nobody writes, of one whose cards are all laid, pegs what the last card does.
    steps, cards = spot.position.steps, [card for card in spot.laid if card is not None]
    rows: list[list[Text]] = [[Text("your opponent", "dim")], [Text("you", "dim")]]
    counts = [Text("count", "dim")]
    for at, step in enumerate(steps):
        lanes = [Text(), Text()]
        own = int(step.role == spot.role)
        if step.rank is None:
            lanes[own].append("go", "dim")
        else:
            lanes[own].append_text(render.styled_cards(console, [cards.pop(0)]))
        for role in ROLES:
            if points := sum(peg.points for peg in step.pegs if peg.role == role):
                mine = role == spot.role
                lanes[int(mine)].append(f" +{points}", "green" if mine else "red")
        for row, lane in zip(rows, lanes, strict=True):
            row.append(lane)
        last = at == len(steps) - 1
        counts.append(Text("" if step.rank is None else str(step.count), "bold" if last else ""))
    if spot.position.state.count == 0:
        counts[-1] = Text("0", "bold")
    listed = Table.grid(padding=(0, 1, 0, 0))
    for row in (*rows, counts):
        listed.add_row(Text(" "), *row)
    return listed


@dataclass(frozen=True, eq=False)
class VerdictText(render.Displayable):
    """What to say of a throw or a lay."""

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
        if found.win_lost is not None:
            lost, mean = format_games_lost(found.win_lost), format_percent(found.win_lost_mean)
            yield Text(f"lost {lost} in chances to win, {mean} a hand")
            if found.all_scored:
                return
        yield Text(
            f"lost {format_points(parts.lost)} points, {format_points(found.lost_mean)} a hand; "
            f"{nearest_baselines(found.lost_mean, found.baselines)}"
        )
        yield Text(
            f"points {format_points(parts.points)} = par {format_points(parts.par)} "
            f"- lost {format_points(parts.lost)} + luck {format_points(parts.luck)}"
        )


@dataclass(frozen=True, eq=False)
class LaySummaryText(render.Displayable):
    """What a session of lays adds up to."""

    summary: LaySummary
    selection: Selection

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        found = self.summary
        head = Text(f"{pluralize(len(found.table), 'card')}{self.selection}: ", style="bold")
        yield Text.assemble(head, verdict_counts(found.verdicts))
        lost, mean = format_points(found.lost), format_points(found.lost_mean)
        yield Text(f"lost {lost} points, {mean} a card; {found.comparison}")


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
        errors = f"errors in {found.error_rate:.0%}"
        if {*found.periods} == {SCORED} and not found.lost:
            yield Text(errors)
        else:
            lost, mean = format_points(found.lost), format_points(found.lost_mean, 3)
            yield Text(f"{lost} points lost, {mean} a {thing}; {errors}")
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
    """Write how many throws or lays have each verdict.

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
