import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from io import StringIO
from itertools import islice

import hypothesis.strategies as st
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from cribev import review
from cribev.game.cards import format_cards
from cribev.practice.hands import hands_of
from cribev.practice.progress import (
    MAX_PERIODS,
    baseline_comparison_text,
    hands_to_repeat,
    periods,
    progress_of,
    spots_to_repeat,
    stored_decisions,
    stored_record,
)
from cribev.practice.session import Selection, ThrowSession
from cribev.practice.store import FILE, Store, StoreError, store_path
from cribev.practice.stored import (
    AGAIN,
    DEALT,
    GAME,
    HARD,
    SCORED,
    StoredLay,
    StoredThrow,
    stored_verdicts,
)
from cribev.practice.throws import parse_discard

# Writes throws one by one, and says after each that it is kept.
WRITER = """
import sys
from cribev.practice.store import Store, store_path
from cribev.practice.stored import StoredThrow
fields = {
    name: 0.5 for name, kind in StoredThrow.__annotations__.items() if kind is float
} | {
    "at": "2026-11-21T18:00:00+00:00", "kind": "dealt", "role": "pone", "rank": 1, "seed": "7",
    "cards": "2H 5D 5H 8D JS QC", "discard": "2H 8D", "best_discard": "JS QC", "starter": "AS",
    "opponent_cards": "3H 4D 6H 9D TS KC", "opponent_discard": "TS KC",
    "solution": "x", "version": "x",
}
store = Store(store_path())
print("ready", flush=True)
for number in range(1, int(sys.argv[2]) + 1):
    store.save(StoredThrow(**fields | {"session": sys.argv[1], "number": number}))
    print(number, flush=True)
"""


pytestmark = pytest.mark.usefixtures("folder")


def one(number=1, *, loss=0.0, session="a", kind=DEALT, cards=None, role=None):
    """Make up a throw."""
    return StoredThrow(
        session=session, at=f"2026-11-21T18:{number // 60:02}:{number % 60:02}+00:00", kind=kind,
        role=role or ("dealer" if number % 2 else "pone"),
        cards=cards or "2H 5D 5H 8D JS QC", opponent_cards="3H 4D 6H 9D TS KC",
        opponent_discard="TS KC", starter="AS", seed="7", number=number, discard="2H 8D",
        best_discard="JS QC", expected=1.0, best_expected=1.0 + loss, ev_loss=loss,
        rank=1 if loss == 0 else 2, margin=0.2, deal_luck=0.1, starter_luck=0.2, crib_swing=0.3,
        result=0.6 - loss, solution="00", version="0",
    )  # fmt: skip


def one_lay(number=1, *, loss=0.0, session="a", kind=DEALT, laid="JH"):
    """Make up a lay."""
    return StoredLay(
        session=session, at=f"2026-11-21T18:00:{number:02}+00:00", kind=kind, role="dealer",
        hand="4H 5C JD JS", discard="9C KD", starter="7H", laid=laid, opponent_hand="2D 3S TC JH",
        seed="7", number=number, card="5C", best_card="J", expected=-0.5,
        best_expected=loss - 0.5, ev_loss=loss, rank=1 if loss == 0 else 2, win_loss=None,
        solution="00", version="0",
    )  # fmt: skip


def writer(session, number, **options):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, session, str(number)], stdout=subprocess.PIPE, **options
    )


def test_what_is_kept_comes_back_as_it_was(store, folder):
    throws = [one(1), one(2, loss=0.1234567890123)]
    assert store.read() == []
    assert not folder.exists()
    store.save(throws[0])
    store.save(throws[1])
    assert store.read() == throws
    assert throws[0].hand.seed == 7
    assert folder.stat().st_mode & 0o077 == 0


def test_lays_are_kept_beside_throws_and_taken_back(store):
    lays = [one_lay(1), one_lay(2, loss=0.4, laid="JH JS TC go go"), one_lay(3, kind=GAME)]
    store.save(one(1), *lays, lays[0]._replace(card="4H"))
    assert (store.read(), store.read_lays(), store.read_lays("b")) == ([one(1)], lays, [])
    assert lays[1].spot.laid[2:] == (36, None, None)
    store.remove("a", lays[0].spot)
    assert (store.read(), store.read_lays("a")) == ([one(1)], lays[1:])
    assert store.clear() == 3
    assert store.read_lays() == []


