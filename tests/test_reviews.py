"""A review: grades, bands and opponents, what its decisions add up to, and what is said of it."""

import io
import json
import re
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pandas as pd
import pytest
from games import random_games, review_by_wins, with_play
from shell import COLOUR

from cribev import CribevError, RecordError, Review, TableError, advise, review
from cribev.advice.verdicts import DEFAULT_BANDS, VERDICTS
from cribev.game import render
from cribev.game.roles import ROLES
from cribev.game.words import format_points
from cribev.grades.grading import result_columns
from cribev.records.cells import ALL_COLUMNS
from cribev.reviews.charts import HIGH
from cribev.reviews.page import review_html
from cribev.rows.names import DISCARD_GROUPS, GRADE_COLUMNS, RECORD_COLUMNS
from solver.provenance import load_provenance

pytestmark = pytest.mark.arrays


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


def test_unknown_rows_and_players_are_refused():
    reviewed = review(random_games(1, deals=1), fast=True)
    for row in (99, -1, None, [], True, "0", 1.0):
        for decision in (reviewed.decision, reviewed.card_decision):
            with pytest.raises(CribevError, match="is not a row of"):
                decision(row)
    with pytest.raises(CribevError, match="is not how many"):
        reviewed.costliest("x")
    with pytest.raises(CribevError, match=r"no player 'Cy' .*'Ann, Ben'"):
        reviewed.of_player("Cy")


def test_best_discards_lose_nothing_and_luck_matches_advice():
    games = random_games(1, deals=1, seed=9)
    reviewed = review(games)
    for row, decision in reviewed.decisions.iterrows():
        advice = advise(decision["cards"], role=decision["role"])
        luck = advice.by_starter(decision["discard"]).set_index("starter")["gain"]
        assert decision["starter_luck"] == pytest.approx(luck[decision["starter"]], abs=1e-9)
        options = reviewed.options(row)
        assert options.loc[options["discarded"], "discard"].tolist() == [decision["discard"]]
    best = reviewed.decisions["best_discard"]
    reviewed = review(games.drop(columns="opponent_discard").assign(discard=best))
    for column, value in (("loss", 0), ("verdict", "best"), ("rank", 1)):
        assert reviewed.decisions[column].tolist() == [value] * 2
    assert reviewed.players["loss"].tolist() == [0.0, 0.0]
    assert reviewed.costliest(10) == []


def test_suit_only_differences_tie_with_best():
    deal = {"cards": "5H 5D 5S JC 4H 6H", "starter": "KD", "opponent_discard": "7C 8C"}
    deal |= {"deal": 1, "player": "Ann", "role": "dealer"}
    tied = pd.DataFrame(
        [deal | {"game": 1, "discard": "5S JC"}, deal | {"game": 2, "discard": "5D JC"}]
    )
    for decision in review(tied).decisions.to_dict(orient="records"):
        assert (decision["verdict"], decision["rank"]) == ("best", 1)
        assert decision["loss"] == decision["margin"] == 0


@pytest.fixture(scope="module")
def random_review():
    """Games of two who discard any two cards."""
    return review(random_games(200, seed=8), fast=True)


def test_verdicts_follow_their_bands(random_review):
    decisions = random_review.decisions
    edges = pd.IntervalIndex.from_breaks([-1, 0, *(band - 1e-9 for band in DEFAULT_BANDS), 99])
    named = np.array(VERDICTS)[edges.get_indexer(decisions["loss"])]
    assert decisions["verdict"].tolist() == named.tolist()
    assert decisions["verdict"].value_counts()[list(VERDICTS)].min() > 10


@pytest.mark.slow
def test_file_opponents_without_class_tables(tmp_path, data):
    games, file = random_games(1, deals=1, seed=7), data / "discard_frequency.csv"
    exact, fast = (review(games, opponent=file, fast=fast).decisions for fast in (False, True))
    assert exact[["starter_luck", "crib_swing"]].notna().all(axis=None)
    for column in ("loss", "deal_luck", "result"):
        np.testing.assert_allclose(fast[column], exact[column], atol=0.03)
    file = tmp_path / "fives.csv"
    file.write_text("rank1,rank2,dealer_pct,pone_pct\n5,5,1,1\n")
    row = {"game": 1, "deal": 1, "player": "Ann", "role": "pone", "discard": "2H 8D"}
    frame = pd.DataFrame([{**row, "cards": "5H 5D 5S QC 2H 8D"}])
    for fast in (False, True):
        with pytest.raises(TableError, match="nothing to discard with"):
            review(frame, opponent=file, fast=fast)


