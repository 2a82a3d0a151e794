"""Errors of commands and pages, and a few answers, are the texts of `data/phrases.txt`."""

import pytest
from phrases import FILE, answered, cases, prepare

pytestmark = [pytest.mark.usefixtures("folder"), pytest.mark.python]


@pytest.fixture(autouse=True)
def record_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)


CASES = list(cases(FILE.read_text(encoding="utf-8")))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.asked[:60])
def test_words_are_those_of_the_file(case, site):
    assert answered(case.asked, site).told == case.told


def test_no_case_is_asked_twice():
    asked = [case.asked for case in CASES]
    assert len(asked) == len(set(asked))
