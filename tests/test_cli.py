import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from shell import COLOUR, HAND, csv_rows, good, on_a_terminal, refused, run

import cribev
from cribev import advise, format_cards, random_hands, score_hands
from cribev.game.roles import ROLES
from cribev.rows.names import DISCARD_GROUPS

pytestmark = pytest.mark.python


def test_cards_are_read_from_any_arguments():
    text = good("advise", *HAND.split(), "--dealer")
    assert text == f"{advise(HAND, role='dealer')}\n"
    assert text.startswith("2H 5D 5H 8D JS QC as dealer (your crib)\nopponent: expert\n")
    assert not COLOUR.search(text)
    uniform, spread = ["advise", "--opponent=uniform"], ["5H", "5D", "--top=15", *HAND.split()[2:]]
    wanted = "\n\n".join(str(advise(HAND, role=role, opponent="uniform")) for role in ROLES) + "\n"
    for arguments in ([HAND], ["5h5djsqc2h8d"], ["♥5,5♦ JS", "qc", "2H8d"], spread):
        assert good(*uniform, *arguments) == wanted
    assert good(*uniform, "-", stdin=HAND.encode()) == wanted


def test_several_deals_are_answered_in_turn():
    deals = f"\ufeff{HAND}\r\n\n ah2c7d9sjhqc,\n".encode()
    asked = ["advise", "--pone", "--opponent=uniform"]
    one, other = (good(*asked, deal) for deal in (HAND, "ah2c7d9sjhqc"))
    assert good(*asked, "-", stdin=deals) == good(*asked, stdin=deals) == f"{one}\n{other}"
    rows = csv_rows(*asked, stdin=deals)
    assert [row["cards"] for row in rows[::15]] == ["2H 5D 5H 8D JS QC", "AH 2C 7D 9S JH QC"]
    lines = good(*asked, "--format=json", stdin=deals).splitlines()
    assert [json.loads(line)["deal"][0] for line in lines] == ["2H", "AH"]


def test_advise_alone_on_a_terminal_asks_for_deals():
    answers = f"{HAND}\n5H\n{HAND}\n\n"
    command = ["advise", "--dealer", "--opponent=uniform"]
    status, text = on_a_terminal(*command, typed=answers, alone=True)
    assert status == 0
    assert text.count("6 cards, or nothing to end: ") == 4
    assert text.count("Discard") == 2
    assert "expected 6 cards, got 1 in '5H'" in text
    status, text = on_a_terminal("advise", typed="\x04")  # the end of the input
    assert (status, text.count("cards")) == (0, 1)


def test_csv_has_one_header_for_both_roles():
    rows = csv_rows("advise", HAND, "--opponent=uniform")
    assert [row["role"] for row in rows] == ["dealer"] * 15 + ["pone"] * 15
    best = advise(HAND, role="dealer", opponent="uniform").best
    assert float(rows[0]["expected"]) == best.expected
    text = good("advise", "5H 5D 5S JC", "--dealer", "--top", "1", "--", "4H", "6H")
    assert "1=" in text


def test_explain_versus_your_own_discard_fits_a_screen():
    for hand, role in ((HAND, "dealer"), ("AH 2C 7D 9S JH QC", "pone")):
        asked = ("advise", hand, f"--{role}", "--explain", "--versus", " ".join(hand.split()[:2]))
        for top, most in (("15", 44), ("3", 32)):
            _, text = on_a_terminal(*asked, "--top", top)
            assert len(text.splitlines()) <= most


def test_a_terminal_gets_symbols_and_colour():
    status, text = on_a_terminal("advise", HAND, "--dealer", "--explain", "--distribution")
    assert status == 0
    assert "91m5♦" in text
    assert "█" in text
    assert max(len(COLOUR.sub("", line).rstrip()) for line in text.splitlines()) <= 80
    assert "…" not in text


def test_a_narrow_terminal_gets_fewer_columns():
    _, text = on_a_terminal("advise", HAND, "--dealer", COLUMNS="52", NO_COLOR="1")
    assert "…" not in text
    assert "range" not in text
    assert "5♦" in text
    assert not re.search(r"\x1b\[[0-9;]*[349][0-9]", text)  # bold and dim are no colours
    _, text = on_a_terminal("tables", "win", "83-64", COLUMNS="40")
    assert 30 < max(len(COLOUR.sub("", line)) for line in text.splitlines()) <= 40


def test_unrepresentable_input_is_refused():
    assert "invalid card" in refused("advise", os.fsdecode(b"\xff\xfe"))
    said = "9…' has 5,000 digits: expected at most 39"
    assert said in refused("deal", "1", "--seed", "9" * 5000)


@pytest.mark.parametrize("arguments", [["score"], ["--version"]])
def test_a_full_disk_is_one_line(arguments):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-u", "-m", "cribev", *arguments],
            input=b"5C 6D 7D QH 6H\n" * 9999, stdout=full, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == b"cribev: error: cannot write: No space left on device\n"


def test_memory_that_runs_out_is_one_line(monkeypatch):
    monkeypatch.setattr("cribev.commands.score.as_hand", mock.Mock(side_effect=MemoryError))
    done = run("score", "5C 6D 7D QH 6H")
    assert done.returncode == 1
    assert done.stderr == b"cribev: error: there is not enough memory for this\n"


