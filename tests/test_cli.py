import csv
import io
import json
import os
import pty
import re
import subprocess
import sys

import pytest

import cribev
from cribev import advise, explain, format_cards, random_hands, score

HAND = "5H 5D JS QC 2H 8D"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def run(*arguments, stdin=b"", **environment):
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", **environment}
    return subprocess.run(
        [sys.executable, "-m", "cribev", *arguments],
        input=stdin, capture_output=True, timeout=120, check=False, env=environment,
    )  # fmt: skip


def on_a_terminal(*arguments, **environment):
    """Run with standard output, and input, on a pseudo-terminal of 80 columns."""
    leader, follower = pty.openpty()
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
    assert text.startswith("2H 5D 5H 8D JS QC as dealer (your crib)\nopponent: uniform\n")
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
    assert good("advise", *arguments) == good("advise", "-", stdin=HAND.encode())


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
        "crib_mean", "crib_min", "crib_max", "crib_sd", "expected",
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
    text = good("advise", "AH 2C 7D 9S JH QC", "--dealer", "--crib-table", "schell")
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


def test_explain_tells_and_draws():
    text = good("advise", HAND, "--dealer", "--explain", "--top", "3")
    assert text.endswith(str(advise(HAND, role="dealer").explain()) + "\n")
    for part in ("Locked in", "Rather than", "Starters that help most", "Hand plus crib", "####"):
        assert part in text


def test_random_deals_repeat_with_a_seed():
    once = good("advise", "--random", "--seed", "5", "--dealer")
    assert once == good("advise", "--random", "--seed", "5", "--dealer")
    assert once.startswith(format_cards(sorted(random_hands(1, seed=5)[0])))
    assert good("advise", "--random", "--top", "1").count("Discard") == 2


def test_score_prints_a_bare_number():
    assert good("score", *["5C", "6D", "7D", "QH", "6H"]) == "10\n"
    assert good("score", "5H 6H 7H 8H 9S") == "13\n"
    assert good("score", "5H 6H 7H 8H 9S", "--crib") == "9\n"


def test_score_explains_and_writes_json():
    text = good("score", "5C 6D 7D QH 6H", "--explain")
    assert text == f"5C 6D 7D QH + 6H = 10\n{explain('5C 6D 7D QH', '6H')}\n"
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
    assert "\x1b[91m" not in text
    assert "\x1b[32m" not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["advise", "5H 5D JS QC 2H 1X"], "'1X' is not a card: piece 6"),
        (["advise", "5H 5D JS QC 2H"], "expected 6 cards, got 5 in"),
        (["advise", "5H 5D JS QC 2H 8D 9D"], "expected 6 cards, got 7 in"),
        (["advise", "5H 5D JS QC 2H 5h"], "5H comes twice"),
        (["advise", ""], "expected 6 cards, got none"),
        (["advise", "one\ntwo"], "'one' is not a card"),
        (["advise"], "no cards: give 6, or --random"),
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
        (["score", "5H"], "expected 5 cards, got 1"),
        (["score", "5H 6H 7H 8H 5H"], "5H comes twice"),
        (["score", "--random", "5H"], "and --random too"),
        (["shuffle"], "invalid choice: 'shuffle'"),
        ([], "no command: expected advise or score"),
        ([b"advise", b"\xff\xfe"], "is not a card"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments, message):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == b""
    text = done.stderr.decode()
    assert text.startswith("cribev: error: ")
    assert text.count("\n") == 1
    assert message in text


def test_help_and_version():
    assert good("--version") == f"cribev {cribev.__version__}\n"
    assert "advise" in good("--help")
    for command in ("advise", "score"):
        assert "examples:" in good(command, "--help")


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
