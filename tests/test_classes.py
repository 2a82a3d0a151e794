"""All deals at once: against brute force, and against what is known."""

from itertools import combinations, combinations_with_replacement
from math import comb

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from oracle import rank_deal

from cribev.choice import TIE_TOLERANCE
from cribev.classes.canonical import (
    CLASSES,
    DEALS,
    RANK_PAIRS,
    best_keep_sets,
    canonical_deals,
    class_counts,
    class_ranks,
    classify_deals,
    discard_rank_pairs,
    keep_entries,
    sorted_columns,
    unrank_columns,
    unrank_deals,
)
from cribev.classes.class_tables import ClassTables, best_response
from cribev.classes.crib_averages import average_cribs, discard_frequencies, uniform_cribs
from cribev.errors import CardError
from cribev.game.cards import random_hands, unseen
from cribev.game.index_tables import DISCARDS, KEEPS, rank_point_table
from cribev.game.score import ROLES
from cribev.game.scoring import score_hands

DEALT = np.sort(random_hands(200, seed=11), axis=1)


def test_classes_are_the_possible_multisets():
    ranks = class_ranks()
    assert len(ranks) == CLASSES == len(np.unique(ranks, axis=0))
    assert (np.diff(ranks.astype(int), axis=1) >= 0).all()
    ways = np.array([1, 4, 6, 4, 1])[class_counts()].prod(axis=1)
    assert ways.sum() == DEALS
    forms = canonical_deals()
    assert (np.bincount(forms.classes, forms.deals) == ways).all()


def test_deals_are_numbered_in_order():
    brute = sorted(combinations(range(12), 6), key=lambda deal: deal[::-1])
    assert unrank_deals(np.arange(comb(12, 6))).tolist() == [list(deal) for deal in brute]
    for start in (0, 1, 123_456, 9_999_999, DEALS - 1000):
        numbers = np.arange(start, start + 1000)
        deals = unrank_deals(numbers)
        assert [rank_deal(deal) for deal in deals.tolist()] == numbers.tolist()
        assert (np.stack(unrank_columns(start, start + 1000), axis=1) == deals).all()


def test_every_order_of_a_deal_sorts():
    # A network that sorts all zeros and ones sorts everything.
    bits = (np.arange(64)[:, None] >> np.arange(6) & 1).astype(np.uint8)
    deals = bits * 26 + np.arange(6, dtype=np.uint8)
    assert (np.stack(sorted_columns(deals), axis=1) == np.sort(deals, axis=1)).all()


def test_forms_ignore_the_names_of_suits():
    for shuffled in ([1, 0, 2, 3], [3, 2, 1, 0], [1, 2, 3, 0]):
        suits = np.array(shuffled, dtype=np.uint8)
        # Equal ranks change places as their suits do, so take deals without pairs.
        deals = DEALT[(np.diff(DEALT >> 2, axis=1) > 0).all(axis=1)]
        renamed = (deals & 0xFC) + suits[deals & 3]
        for before, after in zip(classify_deals(deals), classify_deals(renamed), strict=True):
            assert (before == after).all()


def test_one_deal_of_each_form():
    forms = canonical_deals()
    classes, patterns = classify_deals(unrank_deals(forms.examples))
    assert (classes == forms.classes).all()
    assert (patterns == forms.patterns).all()


def test_hand_means_are_exact():
    values = ClassTables(uniform_cribs(), "dealer").values(*classify_deals(DEALT))
    for deal, means in zip(DEALT, values.hand, strict=True):
        scores = score_hands(deal[KEEPS][:, None, :], unseen(deal)[None, :])
        assert means == pytest.approx(scores.mean(axis=1), abs=1e-9)


def test_crib_of_two_lowest_ranks_counted_card_by_card():
    """An opponent who throws his two lowest ranks: his hands can be counted by hand."""
    thrown = discard_frequencies(best_response(uniform_cribs(), role="pone"))
    lowest = np.zeros((CLASSES, len(RANK_PAIRS)))
    lowest[np.arange(CLASSES), discard_rank_pairs()[:, 14]] = 1  # keep 14 is cards 2..5
    cribs = average_cribs(thrown._replace(ranks=lowest))
    for number in (0, 5_000, 17_003):
        crib = class_ranks()[number].astype(int)[DISCARDS]
        left = 4 - class_counts()[number]
        above = left[::-1].cumsum()[::-1] - left  # unseen cards of higher ranks
        total = np.zeros(15)
        # The lowest two are (low, high): the other four lie at or above `high`.
        for low, high in combinations_with_replacement(range(13), 2):
            for starter in range(13):
                ways = _hands_with_lowest(left, above, low, high, starter)
                address = ((crib[:, 0] * 13 + crib[:, 1]) * 13 + low) * 13 + high
                total += float(ways) * rank_point_table()[address * 13 + starter]
        exact = total / (40 * comb(46, 6))
        assert cribs.ranks[number] / 46 == pytest.approx(exact, abs=1e-8)


