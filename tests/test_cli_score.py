"""`cribev score`, from the command line."""

import json

from shell import good, on_a_terminal, printed, run

import cribev
from cribev import explain, format_cards, random_hands, score


def test_score_prints_a_bare_number():
    assert good("score", *["5C", "6D", "7D", "QH", "6H"]) == "10\n"
    assert good("score", "5H 6H 7H 8H 9S") == "13\n"
    assert good("score", "5H 6H 7H 8H 9S", "--crib") == "9\n"


def test_score_of_four_cards_says_that_no_starter_is_counted():
    assert good("score", "5H 6H 7H 8H") == "10 before the cut\n"
    assert good("score", "5H 6H 7H 8H", "--crib") == "6 before the cut\n"
    assert good("score", "5H 6H 7H 8H", "--explain") == f"{explain('5H 6H 7H 8H')}\n"
    assert printed("score", "5H 6H 7H 8H")["starter"] is None


def test_score_explains_and_writes_json():
    text = good("score", "5C 6D 7D QH 6H", "--explain")
    assert text == f"{explain('5C 6D 7D QH', '6H')}\n"
    assert text.startswith("5C 6D 7D QH + 6H = 10\n")
    assert printed("score", "5C 6D 7D QH 6H", ) == {
        "hand": ["5C", "6D", "7D", "QH"], "starter": "6H", "crib": False, "points": 10,
    }  # fmt: skip
    found = json.loads(good("score", "5C 6D 7D QH 6H", "--format", "json", "--explain"))
    assert found == explain("5C 6D 7D QH", "6H").to_dict()


def test_score_deals_at_random():
    hand = random_hands(1, cards=5, seed=3)[0]
    points = score(hand[:4], int(hand[4]))
    assert good("score", "--random", "--seed", "3") == f"{format_cards(hand)} = {points}\n"


def test_score_reads_hands_a_line():
    hands = random_hands(20_000, cards=5, seed=8)
    text = "\n".join(format_cards(hand) for hand in hands).encode()
    wanted = cribev.score_hands(hands[:, :4], hands[:, 4]).tolist()
    assert [int(line) for line in good("score", stdin=text).split()] == wanted
    assert good("score", "-", stdin=text + b"\n") == good("score", stdin=text)
    assert good("score", stdin=b"") == ""
    lines = good("score", "--format", "json", "--crib", stdin=text[: 15 * 20]).splitlines()
    assert json.loads(lines[1])["hand"] == format_cards(hands[1][:4]).split()


def test_a_bad_line_is_named_and_the_lines_before_it_are_scored():
    done = run("score", stdin=b"5C 6D 7D QH 6H\n5H 6H 7H 8H 9S\n5C 6D\n5C 6D 7D QH 6H\n")
    assert done.stdout == b"10\n13\n"
    assert done.returncode == 2
    assert done.stderr == b"cribev: error: line 3: expected 5 cards, got 2 in '5C 6D'\n"


def test_score_answers_before_its_input_ends(started):
    process = started("-m", "cribev", "score")
    process.stdin.write(b"5C 6D 7D QH 6H\n5H 6H")
    process.stdin.flush()
    assert process.stdout.readline() == b"10\n"
    assert process.communicate(b" 7H 8H 9S\n") == (b"13\n", b"")


def test_score_on_a_terminal_says_how_instead_of_waiting():
    status, text = on_a_terminal("score")
    assert status == 2
    assert "no cards: give four and the starter" in text
