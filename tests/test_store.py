import os
import signal
import sqlite3
import time
from contextlib import closing, suppress
from io import StringIO

import hypothesis.strategies as st
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from shell import csv_rows, good, queried

from cribev import review
from cribev.app.games.database import FILE, StoreError, database_path
from cribev.app.practice import progress
from cribev.app.practice.session import Selection, Session
from cribev.app.practice.store import (
    AGAIN,
    DEALT,
    GAME,
    HARD,
    SCORED,
    Store,
    StoredDecision,
    save_decisions,
)

# Writes throws one by one, and says after each that it is kept.
WRITER = """
import sys
from cribev.app.practice.store import Store, StoredDecision
from cribev.app.games.database import database_path
fields = {name: 0.5 for name in StoredDecision._fields} | {
    "at": "2026-11-21T18:00:00+00:00", "kind": "dealt", "rank": 1, "seed": "7",
    "position": "pone:2H5D5H8DJSQC", "chosen": "2H 8D", "best": "JS QC", "starter": "AS",
    "opponent": "3H4D6H9D/TSKC",
    "win": None, "best_win": None, "win_best": None, "win_loss": None,
}
store = Store(database_path())
print("ready", flush=True)
for number in range(1, int(sys.argv[2]) + 1):
    store.save(StoredDecision(**fields | {"session": sys.argv[1], "number": number}))
    print(number, flush=True)
"""


pytestmark = [pytest.mark.arrays, pytest.mark.usefixtures("folder")]


def one(number=1, *, loss=0.0, session="a", kind=DEALT, cards="2H5D5H8DJSQC", role=None, score=""):
    """Make up a discard."""
    role = role or ("dealer" if number % 2 else "pone")
    return StoredDecision(
        session=session, at=f"2026-11-21T18:{number // 60:02}:{number % 60:02}+00:00", kind=kind,
        position=f"{role}:{cards}{score}", opponent="3H4D6H9D/TSKC", starter="AS", seed="7",
        number=number, chosen="2H 8D", best="JS QC", expected=1.0, best_expected=1.0 + loss,
        loss=loss, rank=1 if loss == 0 else 2, margin=0.2, deal_luck=0.1, starter_luck=0.2,
        crib_swing=0.3, result=0.6 - loss, win=None, best_win=None, win_best=None, win_loss=None,
    )  # fmt: skip


def one_card(number=1, *, loss=0.0, session="a", kind=DEALT, laid="JH"):
    """Make up a card laid."""
    play = f":{laid}" if laid else ""
    return one(number, loss=loss, session=session, kind=kind)._replace(
        position=f"dealer:4H5CJDJS/9CKD:7H{play}", opponent="2D3STCJH/AC2C", starter="7H",
        chosen="5C", best="J", margin=None, deal_luck=None, starter_luck=None, crib_swing=None,
        result=None,
    )  # fmt: skip


def test_hands_counted_in_earlier_versions_do_no_harm(store, folder, ask):
    store.save(one(1))
    queried(folder, "CREATE TABLE counts (id INTEGER PRIMARY KEY, session TEXT, counted INTEGER)")
    queried(folder, "INSERT INTO counts VALUES (1, 'a', 12)")
    store.save(one(2))
    assert store.read() == [one(1), one(2)]
    assert "2 hands in 1 session" in good("history")
    assert ask("/practice").status == 200
    assert store.clear() == 2
    assert queried(folder, "SELECT * FROM sqlite_master WHERE name = 'counts'") == []


def test_stored_decisions_round_trip_without_duplicates(store, folder):
    throws = [one(1), one(2, loss=0.1234567890123)]
    assert store.read() == []
    assert not folder.exists()
    for throw in (*throws, throws[0]._replace(at="2026-11-22T00:00:00+00:00")):
        store.save(throw)
    with pytest.raises(StoreError, match=r"NOT NULL constraint failed: decisions\.chosen"):
        store.save(one(3), one(4)._replace(chosen=None))
    assert store.read() == throws
    assert throws[0].problem.seed == 7
    assert folder.stat().st_mode & 0o077 == 0


