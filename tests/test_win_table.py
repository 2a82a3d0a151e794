"""The win table that is shipped: what must hold, and what the world has found."""

import inspect
import io
import re
from pathlib import Path

import numpy as np
import pytest
from games import published
from rich.console import Console
from shell import csv_rows, good, printed, refused

from cribev import CribevError, advise, par, win_probability
from cribev.errors import TableError
from cribev.game.outcomes import Outcomes
from cribev.game.render import to_text
from cribev.solution.solution import load
from cribev.solution.win_table import WinTable
from cribev.tables.win_chances import win_chart, win_probability_table, win_table_of

pytestmark = pytest.mark.arrays


def test_shipped_win_table_is_monotone_and_certain():
    shown = win_table_of()
    assert shown.deals == 10_000_000
    assert 0 < shown.standard_error[~shown.to_win].max() <= 0.0006
    assert 0 < shown.standard_error[shown.to_win].max() <= 0.011
    assert shown.to_win[91:, 91:].all()
    assert shown.to_win.sum() == 30**2
    assert (np.diff(shown.win, axis=0) >= -1e-15).all()
    assert (np.diff(shown.win, axis=1) <= 1e-15).all()
    assert shown.win.min() == 0
    assert shown.win.max() == 1
    for role in ("dealer", "pone"):
        ends = shown.outcomes_as(role)
        assert min(part.min() for part in ends) == 0
        assert abs(ends.win + ends.lose - 1).max() < 1e-15
        assert not ends.skunk[:, 91:].any()
        assert not ends.double_skunk[:, 61:].any()
        assert not ends.skunked[91:].any()
        assert not ends.double_skunked[61:].any()
    start = Outcomes(*(part[0, 0] for part in shown.outcomes))
    assert 0.11 < start.skunk + start.skunked < 0.13


def test_win_probability_takes_numbers_or_arrays():
    table = win_probability(dealer=np.arange(121)[:, None], pone=np.arange(121))
    assert (table == win_table_of().win).all()
    assert isinstance(win_probability(dealer=np.int8(9), pone=3), float)
    assert win_probability(dealer=[], pone=[]).shape == (0,)
    assert win_probability(dealer=[[9], [8]], pone=[1, 2, 3]).shape == (2, 3)
    assert win_probability(dealer=np.ma.array([9, 8]), pone=3).shape == (2,)
    assert len(str(inspect.signature(win_probability))) < 200
    with pytest.raises(TableError, match="for the show alone"):
        win_probability(dealer=0, pone=0, solution=load())


def test_chances_match_published_figures():
    # 55.5 % of millions of games between people (blog.cribbagepro.net, 2012-10), 56 % (Colvert,
    # http://www.cribbage.org/tips/colvert11.asp), 56.25 % of a program's games against itself
    # (github cribbager/cribbager, internal/bot/eval/winprob.go).
    assert 0.555 <= win_probability(dealer=0, pone=0) <= 0.565
    assert 0.50 <= win_probability(dealer=35, pone=37) <= 0.515
    # By the rules, card by card, on 1,500 deals without heels: experts who count points 0.459, both
    # to win 0.527, only the dealer to win 0.605, only pone 0.411 (errors 0.013). So 118 all lies
    # above what counting points comes to (0.497 with heels); that program has 0.488.
    assert 0.54 < win_probability(dealer=118, pone=118) < 0.58
    # Pone shows before the dealer: two hands are worth less than one that is counted in time.
    assert win_probability(dealer=112, pone=112) < 0.5 < win_probability(dealer=100, pone=100)
    assert win_probability(dealer=110, pone=116) < 0.2
    # The dealer needs a point and pone more than a play can bring: the play always brings it first.
    assert win_probability(dealer=120, pone=80) == 1
    # Pone needs one point, the dealer more than a deal has.
    assert win_probability(dealer=0, pone=120) == 0


MASKED = np.ma.array([5, 6], mask=[False, True])
NEITHER = "either a score and a role, or the points of dealer and of pone"

