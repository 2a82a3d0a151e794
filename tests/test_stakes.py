"""What a game is played for: read, weighed, and wherever a score is asked about."""

import numpy as np
import pandas as pd
import pytest
from asking import with_file
from games import random_games, with_play
from hypothesis import given
from hypothesis import strategies as st
from shell import good, refused, run

from cribev import CribevError, advise, advise_play, evaluate, evaluate_deals, random_hands, review
from cribev.game.cards import format_cards
from cribev.game.outcomes import OUTCOME_COLUMNS, SCORED_COLUMNS, Outcomes, sum_to_one
from cribev.game.stakes import Stakes
from cribev.reviews.page import review_html
from cribev.tables.win_chances import win_table_of

pytestmark = pytest.mark.arrays

DEAL = "3D 3S 5C 7C QC QS"
weights = st.lists(st.floats(0, 1e6), min_size=6, max_size=6).filter(any)


@given(weights)
def test_outcomes_are_exclusive_and_sum_to_one(drawn):
    whole = np.array(drawn) / np.sum(drawn)
    ends = Outcomes(*sum_to_one(whole))
    assert (np.array(ends) >= 0).all()
    assert sum(ends) == ends.win + ends.lose == 1
    assert np.array(ends) == pytest.approx(whole, abs=1e-11)
    assert 0 <= ends.double_skunk <= ends.skunk <= ends.win <= 1
    turned = ends.turned
    lost = ends.lose, ends.skunked, ends.double_skunked
    assert (turned.win, turned.skunk, turned.double_skunk) == lost
    assert turned.turned == ends
    stakes = Stakes.read("games")
    assert stakes.value(turned) == pytest.approx(-stakes.value(ends))
    assert Stakes.read("win").value(ends) == ends.win
    assert Stakes.read(" ACC ").value(ends) == pytest.approx(2 * ends.win + ends.skunk)
    by_hand = ends.win + ends.skunk + ends.double_skunk
    by_hand -= ends.lose + ends.skunked + ends.double_skunked
    assert stakes.value(ends) == pytest.approx(by_hand)
    again = Outcomes.of_nested(
        *(np.array(part) for name, part in ends.to_dict().items() if name != "lose")
    )
    assert again == ends


def test_the_best_is_what_the_stakes_make_best():
    plain, staked = (
        advise(DEAL, role="pone", score="70-88", stakes=stakes) for stakes in (None, "games")
    )
    assert plain.best.discard == "QC QS"
    assert plain.table["value"].tolist() == plain.table["win"].tolist()
    table = staked.table
    assert table["value"].is_monotonic_decreasing
    by_hand = table["win"] - table["lose"]
    for won, lost in (("skunk", "skunked"), ("double_skunk", "double_skunked")):
        by_hand += table[won] - table[lost]
    assert table["value"].tolist() == pytest.approx(by_hand.tolist())
    best = staked.best
    assert best.discard == "7C QS"
    wins = plain.best.win - best.win
    skunked = plain.best.skunked - best.skunked
    line = f"For games discard 7C QS: {skunked:.1%} less often skunked for {wins:.1%} fewer wins."
    assert line in str(staked)


def test_the_play_is_for_the_stakes_too():
    known = {"discard": "9C KD", "starter": "7H", "played": "J 5", "role": "pone"}
    hand = "4H 5C JD JS"
    plain, staked = (advise_play(hand, **known, score="80-115", stakes=s) for s in (None, "games"))
    assert plain.options.rank.tolist() == [1, 1, 1]  # all is lost, or so
    assert staked.best.card == "5"
    assert staked.table["value"].is_monotonic_decreasing
    # To go on for more than to win cannot bring less of it.
    assert (np.array(staked.table["skunked"]) <= 1).all()
    worth = -1 - staked.best.skunked - staked.best.double_skunked
    assert staked.best.value == pytest.approx(worth, abs=0.001)
    argv = ["play", hand, "--pone", "--discard", "9C KD", "--starter", "7H", "--played", "J 5"]
    argv += ["--score", "80-115", "--stakes", "games"]
    shown = good(*argv)
    assert shown.startswith(f"Play the 5: wins 0.0%, worth {staked.best.value:.3f}, ")
    assert " worth " in shown.splitlines()[5]
    assert good(*argv, "--format", "csv").splitlines()[0].endswith(",double_skunked,value")


