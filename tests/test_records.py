import gzip
import json
import re
import sys
from io import StringIO

import pandas as pd
import pytest
from games import random_games, with_cell, with_play

from cribev import CribevError, RecordError, parse_cards, review
from cribev.game.score import UNKNOWN
from cribev.reviews.formats import read_record
from cribev.reviews.record import ALL_COLUMNS, RECORD_TEMPLATE, as_record
from cribev.rows.columns import RECORD_COLUMNS, REQUIRED_COLUMNS


@pytest.fixture(scope="module")
def game():
    """Four deals, both sides, every column: rows 2n and 2n + 1 are dealer and pone of a deal."""
    return with_play(random_games(1, deals=4, seed=5))


def swapped(frame, row, column, other):
    return with_cell(frame, row, column, frame.loc[other, column])


def test_the_template_is_a_record_and_what_is_missing_stays_empty(game):
    frame = pd.read_csv(StringIO(RECORD_TEMPLATE))
    assert list(frame.columns) == list(ALL_COLUMNS[:12])
    record = as_record(frame)
    assert record.frame.loc[0, "discard"] == "2H 8D"
    assert record.opponent_discards[0].tolist() == sorted(parse_cards("9S KD").tolist())
    bare = as_record(game[list(RECORD_COLUMNS[:6])].iloc[::2])
    assert (bare.starters == UNKNOWN).all()
    assert (bare.opponent_discards == UNKNOWN).all()
    assert (bare.pegged == UNKNOWN).all()
    assert (bare.scores == UNKNOWN).all()
    for column in ("starter", "opponent_discard", "play", "score"):
        assert (bare.frame[column] == "").all()
    assert bare.frame[["pegged", "opponent_pegged"]].isna().all(axis=None)


def test_rows_of_a_deal_complete_each_other_and_keep_their_order(game):
    full = as_record(game)
    bare = game.drop(columns="opponent_discard").astype({"pegged": object})
    bare.loc[1::2, ["starter", "pegged", "score"]] = ""
    bare.loc[::2, "play"] = None
    for part in (bare, bare.sample(frac=1, random_state=1)):
        completed = as_record(part)
        again = completed.frame.sort_values(["deal", "role"], ignore_index=True)
        pd.testing.assert_frame_equal(again, full.frame, check_dtype=False)
    frame = game.iloc[::-1].assign(note=range(8))
    record = as_record(frame)
    assert record.frame["note"].tolist() == list(range(8))
    assert record.frame["deal"].tolist() == frame["deal"].tolist()
    levels = game.set_axis(pd.MultiIndex.from_product([["a"], game.columns]), axis=1)
    with pytest.raises(RecordError, match="expected a name for each column"):
        as_record(levels)
    many = game.set_axis(pd.MultiIndex.from_product([["a"], game.index]), axis=0)
    assert len(as_record(many).frame) == 8


