"""The opponent who plays to win, at scores where that matters."""

import sys
from functools import cache
from typing import TYPE_CHECKING

from cribev.errors import CribevError
from cribev.game.roles import Role

if TYPE_CHECKING:
    from cribev.opponents.to_win import ExpertToWin

TO_WIN_HELP = (
    "Where both of you need 8 or fewer, an expert discards and plays to win instead, if the extra "
    "solve is installed: the first answer at a score then takes up to two minutes"
)
"""For the help of ``--score``."""


def expert_to_win(
    score: tuple[int, int], role: Role, *, heels: bool = False
) -> "ExpertToWin | None":
    """Return the expert who plays to win at a score, solved now or before.

    None where both are far from the end; and where it cannot be solved, which standard error says.
    """
    from cribev.game.score_notation import needs_by_role
    from cribev.opponents.to_win import is_solved_to_win, solve_score

    if not is_solved_to_win(needs_by_role(score, role, heels=heels)):
        return None
    try:
        return solve_score(score, role=role, heels=heels)
    except CribevError as error:
        _say_once(f"cribev: your opponent plays for points here; for one who plays to win, {error}")
        return None


@cache
def _say_once(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
