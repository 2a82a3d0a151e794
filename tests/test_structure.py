"""What the design promises about the package itself."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import cribev

PACKAGE = Path(cribev.__file__).parent
CONTRIBUTING = (PACKAGE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (`.*?`) \|", CONTRIBUTING, re.MULTILINE)[::-1]  # the house, bottom up
FLOOR = {
    module: number for number, row in enumerate(ROWS) for module in re.findall(r"`(\w+/?)`", row)
}
MODULES = sorted(
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    for path in PACKAGE.rglob("*.py")
    if path.stem != "__init__"
)


def imported(module):
    path = PACKAGE.joinpath(*module.split(".")).with_suffix(".py")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "cribev":
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "cribev.commands":
            yield from (f"commands.{name.name}" for name in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cribev."):
            yield node.module.removeprefix("cribev.")
        elif isinstance(node, ast.Import):
            yield from (name.name[7:] for name in node.names if name.name.startswith("cribev."))


def floor(module):
    return FLOOR["commands/" if module.startswith("commands.") else module]


def test_every_module_has_its_floor():
    assert set(FLOOR) - {"templates/"} == {
        "commands/" if module.startswith("commands.") else module for module in MODULES
    }


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_downward(module):
    for other in imported(module):
        top = floor(module) == floor("cli")  # the command line: it and its commands
        assert floor(other) < floor(module) + top, f"{module} imports {other}"


def test_public_names_are_there():
    for name in cribev.__all__:
        assert getattr(cribev, name) is not None
    assert set(cribev.__all__) <= set(dir(cribev))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = cribev.nonsense


@pytest.mark.parametrize(
    "command", ["import cribev", "import cribev.cli as c; c.main(['score', '5C 6D 7D QH 6H'])"]
)
def test_light_commands_load_no_heavy_library(command):
    code = f"{command}\nimport sys\nprint(sorted({{'pandas', 'rich'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert done.stdout.decode().splitlines()[-1] == "[]"
