"""Habits found from decisions that were made by habits: how far off, by their own errors."""

from itertools import product

import numpy as np
import pytest

from cribev.classes.canonical import classify_deals
from cribev.classes.class_tables import ClassTables
from cribev.game.cards import random_hands
from cribev.game.index_tables import KEEPS
from cribev.game.roles import ROLES
from cribev.opponents.habits import LEVELS, PEOPLE
from cribev.opponents.opponents import Opponent, Solved
from cribev.opponents.people import HABIT_RANGES, HabitsDiscards, habits_of, play_by_habits
from cribev.reviews.fits import (
    CARD_HABITS,
    DISCARD_HABITS,
    Choices,
    cards_seen,
    discards_seen,
    estimate_habits,
)
from cribev.solution.strategy import GameSize, PublicNode
from solver.playouts import by_chance, deal_and_show, play_out

SIZES, FITS = (50, 200, 1000), 20


def discards(habits, role, number, seed):
    """Make discards by habits, and return them as a fit sees them."""
    deals = np.sort(random_hands(number, seed=seed), axis=1)
    suits = (deals & 3)[:, KEEPS]
    held = (suits[..., :1] == (deals & 3)[:, None]).sum(axis=2)
    flush = np.where((suits == suits[..., :1]).all(axis=2), 4 + (13 - held) / 46, 0)
    cribs = Opponent.of(Solved()).crib_averages(role)
    values = ClassTables(cribs, role).values(*classify_deals(deals))
    seen = habits.seen(values.hand - (1 - habits.flush) * flush, values.crib, values.play, role)
    seen[~np.isfinite(values.expected)] = -np.inf
    tried = seen / habits.discards + np.random.default_rng(seed).gumbel(size=seen.shape)
    return discards_seen(values, np.full(number, role == "dealer"), deals, tried.argmax(axis=1))


def cards(habits, number, seed):
    """Play deals by habits on both sides; return the cards of each deal's player in turn."""
    shown = deal_and_show({role: HabitsDiscards(habits, role) for role in ROLES}, number, seed=seed)
    strategy, made = play_by_habits("", habits), []
    choose = by_chance(strategy, np.random.default_rng(seed))

    def pick(plays, nodes, rests):
        ranks = choose(plays, nodes, rests)
        mine = np.flatnonzero(nodes.dealer_moves == plays % 2)
        rest = GameSize().holdings(int(nodes.mover_left[0]) - 1)[rests[mine, ranks[mine]]]
        hand = np.column_stack([rest, ranks[mine]])
        held = (hand[..., None] == np.arange(13)).sum(axis=1)
        made.append((plays[mine], np.array(nodes)[:, mine].T, held, ranks[mine]))
        return ranks

    play_out(strategy, shown.pone, shown.dealer, pick)
    plays, nodes, held, ranks = map(np.concatenate, zip(*made, strict=True))
    return plays, cards_seen(PublicNode(*nodes.T), held, ranks)


def taken(choices, some):
    return Choices(*(part[some] for part in choices))


@pytest.mark.slow
def test_habits_are_within_their_errors():
    """20 fits each of so many deals, by players who err as people, a casual and a club player."""
    within = {size: [] for size in SIZES}
    number = FITS * max(SIZES)
    for seed, habits in enumerate((PEOPLE, LEVELS["casual"], LEVELS["club"])):
        true = habits_of({name: getattr(habits, name) for name in HABIT_RANGES})
        seen = [discards(true, role, number // 2, seed) for role in ROLES]
        discarded = Choices(*map(np.concatenate, zip(*seen, strict=True)))
        plays, played = cards(true, number, seed)
        for size, fit in product(SIZES, range(FITS)):
            half = np.arange(size // 2) + fit * size // 2  # of the deals of each role
            for names, choices in (
                (DISCARD_HABITS, taken(discarded, np.concatenate([half, half + number // 2]))),
                (CARD_HABITS, taken(played, plays // size == fit)),
            ):
                found, errors, _ = estimate_habits(choices, names)
                off = (found - [getattr(true, name) for name in names]) / errors
                within[size] += (np.abs(off) < 2).tolist()
    shares = {size: np.mean(some) for size, some in within.items()}
    assert all(0.92 < share < 0.98 for share in shares.values()), shares
