"""Where a mean loss stands among what well-known ways to discard lose."""

from typing import Any

import numpy as np
import pandas as pd

from cribev.game.roles import ROLES
from cribev.opponents.models import Opponent
from cribev.reviews.wording import format_points
from cribev.solved.discard_tables import POLICY_NAMES

TOLD_APART = 2.0
"""A mean loss is told apart from a policy's by at least so many of its standard errors."""

COMPARISON_COLUMNS = ("beaten", "next_better", "next_better_loss", "next_worse", "next_worse_loss")
"""The columns of a standing."""


def compare_with_baselines(
    totals: pd.DataFrame, decisions: pd.DataFrame, by: list[str], opponent: Opponent
) -> pd.DataFrame:
    """Place each mean loss among what policies lose in the same share of deals as dealer.

    Parameters
    ----------
    totals
        As from `cribev.reviews.totals.totals_by`.
    decisions
        What they are totals of.
    by
        The columns that say whose they are.
    opponent
        Who was taken to throw the other two cards.

    Returns
    -------
    The totals and `COMPARISON_COLUMNS`: how many policies lose more, and those nearest on either
    side with what they lose; only those at least `TOLD_APART` standard errors away. All is missing
    where there is no standard error or nothing was lost, and where the opponent is not the expert.
    """
    error = totals["ev_loss_se"].to_numpy()
    told = error > 0
    keys = [decisions[name] for name in by]
    share = (decisions["role"] == ROLES[0]).groupby(keys, sort=False).mean().to_numpy()[:, None]
    losses = {role: opponent.policy_losses(role) for role in ROLES}
    names = np.array(list(losses[ROLES[0]]), dtype=object)
    if not names.size:
        unknown: dict[str, Any] = {
            **dict.fromkeys(COMPARISON_COLUMNS, np.nan),
            "next_better": None,
            "next_worse": None,
        }
        return totals.assign(**unknown).astype({"beaten": "Int64"})
    dealer, pone = (np.array([losses[role][name].points for name in names]) for role in ROLES)
    policies = share * dealer + (1 - share) * pone
    away = policies - totals["ev_loss_mean"].to_numpy()[:, None]
    room = np.where(told, TOLD_APART * error, np.inf)[:, None]
    better = np.where(away < -room, policies, -np.inf)
    worse = np.where(away > room, policies, np.inf)
    beaten = pd.Series(np.isfinite(worse).sum(axis=1), dtype="Int64")
    standing: dict[str, Any] = {"beaten": beaten.where(told)}
    for name, near, best in (
        ("next_better", better.argmax(axis=1), better.max(axis=1)),
        ("next_worse", worse.argmin(axis=1), worse.min(axis=1)),
    ):
        there = np.isfinite(best)
        standing[name] = np.where(there, names[near], None)
        standing[f"{name}_loss"] = np.where(there, best, np.nan)
    return totals.assign(**standing)


def comparison_text(totals: pd.Series) -> str:
    """Say a mean loss with its standard error, and where it stands.

    Returns
    -------
    One line; empty if the opponent is not the expert or there is no standard error.
    """
    if pd.isna(totals["beaten"]):
        return ""
    words = [
        f"{word} than throwing {POLICY_NAMES[totals[near]]} "
        f"({format_points(totals[near + '_loss'], 3)})"
        for word, near in (("worse", "next_better"), ("better", "next_worse"))
        if isinstance(totals[near], str)
    ]
    mean, error = format_points(totals["ev_loss_mean"], 3), format_points(totals["ev_loss_se"], 3)
    return ", ".join([f"lost {mean} ± {error} a deal", *words])
