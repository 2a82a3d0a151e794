"""Positions of the play to lay a card from, and what a card costs."""

import json
from dataclasses import replace
from itertools import islice

import pytest

from cribev import CardError, CribevError, advise_play, evaluate, peg
from cribev.advice.decisions import line_text
from cribev.game.cards import RANKS, format_cards
from cribev.game.deal import Deal, Held
from cribev.game.play import Play
from cribev.game.score import Score
from cribev.practice.problems import CARD_KINDS, Problem, card_options, cards_of, is_hard_card
from cribev.practice.session import card_table, grade_answer, summarize

PINNED = [
    ("dealer", "AH 2S 3S 9H", "TD JC", "7C", "7S 9H JS 3S go"),
    ("pone", "2C 6D 7C 8H", "TC KD", "9S", "7C 3C"),
    ("dealer", "AD 2D 2H TH", "7S 9S", "6S", "7C"),
]


@pytest.fixture(scope="module")
def spots():
    """Two dozen spots of a seed."""
    return list(islice(cards_of(5), 24))


def advised(spot):
    return advise_play(
        format_cards(spot.held.kept), role=spot.role, laid=str(spot.deal.play),
        discard=format_cards(spot.held.discard), starter=format_cards([spot.starter]),
    )  # fmt: skip


def test_a_seed_is_the_same_spots_everywhere():
    found = [
        (one.role, format_cards(one.held.kept), format_cards(one.held.discard),
         format_cards([one.starter]), str(one.deal.play))
        for one in islice(cards_of(7), 3)
    ]  # fmt: skip
    assert found == PINNED
    assert [one.number for one in islice(cards_of(7), 5)] == [1, 2, 3, 4, 5]


def test_spots_arise_by_the_rules_between_players_who_discard_well(spots):
    for spot in spots:
        cards = [*spot.held.kept, *spot.held.discard, spot.starter, *spot.opponent_held.kept]
        assert len({*cards}) == 11
        hands = {
            "dealer": spot.opponent_held.kept,
            "pone": spot.opponent_held.kept,
            spot.role: spot.held.kept,
        }
        ranks = {role: [card >> 2 for card in hand] for role, hand in hands.items()}
        play = peg(str(spot.deal.play).replace("go", ""), **ranks)
        assert play.ranks_text.split() == [text[0] if text != "go" else text
                                     for text in str(spot.deal.play).split()]  # fmt: skip
        assert len({card >> 2 for card in spot.position.legal}) > 1
        assert {*spot.position.legal} <= {*spot.position.left} <= {*spot.held.kept}
        six = sorted([*spot.held.kept, *spot.held.discard])
        (best,) = evaluate([format_cards(six)], role=spot.role)["best_discard"]
        assert best == format_cards(spot.held.discard)


def test_what_a_card_costs_is_what_is_advised_and_something_can_be_lost(spots):
    for spot in spots:
        by_card = {one.card: one.expected for one in advised(spot).choices}
        best = max(by_card.values())
        losses = {card: grade_answer(spot, [card]).decision.loss for card in spot.position.legal}
        for card, lost in losses.items():
            assert lost == pytest.approx(best - by_card[RANKS[card >> 2]], abs=1e-9)
        assert max(losses.values()) >= 0.1
        assert min(losses.values()) == 0


def greedy_card(spot):
    """Find the card that makes most points at once, the highest of equals, by `cribev.peg`."""

    def made(card):
        pegs = peg(f"{spot.deal.play!s} {RANKS[card >> 2]}").steps[-1].pegs
        return sum(one.points for one in pegs if one.kind not in ("go", "last"))

    return max(spot.position.legal, key=lambda card: (made(card), card >> 2))


def test_hard_spots_are_those_where_the_greedy_card_is_wrong(spots):
    for spot in spots:
        greedy = grade_answer(spot, [greedy_card(spot)])
        lost = greedy.decision.loss
        assert is_hard_card(card_options(spot.position)) == (lost >= 0.1)
        assert summarize([greedy]).baselines["greedy"] == pytest.approx(lost)
    assert all(
        is_hard_card(card_options(one.position)) for one in islice(cards_of(5, hard=True), 5)
    )


@pytest.mark.parametrize("kind", CARD_KINDS)
def test_kinds_are_what_they_say(kind):
    number = [*CARD_KINDS].index(kind)
    for spot in islice(cards_of(3, kinds=[kind]), 4):
        laid = len(spot.deal.play.laid)
        assert laid == number or (kind == "ending" and laid > number)
    if kind not in ("lead", "answer"):
        assert {one.role for one in islice(cards_of(3, kinds=[kind], role="pone"), 2)} == {"pone"}


