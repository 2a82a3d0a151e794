import os
import signal
import sqlite3
import subprocess
import sys
import time
from io import StringIO

import hypothesis.strategies as st
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from cribev import review
from cribev.practice import store
from cribev.practice.hands import hands_of
from cribev.practice.progress import (
    MOST_PERIODS,
    decisions_kept,
    periods,
    progress_of,
    record_kept,
    standing_kept,
    waiting,
)
from cribev.practice.store import AGAIN, DEALT, FILE, HARD, StoredThrow, StoreError
from cribev.practice.throws import question_of, throw
from cribev.practice.verdicts import verdict_of

# Writes throws one by one, and says after each that it is kept.
WRITER = """
import sys
from cribev.practice.store import StoredThrow, keep
fields = {
    name: 0.5 for name, kind in StoredThrow.__annotations__.items() if kind is float
} | {
    "at": "2026-11-21T18:00:00+00:00", "kind": "dealt", "role": "pone", "rank": 1, "seed": "7",
    "cards": "2H 5D 5H 8D JS QC", "discard": "2H 8D", "best_discard": "JS QC", "starter": "AS",
    "opponent_cards": "3H 4D 6H 9D TS KC", "opponent_discard": "TS KC",
    "solution": "x", "version": "x",
}
print("ready", flush=True)
for number in range(1, int(sys.argv[2]) + 1):
    keep([StoredThrow(**fields | {"run": sys.argv[1], "number": number})])
    print(number, flush=True)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CRIBEV_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def one(number=1, *, loss=0.0, run="a", kind=DEALT, cards=None, role=None):
    """Make up a throw."""
    return StoredThrow(
        run=run, at=f"2026-11-21T18:{number // 60:02}:{number % 60:02}+00:00", kind=kind,
        role=role or ("dealer" if number % 2 else "pone"),
        cards=cards or "2H 5D 5H 8D JS QC", opponent_cards="3H 4D 6H 9D TS KC",
        opponent_discard="TS KC", starter="AS", seed="7", number=number, discard="2H 8D",
        best_discard="JS QC", expected=1.0, best_expected=1.0 + loss, ev_loss=loss,
        rank=1 if loss == 0 else 2, margin=0.2, deal_luck=0.1, starter_luck=0.2, crib_swing=0.3,
        result=0.6 - loss, solution="00", version="0",
    )  # fmt: skip


def writer(run, number, **options):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, run, str(number)], stdout=subprocess.PIPE, **options
    )


def test_what_is_kept_comes_back_as_it_was(folder):
    throws = [one(1), one(2, loss=0.1234567890123)]
    assert store.all_kept() == []
    assert not folder.exists()
    store.keep(throws[:1])
    store.keep(throws[1:])
    assert store.all_kept() == throws
    assert throws[0].hand.seed == 7
    assert folder.stat().st_mode & 0o077 == 0


def test_what_cannot_be_kept_is_told_but_the_same_throw_again_is_left_out():
    store.keep([one(1), one(1)._replace(at="2026-11-22T00:00:00+00:00")])
    with pytest.raises(StoreError, match=r"NOT NULL constraint failed: throws\.discard"):
        store.keep([one(1), one(2)._replace(discard=None)])
    assert store.all_kept() == [one(1)]


def test_two_write_at_once_and_one_is_killed_in_the_middle(folder):
    writers = [writer("a", 40), writer("b", 40), writer("c", 100_000)]
    for process in writers:
        assert process.stdout.readline() == b"ready\n"
    acknowledged = [writers[2].stdout.readline() for _ in range(15)]
    writers[2].send_signal(signal.SIGKILL)
    acknowledged += writers[2].stdout.read().splitlines()
    for process in writers[:2]:
        assert process.wait(60) == 0
        process.stdout.close()
    writers[2].wait(60)
    writers[2].stdout.close()
    numbers = {
        run: [row.number for row in store.all_kept() if row.run == run] for run in ("a", "b", "c")
    }
    assert numbers["a"] == numbers["b"] == [*range(1, 41)]
    assert numbers["c"] == [*range(1, len(numbers["c"]) + 1)]
    assert len(numbers["c"]) - len(acknowledged) in (0, 1)
    with sqlite3.connect(folder / FILE) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


def damage(path):
    store.keep([one()])
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + os.urandom(len(whole) - 100))


def cut_short(path):
    store.keep([one(number) for number in range(1, 200)])
    path.write_bytes(path.read_bytes()[:5000])


def is_text(path):
    path.parent.mkdir()
    path.write_text("not a database " * 100)


def is_foreign(path):
    path.parent.mkdir()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE throws (x)")
    database.close()


def is_newer(path):
    store.keep([one()])
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()


def is_a_folder(path):
    path.mkdir(parents=True)


def is_a_pipe(path):
    path.parent.mkdir()
    os.mkfifo(path)


WRONG = [damage, cut_short, is_text, is_foreign, is_newer, is_a_folder, is_a_pipe]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_not_ours_is_told_in_a_line_and_left_as_it_is(folder, wrong):
    path = folder / FILE
    wrong(path)
    before = path.read_bytes() if path.is_file() else None
    for act in (lambda: store.keep([one()]), store.delete_all, store.all_kept):
        with pytest.raises(StoreError, match=r"^\S.{10,}") as caught:
            act()
        assert len(str(caught.value).splitlines()) == 1
        assert FILE in str(caught.value)
    assert (path.read_bytes() if path.is_file() else None) == before


def test_a_folder_that_cannot_be_is_told_in_a_line(folder):
    folder.write_text("")
    for act in (store.all_kept, store.delete_all, lambda: store.keep([one()])):
        with pytest.raises(StoreError, match=r"data' is no folder$"):
            act()


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("run", "not a run"), ("run", b"\xff"), ("at", "2026-91-21"), ("at", "x"),
        ("at", "2026-11-21"), ("at", "0001-01-01T00:00:00+23:00"), ("kind", "x"), ("role", "king"),
        ("cards", "XX"), ("cards", "2H"), ("cards", "5D 2H 5H 8D JS QC"), ("cards", b"\xff"),
        ("cards", "2H 2H 5H 8D JS QC"), ("opponent_cards", "2H 4D 6H 9D TS KC"),
        ("opponent_discard", "TS TS"), ("opponent_discard", "2H 5D"), ("starter", "2H"),
        ("starter", "AS AC"), ("discard", "2H"), ("discard", "AS 2H"), ("best_discard", ""),
        ("seed", None), ("seed", "abc"), ("seed", "1" * 40), ("seed", "-1"),
        ("number", "x"), ("number", 0),
        ("ev_loss", "abc"), ("ev_loss", 9e999), ("ev_loss", -1.0), ("expected", 1e308),
        ("result", "abc"), ("rank", 16), ("rank", "x"), ("rank", 1.5), ("version", b"x"),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_is_left_out_and_left_as_it_is(folder, column, cell):
    store.keep([one(1), one(2), one(3)])
    with sqlite3.connect(folder / FILE) as database:
        database.execute(f"UPDATE throws SET {column} = ? WHERE id = 2", [cell])
        (before,) = database.execute("SELECT * FROM throws WHERE id = 2")
    told = []
    assert store.all_kept(told.append) == [one(1), one(3)]
    assert told == [f"'{folder / FILE}': 1 of 3 throws is damaged, left out"]
    (after,) = database.execute("SELECT * FROM throws WHERE id = 2")
    database.close()
    assert after == before


def test_a_database_that_cannot_be_written_is_still_read(monkeypatch):
    store.keep([one()])
    opened = store._opened
    monkeypatch.setattr(store, "_opened", lambda path, _: opened(path, "ro"))
    with pytest.raises(StoreError, match="readonly"):
        store.keep([one(2)])
    assert store.all_kept() == [one()]


def test_who_has_no_home_is_told_what_to_do(monkeypatch):
    monkeypatch.delenv("CRIBEV_DATA_DIR")
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name: f"~/{name}")
    for act in (lambda: store.keep([one()]), store.all_kept, store.delete_all):
        with pytest.raises(StoreError, match="CRIBEV_DATA_DIR"):
            act()


def test_one_who_never_ends_his_writing_is_not_waited_for_for_ever(folder, monkeypatch):
    store.keep([one()])
    monkeypatch.setattr(store, "_SECONDS", 0.1)
    other = sqlite3.connect(folder / FILE, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    start = time.monotonic()
    with pytest.raises(StoreError, match="locked"):
        store.keep([one(2)])
    assert time.monotonic() - start < 5
    other.close()


def test_all_of_it_is_deleted(folder):
    cards = "AC 2C 3C 4C 5C 6C"
    store.keep([one(number, cards=cards) for number in range(1, 50)])
    assert cards.encode() in (folder / FILE).read_bytes()
    assert store.delete_all() == 49
    assert store.delete_all() == 0
    assert store.all_kept() == []
    assert cards.encode() not in (folder / FILE).read_bytes()
    store.keep([one()])
    assert len(store.all_kept()) == 1


def test_what_lost_most_comes_back_first_until_it_is_thrown_well():
    throws = [
        one(1, loss=0.5, cards="a"), one(1, loss=2.0, cards="b"), one(1, loss=0.2, cards="c"),
        one(1, loss=1.0, cards="d"), one(1, loss=3.0, cards="e"), one(2, loss=0.3, cards="d"),
    ]  # fmt: skip
    assert [(hand.cards, hand.role) for hand in waiting(throws)] == [
        ("e", "dealer"), ("b", "dealer"), ("d", "dealer"), ("a", "dealer"), ("d", "pone"),
    ]  # fmt: skip
    assert [hand.cards for hand in waiting(throws, "pone")] == ["d"]
    since = [*throws, one(3, loss=0.29, cards="e"), one(3, loss=0.8, cards="b"),
             one(3, loss=4.0, cards="c")]  # fmt: skip
    assert [hand.cards for hand in waiting(since, "dealer")] == ["c", "d", "b", "a"]


@given(st.lists(st.integers(1, 30), min_size=1, max_size=60))
@settings(max_examples=30)
def test_periods_are_whole_runs_and_hold_every_hand(sizes):
    throws = [
        one(at, loss=0.5, run=str(run)) for run, size in enumerate(sizes) for at in range(size)
    ]
    found = periods(throws)
    assert 1 <= len(found) <= MOST_PERIODS
    assert sum(period.hands for period in found) == len(throws)
    ends = {sum(sizes[:at]) for at in range(len(sizes) + 1)}
    assert {sum(p.hands for p in found[:at]) for at in range(len(found) + 1)} <= ends
    assert all(period.lost_mean == pytest.approx(0.5) for period in found)
    if len(sizes) <= MOST_PERIODS // 2 and len(set(sizes)) == 1:
        assert len(found) == len(sizes)


def test_hands_thrown_before_are_no_progress_and_hard_ones_stand_apart():
    throws = [
        one(1, loss=0.2), one(2, loss=0.4), one(3, loss=1.0, kind=HARD, run="b", cards="h"),
        one(4, loss=5.0, kind=AGAIN, run="c"), one(1, loss=0.0, run="d"),
    ]  # fmt: skip
    found = progress_of(throws).to_dict()
    assert {kind: [period["lost"] for period in periods] for kind, periods in
            found["periods"].items()} == {DEALT: [pytest.approx(0.6)], HARD: [1.0]}  # fmt: skip
    assert found["lost"] == pytest.approx(6.6)
    assert standing_kept(throws).startswith("lost 0.300 ± 0.100 a deal")
    assert standing_kept(throws[2:]) == ""


@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.sampled_from([None, "dealer", "pone"]),
                  st.integers(1, 3), st.integers(0, 14)), min_size=1, max_size=2,
    )
)  # fmt: skip
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_exported_is_reviewed_to_the_same_losses(runs):
    store.delete_all()
    for seed, role, number, choice in runs:
        run = store.new_run()
        for _, hand in zip(range(number), hands_of(seed, role=role), strict=False):
            question = question_of(hand)
            cards = [f"{a} {b}" for a in hand.cards.split() for b in hand.cards.split() if a < b]
            thrown = throw(question, cards[choice])
            store.keep([store.kept_of(thrown, verdict_of(thrown).decision, run=run, kind=DEALT)])
    throws = store.all_kept()
    exported = pd.read_csv(StringIO(record_kept(throws).to_csv(index=False)))
    found = review(exported).decisions
    ours = decisions_kept(throws)
    assert ours["ev_loss"].tolist() == found["ev_loss"].tolist()
    assert ours["verdict"].tolist() == found["verdict"].tolist()
    assert ours["result"].tolist() == found["result"].tolist()
