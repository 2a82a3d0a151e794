"""Every benchmark answers --help, and refuses in one line what it does not take."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1]
MEASURING = sorted(
    path.stem
    for path in FOLDER.glob("*.py")
    if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
)


@pytest.mark.slow
@pytest.mark.parametrize("name", MEASURING)
def test_help_is_a_screen_and_a_wrong_argument_a_line(name):
    module = "benchmarks" if name == "__main__" else f"benchmarks.{name}"
    told, refused = (
        subprocess.run(
            [sys.executable, "-m", module, word], capture_output=True, text=True, check=False
        )
        for word in ("--help", "--nonsense")
    )
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.startswith(f"usage: python -m {module} ")
    assert 5 < told.stdout.count("\n") < 45
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"python -m {module}: error: ")
    assert refused.stderr.count("\n") == 1
