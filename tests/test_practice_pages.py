"""Practice in a browser, its throws kept where those of the terminal are."""

import html
import io
import re
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from urllib.parse import parse_qs, urlencode, urlsplit

import pandas as pd
import pytest
from browsing import asked_for, legible, sized, until
from shell import good, queried, run

from cribev import review
from cribev.advice.decisions import line_text
from cribev.app.games.clock import today
from cribev.app.games.database import FILE
from cribev.app.practice.problems import cards_of, discards_of
from cribev.app.practice.session import (
    Selection,
    daily_session,
    grade_answer,
    result_line,
    summarize,
)
from cribev.app.practice.store import AGAIN, DEALT, stored_decision
from cribev.app.web.pages import card_faces
from cribev.app.web.practice import parse_address
from cribev.game.cards import format_cards

pytestmark = pytest.mark.usefixtures("folder")


def fields_of(page):
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))


def shown_on(page):
    """The cards that can be chosen."""
    return re.findall(r'name="(?:throw|lay)" value="(\w\w)"(?! disabled)', page.text)


def link_on(page, pattern):
    return html.unescape(re.search(pattern, page.text)[1])


def next_of(address):
    at = int(parse_qs(urlsplit(address).query)["at"][0])
    return address.replace(f"at={at}&", f"at={at + 1}&")


def answer_at(ask, address, chosen):
    """Answer the problem at an address; return the address of the verdict."""
    page = ask(address).text
    kind = "throw" if 'name="throw"' in page else "lay"
    return ask("/practice", {**fields_of(page), kind: chosen}).headers["location"]


@pytest.mark.slow
@pytest.mark.parametrize("play", [False, True])
def test_session_matches_the_terminal(ask, store, play):
    start, thing = ("/practice?seed=7&play=1", "Card") if play else ("/practice?seed=7", "Hand")
    problems, answers, address = list(islice((cards_of if play else discards_of)(7), 10)), [], start
    for at, problem in enumerate(problems):
        page = ask(address)
        assert (page.status, f"{thing} {at + 1} of 10" in page.words) == (200, True)
        position, number = problem.position, 1 if play else 2
        if play:
            count = f"Count {position.play.count}." if position.play.steps else "You lead."
            assert count in page.words
        shown = shown_on(page)
        assert shown == format_cards(position.legal).split()
        first = at % (len(position.legal) - number + 1)
        answers.append(grade_answer(problem, position.legal[first : first + number]))
        address = answer_at(ask, address, shown[first : first + number])
        judged = ask(address)
        words = re.sub(r"(?<=\w) (?=[♣♦♥♠])|(?<=[\w♣♦♥♠]) (?=[:,])", "", judged.words)
        assert line_text(answers[-1].decision.why).partition(": ")[2] in words
        judged.holds(f'href="/ask?position={problem.position}')
        address = link_on(judged, r'class="go" href="([^"]*)"')
    stored = store.read()
    assert [one.chosen for one in stored] == [format_cards(one.decision.chosen) for one in answers]
    assert {(one.kind, one.session) for one in stored} == {(DEALT, stored[0].session)}
    summary, found = ask(address), summarize(answers)
    told = f"{found.lost:.2f} lost with 10 cards" if play else f"{found.lost:.2f} lost in 10 hands"
    summary.says(*(f"{figure:.2f}".replace("-", "−") for figure in found.parts.values()))
    summary.says(told, f"cribev quiz {'--play ' * play}--seed 7")
    summary.holds(f'href="{html.escape(start)}"')
    ask("/practice").says("Your cards in the play" if play else "Your discards")


