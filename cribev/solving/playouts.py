"""Deals played out by two experts, as the points fall: what the race to 121 is made of.

Half is numpy: deals, discards, hands and cribs. Half is compiled: the play as it was drawn, and for
each deal which of two needs is made first. By needs that is a few rectangles a deal, so only their
corners are noted, and summed up in the end.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cribev.classes.canonical import Policy, classify_deals
from cribev.game.cards import JACK, Cards, random_hands
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import ROLES, Role
from cribev.game.score_notation import WINNING_SCORE
from cribev.game.scoring import score_hands
from cribev.solved.keeps import rank_keep_numbers
from cribev.solved.win_table import OutcomeCounts, WinTable, solve_win_table
from cribev.solving.cfr import PlaySolver
from cribev.solving.sampling import sample_plays
from cribev.solving.terminal import most_alone
from cribev.solving.tree import Tables

DEALS = 10_000_000
"""How many are dealt for what is shipped."""

BLOCKS = 40
"""In how many parts, flat in memory; how far these are apart tells the error."""

_AT_ONCE = 1 << 16  # hands at a time: what is made for them stays small
_MOST = 16  # times in a play that anybody pegs


class Dealt(NamedTuple):
    """Deals thrown and shown, each array by deal."""

    pone: NDArray[np.intp]
    """Pone's keep, a number of `play_tables.Deck.holdings`, ``(n,)``."""
    dealer: NDArray[np.intp]
    heels: NDArray[np.uint8]
    """2 where the starter is a jack."""
    pone_hand: NDArray[np.uint8]
    """Points, ``(n,)``, as those that follow."""
    dealer_hand: NDArray[np.uint8]
    crib: NDArray[np.uint8]


def deal_and_show(policies: Mapping[Role, Policy], deals: int, *, seed: int) -> Dealt:
    """Deal, throw by policies, equal keeps as often as each other, and show.

    Parameters
    ----------
    policies
        Sets of keeps, uint16 ``(18395, 187)``, by role.
    deals
        How many.
    seed
        Of chance.
    """
    cards = random_hands(deals, cards=13, seed=seed)
    generator = np.random.default_rng([seed, 1])
    starters = cards[:, 12]
    numbers, kept, thrown = {}, {}, {}
    for at, role in enumerate(ROLES[::-1]):
        hands = np.sort(cards[:, 6 * at : 6 * at + 6], axis=1)
        numbers[role], keeps = _thrown(policies[role], hands, generator)
        rows = np.arange(deals)[:, None]
        kept[role], thrown[role] = hands[rows, KEEPS[keeps]], hands[rows, DISCARDS[keeps]]
    cribs = np.concatenate([thrown["pone"], thrown["dealer"]], axis=1)
    return Dealt(
        numbers["pone"],
        numbers["dealer"],
        np.where(starters >> 2 == JACK, 2, 0).astype(np.uint8),
        score_hands(kept["pone"], starters),
        score_hands(kept["dealer"], starters),
        score_hands(cribs, starters, crib=True),
    )


