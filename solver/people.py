"""Compute the tables against people and the win tables against all levels, for the package.

    python -m solver.people

It takes half an hour.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribev.advice.names import OPPONENTS
from cribev.classes.class_tables import best_response, points_to_grid
from cribev.classes.crib_averages import average_rank_cribs
from cribev.evaluation.against import work_out
from cribev.evaluation.by_habits import (
    SHIPPED,
    WIN_TABLES,
    ByHabits,
    shipped_table,
    tables_as_arrays,
)
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.opponents.habits import HABITS, PEOPLE
from cribev.opponents.opponents import Opponent
from cribev.opponents.people import FORMAT, HabitsDiscards
from cribev.solution.strategy import RANK_KEEPS
from cribev.solution.win_table import WinTable
from cribev.system.blas import one_blas_thread
from cribev.system.files import atomic_write
from cribev.values.keeps import keeps_faced
from cribev.values.replies import replies
from solver.games import OutcomeCounts, count_outcomes, solve_against
from solver.playouts import (
    ByWay,
    ShownDeals,
    by_chance,
    by_role,
    deal_and_show,
    play_out,
    show_events,
)
from solver.storage import win_table_to_arrays

_DEALS = 1_000_000  # of yours in each role
_BLOCKS = 20  # whose differences give standard errors
_SEED = 62


@one_blas_thread()
def win_table_against(person: ByHabits, *, deals: int) -> WinTable:
    """Play deals out against a person in each role, and solve the race of you against them.

    You discard and play the best response, both of you for points. Your discards count the play as
    it is against people.
    """
    counts = dict[Role, OutcomeCounts]()
    for role in ROLES:
        events = np.array_split(deals_against(person, role, deals, seed=_SEED), _BLOCKS)
        counts[role] = OutcomeCounts(*map(np.stack, zip(*map(count_outcomes, events), strict=True)))
    return solve_against(counts)


def deals_against(person: ByHabits, role: Role, deals: int, *, seed: int) -> NDArray[np.int8]:
    """Play deals out; return what each event brings in turn, your points positive, ``(n, 20)``."""
    other = opposite_role(role)
    theirs = HabitsDiscards(person.habits, other)
    cribs = average_rank_cribs(person.keeps(role).discarded_ranks())
    play = points_to_grid(shipped_table("pegging", role).net)
    policy = best_response(cribs._replace(play=play), role=role)
    shown = deal_and_show({role: policy, other: theirs}, deals, seed=seed)
    pegged = _played_out(Opponent.of(person), role, shown, seed=seed)
    signed = np.column_stack([shown.heels.astype(np.int8), pegged, *show_events(shown)])
    return signed if role == "dealer" else -signed


def _played_out(person: Opponent, role: Role, shown: ShownDeals, *, seed: int) -> NDArray[np.int8]:
    """Play deals out by your best response with each keep; return what is pegged in turn."""
    generator = np.random.default_rng(seed)
    kept = shown.dealer if role == "dealer" else shown.pone
    strategy = person.play.strategy()
    theirs = by_chance(strategy if strategy.by_count else ByWay(strategy), generator)
    order = kept.argsort(kind="stable")
    blocks = list[NDArray[np.int8]]()
    faced = keeps_faced(person, role, range(RANK_KEEPS))
    for keeps, _, reply in replies(person, role, faced, range(RANK_KEEPS)):
        rows = order[slice(*np.searchsorted(kept, (keeps[0], keeps[-1] + 1), sorter=order))]
        yours = by_chance(reply, generator)
        pick = by_role(yours, theirs) if role == "dealer" else by_role(theirs, yours)
        blocks.append(play_out(reply, shown.pone[rows], shown.dealer[rows], pick).events)
    return np.concatenate(blocks)[order.argsort()]


def main() -> None:
    """Write both files."""
    arrays: dict[str, Any] = tables_as_arrays(work_out(Opponent.of(ByHabits("people", PEOPLE))))
    with atomic_write(Path(str(SHIPPED)), force=True) as opened:
        np.savez_compressed(opened, format=np.array(FORMAT), **arrays)
    shipped_table.cache_clear()
    wins: dict[str, Any] = {}
    for name in OPPONENTS[1:-1]:  # all but the expert and uniform
        table = win_table_against(ByHabits(name, HABITS[name]), deals=_DEALS)
        wins |= {f"{name} {key}": array for key, array in win_table_to_arrays(table).items()}
    with atomic_write(Path(str(WIN_TABLES)), force=True) as opened:
        np.savez_compressed(opened, **wins)


if __name__ == "__main__":
    main()
