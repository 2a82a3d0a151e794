"""The books of a review: they close, and luck is nothing on average."""

import json

import hypothesis.strategies as st
import numpy as np
import oracle
import pandas as pd
import pytest
from games import random_games, with_play
from hypothesis import given, settings
from shell import good, whole

from cribev import advise, format_cards, parse_cards, review
from cribev.advice.names import as_opponent
from cribev.classes.canonical import CLASSES
from cribev.game.cards import unseen
from cribev.game.index_tables import PAIR_HAS
from cribev.game.roles import ROLES
from cribev.game.words import format_points
from cribev.grades.grading import known_components, result_columns
from cribev.grades.summary import opponent_cells, tabulate_opponents
from cribev.opponents.opponents import Opponent, Solved, Uniform
from cribev.records.record import as_record
from cribev.reviews.page import review_html
from cribev.rows.names import CUT_COLUMNS
from cribev.solution.solved_play import ExpectedPegging

RNG = np.random.default_rng(14)

MADE_UP = {role: ExpectedPegging(*RNG.uniform(0, 6, (2, CLASSES, 15))) for role in ROLES}


class MadeUp(Solved):
    """Cards played as an expert does, which peg what was made up."""

    def pegging(self, role):
        return MADE_UP[role]


def show(decision):
    """What hand and crib made, counted by the second scorer."""
    discarded = decision["discard"].split()
    kept = [card for card in decision["cards"].split() if card not in discarded]
    crib = [*discarded, *decision["opponent_discard"].split()]
    sign = 1 if decision["role"] == "dealer" else -1
    own = oracle.points(kept, decision["starter"])
    return own + sign * oracle.points(crib, decision["starter"], crib=True)


def in_points(games, *, seed=0):
    """Have every deal played, and no score told: chances to win take long, and have other tests."""
    return with_play(games, seed=seed).drop(columns="score")


def partly_played(games, unknown, *, seed=0):
    """A record that says nothing of the play of some deals."""
    games = in_points(games, seed=seed)
    games.loc[games["deal"].isin(unknown), ["play", "pegged", "opponent_pegged"]] = [None] * 3
    return games


PLAYER = Opponent(Uniform(), MadeUp())
OPPONENTS = {"expert": as_opponent("expert"), "uniform": as_opponent("uniform"), "player": PLAYER}


def check_books(reviewed, against):
    """Hold each result to its parts and to what hand, crib and play made.

    Where the play is not recorded, its average is what it made.
    """
    decisions = reviewed.decisions
    books = sum(step.sign * decisions[step.name].fillna(0) for step in known_components(decisions))
    assert (decisions["result"] - books).abs().max() < 1e-9
    for row, decision in decisions.iterrows():
        pegged = decision["pegged"] - decision["opponent_pegged"]
        if pd.isna(pegged):
            options = reviewed.options(row)
            pegged = options.loc[options["discarded"], "play_mean"].item()
        result = decision["result"] + against.baseline(decision["role"])
        assert result == pytest.approx(show(decision) + pegged, abs=1e-9)


@settings(max_examples=2)
@given(st.integers(0, 10**6), st.sampled_from(["expert", "player"]), st.sampled_from([[], [1]]))
def test_the_ledger_closes_on_what_was_really_made(seed, opponent, unknown):
    against = OPPONENTS[opponent]
    games = partly_played(random_games(1, deals=1, seed=seed), unknown)
    check_books(review(games, opponent=against), against)


@pytest.mark.slow
@settings(max_examples=3)
@given(st.integers(0, 10**6), st.sampled_from(list(OPPONENTS)), st.sets(st.integers(1, 6)))
def test_the_ledger_closes_by_the_class_tables_too(seed, opponent, unknown):
    against = OPPONENTS[opponent]
    games = partly_played(random_games(1, deals=6, seed=seed), unknown, seed=seed)
    found = review(games, opponent=against, fast=True)
    check_books(found, against)
    silent = found.decisions["play_swing"].isna()
    assert set(found.decisions.loc[silent, "deal"]) == unknown


@pytest.mark.slow
def test_losses_ignore_pegging_but_not_play():
    games = in_points(random_games(5, deals=6, seed=3))
    pegged = review(games, opponent=PLAYER, fast=True).decisions
    bare = games.drop(columns=["play", "pegged", "opponent_pegged"])
    silent = review(bare, opponent=PLAYER, fast=True).decisions
    show_only = review(games, opponent=PLAYER, fast=True, play=False).decisions
    same = ["best_discard", "expected", "loss", "rank", "verdict", "deal_luck", "crib_swing"]
    pd.testing.assert_frame_equal(pegged[same], silent[same])
    assert (pegged["best_discard"] != show_only["best_discard"]).mean() > 0.3
    np.testing.assert_allclose(pegged["result"] - pegged["play_swing"], silent["result"])


