"""The solved game: what it holds, and the file it is stored in.

Beside its discards it tells of the play, who wins from which score, and what well-known ways to
discard lose. Tables by class and keep are stored in whole steps, one value for all keeps of the
same ranks.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar
from zlib import crc32

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from cribev.choice import net_points, tied_best
from cribev.classes import canonical, class_tables
from cribev.classes.canonical import Floats, Policy
from cribev.classes.class_tables import CribAverages
from cribev.classes.crib_averages import uniform_cribs
from cribev.errors import TableError
from cribev.game.index_tables import KEEPS, read_only
from cribev.game.score import ROLES, WINNING_SCORE, Outcomes, Role, Score
from cribev.rows.pairs import PUBLISHED_CRIBS, published_cribs
from cribev.solution.tree import RANK_KEEPS, Strategy, has_strategy, read_strategy, store_strategy
from cribev.system.cache import Arrays, open_arrays
from cribev.system.files import atomic_write


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
    values = np.empty(_distinct().shape)
    values[_distinct()] = weights @ planes
    return np.take_along_axis(values, _first(), axis=1)


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
    """For each keep of each class the first that throws, and so keeps, the same ranks."""
    pairs = canonical.discard_rank_pairs()
    return read_only((pairs[:, :, None] == pairs[:, None, :]).argmax(axis=2))


@cache
def _distinct() -> NDArray[np.bool_]:
    """Mark the first keep of each class with its ranks, ``(18395, 15)``."""
    return np.equal(_first(), np.arange(15))


PROBABILITY_PARTS = 65535  # a probability is stored in so many parts

_EVEN = 1 / 2
_MILLION = 1e6  # an error is stored in so many parts
_NOWHERE = read_only(np.zeros((WINNING_SCORE, WINNING_SCORE), dtype=np.bool_))
_NO_SKUNKS: Floats = read_only(np.zeros((4, WINNING_SCORE, WINNING_SCORE)))


class Par(NamedTuple):
    """The score at which a game is even, against so many points of the opponent's."""

    role: Role  # the player's role in the next deal
    own: int  # the player's points
    opponent: int  # the opponent's
    win: float  # how likely the player wins
    even: int | None
    """The points of the player's own with which the chance is nearest to one half; None where it is
    above that at 0, or below it at 120."""

    @property
    def ahead(self) -> int | None:
        """How many points the player is ahead of that, below 0 behind."""
        return None if self.even is None else self.own - self.even

    @property
    def words(self) -> str:
        """Say where the player stands: ``21 points ahead of par (62)``."""
        return self._place + ("" if self.even is None else f" ({self.even})")

    @property
    def _place(self) -> str:
        ahead = self.ahead
        if ahead == 0:
            return "at par"
        side = "ahead of" if self.win > _EVEN else "behind"
        points = f"{abs(ahead)} point{'s' * (abs(ahead) > 1)} " if ahead else ""
        return f"{points}{side} par"

    @property
    def text(self) -> str:
        """Say where the player stands, and what would be even."""
        even = "below 0" if self.win > _EVEN else "beyond 120"
        even = even if self.even is None else str(self.even)
        told = f"{even} is even" if self.ahead == 0 else f"even would be {even}"
        return f"You are {self._place}: {told} as {self.role}."

    def to_dict(self) -> dict[str, Any]:
        """Return what is even and how far ahead the player is, ready for JSON."""
        return {"even": self.even, "ahead": self.ahead}


