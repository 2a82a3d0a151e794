"""``cribev serve``: the same answers as pages, for a browser."""

import argparse

from cribev.commands.arguments import Command
from cribev.errors import quote
from cribev.files.optional import import_optional
from cribev.game.integers import parse_integer

PORT = 8121

_EXAMPLES = """\
examples:
  cribev serve
  cribev serve --port 9000 --no-browser

Only this machine sees the pages, unless --host says otherwise: --host 0.0.0.0
shows them to every machine of the network, without a password.

Practice stores every throw as cribev quiz does, whoever throws.
"""


def _add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--port", type=_port, default=PORT, metavar="N",
        help=f"(default: {PORT}; 0 takes any that is free)",
    )  # fmt: skip
    command.add_argument(
        "--host", default="127.0.0.1", metavar="NAME",
        help="who sees it: this machine (default), or the network of an address",
    )  # fmt: skip
    command.add_argument("--no-browser", action="store_true", help="only print the address")


def _port(text: str) -> int:
    port = parse_integer(text, most=65535)
    if port is None:
        raise argparse.ArgumentTypeError(f"{quote(text)} is not a whole number from 0 to 65535")
    return port


def _serve(arguments: argparse.Namespace) -> int:
    for library in ("starlette", "uvicorn", "python_multipart"):
        import_optional(library, "web")
    from cribev.web.server import serve

    serve(arguments.host, arguments.port, browser=not arguments.no_browser)
    return 0


COMMAND = Command(
    "serve",
    "open a page in the browser: click six cards and see",
    _EXAMPLES,
    _add_arguments,
    _serve,
)
