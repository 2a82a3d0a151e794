"""All pages by address, and the server.

uvicorn limits connections, headers, idle connections and the time to shut down.
"""

import asyncio
import ctypes
import errno
import os
import socket
import sys
import webbrowser
from asyncio import TimerHandle, Transport
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from ipaddress import IPv4Address, IPv6Address, ip_address
from itertools import chain, product
from signal import raise_signal
from threading import Thread, Timer
from types import FrameType

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from cribev.advice.answers import advise
from cribev.app.games.game import EXPERT, Game, GameError, MoveError, TurnError
from cribev.app.games.levels import answer_moves
from cribev.app.web import api, ask, board, guard, pages, play, review, ten
from cribev.app.web.kept_reviews import ReviewCache
from cribev.errors import CribevError, quote
from cribev.game.roles import ROLES
from cribev.system.signals import ENDING, end_now, exit_status, handled_by

_MESSAGES = {
    404: ("Not found", "there is no such page"),
    405: ("Not possible", "this address does not take that"),
}
_BUSY = "too many ask at once: try again in a moment"
_BROKEN = "something broke here: the terminal of cribev serve says what"


def make_app(*, names: Collection[str] = ()) -> ASGIApp:
    """Return the application with all pages, for these names of the server."""
    every = chain.from_iterable(page.ROUTES for page in (play, ask, board, review, ten, api))
    app = Starlette(
        routes=[Route("/static/{name}", _static_file), *every],
        exception_handlers={
            CribevError: _says("Not possible", 400),
            MoveError: _says("Not possible", 422),
            TurnError: _says("Not possible", 409),
            GameError: _says("Not found", 404),
            HTTPException: _refused,
            guard.QueueFull: _says("One moment", 503, _BUSY, {"Retry-After": "2"}),
            Exception: _says("Not possible", 500, _BROKEN),
        },
    )
    # For an answer, a move, and what is stored; one at a score takes a second.
    app.state.short_work = guard.WorkQueue(threads=4, capacity=200)
    # For reviews, which hold up no short work; one of many games leaves a thread to others.
    app.state.long_work = guard.WorkQueue(threads=2, capacity=16)
    app.state.reviews = ReviewCache()
    return guard.Guard(app, names=names)


def _static_file(request: Request) -> Response:
    """Answer with a file that pages load."""
    contents = pages.static_files().get(request.path_params["name"])
    if contents is None:
        raise HTTPException(404)
    kind, tag, content = contents
    headers = {"ETag": tag}
    if request.query_params:  # pages name the version they mean
        headers["Cache-Control"] = "max-age=31536000, immutable"
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)


def _says(
    title: str, status: int, text: str = "", headers: Mapping[str, str] | None = None
) -> Callable[[Request, Exception], Response]:
    """Answer with a text or an error, in JSON or on a page."""

    def answer(request: Request, error: Exception) -> Response:
        message = text or " ".join(str(error).split())
        if guard.is_api_path(request.url.path):
            return JSONResponse({"error": message}, status, headers)
        values = {"here": "", "title": title, "message": message, "status": status}
        return HTMLResponse(pages.render("message.html", values), status, headers)

    return answer


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    title, text = _MESSAGES.get(error.status_code, ("Not possible", error.detail))
    if error.detail != HTTPStatus(error.status_code).phrase:
        text = error.detail
    return _says(title, error.status_code, text, error.headers)(request, error)


_LOCAL = ("localhost", "127.0.0.1", "::1")
_ALL_ADDRESSES = ("0.0.0.0", "::", "")
_CONNECTIONS = 500
_ARENA_MAX, _MMAP_THRESHOLD = -8, -3  # M_ARENA_MAX and M_MMAP_THRESHOLD of malloc.h
_HEADER_SECONDS = 10  # that the headers of a request may take
_EXIT_SECONDS = 5  # seconds that the end of the server may take


