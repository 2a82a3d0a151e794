"""What is asked of a page in a browser."""

import json
import re


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
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        linear = [
            part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(first), light(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


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
    """What reaches beyond the right edge of a page, unless it scrolls in itself."""
    return browser.execute_script(
        """const out = e => e.getBoundingClientRect().right > arguments[0] + 1;
           return [...document.querySelectorAll('main *, header *, footer *')].filter(
             e => e.checkVisibility() && out(e) && !e.closest('.scroll, .within, .skip')).map(
             e => e.outerHTML.slice(0, 99))""",
        width,
    )


def game_step(browser):
    """Do what the page of a game asks for, and wait for what comes; False once it is over.

    The first cards are thrown and laid.
    """
    from selenium.webdriver.support.ui import WebDriverWait

    state = browser.execute_script("return document.getElementById('game').dataset.state")
    acted = browser.execute_script(
        """const game = document.getElementById('game');
           const counts = game.querySelector('#counted');
           if (counts) counts.value = 5;
           const boxes = [...game.querySelectorAll('.six input')];
           for (const box of boxes.slice(0, 2)) box.click();
           const next = game.querySelector(
             '.count-it .go, .throws .go, .lay:enabled, .seat.you .go, .shown.over');
           if (next.matches('.shown')) return false;
           next.click();
           return true"""
    )
    if acted:
        WebDriverWait(browser, 30, 0.02).until(
            lambda page: page.execute_script(
                "return document.getElementById('game')?.dataset.state !== arguments[0]", state
            )
        )
    return acted
