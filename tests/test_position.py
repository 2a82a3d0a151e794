"""Positions: what one player knows, and its one text."""

import json
import random
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shell import good, printed, refused, run

from cribev import advise, advise_play, advise_ranks
from cribev.errors import CardError, CribevError, RecordError
from cribev.game.cards import RANKS, SUITLESS_OFFSET, rank_of
from cribev.game.deal import Deal, Held, Position
from cribev.game.play import Play
from cribev.game.score import Score, parse_scores

SEEDS = st.integers(0, 2**32)
EXAMPLES = [
    "dealer:2H5D5H8DJSQC",
    "pone:4H5CJDJS/9CKD:7H:J5@103-104",
    "dealer:68JK:-:2JT8gogo264",
    "pone:A24HJS",
    "dealer:68JK/8Q:9:2JT8gogo264",
]


def without_suits(cards, rng, chance):
    return tuple(card if rng.random() > chance else SUITLESS_OFFSET + (card >> 2) for card in cards)


def random_deal(rng):
    """A deal by the rules, laid card by card up to somewhere, and its cards with all suits."""
    cards = rng.sample(range(52), 13)
    held = {"pone": Held.of(cards[:4], cards[4:6]), "dealer": Held.of(cards[6:10], cards[10:12])}
    play, left = Play(), {role: list(one.kept) for role, one in held.items()}
    for _ in range(rng.randrange(9)):
        play = play.go_while_stuck(left)
        card = rng.choice(play.legal(left[play.turn]))
        left[play.turn].remove(card)
        play = play.lay(card)
    return Deal(held["pone"], held["dealer"], cards[12], play)


def random_position(seed):
    rng = random.Random(seed)
    deal, role, hidden = random_deal(rng), rng.choice(["pone", "dealer"]), rng.choice([0, 0.4, 1])
    own = deal.held(role)
    score = None if rng.random() < 0.5 else Score(rng.randrange(60), rng.randrange(60))
    if rng.random() < 0.3:
        return Position(role, Held.of(without_suits(own.dealt, rng, hidden)), score=score)
    discard = own.discard if rng.random() < 0.7 else ()
    starter = deal.starter if rng.random() < 0.8 else None
    laid = without_suits(deal.play.laid, rng, hidden)
    return Position(
        role,
        Held.of(without_suits(own.kept, rng, hidden), without_suits(discard, rng, hidden)),
        None if starter is None else without_suits([starter], rng, hidden)[0],
        deal.play.with_cards(laid),
        score,
    )


@given(SEEDS)
def test_a_position_is_its_text(seed):
    position = random_position(seed)
    text = str(position)
    assert Position.parse(text) == position
    assert str(Position.parse(text)) == text
    for way in (str.lower, str.upper, " ".join, lambda one: one.replace("T", "10")):
        assert Position.parse(way(text)) == position


@given(SEEDS)
def test_a_text_that_is_changed_is_refused_or_a_position(seed):
    rng = random.Random(seed)
    text = list(str(random_position(seed)))
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(text))
        text[at : at + rng.randrange(2)] = rng.choice("A5TJKcdhsgo:/@-0123 *x\u2665,")
    with suppress(CribevError):
        position = Position.parse("".join(text))
        assert Position.parse(str(position)) == position


@given(SEEDS)
def test_a_deal_tells_what_was_decided(seed):
    deal = random_deal(random.Random(seed))
    laid = []
    for role in ("pone", "dealer"):
        (six, discard), *cards = deal.decisions(role)
        assert six.to_do == "discard"
        assert (six.held.dealt, discard) == (deal.held(role).dealt, deal.held(role).discard)
        for position, (card,) in cards:
            assert position.to_do == "card"
            assert card in position.legal
            assert position.play.lay(card).laid == deal.play.laid[: len(position.play.laid) + 1]
        laid += [card for _, (card,) in cards]
    assert sorted(laid) == sorted(deal.play.laid)


