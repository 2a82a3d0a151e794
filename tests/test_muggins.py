"""Muggins: what a player misses in a hand, the opponent takes, on the page and for programs."""

import json
import re
from functools import partial

import numpy as np
import pytest
from asking import posted
from games import play_until

from cribev import explain, review
from cribev.errors import MoveError, TurnError
from cribev.game.score import WINNING_SCORE
from cribev.games.game import Game, Move
from cribev.games.players import EXPERT, PLAYER
from cribev.games.store import GameStore, local_games
from cribev.practice.store import GAME
from cribev.reviews.games import game_table
from cribev.reviews.pgn import format_pgn, parse_pgn
from cribev.reviews.record import as_record

pytestmark = pytest.mark.usefixtures("folder")


def played(seed, misses):
    """Play a game at muggins; each hand is counted for so many points less, in turn."""
    game, turn = Game(seed, muggins=PLAYER), 0
    while game.winner is None:
        play_until(game, "count")
        if game.phase == "count":
            game.count(PLAYER, max(0, game.to_count().total - misses[turn % len(misses)]))
            turn += 1
    return game


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("misses", [(0,), (2, 0, 5), (29,)])
def test_what_is_missed_is_taken(seed, misses):
    game = played(seed, misses)
    score = [0, 0]
    for one in game.events:
        if one.points:
            score[one.scorer] = min(score[one.scorer] + one.points, WINNING_SCORE)
        assert tuple(score) == one.score
        if one.show is not None:
            assert one.show == explain(list(one.cards), one.show.starter, crib=one.kind == "crib")
            own = one.player == PLAYER
            assert one.points == (min(one.counted, one.show.total) if own else one.show.total)
    taken = [one for one in game.events if one.kind == "muggins"]
    assert {one.scorer for one in taken} <= {EXPERT}
    assert bool(taken) == any(misses)
    again = Game.replay(seed, map(Move.parse, map(str, game.moves)), muggins=PLAYER)
    assert again.events == game.events


def test_a_game_at_muggins_can_be_reviewed_and_exported():
    game = played(3, (2, 0, 4))
    table = game_table(game)
    record = as_record(table)
    assert {*record.scores_after[-1]} == {*game.score}
    before = [deal.score.seen_by(game.record.role(deal.number, PLAYER)) for deal in game.deals]
    you = record.frame["player"] == "You"
    assert record.scores[you].tolist() == [list(one) for one in before]
    found = review(table, fast=True)
    assert np.isfinite(found.decisions["ev_loss"]).all()
    assert re.search(r"luck and miscounts (cost|brought) ", found.summary("You"))
    unmissed = review(game_table(played(3, (0,))), fast=True)
    assert re.search(r"luck (cost|brought) ", unmissed.summary("You"))
    read = as_record(parse_pgn(format_pgn(record)))
    rows = ["deal", "role", "score", "score_after"]
    assert sorted(read.frame[rows].values.tolist()) == sorted(record.frame[rows].values.tolist())


def test_too_much_counts_for_nothing_and_hints_of_the_hand_are_hidden():
    game = Game(7, muggins=PLAYER)
    play_until(game, "count")
    assert (game.to_do(PLAYER), game.to_do(EXPERT)) == ("count", "wait")
    show, before = game.to_count(), game.score[PLAYER]
    told = json.dumps(game.to_dict(PLAYER))
    assert show.spoken not in told
    for wrong in ("x", 30, -1):
        with pytest.raises(MoveError, match="expected points, from 0 to 29"):
            game.count(PLAYER, wrong)
    with pytest.raises(TurnError, match="not your hand"):
        game.count(EXPERT, 4)
    game.count(PLAYER, 29)
    assert game.score[PLAYER] == before + show.total
    assert not any(one.kind == "muggins" for one in game.events)
    play_until(game, "next")
    with pytest.raises(TurnError, match="no hand to count"):
        game.count(PLAYER, 4)


def test_the_opponent_may_win_by_what_is_missed():
    games = [played(seed, (29,)) for seed in range(12)]
    last = [next(one for one in game.events[::-1] if one.points) for game in games]
    assert "muggins" in {one.kind for one in last}
    for game in games:
        assert game.phase == "over"


def hand_on(page):
    return re.search(r'name="show" value="(\d)"', page.text)


def begin(ask, count):
    """Begin a game on the page and play its first deal to the show; its address."""
    fields = {"seed": "7", "first": "dealer", "count": count, "level": "expert"}
    address = ask("/play", fields).headers["Location"]
    lay_out(address.rpartition("/")[2])
    return address


def lay_out(name):
    """Play a deal to its show, as the page would."""
    with local_games().playing(name) as game:
        play_until(game, "count", "next")


@pytest.mark.parametrize("count", ["muggins", "me"])
def test_counting_on_the_page(ask, store, count):
    ask = partial(ask, Cookie="cribev_counts=me")
    address = begin(ask, count)
    name = address.rpartition("/")[2]
    taken, counted = 0, []
    assert hand_on(ask(f"{address}?show=1")) is None
    for number in (2, 3):
        page = ask(f"{address}?show={number}")
        assert hand_on(page)[1] == str(number)
        game = local_games().find(name).game
        show = game.to_count() if count == "muggins" else game.shown[number - 1].show
        assert show.spoken not in page.text
        points = max(0, show.total - 2)
        counted.append((points, number + 3, GAME))
        taken += show.total - points
        answer = ask(f"{address}/count", {"show": number, "points": points})
        assert answer.status == 303
        page = ask(answer.headers["Location"])
        told = f"You said {points}: {show.total - points} missed"
        assert told in page.words
        rule = "Your opponent takes that." if count == "muggins" else "You get all "
        assert rule in page.words
    assert [(one.counted, one.number, one.kind) for one in store.read_counts()] == counted
    events = [one.points for one in local_games().find(name).game.events if one.kind == "muggins"]
    assert sum(events) == (taken if count == "muggins" else 0)
    assert ("for muggins" in page.text) == (count == "muggins")
    again = ask(f"{address}/count", {"show": 3, "points": 29})
    assert again.status == (409 if count == "muggins" else 303)
    assert len(store.read_counts()) == 2
    assert "2 hands counted" in ask("/practice").words
    assert ask(f"{address}/next", {}).status == 303


def test_what_waits_to_be_counted_goes_on_after_a_restart(ask, folder):
    address = begin(ask, "muggins")
    stored = GameStore(folder / "games").find(address.rpartition("/")[2])
    assert (stored.game.phase, stored.game.muggins) == ("count", PLAYER)
    assert "Count the hands" in ask(address).words
    assert "best line" not in ask(f"{address}?line=1").words
    assert "the hands are to be counted" in ask("/play").words
    assert ask(f"{address}/next", {}).status == 409


def test_programs_count(get):
    name = posted(get, "", seed=7, dealer="you", muggins=True).json["id"]
    lay_out(name)
    state = get(f"/api/games/{name}").json
    assert (state["to_do"], len(state["shown"])) == ("count", 1)
    total = local_games().find(name).game.to_count().total
    state = posted(get, f"/{name}/count", points=0, moves=state["moves"]).json
    hand, muggins = state["events"][-2:]
    assert (hand["kind"], hand["counted"]) == ("hand", 0)
    assert (muggins["kind"], muggins["points"], muggins["for_you"]) == ("muggins", total, False)
    assert state["shown"][1]["points"] == total
    assert "expected points" in posted(get, f"/{name}/count", points="4").text
    assert "expected true or false" in posted(get, "", muggins=1).text
