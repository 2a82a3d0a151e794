"""The shares of hands of each number of points, and of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd

from cribev.game.roles import ROLES, Role
from cribev.tables.listing import Listing

HANDS = Path(str(files("cribev") / "data" / "hands.csv"))
"""The counts of `solver.hands`."""


def hands_listing(roles: Sequence[Role] = ROLES) -> Listing:
    """List how often a hand is of each kind: four cards and a starter dealt, and as experts keep.

    >>> hands_listing().table.set_index("hand").loc[["0", "pair royal"], "dealt"].round(4).to_dict()
    {'0': 0.0776, 'pair royal': 0.0211}
    """
    table = pd.read_csv(HANDS, comment="#")[["hand", "dealt", *roles]]
    shares = table.drop(columns="hand").itertuples(index=False)
    rows = [[name, *map(_share, row)] for name, row in zip(table["hand"], shares, strict=True)]
    return Listing(
        "how often a hand with its starter has so many points, or is of a kind",
        ("hand", "dealt", *(f"{role} keeps" for role in roles)),
        rows,
        table,
        ["four cards dealt; or what an expert keeps of six. A double run has its pair too"],
    )


def _share(share: float) -> str:
    """Write a share, if it is known: small ones as one in so many."""
    if np.isnan(share):
        return ""
    if share >= 1e-4:
        return f"{share:.3%}"
    return f"1 in {1 / share:,.0f}" if share else "never"
