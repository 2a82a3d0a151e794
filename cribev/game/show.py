"""One hand counted combination by combination, as players call it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from cribev.errors import CardError
from cribev.game import render
from cribev.game.cards import (
    JACK,
    RANKS,
    SUITLESS_OFFSET,
    CardsLike,
    as_cards,
    card_order,
    format_card,
    rank_of,
    unseen,
)
from cribev.game.index_tables import rank_combinations
from cribev.game.scorer import (
    as_hand,
    as_hand_and_starter,
    flush_points,
    score_hands,
    score_text,
    score_to_dict,
)

Kind: TypeAlias = Literal["fifteen", "pair", "run", "flush", "nobs"]
KINDS: tuple[Kind, ...] = ("fifteen", "pair", "run", "flush", "nobs")

_NUMBERS = [
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty", "twenty-one", "twenty-two", "twenty-three", "twenty-four"),
    *("twenty-five", "twenty-six", "twenty-seven", "twenty-eight", "twenty-nine"),
]
_RUNS = {1: "", 2: "double ", 3: "triple ", 4: "double double "}
_PAIRS = {1: "a pair", 3: "a pair royal", 6: "a double pair royal"}


@dataclass(frozen=True)
class Combination:
    """Cards that score together: their kind, the cards, and their points."""

    kind: Kind
    cards: tuple[int, ...]
    points: int


@dataclass(frozen=True, repr=False)
class Show(render.Displayable):
    """Every scoring combination of a hand or crib.

    Examples
    --------
    >>> show = explain("5C 5S JH JC", "JS")
    >>> show.total, show.points["fifteen"], show.counts["pair"]
    (20, 12, 4)
    >>> print(explain("4H 5D 6C 6S", "KD"))
    4H 5D 6C 6S + KD = 14
    fifteen  5D KD         2
    fifteen  4H 5D 6C      2
    fifteen  4H 5D 6S      2
    pair     6C 6S         2
    run      4H 5D 6C      3
    run      4H 5D 6S      3
    fifteen two, fifteen four, fifteen six, and a double run of three is fourteen
    """

    hand: tuple[int, ...]
    starter: int | None
    crib: bool
    combinations: tuple[Combination, ...]

    @property
    def total(self) -> int:
        """The points of all combinations."""
        return sum(combination.points for combination in self.combinations)

    @property
    def cut(self) -> tuple[int, ...]:
        """The starter, if there is one."""
        return () if self.starter is None else (self.starter,)

    @property
    def points(self) -> dict[Kind, int]:
        """Points by kind."""
        return {kind: sum(combination.points for combination in self._of(kind)) for kind in KINDS}

    @property
    def counts(self) -> dict[Kind, int]:
        """Number of combinations by kind."""
        return {kind: len(self._of(kind)) for kind in KINDS}

    def missed(self, counted: int) -> list[tuple[Kind, ...]]:
        """List what a player who counted less may have missed: the fewest combinations.

        Each way lists the kinds of the missing combinations. A run or a flush may also have been
        counted too short. The list is empty if the count is not too low, or cannot be explained.

        >>> show = explain("4H 5D 6C 6S", "KD")
        >>> show.missed(12), show.missed(9)
        ([('fifteen',), ('pair',)], [('fifteen', 'run'), ('pair', 'run')])
        """
        missing, shown = self.total - counted, self.combinations
        for size in range(1, len(shown) + 1) if missing > 0 else ():
            subsets = combinations(shown, size)
            fits = (
                subset
                for subset in subsets
                if sum(combination.points for combination in subset) == missing
            )
            if ways := {tuple(combination.kind for combination in subset) for subset in fits}:
                return sorted(ways)
        shorter = list[tuple[Kind, ...]]()
        least_cards: dict[Kind, int] = {"run": 3, "flush": 4}
        for kind, least in least_cards.items():
            of_kind = [combination.points for combination in shown if combination.kind == kind]
            if of_kind and 0 < missing <= sum(of_kind) - least * len(of_kind):
                shorter.append((kind,))
        return shorter

    @property
    def spoken(self) -> str:
        """The count as players call it out.

        >>> explain("2C 4S 6H 8D").spoken
        'no points'
        """
        spoken_parts: list[str] = []
        total = 0
        for name, points in self._called():
            total += points
            number = _NUMBERS[total] if total < len(_NUMBERS) else total
            spoken_parts.append(f"{name} {'' if name == 'fifteen' else 'is '}{number}")
        if not spoken_parts:
            return "no points"
        if len(spoken_parts) > 1 and not spoken_parts[-1].startswith("fifteen"):
            spoken_parts[-1] = "and " + spoken_parts[-1]
        return ", ".join(spoken_parts)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        starter = (" + ", render.styled_cards(console, self.cut)) if self.cut else ()
        yield Text.assemble(render.styled_cards(console, self.hand), *starter, f" = {self.total}")
        listed = Table.grid(padding=(0, 2, 0, 0))
        for combination in self.combinations:
            listed.add_row(
                combination.kind,
                render.styled_cards(console, combination.cards),
                str(combination.points),
            )
        if self.combinations:
            yield listed
        yield Text(self.spoken)
        cards = np.array([*self.hand, *self.cut])
        if len(cards) not in (4, 5) or cards.max() >= SUITLESS_OFFSET:
            yield Text(score_text(cards, crib=self.crib))

    def __repr__(self) -> str:
        cut = "" if self.starter is None else f", {_text(self.cut)!r}"
        return f"explain({_text(self.hand)!r}{cut}{', crib=True' if self.crib else ''})"

    def to_dict(self) -> dict[str, Any]:
        """Return the count as plain values, ready for JSON.

        >>> explain("2C 4S 6H JD", "8D").to_dict()["combinations"]
        [{'kind': 'nobs', 'cards': ['JD', '8D'], 'points': 1}]
        """
        return {
            "hand": _text(self.hand).split(),
            "starter": None if self.starter is None else _text(self.cut),
            "crib": self.crib,
            "points": self.total,
            "combinations": [
                {
                    "kind": combination.kind,
                    "cards": _text(combination.cards).split(),
                    "points": combination.points,
                }
                for combination in self.combinations
            ],
            "by_kind": {
                kind: {"count": count, "points": self.points[kind]}
                for kind, count in self.counts.items()
            },
            "spoken": self.spoken,
        }

    def _called(self) -> list[tuple[str, int]]:
        """List what players call out, with points: pairs of one rank together, and all runs."""
        called = [("fifteen", combination.points) for combination in self._of("fifteen")]
        by_rank = Counter(rank_of(combination.cards[0]) for combination in self._of("pair"))
        pairs = [(_PAIRS[number], 2 * number) for number in by_rank.values()]
        runs = [combination.points for combination in self._of("run")]
        if len(self.hand) > 4:  # more than a hand: players have no names for such runs
            return called + pairs + [(f"a run of {_NUMBERS[points]}", points) for points in runs]
        if len(runs) < 2:  # with a pair the run is double, and all pairs are in it
            called, pairs = called + pairs, []
        if runs:
            points = sum(runs) + sum(points for _, points in pairs)
            called.append((f"a {_RUNS[len(runs)]}run of {_NUMBERS[runs[0]]}", points))
        called += [("a flush", combination.points) for combination in self._of("flush")]
        called += [("his nobs", combination.points) for combination in self._of("nobs")]
        return called

    def _of(self, kind: Kind) -> list[Combination]:
        return [combination for combination in self.combinations if combination.kind == kind]


@dataclass(frozen=True, eq=False, repr=False)
class Cuts(render.Displayable):
    """The points of four cards with every starter that can be cut.

    >>> counted = cuts("5H 5D JS QC 2H 8D")
    >>> len(counted.points), round(counted.mean, 2), int(counted.points.max())
    (46, 12.7, 21)
    """

    hand: tuple[int, ...]
    crib: bool
    starters: NDArray[np.uint8]
    points: NDArray[np.uint8]

    @property
    def mean(self) -> float:
        """The average number of points."""
        return float(self.points.mean())

    @property
    def by_rank(self) -> list[dict[str, Any]]:
        """The number of starters of each rank, with their average, least and most points."""
        ranks = self.starters >> 2
        return [
            {
                "starter": RANKS[rank],
                "cards": len(points),
                "mean": float(points.mean()),
                "least": int(points.min()),
                "most": int(points.max()),
            }
            for rank in range(len(RANKS))
            if len(points := self.points[ranks == rank])
        ]

    @property
    def chances(self) -> list[dict[str, float]]:
        """Chances of each possible number of points, and of that many or more."""
        numbers, counts = np.unique(self.points, return_counts=True)
        chances = counts / counts.sum()
        at_least = chances[::-1].cumsum()[::-1]
        rows = zip(numbers.tolist(), chances.tolist(), at_least.tolist(), strict=True)
        return [dict(zip(("points", "chance", "at_least"), row, strict=True)) for row in rows]

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain values, ready for JSON."""
        least, most = int(self.points.min()), int(self.points.max())
        known = {"hand": _text(self.hand).split(), "crib": self.crib, "starters": len(self.points)}
        points = {"mean": self.mean, "least": least, "most": most}
        return {**known, **points, "cuts": self.by_rank, "chances": self.chances}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        told = self.to_dict()
        head = f": {self.mean:.2f} on average, {told['least']} to {told['most']}"
        yield Text.assemble(render.styled_cards(console, self.hand), head)
        heads = ("cut", "cards", "mean", "least", "most")
        listed = render.table(
            console, *((heading, "left" if heading == "cut" else "right") for heading in heads)
        )
        for row in self.by_rank:
            cut, number, mean, least, most = row.values()
            listed.add_row(cut, str(number), f"{mean:.2f}", str(least), str(most))
        yield listed
        listed = render.table(
            console, *((heading, "right") for heading in ("points", "chance", "or more"))
        )
        for row in self.chances:
            shown = (f"{row[name]:.1%}" for name in ("chance", "at_least"))
            listed.add_row(str(row["points"]), *shown)
        yield listed