def _thrown(
    policy: Policy, hands: Cards, generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which ranks are kept, and which keep it is."""
    numbers, keeps = (np.empty(len(hands), dtype=np.intp) for _ in range(2))
    for start in range(0, len(hands), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        classes, patterns = classify_deals(hands[part])
        sets = policy[classes, patterns].astype(np.int64)
        chance = generator.random((len(sets), 15), dtype=np.float32)
        keeps[part] = np.where(sets[:, None] >> np.arange(15) & 1, chance, -1).argmax(axis=1)
        numbers[part] = rank_keep_numbers()[classes, keeps[part]]
    return numbers, keeps


def pegging_events(
    tables: Tables, pone: NDArray[np.integer], dealer: NDArray[np.integer], laid: NDArray[np.int8]
) -> NDArray[np.int8]:
    """List what is pegged, in the order it is.

    Parameters
    ----------
    tables
        Of the play.
    pone, dealer
        Ranks they keep, ascending, ``(n, kept)`` each.
    laid
        Ranks in the order they are laid, as from `sampling.sample_plays`: none from where each has
        one card left, or one none. Who is alone then lays his as is best for him.

    Returns
    -------
    Points, int8 ``(n, 16)``, the dealer's above nought, pone's below; noughts at the end.

    Raises
    ------
    ValueError
        If a card is laid that is not in hand.
    """
    points = np.zeros((len(laid), _MOST), dtype=np.int8)
    _pegged(tables.next, tables.points, np.stack([pone, dealer]).astype(np.int64), laid, points)
    return points


@njit(nogil=True)
def _pegged(following, points, keeps, laid, found):
    kept = keeps.shape[2]
    left = np.empty(2, dtype=np.int64)
    for one in range(len(laid)):
        held = keeps[:, one].copy()
        left[:] = kept
        turn, state, alone, last, cards, at = 0, 0, False, 0, 0, 0
        while left[0] or left[1]:
            if min(left[0], left[1]) == 0 and max(left[0], left[1]) > 1:
                turn = 0 if left[0] else 1
                sign = 1 if turn else -1
                if state != 0 and following[state, held[turn, 0]] < 0:
                    found[one, at] = -sign
                    at, state = at + 1, 0
                found[one, at] = sign * most_alone(
                    state, False, 0, held[turn, : left[turn]], following, points
                )
                break
            if left[turn] == 0 or following[state, held[turn, 0]] < 0:
                if not alone and left[1 - turn]:
                    alone, turn = True, 1 - turn
                    continue
                found[one, at] = 1 if last else -1
                at, state, alone = at + 1, 0, False
                turn = 1 - last if left[1 - last] else last
                continue
            rank = held[turn, 0]
            if left[0] > 1 or left[1] > 1:
                rank, cards = np.int64(laid[one, cards]), cards + 1
            place = 0
            while place < left[turn] and held[turn, place] != rank:
                place += 1
            if place == left[turn]:
                raise ValueError("a card is laid that is not in hand")
            left[turn] -= 1
            for move in range(place, left[turn]):
                held[turn, move] = held[turn, move + 1]
            gained, state, last = points[state, rank], following[state, rank], turn
            if state != 0 and left[0] == 0 and left[1] == 0:
                gained += 1
            if gained:
                found[one, at] = gained if turn else -gained
                at += 1
            if state == 0:
                alone = False
                turn = 1 - last if left[1 - last] else last
            elif not alone and left[1 - turn]:
                turn = 1 - turn


def count_outcomes(events: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count who makes which need first, and what it comes to in all.

    Parameters
    ----------
    events
        Points as they fall, ``(n, m)``, the dealer's above nought, pone's below.

    Returns
    -------
    A block of `OutcomeCounts.dealer_first` and of `OutcomeCounts.totals`, ``(122, 122)`` each.

    Examples
    --------
    Pone makes three, then the dealer two:

    >>> first, totals = count_outcomes(np.array([[-3, 2]], dtype=np.int8))
    >>> int(totals[2, 3]), [int(first[2, 3]), int(first[2, 4]), int(first[3, 4])]
    (1, [0, 1, 0])
    """
    corners = np.zeros((WINNING_SCORE + 2, WINNING_SCORE + 2), dtype=np.int64)
    totals = np.zeros((WINNING_SCORE + 1, WINNING_SCORE + 1), dtype=np.int64)
    _count(events, corners, totals)
    return corners.cumsum(axis=0).cumsum(axis=1)[:-1, :-1], totals


@njit(nogil=True)
def _count(events, corners, totals):
    for one in range(len(events)):
        made = np.zeros(2, dtype=np.int64)  # the dealer's points, and pone's
        for at in range(events.shape[1]):
            gained = np.int64(events[one, at])
            if gained > 0:  # he makes the needs up to his new score, if pone's is yet to be made
                corners[made[0] + 1, made[1] + 1] += 1
                made[0] = min(made[0] + gained, WINNING_SCORE)
                corners[made[0] + 1, made[1] + 1] -= 1
            else:
                made[1] = min(made[1] - gained, WINNING_SCORE)
        totals[made[0], made[1]] += 1


def estimate_win_table(
    solver: PlaySolver,
    policies: Mapping[Role, Policy],
    *,
    deals: int = DEALS,
    blocks: int = BLOCKS,
    seed: int = 121,
) -> WinTable:
    """Play deals out and solve the race.

    Parameters
    ----------
    solver
        With the average strategies of the play.
    policies
        Sets of keeps, uint16 ``(18395, 187)``, by role.
    deals
        How many.
    blocks
        In how many parts, one after the other.
    seed
        Of chance; the same gives the same table.
    """
    holdings = solver.deck.holdings(solver.deck.kept)
    first, totals = np.zeros((2, blocks, WINNING_SCORE + 1, WINNING_SCORE + 1), dtype=np.int64)
    for block in range(blocks):
        shown = deal_and_show(policies, deals // blocks, seed=seed + block)
        generator = np.random.default_rng([seed + block, 2])
        laid = sample_plays(solver, shown.pone, shown.dealer, generator)
        play = pegging_events(solver.tables, holdings[shown.pone], holdings[shown.dealer], laid)
        events = np.column_stack(
            [
                shown.heels.astype(np.int8),
                play,
                -shown.pone_hand.astype(np.int8),
                shown.dealer_hand.astype(np.int8),
                shown.crib.astype(np.int8),
            ]
        )
        first[block], totals[block] = count_outcomes(events)
    return solve_win_table(OutcomeCounts(first, totals))
