"""What the answers of a session add up to: what they lost, what was luck, and how that compares.

The points of a hand are hand and crib as counted, the crib taken off for pone, and the average play
of the cards kept, since the play is not played out. Par is the average of the best discards.
Baselines are what well-known ways to discard, and to play, lose on the very same problems.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cribev.choice import TIE_TOLERANCE, VERDICTS, format_points, net_points, tied_best
from cribev.classes.canonical import Floats
from cribev.game.index_tables import DISCARDS
from cribev.game.roles import ROLES
from cribev.opponents.players import as_play_strategy
from cribev.practice.answers import GradedAnswer, card_table, review_answers
from cribev.practice.problems import mean_loss
from cribev.reviews.review import Review
from cribev.rows.pairs import PUBLISHED_CRIBS, published_cribs
from cribev.solution.tables import POLICY_NAMES


class LuckDecomposition(NamedTuple):
    """The points of some hands: ``points = par - lost + luck``."""

    points: float
    par: float
    lost: float
    luck: float


class SessionSummary(NamedTuple):
    """What the answers of a session add up to."""

    thing: str
    """What each is about, ``hand`` or ``card``."""
    table: pd.DataFrame
    """A row for each: the decisions of a review, or `cribev.practice.answers.card_table`."""
    lost: float
    """Points lost in all."""
    win_losses: list[float]
    """Chances to win lost, where these decide."""
    verdicts: dict[str, int]
    """How many have each verdict."""
    baselines: dict[str, float]
    """What others lose on the same problems, points each."""
    parts: LuckDecomposition | None
    """What was luck, of discards."""

    @property
    def number(self) -> int:
        """How many answers there are."""
        return len(self.table)

    @property
    def lost_mean(self) -> float:
        """Points lost by each."""
        return self.lost / self.number

    @property
    def win_lost(self) -> float | None:
        """Chances to win lost in all, where these decide; None if they do nowhere."""
        return sum(self.win_losses) if self.win_losses else None

    @property
    def win_lost_mean(self) -> float:
        """The same for one."""
        return sum(self.win_losses) / max(len(self.win_losses), 1)

    @property
    def all_scored(self) -> bool:
        """Whether chances to win decide everywhere."""
        return len(self.win_losses) == self.number

    @property
    def comparison(self) -> str:
        """What others lose, in words."""
        if self.thing == "hand":
            return nearest_baselines(self.lost_mean, self.baselines)
        greedy, uniform = (format_points(self.baselines[name]) for name in ("greedy", "uniform"))
        return (
            f"laying what makes most points at once loses {greedy} a card, any card that fits "
            f"{uniform}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values, ready for JSON."""
        wins = {} if self.win_lost is None else {"win_lost": self.win_lost}
        return {
            f"{self.thing}s": self.number,
            **({} if self.parts is None else self.parts._asdict()),
            "lost": self.lost,
            **wins,
            "lost_mean": self.lost_mean,
            "verdicts": self.verdicts,
            "others_lost_mean": self.baselines,
        }


def summarize(answers: Sequence[GradedAnswer]) -> SessionSummary:
    """Add up one or more answers, all of them discards or all cards.

    >>> from cribev.practice.answers import grade_answer
    >>> from cribev.practice.problems import cards_of, discards_of
    >>> found = summarize([grade_answer(next(discards_of(7)), "9H JC")])
    >>> [round(part, 2) for part in found.parts]
    [11.65, 14.31, 0.99, -1.68]
    >>> found = summarize([grade_answer(next(cards_of(7, kinds=["answer"])), "3S")])
    >>> {name: round(lost, 2) for name, lost in found.baselines.items()}
    {'greedy': 0.05, 'uniform': 0.21}
    """
    parts, discards = None, answers[0].problem.is_discard
    if discards:
        review = review_answers(answers)
        table, parts = review.decisions, luck_decomposition(review.decisions)
        baselines = {name: float(lost.mean()) for name, lost in baseline_losses(review).items()}
    else:
        table = card_table(answers)
        baselines = {
            name: float(np.mean([mean_loss(player, one.decision.options) for one in answers]))
            for name, player in ((name, as_play_strategy(name)) for name in ("greedy", "uniform"))
        }
    return SessionSummary(
        thing=answers[0].problem.thing,
        table=table,
        lost=float(table["ev_loss"].sum()),
        win_losses=[
            one.decision.win_loss
            for one in answers
            if one.decision.by_wins and one.decision.win_loss is not None
        ],
        verdicts={verdict: int((table["verdict"] == verdict).sum()) for verdict in VERDICTS},
        baselines=baselines,
        parts=parts,
    )


