"""What people copy from columns, tables and scraps of paper is read, on every surface."""

import csv
import json
import re
from io import StringIO
from itertools import product

import numpy as np
import pandas as pd
import pytest

from cribev import (
    advise,
    advise_play,
    evaluate,
    evaluate_deals,
    explain,
    parse_cards,
    peg,
    review,
    score,
)
from cribev.app.web.api import advice_json, score_json
from cribev.commands.cli import main
from cribev.errors import CardError, CribevError, RecordError
from cribev.game.cards import (
    NUMBERINGS,
    RANKS,
    cards_meant,
    format_cards,
    parse_card_text,
    parse_some_suits,
    random_hands,
)
from cribev.game.deal import Position
from cribev.game.play import Play
from cribev.game.roles import ROLES
from cribev.game.score import Score
from cribev.game.scorer import suit_points
from cribev.records.games import contradicted_results
from cribev.records.pgn import format_pgn, parse_pgn
from cribev.records.record import as_record
from cribev.solution.solution import load
from tests import play_oracle
from tests.oracle import DECK
from tests.oracle import points as points_of
from tests.play_oracle import pips
from tests.shell import good, printed, refused, run

pytestmark = pytest.mark.usefixtures("in_a_folder")


@pytest.mark.parametrize(
    "text",
    ["3H 6D 10S JC", "3h-6d-ts-jc", "h3,d6,s10,cj", "3-H 6-D 10-S J-C", "♥3 ♦6 ♠10 ♣J",
     "3♥️6♦️10♠️J♣️", "H-3-D-6-S-T-C-J", "3 H, 6 D, 10 S, J C", "3H–6D—10S JC",
     "[3H,6D,10S,JC]", '["3H", "6D", "TS", "JC"]', "{3H, 6D} (10S) 'JC'", "‘3H’ “6D” TS»JC",
     "three of hearts, Six of Diamonds, ten of ♠, Jack of c", "ThreeOfHearts 6diamonds TS 11C",
     "3 of hearts 6_of_diamonds 10spades jack clubs"],
)  # fmt: skip
def test_cards_are_read_alike_however_they_are_written(text):
    assert parse_card_text(text).tolist() == [10, 21, 39, 40]
    assert parse_some_suits(text) == (10, 21, 39, 40)
    assert peg(text).laid == [10, 21, 39, 40]
    assert score(f"{text} 8H") == score("3H 6D TS JC 8H")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("3 hearts, six of harts", "harts"),
        ("3Hearz", "3Hearz"),
        ("[3H, 6Dx]", "6Dx"),
        ("jacks", "jacks"),
    ],
)
def test_invalid_card_is_quoted_as_whole_word(text, word):
    with pytest.raises(CardError, match=f"^invalid card '{word}': expected a rank and a suit"):
        parse_card_text(text)


@pytest.mark.parametrize(
    "text",
    [
        """(3, "H"), (6, 'D'), (10, "S"), (11, "C")""",
        "[('3', 'H'), (6,'D'), ('T','S'), ('J','c')]",
        "3H/6D/10S/JC",
        "3♥ 6♦ 10♠ V♣",
        "3♥6♦10♠️B♣",
        "THREE_OF_HEARTS SIX_OF_DIAMONDS TEN_OF_SPADES JACK_OF_CLUBS",
    ],
)
def test_cards_are_read_as_programs_and_other_decks_write_them(text):
    assert parse_card_text(text).tolist() == [10, 21, 39, 40]
    assert score(f"{text} 8H") == score("3H 6D TS JC 8H")


def test_courts_of_french_and_german_cards_are_told_by_signs():
    assert parse_card_text("V♠ D♥ R♦ A♣").tolist() == parse_card_text("JS QH KD AC").tolist()
    assert parse_card_text("B♠ D♥ K♦").tolist() == parse_card_text("JS QH KD").tolist()
    for text in ("VS", "RD 5H", "BS"):
        with pytest.raises(CardError, match="invalid card"):
            parse_card_text(text)


def test_a_rank_and_a_suit_are_a_card():
    assert score([(5, "D"), (5, "S"), (5, "C"), (11, "D")], (5, "H")) == 28
    assert score([(1, "D"), (5, "S"), (5, "C"), (11, "D"), (5, "D")]) == score("AD 5S 5C JD 5D")
    with pytest.raises(CardError, match="invalid card '14D'"):
        score([(14, "D"), (5, "S"), (5, "C"), (11, "D"), (5, "H")])


def test_a_starter_is_told_by_its_name():
    for text in (
        "5h 5d 5c js cut 5s", "starter: 5s; hand: 5h 5d 5c js", "hand: 5h 5d 5c js, cut: 5s",
        "5h 5d 5c js turn up 5s",
    ):  # fmt: skip
        assert score(text) == 29
        assert good("score", text) == "29\n"
    for text in ("5h 5d 5c js cut", "5h 5d 5c js cut 5s 6s", "hand 5h 5d cuts 5s"):
        assert "expected" in refused("score", text)


def test_a_bar_parts_the_starter():
    for text in ("5H 5S 5C JD | 5D", "5D|5H 5S 5C JD", "[5H, 5S, 5C, JD] (5D)"):
        assert score(text) == 29
        assert good("score", text) == "29\n"
    assert score("5D | JD 5S 5C 5H") == 29
    assert score("JD | 5D 5S 5C 5H") == 28


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
    given = {"cards": "h3-d4-s9-cj-c9-dk", "role": "pone", "versus": "k-j"}
    assert advice_json(given)["comparison"]["choice"]["discard"] == ["JC", "KD"]