def test_what_cannot_be_kept_is_told_but_the_same_throw_again_is_left_out(store):
    store.save(one(1), one(1)._replace(at="2026-11-22T00:00:00+00:00"))
    with pytest.raises(StoreError, match=r"NOT NULL constraint failed: throws\.discard"):
        store.save(one(1), one(2)._replace(discard=None))
    assert store.read() == [one(1)]


def test_two_write_at_once_and_one_is_killed_in_the_middle(store, folder):
    writers = [writer("a", 40), writer("b", 40), writer("c", 100_000)]
    for process in writers:
        assert process.stdout.readline() == b"ready\n"
    acknowledged = [writers[2].stdout.readline() for _ in range(15)]
    writers[2].send_signal(signal.SIGKILL)
    acknowledged += writers[2].stdout.read().splitlines()
    for process in writers[:2]:
        assert process.wait(300) == 0
        process.stdout.close()
    writers[2].wait(300)
    writers[2].stdout.close()
    numbers = {name: [row.number for row in store.read(name)] for name in ("a", "b", "c")}
    assert numbers["a"] == numbers["b"] == [*range(1, 41)]
    assert numbers["c"] == [*range(1, len(numbers["c"]) + 1)]
    assert len(numbers["c"]) - len(acknowledged) in (0, 1)
    with sqlite3.connect(folder / FILE) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


def damage(path):
    Store(path).save(one())
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + os.urandom(len(whole) - 100))


def cut_short(path):
    Store(path).save(*map(one, range(1, 200)))
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
    Store(path).save(one())
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
def test_what_is_not_ours_is_told_in_a_line_and_left_as_it_is(store, folder, wrong):
    path = folder / FILE
    wrong(path)
    before = path.read_bytes() if path.is_file() else None
    for act in (lambda: store.save(one()), store.clear, store.read):
        with pytest.raises(StoreError, match=r"^\S.{10,}") as caught:
            act()
        assert len(str(caught.value).splitlines()) == 1
        assert FILE in str(caught.value)
    assert (path.read_bytes() if path.is_file() else None) == before


def test_a_folder_that_cannot_be_is_told_in_a_line(store, folder):
    folder.write_text("")
    for act in (store.read, store.clear, lambda: store.save(one())):
        with pytest.raises(StoreError, match=r"data' is no folder$"):
            act()


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("session", "not a session"), ("session", b"\xff"), ("at", "2026-91-21"), ("at", "x"),
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
def test_a_row_that_cannot_be_is_left_out_and_left_as_it_is(store, folder, column, cell):
    store.save(one(1), one(2), one(3))
    with sqlite3.connect(folder / FILE) as database:
        database.execute(f"UPDATE throws SET {column} = ? WHERE id = 2", [cell])
        (before,) = database.execute("SELECT * FROM throws WHERE id = 2")
    told = []
    assert store.read(tell=told.append) == [one(1), one(3)]
    assert told == [f"'{folder / FILE}': 1 of 3 throws is damaged, left out"]
    (after,) = database.execute("SELECT * FROM throws WHERE id = 2")
    database.close()
    assert after == before


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("kind", "scored"), ("role", "pone"), ("hand", "4H 5C JD"), ("hand", "5C 4H JD JS"),
        ("hand", "4H 5C JH JS"), ("discard", "4H KD"), ("starter", "x"), ("laid", "JH JD"),
        ("laid", "2D x"), ("laid", b"\xff"), ("laid", "QH"), ("laid", ""), ("laid", "go"),
        ("opponent_hand", "2D"), ("card", "9C"), ("card", ""), ("best_card", "Z"), ("rank", 5),
        ("ev_loss", -1.0), ("expected", "x"), ("win_loss", 2.0), ("win_loss", "x"), ("seed", None),
        ("number", 0), ("at", "x"), ("session", "no"),
    ],
)  # fmt: skip
def test_a_lay_that_cannot_be_is_left_out(store, folder, column, cell):
    store.save(one_lay(1), one_lay(2), one_lay(3))
    with sqlite3.connect(folder / FILE) as database:
        database.execute(f"UPDATE lays SET {column} = ? WHERE id = 2", [cell])
    database.close()
    told = []
    assert store.read_lays(tell=told.append) == [one_lay(1), one_lay(3)]
    assert told == [f"'{folder / FILE}': 1 of 3 cards is damaged, left out"]


