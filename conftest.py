import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Shared machines stall now and then: a slow example is no failure. CI tries the same examples
# each time, so that a commit passes or fails; new ones are tried wherever else the tests run.
settings.register_profile(
    "default",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("default")


# Tables are computed once and cached, for all processes that share the tests.
PREPARE = """
import os
import sys
from pathlib import Path

import numpy as np

from cribev.advice.names import as_opponent
from cribev.opponents.counts import expert_counts
from cribev.solution.solution import load
from cribev.solution.strategy import RANK_KEEPS
from cribev.wins.orders import peg_orders

role, all_that_is_slow = sys.argv[1], sys.argv[2:]
try:
    expert_counts(load(), role)
    expert_counts(load(play=True), role)
    if all_that_is_slow:
        peg_orders(as_opponent("expert"), role, np.arange(RANK_KEEPS))
finally:
    Path(os.environ["CRIBEV_CACHE_DIR"], f"ready-{role}").touch()
"""


def pytest_configure(config):
    # A shell may ignore signals of what it starts in the background, and processes inherit that.
    defaults = {
        signal.SIGHUP: signal.SIG_DFL,
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
    }
    for number, handler in defaults.items():
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)
    # Each process that shares the tests has a core; numpy is not loaded yet.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Modules are compiled once, and not by each process that shares the tests or is started by one.
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # The strategy is unpacked once for the whole run, and nothing is written at home.
    for name in ("FORCE_COLOR", "NO_COLOR"):
        os.environ.pop(name, None)
    if not hasattr(config, "workerinput"):
        os.environ["CRIBEV_CACHE_DIR"] = tempfile.mkdtemp(prefix="cribev-tests-")
        os.environ["CRIBEV_DATA_DIR"] = tempfile.mkdtemp(prefix="cribev-tests-")
        if getattr(config.option, "numprocesses", None):
            slow = [] if config.option.markexpr.endswith("not slow") else ["slow"]
            config.preparing = [
                subprocess.Popen([sys.executable, "-c", PREPARE, role, *slow], cwd=config.rootpath)
                for role in ("dealer", "pone")
            ]


def pytest_collection_finish():
    """Each process waits for the tables, which all of them would compute otherwise."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return  # one process keeps the order in which files are named
    folder, until = Path(os.environ["CRIBEV_CACHE_DIR"]), time.monotonic() + 90
    while len([*folder.glob("ready-*")]) < 2 and time.monotonic() < until:
        time.sleep(0.1)


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        for preparing in getattr(config, "preparing", ()):
            preparing.kill()
            preparing.wait()
        for folder in ("CRIBEV_CACHE_DIR", "CRIBEV_DATA_DIR"):
            shutil.rmtree(os.environ[folder], ignore_errors=True)


def pytest_ignore_collect(collection_path, config):
    """The solver is left out with what is slow: importing numba takes seconds."""
    left_out = config.option.markexpr.endswith("not slow")
    return True if left_out and config.rootpath / "solver" in collection_path.parents else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "browser" in fixtures:
            item.add_marker("browser")
        # The page without a server keeps a browser busy for a minute.
        if "pocket_file" in fixtures:
            item.add_marker("slow")
        if "site" in fixtures:
            item.extra_keyword_matches.add("serve")  # found by -k, as by a word in its name
        # Examples in docstrings get their mark here, for modules hold none.
        if item.nodeid.startswith("cribev/"):
            item.add_marker("arrays")
        # The solver compiles for half a minute.
        if item.nodeid.startswith("solver/"):
            item.add_marker("slow")
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    # The solver, which runs in one process, comes first, then files that wait for a browser: a file
    # of these that begins last ends long after the others.
    waits = {item.path for item in items if "browser" in getattr(item, "fixturenames", ())}
    number = Counter(item.path for item in items)
    items.sort(
        key=lambda item: (
            not item.nodeid.startswith("solver/"),
            item.path not in waits,
            -number[item.path],
            item.path,
        )
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """There is a process more than cores, since tests wait for browsers and signals.

    Slow tests, which compute, have a process for each core.
    """
    if config.option.markexpr == "slow":
        return None
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count())
    return len(cores) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Each process gets whole files, whose tests share fixtures.

    All of the solver is one, since its files share compiled code.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Files(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return "solver" if nodeid.startswith("solver/") else nodeid.partition("::")[0]

    config.option.loadscopereorder = False
    return Files(config, log) if config.option.dist == "load" else None


@pytest.fixture(scope="session")
def data():
    """The folder of published figures."""
    return Path(__file__).parent / "tests" / "data"


@pytest.fixture(scope="session")
def ten_cases(data):
    """Hands by seed, which Python and JavaScript deal alike: a role and six cards, ten times."""
    return json.loads((data / "ten.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def pocket_file(tmp_path_factory):
    """The page without a server."""
    from cribev.app.pocket.page import pocket_page

    path = tmp_path_factory.mktemp("pocket") / "pocket.html"
    path.write_text(pocket_page(), encoding="utf-8")
    return path


@pytest.fixture
def in_a_folder(tmp_path, monkeypatch):
    """The test works in a folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty data folder of the user's."""
    monkeypatch.setenv("CRIBEV_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache folder of the test's own, not yet there."""
    monkeypatch.setenv("CRIBEV_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def started():
    """The starter of Python processes with pipes; none of them outlives the test."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    home = str(Path(__file__).parent)
    with ExitStack() as stack:

        def start(*arguments, path=(), **options):
            path = os.pathsep.join([*map(str, path), home])
            known = pipes | {"env": {**os.environ, "PYTHONPATH": path}} | options
            process = stack.enter_context(subprocess.Popen([sys.executable, *arguments], **known))
            stack.callback(process.kill)
            return process

        yield start


@pytest.fixture
def deals(tmp_path):
    """A file of 300 dealt hands."""
    from cribev.commands.cli import main

    file = tmp_path / "deals.csv"
    assert main(["deal", "300", "--seed", "1", "-o", str(file)]) == 0
    return file


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    try:
        from selenium import webdriver
    except ImportError:
        webdriver = None
    if not (chromium and driver and webdriver):
        reason = "needs chromium, chromedriver and selenium"
        if os.environ.get("CI"):
            pytest.fail(f"{reason}, and in CI this must run")
        pytest.skip(reason)
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in (
        "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--disable-dev-shm-usage", f"--user-data-dir={tmp_path_factory.mktemp('browser')}",
    ):  # fmt: skip
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield opened
    opened.quit()


@pytest.fixture(scope="session")
def site():
    """The pages, served for this run: host and port."""
    from asking import running

    with running("127.0.0.1") as port:
        yield f"127.0.0.1:{port}"


@pytest.fixture
def fast_reviews(monkeypatch):
    """Pages review by the class tables, in a tenth of the time."""
    from cribev.app.web import review

    review_record = review.review
    monkeypatch.setattr(review, "review", lambda record, **_: review_record(record, fast=True))


@pytest.fixture
def get(site):
    """The function that asks the pages for a path."""
    from asking import ask

    return partial(ask, site)


@pytest.fixture
def ask(get):
    """The function that asks the pages as a browser without scripts does, which sends forms."""
    from urllib.parse import urlencode

    def ask(path, fields=None, **headers):
        if fields is None:
            return get(path, **headers)
        body, kind = urlencode(fields, doseq=True), "application/x-www-form-urlencoded"
        return get(path, method="POST", body=body, Content_Type=kind, **headers)

    return ask
