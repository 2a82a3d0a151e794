"""What faces a player beside the discard: the hand the opponent has kept, and the crib.

The opponent's hand depends on what was thrown with it. For each of the 18,395 classes of ranks, by
how many deals are of it, the opponent's policy says which ranks are kept and thrown; with a starter
of a rank the ranks kept make their points. Suits are taken on average: how often such a keep is of
one suit, and how often a jack in it is of the starter's. The pair thrown is counted to the card, as
everywhere.
"""

from functools import cache, lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import (
    CLASSES,
    RANK_PAIRS,
    Floats,
    Index,
    class_counts,
    discard_rank_pairs,
    rank_pair_numbers,
)
from cribev.deal.outcomes import MAX_POINTS, crib_outcomes
from cribev.game.cards import JACK, Cards, unseen
from cribev.game.index_tables import PAIRS_BY_STARTER, UNSEEN_PAIRS, Points
from cribev.game.roles import Role
from cribev.opponents.models import Opponent
from cribev.solved.keeps import RANK_KEEPS, keep_rank_counts, kept_points, rank_keep_numbers
from cribev.solved.leanings import signs

POINTS = MAX_POINTS + 1
PAIRS = len(RANK_PAIRS)
BOTH = 2 * MAX_POINTS + 1
"""Numbers of points that hand and crib together can have."""
_SUIT = 13  # cards of a suit


def opponents_hands(deal: Cards, kept: "Kept") -> Floats:
    """Tell what hand the opponent has, given the rank of the starter and the pair of ranks thrown.

    Parameters
    ----------
    deal
        The player's six cards, uint8 ``(6,)``.
    kept
        What the opponent ever keeps.

    Returns
    -------
    How likely each number of points is, and that times each of `leanings.signs` of the keep, on
    average, ``(13, 91, 30, 1 + signs)``. For a pair that is never thrown they are those of all
    keeps.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> from cribev.opponents.models import as_opponent
    >>> deal = parse_cards("2H 5D 5H 8D JS QC")
    >>> kept = kept_by(as_opponent("expert"), "dealer")
    >>> met = opponents_hands(deal, kept)
    >>> chances = met[6, ..., 0]  # by the pair thrown, a seven cut
    >>> bool(np.allclose(chances.sum(axis=1), 1))
    True
    """
    left = 4 - np.bincount(deal >> 2, minlength=13)
    counts = class_counts()
    ways = np.ones(CLASSES)
    for rank in range(13):
        ways *= np.array([comb(left[rank], held) for held in range(5)])[counts[:, rank]]
    weights = ways[kept.classes] * kept.share
    flush = np.minimum(kept.flush * _flushes_left(deal), 1)
    cells = kept.pairs * RANK_KEEPS + kept.keeps
    plain, flushes = (
        np.bincount(cells, weights * part, PAIRS * RANK_KEEPS).reshape(PAIRS, RANK_KEEPS)
        for part in (1 - flush, flush)
    )
    of_keeps = np.concatenate([np.ones((RANK_KEEPS, 1)), signs()], axis=1)
    jacks = keep_rank_counts()[:, JACK]
    found = np.zeros((13, PAIRS, POINTS, of_keeps.shape[1]))
    for rank in np.flatnonzero(left).tolist():
        starters = left[rank] - _held(rank)
        nobs, suited = _with_starter(deal, rank)
        for gained, held in (
            (0, plain * (1 - nobs * jacks)),
            (1, plain * (nobs * jacks)),
            (4, flushes * (1 - suited)),
            (5, flushes * suited),
        ):
            held *= starters
            for number, keeps in _by_points(rank):  # these are one product
                points = min(number + gained, MAX_POINTS)
                found[rank, :, points] += held[:, keeps] @ of_keeps[keeps]
    never = ~found[..., :1].any(axis=2, keepdims=True)
    found += never * found.sum(axis=1, keepdims=True)
    total = found[..., :1].sum(axis=2, keepdims=True)
    found /= np.where(total > 0, total, 1)
    return found


