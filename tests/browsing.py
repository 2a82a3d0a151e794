"""Questions that tests ask a page in a browser."""

import json
import re
from contextlib import suppress
from importlib.resources import files


def until(browser, script, *arguments, seconds=60):
    """Wait until a script has something to return, of a page that is whole.

    A page may go while it is asked, and what a click does comes a moment later.
    """
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.support.ui import WebDriverWait

    whole = "if (document.readyState !== 'complete') return null;\n"
    return WebDriverWait(browser, seconds, 0.02, [WebDriverException]).until(
        lambda page: page.execute_script(whole + script, *arguments)
    )


def sized(browser, width, height=800, *, scheme="light", still=False):
    """Be a phone or a desk, by day or by night, for one who wants nothing to move or does not care.

    A page that is open follows a moment later, if what is on it fits.
    """
    from selenium.common.exceptions import TimeoutException

    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    motion = "reduce" if still else "no-preference"
    features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": motion}
    media = [{"name": name, "value": value} for name, value in features.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    with suppress(TimeoutException):
        until(
            browser,
            """return !document.querySelector('meta[name=viewport]') || innerWidth === arguments[0]
                 && matchMedia(`(prefers-color-scheme: ${arguments[1]})`).matches""",
            width, scheme, seconds=5,
        )  # fmt: skip


def asked_for(browser):
    """Every address that was asked for since last time, but for the browser's own first tab."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
        and not message["params"]["documentURL"].startswith("chrome")
    ]


def contrast(first, second):
    def light(colour):
        channels = [int(channel) / 255 for channel in re.findall(r"\d+", colour)[:3]]
        linear = [
            channel / 12.92 if channel <= 0.04 else ((channel + 0.055) / 1.055) ** 2.4
            for channel in channels
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(first), light(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def legible(browser, width):
    """Hold a page to fit, and its text to stand out."""
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width, overflowing(browser, width)
    for pair in inks(browser):
        assert contrast(*pair.split("|")) >= 4.5, pair


def accessible(browser):
    """Hold a page to the rules of axe, and names to what is drawn; `legible` knows contrasts."""
    browser.execute_script(files("axe_core_python").joinpath("axe.min.js").read_text("utf-8"))
    violations = browser.execute_async_script(
        """const told = arguments[0], canvas = HTMLCanvasElement.prototype;
           const drawn = canvas.getContext;
           canvas.getContext = function(kind, given) {  // or reading one is warned of
             return drawn.call(this, kind, {...given, willReadFrequently: true});
           };
           const rules = {
             "color-contrast": {enabled: false}, "label-content-name-mismatch": {enabled: true}};
           axe.run({rules, resultTypes: ["violations"]}).then(found => told(
             found.violations.map(one => [one.id, ...one.nodes.map(node => node.html)])))"""
    )
    assert violations == [], violations


def inks(browser):
    """Every pair of a colour of text and the colour behind it, on a page."""
    return browser.execute_script(
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


def overflowing(browser, width):
    """List elements beyond the right edge of a page, unless they scroll in themselves."""
    return browser.execute_script(
        """const out = e => e.getBoundingClientRect().right > arguments[0] + 1;
           return [...document.querySelectorAll('main *, header *, footer *')].filter(
             e => e.checkVisibility() && out(e) && !e.closest('.scroll, .within, .skip')).map(
             e => e.outerHTML.slice(0, 99))""",
        width,
    )


def covered(browser):
    """List the words on a table that lie on a card, or under it."""
    return browser.execute_script(
        """const cards = [...document.querySelectorAll('.tabletop .card')], found = [];
           for (const note of document.querySelectorAll('.tabletop small:not(.hidden)')) {
             const words = document.createRange();
             words.selectNodeContents(note);
             const at = words.getBoundingClientRect();
             for (const card of cards) {
               const on = card.getBoundingClientRect();
               const aside = at.right < on.left + 2 || on.right < at.left + 2;
               if (!aside && at.bottom > on.top + 2 && on.bottom > at.top + 2)
                 found.push(note.textContent);
             }
           }
           return found"""
    )


def game_step(browser):
    """Do what the page of a game asks for, and wait for what comes; False once it is over.

    The first cards are discarded and played.
    """
    state = browser.execute_script("return document.getElementById('game').dataset.state")
    acted = browser.execute_script(
        """const game = document.getElementById('game');
           const counts = game.querySelector('#counted');
           if (counts) counts.value = 5;
           const boxes = [...game.querySelectorAll('.six input')];
           for (const box of boxes.slice(0, 2)) box.click();
           const next = game.querySelector(
             '.count-it .go, .discards .go, .play:enabled, .seat.you .go, .shown.over');
           if (next.matches('.shown')) return false;
           next.click();
           return true"""
    )
    if acted:
        until(
            browser, "return document.getElementById('game')?.dataset.state !== arguments[0]", state
        )
    return acted
