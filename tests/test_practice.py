import json
from dataclasses import replace
from itertools import islice

import hypothesis.strategies as st
import numpy as np
import oracle
import pandas as pd
import pytest
from hypothesis import given, settings

from cribev import CardError, CribevError, advise, advise_play, evaluate, parse_cards, peg, review
from cribev.advice.decisions import line_text
from cribev.app.practice import problems, session
from cribev.app.practice.problems import CARD_KINDS, Problem, cards_of, discards_of
from cribev.app.practice.session import grade_answer, summarize
from cribev.classes.ranking import NEAR_TIE
from cribev.game.cards import RANKS, format_cards
from cribev.game.deal import Deal, Held
from cribev.game.play import Play
from cribev.game.roles import crib_sign
from cribev.game.score import Score
from cribev.rows.names import DISCARD_GROUPS
from cribev.rows.pairs import published_cribs

pytestmark = pytest.mark.arrays

PINNED = [
    ("dealer", "AH 2S 3S 9H TD JC", "6S 7S 8S 9C JH JS", "9C JH", "7C"),
    ("pone", "3C 3H 4D 9C TD QD", "2C 6D 7C 8H TC KD", "TC KD", "9S"),
    ("dealer", "AD 2D 2H 7S 9S TH", "5S 7C 7D TC QD KS", "TC KS", "6S"),
]
HARD = [("dealer", "AH 2S 3S 9H TD JC"), ("pone", "AS 2H 3S 4H TC QC")]


@pytest.fixture(scope="module")
def throws():
    """Eight hands of a seed, thrown well and badly."""
    found = []
    for hand, keep in zip(discards_of(11), (0, 4, 1, None, 2, None, 3, 1), strict=False):
        best = advise(hand.held.kept, role=hand.role).best.discard
        thrown = best if keep is None else hand.held.kept[keep : keep + 2]
        found.append(grade_answer(hand, thrown))
    return found


def test_seed_gives_same_problems_everywhere():
    found = [
        (hand.role, format_cards(hand.held.kept), format_cards(hand.opponent_held.dealt),
         format_cards(hand.opponent_held.discard), format_cards([hand.starter]))
        for hand in islice(discards_of(7), 3)
    ]  # fmt: skip
    assert found == PINNED
    hard = islice(discards_of(7, hard=True), 2)
    assert [(hand.role, format_cards(hand.held.kept)) for hand in hard] == HARD
    assert [hand.number for hand in islice(discards_of(7), 600)] == [*range(1, 601)]
    assert format_cards(next(discards_of(10**35)).held.kept) == "6D 7D 7H 8C TD TH"
    in_turn = list(islice(discards_of(3), 6))
    assert [hand.role for hand in in_turn] == ["dealer", "pone"] * 3
    for role in ("dealer", "pone"):  # which changes whose crib it is, and not the cards
        found = list(islice(discards_of(3, role=role), 6))
        assert {hand.role for hand in found} == {role}
        assert [hand.held for hand in found] == [hand.held for hand in in_turn]
    found = [
        (one.role, format_cards(one.held.kept), format_cards(one.held.discard),
         format_cards([one.starter]), str(one.deal.play))
        for one in islice(cards_of(7), 3)
    ]  # fmt: skip
    assert found == PINNED_CARDS
    assert [one.number for one in islice(cards_of(7), 5)] == [1, 2, 3, 4, 5]


def test_close_scores_are_shared_and_near_end():
    hands, again = (list(islice(discards_of(3, score="close"), 200)) for _ in range(2))
    assert [hand.score_text for hand in hands] == [hand.score_text for hand in again]
    scores = np.array([hand.deal.score.seen_by(hand.role) for hand in hands])
    assert (scores.max(axis=1) >= 91).all()
    assert scores.min() >= 81
    assert scores.max() <= 120
    assert (np.abs(np.diff(scores, axis=1)) <= 10).all()
    assert len({*map(tuple, scores.tolist())}) > 100
    plain = islice(discards_of(3), 200)
    assert [replace(hand, deal=replace(hand.deal, score=None)) for hand in hands] == list(plain)


