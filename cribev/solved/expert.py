"""What an expert throws, counted over every hand he can hold."""

import os
from contextlib import suppress
from functools import cache
from math import comb, lcm
from pathlib import Path
from zlib import crc32

import numpy as np
import platformdirs
from numpy.typing import NDArray
from tqdm import tqdm

from cribev.classes.forms import ANY_KEEP, kept
from cribev.classes.numbers import DEALS, binomials
from cribev.classes.values import best_policy
from cribev.errors import TableError
from cribev.files.whole import written_whole
from cribev.game.cards import CardsLike, as_cards, unseen
from cribev.game.indices import DISCARDS, UNSEEN_PAIRS
from cribev.game.roles import Role
from cribev.solved.policies import Strategy, strategy
from cribev.solved.solution import load, shipped_checksum

UNSEEN = 46
_PARTS = lcm(*range(1, 16))  # of a hand, so that each of its keeps gets a whole number of them

_BLOCK = 1 << 17  # hands at a time: enough to make clearing and adding the counts cheap


def exact_weights(deal: CardsLike, strategy: Strategy) -> NDArray[np.float64]:
    """Count the opponent's hands that throw each pair and leave each starter.

    Parameters
    ----------
    deal
        The six cards of the player who asks.
    strategy
        The opponent's set of keeps for every deal in colexicographic order, uint16
        ``(20358520,)``. It may be a memory map.

    Returns
    -------
    float64 ``(1035, 46)``: for each pair, in the order of ``itertools.combinations`` of the
    ascending unseen cards, and each unseen card as starter, how many of the 9,366,819 hands the
    opponent can hold throw that pair and do not contain that starter. A hand with several keeps
    counts for each of them in part. Each starter's column sums to C(45, 6) = 8,145,060.

    Raises
    ------
    CardError
        If the deal is not six different cards.
    TableError
        If the strategy is not of all deals, or holds anything but sets of keeps.

    Examples
    --------
    >>> strategy = np.ones(20358520, dtype=np.uint16)  # always keep the four lowest cards
    >>> weights = exact_weights("5H 5D JS QC 2H 8D", strategy)
    >>> weights.shape, float(weights[:, 0].sum())
    ((1035, 46), 8145060.0)
    >>> weights[-1, :2].tolist()  # the red kings and four of the 43 cards below, not AC, AD
    [123410.0, 123410.0]
    """
    own = as_cards(deal, count=6)
    if strategy.shape != (DEALS,):
        raise TableError(f"a strategy has {DEALS:,} sets, one a deal, not shape {strategy.shape}")
    ways = binomials()[:, unseen(own)]
    low = _low_cards()
    # Hands with the same two highest cards are deals that lie together, and their low cards are
    # the start of one list: one list of numbers finds them all.
    numbers = np.sum([ways[size][column] for size, column in enumerate(low, start=1)], axis=0)
    tally = _Tally()
    for highest in range(5, UNSEEN):
        for second in range(4, highest):
            deals = strategy[ways[6][highest] + ways[5][second] :]
            size = comb(second, 4)
            for start in range(0, size, _BLOCK):
                part = slice(start, min(start + _BLOCK, size))
                tally.add(deals.take(numbers[part]), low[:, part], second, highest)
        tally.count(highest)
    return tally.weights()