def test_decisions_of_an_earlier_version_are_kept(store):
    store.save(one(1, loss=0.3))
    changed_by(store.path, "ALTER TABLE decisions RENAME COLUMN loss TO ev_loss")
    store.save(one(1, loss=0.3), one(2, loss=0.1))
    assert store.read() == [one(1, loss=0.3), one(2, loss=0.1)]


def test_cards_are_kept_beside_discards_and_taken_back(store):
    cards = [one_card(1), one_card(2, loss=0.4, laid="JHJSTCgogo"), one_card(3, kind=GAME)]
    store.save(one(1), *cards, cards[0]._replace(chosen="4H"))
    assert (store.read(), store.read("b")) == ([one(1), *cards], [])
    assert [one.is_discard for one in store.read()] == [True, False, False, False]
    assert str(cards[1].problem.deal.play) == "JH JS TC go go"
    store.remove("a", cards[0].problem)
    assert store.read("a") == [one(1), *cards[1:]]
    assert (store.clear(), store.read()) == (3, [])


def test_game_is_kept_once_from_any_file(store):
    hands = [f"AC2C3C4C5C{rank}C" for rank in "6789"]
    game = [one(at, kind=GAME, cards=cards) for at, cards in enumerate(hands[:3], 1)]
    save_decisions(store, game)
    # The file says the score, holds a deal more, and cards that were not graded before.
    more = [
        *(row._replace(position=f"{row.position}@103-104", session="file") for row in game),
        one(4, kind=GAME, cards=hands[3], session="file"), one_card(1, kind=GAME, session="file"),
    ]  # fmt: skip
    for _ in range(2):
        save_decisions(store, more)
        assert store.read() == [*game, *(row._replace(session="a") for row in more[3:])]
    # The same cards played again, and otherwise, are another game.
    again = [game[0]._replace(session="again"), game[1]._replace(session="again", chosen="2C 3C")]
    save_decisions(store, again)
    assert store.read()[-2:] == again


@pytest.mark.slow
def test_concurrent_writers_survive_a_kill(started, store, folder):
    sessions = [("a", "40"), ("b", "40"), ("c", "100000")]
    writers = [started("-c", WRITER, *session) for session in sessions]
    for process in writers:
        assert process.stdout.readline() == b"ready\n"
    acknowledged = [writers[2].stdout.readline() for _ in range(15)]
    writers[2].send_signal(signal.SIGKILL)
    acknowledged += writers[2].stdout.read().splitlines()
    for process in writers[:2]:
        assert process.wait(300) == 0
    numbers = {name: [row.number for row in store.read(name)] for name in ("a", "b", "c")}
    assert numbers["a"] == numbers["b"] == [*range(1, 41)]
    assert numbers["c"] == [*range(1, len(numbers["c"]) + 1)]
    assert len(numbers["c"]) - len(acknowledged) in (0, 1)
    with closing(sqlite3.connect(folder / FILE)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def changed_by(path, command):
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(command)


def changed(path, change, throws=1):
    Store(path).save(*map(one, range(1, throws + 1)))
    path.write_bytes(change(path.read_bytes()))


def of_version(path, number):
    Store(path).save(one())
    changed_by(path, f"PRAGMA user_version = {number}")


def within(path):
    path.parent.mkdir()
    return path


NOWHERE = "is a link that leads nowhere"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda path: changed(path, lambda old: old[:100] + os.urandom(len(old) - 100)), FILE),
        (lambda path: changed(path, lambda old: old[:5000], throws=199), FILE),
        (lambda path: within(path).write_text("not a database " * 100), FILE),
        (lambda path: changed_by(within(path), "CREATE TABLE throws (x)"), FILE),
        (lambda path: of_version(path, 99), FILE),
        (lambda path: of_version(path, 3), FILE),
        (lambda path: path.mkdir(parents=True), FILE),
        (lambda path: os.mkfifo(within(path)), FILE),
        (lambda path: within(path).symlink_to(path.parent / "no" / "such" / "file"), NOWHERE),
        (lambda path: within(path).symlink_to(path), NOWHERE),
        (lambda path: path.parent.symlink_to(path.parent.parent / "nothing"), NOWHERE),
        (lambda path: path.parent.write_text(""), "data' is not a folder"),
    ],
)
def test_foreign_databases_are_refused_and_untouched(store, folder, wrong, said):
    path = folder / FILE
    wrong(path)
    before = path.read_bytes() if path.is_file() else None
    for act in (lambda: store.save(one()), store.clear, store.read):
        with pytest.raises(StoreError, match=r"^\S.{10,}") as caught:
            act()
        assert len(str(caught.value).splitlines()) == 1
        assert said in str(caught.value)
    assert (path.read_bytes() if path.is_file() else None) == before


