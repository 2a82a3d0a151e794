"""Who is skunked: the table against slow rules, and advice at a score against deals played out."""

import csv
import random
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from race_oracle import DEALER, ending, endings, laid_by, text, whole_deal
from shell import good, printed
from test_race import counts_of, listed, random_events

from cribev import advise, parse_cards
from cribev.classes.canonical import classify_deals
from cribev.game.cards import unseen
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.score import Outcomes
from cribev.solution.solution import load, shipped_strategy
from cribev.solution.tables import win_probability_table, win_table_of
from cribev.solving.race import solve_win_table

NAMES = ("win", "skunk", "double_skunk", "skunked", "double_skunked")

STORED = Path(__file__).with_name("data") / "skunks.csv"  # how they were made stands there
PLAYOUTS = list(
    csv.DictReader(filter(lambda line: line[0] != "#", STORED.read_text().splitlines()))
)


def test_the_table_of_skunks_is_that_of_the_slow_rules():
    events = random_events(7, 5)
    found, slowly = solve_win_table(counts_of(events)), endings([*map(listed, events.tolist())])
    for dealer in (50, 60, 61, 88, 90, 91, 119):
        for pone in (45, 60, 61, 90, 91, 118):
            expected = slowly(dealer, pone)
            ends = [found.win[dealer, pone], *found.skunks[:, dealer, pone]]
            assert ends == pytest.approx(expected, abs=1e-12)


def test_what_is_shipped_is_a_table_of_outcomes_and_tells_of_skunks():
    table = win_table_of()
    assert crc32(np.rint(table.win * 65535).astype("<u2").tobytes()) == 845391502
    for role in ("dealer", "pone"):
        ends = table.outcomes_as(role)
        for most, least in ((ends.win, ends.skunk), (ends.skunk, ends.double_skunk)):
            assert (least <= most).all()
        assert (ends.skunked <= ends.lose + 1e-12).all()
        assert (ends.double_skunked <= ends.skunked).all()
        assert not ends.skunk[:, 91:].any()
        assert not ends.double_skunk[:, 61:].any()
        assert not ends.skunked[91:].any()
        assert not ends.double_skunked[61:].any()
    start = Outcomes(table.win[0, 0], *table.skunks[:, 0, 0])
    assert 0.11 < start.skunk + start.skunked < 0.13
    (row,) = printed("tables", "win", "83-64")
    table, at = win_table_of(), (83, 64)
    assert row["win_dealer"] == table.win[at]
    assert (row["skunk_dealer"], row["skunked_dealer"]) == (table.skunks[0][at], 0)
    won, lost = ("win", "skunk", "double_skunk"), ("skunked", "double_skunked")
    assert list(row)[2:7] == [f"{name}_dealer" for name in (*won, *lost)]
    assert list(win_probability_table().columns) == list(row)
    shown, turned = good("tables", "win", "83-64"), good("tables", "win", "64-83", "--role", "pone")
    assert f"Of all games the dealer skunks {table.skunks[0][at]:.1%}.\n" in shown
    assert f"pone is skunked {table.skunks[0][at]:.1%}.\n" in turned
    assert "skunk" not in good("tables", "win", "95-110")


def advised(row):
    advice = advise(row["cards"], role=row["role"], score=row["score"])
    option = advice.options.option(row["discard"])
    return np.array([getattr(option, name) for name in NAMES])


@pytest.mark.parametrize("row", PLAYOUTS[::20], ids=lambda row: f"{row['role']}-{row['score']}")
def test_an_advice_tells_how_the_game_ends(row):
    played = np.array([float(row[name]) for name in NAMES])
    assert advised(row) == pytest.approx(played, abs=0.003)


@pytest.mark.slow
def test_all_positions_end_as_they_were_played_out():
    played = np.array([[float(row[name]) for name in NAMES] for row in PLAYOUTS])
    off = np.array([*map(advised, PLAYOUTS)]) - played
    assert len(PLAYOUTS) == 60
    assert np.abs(off).max() <= 0.003
    assert np.sqrt((off**2).mean(axis=0)).max() <= 0.0007


@pytest.mark.slow
@pytest.mark.parametrize("row", PLAYOUTS[5::23], ids=lambda row: f"{row['role']}-{row['score']}")
def test_deals_played_card_by_card_end_so(row):
    """Dealt, shown and laid by the slow rules; discards and cards as the solution has them."""
    number, role = 6000, row["role"]
    draw, rng = random.Random(34), np.random.default_rng(34)
    deal, table = np.sort(parse_cards(row["cards"])), win_table_of()
    thrown = sorted(parse_cards(row["discard"]).tolist())
    kept = [card for card in deal.tolist() if card not in thrown]
    rest = rng.permuted(np.tile(unseen(deal), (number, 1)), axis=1)
    hands, starters = np.sort(rest[:, :6], axis=1), rest[:, 6].tolist()
    other = "pone" if role == "dealer" else "dealer"
    best = load(play=True).policies()[other][classify_deals(hands)].astype(int)
    own, opponents = map(int, row["score"].split("-"))
    pone, dealer = (own, opponents) if role == "pone" else (opponents, own)
    found = []
    for hand, keeps, starter in zip(hands, best.tolist(), starters, strict=True):
        keep = draw.choice([at for at in range(15) if keeps >> at & 1])
        theirs, pair = hand[KEEPS[keep]].tolist(), hand[DISCARDS[keep]].tolist()
        both = (kept, theirs) if role == "pone" else (theirs, kept)
        ranks = [[(card >> 2) + 1 for card in cards] for cards in both]
        play = laid_by(shipped_strategy(), *ranks, draw)
        cards = ([text(card) for card in some] for some in (*both, thrown + pair))
        winner, then = ending(whole_deal(*cards, text(starter), play), pone, dealer)
        if winner is None:
            ends = table.outcomes_as("pone")  # who deals now is pone next
            ends = Outcomes(*(part[then[DEALER], then[0]] for part in ends))
        elif winner == DEALER:
            ends = Outcomes(1.0, then[0] < 91, then[0] < 61, 0, 0)
        else:
            ends = Outcomes(0.0, 0, 0, then[DEALER] < 91, then[DEALER] < 61)
        found.append(ends if role == "dealer" else ends.turned)
    error = np.std(found, axis=0) / number**0.5
    assert (np.abs(np.mean(found, axis=0) - advised(row)) <= 4.5 * error + 0.003).all()


def test_a_table_shows_skunks_where_one_is_likely():
    cards = ["3D", "3S", "5C", "7C", "QC", "QS"]
    shown = good("advise", *cards, "--dealer", "--score", "83-64", "--top", "2")
    assert " skunks " in shown
    assert " skunked " not in shown
    assert " skunked " in good("advise", *cards, "--pone", "--score", "64-83", "--top", "2")
    assert "skunk" not in good("advise", *cards, "--pone", "--score", "103-104", "--top", "2")
    position = ["4H", "5C", "JD", "JS", "--pone", "--threw", "9C KD", "--starter", "7H"]
    assert " skunks " in good("play", *position, "--score", "110-80")
    for card in printed("play", *position, "--score", "110-80")["cards"]:
        assert card["double_skunk"] <= card["skunk"] <= card["win"] == 1 - card["lose"]
