"""Signals: how they end a command, and how they are delayed.

The first signal ends a command like an exception: it prints nothing more and leaves no files
behind. A second one ends it at once. This module imports nothing heavy, so that a command handles
signals before it loads anything else.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from types import FrameType

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")  # the signals that end a command

_received: list[int] = []
at_forced_exit: set[Callable[[], object]] = set()
"""Functions to call when a second signal ends the process at once."""


class EndedBySignal(KeyboardInterrupt):
    """A signal that ends the command."""


def install_handlers() -> None:
    """Let the first signal raise `EndedBySignal`, and a second one end the process."""
    for number in _numbers(ENDING):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def ignore_signals() -> None:
    """Ignore signals while the process ends."""
    for number in _numbers((*ENDING, "SIGALRM")):
        signal.signal(number, signal.SIG_IGN)


def exit_status() -> int:
    """Return the status that the first signal asks for, 0 if there was none."""
    return 128 + _received[0] if _received else 0


def end_now(status: int) -> None:
    """End the process at once, whatever its threads do, and leave no partial file behind."""
    for callback in list(at_forced_exit):
        callback()
    os._exit(status)


@contextmanager
def handled_by(handler: Callable[[int, FrameType | None], object], *names: str) -> Iterator[None]:
    """Call a handler for these signals, unless ignored, within the context."""
    before = {
        number: signal.signal(number, handler)
        for number in (_numbers(names) if current_thread() is main_thread() else [])
        if signal.getsignal(number) not in (signal.SIG_IGN, None)  # None: not set by Python
    }
    try:
        yield
    finally:
        for number, handled in before.items():
            signal.signal(number, handled)


@contextmanager
def block_signals(*names: str) -> Iterator[None]:
    """Delay signals within the context; processes and threads started in it never get them."""
    waiting: list[int] = []
    blocked: set[int] = set()
    try:
        # The mask holds signals from this thread alone: another may take one for the process.
        with handled_by(lambda number, _: waiting.append(number), *names):
            if sys.platform != "win32":
                blocked = signal.pthread_sigmask(signal.SIG_BLOCK, _numbers(names))
            try:
                yield
            finally:
                if sys.platform != "win32":
                    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    finally:  # also after an error, which may be caught
        for number in waiting:
            signal.raise_signal(number)


def _numbers(names: tuple[str, ...]) -> list[signal.Signals]:
    return [getattr(signal, name) for name in names if hasattr(signal, name)]  # Windows lacks one


def _end(number: int, _: FrameType | None) -> None:
    if _received:
        end_now(128 + number)
    _received.append(number)
    with suppress(OSError):  # neither threads nor interrupted code print tracebacks
        if os.isatty(2):
            os.write(2, b"\n")  # ends the line of a progress bar
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, _end_if_lost)
        signal.setitimer(signal.ITIMER_REAL, 1, 1)
    raise EndedBySignal(number)


def _end_if_lost(_number: int, _: FrameType | None) -> None:
    """Raise a lost signal again: Python drops what is raised while it removes an object."""
    error = sys.exception()
    while error is not None and not isinstance(error, EndedBySignal):
        error = error.__context__
    if error is None:
        raise EndedBySignal(_received[0])
