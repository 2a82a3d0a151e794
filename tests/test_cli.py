import csv
import io
import json
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import cribev
from cribev import advise, explain, format_cards, random_hands, score
from cribev.commands import cli
from cribev.game.roles import ROLES
from cribev.solved.solution import load

HAND = "5H 5D JS QC 2H 8D"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def run(*arguments, stdin=b"", **environment):
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", **environment}
    return subprocess.run(
        [sys.executable, "-m", "cribev", *arguments],
        input=stdin, capture_output=True, timeout=900, check=False, env=environment,
    )  # fmt: skip


def on_a_terminal(*arguments, typed="", **environment):
    """Run with standard output, and input, on a pseudo-terminal of 80 columns."""
    leader, follower = pty.openpty()
    os.write(leader, typed.encode())
    process = subprocess.Popen(
        [sys.executable, "-m", "cribev", *arguments],
        stdin=follower, stdout=follower, stderr=follower,
        env={"PATH": os.environ["PATH"], "TERM": "xterm", "LANG": "C.UTF-8",
             "PYTHONUTF8": "1", "COLUMNS": "80", **environment},
    )  # fmt: skip
    os.close(follower)
    read = b""
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # how Linux says that the other end has closed
            break
        if not chunk:
            break
        read += chunk
    os.close(leader)
    return process.wait(timeout=60), read.decode()


def good(*arguments, **options):
    done = run(*arguments, **options)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    return done.stdout.decode()


def test_advice_as_a_table():
    text = good("advise", *HAND.split(), "--dealer")
    assert text == str(advise(HAND, role="dealer")) + "\n"
    assert text.startswith("2H 5D 5H 8D JS QC as dealer (your crib)\nopponent: expert\n")
    assert not COLOUR.search(text)


@pytest.mark.parametrize(
    "arguments",
    [
        [HAND],
        ["5h5djsqc2h8d"],
        ["♥5,5♦ JS", "qc", "2H8d"],
        ["5H", "5D", "--top=15", *HAND.split()[2:]],
    ],
)
def test_cards_come_in_one_argument_or_many(arguments):
    typed = good("advise", "--opponent=uniform", *arguments)
    assert typed == str(advise(HAND, role="dealer", opponent="uniform")) + "\n\n" + (
        str(advise(HAND, role="pone", opponent="uniform")) + "\n"
    )
    assert typed == good("advise", "--opponent=uniform", "-", stdin=HAND.encode())


def test_several_deals_are_answered_in_turn():
    deals = f"\ufeff{HAND}\r\n\n ah2c7d9sjhqc,\n"
    one, other = (
        good("advise", deal, "--pone", "--opponent=uniform") for deal in (HAND, "ah2c7d9sjhqc")
    )
    asked = ["advise", "--pone", "--opponent=uniform"]
    assert good(*asked, "-", stdin=deals.encode()) == f"{one}\n{other}"
    assert good(*asked, stdin=deals.encode()) == f"{one}\n{other}"
    rows = list(csv.DictReader(io.StringIO(good(*asked, "--format=csv", stdin=deals.encode()))))
    assert [row["cards"] for row in rows[::15]] == ["2H 5D 5H 8D JS QC", "AH 2C 7D 9S JH QC"]
    lines = good(*asked, "--format=json", stdin=deals.encode()).splitlines()
    assert [json.loads(line)["deal"][0] for line in lines] == ["2H", "AH"]


def test_a_bad_deal_is_named_after_those_before_it_are_answered():
    done = run("advise", "-", "--pone", "--opponent=uniform", stdin=f"{HAND}\n\n5H 6D\n".encode())
    assert done.stdout.decode() == good("advise", HAND, "--pone", "--opponent=uniform")
    assert done.stderr == b"cribev: error: line 3: expected 6 cards, got 2 in '5H 6D'\n"
    assert done.returncode == 2


