"""Limits and checks for every request and response, and the queues where work waits."""

import asyncio
import sys
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread
from typing import TypeVar

from anyio import CapacityLimiter
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cribev.errors import quote
from cribev.evaluation.by_habits import stored_tables_only

MAX_ADDRESS = 2000  # bytes of an address
MAX_HEADERS = 1 << 14  # bytes of all headers of a request
MAX_BODY = 2 << 20  # bytes that a request may send
MAX_SECONDS = 120  # seconds after which an answer is given up

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # without a referrer, forms would send no origin
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def is_api_path(path: str) -> bool:
    """Return whether an address answers in JSON."""
    return path.startswith("/api/")


class Guard:
    """Wraps an application.

    It answers only to the server's own names, since pages of other machines could otherwise read
    what is here; it takes no forms from other pages; and it bounds what is sent, and the time an
    answer takes. Takes names of the server besides the address it is reached by.
    """

    def __init__(self, app: ASGIApp, *, names: Collection[str]) -> None:
        self._app = app
        self._names = {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say why not."""
        if scope["type"] != "http":
            return
        received, started = 0, False

        async def take() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > MAX_BODY:
                raise HTTPException(413, f"at most {MAX_BODY >> 20} MiB can be sent")
            return message

        async def give(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        async def say(status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
            if started:
                return
            if is_api_path(scope["path"]):
                line: Response = JSONResponse({"error": text}, status, headers)
            else:
                line = PlainTextResponse(text + "\n", status, headers)
            await line(scope, receive, give)

        try:
            async with asyncio.timeout(MAX_SECONDS):
                if refused := self._refused(scope):
                    await say(*refused)
                else:
                    await self._app(scope, take, give)
        except ClientDisconnect:
            pass
        except TimeoutError:
            await say(503, "this takes too long", {"Retry-After": "10"})
        except Exception as error:  # what breaks one answer must not end the server
            path = quote(scope["path"], most=100)
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            sys.stderr.write(f"cribev: error: {scope['method']} {path}: {reason}\n")
            await say(500, "something broke here")

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        if len(headers.getlist("host")) != 1 or not self._is_own_name(headers["host"], scope):
            return 421, "this server goes by another name"
        if len(scope["query_string"]) + len(scope.get("raw_path") or b"") > MAX_ADDRESS:
            return 414, f"an address has at most {MAX_ADDRESS} bytes here"
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADERS:
            return 431, f"all headers together have at most {MAX_HEADERS} bytes here"
        if scope["method"] in ("GET", "HEAD"):
            return None
        # A form comes from a page of this server, or from no page at all.
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        is_own = site.strip().lower() in ("same-origin", "none")
        if origin is not None:
            is_own = origin.partition("://")[2].lower() == headers["host"].lower()
        return None if is_own else (403, "only this server's own pages may send something")

    def _is_own_name(self, host: str, scope: Scope) -> bool:
        address, port = scope.get("server") or ("", None)
        plain = address.removeprefix("::ffff:")  # IPv4, as a socket of both kinds writes it
        name, _, number = host.rpartition(":")
        if host.endswith("]") or not name:
            name, number = host, "80"
        name = name.removeprefix("[").removesuffix("]").lower()
        return number == str(port) and (name in self._names or name in (address, plain))


_Result = TypeVar("_Result")


class QueueFull(Exception):  # noqa: N818  (a state of the queue, not an error)
    """The queue is full."""


class WorkQueue:
    """Work done in threads, first come, first served; `capacity` is how much may wait.

    The threads are our own: those of `anyio` would hold up the end of the process until the last
    review is done, and free their place when a request is cancelled while its work goes on.
    """

    def __init__(self, *, threads: int, capacity: int) -> None:
        self._limiter = CapacityLimiter(threads)
        self._capacity = capacity

    @property
    def full(self) -> bool:
        """Whether the queue is full."""
        counts = self._limiter.statistics()
        busy = counts.borrowed_tokens == counts.total_tokens
        return busy and counts.tasks_waiting >= self._capacity

    async def run(self, function: Callable[..., _Result], *arguments: object) -> _Result:
        """Call a function in its turn; `QueueFull` where too many wait."""
        if self.full:
            raise QueueFull
        loop, result = asyncio.get_running_loop(), Future[_Result]()
        result.set_running_or_notify_cancel()  # who leaves does not cancel what a thread works on

        def work() -> None:
            try:
                with stored_tables_only():  # no page waits for minutes
                    result.set_result(function(*arguments))
            except BaseException as error:
                result.set_exception(error)

        def make_room(_: object) -> None:
            with suppress(RuntimeError):  # the loop may have ended meanwhile
                loop.call_soon_threadsafe(self._limiter.release_on_behalf_of, result)

        await self._limiter.acquire_on_behalf_of(result)
        result.add_done_callback(make_room)
        Thread(target=work, daemon=True).start()
        return await asyncio.wrap_future(result)

    async def run_for(
        self, request: Request, function: Callable[..., _Result], *arguments: object
    ) -> _Result:
        """Call a function in its turn, while the client stays, or raise `ClientDisconnect`.

        Raises `QueueFull` where too many wait.
        """

        async def leave() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass  # the rest of a body that nobody reads

        working = asyncio.ensure_future(self.run(function, *arguments))
        leaving = asyncio.ensure_future(leave())
        try:
            await asyncio.wait([working, leaving], return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                leaving.result()
                raise ClientDisconnect
            return working.result()
        finally:
            working.cancel()
            leaving.cancel()
