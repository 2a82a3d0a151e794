"""Opponents of every strength: what they choose how often, and what it loses them."""

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
from shell import good, refused

from benchmarks.levels import losses
from cribev import (
    Expert,
    GreedyPlayer,
    Level,
    Position,
    advise,
    advise_play,
    advise_ranks,
    match,
    review,
)
from cribev.errors import CribevError
from cribev.games.game import Game
from cribev.games.levels import LEVELS, answer_moves
from cribev.games.players import RandomPlayer, decide, draw_choice

NEAR = "pone:4H5CJDJS/9CKD:7H:J5@115-112"
POSITIONS = [
    "dealer:5H5DJSQC2H8D", "pone:5H5DJSQC2H8D@95-117", NEAR, "pone:4H5CJDJS/9CKD:7H",
    "dealer:AH2C4HJS/9CKD:7H:TJ54go",
]  # fmt: skip


@pytest.mark.slow
def test_the_weaker_a_level_the_more_it_loses():
    found = [losses(name, 6).sum(axis=2).mean(axis=0) for name in LEVELS]
    averages = [
        average for (_, average), name in zip(found, LEVELS, strict=True) if name != "greedy"
    ]
    assert averages == sorted(averages, reverse=True)
    for (drawn, average), habits in zip(found, LEVELS.values(), strict=True):
        assert average == pytest.approx(habits.loses, rel=0.5, abs=0.1)
        assert drawn == pytest.approx(average, rel=0.6, abs=0.2)


def test_a_review_has_what_a_level_loses():
    deal = {"deal": [1], "role": ["pone"], "cards": ["4H 5C JD JS 9C KD"], "discard": ["9C KD"]}
    found = review(pd.DataFrame({**deal, "play": ["J 5 J 4 4 9 5 9"]}))
    cards = [found.card_decision(at) for at in range(len(found.cards))]
    for one in [found.decision(0), *filter(None, cards)]:
        position = str(replace(one.position, score=None))
        asked = (advise if one.options.is_discard else advise_play)(position).options
        for level in map(Level, LEVELS):
            chances = level.chances(one.options)
            assert chances.sum() == pytest.approx(1)
            assert chances == pytest.approx(level.chances(asked), abs=1e-6)


@pytest.mark.parametrize("text", POSITIONS)
def test_a_level_does_what_its_chances_say(text):
    position = Position.parse(text)
    options = (advise if position.to_do == "discard" else advise_play)(position).options
    for name, seed in product(LEVELS, range(3)):
        assert done_by(Level(name, seed), position) == drawn_by(Level(name), options, seed), name


def drawn_by(level, options, seed):
    """What is drawn by a level's chances."""
    return options.choices[draw_choice(level.chances(options), np.random.default_rng(seed))]


def done_by(level, position):
    """What a level does."""
    if position.to_do == "card":
        return (level.lay(position),)
    points = position.score.seen_by(position.role) if position.score else (0, 0)
    return tuple(level.discard(np.array(position.held.dealt), role=position.role, score=points))


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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("club", "pone:4H5CJDJS/9CKD:7H:J5@86-112"),
        pytest.param("strong", "dealer:AH2C4HJS9CKD@85-110", marks=pytest.mark.slow),
    ],
)
def test_upper_levels_play_for_the_stakes(name, text):
    position, level = Position.parse(text), Level(name, 1, stakes="games")
    advised = advise if position.to_do == "discard" else advise_play
    to_win, staked = (advised(position, stakes=stakes).options for stakes in ("win", "games"))
    near = np.allclose(level.chances(to_win), level.chances(staked), atol=0.03)
    assert not near  # a skunk is near
    assert done_by(level, position) == drawn_by(level, staked, 1)


def test_greedy_is_a_level_that_never_slips():
    one, same = (
        match(player, Expert(1), games=2, seed=3, names=("greedy", "expert"))
        for player in (Level("greedy"), GreedyPlayer())
    )
    assert one.to_dict() == same.to_dict()
    chances = Level("greedy").chances(advise_ranks("2 4 6 8 T K", role="pone").options)  # no suits
    assert sorted(chances) == [0] * 14 + [1]


def test_a_game_goes_the_same_by_its_seed():
    def played(level):
        game = Game(11, dealer=0)
        while len(game.deals) < 3:
            answer_moves(game, level)
            if game.phase == "next":
                game.next_deal(0)
            else:
                game.make(decide(RandomPlayer(len(game.moves)), game, 0))
        return game.moves

    assert played("casual") == played("casual") != played("beginner")


@pytest.mark.parametrize("player", [partial(Level, "club"), partial(Level, "expert"), Expert])
@pytest.mark.parametrize("seed", [-1, 1.5, "seven"])
def test_seeds_that_are_none(player, seed):
    with pytest.raises(CribevError, match=f"^.{{1,2}}{seed}.* is no seed: expected whole numbers"):
        player(seed)


def test_what_is_no_level_and_no_choice():
    expected = "expected beginner, casual, club, greedy, strong or expert"
    for name, quoted in (("Club", "'Club'"), (["club"], ".*'club'.*")):
        with pytest.raises(CribevError, match=f"^{quoted} is no level: {expected}"):
            Level(name)
    assert repr(Level("club")) == "Level('club')"
    with pytest.raises(CribevError, match=r"are no options: expected .* advise\(…\)\.options"):
        Level("club").chances(advise("5H 5D JS QC 2H 8D", role="dealer"))


def test_levels_in_a_match():
    assert match(Level("beginner", 1), RandomPlayer(2), games=2, seed=3).won == (2, 0)
    assert "casual wins" in good("match", "casual", "greedy", "--games", "2", "--seed", "3")
    assert "--against 'club': 'greedy' plays already" in refused(
        "match", "casual", "greedy", "--against", "club"
    )