@pytest.mark.parametrize(
    ("kind", "chosen"),
    [("throw", cards) for cards in ([], ["AH"], ["AH", "2S", "3S"], ["AH", "5H"], ["x", "<b>"])]
    + [("lay", cards) for cards in ([], ["5H"], ["AH", "2S"], ["9H"], ["<b>"])],
)
def test_what_cannot_be_chosen_is_asked_again(ask, kind, chosen, store):
    start = "/practice?seed=7" + "&play=1" * (kind == "lay")
    fields = {**fields_of(ask(start).text), kind: chosen}
    answer = ask("/practice", fields)
    assert 'role="alert"' in answer.text
    assert ("choose two of the six cards" in answer.refusal) == (kind == "throw")
    del fields[kind]
    assert fields_of(answer.text) == fields
    assert store.read() == []


@pytest.mark.parametrize("play", [False, True])
def test_mistakes_come_back_until_they_are_chosen_well(ask, store, play):
    again = "/practice/again" + "?play=1" * play
    assert ask(again).headers["location"] == "/practice"
    address = "/practice?seed=7" + "&play=1" * play
    for chosen in ("AH", "2C") if play else ("12",) * 3:
        address = next_of(answer_at(ask, address, chosen))
    lost = sorted(store.read(), key=lambda one: -one.loss)  # what lost most is first
    assert all(one.verdict in ("mistake", "blunder", "inaccuracy") for one in lost)
    things = f"{len(lost)} {'card' if play else 'hand'}s"
    assert f"{things} come back" in ask("/practice").words
    address = ask(again).headers["location"]
    for at, (one, best) in enumerate(zip(lost, ("6D", "2S") if play else lost, strict=False)):
        title = f"{things.split()[1][:-1].title()} {at + 1} of {len(lost)}, again"
        assert title in ask(address).words
        address = next_of(answer_at(ask, address, best if play else one.best.split()))
    assert f"0.00 lost {'with' if play else 'in'} {things}" in ask(address).words
    assert [one.kind for one in store.read()] == [DEALT] * len(lost) + [AGAIN] * len(lost)
    assert ask(again).headers["location"] == "/practice"
    store.clear()
    assert ask(address).status == 404


def test_hands_at_close_scores(ask, store):
    address = ask("/practice/new?play=0&score=close&role=&seed=7&hard=1").headers["location"]
    assert address == "/practice?seed=7&score=close"
    problem = next(discards_of(7, score="close"))
    own, theirs = problem.deal.score.seen_by(problem.role)
    ask(address).says(f"You have {own} points, your opponent {theirs}.")
    judged = ask(answer_at(ask, address, ["AH", "2S"]))
    judged.says("fewer wins")
    judged.holds(f"@{own}-{theirs}&amp;mine=")
    (stored,) = store.read()
    assert (stored.kind, stored.problem.score_text) == ("scored", f"{own}-{theirs}")
    assert "Hands at a score" in ask("/practice").words
    back = ask("/practice/again").headers["location"]
    assert f"You have {own} points" in ask(back).words


def test_new_session_has_seed_and_shared_links_start(ask):
    for address in ("/practice?utm_source=mail", "/practice?fbclid=x&gclid=y"):
        ask(address).says("Discard from ten hands")
    assert ask("/practice?nonsense=1").status == 400

    def begun(query):
        return ask(f"/practice/new?{query}").headers["location"]

    address = begun("hard=1&role=pone&seed=")
    found = parse_qs(urlsplit(address).query)
    assert found.keys() == {"seed", "hard", "role"}
    hand = next(discards_of(int(found["seed"][0]), hard=True, role="pone"))
    assert shown_on(ask(address)) == format_cards(hand.held.kept).split()
    assert begun("hard=0&role=&seed=12") == begun("play=0&cards=ending&seed=12")
    assert begun("hard=0&role=&seed=12") == "/practice?seed=12"
    assert ask("/practice/new?seed=x").status == 400
    assert "of at most 39 digits" in ask("/practice/new?seed=" + "1" * 40).text
    found = parse_qs(urlsplit(begun("play=1&cards=ending&hard=1&role=&seed=")).query)
    assert found.keys() == {"seed", "play", "cards", "hard"}
    parsed = parse_address({name: values[0] for name, values in found.items()})
    assert (parsed.selection.cards, parsed.selection.hard) == (("ending",), True)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_foreign_and_repeated_throws_are_not_kept(ask, origin, store):
    fields = {**fields_of(ask("/practice?seed=7").text), "throw": ["AH", "2S"]}
    assert ask("/practice", fields, Origin=origin).status == 403
    assert ask("/practice", fields, Host="evil.example").status == 421
    assert ask("/practice", fields | {"at": "000000001" + "0" * 5000}).status == 400
    assert store.read() == []
    first, second = ask("/practice", fields), ask("/practice", fields)
    assert first.headers["location"] == second.headers["location"]
    assert len(store.read()) == 1


