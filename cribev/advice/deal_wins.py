"""How likely each discard wins the game, from the score before the deal.

Points count in the order they fall: heels, the play, pone's hand, the dealer's hand, the crib. Who
is not out by then goes on from the win table, the roles exchanged. The play of each keep is walked
card by card, both by the solved strategy, against every keep of the opponent. The starter is taken
by its rank and by what the player's hand makes with it; the opponent's hand and discard, as they go
together, by their ranks; suits that nobody sees are as likely as cards are left. Six ranks without
suits have every suit, and each as often.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from cribev.advice.faced import Cut, Faced, SuitedDeal, SuitlessDeal
from cribev.advice.outcomes import DealOutcomes
from cribev.advice.pegging_pmf import PeggingPmf, pegging_pmf
from cribev.advice.play_wins import end_chances
from cribev.advice.show_pmf import SHOW_BINS
from cribev.classes.canonical import Floats, Index
from cribev.errors import CribevError, TableError
from cribev.game.cards import JACK, Cards
from cribev.game.roles import Role
from cribev.game.score import HEELS, WINNING_SCORE, as_score
from cribev.opponents.models import Opponent
from cribev.solution.play import POINT_BINS
from cribev.solution.public_tree import PlayStrategy
from cribev.solution.win_table import WinTable

POINTS_MADE = (POINT_BINS + 2 * SHOW_BINS,) * 2
"""Numbers of points of both, more than anyone makes of a deal."""

WIN_DIGITS = 12
"""Beyond them stands what rounding leaves: what cannot be is to have no chance."""


class Chances(NamedTuple):
    """How a deal may end, for each of 15 discards, ``(15,)`` each."""

    win: Floats
    """The game is won, now or later."""
    out: Floats
    """The player gets out in this deal."""
    beaten: Floats
    """The opponent does."""


def win_chances(
    outcomes: DealOutcomes, role: Role, score: tuple[int, int], opponent: Opponent
) -> Chances:
    """Work out how likely each discard wins, from your points before the deal and the opponent's.

    Raises
    ------
    TableError
        If the opponent's solution is without what this takes.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> from cribev.advice.outcomes import deal_outcomes
    >>> from cribev.opponents.models import as_opponent
    >>> expert = as_opponent("expert")
    >>> outcomes = deal_outcomes(parse_cards("2H 5D 5H 8D JS QC"), "pone", expert)
    >>> float(win_chances(outcomes, "pone", (115, 110), expert).win.max().round(2))
    1.0
    """
    across = opponent.at_score(role, score)
    return _chances(SuitedDeal(outcomes, role, across), role, score, across)


def suitless_win_chances(
    ranks: Cards, discards: Index, role: Role, score: tuple[int, int], opponent: Opponent
) -> Chances:
    """Work out how likely discards of six ranks win, averaged over the suits they can have.

    Parameters
    ----------
    ranks
        Six ranks 0..12, uint8 ``(6,)``, ascending.
    discards
        Places in the order of the keeps, ``(n,)``.
    role, score, opponent
        As for `win_chances`.

    Returns
    -------
    The chances of each discard, ``(n,)`` each. What is kept, thrown and cut goes by ranks, and what
    suits add to it by how often they do. With suits it is within some 0.001 of the average.

    Raises
    ------
    TableError
        As for `win_chances`.

    Examples
    --------
    >>> from cribev.opponents.models import as_opponent
    >>> ranks = np.array([1, 4, 4, 7, 10, 11], dtype=np.uint8)
    >>> discard = np.array([2])
    >>> suitless_win_chances(ranks, discard, "pone", (115, 110), as_opponent("expert")).win.round(1)
    array([1.])
    """
    across = opponent.at_score(role, score)
    return _chances(SuitlessDeal(ranks, discards, role, across), role, score, across)


def valid_score(
    score: tuple[int, int] | str | None, role: Role, opponent: Opponent, *, averages: bool
) -> tuple[int, int] | None:
    """Read the score that advice is asked at, if it is.

    `CribevError` if it is no score, or the play does not count, or cribs are known as averages.
    """
    points = None if score is None else as_score(score, role)
    if points and not opponent.counts_play:
        raise CribevError("a score takes the play into account: leave out one of the two")
    if points and averages:
        raise CribevError("average cribs do not say who wins: give a score, or a crib table")
    return points


def _chances(
    dealt: SuitedDeal | SuitlessDeal, role: Role, score: tuple[int, int], opponent: Opponent
) -> Chances:
    """Work the chances out for what is dealt, with suits or without."""
    strategy, win_table = solved_play(opponent)
    faced, keeps = dealt.faced, dealt.keeps.tolist()
    total, played = np.zeros((3, len(keeps))), dict[tuple[Any, ...], PeggingPmf]()
    for heels in (0, HEELS):
        own_need, other_need = (WINNING_SCORE - points for points in score)
        if role == "dealer":
            own_need -= heels
        else:
            other_need -= heels
        starters = [rank for rank in range(13) if (rank == JACK) == (heels > 0)]
        kept = faced.kept[starters].sum(axis=0)
        if min(own_need, other_need) <= 0:
            total[[0, 1] if own_need <= 0 else [2]] += kept.sum()
            continue
        needs = min(own_need, POINT_BINS), min(other_need, POINT_BINS)
        ends = end_chances(win_table, role, (own_need, other_need), POINTS_MADE)
        # The crib counts for its owner.
        end = sliding_window_view(ends, SHOW_BINS, axis=1 if role == "dealer" else 2)
        for at, keep in enumerate(keeps):
            asked = (*keep, *needs)
            if asked not in played:
                played[asked] = pegging_pmf(keep, role, faced.keeps, needs, strategy)
            pegged = played[asked]
            out, beaten = kept @ pegged.out, kept @ pegged.beaten
            cuts = dealt.cuts(at, starters)
            total[:, at] += _after_play(faced, pegged, cuts, end)
            total[:, at] += out, out, beaten
    win, out, beaten = np.clip(total.round(WIN_DIGITS) + 0.0, 0, 1)  # and no nought below nought
    return Chances(np.clip(win, out, 1 - beaten), out, beaten)


def solved_play(opponent: Opponent) -> tuple[PlayStrategy, WinTable]:
    """Return how the opponent plays, and how likely the dealer wins from each score."""
    solution = opponent.solved_game()
    if solution.play is None or solution.win_table is None or solution.play.strategy is None:
        raise TableError("the solution is for the show alone: nobody wins by it")
    return solution.play.strategy, solution.win_table


def _after_play(faced: Faced, pegged: PeggingPmf, cuts: Iterable[Cut], end: Floats) -> Floats:
    """Tell how the deals end that nobody ends in the play, as `end_chances` does, ``(3,)``.

    ``end`` is by the points of both without the crib, and by the crib, ``(3, own, other, 30)``.
    """
    entries = np.bincount(pegged.faced, minlength=len(faced.keeps))
    first = entries.cumsum() - entries
    most_own, most_other = (int(part.max(initial=0)) + 1 for part in (pegged.own, pegged.opponent))
    across = most_other + SHOW_BINS
    cells = most_own * across
    by_points = dict[int, Floats]()
    for cut in cuts:
        of_crib = np.flatnonzero(cut.crib.any(axis=0))
        cribs = (faced.chance[cut.rank] @ cut.crib[:, of_crib]).T
        row, shown, likely = cut.shown
        often = entries[row]
        hand = np.repeat(np.arange(len(row)), often)
        entry = np.repeat(first[row] + often - often.cumsum(), often) + np.arange(len(hand))
        row, cell = row[hand], pegged.own[entry] * across + pegged.opponent[entry] + shown[hand]
        weights = pegged.chance[entry] * likely[hand]
        joint = np.array([np.bincount(cell, weights * crib[row], cells) for crib in cribs])
        for points, share in cut.own:
            by_points.setdefault(points, np.zeros((SHOW_BINS, cells)))[of_crib] += share * joint
    total = np.zeros(3)
    for points, joint in by_points.items():
        here = end[:, points : points + most_own, :across]
        by_cell = joint.reshape(SHOW_BINS, most_own, across)
        total += np.einsum("eoxc,cox->e", here, by_cell, optimize=True)
    return total