@pytest.fixture(scope="module")
def game():
    """A game from 60–95 on, each card played at random, in which Ann is skunked."""
    frame = random_games(1, deals=9, seed=5, noise=1.5)
    return with_play(frame, seed=3, start={"Ann": 60, "Ben": 95})


@pytest.fixture(scope="module")
def staked(game):
    return review(game, stakes="games")


@pytest.mark.slow
def test_a_review_is_in_what_was_played_for(staked):
    assert staked.decision(0).options.stakes == Stakes.read("games")
    for row in range(0, len(staked.decisions), 5):
        discard = staked.decisions.iloc[row]
        six, role, score = (discard[name] for name in ("cards", "role", "score"))
        advice = advise(six, role=role, score=score.replace("*", ""), stakes="games")
        own, decision = advice.options.option(discard["discard"]), staked.decision(row)
        assert decision.best.discard == advice.best.discard
        for name in ("value", "win"):
            assert discard[name] == pytest.approx(getattr(own, name), abs=1e-9)
        lost = advice.best.value - own.value
        assert (decision.by_wins, decision.verdict) == (True, discard["verdict"])
        assert discard["win_loss"] == pytest.approx(lost, abs=1e-9)
        assert decision.win_loss == pytest.approx(lost, abs=1e-9)
    played = staked.cards[staked.cards["choices"] > 1]
    for at, card in zip(played.index, played.to_dict("records"), strict=True):
        decision = staked.card_decision(at)
        assert decision.verdict == card["verdict"]
        assert card["value"] == pytest.approx(decision.option.value, abs=1e-9)
        assert card["win_loss"] == pytest.approx(card["best_value"] - card["value"], abs=1e-9)
    rows = staked.decisions
    change = rows["win_deal_luck"] - rows["win_loss"] - rows["win_play_lost"] + rows["win_luck"]
    assert (rows["value_before"] + change).tolist() == pytest.approx(rows["value_after"].tolist())
    totals = staked.players.set_index("player")["win_change"]
    table = Outcomes(*(part[60, 95] for part in win_table_of().outcomes_as("dealer")))
    assert totals["Ann"] == pytest.approx(-2 - Stakes.read("games").value(table))
    assert totals.sum() == pytest.approx(0)


@pytest.mark.slow
def test_reviews_tell_skunks_and_their_worth(game, staked, tmp_path):
    lost = staked.players.set_index("player")[["win_loss", "win_play_lost"]].sum(axis=1)["Ann"]
    said = f"Ann lost 73–121, skunked: errors cost {lost:.3f} games, the opponent’s errors brought "
    assert staked.summary("Ann").startswith(said)
    page = review_html(staked)
    assert said.removeprefix("Ann ") in page
    assert page.count('<path class="swing" d="M') >= 2
    assert "Played for games: 1 for a win, 2 for a skunk" in page
    game.to_csv(tmp_path / "game.csv", index=False)
    argv = ["review", str(tmp_path / "game.csv"), "--player", "Ann", "--no-cards", "--stakes"]
    shown = good(*argv, "games", "--deals", "--fast")
    assert "Ann lost 73–121, skunked" in shown
    assert "after - before = cards dealt - lost" in shown
    hint = "A skunk ended a game. Choose stakes acc or games to count that."
    assert hint not in shown
    assert hint in good(*argv[:-1], "--fast", "--all")
    assert refused(*argv, "3,2") == "unknown stakes '3,2': expected win, acc or games"
    game.drop(columns=["score", "play"]).to_csv(tmp_path / "game.csv", index=False)
    said = "stakes 'acc' need a score: without one nobody is skunked"
    assert refused(*argv, "acc").endswith(said)


