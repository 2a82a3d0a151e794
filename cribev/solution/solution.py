"""The solved game: what it holds, and the file it is stored in."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from cribev.classes.canonical import CLASSES, Floats, Policy
from cribev.classes.class_tables import GRID, CribAverages, best_response, points_to_grid
from cribev.errors import TableError
from cribev.game.roles import ROLES, Role
from cribev.solution.statistics import (
    Arrays,
    ByRole,
    ExpectedPegging,
    KeepFrequencies,
    PolicyLoss,
    SolvedPlay,
    WinTable,
    dequantize,
    has_play,
    play_from_arrays,
    play_to_arrays,
    quantize,
    read_expected_pegging,
    read_keep_frequencies,
    reference_losses,
    win_table_from_arrays,
    win_table_to_arrays,
)
from cribev.solution.strategy import Strategy, has_strategy, read_strategy, store_strategy
from cribev.system.cache import open_arrays
from cribev.system.files import atomic_write

_Part = TypeVar("_Part")

_SHIPPED = files("cribev") / "data" / "equilibrium.npz"
_SHIPPED_PLAY = files("cribev") / "data" / "equilibrium_play.npz"

FORMAT = 5
"""Version of the file format; a file of another version is refused."""

NOT_CONVERGED = -1
"""In place of a cycle's length, where the rounds ran out before a policy came again."""

_CRIB_BYTES = 5  # an average crib is less than 2**14 / 46 points, and the grid adds 26 bits
_CRIB_SHAPES = {"flush": (7,), "jacks": (CLASSES,), "nobs": (7,)}


class ShowAverages(NamedTuple):
    """Averages of the show over all deals of a role, both sides experts, in points."""

    hand: float
    crib: float
    expected: float
    """Hand plus or minus crib."""


class RankPairAverages(NamedTuple):
    """What happens to each rank pair, each ``(91, 2)``: unsuited, then suited."""

    thrown: Floats
    """Share of all deals that throw it; the table sums to one."""
    crib_when_thrown: Floats
    """Average crib over the deals that throw it; NaN where none does."""
    crib_when_held: Floats
    """Average crib over all deals that hold it, whatever they throw; NaN where none can."""


class ResponseRound(NamedTuple):
    """What one round of best responses did for one role."""

    number: int
    role: Role
    changed: int
    """Deals, of 20,358,520, whose best discard gains more than `statistics.COUNTED_GAIN`."""
    gain: float
    """Points per deal, over all deals."""


class Solution(NamedTuple):
    """Where best responses lead."""

    cribs: Mapping[Role, CribAverages]
    """Average cribs for each role; its policy is the best response to them."""
    actual_cribs: Mapping[Role, CribAverages]
    """Average cribs for each role against the opponent's policy: the same, but for a role that in
    a cycle has not yet responded."""
    exploitability: dict[Role, float]
    """Points per deal a role could still gain by switching, the other staying."""
    improvable_deals: dict[Role, int]
    """Deals in which it could gain more than `statistics.COUNTED_GAIN`."""
    history: list[ResponseRound]
    """How it came about, dealer and pone in turn."""
    cycle: int
    """Of how many rounds the cycle is that they end in; 0 at a fixed point; or `NOT_CONVERGED`."""
    averages: dict[Role, ShowAverages]
    pairs: dict[Role, RankPairAverages]
    losses: dict[Role, dict[str, PolicyLoss]]
    """What well-known ways to discard lose against it, as `statistics.reference_losses`."""
    checksums: dict[Role, int]
    """Of each role's policy, as `statistics.policy_checksum` has it."""
    play: SolvedPlay | None = None
    """The play, if it counts; the average cribs then carry its net points."""
    win_table: WinTable | None = None
    """Who wins from which score, if the play counts."""

    def __eq__(self, another: object) -> bool:
        return self is another

    def __hash__(self) -> int:
        return object.__hash__(self)

    @property
    def rounds(self) -> int:
        """Rounds it took."""
        return self.history[-1].number

    def expected(self, role: Role) -> float:
        """Return what a role expects on average, with the play if it counts, in points."""
        shown = self.averages[role].expected
        if self.play is None:
            return shown
        own, opponent = self.play.averages(role)
        return shown + own - opponent

    def policies(self) -> dict[Role, Policy]:
        """Return each role's policy: sets of best keeps, uint16 ``(18395, 187)``."""
        return {role: best_response(self.cribs[role], role=role) for role in ROLES}


