"""Games by HTTP: the rules hold whatever is sent, and nothing hidden is told."""

import asyncio
import contextlib
import http.client
import json
import random
import re
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from games import cards_in, deal_by_players, names
from referee import Referee
from shell import queried, wait_until
from test_game import tell

from cribev.app.games import store
from cribev.app.games.database import FILE, StoreError
from cribev.app.games.errors import GameError, TurnError
from cribev.app.games.game import Game
from cribev.app.games.levels import answer_moves, duplicate_game
from cribev.app.games.players import PLAYER, GreedyPlayer
from cribev.app.games.store import GameStore, local_games
from cribev.app.web import forms, kept_reviews
from cribev.app.web.api import play_card
from cribev.app.web.kept_reviews import local_reviews
from cribev.errors import CribevError
from cribev.game.stakes import Stakes
from cribev.opponents.habits import LEVELS

DECK = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"]


class Client:
    """Asks over one connection, and sends JSON."""

    def __init__(self, site):
        self.connection = http.client.HTTPConnection(site, timeout=300)
        self.close = self.connection.close

    def ask(self, method, path, body=None):
        text = body if isinstance(body, bytes) else None if body is None else json.dumps(body)
        self.connection.request(method, path, text)
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def begin(self, **given):
        status, state = self.ask("POST", "/api/games", given)
        assert status == 201
        return state

    def state(self, name):
        status, state = self.ask("GET", f"/api/games/{name}")
        assert status == 200
        return state

    def move(self, name, what, **given):
        return self.ask("POST", f"/api/games/{name}/{what}", given)


@pytest.fixture
def client(site, folder):
    assert not folder.exists()
    store._games_at.cache_clear()
    with contextlib.closing(Client(site)) as made:
        yield made


def hidden_in(game):
    """What the player does not see: cards of this deal, as the server has them."""
    deal = deal_by_players(game)
    seen = {*deal.hands[0], *deal.laid, deal.starter}
    shown = [one for one in game.events if one.show and one.deal == deal.number]
    seen |= {card for event in shown for card in event.cards}
    return {*names(sorted({*deal.hands[1], deal.cut} - seen))}


def follow(state):
    """Hold a state to what a referee says of the moves; nothing the player cannot see is in it."""
    game = local_games().find(state["id"]).game
    referee, again = Referee(), Game(game.seed, dealer=game.first_dealer)
    referee.deal(again.dealer, [names(hand) for hand in deal_by_players(again).hands])
    for move in game.moves:
        again.make(move)
        tell(referee, again, move)
    assert state["score"] == referee.score == list(game.score)
    assert (state["to_do"] == "over") == (referee.winner is not None)
    if referee.winner is not None:
        assert state["won"] == (referee.winner == 0)
    if state["to_do"] == "play":
        assert referee.turn == 0
        assert {*state["legal"]} == {*referee.legal} <= {*state["hand"]}
        assert state["count"] == referee.count
    assert not cards_in(state) & hidden_in(game)


def good_move(state, rng):
    """A move by the rules: its address and body."""
    if state["to_do"] == "discard":
        return "discard", {"cards": rng.sample(state["hand"], 2)}
    if state["to_do"] == "play":
        return "play", {"card": rng.choice(state["legal"])}
    return "next", {}


def bad_move(state, rng):
    """A move against the rules, or no move at all."""
    own, other = state["hand"], [card for card in DECK if card not in state["hand"]]
    stuck = [card for card in own if card not in state["legal"]]
    right = state["to_do"]
    discards = [rng.sample(other, 2), own[:1] * 2, own[:3] or ["5H"], "no cards", [7, 8]]
    cards = [rng.choice(other), stuck[0] if stuck else "1X", None, "5", "AC AD"]
    nexts = [{"moves": state["moves"] + 1}, {"moves": "x"}, b"[1", b'"next"']
    discards += [rng.sample(own, 2)] if right == "play" and own[1:] else []
    cards += ["go"] if right in ("discard", "play") else []
    cards += own[:1] if right == "discard" else []
    nexts += [{}] if right != "next" else []
    return rng.choice([
        *(("discard", {"cards": cards}) for cards in discards), ("discard", {}),
        *(("play", {"card": card}) for card in cards), ("play", {"kard": "AC"}),
        *(("next", body) for body in nexts),
    ])  # fmt: skip


