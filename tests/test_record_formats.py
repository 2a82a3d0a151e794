"""Records of games in files, and in PGN, which other programs write."""

import gzip
import json
import os
import re
from pathlib import Path

import hypothesis.strategies as st
import pandas as pd
import pytest
from asking import HOSTILE, with_file, with_files
from games import random_games, with_play
from hypothesis import given, settings
from markup import Whole
from shell import good, run

from cribev import CribevError, RecordError, read_record, review
from cribev.app.web.review import read_uploads
from cribev.records import formats
from cribev.records.cells import ALL_COLUMNS
from cribev.records.pgn import format_pgn, parse_pgn
from cribev.records.record import as_record
from cribev.rows.files import list_files

pytestmark = pytest.mark.python

PGN = """\
[Event "A friendly game"]
[firstdealer "Cy"]
[FirstPone "Di"]
[Result "0-1"]

1.
  h1 6C 7D 8S JH QC 2D  D1 QC 2D  S1 7
  H2 5S 5C 9H TD KC AS  D2 KC AS  S2 13
  SC 3
  C JC
  P 5S JH 9H 7D | 5C 8S TD 6C
  SP 0 2 0 2 0 0 0 1

2.
  H1 3C 3D 4H 5H JS KS  D1 JS KS
  H2 AC 2C 6D 6H 9S TC  D2 9S TC
  C 8D
"""
"""Two deals: who deals first has a jack cut for two."""
POINTS = "0 2 0 2 0 0 0 1"


def whole_game(seed, deals=3, start=None):
    return with_play(random_games(1, deals=deals, seed=seed), seed=seed, start=start)


def plain(record, *columns):
    """A record's cells as text, sorted."""
    frame = record.frame.astype(object).where(record.frame.notna(), "").astype(str)
    named = frame.sort_values(["game", "deal", "role"], ignore_index=True)
    return named[list(columns) or list(ALL_COLUMNS)]


def same(found, wanted):
    pd.testing.assert_frame_equal(plain(found), plain(wanted), check_dtype=False)


def test_a_game_in_pgn_keeps_its_suits(tmp_path):
    record = as_record(parse_pgn(PGN))
    frame = record.frame
    assert frame["player"].tolist() == ["Cy", "Di", "Di", "Cy"]
    assert frame["role"].tolist() == ["dealer", "pone"] * 2
    assert frame["play"].tolist() == ["5S JH 9H 7D 5C 8S TD 6C"] * 2 + [""] * 2
    assert record.pegged.tolist()[:2] == [[5, 0], [0, 5]]
    # Heels 2, the play 5, the hand 7 and the crib 3 against a hand of 13.
    assert frame["score"].tolist() == ["0*-0", "0-0*", "13*-17", "17-13*"]
    wanted = as_record(parse_pgn(PGN)).frame["play"].tolist()
    pgn, csv = tmp_path / "game.pgn", tmp_path / "game.csv"
    pgn.write_text(PGN)
    csv.write_text(good("review", str(pgn), "--fast", "--format", "csv"))
    pgn.write_text(good("review", str(csv), "--format", "pgn"))
    for file in (csv, pgn):
        assert as_record(read_record(file)).frame["play"].tolist() == wanted


def test_games_that_another_program_wrote(data):
    file = data / "cribbage_zero.pgn"
    record = as_record(read_record(file))
    games = record.frame.groupby("game", sort=False)
    assert games.size().tolist() == [14, 12]
    for (name, own), text in zip(games, file.read_text().split("[Game")[1:], strict=True):
        told = re.findall(r"\b(?:S1|S2|SC|SP)((?: [0-9]+)+)", text)  # all that was counted
        after = record.scores_after[own.index[own["deal"] == own["deal"].max()]]
        assert after[0].sum() == sum(int(points) for some in told for points in some.split()), name


@settings(max_examples=3)
@given(st.integers(0, 10**6), st.sampled_from([2, 16]))
def test_a_game_in_pgn_is_the_same_game(seed, deals):
    """Cells are written only if a jack ends it at the cut, for which PGN has no word."""
    record = as_record(whole_game(seed, deals))
    same(as_record(parse_pgn(format_pgn(record))), record)
    assert ("[Cell" in format_pgn(record)) == (record.frame["play"] == "").any()


NAMES = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda name: name.strip())


