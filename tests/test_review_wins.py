"""A review at the score: what discards lose of a game, and what was luck."""

import re
from functools import partial

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from browsing import sized
from games import random_games, review_by_wins, with_play
from hypothesis import given, settings
from shell import good, whole

from cribev import advise, review, win_probability
from cribev.advice.verdicts import COSTLY, DEFAULT_BANDS, WIN_BANDS
from cribev.game.score import NEAR_END
from cribev.game.words import WINS
from cribev.grades.grading import known_win_components
from cribev.reviews import charts
from cribev.reviews.page import review_html, write_page

reviewed = partial(review_by_wins, fast=True)


@pytest.fixture(scope="module")
def games():
    """Two games of two players, played to their end."""
    return with_play(random_games(2, deals=18, seed=4, noise=1.0), seed=4)


@pytest.fixture(scope="module")
def both(games):
    return reviewed(games)


@pytest.fixture(scope="module")
def one(games):
    return reviewed(games.query("game == 1"))


@pytest.mark.slow
def test_expert_playing_to_win_loses_to_nobody():
    games = with_play(random_games(12, deals=18, seed=5, noise=2.0), seed=5)
    games = games[games["player"] == "Ann"].drop(columns=["play", "pegged", "opponent_pegged"])
    clumsy = reviewed(games, seed=1)
    judged = clumsy.decisions
    to_win = judged["judged_by"] == "win"
    best = judged["win_discard"].where(to_win, judged["best_discard"])
    found = reviewed(games.assign(discard=best.to_numpy()), seed=1)
    assert 0 < (number := to_win.sum()) < len(judged)
    for totals in (found.players, found.games, found.leaks):
        assert totals["by_wins"].any()
        assert totals["loss" if "loss" in totals else "loss_mean"].sum() == 0
    (own,) = found.players.to_dict(orient="records")
    assert own["by_wins"] == number
    assert own["loss_mean"] == own["win_loss_mean"] == 0
    rates = found.error_rates.set_index("judged_by")
    assert rates["decisions"].to_dict() == {"points": len(judged) - number, "win": number}
    assert rates.loc["points", "loss_mean"] == rates.loc["win", "win_loss_mean"] == 0
    assert rates.loc["points", "greedy_loss_mean"] > 0 < rates.loc["win", "greedy_win_loss_mean"]
    # The points given up are told apart, and the books close with them.
    assert own["given_up"] == pytest.approx(found.decisions["loss"].sum())
    assert own["given_up"] > 1
    books = own["deal_luck"] - own["loss"] - own["given_up"] + own["starter_luck"]
    assert books + own["crib_swing"] == pytest.approx(own["result"])
    assert own["luck_adjusted"] == pytest.approx(own["crib_swing"])
    # Of a clumsy player each unit averages the decisions that it judges.
    (one,) = clumsy.players.to_dict(orient="records")
    for name, some in (("loss", judged[~to_win]), ("win_loss", judged[to_win])):
        assert one[f"{name}_mean"] == pytest.approx(some[name].mean())
        assert one[f"{name}_mean_se"] == pytest.approx(some[name].sem())
    text = str(clumsy)
    assert "given up to win" in text
    assert "given up to win</th>" in review_html(clumsy)


@pytest.mark.slow
@settings(max_examples=3)
@given(st.integers(0, 10**6), st.sets(st.integers(1, 8)))
def test_the_books_close_in_chances_to_win(seed, silent):
    games = with_play(random_games(2, seed=seed), seed=seed)
    # Of a deal without play the score that follows is not known; the record may say it again.
    games.loc[games["deal"].isin(silent), ["play", "pegged", "opponent_pegged"]] = None
    found = reviewed(games, seed=seed)
    decisions = found.decisions
    assert decisions["win"].notna().all()
    steps = known_win_components(decisions)
    books = sum(step.sign * decisions[step.name] for step in steps)
    change = decisions["win_after"] - decisions["win_before"]
    pd.testing.assert_series_equal(books, change, check_names=False, atol=1e-9)
    assert (decisions["win_loss"] >= 0).all()
    for totals, by in ((found.players, ["player"]), (found.games, ["game", "player"])):
        for row in totals.to_dict(orient="records"):
            own = decisions[(decisions[by] == pd.Series(row)[by]).all(axis=1)]
            change = (own["win_after"] - own["win_before"]).sum()
            assert row["win_change"] == pytest.approx(change, abs=1e-9)
            if own["win_after"].notna().all():
                books = sum(step.sign * row[step.name] for step in steps)
                assert books == pytest.approx(row["win_change"], abs=1e-9)
    for _, both in found.games.groupby("game"):
        assert both["win_change"].sum() == pytest.approx(0, abs=1e-9)


