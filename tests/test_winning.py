"""Chances to win: what the opponent shows, who is out first, and playouts that say the same."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import oracle
import pytest
from games import published
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from strategies import hands, relabel, suit_orders
from test_in_sight import ends_of

from cribev import CribevError, advise, evaluate_deals, parse_cards, win_probability
from cribev.advice.names import as_opponent
from cribev.classes.canonical import RANK_PAIRS, classify_deals, rank_pair_numbers
from cribev.classes.class_tables import all_suitings
from cribev.evaluation.exact import exact_values
from cribev.evaluation.plan import FAR_NEED, DealBatch, approximate_values, class_table_values
from cribev.game.cards import JACK, SUITLESS_OFFSET, random_hands, unseen
from cribev.game.deal import Position
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.outcomes import Outcomes
from cribev.game.roles import ROLES
from cribev.game.score import Score, as_score
from cribev.game.scorer import score_hands
from cribev.opponents.opponents import Opponent, Solved, Uniform
from cribev.solution.solution import load, shipped_keep_frequencies, shipped_strategy
from cribev.solution.strategy import GameSize, keep_rank_counts, rank_keep_numbers
from cribev.solution.win_table import WinTable
from cribev.values.counts import deal_outcomes, hand_scores
from cribev.wins.exact import lead_win_chances, pegging_pmf, suitless_win_chances
from cribev.wins.hands import (
    OpponentHands,
    crib_pmf,
    crib_suits,
    suitless_crib_pmf,
    suitless_keep_points,
)
from cribev.wins.in_play import Shown, game_won, shown_by_keep

pytestmark = pytest.mark.arrays

DEAL = "AH 5D 5H 8D JS QC"
PHASES = [Phase.explicit, Phase.reuse, Phase.generate]  # an advice is too slow to be shrunk
scores = st.tuples(st.integers(0, 120), st.integers(0, 120))


@pytest.mark.parametrize("role", ROLES)
def test_the_opponent_keeps_discards_and_shows_as_dealt(role):
    deal, number, rng = parse_cards(DEAL), 200_000, np.random.default_rng(3)
    order = rng.permuted(np.tile(unseen(deal), (number, 1)), axis=1)
    hands, starters = np.sort(order[:, :6], axis=1), order[:, 6]
    of, _ = classify_deals(hands)
    share = as_opponent("expert").discards.keeps(role).share[of]
    best = (rng.random((number, 1)) > share.cumsum(axis=1)[:, :-1]).sum(axis=1)
    points = score_hands(np.take_along_axis(hands, KEEPS[best], axis=1), starters)
    kept = rank_keep_numbers()[of, best]
    discarded = np.take_along_axis(hands, DISCARDS[best], axis=1) >> 2
    faced = OpponentHands(deal, role, as_opponent("expert"))
    every_pair = [(rank, np.eye(91)) for rank in range(13)]
    chance = np.stack(faced.with_cribs(every_pair)).transpose(0, 2, 1)
    assert chance.sum() == pytest.approx(1)
    counts = keep_rank_counts()
    ranks_kept = faced.kept.sum(axis=0) @ counts[faced.keeps]
    assert ranks_kept == pytest.approx(counts[kept].mean(axis=0), abs=0.006)
    pairs = rank_pair_numbers()[discarded[:, 0], discarded[:, 1]]
    often = np.bincount(pairs, minlength=91) / number
    assert chance.sum(axis=(0, 1)) == pytest.approx(often, abs=0.003)
    fives = chance.sum(axis=0).T @ counts[faced.keeps, 4]  # that are kept with a pair discarded
    often = np.bincount(pairs, counts[kept, 4], minlength=91) / number
    assert fives == pytest.approx(often, abs=0.003)
    for rank in (3, 4, 10, 12):
        cut = tuple(unseen(deal)[unseen(deal) >> 2 == rank].tolist())
        row, shown, likely = faced.shown(cut)
        found = np.bincount(shown, faced.kept[rank][row] * likely, 30)
        often = np.bincount(points[starters >> 2 == rank], minlength=30) / number
        assert found == pytest.approx(often, abs=0.002)


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_undecided_points_continue_from_the_table(role):
    """Far from the end the chance is that of the next score, averaged: here a plane of points."""
    outcomes = deal_outcomes(parse_cards(DEAL), role, as_opponent("uniform"))
    own, other = np.ogrid[:121, :121]
    plane = 0.5 + (own - other) / 1000
    planar = load(play=True)._replace(win_table=WinTable(Outcomes.of_nested(plane), 0 * plane, 1))
    win = advise(
        DEAL, role=role, score=(40, 30), opponent=Opponent(Uniform(), Solved(planar))
    ).chances.win
    sign = 1 if role == "pone" else -1
    # Heels, pone's hand and the play of these keeps are the same for all in the difference.
    made = outcomes.hand_mean - sign * outcomes.cribs.mean
    keeps = np.sort(outcomes.deal[KEEPS] >> 2, axis=1).tolist()
    gain = made + [pegging_net(keep, role, outcomes.deal) for keep in keeps]
    assert 1000 * (win - win[0]) == pytest.approx(gain - gain[0], abs=0.02)


def pegging_net(keep, role, deal):
    """Own points less the opponent's of a keep, who keeps any four cards of six."""
    faced = OpponentHands(deal, role, as_opponent("uniform"))
    kept = faced.kept.sum(axis=0)
    strategy = load(play=True).play.strategy
    (pegged,) = pegging_pmf(np.array([keep]), role, faced.keeps, (121, 121), strategy)
    return float(kept[pegged.place] @ (pegged.chance * (pegged.own - pegged.opponent)))


