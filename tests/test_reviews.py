import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from games import random_games

from cribev import CribevError, RecordError, Review, TableError, advise, review
from cribev.choice import VERDICTS, VerdictBands
from cribev.opponents.players import Uniform
from cribev.reviews.grades import result_columns
from cribev.reviews.record import ALL_COLUMNS


def test_other_columns_are_ready_for_json_too():
    games = random_games(1, deals=1)
    others = {
        "when": pd.Timestamp("2024-01-02"), "tags": [[np.array(["a"])], None], "stake": Decimal(5),
        "clock": [float("nan"), float("inf")], "deep": [{"x": [-np.inf]}, {"x": (1, pd.NaT)}],
    }  # fmt: skip
    rows = review(games.assign(**others), fast=True).to_dict()["decisions"]
    rows = json.loads(json.dumps(rows, allow_nan=False))
    assert [row["tags"] for row in rows] == [[["a"]], None]
    assert {(row["when"], row["stake"]) for row in rows} == {("2024-01-02 00:00:00", "5")}
    assert [row["clock"] for row in rows] == [None, None]
    assert [row["deep"] for row in rows] == [{"x": [None]}, {"x": [1, None]}]
    for rows, text in ((1, "1 decision, 1 player, 1 game,"), (2, "2 decisions, 2 players, 1 game")):
        assert repr(review(games.iloc[:rows], fast=True)).startswith(f"<Review: {text}")


def test_what_is_no_row_and_who_is_no_player_is_refused():
    found = review(random_games(1, deals=1), fast=True)
    for row in (99, -1, None, [], True, "0", 1.0):
        for decision in (found.decision, found.card_decision):
            with pytest.raises(CribevError, match="is no row of"):
                decision(row)
    with pytest.raises(CribevError, match="is not how many"):
        found.costliest("x")
    with pytest.raises(CribevError, match=r"no player 'Cy' .*'Ann, Ben'"):
        found.of_player("Cy")


@pytest.mark.parametrize("opponent", ["expert", "uniform"])
def test_who_always_throws_best_loses_nothing_and_starters_bring_what_advice_says(opponent):
    games = random_games(1, deals=2, seed=41)
    best = review(games, opponent=opponent).decisions["best_discard"]
    bare = games.drop(columns="opponent_discard").assign(discard=best)
    found = review(bare, opponent=opponent)
    assert found.decisions["ev_loss"].tolist() == [0.0] * 4
    assert set(found.decisions["verdict"]) == {"best"}
    assert (found.decisions["rank"] == 1).all()
    assert found.players["ev_loss"].tolist() == [0.0, 0.0]
    assert found.costliest(10) == []
    # Four deals without a loss tell nobody apart.
    assert found.players["beaten"].isna().all()
    assert found.comparison(found.players.iloc[0]) == ""
    found = review(random_games(1, deals=1, seed=9), opponent=opponent)
    for row, decision in found.decisions.iterrows():
        advice = advise(decision["cards"], role=decision["role"], opponent=opponent)
        luck = advice.by_starter(decision["discard"]).set_index("starter")["gain"]
        assert decision["starter_luck"] == pytest.approx(luck[decision["starter"]], abs=1e-9)
        options = found.options(row)
        assert options.loc[options["thrown"], "discard"].tolist() == [decision["discard"]]


def test_a_tie_with_the_best_is_best():
    found = review(random_games(100, seed=10), fast=True)
    row = int((found.decisions["margin"] < 1e-9).argmax())
    options = found.options(row)
    tied = options.loc[options["rank"] == 1, "discard"].tolist()
    assert len(tied) > 1
    one = found.decisions.iloc[row][["role", "cards"]].to_dict()
    rows = pd.DataFrame([{"game": n, "deal": 1, "player": "Ann", **one} for n in range(len(tied))])
    for fast in (True, False):
        graded = review(rows.assign(discard=tied), fast=fast).decisions
        assert graded["ev_loss"].tolist() == [0.0] * len(tied)
        assert set(graded["verdict"]) == {"best"}
        assert set(graded["best_discard"]) == {tied[0]}
        assert graded["margin"].max() < 1e-9


