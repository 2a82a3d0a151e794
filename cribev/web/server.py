"""The address, and the server behind it."""

import asyncio
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from os import environ
from signal import raise_signal
from threading import Thread
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from cribev.deal.advice import advise
from cribev.errors import CribevError, quote
from cribev.game.roles import ROLES
from cribev.signals import ENDING, handled_by
from cribev.web.app import make_app

_LOCAL = ("localhost", "127.0.0.1", "::1")
_EVERYWHERE = ("0.0.0.0", "::", "")
_CONNECTIONS = 500
_IDLE = 15
_LONGEST = 150


class _Patient(H11Protocol):
    """Closes on those who neither ask nor listen, which uvicorn leaves to what stands before it."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._asked = False
        self._end = self.loop.call_later(_IDLE, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end.cancel()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        cycle: Any = self.cycle  # None before anything is asked
        if cycle and not cycle.response_complete and not self._asked:
            self._asked = True
            self._leave_in(_LONGEST)

    def on_response_complete(self) -> None:
        self._asked = False
        self._leave_unless_read(by=self.loop.time() + _LONGEST)
        super().on_response_complete()

    def _leave_in(self, seconds: float) -> None:
        self._end.cancel()
        self._end = self.loop.call_later(seconds, self.transport.abort)

    def _leave_unless_read(self, *, by: float) -> None:
        """Wait for what is answered to be read, as long as some of it is."""
        left = self.transport.get_write_buffer_size()

        def look() -> None:
            if self.transport.get_write_buffer_size() < left and self.loop.time() < by:
                self._leave_unless_read(by=by)
            else:
                self.transport.abort()

        self._end.cancel()
        self._end = self.loop.call_later(_IDLE, look)


class _Server(uvicorn.Server):
    """Heeds signals between two requests, in whose midst one that is raised would be lost."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        with handled_by(self.handle_exit, *ENDING):
            yield
        for number in self._captured_signals[:1]:
            raise_signal(number)


def bind(host: str, port: int) -> socket.socket:
    """Take an address.

    Raises
    ------
    CribevError
        If it cannot be had.

    Examples
    --------
    >>> with bind("127.0.0.1", 0) as taken:
    ...     bind("127.0.0.1", taken.getsockname()[1])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    cribev.errors.CribevError: port ... of '127.0.0.1' is in use: --port takes another
    """
    if not host.strip():  # which would be every address there is
        raise CribevError(f"{quote(host)} is no address: 127.0.0.1 is this machine alone")
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        taken = socket.socket(family, kind)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CribevError(f"{quote(host)} is no address of this machine: {reason}") from error
    try:
        if sys.platform != "win32":  # where it would let two have one port
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
        taken.listen(_CONNECTIONS)
    except OSError as error:
        taken.close()
        if error.errno is not None and error.strerror and "in use" in error.strerror.lower():
            raise CribevError(
                f"port {port} of {quote(host)} is in use: --port takes another"
            ) from error
        raise CribevError(
            f"cannot serve on port {port} of {quote(host)}: {error.strerror}"
        ) from error
    return taken


def url_of(taken: socket.socket) -> str:
    """Write the address of a page for a browser on this machine.

    >>> with bind("127.0.0.1", 0) as taken:
    ...     url_of(taken).startswith("http://127.0.0.1:")
    True
    """
    host, port = taken.getsockname()[:2]
    if host in _EVERYWHERE:
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def make_server(taken: socket.socket, *, host: str = "") -> uvicorn.Server:
    """Make the server of an address; its ``run([taken])`` serves until it is told to end.

    Parameters
    ----------
    taken
        As `bind` returns it.
    host
        By what name it was asked for.
    """
    names = {*_LOCAL, host} - set(_EVERYWHERE)
    if taken.getsockname()[0] in _EVERYWHERE:
        names |= {socket.gethostname(), socket.gethostname() + ".local"}
    return _Server(
        uvicorn.Config(
            make_app(names=names),
            http=_Patient,
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
            h11_max_incomplete_event_size=1 << 14,
        )
    )


def serve(host: str, port: int, *, browser: bool) -> None:
    """Serve pages until a signal ends it.

    Parameters
    ----------
    host, port
        Where; port 0 is any that is free.
    browser
        Whether to open one.

    Raises
    ------
    CribevError
        If the address cannot be had.
    """
    with bind(host, port) as taken:
        server = make_server(taken, host=host)
        warm_up()
        address = url_of(taken)
        sys.stdout.write(f"{address}\n")
        sys.stdout.flush()
        sys.stderr.write("cribev: open this address in a browser; Ctrl-C ends it\n")
        if not _is_local(taken):
            sys.stderr.write("cribev: whoever reaches this machine can use it: no password\n")
        Thread(target=warm_up, kwargs={"score": (0, 0)}, daemon=True).start()
        if browser and _has_screen():
            Thread(target=_open, args=[address], daemon=True).start()
        asyncio.run(server.serve([taken]))


def warm_up(*, score: tuple[int, int] | None = None) -> None:
    """Load what the first asker, or the first at a score, would wait for."""
    for role in ROLES:
        advise("5H 5D JS QC 2H 8D", role=role, score=score).explain()


def _is_local(taken: socket.socket) -> bool:
    return ip_address(taken.getsockname()[0]).is_loopback


def _has_screen() -> bool:
    """Tell whether a browser would have a window: one of text would take the terminal."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def _open(address: str) -> None:
    with suppress(webbrowser.Error, OSError):
        webbrowser.open(address)
