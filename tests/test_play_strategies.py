"""Who plays otherwise than an expert, against the rules."""

import numpy as np
import pytest
from test_strategy import SIZES, walk

from cribev import advise_play
from cribev.errors import CribevError
from cribev.game.cards import PIP_VALUES
from cribev.game.play import points_for_last_card
from cribev.opponents.players import GreedyPlay, LockedPlay, UniformPlay
from cribev.solution.tree import tabulate_states

NAMES = [name for name, size in SIZES.items() if size.kept > 1 and len(size.ranks) > 1]


def everything(size, strategy):
    """For each public node and holding with a choice: what is on the table, held, and the chances.

    Ranks are those of the deck.
    """
    for laid, _, cards, fits in walk(size):
        node, table = strategy.node(laid), []
        go = 0
        for move in laid:
            go = go + 1 if move is None else go
            if move is not None:
                table.append(size.ranks[move])
            if go == 2 or sum(PIP_VALUES[rank] for rank in table) == 31:
                table, go = [], 0
        for holding in size.holdings(cards).tolist():
            if set(holding) & set(fits):
                chances = strategy.choices(node, holding)
                held = [size.ranks[at] for at in holding]
                yield table, held, dict(zip(size.ranks, chances.tolist(), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_greedy_and_any_card(name):
    size = SIZES[name]
    states = tabulate_states(size.ranks)
    for table, held, chances in everything(size, GreedyPlay(size, states)):
        count = sum(PIP_VALUES[rank] for rank in table)
        after = {rank: count + PIP_VALUES[rank] for rank in held}
        gains = {
            rank: sum(points for _, points, _ in points_for_last_card([*table, rank], total))
            for rank, total in after.items()
            if total <= 31
        }
        best = max(rank for rank in gains if gains[rank] == max(gains.values()))
        assert chances == {rank: float(rank == best) for rank in size.ranks}
    for table, held, chances in everything(size, UniformPlay(size, states)):
        fits = [rank for rank in held if sum(map(PIP_VALUES.__getitem__, [*table, rank])) <= 31]
        expected = {rank: fits.count(rank) / len(fits) for rank in size.ranks}
        assert chances == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMES)
def test_a_function_is_told_what_all_can_see(name):
    size, seen = SIZES[name], {}
    states = tabulate_states(size.ranks)

    def high(play):
        seen[play.laid] = play
        return 2.0 ** -np.arange(13)[None] * play.count + np.zeros((len(play.holdings), 1))

    for table, held, chances in everything(size, LockedPlay(size, states, high)):
        count = sum(PIP_VALUES[rank] for rank in table)
        fits = {rank for rank in held if count + PIP_VALUES[rank] <= 31}
        weights = {rank: 2.0**-rank * (rank in fits) for rank in size.ranks}
        if count == 0:  # no weight on any: every card alike
            weights = {rank: held.count(rank) for rank in size.ranks}
        total = sum(weights.values())
        assert chances == pytest.approx({rank: w / total for rank, w in weights.items()})
    for laid, mover, cards, _ in walk(size):
        history = tuple(None if move is None else size.ranks[move] for move in laid)
        if cards > 1 and history in seen:
            assert (seen[history].role, seen[history].left) == (["pone", "dealer"][mover], cards)
            on_table = seen[history].on_table
            assert seen[history].count == sum(PIP_VALUES[rank] for rank in on_table)
    assert () in seen


@pytest.mark.parametrize("bad", [[[1.0] * 13], [[-1.0] * 13] * 10, [[np.nan] * 13] * 10])
def test_a_function_that_returns_no_chances(bad):
    size = SIZES["two of four"]
    strategy = LockedPlay(size, tabulate_states(size.ranks), lambda _: bad, name="mine")
    told = r"^'mine' returns float64 \(\d+, 13\) after \(\): expected"
    with pytest.raises(CribevError, match=told):
        strategy.choices(strategy.root, [0, 1])


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda: 0, "'<lambda>' raised TypeError: .* takes 0 positional arguments"),
        (lambda play: play.mine, "'<lambda>' raised AttributeError: "),
        (lambda _: "5", "'<lambda>' returns float64"),
    ],
)
def test_a_function_that_cannot_answer(function, text):
    with pytest.raises(CribevError, match=text):
        advise_play("4H 5C JD JS", role="pone", starter="7H", opponent=function)
