"""The play, solved: what each keep pegs when two experts play, and how they begin."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats, class_ranks
from cribev.game.index_tables import KEEPS
from cribev.game.roles import ROLES, Role
from cribev.solution.keeps import RANK_KEEPS
from cribev.solution.quantization import dequantize, quantize
from cribev.solution.strategy import Strategy
from cribev.solution.win_table import PROBABILITY_PARTS

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
_Part = TypeVar("_Part")

PEGGING_STEP = 2.0**-10
"""Average points in the play are multiples of this: within 0.0005 of what was solved."""

POINT_BINS = 32
"""Points pegged in one play are 0 to 31; the few plays that peg more count as 31."""

_EXPECTED_BYTES = 2


class ExpectedPegging(NamedTuple):
    """What each class and keep pegs against an expert, in points, ``(18395, 15)`` each."""

    own: Floats
    opponent: Floats

    @property
    def net(self) -> Floats:
        """The player's points less the opponent's."""
        return self.own - self.opponent


class PeggingStatistics(NamedTuple):
    """What each of the 1,820 keeps of a role pegs, whatever was thrown with it."""

    share: Floats
    """How often it is kept, of all deals, ``(1820,)``."""
    own: Floats
    """Points the player pegs with it on average, ``(1820,)``."""
    opponent: Floats
    """Points the opponent pegs, ``(1820,)``."""
    joint_pmf: Floats
    """How often the player pegs so much and the opponent so much, ``(1820, 32, 32)``."""
    hand_covariance: Floats
    """The covariance of own points, and of the opponent's, with the opponent's average hand,
    ``(1820, 2)``."""
    first_card: Floats
    """How often each rank is laid first: pone's lead ``(1820, 13)``, or dealer's answer to each
    lead ``(1820, 13, 13)``, the lead before; 0 where there is none."""
    first_card_value: Floats
    """The player's net points after it; NaN where the keep has no such card, or never meets such a
    lead."""


class KeepFrequencies(NamedTuple):
    """What an expert keeps of each class; keeps of the same ranks have the same values.

    It is what the policy keeps, but that discards of nearly the same value are mixed: what is best
    of them turns over with each turn of the solver, and the play is solved for the mean.
    """

    share: Floats
    """How often of deals of the class, ``(18395, 15)``; rows sum to one."""
    flush: Floats
    """How often of deals of the class it is kept and is of one suit, ``(18395, 15)``."""


def any_suits(share: Floats) -> KeepFrequencies:
    """Keep by ranks alone, ``(18395, 15)``: of one suit as often as chance has it.

    >>> from cribev.classes.canonical import CLASSES
    >>> even = any_suits(np.full((CLASSES, 15), 1 / 15))
    >>> float(even.flush[0].max()), float((even.flush / even.share).max())
    (0.0, 0.015625)
    """
    differ = (np.diff(class_ranks()[:, KEEPS].astype(np.int64), axis=2) > 0).all(axis=2)
    return KeepFrequencies(share, share * np.where(differ, 4 / 4**4, 0.0))


class SolvedPlay(NamedTuple):
    """Two experts at the play."""

    expected_pegging: Mapping[Role, ExpectedPegging]
    statistics: Mapping[Role, PeggingStatistics]
    keep_frequencies: Mapping[Role, KeepFrequencies]
    exploitability: float
    """Points a deal both together could still gain by other play."""
    rounds: int
    """Rounds of the play, in all turns."""
    rms_changes: list[float]
    """By how much the net points of a class and keep changed, root mean square over deals and
    roles: in each turn of discards and play after the first, and last when the play was rounded."""
    load_strategy: Callable[[], Strategy] | None = None
    """Return the whole strategy, which is read when it is asked for; None if there is none."""

    @property
    def strategy(self) -> Strategy | None:
        """How often an expert lays which card, wherever a play can stand; None if not stored."""
        return None if self.load_strategy is None else self.load_strategy()

    def averages(self, role: Role) -> tuple[float, float]:
        """Return what a role and its opponent peg on average."""
        keeps = self.statistics[role]
        return float(keeps.share @ keeps.own), float(keeps.share @ keeps.opponent)


def on_pegging_grid(points: Floats) -> Floats:
    """Round average points to the grid they are stored on.

    >>> on_pegging_grid(np.array([1.0001])).tolist()
    [1.0]
    """
    steps: Floats = np.rint(points / PEGGING_STEP) * PEGGING_STEP
    return steps


def play_to_arrays(play: SolvedPlay) -> dict[str, NDArray[Any]]:
    """Make arrays to be stored, but for the strategy; averages are rounded to the grid."""
    arrays: dict[str, NDArray[Any]] = {
        "play_exploitability": np.array(play.exploitability),
        "play_rounds": np.array(play.rounds),
        "play_rms_changes": np.array(play.rms_changes, dtype=np.float64),
        **keep_frequencies_to_arrays(play.keep_frequencies),
    }
    for role in ROLES:
        for name, table in play.expected_pegging[role]._asdict().items():
            arrays[f"{role}_expected_pegging_{name}"] = quantize(
                table, step=PEGGING_STEP, bytes_each=_EXPECTED_BYTES
            )
        keeps = play.statistics[role]
        held = np.isfinite(keeps.first_card_value)
        statistics = {
            "share": keeps.share,
            "own": np.rint(keeps.own / PEGGING_STEP).astype("<u2"),
            "opponent": np.rint(keeps.opponent / PEGGING_STEP).astype("<u2"),
            "joint_pmf": _in_parts(keeps.joint_pmf, PROBABILITY_PARTS),
            "hand_covariance": np.rint(keeps.hand_covariance / PEGGING_STEP).astype("<i2"),
            "first_card": _in_parts(keeps.first_card[held], PROBABILITY_PARTS),
            "first_card_value": np.rint(keeps.first_card_value[held] / PEGGING_STEP).astype("<i2"),
            "first_card_held": np.packbits(held),
        }
        arrays |= {f"{role}_statistics_{name}": table for name, table in statistics.items()}
    return arrays


def keep_frequencies_to_arrays(
    frequencies: Mapping[Role, KeepFrequencies],
) -> dict[str, NDArray[Any]]:
    """Make arrays to be stored, in parts of a probability."""
    return {
        f"{role}_keep_frequencies_{name}": quantize(table, step=1 / PROBABILITY_PARTS, bytes_each=2)
        for role in ROLES
        for name, table in frequencies[role]._asdict().items()
    }


def _in_parts(chances: Floats, parts_of_one: int) -> NDArray[np.uint16]:
    parts: NDArray[np.uint16] = np.rint(np.maximum(chances, 0) * parts_of_one).astype("<u2")
    return parts


class ByRole(Protocol):
    """Read a part of stored arrays for each role, at once or when it is asked for."""

    def __call__(self, read: Callable[[Arrays, Role], _Part]) -> Mapping[Role, _Part]:
        """Return the part by role."""


def has_play(arrays: Arrays) -> bool:
    """Whether anything of the play was stored."""
    return "play_rounds" in arrays


def play_from_arrays(
    arrays: Arrays, by_role: ByRole, load_strategy: Callable[[], Strategy] | None
) -> SolvedPlay:
    """Read what `play_to_arrays` made; like all below, raise KeyError or ValueError if damaged."""
    return SolvedPlay(
        by_role(read_expected_pegging),
        by_role(read_statistics),
        by_role(read_keep_frequencies),
        exploitability=float(arrays["play_exploitability"]),
        rounds=int(arrays["play_rounds"]),
        rms_changes=arrays["play_rms_changes"].tolist(),
        load_strategy=load_strategy,
    )


def read_expected_pegging(arrays: Arrays, role: Role) -> ExpectedPegging:
    """Read one role's `ExpectedPegging`."""
    own, opponent = (
        dequantize(
            arrays[f"{role}_expected_pegging_{name}"],
            step=PEGGING_STEP,
            bytes_each=_EXPECTED_BYTES,
        )
        for name in ExpectedPegging._fields
    )
    return ExpectedPegging(own, opponent)


