"""The values of choices, the best of them, and the losses of the others.

All code that compares discards uses this module, so that answers about the same numbers agree.
Discards within `TIE_TOLERANCE` of each other are equal: they share a rank, and the first of the
best, in the order of the keeps, is chosen. With a score, chances to win come before points.
Verdicts, and how differences are written, are also the same everywhere.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from cribev.game.alike import Value
from cribev.game.cards import SUITLESS_OFFSET, Cards
from cribev.game.index_tables import DISCARDS
from cribev.game.outcomes import Outcomes
from cribev.game.roles import Role, crib_sign

TIE_TOLERANCE = 1e-9
"""Discards that differ by no more points than this are equal: it covers rounding."""

NEAR_TIE = 0.05
"""Within this many points of the best, a discard that is not its equal is a near-tie."""

CLOSE_WINS = 0.002  # within this chance of the best a discard wins nearly as often

_Floats: TypeAlias = NDArray[np.float64]
_Roles: TypeAlias = Role | NDArray[np.bool_]
"""The player's role, or which of many deals are the dealer's."""
_Points = TypeVar("_Points", float, NDArray[Any])
_ARRAYS = ("hand", "crib", "play", "expected", "ends", "worth")


class BestKeep(NamedTuple):
    """The best keep of many deals, each ``(...)``."""

    keep: NDArray[np.integer]
    """The first, in the order of the keeps, of those that tie for the best."""
    margin: _Floats
    """The points it brings more than any other: 0 for a tie, negative where it wins more
    often and another brings more points."""


class Ranking(NamedTuple):
    """The order of the 15 discards of many deals, each ``(..., 15)``."""

    rank: NDArray[np.int64]
    """One more than the number of those that are better, in the order of the keeps."""
    order: NDArray[np.intp]  # the keeps, the best first


@dataclass(frozen=True, eq=False)
class DiscardValues(Value):
    """The values of the discards of N deals, float64, in points.

    Arrays are ``(N, 15)``, in the order of `index_tables.KEEPS` of the sorted deal; or ``(N,)``
    where they hold the best discard alone, which `chosen` tells.
    """

    hand: _Floats  # average hand
    crib: _Floats  # average crib
    expected: _Floats
    """Hand, crib and play by `net_points`; minus infinity for a discard that repeats another."""
    play: _Floats | None = None
    """Average points in the play less the opponent's; None where the play does not count."""
    ends: _Floats | None = None
    """Chances of how the game ends, as `Outcomes`, ``(N, 15, 6)`` or ``(N, 6)``; NaN where the
    score is not known, and None where none is."""
    worth: _Floats | None = None
    """The value of these ends; None where games are played to win them, and skunks are left out."""
    chosen: BestKeep | None = None  # the best keep of each deal, where the arrays hold nothing else

    @classmethod
    def of(
        cls, hand: _Floats, crib: _Floats, role: _Roles, play: _Floats | None = None, **more: Any
    ) -> "DiscardValues":
        """Combine hand, crib and play; `role` is as in `net_points`."""
        return cls(hand, crib, net_points(hand, crib, role, play), play, **more)

    def with_outcomes(self, outcomes: Outcomes[_Floats]) -> Self:
        """Add how the games may end with each discard."""
        return replace(self, ends=np.stack(outcomes, axis=-1))

    @property
    def outcomes(self) -> Outcomes[_Floats] | None:
        """The chances of each end of the games; None where no score is known."""
        return None if self.ends is None else Outcomes(*np.moveaxis(self.ends, -1, 0))

    @cached_property
    def win(self) -> _Floats | None:
        """Chances to win the game, NaN where the score is not known; None where none is."""
        return None if self.outcomes is None else self.outcomes.win

    @property
    def value(self) -> _Floats | None:
        """The values that decide at the score: those of the outcomes, or else chances to win."""
        return self.win if self.worth is None else self.worth

    @property
    def best(self) -> BestKeep:
        """The best keep of each deal: by what it is worth where that is known, else by points."""
        if self.chosen is not None:
            return self.chosen
        if self.value is None:
            return best_by_points(self.expected)
        return best_by_wins(self.expected, self.value)

    @cached_property
    def ranking(self) -> Ranking:
        """The order of the discards of each deal, by what they are worth where that is known."""
        return ranking(self.expected, self.value)

    def of_best(self) -> "DiscardValues":
        """Return the values of the best discard of each deal alone, ``(N,)``."""
        chosen = self.best
        return self._of(chosen, (np.arange(len(chosen.keep)), chosen.keep))

    def averages(self) -> dict[str, _Floats]:
        """Return the average hand, crib and play by column name."""
        named = {"hand_mean": self.hand, "crib_mean": self.crib, "play_mean": self.play}
        return {name: values for name, values in named.items() if values is not None}

    def columns(self) -> dict[str, _Floats]:
        """Return everything that counts by column name."""
        wins = {} if self.win is None else {"win": self.win}
        if self.outcomes is not None and self.worth is not None:
            wins = {**self.outcomes.to_dict(), "value": self.worth}
        return {**self.averages(), **wins, "expected": self.expected}

    def take(self, rows: Any) -> "DiscardValues":
        """Return the values of some of the deals."""
        chosen = self.chosen and BestKeep(*(values[rows] for values in self.chosen))
        return self._of(chosen, rows)

    def put(self, rows: Any, values: "DiscardValues") -> None:
        """Set the values of some of the deals, in place."""
        for name, values_of_rows in values._arrays():
            getattr(self, name)[rows] = values_of_rows
        for whole, values_of_rows in zip(self.chosen or (), values.chosen or (), strict=True):
            whole[rows] = values_of_rows

    @classmethod
    def blank(
        cls, shape: tuple[int, ...], *, play: bool, win: bool = False, worth: bool = False
    ) -> "DiscardValues":
        """Allocate values to be `put` later; chances to win are NaN until then."""
        hand, crib, expected = (np.empty(shape) for _ in range(3))
        pegged = np.empty(shape) if play else None
        ends = np.full((*shape, len(Outcomes._fields)), np.nan) if win else None
        worths = np.full(shape, np.nan) if win and worth else None
        chosen = BestKeep(np.empty(shape, np.uint8), np.empty(shape)) if len(shape) == 1 else None
        return cls(hand, crib, expected, pegged, ends, worths, chosen)

    @classmethod
    def concatenate(cls, blocks: Sequence["DiscardValues"]) -> "DiscardValues":
        """Concatenate the values of deals; what is unknown for some of them is left out."""
        names = set.intersection(*({name for name, _ in block._arrays()} for block in blocks))
        whole: Any = {
            name: np.concatenate([getattr(block, name) for block in blocks]) for name in names
        }
        return cls(**whole)

    def _of(self, chosen: BestKeep | None, rows: Any) -> "DiscardValues":
        arrays = {name: value[rows] for name, value in self._arrays()}
        return DiscardValues(chosen=chosen, **arrays)

    def _arrays(self) -> list[tuple[str, Any]]:
        return [(name, getattr(self, name)) for name in _ARRAYS if getattr(self, name) is not None]


