"""The discards of many deals: the best of each with its values, or all 15."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribev.batch.columns import SPREAD, added_names
from cribev.batch.suitless import different, suitless_columns, suitless_values
from cribev.choice import best_of, net, order_of, ranks_of
from cribev.classes.forms import Floats, Index, forms_of
from cribev.classes.numbers import sorted_columns
from cribev.classes.spread import spread_of_keeps
from cribev.classes.values import BestKeeps, KeepValues, Valuation
from cribev.deal.many import exact_means
from cribev.errors import CardError, TableError
from cribev.files.deal_columns import RowErrors
from cribev.files.lines import SUITLESS, format_hands
from cribev.game.cards import Cards, format_cards, format_ranks
from cribev.game.indices import DISCARDS, KEEPS, Points
from cribev.game.roles import Role
from cribev.opponents.models import Opponent, averages_met

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
    """How much more that is than the second best brings, 0 where they tie, ``(N,)``."""
    hand_min: Points | None = None
    """The spread of hand and crib over all that can follow, uint8 ``(N,)``, if asked for."""
    hand_max: Points | None = None
    crib_min: Points | None = None
    crib_max: Points | None = None


class Method(NamedTuple):
    """How discards are valued."""

    opponent: Opponent
    """Who throws the other two cards."""
    play: bool = True
    """Whether the play counts, or the show alone."""
    exact: bool = False
    """Deal by deal against every crib that can follow, and not by the class tables."""
    workers: int = 1
    """How many processes share the exact work."""
    report: Callable[[int], object] | None = None
    """Called with the number of deals done since it was last called, where they are counted."""


def evaluate_columns(
    deals: Cards,
    dealer: NDArray[np.bool_],
    method: Method,
    *,
    spread: bool = False,
    every_discard: bool = False,
) -> NamedColumns:
    """Evaluate deals into the columns of a table.

    Parameters
    ----------
    deals
        Card numbers, uint8 ``(N, 6)``; or where a deal is without suits, its ranks, ascending, and
        `cribev.files.lines.SUITLESS`, if `need_suits` lets it pass.
    dealer
        Whether the crib is the player's, ``(N,)``.
    method
        How.
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
    without = _without_suits(deals)
    if without.any():
        return _some_without_suits(deals, dealer, method, without, every_discard=every_discard)
    if every_discard:
        return _every_discard(deals, dealer, method, spread=spread)
    found = best_discards(deals, dealer, method, spread=spread)._asdict()
    for name in ("best_discard", "best_keep"):
        found[name] = format_hands(found[name])
    return _arranged(found, method, spread=spread, every_discard=False)


