"""Discards and play solved to win at the last points, and the win table they lead to.

After the play pone's hand counts, then the dealer's hand, then the crib, and the win table says how
the game goes on. By keeps and the rank of the starter, what pone's hand makes and what the dealer's
hand and crib make together are independent but for suits, and for what pone discards: that counts
as it is on average. A starter of a rank is as likely as cards of it are left.

At one score both learn by CFR+ in the same rounds: `play_solver` the cards, `DiscardRegrets` the
discards. What is kept decides how likely keeps face each other, what is shown, and so what the ends
of a play are worth. Then deals are played out by both.

The win table comes from deals between experts who count points. Where both need few, scores are
solved to win, the highest first, since scores only rise; each begins with the discards of those
next to it. Gains over the same deal by points change little from score to score, so that some are
solved and those between are interpolated. They go into all the scores before. A deal in which a
jack is cut is played from a score at which the dealer has two points more.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import product
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from cribev.classes.canonical import DEALS, RANK_PAIRS, Floats, deals_of_classes, discard_rank_pairs
from cribev.game.cards import JACK
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.game.score import HEELS, WINNING_SCORE
from cribev.solution.solved_play import KeepFrequencies, any_suits, average_same_ranks
from cribev.solution.strategy import RANK_KEEPS, keep_rank_counts, rank_keep_numbers
from cribev.solution.win_table import WinTable
from cribev.system.cache import open_arrays
from cribev.system.files import atomic_write
from cribev.values.keeps import MIN_KEEP_PROBABILITY, KeepBeliefs
from cribev.wins.hands import SHOW_BINS, crib_rank_points, hand_points, suitless_hand_suits
from solver import race
from solver.discard_game import mixed_frequencies
from solver.games import OutcomeCounts, count_outcomes
from solver.play_solver import PlaySolver, adopt, rounded
from solver.play_tree import TERMS, wins_count
from solver.playouts import deal_and_show
from solver.worth import WinsByKeep, best_responses, wins_by_keep

_RANKS = 13
_FLOOR = 0.1  # how much of the weight of keeps in `factor_table` all of them share
_SUITS = 4


class ShowChances(NamedTuple):
    """How likely which points are shown, by the rank of the starter."""

    pone_hand: Floats  # by pone's keep, ``(1820, 13, 30)``
    dealer_hand: Floats  # by the dealer's keep, ``(1820, 13, 30)``
    pairs: dict[Role, Floats]
    """How often which pair of ranks is discarded with each keep, ``(1820, 91)``."""
    cribs: Floats  # by the dealer's pair and pone's, ``(91, 91, 13, 30)``


def show_chances(frequencies: Mapping[Role, KeepFrequencies]) -> ShowChances:
    """Tell how likely which points are shown between two who keep so."""
    deals, keeps = deals_of_classes(), rank_keep_numbers()
    hands, pairs = {}, {}
    for role in ROLES:
        weights = deals[:, None] * (frequencies[role].share + MIN_KEEP_PROBABILITY)
        cells = keeps * len(RANK_PAIRS) + discard_rank_pairs()
        counts = np.bincount(cells.ravel(), weights.ravel(), RANK_KEEPS * len(RANK_PAIRS))
        discarded = counts.reshape(RANK_KEEPS, -1)
        kept = discarded.sum(axis=1)
        suited = np.bincount(
            keeps.ravel(), (deals[:, None] * frequencies[role].flush).ravel(), RANK_KEEPS
        )
        hands[role] = _hand_chances(suited / kept)
        pairs[role] = discarded / kept[:, None]
    return ShowChances(hands["pone"], hands["dealer"], pairs, _crib_chances())


def _crib_chances() -> Floats:
    """Tell how likely cribs make points without flushes, by both pairs and the starter's rank."""
    points, jacks = crib_rank_points(), (RANK_PAIRS == JACK).sum(axis=1)
    nobs = (jacks[:, None, None] + jacks) * np.where(np.arange(13) == JACK, 0, 1 / 4)[:, None]
    pmfs = np.zeros((*points.shape, SHOW_BINS))
    for counted, chance in ((np.minimum(points + 1, SHOW_BINS - 1), nobs), (points, 1 - nobs)):
        np.put_along_axis(pmfs, counted[..., None], chance[..., None], axis=3)
    return pmfs.swapaxes(1, 2).copy()