def test_advise_alone_on_a_terminal_asks_for_deals():
    answers = f"{HAND}\n5H\n{HAND}\n\n"
    status, text = on_a_terminal("advise", "--dealer", "--opponent=uniform", typed=answers)
    assert status == 0
    assert text.count("6 cards, or nothing to end: ") == 4
    assert text.count("Discard") == 2
    assert "expected 6 cards, got 1 in '5H'" in text
    status, text = on_a_terminal("advise", typed="\x04")  # the end of the input
    assert (status, text.count("cards")) == (0, 1)


def test_without_a_role_it_answers_for_both():
    text = good("advise", HAND, "--top", "2")
    assert text.count("Discard") == 2
    assert "as dealer" in text
    assert "as pone" in text


def test_json_is_the_advice_at_full_precision():
    found = json.loads(good("advise", HAND, "--pone", "--format", "json"))
    assert list(found) == ["deal", "role", "opponent", "crib_table", "discards"]
    assert found["deal"] == ["2H", "5D", "5H", "8D", "JS", "QC"]
    assert found["crib_table"] is None
    assert len(found["discards"]) == 15
    assert list(found["discards"][0]) == [
        "rank", "discard", "keep", "hand_mean", "hand_min", "hand_max", "hand_sd",
        "crib_mean", "crib_min", "crib_max", "crib_sd",
        "play_own", "play_opponent", "play_mean", "expected",
    ]  # fmt: skip
    assert found == advise(HAND, role="pone").to_dict()
    both = json.loads(good("advise", HAND, "--format", "json", "--explain", "--top", "1"))
    assert [one["role"] for one in both] == ["dealer", "pone"]
    assert [len(one["discards"]) for one in both] == [1, 1]
    assert both[0]["explanation"]["locked_in"]["points"] == 10


def test_csv_has_one_header_for_both_roles():
    rows = list(csv.DictReader(io.StringIO(good("advise", HAND, "--format", "csv"))))
    assert len(rows) == 30
    assert [row["role"] for row in rows[::15]] == ["dealer", "pone"]
    assert float(rows[0]["expected"]) == advise(HAND, role="dealer").best.expected


def test_opponents_and_tables_by_name_and_file(data, tmp_path):
    frequency = str(data / "discard_frequency.csv")
    text = good("advise", HAND, "--pone", "--opponent", frequency)
    assert f"opponent: {frequency}" in text
    text = good("advise", "AH 2C 7D 9S JH QC", "--dealer", "--show-only", "--crib-table=schell")
    assert re.search(r"^\d+\S* +JH QC .* 7\.20 ", text, re.MULTILINE)
    mine = tmp_path / "mine.csv"
    mine.write_text(
        "rank1,rank2,dealer,pone\n"
        + "".join(
            f"{a},{b},1,1\n" for i, a in enumerate("A23456789TJQK") for b in "A23456789TJQK"[i:]
        )
    )
    found = json.loads(good("advise", HAND, "--dealer", "--crib-table", str(mine), "--format=json"))
    assert {one["crib_mean"] for one in found["discards"]} == {1.0}


def test_a_tie_is_marked_however_few_are_shown():
    text = good("advise", "5H 5D 5S JC 4H 6H", "--dealer", "--top", "1")
    assert "1=" in text
    assert "= equal" in text


def test_explain_tells_and_draws():
    text = good("advise", HAND, "--dealer", "--explain", "--top", "3")
    assert text.endswith(str(advise(HAND, role="dealer").explain()) + "\n")
    for part in ("Locked in", "Rather than", "Starters that help most", "Hand plus crib", "####"):
        assert part in text


def test_your_own_throw_stands_beside_the_best():
    asked = ["advise", HAND, "--dealer", "--opponent=uniform", "--versus", "8D5H"]
    advice = advise(HAND, role="dealer", opponent="uniform")
    text = good(*asked)
    assert text == f"{advice}\n{advice.compare('5H 8D')}\n"
    whole = good(*asked, "--explain")
    assert whole == f"{text}{advice.explain(versus='5H 8D')}\n"
    found = json.loads(good(*asked, "--format=json", "--top=1"))
    assert found["comparison"]["choice"]["discard"] == ["5H", "8D"]
    best = advice.best.discard.replace(" ", "")
    of_the_best = good(*asked[:-1], best, "--explain")
    assert f"{advice.choices[1].discard}, " not in of_the_best
    assert f"Rather than {advice.choices[1].discard}: " in of_the_best


