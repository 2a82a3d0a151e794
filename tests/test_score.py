import json
from itertools import combinations
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import oracle
import pandas as pd
import pytest
from hypothesis import given, settings
from strategies import crowded_hands, hands

from cribev import CardError, explain, format_cards, parse_cards, random_hands, score, score_hands
from cribev.game.index_tables import rank_points

pytestmark = pytest.mark.arrays

KNOWN = [  # hand, starter, points in hand
    ("5C 6D 7D QH", "6H", 10),
    ("AC 2C 3C KC", "2S", 18),
    ("5C 5S JH JC", "JS", 20),
    ("2D 3D JD 8D", "5D", 12),
    ("5H 6H 7H 8H", "9S", 13),
    # Where other scorers go wrong.
    ("AC 2D 2H 3S", "3C", 16),  # double double run
    ("AC AD 2H 2S", "3C", 16),
    ("8C 9D TH KS", "4C", 3),  # runs over the ten
    ("9C TD JH KS", "2C", 3),
    ("TC JD QH KS", "2C", 4),
    ("QC KD AH 3S", "9C", 0),  # no run round the corner
    ("2H 4H 6H 9S", "KH", 4),  # four of a suit with the starter is no flush
    ("TC JC QD KD", "TS", 10),  # only equal ranks pair: pair, two runs of four
    ("TC JD 2H 4S", "QC", 3),  # tens, jacks and queens do not pair
    ("2C 4D 6H 9S", "JS", 4),
    ("2C 4C 6D QH", "JC", 0),  # no nobs for the starter itself
    ("5C JD QD KH", "5D", 18),
]


CRIBS = [("5H 6H 7H 8H", "9S", 9), ("5H 6H 7H 8H", "9H", 14), ("2D 3D JD 8D", "5D", 12)]


@pytest.mark.parametrize(
    ("hand", "starter", "points", "crib"),
    [*((*known, False) for known in KNOWN), *((*known, True) for known in CRIBS)],
)
def test_scores_of_known_hands_and_cribs(hand, starter, points, crib):
    assert score(hand, starter, crib=crib) == points
    assert oracle.points(hand.split(), starter, crib=crib) == points
    assert explain(hand, starter, crib=crib).total == points


def test_all_hands_score_as_published():
    keeps = np.array(list(combinations(range(52), 4)), dtype=np.uint8)
    starters = np.arange(52, dtype=np.uint8)
    counts = np.zeros(30, dtype=np.int64)
    for block in np.array_split(keeps, 40):
        points = score_hands(block[:, None, :], starters)
        apart = (block[:, None, :] != starters[:, None]).all(axis=-1)
        counts += np.bincount(points[apart], minlength=30)
    published = pd.read_csv(Path(__file__).parent / "data/score_distribution.csv", comment="#")
    assert counts.tolist() == published["hands"].tolist()
    assert counts.sum() == 12_994_800
    assert (counts * np.arange(30)).sum() == 61_974_180


@settings(max_examples=150)
@given(st.one_of(hands(5), crowded_hands(5)), st.booleans())
def test_every_scorer_agrees_on_hostile_hands(five, crib):
    text = format_cards(five).split()
    right = oracle.points(text[:4], text[4], crib=crib)
    assert score_hands(five[:4], five[4], crib=crib) == right
    assert score(text[:4], text[4], crib=crib) == right
    show = explain(five[:4], int(five[4]), crib=crib)
    assert show.total == right
    assert sum(show.points.values()) == right
    before = oracle.points(text[:4], crib=crib)
    assert score(text[:4], crib=crib) == explain(text[:4], crib=crib).total == before
    assert rank_points(five[:4] >> 2) == oracle.points(text[:4], crib=True)  # no flush


@pytest.mark.parametrize("number", [1, 2, 3, 6, 7, 8])
def test_any_number_of_cards_counts_as_it_is(number):
    """Fifteens, pairs and runs: with `crib`, the oracle counts no flush before the cut."""
    for dealt in random_hands(20, cards=number, seed=number):
        right = oracle.points(format_cards(dealt).split(), crib=True)
        show = explain(dealt)
        assert score(dealt) == show.total == sum(show.points.values()) == right
        assert f"{right} for fifteens, pairs and runs of {number} card" in str(show)
    with pytest.raises(CardError, match="up to 12 cards, got 13"):
        score(list(range(13)))