def _hand_chances(flush: Floats) -> Floats:
    """Tell how likely each keep makes so many points, ``(1820, 13, 30)``."""
    jacks = [0 if rank == JACK else 1 / _SUITS for rank in range(_RANKS)]
    suits = (suitless_hand_suits(rank, flush, jack) for rank, jack in enumerate(jacks))
    keeps = np.arange(RANK_KEEPS)
    return np.stack(
        [hand_points(rank, of_rank, keeps).pmf() for rank, of_rank in enumerate(suits)], axis=1
    )


class AfterPlay:
    """How likely pone wins after a play, by what both need then and by both keeps; no jack is cut.

    ``marginal`` is how often each keep is kept, ``(1820,)``, ``win`` the win table, as
    `WinTable.win`: only scores above those that are asked for are read.
    """

    def __init__(self, shows: ShowChances, marginal: Mapping[Role, Floats], win: Floats) -> None:
        self._win, self._weights, self._shows = win, marginal, shows
        ranks = np.array([rank for rank in range(_RANKS) if rank != JACK])
        left = 1 - keep_rank_counts()[:, ranks] / _SUITS
        either = left @ left.T
        self._given_possible = (1 / np.where(either > 0, either, 1)).astype(np.float32)
        self._ranks = ranks
        self._dealer_hand = shows.dealer_hand[:, ranks] * left[..., None]
        self._hand = shows.pone_hand[:, ranks] * left[..., None]
        average = shows.pairs["pone"].T @ marginal["pone"]
        crib = np.einsum("dpsc,p->dsc", shows.cribs[:, :, ranks], average)
        cribs = np.tensordot(shows.pairs["dealer"], crib, axes=1)
        self._both = np.zeros((RANK_KEEPS, len(ranks), 2 * SHOW_BINS))
        for points in range(SHOW_BINS):
            self._both[..., points : points + SHOW_BINS] += (
                shows.dealer_hand[:, ranks, points, None] * left[..., None] * cribs
            )

    def wins(self, pone: int, dealer: int) -> NDArray[np.float32]:
        """Return how likely pone wins who still need so much, by keeps, ``(1820, 1820)``."""
        later = self._later(pone, dealer)
        hands = self._hand[..., :pone].copy()
        out = self._hand[..., pone:].sum(axis=2, keepdims=True)
        total = self._both.sum(axis=2, keepdims=True)
        first = np.concatenate([out, hands], axis=2)
        second = np.concatenate([total, self._both[..., :dealer] @ later.T], axis=2)
        shape = len(first), -1
        won = first.reshape(shape).astype(np.float32) @ second.reshape(shape).astype(np.float32).T
        won *= self._given_possible
        return won

    def _later(self, pone: int, dealer: int) -> Floats:
        """Return how likely pone wins who deals next, by points of both in the show."""
        own, other = np.arange(pone), np.arange(dealer)
        return self._win[WINNING_SCORE - pone + own[:, None], WINNING_SCORE - dealer + other]

    def factors(self, pone: int, dealer: int) -> Floats:
        """Return factors of `wins` by points pegged of these needs, as `wins_count` takes them."""
        products = np.zeros((2, RANK_KEEPS, pone, dealer, TERMS))
        keeps = self._weights["pone"], self._weights["dealer"]
        for own in range(pone):
            for other in range(dealer):
                if own or other:  # somebody pegs the last card
                    wins = self.wins(pone - own, dealer - other)
                    products[:, :, own, other] = factor_table(wins, *keeps, TERMS)
        return products

    def crib_effect(self, role: Role, pegged: Floats) -> Floats:
        """Return how a pair discarded with a keep shifts pone's chance, ``(1820, 91)``."""
        average = self._shows.pairs[opposite_role(role)].T @ self._weights[opposite_role(role)]
        axes = "dpsc,p->dsc" if role == "dealer" else "pdsc,p->dsc"
        crib = np.einsum(axes, self._shows.cribs[:, :, self._ranks], average)
        pone, dealer = pegged.shape[1:]
        own = self._hand if role == "pone" else self._dealer_hand
        across = self._weights[opposite_role(role)] @ (
            self._dealer_hand if role == "pone" else self._hand
        ).reshape(RANK_KEEPS, -1)
        across = across.reshape(own.shape[1:]) / own.sum(axis=2).mean()
        effects = np.zeros((RANK_KEEPS, len(RANK_PAIRS)))
        scale = own.sum(axis=(1, 2))[:, None]
        for pegs in np.argwhere(pegged.any(axis=0)):
            needs = pone - pegs[0], dealer - pegs[1]
            later = np.ones((SHOW_BINS, 3 * SHOW_BINS))
            later[: needs[0], :] = 0
            table = self._later(*needs)
            rows, columns = min(needs[0], SHOW_BINS), min(needs[1], 3 * SHOW_BINS)
            later[:rows, :columns] = table[:rows, :columns]
            windows = sliding_window_view(later, SHOW_BINS, axis=1)  # pone's hand, dealer's, crib
            won = np.einsum("hgc,dsc->dshg", windows[:, :SHOW_BINS], crib, optimize=True)
            axes = "dshg,sg->dsh" if role == "pone" else "dshg,sh->dsg"
            by_hand = np.einsum(axes, won, across, optimize=True)
            values = own.reshape(RANK_KEEPS, -1) @ by_hand.reshape(len(by_hand), -1).T / scale
            effects += pegged[:, pegs[0], pegs[1], None] * values
        effect: Floats = effects - (effects * self._shows.pairs[role]).sum(axis=1, keepdims=True)
        return effect


