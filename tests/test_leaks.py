"""Leaks: decisions grouped by what was decided, and rules of thumb measured."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from games import random_games, with_play
from shell import csv_rows, good, printed, refused, run

from benchmarks.rules import cards_measured, discards_measured, wins_measured
from cribev import Level, Position, advise, parse_cards, review
from cribev.advice.decisions import Decision
from cribev.advice.lessons import lesson
from cribev.advice.levels import discard_losses
from cribev.app.web.review import list_mistakes
from cribev.classes.ranking import DiscardValues
from cribev.game.cards import RANKS
from cribev.game.index_tables import DISCARDS
from cribev.grades.summary import games_lost
from cribev.leaks.groups import KINDS, Turns, card_groups, discard_groups, leak_headings
from cribev.reviews.page import review_html
from cribev.rows.names import LEAK_COLUMNS

pytestmark = pytest.mark.arrays

GAMES = 16
GROUPS_OF = {(kind.decision, kind.name): kind.groups for kind in KINDS}


@pytest.fixture(scope="module")
def games():
    return random_games(GAMES, deals=8, seed=5, noise=1.0, fellow_noise=None)


@pytest.fixture(scope="module")
def found(games):
    return review(games, fast=True)


@pytest.fixture(scope="module")
def played():
    return review(with_play(random_games(1, deals=4, seed=2), seed=3).drop(columns="score"))


def closes(leaks, decisions, name):
    """Hold what the groups of each kind add up to to the whole."""
    for (player, _), of_kind in leaks[leaks["decision"] == name].groupby(["player", "kind"]):
        own = decisions[decisions["player"] == player]
        assert of_kind["decisions"].sum() == len(own)
        assert of_kind["errors"].sum() == (own["verdict"] != "best").sum()
        assert of_kind["loss"].sum() == pytest.approx(own["loss"].sum(), abs=1e-9)


def test_each_grouping_sums_to_the_whole(found, played):
    closes(found.leaks, found.decisions, "discard")
    closes(played.leaks, played.decisions, "discard")
    chosen = played.cards[played.cards["choices"] > 1]
    closes(played.leaks, chosen, "card")
    for review_, decisions in ((found, {"discard"}), (played, {"discard", "card"})):
        leaks = review_.leaks
        assert leaks.columns.tolist() == list(LEAK_COLUMNS)
        kinds = {(kind.decision, kind.name) for kind in KINDS if kind.decision in decisions}
        assert {*zip(leaks["decision"], leaks["kind"], strict=True)} == kinds
        assert not leaks.duplicated(["player", "decision", "kind", "group"]).any()
    # Each discard and card names its groups.
    names = [f"group_{kind.name}" for kind in KINDS if kind.decision == "card"]
    for reviewed in (found, played):
        tables = {"discard": reviewed.decisions, "card": reviewed.cards}
        for leak in reviewed.leaks.to_dict("records"):
            table = tables[leak["decision"]]
            inside = table[f"group_{leak['kind']}"].eq(leak["group"])
            assert (inside & table["player"].eq(leak["player"])).sum() == leak["decisions"]
        cards = reviewed.cards
        assert cards[names].notna().all(axis=1).eq(cards["choices"] > 1).all()


def test_figures_of_a_group(found):
    leaks = found.leaks[found.leaks["player"] == "Ben"].set_index("group")
    own = found.decisions[found.decisions["player"] == "Ben"]
    pone = own[own["role"] == "pone"]
    row = leaks.loc["discard-as-pone"]
    error = pone["loss"].std() / len(pone) ** 0.5
    assert row["loss_mean"] == pytest.approx(pone["loss"].mean())
    assert (row["loss_mean_se"], row["loss_se"]) == pytest.approx((error, error * len(pone)))
    assert row["loss_a_game"] == pytest.approx(pone["loss"].sum() / GAMES)
    worst = pone.loc[pone["loss"].idxmax()]
    assert row["lost"] == worst["loss"]
    assert Position.parse(row["example"]).held.kept == tuple(parse_cards(worst["cards"]))
    assert (row["chosen"], row["best_choice"]) == (worst["discard"], worst["best_discard"])
    assert leaks.loc["five-to-their-crib", "decisions"] == pone["discard"].str.contains("5").sum()
    first = leaks["place"] > 0
    assert first.is_monotonic_decreasing
    assert leaks.loc[~first, "loss"].is_monotonic_decreasing
    alone = found.of_player("Ben").leaks
    assert alone.equals(leaks.reset_index()[alone.columns.tolist()])


@pytest.mark.parametrize(("name", "far"), [("club", 1e-9), ("strong", 1e-9), ("expert", 0.02)])
def test_what_levels_would_lose(played, name, far):
    lost = discard_losses(name, played.discards, played.record.dealer)
    options = [played.decision(row).options for row in range(len(lost))]
    by_chances = [Level(name).chances(one) @ one.losses for one in options]
    assert lost == pytest.approx(by_chances, abs=far)
    if name != "strong":
        leaks = played.leaks[played.leaks["kind"] == "role"]
        leaks = leaks[leaks["decision"] == "discard"]
        whole = (leaks[f"{name}_loss_mean"] * leaks["decisions"]).sum()
        assert whole == pytest.approx(lost.sum())


@pytest.fixture(scope="module")
def leaky_games():
    """Games of Ann, who errs everywhere, and discards fives to the opponent's crib if it matters.

    She does so in every fourth game.
    """
    games = random_games(60, seed=5, noise=1.5)
    games = games[games["player"] == "Ann"].reset_index(drop=True)
    fives = games["cards"].str.findall("5[CDHS]").str[0]
    discarded = (games["role"] == "pone") & fives.notna() & (games["game"] % 4 == 0)
    other = games["cards"].str.findall("[^5 ][CDHS]").str[-1]
    games.loc[discarded, "discard"] = fives + " " + other
    return games


@pytest.fixture(scope="module")
def leaky(leaky_games):
    return review(leaky_games, fast=True)


@pytest.fixture(scope="module")
def leaky_page(leaky):
    return review_html(leaky)


@pytest.fixture(scope="module")
def game(data):
    return review(data / "game.csv", fast=True)


def test_what_stands_out_comes_first(leaky, leaky_page):
    leaks = leaky.leaks
    assert leaks[leaks["place"] == 1]["group"].tolist() == ["five-to-their-crib"]
    assert leaks["group"].iloc[0] == "five-to-their-crib"
    told = leaks[leaks["rule"] != ""].set_index("group")["loss"]
    assert told.idxmax() == "fifteen-broken"  # a part of all errors
    first = leaks[leaks["place"] > 0]
    assert (first["certain_after"] <= 60).all()
    assert first["rule"].str.contains(r"\d%").all()
    assert "<summary>What to mend first</summary>" in leaky_page
    assert all(leak in leaky_page for leak in first["example"])


def test_without_leaks_one_in_twenty_at_most_is_told_any():
    games = random_games(200, seed=7, noise=1.5, fellow_noise=1.5)
    games["player"] += ((games["game"] - 1) // 10).astype(str)
    players = review(games, fast=True).leaks.groupby("player")["place"].max()
    assert len(players) == 40
    assert players.gt(0).mean() <= 0.05


def test_what_skill_is_worth(leaky, leaky_page, game):
    skill = leaky.skill("Ann")
    cost = r"Ann loses 0\.\d\d ± 0\.\d\d points a deal by discards, some \d+ games of a hundred"
    later = r"\d+ more games? until the \w+ leak is certain"
    assert re.fullmatch(rf"{cost} against club; {later}\.", skill)
    assert skill in leaky_page
    assert game.skill("Ann") == ""
    # An expert wins 61.7 games of a hundred against people, who lose 0.7: benchmarks.people.
    assert games_lost(0.7) == pytest.approx(11.7, abs=0.3)


def test_leaks_are_listed_and_exported(leaky, leaky_games, tmp_path):
    leaky_games.to_csv(tmp_path / "games.csv", index=False)
    text = good("review", str(tmp_path / "games.csv"), "--fast", "--leaks")
    assert "Ann: what to mend first\n1. " in text
    assert "\n   the costliest: " in text
    assert "Leaks: what to mend first, then the costliest" in text
    assert "without a pair" not in text
    largest = leaky.leaks.iloc[0]
    told = f"cost {largest['loss_a_game']:.2f} points a game: {largest['loss']:.2f} ± "
    assert told in " ".join(text.split())
    mixed = leaky.leaks.assign(win_loss=[0.1, *[np.nan] * (len(leaky.leaks) - 1)])
    assert leak_headings(mixed)[-1] == "to win a game"
    arguments = ["review", str(tmp_path / "games.csv"), "--fast"]
    rows = csv_rows(*arguments, "--leaks")
    plain = printed(*arguments)["leaks"]
    assert [row["group"] for row in rows] == [row["group"] for row in plain]
    assert [float(row["loss"]) for row in rows] == pytest.approx(leaky.leaks["loss"].tolist())


def test_few_decisions_tell_nothing_to_mend(data, game):
    told = "Nothing to mend stands out in 8 decisions."
    assert f"Ann: {told}" in good("review", str(data / "game.csv"), "--fast", "--all")
    page = review_html(game)
    assert (told in page, "What to mend first" in page) == (True, False)


@pytest.mark.parametrize(
    ("position", "discard", "expected"),
    [
        ("dealer:5H5DJSQC2H8D", "5H JS", "five-to-own-crib pair-broken no-run fifteen-kept"),
        ("pone:3S3D5C7CQCQS", "3S 3D", "pair-to-their-crib pair-kept fifteen-kept no-flush"),
        ("pone:6S7D8C7CQCQS", "7D 8C", "fifteen-to-their-crib pair-kept run-broken"),
        ("pone:6S7D8CTCQCQS", "QC QS", "pair-to-their-crib pair-broken run-kept"),
        ("dealer:2H4H6H8HTDJC", "TD JC", "touching-to-own-crib no-pair no-run flush-kept"),
        ("dealer:2H4H6H8HTDKC", "TD 2H", "others-to-own-crib flush-broken no-fifteen"),
        ("dealer:2H4H6H8HTDKC@112-90", "TD 2H", "discard-to-win discard-as-dealer"),
    ],
)
def test_groups_of_a_discard(position, discard, expected):
    position = Position.parse(position)
    six = np.array([position.held.kept], dtype=np.uint8)
    discarded = parse_cards(discard)
    keep = (np.sort(six[0][DISCARDS], axis=1) == np.sort(discarded)).all(axis=1).argmax()
    values = DiscardValues.blank((1, 15), play=False)
    for part in (values.hand, values.crib, values.expected):
        part[:] = 0
    dealer, to_win = np.array([position.role == "dealer"]), np.array([position.score is not None])
    found = discard_groups(six, dealer, np.array([keep]), values, to_win)
    names = {GROUPS_OF["discard", kind][int(code[0])].name for kind, code in found.items()}
    assert {*expected.split()} <= names


@pytest.mark.parametrize(
    ("position", "card", "expected"),
    [
        ("pone:44JK/9CKD:7H", "4", "lead-pair"),
        ("pone:445J/9CKD:7H", "5", "lead-five"),
        ("pone:45JK/9CKD:7H", "4", "lead-low"),
        ("pone:47JK/9CKD:7H", "7", "lead-middle"),
        ("pone:47JK/9CKD:7H", "J", "lead-ten"),
        ("dealer:578K/2C3C:7H:7", "8", "answer-fifteen"),
        ("dealer:578K/2C3C:7H:7", "7", "answer-pair"),
        ("dealer:578K/2C3C:7H:7", "5", "answer-near"),
        ("dealer:578K/2C3C:7H:7", "K", "answer-safe"),
        ("pone:A47J/2C3C:7H:J4", "7", "missed"),
        ("pone:47AJ/2C3C:7H:JT", "A", "leaves-21"),
        ("pone:A378/2C4C:7H:32", "A", "pair-or-run"),
        ("dealer:A59T/2C3C:7H:JT652", "A", "opens-run"),
        ("pone:77KK/2C3C:7H:KK", "7", "pair-missed"),
        ("pone:346J/2C3C:7H:45", "6", "made"),
        ("pone:47AJ/2C3C:7H:J9", "J", "opens-run"),
    ],
)
def test_groups_of_a_card(position, card, expected):
    position = Position.parse(position)
    cards = np.array([RANKS.index(card)])
    found = card_groups(Turns.of([position]), cards, np.array([False]))["situation"]
    assert GROUPS_OF["card", "situation"][int(found[0])].name == expected


@pytest.mark.parametrize(
    ("measured", "deals", "least"),
    [
        (discards_measured, 4000, 9),
        (cards_measured, 4000, 9),
        pytest.param(wins_measured, 50, 1, marks=pytest.mark.slow),
    ],
)
def test_rules_hold_as_often_as_they_say(measured, deals, least):
    groups = {group.name: group for kind in KINDS for group in kind.groups}
    assert len(groups) == sum(len(kind.groups) for kind in KINDS)  # each has a name of its own
    counts, held = measured(deals, seed=99), 0
    for name, group in groups.items():
        of = counts[name, "of"]
        if not group.rule or not of:
            continue
        share = counts[name, "best"] / of
        share = 1 - share if group.rule.startswith("Keep") else share
        room = 4.5 * (group.holds * (1 - group.holds) / of) ** 0.5 + 0.002
        assert share == pytest.approx(group.holds, abs=room), name
        held += 1
    assert held >= least


@pytest.fixture
def folder(tmp_path, games):
    """Files of several kinds: two games of CSV, one of PGN, and one that is none."""
    (tmp_path / "games").mkdir()
    ann = games.assign(player=games["player"].replace("Ann", "annie"))
    ann[ann["game"] == 1].to_csv(tmp_path / "games" / "a.csv", index=False)
    games[games["game"] == 2].drop(columns="game").to_csv(tmp_path / "games" / "b.csv", index=False)
    pgn = good("review", str(tmp_path / "games" / "a.csv"), "--format", "pgn")
    (tmp_path / "c.pgn").write_text(pgn.replace("annie", "ann"))
    (tmp_path / "games" / "notes.md").write_text("hello")
    return tmp_path


def test_many_files_are_one_review(folder):
    given = ["review", str(folder / "games"), str(folder / "c*.pgn"), "--fast"]
    names = ["--as", "Ann=annie", "--as", "Ann=ann"]
    assert "notes.md'? expected" in refused("review", str(folder / "games" / "*.md"))
    done = run(*given, *names, "--player", "Ann", "--format", "json")
    left = f"left out of '{folder / 'games'}': 'notes.md'; give a file by name to read it"
    assert (done.returncode, done.stderr.decode()) == (0, f"cribev: {left}\n")
    with pytest.warns(UserWarning, match="^left out of '.*': 'notes.md'; give a file by name"):
        review(folder / "games", fast=True)
    found = json.loads(done.stdout)
    assert [player["player"] for player in found["players"]] == ["Ann"]
    assert [game["game"] for game in found["games"]] == ["a", "b", "c"]
    files = [folder / "games" / "a.csv", str(folder / "games" / "b.csv")]
    assert review(files, fast=True).players["player"].tolist() == ["annie", "Ben", "Ann"]


def test_what_is_wrong_with_many_files_is_told(folder):
    given = ["review", str(folder / "games"), str(folder / "c*.pgn"), "--fast"]
    twice, bad = [str(folder / "games" / "a.csv")] * 2, folder / "d.csv"
    assert refused("review", *twice, "--fast") == f"'{twice[0]}' is given twice"
    bad.write_text(Path(twice[0]).read_text().replace("1,1,annie", "1,0,annie"))
    assert refused("review", twice[0], str(bad)).startswith(f"'{bad}': game '1', deal 0, column ")
    (folder / "none").mkdir()
    assert refused("review", str(folder / "none")).startswith("there is no record of games in '")
    done = run(*given, "--as", "Ann=anie", "--errors", "skip")
    told = "cribev: error: no player 'anie' in the record: there is 'annie, Ben, Ann, ann'\n"
    assert (done.returncode, done.stderr.decode().splitlines(keepends=True)[-1]) == (2, told)
    assert refused(*given, "--as", "Ann") == "'Ann': expected --as NAME=OTHER, as Ann=annie"
    assert refused(*given, "--as", "Ann=a", "--as", "Bo=a") == "'Bo=a': 'a' is 'Ann' already"


def test_starters_of_a_lesson_are_counted():
    options = advise("3S 3D 5C 7C QC QS", role="dealer").options
    said = r"([\d.]+) more with .* cut \((\d+) of 46 starters\), ([\d.]+) (more|less)"
    for discarded in ("3S 7C", "5C 7C", "3D QS", "QC QS"):
        decision = Decision.of(options, discarded)
        if told := re.search(said, lesson(decision)):
            inside, number, outside = float(told[1]), int(told[2]), float(told[3])
            outside *= 1 if told[4] == "more" else -1
            mean = (inside * number + outside * (46 - number)) / 46
            better = decision.best.hand_mean - decision.option.hand_mean
            assert mean == pytest.approx(better, abs=0.1)


def test_mistakes_are_explained_alike_everywhere(played):
    mistake = next(one for one in played.costliest(10) if lesson(one, played.best_of(one)))
    why = lesson(mistake, played.best_of(mistake))
    assert why in " ".join(str(played).split())
    assert why in review_html(played)
    player = played.decisions["player"][mistake.row]
    assert why in {one["lesson"] for one in list_mistakes(played, player)}
