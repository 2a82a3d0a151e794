"""The walk down the public tree by the average strategies, adding up what happens, compiled.

As `play_walk`, but nothing comes up again: at each end the chance that two keeps come there by the
choices of both is added to what they peg, or to how often they peg so much, by keep; and that once
more for each sign of the other's keep, times that sign.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cribev.solving.play_choice import LANES, ROWS, chosen, chosen_of_two
from cribev.solving.play_walk import DEPTH

_RARE = np.float32(1e-10)


class Sums(NamedTuple):
    """What is added up, pone's keep first; empty where it is not asked for."""

    pone: NDArray[np.float32]
    """Pone's points, by what each has laid but one, dealer's card, pone's card."""
    dealer: NDArray[np.float32]
    pone_alone: NDArray[np.float32]
    """Pone's points where one has no cards left before the other has one, by keeps."""
    dealer_alone: NDArray[np.float32]
    signs: NDArray[np.float32]
    """Signs of each keep; what follows is added up times each sign of the other's keep, which is
    the last axis. The first is 1."""
    pone_pegs: NDArray[np.float32]
    """How often each keep of pone's pegs so much and the dealer so much; the most counts as the
    last."""
    dealer_pegs: NDArray[np.float32]
    """How often each keep of dealer's pegs so much and pone so much."""
    pone_first: NDArray[np.float64]
    """How often each keep of pone's pegs so much before the dealer so much: the corners of that."""
    dealer_first: NDArray[np.float64]
    """How often each keep of dealer's pegs so much before pone so much: the corners of that."""
    way: NDArray[np.int64]
    """Points of pone and dealer on the way to where the walk stands, by depth, ``(depth, 2)``."""
    pone_weights: NDArray[np.float64]
    """Room for how likely each last card of pone's is, times signs of dealer's keep."""
    dealer_weights: NDArray[np.float64]


def no_sums() -> Sums:
    """Ask for nothing."""
    pairs, pegs = np.zeros((0, 0), np.float32), np.zeros((0, 0, 0, 0), np.float32)
    corners, weights = np.zeros((0, 0, 0, 0)), np.zeros((0, 0))
    return Sums(
        pairs, pairs, pairs, pairs, pairs, pegs, pegs, corners, corners,
        np.zeros((0, 2), np.int64), weights, weights,
    )  # fmt: skip


def peg_sums(signs: NDArray[np.float32], *, most: int) -> Sums:
    """Ask how often keeps peg so much and who is first, points up to one less than `most`."""
    keeps, number = signs.shape
    pegs = np.zeros((2, keeps, most, most, number), np.float32)
    corners = np.zeros((2, keeps, most, most, number))
    weights = np.zeros((2, LANES, number))
    return no_sums()._replace(
        signs=signs, pone_pegs=pegs[0], dealer_pegs=pegs[1],
        pone_first=corners[0], dealer_first=corners[1],
        way=np.zeros((DEPTH, 2), np.int64), pone_weights=weights[0], dealer_weights=weights[1],
    )  # fmt: skip


@njit(nogil=True)
def _tally(sums, of_pone, of_dealer, pone_keep, dealer_keep, pone, dealer):
    most = sums.pone_pegs.shape[1]
    pone, dealer = min(pone, most - 1), min(dealer, most - 1)
    for sign in range(sums.signs.shape[1]):
        sums.pone_pegs[pone_keep, pone, dealer, sign] += of_pone * sums.signs[dealer_keep, sign]
        sums.dealer_pegs[dealer_keep, dealer, pone, sign] += of_dealer * sums.signs[pone_keep, sign]


@njit(nogil=True)
def _makes(corners, keep, own, other, gained, chance, weights, row):
    """Note that a player makes the needs up to his new score, if the other's is yet to be made."""
    most, number = corners.shape[1], corners.shape[3]
    if gained and own + 1 < most and other + 1 < most:
        for sign in range(number):
            corners[keep, own + 1, other + 1, sign] += chance * weights[row, sign]
        if own + gained + 1 < most:
            for sign in range(number):
                corners[keep, own + gained + 1, other + 1, sign] -= chance * weights[row, sign]


@njit(nogil=True)
def _makes_on_the_way(corners, keep, way, depth, player, chance, weights, row):
    own, other = 0, 0
    for at in range(depth + 1):
        _makes(corners, keep, own, other, way[at, player] - own, chance, weights, row)
        own, other = way[at, player], way[at, 1 - player]


