"""What the expert of a solution throws over the whole deck, counted once and cached."""

from contextlib import suppress
from functools import cache

import numpy as np

from cribev.classes.class_tables import best_response
from cribev.classes.enumeration import DEALS
from cribev.game.roles import Role
from cribev.opponents.discard_counts import DiscardCounts, discard_counts
from cribev.solution.solution import DAMAGE, Solution
from cribev.system.cache import cache_folder
from cribev.system.files import atomic_write, is_regular_or_new

CACHE_FORMAT = 2
"""Version of the file in the cache; one of another version is neither read nor touched."""


@cache
def expert_counts(solution: Solution, role: Role) -> DiscardCounts:
    """Return what the expert of a role throws over the whole deck.

    The first time it is counted, which takes some seconds, with a progress bar on a terminal's
    standard error, and kept in `cache_folder` (13 MB a role); then it is read from there. The
    file carries the role and the checksum of the policy, in its name and within: a damaged or
    misplaced one is replaced, one of another version is left alone, and a folder that cannot be
    written, or no home to have it in, does no harm.

    >>> from cribev.solution.solution import load
    >>> expert_counts(load(), "pone").with_three.shape
    (169, 22100)
    """
    folder, policy = cache_folder(), [role, f"{solution.checksums[role]:08x}"]
    file = folder and folder / f"expert-{'-'.join(policy)}-{CACHE_FORMAT}.npz"
    with suppress(*DAMAGE):
        if file and file.is_file():  # a pipe would have us wait
            with file.open("rb") as opened, np.load(opened) as stored:
                if stored["policy"].tolist() != policy:
                    raise ValueError("counts of another policy or role")
                return DiscardCounts(**{name: stored[name] for name in DiscardCounts._fields})
    counts = _count_with_progress(solution, role)
    with suppress(OSError):
        if file and is_regular_or_new(str(file)):
            file.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(file) as made:
                np.savez(made, policy=np.array(policy), **counts._asdict())
    return counts


def _count_with_progress(solution: Solution, role: Role) -> DiscardCounts:
    from tqdm import tqdm

    with tqdm(
        total=DEALS,
        desc=f"counting what the expert {role} throws",
        unit=" deals",
        unit_scale=True,
        leave=False,
        disable=None,
    ) as bar:
        return discard_counts(best_response(solution.cribs[role], role=role), report=bar.update)
