"""The readers and counters in JavaScript say what the package says, in node."""

from importlib.resources import files

import numpy as np
from node import in_node

from cribev import CardError
from cribev.classes.canonical import class_ranks
from cribev.game.cards import RANKS, SUIT_SYMBOLS, SUITS, format_card, parse_some_suits
from cribev.game.index_tables import rank_points

STATIC = files("cribev") / "app" / "web" / "static"


def source(name):
    return STATIC.joinpath(name).read_text(encoding="utf-8")


def test_all_ranks_count_alike():
    five = np.unique(class_ranks()[:, :5], axis=0)
    script = "return arguments[0].map(countRanks)"
    assert in_node(source("count.js"), script, five.tolist()) == rank_points(five).tolist()


def read(text):
    """The cards of a text, as texts; None if it is refused."""
    try:
        return [format_card(card) for card in parse_some_suits(text)]
    except CardError as error:
        return [] if "comes" in str(error) else None


def test_cards_are_read_alike():
    random = np.random.default_rng(7)
    ranks, suits = [*RANKS, "10", "1", "q", "X", "0"], [*SUITS, *SUIT_SYMBOLS, "h", "", ""]
    joints, gaps = ["", "", " ", "-"], [" ", ", ", "", "  ", "+", "/"]
    pieces = ["".join(map(random.choice, (ranks, joints, suits, gaps))) for _ in range(9000)]
    texts = ["".join(some) for some in np.split(np.array(pieces), 3000)]
    script = """return arguments[0].map((text) => {
        try { return cardsIn(text).map((card) => card.text); } catch { return null; }
    })"""
    told = dict(zip(texts, in_node(source("cards.js"), script, texts), strict=True))
    ours = {text: read(text) for text in texts}
    assert {text for text in texts if ours[text] != [] and told[text] != ours[text]} == set()
    assert sum(cards is None for cards in told.values()) > 100 < sum(map(bool, told.values()))