def test_bare_rank_matches_only_one_held_card():
    assert cards_meant("9 9S", [10, 32, 35]) == (32, 35)
    assert cards_meant("9 9", [10, 32, 35]) == (32, 35)
    with pytest.raises(CardError, match="'9' in '3 9' may be 9C or 9S: write its suit"):
        cards_meant("3 9", [10, 32, 35])
    assert cards_meant("3 4D", [10, 32, 35]) == (10, 13)


def test_a_star_says_who_deals():
    six = "3H 4D 9S JC 9C KD"
    for text, role in (("117*-104", "dealer"), ("117-104*", "pone")):
        told = advise(six, score=text)
        assert (told.role, told.best) == (role, advise(six, role=role, score=(117, 104)).best)
        assert printed("advise", six, "--score", text)["role"] == role
        assert advice_json({"cards": six, "score": text})["role"] == role
        assert evaluate([six], score=text).win[0] == pytest.approx(told.best.win, abs=0.001)
    rows = pd.DataFrame({"cards": [six] * 2, "score": ["117*-104", "117-104*"]})
    alike = evaluate(rows.assign(role=["dealer", "pone"])).win.tolist()
    assert evaluate(rows).win.tolist() == alike
    with pytest.raises(CribevError, match="'117-104': expected a star at the dealer's"):
        evaluate(rows.assign(score=["117-104", "117*-104"]))
    assert Position.read("3H 4D 9S JC", laid="9", score="117*-104").role == "dealer"
    known = ("--threw", "9C KD", "--starter", "7H", "--score")
    assert printed("play", "3H", "4D", "9S", "JC", *known, "117-104*")["position"][:4] == "pone"
    assert Score.read("117 to 104", "pone") == Score.read("117-104", "pone")
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
        ('["K", "J", "9", "go", "A"]', "K J 9 go A"),
        ("[king, jack, nine, go, ace]", "K J 9 go A"),
        ("K J 9 (29-1)", "K J 9 go go"),
        ("K J 9 29 for 1, 5", "K J 9 go go 5"),
        ("K J 9 (29-2)", None),
        ("K 7 T 3 Pass pass 8 J Q", "K 7 T 3 go go 8 J Q"),
        ("K 7 T 3 go go 8 J Q go go J", "K 7 T 3 go go 8 J Q go J"),  # pone has no card left
        ("K 7 T 3 go go go 8", None),
        ("K passing", None),
    ],
)
def test_plays_are_read_as_columns_print_them(text, read):
    if read is None:
        with pytest.raises((CardError, RecordError)):
            Play.parse(text)
    else:
        assert str(Play.parse(text)) == read


def test_name_in_a_play_is_reported():
    with pytest.raises(CardError, match="'Ann:', character 1, is a name: expected the cards alone"):
        peg("Ann: 5, Bob: J")


def test_a_point_for_a_go_ends_the_count():
    assert peg("K J 9 (29-1)").points == {"dealer": 0, "pone": 1}
    told = printed("play", "9", "A", "6", "7", "--dealer", "--laid", "4 9 K A 5 (29-1)")
    assert (told["count"], [row["card"] for row in told["cards"]]) == (0, ["7", "6"])
    with pytest.raises(RecordError, match="pone cannot say go at a count of 29: 2 fits"):
        peg("K J 9 (29-1)", pone="K 9 2 3", dealer="J T Q K")


def readings(tokens):
    """All ways in which ranks 1 to 13, goes and "/" can have been played, who laid what."""
    found = set()

    def follow(at, events, left, turn, count, alone, last):
        here = tokens[at] if at < len(tokens) else None
        if left[turn] == 0 < left[1 - turn]:  # who has no card left says go, written or not
            ends = (1 - last, 0, False) if alone else (1 - turn, count, True)
            follow(at, events, left, *ends, last)
            if here == "go" and alone:
                follow(at + 1, events, left, *ends, last)
            return
        if here is None:
            for place, (who, what, before) in enumerate(events):
                later = [card for one, card, _ in events[place:] if one == who and card != "go"]
                if what == "go" and any(before + pips(card) <= 31 for card in later):
                    return
            found.add(tuple((who, what) for who, what, _ in events))
            return
        card = here if isinstance(here, int) else None
        written = at > 0 and tokens[at - 1] == "go"
        if here == "/" and not count:
            follow(at + 1, events, left, turn, count, alone, last)
        elif count > 21 and not (card and written and count + pips(card) <= 31):
            after = (1 - last, 0, False) if alone or not left[1 - turn] else (1 - turn, count, True)
            follow(at + (here == "go"), (*events, (turn, "go", count)), left, *after, last)
        if card and left[turn] and (now := count + pips(card)) <= 31:
            rest = tuple(number - (who == turn) for who, number in enumerate(left))
            after = (1 - turn, 0, False) if now == 31 else (turn if alone else 1 - turn, now, alone)
            follow(at + 1, (*events, (turn, card, now)), rest, *after, turn)

    follow(0, (), (4, 4), 0, 0, False, 0)
    return found


def test_play_is_ambiguous_only_with_two_readings():
    rng, doubts = np.random.default_rng(5), 0
    for _ in range(400):
        deck = rng.permutation(np.repeat(np.arange(1, 14), 4)).tolist()
        moves, table = [], play_oracle.start(deck[:4], deck[4:8])
        while not play_oracle.is_over(table) and len(moves) < rng.integers(3, 20):
            laid = next(iter(rng.permutation(play_oracle.options(table)).tolist()), None)
            table, _ = play_oracle.move(table, laid)
            moves += [laid or "go", *(() if table[2] else ["/"])]
        for left_out in ({"go", "/"}, {"go"}, {"/"}):
            tokens = [move for move in moves if move not in left_out]
            text = " ".join(one if isinstance(one, str) else RANKS[one - 1] for one in tokens)
            every, play = readings(tokens), Play.parse(text)
            assert bool(play.doubt) == (len(every) > 1), text
            doubts += bool(play.doubt)
            assert tuple(
                (ROLES.index(one.role) ^ 1, "go" if one.rank is None else one.rank + 1)
                for one in play.steps if not one.silent
            ) in every  # fmt: skip
    assert 100 < doubts < 900
    assert (
        "if pone said go before it, write 'Q A 4 K go 3 go 7 9 8'" in peg("Q A 4 K 3 / 7 9 8").doubt
    )


