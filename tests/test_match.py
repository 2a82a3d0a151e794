"""Players: experts mix as the solution does, levels err, programs break rules, and all match."""

import json
import math
import random
import sys
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from games import deal_by_players, names
from referee import Referee
from shell import csv_rows, good, printed, refused, run
from test_game import moves_of, played, tell

from benchmarks.levels import losses
from cribev import (
    Expert,
    GreedyPlayer,
    Level,
    Position,
    RandomPlayer,
    advise,
    advise_play,
    match,
    review,
)
from cribev.app.games.errors import MoveError, PlayerError, TurnError
from cribev.app.games.game import Game
from cribev.app.games.levels import answer_moves
from cribev.app.games.players import RacingExpert, ask_for_card, decide, draw_choice
from cribev.classes.canonical import class_numbers, classify_deals, deals_of_classes
from cribev.classes.class_tables import pattern_shares
from cribev.errors import CribevError
from cribev.game.cards import format_cards, parse_card_text, random_hands
from cribev.game.index_tables import DISCARDS
from cribev.game.score import Score
from cribev.opponents.counts import chances_of_class, keep_chances
from cribev.opponents.habits import LEVELS
from cribev.solution.solution import shipped_keep_frequencies
from cribev.solution.strategy import rank_keep_numbers
from cribev.tables.play_values import strategy_listing

GOOD = """
class Player:
    def discard(self, deal, role, score):
        return deal[:2]
    def lay(self, position):
        return position.legal[0]
"""


class Fixed:
    """Throws the lowest cards and lays the lowest, always the same."""

    def __init__(self):
        self.asked = []

    def discard(self, deal, *, role, score):
        self.asked.append((tuple(deal.tolist()), role, score))
        return deal[:2]

    def lay(self, position):
        return position.legal[0]


def test_equal_players_are_equal_in_duplicate():
    one, another = Fixed(), Fixed()
    found = match(one, another, games=6, seed=4)
    assert found.won == (3, 3)
    assert found.table["difference"].tolist() == [0, 0, 0, 0]
    assert found.table["standard_error"].tolist() == [0, 0, 0, 0]
    # What one is dealt in a game, the other is dealt in the next.
    assert sorted(one.asked) == sorted(another.asked)
    assert found.players == ("Fixed 1", "Fixed 2")


@pytest.fixture(scope="module")
def found():
    return match(GreedyPlayer(), RandomPlayer(seed=1), games=20, seed=5)


def test_the_better_player_wins_and_skunks(found):
    assert found.won == (20, 0)
    games, points, shown, play = found.table.to_dict(orient="records")
    assert (games["first"], games["difference"], games["standard_error"]) == (1, 1, 0)
    assert points["difference"] == pytest.approx(shown["difference"] + play["difference"])
    assert points["difference"] > 3 * points["standard_error"] > 0
    (once, twice), beaten = found.skunks.tolist()
    assert 20 >= once >= twice > 0
    assert beaten == [0, 0]
    told = found.to_dict()
    assert (told["skunks"], told["double_skunks"]) == ([once, 0], [twice, 0])
    skunks = f"GreedyPlayer {once}, {twice} of them double; RandomPlayer 0"
    assert f"won by a skunk: {skunks}" in str(found)
    for part, low, high in ((points, 10, 14), (shown, 7, 11), (play, 1.5, 4.5)):
        assert low < part["first"] < high


def test_standard_errors_of_a_match_by_hand(found):
    net = found.points.sum(axis=2)[:, 0] - found.points.sum(axis=2)[:, 1]
    played = 2 * found.deals
    mean = net.sum() / played.sum()
    deviations = net - mean * played
    error = math.sqrt((deviations**2).sum() / 9 / 10) / played.mean()
    assert found.table.loc[1, "difference"] == pytest.approx(mean)
    assert found.table.loc[1, "standard_error"] == pytest.approx(error)
    shares = np.array([0.5, 1, 0, 0.5, 1])
    found = replace(found, halves=shares)
    expected = 2 * shares.std(ddof=1) / math.sqrt(5)
    assert found.table.loc[0, "standard_error"] == pytest.approx(expected)