class _Tally:
    """Counts what hands throw, a block of hands with one highest card at a time."""

    def __init__(self) -> None:
        # Whole numbers of _PARTS, which float64 adds up exactly.
        self._thrown = np.zeros((UNSEEN, UNSEEN**2))  # by highest card and pair
        self._held = np.zeros(UNSEEN**3)  # by pair and one of the five others
        self._sets = np.empty(2 * _BLOCK, dtype=np.uint16)
        self._hands = np.empty((6, 2 * _BLOCK), dtype=np.intp)
        self._waiting = 0

    def add(
        self, sets: NDArray[np.uint16], low: NDArray[np.intp], second: int, highest: int
    ) -> None:
        """Take hands in; count them when there are enough to make clearing the counts cheap."""
        part = slice(self._waiting, self._waiting + len(sets))
        self._sets[part] = sets
        self._hands[:4, part] = low
        self._hands[4, part] = second
        self._hands[5, part] = highest
        self._waiting = part.stop
        if self._waiting >= _BLOCK:
            self.count(highest)

    def count(self, highest: int) -> None:
        """Count the hands that wait."""
        sets = self._sets[: self._waiting]
        if len(sets) and not 0 < sets.min() <= sets.max() <= ANY_KEEP:
            raise TableError("a strategy with no keeps, or more than 15, for a deal")
        hands, keeps, of = kept(sets)
        parts = (_PARTS // of).astype(np.float64)
        first, second = (self._hands[place[keeps], hands] for place in DISCARDS.T)
        pair = (first * UNSEEN + second) * UNSEEN
        for column in self._hands[:5]:
            np.add(pair, column[hands], out=first)
            held = np.bincount(first, parts, minlength=UNSEEN**3)
            self._held += held
        # The last column holds one card of each hand, so its counts add up to the hands.
        self._thrown[highest] += held.reshape(-1, UNSEEN).sum(axis=1)
        self._waiting = 0

    def weights(self) -> NDArray[np.float64]:
        """Count the hands that throw each pair and leave each card."""
        # A pair's own cards are held in every hand that throws it, so they come out as no starter.
        inside = self._held.reshape(UNSEEN**2, UNSEEN) + self._thrown.T
        left = self._thrown.sum(axis=0)[:, None] - inside
        weights: NDArray[np.float64] = left[UNSEEN_PAIRS @ [UNSEEN, 1]] / _PARTS
        return weights


def cache_folder() -> Path:
    """Return where the expert's strategy is kept: ``CRIBEV_CACHE_DIR``, or the user's cache folder.

    Examples
    --------
    >>> isinstance(cache_folder(), Path)
    True
    """
    return Path(os.environ.get("CRIBEV_CACHE_DIR") or platformdirs.user_cache_dir("cribev"))


@cache
def expert_strategy(role: Role) -> Strategy:
    """Return the expert's best keeps of every deal of a role.

    The first time it is unpacked from the shipped solution, which takes a second, with a progress
    bar on a terminal's standard error, and kept in `cache_folder` (40 MB a role); then it is
    mapped from there. Its name there carries its checksum: a damaged file is replaced, one of
    another version is left alone, and a folder that cannot be written does no harm.

    Returns
    -------
    Sets of keeps in colexicographic order of the deals, uint16 ``(20358520,)``.

    Examples
    --------
    >>> len(expert_strategy("pone"))
    20358520
    """
    checksum = shipped_checksum(role)
    file = cache_folder() / f"expert-{role}-{checksum:08x}.bin"
    with suppress(OSError, ValueError):
        there = np.memmap(file, dtype=np.uint16, mode="r")
        if len(there) == DEALS and crc32(there.data) == checksum:
            return there
    with tqdm(
        total=DEALS,
        desc=f"unpacking the expert {role}",
        unit=" deals",
        unit_scale=True,
        leave=False,
        disable=None,
    ) as bar:
        policy = best_policy(load().cribs[role], role=role)
        sets = strategy(policy, report=bar.update)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(file) as opened:
            opened.write(sets.data)
    return sets


@cache
def _low_cards() -> NDArray[np.intp]:
    """Four of 44 positions ascending, in colexicographic order, intp ``(4, 135751)``."""
    rest = np.arange(comb(UNSEEN - 2, 4))
    columns = []
    for size in (4, 3, 2, 1):
        steps = np.array([comb(position, size) for position in range(UNSEEN)])
        columns.append(np.searchsorted(steps, rest, side="right") - 1)
        rest = rest - steps[columns[-1]]
    return np.stack(columns[::-1])
