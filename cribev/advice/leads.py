"""What to lead from six cards, before the cut: as experts do, and by all that pone knows."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from cribev.advice.belief import Belief, kept_by_chance
from cribev.advice.evaluation import PlayTree
from cribev.game.cards import RANKS
from cribev.solution.solution import shipped_keep_frequencies, shipped_strategy

_NET = np.array([1, -1])


def leads_from(keep: Sequence[int], discard: Sequence[int]) -> pd.DataFrame:
    """Value what pone can lead, knowing which ranks are kept and thrown, 0..12, and no starter.

    The dealer may hold what an expert keeps of any six cards beside these, and plays as an expert.
    There is a row for each rank kept, best first: ``lead``; ``share``, how often an expert leads
    it; ``play_mean``, pone's points in the play less the dealer's if pone goes on as an expert does
    as well; and ``play_best``, the same if pone goes on as well as can be with all that is known,
    as `cribev.advise_play` has it. Averaged by shares, ``play_mean`` is what an advice counts.

    >>> leads = leads_from([4, 5, 5, 8], [4, 7])
    >>> leads.columns.tolist(), len(leads)
    (['lead', 'share', 'play_mean', 'play_best'], 3)
    """
    expert = shipped_strategy()
    elsewhere = np.bincount([*keep, *discard], minlength=len(RANKS))
    kept = kept_by_chance(elsewhere, shipped_keep_frequencies("dealer"))
    belief = Belief(expert.size.kept, kept, 0, explained=True)
    ranks, values = PlayTree([], "pone", keep, belief, opponent=expert).cards
    share, means = expert.choices(expert.root, keep), []
    for rank in ranks.tolist():
        left = sorted(keep)
        left.remove(rank)
        after = PlayTree([rank], "pone", left, belief, opponent=expert, own=expert)
        means.append(after.value @ _NET)  # a lead pegs nothing
    table = pd.DataFrame(
        {
            "lead": [RANKS[rank] for rank in ranks],
            "share": share[ranks],
            "play_mean": means,
            "play_best": values @ _NET,
        }
    )
    return table.sort_values(
        ["play_best", "share"], ascending=False, kind="stable", ignore_index=True
    )
