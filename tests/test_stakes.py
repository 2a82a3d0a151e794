"""What a game is played for: read, weighed, and wherever a score is asked about."""

import json

import numpy as np
import pytest

from cribev import CribevError, advise, advise_play, advise_ranks
from cribev.commands.cli import main
from cribev.game.stakes import Outcomes, Stakes
from cribev.web.api import advice_json

DEAL = "3D 3S 5C 7C QC QS"
BEHIND = {"role": "pone", "score": "70-88"}
ENDS = Outcomes(0.5, 0.2, 0.1, 0.25, 0.05)  # wins, of that by a skunk, by two; loses likewise


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("win", 0.5),
        (" ACC ", 2 * 0.5 + 0.2),
        ("games", 0.5 + 0.2 + 0.1 - (0.5 + 0.25 + 0.05)),
        ("1,2", 0.5 + 0.2 - (0.5 + 0.25)),
        ((1, 2, 4), 0.5 + 0.2 + 2 * 0.1 - (0.5 + 0.25 + 2 * 0.05)),
        ("1, 1.5", 0.5 + 0.1 - (0.5 + 0.125)),
    ],
)
def test_stakes_weigh_how_a_game_ends(given, value):
    assert Stakes.read(given).value(ENDS) == pytest.approx(value)


@pytest.mark.parametrize(
    "given", ["2", "3,2", "x", "-1,2", "1,2,1", "0,1", "1,2,3,4", "", "1,,2", "nan,1"]
)
def test_what_are_no_stakes_is_one_line(given, capsys):
    with pytest.raises(CribevError) as raised:
        Stakes.read(given)
    line = str(raised.value)
    assert repr(given) in line
    assert "expected stakes: win, acc, games, or" in line
    assert main(["advise", DEAL, "--pone", "--score", "70-88", f"--stakes={given}"]) == 2
    assert capsys.readouterr().err == f"cribev: error: {line}\n"


def test_stakes_take_a_score(capsys):
    said = "stakes 'acc' take a score"
    for asked in (
        lambda: advise(DEAL, role="pone", stakes="acc"),
        lambda: advise_ranks("3 3 5 7 Q Q", role="pone", stakes="acc"),
        lambda: advise_play("4H 5C JD JS", role="pone", stakes="acc"),
        lambda: advice_json({"cards": DEAL, "role": "pone", "stakes": "acc"}),
    ):
        with pytest.raises(CribevError, match=said):
            asked()
    for command in (["advise", DEAL], ["play", "4H", "5C", "JD", "JS"]):
        assert main([*command, "--pone", "--stakes", "acc"]) == 2
        assert said in capsys.readouterr().err


def test_the_best_is_what_the_stakes_make_best(capsys):
    plain, staked = advise(DEAL, **BEHIND), advise(DEAL, **BEHIND, stakes="games")
    assert plain.best.discard == "QC QS"
    assert plain.table["value"].tolist() == plain.table["win"].tolist()
    table = staked.table
    assert table["value"].is_monotonic_decreasing
    by_hand = table["win"] - table["lose"]
    for won, lost in (("skunk", "skunked"), ("double_skunk", "double_skunked")):
        by_hand += table[won] - table[lost]
    assert table["value"].tolist() == pytest.approx(by_hand.tolist())
    best = staked.best
    assert best.discard == "7C QS"
    wins = plain.best.win - best.win
    skunked = plain.best.skunked - best.skunked
    line = f"For games discard 7C QS: {skunked:.1%} less often skunked for {wins:.1%} fewer wins."
    assert line in str(staked)
    found = staked.to_dict(top=1)
    assert found["stakes"]["name"] == "games"
    assert found["at_the_stakes"]["by_wins"] == "QC QS"
    assert found["at_the_stakes"]["wins"] == pytest.approx(-wins)
    skunks = plain.best.skunk + plain.best.skunked
    told = f"A skunk ends {skunks:.0%} of games here: stakes (acc, games, or 1,2) weigh it."
    assert told in str(plain)
    assert "stakes='games'" in repr(staked)
    argv = ["advise", DEAL, "--pone", "--score", "70-88", "--stakes", "games", "--top", "1"]
    assert main([*argv, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads(json.dumps(found))
    asked = {"cards": DEAL, "role": "pone", "score": "70-88", "stakes": "games", "top": "1"}
    assert json.loads(json.dumps(advice_json(asked))) == told
    assert main(argv) == 0
    shown = capsys.readouterr().out
    assert "stakes games: 1 for a win, 2 for a skunk, 3 for a double skunk, less the opp" in shown
    assert f"worth {best.value:.3f}" in shown


def test_the_play_is_for_the_stakes_too(capsys):
    known = {"discard": "9C KD", "starter": "7H", "laid": "J 5", "role": "pone"}
    hand = "4H 5C JD JS"
    plain, staked = (advise_play(hand, **known, score="80-115", stakes=s) for s in (None, "games"))
    assert plain.options.rank.tolist() == [1, 1, 1]  # all is lost, or so
    assert staked.best.card == "5"
    assert staked.table["value"].is_monotonic_decreasing
    # To go on for more than to win cannot bring less of it.
    assert (np.array(staked.table["skunked"]) <= 1).all()
    worth = -1 - staked.best.skunked - staked.best.double_skunked
    assert staked.best.value == pytest.approx(worth, abs=0.001)
    argv = ["play", hand, "--pone", "--threw", "9C KD", "--starter", "7H", "--laid", "J 5"]
    argv += ["--score", "80-115", "--stakes", "games"]
    assert main(argv) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"Lay the 5: wins 0.0%, worth {staked.best.value:.3f}, ")
    assert " worth " in shown.splitlines()[4]
    assert main([*argv, "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith(",double_skunked,value")


def test_hands_without_suits_have_stakes_too():
    found = advise_ranks("3 3 5 7 Q Q", role="pone", score="70-88", stakes="games")
    assert found.best.discard == "7 Q"
    suited = advise(DEAL, **BEHIND, stakes="games")
    assert found.best.value == pytest.approx(suited.best.value, abs=0.01)
