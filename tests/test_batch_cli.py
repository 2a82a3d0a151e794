"""`cribev batch` and `cribev deal`: files of every format in and out, and what can go wrong."""

import csv
import gzip
import io
import itertools
import json
import re
import shlex
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from unittest import mock

import pandas as pd
import pytest
from shell import ADDED, HAND, SHOWN, batched, files, good, read_table, refused, run

from cribev import CribevError, evaluate, evaluate_file, format_cards, random_hands
from cribev.commands.cli import main

pytestmark = [pytest.mark.arrays, pytest.mark.usefixtures("in_a_folder")]


def test_deal_is_the_same_for_a_seed():
    text = good("deal", "3", "--seed", "1")
    rows = "QS 9H TD 4S QD 8C,pone\nJC AH TC 7S JD 9D,dealer\n6C JH 6S 3C 8S 8C,dealer\n"
    assert text == f"cards,role\n{rows}"
    more = good("deal", "70000", "--seed", "1")
    assert more.startswith(text)
    assert len(set(more.splitlines())) > 69_900
    hands = [line.partition(",")[0] for line in more.splitlines()[1:]]
    assert hands == format_cards(random_hands(70_000, seed=1))
    assert good("deal", "3") != text
    assert good("deal", "0") == "cards,role\n"
    for number in ("9" * 30, "1000000000001"):
        said = f"argument N: '{number}' is not a whole number from 0 to 10"
        assert said in refused("deal", number)


def same(found, expected):
    pd.testing.assert_frame_equal(
        found, expected, atol=5.1e-7, rtol=0, check_dtype=False, check_categorical=False
    )