@settings(max_examples=5)
@given(st.integers(0, 10**6), NAMES, NAMES, st.data())
def test_nothing_that_is_typed_is_lost_in_pgn(seed, game, name, data):
    frame = whole_game(seed, 4, data.draw(st.sampled_from([None, {"Ann": 95, "Ben": 103}])))
    gone = data.draw(st.sets(st.sampled_from(["starter", "opponent_discard", "play", "score"])))
    rows = data.draw(st.lists(st.sampled_from(frame.index.tolist()), min_size=1, unique=True))
    if gone & {"play", "score"}:
        rows = [row for row in rows if frame.loc[row, "deal"] != frame["deal"].max()] or [0]
    frame = frame.assign(game=game, note=data.draw(NAMES)).replace({"player": {"Ann": name}})
    own = frame.loc[rows].drop(columns=list(gone))
    record = as_record(own)
    found = as_record(parse_pgn(format_pgn(record)))
    columns = [*ALL_COLUMNS, "note"]
    pd.testing.assert_frame_equal(plain(found, *columns), plain(record, *columns))
    assert format_pgn(found) == format_pgn(as_record(found.frame))


RECORD = as_record(whole_game(7, 2))
FORMS = {
    "csv": RECORD.frame.to_csv(index=False, sep=";"),
    "tsv": RECORD.frame.to_csv(index=False, sep="\t"),
    "jsonl": RECORD.frame.astype(object).to_json(orient="records", lines=True),
    "pgn": format_pgn(RECORD),
}


@pytest.mark.parametrize("form", FORMS)
def test_content_decides_the_format(get, tmp_path, form):
    content = FORMS[form].encode()
    wanted = read_uploads([("game", content)]).scores.tolist()
    zipped, begun = gzip.compress(content), ["\ufeff".encode() + content]
    if form == "pgn":
        begun.append(b"\n " + content)
    for name, spellings in (
        ("game", [content, zipped]), ("game.csv", begun), ("game.pgn", [content, zipped]),
        ("game.jsonl.gz", [zipped]),
    ):  # fmt: skip
        for spelling in spellings:
            (tmp_path / name).write_bytes(spelling)
            read = as_record(read_record(tmp_path / name)), read_uploads([(name, spelling)])
            assert [record.scores.tolist() for record in read] == [wanted] * 2
    found = get("/api/review?fast=1", method="POST", body=content).json
    assert {row["deal"] for row in found["decisions"]} == {1, 2}


def test_one_bad_game_of_a_file_is_skipped(get, tmp_path):
    """The second of three games cannot be: its count, its row of text, or its cards."""
    games = [as_record(whole_game(seed, 1)) for seed in (7, 8, 9)]
    pgn = [format_pgn(game).partition("\n")[2] for game in games]
    pgn[1] = re.sub("SC [0-9]+", "SC 29", pgn[1])
    frames = [game.frame.assign(game=number) for number, game in enumerate(games, 1)]
    csv = pd.concat(frames).to_csv(index=False).splitlines(keepends=True)
    bad_cards = re.sub("([^,]*,){5}", "2,1,Ann,pone,5H,", csv[3])
    bad_cell = "".join([*csv[:3], bad_cards, *csv[5:]])
    for text, told in (
        ("".join(pgn), "game '2', deal 1: the crib with "),
        ("".join([*csv[:3], '2,"x"y\n', *csv[5:]]), "line 4: "),
        (bad_cell, "game '2', deal 1, column 'cards', '5H': expected"),
    ):
        (tmp_path / "games.txt").write_text(text)
        command = ["review", str(tmp_path / "games.txt"), "--fast", "--format", "json"]
        refused = run(*command)
        assert (refused.returncode, told in refused.stderr.decode()) == (2, True)
        done = run(*command, "--errors", "skip")
        (said,) = done.stderr.decode().splitlines()
        assert re.match(f"cribev: skipped: .*games.txt'.*{re.escape(told)}", said)
        decisions = json.loads(done.stdout)["decisions"]
        assert len(decisions) == 4
        files = [("games.txt", text.encode())]
        sent = with_files(get, files, path="/api/review?fast=1&errors=skip").json
        (skipped,) = sent["skipped"]
        assert told in skipped
        assert [row["cards"] for row in sent["decisions"]] == [row["cards"] for row in decisions]