AT_A_SCORE = {"kind": SCORED, "score": "103-104", "win": 0.25, "best_win": 0.5,
              "win_discard": "2H QC", "win_loss": 0.25}  # fmt: skip


@pytest.mark.parametrize(
    ("column", "cell"),
    [("score", "103-121"), ("score", "x"), ("score", None), ("win", None), ("best_win", 1.5),
     ("win_discard", "2H 3H"), ("win_discard", None), ("win_loss", "x")],
)  # fmt: skip
def test_a_throw_at_a_score_that_cannot_be_is_left_out(store, folder, column, cell):
    rows = [one(number)._replace(**AT_A_SCORE) for number in (1, 2, 3)]
    store.save(*rows)
    assert store.read() == rows
    assert rows[0].hand.score == (103, 104)
    with sqlite3.connect(folder / FILE) as database:
        database.execute(f"UPDATE throws SET {column} = ? WHERE id = 2", [cell])
    database.close()
    assert store.read() == [rows[0], rows[2]]


@pytest.fixture
def reopened(monkeypatch):
    """Have the database opened in another way."""

    def reopened(change):
        connect = sqlite3.connect
        monkeypatch.setattr(
            sqlite3, "connect", lambda address, **how: change(connect, address, how)
        )

    return reopened


def test_a_database_that_cannot_be_written_is_still_read(store, reopened):
    store.save(one())
    reopened(lambda connect, uri, how: connect(uri.replace("mode=rwc", "mode=ro"), **how))
    with pytest.raises(StoreError, match="it is read-only"):
        store.save(one(2))
    assert store.read() == [one()]


def test_a_full_disk_is_told(store, reopened):
    def full(connect, uri, how):
        database = connect(uri, **how)
        database.execute("PRAGMA max_page_count = 1")
        return database

    reopened(full)
    with pytest.raises(StoreError, match="the disk is full"):
        store.save(one())


def test_who_has_no_home_is_told_what_to_do(monkeypatch):
    monkeypatch.delenv("CRIBEV_DATA_DIR")
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name: f"~/{name}")
    store = Store(store_path())
    for act in (lambda: store.save(one()), store.read, store.clear):
        with pytest.raises(StoreError, match="CRIBEV_DATA_DIR"):
            act()


