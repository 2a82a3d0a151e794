"""An expert who discards and pegs to win at one score, solved when it is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError
from cribev.game.cards import Cards
from cribev.game.roles import ROLES, Role, as_role, opposite_role
from cribev.game.score import as_score, needs_by_role
from cribev.opponents.models import ExpertOpponent, Goal, Opponent
from cribev.opponents.weights import rank_weights
from cribev.solution.play import KeepFrequencies
from cribev.solution.score_strategy import (
    ScoreStrategy,
    cache_score_strategy,
    cached_score_strategy,
    read_score_strategy,
    score_strategy_to_arrays,
)
from cribev.solution.solution import Solution, load, shipped_keep_frequencies
from cribev.system.cache import import_optional
from cribev.system.processes import cpu_count

MOST_NEEDED_TO_WIN = 8
"""A score is solved to win where neither player needs more.

Even there, at 113-113, the reply to one who plays for points is another card in four positions of
ten, and loses some 0.005 of a game. But a round takes longer the more both need, and with more
there is no time for enough rounds in two minutes.
"""

_MOST_ROUNDS = 14
_CPU_SECONDS = 150  # for all rounds; what is before and after them takes some 40 more
_SECONDS_OF_ROUND, _SECONDS_BY_NEEDS = 3.5, 0.3  # CPU seconds of a round, and more for each cell
_STRATEGIES_HELD = 2  # 60 MB each


@dataclass(frozen=True, eq=False, repr=False)
class ExpertToWin(ExpertOpponent):
    """An expert who discards and pegs to win from one score on, as `solve_score` finds.

    Points are those against an expert who counts points; chances to win at the score are against
    one who does not.

    Attributes
    ----------
    at
        What this expert keeps and plays there.
    """

    at: ScoreStrategy = field(kw_only=True)
    plays_for: Goal = field(default="wins", init=False)

    def __repr__(self) -> str:
        pone, dealer = self.at.needs
        return f"<ExpertToWin: pone needs {pone}, the dealer {dealer}>"

    def at_score(self, role: Role, score: tuple[int, int]) -> Opponent:
        """Return who discards and plays to win; CribevError at another score than was solved."""
        self.at.check_needs(needs_by_role(score, role))
        return _OutToWin(self.at)


class _OutToWin(Opponent):
    """The expert where chances to win count."""

    name, plays_for = "expert", "wins"

    def __init__(self, at: ScoreStrategy) -> None:
        self._at = at

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Count the hands that discard each pair and leave each starter."""
        return rank_weights(deal, self.keep_frequencies(role))

    def keep_frequencies(self, role: Role) -> KeepFrequencies:
        """Look the keeps up."""
        return self._at.keep_frequencies[opposite_role(role)]

    def solved_game(self) -> Solution:
        """Return the shipped solution with this play."""
        shipped = load(play=True)
        assert shipped.play is not None
        play = shipped.play._replace(
            keep_frequencies=self._at.keep_frequencies, load_strategy=lambda: self._at.strategy
        )
        return shipped._replace(play=play)


def is_solved_to_win(needs: tuple[int, int]) -> bool:
    """Tell whether a score is one that `solve_score` solves, by what pone and the dealer need.

    >>> is_solved_to_win((4, 4)), is_solved_to_win((1, 20)), is_solved_to_win((4, 0))
    (True, False, False)
    """
    return min(needs) > 0 and max(needs) <= MOST_NEEDED_TO_WIN


def solve_score(score: tuple[int, int] | str, *, role: Role, heels: bool = False) -> ExpertToWin:
    """Solve discards and play to win from a score on, and return the expert who does so.

    It takes up to two minutes on two cores and 3 GB of memory, with a progress bar on a terminal's
    standard error. What is found is kept in the cache folder, some MB a score, and then opened in a
    second. `cribev.advise` takes the expert for an opponent at the score, `cribev.advise_play` too.

    Parameters
    ----------
    score
        Your points and your opponent's before the deal, as two numbers or as text, ``"117-118"``.
        Neither of you may need more than `MOST_NEEDED_TO_WIN`.
    role
        Your role.
    heels
        Whether a jack was cut: the dealer has two points more when the play begins. For
        `cribev.advise_play`; `cribev.advise` asks before the cut.

    Returns
    -------
    An opponent. What is kept goes by ranks alone, as if it was known at the discard whether a jack
    is cut.

    Raises
    ------
    CribevError
        If the score is none, or one of those where it is not done; or without numba, which comes
        with the extra ``solve``, if the score is not in the cache.

    Examples
    --------
    >>> solve_score("117-118", role="pone")  # doctest: +SKIP
    <ExpertToWin: pone needs 4, the dealer 3>
    >>> solve_score("95-110", role="pone")
    Traceback (most recent call last):
    cribev.errors.CribevError: pone needs 26 and the dealer 11: a score is solved to win where each
    needs from 1 to 8
    """
    points = as_score(score, as_role(role))
    return ExpertToWin(at=_score_strategy(needs_by_role(points, as_role(role), heels=heels)))


@lru_cache(_STRATEGIES_HELD)
def _score_strategy(needs: tuple[int, int]) -> ScoreStrategy:
    if not is_solved_to_win(needs):
        raise CribevError(
            f"pone needs {needs[0]} and the dealer {needs[1]}: a score is solved to win where each "
            f"needs from 1 to {MOST_NEEDED_TO_WIN}"
        )
    found = cached_score_strategy(needs)
    if found is None:
        arrays = score_strategy_to_arrays(_solve(needs))
        found = read_score_strategy(arrays, needs)  # rounded, as it is in the cache
        cache_score_strategy(found)
    return found


def _solve(needs: tuple[int, int]) -> ScoreStrategy:
    """Solve a score with a progress bar."""
    import_optional("numba", "solve")
    from tqdm import tqdm

    from cribev.solving.scores import ScoreSolver

    win_table = load(play=True).win_table
    assert win_table is not None
    frequencies: Mapping[Role, KeepFrequencies] = {
        role: shipped_keep_frequencies(role) for role in ROLES
    }
    with tqdm(desc="solving this score to win", unit=" rounds", leave=False, disable=None) as bar:

        def report(done: int, rounds: int) -> None:
            bar.total = rounds
            bar.update(done - bar.n)

        solver = ScoreSolver(frequencies, threads=cpu_count())
        kept = solver.learn(needs, win_table.win, rounds=_rounds(needs), report=report)
        return ScoreStrategy(needs, solver.strategy(), kept)


def _rounds(needs: tuple[int, int]) -> int:
    """Return how many rounds there is time for: 6 at 113-113; after 5 the bounds are 0.03 apart."""
    cells = needs[0] * needs[1]  # of points that both may peg
    seconds = _SECONDS_OF_ROUND + _SECONDS_BY_NEEDS * cells
    return min(_MOST_ROUNDS, int(_CPU_SECONDS / seconds))