@pytest.mark.slow
def test_workers_change_nothing_and_columns_are_documented():
    games = random_games(1, deals=1, seed=12).assign(note="x")
    found, by_two = (review(games, opponent="uniform", workers=workers) for workers in (1, 2))
    assert isinstance(found, Review)
    assert list(found.decisions) == [
        *ALL_COLUMNS,
        "note",
        *result_columns(play=True),
        *DISCARD_GROUPS,
    ]
    again = review(found.decisions, opponent="uniform")
    for other in (by_two, again):
        pd.testing.assert_frame_equal(other.decisions, found.decisions)


def test_columns_that_a_review_adds_are_not_lost():
    games = random_games(1, deals=1, seed=1)
    reviewed = review(games, fast=True).decisions
    for name in {*GRADE_COLUMNS} - {"play_swing"}:
        with pytest.raises(RecordError, match=f"there is a column '{name}' already"):
            review(games.assign(**{name: "mine"}), fast=True)
        with pytest.raises(RecordError, match=r"there is a column '[a-z_]+' already"):
            review(reviewed.drop(columns=name), fast=True)


def test_a_file_is_reviewed_by_its_path(data):
    reviewed = review(data / "game.csv", fast=True)
    assert len(reviewed.decisions) == 16
    by_name = review(str(data / "game.csv"), fast=True)
    pd.testing.assert_frame_equal(reviewed.decisions, by_name.decisions)
    # Nobody has won where no result is recorded.
    assert reviewed.opponents[["won", "lost"]].isna().all(axis=None)
    assert reviewed.to_dict()["opponents"][0]["won"] is None
    assert "0–0" not in str(reviewed)
    with pytest.raises(RecordError, match=r"cannot read 'nosuch\.csv'"):
        review("nosuch.csv")
    with pytest.raises(RecordError, match="no column"):
        review(pd.DataFrame({"game": [1]}))


@pytest.mark.parametrize("names", [("[/red]", "[bold]Ben"), ("An\x1b[31mn", ":smile:")])
def test_names_are_shown_as_they_are(names):
    games = random_games(1, deals=2, seed=4).replace(["Ann", "Ben"], names)
    reviewed = review(games, fast=True)
    text = str(reviewed)
    assert "\x1b" not in text
    for name in names:
        shown = name if name.isprintable() else repr(name)
        assert text.count(shown) >= 4
        assert f"\n{shown} " in text
        assert reviewed.of_player(name).players["player"].tolist() == [name]


def test_impossible_games_are_skipped_and_reported():
    games = random_games(3, seed=6)
    bad = games.assign(cards=games["cards"].mask(games.index == 20, "5H 5H"))
    with pytest.raises(RecordError, match="game '2', deal 3"):
        review(bad, fast=True)
    reviewed = review(bad, fast=True, errors="skip")
    assert {*reviewed.decisions["game"]} == {1, 3}
    (reason,) = reviewed.rejects["reason"]
    assert re.match("game '2', deal 3, column 'cards', '5H 5H'", reason)
    rest = review(games[games["game"] != 2], fast=True)
    pd.testing.assert_frame_equal(reviewed.players, rest.players)
    assert rest.rejects.empty
    with pytest.raises(CribevError, match="errors='null': expected raise or skip"):
        review(games, errors="null")


def test_tables_of_other_libraries_are_reviewed():
    games = random_games(1, deals=1)
    wanted = review(games, fast=True).decisions
    table = pytest.importorskip("pyarrow").table(games)
    for name in ("polars", "duckdb"):
        other = pytest.importorskip(name).from_arrow(table)
        pd.testing.assert_frame_equal(review(other, fast=True).decisions, wanted)
    pd.testing.assert_frame_equal(review(table, fast=True).decisions, wanted)


def test_games_keep_their_type():
    games = with_play(random_games(2, deals=1, seed=3)).drop(columns="score")
    text, numbers = (
        review(games.assign(game=games["game"].astype(dtype)), fast=True)
        for dtype in ("str", "Int32")
    )
    cards = review(numbers.decisions[:1]).cards
    for dtype, tables in (
        ("str", (text.decisions, text.games)),
        ("Int32", (numbers.decisions, numbers.games, cards)),
    ):
        for table in tables:
            assert table["game"].dtype == pd.Series(dtype=dtype).dtype
    pd.testing.assert_frame_equal(numbers.opponents, text.opponents)
    pd.testing.assert_frame_equal(numbers.leaks, text.leaks)
    assert render.to_text(numbers) == render.to_text(text)
    assert review_html(numbers) == review_html(text)


