"""The solved game: what it holds, and the file it is stored in.

Besides discards, it holds the play and the chances to win from each score. Tables by class and keep
are stored in whole steps, with one value for all keeps of the same ranks.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

from numpy.lib.npyio import NpzFile

from cribev.classes import canonical, class_tables
from cribev.classes.canonical import Floats, Policy
from cribev.classes.class_tables import CribAverages
from cribev.errors import TableError
from cribev.game.alike import same
from cribev.game.index_tables import read_only
from cribev.game.roles import ROLES, Role
from cribev.solution.solved_play import (
    PLAY_ROUNDS,
    ExpectedPegging,
    KeepFrequencies,
    SolvedPlay,
    dequantize,
    read_expected_pegging,
    read_keep_frequencies,
    read_statistics,
)
from cribev.solution.strategy import Strategy, has_strategy, read_strategy
from cribev.solution.win_table import WinTable, win_table_from_arrays
from cribev.system.cache import Arrays, open_arrays

_Part = TypeVar("_Part")

_SHIPPED = files("cribev") / "data" / "equilibrium.npz"
_SHIPPED_PLAY = files("cribev") / "data" / "equilibrium_play.npz"

FORMAT = 5  # version of the file format; a file of another version is refused

CRIB_BYTES = 5  # an average crib is less than 2**14 / 46 points, and the grid adds 26 bits
CRIB_SHAPES = {"flush": (7,), "jacks": (canonical.CLASSES,), "nobs": (7,)}


class ShowAverages(NamedTuple):
    """Averages of the show over all deals of a role, both sides experts, in points."""

    hand: float
    crib: float
    expected: float  # hand plus or minus crib


class RankPairAverages(NamedTuple):
    """The fate of each rank pair, each ``(91, 2)``: unsuited, then suited."""

    discarded: Floats  # share of all deals that discard it; the table sums to one
    crib_when_discarded: Floats  # average crib over the deals that discard it; NaN where none does
    crib_when_held: Floats
    """Average crib over all deals that hold it, whatever they discard; NaN if none can."""


PAIR_ARRAYS = ("thrown", "crib_when_thrown", "crib_when_held")
"""The names in files of the fields of `RankPairAverages`."""


class Solution(NamedTuple):
    """The result of best responses to one another."""

    cribs: Mapping[Role, CribAverages]
    """Average cribs for each role; its policy is the best response to them."""
    actual_cribs: Mapping[Role, CribAverages]
    """Average cribs for each role against the opponent's policy: the same, but for a role that in
    a cycle has not yet responded."""
    exploitability: dict[Role, float]
    """Points per deal a role could still gain by switching, the other staying."""
    averages: dict[Role, ShowAverages]
    pairs: dict[Role, RankPairAverages]
    checksums: dict[Role, int]  # of each role's policy, as the solver takes them
    play: SolvedPlay | None = None
    """The play, if it counts; the average cribs then carry its net points."""
    win_table: WinTable | None = None  # who wins from which score, if the play counts

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Solution)
            and self.checksums == other.checksums
            and same(tuple(self), tuple(other))
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(self.checksums.values()))

    def __reduce__(self) -> tuple[Any, ...]:
        """Send what is shipped to another process by its name."""
        shipped = self is _shipped(self.play is not None)
        return (_shipped, (self.play is not None,)) if shipped else (Solution, tuple(self))

    def expected(self, role: Role) -> float:
        """Return what a role expects on average, with the play if it counts, in points."""
        shown = self.averages[role].expected
        if self.play is None:
            return shown
        own, opponent = _pegged(self, role)
        return shown + own - opponent

    def policies(self) -> dict[Role, Policy]:
        """Return each role's policy: sets of best keeps, uint16 ``(18395, 187)``."""
        return {role: class_tables.best_response(self.cribs[role], role=role) for role in ROLES}


@cache
def _pegged(solution: Solution, role: Role) -> tuple[float, float]:
    assert solution.play is not None
    return solution.play.averages(role)


def load(file: Path | str | IO[bytes] | None = None, *, play: bool = False) -> Solution:
    """Read what the solver wrote, or the shipped one, with ``play`` or not; else TableError."""
    if file is None:
        return _shipped(play)
    return read_solution(file, partial(_solution_of, load_strategy=partial(load_strategy, file)))


def load_strategy(file: Path | str | IO[bytes]) -> Strategy:
    """Read the strategy of the play, unpacked once (58 MB); TableError if there is none."""
    return read_solution(file, _read_strategy)


@cache
def shipped_strategy() -> Strategy:
    """Read the strategy of the play that comes with the package, as `load_strategy` does."""
    strategy = read_solution(None, _read_strategy, play=True)
    strategy.source = shipped_strategy
    return strategy


def shipped_expected_pegging(role: Role) -> ExpectedPegging:
    """Read what each class and keep pegs, without the rest of what is shipped."""
    expected: ExpectedPegging = _shipped_part(True, read_expected_pegging, role)
    return expected


