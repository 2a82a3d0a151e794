"""How practice looks on a terminal: a hand to throw from, what is said of it, and of a run."""

from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.game import render
from cribev.practice.baselines import between
from cribev.practice.hands import Hand
from cribev.practice.summary import SessionSummary
from cribev.practice.verdicts import Line, Verdict, whose
from cribev.reviews.terminal import TONES
from cribev.reviews.wording import format_points, pluralize


@dataclass(frozen=True, eq=False)
class HandPrompt(render.Displayable):
    """A hand to throw from; its cards numbered where an answer may name them so."""

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
    """What is said of a throw."""

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
    """What a run comes to."""

    run: SessionSummary
    title: str
    """Which hands these are."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        run, books = self.run, self.run.books
        head = Text(f"{pluralize(books.hands, 'hand')}{self.title}: ", style="bold")
        yield Text.assemble(head, verdict_counts(run.verdicts))
        yield Text(
            f"lost {format_points(books.lost)} points, {format_points(run.lost_mean)} a hand: "
            f"{between(run.lost_mean, run.rivals)}"
        )
        yield Text(
            f"points {format_points(books.points)}, par {format_points(books.par)}: "
            f"lost {format_points(books.lost)} by discards, "
            f"luck {format_points(books.luck, sign=True)}"
        )


def verdict_counts(verdicts: Mapping[str, int]) -> Text:
    """Write how many throws are called what.

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
