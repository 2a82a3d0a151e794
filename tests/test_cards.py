import re

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from strategies import hands

from cribev import (
    CardError,
    CribevError,
    advise,
    evaluate,
    evaluate_deals,
    format_cards,
    parse_cards,
    random_hands,
    score,
    score_hands,
)
from cribev.game.cards import SUITLESS_OFFSET, as_cards, parse_hand, unseen
from cribev.game.deal import Held
from cribev.game.play import Play
from cribev.rows.lines import format_numbers, parse_lines

pytestmark = pytest.mark.arrays


@given(st.data(), hands(6))
def test_text_round_trips(data, deal):
    one = st.sampled_from(["{r}{s}", "{s}{r}"])
    blank = data.draw(st.sampled_from(["", " ", ",", ", ", "\t"]))
    pieces = []
    for card in deal.tolist():
        *rank, suit = format_cards([card], symbols=data.draw(st.booleans()))
        rank = "".join(rank)
        if rank in ("T", "10"):
            rank = data.draw(st.sampled_from(["T", "10"]))
        piece = data.draw(one).format(r=rank, s=suit)
        pieces.append(piece.lower() if data.draw(st.booleans()) else piece)
    text = blank.join(pieces)
    assert parse_cards(text).tolist() == deal.tolist()
    lines, errors = parse_lines(text.encode(), count=6)
    assert not errors
    assert lines.tolist() == [deal.tolist()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5H 1X", "invalid card '1X': expected a rank"),
        ("3 hearts, six of harts", "invalid card 'harts': expected a rank"),
        ("[3H, 6Dx]", "invalid card '6Dx': expected a rank"),
        ("5 X", "invalid card '5': expected a rank"),
        ("5hXX2d", "invalid card '5hXX2d': expected a rank"),
        *((bad, f"invalid card '{bad}': expected a rank") for bad in ("100H", "5ſ", "0H", "_")),
        ("z" * 1_000_000, f"invalid card '{'z' * 59}…': expected a rank"),
        ("TD 5H 10d", "TD comes twice in 'TD 5H 10d'"),
        ("5H", "expected 2 cards, got 1"),
        ("", "expected 2 cards, got none"),
        (None, "expected cards as text, got 'None'"),
    ],
)
def test_invalid_cards_and_wrong_counts_are_quoted(text, message):
    with pytest.raises(CardError, match=re.escape(message)):
        parse_cards(text, count=2)


def test_one_is_ace_but_ambiguous_with_suit():
    for text in ("1H 5D", "D1"):
        with pytest.raises(CardError, match=f"'{text}' may be the ace or the ten"):
            parse_cards(text)
    ranks = parse_hand("1 5 8 9 J 10", count=6, suitless=True) - SUITLESS_OFFSET
    assert ranks.tolist() == [0, 4, 7, 8, 9, 10]
    assert str(Play.parse("1 5 1 J 10C")) == "A 5 A J TC"
    assert str(Held.parse("15CJDJS")) == "A5CJDJS"
    with pytest.raises(CardError, match="'15' is not part of a play"):
        Play.parse("5 J 15")


@given(st.text(alphabet="5aAtT1029JqkKcdhsCDHS♥♦️♢ ,\t\rxſ—\x00", max_size=24), st.integers(1, 6))
def test_lines_read_as_single_texts_do(text, count):
    lines, errors = parse_lines(text.encode() + b"\n", count=count)
    assert len(lines) == 1
    try:
        wanted: object = parse_cards(text.strip("\r"), count=count).tolist()
    except CardError as error:
        wanted = str(error)
    assert (str(errors[0]) if errors else lines[0].tolist()) == wanted


def test_lines_keep_their_numbers():
    cards, errors = parse_lines("5H 6D\n\n5H 5H\nK♠,10c\r\nnonsense".encode(), count=2)
    assert cards.tolist() == [[18, 21], [0, 0], [0, 0], [51, 36], [0, 0]]
    assert list(errors) == [1, 2, 4]
    assert parse_lines(b"", count=2)[0].shape == (0, 2)
    assert list(parse_lines(b"5H 6D\n\xff\xfe 6D\n", count=2)[1]) == [1]  # that is no text


@given(hands(5))
def test_as_cards_takes_text_lists_and_numbers(hand):
    text = format_cards(hand)
    for same in (text, text.split(), hand.tolist(), hand.astype(np.int64)):
        assert as_cards(same, count=5).tolist() == hand.tolist()
    assert sorted([*hand.tolist(), *unseen(hand).tolist()]) == list(range(52))


def test_as_cards_rejects_other_input():
    for bad in ([-1], [52], [1.5], [[1, 2]], [True], [1, 1], [[1, 2], [3]], None, ["5H", 3]):
        with pytest.raises(CardError):
            as_cards(bad)


