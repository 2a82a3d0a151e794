"""Practice on the command line: discards, cards, one kind; and the history."""

import io
import re
import sys
from functools import partial
from itertools import combinations, compress, islice

import numpy as np
import pandas as pd
import pytest
from asking import with_files
from games import random_games, with_play
from shell import COLOUR, good, on_a_terminal, outcome, printed, queried, refused, run

from cribev import advise, explain, review
from cribev.advice.decisions import line_text
from cribev.app.commands.practice import draw_progress
from cribev.app.games.database import FILE, StoreError
from cribev.app.practice.problems import cards_of, discards_of, stored_in
from cribev.app.practice.progress import Period, Progress, periods, progress_of
from cribev.app.practice.session import grade_answer
from cribev.app.practice.store import GAME, Store, stored_decision
from cribev.app.web.pages import count_result
from cribev.commands import cli
from cribev.game.cards import format_cards, random_hands
from cribev.game.render import Drawn
from cribev.leaks.groups import GROUPS, cards_in, practised_group
from cribev.rows.names import RECORD_COLUMNS

ANSWERS = b"TD JC\n1 2\n\n 56 \n5 6\n"

pytestmark = pytest.mark.usefixtures("folder")


def test_a_quiz_in_a_pipe(store):
    status, out, err = outcome("quiz", "--seed", "7", "--hands", "4", stdin=ANSWERS)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "1 of 4, as dealer (your crib): AH 2S 3S 9H TD JC"
    assert lines[1] == "discarded TD JC: best"
    assert lines[6].startswith("discarded 3C 3H: a blunder, lost ")
    assert lines[7].startswith("best was ")
    assert lines[-3].startswith("4 hands, seed 7: best ")
    assert re.fullmatch(r"lost [\d.]+ points, [\d.]+ a hand; greedy loses .*", lines[-2])
    points, best, lost, luck = map(float, re.findall(r"[-+]?\d+\.\d+", lines[-1]))
    assert points == pytest.approx(best - lost + luck, abs=0.021)  # each rounded
    thrown = [line[10:15] for line in lines if line.startswith("discarded ")]
    assert [one.chosen for one in store.read()] == thrown
    assert thrown[:3] == ["TD JC", "3C 3H", "9S TH"]


def test_quiz_ends_with_its_answers(store):
    for stdin in (b"", b"\n \n"):
        status, _, err = outcome("quiz", "--seed", "7", stdin=stdin)
        told = "cribev: error: no answers on standard input: expected two cards a line\n"
        assert (status, err) == (2, told)
    assert store.read() == []
    status, out, _ = outcome("quiz", "--seed", "7", stdin=ANSWERS[:6])
    assert (status, "2 of 10, as pone" in out, "1 hand, seed 7: best 1\n" in out) == (0, 1, 1)
    more = b"1 2\n" * 1000 + b"rot\n"
    status, out, _ = outcome("quiz", "--seed", "7", "--hands", "2", stdin=more)
    assert (status, "2 hands, seed 7" in out) == (0, True)


@pytest.mark.parametrize("form", ["table", "json"])
def test_bad_piped_answer_is_numbered(form, store):
    asked = ("quiz", "--seed", "7", "--format", form)
    status, out, err = outcome(*asked, stdin=b"TD JC\n\n7 8\n1 2\n")
    told = "expected two of 3C 3H 4D 9C TD QD, or their places, as 1 2"
    assert (status, err) == (2, f"cribev: error: line 3: '7 8': {told}\n")
    assert ("discarded TD JC" in out) if form == "table" else out == ""
    assert len(store.read()) == 1


def test_a_throw_is_kept_before_it_is_printed(monkeypatch, store):
    class Gone(io.StringIO):
        def write(self, text):
            if "discarded" in text:
                raise BrokenPipeError
            return super().write(text)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ANSWERS)))
    monkeypatch.setattr(sys, "stdout", Gone())
    monkeypatch.setattr(cli, "_give_up_output", lambda: None)
    assert cli.main(["quiz", "--seed", "7"]) == 0
    assert [one.chosen for one in store.read()] == ["TD JC"]


LAY = ("quiz", "--play", "--seed", "7", "--hands", "3")
LAID = b"2S\n2C\nth\n"


