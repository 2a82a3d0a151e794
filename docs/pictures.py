"""The pictures of README; the page's needs Chromium."""

import io
import re
import tempfile
from pathlib import Path
from shutil import which

from rich.console import Console
from rich.text import Text
from selenium import webdriver

from cribev import advise, review
from cribev.reviews.page import page

FOLDER = Path(__file__).parent / "images"
GAME = Path(__file__).parent.parent / "tests" / "data" / "game.csv"
DEAL, THROWN = "AH 2C 7D 9S JH QC", "AHQC"


def terminal():
    """Show `cribev advise` as a terminal does, as SVG."""
    out = Console(
        file=io.StringIO(), record=True, width=80, force_terminal=True, color_system="truecolor"
    )  # fmt: skip
    advice = advise(DEAL, role="pone")
    out.print(Text(f"$ cribev advise {DEAL} --pone --top 5 --versus {THROWN}", style="bold"))
    out.print(advice.top(5))
    out.print(advice.compare(THROWN))
    svg = out.export_svg(title="cribev")
    return re.sub(r" *@font-face \{.*?\}\n", "", svg, flags=re.DOTALL)  # no font from the network


def screenshot(html, *, width, height):
    """Take a picture of a page with Chromium, as PNG."""
    options = webdriver.ChromeOptions()
    for flag in ("headless=new", "no-sandbox", "disable-gpu", "hide-scrollbars"):
        options.add_argument(f"--{flag}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(html, encoding="utf-8")
        with webdriver.Chrome(options, webdriver.ChromeService(which("chromedriver"))) as browser:
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            browser.get(file.as_uri())
            return browser.get_screenshot_as_png()


def remake(*, check):
    """Draw them again."""
    if not check:
        (FOLDER / "advise.svg").write_text(terminal(), encoding="utf-8")
        shown = page(review(GAME))
        (FOLDER / "review.png").write_bytes(screenshot(shown, width=1000, height=900))
