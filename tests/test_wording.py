"""Numbers as people read them, and the small parts that draw."""

import pytest

from cribev import Play
from cribev.app.web.pages import place_played
from cribev.app.web.play import hole_at, pegs_at
from cribev.errors import quote
from cribev.game.render import to_html
from cribev.game.score import Score
from cribev.game.score_texts import parse_scores_after
from cribev.game.words import (
    format_chance,
    format_games_lost,
    format_percent,
    format_points,
    format_win_total,
    parse_integer,
    printable,
    say_chance,
    true_minus,
)
from cribev.reviews import charts
from cribev.rows.columns import as_text
from cribev.solution.win_table import skunk_lines

NAN = float("nan")


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
        (true_minus("hand 8.00 - crib 4.50"), "hand 8.00 − crib 4.50"),
        (as_text(95.0) + as_text(None) + as_text(["5H", "6H"]), "955H 6H"),
        (quote("x" * 99, most=5), "'xxxx…'"),
        (printable("mine.csv") + printable("mi\x1bne.csv"), "mine.csv'mi\\x1bne.csv'"),
        (to_html("<b>").count("&lt;b&gt;"), 1),
    ],
)
def test_numbers_as_they_are_written(written, expected):
    assert written == expected


def test_numbers_and_scores_that_are_typed_are_read():
    assert parse_integer("15") == 15
    assert parse_integer("-3") is parse_integer("16", most=15) is parse_integer("1" * 5000) is None
    ends, errors = parse_scores_after(["121-108", "", "121-121"])
    assert ends.tolist() == [[121, 108], [-1, -1], [-1, -1]]
    said = "expected a score, the player's first, at most one of them 121: 121-108"
    assert errors == {2: said}
    assert skunk_lines(Score(pone=83, dealer=64), "dealer") == ((27, -3), (8, -22))


def test_an_axis_has_round_ticks():
    assert charts.Axis(-5, 15, 0, 100).at(5) == 50
    assert charts.Axis(0, 1.1, 0, 100).ticks() == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert charts.Axis(-0.3, 0.3, 0, 100).ticks() == [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3]
    assert charts.Axis(0, 10, 0, 100).ticks(most=5) == [0, 2, 4, 6, 8, 10]


def test_a_board_and_a_play_as_drawn():
    holes = [hole_at(0, points) for points in (0, 1, 60, 61)]
    assert (*holes[:2], holes[2][0]) == ((26, 28), (46, 28), holes[3][0])
    pegs = [(peg["player"], peg["front"], peg["x"]) for peg in pegs_at([(0, 0), (2, 0)])]
    assert pegs == [(0, False, 26), (0, True, 56), (1, False, 12), (1, True, 26)]
    played = place_played(Play.parse("T T T go / 2"), "pone")
    assert [(card["notes"], card["past"]) for card in played][2:] == [
        (["30", "+6", "go +1"], True), (["2"], False)
    ]  # fmt: skip