def test_random_deals_repeat_with_a_seed():
    seeded = ["advise", "--opponent=uniform", "--random", "--seed", "5", "--dealer"]
    once = good(*seeded)
    assert once == good(*seeded)
    assert once.startswith(format_cards(sorted(random_hands(1, seed=5)[0])))
    assert good("advise", "--opponent=uniform", "--random", "--top=1").count("Discard") == 2


def test_score_prints_a_bare_number():
    assert good("score", *["5C", "6D", "7D", "QH", "6H"]) == "10\n"
    assert good("score", "5H 6H 7H 8H 9S") == "13\n"
    assert good("score", "5H 6H 7H 8H 9S", "--crib") == "9\n"


def test_score_of_four_cards_says_that_no_starter_is_counted():
    assert good("score", "5H 6H 7H 8H") == "10 before the cut\n"
    assert good("score", "5H 6H 7H 8H", "--crib") == "6 before the cut\n"
    assert good("score", "5H 6H 7H 8H", "--explain") == f"{explain('5H 6H 7H 8H')}\n"
    assert json.loads(good("score", "5H 6H 7H 8H", "--format", "json"))["starter"] is None


def test_score_explains_and_writes_json():
    text = good("score", "5C 6D 7D QH 6H", "--explain")
    assert text == f"{explain('5C 6D 7D QH', '6H')}\n"
    assert text.startswith("5C 6D 7D QH + 6H = 10\n")
    assert json.loads(good("score", "5C 6D 7D QH 6H", "--format", "json")) == {
        "hand": ["5C", "6D", "7D", "QH"], "starter": "6H", "crib": False, "points": 10,
    }  # fmt: skip
    found = json.loads(good("score", "5C 6D 7D QH 6H", "--format", "json", "--explain"))
    assert found == explain("5C 6D 7D QH", "6H").to_dict()


def test_score_deals_at_random():
    hand = random_hands(1, cards=5, seed=3)[0]
    points = score(hand[:4], int(hand[4]))
    assert good("score", "--random", "--seed", "3") == f"{format_cards(hand)} = {points}\n"


def test_score_reads_hands_a_line():
    hands = random_hands(20_000, cards=5, seed=8)
    text = "\n".join(format_cards(hand) for hand in hands).encode()
    wanted = cribev.score_hands(hands[:, :4], hands[:, 4]).tolist()
    assert [int(line) for line in good("score", stdin=text).split()] == wanted
    assert good("score", "-", stdin=text + b"\n") == good("score", stdin=text)
    assert good("score", stdin=b"") == ""
    lines = good("score", "--format", "json", "--crib", stdin=text[: 15 * 20]).splitlines()
    assert json.loads(lines[1])["hand"] == format_cards(hands[1][:4]).split()


def test_a_bad_line_is_named_and_the_lines_before_it_are_scored():
    done = run("score", stdin=b"5C 6D 7D QH 6H\n5H 6H 7H 8H 9S\n5C 6D\n5C 6D 7D QH 6H\n")
    assert done.stdout == b"10\n13\n"
    assert done.returncode == 2
    assert done.stderr == b"cribev: error: line 3: expected 5 cards, got 2 in '5C 6D'\n"


