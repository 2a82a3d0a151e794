"""The pages in a browser: clicked, typed, dropped, played, on a phone and on a desk."""

import re
import threading
from unittest.mock import Mock

import pytest
from asking import HOSTILE
from browsing import accessible, asked_for, covered, game_step, legible, overflowing, sized, until
from games import random_games, with_play
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from cribev import advise, format_cards
from cribev.app.web import api, review
from cribev.app.web.guard import QueueFull
from cribev.app.web.pages import web_environment
from cribev.app.web.ten import dealt_in

pytestmark = pytest.mark.usefixtures("folder")

CARDS = "5H 5D JS QC 2H 8D"
STAKED = "?position=pone:5H5DJSQC2H8D@70-88&mine=5H5D&stakes=games"
SUM = """return document.body.classList.contains('busy') ? null
  : document.querySelector('#answer .hero')?.dataset.announce"""


@pytest.fixture
def there(browser, site):
    """The browser, on the first page; nothing may be amiss at the end, nor asked for elsewhere."""
    browser.get("about:blank")
    sized(browser, 1280, 900, still=True)  # a page that scrolls slowly is clicked beside the mark
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(f"http://{site}/ask")
    yield browser
    assert browser.get_log("browser") == []
    for address in asked_for(browser):
        assert address.startswith((f"http://{site}/", "about:", "data:", f"blob:http://{site}/"))


def led_to(browser, address):
    until(browser, "return location.href === arguments[0]", address)


def headed(browser, words):
    until(browser, "return document.querySelector('h1')?.textContent === arguments[0]", words)


def looked_at(browser):
    """Look at a page on a phone by night and on a desk by day."""
    for width, height, scheme in ((360, 740, "dark"), (1280, 900, "light")):
        sized(browser, width, height, scheme=scheme, still=True)
        legible(browser, width)
        small = browser.execute_script(
            """const seen = [...document.querySelectorAll('button, input')].filter(
                 e => e.checkVisibility() && e.type !== 'hidden');
               const box = e => (e.closest('label') || e).getBoundingClientRect();
               return seen.filter(e => box(e).height < 24).map(e => e.outerHTML)"""
        )
        assert small == []
    accessible(browser)


def told(role):
    best = advise(CARDS, role=role).best
    return f"= {best.expected:.2f} on average".replace("-", "−")


def until_told(browser, role):
    """Wait until the answer of a role is there, and return it."""
    has = "return document.querySelector('#answer .hero')?.dataset.announce.includes(arguments[0])"
    until(browser, has, told(role))


@pytest.mark.slow
def test_a_question_is_clicked(there, site):
    for card in ("5 of hearts", "5 of diamonds", "jack of spades", "queen of clubs", "2 of hearts"):
        there.find_element("css selector", f'[aria-label="{card}"]').click()
    assert there.execute_script("return document.getElementById('count').textContent") == "1 more"
    assert there.execute_script(SUM) is None
    there.find_element("css selector", '[aria-label="8 of diamonds"]').click()
    until_told(there, "dealer")
    led_to(there, f"http://{site}/ask?position=dealer:5H5DJSQC2H8D")

    there.find_element("css selector", 'input[value="pone"]').click()
    until_told(there, "pone")
    rows = there.find_elements("css selector", ".rows tbody tr")
    assert len(rows) == 15
    words = there.find_elements("css selector", ".key > span")
    assert len({word.size["height"] for word in words}) == 1  # each beside its colour
    there.execute_script("arguments[0].querySelector('a').click()", rows[14])
    until(there, "return document.querySelector('.mine')?.textContent.includes('costs')")
    led_to(there, f"http://{site}/ask?position=pone:2H5D5H8DJSQC&mine=5D5H")
    there.find_element("css selector", ".rows a").click()
    led_to(there, f"http://{site}/ask?position=pone:2H5D5H8DJSQC&mine=2H8D")
    there.back()
    until(there, "return document.querySelector('.mine')?.textContent.includes('costs')")
    assert there.find_element("id", "cards").get_attribute("value") == "2H5D5H8DJSQC"

    there.back()
    until(there, "return !document.querySelector('.mine')")
    there.back()
    until_told(there, "dealer")
    there.find_element("name", "own").send_keys("115")
    there.find_element("name", "theirs").send_keys("110\t")
    led_to(there, f"http://{site}/ask?position=dealer:5H5DJSQC2H8D@115-110")
    until(there, f"{SUM}?.includes('Wins ')")
    assert len(there.find_elements("css selector", ".hero .card.up")) == 2
    there.find_element("css selector", "select[name=stakes] option[value=acc]").click()
    led_to(there, f"http://{site}/ask?position=dealer:5H5DJSQC2H8D@115-110&stakes=acc")
    until(there, "return document.querySelector('.rows thead')?.textContent.includes('worth')")
    there.find_element("css selector", "#deck summary").click()
    there.find_element("css selector", '[aria-label="8 of diamonds"]').click()
    assert there.execute_script(SUM) is None


