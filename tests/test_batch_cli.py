"""`cribev batch` and `cribev deal`: files in, files out, and what can go wrong on the way."""

import csv
import errno
import gzip
import io
import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.measuring import peak_of_command
from cribev import CribevError, evaluate
from cribev.batch.cluster import evaluate_files, listed_files
from cribev.batch.streams import Options, evaluate_file
from cribev.commands.cli import main
from cribev.files.lines import LONGEST_LINE

SHOWN = ["best_discard", "best_keep", "hand_mean", "crib_mean", "expected", "margin"]
ADDED = [*SHOWN[:4], "play_mean", *SHOWN[4:]]
GOOD = "5H 5D JS QC 2H 8D"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def deals(tmp_path):
    assert main(["deal", "300", "--seed", "1", "-o", "deals.csv"]) == 0
    return tmp_path / "deals.csv"


def run(*arguments, stdin=b"", **options):
    return subprocess.run(
        [sys.executable, "-m", "cribev", *arguments],
        input=stdin, capture_output=True, timeout=120, check=False, **options,
    )  # fmt: skip


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def fails(capsys, *arguments):
    """Run what must end with status 2, and give its one line."""
    assert main(list(arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err.removeprefix("cribev: error: ").rstrip("\n")


def read(path):
    name = str(path).removesuffix(".gz")
    if name.endswith("parquet"):
        return pd.read_parquet(path)
    if name.endswith("jsonl"):
        return pd.read_json(path, lines=True)
    return pd.read_csv(path, sep="\t" if name.endswith("tsv") else ",")


def test_deal_is_the_same_for_a_seed(capsys):
    assert main(["deal", "3", "--seed", "1"]) == 0
    text = capsys.readouterr().out
    assert text == (
        "cards,role\n3D 2H JD AS 3H 6H,dealer\n4H AC QS 2D KH 7D,dealer\nJD AS 9D 4H AC JS,pone\n"
    )
    assert main(["deal", "70000", "--seed", "1"]) == 0
    more = capsys.readouterr().out
    assert more.startswith(text)
    assert len(set(more.splitlines())) > 69_900
    assert main(["deal", "70000"]) == 0
    assert capsys.readouterr().out != more
    assert main(["deal", "0"]) == 0
    assert capsys.readouterr().out == "cards,role\n"


def test_result_is_that_of_evaluate(deals):
    assert main(["batch", "deals.csv", "-o", "best.csv", "--spread"]) == 0
    expected = evaluate(pd.read_csv(deals), spread=True)
    pd.testing.assert_frame_equal(read("best.csv"), expected, atol=5.1e-7, check_dtype=False)


@pytest.mark.parametrize("made", ["csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz"])
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "tsv.gz"])
def test_formats_give_the_same_table(deals, made, form):
    table = evaluate(pd.read_csv(deals), every_discard=True).reset_index(drop=True)
    assert main(["deal", "300", "--seed", "1", "-o", f"in.{made}"]) == 0
    arguments = ["-o", f"out.{form}", "--every-discard", "--chunk-rows", "77"]
    assert main(["batch", f"in.{made}", *arguments]) == 0
    found = read(f"out.{form}")
    pd.testing.assert_frame_equal(found, table, atol=5.1e-7, rtol=0, check_dtype=False)


@pytest.mark.parametrize("rows", ["1", "7", "300", str(10**20)])
def test_chunks_do_not_show(deals, rows):
    assert main(["batch", "deals.csv", "-o", "whole.csv"]) == 0
    assert main(["batch", "deals.csv", "-o", "chunks.csv", "--chunk-rows", rows]) == 0
    assert deals.with_name("chunks.csv").read_bytes() == deals.with_name("whole.csv").read_bytes()


def test_pipes(deals):
    done = run("batch", "--format", "tsv", stdin=deals.read_bytes())
    assert done.returncode == 0
    assert done.stderr == b""
    assert main(["batch", "deals.csv", "-o", "best.tsv"]) == 0
    assert done.stdout == deals.with_name("best.tsv").read_bytes()


def test_roles_and_names_as_people_write_them(deals):
    loose = deals.read_text().replace("cards,role", "cards, role").replace(",pone", ", Pone")
    done = run("batch", "--format", "jsonl", stdin=loose.encode())
    found = pd.DataFrame(map(json.loads, done.stdout.splitlines()))
    expected = evaluate(pd.read_csv(deals))
    added = ["best_discard", "best_keep", "expected"]
    pd.testing.assert_frame_equal(found[added], expected[added], check_dtype=False)
    assert set(found["role"]) == {"dealer", " Pone"}


def test_bad_lines_before_the_first_good_one(deals):
    lines = ["{}", "[1]", json.dumps({"cards": GOOD, "role": "pone"}), "5"]
    deals.with_name("deals.jsonl").write_text("\n".join(lines))
    for rows in ("1", "65536"):
        arguments = ["deals.jsonl", "-o", "out.csv", "--errors", "skip", "--chunk-rows", rows]
        assert main(["batch", *arguments, "--force"]) == 0
        assert read("out.csv")["cards"].tolist() == [GOOD]
        assert read("out.csv.rejects.csv")["line"].tolist() == [1, 2, 4]


def test_parquet_through_pipes(deals):
    assert main(["deal", "300", "--seed", "1", "-o", "deals.parquet"]) == 0
    arguments = ["batch", "-", "-o", "-", "--input-format", "parquet", "--format", "parquet"]
    done = run(*arguments, stdin=deals.with_name("deals.parquet").read_bytes())
    found = pd.read_parquet(io.BytesIO(done.stdout))
    pd.testing.assert_frame_equal(found, evaluate(pd.read_csv(deals)), check_dtype=False)


