"""Speed and memory of `evaluate_deals` by size: ``python -m benchmarks.arrays [ROUNDS [SIZE …]]``.

Give sizes in ascending order. Prints a line of JSON for each: the size, the median seconds, and
the peak memory so far.
"""

import json

import numpy as np

from benchmarks.arguments import run
from benchmarks.measuring import peak_mib, side_by_side
from cribev import evaluate_deals, random_hands


def main(rounds=3, sizes=(10_000, 1_000_000)):
    deals = random_hands(max(sizes), seed=1)
    for size in sizes:

        def evaluated(block=deals[:size]):
            return evaluate_deals(block, role="dealer")

        assert np.isfinite(evaluated().expected).all()
        seconds = side_by_side({"": evaluated}, rounds=rounds)[""]
        print(json.dumps([size, seconds, peak_mib()]), flush=True)


if __name__ == "__main__":
    run(main)