def test_drawn_seeds_are_short_and_checked():
    seeds = {problems.new_seed() for _ in range(20)}
    assert len(seeds) > 10
    assert all(0 <= seed < 10**6 for seed in seeds)
    for seed in (-1, 1.0, "7", True, None):
        for deal in (discards_of, cards_of):
            with pytest.raises(CribevError, match="invalid seed"):
                deal(seed)


@given(st.integers(0, 2**80), st.booleans())
@settings(max_examples=15)
def test_thirteen_cards_differ_and_opponent_discards_well(seed, hard):
    for hand in islice(discards_of(seed, hard=hard), 4):
        assert len({*hand.held.kept, *hand.opponent_held.dealt, hand.starter}) == 13
        other = "pone" if hand.role == "dealer" else "dealer"
        (best,) = evaluate([format_cards(hand.opponent_held.dealt)], role=other)["best_discard"]
        assert best == format_cards(hand.opponent_held.discard)


@pytest.mark.slow
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
        expected.append(misled and NEAR_TIE < first - second <= 0.5)
    assert problems.is_hard(deals, dealer).tolist() == expected
    assert 20 < sum(expected) < 80


SIX = Problem(Deal(Held.parse("2H5D5H8DJSQC")), "pone")


LOW = Problem(Deal(Held.parse("2S3D3HJC/5C6C"), Held.parse("7C8C9CTC"), 50), "pone")


@pytest.mark.parametrize(
    ("problem", "text", "chosen"),
    [(SIX, "1 6", "2H QC"), (SIX, "61", "2H QC"), (SIX, "4,5", "8D JS"), (SIX, "js qc", "JS QC"),
     (SIX, "8d2h", "2H 8D"), (LOW, "JC", "JC"), (LOW, "j", "JC"), (LOW, "3h", "3H"),
     (LOW, "1", "2S"), (LOW, "4", "JC")],
)  # fmt: skip
def test_answers_are_cards_ranks_or_places(problem, text, chosen):
    assert format_cards(problem.parse(text)) == chosen


SIX_REFUSES = ["", "1", "1 1", "1 7", "0 1", "123", "2H", "2H 5D 5H", "2H 3H", "2H 2H", "q", "J K",
               "1 2H", "١ ٢", "\x00", "2H 5D x", "12 3", "99999999999999999999"]  # fmt: skip
LOW_REFUSES = ["", "5", "0", "5H", "JC 2S", "x", "12", "\x00", "٣", "2"]


@pytest.mark.parametrize(
    ("problem", "text"),
    [(SIX, text) for text in SIX_REFUSES] + [(LOW, text) for text in LOW_REFUSES],
)
def test_ambiguous_or_invalid_answers_are_refused(problem, text):
    with pytest.raises(CardError) as caught:
        problem.parse(text)
    assert len(str(caught.value).splitlines()) == 1
    assert str(caught.value).isprintable()


def test_practice_matches_review_and_adds_up(throws):
    found = session.grade_answers(throws)
    again = review(session.record_of(throws).frame).decisions
    again = again.drop(columns=list(DISCARD_GROUPS))
    pd.testing.assert_frame_equal(found, again, check_exact=True)
    for one, loss in zip(throws, found["loss"], strict=True):
        table = advise(one.problem.held.kept, role=one.problem.role).table
        table = table.set_index("discard")
        expected = table["expected"]
        own = expected[format_cards(one.decision.chosen)]
        assert loss == pytest.approx(expected.max() - own, abs=1e-12)
    summary = summarize(throws)
    parts = summary.parts
    assert parts["points"] == pytest.approx(parts["best"] - parts["lost"] + parts["luck"], abs=1e-9)
    points = best = 0.0
    for one in throws:
        table = advise(one.problem.held.kept, role=one.problem.role).table.set_index("discard")
        discard, starter = format_cards(one.decision.chosen), format_cards([one.problem.starter])
        crib = [*discard.split(), *format_cards(one.problem.opponent_held.discard).split()]
        points += (1 if one.problem.role == "dealer" else -1) * oracle.points(
            crib, starter, crib=True
        )
        points += oracle.points(table.loc[discard, "keep"].split(), starter)
        points += table.loc[discard, "play_mean"]
        best += table["expected"].max()
    assert (parts["points"], parts["best"]) == pytest.approx((points, best), abs=1e-9)
    assert sum(summary.verdicts.values()) == summary.number == len(throws)
    json.dumps(summary.to_dict(), allow_nan=False)


