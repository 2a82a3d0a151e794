"""What all 15 discards of many deals are worth: by the class tables, or counted deal by deal."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.choice import net_points
from cribev.classes.canonical import Floats, classify_columns
from cribev.classes.class_tables import ClassTables, KeepValues
from cribev.classes.enumeration import sorted_columns
from cribev.deal.many import exact_means
from cribev.errors import TableError
from cribev.files.lines import SUITLESS_OFFSET
from cribev.game.cards import Cards, format_cards, format_ranks
from cribev.game.index_tables import KEEPS
from cribev.game.roles import Role
from cribev.game.score_notation import UNKNOWN
from cribev.opponents.models import Opponent


class Method(NamedTuple):
    """How discards are valued."""

    opponent: Opponent
    """Who throws the other two cards."""
    exact: bool = False
    """Deal by deal against every crib that can follow, and not by the class tables."""
    workers: int = 1
    """How many processes share the exact work."""
    report: Callable[[int], object] | None = None
    """Called with the number of deals done since it was last called, where they are counted."""


class Values(NamedTuple):
    """The values of all 15 discards of many deals, ``(N, 15)`` float64, in points."""

    hand_mean: Floats
    crib_mean: Floats
    play_mean: Floats | None
    """The player's points in the play less the opponent's, if they count."""
    expected: Floats
    win: Floats | None
    """Chances to win the game, NaN where the score is not known; None where none is asked for."""


def discard_values(
    deals: Cards,
    dealer: NDArray[np.bool_],
    method: Method,
    scores: NDArray[np.int64] | None = None,
) -> Values:
    """Value all 15 discards of each deal as the method has it, and those with a score exactly.

    Parameters
    ----------
    deals
        Card numbers, uint8 ``(N, 6)``.
    dealer
        Whether the crib is the player's, ``(N,)``.
    method
        How.
    scores
        The player's points before the deal and the opponent's, `UNKNOWN` where they are not known,
        ``(N, 2)``, if the chances to win matter.

    Returns
    -------
    In the order of the keeps of the *sorted* deals.

    Raises
    ------
    CardError, CribevError, TableError
        As `class_values` does for what goes by the class tables.

    Examples
    --------
    >>> from cribev import parse_cards
    >>> from cribev.opponents.models import Expert
    >>> deals = parse_cards("5H 5D JS QC 2H 8D").reshape(1, 6)
    >>> values = discard_values(deals, np.array([True]), Method(Expert()), np.array([[95, 110]]))
    >>> float(values.win.max().round(2))
    0.26
    """
    counted = counted_rows(len(deals), method, scores)
    if counted.any() and not counted.all():
        values = Values(*np.empty((5, len(deals), len(KEEPS))))
        values = values if method.opponent.counts_play else values._replace(play_mean=None)
        for rows in (counted, ~counted):
            own_scores = None if scores is None else scores[rows]
            part = discard_values(deals[rows], dealer[rows], method, own_scores)
            for whole, own in paired(values, part):
                whole[rows] = own
        return values
    if not counted.any():
        found = class_values(deals, dealer, method.opponent)
        return Values(*found, None if scores is None else np.full(found.expected.shape, np.nan))
    means = exact_means(
        np.stack(sorted_columns(deals), axis=1),
        dealer,
        method.opponent,
        scores=scores,
        workers=method.workers,
        report=method.report,
    )
    play = play_means(deals, dealer, method.opponent)
    return Values(
        means.hand, means.crib, play, net_points(means.hand, means.crib, dealer, play), means.win
    )


def counted_rows(
    number: int, method: Method, scores: NDArray[np.int64] | None
) -> NDArray[np.bool_]:
    """Tell which deals are counted one by one: all of them, or those with a score, ``(N,)``.

    >>> from cribev.opponents.models import Expert
    >>> counted_rows(2, Method(Expert()), np.array([[95, 110], [-1, -1]])).tolist()
    [True, False]
    """
    if method.exact or scores is None:
        return np.full(number, method.exact)
    known: NDArray[np.bool_] = (scores != UNKNOWN).all(axis=1)
    return known


def class_values(deals: Cards, dealer: NDArray[np.bool_], opponent: Opponent) -> KeepValues:
    """Value all 15 discards of each deal by the class tables.

    Parameters
    ----------
    deals
        Card numbers, uint8 ``(N, 6)``.
    dealer
        Whether the crib is the player's, ``(N,)``.
    opponent
        Who throws the other two cards.

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
    >>> values = class_values(deals, np.array([True]), Expert())
    >>> float(values.hand_mean.max().round(2))
    12.7
    """
    values = KeepValues(*np.empty((4, len(deals), len(KEEPS))))
    if not opponent.counts_play:
        values = values._replace(play_mean=None)
    method = Method(opponent)
    for role, rows in by_role(dealer):
        for whole, own in paired(values, valuation_of(method, role).values(deals[rows])):
            whole[rows] = own
    require_throws(values.crib_mean, deals, opponent)
    return values


def play_means(deals: Cards, dealer: NDArray[np.bool_], opponent: Opponent) -> Floats | None:
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
    Points, in the order of the keeps of the *sorted* deals, ``(N, 15)``; None without the play.

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
    for role, rows in by_role(dealer):
        pegging = opponent.pegging(role)
        if pegging is None:
            return None
        means[rows] = pegging.net[classify_columns(sorted_columns(deals[rows]))[0]]
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
            f"{opponent.name!r} gives nothing to throw with {deal_text(deals[at])} in sight"
        )


def deal_text(deal: Cards) -> str:
    """Write a deal, with suits or without."""
    return (
        format_ranks(deal - SUITLESS_OFFSET) if deal[0] >= SUITLESS_OFFSET else format_cards(deal)
    )


def by_role(dealer: NDArray[np.bool_]) -> list[tuple[Role, Any]]:
    """Give each role that occurs with its rows."""
    if dealer.all():
        return [("dealer", slice(None))]
    if not dealer.any():
        return [("pone", slice(None))]
    return [("dealer", np.flatnonzero(dealer)), ("pone", np.flatnonzero(~dealer))]


def paired(*values: Iterable[Any]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Put arrays of the same name together, of those that are there."""
    return ((one, another) for one, another in zip(*values, strict=True) if one is not None)


def valuation_of(method: Method, role: Role) -> ClassTables:
    """Return the class tables of a role, made once."""
    return _class_tables(method.opponent, role)


@lru_cache(maxsize=4)
def _class_tables(opponent: Opponent, role: Role) -> ClassTables:
    return ClassTables(opponent.crib_averages(role), role)
