import json
import re
from decimal import ROUND_HALF_EVEN, Decimal

import hypothesis.strategies as st
import numpy as np
import oracle
import pandas as pd
import pytest
from games import random_games, with_play
from hypothesis import given, settings

from cribev import (
    CribevError,
    RecordError,
    Review,
    TableError,
    advise,
    format_cards,
    parse_cards,
    review,
)
from cribev.classes.forms import CLASSES
from cribev.commands import cli
from cribev.game.cards import unseen
from cribev.game.indices import PAIR_HAS
from cribev.game.roles import ROLES
from cribev.opponents.models import Expert, Uniform
from cribev.reviews import standing
from cribev.reviews.cells import NEEDED, PERHAPS
from cribev.reviews.ledger import STEPS, results_of, steps_known
from cribev.reviews.page import page
from cribev.reviews.record_files import read_record
from cribev.reviews.words import VERDICTS, Bands, figure
from cribev.solved.play import Worth

RNG = np.random.default_rng(14)
MADE_UP = {role: Worth(*RNG.uniform(0, 6, (2, CLASSES, 15))) for role in ROLES}


class Player(Uniform):
    """One who throws any two cards, and pegs what was made up."""

    def play(self, role):
        return MADE_UP[role]


def closes(decisions):
    books = sum(step.sign * decisions[step.name].fillna(0) for step in steps_known(decisions))
    return (decisions["result"] - books).abs().max() < 1e-9


def show(decision):
    """What hand and crib made, counted by the second scorer."""
    thrown = decision["discard"].split()
    kept = [card for card in decision["cards"].split() if card not in thrown]
    crib = [*thrown, *decision["opponent_discard"].split()]
    sign = 1 if decision["role"] == "dealer" else -1
    return oracle.points(kept, decision["starter"]) + sign * oracle.points(
        crib, decision["starter"], crib=True
    )


def made(found, row):
    """What hand, crib and play made; the play's average where it is not recorded."""
    decision = found.decisions.iloc[row]
    options = found.options(row)
    average = options.loc[options["thrown"], "play_mean"].item()
    pegged = decision["pegged"] - decision["opponent_pegged"]
    return show(decision) + (average if pd.isna(pegged) else pegged)


def partly_played(games, unknown, *, seed=0):
    """A record that says nothing of the play of some deals."""
    games = with_play(games, seed=seed)
    games.loc[games["deal"].isin(unknown), ["play", "pegged", "opponent_pegged"]] = [None] * 3
    return games


OPPONENTS = {"expert": Expert, "uniform": Uniform, "player": Player}


@settings(max_examples=5)
@given(st.integers(0, 10**6), st.sampled_from(["expert", "player"]), st.sampled_from([[], [1]]))
def test_the_ledger_closes_on_what_was_really_made(seed, opponent, unknown):
    thrower = OPPONENTS[opponent]()
    found = review(partly_played(random_games(1, deals=1, seed=seed), unknown), opponent=thrower)
    assert closes(found.decisions)
    for row, decision in found.decisions.iterrows():
        result = decision["result"] + thrower.before(decision["role"])
        assert result == pytest.approx(made(found, row), abs=1e-9)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from(list(OPPONENTS)), st.sets(st.integers(1, 8)))
def test_the_ledger_closes_by_the_class_tables_too(seed, opponent, unknown):
    thrower = OPPONENTS[opponent]()
    games = partly_played(random_games(1, seed=seed), unknown, seed=seed)
    found = review(games, opponent=thrower, fast=True)
    decisions = found.decisions
    assert closes(decisions)
    assert decisions["result"].notna().all()
    assert set(decisions.loc[decisions["play_swing"].isna(), "deal"]) == unknown
    for row, decision in decisions.iterrows():
        result = decision["result"] + thrower.before(decision["role"])
        assert result == pytest.approx(made(found, row), abs=1e-9)
    totals = found.players
    books = sum(step.sign * totals[step.name].fillna(0) for step in STEPS)
    np.testing.assert_allclose(books, totals["result"], rtol=0, atol=1e-9)
    swings = totals["play_swing"].fillna(0) + totals["crib_swing"]
    np.testing.assert_allclose(totals["luck_adjusted"], swings - totals["ev_loss"])


