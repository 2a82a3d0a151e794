"""``cribev serve``: the same answers as pages, for a browser."""

import argparse
from functools import partial

from cribev.commands import options
from cribev.system.cache import import_optional

PORT = 8121

_EXAMPLES = """\
examples:
  cribev serve
  cribev serve --port 9000 --no-browser

Only this machine can open the pages, unless --host says otherwise: with
--host 0.0.0.0 every machine of the network can, without a password.

Games and reviews are saved in your data folder (CRIBEV_DATA_DIR names another).
Everybody who opens the pages sees the same list, and can continue what is in it.
"""


def _add_arguments(command: options.Parser) -> None:
    command.add(
        "--port N",
        f"the port to listen on (default: {PORT}; 0 takes any free one)",
        type=partial(options.whole, most=65535),
        default=PORT,
    )
    command.add(
        "--host NAME", "the address to listen on (default: 127.0.0.1, for this machine only)",
        default="127.0.0.1",
    )  # fmt: skip
    command.add("--no-browser", "only print the address")


def _serve(arguments: argparse.Namespace) -> None:
    for library in ("starlette", "uvicorn", "python_multipart"):
        import_optional(library, "web")
    from cribev.app.web.server import serve

    serve(arguments.host, arguments.port, browser=not arguments.no_browser)


SERVE = options.Command(_EXAMPLES, _add_arguments, _serve)
