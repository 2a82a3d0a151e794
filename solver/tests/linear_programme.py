"""The play between a few hands as a linear programme, over every way it can go by the rules.

Ranks and tables are those of `play_oracle`.
"""

from collections import defaultdict
from functools import partial
from itertools import product

import numpy as np
import play_oracle
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, hstack


def leaves(pone, dealer, worth=None):
    """All ways the play can go: for each, what each chose where there was a choice, and net points.

    A choice is (history, rank), with history all that was played and said before. With `worth` a
    play is worth what it says of the points of pone and of the dealer, and over once it is not
    None; whether it has to be, the last argument says.
    """
    worth = worth or (lambda pone, dealer, over: pone - dealer if over else None)

    def go_on(table, history, chosen, points):
        value = worth(*points, play_oracle.is_over(table))
        if value is not None:
            yield chosen, value
            return
        turn = table[1]
        for rank in play_oracle.options(table) or [None]:
            after, (own, other) = play_oracle.move(table, rank)
            mine = chosen[turn] if rank is None else (*chosen[turn], (history, rank))
            both = (mine, chosen[1]) if turn == 0 else (chosen[0], mine)
            so_far = points[0] + own, points[1] + other
            yield from go_on(after, (*history, rank), both, so_far)

    yield from go_on(play_oracle.start(pone, dealer), (), ((), ()), (0, 0))


def solve_by_linear_programme(keeps, together, worth=None):
    """The value to pone with given keeps, in sequence form (Koller, Megiddo, von Stengel).

    The value is net points, or `worth` of the numbers of both keeps and what `leaves` asks for.
    """
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
