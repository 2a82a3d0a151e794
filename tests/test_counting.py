"""Counting as a drill, and what is said of what was missed."""

import io
import json
import sqlite3
from itertools import islice

import pandas as pd
import pytest
from shell import good, on_a_terminal, printed, run

from cribev import explain, score
from cribev.advice.decisions import line_text
from cribev.practice.counting import count_progress, count_result, counts_of
from cribev.practice.store import FILE, StoredCount

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize(
    ("hand", "counted", "said"),
    [
        ("4H 5D 6C 6S KD", 14, "14 it is: fifteen two, fifteen four, fifteen six, and a do"),
        ("4H 5D 6C 6S KD", 12, "counted 12, missed 2: a fifteen, or the pair 6C 6S"),
        ("4H 5D 6C 6S KD", 11, "counted 11, missed 3: a run"),
        ("4H 5D 6C 6S KD", 6, "counted 6, missed 8: a fifteen and the runs 4H 5D 6C, 4H 5D 6S, or"),
        ("5H 5D 5C JS 5S", 10, "counted 10, missed 19"),
        ("4H 5D 6C 6S KD", 13, "counted 13, missed 1"),
        ("4H 5D 6C 6S KD", 15, "counted 15, 1 too many: fifteen two, fifteen four, fifteen six,"),
        ("TH JH QH KH 2D", 7, "counted 7, missed 1: the run TH JH QH KH"),
        ("2H 4H 6H KH 8H", 4, "counted 4, missed 1: the flush 2H 4H 6H KH 8H"),
        ("2H 4C 8D JS KS", 0, "counted 0, missed 1: nobs JS KS"),
    ],
)
def test_what_is_missed(hand, counted, said):
    assert line_text(count_result(explain(hand), counted))[: len(said)] == said


def test_what_is_missed_makes_up_what_is_missing():
    for show in islice(counts_of(11), 60):
        points = {one.kind: one.points for one in show.combinations}
        for counted in range(show.total):
            for way in show.missed(counted):
                if sum(points[kind] for kind in way) != show.total - counted:
                    assert way in (("run",), ("flush",))


def test_a_seed_deals_the_show_of_each_deal():
    hands = [*islice(counts_of(7), 9)]
    assert [one.crib for one in hands] == [False, False, True] * 3
    for pone, dealer, crib in zip(*[iter(hands)] * 3, strict=True):
        assert pone.starter == dealer.starter == crib.starter
        assert len({*pone.hand, *dealer.hand, *crib.hand, crib.starter}) == 13
    for one in hands:
        assert one.total == score(list(one.hand), one.starter, crib=one.crib)


def quiz(*points, options=()):
    stdin = "\n".join(map(str, points)).encode()
    return run("quiz", "--count", "--seed", "7", *options, stdin=stdin)


def test_the_drill_is_graded_in_the_history(store, folder):
    totals = [one.total for one in islice(counts_of(7), 10)]
    assert totals[:4] == [16, 5, 9, 10]
    done = quiz(*totals[:1], 2, 8, 12, *totals[4:])
    out = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert out.startswith("1 of 10, hand: 6S 7S 8S JS + 7C\n16 it is: ")
    assert "3 of 10, crib: 9C TD JC JH + 7C\nCounted 8, missed 1: nobs JC 7C\n" in out
    summary = (
        "10 hands counted, 70% right; 4 points missed; too many in 1. Missed most often: nobs (1 "
    )
    assert f"\nSeed 7: {summary}" in out
    assert good("history").startswith(summary)
    told = printed("history")["counts"]
    assert (told["hands"], told["right"], told["kinds"]["run"]["missed"]) == (10, 7, 1)
    with sqlite3.connect(folder / FILE) as database:
        database.execute("UPDATE counts SET counted = 30 WHERE id = 2")
        database.execute("UPDATE counts SET cards = 'XX' WHERE id = 3")
    done = run("history")
    assert b"2 of 10 counts are damaged, left out" in done.stderr
    assert b"8 hands counted" in done.stdout
    assert run("history", "--delete", "--yes").stderr == b"10 decisions deleted\n"
    assert store.read_counts() == []


def test_forms():
    options = ("--no-save", "--hands", "3", "--format")
    frame = pd.read_csv(io.BytesIO(quiz(16, 2, 8, options=(*options, "csv")).stdout))
    found = json.loads(quiz(16, 2, 8, options=(*options, "json")).stdout)
    assert frame["counted"].tolist() == [16, 2, 8]
    assert [one["points"] for one in found["counts"]] == frame["points"].tolist()
    assert found["summary"]["kinds"]["nobs"] == {"hands": 1, "missed": 1}
    assert "Nothing is saved yet" in run("history").stdout.decode()


@pytest.mark.parametrize(
    ("points", "options", "error"),
    [((16, "x"), (), "line 2: 'x': expected points, from 0 to 29"),
     ((30,), (), "line 1: '30': expected points, from 0 to 29"),
     ((), (), "no answers on standard input: expected points, a number a line"),
     ((), ("--hard",), "--count is of hands as they are dealt: no --hard with it")],
)  # fmt: skip
def test_what_is_no_count(points, options, error):
    done = quiz(*points, options=options)
    assert (done.returncode, done.stderr.decode()) == (2, f"cribev: error: {error}\n")


def test_on_a_terminal(store):
    status, shown = on_a_terminal("quiz", "--count", "--seed", "7", typed="x\n16\nq\n")
    assert status == 0
    assert "'x': expected points, from 0 to 29" in shown
    assert "1 hand counted, 100% right" in shown
    assert [one.counted for one in store.read_counts()] == [16]


def test_of_what_cannot_be_told_every_way_has_its_share():
    row = StoredCount.of(explain("4H 5D 6C 6S", "KD"), 12, session="a", number=1)
    found = count_progress([row])
    assert [found.kinds[kind]["missed"] for kind in ("fifteen", "pair", "run")] == [0.5, 0.5, 0]
    assert found.most == ["fifteen", "pair"]