def test_others_are_valued_on_the_same_hands(throws):
    found, lost = summarize(throws), {"greedy": [], "expert": []}
    for one in throws:
        table = advise(one.problem.held.kept, role=one.problem.role).table
        cribs = published_cribs("schell")[one.problem.role]
        crib = [cribs[tuple(RANKS.index(card[0]) for card in discard.split())]
                for discard in table["discard"]]  # fmt: skip
        by_schell = table["hand_mean"] + crib_sign(one.problem.role) * np.array(crib)
        seen = {"greedy": by_schell, "expert": table["expected"]}
        behind = table["expected"].max() - table["expected"]
        for name, values in seen.items():
            lost[name].append(behind[values.idxmax()])
    assert list(found.others) == ["greedy", "casual", "club", "expert"]
    assert found.others["greedy"] == pytest.approx(np.mean(lost["greedy"]))
    assert found.others["expert"] == pytest.approx(0, abs=0.02)
    assert found.others["expert"] < found.others["club"] < found.others["casual"]


@given(st.lists(st.sampled_from(["dealer", "pone"]), max_size=30))
def test_deal_numbers_ascend_with_dealer_odd(roles):
    numbers = session.deal_numbers(roles)
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


def test_ties_and_near_ties_are_named():
    equal = said_of("AC 4S TD TH JC KC", "pone", "TD KC", theirs="QD KD")
    assert equal[0] == "discarded TD KC: best"
    assert equal[1].startswith("equal to TH KC; 0.")
    lost = said_of("AC 4S TD TH JC KC", "pone", "AC 4S", theirs="QD KD")
    assert lost[1].startswith("best was TH KC or TD KC: ")
    near = said_of("2C 2S 5C 9S TH TS", "pone", "2S 9S", theirs="QD KD")
    assert near[0].startswith("discarded 2S 9S: close, a near-tie, lost 0.0")
    alone = said_of("2C 2S 5C 9S TH TS", "pone", "TH TS", theirs="QD KD")
    assert alone[0].startswith("discarded TH TS: a blunder, lost ")
    assert alone[2].startswith("cut KS, your opponent discarded QD KD: hand 4 - crib 4, luck ")


def test_what_is_not_dealt_cannot_be_thrown():
    with pytest.raises(CardError, match="expected two of AH 2S 3S 9H TD JC"):
        grade_answer(next(discards_of(7)), "5H 5D")
    deal = Deal(Held.parse("TCTDKHKS"), LOW.held, 50, Play.of([36, 40, 37]))
    spot = Problem(deal, "dealer")
    for text in ("2", "2S", "3"):
        with pytest.raises(CardError, match=r"does not fit a count of 30|can be"):
            spot.parse(text)
    with pytest.raises(CardError, match=r"^[A-Z2-9]{2} cannot be played: expected one of"):
        grade_answer(spot, [7])


