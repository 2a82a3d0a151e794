import json
import re
from itertools import combinations

import numpy as np
import oracle
import pandas as pd
import pytest
from hypothesis import given, settings
from strategies import crowded_hands, hands, relabel, suit_orders

from cribev import CardError, TableError, advise, explain, format_cards, parse_cards, random_hands
from cribev.classes.ranking import NEAR_TIE, TIE_TOLERANCE
from cribev.game.cards import rank_of
from cribev.game.index_tables import UNSEEN_PAIRS
from cribev.game.roles import ROLES, crib_sign
from cribev.rows.pairs import published_cribs
from cribev.values.counts import crib_outcomes

pytestmark = pytest.mark.arrays

HAND = "5H 5D JS QC 2H 8D"
COLUMNS = [
    *("rank", "discard", "keep", "hand_mean", "hand_min", "hand_max", "hand_sd"),
    *("crib_mean", "crib_min", "crib_max", "crib_sd", "play_own", "play_opponent", "play_mean"),
    "expected",
]
EXAMPLE = "AH 2C 7D 9S JH QC"  # eleven starters are of the jack's suit


def summary(points):
    return pytest.approx((np.mean(points), np.std(points), min(points), max(points)), abs=1e-12)


def test_hands_and_cribs_by_brute_force():
    deal = format_cards(random_hands(1, seed=21)[0]).split()
    advice, rest = advise(deal, role="dealer", opponent="uniform"), oracle.rest(deal)
    for choice in advice.choices:
        points = [oracle.points(choice.keep.split(), starter) for starter in rest]
        hand = choice.hand_mean, choice.hand_sd, choice.hand_min, choice.hand_max
        assert hand == summary(points)
    choice = advice.choices[2]
    points = [
        oracle.points([*choice.discard.split(), *pair], starter, crib=True)
        for pair in combinations(rest, 2)
        for starter in rest
        if starter not in pair
    ]
    crib = choice.crib_mean, choice.crib_sd, choice.crib_min, choice.crib_max
    assert crib == summary(points)


def test_published_worked_examples():
    # cribbageforum.com, "How to analyze discards": hands, and hands and cribs by four tables.
    tables = ("hessel", "colvert", "rasmussen", "schell")
    worth = {"7D 9S": (2.85, 6.91, 6.85, 6.91, 6.89), "JH QC": (2.39, 7.29, 7.09, 7.22, 7.20)}
    options = advise(EXAMPLE, role="dealer", opponent="uniform", play=False).options
    for discard, (hand, *wholes) in worth.items():
        choice = options.option(discard)
        assert choice.hand_mean == pytest.approx(hand, abs=0.005)
        for table, whole in zip(tables, wholes, strict=True):
            crib = published_cribs(table)["dealer"][tuple(rank_of(card) for card in choice.cards)]
            assert choice.hand_mean + crib == pytest.approx(whole, abs=0.01)


@settings(max_examples=3)
@given(hands(6))
def test_the_table_and_the_distributions_hold_together(deal):
    for role in ROLES:
        advice = advise(deal, role=role)
        table = advice.table
        assert list(table.columns) == COLUMNS
        assert len(table) == 15
        shown = table["hand_mean"] + crib_sign(role) * table["crib_mean"]
        np.testing.assert_allclose(table["expected"], shown + table["play_mean"], rtol=0, atol=1e-9)
        assert (table["play_mean"] == table["play_own"] - table["play_opponent"]).all()
        assert (table["expected"].diff().dropna() <= TIE_TOLERANCE).all()
        for part in ("hand", "crib"):
            assert table[f"{part}_mean"].between(table[f"{part}_min"], table[f"{part}_max"]).all()
        for choice in advice.choices:
            cards = f"{choice.discard} {choice.keep}".split()
            assert sorted(cards) == sorted(format_cards(deal).split())
        for choice in (advice.choices[0], advice.choices[9]):
            chances = advice.distribution(choice.discard)
            assert chances.sum().to_numpy() == pytest.approx(1)
            means = chances.mul(chances.index.to_numpy(), axis=0).sum()
            assert means["hand"] == pytest.approx(choice.hand_mean)
            assert means["crib"] == pytest.approx(choice.crib_mean)
            assert means["total"] + choice.play_mean == pytest.approx(choice.expected)
            assert chances.index[chances["hand"] > 0].min() == choice.hand_min
            assert chances.index[chances["crib"] > 0].max() == choice.crib_max
            starters = advice.by_starter(choice.discard)
            assert starters["expected"].mean() == pytest.approx(choice.expected)
            assert starters["gain"].sum() == pytest.approx(0, abs=1e-9)


