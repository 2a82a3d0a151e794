"""Answers on Ask, drawn from what a server says and from what a file without one works out."""

import re
from urllib.parse import quote

import pytest
from browsing import accessible, legible, sized, until
from selenium.webdriver.common.keys import Keys

pytestmark = pytest.mark.usefixtures("folder")

SIX = "position=pone:5H5DJSQC2H8D"


@pytest.fixture(params=["server", "file"])
def page(request, browser):
    """Ask in a browser, of each kind, by the beginning of its addresses."""
    browser.get("about:blank")
    sized(browser, 1280, 900, still=True)
    if request.param == "file":
        browser.asks = request.getfixturevalue("pocket_file").as_uri() + "#"
    else:
        browser.asks = f"http://{request.getfixturevalue('site')}/ask?"
    browser.get(browser.asks)
    browser.get_log("browser")
    return browser


def asked(page, address):
    """Ask what an address asks, and return what the page says when it is done."""
    page.get("about:blank")
    page.get(page.asks + address)
    until(
        page,
        """return document.querySelector('#answer .hero, #answer .counted, .wrong:not(:empty)')
             && !document.body.classList.contains('busy')""",
    )
    return words_of(page, "#asking, main")


def words_of(page, selector):
    said = page.execute_script("return document.querySelector(arguments[0]).innerText", selector)
    return " ".join(said.split())


GIVES = (
    r"5♦5♥ costs 15\.5\d: blunder\. Beside the best, 2♥8♦, you give 10\.61 in hand and 5\.1\d "
    r"in your opponent’s crib for 0\.20 in the play: 15\.5\d less in all\. "
    r"The best is ahead whatever is cut\."
)
EXPECTED = {
    f"{SIX}&mine=5H5D": [
        r"Discard 2♥8♦",
        r"Ahead of 8♦Q♣, the next best, after 36 of the 46 starters\.",
        r"hand crib play average loses 2♥8♦",
        r"2♥8♦ 12\.70 10–21 −4\.5\d 0–16 −1\.9\d 6\.2\d 8♦Q♣",  # mean, least and most
        r"5♥Q♣ 6\.13 4–11 −7\.4\d 2–22 −1\.6\d −\d\.\d\d 9\.2\d equal",
        GIVES,
        r"Locked in 10: fifteen two, fifteen four, fifteen six, fifteen eight, and a pair is ten\.",
        r"In the play you peg 1\.68 and your opponent 3\.5\d\.",
    ],
    f"{SIX}&mine=8D2H": [
        r"2♥8♦ is best\. Beside 8♦Q♣ you give 0\.(39|40) in your opponent’s crib and 0\.48 in the ",
        r"play for 4\.00 in hand: 3\.1\d more in all\. It is ahead after 36 of the 46 starters\.",
    ],
    "position=dealer:5H5DJSQC2H8D@95-110": [
        r"Best discard at this score",
        r"At 95–110 You need 26, your opponent needs 11 and counts first\.",
        r"You are 12 holes short of position \(hole 107\), and win 14\.\d% before the deal\.",
        r"Also the best discard by points\.",
        r"wins loses hand crib play average",
    ],
    "position=dealer:5H5DJSQC2H8D@60-62": [r"position \(hole \d+\)"],
    "position=pone:AS5C6D9HTSKS": [
        r"Against ordinary players discard 10♠K♠ instead: 0\.[34]\d better\.",
    ],
    "position=dealer:2589JK": [r"Suits that you left out are averaged over\.", r"Discard 89"],
    "cards=5C6D7DQH6H": [
        r"5♣6♦7♦Q♥ and the starter 6♥ count 10: fifteen two, .*and a double run of three is ten",
    ],
    "cards=5H5D": [r"Six cards to ask which two to discard; five, the starter last, to count them"],
    "cards=5H <i>": [r"invalid card '<i>'"],
    f"{SIX}@121-3": [r"invalid score '121-3': expected "],
}  # fmt: skip


@pytest.mark.slow
def test_both_engines_say_the_same(page):
    for address, patterns in EXPECTED.items():
        said = asked(page, address)
        for pattern in patterns:
            assert re.search(pattern, said), (pattern, said[:3000])


