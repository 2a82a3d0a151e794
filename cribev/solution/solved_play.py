"""The keeps and pegs of two experts, by class and keep, and the arrays that store it."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes import canonical
from cribev.classes.canonical import Floats, Index
from cribev.game.index_tables import KEEPS, read_only
from cribev.game.roles import Role
from cribev.solution.strategy import RANK_KEEPS, PlayStrategy
from cribev.system.cache import Arrays


def quantize(values: Floats, *, step: float, bytes_each: int) -> NDArray[np.uint8]:
    """Write values ``(18395, 15)``, 0 or more, as steps, low bytes first, ``(bytes_each, n)``."""
    steps = np.rint(values[_distinct()] / step)
    if steps.min() < 0 or steps.max() >= 256.0**bytes_each:
        raise ValueError(f"{bytes_each} bytes do not hold {values.max()} in steps of {step}")
    return steps.astype("<u8").view(np.uint8).reshape(-1, 8).T[:bytes_each].copy()


def dequantize(planes: NDArray[np.uint8], *, step: float, bytes_each: int) -> Floats:
    """Read what `quantize` wrote; raise ValueError if it is something else."""
    if planes.shape != (bytes_each, int(_distinct().sum())) or planes.dtype != np.uint8:
        raise ValueError(f"a quantized table of shape {planes.shape}")
    weights = 256.0 ** np.arange(bytes_each) * step  # sums of these are exact
    values: Floats = (weights @ planes).take(_places())
    return values


def average_same_ranks(values: Floats) -> Floats:
    """Give keeps of the same ranks the mean of their values, ``(18395, 15)``."""
    cells = np.arange(len(values))[:, None] * 15 + _first()
    totals, number = (
        np.bincount(cells.ravel(), weights, values.size)
        for weights in (values.ravel(), np.ones(values.size))
    )
    return np.asarray((totals / np.maximum(number, 1))[cells])


@cache
def _first() -> NDArray[np.intp]:
    """For each keep of each class the first that discards, and so keeps, the same ranks."""
    pairs = canonical.discard_rank_pairs()
    first = np.empty(pairs.shape, dtype=np.intp)
    for keep in range(len(KEEPS))[::-1]:
        np.copyto(first, keep, where=pairs == pairs[:, keep, None])
    return read_only(first)


@cache
def _distinct() -> NDArray[np.bool_]:
    """Mark the first keep of each class with its ranks, ``(18395, 15)``."""
    return np.equal(_first(), np.arange(15))


@cache
def _places() -> NDArray[np.intp]:
    """Tell where each keep of each class stands among the distinct ones, ``(18395, 15)``."""
    number = _distinct().cumsum().reshape(_distinct().shape) - 1
    return read_only(np.take_along_axis(number, _first(), axis=1))


PROBABILITY_PARTS = 65535  # probabilities are stored as multiples of 1 / 65535

PEGGING_STEP = 2.0**-10
"""Average points in the play are multiples of this: within 0.0005 of what was solved."""

POINT_BINS = 32  # points pegged in one play are 0 to 31; the few plays that peg more count as 31

STEPS = {"expected_pegging": PEGGING_STEP, "keep_frequencies": 1 / PROBABILITY_PARTS}

PLAY_ROUNDS = "play_rounds"  # the array that a solution with the play has, and no other

TABLE_BYTES = 2  # each number of steps in these tables by class and keep

_PEGGING_PARTS = 1 / PEGGING_STEP

STATISTICS = {
    "own": (_PEGGING_PARTS, "<u2"),
    "opponent": (_PEGGING_PARTS, "<u2"),
    "joint_pmf": (PROBABILITY_PARTS, "<u2"),
    "hand_covariance": (_PEGGING_PARTS, "<i2"),
    "first_card": (PROBABILITY_PARTS, "<u2"),
    "first_card_value": (_PEGGING_PARTS, "<i2"),
}
"""The parts of one in which fields of `PeggingStatistics` are stored, and their types."""


class ExpectedPegging(NamedTuple):
    """The points that each class and keep pegs against an expert, ``(18395, 15)`` each."""

    own: Floats
    opponent: Floats

    @property
    def net(self) -> Floats:
        """The player's points minus the opponent's."""
        return self.own - self.opponent

    def columns(self) -> dict[str, Floats]:
        """Name them as tables do."""
        return {"play_own": self.own, "play_opponent": self.opponent, "play_mean": self.net}


class PeggingStatistics(NamedTuple):
    """The points that each of the 1,820 keeps of a role pegs, whatever was discarded with it."""

    share: Floats  # how often it is kept, of all deals, ``(1820,)``
    own: Floats  # points the player pegs with it on average, ``(1820,)``
    opponent: Floats  # points the opponent pegs, ``(1820,)``
    joint_pmf: Floats
    """The joint distribution of own points and the opponent's, ``(1820, 32, 32)``."""
    hand_covariance: Floats
    """The covariance of own points, and of the opponent's, with the opponent's average hand,
    ``(1820, 2)``."""
    first_card: Floats
    """The share of each rank that is played first: pone's lead ``(1820, 13)``, or dealer's answer
    to each lead ``(1820, 13, 13)``, the lead before; 0 where there is none."""
    first_card_value: Floats
    """The player's net points after it; NaN where the keep has no such card, or never meets such a
    lead."""