@cache
def losses_against(solution: Solution, role: Role) -> Mapping[str, PolicyLoss]:
    """Return what well-known ways to discard lose against a solution; some take seconds."""
    show = None if solution.play is None else load().cribs[role]
    return reference_losses(solution.cribs[role], role=role, show=show, known=solution.losses[role])


def save(solution: Solution, file: Path | str | IO[bytes], *, force: bool = True) -> None:
    """Write a solution as ``.npz``; with the strategy of the play that takes half a minute.

    A file that is there is replaced, or with ``force=False`` refused with CribevError.
    """
    arrays: dict[str, Any] = {"format": np.array(FORMAT), "cycle": np.array(solution.cycle)}
    arrays["response_history"] = np.array([(one.changed, one.gain) for one in solution.history])
    for role in ROLES:
        pairs, losses = solution.pairs[role], solution.losses[role]
        arrays |= _cribs_to_arrays(solution.cribs[role], f"{role}_cribs") | {
            f"{role}_exploitability": np.array(solution.exploitability[role]),
            f"{role}_improvable_deals": np.array(solution.improvable_deals[role]),
            f"{role}_show_averages": np.array(solution.averages[role]),
            f"{role}_loss_names": np.array(list(losses)),
            f"{role}_losses": np.array(list(losses.values())),
            f"{role}_policy_checksum": np.array(solution.checksums[role]),
            **{f"{role}_pairs_{name}": value for name, value in pairs._asdict().items()},
        }
        if solution.improvable_deals[role]:
            arrays |= _cribs_to_arrays(solution.actual_cribs[role], f"{role}_actual_cribs")
    if solution.play is not None:
        arrays |= play_to_arrays(solution.play)
    if solution.win_table is not None:
        arrays |= win_table_to_arrays(solution.win_table)
    # In memory first: a ZipFile whose file cannot be written complains once more when it goes.
    whole = BytesIO()
    np.savez_compressed(whole, **arrays)
    if solution.play is not None and (strategy := solution.play.strategy) is not None:
        store_strategy(strategy, whole)
    if isinstance(file, str | Path):
        with atomic_write(Path(file), force=force) as opened:
            opened.write(whole.getbuffer())
    else:
        file.write(whole.getbuffer())


def load(file: Path | str | IO[bytes] | None = None, *, play: bool = False) -> Solution:
    """Read what `save` wrote, or if no file is given what comes with the package.

    That is for the show alone, or with ``play`` the one whose discards weigh the play. A file that
    is missing, damaged or of another version is refused with TableError.
    """
    if file is None:
        return _shipped(play)
    return _read(file, partial(_read_whole, partial(load_strategy, file)))


def load_strategy(file: Path | str | IO[bytes]) -> Strategy:
    """Read the strategy of the play from what `save` wrote, unpacked once (58 MB), see `unpacked`.

    A file without one, or one that `load` refuses, is refused with TableError.
    """
    return _read(file, _read_strategy)


@cache
def shipped_strategy() -> Strategy:
    """Read the strategy of the play that comes with the package, as `load_strategy` does."""
    return _read_shipped(True, _read_strategy)


def shipped_expected_pegging(role: Role) -> ExpectedPegging:
    """Read what each class and keep pegs, without the rest of what is shipped."""
    expected: ExpectedPegging = _shipped_part(read_expected_pegging, role, True)
    return expected


def shipped_keep_frequencies(role: Role) -> KeepFrequencies:
    """Read what an expert of a role keeps, without the rest of what is shipped."""
    frequencies: KeepFrequencies = _shipped_part(read_keep_frequencies, role, True)
    return frequencies


def _read_shipped(play: bool, read: Callable[[NpzFile], _Part]) -> _Part:
    with (_SHIPPED_PLAY if play else _SHIPPED).open("rb") as opened:
        return _read(opened, read)


class _OnDemand(Mapping[Role, _Part]):
    """A part of what comes with the package, read when it is first asked for."""

    def __init__(self, read: Callable[[Arrays, Role], _Part], play: bool) -> None:
        self._read, self._play = read, play

    def __getitem__(self, role: Role) -> _Part:
        part: _Part = _shipped_part(self._read, role, self._play)
        return part

    def __iter__(self) -> Iterator[Role]:
        return iter(ROLES)

    def __len__(self) -> int:
        return len(ROLES)


