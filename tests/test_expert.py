"""The exact expert: against a slow count, by symmetry, and against the class tables."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from cribev.classes.numbers import DEALS, deal_numbers
from cribev.classes.values import keep_values
from cribev.errors import TableError
from cribev.game.cards import Cards, parse_cards, random_hands, unseen
from cribev.game.indices import DISCARDS
from cribev.game.roles import ROLES, Role, other
from cribev.game.scoring import score_columns
from cribev.solved.expert import exact_weights
from cribev.solved.policies import strategy
from cribev.solved.solution import load

PAIRS = np.array(list(combinations(range(46), 2)))
DEAL = parse_cards("5H 5D JS QC 2H 8D")


@pytest.fixture(scope="module")
def strategies() -> dict[Role, NDArray[np.uint16]]:
    return {role: strategy(policy) for role, policy in load().policies().items()}


def test_every_starter_is_left_by_as_many_hands(strategies: dict[Role, NDArray[np.uint16]]) -> None:
    weights = exact_weights(DEAL, strategies["dealer"])
    assert weights.sum(axis=0) == pytest.approx(comb(45, 6), abs=1e-6)
    assert (weights[np.arange(1035)[:, None], PAIRS] == 0).all()
    # Six cards are held, so 40 starters are left of each hand, or of each half or third of one.
    parts = weights.sum(axis=1) * 12 / 40
    assert parts == pytest.approx(np.rint(parts), abs=1e-6)


def test_throwing_the_two_highest_cards_is_counted_by_hand() -> None:
    weights = exact_weights(DEAL, np.ones(DEALS, dtype=np.uint16))
    for pair, (low, high) in enumerate(PAIRS.tolist()):
        below = comb(low, 4)
        expected = np.full(46, below)
        expected[:low] = comb(low - 1, 4) if low else 0
        expected[[low, high]] = 0
        assert (weights[pair] == expected).all()


def test_a_sparse_strategy_is_counted_one_hand_at_a_time() -> None:
    """All hands keep their lowest four, but for some that are drawn, counted one at a time."""
    left = unseen(DEAL)
    places = np.sort(random_hands(5000, seed=4), axis=1)
    places = np.unique(places[places[:, 5] < 46], axis=0)
    keeps = np.random.PCG64(5).random_raw(len(places)) % 15
    changed = np.ones(DEALS, dtype=np.uint16)
    changed[deal_numbers(left[places])] = 1 << keeps
    difference = exact_weights(DEAL, changed) - exact_weights(DEAL, np.ones(DEALS, np.uint16))
    slow = np.zeros((46, 46, 46))
    for hand, keep in zip(places.tolist(), keeps.tolist(), strict=True):
        for count, number in ((1, keep), (-1, 0)):
            low, high = (hand[place] for place in DISCARDS[number])
            slow[low, high] += count
            slow[low, high, hand] -= count
    assert (difference == slow[PAIRS[:, 0], PAIRS[:, 1]]).all()


def test_renaming_suits_renames_weights(strategies: dict[Role, NDArray[np.uint16]]) -> None:
    swap = np.array([1, 0, 3, 2], dtype=np.uint8)
    renamed = (DEAL & 0xFC) + swap[DEAL & 3]
    before = exact_weights(DEAL, strategies["pone"])
    after = exact_weights(renamed, strategies["pone"])
    left, left_after = unseen(DEAL), unseen(renamed)
    moved = np.searchsorted(left_after, (left & 0xFC) + swap[left & 3])
    pairs = np.zeros((46, 46), dtype=int)
    pairs[PAIRS[:, 0], PAIRS[:, 1]] = pairs[PAIRS[:, 1], PAIRS[:, 0]] = np.arange(1035)
    rows = pairs[moved[PAIRS[:, 0]], moved[PAIRS[:, 1]]]
    assert (before == after[rows[:, None], moved]).all()


def test_strategies_that_are_none_are_refused() -> None:
    with pytest.raises(TableError, match="one a deal"):
        exact_weights(DEAL, np.zeros(10, dtype=np.uint16))
    for nothing in (0, 1 << 15):
        with pytest.raises(TableError, match="no keeps, or more than 15"):
            exact_weights(DEAL, np.full(DEALS, nothing, dtype=np.uint16))


def _gaps(
    deals: Cards, strategies: dict[Role, NDArray[np.uint16]], role: Role
) -> NDArray[np.float64]:
    means = keep_values(deals, load().cribs[role], role=role).crib_mean
    return np.array(
        [
            own - _exact_cribs(deal, exact_weights(deal, strategies[other(role)]))
            for deal, own in zip(deals, means, strict=True)
        ]
    )


def _exact_cribs(deal: Cards, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    left = unseen(deal)
    first, second = (left[column][:, None] for column in PAIRS.T)
    thrown = deal[DISCARDS][:, :, None, None]
    points = score_columns((thrown[:, 0], thrown[:, 1], first, second, left), crib=True)
    return np.tensordot(points.astype(np.float64), weights, axes=2) / weights.sum()


@pytest.mark.parametrize("role", ROLES)
def test_class_tables_agree_with_the_exact_expert(
    role: Role, strategies: dict[Role, NDArray[np.uint16]]
) -> None:
    gaps = _gaps(np.sort(random_hands(10, seed=21), axis=1), strategies, role)
    assert np.abs(gaps).max() < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_class_tables_agree_with_the_exact_expert_on_many_deals(
    role: Role, strategies: dict[Role, NDArray[np.uint16]]
) -> None:
    gaps = _gaps(np.sort(random_hands(200, seed=22), axis=1), strategies, role)
    assert np.abs(gaps).max() < 0.02
    assert np.sqrt((gaps**2).mean()) < 0.004
    assert abs(gaps.mean()) < 0.0005
