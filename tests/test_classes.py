"""All deals at once: against brute force, and against what is known."""

from math import comb

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from slow_count import unrank_deals
from strategies import relabel

from cribev.classes.canonical import (
    CLASSES,
    DEALS,
    RANK_PAIRS,
    best_keep_sets,
    canonical_deals,
    canonical_rows,
    class_counts,
    class_ranks,
    classify_deals,
    keep_entries,
    sorted_columns,
)
from cribev.classes.class_tables import ClassTables
from cribev.classes.crib_averages import average_rank_cribs, uniform_cribs
from cribev.errors import CardError
from cribev.game.index_tables import DISCARDS, rank_point_table

pytestmark = pytest.mark.arrays


def test_classes_are_the_possible_multisets():
    ranks = class_ranks()
    assert len(ranks) == CLASSES == len(np.unique(ranks, axis=0))
    assert (np.diff(ranks.astype(int), axis=1) >= 0).all()
    ways = np.array([1, 4, 6, 4, 1])[class_counts()].prod(axis=1)
    assert ways.sum() == DEALS
    forms = canonical_deals()
    assert (np.bincount(forms.classes, forms.deals) == ways).all()


def test_every_order_of_a_deal_sorts():
    # A network that sorts all zeros and ones sorts everything.
    bits = (np.arange(64)[:, None] >> np.arange(6) & 1).astype(np.uint8)
    deals = bits * 26 + np.arange(6, dtype=np.uint8)
    assert (np.stack(sorted_columns(deals), axis=1) == np.sort(deals, axis=1)).all()


def test_forms_have_examples_and_ignore_suit_names():
    forms = canonical_deals()
    examples = forms.examples
    assert (np.diff(examples.astype(int), axis=1) > 0).all()
    assert np.array_equal(classify_deals(examples), (forms.classes, forms.patterns))
    assert (canonical_rows(*classify_deals(examples)) == np.arange(len(examples))).all()
    # Equal ranks change places as their suits do, so take deals without pairs.
    deals = examples[(np.diff(examples >> 2, axis=1) > 0).all(axis=1)][::97]
    for shuffled in ([1, 0, 2, 3], [3, 2, 1, 0], [1, 2, 3, 0]):
        renamed = relabel(deals, np.array(shuffled, dtype=np.uint8))
        assert np.array_equal(classify_deals(deals), classify_deals(renamed))


@pytest.mark.slow
def test_every_deal_is_of_one_form():
    forms = canonical_deals()
    deals = np.zeros(len(forms.deals), dtype=int)
    for start in range(0, DEALS, 1 << 20):
        numbers = np.arange(start, min(start + (1 << 20), DEALS))
        rows = canonical_rows(*classify_deals(unrank_deals(numbers)))
        deals += np.bincount(rows, minlength=len(deals))
    assert (deals == forms.deals).all()


@pytest.mark.slow
def test_average_cribs_sum_over_opponent_classes():
    frequencies = np.random.default_rng(5).random((CLASSES, len(RANK_PAIRS)))
    cribs = average_rank_cribs(frequencies)
    binomial = np.array([[comb(n, k) for k in range(5)] for n in range(5)])
    low, high = RANK_PAIRS.T
    for number in (0, 5_000, 17_003):
        unseen = 4 - class_counts()[number]
        ways = binomial[unseen, class_counts()].prod(axis=1)
        often = (ways[:, None] * frequencies).T @ (unseen - class_counts())  # by pair and starter
        crib = class_ranks()[number].astype(int)[DISCARDS]
        for (first, second), mean in zip(crib, cribs.ranks[number], strict=True):
            four = ((first * 13 + second) * 13 + low) * 13 + high
            points = rank_point_table()[four[:, None] * 13 + np.arange(13)]
            assert mean / 46 == pytest.approx((often * points).sum() / (40 * comb(46, 6)), abs=1e-8)


def test_discards_that_rename_suits_tie_exactly():
    # Four suits among 5C 5D JC JD and the major kings: clubs and diamonds swap.
    deal, tables = classify_deals([[16, 17, 40, 41, 50, 51]]), ClassTables(uniform_cribs(), "pone")
    compared = tables.values(*deal).expected[0]
    discarded = [tuple(discard) for discard in DISCARDS.tolist()]
    assert compared[discarded.index((0, 2))] == compared[discarded.index((1, 3))]  # 5C JC, 5D JD
    assert compared[discarded.index((0, 3))] == compared[discarded.index((1, 2))]  # 5C JD, 5D JC
    assert compared[discarded.index((0, 2))] != compared[discarded.index((0, 3))]
    assert tables.best(*deal).best.keep[0] == compared.argmax()


def test_bad_deals_are_refused_and_none_allowed():
    for deal, message in (([0, 1, 2, 3, 4, 4], "twice"), ([0, 1, 2, 3, 4], "shape")):
        with pytest.raises(CardError, match=message):
            classify_deals([deal])
    none, tables = classify_deals(np.empty((0, 6), np.uint8)), ClassTables(uniform_cribs(), "pone")
    assert len(tables.best(*none).best.keep) == 0
    assert tables.values(*none).expected.shape == (0, 15)


@given(st.lists(st.lists(st.integers(0, 2), min_size=15, max_size=15), max_size=20))
def test_sets_of_the_best_keeps(values):
    table = np.array(values, dtype=np.float64).reshape(-1, 15)
    sets = best_keep_sets(table)
    slow = [{keep for keep in range(15) if row[keep] == max(row)} for row in values]
    assert sets.tolist() == [sum(1 << keep for keep in one) for one in slow]
    rows, keeps, of = keep_entries(sets)
    entries = [(row, keep, len(best)) for row, best in enumerate(slow) for keep in sorted(best)]
    assert [*zip(rows.tolist(), keeps.tolist(), of.tolist(), strict=True)] == entries