@pytest.mark.slow
@settings(max_examples=1, deadline=None, phases=PHASES)
@given(deal=hands(6), role=st.sampled_from(ROLES), score=scores, suits=suit_orders)
def test_chances_ignore_suit_names(deal, role, score, suits):
    advice, renamed = (advise(six, role=role, score=score) for six in (deal, relabel(deal, suits)))
    now, later, *_ = advice.chances
    assert np.sort(renamed.chances.win) == pytest.approx(np.sort(advice.chances.win), abs=1e-9)
    assert np.min([now, later]) >= 0
    assert (np.sum([now, later], axis=(0, 1)) == 1).all()
    assert (advice.table["win"].diff().dropna() <= 1e-9).all()


def test_wins_at_an_early_score_go_with_points():
    advice = advise(DEAL, role="dealer", score=(0, 0))
    slope, _ = np.polyfit(advice.table["expected"], advice.table["win"], 1)
    assert 0.015 < slope < 0.025  # a point is worth about two percent
    assert np.corrcoef(advice.table["expected"], advice.table["win"])[0, 1] > 0.99
    average = Opponent.of(Solved(load(play=True))).baseline("dealer")
    more = advice.best.win - win_probability(dealer=0, pone=0)
    assert more == pytest.approx(slope * (advice.best.expected - average), abs=0.012)
    assert "\nAlso the best discard by points.\n" in str(advice)


def test_heels_end_the_game_before_pone_plays():
    choice = advise(DEAL, role="pone", score=(120, 119)).options.option("AH 8D")
    keep = np.array([[4, 4, 10, 11]])  # whose show is out, too
    faced = OpponentHands(parse_cards(DEAL), "pone", as_opponent("expert"))
    (pegged,) = pegging_pmf(keep, "pone", faced.keeps, (1, 2), shipped_strategy())
    heels = faced.kept[JACK].sum()
    assert heels == pytest.approx(3 / 46, abs=1e-4)  # the deal holds a jack
    beaten = np.delete(faced.kept, JACK, axis=0).sum(axis=0) @ pegged.beaten
    assert choice.win == pytest.approx(1 - heels - beaten, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("role", "score"), [("dealer", "108-0"), ("pone", "110-0")])