def shows(
    deal: Cards,
    role: Role,
    weights: NDArray[np.float64],
    own: Points,
    met: Floats,
    lean: NDArray[np.float64],
) -> Floats:
    """Tell what both show: the player's points, and the opponent's, with the crib where it counts.

    Parameters
    ----------
    deal
        The player's six cards, uint8 ``(6,)``, ascending.
    role
        The player's role.
    weights
        Of each pair the opponent throws and each starter, ``(1035, 46)``, as an
        `cribev.opponents.models.Opponent` gives them.
    own
        The player's hands, ``(15, 46)``.
    met
        The opponent's hands.
    lean
        What is to go with the chances: for each discard, parts made of one and the signs of what
        the opponent keeps, ``(15, n, 1 + signs)``.

    Returns
    -------
    ``(2, 15, own, opponent's, n)``: without and with a jack cut, for each discard, each part by the
    points each shows: 59 for hand and crib of the dealer, 30 for pone's hand.
    """
    points, rest = crib_outcomes(deal).astype(np.intp), unseen(deal)
    ranks = (rest >> 2).astype(np.intp)
    of_pairs = ranks[UNSEEN_PAIRS[PAIRS_BY_STARTER]]
    pairs = rank_pair_numbers()[of_pairs[..., 0], of_pairs[..., 1]]
    weight = weights[PAIRS_BY_STARTER, np.arange(len(rest))[:, None]]
    weight = (weight / weight.sum()).ravel()
    sides = (BOTH, POINTS) if role == "dealer" else (POINTS, BOTH)
    shown = np.zeros((2, 15, *sides, lean.shape[1]))
    cases, cribs = [], []
    for discard in range(15):
        # Starters of a rank that make the same of the hand are one case.
        same, of_starter = np.unique(ranks * POINTS + own[discard], return_inverse=True)
        cell = (of_starter[:, None] * POINTS + points[discard]) * PAIRS + pairs
        cribs.append(np.bincount(cell.ravel(), weight, len(same) * POINTS * PAIRS))
        cases.append(np.stack([np.full(len(same), discard), *np.divmod(same, POINTS)], axis=1))
    every, often = np.concatenate(cases), np.concatenate(cribs).reshape(-1, POINTS, PAIRS)
    for starter in np.unique(ranks).tolist():
        some = np.flatnonzero(every[:, 1] == starter)
        signed = often[some].reshape(-1, PAIRS) @ met[starter].reshape(PAIRS, -1)
        signed = signed.reshape(len(some), POINTS * POINTS, -1)
        for of_signs, case in zip(signed, some, strict=True):
            discard, _, gain = every[case]
            joint = (of_signs @ lean[discard].T).reshape(POINTS, POINTS, -1)
            here = shown[int(starter == JACK), discard]
            if role == "dealer":
                here[gain : gain + POINTS] += joint
            else:
                here[gain] += _together(joint)
    return shown


def _together(joint: Floats) -> Floats:
    """Add up crib and hand, ``(30, 30, n)`` to ``(59, n)``: each row is moved one on."""
    moved = np.zeros((POINTS, 2 * POINTS, joint.shape[2]))
    moved[:, :POINTS] = joint
    flat = moved.reshape(-1, joint.shape[2])[: POINTS * BOTH]
    total: Floats = flat.reshape(POINTS, BOTH, -1).sum(axis=0)
    return total


class Kept(NamedTuple):
    """What an opponent ever keeps, each array ``(n,)``."""

    classes: Index
    keeps: Index
    """Which of the 1,820."""
    pairs: Index
    """Which of the 91 pairs of ranks goes with it."""
    share: Floats
    flush: Floats
    """How much of that is of one suit."""


@lru_cache(maxsize=4)
def kept_by(opponent: Opponent, role: Role) -> Kept:
    """List what an opponent ever keeps.

    Parameters
    ----------
    opponent
        Who.
    role
        The player's role; the opponent has the other.

    Examples
    --------
    >>> from cribev.opponents.models import as_opponent
    >>> kept = kept_by(as_opponent("expert"), "pone")
    >>> len(kept.share) < 18395 * 3  # mostly one of 15
    True
    """
    share, flush = opponent.keep_frequencies(role)
    # Keeps of the same ranks are one.
    cells = np.arange(CLASSES)[:, None] * RANK_KEEPS + rank_keep_numbers()
    cells, first, same = np.unique(cells[share > 0], return_index=True, return_inverse=True)
    often, suited = (
        np.bincount(same, table[share > 0]).astype(np.float64) for table in (share, flush)
    )
    classes, keeps = np.divmod(cells, RANK_KEEPS)
    pairs = discard_rank_pairs()[share > 0][first]
    return Kept(classes, keeps, pairs, often, suited / often)


@cache
def _by_points(rank: int) -> list[tuple[int, Index]]:
    """For each number of points with a starter of a rank the keeps that make it."""
    points = np.minimum(kept_points()[:, rank], MAX_POINTS)
    return [(int(number), np.flatnonzero(points == number)) for number in np.unique(points)]


def _held(rank: int) -> Index:
    """How many cards of a rank are in a pair thrown and a keep, ``(91, 1820)``."""
    in_pairs = np.isin(RANK_PAIRS, [rank]).sum(axis=1)
    held: Index = in_pairs[:, None] + keep_rank_counts()[:, rank]
    return held


def _flushes_left(deal: Cards) -> float:
    """How much likelier four cards of one suit are beside the player's cards than in a deck."""
    rest = _SUIT - np.bincount(deal & 3, minlength=4)
    chance = sum(comb(int(cards), 4) for cards in rest) / comb(int(rest.sum()), 4)
    return chance / (4 * comb(_SUIT, 4) / comb(4 * _SUIT, 4))


def _with_starter(deal: Cards, rank: int) -> tuple[float, float]:
    """How likely a jack held is of the suit of a starter of some rank, and a flush held is."""
    rest = unseen(deal)
    starters = rest[rest >> 2 == rank] & 3
    jacks = rest[rest >> 2 == JACK] & 3
    nobs = 0.0
    if rank != JACK and len(jacks):
        nobs = float(np.isin(starters, jacks).mean()) / len(jacks)
    left = _SUIT - np.bincount(deal & 3, minlength=4)
    suited = []
    for suit in starters:
        beside = left - (np.arange(4) == suit)
        fours = np.array([comb(int(cards), 4) for cards in beside])
        suited.append(fours[suit] / fours.sum())
    return nobs, float(np.mean(suited))