# The diagonal of the table of cribbager/cribbager, internal/bot/eval/winprob.go, from 166,669 deals
# of that program against itself.
# At 115 it has 0.230: the dealer keeps cards that peg here, and wins 0.258.
ANOTHER = {60: 0.546, 70: 0.600, 96: 0.639, 100: 0.771, 105: 0.793, 110: 0.572}


def test_even_scores_match_another_program():
    for score, win in ANOTHER.items():
        assert win_probability(dealer=score, pone=score) == pytest.approx(win, abs=0.008)


@pytest.mark.parametrize(("score", "win", "by_points"), [(119, 0.645, 0.625), (120, 0.647, 0.615)])
def test_experts_play_to_win_at_last_points(score, win, by_points):
    # What that program has, and what experts come to who count points: they let some points go that
    # would cost more later. At 120 all, if only the play is to win, it is 0.631.
    assert win_table_of().to_win[score, score]
    chance = win_probability(dealer=score, pone=score)
    assert chance == pytest.approx(win, abs=0.012)
    assert chance > by_points + 0.008


@pytest.mark.parametrize("score", ["95-110", "95 : 110", (95, 110), [95, 110]])
def test_a_score_and_a_role_say_whose_chance_it_is(score):
    dealer, pone = win_probability(dealer=95, pone=110), 1 - win_probability(dealer=110, pone=95)
    assert win_probability(score, role="dealer") == win_probability("95*-110") == dealer
    assert win_probability(score=score, role="Pone") == win_probability("95-110*") == pone
    assert par(score, role="pone") == par("95-110*")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"dealer": 121, "pone": 0}, "dealer's score 121 is not a whole number from 0 to 120"),
        ({"dealer": 0, "pone": [3, -1]}, "pone's score -1 is not a whole number from 0 to 120"),
        ({"dealer": 60.5, "pone": 0}, "dealer's score '60.5' is not"),
        ({"dealer": True, "pone": 0}, "dealer's score 'True' is not"),
        ({"dealer": 0, "pone": "90"}, "pone's score '90' is not"),
        ({"dealer": [[1], [2, 3]], "pone": 0}, "dealer's score '[[1], [2, 3]]' is not"),
        ({"dealer": [1, 2], "pone": [1, 2, 3]}, "of shapes (2,) and (3,) do not broadcast"),
        ({"dealer": MASKED, "pone": 0}, "dealer's scores have masked values"),
        ({"score": "95-110"}, "whose crib is it"),
        ({"score": "95-121", "role": "pone"}, "invalid score '95-121'"),
        ({"score": "95*-110", "role": "pone"}, "the star is at the points of the player"),
        ({"score": "95*-110", "dealer": 5}, NEITHER),
        ({"dealer": 5}, NEITHER),
        ({"dealer": 5, "pone": 5, "role": "pone"}, NEITHER),
        ({}, NEITHER),
    ],
)
def test_what_is_no_score_is_refused(options, said):
    with pytest.raises(CribevError, match=re.escape(said)):
        win_probability(**options)


def test_tables_show_and_write_who_wins():
    rows = csv_rows("tables", "win")
    assert len(rows) == 121**2
    row = rows[95 * 121 + 110]
    assert (row["dealer_score"], row["pone_score"]) == ("95", "110")
    win = win_probability(dealer=95, pone=110)
    assert float(row["win_dealer"]) == win
    assert printed("tables", "win") == win_probability_table().to_dict(orient="records")
    for score, role in (("95-110", "dealer"), ("95*-110", "dealer"), ("110-95*", "pone")):
        even = {name: str(value) for name, value in par(score, role=role).to_dict().items()}
        assert csv_rows("tables", "win", score) == [row | {"role": role} | even]
    shown = good("tables", "win", "95-110")
    assert shown.startswith(f"dealer 95, pone 110 before the deal: the dealer wins {win:.1%}, ")
    assert "the dealer's points stand first" in shown
    for score, role in (("110/95", "pone"), ("110-95*", "pone"), ("110-95*", None)):
        told = good("tables", "win", score, *(["--role", role] if role else []))
        assert told.startswith(f"pone 110, dealer 95 before the deal: pone wins {1 - win:.1%}, ")


