"""The play in every answer: what it adds, what leaves it out, and deals without suits."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from shell import ENDS, good

import cribev
from cribev import CardError, CribevError, advise, evaluate, format_cards, random_hands
from cribev.advice.names import as_opponent
from cribev.classes.class_tables import all_suitings
from cribev.game.cards import SUITLESS_OFFSET
from cribev.game.roles import ROLES
from cribev.opponents.opponents import Opponent, Solved
from cribev.solution.solution import load

pytestmark = pytest.mark.arrays

HALSCRIB = "2C 5D 8H 9S JH KC"
SHOW_COLUMNS = [
    "rank", "discard", "keep", "hand_mean", "hand_min", "hand_max", "hand_sd",
    "crib_mean", "crib_min", "crib_max", "crib_sd", "expected",
]  # fmt: skip


def test_every_suit_of_a_worked_example_is_counted():
    # Counted over all 576 deals, and the four ways to discard a deuce and a nine of each.
    advice = advise("2 2 8 9 9 J", role="pone")
    discarded = next(one for one in advice.choices if one.discard == "2 9")
    assert discarded.hand_mean == pytest.approx(2.3862, abs=1e-4)
    assert discarded.expected == pytest.approx(-2.9915, abs=1e-4)
    every = evaluate(["2 2 8 9 9 J"], role="pone", every_discard=True)
    assert every.set_index("discard")["expected"]["2 9"] == discarded.expected


def test_the_show_alone_is_what_it_was():
    advice = advise(HALSCRIB, role="pone", opponent="uniform", play=False)
    assert list(advice.table) == SHOW_COLUMNS
    assert list(advice.to_dict()["discards"][0]) == [*SHOW_COLUMNS, "verdict", "mark"]
    why = advice.explain()
    assert why.play is None
    for said in (json.dumps(why.to_dict()), str(advice), str(why)):
        assert "play" not in said
    command = ["advise", HALSCRIB, "--pone", "--opponent", "uniform", "--show-only"]
    text = good(*command, "--explain")
    assert "play" not in text
    assert str(advice) in text
    batch = evaluate([HALSCRIB], role="pone", opponent="uniform", play=False)
    assert "play_mean" not in batch
    assert batch["expected"].tolist() == pytest.approx([advice.best.expected], abs=1e-9)


def test_the_show_alone_has_its_own_expert():
    # The two experts discard differently, so what they leave in the crib differs.
    both = [advise(HALSCRIB, role="dealer", play=play).best.crib_mean for play in (True, False)]
    assert 0.001 < abs(both[0] - both[1]) < 0.5
    own = advise(HALSCRIB, role="dealer", opponent=Opponent.of(Solved(load())), play=False)
    assert own.best.crib_mean == both[1]
    shown, weighed = Opponent.of(Solved(load())), Opponent.of(Solved())
    assert shown.pegging("dealer").net[0, 0] == weighed.pegging("dealer").net[0, 0]
    shown = as_opponent("expert", play=False)
    assert weighed.baseline("dealer") > shown.baseline("dealer") > 12


@pytest.mark.parametrize("deal", ["4H 5D 6S 6C JD KS", "5 5 J Q 2 8"])
def test_leads_agree_with_discard_and_card_advice(deal):
    advice = advise(deal, role="pone", opponent="uniform")
    choice = advice.choices[1]
    leads = advice.explain(choice.discard).play.leads
    assert leads["share"] @ leads["play_mean"] == pytest.approx(choice.play_mean, abs=0.005)
    assert leads["share"].sum() == pytest.approx(1)
    assert (leads["play_best"] >= leads["play_mean"] - 1e-9).all()
    asked = cribev.advise_play(choice.keep, role="pone", discard=choice.discard).table
    assert leads["lead"].tolist() == asked["card"].tolist()
    assert leads["play_best"].tolist() == pytest.approx(asked["expected"].tolist())
    assert leads["share"].tolist() == pytest.approx(asked["share"].tolist())
    text = str(advice.explain())
    best = advice.explain().play.leads.iloc[0]
    assert f"Lead {best.lead} ({best.play_best:+.2f})" in text
    assert f": {advice.best.play_mean:+.2f} on average" in text


@pytest.mark.slow
def test_what_the_show_alone_would_say():
    changed = []
    for deal in random_hands(12, seed=9):
        advice = advise(deal, role="pone", opponent="uniform")
        shown = advise(deal, role="pone", opponent="uniform", play=False)
        best = {choice.discard for choice in shown.choices if choice.rank == 1}
        said = advice.explain().play.at_the_show
        changed.append(said is not None)
        if said is None:
            assert advice.best.discard in best
        else:
            discard, ahead = said
            assert discard in best
            own = next(one for one in shown.choices if one.discard == advice.best.discard)
            assert ahead == pytest.approx(shown.best.expected - own.expected)
            assert f"the best would be {discard}, by {ahead:.2f}" in str(advice.explain())
    assert {*changed} == {True, False}


# Without suits


@pytest.mark.parametrize(("opponent", "play"), [("expert", True), ("uniform", False)])
def test_advice_and_batch_agree_without_suits(opponent, play):
    texts = ["5 5 J Q 2 8", "A-2-7-9-J-Q", "aaaakk", "3 3 3 9 9 10", "5H 5D JS QC 2H 8D"]
    for role in ROLES:
        options = {"role": role, "opponent": opponent, "play": play}
        best, every = evaluate(texts, **options), evaluate(texts, every_discard=True, **options)
        for at, text in enumerate(texts[:4]):
            advice = advise(text, **options)
            rows, table = every.loc[[at]], advice.table
            for name in ("discard", "rank", "keep"):
                assert rows[name].tolist() == table[name].tolist()
            names = ["hand_mean", "crib_mean", "expected"] + ["play_mean"] * play
            np.testing.assert_allclose(rows[names], table[names], rtol=0, atol=1e-9)
            first, second = advice.choices[:2]
            assert best["best_discard"][at] == first.discard
            assert best["best_keep"][at] == first.keep
            margin = 0 if second.rank == 1 else first.expected - second.expected
            found = (best["expected"][at], best["margin"][at])
            assert found == pytest.approx((first.expected, margin), abs=1e-9)
        with_suits = evaluate(texts[4:], **options)
        pd.testing.assert_frame_equal(best.iloc[4:].reset_index(drop=True), with_suits)
        assert len(every.loc[[4]]) == 15


def test_suits_are_told_as_far_as_they_matter():
    advice = advise("2 4 6 8 T Q", role="dealer", opponent="uniform", play=False)
    deals = all_suitings(np.array(advice.position.left_ranks, np.uint8) + np.uint8(SUITLESS_OFFSET))
    assert advice.deals == len(deals) == 4**6
    every = evaluate(
        [format_cards(deal) for deal in deals[::41]],
        role="dealer", opponent="uniform", play=False, every_discard=True,
    )  # fmt: skip
    for choice in advice.choices:
        own = every[every["discard"].str.replace("[CDHS]", "", regex=True) == choice.discard]
        assert choice.expected_min <= own["expected"].min() + 1e-9
        assert choice.expected_max >= own["expected"].max() - 1e-9
        assert choice.often_best == pytest.approx((own["rank"] == 1).mean(), abs=0.1)
    assert sum(choice.often_best for choice in advice.choices) >= 1


def test_invalid_suitless_deals_are_refused():
    for text, message in (
        ("5 5 J Q 2", "expected 6 cards, got 5 in '5 5 J Q 2'"),
        ("5 5 5 5 5 8", "there are five 5s: a deck has four"),
        ("", "expected 6 cards, got none in ''"),
    ):
        with pytest.raises(CribevError, match=f"^{message}"):
            advise(text, role="pone")
    with pytest.raises(CribevError, match="'2 5 5 8 J Q' lacks suits: "):
        evaluate(["5 5 J Q 2 8"], role="pone", exact=True)
    with pytest.raises(CardError, match="more than four of a rank in '5 5 5 5H 5 8'"):
        evaluate(["5 5 5 5H 5 8"], role="pone")
    six = pd.DataFrame([["5", "5", "J", "Q", "2", "8"], ["8", "5", "J", "Q", "2", "5H"]])
    found = evaluate(six, cards=[*six], role="pone")
    assert found["best_discard"].tolist() == ["2 8", "2 8"]
    assert found["best_keep"].tolist() == ["5 5 J Q", "5H 5 J Q"]
    six.loc[1, 1] = "5H"
    with pytest.raises(CardError, match="5H comes twice in '8 5H J Q 2 5H'"):
        evaluate(six, cards=[*six], role="pone")
    with pytest.raises(CardError, match="are not two of the ranks"):
        advise("5 5 J Q 2 8", role="pone").explain("3 4")


def evaluated(hand, **options):
    """Each discard of all deals that a hand can be, and of the hand, by name."""
    known, lack = ([c for c in hand.split() if (len(c) > 1) is suited] for suited in (True, False))
    deals = (
        {*known, *map("".join, zip(lack, suits, strict=True))}
        for suits in product("CDHS", repeat=len(lack))
    )
    texts = sorted({" ".join(sorted(deal)) for deal in deals if len(deal) == 6})
    for every in (texts, [hand]):
        found = evaluate(every, role="dealer", every_discard=True, **options)
        names = [
            " ".join(sorted(c if c in known else c[0] for c in two.split()))
            for two in found["discard"]
        ]
        yield found.assign(discard=names)


def test_mixed_suits_average_over_possible_deals():
    for hand in ("8D 8 8 7C 2 KC", "K TC 5H 5 QC J"):
        each, own = evaluated(hand, score="40-21")
        assert set(own["win_method"]) == {"approximate"}
        means = each[["hand_mean", "crib_mean", "win", "expected"]].groupby(each["discard"]).mean()
        own = own.set_index("discard")
        assert own["rank"].tolist() == sorted(own["rank"]) == [*range(1, len(means) + 1)]
        own = own.loc[means.index, means.columns]
        pd.testing.assert_frame_equal(own, means, check_exact=False, atol=1e-9, check_names=False)
    asked = advise("8D 8 8 7C 2 KC", role="dealer", play=False)
    (best,) = evaluate(["8D 8 8 7C 2 KC"], role="dealer", play=False)["expected"]
    assert best == pytest.approx(asked.best.expected, abs=0.01)  # which counts each crib


@pytest.mark.parametrize(
    "hand", ["8D 8 8 7C 2 KC", "4 5 6 7 8 J", "J J J J 5 9", "5 5 JD J Q 9", "5 5 9 J J Q"]
)
def test_suitless_figures_are_those_of_all_deals(hand):
    each, own = (
        found.assign(square=found["hand_sd"] ** 2 + found["hand_mean"] ** 2).groupby("discard")
        for found in evaluated(hand, play=False)
    )
    assert (own.size() == 1).all()
    ends = {name: name[-3:] for name in ENDS}
    pd.testing.assert_frame_equal(own.agg(ends), each.agg(ends))
    for name in ("hand_mean", "crib_mean", "expected", "square"):
        pd.testing.assert_series_equal(own[name].mean(), each[name].mean())
