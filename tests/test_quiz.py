import io
import re
import sqlite3
import sys
from functools import partial

import pandas as pd
import pytest
from shell import COLOUR, good, on_a_terminal, outcome, printed, refused

from cribev import advise
from cribev.commands import cli
from cribev.commands.practice import draw_progress
from cribev.game.cards import format_cards
from cribev.game.render import Drawn
from cribev.practice.progress import Period, Progress
from cribev.practice.store import FILE, Store, StoreError
from cribev.reviews.formats import read_record
from cribev.reviews.record import as_record
from cribev.reviews.review import review

ANSWERS = b"TD JC\n1 2\n\n 56 \n5 6\n"


pytestmark = pytest.mark.usefixtures("folder")


def test_a_quiz_in_a_pipe(store):
    status, out, err = outcome("quiz", "--seed", "7", "--hands", "4", stdin=ANSWERS)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "1 of 4, as dealer (your crib): AH 2S 3S 9H TD JC"
    assert lines[1] == "threw TD JC: best"
    assert lines[6].startswith("threw 3C 3H: a blunder, lost ")
    assert lines[7].startswith("best was ")
    assert lines[-3].startswith("4 hands, seed 7: best ")
    assert re.fullmatch(r"lost [\d.]+ points, [\d.]+ a hand; throwing .*", lines[-2])
    points, par, lost, luck = map(float, re.findall(r"[-+]?\d+\.\d+", lines[-1]))
    assert points == pytest.approx(par - lost + luck, abs=0.021)  # each rounded
    thrown = [line[6:11] for line in lines if line.startswith("threw ")]
    assert [one.chosen for one in store.read()] == thrown
    assert thrown[:3] == ["TD JC", "3C 3H", "9S TH"]


def test_the_end_of_the_answers_ends_the_quiz_and_more_are_not_asked_for(store):
    for stdin in (b"", b"\n \n"):
        status, _, err = outcome("quiz", "--seed", "7", stdin=stdin)
        told = "cribev: error: no answers on standard input: expected two cards a line\n"
        assert (status, err) == (2, told)
    assert store.read() == []
    status, out, _ = outcome("quiz", "--seed", "7", stdin=ANSWERS[:6])
    assert status == 0
    assert "2 of 10, as pone" in out
    assert "1 hand, seed 7: best 1\n" in out
    more = b"1 2\n" * 1000 + b"rot\n"
    status, out, _ = outcome("quiz", "--seed", "7", "--hands", "2", stdin=more)
    assert (status, "2 hands, seed 7" in out) == (0, True)


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_a_bad_answer_in_a_pipe_is_told_with_its_line(form, store):
    asked = ("quiz", "--seed", "7", "--format", form)
    status, out, err = outcome(*asked, stdin=b"TD JC\n\n7 8\n1 2\n")
    told = "expected two of 3C 3H 4D 9C TD QD, or their places, as 1 2"
    assert (status, err) == (2, f"cribev: error: line 3: '7 8': {told}\n")
    assert ("threw TD JC" in out) if form == "table" else out == ""
    assert len(store.read()) == 1


def test_a_throw_is_kept_before_it_is_judged(monkeypatch, store):
    class Gone(io.StringIO):
        def write(self, text):
            if "threw" in text:
                raise BrokenPipeError
            return super().write(text)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ANSWERS)))
    monkeypatch.setattr(sys, "stdout", Gone())
    monkeypatch.setattr(cli, "_give_up_output", lambda: None)
    assert cli.main(["quiz", "--seed", "7"]) == 0
    assert [one.chosen for one in store.read()] == ["TD JC"]


def test_cards_in_a_pipe(store):
    arguments = ("quiz", "--play", "--seed", "7", "--hands", "3")
    status, out, err = outcome(*arguments, stdin=b"2S\n2C\nth\n")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == (
        "1 of 3, the ending, as dealer (your crib): AH 2S, threw TD JC, starter 7C, "
        "laid 7S 9H JS 3S go, count 29"
    )
    assert lines[1] == "laid 2S: best"
    assert lines[6].startswith("laid 2C: a blunder, lost 2.")
    assert lines[7].startswith("best was 6D: you peg ")
    assert lines[-2] == "3 cards, seed 7: best 2, blunder 1"
    assert re.fullmatch(
        r"lost 2\.\d\d points, 0\.\d\d a card; laying what makes most points at once loses "
        r"\d\.\d\d a card, any card that fits \d\.\d\d", lines[-1],
    )  # fmt: skip
    assert [one.chosen for one in store.read()] == ["2S", "2C", "TH"]
    again = {"stdin": b"2S\n2C\nth\n"}
    frame = pd.read_csv(io.StringIO(good(*arguments, "--no-save", "--format", "csv", **again)))
    found = printed(*arguments, "--no-save", **again)
    assert frame["ev_loss"].tolist() == [one["ev_loss"] for one in found["positions"]]
    assert found["summary"]["lost"] == pytest.approx(frame["ev_loss"].sum())
    status, _, err = outcome(*arguments, stdin=b"9H\n")
    assert err == "cribev: error: line 1: '9H': expected one of AH 2S, or its number, as 1\n"
    assert "expected a card a line" in outcome(*arguments)[2]
    status, out, err = outcome("quiz", "--play", "--again", stdin=b"6D\n")
    assert (status, "1 of 1, the third card" in out, "1 card again: best 1" in out) == (0, 1, 1)
    assert outcome("quiz", "--play", "--again") == (0, "", "no card waits to be laid again\n")
    status, out, err = outcome("history")
    assert (status, out.startswith("4 cards in 2 sessions: ")) == (0, True)
    assert "\nCards in the play\nsince             cards  errors  lost a card\n" in out
    status, out, err = outcome("history", "--play", "--format", "csv")
    assert pd.read_csv(io.StringIO(out))["card"].tolist() == ["2S", "2C", "TH", "6D"]
    assert outcome("history", "--format", "csv")[0] == 2