def test_game_runs_from_first_chance_to_end(both):
    for row in both.games.to_dict(orient="records"):
        own = both.decisions[
            (both.decisions["game"] == row["game"]) & (both.decisions["player"] == row["player"])
        ]
        start = win_probability(dealer=0, pone=0)
        start = start if own["role"].iloc[0] == "dealer" else 1 - start
        won = own["score_after"].iloc[-1].startswith("121")
        assert row["win_change"] == pytest.approx(won - start, abs=1e-9)
        assert own["win_after"].iloc[:-1].tolist() == own["win_before"].iloc[1:].tolist()


def test_verdicts_use_wins_only_near_end_and_reasons_tell_them(both):
    decisions = both.decisions
    scores = both.record.scores
    near = scores.max(axis=1) >= 121 - NEAR_END
    assert 0 < near.sum() < len(near)
    assert (decisions["judged_by"] == np.where(near, "win", "points")).all()
    for row, by_win in zip(decisions.itertuples(), near, strict=True):
        lost, bands = (row.win_loss, WIN_BANDS) if by_win else (row.loss, DEFAULT_BANDS)
        level = 1 + sum(lost >= least for least in bands) if lost else 0
        assert row.verdict == ("best", "close", "inaccuracy", "mistake", "blunder")[level]
    # The reason is told in chances to win too.
    row = both.costliest(1)[0].row
    decision = decisions.iloc[row]
    win = both.options(row).set_index("discard")["win"]
    assert win.idxmax() == decision["win_discard"]
    assert win[decision["discard"]] == decision["win"]
    said = f"{win.max():.1%} to win against {decision['win']:.1%}; in points "
    assert both.reason(row).startswith(said)


def test_missing_scores_rank_costs_by_points(games):
    unknown = reviewed(games.assign(score=games["score"].where(games["game"] > 1, "")))
    assert not unknown.counts_wins
    scored = [unknown.decision(row).options.win is not None for row in range(len(games))]
    assert scored == (games["game"] > 1).tolist()
    lost = [one.lost for one in unknown.costliest(40)]
    assert lost == sorted(unknown.decisions["loss"], reverse=True)[: len(lost)]
    assert "What cost most after that, in points\n" in whole(unknown)


@pytest.mark.slow
def test_without_a_score_there_are_points_alone(games):
    bare = games.drop(columns=["score"])
    for found in (review(bare, fast=True), review(games, fast=True, play=False), reviewed(bare)):
        known = ["win", "win_before", "win_after", "win_loss"]
        assert found.decisions[known].isna().all(axis=None)
        assert (found.decisions["judged_by"] == "points").all()
        assert (found.decisions["win_discard"] == "").all()
        assert found.players["win_loss"].isna().all()
        assert "nan" not in re.sub(r"<style>.*?</style>", "", review_html(found), flags=re.DOTALL)
        assert "nan" not in str(found)


def test_a_row_without_chances_says_which_score_is_missing(games, tmp_path):
    scores, file = ["0*-0", "", "16*-24"], tmp_path / "game.csv"
    own = games[games["player"] == "Ann"].head(3).assign(score=scores, opponent_discard="")
    own.drop(columns=["play", "pegged", "opponent_pegged"], errors="ignore").to_csv(
        file, index=False
    )
    found = review(file, fast=True)
    missing = ["no score after deal 1", "no score before deal 2", "no score after deal 3"]
    assert found.decisions["win_unknown"].tolist() == missing
    shown, page = good("review", str(file), "--fast", "--deals"), review_html(found)
    assert all(text in shown and text in page for text in missing)