def _hands_with_lowest(left, above, low, high, starter):
    """Hands of six whose lowest two ranks are these, times the starters of a rank they leave."""
    total = 0
    if low == high:
        choices = [(held, None) for held in range(2, min(6, left[low]) + 1)]
    else:
        choices = [(1, held) for held in range(1, min(5, left[high]) + 1)]
    for of_low, of_high in choices:
        rest = 6 - of_low - (of_high or 0)
        ways = comb(left[low], of_low) * (comb(left[high], of_high) if of_high else 1)
        top = int(above[high])
        hands = ways * comb(top, rest)
        if starter == low:
            starters = hands * (left[low] - of_low)
        elif starter == high:
            starters = hands * (left[high] - of_high)
        elif starter > high:
            # Each unseen card above is in rest / top of the hands.
            starters = left[starter] * ways * comb(top - 1, rest) if top else 0
        else:
            starters = hands * left[starter]
        total += int(starters)
    return total


@pytest.mark.parametrize("role", ROLES)
def test_best_keep_is_the_best_and_the_first_of_ties(role):
    deals, tables = random_hands(20_000, seed=3), ClassTables(uniform_cribs(), role)
    values, best = (some(*classify_deals(deals)) for some in (tables.values, tables.best))
    near = values.expected >= values.expected.max(axis=1)[:, None] - TIE_TOLERANCE
    assert (best.best.keep == near.argmax(axis=1)).all()
    for name in ("hand", "crib", "expected"):
        of_best = getattr(values, name)[np.arange(len(deals)), best.best.keep]
        assert getattr(best, name) == pytest.approx(of_best, abs=1e-12)


def test_discards_that_rename_suits_tie_exactly():
    # Four suits among 5C 5D JC JD and the major kings: clubs and diamonds swap.
    deal, tables = classify_deals([[16, 17, 40, 41, 50, 51]]), ClassTables(uniform_cribs(), "pone")
    compared = tables.values(*deal).expected[0]
    thrown = [tuple(discard) for discard in DISCARDS.tolist()]
    assert compared[thrown.index((0, 2))] == compared[thrown.index((1, 3))]  # 5C JC, 5D JD
    assert compared[thrown.index((0, 3))] == compared[thrown.index((1, 2))]  # 5C JD, 5D JC
    assert compared[thrown.index((0, 2))] != compared[thrown.index((0, 3))]
    assert tables.best(*deal).best.keep[0] == compared.argmax()


def test_uniform_opponent_is_any_two_cards():
    values = ClassTables(uniform_cribs(), "pone").values(*classify_deals(DEALT[:3]))
    pairs = np.array(list(combinations(range(46), 2)))
    free = (pairs[:, :, None] != np.arange(46)).all(axis=1)
    for deal, means in zip(DEALT[:3], values.crib, strict=True):
        left = unseen(deal)
        for keep in (0, 7, 14):
            thrown = np.tile(deal[DISCARDS[keep]], (len(pairs), 1))
            crib = np.concatenate([thrown, left[pairs]], axis=1)
            scores = score_hands(crib[:, None, :], left[None, :], crib=True)
            # The crib flush of a uniform opponent is exact in suits, but not in ranks.
            assert means[keep] == pytest.approx(scores[free].mean(), abs=1e-3)


def test_bad_deals_are_refused_and_no_deals_are_none():
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
    assert list(zip(rows.tolist(), keeps.tolist(), of.tolist(), strict=True)) == [
        (row, keep, len(one)) for row, one in enumerate(slow) for keep in sorted(one)
    ]


@pytest.mark.parametrize("role", ROLES)
def test_policies_do_not_know_the_names_of_suits(role):
    """Renaming the suits of a deal renames the keeps it is thrown for, and adds or drops none."""
    policy = best_response(uniform_cribs(), role=role)
    deals = np.sort(random_hands(3000, seed=8), axis=1)
    rows, keeps, _ = keep_entries(policy[classify_deals(deals)])
    for suits in ([1, 0, 2, 3], [2, 3, 1, 0]):
        renamed = (deals & 0xFC) | np.array(suits, dtype=np.uint8)[deals & 3]
        in_order = np.sort(renamed, axis=1)
        rows_renamed, keeps_renamed, _ = keep_entries(policy[classify_deals(renamed)])
        thrown = [
            {(row, frozenset(cards)) for row, cards in zip(which, held.tolist(), strict=True)}
            for which, held in (
                (rows.tolist(), renamed[rows[:, None], KEEPS[keeps]]),
                (rows_renamed.tolist(), in_order[rows_renamed[:, None], KEEPS[keeps_renamed]]),
            )
        ]
        assert thrown[0] == thrown[1]