def test_the_ledger_closes_on_the_play_by_the_exact_engine():
    games = with_play(random_games(1, deals=1, seed=4)).drop(columns="play")
    found = review(games, opponent=Player())
    assert closes(found.decisions)
    for row, role in enumerate(found.decisions["role"]):
        result = found.decisions.loc[row, "result"] + Player().before(role)
        assert result == pytest.approx(made(found, row), abs=1e-9)
        cards = found.decisions.loc[row, "cards"]
        options, advice = found.options(row), advise(cards, role=role, opponent=Player())
        for column in ("discard", "rank"):
            assert options[column].tolist() == advice.table[column].tolist()
        for column in ("play_mean", "expected"):
            np.testing.assert_allclose(options[column], advice.table[column], rtol=0, atol=1e-12)


def test_what_is_lost_depends_on_the_play_and_not_on_what_was_pegged():
    games = with_play(random_games(5, seed=3))
    pegged = review(games, opponent=Player(), fast=True).decisions
    bare = games.drop(columns=["play", "pegged", "opponent_pegged"])
    silent = review(bare, opponent=Player(), fast=True).decisions
    show_only = review(games, opponent=Player(), fast=True, play=False).decisions
    same = ["best_discard", "expected", "ev_loss", "rank", "verdict", "deal_luck", "crib_swing"]
    pd.testing.assert_frame_equal(pegged[same], silent[same])
    assert (pegged["best_discard"] != show_only["best_discard"]).mean() > 0.3
    np.testing.assert_allclose(pegged["result"] - pegged["play_swing"], silent["result"])


