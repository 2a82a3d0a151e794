"""Speed of the exact expert, of the class tables, and of solving the game."""

import numpy as np
import pytest

from benchmarks.bench_core import DEAL, MILLION, per_second
from cribev import advise, random_hands
from cribev.classes.canonical import canonical_deals, classify_deals
from cribev.classes.class_tables import ClassTables, best_response
from cribev.opponents.counts import discard_counts, exact_weights, expert_counts
from cribev.solution.solution import load
from solver.discard_game import solve_discards
from solver.discards import average_cribs, discard_frequencies


def bench_advise_expert(benchmark):
    expert_counts(load(), "pone")
    deals = iter(random_hands(11, seed=1))  # another each time: something is kept of the last one

    def ask():
        return (next(deals),), {"role": "dealer"}

    benchmark.pedantic(advise, setup=ask, rounds=10)


def bench_exact_weights(benchmark):
    benchmark.pedantic(
        exact_weights, (DEAL, expert_counts(load(), "pone")), rounds=10, warmup_rounds=1
    )


def bench_counting_the_whole_deck(benchmark):
    def count():
        return discard_counts(best_response(load().cribs["pone"], role="pone"))

    benchmark.pedantic(count, rounds=3, warmup_rounds=1)


@pytest.mark.parametrize("size", [1_000, 100_000, 2 * MILLION])
def bench_best_keeps(benchmark, size):
    deals = random_hands(size, seed=1)
    tables, of_deals = ClassTables(load().cribs["dealer"], "dealer"), classify_deals(deals)
    best = benchmark.pedantic(tables.best, of_deals, rounds=5, warmup_rounds=1)
    assert np.isfinite(best.expected).all()
    per_second(benchmark, size, "deals")


def bench_one_round(benchmark):
    canonical_deals()
    cribs = dict(load().cribs)

    def one_round():
        for role, other in (("dealer", "pone"), ("pone", "dealer")):
            cribs[role] = average_cribs(
                discard_frequencies(best_response(cribs[other], role=other))
            )

    benchmark.pedantic(one_round, rounds=2)


@pytest.mark.slow
def bench_solve_from_nothing(benchmark):
    solution, _ = benchmark.pedantic(solve_discards, rounds=1)
    assert max(solution.exploitability.values()) < 1e-7