def read_keep_frequencies(arrays: Arrays, role: Role) -> KeepFrequencies:
    """Read one role's `KeepFrequencies`."""
    share, flush = (
        dequantize(
            arrays[f"{role}_keep_frequencies_{name}"], step=1 / PROBABILITY_PARTS, bytes_each=2
        )
        for name in KeepFrequencies._fields
    )
    return KeepFrequencies(share / share.sum(axis=1, keepdims=True), flush)


def read_statistics(arrays: Arrays, role: Role) -> PeggingStatistics:
    """Read one role's `PeggingStatistics`."""
    stored = {
        name.removeprefix(f"{role}_statistics_"): arrays[name]
        for name in arrays
        if name.startswith(f"{role}_statistics_")
    }
    shape = (RANK_KEEPS, 13) if role == "pone" else (RANK_KEEPS, 13, 13)
    size = int(np.prod(shape))
    held = np.unpackbits(stored["first_card_held"], count=size).reshape(shape) == 1
    first_card, first_card_value = np.zeros(shape), np.full(shape, np.nan)
    first_card[held] = stored["first_card"] / PROBABILITY_PARTS
    first_card_value[held] = stored["first_card_value"] * PEGGING_STEP
    joint_pmf, share = stored["joint_pmf"].astype(np.float64), stored["share"]
    covariance = stored["hand_covariance"] * PEGGING_STEP
    if joint_pmf.shape != (RANK_KEEPS, POINT_BINS, POINT_BINS) or share.shape != (RANK_KEEPS,):
        raise ValueError(f"a joint pmf of shape {joint_pmf.shape}")
    if covariance.shape != (RANK_KEEPS, 2):
        raise ValueError(f"covariances of shape {covariance.shape}")
    joint_pmf /= joint_pmf.sum(axis=(1, 2), keepdims=True)
    return PeggingStatistics(
        share,
        stored["own"] * PEGGING_STEP,
        stored["opponent"] * PEGGING_STEP,
        joint_pmf,
        covariance,
        first_card,
        first_card_value,
    )
