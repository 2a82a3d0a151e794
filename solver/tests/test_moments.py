"""The moments of a deal that ship."""

import numpy as np
import pytest

from cribev.wins.far import SHIPPED
from solver.moments import moment_arrays


@pytest.mark.slow
def test_what_ships_is_what_would_be_worked_out(monkeypatch):
    monkeypatch.setattr("solver.moments.ROLES", ("pone",))  # each takes 15 seconds
    made = moment_arrays()
    with np.load(str(SHIPPED)) as stored:
        shipped, changes = (
            arrays["pone_keeps"].astype(float) @ arrays["pone_pairs"].astype(float)
            for arrays in (stored, made)
        )
        assert shipped == pytest.approx(changes, abs=0.1)
        assert stored["pone_by_starter"] == pytest.approx(made["pone_by_starter"], abs=0.01)
