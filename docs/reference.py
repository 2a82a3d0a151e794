"""Build the reference pages from the docstrings.

Warnings are errors: a name that does not resolve, a docstring that cannot be read.
"""

import warnings
from pathlib import Path
from pkgutil import iter_modules
from tempfile import TemporaryDirectory

import pdoc

import cribev

FOLDER = Path(__file__).parent.parent / "build" / "reference"


def remake(*, check):
    """Write a page for each package of `cribev`; or, to check, into a folder that is deleted."""
    with TemporaryDirectory() as nowhere:
        build(Path(nowhere) if check else FOLDER)


def build(folder):
    """Write the pages into a folder."""
    warnings.simplefilter("error")
    # Fields of a NamedTuple whose annotations are strings: pdoc looks for their names elsewhere.
    warnings.filterwarnings("ignore", r"Error parsing type annotation ForwardRef\(")
    warnings.filterwarnings("ignore", r"Error parsing type annotation .* for pandas\.")
    public = [name for name in dir(cribev) if not name.startswith("_")]
    for name in public:  # some are loaded on first use
        getattr(cribev, name)
    pdoc.render.configure(docformat="numpy", show_source=False)
    names = [module.name for module in iter_modules(cribev.__path__, "cribev.")]
    modules = [name for name in names if name not in ("cribev.__main__", "cribev.commands")]
    pdoc.pdoc("cribev", *modules, output_directory=folder)
