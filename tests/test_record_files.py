"""Files of records."""

import gzip
import re
import sys

import pandas as pd
import pytest
from games import random_games, with_play

from cribev import CribevError, RecordError, review
from cribev.reviews.formats import read_record
from cribev.reviews.record import ALL_COLUMNS, as_record


@pytest.fixture(scope="module")
def game():
    """Four deals, both sides, every column: rows 2n and 2n + 1 are dealer and pone of a deal."""
    return with_play(random_games(1, deals=4, seed=5))


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "jsonl", "jsonl.gz", "parquet"])
def test_files_of_every_kind_say_the_same(tmp_path, game, kind):
    path = tmp_path / f"game.{kind}"
    gaps = game.drop(columns="opponent_discard").astype(object)
    gaps.loc[2, "starter"] = None
    if kind == "parquet":
        gaps.astype({"deal": "int32"}).to_parquet(path)
    elif kind.startswith("jsonl"):
        gaps.to_json(path, orient="records", lines=True)
    else:
        gaps.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    read = as_record(read_record(path))
    pd.testing.assert_frame_equal(read.frame, as_record(gaps).frame)


def test_columns_of_parquet_keep_their_kind(tmp_path, game):
    others = {"stake": range(8), "when": pd.Timestamp("2024-01-02"), "note": None}
    game.assign(**others).to_parquet(tmp_path / "game.parquet")
    frame = as_record(read_record(tmp_path / "game.parquet")).frame
    assert frame["stake"].dtype.kind == "i"
    assert frame["when"].dtype.kind == "M"


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_what_spreadsheets_write_is_understood(tmp_path, game, delimiter, mark):
    wanted = as_record(game.assign(Note="a, b")).frame
    names = {name: f" {name.title().replace('_', ' ')} " for name in ALL_COLUMNS}
    text = game.assign(Note="a, b").rename(columns=names).to_csv(index=False, sep=delimiter)
    rows = text + delimiter * 8 + "\n\n"  # what is left of rows that were emptied
    (tmp_path / "game.csv").write_text(mark + rows, encoding="utf-8")
    read = as_record(read_record(tmp_path / "game.csv")).frame
    pd.testing.assert_frame_equal(read, wanted, check_dtype=False)
    plain = text.replace('"a, b"', "a").replace("a, b", "a")
    quoted = re.sub(rf"[^{delimiter}\n]+", lambda word: f' "{word[0]}"', plain)
    (tmp_path / "game.csv").write_text(mark + quoted, encoding="utf-8")
    assert as_record(read_record(tmp_path / "game.csv")).frame["game"].tolist() == ["1"] * 8


def test_damaged_parquet_ends_in_a_line(tmp_path, game):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.Table.from_pandas(game)
    damaged = table.replace_schema_metadata({b"pandas": b"\xff{"})
    parquet.write_table(damaged, tmp_path / "game.parquet")
    assert len(as_record(read_record(tmp_path / "game.parquet")).frame) == 8
    bad = arrow.array([b"\xff"] * 8).view(arrow.utf8())
    parquet.write_table(table.set_column(2, "player", bad), tmp_path / "game.parquet")
    with pytest.raises(RecordError, match="column 'player': cannot take string as text"):
        read_record(tmp_path / "game.parquet")
    whole = (tmp_path / "game.parquet").read_bytes()
    for cut in range(4, len(whole), 97):
        (tmp_path / "game.parquet").write_bytes(whole[:cut] + whole[cut + 7 :])
        with pytest.raises(RecordError) as caught:
            read_record(tmp_path / "game.parquet")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("game.xls", b"", "what format is"),
        ("game.csv", b"", "is empty: expected a line of column names"),
        ("game.csv", b"\xff\xfe\x00", "line 1: not UTF-8 text"),
        ("game.csv", b"game,deal\n1,2,3\n", "line 2: expected 2 values, got 3"),
        ("game.csv", b'game,deal\n"1,2\n', "line 2: a quotation mark is not closed"),
        ("game.csv", b"game,deal,game\n1,2,3\n", "has the column 'game' twice"),
        ("game.csv", b"game,Deal,DEAL\n1,2,3\n", "has the column 'deal' twice"),
        ("game.jsonl", b'{"game": 1}\n{"game": \n', "line 2: '{\"game\":' is not JSON"),
        ("game.jsonl", b'"x"\n', "line 1: expected a JSON object, got '\"x\"'"),
        ("game.csv", b"c," * 1_500_000, "game.csv': 1,500,001 columns"),
        ("game.jsonl", b"", "is empty: expected a JSON object"),
        ("game.parquet", b"PAR1 but not really", "game.parquet'"),
        ("game.csv", b"a," * 50_000 + b"\n" + b"1\n" * 50_000, "expected at most 1,000"),
        ("game.jsonl", b"".join(b'{"%d":1}\n' % n for n in range(50_000)), "at most 1,000"),
    ],
)
def test_files_that_are_no_records(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(RecordError) as caught:
        as_record(read_record(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_zipped_file_of_games_may_not_fill_the_memory(monkeypatch, tmp_path):
    monkeypatch.setattr("cribev.reviews.formats._MOST", 1 << 20)
    for name in ("game.pgn.gz", "game.json.gz"):
        (tmp_path / name).write_bytes(gzip.compress(b"{" + b" " * (2 << 20)))
        with pytest.raises(RecordError, match=r"game.*gz': it holds more than 1 MiB of text"):
            read_record(tmp_path / name)


def test_a_file_that_is_not_there_or_cannot_be(tmp_path):
    for name in ("a\0b", "a\0b.csv", "a\0b.json.gz"):
        with pytest.raises(RecordError, match=r"cannot read 'a\\x00b"):
            read_record(name)
    for kind in ("csv", "jsonl", "parquet"):
        with pytest.raises(RecordError, match="cannot read"):
            read_record(tmp_path / f"none.{kind}")
    for given in (None, 5, [None], [], b"game.csv"):
        for take in (read_record, review):
            with pytest.raises(RecordError, match="expected"):
                take(given)


def test_parquet_without_pyarrow(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "game.parquet").write_bytes(b"")
    with pytest.raises(CribevError, match=r"cribev\[parquet\]"):
        read_record(tmp_path / "game.parquet")
