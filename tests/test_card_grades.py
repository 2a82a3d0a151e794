"""Every card of a record graded: as `cribev play` says, and by what is lost in games played out."""

import numpy as np
import pandas as pd
import pytest
from games import hand, random_games, with_play

from cribev import advise_play
from cribev.advice.names import as_opponent
from cribev.advice.verdicts import CARD_BANDS, FORCED, VERDICTS, WIN_BANDS
from cribev.game.cards import RANKS
from cribev.game.play import Play
from cribev.grades.grading import BASELINE_PLAY, DECISION_KINDS, grade_cards
from cribev.opponents.opponents import Opponent, Solved
from cribev.records.record import as_record
from cribev.rows.names import CARD_COLUMN_DESCRIPTIONS, CARD_COLUMNS, CARD_WIN_COLUMNS
from cribev.solution.solution import shipped_strategy

pytestmark = pytest.mark.arrays
COLUMNS = [*CARD_COLUMNS, *CARD_WIN_COLUMNS]


def grade(frame, **options):
    return grade_cards(as_record(frame), opponent=Opponent.of(Solved()), **options)


@pytest.fixture(scope="module")
def games():
    start = {"Ann": 95, "Ben": 80}
    return with_play(random_games(2, deals=1, seed=5, noise=1, fellow_noise=1), start=start)


@pytest.fixture(scope="module")
def graded(games):
    return grade(games)


def test_cards_are_graded_against_the_opponent_of_the_review():
    row = {
        "game": "1", "deal": 1, "player": "Ann", "role": "pone", "cards": "4H 5C JD JS 9C KD",
        "discard": "9C KD", "starter": "7H", "play": "J 5 J 4 go go 5 6 4 8",
    }  # fmt: skip
    record = as_record(pd.DataFrame([row]))
    second = grade_cards(record, opponent=as_opponent("people")).frame.loc[1]
    told = advise_play("pone:4H5CJDJS/9CKD:7H:J5", opponent="people").table.set_index("card")
    assert second["expected"] == pytest.approx(told["expected"]["J"])
    assert second["loss"] == pytest.approx(told["expected"].max() - told["expected"]["J"])


def test_every_grade_is_what_play_says(games, graded):
    cards, rng, expert = graded.frame, np.random.default_rng(1), shipped_strategy()
    record = as_record(games).frame
    choices = np.flatnonzero(cards["choices"] > 1)
    assert {*cards["decision"][choices]} == {*DECISION_KINDS}
    for at in rng.choice(choices, size=4, replace=False):
        card, seat = cards.iloc[at], record.iloc[graded.rows[at]]
        known = {name: seat[name] for name in ("role", "discard", "starter")}
        steps = Play.parse(seat["play"]).steps
        places = [place for place, step in enumerate(steps) if step.rank is not None]
        known["played"] = [step.rank for step in steps[: places[card["number"] - 1]]]
        kept = " ".join(hand(seat))
        points = advise_play(kept, **known)
        scored = advise_play(kept, **known, score=seat["score"].replace("*", ""))
        own = next(one for one in points.choices if one.card == card["card"])
        assert len(points.choices) == card["choices"]
        assert points.position.play.count == card["count"]
        assert card["expected"] == pytest.approx(own.expected, abs=1e-9)
        assert card["best_expected"] == pytest.approx(points.best.expected, abs=1e-9)
        assert card["loss"] == pytest.approx(own.behind, abs=1e-9)
        assert card["share"] == pytest.approx(own.share, abs=1e-9)
        assert card["best_card"] in {one.card for one in points.choices if one.rank == 1}
        won = {one.card: one.win for one in scored.choices}
        assert card["win"] == pytest.approx(won[card["card"]], abs=1e-9)
        assert card["best_win"] == pytest.approx(scored.best.win, abs=1e-9)
        assert card["win_loss"] == pytest.approx(max(won.values()) - won[card["card"]], abs=1e-9)
        assert won[card["win_card"]] == pytest.approx(scored.best.win, abs=1e-9)
        for who, kind in BASELINE_PLAY.items():
            strategy = kind(expert.size, expert.states)
            node = strategy.node(points.position.play.history)
            chances = strategy.choices(node, points.position.left_ranks)
            by_card = dict(zip(RANKS, chances, strict=True))
            lost = sum(option.behind * by_card[option.card] for option in points.choices)
            assert card[f"{who}_loss"] == pytest.approx(lost, abs=1e-9)
            lost = sum((scored.best.win - win) * by_card[name] for name, win in won.items())
            assert card[f"{who}_win_loss"] == pytest.approx(lost, abs=1e-9)
        valued = graded.valued[at]
        assert [one.card for one in valued.options.rows] == [one.card for one in scored.choices]
        held = scored.range.ranks["chance"].to_numpy()
        np.testing.assert_allclose(valued.held, held, rtol=0, atol=1e-12)


