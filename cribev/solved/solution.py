"""The solved discard game: what it holds, and the file it is kept in."""

import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias, TypeVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import CLASSES, Floats, Policy
from cribev.classes.class_tables import GRID, CribAverages, best_response, points_to_grid
from cribev.errors import TableError
from cribev.files.atomic import atomic_write
from cribev.game.roles import ROLES, Role
from cribev.solved.play import (
    ExpectedPegging,
    KeepFrequencies,
    SolvedPlay,
    expected_from_arrays,
    frequencies_from_arrays,
    has_keeping,
    has_play,
    play_from_arrays,
    play_to_arrays,
    statistics_from_arrays,
)
from cribev.solved.policies import PolicyLoss, reference_losses
from cribev.solved.quantization import dequantize, quantize
from cribev.solved.win_table import WinTable
from cribev.solved.win_table import win_table_from_arrays as unpacked_race
from cribev.solved.win_table import win_table_to_arrays as packed_race

Stored: TypeAlias = Mapping[str, NDArray[Any]]
_Part = TypeVar("_Part")

_SHIPPED = files("cribev") / "data" / "equilibrium.npz"
_SHIPPED_PLAY = files("cribev") / "data" / "equilibrium_play.npz"

FORMAT = 3
"""Version of the file format; a file of another version is refused."""


NOT_CONVERGED = -1
"""In place of a circle's length, where the rounds ran out before anything came again."""


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
    """Average crib over the deals that throw it; nan where none does."""
    crib: Floats
    """Average crib over all deals that hold it, whatever they throw; nan where none can."""


class ResponseRound(NamedTuple):
    """What one round of best responses did for one role."""

    number: int
    role: Role
    changed: int
    """Deals, of 20,358,520, whose best discard gains more than `policies.COUNTED_GAIN`."""
    gain: float
    """Points per deal, over all deals."""


class Solution(NamedTuple):
    """Where best responses lead."""

    cribs: Mapping[Role, CribAverages]
    """Average cribs for each role; its policy is the best response to them."""
    actual_cribs: Mapping[Role, CribAverages]
    """The average cribs each role meets as the policies are: the same, but for a role that in a
    circle has not yet responded."""
    exploitability: dict[Role, float]
    """Points per deal a role could still gain by switching, the other staying."""
    changes: dict[Role, int]
    """Deals in which it could gain more than `policies.COUNTED_GAIN`."""
    history: list[ResponseRound]
    """How it came about, dealer and pone in turn."""
    cycle: int
    """Of how many rounds the circle is that they end in; 0 at a fixed point; or `NOT_CONVERGED`."""
    averages: dict[Role, ShowAverages]
    pairs: dict[Role, RankPairAverages]
    losses: dict[Role, dict[str, PolicyLoss]]
    """What well-known ways to discard lose against it, as `policies.reference_losses`."""
    checksums: dict[Role, int]
    """Of each role's policy, as `policies.policy_checksum` has it."""
    play: SolvedPlay | None = None
    """The play, if it counts; the average cribs then carry its worth."""
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
        """Return what a role comes to on average, with the play if it counts, in points.

        Examples
        --------
        >>> round(load().expected("dealer"), 2)
        12.76
        """
        shown = self.averages[role].expected
        if self.play is None:
            return shown
        own, opponent = self.play.averages(role)
        return shown + own - opponent

    def policies(self) -> dict[Role, Policy]:
        """Give each role's policy: its best keeps of each form, uint16 ``(18395, 187)``."""
        return {role: best_response(self.cribs[role], role=role) for role in ROLES}


@cache
def losses_against(solution: Solution, role: Role) -> Mapping[str, PolicyLoss]:
    """Tell what well-known ways to discard lose against a solution.

    What it was stored without, a table published since, takes some seconds to work out.

    Examples
    --------
    >>> list(losses_against(load(), "pone"))
    ['random', 'hand', 'colvert', 'hessel', 'rasmussen', 'schell', 'uniform']
    """
    show = None if solution.play is None else load().cribs[role]
    return reference_losses(solution.cribs[role], role=role, show=show, known=solution.losses[role])


