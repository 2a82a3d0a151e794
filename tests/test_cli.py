import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from shell import COLOUR, HAND, csv_rows, good, on_a_terminal, printed, refused, run

import cribev
from cribev import advise, format_cards, random_hands
from cribev.commands import cli
from cribev.game.score import ROLES
from cribev.solution.solution import load


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
    status, text = on_a_terminal(
        "advise", "--dealer", "--opponent=uniform", typed=answers, alone=True
    )
    assert status == 0
    assert text.count("6 cards, or nothing to end: ") == 4
    assert text.count("Discard") == 2
    assert "expected 6 cards, got 1 in '5H'" in text
    status, text = on_a_terminal("advise", typed="\x04")  # the end of the input
    assert (status, text.count("cards")) == (0, 1)


def test_json_is_the_advice_at_full_precision():
    found = printed("advise", HAND, "--pone")
    assert list(found) == ["position", "deal", "role", "opponent", "crib_table", "discards"]
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
    rows = csv_rows("advise", HAND)
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
    found = printed("advise", HAND, "--dealer", "--crib-table", str(mine))
    assert {one["crib_mean"] for one in found["discards"]} == {1.0}


def test_a_tie_is_marked_however_few_are_shown():
    text = good("advise", "5H 5D 5S JC 4H 6H", "--dealer", "--top", "1")
    assert "1=" in text
    assert "= equal" in text


def test_explain_tells_and_draws():
    text = good("advise", HAND, "--dealer", "--explain", "--top", "3")
    assert text.endswith(str(advise(HAND, role="dealer").explain()) + "\n")
    for part in ("Locked in", "Rather than", "starters that help most"):
        assert part in text
    assert "####" not in text
    text = good("advise", HAND, "--dealer", "--distribution")
    assert text.endswith(str(advise(HAND, role="dealer").explain().chart()) + "\n")
    for part in (
        "Hand plus crib",
        "Hand plus crib plus play",
        "2H 8D: you peg at least 1: ",
        "####",
    ):
        assert part in text
    alone = good("advise", HAND, "--dealer", "--show-only", "--distribution")
    assert "Hand plus crib" in alone
    assert "plus play" not in alone


def test_an_explanation_beside_your_own_throw_fits_a_screen():
    for hand, role in ((HAND, "dealer"), ("AH 2C 7D 9S JH QC", "pone")):
        asked = ("advise", hand, f"--{role}", "--explain", "--versus", " ".join(hand.split()[:2]))
        for top, most in (("15", 44), ("3", 32)):
            _, text = on_a_terminal(*asked, "--top", top, COLUMNS="80")
            assert len(text.splitlines()) <= most


def test_your_own_throw_stands_beside_the_best():
    asked = ["advise", HAND, "--dealer", "--opponent=uniform", "--versus", "8D5H"]
    advice = advise(HAND, role="dealer", opponent="uniform")
    text = good(*asked)
    assert text == f"{advice}\n{advice.compare('5H 8D')}\n"
    whole = good(*asked, "--explain")
    assert whole == f"{text}{advice.explain()}\n"
    totals = good(*asked, "--distribution")
    assert totals == f"{text}{advice.explain(versus='5H 8D').chart()}\n"
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