def play_out(client, seed, *, bad=0.3, reload=0.05):
    """Play a game at random with bad moves and reloads in between; return how many bad ones."""
    rng = random.Random(seed)
    given = rng.choice([{"seed": seed}, {}, {"seed": seed, "dealer": "you"}])
    level = rng.choice([*LEVELS])
    state = client.begin(**given, level=level)
    assert state["level"] == level
    refused = 0
    while state["to_do"] != "over":
        if rng.random() < bad:
            what, body = bad_move(state, rng)
            status, answer = client.ask("POST", f"/api/games/{state['id']}/{what}", body)
            assert status in (400, 409, 422), (what, body)
            assert [*answer] == ["error"]
            assert client.state(state["id"]) == state
            refused += 1
        if rng.random() < reload:
            store._games_at.cache_clear()  # as if the server were started again
            assert client.state(state["id"]) == state
        what, body = good_move(state, rng)
        if rng.random() < 0.5:
            body["moves"] = state["moves"]
        status, state = client.move(state["id"], what, **body)
        assert status == 200, state
        follow(state)
    assert client.state(state["id"]) == state
    assert state["seed"] == local_games().find(state["id"]).game.seed
    return refused


@pytest.mark.slow
def test_many_games_with_moves_against_the_rules(client):
    assert sum(play_out(client, seed) for seed in range(2, 5)) > 25


def test_the_state_has_what_is_documented(client, get):
    state = client.begin(seed=7, dealer="you")
    page = get("/api").text.partition("In the state of a game")[2]
    named = re.findall(r"<code>(\w+)</code></th>", page)
    assert {*named} <= {*state}
    assert len(named) > 20
    calls = "GET /api/games/ID/duplicate", "POST /api/games/ID/next"
    get("/api").says(*calls, "one of beginner, casual,")
    assert state["hand"] == ["3H", "5C", "6S", "8H", "8S", "KC"]
    assert (state["role"], state["to_do"], state["seed"]) == ("dealer", "discard", 7)


def test_both_ends_of_a_seed_and_seeds_drawn(client):
    you, expert = (client.begin(seed=7, dealer=dealer) for dealer in ("you", "opponent"))
    assert [you["role"], expert["role"]] == ["dealer", "pone"]
    other_end = deal_by_players(local_games().find(you["id"]).game).hands[1]
    assert expert["dealt"] == names(other_end)
    first, second = client.begin(), client.begin()
    assert all(first[name] != second[name] for name in ("id", "dealt"))
    assert first["seed"] is None  # it is told at the end alone


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"seed": -1}, "seed='-1': expected a whole number from 0 up"),
        ({"seed": 1.5}, "seed='1.5': expected"),
        ({"seed": "x"}, "seed='x': expected"),
        ({"seed": True}, "seed='true'"),
        ({"seed": 10**39}, "below 2**129"),
        ({"seed": "9" * 39}, "below 2**129"),
        ({"dealer": "me"}, "dealer='\"me\"': expected 'you' or 'opponent'"),
        ({"dealer": 0}, "expected 'you' or 'opponent'"),
        (
            {"level": "Club"},
            "unknown level 'Club'; did you mean 'club'?",
        ),
        ({"level": ["club"]}, "level='[\"club\"]': expected a name"),
        ({"sead": 7}, "unknown parameter 'sead'; did you mean 'seed'?"),
        (b"[]", "is not a JSON object"),
        (b"\xff", "is not a JSON object"),
        (b"[" * 100_000, "is not a JSON object"),
    ],
    ids=str,
)
def test_games_that_cannot_begin(client, body, text):
    status, answer = client.ask("POST", "/api/games", body)
    assert (status, text in answer["error"]) == (400, True)


def test_refusals_say_why(client):
    name = client.begin(seed=7, dealer="you")["id"]
    for what, body, status, text in (
        ("play", {"card": "5C"}, 409, "there is no card to play: the discards come first"),
        ("next", {}, 409, "there is no next deal yet: the discards come first"),
        ("discard", {"cards": ["5C", "9H"]}, 422, "9H is not among your cards"),
        ("discard", {"cards": ["5C"]}, 422, "expected 2 cards, got 1"),
        ("discard", {"cards": ["5C", "6S"], "moves": 9}, 409, "the game has moved on meanwhile"),
        ("discard", {"cards": 5}, 400, 'expected two cards: {"cards": ["5H", "9C"]}'),
        ("play", {}, 400, 'expected a card: {"card": "5H"}'),
        ("discard", {"cards": ["3H", "KC"]}, 200, ""),
        ("discard", {"cards": ["5C", "6S"]}, 409, "there is nothing to discard: the play goes on"),
        ("play", {"card": "go"}, 422, "you cannot say go: expected one of 5C 6S 8H 8S"),
        ("play", {"card": "KC"}, 422, "KC is not among your cards: 5C 6S 8H 8S"),
    ):
        found, answer = client.move(name, what, **body)
        assert (found, answer.get("error", "")[: len(text)]) == (status, text)