def test_bad_lines_before_the_first_good_one(deals):
    lines = ["{}", "[1]", json.dumps({"cards": HAND, "role": "pone"}), "5"]
    deals.with_name("deals.jsonl").write_text("\n".join(lines))
    best = batched("deals.jsonl", "out.csv", "--errors", "skip", "--chunk-rows", "1")
    assert best["cards"].tolist() == [HAND]
    assert read_table("out.csv.rejects.csv")["line"].tolist() == [1, 2, 4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'in.csv' is empty: expected a line of column names"),
        ("hands\n5H\n", "'in.csv': no column 'cards': there are 'hands'"),
        (f"{HAND},dealer\n", f"'in.csv' line 1: '{HAND},dealer' has no headings"),
        (f"cards,x\n{HAND},1\n1X,2\n", "'in.csv' line 3: invalid card '1X': expected a rank"),
        (f"cards,x\n{HAND},1\n\n{HAND}\n", "'in.csv' line 4: expected 2 values, got 1"),
        (f"cards,x\n{HAND},1\n{HAND},1,2\n", "'in.csv' line 3: expected 2 values, got 3"),
        (f'x,cards\n"a\nb",{HAND}\n"c\r\nd",{HAND}\n3,5H\n', "'in.csv' line 6: expected 6 cards"),
        (f'cards\n{HAND}\n"5H\n', "'in.csv' line 3: a quotation mark is not closed"),
        (
            f'cards\n"{HAND}\n' + 9000 * f"{HAND}\n",
            "'in.csv' line 2: a value of more than 131,072 ",
        ),
        (f"cards,margin\n{HAND},1\n", "'in.csv': there is a column 'margin' already: rename it"),
        (f"cards,role\n{HAND},pone\n", "'in.csv': a column 'role', and 'dealer' for all rows too"),
        (f"cards\n{HAND}\n5H 5H 5H 5H 5H 5H\n", "'in.csv' line 3: 5H comes twice in"),
        (f"cards\n{HAND}\n".encode("utf-16") + b"x", "'in.csv' is not UTF-16 text, as it begins"),
        (f"x,cards\na,{HAND}\nZo".encode() + b"\xeb,5H\n", "'in.csv' line 3: not UTF-8 text"),
        (f"Cards,CARDS\n{HAND},\n", "'in.csv': two columns 'cards'"),
        ('"Cards, six";x\n', "'in.csv': no column 'cards': there are 'Cards, six, x'"),
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
    (tmp_path / "in.csv").write_text(f"cards,role\n5 5 J Q 2 8,pone\n{HAND},dealer\n")
    for options, names in (((), ADDED), (("--show-only",), SHOWN)):
        found = batched("in.csv", "out.csv", *options)
        assert list(found) == ["cards", "role", *names]
        assert found["best_discard"].tolist() == ["2 8", "2H 8D"]
        same(found, evaluate(pd.read_csv("in.csv"), play=not options))
    for form in ("csv", "parquet"):
        found = batched("in.csv", f"every.{form}", "--every-discard")
        assert found["cards"].value_counts().tolist() == [15, 11]
        assert found["rank"].tolist()[:2] == [1, 2]
    command = ["batch", "in.csv", "-o", "suits.csv", "--opponent", "uniform", "--exact"]
    assert refused(*command).startswith("'in.csv' line 2: '2 5 5 8 J Q' lacks suits: ")
    assert main([*command, "--errors", "skip"]) == 0
    assert len(read_table("suits.csv")) == 1
    assert read_table("suits.csv.rejects.csv")["line"].tolist() == [2]


def test_two_columns_of_one_name_and_no_role(capsys, tmp_path):
    (tmp_path / "in.csv").write_text(f"x,cards,x\n1,{HAND},2\n")
    assert main(["batch", "in.csv", "-o", "out.csv", "--dealer"]) == 0
    capsys.readouterr()
    for form in ("jsonl", "parquet"):
        message = refused("batch", "in.csv", "-o", f"out.{form}", "--dealer")
        assert message == f"two columns 'x': {form} has one of each name"
    assert files(tmp_path) == ["in.csv", "out.csv"]
    for text, message in (
        (f"cards\n{HAND}\n", "'in.csv': no column 'role', or give one role for all"),
        (f"cards,role,role\n{HAND},pone,dealer\n", "'in.csv': two columns 'role'"),
    ):
        (tmp_path / "in.csv").write_text(text)
        assert refused("batch", "in.csv", "-o", "new.csv").startswith(message)
    (tmp_path / "in.csv").write_text(f"cards,CARDS,role\n{HAND},,pone\n")
    assert main(["batch", "in.csv", "-o", "out.csv", "--force"]) == 0


@pytest.mark.parametrize("rows", ["2", "1000"])
def test_bad_rows_are_put_aside(capsys, tmp_path, rows):
    lines = [
        "note,cards,role", f"a,{HAND},dealer", "b,1X,dealer", f'"c\nd",{HAND},eldest', "e",
        f"f,{HAND},pone", f'"g,""h",{HAND[:-2]},pone',
    ]  # fmt: skip
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    arguments = ["-o", "out.csv", "--errors", "skip", "--chunk-rows", rows]
    assert main(["batch", "in.csv", *arguments]) == 0
    summary = "deals evaluated: 2; rows rejected: 4 (see out.csv.rejects.csv)\n"
    assert capsys.readouterr().err.endswith(summary)
    assert read_table("out.csv")["note"].tolist() == ["a", "f"]
    bad = pd.read_csv("out.csv.rejects.csv")
    assert list(bad) == ["line", "reason", "row"]
    assert bad["line"].tolist() == [3, 4, 6, 8]
    assert bad["row"].tolist() == ["b,1X,dealer", f'"c\nd",{HAND},eldest', "e", lines[-1]]
    told = "invalid card '1X'", "invalid role 'eldest'", "expected 3 values", "expected 6 cards"
    for reason, said in zip(bad["reason"], told, strict=True):
        assert reason.startswith(said)
    # A later run without bad rows leaves no old rejects behind.
    (tmp_path / "in.csv").write_text("\n".join(lines[:2]))
    assert main(["batch", "in.csv", *arguments, "--force"]) == 0
    assert files(tmp_path) == ["in.csv", "out.csv"]


def test_text_that_is_no_row_is_put_aside(tmp_path):
    lines = [
        b"note,cards", b"a,%s" % HAND.encode(), b"Zo\xeb,%s" % HAND.encode(), b'"b"x,5H',
        b'"c\nd",%s' % HAND.encode(), b'"e', b'"f",%s' % HAND.encode(), b'"\xff\ng",5H', b'h,"5H',
    ]  # fmt: skip
    for end, rows in ((b"", "1000"), (b"\n", "1")):
        arguments = ["--dealer", "--errors", "skip", "--chunk-rows", rows]
        (tmp_path / "in.csv").write_bytes(b"\n".join(lines) + end)
        assert batched("in.csv", "out.csv", *arguments)["note"].tolist() == ["a", "c\nd", "f"]
        bad = read_table("out.csv.rejects.csv")
        assert bad["line"].tolist() == [3, 4, 7, 9, 11]
        assert bad["row"].tolist() == [
            f"Zo\\xeb,{HAND}", '"b"x,5H', '"e', '"\\xff\ng",5H', 'h,"5H',
        ]  # fmt: skip
        assert bad["reason"].tolist()[::3] == ["not UTF-8 text"] * 2
    row = json.dumps({"cards": HAND}).encode()
    (tmp_path / "in.jsonl").write_bytes(b'{"cards": "\xff"}\n' + row)
    assert batched("in.jsonl", "out.jsonl", *arguments)["cards"].tolist() == [HAND]
    (reject,) = read_table("out.jsonl.rejects.csv").to_numpy().tolist()
    assert reject == [1, "not UTF-8 text", '{"cards": "\\xff"}']


def test_bad_rows_of_json_and_parquet(tmp_path):
    rows = [{"cards": HAND, "n": 1}, {"cards": 5, "n": 2}, {"cards": None, "n": None}, {"n": 3}]
    text = "\n".join(map(json.dumps, rows)) + '\n[1]\n{"cards"\n\n' + json.dumps(rows[0])
    (tmp_path / "in.jsonl").write_text(text)
    arguments = ["--dealer", "--errors", "skip"]
    assert batched("in.jsonl", "out.jsonl", *arguments)["n"].tolist() == [1, 1]
    bad = read_table("out.jsonl.rejects.csv")
    assert bad["line"].tolist() == [2, 3, 4, 5, 6]
    assert bad["reason"][2] == "expected the keys 'cards, n', got 'n'"
    cards = [HAND, None, "5H\n5H", "5♥ 5♦ JS\nQC 2H 8D"]
    pd.DataFrame({"cards": cards, "n": 7}).to_parquet("in.parquet")
    found = batched("in.parquet", "out.csv", *arguments)
    assert found["best_discard"].tolist() == ["2H 8D", "2H 8D"]
    bad = read_table("out.csv.rejects.csv")
    assert bad["line"].tolist() == [2, 3]
    assert json.loads(bad["row"][0]) == {"cards": None, "n": 7}
    pd.DataFrame({"cards": [HAND.split()]}).to_parquet("lists.parquet")
    assert batched("lists.parquet", "lists.csv", *arguments)["best_discard"][0] == "2H 8D"
    pd.DataFrame({"cards": [1, 2]}).to_parquet("numbers.parquet")  # and all are bad
    assert list(batched("numbers.parquet", "o.parquet", *arguments)) == ["cards", *ADDED]
    assert len(read_table("o.parquet.rejects.csv")) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv", "-o", "out.csv"], "cannot read 'none.csv': No such file or directory"),
        (["deals.csv", "-o", "/dev/null", "--format", "csv", "--errors", "skip"], "skipping bad"),
        (["deals.csv", "-o", "out.csv", "--chunk-rows", "0"], "argument --chunk-rows: '0' is not"),
        (["deals.csv", "-o", "o.csv", "--input-format", "parquet"], "cannot read 'deals.csv' as P"),
        (["cut.csv.gz", "-o", "o.csv", "--pone"], "cannot read 'cut.csv.gz': Compressed file "),
    ],
)  # fmt: skip
def test_bad_arguments(deals, arguments, message):
    Path("cut.csv.gz").write_bytes(gzip.compress(b"cards\n" + b"5H\n" * 999)[:-9])
    before = files(deals.parent)
    assert refused("batch", *arguments).startswith(message)
    assert files(deals.parent) == before


