"""Count how often a hand has each number of points, and is of each kind, for the package.

    python -m solver.hands

It takes about six minutes.
"""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.advice.names import as_opponent
from cribev.classes import canonical
from cribev.classes.canonical import Floats
from cribev.game.cards import DECK_SIZE, Cards, unseen
from cribev.game.index_tables import KEEPS, UNSEEN_PAIRS
from cribev.game.roles import Role
from cribev.game.scorer import points_by_kind, score_hands
from cribev.solution.solution import load
from cribev.system.files import atomic_write
from cribev.tables.hands import HANDS

_PAIRS = {2: "one pair", 4: "two pairs", 6: "pair royal", 8: "pair and pair royal"}
_PAIRS |= {12: "double pair royal"}
_RUNS = {3: "run of three", 4: "run of four", 5: "run of five", 6: "double run of three"}
_RUNS |= {8: "double run of four", 9: "triple run", 12: "double double run"}


def hand_shares(keeps: Cards, dealt: Cards, weights: Floats) -> dict[str, float]:
    """Return how often hands ``(N, 4)``, cut from what is left of the cards dealt, are what."""
    counts = dict[str, Any]()
    for starter in range(DECK_SIZE):
        rows = (dealt != starter).all(axis=1)
        often = weights[rows]
        columns = (*np.ascontiguousarray(keeps[rows].T), np.full(len(often), starter, np.uint8))
        kinds = points_by_kind(columns, crib=False)
        fifteen, pairs, runs, flush, nobs = kinds.T
        each: dict[str, NDArray[np.bool_]] = {
            **{str(points): kinds.sum(axis=1) == points for points in range(30)},
            "fifteen": fifteen > 0,
            **{name: pairs == points for points, name in _PAIRS.items()},
            **{name: runs == points for points, name in _RUNS.items()},
            "flush of four": flush == 4,
            "flush of five": flush == 5,
            "nobs": nobs > 0,
        }
        for name, has in each.items():
            counts[name] = counts.get(name, 0.0) + often @ has
    whole = sum(counts[str(points)] for points in range(30))
    return {name: float(ways / whole) for name, ways in counts.items()}


def expert_hands(role: Role) -> tuple[Cards, Cards, Floats]:
    """Return what experts keep, ``(N, 4)``, of which deals, and how often."""
    deals_of_all, policy = canonical.canonical_deals(), load(play=True).policies()[role]
    rows, keeps, of = canonical.keep_entries(policy[deals_of_all.classes, deals_of_all.patterns])
    dealt = deals_of_all.examples[rows]
    held = np.take_along_axis(dealt, KEEPS[keeps], axis=1)
    return held, dealt, deals_of_all.deals[rows] / (of * float(canonical.DEALS))


ZERO_TWICE = "0 in hand and crib"  # of the dealer, whose crib it is


def zero_twice(keeps: Cards, dealt: Cards, weights: Floats) -> float:
    """Return how often the dealer's hand and crib both have no points."""
    discards, total = as_opponent("expert").discards, 0.0
    ranks = np.sort(keeps >> 2, axis=1)
    _, first, which = np.unique(ranks, axis=0, return_index=True, return_inverse=True)
    starters = np.arange(DECK_SIZE, dtype=np.uint8)
    # Some starters of the rank, in another suit, bring nothing where flush and nobs do not count.
    points = score_hands(keeps[first][:, None], starters, crib=True)
    few = np.asarray((points <= 1).any(axis=1))
    for number in np.flatnonzero(few[which.ravel()]).tolist():
        deal, keep = dealt[number], keeps[number]
        left = unseen(deal)
        none = np.flatnonzero(score_hands(keep, left) == 0)
        if len(none):
            pairs = left[UNSEEN_PAIRS]
            crib = np.tile(np.setdiff1d(deal, keep), (len(pairs), 1))
            cribs = np.concatenate([crib, pairs], axis=1)
            nothing = score_hands(cribs[:, None], left[none], crib=True) == 0
            often = discards.weights(deal, "dealer")
            chance = (often[:, none] * nothing).sum() / often.sum()
            total += float(weights[number] * chance)
    return total


def main() -> None:
    """Write the file."""
    four = np.array(list(combinations(range(DECK_SIZE), 4)), dtype=np.uint8)
    table = pd.DataFrame({"dealt": hand_shares(four, four, np.ones(len(four)))})
    for role in ("pone", "dealer"):
        table[role] = pd.Series(hand_shares(*expert_hands(role)))
    table.loc[ZERO_TWICE, "dealer"] = zero_twice(*expert_hands("dealer"))
    with atomic_write(HANDS, force=True) as opened:
        opened.write(b"# Shares counted exactly, over all hands: python -m solver.hands\n")
        opened.write(table.to_csv(index_label="hand", float_format="%.12g").encode())


if __name__ == "__main__":
    main()
