"""Deals played out by two experts, and the race to 121 solved from what they decide.

As `solver.games`, but between equals: the dealer's points come first. A player who needs less
can only win more of the same deals, so the table is monotone in both scores.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.game.outcomes import Outcomes
from cribev.game.roles import Role
from cribev.game.score import HEELS, WINNING_SCORE
from cribev.solution.strategy import PlayStrategy
from cribev.solution.win_table import WinTable
from solver.games import (
    OutcomeCounts,
    count_outcomes,
    expect,
    outcomes_by_role,
    scores_downward,
    shares_of,
    turned,
    without_margins,
)
from solver.playouts import Discards, ShownDeals, by_chance, deal_and_show, play_out, show_events

WIN_TABLE_DEALS = 10_000_000  # how many deals the shipped win table is from

_BLOCKS = 40  # flat in memory; how far they are apart gives the standard error
_SEED = 121


def played_events(strategy: PlayStrategy, shown: ShownDeals, *, seed: int) -> NDArray[np.int8]:
    """Play deals by a strategy, and list points as `PlayedOut` has them, then the show."""
    pick = by_chance(strategy, np.random.default_rng([seed, 2]))
    play = play_out(strategy, shown.pone, shown.dealer, pick).events
    return np.column_stack([play, *show_events(shown)])


def before_cut(no_jack: OutcomeCounts, jack: OutcomeCounts) -> OutcomeCounts:
    """Count deals together in which no jack is cut and one is, both counted after the cut."""
    first, totals = (table.copy() for table in no_jack)
    first[:, HEELS + 1 :] += jack.first[:, 1:-HEELS]
    first[:, 1 : HEELS + 1, 1:] += jack.totals.sum(axis=(1, 2))[:, None, None]
    totals[:, HEELS:] += jack.totals[:, :-HEELS]
    totals[:, -1] += jack.totals[:, -HEELS:].sum(axis=1)
    return OutcomeCounts(first, totals)


def chance_after_deal(
    first: NDArray[Any], totals: NDArray[Any], needs: tuple[int, int], win: Floats
) -> float:
    """Return how likely the dealer wins by a block of counts; pone's need is the first."""
    pone, dealer = needs
    own, other = np.arange(dealer), np.arange(pone)
    # After this deal pone deals.
    later = 1 - win[WINNING_SCORE - pone + other, WINNING_SCORE - dealer + own[:, None]]
    return float((first[dealer, pone] + (totals[:dealer, :pone] * later).sum()) / totals.sum())


class WinGains(NamedTuple):
    """How much likelier the dealer wins if both play a deal to win, not for points.

    It is told in parts of what is at stake: w(1 - w), where w is how likely the dealer wins by
    points. So a chance stays one, and parts change little from score to score.
    """

    part: Floats  # ``(121, 121)``
    error: Floats  # how far off that may be, ``(121, 121)``
    known: NDArray[np.bool_]  # where it is known, ``(121, 121)``; elsewhere the others are nought


def no_gains() -> WinGains:
    """Return gains of which none is known."""
    shape = WINNING_SCORE, WINNING_SCORE
    return WinGains(np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.bool_))


def solve_win_table(counts: OutcomeCounts, gains: WinGains | None = None) -> WinTable:
    """Solve the race with what is gained at scores, and each block alone for standard errors."""
    gains = gains or no_gains()
    whole, deals = solve_race(counts, gains), counts.totals.sum(axis=(1, 2))
    error = np.full(whole.shape, np.nan)
    if len(deals) > 1:
        by_block = [table / deals[:, None, None] for table in counts]
        blocks = _solve(by_block[0], by_block[1], gains.part)
        square = (deals[:, None, None] / deals.sum() * (blocks - whole) ** 2).sum(axis=0)
        totals = counts.totals.sum(axis=0, keepdims=True) / deals.sum()
        carried = _carry_errors(totals, gains.error * whole * (1 - whole))
        error = np.sqrt(square / (len(deals) - 1) + carried)
    skunks = _solve_skunks(counts)
    skunks = np.minimum(skunks, np.stack([whole, whole, 1 - whole, 1 - whole]))
    return WinTable(Outcomes.of_nested(whole, *skunks), error, int(deals.sum()), gains.known)


