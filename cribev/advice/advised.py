"""The common part of all answers: a table of choices, and a better one against people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cribev.advice.names import as_opponent
from cribev.advice.options import Option, Options
from cribev.advice.question import Question
from cribev.game import render
from cribev.game.deal import Position
from cribev.game.roles import Role

if TYPE_CHECKING:
    import pandas as pd

MORE_POINTS, MORE_WINS = 0.05, 0.005  # by which another choice is better against people


class AgainstPeople(NamedTuple):
    """A choice that is better against people than the one that is best against an expert."""

    best: Option
    instead_of: Option  # worth what it is against people

    @property
    def text(self) -> str:
        """The sentence, such as ``Against ordinary players play the K instead: 0.06 better.``."""
        best, other = self
        does = f"discard {best.discard}" if best.options.is_discard else f"play the {best.card}"
        if best.options.value is None:
            gain = f"{best.expected - other.expected:.2f} better"
        else:
            gain = f"{best.worth_text} against {other.worth_text.split(maxsplit=1)[1]}"
        return f"Against ordinary players {does} instead: {gain}."

    def to_dict(self) -> dict[str, Any]:
        """Return both choices, and the sentence, as plain values, ready for JSON."""
        rows = {"best": self.best.to_dict(), "instead_of": self.instead_of.to_dict()}
        return {**rows, "text": self.text}


@dataclass(frozen=True, eq=False, repr=False)
class Advised(render.Displayable):
    """An answered question: what the choices are worth, and what explains them."""

    options: Options

    @property
    def question(self) -> Question:
        """The position, your opponent, and what the game is played for."""
        return self.options.question

    @property
    def opponent(self) -> str:
        """The name of the opponent."""
        return self.question.opponent.name

    @property
    def _asked_text(self) -> str:
        """The question as the arguments of `cribev.advise`."""
        (_, position), *more = self.question.texts.items()
        said = (f"{name}={int(text) if text.isdecimal() else repr(text)}" for name, text in more)
        return ", ".join([repr(position), *said]).replace("show_only=1", "play=False")

    @property
    def position(self) -> Position:
        """The knowledge of the player."""
        return self.options.position

    @property
    def role(self) -> Role:
        """The player's role."""
        return self.position.role

    @property
    def score(self) -> tuple[int, int] | None:
        """The player's points and the opponent's before the deal, if they were given."""
        score = self.position.score
        return None if score is None else score.seen_by(self.role)

    @property
    def table(self) -> pd.DataFrame:
        """A row for each choice, the best first."""
        return self.options.table

    @property
    def choices(self) -> list[Option]:
        """The rows of the table."""
        return self.options.rows

    @property
    def best(self) -> Option:
        """The first row of the table."""
        return self.options.best

    def _second_answer(self, question: Question) -> Options | None:
        """Answer another question, or None if the same choice is sure to be as good."""
        raise NotImplementedError

    @cached_property
    def _against_people(self) -> Options | None:
        """The values of choices against people, if an expert was asked about, else None."""
        asked = self.question
        if not asked.is_against_expert:
            return None
        opponent = as_opponent("people")
        if asked.is_discard and not self.options.decided:
            # Far from the end points say as much, and at once.
            return self._second_answer(Question(replace(asked.position, score=None), opponent))
        return self._second_answer(replace(asked, opponent=opponent))

    @property
    def people(self) -> AgainstPeople | None:
        """A choice that is better against people than the best; None if nothing is, or may be."""
        other = self._against_people
        if other is None:
            return None
        best, own = other.best, other.row(self.best.at)
        if other.value is None:
            gain, least = best.expected - own.expected, MORE_POINTS
        else:
            assert best.value is not None
            assert own.value is not None
            gain, least = best.value - own.value, MORE_WINS
        return AgainstPeople(best, own) if gain >= least else None

    @property
    def against_people(self) -> str:
        """A choice that is better against people than the best, in one sentence; or empty."""
        return "" if self.people is None else self.people.text

    def _listing(
        self, console: Console, width: int, shown: int | None = None
    ) -> Iterator[Table | Text]:
        """Draw a table of the choices, the best first, and say what its marks mean."""
        options, rows, marks = self.options, self.choices, self.options.marks
        ranks = [f"{option.rank}{mark}" for option, mark in zip(rows, marks, strict=True)]
        if options.is_discard:
            columns = {"": ranks, **_discard_columns(console, options, width)}
        else:
            columns = {"": ranks, **_card_columns(options)}
            columns["card"] = [render.shown_ranks(console, option.card) for option in rows]
        table = render.table(
            console, *((name, "left" if name in _LEFT else "right") for name in columns)
        )
        for option, *row in list(zip(rows, *columns.values(), strict=True))[:shown]:
            table.add_row(*row, style="bold" if option.rank == 1 else "")
        yield table
        if notes := options.mark_notes(marks[:shown]):
            yield Text("   ".join(notes), style="dim")


