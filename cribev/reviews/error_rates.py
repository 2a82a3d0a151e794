"""What is lost per choice: by discards, leads, answers, later cards, and per deal in all.

Beside it stands what two simple players would have lost at the very same choices. *greedy* keeps
the four cards with the highest average hand, of equals any, and lays what takes the most points
now. *random* throws any two cards, and lays any card that fits. Accuracy is one number for it all.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from cribev.choice import TIE_TOLERANCE, DiscardValues
from cribev.classes.canonical import Floats
from cribev.reviews.card_grades import BASELINE_PLAY, DECISION_KINDS, GradedCards

RATE_KINDS = ("discard", *DECISION_KINDS, "deal")
"""What losses are averaged over: kinds of decisions, and whole deals."""

RATE_WORDS = {"later": "later card", "deal": "deal in all"}
"""What people read, where it is not the name of the kind."""

POINTS_HALVING = 1.0
"""Points lost a deal that halve the accuracy."""

WINS_HALVING = 0.02
"""Chances to win lost a deal that halve it too. By the win table a point is worth 0.0195 of a game,
averaged over the scores of 4,000 games."""

ACCURACY_FORMULA = (
    f"100 * 0.5^loss, where a loss of 1 is {POINTS_HALVING:g} point, or {WINS_HALVING:.0%} of a "
    "game, a deal"
)
"""What accuracy is."""

_UNITS = ("loss", "win_loss")
_LOSSES = [f"{who}{unit}" for unit in _UNITS for who in ("", *(f"{one}_" for one in BASELINE_PLAY))]


class CostlyChoice(NamedTuple):
    """A discard or a card that lost something."""

    row: int
    """The row of `Review.decisions` whose player it is."""
    card: int | None
    """The row of `Review.cards`; None for the discard."""
    lost: float
    """Points, or chances to win if `Review.counts_wins`."""


def accuracy(points: Floats, wins: Floats) -> Floats:
    """Turn what is lost a deal, in points and in chances to win, to numbers from 0 to 100.

    The chances count where they are known. NaN where nothing is known.

    The formula is 100 · 2^(−loss), with a loss of 1 for `POINTS_HALVING` or `WINS_HALVING`. Like
    the accuracy of lichess (https://lichess.org/page/accuracy) it falls exponentially, and never
    below 0. The scale tells all kinds of players apart: experts have about 95, who keeps the best
    hand and takes the most points at once some 50, and who throws and lays any cards 2.

    >>> accuracy(np.array([0.0, 1.0, 1.0]), np.array([np.nan, np.nan, 0.04])).tolist()
    [100.0, 50.0, 25.0]
    """
    loss = np.where(np.isnan(wins), points / POINTS_HALVING, wins / WINS_HALVING)
    found: Floats = 100 * 0.5**loss
    return found


def tabulate_error_rates(
    decisions: pd.DataFrame, discards: DiscardValues, graded: GradedCards, by: list[str]
) -> pd.DataFrame:
    """Average what was lost, by player or by game and player, and by kind of decision.

    Columns after ``by``: ``decision``, one of `RATE_KINDS`; ``number``, of the choices, or of the
    deals whose cards are graded; ``loss``, the mean in points, and ``loss_se``, its standard error;
    ``greedy_loss, random_loss``; and in chances to win ``win_loss, win_loss_se, greedy_win_loss,
    random_win_loss``, NaN unless they are known for all. Kinds that do not occur have no row.
    """
    choices = _choices(decisions, discards, graded)
    keys = decisions[by].iloc[choices["row"].to_numpy()].reset_index(drop=True)
    players = pd.MultiIndex.from_frame(keys).factorize()[0]
    kinds = pd.Categorical(choices["decision"], RATE_KINDS)
    grouped = choices.groupby([players, kinds], observed=True)
    means, errors, known = grouped[_LOSSES].mean(), grouped[list(_UNITS)].sem(), grouped.count()
    rates = pd.DataFrame({"number": grouped.size()})
    for name in _LOSSES:
        rates[name] = means[name].where(known[name] == rates["number"])
        if name in _UNITS:
            rates[f"{name}_se"] = errors[name].where(known[name] == rates["number"])
    first = grouped["row"].first().to_numpy()
    found = rates.reset_index(level=1, names=["", "decision"]).reset_index(drop=True)
    found["decision"] = found["decision"].astype(str)
    return pd.concat([decisions[by].iloc[first].reset_index(drop=True), found], axis=1)


def _choices(decisions: pd.DataFrame, discards: DiscardValues, graded: GradedCards) -> pd.DataFrame:
    """List discards, choices of a card and deals: the ``row`` of the record and what was lost."""
    thrown = pd.DataFrame({"row": np.arange(len(decisions)), "decision": RATE_KINDS[0]})
    greedy = discards.hand >= discards.hand.max(axis=1, keepdims=True) - TIE_TOLERANCE
    for unit, loss, values in zip(
        _UNITS, ("ev_loss", "win_loss"), (discards.expected, discards.win), strict=True
    ):
        if values is None:
            continue
        best = values.max(axis=1)
        thrown[unit] = decisions[loss].to_numpy()
        thrown[f"greedy_{unit}"] = best - values.mean(axis=1, where=greedy)
        thrown[f"random_{unit}"] = best - values.mean(axis=1)
    laid = graded.frame.assign(row=graded.rows)[graded.frame["choices"] > 1]
    both = pd.concat([_typed(thrown), _typed(laid)], ignore_index=True)
    played = both[both["row"].isin(graded.rows)].groupby("row")
    known = played[_LOSSES].count().eq(played.size(), axis=0)
    deals = played[_LOSSES].sum().where(known)
    deals = deals.reset_index().assign(decision=RATE_KINDS[-1])
    return pd.concat([both, _typed(deals)], ignore_index=True)


def _typed(choices: pd.DataFrame) -> pd.DataFrame:
    """Give choices all columns, and types that do not depend on whether there are any."""
    columns = ["row", "decision", *_LOSSES]
    types = {"row": np.int64, "decision": object, **dict.fromkeys(_LOSSES, np.float64)}
    return choices.reindex(columns=columns).astype(types)


def with_accuracy(totals: pd.DataFrame, rates: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Add a column ``accuracy`` to totals, by the same keys: NaN where no cards are graded."""
    deals = rates.loc[rates["decision"] == RATE_KINDS[-1], [*by, *_UNITS]]
    loss = totals[by].merge(deals, on=by, how="left")
    return totals.assign(accuracy=accuracy(*(loss[unit].to_numpy() for unit in _UNITS)))