AT_A_SCORE = {"kind": SCORED, "win": 0.25, "best_win": 0.5, "win_best": "2H QC", "win_loss": 0.25}
MADE = {
    "discard": one,
    "card": one_card,
    "scored": lambda number: one(number, score="@103-104")._replace(**AT_A_SCORE),
}


@pytest.mark.parametrize(
    ("made", "column", "cell"),
    [
        (made, *bad)
        for made in MADE
        for bad in [
        ("session", "b"), ("at", "2026-11-21"), ("position", "dealer:2H5D5H8DJSQC@1-2"),
        ("position", b"\xff"), ("starter", "3S"), ("chosen", "5D"), ("seed", None), ("number", "x"),
        ("loss", 9e999), ("loss", 0.25), ("margin", -1.0), ("win_loss", 0.5), ("rank", 3),
        ("seal", None),
        ]
    ],
)  # fmt: skip
def test_changed_rows_are_skipped_and_untouched(store, folder, made, column, cell):
    rows = [MADE[made](number) for number in (1, 2, 3)]
    store.save(*rows)
    assert store.read() == rows
    with closing(sqlite3.connect(folder / FILE)) as database, database:
        database.execute(f"UPDATE decisions SET {column} = ? WHERE id = 2", [cell])
        before = database.execute("SELECT * FROM decisions").fetchall()
        database.commit()
        told = []
        assert store.read(warn=told.append) == [rows[0], rows[2]]
        assert told == [f"'{folder / FILE}': 1 of 3 decisions is damaged, left out"]
        assert database.execute("SELECT * FROM decisions").fetchall() == before


@pytest.fixture
def reopened(monkeypatch):
    """Have the database opened in another way."""
    connect = sqlite3.connect

    def reopened(change):
        monkeypatch.setattr(sqlite3, "connect", lambda path, **how: change(connect, path, how))

    return reopened


def test_full_disk_is_reported_and_reading_goes_on(store, reopened):
    def full(connect, uri, how):
        database = connect(uri, **how)
        database.execute("PRAGMA max_page_count = 1")
        return database

    reopened(full)
    with pytest.raises(StoreError, match="the disk is full"):
        store.save(one())
    reopened(lambda connect, uri, how: connect(uri, **how))
    store.save()  # what waited
    reopened(lambda connect, uri, how: connect(uri.replace("mode=rwc", "mode=ro"), **how))
    with pytest.raises(StoreError, match="it is read-only"):
        store.save(one(2))
    assert store.read() == [one()]


def test_missing_home_says_what_to_do(monkeypatch):
    monkeypatch.delenv("CRIBEV_DATA_DIR")
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name: f"~/{name}")
    store = Store(database_path())
    for act in (lambda: store.save(one()), store.read, store.clear):
        with pytest.raises(StoreError, match="CRIBEV_DATA_DIR"):
            act()