def test_what_is_wrong_stands_at_its_field(page):
    asked(page, f"{SIX}@121-3")
    wrong = "return [...document.querySelectorAll('[aria-invalid]')].map(one => one.name)"
    assert page.execute_script(wrong) == ["own", "theirs"]
    for name in ("own", "theirs"):
        page.find_element("name", name).clear()
    field = page.find_element("id", "cards")
    field.clear()
    field.send_keys("5h 5d <img src=x>", Keys.ENTER)
    until(page, "return document.getElementById('wrong').textContent.includes('<img')")
    assert page.execute_script(wrong) == ["cards"]
    assert page.execute_script("return document.querySelectorAll('img').length") == 0
    page.find_element("id", "clear").click()
    until(page, "return document.querySelector('.hint')")
    assert page.execute_script(wrong) == []


def test_an_answer_is_read_aloud_and_opened_by_keys(page):
    asked(page, SIX)
    aloud = "return document.getElementById('announcement').textContent"
    said = page.execute_script(aloud)
    assert said.startswith("Discard 2 of hearts, 8 of diamonds; keep 5 of diamonds, 5 of hearts, ")
    page.find_elements("css selector", ".rows tbody a")[14].send_keys(Keys.ENTER)
    until(page, "return document.querySelector('.mine')")
    said = page.execute_script(aloud)
    assert re.fullmatch(r"Your discard, 5 of diamonds, 5 of hearts: costs 15\.5\d, blunder\.", said)
    assert page.execute_script("return document.activeElement.ariaCurrent") == "true"
    assert page.current_url.endswith("&mine=5D5H")
    page.back()
    until(page, "return !document.querySelector('.mine')")


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 1280])
def test_answers_fit_and_are_legible(page, width):
    for address in (f"{SIX}@60-62&mine=5D8D", "position=dealer:2589JK&mine=2K"):
        asked(page, address)
        for scheme in ("light", "dark"):
            sized(page, width, 740, scheme=scheme, still=True)
            legible(page, width)
        accessible(page)


def test_a_position_that_cannot_be_read_is_told_once(browser, site):
    for text in ('dealer:<img src=x onerror="window.hit=1">', "pone:4H5CJDJS:7H:JX", "pone:4H:"):
        browser.get(f"http://{site}/ask?position={quote(text)}")
        until(browser, "return document.getElementById('wrong').textContent")
        assert browser.execute_script("return [window.hit, document.images.length]") == [None, 0]


def press(page, *cards):
    for card in cards:
        page.find_element("css selector", f".pick[value='{card}']").click()


def prompt(page):
    return page.execute_script("return document.getElementById('count').textContent")


def test_a_card_to_play_is_asked_for_by_tapping(page):
    heading = page.find_element("id", "heading")
    assert heading.text == "Which two cards go to the crib?"
    for value in ("card", "pone"):
        page.execute_script(f"document.querySelector('[value={value}]').click()")
    assert heading.text == "Which card to play?"
    press(page, "4H", "5C", "JD", "JS")
    assert prompt(page) == "Tap the two you discarded."
    page.find_element("css selector", "[data-tap='-']").click()
    press(page, "7H", "JD")
    assert prompt(page) == "Tap what your opponent played, at 10."
    press(page, "5C")
    assert "known already" in page.find_element("id", "wrong").text
    press(page, "KS")
    page.find_element("css selector", "[data-tap=undo]").click()
    press(page, "5S")
    assert prompt(page) == "Your turn, at 15."
    position = "pone:4H5CJDJS:7H:JD5S"
    assert page.find_element("id", "cards").get_attribute("value") == position
    page.find_element("css selector", "#ask .go").click()
    if page.asks.startswith("file:"):
        until(page, "return document.querySelector('#answer .position')")
        said = words_of(page, "#answer")
        assert "This file does not know the play" in said
        assert position in said
    else:
        until(page, "return document.querySelector('h1').textContent.startsWith('Play the ')")
        said = words_of(page, "main")
        assert "What your opponent may hold" in said
        assert "How often your opponent answers with" in said
        legible(page, 1280)
        accessible(page)
    assert prompt(page) == "Your turn, at 15."  # and goes on from there
    page.execute_script("document.getElementById('deck').open = true")
    page.find_element("css selector", "[data-tap=undo]").click()
    assert page.find_element("css selector", "h1").text == "Which card to play?"
