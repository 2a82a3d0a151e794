"""Average cribs, and what experts discard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from rich.text import Text

from cribev.classes.canonical import RANK_PAIRS, Floats
from cribev.game.cards import RANKS
from cribev.game.roles import Role
from cribev.rows.pairs import published_cribs
from cribev.solution.solution import Solution, load
from cribev.tables.listing import Cell, Listing

_FULL = 0.5  # points: differences this large or larger have the full colour


def discarded_pairs(role: Role, *, solution: Solution | None = None) -> pd.DataFrame:
    """Tabulate what an expert discards, and the average crib it makes.

    There are 169 rows, for each pair of ranks unsuited and suited: ``role, rank1, rank2, suited``;
    ``discarded``, the share of all deals that discard it; ``crib_mean``, the average crib in points
    over these deals (missing if there are none); ``crib_mean_held``, the same over all deals that
    hold it, whatever they discard.
    """
    pairs = (solution or load(play=True)).pairs[role]
    frames = [
        _by_pair(
            role,
            suited=bool(suited),
            discarded=pairs.discarded[:, suited],
            crib_mean=pairs.crib_when_discarded[:, suited],
            crib_mean_held=pairs.crib_when_held[:, suited],
        )
        for suited in (0, 1)
    ]
    frames[1] = frames[1][RANK_PAIRS[:, 0] < RANK_PAIRS[:, 1]]
    return pd.concat(frames, ignore_index=True)


def _by_pair(role: Role, **columns: Any) -> pd.DataFrame:
    """Add a role and each pair of ranks before columns."""
    low, high = (np.array(list(RANKS), dtype=object)[ranks] for ranks in RANK_PAIRS.T)
    return pd.DataFrame({"role": role, "rank1": low, "rank2": high, **columns})


def compared_cribs(role: Role, name: str, *, solution: Solution | None = None) -> pd.DataFrame:
    """Compare the expert's average cribs with one of `PUBLISHED_CRIBS`.

    There are 91 rows, for each pair of ranks, suited and unsuited together: ``role, rank1, rank2,
    discarded, crib_mean, published`` and ``difference``, the expert's minus the published.
    """
    pairs = (solution or load(play=True)).pairs[role]
    discarded = pairs.discarded.sum(axis=1)
    total = np.nansum(pairs.discarded * pairs.crib_when_discarded, axis=1)
    crib = np.divide(total, discarded, out=np.full(len(discarded), np.nan), where=discarded > 0)
    published = published_cribs(name)[role][tuple(RANK_PAIRS.T)]
    columns = {"discarded": discarded, "crib_mean": crib, "published": published}
    return _by_pair(role, **columns, difference=crib - published)


def pair_chart(
    title: str,
    cells: Floats,
    table: pd.DataFrame,
    *,
    signed: bool = False,
    notes: Sequence[str] = (),
) -> Listing:
    """Chart rank pairs, ``(13, 13)``, suited below the diagonal; ``signed`` ones around zero."""
    if signed:
        colour_note = f"colours are full at {_FULL} points"
        shades = np.clip(cells / (2 * _FULL) + 0.5, 0, 1)
    else:
        notes, colour_note = (*notes, "different suits above the diagonal, the same suit below"), ""
        shown = cells[np.isfinite(cells)]
        shades = np.searchsorted(np.sort(shown), cells) / max(len(shown) - 1, 1)
    rows: list[list[Cell]] = []
    for rank, values, row in zip(RANKS, cells.round(2) + 0.0, shades, strict=True):
        rows.append([Text(rank, style="bold")])  # no minus before nothing
        for value, shade in zip(values, row, strict=True):
            sign = "+" if signed and value else ""
            rows[-1].append((f"{value:{sign}.2f}", shade) if np.isfinite(value) else "")
    return Listing(title, ("", *RANKS), rows, table, notes, colour_note)


def crib_chart(role: Role, published: str | None, solution: Solution) -> Listing:
    """Chart an expert's average cribs, or these minus a published table's."""
    title = f"average crib by what the {role} discards, points"
    if published is None:
        table = discarded_pairs(role, solution=solution)
        return pair_chart(title, _cells(table, "crib_mean"), table, notes=_notes(solution))
    table = compared_cribs(role, published, solution=solution)
    cells = _cells(table.assign(suited=False), "difference")
    title += f": the expert's less {published.capitalize()}'s"
    return pair_chart(title, cells, table, signed=True, notes=_notes(solution))


def _notes(solution: Solution) -> Sequence[str]:
    return ["both discard as experts who weigh hand, crib and play"] if solution.play else []


def _cells(frame: pd.DataFrame, column: str) -> Floats:
    cells = np.full((13, 13), np.nan)
    low, high = (frame[rank].map(RANKS.index).to_numpy() for rank in ("rank1", "rank2"))
    suited = frame["suited"].to_numpy()
    cells[np.where(suited, high, low), np.where(suited, low, high)] = frame[column].to_numpy()
    return cells
