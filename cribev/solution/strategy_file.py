"""The strategy of the play in a solution's file: packed there, and opened in a moment."""

from typing import IO, Any
from zipfile import ZIP_LZMA, ZipFile, ZipInfo

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from cribev.errors import TableError
from cribev.solution.keeps import GameSize
from cribev.solution.play_states import PlayStates
from cribev.solution.strategy import PARTS, Strategy
from cribev.system.cache import unpacked

_CELLS = "strategy_cells"
"""The name of the bytes. They are a member of their own without a header, so that they can be
mapped, and packed by LZMA, which makes them a quarter smaller than what numpy packs by."""


def store_strategy(strategy: Strategy, file: IO[bytes]) -> None:
    """Add a strategy to an ``.npz`` file that can be read and written; packing takes half a minute.

    >>> from io import BytesIO
    >>> from cribev.solution.play_states import tabulate_states
    >>> size = GameSize((4, 9), 2)
    >>> states = tabulate_states(size.ranks)
    >>> file = BytesIO()
    >>> store_strategy(Strategy(size, states, np.array([0, 1, 127], dtype=np.uint8)), file)
    >>> _ = file.seek(0)
    >>> with np.load(file) as arrays:
    ...     read_strategy(arrays).cells.tolist()
    [0, 1, 127]
    """
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
    """Read what `store_strategy` added; the bytes come from the cache, see `unpacked`.

    Raises KeyError, ValueError or what `zipfile` raises if it is damaged.
    """
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