def test_ambiguous_play_says_which_reading():
    said = "The 2 is taken as played by dealer; if dealer said go before it, write 'K J 9 go 2'."
    assert said in good("peg", "K J 9 2")
    told = advise_play("K 9 2 3", role="pone", laid="K J 9 2")
    assert told.position.play.doubt == said
    assert said in str(told)
    asked = "play", "K", "9", "2", "3", "--pone", "--laid", "K J 9 2"
    assert printed(*asked)["doubt"] == said
    assert not Position.read("K 9 2 3", role="pone", laid="K J 9 go 2").play.doubt


@pytest.mark.slow
def test_wins_in_play_average_over_unknown_suits():
    """An average over forty deals with suits, drawn at random, is where it should be."""
    rng, known = np.random.default_rng(11), {"role": "dealer", "laid": "Q", "score": "104-109"}
    ranks = np.array([2, 3, 10, 11, 6, 7, 4])
    wins = []
    while len(wins) < 40:
        cards = (4 * ranks + rng.integers(0, 4, 7)).tolist()
        told = advise_play(cards[:4], discard=cards[4:6], starter=cards[6], **known)
        wins.append(told.table.set_index("card").win)
    mean, error = (getattr(pd.concat(wins, axis=1), of)(axis=1) for of in ("mean", "sem"))
    found = advise_play("3-4-J-Q", discard="7 8", starter="5", **known)
    win = found.table.set_index("card").win
    assert (abs(win - mean) < 4 * error + 0.0005).all()
    assert "any suits" in str(found)
    assert found.to_dict()["suits"] == "any"
    one = advise_play("3 4 J QC", starter="5", **known)  # whatever goes to the crib
    assert one.best.win == pytest.approx(found.best.win, abs=0.06)
    asked = ("play", "3", "4", "J", "Q", "--score", "104*-109", "--starter", "5", "--laid", "Q")
    assert printed(*asked, "--stakes", "games")["cards"][0]["value"]


def test_ranks_count_without_suit_points():
    assert good("score", "9 6 6 6 3").startswith("18 without flush and nobs")
    every = [score([4 * 10 + s, 1, 6, 11, 16 + t]) for s in range(4) for t in range(4)]
    found = suit_points(np.array([74, 1, 6, 11], np.uint8), 68)
    assert found.points + found.suits_add == pytest.approx(np.mean(every))
    assert found.points + found.suits_add_most == max(every)
    assert score("J AC 2H 3S 5") == found.points
    shown = explain("J AC 2H 3S", "5")
    assert shown.total == found.points
    assert f"{found.points} without flush and nobs, which add 0.25 on average" in str(shown)
    assert printed("score", "J AC 2H 3S 5")["suits_add_most"] == 1
    with pytest.raises(CribevError, match="there are five 6s: a deck has four"):
        score("6 6 6 6 6")


def test_blank_lines_and_header_are_skipped():
    text = b"cards\n\n3C 4D 5H 5S 6C\n , \n9-9-6-6-3\n10 4 4 4 3\n"
    assert run("score", stdin=text).stdout == b"14\n14\n8\n"
    for bad in (b"3C 4D 5H 5S 6C\ncards\n", b"\n3C 4D 5H 5S\n", b"cards\nhands\n"):
        assert b"line 2: " in run("score", stdin=bad).stderr


def test_files_of_hands_are_counted(tmp_path):
    deck = random_hands(3000, cards=9, seed=5)
    texts = [format_cards(hand) for hand in deck.tolist()]
    rows = {
        "id": range(len(deck)),
        "Hand": [text[:11] for text in texts],
        "starter": [text[12:14] for text in texts],
        "crib": [text[15:] for text in texts],
    }
    pd.DataFrame(rows).to_csv("hands.csv", index=False)
    assert good("score", "hands.csv", "-o", "points.parquet") == ""
    found = pd.read_parquet("points.parquet")
    assert found.columns.tolist() == ["id", "hand", "starter", "crib", "points", "crib_points"]
    for at in range(0, len(deck), 97):
        names = texts[at].split()
        hand, cut, crib = names[:4], names[4], names[5:]
        assert found["points"][at] == points_of(hand, cut)
        assert found["crib_points"][at] == points_of(crib, cut, crib=True)
    (tmp_path / "f.csv").write_text("hand,crib\n3C 4C 5C 6C 7D,yes\n3 4 5 6 7,no\n3C4C5C6C7D,\n")
    counted = [line.split(",")[-1] for line in good("score", "f.csv").split("\n")]
    assert counted == ["points", "9", "9", "13", ""]
    (tmp_path / "f.csv").write_text("hand,starter\n3C 4C 5C 6C,7D\n3C 4C 5C 6C,5C\n")
    assert refused("score", "f.csv") == (
        "'f.csv' line 3: '3C 4C 5C 6C 5C': expected five different cards"
    )
    (tmp_path / "f.csv").write_text("hands\n3C 4C 5C 6C\n")
    assert "no column 'hand': there are 'hands'" in refused("score", "f.csv")


