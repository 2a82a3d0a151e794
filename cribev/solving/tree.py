"""The play as a game in tables: states of a count, holdings, and what is forced at the end.

A *state* is what the points of the cards still to come can depend on: the count, and the end of the
cards laid as far as a run or a pair may yet use it. Holdings are multisets of ranks, numbered in
the order of ``combinations_with_replacement``. Where each player has one card left all is forced,
and where one has none the other lays the rest out as is best for him, so the game is over there
for the solver. Rows over holdings are padded to multiples of 16 floats, the width of a vector.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.game.cards import PIP_VALUES
from cribev.game.play_rules import LIMIT, points_for_last_card
from cribev.solved.keeps import GameSize

LANES = 16
"""Floats in a vector; rows over one card are this long."""


class Tables(NamedTuple):
    """What the traversal looks up; ``R`` ranks, ``S`` states, holdings padded to ``W``."""

    next: NDArray[np.int32]
    """State after a rank, ``(S, R)``; 0, where nothing is laid, after 31; -1 if it does not fit."""
    points: NDArray[np.int8]
    """Points for it, ``(S, R)``."""
    fits: NDArray[np.int64]
    """How many ranks fit, always the lowest, ``(S,)``."""
    low: NDArray[np.int64]
    """Lowest rank of each holding, by cards, ``(kept + 1, W)``."""
    plus: NDArray[np.int32]
    """Holding of so many cards from one with a card fewer and a rank, ``(kept + 1, R, W)``."""
    joined: NDArray[np.int32]
    """Keep from cards laid and so many cards left, ``(kept + 1, laid, W)``."""
    width: NDArray[np.int64]
    """Holdings of so many cards, padded with at least one that cannot be, ``(kept + 1,)``."""
    forced: NDArray[np.int8]
    """Net points when each has one card: who moves and go, state, other's card, own card."""
    alone: NDArray[np.int8]
    """Net points of one who lays the rest alone, by state and holding from `alone_at`."""
    alone_at: NDArray[np.int64]


class Points(NamedTuple):
    """`Tables.forced` and `Tables.alone` apart: points of the one and of the other."""

    forced_own: NDArray[np.int8]
    forced_other: NDArray[np.int8]
    alone_own: NDArray[np.int8]
    alone_other: NDArray[np.int8]


def states(ranks: Sequence[int]) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    """Give the states of a count numbers, those with the same future the same.

    Returns
    -------
    Next state and points for each state and rank, as in `Tables`.

    Examples
    --------
    >>> following, points = states((4, 9))  # fives and tens
    >>> after_five = following[0, 0]
    >>> points[after_five].tolist(), len(following)  # a pair, or fifteen
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
    return table[..., 0].astype(np.int32), table[..., 1].astype(np.int8)


def _in_play(count: int, laid: tuple[int, ...], ranks: Sequence[int]) -> tuple[int, ...]:
    """Drop what lies too far back to be part of a pair or run to come."""
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


@cache
def tables(deck: GameSize) -> tuple[Tables, Points]:
    """Tabulate the play with a deck (seconds)."""
    following, points = states(deck.ranks)
    size, kept = len(deck.ranks), deck.kept
    width = np.array([-(-(deck.many(cards) + 1) // LANES) * LANES for cards in range(kept + 1)])
    holdings = [deck.holdings(cards) for cards in range(kept + 1)]
    numbers = [{tuple(row): at for at, row in enumerate(held.tolist())} for held in holdings]
    widest = int(width[kept - 1])

    low = np.full((kept + 1, int(width[kept])), size, dtype=np.int64)
    plus = np.zeros((kept + 1, size, widest), dtype=np.int32)
    joined = np.full((kept + 1, deck.many(kept - 1), widest), deck.many(kept), dtype=np.int32)
    for cards in range(1, kept + 1):
        low[cards, : len(holdings[cards])] = holdings[cards][:, 0]
        plus[cards] = deck.many(cards)  # the padding
        for at, row in enumerate(holdings[cards - 1].tolist()):
            for rank in range(size):
                plus[cards, rank, at] = numbers[cards][tuple(sorted([*row, rank]))]
    for left in range(1, kept):
        for at, laid in enumerate(holdings[kept - left].tolist()):
            for held, row in enumerate(holdings[left].tolist()):
                joined[left, at, held] = numbers[kept][tuple(sorted(laid + row))]

    from cribev.solving import terminal  # compiled

    forced_own, forced_other = terminal.forced(following, points)
    starts = np.concatenate([[0, 0, 0], np.cumsum(width[2:kept])]).astype(np.int64)[: kept + 1]
    alone_own, alone_other = (
        np.zeros((len(following), int(width[2:kept].sum())), dtype=np.int8) for _ in range(2)
    )
    for cards in range(2, kept):
        part = slice(int(starts[cards]), int(starts[cards] + deck.many(cards)))
        alone_own[:, part], alone_other[:, part] = terminal.alone(
            holdings[cards], following, points
        )
    return (
        Tables(
            following,
            points,
            (following >= 0).sum(axis=1),
            low,
            plus,
            joined,
            width.astype(np.int64),
            forced_own - forced_other,
            alone_own - alone_other,
            starts,
        ),
        Points(forced_own, forced_other, alone_own, alone_other),
    )


def padded(values: NDArray[Any], width: int) -> NDArray[np.float32]:
    """Fill up the last axis with noughts.

    Examples
    --------
    >>> padded(np.ones((2, 13)), 16).shape
    (2, 16)
    """
    wide = np.zeros((*values.shape[:-1], width), dtype=np.float32)
    wide[..., : values.shape[-1]] = values
    return wide