@njit(nogil=True)
def _makes_at_the_end(sums, pone_keep, dealer_keep, chances, pone_first, pegged, gained):
    """Note what both make in the end, where what one makes comes before all of the other's."""
    pone, dealer = pegged
    of_pone, of_dealer = gained
    before, after = (0, of_pone) if pone_first else (of_dealer, 0)
    _makes(
        sums.pone_first, pone_keep, pone, dealer + before, of_pone, chances[0],
        sums.signs, dealer_keep,
    )  # fmt: skip
    _makes(
        sums.dealer_first, dealer_keep, dealer, pone + after, of_dealer, chances[1],
        sums.signs, pone_keep,
    )  # fmt: skip


@njit(nogil=True, fastmath=True, error_model="numpy")
def _ends_one_each(
    tables, points, sums, pone_faces, dealer_faces, pones, at, dealers, row,
    turn, state, pone, dealer, depth, laid, laid_dealer,
):  # fmt: skip
    """Add up where each has one card left."""
    ranks = tables.next.shape[1]
    if sums.pone.size:
        block = laid * tables.joined.shape[1] + laid_dealer
        first, second = np.float32(pone), np.float32(dealer)
        for theirs in range(ROWS):
            for mine in range(LANES):
                cell = theirs * LANES + mine
                chance = pones[at, mine] * dealers[row, theirs]
                sums.pone[block, cell] += chance * (first + points.forced_own[turn, state, cell])
                sums.dealer[block, cell] += chance * (
                    second + points.forced_other[turn, state, cell]
                )
        return
    kept, fits = tables.low.shape[0] - 1, tables.fits[state]
    sums.pone_weights[:] = 0
    sums.dealer_weights[:] = 0
    for theirs in range(ranks):
        dealer_keep = np.int64(tables.plus[kept, theirs, laid_dealer])
        for mine in range(ranks):
            chance = pones[at, mine] * dealers[row, theirs]
            if chance > _RARE:
                pone_keep = np.int64(tables.plus[kept, mine, laid])
                cell = theirs * LANES + mine
                gained = (
                    np.int64(points.forced_own[turn, state, cell]),
                    np.int64(points.forced_other[turn, state, cell]),
                )
                of_pone = chance * pone_faces[pone_keep, dealer_keep]
                of_dealer = chance * dealer_faces[dealer_keep, pone_keep]
                _tally(
                    sums, of_pone, of_dealer, pone_keep, dealer_keep,
                    pone + gained[0], dealer + gained[1],
                )  # fmt: skip
                for sign in range(sums.signs.shape[1]):
                    sums.pone_weights[mine, sign] += of_pone * sums.signs[dealer_keep, sign]
                    sums.dealer_weights[theirs, sign] += of_dealer * sums.signs[pone_keep, sign]
                # Who is to move pegs first, unless his card does not fit.
                pone_first = mine < fits if turn >= 2 else theirs >= fits
                _makes_at_the_end(
                    sums, pone_keep, dealer_keep, (of_pone, of_dealer), pone_first,
                    (pone, dealer), gained,
                )  # fmt: skip
    for card in range(ranks):
        if sums.pone_weights[card, 0] > 0:
            _makes_on_the_way(
                sums.pone_first, np.int64(tables.plus[kept, card, laid]), sums.way, depth, 0,
                1.0, sums.pone_weights, card,
            )  # fmt: skip
        if sums.dealer_weights[card, 0] > 0:
            _makes_on_the_way(
                sums.dealer_first, np.int64(tables.plus[kept, card, laid_dealer]), sums.way,
                depth, 1, 1.0, sums.dealer_weights, card,
            )  # fmt: skip


@njit(nogil=True, fastmath=True, error_model="numpy")
def _ends_alone(
    tables, points, sums, pone_faces, dealer_faces, work, state, pones, dealers,
    pone, dealer, depth, own_at, other_at, laid, laid_dealer,
):  # fmt: skip
    """Add up where one has no cards left."""
    left = pones or dealers
    first = tables.alone_at[left]
    for holding in range(tables.width[left]):
        if pones:
            chance = work.own[own_at, holding] * work.other[other_at, 0]
            pone_keep = np.int64(tables.joined[left, laid, holding])
            dealer_keep = laid_dealer
        else:
            chance = work.own[own_at, 0] * work.other[other_at, holding]
            pone_keep = laid
            dealer_keep = np.int64(tables.joined[left, laid_dealer, holding])
        if chance <= _RARE:
            continue
        gained = np.int64(points.alone_own[state, first + holding])
        given = np.int64(points.alone_other[state, first + holding])
        mine, theirs = (gained, given) if pones else (given, gained)
        if sums.pone.size:
            sums.pone_alone[pone_keep, dealer_keep] += chance * np.float32(pone + mine)
            sums.dealer_alone[pone_keep, dealer_keep] += chance * np.float32(dealer + theirs)
            continue
        of_pone = chance * pone_faces[pone_keep, dealer_keep]
        of_dealer = chance * dealer_faces[dealer_keep, pone_keep]
        _tally(sums, of_pone, of_dealer, pone_keep, dealer_keep, pone + mine, dealer + theirs)
        _makes_on_the_way(
            sums.pone_first, pone_keep, sums.way, depth, 0, of_pone, sums.signs, dealer_keep
        )
        _makes_on_the_way(
            sums.dealer_first, dealer_keep, sums.way, depth, 1, of_dealer, sums.signs, pone_keep
        )
        # Who has none left may have a go first.
        _makes_at_the_end(
            sums, pone_keep, dealer_keep, (of_pone, of_dealer), pones == 0,
            (pone, dealer), (mine, theirs),
        )  # fmt: skip


