"""The strategy of the play: where its entries stand, and what is read there."""

from collections import Counter
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest

from benchmarks.table import Table
from cribev.errors import TableError
from cribev.game.cards import PIP_VALUES
from cribev.game.play import peg, points_for_last_card
from cribev.opponents.strategies import GreedyPlay, UniformPlay
from cribev.solution.strategy import PARTS, GameSize, PublicNode, Strategy, count_entries
from solver.storage import tabulate_states

SIZES = {
    "two of four": GameSize((0, 4, 9, 10), 2),
    "three of four": GameSize((0, 4, 9, 10), 3),
    "three in a row": GameSize((5, 6, 7, 8), 3),
    "four of two": GameSize((4, 9), 4),
    "four of three": GameSize((1, 8, 12), 4),
    "one of two": GameSize((4, 9), 1),
    "three of one": GameSize((9,), 3),
}


def walk(size, played=(), count=0, go=0, mover=0, left=None):
    """Every public node in depth-first order, from the rules and not from states.

    For each: the history with all goes, who moves, how many cards they have, and which fit.
    """
    left = (size.kept, size.kept) if left is None else left
    if min(left) == 0 or left == (1, 1):
        return
    pips = [min(rank + 1, 10) for rank in size.ranks]
    fits = [at for at in range(len(pips)) if count + pips[at] <= 31]
    yield played, mover, left[mover], fits
    for at in fits:
        after = tuple(cards - (player == mover) for player, cards in enumerate(left))
        if count + pips[at] == 31:
            yield from walk(size, (*played, at), 0, 0, 1 - mover, after)
        else:
            turn = mover if go else 1 - mover
            yield from walk(size, (*played, at), count + pips[at], go, turn, after)
    if len(fits) < len(pips):
        yield from walk(size, (*played, None), 0 if go else count, 1 - go, 1 - mover, left)


def strategy_at_random(size, seed=5):
    """A strategy written by the layout, and the parts in it by history and holding."""
    rng, entries, expected = np.random.default_rng(seed), [], {}
    for played, _, cards, fits in walk(size):
        here = {}
        for holding in combinations_with_replacement(range(len(size.ranks)), cards):
            options = sorted(set(holding) & set(fits))
            if options:
                drawn = Counter(rng.choice(options, size=PARTS).tolist())
                here[holding] = {rank: drawn[rank] for rank in options}
        expected |= {(played, holding): parts for holding, parts in here.items()}
        if cards == 2:
            entries += [here[a, b][a] for a in fits for b in fits if a < b]
        elif cards > 2:
            for a in fits:
                for rest in combinations_with_replacement(range(len(size.ranks)), cards - 1):
                    entries.append(here[tuple(sorted((a, *rest)))][a])
    return np.array(entries, dtype=np.uint8), expected


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_written_strategy_covers_every_holding(size):
    cells, expected = strategy_at_random(size)
    strategy = Strategy(size, tabulate_states(size.ranks), cells)
    ranks = len(size.ranks)
    for (played, holding), parts in expected.items():
        found = strategy.choices(strategy.node(played), holding)
        assert found.tolist() == [parts.get(rank, 0) / PARTS for rank in range(ranks)]
    for played, mover, cards, fits in walk(size):
        node = strategy.node(played)
        assert (node.dealer_moves, node.mover_left) == (mover, cards)
        policy = strategy.policies(node)[: strategy.fits[node.state]].astype(np.float64)
        rests = size.holdings(cards - 1).tolist()
        assert policy.shape == (len(fits), len(rests))
        for rank in fits:
            for at, rest in enumerate(rests):
                parts = expected[played, tuple(sorted([rank, *rest]))]
                assert policy[rank, at] == parts[rank] / PARTS


def empty(size, less=0):
    """A strategy that says nothing, or lacks so many of its entries."""
    states = tabulate_states(size.ranks)
    entries = count_entries(size, states) - less
    return Strategy(size, states, np.zeros(entries, dtype=np.uint8))


def test_whose_turn_it_is_agrees_with_the_rules():
    """From plays played at random to the end, goes of who has no cards left out."""
    size = GameSize((0, 2, 8, 11), 4)
    strategy = empty(size)
    rng = np.random.default_rng(11)
    for _ in range(200):
        cards = (rng.permutation(16) // 4).tolist()
        hands = {"pone": cards[:4], "dealer": cards[4:8]}
        play = Table({role: [size.ranks[at] for at in held] for role, held in hands.items()})
        played, said = [], []
        while not play.over:
            node = strategy.node(said)
            if play.left[play.turn]:
                assert node.mover_left == play.left[play.turn]
                assert ("pone", "dealer")[node.dealer_moves] == play.turn
            if not play.can_play():
                if play.left[play.turn] or rng.random() < 0.5:
                    said.append(None)
                play.go()
                continue
            room = 31 - play.count
            fitting = [rank for rank in play.hands[play.turn] if min(rank + 1, 10) <= room]
            chances = strategy.choices(node, [size.ranks.index(r) for r in play.hands[play.turn]])
            if not play.left["dealer"] or not play.left["pone"] or len(set(fitting)) == 1:
                assert chances.sum() == 1
            rank = int(rng.choice(fitting))
            play.play(rank)
            played.append(size.ranks.index(rank))
            said.append(size.ranks.index(rank))
            steps = [step.rank for step in peg([size.ranks[at] for at in played]).steps]
            told = [None if rank is None else size.ranks.index(rank) for rank in steps]
            assert strategy.node(played) == strategy.node(told)


def test_a_player_left_alone_pegs_most():
    size = GameSize((0, 3, 5, 6, 7, 9), 4)
    strategy = empty(size)
    rng = np.random.default_rng(2)
    for _ in range(40):
        held = np.sort(rng.integers(0, 6, size=rng.integers(2, 4))).tolist()
        node = PublicNode(0, 1, 0, len(held), 0, 0)
        points = {}
        for order in permutations(held):
            play = Table({"pone": [size.ranks[at] for at in held], "dealer": []})
            for at in order:
                while play.count + min(size.ranks[at] + 1, 10) > 31:
                    play.go()
                play.play(size.ranks[at])
            points[order[0]] = max(points.get(order[0], 0), play.points["pone"])
        best = int(strategy.choices(node, held).argmax())
        assert points[best] == max(points.values())


def test_a_strategy_that_lacks_an_entry_is_refused():
    with pytest.raises(TableError, match="expected uint8"):
        empty(GameSize((0, 9), 3), less=1)


SMALL = {name: size for name, size in SIZES.items() if size.kept > 1 and len(size.ranks) > 1}


def everything(size, strategy):
    """For each public node and holding with a choice: what is on the table, held, and the chances.

    Ranks are those of the deck.
    """
    for played, _, cards, fits in walk(size):
        node, table = strategy.node(played), []
        go = 0
        for move in played:
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


@pytest.mark.parametrize("name", ["two of four", "three in a row"])
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