def test_score_answers_before_its_input_ends():
    with subprocess.Popen(
        [sys.executable, "-m", "cribev", "score"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"5C 6D 7D QH 6H\n5H 6H")
        process.stdin.flush()
        assert process.stdout.readline() == b"10\n"
        process.stdin.write(b" 7H 8H 9S\n")
        process.stdin.close()
        assert process.stdout.read() == b"13\n"


def test_score_on_a_terminal_says_how_instead_of_waiting():
    status, text = on_a_terminal("score")
    assert status == 2
    assert "no cards: give four and the starter" in text


def test_a_terminal_gets_symbols_and_colour():
    status, text = on_a_terminal("advise", HAND, "--dealer", "--explain")
    assert status == 0
    assert "\x1b[91m5♦\x1b[0m" in text or "91m5♦" in text
    assert "█" in text
    widths = [len(COLOUR.sub("", line).rstrip()) for line in text.splitlines()]
    assert max(widths) <= 80
    assert "…" not in text


def test_a_narrow_terminal_gets_fewer_columns():
    _, text = on_a_terminal("advise", HAND, "--dealer", COLUMNS="52")
    assert "…" not in text
    assert "range" not in text


def test_no_color_is_honoured():
    _, text = on_a_terminal("advise", HAND, "--dealer", NO_COLOR="1")
    assert "5♦" in text
    assert not re.search(r"\x1b\[[0-9;]*[349][0-9]", text)  # bold and dim are no colours


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["advise", "5H 5D JS QC 2H 1X"], "'1X' is not a card: piece 6"),
        (["advise", "5H 5D JS QC 2H"], "expected 6 cards, got 5 in"),
        (["advise", "5H 5D JS QC 2H 8D 9D"], "expected 6 cards, got 7 in"),
        (["advise", "5H 5D JS QC 2H 5h"], "5H comes twice"),
        (
            ["advise", "5 5 J QC 2 8"],
            "QC has a suit and 5 has none in '5 5 J QC 2 8': expected all 6 cards with suits, or",
        ),
        (["advise", ""], "expected 6 cards, got none"),
        (["advise", "-"], "no cards on standard input: expected 6 a line"),
        (["advise", "one\ntwo"], "'one' is not a card"),
        (["advise"], "no cards on standard input: expected 6 a line"),
        (["advise", "--seed", "1"], "--seed goes with --random"),
        (["advise", HAND, "--dealer", "--pone"], "--pone: not allowed with argument --dealer"),
        (["advise", HAND, "--random"], "and --random too"),
        (["advise", HAND, "--seed", "1"], "--seed goes with --random"),
        (["advise", "--random", "--seed", "x"], "'x' is not a whole number from 0 up"),
        (["advise", HAND, "--top", "0"], "'0' is not a whole number from 1 up"),
        (["advise", HAND, "--top"], "--top: expected one argument"),
        (["advise", HAND, "--colour"], "no such option: '--colour'"),
        (["advise", HAND, "--format", "xml"], "invalid choice: 'xml'"),
        (["advise", HAND, "--opponent", "nobody"], "'nobody' is neither an opponent"),
        (["advise", HAND, "--crib-table", "/"], "'/' is neither a published crib table"),
        (["advise", HAND, "--explain", "--format", "csv"], "--explain goes with"),
        (["advise", HAND, "--versus", "5H 5D", "--format", "csv"], "--versus goes with"),
        (["advise", HAND, "--versus", "5H 5C"], "5H 5C are not two of the cards dealt: 2H 5D 5H"),
        (["advise", HAND, "--versus", ""], "expected 2 cards, got none in ''"),
        (["advise", "55JQ28", "--versus", ""], "'' are not two of the ranks 2 5 5 8 J Q"),
        (["score", "5H"], "expected four cards and the starter, or four before the cut, got 1"),
        (["score", "5H 6H 7H 8H 9H TH"], "or four before the cut, got 6 in '5H 6H 7H 8H 9H TH'"),
        (["score", "5H 6H 7H 8H 5H"], "5H comes twice"),
        (["score", "--random", "5H"], "and --random too"),
        (["score", "--seed", "1"], "--seed goes with --random"),
        (["advise", "--random", "--seed", "9" * 5000], "9…' is not a whole number from 0 up"),
        (["--colour"], "no such option: '--colour'"),
        (["tables"], "required: crib|frequency|policies"),
        (["tables", "pegging"], "invalid choice: 'pegging'"),
        (["tables", "crib", "--compare", "shell"], "invalid choice: 'shell'"),
        (["tables", "frequency", "--compare", "schell"], "--compare goes with tables crib"),
        (
            ["tables", "policies", "--role", "pone"],
            "--role goes with tables crib, freq",
        ),
        (["tables", "play", "--show-only"], "--show-only leaves out the play: tables play"),
        (["tables", "crib", "more"], "'more' is one word too many"),
        (["batch", "in.csv", "-o", "out.csv", "more"], "'more' is one word too many"),
        (["solve", "-o", "/"], "'/' is a folder: expected a file to write"),
        (["solve", "-o", "/no/such/folder/x.npz"], "there is no folder '/no/such/folder'"),
        (
            ["shuffle"],
            "'shuffle' is no command: expected advise, score, peg, review, batch, deal, tab",
        ),
        (["help", "shuffle"], "'shuffle' is no command: expected advise, score"),
        (["advice", HAND], "'advice' is no command: expected perhaps advise"),
        ([*HAND.split(), "--dealer"], f"'5H' is no command: expected cribev advise {HAND}"),
        (["5 5 J Q 2 8"], "'5 5 J Q 2 8' is no command: expected cribev advise 5 5 J Q 2 8"),
        (["5H 5", "J Q 2 8"], "'5H 5' is no command: expected cribev advise 5H 5 J Q 2 8"),
        (["5c6d7dqh"], "'5c6d7dqh' is no command: expected cribev score 5c6d7dqh"),
        (["5H 5D"], "expected cribev advise and six cards, or cribev score and five"),
        ([], "no command: expected advise, score, peg, review, batch, deal, tables, solve"),
        ([b"advise", b"\xff\xfe"], "is not a card"),
    ],
)
def test_bad_input_is_one_line_and_status_2(monkeypatch, capsys, arguments, message):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    assert cli.main(list(map(os.fsdecode, arguments))) == 2
    out, text = capsys.readouterr()
    assert out == ""
    assert text.startswith("cribev: error: ")
    assert text.count("\n") == 1
    assert message in text


