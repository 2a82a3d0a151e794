"""The ten of the day and the counting drill in a browser, kept where those of the terminal are."""

import re
from itertools import islice

import pytest
from markup import Whole
from shell import run

from cribev.game.cards import format_cards
from cribev.practice.counting import counts_of
from cribev.practice.session import Selection, daily_session, result_line
from cribev.practice.store import AGAIN
from cribev.system.clock import today
from cribev.web.pages import card_faces

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture(autouse=True)
def selection(monkeypatch):
    monkeypatch.setenv("CRIBEV_TODAY", "2026-11-23")
    return Selection.of_day(today())


def fields_of(page):
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))


def answer(ask, address, problem):
    page = ask(address).text
    cards = format_cards(problem.position.legal[: 1 + problem.is_discard]).split()
    kind = "throw" if problem.is_discard else "lay"
    return ask("/practice", {**fields_of(page), kind: cards}).headers["location"]


def test_todays_ten_on_the_page_are_those_of_the_terminal(ask, store, selection):
    problems = [*islice(selection.problems(), 10)]
    faces = card_faces(format_cards(problems[0].held.kept))
    for place in ("/practice", "/play"):
        page = ask(place)
        assert page.text.index("Play today’s ten") < page.text.index("<form")
        shown = page.words.partition("The hand of the day: you deal ")[2]
        assert shown.startswith(" ".join(f"{face['rank']}{face['suit']}" for face in faces))
    for problem in problems[:3]:
        address = ask("/practice/today").headers["location"]
        assert "what you answer counts" in ask(address).words
        Whole(ask(answer(ask, address, problem)).text)
    assert "Go on at 4 of 10" in ask("/play").words
    rest = [format_cards(one.position.legal[: 1 + one.is_discard]) for one in problems[3:]]
    stdin = "\n".join(rest)
    assert run("quiz", "--today", stdin=stdin.encode()).returncode == 0
    page = ask(ask("/practice/today").headers["location"])
    Whole(page.text)
    assert "Today’s ten, 2026-11-23: these count." in page.words
    assert "1 day in a row; 1 of the last 30 days" in page.words
    assert result_line(selection, daily_session(store).answers) in page.text
    for place in ("/practice", "/play"):
        assert "lost in today’s ten" in ask(place).words
    assert "1 day in a row" in ask("/practice").words


def test_what_was_answered_first_counts_and_another_attempt_is_practice(ask, store, selection):
    problem = next(selection.problems())
    address = answer(ask, "/practice?day=2026-11-23", problem)
    assert "this is practice, and does not count" in ask(address).words
    assert [one.kind for one in store.read()] == [AGAIN]
    address = ask("/practice/today").headers["location"]
    assert address.endswith("done=&at=1&session=20261123")
    store.clear()
    answer(ask, address, problem)
    fields = fields_of(ask(address).text) | {"throw": format_cards(problem.held.kept[-2:]).split()}
    page = ask(ask("/practice", fields).headers["location"])
    first = format_cards(problem.held.kept[:2])
    assert f"In problem 1 you chose {first} before: that answer counts." in page.words
    assert [one.chosen for one in store.read()] == [first]


@pytest.mark.parametrize(
    ("query", "error"),
    [("?day=2026-11-24", "day='2026-11-24': expected a day up to today, as 2026-11-23"),
     ("?day=x", "day='x': expected a day up to today"),
     ("?day=2026-11-23&done=121", ""),
     ("?day=2026-11-23&done=1212", "done='1212': expected two places"),
     ("/count?seed=x", "seed='"), ("/count?seed=7&done=3", "done='"),
     ("/count?seed=7&done=30", "done='"), ("/count?seed=7&at=3", "at='"),
     ("/count?seed=7&session=x-", "session='")],
)  # fmt: skip
def test_addresses(ask, query, error):
    page = ask(f"/practice{query}")
    assert (page.status, error in page.words) == (400 if error else 200, True)


def test_an_old_day_counts_no_more(ask, store, selection):
    address = "/practice?day=2026-11-20&session=20261120"
    problem = next(Selection(20261120, daily=True).problems())
    fields = fields_of(ask(address).text) | {"throw": format_cards(problem.held.kept[:2]).split()}
    page = ask("/practice", fields)
    assert (page.status, "the ten of 2026-11-20 count no more" in page.words) == (400, True)
    assert (store.read(), selection.daily) == ([], True)


def test_the_counting_drill(ask, store):
    start = "/practice/count?seed=7"
    assert ask("/practice/count").headers["location"].startswith("/practice/count?seed=")
    totals = [one.total for one in islice(counts_of(7), 10)]
    address = start
    for at, total in enumerate(totals):
        page = ask(address)
        Whole(page.text)
        assert f"Count {at + 1} of 10" in page.words
        said = {0: total - 2, 2: total + 1}.get(at, total)
        sent = {**fields_of(page.text), "points": said}
        address = ask("/practice/count", sent).headers["location"]
        told = ask(address)
        Whole(told.text)
        result = {0: "missed 2: ", 2: "1 too many"}.get(at, f"{total} it is")
        assert result in told.words or at == 0
        address = address.replace(f"at={at + 1}", f"at={at + 2}")
    page = ask(address)
    Whole(page.text)
    assert "8 of 10 counted right" in page.words
    assert [one.counted for one in store.read_counts()][1:2] == totals[1:2]
    assert "10 hands counted, 80% right" in ask("/practice").words
    wrong = ask("/practice/count", {**fields_of(ask(start).text), "points": "30"})
    assert (wrong.status, "'30': expected points, from 0 to 29" in wrong.words) == (400, True)
