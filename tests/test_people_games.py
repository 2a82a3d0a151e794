"""Games against fallible opponents: what they keep and lead, and how likely you win."""

import numpy as np
import pytest
from games import published
from shell import good, printed, refused

from benchmarks.people import near_the_end
from benchmarks.win_playouts import situations
from cribev import advise, par
from cribev.advice.levels import choice_chances
from cribev.advice.names import OPPONENTS, as_opponent
from cribev.classes.canonical import (
    CLASSES,
    RANK_PAIRS,
    classify_deals,
    deals_of_classes,
    discard_rank_pairs,
    rank_pair_numbers,
)
from cribev.classes.class_tables import ClassTables, suit_averaged_values
from cribev.evaluation.by_habits import read_win_table
from cribev.game.cards import RANKS, random_hands
from cribev.game.index_tables import KEEPS
from cribev.game.roles import ROLES, opposite_role
from cribev.opponents.habits import PEOPLE
from cribev.opponents.people import HabitsDiscards
from cribev.solution.solution import load
from cribev.solution.strategy import GameSize, rank_keep_numbers

FLUSHES_KEPT = {"dealer": 0.030, "pone": 0.033}
"""How often people keep four cards of a suit: Cribbage Pro blog, 2012."""


@pytest.mark.parametrize("role", ROLES)
def test_people_keep_flushes_as_published(role):
    keeps = as_opponent("people").discards.keeps(opposite_role(role))
    share = deals_of_classes() @ keeps.flush.sum(axis=1) / deals_of_classes().sum()
    assert share == pytest.approx(FLUSHES_KEPT[role], abs=0.002)
    assert keeps.share.sum(axis=1) == pytest.approx(1)
    assert (keeps.flush <= keeps.share + 1e-12).all()
    # Deals one by one, at random.
    deals = np.sort(random_hands(50_000, seed=5), axis=1)
    chances = HabitsDiscards(PEOPLE, role).chances(*classify_deals(deals))
    suits = (deals & 3)[:, KEEPS]
    often = (chances * (suits == suits[..., :1]).all(axis=2)).sum(axis=1)
    assert often.mean() == pytest.approx(share, abs=4 * often.std() / len(deals) ** 0.5)


@pytest.mark.parametrize("role", ROLES)
def test_discards_by_habits_are_a_softmax_of_what_they_see(role):
    """They see what `advise` says of deals without jacks and equal ranks."""
    discards, share = HabitsDiscards(PEOPLE, role), 1 if role == "dealer" else -PEOPLE.feared
    for text in ("2H 4H 6H 8H TC KS", "3H 4H 5H 9H QH KD", "AC 4D 6H 7S 8C TD"):
        advice = advise(text, role=role)
        deal = np.sort(advice.position.held.dealt)
        options, places, seen = advice.options, [], []
        for keep in range(15):
            discard = tuple(sorted(set(deal.tolist()) - set(deal[KEEPS[keep]].tolist())))
            places.append(options.index(discard))
            hand = options.columns["hand_mean"][places[-1]]
            if len({card & 3 for card in deal[KEEPS[keep]].tolist()}) == 1:
                held = sum(card & 3 == deal[KEEPS[keep]][0] & 3 for card in deal.tolist())
                hand -= (1 - PEOPLE.flush) * (4 + (13 - held) / 46)
            crib, play = (options.columns[name][places[-1]] for name in ("crib_mean", "play_mean"))
            seen.append(hand + share * PEOPLE.crib * crib + PEOPLE.play * play)
        weights = np.exp(np.array(seen) / PEOPLE.discards)
        found = discards.chances(*classify_deals(deal[None].astype(np.uint8)))[0]
        assert found == pytest.approx(weights / weights.sum(), abs=0.03)  # crib suits are averaged
        told = choice_chances("people", options)
        assert told[places] == pytest.approx(weights / weights.sum())