@njit(nogil=True, fastmath=True, error_model="numpy")
def evaluate_policies(
    tables, points, choices, sums, pone_faces, dealer_faces, work,
    state, leads, said, pones, dealers, pone, dealer, depth, own_at, other_at, laid, laid_dealer,
):  # fmt: skip
    """Go down from a node and add up what happens.

    Parameters are those of `play_walk.walk` for pone; ``leads`` whether pone moves, ``pones`` and
    ``dealers`` the cards left, ``pone`` and ``dealer`` the points so far.
    """
    if sums.way.size:
        sums.way[depth, 0], sums.way[depth, 1] = pone, dealer
    if pones == 1 and dealers == 1:
        _ends_one_each(
            tables, points, sums, pone_faces, dealer_faces, work.own, own_at, work.other, other_at,
            2 * leads + said, state, pone, dealer, depth, laid, laid_dealer,
        )  # fmt: skip
        return
    if pones == 0 or dealers == 0:
        _ends_alone(
            tables, points, sums, pone_faces, dealer_faces, work, state, pones, dealers,
            pone, dealer, depth, own_at, other_at, laid, laid_dealer,
        )  # fmt: skip
        return
    ranks, fits, kept = tables.next.shape[1], tables.fits[state], tables.low.shape[0] - 1
    cards = pones if leads else dealers
    below, held = tables.width[cards - 1], tables.width[cards]
    start = work.at[0]
    if cards >= 2:
        work.at[0] += fits * below
        if cards == 2:
            chosen_of_two(choices.sum_rows, start // LANES, fits, work.chance, work.turned)
            for rank in range(fits):
                for left in range(LANES):
                    work.chances[depth, rank * LANES + left] = work.chance[rank, left]
        else:
            chosen(choices.sums, start, fits, tables.plus, cards, held, below,
                   work.chances, depth, work.totals, work.counts)  # fmt: skip
    else:
        for choice in range(fits * below):
            work.chances[depth, choice] = 1
    reach, at = (work.own, own_at) if leads else (work.other, other_at)
    for rank in range(fits):
        after = np.int64(tables.next[state, rank])
        stays = said and after != 0
        gained = np.int64(tables.points[state, rank])
        for left in range(below):
            reach[depth + 1, left] = (
                reach[at, tables.plus[cards, rank, left]] * work.chances[depth, rank * below + left]
            )
        if leads:
            evaluate_policies(
                tables, points, choices, sums, pone_faces, dealer_faces, work,
                after, stays, stays, pones - 1, dealers, pone + gained, dealer,
                depth + 1, depth + 1, other_at,
                np.int64(tables.plus[kept - pones + 1, rank, laid]), laid_dealer,
            )  # fmt: skip
        else:
            evaluate_policies(
                tables, points, choices, sums, pone_faces, dealer_faces, work,
                after, not stays, stays, pones, dealers - 1, pone, dealer + gained,
                depth + 1, own_at, depth + 1,
                laid, np.int64(tables.plus[kept - dealers + 1, rank, laid_dealer]),
            )  # fmt: skip
    if fits == ranks:
        return
    for holding in range(held):
        goes = tables.low[cards, holding] >= fits
        reach[depth + 1, holding] = reach[at, holding] if goes else 0
    last = 1 if said else 0
    evaluate_policies(
        tables, points, choices, sums, pone_faces, dealer_faces, work,
        np.int64(0) if said else state, not leads, not said, pones, dealers,
        pone + (last if leads else 0), dealer + (0 if leads else last),
        depth + 1, depth + 1 if leads else own_at, other_at if leads else depth + 1,
        laid, laid_dealer,
    )  # fmt: skip
