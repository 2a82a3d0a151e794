"""Practice at the play in a browser's pages."""

import http.client
import re
from itertools import islice
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from asking import Answer
from browsing import until
from markup import Whole

from cribev.advice.decisions import line_text
from cribev.game.cards import format_cards
from cribev.practice.problems import cards_of
from cribev.practice.session import grade_answer, summarize
from cribev.practice.store import AGAIN, DEALT
from cribev.web.practice import parse_address

pytestmark = pytest.mark.usefixtures("folder")
START = "/practice?seed=7&play=1"


@pytest.fixture
def ask(site):
    def ask(path, fields=None):
        connection = http.client.HTTPConnection(site, timeout=300)
        headers = {}
        if fields is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        try:
            body = None if fields is None else urlencode(fields, doseq=True)
            connection.request("GET" if body is None else "POST", path, body, headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    return ask


def fields_of(page):
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))


def test_a_session_of_ten_cards_is_that_of_the_terminal(ask, store):
    spots = list(islice(cards_of(7), 10))
    lays, address = [], START
    for at, spot in enumerate(spots, 1):
        page = ask(address)
        Whole(page.text)
        assert f"Card {at} of 10" in page.words
        count = spot.position.play.count
        assert (f"Count {count}." if spot.position.play.steps else "You lead.") in page.words
        fits = re.findall(r'name="lay" value="(\w\w)">', page.text)
        assert fits == format_cards(spot.position.legal).split()
        card = spot.position.legal[at % len(spot.position.legal)]
        lays.append(grade_answer(spot, [card]))
        answer = ask("/practice", {**fields_of(page.text), "lay": format_cards([card])})
        assert answer.status == 303
        judged = ask(answer.headers["location"])
        Whole(judged.text)
        words = re.sub(r"(?<=\w) (?=[♣♦♥♠])|(?<=[\w♣♦♥♠]) (?=[:,])", "", judged.words)
        assert line_text(lays[-1].decision.why).partition(": ")[2] in words
        address = re.search(r'class="go" href="([^"]*)"', judged.text)[1].replace("&amp;", "&")
    stored = store.read()
    assert [one.chosen for one in stored] == [format_cards(one.decision.chosen) for one in lays]
    assert {(one.kind, one.session) for one in stored} == {(DEALT, stored[0].session)}
    summary = ask(address)
    Whole(summary.text)
    assert f"{summarize(lays).lost:.2f} lost with 10 cards" in summary.words
    assert "cribev quiz --play --seed 7" in summary.words
    assert 'href="/practice?seed=7&amp;play=1"' in summary.text
    start = ask("/practice")
    Whole(start.text)
    assert "Your cards in the play" in start.words
    latest = re.search(r'<a href="([^"]*)">\d{4}-', start.text)[1].replace("&amp;", "&")
    assert f"{summarize(lays).lost:.2f} lost with 10 cards" in ask(latest).words


@pytest.mark.parametrize("laid", [[], ["5H"], ["AH", "2S"], ["9H"], ["<b>"]])
def test_what_is_no_card_is_asked_again(ask, laid, store):
    fields = {**fields_of(ask(START).text), "lay": laid}
    answer = ask("/practice", fields)
    assert answer.status == 400
    Whole(answer.text)
    assert 'role="alert"' in answer.text
    assert store.read() == []


def test_cards_come_back_until_they_are_laid_well(ask, store):
    assert ask("/practice/again?play=1").headers["location"] == "/practice"
    spots = list(islice(cards_of(7), 2))
    for spot, card in zip(spots, ("AH", "2C"), strict=True):
        assert grade_answer(spot, card).decision.verdict in ("mistake", "blunder")
    address = START
    for card in ("AH", "2C"):
        fields = fields_of(ask(address).text)
        address = ask("/practice", {**fields, "lay": card}).headers["location"]
        address = re.sub(r"at=\d+", lambda at: f"at={int(at[0][3:]) + 1}", address)
    assert "2 cards come back" in ask("/practice").words
    address = ask("/practice/again?play=1").headers["location"]
    for at, card in enumerate(("6D", "2S"), 1):  # what lost most is first
        page = ask(address)
        assert f"Card {at} of 2, again" in page.words
        address = ask("/practice", {**fields_of(page.text), "lay": card}).headers["location"]
        address = address.replace(f"at={at}", f"at={at + 1}")
    assert "0.00 lost with 2 cards" in ask(address).words
    assert [one.kind for one in store.read()] == [DEALT, DEALT, AGAIN, AGAIN]
    assert ask("/practice/again?play=1").headers["location"] == "/practice"
    store.clear()
    assert ask(address).status == 404


@pytest.mark.parametrize(
    "address",
    [
        "seed=7&play=1&done=5", "seed=7&play=1&done=x", "seed=7&play=1&thrown=12",
        "seed=7&done=1", "seed=7&play=1&cards=king", "seed=7&play=1&cards=lead&role=dealer",
        "seed=7&play=1&at=2", "play=1&again=x", "play=1&again=0123456789ab&done=6",
        "seed=7&play=maybe",
        "seed=7&play=1&done=" + "1" * 11, "seed=7&play=1&done=3", "play=1",
    ],
)  # fmt: skip
def test_what_is_no_session_of_cards_is_told_in_a_line(ask, address):
    answer = ask("/practice?" + address)
    assert answer.status == 400
    Whole(answer.text)


def test_a_session_of_cards_is_dealt_by_a_seed(ask):
    address = ask("/practice/new?play=1&cards=ending&hard=1&role=&seed=").headers["location"]
    found = parse_qs(urlsplit(address).query)
    assert found.keys() == {"seed", "play", "cards", "hard"}
    parsed = parse_address({name: values[0] for name, values in found.items()})
    assert (parsed.selection.cards, parsed.selection.hard) == (("ending",), True)
    discards = ask("/practice/new?play=0&cards=ending&seed=12").headers["location"]
    assert discards == "/practice?seed=12"


def test_a_number_lays_a_card_in_chromium(site, browser, store):
    from selenium.webdriver.common.by import By

    browser.get(f"http://{site}{START}")
    browser.find_element(By.TAG_NAME, "body").send_keys("2")
    until(browser, "return document.title.includes('Best · Card 1 of 10')")
    assert [one.chosen for one in store.read()] == ["2S"]
