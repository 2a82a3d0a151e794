"""The discards of many deals: the best of each with its values, or all 15."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.batch.evaluators import BLOCK, Partition, Report, deal_text
from cribev.batch.schema import SPREAD, WIN_METHOD, added_names
from cribev.classes.canonical import Floats, Index
from cribev.classes.spread import spread_of_keeps
from cribev.errors import CardError
from cribev.game.cards import SUITLESS_OFFSET, Cards
from cribev.game.index_tables import DISCARDS, KEEPS, Points
from cribev.game.score_notation import UNKNOWN
from cribev.rows.deal_columns import RowErrors
from cribev.rows.lines import format_hands, format_suitless

NamedColumns: TypeAlias = dict[str, NDArray[Any]]

_DISCARD_AND_KEEP = np.concatenate([DISCARDS, KEEPS], axis=1)


class Evaluation(NamedTuple):
    """The best discard of each of N deals, and what it brings, in points."""

    best_discard: Cards
    """Two cards, ascending, uint8 ``(N, 2)``."""
    best_keep: Cards
    """Four cards, ascending, uint8 ``(N, 4)``."""
    hand_mean: Floats
    """Average hand, float64 ``(N,)``."""
    crib_mean: Floats
    """Average crib, float64 ``(N,)``."""
    play_mean: Floats | None
    """Average points in the play less the opponent's, float64 ``(N,)``; None without the play."""
    expected: Floats
    """Hand plus crib as dealer, hand minus crib as pone, plus the play, float64 ``(N,)``."""
    margin: Floats
    """How much more that is than the second best, 0 where they tie, float64 ``(N,)``; below 0 where
    the score asks for another discard than points do."""
    hand_min: Points | None = None
    """The least the hand can be, uint8 ``(N,)``; None without `spread`, as the next three."""
    hand_max: Points | None = None
    """The most the hand can be, uint8 ``(N,)``."""
    crib_min: Points | None = None
    """The least the crib can be, uint8 ``(N,)``."""
    crib_max: Points | None = None
    """The most the crib can be, uint8 ``(N,)``."""
    win: Floats | None = None
    """Chance to win the game, 0 to 1, float64 ``(N,)``, NaN where the score is not known; None
    without scores."""
    win_method: NDArray[np.bytes_] | None = None
    """How that was worked out: ``exact``, or ``approximate`` where both players still need 32
    points or more against an expert, or nothing where the score is not known, ``(N,)``; None
    without scores."""


def best_discards(parted: Partition, *, spread: bool = False, report: Report = None) -> Evaluation:
    """Find the best discard of each deal, with `spread` the least and most that can follow too."""
    best = parted.best(report)
    keep, margin = best.best
    columns = parted.deals.columns
    cards = np.empty((len(keep), 6), np.uint8)  # the discard, then the keep
    for start in range(0, len(keep), BLOCK):
        part = slice(start, start + BLOCK)
        six, size = columns[:, part].ravel(), len(keep[part])  # card c of deal n is at c * size + n
        at = np.arange(size)
        for place, position in enumerate(_DISCARD_AND_KEEP.T * size):
            cards[part, place] = six.take(position.take(keep[part]) + at)
    ends = spread_of_keeps(columns.T, keep) if spread else ()
    return Evaluation(
        cards[:, :2], cards[:, 2:], best.hand, best.crib, best.play, best.expected, margin, *ends
    )._replace(win=best.win, win_method=parted.win_methods)