@pytest.mark.parametrize("size", [1, 70, 300])
def test_row_groups_of_parquet_do_not_show(deals, size):
    pd.read_csv(deals).to_parquet("groups.parquet", row_group_size=size)
    for rows in ("50", "65536"):
        arguments = ["groups.parquet", "-o", "best.csv", "--chunk-rows", rows, "--force"]
        assert main(["batch", *arguments]) == 0
        assert main(["batch", "deals.csv", "-o", "whole.csv", "--force"]) == 0
        assert read("best.csv").equals(read("whole.csv"))


def test_parquet_keeps_types_and_takes_six_columns():
    frame = pd.DataFrame([GOOD.split()] * 3, columns=list("uvwxyz"))
    frame["when"] = pd.to_datetime(["2024-01-01", None, "2024-01-03"])
    frame["u"] = frame["u"].astype("category")
    frame.to_parquet("in.parquet")
    assert main(["batch", "in.parquet", "-o", "o.parquet", "--pone", "--cards", "u,v,w,x,y,z"]) == 0
    found = pd.read_parquet("o.parquet")
    assert found["when"].tolist()[0] == frame["when"][0]
    assert list(found) == [*frame, *ADDED]


def test_opponents(deals, data):
    frame = pd.read_csv(deals)
    for opponent in ("uniform", str(data / "discard_frequency.csv")):
        arguments = ["--opponent", opponent, "--force"]
        assert main(["batch", "deals.csv", "-o", "best.csv", *arguments]) == 0
        expected = evaluate(frame, opponent=opponent)
        pd.testing.assert_frame_equal(read("best.csv"), expected, atol=5.1e-7, check_dtype=False)


def test_own_text_comes_back_as_it_was(tmp_path):
    rows = [
        ["note", "cards", "when"], ['say "go", now', GOOD, "007"], ["two\nlines", GOOD, "1e3"],
        ["", GOOD, ""], ["♥ Zoë\u2028", GOOD, " x "], ["NA", GOOD, "null"], ["cr\rhere", GOOD, "9"],
    ]  # fmt: skip
    with (tmp_path / "in.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    assert main(["batch", "in.csv", "-o", "out.csv", "--dealer"]) == 0
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        found = list(csv.reader(file))
    assert [row[:3] for row in found] == rows
    assert {tuple(row[3:5]) for row in found[1:]} == {("2H 8D", "5D 5H JS QC")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'in.csv' is empty: expected a line of column names"),
        ("\n\n", "'in.csv' is empty: expected a line of column names"),
        ("hand\n5H\n", "'in.csv': no column 'cards': there are 'hand'"),
        (f"cards,x\n{GOOD},1\n1X,2\n", "'in.csv' line 3: '1X' is not a card: piece 1, column 1"),
        (f"cards,x\n{GOOD},1\n\n{GOOD}\n", "'in.csv' line 4: expected 2 values, got 1"),
        (f"cards,x\n{GOOD},1\n{GOOD},1,2\n", "'in.csv' line 3: expected 2 values, got 3"),
        (
            f'x,cards\n"a\nb",{GOOD}\n"c\r\nd",{GOOD}\n3,5H\n',
            "'in.csv' line 6: expected 6 cards, g",
        ),
        (f'cards\n{GOOD}\n"5H\n', "'in.csv' line 3: unexpected end of data"),
        (f"cards,margin\n{GOOD},1\n", "'in.csv': there is a column 'margin' already: rename it"),
        (f"cards,cards\n{GOOD},1\n", "'in.csv': two columns 'cards'"),
        (f"cards,role\n{GOOD},pone\n", "'in.csv': a column 'role', and 'dealer' for all rows too"),
        (f"cards\n{GOOD}\n5H 5H 5H 5H 5H 5H\n", "'in.csv' line 3: 5H comes twice in"),
    ],
)
@pytest.mark.parametrize("rows", ["1", "1000"])
def test_bad_text_is_named_with_its_line(capsys, tmp_path, text, message, rows):
    (tmp_path / "in.csv").write_bytes(text.encode())
    arguments = ["batch", "in.csv", "-o", "out.csv", "--dealer", "--chunk-rows", rows]
    assert fails(capsys, *arguments).startswith(message)
    assert files(tmp_path) == ["in.csv"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (f"cards\n{GOOD}\n".encode("utf-16"), "'in.csv' line 1: not UTF-8 text"),
        (f"x,cards\na,{GOOD}\nZo".encode() + b"\xeb,5H\n", "'in.csv' line 3: not UTF-8 text"),
    ],
)
def test_other_encodings(capsys, tmp_path, data, message):
    (tmp_path / "in.csv").write_bytes(data)
    assert fails(capsys, "batch", "in.csv", "-o", "out.csv", "--dealer") == message
    assert files(tmp_path) == ["in.csv"]


def test_bytes_of_a_spreadsheet(tmp_path):
    text = f"cards,role\r\n{GOOD},dealer\r\n".encode("utf-8-sig")
    (tmp_path / "in.csv").write_bytes(text)
    assert main(["batch", "in.csv", "-o", "out.csv"]) == 0
    assert list(read("out.csv")) == ["cards", "role", *ADDED]


