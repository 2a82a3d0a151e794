"""Games in the database: nothing that was answered is lost, whoever else writes."""

import json
from functools import partial
from urllib.parse import urlencode

import pytest
from asking import ask
from shell import queried
from test_play_pages import fields_of, step

from cribev.app.games.database import FILE, StoreError
from cribev.app.games.game import PLAYER, TurnError
from cribev.app.games.levels import answer_moves
from cribev.app.games.store import GameStore, local_games
from cribev.app.web import kept_reviews
from cribev.app.web.kept_reviews import local_reviews


def test_a_damaged_game_is_told_and_left(folder, get):
    name = local_games().create(seed=7)
    ((whole,),) = queried(folder, "SELECT text FROM games")
    times = (None, "soon", "0001-01-01T00:00:00+14:00")
    times = (json.loads(whole) | {"started": time} for time in times)
    for text in ("", "{", whole[: len(whole) // 2],
                 whole.replace("[]", '["0 play 5H"]'), whole.replace("[]", '[["x"]]'), b"\xff",
                 whole.replace("7", '"7"', 1), "[" * 100_000, *map(json.dumps, times)):  # fmt: skip
        queried(folder, "UPDATE games SET text = ?", text)
        lobby = get("/play")
        lobby.says(f"The game '{name}' cannot be read: ", "It stays as it is.")
        lobby.holds(f'action="/play/{name}/forget"')
        answer = get(f"/play/{name}")
        assert (answer.status, "cannot be read" in answer.words) == (404, True)
        unchanged = "SELECT CAST(text AS BLOB) = CAST(? AS BLOB) FROM games"
        assert queried(folder, unchanged, text) == [(1,)]
    queried(folder, "UPDATE games SET text = ?", whole)
    assert get(f"/play/{name}").status == 200


def test_games_are_never_dropped(tmp_path):
    store = GameStore(tmp_path / FILE, most=2)
    names = [store.create(seed=7), store.create(seed=8)]
    with store.playing(names[1]) as game:
        game.resign(PLAYER)
    with pytest.raises(StoreError, match="2 games are kept, and no more: remove one"):
        store.create(seed=9)
    assert [name for name, _ in GameStore(tmp_path / FILE).played()] == names[::-1]


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


@pytest.mark.slow
def test_a_killed_server_loses_no_answered_move(started, folder):
    process = started("-m", "cribev", "serve", "--port", "0", "--no-browser")
    site = process.stdout.readline().decode().strip().removeprefix("http://").rstrip("/")
    asked = partial(ask, site, Content_Type="application/x-www-form-urlencoded")

    def send(path, fields=None):
        body = fields and urlencode(fields, doseq=True)
        return asked(path, method="GET" if fields is None else "POST", body=body)

    fields = {"seed": "7", "first": "dealer", "count": "page"}
    address = send("/play", fields).headers["Location"]
    for _ in range(4):
        assert step(send, address).status == 303
    (moves, *_) = fields_of(send(address), "at")
    process.kill()
    process.wait()
    with GameStore(folder / FILE).playing(address.rpartition("/")[2]) as game:
        assert len(game.moves) == int(moves) >= 8
        answer_moves(game)  # and it goes on