def test_it_says_by_what_you_get_out(role, score):
    advice = advise(DEAL, role=role, score=score)
    ends = advice.explain().to_dict()["ends"]
    parts = ends["out_by"]
    assert sum(parts.values()) == pytest.approx(ends["out"], abs=1e-9)
    assert min(parts.values()) >= 0
    assert ends["beaten_by"] == dict.fromkeys(ends["beaten_by"], 0)
    made = advice.distribution(play=True).loc[0:]
    if role == "dealer":  # a jack cut is two points more, for which the play is shorter
        heels = 3 / 46  # the deal holds a jack
        pegs = made["play_own"][::-1].cumsum()
        assert parts["play"] == pytest.approx((1 - heels) * pegs[13] + heels * pegs[11], abs=0.003)
        assert parts["hand"] > parts["crib"] > 0.01
    else:
        assert "crib" not in parts
        assert parts["play"] == pytest.approx(made["play_own"][11:].sum(), abs=1e-6)


def test_score_changes_answer_and_says_so():
    found = advise("5H 6D JS QC 2H 8D", role="dealer", score="115-118")
    by_points = advise("5H 6D JS QC 2H 8D", role="dealer")
    assert found.best.discard != by_points.best.discard
    at = found.to_dict()["at_the_score"]
    assert at["changes"]
    assert at["by_points"] == by_points.best.discard
    assert "The score changes the answer" in str(found)
    assert "you need 6, the opponent needs 3 and counts first" in str(found)
    assert "win" not in by_points.table
    assert found.compare("2H 8D").to_dict()["choice"]["win"] < found.best.win
    ends = found.explain().to_dict()["ends"]
    for name in ("out", "beaten"):
        assert sum(ends[f"{name}_by"].values()) == pytest.approx(ends[name], abs=1e-9)


def test_scores_are_read_as_recorded():
    for text in ("103-104*", " 103 \u2013 104", "103\u2212104"):
        assert as_score(text, "pone") == (103, 104)
    bad = ["\uff11-2", "103;104", "103-", "*1-2", "95", "95-121", "-1-3", "95-x", "", "95-110-3"]
    for text in (*bad, "9" * 99 + "-1"):
        with pytest.raises(CribevError, match=r"invalid score .*: expected your points"):
            as_score(text)
    for score in ((95, 110.5), (True, False), (95, np.True_)):
        with pytest.raises(CribevError, match=r"invalid score .*: expected your points"):
            advise(DEAL, role="pone", score=score)


# Without suits


@pytest.mark.slow
def test_without_suits_wins_are_the_average_over_suits():
    """The chances of 15 discards with suits, averaged over patterns and over discards alike."""
    role, score = "pone", (112, 114)
    ranks, expert = np.array([4, 4, 4, 10, 10, 10], dtype=np.uint8), as_opponent("expert")
    found = suitless_win_chances(ranks, np.arange(15), role, Score.of(*score, role), expert)
    deals = all_suitings(ranks + np.uint8(SUITLESS_OFFSET))
    _, first, counts = np.unique(classify_deals(deals)[1], return_index=True, return_counts=True)

    def parts(chances):
        """Every chance, ``(15, 15)``: six ways to end now and six later, and three of this deal."""
        return np.array([*chances.now, *chances.later, *chances[2:]])

    chances = sum(
        count * parts(advise(deal, role=role, score=score, opponent=expert).chances)
        for deal, count in zip(deals[first], counts, strict=True)
    )
    alike = (ranks[DISCARDS][:, None] == ranks[DISCARDS]).all(axis=2)
    average = chances @ alike / alike.sum(axis=0) / len(deals)
    assert parts(found) == pytest.approx(average, abs=0.0015)