def test_points_stand_there_before_chances(there, site, monkeypatch):
    go = threading.Event()
    advised = api.advise_discard
    monkeypatch.setattr(
        api, "_advised", lambda asked: (asked.position.score and go.wait(60), advised(asked))[1]
    )
    there.get(f"http://{site}/ask?position=pone:5H5DJSQC2H8D@115-110")
    top = "return document.querySelector('.rows tbody')?.getBoundingClientRect().top"
    before = until(there, top)
    cells = "return [...document.querySelectorAll('.rows td')].map(one => one.textContent)"
    assert there.execute_script(cells)[1:3] == ["…", "…"]
    go.set()
    until(there, f"{SUM}?.includes('Wins ')")
    assert there.execute_script(top) == before  # nothing jumps
    assert "…" not in there.execute_script(cells)


@pytest.mark.slow
def test_typed_input_survives_in_its_address(there, site):
    field = there.find_element("id", "cards")
    field.send_keys("5h 5♦ js qc h2 ")
    pressed = "return [...document.querySelectorAll('[aria-pressed=true]')].map(e => e.value)"
    until(there, f"{pressed}.join() === 'JS,2H,5H,5D,QC'")
    field.send_keys("d8")
    until_told(there, "dealer")
    there.get(f"http://{site}/ask?cards=5H5DJSQC2H8D&role=pone&mine=5H5D")
    until_told(there, "pone")
    assert len(there.execute_script(pressed)) == 6
    there.get(f"http://{site}/ask")
    text = "pone:4H5CJDJS/9CKD:7H:J5"
    there.find_element("css selector", "[name=cards]").send_keys(text + "\n")
    until(there, "return document.querySelector('main')?.innerText.includes('Play the 5')")
    there.get(f"http://{site}/ask")
    there.find_element("id", "cards").send_keys("A-2-3-4-x-x\n")
    until(there, f"{SUM}?.includes('on average')")
    led_to(there, f"http://{site}/ask?cards=A-2-3-4-x-x&role=dealer")
    there.execute_script(
        "document.querySelectorAll('.rows tbody tr')[4].querySelector('a').click()"
    )
    led_to(there, f"http://{site}/ask?position=dealer:A234-xx&mine=A-x")


def test_a_question_is_asked_by_keys_alone(there):
    there.execute_script("document.querySelector('.pick').focus()")
    keys = ActionChains(there)
    for _ in range(3):
        keys.send_keys(Keys.SPACE, Keys.ARROW_RIGHT, Keys.ENTER, Keys.ARROW_DOWN)
    keys.perform()
    assert until(there, SUM)
    assert there.execute_script(
        "return [...document.querySelectorAll('[aria-pressed=true]')].map(e => e.value).join(' ')"
    ) == "AS 2S 2H 3H 3D 4D"  # fmt: skip
    stops = there.execute_script("return document.querySelectorAll('.pick[tabindex=\"0\"]').length")
    assert stops == 1


