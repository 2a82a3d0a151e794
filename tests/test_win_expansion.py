"""Chances to win of many deals far from the end, beside those worked out deal by deal."""

import numpy as np
import pytest

from cribev import evaluate_deals
from cribev.advice.outcomes import exact_values
from cribev.advice.tree import opponent_keeps
from cribev.batch.evaluators import (
    FAR_NEED,
    DealBatch,
    class_table_values,
    expansion_values,
    win_expansion,
)
from cribev.classes.canonical import class_counts, classify_columns
from cribev.game.cards import random_hands
from cribev.game.score import opposite_role
from cribev.opponents.players import as_opponent
from cribev.solution.solution import shipped_keep_frequencies
from cribev.solution.tree import kept_points

MOST = 121 - FAR_NEED


def apart(number, seed, workers=1):
    """Expanded less exact chances, ``(number, 15)``."""
    rng = np.random.default_rng(seed)
    deals = np.sort(random_hands(number, seed=seed), axis=1)
    dealer, scores = rng.random(number) < 0.5, rng.integers(0, MOST + 1, (number, 2))
    opponent = as_opponent("expert")
    exact = exact_values(deals, dealer, opponent, scores=scores, workers=workers).discards.win
    return expansion_values(DealBatch.of(deals, dealer, scores), opponent).win - exact


def test_a_few_are_near_those_worked_out():
    off = apart(4, seed=3)
    assert np.sqrt(np.mean(off**2)) < 0.002
    assert abs(off).max() < 0.008


@pytest.mark.slow
def test_they_are_near_those_worked_out():
    off = apart(20, seed=4, workers=2)
    assert np.sqrt(np.mean(off**2)) < 0.0015
    assert abs(off.mean()) < 0.0004
    within = off - off.mean(axis=1, keepdims=True)
    assert np.sqrt(np.mean(within**2)) < 0.001


@pytest.mark.parametrize("role", ["dealer", "pone"])
def test_the_opponents_hand_beside_a_class(role):
    deals = np.sort(random_hands(3, seed=8), axis=1).astype(np.uint8)
    classes, _ = classify_columns(list(deals.T))
    means = win_expansion(as_opponent("expert"), role)._hands.means(classes)
    frequencies = shipped_keep_frequencies(opposite_role(role))
    for held, found in zip(class_counts()[classes], means, strict=True):
        ways, _ = opponent_keeps(held, frequencies)
        in_pairs = ways.sum(axis=1)
        assert in_pairs.sum() > 0
        expected = in_pairs @ kept_points() / in_pairs.sum()
        assert found == pytest.approx(expected, abs=0.9)  # the cut takes a card from the hand
        left = 4 - held
        assert left @ found / left.sum() == pytest.approx(left @ expected / left.sum(), abs=0.35)


def test_which_way_is_told_and_more_points_win_more():
    deals = np.repeat(np.sort(random_hands(1, seed=5), axis=1), 4, axis=0)
    scores = [[MOST, MOST], [MOST + 1, 10], [-1, -1], [MOST - 1, MOST]]
    found = evaluate_deals(deals, role="pone", score=np.array(scores))
    assert found.win_method.tolist() == [b"approximate", b"exact", b"", b"approximate"]
    assert np.isnan(found.win).tolist() == [False, False, True, False]
    assert found.win[3] < found.win[0]
    by_hand = evaluate_deals(deals, role="pone", score=np.array(scores), exact=True)
    assert by_hand.win_method.tolist() == [b"exact", b"exact", b"", b"exact"]
    assert found.win[1] == by_hand.win[1]
    assert found.win[[0, 3]] == pytest.approx(by_hand.win[[0, 3]], abs=0.006)
    batch = DealBatch.of(deals, np.zeros(4, bool))
    plain = class_table_values(batch, as_opponent("expert"), best=True)
    assert found.expected[2] == plain.expected[2]
