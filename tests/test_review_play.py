"""The play in a review: its part of the books, error rates, and how it is shown."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from games import random_games, with_play

from cribev import review
from cribev.opponents.models import ExpertOpponent
from cribev.reviews.card_grades import grade_cards
from cribev.reviews.decomposition import known_win_components
from cribev.reviews.records import as_record
from cribev.reviews.review import review_from_values, value_discards
from cribev.reviews.wording import CARD_BANDS, WIN_BANDS


@pytest.fixture(scope="module")
def games():
    """A game from the middle on, and two deals of another whose second has no play."""
    record = random_games(2, deals=3, seed=11, noise=1.0, fellow_noise=0.5)
    record = record[(record["game"] == 1) | (record["deal"] < 3)]
    played = with_play(record, start={"Ann": 70, "Ben": 80}, seed=2)
    silent = (played["game"] == 2) & (played["deal"] == 2)
    columns = ["play", "pegged", "opponent_pegged"]
    played[columns] = played[columns].astype(object).mask(silent)
    return played


@pytest.fixture(scope="module")
def found(games):
    """The review, with discards' chances to win made up: they are tested elsewhere."""
    record = as_record(games)
    values = value_discards(record, ExpertOpponent(), fast=True)
    win = np.random.default_rng(3).uniform(0, 1, (len(record.deals), 15))
    win[(record.scores < 0).any(axis=1)] = np.nan
    values = values._replace(discards=replace(values.discards, win=win))
    graded = grade_cards(record, bands=CARD_BANDS, win_bands=WIN_BANDS)
    return review_from_values(record, values, ExpertOpponent(), graded=graded)


def test_the_play_swing_is_luck_less_what_was_lost(found):
    decisions, cards = found.decisions, found.cards
    parts = decisions["play_luck"] - decisions["play_lost"]
    pd.testing.assert_series_equal(decisions["play_swing"], parts, check_names=False, atol=1e-9)
    assert decisions["play_lost"].notna().equals(decisions["play"] != "")
    for row, decision in decisions.iterrows():
        if decision["play"]:
            own = cards[found.graded.rows == row]
            assert decision["play_lost"] == pytest.approx(own["loss"].sum(), abs=1e-9)
            assert decision["win_play_lost"] == pytest.approx(own["win_loss"].sum(), abs=1e-9)
    for _, both in decisions.groupby(["game", "deal"]):
        lost, across = both["play_lost"].to_numpy(), both["opponent_play_lost"].to_numpy()
        np.testing.assert_array_equal(across, lost[::-1])
    for table in (found.players, found.games):
        played = table["play_luck_deals"] > 0
        parts = (table["play_luck"] - table["play_lost"])[played]
        np.testing.assert_allclose(table["play_swing"][played], parts, rtol=0, atol=1e-9)
        assert (table["play_lost_deals"] == table["play_swing_deals"]).all()


def test_the_books_close_in_chances_to_win_too(found):
    decisions = found.decisions
    steps = known_win_components(decisions)
    assert [step.name for step in steps] == [
        "win_deal_luck", "win_loss", "win_play_lost", "win_luck",
    ]  # fmt: skip
    books = sum(step.sign * decisions[step.name].fillna(0) for step in steps)
    change = decisions["win_after"] - decisions["win_before"]
    known = change.notna()
    assert known.sum() >= 6
    np.testing.assert_allclose(books[known], change[known], rtol=0, atol=1e-9)
    for totals in (found.players, found.games):
        for row in totals.to_dict(orient="records"):
            of = decisions[(decisions["player"] == row["player"]) & known]
            if "game" in row:
                of = of[of["game"] == row["game"]]
            if len(of) == row["decisions"]:
                books = sum(step.sign * np.nan_to_num(row[step.name]) for step in steps)
                assert books == pytest.approx(row["win_change"], abs=1e-9)


def test_one_player_alone_knows_nothing_of_what_the_opponent_lost(games):
    ann = games[(games["player"] == "Ann") & (games["game"] == 1)].head(1)
    found = review(ann.drop(columns="score"))
    assert found.decisions["opponent_play_lost"].isna().all()
    assert found.decisions["play_lost"].notna().all()
    assert "win_play_lost" not in found.decisions
    for options in ({"cards": False}, {"fast": True}, {"play": False}):
        bare = review(ann.drop(columns="score"), **options)
        assert "play_lost" not in bare.decisions
        assert bare.cards.empty
    again = review(found.decisions).decisions
    pd.testing.assert_frame_equal(again, found.decisions)