_Columns: TypeAlias = dict[str, Sequence[Any]]
"""The cells of the rows, by heading."""

_LEFT = ("", "discard", "keep", "card")  # headings of columns that stand left

_ROOM_FOR_SPREAD = 76  # columns of a terminal, for sd and range too

_ROOM_FOR_WINS = 8  # of how often it wins, and how much less often than the best

_ROOM_FOR_SKUNKS = 9  # of how often either is skunked

_ROOM_FOR_PLAY = 4  # more columns, of what the play takes and the gaps leave


def _discard_columns(console: Console, options: Options, width: int) -> _Columns:
    rows, table, scored = options.rows, options.ranked_columns, options.win is not None
    played = "play_mean" in table
    room = width - played * _ROOM_FOR_PLAY - scored * _ROOM_FOR_WINS
    room -= (len(options.skunk_texts) + options.is_staked) * _ROOM_FOR_SKUNKS
    gap = None
    if room >= _ROOM_FOR_SPREAD:
        gap = " " if played else "  "
    columns: _Columns = {
        "discard": [render.styled_cards(console, row.cards) for row in rows],
        "keep": [render.styled_cards(console, row.kept) for row in rows],
        **_end_columns(options),
        "expected": _format_all(table["expected"]),
        **({} if scored else {"behind": _behind_texts(options)}),
        **dict(_part(console, table, name, gap) for name in ("hand", "crib")),
    }
    if played:
        columns["play"] = _format_all(table["play_mean"], "+.2f")
    if "expected_min" in table:  # by the suits that are not known
        by_suits = (_format_all(table[f"expected_{end}"]) for end in ("min", "max"))
        columns["by suits"] = list(map(" to ".join, zip(*by_suits, strict=True)))
        if not scored:
            columns["best in"] = _format_all(table["often_best"], ".0%")
    return columns


def _card_columns(options: Options) -> _Columns:
    table = options.ranked_columns
    return {
        "card": [row.card for row in options.rows],
        **_end_columns(options),
        "expected": _format_all(table["expected"], "+.2f"),
        "behind": _behind_texts(options),
        **{name: _format_all(table[name]) for name in ("own", "opponent")},
        "experts": _format_all(table["share"], ".0%"),
    }


def _end_columns(options: Options) -> _Columns:
    """Write how the game may end with each choice, and what that is worth."""
    if options.win is None:
        return {}
    wins, lost = zip(*options.win_texts, strict=True)
    columns: _Columns = {"wins": wins}
    if options.is_discard and not options.is_staked:
        columns["wins\nlost"] = lost
    columns |= options.skunk_texts
    if options.is_staked and options.value is not None:
        worth = options.value[options.order].tolist()
        columns["worth"] = [f"{value:.3f}" for value in worth]
        if options.is_discard:
            ranked = zip(options.rows, worth, strict=True)
            columns["lost"] = [
                f"{worth[0] - value:.3f}" if row.rank > 1 else "" for row, value in ranked
            ]
    return columns


def _behind_texts(options: Options) -> list[str]:
    """Write how many points each is behind the best."""
    best = options.ranked_columns["expected"][0]
    return ["" if row.rank == 1 else f"{best - row.expected:.2f}" for row in options.rows]


def _part(
    console: Console, table: Mapping[str, NDArray[Any]], part: str, gap: str | None
) -> tuple[str, list[str]]:
    """Write the hand or the crib: its average, and its spread if there is room."""
    mean = table[f"{part}_mean"]
    if gap is None or f"{part}_sd" not in table:
        return part, _format_all(mean)
    heading = gap.join([" mean", " sd", "range"])
    spread = (table[f"{part}_{name}"] for name in ("sd", "min", "max"))
    cells = [
        gap.join([f"{value:5.2f}", f"{sd:3.1f}", f"{f'{least}-{most}':>5}"])
        for value, sd, least, most in zip(mean, *spread, strict=True)
    ]
    return f"{render.ruled_heading(console, part, width=len(heading))}\n{heading}", cells


def _format_all(values: NDArray[Any], form: str = ".2f") -> list[str]:
    return [format(value, form) for value in values.tolist()]
