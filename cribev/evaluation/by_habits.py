"""Opponents with habits: they discard and play by them, and you play the best response.

The tables against such an opponent are shipped, stored in the cache, or computed once.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes import canonical
from cribev.classes.canonical import CLASSES, Floats
from cribev.classes.class_tables import CribAverages, points_to_grid
from cribev.errors import CribevError, TableError, quote
from cribev.game.cards import Cards, unseen
from cribev.game.index_tables import PAIR_HAS, UNSEEN_PAIRS, read_only
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.opponents.habits import HABITS, PEOPLE, Habits
from cribev.opponents.opponents import Discards, Opponent, PlayedCards, ranks_discarded
from cribev.opponents.people import (
    FORMAT,
    HABIT_RANGES,
    OPPONENTS_CACHED,
    checksum,
    habits_of,
    keeps_by_habits,
    play_by_habits,
)
from cribev.rows.columns import as_text
from cribev.solution.solution import OnDemand, Solution, load
from cribev.solution.solved_play import (
    POINT_BINS,
    ExpectedPegging,
    KeepFrequencies,
    PeggingStatistics,
    dequantize,
    quantize,
)
from cribev.solution.strategy import RANK_KEEPS, PlayStrategy
from cribev.solution.win_table import WinTable, win_table_from_arrays
from cribev.system.blas import one_blas_thread
from cribev.system.cache import (
    Arrays,
    mark_used,
    one_at_a_time,
    read_cached_arrays,
    write_cached_arrays,
)
from cribev.system.files import require_regular

SHIPPED = files("cribev") / "data" / "people.npz"
WIN_TABLES = files("cribev") / "data" / "win_tables.npz"
_CLASS_STEPS = {"cribs_ranks": 2.0**-3, "pegging_own": 2.0**-8, "pegging_opponent": 2.0**-8}
"""Steps of the tables by class and keep: an eighth of a 46th of a point, and a 256th of a point."""
_CLASS_BYTES = 2
_STEPS = {"cribs_jacks": 2.0**-12, "statistics_joint_pmf": 2.0**-12}  # of what is stored as uint16
_FIELDS = {
    "cribs": CribAverages._fields[:4],
    "pegging": ExpectedPegging._fields,
    "statistics": PeggingStatistics._fields[:5],
}
_SHAPES = {
    "cribs_flush": (7,),
    "cribs_jacks": (CLASSES,),
    "cribs_nobs": (7,),
    "statistics_share": (RANK_KEEPS,),
    "statistics_own": (RANK_KEEPS,),
    "statistics_opponent": (RANK_KEEPS,),
    "statistics_joint_pmf": (RANK_KEEPS, POINT_BINS, POINT_BINS),
    "statistics_hand_covariance": (RANK_KEEPS, 2),
}


Tables: TypeAlias = Mapping[str, Mapping[Role, Any]]
"""The tables against somebody by name and role: ``cribs``, `CribAverages` with the play;
``pegging``, `ExpectedPegging`; and ``statistics``, `PeggingStatistics` without first cards."""


@cache
def shipped_table(name: str, role: Role) -> Any:
    """Return one of the tables against people, of `Tables`, for a role."""
    with SHIPPED.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
        return read_only(_table(arrays, name, role))


def _every_table(read: Callable[[str, Role], Any]) -> Tables:
    return {name: {role: read(name, role) for role in ROLES} for name in _FIELDS}


@cache
def read_win_table(name: str) -> WinTable:
    """Return the win table against people or a level."""
    with WIN_TABLES.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
        keys = [key for key in arrays if key.partition(" ")[0] == name]
        table = {key.partition(" ")[2]: arrays[key] for key in keys}
        return read_only(win_table_from_arrays(table))


def tables_as_arrays(tables: Tables) -> dict[str, NDArray[Any]]:
    """Return tables as arrays to be stored."""
    arrays = dict[str, NDArray[Any]]()
    for name, by_role in tables.items():
        for role, tables_of_role in by_role.items():
            for column in _FIELDS[name]:
                table = getattr(tables_of_role, column)
                arrays[f"{role}_{name}_{column}"] = _packed(f"{name}_{column}", table)
    return arrays


def _packed(name: str, table: Floats) -> NDArray[Any]:
    """Return a table as it is stored."""
    if step := _CLASS_STEPS.get(name):
        return quantize(table, step=step, bytes_each=_CLASS_BYTES)
    if step := _STEPS.get(name):
        return np.rint(table / step).astype("<u2")
    return table.astype("<f4")


def tables_of_arrays(arrays: Arrays) -> Tables:
    """Read the tables; KeyError or ValueError if they are damaged."""
    return _every_table(partial(_table, arrays))


def _table(arrays: Arrays, name: str, role: Role) -> Any:
    table: dict[str, Any] = {
        field: _unpacked(arrays, role, f"{name}_{field}") for field in _FIELDS[name]
    }
    if name == "pegging":
        return ExpectedPegging(**table)
    if name == "cribs":
        return CribAverages(**table, play=points_to_grid(_table(arrays, "pegging", role).net))
    none = np.zeros(0)
    return PeggingStatistics(**table, first_card=none, first_card_value=none)


def _unpacked(arrays: Arrays, role: Role, name: str) -> Floats:
    """Return a table that `_packed` packed."""
    stored = arrays[f"{role}_{name}"]
    if step := _CLASS_STEPS.get(name):
        return dequantize(stored, step=step, bytes_each=_CLASS_BYTES)
    if stored.shape != _SHAPES[name]:
        raise ValueError(f"{name} of shape {stored.shape}")
    # Distributions are large, and exact in fewer bits.
    kind: Any = np.float32 if name == "statistics_joint_pmf" else np.float64
    return np.asarray(stored * kind(_STEPS.get(name, 1.0)))


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

    @one_blas_thread()
    def weights(self, deal: Cards, role: Role) -> Floats:
        """Count the hands that discard each pair and leave each starter, by ranks."""
        ranks = unseen(deal) >> 2
        number, counts = np.bincount(ranks, minlength=13), canonical.class_counts()
        # A starter leaves one of its rank less: of n cards, x are among n - 1 so much less often.
        ways = canonical.class_ways(4 - number) * (1 - counts.T / np.maximum(number, 1)[:, None])
        low, high = canonical.RANK_PAIRS.T
        left = number - np.eye(13, dtype=np.int64)  # by starter
        pairs = np.where(
            low == high, left[:, low] * (left[:, low] - 1) // 2, left[:, low] * left[:, high]
        )
        # Of each two cards of such ranks:
        by_starter = (ways @ ranks_discarded(self, role) / np.maximum(pairs, 1)).T
        of_pair = canonical.rank_pair_numbers()[tuple(ranks[UNSEEN_PAIRS].T)]
        return np.where(PAIR_HAS, 0.0, by_starter[of_pair[:, None], ranks])

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
            OnDemand(partial(_table_against, self, name)) for name in _FIELDS
        )
        play = solved.play._replace(
            expected_pegging=pegging, statistics=statistics, load_strategy=self.strategy
        )
        table = read_win_table(self.name if self.text == self.name else "people")
        return solved._replace(cribs=cribs, actual_cribs=cribs, play=play, win_table=table)


def _table_against(person: ByHabits, name: str, role: Role) -> Any:
    """Return a table against a person, of `Tables`, for a role."""
    if person.has_tables:
        return shipped_table(name, role)
    return tables_against(person)[name][role]


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
def tables_against(person: ByHabits) -> Tables:
    """Return the tables against a person: shipped, from the cache, or computed."""
    if person.has_tables:
        return _every_table(shipped_table)
    stored = f"habits-{person.checksum}-{FORMAT}.npz"

    def cached() -> Tables | None:
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
