"""README and its fellows say what is true, and notebooks are committed as they ran."""

import ast
import doctest
import html
import io
import json
import re
import shlex
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest
from shell import good

from cribev import review
from docs import readme

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
TEST_COMMAND = re.search(r"^.*python -m pytest.*$", README, re.MULTILINE)[0]


@pytest.mark.parametrize("command", readme.commands(README))
def test_readme_commands_print_what_it_says(command):
    arguments, given = readme.parsed(command)
    assert f"$ {command}\n{good(*arguments, stdin=given).rstrip()}\n" in README


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


def test_the_benchmark_is_told_as_it_ran():
    assert readme.with_figures(README) == README
    page = readme.BENCHMARKS.read_text(encoding="utf-8")
    assert readme.remade_report(page) == page


def test_the_worked_row_is_that_of_the_review_template():
    record = pd.read_csv(io.StringIO(good("review", "--template")))
    found = review(record).decisions.iloc[0]
    parts = ["deal_luck", "ev_loss", "starter_luck", "crib_swing", "play_swing"]
    said = re.findall(r"^\| [a-z ]+ \| ([+−.0-9]+) \|", README, re.MULTILINE)
    assert len(said) == len(parts)
    for part, text in zip(parts, said, strict=True):
        shown = f"{found[part]:.2f}" if part == "ev_loss" else f"{found[part]:+.2f}"
        assert text == shown.replace("-", "−")
    assert f"Ann's deal above, {found['result']:+.2f}:".replace("-", "−") in README
    luck, lost = f"{found['play_luck']:+.2f}", f"{found['play_lost']:.2f}"
    assert f"*play luck* {luck} − *lost in play* {lost}" in README


def test_readme_is_short_and_there_are_notebooks():
    assert len(README.split()) <= 2600
    assert len(NOTEBOOKS) == 9


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "benchmarks/README.md"])
def test_links_lead_somewhere(page):
    file = ROOT / page
    for link in re.findall(r"\]\(([^)#]+)\)", file.read_text(encoding="utf-8")):
        assert (file.parent / link).exists(), link


def test_picture_of_the_terminal_is_true():
    drawn = (ROOT / "docs" / "images" / "advise.svg").read_text(encoding="utf-8")
    assert "url(http" not in drawn
    words = html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", drawn, flags=re.DOTALL))
    words = words.replace("\N{NO-BREAK SPACE}", " ")
    command = re.search(r"\$ cribev advise (.*)", words)[1].strip()
    numbers = r"[-+]?\d+\.\d+%?"
    shown = good("advise", *shlex.split(command))
    assert re.findall(numbers, words) == re.findall(numbers, shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_committed_as_it_ran_and_takes_what_the_package_has(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    outputs = [output for cell in code for output in cell["outputs"]]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not any(output["output_type"] == "error" for output in outputs)
    assert not any(output.get("name") == "stderr" for output in outputs)
    assert not any("execution" in cell["metadata"] for cell in code)
    assert path.stat().st_size < 1_000_000
    wanted = [
        (node.module, name.name)
        for node in ast.walk(ast.parse("\n".join("".join(cell["source"]) for cell in code)))
        if isinstance(node, ast.ImportFrom) and node.module.startswith("cribev")
        for name in node.names
    ]
    assert wanted
    for module, name in wanted:
        assert hasattr(import_module(module), name), f"{module} has no {name}"
