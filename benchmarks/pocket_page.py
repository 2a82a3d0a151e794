"""How large the page without a server is, and how long its answers take.

In Chromium, which is slowed down to a quarter of this machine's speed.
"""

import shutil
import statistics
import tempfile
from pathlib import Path

from selenium import webdriver

from benchmarks.arguments import run
from cribev import format_cards
from cribev.app.pocket.page import pocket_page
from cribev.game.cards import RANKS, random_hands

_SLOWER = 4
_ASK = """
const [hands, more] = arguments, times = [];
for (const hand of hands) {
  const start = performance.now();
  answerTo({cards: hand, ...more});
  times.push(performance.now() - start);
}
return times;
"""


def main() -> None:
    options = webdriver.ChromeOptions()
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium") or ""
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    with (
        tempfile.TemporaryDirectory() as folder,
        webdriver.Chrome(options=options, service=service) as browser,
    ):
        file = Path(folder, "pocket.html")
        file.write_text(pocket_page(), encoding="utf-8")
        print(f"size: {file.stat().st_size / 1e6:.2f} MB")
        browser.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": _SLOWER})
        browser.get(file.as_uri())
        unpacked = browser.execute_script("return ready.then(() => performance.now())")
        print(f"tables there: {unpacked:.0f} ms after the page is opened, {_SLOWER} times slower")
        hands = [format_cards(hand) for hand in random_hands(50, seed=1)]
        ranks = [" ".join(RANKS[card >> 2] for card in hand) for hand in random_hands(50, seed=2)]
        for what, asked, more in (
            ("an answer", hands, {"role": "dealer"}),
            ("the same as pone", hands, {"role": "pone"}),
            ("at a score", hands, {"role": "dealer", "score": "60-62"}),
            ("without suits", ranks, {"role": "dealer"}),
        ):
            times = browser.execute_script(_ASK, asked, more)
            print(
                f"{what}: first {times[0]:.0f} ms, median {statistics.median(times):.0f} ms, "
                f"longest {max(times):.0f} ms"
            )


if __name__ == "__main__":
    run(main)
