"""Discards and play to win from one score on, and the cache of the scores that were solved."""

import os
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from cribev.errors import CribevError
from cribev.game.roles import ROLES, Role
from cribev.solution.play import KeepFrequencies, keep_frequencies_to_arrays, read_keep_frequencies
from cribev.solution.solution import DAMAGE, load, shipped_keep_frequencies, shipped_strategy
from cribev.solution.strategy import Strategy
from cribev.system.cache import cache_folder
from cribev.system.files import atomic_write, is_regular_or_new

CACHE_VERSION = 1
"""Of the files in the cache, and of how scores are solved; those of another are not read."""

SCORES_CACHED = 20
"""So many scores stay in the cache; those that were not used for longest go."""


class ScoreStrategy(NamedTuple):
    """What two experts keep and how they play who do so to win from one score on."""

    needs: tuple[int, int]
    """Points that pone and the dealer need when the play begins."""
    strategy: Strategy
    """How both play until somebody is out; what would be after that, nobody has learned."""
    keep_frequencies: Mapping[Role, KeepFrequencies]
    """What both keep; suits do not count in it."""

    def check_needs(self, needs: tuple[int, int]) -> None:
        """Raise CribevError if pone and the dealer need something else."""
        if needs != self.needs:
            solved, asked = (
                f"pone needs {pone}, the dealer {dealer}" for pone, dealer in (self.needs, needs)
            )
            raise CribevError(f"this opponent plays to win where {solved}; here {asked}")


def score_strategy_to_arrays(found: ScoreStrategy) -> dict[str, NDArray[Any]]:
    """Make arrays to be stored."""
    return {
        "basis": _basis(found.needs),
        "cells": found.strategy.cells,
        **keep_frequencies_to_arrays(found.keep_frequencies),
    }


def read_score_strategy(
    arrays: Mapping[str, NDArray[Any]], needs: tuple[int, int]
) -> ScoreStrategy:
    """Read what `score_strategy_to_arrays` made; raise KeyError or ValueError if it is not that."""
    if arrays["basis"].tolist() != _basis(needs).tolist():
        raise ValueError("another score, or of another solution")
    expert, cells = shipped_strategy(), arrays["cells"]
    cells.flags.writeable = False
    strategy = Strategy(expert.size, expert.states, cells)
    return ScoreStrategy(
        needs, strategy, {role: read_keep_frequencies(arrays, role) for role in ROLES}
    )


def cached_score_strategy(needs: tuple[int, int]) -> ScoreStrategy | None:
    """Return what was solved for these needs of pone and the dealer, if it is in the cache."""
    file = _cache_file(needs)
    with suppress(*DAMAGE):
        if file and file.is_file():  # a pipe would have us wait
            with file.open("rb") as opened, np.load(opened, allow_pickle=False) as stored:
                found = read_score_strategy(stored, needs)
            with suppress(OSError):
                os.utime(file)  # it was used now
            return found
    return None


def cache_score_strategy(found: ScoreStrategy) -> None:
    """Keep it in the cache: a file that appears whole, some MB.

    `SCORES_CACHED` of them stay. A folder that cannot be written, or no home to have it in, does no
    harm.
    """
    file = _cache_file(found.needs)
    with suppress(OSError):
        if file and is_regular_or_new(str(file)):
            file.parent.mkdir(parents=True, exist_ok=True)
            arrays: dict[str, Any] = {**score_strategy_to_arrays(found)}
            with atomic_write(file) as made:
                np.savez_compressed(made, **arrays)
            _remove_oldest(file.parent)


def _cache_file(needs: tuple[int, int]) -> Path | None:
    folder = cache_folder()
    pone, dealer, checksum, version = _basis(needs).tolist()
    return folder and folder / f"score-{pone}-{dealer}-{checksum:08x}-{version}.npz"


def _basis(needs: tuple[int, int]) -> NDArray[np.int64]:
    """Tell what a solution is of: the needs, what it was solved from, and how."""
    return np.array([*needs, _shipped_checksum(), CACHE_VERSION], dtype=np.int64)


@cache
def _shipped_checksum() -> int:
    """Return a checksum of what a score is solved from: the win table and the first keeps."""
    win_table = load(play=True).win_table
    checksum = 0 if win_table is None else crc32(win_table.win.tobytes())
    for role in ROLES:
        checksum = crc32(shipped_keep_frequencies(role).share.tobytes(), checksum)
    return checksum


def _remove_oldest(folder: Path) -> None:
    def used(file: Path) -> float:
        with suppress(OSError):
            return file.stat().st_mtime
        return 0.0  # another process has removed it

    for file in sorted(folder.glob("score-*.npz"), key=used)[:-SCORES_CACHED]:
        with suppress(OSError):
            file.unlink()
