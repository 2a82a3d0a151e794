import json
import re
from dataclasses import replace
from itertools import islice

import hypothesis.strategies as st
import numpy as np
import oracle
import pandas as pd
import pytest
from hypothesis import given, settings

from cribev import CardError, CribevError, advise, evaluate, parse_cards, review
from cribev.advice.decisions import line_text
from cribev.choice import NEAR_TIE
from cribev.game.cards import format_cards
from cribev.game.deal import Deal, Held
from cribev.game.score import Score
from cribev.practice.problems import Problem, discards_of, is_hard, new_seed
from cribev.practice.session import (
    baseline_losses,
    deal_numbers,
    grade_answer,
    nearest_baselines,
    record_of,
    review_answers,
    summarize,
)
from cribev.reviews.review import CONTESTED_MARGIN
from cribev.rows.pairs import PUBLISHED_CRIBS

PINNED = [
    ("dealer", "AH 2S 3S 9H TD JC", "6S 7S 8S 9C JH JS", "9C JH", "7C"),
    ("pone", "3C 3H 4D 9C TD QD", "2C 6D 7C 8H TC KD", "TC KD", "9S"),
    ("dealer", "AD 2D 2H 7S 9S TH", "5S 7C 7D TC QD KS", "TC KS", "6S"),
]
HARD = [("dealer", "AH 2S 3S 9H TD JC"), ("pone", "AS 2H 3S 4H TC QC")]


@pytest.fixture(scope="module")
def throws():
    """Eight hands of a seed, thrown well and badly."""
    keeps = (0, 4, 1, None, 2, None, 3, 1)
    found = []
    for hand, keep in zip(discards_of(11), keeps, strict=False):
        table = advise(hand.held.kept, role=hand.role)
        found.append(
            grade_answer(
                hand, table.best.discard if keep is None else hand.held.kept[keep : keep + 2]
            )
        )
    return found


def test_a_seed_is_the_same_hands_everywhere():
    found = [
        (hand.role, format_cards(hand.held.kept), format_cards(hand.opponent_held.dealt),
         format_cards(hand.opponent_held.discard), format_cards([hand.starter]))
        for hand in islice(discards_of(7), 3)
    ]  # fmt: skip
    assert found == PINNED
    hard = [
        (hand.role, format_cards(hand.held.kept)) for hand in islice(discards_of(7, hard=True), 2)
    ]
    assert hard == HARD
    assert [hand.number for hand in islice(discards_of(7), 600)] == [*range(1, 601)]
    assert format_cards(next(discards_of(10**35)).held.kept) == "6D 7D 7H 8C TD TH"


def test_a_role_changes_whose_crib_it_is_and_not_the_cards():
    in_turn = list(islice(discards_of(3), 6))
    assert [hand.role for hand in in_turn] == ["dealer", "pone"] * 3
    for role in ("dealer", "pone"):
        found = list(islice(discards_of(3, role=role), 6))
        assert {hand.role for hand in found} == {role}
        assert [hand.held for hand in found] == [hand.held for hand in in_turn]


def test_close_scores_are_near_the_end_and_the_same_for_everybody():
    hands = list(islice(discards_of(3, score="close"), 200))
    assert [hand.score_text for hand in hands] == [
        hand.score_text for hand in islice(discards_of(3, score="close"), 200)
    ]
    scores = np.array([hand.deal.score.seen_by(hand.role) for hand in hands])
    assert (scores.max(axis=1) >= 91).all()
    assert scores.min() >= 81
    assert scores.max() <= 120
    assert (np.abs(np.diff(scores, axis=1)) <= 10).all()
    assert len({*map(tuple, scores.tolist())}) > 100
    plain = islice(discards_of(3), 200)
    assert [replace(hand, deal=replace(hand.deal, score=None)) for hand in hands] == list(plain)


@pytest.mark.parametrize("seed", [-1, 1.0, "7", True, None])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(CribevError, match="is no seed"):
        discards_of(seed)


def test_a_seed_that_is_drawn_is_short_enough_to_tell():
    seeds = {new_seed() for _ in range(20)}
    assert len(seeds) > 10
    assert all(0 <= seed < 10**6 for seed in seeds)


@given(st.integers(0, 2**80), st.booleans())
@settings(max_examples=15)
def test_all_thirteen_cards_differ_and_the_opponent_throws_his_best(seed, hard):
    for hand in islice(discards_of(seed, hard=hard), 4):
        assert len({*hand.held.kept, *hand.opponent_held.dealt, hand.starter}) == 13
        other = "pone" if hand.role == "dealer" else "dealer"
        (best,) = evaluate([format_cards(hand.opponent_held.dealt)], role=other)["best_discard"]
        assert best == format_cards(hand.opponent_held.discard)


