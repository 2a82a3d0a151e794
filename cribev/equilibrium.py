"""Two experts, solved: each throws what is best against the other, over all deals.

From uniform throwing, a dozen rounds of best responses settle all but some six thousand of the
40,717,040 deals of both roles. These few, nearly indifferent, chase one another in a circle of two
rounds, as in matching pennies: of the 512 ways to settle the groups of them, class by class, none
was stable. What is shipped is the better point of that circle. Pone has nothing left to gain there,
the dealer 2.6e-8 points a deal, as the class tables count it.
"""

from collections.abc import Callable, Iterator
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile
from zlib import error as ZlibError  # noqa: N812

import numpy as np
from numpy.typing import NDArray

from cribev.cards import Cards
from cribev.class_cribs import crib_averages, throws, uniform_cribs
from cribev.classes import (
    CLASSES,
    DEALS,
    GRID,
    PATTERNS,
    RANK_PAIRS,
    STARTERS,
    CribAverages,
    Floats,
    Policy,
    all_forms,
    best_policy,
    compared_values,
    discard_pairs,
    form_blocks,
    form_values,
    numbered_deals,
    suit_rows,
    suit_tables,
)
from cribev.errors import TableError
from cribev.roles import ROLES, Role, crib_sign, other

FORMAT = 1
"""Version of the file format; a file of another version is refused."""

COUNTED_GAIN = 1e-6
"""A deal counts as changed where switching gains more points than this."""


class RoundReport(NamedTuple):
    """What one round of best responses did for one role."""

    number: int
    role: Role
    changed: int
    """Deals, of 20,358,520, whose best discard gains more than `COUNTED_GAIN`."""
    gain: float
    """Points per deal, over all deals."""


class Averages(NamedTuple):
    """Averages over all deals of a role, both sides throwing as experts, in points."""

    hand: float
    crib: float
    expected: float


class PairAverages(NamedTuple):
    """What happens to each rank pair, each ``(91, 2)``: unsuited, then suited."""

    thrown: Floats
    """Share of all deals that throw it; the table sums to one."""
    crib_when_thrown: Floats
    """Average crib over the deals that throw it; nan where none does."""
    crib: Floats
    """Average crib over all deals that hold it, whatever they throw; nan where none can."""


class Solution(NamedTuple):
    """Where best responses lead."""

    cribs: dict[Role, CribAverages]
    """The average cribs each role meets; its policy is the best response to them."""
    exploitability: dict[Role, float]
    """Points per deal a role could still gain by switching, the other staying."""
    changes: dict[Role, int]
    """Deals in which it could gain more than `COUNTED_GAIN`."""
    rounds: int
    """Rounds it took."""
    cycle: int
    """0 at a fixed point, or of how many rounds the circle is that the roles end in."""
    averages: dict[Role, Averages]
    pairs: dict[Role, PairAverages]

    def policies(self) -> dict[Role, Policy]:
        """Give each role's policy: a keep for each form, uint8 ``(18395, 187)``."""
        return {role: best_policy(self.cribs[role], role=role) for role in ROLES}


class Loss(NamedTuple):
    """What a policy costs against an expert."""

    points: float
    """Points per deal, over all deals."""
    deals: int
    """Deals in which it costs more than `COUNTED_GAIN`."""