def shipped_keep_frequencies(role: Role) -> KeepFrequencies:
    """Read what an expert of a role keeps, without the rest of what is shipped."""
    frequencies: KeepFrequencies = _shipped_part(True, read_keep_frequencies, role)
    return frequencies


@dataclass(frozen=True)
class OnDemand(Mapping[Role, _Part]):
    """A part of a solution, read for a role when it is asked for."""

    read: Callable[[Role], _Part]

    def __getitem__(self, role: Role) -> _Part:
        return self.read(role)

    def __iter__(self) -> Iterator[Role]:
        return iter(ROLES)

    def __len__(self) -> int:
        return len(ROLES)


def _read_part(play: bool, read: Callable[[Arrays, Role], Any], role: Role) -> Any:
    return read_solution(None, lambda arrays: read(arrays, role), play=play)


@cache
def _shipped_part(play: bool, read: Callable[[Arrays, Role], Any], role: Role) -> Any:
    return read_only(_read_part(play, read, role))


@cache
def _shipped(play: bool) -> Solution:
    read = partial(_solution_of, load_strategy=shipped_strategy, shipped=play)
    return read_only(read_solution(None, read, play=play))


def _read_strategy(arrays: NpzFile) -> Strategy:
    if not has_strategy(arrays):
        name = arrays.zip and arrays.zip.filename
        raise TableError(
            f"there is no strategy of the play in {name or 'memory'}: "
            "python -m solver -o FILE makes one"
        )
    return read_strategy(arrays)


def read_solution(
    file: Path | str | IO[bytes] | None, read: Callable[[NpzFile], _Part], *, play: bool = False
) -> _Part:
    """Read a part of what the solver wrote, or of the shipped solution; TableError as `load`."""
    if file is None:
        with (_SHIPPED_PLAY if play else _SHIPPED).open("rb") as opened:
            return read_solution(opened, read)
    remedy = "make the file again with python -m solver -o FILE"
    with open_arrays(file, "the solution in", version=("format", FORMAT), remedy=remedy) as arrays:
        return read(arrays)


def _read_cribs(arrays: Arrays, role: Role, *, kind: str = "cribs") -> CribAverages:
    small = {key: arrays[f"{role}_{kind}_{key}"] for key in CRIB_SHAPES}
    for key, array in small.items():
        if array.shape != CRIB_SHAPES[key]:
            raise ValueError(f"{key} of shape {array.shape}")
    stored = arrays[f"{role}_{kind}_ranks"]
    ranks = dequantize(stored, step=class_tables.GRID, bytes_each=CRIB_BYTES)
    play = None
    if PLAY_ROUNDS in arrays:
        play = class_tables.points_to_grid(read_expected_pegging(arrays, role).net)
    return CribAverages(ranks, small["flush"], small["jacks"], small["nobs"], play)


def _read_actual_cribs(arrays: Arrays, role: Role) -> CribAverages:
    kind = "actual_cribs" if f"{role}_actual_cribs_ranks" in arrays else "cribs"
    return _read_cribs(arrays, role, kind=kind)


def _solution_of(
    arrays: NpzFile, *, load_strategy: Callable[[], Strategy], shipped: bool | None = None
) -> Solution:
    """Read a solution; for a ``shipped`` one, with the play or not, large parts on demand."""

    def by_role(
        read: Callable[[Arrays, Role], _Part], *, held: bool = True
    ) -> Mapping[Role, _Part]:
        if shipped is not None:
            return OnDemand(partial(_shipped_part if held else _read_part, shipped, read))
        return {role: read(arrays, role) for role in ROLES}

    play = None
    if PLAY_ROUNDS in arrays:
        play = SolvedPlay(
            by_role(read_expected_pegging),
            by_role(read_statistics, held=False),  # 17 MB, of which little is kept
            by_role(read_keep_frequencies),
            exploitability=float(arrays["play_exploitability"]),
            rounds=int(arrays[PLAY_ROUNDS]),
            rms_changes=arrays["play_rms_changes"].tolist(),
            load_strategy=load_strategy if has_strategy(arrays) else None,
        )
    return Solution(
        cribs=by_role(_read_cribs),
        actual_cribs=by_role(_read_actual_cribs),
        exploitability={role: float(arrays[f"{role}_exploitability"]) for role in ROLES},
        averages={role: ShowAverages(*arrays[f"{role}_show_averages"].tolist()) for role in ROLES},
        pairs={
            role: RankPairAverages(*(arrays[f"{role}_pairs_{name}"] for name in PAIR_ARRAYS))
            for role in ROLES
        },
        checksums={role: int(arrays[f"{role}_policy_checksum"]) for role in ROLES},
        play=play,
        win_table=None if play is None else win_table_from_arrays(arrays),
    )
