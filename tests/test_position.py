"""Positions: what one player knows, its one text, and what it tells of the opponent's cards."""

import json
import random
from contextlib import suppress
from itertools import combinations, combinations_with_replacement
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shell import good, refused, run
from strategies import relabel, suit_orders

from cribev import advise, advise_play, parse_cards
from cribev.advice.question import Question
from cribev.errors import CardError, CribevError, RecordError
from cribev.game.cards import rank_of
from cribev.game.deal import Deal, Held, Position
from cribev.game.play import Play
from cribev.game.roles import opposite_role
from cribev.game.score import Score
from cribev.game.score_texts import parse_scores
from cribev.opponents.strategies import GreedyPlay, UniformPlay
from cribev.solution.solution import shipped_keep_frequencies, shipped_strategy
from cribev.solution.strategy import GameSize
from cribev.values.holdings import TREMBLE, any_four_kept, believe, kept_by_chance

SEEDS = st.integers(0, 2**32)
EXAMPLES = [
    "dealer:2H5D5H8DJSQC",
    "pone:4H5CJDJS/9CKD:7H:J5@103-104",
    "dealer:68JK:-:2JT8gogo264",
    "pone:A24HJS",
    "dealer:68JK/8Q:9:2JT8gogo264",
]


def random_deal(rng):
    """A deal by the rules, played card by card up to somewhere, and its cards with all suits."""
    cards = rng.sample(range(52), 13)
    held = {"pone": Held(cards[:4], cards[4:6]), "dealer": Held(cards[6:10], cards[10:12])}
    play, left = Play(), {role: list(one.kept) for role, one in held.items()}
    for _ in range(rng.randrange(9)):
        play = play.go_while_stuck(left)
        card = rng.choice(play.legal(left[play.turn]))
        left[play.turn].remove(card)
        play = play.play(card)
    return Deal(held["pone"], held["dealer"], cards[12], play)


def random_position(seed):
    rng = random.Random(seed)
    deal, role, hidden = random_deal(rng), rng.choice(["pone", "dealer"]), rng.choice([0, 0.4, 1])

    def some(cards):
        """Leave out the suits of some cards, of none, or of all: ranks count from 64."""
        return tuple(card if rng.random() > hidden else 64 + (card >> 2) for card in cards)

    own = deal.held(role)
    score = None if rng.random() < 0.5 else Score(rng.randrange(60), rng.randrange(60))
    if rng.random() < 0.3:
        return Position(role, Held(some(own.dealt)), score=score)
    discard = own.discard if rng.random() < 0.7 else ()
    (cut,) = some([deal.starter]) if rng.random() < 0.8 else (None,)
    play = deal.play.with_cards(some(deal.play.played))
    return Position(role, Held(some(own.kept), some(discard)), cut, play, score)


@given(SEEDS)
def test_a_position_is_its_text(seed):
    position = random_position(seed)
    text = str(position)
    assert Position.parse(text) == position
    assert str(Position.parse(text)) == text
    for way in (str.lower, str.upper, " ".join, lambda one: one.replace("T", "10")):
        assert Position.parse(way(text)) == position


@given(SEEDS)
def test_changed_text_is_refused_or_valid(seed):
    rng = random.Random(seed)
    text = list(str(random_position(seed)))
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(text))
        text[at : at + rng.randrange(2)] = rng.choice("A5TJKcdhsgo:/@-0123 *x\u2665,")
    with suppress(CribevError):
        position = Position.parse("".join(text))
        assert Position.parse(str(position)) == position