@pytest.mark.parametrize(
    ("row", "column", "value", "message"),
    [
        (3, "cards", "5H 5D JS QC 2H", "expected 6 cards, got 5"),
        (3, "cards", "5H 5D JS QC 2H 5H", "5H comes twice"),
        (3, "cards", "5H 5D JS QC 2H 1X", "'1X' is not a card"),
        (3, "cards", "", "expected 6 cards, got none"),
        (3, "cards", None, "expected 6 cards, got none"),
        (3, "discard", "", "expected 2 cards, got none"),
        (3, "starter", "5H 6H", "expected 1 card, got 2"),
        (3, "starter", "joker", "is not a card"),
        (3, "opponent_discard", "5H", "expected 2 cards, got 1"),
        (3, "role", "eldest", "expected dealer or pone"),
        (3, "role", "", "expected dealer or pone"),
        (3, "deal", "two", "not a whole number from 1 up"),
        (3, "deal", 0, "not a whole number from 1 up"),
        (3, "deal", 1.5, "not a whole number from 1 up"),
        (3, "deal", "", "not a whole number from 1 up"),
        (3, "game", "", "empty"),
        (3, "player", "", "empty"),
        (3, "player", float("nan"), "empty"),
        (3, "player", "Cy", "a third player in this game"),
        (3, "pegged", "108", "a whole number from 0 to 60"),
        (3, "pegged", "3½", "a whole number from 0 to 60"),
        (3, "opponent_pegged", 59, "by the play it is"),
        (3, "play", "A B", "'B' is not part of a play: character 3"),
        (3, "play", "/", "no card is laid"),
        (3, "play", "7 5 <script>\x1b[31m", "is not part of a play"),
        (3, "play", "K " * 9, "K"),
        (3, "score", "95;110", "expected a score, the player's first"),
        (3, "score", "10-Apr", "a date, which a spreadsheet has made of a score: write 10-4* or "),
        (2, "score", "10-Apr", "made of a score: write 10*-4 or 4*-10, which stay text"),
        (3, "score", "Nov-45", "a spreadsheet has made of a score: write 11-45* or 45-11*"),
        (3, "score", "4/10/2026", "a spreadsheet has made of a score: write 4-10* or 10-4*"),
        (3, "score", "2026-04-10 00:00:00", "has made of a score: write 4-10* or 10-4*"),
        (3, "score", "10-Abc", "expected a score, the player's first"),
        (3, "score_after", "10-Apr", "a spreadsheet has made of a score: make the column text"),
        (3, "score", "9*-11*", "expected a score, the player's first"),
        (3, "score", "121-100*", "nobody has more than 120"),
        (3, "score", "109*-108", "the star is at the points of the player, who is pone"),
        (2, "score", "109-108*", "the star is at the points of the opponent, who is pone"),
    ],
)
def test_a_bad_cell_is_named(game, row, column, value, message):
    with pytest.raises(RecordError) as caught:
        as_record(with_cell(game.assign(score_after=""), row, column, value))
    said = str(caught.value)
    assert said.startswith("game ")
    assert message in said
    assert f"column {column!r}" in said
    assert said.isprintable()
    if column not in ("game", "deal"):
        assert said.startswith("game '1', deal 2, ")
    if isinstance(value, str):
        assert repr(value) in said


@pytest.mark.parametrize(
    ("column", "other", "message"),
    [
        ("discard", 0, "not two of the six cards"),
        ("cards", 2, "not two of the six cards"),
        ("player", 2, "two rows of one deal are of one player"),
        ("role", 2, "a deal has one dealer and one pone"),
        ("starter", 0, "the other player's row has"),
    ],
)
def test_a_cell_from_another_row_is_found_out(game, column, other, message):
    changed = swapped(game, 3, column, other)
    with pytest.raises(RecordError, match=message) as caught:
        as_record(changed)
    assert "deal 2" in str(caught.value)


@pytest.mark.parametrize("column", ALL_COLUMNS[1:])
@pytest.mark.parametrize("text", ["{}", "{}-2", "5 J {}-2", "5 J (15-{})"])
def test_no_cell_is_too_long_for_a_number(game, column, text):
    frame = with_cell(game.assign(score_after="").iloc[:1], 0, column, text.format("1" * 5000))
    if column == "player":
        as_record(frame)
    else:
        with pytest.raises(RecordError, match=f"column '{column}'") as caught:
            as_record(frame)
        assert len(str(caught.value)) < 500


def test_the_deal_goes_in_turn(game):
    other = {"dealer": "pone", "pone": "dealer"}
    for frame in (game, game[game["player"] == "Ann"], game[game["deal"] != 2]):
        as_record(frame)
        last = frame["deal"] == 4
        wrong = frame.assign(role=frame["role"].where(~last, frame["role"].map(other)))
        with pytest.raises(RecordError, match=r"deal 4, column 'role'.*the deal goes in turn"):
            as_record(wrong)