@pytest.mark.parametrize("heading", ["is_crib", "isCrib", "Is Crib", "Crib?", "type"])
def test_a_crib_is_known_by_any_heading(heading, tmp_path):
    said = ("crib", "hand") if heading == "type" else ("true", "no")
    (tmp_path / "hands.csv").write_text(
        f"hand,cutCard,{heading}\n" + "".join(f"AC 3C 5C 7C,8S,{one}\n" for one in said)
    )
    points = [line.rpartition(",")[2] for line in good("score", "hands.csv").splitlines()[1:]]
    assert points == ["4", "8"]


def test_bad_hands_of_a_file_are_set_aside(tmp_path):
    rows = ["AC 3C 5C 7C,8S,one", "5C 5C 3D 4D,8S,two", "5H 5D 5C JS,5S,three", "x,8S,four"]
    (tmp_path / "hands.csv").write_text("\n".join(["hand,starter,note", *rows, ""]))
    assert "line 3: 5C comes twice in '5C 5C 3D 4D'" in refused("score", "hands.csv")
    told = run("score", "hands.csv", "--errors", "skip", "-o", "points.csv").stderr.decode()
    assert told == "hands counted: 2; rows rejected: 2 (see points.csv.rejects.csv)\n"
    points = pd.read_csv("points.csv")
    assert points[["note", "points"]].to_numpy().tolist() == [["one", 8], ["three", 29]]
    rejects = pd.read_csv("points.csv.rejects.csv")
    assert rejects[["line", "row"]].to_numpy().tolist() == [[3, rows[1]], [5, rows[3]]]
    assert "needs an output file" in refused("score", "hands.csv", "--errors", "skip")
    assert "--errors goes with a file" in refused("score", "5C 6D 7D QH 6H", "--errors", "skip")


def test_rows_come_after_their_number_or_in_one_object(tmp_path):
    deals = ["5H 5D JS QC 2H 8D", "AH 2C 7D 9S JH QC"]
    wanted = good("batch", "--pone", stdin="\n".join(["cards", *deals, ""]).encode())
    (tmp_path / "deals.txt").write_text("\n".join(["2", *deals, ""]))
    assert good("batch", "deals.txt", "--pone") == wanted
    rows = json.dumps({"drills": [{"cards": deal} for deal in deals]}, indent=2)
    (tmp_path / "deals.json").write_text(rows)
    assert good("batch", "deals.json", "--pone") == wanted
    assert good("score", stdin=b"2\n5H 5D 5C JS 5S\n4 5 5 6 6\n") == "29\n24\n"
    own = {"moves": [{"card": "5"}], "cards": deals[0]}
    (tmp_path / "own.jsonl").write_text(json.dumps(own) + "\n")
    assert "moves,cards,best_discard" in good("batch", "own.jsonl", "--pone")


def test_record_with_both_players_per_row_is_reviewed():
    one, other = ("3H 4D 9S JC 9C KD", "JC KD"), ("5S 6C TH TC 2C 2D", "2C 2D")
    rows = [
        (1, "Ann", "pone", *one, "7H"),
        (1, "Bo", "dealer", *other, "7H"),
        (2, "Ann", "dealer", *one, "8H"),
        (2, "Bo", "pone", *other, "8H"),
    ]
    names = ["deal", "player", "role", "cards", "discard", "starter"]
    wanted = as_record(pd.DataFrame(rows, columns=names)).frame
    shared = {"deal": [1, 2], "starter": ["7H", "8H"]}
    cells = {
        f"{begins}{name}": [text] * 2
        for begins, cards in (("p1_", ("Ann", *one)), ("P2 ", ("Bo", *other)))
        for name, text in zip(("name", "cards", "discard"), cards, strict=True)
    }
    for dealer in (["p2", "p1"], ["2", "1"], ["Bo", "Ann"]):
        found = as_record(pd.DataFrame(shared | {"dealer": dealer} | cells)).frame
        pd.testing.assert_frame_equal(found[wanted.columns], wanted)
    sides = {"pone": [one, other], "dealer": [other, one]}
    by_role = {
        f"{role}_{name}": [both[at] for both in pairs]
        for role, pairs in sides.items()
        for at, name in enumerate(("cards", "discard"))
    }
    record = pd.DataFrame(shared | by_role)
    found = as_record(record).frame
    assert sorted(found["cards"]) == sorted(wanted["cards"])
    assert found.groupby("player")["cards"].nunique().tolist() == [1, 1]
    record.to_csv("both.csv", index=False)
    assert "4 discards" in good("review", "both.csv", "--fast")
    with pytest.raises(RecordError, match="no column 'dealer_discard' in the record, which has"):
        as_record(record.drop(columns="dealer_discard"))