def factor_table(table: NDArray[np.float32], rows: Floats, columns: Floats, terms: int) -> Floats:
    """Take a table apart, best by weights of rows and columns: factors ``(2, n, terms)``."""
    share = [
        np.sqrt((1 - _FLOOR) * side + _FLOOR / len(side)).astype(np.float32)
        for side in (rows, columns)
    ]
    weighed = table * share[0][:, None]
    weighed *= share[1]
    generator = np.random.default_rng(0)
    basis = weighed @ generator.normal(size=(len(columns), terms + 4)).astype(np.float32)
    for _ in range(3):
        basis, _r = np.linalg.qr(weighed @ (weighed.T @ basis))
    left, values, right = np.linalg.svd(basis.T @ weighed, full_matrices=False)
    return np.stack(
        [
            (basis @ left)[:, :terms] * values[:terms] / share[0][:, None],
            right[:terms].T / share[1][:, None],
        ]
    ).astype(np.float64)


ROUNDS = 14  # rounds of discards and play at a score; the bounds are some 0.02 apart then

_PASSES = 4  # of scaling rows and columns in turn
_SHOW_VALUED = (1, 2, 4, 8)
"""In which rounds it is worked out what the show is worth after the play, and how often the crib
counts: that changes little with what is kept."""
_FIRST_REGRET = 0.02  # of what is kept at first: so much more it seems to win
_DEALS = 400_000  # deals played out at a score
_UNCERTAIN = 1 / 2  # how far from the middle of the bounds the solution may be, of the way to them

_FEW = range(1, 7)
NEEDS_SOLVED = (
    *product(_FEW, (*_FEW, 8)),
    *product((2, 4, 6), (12, 18)),
    *product((8, 12), (*_FEW, 8, 12)),
    *product((12,), (18, 25)),
    *product((18,), (1, 2, 3, 4, 6, 8, 12, 18, 25)),
    *product((25,), (4, 8, 12, 18, 25)),
)
"""What pone and the dealer need where the play is solved to win: closest where most is gained."""

_NOTHING_GAINED = 31  # who needs so much is far enough from the end for points to be what wins