def test_cards_after_a_double_dash_are_cards():
    assert good("advise", "5H", "5D", "--pone", "--", "JS", "QC", "2H", "8D").count("Discard") == 1


def test_a_byte_order_mark_is_no_card():
    assert good("score", stdin="\ufeff5C 6D 7D QH 6H\n".encode()) == "10\n"
    assert good("advise", "-", "--pone", stdin=("\ufeff" + HAND).encode()).count("Discard") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["score", "5C 6D 7D QH 6H"], ["advise", HAND], ["score"]])
def test_a_full_disk_is_one_line(arguments):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "cribev", *arguments],
            input=b"5C 6D 7D QH 6H\n" * 9999, stdout=full, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == b"cribev: error: cannot write: No space left on device\n"


@pytest.mark.parametrize("redirection", ["<&-", ">&-"])
@pytest.mark.parametrize("command", ["score", "score 5C 6D 7D QH 6H", "advise -"])
def test_closed_streams_do_not_trace_back(command, redirection):
    done = subprocess.run(
        f"{shlex.quote(sys.executable)} -m cribev {command} {redirection}",
        shell=True, capture_output=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 2)


def test_output_that_cannot_spell_a_name(data, tmp_path):
    table = tmp_path / "t♥\x1b[31m.csv"
    table.write_bytes((data / "discard_frequency.csv").read_bytes())
    text = good("advise", HAND, "--opponent", str(table), PYTHONIOENCODING="ascii")
    assert "t\\u2665" in text
    assert "\x1b" not in text


def test_tables_by_rank_pair():
    both = good("tables", "crib")
    assert both.count("average crib by what the") == 2
    assert len(both.splitlines()) == 2 * 17 + 1
    assert len(good("tables", "crib", "--show-only").splitlines()) == 2 * 16 + 1
    one = good("tables", "crib", "--role", "pone", "--compare", "schell")
    assert "points: the expert's less Schell's" in one
    rows = list(csv.DictReader(io.StringIO(good("tables", "frequency", "--format", "csv"))))
    assert len(rows) == 2 * 169
    assert sum(float(row["thrown"]) for row in rows) == pytest.approx(2)
    assert {row["suited"] for row in rows if row["rank1"] == row["rank2"]} == {"False"}
    compared = json.loads(good("tables", "crib", "--compare", "hessel", "--format", "json"))
    assert list(compared[0]) == [
        "role", "rank1", "rank2", "thrown", "crib_mean", "published", "difference",
    ]  # fmt: skip


