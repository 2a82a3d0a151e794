"""Build the reference pages from the docstrings: ``python docs/reference.py [FOLDER]``.

A warning is an error: a name that does not resolve, a docstring that cannot be read.
"""

import sys
import warnings
from pathlib import Path
from pkgutil import iter_modules

import pdoc

import cribev

FOLDER = Path(__file__).parent.parent / "build" / "reference"


def build(folder):
    """Write a page for each module of `cribev` into a folder."""
    warnings.simplefilter("error")
    for name in cribev.__all__:  # what is loaded on use is there only once it was used
        getattr(cribev, name)
    pdoc.render.configure(docformat="numpy", show_source=False)
    found = iter_modules(cribev.__path__, "cribev.")
    rooms = [one.name for one in found if one.name not in ("cribev.__main__", "cribev.commands")]
    pdoc.pdoc("cribev", *rooms, output_directory=folder)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if sys.argv[1:] else FOLDER
    build(target)
    print(f"{target / 'cribev.html'} written")