@pytest.mark.parametrize("name", ["x", "../../etc/passwd", "a" * 16, "%2e%2e", "a" * 900])
def test_no_such_game(client, name):
    for method, path in (("GET", ""), ("POST", "/next")):
        status, answer = client.ask(method, f"/api/games/{name}{path}", None)
        assert (status, len(answer["error"]) < 150) == (404, True)


def test_automatic_go_may_be_said_again():
    rng = random.Random(1)
    game = Game(1, dealer=0)
    for player in (0, 1):
        game.discard(player, list(deal_by_players(game).hands[player][:2]))
    with pytest.raises(TurnError, match="you cannot say go now"):
        play_card(game, {"card": "go"})

    def said_go():
        return [card for player, card in deal_by_players(game).steps if player == 0][-1:] == [None]

    while not (game.turn == 1 and said_go()):
        game.lay(game.turn, rng.choice(game.legal(game.turn)))
    moves = len(game.moves)
    play_card(game, {"card": "Go "})
    assert len(game.moves) == moves


@pytest.mark.slow
def test_twenty_tabs_do_the_same_at_once(client, site):
    state = client.begin(seed=3)
    rng = random.Random(3)
    with contextlib.ExitStack() as stack:
        tabs = [stack.enter_context(contextlib.closing(Client(site))) for _ in range(20)]
        while state["deal"] < 3:
            what, body = good_move(state, rng)
            calls = [partial(tab.move, state["id"], what, **body) for tab in tabs]
            with ThreadPoolExecutor(len(tabs)) as threads:
                found = list(threads.map(lambda call: call(), calls))
            first, *others = sorted(status for status, _ in found)
            assert first == 200
            assert {*others} <= {409, 422}
            state = client.state(state["id"])
            follow(state)


def test_a_damaged_game_is_told_and_left(client, folder, get):
    name = client.begin(seed=7)["id"]
    ((whole,),) = queried(folder, "SELECT text FROM games")
    times = (json.loads(whole) | {"at": at} for at in (None, "soon", "0001-01-01T00:00:00+14:00"))
    for text in ("", "{", whole[: len(whole) // 2], whole.replace('"format": 1', '"format": 9'),
                 whole.replace("[]", '["0 lay 5H"]'), whole.replace("[]", '[["x"]]'), b"\xff",
                 whole.replace("7", '"7"', 1), "[" * 100_000, *map(json.dumps, times)):  # fmt: skip
        queried(folder, "UPDATE games SET text = ?", text)
        store._games_at.cache_clear()
        assert get("/play").status == 200
        status, answer = client.ask("GET", f"/api/games/{name}")
        assert (status, "cannot be read" in answer["error"]) == (404, True)
        assert queried(folder, "SELECT CAST(text AS BLOB) = CAST(? AS BLOB) FROM games", text) == [
            (1,)
        ]
    queried(folder, "UPDATE games SET text = ?", whole)
    assert client.state(name)["id"] == name


def resigned(store, seed, **given):
    """Begin a game, give it up, and return its name."""
    name = store.create(seed=seed, **given)
    with store.playing(name) as game:
        game.resign(PLAYER)
    return name


def test_programs_drop_only_their_own_games(tmp_path):
    store = GameStore(tmp_path / FILE, most=5, of_programs=5)
    mine, day, first = store.create(seed=7), store.create_daily(), resigned(store, 8)
    with store.playing(day) as game:
        game.resign(PLAYER)
    bots = [store.create(seed=seed, program=True) for seed in range(5)]
    with pytest.raises(CribevError, match="5 games are under way, and no more are kept"):
        store.create(program=True)
    with store.playing(bots[3]) as game:
        game.resign(PLAYER)
    bots[3] = store.create(program=True)  # in the place of that which is over
    others = [resigned(store, seed) for seed in range(2)]
    late = resigned(store, 9)  # in memory alone
    assert "5 games are kept, and no more: remove one" in store.find(late).error
    again = GameStore(tmp_path / FILE)
    assert {name for name, _ in again.played()} == {mine, day, first, *others}
    assert [store.find(name).game.winner for name in bots] == [None] * 5
    with pytest.raises(GameError, match="there is no game"):
        again.find(late)


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


@pytest.mark.parametrize("kept", [True, False])
def test_program_is_told_the_game_limit(client, folder, monkeypatch, kept):
    if not kept:
        folder.write_text("a file where the folder should be")
    monkeypatch.setattr(local_games(), "_most", {False: 3, True: 3})
    mine = local_games().create() if kept else ""
    asked = [client.ask("POST", "/api/games", {"seed": 7}) for _ in range(5)]
    assert [status for status, _ in asked] == [201] * 3 + [400] * 2
    assert asked[-1][1]["error"].startswith("3 games are under way, and no more are kept")
    for name in [mine] * kept + [state["id"] for _, state in asked[:3]]:
        assert local_games().find(name).game.winner is None


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
    store = GameStore(tmp_path / FILE, of_programs=5)
    name = store.create(seed=7, dealer=0)
    with full():
        assert "the disk is full" in discard(store, name, 0, "3H KC").error
    made = [resigned(store, seed, program=True) for seed in range(9)]
    assert queried(tmp_path, "SELECT count(*) FROM games") == [(6,)]
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


def test_programs_hear_that_a_move_was_not_written(client, full):
    state = client.begin(seed=7, dealer="you")
    assert state["unsaved"] is None
    with full():
        status, state = client.move(state["id"], "discard", cards=["3H", "KC"])
    assert (status, "the disk is full" in state["unsaved"]) == (200, True)
    assert client.move(state["id"], "play", card=state["legal"][0])[1]["unsaved"] is None


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
    answered = {}

    def play(seed):
        rng = random.Random(seed)
        with (
            contextlib.closing(Client(site)) as client,
            contextlib.suppress(OSError, http.client.HTTPException),
        ):
            state = client.begin(level=[*LEVELS][seed])
            while True:
                answered[state["id"]] = state
                if len(answered) > 3 and sum(one["moves"] for one in answered.values()) > 60:
                    process.kill()
                what, body = good_move(state, rng)
                _, state = client.move(state["id"], what, **body)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(play, range(4)))
    process.wait()
    kept = GameStore(folder / FILE)
    for name, state in answered.items():
        game = kept.find(name).game
        assert len(game.moves) >= state["moves"]
        with kept.playing(name) as going:  # and it goes on
            answer_moves(going, state["level"])
    assert queried(folder, "SELECT count(*) FROM games")[0][0] >= len(answered) == 4


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_two_hundred_games_at_once_against_every_level(site):
    def play(seed):
        with contextlib.closing(Client(site)) as client:
            state = client.begin(level=[*LEVELS][seed % len(LEVELS)])
            for _ in range(4):
                what, body = good_move(state, random.Random(seed))
                status, state = client.move(state["id"], what, **body)
                assert status == 200, state
                follow(state)

    with ThreadPoolExecutor(200) as threads:
        list(threads.map(play, range(200)))


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


