"""How practice went, discards and cards apart: over time, as a record, and what comes back."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import pandas as pd

from cribev.choice import COSTLY, VERDICTS
from cribev.opponents.discarders import as_opponent
from cribev.practice.hands import Hand
from cribev.practice.spots import Spot, check_kinds
from cribev.practice.stored import (
    DEALT,
    GAME,
    HARD,
    SCORED,
    Stored,
    StoredLay,
    StoredThrow,
    stored_verdicts,
)
from cribev.practice.throws import PLAYER, deal_numbers
from cribev.reviews.decomposition import result_columns
from cribev.reviews.review import CONTESTED_MARGIN
from cribev.reviews.totals import compare_with_baselines, comparison_text, totals_by
from cribev.rows.columns import LAY_COLUMNS, RECORD_COLUMNS

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

_PRACTICE_COLUMNS = ("at", "kind", "seed", "number")
_WIN_COLUMNS = ("win", "best_win", "win_discard", "win_loss")


class Period(NamedTuple):
    """Some sessions, one after another."""

    first: str
    """When the first decision was, in UTC."""
    last: str
    decisions: int
    """How many throws or lays."""
    errors: int
    """How many of them were an inaccuracy or worse."""
    lost: float
    """What they lost in all: points, in chances to win where all of the kind are judged so."""
    lost_se: float | None
    """Standard error of what one lost; None for one alone."""
    lost_mean: float
    """What one lost."""

    @property
    def error_rate(self) -> float:
        """The share of errors."""
        return self.errors / self.decisions


class Progress(NamedTuple):
    """How the discards went, or the cards."""

    thing: str
    """What each decision is about, ``hand`` or ``card``."""
    decisions: int
    """How many throws or lays."""
    sessions: int
    errors: int
    """How many were an inaccuracy or worse."""
    lost: float
    """Points lost, in all, but for those that chances to win decide."""
    lost_mean: float
    """Points lost by one."""
    verdicts: dict[str, int]
    """How many have each verdict."""
    periods: dict[str, list[Period]]
    """Over time, by kind, each hand or spot the first time."""
    standing: str
    """How discards compare with well-known ways to discard, as `baseline_comparison_text`."""
    waiting: int
    """How many come back."""

    @property
    def error_rate(self) -> float:
        """The share of errors."""
        return self.errors / self.decisions

    def most(self, kind: str) -> float:
        """Return the most that was lost by one in a period: one scale for all charts in a unit."""
        periods = [
            one
            for other, found in self.periods.items()
            if (other == SCORED) == (kind == SCORED)
            for one in found
        ]
        return max((one.lost_mean for one in periods), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return the progress as plain values, ready for JSON."""
        periods = {
            kind: [one._asdict() | {"error_rate": one.error_rate} for one in found]
            for kind, found in self.periods.items()
        }
        return self._asdict() | {"error_rate": self.error_rate, "periods": periods}


def progress_of(stored: Sequence[StoredThrow] | Sequence[StoredLay]) -> Progress:
    """Tell how practice went from one or more stored throws, or lays, the oldest first."""
    verdicts = stored_verdicts(stored)
    throws = [one for one in stored if isinstance(one, StoredThrow)]
    lays = [one for one in stored if isinstance(one, StoredLay)]
    by_points = [one.ev_loss for one in stored if one.win_loss is None]
    thing = "hand" if throws else "card"
    parts = {kind: periods(first_decisions(stored, kind), kind) for kind in HEADINGS[thing]}
    return Progress(
        thing=thing,
        decisions=len(stored),
        sessions=len({one.session for one in stored}),
        errors=sum(verdict in COSTLY for verdict in verdicts),
        lost=sum(by_points),
        lost_mean=sum(by_points) / max(len(by_points), 1),
        verdicts={verdict: verdicts.count(verdict) for verdict in VERDICTS},
        periods={kind: found for kind, found in parts.items() if found},
        standing=baseline_comparison_text(throws),
        waiting=len(hands_to_repeat(throws)) + len(spots_to_repeat(lays)),
    )


def local_time(at: str) -> str:
    """Write a time in UTC as local time, to the minute.

    >>> len(local_time("2026-11-21T18:03:00+00:00"))
    16
    """
    return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M}"


def first_decisions(stored: Sequence[Stored], kind: str) -> list[Stored]:
    """List the decisions that show progress: of a kind, and the first on that hand or spot."""
    first = {one.identity: one for one in reversed(stored)}
    return [one for one in stored if one.kind == kind and first[one.identity] is one]


def stored_decisions(stored: Sequence[StoredThrow]) -> pd.DataFrame:
    """Return stored throws as a review has them: the columns of a record, then the results.

    A session is a game, ``quiz 1``, ``quiz 2`` and so on; a hand at a score is one by itself.
    Between record and results stand ``at``, ``kind``, ``seed`` and ``number``. If there are scores,
    ``score`` and chances to win stand there too.
    """
    frame = pd.DataFrame(stored, columns=list(StoredThrow._fields))
    sessions = list(dict.fromkeys(frame["session"]))
    names = {session: f"quiz {number}" for number, session in enumerate(sessions, 1)}
    frame["game"] = frame["session"].map(names)
    alone = frame["kind"].eq(SCORED) | (frame["score"].notna() & frame["kind"].ne(GAME))
    frame.loc[alone, "game"] += ", hand " + (
        frame.groupby("session", sort=False).cumcount() + 1
    ).astype(str)
    frame["deal"] = frame.groupby("game", sort=False)["role"].transform(
        lambda roles: deal_numbers([*roles])
    )
    frame["player"] = PLAYER
    frame["verdict"] = stored_verdicts(stored)
    frame["play_swing"] = float("nan")
    frame["seed"] = frame["seed"].fillna("")
    scored = frame["score"].notna().any()
    frame["score"] = frame["score"].fillna("")
    columns = [*RECORD_COLUMNS, *_PRACTICE_COLUMNS, *result_columns(play=True)]
    return frame[[*columns, *(["score", *_WIN_COLUMNS] if scored else [])]]


