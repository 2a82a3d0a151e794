"""Run the command line as ``cribev`` or ``python -m cribev``."""

try:
    import os
    import sys
    from contextlib import suppress
    from importlib import import_module

    from cribev.system import signals
except KeyboardInterrupt:
    raise SystemExit(130) from None


def entry_point(module: str = "cribev.commands.cli", *, blas_threads: str = "1") -> int:
    """Run the ``main`` of a module, by default the command line of this package.

    Return its exit status, or 128 and the number of the signal that ended it. Tables as small as
    those of an advice gain nothing from ``blas_threads`` that share cores.
    """
    try:
        signals.install_handlers()
        if blas_threads:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", blas_threads)  # read when numpy loads
        # It loads slowly, and signals are heard by now.
        status: int = import_module(module).main()
    except (KeyboardInterrupt, Exception) as ended:
        if not isinstance(ended, KeyboardInterrupt) and not signals.exit_status():
            raise  # while numpy loads, a signal becomes an ImportError
        signals.ignore_signals()  # all is put away, and the interpreter ends on its own
        with suppress(OSError):  # what waits to be printed waits for nobody
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return signals.exit_status() or 130
    return signals.exit_status() or status  # some library may have caught what was raised


if __name__ == "__main__":
    sys.exit(entry_point())
