"""Discards and play solved to win, at one score.

Both learn by CFR+ in the same rounds: `cfr` the cards, `DiscardRegrets` the discards. What is kept
decides how likely keeps face each other, what is shown, and so what the ends of a play are worth.
Then deals are played out by both.
"""

from collections.abc import Callable, Mapping
from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np

from cribev.classes.canonical import Floats, deals_of_classes, discard_rank_pairs
from cribev.classes.enumeration import DEALS
from cribev.game.roles import ROLES, Role
from cribev.solution.keeps import RANK_KEEPS, keep_rank_counts, rank_keep_numbers
from cribev.solution.play import KeepFrequencies, any_suits
from cribev.solution.quantization import average_same_ranks
from cribev.solving.evaluation import best_responses
from cribev.solving.keep_distributions import KeepBeliefs
from cribev.solving.play_solver import PlaySolver
from cribev.solving.playouts import deal_and_show, played_events
from cribev.solving.race import chance_after_deal, count_outcomes
from cribev.solving.shows import KEPT_ANYHOW, AfterPlay, show_chances
from cribev.solving.win_ends import wins_count
from cribev.solving.win_evaluation import WinsByKeep, wins_by_keep

ROUNDS = 14
"""Rounds of discards and play at a score; the bounds are some 0.02 apart then."""

_PASSES = 4  # of scaling rows and columns in turn
_CRIBS_VALUED = (1, 2, 4, 8)  # after which rounds it is worked out how often the crib counts
_FIRST_REGRET = 0.02  # of what is kept at first: so much more it seems to win
_DEALS = 400_000  # deals played out at a score
_UNCERTAIN = 1 / 2  # how far from the middle of the bounds the solution may be, of the way to them


def keep_beliefs(frequencies: Mapping[Role, KeepFrequencies]) -> KeepBeliefs:
    """Tell how likely keeps face each other, but for what is learned from the cards thrown.

    Keeps face each other as often as each is kept, times how much rarer the cards of one make the
    other. `KeepDistributions` is exact, and takes half a minute.
    """
    marginal: dict[Role, Floats] = {role: _marginal(frequencies[role]) for role in ROLES}
    joint = marginal["pone"][:, None] * _removal() * marginal["dealer"]
    for _ in range(_PASSES):
        joint *= (marginal["pone"] / joint.sum(axis=1))[:, None]
        joint *= marginal["dealer"] / joint.sum(axis=0)
    conditional: dict[Role, Floats] = {
        "pone": joint / joint.sum(axis=1, keepdims=True),
        "dealer": joint.T / joint.sum(axis=0)[:, None],
    }
    return KeepBeliefs({"pone": joint.sum(axis=1), "dealer": joint.sum(axis=0)}, conditional)


def _marginal(frequencies: KeepFrequencies) -> Floats:
    """Return how often each keep is kept, ``(1820,)``."""
    weights = deals_of_classes()[:, None] * (frequencies.share + KEPT_ANYHOW)
    kept = np.bincount(rank_keep_numbers().ravel(), weights.ravel(), RANK_KEEPS)
    shares: Floats = kept / kept.sum()
    return shares


@cache
def _removal() -> Floats:
    """Return how many ways there are for a keep beside another, per way alone, ``(1820, 1820)``."""
    counts = keep_rank_counts()
    ways = np.array([[comb(left, held) for held in range(5)] for left in range(5)], dtype=float)
    found = np.ones((RANK_KEEPS, RANK_KEEPS))
    for rank in range(counts.shape[1]):
        held = counts[:, rank]
        found *= ways[4 - held[:, None], held] / ways[4, held]
    return found


class ScoreSolution(NamedTuple):
    """The play from one score on, solved to win."""

    win: float
    """How likely the dealer wins if no jack is cut."""
    win_after_heels: float
    """How likely the dealer wins if one is cut, who needs so much after that."""
    error: float
    """How far off these may be."""
    frequencies: dict[Role, KeepFrequencies]
    """What is kept."""