def test_what_is_missing_says_what_to_install(deals, monkeypatch):
    for module in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    command = f"this needs pyarrow: {shlex.quote(sys.executable)} -m pip install"
    message = refused("batch", "deals.csv", "-o", "out.parquet")
    assert re.fullmatch(rf"{re.escape(command)} 'pyarrow>=[\d.]+'", message)
    assert files(deals.parent) == ["deals.csv"]

    not_installed = mock.Mock(side_effect=PackageNotFoundError("cribev"))
    monkeypatch.setattr("importlib.metadata.requires", not_installed)
    assert refused("batch", "deals.csv", "-o", "out.parquet") == f"{command} pyarrow"


@pytest.mark.usefixtures("deals")
def test_line_break_in_name_stays_one_line(capsys, tmp_path):
    message = refused("batch", "deals.csv", "-o", "no\nfolder/out.csv")
    assert message == r"there is no folder 'no\nfolder'"
    (tmp_path / "o\nut.csv").symlink_to("/dev/full")
    assert main(["batch", "deals.csv", "-o", "o\nut.csv"]) == 1
    error = capsys.readouterr().err
    assert error == "cribev: error: cannot write 'o\\nut.csv': No space left on device\n"
    assert main(["batch", "deals.csv", "-o", "/dev/null", "--format", "csv"]) == 0


