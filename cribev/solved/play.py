"""The play, solved: what each keep pegs when two experts play, and how they begin."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.game.roles import ROLES, Role
from cribev.solved.keeps import RANK_KEEPS
from cribev.solved.leanings import Leanings, leanings_of, packed_leanings
from cribev.solved.quantization import dequantize, quantize
from cribev.solved.win_table import only_player_reaches

PEGGING_STEP = 2.0**-10
"""Average points in the play are multiples of this: within 0.0005 of what was solved."""


POINT_BINS = 32
"""Points pegged in one play are fewer, but for a handful of freaks, which count as one less."""

_CHANCE = 65535  # chances are kept in so many parts
_FIRST = 16384  # who is first, which nobody is shown by itself
_BYTES = 2


class ExpectedPegging(NamedTuple):
    """What each class and keep pegs against an expert, in points, ``(18395, 15)`` each."""

    own: Floats
    opponent: Floats

    @property
    def net(self) -> Floats:
        """The player's points less the opponent's."""
        return self.own - self.opponent


class PeggingStatistics(NamedTuple):
    """What each of the 1,820 keeps of a role comes to, whatever was thrown with it."""

    share: Floats
    """How often it is kept, of all deals, ``(1820,)``."""
    own: Floats
    """Points the player pegs with it, ``(1820,)``."""
    opponent: Floats
    """Points the opponent pegs, ``(1820,)``."""
    joint_pmf: Floats
    """How often the player pegs so much and the opponent so much, ``(1820, 32, 32)``."""
    first_passage: Floats | None
    """How often the player has pegged so much before the opponent has pegged so much,
    ``(1820, 32, 32)``: at ``[keep, x, y]``, with needs of x and y from 1 to 31, that he makes his
    first. What `joint_pmf` says of one who makes his and one who does not is in it. A need of 0 is
    there already: 1 in row 0, and 0 in column 0. None in files of before it was counted."""
    first_card: Floats
    """How often each rank is laid first: pone's lead ``(1820, 13)``, or dealer's answer to each
    lead ``(1820, 13, 13)``, the lead before; 0 where there is none."""
    first_card_value: Floats
    """What that comes to for the player, net points; nan where he has no such card, or is never
    led to so."""
    leanings: Leanings | None = None
    """How `joint_pmf` and `first_passage` lean on what the opponent keeps; None in files of
    before it was counted."""


class KeepFrequencies(NamedTuple):
    """What an expert keeps of each class; keeps of the same ranks share alike."""

    share: Floats
    """How often of deals of the class he keeps it, ``(18395, 15)``, rows of one."""
    flush: Floats
    """How often of deals of the class he keeps it and it is of one suit, ``(18395, 15)``; never
    more than `share`."""


class SolvedPlay(NamedTuple):
    """Two experts at the play."""

    expected_pegging: Mapping[Role, ExpectedPegging]
    statistics: Mapping[Role, PeggingStatistics]
    keep_frequencies: Mapping[Role, KeepFrequencies] | None
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
        keeps = self.statistics[role]
        return float(keeps.share @ keeps.own), float(keeps.share @ keeps.opponent)


def play_to_arrays(play: SolvedPlay) -> dict[str, NDArray[Any]]:
    """Make arrays to be stored; averages are put on the grid."""
    arrays: dict[str, NDArray[Any]] = {
        "play_exploitability": np.array(play.exploitability),
        "play_rounds": np.array(play.rounds),
        "play_moved": np.array(play.moved, dtype=np.float64),
    }
    for role in ROLES:
        keeps = play.statistics[role]
        if play.keep_frequencies is not None:
            for name, table in play.keep_frequencies[role]._asdict().items():
                arrays[f"play_{role}_keeping_{name}"] = quantize(
                    table, step=1 / _CHANCE, bytes_each=2
                )
        if keeps.first_passage is not None:
            both = keeps.first_passage - only_player_reaches(keeps.joint_pmf)
            arrays[f"play_{role}_first_to"] = _in_parts(both[:, 1:, 1:], _FIRST)
        if keeps.leanings is not None:
            arrays |= packed_leanings(keeps.leanings, role)
        for name, table in play.expected_pegging[role]._asdict().items():
            arrays[f"play_{role}_{name}"] = quantize(table, step=PEGGING_STEP, bytes_each=_BYTES)
        held = np.isfinite(keeps.first_card_value)
        arrays |= {
            f"play_{role}_share": keeps.share,
            f"play_{role}_keep_own": np.rint(keeps.own / PEGGING_STEP).astype("<u2"),
            f"play_{role}_keep_opponent": np.rint(keeps.opponent / PEGGING_STEP).astype("<u2"),
            f"play_{role}_chances": _in_parts(keeps.joint_pmf),
            f"play_{role}_first": _in_parts(keeps.first_card[held]),
            f"play_{role}_first_worth": np.rint(keeps.first_card_value[held] / PEGGING_STEP).astype(
                "<i2"
            ),
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


def play_from_arrays(
    stored: Mapping[str, NDArray[Any]],
    worth: Mapping[Role, ExpectedPegging],
    keeps: Mapping[Role, PeggingStatistics],
    keeping: Mapping[Role, KeepFrequencies] | None,
) -> SolvedPlay | None:
    """Read what `play_to_arrays` made, or nothing where nothing of the play was stored.

    Parameters
    ----------
    stored
        The arrays.
    worth, keeps, keeping
        What `expected_from_arrays`, `statistics_from_arrays` and `frequencies_from_arrays` read.
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


