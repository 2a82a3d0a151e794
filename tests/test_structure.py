"""What the design promises about the package itself."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import cribev

PACKAGE = Path(cribev.__file__).parent
FLOORS = [  # imports go down only
    ["errors"],
    ["cards", "files", "formats", "roles"],
    ["lines", "pairtable", "render", "tables"],
    ["deal_columns", "deals", "scoring", "sinks", "sources"],
    ["classes", "crib", "hand", "show"],
    ["values"],
    ["class_cribs", "spread"],
    ["policies"],
    ["solution"],
    ["equilibrium", "expert"],
    ["opponents"],
    ["explanation"],
    ["advice", "batch", "lessons", "records"],
    ["batch_files", "record_files", "totals", "worth"],
    ["reviews"],
    ["page"],
    ["commands.arguments"],
    ["commands.given"],
    [f"commands.{name}" for name in ("advise", "batch", "review", "score", "solve", "tables")],
    ["cli"],
    ["__main__"],
]
FLOOR = {module: number for number, modules in enumerate(FLOORS) for module in modules}
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


def test_every_module_has_its_floor():
    assert sorted(FLOOR) == MODULES


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_downward(module):
    for other in imported(module):
        assert FLOOR[other] < FLOOR[module], f"{module} imports {other}"


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
