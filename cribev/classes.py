"""All 20,358,520 deals at once, by their ranks and by the pattern of their suits.

The ranks of a deal are one of 18,395 *classes*. Suits matter only by which cards share one: a
*pattern*, one of 187 ways to group the six sorted cards into at most four suits. Class and pattern
together, the *form* of a deal, decide the value of every keep, so whatever holds for a form holds
for every deal of it: a policy is one keep for each form, and a sum over all deals is a sum over
forms. Where a policy is given, it is a uint8 array ``(18395, 187)`` of keep numbers.

Values that are compared are held in 46ths of a point. There the average hand and nobs are whole
numbers, and average cribs are rounded to a grid of 2**-26 (0.3 billionths of a point), so that sums
of them are exact: keeps that only rename suits tie exactly. *The first of the tied keeps wins*, in
the order of ``itertools.combinations`` of the sorted deal; two values a billionth of a point apart
or less may count as tied, never as the other way round by more than that.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise, product
from math import comb
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cribev.cards import DECK_SIZE, JACK, Cards, card_numbers, format_cards
from cribev.errors import CardError
from cribev.roles import Role, crib_sign
from cribev.tables import DISCARDS, KEEPS, rank_point_table

Policy: TypeAlias = NDArray[np.uint8]
Columns: TypeAlias = list[Cards]
Floats: TypeAlias = NDArray[np.float64]
Index: TypeAlias = NDArray[np.intp]

CLASSES = 18_395
PATTERNS = 187
DEALS = comb(DECK_SIZE, 6)
STARTERS = DECK_SIZE - 6
RANK_PAIRS = np.array(list(combinations_with_replacement(range(13), 2)))
"""The 91 pairs of ranks two cards can have, ``(91, 2)``."""

GRID = 2.0**-26
"""Average cribs are multiples of this many 46ths of a point."""

_BLOCK = 1 << 13  # deals at a time: their 16 values each stay in cache
_SORTING_NETWORK = (
    *((0, 5), (1, 3), (2, 4), (1, 2), (3, 4), (0, 3)),
    *((2, 5), (0, 1), (2, 3), (4, 5), (1, 2), (3, 4)),
)


class CribAverages(NamedTuple):
    """What each discard brings in the crib, for all classes, against one policy."""

    ranks: Floats
    """Fifteens, pairs and runs by class and keep, in 46ths of a point, ``(18395, 15)``."""
    flush: Floats
    """A suited discard's crib flush by the deal's cards of that suit, in 46ths, ``(7,)``."""
    jacks: Floats
    """How many jacks the opponent throws on average, by class, ``(18395,)``."""
    nobs: Floats
    """How often such a jack is his nobs, by the deal's cards of its suit, ``(7,)``."""


class KeepValues(NamedTuple):
    """The values of all 15 keeps of many deals, ``(N, 15)`` float64, in points."""

    hand_mean: Floats
    crib_mean: Floats
    expected: Floats


class BestKeeps(NamedTuple):
    """The best keep of many deals and its values in points, each ``(N,)``."""

    keep: NDArray[np.uint8]
    """Which keep of the sorted deal, 0..14."""
    hand_mean: Floats
    crib_mean: Floats
    expected: Floats


class Forms(NamedTuple):
    """Every form a deal can have, each array ``(n,)``."""

    classes: Index
    patterns: Index
    deals: NDArray[np.int64]
    """How many deals have the form."""
    examples: NDArray[np.int64]
    """The number of one of them."""


class SuitTables(NamedTuple):
    """What suits add to the 15 keeps, by row: where the jacks are, and the pattern."""

    kept_nobs: NDArray[np.int64]
    """Nobs of the kept jacks in 46ths, ``(rows, 15)``."""
    thrown_nobs: NDArray[np.int64]
    hand_flush: NDArray[np.int64]
    suited: NDArray[np.int64]
    """The deal's cards of the suit of a suited discard, else 0, ``(rows, 15)``."""
    unseen_jacks: Floats
    """Of the unseen jacks, which part has n cards of its suit in the deal, ``(rows, 7)``."""
    thrown_jacks: NDArray[np.int64]
    """Jacks thrown that have n cards of their suit in the deal, ``(rows, 15, 7)``."""