@given(SEEDS, suit_orders)
def test_deal_lists_decisions_whatever_suits_and_order(seed, order):
    deal = random_deal(random.Random(seed))
    played = []
    for role in ("pone", "dealer"):
        (six, discard), *cards = deal.decisions(role)
        assert six.to_do == "discard"
        assert (six.held.dealt, discard) == (deal.held(role).dealt, deal.held(role).discard)
        for position, (card,) in cards:
            assert position.to_do == "card"
            assert card in position.legal
            assert (
                position.play.play(card).played == deal.play.played[: len(position.play.played) + 1]
            )
            kept, discard, starter = (
                relabel(np.array(cards), order) for cards in (*position.held, deal.starter)
            )
            ranks = [step.rank for step in position.play.steps if not step.silent]
            other = Position.read(
                kept[::-1], role=role, played=ranks, discard=discard, starter=int(starter)
            )
            for name in ("left_ranks", "legal_ranks", "opponent_left", "dead_ranks"):
                assert [*np.ravel(getattr(other, name))] == [*np.ravel(getattr(position, name))]
            assert other.play.history == position.play.history
        played += [card for _, (card,) in cards]
    assert sorted(played) == sorted(deal.play.played)


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
        ("pone:4H5CJDJS:7H:JDQJ", "pone:4H5CJDJS:7H:JDQJS"),
        ("dealer:5hjd 5d js qc 2h", "dealer:2H5D5HJDJSQC"),
        ("PONE:4H5C10DJS: - ", "pone:4H5CTDJS"),
        ("dealer:258-9JK", "dealer:2589JK"),
        ("dealer:asjjkh:-:2sjackh6as", "dealer:ASJJKH:-:2SJACKH6AS"),  # an ace of clubs, no word
        ("pone:4H-5C-JD-JS/9C-KD:-:J", "pone:4H5CJDJS/9CKD:-:J"),
    ],
)
def test_one_position_has_one_text(given, text):
    position = Position.parse(given)
    assert str(position) == text
    assert eval(repr(position)) == position
    assert eval(repr(position.play)) == position.play


def test_whose_turn_it_is():
    assert Position.parse("dealer:68JK").to_do == "wait"
    assert Position.parse("dealer:68JK:-:T").to_do == "card"
    assert Position.parse("pone:9TJT:-:9T").to_do == "card"
    # The eight of no suit is not that of clubs, which is played later.
    assert len(Position.parse("dealer:AC8C8D8H:-:K84S8C").left) == 2
    with pytest.raises(RecordError, match="say go"):
        Position.parse("dealer:TJQK:-:9T7").require_card()
    over = Position.parse("dealer:5H5DJSQC:JD:K5@119-3")
    assert (over.to_do, over.winner) == ("wait", "dealer")
    with pytest.raises(RecordError, match=r"the game is over: from 119-3 before .* is now 121-3"):
        over.require_card()
    with pytest.raises(RecordError, match="two of your six cards"):
        Position.parse("dealer:TJQK23").require_card()
    with pytest.raises(CardError):
        Position("pone", Held([1, 2, 3]))


@given(SEEDS)
def test_what_is_known_adds_up(seed):
    position = random_position(seed)
    own = [rank_of(card) for card in position.held.dealt]
    cut = [] if position.starter is None else [rank_of(position.starter)]
    assert position.dead_ranks.tolist() == [[*own, *cut].count(rank) for rank in range(13)]
    if position.to_do != "discard":
        played = position.play.played_by(position.role)
        kept, left = sorted(map(rank_of, position.held.kept)), position.left_ranks
        assert sorted([*left, *map(rank_of, played)]) == kept
        fits = {rank for rank in left if position.play.count + min(rank + 1, 10) <= 31}
        assert position.legal_ranks == sorted(fits)
        assert sum(position.play.left.values()) == 8 - len(position.play.played)
    if position.score is not None:
        heels = 2 * (position.starter is not None and rank_of(position.starter) == 10)
        gained = position.play.points
        assert position.now.pone == position.score.pone + gained["pone"]
        assert position.now.dealer == position.score.dealer + gained["dealer"] + heels


