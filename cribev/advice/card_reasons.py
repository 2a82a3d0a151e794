"""Why a card is worth what it is: what the opponent may hold, and what can follow."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.advice.belief import Belief, believe
from cribev.advice.position import PlayPosition
from cribev.advice.replies import GO, CardReplies, Reply
from cribev.choice import MIN_SHOWN_CHANCE, format_chance
from cribev.game import render
from cribev.game.cards import RANKS, format_ranks
from cribev.solution.keeps import GameSize
from cribev.solution.play import KeepFrequencies
from cribev.solution.public_tree import PlayStrategy

_BARS = 30  # columns for bars
_HANDS = 5  # that are likeliest


@dataclass(frozen=True, eq=False, repr=False)
class OpponentRange(render.Displayable):
    """What the opponent may hold.

    Attributes
    ----------
    holdings
        A row for each, the likeliest first: ``cards``, ranks as text, and ``chance``.
    ranks
        A row for each rank: ``card``; ``chance``, of at least one; ``expected``, how many.
    explained
        Whether the opponent's strategy does what the opponent did. If not, it is thought to err.
    left
        How many cards the opponent has left.
    """

    holdings: pd.DataFrame
    ranks: pd.DataFrame
    explained: bool
    left: int

    @classmethod
    def of(cls, belief: Belief) -> "OpponentRange":
        """List a belief in the whole game."""
        every = GameSize().holdings(belief.left)
        order = np.argsort(-belief.chance, kind="stable")[: np.count_nonzero(belief.chance)]
        counts = (every[:, :, None] == np.arange(len(RANKS))).sum(axis=1)
        cards = [format_ranks(row) for row in every[order]]
        holdings = pd.DataFrame({"cards": cards, "chance": belief.chance[order]})
        ranks = {
            "card": list(RANKS),
            "chance": belief.chance @ (counts > 0),
            "expected": belief.chance @ counts,
        }
        return cls(holdings, pd.DataFrame(ranks), belief.explained, belief.left)

    def to_dict(self) -> dict[str, Any]:
        """Return the range as plain values, ready for JSON: every rank, and the likeliest hands."""
        return {
            "left": self.left,
            "explained": self.explained,
            "ranks": self.ranks.to_dict(orient="records"),
            "hands": self.holdings.head(_HANDS).to_dict(orient="records"),
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self.shown(console, None, "")

    def shown(
        self, console: Console, before: "OpponentRange | None", last: str
    ) -> Iterator[Text | Table]:
        """Show it, beside what it was before the opponent's last card."""
        cards = f"{self.left} card{'s' if self.left > 1 else ''}"
        yield Text(f"Your opponent has {cards} left: how likely at least one is", style="bold")
        was = [] if before is None else before.ranks["chance"].tolist()
        columns: list[tuple[str, JustifyMethod]] = [("card", "left"), ("now", "right")]
        if before is not None:
            columns.append((f"before the {last}", "right"))
        listed = render.table(console, *columns, ("", "left"))
        chances = self.ranks["chance"].tolist()
        for at, (card, chance) in enumerate(zip(RANKS, chances, strict=True)):
            earlier = was[at : at + 1]
            bar = render.bar(console, chance / max(chances), width=_BARS)
            listed.add_row(card, *map(format_chance, [chance, *earlier]), bar)
        yield listed
        hands = self.holdings.head(_HANDS)
        told = [
            f"{cards} {format_chance(chance)}"
            for cards, chance in zip(hands["cards"], hands["chance"], strict=True)
        ]
        yield Text.assemble(("Likeliest: ", "bold"), ", ".join(told))


@dataclass(frozen=True, eq=False, repr=False)
class PlayReasons(render.Displayable):
    """Why cards are worth what they are.

    Attributes
    ----------
    range
        What the opponent may hold.
    last, before
        The card the opponent laid last, or ``"go"``, and what the opponent might hold before it;
        None at the first.
    replies
        What can follow each card, the best card first.
    """

    range: OpponentRange
    last: str | None
    before: OpponentRange | None
    replies: tuple[CardReplies, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {
            "range": self.range.to_dict(),
            "last": self.last,
            "before": self.before and self.before.to_dict(),
            "replies": [one.to_dict() for one in self.replies],
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text()
        if not self.range.left:
            yield Text("Your opponent has no cards left.")
        else:
            yield from self.range.shown(console, self.before, self.last or "")
        yield Text()
        answered = [one for one in self.replies if one.replies]
        for one in self.replies:
            if not one.replies:
                yield Text(_unanswered(one))
        if not answered:
            return
        yield Text("How often your opponent answers with", style="bold")
        listed = render.table(
            console, ("your card", "left"),
            *((name, "right") for name in ("a pair", "fifteen", "thirty-one", "a run", "go")),
        )  # fmt: skip
        for one in answered:
            kinds = [one.chance(kind) for kind in ("pair", "fifteen", "thirty-one", "run")]
            listed.add_row(
                one.card,
                *(
                    "" if chance < MIN_SHOWN_CHANCE else format_chance(chance)
                    for chance in (*kinds, one.go)
                ),
            )
        yield listed
        yield Text()
        yield _side_by_side(console, answered[:2])


def range_before(
    position: PlayPosition, strategy: PlayStrategy, frequencies: KeepFrequencies
) -> tuple[str | None, OpponentRange | None]:
    """Return the opponent's last card, or ``"go"``, and what the opponent might hold before it."""
    own = [step.role == position.role for step in position.steps]
    if all(own):
        return None, None
    at = len(own) - 1 - own[::-1].index(False)
    rank = position.steps[at].rank
    earlier = replace(position, steps=position.steps[:at])
    belief = believe(earlier, frequencies, strategy)
    return GO if rank is None else RANKS[rank], OpponentRange.of(belief)


def _unanswered(card: CardReplies) -> str:
    if card.then is None:
        return f"No card is laid after the {card.card}."
    does = "say go" if card.then == GO else f"lay the {card.then}"
    return f"After the {card.card} your opponent cannot answer, and you {does}."


def _side_by_side(console: Console, cards: list[CardReplies]) -> Table:
    """Show what is laid on each card, for how much, and what you lay then."""
    tables = [{reply.card: reply for reply in one.replies} for one in cards]
    heading = "chance  pegs  you lay"
    heads = [
        f"{render.ruled_heading(console, f'on your {one.card}', width=len(heading))}\n{heading}"
        for one in cards
    ]
    listed = render.table(console, ("\nanswer", "left"), *((head, "right") for head in heads))
    for name in [*RANKS, GO]:
        both = [table.get(name) for table in tables]
        if any(reply is not None and reply.chance >= MIN_SHOWN_CHANCE for reply in both):
            listed.add_row(name, *map(_reply_text, both))
    return listed


def _reply_text(reply: Reply | None) -> str:
    if reply is None:
        return " " * 21
    pegs = str(reply.points) if reply.points else ""
    return f"{format_chance(reply.chance):>6}  {pegs:>4}  {reply.answer or '':>7}"