_INTERPOLATED = 0.04  # how far off a part is between solved ones, along pone's needs
_SMALL = 1e-3  # what is at stake where the game is decided: little is gained there
_JACK_CUT = 1 / 13  # how often a jack is cut
_Needs = tuple[int, int]  # pone's and the dealer's


def keep_beliefs(frequencies: Mapping[Role, KeepFrequencies]) -> KeepBeliefs:
    """Tell nearly how likely keeps face each other, at once, where `KeepDistributions` is exact."""
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
    weights = deals_of_classes()[:, None] * (frequencies.share + MIN_KEEP_PROBABILITY)
    kept = np.bincount(rank_keep_numbers().ravel(), weights.ravel(), RANK_KEEPS)
    shares: Floats = kept / kept.sum()
    return shares


@cache
def _removal() -> Floats:
    """Return how many ways there are for a keep beside another, per way alone, ``(1820, 1820)``."""
    counts = keep_rank_counts()
    ways = np.array([[comb(left, held) for held in range(5)] for left in range(5)], dtype=float)
    share = np.ones((RANK_KEEPS, RANK_KEEPS))
    for rank in range(counts.shape[1]):
        held = counts[:, rank]
        share *= ways[4 - held[:, None], held] / ways[4, held]
    return share


class ScoreSolution(NamedTuple):
    """The play from one score on, solved to win."""

    win: float  # how likely the dealer wins if no jack is cut
    win_after_heels: float  # how likely the dealer wins if one is cut, who needs so much after that
    error: float  # how far off these may be
    frequencies: dict[Role, KeepFrequencies]  # what is kept


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
        """Learn from where pone and the dealer need so much, and play it out.

        The win table is final above that score.
        """
        solver, learned = self.solver, DiscardRegrets(frequencies or self.frequencies)
        solver.restart()
        for done in range(1, rounds + 1):
            if done in _SHOW_VALUED:
                after = self._face(needs, win, learned.kept)
            else:
                solver.set_keeps(keep_beliefs(learned.kept))
            values = solver.round()
            if done in _SHOW_VALUED:
                pegged = wins_by_keep(solver).pegged
                cribs = {role: after.crib_effect(role, pegged[role]) for role in ROLES}
            learned.update(values, cribs)
        kept = learned.average()
        return self._play_out(needs, win, kept, self._face(needs, win, kept), deals)

    def _face(
        self, needs: tuple[int, int], win: Floats, kept: Mapping[Role, KeepFrequencies]
    ) -> AfterPlay:
        """Let the play be between two who keep so, and return what comes after it."""
        beliefs = keep_beliefs(kept)
        after = AfterPlay(show_chances(kept), beliefs.marginal, win)
        self.solver.set_keeps(beliefs)
        self.solver.ends = wins_count(needs, after.factors(*needs), self.solver.tables)
        return after

    def _play_out(
        self,
        needs: tuple[int, int],
        win: Floats,
        kept: dict[Role, KeepFrequencies],
        after: AfterPlay,
        deals: int,
    ) -> ScoreSolution:
        """Play deals out, and correct how far averages are from the middle of the bounds."""
        strategy = rounded(self.solver)
        adopt(self.solver, strategy)
        outcomes, keeps = wins_by_keep(self.solver), self.solver.keeps
        lowest, highest = _bounds(self.solver, outcomes, after)
        by_keep = (outcomes.wins * keeps.conditional["pone"]).sum(axis=1)
        average = 1 - float(keeps.marginal["pone"] @ by_keep)
        correction = (lowest + highest) / 2 - average
        shown = deal_and_show(kept, deals, seed=sum(needs))
        events = race.played_events(strategy, shown, seed=sum(needs))
        no_heels, heels = (
            race.chance_after_deal(*count_outcomes(events[cut]), needs, win)
            for cut in (shown.heels == 0, shown.heels > 0)
        )
        noise = np.sqrt(no_heels * (1 - no_heels) / deals)
        error = float(np.hypot(_UNCERTAIN * (highest - lowest) / 2, noise))
        return ScoreSolution(no_heels + correction, heels + correction, error, kept)