@pytest.mark.slow
def test_the_same_seed_is_the_same_match():
    one, another = (
        match(Fixed(), GreedyPlayer(), games=number(4), seed=number(9)) for number in (int, np.int8)
    )
    assert json.dumps(one.to_dict()) == json.dumps(another.to_dict())
    assert "seed 9" in str(one)
    # One that is drawn is not found by trying.
    command = ["match", "greedy", "random", "--games", "2"]
    seeds = [match(GreedyPlayer(), Fixed(), games=2).seed for _ in range(5)]
    seeds += [printed(*command)["seed"] for _ in range(5)]
    assert min(max(seeds[:5]), max(seeds[5:])) > 2**45
    assert max(seeds) < 2**53


def test_played_out_game_has_its_winner():
    for seed in range(6):
        rng, game, referee = random.Random(seed), Game(seed, dealer=0, play_out=True), Referee()
        referee.deal(0, [names(hand) for hand in deal_by_players(game).hands])
        while moves := moves_of(game):
            move = rng.choice(moves)
            game.make(move)
            if referee.winner is None:
                tell(referee, game, move)
            assert (list(game.score), game.winner) == (referee.score, referee.winner)
            if game.winner is not None:
                with pytest.raises(TurnError, match="the game is over"):
                    game.resign(game.winner)
        last = [event.kind for event in game.events if event.deal == game.deal.number]
        assert [kind for kind in last if kind in ("hand", "crib")] == ["hand", "hand", "crib"]
        assert last.count("lay") == 8
        points = [0, 0]
        for event in game.events:
            if event.scorer is not None:
                points[event.scorer] += event.points
        assert max(points) >= 121


class Breaks(Fixed):
    """Lays the same whatever is asked, or raises it, and discards that too if told so."""

    def __init__(self, what, *, discards=False):
        super().__init__()
        self.what, self.discards = what, discards

    def discard(self, deal, **known):
        return self.what if self.discards else super().discard(deal, **known)

    def lay(self, _):
        if isinstance(self.what, BaseException):
            raise self.what
        return self.what


class MuteError(Exception):
    def __str__(self):
        raise SystemExit


@pytest.mark.parametrize(
    ("what", "text"),
    [
        (BaseException("x"), "lay raised BaseException: x$"),
        (GeneratorExit(), "lay raised GeneratorExit$"),
        (MuteError(), "lay raised MuteError: and what it says cannot be told$"),
        (None, r"^Breaks, game 1, deal 1, lay: invalid card 'None': expected one of "),
        ("1X", "invalid card '1X'"),
        (KeyError("hand"), r"^Breaks, game 1, deal 1, lay raised KeyError: 'hand'$"),
        (ValueError("two\nlines"), "raised ValueError: two lines$"),
        (SystemExit(3), "raised SystemExit: 3$"),
        (ValueError("\x1b[31m" + 999 * "x"), r"raised 'ValueError: \\x1b\[31mx{200,300}…'$"),
    ],
)
def test_a_player_that_breaks_off(what, text):
    with pytest.raises(PlayerError, match=text):
        match(Breaks(what), Fixed(), games=2, seed=1)


@pytest.mark.parametrize(
    ("players", "options", "text"),
    [
        ((3, Fixed()), {}, "invalid player '3': expected an object with methods"),
        ((Fixed(), Fixed), {}, "invalid player .*: expected an object"),
        ((Fixed(), Fixed()), {"names": "ab"}, "invalid names 'ab': expected two texts"),
        ((Fixed(), Fixed()), {"names": ("a", 3)}, "invalid names"),
        *(
            ((Fixed(), Fixed()), {"games": games}, "expected an even number")
            for games in (0, -2, 3, 1.5, "10", True)
        ),
        # A number of games takes no room before they are played.
        ((Breaks(None), Fixed()), {"games": 2 * 10**15}, "Breaks, game 1, deal 1"),
    ],
)
def test_what_is_no_match_is_told(players, options, text):
    with pytest.raises(CribevError, match=text):
        match(*players, **{"games": 2} | options)


