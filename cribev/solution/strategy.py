"""The whole strategy of the play: how often an expert lays which card, wherever a play can stand.

There is one byte for each entry, in depth-first order from the root of the public tree
(`tree`). At a node its own table comes first, then the subtrees of the ranks that fit, the
lowest first, then that of the go. Entries are chances in parts of 128. ``N(cards)`` is how many
holdings of so many cards there are, as `GameSize.holdings` lists them. The table of a node whose
mover has

- three cards or more: ``(fits, N(cards - 1))``. At ``[rank, rest]`` stands how often a holding of
  that rank and that rest lays the rank. For each holding with a rank that fits they add up to 128.
- two cards: a byte for each two ranks ``a < b`` that both fit, by a and then b: how often a is
  laid. Two of a rank, or one that fits, leave no choice, and nothing is stored.
- one card: nothing.

How many bytes stand below a node depends only on its state, its go and the cards left. So the place
of every table follows from the sizes of what stands before it. The whole game has 58,442,526 bytes.

In a solution's file it is packed, and opened in a moment.
"""

from functools import cache
from typing import IO, Any
from zipfile import ZIP_LZMA, ZipFile, ZipInfo

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from cribev.classes.canonical import Index
from cribev.errors import TableError
from cribev.solution.tree import GameSize, Integers, PlayStates, PlayStrategy, PublicNode
from cribev.system.cache import unpacked

PARTS = 128
"""Chances are stored in so many parts of one; all are exact in binary."""