@pytest.mark.slow
def test_the_show_alone_knows_nothing_of_the_play(tmp_path):
    games = in_points(random_games(2, deals=6, seed=3))
    found = review(games, opponent=PLAYER, fast=True, play=False)
    bare = games.drop(columns=["play", "pegged", "opponent_pegged"])
    plain = review(bare, opponent="uniform", fast=True, play=False)
    columns = result_columns(play=False)
    assert "play_swing" not in found.decisions
    pd.testing.assert_frame_equal(found.decisions[columns], plain.decisions[columns])
    for row, decision in found.decisions.iterrows():
        before = as_opponent("uniform", play=False).baseline(decision["role"])
        assert decision["result"] + before == pytest.approx(show(decision), abs=1e-9), row
    assert "play_mean" not in found.options(0)
    assert "without the play" in review_html(found)
    assert "play swing" not in review_html(found) + str(found)
    games.to_csv(tmp_path / "game.csv", index=False)
    options = ["--show-only", "--fast", "--opponent", "uniform", "--format", "json"]
    told = json.loads(good("review", str(tmp_path / "game.csv"), *options))
    assert told["players"] == json.loads(json.dumps(found.to_dict()["players"]))


def test_the_play_is_told_where_it_is_recorded():
    games = in_points(random_games(1, deals=6, seed=3))
    games.loc[games["deal"] > 3, ["play", "pegged", "opponent_pegged"]] = [None] * 3
    reviewed = review(games, opponent=PLAYER, fast=True)
    said = "play swing is known for 3 of 6 discards; elsewhere the result counts average play"
    assert reviewed.missing(reviewed.players.iloc[0]) == said
    swing = format_points(reviewed.players.loc[0, "play_swing"], sign=True)
    assert f"{swing} of 3" in whole(reviewed)
    first = reviewed.decisions.iloc[0]
    pegged = f"pegged {first['pegged']}–{first['opponent_pegged']} ({first['play']})"
    assert pegged in review_html(reviewed)
    silent = review(games[games["deal"] > 3], opponent=PLAYER, fast=True)
    assert "crib swing + play swing" not in str(silent) + review_html(silent)


def test_play_value_of_best_is_told():
    found = review(random_games(5, seed=4), opponent=PLAYER, fast=True)
    costly = [one.row for one in found.costliest(20)]
    for row in costly:
        gained = [
            float(number) * (1 if way == "more" else -1) * (-1 if "opponent's crib" in part else 1)
            for part in found.reason(row).split(", ")
            for number, way in [part.split()[:2]]
        ]
        assert sum(gained) == pytest.approx(found.decisions.loc[row, "loss"], abs=0.016)
    assert any("in the play" in found.reason(row) for row in costly)


@pytest.mark.parametrize(
    ("opponent", "fast"), [("expert", True), pytest.param("uniform", False, marks=pytest.mark.slow)]
)
def test_starters_bring_no_luck_on_average(opponent, fast):
    # One deal again and again, each time another of the 46 starters.
    cards = "AC 5D 6H JH JS KC"
    rows = pd.DataFrame(
        {
            "game": range(46), "deal": 1, "player": "Ann", "role": "pone",
            "cards": cards, "discard": "6H KC",
            "starter": format_cards(unseen(parse_cards(cards))).split(),
        }
    )  # fmt: skip
    luck = review(rows, opponent=opponent, fast=fast).decisions["starter_luck"]
    assert luck.mean() == pytest.approx(0, abs=1e-9)
    assert luck.std() > 1


def test_luck_is_even_against_the_true_opponent():
    # Every pair the uniform opponent can discard beside one starter, each once.
    advice = advise("AC 5D 6H JH JS KC", role="dealer", opponent="uniform")
    rest = advice.starters
    pairs = [format_cards(rest[np.flatnonzero(pair)]) for pair in PAIR_HAS[~PAIR_HAS[:, 7]][::23]]
    rows = pd.DataFrame(
        {
            "game": range(len(pairs)), "deal": 1, "player": "Ann", "role": "dealer",
            "cards": "AC 5D 6H JH JS KC", "discard": "5D JH",
            "starter": format_cards([rest[7]]), "opponent_discard": pairs,
        }
    )  # fmt: skip
    every = review(rows, opponent="uniform").decisions
    error = every["crib_swing"].std() / np.sqrt(len(every))
    assert abs(every["crib_swing"].mean()) < 3 * error
    assert np.ptp(every["starter_luck"]) == 0