class WinTable(NamedTuple):
    """Chances to win between two who play for points, but for the last points of a game to win."""

    win: Floats
    """How likely the dealer wins, by dealer's and pone's score before the deal, ``(121, 121)``."""
    standard_error: Floats
    """``(121, 121)``; of what is solved to win, what is left to gain counts as an error too, and
    what interpolation misses."""
    deals: int  # how many deals it is from
    to_win: NDArray[np.bool_] = _NOWHERE
    """Where discards and play to win count, solved there or for scores beside, ``(121, 121)``."""
    skunks: Floats = _NO_SKUNKS
    """How likely the dealer skunks pone, and does twice, and is skunked, and is twice, by scores
    as `win`, ``(4, 121, 121)``."""

    def outcomes_as(self, role: Role) -> Outcomes[Floats]:
        """Return how the game may end for the player of a role, by own and the opponent's score."""
        found = Outcomes(self.win, *self.skunks)
        return found if role == "dealer" else Outcomes(*(part.T for part in found.turned))

    def wins_as(self, role: Role) -> Floats:
        """Return how likely the player of a role wins, by own and by the opponent's score."""
        return self.win if role == "dealer" else 1 - self.win.T

    def par(self, score: Score, role: Role) -> Par:
        """Say what is even at a score, as the player of a role sees it."""
        own, opponents = score.seen_by(role)
        chances = self.wins_as(role)[:, opponents]
        crossed = chances[0] <= _EVEN <= chances[-1]
        even = int(abs(chances - _EVEN).argmin()) if crossed else None
        return Par(role, own, opponents, float(chances[own]), even)


def win_table_to_arrays(table: WinTable) -> dict[str, NDArray[Any]]:
    """Make arrays to be stored."""
    errors = np.minimum(np.ceil(table.standard_error * _MILLION), 2**16 - 1)
    return {
        "win_table_win": np.rint(table.win * PROBABILITY_PARTS).astype("<u2"),
        "win_table_standard_error": errors.astype("<u2"),
        "win_table_deals": np.array(table.deals),
        "win_table_to_win": np.packbits(table.to_win),
        "win_table_skunks": np.rint(table.skunks * PROBABILITY_PARTS).astype("<u2"),
    }


def win_table_from_arrays(arrays: Arrays) -> WinTable:
    """Read what `win_table_to_arrays` made; raise KeyError or ValueError if it is not there."""
    win = arrays["win_table_win"] / PROBABILITY_PARTS
    error = arrays["win_table_standard_error"] / _MILLION
    if {win.shape, error.shape} != {(WINNING_SCORE, WINNING_SCORE)}:
        raise ValueError(f"a win table of shape {win.shape}")
    to_win = np.unpackbits(arrays["win_table_to_win"], count=win.size).reshape(win.shape) == 1
    skunks = arrays["win_table_skunks"] / PROBABILITY_PARTS
    if skunks.shape != _NO_SKUNKS.shape:
        raise ValueError(f"skunks of shape {skunks.shape}")
    return WinTable(win, error, int(arrays["win_table_deals"]), to_win, skunks)


PEGGING_STEP = 2.0**-10
"""Average points in the play are multiples of this: within 0.0005 of what was solved."""

POINT_BINS = 32  # points pegged in one play are 0 to 31; the few plays that peg more count as 31

_STEPS = {"expected_pegging": PEGGING_STEP, "keep_frequencies": 1 / PROBABILITY_PARTS}
_PLAY_ROUNDS = "play_rounds"  # the array that a solution with the play has, and no other
_TABLE_BYTES = 2  # each number of steps in these tables by class and keep
_PEGGING_PARTS = 1 / PEGGING_STEP
_STATISTICS = {
    "own": (_PEGGING_PARTS, "<u2"),
    "opponent": (_PEGGING_PARTS, "<u2"),
    "joint_pmf": (PROBABILITY_PARTS, "<u2"),
    "hand_covariance": (_PEGGING_PARTS, "<i2"),
    "first_card": (PROBABILITY_PARTS, "<u2"),
    "first_card_value": (_PEGGING_PARTS, "<i2"),
}
"""How many parts of one these fields of `PeggingStatistics` are stored in, and as what."""


class ExpectedPegging(NamedTuple):
    """What each class and keep pegs against an expert, in points, ``(18395, 15)`` each."""

    own: Floats
    opponent: Floats

    @property
    def net(self) -> Floats:
        """The player's points less the opponent's."""
        return self.own - self.opponent

    def columns(self) -> dict[str, Floats]:
        """Name them as tables do."""
        return {"play_own": self.own, "play_opponent": self.opponent, "play_mean": self.net}


