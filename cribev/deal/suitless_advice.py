"""One deal known by its ranks alone, as printed analyses have it."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from cribev.choice import competition_ranks, net_points, tied_best
from cribev.classes.canonical import class_numbers, classify_deals, discard_rank_pairs
from cribev.classes.class_tables import ClassTables
from cribev.classes.suit_averages import all_suitings, suit_averaged_values
from cribev.deal.advice_table import sum_text
from cribev.deal.explanation import better_text, difference_text, optional_difference
from cribev.deal.outcomes import play_columns
from cribev.deal.play_explanation import Averages, PlayExplanation, lead_table, show_best
from cribev.errors import CardError, TableError, quote
from cribev.files.crib_tables import crib_table as read_crib_table
from cribev.game import render
from cribev.game.cards import RANKS, Cards, format_ranks, parse_suitless
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import Role, as_role
from cribev.opponents.models import OpponentLike, as_opponent
from cribev.solved.play import ExpectedPegging


class SuitlessChoice(NamedTuple):
    """Two ranks to discard: a row of `SuitlessAdvice.table`, averages in points."""

    rank: int
    discard: str
    keep: str
    hand_mean: float
    crib_mean: float
    play_own: float | None
    """Points the player pegs; like the next two, None where the play does not count."""
    play_opponent: float | None
    play_mean: float | None
    expected: float
    expected_min: float
    """What it comes to with the suits that are worst for it."""
    expected_max: float
    often_best: float
    """In how many of the deals it is the best, or equal to it."""

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values at full precision, ready for JSON."""
        row = {name: value for name, value in self._asdict().items() if value is not None}
        return row | {"discard": self.discard.split(), "keep": self.keep.split()}


@dataclass(frozen=True, eq=False, repr=False)
class SuitlessAdvice(render.Displayable):
    """What each discard of six ranks is worth, averaged over the suits they can have.

    Attributes
    ----------
    ranks
        The six ranks 0..12, uint8 ``(6,)``, ascending.
    role
        ``"dealer"`` (the crib is yours) or ``"pone"``.
    opponent
        The name of who throws the other two cards.
    crib_table
        The name of the published table `crib_mean` comes from, or None where it is computed.
    deals
        How many deals have these ranks; each counts alike.
    table
        A row for each two ranks that can go, best first, columns as in `SuitlessChoice`. Points
        throughout, of the class tables; without the columns of the play where it does not count.
    """

    ranks: Cards
    role: Role
    opponent: str
    crib_table: str | None
    deals: int
    table: pd.DataFrame

    @property
    def choices(self) -> list[SuitlessChoice]:
        """The rows of the table."""
        none: dict[str, Any] = dict.fromkeys(SuitlessChoice._fields)
        return [
            SuitlessChoice(**{**none, **{str(name): value for name, value in row.items()}})
            for row in self.table.to_dict(orient="records")
        ]

    @property
    def cards(self) -> str:
        """The six ranks as text."""
        return format_ranks(self.ranks)

    @property
    def best(self) -> SuitlessChoice:
        """The first row of the table."""
        return self.choices[0]

    def __repr__(self) -> str:
        more = f", crib_table={self.crib_table!r}" if self.crib_table else ""
        more += ", play=False" if self.best.play_mean is None else ""
        return (
            f"advise_ranks({format_ranks(self.ranks)!r}, role={self.role!r}, "
            f"opponent={self.opponent!r}{more})"
        )

    def to_dict(self, *, top: int | None = None) -> dict[str, Any]:
        """Return the advice as plain values at full precision, ready for JSON.

        Parameters
        ----------
        top
            Only the best few discards; all if None.
        """
        return {
            "ranks": format_ranks(self.ranks).split(),
            "role": self.role,
            "opponent": self.opponent,
            "crib_table": self.crib_table,
            "deals": self.deals,
            "discards": [choice.to_dict() for choice in self.choices[:top]],
        }

    def top(self, number: int) -> "SuitlessTable":
        """Show only the best few discards."""
        return SuitlessTable(self, number)

    def explain(
        self, discard: str | None = None, *, versus: str | None = None
    ) -> "SuitlessExplanation":
        """Say why a discard is worth what it is.

        Parameters
        ----------
        discard
            Two of the six ranks; the best discard if None.
        versus
            Another two, to compare it with. If None, the best discard; or, for the best, the next.

        Raises
        ------
        CardError
            If they are not two of the ranks.

        Examples
        --------
        >>> why = advise_ranks("5 5 J Q 2 8", role="dealer", play=False).explain("J Q")
        >>> why.other.discard, round(why.other.expected - why.choice.expected, 2)
        ('2 8', 2.53)
        """
        chosen = self._choice(discard)
        other = self._choice(versus) if versus is not None else self._rival_of(chosen)
        means = [Averages(one.discard, one.hand_mean, one.crib_mean) for one in self.choices]
        play = None
        if chosen.play_own is not None and chosen.play_opponent is not None:
            kept = [RANKS.index(rank) for rank in chosen.keep.split()]
            play = PlayExplanation(
                chosen.play_own,
                chosen.play_opponent,
                lead_table(kept, self.role) if self.role == "pone" else None,
                show_best(means, self.role),
            )
        return SuitlessExplanation(self.role, chosen, other, play)

    def _choice(self, discard: str | None) -> SuitlessChoice:
        if discard is None:
            return self.best
        ranks = parse_suitless(discard, count=2)
        if ranks is not None:
            for choice in self.choices:
                if choice.discard == format_ranks(ranks):
                    return choice
        raise CardError(f"{quote(discard)} are not two of the ranks {format_ranks(self.ranks)}")

    def _rival_of(self, chosen: SuitlessChoice) -> SuitlessChoice | None:
        return next((one for one in self.choices if (one.rank == 1) != (chosen.rank == 1)), None)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.top(len(self.table))


