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
