"""Who plays: strategies of the play besides the expert's, by which a best response can be taken.

Each says for every public node how often each holding lays each rank that fits. Two things all do
alike: one card left is laid where it fits, and a player left alone lays the rest in the order that
pegs most.

An expert who discards and pegs to win at one score is solved when asked for, and then cached.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cribev.classes.canonical import Floats
from cribev.errors import CribevError, quote
from cribev.game.cards import JACK, SUITLESS_OFFSET, Cards, rank_of
from cribev.game.play import Play
from cribev.game.roles import ROLES, Role, as_role, role_of
from cribev.game.score import Score
from cribev.opponents.counts import rank_weights
from cribev.opponents.discarders import ExpertOpponent, Objective, Opponent
from cribev.solution.solution import load, shipped_keep_frequencies, shipped_strategy
from cribev.solution.statistics import (
    KeepFrequencies,
    keep_frequencies_to_arrays,
    read_keep_frequencies,
)
from cribev.solution.strategy import Strategy
from cribev.solution.tree import (
    GameSize,
    Integers,
    PlayStates,
    PlayStrategy,
    PublicNode,
    numbers_with_card,
)
from cribev.system.cache import (
    Arrays,
    import_optional,
    mark_used,
    one_at_a_time,
    read_cached_arrays,
    write_cached_arrays,
)
from cribev.system.processes import cpu_count


class GreedyPlay(PlayStrategy):
    """Lay what makes the most points at once, and of equals the highest card that fits.

    Points for a go or the last card do not count: nobody knows of them yet.
    """

    name = "greedy"

    def policies(self, nodes: PublicNode) -> Floats:
        """Lay the rank of the highest key: points first, then rank."""
        ranks = len(self.size.ranks)
        state = np.asarray(nodes.state)
        key = self.states.points[state] * np.int64(ranks) + np.arange(ranks)
        key[self.states.next_state[state] < 0] = -1
        rest = self.size.holdings(_cards_left(nodes) - 1)
        best_of_rest = key[..., rest].max(axis=-1, initial=-1)
        laid = (key[..., :, None] >= best_of_rest[..., None, :]) & (key >= 0)[..., None]
        chances: Floats = laid.astype(np.float64)
        return chances


class UniformPlay(PlayStrategy):
    """Lay any card that fits, each as often: of 5 5 J a five twice as often as the jack."""

    name = "uniform"

    def policies(self, nodes: PublicNode) -> Floats:
        """Count the cards that fit, and those of each rank."""
        return _any_card(self.fits[nodes.state], self.size, _cards_left(nodes))


@dataclass(frozen=True, eq=False)
class PublicPlay:
    """What a function that plays is told: all that both players see, and what may be held."""

    role: Role
    """Who is to lay a card."""
    laid: tuple[int | None, ...]
    """The ranks laid since the lead, 0..12, and None for each go."""
    on_table: tuple[int, ...]
    """The ranks laid since the count began."""
    count: int
    left: int
    """How many cards the player has left."""
    other_left: int
    holdings: NDArray[np.int64]
    """What these can be, ranks 0..12 ascending, ``(n, left)``."""


PlayFunction: TypeAlias = Callable[[PublicPlay], ArrayLike]
"""Returns how often each holding lays each rank, ``(n, 13)``: weights of 0 or more. Only ranks that
are held and fit count; a holding with no weight on any lays each card that fits as often."""


class LockedPlay(PlayStrategy):
    """Play as a function says, whatever it is: a locked node, as poker solvers have it.

    The function is called once for each public node that can be reached, see `PlayFunction`.

    >>> from cribev.solution.tree import tabulate_states
    >>> size = GameSize((4, 9), 2)
    >>> def lowest(play):
    ...     weights = np.zeros((len(play.holdings), 13))
    ...     weights[np.arange(len(weights)), play.holdings[:, 0]] = 1
    ...     return weights
    >>> strategy = LockedPlay(size, tabulate_states(size.ranks), lowest)
    >>> strategy.choices(strategy.node([1]), [0, 1]).tolist()
    [1.0, 0.0]
    """

    def __init__(
        self, size: GameSize, states: PlayStates, function: PlayFunction, *, name: str = "locked"
    ) -> None:
        super().__init__(size, states)
        self.function, self.name = function, name

    # The place of a node is what was laid on the way: four bits each, of which 0 stands for none.

    def after_card(self, node: PublicNode, rank: Integers) -> PublicNode:
        """Return the node after a card, and how it came about."""
        return super().after_card(node, rank)._replace(place=node.place * 16 + rank + 1)

    def after_go(self, node: PublicNode) -> PublicNode:
        """Return the node after a go, and how it came about."""
        return super().after_go(node)._replace(place=node.place * 16 + 15)

    def policies(self, nodes: PublicNode) -> Floats:
        """Ask the function node by node; `CribevError` if what it returns are no such weights."""
        cards = _cards_left(nodes)
        if cards == 1:
            return _any_card(self.fits[nodes.state], self.size, cards)
        parts = np.broadcast_arrays(*nodes)
        flat = [PublicNode(*map(int, one)) for one in zip(*(p.ravel() for p in parts), strict=True)]
        of_nodes = np.stack([self._ask(node) for node in flat])
        return of_nodes.reshape(*parts[0].shape, *of_nodes.shape[1:])

    def _ask(self, node: PublicNode) -> Floats:
        cards, ranks = int(node.mover_left), np.array(self.size.ranks)
        holdings, laid = self.size.holdings(cards), self._laid(int(node.place))
        moves = (None if rank is None else rank + SUITLESS_OFFSET for rank in laid)
        table = Play.of(moves, cards=self.size.kept)
        on_table = tuple(map(rank_of, table.on_table))
        play = PublicPlay(
            role_of(bool(node.dealer_moves)), laid, on_table, table.count, cards,
            int(node.other_left), ranks[holdings],
        )  # fmt: skip
        weights = np.asarray(self.function(play), dtype=np.float64)
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
        by_rank: Floats = np.take_along_axis(chances.T, numbers_with_card(self.size, cards), axis=1)
        return by_rank

    def _laid(self, place: int) -> tuple[int | None, ...]:
        laid: list[int | None] = []
        while place:
            place, move = divmod(place, 16)
            laid.append(None if move == 15 else self.size.ranks[move - 1])
        return tuple(laid[::-1])


PlayStrategyLike: TypeAlias = str | PlayFunction | PlayStrategy
"""What is taken for one who plays: a name, a function, or a strategy."""


def as_play_strategy(opponent: PlayStrategyLike) -> PlayStrategy:
    """Take one who plays the whole game by name, as a function, or as it is.

    Names are ``"expert"``, ``"greedy"`` and ``"uniform"``. CribevError if it is none of these.

    >>> as_play_strategy("greedy").name
    'greedy'
    >>> as_play_strategy("reckless")
    Traceback (most recent call last):
    cribev.errors.CribevError: 'reckless' is no player: expected 'expert', 'greedy', 'uniform' or a
    function
    """
    given: object = opponent
    if isinstance(opponent, PlayStrategy):
        return opponent
    expert = shipped_strategy()
    if callable(opponent):
        name = getattr(opponent, "__name__", "locked")
        return LockedPlay(expert.size, expert.states, opponent, name=name)
    known: dict[str, PlayStrategy] = {
        strategy.name: strategy
        for strategy in (
            expert, GreedyPlay(expert.size, expert.states), UniformPlay(expert.size, expert.states)
        )
    }  # fmt: skip
    name = given.strip().lower() if isinstance(given, str) else ""
    if name not in known:
        shown = quote(given) if isinstance(given, str) else quote(repr(given))
        names = ", ".join(map(repr, known))
        raise CribevError(f"{shown} is no player: expected {names} or a function")
    return known[name]


def _cards_left(nodes: PublicNode) -> int:
    return int(np.ravel(nodes.mover_left)[0])


def _any_card(fits: Any, size: GameSize, cards: int) -> Floats:
    """Lay each card that fits as often: ``(..., R, N(cards - 1))``, of the ranks that fit."""
    ranks = np.arange(len(size.ranks))
    rest = size.holdings(cards - 1)
    same = 1 + (rest == ranks[:, None, None]).sum(axis=-1)
    fitting = 1 + (rest < np.asarray(fits)[..., None, None]).sum(axis=-1)
    chance = same / fitting[..., None, :]
    found: Floats = np.where((ranks < np.asarray(fits)[..., None])[..., None], chance, 0.0)
    return found


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


CACHE_VERSION = 2
"""Of the files in the cache, and of how scores are solved; those of another are not read."""

SCORES_CACHED = 20
"""So many scores stay in the cache; those that were not used for longest go."""


@dataclass(frozen=True, eq=False, repr=False)
class ExpertToWin(ExpertOpponent):
    """An expert who discards and pegs to win from one score on, as `solve_score` finds.

    Points are those against an expert who counts points; chances to win at the score are against
    one who does not.
    """

    score: Score = field(kw_only=True)
    """The score when the play begins."""
    strategy: Strategy = field(kw_only=True)
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
    """Tell whether a score is one that `solve_score` solves.

    >>> is_solved_to_win(Score(117, 117)), is_solved_to_win(Score(120, 101))
    (True, False)
    """
    needed = score.needed.values()
    return min(needed) > 0 and max(needed) <= MOST_NEEDED_TO_WIN


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
    return _expert_at(Score.read(score, as_role(role)).plus(starter=jack))


@lru_cache(_STRATEGIES_HELD)
def _expert_at(score: Score) -> ExpertToWin:
    pone, dealer = score.needs("pone")
    if not is_solved_to_win(score):
        raise CribevError(
            f"pone needs {pone} and the dealer {dealer}: a score is solved to win where each "
            f"needs from 1 to {MOST_NEEDED_TO_WIN}"
        )
    name = f"score-{pone}-{dealer}-{_shipped_checksum():08x}-{CACHE_VERSION}.npz"

    def read(arrays: Arrays) -> ExpertToWin:
        expert, cells = shipped_strategy(), arrays["cells"]
        cells.flags.writeable = False
        strategy = Strategy(expert.size, expert.states, cells)
        kept = {role: read_keep_frequencies(arrays, role) for role in ROLES}
        return ExpertToWin(score=score, strategy=strategy, kept=kept)

    def cached() -> ExpertToWin | None:
        found = read_cached_arrays(name, read)
        if found is not None:
            mark_used(name)
        return found

    if found := cached():
        return found
    with one_at_a_time("score.lock", doing="solving a score"):
        if found := cached():
            return found
        strategy, kept = _solve(score)
        arrays = {"cells": strategy.cells, **keep_frequencies_to_arrays(kept)}
        write_cached_arrays(name, arrays, packed=True, most=SCORES_CACHED)
    return read(arrays)  # rounded, as it is in the cache


@cache
def _shipped_checksum() -> int:
    """Return a checksum of what a score is solved from: the win table and the first keeps."""
    win_table = load(play=True).win_table
    checksum = 0 if win_table is None else crc32(win_table.win.tobytes())
    for role in ROLES:
        checksum = crc32(shipped_keep_frequencies(role).share.tobytes(), checksum)
    return checksum


def _solve(score: Score) -> tuple[Strategy, Mapping[Role, KeepFrequencies]]:
    """Solve a score with a progress bar: how both play, and what they keep."""
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
        needs = score.needs("pone")
        kept = solver.learn(needs, win_table.win, rounds=_rounds(*needs), report=report)
        return solver.strategy(), kept


def _rounds(pone: int, dealer: int) -> int:
    """Return how many rounds there is time for: 6 at 113-113; after 5 the bounds are 0.03 apart."""
    seconds = _SECONDS_OF_ROUND + _SECONDS_BY_NEEDS * pone * dealer  # points that both may peg
    return min(_MOST_ROUNDS, int(_CPU_SECONDS / seconds))