def need_suits(deals: Cards, *, spread: bool, exact: bool) -> RowErrors:
    """Say which deals lack the suits that the spread and exact counting ask for.

    Examples
    --------
    >>> from cribev.files.deal_columns import parse_deals
    >>> deals, _ = parse_deals([["5H 5D JS QC 2H 8D", "5 5 J Q 2 8"]])
    >>> need_suits(deals, spread=False, exact=True)
    {1: CardError("'2 5 5 8 J Q' has no suits: exact counting is for cards with suits")}
    """
    if not (spread or exact):
        return {}
    what = "the least and most that can follow are" if spread else "exact counting is"
    return {
        row: CardError(f"{_text(deals[row])!r} has no suits: {what} for cards with suits")
        for row in np.flatnonzero(_without_suits(deals)).tolist()
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
    times[without] = different(deals[without] - np.uint8(SUITLESS)).sum(axis=1)
    return np.repeat(np.arange(len(deals)), times)


def _without_suits(deals: Cards) -> NDArray[np.bool_]:
    return deals[:, 0] >= SUITLESS


def _some_without_suits(
    deals: Cards,
    dealer: NDArray[np.bool_],
    method: Method,
    without: NDArray[np.bool_],
    *,
    every_discard: bool,
) -> NamedColumns:
    """Evaluate deals of which some are without suits."""
    ranks = deals[without] - np.uint8(SUITLESS)
    roles = dealer[without]
    valuations = {role: _valuation(method, role) for role, _ in _by_role(roles)}
    values = suitless_values(ranks, roles, valuations)
    require_throws(values.crib_mean, deals[without], method.opponent)
    parts = [
        evaluate_columns(
            deals[~without], dealer[~without], method, spread=False, every_discard=every_discard
        ),
        suitless_columns(ranks, values, every_discard=every_discard),
    ]
    rows = rows_of(deals) if every_discard else np.arange(len(deals))
    order = np.argsort(np.argsort(without[rows], kind="stable"), kind="stable")
    return {
        name: np.concatenate([part[name] for part in parts])[order]
        for name in added_names(play=method.play, spread=False, every_discard=every_discard)
    }


def _text(deal: Cards) -> str:
    return format_ranks(deal - SUITLESS) if deal[0] >= SUITLESS else format_cards(deal)


def best_discards(
    deals: Cards, dealer: NDArray[np.bool_], method: Method, *, spread: bool = False
) -> Evaluation:
    """Find the best discard of each deal, with what can follow if `spread` is asked for.

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
    if not method.play:
        found = found._replace(play_mean=None)
    if method.exact:
        found = _best_of_values(_exact_values(deals, dealer, method))
    else:
        valuations = {role: _valuation(method, role) for role, _ in _by_role(dealer)}
    for start in range(0, number, _BLOCK):
        part = slice(start, start + _BLOCK)
        columns = sorted_columns(deals[part])
        if not method.exact:
            classes, patterns = forms_of(columns)
            for role, rows in _by_role(dealer[part]):
                best = valuations[role].best(classes[rows], patterns[rows])
                for whole, own in _pairs(found, best):
                    whole[part][rows] = own
        six = np.concatenate(columns)
        size = len(columns[0])  # card c of deal n is at c * size + n
        at = np.arange(size)
        for place, position in enumerate(_DISCARD_AND_KEEP.T * size):
            cards[part, place] = six.take(position.take(found.keep[part]) + at)
    require_throws(found.crib_mean, deals, method.opponent)
    ends = spread_of_keeps(deals, found.keep) if spread else ()
    return Evaluation(cards[:, :2], cards[:, 2:], *found[1:], *ends)


def class_values(
    deals: Cards, dealer: NDArray[np.bool_], opponent: Opponent, *, play: bool
) -> KeepValues:
    """Value all 15 discards of each deal by the class tables.

    Parameters
    ----------
    deals
        Card numbers, uint8 ``(N, 6)``.
    dealer
        Whether the crib is the player's, ``(N,)``.
    opponent
        Who throws the other two cards.
    play
        Whether the play counts.

    Returns
    -------
    Points, in the order of the keeps of the *sorted* deals, ``(N, 15)``. Average hands are exact;
    average cribs are those of the cards' ranks and suit pattern, within some hundredths of a point:
    the most that was found, 0.034, is of ``4S 5S 6S 7S 8S 9S`` as pone, the worst of all deals of
    one suit, against the expert of the show.

    Raises
    ------
    CardError
        If a card comes twice in a deal.
    CribevError
        If there are no class tables for the opponent.
    TableError
        If the opponent has nothing to throw beside a deal.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> from cribev.opponents.models import Expert
    >>> deals = parse_cards("5H 5D JS QC 2H 8D").reshape(1, 6)
    >>> values = class_values(deals, np.array([True]), Expert(), play=True)
    >>> float(values.hand_mean.max().round(2))
    12.7
    """
    values = KeepValues(*np.empty((4, len(deals), len(KEEPS))))
    if not play:
        values = values._replace(play_mean=None)
    method = Method(opponent, play)
    for role, rows in _by_role(dealer):
        for whole, own in _pairs(values, _valuation(method, role).values(deals[rows])):
            whole[rows] = own
    require_throws(values.crib_mean, deals, opponent)
    return values


def play_means(deals: Cards, dealer: NDArray[np.bool_], opponent: Opponent) -> Floats:
    """Average the player's points in the play less the opponent's, for all 15 keeps of each deal.

    Parameters
    ----------
    deals
        Card numbers, uint8 ``(N, 6)``.
    dealer
        Whether the crib is the player's, ``(N,)``.
    opponent
        Who the play is with.

    Returns
    -------
    Points, in the order of the keeps of the *sorted* deals, ``(N, 15)``.

    Raises
    ------
    CardError
        If a card comes twice in a deal.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> from cribev.opponents.models import Expert
    >>> deals = parse_cards("5H 5D JS QC 2H 8D").reshape(1, 6)
    >>> play_means(deals, np.array([True]), Expert()).shape
    (1, 15)
    """
    means = np.empty((len(deals), len(KEEPS)))
    for role, rows in _by_role(dealer):
        means[rows] = opponent.play(role).net[forms_of(sorted_columns(deals[rows]))[0]]
    return means


def require_throws(crib: Floats, deals: Cards, opponent: Opponent) -> None:
    """Check that an opponent has something to throw beside each deal.

    Parameters
    ----------
    crib
        Average cribs, NaN where he has not, ``(N, ...)``.
    deals
        Card numbers, ``(N, 6)``.
    opponent
        Who throws.

    Raises
    ------
    TableError
        If not, naming the first such deal.
    """
    if np.isnan(crib).any():
        at = int(np.isnan(crib).ravel().argmax()) * len(deals) // crib.size
        raise TableError(
            f"{opponent.name!r} gives nothing to throw with {_text(deals[at])} in sight"
        )


def _valuation(method: Method, role: Role) -> Valuation:
    return _class_tables(method.opponent, role, method.play)


@lru_cache(maxsize=4)
def _class_tables(opponent: Opponent, role: Role, play: bool) -> Valuation:
    return Valuation(averages_met(opponent, role, play=play), role)


def _pairs(*values: Iterable[Any]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Put arrays of the same name together, of those that are there."""
    return ((one, another) for one, another in zip(*values, strict=True) if one is not None)


def _exact_values(deals: Cards, dealer: NDArray[np.bool_], method: Method) -> KeepValues:
    """Value all 15 discards of each deal against every crib that can follow."""
    means = exact_means(
        np.stack(sorted_columns(deals), axis=1),
        dealer,
        method.opponent,
        workers=method.workers,
        report=method.report,
    )
    play = play_means(deals, dealer, method.opponent) if method.play else None
    return KeepValues(means.hand, means.crib, play, net(means.hand, means.crib, dealer, play))


def _best_of_values(values: KeepValues) -> BestKeeps:
    keep, margin = best_of(values.expected)
    at = np.arange(len(keep)), keep
    return BestKeeps(
        keep.astype(np.uint8),
        values.hand_mean[at],
        values.crib_mean[at],
        None if values.play_mean is None else values.play_mean[at],
        values.expected[at],
        margin,
    )


def _by_role(dealer: NDArray[np.bool_]) -> list[tuple[Role, Any]]:
    """Give each role that occurs with its rows."""
    if dealer.all():
        return [("dealer", slice(None))]
    if not dealer.any():
        return [("pone", slice(None))]
    return [("dealer", np.flatnonzero(dealer)), ("pone", np.flatnonzero(~dealer))]


def _every_discard(
    deals: Cards, dealer: NDArray[np.bool_], method: Method, *, spread: bool
) -> NamedColumns:
    """Evaluate all 15 discards of each deal, the best first."""
    number, keeps = len(deals), len(KEEPS)
    six = np.stack(sorted_columns(deals), axis=1)
    if method.exact:
        values = _exact_values(six, dealer, method)
    else:
        values = class_values(six, dealer, method.opponent, play=method.play)
    rank = np.empty((number, keeps), dtype=np.int64)
    order = np.empty((number, keeps), dtype=np.intp)
    for start in range(0, number, _BLOCK):
        part = slice(start, start + _BLOCK)
        ranks = ranks_of(values.expected[part])
        order[part] = order_of(ranks)
        rank[part] = np.take_along_axis(ranks, order[part], axis=1)
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
    return _arranged(columns, method, spread=spread, every_discard=True)


def _arranged(
    found: Mapping[str, Any], method: Method, *, spread: bool, every_discard: bool
) -> NamedColumns:
    return {
        name: found[name].astype(np.int64) if name in SPREAD else found[name]
        for name in added_names(play=method.play, spread=spread, every_discard=every_discard)
    }
