"""How practice went, for discards and for cards: over time, as a record, and what is repeated."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import chain
from statistics import stdev
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cribev.advice.verdicts import COSTLY, VERDICTS
from cribev.app.games.clock import LATEST_DAYS, numbered_day, today
from cribev.app.practice.problems import Problem, check_kinds, stored_in
from cribev.app.practice.session import PLAYER, SQUARES, TEN, deal_numbers
from cribev.app.practice.store import DEALT, GAME, HARD, SCORED, StoredDecision
from cribev.game.cards import format_cards, parse_card_text
from cribev.game.words import format_points, pluralize
from cribev.grades.grading import COMPONENTS
from cribev.rows.names import GRADE_COLUMNS, RECORD_COLUMNS

MAX_PERIODS = 20

HEADINGS = {
    "hand": {
        DEALT: "Hands as dealt",
        HARD: "Hard hands",
        SCORED: "Hands at a score",
        GAME: "Discards in games",
    },
    "card": {DEALT: "Cards in the play", HARD: "Hard cards", GAME: "Cards in games"},
}
"""Headings of progress, by what each decision is about and its kind."""

_HUNDRED = 100
_LUCK = [step.name for step in COMPONENTS if step.kind == "luck"]
_MANY = 200  # decisions of games, from which on hundreds are periods
_HALVING = 7  # days of ten after which one counts half as much
_OF_DAYS = ("streak", "rating", "rating_se")
_PRACTICE_COLUMNS = ("at", "kind", "seed", "number")
_WIN_COLUMNS = ("win", "best_win", "win_discard", "win_loss")


class Period(NamedTuple):
    """A period of consecutive sessions."""

    first: str  # when the first decision was, in UTC
    last: str
    decisions: int  # how many
    errors: int  # how many of them were an inaccuracy or worse
    lost: float
    """What they lost in all: points, in chances to win where all of the kind are judged so."""
    lost_se: float | None  # standard error of what one lost; None for one alone
    lost_mean: float  # what one lost
    counted: int  # how many lost that: in games, those that points decide
    luck_mean: float | None = None  # luck of deal and starter in games, points a deal

    @property
    def error_rate(self) -> float:
        """The share of errors."""
        return self.errors / self.decisions


class Progress(NamedTuple):
    """How discards, or cards, went."""

    thing: str  # what each decision is about, ``hand`` or ``card``
    decisions: int  # how many
    sessions: int
    errors: int  # how many were an inaccuracy or worse
    lost: float  # points lost, in all, but for those that chances to win decide
    lost_mean: float  # points lost by one of these
    by_points: int  # how many these are
    verdicts: dict[str, int]  # how many have each verdict
    periods: dict[str, list[Period]]  # over time, by kind, each problem the first time
    waiting: int  # how many come back

    @property
    def error_rate(self) -> float:
        """The share of errors."""
        return self.errors / self.decisions

    @property
    def notes(self) -> list[str]:
        """Say which decisions the totals and charts leave out."""
        notes, every = list[str](), self.decisions
        if by_wins := every - self.by_points:
            notes.append(
                f"What chances to win decide ({by_wins:,} of {every:,}) counts among verdicts and "
                "errors, not in points lost."
            )
        if (first := sum(one.decisions for one in chain(*self.periods.values()))) < every:
            notes.append(f"Charts show each {self.thing} the first time: {first:,} of {every:,}.")
        return notes

    def most(self, kind: str) -> float:
        """Return the most that was lost by one in a period: one scale for all charts in a unit."""
        alike = [
            periods
            for other, periods in self.periods.items()
            if (other == SCORED) == (kind == SCORED)
        ]
        return max((one.lost_mean for one in chain(*alike)), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return the progress as plain values, ready for JSON."""
        periods = {
            kind: [one._asdict() | {"error_rate": one.error_rate} for one in found]
            for kind, found in self.periods.items()
        }
        return self._asdict() | {"error_rate": self.error_rate, "periods": periods}


def progress_of(stored: Sequence[StoredDecision]) -> Progress:
    """Return how practice went, from decisions in order that are all discards or all cards."""
    verdicts = [one.verdict for one in stored]
    by_points = [one.loss for one in stored if one.win_loss is None]
    thing = "hand" if stored[0].is_discard else "card"
    parts = {kind: periods(first_decisions(stored, kind), kind) for kind in HEADINGS[thing]}
    return Progress(
        thing=thing,
        decisions=len(stored),
        sessions=len({one.session for one in stored}),
        errors=sum(verdict in COSTLY for verdict in verdicts),
        lost=sum(by_points),
        lost_mean=sum(by_points) / max(len(by_points), 1),
        by_points=len(by_points),
        verdicts={verdict: verdicts.count(verdict) for verdict in VERDICTS},
        periods={kind: found for kind, found in parts.items() if found},
        waiting=len(to_repeat(stored)),
    )


