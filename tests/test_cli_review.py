"""`cribev review`, from the command line."""

import io
import re
from pathlib import Path

import pandas as pd
import pytest
from games import random_games, with_play
from shell import COLOUR, csv_rows, good, on_a_terminal, printed, refused, run


@pytest.fixture
def deal(tmp_path):
    """A record of one deal."""
    file = tmp_path / "deal.csv"
    file.write_text(good("review", "--template"))
    return str(file)


def test_review_of_a_game(data):
    game = str(data / "game.csv")
    told = printed("review", game, "--fast")
    assert " ".join(told) == ("players games opponents error_rates leaks decisions cards")
    assert [player["player"] for player in told["players"]] == ["Ann", "Ben"]
    assert len(told["decisions"]) == 16
    rows = csv_rows("review", game, "--fast")
    losses = [decision["loss"] for decision in told["decisions"]]
    assert [float(row["loss"]) for row in rows] == losses
    as_parquet = run("review", game, "--fast", "--format", "parquet").stdout
    table = pd.read_parquet(io.BytesIO(as_parquet))
    assert table["loss"].tolist() == losses
    assert list(table) == list(rows[0])
    own = printed("review", game, "--fast", "--player", "Ben")
    for part in ("players", "games", "decisions"):
        assert own[part] == [row for row in told[part] if row["player"] == "Ben"]


def test_review_writes_a_page(deal, tmp_path):
    page = tmp_path / "game.html"
    arguments = ["review", deal, "--fast", "--html", str(page)]
    for force in ([], ["--force"]):
        done = run(*arguments, *force)
        assert (done.returncode, done.stderr.decode()) == (0, f"{page} written\n")
        assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
        page.write_text("mine")
        assert "is there already: --force replaces it" in refused(*arguments)
        assert page.read_text() == "mine"


def test_page_replaces_review_on_standard_output(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where a file named - would be
    arguments = ["review", str(data / "game.csv"), "--fast", "--html", "-"]
    done = run(*arguments)
    assert (done.returncode, done.stderr, list(tmp_path.iterdir())) == (0, b"", [])
    assert done.stdout.startswith(b"<!doctype html>")
    assert done.stdout.rstrip().endswith(b"</html>")
    assert b"What cost most after that, in points\n" not in done.stdout
    done = run(*arguments, "--format", "json")
    assert done.stderr == b"cribev: error: --html - and --format json: choose one\n"


@pytest.mark.parametrize("form", ["table", "json"])
def test_review_is_shown_even_if_page_fails(deal, form):
    arguments = ["review", deal, "--fast", "--format", form]
    done = run(*arguments, "--html", "/dev/full")
    assert done.returncode == 1
    assert done.stderr == b"cribev: error: cannot write '/dev/full': No space left on device\n"
    assert done.stdout == run(*arguments).stdout


def test_page_never_overwrites_the_record(deal):
    assert "1 game, 1 discard;" in good("review", deal, "--fast")
    told = refused("review", deal, "--fast", "--html", deal, "--force")
    assert "is the input: write to another file" in told
    assert Path(deal).read_text() == good("review", "--template")


def test_a_bad_record_and_misspelt_columns_are_named(data, tmp_path):
    file, text = tmp_path / "game.csv", (data / "game.csv").read_text()
    file.write_text(text.replace("2H 5D 8C 9D QH KC", "2H 5D 8C 9D QH"))
    bad = "game '1', deal 1, column 'cards', '2H 5D 8C 9D QH': expected 6 cards, got 5 in "
    assert refused("review", str(file)) == f"{bad}'2H 5D 8C 9D QH'"
    file.write_text(text.replace("starter", "Strater"))
    done = run("review", str(file), "--fast")
    told = "cribev: the column 'Strater' is kept, and not read: is 'starter' meant?\n"
    assert (done.returncode, done.stderr.decode()) == (0, told)


def test_names_that_are_no_text(data, tmp_path):
    for name in ("a\udcff.csv", "b.csv"):
        (tmp_path / name).write_bytes((data / "game.csv").read_bytes())
    text = good("review", str(tmp_path), "--fast", "--as", "\udcff=Ann")
    assert "2 games, 32 discards" in text
    assert "\\udcff discarded" in text
    told = refused("review", str(tmp_path), "--fast", "--player", "\udcff")
    assert told.startswith("no player '\\udcff' in the record: there is 'Ann, Ben'")


def test_oversized_page_is_refused_before_work(tmp_path):
    file, row = tmp_path / "games.csv", "1,Ann,dealer,5H 5D JS QC 2H 8D,2H 8D"
    lines = ["game,deal,player,role,cards,discard", *(f"{game},{row}" for game in range(5001))]
    file.write_text("\n".join(lines))
    told = refused("review", str(file), "--html", str(tmp_path / "page.html"))
    assert "5,001 decisions are too many for a page" in told


def test_review_on_a_terminal(data):
    status, text = on_a_terminal("review", str(data / "game.csv"), "--fast", "--deals")
    last = [COLOUR.sub("", line).strip() for line in text.splitlines() if line.strip()][-4:]
    assert any(line.startswith("Ben discarded 8 hands: errors cost 0.31 points") for line in last)
    assert "Ben discarded" not in "".join(good("review", str(data / "game.csv"), "--fast")[-300:])
    assert status == 0
    plain = COLOUR.sub("", text)
    assert "9♦ K♣" in plain
    assert max(len(line.rstrip()) for line in plain.splitlines()) <= 80
    assert re.search(r"\x1b\[[\d;]*31m.{0,9}a blunder", text)  # a verdict stands out


def test_a_game_fits_two_screens(tmp_path):
    file = tmp_path / "game.csv"
    with_play(random_games(1, deals=9, seed=5, noise=0.5), seed=5).to_csv(file, index=False)
    status, text = on_a_terminal("review", str(file), "--fast")
    shown = re.sub(r".*\r(?!\n)", "", COLOUR.sub("", text)).splitlines()
    assert (status, len(shown) <= 2 * 24) == (0, True)
    assert len(good("review", str(file), "--fast", "--all").splitlines()) > 2 * len(shown)


@pytest.mark.slow
def test_all_of_one_deal_is_every_listing(deal):
    brief, every = (good("review", deal, *more) for more in ([], ["--all"]))
    opening = brief[: brief.index("There is more with --deals, --all or --html FILE.")]
    assert every.startswith(opening.rstrip())
    assert "Lost: how much less" not in brief
    for heading in ("Lost: how much less", "Deal by deal, in points", "Card by card", "Leaks: "):
        assert heading in every
    assert "--all goes with a table to read" in refused("review", "x", "--all", "--format", "csv")
