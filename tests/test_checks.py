"""What exists is valid: constructors, readers and functions refuse alike what is wrong."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cribev import CardError, CribevError, Position, advise, evaluate, evaluate_deals, review
from cribev.game.cards import SUITLESS_OFFSET, TEN_CARD, is_whole
from cribev.game.deal import Held
from cribev.game.score import WINNING_SCORE, Score
from cribev.game.stakes import Stakes

DEAL = "5H 5D JS QC 2H 8D"
CARDS = [*range(52), *range(SUITLESS_OFFSET, TEN_CARD + 1)]
NAN = float("nan")
HELD = Held.parse("5H5DJSQC2H8D")

numbers = st.integers(-3, 140) | st.floats() | st.booleans() | st.none() | st.text(max_size=3)
numbers |= st.integers(-3, 125).map(np.int64)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Score(-5, 5), r"invalid score '\(-5, 5\)': expected pone's points"),
        (lambda: Score(130, 5), r"invalid score '\(130, 5\)': .* each from 0 to 121"),
        (lambda: Score(True, 5), "invalid score"),
        (lambda: Score("5", 5), "invalid score"),
        (lambda: Score(5, 5)._replace(pone=122), "invalid score"),
        (lambda: Held((0.5, 4, 8, 12)), "invalid card number '0.5': expected 0 to 51"),
        (lambda: Held((True, 4, 8, 12)), "invalid card number 'True'"),
        (lambda: Held("4H5C"), "invalid card number '4'"),
        (lambda: Held(5), "invalid cards '5'"),
        (lambda: HELD._replace(discard=(-1, 4)), "invalid card number '-1'"),
        (lambda: Stakes(NAN), "unknown stakes 'nan': expected win, acc or games"),
        (lambda: Stakes("gmaes"), "unknown stakes 'gmaes'; did you mean 'games'"),
        (lambda: replace(Stakes("acc"), name=""), "unknown stakes ''"),
        (lambda: Position("cut", HELD), "invalid role 'cut': expected 'dealer' or 'pone'"),
        (lambda: Position(None, HELD), "whose crib is it"),
        (lambda: Position("pone", HELD, score=Score(121, 5)), r"invalid score '121-5\*': .* 120"),
        (lambda: Position("pone", HELD, score=(95, 110)), "expected the score of a position"),
        (lambda: Position("pone", "4H5CJDJS"), "position"),
        (lambda: Position("pone", Held(HELD.kept[:4]), play="J 5"), "position"),
        (lambda: Position("pone", Held(HELD.kept[:4]), True), "invalid card number 'True'"),
        (lambda: advise(DEAL, role="pone", play="no"), "play='no': expected True or False"),
        (lambda: evaluate([DEAL], role="pone", play="no"), "play='no'"),
        (lambda: evaluate([DEAL], role="pone", numbers="no"), "numbers='no'"),
        (lambda: evaluate_deals([[*range(6)]], role="pone", exact="no"), "exact='no'"),
        (lambda: review(pd.DataFrame(), fast="no"), "fast='no'"),
    ],
)
def test_what_is_wrong_is_refused_in_one_line(make, said):
    with pytest.raises(CribevError, match=said) as raised:
        make()
    assert "\n" not in str(raised.value)


@given(st.tuples(numbers, numbers))
def test_every_score_has_points_of_a_game(points):
    try:
        score = Score(*points)
    except CribevError:
        assert not all(map(is_whole, points)) or max(points) > WINNING_SCORE
        return
    assert score == points
    assert all(type(one) is int and 0 <= one <= WINNING_SCORE for one in score)
    assert pickle.loads(pickle.dumps(score)) == copy.copy(score) == score._replace() == score
    after = score.plus({"pone": 31, "dealer": 29}, starter=40)
    assert after.over == (score.pone >= 90 or score.dealer >= 90)
    assert max(after) <= WINNING_SCORE


@given(st.lists(st.sampled_from(CARDS) | numbers, max_size=6))
def test_every_held_card_is_one(cards):
    try:
        held = Held(cards)
    except CardError:
        assert not all(is_whole(card) and card in CARDS for card in cards)
        return
    assert sorted(held.kept) == sorted(cards)
    assert all(type(card) is int and card in CARDS for card in held.kept)
    assert Held(cards[::-1]) == held == pickle.loads(pickle.dumps(held)) == held._replace()


@pytest.mark.parametrize("role", ["pone", "PONE", " Pone ", "non-dealer", "Non dealer"])
def test_a_position_keeps_the_role_it_read(role):
    position = Position(role, HELD, score=Score(95, 110))
    assert position.role == "pone"
    assert position == Position.parse(f"pone:{HELD}@95-110") == replace(position, role=role)
    assert pickle.loads(pickle.dumps(position)) == copy.copy(position) == position


def test_stakes_are_equal_by_name():
    for stakes in map(Stakes, ("win", "acc", "games")):
        assert Stakes(f" {stakes.name.upper()} ") == stakes == Stakes.read(stakes.name)
        assert pickle.loads(pickle.dumps(stakes)) == copy.copy(stakes) == stakes
        assert len({stakes, replace(stakes)}) == 1
    assert Stakes.read(None) == Stakes() == Stakes("win")
