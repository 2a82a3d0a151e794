"""README and the guides say what is true, and notebooks are committed as they ran."""

import ast
import doctest
import html
import io
import json
import re
import shlex
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from games import random_games, with_play
from shell import HAND, good

from cribev import evaluate, read_record, review
from cribev.app.web.api import ROUTES
from cribev.records.record import as_record
from docs import outputs
from docs.figures import sourced, without_figures

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))
TEST_COMMAND = re.search(r"^.*python -m pytest.*$", README, re.MULTILINE)[0]


PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in outputs.PAGES
}
GUIDES = {Path(name).stem for name in PAGES} - {"README", "index"}
COMMANDS = [(name, one) for name, text in PAGES.items() for one in outputs.commands(text)]


@pytest.mark.parametrize(("page", "command"), COMMANDS)
def test_commands_print_what_a_page_says(page, command):
    arguments, given = outputs.parsed(command)
    assert f"$ {command}\n{good(*arguments, stdin=given).rstrip()}\n" in PAGES[page]


@pytest.mark.parametrize("page", [name for name, text in PAGES.items() if "```python" in text])
def test_python_prints_what_a_page_says(page):
    blocks = re.findall(r"^```python\n(.*?)^```", PAGES[page], re.MULTILINE | re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, page, 0)
    assert test.examples
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    assert results.failed == 0


def test_documented_options_exist():
    told = [
        shlex.split(line.replace("…", ""), comments=True)
        for text in PAGES.values()
        for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        for one in block.splitlines()
        for line in re.split(r"\||&&", one)
        if line.strip().startswith("cribev ")
    ]
    assert len(told) > 10
    for _, command, *words in told:
        text = good("help", command)
        for word in words:
            assert not re.match(r"-\w|--", word) or re.search(rf"{word}\b", text), (command, word)


def test_addresses_that_are_told_are_answered():
    there = {route.path for route in ROUTES}
    latest = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1]
    texts = [*PAGES.values(), latest.partition("### For players")[2]]  # above is what was removed
    told = {address for text in texts for address in re.findall(r"/api/[a-z]+", text)}
    assert len(told) > 3
    assert told <= there


def test_guide_lists_keys_and_columns_of_tables():
    guide = PAGES["docs/tables.md"]
    games = with_play(random_games(2, deals=1, seed=2), seed=2).drop(columns="score")
    reviewed = review(games, fast=True)
    listed = dict(re.findall(r"^\| `review\.(\w+)` \|.*\| (.*) \|$", guide, re.MULTILINE))
    deal = {"role": "pone", "score": "119-118", "stakes": "acc"}
    names = {"win_loss"}  # of records with scores
    for every in (False, True):
        names |= {*evaluate([HAND], every_discard=every, **deal)}
    assert len(listed) == 8
    for table, told in listed.items():
        frame, keys = getattr(reviewed, table), re.findall(r"`(\w+)`", told)
        assert not frame.duplicated(keys).any()
        names |= {*frame}
    units = guide.partition("## Units")[2].partition("##")[0]
    told = {name for cell in re.findall(r"^\| (`.*?) \|", units, re.MULTILINE)
            for name in re.findall(r"`(\w+)`", cell)}  # fmt: skip
    assert len(told) > 12
    assert told <= names


@pytest.mark.parametrize(("form", "rows"), [("csv", 9), ("pgn", 4)])
def test_games_in_the_guide_are_read_as_they_stand(form, rows, tmp_path):
    guide, flags = PAGES["docs/records.md"], re.MULTILINE | re.DOTALL
    (written,) = re.findall(rf"^```{form}\n(.*?)^```", guide, flags)
    assert len(written.splitlines()) == 10
    (tmp_path / f"game.{form}").write_text(written)
    record = as_record(read_record(tmp_path / f"game.{form}"))
    assert record.frame["play"].ne("").tolist() == [True] * rows
    assert record.notes == ()


def test_the_index_leads_to_every_guide():
    assert {*re.findall(r"\((\w+)\.md\)", PAGES["docs/index.md"])} == GUIDES


