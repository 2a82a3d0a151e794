"""The ten of the day: the same for everybody, one attempt that counts, on every surface."""

import json
import sqlite3
from datetime import date
from itertools import islice

import pytest
from shell import good, on_a_terminal, printed, refused, run

from cribev.game.cards import format_cards
from cribev.practice.progress import daily_progress
from cribev.practice.session import SQUARES, Selection, daily_session, result_line
from cribev.practice.store import AGAIN, DEALT, FILE
from cribev.system.clock import day_seed, seed_day, today

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture(autouse=True)
def on(monkeypatch):
    """Set the day it is, and return its ten."""

    def on(day):
        monkeypatch.setenv("CRIBEV_TODAY", day)
        return Selection.of_day(today())

    on("2026-11-23")
    return on


def answers_of(selection):
    """Choose the first cards that can be chosen in a day's problems."""
    ten = islice(selection.problems(), 10)
    return [format_cards(one.position.legal[: 1 + one.is_discard]) for one in ten]


def quiz(answers, *options):
    return run("quiz", "--today", *options, stdin="\n".join(answers).encode())


def test_ten_of_a_day_go_on_count_once_and_are_practice_after_that(on, store):
    selection = on("2026-11-23")
    answers = answers_of(selection)
    out = quiz(answers[:3]).stdout.decode()
    assert "1 of 10, as dealer" in out
    assert out.endswith("3 of 10: cribev quiz --today goes on from there\n")
    done = quiz(answers[3:])
    assert done.stderr == b"3 of 10 are answered and count: you go on\n"
    *_, line, days = done.stdout.decode().splitlines()
    session = daily_session(store)
    assert session.over
    assert line == result_line(selection, session.answers)
    assert line.split()[:2] == ["cribev", "2026-11-23"]
    assert {*line.split()[2]} <= {*SQUARES.values()}
    assert days.startswith("1 day in a row; 1 of the last 30 days, ")
    again = quiz(["1 2"])
    told = "today's ten are done: this is practice, and does not count"
    assert again.stderr.decode().splitlines() == [line, told]
    assert [one.kind for one in store.read()] == [DEALT] * 10 + [AGAIN]
    assert daily_session(store).answers == session.answers
    assert [one.chosen for one in store.read("20261123")] == answers


def test_an_answer_stands_on_a_terminal_too(on, store):
    problems = [*islice(on("2026-11-23").problems(), 2)]
    card = format_cards(problems[1].position.legal[:1])
    status, shown = on_a_terminal("quiz", "--today", typed=f"?\n1 2\nu\n{card}\nq\n")
    assert (status, "what you answer today counts: it stands" in shown) == (0, True)
    assert "10 problems, 2026-11-23" in shown
    assert "throw: " in shown
    assert "lay: " in shown
    assert "2 of 10: cribev quiz --today goes on from there" in shown
    first = format_cards(problems[0].held.kept[:2])
    assert [one.chosen for one in store.read()] == [first, card]


def test_a_streak_and_the_last_thirty_days(on, store):
    for day in ("2026-10-01", "2026-11-20", "2026-11-22", "2026-11-23"):
        selection = on(day)
        quiz(answers_of(selection))
    on("2026-11-24")
    quiz(["1 2"])  # begun, not done
    found = daily_progress(store.read())
    assert (found.streak, [day.day[-2:] for day in found.days]) == (2, ["23", "22", "20"])
    told = printed("history")["days"]
    assert told["streak"] == 2
    assert told["days"][0]["squares"] in good("history")
    on("2026-11-25")
    assert daily_progress(store.read()).streak == 0
    assert "in a row" not in good("history")


def test_of_two_programs_the_first_answers_count(on, store):
    selection = on("2026-11-23")
    mine, theirs = (daily_session(store) for _ in range(2))
    answers = answers_of(selection)
    mine.answer(answers[0])
    theirs.answer(format_cards(theirs.next_problem.position.legal[-2:]))
    for answer in answers[1:]:
        theirs.answer(answer)
    assert [one.chosen for one in store.read("20261123")] == answers


def test_a_damaged_row_or_file_is_survived(on, store, folder):
    answers = answers_of(on("2026-11-23"))
    quiz(answers)
    with sqlite3.connect(folder / FILE) as database:
        database.execute("UPDATE decisions SET position = 'XX' WHERE id = 4")
    assert len(daily_session(store).answers) == 3
    assert daily_progress(store.read()) is None
    assert "10 of 10, " in quiz(answers[3:]).stdout.decode()
    assert daily_session(store).over
    with sqlite3.connect(folder / FILE) as database:
        database.execute("UPDATE decisions SET ev_loss = -1 WHERE number = 2")
    assert not daily_session(store).over
    quiz(answers[2:])
    assert daily_session(store).over
    (folder / FILE).write_text("nonsense " * 100)
    done = quiz(answers)
    assert (done.returncode, b"could not be saved" in done.stderr) == (0, True)
    assert b"cribev 2026-11-23 " in done.stdout


def test_json_has_both_and_what_is_not_saved_does_not_count(on, store):
    answers = answers_of(on("2026-11-23"))
    done = quiz(answers, "--no-save", "--format", "json")
    assert done.stderr == b"nothing is saved: this is practice, and does not count\n"
    assert store.read() == []
    found = json.loads(done.stdout)
    assert (len(found["hands"]), len(found["positions"]), found["seed"]) == (5, 5, 20261123)
    assert found["summary"]["card"]["cards"] == 5


@pytest.mark.parametrize(
    ("options", "name"),
    [(["--seed", "7"], "--seed"), (["--play"], "--play"), (["--pone"], "--pone"),
     (["--hands", "4"], "--hands 4"), (["--format", "csv"], "--format csv"),
     (["--score", "close"], "--score"), (["--again"], "--again"),
     (["--leak", "lead-five"], "--leak")],
)  # fmt: skip
def test_nobody_has_other_ones(options, name):
    told = refused("quiz", "--today", *options, stdin=b"1 2\n")
    assert told.startswith("--today is ")
    assert told.endswith(f": no {name} with it")


def test_the_seed_of_a_day_deals_discards_and_cards_of_ten_deals(on):
    assert (day_seed(date(2026, 11, 23)), seed_day("20261123")) == (20261123, date(2026, 11, 23))
    assert [seed_day(seed) for seed in (20261323, "7", None, "2026112３")] == [None] * 4
    problems = [*islice(on("2026-11-23").problems(), 10)]
    assert [one.is_discard for one in problems] == [True, False] * 5
    known = [{*one.held.dealt, *one.opponent_held.dealt} for one in problems]
    assert len({frozenset(cards) for cards in known}) == 10
    assert problems != [*islice(on("2026-11-24").problems(), 10)]


@pytest.mark.parametrize("day", ["2026-11-31", "0001-01-01", "\x1b[2J"])
def test_a_day_that_is_none(monkeypatch, day):
    monkeypatch.setenv("CRIBEV_TODAY", day)
    told = f"CRIBEV_TODAY={day!r}: expected a day from 2000-01-01 on, as 2026-11-23"
    assert refused("quiz", "--today", stdin=b"1 2\n") == told
