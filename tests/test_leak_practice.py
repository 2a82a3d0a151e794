"""Practice of one kind of decisions, your own first."""

import re
from functools import partial
from itertools import combinations, compress, islice

import numpy as np
import pytest
from asking import with_files
from games import random_games, with_play
from shell import outcome, refused, run

from cribev import review
from cribev.commands.practice import draw_progress
from cribev.game.cards import format_cards
from cribev.game.render import Drawn
from cribev.practice.problems import cards_of, discards_of, stored_in
from cribev.practice.progress import periods, progress_of
from cribev.practice.session import grade_answer
from cribev.practice.store import GAME, SCORED, stored_decision
from cribev.reviews.leaks import GROUPS, cards_in, practised_group

pytestmark = pytest.mark.usefixtures("folder")


def quiz(*arguments, answers=""):
    return outcome("quiz", *arguments, stdin=answers.encode())


@pytest.mark.parametrize("leak", ["five-to-their-crib", "pair-broken", "hand-over-crib"])
def test_discards_of_a_kind_are_dealt(leak):
    for problem in islice(discards_of(3, leak=leak, role=GROUPS[leak].role), 3):
        position = problem.position
        pairs = [*combinations(position.held.kept, 2)]
        inside = stored_in(leak, [(position, pair) for pair in pairs])
        assert any(inside)
        assert not all(inside)
        if leak.startswith("five"):
            assert position.role == "pone"
            assert inside == [any(card >> 2 == 4 for card in pair) for pair in pairs]


@pytest.mark.parametrize("leak", ["lead-five", "answer-pair", "missed", "leaves-21", "after-go"])
def test_cards_of_a_kind_are_dealt(leak):
    for problem in islice(cards_of(3, leak=leak), 2):
        within = cards_in(leak, [problem.position])[0]
        assert within.any()
        assert {*np.flatnonzero(within)} <= {*problem.position.legal_ranks}


def test_own_mistakes_of_a_kind_come_first(store):
    first, second = islice(discards_of(3, leak="pair-broken"), 2)
    arguments = ["--leak", "pair-broken", "--hands", "2"]
    asked = quiz(*arguments, "--seed", "3", "--no-save", answers="1 2\n1 2\n")[1]
    assert format_cards(first.held.kept) in asked
    pairs = [*map("".join, combinations("123456", 2))]
    inside = stored_in("pair-broken", [(first.position, first.parse(pair)) for pair in pairs])
    broken = compress(pairs, inside)
    worst = max(broken, key=lambda pair: grade_answer(first, pair).decision.loss)
    quiz(*arguments, "--seed", "3", answers=f"{worst}\n")
    (saved,) = store.read()
    assert (saved.kind, saved.verdict) == ("hard", "blunder")
    status, out, _ = quiz(*arguments, answers="12\n")
    assert (status, out.partition(",")[0]) == (0, "1 of 1")
    assert format_cards(first.held.kept) in out
    assert "hands that give up a pair" in out
    assert second != first


def test_discards_near_the_end_are_practised(ask, store):
    arguments = ["--leak", "discard-to-win", "--hands", "1"]
    first = next(discards_of(937457, score="close"))
    out = quiz(*arguments, "--seed", "937457", answers="12\n")[1]
    assert format_cards(first.held.kept) in out
    (saved,) = store.read()
    assert (saved.kind, saved.verdict) == (SCORED, "mistake")
    assert format_cards(first.held.kept) in quiz(*arguments, answers="12\n")[1]
    store.clear()
    assert "score=close" in ask("/practice/again?leak=discard-to-win").headers["location"]


