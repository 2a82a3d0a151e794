"""Games in the database: nothing that was answered is lost, whoever else writes."""

import contextlib
import json
import sqlite3
from functools import partial
from urllib.parse import urlencode

import pytest
from asking import ask
from shell import queried
from test_play_pages import fields_of, step

from cribev.app.games import store
from cribev.app.games.database import FILE, StoreError
from cribev.app.games.errors import GameError, TurnError
from cribev.app.games.game import PLAYER
from cribev.app.games.levels import Level, answer_moves, duplicate_game
from cribev.app.games.store import GameStore, local_games
from cribev.app.web import kept_reviews
from cribev.app.web.kept_reviews import local_reviews
from cribev.errors import CribevError


def test_a_damaged_game_is_told_and_left(folder, get):
    name = local_games().create(seed=7)
    ((whole,),) = queried(folder, "SELECT text FROM games")
    times = (json.loads(whole) | {"at": at} for at in (None, "soon", "0001-01-01T00:00:00+14:00"))
    for text in ("", "{", whole[: len(whole) // 2], whole.replace('"format": 1', '"format": 9'),
                 whole.replace("[]", '["0 lay 5H"]'), whole.replace("[]", '[["x"]]'), b"\xff",
                 whole.replace("7", '"7"', 1), "[" * 100_000, *map(json.dumps, times)):  # fmt: skip
        queried(folder, "UPDATE games SET text = ?", text)
        store._games_at.cache_clear()
        assert get("/play").status == 200
        answer = get(f"/play/{name}")
        assert (answer.status, "cannot be read" in answer.words) == (404, True)
        assert queried(folder, "SELECT CAST(text AS BLOB) = CAST(? AS BLOB) FROM games", text) == [
            (1,)
        ]
    queried(folder, "UPDATE games SET text = ?", whole)
    assert get(f"/play/{name}").status == 200


def resigned(store, seed, **given):
    """Begin a game, give it up, and return its name."""
    name = store.create(seed=seed, **given)
    with store.playing(name) as game:
        game.resign(PLAYER)
    return name


def test_games_are_never_dropped(tmp_path, full, monkeypatch):
    store = GameStore(tmp_path / FILE, most=2)
    names = [store.create(seed=7), resigned(store, 8)]
    late = store.create(seed=9)  # in memory alone
    assert "2 games are kept, and no more: remove one" in store.find(late).error
    again = GameStore(tmp_path / FILE)
    assert [name for name, _ in again.played()] == names[::-1]
    with pytest.raises(GameError, match="there is no game"):
        again.find(late)
    monkeypatch.setattr("cribev.app.games.store._IN_MEMORY", 2)
    with full():
        store.create()
        with pytest.raises(CribevError, match="2 games could not be written, and no more are kept"):
            store.create()


def test_games_of_programs_are_not_listed(tmp_path):
    store = GameStore(tmp_path / FILE)
    mine, program = store.create(seed=7), store.create(seed=8)
    queried(tmp_path, "UPDATE games SET program = 1 WHERE name = ?", program)  # by 0.4
    assert [name for name, _ in GameStore(tmp_path / FILE).played()] == [mine]


@pytest.mark.usefixtures("folder")
def test_personal_reviews_are_never_dropped(monkeypatch):
    reviews = local_reviews()
    monkeypatch.setattr(kept_reviews, "MOST_KEPT", 2)
    questions = [{"source": f"record {at}", "name": "a.csv"} for at in range(3)]
    for at in range(2):
        reviews.begin(f"key{at}", 1, questions[at])
    with pytest.raises(StoreError, match="2 reviews are kept, and no more: remove one"):
        reviews.begin("key2", 1, questions[2])
    reviews.begin("key3", 1, questions[1])  # in place of the same record
    assert [one.key for one in reviews.listed(9)] == ["key3", "key0"]


def discard(store, name, player, cards):
    with store.playing(name) as game:
        game.discard(player, cards)
    return store.find(name)


@pytest.fixture
def full(monkeypatch):
    """A disk that is full, as long as it lasts."""

    class Full(sqlite3.Connection):
        """A database that takes no row more."""

        def execute(self, sql, *values):
            if sql.startswith("INSERT"):
                error = sqlite3.OperationalError("database or disk is full")
                error.sqlite_errorcode = sqlite3.SQLITE_FULL
                raise error
            return super().execute(sql, *values)

    @contextlib.contextmanager
    def full():
        with monkeypatch.context() as patch:
            patch.setattr("sqlite3.connect", partial(sqlite3.connect, factory=Full))
            yield

    return full


def test_what_cannot_be_written_goes_on_in_memory(tmp_path):
    blocked = tmp_path / "data"
    blocked.write_text("a file where the folder should be")
    store = GameStore(blocked / FILE)
    name = store.create(seed=7, dealer=0)
    assert "data' is not a folder" in store.last_error
    assert len(discard(store, name, 0, "3H KC").game.moves) == 1
    blocked.unlink()
    discard(store, name, 1, "3C 9H")
    assert store.last_error == ""
    assert len(GameStore(blocked / FILE).find(name).game.moves) == 2


def test_unwritten_games_survive_later_play(tmp_path, full):
    store = GameStore(tmp_path / FILE)
    name = store.create(seed=7, dealer=0)
    with full():
        assert "the disk is full" in discard(store, name, 0, "3H KC").error
    made = [resigned(store, seed) for seed in range(9)]
    assert queried(tmp_path, "SELECT count(*) FROM games") == [(10,)]
    assert GameStore(tmp_path / FILE).find(made[-1]).game.seed == 8
    assert len(store.find(name).game.moves) == 1
    assert discard(store, name, 1, "3C 9H").error == ""
    assert len(GameStore(tmp_path / FILE).find(name).game.moves) == 2


def test_newer_writes_win_over_unwritten_ones(tmp_path, full):
    one, another = GameStore(tmp_path / FILE), GameStore(tmp_path / FILE)
    name = one.create(seed=7, dealer=0)
    with full():
        discard(one, name, 0, "3H KC")
    another.note(name, seen=True)
    assert len(one.find(name).game.moves) == 1
    discard(another, name, 0, "5C 6S")
    discard(one, name, 1, "3C 9H")
    moves = [str(move) for move in another.find(name).game.moves]
    assert moves == ["0 discard 5C 6S", "1 discard 3C 9H"]
    assert another.find(name).seen


def test_two_servers_never_both_move(tmp_path):
    one, another = GameStore(tmp_path / FILE), GameStore(tmp_path / FILE)
    name = one.create(seed=7, dealer=0)

    def move(store, cards, before):
        with store.playing(name) as game:
            game.discard(0, cards)
            before()

    with pytest.raises(ZeroDivisionError):
        move(one, "3H KC", lambda: 1 / 0)
    assert not one.find(name).game.moves
    with pytest.raises(TurnError, match="moved on meanwhile"):
        move(another, "3H KC", lambda: move(one, "5C 6S", int))
    assert [str(move) for move in another.find(name).game.moves] == ["0 discard 5C 6S"]
    with another.playing(name, moves=1) as game:
        game.discard(1, "3C 9H")
    assert len(one.find(name).game.moves) == 2


def test_killed_server_loses_no_answered_move(started, folder):
    process = started("-m", "cribev", "serve", "--port", "0", "--no-browser")
    site = process.stdout.readline().decode().strip().removeprefix("http://").rstrip("/")

    def send(path, fields=None):
        kind, method = "application/x-www-form-urlencoded", "GET" if fields is None else "POST"
        body = fields and urlencode(fields, doseq=True)
        return ask(site, path, method=method, body=body, Content_Type=kind)

    fields = {"seed": "7", "first": "dealer", "count": "page"}
    address = send("/play", fields).headers["Location"]
    for _ in range(4):
        assert step(send, address).status == 303
    (at, *_) = fields_of(send(address), "at")
    process.kill()
    process.wait()
    with GameStore(folder / FILE).playing(address.rpartition("/")[2]) as game:
        assert len(game.moves) == int(at) >= 8
        answer_moves(game)  # and it goes on


def test_processes_that_move_at_once_lose_nothing(started, tmp_path):
    name = GameStore(tmp_path / FILE).create(seed=7, dealer=0)
    code = f"""
from pathlib import Path
from cribev.app.games.errors import MoveError
from cribev.app.games.store import GameStore
store, made = GameStore(Path({str(tmp_path / FILE)!r})), 0
for _ in range(100):
    try:
        with store.playing({name!r}) as game:
            if game.phase == "over":
                break
            player = next(one for one in (0, 1) if game.to_do(one) != "wait")
            if game.phase == "discard":
                game.discard(player, list(game.position(player).held.dealt[:2]))
            elif game.phase == "next":
                game.next_deal(player)
            else:
                game.lay(player, game.legal(player)[0])
        made += 1
    except MoveError:
        pass
print(made)
"""
    both = [started("-c", code) for _ in range(2)]
    made = sum(int(one.communicate(timeout=300)[0]) for one in both)
    assert made == len(GameStore(tmp_path / FILE).find(name).game.moves) > 60


def test_the_level_makes_the_score(monkeypatch):
    levels, greedy = [], Level("greedy")
    monkeypatch.setattr(
        "cribev.app.games.levels.Level",
        lambda level, *_, **__: levels.append(level) or greedy,
    )
    duplicate_game.__wrapped__(7, 0, "beginner")
    assert {*levels} == {"beginner", "expert"}
