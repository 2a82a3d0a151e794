"""Work that waits its turn, so that many askers are answered and none holds up another."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from starlette.requests import Request

_Result = TypeVar("_Result")


class QueueFull(Exception):  # noqa: N818  (no error: it comes of too many askers)
    """More are waiting than a lane has room for."""


class ClientDisconnected(Exception):  # noqa: N818  (no error: people leave)
    """Who asked is not there any more."""


class _Task(NamedTuple):
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    result: "asyncio.Future[Any]"
    loop: asyncio.AbstractEventLoop


class WorkQueue:
    """Threads that work off what is asked, first come, first served.

    Parameters
    ----------
    threads
        How many work at once. They end with the process, in the middle of what they do.
    room
        How many may wait.

    Examples
    --------
    >>> queue = WorkQueue(threads=1, capacity=9)
    >>> async def ask():
    ...     return await queue.run(divmod, 7, 2)
    >>> asyncio.run(ask())
    (3, 1)
    """

    def __init__(self, *, threads: int, capacity: int) -> None:
        self._tasks: SimpleQueue[_Task] = SimpleQueue()
        self._room = threads + capacity
        self._held = 0  # of the event loop's thread alone
        for _ in range(threads):
            Thread(target=self._work, daemon=True).start()

    @property
    def full(self) -> bool:
        """Whether nobody more may wait."""
        return self._held >= self._room

    async def run(self, function: Callable[..., _Result], *arguments: object) -> _Result:
        """Call a function in its turn; if it has not begun when who waits is cancelled, never.

        Raises
        ------
        Busy
            If too many wait already.
        """
        if self.full:
            raise QueueFull
        loop = asyncio.get_running_loop()
        result: asyncio.Future[_Result] = loop.create_future()
        self._held += 1
        result.add_done_callback(self._leave)  # at once where who waits has left
        self._tasks.put(_Task(function, arguments, result, loop))
        return await result

    async def run_for(
        self, request: Request, function: Callable[..., _Result], *arguments: object
    ) -> _Result:
        """Call a function in its turn, as long as who asked for it stays.

        Parameters
        ----------
        request
            What asked for it, its body read.
        function, arguments
            What to call.

        Raises
        ------
        Busy
            If too many wait already.
        Gone
            If the request is given up meanwhile.
        """
        work = asyncio.ensure_future(self.run(function, *arguments))
        left = asyncio.ensure_future(request.receive())  # says nothing more until they leave
        try:
            await asyncio.wait([work, left], return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise ClientDisconnected
            return work.result()
        finally:
            work.cancel()
            left.cancel()

    def _work(self) -> None:
        while True:
            task = self._tasks.get()
            value: Any = None
            error: BaseException | None = None
            if not task.result.cancelled():
                try:
                    value = task.function(*task.arguments)
                except BaseException as raised:
                    error = raised
            with suppress(RuntimeError):  # the loop may have ended meanwhile
                task.loop.call_soon_threadsafe(self._done, task.result, value, error)
            del task, value, error  # nothing is kept while there is nothing to do

    def _leave(self, _: "asyncio.Future[Any]") -> None:
        self._held -= 1

    def _done(
        self, result: "asyncio.Future[Any]", value: object, error: BaseException | None
    ) -> None:
        if result.done():
            return
        if error is None:
            result.set_result(value)
        else:
            result.set_exception(error)


class WorkQueues(NamedTuple):
    """Where work waits: what is long holds up nothing that is short."""

    short: WorkQueue
    """For an answer."""
    scored: WorkQueue
    """For one by the chance to win, which takes many times as long."""
    long: WorkQueue
    """For a review."""

    def for_question(self, given: Mapping[str, str]) -> WorkQueue:
        """Return where a question waits, by its parameters."""
        scored = any(given.get(name, "").strip() for name in ("score", "own", "theirs"))
        return self.scored if scored else self.short