def test_outcomes_aggregate_to_the_table():
    advice = advise("5S 6S 7S JS JD 2C", role="pone")
    outcomes = advice.outcomes
    assert outcomes["discard"].unique().tolist() == advice.table["discard"].tolist()
    for row in outcomes.iloc[[40, 299, 650]].itertuples():
        kept, discarded = row.keep.split(), row.discard.split()
        others = [card for card in oracle.rest([*kept, *discarded]) if card != row.starter]
        cribs = [
            oracle.points([*discarded, *two], row.starter, crib=True)
            for two in combinations(others, 2)
        ]
        assert row.hand == oracle.points(kept, row.starter)
        assert (row.crib_min, row.crib_max) == (min(cribs), max(cribs))
        starters = advice.by_starter(row.discard).set_index("starter")
        assert row.crib_mean == starters["crib_mean"][row.starter]
    table = advice.table.set_index("discard")
    of_discards = outcomes.groupby("discard", sort=False)
    for part, names in (("hand", ["hand"] * 3), ("crib", ["crib_mean", "crib_min", "crib_max"])):
        for name, how in zip(names, ("mean", "min", "max"), strict=True):
            figures = of_discards[name].agg(how)
            np.testing.assert_allclose(figures, table[f"{part}_{how}"], atol=1e-9)


def test_explanation_lists_best_starters_and_likely_leads():
    advice = advise("AC 4D 7H 9S JC KD", role="pone")
    starters = advice.by_starter()
    alike = starters.assign(rank=starters["starter"].str[0]).round({"crib_mean": 2})
    gains = alike.groupby(["rank", "hand", "crib_mean"])["gain"].mean()
    assert (gains > 0).sum() > 5
    why = advice.explain()
    text = str(why)
    told = re.findall(r"([+-]\d+\.\d\d)$", text.partition("help most")[2], re.MULTILINE)
    assert told == [f"{gain:+.2f}" for gain in gains.nlargest(5)]
    leads = why.play.leads
    often = dict(zip(leads["lead"], leads["share"].map("{:.0%}".format), strict=True))
    assert "1%" in often.values()
    (line,) = re.findall("^Experts lead .*", text, re.MULTILINE)
    shares = {lead: share for lead, share in often.items() if share != "0%"}
    assert dict(re.findall(r"(\S+) (\d+%)", line)) == shares
    (best_first,) = re.findall("^Lead .*", text, re.MULTILINE)
    worth = dict(re.findall(r"(\S+) \(([-+.\d]+)\)", best_first))
    assert list(worth) == leads["lead"].tolist()
    assert sorted(worth.values(), key=float, reverse=True) == list(worth.values())
    assert line.endswith(f"{advice.best.play_mean:+.2f} on average")  # the only number of points


@settings(max_examples=10)
@given(crowded_hands(6), suit_orders)
def test_suits_and_order_do_not_matter(deal, suits):
    advice = advise(deal, role="dealer", opponent="uniform")
    again = advise(deal[::-1], role="dealer", opponent="uniform")
    assert (again.table == advice.table).all(axis=None)
    renamed = advise(relabel(deal, suits), role="dealer", opponent="uniform")
    numbers = [name for name in COLUMNS if name not in ("discard", "keep")]
    # Equal rows may change places among themselves.
    order = ["rank", "hand_mean", "hand_sd", "crib_sd", "crib_max"]
    pd.testing.assert_frame_equal(
        renamed.table[numbers].round(9).sort_values(order, ignore_index=True),
        advice.table[numbers].round(9).sort_values(order, ignore_index=True),
    )


@pytest.mark.parametrize(("hand", "role"), [(HAND, "dealer"), ("2C 4C 6C 8C TC QC", "pone")])
def test_distribution_of_pegging_matches_means(hand, role):
    advice = advise(hand, role=role)
    for choice in (advice.choices[0], advice.choices[9]):
        chances = advice.distribution(choice.discard, play=True)
        plain = advice.distribution(choice.discard)
        assert chances.loc[plain.index, plain.columns].equals(plain)
        assert chances.sum().to_numpy() == pytest.approx(1)
        means = chances.mul(chances.index.to_numpy(), axis=0).sum()
        for name in ("play_own", "play_opponent"):
            assert means[name] == pytest.approx(getattr(choice, name), abs=0.03)
        assert means["play"] == pytest.approx(means["play_own"] - means["play_opponent"])
        assert means["with_play"] - means["play"] == pytest.approx(means["total"], abs=0.01)
        assert means["with_play"] == pytest.approx(choice.expected, abs=0.03)
        # Not independent, but nearly: who holds good cards makes and pegs more.
        deviation = (chances.mul(chances.index.to_numpy() ** 2, axis=0).sum() - means**2) ** 0.5
        apart = (deviation["total"] ** 2 + deviation["play"] ** 2) ** 0.5
        assert deviation["with_play"] == pytest.approx(apart, rel=0.1)
    with pytest.raises(TableError, match="nothing is known of the play"):
        advise(hand, role=role, play=False).distribution(play=True)


