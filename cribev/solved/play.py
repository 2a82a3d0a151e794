"""The play, solved: what each keep pegs when two experts play, and how they begin."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.forms import Floats
from cribev.game.roles import ROLES, Role
from cribev.solved.packing import pack, unpack

GRID = 2.0**-10
"""Average points in the play are multiples of this: within 0.0005 of what was solved."""

KEPT = 1820
"""Multisets of ranks that can be kept, in the order of ``combinations_with_replacement``."""

MOST = 32
"""Points pegged in one play are fewer, but for a handful of freaks, which count as one less."""

_CHANCE = 65535  # chances are kept in so many parts
_BYTES = 2


class Worth(NamedTuple):
    """What each class and keep pegs against an expert, in points, ``(18395, 15)`` each."""

    own: Floats
    opponent: Floats

    @property
    def net(self) -> Floats:
        """The player's points less the opponent's."""
        return self.own - self.opponent


class KeepPlay(NamedTuple):
    """What each of the 1,820 keeps of a role comes to, whatever was thrown with it."""

    share: Floats
    """How often it is kept, of all deals, ``(1820,)``."""
    own: Floats
    """Points the player pegs with it, ``(1820,)``."""
    opponent: Floats
    """Points the opponent pegs, ``(1820,)``."""
    chances: Floats
    """How often the player pegs so much and the opponent so much, ``(1820, 32, 32)``."""
    first: Floats
    """How often each rank is laid first: pone's lead ``(1820, 13)``, or dealer's answer to each
    lead ``(1820, 13, 13)``, the lead before; 0 where there is none."""
    first_worth: Floats
    """What that comes to for the player, net points; nan where he has no such card, or is never
    led to so."""


class SolvedPlay(NamedTuple):
    """Two experts at the play."""

    worth: Mapping[Role, Worth]
    keeps: Mapping[Role, KeepPlay]
    exploitability: float
    """Points a deal both together could still gain by other play."""
    rounds: int
    """Rounds of the play, in all turns."""
    moved: list[float]
    """For each turn of discards and play after the first, by how much the play's worth of a class
    and keep moved, root mean square over deals and roles."""

    def averages(self, role: Role) -> tuple[float, float]:
        """Tell what a role pegs on average, and what his opponent does."""
        keeps = self.keeps[role]
        return float(keeps.share @ keeps.own), float(keeps.share @ keeps.opponent)


def packed(play: SolvedPlay) -> dict[str, NDArray[Any]]:
    """Make arrays to be stored; averages are put on the grid."""
    arrays: dict[str, NDArray[Any]] = {
        "play_exploitability": np.array(play.exploitability),
        "play_rounds": np.array(play.rounds),
        "play_moved": np.array(play.moved, dtype=np.float64),
    }
    for role in ROLES:
        keeps = play.keeps[role]
        for name, table in play.worth[role]._asdict().items():
            arrays[f"play_{role}_{name}"] = pack(table, step=GRID, bytes_each=_BYTES)
        held = np.isfinite(keeps.first_worth)
        arrays |= {
            f"play_{role}_share": keeps.share,
            f"play_{role}_keep_own": np.rint(keeps.own / GRID).astype("<u2"),
            f"play_{role}_keep_opponent": np.rint(keeps.opponent / GRID).astype("<u2"),
            f"play_{role}_chances": np.rint(keeps.chances * _CHANCE).astype("<u2"),
            f"play_{role}_first": np.rint(keeps.first[held] * _CHANCE).astype("<u2"),
            f"play_{role}_first_worth": np.rint(keeps.first_worth[held] / GRID).astype("<i2"),
            f"play_{role}_first_held": np.packbits(held),
        }
    return arrays


def has_play(stored: Mapping[str, NDArray[Any]]) -> bool:
    """Tell whether anything of the play was stored."""
    return "play_rounds" in stored


def unpacked(
    stored: Mapping[str, NDArray[Any]],
    worth: Mapping[Role, Worth],
    keeps: Mapping[Role, KeepPlay],
) -> SolvedPlay | None:
    """Read what `packed` made, or nothing where nothing of the play was stored.

    Parameters
    ----------
    stored
        The arrays.
    worth, keeps
        What `worth_of` and `keeps_of` read of them.
    """
    if not has_play(stored):
        return None
    return SolvedPlay(
        worth,
        keeps,
        exploitability=float(stored["play_exploitability"]),
        rounds=int(stored["play_rounds"]),
        moved=stored["play_moved"].tolist(),
    )


def keeps_of(stored: Mapping[str, NDArray[Any]], role: Role) -> KeepPlay:
    """Read one role's `KeepPlay` alone from stored arrays.

    Raises
    ------
    KeyError
        If there is none.
    ValueError
        If a table has another shape.
    """
    shape = (KEPT, 13) if role == "pone" else (KEPT, 13, 13)
    size = int(np.prod(shape))
    held = np.unpackbits(stored[f"play_{role}_first_held"], count=size).reshape(shape) == 1
    first, first_worth = np.zeros(shape), np.full(shape, np.nan)
    first[held] = stored[f"play_{role}_first"] / _CHANCE
    first_worth[held] = stored[f"play_{role}_first_worth"] * GRID
    chances = stored[f"play_{role}_chances"].astype(np.float64)
    share = stored[f"play_{role}_share"]
    if chances.shape != (KEPT, MOST, MOST) or share.shape != (KEPT,):
        raise ValueError(f"chances of shape {chances.shape}")
    return KeepPlay(
        share,
        stored[f"play_{role}_keep_own"] * GRID,
        stored[f"play_{role}_keep_opponent"] * GRID,
        chances / chances.sum(axis=(1, 2), keepdims=True),
        first,
        first_worth,
    )


def worth_of(stored: Mapping[str, NDArray[Any]], role: Role) -> Worth:
    """Read one role's `Worth` alone from stored arrays.

    Raises
    ------
    KeyError
        If there is none.
    ValueError
        If it has another shape.
    """
    own, opponent = (
        unpack(stored[f"play_{role}_{name}"], step=GRID, bytes_each=_BYTES)
        for name in Worth._fields
    )
    return Worth(own, opponent)


def on_play_grid(points: Floats) -> Floats:
    """Put average points on the grid they are stored on.

    Examples
    --------
    >>> on_play_grid(np.array([1.0001])).tolist()
    [1.0]
    """
    steps: Floats = np.rint(points / GRID) * GRID
    return steps
