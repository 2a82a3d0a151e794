"""Deals played out for chances to win: who is out first, and what their plays peg."""

import numpy as np
import pytest

from benchmarks.win_playouts import in_order, played_by_the_rules

pytestmark = pytest.mark.arrays


def test_who_is_out_first_stops_the_deal():
    events = np.array([[2, -3, 1, -8, 6, 4], [0, -3, 1, -8, 6, 4], [0, 0, 12, -20, 6, 4]])
    dealer, pone = in_order(events, dealer=np.array([119, 100, 110]), pone=110)
    assert dealer.tolist() == [121, 101, 122]
    assert pone.tolist() == [110, 121, 110]
    dealer, pone = in_order(events, dealer=60, pone=50)
    assert (dealer.tolist(), pone.tolist()) == ([73, 71, 82], [61, 61, 70])


def test_play_is_replayed_by_the_rules():
    hands = {"pone": [4, 4, 8, 8], "dealer": [9, 9, 0, 0]}
    played = np.array([4, 9, 4, 0, 8, 0, -1, -1], dtype=np.int8)
    # T makes fifteen; 5 T 5 A 9 is 30, A makes 31; then 9 T, and the last card.
    assert played_by_the_rules(hands, played) == [2, 2, 1]
