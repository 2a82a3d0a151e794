"""Hands to throw: a seed deals the same to everybody, what follows a discard included.

The opponent's discard and the starter are dealt with the hand, as in duplicate games: two players
who throw the hands of a seed have the same luck up to their discards, so their losses compare.
"""

from collections import deque
from collections.abc import Iterator
from secrets import randbelow
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.batch.evaluate import best_discards
from cribev.batch.evaluators import DealBatch, class_table_values, plan_evaluation
from cribev.choice import DEFAULT_BANDS, NEAR_TIE, TIE_TOLERANCE, net_points
from cribev.errors import CribevError, quote
from cribev.game.cards import Cards, random_hands
from cribev.game.roles import ROLES, Role, role_of
from cribev.game.score import MAX_SCORE_BEFORE, NEAR_END, WINNING_SCORE
from cribev.opponents.discarders import Opponent, as_opponent
from cribev.reviews.review import CONTESTED_MARGIN

SEED_LIMIT = 10**6
"""Seeds that are drawn are below this, short enough to tell a friend."""

_BLOCK = 256  # deals drawn at a time: part of what a seed means
_CLOSE = 10  # points apart, at most
_CARDS_DRAWN = 13  # six cards each, and the starter


class Hand(NamedTuple):
    """A hand to throw from, and what follows whatever is thrown; cards as numbers, ascending."""

    role: Role
    cards: tuple[int, ...]
    """The six cards."""
    opponent_cards: tuple[int, ...]
    opponent_discard: tuple[int, ...]
    """An expert's best discard."""
    starter: int
    seed: int | None = None
    number: int | None = None
    """Its number among the hands of the seed, from 1; or of the deal in a game."""
    score: tuple[int, int] | None = None
    """Points of the player and the opponent before the deal, if chances to win are to decide."""

    @property
    def deal(self) -> Cards:
        """The six cards, uint8 ``(6,)``."""
        return np.array(self.cards, np.uint8)

    @property
    def dealer(self) -> bool:
        """Whether the crib is the player's."""
        return self.role == ROLES[0]


def new_seed() -> int:
    """Draw a seed.

    >>> 0 <= new_seed() < SEED_LIMIT
    True
    """
    return randbelow(SEED_LIMIT)


def hands_of(
    seed: int,
    *,
    role: Role | None = None,
    hard: bool = False,
    score: tuple[int, int] | Literal["close"] | None = None,
) -> Iterator[Hand]:
    """Deal the hands of a seed, one after another without end.

    They are the same on every machine and with every numpy; the opponent's discards, and which
    hands are hard, depend on the solved game that comes with the package. With a ``role`` the crib
    is always that player's; without one the deal alternates, and the player deals first. With a
    score, points of the player and the opponent, chances to win decide; ``"close"`` draws one for
    each hand: 91 points or more for the player, and for the opponent at most 10 more or fewer.
    `CribevError` if the seed is not a whole number from 0 up, or the score is so far from the end
    that points decide.

    >>> from cribev import format_cards
    >>> hand = next(hands_of(7))
    >>> hand.role, format_cards(hand.cards), format_cards([hand.starter])
    ('dealer', 'AH 2S 3S 9H TD JC', '7C')
    """
    if type(seed) is not int or seed < 0:
        raise CribevError(f"{quote(repr(seed))} is no seed: expected a whole number from 0 up")
    if isinstance(score, tuple) and max(score) < WINNING_SCORE - NEAR_END:
        raise CribevError(
            f"{score[0]}-{score[1]} is far from the end, and points decide: expected a score at "
            f"which a player needs {NEAR_END} points or fewer"
        )
    expert = as_opponent("expert")
    hands = _numbered(seed, _dealt(seed, role, hard, expert), role)
    if score is None:
        return hands
    return (
        hand._replace(score=_close_score(seed, number) if score == "close" else score)
        for number, hand in enumerate(hands, 1)
    )


def is_hard(deals: Cards, dealer: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which deals ``(N, 6)`` are hard: close, and misleading; a tenth of all deals.

    The best discard is ahead of the second by at most `CONTESTED_MARGIN` points but by more than a
    near-tie; and the discard with the best hand, or the best hand and crib, loses an inaccuracy
    or more. ``dealer`` says whether the crib is the player's, ``(N,)``.

    >>> from cribev import parse_cards
    >>> deals = parse_cards("AH 2S 3S 9H TD JC 5H 5D JS QC 2H 8D").reshape(2, 6)
    >>> is_hard(deals, np.array([True, True])).tolist()
    [True, False]
    """
    values = class_table_values(DealBatch.of(deals, dealer), as_opponent("expert"))
    margin = values.best.margin
    best = values.expected.max(axis=1)
    misled = np.zeros(len(deals), dtype=bool)
    for estimate in (values.hand, net_points(values.hand, values.crib, dealer)):
        tempting = estimate + TIE_TOLERANCE >= estimate.max(axis=1, keepdims=True)
        found = np.where(tempting, values.expected, -np.inf).max(axis=1)
        misled |= best - found >= DEFAULT_BANDS.inaccuracy
    return misled & (margin > NEAR_TIE) & (margin <= CONTESTED_MARGIN)


def _close_score(seed: int, number: int) -> tuple[int, int]:
    """Draw a score for a hand of a seed."""
    raw = np.random.SeedSequence([seed, number, _CLOSE]).generate_state(2, np.uint64).tolist()
    one = MAX_SCORE_BEFORE - raw[0] % (NEAR_END - 1)
    other = one + raw[1] % (2 * _CLOSE + 1) - _CLOSE
    return one, min(other, MAX_SCORE_BEFORE)


def _dealt(
    seed: int, role: Role | None, hard: bool, opponent: Opponent
) -> Iterator[tuple[bool, Cards, Cards]]:
    """Deal block by block: whether the player deals, the cards drawn, and the opponent's throw."""
    block = 0
    while True:
        (drawn_by,) = np.random.SeedSequence([seed, block]).generate_state(1, np.uint64)
        drawn = random_hands(_BLOCK, cards=_CARDS_DRAWN, seed=int(drawn_by))
        dealer = np.arange(_BLOCK) % 2 == 0 if role is None else np.full(_BLOCK, role == ROLES[0])
        if hard:
            wanted = is_hard(drawn[:, :6], dealer)
            drawn, dealer = drawn[wanted], dealer[wanted]
        thrown = best_discards(
            plan_evaluation(DealBatch.of(drawn[:, 6:12], ~dealer), opponent)
        ).best_discard
        yield from zip(dealer.tolist(), drawn, thrown, strict=True)
        block += 1


def _numbered(
    seed: int, dealt: Iterator[tuple[bool, Cards, Cards]], role: Role | None
) -> Iterator[Hand]:
    """Give hands their numbers; without a role, let the deal alternate."""
    waiting: dict[bool, deque[tuple[Cards, Cards]]] = {True: deque(), False: deque()}
    dealer, number = role != ROLES[1], 1
    for own, cards, thrown in dealt:
        waiting[own].append((cards, thrown))
        while waiting[dealer]:
            drawn, throw = waiting[dealer].popleft()
            yield Hand(
                role=role_of(dealer),
                cards=tuple(np.sort(drawn[:6]).tolist()),
                opponent_cards=tuple(np.sort(drawn[6:12]).tolist()),
                opponent_discard=tuple(throw.tolist()),
                starter=int(drawn[12]),
                seed=seed,
                number=number,
            )
            number += 1
            dealer = dealer if role else not dealer
