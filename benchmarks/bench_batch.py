"""Speed of evaluating deals by the million: arrays, tables, and files end to end.

``python -m pytest benchmarks --benchmark-enable``. Whole processes are timed on two sizes, and the
difference of their times gives the speed past start-up.
"""

import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from cribev import evaluate, evaluate_deals, format_cards, random_hands
from cribev.deals import DEALS, deals_between

MILLION = 10**6
SIZES = (MILLION, 5 * MILLION)


def per_second(benchmark, work, unit):
    if benchmark.stats:  # None while benchmarks are disabled
        benchmark.extra_info[f"{unit} a second"] = f"{work / benchmark.stats['median']:,.0f}"


@pytest.fixture(scope="module")
def deals():
    return random_hands(MILLION, seed=1)


@pytest.mark.parametrize("opponent", ["expert", "uniform"])
def bench_arrays(benchmark, deals, opponent):
    evaluate_deals(deals[:1], role="dealer", opponent=opponent)
    benchmark(evaluate_deals, deals, role="dealer", opponent=opponent)
    per_second(benchmark, len(deals), "deals")


def bench_arrays_with_spread(benchmark, deals):
    evaluate_deals(deals[:1], role="pone", spread=True)
    benchmark(evaluate_deals, deals[:200_000], role="pone", spread=True)
    per_second(benchmark, 200_000, "deals")


def bench_frame(benchmark, deals):
    frame = pd.DataFrame({"cards": [format_cards(deal) for deal in deals[:100_000].tolist()]})
    benchmark(evaluate, frame, role="dealer")
    per_second(benchmark, len(frame), "deals")


def bench_all_deals_there_are(benchmark):
    if benchmark.disabled:
        pytest.skip("a long measurement that checks nothing the tests do not: --benchmark-enable")

    def all_of_both_roles():
        found = 0
        for start in range(0, DEALS, MILLION):
            part = deals_between(start, min(start + MILLION, DEALS))
            for role in ("dealer", "pone"):
                found += len(evaluate_deals(part, role=role).expected)
        return found

    evaluate_deals([np.arange(6)], role="dealer")
    assert benchmark.pedantic(all_of_both_roles, rounds=1) == 2 * DEALS
    per_second(benchmark, 2 * DEALS, "deals")


@pytest.mark.parametrize("form", ["csv", "parquet"])
def bench_files_end_to_end(benchmark, tmp_path, form):
    if benchmark.disabled:
        pytest.skip("a long measurement that checks nothing the tests do not: --benchmark-enable")

    def process(*arguments):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "cribev", *arguments], check=True)
        return time.perf_counter() - start

    for size in SIZES:
        process("deal", str(size), "--seed", "1", "-o", str(tmp_path / f"{size}.{form}"))
    seconds = {
        size: [
            process("batch", str(tmp_path / f"{size}.{form}"), "-o", str(tmp_path / f"out.{form}"),
                    "--force")
            for _ in range(3)
        ]
        for size in SIZES
    }  # fmt: skip
    small, large = (min(seconds[size]) for size in SIZES)
    benchmark.pedantic(process, ("--version",), rounds=1)
    speed = (SIZES[1] - SIZES[0]) / (large - small)
    benchmark.extra_info["deals a second past start-up"] = f"{speed:,.0f}"
