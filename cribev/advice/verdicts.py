"""The verdicts on a choice, and the loss from which each is given."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cribev.classes.ranking import TIE_TOLERANCE

VERDICTS = ("best", "close", "inaccuracy", "mistake", "blunder")  # from the best down

FORCED = "forced"  # in place of a verdict, where only one rank fits

COSTLY = VERDICTS[2:]  # those worth another look


class VerdictBands(NamedTuple):
    """The least loss of an inaccuracy, a mistake and a blunder: by default of a discard, in points.

    There is no standard in cribbage. These are modelled on the bands of backgammon and chess
    programs, spread over what cribbage discards cost. A smaller loss is close; a tie with the best
    is best.
    """

    inaccuracy: float = 0.3
    mistake: float = 0.6
    blunder: float = 1.2


DEFAULT_BANDS = VerdictBands()

CARD_BANDS = VerdictBands(0.1, 0.3, 0.8)
"""The bands of a card played: a choice in the play is about a smaller part of the points."""

WIN_BANDS = VerdictBands(0.025, 0.05, 0.1)
"""The bands of discards and cards near the end of a game, in chances to win."""


def verdicts(
    losses: ArrayLike,
    bands: VerdictBands,
    *,
    win_losses: ArrayLike = 0.0,
    by_wins: ArrayLike = False,
    swing: float = 1.0,
) -> NDArray[np.str_]:
    """Return the verdict of each choice, ``(N,)``, by what it loses.

    Losses are in points. Where ``by_wins``, what a choice loses in chances to win decides instead,
    by `WIN_BANDS`; or in what they are worth, if a win is worth so much more than a loss, `swing`.

    >>> verdicts([0.0, 0.2, 2.0], DEFAULT_BANDS).tolist()
    ['best', 'close', 'blunder']
    >>> verdicts(2.0, DEFAULT_BANDS, win_losses=0.03, by_wins=True).item()
    'inaccuracy'
    """
    win_bands = [least * swing for least in WIN_BANDS]
    levels = np.where(by_wins, _levels(win_losses, win_bands), _levels(losses, bands))
    return np.array(VERDICTS)[levels]


def _levels(losses: ArrayLike, bands: Sequence[float]) -> NDArray[np.intp]:
    """Return the place of each loss in `VERDICTS`."""
    lost = np.asarray(losses)
    level = np.searchsorted(np.array(bands) - TIE_TOLERANCE, lost, side="right")
    return np.where(lost <= TIE_TOLERANCE, 0, level + 1)


def with_article(verdict: str) -> str:
    """Put an article before a verdict that takes one."""
    if verdict not in COSTLY:
        return verdict
    return f"{'an' if verdict[0] in 'aeiou' else 'a'} {verdict}"
