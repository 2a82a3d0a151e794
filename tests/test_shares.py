"""How often an expert plays each card, looked up: by whom, after what, and in every format."""

import numpy as np
import pytest
from shell import good, printed, refused

from cribev.game.cards import RANKS
from cribev.solution.tables import first_cards, strategy_listing


class Weighed:
    """Lays each card as often as it has pips, and notes what is asked."""

    def __init__(self):
        self.asked = []

    def node(self, history):
        return history

    def choices(self, history, held):
        self.asked.append((history, held))
        share = np.zeros(13)
        share[held] = np.array(held) + 1
        return share / share.sum()


@pytest.fixture
def weighed(monkeypatch):
    strategy = Weighed()
    monkeypatch.setattr("cribev.solution.tables.shipped_strategy", lambda: strategy)
    return strategy


def tables(*words):
    return good("tables", "strategy", *words)


def test_the_command_has_every_format(weighed):
    words = ["A234", "--role", "dealer", "--laid", "4"]
    assert tables(*words).splitlines() == [
        "A 2 3 4 as dealer: after 4 an expert plays",
        "card  share",
        "A     10.0%  ###",
        "2     20.0%  ######",
        "3     30.0%  #########",
        "4     40.0%  ############",
    ]
    rows = printed("tables", "strategy", *words)
    assert rows == [{"card": card, "share": (at + 1) / 10} for at, card in enumerate("A234")]
    assert tables(*words, "--format", "csv").splitlines()[:2] == ["card,share", "A,0.1"]
    assert weighed.asked == [([3], [0, 1, 2, 3])] * 3
    led = tables("--role", "pone", "4H", "3C", "2D", "AS")
    assert led.startswith("A 2 3 4 as pone: an expert leads\n")


@pytest.mark.parametrize(
    ("keep", "role", "laid", "history", "left", "legal"),
    [
        ("5JQK", "pone", "", "", "5JQK", "5JQK"),
        ("5JQK", "pone", "J 5 (15-2)", "J 5", "5QK", "5QK"),
        ("A9TT", "pone", "T K T go", "T K T go", "A9", "A"),
        ("5JQK", "dealer", "T K A 5 4 go A", "T K A 5 4 go A", "JQ", "JQ"),
        ("5599", "pone", "5 T 9 5 / 9 4", "5 T 9 5 go go 9 4", "5", "5"),
    ],
)
def test_it_is_asked_for_the_cards_left(weighed, keep, role, laid, history, left, legal):
    listing = strategy_listing(keep, role=role, laid=laid)
    ranks = [None if word == "go" else RANKS.index(word) for word in history.split()]
    assert weighed.asked == [(ranks, [RANKS.index(card) for card in left])]
    assert listing.table["card"].tolist() == list(legal)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "tables strategy takes the four cards kept and --role"),
        (["--role", "pone"], "tables strategy takes the four cards kept and --role"),
        (["", "--role", "pone"], "expected 4 cards, got none in ''"),
        (["5JQ", "--role", "pone"], "expected 4 cards, got 3 in '5JQ'"),
        (["5JQK", "--role", "dealer"], "pone leads, and you are dealer"),
        (["5JQK", "--role", "pone", "--laid", "J"], "it is your opponent's turn at a count of 10"),
        (["555K", "--role", "dealer", "--laid", "5 5 5"], "there are five 5s"),
        (["TTQK", "--role", "dealer", "--laid", "T T 9"], "fits a count of 29: say go"),
        (["5JQK", "--role", "dealer", "--laid", "4 (5)"], "the count is 4"),
        (["5H JC QC KC", "--role", "dealer", "--laid", "5H"], "pone lays 5H, which dealer kept"),
        (["5JQK", "--role", "dealer", "--show-only"], "--show-only leaves out the play"),
        (["5JQK", "--role", "dealer", "--answer"], "--answer goes with tables leads"),
    ],
)
@pytest.mark.usefixtures("weighed")
def test_what_cannot_be_is_refused_in_one_line(words, told):
    assert told in refused("tables", "strategy", *words)
    other = refused("tables", "play", "5JQK", "--laid", "4")
    assert "--laid goes with tables strategy, not play" in other


@pytest.mark.parametrize("keep", ["A234", "5JQK", "2559", "6789", "4456"])
def test_first_cards_are_those_of_the_other_tables(keep):
    leads = first_cards().set_index(["keep", "lead"])["share"]
    for row in strategy_listing(keep, role="pone").table.itertuples():
        assert row.share == pytest.approx(leads[keep, row.card], abs=1e-3)
    answers = first_cards(answer=True).set_index(["keep", "lead", "answer"])["share"]
    for row in strategy_listing(keep, role="dealer", laid="4").table.itertuples():
        assert row.share == pytest.approx(answers[keep, "4", row.card], abs=1e-3)
