from itertools import combinations_with_replacement

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from strategies import crowded_hands, hands

from cribev import parse_cards
from cribev.advice.outcomes import crib_outcomes, hand_scores
from cribev.classes.canonical import RANK_PAIRS, class_counts, discard_rank_pairs
from cribev.classes.class_tables import crib_spread, spread_of_keeps
from cribev.game.cards import JACK
from cribev.game.index_tables import rank_point_table

KEEPS = np.arange(15)


HOSTILE = [
    "5C 5D 5H 5S JC JD", "JC JD JH JS 5C 5D", "5C 5D 5S JH 5H KD", "JC 5C AC 2C 3C 4C",
    "5S 6S 7S 8S JS QS", "JC JD AH AS 2H 2S", "JH 5H 5C 5D TC TD", "AC AD AH AS 2C 2D",
    "JC JD QC QD KC KD", "9S TS JS QS KS 8S",
]  # fmt: skip


def check(deal):
    deal = np.sort(deal)
    found = spread_of_keeps(np.repeat(deal[None], 15, axis=0), KEEPS)
    hand, crib = hand_scores(deal), crib_outcomes(deal)
    np.testing.assert_array_equal(found.hand_min, hand.min(axis=1))
    np.testing.assert_array_equal(found.hand_max, hand.max(axis=1))
    np.testing.assert_array_equal(found.crib_min, crib.min(axis=(1, 2)))
    np.testing.assert_array_equal(found.crib_max, crib.max(axis=(1, 2)))


@settings(max_examples=60)
@given(st.one_of(hands(6), crowded_hands(6)))
def test_spread_is_that_of_every_outcome(deal):
    check(deal)


def test_spread_of_hostile_deals():
    for deal in HOSTILE:
        check(parse_cards(deal))


def test_the_least_needs_neither_jack_nor_a_rank_that_is_held():
    # Then its starter can be of any suit, and neither nobs nor flush adds to it.
    outcomes = np.array(list(combinations_with_replacement(range(13), 3)))
    needed = (outcomes[:, :, None] == np.arange(13)).sum(axis=1)
    free = (class_counts() == 0) @ (needed > 0).T & (needed[:, JACK] == 0)
    for rank in range(13):
        free &= class_counts()[:, rank, None] + needed[:, rank] <= 4
    for number, (low, high) in enumerate(RANK_PAIRS.tolist()):
        points = rank_point_table()[(low * 13 + high) * 2197 + outcomes @ [169, 13, 1]]
        held, keeps = np.nonzero(discard_rank_pairs() == number)
        least = np.where(free[held], points, 255).min(axis=1)
        assert (crib_spread().min[held, keeps] == least).all()


@pytest.mark.slow
def test_spread_of_many_deals():
    rng = np.random.default_rng(1)
    for _ in range(1500):
        check(rng.choice(52, 6, replace=False).astype(np.uint8))
        suit = rng.choice(13, 6, replace=False) * 4 + rng.integers(4)
        check(suit.astype(np.uint8))
