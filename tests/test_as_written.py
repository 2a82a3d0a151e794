"""What people copy from columns, tables and scraps of paper is read, on every surface."""

import re
from io import StringIO
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest

from cribev import advise, advise_play, evaluate, explain, peg, review, score
from cribev.app.web.api import advice_json, score_json
from cribev.commands.cli import main
from cribev.errors import CardError, CribevError, RecordError
from cribev.game.cards import RANKS, cards_meant, parse_card_text, parse_some_suits
from cribev.game.deal import Position
from cribev.game.play import Play
from cribev.game.roles import ROLES
from cribev.game.score import Score
from cribev.game.scorer import suit_points
from cribev.records.pgn import format_pgn, parse_pgn
from cribev.records.record import as_record
from tests import play_oracle
from tests.oracle import DECK
from tests.oracle import points as points_of
from tests.play_oracle import pips
from tests.shell import good, printed, refused, run

pytestmark = pytest.mark.usefixtures("in_a_folder")


@pytest.mark.parametrize(
    "text",
    ["3h-6d-ts-jc", "h3,d6,s10,cj", "3-H 6-D 10-S J-C", "♡️3 ♢6 10♠ J♧", "H-3-D-6-S-T-C-J",
     "3 H, 6 D, 10 S, J C", "3H–6D—10S JC", "H36DTSJC", " ,3♥ , 6♦,\t10♠️\nJ♣ ",
     "{3H, 6D} (10S) 'JC'", "‘3H’ “6D” TS»JC", "3H/6D/10S/JC", "3♥ 6♦ 10♠ V♣", "3♥6♦10♠️B♣",
     "three of hearts, Six of Diamonds, ten of ♠, Jack of c", "ThreeOfHearts 6diamonds TS 11C",
     "3 of hearts 6_of_diamonds 10spades jack clubs", "[('3', 'H'), (6,'D'), ('T','S'), ('J','c')]",
     "THREE_OF_HEARTS SIX_OF_DIAMONDS TEN_OF_SPADES JACK_OF_CLUBS"],
)  # fmt: skip
def test_cards_are_read_alike_however_they_are_written(text):
    assert parse_card_text(text).tolist() == [10, 21, 39, 40]
    assert score(f"{text} 8H") == score("3H 6D TS JC 8H")
    if "/" not in text and "V" not in text and "B" not in text and "('3'" not in text:
        assert parse_some_suits(text) == (10, 21, 39, 40)
        assert peg(text).played == [10, 21, 39, 40]


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


def test_a_starter_is_told_by_its_name_or_a_bar():
    for text in (
        "5h 5d 5c js cut 5s", "starter: 5s; hand: 5h 5d 5c js", "hand: 5h 5d 5c js, cut: 5s",
        "5h 5d 5c js turn up 5s", "5H 5S 5C JD | 5D", "5D|5H 5S 5C JD", "[5H, 5S, 5C, JD] (5D)",
    ):  # fmt: skip
        assert score(text) == 29
        assert good("score", text) == "29\n"
    assert score("JD | 5D 5S 5C 5H") == 28
    for text in ("5h 5d 5c js cut", "5h 5d 5c js cut 5s 6s", "hand 5h 5d cuts 5s"):
        assert "expected" in refused("score", text)


def test_dashes_and_ranks_reach_every_command():
    assert good("tables", "play", "3-6-9-9") == good("tables", "play", "3699")
    assert good("peg", "3-10-9-2-7") == good("peg", "3 T 9 2 7")
    assert good("peg", "3 T", "--pone", "3-4-5-5", "--dealer", "T,9,9,K")
    six = ["3H", "4D", "9S", "JC", "9C", "KD"]
    wanted = good("advise", *six, "--pone", "--versus", "9C KD")
    assert good("advise", "h3-d4-s9-cj-c9-dk", "--pone", "--versus", "c9 k") == wanted
    own = ("--dealer", "--discard", "d2-s2", "--starter", "h-7", "--played", "9-4-7")
    given = ("--dealer", "--discard", "2D 2S", "--starter", "7H", "--played", "9 4 7")
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
    wins = []
    for text, role in (("119*-118", "dealer"), ("119-118*", "pone")):
        told = advise(six, score=text)
        assert (told.role, told.best) == (role, advise(six, role=role, score=(119, 118)).best)
        wins.append(told.best.win)
    assert printed("advise", six, "--score", "119*-118")["role"] == "dealer"
    assert advice_json({"cards": six, "score": "119-118*"})["role"] == "pone"
    assert evaluate([six], score="119-118*").win[0] == pytest.approx(wins[1], abs=0.001)
    rows = pd.DataFrame({"cards": [six] * 2, "score": ["119*-118", "119-118*"]})
    assert evaluate(rows).win.tolist() == pytest.approx(wins, abs=0.001)
    with pytest.raises(CribevError, match="'119-118': expected a star at the dealer's"):
        evaluate(rows.assign(score=["119-118", "119*-118"]))
    assert Position.read("3H 4D 9S JC", played="9", score="119*-118").role == "dealer"
    known = ("--discard", "9C KD", "--starter", "7H", "--score")
    assert printed("play", "3H", "4D", "9S", "JC", *known, "119-118*")["position"][:4] == "pone"
    assert Score.read("119 to 118", "pone") == Score.read("119-118", "pone")
    wrong = "the star is at the points of the player, who is pone"
    assert wrong in refused("advise", six, "--pone", "--score", "119*-118")


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
        ("[king, jack, nine, go, ace]", "K J 9 go A"),
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


