"""Pack what every discard is worth against some opponents, small enough to fit in a page.

    python -m solver.pocket

writes what ``cribev pocket`` puts in its file, in half a minute.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from cribev.advice.names import as_opponent
from cribev.app.pocket.page import OPPONENTS, TABLES
from cribev.classes.canonical import CLASSES, STARTERS, Floats, Index, discard_rank_pairs
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.opponents.opponents import Opponent, Solved
from cribev.solution.strategy import RANK_KEEPS, keep_rank_counts, rank_keep_numbers
from cribev.system.files import atomic_write
from cribev.wins.far import FarEnds, _peg_moments
from cribev.wins.orders import peg_orders

POINTS_STEP = 0.01
"""What is added up in a row of discards is a multiple of this many points."""

_LEAST_NEED = 17  # points: where a player needs less, another discard may win 0.005 more
_PEGS, _FIRSTS = 16, 6  # numbers of points that both peg, and that both need
_COARSE = 0.02  # points that only chances to win are made of
_CHANCE = 1 / 30_000
_SUITS = 1e-4


def pack_tables(opponents: Sequence[Opponent]) -> bytes:
    """Return tables of each opponent and role, gzipped: a line of JSON, then arrays of bytes.

    The line has ``opponents``, their names; ``far``, the points that both need for chances to win;
    and ``arrays``, a list of name, shape and step. A name is the opponent, the role, and what the
    array holds: ``expert dealer crib``.

    An array holds whole multiples of its step, each minus the one before, with 0, -1, 1, -2, 2, …
    written as 0, 1, 2, 3, 4, …: first all low bytes, then all high bytes. Arrays by class and
    discard have a value for each two ranks that a class can discard: ``crib`` by the ranks
    discarded, ``play`` and ``own`` by the ranks kept, then by class. ``pegs`` and ``dealer first``
    have a value for each keep, by the points that both peg, or need: `_pegs_first`.
    """
    ends = {(person, role): FarEnds(person, role) for person in opponents for role in ROLES}
    arrays = {
        f"{opponent.name} {role} {name}": array
        for (opponent, role), of_role in ends.items()
        for name, array in _tables(opponent, role, of_role).items()
    }
    arrays |= {f"{role} first": (_pegs_first(role), _COARSE) for role in ROLES}
    win = opponents[0].play.game().win_table
    assert win is not None
    arrays["win"] = win.win, _CHANCE
    line = {
        "opponents": [person.name for person in opponents],
        "far": _LEAST_NEED,
        "arrays": [(name, values.shape, step) for name, (values, step) in arrays.items()],
    }
    pieces = [
        json.dumps(line).encode(),
        b"\n",
        *(_differences(*table) for table in arrays.values()),
    ]
    return gzip.compress(b"".join(pieces), mtime=0)


def _tables(opponent: Opponent, role: Role, far: FarEnds) -> Mapping[str, tuple[Floats, float]]:
    """Return the tables of a role that faces an opponent, each with its step."""
    averages, pegging = opponent.crib_averages(role), opponent.pegging(role)
    play = opponent.play.game().play
    assert averages.play is not None
    assert pegging is not None
    assert play is not None
    statistics = play.statistics[role]
    by_pair, by_keep = _orders()
    points = {
        "crib": (averages.ranks.ravel()[by_pair] / STARTERS, POINTS_STEP),
        "play": (averages.play.ravel()[by_keep] / STARTERS, POINTS_STEP),
        "jacks": (averages.jacks, POINTS_STEP),
        "flush": (averages.flush / STARTERS, _SUITS),
        "nobs": (averages.nobs, _SUITS),
        "own": (pegging.own.ravel()[by_keep], _COARSE),
        "pegs": (statistics.joint_pmf[:, :_PEGS, :_PEGS].transpose(1, 2, 0), 0.001),
        "with_hand": (statistics.hand_covariance, _COARSE),
        "spread": (far.hands.pmf, _CHANCE),
    }
    ends = _expansion(far, role)
    steps = {"ends": _CHANCE, "cribs": _CHANCE}
    return points | {name: (part, steps.get(name, _COARSE)) for name, part in ends.items()}


def _expansion(far: FarEnds, role: Role) -> dict[str, Floats]:
    """Return by name the tables of an expansion simpler than `FarEnds`, with an average crib.

    ``ends``: how likely the player wins by what both have made, ``(211, 182)``, with hand and crib
    as usual still to come, but for the own hand; ``cribs``: the distribution of a crib's points,
    ``(30, 91)``; ``by_starter``: the average crib, ``(91, 13)``; ``of_keep`` and ``of_pair``:
    moments, ``(3, 1820)`` and ``(3, 91)``, in points; ``usual``: what both make usually, ``(2,)``;
    ``hands``: the opponent's hand by starter and class, ``(13, 18395)``.
    """
    own_usual, other_usual = far._usual.sum(axis=1), far._usual.sum(axis=0)
    others = np.stack([np.convolve(other_usual, pmf) for pmf in far.hands.pmf], axis=1)
    own, other = own_usual @ np.arange(len(own_usual)), np.arange(len(others)) @ others
    apart = _peg_moments(np.outer(own_usual, other_usual)[None])
    # The variances here leave out what differs from starter to starter.
    starters = np.array([[0.0], [other.var()], [0.0]])
    cribs = np.zeros_like(far.of_pair[:3])
    cribs[int(role == "pone")] = far._crib_by_starter.var(axis=1)
    smooth = _averaged(far._tables[0], own_usual, 0)
    return {
        "ends": _averaged(smooth, others.mean(axis=1), 1),
        "cribs": far._cribs.mean(axis=1).T,
        "by_starter": far._crib_by_starter,
        "of_keep": (far.of_keep - apart)[:3] - starters,
        "of_pair": far.of_pair[:3] - cribs,
        "usual": np.array([own, other.mean()]),
        "hands": far.hands.moments(np.arange(CLASSES))[0].T,
    }


def _averaged(values: Floats, pmf: Floats, axis: int) -> Floats:
    """Average values over a pmf of steps along an axis, from each position on."""
    return np.lib.stride_tricks.sliding_window_view(values, len(pmf), axis=axis) @ pmf


def _pegs_first(role: Role) -> Floats:
    """Return how often, of plays in which both players have what they need, the role has it first.

    Of an expert's plays: by what both need, from 1 on, and by own keep, ``(6, 6, 1820)``.
    """
    expert, counts = Opponent.of(Solved()), keep_rank_counts()
    keeps = np.arange(RANK_KEEPS)
    orders, play = peg_orders(expert, role, keeps), expert.play.game().play
    assert play is not None
    share, needs = play.statistics[opposite_role(role)].share, np.arange(1, _FIRSTS + 1)
    pegged = orders.steps.transpose(1, 0, 2)
    # After how many steps each has so many.
    own, other = ((of[..., None] < needs).sum(axis=1) for of in pegged)
    last = pegged[0].shape[1]
    both = (own[:, :, None] < last) & (other[:, None] < last)
    cells = np.stack([both, both & (own[:, :, None] < other[:, None])]).reshape(2, len(own), -1)
    chances = np.empty((RANK_KEEPS, *cells.shape[::2]))
    for keep in range(RANK_KEEPS):
        ways = orders.ways(keep, keeps)
        may = share * (counts + counts[keep] <= 4).all(axis=1)
        often = np.bincount(ways.order, ways.chance * may[ways.opponent], len(own))
        chances[keep] = often @ cells
    number, first = chances.swapaxes(0, 1)
    usual = np.tile(first.sum(axis=0) / number.sum(axis=0), (RANK_KEEPS, 1))
    share_first = np.divide(first, number, out=usual, where=number > 1e-4)
    return np.reshape(share_first.T, (_FIRSTS, _FIRSTS, RANK_KEEPS))


@cache
def _orders() -> tuple[Index, Index]:
    """Order the discards of all classes that differ in ranks: by ranks discarded, or by ranks kept.

    Neighbours then have nearly the same value.
    """
    pairs, keeps = discard_rank_pairs(), rank_keep_numbers()
    first = (pairs[:, :, None] == pairs[:, None, :]).argmax(axis=2) == np.arange(15)
    cells = np.flatnonzero(first)
    by_pair, by_keep = (of.ravel()[cells].argsort(kind="stable") for of in (pairs, keeps))
    return cells[by_pair], cells[by_keep]


def _differences(values: Floats, step: float) -> bytes:
    whole = np.rint(values.ravel() / step).astype(np.int64)
    steps = whole - np.append(0, whole[:-1])
    written = np.where(steps < 0, -1 - 2 * steps, 2 * steps)
    if written.max() >= 1 << 16:
        raise ValueError(f"two bytes hold no difference of {abs(steps).max()} steps")
    return np.concatenate([written & 255, written >> 8]).astype(np.uint8).tobytes()


def main() -> None:
    """Write the file."""
    packed = pack_tables([as_opponent(name) for name in OPPONENTS])
    with atomic_write(Path(str(TABLES)), force=True) as opened:
        opened.write(packed)


if __name__ == "__main__":
    main()
