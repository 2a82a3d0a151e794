import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

# Shared machines stall now and then: a slow example is no failure.
settings.register_profile("default", deadline=None)
settings.load_profile("default")


def pytest_configure(config):
    # Who starts the tests in the background may have signals ignored, and processes inherit that.
    for one in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(one) == signal.SIG_IGN:
            signal.signal(
                one, signal.default_int_handler if one == signal.SIGINT else signal.SIG_DFL
            )
    # One strategy unpacked for the whole run, doctests and processes included, nothing at home.
    os.environ.pop("FORCE_COLOR", None)
    if not hasattr(config, "workerinput"):
        os.environ["CRIBEV_CACHE_DIR"] = tempfile.mkdtemp(prefix="cribev-tests-")
        os.environ["CRIBEV_DATA_DIR"] = tempfile.mkdtemp(prefix="cribev-tests-")


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        for folder in ("CRIBEV_CACHE_DIR", "CRIBEV_DATA_DIR"):
            shutil.rmtree(os.environ[folder], ignore_errors=True)


@pytest.fixture(scope="session")
def data():
    """The folder of published figures."""
    return Path(__file__).parent / "data"


@pytest.fixture
def in_a_folder(tmp_path, monkeypatch):
    """Work in a folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def deals(tmp_path):
    """A file of 300 dealt hands."""
    from cribev.commands.cli import main

    file = tmp_path / "deals.csv"
    assert main(["deal", "300", "--seed", "1", "-o", str(file)]) == 0
    return file
