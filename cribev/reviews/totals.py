"""What the decisions of a review add up to, and where their mean loss stands."""

import numpy as np
import pandas as pd

from cribev.game.roles import ROLES
from cribev.opponents.models import Expert, Opponent
from cribev.solved.solution import load

ROUNDING = 1e-9
"""Points; differences below this are rounding."""

VERDICTS = ("best", "close", "inaccuracy", "mistake", "blunder")
"""From the best discard down."""

TOTALS = (
    *("decisions", *VERDICTS, "ev_loss", "ev_loss_mean", "ev_loss_se"),
    *("contested", "contested_best", "contested_ev_loss", "contested_ev_loss_mean"),
    *("shown", "shown_ev_loss"),
    *("deal_luck", "starter_luck", "crib_swing", "result", "luck_adjusted"),
    *("beaten", "next_better", "next_better_loss", "next_worse", "next_worse_loss"),
)
"""The columns of totals, besides whose they are."""


def totals_by(
    decisions: pd.DataFrame, by: list[str], contested: float, opponent: Opponent
) -> pd.DataFrame:
    """Add up the decisions of each player, or of each game and player.

    Parameters
    ----------
    decisions
        As in `cribev.reviews.ledger.Review`.
    by
        The columns that say whose they are.
    contested
        The greatest margin of a contested decision, in points.
    opponent
        Who was taken to throw the other two cards.

    Returns
    -------
    A row for each, columns `by` and `TOTALS`.

    Examples
    --------
    >>> from cribev import review
    >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["pone"],
    ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["2H 8D"]})
    >>> totals_by(review(frame).decisions, ["player"], 0.5, Expert())["best"].tolist()
    [1]
    """
    close_call = decisions["margin"] <= contested + ROUNDING
    loss = decisions["ev_loss"]
    shown = decisions["result"].notna()
    parts = decisions[by].assign(
        decisions=1,
        **{verdict: (decisions["verdict"] == verdict).astype(np.int64) for verdict in VERDICTS},
        ev_loss=loss,
        contested=close_call.astype(np.int64),
        contested_best=(close_call & (decisions["verdict"] == "best")).astype(np.int64),
        contested_ev_loss=loss.where(close_call, 0.0),
        shown=shown.astype(np.int64),
    )
    # Of the same deals throughout, so that the totals balance as each deal does.
    ledger = (
        decisions[["deal_luck", "starter_luck", "crib_swing", "result"]]
        .assign(
            shown_ev_loss=loss,
            luck_adjusted=decisions["result"] - decisions["deal_luck"] - decisions["starter_luck"],
        )
        .where(shown)
    )
    groups = parts.groupby(by, sort=False)
    totals = groups.sum()
    spread = groups["ev_loss"].std()
    known = pd.concat([decisions[by], ledger], axis=1).groupby(by, sort=False).sum(min_count=1)
    means = pd.DataFrame(
        {
            "ev_loss_mean": totals["ev_loss"] / totals["decisions"],
            "ev_loss_se": spread / np.sqrt(totals["decisions"]),
            "contested_ev_loss_mean": totals["contested_ev_loss"]
            / totals["contested"].where(totals["contested"] > 0),
        }
    )
    as_dealer = (
        decisions[by]
        .assign(dealer=(decisions["role"] == ROLES[0]).astype(np.float64))
        .groupby(by, sort=False)["dealer"]
        .mean()
    )
    standing = _standing(means["ev_loss_mean"], as_dealer, opponent)
    every = pd.concat([totals, means, known, standing], axis=1).reset_index()
    return every[[*by, *TOTALS]]


def _standing(mean: pd.Series, as_dealer: pd.Series, opponent: Opponent) -> pd.DataFrame:
    """Place mean losses among what policies lose in the same share of deals as dealer."""
    columns = list(TOTALS[-5:])
    if not isinstance(opponent, Expert):
        return pd.DataFrame(index=mean.index, columns=columns, dtype=object)
    losses = load().losses
    names = np.array(list(losses[ROLES[0]]), dtype=object)
    dealer, pone = (np.array([losses[role][name].points for name in names]) for role in ROLES)
    share = as_dealer.to_numpy()[:, None]
    policies = share * dealer + (1 - share) * pone
    worse = policies > mean.to_numpy()[:, None]
    rows = np.arange(len(policies))
    better_at = np.where(worse, -np.inf, policies).argmax(axis=1)
    worse_at = np.where(worse, policies, np.inf).argmin(axis=1)
    has_better, has_worse = ~worse.all(axis=1), worse.any(axis=1)
    return pd.DataFrame(
        {
            "beaten": worse.sum(axis=1),
            "next_better": np.where(has_better, names[better_at], None),
            "next_better_loss": np.where(has_better, policies[rows, better_at], np.nan),
            "next_worse": np.where(has_worse, names[worse_at], None),
            "next_worse_loss": np.where(has_worse, policies[rows, worse_at], np.nan),
        },
        index=mean.index,
        columns=columns,
    )