@pytest.mark.parametrize(
    ("kinds", "role", "said"),
    [(["lead"], "dealer", "never leads"), (["answer"], "pone", "never answers"),
     (["king"], None, "'king' is no kind of card")],
)  # fmt: skip
def test_what_cannot_be_dealt_is_refused(kinds, role, said):
    with pytest.raises(CribevError, match=said):
        cards_of(7, kinds=kinds, role=role)
    with pytest.raises(CribevError, match="is no seed"):
        cards_of(-1)


LOW = Problem(Deal(Held.parse("2S3D3HJC/5C6C"), Held.parse("7C8C9CTC"), 50), "pone")


@pytest.mark.parametrize(
    ("text", "card"), [("JC", "JC"), ("j", "JC"), ("3h", "3H"), ("1", "2S"), ("4", "JC")]
)
def test_answers_are_cards_ranks_or_numbers(text, card):
    assert format_cards(LOW.parse(text)) == card


@pytest.mark.parametrize("text", ["", "5", "0", "5H", "JC 2S", "x", "12", "\x00", "٣", "2"])
def test_what_is_no_answer_or_can_be_two_is_said_so_in_a_line(text):
    with pytest.raises(CardError) as caught:
        LOW.parse(text)
    assert len(str(caught.value).splitlines()) == 1
    assert str(caught.value).isprintable()


def test_a_card_that_does_not_fit_is_refused():
    deal = Deal(Held.parse("TCTDKHKS"), LOW.held, 50, Play.of([36, 40, 37]))
    spot = Problem(deal, "dealer")
    for text in ("2", "2S", "3"):
        with pytest.raises(CardError, match=r"does not fit a count of 30|can be"):
            spot.parse(text)
    with pytest.raises(CardError, match=r"^[A-Z2-9]{2} cannot be laid: expected one of"):
        grade_answer(spot, [7])


def test_verdicts_say_what_is_better_and_what_the_opponent_had(spots):
    for spot in spots:
        advice = advised(spot)
        for card in spot.position.legal:
            one = grade_answer(spot, [card])
            found = one.decision
            cost, why, luck = map(line_text, (found.cost, found.why, one.luck))
            assert cost.startswith(f"laid {format_cards([card])}: ")
            if found.verdict == "best":
                assert " ahead of " in why or why.startswith("equal to ")
            else:
                assert any(f"best was {one.card}" in why for one in advice.choices)
            left = [one for one in spot.opponent_held.kept if one not in spot.deal.play.laid]
            assert luck.endswith(f"{format_cards(left)} left" if left else "no cards left")
            assert one.row["ev_loss"] == pytest.approx(found.loss)


def test_lays_add_up(spots):
    lays = [grade_answer(spot, spot.position.legal[-1:]) for spot in spots]
    found = summarize(lays)
    assert found.lost == pytest.approx(sum(one.decision.loss for one in lays))
    assert sum(found.verdicts.values()) == len(lays) == len(card_table(lays))
    assert 0 < found.baselines["greedy"] < found.baselines["uniform"]
    json.dumps(found.to_dict(), allow_nan=False)


def test_at_a_score_chances_to_win_decide():
    dealt = next(iter(cards_of(7, kinds=["lead"])))
    spot = replace(dealt, deal=replace(dealt.deal, score=Score(110, 112)))
    advice = advise_play(
        format_cards(spot.held.kept), role="pone", discard=format_cards(spot.held.discard),
        starter=format_cards([spot.starter]), score=(110, 112),
    )  # fmt: skip
    wins = {one.card: one.win for one in advice.choices}
    decisions = [grade_answer(spot, [card]).decision for card in spot.position.legal]
    for one in decisions:
        lost = max(wins.values()) - wins[RANKS[one.chosen[0] >> 2]]
        assert one.win_loss == pytest.approx(lost, abs=1e-9)
    assert min(one.win_loss for one in decisions) == 0
    assert {one.verdict for one in decisions if one.win_loss == 0} == {"best"}
    assert any(one.win_loss for one in decisions)
    found = summarize([grade_answer(spot, [card]) for card in spot.position.legal])
    assert found.all_scored
    assert found.win_lost == pytest.approx(sum(one.win_loss for one in decisions))