def test_a_terminal_gets_symbols_and_colour():
    status, text = on_a_terminal("advise", HAND, "--dealer", "--explain", "--distribution")
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
    _, text = on_a_terminal("tables", "win", "83-64", COLUMNS="40")
    assert 30 < max(len(COLOUR.sub("", line)) for line in text.splitlines()) <= 40


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
        (["advise", "5 5 J QC 2 8"], "QC has a suit and 5 has none in '5 5 J QC 2 8': expect"),
        (["advise", ""], "expected 6 cards, got none"),
        (["advise", "-"], "no cards on standard input: expected 6 a line"),
        (["advise", "one\ntwo"], "'one' is not a card"),
        (["advise"], "no cards on standard input: expected 6 a line"),
        (["advise", "--seed", "1"], "--seed goes with --random"),
        (["advise", HAND, "--dealer", "--pone"], "--pone: not allowed with argument --dealer"),
        (["advise", HAND, "--random"], "and --random too"),
        (["advise", "--random", "--seed", "x"], "'x' is not a whole number from 0 up"),
        (["quiz", "--seed", "1" * 40], f"'{'1' * 40}' has 40 digits: expected at most 39"),
        (["advise", HAND, "--top", "0"], "'0' is not a whole number from 1 up"),
        (["advise", HAND, "--top"], "--top: expected one argument"),
        (["advise", HAND, "--colour"], "no such option: '--colour': cribev help advise lists them"),
        (["advise", HAND, "--dealr"], "no such option: '--dealr': perhaps --dealer"),
        (["advise", HAND, "--scor=5-5"], "no such option: '--scor=5-5': perhaps --score"),
        (["advise", HAND, "--format", "xml"], "invalid choice: 'xml'"),
        (["advise", HAND, "--opponent", "nobody"], "'nobody' is neither an opponent"),
        (["advise", HAND, "--crib-table", "/"], "'/' is neither a published crib table"),
        (["advise", HAND, "--explain", "--format", "csv"], "--explain goes with"),
        (["advise", HAND, "--versus", "5H 5D", "--format", "csv"], "--versus goes with"),
        (["advise", HAND, "--distribution", "--format", "json"], "--distribution goes with"),
        (["advise", "55JQ28", "--distribution"], "--distribution needs cards with suits"),
        (["advise", HAND, "--versus", "5H 5C"], "5H 5C are not two of the cards dealt: 2H 5D 5H"),
        (["advise", HAND, "--versus", ""], "expected 2 cards, got none in ''"),
        (["advise", "55JQ28", "--versus", ""], "'' are not two of the ranks 2 5 5 8 J Q"),
        (["score", "5H"], "expected four cards and the starter, or four before the cut, got 1"),
        (["score", "5H 6H 7H 8H 9H TH"], "or four before the cut, got 6 in '5H 6H 7H 8H 9H TH'"),
        (["score", "5H 6H 7H 8H 5H"], "5H comes twice"),
        (["score", "--random", "5H"], "and --random too"),
        (["score", "--seed", "1"], "--seed goes with --random"),
        (["advise", "--random", "--seed", "9" * 5000], "9…' has 5,000 digits: expected at most 39"),
        (["--colour"], "no such option: '--colour'"),
        (["tables", "--format", "csv"], "expected a table to write as CSV: crib, frequency,"),
        (["tables", "pegging"], "'pegging' is no table: expected crib, frequency, policies,"),
        (["tables", "crib", "--compare", "shell"], "invalid choice: 'shell'"),
        (["tables", "frequency", "--compare", "schell"], "--compare goes with tables crib"),
        (["tables", "policies", "--role", "pone"], "--role goes with tables crib, freq"),
        (["tables", "play", "--show-only"], "--show-only leaves out the play: tables play"),
        (["tables", "crib", "more"], "'more' is one word too many"),
        (["batch", "in.csv", "-o", "out.csv", "more"], "'more' is one word too many"),
        (["solve", "-o", "/"], "'/' is a folder: expected a file to write"),
        (["solve", "-o", "/no/such/folder/x.npz"], "there is no folder '/no/such/folder'"),
        (["shuffle"], "'shuffle' is no command: expected advise, play, score, peg, review, "),
        (["help", "shuffle"], "'shuffle' is no command: expected advise, play, score"),
        (["advice", HAND], "'advice' is no command: expected perhaps advise"),
        ([*HAND.split(), "--dealer"], f"'5H' is no command: expected cribev advise {HAND}"),
        (["5 5 J Q 2 8"], "'5 5 J Q 2 8' is no command: expected cribev advise 5 5 J Q 2 8"),
        (["5H 5", "J Q 2 8"], "'5H 5' is no command: expected cribev advise 5H 5 J Q 2 8"),
        (["5c6d7dqh"], "'5c6d7dqh' is no command: expected cribev score 5c6d7dqh"),
        (["5H 5D"], "expected cribev advise and six cards, or cribev score and five"),
        (["advise", HAND, "--score", "-5-3"], "'-5-3' is not a score: expected your points"),
        (["--", "advise"], "no such option: '--'"),
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
@pytest.mark.parametrize(
    "arguments", [["score", "5C 6D 7D QH 6H"], ["advise", HAND], ["score"], ["--version"]]
)
def test_a_full_disk_is_one_line(arguments):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-u", "-m", "cribev", *arguments],
            input=b"5C 6D 7D QH 6H\n" * 9999, stdout=full, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == b"cribev: error: cannot write: No space left on device\n"


