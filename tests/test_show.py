import json

import pytest
from hypothesis import given
from strategies import crowded_hands

from cribev import explain, format_cards


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
def test_the_spoken_count(hand, starter, said):
    assert explain(hand, starter).spoken.endswith(said)


def test_kinds_are_counted_and_name_their_cards():
    show = explain("5H 5C 5S JD", "5D")
    assert show.counts == {"fifteen": 8, "pair": 6, "run": 0, "flush": 0, "nobs": 1}
    assert show.points == {"fifteen": 16, "pair": 12, "run": 0, "flush": 0, "nobs": 1}
    found = {one.kind: format_cards(one.cards) for one in explain("2D 3D JD 8D", "5D").combinations}
    assert (found["flush"], found["nobs"]) == ("2D 3D 8D JD 5D", "JD 5D")
    assert explain("2D 3D JD 8D", "5C", crib=True).counts["flush"] == 0
    assert explain("2D 3D JD 8D", "5C").points["flush"] == 4


@given(crowded_hands(5))
def test_no_combination_comes_twice_and_each_holds_its_points(five):
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


def test_it_goes_to_json_and_html_and_text():
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
