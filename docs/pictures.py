"""Make the pictures of README; those of pages need Chromium."""

import io
import os
import re
import tempfile
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from threading import Thread
from time import sleep
from urllib.request import Request, urlopen

from PIL import Image
from rich.console import Console
from rich.text import Text
from selenium import webdriver
from selenium.webdriver.support.wait import WebDriverWait

from cribev import advise, review
from cribev.advice.players import Level
from cribev.app.games.game import PLAYER
from cribev.app.games.levels import answer_moves, decide
from cribev.app.games.store import local_games
from cribev.app.web.server import bind, make_server, url_of
from cribev.reviews.page import review_html

FOLDER = Path(__file__).parent / "images"
GAME = Path(__file__).parent.parent / "tests" / "data" / "game.csv"
_COLOURS = 224
DEAL, DISCARDED = "AH 2C 7D 9S JH QC", "AHQC"
SEED, DEALS = 12, 6
ANSWERED = ("QH", "KC")


def terminal():
    """Return what `cribev advise` prints on a terminal, as SVG."""
    out = Console(
        file=io.StringIO(), record=True, width=80, force_terminal=True, color_system="truecolor"
    )  # fmt: skip
    advice = advise(DEAL, role="pone")
    out.print(Text(f"$ cribev advise {DEAL} --pone --top 5 --versus {DISCARDED}", style="bold"))
    out.print(advice.top(5))
    out.print(advice.compare(DISCARDED))
    svg = out.export_svg(title="cribev")
    return re.sub(r" *@font-face \{.*?\}\n", "", svg, flags=re.DOTALL)  # no font from the network


def screenshot(address, *, width, height):
    """Take a picture of a page with Chromium, as PNG."""
    options = webdriver.ChromeOptions()
    for flag in ("headless=new", "no-sandbox", "disable-gpu", "hide-scrollbars"):
        options.add_argument(f"--{flag}")
    with webdriver.Chrome(options, webdriver.ChromeService(which("chromedriver"))) as browser:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(address)
        waiting = "return !document.querySelector('[data-ask]:not(:has(table))')"
        WebDriverWait(browser, 30).until(lambda _: browser.execute_script(waiting))
        shown = Image.open(io.BytesIO(browser.get_screenshot_as_png()))
    buffer = io.BytesIO()
    shown.convert("RGB").quantize(_COLOURS).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def reviewed():
    """Take a picture of the page of a review."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(review_html(review(GAME)), encoding="utf-8")
        return screenshot(file.as_uri(), width=1000, height=900)


@contextmanager
def running():
    """Serve the pages from an empty folder, and tell where."""
    with tempfile.TemporaryDirectory() as folder, bind("127.0.0.1", 0) as taken:
        os.environ["CRIBEV_DATA_DIR"] = folder
        server = make_server(taken)
        thread = Thread(target=server.run, args=[[taken]], daemon=True)
        thread.start()
        try:
            yield url_of(taken)
        finally:
            server.should_exit = True
            thread.join()


def learned():
    """Take a picture of the first mistake of a game, answered."""
    head = 'Content-Disposition: form-data; name="record"; filename="game.csv"'
    form = f"--x\r\n{head}\r\n\r\n{GAME.read_text()}\r\n--x--\r\n".encode()
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    with running() as site:
        sent = urlopen(Request(f"{site}review", form, kind))
        while "Learn from" not in urlopen(sent.url).read().decode():
            sleep(0.2)
        answer = "&".join(["discarded=1", *(f"discard={card}" for card in ANSWERED)])
        return screenshot(f"{sent.url}/1/1?{answer}", width=1000, height=860)


def served():
    """Take a picture of a game against the expert, a few cards into the play."""
    with running() as site:
        store = local_games()
        name = store.create(seed=SEED, dealer=PLAYER)
        with store.playing(name) as game:
            while not (
                game.deal.number == DEALS and len(game.deal.play.played_by(game.role(PLAYER))) == 2
            ):
                answer_moves(game)
                if game.phase == "next":
                    game.next_deal(PLAYER)
                else:
                    game.make(decide(Level("greedy"), game, PLAYER))
            answer_moves(game)
        return screenshot(f"{site}play/{name}", width=1000, height=730)


def remake(*, check):
    """Make the pictures, unless only to check."""
    if not check:
        (FOLDER / "advise.svg").write_text(terminal(), encoding="utf-8")
        (FOLDER / "review.png").write_bytes(reviewed())
        (FOLDER / "mistake.png").write_bytes(learned())
        (FOLDER / "serve.png").write_bytes(served())
