"""The chance to win with a discard, against deals played out card by card."""

import csv

import numpy as np
import pytest

from benchmarks.win_playouts import in_order, laid_by_the_rules
from cribev import advise
from cribev.opponents.players import ExpertOpponent


def test_who_is_out_first_stops_the_deal():
    events = np.array([[2, -3, 1, -8, 6, 4], [0, -3, 1, -8, 6, 4], [0, 0, 12, -20, 6, 4]])
    dealer, pone = in_order(events, dealer=np.array([119, 100, 110]), pone=110)
    assert dealer.tolist() == [121, 101, 122]
    assert pone.tolist() == [110, 121, 110]
    dealer, pone = in_order(events, dealer=60, pone=50)
    assert (dealer.tolist(), pone.tolist()) == ([73, 71, 82], [61, 61, 70])


def test_a_play_is_laid_once_more_by_the_rules():
    hands = {"pone": [4, 4, 8, 8], "dealer": [9, 9, 0, 0]}
    laid = np.array([4, 9, 4, 0, 8, 0, -1, -1], dtype=np.int8)
    # T makes fifteen; 5 T 5 A 9 is 30, A makes 31; then 9 T, and the last card.
    assert laid_by_the_rules(hands, laid) == [2, 2, 1]


class ExpertWithTable(ExpertOpponent):
    """The expert, and the win table that the playouts were made with."""

    def __init__(self, win):
        super().__init__()
        object.__setattr__(self, "win", win.astype(np.float64))

    def solved_game(self):
        shipped = super().solved_game()
        return shipped._replace(win_table=shipped.win_table._replace(win=self.win))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["win_playouts", "win_playouts_2"])
def test_a_discard_wins_as_often_as_in_playouts(data, name):
    with (data / f"{name}.csv").open() as file:
        rows = [*csv.DictReader(line for line in file if line[0] != "#")]
    assert len(rows) == 80
    with np.load(data / f"{name}.npz") as stored:
        expert = ExpertWithTable(stored["win"])
    apart = {}
    for of_deal in zip(rows[::2], rows[1::2], strict=True):
        deal, role = (of_deal[0][name] for name in ("deal", "role"))
        score = tuple(int(of_deal[0][name]) for name in ("score", "opponent_score"))
        table = advise(deal, role=role, score=score, opponent=expert).table
        win = table.set_index("discard")["win"]
        for row in of_deal:
            assert float(row["error"]) <= 0.0005
            apart[deal, row["discard"]] = abs(win[row["discard"]] - float(row["win"]))
    assert max(apart.values()) < 0.003
    assert np.sqrt(np.mean(np.square([*apart.values()]))) < 0.0007
