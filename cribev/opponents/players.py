"""Who discards the other two cards of the crib, and who plays: one object for both.

Strategies of the play besides the expert's say for every public node how often each holding lays
each rank that fits. Two things all do alike: one card left is laid where it fits, and a player left
alone lays the rest in the order that pegs most.
"""

import functools
import sys
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from typing import Any, Literal, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cribev.classes.canonical import CLASSES, DEALS, Floats, canonical_deals
from cribev.classes.class_tables import CribAverages, canonical_values, points_to_grid
from cribev.classes.crib_averages import (
    PAIR_COMBINATIONS,
    average_frequency_cribs,
    scale_to_max,
    uniform_cribs,
)
from cribev.errors import CribevError, TableError, describe, quote
from cribev.game.cards import JACK, SUITLESS_OFFSET, Cards, rank_of, unseen
from cribev.game.index_tables import KEEPS, PAIR_HAS, UNSEEN_PAIRS, read_only
from cribev.game.play import Play
from cribev.game.score import ROLES, Role, Score, as_role, opposite_role, role_of
from cribev.opponents.counts import exact_weights, expert_counts, rank_weights
from cribev.rows.pairs import PairTable, read_pair_table
from cribev.solution import tree
from cribev.solution.solution import (
    ExpectedPegging,
    KeepFrequencies,
    PolicyLoss,
    Solution,
    any_suits,
    load,
    losses_against,
    read_keep_frequencies,
    shipped_expected_pegging,
    shipped_keep_frequencies,
    shipped_strategy,
    tables_to_arrays,
)
from cribev.system import cache
from cribev.system.processes import cpu_count

Objective: TypeAlias = Literal["points", "wins"]

_UNIFORM_WEIGHTS = read_only(np.where(PAIR_HAS, 0.0, 1.0))


class Opponent:
    """Someone who discards two cards to the crib, and plays.

    One of your own needs a name and `weights`, and then advises deal by deal. With `cribs` it
    values all deals at once, and a review knows what is luck. Everywhere `role` is the role of the
    player who faces it.
    """

    name: str
    """Who discards, in headings."""

    play_name: str = "expert"
    """Who plays, in headings."""

    counts_play: bool = True
    """Whether the play counts at all."""

    plays_for: Objective = "points"
    """What discards and play are for at a score."""

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Weigh every pair this opponent can discard with every starter that can follow.

        Parameters
        ----------
        deal
            The player's six cards, uint8 ``(6,)``, ascending.
        role
            The player's role; the opponent has the other.

        Returns
        -------
        float64 ``(1035, 46)``: pairs of the 46 unseen cards as in `index_tables.UNSEEN_PAIRS`,
        starters ascending. Zero where the starter is of the pair; every starter has the same
        total, as every unseen card is as likely to be cut.
        """
        raise NotImplementedError

    def cribs(self, role: Role) -> CribAverages:
        """Average the cribs that a role meets, for all deals at once, without the play.

        Raises
        ------
        CribevError
            If only weights are known.
        """
        raise CribevError(
            f"{self.name!r} cannot be averaged over all deals at once: expected 'expert', "
            "'uniform' or a table of frequencies, or count deal by deal"
        )

    def pegging(self, role: Role) -> ExpectedPegging | None:
        """Return what each class and keep of a role is expected to peg; None without the play.

        By default two experts play, whoever discards.
        """
        return shipped_expected_pegging(role)

    def counted_pegging(self, role: Role) -> ExpectedPegging | None:
        """Return `pegging` where the play counts."""
        return self.pegging(role) if self.counts_play else None

    def keep_frequencies(self, role: Role) -> KeepFrequencies:
        """Return how often the opponent keeps what of each class; by default as an expert does."""
        return shipped_keep_frequencies(opposite_role(role))

    def solved_game(self) -> Solution:
        """Return the solution that knows how the play and the rest of the game go."""
        return load(play=True)

    def at_score(self, score: Score) -> "Opponent":
        """Return who discards and plays at a score before the deal; by default nobody else."""
        return self

    def crib_averages(self, role: Role) -> CribAverages:
        """Return `cribs` with the play that goes with them."""
        pegging = self.counted_pegging(role)
        net = None if pegging is None else points_to_grid(pegging.net)
        return self.cribs(role)._replace(play=net)

    def baseline(self, role: Role) -> float:
        """Return what the best discards of a role average over all 20,358,520 deals, in points.

        By the class tables, within a thousandth of the exact mean; NaN without `cribs`.
        """
        return _average_of_best(self, role)

    def policy_losses(self, role: Role) -> Mapping[str, PolicyLoss]:
        """Return what well-known discard policies lose against this opponent, if known."""
        return {}


@dataclass(frozen=True)
class Uniform(Opponent):
    """An opponent who discards any two cards with equal chance."""

    name: str = "uniform"
    counts_play: bool = field(default=True, repr=False, kw_only=True)

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Weigh every pair alike."""
        return _UNIFORM_WEIGHTS

    def cribs(self, role: Role) -> CribAverages:
        """Average the cribs, the same for both roles."""
        return uniform_cribs()

    def keep_frequencies(self, role: Role) -> KeepFrequencies:
        """Keep any four cards, of one suit as often as four cards of different ranks are."""
        return any_suits(np.full((CLASSES, len(KEEPS)), 1 / len(KEEPS)))


