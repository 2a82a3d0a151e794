"""Reviews on the page: of any size, and kept when the server ends."""

import re
import sqlite3
from contextlib import closing
from functools import partial
from itertools import product

import pytest
from asking import ask, running, with_file
from games import random_games, with_play

from cribev import review
from cribev.app.games.database import FILE
from cribev.app.web import review as reviewing
from cribev.app.web.kept_reviews import StoredReview, local_reviews
from cribev.evaluation.by_habits import ByHabits
from cribev.game.cards import format_cards
from cribev.opponents.habits import HABITS
from cribev.records.record import as_record

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture(scope="module")
def games():
    """Two short games with scores and every card."""
    return with_play(random_games(2, deals=1, seed=4, noise=3.0), seed=4)


@pytest.mark.slow
def test_a_review_comes_back_as_it_was(games):
    record = as_record(games.drop(columns="score"))
    drawn = reviewing.draw_reviewed(review(record), "a.csv", "key")
    again = StoredReview.from_text("key", drawn.pages, drawn.to_text())
    assert again.to_text() == drawn.to_text()
    assert (again.tiles, again.end) == (drawn.tiles, drawn.end)
    found = [
        [one["decision"] for every in kept.players.values() for one in every]
        for kept in (drawn, again)
    ]
    assert len(found[0]) >= 2
    for one, other in zip(*found, strict=True):
        assert one.options.position == other.options.position
        assert (one.chosen, one.loss, one.verdict) == (other.chosen, other.loss, other.verdict)
        assert [row.to_dict() for row in one.options.rows] == [
            row.to_dict() for row in other.options.rows
        ]


@pytest.fixture
def another():
    """Ask another server, which remembers nothing."""
    with running("127.0.0.1") as port:
        yield partial(ask, f"127.0.0.1:{port}")


def test_a_review_outlives_its_server(get, another, games):
    content = games.drop(columns="score").to_csv(index=False).encode()
    address = with_file(get, "monday.csv", content).headers["Location"]
    pages = ["", "/review.html", "/1/1", "/1/1?card=A", "/1/1?discard=AH"]
    first = [get(f"{address}{page}").text for page in pages]
    assert "Learn from mistakes" in first[0]
    assert [another(f"{address}{page}").text for page in pages] == first
    for server in (get, another):  # the same games have the same review
        assert with_file(server, "monday.csv", content).headers["Location"] == address
    listed = another("/review").words
    assert "monday.csv 4 discards" in listed
    assert "being made" not in listed
    gone = another(f"{address}/forget", method="POST", body=b"", Content_Type="text/plain")
    assert gone.headers["Location"] == "/review#kept"
    assert another(address).status == 404
    assert "monday.csv" not in another("/review").words


@pytest.mark.slow
def test_review_is_against_an_opponent(get, another, games):
    opponent = ByHabits("Ann", HABITS["club"]).text
    content = games.drop(columns=["score", "play"]).to_csv(index=False).encode()
    asked = {"player": "", "opponent": opponent}
    address = with_file(get, "monday.csv", content, **asked).headers["Location"]
    assert with_file(get, "monday.csv", content).headers["Location"] != address
    page = get(address)
    page.says("4 discards, compared with Ann")
    found = review(
        games.drop(columns=["score", "play"]),
        opponent=opponent,
    )
    lost = found.players["loss"].sum()
    assert lost != pytest.approx(review(found.record).players["loss"].sum(), abs=0.01)
    page.says(*(f"{one:.2f}" for one in found.players["loss"]))
    shown = re.findall('name="discard" value="(..)"', get(f"{address}/1/1").text)
    answers = [
        server(f"{address}/1/1?discard={shown[0]}&discard={shown[1]}") for server in (get, another)
    ]
    assert answers[0].text == answers[1].text
    assert re.search(r'data-ask="[^"]*opponent=%7B', answers[0].text)


