"""The tables against an opponent who errs by habits: what each class and keep brings.

Your opponent discards and lays by habits. You reply as well as can be with each keep: what your
opponent may hold goes by what an expert throws with it. So there are average cribs and expected
pegging by class and keep, as of the solved game, and statistics of the play by keep. Later deals
count as the win table has them. The tables against people are shipped. Against others they are
worked out once, in a minute or two, and kept in the cache.
"""

import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import CLASSES, Floats
from cribev.classes.class_tables import CribAverages, points_to_grid
from cribev.classes.crib_averages import average_rank_cribs
from cribev.errors import CribevError
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.game.score import WINNING_SCORE
from cribev.opponents.counts import thrown_ranks
from cribev.opponents.habits import PEOPLE
from cribev.opponents.people import Person
from cribev.solution.solution import shipped_keep_frequencies
from cribev.solution.solved_play import (
    POINT_BINS,
    ExpectedPegging,
    PeggingStatistics,
    dequantize,
    quantize,
)
from cribev.solution.strategy import RANK_KEEPS
from cribev.system.cache import (
    Arrays,
    mark_used,
    one_at_a_time,
    read_cached_arrays,
    write_cached_arrays,
)
from cribev.system.files import atomic_write
from cribev.system.processes import one_blas_thread
from cribev.values.keeps import KeepDistributions, pegging_statistics
from cribev.values.replies import replies
from cribev.values.wins_exact import pegging_pmf

FORMAT = 1
"""Of these tables, and of how they are worked out; those of another are not read."""

_SHIPPED = files("cribev") / "data" / "people.npz"
_CLASS_STEPS = {"cribs_ranks": 2.0**-3, "pegging_own": 2.0**-8, "pegging_opponent": 2.0**-8}
"""Steps of the tables by class and keep: an eighth of a 46th of a point, and a 256th of a point."""
_CLASS_BYTES = 2
_STEPS = {"cribs_jacks": 2.0**-12, "statistics_joint_pmf": 2.0**-12}  # of what is stored as uint16
_CRIB_FIELDS, _PEGGING_FIELDS = CribAverages._fields[:4], ExpectedPegging._fields
_STATISTICS_FIELDS = PeggingStatistics._fields[:5]
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
_OPPONENTS_CACHED = 20


class TablesAgainst(NamedTuple):
    """The tables by role."""

    cribs: dict[Role, CribAverages]  # with the play
    pegging: dict[Role, ExpectedPegging]
    statistics: dict[Role, PeggingStatistics]  # without first cards


@lru_cache(maxsize=4)
def tables_against(person: Person) -> TablesAgainst:
    """Return the tables against a person: shipped, from the cache, or worked out with a bar."""
    if person.has_tables:
        with _SHIPPED.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
            return _read(arrays)
    stored = f"habits-{crc32(repr(person.habits[2:]).encode()):08x}-{FORMAT}.npz"

    def cached() -> TablesAgainst | None:
        if found := read_cached_arrays(stored, _read):
            mark_used(stored)
        return found

    if found := cached():
        return found
    if not person.works_out:
        named = "FILE" if person.text.startswith("{") else person.name
        raise CribevError(
            f"{person.name!r}: ranks without suits, and many hands, take tables that were never "
            f"worked out here; cribev tables play --opponent {named} does, once, in up to "
            "three minutes"
        )
    with one_at_a_time("habits.lock", doing="working out the tables against habits", long=True):
        if found := cached():
            return found
        arrays = work_out(person)
        write_cached_arrays(stored, arrays, packed=True, most=_OPPONENTS_CACHED)
    return _read(arrays)


def ship() -> None:
    """Work out the tables against people anew, and write them into the package."""
    with atomic_write(Path(str(_SHIPPED)), force=True) as opened:
        arrays: dict[str, Any] = work_out(Person("people", PEOPLE))
        np.savez_compressed(opened, format=np.array(FORMAT), **arrays)


