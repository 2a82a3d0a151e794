"""The states of a count: what the points of the cards to come can depend on.

That is the count, and the last cards laid as far as a run or a pair may still use them.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.game.cards import PIP_VALUES
from cribev.game.play import LIMIT, points_for_last_card


class PlayStates(NamedTuple):
    """The rules of a count in tables; ``S`` states by ``R`` ranks."""

    next_state: NDArray[np.int32]
    """State after a rank, ``(S, R)``; 0, where nothing is laid, after 31; -1 if it does not fit."""
    points: NDArray[np.int8]
    """Points for it, the go and the last card apart, ``(S, R)``."""

    @property
    def fits(self) -> NDArray[np.int64]:
        """How many ranks fit, always the lowest, ``(S,)``."""
        fits: NDArray[np.int64] = (self.next_state >= 0).sum(axis=1)
        return fits


def tabulate_states(ranks: Sequence[int]) -> PlayStates:
    """Tabulate the states of a count of some ranks, those with the same future as one.

    All 13 ranks have 22,498 states and take some 5 seconds.

    >>> states = tabulate_states((4, 9))  # fives and tens
    >>> after_five = states.next_state[0, 0]
    >>> states.points[after_five].tolist(), len(states.next_state)  # a pair, or fifteen
    ([2, 2], 18)
    """
    rows: dict[tuple[tuple[int, int], ...], int] = {(): 0}
    known: dict[tuple[int, tuple[int, ...]], int] = {}

    def number(count: int, laid: tuple[int, ...]) -> int:
        key = count, _in_play(count, laid, ranks)
        if key not in known:
            row = []
            for rank in ranks:
                after, cards = count + PIP_VALUES[rank], (*key[1], rank)
                if after > LIMIT:  # a fifth of a rank fits: nobody has it, and it costs no more
                    row.append((-1, 0))
                    continue
                gained = sum(points for _, points, _ in points_for_last_card(cards, after))
                row.append((0 if after == LIMIT else number(after, cards), gained))
            known[key] = rows.setdefault(tuple(row), len(rows))
        return known[key]

    number(0, ())
    *others, first = list(rows)[1:]
    table = np.array([first, *others])
    return PlayStates(table[..., 0].astype(np.int32), table[..., 1].astype(np.int8))


def _in_play(count: int, laid: tuple[int, ...], ranks: Sequence[int]) -> tuple[int, ...]:
    """Drop the cards that no pair or run to come can use."""
    alike = 1
    while alike < len(laid) and laid[-1 - alike] == laid[-1]:
        alike += 1
    if alike > 1:
        return laid[-min(alike, 4) :]
    keep = min(1, len(laid))
    for length in range(2, len(laid) + 1):
        cards = laid[-length:]
        if len(set(cards)) < length:
            break
        low, high = min(cards), max(cards)
        missing = set(range(low, high)) - set(cards)
        beside = [PIP_VALUES[rank] for rank in (low - 1, high + 1) if rank in ranks]
        needed = (
            sum(PIP_VALUES[rank] for rank in missing) if missing else min(beside, default=LIMIT)
        )
        if missing <= set(ranks) and count + needed <= LIMIT:
            keep = length
    return laid[len(laid) - keep :]