def test_points_without_suits_are_those_of_all_suits():
    """A keep and a crib of given ranks, over all suits they can have beside all starters."""
    for keep in ([1, 3, 5, 10], [4, 4, 10, 10], [2, 6, 8, 12]):
        suits = all_suitings(np.array(keep, dtype=np.uint8) + np.uint8(SUITLESS_OFFSET))
        for rank in (5, 10, 12):
            every = np.full((len(suits), 4), 4 * rank) + np.arange(4)
            beside = ~(suits[:, :, None] == every[:, None]).any(axis=1)
            points = score_hands(suits[:, None], every.astype(np.uint8))[beside]
            jacks = 0 if rank == 10 else keep.count(10)
            found = np.zeros(30)
            for nobs, share in ((True, jacks / 4), (False, 1 - jacks / 4)):
                for made, chance in suitless_keep_points(np.array(keep), rank, nobs=nobs):
                    found[made] += share * chance
            assert found == pytest.approx(np.bincount(points, minlength=30) / len(points))
    for discarded, pair, rank in (((1, 10), (3, 5), 7), ((0, 4), (10, 12), 8), ((4, 4), (3, 5), 7)):
        four = np.sort([*discarded, *pair]).astype(np.uint8)
        suits = all_suitings(four + np.uint8(SUITLESS_OFFSET))[:, None]
        starters = 4 * rank + np.arange(4, dtype=np.uint8)
        points = score_hands(suits, starters, crib=True).ravel()
        found = suitless_crib_pmf(np.array(discarded), rank, 1 / 4)
        at = int(np.flatnonzero((pair == RANK_PAIRS).all(axis=1))[0])
        assert found[at] == pytest.approx(np.bincount(points, minlength=30) / len(points))


def test_suitless_advice_goes_by_wins():
    advice = advise("5 5 J J J 5", role="pone", score="112-114")
    assert advice.best.discard == "5 5"
    assert advice.table["win"].is_monotonic_decreasing
    assert advice.to_dict()["at_the_score"]["by_points"] == "J J"
    assert "The score changes the answer: " in str(advice)
    with pytest.raises(CribevError, match="leave out one of the two"):
        advise("5 5 J J J 5", role="pone", score="112-114", play=False)


# Leads


@pytest.mark.slow
@pytest.mark.parametrize(("score", "opponent"), [((118, 119), "uniform"), ((112, 117), "expert")])
def test_expert_leads_win_as_often_as_the_discard(score, opponent):
    deal, against = parse_cards("4H 5D 6C 6S JD JS"), as_opponent(opponent)
    advice, expert = advise(deal, role="pone", score=score, opponent=against), shipped_strategy()
    for at in (0, 2):
        leads = lead_win_chances(deal, advice.hand_scores, at, Score(*score), against)
        ranks = np.unique(deal[KEEPS[at]] >> 2)
        assert np.flatnonzero(~np.isnan(leads["win"])).tolist() == ranks.tolist()
        share = expert.choices(expert.root, (deal[KEEPS[at]] >> 2).tolist())[ranks]
        assert share @ leads["win_mean"][ranks] == pytest.approx(advice.chances.win[at], abs=1e-6)
        assert (leads["win"] >= leads["win_mean"] - 1e-9)[ranks].all()
        assert (leads["win"][ranks] <= 1).all()


def test_no_lead_wins_where_heels_end_the_game():
    """Pone needs a point and has eights that win it at the show, if the dealer is not out."""
    deal, against = parse_cards("7D 8C 8D 8H QC KC"), as_opponent("expert")
    asked = (deal, hand_scores(deal), 0)
    win, at_119 = (lead_win_chances(*asked, Score(120, n), against)["win"] for n in (100, 119))
    ranks = [6, 7]
    assert win[ranks] == pytest.approx(1, abs=0.001)
    assert (at_119[ranks] < 1 - 4 / 46 + 1e-9).all()