def test_contributing_and_ci_use_the_readme_command():
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    block = re.search(r"^```sh\n(.*?)^```", contributing, re.MULTILINE | re.DOTALL)[1]
    others = block.splitlines()
    others.remove(TEST_COMMAND.replace(".venv", ".venv-test"))
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    for text in (ci, workflow):
        assert "grep -m1 'python -m pytest' README.md" in text
    assert "- run: .ci/run\n" in workflow
    assert "readme=$(with_python python3 .venv-test)" in ci
    assert 'bash -c "$readme"  #' in ci
    for command in others:
        assert command in ci


def test_the_benchmark_is_told_as_it_ran():
    templates = {path.name: path.read_text(encoding="utf-8") for path in outputs.TEMPLATES}
    texts = PAGES | templates
    assert all(outputs.with_figures(text) == text for text in texts.values())
    telling = {name for name, text in texts.items() if {*outputs.gains()} <= {*dict(sourced(text))}}
    assert telling == {"README.md", "docs/method.md", "docs/people.md", "play.html"}
    page = outputs.BENCHMARKS.read_text(encoding="utf-8")
    assert outputs.remade_report(page) == page


@pytest.mark.parametrize("page", PAGES)
def test_what_was_measured_names_its_source(page):
    prose = re.sub(r"^```.*?^```", "", without_figures(PAGES[page]), flags=re.MULTILINE | re.DOTALL)
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)|Python \d\.\d+", "", prose)
    unit = r"%| ± | points off| (?:ms|MB|GB|milli|games? in a hundred)\b"
    assert not re.findall(rf".*\d\.\d.*|.*\d(?:{unit}).*", prose)


@pytest.mark.parametrize("page", PAGES)
def test_sources_of_figures_exist(page):
    filled = outputs.known_figures()
    for source, figure in sourced(PAGES[page]):
        file, _, test = source.partition("::")
        if source in filled or source.startswith(("http://", "https://")):
            continue
        if source.startswith("python -m "):
            assert find_spec(source.split()[2]), source
        elif (ROOT / file).exists():
            assert not test or f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), source
        else:
            module, _, name = source.rpartition(".")
            values = np.ravel(getattr(import_module(module), name))
            told = {*map(float, re.findall(r"[\d.]*\d", figure))}
            assert told in ({*values.tolist()}, {*(100 * values).tolist()}), source


def test_worked_row_matches_review_template():
    record = pd.read_csv(io.StringIO(good("review", "--template")))
    found = review(record).decisions.iloc[0]
    parts = ["deal_luck", "loss", "starter_luck", "crib_swing", "play_swing"]
    guide = PAGES["docs/review.md"]
    rows = re.sub("<!--.*?-->", "", guide)
    said = re.findall(r"^\| [a-z ]+ \| ([+−.0-9]+) \|", rows, re.MULTILINE)
    assert len(said) == len(parts)
    for part, text in zip(parts, said, strict=True):
        shown = f"{found[part]:.2f}" if part == "loss" else f"{found[part]:+.2f}"
        assert text == shown.replace("-", "−")
    assert f"deal in the template, {found['result']:+.2f}:".replace("-", "−") in rows
    luck, lost = f"{found['play_luck']:+.2f}", f"{found['play_lost']:.2f}"
    assert f"*play luck* {luck} − *lost in play* {lost}" in rows


@pytest.mark.parametrize(
    "page", [*PAGES, "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "benchmarks/README.md"]
)
def test_links_lead_somewhere(page):
    file = ROOT / page
    links = re.findall(r"\]\(([^)#]+)(?:#([^)]*))?\)", file.read_text(encoding="utf-8"))
    for link, place in links:
        assert (file.parent / link).exists(), link
        if place:
            heads = re.findall(r"^#+ (.*)", (file.parent / link).read_text("utf-8"), re.MULTILINE)
            assert place in {head.lower().replace(" ", "-") for head in heads}


def test_who_cites_cites_this_version():
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.search(r"^## (\S+) \(([-0-9]+)\)", changes, re.MULTILINE)
    assert f"version: {released[1]}\ndate-released: {released[2]}\n" in cited


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
def test_notebooks_are_committed_as_run(path):
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