def test_totals_are_sums_of_decisions(random_review):
    decisions = random_review.decisions
    assert len(random_review.players) == 2
    assert len(random_review.games) == 400
    for by, table in (
        (["player"], random_review.players),
        (["game", "player"], random_review.games[:20]),
    ):
        for row in table.to_dict(orient="records"):
            own = decisions[np.logical_and.reduce([decisions[key] == row[key] for key in by])]
            assert row["decisions"] == row["result_deals"] == len(own)
            assert row["loss"] == pytest.approx(own["loss"].sum())
            assert row["loss_mean"] == pytest.approx(own["loss"].mean())
            assert row["loss_mean_se"] == pytest.approx(own["loss"].sem())
            counts = [(own["verdict"] == verdict).sum() for verdict in VERDICTS]
            assert [row[verdict] for verdict in VERDICTS] == counts
            for part in ("deal_luck", "starter_luck", "crib_swing", "result"):
                assert row[part] == pytest.approx(own[part].sum())
                assert row[f"{part}_deals"] == len(own)
            assert row["luck_adjusted"] == pytest.approx(row["crib_swing"] - row["loss"])


def test_any_two_cards_lose_what_the_random_policy_loses(random_review):
    known = np.mean([load_provenance().losses[role]["random"].points for role in ROLES])
    for row in random_review.players.to_dict(orient="records"):
        assert abs(row["loss_mean"] - known) < 4 * row["loss_mean_se"]
    for name in ("deal_luck", "starter_luck"):
        for _, luck in random_review.decisions.groupby("role")[name]:
            assert abs(luck.mean()) < 4 * luck.sem()


@pytest.mark.slow
def test_what_is_not_known_is_empty():
    games = random_games(1, deals=2, seed=7)
    bare = games.loc[games["player"] == "Ann", list(RECORD_COLUMNS[:6])]
    reviewed = review(bare, opponent="uniform", fast=True)
    assert reviewed.decisions[["starter_luck", "crib_swing", "result"]].isna().all(axis=None)
    assert reviewed.decisions[["deal_luck", "loss", "expected"]].notna().all(axis=None)
    totals = reviewed.players.iloc[0]
    assert totals["deal_luck"] == pytest.approx(reviewed.decisions["deal_luck"].sum())
    assert totals[["deal_luck_deals", "starter_luck_deals", "result_deals"]].tolist() == [2, 0, 0]
    assert totals[["starter_luck", "crib_swing", "result", "luck_adjusted"]].isna().all()
    said = "not known: starter luck, crib swing and result; the record lacks the starter or the"
    assert f"Ann: {said} opponent's discard" in str(reviewed)
    cut = review(bare.assign(starter=games["starter"]), opponent="uniform", fast=True)
    assert cut.decisions["starter_luck"].notna().all()
    assert cut.decisions[["crib_swing", "result"]].isna().all(axis=None)
    assert "not known: crib swing and result; the record lacks the opponent's discard" in str(cut)
    assert "NaN" not in json.dumps(reviewed.to_dict())


def test_one_sided_record_totals_what_is_known():
    """She writes down the other's discard only where she dealt and saw the crib."""
    games = with_play(random_games(3, deals=9, seed=3)).assign(score="")
    own = games[games["player"] == "Ann"]
    discarded = own["opponent_discard"].where(own["role"] == "dealer", "")
    found = review(own.assign(opponent_discard=discarded), fast=True)
    whole = review(games, fast=True).of_player("Ann")
    for table, full in ((found.players, whole.players), (found.games, whole.games)):
        for column in ("loss", "deal_luck", "starter_luck"):
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
    said = found.missing(found.players.iloc[0])
    lacks = "the others lack the opponent's discard"
    assert said == f"crib swing is known for 15 of 27 discards, result for 15; {lacks}"
    assert f"Ann: {said}\n" in str(found)
    assert found.missing(whole.players.iloc[0]) == ""


def test_figures_are_rounded_once():
    assert format_points(-103.20500113) == "-103.21"
    rng = np.random.default_rng(1)
    for value in rng.uniform(-200, 200, 20_000):
        exact = Decimal(float(value)).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
        assert format_points(value) == str(exact).replace("-0.00", "0.00")


def test_narrow_terminals_cut_no_figure(monkeypatch):
    games = random_games(1, seed=3).replace({"player": {"Ann": "Ann of a very long name"}})
    games.loc[:4, "starter"] = ""
    reviewed = review(games, fast=True)
    whole = {*re.findall(r"[+-]?\d+\.\d+", str(reviewed))}
    for columns in ("40", "79"):
        monkeypatch.setenv("COLUMNS", columns)
        screen = io.StringIO()
        screen.isatty = lambda: True
        render.show(reviewed, file=screen)
        shown = COLOUR.sub("", screen.getvalue())
        assert "…" not in shown
        assert whole <= {*re.findall(r"[+-]?\d+\.\d+", shown)}
        assert "Ann of" in shown
        assert "player" in shown