def test_a_file_plays(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    file = tmp_path / "mine.py"
    file.write_text("import helper\n" + GOOD.replace("return deal", "print('x'); return deal"))
    (tmp_path / "helper.py").write_text("")
    command = ["match", str(file), "greedy", "--games", "4", "--seed", "7"]
    done = run(*command, "--format", "json")
    found = json.loads(done.stdout)
    assert {*done.stderr.split()} == {b"x"}  # what a program prints is no result
    assert found["players"] == ["mine", "greedy"]
    assert (found["games"], found["seed"], sum(found["won"])) == (4, 7, 4)
    parts = ["games", "points", "hands and cribs", "play"]
    assert [row["part"] for row in found["parts"]] == parts
    file.write_text(GOOD)
    rows = csv_rows(*command)
    assert list(rows[0]) == ["part", "first", "second", "difference", "standard_error"]
    assert [row["part"] for row in rows] == parts
    assert "mine wins" in good(*command)
    assert "random 1 wins" in good("match", "random", "random", "--games", "2")


def test_module_class_or_object_plays_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "own.py").write_text(
        "from dataclasses import dataclass\n@dataclass\n"
        f"{GOOD.strip()}\n    style: str = 'bold'\n"
        "class Bold(Player): pass\nready = Player('shy')\n"
    )
    for one, other in (("bots.own:Bold", "bots/own.py"), ("bots/own.py:ready", "bots.own:ready")):
        found = printed("match", one, other, "--games", "2", "--seed", "7")
        called = ["Bold", "own"] if "Bold" in one else ["ready 1", "ready 2"]
        assert (found["players"], found["won"]) == (called, [1, 1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot load '"),
        (None, "FileNotFoundError"),
        ("", "there is no class Player in it"),
        ("class Player: pass", "has no method discard(deal, role, score)"),
        ("class Player:\n    def discard(self): ...", "has no method lay(position)"),
        ("Player = 3", "Player has no method discard(deal, role, score)"),
        ("def", "SyntaxError: invalid syntax"),
        ("exit(3)", "SystemExit: 3"),
        ("class Player:\n    def __init__(self, x): ...", "TypeError: Player.__init__() missing"),
        (GOOD.replace("deal[:2]", "deal"), "bad, game 1, deal 1, discard: expected 2 cards, got 6"),
        (GOOD.replace("deal, role", "deal"), "discard raised TypeError"),
        (GOOD.replace("[0]", ""), "lay: invalid card '("),
        ("raise BaseException('x')", "it raised BaseException: x"),
        ("class X(Exception):\n    def __str__(self): 1/0\nraise X", "it raised X: and what"),
    ],
)
def test_files_that_cannot_play(tmp_path, monkeypatch, text, message):
    monkeypatch.setattr(sys, "path", [*sys.path])
    file = tmp_path / "bad.py"
    if text is not None:
        file.write_text(text)
    assert message in refused("match", str(file), "--games", "2")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nobody", "random, a file, mine.py, or module:name"),
        ("no.such:Bot", "cannot load 'no.such:Bot': it raised ModuleNotFoundError: No module"),
        ("json:Bot", "cannot load 'json:Bot': there is no class Bot in it"),
        (":Bot", "cannot load ':Bot': it raised ModuleNotFoundError"),
        (f"{'x' * 5000}.py", "File name too long"),
    ],
)
def test_names_of_no_player(monkeypatch, name, message):
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert message in refused("match", name, "--games", "2")


NEAR = "pone:4H5CJDJS/9CKD:7H:J5@115-112"


@pytest.mark.slow
def test_the_weaker_a_level_the_more_it_loses():
    found = {name: losses(name, 6).sum(axis=2).mean(axis=0) for name in LEVELS}
    averages = [average for name, (_, average) in found.items() if name != "greedy"]
    assert averages == sorted(averages, reverse=True)
    for name, (drawn, average) in found.items():
        assert average == pytest.approx(LEVELS[name].loses, rel=0.5, abs=0.1)
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        *("dealer:5H5DJSQC2H8D", "pone:5H5DJSQC2H8D@95-117", NEAR, "pone:4H5CJDJS/9CKD:7H"),
        "dealer:AH2C4HJS/9CKD:7H:TJ54go",
    ],
)
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
    without_suits = advise("2 4 6 8 T K", role="pone").options
    assert sorted(Level("greedy").chances(without_suits)) == [0] * 14 + [1]  # it never slips


def test_a_game_goes_the_same_by_its_seed():
    def moves(level):
        game = Game(11, dealer=0)
        while len(game.deals) < 3:
            answer_moves(game, level)
            if game.phase == "next":
                game.next_deal(0)
            else:
                game.make(decide(RandomPlayer(len(game.moves)), game, 0))
        return game.moves

    assert moves("casual") == moves("casual") != moves("beginner")


