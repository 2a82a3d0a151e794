"""The discards of many deals: the best of each with its values, or all 15."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.batch.evaluators import (
    Method,
    Values,
    by_role,
    counted_rows,
    deal_text,
    discard_values,
    paired,
    require_throws,
    valuation_of,
)
from cribev.batch.schema import SPREAD, added_names
from cribev.batch.suitless import distinct_discards, suitless_columns, suitless_values
from cribev.choice import best_by_points, best_by_wins, ranking
from cribev.classes.canonical import Floats, Index, classify_columns
from cribev.classes.class_tables import BestKeeps
from cribev.classes.enumeration import sorted_columns
from cribev.classes.spread import spread_of_keeps
from cribev.errors import CardError
from cribev.files.deal_columns import RowErrors
from cribev.files.lines import SUITLESS_OFFSET, format_hands
from cribev.game.cards import Cards
from cribev.game.index_tables import DISCARDS, KEEPS, Points
from cribev.game.score_notation import UNKNOWN

NamedColumns: TypeAlias = dict[str, NDArray[Any]]

_DISCARD_AND_KEEP = np.concatenate([DISCARDS, KEEPS], axis=1)
_BLOCK = 1 << 13  # deals at a time, so that what is gathered stays in cache


class Evaluation(NamedTuple):
    """The best discard of many deals and what it brings, in points."""

    best_discard: Cards
    """Two cards, ascending, uint8 ``(N, 2)``."""
    best_keep: Cards
    """Four cards, ascending, uint8 ``(N, 4)``."""
    hand_mean: Floats
    """Average hand, ``(N,)``."""
    crib_mean: Floats
    """Average crib, ``(N,)``."""
    play_mean: Floats | None
    """The player's points in the play less the opponent's, on average, ``(N,)``, if they count."""
    expected: Floats
    """Average hand plus average crib as dealer, minus as pone, plus the play, ``(N,)``."""
    margin: Floats
    """How much more that is than the second best brings, 0 where they tie, ``(N,)``; below 0 where
    the score asks for another discard than points do."""
    hand_min: Points | None = None
    """The spread of hand and crib over all that can follow, uint8 ``(N,)``, if asked for."""
    hand_max: Points | None = None
    crib_min: Points | None = None
    crib_max: Points | None = None
    win: Floats | None = None
    """How likely it wins the game, 0 to 1, ``(N,)``, NaN where the score is not known."""


def evaluate_columns(
    deals: Cards,
    dealer: NDArray[np.bool_],
    method: Method,
    *,
    scores: NDArray[np.int64] | None = None,
    spread: bool = False,
    every_discard: bool = False,
) -> NamedColumns:
    """Evaluate deals into the columns of a table.

    Parameters
    ----------
    deals
        Card numbers, uint8 ``(N, 6)``; or where a deal is without suits, its ranks, ascending, and
        `cribev.files.lines.SUITLESS_OFFSET`, if `need_suits` lets it pass.
    dealer
        Whether the crib is the player's, ``(N,)``.
    method
        How.
    scores
        As in `cribev.batch.evaluators.discard_values`.
    spread, every_discard
        As in `cribev.evaluate`.

    Returns
    -------
    Columns by name, as `added_names` lists them: cards as ASCII text, averages as float64, points
    and rank as int64; of length N, or as long as `rows_of` with `every_discard`.

    Raises
    ------
    CardError
        If a card comes twice in a deal.
    TableError
        If the opponent has nothing to throw beside a deal.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> from cribev.opponents.models import as_opponent
    >>> deals = parse_cards("5H 5D JS QC 2H 8D").reshape(1, 6)
    >>> method = Method(as_opponent("expert"))
    >>> columns = evaluate_columns(deals, np.array([True]), method)
    >>> columns["best_keep"]
    array([b'5D 5H JS QC'], dtype='|S11')
    """
    names = added_names(
        play=method.opponent.counts_play,
        win=scores is not None,
        spread=spread,
        every_discard=every_discard,
    )
    found: Mapping[str, Any]
    without = _without_suits(deals)
    if without.any():
        found = _some_without_suits(deals, dealer, method, scores, every_discard=every_discard)
    elif every_discard:
        found = _every_discard(deals, dealer, method, scores, spread=spread)
    else:
        found = best_discards(deals, dealer, method, scores=scores, spread=spread)._asdict()
        for name in ("best_discard", "best_keep"):
            found[name] = format_hands(found[name])
    return {name: found[name].astype(np.int64) if name in SPREAD else found[name] for name in names}


def need_suits(
    deals: Cards, *, spread: bool, exact: bool, scores: NDArray[np.int64] | None = None
) -> RowErrors:
    """Say which deals lack the suits that the spread, exact counting and scores ask for.

    Examples
    --------
    >>> from cribev.files.deal_columns import parse_deals
    >>> deals, _ = parse_deals([["5H 5D JS QC 2H 8D", "5 5 J Q 2 8"]])
    >>> need_suits(deals, spread=False, exact=True)
    {1: CardError("'2 5 5 8 J Q' has no suits: exact counting is for cards with suits")}
    """
    asked = np.full(len(deals), spread or exact)
    what = "the least and most that can follow are" if spread else "exact counting is"
    if scores is not None and not asked.any():
        asked, what = (scores != UNKNOWN).all(axis=1), "chances to win are"
    return {
        row: CardError(f"{deal_text(deals[row])!r} has no suits: {what} for cards with suits")
        for row in np.flatnonzero(_without_suits(deals) & asked).tolist()
    }


def rows_of(deals: Cards) -> Index:
    """Tell which deal each row is of where every discard has one.

    Parameters
    ----------
    deals
        As for `evaluate_columns`.

    Returns
    -------
    Each deal 15 times; without suits, as often as it has discards of different ranks.

    Examples
    --------
    >>> from cribev.files.deal_columns import parse_deals
    >>> deals, _ = parse_deals([["5H 5D JS QC 2H 8D", "5 5 J Q 2 8"]])
    >>> np.bincount(rows_of(deals)).tolist()
    [15, 11]
    """
    times = np.full(len(deals), len(KEEPS))
    without = _without_suits(deals)
    times[without] = distinct_discards(deals[without] - np.uint8(SUITLESS_OFFSET)).sum(axis=1)
    return np.repeat(np.arange(len(deals)), times)


def _without_suits(deals: Cards) -> NDArray[np.bool_]:
    return deals[:, 0] >= SUITLESS_OFFSET


def _some_without_suits(
    deals: Cards,
    dealer: NDArray[np.bool_],
    method: Method,
    scores: NDArray[np.int64] | None,
    *,
    every_discard: bool,
) -> NamedColumns:
    """Evaluate deals of which some are without suits."""
    without = _without_suits(deals)
    ranks = deals[without] - np.uint8(SUITLESS_OFFSET)
    roles = dealer[without]
    valuations = {role: valuation_of(method, role) for role, _ in by_role(roles)}
    values = suitless_values(ranks, roles, valuations)
    require_throws(values.crib_mean, deals[without], method.opponent)
    with_suits = evaluate_columns(
        deals[~without],
        dealer[~without],
        method,
        scores=None if scores is None else scores[~without],
        every_discard=every_discard,
    )
    suitless = suitless_columns(ranks, values, every_discard=every_discard)
    suitless["win"] = np.full(len(suitless["expected"]), np.nan)
    rows = rows_of(deals) if every_discard else np.arange(len(deals))
    order = np.argsort(np.argsort(without[rows], kind="stable"), kind="stable")
    return {
        name: np.concatenate([column, suitless[name]])[order] for name, column in with_suits.items()
    }


def best_discards(
    deals: Cards,
    dealer: NDArray[np.bool_],
    method: Method,
    *,
    scores: NDArray[np.int64] | None = None,
    spread: bool = False,
) -> Evaluation:
    """Find the best discard of each deal, with what can follow if `spread` is asked for.

    Where there is a score it is the one that wins most, as `discard_values` has it.

    Raises
    ------
    CardError
        If a card comes twice in a deal.
    CribevError
        If the class tables are asked for, and there are none for the opponent.
    TableError
        If the opponent has nothing to throw beside a deal.
    """
    number = len(deals)
    cards = np.empty((number, 6), np.uint8)  # the discard, then the keep
    found = BestKeeps(np.empty(number, np.uint8), *(np.empty(number) for _ in range(5)))
    if not method.opponent.counts_play:
        found = found._replace(play_mean=None)
    win = None
    by_tables = not counted_rows(number, method, scores).any()
    if not by_tables:
        found, win = _best_of_values(discard_values(deals, dealer, method, scores))
    else:
        win = None if scores is None else np.full(number, np.nan)
        valuations = {role: valuation_of(method, role) for role, _ in by_role(dealer)}
    for start in range(0, number, _BLOCK):
        part = slice(start, start + _BLOCK)
        columns = sorted_columns(deals[part])
        if by_tables:
            classes, patterns = classify_columns(columns)
            for role, rows in by_role(dealer[part]):
                best = valuations[role].best(classes[rows], patterns[rows])
                for whole, own in paired(found, best):
                    whole[part][rows] = own
        six = np.concatenate(columns)
        size = len(columns[0])  # card c of deal n is at c * size + n
        at = np.arange(size)
        for place, position in enumerate(_DISCARD_AND_KEEP.T * size):
            cards[part, place] = six.take(position.take(found.keep[part]) + at)
    require_throws(found.crib_mean, deals, method.opponent)
    ends = spread_of_keeps(deals, found.keep) if spread else ()
    return Evaluation(cards[:, :2], cards[:, 2:], *found[1:], *ends)._replace(win=win)


def _best_of_values(values: Values) -> tuple[BestKeeps, Floats | None]:
    win = values.win
    if win is None:
        keep, margin = best_by_points(values.expected)
    else:
        keep, margin = best_by_wins(values.expected, win)
    at = np.arange(len(keep)), keep
    best = BestKeeps(
        keep.astype(np.uint8),
        values.hand_mean[at],
        values.crib_mean[at],
        None if values.play_mean is None else values.play_mean[at],
        values.expected[at],
        margin,
    )
    return best, None if win is None else win[at]


def _every_discard(
    deals: Cards,
    dealer: NDArray[np.bool_],
    method: Method,
    scores: NDArray[np.int64] | None,
    *,
    spread: bool,
) -> NamedColumns:
    """Evaluate all 15 discards of each deal, the best first."""
    number, keeps = len(deals), len(KEEPS)
    six = np.stack(sorted_columns(deals), axis=1)
    values = discard_values(six, dealer, method, scores)
    rank = np.empty((number, keeps), dtype=np.int64)
    order = np.empty((number, keeps), dtype=np.intp)
    for start in range(0, number, _BLOCK):
        part = slice(start, start + _BLOCK)
        places = ranking(values.expected[part], None if values.win is None else values.win[part])
        order[part] = places.order
        rank[part] = np.take_along_axis(places.rank, places.order, axis=1)
    row = np.arange(number)[:, None]
    columns: NamedColumns = {
        "rank": rank.ravel(),
        "discard": format_hands(six[row[..., None], DISCARDS[order]].reshape(-1, 2)),
        "keep": format_hands(six[row[..., None], KEEPS[order]].reshape(-1, 4)),
    }
    for name, value in values._asdict().items():
        if value is not None:
            columns[name] = np.take_along_axis(value, order, axis=1).ravel()
    if spread:
        columns |= spread_of_keeps(np.repeat(six, keeps, axis=0), order.ravel())._asdict()
    return columns
