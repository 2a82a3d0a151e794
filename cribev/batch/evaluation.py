"""Dealt hands by the million: what to discard from each, and what it brings."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from os import PathLike
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cribev.choice import order_of, ranks_of
from cribev.classes.extremes import spread_of_keeps
from cribev.classes.forms import Floats, forms_of
from cribev.classes.numbers import as_deals, sorted_columns
from cribev.classes.values import BestKeeps, Valuation
from cribev.errors import CribevError, TableError, quote
from cribev.files.deal_columns import parse_deals, parse_roles
from cribev.files.lines import format_hands
from cribev.game.cards import CardArray, Cards, format_cards, is_masked
from cribev.game.indices import DISCARDS, KEEPS, Points
from cribev.game.roles import ROLES, Role, as_role
from cribev.opponents.models import Averaged, Opponent, as_averaged, average_cribs

OpponentLike: TypeAlias = str | PathLike[str] | Opponent
NamedColumns: TypeAlias = dict[str, NDArray[Any]]

ROLE_COLUMN = "role"
_SPREAD = ("hand_min", "hand_max", "crib_min", "crib_max")
_BEST = ("best_discard", "best_keep", "hand_mean", "crib_mean", "expected", "margin")
_EVERY = ("rank", "discard", "keep", "hand_mean", "crib_mean", "expected")
_TEXT = ("best_discard", "best_keep", "discard", "keep")
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
    expected: Floats
    """Average hand plus average crib as dealer, minus as pone, ``(N,)``."""
    margin: Floats
    """How much more that is than the second best brings, 0 where they tie, ``(N,)``."""
    hand_min: Points | None = None
    """Extremes of hand and crib over all that can follow, uint8 ``(N,)``, if asked for."""
    hand_max: Points | None = None
    crib_min: Points | None = None
    crib_max: Points | None = None


def evaluate_deals(
    deals: CardArray,
    *,
    role: str | Sequence[str] | NDArray[Any],
    opponent: OpponentLike = "expert",
    spread: bool = False,
) -> Evaluation:
    """Find the best discard of many deals.

    Parameters
    ----------
    deals
        Card numbers 0..51, ``(N, 6)``, in any order within a deal.
    role
        ``"dealer"`` or ``"pone"``, for all or for each, ``(N,)``.
    opponent
        ``"expert"``, ``"uniform"``, a CSV file of how often each pair of ranks is thrown
        (``rank1,rank2,dealer_pct,pone_pct``), or `cribev.opponents.models.Frequencies`.
    spread
        Find the least and the most that can follow too.

    Returns
    -------
    Arrays of length N. The first of tied keeps wins, in the order of ``itertools.combinations``
    of the sorted deal. Average hands and extremes are exact, average cribs are so but for suits.

    Raises
    ------
    CardError
        If they are not deals of six different cards.
    TableError
        If the opponent cannot be read, or has nothing to throw beside a deal.
    CribevError
        If a role is no role, or there is not one for each deal.

    Examples
    --------
    >>> found = evaluate_deals([[18, 17, 43, 44, 6, 29]], role="dealer", spread=True)
    >>> format_cards(found.best_discard[0]), found.hand_mean.round(2), found.hand_max
    ('2H 8D', array([12.7]), array([21], dtype=uint8))
    """
    deals = as_deals(deals)
    dealer = _dealers_of(role, len(deals))
    return _best_discards(deals, dealer, as_averaged(opponent), spread=spread)


def evaluate_columns(
    deals: Cards,
    dealer: NDArray[np.bool_],
    *,
    opponent: Averaged,
    spread: bool = False,
    every_discard: bool = False,
) -> NamedColumns:
    """Evaluate deals into the columns of a table.

    Parameters
    ----------
    deals
        Card numbers, uint8 ``(N, 6)``.
    dealer
        Whether the crib is the player's, ``(N,)``.
    opponent
        As from `cribev.opponents.models.as_averaged`.
    spread, every_discard
        As in `evaluate`.

    Returns
    -------
    Columns by name, as `added_names` lists them: cards as ASCII text, averages as float64, points
    and rank as int64; of length N, or 15 N with `every_discard`.

    Raises
    ------
    CardError
        If a card comes twice in a deal.
    TableError
        If the opponent has nothing to throw beside a deal.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> deals = parse_cards("5H 5D JS QC 2H 8D").reshape(1, 6)
    >>> columns = evaluate_columns(deals, np.array([True]), opponent=as_averaged("expert"))
    >>> columns["best_keep"]
    array([b'5D 5H JS QC'], dtype='|S11')
    """
    if every_discard:
        return _every_discard(deals, dealer, opponent, spread=spread)
    found = _best_discards(deals, dealer, opponent, spread=spread)._asdict()
    for name in ("best_discard", "best_keep"):
        found[name] = format_hands(found[name])
    return _arranged(found, spread=spread, every_discard=False)


def evaluate(
    frame: pd.DataFrame,
    *,
    cards: Hashable | list[Hashable] = "cards",
    role: str | None = None,
    opponent: OpponentLike = "expert",
    spread: bool = False,
    every_discard: bool = False,
) -> pd.DataFrame:
    """Find the best discard of each deal of a table.

    Parameters
    ----------
    frame
        A row for each deal.
    cards
        The column that holds six cards as text, or a list of six columns of one card each.
    role
        ``"dealer"`` or ``"pone"`` for all; if None, a column ``role`` says it.
    opponent
        As in `evaluate_deals`.
    spread
        Add the least and the most that can follow.
    every_discard
        Return 15 rows a deal, the best discard first.

    Returns
    -------
    The frame's own columns and index, with ``best_discard``, ``best_keep``, ``hand_mean``,
    ``crib_mean``, ``expected`` and ``margin`` (to the second best), in points; with `spread` also
    ``hand_min``, ``hand_max``, ``crib_min``, ``crib_max``. With `every_discard`, ``rank``,
    ``discard`` and ``keep`` in place of the best, no margin, and each row of the frame 15 times.

    Raises
    ------
    CribevError
        If it is no such table, a column is missing or its name is taken, or with the first bad row
        and why it is bad.
    TableError
        If the opponent cannot be read, or has nothing to throw beside a deal.

    Examples
    --------
    >>> deals = pd.DataFrame({"cards": ["5H 5D JS QC 2H 8D", "ah2c7d9sjhqc"], "role": "dealer"})
    >>> evaluate(deals)[["best_discard", "hand_mean", "crib_mean", "expected"]].round(2)
      best_discard  hand_mean  crib_mean  expected
    0        2H 8D      12.70       3.39     16.09
    1        JH QC       2.39       4.94      7.33
    """
    if not isinstance(frame, pd.DataFrame):
        raise CribevError(
            f"expected a DataFrame, got {quote(repr(frame))}: evaluate_deals takes arrays"
        )
    if frame.columns.nlevels > 1:
        raise CribevError(f"columns of {frame.columns.nlevels} levels: expected names of one")
    thrower = as_averaged(opponent)
    options = {"spread": spread, "every_discard": every_discard}
    names = card_columns(cards)
    check_columns(list(frame.columns), names, role, **options)
    deals, errors = parse_deals([frame[name].tolist() for name in names])
    if role is None:
        dealer, bad_roles = parse_roles(frame[ROLE_COLUMN].tolist())
        errors = bad_roles | errors
    else:
        dealer = np.full(len(frame), as_role(role) == "dealer")
    if errors:
        row = min(errors)
        index = frame.index[[row]].tolist()[0]
        raise type(errors[row])(f"row {row} (index {index!r}): {errors[row]}")
    if every_discard:
        result = frame.iloc[np.repeat(np.arange(len(frame)), len(KEEPS))].copy()
    else:
        result = frame.copy()
    for name, values in evaluate_columns(deals, dealer, opponent=thrower, **options).items():
        if name in _TEXT:
            result[name] = pd.Series(values.astype(str).tolist(), index=result.index, dtype="str")
        else:
            result[name] = values
    return result


def meta(frame: Any, **options: Any) -> pd.DataFrame:
    """Make the empty table that tells Dask what `evaluate` returns.

    Parameters
    ----------
    frame
        A Dask or pandas frame.
    options
        Those of `evaluate`.

    Returns
    -------
    No rows, with the columns and types of the result.

    Examples
    --------
    >>> empty = meta(pd.DataFrame({"cards": ["5H 5D JS QC 2H 8D"]}), role="pone")
    >>> list(empty)[:3], len(empty)
    (['cards', 'best_discard', 'best_keep'], 0)
    """
    rows = frame if isinstance(frame, pd.DataFrame) else frame._meta
    return evaluate(rows.iloc[:0], **options)


def added_names(*, spread: bool, every_discard: bool) -> list[str]:
    """List the columns that an evaluation adds.

    Examples
    --------
    >>> added_names(spread=False, every_discard=False)
    ['best_discard', 'best_keep', 'hand_mean', 'crib_mean', 'expected', 'margin']
    """
    names = list(_EVERY if every_discard else _BEST)
    return names + list(_SPREAD) * spread


def card_columns(cards: Hashable | list[Hashable]) -> list[Hashable]:
    """Take the name of a column of deals, or a list of six names of columns of cards.

    Raises
    ------
    CribevError
        If it is a list of any other length.

    Examples
    --------
    >>> card_columns("cards")
    ['cards']
    """
    if not isinstance(cards, list):
        return [cards]
    if len(cards) not in (1, 6):
        raise CribevError(f"cards stand in one column or in six, not {len(cards)}: {cards!r}")
    return cards


def check_columns(
    present: Sequence[Hashable],
    cards: Sequence[Hashable],
    role: str | None,
    *,
    spread: bool,
    every_discard: bool,
) -> None:
    """Check that a table has what is needed, once, and that the names to be added are free.

    Parameters
    ----------
    present
        The table's columns.
    cards
        The columns of cards.
    role
        The role of all rows, or None if a column says it.
    spread, every_discard
        What will be added.

    Raises
    ------
    CribevError
        If not, naming the column.

    Examples
    --------
    >>> check_columns(["cards", "margin"], ["cards"], "pone", spread=False, every_discard=False)
    Traceback (most recent call last):
    cribev.errors.CribevError: there is a column 'margin' already: rename it
    """
    for name in [*cards, *([ROLE_COLUMN] if role is None else [])]:
        if name not in present:
            also = ", or give one role for all" if name == ROLE_COLUMN and role is None else ""
            raise CribevError(
                f"no column {quote(str(name))}{also}: "
                f"there are {quote(', '.join(map(str, present)), most=200)}"
            )
        if list(present).count(name) > 1:
            raise CribevError(f"two columns {quote(str(name))}")
    if role is not None and ROLE_COLUMN in present:
        raise CribevError(f"a column {ROLE_COLUMN!r}, and {role!r} for all rows too: choose one")
    for name in added_names(spread=spread, every_discard=every_discard):
        if name in present:
            raise CribevError(f"there is a column {name!r} already: rename it")


def _dealers_of(role: str | Sequence[str] | NDArray[Any], number: int) -> NDArray[np.bool_]:
    if np.ndim(role) == 0:
        return np.full(number, as_role(role) == "dealer")
    if is_masked(role):
        raise CribevError("some roles of the array are masked: expected all to be known")
    words = np.asarray(role)
    if words.shape != (number,):
        raise CribevError(f"expected a role for each of {number} deals, got shape {words.shape}")
    if words.dtype.kind == "U":  # a million words are compared at once
        dealer: NDArray[np.bool_] = words == ROLES[0]
        if (dealer | (words == ROLES[1])).all():
            return dealer
    dealer, errors = parse_roles(words.tolist())
    if errors:
        raise errors[min(errors)]
    return dealer


def _rows_by_role(dealer: NDArray[np.bool_]) -> list[tuple[Role, Any]]:
    """Give each role that occurs with its rows."""
    if dealer.all():
        return [("dealer", slice(None))]
    if not dealer.any():
        return [("pone", slice(None))]
    return [("dealer", np.flatnonzero(dealer)), ("pone", np.flatnonzero(~dealer))]


@lru_cache(maxsize=4)
def _valuation(opponent: Averaged, role: Role) -> Valuation:
    return Valuation(average_cribs(opponent, role), role)


def require_throws(crib: Floats, deals: Cards, opponent: Averaged) -> None:
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
            f"{opponent.name!r} gives nothing to throw with {format_cards(deals[at])} in sight"
        )


def _best_discards(
    deals: Cards, dealer: NDArray[np.bool_], opponent: Averaged, *, spread: bool
) -> Evaluation:
    number = len(deals)
    cards = np.empty((number, 6), np.uint8)  # the discard, then the keep
    found = BestKeeps(np.empty(number, np.uint8), *(np.empty(number) for _ in range(4)))
    valuations = {role: _valuation(opponent, role) for role, _ in _rows_by_role(dealer)}
    for start in range(0, number, _BLOCK):
        part = slice(start, start + _BLOCK)
        columns = sorted_columns(deals[part])
        classes, patterns = forms_of(columns)
        for role, rows in _rows_by_role(dealer[part]):
            best = valuations[role].best(classes[rows], patterns[rows])
            arrays: Iterator[tuple[NDArray[Any], NDArray[Any]]] = zip(found, best, strict=True)
            for whole, own in arrays:
                whole[part][rows] = own
        six, size = np.concatenate(columns), len(classes)  # card c of deal n is at c * size + n
        at = np.arange(size)
        for place, position in enumerate(_DISCARD_AND_KEEP.T * size):
            cards[part, place] = six.take(position.take(found.keep[part]) + at)
    require_throws(found.crib_mean, deals, opponent)
    extremes = spread_of_keeps(deals, found.keep) if spread else ()
    return Evaluation(cards[:, :2], cards[:, 2:], *found[1:], *extremes)


def _every_discard(
    deals: Cards, dealer: NDArray[np.bool_], opponent: Averaged, *, spread: bool
) -> NamedColumns:
    """Evaluate all 15 discards of each deal, the best first."""
    number, keeps = len(deals), len(KEEPS)
    six = np.stack(sorted_columns(deals), axis=1)
    values = np.empty((3, number, keeps))
    for role, rows in _rows_by_role(dealer):
        found = _valuation(opponent, role).values(six[rows])
        values[:, rows] = found
    hand, crib, expected = values
    require_throws(crib, deals, opponent)
    rank = np.empty((number, keeps), dtype=np.int64)
    order = np.empty((number, keeps), dtype=np.intp)
    for start in range(0, number, _BLOCK):
        part = slice(start, start + _BLOCK)
        ranks = ranks_of(expected[part])
        order[part] = order_of(ranks)
        rank[part] = np.take_along_axis(ranks, order[part], axis=1)
    row = np.arange(number)[:, None]
    columns: NamedColumns = {
        "rank": rank.ravel(),
        "discard": format_hands(six[row[..., None], DISCARDS[order]].reshape(-1, 2)),
        "keep": format_hands(six[row[..., None], KEEPS[order]].reshape(-1, 4)),
    }
    for name, value in (("hand_mean", hand), ("crib_mean", crib), ("expected", expected)):
        columns[name] = np.take_along_axis(value, order, axis=1).ravel()
    if spread:
        extremes = spread_of_keeps(np.repeat(six, keeps, axis=0), order.ravel())
        columns |= extremes._asdict()
    return _arranged(columns, spread=spread, every_discard=True)


def _arranged(found: Mapping[str, Any], *, spread: bool, every_discard: bool) -> NamedColumns:
    return {
        name: found[name].astype(np.int64) if name in _SPREAD else found[name]
        for name in added_names(spread=spread, every_discard=every_discard)
    }
