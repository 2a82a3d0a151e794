"""The ten and the game of the day: the same for everybody, once, on every surface."""

import json
from datetime import date
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest
from games import play_until
from shell import good, on_a_terminal, printed, queried, refused, run, wait_until

from cribev import review
from cribev.app.games.clock import day_seed, numbered_day, today
from cribev.app.games.database import FILE
from cribev.app.games.game import PLAYER, Game
from cribev.app.games.levels import duplicate_game, parting_text
from cribev.app.games.store import (
    GameStore,
    Result,
    daily_name,
    day_of_game,
    duplicate_text,
    local_games,
)
from cribev.app.practice.progress import daily_progress
from cribev.app.practice.session import SQUARES, Selection, daily_session, result_line
from cribev.app.practice.store import AGAIN, DEALT
from cribev.app.web.practice import start_page
from cribev.game.cards import format_cards
from cribev.game.words import parse_integer

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture(autouse=True)
def on(monkeypatch):
    """Set the day it is, and return its ten."""

    def on(day):
        monkeypatch.setenv("CRIBEV_TODAY", day)
        return Selection.of_day(today())

    on("2026-11-23")
    return on


def answers_of(selection):
    """Choose the first cards that can be chosen in a day's problems."""
    ten = islice(selection.problems(), 10)
    return [format_cards(one.position.legal[: 1 + one.is_discard]) for one in ten]


def quiz(answers, *options):
    return run("quiz", "--today", *options, stdin="\n".join(answers).encode())


def test_daily_ten_count_once(on, store):
    answers = answers_of(on("2026-11-23"))
    out = quiz(answers[:3]).stdout.decode()
    assert "1 of 10, as dealer" in out
    assert out.endswith("3 of 10: cribev quiz --today goes on from there\n")
    done = quiz(answers[3:])
    assert done.stderr == b"3 of 10 are answered and count: you go on\n"
    *_, line, days = done.stdout.decode().splitlines()
    session = daily_session(store)
    assert session.over
    assert line == result_line(session.selection, session.answers)
    assert line.split()[:2] == ["cribev", "2026-11-23"]
    assert {*line.split()[2]} <= {*SQUARES.values()}
    assert days.startswith("1 day in a row; 1 of the last 30 days; ")
    told = "today's ten are done: this is practice, and does not count"
    assert quiz(["1 2"]).stderr.decode().splitlines() == [line, told]
    assert [one.kind for one in store.read()] == [DEALT] * 10 + [AGAIN]
    assert daily_session(store).answers == session.answers
    assert [one.chosen for one in store.read("20261123")] == answers


def test_an_answer_stands_on_a_terminal_too(on, store):
    first, card = answers_of(on("2026-11-23"))[:2]
    status, shown = on_a_terminal("quiz", "--today", typed=f"?\n1 2\nu\n{card}\nq\n")
    assert status == 0
    for words in (
        "what you answer today counts: it stands", "10 problems, 2026-11-23", "discard: ", "play: ",
        "2 of 10: cribev quiz --today goes on from there",
    ):  # fmt: skip
        assert words in shown
    assert [one.chosen for one in store.read()] == [first, card]


@pytest.mark.slow
def test_a_streak_and_the_last_thirty_days(on, store):
    for day in ("2026-10-01", "2026-11-20", "2026-11-22", "2026-11-23"):
        quiz(answers_of(on(day)))
    on("2026-11-24")
    quiz(["1 2"])  # begun, not done
    found = daily_progress(store.read())
    assert (found.streak, [day.day[-2:] for day in found.days]) == (2, ["23", "22", "20"])
    told = printed("history")["days"]
    assert told["streak"] == 2
    lost = [day["lost"] for day in told["days"]]
    weights = 0.5 ** (np.arange(3) / 7)
    assert told["rating"] == pytest.approx(lost @ weights / weights.sum())
    assert found.ratings[1:] == pytest.approx([lost[1:] @ weights[:2] / weights[:2].sum(), lost[2]])
    error = np.std(lost, ddof=1) * np.hypot.reduce(weights) / weights.sum()
    assert told["rating_se"] == pytest.approx(error) != 0
    assert f" rating {told['rating']:.2f} ± {error:.2f} points lost a day" in good("history")
    assert "Points lost a day over time: " in (page := start_page())
    assert 'class="moving"' in page
    assert told["days"][0]["squares"] in good("history")
    on("2026-11-25")
    assert daily_progress(store.read()).streak == 0
    assert "in a row" not in good("history")


def test_of_two_programs_the_first_answers_count(on, store):
    answers = answers_of(on("2026-11-23"))
    mine, theirs = (daily_session(store) for _ in range(2))
    mine.answer(answers[0])
    theirs.answer(format_cards(theirs.next_problem.position.legal[-2:]))
    for answer in answers[1:]:
        theirs.answer(answer)
    assert [one.chosen for one in store.read("20261123")] == answers


