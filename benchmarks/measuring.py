"""Time and memory."""

import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]


def side_by_side(works, *, rounds):
    """Time several works in turn, so that what disturbs one disturbs all.

    Each is run once unmeasured; a work whose rounds would take more than a minute is run once only.
    Gives the median seconds of each.
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
    """The most memory this process has held, in MiB."""
    with suppress(OSError):  # unlike the count below, this one starts with the process
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    import resource  # not on Windows

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def peak_of_command(*arguments):
    """Run a command of cribev in a process of its own, and give the most memory it held, in MiB."""
    code = (
        "import sys; from cribev.commands.cli import main; status = main(sys.argv[1:]); "
        "from benchmarks.measuring import peak_mib; print(peak_mib()); sys.exit(status)"
    )
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(done.stderr.decode())
    return float(done.stdout.split()[-1])


def _seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
