"""The race to 121, solved from what deals decide: how likely you win from each score.

Points count in the order in which they are made. So a deal decides for every two needs, yours and
your opponent's, who makes theirs first, or that neither does. Then the next deal goes on with the
roles exchanged. Scores only rise, so one pass from the highest down solves the race. Whether the
loser is skunked is a race to two lines: the winner's is at 121, the loser's at 91 or 61.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.game.outcomes import Outcomes
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.game.score import SKUNK_LINES, WINNING_SCORE
from cribev.solution.win_table import WinTable


class OutcomeCounts(NamedTuple):
    """What blocks of deals decide; needs and points above 121 count as 121."""

    first: NDArray[np.int64]
    """Deals in which you make a need before your opponent makes another, ``(blocks, 122, 122)``.
    Between experts, you are the dealer."""
    totals: NDArray[np.int64]
    """Deals that bring you and your opponent so many points in all, ``(blocks, 122, 122)``."""


def count_outcomes(events: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count who makes which need first in ``events``, ``(n, m)``: a block of `OutcomeCounts`.

    Your points are positive, your opponent's negative.
    """
    side = WINNING_SCORE + 2
    own, other = np.zeros((2, len(events)), dtype=np.int64)
    corners = np.zeros(side * side, dtype=np.int64)
    for gained in events.T.astype(np.int64):
        # Needs up to the new score are made, where the opponent's is yet to be made.
        before = (own + 1) * side + other + 1
        own = np.minimum(own + np.maximum(gained, 0), WINNING_SCORE)
        corners += np.bincount(before, minlength=side * side)
        corners -= np.bincount((own + 1) * side + other + 1, minlength=side * side)
        other = np.minimum(other - np.minimum(gained, 0), WINNING_SCORE)
    first = corners.reshape(side, side).cumsum(axis=0).cumsum(axis=1)[:-1, :-1]
    totals = np.bincount(own * (side - 1) + other, minlength=(side - 1) ** 2)
    return first, totals.reshape(side - 1, side - 1)


def solve_against(counts: Mapping[Role, OutcomeCounts]) -> WinTable:
    """Solve the race of you against another, from your deals in each role.

    Standard errors are those of the blocks.
    """
    deals = sum(int(counts[role].totals.sum()) for role in ROLES)
    whole = outcomes_by_role(
        {role: shares_of(counts[role], all_blocks=True) for role in ROLES}, skunks=True
    )
    blocks = outcomes_by_role(
        {role: shares_of(counts[role], all_blocks=False) for role in ROLES}, skunks=False
    )
    number = blocks["dealer"].shape[1]
    errors = [blocks[role][0].std(axis=0, ddof=1) / np.sqrt(number) for role in ROLES]
    ends = {role: Outcomes.of_nested(*(chances[0] for chances in whole[role])) for role in ROLES}
    return WinTable(ends["dealer"], np.maximum(*errors), deals, pone_outcomes=ends["pone"])


def shares_of(counts: OutcomeCounts, *, all_blocks: bool) -> tuple[Floats, Floats]:
    """Return which parts of the deals decide what, ``(1 or blocks, 122, 122)`` each."""
    tables = [table.sum(axis=0, keepdims=True) if all_blocks else table for table in counts]
    deals = tables[1].sum(axis=(1, 2), keepdims=True)
    first, totals = (counted / deals for counted in tables)
    return first, totals


def outcomes_by_role(
    shares: Mapping[Role, tuple[Floats, Floats]], *, skunks: bool
) -> dict[Role, Floats]:
    """Return how likely you win, skunk, skunk twice, are skunked, and are so twice.

    ``(5, races, 121, 121)`` by your role and both scores; without skunks, the first alone.
    """
    races, number = len(shares["dealer"][0]), 5 if skunks else 1
    outcomes = {role: np.zeros((number, races, WINNING_SCORE, WINNING_SCORE)) for role in ROLES}
    within = {role: without_margins(totals) for role, (_, totals) in shares.items()}
    neither = {role: totals.cumsum(axis=1).cumsum(axis=2) for role, (_, totals) in shares.items()}
    for score in scores_downward():
        own, other = (WINNING_SCORE - points for points in score)
        for role in ROLES:
            first = shares[role][0]
            here = outcomes[role][:, :, *score]
            for chances, later in zip(here, outcomes[opposite_role(role)], strict=True):
                chances += expect(within[role], later, score)
            here[0] += first[:, own, other]
            for line_number, line in enumerate(SKUNK_LINES if skunks else ()):
                if (behind := line - score[1]) > 0:
                    here[1 + line_number] += first[:, own, behind]
                if (behind := line - score[0]) > 0:
                    neither_yet = neither[role][:, behind - 1, other - 1]
                    here[3 + line_number] += 1 - first[:, behind, other] - neither_yet
    return outcomes


def turned(first: Floats, totals: Floats) -> tuple[Floats, Floats]:
    """Return what the same deals decide as the opponent sees them."""
    neither = totals.cumsum(axis=1).cumsum(axis=2)
    theirs = np.zeros_like(first)
    theirs[:, 1:, 1:] = np.moveaxis(1 - first[:, 1:, 1:] - neither[:, :-1, :-1], 1, 2)
    return theirs, np.moveaxis(totals, 1, 2)


def scores_downward() -> Iterator[tuple[int, int]]:
    """List both scores, those of higher totals first."""
    for both in range(2 * WINNING_SCORE - 2, -1, -1):
        for own in range(max(0, both - WINNING_SCORE + 1), min(WINNING_SCORE - 1, both) + 1):
            yield own, both - own


def without_margins(totals: Floats) -> Floats:
    """Cut off what no deal brings."""
    most = 1 + np.argwhere(totals.any(axis=0)).max(axis=0)
    return totals[:, : most[0], : most[1]]


def expect(totals: Floats, values: Floats, score: tuple[int, int]) -> Floats:
    """Average ``values``, ``(races, 121, 121)``, over how a deal goes from a score on."""
    own, other = (
        min(WINNING_SCORE - points, n) for points, n in zip(score, totals.shape[1:], strict=True)
    )
    later: Floats = np.einsum(
        "rij,rij->r",
        totals[:, :own, :other],
        values[:, score[0] : score[0] + own, score[1] : score[1] + other],
    )
    return later