def test_odd_game_files_are_read_or_reported(get, tmp_path):
    game = as_record(whole_game(7, 3, {"Ann": 110, "Ben": 96}))
    pgn = format_pgn(game)
    dealt = format_pgn(as_record(whole_game(8, 1)))
    for cells, told in (
        ('[Cell "1", "dealer", "player", "Zed"]\n[Cell "1", "dealer", "score_after", "121-100"]',
         "column 'player', 'Zed': who is not in the game"),
        ('[Cell "1", "dealer", "\\ud800<b>", "x"]', ""),
    ):  # fmt: skip
        text = dealt.replace('[Result "*"]', f'[Result "1-0"]\n{cells}', 1)
        done = with_files(get, [("a.pgn", text.encode())], path="/api/review?fast=1")
        assert (done.status, told in done.text) == (400 if told else 200, True), done.text
    file = tmp_path / "games.pgn"
    file.write_text("{ " + "A long comment. " * 400 + "}\n" + pgn)
    same(as_record(read_record(file)), game)


def test_games_of_one_name_stay_apart(tmp_path):
    games = [whole_game(seed, 1).assign(game=name) for seed, name in ((7, "1"), (8, "1"), (9, "2"))]
    for game, name in zip(games, ("1", "2", "more"), strict=True):
        game.to_csv(tmp_path / f"{name}.csv", index=False)
    assert review([tmp_path], fast=True).games["game"].unique().tolist() == ["1", "2 (2)", "2"]
    called = pd.concat(games[:2]).assign(player=["Bo", None] * 2)
    called.to_json(tmp_path / "called.jsonl", orient="records", lines=True)
    done = run("review", str(tmp_path / "called.jsonl"), "--fast", "--as", "Ann=Bo")
    assert (done.returncode, "column 'player', '': empty" in done.stderr.decode()) == (2, True)


@pytest.mark.usefixtures("fast_reviews")
def test_many_files_on_the_page_are_one_review(get):
    files = [
        ("a.csv", whole_game(7, 1).to_csv(index=False).encode()),
        ("b.pgn", format_pgn(as_record(whole_game(8, 1))).encode()),
        ("c.md", HOSTILE.encode()),
    ]
    refused = with_files(get, files, path="/api/review?fast=1")
    assert (refused.status, "what format is 'c.md'?" in refused.text) == (400, True)
    found = with_files(get, files, path="/api/review?fast=1&errors=skip").json
    assert [game["game"] for game in found["games"]] == ["a", "a", "b", "b"]
    assert {leak["player"] for leak in found["leaks"]} == {"Ann", "Ben"}
    assert found["skipped"][0].startswith("what format is 'c.md'? expected")
    brought = with_files(get, files, player="Ann")
    page = get(brought.headers["Location"])
    assert "1 could not be read and is left out \u2068what format is 'c.md'? " in page.words
    assert "Ann" in page.words
    assert ('id="p1"' in page.text, 'id="p2"' in page.text) == (True, False)
    refused = with_files(get, files, player=HOSTILE)
    assert (refused.status, "there is 'Ann, Ben'" in refused.words) == (400, True)
    assert "img" not in Whole(refused.text).tags


def test_files_on_the_page_are_limited_together(get, monkeypatch):
    monkeypatch.setattr("cribev.app.web.review.MAX_DECISIONS", 50)
    rows = random_games(1, deals=16, seed=1).to_csv(index=False).encode()
    zipped = gzip.compress(b"[Game]" + b" " * 3_000_000)
    damaged = b'[Game "x"]\n1.\n H1 6C\n'
    for files, told in (
        ([("a.csv", rows), ("b.csv", rows)], "more than 50 decisions are too many here"),
        ([(f"{at}.csv", b"x") for at in range(101)], "Too many files. Maximum number of files is"),
        ([("a.pgn", zipped), ("b.pgn", zipped)], "than 4 MiB of text with the files before it"),
        ([("games.pgn", damaged * 500)], "; and 100 more"),
        ([("a.csv", b"x"), ("a.csv", b"y")], "and needs deal, role, cards, discard; 'a.csv'"),
    ):
        refused = with_files(get, files, path="/api/review?fast=1&errors=skip")
        assert (refused.status, told in refused.text) == (400, True), refused.text


BITS = ["\0", "\xff", '"', "{", "}", "[", "]", ",", "\n", "\r", "\t", "9" * 40, "-1", "null", "NaN"]
BITS += ["| ", "go ", "1.", "P ", "H1 ", "SP ", "2756 ", "31", "(" * 3000, "[" * 3000, "7" * 5000]
BITS += ['"\\ud800"', "\u2028", "K ", HOSTILE]