def test_locked_database_saves_with_next_throw(folder):
    store = Store(folder / FILE, wait=0.1)
    store.save(one())
    other = sqlite3.connect(folder / FILE, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    start = time.monotonic()
    for number in (2, 3):
        with pytest.raises(StoreError, match="another program has locked it"):
            store.save(one(number))
    assert time.monotonic() - start < 9  # two that wait as long as sqlite does take more
    assert (store.pending, "locked" in store.last_error) == (2, True)
    other.close()
    store.save(one(4))
    assert (store.pending, store.last_error) == (0, "")
    assert store.read() == [one(number) for number in (1, 2, 3, 4)]


def test_link_to_creatable_file_is_followed(store, folder, tmp_path):
    folder.mkdir()
    (folder / FILE).symlink_to(tmp_path / "synced.sqlite3")
    assert store.read() == []
    store.save(one())
    assert (tmp_path / "synced.sqlite3").is_file()
    assert store.read() == [one()]


def test_early_reader_finds_nothing_yet(folder, reopened):
    reader, writer = Store(folder / FILE), Store(folder / FILE, wait=0.0)
    folder.mkdir()
    (folder / FILE).touch()
    written = []

    class Interrupted(sqlite3.Connection):
        """Another program keeps the first throw between what is asked here."""

        def execute(self, sql, *parameters):
            if "user_version" in sql and not written:
                written.append(True)
                with suppress(StoreError):
                    writer.save(one())
            return super().execute(sql, *parameters)

    reopened(lambda connect, uri, how: connect(uri, factory=Interrupted, **how))
    assert reader.read() == []
    writer.save()
    assert reader.read() == [one()]


def test_all_of_it_is_deleted(store, folder):
    cards = "AC2C3C4C5C6C"
    made = [one(number, cards=cards) for number in range(1, 50)]
    store.save(*(throw._replace(chosen="AC 2C", best="AC 3C") for throw in made))
    assert cards.encode() in (folder / FILE).read_bytes()
    assert (store.clear(), store.clear(), store.read()) == (49, 0, [])
    assert cards.encode() not in (folder / FILE).read_bytes()
    store.save(one())
    assert len(store.read()) == 1


def test_costliest_hands_return_until_solved():
    a, b, c, d, e = (f"AC2C3C4C5C{rank}C" for rank in "6789T")
    throws = [
        one(1, loss=0.5, cards=a), one(1, loss=2.0, cards=b), one(1, loss=0.2, cards=c),
        one(1, loss=1.0, cards=d), one(1, loss=3.0, cards=e), one(2, loss=0.3, cards=d),
    ]  # fmt: skip

    def back(throws, role=None):
        return [(str(hand.held), hand.role) for hand in progress.to_repeat(throws, role)]

    dealt = [(cards, "dealer") for cards in (e, b, d, a)]
    assert back(throws) == [*dealt, (d, "pone")]
    assert back(throws, "pone") == [(d, "pone")]
    since = [*throws, one(3, loss=0.29, cards=e), one(3, loss=0.8, cards=b),
             one(3, loss=4.0, cards=c)]  # fmt: skip
    assert back(since, "dealer") == [(cards, "dealer") for cards in (c, d, b, a)]
    cards = [
        one_card(1, loss=0.2), one_card(2, loss=0.4, laid="JHJSTCgogo"), one_card(3, loss=0.09),
        one_card(4, loss=0.5, laid="2D"), one_card(5, laid="2D"),
    ]  # fmt: skip
    for some, asked, wanted in (
        (cards, (), ["JH JS TC go go"]),
        (cards[:2], (), ["JH JS TC go go", "JH"]),
        (cards[:2], (None, ["answer"]), ["JH"]),
        (cards, ("pone",), []),
    ):
        assert [str(one.deal.play) for one in progress.to_repeat(some, *asked)] == wanted


@given(st.lists(st.integers(1, 30), min_size=1, max_size=60))
@settings(max_examples=30)
def test_periods_are_whole_sessions_and_hold_every_hand(sizes):
    throws = [
        one(at, loss=0.5, session=str(name))
        for name, size in enumerate(sizes)
        for at in range(size)
    ]
    found = progress.periods(throws)
    assert 1 <= len(found) <= progress.MAX_PERIODS
    assert sum(period.decisions for period in found) == len(throws)
    ends = {sum(sizes[:at]) for at in range(len(sizes) + 1)}
    assert {sum(p.decisions for p in found[:at]) for at in range(len(found) + 1)} <= ends
    assert all(period.lost_mean == pytest.approx(0.5) for period in found)
    if len(sizes) <= progress.MAX_PERIODS // 2 and len(set(sizes)) == 1:
        assert len(found) == len(sizes)


def test_simultaneous_sessions_keep_their_order(store):
    rows = [one(1, loss=loss, session=name) for name, loss in (("c", 0.4), ("a", 0.2), ("b", 0.3))]
    for row in rows:
        store.save(row)
    store.remove("a", rows[1].problem)
    store.save(rows[1])
    for _ in range(2):
        found = [(row["game"], row["loss"]) for row in csv_rows("history")]
        assert found == [("quiz 1", "0.4"), ("quiz 2", "0.3"), ("quiz 3", "0.2")]


def test_repeated_hands_are_not_progress():
    costly = one(1, loss=2.0, score="@103-104")._replace(**AT_A_SCORE | {"kind": GAME})
    fine = one(2, loss=2.0, score="@103-104")._replace(**AT_A_SCORE | {"kind": GAME, "win_loss": 0})
    verdicts = [one.verdict for one in (costly, fine, one(3, loss=2.0))]
    assert verdicts == ["blunder", "best", "blunder"]
    found = progress.progress_of([costly, fine, one(4, loss=0.4, kind=GAME, cards="AC2C3C4C5C6C")])
    (period,) = found.periods[GAME]
    assert (period.decisions, period.errors, period.lost) == (3, 2, 0.4)
    assert (found.lost_mean, found.by_points, period.lost_mean, period.counted) == (0.4, 1, 0.4, 1)
    assert [note[:39] for note in found.notes] == ["What chances to win decide (2 of 3) cou"]
    scored = progress.progress_of([one(1, loss=2.0, score="@103-104")._replace(**AT_A_SCORE)])
    assert (scored.lost, scored.periods[SCORED][0].lost_mean) == (0, 0.25)
    throws = [
        one(1, loss=0.2), one(2, loss=0.4),
        one(3, loss=1.0, kind=HARD, session="b", cards="AC2C3C4C5C7C"),
        one(4, loss=5.0, kind=AGAIN, session="c"), one(1, loss=0.0, session="d"),
    ]  # fmt: skip
    assert progress.progress_of(throws).notes == ["Charts show each hand the first time: 3 of 5."]
    found = progress.progress_of(throws).to_dict()
    assert {kind: [period["lost"] for period in periods] for kind, periods in
            found["periods"].items()} == {DEALT: [pytest.approx(0.6)], HARD: [1.0]}  # fmt: skip
    assert found["lost"] == pytest.approx(6.6)
    assert found["periods"][DEALT][0]["lost_se"] == pytest.approx(0.1)  # of 0.2 and 0.4


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.sampled_from([None, "dealer", "pone"]),
                  st.integers(1, 3), st.integers(0, 14)), min_size=1, max_size=2,
    )
)  # fmt: skip
@settings(
    max_examples=4,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_exports_review_to_the_same_losses(store, sessions):
    store.clear()
    for seed, role, number, keep in sessions:
        selection = Selection(seed, role=role)
        session = Session(selection, selection.problems(), number, store=store)
        while not session.over:
            session.answer(session.next_problem.held.kept[keep % 5 : keep % 5 + 2])
    throws = store.read()
    exported = pd.read_csv(StringIO(progress.stored_discards(throws).to_csv(index=False)))
    found = review(exported).decisions
    ours = progress.stored_discards(throws)
    assert ours["loss"].tolist() == found["loss"].tolist()
    assert ours["verdict"].tolist() == found["verdict"].tolist()
    assert ours["result"].tolist() == found["result"].tolist()