def test_invalid_seed_level_and_choice_are_refused():
    players = partial(Level, "club"), partial(Level, "expert"), Expert
    for player, seed in product(players, (-1, 1.5, "seven")):
        with pytest.raises(
            CribevError, match=f"^invalid seed .{{0,2}}{seed}.*: expected whole num"
        ):
            player(seed)
    for name, said in (
        ("Club", "'Club'; did you mean 'club'"),
        ("king", "'king': expected beginner"),
    ):
        with pytest.raises(CribevError, match=f"^unknown level {said}"):
            Level(name)
    assert repr(Level("club")) == "Level('club')"
    with pytest.raises(CribevError, match=r"invalid options .*: expected .* advise\(…\)\.options"):
        Level("club").chances(advise("5H 5D JS QC 2H 8D", role="dealer"))


def test_match_levels_and_bad_arguments():
    assert match(Level("beginner", 1), RandomPlayer(2), games=2, seed=3).won == (2, 0)
    assert "casual wins" in good("match", "casual", "greedy", "--games", "2", "--seed", "3")
    for words in (["greedy", ""], ["greedy", ""], [""], ["greedy", "x" * 300]):
        assert "invalid player '" in refused("match", *words, "--games", "2")
    assert "3 games: every deal is played twice" in refused("match", "greedy", "--games", "3")


DEAL = parse_card_text("2H 5D 5H 8D JS QC")
TO_LAY = Position.read("4H 5C JD JS", role="pone", laid="J 5 J go", discard="9C KD", starter="7H")


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


def test_deals_of_a_class_by_pattern():
    ranks = [4, 4, 9, 9, 9, 12]
    fives, tens, kings = (range(4 * rank, 4 * rank + 4) for rank in (4, 9, 12))
    parts = product(combinations(fives, 2), combinations(tens, 3), combinations(kings, 1))
    every = [sum(part, ()) for part in parts]
    (number,) = class_numbers(np.array([ranks], dtype=np.uint8).T)
    _, patterns = classify_deals(every)
    shares = np.bincount(patterns, minlength=187) / len(every)
    assert pattern_shares(number) == pytest.approx(shares)


def test_expert_mixes_as_often_as_it_says():
    chances = keep_chances(DEAL, role="dealer")
    assert keep_chances(DEAL[::-1], role="dealer").tolist() == chances.tolist()
    assert chances.sum() == 1
    deals = np.sort(random_hands(400, seed=2), axis=1)
    mixed = [deal for deal in deals if 0.2 < keep_chances(deal, role="pone").max() < 0.8]
    deal, expert = mixed[0], Expert(seed=3)
    drawn = Counter(tuple(expert.discard(deal, role="pone", score=(0, 0))) for _ in range(500))
    for keep, chance in enumerate(keep_chances(deal, role="pone")):
        assert drawn[tuple(deal[DISCARDS[keep]].tolist())] / 500 == pytest.approx(chance, abs=0.08)
    position = Position.read("4H 5C JD JS", role="dealer", laid="J")
    shares = strategy_listing("4 5 J J", role="dealer", laid="J").table["share"].to_numpy()
    expert = Expert(seed=4)
    drawn = Counter(expert.lay(position) for _ in range(500))
    for rank, share in zip(position.legal_ranks, shares, strict=True):
        often = sum(drawn[card] for card in position.legal if card >> 2 == rank)
        assert often / 500 == pytest.approx(share, abs=0.08)


def test_greedy_random_and_seeds_are_reproducible():
    greedy = GreedyPlayer()
    assert greedy.lay(TO_LAY) == 16  # nothing scores: the highest that fits
    pair = Position.read("4H 5C JD JS", role="dealer", laid="4")
    assert greedy.lay(pair) == 14
    thirty_one = Position.read("4H AC JD JS", role="dealer", laid="J J T")
    assert greedy.lay(thirty_one) == 0
    assert format_cards(greedy.discard(DEAL, role="dealer", score=(0, 0))) == "2H 8D"
    player, deal = RandomPlayer(seed=1), list(DEAL)
    drawn = {tuple(player.discard(DEAL, role="pone", score=(0, 0))) for _ in range(400)}
    assert drawn == set(combinations(deal, 2))
    assert {player.lay(TO_LAY) for _ in range(60)} == {*TO_LAY.legal}
    one, another = Expert(seed=[7, 2]), Expert(seed=[7, 2])
    for deal in np.sort(random_hands(30, seed=1), axis=1):
        throws = one.discard(deal, role="pone", score=(0, 0))
        assert throws == another.discard(deal, role="pone", score=(0, 0))