class KeepFrequencies(NamedTuple):
    """The keeps of an expert, by class; keeps of the same ranks have the same values.

    It is what the policy keeps, except that discards of nearly the same value are mixed: the best
    of them changes with each turn of the solver, and the play is solved for the mean.
    """

    share: Floats  # how often of deals of the class, ``(18395, 15)``; rows sum to one
    flush: Floats  # how often of deals of the class it is kept and is of one suit, ``(18395, 15)``

    def chances(self, classes: Index, _patterns: Index) -> Floats:
        """Return how often each keep is kept of deals by class, whatever the suits, ``(n, 15)``."""
        return np.asarray(self.share[classes])

    def discarded_ranks(self) -> Floats:
        """Return how often each class discards each pair of ranks, ``(18395, 91)``."""
        pairs = len(canonical.RANK_PAIRS)
        cells = np.arange(canonical.CLASSES)[:, None] * pairs + canonical.discard_rank_pairs()
        totals = np.bincount(cells.ravel(), self.share.ravel(), canonical.CLASSES * pairs)
        return totals.reshape(-1, pairs).astype(np.float64)

    def __repr__(self) -> str:
        return f"<KeepFrequencies of {len(self.share):,} classes of deals>"


def any_suits(share: Floats) -> KeepFrequencies:
    """Keep by ranks alone, ``(18395, 15)``: of one suit as often as chance has it."""
    differ = (np.diff(canonical.class_ranks()[:, KEEPS].astype(np.int64), axis=2) > 0).all(axis=2)
    return KeepFrequencies(share, share * np.where(differ, 4 / 4**4, 0.0))


class SolvedPlay(NamedTuple):
    """Two experts at the play."""

    expected_pegging: Mapping[Role, ExpectedPegging]
    statistics: Mapping[Role, PeggingStatistics]
    keep_frequencies: Mapping[Role, KeepFrequencies]
    exploitability: float  # points a deal both together could still gain by other play
    rounds: int  # rounds of the play, in all turns
    rms_changes: list[float]
    """By how much the net points of a class and keep changed, root mean square over deals and
    roles: in each turn of discards and play after the first, and last when the play was rounded."""
    load_strategy: Callable[[], PlayStrategy] | None = None
    """Return the whole strategy, which is read when it is asked for; None if there is none."""

    @property
    def strategy(self) -> PlayStrategy | None:
        """The chances of each card of an expert at every node; None if not stored."""
        return None if self.load_strategy is None else self.load_strategy()

    def averages(self, role: Role) -> tuple[float, float]:
        """Return what a role and its opponent peg on average."""
        keeps = self.statistics[role]
        return float(keeps.share @ keeps.own), float(keeps.share @ keeps.opponent)


def _read_tables(
    arrays: Arrays, role: Role, name: str, fields: tuple[str, ...]
) -> Iterator[Floats]:
    for field in fields:
        stored = arrays[f"{role}_{name}_{field}"]
        yield dequantize(stored, step=STEPS[name], bytes_each=TABLE_BYTES)


def read_expected_pegging(arrays: Arrays, role: Role) -> ExpectedPegging:
    """Read one role's; like all below, raise KeyError or ValueError if damaged."""
    return ExpectedPegging(*_read_tables(arrays, role, "expected_pegging", ("own", "opponent")))


def read_keep_frequencies(arrays: Arrays, role: Role) -> KeepFrequencies:
    """Read one role's `KeepFrequencies`."""
    share, flush = _read_tables(arrays, role, "keep_frequencies", ("share", "flush"))
    return KeepFrequencies(share / share.sum(axis=1, keepdims=True), flush)


def read_statistics(arrays: Arrays, role: Role) -> PeggingStatistics:
    """Read one role's `PeggingStatistics`."""
    tables = {"share": arrays[f"{role}_statistics_share"]}
    for name, (parts, _) in STATISTICS.items():
        tables[name] = arrays[f"{role}_statistics_{name}"] / parts
    shape = (RANK_KEEPS, 13) if role == "pone" else (RANK_KEEPS, 13, 13)
    stored = arrays[f"{role}_statistics_first_card_held"]
    held = np.unpackbits(stored, count=int(np.prod(shape))).reshape(shape) == 1
    for name, missing in (("first_card", 0.0), ("first_card_value", np.nan)):
        whole = np.full(shape, missing)
        whole[held] = tables[name]
        tables[name] = whole
    shapes = {"share": (), "joint_pmf": (POINT_BINS, POINT_BINS), "hand_covariance": (2,)}
    for name, of_keep in shapes.items():
        if tables[name].shape != (RANK_KEEPS, *of_keep):
            raise ValueError(f"{name} of shape {tables[name].shape}")
    pmf = arrays[f"{role}_statistics_joint_pmf"].astype(np.float64)
    tables["joint_pmf"] = pmf / pmf.sum(axis=(1, 2), keepdims=True)
    return PeggingStatistics(**tables)
