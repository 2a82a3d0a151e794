"""The game of the day: the same cards for everybody, once, beside what an expert makes of them."""

import json
import re

import pytest
from games import play_until
from markup import Whole
from shell import good, printed, wait_until

from cribev import review
from cribev.games.game import Game
from cribev.games.levels import duplicate_score
from cribev.games.players import EXPERT, PLAYER
from cribev.games.store import (
    GameStore,
    Result,
    daily_name,
    day_of_game,
    duplicate_text,
    local_games,
)
from cribev.system.clock import today

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture(autouse=True)
def on(monkeypatch):
    """Set the day it is."""

    def on(day):
        monkeypatch.setenv("CRIBEV_TODAY", day)
        return daily_name(today())

    on("2026-11-24")
    return on


def end(name):
    """Play a game to its end."""
    store = local_games()
    with store.playing(name) as game:
        play_until(game)
    return store.find(name).game


@pytest.mark.slow
def test_the_expert_plays_the_players_cards_by_the_rules():
    seed = 20261123
    own, theirs = duplicate_score(seed, Game(seed).first_dealer)
    assert (own == 121) != (theirs == 121)
    assert max(own, theirs) == 121


def test_one_game_a_day_beside_the_expert(ask, on, monkeypatch):
    monkeypatch.setattr("cribev.web.play.duplicate_score", lambda _seed, _dealer: (121, 99))
    monkeypatch.setattr(
        "cribev.web.review.review_fitting",
        lambda record, *_: review(record.without_scores(), fast=True),
    )
    name = on("2026-11-24")
    for place in ("/play", "/practice"):
        page = ask(place)
        Whole(page.text)
        assert "Play today’s game" in page.words
    address = ask("/play/today", {}).headers["Location"]
    assert address == f"/play/{name}"
    game = local_games().find(name).game
    assert (game.seed, ask("/play/today", {}).headers["Location"]) == (20261124, address)
    assert "Go on with it" in ask("/play").words
    before = ask(address)
    Whole(before.text)
    assert "The game of 2026-11-24: everybody has the same cards" in before.words
    game = end(name)
    assert local_games().find(name).expert is None
    assert "with your cards" not in ask("/play").words
    text = duplicate_text([(Result("expert", game.winner == PLAYER, False, game.score), (121, 99))])
    shared = f"cribev game 2026-11-24: {text.replace('You', 'I').replace('your', 'my')}"
    wait_until(lambda: shared in ask(f"{address}?show=9").text)
    page = ask(f"{address}?show=9")
    Whole(page.text)
    assert text in page.words
    assert text in ask("/play").words
    assert text in ask("/practice").words
    assert f"The game of the day: {text}." in good("history")
    (told,) = printed("history")["daily_games"]
    assert (told["score"], told["expert"]) == ([*game.score], [121, 99])
    on("2026-11-25")
    assert "Play today’s game" in ask("/play").words
    assert [one for _, one in local_games().daily()] == [(121, 99)]
    on("2026-12-25")
    assert not [*local_games().daily()]


def test_two_processes_begin_one_game(folder, on, monkeypatch):
    one, other = (GameStore(folder / "games") for _ in range(2))
    (name,) = {store.create_daily() for store in (one, other)}
    with one.playing(name) as game:
        game.discard(PLAYER, list(game.position(PLAYER).held.dealt[:2]))
    assert (day_of_game(name), day_of_game("day-2026-11-31--")) == (today(), None)
    read, before = other._read, iter([None])  # what the other found before there was one
    for _ in range(2):
        assert other.create_daily() == name
        assert len(other.find(name).game.moves) == 1
        monkeypatch.setattr(other, "_read", lambda name: next(before, read(name)))
    assert on("2026-11-25") != name


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"nonsense",
        b"\xff",
        b'{"format": 1, "seed": 20261124, "expert": [1]}',
        b'{"won": true, "seen": true, "level": "club", "score": [Infinity, 1], "expert": [1, 2]}',
    ],
)
def test_a_damaged_game_of_today_is_set_aside(ask, on, folder, damage):
    file = folder / "games" / f"{on('2026-11-24')}.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(damage)
    for place in ("/play", "/practice"):
        assert ask(place).status == 200
    address = ask("/play/today", {}).headers["Location"]
    assert (address, ask(address).status) == (f"/play/{file.stem}", 200)
    assert file.with_suffix(".damaged").read_bytes() == damage


@pytest.mark.parametrize(
    ("results", "text"),
    [
        ([], ""),
        ([((True, False, (121, 90)), (115, 121))],
         "You won 121–90, and the expert with your cards lost 115–121"),
        ([((False, True, (46, 80)), (121, 99))],
         "You resigned at 46–80, and the expert with your cards won 121–99"),
        ([((False, False, (108, 121)), (121, 99)), ((True, False, (121, 100)), (118, 121)),
          ((False, True, (10, 20)), (121, 90))],
         "You won 1 of 3, and the expert 2 with your cards; on average you are 5.0 points behind"),
    ],
)  # fmt: skip
def test_how_games_went_beside_the_expert(results, text):
    games = [(Result("expert", *own), expert) for own, expert in results]
    assert duplicate_text(games) == text


def test_programs_have_the_expert_beside_them(get, monkeypatch):
    monkeypatch.setattr("cribev.web.api.duplicate_score", lambda _seed, _dealer: (121, 99))

    def post(path, **given):
        return get(f"/api/games{path}", method="POST", body=json.dumps(given).encode())

    state = post("", today=True).json
    assert (state["seed"], state["level"]) == (20261124, "expert")
    assert re.fullmatch(r"[\w-]{16}", state["id"])
    assert day_of_game(state["id"]) is None
    assert get(f"/api/games/{state['id']}/duplicate").status == 409
    game = end(state["id"])
    told = get(f"/api/games/{state['id']}/duplicate").json
    assert told == {"score": list(game.score), "won": game.winner == PLAYER, "expert": [121, 99]}
    assert post("", today=True, seed=7).status == 400
    assert post("", today="x").status == 400
    assert game.winner in (PLAYER, EXPERT)
