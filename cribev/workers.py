"""Work shared among processes, which end with the one that shares it, however that ends."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from threading import Thread, current_thread, main_thread
from typing import Any, cast

from cribev.errors import CribevError

_THREADS = "OPENBLAS_NUM_THREADS"
_AHEAD = 8  # tasks a worker, beyond the oldest that is not done: results wait in order


@contextmanager
def block_signals(*names: str) -> Iterator[None]:
    """Hold signals back until after, and for ever in processes and threads started meanwhile.

    Examples
    --------
    >>> with block_signals("SIGINT"):
    ...     pass
    """
    resource_tracker.ensure_running()  # it would let signals through when it starts
    numbers = {getattr(signal, name) for name in names if hasattr(signal, name)}
    come: list[int] = []
    before = {}
    if current_thread() is main_thread():  # a signal may reach any thread, and is handled there
        before = {
            number: signal.signal(number, lambda at, _: come.append(at))
            for number in numbers
            if signal.getsignal(number) is not None  # set by no Python
        }
    blocks = hasattr(signal, "pthread_sigmask")
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, numbers) if blocks else set()
    try:
        yield
    finally:
        if blocks:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in come:
            signal.raise_signal(number)


def check_workers(workers: object) -> None:
    """Check that this is a number of processes.

    Raises
    ------
    CribevError
        If not.

    Examples
    --------
    >>> check_workers(None)
    Traceback (most recent call last):
    cribev.errors.CribevError: None is no number of workers: expected a whole number from 1 up
    """
    if not isinstance(workers, int) or workers < 1:
        raise CribevError(f"{workers!r} is no number of workers: expected a whole number from 1 up")


@contextmanager
def process_pool(
    function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], *, workers: int
) -> Iterator[Iterator[Any]]:
    """Call a function with each of many arguments, in processes of their own.

    A script that uses it keeps its own doings under ``if __name__ == "__main__"``, as
    `multiprocessing` has it for fresh interpreters: a fork would copy the locks of threads that it
    does not copy.

    Parameters
    ----------
    function
        What to call; it and its arguments and results can be sent to a process.
    tasks
        The arguments of each call; taken as they are needed.
    workers
        How many processes.

    Returns
    -------
    A context with the results, in the order of the tasks. The processes end with it.

    Raises
    ------
    CribevError
        If a process ends before its time.

    Examples
    --------
    >>> with process_pool(divmod, [(7, 2), (9, 4)], workers=1) as results:
    ...     list(results)
    [(3, 1), (2, 1)]
    """
    context = get_context("spawn")
    with ExitStack() as stack:
        ends: list[Connection] = []
        starting = stack.enter_context(ExitStack())
        starting.enter_context(_one_thread_each())
        with block_signals("SIGINT", "SIGTERM", "SIGHUP"):  # for this process to hear
            for _ in range(workers):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(function, theirs), daemon=True)
                stack.callback(ours.close)
                with theirs:
                    process.start()
                stack.callback(process.join)
                stack.callback(process.kill)
                ends.append(ours)
        starting.close()
        yield _results(ends, tasks)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Have processes started meanwhile multiply in one thread: they are as many as the cores.

    Threads of OpenBLAS that have no core to themselves wait for each other, and do little else.
    """
    given = os.environ.get(_THREADS)
    os.environ.setdefault(_THREADS, "1")
    try:
        yield
    finally:
        if given is None:
            del os.environ[_THREADS]


def _results(ends: list[Connection], tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    waiting = enumerate(tasks)
    idle, at_work = list(ends), dict[Connection, int]()
    done: dict[int, Any] = {}
    oldest = given = 0
    left = True
    while True:
        while left and idle and given < oldest + _AHEAD * len(ends):
            task = next(waiting, None)
            if task is None:
                left = False
                break
            end = idle.pop()
            at_work[end], arguments = task
            given += 1
            with suppress(BrokenPipeError):  # told below
                end.send(arguments)
        if not at_work:
            return
        for end in cast(list[Connection], wait(list(at_work))):
            try:
                good, result = end.recv()
            except (EOFError, ConnectionError):
                raise CribevError(
                    "a process that shared the work has ended before its time: is there enough "
                    "memory for so many?"
                ) from None
            if not good:
                raise result
            done[at_work.pop(end)] = result
            idle.append(end)
        while oldest in done:
            yield done.pop(oldest)
            oldest += 1


def _serve(function: Callable[..., Any], end: Connection) -> None:
    """Call the function as long as there is someone who asks."""
    Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, ConnectionError):
        while True:
            arguments = end.recv()
            try:
                answer: tuple[bool, Any] = True, function(*arguments)
            except Exception as error:  # whatever it is, it is raised where it was asked for
                answer = False, error
            end.send(answer)


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