def test_policies_are_listed_with_their_losses():
    text = good("tables", "policies")
    assert "any two cards" in text.splitlines()[-1]
    assert "hand, crib and play" in text
    shown = ("--show-only", "--format", "json")
    for options, losses in ((shown, [3.774, 3.885]), (shown[1:], [3.612, 3.764])):
        rows = json.loads(good("tables", "policies", *options))
        random = [row["loss"] for row in rows if row["policy"] == "random"]
        assert random == pytest.approx(losses, abs=1e-3)
    assert "show" in {row["policy"] for row in rows}


def test_charts_are_heat_maps_on_a_terminal():
    _, text = on_a_terminal("tables", "crib", "--role", "dealer", TERM="xterm-256color")
    assert "48;5;" in text
    assert max(len(COLOUR.sub("", line).rstrip()) for line in text.splitlines()) <= 80


@pytest.mark.slow
def test_solve_writes_what_can_be_read(tmp_path):
    file = tmp_path / "solution.npz"
    done = run("solve", "--discards-only", "-o", str(file))
    assert done.returncode == 0
    assert b"a circle of 2 rounds" in done.stdout
    again, shipped = load(file), load()
    told = f"round 1, dealer: {again.history[0].changed:,} of 20,358,520 deals changed"
    assert told.encode() in done.stderr
    # A gain at the limit of what is counted may fall on either side by rounding.
    for one, another in zip(again.history, shipped.history, strict=True):
        assert one.changed == pytest.approx(another.changed, rel=1e-5)
    for name in ("rounds", "cycle", "changes", "checksums"):
        assert getattr(again, name) == getattr(shipped, name)
    for role in ROLES:
        assert again.averages[role] == pytest.approx(shipped.averages[role])
        assert again.exploitability[role] == pytest.approx(shipped.exploitability[role])
        for policy, loss in shipped.losses[role].items():
            assert again.losses[role][policy].points == pytest.approx(loss.points)
    assert [path.name for path in tmp_path.iterdir()] == ["solution.npz"]
    refused = run("solve", "--discards-only", "-o", str(file))
    assert refused.returncode == 2
    assert b"--force replaces it" in refused.stderr


def test_help_and_version():
    assert good("--version") == f"cribev {cribev.__version__}\n"
    assert "advise" in good("--help")
    assert good("help") == good("--help")
    assert good("help", "score") == good("score", "--help")
    for command in ("advise", "score", "tables", "solve"):
        assert "examples:" in good(command, "--help")


@pytest.mark.parametrize(
    "arguments",
    [
        ["advise", HAND, "--opponent=uniform", "--format=csv"],
        ["batch", "DEALS", "--opponent=uniform", "--spread"],
        ["batch", "DEALS", "--opponent=uniform", "--every-discard"],
        ["review", "GAME", "--fast", "--opponent=uniform", "--format=csv"],
    ],
)
def test_help_says_what_every_column_is(arguments, data, tmp_path):
    deals = tmp_path / "deals.csv"
    deals.write_text(f"cards,role\n{HAND},pone\n")
    files = {"DEALS": str(deals), "GAME": str(data / "game.csv")}
    table = good(*(files.get(argument, argument) for argument in arguments))
    listed = re.findall(r"^  (\w+)  ", good("help", arguments[0]), re.MULTILINE)
    assert set(table.splitlines()[0].split(",")) <= {*listed, "cards", "role"}