def test_formats_give_the_same_table():
    frame = pd.read_csv(io.StringIO(good("deal", "60", "--seed", "1")))
    table = evaluate(frame, every_discard=True).reset_index(drop=True)
    sources = "tsv", "csv.gz", "jsonl.gz", "parquet"
    targets = "jsonl", "csv", "parquet", "tsv.gz"
    for source, target in zip(sources, targets, strict=True):
        assert main(["deal", "60", "--seed", "1", "-o", f"in.{source}"]) == 0
        best = batched(f"in.{source}", f"out.{target}", "--every-discard", "--chunk-rows", "17")
        same(best, table)


def test_parquet_chunks_leave_no_trace(deals):
    frame = pd.read_csv(deals)
    assert main(["batch", "deals.csv", "-o", "whole.csv"]) == 0
    whole = deals.with_name("whole.csv").read_bytes()
    for size, rows in ((None, "7"), (None, "300"), (None, str(10**17)), (1, "50"), (70, "50")):
        frame.to_parquet("groups.parquet", row_group_size=size)
        source = "groups.parquet" if size else "deals.csv"
        assert main(["batch", source, "-o", "out.csv", "--chunk-rows", rows, "--force"]) == 0
        assert deals.with_name("out.csv").read_bytes() == whole


def test_pipes(deals):
    done = good("batch", "--format", "tsv", stdin=deals.read_bytes())
    assert main(["batch", "deals.csv", "-o", "best.tsv"]) == 0
    assert done == deals.with_name("best.tsv").read_text()
    pd.read_csv(deals).to_parquet("deals.parquet")
    arguments = ["batch", "-", "-o", "-", "--input-format", "parquet", "--format", "parquet"]
    done = run(*arguments, stdin=deals.with_name("deals.parquet").read_bytes())
    found = pd.read_parquet(io.BytesIO(done.stdout))
    same(found, evaluate(pd.read_csv(deals)))


def test_parquet_keeps_types_and_metadata_and_takes_six_columns():
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    frame = pd.DataFrame([HAND.split()] * 3, columns=list("uvwxyz"))
    frame["when"] = pd.to_datetime(["2024-01-01", None, "2024-01-03"])
    frame["u"] = frame["u"].astype("category")
    table = arrow.Table.from_pandas(frame.set_index(pd.Index(["a", "b", "c"], name="who")))
    told = {**table.schema.metadata, "by": "me"}
    parquet.write_table(table.replace_schema_metadata(told), "in.parquet")
    assert main(["batch", "in.parquet", "-o", "o.parquet", "--pone", "--cards", "u,v,w,x,y,z"]) == 0
    best = pd.read_parquet("o.parquet")
    assert best["when"].tolist()[0] == frame["when"][0]
    assert list(best) == [*frame, *ADDED]
    assert best.index.name == "who"
    assert parquet.read_schema("o.parquet").metadata[b"by"] == b"me"


