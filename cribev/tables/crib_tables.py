"""Average cribs, what experts discard, and what other ways to discard lose."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from rich.text import Text

from cribev.classes.canonical import DEALS, RANK_PAIRS, Floats, canonical_deals
from cribev.classes.class_tables import canonical_values
from cribev.game.cards import DECK_SIZE, JACK, RANKS
from cribev.game.roles import ROLES, Role
from cribev.game.scorer import score_hands
from cribev.opponents.opponents import Opponent
from cribev.rows.pairs import published_cribs
from cribev.solution.policies import POLICY_NAMES
from cribev.solution.solution import Solution, load, losses_against, shipped_keep_frequencies
from cribev.solution.strategy import keep_rank_counts
from cribev.tables.listing import Cell, Listing
from cribev.values.holdings import opponent_keeps
from cribev.wins.pmfs import SHOW_BINS, hand_points, suitless_hand_suits

_FULL = 0.5  # points: differences this large or larger have the full colour


def thrown_pairs(role: Role, *, solution: Solution | None = None) -> pd.DataFrame:
    """Tabulate what an expert discards, and the average crib it makes.

    There are 169 rows, for each pair of ranks unsuited and suited: ``role, rank1, rank2, suited``;
    ``thrown``, the share of all deals that discard it; ``crib_mean``, the average crib in points
    over these deals (missing if there are none); ``crib_mean_held``, the same over all deals that
    hold it, whatever they discard.
    """
    pairs = (solution or load(play=True)).pairs[role]
    frames = [
        _by_pair(
            role,
            suited=bool(suited),
            thrown=pairs.thrown[:, suited],
            crib_mean=pairs.crib_when_thrown[:, suited],
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
    thrown, crib_mean, published`` and ``difference``, the expert's minus the published, in points.
    """
    pairs = (solution or load(play=True)).pairs[role]
    thrown = pairs.thrown.sum(axis=1)
    total = np.nansum(pairs.thrown * pairs.crib_when_thrown, axis=1)
    crib = np.divide(total, thrown, out=np.full(len(thrown), np.nan), where=thrown > 0)
    published = published_cribs(name)[role][tuple(RANK_PAIRS.T)]
    columns = {"thrown": thrown, "crib_mean": crib, "published": published}
    return _by_pair(role, **columns, difference=crib - published)


def policy_losses(*, solution: Solution | None = None) -> pd.DataFrame:
    """Tabulate what ways to discard lose against an expert, over all 20,358,520 deals.

    There is one row for each policy and role: ``policy, role, loss`` (points per deal), ``deals``
    (the share of deals in which it discards something worse), least loss first.
    """
    rows = [
        {"policy": name, "role": role, "loss": loss.points, "deals": loss.deals / DEALS}
        for role in ROLES
        for name, loss in losses_against(solution or load(play=True), role).items()
    ]
    frame = pd.DataFrame(rows)
    order = frame.groupby("policy")["loss"].transform("sum")
    return frame.iloc[np.lexsort((frame["role"], order))].reset_index(drop=True)


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
        table = thrown_pairs(role, solution=solution)
        return pair_chart(title, _cells(table, "crib_mean"), table, notes=_notes(solution))
    table = compared_cribs(role, published, solution=solution)
    cells = _cells(table.assign(suited=False), "difference")
    title += f": the expert's less {published.capitalize()}'s"
    return pair_chart(title, cells, table, signed=True, notes=_notes(solution))


def frequency_chart(role: Role, solution: Solution) -> Listing:
    """Chart how often an expert discards each pair, in percent of deals."""
    table = thrown_pairs(role, solution=solution).drop(columns=["crib_mean", "crib_mean_held"])
    title = f"how often the {role} discards each pair, percent"
    return pair_chart(title, 100 * _cells(table, "thrown"), table, notes=_notes(solution))


def _notes(solution: Solution) -> Sequence[str]:
    return (
        ["both discard as experts who weigh hand, crib and play"]
        if solution.play is not None
        else []
    )


def policy_listing(solution: Solution) -> Listing:
    """List `policy_losses`."""
    frame = policy_losses(solution=solution)
    counted = "" if solution.play is None else ", hand, crib and play"
    rows = []
    for name, losses in frame.groupby("policy", sort=False):
        rows.append([POLICY_NAMES[str(name)]])
        for _, loss, deals in losses[["role", "loss", "deals"]].itertuples(index=False):
            rows[-1] += [f"{loss:.4f}", f"{deals:.0%}"]
    title = f"points lost per deal against an expert{counted}, over all 20,358,520 deals"
    return Listing(title, ("discard", "as dealer", "deals", "as pone", "deals"), rows, frame)


