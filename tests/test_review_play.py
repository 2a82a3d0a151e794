"""The play in a review: its part of the books, error rates, and how it is shown."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from games import random_games, review_by_wins, with_play
from markup import Whole
from shell import csv_rows, good, printed, refused, whole

from cribev import review
from cribev.advice.verdicts import COSTLY, VERDICTS
from cribev.game.words import format_points
from cribev.grades.grading import known_win_components
from cribev.grades.totals import RATE_KINDS, accuracy
from cribev.reviews.listings import card_list, deal_ledger
from cribev.reviews.page import SIGNS, OpenedDeals, review_html
from cribev.rows.names import CARD_COLUMNS, CARD_GROUPS, CARD_WIN_COLUMNS


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
    return review_by_wins(games, seed=3)


def test_ledger_closes_in_points_and_wins(found):
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
        parts = (table["play_luck"] - table["play_lost"] - table["play_given_up"])[played]
        np.testing.assert_allclose(table["play_swing"][played], parts, rtol=0, atol=1e-9)
        assert (table["play_lost_deals"] == table["play_swing_deals"]).all()
        result = sum(step.sign * table[step.name] for step in found.total_steps)
        np.testing.assert_allclose(table["result"][played], result[played], rtol=0, atol=1e-9)
    steps = known_win_components(decisions)
    books = sum(step.sign * decisions[step.name].fillna(0) for step in steps)
    change = decisions["win_after"] - decisions["win_before"]
    known = change.notna()
    assert known.sum() >= 6
    np.testing.assert_allclose(books[known], change[known], rtol=0, atol=1e-9)


def test_single_player_knows_no_opponent_losses(games):
    ann = games[(games["player"] == "Ann") & (games["game"] == 1)].head(1)
    ann = ann.drop(columns="score")
    found = review(ann)
    assert found.decisions["opponent_play_lost"].isna().all()
    assert found.decisions["play_lost"].notna().all()
    assert found.decisions["win_play_lost"].isna().all()
    for options in ({"cards": False}, {"fast": True}, {"play": False, "opponent": "uniform"}):
        bare = review(ann, **options)
        assert "play_lost" not in bare.decisions
        assert bare.cards.empty
    again = review(found.decisions).decisions
    pd.testing.assert_frame_equal(again, found.decisions)


def test_error_rates_are_means_of_what_was_lost(found):
    rates = found.error_rates.set_index(["player", "decision", "judged_by"])
    assert [*dict.fromkeys(found.error_rates["decision"])] == [*RATE_KINDS]
    cards = found.cards.assign(row=found.graded.rows)
    chosen = cards[cards["choices"] > 1]
    assert {*found.error_rates["judged_by"]} == {"points", "win"}
    for (player, kind, judge), rate in rates.iterrows():
        decisions, own = (
            frame[(frame["player"] == player) & (frame["judged_by"] == judge)]
            for frame in (found.decisions, chosen)
        )
        own = own[own["decision"] == kind]
        unit = {"points": "", "win": "win_"}[judge]
        if kind == "discard":
            lost = decisions[f"{unit}loss"]
        if kind == "discard" and judge == "points":
            behind = [
                found.options(row).set_index("hand_mean")["behind"] for row in decisions.index
            ]
            greedy = [
                one[one.index.to_numpy().round(9) == one.index.max().round(9)] for one in behind
            ]
            for name, those in (("greedy", greedy), ("random", behind)):
                mean = np.mean([one.mean() for one in those])
                assert rate[f"{name}_loss_mean"] == pytest.approx(mean)
        elif kind == "deal":
            played = decisions[decisions["play_lost"].notna()]
            lost = played["loss"] + played["play_lost"]
            if judge == "win":
                lost = played["win_loss"] + played["win_play_lost"]
        elif kind != "discard":
            lost = own[f"{unit}loss"]
            for name in (f"greedy_{unit}loss", f"random_{unit}loss"):
                assert rate[f"{name}_mean"] == pytest.approx(own[name].mean())
        assert rate["decisions"] == len(lost)
        assert rate[f"{unit}loss_mean"] == pytest.approx(lost.mean())
        assert rate[f"{unit}loss_mean_se"] == pytest.approx(lost.sem(), nan_ok=True)
        other = {"points": "win_loss_mean", "win": "loss_mean"}[judge]
        assert np.isnan(rate[other])


def judged_loss(rows):
    """What decisions lost in what their verdicts go by; one a deal halves the accuracy."""
    return rows["win_loss"].div(0.02).where(rows["judged_by"] == "win", rows["loss"]).fillna(0)


@pytest.mark.slow
def test_accuracy_falls_with_losses_and_skips_hints(found):
    decisions = found.decisions.assign(lost=judged_loss(found.decisions))
    decisions["lost"] += judged_loss(found.cards).groupby(found.graded.rows).sum()
    assert {*decisions["judged_by"]} == {"points", "win"}
    for totals, by in ((found.players, ["player"]), (found.games, ["game", "player"])):
        for keys, rows in decisions[decisions["play_lost"].notna()].groupby(by):
            row = totals[(totals[by] == list(keys)).all(axis=1)].iloc[0]
            assert row["accuracy"] == pytest.approx(100 * 0.5 ** rows["lost"].mean())
            assert 0 < row["accuracy"] < 100
    # Of whoever asks wherever something is lost, all that is left is best.
    bad = [(row, "discard") for row in np.flatnonzero(judged_loss(found.decisions))]
    lost = np.flatnonzero(judged_loss(found.cards))
    bad += zip(found.graded.rows[lost], found.cards["number"].iloc[lost].astype(str), strict=True)
    hints = [" ".join(word for row, word in bad if row == at) for at in found.decisions.index]
    asked = found.decisions.assign(hints=hints)
    assert {*accuracy(asked, found.graded, ["player"])} == {100.0}
    number = asked.loc[asked["player"] == "Ann", "hints"].str.split().str.len().sum()
    told = f"Ann: accuracy without what came after {number} hints"
    assert told in whole(replace(found, decisions=asked))
    every = asked.assign(hints="discard 1 2 3 4 5 6 7 8")
    assert accuracy(every, found.graded, ["player"]).isna().all()


def test_unknown_figures_are_dashes_or_omitted(found):
    bare = review(random_games(1, deals=2, seed=1).astype({"game": "str"}), fast=True)
    assert bare.players["accuracy"].isna().all()
    assert bare.cards.dtypes.equals(found.cards.dtypes[bare.cards.columns])
    assert {*bare.error_rates["decision"]} == {"discard"}
    assert "Accuracy:" not in str(bare)
    assert '<span class="played">' not in review_html(bare)
    rates = found.error_rates.copy()
    rates.loc[rates["decision"] == "lead", "loss_mean":] = np.nan
    text = review_html(replace(found, error_rates=rates))
    leads = re.findall(r">lead</th>.*?</tr>", text)
    assert [row.count("<td>–</td>") for row in leads] == [4] * len(leads)
    assert "<td>%" not in text


def test_single_decision_grades_as_in_a_record(found):
    decisions, cards = found.decisions, found.cards
    alone = [(decisions.loc[row], found.decision(row)) for row in decisions.index]
    played = np.flatnonzero(cards["choices"] > 1).tolist()
    alone += [(cards.loc[card], found.card_decision(card)) for card in played]
    assert len(alone) > 25
    assert {decision.by_wins for *_, decision in alone} == {True, False}
    for graded, decision in alone:
        assert decision.loss == pytest.approx(graded["loss"], abs=1e-12)
        assert decision.verdict == graded["verdict"]
        assert decision.by_wins == (graded["judged_by"] == "win")
        if decision.win_loss is not None:
            assert decision.win_loss == pytest.approx(graded["win_loss"], abs=1e-12)


def test_discards_and_cards_share_one_list(found):
    every = found.costliest(1000)
    lost = [one.lost for one in every]
    assert lost == sorted(lost, reverse=True)
    assert found.counts_wins
    assert sum(one.card is not None for one in every) == (found.cards["win_loss"] > 0).sum()
    assert sum(one.card is None for one in every) == (found.decisions["win_loss"] > 0).sum()
    for one in every:
        if one.card is not None:
            card = found.cards.iloc[one.card]
            assert one.row == found.graded.rows[one.card]
            assert one.lost == card["win_loss"]
            assert found.best_of(one).card == card["win_card"]
            assert found.compared_with_best(one).startswith(f"{card['best_win']:.1%} to win")
    text = whole(found)
    assert "Chances to win, in percent of one game" in " ".join(text.split())
    lines = text.splitlines()
    head = lines.index(next(line for line in lines if line.startswith("player  of")))
    rows = [lines[head + at :: 2] for at in (1, 2)]
    for name, discards, cards in zip(["Ann", "Ben"], *rows, strict=False):
        own = found.cards[(found.cards["player"] == name) & (found.cards["choices"] > 1)]
        assert discards.split()[:2] == [name, "discards"]
        assert cards.split()[0] == "cards"
        counts = [int(cell) for cell in cards.split()[1:7]]
        assert counts == [len(own), *((own["verdict"] == verdict).sum() for verdict in VERDICTS)]
        lost = own["loss"][own["judged_by"] == "points"]
        assert cards.split()[7:] == [format_points(lost.sum()), format_points(lost.mean(), 3)]
    for own in found.players.to_dict(orient="records"):
        luck, lost = format_points(own["play_luck"], sign=True), format_points(own["play_lost"])
        assert re.search(rf"{re.escape(luck)} of \d+ +{lost} of", text)
    ledger, cards = str(deal_ledger(found.decisions)), str(card_list(found.cards))
    for decision in found.decisions.to_dict(orient="records"):
        shown = [format_points(decision[name], sign=True) for name in ("deal_luck", "result")]
        assert any(all(cell in line.split() for cell in shown) for line in ledger.splitlines())
    assert len(cards.splitlines()) == len(found.cards) + 3
    assert "nan" not in ledger + cards


def test_the_command_line_shows_deals_and_cards(games, tmp_path):
    file, silent = tmp_path / "game.csv", tmp_path / "silent.csv"
    deal = games[(games["game"] == 2) & (games["deal"] == 1)].drop(columns="score")
    deal.to_csv(file, index=False)
    deal[["deal", "role", "cards", "discard"]].head(1).to_csv(silent, index=False)
    text = good("review", str(file), "--deals", "--cards")
    assert "Deal by deal, in points" in text
    assert "Card by card" in text
    rows = csv_rows("review", str(file), "--cards")
    assert list(rows[0]) == [*CARD_COLUMNS, *CARD_WIN_COLUMNS, *CARD_GROUPS]
    assert len(rows) == 8
    text = good("review", str(silent), "--cards")
    assert text.endswith("Card by card\nNo card is graded: the play is not recorded.\n")
    assert printed("review", str(file), "--no-cards")["cards"] == []
    for arguments, why in (
        (["--fast", "--cards"], "--cards and --fast: choose one, since --fast grades no card"),
        (["--format", "json", "--deals"], "--deals goes with a table to read"),
        (["--format", "json", "--cards"], "--cards goes with a table to read or csv"),
    ):
        assert refused("review", str(file), *arguments).startswith(why)


def test_the_page_shows_each_play_as_it_fell(found):
    text = review_html(found)
    Whole(text)
    assert text.count('<span class="played">') >= 2 * 4
    for row, decision in found.decisions.iterrows():
        strip = OpenedDeals(found).played(row)
        played = [one["card"] for one in strip if not one["go"]]
        assert played == [word[0] for word in decision["play"].split() if word != "go"]
        own = found.cards[found.graded.rows == row]
        shown = [one for one in strip if not one["go"] and one["own"]]
        for one, card in zip(shown, own.to_dict(orient="records"), strict=True):
            assert one["verdict"] == (card["verdict"] if card["choices"] > 1 else "")
            assert one["sign"] == SIGNS.get(card["verdict"], "")
        choices = list(OpenedDeals(found).choices(row))
        assert len(choices) == (own["choices"] > 1).sum()
    costly, erred = found.decisions["verdict"].isin(COSTLY), found.cards["verdict"].isin(COSTLY)
    looked_at = {*np.flatnonzero(costly)} | {*found.graded.rows[erred]}
    assert text.count('class="costly"') == len(looked_at) > costly.sum()
    assert (
        text.count('<tr class="discarded"><th class="left">') == (found.cards["choices"] > 1).sum()
    )
    for shade, percent in re.findall(r'<li class="s(\d)"><b>\w+</b> (\d+)%', text):
        assert int(shade) == pytest.approx(min(4, 8 * int(percent) / 100), abs=0.55)
    known = [values.hands for values in found.graded.valued if values is not None]
    assert text.count("what your opponent may hold") == sum(map(bool, known))
    for verdict in VERDICTS:
        for name in ("Ann", "Ben"):
            own = found.cards[(found.cards["player"] == name) & (found.cards["choices"] > 1)]
            number = (own["verdict"] == verdict).sum()
            assert f'data-figure="{verdict}-cards">{number}<' in text
    assert "What cost most after that, in chances to win" in text
    assert "<b>??</b> a blunder" in text
    assert "nan" not in re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
