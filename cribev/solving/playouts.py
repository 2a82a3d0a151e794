"""Deals played out by two experts, as the points fall: what the race to 121 is solved from."""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cribev.classes.canonical import Policy, classify_deals
from cribev.game.cards import JACK, Cards, random_hands
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import ROLES, Role
from cribev.game.score import HEELS, WINNING_SCORE
from cribev.game.scoring import score_hands
from cribev.solution.keeps import rank_keep_numbers
from cribev.solution.play import KeepFrequencies
from cribev.solving.play_solver import PlaySolver
from cribev.solving.race import OutcomeCounts, count_outcomes
from cribev.solving.sampling import sample_plays
from cribev.solving.tree import PlayTables, most_alone

WIN_TABLE_DEALS = 10_000_000
"""How many deals the shipped win table is from."""

_BLOCKS = 40  # flat in memory; how far they are apart gives the standard error
_SEED = 121
_BLOCK = 1 << 16  # hands at a time: what is made for them stays small
_MOST_EVENTS = 16  # times in a play that anybody pegs

Discards: TypeAlias = Policy | KeepFrequencies
"""How a role throws: a policy, uint16 ``(18395, 187)``, equal keeps equally often; or how often
each keep of a class is kept."""


class ShownDeals(NamedTuple):
    """Deals thrown and shown, each array by deal, ``(n,)``."""

    pone: NDArray[np.intp]
    """Pone's keep, a number of `GameSize.holdings`."""
    dealer: NDArray[np.intp]
    heels: NDArray[np.uint8]
    """The dealer's points for the starter: 2 where it is a jack."""
    pone_hand: NDArray[np.uint8]
    """Points, as those that follow."""
    dealer_hand: NDArray[np.uint8]
    crib: NDArray[np.uint8]


def deal_and_show(policies: Mapping[Role, Discards], deals: int, *, seed: int) -> ShownDeals:
    """Deal, throw as each role does, and show."""
    cards = random_hands(deals, cards=13, seed=seed)
    generator = np.random.default_rng([seed, 1])
    starters = cards[:, 12]
    numbers, kept, thrown = {}, {}, {}
    for at, role in enumerate(ROLES[::-1]):
        hands = np.sort(cards[:, 6 * at : 6 * at + 6], axis=1)
        numbers[role], keeps = _sample_keeps(policies[role], hands, generator)
        rows = np.arange(deals)[:, None]
        kept[role], thrown[role] = hands[rows, KEEPS[keeps]], hands[rows, DISCARDS[keeps]]
    cribs = np.concatenate([thrown["pone"], thrown["dealer"]], axis=1)
    return ShownDeals(
        numbers["pone"],
        numbers["dealer"],
        np.where(starters >> 2 == JACK, HEELS, 0).astype(np.uint8),
        score_hands(kept["pone"], starters),
        score_hands(kept["dealer"], starters),
        score_hands(cribs, starters, crib=True),
    )


