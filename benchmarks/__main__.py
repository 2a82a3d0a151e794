"""Measure cribev beside other programs, in one run; status 1 if it counts a hand wrongly."""

import json
import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks import report
from benchmarks.arguments import Parser
from benchmarks.compiled import FLAGS, compiler
from benchmarks.field import measure
from cribev.system.files import atomic_write

PEERS = {
    "cribbage": "pip install --no-deps cribbage (it asks for numpy 1 but runs on 2)",
    "cribbage-scorer": 'pip install -e ".[bench]"',
}


def main(arguments):
    parser = Parser(sys.modules[__name__])
    parser.add_argument("--quick", action="store_true", help="a little of everything")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the results here")
    asked = parser.parse_args(arguments)

    results = measure(quick=asked.quick)
    results["machine"] = _machine()
    results["versions"] = _versions()
    results["command"] = "python -m benchmarks" + " --quick" * asked.quick
    results["missing"] = _missing()
    if asked.json:
        with atomic_write(asked.json) as file:
            file.write(f"{json.dumps(results, indent=1)}\n".encode())
    print(report.text(results), end="")
    return any(sum(kinds.values()) for kinds in results["errors"]["wrong"]["cribev"].values())


def _machine():
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(": ")[2] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def _versions():
    versions = [f"CPython {platform.python_version()}"]
    versions += [f"{package} {version(package)}" for package in ("numpy", "pandas", "pyarrow")]
    if compiler():
        done = subprocess.run([compiler(), "--version"], capture_output=True, text=True, check=True)
        flags = " ".join(flag for flag in FLAGS if flag.startswith(("-O", "-m")))
        versions.append(f"{done.stdout.splitlines()[0]} {flags}")
    return ", ".join(versions)


def _missing():
    missing = [] if compiler() else ["C: no compiler found"]
    for package, remedy in PEERS.items():
        try:
            version(package)
        except PackageNotFoundError:
            missing.append(f"{package}: {remedy}")
    return missing


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