def test_own_text_comes_back_as_it_was(tmp_path):
    rows = [
        ["note", "cards", "when"], ['say "go", now', HAND, "007"], ["two\nlines", HAND, "1e3"],
        ["", HAND, ""], ["♥ Zoë\u2028", HAND, " x "], ["NA", HAND, "null"], ["cr\rhere", HAND, "9"],
    ]  # fmt: skip
    with (tmp_path / "in.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    assert main(["batch", "in.csv", "-o", "out.csv", "--dealer"]) == 0
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        found = list(csv.reader(file))
    assert [row[:3] for row in found] == rows
    assert {tuple(row[3:5]) for row in found[1:]} == {("2H 8D", "5D 5H JS QC")}


def test_no_rows(tmp_path):
    (tmp_path / "in.csv").write_text("cards,role\n")
    frame = pd.DataFrame({"cards": [HAND], "role": ["pone"]}, dtype="category")
    frame.head(0).to_parquet("in.parquet")
    for source, form in itertools.product(("csv", "parquet"), ("csv", "parquet")):
        best = batched(f"in.{source}", f"out.{form}")
        assert (list(best), len(best)) == (["cards", "role", *ADDED], 0)
    assert good("batch", "in.parquet", "--format", "jsonl") == ""


@pytest.mark.parametrize("good", ["", json.dumps({"cards": HAND}) + "\n"])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "expected a JSON object, got '[1]'"),
        ('{"cards"', "'{\"cards\"' is not JSON: "),
        (f'{{"cards": "{HAND}", "n": 1, "cards": ""}}', "the key 'cards' comes twice"),
        ("[" * 100_000, f"'{'[' * 59}…' is not JSON: it is nested too deeply"),
        ("1" * 5_000, f"'{'1' * 59}…' is not JSON: a number has too many digits"),
    ],
)
def test_a_bad_line_of_json_is_quoted(tmp_path, good, line, message):
    (tmp_path / "in.jsonl").write_text(f"{good}{line}\n")
    said = refused("batch", "in.jsonl", "-o", "out.csv", "--dealer")
    assert said.startswith(f"'in.jsonl' line {1 + bool(good)}: {message}")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (['"\\ud800"'], "'utf-8' codec can't encode character"),
        (["1", '"a"'], "Failed to parse string: 'a'"),
    ],
)
def test_what_parquet_cannot_hold(tmp_path, values, message):
    lines = [f'{{"cards": "{HAND}", "x": {value}}}\n' for value in values]
    (tmp_path / "in.jsonl").write_text("".join(lines))
    arguments = ["batch", "in.jsonl", "--dealer", "--chunk-rows", "1"]
    said = refused(*arguments, "-o", "out.parquet")
    assert said.startswith(f"cannot write as Parquet: {message}")
    assert files(tmp_path) == ["in.jsonl"]
    for form in ("csv", "jsonl"):  # other formats can: half a surrogate pair as it was
        text = good(*arguments, "--format", form)
        assert text.count("\\ud800") == values[0].count("ud800")


@pytest.mark.parametrize(("cards", "target"), [(HAND, "out.csv"), ("1X", "out.parquet")])
def test_dates_that_python_has_not(cards, target):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    when = arrow.array([2**60], arrow.timestamp("us"))
    parquet.write_table(arrow.table({"cards": [cards], "when": when}), "in.parquet")
    message = refused("batch", "in.parquet", "-o", target, "--dealer", "--errors", "skip")
    assert message.startswith("cannot take timestamp[us] as text: ")