def test_blocks_broadcasting_and_strides_change_no_score():
    dealt = random_hands(300_000, cards=5, seed=5)
    keeps, starters = dealt[:, :4], dealt[:, 4]
    whole = score_hands(keeps, starters)
    assert whole.dtype == np.uint8
    parts = [score_hands(keeps[i : i + 999], starters[i : i + 999]) for i in range(0, 300_000, 999)]
    assert (whole == np.concatenate(parts)).all()
    assert (score_hands(keeps.astype(np.int64)[::-1], starters[::-1])[::-1] == whole).all()
    table = score_hands(keeps[:500, None], starters[:400])
    assert table.shape == (500, 400)
    assert (table.diagonal() == whole[:400]).all()
    assert (score_hands(keeps[None, :500], starters[:400, None]) == table.T).all()
    assert score_hands(keeps[0], starters[:7]).shape == (7,)
    assert score_hands(np.empty((0, 4), np.uint8), np.empty(0, np.uint8)).shape == (0,)
    dealt = random_hands(100, cards=10, seed=5)[:, ::2]
    dealt.flags.writeable = False
    points = score_hands(dealt[:, :4], dealt[:, 4])
    assert (points == score_hands(dealt[:, :4].copy(), dealt[:, 4].copy())).all()
    keeps[250_000, 2] = 52
    with pytest.raises(CardError, match="invalid card number 52"):
        score_hands(keeps, starters)


def test_score_takes_text_or_numbers_or_refuses():
    hand, starter = parse_cards("5C 6D 7D QH"), parse_cards("6H")
    assert score([*hand, *starter]) == score("5C 6D 7D QH 6H") == 10
    assert explain("5C 6D 7D QH 6H").total == 10
    assert score(hand, starter) == score(hand.tolist(), int(starter[0])) == score(hand, "6h") == 10
    assert score(hand, starter[0]) == 10
    for keep, starter in (
        ([1, 2, 3], 5), ([1, 2, 3, 52], 5), ([1, 2, 3, 4], 52), ([1, 2, 3, -4], 5), ([1.0] * 4, 5),
        (1, 2), ([[1, 2, 3, 4]] * 3, [5, 6]), ([[1, 2, 3, 4]] * 2, [[5] * 3] * 2),
    ):  # fmt: skip
        with pytest.raises(CardError):
            score_hands(keep, starter)
    for hand, starter, message in (
        ("5H 6H 7H", "8H", "expected 4 cards, got 3"),
        ("5H 6H 7H 8H", "8H", "the starter 8H is in the hand"),
        ("5H 6H 7H 8H", "8H 9H", "expected 1 card, got 2"),
        ("5H 6H 7H 5H", "8H", "5H comes twice"),
    ):
        with pytest.raises(CardError, match=message):
            score(hand, starter)


@pytest.mark.parametrize(
    ("hand", "starter", "said"),
    [
        ("7C 8D 8H 2S", "KD", "fifteen two, fifteen four, and a pair is six"),
        ("2C 4S 6H 8D", "TS", "no points"),
        ("2C 4S 6H JD", "8D", "his nobs is one"),
        ("8C 7D 2H 4S", "QC", "fifteen two"),
        ("2D 2S KD QD", "4C", "a pair is two"),
        ("2D 4D JD 8D", "6D", "a flush is five, and his nobs is six"),
        ("AC 2D 3H 3S", "3C", "a triple run of three is fifteen"),
        ("AC 2D 2H 3S", "3C", "a double double run of three is sixteen"),
        ("AC 2D 3H 4S", "4C", "a double run of four is ten"),
        ("AC 2D 3H 4S", "5C", "fifteen two, and a run of five is seven"),
        ("AC 2D 3H KS", "KC", "two, fifteen four, a pair is six, and a run of three is nine"),
        ("5H 5C 5S JD", "5D", "a double pair royal is twenty-eight, and his nobs is twenty-nine"),
    ],
)
def test_the_score_as_it_is_spoken(hand, starter, said):
    show = explain(hand, starter)
    assert show.spoken.endswith(said)
    assert show.total == score(hand, starter) == oracle.points(hand.split(), starter)


def test_explain_is_shown_in_json_html_and_text():
    show = explain("5C 6D 7D QH", "6H")
    data = json.loads(json.dumps(show.to_dict()))
    assert data["points"] == 10
    assert data["starter"] == "6H"
    assert data["by_kind"]["run"] == {"count": 2, "points": 6}
    assert data["combinations"][0] == {"kind": "fifteen", "cards": ["5C", "QH"], "points": 2}
    lines = str(show).splitlines()
    assert lines[-1] == "fifteen two, and a double run of three is ten"
    assert len(lines) == 6
    assert "\x1b" not in str(show)
    assert "6♦" in show._repr_html_()


@given(crowded_hands(5))
def test_combinations_are_unique_and_add_up(five):
    show = explain(five[:4], int(five[4]))
    assert len(set(show.combinations)) == len(show.combinations)
    for one in show.combinations:
        assert set(one.cards) <= set(five.tolist())
        ranks = sorted(card >> 2 for card in one.cards)
        if one.kind == "fifteen":
            assert sum(min(rank + 1, 10) for rank in ranks) == 15
        elif one.kind == "pair":
            assert ranks[0] == ranks[1]
        elif one.kind == "run":
            assert ranks == list(range(ranks[0], ranks[0] + one.points))
