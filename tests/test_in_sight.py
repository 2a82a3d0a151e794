"""What lies on the table counts: chances to win by every card the opponent may have, one by one."""

from itertools import combinations
from math import comb

import numpy as np
import oracle
import pytest

from cribev import advise_play
from cribev.classes.canonical import class_counts
from cribev.game.deal import Position
from cribev.game.roles import ROLES, opposite_role
from cribev.game.stakes import Stakes
from cribev.solution.solution import load, shipped_keep_frequencies
from cribev.solution.strategy import rank_keep_numbers
from cribev.values.holdings import TREMBLE, trembling

EXAMPLES = [  # what is known, and how likely the game is won, by the rules alone
    ("dealer:4C7D7H8S/2CQD:7C:KC7D7S7H6D8SQH@103-115", 1),  # no flush: two, then twelve
    ("dealer:8C4D3HKS/AC5D:9S:JS8CTD3H5CKSQH@114-110", 0),  # eleven, with nobs
    ("dealer:8C4D3HKS/AC5D:9S:JH8CTD3H5CKSQC@114-110", 1),  # ten
    ("dealer:AC2S4H7C/THKS:8D:TC7C7DACAS2SgogoKD@114-112", 0.9133),
]


@pytest.mark.parametrize(("text", "win"), EXAMPLES)
def test_suits_of_what_is_laid_decide(text, win):
    assert advise_play(text).best.win == pytest.approx(win, abs=5e-5)


def all_in_sight(position):
    """How likely each of `Outcomes` is after the only card that is left, by each of its ends."""


def dealt(rng, *, left):
    """Play four cards each at random until the player to move has one card and the other `left`."""


