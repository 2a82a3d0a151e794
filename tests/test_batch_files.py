"""`cribev batch` in every format, and what text and Parquet may hold."""

import csv
import gzip
import io
import json
from pathlib import Path

import pandas as pd
import pytest
from batching import ADDED, GOOD, files, read, run
from shell import good, refused

from cribev import evaluate
from cribev.commands.cli import main

pytestmark = pytest.mark.usefixtures("in_a_folder")


@pytest.mark.parametrize("made", ["csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz"])
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "tsv.gz"])
def test_formats_give_the_same_table(deals, made, form):
    table = evaluate(pd.read_csv(deals), every_discard=True).reset_index(drop=True)
    assert main(["deal", "300", "--seed", "1", "-o", f"in.{made}"]) == 0
    arguments = ["-o", f"out.{form}", "--every-discard", "--chunk-rows", "77"]
    assert main(["batch", f"in.{made}", *arguments]) == 0
    found = read(f"out.{form}")
    pd.testing.assert_frame_equal(found, table, atol=5.1e-7, rtol=0, check_dtype=False)


@pytest.mark.parametrize("size", [None, 1, 70, 300])
def test_chunks_and_row_groups_of_parquet_do_not_show(deals, size):
    pd.read_csv(deals).to_parquet("groups.parquet", row_group_size=size)
    assert main(["batch", "deals.csv", "-o", "whole.csv"]) == 0
    whole = deals.with_name("whole.csv").read_bytes()
    source = "groups.parquet" if size else "deals.csv"
    for rows in ("50", "65536") if size else ("1", "7", "300", str(10**17)):
        assert main(["batch", source, "-o", "out.csv", "--chunk-rows", rows, "--force"]) == 0
        assert deals.with_name("out.csv").read_bytes() == whole


def test_pipes(deals):
    done = good("batch", "--format", "tsv", stdin=deals.read_bytes())
    assert main(["batch", "deals.csv", "-o", "best.tsv"]) == 0
    assert done == deals.with_name("best.tsv").read_text()
    assert main(["deal", "300", "--seed", "1", "-o", "deals.parquet"]) == 0
    arguments = ["batch", "-", "-o", "-", "--input-format", "parquet", "--format", "parquet"]
    done = run(*arguments, stdin=deals.with_name("deals.parquet").read_bytes())  # a process
    found = pd.read_parquet(io.BytesIO(done.stdout))
    pd.testing.assert_frame_equal(found, evaluate(pd.read_csv(deals)), check_dtype=False)


def test_parquet_keeps_types_and_takes_six_columns():
    frame = pd.DataFrame([GOOD.split()] * 3, columns=list("uvwxyz"))
    frame["when"] = pd.to_datetime(["2024-01-01", None, "2024-01-03"])
    frame["u"] = frame["u"].astype("category")
    frame.to_parquet("in.parquet")
    assert main(["batch", "in.parquet", "-o", "o.parquet", "--pone", "--cards", "u,v,w,x,y,z"]) == 0
    found = pd.read_parquet("o.parquet")
    assert found["when"].tolist()[0] == frame["when"][0]
    assert list(found) == [*frame, *ADDED]


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


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_no_rows(tmp_path, form):
    (tmp_path / "in.csv").write_text("cards,role\n")
    for kind in ("str", "category"):
        frame = pd.DataFrame({"cards": [GOOD], "role": ["pone"]}, dtype=kind)
        frame.head(0).to_parquet(f"{kind}.parquet")
    for source in ("in.csv", "str.parquet", "category.parquet"):
        assert main(["batch", source, "-o", f"out.{form}", "--spread", "--force"]) == 0
        if form == "jsonl":
            assert (tmp_path / "out.jsonl").read_text() == ""
        else:
            found = read(f"out.{form}")
            assert list(found)[:9] == ["cards", "role", *ADDED]
            assert found.shape == (0, 13)


@pytest.mark.parametrize("good", ["", json.dumps({"cards": GOOD}) + "\n"])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "expected a JSON object, got '[1]'"),
        ('{"cards"', "'{\"cards\"' is not JSON: "),
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
        ([str(10**30)], "Python int too large"),
        (['"\\ud800"'], "'utf-8' codec can't encode character"),
        (["1", '"a"'], "Failed to parse string: 'a'"),
    ],
)
def test_what_parquet_cannot_hold(tmp_path, values, message):
    lines = [f'{{"cards": "{GOOD}", "x": {value}}}\n' for value in values]
    (tmp_path / "in.jsonl").write_text("".join(lines))
    arguments = ["batch", "in.jsonl", "-o", "out.parquet", "--dealer", "--chunk-rows", "1"]
    assert refused(*arguments).startswith(f"cannot write as Parquet: {message}")
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
def test_dates_that_python_has_not(cards, target):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    when = arrow.array([2**60], arrow.timestamp("us"))
    parquet.write_table(arrow.table({"cards": [cards], "when": when}), "in.parquet")
    message = refused("batch", "in.parquet", "-o", target, "--dealer", "--errors", "skip")
    assert message.startswith("cannot take timestamp[us] as text: ")


def test_a_cut_off_gzip(tmp_path):
    (tmp_path / "in.csv.gz").write_bytes(gzip.compress(b"cards\n" + b"5H\n" * 999)[:-9])
    message = refused("batch", "in.csv.gz", "-o", "out.csv", "--dealer")
    assert message.startswith("cannot read 'in.csv.gz': Compressed file ended")
    assert files(tmp_path) == ["in.csv.gz"]


@pytest.mark.parametrize(
    "text",
    [
        "Cards,ROLE,Note\n{0},dealer,x\n",
        "cards;role;Note\n{0};dealer;x\n",
        "cards\trole\tNote\n{0}\tdealer\tx\n",
        "\ufeff cards , role ,Note\n{0},dealer,x\n",
        '\ufeff"Cards";" Role ";"Note"\r\n"{0}";"dealer";"x"\r\n',
    ],
)
def test_what_spreadsheets_write_is_understood(tmp_path, text):
    (tmp_path / "in.csv").write_text(text.format(GOOD), encoding="utf-8")
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
    cards = arrow.array([GOOD, "1X", GOOD], arrow.string_view())
    table = {"cards": cards, "role": arrow.array(["dealer"] * 3, arrow.string_view()), **own}
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


def test_text_of_parquet_that_is_not_utf8():
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    role = arrow.array([b"pone", b"p\xffne", b"pone"]).view(arrow.string())
    parquet.write_table(arrow.table({"cards": [GOOD] * 3, "role": role}), "in.parquet")
    message = refused("batch", "in.parquet", "-o", "out.csv")
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


def test_text_that_is_a_formula_in_a_spreadsheet_is_carried_and_told_of(tmp_path):
    (tmp_path / "in.csv").write_text(f"note,cards\n=cmd|' /C calc'!A0,{GOOD}\n")
    assert (
        good("batch", "in.csv", "--pone").splitlines()[1].startswith(f"=cmd|' /C calc'!A0,{GOOD},")
    )
    assert "= + - or @ for a formula" in " ".join(good("batch", "--help").split())
