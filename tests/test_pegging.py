"""The rules of the play, against examples from elsewhere and a second implementation."""

from itertools import permutations

import numpy as np
import play_oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shell import good, refused

import cribev
from benchmarks.table import Table
from cribev.errors import CardError, RecordError
from cribev.game.cards import RANKS, parse_card_text
from cribev.game.play import Play, peg

pytestmark = pytest.mark.arrays

HANDS = ("pone", "dealer")


@pytest.mark.parametrize(
    ("played", "points"),
    [
        # http://cribbagecorner.com/reverse-runs-while-pegging
        ("6 7 8 6", [0, 0, 3, 3]),
        ("7 6 8 6", [0, 0, 3, 0]),
        ("2 3 5 6 A 7 4 2", [0, 0, 0, 0, 0, 0, 7, 7]),
        ("T J Q T", [0, 0, 3, 0]),
        # http://cribbagecorner.com/cribbage-rules-play
        ("7 9 6 8", [0, 0, 0, 4]),
        # http://cribbagecorner.com/questions?page=2
        ("3 5 4 2", [0, 0, 3, 4]),
        # http://cribbagecorner.com/node/536
        ("3 2 A A", [0, 0, 3, 2]),
        ("3 3 2 A A", [0, 2, 0, 3, 2]),
        ("3 4 5 6 3 4", [0, 0, 3, 4, 4, 4]),
        # https://en.wikipedia.org/wiki/Rules_of_cribbage: the third of three fives scores eight.
        ("5 5 5 5", [0, 2, 8, 12]),
        ("8 8 8 7", [0, 2, 6, 2]),
        ("2 5 5 7 6 6", [0, 0, 2, 0, 3, 4]),
    ],
)
def test_examples_from_elsewhere(played, points):
    """What each card of a play pegs, a go or the last card apart."""
    cards = [step for step in peg(played).steps if step.rank is not None]
    for step, pegged in zip(cards, points, strict=True):
        assert sum(one.points for one in step.pegs if one.kind not in ("go", "last")) == pegged


def test_written_counts_are_checked():
    told = peg("K K K A 5 J 4 9")
    assert [step.count for step in told.steps] == [10, 20, 30, 31, 5, 15, 19, 28]
    assert told.points == {"dealer": 7, "pone": 6}
    plain = peg("2 5 5 7 6 6")
    for text in (
        "2 5 5 (12-2) 7 6 (25-3) 6 (31-4)",
        "2, 5, 5, 12-2, 7, 6, 25-3, 6, 31-4",
        "2C 5H 5S [12 for 2] 7D 6♣ (25) 6H",
    ):
        assert peg(text).history == plain.history
        assert peg(text).points == plain.points
    assert peg("9 9 9 (27-7) / 5") == peg("9 9 9 (27-6) / 5")
    assert peg("9 9 9 4 31-2").points == {"dealer": 4, "pone": 6}


def test_goes_are_understood_or_written():
    short, long = peg("9 9 9 5"), peg("9 9 9 go go 5")
    assert short == long == peg("9 9 9 / 5")
    assert repr(short) == "Play.parse('9 9 9 go go 5')"
    assert eval(repr(short)) == peg(short) == short
    assert Play.parse(str(short)) == short
    alone = peg("T T 9 go A go 4 5")
    assert [step.role[0] for step in alone.steps if step.rank is not None] == list("pdppdp")
    assert alone.points == {"dealer": 2, "pone": 1}
    # With hands they need not be written.
    told = peg("T T 9 A 4 5 K 3", pone="T 9 A 5", dealer="T K 4 3")
    assert [step.role[0] for step in told.steps if step.rank is not None] == list("pdppdpdd")
    assert told == peg("T T 9 go A go 4 5 K 3", pone="T 9 A 5", dealer="T K 4 3")
    # A card with another suit is no card left, so that it is what is wrong.
    both = {"pone": parse_card_text("AC TC 5C 6C"), "dealer": parse_card_text("TS 9S KS QS")}
    with pytest.raises(RecordError, match="pone plays AH, and kept AC TC 5C 6C"):
        Play.parse("AH TS TC 9S go go 5C", both)