def test_advise_and_play_take_a_position():
    six = Position.parse("dealer:5H5DJSQC2H8D@115-118")
    plain = advise("5H 5D JS QC 2H 8D", role="dealer", score="115-118")
    for given_as in (six, str(six)):
        assert advise(given_as).to_dict() == plain.to_dict()
    assert plain.to_dict()["position"] == str(six)
    with pytest.raises(CribevError, match="is a position, and says the role: leave it out"):
        advise(six, role="dealer")
    four = Position.parse("pone:4H5CJDJS/9CKD:7H:J5")
    asked = advise_play("4H 5C JD JS", role="pone", discard="9C KD", starter="7H", played="J 5")
    assert advise_play(four).to_dict() == asked.to_dict() == advise_play(str(four)).to_dict()
    points = {"score": np.array([103, 104]), "starter": np.int64(four.starter)}
    numbers = Question.read("4H 5C JD JS", role="pone", discard="9C KD", played="J 5", **points)
    assert str(numbers.position) == f"{four}@103-104"
    assert asked.to_dict()["position"] == str(four)
    with pytest.raises(CribevError, match="two cards are discarded already"):
        advise(four)
    assert advise("dealer:5H5DJSQC2H8D", score="115-118").to_dict() == plain.to_dict()
    ranks = advise("pone:2589JK@117-118")
    assert ranks.to_dict() == advise("2 5 8 9 J K", role="pone", score="117-118").to_dict()
    assert advise("pone:2589JK@117-118").to_dict() == ranks.to_dict()


@pytest.mark.parametrize("text", ["104-103", "104:103", "104/103", "104 103", " 104 – 103 "])
def test_a_score_is_read_as_people_type_it(text):
    assert Score.read(text, "dealer") == Score(pone=103, dealer=104)
    position = Position.parse(f"Dealer: 5H 5D JS QC 2H 8D @{text}")
    assert str(position) == "dealer:2H5D5H8DJSQC@104-103"
    assert parse_scores([text], np.array([True]))[0].tolist() == [[104, 103]]
    assert Question.read("5H5DJSQC2H8D", role="dealer", score=text).position == position


@pytest.mark.slow
def test_positions_are_read_line_by_line(tmp_path):
    positions = ["dealer:5H5DJSQC2H8D@115-118", "pone:2589JK"]
    told = good("advise", "-", "--top", "1", stdin="\n".join(positions).encode())
    assert told == "\n".join(good("advise", one, "--top", "1") for one in positions)
    done = run("advise", "-", "--pone", stdin=b"5H5DJSQC2H8D\ndealer:5H5DJSQC2H8D\n")
    assert done.returncode == 2
    told = b"'dealer:5H5DJSQC2H8D' is a position, and says the role: leave it out"
    assert done.stderr == b"cribev: error: line 2: %b\n" % told
    missing = str(tmp_path / "none.csv")
    for option, what in (("--stakes", "x"), ("--opponent", missing)):
        told = refused("advise", "-", option, what, stdin=b"dealer:5H5DJSQC2H8D")
        assert not told.startswith("line")


@pytest.mark.parametrize(
    ("second", "options", "said"),
    [
        ("dealer:5H5DJSQC2H8D", ["--format", "csv"],
         "'dealer:5H5DJSQC2H8D': hands with and without a score have other columns: choose one"),
        ("dealer:2589JK@115-118", ["--format", "csv"],
         "'dealer:2589JK@115-118': hands with and without suits have other columns: choose one"),
        ("dealer:5H5DJSQC2H8D", ["--stakes", "acc", "--format", "json"],
         "stakes 'acc' need a score: without one nobody is skunked"),
        ("dealer:5H5D4S4C2H8D@115-118", ["--versus", "JS QC"],
         "JS QC are not two of the cards dealt: 2H 4C 4S 5D 5H 8D"),
    ],
)  # fmt: skip
def test_bad_later_line_is_numbered(second, options, said):
    """What was answered before stands, whole."""
    first = "dealer:5H5DJSQC2H8D@115-118"
    done = run("advise", "-", *options, stdin=f"{first}\n\n{second}\n".encode())
    assert done.returncode == 2
    assert done.stderr.decode() == f"cribev: error: line 3: {said}\n"
    assert done.stdout.decode() == good("advise", "-", *options, stdin=first.encode())
    if "json" in options:
        assert json.loads(done.stdout)["score"] == [115, 118]


HAND, DISCARDED, STARTER = "4H 5C JD JS", "9C KD", "7H"


