"""Positions of the play to lay a card from, and what a card costs."""

import json
from itertools import islice

import pytest

from cribev import CardError, CribevError, advise_play, evaluate, peg
from cribev.advice.decisions import line_text
from cribev.game.cards import RANKS, format_cards
from cribev.practice.baselines import lay_baselines
from cribev.practice.lays import Lay, lay, lay_table, parse_lay
from cribev.practice.spots import SPOT_KINDS, Spot, is_hard_spot, spots_of
from cribev.practice.summary import summarize_lays
from cribev.practice.verdicts import verdict_of_lay

PINNED = [
    ("dealer", "AH 2S 3S 9H", "TD JC", "7C", "7S 9H JS 3S go"),
    ("pone", "2C 6D 7C 8H", "TC KD", "9S", "7C 3C"),
    ("dealer", "AD 2D 2H TH", "7S 9S", "6S", "7C"),
]


@pytest.fixture(scope="module")
def spots():
    """Two dozen spots of a seed."""
    return list(islice(spots_of(5), 24))


def advised(spot):
    return advise_play(
        format_cards(spot.hand), role=spot.role, laid=spot.laid_text,
        discard=format_cards(spot.discard), starter=format_cards([spot.starter]),
    )  # fmt: skip


def test_a_seed_is_the_same_spots_everywhere():
    found = [
        (one.role, format_cards(one.hand), format_cards(one.discard),
         format_cards([one.starter]), one.laid_text)
        for one in islice(spots_of(7), 3)
    ]  # fmt: skip
    assert found == PINNED
    assert [one.number for one in islice(spots_of(7), 5)] == [1, 2, 3, 4, 5]


def test_spots_arise_by_the_rules_between_players_who_discard_well(spots):
    for spot in spots:
        cards = [*spot.hand, *spot.discard, spot.starter, *spot.opponent_hand]
        assert len({*cards}) == 11
        hands = {"dealer": spot.opponent_hand, "pone": spot.opponent_hand, spot.role: spot.hand}
        ranks = {role: [card >> 2 for card in hand] for role, hand in hands.items()}
        play = peg(spot.laid_text.replace("go", ""), **ranks)
        assert play.laid.split() == [text[0] if text != "go" else text
                                     for text in spot.laid_text.split()]  # fmt: skip
        assert len({card >> 2 for card in spot.legal}) > 1
        assert {*spot.legal} <= {*spot.left} <= {*spot.hand}
        six = sorted([*spot.hand, *spot.discard])
        (best,) = evaluate([format_cards(six)], role=spot.role)["best_discard"]
        assert best == format_cards(spot.discard)


def test_what_a_card_costs_is_what_is_advised_and_something_can_be_lost(spots):
    for spot in spots:
        by_card = {one.card: one.expected for one in advised(spot).choices}
        best = max(by_card.values())
        losses = {card: lay(spot, card).ev_loss for card in spot.legal}
        for card, lost in losses.items():
            assert lost == pytest.approx(best - by_card[RANKS[card >> 2]], abs=1e-9)
        assert max(losses.values()) >= 0.1
        assert min(losses.values()) == 0


def greedy_card(spot):
    """Find the card that makes most points at once, the highest of equals, by `cribev.peg`."""

    def made(card):
        pegs = peg(f"{spot.laid_text} {RANKS[card >> 2]}").steps[-1].pegs
        return sum(one.points for one in pegs if one.kind not in ("go", "last"))

    return max(spot.legal, key=lambda card: (made(card), card >> 2))


def test_hard_spots_are_those_where_the_greedy_card_is_wrong(spots):
    for spot in spots:
        lost = lay(spot, greedy_card(spot)).ev_loss
        assert is_hard_spot(spot) == (lost >= 0.1)
        assert lay_baselines([lay(spot, spot.legal[0])])["greedy"] == pytest.approx(lost)
    assert all(map(is_hard_spot, islice(spots_of(5, hard=True), 5)))


