"""A mean loss compared with what well-known policies lose."""

from typing import Any

import numpy as np
import pandas as pd

from cribev.choice import format_points
from cribev.game.roles import ROLES
from cribev.opponents.discarders import Opponent
from cribev.reviews.totals import Totals
from cribev.solution.tables import POLICY_NAMES

MIN_ERRORS_APART = 2.0
"""A mean loss differs from a policy's if at least this many standard errors lie between."""

COMPARISON_COLUMNS = ("beaten", "next_better", "next_better_loss", "next_worse", "next_worse_loss")
"""The columns of the comparison."""


def compare_with_baselines(
    totals: pd.DataFrame, decisions: pd.DataFrame, by: list[str], opponent: Opponent
) -> pd.DataFrame:
    """Add `COMPARISON_COLUMNS` to totals: how many policies lose more, and the nearest two.

    Each policy is weighed by the same share of deals as dealer, and counts as better or worse only
    at least `MIN_ERRORS_APART` standard errors away. All is missing without a standard error or a
    loss, and where the opponent's losses are not known.
    """
    error = totals["ev_loss_se"].to_numpy()
    known = error > 0
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
    room = np.where(known, MIN_ERRORS_APART * error, np.inf)[:, None]
    better = np.where(away < -room, policies, -np.inf)
    worse = np.where(away > room, policies, np.inf)
    beaten = pd.Series(np.isfinite(worse).sum(axis=1), dtype="Int64")
    compared: dict[str, Any] = {"beaten": beaten.where(known)}
    for name, near, best in (
        ("next_better", better.argmax(axis=1), better.max(axis=1)),
        ("next_worse", worse.argmin(axis=1), worse.min(axis=1)),
    ):
        there = np.isfinite(best)
        compared[name] = np.where(there, names[near], None)
        compared[f"{name}_loss"] = np.where(there, best, np.nan)
    return totals.assign(**compared)


def comparison_text(totals: Totals) -> str:
    """Say a mean loss with its standard error, and what the nearest policies lose.

    Empty without a comparison.
    """
    if pd.isna(totals["beaten"]):
        return ""
    policies = [
        f"throwing {POLICY_NAMES[totals[near]]} loses {format_points(totals[near + '_loss'], 3)}"
        for near in ("next_better", "next_worse")
        if isinstance(totals[near], str)
    ]
    mean, error = (format_points(totals[name], 3) for name in ("ev_loss_mean", "ev_loss_se"))
    return "; ".join([f"lost {mean} ± {error} a deal", *policies])
