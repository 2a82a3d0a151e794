"""Grades against games played out: what cards lose is what the play loses."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from benchmarks.table import Table
from cribev import random_hands
from cribev.advice.tree import PlayTree, believe
from cribev.choice import CARD_BANDS, WIN_BANDS
from cribev.classes.canonical import classify_deals
from cribev.game.cards import RANKS
from cribev.game.deal import Position
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.score import ROLES, opposite_role
from cribev.opponents.players import as_play_strategy
from cribev.reviews.grades import grade_cards
from cribev.reviews.record import as_record, format_card_rows
from cribev.solution.solution import shipped_keep_frequencies, shipped_strategy

pytestmark = pytest.mark.slow

DEALS = 150


class Played(NamedTuple):
    """Deals played out, a row of each array for a deal."""

    lost: np.ndarray
    """What the player's cards lost, by the grades."""
    gain: np.ndarray
    """What the best reply is worth more than the player's strategy, worked out before the lead."""
    expected: np.ndarray
    """What the strategy is worth then."""
    net: np.ndarray
    """What the player pegged, less the opponent."""
    cards: pd.DataFrame


def keep_as_experts(deals, role, rng):
    """Choose of the 15 keeps as often as experts do."""
    share = shipped_keep_frequencies(role).share[classify_deals(deals)[0]]
    return (share.cumsum(axis=1) < rng.random((len(deals), 1)) * share.sum(axis=1)[:, None]).sum(
        axis=1
    )


def play_out(hands, strategies, rng):
    """Lay cards as strategies do: the moves as text, and what each role pegs."""
    play, history = Table(hands), []
    while not play.over:
        rank, legal = None, play.legal
        if len(legal) == 1:
            rank = legal[0]
        elif legal:
            strategy = strategies[play.turn]
            chances = strategy.choices(strategy.node(history), play.hands[play.turn])
            rank = int(rng.choice(len(chances), p=chances / chances.sum()))
        history.append(rank)
        _ = play.go() if rank is None else play.lay(rank)
    return " ".join("go" if rank is None else RANKS[rank] for rank in history), play.points


def played(role, name, *, seed, deals=DEALS):
    """Have a player, by a strategy's name, play deals against an expert."""
    rng, expert, own = np.random.default_rng(seed), shipped_strategy(), as_play_strategy(name)
    other = opposite_role(role)
    cards = random_hands(deals, cards=13, seed=seed)
    hands = {role: np.sort(cards[:, :6]), other: np.sort(cards[:, 6:12])}
    keeps = {who: keep_as_experts(dealt, who, rng) for who, dealt in hands.items()}
    kept = {who: np.take_along_axis(hands[who], KEEPS[keeps[who]], axis=1) for who in ROLES}
    thrown = np.take_along_axis(hands[role], DISCARDS[keeps[role]], axis=1)
    rows, net, gain, expected = [], [], [], []
    texts = {name: format_card_rows(some) for name, some in (
        ("cards", hands[role]), ("discard", thrown), ("starter", cards[:, 12:]),
    )}  # fmt: skip
    for at in range(deals):
        ranks = {who: (kept[who][at] >> 2).tolist() for who in ROLES}
        laid, points = play_out(ranks, {role: own, other: expert}, rng)
        net.append(points[role] - points[other])
        rows.append(
            {"game": at, "deal": 1, "role": role, "play": laid}
            | {name: text[at] for name, text in texts.items()}
        )
        position = Position.read(
            kept[role][at], role="pone", discard=thrown[at], starter=int(cards[at, 12])
        )  # as either role: nothing is laid yet
        belief = believe(position, shipped_keep_frequencies(other), expert)
        best, strategy = (
            PlayTree([], role, ranks[role], belief, opponent=expert, own=by).value
            for by in (None, own)
        )
        expected.append(strategy[0] - strategy[1])
        gain.append(best[0] - best[1] - expected[-1])
    record = as_record(pd.DataFrame(rows))
    found = grade_cards(record, bands=CARD_BANDS, win_bands=WIN_BANDS)
    lost, _ = found.lost(record)
    return Played(lost, np.array(gain), np.array(expected), np.array(net), found.frame)


def standard_error(values):
    return values.std(ddof=1) / len(values) ** 0.5


@pytest.mark.parametrize(
    ("role", "gain", "error"), [("pone", 0.0436, 0.0013), ("dealer", 0.0275, 0.0008)]
)
def test_experts_who_look_up_lose_what_the_best_reply_gains(role, gain, error):
    """The gain is that of `python -m benchmarks.best_reply`, points a deal."""
    found = played(role, "expert", seed=7)
    assert abs((found.lost - found.gain).mean()) < 4 * standard_error(found.lost - found.gain)
    assert abs(found.lost.mean() - gain) < 4 * np.hypot(standard_error(found.lost), error)
    assert standard_error(found.lost) < 0.01
    assert (found.gain > -1e-9).all()


@pytest.mark.parametrize("role", ROLES)
def test_a_greedy_player_loses_what_playing_it_out_says(role):
    found = played(role, "greedy", seed=8)
    # At every choice the card laid is the greedy one.
    chosen = found.cards[found.cards["choices"] > 1]
    np.testing.assert_allclose(chosen["loss"], chosen["greedy_loss"], rtol=0, atol=1e-9)
    # What the cards lost, and what the whole strategy is worth less than the best reply.
    assert abs((found.lost - found.gain).mean()) < 4 * standard_error(found.lost - found.gain)
    assert found.lost.mean() > 6 * standard_error(found.lost)
    # What the strategy is worth, and what was pegged; the best reply is worth as much more.
    assert abs((found.net - found.expected).mean()) < 4 * standard_error(found.net - found.expected)