@dataclass(frozen=True)
class ExpertOpponent(Opponent):
    """An opponent who discards what is best against you over all deals, counted hand by hand."""

    solution: Solution = field(default_factory=lambda: load(play=True), repr=False)
    """The solved game; by default the shipped one in which discards weigh the play."""
    name: str = "expert"
    counts_play: bool = field(default=True, repr=False, kw_only=True)

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Count the hands that discard each pair and leave each starter."""
        return _expert_weights(self.solution, role, np.asarray(deal, np.uint8).tobytes())

    def cribs(self, role: Role) -> CribAverages:
        """Look the average cribs up in the solution."""
        return self.solution.actual_cribs[role]

    def pegging(self, role: Role) -> ExpectedPegging | None:
        """Look the play up in the solution."""
        play = self.solution.play
        return super().pegging(role) if play is None else play.expected_pegging[role]

    def keep_frequencies(self, role: Role) -> KeepFrequencies:
        """Look the keeps up in the solution."""
        play = self.solution.play
        if play is None:
            return super().keep_frequencies(role)
        return play.keep_frequencies[opposite_role(role)]

    def solved_game(self) -> Solution:
        """Return the solution, if it is complete."""
        complete = self.solution.play is not None and self.solution.win_table is not None
        return self.solution if complete else super().solved_game()

    def baseline(self, role: Role) -> float:
        """Look the average up in the solution, if the play counts in both or in neither."""
        if self.counts_play is (self.solution.play is None):
            return super().baseline(role)
        return self.solution.expected(role)

    def policy_losses(self, role: Role) -> Mapping[str, PolicyLoss]:
        """Look the losses up in the solution."""
        return losses_against(self.solution, role)


@functools.lru_cache(maxsize=2)  # cribs and hands of one deal each ask for them
def _expert_weights(solution: Solution, role: Role, deal: bytes) -> NDArray[np.float64]:
    six = np.frombuffer(deal, dtype=np.uint8)
    weights = exact_weights(six, expert_counts(solution, opposite_role(role)))
    weights.flags.writeable = False  # others share them
    return weights


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


CACHE_VERSION = 3
"""Of the files in the cache, and of how scores are solved; those of another are not read."""

SCORES_CACHED = 20  # so many scores stay in the cache; those that were not used for longest go


@dataclass(frozen=True, eq=False, repr=False)
class ExpertToWin(ExpertOpponent):
    """An expert who discards and pegs to win from one score on; its points are for points."""

    name: str = "to-win"
    score: Score = field(kw_only=True)  # the score when the play begins
    strategy: tree.Strategy = field(kw_only=True)
    """How both play until somebody is out; what would be after that, nobody has learned."""
    kept: Mapping[Role, KeepFrequencies] = field(kw_only=True)
    """What both keep; suits do not count in it."""
    plays_for: Objective = field(default="wins", init=False)
    keeps_to_win: bool = field(default=False, kw_only=True)
    """Whether it is chances to win that are asked for."""

    def __repr__(self) -> str:
        pone, dealer = self.score.needs("pone")
        return f"<ExpertToWin: pone needs {pone}, the dealer {dealer}>"

    def check(self, score: Score) -> None:
        """Raise `CribevError` at another score than was solved."""
        if score != self.score:
            solved, asked = (
                f"pone needs {pone}, the dealer {dealer}"
                for pone, dealer in (one.needs("pone") for one in (self.score, score))
            )
            raise CribevError(f"this opponent plays to win where {solved}; here {asked}")

    def weights(self, deal: Cards, role: Role) -> Floats:
        """Count the hands that discard each pair and leave each starter."""
        if self.keeps_to_win:
            return rank_weights(deal, self.keep_frequencies(role))
        return super().weights(deal, role)

    def at_score(self, score: Score) -> Opponent:
        """Return who discards and plays to win; `CribevError` at another score than was solved."""
        self.check(score)
        assert self.solution.play is not None
        play = self.solution.play._replace(
            keep_frequencies=self.kept, load_strategy=lambda: self.strategy
        )
        return replace(self, solution=self.solution._replace(play=play), keeps_to_win=True)


def is_solved_to_win(score: Score) -> bool:
    """Tell whether a score is one that `solve_score` solves."""
    needed = score.needed.values()
    return min(needed) > 0 and max(needed) <= MOST_NEEDED_TO_WIN


@dataclass(frozen=True)
class ToWin(ExpertOpponent):
    """An expert who discards and pegs to win where both need few, and else counts points."""

    name: str = "to-win"
    plays_for: Objective = field(default="wins", init=False)
    solves: bool = field(default=True, kw_only=True)
    """Whether it solves a score that was never solved here; else that is a `CribevError`."""

    def at_score(self, score: Score) -> Opponent:
        """Return who plays to win, solved now or before; far from the end one who does not."""
        if (found := self.expert(score)) is not None:
            return found.at_score(score)
        return ExpertOpponent(self.solution, self.name, counts_play=self.counts_play)

    def expert(self, score: Score) -> ExpertToWin | None:
        """Return who plays to win where the play begins at a score; None where nobody does."""
        if not is_solved_to_win(score):
            return None
        if not (self.solves or was_solved_to_win(score)):
            pone, dealer = score.needs("pone")
            raise CribevError(
                f"{self.name!r} is not solved yet where pone needs {pone} and the dealer {dealer}: "
                f"cribev advise --opponent {self.name} at this score solves it here, once, in up "
                "to two minutes"
            )
        return expert_to_win(score)


def require_score(opponent: object, *, known: bool) -> None:
    """Refuse, with `CribevError`, one who plays to win where no score is known."""
    if isinstance(opponent, ToWin) and not known:
        raise CribevError(
            f"{opponent.name!r} discards and plays to win from a score on: expected a score"
        )


def plays_for_text(name: str, plays_for: Objective, score: Score) -> str:
    """Say beside an opponent's name what is played for at a score, and who would play to win."""
    if plays_for == "wins":
        return ", who plays to win"
    if name == ToWin.name:
        return f", who counts points: one of you needs more than {MOST_NEEDED_TO_WIN}"
    if name == ExpertOpponent.name and is_solved_to_win(score):
        return f", who counts points here ({ToWin.name} plays to win)"
    return ""


