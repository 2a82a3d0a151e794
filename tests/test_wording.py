"""Numbers, names and lines as people read them, and the small parts that write them."""

import numpy as np
import pytest

from cribev import Play, Position, advise_play
from cribev.advice.decisions import Decision, Difference, line_text
from cribev.advice.options import Options
from cribev.advice.question import Question
from cribev.advice.reasons import ScoreEffect, StakesEffect
from cribev.advice.verdicts import with_article
from cribev.app.web.pages import page_headline, place_played
from cribev.app.web.play import hole_at, pegs_at
from cribev.errors import quote
from cribev.game.cards import card_face, parse_some_suits, take_card
from cribev.game.render import to_html
from cribev.game.score import Score
from cribev.game.score_texts import parse_scores_after
from cribev.game.stakes import Stakes
from cribev.game.words import (
    format_chance,
    format_games_lost,
    format_percent,
    format_points,
    format_win_total,
    join_words,
    parse_integer,
    pluralize,
    printable,
    say_chance,
    true_minus,
    wins_text,
)
from cribev.reviews import charts
from cribev.rows.columns import as_text
from cribev.solution.win_table import Par, skunk_lines

NAN = float("nan")
EVEN, ACC = "par: even would be", Stakes.read("acc")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (format_chance(0.9999), ">99.9%"),
        (format_chance(1 - 1e-12), "100.0%"),
        (format_chance(0.0123), "1.2%"),
        (format_chance(0.00001), "<0.1%"),
        (say_chance(0.00001), "under 0.1%"),
        (format_chance(0) + format_chance(NAN), "0.0%"),
        (format_points(-0.001) + format_points(NAN), "0.00"),
        (format_percent(0.0312), "3.1%"),
        (format_percent(-0.5, sign=True) + format_percent(NAN), "-50.0%"),
        (format_win_total(0.124, 2), "12.4%"),
        (format_win_total(1.24, 12, sign=True), "+1.24"),
        (format_games_lost(0.147), "14.7% of a game"),
        (format_games_lost(1.474), "1.47 games"),
        (wins_text(0.011), "1.1% more wins"),
        (wins_text(-0.0301), "3.0% fewer wins"),
        (wins_text(0.00001), "as many wins"),
        (wins_text(0.011, "the Q"), "1.1% more wins than the Q"),
        (wins_text(0.00001, "the Q"), "as many wins as the Q"),
        (true_minus("hand 8.00 - crib 4.50"), "hand 8.00 − crib 4.50"),
        (pluralize(1, "game"), "1 game"),
        (pluralize(2000, "discard"), "2,000 discards"),
        (join_words(["a", "b", "c"], "or"), "a, b or c"),
        (with_article("inaccuracy") + with_article("close"), "an inaccuracyclose"),
        (as_text(95.0) + as_text(None) + as_text(["5H", "6H"]), "955H 6H"),
        (quote("x" * 99, most=5), "'xxxx…'"),
        (printable("mine.csv") + printable("mi\x1bne.csv"), "mine.csv'mi\\x1bne.csv'"),
        (to_html("<b>").count("&lt;b&gt;"), 1),
        (page_headline("Play the T: -0.60 from here."), "Play the 10: −0.60 from here"),
        (Par("pone", 60, 64, 0.36, -0.28, 69).text, f"You are 9 points behind {EVEN} 69 as pone."),
        (Par("pone", 69, 64, 0.5, 0, 69).text, "You are at par: 69 is even as pone."),
        (
            ScoreEffect("JS QC", 0.4, 0.001).text("the queen"),
            "Discarding the queen wins nearly as often (0.1% less) and brings 0.40 points more.",
        ),
        (
            ScoreEffect("JS QC", 0.4, 0.0003).text(),
            "Discarding JS QC wins nearly as often and brings 0.40 points more.",
        ),
        (
            StakesEffect("JS QC", 0.06, -0.002, 0.041, 0.0, 0.2, 0.0).text(ACC, "discard 2 3"),
            "For game points discard 2 3: 4.1% more skunks for 0.2% fewer wins.",
        ),
        (
            StakesEffect("JS QC", *[0.0] * 6).text(ACC, "discard J Q"),
            "For game points it is the best, and it wins most.",
        ),
    ],
)
def test_numbers_and_sentences(written, expected):
    assert written == expected