@pytest.mark.parametrize("arguments", [["score"], ["advise", HAND, "--explain"]])
def test_a_reader_may_leave_early(arguments, tmp_path):
    lines = tmp_path / "hands.txt"
    lines.write_bytes(b"5C 6D 7D QH 6H\n" * 500_000)
    with (
        lines.open("rb") as stdin,
        subprocess.Popen(
            [sys.executable, "-m", "cribev", *arguments],
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as process,
    ):  # fmt: skip
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


def test_review_of_a_game(data):
    game = str(data / "game.csv")
    text = good("review", game, "--fast")
    assert "1 game, 16 discards; opponent: expert, class tables" in text
    assert "Discards that cost most" in text
    assert "\nLuck-adjusted: the result less luck." in text
    assert "After ± stands one standard error." in text
    assert max(map(len, text.splitlines())) < 160
    found = json.loads(good("review", game, "--fast", "--format", "json"))
    assert list(found) == ["players", "games", "decisions"]
    assert [player["player"] for player in found["players"]] == ["Ann", "Ben"]
    assert len(found["decisions"]) == 16
    rows = list(csv.DictReader(io.StringIO(good("review", game, "--fast", "--format", "csv"))))
    assert [float(row["ev_loss"]) for row in rows] == [
        decision["ev_loss"] for decision in found["decisions"]
    ]
    own = json.loads(good("review", game, "--fast", "--format", "json", "--player", "Ben"))
    assert own["players"] == found["players"][1:]
    assert own["decisions"] == [row for row in found["decisions"] if row["player"] == "Ben"]


def test_review_template_is_reviewed(tmp_path):
    file = tmp_path / "game.csv"
    file.write_text(good("review", "--template"))
    assert "1 game, 1 discard;" in good("review", str(file), "--fast")


def test_review_writes_a_page(data, tmp_path):
    page = tmp_path / "game.html"
    arguments = ["review", str(data / "game.csv"), "--fast", "--html", str(page)]
    done = run(*arguments)
    assert (done.returncode, done.stderr.decode()) == (0, f"{page} written\n")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    page.write_text("mine")
    done = run(*arguments)
    assert done.returncode == 2
    assert b"is there already: --force replaces it" in done.stderr
    assert page.read_text() == "mine"
    assert run(*arguments, "--force").returncode == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_page_goes_to_standard_output_in_place_of_the_review(data, tmp_path):
    arguments = ["review", str(data / "game.csv"), "--fast", "--html", "-"]
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr, list(tmp_path.iterdir())) == (0, b"", [])
    assert done.stdout.startswith(b"<!doctype html>")
    assert done.stdout.rstrip().endswith(b"</html>")
    assert b"Discards that cost most\n" not in done.stdout
    done = run(*arguments, "--format", "json")
    assert done.stderr == b"cribev: error: --html - and --format json: choose one\n"


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_what_was_found_is_told_even_where_the_page_cannot_be_written(data, form):
    arguments = ["review", str(data / "game.csv"), "--fast", "--format", form]
    done = run(*arguments, "--html", "/dev/full")
    assert done.returncode == 1
    assert done.stderr == b"cribev: error: cannot write '/dev/full': No space left on device\n"
    assert done.stdout == run(*arguments).stdout


def test_a_page_that_cannot_be_written_is_known_before_the_work():
    done = run("review", "no-such-record.csv", "--html", "/proc/page.html")
    assert done.returncode == 2
    assert done.stderr.startswith(b"cribev: error: cannot write '/proc/page.html': ")


@pytest.mark.parametrize("name", ["game.csv.gz", "game.tsv", "game.jsonl.gz"])
def test_records_in_every_format(data, tmp_path, name):
    frame = pd.read_csv(data / "game.csv", dtype=str)
    if "jsonl" in name:
        frame.to_json(tmp_path / name, orient="records", lines=True)
    else:
        frame.to_csv(tmp_path / name, index=False, sep="\t" if "tsv" in name else ",")
    found, wanted = (
        good("review", str(path), "--fast", "--format", "csv")
        for path in (tmp_path / name, data / "game.csv")
    )
    assert found == wanted


def test_figures_that_are_no_numbers_are_null(data, tmp_path):
    frame = pd.read_csv(data / "game.csv").assign(clock=[float("nan"), float("inf")] * 8)
    frame.to_parquet(tmp_path / "game.parquet")
    text = good("review", str(tmp_path / "game.parquet"), "--fast", "--format", "json")
    found = json.loads(text, parse_constant=lambda word: pytest.fail(word))
    assert [row["clock"] for row in found["decisions"]] == [None] * 16


