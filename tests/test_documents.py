"""README and its fellows say what is true."""

import doctest
import html
import io
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest
from shell import good

from cribev import review
from docs import readme

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
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


def test_the_worked_row_is_that_of_the_template():
    record = pd.read_csv(io.StringIO(good("review", "--template")))
    found = review(record).decisions.iloc[0]
    parts = ["deal_luck", "ev_loss", "starter_luck", "crib_swing", "play_swing"]
    said = re.findall(r"^\| [a-z ]+ \| ([+−.0-9]+) \|", README, re.MULTILINE)
    assert len(said) == len(parts)
    for part, text in zip(parts, said, strict=True):
        shown = f"{found[part]:.2f}" if part == "ev_loss" else f"{found[part]:+.2f}"
        assert text == shown.replace("-", "−")
    assert f"Ann's deal above, {found['result']:+.2f}:".replace("-", "−") in README
    assert (
        f"*play luck* {found['play_luck']:+.2f} − *lost in play* {found['play_lost']:.2f}" in README
    )


def test_readme_is_short():
    assert len(README.splitlines()) <= 230


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