def _cells(frame: pd.DataFrame, column: str) -> Floats:
    cells = np.full((13, 13), np.nan)
    low, high = (frame[rank].map(RANKS.index).to_numpy() for rank in ("rank1", "rank2"))
    suited = frame["suited"].to_numpy()
    cells[np.where(suited, high, low), np.where(suited, low, high)] = frame[column].to_numpy()
    return cells


def averages_listing(opponent: Opponent) -> Listing:
    """List what a deal brings you on average with the best discards, by role and part, in points.

    Columns ``role``, ``hand``, ``crib``, ``pegging``, ``heels``, ``total`` and what your opponent
    pegs, ``opponent_pegging``. Only the dealer's total includes the crib.
    """
    every, rows = canonical_deals(), []
    for role in ROLES:
        pegging, sums = opponent.pegging(role), np.zeros(4)
        assert pegging is not None
        for part, values in canonical_values(opponent.crib_averages(role), role=role):
            best = values.expected.argmax(axis=1)
            at, classes = np.arange(len(best)), every.classes[part]
            shape = values.expected.shape
            shown = [np.broadcast_to(one, shape)[at, best] for one in (values.hand, values.crib)]
            shown += [one[classes, best] for one in (pegging.own, pegging.opponent)]
            sums += np.stack(shown) @ every.deals[part]
        hand, crib, own, theirs = (sums / DEALS).tolist()
        heels = 2 / 13 if role == "dealer" else 0.0
        total = hand + own + heels + (crib if role == "dealer" else 0.0)
        rows.append([role, hand, crib, own, heels, total, theirs])
    names = ["role", "hand", "crib", "pegging", "heels", "total", "opponent_pegging"]
    table = pd.DataFrame(rows, columns=names)
    shown = [[role, *(f"{points:.2f}" for points in parts)] for role, *parts in rows]
    notes = ["total: hand, pegging and heels, and the crib if it is yours"]
    title = f"Points a deal on average, with the best discards; opponent: {opponent.name}"
    return Listing(title, [name.replace("_", " ") for name in names], shown, table, notes)


def _rare_percent(chance: float) -> str:
    """Write a chance in percent, or as 1 in a number if that would be 0.0."""
    return f"1 in {1 / chance:,.0f}" if 0 < chance < 0.0005 else f"{chance:.2%}"


def hands_listing() -> Listing:
    """List how often a hand makes each number of points, dealt at random and as experts keep it.

    Dealt hands are all 12,994,800 of four cards and a starter. Kept hands are from all deals of six
    cards by ranks, with what flushes and nobs add on average.
    """
    low, high = np.triu_indices(DECK_SIZE, 1)
    counts = np.zeros(SHOW_BINS, dtype=np.int64)
    pairs = np.stack([low, high], axis=1).astype(np.uint8)
    for a, b in pairs.tolist():  # the lowest two cards of the four
        more = pairs[pairs[:, 0] > b]
        starters = np.delete(np.arange(DECK_SIZE, dtype=np.uint8), [a, b])
        keeps = np.column_stack([np.full((len(more), 2), (a, b), dtype=np.uint8), more])
        points = score_hands(keeps[:, None], starters[None])
        apart = (starters[None, :, None] != more[:, None, :]).all(axis=2)
        counts += np.bincount(points[apart], minlength=SHOW_BINS)
    chances = {"dealt": counts / counts.sum()}
    for role in ROLES:
        pairs_thrown, flush = opponent_keeps(np.zeros(13, np.int64), shipped_keep_frequencies(role))
        made, counted = np.zeros(SHOW_BINS), keep_rank_counts()
        for rank in range(13):
            thrown = np.equal(RANK_PAIRS, rank).sum(axis=1)
            left = 4 - counted[:, rank, None] - thrown
            often = (pairs_thrown * left).sum(axis=1) / 46
            suits = suitless_hand_suits(rank, flush, 0.0 if rank == JACK else 1 / 4)
            made += often @ hand_points(rank, suits, np.arange(len(counted))).pmf()
        chances[role] = made / made.sum()
    table = pd.DataFrame({"points": np.arange(SHOW_BINS), "hands_dealt": counts} | chances)
    means = [f"{name} {chance @ table['points']:.2f}" for name, chance in chances.items()]
    rows = [
        [
            str(row["points"]),
            f"{row['hands_dealt']:,}",
            *(_rare_percent(row[name]) for name in chances),
        ]
        for row in table.to_dict(orient="records")
    ]
    most = comb(DECK_SIZE, 6) * (DECK_SIZE - 6) / (4 * comb(DECK_SIZE - 5, 2))
    rare = (
        f"six cards and the cut allow a 29 once in {most:,.0f} deals; experts keep it less often, "
        "because beside another ten-card a dealer discards the jack"
    )
    notes = [f"on average: {', '.join(means)}", rare]
    heads = ["points", "hands dealt", "dealt", *(f"kept as {role}" for role in ROLES)]
    return Listing(
        "How often a hand makes each number of points", heads, rows, table, notes, left=0
    )