def test_explanation_puts_winning_lead_first():
    advice = advise("4H 5D 6S 6C JD JS", role="pone", score=(112, 117))
    why = advice.explain()
    leads = why.play.leads
    assert leads["win"].is_monotonic_decreasing
    assert leads["share"] @ leads["win_mean"] == pytest.approx(advice.best.win, abs=1e-6)
    best = leads.iloc[0]
    assert f"Lead {best.lead} (wins {100 * best.win:.1f}%, {best.play_best:+.2f})" in str(why)
    assert f"on average, and win {100 * advice.best.win:.1f}%" in str(why)
    assert why.to_dict()["play"]["leads"][0]["win"] == best.win
    assert "win" not in advise(advice.deal, role="pone").explain().play.leads


MOST = 121 - FAR_NEED


@pytest.mark.slow
def test_expansion_against_people_is_nearly_as_accurate():
    deals, scores = np.sort(random_hands(6, seed=3), axis=1), np.tile([[88, 60], [40, 70]], (3, 1))
    known = np.arange(6) % 3 == 0, as_opponent("people")
    exact = exact_values(deals, *known, scores=scores).discards.win
    off = approximate_values(DealBatch.of(deals, known[0], scores), known[1]).win - exact
    assert np.sqrt(np.mean(off**2)) < 0.001
    assert abs(off).max() < 0.006


def test_expansion_far_from_end_is_accurate():
    number, rng, opponent = 3, np.random.default_rng(3), as_opponent("expert")
    deals = np.sort(random_hands(number, seed=3), axis=1)
    dealer, scores = rng.random(number) < 0.5, rng.integers(0, MOST + 1, (number, 2))
    exact = exact_values(deals, dealer, opponent, scores=scores, workers=1).discards.win
    off = approximate_values(DealBatch.of(deals, dealer, scores), opponent).win - exact
    assert np.sqrt(np.mean(off**2)) < 0.0005
    assert abs(off).max() < 0.003


def test_win_method_is_told_and_points_help():
    deals = np.repeat(np.sort(random_hands(1, seed=5), axis=1), 4, axis=0)
    scores = [[MOST, MOST], [MOST + 1, 10], [-1, -1], [MOST - 1, MOST]]
    found = evaluate_deals(deals, role="pone", score=np.array(scores))
    assert found.win_method.tolist() == ["approximate", "exact", "", "approximate"]
    assert np.isnan(found.win).tolist() == [False, False, True, False]
    assert found.win[3] < found.win[0]
    by_hand = evaluate_deals(deals, role="pone", score=np.array(scores), exact=True)
    assert by_hand.win_method.tolist() == ["exact", "exact", "", "exact"]
    assert found.win[1] == by_hand.win[1]
    assert found.win[[0, 3]] == pytest.approx(by_hand.win[[0, 3]], abs=0.003)
    batch = DealBatch.of(deals, np.zeros(4, bool))
    plain = class_table_values(batch, as_opponent("expert"), best=True)
    assert found.expected[2] == plain.expected[2]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["win_playouts", "win_playouts_2"])
def test_a_discard_wins_as_often_as_in_playouts(data, name):
    rows = published(data / f"{name}.csv")
    assert len(rows) == 80
    shipped = load(play=True)
    with np.load(data / f"{name}.npz") as stored:  # the win table that they were made with
        outcomes = Outcomes.of_nested(stored["win"].astype(np.float64))
    table = shipped.win_table._replace(outcomes=outcomes)
    expert = Solved(shipped._replace(win_table=table))
    apart = {}
    for of_deal in [*zip(rows[::2], rows[1::2], strict=True)][::2]:
        deal, role = (of_deal[0][name] for name in ("deal", "role"))
        score = tuple(int(of_deal[0][name]) for name in ("score", "opponent_score"))
        table = advise(deal, role=role, score=score, opponent=expert).table
        win = table.set_index("discard")["win"]
        for row in of_deal:
            assert float(row["error"]) <= 0.0005
            apart[deal, row["discard"]] = abs(win[row["discard"]] - float(row["win"]))
    assert max(apart.values()) < 0.003
    assert np.sqrt(np.mean(np.square([*apart.values()]))) < 0.0008


# What is shown after the play