def test_csv_is_a_record_and_json_says_all(store):
    arguments = ("quiz", "--seed", "7", "--hands", "4", "--no-save")
    frame = pd.read_csv(io.StringIO(good(*arguments, "--format", "csv", stdin=ANSWERS)))
    found = printed(*arguments, stdin=ANSWERS)
    assert (found["seed"], found["hard"], found["again"], found["role"]) == (7, False, False, None)
    assert [hand["ev_loss"] for hand in found["hands"]] == frame["ev_loss"].tolist()
    assert review(frame).decisions["ev_loss"].tolist() == frame["ev_loss"].tolist()
    parts = found["summary"]
    assert parts["points"] == pytest.approx(parts["par"] - parts["lost"] + parts["luck"], abs=1e-9)
    assert store.read() == []


def test_hands_lost_on_come_back_and_go_when_they_are_thrown_well(store):
    outcome("quiz", "--seed", "7", "--hands", "4", stdin=ANSWERS)
    lost = sorted((one for one in store.read() if one.ev_loss >= 0.3), key=lambda o: -o.ev_loss)
    assert len(lost) > 1
    well = "".join(f"{one.best}\n" for one in lost[:-1]).encode()
    status, out, err = outcome("quiz", "--again", stdin=well)
    assert (status, err) == (0, "")
    asked = re.findall(r"^\d of \d, as .* crib\): (.*)$", out, re.MULTILINE)
    assert asked == [format_cards(one.problem.held.kept) for one in lost]
    assert f"{len(lost) - 1} hand{'s' * (len(lost) > 2)} again: best {len(lost) - 1}\n" in out
    status, out, _ = outcome("quiz", "--again", stdin=lost[-1].best.encode())
    assert status == 0
    assert outcome("quiz", "--again") == (0, "", "no hand waits to be thrown again\n")


def test_what_is_damaged_is_told_of_and_all_else_goes_on(folder):
    outcome("quiz", "--seed", "7", "--hands", "3", stdin=ANSWERS)
    whole = good("history", "--export", "-").splitlines()
    path = folder / FILE
    with sqlite3.connect(path) as database:
        database.execute("UPDATE decisions SET position = 'XX' WHERE id = 2")
    told = f"cribev: '{path}': 1 of 3 decisions is damaged, left out\n"
    for form in ("table", "csv", "json"):
        status, out, err = outcome("history", "--format", form)
        assert (status, err, bool(out)) == (0, told, True)
    status, out, err = outcome("history", "--export", "-")
    assert (status, err) == (0, told)
    ours, whole = ({line.split(",", 2)[2] for line in text} for text in (out.splitlines(), whole))
    assert (len(ours), ours <= whole) == (3, True)
    status, _, err = outcome("quiz", "--again", "--no-save", stdin=b"1 2\n")
    assert (status, err.splitlines()[0] + "\n") == (0, told)
    with database:
        database.execute("UPDATE decisions SET at = ''")
    assert refused("history") == f"'{path}': 3 of 3 decisions are damaged, left out"
    with database:
        assert database.execute("SELECT count(*) FROM decisions").fetchone() == (3,)
    database.close()