def test_a_page_does_not_take_the_place_of_the_record(tmp_path):
    file = tmp_path / "game.csv"
    file.write_text(good("review", "--template"))
    before = file.read_text()
    done = run("review", str(file), "--fast", "--html", str(file), "--force")
    assert done.returncode == 2
    assert b"is the input: write to another file" in done.stderr
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["review"], "no record: give a file, or --template"),
        (["review", "none.csv"], "cannot read 'none.csv': No such file"),
        (["review", "GAME", "--template"], "--template takes no record"),
        (["review", "--template", "--html", "game.html"], "--template goes alone"),
        (["review", "GAME", "--force"], "--force goes with --html"),
        (["review", "GAME", "--fast", "--player", "Cy"], "no player 'Cy'"),
        (["review", "GAME", "--html", "/nowhere/at/all.html"], "there is no folder '/nowhere/at'"),
        (["review", "GAME", "--opponent", "unifrom"], "'unifrom' is neither an opponent"),
        (["review", "GAME", "more"], "'more' is one word too many for cribev review"),
    ],
)
def test_review_of_what_cannot_be(data, arguments, message):
    game = str(data / "game.csv")
    done = run(*(game if argument == "GAME" else argument for argument in arguments))
    assert done.returncode == 2
    assert done.stdout == b""
    (line,) = done.stderr.decode().splitlines()
    assert message in line


def test_a_bad_record_is_named_in_one_line(data, tmp_path):
    file = tmp_path / "game.csv"
    file.write_text((data / "game.csv").read_text().replace("2H 5D 8C 9D QH KC", "2H 5D 8C 9D QH"))
    done = run("review", str(file))
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "cribev: error: game '1', deal 1, column 'cards', '2H 5D 8C 9D QH': "
        "expected 6 cards, got 5 in '2H 5D 8C 9D QH'\n"
    )


def test_a_record_on_standard_input(data):
    game = (data / "game.csv").read_bytes()
    piped = run("review", "-", "--fast", "--format", "csv", stdin=game)
    assert piped.stdout == run("review", str(data / "game.csv"), "--fast", "--format", "csv").stdout
    empty = run("review", "-", "--fast")
    assert empty.stderr.startswith(b"cribev: error: 'standard input' is empty: ")


def test_one_player_alone_is_what_the_whole_review_has(data):
    arguments = ("review", str(data / "game.csv"), "--fast", "--format", "json")
    whole = json.loads(good(*arguments))
    alone = json.loads(good(*arguments, "--player", "Ben"))
    for part in ("players", "games", "decisions"):
        assert alone[part] == [row for row in whole[part] if row["player"] == "Ben"]


def test_too_many_for_a_page_is_known_before_the_work(tmp_path):
    file = tmp_path / "games.csv"
    row = "Ann,dealer,5H 5D JS QC 2H 8D,2H 8D"
    lines = [f"{game},1,{row}" for game in range(5001)]
    file.write_text("\n".join(["game,deal,player,role,cards,discard", *lines]))
    done = run("review", str(file), "--html", str(tmp_path / "page.html"))
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"5,001 decisions are too many for a page" in done.stderr


@pytest.mark.parametrize("columns", ["40", "80"])
def test_no_figure_of_a_review_is_cut_off(data, tmp_path, columns):
    file = tmp_path / "game.csv"
    name = "annabella.longnamed@example.org"
    file.write_text((data / "game.csv").read_text().replace("Ann", name))
    _, text = on_a_terminal("review", str(file), "--fast", COLUMNS=columns)
    assert "…" not in text
    ann = json.loads(good("review", str(file), "--fast", "--format", "json"))["players"][0]
    figures = {
        f"{ann['ev_loss_mean']:.3f}",
        f"{ann['result']:+.2f}",
        f"{ann['luck_adjusted']:+.2f}",
    }
    assert figures <= set(COLOUR.sub("", text).split())


def test_review_on_a_terminal(data):
    status, text = on_a_terminal("review", str(data / "game.csv"), "--fast")
    assert status == 0
    plain = COLOUR.sub("", text)
    assert "9♦ K♣" in plain
    assert max(len(line.rstrip()) for line in plain.splitlines()) <= 80
    assert re.search(r"\x1b\[[\d;]*31m.{0,9}a blunder", text)  # a verdict stands out