def _solve_skunks(counts: OutcomeCounts) -> Floats:
    """Return how likely the dealer skunks, does so twice, is skunked, and is so twice.

    Where a game is played to win nobody is behind a line, so gains count for nothing.
    """
    shares = shares_of(counts, all_blocks=True)
    by_role = outcomes_by_role({"dealer": shares, "pone": turned(*shares)}, skunks=True)
    return np.clip(by_role["dealer"][1:, 0], 0, 1)


def solve_race(counts: OutcomeCounts, gains: WinGains) -> Floats:
    """Return how likely the dealer wins, ``(121, 121)``, as `solve_win_table` without errors."""
    if counts.totals[:, 0, 0].any():
        raise ValueError("a deal in which nobody scores, so that a game need never end")
    deals = counts.totals.sum()
    first, totals = (table.sum(axis=0, keepdims=True) / deals for table in counts)
    whole: Floats = _solve(first, totals, gains.part)[0]
    return whole


def _solve(first: Floats, totals: Floats, shares: Floats) -> Floats:
    """Return how likely the dealer wins, several races at once, ``(races, 121, 121)``."""
    win = np.zeros((len(first), WINNING_SCORE, WINNING_SCORE))
    as_pone = np.zeros_like(win)  # how likely the player of the first score wins as pone
    totals = without_margins(totals)
    for dealer, pone in scores_downward():
        needs = WINNING_SCORE - dealer, WINNING_SCORE - pone
        here = first[:, *needs] + expect(totals, as_pone, (dealer, pone))
        here = here + shares[dealer, pone] * here * (1 - here)
        # A point more is never worse, though gains are not exact.
        if pone + 1 < WINNING_SCORE:
            here = np.maximum(here, win[:, dealer, pone + 1])
        if dealer + 1 < WINNING_SCORE:
            here = np.minimum(here, win[:, dealer + 1, pone])
        win[:, dealer, pone] = here
        as_pone[:, pone, dealer] = 1 - win[:, dealer, pone]
    return win


def _carry_errors(totals: Floats, errors: Floats) -> Floats:
    """Return the squares of what errors come to in all scores before, ``(121, 121)``."""
    square, as_pone = np.zeros((2, 1, WINNING_SCORE, WINNING_SCORE))
    totals = without_margins(totals) ** 2
    for dealer, pone in scores_downward():
        later = expect(totals, as_pone, (dealer, pone))
        square[:, dealer, pone] = errors[dealer, pone] ** 2 + later
        as_pone[:, pone, dealer] = square[:, dealer, pone]
    carried: Floats = square[0]
    return carried


DealtCounts: TypeAlias = tuple[OutcomeCounts, OutcomeCounts]
"""What deals decide after the cut, where no jack is cut and where one is."""


def play_deals_out(
    strategy: PlayStrategy, policies: Mapping[Role, Discards], *, deals: int
) -> DealtCounts:
    """Play deals out by policies and a strategy; every block has a seed of its own."""
    # No jack and a jack; who is first and the points in all.
    shape = 2, 2, _BLOCKS, WINNING_SCORE + 1, WINNING_SCORE + 1
    counts = np.zeros(shape, dtype=np.int64)
    for block in range(_BLOCKS):
        shown = deal_and_show(policies, deals // _BLOCKS, seed=_SEED + block)
        events = played_events(strategy, shown, seed=_SEED + block)
        for jack in range(2):
            counts[jack, :, block] = count_outcomes(events[(shown.heels > 0) == jack])
    return OutcomeCounts(*counts[0]), OutcomeCounts(*counts[1])