@st.composite
def damaged(draw):
    """A record of any format, some of it left out, put in or written twice."""
    text = draw(st.sampled_from(sorted(FORMS.values())))
    for _ in range(draw(st.integers(1, 4))):
        begin, end = sorted(draw(st.integers(0, len(text))) for _ in range(2))
        bit = draw(st.sampled_from([*BITS, text[begin : begin + 300]]))
        text = text[:begin] + bit + text[draw(st.sampled_from([begin, begin + 1, end])) :]
    return text.encode("latin-1" if "\xff" in text and text.isascii() else "utf-8")


@settings(max_examples=60)
@given(damaged(), st.sampled_from(["game.csv", "game.pgn", "game.gz", "x.jsonl"]))
def test_uploads_are_read_or_refused(content, name):
    said = "read"
    try:
        read_uploads([(name, content)])
    except CribevError as error:
        said = str(error)
    assert said.isprintable()
    assert len(said) < 700


def test_games_are_read_from_input_and_page(get):
    done = run("review", "-", "--format", "pgn", stdin=PGN.encode())
    assert (done.returncode, done.stderr) == (0, b"")
    same(as_record(parse_pgn(done.stdout.decode())), as_record(parse_pgn(PGN)))
    done = run("review", "-", "--format", "pgn", "--html", "page.html", stdin=b"")
    assert done.stderr == b"cribev: error: --html and --format pgn: choose one\n"
    empty = run("review", "-", "--fast")
    assert empty.stderr.startswith(b"cribev: error: 'standard input' is empty: ")
    refused = with_file(get, "game.txt", f"1. H1 {HOSTILE}".encode())
    assert "'game.txt': game '1', deal 1" in refused.refusal
    assert "img" not in Whole(refused.text).tags


PGN_REFUSED = [
    (POINTS, "0 2 0 1 0 0 0 1", "deal 1, column 'play', .*'\\(31-1\\)', .*dealer pegs 2"),
    (POINTS, "0 2 0 2 0 0 0 0", "deal 1, column 'pegged', '4': by the play it is 5"),
    (POINTS, "0 2 0 2", "deal 1, SP: 4 points for 8 cards played"),
    (POINTS, "0 two", "deal 1, SP, 'two': expected points, a whole number"),
    ("S2 13", "S2 12", "1: the hand 5C 5S 9H TD with JC counts 13, and the file says 12"),
    ("S2 13", "S2 3 4", "deal 1, S2: expected one number of points, got 2"),
    ("SC 3", "SC 4", "deal 1: the crib with JC counts 3, and the file says 4"),
    ("SC 3", "SH 0", "deal 1: the starter JC counts 2, and the file says 0"),
    ("D2 9S TC", "D2 9S TS", "deal 2, column 'discard', '9S TS': not two of"),
    ("9H 7D |", "7D 9H |", "deal 1, column 'play', .*has no 7 left"),
    ("6C 7D 8S JH", "6C 7D 8S J?", "deal 1, column 'cards', .*invalid card 'J\\?'"),
    ("  SC 3", "  SC 3 SC 3", "deal 1, 'SC': the tag comes twice"),
    ("1.\n  h1", "1.\n  hand", r"deal 1, 'hand': expected a tag: H1 and H2 \(six cards of"),
    (f"  SP {POINTS}", f"  Points {POINTS}", "deal 1, 'Points': expected a tag: H1 and H2"),
    ("\n1.\n", "\n", "'h1': expected tags in brackets, or the number of a deal"),
    (PGN, '[Cell "1", "pone"]\n', "expected a cell's deal, role, column and text"),
    ("[E", '[Cell "3", "pone", "note", "x"]\n[E', "deal 3: there is no hand of the pone"),
    (PGN, '[Result "*"]', "there is no deal with a discard"),
    ('"Cy"]', '"Cy"]\n[FirstDealr "Ann"]', "game '1', 'FirstDealr': did you mean FirstDealer"),
    ('"Cy"]', '"Cy"]\n[FirstDealer "Zed"]', "game '1', 'FirstDealer': the tag comes twice"),
    ("0-1", "2-0", "game '1', Result '2-0': expected 1-0, 0-1 or \\*"),
]


def test_names_that_mean_something_in_pgn_are_kept():
    found = parse_pgn('[FirstDealer "C ] y"  ]{\n}\n1. {a{b} H1 2D 3D 4D 5D 6D 7D D1 2D 3D C 8D')
    assert found[["player", "starter"]].to_numpy().tolist() == [["C ] y", "8D"]]
    games = random_games(1, deals=2)
    alone = games[games["player"] == "Ann"].assign(player="?")
    read = as_record(parse_pgn(format_pgn(as_record(alone))))
    assert {*read.frame["player"]} == {"?"}


