"""What the commands and the pages say, held to `data/phrases.txt`."""

import re

import pytest
from phrases import FILE, answered, cases, prepare

pytestmark = [pytest.mark.usefixtures("folder"), pytest.mark.python]


@pytest.fixture(autouse=True)
def record_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)


CASES = list(cases(FILE.read_text(encoding="utf-8")))
SLOW = {
    "$ cribev play 4H 5C JD JS --pone --score 3-4",
    "$ cribev review game.csv --opponent people --fast --player Ben",
}


def parameters():
    """Yield the cases; what takes a second or more is slow."""
    for case in CASES:
        marks = [pytest.mark.slow] if case.asked in SLOW else []
        yield pytest.param(case, id=case.asked[:60], marks=marks)


def names_once(told):
    return re.sub(r"(-\w) [A-Z]+, --", r"\1, --", " ".join(told.split()))


@pytest.mark.parametrize("case", list(parameters()))
def test_words_are_those_of_the_file(case, site):
    told = answered(case.asked, site).told
    if case.asked.endswith("--help"):  # Pythons name an option's value once or twice, and wrap so
        assert names_once(told) == names_once(case.told)
    else:
        assert told == case.told


def test_no_case_is_asked_twice():
    asked = [case.asked for case in CASES]
    assert len(asked) == len(set(asked)) > 200
    assert {*asked} > SLOW