def test_a_damaged_row_or_file_is_survived(on, store, folder):
    answers = answers_of(on("2026-11-23"))
    quiz(answers)
    queried(folder, "UPDATE decisions SET position = 'XX' WHERE id = 4")
    assert len(daily_session(store).answers) == 3
    assert daily_progress(store.read()) is None
    assert "10 of 10, " in quiz(answers[3:]).stdout.decode()
    assert daily_session(store).over
    queried(folder, "UPDATE decisions SET loss = -1 WHERE number = 2")
    assert not daily_session(store).over
    quiz(answers[2:])
    assert daily_session(store).over
    (folder / FILE).write_text("nonsense " * 100)
    done = quiz(answers)
    assert (done.returncode, b"could not be saved" in done.stderr) == (0, True)
    assert b"cribev 2026-11-23 " in done.stdout


def test_json_has_both(on, store):
    done = quiz(answers_of(on("2026-11-23")), "--format", "json")
    assert {one.seed for one in store.read()} == {"20261123"}
    found = json.loads(done.stdout)
    assert (len(found["hands"]), len(found["positions"]), found["seed"]) == (5, 5, 20261123)
    assert found["summary"]["card"]["cards"] == 5


@pytest.mark.parametrize(
    ("options", "name"),
    [(["--seed", "7"], "--seed"), (["--play"], "--play"), (["--pone"], "--pone"),
     (["--hands", "4"], "--hands 4"),
     (["--score", "close"], "--score"), (["--again"], "--again"),
     (["--leak", "lead-five"], "--leak"), (["--no-save"], "--no-save")],
)  # fmt: skip
def test_nobody_has_other_ones(options, name):
    told = refused("quiz", "--today", *options, stdin=b"1 2\n")
    assert (told.startswith("--today is "), told.endswith(f": no {name} with it")) == (True, True)


def test_daily_seed_deals_discards_and_cards(on):
    number = Selection.of_day(date(2026, 11, 23)).seed
    assert (number, numbered_day("20261123")) == (20261123, date(2026, 11, 23))
    assert [numbered_day(seed) for seed in (20261323, "7", None, "2026112３")] == [None] * 4
    problems = [*islice(on("2026-11-23").problems(), 10)]
    assert [one.is_discard for one in problems] == [True, False] * 5
    known = [{*one.held.dealt, *one.opponent_held.dealt} for one in problems]
    assert len({frozenset(cards) for cards in known}) == 10
    assert problems != [*islice(on("2026-11-24").problems(), 10)]


def test_no_seed_that_is_typed_deals_what_counts(on):
    ten = [one.position for one in islice(on("2026-11-23").problems(), 10)]
    for typed in (
        Selection(20261123),
        Selection(202611230, play=True),
        Selection(20261123, play=True),
    ):
        assert not {*ten} & {one.position for one in islice(typed.problems(), 5)}
    day = date(2026, 11, 23)
    seeds = {day_seed(day, what) for what in ("discards", "cards", "game")}
    assert len(seeds) == 3
    assert all(parse_integer(str(seed)) is None for seed in seeds)


def test_nothing_judges_the_ten_before_they_count(ask, on, store):
    answers = answers_of(on("2026-11-23"))
    for session in ("", "&session=20261123", "&session=0123456789abcdef"):
        for day in ("2026-11-22", "2026-11-23"):
            page = ask(f"/practice?day={day}&done=12&at=1{session}")
            assert (page.status, page.headers["location"]) == (303, "/practice/today")
    quiz(answers[:1])
    first = ask("/practice/today").headers["location"].replace("at=2", "at=1")
    assert ask(first).status == 200
    assert ask(first.replace("done=12", "done=121")).status == 303
    quiz(answers[1:])
    assert ask("/practice?day=2026-11-23&done=12&at=1&session=0123456789abcdef").status == 200
    store.clear()
    assert ask("/practice?day=2026-11-21&done=12&at=1").status == 200


@pytest.mark.parametrize("day", ["2026-11-31", "0001-01-01", "\x1b[2J"])
def test_a_day_that_is_none(monkeypatch, day):
    monkeypatch.setenv("CRIBEV_TODAY", day)
    told = f"CRIBEV_TODAY={day!r}: expected a day from 2000-01-01 on, as 2026-11-23"
    assert refused("quiz", "--today", stdin=b"1 2\n") == told


def end(name):
    """Play a game to its end."""
    with local_games().playing(name) as game:
        play_until(game)
    return local_games().find(name).game


@pytest.mark.slow
def test_expert_plays_players_cards_by_rules():
    own, theirs = duplicate_game(20261123, Game(20261123).first_dealer).score
    assert (own == 121) != (theirs == 121)
    assert max(own, theirs) == 121