def save(solution: Solution, file: Path | str | IO[bytes], *, force: bool = True) -> None:
    """Write a solution as a compressed ``.npz`` file, without pickle.

    Parameters
    ----------
    solution
        What to write.
    file
        Where.
    force
        Replace a file that is there.

    Raises
    ------
    CribevError
        If a file is there that may not be replaced.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> save(load(), file)
    >>> 1e6 < len(file.getvalue()) < 5e6
    True
    """
    arrays: dict[str, Any] = {"format": np.array(FORMAT), "cycle": np.array(solution.cycle)}
    arrays["history"] = np.array([(one.changed, one.gain) for one in solution.history])
    for role in ROLES:
        cribs, pairs = solution.cribs[role], solution.pairs[role]
        arrays |= _packed_cribs(cribs, f"{role}_crib") | {
            f"{role}_exploitability": np.array(solution.exploitability[role]),
            f"{role}_changes": np.array(solution.changes[role]),
            f"{role}_averages": np.array(solution.averages[role]),
            f"{role}_policies": np.array(list(solution.losses[role])),
            f"{role}_losses": np.array(list(solution.losses[role].values())),
            f"{role}_checksum": np.array(solution.checksums[role]),
            **{f"{role}_pairs_{name}": value for name, value in pairs._asdict().items()},
        }
        if solution.changes[role]:
            arrays |= _packed_cribs(solution.actual_cribs[role], f"{role}_met")
    if solution.play is not None:
        arrays |= play_to_arrays(solution.play)
    if solution.win_table is not None:
        arrays |= packed_race(solution.win_table)
    if isinstance(file, str | Path):
        # In memory first: a ZipFile whose file cannot be written complains once more when it goes.
        packed_whole = BytesIO()
        np.savez_compressed(packed_whole, **arrays)
        with atomic_write(Path(file), force=force) as opened:
            opened.write(packed_whole.getbuffer())
    else:
        np.savez_compressed(file, **arrays)


def load(file: Path | str | IO[bytes] | None = None, *, play: bool = False) -> Solution:
    """Read a solution, one that comes with the package if no file is given.

    Parameters
    ----------
    file
        What `save` wrote.
    play
        Without a file: whether discards weigh the play, or the show alone.

    Raises
    ------
    TableError
        If the file is missing, damaged, or of another version.

    Examples
    --------
    >>> solution = load()
    >>> [round(points, 2) for points in solution.averages["dealer"]]
    [7.98, 4.78, 12.76]
    >>> [round(points, 1) for points in load(play=True).play.averages("dealer")]
    [3.4, 2.0]
    """
    if file is None:
        return _shipped(play)
    if not isinstance(file, str | Path):
        return _read(file, _unpack_all)
    try:
        with Path(file).open("rb") as opened:
            return _read(opened, _unpack_all)
    except OSError as error:
        raise TableError(_unreadable(str(file), error)) from error


@cache
def shipped_expected_pegging(role: Role) -> ExpectedPegging:
    """Read what each class and keep pegs, without unpacking the rest of what is shipped.

    Examples
    --------
    >>> expected, play = shipped_expected_pegging("pone"), load(play=True).play
    >>> expected.own.shape, bool((expected.own == play.expected_pegging["pone"].own).all())
    ((18395, 15), True)
    """
    worth: ExpectedPegging = _shipped_part(expected_from_arrays, role, True)
    return worth


def shipped_keep_frequencies(role: Role) -> KeepFrequencies:
    """Read what an expert of a role keeps, without unpacking the rest of what is shipped.

    Examples
    --------
    >>> shipped_keep_frequencies("pone").share.shape
    (18395, 15)
    """
    keeping: KeepFrequencies = _shipped_part(frequencies_from_arrays, role, True)
    return keeping


def _file(play: bool) -> Traversable:
    return _SHIPPED_PLAY if play else _SHIPPED


class _OfEach(Mapping[Role, _Part]):
    """A part of what comes with the package, unpacked when it is first asked for."""

    def __init__(self, unpack_one: Callable[[Stored, Role], _Part], play: bool) -> None:
        self._unpack, self._play = unpack_one, play

    def __getitem__(self, role: Role) -> _Part:
        part: _Part = _shipped_part(self._unpack, role, self._play)
        return part

    def __iter__(self) -> Iterator[Role]:
        return iter(ROLES)

    def __len__(self) -> int:
        return len(ROLES)


@cache
def _shipped_part(unpack_one: Callable[[Stored, Role], Any], role: Role, play: bool) -> Any:
    with _file(play).open("rb") as opened:
        return _read(opened, lambda stored: unpack_one(stored, role))


