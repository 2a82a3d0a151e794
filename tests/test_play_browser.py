"""A game in a browser, played to its end: on a desk, on phones, by day and by night."""

import pytest
from browsing import asked_for, contrast, covered, game_step, inks, overflowing, sized, until
from selenium.webdriver.common.keys import Keys

from cribev.web.guard import QueueFull

pytestmark = pytest.mark.usefixtures("folder")

WAIT = "return document.querySelector(arguments[0])?.textContent"


def looked_at(browser, width):
    """Look at a page on which nothing moves any more."""
    until(browser, "return !document.getAnimations().some(one => one.playState === 'running')")
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width, overflowing(browser, width)
    assert overflowing(browser, width) == []
    assert covered(browser) == []
    for pair in inks(browser):
        assert contrast(*pair.split("|")) >= 4.5, pair


def begin(browser, site, *, seed, counts):
    browser.get_log("browser")
    asked_for(browser)
    browser.get(f"http://{site}/play")
    choice = browser.find_element("css selector", f"input[name=count][value={counts}]")
    choice.find_element("xpath", "..").click()
    browser.find_element("id", "seed").send_keys(str(seed), Keys.ENTER)
    until(browser, WAIT, "#game", seconds=150)


def test_a_deal_is_played_on_a_phone(browser, site):
    sized(browser, 320, 900, scheme="dark")
    begin(browser, site, seed=12, counts="me")
    looked_at(browser, 320)
    seen = set()
    for _ in range(30):
        state = browser.execute_script(
            """return document.querySelector('.count-it') ? 'count'
                 : document.querySelector('.throws') ? 'throw'
                 : document.querySelector('.lay') ? 'lay' : 'show'"""
        )
        if state not in seen:
            looked_at(browser, 320)
        seen.add(state)
        before = browser.execute_script("return document.getElementById('game').dataset.deal")
        assert game_step(browser)
        if browser.execute_script("return document.getElementById('game').dataset.deal") != before:
            break
    assert seen == {"throw", "lay", "show", "count"}
    # What is said comes a moment after the page that says it.
    until(browser, WAIT + ".trim()", "#said")
    here = browser.execute_script("return location.href")
    browser.refresh()
    until(browser, "return location.href === arguments[0]", here)
    assert browser.execute_script("return document.getElementById('game').dataset.deal") == "2"
    browser.get(f"http://{site}/play")
    assert "Go on at" in browser.find_element("css selector", ".games").text
    looked_at(browser, 320)
    assert browser.get_log("browser") == []


def test_points_stay_beneath_their_card(browser, site):
    sized(browser, 390, 844)
    browser.get(f"http://{site}/ask?position=dealer:5H5DTCTS/2H8D:4C:THTSTDgogo")
    notes = browser.find_elements("css selector", ".laid small")
    assert [one.text.split() for one in notes] == [["10"], ["20", "+2"], ["30", "+6", "go", "+1"]]
    beneath = """const [note, card] = [arguments[0], arguments[0].parentElement].map(
        one => one.getBoundingClientRect());
        return note.left >= card.left - 1 && note.right <= card.right + 1"""
    assert all(browser.execute_script(beneath, one) for one in notes)


@pytest.mark.parametrize("still", [False, True])
def test_pegs_move_unless_nothing_may(browser, site, still):
    sized(browser, 1280, 900, still=still)
    begin(browser, site, seed=12, counts="page")
    browser.execute_script(
        """window.moved = 0;
           document.addEventListener('transitionrun', event => {
             if (event.target.matches('.peg.front')) moved++;
           });"""
    )
    own = "return Number(document.getElementById('own-points').textContent)"
    while not browser.execute_script(own):
        game_step(browser)
    if not still:
        until(browser, "return moved")
    assert bool(browser.execute_script("return moved")) != still
    # A card that still arrives cannot be seen, and what cannot be seen has no text.
    pegged = "return [...document.querySelectorAll('.laid .you .pegs')].map(one => one.textContent)"
    assert sum(map(int, browser.execute_script(pegged))) > 0 or browser.find_elements("id", "shown")


FOCUSED = """const one = document.activeElement;
    return one.matches('.six input') ? 'throw' : one.matches('.lay:enabled') ? 'lay'
         : one.matches('#game .go') ? 'go' : one.outerHTML.slice(0, 99)"""