@pytest.mark.parametrize(
    "words",
    [
        ["advise", HAND, "--dealer={}"],
        ["advise", HAND, "--dealer", "--opponent", "{}"],
        ["review", "{}"],
        ["{}"],
    ],
)
def test_long_words_are_quoted_short(words):
    told = run(*(word.format("x" * 100_000) for word in words)).stderr.decode()
    assert re.fullmatch(r"cribev: error: .{,600}\n", told)
    assert "x" * 40 in told


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("score <&-", 0),
        ("advise - <&-", 2),
        ("score 5C 6D 7D QH 6H >&-", 1),  # as on a full disk
        ("score 5C 6D 7D QH 6H 2>&-", 0),
        ("score 5C 6D 7X 2>&-", 2),
    ],
)
def test_closed_streams_are_told_from_success(command, status):
    done = subprocess.run(
        f"{shlex.quote(sys.executable)} -m cribev {command}",
        shell=True, capture_output=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    assert done.returncode == status
    assert done.stderr.count(b"\n") == (status > 0 and "2>" not in command)


def test_unencodable_output_is_escaped(data, tmp_path):
    table = tmp_path / "t☃\x1b[31m.csv"
    table.write_bytes((data / "discard_frequency.csv").read_bytes())
    plain = {"PYTHONIOENCODING": "ascii"}
    text = good("advise", HAND, "--opponent", str(table), **plain)
    assert "t\\u2603" in text
    assert "\x1b" not in text
    assert "5H comes twice in '5H 5H'" in run("score", "5♥ 5♥", **plain).stderr.decode()
    shown = good("review", str(data / "game.csv"), "--fast", "--all", **plain)
    assert "Figures after +- are one standard error" in shown


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii"])
def test_advise_on_a_console_without_utf_8(encoding):
    asked = ["advise", HAND, "--pone", "--opponent=uniform", "--explain", "--distribution"]
    done = run(*asked, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Discard" in done.stdout.decode(encoding)
    assert "\\u" not in done.stdout.decode(encoding)


def test_help_and_version():
    assert good("--version") == f"cribev {cribev.__version__}\n"
    assert good() == good("--help") == good("help")
    assert good("help", "score") == good("score", "--help")


@pytest.mark.parametrize(
    "arguments",
    [
        ["advise", HAND, "--opponent=uniform", "--format=csv"],
        ["batch", "DEALS"],
        ["batch", "DEALS", "--every-discard"],
        ["review", "GAME", "--fast", "--format=csv"],
    ],
)
def test_help_says_what_every_column_is(arguments, data, tmp_path):
    deals = tmp_path / "deals.csv"
    deals.write_text(f"cards,role\n{HAND},pone\n")
    files = {"DEALS": str(deals), "GAME": str(data / "game.csv")}
    table = good(*(files.get(argument, argument) for argument in arguments))
    told = good("help", arguments[0]) + good("help", "columns") * (arguments[0] == "advise")
    listed = re.findall(r"^  (\w+)  ", told, re.MULTILINE)
    groups = DISCARD_GROUPS if "columns group_…: " in told else ()
    assert set(table.splitlines()[0].split(",")) <= {*listed, *groups, "cards", "role"}


@pytest.mark.parametrize("arguments", [["score"], ["help", "batch"], ["deal", "200000"]])
def test_a_reader_may_leave_early(started, arguments, tmp_path):
    lines = tmp_path / "hands.txt"
    lines.write_bytes(b"5C 6D 7D QH 6H\n" * 100_000)
    with lines.open("rb") as stdin:
        process = started("-m", "cribev", *arguments, stdin=stdin)
    if arguments[0] == "deal":
        process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=300) == 0


def test_score_reads_hands_a_line(monkeypatch):
    hands = random_hands(5_000, cards=5, seed=8)
    text = "\n".join(format_cards(hand) for hand in hands).encode()
    wanted = score_hands(hands[:, :4], hands[:, 4]).tolist()
    assert [int(line) for line in good("score", stdin=text).split()] == wanted
    assert good("score", "-", stdin=b"\xef\xbb\xbf" + text + b"\n") == good("score", stdin=text)
    assert good("score", stdin=b"") == ""
    lines = good("score", "--format", "json", "--crib", stdin=text[: 15 * 20]).splitlines()
    assert json.loads(lines[1])["hand"] == format_cards(hands[1][:4]).split()
    # A bad line is named, and those before it are scored, however many are read at a time.
    monkeypatch.setattr("cribev.commands.options._CHUNK", 20)
    done = run("score", stdin=b"5C 6D 7D QH 6H\n5H 6H 7H 8H 9S\n5C 6D\n5C 6D 7D QH 6H\n")
    assert (done.returncode, done.stdout) == (2, b"10\n13\n")
    assert done.stderr == b"cribev: error: line 3: expected 5 cards, got 2 in '5C 6D'\n"


def test_score_streams_answers(started):
    process = started("-m", "cribev", "score")
    process.stdin.write(b"5C 6D 7D QH 6H\n5H 6H")
    process.stdin.flush()
    assert process.stdout.readline() == b"10\n"
    assert process.communicate(b" 7H 8H 9S\n") == (b"13\n", b"")
    status, text = on_a_terminal("score")
    assert status == 2
    assert "no cards: give four and the starter" in text