@cache
def class_ranks() -> Cards:
    """List the rank classes in colexicographic order.

    Returns
    -------
    Ascending ranks, uint8 ``(18395, 6)``.

    Examples
    --------
    >>> class_ranks()[[0, -1]].tolist()
    [[0, 0, 0, 0, 1, 1], [11, 11, 12, 12, 12, 12]]
    """
    ranks = np.array(list(combinations_with_replacement(range(13), 6)), dtype=np.uint8)
    ranks = ranks[np.lexsort(ranks.T)]
    ranks = ranks[(ranks[:, :2] < ranks[:, 4:]).all(axis=1)]  # never five of a rank
    ranks.flags.writeable = False
    return ranks


@cache
def class_counts() -> NDArray[np.int64]:
    """Count the cards of each rank in each class.

    Returns
    -------
    int64 ``(18395, 13)``.

    Examples
    --------
    >>> class_counts()[0].tolist()
    [4, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    """
    counts: NDArray[np.int64] = (class_ranks()[:, :, None] == np.arange(13)).sum(axis=1)
    counts.flags.writeable = False
    return counts


@cache
def discard_pairs() -> Index:
    """Tell the rank pair that goes with each keep of each class.

    Returns
    -------
    Rows of `RANK_PAIRS`, intp ``(18395, 15)``.

    Examples
    --------
    >>> RANK_PAIRS[discard_pairs()[0, [0, 14]]].tolist()
    [[1, 1], [0, 0]]
    """
    thrown = class_ranks()[:, DISCARDS].astype(np.intp)
    pairs: Index = rank_pair_numbers()[thrown[..., 0], thrown[..., 1]]
    pairs.flags.writeable = False
    return pairs


@cache
def rank_pair_numbers() -> Index:
    """Tabulate which of `RANK_PAIRS` two ranks are, in either order: intp ``(13, 13)``.

    Examples
    --------
    >>> int(rank_pair_numbers()[12, 11]), int(rank_pair_numbers()[11, 12])
    (89, 89)
    """
    numbers = np.empty((13, 13), dtype=np.intp)
    low, high = RANK_PAIRS.T
    numbers[low, high] = numbers[high, low] = np.arange(len(RANK_PAIRS))
    numbers.flags.writeable = False
    return numbers


@cache
def hand_sums() -> NDArray[np.int64]:
    """Sum the fifteens, pairs and runs of each keep of each class over the 46 starters.

    Returns
    -------
    Points, int64 ``(18395, 15)``: 46 times the rank part of the average hand.

    Examples
    --------
    >>> float(hand_sums()[0, 0] / 46)  # four aces, from A A A A 2 2
    12.0
    """
    kept = class_ranks()[:, KEEPS].astype(np.int64)
    base = ((kept[..., 0] * 13 + kept[..., 1]) * 13 + kept[..., 2]) * 13 + kept[..., 3]
    sums = np.zeros(base.shape, dtype=np.int64)
    for starter in range(13):
        unseen = 4 - class_counts()[:, starter, None]
        sums += unseen * rank_point_table()[base * 13 + starter]
    sums.flags.writeable = False
    return sums


def deal_numbers(deals: ArrayLike) -> NDArray[np.int64]:
    """Give deals their numbers in colexicographic order: 0 for the six lowest cards.

    Parameters
    ----------
    deals
        Card numbers, ``(N, 6)``, in any order within a deal.

    Returns
    -------
    int64 ``(N,)``, 0..20,358,519: the sum of C(a,1), C(b,2) … C(f,6) over the sorted cards.

    Raises
    ------
    CardError
        If they are not deals of six different cards.

    Examples
    --------
    >>> deal_numbers([[0, 1, 2, 3, 4, 5], [51, 50, 49, 48, 47, 46]]).tolist()
    [0, 20358519]
    """
    columns = _sorted_columns(_as_deals(deals))
    return sum(
        (_binomials()[size][column] for size, column in enumerate(columns, start=1)),
        start=np.zeros(len(columns[0]), dtype=np.int64),
    )


