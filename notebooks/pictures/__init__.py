"""The pictures of the notebooks, all in one style."""

from pictures.all_deals import (
    by_number_held,
    costs,
    crib_ranges,
    differences,
    rank_pairs_by_role,
    removal,
    rounds_of_solving,
)
from pictures.game import deal_by_deal, decisions, ledger, running, two_choices
from pictures.leaks import leaks_beside, rules_held
from pictures.look import points, spelt
from pictures.one_deal import (
    by_opponent,
    discarded_ranks,
    every_starter,
    hand,
    hand_and_crib,
    ranks_discarded,
    rivals,
)
from pictures.stakes import exchange_maps, par_lines, score_maps
from pictures.the_play import by_rank, keeps_beside_people, pegged_beside_people

__all__ = [
    "by_number_held",
    "by_opponent",
    "by_rank",
    "costs",
    "crib_ranges",
    "deal_by_deal",
    "decisions",
    "differences",
    "discarded_ranks",
    "every_starter",
    "exchange_maps",
    "hand",
    "hand_and_crib",
    "keeps_beside_people",
    "leaks_beside",
    "ledger",
    "par_lines",
    "pegged_beside_people",
    "points",
    "rank_pairs_by_role",
    "ranks_discarded",
    "removal",
    "rivals",
    "rounds_of_solving",
    "rules_held",
    "running",
    "score_maps",
    "spelt",
    "two_choices",
]