def test_hands_without_suits_and_the_show_alone(tmp_path):
    (tmp_path / "in.csv").write_text(f"cards,role\n5 5 J Q 2 8,pone\n{GOOD},dealer\n")
    for options, names in (((), ADDED), (("--show-only",), SHOWN)):
        assert main(["batch", "in.csv", "-o", "out.csv", "--force", *options]) == 0
        found = read("out.csv")
        assert list(found) == ["cards", "role", *names]
        assert found["best_discard"].tolist() == ["2 8", "2H 8D"]
        expected = evaluate(pd.read_csv("in.csv"), play=not options)
        pd.testing.assert_frame_equal(found, expected, atol=5.1e-7, check_dtype=False)
    for form in ("csv", "parquet"):
        command = ["batch", "in.csv", "-o", f"every.{form}", "--every-discard"]
        assert main(command) == 0
        found = read(f"every.{form}")
        assert found["cards"].value_counts().tolist() == [15, 11]
        assert found["rank"].tolist()[:2] == [1, 2]


@pytest.mark.parametrize("option", ["--exact", "--spread"])
def test_a_row_without_suits_is_named_where_they_are_needed(capsys, tmp_path, option):
    (tmp_path / "in.csv").write_text(f"cards\n{GOOD}\n5 5 J Q 2 8\n")
    command = ["batch", "in.csv", "-o", "out.csv", "--dealer", "--opponent", "uniform", option]
    assert fails(capsys, *command).startswith("'in.csv' line 3: '2 5 5 8 J Q' has no suits: ")
    assert main([*command, "--errors", "skip"]) == 0
    assert len(read("out.csv")) == 1
    assert "3," in (tmp_path / "out.csv.rejects.csv").read_text()


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_header_without_rows(tmp_path, form):
    (tmp_path / "in.csv").write_text("cards,role\n")
    assert main(["batch", "in.csv", "-o", f"out.{form}", "--spread"]) == 0
    if form == "jsonl":
        assert (tmp_path / "out.jsonl").read_text() == ""
    else:
        assert len(read(f"out.{form}").columns) == 13
        assert len(read(f"out.{form}")) == 0


@pytest.mark.parametrize("kind", ["str", "category"])
def test_parquet_without_rows(kind):
    frame = pd.DataFrame({"cards": [GOOD], "role": ["pone"]}, dtype=kind)
    frame.head(0).to_parquet("in.parquet")
    for form in ("csv", "parquet"):
        assert main(["batch", "in.parquet", "-o", f"out.{form}"]) == 0
        assert list(read(f"out.{form}")) == ["cards", "role", *ADDED]


def test_parquet_with_views_of_text():
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    texts = {"cards": [GOOD, "1X", GOOD], "role": ["dealer"] * 3}
    columns = {name: arrow.array(values, arrow.string_view()) for name, values in texts.items()}
    parquet.write_table(arrow.table(columns), "in.parquet")
    assert main(["batch", "in.parquet", "-o", "out.parquet", "--errors", "skip"]) == 0
    assert read("out.parquet")["best_discard"].tolist() == ["2H 8D"] * 2


@pytest.mark.parametrize("good", ["", json.dumps({"cards": GOOD}) + "\n"])
@pytest.mark.parametrize(
    ("line", "message"),
    [("[1]", "expected a JSON object, got '[1]'"), ('{"cards"', "'{\"cards\"' is not JSON: ")],
)
def test_a_bad_line_of_json_is_quoted(capsys, tmp_path, good, line, message):
    (tmp_path / "in.jsonl").write_text(f"{good}{line}\n")
    said = fails(capsys, "batch", "in.jsonl", "-o", "out.csv", "--dealer")
    assert said.startswith(f"'in.jsonl' line {1 + bool(good)}: {message}")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([str(10**30)], "Python int too large"),
        (['"\\ud800"'], "'utf-8' codec can't encode character"),
        (["1", '"a"'], "Failed to parse string: 'a'"),
    ],
)
def test_what_parquet_cannot_hold(capsys, tmp_path, values, message):
    lines = [f'{{"cards": "{GOOD}", "x": {value}}}\n' for value in values]
    (tmp_path / "in.jsonl").write_text("".join(lines))
    arguments = ["batch", "in.jsonl", "-o", "out.parquet", "--dealer", "--chunk-rows", "1"]
    assert fails(capsys, *arguments).startswith(f"cannot write as Parquet: {message}")
    assert files(tmp_path) == ["in.jsonl"]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_half_a_surrogate_pair_comes_back_as_it_was(tmp_path, form):
    (tmp_path / "in.jsonl").write_text(f'{{"cards": "{GOOD}", "x": "\\ud800"}}\n')
    assert main(["batch", "in.jsonl", "-o", f"out.{form}", "--dealer"]) == 0
    text = (tmp_path / f"out.{form}").read_text(encoding="utf-8")
    assert text.count("\\ud800") == 1


@pytest.mark.parametrize(
    ("cards", "target"), [(GOOD, "out.csv"), (GOOD, "out.jsonl"), ("1X", "out.parquet")]
)
def test_dates_that_python_has_not(capsys, cards, target):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    when = arrow.array([2**60], arrow.timestamp("us"))
    parquet.write_table(arrow.table({"cards": [cards], "when": when}), "in.parquet")
    message = fails(capsys, "batch", "in.parquet", "-o", target, "--dealer", "--errors", "skip")
    assert message.startswith("cannot take timestamp[us] as text: ")