def deals_between(start: int, stop: int) -> Cards:
    """Write out the deals of a range of deal numbers.

    Parameters
    ----------
    start, stop
        Deal numbers, as in `range`.

    Returns
    -------
    Card numbers, uint8 ``(stop - start, 6)``, each deal ascending.

    Examples
    --------
    >>> deals_between(5, 8).tolist()
    [[0, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 7]]
    """
    return np.stack(_columns_between(start, stop), axis=1)


def numbered_deals(numbers: NDArray[np.integer]) -> Cards:
    """Write out the deals of these numbers, the inverse of `deal_numbers`.

    Parameters
    ----------
    numbers
        Deal numbers 0..20,358,519, ``(N,)``.

    Returns
    -------
    Card numbers, uint8 ``(N, 6)``, each deal ascending.

    Examples
    --------
    >>> numbered_deals(np.array([7, 20358519])).tolist()
    [[0, 1, 2, 3, 4, 7], [46, 47, 48, 49, 50, 51]]
    """
    high = np.searchsorted(_first_numbers(), numbers, side="right") - 1
    low = numbers - _first_numbers()[high]
    return np.concatenate([_triples()[:, low], _triples()[:, high]]).T


def classes_and_patterns(deals: ArrayLike) -> tuple[Index, Index]:
    """Find the forms of deals.

    Parameters
    ----------
    deals
        Card numbers, ``(N, 6)``, in any order within a deal.

    Returns
    -------
    Class numbers and pattern numbers, intp ``(N,)`` each.

    Raises
    ------
    CardError
        If they are not deals of six different cards.

    Examples
    --------
    >>> hearts, spades = [2, 6, 10, 14, 18, 22], [3, 7, 11, 15, 19, 23]
    >>> [numbers.tolist() for numbers in classes_and_patterns([hearts, spades])]
    [[257, 257], [0, 0]]
    """
    return _forms_of(_sorted_columns(_as_deals(deals)))


@cache
def all_forms() -> Forms:
    """List every form with the number of its deals, by going through all deals (seconds, once).

    Examples
    --------
    >>> forms = all_forms()
    >>> int(forms.deals.sum())
    20358520
    """
    deals = np.zeros(CLASSES * PATTERNS, dtype=np.int64)
    examples = np.zeros(CLASSES * PATTERNS, dtype=np.int64)
    for start, form in form_blocks():
        examples[form] = np.arange(start, start + len(form))
        # Neighbours in this order share their high cards, so each block spans few classes.
        low = int(form.min())
        counts = np.bincount(form - low)
        deals[low : low + len(counts)] += counts
    numbers = np.flatnonzero(deals)
    classes, patterns = np.divmod(numbers, PATTERNS)
    return Forms(classes, patterns, deals[numbers], examples[numbers])


def form_blocks(block: int = 1 << 16) -> Iterator[tuple[int, Index]]:
    """Go through all deals in order, some at a time, by the number of their form.

    Yields
    ------
    The first deal number of a block, and ``class * 187 + pattern`` for each of its deals.

    Examples
    --------
    >>> start, form = next(form_blocks())
    >>> start, len(form)
    (0, 65536)
    """
    for start in range(0, DEALS, block):
        classes, patterns = _forms_of(_columns_between(start, min(start + block, DEALS)))
        yield start, classes * PATTERNS + patterns