class Day(NamedTuple):
    """How the ten of a day went."""

    day: str  # the date, as 2026-11-23
    squares: str  # the verdicts in turn, `SQUARES`
    lost: float  # points lost in all
    errors: int  # how many were an inaccuracy or worse


class Days(NamedTuple):
    """How the ten of each day went, for the days of the last `LATEST_DAYS` that were finished."""

    streak: int  # how many days in a row, up to today, or to yesterday while today's are open
    days: list[Day]  # the latest first

    @property
    def ratings(self) -> list[float]:
        """The rating after each day, the latest first: points lost a day, recent days first.

        A day counts half as much as one of the seventh day after it that was finished.
        """
        lost = np.array([day.lost for day in self.days])
        weights = 0.5 ** (np.arange(len(lost)) / _HALVING)
        number = range(len(lost))
        return [float(np.average(lost[at:], weights=weights[: len(lost) - at])) for at in number]

    @property
    def rating(self) -> float:
        """The rating now."""
        return self.ratings[0]

    @property
    def rating_se(self) -> float | None:
        """The rating's standard error, by how the days differ; None of one day."""
        if len(self.days) < 2:
            return None
        weights = 0.5 ** (np.arange(len(self.days)) / _HALVING)
        spread = stdev(day.lost for day in self.days)
        return float(spread * (weights**2).sum() ** 0.5 / weights.sum())

    def __str__(self) -> str:
        number = len(self.days)
        errors = sum(day.errors for day in self.days) / number
        row = f"{pluralize(self.streak, 'day')} in a row; " if self.streak else ""
        error = "" if self.rating_se is None else f" ± {format_points(self.rating_se)}"
        return (
            f"{row}{number} of the last {LATEST_DAYS} days; rating {format_points(self.rating)}"
            f"{error} points lost a day, the latest counting most; errors in {errors / TEN:.0%}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the days as plain values, ready for JSON."""
        days = [day._asdict() for day in self.days]
        return {**{name: getattr(self, name) for name in _OF_DAYS}, "days": days}


def daily_progress(stored: Sequence[StoredDecision]) -> Days | None:
    """Return how the ten of the last days went; None if none are finished."""
    found = dict[date, list[StoredDecision]]()
    for one in sorted(stored, key=lambda one: (one.number, not one.is_discard)):
        if day := numbered_day(one.session):
            found.setdefault(day, []).append(one)
    done = {day: rows[:TEN] for day, rows in found.items() if len(rows) >= TEN}
    last, streak = today() - timedelta(today() not in done), 0
    while last - timedelta(streak) in done:
        streak += 1
    days = []
    for day in (today() - timedelta(before) for before in range(LATEST_DAYS)):
        if rows := done.get(day):
            squares = "".join(SQUARES[one.verdict] for one in rows)
            errors = sum(one.verdict in COSTLY for one in rows)
            days.append(Day(str(day), squares, sum(one.loss for one in rows), errors))
    return Days(streak, days) if days else None


def local_time(at: str) -> str:
    """Write a time in UTC as local time, to the minute."""
    return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M}"


def first_decisions(stored: Sequence[StoredDecision], kind: str) -> list[StoredDecision]:
    """List the decisions that show progress: of a kind, and the first in that position."""
    first = {one.position: one for one in reversed(stored)}
    return [one for one in stored if one.kind == kind and first[one.position] is one]