def test_arrays_of_hands_are_written_as_texts():
    deals = random_hands(3, seed=5)
    texts = format_cards(deals)
    assert texts == [format_cards(deal) for deal in deals]
    assert [parse_cards(text).tolist() for text in texts] == deals.tolist()
    assert format_cards(list(deals), symbols=True)[0] == format_cards(deals[0], symbols=True)
    assert format_cards(pd.DataFrame(deals)) == texts
    assert format_cards(random_hands(0)) == []
    assert format_cards([]) == ""
    assert format_cards(parse_cards("5H")) == "5H"


def test_random_hands_are_hands_repeat_and_are_even():
    hands = random_hands(40_000, seed=11)
    assert (np.diff(np.sort(hands, axis=1)) > 0).all()
    assert (hands == random_hands(40_000, seed=11)).all()
    assert (hands != random_hands(40_000, seed=12)).any()
    expected = 40_000 / 52
    for position in range(6):
        counts = np.bincount(hands[:, position], minlength=52)
        # Chi-squared with 51 degrees of freedom stays below 100 but once in 20,000.
        assert ((counts - expected) ** 2 / expected).sum() < 100


def test_numbers_a_line():
    numbers = np.arange(256, dtype=np.uint8)
    assert format_numbers(numbers).decode().split() == [str(n) for n in range(256)]
    assert format_numbers(numbers[:0]) == b""


DEAL = [18, 17, 43, 44, 6, 29]
COVERED = np.ma.array(DEAL, mask=[False, True] + [False] * 4)
NOBODY = np.ma.array(["pone"], mask=[True])
FRAME = pd.DataFrame([[5], [6]])
LEVELS = pd.DataFrame([["5H"]], columns=pd.MultiIndex.from_tuples([("cards", "")]))
NUMBERS = "expected card numbers 0 to 51, got "


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evaluate_deals(COVERED[None], role="pone"), "some cards of the array are masked"),
        (lambda: advise(COVERED, role="pone"), "some cards of the array are masked"),
        (lambda: score_hands(COVERED[None, :4], [29]), "some cards of the array are masked"),
        (lambda: format_cards(COVERED), NUMBERS + "'masked_array"),
        (lambda: evaluate_deals([DEAL], role=NOBODY), "some roles of the array are masked"),
        (lambda: format_cards([[[5]]]), "expected hands of shape (N, n), got"),
        (lambda: format_cards([[5], [6, 7]]), NUMBERS),
        (lambda: format_cards([[52]]), "invalid card number 52"),
        (lambda: format_cards(None), NUMBERS + "'None'"),
        (lambda: format_cards(["5H"]), NUMBERS + "\"['5H']\""),
        (lambda: advise(None, role="pone"), "card numbers are integers 0 to 51, not 'None'"),
        (lambda: score("5C 6D 7D QH", True), "invalid card 'True': expected one, as 5H or its"),
        (lambda: score("", None), "expected four cards and the starter, or up to 12 cards, got no"),
        (lambda: score("5C 6D 7D QH 6H", "6S"), "expected 4 cards, got 5 in '5C 6D 7D QH 6H'"),
        (lambda: score(None, 5), "card numbers are integers 0 to 51, not 'None'"),
        (lambda: advise(DEAL, role="pone", opponent=5), "invalid opponent '5': expected expert"),
        (lambda: advise(DEAL, role="pone", opponent=FRAME), "invalid opponent '   0\\n0  5"),
        (lambda: advise(DEAL, role="pone", opponent="a\0b"), "'a\\x00b' is neither an opponent"),
        (lambda: format_cards([float("inf")]), NUMBERS + "'[inf]'"),
        (lambda: random_hands(True), "cannot draw True hands"),
        (lambda: random_hands(-1), "cannot draw -1 hands"),
        (lambda: random_hands(1, cards=53), "cannot draw 1 hands of 53 cards"),
        (lambda: evaluate(LEVELS, role="pone"), "columns of 2 levels: expected names of one"),
        (lambda: random_hands(1.5), "cannot draw 1.5 hands of 6 cards"),
        (lambda: random_hands(1, seed="x"), "invalid seed \"'x'\""),
    ],
)
def test_what_is_no_card_is_quoted(call, message):
    with pytest.raises(CribevError, match="^" + re.escape(message)) as raised:
        call()
    assert "\n" not in str(raised.value)
    assert isinstance(raised.value, ValueError)


def test_many_texts_are_read_at_once():
    texts = ["5H 10d", "♠a, kc", "2C-3C"]
    expected = [parse_cards(text) for text in texts]
    np.testing.assert_array_equal(parse_cards(pd.Series(texts), count=2), expected)
    assert parse_cards([], count=2).shape == (0, 2)
    for bad, said in (("5H", "expected 2 cards, got 1"), (None, "as text"), ("5H 5", "invalid")):
        with pytest.raises(CardError, match=f"^row 3: .*{said}"):
            parse_cards([*texts, bad], count=2)
    with pytest.raises(CardError, match="how many cards"):
        parse_cards(texts)