def test_piped_cards():
    asked = (*LAY, "--no-save")
    found = printed(*asked, stdin=LAID)
    assert found["summary"]["lost"] == pytest.approx(sum(one["loss"] for one in found["positions"]))
    _, _, err = outcome(*asked, stdin=b"9H\n")
    assert err == "cribev: error: line 1: '9H': expected one of AH 2S, or its number, as 1\n"
    assert "expected a card a line" in outcome(*asked)[2]


def test_cards_laid_again_and_their_history():
    outcome(*LAY, stdin=LAID)
    status, out, _ = outcome("quiz", "--play", "--again", stdin=b"6D\n")
    assert (status, "1 of 1, the third card" in out, "1 card again: best 1" in out) == (0, 1, 1)
    assert outcome("quiz", "--play", "--again") == (0, "", "no card waits to be played again\n")
    status, out, _ = outcome("history")
    assert (status, out.startswith("4 cards in 2 sessions: ")) == (0, True)
    assert "\nCards in the play\nsince             cards  errors  lost a card\n" in out
    assert outcome("history", "--format", "csv")[0] == 2


def test_json_says_all(store):
    found = printed("quiz", "--seed", "7", "--hands", "4", "--no-save", stdin=ANSWERS)
    assert (found["seed"], found["hard"], found["again"], found["role"]) == (7, False, False, None)
    hands = pd.DataFrame(found["hands"])
    reviewed = review(hands[[*RECORD_COLUMNS]]).decisions
    assert reviewed["loss"].tolist() == hands["loss"].tolist()
    parts = found["summary"]
    assert parts["points"] == pytest.approx(parts["best"] - parts["lost"] + parts["luck"], abs=1e-9)
    assert store.read() == []


def test_damage_is_reported_and_work_goes_on(folder):
    outcome("quiz", "--seed", "7", "--hands", "3", stdin=ANSWERS)
    whole = good("history", "--format", "csv").splitlines()
    path = folder / FILE
    queried(folder, "UPDATE decisions SET position = 'XX' WHERE id = 2")
    told = f"cribev: '{path}': 1 of 3 decisions is damaged, left out\n"
    for form in ("table", "csv", "json"):
        status, out, err = outcome("history", "--format", form)
        assert (status, err, bool(out)) == (0, told, True)
    status, out, err = outcome("history", "--format", "csv")
    assert (status, err) == (0, told)
    ours, whole = ({line.split(",", 2)[2] for line in text} for text in (out.splitlines(), whole))
    assert (len(ours), ours <= whole) == (3, True)
    status, _, err = outcome("quiz", "--again", "--no-save", stdin=b"1 2\n")
    assert (status, err.splitlines()[0] + "\n") == (0, told)
    queried(folder, "UPDATE decisions SET at = ''")
    assert refused("history") == f"'{path}': 3 of 3 decisions are damaged, left out"
    assert queried(folder, "SELECT count(*) FROM decisions") == [(3,)]


def test_history_before_the_quiz():
    nothing = "Nothing is saved yet: cribev quiz asks ten hands, cribev serve has games to play.\n"
    assert outcome("history") == (0, nothing, "")
    assert outcome("history", "--format", "json")[:2] == (0, "{}\n")
    assert outcome("history", "--format", "csv")[0] == 2
    assert outcome("quiz", "--again") == (0, "", "no hand waits to be discarded again\n")


@pytest.fixture
def thrown(store):
    """Six hands, two of them hard, in the store."""
    outcome("quiz", "--seed", "7", "--hands", "4", stdin=ANSWERS)
    outcome("quiz", "--seed", "8", "--hard", "--hands", "2", stdin=ANSWERS[6:])
    return store


@pytest.mark.usefixtures("thrown")
def test_history_of_the_quiz():
    status, out, err = outcome("history")
    assert (status, err) == (0, "")
    assert out.startswith("6 hands in 2 sessions: best ")
    assert "\nHands as dealt\nsince             hands  errors  lost a hand\n" in out
    assert "\nHard hands\n" in out
    assert out.endswith(" to discard again: cribev quiz --again\n")
    assert printed("history")["discards"]["periods"]["hard"][0]["decisions"] == 2


@pytest.mark.usefixtures("thrown")
def test_history_is_a_record_to_review(tmp_path):
    target = tmp_path / "throws.csv"
    target.write_text(good("history", "--format", "csv"))
    reviewed = good("review", str(target), "--format", "csv")
    both = [pd.read_csv(io.StringIO(text)) for text in (target.read_text(), reviewed)]
    common = list(both[0])
    assert {"game", "at", "kind", "loss", "verdict", "crib_swing", "result"} <= {*common}
    pd.testing.assert_frame_equal(both[0], both[1][common], check_exact=True)


