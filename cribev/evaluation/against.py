"""Compute the tables against an opponent with habits: what each class and keep brings.

Your opponent discards and plays by habits. You play the best response with each keep, as if you had
discarded like an expert. The tables have the form of the solved game's: average cribs and expected
pegging by class and keep, and statistics of the play by keep. Later deals count as in the win
table.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from cribev.classes.canonical import Floats
from cribev.classes.crib_averages import average_rank_cribs
from cribev.game.roles import ROLES, Role, opposite_role
from cribev.game.score import WINNING_SCORE
from cribev.opponents.opponents import Opponent
from cribev.solution.solution import shipped_keep_frequencies
from cribev.solution.solved_play import POINT_BINS, ExpectedPegging
from cribev.solution.strategy import RANK_KEEPS
from cribev.system.blas import one_blas_thread
from cribev.values.keeps import KeepDistributions, pegging_statistics
from cribev.values.replies import replies
from cribev.wins.exact import pegging_pmf


@one_blas_thread()
def work_out(person: Opponent) -> dict[str, dict[Role, Any]]:
    """Compute the tables against a person by name and role, with a progress bar."""
    from cribev.system.bars import tqdm

    cribs, pegging, statistics = dict[Role, Any](), dict[Role, Any](), dict[Role, Any]()
    shown: dict[str, Any] = {"unit": " keeps", "leave": False, "disable": None, "delay": 1}
    with tqdm(total=2 * RANK_KEEPS, desc=f"replying to {person.name}", **shown) as bar:
        if bar.disable:
            who = ascii(person.name)
            sys.stderr.write(f"cribev: replying to {who}, once: two to ten minutes\n")
            sys.stderr.flush()
        for role in ROLES:
            own, other = shipped_keep_frequencies(role), person.discards.keeps(role)
            keeps = KeepDistributions({role: own, opposite_role(role): other})
            points, pmf = _replied(person, role, keeps.beliefs.conditional[role], bar.update)
            expected = (keeps.expected(pegged, role=role) for pegged in points)
            cribs[role] = average_rank_cribs(other.discarded_ranks())
            pegging[role] = ExpectedPegging(*expected)
            statistics[role] = pegging_statistics(keeps, role, points, pmf)
    return {"cribs": cribs, "pegging": pegging, "statistics": statistics}


def _replied(
    person: Opponent, role: Role, faced: Floats, report: Callable[[int], object]
) -> tuple[tuple[Floats, Floats], Floats]:
    """Return what each keep's best response and the opponent peg by keep, and the chances.

    Points are by both keeps, ``(1820, 1820)``; the chances by own keep, ``(1820, 32, 32)``.
    """
    strategy, all_keeps = person.play.strategy(), np.arange(RANK_KEEPS)
    own, other = np.zeros((2, RANK_KEEPS, RANK_KEEPS))
    pmf = np.zeros((RANK_KEEPS, POINT_BINS**2))
    for block, hands, reply in replies(person, role, faced, range(RANK_KEEPS)):
        pegged = pegging_pmf(hands, role, all_keeps, (WINNING_SCORE,) * 2, strategy, own=reply)
        for keep, pegs in zip(block, pegged, strict=True):
            own[keep] = np.bincount(pegs.place, pegs.chance * pegs.own, RANK_KEEPS)
            other[keep] = np.bincount(pegs.place, pegs.chance * pegs.opponent, RANK_KEEPS)
            cells = pegs.own * POINT_BINS + pegs.opponent
            pmf[keep] = np.bincount(cells, pegs.chance * faced[keep, pegs.place], POINT_BINS**2)
        report(len(hands))
    return (own, other), pmf.reshape(-1, POINT_BINS, POINT_BINS)