def test_the_show_alone_knows_nothing_of_the_play(tmp_path, capsys):
    games = with_play(random_games(2, seed=3))
    found = review(games, opponent=Player(), fast=True, play=False)
    bare = games.drop(columns=["play", "pegged", "opponent_pegged", "score"])
    plain = review(bare, opponent="uniform", fast=True, play=False)
    columns = results_of(play=False)
    assert "play_swing" not in found.decisions
    pd.testing.assert_frame_equal(found.decisions[columns], plain.decisions[columns])
    for row, decision in found.decisions.iterrows():
        before = Uniform().before(decision["role"], play=False)
        assert decision["result"] + before == pytest.approx(show(decision), abs=1e-9), row
    assert "play_mean" not in found.options(0)
    assert "without the play" in page(found)
    assert "play swing" not in page(found) + str(found)
    games.to_csv(tmp_path / "game.csv", index=False)
    options = ["--show-only", "--fast", "--opponent", "uniform", "--format", "json"]
    assert cli.main(["review", str(tmp_path / "game.csv"), *options]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["players"] == json.loads(json.dumps(found.to_dict()["players"]))


def test_the_play_is_told_where_it_is_recorded():
    games = with_play(random_games(1, seed=3))
    found = review(games, opponent=Player(), fast=True)
    ann = found.players.iloc[0]
    assert found.missing(ann) == ""
    swing = figure(ann["play_swing"], sign=True)
    for text in (str(found), page(found).replace("−", "-")):
        assert "result = deal luck - lost + starter luck + crib swing + play swing" in text
        assert swing in text
    first = found.decisions.iloc[0]
    assert f"pegged {first['pegged']}–{first['opponent_pegged']} ({first['play']})" in page(found)
    games.loc[games["deal"] > 3, ["play", "pegged", "opponent_pegged"]] = [None] * 3
    part = review(games, opponent=Player(), fast=True)
    said = (
        "play swing is known of 3 of 8 discards, and elsewhere the result has the play at its "
        "average"
    )
    assert part.missing(part.players.iloc[0]) == said
    assert f"Ann: {said}\n" in str(part)
    assert f"{figure(part.players.loc[0, 'play_swing'], sign=True)} of 3" in str(part)
    none = review(games[games["deal"] > 3], opponent=Player(), fast=True)
    assert "Ann: the play is not recorded, and the result has it at its average\n" in str(none)
    assert "crib swing + play swing" not in str(none) + page(none)


def test_what_the_best_has_in_the_play_is_said():
    found = review(random_games(5, seed=4), opponent=Player(), fast=True)
    for row in found.costliest(20):
        gained = [
            float(part.split()[0])
            * (1 if part.split()[1] == "more" else -1)
            * (-1 if "opponent's crib" in part else 1)
            for part in found.reason(row).split(", ")
        ]
        assert sum(gained) == pytest.approx(found.decisions.loc[row, "ev_loss"], abs=0.016)
    assert any("in the play" in found.reason(row) for row in found.costliest(20))


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


@pytest.mark.parametrize("opponent", ["expert", "uniform"])
def test_a_decision_is_what_advice_says(opponent):
    games = random_games(1, deals=2, seed=9)
    found = review(games, opponent=opponent)
    for row, decision in found.decisions.iterrows():
        advice = advise(decision["cards"], role=decision["role"], opponent=opponent)
        choice = next(one for one in advice.choices if one.discard == decision["discard"])
        assert decision["rank"] == choice.rank
        assert decision["best_discard"] == advice.best.discard
        assert decision["expected"] == pytest.approx(choice.expected, abs=1e-12)
        assert decision["best_expected"] == pytest.approx(advice.best.expected, abs=1e-12)
        assert decision["margin"] == pytest.approx(
            advice.choices[0].expected - advice.choices[1].expected, abs=1e-12
        )
        given_starter = advice.by_starter(choice.discard).set_index("starter")
        assert decision["starter_luck"] == pytest.approx(
            given_starter.loc[decision["starter"], "gain"], abs=1e-9
        )
        options = found.options(row)
        assert options["discard"].tolist() == advice.table["discard"].tolist()
        assert options.loc[options["thrown"], "discard"].tolist() == [decision["discard"]]


@pytest.mark.parametrize(
    ("opponent", "fast"), [("expert", True), ("uniform", True), ("uniform", False)]
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


def test_the_expert_leaves_every_starter_alike():
    deal = advise("AC 5D 6H JH JS KC", role="pone")
    expected = (deal.table["expected"] - deal.table["play_mean"]).mean()
    by_starter = deal.hand_scores - deal.crib_scores.mean_by_starter
    assert by_starter.mean() == pytest.approx(expected, abs=1e-9)


def test_cribs_swing_evenly_when_the_opponent_is_who_he_is_said_to_be():
    # Every pair the uniform opponent can throw beside one starter, each once.
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


@pytest.mark.parametrize("opponent", ["expert", "uniform"])
def test_luck_is_nothing_on_average_over_many_games(opponent):
    decisions = review(random_games(2500, seed=17, noise=0.5), fast=True, opponent=opponent)
    frame = decisions.decisions
    for role in ("dealer", "pone"):
        own = frame[frame["role"] == role]
        for part in ("deal_luck", "starter_luck"):
            error = own[part].std() / np.sqrt(len(own))
            assert error < 0.025
            assert abs(own[part].mean()) < 4 * error, (role, part)


@pytest.mark.slow
def test_luck_is_nothing_on_average_by_the_exact_engine():
    frame = review(random_games(12, seed=23), workers=2).decisions
    for part in ("deal_luck", "starter_luck"):
        error = frame[part].std() / np.sqrt(len(frame))
        assert abs(frame[part].mean()) < 4 * error


def test_fast_is_near_exact():
    games = random_games(2, deals=2, seed=3)
    exact, fast = review(games).decisions, review(games, fast=True).decisions
    for column in ("expected", "best_expected", "deal_luck"):
        assert np.allclose(exact[column], fast[column], atol=0.06)
    assert np.allclose(exact["result"], fast["result"], atol=1e-9)


def test_both_chairs_agree():
    games = random_games(3, deals=4, seed=31)
    whole = review(games, opponent="uniform")
    assert len(whole.decisions) == 24
    for name in ("Ann", "Ben"):
        own = games[games["player"] == name]
        alone = review(own, opponent="uniform")
        from_both = whole.of_player(name)
        pd.testing.assert_frame_equal(alone.decisions, from_both.decisions)
        pd.testing.assert_frame_equal(alone.players, from_both.players)
        pd.testing.assert_frame_equal(alone.games, from_both.games)
    # Told once by two rows, once by the opponent's discards: the same game.
    told = review(games.drop(columns="opponent_discard"), opponent="uniform")
    pd.testing.assert_frame_equal(told.decisions, whole.decisions)


@pytest.mark.parametrize("opponent", ["expert", "uniform"])
def test_who_always_throws_best_loses_nothing(opponent):
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
    assert found.standing(found.players.iloc[0]) == ""


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
    for bands in (Bands(), Bands(0.1, 0.2, 0.4)):
        found = review(games, fast=True, bands=bands).decisions
        edges = [-1, 0, bands.inaccuracy, bands.mistake, bands.blunder, 99]
        for verdict, low, high in zip(VERDICTS, edges[:-1], edges[1:], strict=True):
            losses = found.loc[found["verdict"] == verdict, "ev_loss"]
            assert len(losses) > 10
            if verdict == "best":
                assert (losses == 0).all()
            elif verdict == "close":
                assert ((losses > 0) & (losses < high)).all()
            else:
                assert ((losses >= low - 1e-9) & (losses < high)).all()
    with pytest.raises(CribevError, match="bands ascend"):
        review(games, fast=True, bands=(0.3, 0.2, 1.0))
    for bands in (None, 3, "abc", (1, 2), (1, 2, 3, 4), (float("nan"),) * 3):
        with pytest.raises(CribevError, match="bands ascend"):
            review(games, fast=True, bands=bands)


def test_totals_are_sums_of_decisions():
    found = review(random_games(20, seed=6), fast=True, contested=0.4)
    decisions = found.decisions
    assert len(found.players) == 2
    assert len(found.games) == 40
    for by, table in ((["player"], found.players), (["game", "player"], found.games)):
        for row in table.to_dict(orient="records"):
            own = decisions[np.logical_and.reduce([decisions[key] == row[key] for key in by])]
            assert row["decisions"] == row["result_deals"] == len(own)
            assert row["ev_loss"] == pytest.approx(own["ev_loss"].sum())
            assert row["ev_loss_mean"] == pytest.approx(own["ev_loss"].mean())
            assert row["ev_loss_se"] == pytest.approx(own["ev_loss"].sem())
            assert [row[verdict] for verdict in VERDICTS] == [
                (own["verdict"] == verdict).sum() for verdict in VERDICTS
            ]
            contested = own[own["margin"] <= 0.4]
            assert row["contested"] == len(contested)
            assert row["contested_best"] == (contested["rank"] == 1).sum()
            assert row["contested_ev_loss"] == pytest.approx(contested["ev_loss"].sum())
            for part in ("deal_luck", "starter_luck", "crib_swing", "result"):
                assert row[part] == pytest.approx(own[part].sum())
                assert row[f"{part}_deals"] == len(own)
            assert row["luck_adjusted"] == pytest.approx(row["crib_swing"] - row["ev_loss"])


def test_a_policy_stands_beside_itself():
    # Who throws any two cards loses what the random policy loses, within the standard error.
    found = review(random_games(500, seed=8), fast=True)
    for row in found.players.to_dict(orient="records"):
        random = np.mean([Expert().losses(role)["random"].points for role in ROLES])
        assert abs(row["ev_loss_mean"] - random) < 4 * row["ev_loss_se"]
        assert row["beaten"] <= 1
    slips = review(random_games(500, seed=8, noise=0.5), fast=True).of_player("Ann")
    row = slips.players.iloc[0]
    assert row["next_better_loss"] <= row["ev_loss_mean"] < row["next_worse_loss"]
    assert row["beaten"] > 1
    assert f"{row['ev_loss_mean']:.3f}" in slips.standing(row)


@pytest.mark.parametrize("games", [2, 6, 200])
def test_nothing_is_said_that_the_standard_error_does_not_carry(games):
    said = 0
    for seed in range(8):
        found = review(random_games(games, seed=seed, noise=0.7), fast=True)
        for row in found.players.to_dict(orient="records"):
            mean, room = row["ev_loss_mean"], 2 * row["ev_loss_se"]
            known = [
                np.mean([Expert().losses(role)[name].points for role in ROLES])
                for name in Expert().losses("dealer")
            ]
            worse = [loss for loss in known if loss > mean + room]
            better = [loss for loss in known if loss < mean - room]
            assert row["beaten"] == len(worse)
            above = min(worse, default=np.nan)
            assert row["next_worse_loss"] == pytest.approx(above, nan_ok=True)
            assert row["next_better_loss"] == pytest.approx(
                max(better, default=np.nan), nan_ok=True
            )
            text = found.standing(pd.Series(row))
            assert text.count(" than throwing ") == bool(worse) + bool(better)
            said += len(better) < len(known) - len(worse)
    assert said > 0


def test_who_lost_as_much_as_the_hand_alone_within_his_error_is_not_called_worse():
    # Losses of 0.471 ± 0.244 a deal, and 0.319 lost by throwing for the best hand alone.
    frame = pd.DataFrame({"role": ["dealer", "pone"] * 4, "player": "Ann"})
    totals = pd.DataFrame({"player": ["Ann"], "ev_loss_mean": [0.471], "ev_loss_se": [0.244]})
    said = standing.said(standing.with_standing(totals, frame, ["player"], Expert()).iloc[0])
    assert re.fullmatch(
        r"loses 0\.471 ± 0\.244 a deal, better than throwing any two cards \(3\.\d\d\d\)", said
    )


def test_what_is_not_known_is_empty():
    games = random_games(1, deals=2, seed=7)
    bare = games.loc[games["player"] == "Ann", list(NEEDED)]
    found = review(bare, opponent="uniform")
    assert found.decisions[["starter_luck", "crib_swing", "result"]].isna().all(axis=None)
    assert found.decisions[["deal_luck", "ev_loss", "expected"]].notna().all(axis=None)
    totals = found.players.iloc[0]
    assert totals["deal_luck"] == pytest.approx(found.decisions["deal_luck"].sum())
    assert totals[["deal_luck_deals", "starter_luck_deals", "result_deals"]].tolist() == [2, 0, 0]
    assert totals[["starter_luck", "crib_swing", "result", "luck_adjusted"]].isna().all()
    said = "not known: starter luck, crib swing and result; the record lacks the starter or the"
    assert f"Ann: {said} opponent's discard\n" in str(found)
    cut = review(bare.assign(starter=games["starter"]), opponent="uniform")
    assert cut.decisions["starter_luck"].notna().all()
    assert cut.decisions[["crib_swing", "result"]].isna().all(axis=None)
    assert "not known: crib swing and result; the record lacks the opponent's discard" in str(cut)
    assert "NaN" not in json.dumps(found.to_dict())


def one_sided(games, **options):
    """What one player writes down: the other's throw only where she dealt and saw the crib."""
    own = games[games["player"] == "Ann"]
    thrown = own["opponent_discard"].where(own["role"] == "dealer", "")
    return review(own.assign(opponent_discard=thrown), fast=True, **options)


def test_a_record_of_one_side_has_each_total_over_all_deals_where_it_is_known():
    games = with_play(random_games(3, deals=9, seed=3))
    found, whole = one_sided(games), review(games, fast=True).of_player("Ann")
    for table, full in ((found.players, whole.players), (found.games, whole.games)):
        for column in ("ev_loss", "deal_luck", "starter_luck"):
            assert table[column].tolist() == pytest.approx(full[column].tolist())
        assert (table["starter_luck_deals"] == table["decisions"]).all()
        assert (table["result_deals"] == table["crib_swing_deals"]).all()
        assert (table["result_deals"] < table["decisions"]).all()
    dealt = whole.decisions[whole.decisions["role"] == "dealer"]
    totals = found.players.iloc[0]
    assert totals["result_deals"] == len(dealt)
    for column in ("crib_swing", "result"):
        assert totals[column] == pytest.approx(dealt[column].sum())
    luck = dealt["deal_luck"] + dealt["starter_luck"]
    assert totals["luck_adjusted"] == pytest.approx((dealt["result"] - luck).sum())
    said = found.missing(totals)
    assert said == (
        "crib swing is known of 15 of 27 discards, result of 15; "
        "the others lack the opponent's discard"
    )
    assert f"Ann: {said}\n" in str(found)
    assert found.missing(whole.players.iloc[0]) == ""


def test_books_balance_where_all_is_known():
    found = review(with_play(random_games(2, deals=6, seed=3)), fast=True)
    for table in (found.players, found.games, found.decisions):
        books = sum(step.sign * table[step.name] for step in STEPS)
        np.testing.assert_allclose(books, table["result"])


def test_what_a_player_lost_is_one_number_everywhere():
    found = one_sided(random_games(3, deals=9, seed=3))
    lost = f"{found.players.loc[0, 'ev_loss']:.2f}"
    lines = str(found).splitlines()
    heads = [line for line in lines if re.match(r"player.*\blost  ", line)]
    assert len(heads) == 2
    for head in heads:
        row = lines[lines.index(head) + 1]
        assert re.split(r"\s{2,}", row)[re.split(r"\s{2,}", head).index("lost")] == lost
    text = page(found)
    assert f'data-figure="ev_loss">{lost}<' in text
    assert f'data-end="lost">{lost}<' in text


def test_figures_are_rounded_once():
    assert figure(-103.20500113) == "-103.21"
    rng = np.random.default_rng(1)
    for value in rng.uniform(-200, 200, 20_000):
        exact = Decimal(float(value)).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
        assert figure(value) == str(exact).replace("-0.00", "0.00")


def test_the_terminal_and_the_page_show_the_same_figures():
    found = one_sided(random_games(40, seed=5))
    text, shown = page(found), str(found)
    for column in ("deal_luck", "starter_luck", "crib_swing", "result", "luck_adjusted"):
        said = figure(found.players.loc[0, column], sign=True)
        assert re.search(rf"{re.escape(said)}\s", shown)
        assert said.replace("-", "−") in text


def test_an_opponent_known_by_frequencies(data):
    games = random_games(2, deals=4, seed=7)
    file = data / "discard_frequency.csv"
    exact, fast = (review(games, opponent=file, fast=fast).decisions for fast in (False, True))
    known = ["ev_loss", "deal_luck", "starter_luck", "crib_swing", "result"]
    assert exact[known].notna().all(axis=None)
    for column in ("ev_loss", "deal_luck", "result"):
        np.testing.assert_allclose(fast[column], exact[column], atol=0.03)


@pytest.mark.parametrize("fast", [False, True])
def test_an_opponent_with_nothing_to_throw(tmp_path, fast):
    file = tmp_path / "fives.csv"
    file.write_text("rank1,rank2,dealer_pct,pone_pct\n5,5,1,1\n")
    row = {"game": 1, "deal": 1, "player": "Ann", "role": "pone", "discard": "2H 8D"}
    frame = pd.DataFrame([{**row, "cards": "5H 5D 5S QC 2H 8D"}])
    with pytest.raises(TableError, match="nothing to throw with"):
        review(frame, opponent=file, fast=fast)


def test_an_opponent_without_class_tables():
    class Mine:
        name = "mine"

        def weights(self, deal, role):
            return Uniform().weights(deal, role)

    games = random_games(1, deals=1, seed=7)
    found = review(games, opponent=Mine()).decisions
    assert found[["deal_luck", "result"]].isna().all(axis=None)
    assert found[["ev_loss", "starter_luck", "crib_swing"]].notna().all(axis=None)
    with pytest.raises(CribevError, match="cannot be averaged over all deals at once"):
        review(games, opponent=Mine(), fast=True)


def test_workers_change_nothing():
    games = random_games(1, deals=2, seed=12)
    one = review(games, opponent="uniform")
    two = review(games, opponent="uniform", workers=2)
    pd.testing.assert_frame_equal(one.decisions, two.decisions)


def test_columns_are_those_that_are_promised():
    games = random_games(1, deals=1, seed=1).assign(note="x")
    found = review(games, opponent="uniform")
    assert isinstance(found, Review)
    assert list(found.decisions) == [*NEEDED, *PERHAPS, "note", *results_of(play=True)]
    again = review(found.decisions, opponent="uniform")
    pd.testing.assert_frame_equal(again.decisions, found.decisions)


@pytest.mark.parametrize("name", results_of(play=False))
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


def test_reasons_add_up():
    found = review(random_games(5, seed=4), fast=True)
    for row in found.costliest(20):
        decision = found.decisions.iloc[row]
        gained = 0.0
        for part in found.reason(row).split(", "):
            points, word = part.split()[:2]
            good = (word == "more") != ("opponent's crib" in part)
            gained += float(points) if good else -float(points)
        assert gained == pytest.approx(decision["ev_loss"], abs=0.016)  # three rounded


@pytest.mark.parametrize("name", ["[/red]", "[bold]Ann", "An\x1b[31mn", ":smile:"])
def test_names_are_shown_as_they_are(name):
    games = random_games(1, deals=2, seed=4).replace({"Ann": name}).assign(game=name)
    found = review(games, fast=True)
    assert "\x1b" not in str(found)
    shown = name if name.isprintable() else repr(name)
    assert str(found).count(shown) >= 4
    assert found.of_player(name).players["player"].tolist() == [name]


def test_no_such_player(data):
    found = review(read_record(data / "game.csv"), fast=True)
    with pytest.raises(CribevError, match=r"no player 'Cy' .*'Ann, Ben'"):
        found.of_player("Cy")
    with pytest.raises(RecordError, match="no column"):
        review(pd.DataFrame({"game": [1]}))


@pytest.mark.slow
def test_a_hundred_thousand_discards_by_the_class_tables():
    games = random_games(6250, seed=1)
    assert len(review(games, fast=True).decisions) == 100_000


@pytest.mark.parametrize("discard", ["5S JC", "5H JC", "5D JC"])
def test_what_differs_in_suit_alone_ties_with_the_best(discard):
    frame = pd.DataFrame(
        {
            "game": [1], "deal": [1], "player": ["Ann"], "role": ["dealer"],
            "cards": ["5H 5D 5S JC 4H 6H"], "discard": [discard],
            "starter": ["KD"], "opponent_discard": ["7C 8C"],
        }
    )  # fmt: skip
    decision = review(frame).decisions.iloc[0]
    assert (decision["verdict"], decision["rank"]) == ("best", 1)
    assert decision["ev_loss"] == decision["margin"] == 0
    parts = decision[["deal_luck", "starter_luck", "crib_swing"]].sum()
    assert parts - decision["ev_loss"] == pytest.approx(decision["result"], abs=1e-9)
