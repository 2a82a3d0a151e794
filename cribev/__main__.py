"""Run the command line as ``python -m cribev``."""

import sys

from cribev.commands.cli import main

if __name__ == "__main__":
    sys.exit(main())