@pytest.mark.parametrize(
    ("played", "hands", "said"),
    [
        ("2 5 5 (13-2)", {}, "'(13-2)', character 7: the count is 12 with the 5"),
        ("2 5 5 (12-3)", {}, "'(12-3)', character 7: pone pegs 2 for the 5"),
        ("J 5 6 (21-1)", {}, "'(21-1)', character 7: pone pegs 0 for the 6"),  # any card fits
        ("(12-2) 5", {}, "'(12-2)', character 1: there is no card before it"),
        ("5 go 5", {}, "'go', character 3: dealer cannot say go at a count of 5: any card fits"),
        ("K 5 J 5 / Q 5 5 J K", {}, "'K', character 19: K is a ninth card: all eight are played"),
        ("10c K T♣", {}, "'T♣', character 7: TC is played twice"),
        ("5 9", {"pone": "5 6 7 8", "dealer": "J J J J"},
         "'9', character 3: dealer has no 9 left: J J J J"),
        ("T T 9 go", {"pone": "T 9 A 5", "dealer": "T K 4 2"},
         "'go', character 7: dealer cannot say go at a count of 29: 2 fits"),
        ("T T 9 / 4", {"pone": "T 9 A 5", "dealer": "T K 4 3"},
         "'/', character 7: pone cannot say go at a count of 29: A fits"),
        ("T T 9 K", {"pone": "T 9 4 5", "dealer": "T K 4 2"},
         "'K', character 7: K does not fit a count of 29"),
        ("5", {"pone": "5 6 7 8"}, "one hand alone is given: expected both or neither"),
        ("9 9 9 / 4", {},
         ("dealer cannot say go at a count of 27: the 4 played later fits "
         "(write 4!! if nobody noticed)")),
        ("T T 5 go 2 A 2", {},
         ("dealer cannot say go at a count of 25: the 2 played later fits "
         "(write 2!! if nobody noticed)")),
        ("5", {"pone": "5 5 5 8", "dealer": "5 5 J J"}, "there are five 5s: a deck has four"),
        ("5", {"pone": "5 go", "dealer": "5"},
         "invalid card 'go': expected a rank and a suit, like 5H, or a rank alone, like 5"),
        ("K 6 Q", {"pone": "K Q", "dealer": "6 7 8 9 A"},
         "dealer has 5 cards: expected four, or those left"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(played, hands, said):
    with pytest.raises((CardError, RecordError)) as raised:
        peg(played, **hands)
    assert str(raised.value) == said


@pytest.mark.parametrize(
    "text", ["5 X", "0", "5 11", "5 gone", "5 15-", "fiver", "5 J " + "1" * 5000 + "-2"]
)
def test_what_is_no_play_is_refused(text):
    with pytest.raises(CardError, match="is not part of a play: expected"):
        peg(text)


def by_rules(*orders):
    """The same play by the rules of the package: what is played, and points of both."""
    play = Table({role: [r - 1 for r in order] for role, order in zip(HANDS, orders, strict=True)})
    while not play.over:
        if legal := play.legal:
            play.play(next(r - 1 for r in orders[HANDS.index(play.turn)] if r - 1 in legal))
        else:
            play.go()
    ranks = [(HANDS.index(step.role), step.rank) for step in play.steps]
    played = [(who, None if rank is None else rank + 1) for who, rank in ranks]
    return played, [play.points[role] for role in HANDS]


@pytest.mark.slow
def test_every_order_of_many_hands():
    rng = np.random.default_rng(31)
    for _ in range(10):
        cards = (rng.permutation(52)[:8] // 4 + 1).tolist()
        for pone in set(permutations(cards[:4])):
            dealers = list(set(permutations(cards[4:])))
            for dealer in dealers:
                assert by_rules(pone, dealer) == play_oracle.play_in_order(pone, dealer)


hands = st.permutations(range(52)).map(lambda deck: [card // 4 + 1 for card in deck[:8]])


@given(hands)
@settings(max_examples=100)
def test_what_always_holds(cards):
    play = Table({"pone": [c - 1 for c in cards[:4]], "dealer": [c - 1 for c in cards[4:]]})
    counts = ends = goes = 0
    text = []
    while not play.over:
        count, legal, before = play.count, play.legal, play.state
        counts += count == 0
        held = sorted({*play.hands[play.turn]})
        assert legal == [rank for rank in held if count + min(rank + 1, 10) <= 31]
        for rank in {*range(13)} - {*legal}:
            with pytest.raises(RecordError):
                play.play(rank)
        if legal:
            with pytest.raises(RecordError):
                play.go()
            assert play.state is before
            rank = legal[len(text) % len(legal)]
            pegs = play.play(rank)
            text.append(RANKS[rank])
            assert count + min(rank + 1, 10) != 31 or play.count == 0
        else:
            pegs = play.go()
            text.append("go")
        goes += sum(found.kind in ("go", "last") for found in pegs)
        ends += sum(found.kind == "thirty-one" for found in pegs)
    # Every count ends in 31, a go or the last card.
    assert counts == goes + ends
    assert (sum(play.left.values()), play.legal) == (0, [])
    told = peg(" ".join(text))
    assert told.points == play.points
    pone, dealer = ([card - 1 for card in hand] for hand in (cards[:4], cards[4:]))
    with_hands = peg([word for word in text if word != "go"], pone=pone, dealer=dealer)
    assert with_hands.points == play.points
    # Suits never matter, but that no card is there twice.
    suited = " ".join(
        word if word == "go" else f"{word}{'CDHS'[text[:at].count(word)]}"
        for at, word in enumerate(text)
    )
    assert (peg(suited).history, peg(suited).points) == (told.history, told.points)


def test_in_python_and_on_the_command_line():
    assert cribev.peg("5 J") == cribev.peg(["5", "J"]) == cribev.peg([4, 10])
    assert cribev.peg("5 J").points == {"dealer": 2, "pone": 0}
    assert '"points": {"dealer": 2, "pone": 0}' in good("peg", "5", "J", "--format", "json")
    assert refused("peg", "5", "X").startswith("'X' is not part of a play: ")
    for bad in (None, 5, ["5", 10], [4, 9.5], [True], [float("nan")], [13]):
        with pytest.raises(CardError, match="expected"):
            peg(bad)
