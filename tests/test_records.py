"""Records of games: read, held to the rules, and completed, with their plays and scores."""

import gzip
import json
import re
import sys
from collections import Counter
from io import StringIO

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from games import kept, random_games, with_cell, with_play
from hypothesis import given, settings

from cribev import CribevError, RecordError, parse_cards, review
from cribev.game.play import Play
from cribev.game.score import UNKNOWN
from cribev.records.cells import ALL_COLUMNS
from cribev.records.formats import read_record
from cribev.records.record import RECORD_TEMPLATE, as_record
from cribev.rows.names import RECORD_COLUMNS, REQUIRED_COLUMNS

pytestmark = [pytest.mark.arrays, pytest.mark.python]


@pytest.fixture(scope="module")
def game():
    """Four deals, both sides, every column: rows 2n and 2n + 1 are dealer and pone of a deal."""
    return with_play(random_games(1, deals=4, seed=5))


def swapped(frame, row, column, other):
    return with_cell(frame, row, column, frame.loc[other, column])


def test_template_is_a_valid_record(game):
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


def test_rows_of_a_deal_complete_each_other(game):
    full = as_record(game)
    bare = game.drop(columns="opponent_discard").astype({"pegged": object})
    bare.loc[1::2, ["starter", "pegged", "score"]] = ""
    bare.loc[::2, "play"] = None
    for part in (bare, bare.sample(frac=1, random_state=1)):
        completed = as_record(part)
        again = completed.frame.sort_values(["deal", "role"], ignore_index=True)
        pd.testing.assert_frame_equal(again, full.frame, check_dtype=False)
    bare = game.drop(columns=["play", "opponent_pegged"]).astype({"pegged": object})
    bare.loc[::2, "pegged"] = ""
    pone_first = as_record(bare.iloc[[1, 0, *range(2, 8)]]).frame
    assert pone_first["opponent_pegged"][1] == game["pegged"][1]
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
        (3, "cards", "5H 5D JS QC 2H 1X", "invalid card '1X'"),
        (3, "cards", "", "expected 6 cards, got none"),
        (3, "discard", "", "expected 2 cards, got none"),
        (3, "starter", "5H 6H", "expected 1 card, got 2"),
        (3, "opponent_discard", "5H", "expected 2 cards, got 1"),
        (3, "role", "eldest", "expected dealer or pone"),
        (3, "deal", "two", "not a whole number from 1 up"),
        (3, "deal", 0, "not a whole number from 1 up"),
        (3, "deal", 1.5, "not a whole number from 1 up"),
        (3, "game", "", "empty"),
        (3, "player", "", "empty"),
        (3, "player", "Cy", "a third player in this game"),
        (3, "pegged", "108", "a whole number from 0 to 60"),
        (3, "pegged", "3½", "a whole number from 0 to 60"),
        (3, "opponent_pegged", 59, "by the play it is"),
        (3, "play", "A B", "'B' is not part of a play: "),
        (3, "play", "/", "no card is played"),
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


def test_required_columns_are_required_once(game, monkeypatch, tmp_path):
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
    with pytest.raises(RecordError, match=r"^the columns 'discard' and 'thrown' mean the same"):
        as_record(game.assign(thrown=game["discard"]))
    # They are checked before the rows are read.
    monkeypatch.setattr("cribev.records.formats.CHUNK_ROWS", 1)
    text = game.drop(columns="deal").to_csv(index=False)
    (tmp_path / "game.csv").write_text(f'{text}"5H')
    with pytest.raises(RecordError, match=r"game.csv': no column 'deal' in the record"):
        read_record(tmp_path / "game.csv")


def test_unusable_values_are_refused(game):
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


def test_null_like_names_stay_names(tmp_path, game):
    path = tmp_path / "game.csv"
    named = game.replace({"Ann": "NA", "Ben": "nan"}).assign(**{"game.1": "x"})
    named.to_csv(path, index=False)
    frame = as_record(read_record(path)).frame
    assert (set(frame["player"]), set(frame["game.1"])) == ({"NA", "nan"}, {"x"})
    names = ["A\ud800" if name == "Ann" else name for name in game["player"]]
    record = as_record(game.assign(player=pd.Series(names, dtype=object)))
    assert set(record.frame["player"]) == {"A\\ud800", "Ben"}
    needed = '"deal": 1, "role": 1, "cards": 1, "discard": 1'
    text = f'{{"game": "\\ud800", "\\ud800": ["\\ud800"], {needed}}}\n'
    (tmp_path / "game.jsonl").write_text(text)
    frame = read_record(tmp_path / "game.jsonl")
    assert list(frame) == ["game", "\\ud800", "deal", "role", "cards", "discard"]
    assert (frame["game"].tolist(), frame["deal"].tolist()) == (["\\ud800"], [1])


