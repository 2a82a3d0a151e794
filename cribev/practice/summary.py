"""What some throws or lays add up to: what they lost, what was luck, and how that compares.

The points of a hand are hand and crib as counted, the crib taken off for pone, and the average play
of the cards kept, since the play is not played out. Par is the average of the best discards.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from cribev.choice import VERDICTS, format_points
from cribev.practice.baselines import baseline_losses, lay_baselines
from cribev.practice.lays import Lay, lay_table
from cribev.practice.throws import Throw, review_throws
from cribev.reviews.review import Review


class LuckDecomposition(NamedTuple):
    """The points of some hands: ``points = par - lost + luck``."""

    hands: int
    points: float
    par: float
    lost: float
    luck: float


class SessionSummary(NamedTuple):
    """What the throws of a session add up to."""

    review: Review
    parts: LuckDecomposition
    verdicts: dict[str, int]
    """How many throws have each verdict."""
    baselines: dict[str, float]
    """What well-known ways to discard lose on these hands, points a hand."""

    @property
    def lost_mean(self) -> float:
        """Points lost a hand."""
        return self.parts.lost / self.parts.hands

    @property
    def win_lost(self) -> float | None:
        """Chances to win lost in all, where these decide; None if they do nowhere."""
        decisions = self.review.decisions
        return float(decisions["win_loss"].sum()) if "win_loss" in decisions else None

    @property
    def win_lost_mean(self) -> float:
        """The same for one hand at a score."""
        decisions = self.review.decisions
        return float(decisions["win_loss"].mean()) if "win_loss" in decisions else 0.0

    @property
    def all_scored(self) -> bool:
        """Whether chances to win decide everywhere."""
        decisions = self.review.decisions
        return "win_loss" in decisions and bool(decisions["win_loss"].notna().all())

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values, ready for JSON."""
        wins = {} if self.win_lost is None else {"win_lost": self.win_lost}
        return {
            **self.parts._asdict(),
            **wins,
            "lost_mean": self.lost_mean,
            "verdicts": self.verdicts,
            "others_lost_mean": self.baselines,
        }


class LaySummary(NamedTuple):
    """What the lays of a session add up to."""

    table: pd.DataFrame
    """Of `cribev.practice.lays.lay_table`."""
    lost: float
    verdicts: dict[str, int]
    """How many lays have each verdict."""
    baselines: dict[str, float]
    """What simple players lose in these spots, points a card, as `lay_baselines`."""

    @property
    def lost_mean(self) -> float:
        """Points lost a card."""
        return self.lost / len(self.table)

    @property
    def comparison(self) -> str:
        """What simple players lose, in words."""
        greedy, uniform = (format_points(self.baselines[name]) for name in ("greedy", "uniform"))
        return (
            f"laying what makes most points at once loses {greedy} a card, any card that fits "
            f"{uniform}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values, ready for JSON."""
        return {
            "cards": len(self.table),
            "lost": self.lost,
            "lost_mean": self.lost_mean,
            "verdicts": self.verdicts,
            "others_lost_mean": self.baselines,
        }


def summarize_lays(lays: Sequence[Lay]) -> LaySummary:
    """Add up one or more lays.

    >>> from cribev.practice.lays import lay
    >>> from cribev.practice.spots import spots_of
    >>> found = summarize_lays([lay(next(spots_of(7, kinds=["answer"])), "3S")])
    >>> round(found.lost, 2), found.verdicts["mistake"]
    (0.37, 1)
    """
    table = lay_table(lays)
    return LaySummary(
        table, float(table["ev_loss"].sum()), count_verdicts(table), lay_baselines(lays)
    )


def summarize(throws: Sequence[Throw]) -> SessionSummary:
    """Add up one or more throws.

    >>> from cribev.practice.hands import hands_of
    >>> from cribev.practice.throws import throw
    >>> found = summarize([throw(next(hands_of(7)), "9H JC")])
    >>> [round(part, 2) for part in found.parts]
    [1, 11.65, 14.31, 0.99, -1.68]
    """
    review = review_throws(throws)
    return SessionSummary(
        review=review,
        parts=luck_decomposition(review.decisions),
        verdicts=count_verdicts(review.decisions),
        baselines={name: float(lost.mean()) for name, lost in baseline_losses(review).items()},
    )


def luck_decomposition(decisions: pd.DataFrame) -> LuckDecomposition:
    """Part the points of graded decisions whose starter and opponent's discard are known."""
    made = decisions["result"] - decisions["deal_luck"] + decisions["best_expected"]
    return LuckDecomposition(
        hands=len(decisions),
        points=float(made.sum()),
        par=float(decisions["best_expected"].sum()),
        lost=float(decisions["ev_loss"].sum()),
        luck=float((decisions["starter_luck"] + decisions["crib_swing"]).sum()),
    )


def count_verdicts(decisions: pd.DataFrame) -> dict[str, int]:
    """Count how many decisions have each verdict.

    >>> count_verdicts(pd.DataFrame({"verdict": ["best", "close", "best"]}))["best"]
    2
    """
    return {verdict: int((decisions["verdict"] == verdict).sum()) for verdict in VERDICTS}