def stored_discards(stored: Sequence[StoredDecision]) -> pd.DataFrame:
    """Return stored discards as a review has them: the columns of a record, then the results.

    A session is a game, ``quiz 1``, ``quiz 2`` and so on; a hand at a score is one by itself.
    `_PRACTICE_COLUMNS` stand between; scores and chances to win, if there are any, at the end.
    """
    frame = _stored_table(stored).rename(
        columns={"chosen": "discard", "best": "best_discard", "win_best": "win_discard"}
    )
    problems = [one.problem for one in stored]
    frame["cards"] = [format_cards(one.held.kept) for one in problems]
    frame["opponent_discard"] = [format_cards(one.opponent_held.discard) for one in problems]
    frame["score"] = [one.score_text for one in problems]
    frame["role"] = [one.role for one in problems]
    sessions = list(dict.fromkeys(frame["session"]))
    names = {session: f"quiz {number}" for number, session in enumerate(sessions, 1)}
    frame["game"] = frame["session"].map(names)
    alone = frame["kind"].eq(SCORED) | (frame["score"].ne("") & frame["kind"].ne(GAME))
    frame.loc[alone, "game"] += ", hand " + (
        frame.groupby("session", sort=False).cumcount() + 1
    ).astype(str)
    frame["deal"] = frame.groupby("game", sort=False)["role"].transform(
        lambda roles: deal_numbers([*roles])
    )
    frame["player"] = PLAYER
    frame["play_swing"] = float("nan")
    columns = [*RECORD_COLUMNS, *_PRACTICE_COLUMNS, *GRADE_COLUMNS]
    columns += ["score", *_WIN_COLUMNS] if frame["score"].ne("").any() else []
    return frame[columns]


def _stored_table(stored: Sequence[StoredDecision]) -> pd.DataFrame:
    frame = pd.DataFrame(stored, columns=list(StoredDecision._fields))
    frame["verdict"] = [one.verdict for one in stored]
    frame["seed"] = frame["seed"].fillna("")
    return frame


def to_repeat(
    stored: Sequence[StoredDecision], role: str | None = None, kinds: Sequence[str] = ()
) -> list[Problem]:
    """List the problems that come back, as their last answer lost something, the worst first."""
    last = {one.position: one for one in stored}.values()
    costly = [
        one
        for one in last
        if one.verdict in COSTLY
        and role in (None, one.problem.role)
        and (one.is_discard or one.problem.kind in check_kinds(kinds))
    ]
    # Points and chances to win do not compare, but verdicts do.
    if any(one.win_loss is not None for one in costly):
        costly.sort(key=lambda one: (-VERDICTS.index(one.verdict), -one.loss))
    else:
        costly.sort(key=lambda one: -one.loss)
    return [one.problem for one in costly]


def coming_back(
    stored: Sequence[StoredDecision],
    *,
    play: bool,
    leak: str = "",
    role: str | None = None,
    kinds: Sequence[str] = (),
) -> list[Problem]:
    """List the discards, or the cards, that come back, with a leak those of its kind."""
    own = [one for one in stored if one.is_discard != play]
    if leak:  # of the problems where once a decision of the group was made
        chosen = [
            (one.problem.position, tuple(parse_card_text(one.chosen).tolist())) for one in own
        ]
        within = zip(own, stored_in(leak, chosen), strict=True)
        known = {one.position for one, inside in within if inside}
        own = [one for one in own if one.position in known]
    return to_repeat(own, role, kinds)


def periods(stored: Sequence[StoredDecision], kind: str = DEALT) -> list[Period]:
    """Split decisions into at most `MAX_PERIODS` of whole sessions; many of games by hundreds."""
    if not stored:
        return []
    frame = _stored_table(stored)
    frame["costly"] = frame["verdict"].isin(COSTLY)
    by_points = frame["loss"].mask(frame["win_loss"].notna())
    frame["lost"] = frame["win_loss"].astype(float) if kind == SCORED else by_points
    # By each session's first decision, so that sessions at the same time follow one another.
    size = frame.groupby("session", sort=False).size()
    part = frame["session"].map((size.cumsum() - size) * MAX_PERIODS // len(frame))
    if kind == GAME and len(frame) >= _MANY:
        each = _HUNDRED * max(1, -(-len(frame) // (_HUNDRED * MAX_PERIODS)))
        part = pd.Series(np.arange(len(frame)) // each, frame.index)
    known = len(_LUCK) if kind == GAME else len(_LUCK) + 1  # elsewhere luck is not told
    luck = frame[_LUCK].sum(axis=1, min_count=known)
    found = []
    for _, rows in frame.assign(luck=luck).groupby(part):
        lost, number = rows["lost"], int(rows["lost"].count())
        found.append(
            Period(
                first=rows["at"].iloc[0],
                last=rows["at"].iloc[-1],
                decisions=len(rows),
                errors=int(rows["costly"].sum()),
                lost=float(lost.sum()),
                lost_se=float(lost.std()) / number**0.5 if number > 1 else None,
                lost_mean=float(lost.mean()) if number else 0.0,
                counted=number,
                luck_mean=float(rows["luck"].mean()) if rows["luck"].count() else None,
            )
        )
    return found