ROWS = "deal,role,cards,discard,starter\n1,dealer,5H 5D JS QC 2H 8D,2H 8D,4C\n"
FILES = {
    "utf8.log": ROWS.encode("utf-8-sig"),
    "utf16.txt": ROWS.replace(",", "\t").encode("utf-16"),
    "big endian.csv": b"\xfe\xff" + ROWS.encode("utf-16-be"),
    "dos.csv": f"\r\n{ROWS}\n".replace("\n", "\r\n").encode(),
    "comments.csv": f"# of Monday, at home\n#\n{ROWS}# the end\n".encode(),
    "comments.txt": f"# of Monday\n{ROWS}\n# the end, of a game\n".encode(),
    "rows.json": json.dumps([
        {"deal": 1, "role": "dealer", "cards": ["5H", "5D", "JS", "QC", "2H", "8D"],
         "discard": '["2H", "8D"]', "starter": "(4C)"}
    ], indent=1).encode(),
    "rows.jsonl": b'# a row\n\n{"deal": 1, "role": "dealer", "cards": "5H 5D JS QC 2H 8D", '
                  b'"discard": "2H 8D", "starter": "4C"}\n',
    "game.log": b"; by hand\n[Result \"*\"] \n% escaped\n1. H1 5H 5D JS QC 2H 8D $1 D1 2H 8D ; a\n"
                b" {kept} C 4C $14\n",
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_are_read_by_what_is_in_them(name, tmp_path):
    (tmp_path / name).write_bytes(FILES[name])
    (found,) = csv.DictReader(good("review", name, "--fast", "--format", "csv").splitlines())
    said = [found[column] for column in ("deal", "role", "cards", "discard", "starter")]
    assert said == ["1", "dealer", "2H 5D 5H 8D JS QC", "2H 8D", "4C"]
    if name != "game.log":
        (found,) = csv.DictReader(good("batch", name).splitlines())
        assert found["best_discard"] == "2H 8D"


def test_files_of_cards_alone_are_read(tmp_path):
    (tmp_path / "hands.txt").write_text("# of Monday\n3C 4C 5C 6C 7D\n\n5H 5C 5S JD 5D\n")
    (tmp_path / "deals.log").write_text("5H 5D JS QC 2H 8D\n1X\n")
    scored = [*csv.DictReader(good("score", "hands.txt").splitlines())]
    assert [one["points"] for one in scored] == ["13", "29"]
    assert "'deals.log' line 2: invalid card '1X'" in refused("batch", "deals.log", "--dealer")
    assert "no column 'role'" in refused("batch", "deals.log")
    assert run("score", stdin=b"# hands\n3C 4C 5C 6C 7D\n\n# end\n").stdout == b"13\n"
    (tmp_path / "notes.txt").write_text("we met at eight\n")
    for command in ("batch", "score"):
        assert "what format is 'notes.txt'? expected .csv" in refused(command, "notes.txt")
    for text in ("we met at eight\n", "deal,cards\n", "deal,discard\n"):
        (tmp_path / "notes.txt").write_text(text)
        assert "a first line with the columns deal, role" in refused("review", "notes.txt")


def test_evaluate_reads_columns_as_batch_does():
    names = [f"Card {number}" for number in range(1, 7)]
    wanted = evaluate(["5H 5D JS QC 2H 8D"], role="dealer").iloc[:, 1:]
    by_number = pd.DataFrame([[18, 17, 43, 44, 6, 29]], columns=names)
    by_text = pd.DataFrame([["5H", "5D", "JS", "QC", "2H", "8D"]], columns=names)
    one_column = pd.DataFrame({"hand": ["18 17 43 44 6 29"]})
    ours, theirs = NUMBERINGS
    by_suit = pd.DataFrame({"hand": ["30 17 49 11 27 20"]})
    for frame, numbers in (
        (by_number, ours), (by_text, None), (one_column, ours), (by_suit, theirs),
    ):  # fmt: skip
        found = evaluate(frame.assign(dealer="yes"), numbers=numbers)
        pd.testing.assert_frame_equal(found[wanted.columns], wanted)
    scored = one_column.assign(score=44, opponent_score=12)  # a score is no card
    assert 0 < evaluate(scored, role="pone", numbers=ours)["win"][0] < 1
    with pytest.raises(CribevError, match="numbers=True: expected rank-major or suit-major"):
        evaluate(one_column, role="pone", numbers=True)


def test_card_numbers_are_read_as_they_are_numbered():
    assert good("score", "--numbers", "suit-major", "4 17 30 49 | 43") == "29\n"
    assert good("score", "--numbers", "rank-major", "4", "17", "30", "49", "43") == "6\n"
    for numbers, text in zip(NUMBERINGS, ("18 37 0 51", "30 22 0 51"), strict=True):
        assert parse_cards(text, numbers=numbers).tolist() == [18, 37, 0, 51]
        assert parse_cards([text] * 2, count=4, numbers=numbers).tolist() == [[18, 37, 0, 51]] * 2
    assert "'30': expected a rank and a suit" in refused("score", "4 17 30 49 43")
    assert "of a card's number say which, rank-major or suit-major" in refused("score", "30 4 5 6")
    for wrong in ("52 4 5 6", "4 17 30 -1"):
        assert "invalid card" in refused("score", "--numbers", "suit-major", wrong)


P1 = ",".join(f"p1_card{at}" for at in range(1, 7))
HEADINGS = [
    ("deal,role,cards,discard,starter", (), "1,dealer,5H 5D JS QC 2H 8D,2H 8D,4C"),
    ("Hand Number,Dealer,dealt-cards,Discards,CUT", (), "1,yes,[5H 5D JS QC 2H 8D],(2H 8D),4C"),
    ("hand_no,is_crib,kept,thrown,start", (), "1,True,5H 5D JS QC,2H 8D,4C"),
    ("dealNumber,cribOwner,dealtCards,Discards,cutCard", (),
     "1,player,5H 5D JS QC 2H 8D,2H 8D,4C"),
    ("deal_id,own_crib,c1,c2,c3,c4,c5,c6,discard_1,discard_2,starter_card", (),
     "1,1,5H,5D,JS,QC,2H,8D,2H,8D,4C"),
    ("deal,role,cards,discard,Turn", ("--columns", "Turn=starter"),
     "1,dealer,5H5DJSQC2H8D,2H8D,four of clubs"),
    ("deal,role,cards,discard,cut", ("--numbers", "rank-major"),
     "1,dealer,18 17 43 44 6 29,[6;29],12"),
    ("deal,player,dealer,cards,discard,cut", (), "1,Ann,Ann,5H 5D JS QC 2H 8D,2H 8D,4C"),
    (f"deal,dealer,{P1},p1_discard1,p1_discard2,p2_cards,p2_discard,cut",
     ("--numbers", "rank-major"),
     "1,p1,18,17,43,44,6,29,6,29,21 25 30 36 37 51,37 51,12"),
]  # fmt: skip


@pytest.mark.parametrize(("head", "given", "row"), HEADINGS)
def test_columns_are_read_by_what_they_are_called(head, given, row, tmp_path):
    (tmp_path / "a.csv").write_text(f"{head}\n{row}\n")
    found, *_ = csv.DictReader(
        good("review", "a.csv", "--fast", "--format", "csv", *given).splitlines()
    )
    said = [found[name] for name in ("deal", "role", "cards", "discard", "starter")]
    assert said == ["1", "dealer", "2H 5D 5H 8D JS QC", "2H 8D", "4C"]
    if not {"kept", "player", "p2_cards"} & {*head.split(",")}:
        (found,) = csv.DictReader(good("batch", "a.csv", *given).splitlines())
        assert found["best_discard"] == "2H 8D"


def test_simulator_rows_for_both_players_are_read(tmp_path):
    names = "game_number,hand_number,dealer,p1_dealt_cards,p1_discards,p2_kept,p2_discards,cut"
    row = '3,1,p1,"5H,5D,JS,QC,2H,8D","2H,8D",6C 7C 8S TC,TH KD,4C'
    (tmp_path / "a.csv").write_text(f"{names}\n{row}\n")
    found = list(csv.DictReader(good("review", "a.csv", "--fast", "--format", "csv").splitlines()))
    assert [(one["player"], one["role"], one["starter"], one["discard"]) for one in found] == [
        ("p1", "dealer", "4C", "2H 8D"), ("p2", "pone", "4C", "TH KD"),
    ]  # fmt: skip


RENEGE = """game,deal,player,role,cards,discard,starter,play,score,result
a,1,Ann,pone,KD JH 9C 4C 2H 2D,4C 2D,6S,K T 9 go 2 A!! J 8 5,0-0*,121-90
a,1,Bob,dealer,TH 8C 5C AC 3C 3D,3C 3D,6S,K T 9 go!! 2 A J 8 5,0*-0,121-90
"""


@pytest.mark.slow
def test_renege_that_nobody_noticed(tmp_path):
    laid = "K T 9 go 2 A!! J 8 5"
    for hands in ({}, {"pone": "K 9 2 J"}, {"pone": "K 9 2 J", "dealer": "T 8 5 A"}):
        held = {role: parse_some_suits(cards) for role, cards in hands.items()}
        play = Play.parse(laid, held)
        assert play == Play.parse(str(play), held)
        assert str(play) == "K T 9 go!! 2 A J 8 5"
        assert play.points == {"pone": 2, "dealer": 1}
    with pytest.raises(RecordError, match=r"the A played later fits \(write A!! if nobody"):
        Play.parse(laid.replace("!", ""))
    with pytest.raises(RecordError, match="'A', character 9: expected the go before it"):
        Play.parse("K T 9 2 A!!")
    # A go says that nothing fits until the card that belies it is seen.
    held = {at: advise_play(f"pone:KDJH9C2H/4C2D:6S:KT9{at}") for at in ("go!!", "go!!2A")}
    left = {at: {*"".join(one.range.holdings["cards"])} for at, one in held.items()}
    assert ("A" in left["go!!"], {"A", "2"} <= left["go!!2A"]) == (False, True)
    (tmp_path / "a.csv").write_text(RENEGE)
    done = run("review", "a.csv", "--format", "csv", "--cards", "--html", "a.html")
    cards = [*csv.DictReader(done.stdout.decode().splitlines())]
    assert [one["card"] for one in cards] == ["K", "T", "9", "2", "A", "J", "8", "5"]
    assert all(one["verdict"] for one in cards)
    (tmp_path / "a.pgn").write_bytes(run("review", "a.csv", "--format", "pgn").stdout)
    again = run("review", "a.pgn", "--format", "csv", "--cards").stdout.decode().splitlines()
    both = zip(cards, csv.DictReader(again), strict=True)
    assert all(one[name] == two[name] for one, two in both for name in ("laid", "card", "verdict"))
    assert b"game a: the result is '121-90', and by its deals the score is " in done.stderr
    assert "game a: the result is &#39;121-90&#39;, and" in (tmp_path / "a.html").read_text()


@pytest.mark.parametrize(
    ("after", "result", "told"),
    [
        ("118-121", "121-118", False), ("118-121", "118–121", False), ("118-121", "121-112", True),
        ("108-112", "1-0", True), ("118-121", "0-1", False), ("118-121", "won", False),
    ],
)  # fmt: skip
def test_result_that_is_not_the_score(after, result, told):
    row = {"deal": 1, "role": "pone", "cards": "KD JH 9C 4C 2H 2D", "discard": "2H 2D"}
    frame = pd.DataFrame([row | {"score": "100-109*", "score_after": after, "Result": result}])
    notes = contradicted_results(as_record(frame))
    score = f"game 1: the result is {result!r}, and by its deals the score is {after}"
    assert notes == [score] * told


def test_pgn_result_without_an_end(data):
    games = (data / "cribbage_zero.pgn").read_text()
    part = games[: games.index("\n5.\n")]
    (note,) = contradicted_results(as_record(parse_pgn(part)))
    assert note.startswith("game first: the result is '1-0', and by its deals the score is ")


def test_unknown_column_is_asked_for(tmp_path):
    (tmp_path / "a.csv").write_text("hnd,cut\n3C 4C 5C 6C,7D\n")
    assert "did you mean 'hnd'? --columns hnd=hand" in refused("score", "a.csv")
    assert good("score", "a.csv", "--columns", "hnd=hand").split()[-1].endswith(",13")
    (tmp_path / "a.csv").write_text("hnd\x07,starter\n3C 4C 5C 6C,7D\n")
    assert r"did you mean 'hnd\x07'? --columns 'hnd\x07'=hand" in refused("score", "a.csv")
    (tmp_path / "a.csv").write_text("deal,role,card,discard\n")
    for command in ("batch", "review"):
        assert "did you mean 'card'? --columns card=cards" in refused(command, "a.csv")
    (tmp_path / "a.csv").write_text("ha nd;starter\n")
    assert "--columns 'ha nd'=hand" in refused("score", "a.csv")
    assert "expected --columns THEIRS=OURS" in refused("batch", "a.csv", "--columns", "card")
    for command in ("batch", "score", "review"):
        assert "no column 'Tunr' for --columns" in refused(
            command, "a.csv", "--columns", "Tunr=starter"
        )


@pytest.mark.slow
def test_a_number_is_parted_into_what_makes_it():
    advice = advise("AC 4C 6C 8C JC JD", role="dealer", opponent="uniform")
    why = advice.explain("8C JD")
    parts = why.to_dict()["made_of"]
    found = [explain([0, 12, 20, 40], cut) for cut in advice.starters.tolist()]
    for kind in ("fifteen", "pair", "run", "flush", "nobs"):
        wanted = np.mean([one.points[kind] for one in found])
        assert parts["hand"][kind] == pytest.approx(wanted)
    option = next(one for one in advice.choices if one.discard == "8C JD")
    for part, mean in (("hand", option.hand_mean), ("crib", option.crib_mean)):
        assert sum(parts[part].values()) == pytest.approx(mean)
    rng, rest = np.random.default_rng(2), advice.starters
    cribs = [
        explain([28, 41, *two[:2]], two[2], crib=True)
        for two in (rng.permutation(rest)[:3].tolist() for _ in range(4000))
    ]
    for kind in ("fifteen", "pair", "run", "flush", "nobs"):
        drawn = np.array([one.points[kind] for one in cribs])
        assert abs(parts["crib"][kind] - drawn.mean()) < 5 * drawn.std() / 4000**0.5 + 0.001
    shown = good("advise", "AC 4C 6C 8C JC JD", "--dealer", "--explain", "--distribution")
    for text in ("Hand made of fifteen ", "Hand alone", "Crib alone"):
        assert text in shown


def test_a_hand_is_counted_over_every_cut():
    for more, number in (((), 48), (("9D", "KD"), 46)):
        told = printed("score", "3C 4D 5H 5S", *more, "--cuts")
        gone = {"3C", "4D", "5H", "5S", *more}
        points = {cut: points_of(["3C", "4D", "5H", "5S"], cut) for cut in DECK if cut not in gone}
        assert told["starters"] == len(points) == number
        assert told["mean"] == pytest.approx(sum(points.values()) / number)
        assert (told["least"], told["most"]) == (min(points.values()), max(points.values()))
        for row in told["chances"]:
            made = [one for one in points.values() if one >= row["points"]]
            assert row["chance"] == pytest.approx(made.count(row["points"]) / number)
            assert row["at_least"] == pytest.approx(len(made) / number)
        assert sum(row["chance"] for row in told["chances"]) == pytest.approx(1)
        (six,) = (row for row in told["cuts"] if row["starter"] == "6")
        assert (six["cards"], six["most"]) == (4, points["6C"])
        assert score_json({"cards": "3C4D5H5S" + "".join(more), "cuts": "1"}) == told
    assert "3C 4D 5H 5S: " in good("score", "3C4D5H5S", "--cuts")
    assert "expected four cards, or six of which four are kept, got 3" in refused(
        "score", "3C4D5H", "--cuts"
    )


def test_averages_a_deal_match_quoted_columns():
    """Colvert: 16.2 for the dealer, 10.2 for pone."""
    deals = random_hands(20_000, seed=4)
    for role, quoted in (("dealer", 16.2), ("pone", 10.2)):
        best = evaluate_deals(deals, role=role)
        own, across = load(play=True).play.averages(role)
        assert best.play_mean.mean() == pytest.approx(own - across, abs=0.03)
        crib_and_heels = (best.crib_mean.mean() + 2 / 13) * (role == "dealer")
        total = best.hand_mean.mean() + own + crib_and_heels
        assert total == pytest.approx(quoted, abs=0.15)


def all_of(text):
    """Every deal that cards can be, as a list of its cards in the order of the text."""
    cards = [[card] if len(card) > 1 else [card + suit for suit in "CDHS"] for card in text.split()]
    return [some for some in product(*cards) if len({*some}) == len(some)]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "score"), [("5H 6H 7H 8 JC Q", None), ("JD 5H 6H 7H 8H Q", 0)])
