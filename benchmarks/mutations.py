"""Faults drawn at random, and which of them the tests catch.

    python -m benchmarks.mutations [80] [--seed 1]

A mutation changes one operator, number or word of a line that tests run: ``<`` to ``<=``, ``+`` to
``-``, ``and`` to ``or``, 4 to 5, ``min`` to ``max``. They are drawn evenly over the packages of
`cribev` and its JavaScript. Each is made in a copy of the checkout, where the files of tests that
run its line are tried, the quickest first, until a test fails. A mutation that all of them pass has
escaped: either a test is missing, or the change makes no difference.

Which lines each file of tests runs is measured once with coverage.py (``pip install coverage``),
and kept in the folder cribev-mutations for temporary files: remove it after a change. Slow tests
are left out, and for Python those of a browser; a script has all that run one. Each core tries a
mutation of its own.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np

from benchmarks.arguments import run

ROOT = Path(__file__).parents[1]
PYTEST = ["-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m"]
PYTHON, JAVASCRIPT = "not slow and not browser", "not slow"  # which tests are tried
TOGETHER = 20  # seconds of tests that one process runs: starting it takes four

SWAPS = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.And: "or", ast.Or: "and",
}  # fmt: skip
SIGNS = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.And: "and", ast.Or: "or",
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum"}
OPERATORS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "+": "-", "&&": "||"}


class Mutation(NamedTuple):
    """A text at a place of a file, and what replaces it."""

    file: str
    line: int  # from 1
    column: int
    old: str
    new: str

    def __str__(self):
        return f"{self.file}:{self.line}:{self.column}: {self.old} -> {self.new}"

    def apply(self, text):
        """Return the text of the file with the mutation."""
        lines = text.split("\n")
        line = lines[self.line - 1]
        assert line[self.column :].startswith(self.old), str(self)
        lines[self.line - 1] = line[: self.column] + self.new + line[self.column + len(self.old) :]
        return "\n".join(lines)


def python_mutations(file):
    """List the mutations of a module, docstrings and annotations left out."""
    text = (ROOT / file).read_text(encoding="utf-8")
    lines = text.split("\n")

    def column_of(line, offset):
        """Return a place in a line, of which the syntax tree counts the bytes."""
        return len(lines[line - 1].encode()[:offset].decode())

    def between(left, right, kind):
        """Find an operator between two operands on one line."""
        if left.end_lineno == right.lineno:
            start = column_of(left.end_lineno, left.end_col_offset)
            column = lines[left.end_lineno - 1].find(SIGNS[kind], start)
            if start <= column < column_of(right.lineno, right.col_offset):
                yield Mutation(file, left.end_lineno, column, SIGNS[kind], SWAPS[kind])

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            yield from between(node.left, node.comparators[0], type(node.ops[0]))
        elif isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
            yield from between(node.left, node.right, type(node.op))
        elif isinstance(node, ast.BoolOp):
            yield from between(node.values[0], node.values[1], type(node.op))
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            old = ast.get_source_segment(text, node)
            column = column_of(node.lineno, node.col_offset)
            if old.isdigit() and lines[node.lineno - 1].startswith(old, column):
                yield Mutation(file, node.lineno, column, old, str(node.value + 1))
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in NAMES:
                column = column_of(node.func.end_lineno, node.func.end_col_offset) - len(name)
                yield Mutation(file, node.func.end_lineno, column, name, NAMES[name])


def javascript_mutations(file):
    """List the mutations of a script: operators between blanks, and whole numbers."""
    operator = re.compile(r"(?<= )([<>]=?|===|\+|&&)(?= )|(?<=[ (\[])([0-9]+)(?=[ ,;)\]])")
    for number, line in enumerate((ROOT / file).read_text(encoding="utf-8").split("\n"), 1):
        if line.lstrip().startswith(("//", "*", "/*")):
            continue
        for match in operator.finditer(line):
            old = match[0]
            new = str(int(old) + 1) if old.isdigit() else OPERATORS[old]
            yield Mutation(file, number, match.start(), old, new)


def draw(number, seed, covered):
    """Draw mutations of lines that are covered, evenly over packages and the JavaScript."""
    by_package = defaultdict(list)
    for path in sorted((ROOT / "cribev").rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        package = file.split("/")[1]
        for mutation in python_mutations(file):
            if covered.get(f"{file}:{mutation.line}"):
                by_package[package].append(mutation)
    for path in sorted((ROOT / "cribev").rglob("*.js")):
        by_package["JavaScript"] += javascript_mutations(path.relative_to(ROOT).as_posix())
    random = np.random.default_rng(seed)
    for mutations in by_package.values():
        random.shuffle(mutations)
    queues = [by_package[package] for package in sorted(by_package)]
    rounds = (queue[turn] for turn in range(number) for queue in queues if turn < len(queue))
    return [mutation for mutation, _ in zip(rounds, range(number), strict=False)]


def files_of_tests():
    """List the files of tests, and the packages whose docstrings have examples."""
    tests = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("tests/test_*.py"))
    packages = sorted({path.parent for path in ROOT.glob("cribev/*/__init__.py")})
    return tests + [path.relative_to(ROOT).as_posix() for path in packages]


def measure_coverage(work):
    """Run each file of tests with coverage: by line, which run it; and the seconds of each."""
    covered, seconds = defaultdict(list), {}
    for file in files_of_tests():
        data = work / "data"
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "coverage", "run", f"--data-file={data}", "--source=cribev",
             *PYTEST, PYTHON, file],
            cwd=ROOT, capture_output=True, timeout=3600, check=False,
        )  # fmt: skip
        seconds[file] = time.perf_counter() - start
        report = work / "report.json"
        command = ["coverage", "json", "-q", f"--data-file={data}", "-o", report]
        subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=False)
        if report.exists():
            for name, lines in json.loads(report.read_text())["files"].items():
                for line in lines["executed_lines"]:
                    covered[f"{name}:{line}"].append(file)
            report.unlink()
        print(f"{file}: {seconds[file]:.0f} s", file=sys.stderr, flush=True)
    return {"covered": covered, "seconds": seconds}


def in_groups(tests, seconds):
    """Split files of tests into groups that take some seconds together, the quickest first."""
    group, length = [], 0
    for file in sorted(tests, key=lambda file: seconds.get(file, 0)):
        group.append(file)
        length += seconds.get(file, 0)
        if length > TOGETHER:
            yield group, length
            group, length = [], 0
    if group:
        yield group, length


def is_caught(mutation, copy, tests, seconds):
    """Return the test that fails on a mutation in a copy of the checkout, or None."""
    path = copy / mutation.file
    chosen = JAVASCRIPT if path.suffix == ".js" else PYTHON
    whole = path.read_text(encoding="utf-8")
    path.write_text(mutation.apply(whole), encoding="utf-8")
    try:
        for files, length in in_groups(tests, seconds):
            try:
                done = subprocess.run(
                    [sys.executable, *PYTEST, chosen, *files],
                    cwd=copy, env=os.environ | {"PYTHONPATH": str(copy)},
                    capture_output=True, text=True, timeout=30 + 4 * length, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return f"runs on in {files[0]} or after it"
            if done.returncode not in (0, 5):  # 5: all its tests are left out
                failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
                return failed[1] if failed else f"{files[0]} cannot be run"
    finally:
        path.write_text(whole, encoding="utf-8")
    return None


def measure(number=80, *, seed=1):
    """Draw mutations, try them, and print each with what catches it."""
    work = Path(tempfile.gettempdir(), "cribev-mutations")
    work.mkdir(exist_ok=True)
    kept = work / "coverage.json"
    if not kept.exists():
        kept.write_text(json.dumps(measure_coverage(work)))
    measured = json.loads(kept.read_text())
    covered, seconds = measured["covered"], measured["seconds"]
    copies = SimpleQueue()
    ignored = shutil.ignore_patterns(".venv*", ".git", "__pycache__", "build", "dist")
    for core in range(os.cpu_count()):
        copy = work / f"copy-{core}"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(ROOT, copy, ignore=ignored)
        copies.put(copy)

    with_scripts = [
        file for file in files_of_tests()
        if file.endswith(".py") and re.search("in_node|browser", (ROOT / file).read_text())
    ]  # fmt: skip

    def try_out(mutation):
        tests = covered.get(f"{mutation.file}:{mutation.line}", with_scripts)
        copy = copies.get()
        try:
            return is_caught(mutation, copy, tests, seconds)
        finally:
            copies.put(copy)

    drawn, escaped = draw(number, seed, covered), 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for place, (mutation, caught) in enumerate(
            zip(drawn, pool.map(try_out, drawn), strict=True), 1
        ):
            escaped += not caught
            print(f"{place}. {mutation}: {caught or 'ESCAPED'}", flush=True)
    print(f"{len(drawn) - escaped} of {len(drawn)} caught")


if __name__ == "__main__":
    run(measure)
