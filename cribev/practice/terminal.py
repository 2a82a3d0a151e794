"""How practice looks on a terminal: problems, verdicts, a session's summary, and progress."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.advice.decisions import Line
from cribev.choice import format_games_lost, format_percent, format_points, pluralize
from cribev.game import render
from cribev.game.roles import ROLES
from cribev.practice.answers import GradedAnswer
from cribev.practice.problems import CARD_KINDS, Problem
from cribev.practice.progress import HEADINGS, Period, Progress, local_time
from cribev.practice.session import Selection
from cribev.practice.store import SCORED
from cribev.practice.summary import SessionSummary
from cribev.reviews.terminal import TONES

_BARS = 30  # columns for bars
_NARROW = 50  # columns: a narrower terminal has the day alone


@dataclass(frozen=True, eq=False)
class ProblemPrompt(render.Displayable):
    """A problem; with ``numbered``, the places of the cards stand above them, as on a table."""

    problem: Problem
    number: int
    of: int
    numbered: bool

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        problem = self.problem
        owner = "your" if problem.role == "dealer" else "your opponent's"
        what = f", as {problem.role} ({owner} crib)"
        if not problem.is_discard:
            what = f", {CARD_KINDS[problem.kind]}{what}"
        if problem.score_text:
            what += f", score {problem.score_text}"
        head = Text(f"{self.number} of {self.of}", style="bold" if self.numbered else "")
        head.append(what, style="none")
        cards, legal = problem.position.left, {*problem.position.legal}
        drawn = render.styled_cards(console, cards)
        starter, play = [problem.starter], problem.deal.play
        if not self.numbered and problem.is_discard:
            yield Text.assemble(head, ": ", drawn)
        elif not self.numbered:
            laid = f", laid {play}, count {play.count}" if play.steps else ""
            yield Text.assemble(
                head, ": ", drawn, ", threw ", render.styled_cards(console, problem.held.discard),
                ", starter ", render.styled_cards(console, starter), laid,
            )  # fmt: skip
        else:
            yield head
            if not problem.is_discard:
                threw = render.styled_cards(console, problem.held.discard)
                cut = render.styled_cards(console, starter)
                yield Text.assemble(("  starter ", "dim"), cut, ("   you threw ", "dim"), threw)
                if play.steps:
                    yield _laid_table(console, problem)
                yield Text()
            places = [str(at) if card in legal else "" for at, card in enumerate(cards, 1)]
            yield Text("  " + "  ".join(f"{at:<2}" for at in places).rstrip(), style="dim")
            hand = drawn.split(" ")
            if not problem.is_discard:
                for card, text in zip(cards, hand, strict=True):
                    text.stylize("bold" if card in legal else "dim")
            yield Text.assemble("  ", Text("  ").join(hand))


def _laid_table(console: Console, problem: Problem) -> Table:
    """Lay the cards out as they fell, your opponent's above yours, the count below."""
    # A silent go, of one whose cards are all laid, pegs what the last card does.
    play = problem.deal.play
    steps = [step for step in play.steps if not step.silent]
    rows: list[list[Text]] = [[Text("your opponent", "dim")], [Text("you", "dim")]]
    counts = [Text("count", "dim")]
    for at, step in enumerate(steps):
        lanes = [Text(), Text()]
        own = int(step.role == problem.role)
        if step.card is None:
            lanes[own].append("go", "dim")
        else:
            lanes[own].append_text(render.styled_cards(console, [step.card]))
        for role in ROLES:
            if points := sum(peg.points for peg in step.pegs if peg.role == role):
                mine = role == problem.role
                lanes[int(mine)].append(f" +{points}", "green" if mine else "red")
        for row, lane in zip(rows, lanes, strict=True):
            row.append(lane)
        last = at == len(steps) - 1
        counts.append(Text("" if step.card is None else str(step.count), "bold" if last else ""))
    if play.count == 0:
        counts[-1] = Text("0", "bold")
    listed = Table.grid(padding=(0, 1, 0, 0))
    for row in (*rows, counts):
        listed.add_row(Text(" "), *row)
    return listed


@dataclass(frozen=True, eq=False)
class AnswerText(render.Displayable):
    """What to say of an answer."""

    answer: GradedAnswer

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        decision = self.answer.decision
        first = _drawn(console, decision.cost)
        first.highlight_words([decision.verdict], TONES[decision.verdict])
        yield first
        yield _drawn(console, decision.why)
        luck = _drawn(console, self.answer.luck)
        luck.style = "dim"
        yield luck


@dataclass(frozen=True, eq=False)
class SummaryText(render.Displayable):
    """What a session adds up to."""

    summary: SessionSummary
    selection: Selection

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        found, thing, parts = self.summary, self.summary.thing, self.summary.parts
        head = Text(f"{pluralize(found.number, thing)}{self.selection}: ", style="bold")
        yield Text.assemble(head, verdict_counts(found.verdicts))
        if found.win_lost is not None:
            lost, mean = format_games_lost(found.win_lost), format_percent(found.win_lost_mean)
            yield Text(f"lost {lost} in chances to win, {mean} a {thing}")
            if found.all_scored:
                return
        lost, mean = format_points(found.lost), format_points(found.lost_mean)
        yield Text(f"lost {lost} points, {mean} a {thing}; {found.comparison}")
        if parts is not None:
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
    """Write how many decisions have each verdict.

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