def test_points_of_broken_off_play_match_cards():
    text = PGN.replace("2.\n", "", 1).partition("  H1 3C")[0]
    parse_pgn(text.replace(POINTS, "0 2 0 2 0 0 0 0"))  # the last card's point
    with pytest.raises(RecordError, match="deal 1, column 'p"):
        parse_pgn(text.replace(POINTS, "0 2 0 2 0 0 0 2"))


def test_who_wins_is_what_the_cards_say():
    record = as_record(whole_game(0, 16))
    after = record.frame.query("player == 'Ann'")["score_after"].iloc[-1]
    winner = 0 if after.startswith("121-") else 1
    names = ("Ann", "Ben")
    message = f"by the cards {names[winner]} wins, and the file says {names[1 - winner]}"
    result, turned = ("1-0", "0-1")[:: 1 - 2 * winner]
    with pytest.raises(RecordError, match=message):
        parse_pgn(format_pgn(record).replace(f'"{result}"', f'"{turned}"'))


@pytest.mark.parametrize(("old", "new", "message"), PGN_REFUSED)
def test_what_is_against_the_rules_is_one_line(old, new, message):
    with pytest.raises(RecordError, match=message) as caught:
        parse_pgn(PGN.replace(old, new, 1))
    assert "\n" not in str(caught.value)


def test_games_and_players_of_one_name_are_distinct():
    text = PGN.replace('"Di"', '"Cy"')
    assert set(as_record(parse_pgn(text)).frame["player"]) == {"Cy 1", "Cy 2"}
    record = as_record(whole_game(7))
    assert set(as_record(parse_pgn(PGN + PGN)).frame["game"]) == {"1", "2"}
    with pytest.raises(RecordError, match="two games are named '1'"):
        parse_pgn(format_pgn(record) * 2)


def test_deals_written_many_times_are_refused():
    with pytest.raises(RecordError, match="game '1', deal 1: the deal comes twice"):
        parse_pgn("1. " * 100_000)
    with pytest.raises(RecordError, match="more than 10,000 deals"):
        parse_pgn(" ".join(f"{number}." for number in range(1, 100_000)))


def test_patterns_enter_folders_and_no_links(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for index, folder in enumerate(("games", "games/more", "games/.hidden")):
        Path(folder).mkdir()
        Path(folder, f"{index}.csv").write_text("x")
    for name in "abcdef":
        Path("games", name).symlink_to("../games")
        Path("games/more", name).symlink_to("..")
    names = ["games/0.csv", "games/more/1.csv"]
    assert list_files("games/**/*.csv") == list_files("games/**") == names
    assert list_files("**/*.csv") == names
    assert list_files(f"{tmp_path}/**/1.csv") == [f"{tmp_path}/games/more/1.csv"]
    assert list_files("*/*.csv") == names[:1]
    assert list_files("games/.hidden/*.csv") == ["games/.hidden/2.csv"]


def test_a_damaged_game_is_skipped_once(tmp_path):
    """Whether it is all of its file or another game follows."""
    for name, more in (("bad", ""), ("mixed", f'[Game "x"]\n{PGN}')):
        (tmp_path / f"{name}.pgn").write_text(f"1.\n H1 6C\n{more}")
    skipped = []
    games = formats.read_records([str(tmp_path)], skip=skipped.append)
    assert len(games) == len(parse_pgn(PGN))
    for name, error in zip(("bad", "mixed"), map(str, skipped), strict=True):
        assert f"{name}.pgn': game '1', deal 1, column 'discard'" in error


def test_unreadable_folder_entries_are_reported(tmp_path):
    (tmp_path / "a.pgn").write_text(PGN)
    (tmp_path / "older").mkdir()
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "b.csv").write_bytes(b"\xff\xfeabc")  # begins as UTF-16 does, and is not
    os.mkfifo(tmp_path / "pipe")
    records, left = formats.record_files(str(tmp_path))
    assert [Path(name).name for name in records] == ["a.pgn", "b.csv"]
    assert [Path(name).name for name in left] == ["gone", "older", "pipe"]
    skipped, told = [], []
    games = formats.read_records([str(tmp_path)], skip=skipped.append, tell=told.append)
    assert (len(games), len(told)) == (len(parse_pgn(PGN)), 1)
    assert [str(error) for error in skipped] == [
        f"'{tmp_path}/b.csv' is not UTF-16 text, as it begins"
    ]
