"""How likely each discard wins the game, from the score before the deal.

Points count in the order they fall: heels, the play, pone's hand, the dealer's hand, the crib. Who
is not out by then goes on from the table of the race, the roles exchanged. What the player shows is
known by starter; what both peg, by the player's keep; the opponent's hand and the crib, by
what the opponent throws. How these hang together is kept: hand and crib by the pair thrown, and
what is pegged with both by what the opponent keeps (`cribev.solved.leanings`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats, Index, classify_deals
from cribev.deal.facing import kept_by, opponents_hands, shows
from cribev.deal.outcomes import DealOutcomes
from cribev.errors import TableError
from cribev.game.roles import Role
from cribev.game.score_notation import WINNING_SCORE
from cribev.opponents.models import Opponent
from cribev.solved.keeps import rank_keep_numbers
from cribev.solved.leanings import Leanings
from cribev.solved.play import POINT_BINS
from cribev.solved.win_table import WinTable

_HEELS = 2
_DIGITS = 12  # beyond them stands what rounding leaves: what cannot be is to have no chance


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
    >>> from cribev.deal.outcomes import deal_outcomes
    >>> from cribev.opponents.models import as_opponent
    >>> expert = as_opponent("expert")
    >>> outcomes = deal_outcomes(parse_cards("2H 5D 5H 8D JS QC"), "pone", expert)
    >>> float(win_chances(outcomes, "pone", (115, 110), expert).win.max().round(2))
    1.0
    """
    deal, own = outcomes.deal, outcomes.hands
    weights = opponent.weights(deal, role)
    numbers = rank_keep_numbers()[classify_deals(deal[None])[0][0]]
    solution = opponent.solved_game()
    if solution.play is None or solution.win_table is None:
        raise TableError("the solution is for the show alone: nobody wins by it")
    keeps = solution.play.statistics[role]
    met = opponents_hands(deal, kept_by(opponent, role))
    play = _play_of(keeps.joint_pmf[numbers], keeps.first_passage[numbers], keeps.leanings)
    shown = shows(deal, role, weights, own, met, _lean_of(keeps.leanings, numbers))
    total = np.zeros((3, 15))
    for heels, of_heels in enumerate(shown):
        to_dealer = _HEELS * heels
        own_need, other_need = (WINNING_SCORE - points for points in score)
        if role == "dealer":
            own_need -= to_dealer
        else:
            other_need -= to_dealer
        weight = of_heels.sum(axis=(1, 2))
        if min(own_need, other_need) <= 0:
            total[[0, 1] if own_need <= 0 else [2]] += weight[:, 0]
            continue
        out = (weight * play.first_to(own_need, other_need)).sum(axis=1)
        on = play.pegged[:, :, :own_need, :other_need]
        points = _added(of_heels.transpose(0, 3, 1, 2), on)
        ends = _ends(solution.win_table, role, own_need, other_need, points.shape[1:])
        total += np.einsum("eij,dij->ed", ends, points)
        total[:2] += out
        total[2] += weight[:, 0] - out - (weight * on.sum(axis=(2, 3))).sum(axis=1)
    win, out, beaten = np.clip(total.round(_DIGITS) + 0.0, 0, 1)  # and no nought below nought
    # What the play leans on is a plane, which may cut below nought where something hardly happens.
    beaten = np.minimum(beaten, 1 - out)
    return Chances(np.clip(win, out, 1 - beaten), out, beaten)


class _Play(NamedTuple):
    """What is pegged with 15 keeps: on average, and what it leans by, each ``(15, 1 + r, …)``."""

    pegged: Floats
    """By own points and the opponent's."""
    first: Floats
    """How likely the player is first to a need, ``(15, 1 + r, 32, 32)``."""

    def first_to(self, own: int, other: int) -> Floats:
        """How likely the player pegs a need before the opponent another, ``(15, 1 + r)``."""
        return self.first[:, :, min(own, POINT_BINS - 1), min(other, POINT_BINS - 1)]


def _play_of(chances: Floats, first_to: Floats, leanings: Leanings) -> _Play:
    """Put together what is pegged on average and what it leans by."""
    every = _beside(chances, leanings.chances)
    return _Play(every, _beside(first_to, leanings.first_to))


def _beside(average: Floats, by: Floats) -> Floats:
    more = np.broadcast_to(by, (len(average), *by.shape))
    return np.concatenate([average[:, None], more], axis=1)


def _lean_of(leanings: Leanings, numbers: Index) -> NDArray[np.float64]:
    """Tell what the play of 15 keeps leans on.

    Returns
    -------
    ``(15, 1 + r, 1 + signs)``: the average and what it leans by, as `_Play` has it, by one and the
    signs of what the opponent keeps.
    """
    by_sign = leanings.coefficients[numbers].transpose(0, 2, 1)
    lean = np.zeros((15, 1 + by_sign.shape[1], 1 + by_sign.shape[2]))
    lean[:, 0, 0] = 1
    lean[:, 1:, 1:] = by_sign
    lean[:, 1:, 0] = -np.einsum("nrs,ns->nr", by_sign, leanings.means[numbers])
    return lean


def _added(shown: Floats, pegged: Floats) -> Floats:
    """Add what is shown to what was pegged, each ``(15, n, own, other)``, for all n together.

    Examples
    --------
    >>> shown, pegged = np.zeros((1, 1, 3, 3)), np.zeros((1, 1, 2, 2))
    >>> shown[0, 0, 2, 1] = pegged[0, 0, 1, 0] = 0.5
    >>> float(_added(shown, pegged)[0, 3, 1].round(9))
    0.25
    """
    sides = [one + other - 1 for one, other in zip(shown.shape[2:], pegged.shape[2:], strict=True)]
    sides = [-(-side // 8) * 8 for side in sides]  # a prime would take three times as long
    both = np.fft.rfft2(shown, sides) * np.fft.rfft2(pegged, sides)
    together: Floats = np.fft.irfft2(both.sum(axis=1), sides)
    return together


def _ends(
    race: WinTable, role: Role, own_need: int, other_need: int, points: tuple[int, ...]
) -> Floats:
    """How a deal ends by the points that each makes of it, ``(3, own, other)``.

    Returns
    -------
    How likely the player wins, whether the player gets out, and whether the opponent does.
    """
    own, other = np.ogrid[: points[0], : points[1]]
    left, other_left = np.broadcast_arrays(own_need - own, other_need - other)
    # Pone's hand counts first; then all that the dealer has.
    out = left <= 0 if role == "pone" else (left <= 0) & (other_left > 0)
    beaten = other_left <= 0 if role == "dealer" else (other_left <= 0) & (left > 0)
    scores = (np.clip(WINNING_SCORE - need, 0, WINNING_SCORE - 1) for need in (left, other_left))
    now, other_now = scores
    later = race.win[now, other_now] if role == "pone" else 1 - race.win[other_now, now]
    win = np.where(out, 1.0, np.where(beaten, 0.0, later))
    return np.stack([win, out, beaten]).astype(np.float64)