def test_the_graph_goes_through_every_chance(one):
    own = one.of_player("Ann").decisions.to_dict(orient="records")
    decisions = [row | {"choices": [], "anchor": "x"} for row in own]
    picture = charts.wins(decisions, WINS, (0, 1))
    (line,) = picture["lines"]
    heights = [float(point.split()[1]) for point in re.split("[ML]", line)[1:]]
    shown = [value for one in decisions for value in (one["win_before"], one["win"])]
    shown.append(decisions[-1]["win_after"])
    top, bottom = picture["up"][-1][0], picture["up"][0][0]
    for height, value in zip(heights, shown, strict=True):
        assert (bottom - height) / (bottom - top) == pytest.approx(value, abs=1e-3)
    assert len(picture["dots"]) == len(decisions)
    # What is not known breaks the line.
    decisions[3]["win"] = decisions[3]["win_before"] = float("nan")
    assert len(charts.wins(decisions, WINS, (0, 1))["lines"]) == 2
    unknown = [{**one, "win_before": float("nan")} for one in decisions]
    assert charts.wins(unknown, WINS, (0, 1)) is None


def test_a_game_at_its_last_scores_by_hand():
    """Pone, who counts first and would have been out, discards both fives and with them the game.

    The dealer is at 114 by heels and at 117 after the play; pone counts 2 and is at 114. Then the
    dealer counts ace, four and jack, 2, and gets out by the crib: four fifteens and a pair.
    """
    last = pd.DataFrame(
        [
            ["1", 9, "Ann", "pone", "5H 5D JS QC 2H 8D", "5H 5D", "110-112*"],
            ["1", 9, "Ben", "dealer", "AC 4D 6S 7S 9H KC", "9H KC", ""],
        ],
        columns=["game", "deal", "player", "role", "cards", "discard", "score"],
    ).assign(starter="JD", pegged=[2, 3], opponent_pegged=[3, 2])
    ann, ben = review(last).decisions.to_dict(orient="records")
    for row, (role, score) in ((ann, ("pone", (110, 112))), (ben, ("dealer", (112, 110)))):
        advice = advise(row["cards"], role=role, score=score)
        by_discard = advice.table.set_index("discard")["win"]
        assert row["win"] == pytest.approx(by_discard[row["discard"]], abs=1e-12)
        assert row["best_win"] == pytest.approx(by_discard.max(), abs=1e-12)
        assert row["win_discard"] == advice.best.discard
        assert row["judged_by"] == "win"
    assert ann["win_before"] == pytest.approx(1 - win_probability(dealer=112, pone=110))
    assert (ann["verdict"], ann["win_discard"]) == ("blunder", "2H 8D")
    assert ann["win_loss"] > 0.3
    assert (ann["score_after"], ben["score_after"]) == ("114-121", "121-114")
    assert (ann["win_after"], ben["win_after"]) == (0, 1)
    for row in (ann, ben):
        change = row["win_deal_luck"] - row["win_loss"] + row["win_luck"]
        assert change == pytest.approx(row["win_after"] - row["win_before"], abs=1e-9)


def test_the_graph_in_a_browser(browser, tmp_path, one):
    write_page(one, tmp_path / "game.html")
    for width in (390, 1200):
        sized(browser, width)
        browser.get((tmp_path / "game.html").as_uri())
        wide, high, large, ends, led = browser.execute_script(
            """const svg = document.querySelector('.wins svg'), box = svg.getBoundingClientRect();
               const dots = [...svg.querySelectorAll('.dot')];
               const line = svg.querySelector('path.result').getBoundingClientRect();
               const last = dots.at(-1).closest('a');
               last.dispatchEvent(new MouseEvent('click', {bubbles: true}));
               return [document.documentElement.scrollWidth, box.height,
                       dots.filter(dot => dot.r.baseVal.value > 3).length,
                       [line.left - box.left, box.right - line.right],
                       location.hash === last.getAttribute('href')]"""
        )
        assert wide <= width
        assert high > 150
        own = one.of_player("Ann").decisions
        assert large == own["verdict"].isin(COSTLY).sum() > 0
        assert all(0 < end < high / 2 for end in ends)
        assert led
