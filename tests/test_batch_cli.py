"""`cribev batch` and `cribev deal`: files in, files out, and what can go wrong on the way."""

import json
import shlex
import sys
from pathlib import Path

import pandas as pd
import pytest
from batching import ADDED, GOOD, SHOWN, files, read
from shell import good, refused

from cribev import evaluate
from cribev.commands.cli import main

pytestmark = pytest.mark.usefixtures("in_a_folder")

OPPONENTS = ["uniform", str(Path(__file__).parent / "data" / "discard_frequency.csv")]


def test_deal_is_the_same_for_a_seed():
    text = good("deal", "3", "--seed", "1")
    assert text == (
        "cards,role\n3D 2H JD AS 3H 6H,dealer\n4H AC QS 2D KH 7D,dealer\nJD AS 9D 4H AC JS,pone\n"
    )
    more = good("deal", "70000", "--seed", "1")
    assert more.startswith(text)
    assert len(set(more.splitlines())) > 69_900
    assert good("deal", "70000") != more
    assert good("deal", "0") == "cards,role\n"


@pytest.mark.parametrize("options", [{"spread": True}, *({"opponent": one} for one in OPPONENTS)])
def test_result_is_that_of_evaluate(deals, options):
    words = ["--opponent", options["opponent"]] if "opponent" in options else ["--spread"]
    assert main(["batch", "deals.csv", "-o", "best.csv", *words]) == 0
    expected = evaluate(pd.read_csv(deals), **options)
    pd.testing.assert_frame_equal(read("best.csv"), expected, atol=5.1e-7, check_dtype=False)


def test_roles_and_names_as_people_write_them(deals):
    loose = deals.read_text().replace("cards,role", "cards, role").replace(",pone", ", Pone")
    told = good("batch", "--format", "jsonl", stdin=loose.encode())
    found = pd.DataFrame(map(json.loads, told.splitlines()))
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'in.csv' is empty: expected a line of column names"),
        ("\n\n", "'in.csv' is empty: expected a line of column names"),
        ("hand\n5H\n", "'in.csv': no column 'cards': there are 'hand'"),
        (f"cards,x\n{GOOD},1\n1X,2\n", "'in.csv' line 3: '1X' is not a card: piece 1, column 1"),
        (f"cards,x\n{GOOD},1\n\n{GOOD}\n", "'in.csv' line 4: expected 2 values, got 1"),
        (f"cards,x\n{GOOD},1\n{GOOD},1,2\n", "'in.csv' line 3: expected 2 values, got 3"),
        (f'x,cards\n"a\nb",{GOOD}\n"c\r\nd",{GOOD}\n3,5H\n', "'in.csv' line 6: expected 6 cards"),
        (f'cards\n{GOOD}\n"5H\n', "'in.csv' line 3: a quotation mark is not closed"),
        (
            f'cards\n"{GOOD}\n' + 9000 * f"{GOOD}\n",
            "'in.csv' line 2: a value of more than 131,072 characters: is a quote not closed?",
        ),
        (f"cards,margin\n{GOOD},1\n", "'in.csv': there is a column 'margin' already: rename it"),
        (f"cards,cards\n{GOOD},1\n", "'in.csv': two columns 'cards'"),
        (f"cards,role\n{GOOD},pone\n", "'in.csv': a column 'role', and 'dealer' for all rows too"),
        (f"cards\n{GOOD}\n5H 5H 5H 5H 5H 5H\n", "'in.csv' line 3: 5H comes twice in"),
        (f"cards\n{GOOD}\n".encode("utf-16"), "'in.csv' line 1: not UTF-8 text"),
        (f"x,cards\na,{GOOD}\nZo".encode() + b"\xeb,5H\n", "'in.csv' line 3: not UTF-8 text"),
    ],
    ids=str,
)
@pytest.mark.parametrize("rows", ["1", "1000"])
def test_bad_text_is_named_with_its_line(tmp_path, text, message, rows):
    (tmp_path / "in.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    arguments = ["batch", "in.csv", "-o", "out.csv", "--dealer", "--chunk-rows", rows]
    assert refused(*arguments).startswith(message)
    assert files(tmp_path) == ["in.csv"]


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
def test_a_row_without_suits_is_named_where_they_are_needed(tmp_path, option):
    (tmp_path / "in.csv").write_text(f"cards\n{GOOD}\n5 5 J Q 2 8\n")
    command = ["batch", "in.csv", "-o", "out.csv", "--dealer", "--opponent", "uniform", option]
    assert refused(*command).startswith("'in.csv' line 3: '2 5 5 8 J Q' has no suits: ")
    assert main([*command, "--errors", "skip"]) == 0
    assert len(read("out.csv")) == 1
    assert "3," in (tmp_path / "out.csv.rejects.csv").read_text()


def test_two_columns_of_one_name(capsys, tmp_path):
    (tmp_path / "in.csv").write_text(f"x,cards,x\n1,{GOOD},2\n")
    assert main(["batch", "in.csv", "-o", "out.csv", "--dealer"]) == 0
    capsys.readouterr()
    for form in ("jsonl", "parquet"):
        message = refused("batch", "in.csv", "-o", f"out.{form}", "--dealer")
        assert message == f"two columns 'x': {form} has one of each name"
    assert files(tmp_path) == ["in.csv", "out.csv"]
    (tmp_path / "in.csv").write_text(f"cards,CARDS,role\n{GOOD},,pone\n")
    assert main(["batch", "in.csv", "-o", "out.csv", "--force"]) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"Cards,CARDS,role\n{GOOD},,pone\n", "'in.csv': two columns 'cards'"),
        (f"cards,role\n{GOOD},pone\n{GOOD},eldest\n", "'in.csv' line 3: 'eldest' is not a role: "),
        (f"cards\n{GOOD}\n", "'in.csv': no column 'role', or give one role for all"),
        ('"Cards, six";x\n', "'in.csv': no column 'cards': there are 'Cards, six, x'"),
    ],
)
def test_columns_that_are_not_there(tmp_path, text, message):
    (tmp_path / "in.csv").write_text(text)
    assert refused("batch", "in.csv", "-o", "out.csv").startswith(message)


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