def drop(browser, text, name):
    """Drop a file on the page, and have it reviewed."""
    browser.execute_script(
        """const moved = new DataTransfer();
           moved.items.add(new File([arguments[0]], arguments[1], {type: "text/csv"}));
           document.body.dispatchEvent(
             new DragEvent("drop", {dataTransfer: moved, bubbles: true, cancelable: true}));""",
        text, name,
    )  # fmt: skip
    focused = browser.switch_to.active_element
    assert focused.text == "Review"
    focused.click()


@pytest.mark.slow
def test_record_is_dropped_and_stepped_through(there, site):
    there.get(f"http://{site}/review")
    record = with_play(random_games(1, deals=2, seed=10)).drop(columns="score")
    drop(there, record.replace("Ann", HOSTILE).to_csv(index=False), "<img src=x>.csv")
    learn = until(there, "return document.querySelector('.learn .go')?.textContent")
    assert learn.startswith(HOSTILE)
    assert there.execute_script("return document.querySelectorAll('img').length") == 0
    assert there.execute_script("return document.querySelector('.skip').hash") == "#main"
    assert there.execute_script("return document.getElementById('main').tagName") == "MAIN"
    heights = there.execute_script(
        """for (const details of document.querySelectorAll('details')) details.open = true;
           return [...document.querySelectorAll('td > .played')].map(
             played => played.getBoundingClientRect().height)"""
    )
    assert len(heights) == 4
    assert max(heights) < 40  # the cards of a play share a line
    looked_at(there)
    there.find_element("css selector", ".learn .go").click()
    until(there, "return document.querySelector('h1').textContent.startsWith('Mistake 1 of ')")
    assert there.execute_script("return !document.querySelector('.rows, .sum, .verdict')")
    there.find_element("css selector", ".six label:nth-of-type(1)").click()
    there.find_element("css selector", ".six label:nth-of-type(2)").click()
    free = "return document.querySelectorAll('.six input:enabled').length"
    assert there.execute_script(free) == 2
    there.find_element("css selector", ".table .go").click()
    assert until(there, SUM)
    assert there.find_element("css selector", ".opened .mine")
    looked_at(there)
    there.find_element("link text", "Next →").click()
    until(there, "return document.querySelector('h1').textContent.startsWith('Mistake 2 of ')")


@pytest.mark.slow
def test_a_review_is_waited_for(there, site, data, monkeypatch):
    drawn, done = review.draw_reviewed, threading.Event()
    monkeypatch.setattr(review, "PATIENCE", 0.05)
    monkeypatch.setattr(
        review, "draw_reviewed", lambda *given, **more: done.wait(60) and drawn(*given, **more)
    )
    there.get(f"http://{site}/review")
    drop(there, "\n".join((data / "game.csv").read_text().splitlines()[:2]), "game.csv")
    headed(there, "Reviewing game.csv")
    try:
        looked_at(there)
    finally:
        done.set()
    headed(there, "Cribbage review")


@pytest.mark.parametrize(("safe", "named"), [(True, ""), (False, ""), (True, "http://table:8121")])
def test_a_result_is_copied_with_its_link(there, site, monkeypatch, safe, named):
    """On a page of another machine there is no clipboard but the old one."""
    monkeypatch.setitem(web_environment().globals, "named", named)
    first = [format_cards(dealt_in("3", number)[1][:2]) for number in range(10)]
    there.get(f"http://{site}/ten?ten=3&discards={'.'.join(first).replace(' ', '')}")
    there.execute_script(
        """window.taken = [];
           const clipboard = arguments[0]
             ? {writeText: text => { taken.push(text); return Promise.resolve(); }} : undefined;
           Object.defineProperty(navigator, 'clipboard', {value: clipboard});
           document.execCommand = () => taken.push(document.activeElement.value);""",
        safe,
    )
    there.find_element("css selector", ".ten [data-copy]").click()
    (text,) = until(there, "return taken.length ? taken : null")
    text = " ".join(text.split())
    address = rf"{named or f'http://{site}'}/ten\?ten=3"
    assert re.fullmatch(rf"10 hands of cribbage, .* points lost [🟩🟨🟧🟥]{{10}} {address}", text)
    told = until(there, "return document.activeElement.textContent")
    assert told == ("Copied" if named else "Copied: works on this machine")


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/play", "/review", f"/ask{STAKED}", "/api"])
def test_pages_work_on_phone_and_desk(there, site, path):
    there.get(f"http://{site}{path}")
    if "position" in path:
        until(there, SUM)
    looked_at(there)


