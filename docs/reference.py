"""The reference pages, built from the docstrings.

A warning is an error: a name that does not resolve, a docstring that cannot be read.
"""

import warnings
from pathlib import Path
from pkgutil import iter_modules
from tempfile import TemporaryDirectory

import pdoc

import cribev

FOLDER = Path(__file__).parent.parent / "build" / "reference"


def remake(*, check):
    """Write a page for each module of `cribev`; or, to check, write them to nowhere."""
    with TemporaryDirectory() as nowhere:
        build(Path(nowhere) if check else FOLDER)


def build(folder):
    """Write the pages into a folder."""
    warnings.simplefilter("error")
    for name in cribev.__all__:  # what is loaded on use is there only once it was used
        getattr(cribev, name)
    pdoc.render.configure(docformat="numpy", show_source=False)
    found = iter_modules(cribev.__path__, "cribev.")
    rooms = [one.name for one in found if one.name not in ("cribev.__main__", "cribev.commands")]
    pdoc.pdoc("cribev", *rooms, output_directory=folder)