@cache
def _shipped(play: bool) -> Solution:
    with _file(play).open("rb") as opened:
        return _read(
            opened,
            lambda stored: _unpack(
                stored,
                _OfEach(_unpack_cribs, play),
                _OfEach(_unpack_met, play),
                play_from_arrays(
                    stored,
                    _OfEach(expected_from_arrays, play),
                    _OfEach(statistics_from_arrays, play),
                    _OfEach(frequencies_from_arrays, play) if has_keeping(stored) else None,
                ),
            ),
        )


def _unpack_all(stored: Stored) -> Solution:
    if not has_play(stored):
        return _unpack(stored, _each(_unpack_cribs, stored), _each(_unpack_met, stored), None)
    keeping = _each(frequencies_from_arrays, stored) if has_keeping(stored) else None
    play = play_from_arrays(
        stored, _each(expected_from_arrays, stored), _each(statistics_from_arrays, stored), keeping
    )
    return _unpack(stored, _each(_unpack_cribs, stored), _each(_unpack_met, stored), play)


def _each(unpack_one: Callable[[Stored, Role], _Part], stored: Stored) -> dict[Role, _Part]:
    return {role: unpack_one(stored, role) for role in ROLES}


def _read(file: IO[bytes], take: Callable[[Stored], _Part]) -> _Part:
    name = str(getattr(file, "name", "memory"))
    try:
        with np.load(file, allow_pickle=False) as stored:
            version = int(stored["format"])
            if version != FORMAT:
                raise TableError(f"{name} has format {version}, this version reads {FORMAT}")
            return take(stored)
    except TableError:
        raise
    except _DAMAGE as error:
        raise TableError(_unreadable(name, error)) from error


def _unreadable(name: str, error: Exception) -> str:
    # numpy and zipfile speak of pickles and archives.
    reason = error.strerror if isinstance(error, OSError) else None
    return f"cannot read the solution in {name}: {reason or 'it is damaged, or none'}"


_DAMAGE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    EOFError,
    RuntimeError,
    BadZipFile,
    zlib.error,
)
_GRID_BYTES = 5  # an average crib is less than 2**14 / 46 points, and the grid adds 26 bits
_SHAPES = {"flush": (7,), "jacks": (CLASSES,), "nobs": (7,)}


def _packed_cribs(cribs: CribAverages, name: str) -> dict[str, NDArray[Any]]:
    return {
        f"{name}_ranks": quantize(cribs.ranks, step=GRID, bytes_each=_GRID_BYTES),
        **{f"{name}_{key}": getattr(cribs, key) for key in _SHAPES},
    }


def _unpack_met(stored: Stored, role: Role) -> CribAverages:
    return _unpack_cribs(stored, role, kind="met" if f"{role}_met_ranks" in stored else "crib")


def _unpack_cribs(stored: Stored, role: Role, *, kind: str = "crib") -> CribAverages:
    small = {key: stored[f"{role}_{kind}_{key}"] for key in _SHAPES}
    for key, array in small.items():
        if array.shape != _SHAPES[key]:
            raise ValueError(f"{key} of shape {array.shape}")
    ranks = dequantize(stored[f"{role}_{kind}_ranks"], step=GRID, bytes_each=_GRID_BYTES)
    play = points_to_grid(expected_from_arrays(stored, role).net) if has_play(stored) else None
    return CribAverages(ranks, **small, play=play)


def _unpack(
    stored: Stored,
    cribs: Mapping[Role, CribAverages],
    actual_cribs: Mapping[Role, CribAverages],
    play: SolvedPlay | None,
) -> Solution:
    return Solution(
        cribs=cribs,
        actual_cribs=actual_cribs,
        exploitability={role: float(stored[f"{role}_exploitability"]) for role in ROLES},
        changes={role: int(stored[f"{role}_changes"]) for role in ROLES},
        history=[
            ResponseRound(1 + at // 2, ROLES[at % 2], int(changed), gain)
            for at, (changed, gain) in enumerate(stored["history"].tolist())
        ],
        cycle=int(stored["cycle"]),
        averages={role: ShowAverages(*stored[f"{role}_averages"].tolist()) for role in ROLES},
        pairs={
            role: RankPairAverages(
                *(stored[f"{role}_pairs_{name}"] for name in RankPairAverages._fields)
            )
            for role in ROLES
        },
        losses={
            role: {
                str(name): PolicyLoss(float(points), int(deals))
                for name, (points, deals) in zip(
                    stored[f"{role}_policies"], stored[f"{role}_losses"], strict=True
                )
            }
            for role in ROLES
        },
        checksums={role: int(stored[f"{role}_checksum"]) for role in ROLES},
        play=play,
        win_table=unpacked_race(stored),
    )
