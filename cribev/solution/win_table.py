"""How likely the dealer wins a game to 121, from every score before the deal."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.game.score import WINNING_SCORE

PROBABILITY_PARTS = 65535
"""A probability is stored in so many parts."""

_MILLION = 1e6  # an error is stored in so many parts
_NOWHERE: NDArray[np.bool_] = np.zeros((WINNING_SCORE, WINNING_SCORE), dtype=np.bool_)
_NOWHERE.flags.writeable = False


class WinTable(NamedTuple):
    """Chances to win between two experts.

    They discard and play for points, but for the last points of a game, where both do to win.
    """

    win: Floats
    """How likely the dealer wins, by dealer's and pone's score before the deal, ``(121, 121)``."""
    standard_error: Floats
    """``(121, 121)``; of what is solved to win, what is left to gain counts as an error too, and
    what interpolation misses."""
    deals: int
    """How many deals it is from."""
    to_win: NDArray[np.bool_] = _NOWHERE
    """Where discards and play to win count, solved there or for scores beside, ``(121, 121)``."""


def win_table_to_arrays(table: WinTable) -> dict[str, NDArray[Any]]:
    """Make arrays to be stored."""
    errors = np.minimum(np.ceil(table.standard_error * _MILLION), 2**16 - 1)
    return {
        "win_table_win": np.rint(table.win * PROBABILITY_PARTS).astype("<u2"),
        "win_table_standard_error": errors.astype("<u2"),
        "win_table_deals": np.array(table.deals),
        "win_table_to_win": np.packbits(table.to_win),
    }


def win_table_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> WinTable:
    """Read what `win_table_to_arrays` made; raise KeyError or ValueError if it is not there.

    >>> table = WinTable(np.full((121, 121), 0.5), np.full((121, 121), 0.001), 10**7)
    >>> read = win_table_from_arrays(win_table_to_arrays(table))
    >>> bool(abs(read.win - 0.5).max() < 1e-5), float(read.standard_error[0, 0]), read.deals
    (True, 0.001, 10000000)
    """
    win = arrays["win_table_win"] / PROBABILITY_PARTS
    error = arrays["win_table_standard_error"] / _MILLION
    if {win.shape, error.shape} != {(WINNING_SCORE, WINNING_SCORE)}:
        raise ValueError(f"a win table of shape {win.shape}")
    to_win: NDArray[np.bool_] = _NOWHERE
    if "win_table_to_win" in arrays:
        bits = np.unpackbits(arrays["win_table_to_win"], count=win.size)
        to_win = bits.reshape(win.shape).astype(np.bool_)
    return WinTable(win, error, int(arrays["win_table_deals"]), to_win)