def test_partly_suited_cards_average_over_possible_deals(text, score):
    asked = {"role": "pone", "score": score if score is None else (100, 112)}
    advice, deals = advise(text, **asked), all_of(text)
    every = [advise(" ".join(deal), **asked) for deal in deals]
    assert advice.deals == len(deals)
    if score is None:
        assert "other suits any: " in str(advice)
    for row in advice.choices:
        slots = [text.split().index(card) for card in row.discard.split()]
        same = [one.options.option(" ".join(deal[slot] for slot in slots))
                for deal, one in zip(deals, every, strict=True)]  # fmt: skip
        for part in ("hand_mean", "crib_mean", "play_mean", "expected", "win"):
            if getattr(row, part) is not None:
                mean = np.mean([getattr(one, part) for one in same])
                assert getattr(row, part) == pytest.approx(mean, abs=1e-9)
        worth = [one.expected for one in same]
        assert (row.expected_min, row.expected_max) == pytest.approx((min(worth), max(worth)))


@pytest.mark.parametrize(
    ("text", "given"),
    [("4 5 5 6 J K", {}), ("5H 6H 7H 8H JC K", {}),
     ("3 3 3 9 9 J", {"opponent": "uniform"})],
)  # fmt: skip
def test_ranks_are_explained_by_kind(text, given):
    advice = advise(text, role="pone", play=False, **given)
    for row in advice.choices[::5]:
        kinds = advice.explain(row.discard).by_kind
        assert sum(kinds["hand"].values()) == pytest.approx(row.hand_mean)
        assert sum(kinds["crib"].values()) == pytest.approx(row.crib_mean, abs=0.01)
    suited = [advise(" ".join(deal), role="pone", play=False, **given).explain().by_kind
              for deal in all_of(text) if "JC" in text]  # fmt: skip
    if suited:
        kinds = advice.explain().by_kind
        for part in ("hand", "crib"):
            mean = [np.mean([one[part][kind] for one in suited]) for kind in kinds[part]]
            assert [*kinds[part].values()] == pytest.approx(mean, abs=0.02)
    assert "Crib made of fifteen" in str(advice.explain())