def test_impossible_cards_and_conflicting_rows_are_refused(game):
    own, theirs = (game.loc[row, "cards"].split() for row in (2, 3))
    alone, bare = game.drop(index=3), game.drop(columns="opponent_discard")
    discarded = alone.loc[2, "opponent_discard"].split()
    kept = [card for card in theirs if card not in game.loc[3, "discard"]]
    across = with_cell(with_cell(game, 2, "starter", kept[0]), 3, "starter", "")
    known = bare.iloc[2:4].drop(columns="play").assign(starter=["", own[0]])
    overlapping = " ".join([*game.loc[3, "discard"].split(), own[0], *kept[:3]])
    for frame, message in (
        (swapped(game, 3, "discard", 0), "deal 2.*not two of the six cards"),
        (swapped(game, 3, "cards", 2), "deal 2.*not two of the six cards"),
        (swapped(game, 3, "player", 2), "deal 2.*two rows of one deal are of one player"),
        (swapped(game, 3, "role", 2), "deal 2.*a deal has one dealer and one pone"),
        (swapped(game, 3, "starter", 0), "deal 2.*the other player's row has"),
        (with_cell(alone, 2, "starter", own[0]), f"player's own cards {game.loc[2, 'cards']}"),
        (with_cell(alone, 2, "opponent_discard", " ".join(own[:2])), "the player's own cards"),
        (with_cell(alone, 2, "starter", discarded[0]), "the opponent discarded it to the crib"),
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


def test_parquet_kinds_are_kept_and_damage_reported(tmp_path, game):
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
    assert {*read_record(tmp_path / "game.parquet")["player"]} == {r"\xff"}
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
        ("game.csv", b"\xff\x80\x00", "line 1: not UTF-8 text"),
        ("game.csv", b"game,deal,game\n1,2,3\n", "has the column 'game' twice"),
        ("game.csv", b"game,Deal,DEAL\n1,2,3\n", "has the column 'deal' twice"),
        ("game.csv", b"c," * 1_500_000, "game.csv': 1,500,001 columns"),
        ("game.jsonl", b"", "is empty: expected a JSON object"),
        ("game.parquet", b"PAR1 but not really", "game.parquet'"),
        ("game.pgn", b"\xff\x80", "line 1: not UTF-8 text"),
        ("game.pgn.gz", b"not zipped", "cannot read"),
        ("game.json", b"", "what format is"),
        ("game.txt", b"1 2 3", "game.txt'? expected .csv, .tsv, .jsonl, .parquet or .pgn"),
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


def test_zip_bombs_and_missing_pyarrow_are_refused(monkeypatch, tmp_path):
    monkeypatch.setattr("cribev.records.formats._MOST", 1 << 20)
    for name in ("game.pgn.gz", "game.json.gz"):
        (tmp_path / name).write_bytes(gzip.compress(b"{" + b" " * (2 << 20)))
        with pytest.raises(RecordError, match=r"game.*gz': it holds more than 1 MiB of text"):
            read_record(tmp_path / name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "game.parquet").write_bytes(b"")
    with pytest.raises(CribevError, match=r"pip install .pyarrow>="):
        read_record(tmp_path / "game.parquet")


def test_missing_or_impossible_file_is_refused(tmp_path):
    for name in ("a\0b", "a\0b.csv", "a\0b.json.gz"):
        with pytest.raises(RecordError, match=r"cannot read 'a\\x00b"):
            read_record(name)
    for kind in ("csv", "jsonl", "parquet"):
        with pytest.raises(RecordError, match="cannot read"):
            read_record(tmp_path / f"none.{kind}")
    (tmp_path / "none").mkdir()
    with pytest.raises(RecordError, match="there is no record of games in"):
        read_record(tmp_path / "none")
    for source in (None, 5, [None], [], b"game.csv"):
        for take in (read_record, review):
            with pytest.raises(RecordError, match="expected"):
                take(source)


def told(record):
    columns = ["pegged", "opponent_pegged", "play", "score"]
    return record.frame[columns].astype(object).to_dict(orient="records")


@settings(max_examples=6)
@given(st.integers(0, 10**6))
def test_one_sided_play_reveals_other_keep(seed):
    games = with_play(random_games(1, deals=2, seed=seed), seed=seed)
    whole = as_record(games)
    for part in (games[games["player"] == "Ann"], games[games["player"] == "Ben"]):
        own = as_record(part.drop(columns=["pegged", "opponent_pegged", "opponent_discard"]))
        assert own.pegged.tolist() == whole.pegged[part.index].tolist()
        assert told(own) == [told(whole)[row] for row in part.index]
        again = as_record(own.frame)
        pd.testing.assert_frame_equal(again.frame, own.frame)


@settings(max_examples=8)
@given(st.integers(0, 10**6), st.data())
def test_a_play_of_other_cards_is_found_out(seed, data):
    games = with_play(random_games(1, deals=1, seed=seed), seed=seed)
    ranks = games.loc[0, "play"].split()
    at = data.draw(st.integers(0, 7))
    rank = data.draw(st.sampled_from([rank for rank in "A23456789TJQK" if rank != ranks[at]]))
    text = " ".join([*ranks[:at], rank, *ranks[at + 1 :]])
    both = games.assign(play=text).drop(columns=["pegged", "opponent_pegged"])
    with pytest.raises(RecordError, match=r"^game '1', deal 1, column 'play', '"):
        as_record(both)
    # Of one side it may be the other's card that is another, if there are enough of its rank.
    missing = Counter("A23456789TJQK"[rank] for rank in kept(games.loc[0]))
    if missing - Counter(text.split()):
        with pytest.raises(RecordError, match="was kept, and is not played"):
            as_record(both.iloc[[0]])


def one_deal(play, *, role="pone", **others):
    cards = {"pone": ("9D TC AC 5H KD QD", "KD QD"), "dealer": ("TD KC 4C 3C 7S 7H", "7S 7H")}
    dealt, discarded = cards[role]
    row = {"game": 1, "deal": 1, "player": role, "role": role, "cards": dealt, "discard": discarded}
    return pd.DataFrame([{**row, "play": play, **others}])


def test_the_rules_are_kept():
    played = "T T 9 A 4 5 K 3"
    for text in (played, "TC TD 9D go AC / 4C 5H KC 3C", "T T (20-2) 9 go A (30-1) / 4 5 K 3 22-1"):
        for role, points in (("pone", [1, 3]), ("dealer", [3, 1])):
            record = as_record(one_deal(text, role=role))
            assert record.pegged.tolist() == [points]
            ranks = re.sub("([A-Z0-9])[CDHS]", r"\1", record.frame.loc[0, "play"])
            assert ranks == "T T 9 go A go 4 5 K 3"
    assert record.frame.loc[0, "play"] == "T T 9 go A go 4 5 K 3"
    suited = as_record(one_deal("TC TD 9D go AC / 4C 5H KC 3C")).frame.loc[0, "play"]
    assert suited == "TC TD 9D go AC go 4C 5H KC 3C"
    with pytest.raises(RecordError, match="there are five Ks with the other cards of this deal"):
        as_record(one_deal("T K 9 A K K 5 K", starter="2C"))
    for text, said in {
        "T T 9 A 4 5 K": "the play ends before all cards are played: expected the last go if there "
        "is one, or a score by which the game ends in it",
        "T T 9 A 4 6 K 3": "5 was kept, and is not played",
    }.items():
        with pytest.raises(RecordError) as caught:
            as_record(one_deal(text))
        assert str(caught.value) == f"game '1', deal 1, column 'play', '{text}': {said}"

    def told(played, kept):
        return Play.parse(played, {"dealer": parse_cards(kept).tolist()})

    with pytest.raises(RecordError, match="fit a count of 24, and the 5 that dealer kept does"):
        told("K 5 9 Q", "5C 5D JC QC")
    assert told("K J 9 Q", "TC JC JD QC").points["pone"] == 1


def test_written_suits_are_checked_against_cards():
    own = "TC TD 9D AC 4C 5H KC 3C"
    assert as_record(one_deal(own)).pegged.tolist() == [[1, 3]]
    for text, said in {
        "TC TD 9D AC 4C 5H KD 3C": "KD is played, and was discarded to the crib",
        "TC TD 9D AC 4C 5H KC 3S": "3S is played, and was discarded to the crib",
        "TC TD 9D AC 4H 5H KC 3C": "4H is played, and is the starter",
        "TC TD 9D AH 4C 5H KC 3C": "pone plays AH, and kept AC 5H 9D TC",
    }.items():
        with pytest.raises(RecordError) as caught:
            as_record(one_deal(text, starter="4H", opponent_discard="3S 7H"))
        assert str(caught.value) == f"game '1', deal 1, column 'play', '{text}': {said}"
    both = pd.concat([one_deal(own), one_deal(own, role="dealer", player="Ann")])
    assert as_record(both).pegged.tolist() == [[1, 3], [3, 1]]
    mixed = as_record(both.assign(play=["T T 9 A 4 5 K 3", own])).frame["play"]
    assert set(mixed) == {"TC TD 9D go AC go 4C 5H KC 3C"}
    with pytest.raises(RecordError, match="dealer plays 3D, and kept 3C 4C TD KC"):
        as_record(both.assign(play=own.replace("3C", "3D")))
    with pytest.raises(RecordError, match="dealer plays TC, which pone kept"):
        as_record(one_deal("T TC 9D AC 4C 5H KC 3C"))


def test_only_the_last_play_may_break_off(game):
    short = game.assign(play=[" ".join(text.split()[:4]) for text in game["play"]])
    said = r"deal {}, column 'play'.*: the play ends before all cards are played"
    with pytest.raises(RecordError, match=said.format(1)):
        as_record(short.drop(columns=["pegged", "opponent_pegged"]))
    points = game.drop(columns=["pegged", "opponent_pegged"])
    last = points.assign(play=points["play"].where(points["deal"] < 4, short["play"]))
    for wrong in (last, last.iloc[-1:]):
        for one in (wrong, wrong.drop(columns="score")):
            with pytest.raises(RecordError, match=said.format(4)):
                as_record(one)
    alone = last.iloc[-1:].drop(columns=["score", "starter"])
    assert as_record(alone.assign(score_after="121-60")).frame["score_after"].tolist() == ["121-60"]
    pegged = as_record(alone.assign(score_after="121-60")).pegged.tolist()
    out = [121 - points for points in pegged[0]]
    as_record(alone.assign(score=f"{min(out[0], 120)}-{min(out[1], 120)}"))
    with pytest.raises(RecordError, match=said.format(4)):
        as_record(alone.assign(score=f"{out[0] - 3}-{out[1] - 3}"))


def test_winning_play_may_end_early():
    ending = with_play(random_games(1, deals=4, seed=5), seed=3, start={"Ann": 119, "Ben": 119})
    last = ending.drop(columns=["pegged", "opponent_pegged"])
    assert len(last["play"].iloc[-1].replace(" go", "").split()) < 8
    record = as_record(last)
    assert record.pegged[-1].tolist() == record.pegged[-2, ::-1].tolist()
    # What is completed is understood again, of one side too.
    own = as_record(record.take(record.rows_of("Ann")).frame)
    assert told(own) == [told(record)[row] for row in record.rows_of("Ann")]
    deal = {"game": 1, "deal": 1, "starter": "TH", "play": "QD KH 4S 5D TS JD JC"}
    ben = {"player": "Ben", "role": "dealer", "cards": "6C 5D 7H KH 9C JD", "discard": "7H 9C"}
    ann = {"player": "Ann", "role": "pone", "cards": "6H 8S JC 4S TS QD", "discard": "6H 8S"}
    frame = pd.DataFrame([{**deal, **ben, "score": "93-118"}, {**deal, **ann, "score": "118-93"}])
    record = as_record(frame)  # a pair and a go are three, for the six does not fit
    assert record.pegged.tolist() == [[1, 3], [3, 1]]
    assert record.frame["score_after"].tolist() == ["94-121", "121-94"]
    # One side alone does not know what the other has left.
    with pytest.raises(RecordError, match="expected the last go if there is one"):
        as_record(frame.iloc[1:])
    own = as_record(frame.iloc[1:].assign(play=deal["play"] + " go"))
    assert own.pegged.tolist() == [[3, 1]]


@pytest.mark.parametrize(("told", "score", "right"), [
    *((told, "117-94", told in (4, 5, 6)) for told in (3, 4, 5, 6, 7)),
    *((told, "115-94", told == 6) for told in (5, 6)),
    *((told, "110-94", told == 6) for told in (5, 6)),
    *((told, "", told == 6) for told in (4, 6)),
])  # fmt: skip
def test_pegging_may_stop_at_game_end(told, score, right):
    frame = pd.DataFrame(
        {"game": [17], "deal": 11, "player": "Ann", "role": "dealer", "discard": "2H KC"}
        | {"cards": "2H 7S TD 9S JD KC", "starter": "QD", "opponent_discard": "9C 2C"}
        | {"pegged": told, "play": "4C 9S 5H TD 5S JD 7C 7S", "score": score}
    )
    if right:
        assert as_record(frame).pegged.tolist() == [[6, 0]]
    else:
        with pytest.raises(RecordError, match=r"column 'pegged', .*: by the play it is 6"):
            as_record(frame)


def test_completed_values_yield_to_later_scores(game):
    bare = game.assign(score="")
    over = with_cell(bare, 0, "score", "119-119")
    falls = with_cell(with_cell(bare, 0, "score", "60-60"), len(game) - 1, "score", "60-60")
    for frame, note in (
        (over, "game 1, deal 1: by the cards it is the last, and there are more"),
        (falls, r"game 1, deal 1: by the cards it is \d+\*-\d+, and a later score is less"),
    ):
        record = as_record(frame)
        assert re.match(note, record.notes[0])
        again = as_record(record.frame)
        pd.testing.assert_frame_equal(again.frame, record.frame)
        own = record.rows_of("Ann")
        alone = as_record(record.frame.iloc[own])
        assert (alone.scores == record.scores[own]).all()


@pytest.mark.parametrize(("points", "is_last"), [(120, False), (121, True)])
def test_unfinished_deal_is_not_the_last(game, points, is_last):
    whole = as_record(game)
    own, other = (whole.scores_after - whole.scores)[0].tolist()
    score = f"{points - own}-{120 - other}"
    record = as_record(with_cell(game.assign(score=""), 0, "score", score))
    assert record.notes[0].startswith("game 1, deal 1:") is is_last
    assert (record.scores_after[0] == UNKNOWN).all() == is_last


def test_two_rows_share_play_and_scores(game):
    turned = game.loc[3, "play"].split()[::-1]
    bare = game.drop(columns=["pegged", "opponent_pegged"])
    with pytest.raises(RecordError, match=r"deal 2, column 'play'"):
        as_record(with_cell(bare, 3, "play", turned))
    points = game.drop(columns="play")
    wrong = with_cell(points, 3, "pegged", points.loc[3, "pegged"] + 1)
    with pytest.raises(RecordError, match=r"deal 2, column .*pegged', '\d+': the other player's"):
        as_record(wrong)
    shown = game.drop(columns=["play", "pegged", "opponent_pegged"])
    bare = shown.assign(score=["0-0", "", "", "7-3", "", "", "19*-8", None])
    found = as_record(bare)
    scores = ["0*-0", "0-0*", "3*-7", "7-3*", "", "", "19*-8", "8-19*"]
    assert found.frame["score"].tolist() == scores
    assert found.frame["score_after"].tolist() == ["7-3", "3-7", "", "", "8-19", "19-8", "", ""]
    assert found.scores[2].tolist() == [3, 7]
    assert (found.scores[4] == UNKNOWN).all()
    with pytest.raises(RecordError, match=r"deal 1, column 'score'.*the other player's row"):
        as_record(with_cell(game, 1, "score", "0-1*"))


@settings(max_examples=4)
@given(st.integers(0, 10**6), st.sampled_from([0, 60, 100, 115]))
def test_one_score_is_enough_where_all_is_recorded(seed, start):
    game = with_play(random_games(1, seed=seed), seed=seed, start={"Ann": start, "Ben": start})
    whole = as_record(game)
    assert whole.notes == ()
    first = game["score"].where(game.index < 1, "")
    again = as_record(game.assign(score=first))
    pd.testing.assert_frame_equal(again.frame, whole.frame)
    assert (whole.scores != UNKNOWN).all()
    last = whole.frame[whole.frame["deal"] == whole.frame["deal"].max()]
    if len(whole.frame) < 16:
        assert last["score_after"].str.contains("121").all()
    # One side alone is told by the scores that were completed.
    own = as_record(whole.take(whole.rows_of("Ben")).frame)
    assert (own.scores_after == whole.scores_after[whole.rows_of("Ben")]).all()


@settings(max_examples=5)
@given(st.integers(0, 10**6), st.sampled_from([0, 95, 110]), st.data())
def test_missing_scores_are_completed(seed, start, data):
    game = with_play(random_games(1, seed=seed), seed=seed, start={"Ann": start, "Ben": start})
    whole = as_record(game)
    rng = np.random.default_rng(seed)
    share = data.draw(st.sampled_from([0.1, 0.4, 0.8]))
    bare = game.astype(object)
    for column in ("starter", "opponent_discard", "pegged", "opponent_pegged", "play", "score"):
        bare[column] = bare[column].where(rng.random(len(bare)) > share, None)
    # A play that breaks off says no more than its score does.
    bare["play"] = bare["play"].where(game["play"].str.count(r"\b[A-Z2-9]\b") == 8, None)
    left = np.flatnonzero(rng.random(len(bare)) > share / 2)
    if not left.size:
        return
    found = as_record(bare.iloc[left])
    assert found.notes == ()
    for points, were in ((found.scores, whole.scores), (found.scores_after, whole.scores_after)):
        assert ((points == were[left]) | (points == UNKNOWN)).all()


def test_scores_that_cannot_be(game):
    still = game.loc[2, "score"].replace("*", "")
    for row, column, value, said in (
        (4, "score", "3*-0", "game '1', deal 3, column 'score', '3*-0': less than before: a"),
        (2, "score_after", still, f"deal 2, column 'score_after', '{still}': the next deal has"),
        (0, "score_after", "121-60", "deal 2, column 'deal', '2': the game was over with the deal"),
        (0, "score_after", "121-121", "expected a score, the player's first, at most one of them"),
        (0, "score_after", "60", "expected a score, the player's first, at most one of them"),
    ):
        bare = game if column in game else game.assign(score_after="")
        if row == 4:
            bare = with_cell(bare, 5, "score", "")
        with pytest.raises(RecordError) as caught:
            as_record(with_cell(bare, row, column, value))
        assert said in str(caught.value)


def test_conflicting_scores_and_results_are_reported(game):
    own, theirs = map(int, game.loc[2, "score"].replace("*", "").split("-"))
    mine, others = map(int, as_record(game).frame.loc[2, "score_after"].split("-"))
    moved = game.copy()
    for row, player in moved["player"][4:].items():
        of_ben = r"^\d+" if player == "Ben" else r"(?<=-)\d+"
        score = re.sub(of_ben, lambda points: str(int(points[0]) + 2), moved.loc[row, "score"])
        moved.loc[row, "score"] = score
    assert moved.loc[2, "player"] == "Ben"
    told = f"dealer scores {mine - own + 2}, and {mine - own} by the cards"
    assert as_record(moved).notes == (f"game 1, deal 2: {told}",)
    assert others >= theirs
    ended = with_play(random_games(1, deals=4, seed=5), seed=3, start={"Ann": 100, "Ben": 110})
    record = as_record(ended)
    last = record.frame.iloc[-1]
    assert "121" in last["score_after"]
    turned = "120-121" if last["score_after"].startswith("121") else "121-120"
    bare, at = ended.assign(score_after=""), len(ended) - 1
    found = as_record(with_cell(bare, at, "score_after", turned))
    assert [note.split(": ")[1][:16] for note in found.notes] == ["by the cards it "]
    silent = game.drop(columns=["play", "pegged", "opponent_pegged"])
    assert as_record(silent).frame["score_after"].iloc[-1] == ""


@pytest.mark.parametrize(
    ("counted", "by_cards"),
    [(8, 10), (10, None), (11, None), (12, 11)],  # 5 5 J Q with a 4 has 10, or 11 with nobs
)
def test_a_hand_without_suits_is_counted_as_far_as_ranks_tell(counted, by_cards):
    record = as_record(
        pd.DataFrame(
            {
                "deal": [1, 1], "player": ["Ann", "Ben"], "role": ["pone", "dealer"],
                "starter": ["4", "4"], "discard": ["2 3", "9 K"],
                "cards": ["2 3 5 5 J Q", "2 3 7 8 9 K"],
                "pegged": [0, 3], "opponent_pegged": [3, 0], "score": ["0-0*", "0*-0"],
                "score_after": [f"{counted}-21", f"21-{counted}"],
            }
        )
    )  # fmt: skip
    if by_cards is None:
        assert record.notes == ()
    else:
        told = f"pone scores {counted}, and {by_cards} by the cards"
        assert record.notes == (f"game 1, deal 1: {told}",)
        assert record.counted[0].tolist() == [by_cards, 21]
        (miscount,) = review(record.frame, fast=True).miscounted
        assert (miscount.said, miscount.there) == (counted, by_cards)