class PeggingStatistics(NamedTuple):
    """What each of the 1,820 keeps of a role pegs, whatever was thrown with it."""

    share: Floats  # how often it is kept, of all deals, ``(1820,)``
    own: Floats  # points the player pegs with it on average, ``(1820,)``
    opponent: Floats  # points the opponent pegs, ``(1820,)``
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

    share: Floats  # how often of deals of the class, ``(18395, 15)``; rows sum to one
    flush: Floats  # how often of deals of the class it is kept and is of one suit, ``(18395, 15)``

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
    """Round average points to the grid they are stored on."""
    return np.rint(points / PEGGING_STEP) * PEGGING_STEP


def play_to_arrays(play: SolvedPlay) -> dict[str, NDArray[Any]]:
    """Make arrays to be stored, but for the strategy; averages are rounded to the grid."""
    arrays: dict[str, NDArray[Any]] = {
        "play_exploitability": np.array(play.exploitability),
        _PLAY_ROUNDS: np.array(play.rounds),
        "play_rms_changes": np.array(play.rms_changes, dtype=np.float64),
        **tables_to_arrays("keep_frequencies", play.keep_frequencies),
        **tables_to_arrays("expected_pegging", play.expected_pegging),
    }
    for role, keeps in play.statistics.items():
        held = np.isfinite(keeps.first_card_value)
        first = {name: getattr(keeps, name)[held] for name in ("first_card", "first_card_value")}
        tables = {**keeps._asdict(), **first}
        for name, (parts, kind) in _STATISTICS.items():
            tables[name] = np.rint(tables[name] * parts).astype(kind)
        tables["first_card_held"] = np.packbits(held)
        arrays |= {f"{role}_statistics_{name}": table for name, table in tables.items()}
    return arrays


def tables_to_arrays(
    name: str, by_role: Mapping[Role, ExpectedPegging | KeepFrequencies]
) -> dict[str, NDArray[Any]]:
    """Make arrays to be stored, in the steps of these tables."""
    return {
        f"{role}_{name}_{field}": quantize(table, step=_STEPS[name], bytes_each=_TABLE_BYTES)
        for role in ROLES
        for field, table in by_role[role]._asdict().items()
    }


def _read_tables(
    arrays: Arrays, role: Role, name: str, fields: tuple[str, ...]
) -> Iterator[Floats]:
    for field in fields:
        stored = arrays[f"{role}_{name}_{field}"]
        yield dequantize(stored, step=_STEPS[name], bytes_each=_TABLE_BYTES)


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
    for name, (parts, _) in _STATISTICS.items():
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


COUNTED_GAIN = 1e-6  # a deal counts as changed where switching gains more points than this


class PolicyLoss(NamedTuple):
    """What a policy costs against an expert."""

    points: float  # points per deal, over all deals
    deals: int
    """Deals in which it costs more than `COUNTED_GAIN`, on average where several are kept."""


def policy_loss(policy: Policy, cribs: CribAverages, *, role: Role) -> PolicyLoss:
    """Average what a policy loses against the best, over all deals."""
    every = canonical.canonical_deals()
    points, changed = 0.0, 0.0
    for part, values in class_tables.comparison_values(cribs, role=role):
        rows, keeps, of = canonical.keep_entries(policy[every.classes[part], every.patterns[part]])
        losses = (values.max(axis=1)[rows] - values[rows, keeps]) / canonical.STARTERS
        losses[tied_best(values, unit=canonical.STARTERS)[rows, keeps]] = 0
        deals = every.deals[part][rows] / of
        points += float(losses @ deals)
        changed += float((losses > COUNTED_GAIN) @ deals)
    return PolicyLoss(points / canonical.DEALS, round(changed))


