"""Questions: one reader, one text, and one answer wherever they are asked."""

import json
import random
from dataclasses import replace
from itertools import count
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shell import run

from cribev import (
    CardError,
    CribevError,
    Position,
    Question,
    RecordError,
    advise,
    advise_play,
    answer,
)
from cribev.advice.decisions import Decision
from cribev.advice.lessons import lesson
from cribev.advice.names import as_opponent
from cribev.app.web.api import advice_json, card_json
from cribev.game.stakes import Stakes

SIX = "5H 5D JS QC 2H 8D"
SUITED = [SIX, "AH 2C 7D 9S JH QC", "4C 5C 6C 6D TH KS"]
IN_PART = ["2 5 8 9 J K", "5H 5 J Q 2 8"]
BAD_CARDS = ["5H 5D JS QC", "5H 5D JS QC 2H", "5H 5H JS QC 2H 8D", "5X 5D JS QC 2H 8D", ""]
OPPONENTS = ["expert", "people", "uniform", "nobody"]
SCORES = ["110-116", "119*-118", "118-119*", "30-45", "121-4"]
STAKES = ["win", "acc", "games", "1,2"]


def drawn_discard(rng):
    """What may be asked of a discard, right or wrong, by the names that HTTP has."""
    asked = {"cards": rng.choice(SUITED * 3 + IN_PART + BAD_CARDS[: rng.random() < 0.2])}
    if rng.random() < 0.25:
        role, at = rng.choice(["dealer", "pone"]), rng.choice(["", "@118-117"])
        asked = {"position": f"{role}:{asked['cards'].replace(' ', '')}{at}"}
    for name, chance, values in (
        ("role", 0.75 if "cards" in asked else 0.15, ["dealer", "pone"]),
        ("opponent", 0.4, OPPONENTS), ("score", 0.3, SCORES), ("stakes", 0.3, STAKES),
        ("show_only", 0.15, ["1"]),
    ):  # fmt: skip
        if rng.random() < chance:
            asked[name] = rng.choice(values)
    return asked


def drawn_card(rng):
    """What may be asked of a card to play, right or wrong."""
    asked = {"cards": rng.choice(["4H 5C JD JS", "4 5 J J", "9 9 9 J", "TH JH QH KH", "4H 5C JD"])}
    if rng.random() < 0.25:
        asked = {
            "position": rng.choice(["pone:4H5CJDJS/9CKD:7H:J5", "dealer:TJQK:-:9T7", "pone:x"])
        }
    known = {"played": ["J 5", "4", "9 T 7"], "discard": ["9C KD", "9C"], "starter": ["7H", "JC"]}
    for name, chance, values in (
        ("role", 0.9 if "cards" in asked else 0.1, ["pone", "pone", "dealer"]),
        *((name, 0.4 if "cards" in asked else 0.05, values) for name, values in known.items()),
        ("opponent", 0.4, OPPONENTS), ("score", 0.25, SCORES), ("stakes", 0.2, STAKES),
    ):  # fmt: skip
        if rng.random() < chance:
            asked[name] = rng.choice(values)
    return asked


def in_python(ask, asked):
    words = {name: text for name, text in asked.items() if name not in ("cards", "position")}
    if words.pop("show_only", None):
        words["play"] = False
    return ask(asked.get("position") or asked["cards"], **words).to_dict()


def on_a_terminal(command, asked):
    words = [command, *(asked.get("position") or asked["cards"]).split(), "--format", "json"]
    for name, text in asked.items():
        if name == "role":
            words.append(f"--{text}")
        elif name == "show_only":
            words.append("--show-only")
        elif name not in ("cards", "position"):
            words.append(f"--{name}={text}")
    done = run(*words, stdin=b"")
    if done.returncode:
        assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
        raise CribevError(done.stderr.decode())
    return json.loads(done.stdout)


def answered(ask, *asked):
    """The answer as JSON has it, or None where it is refused."""
    try:
        return json.loads(json.dumps(ask(*asked)))
    except CribevError:
        return None