def test_verdicts_follow_their_bands():
    games = random_games(300, seed=2)
    for bands in (VerdictBands(), VerdictBands(0.1, 0.2, 0.4)):
        found = review(games, fast=True, bands=bands).decisions
        edges = pd.IntervalIndex.from_breaks([-1, 0, *(band - 1e-9 for band in bands), 99])
        named = np.array(VERDICTS)[edges.get_indexer(found["ev_loss"])]
        assert found["verdict"].tolist() == named.tolist()
        assert found["verdict"].value_counts()[list(VERDICTS)].min() > 10
    for bands in ((0.3, 0.2, 1.0), None, 3, "abc", (1, 2), (1, 2, 3, 4), (float("nan"),) * 3):
        with pytest.raises(CribevError, match="bands ascend"):
            review(games, fast=True, bands=bands)


def test_opponents_of_a_file_with_nothing_to_throw_and_without_class_tables(tmp_path, data):
    games, file = random_games(1, deals=1, seed=7), data / "discard_frequency.csv"
    exact, fast = (review(games, opponent=file, fast=fast).decisions for fast in (False, True))
    assert exact[["starter_luck", "crib_swing"]].notna().all(axis=None)
    for column in ("ev_loss", "deal_luck", "result"):
        np.testing.assert_allclose(fast[column], exact[column], atol=0.03)
    file = tmp_path / "fives.csv"
    file.write_text("rank1,rank2,dealer_pct,pone_pct\n5,5,1,1\n")
    row = {"game": 1, "deal": 1, "player": "Ann", "role": "pone", "discard": "2H 8D"}
    frame = pd.DataFrame([{**row, "cards": "5H 5D 5S QC 2H 8D"}])
    for fast in (False, True):
        with pytest.raises(TableError, match="nothing to throw with"):
            review(frame, opponent=file, fast=fast)

    class Mine:
        name = "mine"

        def weights(self, deal, role):
            return Uniform().weights(deal, role)

    found = review(games, opponent=Mine()).decisions
    assert found[["deal_luck", "result"]].isna().all(axis=None)
    assert found[["ev_loss", "starter_luck", "crib_swing"]].notna().all(axis=None)
    with pytest.raises(CribevError, match="cannot be averaged over all deals at once"):
        review(games, opponent=Mine(), fast=True)


def test_workers_change_nothing_and_columns_are_those_that_are_promised():
    games = random_games(1, deals=1, seed=12).assign(note="x")
    found, by_two = (review(games, opponent="uniform", workers=workers) for workers in (1, 2))
    assert isinstance(found, Review)
    assert list(found.decisions) == [*ALL_COLUMNS, "note", *result_columns(play=True)]
    again = review(found.decisions, opponent="uniform")
    for other in (by_two, again):
        pd.testing.assert_frame_equal(other.decisions, found.decisions)


@pytest.mark.parametrize("name", result_columns(play=False))
def test_columns_that_a_review_adds_are_not_lost(name):
    games = random_games(1, deals=1, seed=1)
    with pytest.raises(RecordError, match=f"there is a column '{name}' already"):
        review(games.assign(**{name: "mine"}), fast=True)
    less = review(games, fast=True).decisions.drop(columns=name)
    with pytest.raises(RecordError, match=r"there is a column '[a-z_]+' already"):
        review(less, fast=True)


def test_a_file_is_reviewed_by_its_path(data):
    by_path = review(data / "game.csv", fast=True)
    by_name = review(str(data / "game.csv"), fast=True)
    assert len(by_path.decisions) == 16
    pd.testing.assert_frame_equal(by_path.decisions, by_name.decisions)
    with pytest.raises(RecordError, match=r"cannot read 'nosuch\.csv'"):
        review("nosuch.csv")
    with pytest.raises(RecordError, match="no column"):
        review(pd.DataFrame({"game": [1]}))


@pytest.mark.parametrize("name", ["[/red]", "[bold]Ann", "An\x1b[31mn", ":smile:"])
def test_names_are_shown_as_they_are(name):
    games = random_games(1, deals=2, seed=4).replace({"Ann": name}).assign(game=name)
    found = review(games, fast=True)
    assert "\x1b" not in str(found)
    shown = name if name.isprintable() else repr(name)
    assert str(found).count(shown) >= 4
    assert f"\n{shown} " in str(found)
    assert found.of_player(name).players["player"].tolist() == [name]


@pytest.mark.slow
def test_a_hundred_thousand_discards_by_the_class_tables():
    games = random_games(6250, seed=1)
    assert len(review(games, fast=True).decisions) == 100_000
