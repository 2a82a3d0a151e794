"""What people copy from columns, tables and scraps of paper is read, on every surface."""

import pandas as pd
import pytest

from cribev import advise, advise_play, evaluate, peg, score
from cribev.app.web.api import advice_json
from cribev.app.web.ask import parse_question
from cribev.errors import CardError, CribevError, RecordError
from cribev.game.cards import cards_meant, parse_cards, parse_some_suits
from cribev.game.deal import Position
from cribev.game.play import Play
from tests.shell import good, printed, refused


@pytest.mark.parametrize(
    "text",
    ["3H 6D 10S JC", "3h-6d-ts-jc", "h3,d6,s10,cj", "3-H 6-D 10-S J-C", "♥3 ♦6 ♠10 ♣J",
     "3♥️6♦️10♠️J♣️", "H-3-D-6-S-T-C-J", "3 H, 6 D, 10 S, J C", "3H–6D—10S JC"],
)  # fmt: skip
def test_cards_are_read_alike_however_they_are_written(text):
    assert parse_cards(text).tolist() == [10, 21, 39, 40]
    assert parse_some_suits(text) == (10, 21, 39, 40)
    assert peg(text).laid == [10, 21, 39, 40]
    assert score(f"{text} 8H") == score("3H 6D TS JC 8H")


def test_dashes_and_ranks_reach_every_command():
    assert good("tables", "play", "3-6-9-9") == good("tables", "play", "3699")
    assert good("peg", "3-10-9-2-7") == good("peg", "3 T 9 2 7")
    assert good("peg", "3 T", "--pone", "3-4-5-5", "--dealer", "T,9,9,K")
    six = ["3H", "4D", "9S", "JC", "9C", "KD"]
    wanted = good("advise", *six, "--pone", "--versus", "9C KD")
    assert good("advise", "h3-d4-s9-cj-c9-dk", "--pone", "--versus", "c9 k") == wanted
    own = ("--dealer", "--threw", "d2-s2", "--starter", "h-7", "--laid", "9-4-7")
    given = ("--dealer", "--threw", "2D 2S", "--starter", "7H", "--laid", "9 4 7")
    cards = "4C", "8D", "8H", "KS"
    assert printed("play", "c4-d8-h8-sk", *own) == printed("play", *cards, *given)
    found = evaluate(["h3-d4-s9-cj-c9-dk"], role="pone").iloc[0]
    assert found.best_discard == evaluate(["3H4D9SJC9CKD"], role="pone").iloc[0].best_discard
    given = {"cards": "h3-d4-s9-cj-c9-dk", "role": "pone", "mine": "k-j"}
    assert parse_question(given)[1] == "JC KD"


def test_a_rank_alone_means_a_card_held_where_only_one_fits():
    assert cards_meant("9 9S", [10, 32, 35], count=2) == (32, 35)
    assert cards_meant("9 9", [10, 32, 35], count=2) == (32, 35)
    with pytest.raises(CardError, match="'9' in '3 9' may be 9C or 9S: write its suit"):
        cards_meant("3 9", [10, 32, 35], count=2)
    assert cards_meant("3 4D", [10, 32, 35], count=2) == (10, 13)


def test_a_star_says_who_deals():
    six = "3H 4D 9S JC 9C KD"
    for text, role in (("117*-104", "dealer"), ("117-104*", "pone")):
        told = advise(six, score=text)
        assert (told.role, told.best) == (role, advise(six, role=role, score=(117, 104)).best)
        assert printed("advise", six, "--score", text)["role"] == role
        assert advice_json({"cards": six, "score": text})["role"] == role
        assert parse_question({"cards": six, "score": text})[0].role == role
        assert evaluate([six], score=text).win[0] == pytest.approx(told.best.win, abs=0.001)
    rows = pd.DataFrame({"cards": [six] * 2, "score": ["117*-104", "117-104*"]})
    alike = evaluate(rows.assign(role=["dealer", "pone"])).win.tolist()
    assert evaluate(rows).win.tolist() == alike
    with pytest.raises(CribevError, match="'117-104': expected a star at the dealer's"):
        evaluate(rows.assign(score=["117-104", "117*-104"]))
    assert Position.read("3H 4D 9S JC", laid="9", score="117*-104").role == "dealer"
    known = ("--threw", "9C KD", "--starter", "7H", "--score")
    assert printed("play", "3H", "4D", "9S", "JC", *known, "117-104*")["position"][:4] == "pone"
    wrong = "the star is at the points of the player, who is pone"
    assert wrong in refused("advise", six, "--pone", "--score", "117*-104")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('K J 9 "Go" A "Go!" 4? 6!', "K J 9 go A go 4 6"),
        ("9-6-15/2-K", None),
        ("9 6 15/2 K (25) A 26-0 5 (31-2)", "9 6 K A 5"),
        ("K J 9 (go) (go) 5", "K J 9 go go 5"),
        ("K J 9 go-1 A 30", None),
        ("“9” 6.", "9 6"),
        ("3 3 6-2 3 9-6", "3 3 3"),
        ("K-J-9-go-A", "K J 9 go A"),
    ],
)
def test_plays_are_read_as_columns_print_them(text, read):
    if read is None:
        with pytest.raises((CardError, RecordError)):
            Play.parse(text)
    else:
        assert str(Play.parse(text)) == read


def test_a_name_in_a_play_is_told_to_be_one():
    with pytest.raises(CardError, match="'Ann:', character 1, is a name: expected the cards alone"):
        peg("Ann: 5, Bob: J")


def test_a_play_that_can_be_read_in_two_ways_says_which():
    said = "The 2 is taken as laid by dealer; if dealer said go before it, write 'K J 9 go 2'."
    assert said in good("peg", "K J 9 2")
    told = advise_play("K 9 2 3", role="pone", laid="K J 9 2")
    assert told.position.play.doubt == said
    assert said in str(told)
    asked = "play", "K", "9", "2", "3", "--pone", "--laid", "K J 9 2"
    assert printed(*asked)["doubt"] == said
    assert not Position.read("K 9 2 3", role="pone", laid="K J 9 go 2").play.doubt
