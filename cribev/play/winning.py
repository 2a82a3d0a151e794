"""Chances to win from the middle of a play: the show by what the opponent may hold, and the rest.

Points count in the order they fall: the play, pone's hand, the dealer's hand, the crib. Who is not
out by then goes on from the win table, the roles exchanged. The player's hand is known. The
opponent's hand and crib are known by what the opponent keeps, up to the suits: those are as likely
as cards are left, a flush as an expert keeps one. Hand and crib of one keep are taken apart.
"""

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from cribev.classes.canonical import (
    CLASSES,
    RANK_PAIRS,
    Floats,
    Index,
    class_counts,
    discard_rank_pairs,
)
from cribev.game.cards import JACK
from cribev.game.index_tables import rank_point_table
from cribev.game.roles import Role
from cribev.game.score_notation import WINNING_SCORE
from cribev.game.scoring import score_hands
from cribev.play.endings import Ends, keeps_of
from cribev.play.position import KnownCards
from cribev.solved.keeps import (
    RANK_KEEPS,
    GameSize,
    keep_rank_counts,
    kept_points,
    rank_keep_numbers,
)
from cribev.solved.play import POINT_BINS, KeepFrequencies
from cribev.solved.win_table import WinTable

_SHOWN = 30  # numbers of points a hand or a crib can have
_SUIT = 13  # cards of a suit


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
    >>> from cribev.solved.solution import shipped_keep_frequencies
    >>> known = KnownCards(*map(parse_cards, ("5H 5D JS QC", "2H 8D", "5S")))
    >>> shown = shown_by_keep(known, shipped_keep_frequencies("pone"))
    >>> shown.own, shown.opponent.sum(axis=1).round(9).min().item()
    (21, 1.0)
    """
    cards = np.concatenate(known)
    left = np.ones(52, dtype=bool)
    left[cards] = False
    by_rank = left.reshape(13, 4)
    binomials = np.array([[comb(n, k) for k in range(7)] for n in range(5)], dtype=float)
    ways = np.ones(CLASSES)
    for rank, counts in enumerate(class_counts().T):
        ways *= binomials[by_rank[rank].sum()].take(counts)
    keeps = rank_keep_numbers()
    weights = ways[:, None] * frequencies.share
    cells = (keeps * len(RANK_PAIRS) + discard_rank_pairs()).ravel()
    pairs = np.bincount(cells, weights.ravel(), RANK_KEEPS * len(RANK_PAIRS))
    pairs = pairs.reshape(RANK_KEEPS, -1)
    kept = pairs.sum(axis=1)
    suited = np.bincount(keeps.ravel(), (ways[:, None] * frequencies.flush).ravel(), RANK_KEEPS)
    flush = np.divide(suited, kept, out=np.zeros(RANK_KEEPS), where=kept > 0)
    opponent = _hand_chances(by_rank, int(known.starter[0]), flush)
    pairs[kept == 0] = pairs.sum(axis=0)
    crib = pairs / pairs.sum(axis=1, keepdims=True) @ _crib_chances(by_rank, known)
    own = int(score_hands(known.hand[None], known.starter)[0])
    return Shown(own, opponent, crib)


def _hand_chances(left: NDArray[np.bool_], starter: int, flush: Floats) -> Floats:
    """Tell how likely each keep makes so many points, ``(1820, 30)``.

    ``left`` tells which cards may be in it, by rank and suit, ``(13, 4)``; ``flush`` how often it
    is of one suit in a whole deck, ``(1820,)``.
    """
    counts, (rank, suit) = keep_rank_counts(), divmod(starter, 4)
    number = left.sum(axis=1)
    # Of all ways to take one card of each rank, those of one suit, by suit.
    ranks = GameSize().holdings(4)
    of_suit = left[ranks].prod(axis=1) / np.maximum(number[ranks].prod(axis=1), 1)[:, None]
    whole_deck = 4 / 4**4
    flush = np.minimum(flush * of_suit.sum(axis=1) / whole_deck, 1)
    flush[(counts > 1).any(axis=1)] = 0
    with_starter = of_suit[:, suit] / np.maximum(of_suit.sum(axis=1), np.finfo(float).tiny)
    nobs = np.zeros(RANK_KEEPS)
    has_jack = np.zeros(RANK_KEEPS, dtype=bool)
    if rank != JACK and left[JACK, suit]:
        nobs, has_jack = counts[:, JACK] / number[JACK], counts[:, JACK] > 0
    base, found = kept_points()[:, rank], np.zeros((RANK_KEEPS, _SHOWN))
    for gained, chance in (
        (0, (1 - flush) * (1 - nobs)),
        (1, (1 - flush) * nobs),
        (4, flush * (1 - with_starter)),
        (5 + has_jack, flush * with_starter),
    ):
        points = np.minimum(base + gained, _SHOWN - 1)
        np.add.at(found, (np.arange(RANK_KEEPS), points), chance)
    return found


def _crib_chances(left: NDArray[np.bool_], known: KnownCards) -> Floats:
    """Tell how likely the crib makes so many points, by the pair of ranks thrown, ``(91, 30)``."""
    rank, suit = divmod(int(known.starter[0]), 4)
    own, number = known.discard >> 2, left.sum(axis=1)
    low, high = RANK_PAIRS.T
    places = 13 ** np.arange(4, -1, -1)
    ranks = np.stack(np.broadcast_arrays(*own.astype(np.intp), low, high, rank), axis=1)
    base = rank_point_table()[ranks @ places].astype(np.intp)
    nobs = np.zeros(len(RANK_PAIRS))
    if rank != JACK:
        if 4 * JACK + suit in known.discard:
            nobs[:] = 1
        elif left[JACK, suit]:
            nobs = (RANK_PAIRS == JACK).sum(axis=1) / number[JACK]
    flush = np.zeros(len(RANK_PAIRS))
    if (known.discard & 3 == suit).all():
        of_suit = left[:, suit] / np.maximum(number, 1)
        flush = np.where(low < high, of_suit[low] * of_suit[high], 0)
    both = np.where(nobs > 0, flush, 0)  # of a flush a jack thrown makes nobs
    found = np.zeros((len(RANK_PAIRS), _SHOWN))
    for gained, chance in (
        (0, 1 - nobs - flush + both), (1, nobs - both), (5, flush - both), (6, both),
    ):  # fmt: skip
        points = np.minimum(base + gained, _SHOWN - 1)
        np.add.at(found, (np.arange(len(RANK_PAIRS)), points), chance)
    return found


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
    own, opponent = (points + np.arange(POINT_BINS + 2 * _SHOWN) for points in score)
    out, beaten = own >= WINNING_SCORE, opponent >= WINNING_SCORE
    mine, theirs = (np.minimum(points, WINNING_SCORE - 1) for points in (own, opponent))
    # After this deal the dealer is pone; own points along the rows, the opponent's across.
    if role == "pone":
        next_deal = win_table.win[mine[:, None], theirs]
    else:
        next_deal = 1 - win_table.win[theirs, mine[:, None]]
    # Pone's hand counts first, and ends the game before the other's.
    if role == "pone":
        won = np.where(out[:, None], 1.0, np.where(beaten, 0.0, next_deal))
    else:
        won = np.where(beaten, 0.0, np.where(out[:, None], 1.0, next_deal))
    won, hand, crib = won[shown.own :], shown.opponent[keeps], shown.crib[keeps]
    across, shape = POINT_BINS + _SHOWN, (POINT_BINS, POINT_BINS)
    # The crib counts for its owner: to the opponent's points, or to the player's.
    axis = 1 if role == "pone" else 0
    windows = sliding_window_view(won, _SHOWN, axis=axis)[:POINT_BINS, :across]
    with_crib = crib @ windows.reshape(-1, _SHOWN).T
    with_crib = with_crib.reshape(len(keeps), POINT_BINS, across)
    found = np.zeros((len(keeps), *shape))
    for points in range(_SHOWN):  # few of them for each keep
        some = np.flatnonzero(hand[:, points])
        here = with_crib[some, :, points : points + POINT_BINS]
        found[some] += hand[some, points, None, None] * here
    later = np.zeros((RANK_KEEPS, *shape))
    later[keeps] = found
    needs = (WINNING_SCORE - score[0], WINNING_SCORE - score[1])
    return GameWon(GameSize(), needs, later)