def test_two_columns_of_one_name(capsys, tmp_path):
    (tmp_path / "in.csv").write_text(f"x,cards,x\n1,{GOOD},2\n")
    assert main(["batch", "in.csv", "-o", "out.csv", "--dealer"]) == 0
    capsys.readouterr()
    for form in ("jsonl", "parquet"):
        message = fails(capsys, "batch", "in.csv", "-o", f"out.{form}", "--dealer")
        assert message == f"two columns 'x': {form} has one of each name"
    assert files(tmp_path) == ["in.csv", "out.csv"]


def test_role_column(capsys, tmp_path):
    (tmp_path / "in.csv").write_text(f"cards,role\n{GOOD},dealer\n{GOOD},eldest\n")
    message = fails(capsys, "batch", "in.csv", "-o", "out.csv")
    assert message == "'in.csv' line 3: 'eldest' is not a role: expected 'dealer' or 'pone'"
    (tmp_path / "in.csv").write_text(f"cards\n{GOOD}\n")
    message = fails(capsys, "batch", "in.csv", "-o", "out.csv")
    assert message.startswith("'in.csv': no column 'role', or give one role for all")


@pytest.mark.parametrize("rows", ["1", "2", "1000"])
def test_bad_rows_are_put_aside(capsys, tmp_path, rows):
    lines = [
        "note,cards,role", f"a,{GOOD},dealer", "b,1X,dealer", f'"c\nd",{GOOD},eldest', "e",
        f"f,{GOOD},pone", f'"g,""h",{GOOD[:-2]},pone',
    ]  # fmt: skip
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    arguments = ["-o", "out.csv", "--errors", "skip", "--chunk-rows", rows]
    assert main(["batch", "in.csv", *arguments]) == 0
    summary = "deals evaluated: 2; rows rejected: 4 (see out.csv.rejects.csv)\n"
    assert capsys.readouterr().err.endswith(summary)
    assert read("out.csv")["note"].tolist() == ["a", "f"]
    bad = pd.read_csv("out.csv.rejects.csv")
    assert list(bad) == ["line", "reason", "row"]
    assert bad["line"].tolist() == [3, 4, 6, 8]
    assert bad["row"].tolist() == ["b,1X,dealer", f'"c\nd",{GOOD},eldest', "e", lines[-1]]
    assert [reason[:20] for reason in bad["reason"]] == [
        "'1X' is not a card: ", "'eldest' is not a ro", "expected 3 values, g",
        "expected 6 cards, go",
    ]  # fmt: skip
    # A later run without bad rows leaves no old rejects behind.
    (tmp_path / "in.csv").write_text("\n".join(lines[:2]))
    assert main(["batch", "in.csv", *arguments, "--force"]) == 0
    assert files(tmp_path) == ["in.csv", "out.csv"]


def test_all_rows_bad(tmp_path):
    (tmp_path / "in.csv").write_text("cards\n1X\n2X\n")
    assert main(["batch", "in.csv", "-o", "out.parquet", "--dealer", "--errors", "skip"]) == 0
    assert list(read("out.parquet")) == ["cards", *ADDED]
    assert len(read("out.parquet.rejects.csv")) == 2


def test_bad_rows_of_json_and_parquet(tmp_path):
    rows = [{"cards": GOOD, "n": 1}, {"cards": 5, "n": 2}, {"cards": None, "n": None}, {"n": 3}]
    text = "\n".join(map(json.dumps, rows)) + '\n[1]\n{"cards"\n\n' + json.dumps(rows[0])
    (tmp_path / "in.jsonl").write_text(text)
    arguments = ["--dealer", "--errors", "skip"]
    assert main(["batch", "in.jsonl", "-o", "out.jsonl", *arguments]) == 0
    assert read("out.jsonl")["n"].tolist() == [1, 1]
    assert read("out.jsonl.rejects.csv")["line"].tolist() == [2, 3, 4, 5, 6]
    pd.DataFrame({"cards": [GOOD, None, "5H\n5H", "5♥ 5♦ JS\nQC 2H 8D"], "n": 7}).to_parquet(
        "in.parquet"
    )
    assert main(["batch", "in.parquet", "-o", "out.csv", *arguments]) == 0
    assert read("out.csv")["best_discard"].tolist() == ["2H 8D", "2H 8D"]
    bad = read("out.csv.rejects.csv")
    assert bad["line"].tolist() == [2, 3]
    assert json.loads(bad["row"][0]) == {"cards": None, "n": 7}
    pd.DataFrame({"cards": [1, 2]}).to_parquet("numbers.parquet")
    assert main(["batch", "numbers.parquet", "-o", "o.csv", *arguments]) == 0
    assert len(read("o.csv.rejects.csv")) == 2


