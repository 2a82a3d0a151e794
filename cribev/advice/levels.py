"""Chances of each choice at each level, and the losses.

Most levels choose by quantal response: with chances as ``exp(value / temperature)``. How they value
a choice is in their `Habits`.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cribev.advice.options import Options
from cribev.classes.canonical import STARTERS, Floats
from cribev.classes.ranking import DiscardValues
from cribev.game.cards import SUITLESS_OFFSET, Cards, rank_of
from cribev.game.deal import Position
from cribev.game.roles import ROLES, Role, crib_sign
from cribev.opponents.counts import keep_chances
from cribev.opponents.habits import HABITS, Habits
from cribev.opponents.people import play_by_habits
from cribev.opponents.strategies import quantal_chances
from cribev.rows.pairs import published_cribs

_WIN_OF_POINT = 0.02  # what a point is worth near the end of a game, in chance to win


def choice_chances(level: str | Habits, options: Options) -> Floats:
    """Return how often a level, people or habits make each choice, ``(n,)``; the sum is 1."""
    if level == "expert":
        return _chances_of_expert(options)
    if level == "greedy":
        return _chances_of_greedy(options)
    habits = level if isinstance(level, Habits) else HABITS[level]
    temperature = habits.discards if options.is_discard else habits.cards
    if habits.to_win and options.decided:
        assert options.value is not None
        value, temperature = options.value, temperature * _WIN_OF_POINT * options.swing
    elif options.is_discard:
        value = _seen_of_discards(options.columns, options.role, habits)
        dealt = options.position.held.dealt
        kept = [[card for card in dealt if card not in choice] for choice in options.choices]
        value = (
            value - (1 - habits.flush) * keep_flush_points(np.array([dealt]), np.array([kept]))[0]
        )
    elif habits.danger is None:
        value = options.expected
    else:
        return _chances_of_cards(options, habits)
    return quantal_chances(value, temperature)


def discard_chances(level: str, values: DiscardValues, dealer: NDArray[np.bool_]) -> Floats:
    """Return how often a level makes each discard if points decide, for many deals, ``(N, 15)``.

    Takes what all 15 are worth, and who deals, ``(N,)``. It assumes that an expert makes the best
    discard, and that greedy knows the average cribs.
    """
    habits = HABITS[level]
    if level == "expert":
        seen = values.expected
    else:
        as_dealer, as_pone = (_seen_of_discards(values.columns(), role, habits) for role in ROLES)
        seen = np.where(dealer[:, None], as_dealer, as_pone)
    return quantal_chances(seen, habits.discards)


def discard_losses(level: str, values: DiscardValues, dealer: NDArray[np.bool_]) -> Floats:
    """Return the points that a level's discards lose on average if points decide, ``(N,)``."""
    lost = values.expected.max(axis=1, keepdims=True) - values.expected
    average: Floats = (discard_chances(level, values, dealer) * lost).sum(axis=1)
    return average


def greedy_discard(hands: Floats, choices: Sequence[Sequence[int]], role: Role) -> int:
    """Return the place of what a greedy player discards, by the average hands the choices leave."""
    low, high = np.array([[rank_of(card) for card in choice] for choice in choices]).T
    cribs = published_cribs("schell")[role][low, high]
    return int(np.round(hands + crib_sign(role) * cribs, 9).argmax())


def greedy_card(position: Position) -> int:
    """Return the card that pegs most at once, ties go to the highest rank, and its first card."""

    def gained(card: int) -> int:
        steps = position.play.play(card).steps
        last = [step for step in steps if step.card is not None][-1]
        return sum(peg.points for peg in last.pegs if peg.cards)

    best = max(position.legal, key=lambda card: (gained(card), rank_of(card)))
    return next(card for card in position.legal if rank_of(card) == rank_of(best))


def _chances_of_expert(options: Options) -> Floats:
    """Return how often an expert makes each choice; if not known, always the best."""
    held = options.position.held.dealt
    if not options.decided:
        if options.frequency is not None:
            return options.frequency
        if options.is_discard and max(held) < SUITLESS_OFFSET:
            return keep_chances(held, role=options.role)
    best = options.rank == 1
    chances: Floats = best / best.sum()
    return chances


def _chances_of_greedy(options: Options) -> Floats:
    """Return 1 for the choice of a greedy player, else 0."""
    if options.is_discard:
        index = greedy_discard(options.columns["hand_mean"], options.choices, options.role)
    else:
        index = options.index((greedy_card(options.position),))
    chances: Floats = np.eye(len(options.choices))[index]
    return chances


def _seen_of_discards(columns: Mapping[str, Floats], role: Role, habits: Habits) -> Floats:
    """Return what a level thinks the discards are worth, in points."""
    hand, crib = columns["hand_mean"], columns["crib_mean"]
    return habits.seen(hand, crib, columns.get("play_mean", 0.0), role)


def keep_flush_points(deals: Cards, kept: Cards) -> Floats:
    """Return what flushes of keeps of deals, ``(n, m, 4)``, bring on average, ``(n, m)``."""
    suits = kept & 3
    known = (deals < SUITLESS_OFFSET).all(axis=1, keepdims=True)
    suited = (suits == suits[..., :1]).all(axis=2) & known
    held = (suits[..., :1] == (deals & 3)[:, None]).sum(axis=2)
    return np.where(suited, 4 + (13 - held) / STARTERS, 0.0)


def _chances_of_cards(options: Options, habits: Habits) -> Floats:
    """Return how often an opponent with these habits plays each card."""
    position = options.position
    strategy = play_by_habits("", habits)
    chances = strategy.choices(strategy.node(position.play.history), position.left_ranks)
    return np.asarray(chances[[rank_of(card) for (card,) in options.choices]])
