"""Update what the documents show: ``python -m docs [--check] [PART …]``."""

import argparse
import sys
from importlib import import_module

PARTS = ("outputs", "pictures", "notebooks", "reference")
CHECKED = ("outputs", "notebooks", "reference")


def main(arguments):
    """Update the given parts, by default all; or check those that can be checked."""
    parser = argparse.ArgumentParser(prog="python -m docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if outdated")
    # With choices, argparse before Python 3.12 requires one of them.
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; default all")
    asked = parser.parse_args(arguments)
    for part in asked.parts:
        if part not in PARTS:
            parser.error(f"unknown part {part!r}: expected {', '.join(PARTS)}")
    stale = []
    for part in asked.parts or (CHECKED if asked.check else PARTS):
        stale += import_module(f"docs.{part}").remake(check=asked.check) or []
    print(*stale, sep="\n", end="\n" if stale else "")
    return 1 if asked.check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