def test_expert_adapts_to_opponent_without_delay(client, site, monkeypatch):
    asked, done = [], threading.Event()

    def duplicate(*given):
        asked.append(given)
        assert done.wait(60)
        return 121, 99

    monkeypatch.setattr("cribev.app.web.api.duplicate_score", duplicate)
    names = [client.begin(seed=7, level="casual", stakes="acc")["id"] for _ in range(3)]
    for name in names:
        local_games().move(name, lambda game: game.resign(PLAYER))

    def ask(name):
        with contextlib.closing(Client(site)) as other:
            other.ask("GET", f"/api/games/{name}/duplicate")

    threads = [threading.Thread(target=ask, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    wait_until(lambda: asked)
    assert client.begin(seed=8)["to_do"] == "discard"
    assert len(asked) == 1
    done.set()
    for thread in threads:
        thread.join(60)
    dealer = local_games().find(names[0]).game.first_dealer
    assert asked == [(7, dealer, "casual", Stakes.read("acc"))] * 3


def test_the_level_makes_the_score(monkeypatch):
    levels = []
    monkeypatch.setattr(
        "cribev.app.games.levels.Level",
        lambda level, *_, **__: levels.append(level) or GreedyPlayer(),
    )
    duplicate_game.__wrapped__(7, 0, "beginner")
    assert {*levels} == {"beginner", "expert"}


def test_moves_are_answered_in_order():
    async def took(seconds, error=None):
        async def move():
            await asyncio.sleep(seconds)
            if error:
                raise error
            return seconds

        begun = time.monotonic()
        with contextlib.nullcontext() if error is None else pytest.raises(type(error)):
            assert await forms.in_step(move()) == seconds
        return time.monotonic() - begun

    for seconds, steps in ((0.0, 1), (0.012, 1), (0.034, 1), (0.06, 2)):
        for error in (None, CribevError("no")):
            assert asyncio.run(took(seconds, error)) >= steps * forms.STEP - 1e-3


def test_every_move_is_answered_in_order(client):
    state = client.begin(seed=7)
    for _ in range(4):
        what, body = good_move(state, random.Random(1))
        asked = time.monotonic()
        status, state = client.move(state["id"], what, **body)
        assert (status, time.monotonic() - asked >= forms.STEP) == (200, True)
