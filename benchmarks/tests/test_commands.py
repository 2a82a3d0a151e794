"""Commands that measure, which nothing else runs: each of them still measures a little."""

import re

import pytest

from benchmarks import best_reply, levels, rules, win_errors

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("measure", "arguments", "printed"),
    [
        (best_reply.main, {"deals": 2, "played": 1}, r"wins played out, 1 deals:\n +best reply \S"),
        (levels.main, {"deals": 2}, r"\nexpert +0\.\d+ ± "),
        (rules.main, {"deals": 500}, r"\nopens-run: \S+ of \d"),
        (win_errors.main, {"deals": 2}, r"\n *32–\d+ +far +2 +0\.00"),
    ],
    ids=["best_reply", "levels", "rules", "win_errors"],
)
@pytest.mark.filterwarnings("ignore")  # of averages of so few
def test_a_little_is_measured(capsys, measure, arguments, printed):
    measure(**arguments)
    assert re.search(printed, capsys.readouterr().out)