def test_what_is_no_leak_is_refused():
    for arguments, told in (
        (["--leak", "pair-broke"], "'pair-broke' is no leak: expected pair-broken, "),
        (["--leak", "lead-five", "--dealer"], "fives led are pone's: expected another leak"),
        (["--leak", "lead-five", "--play", "lead"], "--leak says what is asked: no --play with it"),
        (["--leak", ""], "'' is no leak: expected "),
        (["--leak", "lead-five", "--count"], "no --leak with it"),
        (["--leak", "card-for-points"], "'card-for-points' is no leak: expected "),
        (["--leak", "card-to-win"], "'card-to-win': only your own come back, and none does so now"),
    ):
        assert told in refused("quiz", *arguments)
    assert practised_group("missed").role is None


def test_the_page_deals_a_kind(ask):
    assert '<option value="five-to-their-crib">' in ask("/practice").text
    page = ask("/practice/again?leak=five-to-their-crib")
    address = page.headers["location"]
    assert "leak=five-to-their-crib" in address
    shown = ask(address)
    assert (shown.status, "Hand 1 of 10" in shown.words) == (200, True)
    assert "fives thrown to your opponent's crib" in shown.words
    assert ask("/practice/again?leak=fives").status == 400


def test_games_are_told_by_hundreds_with_luck_beside():
    problem = next(discards_of(3))
    row = grade_answer(problem, "12").row
    one = stored_decision(problem, row, session="a", kind=GAME)
    found = periods([one] * 250, GAME)
    assert [period.decisions for period in found] == [100, 100, 50]
    luck = row["deal_luck"] + row["starter_luck"]
    assert [period.luck_mean for period in found] == pytest.approx([luck] * 3)
    assert [period.decisions for period in periods([one] * 150, GAME)] == [150]
    told = str(Drawn(partial(draw_progress, progress_of([one])._replace(periods={GAME: found}))))
    assert "luck a deal" in told
    assert f"{luck:+.2f}" in told


def test_games_reviewed_come_back(ask, get, store, tmp_path):
    games = with_play(random_games(2, deals=1, seed=4, noise=3.0), seed=4).drop(columns="score")
    games.to_csv(tmp_path / "games.csv", index=False)
    given = ["review", str(tmp_path / "games.csv"), "--player", "Ann", "--practise"]
    assert "--practise goes with --player" in refused(*given[:2], "--practise")
    assert "no other can be named" in refused(*given, "--show-only")
    done = run(*given)
    told = re.search("([0-9]+) decisions of 'Ann' kept for practice", done.stderr.decode())
    kept = store.read()
    assert (done.returncode, len(kept)) == (0, int(told[1]))
    found = review(games).of_player("Ann")
    rows = [one for one in kept if one.is_discard]
    assert [one.chosen for one in rows] == found.decisions["discard"].tolist()
    assert len({one.session for one in kept}) == 2
    chosen = found.cards[found.cards["choices"] > 1]
    laid = [one for one in kept if not one.is_discard]
    assert sorted(one.ev_loss for one in laid) == pytest.approx(sorted(chosen["loss"]))
    worst = max(rows, key=lambda one: one.ev_loss)
    leaks = found.leaks[(found.leaks["decision"] == "discard") & (found.leaks["kind"] == "crib")]
    group = leaks.set_index("example")["group"][worst.position]
    out = quiz("--leak", group, "--no-save", answers="12\n")[1]
    assert format_cards(worst.problem.held.kept) in out
    sent = with_files(get, [("a.csv", games.to_csv(index=False).encode())])
    page = ask(sent.headers["location"])
    assert page.text.count("practise these</button>") == 2
    again = ask(f"{sent.headers['location']}/1/keep", {})
    assert again.headers["location"] == "/practice/again"
    assert store.read() == kept  # once
    store.clear()
    ask(f"{sent.headers['location']}/1/keep", {})
    assert [one._replace(at="") for one in store.read()] == [one._replace(at="") for one in kept]
    assert ask(f"{sent.headers['location']}/3/keep", {}).status == 404
    alone = games[games["player"] == "Ann"].to_csv(index=False)
    (tmp_path / "games.csv").write_text(alone)
    assert b"in no deal are the starter and the cards of both known" in run(*given, "--fast").stderr