def test_total_distribution_shares_one_starter():
    advice = advise(HAND, role="pone", opponent="uniform")
    outcomes = crib_outcomes(advice.deal)
    at = advice.options.index("2H 8D")
    totals = advice.hand_scores[at].astype(int)[:, None] - outcomes[at].astype(int)
    points, counts = np.unique(totals, return_counts=True)
    chances = advice.distribution("2H 8D")["total"]
    assert chances[chances > 0].index.tolist() == points.tolist()
    assert chances[chances > 0].to_numpy() == pytest.approx(counts / counts.sum())
    assert len(UNSEEN_PAIRS) * 44 == outcomes[at].size


def test_equal_discards_share_rank_and_mark_near_ties():
    for deal in ("5H 5D 5C 5S JH JD", "6C 6D TC TD JH JS", "AC AD 4C 4D 9C 9D"):
        advice = advise(deal, role="dealer")
        for _, equal in advice.table.groupby("rank"):
            assert np.ptp(equal["expected"]) <= TIE_TOLERANCE
            keeps = [parse_cards(keep).tolist() for keep in equal["keep"]]
            assert keeps == sorted(keeps)
        assert (advice.table["rank"].value_counts() > 1).any()
        assert "= equal" in str(advice)
        by_ranks = advice.table["discard"].str.replace("[CDHS]", "", regex=True)
        for _, alike in advice.table.groupby(by_ranks):
            if len({*alike["hand_sd"]}) == len({*alike["crib_sd"].round(3)}) == 1:
                assert len({*alike["rank"]}) == 1
    close = next(
        advice
        for deal in random_hands(200, seed=1)
        if TIE_TOLERANCE
        < -np.diff((advice := advise(deal, role="dealer")).table["expected"])[0]
        < NEAR_TIE
    )
    assert "2~" in str(close)
    assert f"~ within {NEAR_TIE} of the best" in str(close)


@pytest.mark.parametrize("role", ROLES)
def test_comparison_is_difference_of_both_sides(role):
    advice = advise(EXAMPLE, role=role, opponent="uniform")
    comparison = advice.compare("9S 7D")
    assert (comparison.choice.discard, comparison.other) == ("7D 9S", advice.best)
    gain = comparison.choice.expected - comparison.other.expected
    gains = comparison.starters["gain"]
    assert gains.mean() == pytest.approx(gain)
    assert gains.is_monotonic_decreasing
    mine, best = (advice.by_starter(discard).set_index("starter") for discard in ("7D 9S", None))
    order = comparison.starters["starter"]
    assert (comparison.starters["expected"].to_numpy() == mine["expected"][order].to_numpy()).all()
    assert (comparison.starters["other_hand"].to_numpy() == best["hand"][order].to_numpy()).all()
    points = comparison.distribution.index.to_numpy()
    for side, total in ((comparison.choice, "total"), (comparison.other, "other_total")):
        shown = points @ comparison.distribution[total]
        assert shown + side.play_mean == pytest.approx(side.expected)
    worse = f"7D 9S is {-gain:.2f} worse than {advice.best.discard}, the best discard\n"
    assert worse in str(comparison)
    assert f"ahead after {(gains > 0).sum()} of the 46 starters, most after " in str(comparison)
    assert advice.compare(advice.best.discard).other == advice.choices[1]
    with pytest.raises(CardError, match="not two of the cards dealt"):
        advice.compare("7D 9C")
    json.dumps(comparison.to_dict(), allow_nan=False)


def test_explain_versus_draws_the_distribution_of_both():
    advice = advise(EXAMPLE, role="pone", opponent="uniform")
    why = advice.explain(versus="7D 9S")
    assert "Rather than 7D 9S: " in str(why)
    text, with_play = str(why.chart()).split("\n\nHand minus crib plus play\n")
    assert with_play.startswith(f"{advice.best.discard}: you peg at least 1: ")
    lines = text.splitlines()
    at, head = next((at, line) for at, line in enumerate(lines) if line.startswith("points"))
    heads = f"points chance at least {advice.best.discard} chance at least 7D 9S"
    assert head.split() == heads.split()
    *_, theirs = (word for word in lines[at + 1].split() if "#" not in word)
    assert float(theirs.rstrip("%")) == pytest.approx(100, abs=0.3)
    found = why.to_dict()["rival_distribution"]["total"]
    assert sum(found.values()) == pytest.approx(1)


def test_its_repr_says_how_to_get_it():
    for opponent, play in (("expert", True), ("uniform", False)):
        advice = advise(HAND, role="pone", opponent=opponent, play=play)
        assert str(eval(repr(advice), {"advise": advise})) == str(advice)
    for show in (advice.locked_in(), explain("5H 6H 7H 8H", "9S", crib=True)):
        assert eval(repr(show), {"explain": explain}) == show


def test_distribution_of_other_cards_is_refused():
    advice = advise(HAND, role="dealer", opponent="uniform")
    for bad in ("5H 5S", "5H", "nonsense", [1, 2], [1.5, 2], [None, 1], [3]):
        with pytest.raises(CardError):
            advice.distribution(bad)
