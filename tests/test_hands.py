"""How often hands have so many points, or are of a kind: against what is published, and counted."""

import json
from collections import Counter
from itertools import combinations_with_replacement
from math import comb, prod
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from shell import good, refused

from cribev import evaluate_deals, explain, random_hands, score_hands
from cribev.game.roles import ROLES
from cribev.solution.solution import load

pytestmark = pytest.mark.arrays

HANDS = 12_994_800
RUNS = {(3, 1): "run of three", (4, 1): "run of four", (5, 1): "run of five"}
RUNS |= {(3, 2): "double run of three", (4, 2): "double run of four"}
RUNS |= {(3, 3): "triple run", (3, 4): "double double run"}
PAIRS = {(2,): "one pair", (2, 2): "two pairs", (3,): "pair royal"}
PAIRS |= {(2, 3): "pair and pair royal", (4,): "double pair royal"}


@pytest.fixture(scope="module")
def shares():
    rows = json.loads(good("tables", "hands", "--format", "json"))
    return pd.DataFrame(rows).set_index("hand")


def kinds_of(ranks):
    """What five ranks are, by the rules."""
    counts = Counter(ranks)
    kinds = [PAIRS.get(tuple(sorted(number for number in counts.values() if number > 1)))]
    for length in (5, 4, 3):
        firsts = [low for low in range(13) if all(low + at in counts for at in range(length))]
        if firsts:
            ways = prod(counts[firsts[0] + at] for at in range(length))
            return [*kinds, RUNS[length, ways]]
    return kinds


def test_hands_dealt_are_as_published_and_counted(shares):
    published = pd.read_csv(Path(__file__).parent / "data/score_distribution.csv", comment="#")
    dealt = shares["dealt"] * HANDS
    assert [round(dealt[str(points)]) for points in range(30)] == published["hands"].tolist()
    ways = Counter()
    for ranks in combinations_with_replacement(range(13), 5):
        of_ranks = prod(comb(4, number) for number in Counter(ranks).values())
        ways.update({kind: 5 * of_ranks for kind in kinds_of(ranks) if kind})
        pips = [min(rank + 1, 10) for rank in ranks]
        sums = Counter({0: 1})
        for pip in pips:
            sums += Counter({total + pip: number for total, number in sums.items()})
        ways["fifteen"] += 5 * of_ranks * (sums[15] > 0)
    ways["flush of four"] = 4 * comb(13, 4) * 39
    ways["flush of five"] = 4 * comb(13, 5) * 5
    ways["nobs"] = 48 * comb(50, 3)
    counted = {kind: round(dealt[kind]) for kind in ways}
    assert counted == dict(ways)
    assert {*shares.index} == {*ways, *map(str, range(30)), "0 in hand and crib"}


def test_hands_that_experts_keep_are_those_of_the_solution(shares):
    for role in ROLES:
        points = shares[role].loc[list(map(str, range(30)))]
        assert points.sum() == pytest.approx(1)
        mean = points.to_numpy() @ np.arange(30)
        assert mean == pytest.approx(load(play=True).averages[role].hand, abs=1e-9)
        number = 1200
        dealt = random_hands(number, cards=7, seed=3)
        kept = evaluate_deals(dealt[:, :6], role=role).best_keep
        seen = Counter()
        for keep, starter in zip(kept, dealt[:, 6], strict=True):
            show = explain(keep, int(starter))
            flush = {4: "flush of four", 5: "flush of five"}.get(show.points["flush"])
            ranks = [int(card) >> 2 for card in (*keep, starter)]
            kinds = [str(show.total), flush, *kinds_of(ranks)]
            kinds += [kind for kind in ("fifteen", "nobs") if show.points[kind]]
            seen.update(kind for kind in kinds if kind)
        often = shares[role].drop("0 in hand and crib")
        error = np.sqrt(often * (1 - often) / number)
        counted = pd.Series(seen).reindex(often.index).fillna(0) / number
        assert (abs(counted - often) <= 4 * error + 2 / number).all()


def test_zero_in_hand_and_crib_together_is_as_often_as_in_random_deals(shares):
    number = 300_000
    dealt = random_hands(number, cards=13, seed=5)
    six = {"dealer": dealt[:, :6], "pone": dealt[:, 6:12]}
    found = {role: evaluate_deals(own, role=role) for role, own in six.items()}
    starter = dealt[:, 12]
    hand = score_hands(found["dealer"].best_keep, starter)
    four = np.concatenate([found[role].best_discard for role in ROLES], axis=1)
    both = ((hand == 0) & (score_hands(four, starter, crib=True) == 0)).sum()
    often = shares.loc["0 in hand and crib", "dealer"] * number
    assert abs(both - often) < 4 * np.sqrt(often)


def test_tables_of_hands_are_of_one_role_or_both():
    text = good("tables", "hands")
    assert "pone keeps" in text
    assert "1 in " in text
    assert "pone keeps" not in good("tables", "hands", "--role", "dealer")
    for option in (["--opponent", "people"], ["--stakes", "acc"], ["--show-only"], ["12"]):
        assert "hands" in refused("tables", "hands", *option)
