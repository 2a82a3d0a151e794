"""How a player does over time: what each hundred decisions lost, and what luck did."""

import numpy as np
import pandas as pd

from cribev.advice.verdicts import COSTLY
from cribev.classes.canonical import Index
from cribev.grades.grading import COMPONENTS, GradedCards, judged_by_wins
from cribev.rows.names import TREND_COLUMNS

_HUNDRED = 100
MAX_BLOCKS = 20  # blocks of decisions, at most: of very many each has several hundreds
LUCK = [step.name for step in COMPONENTS if step.kind == "luck"]
"""What is luck of a deal, before the crib and the play."""


def blocks_of(number: int) -> Index:
    """Split decisions in turn into blocks of a hundred, ``(number,)``.

    >>> np.bincount(blocks_of(250)).tolist(), int(np.bincount(blocks_of(3000)).max())
    ([100, 100, 50], 200)
    """
    size = _HUNDRED * max(1, -(-number // (_HUNDRED * MAX_BLOCKS)))
    return np.arange(number) // size


def tabulate_trend(decisions: pd.DataFrame, graded: GradedCards) -> pd.DataFrame:
    """Average what each player's decisions lost, discards and cards in turn: `TREND_COLUMNS`."""
    chosen = np.flatnonzero(graded.frame["choices"] > 1)
    cards, rows = graded.frame.iloc[chosen], graded.rows[chosen]
    places = {
        "row": np.concatenate([np.arange(len(decisions)), rows]),
        "number": np.concatenate([np.zeros(len(decisions)), cards["number"]]),
        "by_wins": np.concatenate([*map(judged_by_wins, (decisions, cards))]),
        "verdict": np.concatenate([decisions["verdict"], cards["verdict"]]),
    }
    for name in ("loss", "win_loss"):
        lost = (part.reindex(columns=[name])[name] for part in (decisions, cards))
        places[name] = np.concatenate([*lost]).astype(np.float64)
    every = pd.DataFrame(places).astype({"number": int})
    every["loss"] = every["loss"].mask(every["by_wins"])
    every["win_loss"] = every["win_loss"].where(every["by_wins"])
    every["player"] = decisions["player"].to_numpy()[every["row"]]
    every["game"] = pd.factorize(decisions["game"])[0][every["row"]]
    every["deal"] = decisions["deal"].to_numpy()[every["row"]]
    luck = decisions[LUCK].sum(axis=1, min_count=len(LUCK)).to_numpy(np.float64)
    every["luck"] = np.where(every["number"] == 0, luck[every["row"]], np.nan)
    every["costly"] = every["verdict"].isin(COSTLY)
    every = every.sort_values(["game", "deal", "number"], kind="stable")
    found = []
    for player in decisions["player"].unique():
        own = every[every["player"] == player]
        first = 1
        for _, block in own.groupby(blocks_of(len(own))):
            row = {
                "player": player,
                "first": first,
                "decisions": len(block),
                "by_wins": int(block["by_wins"].sum()),
                "errors": int(block["costly"].sum()),
                "deals": int(block["luck"].count()),
            }
            for name in ("loss_mean", "win_loss_mean", "luck"):
                each = block[name.removesuffix("_mean")]
                row |= {name: each.mean(), f"{name}_se": each.sem()}
            found.append(row)
            first += len(block)
    return pd.DataFrame(found, columns=list(TREND_COLUMNS))