def cuts(hand: CardsLike, *, crib: bool = False) -> Cuts:
    """Count four cards with each of 48 starters; or the first four of six, with each of 46.

    Raises `CardError` unless they are four or six different cards with suits.
    """
    cards = as_cards(hand)
    if len(cards) not in (4, 6):
        raise CardError(f"expected four cards, or six of which four are kept, got {len(cards)}")
    kept, starters = cards[:4], unseen(cards)
    points = score_hands(kept, starters, crib=crib)
    return Cuts(tuple(np.sort(kept).tolist()), crib, starters, points)


def count_to_dict(
    hand: CardsLike, *, crib: bool = False, explained: bool = False, over_cuts: bool = False
) -> dict[str, Any]:
    """Count a hand as plain values: its points, every combination, or with every starter."""
    if over_cuts:
        return cuts(hand, crib=crib).to_dict()
    cards = as_hand(hand)
    if explained:
        return explain(cards.tolist(), crib=crib).to_dict()
    return score_to_dict(cards, crib=crib)


def _text(cards: Sequence[int]) -> str:
    return " ".join(map(format_card, cards))


def explain(hand: CardsLike, starter: CardsLike | int | None = None, *, crib: bool = False) -> Show:
    """List every combination that a hand or crib scores.

    Parameters
    ----------
    hand
        Four cards, as text or card numbers; or five, the starter last; or without a starter any
        other number.
    starter
        One card, as text or a card number; None before the cut, or if it is the fifth.
    crib
        Count as a crib: a flush needs the starter too.

    Returns
    -------
    A `Show`; its total is the same as from `cribev.score`.

    Raises
    ------
    CardError
        If a card comes twice, or there are not four with a starter.

    Examples
    --------
    >>> print(explain("5C 6D 7D QH", "6H"))
    5C 6D 7D QH + 6H = 10
    fifteen  5C QH         2
    pair     6D 6H         2
    run      5C 6D 7D      3
    run      5C 6H 7D      3
    fifteen two, and a double run of three is ten
    """
    held, cut = as_hand_and_starter(hand, starter)
    suited = max(*held, cut or 0) < SUITLESS_OFFSET
    cards = np.array(sorted([*held.tolist(), *([] if cut is None else [int(cut)])], key=card_order))
    ranks = np.array([rank_of(card) for card in cards.tolist()])
    combinations = [
        Combination(every.kind, tuple(cards[positions].tolist()), every.points)
        for every in rank_combinations(ranks)
        for positions in every.subsets[every.scores]
    ]
    if suited and (flush := flush_points(held, cut, crib=crib)):
        in_order = [*np.sort(held).tolist(), *([] if cut is None else [int(cut)])]
        combinations.append(Combination("flush", tuple(in_order[:flush]), flush))  # a point a card
    if suited and cut is not None:
        jack = 4 * JACK + (int(cut) & 3)
        combinations += [Combination("nobs", (jack, int(cut)), 1)] if jack in held else []
    return Show(
        hand=tuple(sorted(held.tolist(), key=card_order)),
        starter=None if cut is None else int(cut),
        crib=crib,
        combinations=tuple(
            sorted(combinations, key=lambda combination: KINDS.index(combination.kind))
        ),
    )
