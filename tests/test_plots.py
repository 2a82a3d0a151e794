"""Plots show what tables say."""

import sys

import numpy as np
import pandas as pd
import pytest

import cribev
from cribev import CribevError, advise, plot_pairs, review


def offsets(axes):
    """The dots of lines without a line."""
    dots = [line for line in axes.lines if line.get_linestyle() == "None"]
    return [line.get_xdata().tolist() for line in dots]


@pytest.mark.parametrize("cards", ["5H 5D JS QC 2H 8D", "5 5 J Q 2 8"])
def test_a_plot_of_advice_has_each_discard(cards):
    advice = advise(cards, role="dealer")
    hand, crib = advice.plot()
    assert offsets(hand) == [advice.table["hand_mean"].tolist()]
    assert offsets(crib) == [advice.table["crib_mean"].tolist()]
    labels = [label.get_text() for label in hand.get_yticklabels()]
    assert len(labels) == len(advice.table)
    assert labels[0].endswith(f"{advice.best.expected:+.2f}")
    assert len(advice.top(3).plot()[0].get_yticks()) == 3


def test_a_plot_of_a_review_ends_with_what_was_lost(data):
    found = review(data / "game.csv", fast=True)
    (axes,) = found.plot()
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    lost = found.players.set_index("player")["loss"]
    assert texts == [f"{name}, {points:.2f}" for name, points in lost.items()]


def test_a_plot_of_one_game_with_scores_has_its_chances():
    deal = {"deal": [1], "player": ["Ann"], "role": ["dealer"], "cards": ["5H 5D JS QC 2H 8D"]}
    deal |= {"discard": ["JS QC"], "score": ["0*-0"]}
    found = review(pd.DataFrame(deal))
    chances, losses = found.plot()
    before = found.decisions["win_before"].iloc[0]
    assert chances.lines[0].get_ydata()[0] == before
    (text,) = losses.get_legend().get_texts()
    assert text.get_text() == f"Ann, {found.decisions['win_loss'].iloc[0]:.1%}"


def test_a_plot_of_pairs_has_a_number_for_each():
    deals = cribev.random_hands(2000, seed=4)
    every = cribev.evaluate(deals, role="pone", every_discard=True)
    cribs = every.groupby("discard_ranks", observed=True)["crib_mean"].mean()
    axes = plot_pairs(cribs)
    texts = {text.get_position(): text.get_text() for text in axes.texts}
    assert len(texts) == 91
    assert texts[4, 4] == f"{cribs['5 5']:.1f}"
    assert texts[0, 12] == f"{cribs['A K']:.1f}"
    assert [text.get_position() for text in plot_pairs({"10 5": 1}).texts] == [(4, 9)]
    cells = np.full((13, 13), np.nan)
    cells[12, 0] = 3
    assert [text.get_position() for text in plot_pairs(cells).texts] == [(0, 12)]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.zeros(91), "shape"),
        ({"5 X": 1}, "invalid pair of ranks '5 X'"),
        ({"5 6": 1, "6 5": 2}, "the pair of ranks '6 5' comes twice"),
        ({"5 5": "a"}, "expected numbers, got \"'a'\""),
        ("x", "expected numbers, got \"'x'\""),
        ({"5 5": np.inf}, "expected finite numbers, got 'inf'"),
    ],
)
def test_bad_pairs_are_refused(values, said):
    with pytest.raises(CribevError, match=said):
        plot_pairs(values)


def test_a_plot_without_matplotlib_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(CribevError, match=r"this needs matplotlib: .*matplotlib>=3.9"):
        advise("5H 5D JS QC 2H 8D", role="dealer").plot()