def net_points(hand: _Points, crib: _Points, role: _Roles, play: _Points | None = None) -> _Points:
    """Return hand plus play, plus or minus crib by role or by who deals; arrays of any shape."""
    sign: Any
    if isinstance(role, str):
        sign = crib_sign(role)
    else:
        sign = np.where(role, crib_sign("dealer"), crib_sign("pone"))
        sign = sign.reshape(sign.shape + (1,) * (np.ndim(hand) - sign.ndim))
    shown: _Points = hand + sign * crib
    return shown if play is None else shown + play


def best_by_points(values: _Floats, *, unit: float = 1.0) -> BestKeep:
    """Return the best keeps and their margins, by values ``(..., 15)`` in 1 / `unit` points."""
    columns = values.shape[-1]
    # Written to and put right again: a copy would cost as much as the rest.
    table = np.require(values, np.float64, ["C", "W"]).reshape(-1, columns)
    flat, first = table.reshape(-1), np.arange(len(table)) * columns
    keep = table.argmax(axis=1)
    best = first + keep
    greatest = flat.take(best)
    flat[best] = -np.inf
    second = flat.take(first + table.argmax(axis=1))  # faster than max
    flat[best] = greatest
    margin = greatest - second
    tied = np.flatnonzero(margin <= TIE_TOLERANCE * unit)
    keep[tied] = tied_best(table[tied], unit=unit).argmax(axis=1)
    margin[tied] = 0
    shape = values.shape[:-1]
    return BestKeep(keep.reshape(shape), margin.reshape(shape))


def tied_best(values: _Floats, *, unit: float = 1.0) -> NDArray[np.bool_]:
    """Mark the discards that tie for the best, by values ``(..., 15)`` as in `best_by_points`."""
    equal: NDArray[np.bool_] = values + TIE_TOLERANCE * unit >= values.max(axis=-1, keepdims=True)
    return equal