def solve(report: Callable[[RoundReport], None] | None = None, *, rounds: int = 60) -> Solution:
    """Let the roles respond best to each other in turn until nothing moves, or all comes again.

    Parameters
    ----------
    report
        Called twice a round, once for each role, to show progress.
    rounds
        Give up after this many.

    Returns
    -------
    What the roles come to. If it is not a fixed point, what is left to gain is in
    `Solution.exploitability` and `Solution.changes`, and `Solution.cycle` says how many rounds
    bring the same policies back; it is then the point of that circle with least left to gain.

    Examples
    --------
    >>> solution = solve(print)  # doctest: +SKIP
    """
    cribs: dict[Role, CribAverages] = dict.fromkeys(ROLES, uniform_cribs())
    policies = {role: best_policy(cribs[role], role=role) for role in ROLES}
    seen: dict[bytes, int] = {}
    candidates: list[tuple[float, dict[Role, CribAverages]]] = []
    for number in range(1, rounds + 1):
        before, changed, gain = dict(cribs), 0, 0.0
        for role in ROLES:
            cribs[role] = crib_averages(throws(policies[other(role)]))
            loss = policy_loss(policies[role], cribs[role], role=role)
            policies[role] = best_policy(cribs[role], role=role)
            changed, gain = changed + loss.deals, gain + loss.points
            if report is not None:
                report(RoundReport(number, role, loss.deals, loss.points))
        # What this round gained is what was left to gain at the end of the round before.
        candidates.append((gain, before))
        if not changed:
            return _solution(cribs, number, cycle=0)
        digest = blake2b(policies["dealer"].tobytes() + policies["pone"].tobytes()).digest()
        if digest in seen:
            cycle = number - seen[digest]
            least = min(candidates[-cycle:], key=lambda candidate: candidate[0])
            return _solution(least[1], number, cycle=cycle)
        seen[digest] = number
    return _solution(cribs, rounds, cycle=0)


def play_once_more(solution: Solution) -> dict[Role, Loss]:
    """Let each role respond to the other's policy as the solution has it, and see what it gains.

    Examples
    --------
    >>> {role: loss.deals for role, loss in play_once_more(load()).items()}  # doctest: +SKIP
    {'dealer': 0, 'pone': 0}
    """
    policies = solution.policies()
    return {
        role: policy_loss(policies[role], crib_averages(throws(policies[other(role)])), role=role)
        for role in ROLES
    }


def policy_loss(policy: Policy | None, cribs: CribAverages, *, role: Role) -> Loss:
    """Average what a policy loses against the best, over all deals.

    Parameters
    ----------
    policy
        A keep number for each form, uint8 ``(18395, 187)``, as from `policy_of` or
        ``classes.best_policy``; None throws any two cards alike, and loses the mean over the keeps.
    cribs
        Average cribs against the opponent.
    role
        Whose policy it is.

    Examples
    --------
    >>> from cribev.classes import best_policy
    >>> policy = best_policy(uniform_cribs(), role="dealer")
    >>> policy_loss(policy, uniform_cribs(), role="dealer")
    Loss(points=0.0, deals=0)
    """
    forms = all_forms()
    points, changed = 0.0, 0
    for part, values in compared_values(cribs, role=role):
        rows = np.arange(len(values))
        if policy is None:
            own = values.mean(axis=1)
        else:
            own = values[rows, policy[forms.classes[part], forms.patterns[part]]]
        losses = (values[rows, values.argmax(axis=1)] - own) / STARTERS
        points += float(losses @ forms.deals[part])
        changed += int(forms.deals[part][losses > COUNTED_GAIN].sum())
    return Loss(points / DEALS, changed)


def policy_of(choose: Callable[[Cards], NDArray[np.integer]]) -> Policy:
    """Tabulate a way to discard by asking it about one deal of each form.

    Parameters
    ----------
    choose
        Takes deals, uint8 ``(n, 6)``, each ascending, and returns a keep number for each. It must
        not care which suit is which.

    Returns
    -------
    A keep number for each form, uint8 ``(18395, 187)``.

    Examples
    --------
    >>> lowest_four = policy_of(lambda deals: np.zeros(len(deals), dtype=np.uint8))
    >>> round(policy_loss(lowest_four, uniform_cribs(), role="pone").points, 3)
    2.436
    """
    forms = all_forms()
    policy = np.zeros((CLASSES, PATTERNS), dtype=np.uint8)
    step = 1 << 16
    for start in range(0, len(forms.deals), step):
        part = slice(start, start + step)
        keeps = choose(numbered_deals(forms.examples[part]))
        policy[forms.classes[part], forms.patterns[part]] = keeps
    return policy


