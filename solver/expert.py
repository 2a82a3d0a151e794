"""Compute what is slow to work out of the shipped solution, for the package.

    python -m solver.expert

It takes ten seconds.
"""

from pathlib import Path
from typing import Any

import numpy as np

from cribev.classes.class_tables import best_response
from cribev.classes.crib_averages import rank_crib_variances
from cribev.game.roles import ROLES
from cribev.opponents.counts import counts_name, discard_counts
from cribev.opponents.opponents import Solved, ranks_discarded, variances_name
from cribev.solution.solution import load
from cribev.system.cache import SHIPPED
from cribev.system.files import atomic_write

_STEP = 2.0**-12  # of variances, in points²


def expert_arrays() -> dict[str, Any]:
    """Return the arrays of the file, by name."""
    solution, arrays = load(play=True), dict[str, Any]()
    for role in ROLES:
        counts = discard_counts(best_response(solution.cribs[role], role=role))
        name = counts_name(solution, role)
        arrays |= {f"{name}/{key}": array for key, array in counts._asdict().items()}
        discarded = ranks_discarded(Solved(solution), role)
        rounded = np.rint(rank_crib_variances(discarded) / _STEP) * _STEP  # which packs better
        arrays[f"{variances_name(discarded)}/variances"] = rounded.astype(np.float32)
    return arrays


def main() -> None:
    """Write the file."""
    with atomic_write(Path(str(SHIPPED)), force=True) as opened:
        np.savez_compressed(opened, **expert_arrays())


if __name__ == "__main__":
    main()
