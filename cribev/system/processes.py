"""Work shared among processes, which end when the parent ends, however that happens."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import count
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import wait
from threading import Thread
from typing import Any

from cribev.errors import CribevError
from cribev.system.signals import ENDING, block_signals

_AHEAD = 8  # tasks a worker that are begun or wait: results come in the order of the tasks


def check_workers(workers: object) -> None:
    """Check a number of processes."""
    if not isinstance(workers, int) or workers < 1:
        raise CribevError(
            f"invalid number of workers {workers!r}: expected a whole number from 1 up"
        )


def cpu_count() -> int:
    """Count the processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def process_pool(
    function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], *, workers: int
) -> Iterator[Iterator[Any]]:
    """Call a function with each of many arguments, in processes that end with the context.

    The arguments of a `partial` stay one object in each process, so caches keyed by them serve
    all its tasks. Results come in the order of the tasks, which are taken as needed. The
    processes are fresh interpreters: a script needs ``if __name__ == "__main__"``.
    `CribevError` if a process ends before its time.
    """
    with shared_processes(workers) as executor:
        numbered = partial(_call, next(_numbers), function)
        yield _results(executor, numbered, tasks, _AHEAD * workers)


_shared = ContextVar[ProcessPoolExecutor | None]("_shared", default=None)


@contextmanager
def shared_processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Let every `process_pool` within the context use the same processes.

    Starting them takes as long as some decisions, so they start as they are needed.
    """
    if (executor := _shared.get()) is not None:
        yield executor
        return
    check_workers(workers)
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    with blocked_in_children(*ENDING):
        executor = ProcessPoolExecutor(workers, context, end_with_parent, (theirs,))
    token = _shared.set(executor)
    try:
        yield executor
    finally:
        _shared.reset(token)
        ours.close()  # which ends the processes, whatever they are at
        executor.shutdown()
        theirs.close()


@contextmanager
def blocked_in_children(*names: str) -> Iterator[None]:
    """Block these signals in processes started within the context, and here until its end."""
    with _environment("PYTHONWARNINGS", "ignore"):  # else it warns of what a killed parent left
        resource_tracker.ensure_running()  # its start would unblock signals
    with block_signals(*names):
        yield


_numbers, _received = count(), dict[int, Callable[..., Any]]()  # what a process of a pool calls


def _call(number: int, function: Callable[..., Any], *task: Any) -> Any:
    """Call the function that came with the first task, with whatever it has cached since."""
    return _received.setdefault(number, function)(*task)


def _results(
    executor: ProcessPoolExecutor,
    function: Callable[..., Any],
    tasks: Iterable[tuple[Any, ...]],
    most: int,
) -> Iterator[Any]:
    begun: deque[Future[Any]] = deque()
    try:
        for task in tasks:
            # Processes start as tasks come. Threads of OpenBLAS that have no core to themselves
            # wait for each other, and do little else: one for each process.
            with blocked_in_children(*ENDING), _environment("OPENBLAS_NUM_THREADS", "1"):
                begun.append(executor.submit(function, *task))
            while begun and (len(begun) == most or begun[0].done()):
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
    except BrokenProcessPool:
        said = "a process that shared the work has ended before its time: is there enough memory"
        raise CribevError(f"{said} for that many?") from None


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """Set a variable of the environment within the context, unless it is set already."""
    before = os.environ.get(name)
    os.environ.setdefault(name, value)
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]


def end_with_parent(*pipes: Any) -> None:
    """End this process when its parent ends or closes its end of a connection."""
    parent = parent_process()
    assert parent is not None
    Thread(target=_end_after, args=[[parent.sentinel, *pipes]], daemon=True).start()


def _end_after(events: list[Any]) -> None:
    wait(events)
    os._exit(1)