def test_where_the_expert_parted_first_is_told():
    own = Game(7, dealer=PLAYER)
    play_until(own)
    at = [str(one) for one in own.moves].index("0 next") + 1
    at = next(n for n in range(at, len(own.moves)) if own.moves[n].player == PLAYER)
    other = Game.replay(7, own.moves[:at], dealer=PLAYER)
    made = own.moves[at]
    six = other.position(PLAYER).held.kept
    thrown = [card for card in six if card not in made.cards][:2]
    other.discard(PLAYER, thrown)
    play_until(other)
    cards = [format_cards(some, symbols=True) for some in (made.cards, thrown)]
    told = parting_text(own, other)
    assert f"first in deal 2: you discarded {cards[0]}, the expert {cards[1]}." in told
    ends = [
        [[one.score for one in game.events if one.deal == deal][-1] for deal in (1, 2)]
        for game in (own, other)
    ]
    for first, second in ends:
        assert f"{second[0] - first[0]}–{second[1] - first[1]}" in told
    assert parting_text(own, own) == ""


@pytest.mark.slow
def test_one_game_a_day_beside_the_expert(ask, on, monkeypatch):
    expert = SimpleNamespace(score=(121, 99), moves=[])
    monkeypatch.setattr("cribev.app.web.play.duplicate_game", lambda _seed, _dealer: expert)
    monkeypatch.setattr(
        "cribev.app.web.review.review",
        lambda record, **_: review(record.without_scores(), fast=True),
    )
    for place in ("/play", "/practice"):
        page = ask(place)
        assert "Play today’s game" in page.words
    address = ask("/play/today", {}).headers["Location"]
    name = daily_name(today())
    assert address == f"/play/{name}"
    game = local_games().find(name).game
    assert game.seed == day_seed(today(), "game")
    assert ask("/play/today", {}).headers["Location"] == address
    assert "Go on with it" in ask("/play").words
    before = ask(address)
    assert "The game of 2026-11-23: everybody has the same cards" in before.words
    game = end(name)
    assert local_games().find(name).expert is None
    assert "with your cards" not in ask("/play").words
    text = duplicate_text([(Result("expert", game.winner == PLAYER, False, game.score), (121, 99))])
    shared = f"cribev game 2026-11-23: {text.replace('You', 'I').replace('your', 'my')}"
    wait_until(lambda: shared in ask(f"{address}?show=9").text)
    ask(f"{address}?show=9")
    for place in (f"{address}?show=9", "/play", "/practice"):
        assert text in ask(place).words
    assert f"The game of the day: {text}." in good("history")
    (told,) = printed("history")["daily_games"]
    assert (told["score"], told["expert"]) == ([*game.score], [121, 99])
    on("2026-11-25")
    assert "Play today’s game" in ask("/play").words
    assert [one for _, one in local_games().daily()] == [(121, 99)]
    on("2026-12-25")
    assert not [*local_games().daily()]


def test_two_processes_begin_one_game(folder, on, monkeypatch):
    one, other = (GameStore(folder / FILE) for _ in range(2))
    (name,) = {store.create_daily() for store in (one, other)}
    with one.playing(name) as game:
        game.discard(PLAYER, list(game.position(PLAYER).held.dealt[:2]))
    assert (day_of_game(name), day_of_game("day-2026-11-31--")) == (today(), None)
    read, before = other._read, iter([[]])  # what the other found before there was one
    for _ in range(2):
        assert other.create_daily() == name
        assert len(other.find(name).game.moves) == 1
        monkeypatch.setattr(other, "_read", lambda *asked: next(before, None) or read(*asked))
    on("2026-11-25")
    assert daily_name(today()) != name


@pytest.mark.parametrize(
    "damage",
    [b"", b"nonsense", b"\xff", b'{"format": 1, "seed": 20261123, "expert": [1]}',
     b'{"won": true, "seen": true, "level": "club", "score": [Infinity, 1], "expert": [1, 2]}'],
)  # fmt: skip
def test_a_damaged_game_of_today_is_set_aside(ask, folder, damage):
    name = daily_name(today())
    GameStore(folder / FILE).create_daily()
    queried(folder, "UPDATE games SET text = ?", damage)
    queried(folder, "INSERT INTO results VALUES (?, 'club', 'x', 0, '1e999', 1, x'ff', 2)", name)
    for place in ("/play", "/practice"):
        assert ask(place).status == 200
    address = ask("/play/today", {}).headers["Location"]
    assert (address, ask(address).status) == (f"/play/{name}", 200)
    aside = "SELECT text FROM games WHERE name = ?"
    assert queried(folder, aside, f"{name}.damaged") == [(damage,)]


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
    assert duplicate_text([(Result("expert", *own), expert) for own, expert in results]) == text