class ScoreSolver:
    """Solves discards and play to win at one score after another."""

    def __init__(self, frequencies: Mapping[Role, KeepFrequencies], *, threads: int) -> None:
        """Begin with what is kept by experts who count points; suits are left out of it."""
        self.frequencies = {role: any_suits(kept.share) for role, kept in frequencies.items()}
        self.solver = PlaySolver(keep_beliefs(frequencies), threads=threads)

    def solve(
        self,
        needs: tuple[int, int],
        win: Floats,
        frequencies: Mapping[Role, KeepFrequencies] | None = None,
        *,
        rounds: int = ROUNDS,
        deals: int = _DEALS,
    ) -> ScoreSolution:
        """Learn from where pone and the dealer need so much, see `learn`, and play it out."""
        kept = self.learn(needs, win, frequencies, rounds=rounds)
        return self._play_out(needs, win, kept, self._face(needs, win, kept), deals)

    def learn(
        self,
        needs: tuple[int, int],
        win: Floats,
        frequencies: Mapping[Role, KeepFrequencies] | None = None,
        *,
        rounds: int,
        report: Callable[[int, int], object] = lambda _done, _all: None,
    ) -> dict[Role, KeepFrequencies]:
        """Learn the play from where pone and the dealer need so much, and return what is kept.

        ``win`` is the win table, final above this score. ``frequencies`` are what is kept to win at
        first; else it begins with points. ``report`` is told after each round how many are done,
        and how many there are.
        """
        solver, learned = self.solver, DiscardRegrets(frequencies or self.frequencies)
        solver.restart()
        for done in range(1, rounds + 1):
            after = self._face(needs, win, learned.kept)
            values = solver.round()
            if done in _CRIBS_VALUED:
                pegged = wins_by_keep(solver).pegged
                cribs = {role: after.crib_effect(role, pegged[role]) for role in ROLES}
            learned.update(values, cribs)
            report(done, rounds)
        return learned.average()

    def _face(
        self, needs: tuple[int, int], win: Floats, kept: Mapping[Role, KeepFrequencies]
    ) -> AfterPlay:
        """Let the play be between two who keep so, and return what comes after it."""
        beliefs = keep_beliefs(kept)
        after = AfterPlay(show_chances(kept), beliefs.marginal, win, heels=False)
        self.solver.set_keeps(beliefs)
        self.solver.ends = wins_count(needs, after.all_factors(*needs), self.solver.tables)
        return after

    def _play_out(
        self,
        needs: tuple[int, int],
        win: Floats,
        kept: dict[Role, KeepFrequencies],
        after: AfterPlay,
        deals: int,
    ) -> ScoreSolution:
        """Play deals out, and correct how far the two averages are from the solution.

        The solution lies between what either wins at least by the best response, discards and play.
        The middle of that moves little from round to round.
        """
        found, keeps = wins_by_keep(self.solver), self.solver.keeps
        lowest, highest = _bounds(self.solver, found, after)
        average = 1 - keeps.marginal["pone"] @ (found.wins * keeps.conditional["pone"]).sum(axis=1)
        correction = (lowest + highest) / 2 - average
        shown = deal_and_show(kept, deals, seed=sum(needs))
        events = played_events(self.solver, shown, seed=sum(needs))
        no_heels, heels = (
            chance_after_deal(*count_outcomes(events[some]), needs, win)
            for some in (shown.heels == 0, shown.heels > 0)
        )
        noise = np.sqrt(no_heels * (1 - no_heels) / deals)
        error = float(np.hypot(_UNCERTAIN * (highest - lowest) / 2, noise))
        return ScoreSolution(no_heels + correction, heels + correction, error, kept)


class DiscardRegrets:
    """Discards of both by regret matching, as `cfr` does it for cards.

    They are by class and keep, ``(CLASSES, 15)``.
    """

    def __init__(self, frequencies: Mapping[Role, KeepFrequencies]) -> None:
        self.kept = dict(frequencies)
        """What is kept in this round."""
        self._regrets = {role: _FIRST_REGRET * kept.share for role, kept in self.kept.items()}
        self._sums = {role: np.zeros_like(kept.share) for role, kept in self.kept.items()}
        self._rounds = 0

    def update(self, values: Mapping[Role, Floats], cribs: Mapping[Role, Floats]) -> None:
        """Learn from a round of the play.

        Parameters
        ----------
        values
            How likely each keep of a role wins, but for what is thrown with it, ``(1820,)``; of
            the dealer's, nought less how likely it loses.
        cribs
            What a pair thrown with a keep does to pone's chance, as `AfterPlay.crib_effect`.
        """
        self._rounds += 1
        keeps = rank_keep_numbers()
        for role in ROLES:
            sign = 1 if role == "pone" else -1
            share = self.kept[role].share
            self._sums[role] += self._rounds**2 * share
            gains = values[role][keeps] + sign * cribs[role][keeps, discard_rank_pairs()]
            regrets = self._regrets[role] + gains - (gains * share).sum(axis=1, keepdims=True)
            np.maximum(regrets, 0, out=self._regrets[role])
            total = self._regrets[role].sum(axis=1, keepdims=True)
            matched = self._regrets[role] / np.where(total > 0, total, 1)
            self.kept[role] = any_suits(average_same_ranks(np.where(total > 0, matched, share)))

    def average(self) -> dict[Role, KeepFrequencies]:
        """Return what was kept on average; later rounds count for more, as in the play."""
        return {
            role: any_suits(sums / sums.sum(axis=1, keepdims=True))
            for role, sums in self._sums.items()
        }


def _bounds(solver: PlaySolver, found: WinsByKeep, after: AfterPlay) -> tuple[float, float]:
    """Return how likely the dealer wins if pone responds best, and if the dealer does."""
    most: dict[Role, float] = {}
    pone, dealer = best_responses(solver)
    by_role: dict[Role, Floats] = {"pone": pone, "dealer": dealer}
    for role, values in by_role.items():
        crib = after.crib_effect(role, found.pegged[role]) * (1 if role == "pone" else -1)
        keeps = rank_keep_numbers()
        best = (values[keeps] + crib[keeps, discard_rank_pairs()]).max(axis=1)
        most[role] = float(best @ deals_of_classes() / DEALS)
    return 1 - most["pone"], 1 + most["dealer"]