@one_blas_thread()
def work_out(person: Person) -> dict[str, NDArray[Any]]:
    """Work out the tables against a person as arrays to be stored, with a progress bar."""
    from cribev.system.bars import tqdm

    arrays = dict[str, NDArray[Any]]()
    shown: dict[str, Any] = {"unit": " keeps", "leave": False, "disable": None, "delay": 1}
    with tqdm(total=2 * RANK_KEEPS, desc=f"replying to {person.name}", **shown) as bar:
        if bar.disable:
            who = ascii(person.name)
            sys.stderr.write(f"cribev: replying to {who}, once: up to three minutes\n")
            sys.stderr.flush()
        for role in ROLES:
            own, other = shipped_keep_frequencies(role), person.keep_frequencies(role)
            keeps = KeepDistributions({role: own, opposite_role(role): other})
            points, pmf = _replied(person, role, keeps.beliefs.conditional[role], bar.update)
            pegging = (keeps.expected(part, role=role) for part in points)
            tables: dict[str, Any] = {
                "cribs": average_rank_cribs(thrown_ranks(other)),
                "pegging": ExpectedPegging(*pegging),
                "statistics": pegging_statistics(keeps, role, points, pmf),
            }
            arrays |= {
                f"{role}_{name}_{field}": _packed(f"{name}_{field}", table)
                for name, parts in tables.items()
                for field, table in parts._asdict().items()
                if table is not None and table.size
            }
    return arrays


def _packed(name: str, table: Floats) -> NDArray[Any]:
    """Return a table as it is stored."""
    if step := _CLASS_STEPS.get(name):
        return quantize(table, step=step, bytes_each=_CLASS_BYTES)
    if step := _STEPS.get(name):
        return np.rint(table / step).astype("<u2")
    return table.astype("<f4")


def _read(arrays: Arrays) -> TablesAgainst:
    """Read the tables; KeyError or ValueError if they are damaged."""

    def part(role: Role, name: str, fields: Iterable[str]) -> dict[str, Floats]:
        return {field: _unpacked(arrays, role, f"{name}_{field}") for field in fields}

    found, none = TablesAgainst({}, {}, {}), np.zeros(0)
    for role in ROLES:
        found.pegging[role] = pegging = ExpectedPegging(**part(role, "pegging", _PEGGING_FIELDS))
        known = part(role, "cribs", _CRIB_FIELDS)
        found.cribs[role] = CribAverages(**known, play=points_to_grid(pegging.net))
        known = part(role, "statistics", _STATISTICS_FIELDS)
        found.statistics[role] = PeggingStatistics(**known, first_card=none, first_card_value=none)
    return found


def _unpacked(arrays: Arrays, role: Role, name: str) -> Floats:
    """Return a table that `_packed` packed."""
    stored = arrays[f"{role}_{name}"]
    if step := _CLASS_STEPS.get(name):
        return dequantize(stored, step=step, bytes_each=_CLASS_BYTES)
    if stored.shape != _SHAPES[name]:
        raise ValueError(f"{name} of shape {stored.shape}")
    return stored * np.float64(_STEPS.get(name, 1.0))


def _replied(
    person: Person, role: Role, faced: Floats, report: Callable[[int], object]
) -> tuple[tuple[Floats, Floats], Floats]:
    """Return what each keep's best reply pegs, and the opponent, against each keep, and how likely.

    Points are by both keeps, ``(1820, 1820)``; the chances by own keep, ``(1820, 32, 32)``.
    """
    strategy, every = person.play_strategy(), np.arange(RANK_KEEPS)
    own, other = np.zeros((2, RANK_KEEPS, RANK_KEEPS))
    pmf = np.zeros((RANK_KEEPS, POINT_BINS**2))
    for some, hands, reply in replies(person, role, faced, range(RANK_KEEPS)):
        pegged = pegging_pmf(hands, role, every, (WINNING_SCORE,) * 2, strategy, own=reply)
        for keep, one in zip(some, pegged, strict=True):
            own[keep] = np.bincount(one.at, one.chance * one.own, RANK_KEEPS)
            other[keep] = np.bincount(one.at, one.chance * one.opponent, RANK_KEEPS)
            cells = one.own * POINT_BINS + one.opponent
            pmf[keep] = np.bincount(cells, one.chance * faced[keep, one.at], POINT_BINS**2)
        report(len(hands))
    return (own, other), pmf.reshape(-1, POINT_BINS, POINT_BINS)
