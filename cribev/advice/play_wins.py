"""Chances to win from the middle of a play: the show by what the opponent may hold, and the rest.

Points count in the order they fall: the play, pone's hand, the dealer's hand, the crib. Who is not
out by then goes on from the win table, the roles exchanged. The player's hand is known. The
opponent's hand and crib are known by what the opponent keeps, up to the suits: those are as likely
as cards are left, a flush as an expert keeps one. Hand and crib of one keep are taken apart.
"""

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from cribev.advice.belief import opponent_keeps
from cribev.advice.endings import Ends, keeps_of
from cribev.advice.position import KnownCards
from cribev.advice.show_pmf import SHOW_BINS, crib_pmf, hand_pmf
from cribev.classes.canonical import Floats, Index
from cribev.game.roles import Role
from cribev.game.score import WINNING_SCORE
from cribev.game.scoring import score_hands
from cribev.solution.keeps import RANK_KEEPS, GameSize
from cribev.solution.play import POINT_BINS, KeepFrequencies
from cribev.solution.win_table import WinTable


class Shown(NamedTuple):
    """What is shown after the play."""

    own: int
    """Points of the player's hand."""
    opponent: Floats
    """How likely the opponent's hand has so many points, by keep, ``(1820, 30)``."""
    crib: Floats
    """How likely the crib has, ``(1820, 30)``."""


def shown_by_keep(known: KnownCards, frequencies: KeepFrequencies) -> Shown:
    """Tell what is shown by what the opponent keeps.

    >>> from cribev import parse_cards
    >>> from cribev.solution.solution import shipped_keep_frequencies
    >>> known = KnownCards(*map(parse_cards, ("5H 5D JS QC", "2H 8D", "5S")))
    >>> shown = shown_by_keep(known, shipped_keep_frequencies("pone"))
    >>> shown.own, shown.opponent.sum(axis=1).round(9).min().item()
    (21, 1.0)
    """
    cards, starter = np.concatenate(known), known.starter.tolist()
    left = np.ones(52, dtype=bool)
    left[cards] = False
    by_rank = left.reshape(13, 4)
    pairs, flush = opponent_keeps(np.bincount(cards >> 2, minlength=13), frequencies)
    pairs[~pairs.any(axis=1)] = pairs.sum(axis=0)
    crib = pairs / pairs.sum(axis=1, keepdims=True) @ crib_pmf(by_rank, known.discard, starter)
    own = int(score_hands(known.hand[None], known.starter)[0])
    return Shown(own, hand_pmf(by_rank, starter, flush), crib)


class GameWon:
    """The end of a play is worth the chance to win the game.

    Parameters
    ----------
    size
        The game.
    needs
        How many points the player and the opponent need.
    later
        How likely the player wins after the play, by the opponent's keep and points pegged from
        here by both, ``(N(kept), P, P)``; more points than fit count as the most.
    """

    parts = 1

    def __init__(self, size: GameSize, needs: tuple[int, int], later: Floats) -> None:
        self._size, self._needs, self._later = size, needs, later

    def settle(self, ends: Ends) -> Floats:
        """Sum the chances to win."""
        own, opponent = np.broadcast_arrays(ends.own, ends.opponent)
        out, beaten = own >= self._needs[0], opponent >= self._needs[1]
        keeps, most = keeps_of(self._size, ends.left)[ends.laid[:, 0]], self._later.shape[1] - 1
        later = self._later[keeps, np.minimum(own, most), np.minimum(opponent, most)]
        won = np.where(out & (~beaten | ends.own_first), 1.0, np.where(beaten, 0.0, later))
        sums: Floats = np.einsum("nm,nm->n", ends.weights, np.broadcast_to(won, keeps.shape))
        return sums[:, None]

    def is_over(self, own: Index, opponent: Index) -> NDArray[np.bool_]:
        """Tell which plays end with the game."""
        over: NDArray[np.bool_] = (own >= self._needs[0]) | (opponent >= self._needs[1])
        return over

    def goal(self, values: Floats) -> Floats:
        """Win."""
        wins: Floats = values[..., 0]
        return wins


def game_won(
    role: Role, score: tuple[int, int], shown: Shown, keeps: Index, win_table: WinTable
) -> GameWon:
    """Work out how likely the game is won after the play, against one who counts points.

    Parameters
    ----------
    role
        The player's role.
    score
        The points of the player and the opponent now, each less than 121.
    shown
        What is shown.
    keeps
        The keeps that the opponent may have, numbers; no other counts.
    win_table
        How likely the dealer wins from the score before a deal.
    """
    needs = (WINNING_SCORE - score[0], WINNING_SCORE - score[1])
    made = POINT_BINS + 2 * SHOW_BINS
    won = end_chances(win_table, role, needs, (made, made))[0]
    won, hand, crib = won[shown.own :], shown.opponent[keeps], shown.crib[keeps]
    across, shape = POINT_BINS + SHOW_BINS, (POINT_BINS, POINT_BINS)
    # The crib counts for its owner: to the opponent's points, or to the player's.
    axis = 1 if role == "pone" else 0
    windows = sliding_window_view(won, SHOW_BINS, axis=axis)[:POINT_BINS, :across]
    with_crib = crib @ windows.reshape(-1, SHOW_BINS).T
    with_crib = with_crib.reshape(len(keeps), POINT_BINS, across)
    found = np.zeros((len(keeps), *shape))
    for points in range(SHOW_BINS):  # few of them for each keep
        some = np.flatnonzero(hand[:, points])
        here = with_crib[some, :, points : points + POINT_BINS]
        found[some] += hand[some, points, None, None] * here
    later = np.zeros((RANK_KEEPS, *shape))
    later[keeps] = found
    return GameWon(GameSize(), needs, later)


def end_chances(
    win_table: WinTable, role: Role, needs: tuple[int, int], made: tuple[int, int]
) -> Floats:
    """Tell how a deal ends by the points each makes of it, if nobody is out before the show.

    Parameters
    ----------
    win_table
        How likely the dealer wins from the score before a deal.
    role
        The player's role.
    needs
        How many points the player and the opponent need.
    made
        How many numbers of points to tabulate, from 0 up.

    Returns
    -------
    How likely the player wins, whether the player gets out, and whether the opponent does,
    ``(3, own, other)``.
    """
    own, other = np.ogrid[: made[0], : made[1]]
    left, other_left = np.broadcast_arrays(needs[0] - own, needs[1] - other)
    # Pone's hand counts first; then all that the dealer has.
    out = left <= 0 if role == "pone" else (left <= 0) & (other_left > 0)
    beaten = other_left <= 0 if role == "dealer" else (other_left <= 0) & (left > 0)
    now, other_now = (
        np.clip(WINNING_SCORE - need, 0, WINNING_SCORE - 1) for need in (left, other_left)
    )
    later = win_table.win[now, other_now] if role == "pone" else 1 - win_table.win[other_now, now]
    win = np.where(out, 1.0, np.where(beaten, 0.0, later))
    return np.stack([win, out, beaten]).astype(np.float64)