def test_history_is_deleted(thrown):
    assert "--yes" in refused("history", "--delete")
    assert "nothing is deleted" in on_a_terminal("history", "--delete", typed="no\n")[1]
    assert len(thrown.read()) == 6
    assert outcome("history", "--delete", "--yes") == (0, "", "6 decisions deleted\n")
    assert thrown.read() == []


def test_self_linked_database_is_reported(folder):
    folder.mkdir()
    (folder / FILE).symlink_to(folder / FILE)
    told = f"'{folder / FILE}' is a link that leads nowhere\n"
    for command in (["history"], ["history", "--delete", "--yes"], ["quiz", "--again"]):
        assert outcome(*command) == (2, "", f"cribev: error: {told}")
    status, out, err = outcome("quiz", "--seed", "7", "--hands", "3", stdin=ANSWERS)
    assert (status, "3 hands, seed 7" in out) == (0, True)
    for_now, at_last = "discards are not saved for now", "3 discards could not be saved"
    assert err == f"cribev: {for_now}: {told}cribev: {at_last}: {told}"


def test_delayed_throw_is_saved_at_the_end(store, monkeypatch):
    write, failed = Store._write, []

    def fail_once(self, throws):
        if not failed:
            failed.append(True)
            raise StoreError("no")
        write(self, throws)

    monkeypatch.setattr(Store, "_write", fail_once)
    _, _, err = outcome("quiz", "--seed", "7", "--hands", "1", stdin=ANSWERS)
    assert err == (
        "cribev: discards are not saved for now: no\ncribev: all discards are saved now\n"
    )
    assert len(store.read()) == 1


def test_bars_of_all_hands_have_one_scale():
    def period(lost):
        return Period(
            "2026-11-21T18:00:00+00:00", "", 10, 2, lost, 0.1, lost_mean=lost / 10, counted=10
        )

    found = Progress(
        thing="hand", decisions=30, sessions=3, errors=6, lost=35.0, verdicts={},
        waiting=0, lost_mean=1.2, by_points=30,
        periods={"dealt": [period(5.0), period(10.0)], "hard": [period(20.0)]},
    )  # fmt: skip
    bars = [len(line) for line in re.findall(r"#+", str(Drawn(partial(draw_progress, found))))]
    assert [bar / bars[-1] for bar in bars] == pytest.approx([0.25, 0.5, 1.0], abs=0.02)


def on_a_plain_terminal(*arguments, typed):
    """Run on a terminal; return what stands there, without colours."""
    status, text = on_a_terminal(*arguments, typed=typed)
    assert status == 0, text
    return COLOUR.sub("", text).replace("\r", "")


def test_drawn_seed_is_shown_on_a_terminal(store):
    typed = "rot\n1 1\n\n1 2\n\nq\n"
    text = on_a_plain_terminal("quiz", "--hands", "2", "--hard", typed=typed)
    seed = re.search(r"^2 hands, seed (\d+), hard\ntype the two cards ", text, re.MULTILINE)[1]
    assert "  1   2   3   4   5   6\n" in text
    assert all(f"'{wrong}': expected two of" in text for wrong in ("rot", "1 1"))
    assert text.count("discard: ") == 6  # an empty line asks again
    assert f"1 hand, seed {seed}, hard: " in text
    assert f"the same hands for a friend: cribev quiz --seed {seed} --hands 2 --hard" in text
    assert len(store.read()) == 1


def test_terminal_explains_and_undoes(store):
    typed, asked = "u\n?\n1 2\nU\nTD JC\n5 6\n", ("quiz", "--seed", "7", "--hands", "2")
    text = on_a_plain_terminal(*asked, typed=typed)
    assert "this is the first hand\n" in text
    assert "from 0.6 a mistake" in " ".join(text.split())
    assert text.count("1 of 2, as dealer") == 2
    assert text.count("2 of 2, as pone") == 2
    assert text.index("discarded A♥ 2♠") < text.index("discarded 10♦ J♣: best")
    assert "2 hands, seed 7: best 2" in text
    assert [one.chosen for one in store.read()] == ["TD JC", "TD QD"]


