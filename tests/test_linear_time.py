"""Every text is read in a time that grows in proportion to its length, whatever reads it."""

from contextlib import suppress
from time import process_time

import pandas as pd
import pytest
from shell import run

from cribev import advise
from cribev.advice.question import Question
from cribev.errors import CribevError
from cribev.game.cards import parse_card_text, parse_ranks, parse_some_suits
from cribev.game.deal import Position
from cribev.game.play import Play
from cribev.records.cells import ALL_COLUMNS
from cribev.records.formats import records_from_bytes
from cribev.records.pgn import parse_pgn
from cribev.records.record import as_record

ROW = {"deal": "1", "role": "dealer", "cards": "5H 5D JS QC 2H 8D", "discard": "2H 8D"}
FIELDS = {
    "cards": parse_card_text,
    "ranks": parse_some_suits,
    "a hand's ranks": parse_ranks,
    "play": Play.parse,
    "play of a hand": lambda text: Play.parse("T " + text, {"pone": [36, 32, 0, 16]}),
    "position": Position.parse,
    "score": lambda text: Position.parse("pone:4H5CJDJS@" + text),
    "star": lambda text: advise("5H 5D JS QC 2H", score=text + "*"),
    "a line": lambda text: run("score", stdin=text.replace("\n", " ").encode()),
    "stakes": lambda text: advise("5H 5D JS QC 2H 8D", score="9-9*", stakes=text),
    "question": lambda text: Question.read("dealer:5H5DJSQC2H8D?" + text),
    "opponent": lambda text: advise("5H 5D JS QC 2H 8D", role="pone", opponent=text),
    "habits": lambda text: advise("5H 5D JS QC 2H 8D", role="pone", opponent='{"name":"' + text),
    "PGN": parse_pgn,
    "a tag": lambda text: parse_pgn("[" + text + "]\n1. H1 5H"),
    "a name": lambda text: parse_pgn('[FirstDealer "' + text + '"]\n1. H1 5H'),
    "PGN's play": lambda text: parse_pgn("1. P " + text),
    "CSV": lambda text: records_from_bytes([("a.csv", text.encode())], most=9),
    "JSON": lambda text: records_from_bytes([("a.jsonl", ("{" + text).encode())], most=9),
    **{
        f"a cell of {name}": lambda text, name=name: as_record(pd.DataFrame([{**ROW, name: text}]))
        for name in ALL_COLUMNS
    },
}
GROWN = (
    *'5Ax1 -/([{":*,\n♥\ufe0f',
    "{}",
    *("go", "go ", "5-", "5H-", "5-H-", "H-5-", "5 ", "5 - ", "(15-2)", "1-1", "15/", "five of "),
    *("five of hearts", "a:", "[a", "1. ", "{}[", "(5", "4-10-", "jan ", "9.0", "&a=", "\\", "é"),
)


SLOW = {field: pytest.mark.slow for field in FIELDS if field.startswith("a cell of")}


@pytest.mark.parametrize(
    "field", [pytest.param(field, marks=SLOW.get(field, ())) for field in FIELDS]
)
def test_every_text_is_read_in_linear_time(field):
    """A text four times as long takes less than eight times as long; quadratic time is 16 times."""
    for unit in GROWN:
        for end in ("", "x"):
            tries = (seconds(field, unit, end, 6_000) for _ in range(3))  # of which one may be slow
            assert any(
                long < 0.3 or long < 8 * seconds(field, unit, end, 1_500) for long in tries
            ), (unit, end)


def seconds(field, unit, end, length):
    """The time of the processor to read a text of a repeated unit."""
    began = process_time()
    with suppress(CribevError):
        FIELDS[field](unit * (length // len(unit)) + end)
    return process_time() - began
