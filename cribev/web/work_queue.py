"""Queues of work in threads, so that long work does not hold up short answers."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from anyio import CapacityLimiter
from starlette.requests import ClientDisconnect, Request

from cribev.web.guard import is_api_path

_Result = TypeVar("_Result")


class QueueFull(Exception):  # noqa: N818  (a state of the queue, not an error)
    """As much work waits as a queue takes."""


class Preparing(Exception):  # noqa: N818  (a state of the server, not an error)
    """The tables that answers need are still being worked out."""


class WorkQueue:
    """Work done in threads, first come, first served; `capacity` is how much may wait.

    The threads are our own: those of `anyio` would hold up the end of the process until the last
    review is done, and free their place when a request is cancelled while its work goes on.

    >>> queue = WorkQueue(threads=1, capacity=9)
    >>> asyncio.run(queue.run(divmod, 7, 2))
    (3, 1)
    """

    def __init__(self, *, threads: int, capacity: int) -> None:
        self._limiter = CapacityLimiter(threads)
        self._capacity = capacity

    @property
    def full(self) -> bool:
        """Whether as much work waits as may."""
        counts = self._limiter.statistics()
        busy = counts.borrowed_tokens == counts.total_tokens
        return busy and counts.tasks_waiting >= self._capacity

    async def run(self, function: Callable[..., _Result], *arguments: object) -> _Result:
        """Call a function in its turn, unless cancelled before; `QueueFull` if too many wait."""
        if self.full:
            raise QueueFull
        loop = asyncio.get_running_loop()
        result: asyncio.Future[_Result] = loop.create_future()

        def work() -> None:
            value: Any = None
            error: BaseException | None = None
            try:
                value = function(*arguments)
            except BaseException as raised:
                error = raised
            with suppress(RuntimeError):  # the loop may have ended meanwhile
                loop.call_soon_threadsafe(done, value, error)

        def done(value: _Result, error: BaseException | None) -> None:
            self._limiter.release_on_behalf_of(result)
            if error is not None and not result.done():
                result.set_exception(error)
            elif not result.done():
                result.set_result(value)

        await self._limiter.acquire_on_behalf_of(result)
        Thread(target=work, daemon=True).start()
        return await result

    async def run_for(
        self, request: Request, function: Callable[..., _Result], *arguments: object
    ) -> _Result:
        """Call a function in its turn, once the tables are there, while the client stays.

        Raises `Preparing` where a page can say so instead, `QueueFull` where too many wait, and
        `ClientDisconnect` when the client leaves.
        """
        prepared: Future[None] = request.app.state.prepared
        is_page = request.method == "GET" and not is_api_path(request.url.path)
        if is_page and not prepared.done():
            raise Preparing

        async def work() -> _Result:
            if not prepared.done():
                await asyncio.shield(asyncio.wrap_future(prepared))
            return await self.run(function, *arguments)

        working = asyncio.ensure_future(work())
        leaving = asyncio.ensure_future(_disconnected(request))
        try:
            await asyncio.wait([working, leaving], return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                leaving.result()
                raise ClientDisconnect
            return working.result()
        finally:
            working.cancel()
            leaving.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass  # the rest of a body that nobody reads


class WorkQueues(NamedTuple):
    """Where work waits: what takes long holds up nothing that is short."""

    short: WorkQueue
    """For an answer."""
    scored: WorkQueue
    """For one by the chance to win, which takes many times as long."""
    long: WorkQueue
    """For a review."""
    practice: WorkQueue
    """For practice, whose stored throws another program may have locked."""
    games: WorkQueue
    """For moves in games, which are written to files."""

    def for_question(self, given: Mapping[str, str]) -> WorkQueue:
        """Choose by the parameters of a question."""
        scored = any(given.get(name, "").strip() for name in ("score", "own", "theirs"))
        return self.scored if scored else self.short