@cache
def _shipped_part(read: Callable[[Arrays, Role], Any], role: Role, play: bool) -> Any:
    return _read_shipped(play, lambda arrays: read(arrays, role))


@cache
def _shipped(play: bool) -> Solution:
    def by_role(read: Callable[[Arrays, Role], _Part]) -> Mapping[Role, _Part]:
        return _OnDemand(read, play)

    return _read_shipped(
        play, lambda arrays: _solution_from_arrays(arrays, by_role, shipped_strategy)
    )


def _read_whole(load_strategy: Callable[[], Strategy], arrays: NpzFile) -> Solution:
    def by_role(read: Callable[[Arrays, Role], _Part]) -> Mapping[Role, _Part]:
        return {role: read(arrays, role) for role in ROLES}

    return _solution_from_arrays(arrays, by_role, load_strategy)


def _read_strategy(arrays: NpzFile) -> Strategy:
    if not has_strategy(arrays):
        name = arrays.zip and arrays.zip.filename
        raise TableError(
            f"there is no strategy of the play in {name or 'memory'}: "
            "make one with cribev solve -o FILE"
        )
    return read_strategy(arrays)


def _read(file: Path | str | IO[bytes], read: Callable[[NpzFile], _Part]) -> _Part:
    remedy = "make the file again with cribev solve -o FILE"
    with open_arrays(file, "the solution in", version=("format", FORMAT), remedy=remedy) as arrays:
        return read(arrays)


def _cribs_to_arrays(cribs: CribAverages, name: str) -> dict[str, NDArray[Any]]:
    return {
        f"{name}_ranks": quantize(cribs.ranks, step=GRID, bytes_each=_CRIB_BYTES),
        **{f"{name}_{key}": getattr(cribs, key) for key in _CRIB_SHAPES},
    }


def _read_cribs(arrays: Arrays, role: Role, *, kind: str = "cribs") -> CribAverages:
    small = {key: arrays[f"{role}_{kind}_{key}"] for key in _CRIB_SHAPES}
    for key, array in small.items():
        if array.shape != _CRIB_SHAPES[key]:
            raise ValueError(f"{key} of shape {array.shape}")
    ranks = dequantize(arrays[f"{role}_{kind}_ranks"], step=GRID, bytes_each=_CRIB_BYTES)
    play = points_to_grid(read_expected_pegging(arrays, role).net) if has_play(arrays) else None
    return CribAverages(ranks, **small, play=play)


def _read_actual_cribs(arrays: Arrays, role: Role) -> CribAverages:
    kind = "actual_cribs" if f"{role}_actual_cribs_ranks" in arrays else "cribs"
    return _read_cribs(arrays, role, kind=kind)


def _solution_from_arrays(
    arrays: NpzFile, by_role: ByRole, load_strategy: Callable[[], Strategy]
) -> Solution:
    return Solution(
        cribs=by_role(_read_cribs),
        actual_cribs=by_role(_read_actual_cribs),
        exploitability={role: float(arrays[f"{role}_exploitability"]) for role in ROLES},
        improvable_deals={role: int(arrays[f"{role}_improvable_deals"]) for role in ROLES},
        history=[
            ResponseRound(1 + at // 2, ROLES[at % 2], int(changed), gain)
            for at, (changed, gain) in enumerate(arrays["response_history"].tolist())
        ],
        cycle=int(arrays["cycle"]),
        averages={role: ShowAverages(*arrays[f"{role}_show_averages"].tolist()) for role in ROLES},
        pairs={
            role: RankPairAverages(
                *(arrays[f"{role}_pairs_{name}"] for name in RankPairAverages._fields)
            )
            for role in ROLES
        },
        losses={
            role: {
                str(name): PolicyLoss(float(points), int(deals))
                for name, (points, deals) in zip(
                    arrays[f"{role}_loss_names"], arrays[f"{role}_losses"], strict=True
                )
            }
            for role in ROLES
        },
        checksums={role: int(arrays[f"{role}_policy_checksum"]) for role in ROLES},
        play=play_from_arrays(arrays, by_role, load_strategy if has_strategy(arrays) else None)
        if has_play(arrays)
        else None,
        win_table=win_table_from_arrays(arrays) if has_play(arrays) else None,
    )