KNOWN = [
    ("5H 5D JS QC", "2H 8D", "5S"),
    ("4H 5H 6H KH", "9S TS", "7S"),
    ("AC 2D 3H 4C", "JS 5S", "8S"),
    ("AC 2D 3H 4C", "JS 5H", "JC"),
    ("9C 9D JH JC", "KS QS", "AS"),
]


def suits_of(ranks, left):
    """All cards of these ranks that are left, as texts."""
    ranks = Counter(ranks)
    parts = [
        combinations([card for card in left if card[0] == rank], many)
        for rank, many in ranks.items()
    ]
    return [sum(cards, ()) for cards in product(*parts)]


@pytest.mark.parametrize("texts", KNOWN)
def test_hands_and_cribs_by_every_suit_left(texts):
    hand, discard, starter = texts
    known = np.concatenate([*map(parse_cards, texts)])
    position = Position.read(hand, role="pone", discard=discard, starter=starter)
    left = [card for card in oracle.DECK if card not in " ".join(texts).split()]
    shown = shown_by_keep(position, shipped_keep_frequencies("dealer"))
    assert shown.own == oracle.points(hand.split(), starter)
    rng, holdings = np.random.default_rng(1), GameSize().holdings(4)
    pairs = np.flatnonzero((np.diff(holdings, axis=1) == 0).any(axis=1))  # never of one suit
    for at in [*rng.choice(pairs, 40), 1539]:
        keeps = suits_of([oracle.RANKS[rank] for rank in holdings[at]], left)
        if keeps and len(set(holdings[at])) < 4:
            found = np.bincount([oracle.points(keep, starter) for keep in keeps], minlength=30)
            assert shown.opponent[at] == pytest.approx(found / len(keeps))
    by_rank = np.ones(52, dtype=bool)
    by_rank[known] = False
    suits = crib_suits(by_rank.reshape(13, 4), known[None, 4:6], int(known[6]))
    (cribs,) = crib_pmf(known[None, 4:6], known[6:] >> 2, suits)
    for row, chances in zip(RANK_PAIRS, cribs, strict=True):
        discarded = suits_of([oracle.RANKS[rank] for rank in row], left)
        if discarded:
            points = [
                oracle.points([*discard.split(), *pair], starter, crib=True) for pair in discarded
            ]
            assert chances == pytest.approx(np.bincount(points, minlength=30) / len(discarded))


@pytest.mark.parametrize("role", ROLES)
def test_who_wins_after_the_play(role):
    rng = np.random.default_rng(3)
    chances = rng.random((6, 121, 121))
    table = WinTable(Outcomes(*chances / chances.sum(axis=0)), np.zeros((121, 121)), 1)
    hand, crib = rng.random((2, 1820, 30)) * (rng.random((2, 1820, 30)) < 0.2)
    hand[:, 4] += 0.1
    crib[:, 7] += 0.1
    hand, crib = (part / part.sum(axis=1, keepdims=True) for part in (hand, crib))
    shown = Shown(11, hand, crib)
    for score in ((80, 94), (103, 104), (120, 117), (85, 110), (118, 58), (56, 117)):
        keeps = rng.choice(1820, 5, replace=False)
        end = game_won(role, Score.of(*score, role), [(1.0, shown)], keeps, table)
        for keep in keeps:
            own, opponent = (int(rng.integers(0, min(20, 121 - points))) for points in score)
            expected = np.zeros(6)
            for (h, in_hand), (c, in_crib) in product(enumerate(hand[keep]), enumerate(crib[keep])):
                counts = [(0, own), (1, opponent), (0, 11), (1, h), (1, c)]
                if role == "dealer":
                    counts[2:] = [(1, h), (0, 11), (0, c)]
                expected += in_hand * in_crib * ends_of(score, counts, role, table)
            found = end._later[:, end._rows[keep], own, opponent]
            assert found == pytest.approx(
                expected if min(score) < 91 else [Outcomes(*expected).win]
            )