def test_decisions_end_where_somebody_has_won():
    pone, dealer = Held.parse("5H5DJSQC/2H8D"), Held.parse("5STCTDKC/2C2D")
    deal = Deal(pone, dealer, 24, Play.parse("QC 5S 5H TC"), Score(110, 119))
    assert [str(position.play) for position, _ in deal.decisions("pone")] == ["", ""]
    heels = Deal(pone, dealer, 42, deal.play, deal.score)  # the jack of hearts
    assert [position.to_do for position, _ in heels.decisions("pone")] == ["discard"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        *((text, text) for text in EXAMPLES),
        # Where one card alone fits, its suit is known.
        ("pone:4H5CJDJS:7H:5J", "pone:4H5CJDJS:7H:5CJ"),
        ("pone:4H5CJDJS:7H:5J4", "pone:4H5CJDJS:7H:5CJ4H"),
        ("pone:45JJ:7H:JDQ", "pone:45JDJ:7H:JDQ"),
        ("dealer:5hjd 5d js qc 2h", "dealer:2H5D5HJDJSQC"),
        ("PONE:4H5C10DJS: - ", "pone:4H5CTDJS"),
        ("dealer:258-9JK", "dealer:2589JK"),
        ("pone:4H-5C-JD-JS/9C-KD:-:J", "pone:4H5CJDJS/9CKD:-:J"),
    ],
)
def test_one_position_has_one_text(given, text):
    position = Position.parse(given)
    assert str(position) == text
    assert eval(repr(position)) == position
    assert eval(repr(position.play)) == position.play


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "'' is no position: expected role:cards"),
        ("5H5DJSQC2H8D", "is no position"),
        ("eldest:5H5DJSQC2H8D", "the role: 'eldest' is not a role"),
        ("pone:5H5DJSQC2H", "expected 6 cards, or the 4 kept and the 2 discarded, got 5"),
        ("pone:5H5DJSQC/2H", "got 4 and 1"),
        ("pone:5H5DJSQC2H8X", "the cards: 'X' is not a card: expected one as 5H"),
        ("pone:5H5HJSQC", "5H comes twice in your hand"),
        ("pone:5H5DJSQC/5H8D", "5H is in your hand and in your discard"),
        ("pone:5H5DJSQC:5H", "5H is in your hand and in the starter"),
        ("pone:5555:5", "there are five 5s"),
        ("pone:5H5DJSQC:7H8H", "the starter: expected one card, or -, got '7H8H'"),
        ("pone:5H5DJSQC2H8D:7H", "nothing is cut or laid before the discard"),
        ("pone:5H5DJSQC:7H:K", "the play: pone lays K, and kept 5 5 J Q"),
        ("pone:5H5DJSQC/KD8D:7H:JKD", "the play: KD is laid, and was thrown to the crib"),
        ("pone:5H5DJSQC:7H:J7H", "the play: 7H is laid, and is the starter"),
        ("pone:5H5DJSQC:7H:Jgo", "dealer cannot say go at a count of 10: any card fits"),
        ("pone:5H5DJSQC:7H:Jz", "the play: 'z' is not part of a play"),
        ("pone:5H5DJSQC:7H:J:", "is no position"),
        ("pone:5H5DJSQC/", "the cards: expected the two cards discarded after the /"),
        ("pone:5H5DJSQC:", "the starter: expected one card, or -, got none"),
        ("pone:5H5DJSQC:7H:", "the play: expected the cards as they fell"),
        ("pone:5H5DJSQC:-:", "the play: expected the cards as they fell"),
        ("pone:5H5DJSQC@121-3", "the score: '121-3' is not a score"),
        ("pone:5H5DJSQC@10,3-104", "the score: '10,3-104' is not a score"),
        ("pone:5H5DJSQC@83,64", "the score: '83,64' is not a score"),
        ("pone:5H5DJSQC@1*-3", "the star is at the points of the player, who is pone"),
    ],
)
def test_bad_texts_are_quoted(text, says):
    with pytest.raises(CribevError) as told:
        Position.parse(text)
    assert says in str(told.value)
    assert repr(text) in str(told.value)


def test_whose_turn_it_is():
    assert Position.parse("dealer:68JK").to_do == "wait"
    assert Position.parse("dealer:68JK:-:T").to_do == "card"
    assert Position.parse("pone:9TJT:-:9T").to_do == "card"
    with pytest.raises(RecordError, match="say go"):
        Position.parse("dealer:TJQK:-:9T7").require_card()
    over = Position.parse("dealer:5H5DJSQC:JD:K5@119-3")
    assert (over.to_do, over.winner) == ("wait", "dealer")
    with pytest.raises(RecordError, match=r"the game is over: from 119-3 before .* is now 123-3"):
        over.require_card()
    with pytest.raises(RecordError, match="two of your six cards"):
        Position.parse("dealer:TJQK23").require_card()
    with pytest.raises(CardError):
        Position("pone", Held.of([1, 2, 3, 4, 5]))