def test_hard_hands_are_close_and_mislead():
    hands = list(islice(discards_of(5), 400))
    deals = np.array([hand.held.kept for hand in hands], np.uint8)
    dealer = np.array([hand.role == "dealer" for hand in hands])
    texts = [format_cards(hand.held.kept) for hand in hands]
    frame = pd.DataFrame({"cards": texts, "role": [hand.role for hand in hands]})
    rows = evaluate(frame, every_discard=True)
    sign = np.where(rows["role"] == "dealer", 1, -1)
    rows["show"] = rows["hand_mean"] + sign * rows["crib_mean"]
    expected = []
    for hand in hands:
        of = rows[(rows["cards"] == format_cards(hand.held.kept)) & (rows["role"] == hand.role)]
        first, second = of["expected"].nlargest(2)
        misled = any(
            first - of.loc[of[look] > of[look].max() - 1e-9, "expected"].max() >= 0.3 - 1e-9
            for look in ("hand_mean", "show")
        )
        expected.append(misled and NEAR_TIE < first - second <= CONTESTED_MARGIN)
    assert is_hard(deals, dealer).tolist() == expected
    assert 20 < sum(expected) < 80


SIX = Problem(Deal(Held.parse("2H5D5H8DJSQC")), "pone")


@pytest.mark.parametrize(
    ("text", "thrown"),
    [("1 6", "2H QC"), ("61", "2H QC"), ("4,5", "8D JS"), ("js qc", "JS QC"), ("8d2h", "2H 8D")],
)
def test_answers_are_cards_or_places(text, thrown):
    assert format_cards(SIX.parse(text)) == thrown


@pytest.mark.parametrize(
    "text", ["", "1", "1 1", "1 7", "0 1", "123", "2H", "2H 5D 5H", "2H 3H", "2H 2H", "q", "J Q",
             "1 2H", "١ ٢", "\x00", "2H 5D x", "12 3", "99999999999999999999"],
)  # fmt: skip
def test_what_is_no_answer_is_said_so_in_a_line(text):
    with pytest.raises(CardError) as caught:
        SIX.parse(text)
    assert len(str(caught.value).splitlines()) == 1
    assert str(caught.value).isprintable()


def test_throws_come_to_what_a_review_says(throws):
    found = review_answers(throws).decisions
    again = review(record_of(throws).frame).decisions
    pd.testing.assert_frame_equal(found, again, check_exact=True)
    for one, loss in zip(throws, found["ev_loss"], strict=True):
        table = advise(one.problem.held.kept, role=one.problem.role).table
        table = table.set_index("discard")
        expected = table["expected"]
        own = expected[format_cards(one.decision.chosen)]
        assert loss == pytest.approx(expected.max() - own, abs=1e-12)


def test_par_losses_and_luck_add_up(throws):
    summary = summarize(throws)
    parts = summary.parts
    assert parts["points"] == pytest.approx(parts["par"] - parts["lost"] + parts["luck"], abs=1e-9)
    points = par = 0.0
    for one in throws:
        table = advise(one.problem.held.kept, role=one.problem.role).table
        table = table.set_index("discard")
        discard, starter = format_cards(one.decision.chosen), format_cards([one.problem.starter])
        kept = [*table.loc[discard, "keep"].split(), starter]
        crib = [*discard.split(), *format_cards(one.problem.opponent_held.discard).split(), starter]
        sign = 1 if one.problem.role == "dealer" else -1
        shown = oracle.points(kept[:4], kept[4]) + sign * oracle.points(
            crib[:4], crib[4], crib=True
        )
        points += shown + table.loc[discard, "play_mean"]
        par += table["expected"].max()
    assert parts["points"] == pytest.approx(points, abs=1e-9)
    assert parts["par"] == pytest.approx(par, abs=1e-9)
    assert sum(summary.verdicts.values()) == summary.number == len(throws)
    json.dumps(summary.to_dict(), allow_nan=False)