def test_a_throw_that_finds_the_database_locked_is_kept_with_the_next(folder):
    store = Store(folder / FILE, wait=0.1)
    store.save(one())
    other = sqlite3.connect(folder / FILE, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    start = time.monotonic()
    for number in (2, 3):
        with pytest.raises(StoreError, match="another program has locked it"):
            store.save(one(number))
    assert time.monotonic() - start < 5
    assert (store.pending, "locked" in store.trouble) == (2, True)
    other.close()
    store.save(one(4))
    assert (store.pending, store.trouble) == (0, "")
    assert store.read() == [one(number) for number in (1, 2, 3, 4)]


def link_to_nothing(path):
    path.parent.mkdir()
    path.symlink_to(path.parent / "no" / "such" / "file")


def link_to_itself(path):
    path.parent.mkdir()
    path.symlink_to(path)


def folder_that_links_to_nothing(path):
    path.parent.symlink_to(path.parent.parent / "nothing")


@pytest.mark.parametrize("wrong", [link_to_nothing, link_to_itself, folder_that_links_to_nothing])
def test_a_link_that_leads_nowhere_is_told(store, folder, wrong):
    wrong(folder / FILE)
    for act in (store.read, store.clear, lambda: store.save(one())):
        with pytest.raises(StoreError, match="is a link that leads nowhere"):
            act()


def test_a_link_to_where_a_file_can_be_made_is_followed(store, folder, tmp_path):
    folder.mkdir()
    (folder / FILE).symlink_to(tmp_path / "synced.sqlite3")
    assert store.read() == []
    store.save(one())
    assert (tmp_path / "synced.sqlite3").is_file()
    assert store.read() == [one()]


def test_a_reader_while_the_first_throw_is_written_finds_nothing_yet(folder, reopened):
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


# What version 0.2 kept, format 1; in format 2, the column is called session.
OLD = """
CREATE TABLE throws (
    id INTEGER PRIMARY KEY,
    run TEXT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,
    role TEXT NOT NULL, cards TEXT NOT NULL, opponent_cards TEXT NOT NULL,
    opponent_discard TEXT NOT NULL, starter TEXT NOT NULL, seed TEXT, number INTEGER,
    discard TEXT NOT NULL, best_discard TEXT NOT NULL,
    expected REAL NOT NULL, best_expected REAL NOT NULL, ev_loss REAL NOT NULL,
    rank INTEGER NOT NULL, margin REAL NOT NULL,
    deal_luck REAL NOT NULL, starter_luck REAL NOT NULL, crib_swing REAL NOT NULL,
    result REAL NOT NULL,
    solution TEXT NOT NULL, version TEXT NOT NULL,
    UNIQUE (run, number, role, cards)
);
PRAGMA application_id = 1668442466;
PRAGMA user_version = 1;
"""


@pytest.fixture(params=[1, 2])
def old(folder, request):
    """Make a file of an older format, with two throws."""
    folder.mkdir()
    fields = [name for name in StoredThrow._fields if name not in StoredThrow._field_defaults]
    session, script = "run", OLD
    if request.param == 2:
        session, script = "session", OLD.replace("run", "session").replace("n = 1;", "n = 2;")
    names = ", ".join([session, *fields[1:]])
    with sqlite3.connect(folder / FILE) as database:
        database.executescript(script)
        marks = ", ".join("?" * len(fields))
        rows = [one(number)[: len(fields)] for number in (1, 2)]
        database.executemany(f"INSERT INTO throws ({names}) VALUES ({marks})", rows)
    database.close()
    return folder / FILE


def version_of(path):
    with sqlite3.connect(path) as database:
        ((version,),) = database.execute("PRAGMA user_version")
    database.close()
    return version


def test_a_file_of_the_old_format_is_read_and_brought_along_by_the_next_throw(store, old):
    before = old.read_bytes()
    assert store.read() == store.read("a") == [one(1), one(2)]
    assert old.read_bytes() == before
    store.save(one(2)._replace(discard="5D 5H"), one(3))
    assert version_of(old) == 3
    assert store.read() == store.read("a") == [one(1), one(2), one(3)]


def test_a_throw_of_an_old_file_is_taken_back_and_all_deleted(store, old):
    store.remove("a", one(1).hand)
    assert (store.read(), version_of(old)) == ([one(2)], 3)
    assert store.clear() == 1


def test_an_old_file_is_deleted(store, old):
    assert store.clear() == 2
    assert version_of(old) < 3
    assert store.read() == []


def test_a_throw_taken_back_is_kept_no_longer(store):
    hands = list(islice(hands_of(7), 2))
    session = ThrowSession(Selection(7), hands, 2, store=store)
    for text in ("TD JC", "3C 3H"):
        session.answer(parse_discard(text, session.next_problem.deal))
    session.take_back()
    assert [one.discard for one in store.read()] == ["TD JC"]
    session.answer(parse_discard("TD QD", session.next_problem.deal))
    assert [one.discard for one in store.read(session.name)] == ["TD JC", "TD QD"]
    assert session.over
    assert store.read("b") == []


def test_all_of_it_is_deleted(store, folder):
    cards = "AC 2C 3C 4C 5C 6C"
    store.save(*(one(number, cards=cards) for number in range(1, 50)))
    assert cards.encode() in (folder / FILE).read_bytes()
    assert store.clear() == 49
    assert store.clear() == 0
    assert store.read() == []
    assert cards.encode() not in (folder / FILE).read_bytes()
    store.save(one())
    assert len(store.read()) == 1


def test_what_lost_most_comes_back_first_until_it_is_thrown_well():
    a, b, c, d, e = (f"AC 2C 3C 4C 5C {rank}C" for rank in "6789T")
    throws = [
        one(1, loss=0.5, cards=a), one(1, loss=2.0, cards=b), one(1, loss=0.2, cards=c),
        one(1, loss=1.0, cards=d), one(1, loss=3.0, cards=e), one(2, loss=0.3, cards=d),
    ]  # fmt: skip

    def back(throws, role=None):
        return [(format_cards(hand.cards), hand.role) for hand in hands_to_repeat(throws, role)]

    dealt = [(cards, "dealer") for cards in (e, b, d, a)]
    assert back(throws) == [*dealt, (d, "pone")]
    assert back(throws, "pone") == [(d, "pone")]
    since = [*throws, one(3, loss=0.29, cards=e), one(3, loss=0.8, cards=b),
             one(3, loss=4.0, cards=c)]  # fmt: skip
    assert back(since, "dealer") == [(cards, "dealer") for cards in (c, d, b, a)]


@given(st.lists(st.integers(1, 30), min_size=1, max_size=60))
@settings(max_examples=30)
def test_periods_are_whole_sessions_and_hold_every_hand(sizes):
    throws = [
        one(at, loss=0.5, session=str(name))
        for name, size in enumerate(sizes)
        for at in range(size)
    ]
    found = periods(throws)
    assert 1 <= len(found) <= MAX_PERIODS
    assert sum(period.decisions for period in found) == len(throws)
    ends = {sum(sizes[:at]) for at in range(len(sizes) + 1)}
    assert {sum(p.decisions for p in found[:at]) for at in range(len(found) + 1)} <= ends
    assert all(period.lost_mean == pytest.approx(0.5) for period in found)
    if len(sizes) <= MAX_PERIODS // 2 and len(set(sizes)) == 1:
        assert len(found) == len(sizes)


def test_spots_come_back_until_they_are_laid_well():
    lays = [
        one_lay(1, loss=0.2), one_lay(2, loss=0.4, laid="JH JS TC go go"), one_lay(3, loss=0.09),
        one_lay(4, loss=0.5, laid="2D"), one_lay(5, laid="2D"),
    ]  # fmt: skip
    assert [spot.laid_text for spot in spots_to_repeat(lays)] == ["JH JS TC go go"]
    assert [spot.laid_text for spot in spots_to_repeat(lays[:2])] == ["JH JS TC go go", "JH"]
    assert [spot.kind for spot in spots_to_repeat(lays[:2], kinds=["answer"])] == ["answer"]
    assert spots_to_repeat(lays, "pone") == []


def test_chances_to_win_decide_where_there_are_any():
    costly = one(1, loss=2.0)._replace(**AT_A_SCORE | {"kind": GAME})
    fine = one(2, loss=2.0, kind=GAME)._replace(**AT_A_SCORE | {"kind": GAME, "win_loss": 0.0})
    assert stored_verdicts([costly, fine, one(3, loss=2.0)]) == ["blunder", "best", "blunder"]
    found = progress_of([costly, fine, one(4, loss=0.4, kind=GAME, cards="x")])
    (period,) = found.periods[GAME]
    assert (period.decisions, period.errors, period.lost) == (3, 2, 0.4)
    scored = progress_of([one(1, loss=2.0)._replace(**AT_A_SCORE)])
    assert (scored.lost, scored.periods[SCORED][0].lost_mean) == (0, 0.25)


def test_hands_thrown_before_are_no_progress_and_hard_ones_stand_apart():
    throws = [
        one(1, loss=0.2), one(2, loss=0.4), one(3, loss=1.0, kind=HARD, session="b", cards="h"),
        one(4, loss=5.0, kind=AGAIN, session="c"), one(1, loss=0.0, session="d"),
    ]  # fmt: skip
    found = progress_of(throws).to_dict()
    assert {kind: [period["lost"] for period in periods] for kind, periods in
            found["periods"].items()} == {DEALT: [pytest.approx(0.6)], HARD: [1.0]}  # fmt: skip
    assert found["lost"] == pytest.approx(6.6)
    assert baseline_comparison_text(throws).startswith("lost 0.300 ± 0.100 a deal")
    assert baseline_comparison_text(throws[2:]) == ""


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
def test_what_is_exported_is_reviewed_to_the_same_losses(store, sessions):
    store.clear()
    for seed, role, number, keep in sessions:
        selection = Selection(seed, role=role)
        session = ThrowSession(selection, selection.hands(), number, store=store)
        while not session.over:
            session.answer(keep)
    throws = store.read()
    exported = pd.read_csv(StringIO(stored_record(throws).to_csv(index=False)))
    found = review(exported).decisions
    ours = stored_decisions(throws)
    assert ours["ev_loss"].tolist() == found["ev_loss"].tolist()
    assert ours["verdict"].tolist() == found["verdict"].tolist()
    assert ours["result"].tolist() == found["result"].tolist()
