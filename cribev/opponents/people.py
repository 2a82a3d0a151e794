"""The discards and cards of people by their habits, which make them fallible."""

import math
from collections.abc import Mapping
from functools import cache, lru_cache, partial
from zlib import crc32

import numpy as np

from cribev.classes.canonical import (
    CLASSES,
    PATTERNS,
    RANK_PAIRS,
    STARTERS,
    Floats,
    Index,
    discard_rank_pairs,
    rank_kinds,
    suited_keeps,
)
from cribev.classes.class_tables import (
    ClassTables,
    pattern_weights,
    suit_averaged_values,
    suit_tables,
)
from cribev.game.index_tables import KEEPS, read_only
from cribev.game.roles import Role
from cribev.opponents.habits import PEOPLE, Habits
from cribev.opponents.opponents import Opponent, Solved
from cribev.opponents.strategies import GreedyPlay, HabitsPlay, quantal_chances
from cribev.rows.pairs import published_cribs
from cribev.solution.solution import shipped_strategy
from cribev.solution.solved_play import KeepFrequencies, average_same_ranks
from cribev.solution.strategy import PlayStrategy, Strategy
from cribev.system.cache import Arrays, read_cached_arrays, write_cached_arrays

OPPONENTS_CACHED = 20

FORMAT = 3  # version of what is worked out from habits; what another version wrote is not read


@lru_cache(maxsize=3)  # 6 MB each, made in 0.1 s
def play_by_habits(name: str, habits: Habits) -> PlayStrategy:
    """Return how habits play cards; a player who sees to the end plays like an expert."""
    expert = shipped_strategy()
    if habits.danger is None:
        alike = Strategy(expert.size, expert.states, expert.cells)
        alike.name, alike.source = name, partial(play_by_habits, name, habits)
        return alike
    if not habits.cards:
        return GreedyPlay(expert.size, expert.states)
    return HabitsPlay(expert.size, expert.states, habits, name=name)


class HabitsDiscards:
    """The keeps of a player with habits, against an expert's crib and play.

    Of suits, they see the flush of a keep. Nobs are averaged over the suits of a class.
    """

    def __init__(self, habits: Habits, role: Role) -> None:
        self._temperature, classes = habits.discards, np.arange(CLASSES)
        values = suit_averaged_values(
            ClassTables(Opponent.of(Solved()).crib_averages(role), role), classes
        )
        crib, play = values.crib, values.play
        assert play is not None
        if not habits.discards:
            pairs = np.moveaxis(RANK_PAIRS[discard_rank_pairs()], 2, 0)
            crib = published_cribs("schell")[role][tuple(pairs)]
        flush = suit_tables().hand_flush[:PATTERNS] / STARTERS
        hand = values.hand - average_same_ranks((pattern_weights() @ flush)[rank_kinds()])
        self._seen, self._flush = habits.seen(hand, crib, play, role), habits.flush * flush

    def chances(self, classes: Index, patterns: Index) -> Floats:
        """Return how often each keep is kept, by class and pattern, ``(n, 15)``."""
        seen = self._seen[classes] + self._flush[patterns]
        copies = _alike_shares()[rank_kinds()[classes], patterns]
        return quantal_chances(seen, self._temperature, copies)

    def frequencies(self) -> KeepFrequencies:
        """Return how often they keep each keep of a class, over all suits."""
        share, flush = np.zeros((2, CLASSES, 15))
        # Patterns with the same flushes are alike.
        suited, alike = np.unique(suited_keeps(), axis=0, return_inverse=True)
        weights = np.zeros((len(pattern_weights()), len(suited)))
        np.add.at(weights.T, alike.ravel(), pattern_weights().T)
        for number, keeps in enumerate(suited):
            classes = np.flatnonzero(weights[rank_kinds(), number])
            pattern = np.full(len(classes), (alike.ravel() == number).argmax())
            chances = self.chances(classes, pattern) * weights[rank_kinds()[classes], number, None]
            share[classes] += chances
            flush[classes] += chances * keeps
        return KeepFrequencies(average_same_ranks(share), average_same_ranks(flush))


@cache
def _alike_shares() -> Floats:
    """Of keeps with the same ranks, one choice, the share of each: of the suited ones, if any.

    By the kind of class and the pattern, ``(32, 187, 15)``.
    """
    pairs, suited = discard_rank_pairs(), suited_keeps()[:, None]
    shares = np.zeros((len(pattern_weights()), PATTERNS, 15))
    for kind, example in zip(*np.unique(rank_kinds(), return_index=True), strict=True):
        same = pairs[example, :, None] == pairs[example]
        best = suited_keeps() | ~(same & suited).any(axis=2)
        shares[kind] = best / (same & best[:, None]).sum(axis=2)
    return read_only(shares)


@lru_cache(maxsize=2)  # 4 MB each
def keeps_by_habits(habits: Habits, role: Role) -> KeepFrequencies:
    """Return how often habits keep each keep of a class, against an expert's crib and play.

    It is worked out once, in a quarter of a second, and stored in the cache.
    """
    name = f"keeps_{role}-{checksum(habits)}-{FORMAT}.npz"

    def read(stored: Arrays) -> KeepFrequencies:
        frequencies = KeepFrequencies(stored["share"], stored["flush"])
        if {table.shape for table in frequencies} != {(CLASSES, len(KEEPS))}:
            raise ValueError("keeps of another shape")
        return frequencies

    frequencies = read_cached_arrays(name, read)
    if frequencies is None:
        frequencies = HabitsDiscards(habits, role).frequencies()
        write_cached_arrays(name, frequencies._asdict(), packed=False, most=OPPONENTS_CACHED)
    return read_only(frequencies)


def checksum(habits: Habits) -> str:
    """Return a checksum of all but the name and the level."""
    return f"{crc32(repr(habits[2:]).encode()):08x}"


def habits_of(numbers: Mapping[str, float]) -> Habits:
    """Return somebody's habits from their numbers; they see pairs and flushes as people do."""
    same = {"pairs": PEOPLE.pairs, "flush": PEOPLE.flush}
    return Habits("", math.nan, **numbers, **same, to_win=False)


HABIT_RANGES = {
    "discards": (0.01, 20.0), "cards": (0.01, 20.0), "crib": (-5.0, 5.0), "play": (-5.0, 5.0),
    "danger": (-5.0, 10.0), "high": (-2.0, 2.0), "ace": (-10.0, 10.0),
}  # fmt: skip
"""The values that the numbers of habits can have."""
