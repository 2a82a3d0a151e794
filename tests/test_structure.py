"""What the design promises about the package itself."""

import ast
import pydoc
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter
from importlib import resources
from pathlib import Path

import pytest

import cribev

PACKAGE = Path(cribev.__file__).parent
CONTRIBUTING = (PACKAGE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
TREE = re.search(r"^```\ncribev/\n(.*?)^```", CONTRIBUTING, re.MULTILINE | re.DOTALL)[1]
PACKAGES = re.findall(r"^  (?:  )?(\w+)(?:/|\.py)", TREE, re.MULTILINE)
APP = PACKAGES[1 : PACKAGES.index("commands", PACKAGES.index("games"))]
LAYERS = [*(f"app.{name}" for name in APP), *PACKAGES[len(APP) + 1 :]][::-1]  # bottom up
COMMAND_LINE = {"commands.cli"}  # where commands of the app are named, to be loaded on use
INIT = "__init__"
MODULES = sorted(
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    for path in PACKAGE.rglob("*.py")
    if path.stem != INIT
)


def package(module):
    return re.match(r"app\.\w+|\w+", module)[0]


def part(module):
    first = module.split(".")[0]
    return first if first == "app" else "advisor"


@cache
def source(module):
    return PACKAGE.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")


@cache
def tree(module):
    return ast.parse(source(module))


@cache
def imported(module):
    """The modules and packages of cribev that a module imports."""
    names = set()
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.ImportFrom) and re.match(r"cribev(\.|$)", node.module or ""):
            within = node.module.split(".")[1:]
            for name in node.names:
                longest = ".".join([*within, name.name])
                names.add(longest if longest in MODULES else ".".join(within))
        elif isinstance(node, ast.Import):
            names |= {name.name[7:] for name in node.names if name.name.startswith("cribev.")}
    return names


def test_every_package_has_its_layer():
    assert sorted(LAYERS) == sorted({package(module) for module in MODULES} - {"__main__"})
    packages = {path.stem for path in PACKAGE.iterdir()}
    assert not packages & set(dir(cribev))  # or it would hide a public function


def test_imports_go_downward_without_circles():
    graph = {module: imported(module) - {""} for module in MODULES}
    upward = [
        f"{module} imports {other}"
        for module, others in graph.items()
        if package(module) in LAYERS
        for other in others
        if LAYERS.index(package(other)) > LAYERS.index(package(module))
    ]
    assert upward == []
    assert list(TopologicalSorter(graph).static_order())


def test_advisor_imports_neither_app_nor_solver():
    uses = {
        (part(module), part(other))
        for module in MODULES
        if module != "__main__"
        for other in imported(module)
        if part(module) != part(other)
    }
    assert uses == {("app", "advisor")}
    named = {
        module
        for module in MODULES
        if part(module) == "advisor" and re.search(r"\bapp\.\w", source(module))
    }
    assert named == COMMAND_LINE
    solvers = re.compile(r"^\s*(?:from|import) solver\b", re.MULTILINE)
    assert not [module for module in MODULES if solvers.search(source(module))]


@pytest.mark.parametrize("name", LAYERS)
def test_packages_list_their_modules(name):
    folder = PACKAGE.joinpath(*name.split("."))
    if folder.is_dir():
        modules = {path.stem for path in folder.glob("*.py")} - {INIT}
        face = ast.get_docstring(ast.parse((folder / f"{INIT}.py").read_text(encoding="utf-8")))
        assert modules <= set(re.findall(r"`(\w+)`", face))


def test_public_classes_and_functions_have_names_of_their_own():
    places = defaultdict(set)  # a set: overloads of one function stand in one file
    for module in MODULES:
        for node in tree(module).body:
            is_definition = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            if is_definition and not node.name.startswith("_"):
                places[node.name].add(module)
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}


def test_public_names_exist_and_help_is_short():
    public = {name for name in dir(cribev) if not name.startswith("_")}
    for name in public:
        assert getattr(cribev, name) is not None
    assert {"advise", "CribevError"} <= public
    assert not public & {"TYPE_CHECKING", "errors"}
    assert public == {name for name in dir(cribev) if not name.startswith("_")}  # all are loaded
    with pytest.raises(AttributeError, match="nonsense"):
        _ = cribev.nonsense
    everything: dict[str, object] = {}
    exec("from cribev import *", everything)
    assert everything.keys() - {"__builtins__"} == public
    tour = pydoc.plain(pydoc.render_doc(cribev)).partition("PACKAGE CONTENTS")[0]
    assert len(tour.splitlines()) < 80
    named = set(re.findall(r"(?<!`)`(\w+)`", cribev.__doc__))
    lower = {name for name in dir(cribev) if name[0].islower()}
    functions = {name for name in lower if callable(getattr(cribev, name))}
    assert functions <= named <= set(dir(cribev))
    assert resources.files("cribev").joinpath("py.typed").is_file()  # type hints reach users


def test_light_commands_load_no_heavy_library():
    code = """
import sys
import cribev
from cribev.commands import cli

heavy = [{"pandas", "rich"} & set(sys.modules)]
cli.main(["score", "5C 6D 7D QH 6H"])
heavy.append({"pandas", "rich"} & set(sys.modules))
cli.main(["play", "pone:4H5CJDJS/9CKD:7H:J5", "--format", "json"])
cli.main(["advise", "5H5DJSQC2H8D", "--pone", "--score", "103-104"])
heavy.append({"pandas", "numba"} & set(sys.modules))
print(heavy)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.decode().splitlines()[-1] == "[set(), set(), set()]"
