"""Compute the tables against people again, and write them into the package.

    python -m solver.people

It takes a minute or two.
"""

from pathlib import Path
from typing import Any

import numpy as np

from cribev.evaluation.against import work_out
from cribev.opponents.habit_tables import FORMAT, SHIPPED, tables_as_arrays
from cribev.opponents.habits import PEOPLE
from cribev.opponents.people import Person
from cribev.system.files import atomic_write

if __name__ == "__main__":
    arrays: dict[str, Any] = tables_as_arrays(work_out(Person("people", PEOPLE)))
    with atomic_write(Path(str(SHIPPED)), force=True) as opened:
        np.savez_compressed(opened, format=np.array(FORMAT), **arrays)