@pytest.mark.parametrize("rows", ["1", "2", "1000"])
def test_text_that_is_no_row_is_put_aside(tmp_path, rows):
    lines = [
        b"note,cards", b"a,%s" % GOOD.encode(), b"Zo\xeb,%s" % GOOD.encode(), b'"b"x,5H',
        b'"c\nd",%s' % GOOD.encode(), b'"e', b'"f",%s' % GOOD.encode(), b'"\xff\ng",5H', b'h,"5H',
    ]  # fmt: skip
    arguments = ["--dealer", "--errors", "skip", "--force", "--chunk-rows", rows]
    for end in (b"", b"\n"):
        (tmp_path / "in.csv").write_bytes(b"\n".join(lines) + end)
        assert main(["batch", "in.csv", "-o", "out.csv", *arguments]) == 0
        assert read("out.csv")["note"].tolist() == ["a", "c\nd", "f"]
        bad = read("out.csv.rejects.csv")
        assert bad["line"].tolist() == [3, 4, 7, 9, 11]
        assert bad["row"].tolist() == [
            f"Zo\\xeb,{GOOD}", '"b"x,5H', '"e', '"\\xff\ng",5H', 'h,"5H',
        ]  # fmt: skip
        assert bad["reason"].tolist()[::3] == ["not UTF-8 text"] * 2
    row = json.dumps({"cards": GOOD}).encode()
    (tmp_path / "in.jsonl").write_bytes(b'{"cards": "\xff"}\n' + row)
    assert main(["batch", "in.jsonl", "-o", "out.jsonl", *arguments]) == 0
    assert read("out.jsonl")["cards"].tolist() == [GOOD]
    assert read("out.jsonl.rejects.csv").to_numpy().tolist() == [
        [1, "not UTF-8 text", '{"cards": "\\xff"}']
    ]


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv", "-o", "out.csv"], "cannot read 'none.csv': No such file or directory"),
        ([".", "-o", "out.csv", "--input-format", "csv"], "cannot read '.': Is a directory"),
        (["deals.csv", "-o", "-", "--format", "csv", "--errors", "skip"], "skipping bad rows"),
        (["deals.csv", "-o", "/dev/null", "--format", "csv", "--errors", "skip"], "skipping bad"),
        (["deals.csv", "-o", "out.csv", "--chunk-rows", "0"], "argument --chunk-rows: '0' is not"),
        (["deals.csv", "-o", "out.csv", "--cards", "a,b"], "cards stand in one column or in six"),
        (["deals.csv", "-o", "o.csv", "--input-format", "parquet"], "cannot read 'deals.csv' as P"),
        (["-", "-o", "out", "--dask", "local"], "--dask reads and writes files, not standard"),
        (["no*.csv", "-o", "out", "--dask", "local"], "no files match 'no*.csv'"),
    ],
)  # fmt: skip
def test_bad_arguments(deals, arguments, message):
    before = files(deals.parent)
    assert refused("batch", *arguments).startswith(message)
    assert files(deals.parent) == before


def test_a_missing_extra_says_what_to_install(deals, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    message = refused("batch", "deals.csv", "-o", "out.parquet")
    command = f"{shlex.quote(sys.executable)} -m pip install 'cribev[{{}}]'".format
    assert message == f"this needs pyarrow: {command('parquet')}"
    monkeypatch.setitem(sys.modules, "distributed", None)
    message = refused("batch", "*.csv", "-o", "out", "--dask", "local")
    assert message == f"this needs distributed: {command('dask')}"
    assert files(deals.parent) == ["deals.csv"]


@pytest.mark.usefixtures("deals")
def test_a_line_break_in_a_name_is_one_line(capsys, tmp_path):
    message = refused("batch", "deals.csv", "-o", "no\nfolder/out.csv")
    assert message == r"there is no folder 'no\nfolder'"
    (tmp_path / "o\nut.csv").symlink_to("/dev/full")
    assert main(["batch", "deals.csv", "-o", "o\nut.csv"]) == 1
    error = capsys.readouterr().err
    assert error == "cribev: error: cannot write 'o\\nut.csv': No space left on device\n"
    assert main(["batch", "deals.csv", "-o", "/dev/null", "--format", "csv"]) == 0
