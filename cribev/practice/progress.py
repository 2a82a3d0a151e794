"""How practice went: the stored throws as a record, over time, and the hands that come back."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import pandas as pd

from cribev.files.column_descriptions import RECORD_COLUMNS
from cribev.opponents.models import as_opponent
from cribev.practice.hands import Hand
from cribev.practice.store import DEALT, HARD, StoredThrow
from cribev.practice.summary import count_verdicts
from cribev.practice.throws import PLAYER, deal_numbers
from cribev.reviews.baseline_comparison import compare_with_baselines, comparison_text
from cribev.reviews.decomposition import result_columns
from cribev.reviews.review import CONTESTED_MARGIN
from cribev.reviews.totals import totals_by
from cribev.reviews.wording import COSTLY, DEFAULT_BANDS

MAX_PERIODS = 20

_PRACTICE_COLUMNS = ("at", "kind", "seed", "number")


class Period(NamedTuple):
    """Some sessions, one after another."""

    first: str
    """When the first throw was, in UTC."""
    last: str
    hands: int
    lost: float
    """Points lost, in all."""
    error: float | None
    """Standard error of the points lost a hand; None for one hand."""
    lost_mean: float
    """Points lost a hand."""


class Progress(NamedTuple):
    """How practice went."""

    hands: int
    sessions: int
    lost: float
    """Points lost, in all."""
    verdicts: dict[str, int]
    """How many throws have each verdict."""
    periods: dict[str, list[Period]]
    """Over time, hands as dealt and hard ones apart, each hand the first time."""
    standing: str
    """How that compares with well-known ways to discard, as `baseline_comparison_text`."""
    waiting: int
    """How many hands come back."""
    lost_mean: float
    """Points lost a hand."""

    @property
    def most(self) -> float:
        """The most points lost a hand in a period: one scale for all charts."""
        return max((one.lost_mean for found in self.periods.values() for one in found), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return the progress as plain values, ready for JSON."""
        periods = {kind: [one._asdict() for one in found] for kind, found in self.periods.items()}
        return self._asdict() | {"periods": periods}


def progress_of(stored: Sequence[StoredThrow]) -> Progress:
    """Tell how practice went from one or more stored throws, the oldest first."""
    decisions = stored_decisions(stored)
    parts = {kind: periods(first_throws(stored, kind)) for kind in (DEALT, HARD)}
    return Progress(
        hands=len(stored),
        sessions=len({one.session for one in stored}),
        lost=float(decisions["ev_loss"].sum()),
        verdicts=count_verdicts(decisions),
        periods={kind: found for kind, found in parts.items() if found},
        standing=baseline_comparison_text(stored),
        waiting=len(hands_to_repeat(stored)),
        lost_mean=float(decisions["ev_loss"].mean()),
    )


def local_time(at: str) -> str:
    """Write a time in UTC as local time, to the minute.

    >>> len(local_time("2026-11-21T18:03:00+00:00"))
    16
    """
    return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M}"


def first_throws(stored: Sequence[StoredThrow], kind: str) -> list[StoredThrow]:
    """List the throws that show progress: of a kind, and the first from that hand."""
    first = {(one.cards, one.role): one for one in reversed(stored)}
    return [one for one in stored if one.kind == kind and first[one.cards, one.role] is one]


def stored_decisions(stored: Sequence[StoredThrow]) -> pd.DataFrame:
    """Return stored throws as a review has them: the columns of a record, then the results.

    A session is a game, ``quiz 1``, ``quiz 2`` and so on. Between record and results stand ``at``,
    ``kind``, ``seed`` and ``number``.
    """
    frame = pd.DataFrame(stored, columns=list(StoredThrow._fields))
    sessions = list(dict.fromkeys(frame["session"]))
    names = {session: f"quiz {number}" for number, session in enumerate(sessions, 1)}
    frame["game"] = frame["session"].map(names)
    frame["deal"] = frame.groupby("session", sort=False)["role"].transform(
        lambda roles: deal_numbers([*roles])
    )
    frame["player"] = PLAYER
    frame["verdict"] = DEFAULT_BANDS.verdicts(frame["ev_loss"], frame["rank"] == 1)
    frame["play_swing"] = float("nan")
    frame["seed"] = frame["seed"].fillna("")
    return frame[[*RECORD_COLUMNS, *_PRACTICE_COLUMNS, *result_columns(play=True)]]


def stored_record(stored: Sequence[StoredThrow]) -> pd.DataFrame:
    """Return stored throws as a record that `cribev.review` reads."""
    return stored_decisions(stored)[[*RECORD_COLUMNS, *_PRACTICE_COLUMNS]]


def hands_to_repeat(stored: Sequence[StoredThrow], role: str | None = None) -> list[Hand]:
    """List the hands that come back: those whose last throw was an inaccuracy or worse.

    The hand whose last throw lost most is first. With a ``role``, only hands of that role.
    """
    last = {(one.cards, one.role): one for one in stored if role in (None, one.role)}.values()
    verdicts = DEFAULT_BANDS.verdicts(
        [one.ev_loss for one in last], [one.rank == 1 for one in last]
    ).tolist()
    lost = [one for one, verdict in zip(last, verdicts, strict=True) if verdict in COSTLY]
    return [one.hand for one in sorted(lost, key=lambda one: -one.ev_loss)]


def periods(stored: Sequence[StoredThrow]) -> list[Period]:
    """Part stored throws into at most `MAX_PERIODS` periods of whole sessions, alike in size.

    >>> periods([])
    []
    """
    if not stored:
        return []
    frame = pd.DataFrame(stored, columns=list(StoredThrow._fields))
    # By each session's first throw, so that sessions at the same time follow one another.
    size = frame.groupby("session", sort=False).size()
    part = (size.cumsum() - size) * MAX_PERIODS // len(frame)
    return [
        Period(
            first=rows["at"].iloc[0],
            last=rows["at"].iloc[-1],
            hands=len(rows),
            lost=float(rows["ev_loss"].sum()),
            error=float(rows["ev_loss"].std()) / len(rows) ** 0.5 if len(rows) > 1 else None,
            lost_mean=float(rows["ev_loss"].mean()),
        )
        for _, rows in frame.groupby(frame["session"].map(part))
    ]


def baseline_comparison_text(stored: Sequence[StoredThrow]) -> str:
    """Say what is lost a deal, and how that compares with well-known ways to discard.

    Hard hands and hands thrown before do not count. Empty for fewer than two hands.
    """
    dealt = first_throws(stored, DEALT)
    if len(dealt) < 2:
        return ""
    decisions, by = stored_decisions(dealt), ["player"]
    totals = totals_by(decisions, by, CONTESTED_MARGIN)
    compared = compare_with_baselines(totals, decisions, by, as_opponent("expert"))
    return comparison_text(compared.iloc[0])