def test_every_needed_column_is_needed_but_the_names_of_one_game_of_one_player(game):
    for column in REQUIRED_COLUMNS:
        with pytest.raises(RecordError, match=f"no column '{column}'"):
            as_record(game.drop(columns=column))
    own = game[game["player"] == "Ann"]
    bare = own.drop(columns=["game", "player"])
    wanted = as_record(own.assign(player="Me", game="1"))
    for frame in (bare, bare.assign(game=None, player=" ")):
        pd.testing.assert_frame_equal(as_record(frame).frame, wanted.frame)
    several = "and several games the column 'game'"
    with pytest.raises(RecordError, match=f"two players need the column 'player', {several}"):
        as_record(game.drop(columns="player"))
    with pytest.raises(RecordError, match=several):
        as_record(pd.concat([own, own.assign(game=2)]).drop(columns="game"))


def test_values_of_no_kind_are_refused_in_one_line(game):
    for value in (float("inf"), b"5H", {"a": 1}, -3, True, "5H\n6H 7H", "\ud800"):
        for column in ALL_COLUMNS:
            if (column, value) in [("game", value), ("player", value)]:
                continue
            with pytest.raises(RecordError) as caught:
                as_record(with_cell(game.assign(score_after=""), 3, column, value))
            assert len(str(caught.value).splitlines()) == 1


def test_generous_input_may_lack_what_is_not_known(game, tmp_path):
    loose = game.assign(
        game=" " + game["game"].astype(str),
        player=game["player"] + " ",
        cards=game["cards"].str.lower().str.replace("t", "10").str.replace(" ", ","),
        role=game["role"].str.title() + " ",
        starter=[[card] for card in game["starter"]],
        pegged=game["pegged"].astype(float),
        opponent_pegged=game["opponent_pegged"].astype(str) + ".0",
        play=game["play"].str.lower().str.split(),
        score=" " + game["score"].str.replace("*", "").str.replace("-", " – "),
        discard=game["discard"].str.split(),
        deal=game["deal"].astype(float),
        opponent_discard=None,
    )
    words = ("non-dealer", "Nondealer", " non dealer ")
    roles = [game.assign(role=game["role"].replace("pone", word)) for word in words]
    capitals = game.rename(columns={name: f" {name.upper()}" for name in RECORD_COLUMNS})
    for frame in (loose, capitals, *roles):
        pd.testing.assert_frame_equal(as_record(frame).frame, as_record(game).frame)
    assert as_record(game.head(1).assign(deal=1_700_000_000)).frame["deal"][0] == 1_700_000_000
    lines = game.to_csv(index=False).splitlines()
    lines[3] = lines[3].rsplit(",", 2)[0]
    rows = game.to_dict(orient="records")
    del rows[0]["starter"], rows[0]["opponent_discard"], rows[3]["starter"]
    for name, some in (("game.csv", lines), ("game.jsonl", map(json.dumps, rows))):
        (tmp_path / name).write_text("\n".join(some))
        read = as_record(read_record(tmp_path / name))
        pd.testing.assert_frame_equal(read.frame, as_record(game).frame)


def test_names_that_look_like_nothing_stay_names_and_half_a_surrogate_pair_is_spelt_out(
    tmp_path, game
):
    path = tmp_path / "game.csv"
    named = game.replace({"Ann": "NA", "Ben": "nan"}).assign(**{"game.1": "x"})
    named.to_csv(path, index=False)
    frame = as_record(read_record(path)).frame
    assert (set(frame["player"]), set(frame["game.1"])) == ({"NA", "nan"}, {"x"})
    names = ["A\ud800" if name == "Ann" else name for name in game["player"]]
    record = as_record(game.assign(player=pd.Series(names, dtype=object)))
    assert set(record.frame["player"]) == {"A\\ud800", "Ben"}
    text = '{"game": "\\ud800", "\\ud800": ["\\ud800"], "deal": 1}\n'
    (tmp_path / "game.jsonl").write_text(text)
    frame = read_record(tmp_path / "game.jsonl")
    assert list(frame) == ["game", "\\ud800", "deal"]
    assert (frame["game"].tolist(), frame["deal"].tolist()) == (["\\ud800"], [1])