def static_policy(crib: Floats, *, role: Role) -> Policy:
    """Return the policy that throws by average hand and a table of average cribs, ``(13, 13)``."""
    every = canonical.canonical_deals()
    policy = np.zeros((canonical.CLASSES, canonical.PATTERNS), dtype=np.uint16)
    by_pair = crib[tuple(canonical.RANK_PAIRS.T)]
    for part, values in class_tables.canonical_values(uniform_cribs(), role=role):
        classes = every.classes[part]
        static = net_points(values.hand, by_pair[canonical.discard_rank_pairs()[classes]], role)
        policy[classes, every.patterns[part]] = canonical.best_keep_sets(static)
    return policy


def reference_losses(
    cribs: CribAverages,
    *,
    role: Role,
    show: CribAverages | None = None,
    known: Mapping[str, PolicyLoss] | None = None,
) -> dict[str, PolicyLoss]:
    """Average what well-known ways, and the expert for ``show``, lose; or take the ``known``."""
    shape = canonical.CLASSES, canonical.PATTERNS
    ways: dict[str, Callable[[], Policy]] = {
        "random": lambda: np.full(shape, canonical.ANY_KEEP, dtype=np.uint16),
        "hand": lambda: static_policy(np.zeros((13, 13)), role=role),
    }
    for name in PUBLISHED_CRIBS:
        ways[name] = partial(static_policy, published_cribs(name)[role], role=role)
    ways["uniform"] = lambda: class_tables.best_response(uniform_cribs(), role=role)
    if show is not None:
        ways["show"] = lambda: class_tables.best_response(show, role=role)
    known = known or {}
    return {
        name: known[name] if name in known else policy_loss(policy(), cribs, role=role)
        for name, policy in ways.items()
    }


def policy_checksum(policy: Policy) -> int:
    """Return a checksum of a policy, the same on every platform."""
    return crc32(policy.astype("<u2").tobytes())


_Part = TypeVar("_Part")

_SHIPPED = files("cribev") / "data" / "equilibrium.npz"
_SHIPPED_PLAY = files("cribev") / "data" / "equilibrium_play.npz"

FORMAT = 5  # version of the file format; a file of another version is refused

NOT_CONVERGED = -1
"""In place of a cycle's length, where the rounds ran out before a policy came again."""

_CRIB_BYTES = 5  # an average crib is less than 2**14 / 46 points, and the grid adds 26 bits
_CRIB_SHAPES = {"flush": (7,), "jacks": (canonical.CLASSES,), "nobs": (7,)}


class ShowAverages(NamedTuple):
    """Averages of the show over all deals of a role, both sides experts, in points."""

    hand: float
    crib: float
    expected: float  # hand plus or minus crib


class RankPairAverages(NamedTuple):
    """What happens to each rank pair, each ``(91, 2)``: unsuited, then suited."""

    thrown: Floats  # share of all deals that throw it; the table sums to one
    crib_when_thrown: Floats  # average crib over the deals that throw it; NaN where none does
    crib_when_held: Floats
    """Average crib over all deals that hold it, whatever they throw; NaN where none can."""


class ResponseRound(NamedTuple):
    """What one round of best responses did for one role."""

    number: int
    role: Role
    changed: int  # deals, of 20,358,520, whose best discard gains more than `COUNTED_GAIN`
    gain: float  # points per deal, over all deals


