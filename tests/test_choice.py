"""Which discard is best, against the same rule written out slowly."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from cribev.classes.ranking import (
    NEAR_TIE,
    TIE_TOLERANCE,
    best_by_points,
    best_by_wins,
    best_first,
    competition_ranks,
    near_ties,
    ranking,
    tied_best,
)

pytestmark = pytest.mark.arrays

# Steps around the tolerances, so that ties, near-ties and chains of them come often: no sum of
# them is the tolerance of ties itself, where rounding decides.
steps = st.sampled_from([0.0, 0.3, 0.45, 0.8, 1.5, 40.0]).map(lambda step: step * TIE_TOLERANCE)
steps |= st.sampled_from([0.5 * NEAR_TIE, 1.0, 2.0])
values = st.lists(steps, min_size=15, max_size=15).flatmap(
    lambda gaps: st.permutations((8 + np.cumsum(gaps)).tolist())
)


def ranks_of(row):
    """One more than the number of those that are better."""
    return [1 + sum(a > b + TIE_TOLERANCE for a in row) for b in row]


@settings(max_examples=50)
@given(st.lists(values, min_size=1, max_size=5), st.sampled_from([1, 46]))
def test_the_rule_written_out(rows, unit):
    table = np.array(rows)
    best = best_by_points(table * unit, unit=unit)
    ranks, near = competition_ranks(table), near_ties(table)
    order = best_first(ranks)
    for at, row in enumerate(rows):
        assert best_by_points(table[at]).keep == best_by_points(table).keep[at]
        assert (competition_ranks(table[at]) == ranks[at]).all()
        most = max(row)
        equal = [keep for keep in range(15) if row[keep] + TIE_TOLERANCE >= most]
        assert best.keep[at] == equal[0]
        margin = 0 if len(equal) > 1 else most - sorted(row)[-2]
        assert best.margin[at] / unit == pytest.approx(margin, abs=1e-12)
        assert np.flatnonzero(tied_best(table)[at]).tolist() == equal
        assert ranks[at].tolist() == ranks_of(row)
        close = [keep for keep in range(15) if row[keep] + NEAR_TIE >= most and keep not in equal]
        assert np.flatnonzero(near[at]).tolist() == close
        assert order[at].tolist() == sorted(range(15), key=lambda keep: (ranks_of(row)[keep], keep))


@settings(max_examples=50)
@given(values, values, st.booleans())
def test_wins_go_before_points(row, wins, known):
    expected = np.array([row, row])
    win = np.array([wins, wins if known else [np.nan] * 15])
    places, best = ranking(expected, win), best_by_wins(expected, win)
    for at, counts in enumerate([True, known]):
        ranks, by_points = ranks_of(wins if counts else row), ranks_of(row)
        assert places.rank[at].tolist() == ranks
        order = sorted(range(15), key=lambda keep: (ranks[keep], by_points[keep], keep))
        assert places.order[at].tolist() == order
        keep = order[0]
        assert best.keep[at] == keep
        others = max(value for other, value in enumerate(row) if other != keep)
        margin = row[keep] - others
        margin *= abs(margin) > TIE_TOLERANCE
        assert best.margin[at] == pytest.approx(margin, abs=1e-12)
    if not known:
        assert best_by_points(expected).keep[1] == best.keep[1]
        assert best_by_points(expected).margin[1] == best.margin[1]
