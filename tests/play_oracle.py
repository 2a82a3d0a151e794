"""The play in plain Python, written from the rules and sharing nothing with the package.

Ranks are 1 to 13. A table is ``(hands, turn, laid, alone, last)``: the cards each has left as
sorted tuples, pone's first; who is to move, 0 or 1; the cards of this count; whether the other has
said go; who laid last. Slow on purpose: it only has to be right and easy to check.
"""

from collections import defaultdict
from functools import partial
from itertools import product

import numpy as np


def pips(rank):
    return min(rank, 10)


def last_card(laid):
    """Points of the last card laid, a go and the last card of all apart."""
    points = 0
    total = sum(map(pips, laid))
    if total in (15, 31):
        points += 2
    for many, worth in ((4, 12), (3, 6), (2, 2)):
        if len(laid) >= many and len(set(laid[-many:])) == 1:
            points += worth
            break
    for many in range(len(laid), 2, -1):
        if sorted(laid[-many:]) == list(range(min(laid[-many:]), min(laid[-many:]) + many)):
            points += many
            break
    return points


def start(pone, dealer):
    return (tuple(sorted(pone)), tuple(sorted(dealer))), 0, (), False, None


def options(table):
    """What who is to move may lay; nothing if that is to say go."""
    hands, turn, laid, _, _ = table
    room = 31 - sum(map(pips, laid))
    return sorted({rank for rank in hands[turn] if pips(rank) <= room})


def move(table, rank):
    """Lay a rank, or say go with None: the table after it, and what pone and dealer peg."""
    hands, turn, laid, alone, last = table
    gains = [0, 0]
    if rank is None:
        assert not options(table)
        if hands[1 - turn] and not alone:
            return (hands, 1 - turn, laid, True, last), gains
        gains[last] += 1
        return led_by((hands, 1 - last, (), False, None)), gains
    left = list(hands[turn])
    left.remove(rank)
    hands = (tuple(left), hands[1]) if turn == 0 else (hands[0], tuple(left))
    laid = (*laid, rank)
    gains[turn] += last_card(laid)
    if sum(map(pips, laid)) == 31:
        return led_by((hands, 1 - turn, (), False, None)), gains
    if not any(hands):
        gains[turn] += 1
        return (hands, turn, laid, alone, turn), gains
    stays = alone or not hands[1 - turn]
    return (hands, turn if stays else 1 - turn, laid, alone, turn), gains


def led_by(table):
    """A new count: who has no cards leaves the lead to the other."""
    hands, turn, laid, alone, last = table
    return (hands, turn if hands[turn] else 1 - turn, laid, alone, last)


def is_over(table):
    return not any(table[0])


def play_in_order(pone, dealer):
    """Each lays the first held that fits: what is laid in turn (None for go), and points."""
    orders, table = (pone, dealer), start(pone, dealer)
    laid, points = [], [0, 0]
    while not is_over(table):
        fits, turn = options(table), table[1]
        waiting = list(table[0][turn])
        order = [rank for rank in orders[turn] if rank in waiting]
        rank = next((rank for rank in order if rank in fits), None)
        table, gains = move(table, rank)
        laid.append((turn, rank))
        points = [points[0] + gains[0], points[1] + gains[1]]
    return laid, points


def leaves(pone, dealer, worth=None):
    """All ways the play can go: for each, what each chose where there was a choice, and net points.

    A choice is (history, rank), with history all that was laid and said before. With `worth` a play
    is worth what it says of the points of pone and of the dealer, and over once it is not None;
    whether it has to be, the last argument says.
    """
    worth = worth or (lambda pone, dealer, over: pone - dealer if over else None)

    def go_on(table, history, chosen, points):
        value = worth(*points, is_over(table))
        if value is not None:
            yield chosen, value
            return
        turn = table[1]
        for rank in options(table) or [None]:
            after, (own, other) = move(table, rank)
            mine = chosen[turn] if rank is None else (*chosen[turn], (history, rank))
            both = (mine, chosen[1]) if turn == 0 else (chosen[0], mine)
            so_far = points[0] + own, points[1] + other
            yield from go_on(after, (*history, rank), both, so_far)

    yield from go_on(start(pone, dealer), (), ((), ()), (0, 0))


def solve_by_linear_programme(keeps, together, worth=None):
    """The value to pone with given keeps, in sequence form (Koller, Megiddo, von Stengel).

    The value is net points, or `worth` of the numbers of both keeps and what `leaves` asks for.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix, hstack

    numbers = ({(): 0}, {(): 0})  # sequences of choices of each player, the empty one first
    parents = ([], [])  # (information set, number of the sequence before it)
    sets = ({}, {})
    cells = defaultdict(float)

    def number(player, keep, chosen):
        if not chosen:
            return 0
        key = keep, chosen
        if key not in numbers[player]:
            before = number(player, keep, chosen[:-1])
            at = sets[player].setdefault((keep, chosen[-1][0]), (len(sets[player]), before))
            numbers[player][key] = len(numbers[player])
            parents[player].append((at[0], numbers[player][key]))
        return numbers[player][key]

    for (p, pone), (d, dealer) in product(enumerate(keeps), enumerate(keeps)):
        if together[p, d]:
            of_keeps = worth and partial(worth, p, d)
            for chosen, net in leaves(pone, dealer, of_keeps):
                cell = number(0, pone, chosen[0]), number(1, dealer, chosen[1])
                cells[cell] += together[p, d] * net
    rows, columns = np.array(list(cells)).T
    payoff = coo_matrix((list(cells.values()), (rows, columns)), (len(numbers[0]), len(numbers[1])))

    def flow(player):
        """One for the empty sequence; for each set, what is chosen is what came there."""
        entries = [(0, 0, 1.0)]
        entries += [(at + 1, sequence, 1.0) for at, sequence in parents[player]]
        entries += [(at + 1, before, -1.0) for at, before in sets[player].values()]
        row, column, value = zip(*entries, strict=True)
        return coo_matrix((value, (row, column)), (len(sets[player]) + 1, len(numbers[player])))

    mine, theirs = flow(0), flow(1)
    # Maximise q_0 where theirs' q <= payoff' x, mine x = (1, 0, …), x >= 0.
    bound = hstack([-payoff.T, theirs.T]).tocsr()
    equal = hstack([mine, coo_matrix((mine.shape[0], theirs.shape[0]))]).tocsr()
    objective = np.zeros(bound.shape[1])
    objective[payoff.shape[0]] = -1
    right = np.zeros(equal.shape[0])
    right[0] = 1
    limits = [(0, None)] * payoff.shape[0] + [(None, None)] * theirs.shape[0]
    found = linprog(
        objective, bound, np.zeros(bound.shape[0]), equal, right, bounds=limits, method="highs"
    )
    assert found.success
    return -found.fun