def test_a_position_on_a_terminal(store):
    typed, asked = "?\nA\nu\n2S\n?\n6\n", ("quiz", "--play", "--seed", "7", "--hands", "2")
    text = on_a_plain_terminal(*asked, typed=typed)
    for words in ("type the card to play, JS or J, or its number", "from 0.3 a mistake"):
        assert words in " ".join(text.split())
    assert text.count("1 of 2, the ending, as dealer (your crib)\n") == 2
    assert text.count("2 of 2, the third card, as pone (your opponent's crib)\n") == 3
    table = """\
  starter 7♣   you discarded 10♦ J♣
  your opponent 7♠    J♠    go
  you              9♥    3♠
  count         7  16 26 29

  1   2
  A♥  2♠
"""
    assert table in re.sub(r" +\n", "\n", text)
    assert "Your card number 1:\nPlay the 2: " in text
    assert "Your opponent has 2 cards left" in text
    assert [one.chosen for one in store.read()] == ["2S", "6D"]


SCORED = ("quiz", "--seed", "7", "--hands", "2", "--score", "110-112")
THROWS = b"TD JC\n3C 3H\n"


@pytest.mark.slow
def test_hands_at_a_score(store):
    status, out, err = outcome(*SCORED, stdin=THROWS)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "1 of 2, as dealer (your crib), score 110-112: AH 2S 3S 9H TD JC"
    assert re.fullmatch(r"discarded TD JC: (best|close, .* wins|an? .*, .* fewer wins)", lines[1])
    assert re.match(r"best was .*: wins \d+\.\d%, and not \d+\.\d%|wins \d+\.\d%, ", lines[2])
    assert lines[3].startswith("cut 7C, your opponent discarded 9C JH: hand ")
    assert lines[-2].startswith("2 hands, seed 7, score 110-112: ")
    assert re.fullmatch(r"lost [\d.]+% of a game in chances to win, [\d.]+% a hand", lines[-1])
    rows = store.read()
    assert {(one.kind, one.problem.score_text) for one in rows} == {("scored", "110-112")}
    one = rows[0]
    table = advise(one.problem.held.kept, role=one.problem.role, score=(110, 112)).table
    win = table.set_index("discard")["win"]
    assert one.win_loss == pytest.approx(win.max() - win[one.chosen], abs=1e-9)
    assert one.best_win == pytest.approx(win.max())
    assert "\nHands at a score\n" in good("history")


def test_scored_hands_are_reviewed_alike(store):
    outcome(*SCORED, stdin=THROWS)
    rows, exported = store.read(), good("history", "--format", "csv")
    found = review(pd.read_csv(io.StringIO(exported)).drop(columns=["kind", "at"])).decisions
    assert found["win_loss"].tolist() == pytest.approx([one.win_loss for one in rows])
    assert found["verdict"].tolist() == [one.verdict for one in rows]
    hands = printed(*SCORED, "--no-save", stdin=THROWS)["hands"]
    assert [one["win_loss"] for one in hands] == pytest.approx([one.win_loss for one in rows])
    assert [one["score"] for one in hands] == ["110*-112", "110-112*"]
    assert "far from the end" in outcome(*SCORED[:-1], "30-40", stdin=ANSWERS)[2]


@pytest.mark.parametrize(
    ("hand", "counted", "said"),
    [
        ("4H 5D 6C 6S KD", 14, "14 it is: fifteen two, fifteen four, fifteen six, and a do"),
        ("4H 5D 6C 6S KD", 12, "counted 12, missed 2: a fifteen, or the pair 6C 6S"),
        ("4H 5D 6C 6S KD", 11, "counted 11, missed 3: a run"),
        ("4H 5D 6C 6S KD", 6, "counted 6, missed 8: a fifteen and the runs 4H 5D 6C, 4H 5D 6S, or"),
        ("5H 5D 5C JS 5S", 10, "counted 10, missed 19"),
        ("4H 5D 6C 6S KD", 13, "counted 13, missed 1"),
        ("4H 5D 6C 6S KD", 15, "counted 15, 1 too many: fifteen two, fifteen four, fifteen six,"),
        ("TH JH QH KH 2D", 7, "counted 7, missed 1: the run TH JH QH KH"),
        ("2H 4H 6H KH 8H", 4, "counted 4, missed 1: the flush 2H 4H 6H KH 8H"),
        ("2H 4C 8D JS KS", 0, "counted 0, missed 1: nobs JS KS"),
    ],
)
def test_what_is_missed(hand, counted, said):
    assert line_text(count_result(explain(hand), counted))[: len(said)] == said


