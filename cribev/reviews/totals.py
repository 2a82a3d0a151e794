"""What the decisions of a review add up to."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from cribev.choice import TIE_TOLERANCE, VERDICTS
from cribev.reviews.decomposition import (
    COMPONENTS,
    PLAY_SWING,
    WIN_CHANGE,
    known_win_components,
)
from cribev.reviews.wording import join_words, pluralize
from cribev.rows.columns import PLAY_COLUMNS

Totals: TypeAlias = pd.Series | Mapping[Any, Any]
"""A row of totals."""


def totals_by(decisions: pd.DataFrame, by: list[str], contested: float) -> pd.DataFrame:
    """Add up decisions by player, or by game and player, as `Review.players` has them.

    A total is over the deals where the thing is known; the column of its name with ``_deals`` says
    how many these are. It is NaN where there are none.

    >>> from cribev import review
    >>> frame = pd.DataFrame({"game": [1], "deal": [1], "player": ["Ann"], "role": ["pone"],
    ...                       "cards": ["5H 5D JS QC 2H 8D"], "discard": ["2H 8D"]})
    >>> totals = totals_by(review(frame).decisions, ["player"], 0.5)
    >>> totals[["best", "deal_luck_deals", "result_deals"]].to_numpy().tolist()
    [[1, 1, 0]]
    """
    gains = [step.name for step in COMPONENTS if step.kind != "lost" and step.name in decisions]
    gains += [name for name in PLAY_COLUMNS if name in decisions]
    wins = [step.name for step in known_win_components(decisions)]
    if wins:
        change = decisions["win_after"] - decisions["win_before"]
        decisions = decisions.assign(**{WIN_CHANGE: change})
        wins.append(WIN_CHANGE)
    parts = [*gains, "result", *wins]
    close_call = decisions["margin"] <= contested + TIE_TOLERANCE
    loss = decisions["ev_loss"]
    luck = decisions[[step.name for step in COMPONENTS if step.kind == "luck"]].sum(axis=1)
    counts = {
        "decisions": pd.Series(True, index=decisions.index),
        **{verdict: decisions["verdict"] == verdict for verdict in VERDICTS},
        "contested": close_call,
        "contested_best": close_call & (decisions["verdict"] == "best"),
        **{f"{part}_deals": decisions[part].notna() for part in parts},
    }
    sums = {
        "ev_loss": loss,
        "contested_ev_loss": loss.where(close_call, 0.0),
        **{part: decisions[part] for part in parts},
        "luck_adjusted": decisions["result"] - luck,
    }
    keys = [decisions[name] for name in by]
    counted = pd.DataFrame(counts).groupby(keys, sort=False).sum()
    summed = pd.DataFrame(sums).groupby(keys, sort=False).sum(min_count=1)
    totals = pd.concat([counted, summed], axis=1)
    totals["ev_loss_mean"] = totals["ev_loss"] / totals["decisions"]
    spread = loss.groupby(keys, sort=False).std()
    totals["ev_loss_se"] = spread / np.sqrt(totals["decisions"])
    some = totals["contested"].where(totals["contested"] > 0)
    totals["contested_ev_loss_mean"] = totals["contested_ev_loss"] / some
    order = [
        *("decisions", *VERDICTS, "ev_loss", "ev_loss_mean", "ev_loss_se"),
        *("contested", "contested_best", "contested_ev_loss", "contested_ev_loss_mean"),
        *(f"{part}{column}" for part in parts for column in ("", "_deals")),
        "luck_adjusted",
    ]
    return totals.reset_index()[[*by, *order]]


def missing_text(totals: Totals) -> str:
    """Say which totals are not over all decisions, and what the record lacks; empty if nothing.

    >>> missing_text(pd.Series({"decisions": 8, "deal_luck_deals": 8, "starter_luck_deals": 8,
    ...                    "crib_swing_deals": 4, "result_deals": 4}))
    "crib swing is known for 4 of 8 discards, result for 4; the others lack the opponent's discard"
    """
    return "; ".join(filter(None, [_missing(totals), _missing_play(totals)]))


def _missing(totals: Totals) -> str:
    number = totals["decisions"]
    short = [step for step in COMPONENTS if step.needs and totals[f"{step.name}_deals"] < number]
    if not short:
        return ""
    known = [(step.words, totals[f"{step.name}_deals"]) for step in short]
    known.append(("result", totals["result_deals"]))
    lacks = join_words([step.needs for step in short], "or")
    if not any(deals for _, deals in known):
        words = join_words([words for words, _ in known], "and")
        return f"not known: {words}; the record lacks {lacks}"
    (first, of), *more = known
    texts = [f"{first} is known for {of} of {pluralize(number, 'discard')}"]
    texts += [f"{words} for {deals}" for words, deals in more]
    return f"{', '.join(texts)}; the others lack {lacks}"


def _missing_play(totals: Totals) -> str:
    """Say for how many decisions the result takes the play at its average."""
    number = totals["decisions"]
    known = totals.get(f"{PLAY_SWING.name}_deals", number)
    if known == number or not totals["result_deals"]:
        return ""
    if not known:
        return "the play is not recorded: the result counts average play"
    return (
        f"{PLAY_SWING.words} is known for {known} of {pluralize(number, 'discard')}; elsewhere the "
        "result counts average play"
    )
