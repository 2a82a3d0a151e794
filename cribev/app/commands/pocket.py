"""``cribev pocket``: the advice on discards as one file for a browser, or as a site."""

import argparse
from pathlib import Path

from cribev.commands import options
from cribev.errors import CribevError, quote
from cribev.system.files import AtomicWrites, check_writable

_EXAMPLES = """\
examples:
  cribev pocket
  cribev pocket -o phone.html
  cribev pocket --site site/

The file advises wherever it is opened, on a phone too, and asks nothing of anybody:
six cards, with suits or by their ranks, yours or theirs, against an expert or against
people; what the cut does; five cards are counted. With a score it says par and the
chance to win, and which discard wins most. Its chances are about 0.005 off
while both need 17 points or more, and 0.01 where one needs 8 to 16. Nearer the end
they are rough, 0.03 off: the page then gives no verdict, and the position to ask of
cribev advise, which is exact.
Board records a game at a real board, and writes a file for cribev review.

A phone needs the site. Put its folder on any host of static files, under https, and
open it once: the phone keeps it, without a connection. As far as we know, an iPhone
only previews a file that is mailed to it, and runs none of it.

In the page, cribev.advise("5H 5D JS QC 2H 8D", {role: "dealer", opponent:
"people"}) answers a script.
"""


_FILE = "cribev.html"


def _add_arguments(command: options.Parser) -> None:
    command.add("-o --output FILE", f"write one file of HTML (default: {_FILE})")
    command.add("--site FOLDER", "write the files of a site, of which index.html is the page")
    command.add("--force", "replace existing files")


def _pocket(arguments: argparse.Namespace) -> None:
    output, site = arguments.output, arguments.site
    if None not in (output, site):
        raise CribevError(f"-o {quote(output)} and --site {quote(site)} given: choose one")
    if site is None:
        output = output or _FILE
        check_writable(output, force=arguments.force)
    elif Path(site).exists() and not Path(site).is_dir():
        raise CribevError(f"{quote(site)} is not a folder: expected one for the files of a site")
    from cribev.app.pocket.page import SITE_FILES, pocket_page, site_files

    if site is not None:
        Path(site).mkdir(parents=True, exist_ok=True)
        for name in SITE_FILES:
            check_writable(str(Path(site, name)), force=arguments.force)
    if output is not None:
        files = {Path(output): pocket_page().encode()}
    else:
        files = {Path(site, name): content for name, content in site_files().items()}
    with AtomicWrites() as outputs:
        for path, content in files.items():
            outputs.open(path, force=arguments.force).write(content)
    size = sum(map(len, files.values())) / 1e6
    where = "open it in a browser; a phone needs the site of --site"
    if site is not None:
        where = f"put {quote(site)} on a host of static files under https, and open it on the phone"
    written = quote(output or site)
    options.warn(f"{written}: {size:.1f} MB written; {where}")


POCKET = options.Command(_EXAMPLES, _add_arguments, _pocket)