def test_dealers_cribs_among_people_are_as_published(data):
    """Every third pair was held out of the fit of their discards."""
    tables = ClassTables(as_opponent("people").crib_averages("dealer"), "dealer")
    crib = np.nan_to_num(suit_averaged_values(tables, np.arange(CLASSES)).crib)
    often = as_opponent("people").discards.keeps("pone").share * deals_of_classes()[:, None]
    discarded = rank_pair_numbers()[tuple(RANK_PAIRS[discard_rank_pairs()].transpose(2, 0, 1))]
    off = []
    for row in published(data / "cribs_by_pair.csv"):
        ranks = tuple(RANKS.index(row[name]) for name in ("rank1", "rank2"))
        some = discarded == rank_pair_numbers()[ranks]
        off.append(np.average(crib[some], weights=often[some]) - float(row["crib"]))
    assert np.sqrt(np.mean(np.square(off[2::3]))) < 0.12
    assert abs(np.mean(off)) < 0.03


def test_people_lead_from_pairs_as_published(data):
    rows = published(data / "leads_from_pairs.csv")
    wanted = np.array([float(row["from_pair_pct"]) for row in rows])
    people, hands = as_opponent("people"), GameSize().holdings(4)
    kept = deals_of_classes()[:, None] * people.discards.keeps("dealer").share
    kept = np.bincount(rank_keep_numbers().ravel(), kept.ravel(), len(hands))
    strategy = people.play.strategy()
    leads = kept[:, None] * np.array([strategy.choices(strategy.root, hand) for hand in hands])
    held = (hands[:, :, None] == np.arange(13)).sum(axis=1)
    leads *= 4 - held  # the dealer holds one of those left
    found = 100 * (leads * (held > 1)).sum(axis=0) / leads.sum(axis=0)
    assert np.sqrt(np.mean((found - wanted) ** 2)) < 5


@pytest.mark.parametrize("name", OPPONENTS[1:-1])
def test_win_tables_are_monotone_and_sum_to_one(name):
    table = read_win_table(name)
    for role in ROLES:
        ends, experts = table.outcomes_as(role), load(play=True).win_table.outcomes_as(role)
        assert np.sum(ends, axis=0) == pytest.approx(1)
        assert np.diff(ends.win, axis=0).min() > -1e-9
        assert np.diff(ends.win, axis=1).max() < 1e-9
        assert 0 < ends.win[0, 0] - experts.win[0, 0] < 0.5
    assert table.standard_error.max() < 0.002


def test_weaker_opponents_lose_more_games():
    order = ("beginner", "casual", "people", "club", "strong", "expert")
    wins = [as_opponent(name).play.game().win_table.outcomes_as("pone").win[0, 0] for name in order]
    assert wins == sorted(wins, reverse=True)


@pytest.mark.slow
def test_chances_against_people_are_those_of_their_table():
    """At the start of a game, where an outside referee played 360,000 deals a role out."""
    table = as_opponent("people").play.game().win_table
    for role, referee in (("dealer", 0.706), ("pone", 0.606)):
        assert table.outcomes_as(role).win[0, 0] == pytest.approx(referee, abs=0.015)
        row = printed("tables", "win", "0-0", "--role", role, "--opponent", "people")[0]
        won = row["win_dealer"] if role == "dealer" else 1 - row["win_dealer"]
        assert won == pytest.approx(table.outcomes_as(role).win[0, 0])
    told = advise("5H 5D JS QC 2H 8D", role="dealer", opponent="people", score="60-60")
    assert 0.7 < told.best.win < 0.85
    experts = advise("5H 5D JS QC 2H 8D", role="dealer", score="60-60")
    assert told.best.win > experts.best.win + 0.05


@pytest.mark.slow
def test_chances_against_people_near_the_end_are_those_of_playouts():
    generator = np.random.default_rng(8)
    for situation in situations(8, seed=8):
        asked = {"role": situation.role, "score": situation.score, "opponent": "people"}
        best = advise(situation.deal, **asked).best
        share, error = near_the_end(situation, best, 20_000, generator)
        assert best.win == pytest.approx(share, abs=4 * error + 0.001)


def test_par_against_people_is_lower():
    people = as_opponent("people").play.game()
    for role in ROLES:
        assert par("60-60", role=role, solution=people).ahead > par("60-60", role=role).ahead
    told = good("tables", "win", "60-60*", "--role", "pone", "--opponent", "people")
    assert "ahead of par" in told
    assert "no win table" not in good("tables", "par", "--opponent", "club")
    said = "unknown opponent with a win table 'uniform'"
    assert said in refused("tables", "win", "--opponent", "uniform")