class Strategy(PlayStrategy):
    """The strategy of both players, and its lookup.

    Its bytes, uint8 ``(n,)``, may be mapped from a file, and are not changed; TableError if these
    are not as many as the game has entries.
    """

    name = "expert"

    def __init__(self, size: GameSize, states: PlayStates, cells: NDArray[np.uint8]) -> None:
        super().__init__(size, states)
        self.cells = cells
        self._places = _tabulate_places(size, states)
        entries = int(self._places[size.kept, size.kept, 0, 0, -1])
        if cells.dtype != np.uint8 or cells.shape != (entries,):
            raise TableError(
                f"a strategy of {cells.dtype} {cells.shape}: expected uint8 ({entries},)"
            )
        # A game without a choice has no bytes, but a lookup reads one for entries it passes over.
        self._read = np.asarray(cells) if entries else np.zeros(1, dtype=np.uint8)

    def __repr__(self) -> str:
        return f"<Strategy of {len(self.size.ranks)} ranks, {self.size.kept} cards each>"

    def after_card(self, node: PublicNode, rank: Integers) -> PublicNode:
        """Return the node after a card, and where its table begins."""
        ahead = self._places[node.mover_left, node.other_left, node.go, node.state, rank]
        return _further(super().after_card(node, rank), node, ahead)

    def after_go(self, node: PublicNode) -> PublicNode:
        """Return the node after a go, and where its table begins."""
        ahead = self._places[node.mover_left, node.other_left, node.go, node.state, -2]
        return _further(super().after_go(node), node, ahead)

    def policies(self, nodes: PublicNode) -> NDArray[np.float32]:
        """Look many nodes up, float32."""
        held = np.unique(nodes.mover_left)
        if len(held) != 1 or not 0 < held[0] <= self.size.kept:
            raise TableError(f"movers with {held.tolist()} cards left: expected one number")
        cards, ranks = int(held[0]), len(self.size.ranks)
        parts: NDArray[np.float32]
        state, place = np.broadcast_arrays(nodes.state, nodes.place)
        if place.ndim == 1 and cards > 2:  # long tables: of several hands' nodes many are the same
            same = place.astype(np.int64) * len(self.fits) + state
            _, first, of = np.unique(same, return_index=True, return_inverse=True)
            if len(first) < len(place):
                mover, other = int(held[0]), nodes.other_left
                one = PublicNode(state[first], 0, 0, mover, other, place[first])
                return self.policies(one)[of]
        fits = self.fits[state]
        if cards == 1:
            parts = PARTS * (np.arange(ranks) < fits[..., None])[..., None].astype(np.float32)
        elif cards == 2:
            entry, sign, base = (part[fits] for part in _pair_rules(ranks))
            parts = self._entries(entry + place[..., None, None]) * sign + base
        else:
            below = self.size.holding_count(cards - 1)
            entry = place[..., None] + np.arange(ranks * below)
            parts = self._entries(entry).astype(np.float32)
            parts = parts.reshape(*state.shape, ranks, below)
            parts[np.arange(ranks) >= fits[..., None]] = 0
        parts /= PARTS
        return parts

    def chances_of_rests(self, nodes: PublicNode, rests: Index) -> NDArray[np.float32]:
        """Look up no more than what is asked for."""
        cards, ranks = int(np.ravel(nodes.mover_left)[0]), len(self.size.ranks)
        if cards == 1:
            return super().chances_of_rests(nodes, rests).astype(np.float32)
        state, place = np.broadcast_arrays(nodes.state, nodes.place)
        fits, laid = self.fits[state][..., None], np.arange(ranks)
        if cards == 2:
            entry, sign, base = (part[fits, laid, rests] for part in _pair_rules(ranks))
            parts = self._entries(entry + place[..., None]) * sign + base
        else:
            entry = laid * self.size.holding_count(cards - 1) + rests
            parts = np.where(laid < fits, self._entries(place[..., None] + entry), 0)
        chances: NDArray[np.float32] = (parts / np.float32(PARTS)).astype(np.float32)
        return chances

    def _entries(self, places: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Read bytes; what is padding may lie beyond the last."""
        return self._read[np.minimum(places, len(self._read) - 1)]


def count_entries(size: GameSize, states: PlayStates) -> int:
    """Count the bytes of a whole strategy."""
    return int(subtree_sizes(size, states)[size.kept, size.kept, 0, 0])


def subtree_sizes(size: GameSize, states: PlayStates) -> NDArray[np.int32]:
    """Count the bytes from a node down, ``(kept + 1, kept + 1, 2, S)``.

    They are by the cards that who moves and who waits have left, the go and the state.
    """
    return _tabulate_places(size, states)[..., -1]


def _tabulate_places(size: GameSize, states: PlayStates) -> NDArray[np.int32]:
    """Count the bytes of a node before each child, ``(kept + 1, kept + 1, 2, S, R + 2)``.

    The last axis has the ranks, then the go, then the end of the subtree; the others are those of
    `subtree_sizes`.
    """
    kept, (number, ranks) = size.kept, states.next_state.shape
    after, fits = states.next_state, states.fits
    partial_go = fits < ranks
    places = np.zeros((kept + 1, kept + 1, 2, number, ranks + 2), dtype=np.int32)
    whole = np.zeros((kept + 1, kept + 1, 2, number), dtype=np.int32)
    for total in range(3, 2 * kept + 1):
        movers = range(max(1, total - kept), min(kept, total - 1) + 1)
        for cards in movers:
            other = total - cards
            table = _table_sizes(size, fits, cards)
            for go in range(2):
                child = whole[other, cards - 1, 0][after]
                if go:
                    child = np.where(after == 0, child, whole[cards - 1, other, 1][after])
                child[after < 0] = 0
                here = places[cards, other, go]
                here[:, 0] = table
                np.cumsum(child, axis=1, out=here[:, 1 : ranks + 1])
                here[:, 1 : ranks + 1] += table[:, None]
                whole[cards, other, go] = here[:, ranks]
        for go in (1, 0):  # the second go leads to nothing laid, where no go can be said
            for cards in movers:
                below = whole[total - cards, cards]
                child = np.broadcast_to(below[0, 0], number) if go else below[1]
                whole[cards, total - cards, go] += np.where(partial_go, child, 0)
    places[..., -1] = whole
    return places


def _table_sizes(size: GameSize, fits: NDArray[np.int64], cards: int) -> NDArray[np.int64]:
    """Count the bytes of a node's own table, by state."""
    if cards > 2:
        return fits * size.holding_count(cards - 1)
    return fits * (fits - 1) // 2 if cards == 2 else np.zeros_like(fits)


@cache
def _pair_rules(ranks: int) -> tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.float32]]:
    """For two cards, by ranks that fit, card laid and kept: a chance is ``base + sign * entry``."""
    fits, laid, kept = np.ogrid[: ranks + 1, :ranks, :ranks]
    low, high = np.minimum(laid, kept), np.maximum(laid, kept)
    choice = (laid != kept) & (high < fits)
    entry = np.where(choice, low * (2 * fits - low - 1) // 2 + high - low - 1, 0)
    sign = np.where(choice, np.where(laid < kept, 1, -1), 0).astype(np.int8)
    base = np.where((laid < fits) & ~(choice & (laid < kept)), PARTS, 0).astype(np.float32)
    return entry, sign, base


def _further(after: PublicNode, node: PublicNode, ahead: NDArray[np.int32]) -> PublicNode:
    """Move on by so many bytes from where the table of a node begins."""
    place = node.place + ahead.astype(np.int64)
    return after._replace(place=int(place) if isinstance(after.state, int) else place)


_CELLS = "strategy_cells"
"""The name of the bytes. They are a member of their own without a header, so that they can be
mapped, and packed by LZMA, which makes them a quarter smaller than what numpy packs by."""


def store_strategy(strategy: Strategy, file: IO[bytes]) -> None:
    """Add a strategy to an ``.npz`` file open for reading and writing; it takes half a minute."""
    states = strategy.states
    arrays: dict[str, NDArray[Any]] = {
        "ranks": np.array(strategy.size.ranks, dtype=np.uint8),
        "kept": np.array(strategy.size.kept),
        "parts": np.array(PARTS),
        "next_state": states.next_state.astype("<i2"),
        "points": states.points,
    }
    with ZipFile(file, "a", ZIP_LZMA) as archive:
        for name, array in arrays.items():
            with archive.open(_packed(f"strategy_{name}.npy"), "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
        with archive.open(_packed(_CELLS), "w") as member:
            member.write(np.ascontiguousarray(strategy.cells).data)


def has_strategy(arrays: NpzFile) -> bool:
    """Whether a strategy was stored."""
    return _CELLS in arrays


def read_strategy(arrays: NpzFile) -> Strategy:
    """Read what `store_strategy` added; raise what `zipfile` does, KeyError or ValueError."""
    ranks, kept, parts, next_state, points = (
        arrays[f"strategy_{name}"] for name in ("ranks", "kept", "parts", "next_state", "points")
    )
    if (
        arrays.zip is None
        or parts != PARTS
        or next_state.shape != points.shape
        or next_state.shape[1:] != ranks.shape
        or next_state.min() < -1
        or next_state.max() >= len(next_state)
    ):
        raise ValueError(f"a strategy of parts {parts} and states {next_state.shape}")
    size = GameSize(tuple(ranks.tolist()), int(kept))
    states = PlayStates(next_state.astype(np.int32), points)
    cells = unpacked(arrays.zip, _CELLS, doing="unpacking the strategy of the play")
    try:
        return Strategy(size, states, cells)
    except TableError as error:
        raise ValueError(str(error)) from error


def _packed(name: str) -> ZipInfo:
    info = ZipInfo(name)
    info.compress_type = ZIP_LZMA
    return info