def statistics_from_arrays(stored: Mapping[str, NDArray[Any]], role: Role) -> PeggingStatistics:
    """Read one role's `PeggingStatistics` alone from stored arrays.

    Raises
    ------
    KeyError
        If there is none.
    ValueError
        If a table has another shape.
    """
    shape = (RANK_KEEPS, 13) if role == "pone" else (RANK_KEEPS, 13, 13)
    size = int(np.prod(shape))
    held = np.unpackbits(stored[f"play_{role}_first_held"], count=size).reshape(shape) == 1
    first, first_worth = np.zeros(shape), np.full(shape, np.nan)
    first[held] = stored[f"play_{role}_first"] / _CHANCE
    first_worth[held] = stored[f"play_{role}_first_worth"] * PEGGING_STEP
    chances = stored[f"play_{role}_chances"].astype(np.float64)
    share = stored[f"play_{role}_share"]
    if chances.shape != (RANK_KEEPS, POINT_BINS, POINT_BINS) or share.shape != (RANK_KEEPS,):
        raise ValueError(f"chances of shape {chances.shape}")
    chances /= chances.sum(axis=(1, 2), keepdims=True)
    return PeggingStatistics(
        share,
        stored[f"play_{role}_keep_own"] * PEGGING_STEP,
        stored[f"play_{role}_keep_opponent"] * PEGGING_STEP,
        chances,
        _first_to(chances, stored.get(f"play_{role}_first_to")),
        first,
        first_worth,
        leanings_of(stored, role, most=POINT_BINS),
    )


def _first_to(chances: Floats, both: NDArray[np.uint16] | None) -> Floats | None:
    if both is None:
        return None
    if both.shape != (RANK_KEEPS, POINT_BINS - 1, POINT_BINS - 1):
        raise ValueError(f"who is first in shape {both.shape}")
    first_to = only_player_reaches(chances)
    first_to[:, 1:, 1:] += both / _FIRST
    makes = chances[:, ::-1].cumsum(axis=1)[:, ::-1].sum(axis=2)
    np.minimum(first_to, makes[..., None], out=first_to)
    first_to[:, 0, 1:] = 1
    return first_to


def frequencies_from_arrays(stored: Mapping[str, NDArray[Any]], role: Role) -> KeepFrequencies:
    """Read one role's `KeepFrequencies` alone from stored arrays.

    Raises
    ------
    KeyError
        If there is none.
    ValueError
        If it has another shape.
    """
    share, flush = (
        dequantize(stored[f"play_{role}_keeping_{name}"], step=1 / _CHANCE, bytes_each=2)
        for name in KeepFrequencies._fields
    )
    return KeepFrequencies(share / share.sum(axis=1, keepdims=True), flush)


def expected_from_arrays(stored: Mapping[str, NDArray[Any]], role: Role) -> ExpectedPegging:
    """Read one role's `ExpectedPegging` alone from stored arrays.

    Raises
    ------
    KeyError
        If there is none.
    ValueError
        If it has another shape.
    """
    own, opponent = (
        dequantize(stored[f"play_{role}_{name}"], step=PEGGING_STEP, bytes_each=_BYTES)
        for name in ExpectedPegging._fields
    )
    return ExpectedPegging(own, opponent)


def on_pegging_grid(points: Floats) -> Floats:
    """Put average points on the grid they are stored on.

    Examples
    --------
    >>> on_pegging_grid(np.array([1.0001])).tolist()
    [1.0]
    """
    steps: Floats = np.rint(points / PEGGING_STEP) * PEGGING_STEP
    return steps