def test_a_difference_is_said_in_parts():
    worth = {"expected": np.array([0.5, 0.0]), "own": np.ones(2), "opponent": np.array([0.5, 1])}
    options = Options.of_cards(Question(Position.parse("pone:8999")), worth)
    parts = Difference(options.row(0), options.row(1)).parts
    assert parts == "your opponent pegs 0.50 less"


def test_numbers_and_scores_that_are_typed_are_read():
    assert parse_integer("15") == 15
    assert parse_integer("-3") is parse_integer("16", most=15) is parse_integer("1" * 5000) is None
    ends, errors = parse_scores_after(["121-108", "", "121-121"])
    assert ends.tolist() == [[121, 108], [-1, -1], [-1, -1]]
    said = "expected a score, the player's first, at most one of them 121: 121-108"
    assert errors == {2: said}
    assert skunk_lines(Score(pone=83, dealer=64), "dealer") == ((27, -3), (8, -22))


def test_cards_that_are_typed_are_read():
    assert parse_some_suits("5h J 10S") == (18, 74, 39)
    cards = [18, 74]
    assert (take_card(cards, 43), take_card(cards, 43), cards) == (True, False, [18])
    assert card_face(18) == {"rank": "5", "suit": "♥", "red": True, "name": "5 of hearts"}


def test_an_axis_has_round_ticks():
    assert charts.Axis(-5, 15, 0, 100).at(5) == 50
    assert charts.Axis(0, 1.1, 0, 100).ticks() == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert charts.Axis(-0.3, 0.3, 0, 100).ticks() == [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3]
    assert charts.Axis(0, 10, 0, 100).ticks(most=5) == [0, 2, 4, 6, 8, 10]


def test_progress_as_drawn():
    games = [{"game": name, "deals": 10, "lost": lost} for name, lost in (("a", 0.5), ("b", 0.25))]
    chart = charts.games(games)
    assert [(bar["day"], bar["lost"]) for bar in chart["bars"]] == [("a", 0.5), ("b", 0.25)]
    assert (chart["lines"][-1]["points"], charts.games(games[:1])) == (0.5, None)


def test_a_board_and_a_play_as_drawn():
    holes = [hole_at(0, points) for points in (0, 1, 60, 61)]
    assert (*holes[:2], holes[2][0]) == ((26, 28), (46, 28), holes[3][0])
    pegs = [(peg["player"], peg["front"], peg["x"]) for peg in pegs_at([(0, 0), (2, 0)])]
    assert pegs == [(0, False, 26), (0, True, 56), (1, False, 12), (1, True, 26)]
    played = place_played(Play.parse("T T T go / 2"), "pone")
    assert [(card["notes"], card["past"]) for card in played][2:] == [
        (["30", "+6", "go +1"], True), (["2"], False)
    ]  # fmt: skip


def test_expert_shares_say_what_they_ignore():
    known = "pone:4H5CJDJS/9CKD:7H:J5"
    assert "experts go by" not in str(advise_play(known))
    said = "experts go by the cards kept and played: they do not know the starter, the discard and"
    assert said in str(advise_play(f"{known}@103-104"))


def test_as_many_wins_are_as_many_as_others():
    position = Position.parse("pone:3D3S5C7CQCQS@100-88")
    others = [0.0] * 13
    columns = {"expected": np.array([1.0, 2.0, *others]), "win": np.array([0.5, 0.5, *others])}
    columns["value"] = np.array([0.5, 0.6, *others])
    options = Options.of_discards(Question(position, stakes=Stakes.read("games")), columns)
    said = line_text(Decision.of(options, options.choices[1]).why)
    assert "worth 0.100 more in games, as many wins as QC QS" in said
