"""Deals known by their ranks alone, averaged over the suits they can have."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.choice import best_by_points, best_first, competition_ranks
from cribev.classes.canonical import Index, class_numbers, discard_rank_pairs
from cribev.classes.class_tables import ClassTables, KeepValues
from cribev.classes.suit_averages import suit_averaged_values
from cribev.files.lines import format_suitless
from cribev.game.cards import Cards
from cribev.game.index_tables import DISCARDS, KEEPS
from cribev.game.roles import Role, role_of

Valuations: TypeAlias = dict[Role, ClassTables]


def suitless_values(ranks: Cards, dealer: NDArray[np.bool_], valuations: Valuations) -> KeepValues:
    """Value all 15 discards of each deal, averaged over its suits, ``(N, 15)`` each.

    Parameters
    ----------
    ranks
        Ranks 0..12, uint8 ``(N, 6)``, each deal ascending.
    dealer
        Whether the crib is the player's, ``(N,)``.
    valuations
        The class tables for each role that occurs.
    """
    classes = class_numbers(list(ranks.T))
    values = KeepValues(*np.empty((4, len(ranks), len(KEEPS))))
    for own in np.unique(dealer):
        rows = np.flatnonzero(dealer == own)
        found = suit_averaged_values(valuations[role_of(own)], classes[rows])
        for whole, part in zip(values, found, strict=True):
            if whole is not None and part is not None:
                whole[rows] = part
    counts = any(valuation.play_of_class is not None for valuation in valuations.values())
    return values if counts else values._replace(play_mean=None)


def distinct_discards(ranks: Cards) -> NDArray[np.bool_]:
    """Mark the first of the keeps that throw the same ranks, ``(N, 15)``.

    Examples
    --------
    >>> int(distinct_discards(np.array([[1, 4, 4, 7, 10, 11]], dtype=np.uint8)).sum())
    11
    """
    pairs = discard_rank_pairs()[class_numbers(list(ranks.T))]
    first: NDArray[np.bool_] = (pairs[:, :, None] == pairs[:, None, :]).argmax(axis=2) == np.arange(
        len(KEEPS)
    )
    return first


def suitless_columns(
    ranks: Cards, values: KeepValues, *, every_discard: bool
) -> dict[str, NDArray[Any]]:
    """Write out the best discard of each deal, or every one that differs in ranks.

    Parameters
    ----------
    ranks
        Ranks 0..12, uint8 ``(N, 6)``, each deal ascending.
    values
        As from `suitless_values`.
    every_discard
        A row for each discard rather than for each deal, the best first.
    """
    apart = distinct_discards(ranks)
    compared = np.where(apart, values.expected, -np.inf)
    if every_discard:
        ranked = competition_ranks(compared)
        order = best_first(ranked)
        listed = np.take_along_axis(apart, order, axis=1)
        row = np.repeat(np.arange(len(ranks)), listed.sum(axis=1))
        keep: Index = order[listed]
        columns: dict[str, NDArray[Any]] = {"rank": ranked[row, keep]}
        names = ("discard", "keep")
    else:
        keep, margin = best_by_points(compared)
        row = np.arange(len(ranks))
        columns = {"margin": margin}
        names = ("best_discard", "best_keep")
    for name, positions in zip(names, (DISCARDS, KEEPS), strict=True):
        columns[name] = format_suitless(ranks[row[:, None], positions[keep]])
    for name, value in values._asdict().items():
        if value is not None:
            columns[name] = value[row, keep]
    return columns