def test_wins_decide_at_a_score():
    hand = hand_of("2C 2S JS QC QD KD", "pone", "5H", "9H JD", (107, 105))
    table = advise("2C 2S JS QC QD KD", role="pone", score=(107, 105)).table
    best = table.iloc[0]
    thrown = table.set_index("discard").loc["QD KD"]
    found = grade_answer(hand, "QD KD")
    cost, why, luck = map(line_text, (found.decision.cost, found.decision.why, found.luck))
    assert cost == f"discarded QD KD: a blunder, {best['win'] - thrown['win']:.1%} fewer wins"
    more = best["expected"] - thrown["expected"]
    assert why == (
        f"best was {best['discard']}: wins {best['win']:.1%}, and not {thrown['win']:.1%}; "
        f"by points it is worth {abs(more):.2f} {'more' if more > 0 else 'less'}"
    )
    assert luck == "cut 5H, your opponent discarded 9H JD: hand 6 - crib 9"
    found = line_text(grade_answer(hand, best["discard"]).decision.why)
    second = table[table["rank"] > 1].iloc[0]
    more = best["expected"] - second["expected"]
    assert found == (
        f"wins {best['win']:.1%}, {best['win'] - second['win']:.1%} more wins than "
        f"{second['discard']}; by points it is worth {abs(more):.2f} "
        f"{'more' if more > 0 else 'less'}"
    )


PINNED_CARDS = [
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


@pytest.mark.slow
def test_spots_arise_from_well_played_deals(spots):
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


def test_card_cost_matches_advice(spots):
    for spot in spots:
        by_card = {one.card: one.expected for one in advised(spot).choices}
        best = max(by_card.values())
        losses = {card: grade_answer(spot, [card]).decision.loss for card in spot.position.legal}
        for card, lost in losses.items():
            assert lost == pytest.approx(best - by_card[RANKS[card >> 2]], abs=1e-9)
        assert max(losses.values()) >= 0.1
        assert min(losses.values()) == 0
    lays = [grade_answer(spot, spot.position.legal[-1:]) for spot in spots]
    found = summarize(lays)
    assert found.lost == pytest.approx(sum(one.decision.loss for one in lays))
    assert sum(found.verdicts.values()) == len(lays) == len(session.card_table(lays))
    assert 0 <= found.others["expert"] < found.others["club"] < found.others["casual"]
    json.dumps(found.to_dict(), allow_nan=False)


def greedy_card(spot):
    """Find the card that makes most points at once, the highest of equals, by `cribev.peg`."""

    def made(card):
        pegs = peg(f"{spot.deal.play!s} {RANKS[card >> 2]}").steps[-1].pegs
        return sum(one.points for one in pegs if one.kind not in ("go", "last"))

    return max(spot.position.legal, key=lambda card: (made(card), card >> 2))


def test_hard_spots_mislead_greedy_players(spots):
    hard = [*islice(cards_of(5, hard=True), 5)]
    for spot in (*spots, *hard):
        greedy = grade_answer(spot, [greedy_card(spot)])
        assert summarize([greedy]).others["greedy"] == pytest.approx(greedy.decision.loss)
        assert spot not in hard or greedy.decision.loss >= 0.1


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
     (["king"], None, "unknown kind of card 'king'")],
)  # fmt: skip
def test_what_cannot_be_dealt_is_refused(kinds, role, said):
    with pytest.raises(CribevError, match=said):
        cards_of(7, kinds=kinds, role=role)


def test_verdicts_name_better_choice_and_opponent_cards(spots):
    for spot in spots:
        advice = advised(spot)
        for card in spot.position.legal:
            one = grade_answer(spot, [card])
            found = one.decision
            cost, why, luck = map(line_text, (found.cost, found.why, one.luck))
            assert cost.startswith(f"played {format_cards([card])}: ")
            if found.verdict == "best":
                assert " ahead of " in why or why.startswith("equal to ")
            else:
                assert any(f"best was {one.card}" in why for one in advice.choices)
            left = [one for one in spot.opponent_held.kept if one not in spot.deal.play.laid]
            assert luck.endswith(f"{format_cards(left)} left" if left else "no cards left")
            assert one.row["loss"] == pytest.approx(found.loss)


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
