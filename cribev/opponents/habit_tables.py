"""The stored tables against an opponent with habits: shipped, or in the cache.

The tables against people are shipped. Those against others are stored in the cache once they are
computed.
"""

from collections.abc import Callable
from functools import cache, partial
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import CLASSES, Floats
from cribev.classes.class_tables import CribAverages, points_to_grid
from cribev.game.index_tables import read_only
from cribev.game.roles import ROLES, Role
from cribev.solution.solved_play import (
    POINT_BINS,
    ExpectedPegging,
    PeggingStatistics,
    dequantize,
    quantize,
)
from cribev.solution.strategy import RANK_KEEPS
from cribev.solution.win_table import WinTable, win_table_from_arrays
from cribev.system.cache import Arrays

FORMAT = 3
"""Version of these tables and of how they are computed; other versions are not read."""

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


class TablesAgainst(NamedTuple):
    """The tables by role."""

    cribs: dict[Role, CribAverages]  # with the play
    pegging: dict[Role, ExpectedPegging]
    statistics: dict[Role, PeggingStatistics]  # without first cards


def read_shipped() -> TablesAgainst:
    """Return the tables against people."""
    return _every_table(shipped_table)


@cache
def shipped_table(name: str, role: Role) -> Any:
    """Return one of the tables against people, a field of `TablesAgainst`, for a role."""
    with SHIPPED.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
        return read_only(_table(arrays, name, role))


def _every_table(read: Callable[[str, Role], Any]) -> TablesAgainst:
    return TablesAgainst(*({role: read(name, role) for role in ROLES} for name in _FIELDS))


@cache
def read_win_table(name: str) -> WinTable:
    """Return the win table against people or a level."""
    with WIN_TABLES.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
        keys = [key for key in arrays if key.partition(" ")[0] == name]
        table = {key.partition(" ")[2]: arrays[key] for key in keys}
        return read_only(win_table_from_arrays(table))


def tables_as_arrays(tables: TablesAgainst) -> dict[str, NDArray[Any]]:
    """Return tables as arrays to be stored."""
    arrays = dict[str, NDArray[Any]]()
    for name, by_role in tables._asdict().items():
        for role, fields in by_role.items():
            for field in _FIELDS[name]:
                table = getattr(fields, field)
                arrays[f"{role}_{name}_{field}"] = _packed(f"{name}_{field}", table)
    return arrays


def _packed(name: str, table: Floats) -> NDArray[Any]:
    """Return a table as it is stored."""
    if step := _CLASS_STEPS.get(name):
        return quantize(table, step=step, bytes_each=_CLASS_BYTES)
    if step := _STEPS.get(name):
        return np.rint(table / step).astype("<u2")
    return table.astype("<f4")


def tables_of_arrays(arrays: Arrays) -> TablesAgainst:
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