def test_known_cards_and_implied_goes():
    known = {"role": "pone", "discard": DISCARDED, "starter": STARTER}
    position = Position.read(HAND, played="J 5 (15-2) J go", **known)
    assert position.left_ranks == position.legal_ranks == [3, 4]
    assert position.opponent_left == 3
    assert position.play.history == [10, 4, 10, None]
    assert position.dead_ranks.tolist() == [0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 2, 0, 1]
    assert [step.role for step in position.play.steps] == ["pone", "dealer", "pone", "dealer"]
    cards = parse_cards(HAND)
    expected = Position.read(HAND, role="dealer", played="T", discard=DISCARDED, starter=STARTER)
    for hand, played, discarded, starter in (
        (cards, [9], parse_cards(DISCARDED), 26),
        (cards[::-1].tolist(), Play.parse("T"), "KD,9C", "7♥"),
        (HAND, "10 (10)", DISCARDED, STARTER),
        (HAND.split(), ["10"], DISCARDED.split(), STARTER),
    ):
        position = Position.read(
            hand, role="Dealer", played=played, discard=discarded, starter=starter
        )
        assert position == expected
    for moves in (["6", "T", "6", None], [5, 9, 5, None]):
        assert Play.parse(moves) == Play.parse("6 T 6 go")
    # Dealer has said go at 23; pone plays the last card, and the dealer leads.
    position = Position.read("T J Q K", role="dealer", played="6 T 6 go A A")
    assert position.play.history == [5, 9, 5, None, 0, 0, None]
    assert (position.play.count, position.opponent_left) == (0, 0)
    assert position.legal_ranks == [10, 11, 12]


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"hand": "4H 5C JD"}, CardError, "expected 4 cards, got 3 in '4H 5C JD'"),
        ({"hand": "4H 5C JD JD"}, CardError,
         "JD comes twice in '4H 5C JD JD': which card is the other?"),
        ({"starter": "9C"}, CardError, "9C is in your discard and in the starter"),
        ({"hand": "J J J 4", "discard": "J J"}, RecordError, "there are five Js: a deck has four"),
        ({"played": "J 5 X"}, CardError, None),
        ({"played": "K 5"}, RecordError,
         "pone plays K, and kept 4 5 J J: expected a go wherever one cannot play"),
        ({"played": "J 5 J go J T"}, RecordError, None),
        ({"played": "JD JS"}, RecordError, "dealer plays JS, which pone kept"),
        ({"played": "JC 5"}, RecordError, "pone plays JC, and kept 4H 5C JD JS"),
        ({"played": "J J J J", "discard": "JC KD"}, RecordError,
         "there are five Js with the other cards of this deal"),
        ({"played": "J 5 go"}, RecordError,
         "'go', character 5: pone cannot say go at a count of 15: any card fits"),
        ({"played": "J 5 5 6 9"}, RecordError,
         ("'9', character 9: 9 does not fit a count of 26, and the 4 that pone kept does: expected "
          "a go wherever one cannot play")),
        ({"played": "J 9 5 3 go"}, RecordError, "pone cannot say go at a count of 27: 4 fits"),
        ({"played": "J 5 J go 5 A"}, RecordError, None),
        ({"played": "J 5 J"}, RecordError,
         "it is your opponent's turn at a count of 25: expected the card played next, or go"),
        ({"role": "dealer"}, RecordError,
         "pone leads, and you are dealer: expected the cards played so far"),
        ({"hand": "9 9 J K", "played": "J T 9 go", "discard": None}, RecordError,
         "none of your cards (9 K) fits a count of 29: say go"),
        ({"hand": "T 9 A 5", "discard": None, "played": "T T 9 go A 4 5 K 3"}, RecordError,
         "the play is over: all 8 cards are played"),
        ({"played": 5}, CardError, "invalid play '5': expected text, or ranks and None for go"),
        ({"played": [10, 13]}, CardError, "invalid rank '13': expected 0 to 12"),
        ({"played": "J 5 J go 4 go 2"}, RecordError, None),
    ],
)  # fmt: skip
def test_unreadable_positions_are_refused(given, error, said):
    known = {"hand": HAND, "role": "pone", "discard": DISCARDED, "starter": STARTER} | given
    with pytest.raises(error) as raised:
        Position.read(**known).require_card()
    assert "\n" not in str(raised.value)
    if said:
        assert str(raised.value).endswith(said)