@pytest.mark.slow
def test_both_chairs_agree_and_fast_is_near_exact():
    games = random_games(2, deals=4, seed=31)
    whole = review(games, opponent="uniform")
    fast = review(games, opponent="uniform", fast=True).decisions
    for column in ("expected", "best_expected", "deal_luck"):
        assert np.allclose(whole.decisions[column], fast[column], atol=0.06)
    assert np.allclose(whole.decisions["result"], fast["result"], atol=1e-9)
    assert len(whole.decisions) == 16
    for name in ("Ann", "Ben"):
        own = games[games["player"] == name]
        alone = review(own, opponent="uniform")
        from_both = whole.of_player(name)
        for table in ("decisions", "players", "games"):
            tables = [getattr(reviewed, table) for reviewed in (alone, from_both)]
            # Cuts are known better from both.
            pd.testing.assert_frame_equal(*(table.drop(columns=[*CUT_COLUMNS]) for table in tables))
    # Told once by two rows, once by the opponent's discards: the same game.
    told = review(games.drop(columns="opponent_discard"), opponent="uniform")
    pd.testing.assert_frame_equal(told.decisions, whole.decisions)


@pytest.mark.parametrize("player", [None, "Ann"])
def test_luck_of_the_cut_is_against_all_cards_that_could_have_come(player):
    games = random_games(3, deals=3, seed=9)
    games.loc[games["game"] == 2, "opponent_discard"] = ""
    alone = games["game"].eq(2) & games["player"].eq("Ben")  # then nobody knows Ann's crib
    record = as_record(games[~alone])
    found = review(record.take(record.rows_of(player)) if player else record, fast=True)
    for decision in found.decisions.to_dict("records"):
        deal = games[(games["game"] == int(decision["game"])) & (games["deal"] == decision["deal"])]
        seats = {one["role"]: one for one in deal.to_dict("records")}
        if decision["game"] == "2":
            assert np.isnan([decision["cut_luck"], decision["cut_sd"]]).all()
            continue

        def margin(cut, seats=seats):
            kept = {
                role: [card for card in one["cards"].split() if card not in one["discard"]]
                for role, one in seats.items()
            }
            crib = " ".join(one["discard"] for one in seats.values()).split()
            own, theirs = (oracle.points(kept[role], cut) for role in ("dealer", "pone"))
            return own - theirs + oracle.points(crib, cut, crib=True) + 2 * (cut[0] == "J")

        held = parse_cards(" ".join(one["cards"] for one in seats.values()))
        every = [margin(cut) for cut in format_cards(unseen(held)).split()]
        luck = margin(decision["starter"]) - np.mean(every)
        luck *= 1 if decision["role"] == "dealer" else -1
        assert (decision["cut_luck"], decision["cut_sd"]) == pytest.approx((luck, np.std(every)))
    for own in found.players.to_dict("records"):
        part = found.decisions[found.decisions["player"] == own["player"]]
        assert own["cut_luck"] == pytest.approx(part["cut_luck"].sum())
        assert own["cut_sd"] == pytest.approx((part["cut_sd"] ** 2).sum() ** 0.5)
        assert own["cut_luck_deals"] == part["cut_luck"].notna().sum()
    book = found.opponents.query("player == 'Ann'")
    assert book[["opponent", "games"]].to_numpy().tolist() == [["Ben", 2], ["", 1]]


def test_games_by_opponent():
    names = ("opponent", "score", "deals", "lost", "cut_luck", "cut_sd")
    played = [
        ("Ann", [121, 100], 8, 0.5, 30.0, 4.0),  # won by the cut
        ("Ann", [110, 121], 8, 1.0, 30.0, 3.0),
        ("Bea", [80, 70], 4, 1.0, 5.0, 1.0),  # not at its end
        ("Ann", [100, 121], 16, 0.25, None, None),
        ("Bea", None, 4, 0.0, -2.0, 1.0),
    ]
    ann, bea = tabulate_opponents(
        [{"player": "I"} | dict(zip(names, one, strict=True)) for one in played]
    ).to_dict("records")
    assert opponent_cells(ann)[:3] == ["Ann", "3", "1–2"]
    assert ann["ahead"] == pytest.approx(-11 / 3)
    assert ann["ahead_se"] == pytest.approx(np.std([21, -11, -21], ddof=1) / 3**0.5)
    assert ann["lost_a_deal"] == pytest.approx((4 + 8 + 4) / 32)
    assert (ann["cut_luck"], ann["cut_sd"], ann["cut_games"], ann["cut_decided"]) == (60, 5, 2, 1)
    assert opponent_cells(bea) == ["Bea", "2", "", "", "", "0.50", "+3.0", "1.4", ""]
