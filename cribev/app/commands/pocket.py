"""``cribev pocket``: the advice on discards as one file for a browser, or as a site."""

import argparse
from pathlib import Path

from cribev.commands import options
from cribev.errors import CribevError, quote
from cribev.system.files import AtomicWrites, check_writable, make_folder

_EXAMPLES = """\
examples:
  cribev pocket -o pocket.html
  cribev pocket --site site/

The file advises wherever it is opened, on a phone too, and asks nothing of anybody:
six cards, with suits or by their ranks, yours or theirs, against an expert or against
people; what the cut does; five cards are counted. With a score it says par and the
chance to win, and which discard wins most where both need 32 points or more.

Any server of files can have the site, under https: a phone that has opened it once
keeps it, and opens it without a connection.

In the page, cribev.advise("5H 5D JS QC 2H 8D", {role: "dealer", opponent:
"people"}) answers a script.
"""


def _add_arguments(command: options.Parser) -> None:
    command.add("-o --output FILE", "write one file of HTML")
    command.add("--site FOLDER", "write the files of a site, of which index.html is the page")
    command.add("--force", "replace existing files")


def _pocket(arguments: argparse.Namespace) -> None:
    output, site = arguments.output, arguments.site
    if (output is None) == (site is None):
        given = "neither" if output is None else f"-o {quote(output)} and --site {quote(site)}"
        raise CribevError(f"{given} given: expected -o FILE or --site FOLDER")
    if output is not None:
        check_writable(output, force=arguments.force)
    elif Path(site).exists() and not Path(site).is_dir():
        raise CribevError(f"{quote(site)} is not a folder: expected one for the files of a site")
    from cribev.advice.names import as_opponent
    from cribev.app.pocket.page import SITE_FILES, pocket_page, site_files

    opponents = tuple(map(as_opponent, ("expert", "people")))
    if output is not None:
        made = {Path(output): pocket_page(opponents).encode()}
    else:
        make_folder(Path(site))
        for name in SITE_FILES:
            check_writable(str(Path(site, name)), force=arguments.force)
        made = {Path(site, name): content for name, content in site_files(opponents).items()}
    with AtomicWrites() as outputs:
        for path, content in made.items():
            outputs.open(path, force=arguments.force).write(content)


POCKET = options.Command(_EXAMPLES, _add_arguments, _pocket)
