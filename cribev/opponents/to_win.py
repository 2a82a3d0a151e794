"""An expert who discards and plays to win from one score on, solved once and then kept."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from zlib import crc32

from cribev.classes.canonical import Floats
from cribev.errors import CribevError
from cribev.game.cards import JACK, Cards
from cribev.game.index_tables import read_only
from cribev.game.roles import ROLES, Role, as_role
from cribev.game.score import Score
from cribev.opponents.counts import rank_weights
from cribev.opponents.opponents import ExpertOpponent, Objective, Opponent, ranks_thrown
from cribev.solution.solution import load, shipped_keep_frequencies, shipped_strategy
from cribev.solution.solved_play import KeepFrequencies, read_keep_frequencies, tables_to_arrays
from cribev.solution.strategy import PlayStrategy, Strategy
from cribev.system import cache
from cribev.system.hooks import offered

MOST_NEEDED_TO_WIN = 8
"""A score is solved to win where neither player needs more.

Even there, at 113-113, the reply to one who plays for points is another card in four positions of
ten, and loses some 0.005 of a game. But a round takes longer the more both need, and with more
there is no time for enough rounds in two minutes.
"""


_STRATEGIES_HELD = 2  # 60 MB each


CACHE_VERSION = 3
"""Of the files in the cache, and of how scores are solved; those of another are not read."""


SCORES_CACHED = 20  # so many scores stay in the cache; those that were not used for longest go


@dataclass(frozen=True, eq=False, repr=False)
class ExpertToWin(ExpertOpponent):
    """An expert who discards and pegs to win from one score on; its points are for points."""

    name: str = "to-win"
    score: Score = field(kw_only=True)  # the score when the play begins
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
            return rank_weights(deal, ranks_thrown(self, role))
        return super().weights(deal, role)

    def at_score(self, score: Score) -> Opponent:
        """Return who discards and plays to win; `CribevError` at another score than was solved."""
        self.check(score)
        assert self.solution.play is not None
        play = self.solution.play._replace(
            keep_frequencies=self.kept, load_strategy=functools.partial(getattr, self, "strategy")
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


def plays_for_text(player: Opponent | PlayStrategy, plays_for: Objective, score: Score) -> str:
    """Say beside an opponent's name what is played for at a score, and who would play to win."""
    if plays_for == "wins":
        return ", who plays to win"
    if player.is_expert and player.name == ToWin.name:
        return f", who counts points: one of you needs more than {MOST_NEEDED_TO_WIN}"
    if player.is_expert and is_solved_to_win(score):
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
        strategy = Strategy(expert.size, expert.states, read_only(arrays["cells"]))
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
        cache.import_optional("numba", "solve")
        strategy, kept = offered("a score solved to win")(score)
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
