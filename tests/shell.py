"""Running `cribev` as a shell does."""

import io
import os
import pty
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple
from unittest import mock

from cribev.commands.cli import main

HAND = "5H 5D JS QC 2H 8D"

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Done(NamedTuple):
    """What a command came to."""

    returncode: int
    stdout: bytes
    stderr: bytes


def run(*arguments, stdin=b"", **environment):
    """Run in this process, as if it were one of its own."""
    encoding = environment.pop("PYTHONIOENCODING", "utf-8")
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2))
    with (
        mock.patch.dict(os.environ, {"COLUMNS": "80", **environment}),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            status = main(arguments)
        except SystemExit as end:  # how help and the version end
            status = end.code or 0
        out.flush()
        err.flush()
    return Done(status, out.buffer.getvalue(), err.buffer.getvalue())


def on_a_terminal(*arguments, typed="", **environment):
    """Run with standard output, and input, on a pseudo-terminal of 80 columns."""
    leader, follower = pty.openpty()
    os.write(leader, typed.encode())
    process = subprocess.Popen(
        [sys.executable, "-m", "cribev", *arguments],
        stdin=follower, stdout=follower, stderr=follower,
        env={"PATH": os.environ["PATH"], "TERM": "xterm", "LANG": "C.UTF-8",
             "PYTHONUTF8": "1", "COLUMNS": "80", **environment},
    )  # fmt: skip
    os.close(follower)
    read = b""
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # how Linux says that the other end has closed
            break
        if not chunk:
            break
        read += chunk
    os.close(leader)
    return process.wait(timeout=60), read.decode()


def good(*arguments, **options):
    done = run(*arguments, **options)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    return done.stdout.decode()
