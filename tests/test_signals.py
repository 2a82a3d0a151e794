"""Signals end a command without a word, whenever they come; and work shared among processes."""

import math
import operator
import os
import re
import signal
import subprocess
import sys
import time
from copy import deepcopy
from functools import partial

import pytest
from games import random_games
from shell import assert_ended, group, heard, wait_until

from cribev import CribevError, review
from cribev.advice.names import as_opponent
from cribev.system.processes import process_pool, shared_processes
from cribev.system.signals import block_signals

pytestmark = pytest.mark.python

CONSOLE_SCRIPT = "import sys\nfrom cribev.__main__ import entry_point\nsys.exit(entry_point())"


@pytest.mark.parametrize(
    ("library", "entry", "how"),
    [
        ("numpy", ["-m", "cribev"], signal.SIGINT),
        ("numpy", ["-c", CONSOLE_SCRIPT], signal.SIGTERM),
        ("pandas", ["-m", "cribev"], signal.SIGTERM),
        ("pandas", ["-c", CONSOLE_SCRIPT], signal.SIGINT),
    ],
)
def test_while_libraries_load(started, tmp_path, library, entry, how):
    code = f"import os\nos.kill(os.getpid(), {int(how)})\n"
    (tmp_path / f"{library}.py").write_text(code)
    command = {"numpy": ["advise", "5H 5D JS QC 2H 8D"], "pandas": ["batch", "--dealer"]}[library]
    process = started(*entry, *command, path=[tmp_path])
    assert_ended(process, 128 + how)


def test_ignored_signals_stay_ignored_while_waiting(started):
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = started("-m", "cribev", "score")
        process.stdin.write(b"5C 6D 7D QH 6H\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"10\n"
        process.send_signal(how)
        assert_ended(process, 128 + how)
    code = "import signal, sys\nfrom cribev.__main__ import entry_point\n"
    code += "signal.signal(signal.SIGHUP, signal.SIG_IGN)\nsys.exit(entry_point())"
    process = started("-c", code, "score")
    heard(process)
    process.send_signal(signal.SIGHUP)
    out, err = process.communicate(b"5C 6D 7D QH 6H\n", timeout=300)
    assert (process.returncode, out, err) == (0, b"10\n", b"")


def test_another_signal_ends_at_once_and_leaves_nothing(started, tmp_path):
    # Here the first is lost in the end of a file that takes its time.
    # New processes start as they do from Python 3.14 on.
    code = (
        "import multiprocessing, sys, time, pathlib\n"
        "multiprocessing.set_start_method('forkserver')\nfrom cribev.__main__ import entry_point\n"
        "from cribev.system import files\n"
        "class Slow(files.AtomicWrites):\n"
        "    def __exit__(self, *_):\n"
        "        pathlib.Path('slow').touch()\n"
        "        time.sleep(60)\n"
        "files.check_writable = lambda *_, **__: None\n"  # which makes a part for a moment, too
        "files.AtomicWrites = Slow\nsys.exit(entry_point())"
    )
    process = started("-c", code, "batch", "-o", "out.csv", "--dealer", cwd=tmp_path)
    wait_until(lambda: [*tmp_path.glob(".cribev-*")], process)
    process.send_signal(signal.SIGINT)
    wait_until((tmp_path / "slow").exists, process)
    process.send_signal(signal.SIGTERM)
    assert_ended(process, 143)
    assert [path.name for path in tmp_path.iterdir()] == ["slow"]


def test_dropped_signal_is_raised_again(started):
    # Python prints and forgets what is raised while it removes an object.
    code = (
        "import os, sys, time\nfrom cribev.commands import cli\n"
        "class Removed:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), 2)\n"
        "        time.sleep(0.1)\n"
        "def main():\n"
        "    one = Removed()\n"
        "    try:\n"
        "        del one\n"
        "        time.sleep(600)\n"
        "    finally:\n"
        "        time.sleep(2.5)\n"
        "        print('all is put away', flush=True)\n"
        "        sys.stdout = open(1, 'w')\n"
        "        print('what waits is dropped')\n"
        "cli.main = main\n"
    )
    process = started("-c", code + CONSOLE_SCRIPT)
    assert process.communicate(timeout=300) == (b"all is put away\n", b"")
    assert process.returncode == 130


def test_catch_all_commands_still_end(started, tmp_path):
    code = "import os\nfrom cribev.commands import cli\ndef main():\n"
    code += " try: os.kill(os.getpid(), 2)\n except BaseException: return 0\ncli.main = main\n"
    assert_ended(started("-c", code + CONSOLE_SCRIPT), 130)
    # Or makes another error of it, or is interrupted while signals are loaded.
    code = "import os\ntry:\n os.kill(os.getpid(), 15)\nexcept BaseException as error:\n"
    (tmp_path / "numpy.py").write_text(code + " raise ImportError from error\n")
    command = ["-m", "cribev", "advise", "5H 5D JS QC 2H 8D"]
    assert_ended(started(*command, path=[tmp_path]), 143)
    (tmp_path / "signal.py").write_text("raise KeyboardInterrupt\n")
    assert_ended(started("-c", CONSOLE_SCRIPT, path=[tmp_path]), 130)


def test_little_is_loaded_before_signals_are_heard(started):
    code = (
        "import sys; at = set(sys.modules); import cribev.__main__; print(*set(sys.modules) - at)"
    )
    loaded = set(started("-S", "-c", code).communicate()[0].decode().split())
    assert "cribev.system.signals" in loaded
    assert not loaded & {"typing", "re", "argparse", "numpy"}


SCRIPT = """
import os, time
from cribev.system import signals
from cribev.system.processes import process_pool
if __name__ == "__main__":
    try:
        signals.install_handlers()
        print("heeding", flush=True)
        with process_pool(time.sleep, [(0,), (0,), (600,), (600,)], workers=2) as results:
            next(results)
            next(results)
            print("at work", flush=True)
            next(results)
    except (KeyboardInterrupt, Exception):  # as in a command: a signal may become another error
        if not signals.exit_status():
            raise
        raise SystemExit(signals.exit_status())
"""


def test_results_keep_task_order_without_waiting():
    with process_pool(math.sqrt, ((value,) for value in range(50)), workers=2) as results:
        assert list(results) == [math.sqrt(value) for value in range(50)]
    with process_pool(time.sleep, [(0.5,), (0,), (0,)], workers=2) as results:
        assert list(results) == [None] * 3
    taken = []
    tasks = ((taken.append(value) or value,) for value in range(1000))
    with process_pool(math.sqrt, tasks, workers=1) as results:
        assert next(results) == 0
        assert len(taken) < 50
    start = time.monotonic()
    with process_pool(time.sleep, [(600,)], workers=1):
        pass
    assert time.monotonic() - start < 60


@pytest.mark.parametrize(
    ("work", "arguments", "said"),
    [(int, [("4",), ("x",), ("9",)], "invalid literal"), (os._exit, [(3,)], "ended before its")],
)
def test_worker_errors_and_deaths_are_raised(work, arguments, said):
    with process_pool(work, arguments, workers=1) as results, pytest.raises(ValueError, match=said):
        list(results)


def test_a_number_of_workers_is_one():
    for workers in (None, 0, -1, "2", 1.5):
        with pytest.raises(CribevError, match=re.escape(f"invalid number of workers {workers!r}")):
            review(random_games(1), workers=workers)


def interrupted(error=None):
    with block_signals("SIGINT"):
        os.kill(os.getpid(), signal.SIGINT)
        if error is not None:
            raise error
        interrupted.waited = True
    pytest.fail("it is heard at the end")


@pytest.mark.parametrize("error", [None, OSError()])
def test_interrupts_wait_even_after_an_error(error):
    interrupted.waited = False
    with pytest.raises(KeyboardInterrupt):
        interrupted(error)
    assert interrupted.waited == (error is None)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())