@given(SEEDS)
def test_what_is_known_adds_up(seed):
    position = random_position(seed)
    own = [rank_of(card) for card in position.held.dealt]
    cut = [] if position.starter is None else [rank_of(position.starter)]
    assert position.dead_ranks.tolist() == [[*own, *cut].count(rank) for rank in range(13)]
    if position.to_do != "discard":
        laid = position.play.laid_by(position.role)
        assert len(position.left) == 4 - len(laid)
        assert sum(position.play.left.values()) == 8 - len(position.play.laid)
    assert {RANKS[rank] for rank in position.legal_ranks} <= set(RANKS)
    if position.score is not None:
        heels = 2 * (position.starter is not None and rank_of(position.starter) == 10)
        gained = position.play.points
        assert position.now.pone == position.score.pone + gained["pone"]
        assert position.now.dealer == position.score.dealer + gained["dealer"] + heels


def test_advise_and_play_take_a_position():
    six = Position.parse("dealer:5H5DJSQC2H8D@95-110")
    plain = advise("5H 5D JS QC 2H 8D", role="dealer", score="95-110")
    for given_as in (six, str(six)):
        assert advise(given_as).to_dict() == plain.to_dict()
    assert plain.to_dict()["position"] == str(six)
    with pytest.raises(CribevError, match="is a position, and says the role: leave it out"):
        advise(six, role="dealer")
    four = Position.parse("pone:4H5CJDJS/9CKD:7H:J5")
    asked = advise_play("4H 5C JD JS", role="pone", discard="9C KD", starter="7H", laid="J 5")
    assert advise_play(four).to_dict() == asked.to_dict() == advise_play(str(four)).to_dict()
    assert asked.to_dict()["position"] == str(four)
    with pytest.raises(CribevError, match="two cards are discarded already"):
        advise(four)
    assert advise("dealer:5H5DJSQC2H8D", score="95-110").to_dict() == plain.to_dict()
    ranks = advise_ranks("pone:2589JK@10-20")
    assert ranks.to_dict() == advise_ranks("2 5 8 9 J K", role="pone", score="10-20").to_dict()
    for position in ("dealer:2589JK", "dealer:5H5DJSQC2H8"):
        with pytest.raises(CardError, match=r"^'dealer:\w+': expected six cards with suits"):
            advise(position)
    with pytest.raises(CardError, match="expected six ranks without suits"):
        advise_ranks("pone:2H5H8H9HJHKH")


@pytest.mark.parametrize("text", ["104-103", "104:103", "104/103", "104 103", " 104 – 103 "])
def test_a_score_is_read_as_people_type_it(text):
    assert Score.read(text, "dealer") == Score(pone=103, dealer=104)
    position = Position.parse(f"Dealer: 5H 5D JS QC 2H 8D @{text}")
    assert str(position) == "dealer:2H5D5H8DJSQC@104-103"
    assert parse_scores([text], np.array([True]))[0].tolist() == [[104, 103]]
    ranked = good("advise", "5H5DJSQC2H8D", "--dealer", "--score", text, "--format", "csv")
    assert ranked == good("advise", str(position), "--format", "csv")


@pytest.mark.parametrize(
    "parts",
    [
        {"role": 3}, {"role": None}, {"held": None}, {"held": "4H5CJDJS"}, {"starter": ""},
        {"starter": True},
        {"starter": 99}, {"starter": -1}, {"play": "J 5"}, {"score": 3}, {"score": (1, 2)},
        {"held": Held((1, 2, 3, 60))},
    ],
)  # fmt: skip
def test_what_is_no_part_of_a_position_is_refused(parts):
    with pytest.raises(CribevError):
        Position(**{"role": "pone", "held": Held.parse("4H5CJDJS")} | parts)
    with pytest.raises(CribevError, match="no position: expected text as role:"):
        Position.parse(None)