@dataclass(frozen=True, eq=False)
class SuitlessTable(render.Displayable):
    """The best few discards, under what they answer."""

    advice: SuitlessAdvice
    rows: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        advice, choices = self.advice, self.advice.choices
        best = choices[0]
        whose = "your crib" if advice.role == "dealer" else "the opponent's crib"
        yield Text(
            f"{format_ranks(advice.ranks)} as {advice.role} ({whose}), "
            f"any suits: {advice.deals:,} deals"
        )
        table = (
            f", crib averages: {render.printable(advice.crib_table)}" if advice.crib_table else ""
        )
        yield Text(f"opponent: {render.printable(advice.opponent)}{table}", style="dim")
        yield Text(
            f"Discard {best.discard} and keep {best.keep}: "
            f"{sum_text(best, advice.role)} on average",
            style="bold green",
        )
        yield Text()
        played = best.play_mean is not None
        listed = render.table(
            console, ("", "left"), ("discard", "left"), ("keep", "left"), ("expected", "right"),
            ("behind", "right"), ("hand", "right"), ("crib", "right"),
            *((("play", "right"),) if played else ()),
            ("by suits", "right"), ("best in", "right"),
        )  # fmt: skip
        for choice in choices[: self.rows]:
            listed.add_row(
                str(choice.rank),
                choice.discard,
                choice.keep,
                f"{choice.expected:.2f}",
                f"{best.expected - choice.expected:.2f}" if choice.rank > 1 else "",
                f"{choice.hand_mean:.2f}",
                f"{choice.crib_mean:.2f}",
                *([] if choice.play_mean is None else [f"{choice.play_mean:+.2f}"]),
                f"{choice.expected_min:.2f} to {choice.expected_max:.2f}",
                f"{choice.often_best:.0%}",
                style="bold" if choice.rank == 1 else "",
            )
        yield listed
        yield Text("flushes and nobs, which suits decide, count as often as they come", style="dim")