class DiscardRegrets:
    """Discards of both by regret matching, as `solver` does it for cards, ``(CLASSES, 15)``."""

    def __init__(self, frequencies: Mapping[Role, KeepFrequencies]) -> None:
        self.kept = dict(frequencies)
        """What is kept in this round."""
        self._regrets = {role: _FIRST_REGRET * kept.share for role, kept in self.kept.items()}
        self._sums = {role: np.zeros_like(kept.share) for role, kept in self.kept.items()}
        self._rounds = 0

    def update(self, values: Mapping[Role, Floats], cribs: Mapping[Role, Floats]) -> None:
        """Learn from what keeps are worth, ``(1820,)``, and from `AfterPlay.crib_effect`."""
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


def _bounds(solver: PlaySolver, outcomes: WinsByKeep, after: AfterPlay) -> tuple[float, float]:
    """Return how likely the dealer wins if pone responds best, and if the dealer does."""
    most: dict[Role, float] = {}
    pone, dealer = best_responses(solver)
    by_role: dict[Role, Floats] = {"pone": pone, "dealer": dealer}
    for role, values in by_role.items():
        crib = after.crib_effect(role, outcomes.pegged[role]) * (1 if role == "pone" else -1)
        keeps = rank_keep_numbers()
        best = (values[keeps] + crib[keeps, discard_rank_pairs()]).max(axis=1)
        most[role] = float(best @ deals_of_classes() / DEALS)
    return 1 - most["pone"], 1 + most["dealer"]


def solve_last_points(
    dealt: race.DealtCounts,
    frequencies: Mapping[Role, KeepFrequencies],
    *,
    report: Callable[[str], None],
    stop: Callable[[], bool] = lambda: False,
    checkpoint: Path | None = None,
    needs_solved: Iterable[_Needs] = NEEDS_SOLVED,
    threads: int = 2,
) -> WinTable:
    """Solve scores and their table, each kept in the ``checkpoint``, until ``stop`` says so."""
    counts, solver = race.before_cut(*dealt), ScoreSolver(frequencies, threads=threads)
    summed = [
        OutcomeCounts(*(table.sum(axis=0) for table in blocks)) for blocks in (*dealt, counts)
    ]
    solutions = load_scores(checkpoint) if checkpoint and checkpoint.exists() else {}
    gains: dict[_Needs, _Gain] = {}
    for needs in sorted(needs_solved, key=sum):
        win = race.solve_race(counts, _gains_table(gains))
        anew = needs not in solutions
        if anew:
            solutions[needs] = solver.solve(needs, win, _kept_nearby(solutions, needs))
        gains[needs] = _gain(solutions[needs], summed, needs, win, gains)
        if anew:
            if checkpoint:
                save_scores(solutions, checkpoint)
            report(
                f"{WINNING_SCORE - needs[1]}-{WINNING_SCORE - needs[0]}: discards and play to win, "
                f"the dealer wins {solutions[needs].win:.4f} if no jack is cut, error "
                f"{solutions[needs].error:.4f}"
            )
            if stop():
                raise KeyboardInterrupt
    return race.solve_win_table(counts, _gains_table(gains))


class _Gain(NamedTuple):
    """What is gained at a score, as in `WinGains`."""

    part: float
    error: float
    jack: float
    """How much likelier the dealer wins if a jack is cut and the dealer needs so much after it."""


def _gain(
    solution: ScoreSolution,
    summed: Iterable[OutcomeCounts],
    needs: _Needs,
    win: Floats,
    gains: Mapping[_Needs, _Gain],
) -> _Gain:
    """Compare a solution with points, by counts of deals without a jack, with one, and of all."""
    no_jack, jack, whole = (race.chance_after_deal(*counts, needs, win) for counts in summed)
    gained, after_jack = solution.win - no_jack, 0.0
    pone, dealer = needs
    if dealer > HEELS:  # else a jack wins at once
        before = gains.get((pone, dealer - HEELS))
        after_jack = gained if before is None else before.jack
    gained = (1 - _JACK_CUT) * gained + _JACK_CUT * after_jack
    stake = max(whole * (1 - whole), _SMALL)
    return _Gain(gained / stake, solution.error / stake, solution.win_after_heels - jack)


