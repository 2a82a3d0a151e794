import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

# Shared machines stall now and then: a slow example is no failure.
settings.register_profile("default", deadline=None)
settings.load_profile("default")


_CACHE = tempfile.mkdtemp(prefix="cribev-tests-")


def pytest_configure():
    # One strategy unpacked for the whole run, doctests and processes included, none at home.
    os.environ["CRIBEV_CACHE_DIR"] = _CACHE


def pytest_unconfigure():
    shutil.rmtree(_CACHE, ignore_errors=True)


@pytest.fixture(scope="session")
def data():
    """The folder of published figures."""
    return Path(__file__).parent / "data"