def test_known_suits_count_beside_unknown_ones():
    """Each suit of the king by itself; and a flush with nobs beside a discard that is not known."""
    found = advise_play("pone:4H5CJDJS/9CK:7H:J5@103-104")
    assert (found.to_dict()["suits"], "other suits any" in str(found)) == ("some", True)
    each = [advise_play(f"pone:4H5CJDJS/9CK{suit}:7H:J5@103-104") for suit in "CDHS"]
    for row in found.choices:
        mean = np.mean([one.options.option(row.card).win for one in each])
        assert row.win == pytest.approx(mean, abs=1e-9)
    flush, other, none = (
        advise_play(f"pone:{cards}:6H:JQ@114-114").best.win
        for cards in ("2H8H9HJH", "2H8H9HJC", "289J")
    )
    assert flush > none + 0.3 > other


RANKS_RECORD = """\
deal,player,role,cards,discard,starter,opponent_discard,play,score
1,Ann,dealer,2-5-8-9-J-K,2-8,7H,,3 5 7 9 2 J T K,110*-100
1,Bob,pone,2H 3D 7C 10 QS 10H,QS 10H,,,,
2,Ann,pone,5H 5D JS QC 2H 8D,2 8,4C,9S KD,,
3,Ann,dealer,5H 5D JS QC 2H 8D,2 8,4C,9S A,,
"""


