"""What some throws add up to: what was lost, what was luck, and where that stands.

The points of a hand are hand and crib as they were counted, the crib taken off as pone, and what
the cards kept peg on average, for the play is not played out. Par is what the best discards come to
on average. Between the two lie what the throws lost, and the luck of the cut and of the crib.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from cribev.practice.baselines import baseline_losses
from cribev.practice.throws import Throw, reviewed
from cribev.reviews.review import Review
from cribev.reviews.wording import VERDICTS


class LuckDecomposition(NamedTuple):
    """Points of some hands: ``points = par - lost + luck``."""

    hands: int
    points: float
    par: float
    lost: float
    luck: float


class SessionSummary(NamedTuple):
    """Some throws, one after another."""

    review: Review
    books: LuckDecomposition
    verdicts: dict[str, int]
    """How many throws are called what."""
    rivals: dict[str, float]
    """What well-known ways to discard lose on these hands, points a hand."""

    @property
    def lost_mean(self) -> float:
        """Points lost a hand."""
        return self.books.lost / self.books.hands

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain values, ready for JSON.

        Examples
        --------
        >>> from cribev.practice.hands import hands_of
        >>> from cribev.practice.throws import question_of, throw
        >>> run = summarize([throw(question_of(next(hands_of(7))), "9H JC")])
        >>> found = run.to_dict()
        >>> found["hands"], round(found["lost"], 2), found["verdicts"]["mistake"]
        (1, 0.98, 1)
        """
        return {
            **self.books._asdict(),
            "lost_mean": self.lost_mean,
            "verdicts": self.verdicts,
            "others_lost_mean": self.rivals,
        }


def summarize(throws: Sequence[Throw]) -> SessionSummary:
    """Add up throws.

    Parameters
    ----------
    throws
        One or more.

    Examples
    --------
    >>> from cribev.practice.hands import hands_of
    >>> from cribev.practice.throws import question_of, throw
    >>> books = summarize([throw(question_of(next(hands_of(7))), "9H JC")]).books
    >>> [round(part, 2) for part in books]
    [1, 11.65, 14.32, 0.98, -1.69]
    """
    review = reviewed(throws)
    return SessionSummary(
        review=review,
        books=luck_decomposition(review.decisions),
        verdicts=count_verdicts(review.decisions),
        rivals={name: float(lost.mean()) for name, lost in baseline_losses(review).items()},
    )


def luck_decomposition(decisions: pd.DataFrame) -> LuckDecomposition:
    """Balance the points of decisions, of all of which everything is known.

    Parameters
    ----------
    decisions
        As in `cribev.reviews.review.Review`.
    """
    made = decisions["result"] - decisions["deal_luck"] + decisions["best_expected"]
    return LuckDecomposition(
        hands=len(decisions),
        points=float(made.sum()),
        par=float(decisions["best_expected"].sum()),
        lost=float(decisions["ev_loss"].sum()),
        luck=float((decisions["starter_luck"] + decisions["crib_swing"]).sum()),
    )


def count_verdicts(decisions: pd.DataFrame) -> dict[str, int]:
    """Count what decisions are called.

    >>> count_verdicts(pd.DataFrame({"verdict": ["best", "close", "best"]}))["best"]
    2
    """
    return {verdict: int((decisions["verdict"] == verdict).sum()) for verdict in VERDICTS}