class _Connection(H11Protocol):
    """Closes where a request's headers are not complete in time, or never begin.

    Else connections that send nothing more would keep others out, up to the limit.
    """

    _deadline: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as uvicorn
        super().connection_made(transport)
        self._expect_headers()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._expect_headers()

    def _expect_headers(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(_HEADER_SECONDS, self._close_without_headers)

    def _close_without_headers(self) -> None:
        if self.conn.their_state is h11.IDLE:
            self.transport.close()


class _Server(uvicorn.Server):
    """Stops soon after a signal, and at once after a second one."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit:
            os._exit(128 + sig)
        # Work may hold up the loop.
        late = Timer(_EXIT_SECONDS, os._exit, [128 + sig])
        late.daemon = True
        late.start()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Listen as uvicorn does, but raise the signal between two requests, not within one."""
        with handled_by(self.handle_exit, *ENDING):
            yield
        for number in self._captured_signals[:1]:
            raise_signal(number)


def bind(host: str, port: int) -> socket.socket:
    """Bind to an address; `CribevError` if that fails."""
    if not host.strip():  # which would be every address there is
        raise CribevError(f"invalid address {quote(host)}: 127.0.0.1 is this machine alone")
    try:
        # asyncio sends at once on sockets that say they are TCP; on others each request on a
        # connection that is kept waits 40 ms.
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        taken = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CribevError(f"{quote(host)} is not an address of this machine: {reason}") from error
    try:
        if sys.platform != "win32":  # where it would let two have one port
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
        taken.listen(_CONNECTIONS)
    except OSError as error:
        taken.close()
        where = f"port {port} of {quote(host)}"
        if error.errno == errno.EADDRINUSE:
            raise CribevError(f"{where} is in use: --port takes another") from error
        raise CribevError(f"cannot serve on {where}: {error.strerror}") from error
    return taken


def url_of(taken: socket.socket) -> str:
    """Write the address of a page for a browser on this machine."""
    port = taken.getsockname()[1]
    host = "localhost" if taken.getsockname()[0] in _ALL_ADDRESSES else str(_ip(taken))
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def shared_url(taken: socket.socket) -> str:
    """Write the address by which other machines reach the pages; empty if they cannot."""
    if taken.getsockname()[0] not in _ALL_ADDRESSES:
        return ""
    return f"http://{socket.gethostname()}:{taken.getsockname()[1]}"


def make_server(taken: socket.socket, *, host: str = "") -> uvicorn.Server:
    """Return the server of an address that `bind` returned, for `run`."""
    names = {*_LOCAL, host} - set(_ALL_ADDRESSES)
    if taken.getsockname()[0] in _ALL_ADDRESSES:
        names |= {socket.gethostname(), socket.gethostname() + ".local"}
    return _Server(
        uvicorn.Config(
            make_app(names=names),
            http=_Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=_CONNECTIONS,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=guard.MAX_HEADERS,
        )
    )


def serve(host: str, port: int, *, browser: bool) -> None:
    """Serve pages until a signal ends it, open a browser, and prepare tables behind them."""
    _hold_less_memory()
    with bind(host, port) as taken:
        server = make_server(taken, host=host)
        address = url_of(taken)
        pages.web_environment().globals["named"] = shared_url(taken)
        pages.web_environment().globals["shared"] = not _ip(taken).is_loopback
        sys.stdout.write(f"{address}\n")
        sys.stdout.flush()
        sys.stderr.write("cribev: open this address in a browser; Ctrl-C ends it\n")
        if not _ip(taken).is_loopback:
            sys.stderr.write("cribev: whoever reaches this machine can use it: no password\n")
        try:
            Thread(target=_warm_up, daemon=True).start()
            if browser:
                Thread(target=_open_browser, args=[address], daemon=True).start()
            asyncio.run(server.serve([taken]))
        except KeyboardInterrupt:
            # Threads still work, some in libraries that abort when the interpreter goes from
            # under them.
            if status := exit_status():
                end_now(status)
            raise


def _hold_less_memory() -> None:
    """Give what answers no longer need back to the system, with glibc's allocator.

    One heap serves all threads, since each heap keeps what its largest answer held. Arrays of
    4 MiB and more lie outside the heap, where glibc would draw them in after the first.
    """
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # another allocator than glibc's
            library = ctypes.CDLL(None)
            library.mallopt(_ARENA_MAX, 1)
            library.mallopt(_MMAP_THRESHOLD, 4 << 20)


def _warm_up() -> None:
    """Load what the first answers would wait for, some seconds in all."""
    with suppress(Exception):  # the answers say what is wrong
        for score, role in product((None, (0, 0)), ROLES):
            advise("5H 5D JS QC 2H 8D", role=role, score=score).explain()
        answer_moves(Game(0, dealer=EXPERT))


def _ip(taken: socket.socket) -> IPv4Address | IPv6Address:
    """Return the address; one of IPv4 as such, however it is written."""
    address = ip_address(taken.getsockname()[0])
    return getattr(address, "ipv4_mapped", None) or address


def _open_browser(address: str) -> None:
    """Open a browser that has a window: a text browser would take over the terminal."""
    screens = os.environ.get("DISPLAY"), os.environ.get("WAYLAND_DISPLAY")
    if sys.platform in ("win32", "darwin") or any(screens):
        with suppress(webbrowser.Error, OSError):
            webbrowser.open(address)