def strategy_blocks(policy: Policy) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Write out a policy for every deal, in colexicographic order, some deals at a time.

    Yields
    ------
    The first deal number of a block, and the keep numbers of its deals.

    Examples
    --------
    >>> start, keeps = next(strategy_blocks(best_policy(uniform_cribs(), role="pone")))
    >>> start, keeps.dtype.name, keeps[0].item()  # four aces, from A A A A 2 2
    (0, 'uint8', 0)
    """
    by_form = policy.reshape(-1)
    for start, form in form_blocks():
        yield start, by_form.take(form)


def strategy(policy: Policy) -> NDArray[np.uint8]:
    """Write out a policy for every deal: keep numbers, uint8 ``(20358520,)``.

    Examples
    --------
    >>> len(strategy(best_policy(uniform_cribs(), role="pone")))
    20358520
    """
    keeps = np.empty(DEALS, dtype=np.uint8)
    for start, block in strategy_blocks(policy):
        keeps[start : start + len(block)] = block
    return keeps


def save(solution: Solution, file: Path | str | IO[bytes]) -> None:
    """Write a solution as a compressed ``.npz`` file, without pickle.

    Raises
    ------
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
    arrays: dict[str, Any] = {"format": np.array(FORMAT), "rounds": np.array(solution.rounds)}
    arrays["cycle"] = np.array(solution.cycle)
    for role in ROLES:
        cribs, pairs = solution.cribs[role], solution.pairs[role]
        steps = np.rint(cribs.ranks[_distinct_discards()] / GRID).astype(np.uint64)
        arrays |= {
            # All bytes of one weight together: the high ones then take next to nothing.
            f"{role}_crib_ranks": steps.view(np.uint8).reshape(-1, 8).T[:_GRID_BYTES].copy(),
            f"{role}_crib_flush": cribs.flush,
            f"{role}_crib_jacks": cribs.jacks,
            f"{role}_crib_nobs": cribs.nobs,
            f"{role}_exploitability": np.array(solution.exploitability[role]),
            f"{role}_changes": np.array(solution.changes[role]),
            f"{role}_averages": np.array(solution.averages[role]),
            **{f"{role}_pairs_{name}": value for name, value in pairs._asdict().items()},
        }
    if isinstance(file, str | Path):
        with Path(file).open("wb") as opened:  # given a name, numpy would add .npz to it
            np.savez_compressed(opened, **arrays)
    else:
        np.savez_compressed(file, **arrays)


def load(file: Path | str | IO[bytes] | None = None) -> Solution:
    """Read a solution, the one that comes with the package if no file is given.

    Raises
    ------
    TableError
        If the file is missing, damaged, or of another version.

    Examples
    --------
    >>> solution = load()
    >>> [round(points, 2) for points in solution.averages["dealer"]]
    [7.98, 4.78, 12.76]
    """
    if file is None:
        return _shipped()
    if not isinstance(file, str | Path):
        return _read(file)
    try:
        with Path(file).open("rb") as opened:
            return _read(opened)
    except OSError as error:
        raise TableError(_unreadable(str(file), error)) from error


@cache
def _shipped() -> Solution:
    with (files("cribev") / "data" / "equilibrium.npz").open("rb") as opened:
        return _read(opened)


def _read(file: IO[bytes]) -> Solution:
    name = str(getattr(file, "name", "memory"))
    try:
        with np.load(file, allow_pickle=False) as stored:
            version = int(stored["format"])
            if version != FORMAT:
                raise TableError(f"{name} has format {version}, this version reads {FORMAT}")
            return _unpack({key: stored[key] for key in stored.files})
    except TableError:
        raise
    except _DAMAGE as error:
        raise TableError(_unreadable(name, error)) from error


def _unreadable(name: str, error: Exception) -> str:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return f"cannot read the solution in {name}: {reason}"


_DAMAGE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    EOFError,
    BadZipFile,
    ZlibError,
)
_GRID_BYTES = 5  # an average crib is less than 2**14 / 46 points, and the grid adds 26 bits
_SHAPES = {"flush": (7,), "jacks": (CLASSES,), "nobs": (7,)}