@pytest.mark.parametrize(("seed", "number"), [(0, 10), pytest.param(1, 40, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("command", "draw", "ask", "by_http"),
    [("advise", drawn_discard, advise, advice_json), ("play", drawn_card, advise_play, card_json)],
)
def test_one_question_has_one_answer(command, draw, ask, by_http, seed, number):
    rng, told = random.Random(seed), []
    for _ in range(number):
        asked = draw(rng)
        web = answered(by_http, asked)
        assert answered(on_a_terminal, command, asked) == web, asked
        if isinstance(web, list):  # both roles, where none is said
            assert [one["role"] for one in web] == ["dealer", "pone"]
        elif not (web and web.get("cards") == []):  # where the answer is go, Python says so
            assert answered(in_python, ask, asked) == web, asked
        told.append(web is not None)
    assert 0 < sum(told) < number


def test_the_text_of_a_question_is_an_address_too(get):
    """What the text says need not be said again, and what it says twice is refused."""
    asked = urlencode({"position": "dealer:5H5DJSQC2H8D?opponent=people"})
    assert json.loads(get(f"/api/advice?{asked}").text)["opponent"] == "people"
    refused = get(f"/api/advice?{asked}&opponent=club")
    assert (refused.status, "says the opponent: leave it out" in refused.text) == (400, True)
    asked = urlencode({"position": "pone:4H5CJDJS/9CKD:7H:J5?opponent=people"})
    assert json.loads(get(f"/api/play?{asked}").text)["opponent"] == "people"
    assert get(f"/ask?{asked}").status == 200


def test_go_is_the_answer_where_no_card_fits(get):
    go = "Say go: none of your cards (J Q K) fits a count of 26."
    get("/ask?position=dealer:TJQK:-:9T7").says(go)
    for words in (["dealer:TJQK:-:9T7"], ["T J Q K", "--dealer", "--played", "9 T 7"]):
        done = run("play", *words)
        assert (done.returncode, done.stdout.decode()) == (0, go + "\n")
    with pytest.raises(RecordError, match="say go"):
        answer("dealer:TJQK:-:9T7")


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_a_question_reads_back_from_its_text(seed):
    rng = random.Random(seed)
    for attempt in count():
        asked = drawn_discard(rng) if attempt % 2 else drawn_card(rng)
        try:
            question = Question.read(
                asked.get("position") or asked["cards"],
                role=asked.get("role"),
                played=asked.get("played"),
                discard=asked.get("discard"),
                starter=asked.get("starter"),
                score=asked.get("score"),
                opponent=asked.get("opponent"),
                stakes=asked.get("stakes"),
                play="show_only" not in asked,
            )
        except CribevError:
            continue
        assert Question.read(str(question)) == question
        assert str(Question.read(str(question))) == str(question)
        return


@pytest.mark.parametrize(
    ("cards", "known", "error", "why"),
    [
        (SIX, {"role": "dealer", "stakes": "acc"}, CribevError, "stakes 'acc' need a score"),
        (SIX, {"role": "dealer", "score": "5-8", "play": False}, CribevError, "the play into"),
        (SIX, {"role": "dealer", "opponent": "hessel"}, CribevError, "unknown opponent 'hessel'"),
        (SIX, {"role": "dealer", "opponent": 3}, CribevError, "invalid opponent '3': expected"),
        (SIX, {}, CribevError, "whose crib is it"),
        ("5H 5D JS QC 2H", {"role": "dealer"}, CardError, "expected 6 cards, got 5 in"),
        ("dealer:5H5DJSQC2H", {}, CardError, "expected 6 cards, or the 4 kept .* got 5"),
        ("4H 5C JD JS", {"role": "pone", "play": False}, CribevError, "cannot be left out"),
        ("4H 5C JD JS", {"role": "dealer"}, RecordError, "pone leads"),
        (f"dealer:{SIX}?stakes=acc&stake=1", {}, CribevError, "part of a question 'stake'"),
        (f"dealer:{SIX}@5-8?stakes=acc", {"stakes": "games"}, CribevError, "says the stakes"),
        (f"dealer:{SIX}", {"score": "x"}, CribevError, "invalid score 'x'"),
        (f"dealer:{SIX}?opponent=club&opponent=people", {}, CribevError, "opponent twice"),
        (SIX, {"role": "dealer", "oponent": "club"}, CribevError, "did you mean 'opponent'"),
        (SIX, {"role": "dealer", "score": 0}, CribevError, "invalid score '0'"),
        (SIX, {"role": "dealer", "score": "5-8", "stakes": 0}, CribevError, "unknown stakes '0'"),
    ],
)
def test_what_has_no_meaning_is_refused(cards, known, error, why):
    with pytest.raises(error, match=why):
        Question.read(cards, **known)


@pytest.mark.parametrize(
    ("command", "ask", "text"),
    [
        ("advise", advise, "dealer:2H5D5H8DJSQC@95-110?opponent=people&stakes=acc"),
        ("play", advise_play, "pone:4H5CJDJS/9CKD:7H:J5@103-104?opponent=people&stakes=games"),
    ],
)
def test_question_text_works_in_python_and_terminal(command, ask, text):
    asked = Question.read(text)
    assert json.loads(json.dumps(answer(asked).to_dict())) == on_a_terminal(
        command, {"position": text}
    )
    assert ask(text).question == asked
    with pytest.raises(CribevError, match="says the opponent: leave it out"):
        ask(text, opponent="club")
    for by_http in (advice_json, card_json):  # where no text may name a file of this machine
        for name in ("position", "cards"):
            with pytest.raises(
                CribevError, match="unknown opponent '/etc/passwd': expected expert"
            ):
                by_http({name: text.replace("people", "/etc/passwd")})


def test_a_question_is_checked_when_it_is_made():
    position = Position.parse(f"dealer:{SIX}@5-8")
    people = as_opponent("people")
    question = Question(position, people, Stakes.read("acc"))
    assert Question.read(str(question)) == question
    with pytest.raises(CribevError, match="need a score"):
        replace(question, position=replace(position, score=None))
    for wrong in ({"position": SIX}, {"opponent": "people"}, {"stakes": "acc"}):
        with pytest.raises(CribevError, match=f"expected the {min(wrong)} of a question"):
            replace(question, **wrong)
    assert answer(question).best == advise(position, opponent="people", stakes="acc").best


def test_lessons_follow_the_belief_of_the_opponent():
    told = {}
    for name in ("expert", "beginner"):
        advice = answer(Question.read("4H 5C JD JS", role="pone", opponent=name))
        held = advice.range.holdings
        holds = [
            held["chance"][[bool({*cards.split()} & {*pegging}) for cards in held["cards"]]].sum()
            for pegging in ("5TJQK", "J5")  # what pairs a five or makes fifteen with it; and a jack
        ]
        told[name] = lesson(Decision.of(advice.options, "5"))
        says = f"peg at once {holds[0]:.0%} of the time after the 5, and {holds[1]:.0%} after the J"
        assert says in told[name]
    assert told["expert"] != told["beginner"]