@pytest.mark.slow
def test_the_page_reviews_for_stakes(get, game):
    own = game[game["player"] == "Ann"].drop(columns=["play", "pegged", "opponent_pegged"])
    content = own.to_csv(index=False).encode()
    sent = with_file(get, "game.csv", content, stakes="acc")
    assert "Played for acc: 2 for a win, 3 for a skunk" in get(sent.headers["Location"]).words
    told = get("/api/review?stakes=acc", method="POST", body=content).json["decisions"]
    assert told[0]["value"] >= 2 * told[0]["win"]
    refused = with_file(get, "game.csv", content, stakes="3,2").refusal
    assert "unknown stakes '3,2': expected win, acc or games" in refused


def near_and_far(number):
    """Deals at scores where a skunk is open: near the end, between, and far from it."""
    rng = np.random.default_rng(4)
    low, high = rng.integers(45, 90, number), rng.integers(86, 118, number)
    scores = np.stack([low, high], axis=1)
    scores = np.where((rng.random(number) < 0.5)[:, None], scores, scores[:, ::-1])
    return random_hands(number, seed=4), np.arange(number) % 2 == 0, scores


@pytest.mark.slow
def test_rows_by_stakes_are_as_advice():
    deals, dealer, scores = near_and_far(44)
    roles = np.where(dealer, "dealer", "pone")
    plain = evaluate_deals(deals, role=roles, score=scores)
    found = evaluate_deals(deals, role=roles, score=scores, stakes="games")
    assert set(found.win_method) == {"approximate"}
    for row in range(0, 44, 12):
        score = tuple(scores[row].tolist())
        options = advise(deals[row], role=roles[row], score=score, stakes="games").options
        own = options.option(found.best_discard[row].tolist())
        for name in OUTCOME_COLUMNS:
            assert getattr(found, name)[row] == pytest.approx(getattr(own, name), abs=0.006)
        assert options.best.value - own.value < 0.003
    differ = (plain.best_discard != found.best_discard).any(axis=1)
    assert differ.any()
    same = ~differ
    assert plain.win[same] == pytest.approx(found.win[same], abs=1.5e-7)  # to the last digit
    win, skunk, twice, _, *lost = (getattr(found, name) for name in OUTCOME_COLUMNS)
    ends = Outcomes.of_nested(win, skunk, twice, *lost)
    assert found.value == pytest.approx(Stakes.read("games").value(ends))
    assert plain.value is None


@pytest.mark.slow
def test_files_and_frames_have_the_columns_of_stakes(tmp_path):
    deals, _, scores = near_and_far(44)
    cells = {"cards": [*map(format_cards, deals)], "role": "pone"}
    frame = pd.DataFrame(cells | {"score": [f"{own}-{other}" for own, other in scores]})
    frame.loc[3, "score"] = ""
    found = evaluate(frame, stakes="acc")
    after = found.columns.tolist()[found.columns.get_loc("win") :]
    assert after == [*SCORED_COLUMNS, "win_method", "expected", "margin"]
    assert found["value"].isna().tolist() == [row == 3 for row in range(44)]
    every = evaluate(frame[:1], stakes="acc", every_discard=True)
    assert (every.groupby(every.index)["value"].diff().dropna() <= 0).all()
    source, target = tmp_path / "deals.csv", tmp_path / "best.csv"
    frame.to_csv(source, index=False)
    run("batch", str(source), "-o", str(target), "--stakes", "acc")
    written = pd.read_csv(target)
    assert written["best_discard"].tolist() == found["best_discard"].tolist()
    values = found["value"].tolist()
    assert written["value"].tolist() == pytest.approx(values, abs=1e-6, nan_ok=True)
    for argv, reason in (
        (["--stakes=-1"], "unknown stakes '-1': expected win, acc or games"),
        (["--stakes", "acc", "--show-only"], "--stakes and --show-only: choose one"),
    ):
        assert reason in refused("batch", str(source), *argv)
    for asked in (
        lambda: evaluate(frame.drop(columns="score"), stakes="games"),
        lambda: evaluate_deals(deals, role="pone", stakes="games"),
    ):
        with pytest.raises(CribevError, match="need a score"):
            asked()
