"""The page that advises without a server, opened as a file and as a site."""

import re
import subprocess
import sys
import threading
from base64 import b64encode
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pandas as pd
import pytest
from browsing import accessible, asked_for, legible, sized, until
from node import in_node
from selenium.webdriver.common.keys import Keys
from shell import refused, run

from cribev import evaluate, format_cards
from cribev.advice.verdicts import DEFAULT_BANDS, WIN_BANDS, verdicts
from cribev.app.pocket.page import BANDS, OPPONENTS, SITE_FILES, TABLES
from cribev.game.cards import RANKS, random_hands
from cribev.game.roles import ROLES
from cribev.game.score import Score
from cribev.solution.solution import load

PARTS = ["hand", "crib", "play", "expected"]
CARDS = "5H 5D JS QC 2H 8D"


@pytest.fixture
def page(browser, pocket_file):
    """The page, opened; it may ask for nothing, and nothing may be amiss at the end."""
    browser.get("about:blank")
    sized(browser, 1280, 900, still=True)
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(pocket_file.as_uri())
    yield browser
    assert browser.get_log("browser") == []
    assert {address.partition("#")[0] for address in asked_for(browser)} <= {
        pocket_file.as_uri(), "about:blank"
    }  # fmt: skip


FILES = ["web/static/cribbage", "pocket/advice"]


def advice(script, *arguments):
    """Run a script, in node, that knows the tables and the rules of advice."""
    packed = b64encode(TABLES.read_bytes()).decode()
    unpacking = "const [packed, bands, ...input] = arguments; await unpack(packed, bands);"
    return in_node(FILES, f"{unpacking} {script}", packed, BANDS, *arguments)


def advised(hands, **asked):
    """What the page says of many hands: a row for each discard, the best first."""
    scored = "(hand, i) => advise(hand, {...input[1], score: input[1].scores?.[i]})"
    answers = advice(f"return input[0].map({scored})", hands, asked)
    rows = [
        {**row, "at": at, "discard": " ".join(row["discard"]), "keep": " ".join(row["keep"])}
        for at, rows in enumerate(answers)
        for row in rows
    ]
    return pd.DataFrame(rows)


def beside(rows, deals, **more):
    """The same rows as `evaluate` has them."""
    deals = deals.assign(at=range(len(deals)))
    found = evaluate(deals, every_discard=True, **more)
    found.columns = [name.removesuffix("_mean") for name in found.columns]
    both = rows.merge(found, on=["at", "discard"], suffixes=("", "_known"))
    assert len(both) == len(rows) == len(found)
    return both


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("opponent", OPPONENTS)
def test_discards_are_worth_what_evaluate_says(role, opponent):
    hands = [format_cards(hand) for hand in random_hands(200, seed=len(opponent + role))]
    rows = advised(hands, role=role, opponent=opponent)
    deals = pd.DataFrame({"cards": hands, "role": role})
    both = beside(rows, deals, opponent=opponent)
    for part in PARTS:
        off = (both[part] - both[f"{part}_known"]).abs()
        assert off.max() <= (1e-9 if part == "hand" else 0.02), part
    assert (both["keep"] == both["keep_known"]).all()
    first = both.groupby("at").first()  # the page's best
    assert (first["expected_known"] + 0.02 >= both.groupby("at")["expected_known"].max()).all()


@pytest.mark.slow
def test_hands_without_suits_are_averaged():
    random = np.random.default_rng(3)
    hands = [" ".join(RANKS[card >> 2] for card in random.choice(52, 6, False)) for _ in range(60)]
    hands += ["5 5 5 5 J J", "A A A A 2 2", "J J J J 5 5", "3 3 3 4 4 4"]
    for role in ("dealer", "pone"):
        both = beside(advised(hands, role=role), pd.DataFrame({"cards": hands, "role": role}))
        for part in PARTS:
            assert (both[part] - both[f"{part}_known"]).abs().max() <= 0.02, part


