"""Solutions written to files, which `cribev.solution` reads, and states tabulated for them."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_LZMA, ZipFile, ZipInfo
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from cribev.classes import class_tables
from cribev.classes.canonical import Floats, Policy
from cribev.classes.class_tables import CribAverages
from cribev.game.cards import PIP_VALUES
from cribev.game.play import LIMIT, points_for_last_card
from cribev.game.roles import ROLES, Role
from cribev.solution.solution import CRIB_BYTES, CRIB_SHAPES, FORMAT, PAIR_ARRAYS, Solution
from cribev.solution.solved_play import (
    PEGGING_STEP,
    PLAY_ROUNDS,
    PROBABILITY_PARTS,
    STATISTICS,
    STEPS,
    TABLE_BYTES,
    ExpectedPegging,
    KeepFrequencies,
    SolvedPlay,
    quantize,
)
from cribev.solution.strategy import CELLS, PARTS, PlayStates, Strategy
from cribev.solution.win_table import ERROR_PARTS, WinTable
from cribev.system.files import atomic_write
from solver.provenance import Provenance


def save(
    solution: Solution,
    file: Path | str | IO[bytes],
    *,
    provenance: Provenance | None = None,
    force: bool = True,
) -> None:
    """Write a solution as ``.npz``, with the strategy; CribevError if one is not replaced."""
    arrays: dict[str, Any] = {"format": np.array(FORMAT)}
    arrays |= {} if provenance is None else provenance.to_arrays()
    for role in ROLES:
        pairs = solution.pairs[role]
        arrays |= _cribs_to_arrays(solution.cribs[role], f"{role}_cribs") | {
            f"{role}_exploitability": np.array(solution.exploitability[role]),
            f"{role}_show_averages": np.array(solution.averages[role]),
            f"{role}_policy_checksum": np.array(solution.checksums[role]),
            **{
                f"{role}_pairs_{name}": value
                for name, value in zip(PAIR_ARRAYS, pairs, strict=True)
            },
        }
        if solution.exploitability[role] > 0:
            arrays |= _cribs_to_arrays(solution.actual_cribs[role], f"{role}_actual_cribs")
    if solution.play is not None:
        arrays |= _play_to_arrays(solution.play)
    if solution.win_table is not None:
        arrays |= win_table_to_arrays(solution.win_table)
    # In memory first: a ZipFile whose file cannot be written complains once more when it goes.
    whole = BytesIO()
    np.savez_compressed(whole, **arrays)
    if solution.play is not None and isinstance(strategy := solution.play.strategy, Strategy):
        store_strategy(strategy, whole)
    if isinstance(file, str | Path):
        with atomic_write(Path(file), force=force) as opened:
            opened.write(whole.getbuffer())
    else:
        file.write(whole.getbuffer())


def _cribs_to_arrays(cribs: CribAverages, name: str) -> dict[str, NDArray[Any]]:
    return {
        f"{name}_ranks": quantize(cribs.ranks, step=class_tables.GRID, bytes_each=CRIB_BYTES),
        **{f"{name}_{key}": getattr(cribs, key) for key in CRIB_SHAPES},
    }


def _play_to_arrays(play: SolvedPlay) -> dict[str, NDArray[Any]]:
    """Make arrays to be stored, but for the strategy; averages are rounded to the grid."""
    arrays: dict[str, NDArray[Any]] = {
        "play_exploitability": np.array(play.exploitability),
        PLAY_ROUNDS: np.array(play.rounds),
        "play_rms_changes": np.array(play.rms_changes, dtype=np.float64),
        **_tables_to_arrays("keep_frequencies", play.keep_frequencies),
        **_tables_to_arrays("expected_pegging", play.expected_pegging),
    }
    for role, keeps in play.statistics.items():
        held = np.isfinite(keeps.first_card_value)
        first = {name: getattr(keeps, name)[held] for name in ("first_card", "first_card_value")}
        tables = {**keeps._asdict(), **first}
        for name, (parts, kind) in STATISTICS.items():
            tables[name] = np.rint(tables[name] * parts).astype(kind)
        tables["first_card_held"] = np.packbits(held)
        arrays |= {f"{role}_statistics_{name}": table for name, table in tables.items()}
    return arrays


def _tables_to_arrays(
    name: str, by_role: Mapping[Role, ExpectedPegging | KeepFrequencies]
) -> dict[str, NDArray[Any]]:
    """Make arrays to be stored, in the steps of these tables."""
    return {
        f"{role}_{name}_{field}": quantize(table, step=STEPS[name], bytes_each=TABLE_BYTES)
        for role in ROLES
        for field, table in by_role[role]._asdict().items()
    }


def on_pegging_grid(points: Floats) -> Floats:
    """Round average points to the grid they are stored on."""
    return np.rint(points / PEGGING_STEP) * PEGGING_STEP


def win_table_to_arrays(table: WinTable) -> dict[str, NDArray[Any]]:
    """Make arrays to be stored."""
    errors = np.minimum(np.ceil(table.standard_error * ERROR_PARTS), 2**16 - 1)
    arrays = {
        "win_table_standard_error": errors.astype("<u2"),
        "win_table_deals": np.array(table.deals),
        "win_table_to_win": np.packbits(table.to_win),
    }
    for prefix, outcomes in (("", table.outcomes), ("pone_", table.pone_outcomes)):
        if outcomes is not None:
            win, skunk, twice, _, *lost = outcomes.to_dict().values()
            rounded = np.rint(np.stack([win, skunk, twice, *lost]) * PROBABILITY_PARTS)
            arrays[f"{prefix}win_table_win"], arrays[f"{prefix}win_table_skunks"] = np.split(
                rounded.astype("<u2"), [1]
            )
    return arrays


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
        with archive.open(_packed(CELLS), "w") as member:
            member.write(np.ascontiguousarray(strategy.cells).data)


def _packed(name: str) -> ZipInfo:
    info = ZipInfo(name)
    info.compress_type = ZIP_LZMA
    return info


def policy_checksum(policy: Policy) -> int:
    """Return a checksum of a policy, the same on every platform."""
    return crc32(policy.astype("<u2").tobytes())


def tabulate_states(ranks: Sequence[int]) -> PlayStates:
    """Tabulate the states of a count, those with the same future as one: 22,498, some 5 seconds."""
    rows: dict[tuple[tuple[int, int], ...], int] = {(): 0}
    numbers: dict[tuple[int, tuple[int, ...]], int] = {}

    def number(count: int, played: tuple[int, ...]) -> int:
        key = count, _in_play(count, played, ranks)
        if key not in numbers:
            row = []
            for rank in ranks:
                after, cards = count + PIP_VALUES[rank], (*key[1], rank)
                if after > LIMIT:  # a fifth of a rank fits: nobody has it, and it costs no more
                    row.append((-1, 0))
                    continue
                gained = sum(points for _, points, _ in points_for_last_card(cards, after))
                row.append((0 if after == LIMIT else number(after, cards), gained))
            numbers[key] = rows.setdefault(tuple(row), len(rows))
        return numbers[key]

    number(0, ())
    *others, first = list(rows)[1:]
    table = np.array([first, *others])
    return PlayStates(table[..., 0].astype(np.int32), table[..., 1].astype(np.int8))


def _in_play(count: int, played: tuple[int, ...], ranks: Sequence[int]) -> tuple[int, ...]:
    """Drop the cards that no pair or run to come can use."""
    alike = 1
    while alike < len(played) and played[-1 - alike] == played[-1]:
        alike += 1
    if alike > 1:
        return played[-min(alike, 4) :]
    keep = min(1, len(played))
    for length in range(2, len(played) + 1):
        cards = played[-length:]
        if len(set(cards)) < length:
            break
        low, high = min(cards), max(cards)
        missing = set(range(low, high)) - set(cards)
        beside = [PIP_VALUES[rank] for rank in (low - 1, high + 1) if rank in ranks]
        needed = sum(PIP_VALUES[rank] for rank in missing) or min(beside, default=LIMIT)
        if missing <= set(ranks) and count + needed <= LIMIT:
            keep = length
    return played[len(played) - keep :]
