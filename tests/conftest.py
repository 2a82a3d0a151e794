from pathlib import Path

import pytest
from hypothesis import settings

# Shared machines stall now and then: a slow example is no failure.
settings.register_profile("default", deadline=None)
settings.load_profile("default")


@pytest.fixture(scope="session")
def data():
    """The folder of published figures."""
    return Path(__file__).parent / "data"
