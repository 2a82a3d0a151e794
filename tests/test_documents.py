"""README and its fellows say what is true."""

import doctest
import html
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import report

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
TEST_COMMAND = re.search(r"^.*python -m pytest.*$", README, re.MULTILINE)[0]


def examples():
    """Each command of a console block with the output that stands below it."""
    for block in re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


@pytest.mark.parametrize(("command", "output"), list(examples()))
def test_readme_commands_print_what_it_says(command, output):
    program, *arguments = shlex.split(command)
    assert program == "cribev"
    done = subprocess.run(
        [sys.executable, "-m", "cribev", *arguments],
        capture_output=True, check=True, timeout=60, env={**os.environ, "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert done.stdout.decode().rstrip("\n") == output.rstrip("\n")


def test_readme_python_prints_what_it_says():
    blocks = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", "README.md", 0)
    assert test.examples
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    assert results.failed == 0


def test_contributing_and_ci_use_the_readme_command():
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    block = re.search(r"^```sh\n(.*?)^```", contributing, re.MULTILINE | re.DOTALL)[1]
    test_command, *others = block.splitlines()
    assert test_command == TEST_COMMAND
    assert "grep -m1 'python -m pytest' README.md" in ci
    for command in others:
        assert command in ci


def test_readme_shows_the_results_of_the_benchmark():
    results = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))
    assert f"```text\n{report.text(results)}```" in README


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#]+)\)", README))))
def test_readme_links_lead_somewhere(link):
    assert (ROOT / link).exists()


def test_picture_of_the_terminal_is_true():
    drawn = (ROOT / "docs" / "images" / "advise.svg").read_text(encoding="utf-8")
    assert "url(http" not in drawn
    words = html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", drawn, flags=re.DOTALL))
    words = words.replace("\N{NO-BREAK SPACE}", " ")
    command = re.search(r"\$ cribev advise (.*)", words)[1].strip()
    done = subprocess.run(
        [sys.executable, "-m", "cribev", "advise", *shlex.split(command)],
        capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    numbers = r"[-+]?\d+\.\d+%?"
    assert re.findall(numbers, words) == re.findall(numbers, done.stdout.decode())
