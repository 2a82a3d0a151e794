"""Run the command line as ``cribev`` or ``python -m cribev``."""

try:
    import os
    import sys
    from contextlib import suppress

    from cribev.system import signals
except KeyboardInterrupt:
    raise SystemExit(130) from None


def entry_point() -> int:
    """Run the command line; return its exit status, or 128 and the number of the signal."""
    try:
        signals.install_handlers()
        if sys.argv[1:2] != ["solve"]:
            # Read when numpy loads: tables this small gain nothing from threads that share cores.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from cribev.commands import cli  # loads slowly, and signals are heard by now

        status = cli.main()
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
