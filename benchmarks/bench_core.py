"""Speed of the scorer and of one deal's advice.

``python -m pytest benchmarks --benchmark-enable``; the extra column is work per second.
"""

import numpy as np
import pytest

from cribev import advise, format_cards, random_hands, score_hands
from cribev.opponents.opponents import Uniform
from cribev.rows.lines import parse_lines
from cribev.values.counts import crib_scores, hand_scores

MILLION = 10**6
DEAL = "5H 5D JS QC 2H 8D"


@pytest.fixture(scope="module")
def hands():
    return random_hands(MILLION, cards=5, seed=1)


def per_second(benchmark, work, unit):
    if benchmark.stats:  # None while benchmarks are disabled
        benchmark.extra_info[f"{unit} a second"] = f"{work / benchmark.stats['median']:,.0f}"


@pytest.mark.parametrize("crib", [False, True], ids=["hands", "cribs"])
def bench_score_hands(benchmark, hands, crib):
    keeps, starters = np.ascontiguousarray(hands[:, :4]), hands[:, 4].copy()
    benchmark(score_hands, keeps, starters, crib=crib)
    per_second(benchmark, MILLION, "hands")


def bench_parse_lines(benchmark, hands):
    text = "\n".join(map(format_cards, hands[:200_000].tolist())).encode()
    cards, _ = benchmark(parse_lines, text, count=5)
    assert (cards == hands[:200_000]).all()
    per_second(benchmark, 200_000, "lines")


def bench_hand_of_one_deal(benchmark):
    deal = np.sort(random_hands(1, seed=1)[0])
    benchmark(hand_scores, deal)


def bench_crib_of_one_deal(benchmark):
    deal = np.sort(random_hands(1, seed=1)[0])
    benchmark(crib_scores, deal, Uniform().weights(deal, "dealer"))


def bench_advise_uniform(benchmark):
    benchmark(advise, DEAL, role="dealer", opponent="uniform")
