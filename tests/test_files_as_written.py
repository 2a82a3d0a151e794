"""Files and tables as people write them: headings, hands, plays, records."""

import csv
import json

import pandas as pd
import pytest

from cribev import advise_play, evaluate, parse_cards, peg
from cribev.errors import CribevError, RecordError
from cribev.game.cards import NUMBERINGS, format_cards, parse_some_suits, random_hands
from cribev.game.play import Play
from cribev.game.roles import ROLES
from cribev.records.games import contradicted_results
from cribev.records.pgn import parse_pgn
from cribev.records.record import as_record
from tests.oracle import points as points_of
from tests.shell import csv_rows, good, refused, run

pytestmark = pytest.mark.usefixtures("in_a_folder")


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
    said = "'f.csv' line 3: '3C 4C 5C 6C 5C': expected five different cards"
    assert refused("score", "f.csv") == said
    (tmp_path / "f.csv").write_text("hands\n3C 4C 5C 6C\n")
    assert "no column 'hand': there are 'hands'" in refused("score", "f.csv")


@pytest.mark.parametrize("heading", ["is_crib", "isCrib", "Is Crib", "Crib?", "type"])
def test_a_crib_is_known_by_any_heading(heading, tmp_path):
    said = ("crib", "hand") if heading == "type" else ("true", "no")
    rows = [f"hand,cutCard,{heading}", *(f"AC 3C 5C 7C,8S,{which}" for which in said), ""]
    (tmp_path / "hands.csv").write_text("\n".join(rows))
    points = [line.rpartition(",")[2] for line in good("score", "hands.csv").splitlines()[1:]]
    assert points == ["4", "8"]


def test_bad_hands_of_a_file_are_set_aside(tmp_path):
    rows = ["AC 3C 5C 7C,8S,one", "5C 5C 3D 4D,8S,two", "5H 5D 5C JS,5S,three", "x,8S,four"]
    (tmp_path / "hands.csv").write_text("\n".join(["hand,starter,note", *rows, ""]))
    assert "line 3: 5C comes twice in '5C 5C 3D 4D'" in refused("score", "hands.csv")
    told = run("score", "hands.csv", "--errors", "skip", "-o", "points.csv").stderr.decode()
    assert told == "rows counted: 2; rows rejected: 2 (see points.csv.rejects.csv)\n"
    points = pd.read_csv("points.csv")
    assert points[["note", "points"]].to_numpy().tolist() == [["one", 8], ["three", 29]]
    rejects = pd.read_csv("points.csv.rejects.csv")
    assert rejects[["line", "row"]].to_numpy().tolist() == [[3, rows[1]], [5, rows[3]]]
    assert "needs an output file" in refused("score", "hands.csv", "--errors", "skip")
    assert "--errors goes with a file" in refused("score", "5C 6D 7D QH 6H", "--errors", "skip")


def test_plays_of_a_file_are_pegged(tmp_path):
    plays = ["2 5 5 7 6 6", "K 7 T 3 go go 8 J Q go J", "5 5 5x"]
    rows = ["id,Pegging Play", *(f"1,{play}" for play in plays), ""]
    (tmp_path / "plays.csv").write_text("\n".join(rows))
    assert "'plays.csv' line 4: '5x' is not part of a play" in refused("peg", "plays.csv")
    run("peg", "plays.csv", "--errors", "skip", "-o", "pegged.csv")
    pegged = pd.read_csv("pegged.csv")
    for row, play in enumerate(plays[:2]):
        points = {role: pegged[f"{role}_points"][row] for role in ROLES}
        assert points == peg(play).points
    assert pd.read_csv("pegged.csv.rejects.csv")["line"].tolist() == [4]
    hands = ["--pone", "2345", "--dealer", "5"]
    assert "--pone goes with one play" in refused("peg", "plays.csv", *hands)
    assert "--numbers goes with a file" in refused("peg", "2 5", "--numbers", "rank-major")


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
    "emptied.csv": f"{ROWS},,,,\n\n".replace(",", ";").encode(),
    "comments.csv": f"# of Monday, at home\n#\n{ROWS}# the end\n".encode(),
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
    (found,) = csv_rows("review", name, "--fast")
    said = [found[column] for column in ("deal", "role", "cards", "discard", "starter")]
    assert said == ["1", "dealer", "2H 5D 5H 8D JS QC", "2H 8D", "4C"]
    if name not in ("game.log", "emptied.csv"):
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
    found, *_ = csv_rows("review", "a.csv", "--fast", *given)
    said = [found[name] for name in ("deal", "role", "cards", "discard", "starter")]
    assert said == ["1", "dealer", "2H 5D 5H 8D JS QC", "2H 8D", "4C"]
    if not {"kept", "player", "p2_cards"} & {*head.split(",")}:
        (found,) = csv.DictReader(good("batch", "a.csv", *given).splitlines())
        assert found["best_discard"] == "2H 8D"


RENEGE = """game,deal,player,role,cards,discard,starter,play,score,result
a,1,Ann,pone,KD JH 9C 4C 2H 2D,4C 2D,6S,K T 9 go 2 A!! J 8 5,0-0*,121-90
a,1,Bob,dealer,TH 8C 5C AC 3C 3D,3C 3D,6S,K T 9 go!! 2 A J 8 5,0*-0,121-90
"""


@pytest.mark.slow
def test_renege_that_nobody_noticed(tmp_path):
    played = "K T 9 go 2 A!! J 8 5"
    for hands in ({}, {"pone": "K 9 2 J"}, {"pone": "K 9 2 J", "dealer": "T 8 5 A"}):
        held = {role: parse_some_suits(cards) for role, cards in hands.items()}
        play = Play.parse(played, held)
        assert play == Play.parse(str(play), held)
        assert str(play) == "K T 9 go!! 2 A J 8 5"
        assert play.points == {"pone": 2, "dealer": 1}
    with pytest.raises(RecordError, match=r"the A played later fits \(write A!! if nobody"):
        Play.parse(played.replace("!", ""))
    with pytest.raises(RecordError, match="'A', character 9: expected the go before it"):
        Play.parse("K T 9 2 A!!")
    # A go says that nothing fits until the card that belies it is seen.
    held = {at: advise_play(f"pone:KDJH9C2H/4C2D:6S:KT9{at}") for at in ("go!!", "go!!2A")}
    left = {at: {*"".join(one.range.holdings["cards"])} for at, one in held.items()}
    assert ("A" in left["go!!"], {"A", "2"} <= left["go!!2A"]) == (False, True)
    (tmp_path / "a.csv").write_text(RENEGE.replace(",0-0*", ",").replace(",0*-0", ","))
    cards = csv_rows("review", "a.csv", "--cards")
    assert [card["card"] for card in cards] == ["K", "T", "9", "2", "A", "J", "8", "5"]
    assert all(card["verdict"] for card in cards)
    (tmp_path / "a.pgn").write_text(good("review", "a.csv", "--format", "pgn"))
    for card, other in zip(cards, csv_rows("review", "a.pgn", "--cards"), strict=True):
        assert all(card[name] == other[name] for name in ("played", "card", "verdict"))
    (tmp_path / "a.csv").write_text(RENEGE)
    done = run("review", "a.csv", "--fast", "--html", "a.html")
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
        told = refused(command, "a.csv", "--columns", "Tunr=starter")
        assert "no column 'Tunr' for --columns" in told
