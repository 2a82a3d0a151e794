"""How likely each pegs how many points with a keep, by what the opponent keeps."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.advice.belief import Belief
from cribev.advice.endings import Ends, keeps_of
from cribev.advice.evaluation import PlayTree
from cribev.classes.canonical import Floats, Index
from cribev.game.roles import Role
from cribev.solution.play import POINT_BINS
from cribev.solution.public_tree import PlayStrategy


class PeggingPmf(NamedTuple):
    """What is pegged against each keep of the opponent, given that keep.

    Where nobody is out, there is an entry for each keep, numbers of own points and of the
    opponent's that can be, by keep: the first four arrays, ``(m,)`` each.
    """

    faced: Index
    """Which of the keeps asked for."""
    own: Index
    opponent: Index
    chance: Floats
    out: Floats
    """How likely the player is out first, by the keep asked for, ``(n,)``."""
    beaten: Floats
    """How likely the opponent is, ``(n,)``."""


def pegging_pmf(
    keep: Sequence[int],
    role: Role,
    faced: Index,
    needs: tuple[int, int],
    strategy: PlayStrategy,
) -> PeggingPmf:
    """Play a keep by a strategy against others that play by it as well.

    Parameters
    ----------
    keep
        The places of the player's ranks, ascending.
    role
        The player's role.
    faced
        The opponent's keeps, numbers, ``(n,)``.
    needs
        How many points the player and the opponent need; more than 31 count as 32, which nobody
        pegs but for a handful of freaks that count as 31.
    strategy
        How both play.
    """
    size = strategy.size
    chance = np.zeros(size.holding_count(size.kept))
    chance[faced] = 1
    end = _Tally(strategy, len(chance), (min(needs[0], POINT_BINS), min(needs[1], POINT_BINS)))
    belief = Belief(size.kept, chance, 0, explained=True)
    _ = PlayTree([], role, keep, belief, opponent=strategy, own=strategy, end=end)
    return end.pmf(faced)


class _Tally:
    """The end of a play is noted, and worth how likely it is."""

    parts = 1

    def __init__(self, strategy: PlayStrategy, keeps: int, needs: tuple[int, int]) -> None:
        self._size, self._needs = strategy.size, needs
        self._decided = np.zeros((2, keeps))
        self._cells, self._weights = list[Index](), list[Floats]()

    def settle(self, ends: Ends) -> Floats:
        """Note how likely the play ends with so many points."""
        shape = ends.weights.shape
        row, column = np.nonzero(ends.weights)
        weights = ends.weights[row, column]
        keeps = keeps_of(self._size, ends.left)[ends.laid[row, 0], column]
        own, opponent, own_first = (
            np.broadcast_to(part, shape)[row, column]
            for part in (ends.own, ends.opponent, ends.own_first)
        )
        out, beaten = own >= self._needs[0], opponent >= self._needs[1]
        out, beaten = out & (~beaten | own_first), beaten & ~(out & own_first)
        for decided, some in zip(self._decided, (out, beaten), strict=True):
            decided += np.bincount(keeps[some], weights[some], len(decided))
        on = ~(out | beaten)
        most = POINT_BINS - 1
        cells = (keeps[on] * POINT_BINS + np.minimum(own[on], most)) * POINT_BINS
        self._cells.append(cells + np.minimum(opponent[on], most))
        self._weights.append(weights[on])
        worth: Floats = ends.weights.sum(axis=1, keepdims=True)
        return worth

    def is_over(self, own: Index, opponent: Index) -> NDArray[np.bool_]:
        """Tell which plays end with the game."""
        over: NDArray[np.bool_] = (own >= self._needs[0]) | (opponent >= self._needs[1])
        return over

    def goal(self, values: Floats) -> Floats:
        """Nobody chooses."""
        return values[..., 0]

    def pmf(self, faced: Index) -> PeggingPmf:
        """Put together what was noted, for some keeps."""
        out, beaten = self._decided[:, faced]
        rows = np.full(self._decided.shape[1], -1)
        rows[faced] = np.arange(len(faced))
        cells, of = np.unique(np.concatenate(self._cells), return_inverse=True)
        chance = np.bincount(of, np.concatenate(self._weights)).astype(np.float64)
        keeps, points = np.divmod(cells, POINT_BINS**2)
        return PeggingPmf(rows[keeps], *np.divmod(points, POINT_BINS), chance, out, beaten)