def test_rows_follow_order_of_cards(games, graded):
    cards, record = graded.frame, as_record(games).frame
    assert list(cards.columns) == COLUMNS
    assert {*CARD_COLUMN_DESCRIPTIONS} == {*cards.columns, "value", "best_value"}
    plays = record.drop_duplicates(["game", "deal"])
    for seat in plays.to_dict(orient="records"):
        own = cards[(cards["game"] == seat["game"]) & (cards["deal"] == seat["deal"])]
        played = [word[0] for word in seat["play"].split() if word != "go"]
        assert own["card"].tolist() == played
        assert own["number"].tolist() == list(range(1, len(played) + 1))
        for role, points in Play.parse(seat["play"]).points.items():
            assert own.loc[own["role"] == role, "points"].sum() == points
    forced = cards["choices"] == 1
    assert cards.loc[forced, ["expected", "loss", "win_loss", "share"]].isna().all(axis=None)
    assert (cards["verdict"] == FORCED).equals(forced)
    assert cards.loc[~forced, ["expected", "loss", "win_loss", "share"]].notna().all(axis=None)
    assert (cards.loc[~forced, "loss"] >= 0).all()


def test_verdict_goes_by_wins_only_near_the_end(games, graded):
    cards = graded.frame[graded.frame["choices"] > 1]
    assert (cards["judged_by"] == "win").all()
    assert cards["verdict"].tolist() == named(cards["win_loss"], WIN_BANDS)
    bare = grade(games.drop(columns="score").head(2)).frame
    assert list(bare.columns) == COLUMNS
    bare = bare[bare["choices"] > 1]
    assert bare["verdict"].tolist() == named(bare["loss"], CARD_BANDS)


def named(losses, bands):
    """The verdicts on losses."""
    levels = np.searchsorted(np.array(bands) - 1e-9, losses, side="right")
    return np.array(VERDICTS)[np.where(losses <= 1e-9, 0, levels + 1)].tolist()


def test_partial_records_are_graded_as_far_as_known(games, graded):
    """The opponent's row does not change a grade: a player did not see those cards."""
    alone, own = grade(games.iloc[[1]]), graded.take([1])
    pd.testing.assert_frame_equal(alone.frame, own.frame)
    assert own.frame["card"].tolist() == graded.frame["card"][graded.rows == 1].tolist()
    assert ({*own.rows}, len(own.valued)) == ({0}, len(own.frame))
    bare = grade(games.drop(columns=["play", "score"]))
    assert list(bare.frame.columns) == COLUMNS
    assert len(bare.frame) == len(bare.rows) == len(bare.valued) == 0
    found = grade(games.head(2).assign(starter="")).frame
    assert list(found.columns) == COLUMNS
    assert found[[*CARD_WIN_COLUMNS]].drop(columns="judged_by").isna().all(axis=None)
    assert (found["loss"].notna() == (found["choices"] > 1)).all()


def test_cards_after_game_end_are_dropped():
    row = {
        "game": 1, "deal": 1, "player": "Ann", "role": "dealer", "cards": "5H 5D JS QC 2H 8D",
        "discard": "2H 8D", "starter": "4C", "opponent_discard": "9S KD",
        "play": "7 5 3 5 A J 8 Q", "score": "118*-90",
    }  # fmt: skip
    whole = grade(pd.DataFrame([row | {"score": "0*-0"}])).frame
    ended = grade(pd.DataFrame([row])).frame
    assert whole["card"].tolist() == list("55JQ")
    assert whole["points"].sum() == 3
    upto = int((whole["points"].cumsum() >= 3).argmax()) + 1
    assert ended["card"].tolist() == whole["card"].tolist()[:upto]