def evaluate(deals: ArrayLike, cribs: CribAverages, *, role: Role) -> KeepValues:
    """Value every keep of many deals.

    Parameters
    ----------
    deals
        Card numbers, ``(N, 6)``, in any order within a deal.
    cribs
        Average cribs against the opponent of this role.
    role
        Who asks.

    Returns
    -------
    Values of the 15 keeps of each *sorted* deal, in the order of ``tables.KEEPS``.

    Raises
    ------
    CardError
        If they are not deals of six different cards.

    Examples
    --------
    >>> from cribev.class_cribs import uniform_cribs
    >>> values = evaluate([[16, 17, 18, 43, 44, 48]], uniform_cribs(), role="dealer")
    >>> values.hand_mean.round(2).max().item()
    16.39
    """
    values = _Valuation(cribs, role)
    blocks = [values.all_keeps(*_forms_of(columns)) for columns in _blocks_of(_as_deals(deals))]
    hand, crib = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return KeepValues(hand, crib, hand + crib_sign(role) * crib)


def best_keeps(deals: ArrayLike, cribs: CribAverages, *, role: Role) -> BestKeeps:
    """Find the best keep of many deals, and its values.

    Parameters
    ----------
    deals
        Card numbers, ``(N, 6)``, in any order within a deal.
    cribs
        Average cribs against the opponent of this role.
    role
        Who asks.

    Returns
    -------
    Keep numbers of the *sorted* deals with their values. The first of tied keeps wins.

    Raises
    ------
    CardError
        If they are not deals of six different cards.

    Examples
    --------
    >>> from cribev.class_cribs import uniform_cribs
    >>> best = best_keeps([[48, 44, 43, 18, 17, 16]], uniform_cribs(), role="dealer")
    >>> KEEPS[best.keep].tolist()
    [[0, 1, 2, 5]]
    """
    deals = _as_deals(deals)
    best = BestKeeps(np.empty(len(deals), np.uint8), *(np.empty(len(deals)) for _ in range(3)))
    valuation = _Valuation(cribs, role)
    start = 0
    for columns in _blocks_of(deals):
        part = slice(start, start + len(columns[0]))
        found = valuation.best(*_forms_of(columns))
        best.keep[part], best.hand_mean[part] = found.keep, found.hand_mean
        best.crib_mean[part], best.expected[part] = found.crib_mean, found.expected
        start = part.stop
    return best


def best_policy(cribs: CribAverages, *, role: Role) -> Policy:
    """Respond best to an opponent, whatever is dealt.

    Parameters
    ----------
    cribs
        Average cribs against that opponent.
    role
        Who responds.

    Returns
    -------
    A keep number for each form, uint8 ``(18395, 187)``; 0 where no deal has the form.

    Examples
    --------
    >>> from cribev.class_cribs import uniform_cribs
    >>> best_policy(uniform_cribs(), role="pone").shape
    (18395, 187)
    """
    forms = all_forms()
    policy = np.zeros((CLASSES, PATTERNS), dtype=np.uint8)
    valuation = _Valuation(cribs, role)
    for start in range(0, len(forms.deals), _BLOCK):
        at = forms.classes[start : start + _BLOCK], forms.patterns[start : start + _BLOCK]
        policy[at] = valuation.compared(*at).argmax(axis=1)
    return policy


def compared_values(cribs: CribAverages, *, role: Role) -> Iterator[tuple[slice, Floats]]:
    """Give the values by which the keeps of every form compare, some forms at a time.

    Yields
    ------
    Which of `all_forms`, and values ``(n, 15)`` in exact 46ths of a point: the expected average
    but for the opponent's jacks, which are the same for all keeps of a form.

    Examples
    --------
    >>> from cribev.class_cribs import uniform_cribs
    >>> part, values = next(compared_values(uniform_cribs(), role="pone"))
    >>> part.start, values.shape
    (0, (8192, 15))
    """
    forms = all_forms()
    valuation = _Valuation(cribs, role)
    for start in range(0, len(forms.deals), _BLOCK):
        part = slice(start, start + _BLOCK)
        yield part, valuation.compared(forms.classes[part], forms.patterns[part])[:, :15]


