"""Which card to play now: what is asked and answered, and the values against the solution."""

import json
import re
from dataclasses import replace
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import relabel, suit_orders
from test_best_reply import play_into

from cribev import advise_play
from cribev.classes.canonical import class_counts
from cribev.game.cards import RANKS, format_card
from cribev.game.deal import Position
from cribev.game.outcomes import SCORED_COLUMNS
from cribev.game.roles import ROLES, opposite_role
from cribev.solution.solution import shipped_keep_frequencies, shipped_strategy
from cribev.solution.solved_play import POINT_BINS
from cribev.solution.strategy import RANK_KEEPS, GameSize, rank_keep_numbers
from cribev.tables.play_values import play_of
from cribev.values.holdings import Belief, believe, kept_by_chance, reply_chances
from cribev.values.pegging import PlayTree
from cribev.wins.exact import pegging_pmf
from cribev.wins.orders import PegChances

pytestmark = pytest.mark.arrays

KNOWN = {"discard": "9C KD", "starter": "7H"}
COLUMNS = ["rank", "card", "expected", "own", "opponent", "behind", "share"]
POSITIONS = [
    ("4H 5C JD JS", "pone", ""),
    ("4H 5C JD JS", "pone", "J 5"),
    ("4H 5C JD JS", "dealer", "7"),
    ("4H 5C JD JS", "dealer", "Q J 3"),
    ("4H 5C JD JS", "pone", "J 5 J 2 4 / 3"),
    ("4H 5C JD JS", "pone", "J 6 J 2 go 3 4 T"),
]


@pytest.mark.parametrize(
    ("hand", "role", "played", "opponent"),
    [
        (*position, opponent)
        for position, opponent in zip(POSITIONS, ["expert", "greedy", "uniform"] * 2, strict=True)
    ],
)
def test_a_table_of_cards(hand, role, played, opponent):
    advice = advise_play(hand, role=role, played=played, opponent=opponent, **KNOWN)
    table = advice.table
    assert table.columns.tolist() == COLUMNS
    assert sorted(table["card"]) == sorted(RANKS[r] for r in advice.position.legal_ranks)
    assert (table["expected"] == table["own"] - table["opponent"]).all()
    assert table["expected"].is_monotonic_decreasing
    behind = table["expected"].iloc[0] - table["expected"]
    assert table["behind"].to_numpy() == pytest.approx(behind, abs=1e-9)
    assert table["share"].sum() == pytest.approx(1)
    assert advice.best == advice.choices[0]
    assert (advice.best.rank, advice.best.behind) == (1, 0)
    verb = "Play" if advice.position.play.on_table else "Lead"
    assert str(advice).startswith(f"{verb} the {advice.best.card}")
    assert f": {advice.best.expected:+.2f} from here" in str(advice)
    again = eval(repr(advice), {"advise_play": advise_play})
    pd.testing.assert_frame_equal(again.table, table)


def test_json_and_reprs_of_play_advice():
    found = advise_play("4H 5C JD JS", role="pone", played="J 5", **KNOWN).to_dict()
    assert json.loads(json.dumps(found)) == found
    known = ["position", "hand", "role", "discard", "starter", "played", "count", "opponent"]
    assert list(found) == [*known, "cards"]
    assert (found["hand"], found["played"]) == (["4H", "5C", "JD", "JS"], ["J", "5"])
    assert (found["discard"], found["starter"], found["count"]) == (["9C", "KD"], "7H", 15)
    assert list(found["cards"][0]) == [*COLUMNS, "verdict", "mark"]
    for opponent in ("expert", "greedy", "uniform"):
        advice = advise_play("4H 5C JD JS", role="pone", played="J 5", opponent=opponent)
        for part in (advice.belief, advice.frequencies, advice.strategy):
            assert re.fullmatch(r"<[A-Z]\w+[ :].{3,70}>", repr(part))
    assert repr(advice.belief).startswith("<Belief: 3 cards left, ")