def test_history(tmp_path, store):
    nothing = "Nothing is saved yet: cribev quiz asks ten hands, cribev serve has games to play.\n"
    assert outcome("history") == (0, nothing, "")
    assert outcome("history", "--format", "json")[:2] == (0, "{}\n")
    assert outcome("history", "--format", "csv")[0] == 2
    outcome("quiz", "--seed", "7", "--hands", "4", stdin=ANSWERS)
    outcome("quiz", "--seed", "8", "--hard", "--hands", "2", stdin=ANSWERS[6:])
    status, out, err = outcome("history")
    assert (status, err) == (0, "")
    assert out.startswith("6 hands in 2 sessions: best ")
    assert "\nHands as dealt\nsince             hands  errors  lost a hand\n" in out
    assert "\nHard hands\n" in out
    said = r"^On hands as dealt, the first time you had each, you lost [\d.]+ ± [\d.]+ a deal"
    assert re.search(said, out, re.MULTILINE)
    assert out.endswith(" to throw again: cribev quiz --again\n")
    assert printed("history")["discards"]["periods"]["hard"][0]["decisions"] == 2
    listed = good("history", "--format", "csv")
    target = tmp_path / "throws.csv"
    status, out, err = outcome("history", "--export", str(target))
    assert (status, out, err) == (0, "", f"{target} written\n")
    assert outcome("history", "--export", "-")[1] == target.read_text()
    assert outcome("history", "--export", str(target))[0] == 2
    others = []
    for suffix in (".jsonl", ".tsv.gz", ".parquet"):
        other = target.with_suffix(suffix)
        assert outcome("history", "--export", str(other))[0] == 0
        found = as_record(read_record(other)).frame
        others.append(found[["cards", "discard", "starter", "seed"]].astype(str).to_numpy())
    assert all((found == others[0]).all() for found in others)
    assert len(others[0]) == 6
    assert outcome("history", "--export", "throws.doc")[0] == 2
    _, reviewed, _ = outcome("review", str(target), "--format", "csv")
    both = [pd.read_csv(io.StringIO(text)) for text in (listed, reviewed)]
    common = list(both[0])
    assert {"game", "at", "kind", "ev_loss", "verdict", "crib_swing", "result"} <= {*common}
    pd.testing.assert_frame_equal(both[0], both[1][common], check_exact=True)
    assert "--yes" in refused("history", "--delete")
    assert outcome("history", "--delete", "--yes") == (0, "", "6 decisions deleted\n")
    assert store.read() == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["quiz", "--seed", "-1"], ["quiz", "--seed", "x"], ["quiz", "--hands", "0"],
        ["quiz", "--hands", "-3"], ["quiz", "--again", "--seed", "7"],
        ["quiz", "--again", "--hard"], ["quiz", "--play", "king"],
        ["quiz", "--play", "lead", "--dealer"], ["quiz", "--play", "answer", "--pone", "--again"],
        ["quiz", "--score", "x"], ["quiz", "--score", "110-112", "--hard"],
        ["quiz", "--score", "close", "--play"], ["quiz", "--score", "100-121"],
        ["history", "--play"], ["history", "--play", "--export", "-"],
        ["quiz", "--dealer", "--pone"], ["quiz", "5H"], ["quiz", "--format", "xml"],
        ["history", "--export", "-", "--delete"], ["history", "--delete", "--format", "csv"],
        ["history", "--force"], ["history", "--yes"], ["history", "x"],
        ["history", "--export", "no/such/folder.csv"], ["history", "--export", "-", "--force"],
    ],
)  # fmt: skip
def test_what_does_not_go_is_told_in_a_line(arguments):
    assert refused(*arguments, stdin=ANSWERS)


def test_a_database_that_links_to_itself_is_told_in_a_line(folder):
    folder.mkdir()
    (folder / FILE).symlink_to(folder / FILE)
    told = f"'{folder / FILE}' is a link that leads nowhere\n"
    for command in (["history"], ["history", "--delete", "--yes"], ["quiz", "--again"]):
        assert outcome(*command) == (2, "", f"cribev: error: {told}")
    status, out, err = outcome("quiz", "--seed", "7", "--hands", "3", stdin=ANSWERS)
    assert (status, "3 hands, seed 7" in out) == (0, True)
    for_now, at_last = "throws are not saved for now", "3 throws could not be saved"
    assert err == f"cribev: {for_now}: {told}cribev: {at_last}: {told}"


def test_a_throw_that_waited_is_kept_at_the_end(store, monkeypatch):
    write, failed = Store._write, []

    def fail_once(self, throws):
        if not failed:
            failed.append(True)
            raise StoreError("no")
        write(self, throws)

    monkeypatch.setattr(Store, "_write", fail_once)
    _, _, err = outcome("quiz", "--seed", "7", "--hands", "1", stdin=ANSWERS)
    assert err == ("cribev: throws are not saved for now: no\ncribev: all throws are saved now\n")
    assert len(store.read()) == 1


