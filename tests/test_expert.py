"""The exact expert: against a slow count, by symmetry, and against the class tables."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
import slow_count
from oracle import rank_deal
from strategies import relabel

from cribev.classes.canonical import CLASSES, DEALS, PATTERNS, classify_deals, keep_entries
from cribev.classes.class_tables import ClassTables, best_response
from cribev.classes.crib_averages import uniform_cribs
from cribev.errors import CardError, TableError
from cribev.game.cards import parse_cards, random_hands, unseen
from cribev.game.index_tables import DISCARDS
from cribev.game.score import ROLES, opposite_role
from cribev.game.scoring import score_card_arrays
from cribev.opponents.counts import discard_counts, exact_weights, expert_counts
from cribev.solution.solution import load, static_policy

PAIRS = np.array(list(combinations(range(46), 2)))
DEAL = np.sort(parse_cards("5H 5D JS QC 2H 8D"))
CROWDED = ("5C 5D 5H 5S JC JD", "2C 4C 6C 8C TC QC", "AC AD AH 2S 2H 2D")


@pytest.mark.parametrize(
    ("role", "number"),
    [("pone", 1), *(pytest.param(role, 7, marks=pytest.mark.slow) for role in ROLES)],
)
def test_it_is_the_slow_count_to_the_last_bit(role, number):
    strategy = slow_count.written_out(load().policies()[role])
    crowded = CROWDED if number > 1 else CROWDED[1:2]
    for deal in (*map(parse_cards, crowded), *random_hands(number, seed=31)):
        slow = slow_count.weights(deal, strategy)
        assert (exact_weights(deal, expert_counts(load(), role)) == slow).all()


@pytest.mark.slow
def test_any_policy_that_does_not_know_suits_is_counted():
    # Two of a rank go for a table, and all the same is thrown often: many parts of a hand.
    policy = static_policy(np.where(np.eye(13, dtype=bool), 9.0, 0.0), role="dealer")
    counts = discard_counts(policy)
    assert counts.parts % 6 == 0
    slow = slow_count.weights(DEAL, slow_count.written_out(policy))
    assert (exact_weights(DEAL, counts) == slow).all()


def test_every_starter_is_left_by_as_many_hands():
    weights = exact_weights(DEAL, expert_counts(load(), "dealer"))
    assert weights.sum(axis=0) == pytest.approx(comb(45, 6), abs=1e-6)
    assert (weights[np.arange(1035)[:, None], PAIRS] == 0).all()
    # Six cards are held, so 40 starters are left of each hand, or of each part of one.
    parts = weights.sum(axis=1) * int(expert_counts(load(), "dealer").parts) / 40
    assert parts == pytest.approx(np.rint(parts), abs=1e-3)


@pytest.mark.parametrize("suits", [[1, 0, 3, 2], [3, 0, 1, 2]])
def test_renaming_suits_renames_weights_and_order_does_not_matter(suits):
    order, counts = np.array(suits, dtype=np.uint8), expert_counts(load(), "pone")
    renamed = relabel(DEAL, order)
    before, after = exact_weights(DEAL, counts), exact_weights(renamed, counts)
    moved = np.searchsorted(unseen(renamed), relabel(unseen(DEAL), order))
    pairs = np.zeros((46, 46), dtype=int)
    pairs[PAIRS[:, 0], PAIRS[:, 1]] = pairs[PAIRS[:, 1], PAIRS[:, 0]] = np.arange(1035)
    rows = pairs[moved[PAIRS[:, 0]], moved[PAIRS[:, 1]]]
    assert (before == after[rows[:, None], moved]).all()
    assert (exact_weights(DEAL[::-1].tolist(), counts) == before).all()
    with pytest.raises(CardError, match="expected 6 cards"):
        exact_weights(DEAL[:5], counts)


def test_a_policy_that_knows_the_names_of_suits_is_refused():
    policy = best_response(uniform_cribs(), role="pone")
    first_of_each = policy & -policy.astype(np.int64)
    with pytest.raises(TableError, match="names of suits"):
        discard_counts(first_of_each.astype(np.uint16))


@pytest.mark.slow
def test_the_slow_count_of_throwing_the_two_highest_cards():
    lowest_kept = slow_count.written_out(np.ones((CLASSES, PATTERNS), dtype=np.uint16))
    weights = slow_count.weights(DEAL, lowest_kept)
    for pair, (low, high) in enumerate(PAIRS.tolist()):
        below = comb(low, 4)
        expected = np.full(46, below)
        expected[:low] = comb(low - 1, 4) if low else 0
        expected[[low, high]] = 0
        assert (weights[pair] == expected).all()


@pytest.mark.slow
def test_the_slow_count_of_some_hands_one_at_a_time():
    """All hands keep their lowest four, but for some that are drawn, counted one at a time."""
    left = unseen(DEAL)
    places = np.sort(random_hands(5000, seed=4), axis=1)
    places = np.unique(places[places[:, 5] < 46], axis=0)
    sets = np.array([1, 1 << 3, 1 << 14 | 1 << 2, 0b1011 << 5], dtype=np.uint16)
    drawn = np.random.PCG64(5).random_raw(len(places)) % 4
    of_deal = np.zeros(DEALS, dtype=np.uint8)
    alike = slow_count.weights(DEAL, slow_count.Strategy(sets, of_deal.copy()))
    of_deal[[rank_deal(hand) for hand in left[places].tolist()]] = drawn
    difference = slow_count.weights(DEAL, slow_count.Strategy(sets, of_deal)) - alike
    slow = np.zeros((46, 46, 46))
    for hand, which in zip(places.tolist(), drawn.tolist(), strict=True):
        _, keeps, of = keep_entries(sets[which : which + 1])
        for number, part in [(0, -1.0), *((keep, 1 / of[0]) for keep in keeps.tolist())]:
            low, high = (hand[place] for place in DISCARDS[number])
            slow[low, high] += part
            slow[low, high, hand] -= part
    assert difference == pytest.approx(slow[PAIRS[:, 0], PAIRS[:, 1]], abs=1e-9)


def _exact_cribs(deal, weights):
    left = unseen(deal)
    first, second = (left[column][:, None] for column in PAIRS.T)
    thrown = deal[DISCARDS][:, :, None, None]
    points = score_card_arrays((thrown[:, 0], thrown[:, 1], first, second, left), crib=True)
    return np.tensordot(points.astype(np.float64), weights, axes=2) / weights.sum()


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("deals", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_class_tables_agree_with_the_exact_expert(role, deals):
    deals = np.sort(random_hands(deals, seed=22), axis=1)
    means = ClassTables(load().cribs[role], role).values(*classify_deals(deals)).crib
    counts = expert_counts(load(), opposite_role(role))
    exact = [_exact_cribs(deal, exact_weights(deal, counts)) for deal in deals]
    gaps = means - np.array(exact)
    assert np.abs(gaps).max() < 0.02
    assert np.sqrt((gaps**2).mean()) < 0.004
    assert abs(gaps.mean()) < (0.002 if len(deals) < 200 else 0.0005)