def stored_lay_table(stored: Sequence[StoredLay]) -> pd.DataFrame:
    """Return stored lays, a row for each: `_PRACTICE_COLUMNS`, `LAY_COLUMNS` and ``win_loss``.

    >>> stored_lay_table([]).columns[:3].tolist()
    ['at', 'kind', 'seed']
    """
    frame = pd.DataFrame(stored, columns=list(StoredLay._fields))
    frame["verdict"] = stored_verdicts(stored)
    frame["seed"] = frame["seed"].fillna("")
    return frame[[*_PRACTICE_COLUMNS, *LAY_COLUMNS, "win_loss"]]


def stored_record(stored: Sequence[StoredThrow]) -> pd.DataFrame:
    """Return stored throws as a record that `cribev.review` reads."""
    decisions = stored_decisions(stored)
    scores = ["score"] if "score" in decisions else []
    return decisions[[*RECORD_COLUMNS, *_PRACTICE_COLUMNS, *scores]]


def hands_to_repeat(stored: Sequence[StoredThrow], role: str | None = None) -> list[Hand]:
    """List the hands that come back: those whose last throw was an inaccuracy or worse.

    The hand whose last throw lost most is first. With a ``role``, only hands of that role.
    """
    return [one.hand for one in _costly([one for one in stored if role in (None, one.role)])]


def spots_to_repeat(
    stored: Sequence[StoredLay], role: str | None = None, kinds: Sequence[str] = ()
) -> list[Spot]:
    """List the spots that come back, in the same way; with ``kinds``, only of these kinds."""
    asked = check_kinds(kinds)
    spots = [one.spot for one in _costly([one for one in stored if role in (None, one.role)])]
    return [spot for spot in spots if spot.kind in asked]


def _costly(stored: Sequence[Any]) -> list[Any]:
    """List the last decision on each hand or spot if it was costly, the costliest first."""
    last = list({one.identity: one for one in stored}.values())
    costly = [
        (one, VERDICTS.index(verdict))
        for one, verdict in zip(last, stored_verdicts(last), strict=True)
        if verdict in COSTLY
    ]
    # Points and chances to win do not compare, but verdicts do.
    by_points = all(one.win_loss is None for one, _ in costly)
    costly.sort(key=lambda found: (0 if by_points else -found[1], -found[0].ev_loss))
    return [one for one, _ in costly]


def periods(stored: Sequence[Stored], kind: str = DEALT) -> list[Period]:
    """Part stored decisions into at most `MAX_PERIODS` periods of whole sessions, alike in size.

    Of hands at a score chances to win are lost; of all other kinds points, those apart that chances
    to win decide.

    >>> periods([])
    []
    """
    if not stored:
        return []
    frame = pd.DataFrame(stored, columns=list(type(stored[0])._fields))
    frame["costly"] = [verdict in COSTLY for verdict in stored_verdicts(stored)]
    by_wins = frame["win_loss"].notna()
    if kind == SCORED:
        frame["lost"] = frame["win_loss"].astype(float)
    else:
        frame["lost"] = frame["ev_loss"].mask(by_wins)
    # By each session's first decision, so that sessions at the same time follow one another.
    size = frame.groupby("session", sort=False).size()
    part = (size.cumsum() - size) * MAX_PERIODS // len(frame)
    return [
        Period(
            first=rows["at"].iloc[0],
            last=rows["at"].iloc[-1],
            decisions=len(rows),
            errors=int(rows["costly"].sum()),
            lost=float(rows["lost"].sum()),
            lost_se=_standard_error(rows["lost"]),
            lost_mean=float(rows["lost"].mean()) if rows["lost"].count() else 0.0,
        )
        for _, rows in frame.groupby(frame["session"].map(part))
    ]


def _standard_error(lost: "pd.Series[float]") -> float | None:
    number = int(lost.count())
    return float(lost.std()) / number**0.5 if number > 1 else None


def baseline_comparison_text(stored: Sequence[StoredThrow]) -> str:
    """Say what is lost a deal, and how that compares with well-known ways to discard.

    Hard hands and hands thrown before do not count. Empty for fewer than two hands.
    """
    dealt = [one for one in first_decisions(stored, DEALT) if isinstance(one, StoredThrow)]
    if len(dealt) < 2:
        return ""
    decisions, by = stored_decisions(dealt), ["player"]
    totals = totals_by(decisions, by, CONTESTED_MARGIN)
    compared = compare_with_baselines(totals, decisions, by, as_opponent("expert"))
    return comparison_text(compared.iloc[0])
