"""How a solution of the discards came about, and what well-known ways to discard lose against it.

The files of a solution keep this beside what `cribev` reads of them.
"""

from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.game.roles import ROLES, Role
from cribev.solution.solution import read_solution
from cribev.system.cache import Arrays

COUNTED_GAIN = 1e-6  # a deal counts as changed where switching gains more points than this

NOT_CONVERGED = -1
"""Instead of a cycle's length, if the rounds ran out before a policy repeated."""


class ResponseRound(NamedTuple):
    """The result of one round of best responses for one role."""

    number: int
    role: Role
    changed: int  # deals, of 20,358,520, whose best discard gains more than `COUNTED_GAIN`
    gain: float  # points per deal, over all deals


class PolicyLoss(NamedTuple):
    """The cost of a way to discard against an expert."""

    points: float  # points per deal, over all deals
    deals: int
    """Deals in which it costs more than `COUNTED_GAIN`, on average where several are kept."""


class Provenance(NamedTuple):
    """The rounds that led to a solution, and what is lost against it."""

    improvable_deals: dict[Role, int]  # deals in which a role could gain more than `COUNTED_GAIN`
    history: list[ResponseRound]  # dealer and pone in turn
    cycle: int
    """The length of the cycle at the end, in rounds; 0 at a fixed point; or `NOT_CONVERGED`."""
    losses: dict[Role, dict[str, PolicyLoss]]
    """The losses of well-known ways to discard, by name."""

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return self.history[-1].number

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Make arrays to be stored."""
        arrays: dict[str, NDArray[Any]] = {"cycle": np.array(self.cycle)}
        arrays["response_history"] = np.array(
            [(response.changed, response.gain) for response in self.history]
        )
        for role in ROLES:
            losses = self.losses[role]
            arrays[f"{role}_improvable_deals"] = np.array(self.improvable_deals[role])
            arrays[f"{role}_loss_names"] = np.array(list(losses))
            arrays[f"{role}_losses"] = np.array(list(losses.values()))
        return arrays


def load_provenance(
    file: Path | str | IO[bytes] | None = None, *, play: bool = False
) -> Provenance:
    """Read it from a file of the solver, or that of the shipped solution, with the play or not."""
    return read_solution(file, _provenance, play=play)


def _provenance(arrays: Arrays) -> Provenance:
    return Provenance(
        improvable_deals={role: int(arrays[f"{role}_improvable_deals"]) for role in ROLES},
        history=[
            ResponseRound(1 + index // 2, ROLES[index % 2], int(changed), gain)
            for index, (changed, gain) in enumerate(arrays["response_history"].tolist())
        ],
        cycle=int(arrays["cycle"]),
        losses={
            role: {
                str(name): PolicyLoss(float(points), int(deals))
                for name, (points, deals) in zip(
                    arrays[f"{role}_loss_names"], arrays[f"{role}_losses"], strict=True
                )
            }
            for role in ROLES
        },
    )
