"""Matches: every deal is played twice, the figures add up, and a player's errors are told."""

import json
import math
import random
import sys

import numpy as np
import pytest
from games import deal_by_players, names
from referee import Referee
from test_game import moves_of, tell

from benchmarks.match import PlayerError, RandomPlayer, main, make_player, match
from cribev import CribevError, Level, format_cards
from cribev.app.games.game import Game, TurnError

GOOD = """
class Player:
    def discard(self, deal, role, score):
        return deal[:2]
    def play(self, position):
        return position.legal[0]
"""


class Fixed:
    """Discards the lowest cards and plays the lowest, always the same, or as it is told."""

    def __init__(self, discard=None, play=None):
        self.asked, self.told = [], (discard, play)

    def discard(self, deal, *, role, score):
        self.asked.append((tuple(deal.tolist()), role, score))
        return deal[:2] if self.told[0] is None else self.told[0](deal)

    def play(self, position):
        return position.legal[0] if self.told[1] is None else self.told[1](position)


def test_equal_players_are_equal_in_duplicate():
    first, second = Fixed(), Fixed()
    result = match(first, second, games=6, seed=4)
    told = result.to_dict()
    assert (told["won"], told["players"]) == ([3, 3], ["Fixed 1", "Fixed 2"])
    assert [(figures["difference"], figures["standard_error"]) for figures in told["parts"]] == [
        (0, 0)
    ] * 4
    # What one is dealt in a game, the other is dealt in the next.
    assert sorted(first.asked) == sorted(second.asked)
    again = match(Fixed(), Fixed(), games=6, seed=4)
    assert (again.to_dict(), str(again)) == (told, str(result))
    seeds = [match(Fixed(), Fixed(), games=2).seed for _ in range(5)]
    assert 2**45 < max(seeds) < 2**53  # one that is drawn is not found by trying


def test_figures_of_a_match_against_its_games():
    result = match(Level("greedy"), RandomPlayer(1), games=20, seed=5)
    told = result.to_dict()
    games, points, shown, play = told["parts"]
    assert (told["won"], games["first"], games["standard_error"]) == ([20, 0], 1, 0)
    assert 20 >= told["skunks"][0] >= told["double_skunks"][0] > 0
    assert told["skunks"][1] == 0
    assert points["difference"] == pytest.approx(shown["difference"] + play["difference"])
    for figures, low, high in ((points, 10, 14), (shown, 7, 11), (play, 1.5, 4.5)):
        assert low < figures["first"] < high
    net, played = result.points.sum(axis=2) @ [1, -1], 2 * result.deals
    deviations = net - net.sum() / played.sum() * played
    error = math.sqrt((deviations**2).sum() / 9 / 10) / played.mean()
    assert points["difference"] == pytest.approx(net.sum() / played.sum())
    assert points["standard_error"] == pytest.approx(error)
    mixed = result._replace(winners=np.array([[0, 1], [0, 0], [1, 1], [1, 0], [0, 0]] * 2))
    games, *_ = mixed.parts()
    shares = np.array([0.5, 1, 0, 0.5, 1] * 2)
    assert games[1:3] == pytest.approx((0.6, 0.4))
    assert games[4] == pytest.approx(2 * shares.std(ddof=1) / math.sqrt(10))


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
        assert last.count("play") == 8


def raising(error):
    def act(_):
        raise error

    return act


class MuteError(Exception):
    def __str__(self):
        raise SystemExit


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (lambda _: None, "^Fixed 1, game 1, deal 1, {}: "),
        (lambda _: "1X", "1X"),
        (lambda _: 4.5, "{}: "),
        (lambda _: [51, 51, 51], "{}: "),
        (raising(KeyError("hand")), "^Fixed 1, game 1, deal 1, {} raised KeyError: 'hand'$"),
        (raising(ValueError("two\nlines")), "{} raised ValueError: two lines$"),
        (raising(ValueError("\x1b[31mred")), r"{} raised 'ValueError: \\x1b\[31mred'$"),
        (raising(SystemExit(3)), "raised SystemExit: 3$"),
        (raising(MuteError()), "raised MuteError: and what it says cannot be told$"),
    ],
)
def test_a_player_that_breaks_the_rules_or_off(act, text):
    for method, doing in (("discard", "discard"), ("play", "play")):
        with pytest.raises(PlayerError, match=text.format(doing)):
            match(Fixed(**{method: act}), Fixed(), games=2, seed=1)


def test_cards_in_any_form_and_numbers_of_games():
    plain = match(Fixed(), Fixed(), games=2, seed=1).to_dict()
    for discard, play in (
        (lambda deal: format_cards(deal[:2]), lambda position: format_cards(position.legal[:1])),
        (lambda deal: deal[:2].tolist(), lambda position: np.int64(position.legal[0])),
    ):
        assert match(Fixed(discard, play), Fixed(), games=2, seed=1).to_dict() == plain
    for games in (0, -2, 3, 1.5, "10", True):
        with pytest.raises(CribevError, match=r"games: .* expected an even number from 2 up"):
            match(Fixed(), Fixed(), games=games)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def test_a_file_or_a_module_plays(files, capsys):
    (files / "bots").mkdir()
    (files / "helper.py").write_text("")
    (files / "mine.py").write_text(
        "import helper\n" + GOOD.replace("return d", "print('x')\n        return d")
    )
    (files / "bots" / "own.py").write_text(
        f"from dataclasses import dataclass\n@dataclass\n{GOOD.strip()}\n    style: str = 'bold'\n"
        "class Bold(Player): pass\nready = Player('shy')\n"
    )
    for one, other, called in (
        ("mine.py", "bots.own:Bold", ["mine", "Bold"]),
        ("bots/own.py:ready", "bots.own:ready", ["ready 1", "ready 2"]),
        ("bots/own.py", "random", ["own", "random"]),
    ):
        assert main([one, other, "--games", "2", "--seed", "7", "--format", "json"]) == 0
        done = capsys.readouterr()
        assert json.loads(done.out)["players"] == called
        assert ("x" in done.err.split()) == (one == "mine.py")  # what it prints is no result
    assert main(["greedy", "random", "--games", "2", "--seed", "7"]) == 0
    assert "greedy wins" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "FileNotFoundError"),
        ("", "cannot load 'bad.py': Player has no discard"),
        ("class Player:\n    def discard(self): ...", "Player has no play"),
        ("def", "SyntaxError: invalid syntax"),
        ("exit(3)", "it raised SystemExit: 3"),
        ("class Player:\n    def __init__(self, x): ...", "TypeError: Player.__init__() missing"),
        (GOOD.replace("deal[:2]", "deal"), "bad, game 1, deal 1, discard: expected 2 cards, got 6"),
        (GOOD.replace("deal, role", "deal"), "discard raised TypeError"),
    ],
)
def test_files_that_cannot_play(files, capsys, text, message):
    if text is not None:
        (files / "bad.py").write_text(text)
    assert main(["bad.py", "--games", "2"]) == 2
    (line,) = capsys.readouterr().err.splitlines()[-1:]
    assert line.startswith("match: error: ")
    assert message in line


@pytest.mark.parametrize("name", ["nobody", "", "no.such:Bot", "json:Bot", f"{'x' * 5000}.py"])
@pytest.mark.usefixtures("files")
def test_names_of_no_player(name):
    with pytest.raises(PlayerError, match=r"^(invalid player|cannot load) '"):
        make_player(name)