@pytest.mark.slow
@pytest.mark.parametrize("role", ["dealer", "pone"])
@pytest.mark.parametrize(
    ("number", "least", "most", "rms", "best", "suited"),
    [
        (100, 41, 121, 0.001, 1, True), (60, 17, 31, 0.006, 0.95, True),
        (100, 8, 16, 0.011, 0.95, True), (10, 8, 16, 0.02, 0.9, False),
        (40, 1, 7, 0.02, None, True),
    ],
)  # fmt: skip
def test_score_decides(number, least, most, rms, best, suited, role):
    random = np.random.default_rng(least)
    needs = random.integers(least, most + 1, (number, 2))
    needs[: number // 4, 0] = random.integers(32, 90, number // 4)  # one player is far behind
    scores = [f"{121 - own}-{121 - other}" for own, other in needs]
    hands = [format_cards(hand) for hand in random_hands(number, seed=most)]
    if not suited:
        hands = [" ".join(card[0] for card in hand.split()) for hand in hands]
    rows = advised(hands, role=role, scores=scores)
    assert (rows.groupby("at")["win"].diff().fillna(0) <= 1e-9).all()
    both = beside(rows, pd.DataFrame({"cards": hands, "role": role, "score": scores}))
    assert np.sqrt(((both["win"] - both["win_known"]) ** 2).mean()) < rms
    if best is None:
        return
    of_best = both.groupby("at")["win_known"]
    assert (of_best.max() - of_best.first() <= 0.005).mean() >= best


def test_near_the_end_nothing_is_told_for_sure(page, pocket_file):
    position = "pone:7H8C8D9SQHKC@119-118"
    page.get(pocket_file.as_uri() + f"#position={position}&mine=8C8D")
    shown(page, "Too close")
    told = page.execute_script("return document.getElementById('answer').textContent")
    rows = advised(["7H 8C 8D 9S QH KC"], role="pone", scores=["119-118"])
    close = rows["discard"][rows["win"] >= rows["win"].max() - 0.03]
    assert len(close) > 1
    head = page.find_element("css selector", ".hero h2").get_attribute("textContent")
    assert head.startswith("Too close to tell: ")
    assert len(page.find_elements("css selector", ".hero h2 .k")) == len(close)
    assert f"{rows['win'].max():.0%}" in told
    assert "chances here may be 3 in 100 off" in told
    assert "wins about " in page.find_element("css selector", ".mine").text
    assert f"cribev advise {position} is exact" in told
    assert not re.search(
        r"\d\.\d%|blunder|mistake|inaccuracy|costs|is best|changes the answer", told
    )
    graded = advice("return grade(['7H', '8C', '8D', '9S'], ['QH', 'KC'], 'pone', [119, 118])")
    assert {(one["verdict"], one["unit"]) for one in graded} == {("", "")}
    page.get(pocket_file.as_uri() + "#position=pone:7H8C8D9SQHKC@113-110")  # eight are needed
    shown(page, "Discard ")
    assert "Too close" not in page.find_element("css selector", ".hero").text


def test_verdicts_are_those_of_a_review():
    units, losses = {"points": DEFAULT_BANDS, "wins": WIN_BANDS}, [0.0, 1e-12, 1e-6, 2.5]
    losses += [
        least + off for bands in units.values() for least in bands for off in (-1e-6, 0, 1e-6)
    ]
    # Far from the end points decide, though chances to win are known.
    rows = [{"expected": 3.0, "win": 0.5}, {"expected": 3.5, "win": 0.49}]
    script = """const [losses, units, rows] = input;
        return [units.map((unit) => losses.map((lost) => verdictOf(lost, unit))),
                [false, true].map((near) => rows.map((own) => judge(rows, own, near).verdict))]"""
    named, judged = advice(script, losses, [*units], rows)
    assert named == [verdicts(losses, bands).tolist() for bands in units.values()]
    assert judged == [["inaccuracy", "best"], ["best", "close"]]


REFUSED = [
    ("advise('5H 5D JS QC 2H')", "'5H 5D JS QC 2H': expected 6 cards, not 5"),
    ("advise('5H 5D JS QC 2H 2H')", "'5H 5D JS QC 2H 2H': 2H comes twice"),
    ("advise('5H 5D JS QC 2H 1X')", "invalid card '1X': expected one as 5H"),
    ("advise('A-2-3-4-x-x')", "x, any ten-card, is averaged by cribev advise, not here"),
    ("advise('5H 5D JS QC 2H 8')", "'5H 5D JS QC 2H 8': 8 has no suit, and others have one"),
    ("advise('5 5 5 5 5 8')", "'5 5 5 5 5 8': 5 comes five times"),
    ("advise('5H 5D JS QC 2H 1C')", "'1C' in '5H 5D JS QC 2H 1C' may be the ace or the ten"),
    ("advise('5H 5D JS QC 2H 8D', {score: '9-8*'})", "'9-8*': the star is not at the dealer's"),
    ("advise('')", "'': expected 6 cards, not 0"),
    ("advise(null)", "invalid card 'null': expected one as 5H"),
    ("advise('5H\\n<b>')", "invalid card '<b>': expected one as 5H"),
    ("advise('2 5 8 9 J K', {role: 'cat'})", "invalid role 'cat': expected dealer or pone"),
    (
        "advise('2 5 8 9 J K', {opponent: 'Ann'})",
        "invalid opponent 'Ann': expected expert or people",
    ),
    (
        "advise('2 5 8 9 J K', {score: '121-3'})",
        "invalid score '121-3': expected points from 0 to 120, yours first, as 95-110",
    ),
    ("countsOf('5C 6D 7D QH 6')", "'5C 6D 7D QH 6': 6 has no suit"),
]


def test_invalid_input_is_quoted_in_one_line():
    calls = ", ".join(f"() => {call}" for call, _ in REFUSED)
    tried = "call => { try { call() } catch (error) { return error.message } }"
    script = f"return [{calls}].map({tried})"
    for (call, told), message in zip(REFUSED, advice(script), strict=True):
        assert message.startswith(told), call
        assert "\n" not in message


def shown(page, words):
    until(
        page, "return document.getElementById('answer').textContent.includes(arguments[0])", words
    )


def test_a_question_is_tapped_typed_and_linked_to(page, pocket_file):
    for name in ("5 of hearts", "5 of diamonds", "jack of spades", "queen of clubs", "2 of hearts"):
        page.find_element("css selector", f'[aria-label="{name}"]').click()
    page.switch_to.active_element.send_keys(Keys.ARROW_LEFT, Keys.ARROW_RIGHT)
    page.find_element("css selector", '[aria-label="8 of diamonds"]').send_keys(Keys.SPACE)
    shown(page, "17.19")
    assert page.current_url.endswith("#position=dealer:5H5DJSQC2H8D")
    assert len(page.find_elements("css selector", ".hero .card.up")) == 2
    assert len(page.find_elements("css selector", "rect.shade")) == 46

    page.find_element("css selector", "input[value=pone]").click()
    shown(page, "−4.55")
    page.find_element("css selector", "input[value=people]").click()
    until(page, "return location.hash.endsWith('opponent=people')")
    page.find_element("name", "own").send_keys("60")
    page.find_element("name", "theirs").send_keys("62\t")
    par = load(play=True).win_table.par(Score.read("60-62", "pone"), "pone")
    shown(page, f"position (hole {par.even}), and win {par.win:.1%} before the deal")

    page.get(pocket_file.as_uri() + "#position=dealer:2589JK@110-100&opponent=people")
    page.refresh()
    chosen = "return document.getElementById('ask').elements.opponent.value"
    until(page, f"{chosen} === 'people'")
    page.get(pocket_file.as_uri() + "#position=dealer:2589JK@110-100")
    until(page, f"{chosen} === 'expert'")
    shown(page, "12.39")
    shown(page, "may be 1 in 100 off. cribev advise dealer:2589JK@110-100 is exact")
    field = page.find_element("id", "cards")
    page.find_element("id", "clear").click()
    until(page, "return document.querySelector('.hint')")
    assert field.get_attribute("value") == ""
    assert page.current_url.endswith("#")
    field.send_keys("5h5d")
    page.find_element("id", "clear").click()
    until(page, "return document.getElementById('count').textContent === 'Six cards'")


DISCARD = """const cards = [...document.querySelectorAll('[data-discard]')];
cards.slice(0, 2).map(one => one.click());
return cards.map(one => one.dataset.discard).join(' ')"""


def test_ten_hands_wait_for_two_cards(page, pocket_file):
    page.find_element("id", "deal").click()
    shown(page, "Hand 1 of 10. The crib is yours: which two do you discard?")
    hands = []
    for number in range(1, 11):
        shown(page, f"Hand {number} of 10. ")
        assert not page.find_elements("css selector", ".hero")
        if number == 1:
            legible(page, 1280)
        hands.append(page.execute_script(DISCARD))
        shown(page, "All 15 discards")
        page.find_element("css selector", ".ten .go").click()
    shown(page, "10 hands, ")
    accessible(page)
    roles = ["dealer", "pone"] * 5
    discarded = [" ".join(hand.split()[:2]) for hand in hands]
    lost = [
        rows["expected"].max() - rows["expected"][rows["discard"] == own].iloc[0]
        for hand, role, own in zip(hands, roles, discarded, strict=True)
        for rows in [advised([hand], role=role)]
    ]
    shown(page, f"10 hands, {sum(lost):.2f} points lost")
    copied = page.find_element("css selector", "[data-text]").get_attribute("data-text")
    assert copied.startswith(f"10 hands of cribbage, {sum(lost):.2f} points lost\n")
    page.find_element("link text", "these ten").click()
    shown(page, "Hand 1 of 10")
    assert page.execute_script(DISCARD) == hands[0]
    page.get(pocket_file.as_uri() + "#ten=x&discards=5H6H")
    refused_with = "return document.getElementById('wrong').textContent.includes(arguments[0])"
    until(page, refused_with, "'5H6H' are not two of ")
    page.get(pocket_file.as_uri() + "#ten=x_y")
    until(page, refused_with, "ten='x_y': expected up to 40 letters, digits and dashes")
    page.get(pocket_file.as_uri())
    page.find_element("link text", "Today’s ten hands").click()
    until(page, "return location.hash.startsWith('#ten=20')")
    shown(page, "Hand 1 of 10")


def test_the_same_ten_are_dealt_as_on_a_server(ten_cases):
    dealt = "return input[0].map((ten) => range(0, 10).map((number) => dealtIn(ten, number)))"
    assert [
        [[hand["role"], " ".join(hand["cards"])] for hand in hands]
        for hands in advice(dealt, [*ten_cases])
    ] == [*ten_cases.values()]


def test_file_requests_and_runs_nothing_else(pocket_file):
    text = pocket_file.read_text(encoding="utf-8")
    assert len(text.encode()) < 3e6
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    page = text.partition("<script")[0]
    assert not re.search(r"(?:src|href)=\"(?!#|data:)", page)
    assert not re.search(r"\beval\(|new Function|XMLHttpRequest|import\(", text)


@pytest.mark.slow
def test_the_site_opens_without_a_connection(browser, tmp_path):
    told = run("pocket", "-o", str(tmp_path / "page.html")).stderr.decode()
    assert re.fullmatch(r"cribev: '.*': 2\.\d MB written; open it in a browser; .*\n", told)
    told = run("pocket", "--site", str(tmp_path / "site")).stderr.decode()
    assert "on a host of static files under https, and open it on the phone" in told
    assert {path.name for path in (tmp_path / "site").iterdir()} == set(SITE_FILES)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "site"))
    ) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            address = f"http://127.0.0.1:{server.server_port}/"
            browser.get(address)
            until(browser, "return navigator.serviceWorker.controller !== null")
        finally:
            server.shutdown()
    browser.get_log("browser")
    browser.get(address + f"#position=dealer:{CARDS.replace(' ', '')}")
    browser.refresh()
    shown(browser, "17.19")
    assert browser.get_log("browser") == []


@pytest.mark.slow
def test_it_is_made_without_what_serves_pages():
    code = "import sys; sys.modules['starlette'] = None; import cribev.app.pocket.page"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).stderr == b""


def test_what_cannot_be_written_is_told(tmp_path, monkeypatch):
    there = tmp_path / "there.html"
    (tmp_path / "cribev.html").write_text("mine")
    monkeypatch.chdir(tmp_path)
    assert refused("pocket").endswith("'cribev.html' is there already: --force replaces it")
    (tmp_path / "cribev.html").unlink()
    there.write_text("mine")
    assert "'a' and --site 'b' given: choose one" in refused("pocket", "-o", "a", "--site", "b")
    assert refused("pocket", "-o", str(there)).endswith("is there already: --force replaces it")
    assert refused("pocket", "--site", str(there)).endswith("expected one for the files of a site")
    assert there.read_text() == "mine"
    (tmp_path / "worker.js").write_text("mine")
    assert "worker.js' is there already" in refused("pocket", "--site", str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"there.html", "worker.js"}  # all or none