def competition_ranks(values: _Floats) -> NDArray[np.int64]:
    """Rank points ``(..., 15)``: one more than the number of those that are better."""
    # Keep by keep, each of many deals beside the next: numpy is slow on rows as short as 15.
    by_keep = np.ascontiguousarray(np.moveaxis(values, -1, 0))
    with_equals = by_keep + TIE_TOLERANCE
    ranks = np.ones(by_keep.shape, dtype=np.int8)
    for better in by_keep:
        ranks += better > with_equals
    return np.moveaxis(ranks, 0, -1).astype(np.int64)


def alike_discards(held: Cards) -> NDArray[np.bool_]:
    """Return which discards of hands ``(N, 6)`` are the same: ``(N, 15, 15)``."""
    discards = held[:, DISCARDS]
    return np.asarray((discards[:, :, None] == discards[:, None]).all(axis=3))


def without_repeats(values: _Floats, held: Cards) -> _Floats:
    """Return values of the discards of hands, ``(N, 15)``, minus infinity for repeated ones."""
    if held.max(initial=0) < SUITLESS_OFFSET:
        return values
    first = alike_discards(held).argmax(axis=2) == np.arange(values.shape[1])
    return np.where(first, values, -np.inf)


def best_first(ranks: NDArray[np.int64]) -> NDArray[np.intp]:
    """Sort discards by `competition_ranks`, ``(..., 15)``; ties keep the order of the keeps."""
    return ranks.argsort(axis=-1, kind="stable")


def ranking(expected: _Floats, win: _Floats | None = None) -> Ranking:
    """Rank and order ``(..., 15)`` by chances to win, or NaN, then by points, then by keep."""
    ranks = competition_ranks(expected)
    if win is None:
        return Ranking(ranks, best_first(ranks))
    has_wins = np.isfinite(win).all(axis=-1, keepdims=True)
    repeats = np.isneginf(expected)
    by_wins = competition_ranks(np.where(has_wins, np.where(repeats, expected, win), 0.0))
    return Ranking(
        np.where(has_wins, by_wins, ranks), best_first(by_wins * (ranks.shape[-1] + 1) + ranks)
    )


def best_by_wins(expected: _Floats, win: _Floats) -> BestKeep:
    """Return the best keeps by `ranking`; margins are in points."""
    keep = ranking(expected, win).order[..., 0]
    column = keep[..., None]
    others = expected.copy()
    np.put_along_axis(others, column, -np.inf, axis=-1)
    margin = np.take_along_axis(expected, column, axis=-1)[..., 0] - others.max(axis=-1)
    return BestKeep(keep, np.where(np.abs(margin) <= TIE_TOLERANCE, 0.0, margin))


def near_ties(values: _Floats) -> NDArray[np.bool_]:
    """Mark discards within `NEAR_TIE` of the best but not tied with it, by points ``(..., 15)``."""
    near: NDArray[np.bool_] = values + NEAR_TIE >= values.max(axis=-1, keepdims=True)
    return near & ~tied_best(values)


def tie_marks(ranks: NDArray[np.int64], expected: _Floats, win: _Floats | None = None) -> list[str]:
    """Mark choices ``(n,)``: ``=`` ties with the best, ``~`` is close, ``.`` is close by points."""
    near, by_points = near_ties(expected), np.zeros(len(expected), bool)
    if win is not None:
        near = (win + CLOSE_WINS >= win.max()) & ~tied_best(win)
        by_points = expected + NEAR_TIE >= expected.max()
    often = Counter(ranks.tolist())
    return [
        ("=" if often[rank] > 1 else "") + "~" * int(close) + "." * int(also)
        for rank, close, also in zip(ranks.tolist(), near, by_points, strict=True)
    ]


def mark_notes(marks: Sequence[str], *, scored: bool, staked: bool = False) -> list[str]:
    """Explain the marks of `tie_marks`, with chances to win or what they are worth."""
    close = f"within {NEAR_TIE} of the best"
    notes = {"=": "= equal", "~": f"~ {close}"}
    if scored:
        wins = f"{CLOSE_WINS} of the most" if staked else f"{CLOSE_WINS:.1%} of the most wins"
        notes |= {"~": f"~ within {wins}", ".": f". {close} by points"}
    return [note for mark, note in notes.items() if mark in "".join(marks)]