WAIT = "return document.querySelector(arguments[0])?.textContent"


def at_rest(browser, width):
    """Look at a page of a game on which nothing moves any more."""
    until(browser, "return !document.getAnimations().some(one => one.playState === 'running')")
    legible(browser, width)
    assert overflowing(browser, width) == []
    assert covered(browser) == []


def begin(browser, site, *, seed, counts):
    browser.get_log("browser")
    asked_for(browser)
    browser.get(f"http://{site}/play?seed={seed}")
    choice = browser.find_element("css selector", f"input[name=count][value={counts}]")
    choice.find_element("xpath", "..").click()
    browser.find_element("css selector", ".lobby .go").click()
    until(browser, WAIT, "#game", seconds=150)


@pytest.mark.slow
def test_a_deal_is_played_on_a_phone(browser, site):
    sized(browser, 320, 900, scheme="dark")
    begin(browser, site, seed=12, counts="me")
    at_rest(browser, 320)
    deal, seen = "return document.getElementById('game').dataset.deal", set()
    while browser.execute_script(deal) == "1":
        state = browser.execute_script(
            """return document.querySelector('.count-it') ? 'count'
                 : document.querySelector('.discards') ? 'discard'
                 : document.querySelector('.play') ? 'play' : 'show'"""
        )
        if state not in seen:
            at_rest(browser, 320)
        seen.add(state)
        assert game_step(browser)
    assert seen == {"discard", "play", "show", "count"}
    # What is said comes a moment after the page that says it.
    until(browser, WAIT + ".trim()", "#said")
    here = browser.execute_script("return location.href")
    browser.refresh()
    until(browser, "return location.href === arguments[0]", here)
    assert browser.execute_script(deal) == "2"
    browser.get(f"http://{site}/play")
    assert "Go on at" in browser.find_element("css selector", ".games").text
    at_rest(browser, 320)
    assert browser.get_log("browser") == []


def test_points_stay_beneath_their_card(browser, site):
    sized(browser, 390, 844)
    browser.get(f"http://{site}/ask?position=dealer:5H5DTCTS/2H8D:4C:THTSTDgogo")
    notes = browser.find_elements("css selector", ".played small")
    assert [one.text.split() for one in notes] == [["10"], ["20", "+2"], ["30", "+6", "go", "+1"]]
    beneath = """const [note, card] = [arguments[0], arguments[0].parentElement].map(
        one => one.getBoundingClientRect());
        return note.left >= card.left - 1 && note.right <= card.right + 1"""
    assert all(browser.execute_script(beneath, one) for one in notes)


@pytest.mark.slow
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


def test_opponent_pegs_appear_after_the_card(browser, site):
    sized(browser, 1280, 900)
    begin(browser, site, seed=12, counts="page")
    browser.execute_script("window.held = []; window.setTimeout = act => held.push(act)")
    state = """return [Number(document.getElementById('their-points').textContent),
        document.querySelectorAll('.arrives').length]"""
    run = "held.splice(0).forEach(act => act())"
    before = after = browser.execute_script(state)[0]
    while after == before:
        game_step(browser)
        told, arrive = browser.execute_script(state)
        browser.execute_script(run)
        before, after = after, browser.execute_script(state)[0]
        assert told == before or not arrive
    assert arrive


