"""Time and memory."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]


def side_by_side(works, *, rounds):
    """Time several works in turn, so that disturbances affect all alike.

    Each runs once without being measured; a work whose rounds would take more than a minute runs
    only that once. Returns the median seconds of each.
    """
    seconds = {name: [_seconds(work)] for name, work in works.items()}
    for turn in range(rounds):
        for name, work in works.items():
            if seconds[name][0] * rounds < 60:
                if turn == 0:
                    seconds[name].clear()
                seconds[name].append(_seconds(work))
    return {name: median(times) for name, times in seconds.items()}


def peak_mib():
    """Return the most memory this process has held, in MiB."""
    with suppress(OSError):  # the count below can start before the process
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    import resource  # not on Windows

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def peak_of_command(*arguments, module="cribev.commands.cli"):
    """Run a command of cribev in its own process; return the most memory it held, in MiB."""
    code = (
        f"import sys; from {module} import main; status = main(sys.argv[1:]); "
        "from benchmarks.measuring import peak_mib; print(peak_mib()); sys.exit(status)"
    )
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, env=installed())
    if done.returncode:
        raise RuntimeError(done.stderr.decode())
    return float(done.stdout.split()[-1])


def installed():
    """Return the environment of a command as people have it, whose modules are compiled once."""
    return {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
