"""A decision: the options of a position, discards or cards, and the one that was chosen.

The `Options` of a `Position` say what each choice is worth. With a choice, they are a `Decision`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar, cast

from cribev.advice.options import Option, Options, cards_text
from cribev.advice.verdicts import with_article
from cribev.classes.ranking import near_ties
from cribev.game.cards import SUITLESS_OFFSET, CardsLike
from cribev.game.deal import Held, Position
from cribev.game.words import difference_text, format_games_lost, format_points, wins_text

Line: TypeAlias = list[str | tuple[int, ...]]
"""A line of text in pieces, cards apart, so that each place can draw cards in its own way."""

_SHOWN = 0.005  # points: less rounds to nothing


_Number = TypeVar("_Number")


class _Ahead(Generic[_Number]):
    """The difference of the named value; None if that does not count."""

    def __set_name__(self, _row: type, name: str) -> None:
        self._name = name

    def __get__(self, row: Difference, kind: type) -> _Number:
        own, other = getattr(row.chosen, self._name), getattr(row.other, self._name)
        more: Any = None if own is None or other is None else own - other
        return cast(_Number, more)


@dataclass(frozen=True)
class Difference:
    """The difference between two choices, in points and in chances to win."""

    chosen: Option
    other: Option

    expected = _Ahead[float]()
    hand_mean = _Ahead[float]()
    crib_mean = _Ahead[float]()
    play_mean = _Ahead[float | None]()
    own = _Ahead[float]()
    opponent = _Ahead[float]()
    win = _Ahead[float | None]()
    value = _Ahead[float | None]()
    skunk = _Ahead[float | None]()
    skunked = _Ahead[float | None]()
    double_skunk = _Ahead[float | None]()
    double_skunked = _Ahead[float | None]()

    @property
    def discard(self) -> str:
        """The other discard."""
        return str(self.other.discard)

    @property
    def is_best(self) -> bool:
        """Whether the other is the best."""
        return self.other.rank == 1

    @property
    def better(self) -> str:
        """The advantage of the chosen one, or its lack: ``0.42 worse``."""
        return f"{abs(self.expected):.2f} {'worse' if self.expected < 0 else 'better'}"

    @property
    def wins(self) -> str:
        """The gain in `Options.unit`, and in chances to win; or empty."""
        if self.win is None:
            return ""
        options, wins = self.chosen.options, wins_text(self.win)
        if self.value is None or not options.is_staked:
            return wins
        side = "less" if self.value < 0 else "more"
        return f"worth {abs(self.value):.3f} {side} in {options.unit}, {wins}"

    @property
    def text(self) -> str:
        """Say what makes the difference, and how much it is."""
        return f"{self.parts}, {self.better}{'; ' * bool(self.wins)}{self.wins}"

    @property
    def parts(self) -> str:
        """Say what makes the difference, part by part."""
        if self.chosen.options.is_discard:
            role = self.chosen.options.role
            return difference_text(self.hand_mean, self.crib_mean, role, self.play_mean)
        parts = [
            f"{who} {format_points(abs(more))} {'more' if more > 0 else 'less'}"
            for who, more in (("you peg", self.own), ("your opponent", self.opponent))
            if abs(more) >= _SHOWN
        ]
        if len(parts) == 1 and abs(self.opponent) >= _SHOWN:
            parts = [parts[0].replace("your opponent", "your opponent pegs")]
        return ", ".join(parts) or "both of you peg about the same"

    def to_dict(self) -> dict[str, Any]:
        """Return the other discard, and by how much the chosen one is ahead, ready for JSON."""
        ahead = {
            "hand": self.hand_mean, "crib": self.crib_mean, "play": self.play_mean,
            "expected": self.expected, "win": self.win,
        }  # fmt: skip
        known = {name: value for name, value in ahead.items() if value is not None}
        return {"discard": self.discard, "is_best": self.is_best, **known}


@dataclass(frozen=True)
class Decision:
    """A choice among options, and what it lost.

    >>> from cribev.advice.question import Question
    >>> question = Question(Position.parse("pone:4H5CJDJS/9CKD:7H:J5"))
    >>> import numpy as np
    >>> worth = np.array([0.25, 0.5, 0.5])
    >>> worth = {"expected": worth, "own": worth, "opponent": np.zeros(3)}
    >>> decision = Decision.of(Options.of_cards(question, worth), "4H")
    >>> decision.verdict, decision.loss, decision.rank, decision.reason
    ('inaccuracy', 0.25, 3, 'you peg 0.25 more')
    >>> line_text(decision.cost), line_text(decision.why)
    ('played 4H: an inaccuracy, lost 0.25',
    'best was 5C or JS: you peg 0.25 more')
    """

    options: Options
    chosen: tuple[int, ...]  # the cards, as they were chosen: of equal ones any

    @classmethod
    def of(cls, options: Options, cards: CardsLike) -> Decision:
        """Return the decision for two cards, or for one; `CardError` if it is not an option."""
        option = options.option(cards)
        chosen = Held(options._read(cards)).kept
        return cls(options, option.cards if chosen[0] >= SUITLESS_OFFSET else chosen)

    @property
    def position(self) -> Position:
        """The knowledge of the player."""
        return self.options.position

    @property
    def judged(self) -> Options:
        """The options as they are compared: by chances to win if `by_wins`, else by points."""
        return self.options if self.by_wins else self.options.by_points

    @property
    def option(self) -> Option:
        """The values of the choice."""
        return self.judged.option(self.chosen)

    @property
    def best(self) -> Option:
        """The first of the best choices."""
        return self.judged.best

    @property
    def rank(self) -> int:
        """1 for the best; equal choices share a rank."""
        return self.option.rank

    @property
    def loss(self) -> float:
        """The points it brings less than the option that brings most."""
        return float(self.options.losses[self.options.index(self.chosen)])

    @property
    def win_loss(self) -> float | None:
        """The loss against the best in `Options.unit`; None without a score."""
        losses = self.options.win_losses
        return None if losses is None else float(losses[self.options.index(self.chosen)])

    @property
    def by_wins(self) -> bool:
        """Whether the score decides the verdict: chances are known, and the end is near."""
        return self.options.decided

    @property
    def verdict(self) -> str:
        """A word of `cribev.advice.verdicts.VERDICTS`."""
        return str(self.options.verdicts[self.options.index(self.chosen)])

    @property
    def against(self) -> Difference | None:
        """The difference from the best; or of the best from the next. None if all are equal."""
        option = self.option
        other = self.judged.alternative_to(option)
        return None if other is None else Difference(option, other)

    @property
    def reason(self) -> str:
        """Say what the best has over the choice; or the choice, if it is best, over the next."""
        against = self.against
        if against is None:
            return "all are worth the same"
        if self.rank > 1:
            against = Difference(against.other, against.chosen)
        return against.parts

    @property
    def cost(self) -> Line:
        """Say what was chosen, its verdict, and what it lost."""
        of_discard, verdict = self.options.is_discard, self.verdict
        verb = "discarded " if of_discard else "played "
        line: Line = [verb, self.chosen, f": {with_article(verdict)}"]
        if self.rank == 1:
            return line
        if self.by_wins and self.options.is_staked:
            lost = format_games_lost(self.win_loss or 0.0, self.options.unit)
            return [*line, f", lost {lost}"]
        if self.by_wins:
            return [*line, f", {wins_text(-(self.win_loss or 0.0))}"]
        near = of_discard and near_ties(self.options.expected)[self.option.at]
        return [*line, f"{', a near-tie' * bool(near)}, lost {self._format_points(self.loss)}"]

    @property
    def why(self) -> Line:
        """Say which is the best, and what it has over the choice, or over the next."""
        if self.by_wins:
            return self._why_by_wins()
        best = [row for row in self.judged.rows if row.rank == 1]
        against = self.against
        if self.rank > 1:
            return ["best was ", *_either(row.cards for row in best), f": {self.reason}"]
        if against is None and self.options.is_discard:
            return ["all discards are worth the same"]
        line: Line = []
        if len(best) > 1:
            equal = [row.cards for row in best if row.at != self.option.at]
            line += ["equal to ", *_either(equal), "; " if against else ""]
        if against is not None:
            ahead = self._format_points(against.expected)
            line += [f"{ahead} ahead of ", against.other.cards, f": {self.reason}"]
        return line

    def _format_points(self, points: float) -> str:
        something = self.options.is_discard or points >= _SHOWN
        return format_points(points) if something else "less than 0.01"

    def _why_by_wins(self) -> Line:
        option, against = self.option, self.against
        if against is None:
            kind = "discards" if self.options.is_discard else "cards"
            return [f"all {kind} {option.worth_text.replace('wins', 'win')}"]
        other, more = against.other, against.expected
        than = wins_text(against.win or 0.0, "")
        if self.options.is_staked:
            than = f"{against.wins}{than.removeprefix(wins_text(against.win or 0.0))}"
        line: Line = [f"{option.worth_text}, {than}", other.cards]
        if self.rank > 1:
            worth, more = option.worth_text.split(maxsplit=1)[1], -more
            line = ["best was ", other.cards, f": {other.worth_text}, and not {worth}"]
        if abs(more) >= _SHOWN:
            side = "more" if more > 0 else "less"
            line.append(f"; by points it is worth {format_points(abs(more))} {side}")
        return line


def line_text(line: Line) -> str:
    """Write a line as plain text."""
    return "".join(piece if isinstance(piece, str) else cards_text(piece) for piece in line)


def _either(choices: Iterable[tuple[int, ...]]) -> Line:
    """List choices, with "or" between them."""
    line: Line = []
    for index, cards in enumerate(choices):
        line += ([" or "] if index > 0 else []) + [cards]
    return line