def form_values(cribs: CribAverages, *, role: Role) -> Iterator[tuple[slice, KeepValues]]:
    """Value every keep of every form, some forms at a time.

    Yields
    ------
    Which of `all_forms`, and their values ``(n, 15)``.

    Examples
    --------
    >>> from cribev.class_cribs import uniform_cribs
    >>> part, values = next(form_values(uniform_cribs(), role="pone"))
    >>> part.start, values.expected.shape
    (0, (65536, 15))
    """
    forms = all_forms()
    valuation = _Valuation(cribs, role)
    step = 1 << 16
    for start in range(0, len(forms.deals), step):
        part = slice(start, start + step)
        hand, crib = valuation.all_keeps(forms.classes[part], forms.patterns[part])
        yield part, KeepValues(hand, crib, hand + crib_sign(role) * crib)


class _Valuation:
    """The tables that value keeps for one role: a row for the class and a row for the suits."""

    def __init__(self, cribs: CribAverages, role: Role) -> None:
        suits, sign = suit_tables(), crib_sign(role)
        self.sign = sign
        self.hand_of_class = hand_sums()
        self.crib_of_class = cribs.ranks
        self.hand_of_suits = suits.kept_nobs + suits.hand_flush
        self.crib_of_suits = suits.thrown_nobs + cribs.flush[suits.suited]
        self.jacks_of_class = cribs.jacks
        self.nobs_of_suits = suits.unseen_jacks @ cribs.nobs
        # numpy finds the greatest of 16 values in a third of the time it takes for 15.
        self.compared_of_class = np.full((CLASSES, 16), -np.inf)
        self.compared_of_class[:, :15] = self.hand_of_class + sign * self.crib_of_class
        self.compared_of_suits = np.zeros((len(self.hand_of_suits), 16))
        self.compared_of_suits[:, :15] = self.hand_of_suits + sign * self.crib_of_suits

    def compared(self, classes: Index, patterns: Index) -> Floats:
        """Values ``(n, 16)`` in exact 46ths of a point, but for what all keeps share."""
        values = self.compared_of_class.take(classes, axis=0)
        values += self.compared_of_suits.take(suit_rows(classes, patterns), axis=0)
        return values

    def best(self, classes: Index, patterns: Index) -> BestKeeps:
        keep = self.compared(classes, patterns).argmax(axis=1)
        rows = suit_rows(classes, patterns)
        of_class, of_suits = classes * 15 + keep, rows * 15 + keep
        hand = (self.hand_of_class.take(of_class) + self.hand_of_suits.take(of_suits)) / STARTERS
        crib = (self.crib_of_class.take(of_class) + self.crib_of_suits.take(of_suits)) / STARTERS
        crib += self.jacks_of_class.take(classes) * self.nobs_of_suits.take(rows)
        return BestKeeps(keep.astype(np.uint8), hand, crib, hand + self.sign * crib)

    def all_keeps(self, classes: Index, patterns: Index) -> tuple[Floats, Floats]:
        rows = suit_rows(classes, patterns)
        hand = (self.hand_of_class[classes] + self.hand_of_suits[rows]) / STARTERS
        crib = (self.crib_of_class[classes] + self.crib_of_suits[rows]) / STARTERS
        crib += (self.jacks_of_class[classes] * self.nobs_of_suits[rows])[:, None]
        return hand, crib


def _pattern_suit_counts() -> NDArray[np.int64]:
    """Count, for each card of each pattern, the deal's cards of its suit: int64 ``(187, 6)``.

    Examples
    --------
    >>> _pattern_suit_counts()[0].tolist()
    [6, 6, 6, 6, 6, 6]
    """
    suits = _pattern_suits()
    counts: NDArray[np.int64] = (suits[:, :, None] == suits[:, None, :]).sum(axis=2)
    return counts


def suited_discards() -> NDArray[np.int64]:
    """Tabulate the deal's cards of the suit of a suited discard, else 0: int64 ``(187, 15)``.

    Examples
    --------
    >>> suited_discards()[0].tolist() == [6] * 15
    True
    """
    suits = _pattern_suits()[:, DISCARDS]
    counts = _pattern_suit_counts()[:, DISCARDS[:, 0]]
    return np.where(suits[..., 0] == suits[..., 1], counts, 0)


