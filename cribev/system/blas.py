"""The number of threads with which numpy multiplies matrices."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread: several wait for each other on a busy machine."""
    # A limit of threadpoolctl would give back what another thread holds: here all count as one.
    with _HOLDING:
        if not _held:
            _before.extend(library.get_num_threads() for library in _blas())
            for library in _blas():
                library.set_num_threads(1)
        _held.append(None)
    try:
        yield
    finally:
        with _HOLDING:
            _held.pop()
            if not _held:
                for library, threads in zip(_blas(), _before, strict=True):
                    library.set_num_threads(threads)
                _before.clear()


_HOLDING = Lock()
_held, _before = list[None](), list[int]()


@cache
def _blas() -> list[Any]:
    """Return the BLAS library that numpy uses, if it can be found."""
    from threadpoolctl import ThreadpoolController

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)
