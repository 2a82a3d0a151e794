"""What a player knows in the middle of a play, and what the opponent may hold."""

from itertools import combinations_with_replacement
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import relabel, suit_orders

from benchmarks.table import Table
from cribev.advice.tree import any_four_kept, believe, kept_by_chance
from cribev.errors import CardError, RecordError
from cribev.game.cards import format_cards, parse_cards
from cribev.game.deal import Position
from cribev.game.play import Play
from cribev.game.score import ROLES, opposite_role
from cribev.opponents.players import LockedPlay, UniformPlay
from cribev.solution.solution import shipped_keep_frequencies, shipped_strategy
from cribev.solution.tree import GameSize

HAND, THROWN, STARTER = "4H 5C JD JS", "9C KD", "7H"


@pytest.fixture(scope="module")
def states():
    return shipped_strategy().states


def test_what_is_known_and_that_a_player_out_of_cards_need_not_say_go():
    known = {"role": "pone", "discard": THROWN, "starter": STARTER}
    position = Position.read(HAND, laid="J 5 (15-2) J go", **known)
    assert position.left_ranks == position.legal_ranks == [3, 4]
    assert position.opponent_left == 3
    assert (position.left_ranks, position.legal_ranks, position.opponent_left) == (
        [3, 4],
        [3, 4],
        3,
    )
    assert position.play.history == [10, 4, 10, None]
    assert position.dead_ranks.tolist() == [0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 2, 0, 1]
    assert [step.role for step in position.play.steps] == ["pone", "dealer", "pone", "dealer"]
    cards = parse_cards(HAND)
    expected = Position.read(HAND, role="dealer", laid="T", discard=THROWN, starter=STARTER)
    for hand, laid, thrown, starter in (
        (cards, [9], parse_cards(THROWN), 26),
        (cards[::-1].tolist(), Play.parse("T"), "KD,9C", "7♥"),
        (HAND, "10 (10)", THROWN, STARTER),
    ):
        found = Position.read(hand, role="Dealer", laid=laid, discard=thrown, starter=starter)
        assert found == expected
    # Dealer has said go at 23; pone lays the last card, and the dealer leads.
    position = Position.read("T J Q K", role="dealer", laid="6 T 6 go A A")
    assert position.play.history == [5, 9, 5, None, 0, 0, None]
    assert (position.play.count, position.opponent_left) == (0, 0)
    assert position.legal_ranks == [10, 11, 12]


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"hand": "4H 5C JD"}, CardError, "expected 4 cards, got 3 in '4H 5C JD'"),
        ({"hand": "4H 5C JD JD"}, CardError, "JD comes twice in '4H 5C JD JD': pieces 3 and 4"),
        ({"hand": "4H 5C JD J"}, CardError,
         "4H has a suit and J has none in '4H 5C JD J': expected all 4 cards with suits, or none"),
        ({"starter": "9C"}, CardError, "9C is in your discard and in the starter"),
        ({"hand": "J J J 4", "discard": "J J"}, RecordError, "there are five Js: a deck has four"),
        ({"laid": "J 5 X"}, CardError, None),
        ({"laid": "K 5"}, RecordError,
         "pone lays K, and kept 4 5 J J: expected a go wherever one cannot lay"),
        ({"laid": "J 5 J go J T"}, RecordError, None),
        ({"laid": "JD JS"}, RecordError, "dealer lays JS, which pone kept"),
        ({"laid": "JC 5"}, RecordError, "pone lays JC, and kept 4H 5C JD JS"),
        ({"laid": "J J J J", "discard": "JC KD"}, RecordError,
         "there are five Js with the other cards of this deal"),
        ({"laid": "J 5 go"}, RecordError,
         "'go', character 5: pone cannot say go at a count of 15: any card fits"),
        ({"laid": "J 5 5 6 9"}, RecordError,
         ("'9', character 9: 9 does not fit a count of 26, and the 4 that pone kept does: expected "
          "a go wherever one cannot lay")),
        ({"laid": "K"}, RecordError,
         "'K': pone lays K, and kept 4 5 J J: expected a go wherever one cannot lay"),
        ({"laid": "J 9 5 3 go"}, RecordError, "pone cannot say go at a count of 27: 4 fits"),
        ({"laid": "J 5 J go 5 A"}, RecordError, None),
        ({"laid": "J 5 J"}, RecordError,
         "it is your opponent's turn at a count of 25: expected the card laid next, or go"),
        ({"role": "dealer"}, RecordError,
         "pone leads, and you are dealer: expected the cards laid so far"),
        ({"hand": "9 9 J K", "laid": "J T 9 go", "discard": None}, RecordError,
         "none of your cards (9 K) fits a count of 29: say go"),
        ({"hand": "T 9 A 5", "discard": None, "laid": "T T 9 go A 4 5 K 3"}, RecordError,
         "the play is over: all 8 cards are laid"),
        ({"laid": 5}, CardError, "'5' is no play: expected text, or ranks and None for go"),
        ({"laid": [10, 13]}, CardError, "'13' is not a rank: expected 0 to 12"),
        ({"laid": "J 5 J go 4 go 2"}, RecordError, None),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_line(given, error, said):
    known = {"hand": HAND, "role": "pone", "discard": THROWN, "starter": STARTER} | given
    with pytest.raises(error) as raised:
        Position.read(**known).require_card()
    assert "\n" not in str(raised.value)
    if said:
        assert str(raised.value).endswith(said)