def test_files_that_may_not_be_written(capsys, deals):
    folder = deals.parent
    deals.with_name("there.csv").write_text("mine")
    deals.with_name("link.csv").symlink_to(deals)
    deals.with_name("sub").mkdir()
    before = files(folder)
    for target, message in {
        "there.csv": "'there.csv' is there already: --force replaces it",
        "deals.csv": "'deals.csv' is the input: write to another file",
        "link.csv": "'link.csv' is the input: write to another file",
        "sub": "'sub' is a folder: expected a file to write",
        "nowhere/out.csv": "there is no folder 'nowhere'",
        "out.xls": "what format is 'out.xls'? expected",
        "out.parquet.gz": "what format is 'out.parquet.gz'? expected",
    }.items():
        for force in ([], ["--force"]):
            if force and target == "there.csv":
                continue
            assert fails(capsys, "batch", "deals.csv", "-o", target, *force).startswith(message)
    assert files(folder) == before
    assert deals.with_name("there.csv").read_text() == "mine"
    assert main(["batch", "deals.csv", "-o", "there.csv", "--force"]) == 0
    assert len(read("there.csv")) == 300


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv", "-o", "out.csv"], "cannot read 'none.csv': No such file or directory"),
        ([".", "-o", "out.csv", "--input-format", "csv"], "cannot read '.': Is a directory"),
        (["deals.csv", "-o", "-", "--format", "csv", "--errors", "skip"], "skipping bad rows"),
        (["deals.csv", "-o", "out.csv", "--chunk-rows", "0"], "argument --chunk-rows: '0' is not"),
        (["deals.csv", "-o", "out.csv", "--cards", "a,b"], "cards stand in one column or in six"),
        (["deals.csv", "-o", "o.csv", "--input-format", "parquet"], "cannot read 'deals.csv' as P"),
        (["-", "-o", "out", "--dask", "local"], "--dask reads and writes files, not standard"),
        (["no*.csv", "-o", "out", "--dask", "local"], "no files match 'no*.csv'"),
    ],
)  # fmt: skip
def test_bad_arguments(capsys, deals, arguments, message):
    before = files(deals.parent)
    assert fails(capsys, "batch", *arguments).startswith(message)
    assert files(deals.parent) == before


def test_a_cut_off_gzip(capsys, tmp_path):
    (tmp_path / "in.csv.gz").write_bytes(gzip.compress(b"cards\n" + b"5H\n" * 999)[:-9])
    message = fails(capsys, "batch", "in.csv.gz", "-o", "out.csv", "--dealer")
    assert message.startswith("cannot read 'in.csv.gz': Compressed file ended")
    assert files(tmp_path) == ["in.csv.gz"]


def test_a_missing_extra_says_what_to_install(capsys, deals, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    message = fails(capsys, "batch", "deals.csv", "-o", "out.parquet")
    command = f"{shlex.quote(sys.executable)} -m pip install 'cribev[{{}}]'".format
    assert message == f"this needs pyarrow: {command('parquet')}"
    monkeypatch.setitem(sys.modules, "distributed", None)
    message = fails(capsys, "batch", "*.csv", "-o", "out", "--dask", "local")
    assert message == f"this needs distributed: {command('dask')}"
    assert files(deals.parent) == ["deals.csv"]


def _few_bytes():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))


@pytest.mark.parametrize("form", ["csv", "parquet", "csv.gz"])
def test_a_full_disk_leaves_nothing(deals, form):
    done = run("batch", "deals.csv", "-o", f"out.{form}", preexec_fn=_few_bytes)
    assert done.returncode == 1, done.stderr
    assert done.stderr.decode() == f"cribev: error: cannot write 'out.{form}': File too large\n"
    assert done.stderr.count(b"\n") == 1
    assert files(deals.parent) == ["deals.csv"]


