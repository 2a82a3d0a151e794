"""Return memory that a process no longer needs, if the allocator is glibc's.

glibc keeps freed memory for each thread, so a server would hold what its largest answers needed.
"""

import ctypes
import sys
from contextlib import suppress

_ARENA_MAX = -8  # M_ARENA_MAX of malloc.h


def share_one_heap() -> None:
    """Let all threads of the process allocate from one heap; call it before there are any."""
    _tell("mallopt", _ARENA_MAX, 1)


def give_back() -> None:
    """Return free memory to the system, in a few milliseconds."""
    _tell("malloc_trim", 0)


def _tell(function: str, *arguments: int) -> None:
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # another allocator than glibc's
            getattr(ctypes.CDLL(None), function)(*arguments)