def test_a_point_for_a_go_ends_the_count():
    assert peg("K J 9 (29-1)").points == {"dealer": 0, "pone": 1}
    told = printed("play", "9", "A", "6", "7", "--dealer", "--played", "4 9 K A 5 (29-1)")
    assert (told["count"], [row["card"] for row in told["cards"]]) == (0, ["7", "6"])
    with pytest.raises(RecordError, match="pone cannot say go at a count of 29: 2 fits"):
        peg("K J 9 (29-1)", pone="K 9 2 3", dealer="J T Q K")


def readings(tokens):
    """All ways in which ranks 1 to 13, goes and "/" can have been played, who played what."""
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
    for _ in range(200):
        deck = rng.permutation(np.repeat(np.arange(1, 14), 4)).tolist()
        moves, table = [], play_oracle.start(deck[:4], deck[4:8])
        while not play_oracle.is_over(table) and len(moves) < rng.integers(3, 20):
            played = next(iter(rng.permutation(play_oracle.options(table)).tolist()), None)
            table, _ = play_oracle.move(table, played)
            moves += [played or "go", *(() if table[2] else ["/"])]
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
    assert 50 < doubts < 450


def test_ambiguous_play_says_which_reading():
    go = "if pone said go before it, write 'Q A 4 K go 3 go 7 9 8'"
    assert go in peg("Q A 4 K 3 / 7 9 8").doubt
    said = "The 2 is taken as played by dealer; if dealer said go before it, write 'K J 9 go 2'."
    assert said in good("peg", "K J 9 2")
    told = advise_play("K 9 2 3", role="pone", played="K J 9 2")
    assert told.position.play.doubt == said
    assert said in str(told)
    asked = "play", "K", "9", "2", "3", "--pone", "--played", "K J 9 2"
    assert printed(*asked)["doubt"] == said
    assert not Position.read("K 9 2 3", role="pone", played="K J 9 go 2").play.doubt


def test_ranks_count_without_suit_points():
    assert good("score", "9 6 6 6 3").startswith("18 without flush and nobs")
    every = [score([4 * 10 + s, 1, 6, 11, 16 + t]) for s in range(4) for t in range(4)]
    found = suit_points(np.array([74, 1, 6, 11, 68], np.uint8))
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
    said = "expected four cards, or six of which four are kept, got 3"
    assert said in refused("score", "3C4D5H", "--cuts")


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
        same = [
            told.options.option(" ".join(deal[slot] for slot in slots))
            for deal, told in zip(deals, every, strict=True)
        ]
        for part in ("hand_mean", "crib_mean", "play_mean", "expected", "win"):
            if getattr(row, part) is not None:
                mean = np.mean([getattr(one, part) for one in same])
                assert getattr(row, part) == pytest.approx(mean, abs=1e-9)
        worth = [one.expected for one in same]
        assert (row.expected_min, row.expected_max) == pytest.approx((min(worth), max(worth)))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("AH 2C 3D 4S TH x", {card: 1 for card in DECK if card[0] in "TJQK" and card != "TH"}),
        ("2 3 4 5 T x", {"T": 3, "J": 4, "Q": 4, "K": 4}),
        ("A-2-3-4-x-x", {f"{one} {other}": 6 if one == other else 16
                         for one, other in combinations_with_replacement("TJQK", 2)}),
    ],
)  # fmt: skip
def test_any_ten_card_averages_over_those_left(text, left):
    known = text.replace("-", " ").split("x")[0].strip()
    # With suits each of many deals is counted by itself, which is quick against any two cards.
    opponent = "uniform" if "H" in known else "expert"
    found = advise(text, role="dealer", opponent=opponent)
    each = {cards: advise(f"{known} {cards}", role="dealer", opponent=opponent) for cards in left}
    for row in found.choices:
        own = [card for card in row.discard.split() if card != "x"]
        means = []
        for tens, advice in each.items():
            unsaid = combinations(tens.split(), 2 - len(own))
            worth = [advice.options.option(" ".join([*own, *ten])).expected for ten in unsaid]
            means.append(np.mean(worth))
        assert row.expected == pytest.approx(np.average(means, weights=[*left.values()]), abs=2e-3)
    assert str(found.position).endswith("-xx" if "x-x" in text else "-x")
    assert advise(str(found.position), opponent=opponent).best == found.best
    assert "x any ten-card" in str(found)
    assert advice_json({"cards": text, "role": "dealer", "top": "1"})["discards"][0]["discard"]


@pytest.mark.parametrize(
    "words",
    ["play A 2 x x --pone", "play pone:A2-xx", "play A 2 3 T --pone --played x", "score 5 5 5 J x",
     "peg x 5", "advise 8X 2 3 4 5 6 --pone", "tables play A2xx"],
)  # fmt: skip
def test_a_card_that_may_be_any_is_refused_elsewhere(words):
    assert "x" in refused(*words.split())


@pytest.mark.parametrize(
    ("text", "given"), [("4 5 5 6 J K", {}), ("5H 6H 7H 8H JC K", {"opponent": "uniform"})]
)
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
    hands = "2H8H9HJH", "2H8H9HJC", "289J"
    flush, other, none = (advise_play(f"pone:{hand}:6H:JQ@114-114").best.win for hand in hands)
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
    known = {"discard": "2 8", "starter": "7H", "played": "3", "score": "110-100"}
    played = advise_play("5 9 J K", role="dealer", **known)
    assert found.cards["win_card"].iloc[1] == played.best.card
    assert found.options(0)["discard"].is_unique
    assert found.options(1)["discarded"].sum() == 1
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
