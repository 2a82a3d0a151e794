"""How practice looks on a terminal: a hand to throw from, the verdict, and the summary."""

from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.game import render
from cribev.practice.baselines import nearest_baselines
from cribev.practice.hands import Hand
from cribev.practice.session import Selection
from cribev.practice.summary import SessionSummary
from cribev.practice.verdicts import Line, Verdict, whose
from cribev.reviews.terminal import TONES
from cribev.reviews.wording import format_points, pluralize


@dataclass(frozen=True, eq=False)
class HandPrompt(render.Displayable):
    """A hand to throw from; with ``numbered``, the places of its cards stand above them."""

    hand: Hand
    number: int
    of: int
    numbered: bool

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        cards = render.styled_cards(console, self.hand.deal)
        head = f"{self.number} of {self.of}, {whose(self.hand)}: "
        if not self.numbered:
            yield Text.assemble(head, cards)
            return
        yield Text.assemble((f"{self.number} of {self.of}", "bold"), f", {whose(self.hand)}")
        yield Text("  " + "  ".join(f"{place:<2}" for place in range(1, 7)).rstrip(), style="dim")
        yield Text.assemble("  ", Text("  ").join(_apart(cards)))


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


def _drawn(console: Console, line: Line) -> Text:
    return Text.assemble(
        *(
            piece if isinstance(piece, str) else render.styled_cards(console, piece)
            for piece in line
        )
    )


def _apart(cards: Text) -> list[Text]:
    return list(cards.split(" "))
