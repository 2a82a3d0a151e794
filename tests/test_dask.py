"""The guide's programs for Dask, on two workers, of which one is killed meanwhile."""

import os
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

from cribev import evaluate
from cribev.commands.cli import main

GUIDE = (Path(__file__).parent.parent / "docs" / "batch.md").read_text(encoding="utf-8")
PROGRAMS = {
    re.search(r"dd\.read_(\w+)", text)[1]: text.replace("4MB", "60kB")
    for text in re.findall(r"^```py\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
}
PARTS = {"csv": "best-*.csv", "parquet": "best/*.parquet"}

pytestmark = [pytest.mark.python, pytest.mark.slow, pytest.mark.usefixtures("in_a_folder")]


def test_a_killed_worker_loses_nothing(monkeypatch):
    distributed = pytest.importorskip("distributed")
    assert main(["deal", "200000", "--seed", "3", "-o", "hands.csv"]) == 0
    hands = pd.read_csv("hands.csv")
    hands.to_parquet("hands.parquet", row_group_size=2000)
    whole = evaluate(hands)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
        ThreadPoolExecutor() as pool,
    ):
        monkeypatch.setattr("dask.distributed.Client", lambda **_: client)
        for form, pattern in PARTS.items():
            client.wait_for_workers(2)
            running = pool.submit(exec, PROGRAMS[form], {"__name__": "__main__"})
            while not [*Path().glob(pattern)]:
                assert not running.done(), running.result()
                time.sleep(0.01)
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
            assert not running.done()
            running.result()
            numbered = {int(re.search(r"\d+", part.name)[0]): part for part in Path().glob(pattern)}
            parts = [numbered[number] for number in sorted(numbered)]
            assert len(parts) > 10
            best = pd.concat(map(getattr(pd, f"read_{form}"), parts), ignore_index=True)
            pd.testing.assert_frame_equal(best, whole, check_dtype=False)