def test_bars_of_all_hands_have_one_scale():
    def period(lost):
        return Period("2026-11-21T18:00:00+00:00", "", 10, 2, lost, 0.1, lost_mean=lost / 10)

    found = Progress(
        thing="hand", decisions=30, sessions=3, errors=6, lost=35.0, verdicts={}, standing="",
        waiting=0, lost_mean=1.2,
        periods={"dealt": [period(5.0), period(10.0)], "hard": [period(20.0)]},
    )  # fmt: skip
    bars = [len(line) for line in re.findall(r"#+", str(Drawn(partial(draw_progress, found))))]
    assert [bar / bars[-1] for bar in bars] == pytest.approx([0.25, 0.5, 1.0], abs=0.02)


def on_a_plain_terminal(*arguments, typed, folder):
    """Run on a terminal; return what stands there, without colours."""
    status, text = on_a_terminal(*arguments, typed=typed, CRIBEV_DATA_DIR=str(folder))
    assert status == 0, text
    return COLOUR.sub("", text).replace("\r", "")


def test_the_seed_that_was_drawn_is_told_on_a_terminal(folder, store):
    typed = "rot\n1 1\n\n1 2\n\nq\n"
    text = on_a_plain_terminal("quiz", "--hands", "2", "--hard", typed=typed, folder=folder)
    seed = re.search(r"^2 hands, seed (\d+), hard\ntype the two cards ", text, re.MULTILINE)[1]
    assert "  1   2   3   4   5   6\n" in text
    assert "'rot': expected two of" in text
    assert "'1 1': expected two of" in text
    assert text.count("throw: ") == 6  # an empty line asks again
    assert f"1 hand, seed {seed}, hard: " in text
    assert f"the same hands for a friend: cribev quiz --seed {seed} --hands 2 --hard" in text
    assert len(store.read()) == 1


def test_a_terminal_explains_and_takes_the_last_answer_back(folder, store):
    typed, asked = "u\n?\n1 2\nU\nTD JC\n5 6\n", ("quiz", "--seed", "7", "--hands", "2")
    text = on_a_plain_terminal(*asked, typed=typed, folder=folder)
    assert "this is the first hand\n" in text
    assert "from 0.6 a mistake" in " ".join(text.split())
    assert text.count("1 of 2, as dealer") == 2
    assert text.count("2 of 2, as pone") == 2
    assert text.index("threw A♥ 2♠") < text.index("threw 10♦ J♣: best")
    assert "2 hands, seed 7: best 2" in text
    assert [one.chosen for one in store.read()] == ["TD JC", "TD QD"]


def test_a_position_on_a_terminal(folder, store):
    typed, asked = "?\nA\nu\n2S\n?\n6\n", ("quiz", "--play", "--seed", "7", "--hands", "2")
    text = on_a_plain_terminal(*asked, typed=typed, folder=folder)
    assert "type the card to lay, JS or J, or its number" in text
    assert "from 0.3 a mistake" in " ".join(text.split())
    assert text.count("1 of 2, the ending, as dealer (your crib)\n") == 2
    assert text.count("2 of 2, the third card, as pone (your opponent's crib)\n") == 3
    table = """\
  starter 7♣   you threw 10♦ J♣
  your opponent 7♠    J♠    go
  you              9♥    3♠
  count         7  16 26 29

  1   2
  A♥  2♠
"""
    assert table in re.sub(r" +\n", "\n", text)
    assert "Your card number 1:\nLay the 2: " in text
    assert "Your opponent has 2 cards left" in text
    assert [one.chosen for one in store.read()] == ["2S", "6D"]


def test_hands_at_a_score(store):
    arguments = ("quiz", "--seed", "7", "--hands", "2")
    status, out, err = outcome(*arguments, "--score", "110-112", stdin=b"TD JC\n3C 3H\n")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "1 of 2, as dealer (your crib), score 110-112: AH 2S 3S 9H TD JC"
    assert re.fullmatch(r"threw TD JC: (best|close, .* wins|an? .*, .* fewer wins)", lines[1])
    assert re.match(r"best was .*: wins \d+\.\d%, and not \d+\.\d%|wins \d+\.\d%, ", lines[2])
    assert lines[3].startswith("cut 7C, your opponent threw 9C JH: hand ")
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
    exported = good("history", "--export", "-")
    found = review(pd.read_csv(io.StringIO(exported)).drop(columns=["kind", "at"])).decisions
    assert found["win_loss"].tolist() == pytest.approx([one.win_loss for one in rows])
    assert found["verdict"].tolist() == [one.verdict for one in rows]
    again = (*arguments, "--score", "110-112", "--format", "csv", "--no-save")
    table = pd.read_csv(io.StringIO(good(*again, stdin=b"TD JC\n3C 3H\n")))
    assert table["win_loss"].tolist() == pytest.approx([one.win_loss for one in rows])
    assert (table["score"].tolist(), table["game"].nunique()) == (["110*-112", "110-112*"], 2)
    assert "far from the end" in outcome(*arguments, "--score", "30-40", stdin=ANSWERS)[2]
