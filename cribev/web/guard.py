"""What is let in, and what goes out with every page: before and around everything else."""

import asyncio
import sys
from collections.abc import Collection, Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cribev.errors import quote
from cribev.web.work_queue import ClientDisconnected

LONGEST_ADDRESS = 2000
"""Bytes beyond which an address is refused."""
LONGEST_TIME = 120
"""Seconds after which an answer is given up."""

_SAFE = ("GET", "HEAD")
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with none at all, forms would not say whence they come
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def is_api_path(path: str) -> bool:
    """Tell whether what is at an address answers in JSON.

    >>> is_api_path("/api/score"), is_api_path("/api")
    (True, False)
    """
    return path.startswith("/api/")


class Guard:
    """Stands before an application.

    Nobody is let in by another name than the server's own, which pages of other machines would
    use to read what is here; nothing is sent in from other pages, nor in addresses without end.

    Parameters
    ----------
    app
        What it stands before.
    names
        What the server may be called, besides the address that it is reached by.
    """

    def __init__(self, app: ASGIApp, *, names: Collection[str]) -> None:
        self._app = app
        self._names = {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] != "http":
            return
        started = False

        async def send_guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        if refused := self._refused(scope):
            await _told(scope, *refused)(scope, receive, send_guarded)
            return
        try:
            async with asyncio.timeout(LONGEST_TIME):
                await self._app(scope, receive, send_guarded)
        except (ClientDisconnected, ClientDisconnect):
            return
        except TimeoutError:
            if not started:
                late = _told(scope, 503, "this takes too long", {"Retry-After": "10"})
                await late(scope, receive, send_guarded)
        except Exception as error:  # one who asks what breaks ends nobody's evening
            path = quote(scope["path"], most=100)
            said = " ".join(f"{type(error).__name__}: {error}".split())
            sys.stderr.write(f"cribev: error: {scope['method']} {path}: {said}\n")
            if not started:
                broken = _told(scope, 500, "something broke here")
                await broken(scope, receive, send_guarded)

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        if len(headers.getlist("host")) != 1 or not self._ours(headers["host"], scope):
            return 421, "this server goes by another name"
        if len(scope["query_string"]) + len(scope.get("raw_path") or b"") > LONGEST_ADDRESS:
            return 414, f"an address has at most {LONGEST_ADDRESS} bytes here"
        origin = headers.get("origin")
        if scope["method"] not in _SAFE and origin is not None:
            _, _, from_host = origin.partition("://")
            if from_host.lower() != headers["host"].lower():
                return 403, "only this server's own pages may send something"
        return None

    def _ours(self, host: str, scope: Scope) -> bool:
        address, port = scope.get("server") or ("", None)
        plain = address.removeprefix("::ffff:")  # so is one of IPv4 written where both are served
        name, _, number = host.rpartition(":")
        if host.endswith("]") or not name:
            name, number = host, "80"
        name = name.removeprefix("[").removesuffix("]").lower()
        return number == str(port) and (name in self._names or name in (address, plain))


def _told(
    scope: Scope, status: int, text: str, headers: Mapping[str, str] | None = None
) -> Response:
    if is_api_path(scope["path"]):
        return JSONResponse({"error": text}, status, headers)
    return PlainTextResponse(text + "\n", status, headers)
