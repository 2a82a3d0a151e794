"""Running `cribev` as a shell does."""

import csv
import io
import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
import termios
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from multiprocessing import resource_tracker
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pandas as pd

from cribev.commands.cli import main

HAND = "5H 5D JS QC 2H 8D"

ENDS = ["hand_min", "hand_max", "crib_min", "crib_max"]
_SHOWN = ["hand_mean", *ENDS[:2], "hand_sd", "crib_mean", *ENDS[2:], "crib_sd"]
SHOWN = ["best_discard", "best_keep", *_SHOWN, "expected", "margin"]
ADDED = [*SHOWN[:-2], "play_mean", *SHOWN[-2:]]  # columns that `cribev batch` adds

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def whole(review):
    """All that a terminal shows of a review, without its lists."""
    return f"{review}\n{review.figures}"


class Done(NamedTuple):
    """What a command came to."""

    returncode: int
    stdout: bytes
    stderr: bytes


def run(*arguments, stdin=b"", program=main, **environment):
    """Run in this process, as if it were one of its own."""
    encoding = environment.pop("PYTHONIOENCODING", "utf-8")
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2))
    with (
        mock.patch.dict(os.environ, {"COLUMNS": "80", **environment}),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")),
        # Each process that shares the tests has a core: more take longer to start than they save.
        mock.patch("cribev.system.processes.cpu_count", return_value=1),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        status = program(arguments)
        out.flush()
        err.flush()
    return Done(status, out.buffer.getvalue(), err.buffer.getvalue())


def on_a_terminal(*arguments, typed="", alone=False, **environment):
    """Run on a pseudo-terminal of 80 columns: in this process, or in one of its own."""
    environment = {"TERM": "xterm", "LANG": "C.UTF-8", "COLUMNS": "80", **environment}
    # Begun on the terminal, it would hold that open: it outlives the command.
    resource_tracker.ensure_running()
    leader, follower = pty.openpty()
    termios.tcsetwinsize(leader, (24, 80))
    os.write(leader, typed.encode())
    with ThreadPoolExecutor(1) as reader:
        shown = reader.submit(_read_all, leader)
        try:
            status = (_alone if alone else _here)(follower, arguments, environment)
        finally:
            os.close(follower)
        text = shown.result().decode()
    os.close(leader)
    return status, text


def _here(terminal, arguments, environment):
    with (
        mock.patch.dict(os.environ, environment),
        os.fdopen(os.dup(terminal), encoding="utf-8") as typed,
        os.fdopen(os.dup(terminal), "w", buffering=1, encoding="utf-8") as shown,
        mock.patch.object(sys, "stdin", typed),
        redirect_stdout(shown),
        redirect_stderr(shown),
    ):
        return main(arguments)


def _alone(terminal, arguments, environment):
    environment = {"PATH": os.environ["PATH"], "PYTHONUTF8": "1", **environment}
    process = subprocess.Popen(
        [sys.executable, "-m", "cribev", *arguments],
        stdin=terminal, stdout=terminal, stderr=terminal, env=environment,
    )  # fmt: skip
    return process.wait(timeout=300)


def _read_all(terminal):
    read = b""
    with suppress(OSError):  # how Linux says that the other end has closed
        while chunk := os.read(terminal, 65536):
            read += chunk
    return read


def good(*arguments, **options):
    done = run(*arguments, **options)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    return done.stdout.decode()


def printed(*arguments, **options):
    """Run what prints JSON, and read it."""
    return json.loads(good(*arguments, "--format", "json", **options))


def csv_rows(*arguments, **options):
    """Run what prints CSV, and list its rows."""
    return list(csv.DictReader(io.StringIO(good(*arguments, "--format", "csv", **options))))


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def read_table(path):
    """Read what `cribev batch` wrote."""
    name = str(path).removesuffix(".gz")
    if name.endswith("parquet"):
        return pd.read_parquet(path)
    if name.endswith("jsonl"):
        return pd.read_json(path, lines=True)
    return pd.read_csv(path, sep="\t" if name.endswith("tsv") else ",")


def batched(source, target, *options):
    """Run `cribev batch`, in place of what stands there, and read what it wrote."""
    assert main(["batch", source, "-o", target, "--force", *options]) == 0
    return read_table(target)


def refused(*arguments, **options):
    """Run what cannot be; return the one line that says why."""
    done = run(*arguments, **options)
    told = done.stderr.decode()
    assert (done.returncode, done.stdout, told.count("\n")) == (2, b"", 1), told
    assert told.startswith("cribev: error: ")
    return told.removeprefix("cribev: error: ").rstrip("\n")


def heard(process):
    """Wait until a command handles signals: Python itself leaves this one alone."""

    def caught():
        status = Path(f"/proc/{process.pid}/status").read_text()
        return int(status.partition("SigCgt:")[2].split()[0], 16) >> (signal.SIGTERM - 1) & 1

    wait_until(caught, process)


def assert_ended(process, status):
    """Ended without a word."""
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out, err) == (status, b"", b"")


def wait_until(condition, process=None):
    """Wait for what a process does, however slow the machine is, but no longer than it lives."""
    until = time.monotonic() + 300
    while not condition():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < until, "it never came"
        time.sleep(0.05)  # conditions may read all of /proc


def group(process):
    """The processes of a session, but for those that are gone and not yet buried."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[3]) == process.pid and fields[0] != "Z":
                found.append(int(path.parent.name))
    return found


def queried(folder, query, *values):
    """Ask the database of a data folder, or change it."""
    with closing(sqlite3.connect(folder / "cribev.sqlite3")) as database, database:
        return database.execute(query, values).fetchall()