def luck_decomposition(decisions: pd.DataFrame) -> LuckDecomposition:
    """Part the points of graded decisions whose starter and opponent's discard are known."""
    made = decisions["result"] - decisions["deal_luck"] + decisions["best_expected"]
    return LuckDecomposition(
        points=float(made.sum()),
        par=float(decisions["best_expected"].sum()),
        lost=float(decisions["ev_loss"].sum()),
        luck=float((decisions["starter_luck"] + decisions["crib_swing"]).sum()),
    )


def baseline_losses(review: Review) -> dict[str, Floats]:
    """Work out what each way to discard loses on each hand of an exact review, points ``(N,)``.

    A way that finds several discards alike throws any of them, and loses their mean. By the names
    of `cribev.solution.tables.POLICY_NAMES`: any two cards; for the best hand alone; for hand
    and crib without the play; by each published table of average cribs.

    >>> from cribev.practice.answers import grade_answer, review_answers
    >>> from cribev.practice.problems import discards_of
    >>> found = review_answers([grade_answer(next(discards_of(7)), "9H JC")])
    >>> {name: round(float(lost[0]), 2) for name, lost in baseline_losses(found).items()}
    {'random': 4.32, 'hand': 0.41, 'show': 0.0, 'colvert': 1.15, 'hessel': 0.0, 'rasmussen': 0.0,
    'schell': 0.0}
    """
    dealer, discards = review.record.dealer, review.discards
    expected = discards.expected
    ranks = review.record.deals[:, DISCARDS] >> 2
    estimates = {
        "random": np.zeros_like(expected),
        "hand": discards.hand,
        "show": net_points(discards.hand, discards.crib, dealer),
    }
    for name in PUBLISHED_CRIBS:
        table = published_cribs(name)
        by_role = np.where(
            dealer[:, None], *(table[role][ranks[..., 0], ranks[..., 1]] for role in ROLES)
        )
        estimates[name] = net_points(discards.hand, by_role, dealer)
    losses = {}
    for name, values in estimates.items():
        chosen = tied_best(values)
        found = np.where(chosen, expected, 0.0).sum(axis=1) / chosen.sum(axis=1)
        losses[name] = np.maximum(expected.max(axis=1) - found, 0.0)
    return losses


def nearest_baselines(lost: float, baselines: Mapping[str, float]) -> str:
    """Say which baselines lose as much a hand, or else the next less and the next more.

    >>> nearest_baselines(0.7, {"random": 2.4, "hand": 0.5, "show": 0.01})
    'throwing for the best hand alone loses 0.50 a hand; throwing any two cards loses 2.40 a hand'
    >>> nearest_baselines(0, {"random": 2.4, "hand": 0})
    'throwing for the best hand alone loses 0.00 a hand'
    """
    order = sorted(baselines, key=lambda name: baselines[name])
    alike = [name for name in order if abs(baselines[name] - lost) <= TIE_TOLERANCE]
    less = [name for name in order if baselines[name] < lost]
    more = [name for name in order if baselines[name] > lost]
    return "; ".join(
        f"throwing {POLICY_NAMES[name]} loses {format_points(baselines[name])} a hand"
        for name in alike[-1:] or less[-1:] + more[:1]
    )