def test_spreadsheet_text_and_other_alphabets_are_read(tmp_path):
    for text in (
        "cards\trole\tNote\n{0}\tdealer\tx\n",
        "\ufeff cards , role ,Note\n{0},dealer,x\n",
        '\ufeff"Cards";" Role ";"Note"\r\n"{0}";" Dealer";"x"\r\n',
    ):
        (tmp_path / "in.csv").write_text(text.format(HAND), encoding="utf-8")
        (row,) = batched("in.csv", "out.csv").to_dict(orient="records")
        assert list(row) == ["cards", "role", "Note", *ADDED]
        assert (row["cards"], row["Note"], row["best_discard"]) == (HAND, "x", "2H 8D")
    frame = pd.DataFrame({" Cards": [HAND], "Role": ["pone"]})
    frame.to_parquet("in.parquet")
    frame.to_json("in.jsonl", orient="records", lines=True)
    for kind in ("parquet", "jsonl"):
        assert batched(f"in.{kind}", f"out.{kind}").loc[0, "cards"] == HAND


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_what_is_no_number_is_null_in_json(capsys, form):
    texts = ["NaN", '[1, {"a": -Infinity}]', "1e999", "0.5"]
    lines = [f'{{"cards": "{HAND}", "x": {text}}}' for text in texts]
    Path("in.jsonl").write_text("\n".join(lines))
    if form == "parquet":
        numbers = [float("nan"), float("inf"), None, 0.5]
        pd.DataFrame({"cards": [HAND] * 4, "x": numbers}).to_parquet("in.parquet")
    assert main(["batch", f"in.{form}", "--format", "jsonl", "--pone"]) == 0

    text = capsys.readouterr().out
    assert "NaN" not in text
    assert "Infinity" not in text
    rows = [json.loads(line) for line in text.splitlines()]
    nested = [1, {"a": None}] if form == "jsonl" else None
    assert [row["x"] for row in rows] == [None, nested, None, 0.5]


def test_text_of_parquet_that_is_not_utf8():
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    role = arrow.array([b"pone", b"p\xffne", b"pone"]).view(arrow.string())
    parquet.write_table(arrow.table({"cards": [HAND] * 3, "role": role}), "in.parquet")
    message = refused("batch", "in.parquet", "-o", "out.csv")
    assert message.startswith(r"'in.parquet' row 2: invalid role 'p\\xffne'")
    assert len(batched("in.parquet", "out.csv", "--errors", "skip")) == 2
    (row,) = read_table("out.csv.rejects.csv")["row"]
    assert json.loads(row) == {"cards": HAND, "role": r"p\xffne"}