def test_two_deals_are_played_by_the_keyboard_alone(browser, site):
    sized(browser, 1280, 900)
    begin(browser, site, seed=12, counts="page")
    state = "return document.getElementById('game').dataset.state"
    # Nothing looks chosen before somebody chooses.
    ring = "return getComputedStyle(document.querySelector('.six input + .card')).outlineStyle"
    assert browser.execute_script(ring) == "none"
    assert browser.find_element("css selector", ".throws .go.unready")
    table = browser.find_element("css selector", ".tabletop").rect

    def press(*keys, waits=True):
        before = browser.execute_script(state)
        assert browser.execute_script(FOCUSED) in ("throw", "lay", "go")
        browser.switch_to.active_element.send_keys(*keys)
        if waits:
            until(browser, state + " !== arguments[0]", before)

    def deal():
        return browser.find_element("css selector", "#game h1").get_attribute("textContent")

    # An error pushes nothing away, and the keys go on, wherever somebody clicked before.
    browser.find_element("css selector", ".asks").click()
    browser.switch_to.active_element.send_keys("1", Keys.ENTER)
    until(browser, "return document.querySelector('#said.refused')?.textContent.trim()")
    assert browser.find_element("css selector", ".tabletop").rect == table
    assert browser.execute_script(FOCUSED) == "throw"
    browser.find_element("css selector", "button[formaction$='/hint']").send_keys(Keys.ENTER)
    hint = until(browser, "return document.querySelector('.hint-box')")
    # A hint keeps what is chosen.
    assert len(browser.find_elements("css selector", ".six input:checked")) == 1
    assert hint.rect["y"] + hint.rect["height"] <= 900
    seen = set()
    while not deal().endswith("deal 2") or "lay" not in seen:
        kind = browser.execute_script(FOCUSED)
        if deal().endswith("deal 2"):
            seen.add(kind)
        if kind == "throw":
            for box in browser.find_elements("css selector", ".six input:checked"):
                box.send_keys(Keys.SPACE)
            press("3", "4", Keys.ENTER)
        elif kind == "lay":  # once, however impatient somebody is
            before = browser.execute_script(state)
            browser.execute_script("const one = document.activeElement; one.click(); one.click()")
            until(browser, state + " !== arguments[0]", before)
        else:
            press(Keys.ENTER)
    assert seen == {"throw", "lay"}
    (refused,) = browser.get_log("browser")
    assert "422" in refused["message"]


def full(*_):
    raise QueueFull


def test_the_focus_stays_at_the_end_while_the_game_is_reviewed(browser, site, monkeypatch):
    sized(browser, 1280, 900)
    monkeypatch.setattr("cribev.web.play.review_figures", lambda *_: ([], "later"))
    begin(browser, site, seed=12, counts="page")
    browser.switch_to.active_element.send_keys("3", "4", Keys.ENTER)
    until(browser, "return document.querySelector('.lay')")
    browser.find_element("css selector", ".resign summary").send_keys(Keys.ENTER, Keys.TAB)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    until(browser, "return document.querySelector('[data-pending]')")
    words = "return document.activeElement.textContent"
    assert browser.execute_script(words) == "Review the game"
    browser.switch_to.active_element.send_keys(Keys.TAB)
    # Nor does a server that is busy for a moment end it.
    monkeypatch.setattr("cribev.web.play.review_figures", full)
    until(browser, "return document.querySelector('#said.refused')")
    monkeypatch.setattr("cribev.web.play.review_figures", lambda *_: ([], ""))
    until(browser, "return !document.querySelector('[data-pending]')")
    assert browser.execute_script(words) == "Rematch"


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_whole_game_is_played(browser, site, width, scheme):
    sized(browser, width, 900, scheme=scheme)
    begin(browser, site, seed=width, counts="page" if scheme == "light" else "me")
    steps = 0
    while game_step(browser):
        steps += 1
        if steps % 7 == 0:
            looked_at(browser, width)
        assert steps < 500
    looked_at(browser, width)
    points = [browser.find_element("id", f"{whose}-points").text for whose in ("own", "their")]
    assert max(map(int, points)) == 121
    assert min(map(int, points)) < 121
    assert browser.get_log("browser") == []
