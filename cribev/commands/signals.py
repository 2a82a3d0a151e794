"""Signals that end a command: it says nothing more and leaves nothing behind.

Nothing heavy is loaded here, so that signals are heard before anything else is.
"""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

_NUMBERS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)  # Windows lacks one
]
_heard: list[int] = []
_last_acts: set[Callable[[], object]] = set()


class EndedBySignal(KeyboardInterrupt):
    """A signal that ends the command.

    >>> EndedBySignal(signal.SIGTERM).status
    143
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = 128 + number
        """What the shell expects: 128 and the number of the signal."""


def install_handlers() -> None:
    """Have the first signal raise `EndedBySignal`, and another end the process at once.

    Signals that are ignored, as ``nohup`` has it, stay so.
    """
    for number in _NUMBERS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def ignore_signals() -> None:
    """Let no signal disturb the end of the process."""
    for number in _NUMBERS:
        signal.signal(number, signal.SIG_IGN)


def exit_status() -> int:
    """Return the status that the first signal asks for, 0 if there was none.

    >>> exit_status()
    0
    """
    return 128 + _heard[0] if _heard else 0


def before_forced_exit(act: Callable[[], object]) -> None:
    """Have this done where there is no time for more."""
    _last_acts.add(act)


def _end(number: int, _: FrameType | None) -> None:
    if _heard:
        for act in _last_acts:
            act()
        os._exit(128 + number)
    _heard.append(number)
    _fall_silent()
    raise EndedBySignal(number)


def _fall_silent() -> None:
    """Let nobody, in this process, speak of it: neither threads nor what ends in the middle."""
    with suppress(OSError):
        if os.isatty(2):
            os.write(2, b"\n")  # ends the line of a progress bar
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