def test_explanation_ranges_over_cards_left():
    held = advise_play("4H 5C JD JS", role="pone", played="J 5 J 2", **KNOWN).range
    assert held.explained
    assert held.holdings["chance"].sum() == pytest.approx(1)
    assert held.holdings["chance"].is_monotonic_decreasing
    assert all(len(cards.split()) == 2 for cards in held.holdings["cards"])
    chances = held.ranks.set_index("card")
    for card, row in chances.iterrows():
        some = held.holdings["cards"].str.contains(card)
        assert held.holdings["chance"][some].sum() == pytest.approx(row["chance"])
    assert chances["expected"].sum() == pytest.approx(2)
    # The dealer who did not pair the jack nor make 31 has hardly a five left.
    assert chances["chance"]["5"] < 0.05


many, few = st.integers(0, 9), st.integers(1, 4)


@given(st.permutations(range(52)), st.sampled_from(ROLES), many, few, suit_orders)
@settings(max_examples=15, deadline=None)
def test_neither_suits_nor_the_order_of_cards_matter(deck, role, pick, most, order):
    deck = np.array(deck, dtype=np.uint8)
    own = deck[:4] if role == "pone" else deck[4:8]
    played = play_into(deck, role, [pick] * 24, most)
    if played is None:
        return
    known = [deck[8:10], int(deck[10])]
    found = advise_play(own, role=role, played=played, discard=known[0], starter=known[1])
    same = advise_play(
        relabel(own, order)[::-1], role=role, played=played,
        discard=relabel(known[0], order)[::-1], starter=int(relabel(deck[10:11], order)[0]),
    )  # fmt: skip
    pd.testing.assert_frame_equal(found.table, same.table)
    # Less is known: more is possible, and the range stays a range.
    assert len(advise_play(own, role=role, played=played).range.holdings) >= len(
        found.range.holdings
    )


def test_greedy_is_trapped_and_leader_wins():
    # From 4-4-x-x: a greedy dealer pairs the four, and loses six to the third.
    greedy = advise_play("4 4 9 Q", role="pone", opponent="greedy").table.set_index("card")
    expert = advise_play("4 4 9 Q", role="pone").table.set_index("card")
    assert greedy["expected"]["4"] > expert["expected"]["4"]
    # The dealer needs one, and pegs it with a pair or the last card at the latest.
    won = advise_play("4H 5C JD JS", role="dealer", played="J", score="120-30", **KNOWN)
    assert won.best.win == pytest.approx(1)
    lost = advise_play("4H 5C JD JS", role="pone", played="", score="20-120", **KNOWN)
    assert lost.best.win == pytest.approx(0, abs=0.01)


def test_the_score_ranks_by_wins():
    advice = advise_play("4H 5C JD JS", role="pone", score="103-104", **KNOWN)
    assert list(advice.table.columns)[-7:] == list(SCORED_COLUMNS)
    assert advice.table["win"].is_monotonic_decreasing
    assert advice.table["win"].between(0, 1).all()
    assert advice.to_dict()["score"] == [103, 104]
    assert f"wins {advice.best.win:.1%}" in str(advice)
    again = eval(repr(advice), {"advise_play": advise_play})
    pd.testing.assert_frame_equal(again.table, advice.table)
    plain = advise_play("4H 5C JD JS", role="pone", **KNOWN).table.set_index("card")
    points = advice.table.set_index("card")["expected"]
    assert points[plain.index].to_numpy() == pytest.approx(plain["expected"].to_numpy())