FOCUSED = """const one = document.activeElement;
    return one.matches('.six input') ? 'discard' : one.matches('.play:enabled') ? 'play'
         : one.matches('#game .go') ? 'go' : one.outerHTML.slice(0, 99)"""


@pytest.mark.slow
def test_two_deals_are_played_by_the_keyboard_alone(browser, site):
    sized(browser, 1280, 900)
    begin(browser, site, seed=12, counts="page")
    state = "return document.getElementById('game').dataset.state"
    # Nothing looks chosen before somebody chooses.
    ring = "return getComputedStyle(document.querySelector('.six input + .card')).outlineStyle"
    assert browser.execute_script(ring) == "none"
    assert browser.find_element("css selector", ".discards .go.unready")
    table = browser.find_element("css selector", ".tabletop").rect

    def press(*keys, waits=True):
        before = browser.execute_script(state)
        assert browser.execute_script(FOCUSED) in ("discard", "play", "go")
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
    assert browser.execute_script(FOCUSED) == "discard"
    browser.find_element("css selector", "button[formaction$='/hint']").send_keys(Keys.ENTER)
    hint = until(browser, "return document.querySelector('.hint-box')")
    # A hint keeps what is chosen.
    assert len(browser.find_elements("css selector", ".six input:checked")) == 1
    assert hint.rect["y"] + hint.rect["height"] <= 900
    seen = set()
    while not deal().endswith("deal 2") or "play" not in seen:
        kind = browser.execute_script(FOCUSED)
        if deal().endswith("deal 2"):
            seen.add(kind)
        if kind == "discard":
            for box in browser.find_elements("css selector", ".six input:checked"):
                box.send_keys(Keys.SPACE)
            press("3", "4", Keys.ENTER)
        elif kind == "play":  # once, however impatient somebody is
            before = browser.execute_script(state)
            browser.execute_script("const one = document.activeElement; one.click(); one.click()")
            until(browser, state + " !== arguments[0]", before)
        else:
            press(Keys.ENTER)
    assert seen == {"discard", "play"}
    (refused,) = browser.get_log("browser")
    assert "422" in refused["message"]


@pytest.mark.slow
def test_focus_stays_while_game_is_reviewed(browser, site, monkeypatch):
    sized(browser, 1280, 900)
    monkeypatch.setattr("cribev.app.web.play.review_figures", lambda *_: ([], "later"))
    begin(browser, site, seed=12, counts="page")
    browser.switch_to.active_element.send_keys("3", "4", Keys.ENTER)
    until(browser, "return document.querySelector('.play')")
    browser.find_element("css selector", ".resign summary").send_keys(Keys.ENTER, Keys.TAB)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    until(browser, "return document.querySelector('[data-pending]')")
    words = "return document.activeElement.textContent"
    assert browser.execute_script(words) == "Review the game"
    browser.switch_to.active_element.send_keys(Keys.TAB)
    # Nor does a server that is busy for a moment end it.
    monkeypatch.setattr("cribev.app.web.play.review_figures", Mock(side_effect=QueueFull))
    until(browser, "return document.querySelector('#said.refused')")
    monkeypatch.setattr("cribev.app.web.play.review_figures", lambda *_: ([], ""))
    until(browser, "return !document.querySelector('[data-pending]')")
    assert browser.execute_script(words) == "Rematch"


@pytest.mark.slow
def test_a_whole_game_is_played(browser, site):
    width = 390
    sized(browser, width, 900, scheme="dark")
    begin(browser, site, seed=width, counts="page")
    steps = 0
    while game_step(browser):
        steps += 1
        if steps % 20 == 0:
            at_rest(browser, width)
        assert steps < 500
    at_rest(browser, width)
    points = [browser.find_element("id", f"{whose}-points").text for whose in ("own", "their")]
    assert max(map(int, points)) == 121
    assert min(map(int, points)) < 121
    assert browser.get_log("browser") == []
