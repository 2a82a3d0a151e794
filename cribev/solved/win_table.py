"""The race to 121: how likely the dealer wins, from every score before the deal.

Points count in the order they fall, so a deal decides for every two needs, the dealer's and pone's,
who makes his first, or that neither does; then the next deal goes on with the roles exchanged.
Scores only rise, so one pass from the highest down solves the race for deals drawn again and again
from those that were dealt. A player who needs less can only win more of the same deals, so the
table is monotone in both scores as it comes.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.game.score_notation import WINNING_SCORE

_CHANCE = 65535  # chances are kept in so many parts, and errors in parts of a million
_MILLION = 1e6


class WinTable(NamedTuple):
    """The race between two experts."""

    win: Floats
    """How likely the dealer wins, by his score and pone's before the deal, ``(121, 121)``."""
    error: Floats
    """Its standard error, ``(121, 121)``."""
    deals: int
    """How many deals it is from."""


class OutcomeCounts(NamedTuple):
    """What some blocks of deals decide; needs and points above 121 count as 121."""

    dealer_first: NDArray[np.int64]
    """Deals in which the dealer makes his need before pone makes his, ``(blocks, 122, 122)``, by
    dealer's and pone's need."""
    totals: NDArray[np.int64]
    """Deals that bring so many points in all, ``(blocks, 122, 122)``, by dealer's and pone's."""


def solve_win_table(tally: OutcomeCounts) -> WinTable:
    """Solve the race, and each block alone to see how far they are apart.

    Raises
    ------
    ValueError
        If there is a deal in which nobody scores, so that it need never end.

    Examples
    --------
    One deal over and over, in which pone makes 60 points, then the dealer 61:

    >>> tally = OutcomeCounts(*np.zeros((2, 1, 122, 122), dtype=np.int64))
    >>> tally.totals[0, 61, 60] = 1
    >>> tally.dealer_first[0, :62, 61:] = 1
    >>> race = solve_win_table(tally)
    >>> race.win[60, 60], race.win[60, 61], race.win[0, 0]
    (np.float64(1.0), np.float64(0.0), np.float64(1.0))
    """
    if tally.totals[:, 0, 0].any():
        raise ValueError("a deal in which nobody scores")
    deals = tally.totals.sum(axis=(1, 2))
    whole = _solved(*(table.sum(axis=0, keepdims=True) / deals.sum() for table in tally))[0]
    if len(deals) == 1:
        return WinTable(whole, np.full(whole.shape, np.nan), int(deals.sum()))
    blocks = _solved(*(table / deals[:, None, None] for table in tally))
    square = (deals[:, None, None] / deals.sum() * (blocks - whole) ** 2).sum(axis=0)
    return WinTable(whole, np.sqrt(square / (len(deals) - 1)), int(deals.sum()))


def _solved(first: Floats, totals: Floats) -> Floats:
    """How likely the dealer wins, several races at once, ``(races, 121, 121)``."""
    most = 1 + np.argwhere(totals.any(axis=0)).max(axis=0)
    goes_on = totals[:, : most[0], : most[1]]
    win = np.zeros((len(first), WINNING_SCORE, WINNING_SCORE))
    stays = np.zeros_like(win)  # how likely one of this score wins as pone, the other's beside it
    for both in range(2 * WINNING_SCORE - 2, -1, -1):
        for dealer in range(max(0, both - WINNING_SCORE + 1), min(WINNING_SCORE - 1, both) + 1):
            pone = both - dealer
            own, other = min(WINNING_SCORE - dealer, most[0]), min(WINNING_SCORE - pone, most[1])
            later = np.einsum(
                "rij,rij->r",
                goes_on[:, :own, :other],
                stays[:, dealer : dealer + own, pone : pone + other],
            )
            win[:, dealer, pone] = first[:, WINNING_SCORE - dealer, WINNING_SCORE - pone] + later
            stays[:, pone, dealer] = 1 - win[:, dealer, pone]
    return win


def only_player_reaches(chances: Floats) -> Floats:
    """Tell how often the player makes his need and the opponent does not.

    Parameters
    ----------
    chances
        How often the one makes so much and the other so much, ``(..., n, n)``.

    Returns
    -------
    The same shape, by the player's need and the opponent's.

    Examples
    --------
    >>> only_player_reaches(np.array([[0.1, 0.2], [0.3, 0.4]]))[1].tolist()
    [0.0, 0.3]
    """
    made = chances[..., ::-1, :].cumsum(axis=-2)[..., ::-1, :].cumsum(axis=-1)
    only = np.zeros_like(made)
    only[..., 1:] = made[..., :-1]
    return only


def win_table_to_arrays(race: WinTable) -> dict[str, NDArray[Any]]:
    """Make arrays to be stored."""
    return {
        "race_win": np.rint(race.win * _CHANCE).astype("<u2"),
        "race_error": np.minimum(np.ceil(race.error * _MILLION), 2**16 - 1).astype("<u2"),
        "race_deals": np.array(race.deals),
    }


def win_table_from_arrays(stored: Mapping[str, NDArray[Any]]) -> WinTable | None:
    """Read what `win_table_to_arrays` made, or nothing where nothing of the race was stored.

    Raises
    ------
    ValueError
        If a table has another shape.

    Examples
    --------
    >>> race = WinTable(np.full((121, 121), 0.5), np.full((121, 121), 0.001), 10**7)
    >>> read = win_table_from_arrays(win_table_to_arrays(race))
    >>> bool(abs(read.win - race.win).max() < 1e-5), float(read.error[0, 0]), read.deals
    (True, 0.001, 10000000)
    """
    if "race_deals" not in stored:
        return None
    win, error = stored["race_win"] / _CHANCE, stored["race_error"] / _MILLION
    if {win.shape, error.shape} != {(WINNING_SCORE, WINNING_SCORE)}:
        raise ValueError(f"a race of shape {win.shape}")
    return WinTable(win, error, int(stored["race_deals"]))