class Solution(NamedTuple):
    """Where best responses lead."""

    cribs: Mapping[Role, CribAverages]
    """Average cribs for each role; its policy is the best response to them."""
    actual_cribs: Mapping[Role, CribAverages]
    """Average cribs for each role against the opponent's policy: the same, but for a role that in
    a cycle has not yet responded."""
    exploitability: dict[Role, float]
    """Points per deal a role could still gain by switching, the other staying."""
    improvable_deals: dict[Role, int]  # deals in which it could gain more than `COUNTED_GAIN`
    history: list[ResponseRound]  # how it came about, dealer and pone in turn
    cycle: int
    """Of how many rounds the cycle is that they end in; 0 at a fixed point; or `NOT_CONVERGED`."""
    averages: dict[Role, ShowAverages]
    pairs: dict[Role, RankPairAverages]
    losses: dict[Role, dict[str, PolicyLoss]]
    """What well-known ways to discard lose against it, as `reference_losses`."""
    checksums: dict[Role, int]  # of each role's policy, as `policy_checksum` has it
    play: SolvedPlay | None = None
    """The play, if it counts; the average cribs then carry its net points."""
    win_table: WinTable | None = None  # who wins from which score, if the play counts

    def __eq__(self, another: object) -> bool:
        return self is another

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Send what is shipped to another process by its name."""
        shipped = self is _shipped(self.play is not None)
        return (_shipped, (self.play is not None,)) if shipped else (Solution, tuple(self))

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
        return {role: class_tables.best_response(self.cribs[role], role=role) for role in ROLES}


@cache
def losses_against(solution: Solution, role: Role) -> Mapping[str, PolicyLoss]:
    """Return what well-known ways to discard lose against a solution; some take seconds."""
    show = None if solution.play is None else load().cribs[role]
    return reference_losses(solution.cribs[role], role=role, show=show, known=solution.losses[role])


def save(solution: Solution, file: Path | str | IO[bytes], *, force: bool = True) -> None:
    """Write a solution as ``.npz``, with the strategy; CribevError if one is not replaced."""
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
    """Read what `save` wrote, or the shipped one, with ``play`` or not; else TableError."""
    if file is None:
        return _shipped(play)
    return _read(file, partial(_solution_of, load_strategy=partial(load_strategy, file)))


def load_strategy(file: Path | str | IO[bytes]) -> Strategy:
    """Read the strategy of the play, unpacked once (58 MB); TableError if there is none."""
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
    read = partial(_solution_of, load_strategy=shipped_strategy, shipped=play)
    return _read_shipped(play, read)


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
        f"{name}_ranks": quantize(cribs.ranks, step=class_tables.GRID, bytes_each=_CRIB_BYTES),
        **{f"{name}_{key}": getattr(cribs, key) for key in _CRIB_SHAPES},
    }


def _read_cribs(arrays: Arrays, role: Role, *, kind: str = "cribs") -> CribAverages:
    small = {key: arrays[f"{role}_{kind}_{key}"] for key in _CRIB_SHAPES}
    for key, array in small.items():
        if array.shape != _CRIB_SHAPES[key]:
            raise ValueError(f"{key} of shape {array.shape}")
    stored = arrays[f"{role}_{kind}_ranks"]
    ranks = dequantize(stored, step=class_tables.GRID, bytes_each=_CRIB_BYTES)
    play = None
    if _PLAY_ROUNDS in arrays:
        play = class_tables.points_to_grid(read_expected_pegging(arrays, role).net)
    return CribAverages(ranks, **small, play=play)


def _read_actual_cribs(arrays: Arrays, role: Role) -> CribAverages:
    kind = "actual_cribs" if f"{role}_actual_cribs_ranks" in arrays else "cribs"
    return _read_cribs(arrays, role, kind=kind)


def _solution_of(
    arrays: NpzFile, *, load_strategy: Callable[[], Strategy], shipped: bool | None = None
) -> Solution:
    """Read a solution; of what is ``shipped``, with the play or not, the large parts on demand."""

    def by_role(read: Callable[[Arrays, Role], _Part]) -> Mapping[Role, _Part]:
        if shipped is not None:
            return _OnDemand(read, shipped)
        return {role: read(arrays, role) for role in ROLES}

    play = None
    if _PLAY_ROUNDS in arrays:
        play = SolvedPlay(
            by_role(read_expected_pegging),
            by_role(read_statistics),
            by_role(read_keep_frequencies),
            exploitability=float(arrays["play_exploitability"]),
            rounds=int(arrays[_PLAY_ROUNDS]),
            rms_changes=arrays["play_rms_changes"].tolist(),
            load_strategy=load_strategy if has_strategy(arrays) else None,
        )
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
        play=play,
        win_table=None if play is None else win_table_from_arrays(arrays),
    )