def test_baselines_are_valued_on_the_same_hands(throws):
    losses = baseline_losses(review_answers(throws))
    for row, one in enumerate(throws):
        table = advise(one.problem.held.kept, role=one.problem.role).table
        loss = table["expected"].max() - table["expected"]
        assert losses["random"][row] == pytest.approx(loss.mean())
        looked_at = {"hand": table["hand_mean"]}
        for name in PUBLISHED_CRIBS:
            by = advise(one.problem.held.kept, role=one.problem.role, crib_table=name).table
            by = by.set_index("discard").loc[table["discard"]].reset_index()
            looked_at[name] = by["expected"] - by["play_mean"]
        for name, values in looked_at.items():
            chosen = values > values.max() - 1e-9
            assert losses[name][row] == pytest.approx(loss[chosen].mean(), abs=1e-9)


@given(st.floats(0, 5), st.dictionaries(st.sampled_from(["random", "hand", "show", "schell"]),
                                        st.floats(0, 5), min_size=1))  # fmt: skip
def test_a_loss_lies_somewhere(lost, others):
    said = nearest_baselines(lost, others)
    assert re.fullmatch(
        r"throwing .+ loses \d\.\d\d a hand(; throwing .+ loses \d\.\d\d a hand)?", said
    )


@given(st.lists(st.sampled_from(["dealer", "pone"]), max_size=30))
def test_deal_numbers_ascend_and_the_player_deals_the_odd(roles):
    numbers = deal_numbers(roles)
    assert all(a < b for a, b in zip([0, *numbers], numbers, strict=False))
    assert [number % 2 == 1 for number in numbers] == [role == "dealer" for role in roles]


def hand_of(cards, role, starter, theirs, score=None):
    """Make up a hand; the rest of the opponent's is the lowest four cards left."""
    own, threw, (cut,) = (parse_cards(text).tolist() for text in (cards, theirs, starter))
    kept = [card for card in range(52) if card not in (*own, *threw, cut)][:4]
    deal = Deal(starter=cut, score=score and Score.of(*score, role))
    return Problem.of(role, Held.of(own), Held.of(kept, threw), deal)


def said_of(cards, role, discard, starter="KS", theirs="QD KD"):
    found = grade_answer(hand_of(cards, role, starter, theirs), discard)
    return [line_text(line) for line in (found.decision.cost, found.decision.why, found.luck)]


def test_equals_and_near_ties_are_said_to_be_so():
    equal = said_of("AC 4S TD TH JC KC", "pone", "TD KC", theirs="QD KD")
    assert equal[0] == "threw TD KC: best"
    assert equal[1].startswith("equal to TH KC; 0.")
    lost = said_of("AC 4S TD TH JC KC", "pone", "AC 4S", theirs="QD KD")
    assert lost[1].startswith("best was TH KC or TD KC: ")
    near = said_of("2C 2S 5C 9S TH TS", "pone", "2S 9S", theirs="QD KD")
    assert near[0].startswith("threw 2S 9S: close, a near-tie, lost 0.0")
    alone = said_of("2C 2S 5C 9S TH TS", "pone", "TH TS", theirs="QD KD")
    assert alone[0].startswith("threw TH TS: a blunder, lost ")
    assert alone[2].startswith("cut KS, your opponent threw QD KD: hand 4 - crib 4, luck ")


def test_what_is_not_dealt_cannot_be_thrown():
    with pytest.raises(CardError, match="expected two of AH 2S 3S 9H TD JC"):
        grade_answer(next(discards_of(7)), "5H 5D")


def test_at_a_score_wins_decide_and_points_stand_beside():
    hand = hand_of("2C 2S JS QC QD KD", "pone", "5H", "9H JD", (107, 105))
    table = advise("2C 2S JS QC QD KD", role="pone", score=(107, 105)).table
    best = table.iloc[0]
    thrown = table.set_index("discard").loc["QD KD"]
    found = grade_answer(hand, "QD KD")
    cost, why, luck = map(line_text, (found.decision.cost, found.decision.why, found.luck))
    assert cost == f"threw QD KD: a blunder, {best['win'] - thrown['win']:.1%} fewer wins"
    more = best["expected"] - thrown["expected"]
    assert why == (
        f"best was {best['discard']}: wins {best['win']:.1%}, and not {thrown['win']:.1%}; "
        f"by points it is worth {abs(more):.2f} {'more' if more > 0 else 'less'}"
    )
    assert luck == "cut 5H, your opponent threw 9H JD: hand 6 - crib 9"
    found = line_text(grade_answer(hand, best["discard"]).decision.why)
    second = table[table["rank"] > 1].iloc[0]
    more = best["expected"] - second["expected"]
    assert found == (
        f"wins {best['win']:.1%}, {best['win'] - second['win']:.1%} more wins than "
        f"{second['discard']}; by points it is worth {abs(more):.2f} "
        f"{'more' if more > 0 else 'less'}"
    )