@cache
def suit_tables() -> SuitTables:
    """Tabulate what suits add; `suit_rows` finds the row of a form.

    Examples
    --------
    >>> suit_tables().suited.shape  # 19 sets of places for jacks, 187 patterns
    (3553, 15)
    """
    suits, counts = _pattern_suits(), _pattern_suit_counts()
    masks = np.unique(_jack_masks())
    jacks = masks[:, None] >> np.arange(6) & 1  # (masks, 6): which positions are jacks
    matching = 13 - counts  # starters of each card's suit, (187, 6)
    nobs = jacks[:, None, :] * matching  # (masks, 187, 6)
    flush = (suits[:, KEEPS] == suits[:, KEEPS[:, :1]]).all(axis=2)
    flush_sum = flush * (4 * STARTERS + matching[:, KEEPS[:, 0]])
    rows = len(masks) * PATTERNS

    by_suit = (suits[:, :, None] == np.arange(4)).sum(axis=1)  # (187, 4)
    unseen = ~((suits[:, :, None] == np.arange(4)) & (jacks[:, None, :, None] == 1)).any(axis=2)
    of_count = by_suit[:, :, None] == np.arange(7)  # (187, 4, 7)
    unseen_jacks = (unseen[..., None] & of_count).sum(axis=2)  # (masks, 187, 7)
    of_card = (counts[:, :, None] == np.arange(7))[:, DISCARDS].astype(np.int64)
    share = unseen_jacks / np.maximum(unseen.sum(axis=2), 1)[..., None]
    return SuitTables(
        kept_nobs=nobs[:, :, KEEPS].sum(axis=3).reshape(rows, 15),
        thrown_nobs=nobs[:, :, DISCARDS].sum(axis=3).reshape(rows, 15),
        hand_flush=np.tile(flush_sum, (len(masks), 1)),
        suited=np.tile(suited_discards(), (len(masks), 1)),
        unseen_jacks=share.reshape(rows, 7),
        thrown_jacks=np.einsum("mkd,pkdn->mpkn", jacks[:, DISCARDS], of_card).reshape(rows, 15, 7),
    )


def suit_rows(classes: Index, patterns: Index) -> Index:
    """Find the rows of `suit_tables` for forms.

    Examples
    --------
    >>> suit_rows(np.array([0]), np.array([186])).tolist()
    [186]
    """
    return _first_suit_rows().take(classes) + patterns


def _jack_masks() -> NDArray[np.int64]:
    masks: NDArray[np.int64] = (class_ranks() == JACK) @ (1 << np.arange(6))
    return masks


@cache
def _first_suit_rows() -> Index:
    """For each class, the row of its jacks and the first pattern."""
    return np.unique(_jack_masks(), return_inverse=True)[1].astype(np.intp) * PATTERNS


@cache
def _binomials() -> NDArray[np.int64]:
    """Tabulate C(n, k): row k, column n."""
    return np.array([[comb(n, k) for n in range(DECK_SIZE + 1)] for k in range(7)])


@cache
def _pattern_suits() -> Cards:
    """Suits of the six sorted cards of each pattern, numbered as they appear, ``(187, 6)``."""
    patterns = [
        suits
        for suits in product(range(4), repeat=6)
        if all(suit <= max(suits[:at], default=-1) + 1 for at, suit in enumerate(suits))
    ]
    return np.array(patterns, dtype=np.uint8)


@cache
def _pattern_numbers() -> Index:
    """Pattern of the suits of six sorted cards, the lowest card in the lowest two bits."""
    every = np.array(list(product(range(4), repeat=6)))
    first = (every[:, :, None] == every[:, None, :]).argmax(axis=2)
    numbers = np.empty(4**6, dtype=np.intp)
    address = every @ 4 ** np.arange(6)
    # Two rows have the same pattern if each card's suit first appears at the same card.
    patterns = _pattern_suits()
    firsts = (patterns[:, :, None] == patterns[:, None, :]).argmax(axis=2) @ 6 ** np.arange(6)
    order = np.argsort(firsts)
    numbers[address] = order[np.searchsorted(firsts, first @ 6 ** np.arange(6), sorter=order)]
    return numbers


