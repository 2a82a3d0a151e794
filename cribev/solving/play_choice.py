"""What is done where there is a choice: regret matching, and the best response, compiled.

A table of choices holds a number for each rank that fits and each holding of the cards left after
it. Of regrets the positive part is kept (CFR+: Tammelin, https://arxiv.org/abs/1407.5042), and each
choice is made in proportion to its own; so too of the sums of past choices, for the average.
"""

import numpy as np
from numba import njit

UPDATE, RESPOND = 0, 1
"""What a walk is made for: a round of the solver, or the best response to the averages."""

LANES, ROWS = 16, 13
"""A square of one card by another, whatever the deck: loops of known length take far less time."""
NEVER = np.float32(-1e30)
_NOTHING = np.float32(1e-30)


@njit(nogil=True, fastmath=True, error_model="numpy")
def chosen(table, start, fits, plus, cards, width, below, chances, depth, totals, counts):
    """Write how often each choice of each holding is made: all alike where the table is empty."""
    for holding in range(width):
        totals[depth, holding] = 0
        counts[depth, holding] = 0
    for rank in range(fits):
        for left in range(below):
            holding = plus[cards, rank, left]
            totals[depth, holding] += table[start + rank * below + left]
            counts[depth, holding] += 1
    for rank in range(fits):
        for left in range(below):
            holding = plus[cards, rank, left]
            total = totals[depth, holding]
            if total > _NOTHING:
                chance = table[start + rank * below + left] / total
            else:
                chance = np.float32(1) / counts[depth, holding]
            chances[depth, rank * below + left] = chance


@njit(nogil=True, fastmath=True, error_model="numpy")
def updated(
    regrets, sums, weight, start, fits, plus, cards, below, chances, gains, depth, value, reach, at
):
    """Add what each choice would have gained to its regret, and how often it was made."""
    for rank in range(fits):
        for left in range(below):
            holding = plus[cards, rank, left]
            cell, choice = start + rank * below + left, rank * below + left
            regret = regrets[cell] + gains[depth, choice] - value[depth, holding]
            regrets[cell] = max(regret, np.float32(0))
            sums[cell] += weight * reach[at, holding] * chances[depth, choice]


@njit(nogil=True, fastmath=True, error_model="numpy")
def chosen_of_two(table, row, fits, chance, turned):
    """Write, for two cards left, how often each rank is laid and which is left, rank by rank."""
    for rank in range(fits):
        for left in range(LANES):
            chance[rank, left] = table[row + rank, left]
    for rank in range(fits):
        for left in range(fits):
            turned[rank, left] = chance[left, rank]
        for left in range(fits, LANES):
            turned[rank, left] = 0
    for rank in range(fits):
        for left in range(LANES):
            total = chance[rank, left] + turned[rank, left]
            share = chance[rank, left] / total if total > _NOTHING else np.float32(0.5)
            chance[rank, left] = share if left < fits else np.float32(1)
        chance[rank, rank] = 1


@njit(nogil=True, fastmath=True, error_model="numpy")
def updated_of_two(
    regrets, sums, weight, row, fits, ranks, chance, gain, turned, reach, value, depth, plus
):
    """Do for two cards left what `updated` does, and write their value."""
    for rank in range(fits):
        for left in range(fits):
            turned[rank, left] = chance[left, rank] * gain[left, rank]
        for left in range(fits, LANES):
            turned[rank, left] = 0
        turned[rank, rank] = 0
    for rank in range(fits):
        for left in range(LANES):
            both = chance[rank, left] * gain[rank, left] + turned[rank, left]
            regret = regrets[row + rank, left] + gain[rank, left] - both
            regrets[row + rank, left] = max(regret, np.float32(0))
            sums[row + rank, left] += weight * reach[rank, left] * chance[rank, left]
            turned[rank, left] = both
        for left in range(rank, ranks):
            value[depth, plus[2, rank, left]] = turned[rank, left]


@njit(nogil=True, fastmath=True, error_model="numpy")
def best_of_two(fits, ranks, gain, value, depth, plus):
    """Write the value of two cards left when the better is laid."""
    for rank in range(fits):
        for left in range(rank, ranks):
            best = gain[rank, left]
            if left < fits:
                best = max(best, gain[left, rank])
            value[depth, plus[2, rank, left]] = best