def _sample_keeps(
    policy: Discards, hands: Cards, generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the number of the ranks kept, 0..1819, and of the keep, 0..14."""
    numbers, keeps = (np.empty(len(hands), dtype=np.intp) for _ in range(2))
    for start in range(0, len(hands), _BLOCK):
        part = slice(start, start + _BLOCK)
        classes, patterns = classify_deals(hands[part])
        if isinstance(policy, KeepFrequencies):
            below = policy.share[classes].cumsum(axis=1)
            chance = generator.random((len(classes), 1)) * below[:, -1:]
            keeps[part] = (below[:, :-1] <= chance).sum(axis=1)
        else:
            sets = policy[classes, patterns].astype(np.int64)
            chance = generator.random((len(sets), 15), dtype=np.float32)
            keeps[part] = np.where(sets[:, None] >> np.arange(15) & 1, chance, -1).argmax(axis=1)
        numbers[part] = rank_keep_numbers()[classes, keeps[part]]
    return numbers, keeps


def pegging_events(
    tables: PlayTables,
    pone: NDArray[np.integer],
    dealer: NDArray[np.integer],
    laid: NDArray[np.int8],
) -> NDArray[np.int8]:
    """List what is pegged, in order: int8 ``(n, 16)``, the dealer's positive, pone's negative.

    ``pone`` and ``dealer`` are the ranks they keep, ascending, ``(n, kept)``; ``laid`` the ranks in
    the order they are laid, as from `sample_plays`. A player left alone pegs the most that can be.
    """
    points = np.zeros((len(laid), _MOST_EVENTS), dtype=np.int8)
    keeps = np.stack([pone, dealer]).astype(np.int64)
    _fill_events(tables.next_state, tables.points, keeps, laid, points)
    return points


@njit(nogil=True)
def _fill_events(next_state, points, keeps, laid, found):
    """Write `pegging_events` of keeps, int64 ``(2, n, kept)``, to ``found``, int8 ``(n, 16)``."""
    kept = keeps.shape[2]
    left = np.empty(2, dtype=np.int64)
    for one in range(len(laid)):
        held = keeps[:, one].copy()
        left[:] = kept
        turn, state, go, last, cards, at = 0, 0, False, 0, 0, 0
        while left[0] or left[1]:
            if min(left[0], left[1]) == 0 and max(left[0], left[1]) > 1:
                turn = 0 if left[0] else 1
                sign = 1 if turn else -1
                if state != 0 and next_state[state, held[turn, 0]] < 0:
                    found[one, at] = -sign
                    at, state = at + 1, 0
                found[one, at] = sign * most_alone(
                    next_state, points, state, False, 0, held[turn, : left[turn]]
                )
                break
            if left[turn] == 0 or next_state[state, held[turn, 0]] < 0:
                if not go and left[1 - turn]:
                    go, turn = True, 1 - turn
                    continue
                found[one, at] = 1 if last else -1
                at, state, go = at + 1, 0, False
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
            gained, state, last = points[state, rank], next_state[state, rank], turn
            if state != 0 and left[0] == 0 and left[1] == 0:
                gained += 1
            if gained:
                found[one, at] = gained if turn else -gained
                at += 1
            if state == 0:
                go = False
                turn = 1 - last if left[1 - last] else last
            elif not go and left[1 - turn]:
                turn = 1 - turn


def played_events(solver: PlaySolver, shown: ShownDeals, *, seed: int) -> NDArray[np.int8]:
    """Play deals by the average strategies, and list the points as they fall, heels apart.

    They are as in `pegging_events`, and then those of pone's hand, the dealer's, and the crib.
    """
    holdings = solver.size.holdings(solver.size.kept)
    generator = np.random.default_rng([seed, 2])
    laid = sample_plays(solver, shown.pone, shown.dealer, generator)
    play = pegging_events(solver.tables, holdings[shown.pone], holdings[shown.dealer], laid)
    hands = [shown.pone_hand, shown.dealer_hand, shown.crib]
    signed = [sign * points.astype(np.int8) for sign, points in zip((-1, 1, 1), hands, strict=True)]
    return np.column_stack([play, *signed])


class DealtCounts(NamedTuple):
    """What deals decide after the cut, by what is cut."""

    no_jack: OutcomeCounts
    jack: OutcomeCounts


def play_deals_out(
    solver: PlaySolver,
    policies: Mapping[Role, Discards],
    *,
    deals: int,
) -> DealtCounts:
    """Play deals out by policies and average strategies; every block has a seed of its own."""
    # No jack and a jack; who is first and the points in all.
    shape = 2, 2, _BLOCKS, WINNING_SCORE + 1, WINNING_SCORE + 1
    found = np.zeros(shape, dtype=np.int64)
    for block in range(_BLOCKS):
        shown = deal_and_show(policies, deals // _BLOCKS, seed=_SEED + block)
        events = played_events(solver, shown, seed=_SEED + block)
        for jack in range(2):
            found[jack, :, block] = count_outcomes(events[(shown.heels > 0) == jack])
    return DealtCounts(OutcomeCounts(*found[0]), OutcomeCounts(*found[1]))
