"""The play, solved: what each keep pegs when two experts play, and how they begin."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.game.roles import ROLES, Role
from cribev.solved.leanings import Leanings, leanings_of, packed_leanings
from cribev.solved.packing import pack, unpack
from cribev.solved.race import only_one_makes

GRID = 2.0**-10
"""Average points in the play are multiples of this: within 0.0005 of what was solved."""

KEPT = 1820
"""Multisets of ranks that can be kept, in the order of ``combinations_with_replacement``."""

MOST = 32
"""Points pegged in one play are fewer, but for a handful of freaks, which count as one less."""

_CHANCE = 65535  # chances are kept in so many parts
_FIRST = 16384  # who is first, which nobody is shown by itself
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
    first_to: Floats | None
    """How often the player has pegged so much before the opponent has pegged so much,
    ``(1820, 32, 32)``: at ``[keep, x, y]``, with needs of x and y from 1 to 31, that he makes his
    first. What `chances` says of one who makes his and one who does not is in it. A need of 0 is
    there already: 1 in row 0, and 0 in column 0. None in files of before it was counted."""
    first: Floats
    """How often each rank is laid first: pone's lead ``(1820, 13)``, or dealer's answer to each
    lead ``(1820, 13, 13)``, the lead before; 0 where there is none."""
    first_worth: Floats
    """What that comes to for the player, net points; nan where he has no such card, or is never
    led to so."""
    leanings: Leanings | None = None
    """How `chances` and `first_to` lean on what the opponent keeps; None in files of before it was
    counted."""


class Keeping(NamedTuple):
    """What an expert keeps of each class; keeps of the same ranks share alike."""

    share: Floats
    """How often of deals of the class he keeps it, ``(18395, 15)``, rows of one."""
    flush: Floats
    """How often of deals of the class he keeps it and it is of one suit, ``(18395, 15)``; never
    more than `share`."""


class SolvedPlay(NamedTuple):
    """Two experts at the play."""

    worth: Mapping[Role, Worth]
    keeps: Mapping[Role, KeepPlay]
    keeping: Mapping[Role, Keeping] | None
    """What the expert of each role keeps; None in files of before it was counted."""
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
        if play.keeping is not None:
            for name, table in play.keeping[role]._asdict().items():
                arrays[f"play_{role}_keeping_{name}"] = pack(table, step=1 / _CHANCE, bytes_each=2)
        if keeps.first_to is not None:
            both = keeps.first_to - only_one_makes(keeps.chances)
            arrays[f"play_{role}_first_to"] = _in_parts(both[:, 1:, 1:], _FIRST)
        if keeps.leanings is not None:
            arrays |= packed_leanings(keeps.leanings, role)
        for name, table in play.worth[role]._asdict().items():
            arrays[f"play_{role}_{name}"] = pack(table, step=GRID, bytes_each=_BYTES)
        held = np.isfinite(keeps.first_worth)
        arrays |= {
            f"play_{role}_share": keeps.share,
            f"play_{role}_keep_own": np.rint(keeps.own / GRID).astype("<u2"),
            f"play_{role}_keep_opponent": np.rint(keeps.opponent / GRID).astype("<u2"),
            f"play_{role}_chances": _in_parts(keeps.chances),
            f"play_{role}_first": _in_parts(keeps.first[held]),
            f"play_{role}_first_worth": np.rint(keeps.first_worth[held] / GRID).astype("<i2"),
            f"play_{role}_first_held": np.packbits(held),
        }
    return arrays


def _in_parts(chances: Floats, parts_of_one: int = _CHANCE) -> NDArray[np.uint16]:
    parts: NDArray[np.uint16] = np.rint(np.maximum(chances, 0) * parts_of_one).astype("<u2")
    return parts


def has_play(stored: Mapping[str, NDArray[Any]]) -> bool:
    """Tell whether anything of the play was stored."""
    return "play_rounds" in stored


def has_keeping(stored: Mapping[str, NDArray[Any]]) -> bool:
    """Tell whether it was stored what experts keep."""
    return f"play_{ROLES[0]}_keeping_share" in stored


def unpacked(
    stored: Mapping[str, NDArray[Any]],
    worth: Mapping[Role, Worth],
    keeps: Mapping[Role, KeepPlay],
    keeping: Mapping[Role, Keeping] | None,
) -> SolvedPlay | None:
    """Read what `packed` made, or nothing where nothing of the play was stored.

    Parameters
    ----------
    stored
        The arrays.
    worth, keeps, keeping
        What `worth_of`, `keeps_of` and `keeping_of` read of them.
    """
    if not has_play(stored):
        return None
    return SolvedPlay(
        worth,
        keeps,
        keeping,
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
    chances /= chances.sum(axis=(1, 2), keepdims=True)
    return KeepPlay(
        share,
        stored[f"play_{role}_keep_own"] * GRID,
        stored[f"play_{role}_keep_opponent"] * GRID,
        chances,
        _first_to(chances, stored.get(f"play_{role}_first_to")),
        first,
        first_worth,
        leanings_of(stored, role, most=MOST),
    )


def _first_to(chances: Floats, both: NDArray[np.uint16] | None) -> Floats | None:
    if both is None:
        return None
    if both.shape != (KEPT, MOST - 1, MOST - 1):
        raise ValueError(f"who is first in shape {both.shape}")
    first_to = only_one_makes(chances)
    first_to[:, 1:, 1:] += both / _FIRST
    makes = chances[:, ::-1].cumsum(axis=1)[:, ::-1].sum(axis=2)
    np.minimum(first_to, makes[..., None], out=first_to)
    first_to[:, 0, 1:] = 1
    return first_to


def keeping_of(stored: Mapping[str, NDArray[Any]], role: Role) -> Keeping:
    """Read one role's `Keeping` alone from stored arrays.

    Raises
    ------
    KeyError
        If there is none.
    ValueError
        If it has another shape.
    """
    share, flush = (
        unpack(stored[f"play_{role}_keeping_{name}"], step=1 / _CHANCE, bytes_each=2)
        for name in Keeping._fields
    )
    return Keeping(share / share.sum(axis=1, keepdims=True), flush)


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