def test_memory_that_runs_out_is_one_line(monkeypatch):
    def fill(*_, **__):
        raise MemoryError

    monkeypatch.setattr("cribev.commands.score.as_four_or_five", fill)
    done = run("score", "5C 6D 7D QH 6H")
    assert done.returncode == 1
    assert done.stderr == b"cribev: error: there is not enough memory for this\n"


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
    table = tmp_path / "t☃\x1b[31m.csv"
    table.write_bytes((data / "discard_frequency.csv").read_bytes())
    text = good("advise", HAND, "--opponent", str(table), PYTHONIOENCODING="ascii")
    assert "t\\u2603" in text
    assert "\x1b" not in text


def test_output_that_cannot_spell_a_sign_says_it_in_ascii(data):
    done = run("score", "5♥ 6♦ " + "z" * 40, PYTHONIOENCODING="ascii")
    assert b"'zzzzzzzzzzzzzzzzzzz...' is not a card" in done.stderr
    done = run("score", "5♥ 5♥", PYTHONIOENCODING="ascii")
    assert b"5H comes twice in '5H 5H'" in done.stderr
    shown = good("review", str(data / "game.csv"), "--fast", PYTHONIOENCODING="ascii")
    assert "The figure after +- is one standard error" in shown


def test_tables_by_rank_pair():
    both = good("tables", "crib")
    assert both.count("average crib by what the") == 2
    assert len(both.splitlines()) == 2 * 17 + 1
    assert len(good("tables", "crib", "--show-only").splitlines()) == 2 * 16 + 1
    one = good("tables", "crib", "--role", "pone", "--compare", "schell")
    assert "points: the expert's less Schell's" in one
    rows = csv_rows("tables", "frequency")
    assert len(rows) == 2 * 169
    assert sum(float(row["thrown"]) for row in rows) == pytest.approx(2)
    assert {row["suited"] for row in rows if row["rank1"] == row["rank2"]} == {"False"}
    compared = printed("tables", "crib", "--compare", "hessel")
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
    assert b"a cycle of 2 rounds" in done.stdout
    again, shipped = load(file), load()
    told = f"round 1, dealer: {again.history[0].changed:,} of 20,358,520 deals changed"
    assert told.encode() in done.stderr
    # A gain at the limit of what is counted may fall on either side by rounding.
    for one, another in zip(again.history, shipped.history, strict=True):
        assert one.changed == pytest.approx(another.changed, rel=1e-5)
    for name in ("rounds", "cycle", "improvable_deals", "checksums"):
        assert getattr(again, name) == getattr(shipped, name)
    for role in ROLES:
        assert again.averages[role] == pytest.approx(shipped.averages[role])
        assert again.exploitability[role] == pytest.approx(shipped.exploitability[role])
        for policy, loss in shipped.losses[role].items():
            assert again.losses[role][policy].points == pytest.approx(loss.points, rel=1e-4)
    assert [path.name for path in tmp_path.iterdir()] == ["solution.npz"]
    assert "--force replaces it" in refused("solve", "--discards-only", "-o", str(file))


def test_help_and_version():
    assert good("--version") == f"cribev {cribev.__version__}\n"
    alone = good()
    assert alone == good("--help") == good("help")
    for command in ("advise", "score", "peg", "deal", "solve"):
        assert f"\n    {command} " in alone
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


@pytest.mark.parametrize(
    "arguments", [["score"], ["advise", HAND, "--explain"], ["help", "batch"], ["deal", "200000"]]
)
def test_a_reader_may_leave_early(started, arguments, tmp_path):
    lines = tmp_path / "hands.txt"
    lines.write_bytes(b"5C 6D 7D QH 6H\n" * 500_000)
    with lines.open("rb") as stdin:
        process = started("-m", "cribev", *arguments, stdin=stdin)
    if arguments[0] == "deal":
        process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=300) == 0