def test_what_is_missed_makes_up_what_is_missing():
    for cards in random_hands(60, cards=5, seed=11).tolist():
        show = explain(cards[:4], cards[4])
        points = {one.kind: one.points for one in show.combinations}
        for counted in range(show.total):
            for way in show.missed(counted):
                if sum(points[kind] for kind in way) != show.total - counted:
                    assert way in (("run",), ("flush",))


def practised(*arguments, answers=""):
    return outcome("quiz", *arguments, stdin=answers.encode())


@pytest.mark.parametrize("leak", ["five-to-their-crib", "pair-broken", "hand-over-crib"])
def test_discards_of_a_kind_are_dealt(leak):
    for problem in islice(discards_of(3, leak=leak, role=GROUPS[leak].role), 3):
        position = problem.position
        pairs = [*combinations(position.held.kept, 2)]
        inside = stored_in(leak, [(position, pair) for pair in pairs])
        assert {*inside} == {True, False}
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
    asked = practised(*arguments, "--seed", "3", "--no-save", answers="1 2\n1 2\n")[1]
    assert format_cards(first.held.kept) in asked
    pairs = [*map("".join, combinations("123456", 2))]
    inside = stored_in("pair-broken", [(first.position, first.parse(pair)) for pair in pairs])
    broken = compress(pairs, inside)
    worst = max(broken, key=lambda pair: grade_answer(first, pair).decision.loss)
    practised(*arguments, "--seed", "3", answers=f"{worst}\n")
    (saved,) = store.read()
    assert (saved.kind, saved.verdict) == ("hard", "blunder")
    status, out, _ = practised(*arguments, answers="12\n12\n")
    assert (status, out.partition(",")[0]) == (0, "1 of 2")  # and a new one after it
    assert format_cards(first.held.kept) in out.partition("2 of 2")[0]
    assert [one.kind for one in store.read()] == ["hard", "again", "hard"]
    assert "hands that give up a pair" in out
    assert second != first


def test_discards_near_the_end_are_practised(ask, store):
    arguments = ["--leak", "discard-to-win", "--hands", "1"]
    first = next(discards_of(937457, score="close"))
    out = practised(*arguments, "--seed", "937457", answers="12\n")[1]
    assert format_cards(first.held.kept) in out
    (saved,) = store.read()
    assert (saved.kind, saved.verdict) == ("scored", "mistake")
    assert format_cards(first.held.kept) in practised(*arguments, answers="12\n")[1]
    store.clear()
    assert "score=close" in ask("/practice/again?leak=discard-to-win").headers["location"]


def test_what_is_no_leak_is_refused():
    for arguments, told in (
        (["--leak", "pair-broke"], "unknown leak 'pair-broke'; did you mean 'pair-broken'?"),
        (["--leak", "lead-five", "--dealer"], "fives led are pone's: expected another leak"),
        (["--leak", "lead-five", "--play", "lead"], "--leak says what is asked: no --play with it"),
        (["--leak", ""], "unknown leak '': expected "),
        (["--leak", "card-for-points"], "unknown leak 'card-for-points'"),
        (["--leak", "card-to-win"], "'card-to-win': only your own come back, and none does so now"),
    ):
        assert told in refused("quiz", *arguments)
    assert practised_group("missed").role is None


def test_the_page_deals_a_kind(ask):
    page = ask("/practice/again?leak=five-to-their-crib")
    address = page.headers["location"]
    assert "leak=five-to-their-crib" in address
    shown = ask(address)
    assert (shown.status, "Hand 1 of 10" in shown.words) == (200, True)
    assert "fives discarded to your opponent's crib" in shown.words
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
    assert ("luck a deal" in told, f"{luck:+.2f}" in told) == (True, True)


@pytest.mark.slow
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
    assert sorted(one.loss for one in laid) == pytest.approx(sorted(chosen["loss"]))
    worst = max(rows, key=lambda one: one.loss)
    leaks = found.leaks[(found.leaks["decision"] == "discard") & (found.leaks["kind"] == "crib")]
    group = leaks.set_index("example")["group"][worst.position]
    out = practised("--leak", group, "--no-save", answers="12\n")[1]
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
    alone = games[games["player"] == "Ann"].assign(starter="").to_csv(index=False)
    (tmp_path / "games.csv").write_text(alone)
    assert b"in no deal is the starter known" in run(*given, "--fast").stderr