@pytest.mark.slow
def test_page_says_where_people_change_a_verdict():
    games = with_play(random_games(1, deals=2, seed=13, noise=3.0), seed=13).drop(columns="score")
    record = as_record(games)
    found = review(record)
    told = "That is against an expert: against people you chose right."
    turned = {
        (str(one.position), one.chosen)
        for alone in map(found.of_player, found.players["player"])
        for one in alone.costliest(3)
        if alone.turned(one) == told  # as a review on a terminal says
    }
    drawn = reviewing.draw_reviewed(found, "a.csv", "key")
    assert drawn.page("").decode().count(told) == len(turned) > 0
    mistakes = {
        (str(one["decision"].position), one["decision"].chosen): one["decision"]
        for every in drawn.players.values()
        for one in every
    }
    for key in turned:  # where its own page has an answer
        one = mistakes[key]
        if one.options.is_discard:
            answer = reviewing._answer_discard(one, format_cards(one.chosen).split())
        else:
            answer = reviewing._answer_card(one, [one.option.card])
        assert answer["turned"] == told


def test_unfinished_review_resumes_on_next_server(another, games):
    csv = games.drop(columns=["score", "play"]).to_csv(index=False)
    question = {"source": "record 1", "name": "left.csv", "player": "Ann", "stakes": "win"}
    local_reviews().begin("abcd", 2, {**question, "csv": csv, "shown": {"skipped": []}})
    assert "left.csv 2 discards" in another("/review").words
    page = another("/review/abcd").words
    assert ("Ann discarded 2 hands" in page, "Ben discarded" in page) == (True, False)
    assert local_reviews().find("abcd").pages


@pytest.mark.slow
def test_damaged_review_is_reported_or_remade(folder, another, games):
    plain = games.drop(columns=["score", "play"])
    record, kept = as_record(plain), local_reviews()
    question = {"name": "a.csv", "player": "", "stakes": "win", "opponent": "expert"}
    csv, shown = plain.to_csv(index=False), {"skipped": []}
    drawn = reviewing.draw_reviewed(review(record), "a.csv", "key")
    columns = "question", "found", "at", "name", "number", "content"
    kept.begin("first", 1, question | {"source": "game 1"})
    bad = ["", "x", "{}", "[]", "null", b"\xff", 7, "9" * 30, "half", "flipped"]
    with closing(sqlite3.connect(folder / FILE)) as database:
        for at, (column, value) in enumerate(product(columns, bad)):
            key = f"key{at}"
            kept.begin(key, 4, {**question, "source": f"record {at}", "csv": csv, "shown": shown})
            kept.finish(drawn._replace(key=key))
            table = "review_pages" if column == "content" else "reviews"
            (whole,) = database.execute(
                f"SELECT {column} FROM {table} WHERE key = ?", [key]
            ).fetchone()
            text, middle = str(whole) if column != "content" else whole, len(str(whole)) // 3
            other = b"~" if column == "content" else "~"
            if value == "half":
                value = text[:middle]
            elif value == "flipped":
                value = text[:middle] + other + text[middle + 1 :]
            database.execute(f"UPDATE {table} SET {column} = ? WHERE key = ?", [value, key])
            database.commit()
            where = f"{column} = {value!r:.60}"
            assert another("/review").status == 200, where
            assert kept.listed(1)[0].key == key
            if column in ("question", "at", "number") and value != {"number": 7}.get(column):
                assert kept.listed(1)[0].damaged, where
            if column == "question":
                database.execute("UPDATE reviews SET found = NULL WHERE key = ?", [key])
                database.commit()
                page = another(f"/review/{key}")
                assert page.status == 400, where
                assert "this review is damaged, and cannot be read" in page.text
            else:
                assert another(f"/review/{key}").status == 200, where
                assert another(f"/review/{key}/1/1").status == 200, where
            assert another(f"/review/{key}/forget", method="POST", body=b"").status == 303


@pytest.mark.slow
def test_review_size_depends_on_scores_and_cards(get, monkeypatch):
    long = with_play(random_games(4, deals=8, seed=1), seed=1)
    asked = []

    def quick(record, **options):
        asked.append((len(record.frame), options.keys() & {"fast", "cards"}, record.scores.min()))
        return review(record.without_scores(), fast=True)

    monkeypatch.setattr(reviewing, "review", quick)
    address = with_file(get, "long.csv", long.to_csv(index=False).encode()).headers["Location"]
    assert "Learn from mistakes" in get(address).words
    assert asked == [(64, {"cards"}, -1), (64, set(), 0)]  # what is there at once, then all
