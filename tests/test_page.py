import json
import os
import re
import shutil
import sys
from html.parser import HTMLParser

import pandas as pd
import pytest
from games import random_games

from cribev import CribevError, review
from cribev.reviews.page import MOST, page, write_page
from cribev.reviews.record_files import read_record

HOSTILE = "<script>fetch('http://127.0.0.1:9/')</script>\"'&{{ 7*7 }}\u202e"


@pytest.fixture(scope="module")
def game(data):
    return review(read_record(data / "game.csv"), fast=True)


class Balance(HTMLParser):
    """Every element that is opened is closed, in order; every attribute is remembered."""

    EMPTY = ("meta", "link", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes, self.tags = [], [], set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += [(tag, name, value) for name, value in attributes]
        if tag not in self.EMPTY and not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open[-1:] == [tag]:
            self.open.pop()
        else:
            assert self.get_starttag_text().endswith("/>"), f"</{tag}> in {self.open}"


def test_the_page_is_whole_and_needs_nothing(game):
    text = page(game)
    read = Balance(text)
    assert not read.tags & {"script", "iframe", "object", "img", "style link"}
    for tag, name, value in read.attributes:
        assert not name.startswith("on")
        if name in ("src", "href"):
            assert value.startswith(("#", "data:,")), (tag, value)
    assert "url(" not in text
    assert "@import" not in text
    assert "http:" not in text
    assert "https:" not in text


def test_every_figure_of_a_player_is_there(game):
    text = page(game)
    for player in game.players.to_dict(orient="records"):
        assert f">{player['ev_loss']:.2f}</dd>" in text
        assert f"{player['result']:+.2f}".replace("-", "−") in text
    for decision in game.decisions.to_dict(orient="records"):
        assert f"threw {decision['discard']}" in text
    assert text.count("<details>") == len(game.decisions)
    assert text.count('class="thrown"') == len(game.decisions)
    assert len(re.findall(r'<tr(?: class="thrown")?><td>\d+</td>', text)) == 15 * 16


def test_hostile_names_stay_text(data):
    frame = read_record(data / "game.csv").replace({"Ann": HOSTILE})
    frame["game"] = "</title><img src=x>"
    text = page(review(frame, fast=True))
    read = Balance(text)
    assert not read.tags & {"script", "img"}
    assert "&lt;script&gt;" in text
    assert "{{ 7*7 }}" in text


def test_missing_figures_are_dashes_not_numbers(data):
    frame = read_record(data / "game.csv").drop(columns="starter").query("player == 'Ann'")
    text = page(review(frame, fast=True))
    assert "nan" not in re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    assert "is not known" in text
    Balance(text)


def test_a_page_of_one_player_and_a_page_of_many_games():
    found = review(random_games(5, seed=2), fast=True)
    Balance(page(found.of_player("Ben")))
    assert "<h3>Games</h3>" in page(found)
    with pytest.raises(CribevError, match="too many for a page"):
        page(review(random_games(MOST // 16 + 1, seed=2), fast=True))


def test_without_jinja2_it_says_what_to_install(game, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(CribevError, match=r"-m pip install 'cribev\[report\]'"):
        write_page(game, tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    try:
        from selenium import webdriver
    except ImportError:
        webdriver = None
    if not (chromium and driver and webdriver):
        reason = "needs chromium, chromedriver and selenium"
        if os.environ.get("CI"):
            pytest.fail(f"{reason}, and in CI this must run")
        pytest.skip(reason)
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in (
        "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--disable-dev-shm-usage", f"--user-data-dir={tmp_path_factory.mktemp('browser')}",
    ):  # fmt: skip
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield opened
    opened.quit()


@pytest.fixture(scope="module")
def file(game, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "game.html"
    hostile = game.decisions.replace({"Ben": HOSTILE})
    write_page(review(hostile, fast=True), path)
    return path


def asked_for(browser):
    """Every address that was asked for since last time, but for the browser's own first tab."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
        and not message["params"]["documentURL"].startswith("chrome")
    ]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_in_a_browser(browser, file, game, width, dark):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(file.as_uri())

    read = browser.execute_script(
        """return [...document.querySelectorAll('section.player')].map(section => ({
             name: section.querySelector('h2').textContent,
             figures: Object.fromEntries([...section.querySelectorAll('[data-figure]')].map(
                 figure => [figure.dataset.figure, figure.textContent])),
             bars: section.querySelectorAll('svg rect').length,
             lines: section.querySelectorAll('figure > svg path').length,
             high: Math.max(...[...section.querySelectorAll('svg rect')].map(
                 bar => bar.getBoundingClientRect().height)),
           }))"""
    )
    assert [player["name"] for player in read] == ["Ann", HOSTILE]
    for shown, totals in zip(read, game.players.to_dict(orient="records"), strict=True):
        figures = {name: text.replace("−", "-") for name, text in shown["figures"].items()}
        assert float(figures["ev_loss"]) == pytest.approx(totals["ev_loss"], abs=0.0051)
        for name in ("crib_swing", "result", "luck_adjusted"):
            assert float(figures[name]) == pytest.approx(totals[name], abs=0.0051)
        assert float(figures["luck"]) == pytest.approx(
            totals["deal_luck"] + totals["starter_luck"], abs=0.0051
        )
        assert figures["best"] == f"{totals['best']} of {totals['decisions']}"
        assert figures["blunder-count"] == str(totals["blunder"])
        assert shown["bars"] == totals["decisions"]
        assert shown["lines"] == 4
        assert shown["high"] > 1

    opened = browser.execute_script(
        """const details = document.querySelector('details');
           const before = details.getBoundingClientRect().height;
           details.querySelector('summary').click();
           return [before, details.getBoundingClientRect().height,
                   details.querySelectorAll('tr > td:first-child').length,
                   document.documentElement.scrollWidth, window.innerWidth,
                   getComputedStyle(document.body).backgroundColor]"""
    )
    before, after, rows, needed, there, paper = opened
    assert after > before + 100
    assert rows == 15
    assert needed <= there  # nothing to scroll sideways
    assert (sum(map(int, re.findall(r"\d+", paper)[:3])) < 200) == dark

    assert browser.get_log("browser") == []
    assert [url for url in asked_for(browser) if not url.startswith("data:")] == [file.as_uri()]


def contrast(first, second):
    def light(colour):
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        linear = [
            part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(first), light(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out(browser, file, scheme):
    media = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [media]})
    browser.get(file.as_uri())
    pairs = browser.execute_script(
        """const found = new Set();
           for (const element of document.querySelectorAll('body :not(title, desc)')) {
             const own = [...element.childNodes].some(
               node => node.nodeType === 3 && node.textContent.trim());
             if (!own) continue;
             let behind = element;
             while (behind && getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)')
               behind = behind.parentElement;
             const style = getComputedStyle(element);
             const ink = element.closest('svg') ? style.fill : style.color;
             found.add(ink + '|' + getComputedStyle(behind).backgroundColor);
           }
           return [...found]"""
    )
    assert len(pairs) > 5
    for pair in pairs:
        assert contrast(*pair.split("|")) >= 4.5, pair


def test_a_game_that_is_not_numbered(data):
    frame = read_record(data / "game.csv").assign(game="the final")
    assert pd.api.types.is_string_dtype(frame["game"])
    assert "game the final" in page(review(frame, fast=True))
