"""Answers are copied, and sent to other processes, and are equal after."""

import copy
import pickle  # by which processes send what they answer; the package itself reads none
from functools import cache
from multiprocessing import get_context

import numpy as np
import pandas as pd
import pytest
from games import random_games, with_play

import cribev
from cribev.advice.names import as_opponent
from cribev.game.alike import same

OWN_HABITS = (
    '{"name":"Ann","discards":0.5,"cards":0.05,"crib":1.0,"play":0.5,"danger":0.6,"high":0.0,'
    '"ace":0.5}'
)
DEAL = "5H 5D JS QC 2H 8D"
WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
}
LARGEST = 10 * 2**20  # bytes; a solved game has hundreds of millions


@cache
def values():
    """Make a value of each kind that the package answers with."""
    advice = cribev.advise(DEAL, role="dealer")
    scored = cribev.advise(DEAL, role="pone", score="103-104")
    ranks = cribev.advise("5 5 J Q 2 8", role="dealer")
    asked = {"role": "pone", "starter": "7H", "played": "J 5"}
    card = cribev.advise_play("4H 5C JD JS", **asked)
    games = with_play(random_games(1, deals=2, noise=1.0))
    hands = cribev.random_hands(3, seed=1)
    return {
        "Advice": advice,
        "Advice at a score": scored,
        "a discard": advice.best,
        "Options": advice.options,
        "choices": scored.choices,
        "Comparison": advice.compare("JS QC"),
        "Explanation": scored.explain(),
        "SuitlessAdvice": ranks,
        "a discard of ranks": ranks.best,
        "SuitlessExplanation": ranks.explain(),
        "PlayAdvice": card,
        "PlayAdvice against greedy": cribev.advise_play("4H 5C JD JS", opponent="greedy", **asked),
        "PlayAdvice against people": cribev.advise_play("4H 5C JD JS", opponent="people", **asked),
        "habits": as_opponent(OWN_HABITS),
        "a card": card.best,
        "why a card": card.explain(),
        "what may be held": card.range,
        "Position": card.position,
        "Play": cribev.Play.parse("5 J 5"),
        "Show": cribev.explain("5C 6D 7D QH 6H"),
        "Evaluation": cribev.evaluate_deals(hands, role="dealer"),
        "evaluate": cribev.evaluate([DEAL], role="dealer"),
        "Review": cribev.review(games, fast=True),
        "PlayValues": cribev.play_values("5TJQ", role="pone"),
        "par": cribev.par("83-64", role="dealer"),
        "Opponent": as_opponent("expert"),
        "show alone": as_opponent("expert", play=False),
        "Frequencies": cribev.Frequencies("mine", {"dealer": np.eye(13), "pone": np.eye(13)}),
        "at the play": as_opponent("greedy").play.strategy(),
    }  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_every_answer_is_equal_to_its_copies(way):
    for name, value in values().items():
        made = WAYS[way](value)
        assert type(made) is type(value), name
        if isinstance(value, pd.DataFrame):
            assert same(made, value), name
            continue
        assert made == value and not made != value, name  # noqa: PT018, SIM202
        if not isinstance(value, list):
            assert hash(made) == hash(value), name
        if way == "pickle":
            assert str(made) == str(value), name
            assert len(pickle.dumps(value)) < LARGEST, name


def test_other_answers_differ():
    advice = values()["Advice"]
    assert advice != cribev.advise(DEAL, role="pone")
    assert advice.best != advice.choices[1]
    assert advice == cribev.advise(DEAL, role="dealer")
    hands = cribev.random_hands(3, seed=2)
    assert values()["Evaluation"] != cribev.evaluate_deals(hands, role="dealer")
    known = {as_opponent(name).play.strategy() for name in ("expert", "people", "greedy")}
    assert len(known) == 3
    assert values()["PlayAdvice"] != values()["PlayAdvice against greedy"]


def best_of(deal):
    return cribev.advise(deal, role="dealer").best


def test_a_pool_of_processes_returns_answers():
    with get_context("spawn").Pool(1) as pool:
        assert pool.map(best_of, [DEAL]) == [values()["a discard"]]
