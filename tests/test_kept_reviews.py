"""Reviews on the page: of any size, and kept when the server ends."""

import sqlite3
from contextlib import closing
from functools import partial
from itertools import product

import pytest
from asking import ask, running, with_file
from games import random_games, with_play
from markup import Whole

from cribev import review
from cribev.app.games.database import FILE
from cribev.app.web import review as reviewing
from cribev.app.web.kept_reviews import local_reviews
from cribev.records.record import as_record

pytestmark = pytest.mark.usefixtures("folder", "fast_reviews")


@pytest.fixture(scope="module")
def games():
    """Two short games with scores and every card."""
    return with_play(random_games(2, deals=1, seed=4, noise=3.0), seed=4)


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
    for _, name, value in Whole(first[1]).attributes:  # what is saved asks for nothing else
        assert name not in ("src", "href", "action") or value.startswith(("#", "data:"))
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
    plain = games.drop(columns=["score", "play"]).iloc[[1]]  # a blunder
    record, kept = as_record(plain), local_reviews()
    question = {"name": "a.csv", "player": "", "stakes": "win", "opponent": "expert"}
    csv, shown = plain.to_csv(index=False), {"skipped": []}
    drawn = reviewing.draw_reviewed(review(record, fast=True), "a.csv", "key")
    columns = "question", "found", "at", "name", "number", "content"
    bad = ["", "[]", "null", b"\xff", 7, "half", "flipped"]
    kept.begin("first", 1, question | {"source": "game 1"})
    with closing(sqlite3.connect(folder / FILE)) as database:
        for number, (column, value) in enumerate(product(columns, bad)):
            key, source = f"key{number}", f"record {number}"
            kept.begin(key, 1, {**question, "source": source, "csv": csv, "shown": shown})
            kept.finish(drawn._replace(key=key))
            table = "review_pages" if column == "content" else "reviews"
            select = f"SELECT {column} FROM {table} WHERE key = ?"
            (whole,) = database.execute(select, [key]).fetchone()
            text = whole if column == "content" else str(whole)
            middle, other = len(text) // 3, b"~" if column == "content" else "~"
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