@dataclass(frozen=True, eq=False)
class SuitlessExplanation(render.Displayable):
    """Why a discard without suits is worth what it is.

    Attributes
    ----------
    role
        Whose discard it is.
    choice, other
        It, and what it is compared with, None if there is nothing.
    play
        What the play does, if it counts.
    """

    role: Role
    choice: SuitlessChoice
    other: SuitlessChoice | None
    play: PlayExplanation | None

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, ready for JSON."""
        found: dict[str, Any] = {
            "discard": self.choice.discard.split(),
            "other": self.other and self.other.to_dict(),
        }
        return found if self.play is None else found | {"play": self.play.to_dict()}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text()
        if self.other is not None:
            hand = self.choice.hand_mean - self.other.hand_mean
            crib = self.choice.crib_mean - self.other.crib_mean
            play = optional_difference(self.choice.play_mean, self.other.play_mean)
            yield Text(
                f"{self.choice.discard} against {self.other.discard}: "
                f"{difference_text(hand, crib, self.role, play)}, "
                f"{better_text(self.choice.expected - self.other.expected)}"
            )
        if self.play is not None:
            yield self.play


def advise_ranks(
    ranks: str | Sequence[str],
    *,
    role: Role,
    opponent: OpponentLike = "expert",
    crib_table: str | PathLike[str] | None = None,
    play: bool = True,
) -> SuitlessAdvice:
    """Work out what each discard of six cards is worth whose suits are not known.

    Parameters
    ----------
    ranks
        Six ranks, as text or one by one.
    role, opponent, crib_table, play
        As for `cribev.advise`.

    Returns
    -------
    A `SuitlessAdvice`: averages over all deals of these ranks, each alike, by the class tables.

    Raises
    ------
    CardError
        If they are not six ranks, or five are the same.
    TableError
        If the opponent or the crib table cannot be read, or he has nothing to throw.
    CribevError
        If the role is no role, or the opponent cannot be averaged over all deals.

    Examples
    --------
    >>> advice = advise_ranks("5 5 J Q 2 8", role="dealer", play=False)
    >>> advice.best.discard, round(advice.best.expected, 2), advice.deals
    ('2 8', 16.07, 1536)
    >>> advise_ranks("5H 5 J Q 2 8", role="dealer")
    Traceback (most recent call last):
    cribev.errors.CardError: expected six ranks without suits, got '5H 5 J Q 2 8'
    """
    role = as_role(role)
    text = ranks if isinstance(ranks, str) else " ".join(map(str, ranks))
    six = parse_suitless(text)
    if six is None:
        raise CardError(f"expected six ranks without suits, got {quote(text)}")
    thrower = as_opponent(opponent, play=play)
    valuation = ClassTables(thrower.crib_averages(role), role)
    of_class = class_numbers(list(six[:, None]))
    means = suit_averaged_values(valuation, of_class)
    hand_mean, crib_mean, expected = means.hand[0], means.crib[0], means.expected[0]
    if np.isnan(crib_mean).any():
        raise TableError(f"{thrower.name!r} gives nothing to throw with {text} in sight")
    deals = all_suitings(six)
    each = valuation.values(*classify_deals(deals)).expected
    if crib_table is not None:
        computed, crib_mean = crib_mean, read_crib_table(crib_table)[role][tuple(six[DISCARDS].T)]
        change = net_points(np.zeros(15), crib_mean - computed, role)
        expected, each = expected + change, each + change
    pairs = discard_rank_pairs()[of_class[0]]
    _, first, which = np.unique(pairs, return_index=True, return_inverse=True)
    best = tied_best(each)
    alike = which == np.arange(len(first))[:, None]  # (ranks thrown, 15)
    rows = [np.flatnonzero(same) for same in alike]
    values = expected[first]
    ranked = competition_ranks(values)
    worth = thrower.pegging(role)
    if worth is not None:
        worth = ExpectedPegging(*(table[of_class[0]][first] for table in worth))
    frame = pd.DataFrame(
        {
            "rank": ranked,
            "discard": [format_ranks(six[DISCARDS[at]]) for at in first],
            "keep": [format_ranks(six[KEEPS[at]]) for at in first],
            "hand_mean": hand_mean[first],
            "crib_mean": crib_mean[first],
            **play_columns(worth),
            "expected": values,
            "expected_min": [each[:, same].min() for same in rows],
            "expected_max": [each[:, same].max() for same in rows],
            "often_best": [best[:, same].any(axis=1).mean() for same in rows],
        }
    )
    order = np.lexsort((first, ranked))
    return SuitlessAdvice(
        ranks=six,
        role=role,
        opponent=thrower.name,
        crib_table=None if crib_table is None else fspath(crib_table),
        deals=len(deals),
        table=frame.iloc[order].reset_index(drop=True),
    )