def evaluate_columns(
    parted: Partition,
    *,
    spread: bool = False,
    every_discard: bool = False,
    report: Report = None,
) -> tuple[NamedColumns, Index]:
    """Evaluate deals into the columns of a table, and tell which deal each row is of.

    Columns go by the names of `added_names`: cards as ASCII text, averages as float64, points and
    rank as int64. There is a row for each deal, or for each discard the best first; of deals
    without suits, one for each two ranks.

    >>> from cribev import parse_cards
    >>> from cribev.batch.evaluators import DealBatch, partition
    >>> from cribev.opponents.models import as_opponent
    >>> cards = parse_cards("5H 5D JS QC 2H 8D").reshape(1, 6)
    >>> parted = partition(DealBatch.of(cards, np.array([True])), as_opponent("expert"))
    >>> evaluate_columns(parted)[0]["best_keep"]
    array([b'5D 5H JS QC'], dtype='|S11')
    """
    deals = parted.deals
    names = added_names(
        play=parted.opponent.counts_play,
        win=deals.scores is not None,
        spread=spread,
        every_discard=every_discard,
    )
    if every_discard:
        found, rows = _every_discard(parted, spread=spread, report=report)
    else:
        best = best_discards(parted, spread=spread, report=report)
        found, rows = best._asdict(), np.arange(len(deals.dealer))
        for name in ("best_discard", "best_keep"):
            found[name] = _texts(found[name])
    if parted.win_methods is not None:
        found[WIN_METHOD] = parted.win_methods[rows]
    columns = {
        name: found[name].astype(np.int64) if name in SPREAD else found[name] for name in names
    }
    return columns, rows


def missing_suits(
    deals: Cards, *, spread: bool, exact: bool, scores: NDArray[np.int64] | None = None
) -> RowErrors:
    """Say which deals, ``(N, 6)``, lack the suits that spread, exact counting or scores need.

    >>> from cribev.rows.deal_columns import parse_deals
    >>> deals, _ = parse_deals([["5H 5D JS QC 2H 8D", "5 5 J Q 2 8"]])
    >>> missing_suits(deals, spread=False, exact=True)
    {1: CardError("'2 5 5 8 J Q' has no suits: exact counting is for cards with suits")}
    """
    asked = np.full(len(deals), spread or exact)
    what = "the least and most that can follow are" if spread else "exact counting is"
    if scores is not None and not asked.any():
        asked, what = (scores != UNKNOWN).all(axis=1), "chances to win are"
    return {
        row: CardError(f"{deal_text(deals[row])!r} has no suits: {what} for cards with suits")
        for row in np.flatnonzero((deals[:, 0] >= SUITLESS_OFFSET) & asked).tolist()
    }


def _every_discard(
    parted: Partition, *, spread: bool, report: Report
) -> tuple[NamedColumns, Index]:
    """Evaluate all discards of each deal, the best first."""
    values = parted.values(report)
    rank, order = (np.empty(values.expected.shape, np.int64) for _ in range(2))
    for start in range(0, len(rank), BLOCK):
        part = slice(start, start + BLOCK)
        rank[part], order[part] = values.take(part).ranking
    rows, keep = np.repeat(np.arange(len(order)), len(KEEPS)), order.ravel()
    at = rows * len(KEEPS) + keep
    listed = np.isfinite(values.expected.take(at))  # and does not repeat another
    if not listed.all():
        rows, keep, at = rows[listed], keep[listed], at[listed]
    six = parted.deals.columns
    columns: NamedColumns = {
        "rank": rank.take(at),
        "discard": _texts(six[DISCARDS[keep].T, rows].T),
        "keep": _texts(six[KEEPS[keep].T, rows].T),
    }
    columns |= {name: value.take(at) for name, value in values.columns().items()}
    if spread:
        columns |= spread_of_keeps(six[:, rows].T, keep)._asdict()
    return columns, rows


def _texts(hands: Cards) -> NDArray[np.bytes_]:
    """Write hands ``(N, n)``, with suits or without."""
    suitless = hands[:, 0] >= SUITLESS_OFFSET
    if not suitless.any():
        return format_hands(hands)
    texts = np.empty(len(hands), f"S{3 * hands.shape[1] - 1}")
    texts[~suitless] = format_hands(hands[~suitless])
    texts[suitless] = format_suitless(hands[suitless] - np.uint8(SUITLESS_OFFSET))
    return texts