@pytest.fixture(scope="module")
def game_and_page():
    """A game to its end, which is near when it begins, and its page.

    Discards' chances to win are made up.
    """
    games = random_games(1, deals=2, seed=3)
    reviewed = review_by_wins(with_play(games, seed=1, start={"Ann": 82, "Ben": 112}))
    return reviewed, review_html(reviewed)


def test_game_summary_adds_up(game_and_page):
    played, page = game_and_page
    own, score = played.players.iloc[0], played.record.scores_after[-1].tolist()
    said = played.summary("Ann")
    found = re.fullmatch(
        r"Ann (won|lost) (\d+)–(\d+)([a-z, ]*): errors cost ([\d.]+)% of the game, "
        r"the opponent’s errors brought ([\d.]+)%, the cards (brought|cost) ([\d.]+)%; "
        r"([-+][\d.]+)% in all\.",
        said,
    )  # fmt: skip
    assert found, said
    points = [int(found[2]), int(found[3])]
    assert sorted(points) == sorted(score)
    assert (found[1] == "won") == (points[0] == 121)
    assert ("skunk" in found[4]) == (min(points) < 91)
    cards = float(found[8]) * (1 if found[7] == "brought" else -1)
    assert cards + float(found[6]) - float(found[5]) == pytest.approx(float(found[9]))
    assert float(found[9]) == pytest.approx(100 * own["win_change"], abs=0.051)
    other = played.players.iloc[1]
    errors = other["win_loss"] + other["win_play_lost"]
    assert float(found[6]) == pytest.approx(100 * errors, abs=0.051)
    worst = played.costliest(1, player="Ann")[0]
    for shown in (str(played), re.sub("<[^>]*>", "", page)):
        assert " ".join(said.split()) in " ".join(shown.replace("−", "-").split())
        first = shown.partition("Study this first")[2]
        assert str(worst.position) in first[:800]


def test_charts_show_every_real_choice(game_and_page):
    played, page = game_and_page
    cards = played.cards[(played.cards["choices"] > 1) & (played.cards["player"] == "Ann")]
    rows = played.decisions[played.decisions["player"] == "Ann"]
    section = page.partition('id="p2"')[0]
    chart = section.partition('class="wins"')[2].partition("</svg>")[0]
    assert chart.count('class="dot ') == len(cards) + len(rows)
    heights = [float(height) for height in re.findall(r"[ML][\d.]+ (-?[\d.]+)", page)]
    assert 0 < min(heights) < max(heights) < HIGH
    by_points = [one["judged_by"] == "points" for one in (cards, rows)]
    total = cards["loss"][by_points[0]].sum() + rows["loss"][by_points[1]].sum()
    assert f'data-figure="lost">{total:.2f}<' in section


@pytest.mark.parametrize(
    ("games", "columns", "words"),
    [
        (1, ["score"], r"reached \d+–\d+ after 8 deals: errors cost [\d.]+% of the game, the "),
        (1, [], r"discarded 8 hands: errors cost [\d.]+ points, the opponent’s errors "),
        (3, ["score_after"], "won 1 of 2 games known to the end, 1 by a skunk: errors cost "),
    ],
)
def test_the_sentence_says_what_is_known(games, columns, words):
    record = random_games(games, seed=2)
    if columns == ["score_after"]:
        for game, own, other in (("1", 121, 80), ("2", 115, 121)):
            last = (record["game"].astype(str) == game) & (record["deal"].astype(int) == 8)
            ends = {"Ann": f"{own}-{other}", "Ben": f"{other}-{own}"}
            record.loc[last, "score_after"] = record.loc[last, "player"].map(ends)
    elif columns:
        record["score"] = ["0-0*" if role == "pone" else "0*-0" for role in record["role"]]
        record.loc[record["deal"].astype(int) > 1, "score"] = ""
        record = record.assign(pegged=0, opponent_pegged=0)
    reviewed = review(record, fast=True)
    assert re.match(f"Ann {words}", reviewed.summary("Ann")), reviewed.summary("Ann")
    alone = reviewed.of_player("Ann").summary("Ann")
    assert "the cards and the opponent’s errors" in alone


@pytest.mark.slow
def test_each_player_is_told_of_their_own_games():
    """Whoever else plays in the record, and whether their scores are known."""
    games = [with_play(random_games(1, deals=1, seed=seed), seed=seed) for seed in (1, 2)]
    named = games[1].replace({"player": {"Ann": "Cy", "Ben": "Di"}}).assign(game="2", score="")
    alone, both = review(games[0]), review(pd.concat([games[0], named], ignore_index=True))
    shown = [" ".join(str(one).split()) for one in (alone, both)]
    for name in ("Ann", "Ben"):
        assert both.summary(name) == alone.summary(name)
        first = [one.partition(f"{name} reached")[2].partition("Study this")[2] for one in shown]
        assert first[0][:120] == first[1][:120] != ""
