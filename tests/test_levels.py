"""Levels: the expert mixes as the solution does, the others err as they say."""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from benchmarks.levels import losses
from cribev import Level, Position, advise, advise_play
from cribev.classes.canonical import deals_of_classes
from cribev.classes.class_tables import pattern_shares
from cribev.errors import CribevError
from cribev.game.cards import format_cards, parse_card_text, random_hands
from cribev.game.index_tables import DISCARDS
from cribev.game.score import Score
from cribev.opponents.counts import chances_of_class, keep_chances
from cribev.opponents.habits import LEVELS
from cribev.solution.solution import shipped_keep_frequencies, shipped_strategy
from cribev.solution.strategy import rank_keep_numbers

NEAR = "pone:4H5CJDJS/9CKD:7H:J5@115-112"


@pytest.mark.slow
def test_the_weaker_a_level_the_more_it_loses():
    found = {name: losses(name, 6).sum(axis=2).mean(axis=0) for name in LEVELS}
    averages = [average for name, (_, average) in found.items() if name != "greedy"]
    assert averages == sorted(averages, reverse=True)
    for name, (drawn, average) in found.items():
        assert average == pytest.approx(LEVELS[name].loses, rel=0.5, abs=0.1)
        assert drawn == pytest.approx(average, rel=0.6, abs=0.2)


@pytest.mark.parametrize(
    "text",
    [
        *("dealer:5H5DJSQC2H8D", "pone:5H5DJSQC2H8D@95-117", NEAR, "pone:AH4D6SJC/9CKD:7H"),
        "dealer:AH2C4HJS/9CKD:7H:TJ54go",
    ],
)
def test_a_level_does_what_its_chances_say(text):
    position = Position.parse(text)
    options = (advise if position.to_do == "discard" else advise_play)(position).options
    for name, seed in product(LEVELS, range(2)):
        level, below = Level(name, seed), np.cumsum(Level(name).chances(options))
        drawn = (below <= np.random.default_rng(seed).random() * below[-1]).sum()
        if position.to_do == "card":
            chosen = (level.play(position),)
        else:
            dealt, role = np.array(position.held.dealt), position.role
            points = position.score.seen_by(role) if position.score else (0, 0)
            chosen = tuple(level.discard(dealt, role=role, score=points))
        assert chosen == options.choices[int(drawn)], name


def test_upper_levels_play_to_win_near_the_end():
    options = advise_play(NEAR).options
    assert options.best.card == "J"  # by points it is the five
    points = options.by_points
    for name in ("club", "strong", "expert"):
        ahead, behind = (Level(name).chances(one) for one in (options, points))
        assert ahead[2] > 0.8 > behind[2]
    for name in ("beginner", "casual"):
        same = (Level(name).chances(one).tolist() for one in (options, points))
        assert next(same) == next(same)
    options = advise_play("pone:4H5C6DJS:7H").options  # a five is the worst lead
    beginner, casual = (Level(name).chances(options) for name in ("beginner", "casual"))
    assert beginner == pytest.approx([0.25] * 4)  # which takes the points, and there are none
    assert casual.argmin() == 1  # which looks at the reply
    without_suits = advise("2 4 6 8 T K", role="pone").options
    assert sorted(Level("greedy").chances(without_suits)) == [0] * 14 + [1]  # it never slips


def test_invalid_seed_level_and_choice_are_refused():
    for seed in (-1, 1.5, "seven"):
        said = f"^invalid seed .{{0,2}}{seed}.*: expected whole num"
        with pytest.raises(CribevError, match=said):
            Level("club", seed)
    levels = {"Club": "'Club'; did you mean 'club'", "king": "'king': expected beginner"}
    for name, said in levels.items():
        with pytest.raises(CribevError, match=f"^unknown level {said}"):
            Level(name)
    assert repr(Level("club")) == "Level('club')"
    with pytest.raises(CribevError, match=r"invalid options .*: expected .* advise\(…\)\.options"):
        Level("club").chances(advise("5H 5D JS QC 2H 8D", role="dealer"))


DEAL = parse_card_text("2H 5D 5H 8D JS QC")


