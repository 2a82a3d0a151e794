"""Opponents with habits: they discard and play by them, and you play the best response.

The tables against such an opponent are shipped, stored in the cache, or computed once.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from cribev.classes.canonical import Floats
from cribev.classes.class_tables import CribAverages
from cribev.errors import CribevError, TableError, quote
from cribev.game.cards import Cards
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
from cribev.opponents.habits import HABITS, PEOPLE, Habits
from cribev.opponents.opponents import Discards, Opponent, PlayedCards, ranks_discarded
from cribev.opponents.people import (
    HABIT_RANGES,
    OPPONENTS_CACHED,
    checksum,
    habits_of,
    keeps_by_habits,
    play_by_habits,
)
from cribev.rows.columns import as_text
from cribev.solution.solution import OnDemand, Solution, load
from cribev.solution.solved_play import ExpectedPegging, KeepFrequencies
from cribev.solution.strategy import PlayStrategy
from cribev.system.cache import mark_used, one_at_a_time, read_cached_arrays, write_cached_arrays
from cribev.system.files import require_regular


@dataclass(frozen=True, eq=False)
class ByHabits(Discards, PlayedCards):
    """Someone who discards and plays by habits."""

    name: str
    habits: Habits = field(repr=False)

    @property
    def text(self) -> str:
        """A known name, or else the habits, as `parse_person` reads them."""
        if HABITS.get(self.name) == self.habits:
            return self.name
        numbers = {name: getattr(self.habits, name) for name in HABIT_RANGES}
        return json.dumps({"name": self.name, **numbers}, separators=(",", ":"))

    @property
    def has_tables(self) -> bool:
        """Whether the tables against these habits are shipped, and need not be computed."""
        return self.habits == PEOPLE

    @property
    def checksum(self) -> str:
        """Tells these habits from others."""
        return checksum(self.habits)

    def weights(self, deal: Cards, role: Role) -> Floats:
        """Count the hands that discard each pair and leave each starter, by ranks."""
        return rank_weights(deal, ranks_discarded(self, role))

    def keeps(self, role: Role) -> KeepFrequencies:
        """Return how often these habits keep each keep of a class, by ranks alone."""
        return keeps_by_habits(self.habits, opposite_role(role))

    def cribs(self, role: Role) -> CribAverages:
        """Look up the average cribs in the tables against these habits."""
        averages: CribAverages = _table_against(self, "cribs", role)
        return averages

    def pegging(self, role: Role) -> ExpectedPegging:
        """Look up the play in the tables against these habits."""
        expected: ExpectedPegging = _table_against(self, "pegging", role)
        return expected

    def strategy(self) -> PlayStrategy:
        """Return how these habits play cards."""
        return play_by_habits(self.name, self.habits)

    def game(self) -> Solution:
        """Return the solved game with the tables against these habits, read when needed.

        Later deals against somebody without a name of their own go as they do against people.
        """
        solved = load(play=True)
        assert solved.play is not None
        cribs, pegging, statistics = (
            OnDemand(partial(_table_against, self, name)) for name in TablesAgainst._fields
        )
        play = solved.play._replace(
            expected_pegging=pegging, statistics=statistics, load_strategy=self.strategy
        )
        table = read_win_table(self.name if self.text == self.name else "people")
        return solved._replace(cribs=cribs, actual_cribs=cribs, play=play, win_table=table)


def _table_against(person: ByHabits, name: str, role: Role) -> Any:
    """Return a table against a person, a field of `TablesAgainst`, for a role."""
    if person.has_tables:
        return shipped_table(name, role)
    return getattr(tables_against(person), name)[role]


_computes = ContextVar("_computes", default=True)


@contextmanager
def stored_tables_only() -> Iterator[None]:
    """Raise CribevError within the context where tables would have to be computed first."""
    token = _computes.set(False)
    try:
        yield
    finally:
        _computes.reset(token)


@lru_cache(maxsize=4)
def tables_against(person: ByHabits) -> TablesAgainst:
    """Return the tables against a person: shipped, from the cache, or computed."""
    if person.has_tables:
        return read_shipped()
    stored = f"habits-{person.checksum}-{FORMAT}.npz"

    def cached() -> TablesAgainst | None:
        if tables := read_cached_arrays(stored, tables_of_arrays):
            mark_used(stored)
        return tables

    if tables := cached():
        return tables
    if not _computes.get():
        named = "FILE" if person.text.startswith("{") else person.name
        raise CribevError(
            f"{person.name!r}: ranks without suits, and many hands, take tables that were never "
            f"worked out here; cribev tables play --opponent {named} does, once, in two to "
            "ten minutes"
        )
    from cribev.evaluation import against  # loads all that is worth knowing of the play

    with one_at_a_time("habits.lock", doing="working out the tables against habits", long=True):
        if tables := cached():
            return tables
        arrays = tables_as_arrays(against.work_out(Opponent.of(person)))
        write_cached_arrays(stored, arrays, packed=True, most=OPPONENTS_CACHED)
    return tables_of_arrays(arrays)  # rounded, as it is in the cache


def read_person(path: str) -> ByHabits:
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


def parse_person(text: str, shown: str) -> ByHabits:
    """Read somebody's habits from JSON, as `read_person` does, which errors call ``shown``."""
    try:
        person: Any = json.loads(text, parse_int=float)  # a huge int does not fit a float
    except (ValueError, RecursionError) as error:
        raise TableError(f"cannot read the habits in {shown}: it is not JSON") from error
    if not (isinstance(person, Mapping) and isinstance(person.get("name"), str) and person["name"]):
        names = ", ".join(HABIT_RANGES)
        raise TableError(f"{shown} has no habits: expected an object with a name and {names}")
    numbers = dict[str, float]()
    for name, (least, most) in HABIT_RANGES.items():
        number = person.get(name)
        if not isinstance(number, float):
            got = quote(number) if isinstance(number, str) else repr(number)[:_NAME]
            raise TableError(f"{shown} has no habits: expected a number {name!r}, got {got}")
        if not least <= number <= most:
            raise TableError(f"{shown}: {name} is {number:g}: expected {least:g} to {most:g}")
        numbers[name] = float(number)
    return ByHabits(as_text(person["name"])[:_NAME], habits_of(numbers))


_NAME = 80  # letters of a name
_MOST_READ = 1 << 16  # letters of a file
