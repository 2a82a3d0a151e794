"""Solve the game as ``python -m solver``."""

import sys

from cribev.__main__ import entry_point

if __name__ == "__main__":
    sys.exit(entry_point("solver.command", blas_threads=""))
