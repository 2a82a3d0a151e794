"""What every discard of many decisions is worth, exactly or by rank class."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from cribev.batch.evaluators import class_values, play_means
from cribev.choice import net_points
from cribev.classes.canonical import Floats
from cribev.deal.many import exact_means
from cribev.game.score_notation import UNKNOWN
from cribev.opponents.models import Opponent
from cribev.reviews.records import Record


class Worth(NamedTuple):
    """What the 15 discards of each of N decisions are worth, in points."""

    hand_mean: Floats
    """Average hand, ``(N, 15)``, in the order of ``indices.KEEPS``."""
    crib_mean: Floats
    """Average crib, ``(N, 15)``."""
    crib_cut: Floats
    """Average crib of the discard thrown once the starter is known, ``(N,)``, else NaN."""
    play_mean: Floats | None
    """The player's points in the play less the opponent's, ``(N, 15)``, if they count."""
    win: Floats | None = None
    """Chances to win the game, ``(N, 15)``, NaN where the score is not known; if they are asked."""

    def expected(self, dealer: NDArray[np.bool_]) -> Floats:
        """Put hand, crib and play together, given whether the crib is the player's, ``(N,)``."""
        return net_points(self.hand_mean, self.crib_mean, dealer, self.play_mean)

    def means(self) -> dict[str, Floats]:
        """Return the averages that count, by name."""
        named = {name: part for name, part in self._asdict().items() if name.endswith("_mean")}
        return {name: part for name, part in named.items() if part is not None}

    def of(self, rows: NDArray[np.intp]) -> "Worth":
        """Return that of some of the decisions."""
        play, win = (None if part is None else part[rows] for part in (self.play_mean, self.win))
        return Worth(self.hand_mean[rows], self.crib_mean[rows], self.crib_cut[rows], play, win)


def joined(worths: Sequence[Worth]) -> Worth:
    """Put decisions together; what is not known of some is left out."""
    hand, crib, cut, play, win = (
        None if any(part is None for part in parts) else np.concatenate(parts)
        for parts in zip(*worths, strict=True)
    )
    assert hand is not None
    assert crib is not None
    assert cut is not None
    return Worth(hand, crib, cut, play, win)


def exact_worth(record: Record, opponent: Opponent, *, workers: int = 1) -> Worth:
    """Value every discard of a record against every crib that can follow.

    Parameters
    ----------
    record
        The decisions.
    opponent
        Who throws the other two cards.
    workers
        How many processes share the work. With more than one, a script that calls this keeps its
        own doings under ``if __name__ == "__main__"``, as `multiprocessing` has it.

    Examples
    --------
    >>> import pandas as pd
    >>> from io import StringIO
    >>> from cribev.opponents.models import as_opponent
    >>> from cribev.reviews.records import RECORD_TEMPLATE, as_record
    >>> record = as_record(pd.read_csv(StringIO(RECORD_TEMPLATE)))
    >>> worth = exact_worth(record, as_opponent("uniform", play=False))
    >>> worth.hand_mean.shape, float(worth.hand_mean.max().round(2))
    ((1, 15), 12.7)
    """
    scored = opponent.counts_play and (record.scores != UNKNOWN).any()
    with tqdm(total=len(record.deals), desc="reviewing", unit=" discards", disable=None) as bar:
        means = exact_means(
            record.deals,
            record.dealer,
            opponent,
            keeps=record.keeps,
            starters=record.starters,
            scores=record.scores if scored else None,
            workers=workers,
            report=bar.update,
        )
    pegged = play_means(record.deals, record.dealer, opponent)
    return Worth(means.hand, means.crib, means.crib_cut, pegged, means.win)


def class_worth(record: Record, opponent: Opponent) -> Worth:
    """Value every discard of a record by the class tables, all decisions at once.

    Average hands are exact; average cribs are those of the cards' ranks and suit pattern, within
    some hundredths of a point. They do not know the starter: ``crib_cut`` is ``crib_mean``.

    Parameters
    ----------
    record
        The decisions.
    opponent
        Who throws the other two cards.

    Raises
    ------
    CribevError
        If there are no such tables for the opponent.
    TableError
        If he has nothing to throw beside a deal.

    Examples
    --------
    >>> import pandas as pd
    >>> from io import StringIO
    >>> from cribev.opponents.models import as_opponent
    >>> from cribev.reviews.records import RECORD_TEMPLATE, as_record
    >>> record = as_record(pd.read_csv(StringIO(RECORD_TEMPLATE)))
    >>> worth = class_worth(record, as_opponent("uniform", play=False))
    >>> float(worth.hand_mean.max().round(2))
    12.7
    """
    values = class_values(record.deals, record.dealer, opponent)
    crib = values.crib_mean
    thrown = crib[np.arange(len(crib)), record.keeps]
    cut = np.where(record.starters == UNKNOWN, np.nan, thrown)
    return Worth(values.hand_mean, crib, cut, values.play_mean)