@pytest.mark.parametrize(
    ("how", "times"),
    [(signal.SIGINT, 3), (signal.SIGTERM, 2), (signal.SIGHUP, 1), (signal.SIGKILL, 1)],
)
def test_workers_end_with_their_parent(started, tmp_path, how, times):
    kill = os.killpg if how in (signal.SIGINT, signal.SIGHUP) else os.kill
    (tmp_path / "script.py").write_text(SCRIPT)
    process = started(str(tmp_path / "script.py"), start_new_session=True)
    assert [process.stdout.readline() for _ in range(2)] == [b"heeding\n", b"at work\n"]
    assert len(group(process)) >= 3
    for _ in range(times):
        kill(process.pid, how)
        time.sleep(0.02)
    out, err = process.communicate(timeout=300)
    assert (out, err) == (b"", b"")
    # A shell says 128 + n of both; the second signal may find the first one's end.
    assert process.returncode in ([-how] if how == signal.SIGKILL else [128 + how, -how][:times])
    wait_until(lambda: not group(process))


def test_interrupted_while_workers_start(started, tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    for wait in (0.0, 0.2):
        process = started(str(tmp_path / "script.py"), start_new_session=True)
        assert process.stdout.readline() == b"heeding\n"
        time.sleep(wait)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=300)
        assert (process.returncode, out.replace(b"at work\n", b""), err) == (130, b"", b"")


def test_shared_contexts_use_the_same_processes():
    with shared_processes(1), process_pool(os.getpid, [()], workers=1) as results:
        (first,) = results
        with process_pool(partial(operator.iadd, []), [([1],), ([2],)], workers=1) as others:
            assert list(others) == [[1], [1, 2]]
        with process_pool(os.getpid, [(), ()], workers=1) as others:
            assert list(others) == [first, first]
    with process_pool(os.getpid, [()], workers=1) as results:
        assert list(results) != [first]


def test_workers_get_functions_by_name_single_threaded(monkeypatch):
    expert = as_opponent("expert")
    taken = deepcopy(expert)  # by the same way as to another process
    assert taken is not expert
    assert taken.discards.solution is expert.discards.solution
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    with process_pool(os.getenv, [("OPENBLAS_NUM_THREADS",)], workers=1) as results:
        assert list(results) == ["1"]
    assert "OPENBLAS_NUM_THREADS" not in os.environ
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")  # who says so is heard
    with process_pool(os.getenv, [("OPENBLAS_NUM_THREADS",)], workers=1) as results:
        assert list(results) == ["3"]


def test_blas_stays_single_threaded_while_asked():
    """In a process of its own, since threads of other tests may ask too."""
    script = """
import numpy
from cribev.system import blas

(numpys, *_) = libraries = blas._blas()
for library in libraries:
    library.set_num_threads(2)
many = numpys.get_num_threads()
first, second = blas.one_blas_thread(), blas.one_blas_thread()
first.__enter__()
second.__enter__()
first.__exit__(None, None, None)  # as another thread that ends in between
while_asked = numpys.get_num_threads()
second.__exit__(None, None, None)
print(while_asked, numpys.get_num_threads() == many)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["1", "True"], done.stderr