def by_ranks(often, number):
    """What stands at keeps, added up over keeps of the same ranks."""
    ranks = rank_keep_numbers()[number]
    return np.array([often[ranks == kept].sum() for kept in np.unique(ranks)])


@pytest.mark.parametrize("role", ["dealer", "pone"])
def test_experts_keep_as_often_as_solved(role):
    frequencies = shipped_keep_frequencies(role)
    apart = deals = 0
    for number in np.random.default_rng(7).choice(18395, 120, replace=False):
        often = pattern_shares(number) * deals_of_classes()[number]
        chances = chances_of_class(int(number), role)
        assert chances.min() >= 0
        assert chances.sum(axis=1) == pytest.approx((often > 0).astype(float), abs=1e-12)
        found = by_ranks(often @ chances / often.sum(), number)
        wanted = by_ranks(frequencies.share[number], number)
        apart += np.abs(found - wanted).sum() / 2 * often.sum()
        deals += often.sum()
    assert apart / deals < 0.001  # the policy alone is 0.007 and 0.019 apart


def test_expert_mixes_as_often_as_it_says():
    chances = keep_chances(DEAL, role="dealer")
    assert keep_chances(DEAL[::-1], role="dealer").tolist() == chances.tolist()
    assert chances.sum() == 1
    deals = np.sort(random_hands(400, seed=2), axis=1)
    mixed = [deal for deal in deals if 0.2 < keep_chances(deal, role="pone").max() < 0.8]
    deal, expert = mixed[0], Level("expert", seed=3)
    drawn = Counter(tuple(expert.discard(deal, role="pone", score=(0, 0))) for _ in range(500))
    for keep, chance in enumerate(keep_chances(deal, role="pone")):
        assert drawn[tuple(deal[DISCARDS[keep]].tolist())] / 500 == pytest.approx(chance, abs=0.08)
    position = Position.read("4H 5C JD JS", role="dealer", played="J")
    strategy = shipped_strategy()
    shares = strategy.choices(strategy.node(position.play.history), position.left_ranks)
    expert = Level("expert", seed=4)
    drawn = Counter(expert.play(position) for _ in range(500))
    for rank in position.legal_ranks:
        often = sum(drawn[card] for card in position.legal if card >> 2 == rank)
        assert often / 500 == pytest.approx(shares[rank], abs=0.08)


def test_greedy_takes_what_it_sees_and_seeds_are_reproducible():
    greedy = Level("greedy")
    go = Position.parse("pone:4H5CJDJS/9CKD:7H:J5Jgo")
    assert greedy.play(go) == 16  # nothing scores: the highest that fits
    pair = Position.read("4H 5C JD JS", role="dealer", played="4")
    assert greedy.play(pair) == 14
    thirty_one = Position.read("4H AC JD JS", role="dealer", played="J J T")
    assert greedy.play(thirty_one) == 0
    assert format_cards(greedy.discard(DEAL, role="dealer", score=(0, 0))) == "2H 8D"
    one, another = Level("expert", [7, 2]), Level("expert", [7, 2])
    for deal in np.sort(random_hands(30, seed=1), axis=1):
        discards = one.discard(deal, role="pone", score=(0, 0))
        assert discards == another.discard(deal, role="pone", score=(0, 0))


def test_experts_play_to_win_near_the_end_alone():
    deal, near = [0, 4, 11, 15, 43, 47], (117, 118)
    far = Level("expert", 3).discard(deal, role="pone", score=(60, 70))
    assert far == Level("expert", 3).discard(deal, role="pone", score=(0, 0))
    best = advise(deal, role="pone", score=near).best.cards
    assert tuple(Level("expert").discard(deal, role="pone", score=near)) == best
    assert best != advise(deal, role="pone").best.cards
    known = Position.parse("pone:4H5CJDJS/9CKD:7H@117-118")
    assert Level("expert").play(known) == advise_play(known).best.cards[0]
    both = (replace(known, score=score) for score in (None, Score(60, 70)))
    assert len({Level("expert", 5).play(one) for one in both}) == 1