def test_keeps_by_chance_are_those_of_every_class():
    frequencies = shipped_keep_frequencies("dealer")
    left = [4 - held for held in (1, 0, 0, 1, 2, 0, 1, 0, 0, 0, 1, 1, 0)]
    classes = [
        ranks for ranks in combinations_with_replacement(range(13), 6) if ranks[4:] > ranks[:2]
        and max(map(ranks.count, ranks)) <= 4
    ]  # fmt: skip
    classes.sort(key=lambda ranks: ranks[::-1])
    expected = dict.fromkeys(combinations_with_replacement(range(13), 4), 0.0)
    for ranks, shares in zip(classes, frequencies.share.tolist(), strict=True):
        ways = prod(comb(left[rank], ranks.count(rank)) for rank in set(ranks))
        for keep, share in zip(combinations(ranks, 4), shares, strict=True):
            expected[keep] += ways * share
    total = sum(expected.values())
    found = kept_by_chance(4 - np.array(left), frequencies)
    assert found == pytest.approx([often / total for often in expected.values()], abs=1e-12)


def believed(position, strategy, still_fits=frozenset()):
    """What the opponent has left, by hand: the keep, then each card, each with its small error."""
    history = [step.rank for step in position.play.steps]
    plays = [
        (history[:index], step.rank)
        for index, step in enumerate(position.play.steps)
        if step.role != position.role and step.rank is not None
    ]
    frequencies = shipped_keep_frequencies(opposite_role(position.role))
    kept = kept_by_chance(position.dead_ranks, frequencies)
    any_four, expected = any_four_kept(position.dead_ranks), {}
    for keep, chance, by_chance in zip(
        GameSize().holdings(4).tolist(), kept, any_four, strict=True
    ):
        often = (1 - TREMBLE) * chance + TREMBLE * by_chance
        for played, rank in plays:  # all cards fit
            if rank not in keep:
                break
            share = strategy.choices(strategy.node(played), keep)[rank]
            often *= (1 - TREMBLE) * share + TREMBLE * keep.count(rank) / len(keep)
            keep.remove(rank)
        else:
            if not still_fits & set(keep):
                expected[tuple(keep)] = often
    lefts = map(tuple, GameSize().holdings(4 - len(plays)).tolist())
    belief = believe(position, frequencies, strategy)
    total = sum(expected.values())
    assert belief.chance == pytest.approx([expected.get(left, 0) / total for left in lefts])
    return belief


def test_play_and_goes_narrow_what_is_held():
    states = shipped_strategy().states
    strategy = GreedyPlay(GameSize(), states)
    position = Position.read(
        HAND, role="pone", played="J 9 5 go", discard=DISCARDED, starter=STARTER
    )
    # The nine is the highest, or played in error: at 24 only lower cards than an eight would fit.
    belief = believed(position, strategy, set(range(7)))
    assert (belief.left, belief.played, belief.explained) == (3, 8, True)
    lowest = np.zeros_like(shipped_keep_frequencies("dealer").share)
    lowest[:, 0] = 1  # the four lowest of six
    strategy = UniformPlay(GameSize(), states)
    position = Position.read(
        "T T J J", role="pone", played="T K J go go K T K go go", discard="T T"
    )
    frequencies = shipped_keep_frequencies("dealer")._replace(share=lowest)
    belief = believe(position, frequencies, strategy)
    assert not belief.explained
    assert belief.chance[12] > 0  # a fourth king
    assert belief.chance.sum() == pytest.approx(1)
    # Cards that are not expected are played by a trembling hand.
    position = Position.read("2 3 4 5", role="pone", played="5 Q 4 K")  # greedy plays the K first
    assert not believed(position, GreedyPlay(GameSize(), states)).explained