@pytest.mark.usefixtures("deals")
def test_a_full_device():
    done = run("batch", "deals.csv", "-o", "/dev/full", "--format", "csv")
    assert done.returncode == 1
    assert done.stderr == b"cribev: error: cannot write '/dev/full': No space left on device\n"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_output(deals, how):
    process = subprocess.Popen(
        [sys.executable, "-m", "cribev", "batch", "-", "-o", "out.csv", "--input-format", "csv",
         "--chunk-rows", "100"],
        stdin=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    header, *lines = deals.read_bytes().splitlines(keepends=True)
    process.stdin.write(header)
    block = b"".join(lines) * 300
    for _ in range(3):
        process.stdin.write(block)
    process.stdin.flush()
    until = time.monotonic() + 60
    while len(files(deals.parent)) == 1 and time.monotonic() < until:
        time.sleep(0.05)
    assert any(name.endswith(".part") for name in files(deals.parent))
    process.send_signal(how)
    _, err = process.communicate(timeout=60)
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    assert b"Traceback" not in err
    assert "out.csv" not in files(deals.parent)
    if how == signal.SIGINT:
        assert files(deals.parent) == ["deals.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_memory_stays_flat(tmp_path, form):
    def peak(name, rows):
        source = str(tmp_path / f"{name}.{form}")
        assert main(["deal", rows, "--seed", "1", "-o", source]) == 0
        return peak_of_command("batch", source, "-o", str(tmp_path / f"{name}.out.{form}"))

    assert peak("large", "2000000") <= 1.1 * peak("small", "200000")


@pytest.mark.filterwarnings("ignore:Sending large graph:UserWarning")
def test_dask_on_two_workers(deals, tmp_path):
    distributed = pytest.importorskip("distributed")
    import dask.dataframe as dd

    from cribev.batch import evaluation as batch

    options = Options(["cards"], errors="skip")
    (tmp_path / "in").mkdir()
    lines = deals.read_text().splitlines(keepends=True)
    (tmp_path / "in" / "a.csv").write_text("".join(lines[:101]))
    (tmp_path / "in" / "b.csv").write_text(lines[0] + "".join(lines[101:]) + "1X,pone\n")
    whole = evaluate(pd.read_csv(deals))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        frame = dd.from_pandas(pd.read_csv(deals), npartitions=4)
        for more in ({"spread": True}, {"every_discard": True}):
            found = frame.map_partitions(evaluate, **more, meta=batch.meta(frame, **more))
            pd.testing.assert_frame_equal(
                found.compute(scheduler=client), evaluate(pd.read_csv(deals), **more),
                check_dtype=False,
            )  # fmt: skip
        sources = [str(tmp_path / "in" / name) for name in ("a.csv", "b.csv")]
        done = evaluate_files(
            sources, str(tmp_path / "out"), options, cluster=cluster.scheduler_address
        )
        assert sum(summary.rows for summary in done.values()) == 300
        assert [summary.rejected for _, summary in sorted(done.items())] == [0, 1]
        found = pd.concat([read(tmp_path / "out" / name) for name in ("a.csv", "b.csv")])
        pd.testing.assert_frame_equal(
            found.reset_index(drop=True), whole, atol=5.1e-7, check_dtype=False
        )
        strict = options._replace(errors="raise", force=True)
        with pytest.raises(CribevError, match=r"b\.csv' line 202: '1X' is not a card"):
            evaluate_files(
                sources[1:], str(tmp_path / "new"), strict, cluster=cluster.scheduler_address
            )
        assert files(tmp_path / "new") == []


def test_dask_from_the_command_line(deals, tmp_path):
    pytest.importorskip("distributed")
    (tmp_path / "in").mkdir()
    for name in ("a.csv", "b.csv"):
        (tmp_path / "in" / name).write_bytes(deals.read_bytes())
    done = run("batch", "in", "-o", "out", "--dask", "local", "--format", "parquet")
    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert files(tmp_path / "out") == ["a.parquet", "b.parquet"]
    expected = evaluate(pd.read_csv(deals))
    pd.testing.assert_frame_equal(read("out/a.parquet"), expected, check_dtype=False)


def test_dask_says_what_is_bad_in_one_line(deals, tmp_path):
    pytest.importorskip("distributed")
    (tmp_path / "in").mkdir()
    for name, more in (("a.csv", ""), ("b.csv", "1X,pone\n")):
        (tmp_path / "in" / name).write_text(deals.read_text() + more)
    done = run("batch", "in", "-o", "out", "--dask", "local")
    assert done.returncode == 2
    (line,) = done.stderr.decode().splitlines()
    assert "line 302" in line
    done = run("batch", "in", "-o", "new", "--dask", "local", "--opponent", "nobody")
    assert done.stderr.startswith(b"cribev: error: 'nobody' is neither an opponent")
    assert not (tmp_path / "new").exists()


@pytest.mark.usefixtures("deals")
def test_progress_is_for_terminals():
    summaries = []
    evaluate_file("deals.csv", "a.csv", Options(["cards"], chunk_rows=100), report=summaries.append)
    assert [progress.rows for progress in summaries] == [100, 100, 100]
    assert summaries[-1].share == 1.0
    counted = []
    options = Options(["cards"], chunk_rows=200, opponent="uniform", exact=True)
    evaluate_file("deals.csv", "c.csv", options, report=counted.append)
    assert sum(progress.rows for progress in counted) == 300
    assert sum(progress.rows == 1 for progress in counted) == 300  # as each deal is done
    assert counted[-1].share == 1.0
    done = run("batch", "deals.csv", "-o", "b.csv")
    assert done.stderr == b""
    assert done.stdout == b""


def test_a_role_for_all_is_a_role(deals):
    for role, message in (("eldest", "'eldest' is not a role"), ("Pone", None)):
        options = Options(["cards"], role=role, input_format="csv")
        frame = pd.read_csv(deals).drop(columns="role")
        frame.to_csv("cards.csv", index=False)
        if message:
            with pytest.raises(CribevError, match=message):
                evaluate_file("cards.csv", "out.csv", options)
        else:
            evaluate_file("cards.csv", "out.csv", options)
            expected = evaluate(frame, role="pone")["best_discard"]
            assert read("out.csv")["best_discard"].tolist() == expected.tolist()


@pytest.mark.slow
def test_a_reader_that_leaves_is_no_error():
    command = f"{sys.executable} -m cribev deal 500000 --seed 1 | head -2"
    done = subprocess.run(command, shell=True, capture_output=True, check=True, env=os.environ)
    assert done.stdout.count(b"\n") == 2
    assert done.stderr == b""


def test_results_and_what_is_put_aside_never_meet(capsys, deals, tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("x.csv", "x.csv.rejects.csv"):
        (tmp_path / "in" / name).write_bytes(deals.read_bytes() + b"1X,pone\n")
    arguments = ["batch", "in", "-o", "out", "--dask", "local"]
    message = fails(capsys, *arguments, "--errors", "skip")
    assert message.startswith("'out/x.csv.rejects.csv' would be written twice: rename 'x.csv.rej")
    (tmp_path / "in" / "w.csv").touch()
    (tmp_path / "in" / "w.jsonl").touch()
    message = fails(capsys, *arguments, "--format", "csv")
    assert message == "'out/w.csv' would be written twice: rename 'w.csv'"


def test_files_for_dask_are_found_by_their_names(deals):
    deals.with_name("a[1].csv").touch()
    assert listed_files("a[1].csv") == ["a[1].csv"]
    assert listed_files("[a-c]*.csv") == ["a[1].csv"]


def test_folders_that_are_none(capsys, deals, monkeypatch):
    message = fails(capsys, "batch", "deals.csv", "-o", "deals.csv", "--dask", "local")
    assert message == "'deals.csv' is a file: expected a folder for the results"
    message = fails(capsys, "batch", "deals.csv", "-o", "deals.csv/x", "--dask", "local")
    assert message == "'deals.csv/x' is a file: expected a folder for the results"
    assert files(deals.parent) == ["deals.csv"]

    def denied(_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", denied)
    message = fails(capsys, "batch", ".", "-o", "out", "--dask", "local")
    assert message == "cannot read '.': Permission denied"


@pytest.mark.usefixtures("deals")
def test_what_is_written_to_a_device_has_nothing_beside_it(capsys):
    message = fails(capsys, "batch", "deals.csv", "-o", "/dev/null", "--format", "csv", "--errors",
                    "skip")  # fmt: skip
    assert message.startswith("skipping bad rows needs an output file")
    assert main(["batch", "deals.csv", "-o", "/dev/null", "--format", "csv"]) == 0


def test_rejects_come_with_the_output_or_not_at_all(deals):
    deals.write_bytes(b"1X,pone\n".join([deals.read_bytes(), b""]))
    done = run("batch", "deals.csv", "-o", "out.csv", "--errors", "skip", preexec_fn=_few_bytes)
    assert done.returncode == 1
    assert files(deals.parent) == ["deals.csv"]
    assert main(["batch", "deals.csv", "-o", "out.csv", "--errors", "skip"]) == 0
    assert files(deals.parent) == ["deals.csv", "out.csv", "out.csv.rejects.csv"]


@pytest.mark.usefixtures("deals")
def test_a_line_break_in_a_name_is_one_line(capsys, tmp_path):
    message = fails(capsys, "batch", "deals.csv", "-o", "no\nfolder/out.csv")
    assert message == r"there is no folder 'no\nfolder'"
    (tmp_path / "o\nut.csv").symlink_to("/dev/full")
    assert main(["batch", "deals.csv", "-o", "o\nut.csv"]) == 1
    error = capsys.readouterr().err
    assert error == "cribev: error: cannot write 'o\\nut.csv': No space left on device\n"


@pytest.mark.slow
@pytest.mark.parametrize("wait", [1, 2, 4])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_dask_is_interrupted_in_silence(tmp_path, how, wait):
    pytest.importorskip("distributed")
    (tmp_path / "in").mkdir()
    for name in ("a.csv", "b.csv"):
        assert main(["deal", "1000000", "-o", f"in/{name}"]) == 0
    process = subprocess.Popen(
        [sys.executable, "-m", "cribev", "batch", "in", "-o", "out", "--dask", "local"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    time.sleep(wait)
    (os.killpg if how == signal.SIGINT else os.kill)(process.pid, how)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (128 + how, b"", b"")
    assert not list(tmp_path.glob("out/.*"))


@pytest.mark.parametrize(
    "text",
    [
        "Cards,ROLE,Note\n{0},dealer,x\n",
        "cards;role;Note\n{0};dealer;x\n",
        "cards\trole\tNote\n{0}\tdealer\tx\n",
        "\ufeff cards , role ,Note\n{0},dealer,x\n",
        '\ufeff"Cards";" Role ";"Note"\r\n"{0}";"dealer";"x"\r\n',
        '"Cards, six";x\n',
    ],
)
def test_what_spreadsheets_write_is_understood(capsys, tmp_path, text):
    (tmp_path / "in.csv").write_text(text.format(GOOD), encoding="utf-8")
    if "six" in text:  # a comma within quotes is none between values
        assert "there are 'Cards, six, x'" in fails(capsys, "batch", "in.csv")
        return
    assert main(["batch", "in.csv", "-o", "out.csv"]) == 0
    (row,) = read("out.csv").to_dict(orient="records")
    assert list(row) == ["cards", "role", "Note", *ADDED]
    assert (row["cards"], row["Note"], row["best_discard"]) == (GOOD, "x", "2H 8D")


def test_names_of_columns_in_other_letters_are_understood_in_every_format():
    frame = pd.DataFrame({" Cards": [GOOD], "Role": ["pone"]})
    frame.to_parquet("in.parquet")
    frame.to_json("in.jsonl", orient="records", lines=True)
    for kind in ("parquet", "jsonl"):
        assert main(["batch", f"in.{kind}", "-o", f"out.{kind}"]) == 0
        assert read(f"out.{kind}").loc[0, "cards"] == GOOD


def test_two_columns_that_may_be_meant(capsys, tmp_path):
    (tmp_path / "in.csv").write_text(f"Cards,CARDS,role\n{GOOD},,pone\n")
    assert fails(capsys, "batch", "in.csv") == "'in.csv': two columns 'cards'"
    (tmp_path / "in.csv").write_text(f"cards,CARDS,role\n{GOOD},,pone\n")
    assert main(["batch", "in.csv", "-o", "out.csv"]) == 0


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_what_is_no_number_is_null_in_json(capsys, form):
    texts = ["NaN", '[1, {"a": -Infinity}]', "1e999", "0.5"]
    lines = [f'{{"cards": "{GOOD}", "x": {text}}}' for text in texts]
    Path("in.jsonl").write_text("\n".join(lines))
    if form == "parquet":
        numbers = [float("nan"), float("inf"), None, 0.5]
        pd.DataFrame({"cards": [GOOD] * 4, "x": numbers}).to_parquet("in.parquet")
    assert main(["batch", f"in.{form}", "--format", "jsonl", "--pone"]) == 0

    def never(text):
        raise AssertionError(text)

    rows = [json.loads(line, parse_constant=never) for line in capsys.readouterr().out.splitlines()]
    nested = [1, {"a": None}] if form == "jsonl" else None
    assert [row["x"] for row in rows] == [None, nested, None, 0.5]


def views(arrow):
    text = ["a" * 30, "b", "c"]
    return [
        arrow.array(text, arrow.string_view()),
        arrow.array([one.encode() for one in text], arrow.binary_view()),
        arrow.array([[one] for one in text], arrow.list_(arrow.string_view())),
        arrow.array([{"x": one} for one in text], arrow.struct([("x", arrow.string_view())])),
        arrow.array([[1], [2], [3]], arrow.list_view(arrow.int32())),
    ]


@pytest.mark.parametrize("every", [[], ["--every-discard"]])
@pytest.mark.parametrize("form", ["parquet", "jsonl", "csv"])
def test_columns_of_views_of_which_rows_are_left_out(form, every):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    own = {f"x{at}": column for at, column in enumerate(views(arrow))}
    table = {"cards": [GOOD, "1X", GOOD], "role": ["dealer"] * 3, **own}
    parquet.write_table(arrow.table(table), "in.parquet")
    assert main(["batch", "in.parquet", "-o", f"out.{form}", "--errors", "skip", *every]) == 0
    times = 15 if every else 1
    found = (
        parquet.read_table("out.parquet").to_pylist()
        if form == "parquet"
        else read(f"out.{form}").to_dict(orient="records")
    )
    assert len(found) == 2 * times
    if form != "csv":
        assert [row["x2"] for row in found[::times]] == [["a" * 30], ["c"]]
        assert [row["x3"]["x"] for row in found[::times]] == ["a" * 30, "c"]


def test_text_of_parquet_that_is_not_utf8(capsys):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    role = arrow.array([b"pone", b"p\xffne", b"pone"]).view(arrow.string())
    parquet.write_table(arrow.table({"cards": [GOOD] * 3, "role": role}), "in.parquet")
    message = fails(capsys, "batch", "in.parquet", "-o", "out.csv")
    assert message.startswith(r"'in.parquet' row 2: 'p\\xffne' is not a role")
    assert main(["batch", "in.parquet", "-o", "out.csv", "--errors", "skip"]) == 0
    assert len(read("out.csv")) == 2
    (row,) = read("out.csv.rejects.csv")["row"]
    assert json.loads(row) == {"cards": GOOD, "role": r"p\xffne"}


def test_long_texts_that_a_dictionary_keeps_short(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = 60_000  # of 40 kB: more than fit in one column as they are
    at = arrow.array([1, *[0] * (rows - 1)], arrow.int32())
    notes = arrow.DictionaryArray.from_arrays(at, arrow.array(["x" * 40_000, "y"]))
    cards = arrow.DictionaryArray.from_arrays(at, arrow.array([GOOD, "5H" * 20_000]))
    parquet.write_table(arrow.table({"cards": cards, "note": notes}), "in.parquet")
    arguments = ["batch", "in.parquet", "-o", "out.parquet", "--dealer", "--errors", "skip"]
    assert main(arguments) == 0
    assert parquet.ParquetFile("out.parquet").metadata.num_rows == rows - 1
    assert (tmp_path / "out.parquet").stat().st_size < 1e7
    (bad,) = read("out.parquet.rejects.csv")["reason"]
    assert bad == "expected cards, got a text of 40,000 bytes"


@pytest.mark.parametrize("made", ["csv", "jsonl", "csv.gz"])
def test_a_line_beyond_all_measure(capsys, tmp_path, made):
    text = b"cards,role\n" + b"5" * (LONGEST_LINE + (1 << 22))
    (tmp_path / f"in.{made}").write_bytes(gzip.compress(text, 1) if made == "csv.gz" else text)
    message = fails(capsys, "batch", f"in.{made}", "-o", "out.csv")
    assert message == f"'in.{made}' line 2: longer than 16,777,216 bytes"
    assert files(tmp_path) == [f"in.{made}"]


@pytest.mark.parametrize(
    "command",
    [
        ["score"], ["advise", "-"], ["batch"], ["batch", "--input-format", "jsonl"],
        ["review", "-"], ["advise", GOOD, "--opponent", "/dev/zero"],
    ],
)  # fmt: skip
def test_what_never_ends_is_refused(command):
    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(
            [sys.executable, "-m", "cribev", *command], stdin=endless, capture_output=True,
            timeout=60, check=False, preexec_fn=_little_memory,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
    assert b"line 1: longer than 16,777,216 bytes" in done.stderr or b"not a CSV" in done.stderr


def _little_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (2 << 30, 2 << 30))


@pytest.mark.slow
def test_every_discard_of_many_deals_takes_no_more_memory(tmp_path):
    def peak(rows):
        assert main(["deal", rows, "-o", f"{rows}.csv"]) == 0
        options = ["--every-discard", "--spread", "--format", "jsonl"]
        return peak_of_command("batch", str(tmp_path / f"{rows}.csv"), "-o", "/dev/null", *options)

    assert peak("140000") <= 1.1 * peak("70000")


def test_text_that_is_a_formula_in_a_spreadsheet_is_carried_and_told_of(capsys, tmp_path):
    (tmp_path / "in.csv").write_text(f"note,cards\n=cmd|' /C calc'!A0,{GOOD}\n")
    assert main(["batch", "in.csv", "--pone"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith(f"=cmd|' /C calc'!A0,{GOOD},")
    with pytest.raises(SystemExit):
        main(["batch", "--help"])
    assert "= + - or @ for a formula" in " ".join(capsys.readouterr().out.split())
