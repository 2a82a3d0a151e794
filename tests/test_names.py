"""Names: one name one idea, and one idea one name."""

import ast
from collections import defaultdict
from pathlib import Path

import cribev

PACKAGE = Path(cribev.__file__).parent


def public_definitions():
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            is_definition = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            if is_definition and not node.name.startswith("_"):
                yield node.name, str(path.relative_to(PACKAGE))


def test_public_names_are_unique():
    places = defaultdict(set)  # a set: overloads of one function stand in one file
    for name, path in public_definitions():
        places[name].add(path)
    assert {name: sorted(paths) for name, paths in places.items() if len(paths) > 1} == {}
