"""Running `cribev` as a shell does."""

import os
import pty
import re
import subprocess
import sys

HAND = "5H 5D JS QC 2H 8D"

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def run(*arguments, stdin=b"", **environment):
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", **environment}
    return subprocess.run(
        [sys.executable, "-m", "cribev", *arguments],
        input=stdin, capture_output=True, timeout=900, check=False, env=environment,
    )  # fmt: skip


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
