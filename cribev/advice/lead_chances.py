"""How likely pone wins with each lead, before the cut."""

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from cribev.advice.belief import Belief
from cribev.advice.deal_wins import POINTS_MADE, WIN_DIGITS, solved_play
from cribev.advice.evaluation import PlayTree
from cribev.advice.faced import Faced
from cribev.advice.play_wins import GameWon, end_chances
from cribev.advice.show_pmf import SHOW_BINS, crib_pmf
from cribev.classes.canonical import Floats
from cribev.game.cards import JACK, Cards, unseen
from cribev.game.index_tables import DISCARDS, KEEPS, Points
from cribev.game.score import HEELS, WINNING_SCORE
from cribev.opponents.models import Opponent
from cribev.solution.keeps import RANK_KEEPS
from cribev.solution.play import POINT_BINS
from cribev.solution.win_table import WinTable


class LeadChances(NamedTuple):
    """How likely the game is won with each lead, by rank, ``(13,)`` each; nan if it is not kept."""

    win: Floats
    """Pone goes on as well as can be."""
    win_mean: Floats
    """Pone goes on as an expert does."""
    share: Floats
    """How often an expert leads it; nought if it is not kept."""


def lead_win_chances(
    deal: Cards, discard: int, own_points: Points, score: tuple[int, int], opponent: Opponent
) -> LeadChances:
    """Work out how likely pone wins with each lead, before the cut.

    An average over the starters. In the play after the lead, pone knows of the starter only whether
    it is a jack. Averaged as an expert leads, `LeadChances.win_mean` comes to `Chances.win`.

    Parameters
    ----------
    deal
        Pone's six cards, uint8 ``(6,)``, ascending.
    discard
        The place of the discard, 0..14.
    own_points
        Points of the keep with each starter, ``(46,)``.
    score
        Pone's points before the deal and the dealer's.
    opponent
        The dealer.

    Raises
    ------
    TableError
        If the opponent's solution is without what this takes.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> from cribev.advice.outcomes import hand_scores
    >>> from cribev.opponents.models import as_opponent
    >>> deal = parse_cards("2H 5D 5H 8D JS QC")
    >>> points = hand_scores(deal)[0]  # the keep is 2 5 5 8
    >>> found = lead_win_chances(deal, 0, points, (117, 118), as_opponent("expert"))
    >>> np.flatnonzero(found.win > 0).tolist()
    [1, 4, 7]
    """
    across = opponent.at_score("pone", score)
    strategy, win_table = solved_play(across)
    faced = Faced(deal, "pone", across)
    keep = (deal[KEEPS[discard]] >> 2).tolist()
    ranks = np.unique(keep)
    chances = np.full((2, 13), np.nan)
    chances[:, ranks] = 0
    for heels in (0, HEELS):
        needs = WINNING_SCORE - score[0], WINNING_SCORE - score[1] - heels
        starters = [rank for rank in range(13) if (rank == JACK) == (heels > 0)]
        kept = faced.kept[starters].sum(axis=0)
        if needs[1] <= 0 or not kept.any():
            continue
        later = _later_by_keep(deal, discard, own_points, faced, starters, needs, win_table)
        end = GameWon(strategy.size, needs, later)
        belief = Belief(4, np.zeros(len(later)), 0, explained=True)
        belief.chance[faced.keeps] = kept
        best = PlayTree([], "pone", keep, belief, opponent=strategy, end=end)
        chances[0, ranks] += best.cards.values[:, 0]
        for rank in ranks.tolist():
            left = list(keep)
            left.remove(rank)
            after = PlayTree([rank], "pone", left, belief, opponent=strategy, own=strategy, end=end)
            chances[1, rank] += after.value[0]
    win, win_mean = np.clip(chances.round(WIN_DIGITS), 0, 1)
    return LeadChances(win, win_mean, strategy.choices(strategy.root, keep))


def _later_by_keep(
    deal: Cards,
    discard: int,
    own_points: Points,
    faced: Faced,
    starters: list[int],
    needs: tuple[int, int],
    win_table: WinTable,
) -> Floats:
    """Tell how likely pone wins after the play, one of some starters being cut.

    By the dealer's keep and the points that pone and the dealer peg, ``(1820, 32, 32)``.
    """
    ends = end_chances(win_table, "pone", needs, POINTS_MADE)[0]
    rest, thrown = unseen(deal), deal[DISCARDS[discard]]
    windows = sliding_window_view(ends, 2 * SHOW_BINS, axis=1)
    total = np.zeros((len(faced.keeps), POINT_BINS**2))
    for points in np.unique(own_points).tolist():
        shown = np.zeros((len(faced.keeps), 2 * SHOW_BINS))  # the dealer's hand and crib together
        for rank in starters:
            cut = tuple(rest[(own_points == points) & (rest >> 2 == rank)].tolist())
            if not cut:
                continue
            share = len(cut) / faced.left[rank].sum()
            crib = faced.chance[rank] @ crib_pmf(faced.left, thrown, cut) * share
            row, hand, likely = faced.hands(cut)
            for made in np.unique(hand).tolist():
                some = hand == made
                of_hand = likely[some, None] * crib[row[some]]
                shown[row[some], made : made + SHOW_BINS] += of_hand
        by_pegged = windows[points : points + POINT_BINS, :POINT_BINS]
        total += shown @ by_pegged.reshape(-1, 2 * SHOW_BINS).T
    kept = faced.kept[starters].sum(axis=0)[:, None]
    later = np.zeros((RANK_KEEPS, POINT_BINS, POINT_BINS))
    given = np.divide(total, kept, out=np.zeros_like(total), where=kept > 0)
    later[faced.keeps] = given.reshape(-1, POINT_BINS, POINT_BINS)
    return later