def _unpack(stored: dict[str, NDArray[Any]]) -> Solution:
    distinct = _distinct_discards()
    cribs: dict[Role, CribAverages] = {}
    for role in ROLES:
        planes = stored[f"{role}_crib_ranks"]
        if planes.shape != (_GRID_BYTES, int(distinct.sum())) or planes.dtype != np.uint8:
            raise ValueError(f"average cribs of shape {planes.shape}")
        small = {key: stored[f"{role}_crib_{key}"] for key in _SHAPES}
        for key, array in small.items():
            if array.shape != _SHAPES[key]:
                raise ValueError(f"{key} of shape {array.shape}")
        weights = 256.0 ** np.arange(_GRID_BYTES) * GRID  # sums of these are exact
        cribs[role] = CribAverages(_spread(weights @ planes), **small)
    return Solution(
        cribs=cribs,
        exploitability={role: float(stored[f"{role}_exploitability"]) for role in ROLES},
        changes={role: int(stored[f"{role}_changes"]) for role in ROLES},
        rounds=int(stored["rounds"]),
        cycle=int(stored["cycle"]),
        averages={role: Averages(*stored[f"{role}_averages"].tolist()) for role in ROLES},
        pairs={
            role: PairAverages(*(stored[f"{role}_pairs_{name}"] for name in PairAverages._fields))
            for role in ROLES
        },
    )


@cache
def _distinct_discards() -> NDArray[np.bool_]:
    """Mark the first keep of each class with its rank pair thrown, ``(18395, 15)``."""
    pairs = discard_pairs()
    first: NDArray[np.intp] = (pairs[:, :, None] == pairs[:, None, :]).argmax(axis=2)
    return np.equal(first, np.arange(15))


def _spread(distinct: Floats) -> Floats:
    """Give every keep the value of the first keep with its rank pair thrown."""
    pairs = discard_pairs()
    ranks = np.empty(pairs.shape)
    ranks[_distinct_discards()] = distinct
    return np.take_along_axis(ranks, (pairs[:, :, None] == pairs[:, None, :]).argmax(axis=2), 1)


def _solution(cribs: dict[Role, CribAverages], rounds: int, *, cycle: int) -> Solution:
    averages: dict[Role, Averages] = {}
    pairs: dict[Role, PairAverages] = {}
    for role in ROLES:
        averages[role], pairs[role] = _summary(cribs[role], role)
    nothing: dict[Role, float] = dict.fromkeys(ROLES, 0.0)
    none: dict[Role, int] = dict.fromkeys(ROLES, 0)
    solution = Solution(dict(cribs), nothing, none, rounds, cycle, averages, pairs)
    losses = play_once_more(solution)
    return solution._replace(
        exploitability={role: loss.points for role, loss in losses.items()},
        changes={role: loss.deals for role, loss in losses.items()},
    )


def _summary(cribs: CribAverages, role: Role) -> tuple[Averages, PairAverages]:
    """Average the best responses of a role over all deals, and by rank pair thrown."""
    forms, policy = all_forms(), best_policy(cribs, role=role)
    size = 2 * len(RANK_PAIRS)
    hand = crib = 0.0
    thrown, crib_thrown, held, crib_held = (np.zeros(size) for _ in range(4))
    for part, values in form_values(cribs, role=role):
        classes, patterns, deals, _ = (array[part] for array in forms)
        keeps = policy[classes, patterns].astype(np.intp)
        rows = np.arange(len(keeps))
        cells = discard_pairs()[classes] * 2 + (
            suit_tables().suited[suit_rows(classes, patterns)] > 0
        )
        weights = np.broadcast_to(deals[:, None], cells.shape)
        held += np.bincount(cells.ravel(), weights.ravel(), size)
        crib_held += np.bincount(cells.ravel(), (values.crib_mean * weights).ravel(), size)
        own = cells[rows, keeps]
        best_crib = values.crib_mean[rows, keeps] * deals
        thrown += np.bincount(own, deals, size)
        crib_thrown += np.bincount(own, best_crib, size)
        hand += float(values.hand_mean[rows, keeps] @ deals)
        crib += float(best_crib.sum())
    hand, crib = hand / DEALS, crib / DEALS
    with np.errstate(invalid="ignore"):
        tables = (thrown / DEALS, crib_thrown / thrown, crib_held / held)
    return (
        Averages(hand, crib, hand + crib_sign(role) * crib),
        PairAverages(*(table.reshape(-1, 2) for table in tables)),
    )
