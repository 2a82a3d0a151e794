"""What faces a player beside his discard: the hand the opponent has kept, and the crib.

The opponent's hand hangs together with what he has thrown. Of the 18,395 classes of ranks he may
hold, each by how many of his deals are of it, his policy says which ranks are kept and thrown; with
a starter of a rank the ranks kept make their points. Suits are taken on average: how often such a
keep is of one suit, and how often a jack in it is of the starter's. The pair he throws is counted
to the card, as everywhere.
"""

from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.forms import (
    CLASSES,
    RANK_PAIRS,
    Floats,
    Index,
    class_counts,
    class_ranks,
    discard_pairs,
    rank_pair_numbers,
)
from cribev.deal.crib import MAX_POINTS, crib_outcomes
from cribev.game.cards import JACK, Cards, unseen
from cribev.game.indices import KEEPS, PAIRS_BESIDE, UNSEEN_PAIRS, Points, rank_point_table
from cribev.game.roles import Role
from cribev.opponents.models import Opponent
from cribev.solved.keeps import keep_numbers
from cribev.solved.leanings import signs
from cribev.solved.play import KEPT

POINTS = MAX_POINTS + 1
PAIRS = len(RANK_PAIRS)
BOTH = 2 * MAX_POINTS + 1
"""Numbers of points that hand and crib together can have."""
_SUIT = 13  # cards of a suit


def opponents_hands(deal: Cards, kept: "Kept") -> Floats:
    """Tell what hand the opponent has, given what he has thrown and the rank of the starter.

    Parameters
    ----------
    deal
        The player's six cards, uint8 ``(6,)``.
    kept
        What the opponent ever keeps.

    Returns
    -------
    ``(13, 91, 30, 1 + signs)``: for each rank of the starter and pair of ranks thrown, how likely
    each number of points is; and that times each of `leanings.signs` of his keep, on average. For a
    pair that he never throws it is that of all he keeps.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> from cribev.opponents.models import as_opponent
    >>> deal = parse_cards("2H 5D 5H 8D JS QC")
    >>> hands = opponents_hands(deal, kept_by(as_opponent("expert"), "dealer"))
    >>> chances = hands[6, ..., 0]  # by the pair thrown, a seven cut
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
    found = np.zeros((13, PAIRS * POINTS, kept.many))
    for rank in np.flatnonzero(left).tolist():
        of_rank = weights * (left[rank] - counts[kept.classes, rank])
        points = np.minimum(kept.points[rank], MAX_POINTS)
        nobs, suited = _with_starter(deal, rank)
        for gained, chance in (
            (0, (1 - flush) * (1 - nobs * kept.jacks)),
            (1, (1 - flush) * nobs * kept.jacks),
            (4, flush * (1 - suited)),
            (5, flush * suited),
        ):
            cell = kept.thrown + np.minimum(points + gained, MAX_POINTS)
            found[rank, :, 0] += np.bincount(cell, of_rank * chance, PAIRS * POINTS)
        cell = (kept.thrown + points) * kept.many
        found[rank] += np.bincount(
            cell.take(kept.of) + kept.signs, of_rank.take(kept.of) * kept.values, found[rank].size
        ).reshape(-1, kept.many)
    by_pair = found.reshape(13, PAIRS, POINTS, kept.many)
    never = ~by_pair[..., :1].any(axis=2, keepdims=True)
    by_pair += never * by_pair.sum(axis=1, keepdims=True)
    total = by_pair[..., :1].sum(axis=2, keepdims=True)
    by_pair /= np.where(total > 0, total, 1)
    return by_pair


def shows(
    deal: Cards, role: Role, weights: NDArray[np.float64], own: Points, hands: list[Floats]
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
    hands
        For each discard the opponent's, ``(13, 91, 30, n)``, as from `opponents_hands`.

    Returns
    -------
    ``(2, 15, own, opponent's, n)``: without and with a jack cut, for each discard, chances and
    what goes with them by the points each shows: 59 for hand and crib of the dealer, 30 for pone's
    hand.
    """
    points, rest = crib_outcomes(deal).astype(np.intp), unseen(deal)
    ranks = (rest >> 2).astype(np.intp)
    of_pairs = ranks[UNSEEN_PAIRS[PAIRS_BESIDE]]
    pairs = rank_pair_numbers()[of_pairs[..., 0], of_pairs[..., 1]]
    weight = weights[PAIRS_BESIDE, np.arange(len(rest))[:, None]]
    weight = (weight / weight.sum()).ravel()
    sides = (BOTH, POINTS) if role == "dealer" else (POINTS, BOTH)
    shown = np.zeros((2, 15, *sides, hands[0].shape[-1]))
    for discard in range(15):
        # Starters of a rank that make the same of the hand are one case.
        cases, of_starter = np.unique(ranks * POINTS + own[discard], return_inverse=True)
        cell = (of_starter[:, None] * POINTS + points[discard]) * PAIRS + pairs
        often = np.bincount(cell.ravel(), weight, len(cases) * POINTS * PAIRS)
        starters, gains = np.divmod(cases, POINTS)
        met = hands[discard][starters].reshape(len(cases), PAIRS, -1)
        joint = (often.reshape(-1, POINTS, PAIRS) @ met).reshape(len(cases), POINTS, POINTS, -1)
        for case, starter, gain in zip(joint, starters, gains, strict=True):
            here = shown[int(starter == JACK), discard]
            if role == "dealer":
                here[gain : gain + POINTS] += case
            else:
                here[gain] += _together(case)
    return shown


def _together(joint: Floats) -> Floats:
    """Add up crib and hand, ``(30, 30, n)`` to ``(59, n)``: each row is moved one on."""
    moved = np.zeros((POINTS, 2 * POINTS, joint.shape[2]))
    moved[:, :POINTS] = joint
    flat = moved.reshape(-1, joint.shape[2])[: POINTS * BOTH]
    total: Floats = flat.reshape(POINTS, BOTH, -1).sum(axis=0)
    return total


class Kept(NamedTuple):
    """What an opponent ever keeps, each array ``(n,)``; and the signs of each keep, ``(m,)``."""

    classes: Index
    share: Floats
    flush: Floats
    """How much of that is of one suit."""
    thrown: Index
    """Where the pair thrown stands in a table by pair and points."""
    jacks: Index
    points: Index
    """Of the ranks kept with a starter of each rank, ``(13, n)``."""
    of: Index
    """Of which of these a sign is."""
    signs: Index
    """Which, from 1."""
    values: Floats
    many: int
    """One more than there are signs."""


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
    share, flush = opponent.keeps(role)
    # Keeps of the same ranks are one.
    cells = np.arange(CLASSES)[:, None] * KEPT + keep_numbers()
    cells, first, same = np.unique(cells[share > 0], return_index=True, return_inverse=True)
    often, suited = (
        np.bincount(same, table[share > 0]).astype(np.float64) for table in (share, flush)
    )
    classes, numbers = np.divmod(cells, KEPT)
    keeps = np.nonzero(share)[1][first]
    ranks = class_ranks()[classes[:, None], KEEPS[keeps]].astype(np.intp)
    places = 13 ** np.arange(4, 0, -1)
    of, which = np.nonzero(signs()[numbers])
    return Kept(
        classes,
        often,
        suited / often,
        discard_pairs()[classes, keeps] * POINTS,
        (ranks == JACK).sum(axis=1),
        rank_point_table()[ranks @ places + np.arange(13)[:, None]].astype(np.intp),
        of,
        which + 1,
        signs()[numbers][of, which],
        1 + signs().shape[1],
    )


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
