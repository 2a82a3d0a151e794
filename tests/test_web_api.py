"""What programs ask of the server: the JSON of the command line."""

from urllib.parse import quote

import pytest
from asking import DEAL
from games import random_games
from shell import printed

from cribev.errors import CribevError
from cribev.reviews.record import RECORD_TEMPLATE
from cribev.rows.columns import COLUMN_DESCRIPTIONS
from cribev.web import api, guard, review


def test_advice_is_that_of_the_command_line(get):
    suited = ["advise", "5H 5D JS QC 2H 8D"]
    for address, arguments in (
        (f"cards={DEAL}", suited),
        (f"cards={DEAL}&role=pone&explain=1&versus=5H5D&top=3&show_only=1",
         [*suited, "--pone", "--explain", "--versus", "5H5D", "--top", "3", "--show-only"]),
        (f"cards={DEAL}&role=dealer&opponent=uniform&crib_table=schell",
         [*suited, "--dealer", "--opponent", "uniform", "--crib-table", "schell"]),
        (f"cards={DEAL}&role=dealer&score=115-110&explain=1",
         [*suited, "--dealer", "--score", "115-110", "--explain"]),
        ("cards=258-9JK&role=dealer", ["advise", "2 5 8 9 J K", "--dealer"]),
    ):  # fmt: skip
        assert get(f"/api/advice?{address}").json == printed(*arguments)


def test_the_api_is_documented_and_refuses_in_json(get):
    words = get("/api").words
    for parameters in (api.ADVICE_PARAMETERS, api.SCORE_PARAMETERS, review.REVIEW_PARAMETERS):
        for name, meaning in parameters.items():
            assert f"{name} {meaning}" in words
    for name in ("win", "play_own", "ev_loss", "verdict"):
        assert f"{name} {COLUMN_DESCRIPTIONS[name]}" in words
    for status, answer in (
        (414, get("/api/score?cards=" + "5" * guard.MAX_ADDRESS)),
        (421, get("/api/score?cards=5C6D7DQH6H", Host="evil.example")),
        (403, get("/api/review", method="POST", body=b"", Origin="http://evil.example")),
    ):
        assert (answer.status, list(answer.json)) == (status, ["error"])
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_score_and_review_are_those_of_the_command_line(get, data):
    for address, arguments in (
        ("cards=5C6D7DQH6H", ["5C 6D 7D QH 6H"]),
        ("cards=5H6H7H8H&crib=1", ["5H 6H 7H 8H", "--crib"]),
        ("cards=5C6D7DQH6H&explain=1", ["5C 6D 7D QH 6H", "--explain"]),
    ):
        assert get(f"/api/score?{address}").json == printed("score", *arguments)
    record = (data / "game.csv").read_bytes()
    found = get("/api/review?fast=1", method="POST", body=record)
    assert found.headers["Content-Type"] == "application/json"
    assert found.json == printed("review", str(data / "game.csv"), "--fast")
    found = get("/api/review?player=Ann&show_only=1&fast=1", method="POST", body=record).json
    options = ("--player", "Ann", "--show-only", "--fast")
    assert found == printed("review", str(data / "game.csv"), *options)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("/api/advice", "expected 6 cards, got none in ''"),
        ("/api/advice?card=5H", "no such parameter: 'card'"),
        ("/api/advice?cards=5H&cards=6H", "'cards' is given more than once"),
        (f"/api/advice?cards={DEAL}&top=0", "top='0': expected a whole number from 1 to 15"),
        (f"/api/advice?cards={DEAL}&top=\u00b2", "expected a whole number"),
        (f"/api/advice?cards={DEAL}&opponent=/etc/passwd", "opponent='/etc/passwd': expected"),
        (f"/api/advice?cards={DEAL}&crib_table=/etc/passwd", "crib_table='/etc/passwd': expected"),
        (f"/api/advice?cards={DEAL}&explain=maybe", "explain='maybe': expected 1 or 0"),
        (f"/api/advice?position=dealer:{DEAL}&role=pone", "'position' is given, and 'role' bes"),
        ("/api/advice?position=dealer:4H5CJDJS", "two cards are discarded already"),
        ("/api/score?cards=5C6D7D", "expected four cards and the starter"),
        ("/api/score?cards=%0A5X", "'5X' is not a card"),
    ],
)
def test_the_api_says_in_a_line_what_is_wrong(get, address, told):
    answer = get(quote(address, safe="/ask?=&%"))
    assert answer.status == 400
    assert list(answer.json) == ["error"]
    assert told in answer.json["error"]
    assert "\n" not in answer.json["error"]


def test_records_that_cannot_be(get):
    for body, told in (
        (b"", "is empty"),
        (b"game,deal\n1,1\n", "no column 'role' in the record"),
        (b"\xff\xfe", "not UTF-8"),
        (RECORD_TEMPLATE.replace("2H 8D,4C", "2H\0 8D,4C").encode(), "'2H\\x00 8D'"),
        (b' \n{"game": 1}\n', "no column 'deal' in the record"),
        (b"[1]", "'record.csv': there is no deal with a discard"),
        (RECORD_TEMPLATE.replace("2H 8D,4C", "2H 9D,4C").encode(), "not two of the six cards"),
    ):
        answer = get("/api/review", method="POST", body=body)
        assert answer.status == 400
        assert told in answer.json["error"]
    body = random_games(16, deals=16, seed=1).to_csv(index=False).encode()
    assert "fast=1 takes the class tables" in get("/api/review", method="POST", body=body).text
    rows = random_games(40, deals=16, seed=1).to_csv(index=False).encode()
    with pytest.raises(CribevError, match="too many here"):
        review.read_uploads([("a.csv", rows)])