def in_play():
    game = Game(7, dealer=0)
    game.discard(0, "3H KC")
    game.discard(1, "3C 9H")
    return game


def test_cards_in_any_form():
    for text in ("7", "7C", "7c", "7♣", " 7C "):
        assert decide(Breaks(text), in_play(), 1).cards == (24,)
    for given in ("7C 7H", ["7H", "7C"], [24, 26], (26, 24), np.array([24, 26])):
        assert sorted(decide(Breaks(given, discards=True), Game(7, dealer=0), 1).cards) == [24, 26]
    for given in (None, "", "7C", "7C 7C", [24], [24, 26, 3], 5, [1.5, 2], {}, "x"):
        with pytest.raises(MoveError):
            decide(Breaks(given, discards=True), Game(7, dealer=0), 1)

    for what, text in (
        (None, "invalid card 'None': expected one of 4D 6D 7C 7H"),
        (True, "invalid card 'True'"),
        (4.0, "invalid card '4.0'"),
        (12, "'4C' cannot be played: expected one of 4D 6D 7C 7H"),
        (99, "'99' cannot be played"),
        (-1, "'-1' cannot be played"),
        ("go", "invalid card 'go'"),
        ("7C 7H", "expected 1 card, got 2"),
        ([3], "invalid card"),
    ):
        with pytest.raises(MoveError, match=text):
            decide(Breaks(what), in_play(), 1)
    with pytest.raises(MoveError, match="'JD' cannot be played: expected one of 2C"):
        ask_for_card(Breaks(41), Position.parse("dealer:2CTDJDQD:-:9T7"))
    game, player = played(7, dealer=0, most=11), Fixed()
    decide(player, game, 1)
    assert player.asked[0][2] == game.score[::-1] != game.score  # the player's points first


def test_score_aware_player_wins_most_near_end():
    deal, far, near = [0, 4, 11, 15, 43, 47], (60, 70), (117, 118)
    for seed in range(3):
        experts = RacingExpert(seed), Expert(seed)
        assert len({tuple(one.discard(deal, role="pone", score=far)) for one in experts}) == 1
    best = advise(deal, role="pone", score=near).best.cards
    assert tuple(RacingExpert().discard(deal, role="pone", score=near)) == best
    assert best != advise(deal, role="pone").best.cards
    known = Position.parse("pone:4H5CJDJS/9CKD:7H@117-118")
    assert RacingExpert().lay(known) == advise_play(known).best.cards[0]
    alone = replace(known, score=Score(60, 70))
    assert RacingExpert(5).lay(alone) == Expert(5).lay(alone)


def test_a_match_keeps_its_games_as_records(tmp_path):
    folder = tmp_path / "new" / "games"
    asked = ["match", "greedy", "random", "--games", "2", "--seed", "3"]
    told = good(*asked, "--record", str(folder))
    assert told == good(*asked)
    assert sorted(path.name for path in folder.iterdir()) == ["1.csv", "2.csv"]
    reviews = [review(path, fast=True, play=False) for path in sorted(folder.iterdir())]
    assert [one.players["player"].tolist() for one in reviews] == [["greedy", "random"]] * 2
    assert [one.decisions["game"].unique().tolist() for one in reviews] == [["1"], ["2"]]
    first, second = (pd.read_csv(folder / f"{number}.csv", dtype=str) for number in (1, 2))
    mine, theirs = (
        one[one["player"] == who]["cards"].iloc[0]
        for one, who in ((first, "greedy"), (second, "random"))
    )
    assert mine == theirs  # the second of a pair has the same cards with seats exchanged
    (folder / "1.csv").unlink()
    assert "2.csv" in refused(*asked, "--record", str(folder))
    assert "expected a folder" in refused(*asked, "--record", str(folder / "2.csv"))