@pytest.mark.slow
def test_record_of_ranks_averages_over_suits(tmp_path, capsys):
    found = review(pd.read_csv(StringIO(RANKS_RECORD)))
    ann, bob, suited, ace = (row for _, row in found.decisions.iterrows())
    for row, cards, role, mine, before in (
        (ann, "2 5 8 9 J K", "dealer", "2 8", "110-100"),
        (bob, "2H 3D 7C T TH QS", "pone", "TH QS", "100-110"),
    ):
        advice = advise(cards, role=role, score=before)
        own, best = advice.options.option(mine), advice.options.by_points.best
        assert row["expected"] == pytest.approx(own.expected, abs=0.01)
        assert row["loss"] == pytest.approx(best.expected - own.expected, abs=0.01)
        assert row["win_loss"] == pytest.approx(advice.best.win - own.win, abs=1e-3)
        assert row["win_discard"] == advice.best.discard
        assert row[["starter_luck", "crib_swing", "result"]].isna().all()
    assert np.isnan(ace["result"])
    assert (suited["discard"], suited["result"] > 0) == ("2H 8D", True)  # by rank, and counted
    assert found.missing(found.players.iloc[1]).endswith(
        "the record lacks the starter, the opponent's discard or suits; "
        "any suits in 1 deal: discards are averages over these"
    )
    known = {"discard": "2 8", "starter": "7H", "laid": "3", "score": "110-100"}
    laid = advise_play("5 9 J K", role="dealer", **known)
    assert found.cards["win_card"].iloc[1] == laid.best.card
    assert found.options(0)["discard"].is_unique
    assert found.options(1)["thrown"].sum() == 1
    read = as_record(parse_pgn(format_pgn(found.record))).frame
    assert read.drop(columns="play").equals(found.record.frame.drop(columns="play"))
    (tmp_path / "own.csv").write_text(RANKS_RECORD.replace("110*-100", ""))
    page = tmp_path / "page.html"
    assert main(["review", str(tmp_path / "own.csv"), "--html", str(page), "--fast"]) == 0
    assert "; any suits in 1 deal: discards are averages over these." in page.read_text()
    assert "any suits in 1 deal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("2 5 8 9 J K,2 3,7", "not two of the six cards 2 5 8 9 J K"),
        ("2 5H 5D 9 J K,5 9,7", "'5' in '5 9' may be 5D or 5H: write its suit"),
        ("2 5 5 5 5 K,2 K,5", "the deal has more than four of rank 5"),
        ("2 5H 8 9 J K,2 8,5H", "among the player's own cards 2 5H 8 9 J K"),
    ],
)
def test_record_of_ranks_respects_the_deck(row, said):
    text = f"deal,player,role,cards,discard,starter\n1,Ann,dealer,{row}\n"
    with pytest.raises(RecordError, match=re.escape(said)):
        as_record(pd.read_csv(StringIO(text)))