def test_scores_that_tables_do_not_take():
    told = refused("tables", "win", "110-95*", "--role", "dealer")
    assert "the star is at the points of the opponent" in told
    for score in ("95-121", "95.110", "95*-110*", "five"):
        told = f"invalid score {score!r}: expected the dealer's points and pone's"
        assert told in refused("tables", "win", score)


def test_win_charts_and_table_names():
    for role, title, chance in (
        ("dealer", "how likely the dealer wins", win_probability(dealer=60, pone=60)),
        ("pone", "how likely pone wins", 1 - win_probability(dealer=60, pone=60)),
    ):
        lines = good("tables", "win", *(["--role", role] if role == "pone" else [])).splitlines()
        assert lines[0].startswith(title)
        assert "percent" in lines[0]
        shown = next(line.split() for line in lines if line.startswith(" 60 "))
        assert int(shown[1 + 12]) == round(100 * chance)


def test_par_is_where_table_crosses_one_half():
    win = win_probability(dealer=np.arange(121)[:, None], pone=np.arange(121))
    rows = csv_rows("tables", "par")
    assert len(rows) == 2 * 121
    for row in rows:
        role, other = row["role"], int(row["opponent_score"])
        chances = win[:, other] if role == "dealer" else 1 - win[other]
        none = chances[0] > 0.5 or chances[120] < 0.5
        assert (row["even"] == "") == none
        par_there = par((50, other), role=role)
        if none:
            assert par_there.even is par_there.ahead is None
            ends = {f"ahead of par: even would be below 0 as {role}.",
                    f"behind par: even would be beyond 120 as {role}."}  # fmt: skip
            assert par_there.text.removeprefix("You are ") in ends
            continue
        even = int(row["even"])
        assert abs(chances[even] - 0.5) == abs(chances - 0.5).min()
        assert float(row["win"]) == chances[even]
        assert (par_there.even, par_there.ahead) == (even, 50 - even)


def test_tables_of_par_have_published_holes():
    rows = csv_rows("tables", "par")
    holes = [(row["opponent_score"], row["colvert"]) for row in rows if row["colvert"]]
    assert holes == [("26", "18"), ("52", "44"), ("78", "70"), ("104", "96")]
    rows_of_pone = printed("tables", "par", "--role", "pone")
    assert {row["role"] for row in rows_of_pone} == {"pone"}
    assert rows_of_pone[64]["even"] == par("0-64", role="pone").even
    assert rows_of_pone[64]["colvert"] is None
    assert rows_of_pone[120]["even"] is None


def test_par_is_said_where_a_score_is():
    said = par("83-64", role="dealer")
    assert said.text == "You are 21 points ahead of par: even would be 62 as dealer."
    assert par("64-83", role="pone").text in good("tables", "win", "64-83", "--role", "pone")
    cards = ["5H", "5D", "JS", "QC", "2H", "8D", "--dealer", "--score", "83-64", "--top", "1"]
    assert "counts first; 21 points ahead of par (62)\n" in good("advise", *cards)
    told = printed("advise", *cards)["par"]
    assert told == {"even": 62, "ahead": 21, "win": par("83-64", role="dealer").win}
    assert advise(cards[:6], role="dealer").par is None
    with pytest.raises(CribevError, match="invalid score '83-121'"):
        par("83-121", role="dealer")
    assert "'83-64' is one word too many" in refused("tables", "par", "83-64")


