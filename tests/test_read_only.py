"""What leaves a cache is read-only: writing to an answer changes no later one."""

import pickle  # by which answers are held to those before

import numpy as np
import pandas as pd
import pytest
from test_copies import values

from cribev.game.alike import same

pytestmark = pytest.mark.arrays

_DEEPEST = 8


def arrays_in(value, seen, depth=0):
    """Yield every array that a user reaches from a value by names, keys and places."""
    if id(value) in seen or depth > _DEEPEST:
        return
    seen[id(value)] = value
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, pd.Series):
        yield value.to_numpy()
    elif isinstance(value, pd.DataFrame):
        for name in value:
            yield value[name].to_numpy()
    elif isinstance(value, dict):
        for part in value.values():
            yield from arrays_in(part, seen, depth + 1)
    elif isinstance(value, list) or type(value) is tuple:
        for part in value[:30]:
            yield from arrays_in(part, seen, depth + 1)
    elif type(value).__module__.startswith("cribev"):
        for name in dir(value):
            if name.startswith("_"):
                continue
            try:
                part = getattr(value, name)
            except (AttributeError, TypeError, ValueError):  # of discards alone, say
                continue
            if not callable(part):
                yield from arrays_in(part, seen, depth + 1)


@pytest.mark.slow
def test_writing_to_answers_changes_no_later_answer():
    before = {name: pickle.dumps(value) for name, value in values.__wrapped__().items()}
    answers = values.__wrapped__()
    reached = [array for value in answers.values() for array in arrays_in(value, {})]
    own = [array for array in reached if array.flags.writeable and array.size]
    assert len(own) > 100
    for array in own:
        array[...] = np.zeros((), array.dtype) if array.dtype != object else "written"
    for name, value in values.__wrapped__().items():
        known = pickle.loads(before[name])
        assert same(value, known) or value == known, name
