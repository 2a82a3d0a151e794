"""Twenty million deals in CSV: memory stays flat, no row is lost, the sums are right.

``python -m benchmarks.soak_batch [DEALS]``; takes minutes, and some gigabytes of disk.
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.arguments import run
from benchmarks.measuring import peak_of_command
from cribev import evaluate_deals
from cribev.batch.stream import random_deals
from cribev.game.roles import ROLES

SEED = 1


def sums_of_file(path):
    """Count the rows, and add up ``expected`` in millionths."""
    with path.open(newline="") as file:
        rows = csv.reader(file)
        column = next(rows).index("expected")
        deals = total = 0
        for row in rows:
            deals += 1
            total += round(float(row[column]) * 1e6)
    return deals, total


def sums_from_arrays(number):
    rows = total = 0
    for deals, dealer in random_deals(number, seed=SEED):
        roles = np.where(dealer, *ROLES)
        expected = evaluate_deals(deals, role=roles).expected
        rows += len(expected)
        total += int((expected * 1e6).round().sum())
    return rows, total


def main(deals=20_000_000):
    peaks = []
    with tempfile.TemporaryDirectory() as folder:
        for size in (deals // 10, deals):
            source, target = Path(folder) / f"{size}.csv", Path(folder) / f"{size}.best.csv"
            command = [sys.executable, "-m", "cribev", "deal", str(size), "--seed", str(SEED)]
            subprocess.run([*command, "-o", str(source)], check=True)
            peaks.append(peak_of_command("batch", str(source), "-o", str(target)))
            print(f"{size:,} deals: peak {peaks[-1]:.0f} MiB", flush=True)
            source.unlink()
        written, wanted = sums_of_file(target), sums_from_arrays(deals)
    print(f"rows and sum of expected: {written} in the file, {wanted} from arrays")
    assert written == wanted
    assert peaks[1] <= 1.2 * peaks[0], peaks


if __name__ == "__main__":
    run(main)