DAMAGED = ": it is damaged, or of another program; move it away to begin anew"


@pytest.mark.parametrize("why", [DAMAGED, " is a link that leads nowhere"])
def test_practice_goes_on_where_nothing_can_be_kept(ask, folder, why):
    folder.mkdir()
    if "link" in why:
        (folder / FILE).symlink_to(folder / FILE)
    else:
        (folder / FILE).write_text("somebody's only copy")
    page = ask("/practice")
    assert (page.status, "Nothing is saved: " in page.words, why in page.words) == (200, True, True)
    judged = ask(answer_at(ask, "/practice?seed=7", ["AH", "2S"]))
    assert re.search(rf"Discards are not saved: '\S+'{why}\.", judged.words)
    assert ask("/practice/again").status == 400


@pytest.fixture
def locked(store, folder):
    """Lock the database as another program may, after it was made."""
    store.save()
    other = sqlite3.connect(folder / FILE, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    yield other
    other.close()


@pytest.mark.slow
def test_unsaved_throw_is_reported_or_saved_later(ask, store, locked):
    address = answer_at(ask, "/practice?seed=7&done=" + "56" * 7, "12")
    locked_it = "another program has locked it"
    ask(address).says(locked_it)
    ask("/practice").says(f"{locked_it}. 1 answer waits to be saved with your next one.")
    address = answer_at(ask, next_of(address), "13")
    locked.close()
    assert "This discard is not in your history: " in ask(address).words
    summary = next_of(answer_at(ask, next_of(address), "14"))
    assert [one.number for one in store.read()] == [8, 9, 10]
    assert "7 of 10 discards are not in your history." in ask(summary).words
    assert "not saved" not in ask("/practice").words


def test_the_start_keeps_what_waits(ask, store, locked):
    answer_at(ask, "/practice?seed=7", "12")
    locked.close()
    page = ask("/practice")
    assert ("not saved" in page.words, "in 1 session" in page.words) == (False, True)
    assert len(store.read()) == 1


def test_a_lock_holds_up_no_other_page(ask, locked):
    fields = fields_of(ask("/practice?seed=7").text)
    ask("/practice?seed=7&done=12&at=1")  # valued
    start = time.monotonic()
    with ThreadPoolExecutor(10) as pool:
        posts = [
            pool.submit(ask, "/practice", {**fields, "session": f"{at}", "throw": "12"})
            for at in range(10)
        ]
        time.sleep(0.1)
        assert ask("/practice?seed=7").status == 200
        assert time.monotonic() - start < 20  # ten that wait as long as sqlite does take more
        assert {post.result().status for post in posts} == {303}
    assert locked.in_transaction


@pytest.mark.slow
def test_due_hands_are_promised_by_session(ask, store):
    thrown = (grade_answer(hand, "14") for hand in islice(discards_of(3), 30))
    rows = [stored_decision(one.problem, one.row, session="b", kind=DEALT) for one in thrown]
    store.save(*[one for one in rows if one.loss >= 0.3][:11])
    ask("/practice").says("11 hands come back", "Discard 10 of them again")
    summary = "/practice?" + urlencode({"seed": 7, "done": "56" * 10, "at": 11, "session": "a"})
    assert "Discard again what comes back (10 of 11)" in ask(summary).words
    assert "Hand 1 of 10, again" in ask(ask("/practice/again").headers["location"]).words


def test_damaged_history_is_reported_on_page(ask, folder):
    answer_at(ask, next_of(answer_at(ask, "/practice?seed=7", ["AH", "2S"])), "12")
    queried(folder, "UPDATE decisions SET at = '2026-91-21', loss = 9e999 WHERE id = 1")
    page = ask("/practice")
    assert page.status == 200
    assert "1 of 2 decisions is damaged, left out" in page.words
    assert run("history", "--format", "csv").stdout.count(b"\n") == 2


def test_first_throw_of_a_hand_counts(ask, store):
    assert "counts" not in ask(answer_at(ask, "/practice?seed=7&session=a", "12")).words
    page = ask(answer_at(ask, "/practice?seed=7&session=a", "56"))
    assert "From hand 1 you discarded AH 2S before: that discard counts." in page.words
    (kept,) = store.read()
    found = review(pd.read_csv(io.StringIO(good("history", "--format", "csv")))).decisions
    assert (kept.chosen, found["loss"].tolist()) == ("AH 2S", [kept.loss])


@pytest.mark.parametrize(
    ("width", "dark"), [(390, True), pytest.param(1100, False, marks=pytest.mark.slow)]
)
def test_practice_in_chromium(browser, site, width, dark, store):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    sized(browser, width, scheme="dark" if dark else "light", still=True)

    def looked_at(words):
        """Look at a page that says it, once keys go where they shall."""
        until(
            browser,
            """return document.querySelector('main').innerText.includes(arguments[0])
                 && (!document.querySelector('[autofocus]')
                     || document.activeElement !== document.body)""",
            words,
        )
        legible(browser, width)

    browser.get_log("browser")
    asked_for(browser)
    hands = list(islice(discards_of(7), 2))
    browser.get(f"http://{site}/practice")
    looked_at("Discard from ten hands")
    browser.get(f"http://{site}/practice?seed=7")
    for at, hand in enumerate(hands):
        looked_at(f"Hand {at + 1} of 10")
        if dark:  # a phone: by touch
            cards = browser.find_elements(By.CSS_SELECTOR, ".six label")
            for place in (4, 5):
                cards[place].click()
            assert not browser.find_elements(By.CSS_SELECTOR, ".six input:enabled:not(:checked)")
            browser.find_element(By.CSS_SELECTOR, "form .go").click()
        else:  # by keys alone
            for key in ("5", "6", Keys.ENTER):
                browser.switch_to.active_element.send_keys(key)
        looked_at(grade_answer(hand, "56").decision.why[-1].partition(": ")[2])
        browser.switch_to.active_element.send_keys(Keys.ENTER)
    thrown = [format_cards(hand.held.kept[4:]) for hand in hands]
    assert [one.chosen for one in store.read()] == thrown
    until(browser, "return new URLSearchParams(location.search).get('done') === '5656'")
    browser.get(f"http://{site}/practice?seed=7&done={'56' * 10}&at=11&session=a")
    looked_at("Hand by hand")
    browser.get(f"http://{site}/practice")
    looked_at("Your discards")
    bar = browser.find_element(By.CSS_SELECTOR, ".progress rect.lost title")
    assert "2 hands" in bar.get_attribute("textContent")
    assert browser.get_log("browser") == []
    assert {urlsplit(address).netloc for address in asked_for(browser)} == {site}


def test_a_number_lays_a_card_in_chromium(site, browser, store):
    from selenium.webdriver.common.by import By

    browser.get(f"http://{site}/practice?seed=7&play=1")
    browser.find_element(By.TAG_NAME, "body").send_keys("2")
    until(browser, "return document.title.includes('Best · Card 1 of 10')")
    assert [one.chosen for one in store.read()] == ["2S"]


@pytest.fixture
def selection(monkeypatch):
    monkeypatch.setenv("CRIBEV_TODAY", "2026-11-23")
    return Selection.of_day(today())


def answer(ask, address, problem):
    cards = problem.position.legal[: 1 + problem.is_discard]
    return answer_at(ask, address, format_cards(cards).split())


@pytest.mark.slow
def test_daily_ten_match_the_terminal(ask, store, selection):
    problems = [*islice(selection.problems(), 10)]
    faces = card_faces(format_cards(problems[0].held.kept))
    for place in ("/practice", "/play"):
        page = ask(place)
        assert page.text.index("Play today’s ten") < page.text.index("<form")
        shown = page.words.partition("The hand of the day: you deal ")[2]
        assert shown.startswith(" ".join(f"{face['rank']}{face['suit']}" for face in faces))
    for problem in problems[:3]:
        address = ask("/practice/today").headers["location"]
        assert "what you answer counts" in ask(address).words
        ask(answer(ask, address, problem))
    assert "Go on at 4 of 10" in ask("/play").words
    rest = [format_cards(one.position.legal[: 1 + one.is_discard]) for one in problems[3:]]
    assert run("quiz", "--today", stdin="\n".join(rest).encode()).returncode == 0
    page = ask(ask("/practice/today").headers["location"])
    page.says("Today’s ten, 2026-11-23: these count.", "1 day in a row; 1 of the last 30 days")
    assert result_line(selection, daily_session(store).answers) in page.text
    for place in ("/practice", "/play"):
        assert "lost in today’s ten" in ask(place).words
    assert "1 day in a row" in ask("/practice").words


def test_first_answer_counts_and_later_ones_practise(ask, store, selection):
    problem = next(selection.problems())
    address = ask("/practice/today").headers["location"]
    assert address.endswith("done=&at=1&session=20261123")
    answer(ask, address, problem)
    page = ask(answer_at(ask, address, format_cards(problem.held.kept[-2:]).split()))
    first = format_cards(problem.held.kept[:2])
    assert f"In problem 1 you chose {first} before: that answer counts." in page.words
    assert [one.chosen for one in store.read()] == [first]


def test_last_answer_can_be_undone_unless_counted(ask, store, selection):
    first, second, third, *_ = shown_on(ask("/practice?seed=7"))
    page = ask(answer_at(ask, "/practice?seed=7", [first, second]))
    page.says("Take it back")
    again = ask("/practice/back", fields_of(page.text)).headers["location"]
    assert store.read() == []
    answer_at(ask, again, [second, third])
    assert [one.chosen for one in store.read()] == [f"{second} {third}"]
    problem = next(selection.problems())
    address = answer(ask, ask("/practice/today").headers["location"], problem)
    page = ask(address)
    assert "Take it back" not in page.words
    fields = {"day": "2026-11-23", "done": parse_qs(urlsplit(address).query)["done"][0]}
    sent = ask("/practice/back", fields | {"session": "20261123"})
    assert "it stands" in sent.refusal
    assert len(store.read()) == 2


@pytest.mark.parametrize(
    ("query", "error"),
    [("?day=2026-11-24", "day='2026-11-24': expected a day from 2000-01-01 to 2026-11-23"),
     ("?day=x", "day='x': expected a day from 2000-01-01"),
     ("?day=0001-01-01", "expected a day from 2000"),
     ("?day=2026-11-20&done=121", ""),
     ("?day=2026-11-20&done=1212", "done='1212': expected two places")],
)  # fmt: skip
@pytest.mark.usefixtures("selection")
def test_addresses(ask, query, error):
    page = ask(f"/practice{query}")
    assert (page.status, error in page.words) == (400 if error else 200, True)


def test_an_old_day_counts_no_more(ask, store, selection):
    address = "/practice?day=2026-11-20&session=20261120"
    problem = next(Selection(20261120, daily=True).problems())
    fields = fields_of(ask(address).text) | {"throw": format_cards(problem.held.kept[:2]).split()}
    page = ask("/practice", fields)
    assert (page.status, "the ten of 2026-11-20 count no more" in page.words) == (400, True)
    assert (store.read(), selection.daily) == ([], True)
