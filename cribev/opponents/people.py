"""People as opponents: their habits make them fallible in discards and in the play."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any
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
    suited_keeps,
)
from cribev.classes.class_tables import (
    ClassTables,
    CribAverages,
    pattern_weights,
    rank_kinds,
    suit_averaged_values,
    suit_tables,
)
from cribev.errors import CribevError, TableError, quote
from cribev.game.cards import Cards
from cribev.game.index_tables import KEEPS, read_only
from cribev.game.roles import Role, opposite_role
from cribev.opponents.counts import rank_weights
from cribev.opponents.habit_tables import (
    FORMAT,
    TablesAgainst,
    read_shipped,
    read_win_table,
    shipped_table,
    tables_as_arrays,
    tables_of_arrays,
)
from cribev.opponents.habits import LEVELS, PEOPLE, SHARP, Habits
from cribev.opponents.opponents import ExpertOpponent, Opponent, ranks_thrown
from cribev.opponents.strategies import GreedyPlay, HabitsPlay
from cribev.rows.columns import as_text
from cribev.rows.pairs import published_cribs
from cribev.solution.solution import OnDemand, Solution, load, shipped_strategy
from cribev.solution.solved_play import (
    ExpectedPegging,
    KeepFrequencies,
    average_same_ranks,
)
from cribev.solution.strategy import PlayStrategy, Strategy
from cribev.system.cache import (
    Arrays,
    mark_used,
    one_at_a_time,
    read_cached_arrays,
    write_cached_arrays,
)
from cribev.system.files import require_regular

_OPPONENTS_CACHED = 20


@dataclass(frozen=True, eq=False)  # numbers that are not known are equal too
class Person(Opponent):
    """An opponent who discards and plays by habits; you play the best response."""

    name: str
    habits: Habits = field(repr=False)
    counts_play: bool = field(default=True, repr=False, kw_only=True)
    work_out: "Callable[[Person], TablesAgainst] | None" = field(
        default=None, repr=False, kw_only=True
    )
    """Computes tables that are not stored yet; without it, these raise CribevError."""
    is_replied_to = True

    @property
    def play_name(self) -> str:  # type: ignore[override]  # derived here; a field of other opponents
        """The same as who discards."""
        return self.name

    def weights(self, deal: Cards, role: Role) -> Floats:
        """Count the hands that discard each pair and leave each starter, by ranks."""
        return rank_weights(deal, ranks_thrown(self, role))

    def cribs(self, role: Role) -> CribAverages:
        """Look up the average cribs in the tables against these habits."""
        found: CribAverages = _table_against(self, "cribs", role)
        return found

    def pegging(self, role: Role) -> ExpectedPegging:
        """Look up the play in the tables against these habits."""
        found: ExpectedPegging = _table_against(self, "pegging", role)
        return found

    @property
    def text(self) -> str:
        """A known name, or else the habits, as `parse_person` reads them."""
        if {"people": PEOPLE, **LEVELS}.get(self.name) == self.habits:
            return self.name
        numbers = {name: getattr(self.habits, name) for name in HABIT_RANGES}
        return json.dumps({"name": self.name, **numbers}, separators=(",", ":"))

    @property
    def has_tables(self) -> bool:  # type: ignore[override]  # derived here; a field of other opponents
        """Whether the tables against these habits are shipped, and need not be computed."""
        return self.habits == PEOPLE

    def keep_frequencies(self, role: Role) -> KeepFrequencies:
        """Return how often these habits keep each keep of a class, by ranks alone."""
        return keeps_by_habits(self.habits, opposite_role(role))

    def play_strategy(self) -> PlayStrategy:
        """Return how these habits play cards."""
        return play_by_habits(self.name, self.habits)

    def solved_game(self) -> Solution:
        """Return the solved game with the tables against these habits, read when needed.

        Later deals against somebody without a name of their own go as they do against people.
        """
        solved = load(play=True)
        assert solved.play is not None
        cribs, pegging, statistics = (
            OnDemand(partial(_table_against, self, name)) for name in TablesAgainst._fields
        )
        play = solved.play._replace(
            expected_pegging=pegging, statistics=statistics, load_strategy=self.play_strategy
        )
        table = read_win_table(self.name if self.text == self.name else "people")
        return solved._replace(cribs=cribs, actual_cribs=cribs, play=play, win_table=table)


def _table_against(person: Person, name: str, role: Role) -> Any:
    """Return a table against a person, a field of `TablesAgainst`, for a role."""
    if person.has_tables:
        return shipped_table(name, role)
    return getattr(tables_against(person), name)[role]


@lru_cache(maxsize=4)
def tables_against(person: Person) -> TablesAgainst:
    """Return the tables against a person: shipped, from the cache, or computed."""
    if person.has_tables:
        return read_shipped()
    stored = f"habits-{_checksum(person.habits)}-{FORMAT}.npz"

    def cached() -> TablesAgainst | None:
        if found := read_cached_arrays(stored, tables_of_arrays):
            mark_used(stored)
        return read_only(found)

    if found := cached():
        return found
    if person.work_out is None:
        named = "FILE" if person.text.startswith("{") else person.name
        raise CribevError(
            f"{person.name!r}: ranks without suits, and many hands, take tables that were never "
            f"worked out here; cribev tables play --opponent {named} does, once, in up to "
            "three minutes"
        )
    with one_at_a_time("habits.lock", doing="working out the tables against habits", long=True):
        if found := cached():
            return found
        arrays = tables_as_arrays(person.work_out(person))
        write_cached_arrays(stored, arrays, packed=True, most=_OPPONENTS_CACHED)
    return read_only(tables_of_arrays(arrays))  # rounded, as it is in the cache


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
    """What a player with habits keeps, against an expert's crib and play.

    Of suits, they see the flush of a keep. Nobs are averaged over the suits of a class.
    """

    def __init__(self, habits: Habits, role: Role) -> None:
        self._temperature, every = max(habits.discards, SHARP), np.arange(CLASSES)
        values = suit_averaged_values(
            ClassTables(ExpertOpponent().crib_averages(role), role), every
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
        weights = np.exp((seen - seen.max(axis=1, keepdims=True)) / self._temperature)
        weights *= _alike_shares()[rank_kinds()[classes], patterns]
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

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
            part = self.chances(classes, pattern) * weights[rank_kinds()[classes], number, None]
            share[classes] += part
            flush[classes] += part * keeps
        return KeepFrequencies(average_same_ranks(share), average_same_ranks(flush))


@cache
def _alike_shares() -> Floats:
    """Of keeps with the same ranks, one choice, the share of each: of the suited ones, if any.

    By the kind of class and the pattern, ``(32, 187, 15)``.
    """
    pairs, suited = discard_rank_pairs(), suited_keeps()[:, None]
    found = np.zeros((len(pattern_weights()), PATTERNS, 15))
    for kind, example in zip(*np.unique(rank_kinds(), return_index=True), strict=True):
        same = pairs[example, :, None] == pairs[example]
        best = suited_keeps() | ~(same & suited).any(axis=2)
        found[kind] = best / (same & best[:, None]).sum(axis=2)
    return read_only(found)


@lru_cache(maxsize=2)  # 4 MB each
def keeps_by_habits(habits: Habits, role: Role) -> KeepFrequencies:
    """Return how often habits keep each keep of a class, against an expert's crib and play.

    It is worked out once, in a quarter of a second, and stored in the cache.
    """
    name = f"keeps_{role}-{_checksum(habits)}-{FORMAT}.npz"

    def read(stored: Arrays) -> KeepFrequencies:
        found = KeepFrequencies(stored["share"], stored["flush"])
        if {part.shape for part in found} != {(CLASSES, len(KEEPS))}:
            raise ValueError("keeps of another shape")
        return found

    found = read_cached_arrays(name, read)
    if found is None:
        found = HabitsDiscards(habits, role).frequencies()
        write_cached_arrays(name, found._asdict(), packed=False, most=_OPPONENTS_CACHED)
    return read_only(found)


def _checksum(habits: Habits) -> str:
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


def read_person(path: str) -> Person:
    """Read somebody's habits from a JSON file, as `cribev.fit_habits` writes them.

    It is an object with a ``name`` and the numbers of `Habits` by their names: ``discards, cards,
    crib, play, danger, high, ace``. `TableError` if it is something else.
    """
    try:
        require_regular(path)
        with Path(path).open(encoding="utf-8-sig") as file:
            return parse_person(file.read(_MOST_READ), quote(path, most=300))
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not JSON"
        raise TableError(f"cannot read the habits in {quote(path, most=300)}: {reason}") from error


def parse_person(text: str, shown: str) -> Person:
    """Read somebody's habits from JSON, as `read_person` does, which errors call ``shown``."""
    try:
        found: Any = json.loads(text, parse_int=float)  # a huge int does not fit a float
    except (ValueError, RecursionError) as error:
        raise TableError(f"cannot read the habits in {shown}: it is not JSON") from error
    if not (isinstance(found, Mapping) and isinstance(found.get("name"), str) and found["name"]):
        names = ", ".join(HABIT_RANGES)
        raise TableError(f"{shown} has no habits: expected an object with a name and {names}")
    numbers = dict[str, float]()
    for name, (least, most) in HABIT_RANGES.items():
        number = found.get(name)
        if not isinstance(number, float):
            got = quote(number) if isinstance(number, str) else repr(number)[:_NAME]
            raise TableError(f"{shown} has no habits: expected a number {name!r}, got {got}")
        if not least <= number <= most:
            raise TableError(f"{shown}: {name} is {number:g}: expected {least:g} to {most:g}")
        numbers[name] = float(number)
    return Person(as_text(found["name"])[:_NAME], habits_of(numbers))


_NAME = 80  # letters of a name
_MOST_READ = 1 << 16  # letters of a file