@given(st.permutations(range(52)), st.randoms(), suit_orders)
@settings(max_examples=60)
def test_positions_of_every_play(deck, random, order):
    deck = np.array(deck, dtype=np.uint8)
    kept = {"pone": deck[:4], "dealer": deck[4:8]}
    play = Table({role: [int(card) >> 2 for card in cards] for role, cards in kept.items()})
    laid, cards = [], {role: [*map(int, held)] for role, held in kept.items()}
    while not play.over:
        if play.legal:
            role, left = play.turn, sorted(play.hands[play.turn])
            known = {"role": role, "discard": deck[8:10], "starter": int(deck[10])}
            text = " ".join("go" if card is None else format_cards([card]) for card in laid)
            position = Position.read(kept[role], laid=text, **known)
            assert (position.left_ranks, position.legal_ranks) == (left, play.legal)
            assert position.opponent_left == play.left[opposite_role(role)]
            ranks = [None if card is None else card >> 2 for card in laid]
            assert [one.rank for one in position.play.steps if not one.silent] == ranks
            # Neither suits nor the order of cards in the hand matter.
            other = Position.read(
                relabel(kept[role][::-1], order), role=role, laid=ranks,
                discard=relabel(deck[8:10], order), starter=int(relabel(deck[10], order)),
            )  # fmt: skip
            assert other.play.history == position.play.history
            assert (other.left_ranks, other.legal_ranks) == (left, play.legal)
            rank = random.choice(play.legal)
            card = next(card for card in cards[role] if card >> 2 == rank)
            cards[role].remove(card)
            laid.append(card)
            play.lay(rank)
        else:
            laid.append(None)
            play.go()


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
        at = 0
        for first in range(6):
            for second in range(first + 1, 6):
                for third in range(second + 1, 6):
                    for fourth in range(third + 1, 6):
                        keep = tuple(ranks[card] for card in (first, second, third, fourth))
                        expected[keep] += ways * shares[at]
                        at += 1
    total = sum(expected.values())
    found = kept_by_chance(4 - np.array(left), frequencies)
    assert found == pytest.approx([often / total for often in expected.values()], abs=1e-12)


def lowest_first(play):
    """Lay the lowest card, but for the king, which is never laid of oneself."""
    weights = np.zeros((len(play.holdings), 13))
    weights[np.arange(len(weights)), play.holdings[:, 0]] = 1
    weights[:, 12] = 0
    return weights


def test_cards_laid_and_goes_tell_what_is_held_and_what_nobody_keeps_is_any_four_cards(states):
    size, frequencies = GameSize(), shipped_keep_frequencies("dealer")
    strategy = LockedPlay(size, states, lowest_first)
    position = Position.read(HAND, role="pone", laid="J 9 5 go", discard=THROWN, starter=STARTER)
    prior = kept_by_chance(position.dead_ranks, frequencies)
    expected = {}
    for keep, chance in zip(size.holdings(4).tolist(), prior, strict=True):
        # The nine is the lowest: at 24 only lower cards would fit.
        if keep[0] == 8 and chance:
            expected[tuple(keep[1:])] = chance
    found = believe(position, frequencies, strategy)
    assert (found.left, found.laid, found.explained) == (3, 8, True)
    total = sum(expected.values())
    lefts = map(tuple, size.holdings(3).tolist())
    assert found.chance == pytest.approx([expected.get(left, 0) / total for left in lefts])
    frequencies = shipped_keep_frequencies("dealer")
    lowest = np.zeros_like(frequencies.share)
    lowest[:, 0] = 1  # the four lowest of six
    strategy = UniformPlay(GameSize(), states)
    position = Position.read("T T J J", role="pone", laid="T K J go go K T K go go", discard="T T")
    found = believe(position, frequencies._replace(share=lowest), strategy)
    assert not found.explained
    assert found.chance[12] > 0  # a fourth king
    assert found.chance.sum() == pytest.approx(1)


def test_cards_the_strategy_never_lays_are_laid_by_a_trembling_hand(states):
    size, frequencies = GameSize(), shipped_keep_frequencies("dealer")
    strategy = LockedPlay(size, states, lowest_first)
    position = Position.read("2 3 4 5", role="pone", laid="5 K 4 Q")
    found = believe(position, frequencies, strategy)
    assert not found.explained
    kept = kept_by_chance(position.dead_ranks, frequencies)
    any_four = any_four_kept(position.dead_ranks)
    expected = {}
    for at, (keep, chance) in enumerate(zip(size.holdings(4).tolist(), kept, strict=True)):
        often = 0.999 * chance + 0.001 * any_four[at]
        for king_or_queen in (12, 11):  # all cards fit
            if king_or_queen not in keep:
                break
            lays = (king_or_queen != 12 and keep[0] == king_or_queen) or set(keep) == {12}
            often *= 0.999 * lays + 0.001 * keep.count(king_or_queen) / len(keep)
            keep.remove(king_or_queen)
        else:
            expected[tuple(keep)] = often
    total = sum(expected.values())
    lefts = map(tuple, size.holdings(2).tolist())
    assert found.chance == pytest.approx([expected.get(left, 0) / total for left in lefts])


@pytest.mark.parametrize("role", ROLES)
def test_less_known_is_more_possible(role, states):
    strategy = UniformPlay(GameSize(), states)
    frequencies = shipped_keep_frequencies(opposite_role(role))
    laid = "" if role == "pone" else "5"
    found = [
        believe(Position.read(HAND, role=role, laid=laid, **known), frequencies, strategy)
        for known in ({}, {"discard": THROWN}, {"discard": THROWN, "starter": STARTER})
    ]
    possible = [set(np.flatnonzero(one.chance)) for one in found]
    assert possible[0] >= possible[1] >= possible[2]
    assert len({one.chance.max() for one in found}) == 3
