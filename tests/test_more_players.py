"""Three and four players: five cards, one to the crib, hand and crib against any cards."""

import html
import json
from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
import pytest

from cribev import advise
from cribev.app.web.api import advice_json
from cribev.errors import CardError, CribevError, TableError
from cribev.game.cards import format_cards
from cribev.game.deal import Position
from tests.oracle import points, rest
from tests.shell import printed

FIVE = "4C JC JH 6C 5D"


def test_crib_counts_every_three_other_cards():
    advice = advise(FIVE, players=4, crib="mine")
    at, starter = advice.options.index("JC"), advice.starters.tolist().index(18)
    assert format_cards(advice.starters)[3 * starter :][:2] == "5H"
    others = [card for card in rest(FIVE.split()) if card != "5H"]
    wanted = Counter(points(["JC", *three], "5H", crib=True) for three in combinations(others, 3))
    chance = advice.crib_scores.chance[at, starter] * comb(46, 3) * 47
    assert {made: round(n) for made, n in enumerate(chance) if n > 0.5} == wanted
    assert np.allclose(advice.crib_scores.chance.sum(axis=2), 1 / 47)
    every = advice.crib_scores.chance[at].sum(axis=0)
    hand = np.mean([points(["4C", "JH", "6C", "5D"], one) for one in rest(FIVE.split())])
    for players, crib, sign in ((4, "mine", 1), (3, "theirs", -1)):
        row = advise(FIVE, players=players, crib=crib).options.option("JC")
        mean = every @ np.arange(len(every))
        assert (row.hand_mean, row.crib_mean) == pytest.approx((hand, mean))
        assert (row.crib_min, row.crib_max) == (0, np.flatnonzero(every)[-1])
        assert row.expected == pytest.approx(hand + sign * mean)


def test_players_without_suits_are_averaged_over_all_suits():
    found = advise("5 J J J J", players=4, crib="mine")
    suited = [advise(f"JC JD JH JS 5{suit}", players=4, crib="mine") for suit in "CDHS"]
    assert found.deals == 4
    for row in found.choices:
        same = [[one for one in advice.choices if one.discard[0] == row.discard]
                for advice in suited]  # fmt: skip
        every = [one.expected for alike in same for one in alike]
        assert row.expected == pytest.approx(np.mean(every))
        assert (row.expected_min, row.expected_max) == pytest.approx((min(every), max(every)))
        often = np.mean([any(one.rank == 1 for one in alike) for alike in same])
        assert row.often_best == pytest.approx(often)


def test_players_get_one_answer_from_every_interface():
    found = advise(FIVE, players=4, crib="partner").to_dict(explain=True)
    asked = ("advise", FIVE, "--players", "4", "--crib", "partner", "--explain")
    given = {"cards": FIVE, "players": "4", "crib": "partner", "explain": "1"}
    assert json.loads(json.dumps(found)) == printed(*asked) == advice_json(given)


def test_players_are_refused_by_python_too():
    for given, why in (
        ({"players": 4}, "whose crib is it"),
        ({"players": 5, "role": "pone"}, "'5' players: expected 2, 3 or 4"),
        ({"players": 4, "crib": "nobody"}, "'nobody' is nobody's crib"),
        ({"players": 3, "role": "pone", "opponent": "greedy"}, "opponent is for two players"),
    ):
        with pytest.raises(CribevError, match=why):
            advise(FIVE, **given)
    with pytest.raises(CribevError, match="a score is for two players"):
        Position.parse("dealer:4CJCJH6C5D@4-5")
    with pytest.raises(CardError, match="is not one of the cards dealt"):
        advise(FIVE, players=3, role="pone").options.option("2H")
    with pytest.raises(TableError, match="nothing is known of the play"):
        advise(FIVE, players=3, role="pone").distribution(play=True)


def test_players_are_chosen_where_questions_are_asked(get):
    page = get(f"/ask?cards={FIVE.replace(' ', '')}&role=partner&players=4&mine=6C")
    where = "/ask?position=dealer:4C5D6CJCJH&players=4&crib=partner&mine=6C"
    page.holds(html.escape(where))
    page, wanted = get(where), advise(FIVE, players=4, crib="partner")
    page.says(f"{wanted.best.expected:.2f} points on average", "four players, your partner's crib")
    page.says("Which card goes to the crib?", "All 5 discards", "Your five cards")
    assert "plus the play" not in page.words
    page.holds('name="role" value="partner" checked', '<option value="4" selected>')
    get(f"/ask?cards={FIVE.replace(' ', '')}").says("five where three or four play")
    assert "opponent is for two" in get(f"{where}&opponent=people").refusal
    assert len(Position.parse(get("/ask?random=1&players=3").headers["Location"].partition("=")[2]
                              .partition("&")[0]).held.dealt) == 5  # fmt: skip
