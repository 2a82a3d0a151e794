"""The database of games and reviews: what is foreign, damaged, locked or full is survived."""

import os
import sqlite3
from contextlib import closing, suppress

import pytest

from cribev.app.games.database import FILE, Database, StoreError, database_path
from cribev.app.games.game import PLAYER
from cribev.app.games.store import GameStore

pytestmark = [pytest.mark.python, pytest.mark.usefixtures("folder")]


@pytest.fixture
def games(folder):
    """The games in the user's data folder."""
    return GameStore(folder / FILE)


def changed_by(path, command):
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(command)


def changed(path, change, games=1):
    for _ in range(games):
        created(path)
    path.write_bytes(change(path.read_bytes()))


def created(path):
    GameStore(path).create()
    return path


def within(path):
    path.parent.mkdir()
    return path


NOWHERE = "is a link that leads nowhere"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda path: changed(path, lambda old: old[:100] + os.urandom(len(old) - 100)), FILE),
        (lambda path: changed(path, lambda old: old[:5000], games=99), FILE),
        (lambda path: within(path).write_text("not a database " * 100), FILE),
        (lambda path: changed_by(within(path), "CREATE TABLE discards (x)"), FILE),
        (lambda path: changed_by(created(path), "PRAGMA user_version = 99"), "has format 99"),
        (lambda path: path.mkdir(parents=True), FILE),
        (lambda path: os.mkfifo(within(path)), FILE),
        (lambda path: within(path).symlink_to(path.parent / "no" / "such" / "file"), NOWHERE),
        (lambda path: within(path).symlink_to(path), NOWHERE),
        (lambda path: path.parent.symlink_to(path.parent.parent / "nothing"), NOWHERE),
        (lambda path: path.parent.write_text(""), "data' is not a folder"),
    ],
)
def test_foreign_databases_are_refused_and_untouched(games, folder, wrong, said):
    path = folder / FILE
    wrong(path)
    before = path.read_bytes() if path.is_file() else None
    for act in (games.create, lambda: games.find("A" * 16)):
        with pytest.raises(StoreError, match=r"^\S.{10,}") as caught:
            act()
        assert len(str(caught.value).splitlines()) == 1
        assert said in str(caught.value)
    assert list(games.played()) == []
    assert (path.read_bytes() if path.is_file() else None) == before


def test_other_databases_beside_it_are_left_alone(games, folder):
    folder.mkdir()
    beside = folder / "practice.sqlite3"
    beside.write_bytes(b"of another version")
    games.create()
    assert beside.read_bytes() == b"of another version"


def test_nobody_else_reads_the_folder(games, folder):
    games.create()
    assert folder.stat().st_mode & 0o077 == 0


@pytest.fixture
def reopened(monkeypatch):
    """Have the database opened in another way."""
    connect = sqlite3.connect

    def reopened(change):
        monkeypatch.setattr(sqlite3, "connect", lambda path, **how: change(connect, path, how))

    return reopened


def test_full_disk_is_reported_and_reading_goes_on(games, reopened):
    def full(connect, uri, how):
        database = connect(uri, **how)
        database.execute("PRAGMA max_page_count = 1")
        return database

    reopened(full)
    with pytest.raises(StoreError, match="the disk is full"):
        games.create()
    reopened(lambda connect, uri, how: connect(uri, **how))
    name = games.create(seed=7)
    reopened(lambda connect, uri, how: connect(uri.replace("mode=rwc", "mode=ro"), **how))
    with pytest.raises(StoreError, match="it is read-only"):
        games.create()
    with pytest.raises(StoreError, match="it is read-only"), games.playing(name) as game:
        game.resign(PLAYER)
    assert games.find(name).game.seed == 7
    assert not games.find(name).game.moves


def test_missing_home_says_what_to_do(monkeypatch):
    monkeypatch.delenv("CRIBEV_DATA_DIR")
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name: f"~/{name}")
    games = GameStore(database_path())
    for act in (games.create, lambda: games.find("A" * 16)):
        with pytest.raises(StoreError, match="CRIBEV_DATA_DIR"):
            act()


def test_a_lock_is_waited_for_once(folder):
    folder.mkdir()
    database = Database(folder / FILE, wait=0.1)
    make = "CREATE TABLE IF NOT EXISTS things (x)"
    with database.writing(make):
        pass
    other = sqlite3.connect(folder / FILE, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    for _ in range(2):
        with pytest.raises(StoreError, match="another program has locked it"), database.writing():
            raise AssertionError("nothing is written to a locked file")
    other.close()
    with database.writing() as opened:
        opened.execute("INSERT INTO things VALUES (1)")
    with database.reading("things") as opened:
        assert opened.execute("SELECT x FROM things").fetchall() == [(1,)]


def test_link_to_creatable_file_is_followed(games, folder, tmp_path):
    folder.mkdir()
    (folder / FILE).symlink_to(tmp_path / "synced.sqlite3")
    assert list(games.played()) == []
    name = games.create()
    assert (tmp_path / "synced.sqlite3").is_file()
    assert [known for known, _ in games.played()] == [name]


def test_early_reader_finds_nothing_yet(games, folder, reopened):
    writer = Database(folder / FILE, wait=0.0)
    folder.mkdir()
    (folder / FILE).touch()
    written = []

    class Interrupted(sqlite3.Connection):
        """Another program writes between what is asked here."""

        def execute(self, sql, *parameters):
            if "user_version" in sql and not written:
                written.append(True)
                with suppress(StoreError), writer.writing("CREATE TABLE IF NOT EXISTS things (x)"):
                    pass
            return super().execute(sql, *parameters)

    reopened(lambda connect, uri, how: connect(uri, factory=Interrupted, **how))
    assert list(games.played()) == []
    name = games.create()
    assert [known for known, _ in games.played()] == [name]
