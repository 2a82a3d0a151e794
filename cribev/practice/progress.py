"""How practice went: what was kept as a record, over time, and the hands that come back."""

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import pandas as pd

from cribev.opponents.models import as_opponent
from cribev.practice.hands import Hand
from cribev.practice.store import DEALT, HARD, StoredThrow
from cribev.practice.summary import count_verdicts
from cribev.practice.throws import PLAYER, turns
from cribev.reviews.baseline_comparison import compare_with_baselines, comparison_text
from cribev.reviews.decomposition import result_columns
from cribev.reviews.review import CONTESTED_MARGIN
from cribev.reviews.totals import totals_by
from cribev.reviews.wording import COSTLY, DEFAULT_BANDS

MOST_PERIODS = 20
"""Runs are put together until there are no more periods than this."""


class Period(NamedTuple):
    """Some runs, one after another."""

    first: str
    """When the first throw was, in UTC."""
    last: str
    hands: int
    lost: float
    """Points lost, in all."""
    error: float
    """Standard error of the points lost a hand; NaN of one hand."""

    @property
    def lost_mean(self) -> float:
        """Points lost a hand."""
        return self.lost / self.hands

    def to_dict(self) -> dict[str, Any]:
        """Return the period as plain values, ready for JSON."""
        error = None if math.isnan(self.error) else self.error
        return self._asdict() | {"lost_mean": self.lost_mean, "error": error}


class Progress(NamedTuple):
    """How practice went."""

    hands: int
    runs: int
    lost: float
    """Points lost, in all."""
    verdicts: dict[str, int]
    """How many throws are called what."""
    periods: dict[str, list[Period]]
    """Over time, hands as dealt and hard ones apart, thrown for the first time."""
    standing: str
    """Where that stands among well-known ways to discard, as `standing_kept`."""
    waiting: int
    """How many hands come back."""

    @property
    def lost_mean(self) -> float:
        """Points lost a hand."""
        return self.lost / self.hands

    def to_dict(self) -> dict[str, Any]:
        """Return the progress as plain values, ready for JSON."""
        found = self._asdict() | {"lost_mean": self.lost_mean}
        found["periods"] = {
            kind: [one.to_dict() for one in periods] for kind, periods in self.periods.items()
        }
        return found


def progress_of(kept: Sequence[StoredThrow]) -> Progress:
    """Tell how practice went.

    Parameters
    ----------
    kept
        One or more, the first thrown first.
    """
    decisions = decisions_kept(kept)
    return Progress(
        hands=len(kept),
        runs=len({one.run for one in kept}),
        lost=float(decisions["ev_loss"].sum()),
        verdicts=count_verdicts(decisions),
        periods={kind: found for kind in (DEALT, HARD) if (found := periods(fresh(kept, kind)))},
        standing=standing_kept(kept),
        waiting=len(waiting(kept)),
    )


def local(at: str) -> str:
    """Write a time in UTC as it is here.

    >>> len(local("2026-11-21T18:03:00+00:00"))
    16
    """
    return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M}"


def fresh(kept: Sequence[StoredThrow], kind: str) -> list[StoredThrow]:
    """List the throws that tell of progress: the first from each hand, of a kind."""
    first = {(one.cards, one.role): one for one in reversed(kept)}
    return [one for one in kept if one.kind == kind and first[one.cards, one.role] is one]


def decisions_kept(kept: Sequence[StoredThrow]) -> pd.DataFrame:
    """Write all that was kept as a review has it: the record's columns, then the results.

    Parameters
    ----------
    kept
        One or more.

    Returns
    -------
    A row for each throw. A run is a game, ``quiz 1``, ``quiz 2`` and so on; ``at``, ``kind``,
    ``seed`` and ``number`` stand between record and results.
    """
    frame = pd.DataFrame(kept, columns=list(StoredThrow._fields))
    runs = list(dict.fromkeys(frame["run"]))
    frame["game"] = frame["run"].map({run: f"quiz {at}" for at, run in enumerate(runs, 1)})
    frame["deal"] = frame.groupby("run", sort=False)["role"].transform(
        lambda roles: turns([*roles])
    )
    frame["player"] = PLAYER
    frame["verdict"] = DEFAULT_BANDS.verdicts(frame["ev_loss"], frame["rank"] == 1)
    frame["play_swing"] = float("nan")
    frame["seed"] = frame["seed"].fillna("")
    return frame[[*_RECORD, *_BESIDE, *result_columns(play=True)]]


def record_kept(kept: Sequence[StoredThrow]) -> pd.DataFrame:
    """Write all that was kept as a record that `cribev.review` reads."""
    return decisions_kept(kept)[[*_RECORD, *_BESIDE]]


def waiting(kept: Sequence[StoredThrow], role: str | None = None) -> list[Hand]:
    """List the hands that come back: those whose last throw was an inaccuracy or worse.

    Parameters
    ----------
    kept
        What was thrown, the first first.
    role
        Of this role only.

    Returns
    -------
    Each hand once, the one whose last throw lost most first. A hand thrown well since is not
    among them.
    """
    of_hand = {(one.cards, one.role): one for one in kept if role in (None, one.role)}
    last = list(of_hand.values())
    verdicts = DEFAULT_BANDS.verdicts(
        [one.ev_loss for one in last], [one.rank == 1 for one in last]
    ).tolist()
    lost = [one for one, verdict in zip(last, verdicts, strict=True) if verdict in COSTLY]
    return [one.hand for one in sorted(lost, key=lambda one: -one.ev_loss)]


def periods(kept: Sequence[StoredThrow]) -> list[Period]:
    """Divide what was kept into stretches of time, whole runs each, about as many hands in each.

    Examples
    --------
    >>> periods([])
    []
    """
    if not kept:
        return []
    frame = pd.DataFrame(kept, columns=list(StoredThrow._fields))
    # By the run's first throw: two runs at once are one after the other here.
    size = frame.groupby("run", sort=False).size()
    part = (size.cumsum() - size) * MOST_PERIODS // len(frame)
    groups = frame.groupby(frame["run"].map(part))
    return [
        Period(
            first=rows["at"].iloc[0],
            last=rows["at"].iloc[-1],
            hands=len(rows),
            lost=float(rows["ev_loss"].sum()),
            error=float(rows["ev_loss"].std()) / math.sqrt(len(rows)),
        )
        for _, rows in groups
    ]


def standing_kept(kept: Sequence[StoredThrow]) -> str:
    """Say what is lost a deal, and where that stands among well-known ways to discard.

    Returns
    -------
    As `cribev.reviews.baseline_comparison.comparison_text` has it, of hands as they are dealt:
    those that are hard, or were thrown before, are left out. Empty if there are fewer than two.
    """
    dealt = fresh(kept, DEALT)
    if len(dealt) < 2:
        return ""
    decisions, by = decisions_kept(dealt), ["player"]
    totals = totals_by(decisions, by, CONTESTED_MARGIN)
    return comparison_text(
        compare_with_baselines(totals, decisions, by, as_opponent("expert")).iloc[0]
    )


_RECORD = ("game", "deal", "player", "role", "cards", "discard", "starter", "opponent_discard")
_BESIDE = ("at", "kind", "seed", "number")