def solve_score(score: tuple[int, int] | str, *, role: Role, heels: bool = False) -> ExpertToWin:
    """Solve discards and play to win from a score on, and return the expert who does so.

    It takes up to two minutes on two cores and 3 GB of memory, with a progress bar on a terminal's
    standard error. What is found is kept in the cache folder, some MB a score, and then opened in a
    second; one process solves at a time, and the others wait for it. `cribev.advise` takes the
    expert for an opponent at the score, `cribev.advise_play` too.

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
    jack = 4 * JACK if heels else None
    return expert_to_win(Score.read(score, as_role(role)).plus(starter=jack))


@functools.lru_cache(_STRATEGIES_HELD)
def expert_to_win(score: Score) -> ExpertToWin:
    """Return who plays to win where the play begins at a score, as `solve_score` does."""
    pone, dealer = score.needs("pone")
    if not is_solved_to_win(score):
        raise CribevError(
            f"pone needs {pone} and the dealer {dealer}: a score is solved to win where each "
            f"needs from 1 to {MOST_NEEDED_TO_WIN}"
        )
    name = _solved_name(score)

    def read(arrays: cache.Arrays) -> ExpertToWin:
        expert = shipped_strategy()
        strategy = tree.Strategy(expert.size, expert.states, read_only(arrays["cells"]))
        strategy.name = ToWin.name
        kept = {role: read_keep_frequencies(arrays, role) for role in ROLES}
        return ExpertToWin(score=score, strategy=strategy, kept=kept)

    def cached() -> ExpertToWin | None:
        if found := cache.read_cached_arrays(name, read):
            cache.mark_used(name)
        return found

    if found := cached():
        return found
    with cache.one_at_a_time("score.lock", doing="solving a score", long=True):
        if found := cached():
            return found
        strategy, kept = _solve(score)
        arrays = {"cells": strategy.cells, **tables_to_arrays("keep_frequencies", kept)}
        cache.write_cached_arrays(name, arrays, packed=True, most=SCORES_CACHED)
    return read(arrays)  # rounded, as it is in the cache


def was_solved_to_win(score: Score) -> bool:
    """Tell whether who plays to win from a score on is in the cache."""
    folder = cache.cache_folder()
    return folder is not None and (folder / _solved_name(score)).exists()


def _solved_name(score: Score) -> str:
    pone, dealer = score.needs("pone")
    return f"score-{pone}-{dealer}-{_shipped_checksum():08x}-{CACHE_VERSION}.npz"


@functools.cache
def _shipped_checksum() -> int:
    """Return a checksum of what a score is solved from: the win table and the first keeps."""
    win_table = load(play=True).win_table
    checksum = 0 if win_table is None else crc32(win_table.win.tobytes())
    for role in ROLES:
        checksum = crc32(shipped_keep_frequencies(role).share.tobytes(), checksum)
    return checksum


def _solve(score: Score) -> tuple[tree.Strategy, Mapping[Role, KeepFrequencies]]:
    """Solve a score with a progress bar, or a line: how both play, and what they keep."""
    cache.import_optional("numba", "solve")
    from tqdm import tqdm

    from cribev.solving.scores import ScoreSolver

    win_table = load(play=True).win_table
    assert win_table is not None
    frequencies = {role: shipped_keep_frequencies(role) for role in ROLES}
    with tqdm(desc="solving this score to win", unit=" rounds", leave=False, disable=None) as bar:
        if bar.disable:
            sys.stderr.write("cribev: solving this score to win, once: up to two minutes\n")
            sys.stderr.flush()

        def report(done: int, rounds: int) -> None:
            bar.total = rounds
            bar.update(done - bar.n)

        solver = ScoreSolver(frequencies, threads=cpu_count())
        pone, dealer = score.needs("pone")
        seconds = _SECONDS_OF_ROUND + _SECONDS_BY_NEEDS * pone * dealer  # points that both may peg
        # There is time for 6 rounds at 113-113; after 5 the bounds are 0.03 apart.
        rounds = min(_MOST_ROUNDS, int(_CPU_SECONDS / seconds))
        kept = solver.learn((pone, dealer), win_table.win, rounds=rounds, report=report)
        return solver.strategy(), kept


@dataclass(frozen=True, eq=False)
class Frequencies(Opponent):
    """An opponent known by how often each pair of ranks is discarded.

    The cards in sight thin out a pair's combinations, and its weight with them. Given the
    starter the weights are scaled to the same total, so that every starter stays equally likely.

    Attributes
    ----------
    name
        What to call it.
    table
        How often dealer and pone discard each pair of ranks, in any unit; NaN for never.
    """

    name: str
    table: PairTable
    counts_play: bool = field(default=True, repr=False, kw_only=True)

    def __eq__(self, another: object) -> bool:
        return isinstance(another, Frequencies) and self._content() == another._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def _content(self) -> tuple[str | bytes | bool, ...]:
        return self.name, self.counts_play, *(self.table[role].tobytes() for role in ROLES)

    def weights(self, deal: Cards, role: Role) -> NDArray[np.float64]:
        """Share each pair's frequency among the combinations left.

        Raises
        ------
        TableError
            If with these cards in sight there is nothing the table would discard.
        """
        thrower = opposite_role(role)
        ranks = (unseen(deal) >> 2)[UNSEEN_PAIRS]
        each = (scale_to_max(self.table[thrower]) / PAIR_COMBINATIONS)[ranks[:, 0], ranks[:, 1]]
        weights = np.where(PAIR_HAS, 0.0, each[:, None])
        totals = weights.sum(axis=0)
        if not totals.all():
            raise TableError(
                f"{self.name!r} gives {thrower} nothing to throw with these six cards in sight"
            )
        weights /= totals
        return weights

    def cribs(self, role: Role) -> CribAverages:
        """Average the cribs, their suits by how often cards of a suit are left to discard."""
        return _frequency_cribs(self, role)


OpponentLike: TypeAlias = str | PathLike[str] | Opponent
"""What is taken for an opponent: a name, a file of frequencies, or an opponent."""


@functools.lru_cache(maxsize=8)
def without_play(opponent: Opponent) -> Opponent:
    """Return who discards as another does, where hand and crib alone count."""
    alike = copy(opponent)
    object.__setattr__(alike, "counts_play", False)
    return alike


def _adopted(given: object) -> Opponent:
    """Make an opponent of an object that may be none; what it lacks is as in any `Opponent`."""
    adopted = Opponent()
    names = ("name", *(name for name in vars(Opponent) if not name.startswith("_")))
    vars(adopted).update({name: getattr(given, name) for name in names if hasattr(given, name)})
    return adopted


@functools.lru_cache(maxsize=4)
def _frequency_cribs(opponent: Frequencies, role: Role) -> CribAverages:
    return average_frequency_cribs(opponent.table[opposite_role(role)])


@functools.lru_cache(maxsize=4)
def _average_of_best(opponent: Opponent, role: Role) -> float:
    try:
        averages = opponent.crib_averages(role)
    except CribevError:
        return float("nan")
    deals = canonical_deals().deals
    return sum(
        float(values.expected.max(axis=1) @ deals[part])
        for part, values in canonical_values(averages, role=role)
    ) / DEALS  # fmt: skip


def as_opponent(opponent: OpponentLike, *, play: bool = True) -> Opponent:
    """Take an opponent by name, by a file of frequencies, or as it is.

    The file has columns ``rank1,rank2,dealer_pct,pone_pct``; any object with the name and the
    weights of an `Opponent` is one. If the play does not count, an expert by name is the one who
    discards for the show alone. `TableError` if the file cannot be read as a table of frequencies,
    `CribevError` if it is none of these.
    """
    given: object = opponent
    found: Opponent
    if not isinstance(opponent, str | PathLike):
        if not (hasattr(opponent, "weights") and hasattr(opponent, "name")):
            raise CribevError(
                f"{quote(repr(opponent))} is no opponent: expected a name, a file, or an object "
                "with a name and weights"
            )
        found = opponent if isinstance(given, Opponent) else _adopted(given)
    elif (name := fspath(opponent).lower()) == ExpertOpponent.name:
        found = ExpertOpponent(load(play=play))
    elif name == Uniform.name:
        found = Uniform()
    elif name == ToWin.name:
        found = ToWin(load(play=play))
    else:
        known = "an opponent (expert, to-win, uniform)"
        table = read_pair_table(opponent, suffix="_pct", known=known)
        found = Frequencies(fspath(opponent), table)
    return found if play or not found.counts_play else without_play(found)


class GreedyPlay(tree.PlayStrategy):
    """Lay what makes most at once, goes aside, and of equals the highest card that fits."""

    name = "greedy"

    def policies(self, nodes: tree.PublicNode) -> Floats:
        """Lay the rank of the highest key: points first, then rank."""
        ranks, state = len(self.size.ranks), np.asarray(nodes.state)
        key = self.states.points[state] * np.int64(ranks) + np.arange(ranks)
        key[self.states.next_state[state] < 0] = -1
        rest = self.size.holdings(_cards_left(nodes) - 1)
        best_of_rest = key[..., rest].max(axis=-1, initial=-1)
        laid = (key[..., :, None] >= best_of_rest[..., None, :]) & (key >= 0)[..., None]
        return np.asarray(laid, dtype=np.float64)


class UniformPlay(tree.PlayStrategy):
    """Lay any card that fits, each as often: of 5 5 J a five twice as often as the jack."""

    name = "uniform"

    def policies(self, nodes: tree.PublicNode) -> Floats:
        """Count the cards that fit, and those of each rank."""
        return _any_card(self.fits[nodes.state], self.size, _cards_left(nodes))


@dataclass(frozen=True, eq=False)
class PublicPlay:
    """What a function that plays is told: all that both players see, and what may be held."""

    role: Role  # who is to lay a card
    laid: tuple[int | None, ...]  # the ranks laid since the lead, 0..12, and None for each go
    on_table: tuple[int, ...]  # the ranks laid since the count began
    count: int
    left: int  # how many cards the player has left
    other_left: int
    holdings: NDArray[np.int64]  # what these can be, ranks 0..12 ascending, ``(n, left)``


PlayFunction: TypeAlias = Callable[[PublicPlay], ArrayLike]
"""Returns how often each holding lays each rank, ``(n, 13)``: weights of 0 or more. Only ranks that
are held and fit count; a holding with no weight on any lays each card that fits as often."""


class LockedPlay(tree.PlayStrategy):
    """Play as a function says at each public node, see `PlayFunction`: a locked node, in poker."""

    def __init__(
        self,
        size: tree.GameSize,
        states: tree.PlayStates,
        function: PlayFunction,
        *,
        name: str = "locked",
    ) -> None:
        super().__init__(size, states)
        self.function, self.name = function, name

    def place_after(self, node: tree.PublicNode, move: tree.Integers) -> tree.Integers:
        """Return what was laid on the way: four bits each, of which 0 is for none, 15 for a go."""
        return node.place * 16 + (move + 1) % 16

    def policies(self, nodes: tree.PublicNode) -> Floats:
        """Ask the function node by node; `CribevError` if it raises, or returns no such weights."""
        cards = _cards_left(nodes)
        if cards == 1:
            return _any_card(self.fits[nodes.state], self.size, cards)
        parts = np.broadcast_arrays(*nodes)
        flat = [
            tree.PublicNode(*map(int, one)) for one in zip(*(p.ravel() for p in parts), strict=True)
        ]
        of_nodes = np.stack([self._ask(node) for node in flat])
        return of_nodes.reshape(*parts[0].shape, *of_nodes.shape[1:])

    def _ask(self, node: tree.PublicNode) -> Floats:
        cards, ranks = int(node.mover_left), np.array(self.size.ranks)
        holdings, laid = self.size.holdings(cards), self._laid(int(node.place))
        moves = (None if rank is None else rank + SUITLESS_OFFSET for rank in laid)
        table = Play.of(moves, cards=self.size.kept)
        on_table = tuple(map(rank_of, table.on_table))
        play = PublicPlay(
            role_of(bool(node.dealer_moves)), laid, on_table, table.count, cards,
            int(node.other_left), ranks[holdings],
        )  # fmt: skip
        try:
            weights = np.asarray(self.function(play), dtype=np.float64)
        except Exception as error:  # the function is the user's, and may raise anything
            raise CribevError(f"{self.name!r} raised {describe(error)} after {laid}") from error
        expected = len(holdings), 13
        if weights.shape != expected or not (np.isfinite(weights) & (weights >= 0)).all():
            raise CribevError(
                f"{self.name!r} returns {weights.dtype} {weights.shape} after {laid}: expected "
                f"weights of 0 or more, {expected}"
            )
        held = (holdings[:, :, None] == np.arange(len(ranks))).sum(axis=1)
        held[:, int(self.fits[node.state]) :] = 0
        weights = weights[:, ranks] * (held > 0)
        weights = np.where(weights.any(axis=1, keepdims=True), weights, held)
        chances = weights / np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        return np.take_along_axis(chances.T, tree.numbers_with_card(self.size, cards), axis=1)

    def _laid(self, place: int) -> tuple[int | None, ...]:
        laid: list[int | None] = []
        while place:
            place, move = divmod(place, 16)
            laid.append(None if move == 15 else self.size.ranks[move - 1])
        return tuple(laid[::-1])


PlayStrategyLike: TypeAlias = str | PlayFunction | tree.PlayStrategy
"""What is taken for one who plays: a name, a function, or a strategy."""


def as_play_strategy(opponent: PlayStrategyLike) -> tree.PlayStrategy:
    """Take one who plays the whole game by name, as a function, or as it is; else CribevError."""
    given: object = opponent
    if isinstance(opponent, tree.PlayStrategy):
        return opponent
    expert = shipped_strategy()
    game = expert.size, expert.states
    if callable(opponent):
        return LockedPlay(*game, opponent, name=getattr(opponent, "__name__", "locked"))
    players = expert, GreedyPlay(*game), UniformPlay(*game), _to_win_by_points()
    known: dict[str, tree.PlayStrategy] = {player.name: player for player in players}
    name = given.strip().lower() if isinstance(given, str) else ""
    if name not in known:
        shown = quote(given if isinstance(given, str) else repr(given))
        names = ", ".join(map(repr, known))
        raise CribevError(f"{shown} is no player: expected {names} or a function")
    return known[name]


@functools.cache
def _to_win_by_points() -> tree.PlayStrategy:
    """Return who plays to win near the end, far from it: the expert."""
    found = copy(shipped_strategy())
    found.name = ToWin.name
    return found


def _cards_left(nodes: tree.PublicNode) -> int:
    return int(np.ravel(nodes.mover_left)[0])


def _any_card(fits: Any, size: tree.GameSize, cards: int) -> Floats:
    """Lay each card that fits as often: ``(..., R, N(cards - 1))``, of the ranks that fit."""
    ranks = np.arange(len(size.ranks))
    rest = size.holdings(cards - 1)
    same = 1 + (rest == ranks[:, None, None]).sum(axis=-1)
    fitting = 1 + (rest < np.asarray(fits)[..., None, None]).sum(axis=-1)
    chance = same / fitting[..., None, :]
    return np.where((ranks < np.asarray(fits)[..., None])[..., None], chance, 0.0)
