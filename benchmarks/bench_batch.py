"""Speed of evaluating millions of deals: arrays and tables.

``python -m pytest benchmarks --benchmark-enable``
"""

import numpy as np
import pandas as pd
import pytest
from slow_count import unrank_deals

from benchmarks.bench_core import MILLION, per_second
from cribev import evaluate, evaluate_deals, format_cards, random_hands
from cribev.classes.canonical import DEALS


@pytest.fixture(scope="module")
def deals():
    return random_hands(MILLION, seed=1)


@pytest.mark.parametrize("opponent", ["expert", "uniform"])
def bench_arrays(benchmark, deals, opponent):
    evaluate_deals(deals[:1], role="dealer", opponent=opponent)
    benchmark(evaluate_deals, deals, role="dealer", opponent=opponent)
    per_second(benchmark, len(deals), "deals")


def bench_frame(benchmark, deals):
    frame = pd.DataFrame({"cards": [format_cards(deal) for deal in deals[:100_000].tolist()]})
    benchmark(evaluate, frame, role="dealer")
    per_second(benchmark, len(frame), "deals")


def bench_all_deals_there_are(benchmark):
    if benchmark.disabled:
        pytest.skip("40 million deals: only with --benchmark-enable; tests check the same on fewer")

    def all_of_both_roles():
        evaluated = 0
        for start in range(0, DEALS, MILLION):
            block = unrank_deals(np.arange(start, min(start + MILLION, DEALS)))
            for role in ("dealer", "pone"):
                evaluated += len(evaluate_deals(block, role=role).expected)
        return evaluated

    evaluate_deals([np.arange(6)], role="dealer")
    assert benchmark.pedantic(all_of_both_roles, rounds=1) == 2 * DEALS
    per_second(benchmark, 2 * DEALS, "deals")