def test_long_texts_that_a_dictionary_keeps_short(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = 60_000  # of 40 kB: more than fit in one column as they are
    at = arrow.array([1, *[0] * (rows - 1)], arrow.int32())
    notes = arrow.DictionaryArray.from_arrays(at, arrow.array(["x" * 40_000, "y"]))
    cards = arrow.DictionaryArray.from_arrays(at, arrow.array([HAND, "5H" * 20_000]))
    parquet.write_table(arrow.table({"cards": cards, "note": notes}), "in.parquet")
    arguments = ["batch", "in.parquet", "-o", "out.parquet", "--dealer", "--errors", "skip"]
    assert main(arguments) == 0
    assert parquet.ParquetFile("out.parquet").metadata.num_rows == rows - 1
    assert (tmp_path / "out.parquet").stat().st_size < 1e7
    (bad,) = read_table("out.parquet.rejects.csv")["reason"]
    assert bad == "expected cards, got a text of 40,000 characters"


def test_zipped_text_and_several_files_are_read(deals, tmp_path):
    import pyarrow

    plain = deals.read_bytes()
    whole = batched("deals.csv", "whole.csv")
    with pyarrow.CompressedOutputStream(str(tmp_path / "deals.csv.zst"), "zstd") as file:
        file.write(plain)
    same(batched("deals.csv.zst", "out.csv"), whole)
    piped = run("batch", stdin=gzip.compress(plain)).stdout
    assert piped == deals.with_name("whole.csv").read_bytes()
    for form in ("csv", "jsonl"):
        assert main(["batch", "deals.csv", "-o", f"x.{form}.zst"]) == 0
        same(batched(f"x.{form}.zst", "out.csv"), whole)
    head, *rows = plain.decode().splitlines(keepends=True)
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.csv").write_text("".join([head, *rows[:100]]))
    turned = [",".join(reversed(row.rstrip("\n").split(","))) + "\n" for row in [head, *rows[100:]]]
    (folder / "b.csv").write_text("".join(turned))
    for inputs in (["in"], ["in/*.csv"], ["in/a.csv", "in/b.csv"]):
        assert main(["batch", *inputs, "-o", "out.csv", "--force"]) == 0
        assert deals.with_name("out.csv").read_bytes() == piped
    (folder / "b.csv").write_text("".join([*turned, "dealer,1X\n"]))
    bad = "'in/b.csv' line 202: invalid card '1X'"
    assert refused("batch", "in", "-o", "no.csv").startswith(bad)
    assert main(["batch", "in", "-o", "out.csv", "--force", "--errors", "skip"]) == 0
    (reject,) = pd.read_csv("out.csv.rejects.csv").to_dict("records")
    assert (reject["file"], reject["line"]) == ("in/b.csv", 202)
    (folder / "b.csv").write_text("cards,who\n")
    other = "'in/b.csv' has the columns 'cards, who', and 'in/a.csv'"
    assert other in refused("batch", "in", "-o", "no.csv")


def test_files_are_evaluated_from_python(deals):
    done = evaluate_file("deals.csv")
    assert (done.rows, done.rejected, done.target, done.note) == (300, 0, "deals.best.csv", None)
    assert done.seconds > 0
    table = evaluate(pd.read_csv(deals))
    same(read_table("deals.best.csv"), table)
    written = io.BytesIO()
    with gzip.open("deals.csv.gz", "wb") as file:
        file.write(deals.read_bytes() + b"1X,pone\n")
    options = {"errors": "skip", "rejects": "bad.csv", "output_format": "parquet"}
    with Path("deals.csv.gz").open("rb") as file:
        done = evaluate_file(file, written, **options)
    assert (done.rows, done.rejected, done.rejects) == (300, 1, "bad.csv")
    same(pd.read_parquet(written), table)
    assert read_table("bad.csv")["line"].tolist() == [302]
    with pytest.raises(CribevError, match=r"^'deals.csv.gz' line 302: invalid card '1X'"):
        evaluate_file("deals.csv.gz", io.BytesIO())
    for source, target, options, said in (
        ("deals.csv", "no.csv", {"errors": "null"}, "errors='null': expected raise, skip"),
        ("deals.csv", "no.csv", {"rejects": "bad.csv"}, "rejects goes with errors='skip'"),
        (["deals.csv", "deals.csv"], None, {}, "there is not one file with a name"),
        (None, "out.csv", {}, "a path or a file open as bytes, got 'None'"),
    ):
        with pytest.raises(CribevError, match=said):
            evaluate_file(source, target, **options)
    Path("one.csv").write_text("".join(deals.read_text().splitlines(keepends=True)[:2]))
    evaluate_file(["one.csv", "one.csv"], "twice.csv", score="119-118", role=None)
    assert read_table("twice.csv")["win"].notna().tolist() == [True] * 2


def test_files_at_urls_are_read_and_appear_whole(deals, monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe("/folder/deals.csv", deals.read_bytes())
    assert evaluate_file("memory://folder/deals.csv").target == "deals.best.csv"
    assert main(["batch", "memory://folder/deals.csv", "-o", "memory://folder/out.parquet"]) == 0
    found = pd.read_parquet(io.BytesIO(memory.cat("/folder/out.parquet")))
    same(found, read_table("deals.best.csv"))
    command = ["batch", "deals.csv", "-o", "memory://folder/out.parquet"]
    said = "'memory://folder/out.parquet' is there already: --force replaces it"
    assert refused(*command) == said
    assert main([*command, "--force"]) == 0
    memory.pipe("/folder/bad.csv", deals.read_bytes() + b"1X,pone\n")
    with pytest.raises(CribevError, match=r"^'memory://folder/bad.csv' line 302: invalid card"):
        evaluate_file("memory://folder/bad.csv", "memory://folder/not.csv", chunk_rows=100)
    assert not memory.exists("/folder/not.csv")
    said = refused("batch", "memory://folder/none.csv", "-o", "out.csv")
    assert said.startswith("cannot read 'memory://folder/none.csv'")
    said = refused("batch", "nonsense://folder/none.csv", "-o", "out.csv")
    assert said.startswith("cannot open 'nonsense://folder/none.csv': Protocol not known: nonsense")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    said = refused("batch", "memory://folder/deals.csv", "-o", "out.csv")
    assert said.startswith("this needs fsspec: ")