@pytest.mark.parametrize("stakes", ["acc", "games"])
def test_tables_of_stakes(stakes):
    win, skunk, twice = {"acc": (2, 3, 3), "games": (1, 2, 3)}[stakes]
    ends = win_table_of().outcomes.to_dict()

    def worth(won, by_one, by_two):
        own = [ends[name] for name in (won, by_one, by_two)]
        return (own[0] - own[1]) * win + (own[1] - own[2]) * skunk + own[2] * twice

    own, theirs = worth("win", "skunk", "double_skunk"), worth("lose", "skunked", "double_skunked")
    value = own if stakes == "acc" else own - theirs
    rows = csv_rows("tables", "win", "--stakes", stakes)
    np.testing.assert_allclose([float(row["value"]) for row in rows], value.ravel())
    (row,) = csv_rows("tables", "win", "60-75", "--stakes", stakes)
    assert float(row["value"]) == pytest.approx(value[60, 75])
    assert f"Worth {value[60, 75]:.3f} to the dealer" in good(
        "tables", "win", "60-75", "--stakes", stakes
    )
    ahead = own - theirs
    for row in csv_rows("tables", "par", "--stakes", stakes, "--role", "dealer"):
        leads = ahead[:, int(row["opponent_score"])]
        none = leads[0] > 0 or leads[-1] < 0
        assert row["even"] == ("" if none else str(abs(leads).argmin()))
    assert par("52-52", role="dealer", stakes=stakes).even == abs(ahead[:, 52]).argmin()
    assert "--stakes goes with tables win and par" in refused("tables", "crib", "--stakes", "acc")


def test_chart_shows_precision_and_fits_a_terminal():
    table = WinTable(
        Outcomes.of_nested(np.full((121, 121), 0.5)), np.full((121, 121), 0.0004), 1000
    )
    chart = win_chart(solution=load(play=True)._replace(win_table=table))
    assert "1,000 deals, standard error at most 0.04" in to_text(chart)
    for width, scores in ((80, 13), (103, 13), (104, 25), (200, 25)):
        console = Console(width=width, force_terminal=True, color_system=None, file=io.StringIO())
        with console.capture() as captured:
            console.print(chart)
        lines = captured.get().splitlines()
        assert max(map(len, lines)) <= width
        assert lines[-1].split() == ["120", *["50"] * scores]


NAMES = ("win", "skunk", "double_skunk", "skunked", "double_skunked")

STORED = Path(__file__).with_name("data") / "skunks.csv"  # how they were made stands there
PLAYOUTS = published(STORED)


def test_tables_tell_of_skunks():
    (row,) = printed("tables", "win", "83-64")
    table, at = win_table_of(), (83, 64)
    assert row["win_dealer"] == table.win[at]
    assert (row["skunk_dealer"], row["skunked_dealer"]) == (table.outcomes.skunk[at], 0)
    won, lost = ("win", "skunk", "double_skunk"), ("skunked", "double_skunked")
    assert list(row)[2:7] == [f"{name}_dealer" for name in (*won, *lost)]
    assert list(row) == [*win_probability_table().columns, "role", "even", "ahead"]
    (far,) = printed("tables", "win", "20-0")
    assert (far["role"], far["even"], far["ahead"]) == ("dealer", None, None)


def advised(row):
    advice = advise(row["cards"], role=row["role"], score=row["score"])
    option = advice.options.option(row["discard"])
    return np.array([getattr(option, name) for name in NAMES])


@pytest.mark.parametrize("row", PLAYOUTS[::30], ids=lambda row: f"{row['role']}-{row['score']}")
def test_an_advice_tells_how_the_game_ends(row):
    played = np.array([float(row[name]) for name in NAMES])
    assert advised(row) == pytest.approx(played, abs=0.003)


@pytest.mark.slow
def test_positions_end_as_they_were_played_out():
    rows = PLAYOUTS[::3]
    played = np.array([[float(row[name]) for name in NAMES] for row in rows])
    off = np.array([*map(advised, rows)]) - played
    assert np.abs(off).max() <= 0.003
    assert np.sqrt((off**2).mean(axis=0)).max() <= 0.0007