@cache
def _class_addresses() -> tuple[Index, Index, Index]:
    """Tables that sum to a class: of the three low ranks, of the three high ranks, and of the sum.

    Ascending ranks r0..r5 become distinct numbers r0, r1 + 1 … r5 + 5, whose colexicographic
    number is a sum of binomials, so it splits into a part for each half.
    """
    ranks = np.array(list(product(range(13), repeat=3)))
    low, high = (
        sum(_binomials()[at + 1][ranks[:, at - first] + at] for at in range(first, first + 3))
        for first in (0, 3)
    )
    compact = np.full(comb(18, 6), -1, dtype=np.intp)
    halves = class_ranks().astype(np.intp).reshape(-1, 2, 3) @ [169, 13, 1]
    compact[np.asarray(low)[halves[:, 0]] + np.asarray(high)[halves[:, 1]]] = np.arange(CLASSES)
    return np.asarray(low, dtype=np.intp), np.asarray(high, dtype=np.intp), compact


def _forms_of(columns: Columns) -> tuple[Index, Index]:
    a, b, c, d, e, f = (column >> 2 for column in columns)
    low, high, compact = _class_addresses()
    thirteen = np.uint16(13)
    classes = compact.take(
        low.take((a * thirteen + b) * thirteen + c) + high.take((d * thirteen + e) * thirteen + f)
    )
    a, b, c, d, e, f = (column & 3 for column in columns)
    code = (d | e << 2 | f << 4).astype(np.uint16) << 6
    code |= a | b << 2 | c << 4
    return classes, _pattern_numbers().take(code)


def _as_deals(deals: ArrayLike) -> Cards:
    deals = card_numbers(deals)
    if deals.ndim != 2 or deals.shape[1] != 6:
        raise CardError(f"deals have shape (N, 6), not {deals.shape}")
    return deals


def _blocks_of(deals: Cards) -> Iterator[Columns]:
    for start in range(0, max(len(deals), 1), _BLOCK):
        yield _sorted_columns(deals[start : start + _BLOCK])


def _sorted_columns(deals: Cards) -> Columns:
    """Sort the cards of each deal, all deals at once, one array a position."""
    columns = list(np.ascontiguousarray(deals.T))
    for low, high in _SORTING_NETWORK:
        columns[low], columns[high] = (
            np.minimum(columns[low], columns[high]),
            np.maximum(columns[low], columns[high]),
        )
    for first, second in pairwise(columns):
        if (first == second).any():
            at = int((first == second).argmax())
            raise CardError(
                f"{format_cards([int(first[at])])} comes twice in {format_cards(deals[at])}"
            )
    return columns


@cache
def _triples() -> Cards:
    """Three ascending cards in colexicographic order, uint8 ``(3, 22100)``."""
    triples = np.array(list(combinations(range(DECK_SIZE), 3)), dtype=np.uint8).T
    return np.ascontiguousarray(triples[:, np.lexsort(triples)])


@cache
def _first_numbers() -> NDArray[np.int64]:
    """For each three high cards, the number of the first deal that has them."""
    # The low three are any below the lowest of the high three, which gives C(d, 3) deals.
    return np.concatenate([[0], np.cumsum(_binomials()[3][_triples()[0]])])


def _columns_between(start: int, stop: int) -> Columns:
    firsts = _first_numbers()
    begin = int(np.searchsorted(firsts, start, side="right")) - 1
    end = int(np.searchsorted(firsts, stop, side="left"))
    edges = np.clip(firsts[begin : end + 1], start, stop)
    lengths = np.diff(edges)
    low = np.arange(start, stop) - np.repeat(firsts[begin:end], lengths)
    return [
        *(column[low] for column in _triples()),
        *(np.repeat(column[begin:end], lengths) for column in _triples()),
    ]
