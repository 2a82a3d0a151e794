"""Figures that no move of code may move: one in some of the answers in ``data/frozen.csv``."""

import pytest

from benchmarks.frozen import answers, frozen, moved_columns

pytestmark = pytest.mark.slow


def test_no_figure_has_moved():
    before, seen = frozen(), 0
    for row in answers(every=40):
        assert moved_columns(row, before[row[0]]) == [], (row, before[row[0]])
        seen += 1
    assert seen > 80