@pytest.mark.parametrize("kind", SPOT_KINDS)
def test_kinds_are_what_they_say(kind):
    number = [*SPOT_KINDS].index(kind)
    for spot in islice(spots_of(3, kinds=[kind]), 4):
        laid = sum(card is not None for card in spot.laid)
        assert laid == number or (kind == "ending" and laid > number)
    if kind not in ("lead", "answer"):
        assert {one.role for one in islice(spots_of(3, kinds=[kind], role="pone"), 2)} == {"pone"}


@pytest.mark.parametrize(
    ("kinds", "role", "said"),
    [(["lead"], "dealer", "never leads"), (["answer"], "pone", "never answers"),
     (["king"], None, "'king' is no kind of card")],
)  # fmt: skip
def test_what_cannot_be_dealt_is_refused(kinds, role, said):
    with pytest.raises(CribevError, match=said):
        spots_of(7, kinds=kinds, role=role)
    with pytest.raises(CribevError, match="is no seed"):
        spots_of(-1)


LOW = Spot("pone", (7, 9, 10, 40), (16, 20), 50, (), ())  # 2S 3D 3H JC


@pytest.mark.parametrize(
    ("text", "card"), [("JC", "JC"), ("j", "JC"), ("3h", "3H"), ("1", "2S"), ("4", "JC")]
)
def test_answers_are_cards_ranks_or_numbers(text, card):
    assert format_cards([parse_lay(text, LOW)]) == card


@pytest.mark.parametrize("text", ["", "5", "0", "5H", "JC 2S", "x", "12", "\x00", "٣", "2"])
def test_what_is_no_answer_or_can_be_two_is_said_so_in_a_line(text):
    with pytest.raises(CardError) as caught:
        parse_lay(text, LOW)
    assert len(str(caught.value).splitlines()) == 1
    assert str(caught.value).isprintable()


def test_a_card_that_does_not_fit_is_refused():
    spot = LOW._replace(role="dealer", laid=(36, 40, 37))  # T J T: 30
    for text in ("2", "2S", "3"):
        with pytest.raises(CardError, match=r"does not fit a count of 30|can be"):
            parse_lay(text, spot)
    with pytest.raises(CardError, match=r"^[A-Z2-9]{2} cannot be laid: expected one of"):
        lay(spot, 7)


def test_verdicts_say_what_is_better_and_what_the_opponent_had(spots):
    for spot in spots:
        advice = advised(spot)
        for card in spot.legal:
            found = verdict_of_lay(lay(spot, card))
            cost, why, luck = map(line_text, (found.cost, found.why, found.luck))
            assert cost.startswith(f"laid {format_cards([card])}: ")
            if found.verdict == "best":
                assert " ahead of " in why or why.startswith("equal to ")
            else:
                assert any(f"best was {one.card}" in why for one in advice.choices)
            left = [one for one in spot.opponent_hand if one not in spot.laid]
            assert luck.endswith(f"{format_cards(left)} left" if left else "no cards left")
            assert found.decision["ev_loss"] == pytest.approx(lay(spot, card).ev_loss)


def test_lays_add_up(spots):
    lays = [lay(spot, spot.legal[-1]) for spot in spots]
    found = summarize_lays(lays)
    assert found.lost == pytest.approx(sum(one.ev_loss for one in lays))
    assert sum(found.verdicts.values()) == len(lays) == len(lay_table(lays))
    assert 0 < found.baselines["greedy"] < found.baselines["uniform"]
    json.dumps(found.to_dict(), allow_nan=False)


def test_at_a_score_chances_to_win_decide():
    spot = next(iter(spots_of(7, kinds=["lead"])))
    advice = advise_play(
        format_cards(spot.hand), role="pone", discard=format_cards(spot.discard),
        starter=format_cards([spot.starter]), score=(110, 112),
    )  # fmt: skip
    lays = [Lay(spot, card, advice) for card in spot.legal]
    assert min(one.win_loss for one in lays) == 0
    assert {one.verdict for one in lays if one.win_loss == 0} == {"best"}
    assert any(one.win_loss for one in lays)