def _gains_table(gains: Mapping[_Needs, _Gain]) -> race.WinGains:
    """Interpolate what is gained."""
    table = race.no_gains()
    if not gains:
        return table
    gained, error = (
        _between({needs: getattr(gain, name) for needs, gain in gains.items()})
        for name in ("part", "error")
    )
    apart = _INTERPOLATED * _between(dict.fromkeys(gains, 1.0))
    apart[tuple(np.transpose(list(gains)) - 1)] = 0
    score = WINNING_SCORE - np.arange(1, _NOTHING_GAINED)
    scores = score, score[:, None]
    table.part[scores], table.error[scores] = gained, np.hypot(error, apart)
    table.known[scores] = True
    return table


def _between(gains: Mapping[_Needs, float]) -> Floats:
    """Interpolate between solved scores, along pone's needs first, to 0 at 31, ``(30, 30)``."""
    table = np.full((_NOTHING_GAINED, _NOTHING_GAINED), np.nan)
    table[tuple(np.transpose(list(gains)) - 1)] = list(gains.values())
    for column in table.T:
        _fill(column)
    for row in table:
        if np.isfinite(row).any():
            row[-1] = 0
            _fill(row)
    table[-1] = 0
    for column in table.T:
        _fill(column)
    return table[:-1, :-1]


def _fill(line: Floats) -> None:
    """Put in what is missing, but for what is beyond the last known."""
    filled = np.flatnonzero(np.isfinite(line))
    if filled.size:
        line[: filled[-1]] = np.interp(np.arange(filled[-1]), filled, line[filled])


def save_scores(solutions: Mapping[tuple[int, int], ScoreSolution], file: Path) -> None:
    """Write what was solved by needs, whole or not at all; `load_scores` reads it."""
    arrays: dict[str, Any] = {"needs": np.array(list(solutions), dtype=np.int64)}
    for name in ScoreSolution._fields[:3]:
        arrays[name] = np.array([getattr(solution, name) for solution in solutions.values()])
    for role in ROLES:
        shares = [solution.frequencies[role].share for solution in solutions.values()]
        arrays[f"{role}_share"] = np.array(shares, dtype=np.float32)
    with atomic_write(file) as opened:
        np.savez(opened, **arrays)


def load_scores(file: Path) -> dict[tuple[int, int], ScoreSolution]:
    """Read what `save_scores` wrote; TableError if it cannot be read."""
    with open_arrays(file, "the solved scores", remedy="remove it") as arrays:
        needs, solutions = arrays["needs"].tolist(), {}
        chances = [arrays[name].tolist() for name in ScoreSolution._fields[:3]]
        shares = {role: arrays[f"{role}_share"].astype(np.float64) for role in ROLES}
        for row, (pone, dealer) in enumerate(needs):
            kept = {role: any_suits(share[row]) for role, share in shares.items()}
            win, after_heels, error = (each[row] for each in chances)
            solutions[pone, dealer] = ScoreSolution(win, after_heels, error, kept)
        return solutions


def _kept_nearby(
    solutions: Mapping[_Needs, ScoreSolution], needs: _Needs
) -> dict[Role, KeepFrequencies] | None:
    """Average what is kept at the solved scores next to this one, where either needs less."""
    nearby = list[Mapping[Role, KeepFrequencies]]()
    for player in range(2):
        less = [
            solved
            for solved in solutions
            if solved[player] < needs[player] and solved[1 - player] == needs[1 - player]
        ]
        if less:
            nearby.append(solutions[max(less)].frequencies)
    if len(nearby) < 2:
        return dict(nearby[0]) if nearby else None
    first, second = nearby
    return {role: mixed_frequencies(first[role], second[role], 1 / 2) for role in ROLES}