def test_positions_are_read_line_by_line_and_what_no_line_is_to_blame_for_names_none(tmp_path):
    positions = ["dealer:5H5DJSQC2H8D@95-110", "pone:2589JK"]
    told = good("advise", "-", "--top", "1", stdin="\n".join(positions).encode())
    assert told == "\n".join(good("advise", one, "--top", "1") for one in positions)
    done = run("advise", "-", "--pone", stdin=b"5H5DJSQC2H8D\ndealer:5H5DJSQC2H8D\n")
    assert done.returncode == 2
    told = b"'dealer:5H5DJSQC2H8D' is a position, and says the role: leave it out"
    assert done.stderr == b"cribev: error: line 2: %b\n" % told
    missing = str(tmp_path / "none.csv")
    for option, what in (("--stakes", "x"), ("--opponent", missing), ("--crib-table", missing)):
        told = refused("advise", "-", option, what, stdin=b"dealer:5H5DJSQC2H8D")
        assert not told.startswith("line")


@pytest.mark.parametrize(
    ("second", "options", "said"),
    [
        ("dealer:5H5DJSQC2H8D", ["--format", "csv"],
         "'dealer:5H5DJSQC2H8D': hands with and without a score have other columns: choose one"),
        ("dealer:2589JK@95-110", ["--format", "csv"],
         "'dealer:2589JK@95-110': hands with and without suits have other columns: choose one"),
        ("dealer:5H5DJSQC2H8D", ["--stakes", "acc", "--format", "json"],
         "stakes 'acc' take a score: without one nobody is skunked"),
        ("dealer:5H5D4S4C2H8D@95-110", ["--versus", "JS QC"],
         "JS QC are not two of the cards dealt: 2H 4C 4S 5D 5H 8D"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_later_line_is_told_by_its_number(second, options, said):
    """What was answered before stands, whole."""
    first = "dealer:5H5DJSQC2H8D@95-110"
    done = run("advise", "-", *options, stdin=f"{first}\n\n{second}\n".encode())
    assert done.returncode == 2
    assert done.stderr.decode() == f"cribev: error: line 3: {said}\n"
    assert done.stdout.decode() == good("advise", "-", *options, stdin=first.encode())
    if "json" in options:
        assert json.loads(done.stdout)["score"] == [95, 110]


def test_positions_on_the_command_line():
    text = "pone:2H5D5H8DJSQC@115-110"
    told = printed("advise", text)
    asked = ("5H 5D JS QC 2H 8D", "--pone", "--score", "115-110")
    assert told["position"] == text
    assert good("advise", "pone:2H5D5H8DJSQC", "--score", "115-110") == good("advise", text)
    assert good("advise", text) == good("advise", "2H 5D 5H 8D JS QC", *asked[1:])
    assert printed("advise", *asked)["position"] == text
    assert printed("advise", "dealer:5 5 J Q 2 8")["position"] == "dealer:2558JQ"
    for play in ("dealer:68JK:-:2JT8gogo2", "pone:4H5CJDJ/9CK:7"):
        assert printed("play", play)["position"] == play
    found = printed("play", play)  # suits that are known
    assert found["hand"] == ["4H", "5C", "JD", "J"]
    assert (found["discard"], found["starter"]) == (["9C", "K"], "7")
    assert "4H 5C JD J as pone, threw 9C K, starter 7" in good("play", play)
    assert "role:cards[/discard][:starter[:play]][@yours-theirs]" in good("help", "position")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("advise", "pone:5H5DJSQC2H8X"), "'pone:5H5DJSQC2H8X': the cards: 'X' is not a card"),
        (("advise", "pone:5H5DJSQC"), "'pone:5D5HJSQC': two cards are discarded already"),
        (("advise", "pone:5H5DJSQC2H8D", "--dealer"), "says the role: leave it out"),
        (("play", "pone:5H5DJSQC@1-2", "--score", "1-2"), "says the score: leave it out"),
        (("play", "pone:5H5DJSQC", "--laid", "5H"), "says the play: leave it out"),
        (("play", "pone:5H5DJSQC2H8D"), "two of your six cards are to be discarded first"),
    ],
)
def test_bad_positions_on_the_command_line(words, says):
    assert says in refused(*words)
