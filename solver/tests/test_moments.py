"""The moments of a deal that ship."""

import numpy as np
import pytest

from cribev.game.roles import ROLES
from cribev.wins.far import SHIPPED
from solver.moments import moment_arrays


@pytest.mark.slow
def test_what_ships_is_what_would_be_worked_out():
    made = moment_arrays()
    with np.load(str(SHIPPED)) as stored:
        for role in ROLES:
            shipped, changes = (
                arrays[f"{role}_keeps"].astype(float) @ arrays[f"{role}_pairs"].astype(float)
                for arrays in (stored, made)
            )
            assert shipped == pytest.approx(changes, abs=0.1)
            name = f"{role}_by_starter"
            assert stored[name] == pytest.approx(made[name], abs=0.01)