def average_belief(role, keep):
    """What the opponent keeps, over all deals of which a role keeps these ranks."""
    frequencies = play_of().keep_frequencies
    weights = np.where(rank_keep_numbers() == keep, frequencies[role].share, 0).sum(axis=1)
    deals = np.array([comb(4, number) for number in range(5)])[class_counts()].prod(axis=1)
    belief = np.zeros(RANK_KEEPS)
    for number in np.flatnonzero(weights):
        seen = class_counts()[number]
        kept = kept_by_chance(seen, frequencies[opposite_role(role)])
        belief += weights[number] * deals[number] * kept
    return belief / belief.sum()


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_expert_leads_match_shipped_averages(role):
    # Weighted by the expert's own mix, over what the player may know.
    keeps, expert = play_of().statistics[role], shipped_strategy()
    rng, holdings = np.random.default_rng(4), GameSize().holdings(4)
    for keep in rng.choice(RANK_KEEPS, 4, replace=False, p=keeps.share / keeps.share.sum()):
        belief = Belief(4, average_belief(role, keep), 0, True)
        hand = holdings[keep].tolist()
        own = PlayTree([], role, hand, belief, opponent=expert, own=expert).value
        shipped = keeps.own[keep], keeps.opponent[keep]
        assert own == pytest.approx(shipped, abs=0.005)
        best = PlayTree([], role, hand, belief, opponent=expert)
        assert -1e-9 <= (best.value - own) @ [1, -1] < 0.01
        if role == "pone":
            share = expert.choices(expert.node([]), hand)[best.ranks]
            mixed = share @ best.worth
            assert mixed @ [1, -1] == pytest.approx(own @ [1, -1], abs=0.01)


@pytest.mark.parametrize(("hand", "role", "played"), POSITIONS)
def test_a_distribution_has_the_averages(hand, role, played):
    advice = advise_play(hand, role=role, played=played)
    made = advice.distribution()
    for pmf, column in ((made.own, "own"), (made.opponent, "opponent")):
        assert pmf.sum(axis=1) == pytest.approx(1)
        assert pmf @ np.arange(POINT_BINS) == pytest.approx(advice.table[column].to_numpy())
    never = made.own[:, 0], made.opponent[:, 0]
    assert (made.first <= 1 - never[0] + 1e-9).all()
    assert (1 - made.first <= 1 - never[1] + 1e-9).all()


@pytest.mark.parametrize("role", ROLES)
def test_first_peg_matches_a_short_play(role):
    """A play to one point ends with the first; one that nobody ends has all of them."""
    strategy, keep = shipped_strategy(), np.array([[1, 4, 4, 8]])
    chance = kept_by_chance(np.bincount(keep[0], minlength=13), shipped_keep_frequencies(role))
    chance /= chance.sum()
    known = {"opponent": strategy, "own": strategy, "end": PegChances()}
    value = PlayTree([], role, keep, Belief(4, chance, 0, explained=True), **known).value
    keeps = np.flatnonzero(chance)
    (first,) = pegging_pmf(keep, role, keeps, (1, 1), strategy)
    assert value[2] == pytest.approx(first.out @ chance[keeps])
    (whole,) = pegging_pmf(keep, role, keeps, (POINT_BINS, POINT_BINS), strategy)
    pmfs = value[3:].reshape(2, POINT_BINS)
    for pmf, points in zip(pmfs, (whole.own, whole.opponent), strict=True):
        weights = whole.chance * chance[keeps][whole.place]
        assert pmf == pytest.approx(np.bincount(points, weights, POINT_BINS))


@pytest.mark.slow
def test_chances_without_a_starter_average_over_starters():
    text = "dealer:4H5H6D6S/QCKD:{}:8@119-115"
    asked = Position.parse(text.format("-"))
    by_cut = {}
    for cut in {*range(52)} - {*asked.held.dealt}:
        if (name := format_card(cut))[0] != "J":  # heels would have won before this card
            advice = advise_play(text.format(name))
            *before, rank = advice.position.play.history
            start = replace(advice.position, play=advice.position.play.before(len(before)))
            held = believe(start, advice.frequencies, advice.strategy)
            often = reply_chances(before, held, advice.strategy)[rank]
            by_cut[cut] = often, advice.options.win
    weights, wins = zip(*by_cut.values(), strict=True)
    found, points = advise_play(asked).options, advise_play(replace(asked, score=None)).options
    # Which suit is cut is not seen with a rank: who saw it would now and then play better.
    gain = np.average(wins, axis=0, weights=weights) - found.win
    assert -1e-6 < gain.min() <= gain.max() < 3e-3
    assert found.expected.tolist() == points.expected.tolist()