def test_cards_cannot_be_in_two_places(game):
    own, theirs = (game.loc[row, "cards"].split() for row in (2, 3))
    alone, bare = game.drop(index=3), game.drop(columns="opponent_discard")
    thrown = alone.loc[2, "opponent_discard"].split()
    kept = [card for card in theirs if card not in game.loc[3, "discard"]]
    across = with_cell(with_cell(game, 2, "starter", kept[0]), 3, "starter", "")
    known = bare.iloc[2:4].drop(columns="play").assign(starter=["", own[0]])
    overlapping = " ".join([*game.loc[3, "discard"].split(), own[0], *kept[:3]])
    for frame, message in (
        (with_cell(alone, 2, "starter", own[0]), "among the player's own cards"),
        (with_cell(alone, 2, "opponent_discard", " ".join(own[:2])), "the player's own cards"),
        (with_cell(alone, 2, "starter", thrown[0]), "the opponent threw it to the crib"),
        (across, "among the other player's cards"),
        (known, f"deal 2, column 'starter', '{own[0]}': among the other"),
        (with_cell(game, 2, "opponent_discard", " ".join(kept[:2])), "deal 2.*other player's row"),
        (with_cell(bare, 3, "cards", overlapping), "deal 2, column 'cards'.*other player's too"),
        (pd.concat([game, game.iloc[[3]]]), "a third row for this deal"),
        (game.head(0), "no rows"),
        (pd.concat([game, game["cards"]], axis=1), "'cards' twice"),
    ):
        with pytest.raises(RecordError, match=message):
            as_record(frame)


def test_columns_of_parquet_keep_their_kind_and_damaged_parquet_ends_in_a_line(tmp_path, game):
    others = {"stake": range(8), "when": pd.Timestamp("2024-01-02"), "note": None}
    gaps = game.drop(columns="opponent_discard").astype({"deal": "int32"})
    gaps.loc[2, "starter"] = None
    gaps.assign(**others).to_parquet(tmp_path / "game.parquet")
    frame = as_record(read_record(tmp_path / "game.parquet")).frame
    pd.testing.assert_frame_equal(frame[list(ALL_COLUMNS)], as_record(gaps).frame)
    assert frame["stake"].dtype.kind == "i"
    assert frame["when"].dtype.kind == "M"
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
        ("game.txt", b"deal role\n1 pone\n", "what format is"),
        ("game.pgn", b"\xff\xfe", "line 1: not UTF-8 text"),
        ("game.pgn.gz", b"not zipped", "cannot read"),
        ("game.json", b"", "what format is"),
        ("game.txt", b"1 2 3", "game.txt': there is no deal with a discard"),
        ("game.txt", b"1" * 5000 + b"x", "there is no deal with a discard"),
        ("game.pgn", b"1. H1 6C 7D 8S JH QC 2D D1 QC 2D SC two", "game.pgn': game '1', deal 1, SC"),
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


def test_a_zipped_file_may_not_fill_the_memory_and_parquet_needs_pyarrow(monkeypatch, tmp_path):
    monkeypatch.setattr("cribev.reviews.formats._MOST", 1 << 20)
    for name in ("game.pgn.gz", "game.json.gz"):
        (tmp_path / name).write_bytes(gzip.compress(b"{" + b" " * (2 << 20)))
        with pytest.raises(RecordError, match=r"game.*gz': it holds more than 1 MiB of text"):
            read_record(tmp_path / name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "game.parquet").write_bytes(b"")
    with pytest.raises(CribevError, match=r"cribev\[parquet\]"):
        read_record(tmp_path / "game.parquet")


def test_a_file_that_is_not_there_or_cannot_be(tmp_path):
    for name in ("a\0b", "a\0b.csv", "a\0b.json.gz"):
        with pytest.raises(RecordError, match=r"cannot read 'a\\x00b"):
            read_record(name)
    for kind in ("csv", "jsonl", "parquet"):
        with pytest.raises(RecordError, match="cannot read"):
            read_record(tmp_path / f"none.{kind}")
    (tmp_path / "none").mkdir()
    with pytest.raises(RecordError, match="there is no record of games in"):
        read_record(tmp_path / "none")
    for given in (None, 5, [None], [], b"game.csv"):
        for take in (read_record, review):
            with pytest.raises(RecordError, match="expected"):
                take(given)
